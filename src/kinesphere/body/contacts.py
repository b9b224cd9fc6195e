"""The plant detector: one rule, the same for every clip; and how well plants are held.

For the heel and the ball of each foot (``ground`` says where they are), over performed frames:

1. The path is low-passed without a shift in time (Gaussian, σ = 0.02 s, −3 dB at 6.6 Hz). Its **speed**, in all
   three directions, is the way from 1/30 s before to 1/30 s after over the time between: 30 and 120 fps agree.
2. Its **height** is measured from the lowest that it comes within 0.7 s, but never from more than 0.07 leg lengths
   above the ground and its clearance. (Captured floors slope: CMU's 07_01 climbs 4 cm in 2 s. Solved skeletons put
   a standing toe joint centimetres from where its foot would have it.) So a foot that hangs still, lower than that,
   is said to stand.
3. A plant **begins** where the height is under 0.015 leg lengths and the speed under 0.15 leg lengths a second, and
   lasts, in both directions of time, while they are under 0.022 and 0.25.
4. Gaps shorter than 0.1 s in which the point moves less than 0.02 leg lengths are closed.
   Then plants shorter than 0.08 s are dropped.
5. The **anchor** is the geometric median of the (not smoothed) path during the plant: the place from which its
   distances sum to the least, so that landing and leaving hardly move it, whichever way the foot faces.

Leg length is thigh plus shin, 0.84 m for a person of 1.7 m: there, 1.3 and 1.8 cm, and 0.13 and 0.21 m/s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.bodies import LEGS, motion_with_roles
from kinesphere.body.ground import (
    Ground,
    SolePaths,
    SolePoint,
    ground_under,
    joint,
    leg_length,
    performed_runs,
    runs,
    smooth_paths,
    sole_paths,
    sole_points,
)
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

HEIGHTS = (0.015, 0.022)  # leg lengths: to begin, to go on
SPEEDS = (0.15, 0.25)  # leg lengths a second: to begin, to go on
STANDING, AROUND = 0.07, 0.7  # leg lengths above the ground that a standing point may be; seconds to each side
GAP, GAP_WAY = 0.1, 0.02  # seconds, leg lengths
SHORTEST = 0.08  # seconds
STEPS, ENOUGH = 30, 1e-12  # towards an anchor; the last is shorter than this share of how far the point goes


class Rule(NamedTuple):
    """What one point stands by, in metres, seconds and frames."""

    height: float
    go_height: float
    speed: float
    go_speed: float
    standing: float
    around: int
    gap: float
    gap_way: float
    shortest: float


class Stands(NamedTuple):
    """When points stand."""

    ground: Ground
    points: tuple[SolePoint, ...]
    rows: Ints  # (N, 3) point, first and last frame
    paths: Floats  # (T, P, 3)


def find_plants(
    motion: Motion,
    *,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> Plants:
    """When heels and balls stand, and where, by the rule above.

    Parameters
    ----------
    motion
        Its skeleton needs the roles of both legs, or to be a humanoid in which they can be found; toes are optional.
    ground
        Height of the floor, or what ``find_ground`` said. Left out: found.
    heights, speed_limits
        To begin and to go on: leg lengths above standing height, leg lengths a second.
    shortest
        Seconds.
    """
    motion = motion_with_roles(motion, LEGS, "finding plants")
    stands = find_stands(motion, ground, heights, speed_limits, shortest)
    return planted(stands, stands.paths, len(motion), motion.rate)


def find_stands(
    motion: Motion,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> Stands:
    """The same without where: the motion must have its roles."""
    soles = smooth_paths(motion, sole_points(motion.skeleton))
    found = ground if isinstance(ground, Ground) else ground_under(motion, soles, ground)
    labels = _labels(motion, soles, found, _rule(motion, heights, speed_limits, shortest))
    rows = [(i, *run) for i in range(len(soles.points)) for run in runs(labels[:, i])]
    return Stands(found, soles.points, np.array(rows, dtype=np.intp).reshape(-1, 3), soles.paths)


def planted(stands: Stands, paths: Floats, frames: int, rate: float) -> Plants:
    """Plants with the anchors that these paths ``(T, P, 3)`` of the same points have."""
    where = zip(stands.rows.tolist(), middles(paths, stands.rows).tolist(), strict=True)
    points = stands.points
    intervals = tuple(Plant(points[i].side, points[i].point, a, b, (x, y, z)) for (i, a, b), (x, y, z) in where)
    return Plants(frames, rate, stands.ground, tuple(point.name for point in points), intervals)


def plant_labels(
    motion: Motion,
    ground: Ground,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
    points: tuple[SolePoint, ...] | None = None,
) -> tuple[tuple[SolePoint, ...], Bools, Floats]:
    """The points, when each is planted ``(T, P)``, and their paths ``(T, P, 3)``: plants without their anchors."""
    motion = motion_with_roles(motion, LEGS, "finding plants")
    points = sole_points(motion.skeleton) if points is None else points
    soles = smooth_paths(motion, points)
    labels = _labels(motion, soles, ground, _rule(motion, heights, speed_limits, shortest))
    return points, labels, soles.paths


def _rule(motion: Motion, heights: tuple[float, float], speeds: tuple[float, float], shortest: float) -> Rule:
    length = leg_length(motion.skeleton)
    (low, lower), (slow, slower) = heights, speeds
    return Rule(
        length * low, length * lower, length * slow, length * slower, length * STANDING, round(AROUND * motion.rate),
        GAP, length * GAP_WAY, float(shortest),
    )  # fmt: skip


def _labels(motion: Motion, soles: SolePaths, ground: Ground, rule: Rule) -> Bools:
    """``(T, P)`` when each point is planted."""
    labels = np.zeros(soles.speed.shape, dtype=bool)
    for i, point in enumerate(soles.points):
        for run in soles.runs:
            path, speed = soles.smooth[run, i], soles.speed[run, i]
            label(path, ground.height + point.clearance, speed, motion.rate, rule, labels[run, i])
    return labels


def label(path: Floats, floor: float, speed: Floats, rate: float, rule: Rule, held: Bools) -> None:
    """When a point with a low-passed path ``(T, 3)`` and speeds ``(T,)`` stands, written to ``held (T,)``."""
    if compiled.loaded(path.size) is None:
        label_reference(path, floor, speed, rate, rule, held)
        return
    from kinesphere.kernels import jit_plants

    jit_plants.label_stands(path, float(floor), speed, rate, rule, held)


def label_reference(path: Floats, floor: float, speed: Floats, rate: float, rule: Rule, held: Bools) -> None:
    """The same in plain NumPy."""
    height = path[:, 1] - floor
    above = height - np.minimum(_lowest_around(height, rule.around), rule.standing)
    begun = (above < rule.height) & (speed < rule.speed)
    going = (above < rule.go_height) & (speed < rule.go_speed)
    held[:] = _lasting(begun, going)
    _close_gaps(held, path, rate, rule)
    _drop_short(held, rate, rule.shortest)


def _lowest_around(height: Floats, reach: int) -> Floats:
    padded = np.pad(height, reach, constant_values=np.inf)
    lowest: Floats = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).min(axis=1)
    return lowest


def _lasting(begun: Bools, going: Bools) -> Bools:
    """The stretches of ``going`` that somewhere have ``begun``."""
    held = np.zeros(len(going), dtype=bool)
    for first, last in runs(going):
        held[first : last + 1] = begun[first : last + 1].any()
    return held


def _close_gaps(held: Bools, path: Floats, rate: float, rule: Rule) -> None:
    stands = runs(held)
    for (_, before), (after, _) in zip(stands[:-1], stands[1:], strict=True):
        way = np.linalg.norm(path[before : after + 1] - path[before], axis=1).max()
        if (after - before) / rate < rule.gap + 1e-9 and way < rule.gap_way:
            held[before:after] = True


def _drop_short(held: Bools, rate: float, shortest: float) -> None:
    for first, last in runs(held):
        # n frames stand for n frame times: counted so, the length does not depend on the rate
        if (last - first + 1) / rate < shortest - 1e-9:
            held[first : last + 1] = False


def middles(paths: Floats, stands: Ints) -> Floats:
    """``(N, 3)`` geometric medians of paths ``(T, P, 3)`` during stands ``(N, 3)``: point, first and last frame."""
    if compiled.loaded(paths.size) is None:
        return middles_reference(paths, stands)
    from kinesphere.kernels import jit_plants

    found = np.empty((len(stands), 3))
    jit_plants.find_middles(np.ascontiguousarray(paths), stands, STEPS, ENOUGH, found)
    return found


def middles_reference(paths: Floats, stands: Ints) -> Floats:
    """The same in plain NumPy."""
    return np.array([middle(paths[first : last + 1, i]) for i, first, last in stands.tolist()]).reshape(-1, 3)


def middle(path: Floats) -> Floats:
    """The geometric median ``(3,)`` of places ``(N, 3)``, by Weiszfeld's steps."""
    middle: Floats = path.mean(axis=0)
    far = float(np.linalg.norm(path - middle, axis=1).max())
    for _ in range(STEPS):
        weights = 1.0 / np.maximum(np.linalg.norm(path - middle, axis=1), 1e-3 * far + 1e-300)
        before, middle = middle, weights @ path / weights.sum()
        if np.abs(middle - before).sum() < ENOUGH * far:
            break
    return middle


