"""Solve for body shapes: hard constraints to a millimetre, everything else as near to the given poses as it can be.

**What moves.** Limbs follow analytically, so a foot or hand that can be reached by its own limb moves nothing else.
Where a limb is too short, or gaze, trunk or balance ask for more, hips, spine, shoulders and neck change by the least
that is enough. They begin to before and end after, smoothly, because their second differences cost too.

**Frames** in which every constraint is met already, and that are not near others, stay the same bits.

**Out of reach.** What cannot be met within the ranges of joints is missed, by ``SolvedShape.missed`` metres.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.mass import foot_corners, outer_corners, support_margins
from kinesphere.body.shape_solver.constraints import ShapeConstraints
from kinesphere.body.shape_solver.demands import (
    CentreGoal,
    Poses,
    ShapeTask,
    centre_paths,
    demands_at,
    forward_poses,
    seen_gaze,
)
from kinesphere.body.shape_solver.gaze import gaze_error, look
from kinesphere.body.shape_solver.limbs import LimbRows, LimbTask, hang_arms, limb_rows, limb_tasks, place_limbs
from kinesphere.body.shape_solver.model import ShapeModel, shape_model
from kinesphere.body.shape_solver.stretch import Given, Stretch, solve_stretch
from kinesphere.body.shape_solver.system import Demands
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import attached_points
from kinesphere.maths.vectors import Bools, Floats, norms, smootherstep

COMES = 0.5  # seconds in which changes come, and go
MET = 1e-4  # metres of a person: what is as near as this is met
LOOKED = 2e-3  # radians: what is as near as this is looked at
ROOM, LEAST_ROOM = 0.7, 0.02  # of its margin, and leg lengths: how far a centre of mass goes by itself for a reach
ASIDE = float(np.radians(75.0))  # of a gaze, from which on hips take part
HOLDS = 0.999  # weight from which on what is missed counts


@dataclass(frozen=True, eq=False)
class SolvedShape:
    """Poses that meet their constraints, and by how much they do not."""

    local: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)
    missed: tuple[Floats, ...]  # (T,) metres, of each point, where it holds fully
    gaze_missed: Floats  # (T,) radians, likewise
    com_missed: Floats  # (T,) metres, likewise
    com: Floats  # (T, 3) centre of mass
    margin: Floats  # (T,) metres from it to the edge of the support; negative outside, NaN without feet that hold


def solve_shape(
    body: Body, local: Floats, translations: Floats, constraints: ShapeConstraints, rate: float = 60.0
) -> SolvedShape:
    """Poses ``(T, J, 4)``, ``(T, J, 3)`` as near to the given ones as constraints allow."""
    model = shape_model(body)
    constraints = constraints.checked(len(local), len(body.skeleton))
    _refuse_middles(model, constraints)
    given = forward_poses(model, local, translations)
    asked = constraints
    if constraints.gaze is not None:
        constraints = replace(constraints, gaze=seen_gaze(model, constraints.gaze, given))
    placed = limb_tasks(model, constraints.points, given.q, given.p)
    tasks = tuple(task for _, task in placed)
    out_q, out_t = np.array(local), np.array(translations)
    goal = _centre_goal(model, constraints, tasks, given)
    task = ShapeTask(model, constraints, tasks, rate)
    demands, limbs = demands_at(task, given, np.arange(len(local))), limb_rows(tasks, given.q, given.p)
    stretches = _stretches(*_shortfalls(task, given, goal, demands, limbs), rate)
    for stretch in stretches:
        solve_stretch(task, stretch, Given(given, goal, demands, limbs), (out_q, out_t))
    if stretches:
        hang_arms(model, given.q, out_q)
    place_limbs(model, limbs, out_q, out_t)
    if constraints.gaze is not None:
        look(model, constraints.gaze, out_q, out_t)
    return _report(model, asked, out_q, out_t, goal)


def _refuse_middles(model: ShapeModel, constraints: ShapeConstraints) -> None:
    for i, point in enumerate(constraints.points):
        if point.joint in model.between and point.weight.any():
            name = model.body.skeleton.names[point.joint]
            raise ValueError(
                f"points[{i}] is on joint {point.joint} ({name!r}), between a limb's ends; allowed are hands, feet and "
                "what they carry, the trunk and the head"
            )


# What is wanting


def _centre_goal(
    model: ShapeModel, constraints: ShapeConstraints, tasks: tuple[LimbTask, ...], given: Poses
) -> CentreGoal:
    """Where the centre of mass should be, and how far it may go from there by itself."""
    mass = model.masses[0]
    centre = np.einsum("s,tsi->ti", mass, centre_paths(model, given))[:, [0, 2]]
    shift, total = np.zeros_like(centre), np.zeros(len(centre))
    for task in tasks:
        if task.name.endswith("Foot"):
            point = task.point
            here = given.p[:, point.joint] + rotations.rotate(given.q[:, point.joint], point.offset)
            shift += point.weight[:, None] * (point.target - here)[:, [0, 2]]
            total += point.weight
    centre = np.asarray(centre + shift / np.maximum(total, 1.0)[:, None])
    com, margin = constraints.com, np.zeros(len(centre))
    if any(task.name.endswith("Foot") for task in tasks) and (com is None or not com.weight.all()):
        margin = np.nan_to_num(support_margin(model, constraints, given, centre))
    room = np.maximum(ROOM * margin, LEAST_ROOM * model.size)
    if com is None or com.target is None:
        return CentreGoal(centre, room)
    return CentreGoal(np.asarray(centre + com.weight[:, None] * (com.target - centre)), room)


def _shortfalls(
    task: ShapeTask, given: Poses, goal: CentreGoal, demands: Demands, limbs: LimbRows
) -> tuple[Bools, Bools]:
    """``(T,)`` frames in which limbs alone are not enough, and frames in which the head looks elsewhere."""
    model, constraints = task.model, task.constraints
    wanting, looking = np.zeros((2, len(given.p)), dtype=bool)
    reaches, points = demands.reaches, demands.points
    for m, row in enumerate(reaches.rows):
        joint, share = model.joints[row], reaches.weights[m][:, None]
        carried = rotations.rotate(given.q[:, joint], reaches.carried[m])
        line = share * (reaches.targets[m] - given.p[:, joint]) + (1.0 - share) * carried
        wanting |= norms(line) > reaches.ease[m] + MET * model.scale
    for m, row in enumerate(points.rows):
        here = given.p[:, model.joints[row]] + rotations.rotate(given.q[:, model.joints[row]], points.offsets[m])
        wanting |= norms(points.targets[m] - here) > MET * model.scale
    if constraints.com is not None:
        local, translations = given.local.copy(), given.translations.copy()
        place_limbs(model, limbs, local, translations)
        placed = forward_poses(model, local, translations)
        centre = np.einsum("s,tsi->ti", model.masses[0], centre_paths(model, placed))[:, [0, 2]]
        wanting |= (norms(goal.place - centre) > MET * model.scale) & (constraints.com.weight > 0.0)
    if constraints.gaze is not None:
        error = gaze_error(model, constraints.gaze, given.q, given.p)
        looking = (error > LOOKED) & (constraints.gaze.weight > 0.0)
        wanting |= (error > ASIDE) & looking
    return wanting, looking


def _stretches(wanting: Bools, looking: Bools, rate: float) -> list[Stretch]:
    """Stretches in which trunks change, with the time in which they come and go."""
    pad, count = round(COMES * rate), len(wanting)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanting | looking, [False]]).astype(np.int8)))
    merged: list[list[int]] = []
    for first, last in edges.reshape(-1, 2).tolist():
        first, last = max(first - pad, 0), min(last + pad, count)
        if merged and first <= merged[-1][1]:
            merged[-1][1] = last
        else:
            merged.append([first, last])
    near = _nearness(wanting, COMES * rate)
    return [Stretch(np.arange(a, b), a > 0, b < count, bool(wanting[a:b].any()), near[a:b]) for a, b in merged]


def _nearness(wanting: Bools, pad: float) -> Floats:
    """``(T,)`` 1 in frames that are ``wanting``, and less towards ``pad`` frames from them, where it is 0."""
    frames = np.arange(len(wanting))
    marked = np.flatnonzero(wanting)
    if not len(marked):
        return np.zeros(len(wanting))
    after = np.searchsorted(marked, frames)
    before, ahead = marked[np.maximum(after - 1, 0)], marked[np.minimum(after, len(marked) - 1)]
    away = [smootherstep(np.abs(frames - own) / pad) for own in (before, ahead)]
    return np.asarray(np.where(before == ahead, 1.0 - away[0], 1.0 - away[0] * away[1]))


# The result


def _report(
    model: ShapeModel, constraints: ShapeConstraints, local: Floats, translations: Floats, goal: CentreGoal
) -> SolvedShape:
    poses = forward_poses(model, local, translations)
    missed = []
    for point in constraints.points:
        here = poses.p[:, point.joint] + rotations.rotate(poses.q[:, point.joint], point.offset)
        missed.append(np.where(point.weight > HOLDS, norms(here - point.target), 0.0))
    centre = np.einsum("s,tsi->ti", model.masses[0], centre_paths(model, poses))
    com_missed = np.zeros(len(local))
    if constraints.com is not None:
        com_missed = np.where(constraints.com.weight > HOLDS, norms(centre[:, [0, 2]] - goal.place), 0.0)
    looked = np.zeros(len(local))
    if constraints.gaze is not None:
        error = gaze_error(model, constraints.gaze, poses.q, poses.p)
        looked = np.where(constraints.gaze.weight > HOLDS, error, 0.0)
    return SolvedShape(
        local,
        translations,
        tuple(missed),
        looked,
        com_missed,
        centre,
        support_margin(model, constraints, poses, centre[:, [0, 2]]),
    )


def support_margin(model: ShapeModel, constraints: ShapeConstraints, poses: Poses, centre: Floats) -> Floats:
    """``(T,)`` signed distances of centres ``(T, 2)`` to the edge of the feet that hold; NaN where none does."""
    soles = model.body.soles
    holds = {side: np.zeros(len(poses.p), dtype=bool) for side in ("left", "right")}
    for point in constraints.points:
        name = model.ends.get(point.joint, "")
        if name.endswith("Foot"):
            holds[name.removesuffix("Foot")] |= point.weight > 0.5
    joints = np.array([sole.joint for sole in soles])
    paths = attached_points(poses.q, poses.p, joints, np.array([sole.offset for sole in soles]))
    corners, touching = foot_corners(model.body.skeleton, paths, {sole.name: holds[sole.side] for sole in soles})
    return support_margins(outer_corners(corners), outer_corners(touching), centre)
