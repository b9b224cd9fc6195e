"""One stretch of frames in which trunks change: unknowns at knots over time, then every frame to the millimetre."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from kinesphere.body.shape_solver.demands import (
    CentreGoal,
    Poses,
    ShapeTask,
    centre_of,
    forward_poses,
    prior,
)
from kinesphere.body.shape_solver.limbs import LimbRows, hang_arms, place_limbs
from kinesphere.body.shape_solver.over_time import Linearise, Prior, Project, TimeGrid, least_change, solve_over_time
from kinesphere.body.shape_solver.system import COUNTERWEIGHT, Demands, TrunkSystem
from kinesphere.maths.vectors import Bools, Floats, Ints

KNOTS = 15.0  # a second, of the unknowns
ROUNDS = 16  # of solving, most
PASSES = (6, 6)  # rounds before those after which limbs follow, for a centre of mass
SETTLED = 0.02  # deviations: a pass that changes less is the last
POLISHING = (3, 2, 2, 1, 1, 1, 1, 1)  # rounds, most, of making exact; likewise
BLUR = 0.03  # seconds of σ: what polishing changes, it changes no quicker
LEAST_ZONE = 1e-6  # of a limb's length
UNCHANGED = 5e-3  # deviations: a pass of polishing that changes less is the last


class Stretch(NamedTuple):
    """Frames that hang together."""

    frames: Ints
    zero_before: bool  # whether trunks do not change before them
    zero_after: bool
    hips: bool  # whether hips take part
    near: Floats  # (T,) from 0 to 1: how near limbs are to moments at which they alone are not enough


class Given(NamedTuple):
    """Poses, where their centres of mass should be, and what is asked of trunks and of limbs."""

    poses: Poses
    goal: CentreGoal
    demands: Demands
    limbs: LimbRows

    def at(self, frames: Ints) -> Given:
        """Some frames of it."""
        return Given(self.poses.at(frames), self.goal.at(frames), self.demands.at(frames), self.limbs.at(frames))

    def eased(self, near: Floats) -> Given:
        """The same, softly only in measure of ``near (T,)``: far from want, limbs ask nothing of given poses."""
        reaches = self.demands.reaches
        zones = np.maximum(reaches.zones * near, LEAST_ZONE * reaches.ease)
        return self._replace(demands=self.demands._replace(reaches=reaches._replace(zones=zones)))


def solve_stretch(task: ShapeTask, stretch: Stretch, given: Given, out: tuple[Floats, Floats]) -> None:
    """Change the trunk in a stretch, in poses ``out`` of all frames in place."""
    frames, zeros, rate = stretch.frames, (stretch.zero_before, stretch.zero_after), task.rate
    model, com, count = task.model, task.constraints.com, len(stretch.frames)
    own = max(2, round((count - 1) / rate * KNOTS) + 1) if count > 3 else count
    knots = np.unique(np.round(np.linspace(0, count - 1, min(own, count))).astype(np.intp))
    at = frames[knots]
    step = (count - 1) / max(len(knots) - 1, 1) / rate
    given = given.at(frames).eased(stretch.near)
    solver = _Frames(task, stretch.hips, given.at(knots), at)
    unknowns = np.zeros((len(knots), solver.size))
    balanced = com is not None and bool(com.weight[frames].any())
    grid = TimeGrid(max(step, 1e-6), *zeros)
    for rounds in (*PASSES, ROUNDS) if balanced else (ROUNDS,):
        system = solver.system(unknowns)
        found = solve_over_time(*solver.chosen(system), unknowns[:, solver.columns], solver.prior, grid, rounds)
        if solver.change(unknowns, found) < SETTLED:
            break
    if len(knots) < count:
        unknowns = _between_knots(unknowns, knots, count, step * rate, zeros)
        solver = _Frames(task, stretch.hips, given, frames)
    for rounds in POLISHING if balanced else POLISHING[:1]:
        system = solver.system(unknowns, counterweight=False)
        start = unknowns[:, solver.columns]
        found = least_change(*solver.chosen(system), start, solver.prior, system.small, rounds, BLUR * rate)
        if solver.change(unknowns, found) < UNCHANGED:
            break
    turned, moved = system.posed(unknowns)
    changed = np.flatnonzero(np.abs(unknowns).max(axis=1) > 0.0)
    rows = np.ix_(frames[changed], model.joints)
    out[0][rows] = _same_hemisphere(turned[changed], out[0][rows])
    out[1][rows] = moved[changed]


def _same_hemisphere(q: Floats, like: Floats) -> Floats:
    flip = np.einsum("tji,tji->tj", q, like)[..., None] < 0.0
    return np.where(flip, -q, q)


def _between_knots(values: Floats, knots: Ints, count: int, step: float, zeros: tuple[bool, bool]) -> Floats:
    """Cubic splines through values at knots ``(K, N)``, at every frame ``(T, N)``."""
    times, rows = knots.astype(np.float64), values
    if zeros[0]:
        times = np.concatenate([[times[0] - step], times])
        rows = np.concatenate([np.zeros((1, values.shape[1])), rows])
    if zeros[1]:
        times = np.concatenate([times, [times[-1] + step]])
        rows = np.concatenate([rows, np.zeros((1, values.shape[1]))])
    kind = tuple((1, np.zeros(values.shape[1])) if zero else (2, np.zeros(values.shape[1])) for zero in zeros)
    return np.asarray(CubicSpline(times, rows, bc_type=kind)(np.arange(count)))


class _Frames:
    """Frames that are solved together: what is asked of them, and which unknowns take part."""

    def __init__(self, task: ShapeTask, hips: bool, given: Given, frames: Ints) -> None:
        model, constraints, tasks, _ = task
        self.task, self.model, self.constraints, self.tasks = task, model, constraints, tasks
        self.given, self.goal, self.demands, self.limbs = given
        self.hips, self.frames = hips, frames
        feet = [task.point.weight[frames] for task in tasks if task.name.endswith("Foot")]
        held = np.max(feet, axis=0) if feet else np.zeros(len(frames))
        self.size = 3 + 3 * len(model.trunk.rotated)
        whole = prior(model, self.given, constraints, frames, held)
        self.columns = np.flatnonzero(self._takes_part() & (whole.most > whole.least).any(axis=0))
        self.prior = Prior(whole.deviations[self.columns], *(np.take(v, self.columns, axis=1) for v in whole[1:]))
        self.held = bool(held.any())

    def _takes_part(self) -> Bools:
        """``(N,)`` which unknowns some demand may need."""
        arms = {task.name for task in self.tasks if task.name.endswith("Hand")}
        looks = len(self.demands.gaze.row) > 0
        wanted = {
            "hips": self.hips,
            "spine": self.hips or looks,
            "neck": looks or len(self.demands.points.rows) > 0,
            "leftShoulder": "leftHand" in arms,
            "rightShoulder": "rightHand" in arms,
        }
        own = np.repeat([wanted[group] for group in self.model.groups], 3)
        return np.concatenate([np.full(3, self.hips), own])

    def system(self, unknowns: Floats, counterweight: bool = True) -> TrunkSystem:
        """What is asked of the trunk when limbs have followed it to where it is."""
        model, given, joints = self.model, self.given, self.model.joints
        local, translations = (np.ascontiguousarray(v[:, joints]) for v in (given.local, given.translations))
        system = TrunkSystem(model, local, translations, self.demands)
        com = self.constraints.com
        asked = com is not None and bool(com.weight[self.frames].any())
        if not asked and not self.held:
            return system
        full_q, full_t = given.local.copy(), given.translations.copy()
        full_q[:, joints], full_t[:, joints] = system.posed(unknowns)
        hang_arms(model, given.q, full_q)
        place_limbs(model, self.limbs, full_q, full_t)
        now = forward_poses(model, full_q, full_t)
        own = 1.0 / COUNTERWEIGHT if counterweight else 0.0
        centre = centre_of(self.task, self.goal, system.world(unknowns), now, self.frames, own)
        return TrunkSystem(model, local, translations, self.demands._replace(centre=centre))

    def change(self, unknowns: Floats, found: Floats) -> float:
        """Set those of the unknowns that take part; by how many deviations they change at most."""
        step = np.abs(found - unknowns[:, self.columns]) / self.prior.deviations
        unknowns[:, self.columns] = found
        return float(step.max(initial=0.0))

    def chosen(self, system: TrunkSystem) -> tuple[Linearise, Project]:
        """The system's residuals, and how hips stay within reach of feet, in the unknowns that take part."""
        columns = self.columns

        def whole(some: Floats) -> Floats:
            unknowns = np.zeros((len(some), self.size))
            unknowns[:, columns] = some
            return unknowns

        def linearise(some: Floats) -> tuple[Floats, Floats]:
            residuals, jacobian = system.linearise(whole(some))
            return residuals, np.take(jacobian, columns, axis=2)

        def project(some: Floats) -> Floats:
            return np.take(system.lower_hips(whole(some)), columns, axis=1)

        return linearise, project