@dataclass(frozen=True)
class FootReport:
    """How well a motion's plants are held, and how smoothly: the numbers of a before-and-after table."""

    plants: int
    slide: float  # metres: the farthest that a planted point is from its middle, of all plants
    slide_mean: float  # metres: the same, the mean over plants
    ankle_acceleration: float  # metres a second squared, the greatest of both ankles
    knee_snap: float  # radians a second: the greatest change of a knee's angular velocity from frame to frame


def foot_report(motion: Motion, plants: Plants | None = None) -> FootReport:
    """Slide, ankle acceleration and knee snap over performed frames.

    Plants left out are found. To compare an edit with its input, give both the input's.
    """
    motion = motion_with_roles(motion, LEGS, "a foot report")
    plants = find_plants(motion) if plants is None else plants
    points = sole_points(motion.skeleton)
    paths, names = sole_paths(motion, points), [point.name for point in points]
    slides = [0.0]
    for plant in plants.intervals:
        path = paths[plant.first : plant.last + 1, names.index(plant.name)]
        middle = 0.5 * (path.min(axis=0) + path.max(axis=0))
        slides.append(float(np.linalg.norm(path - middle, axis=1).max()))
    place = motion.positions_world()
    acceleration, snap = 0.0, 0.0
    for side in SIDES:
        legs = (place[:, joint(motion.skeleton, f"{side}{part}")] for part in ("UpperLeg", "LowerLeg", "Foot"))
        hip, knee, ankle = legs
        above, below = knee - hip, ankle - knee
        sine = np.linalg.norm(np.cross(above, below), axis=1)
        flexion = np.arctan2(sine, np.sum(above * below, axis=1))
        for run in performed_runs(motion):
            jolts = np.linalg.norm(np.diff(ankle[run], 2, axis=0), axis=1) * motion.rate**2
            acceleration = max(acceleration, float(jolts.max(initial=0.0)))
            snap = max(snap, float(np.abs(np.diff(flexion[run], 2)).max(initial=0.0)) * motion.rate)
    count = len(plants.intervals)
    return FootReport(count, max(slides), sum(slides) / max(count, 1), acceleration, snap)
