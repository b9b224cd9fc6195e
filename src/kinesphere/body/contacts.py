"""Foot plants: when which point of a foot stands, and where."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from kinesphere.body.ground import (
    Ground,
    SolePaths,
    SolePoint,
    ground_of_paths,
    leg_length,
    performed_runs,
    require_joint,
    runs,
    smooth_paths,
    sole_paths,
    sole_points,
)
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.vectors import Bools, Floats, Ints, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

NEXT = 0.15  # seconds between plants that follow each other closely
AGREEING = 60  # rounds in which anchors settle; most feet need under ten


@dataclass(frozen=True)
class Contact:
    """One stand of one point."""

    side: str  # "left" or "right"
    point: str  # "heel", "ball" or "sole"
    first: int  # frame
    last: int  # frame, included
    anchor: tuple[float, float, float]  # where the point stands, metres in the world

    @cached_property
    def name(self) -> str:
        """The point's name, such as ``leftHeel``."""
        return self.side + self.point.capitalize()


@dataclass(frozen=True)
class Contacts:
    """All plants of a motion, by ``find_contacts`` or by hand."""

    frames: int
    rate: float
    ground: Ground
    points: tuple[str, ...]  # every point that could be planted, such as leftHeel
    intervals: tuple[Contact, ...]  # by point, then in time

    def __post_init__(self) -> None:
        for plant in self.intervals:
            if plant.name not in self.points:
                raise ValueError(f"{plant} is of no known point; known are {', '.join(self.points)}")
            if not 0 <= plant.first <= plant.last < self.frames:
                raise ValueError(f"{plant} does not fit into frames 0 to {self.frames - 1}")
            if not all(map(math.isfinite, plant.anchor)):
                raise ValueError(f"{plant} has no finite anchor")
        order = {name: i for i, name in enumerate(self.points)}
        arranged = tuple(sorted(self.intervals, key=lambda plant: (order[plant.name], plant.first)))
        for a, b in zip(arranged[:-1], arranged[1:], strict=True):
            if a.name == b.name and b.first <= a.last:
                raise ValueError(f"{a} and {b} overlap; a point stands in one place at a time")
        object.__setattr__(self, "intervals", arranged)

    @property
    def labels(self) -> Mapping[str, Bools]:
        """For each point ``(T,)``, whether it is planted."""
        labels = {name: np.zeros(self.frames, dtype=bool) for name in self.points}
        for plant in self.intervals:
            labels[plant.name][plant.first : plant.last + 1] = True
        return MappingProxyType(labels)

    def of(self, name: str) -> tuple[Contact, ...]:
        """The plants of one point, in time."""
        return tuple(plant for plant in self.intervals if plant.name == name)

    def planted(self) -> Bools:
        """``(T,)``, whether anything is planted."""
        return np.any(list(self.labels.values()), axis=0) if self.points else np.zeros(self.frames, dtype=bool)

    def anchors(self, names: Sequence[str], paths: Floats) -> Floats:
        """``(T, P, 3)`` anchors of one foot's points in planted frames, moved so that they agree among themselves.

        Heel and ball that stand together are as far apart as the foot is long. Plants that follow each other closely
        are as far apart as the foot went between them, the more the closer: there is no time to make up for more.
        """
        listed = [(k, plant) for k, name in enumerate(names) for plant in self.of(name)]
        place = np.array([plant.anchor for _, plant in listed]).reshape(-1, 3)
        share = np.array([1.0 / (plant.last - plant.first + 1) for _, plant in listed])  # long plants give way less
        settled = 1e-9 * math.dist(paths[0, -1].tolist(), paths[0, 0].tolist())
        pairs = _neighbours(listed, paths, NEXT * self.rate)
        if len(pairs.together) or len(pairs.following):
            settle_anchors(place, share, pairs, settled)
        result = np.zeros(paths.shape)
        for (k, plant), at in zip(listed, place, strict=True):
            result[plant.first : plant.last + 1, k] = at
        return result

    def at_height(self, height: float, clearances: Mapping[str, float] | None = None) -> Contacts:
        """The same with every anchor on a level ground: at ``height``, plus the point's clearance if given."""
        raised = clearances or {}
        moved = tuple(
            replace(plant, anchor=(plant.anchor[0], height + raised.get(plant.name, 0.0), plant.anchor[2]))
            for plant in self.intervals
        )
        return replace(self, intervals=moved)

    def as_json(self) -> dict[str, Any]:
        """Plain data: frames count from 0, both ends included; anchors in metres."""
        return {
            "kinesphere": "plants",
            "frames": self.frames,
            "rate": self.rate,
            "ground": {"height": self.ground.height, "evidence": self.ground.evidence, "share": self.ground.share},
            "points": list(self.points),
            "intervals": [
                {"side": p.side, "point": p.point, "first": p.first, "last": p.last, "anchor": list(p.anchor)}
                for p in self.intervals
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Contacts:
        """What ``as_json`` gave."""
        if data.get("kinesphere") != "plants":
            raise ValueError(f"plants are expected: 'kinesphere' is {data.get('kinesphere')!r}, not 'plants'")
        ground = data["ground"]
        return cls(
            int(data["frames"]),
            float(data["rate"]),
            Ground(float(ground["height"]), str(ground["evidence"]), float(ground["share"])),
            tuple(data["points"]),
            tuple(
                Contact(p["side"], p["point"], int(p["first"]), int(p["last"]), _place(p["anchor"]))
                for p in data["intervals"]
            ),
        )


class ContactPairs(NamedTuple):
    """Plants of one foot that have to do with each other, by their places in a list."""

    following: Ints  # (F, 2) closely after each other
    ways: Floats  # (F, 3) from the one to the other
    stiff: Floats  # (F,) how closely
    together: Ints  # (G, 2) at one time
    lengths: Floats  # (G,) how far apart


def settle_anchors(place: Floats, share: Floats, pairs: ContactPairs, settled: float) -> None:
    """Anchors ``(N, 3)`` that agree with their neighbours, in place; ``share (N,)`` is how much each gives way."""
    if compiled.loaded(AGREEING * 10 * (len(pairs.together) + len(pairs.following))) is None:
        settle_anchors_reference(place, share, pairs, settled)
        return

    settle_anchors_kernel(place, share, *pairs, settled, AGREEING)


def settle_anchors_reference(place: Floats, share: Floats, pairs: ContactPairs, settled: float) -> None:
    """The same in plain NumPy."""
    for _ in range(AGREEING):
        before = place.copy()
        for (i, j), way, stiff in zip(pairs.following.tolist(), pairs.ways, pairs.stiff, strict=True):
            push = stiff * (way - (place[j] - place[i])) / (share[i] + share[j])
            place[i], place[j] = place[i] - share[i] * push, place[j] + share[j] * push
        for (i, j), length in zip(pairs.together.tolist(), pairs.lengths, strict=True):
            apart = place[j] - place[i]
            push = (length / max(float(np.linalg.norm(apart)), 1e-9) - 1.0) * apart / (share[i] + share[j])
            place[i], place[j] = place[i] - share[i] * push, place[j] + share[j] * push
        if np.abs(place - before).max() < settled:
            break


def _neighbours(listed: list[tuple[int, Contact]], paths: Floats, near: float) -> ContactPairs:
    """Plants of one foot that stand at one time, and those that follow closely; ``near`` is in frames."""
    together, following = [], []
    order = sorted(range(len(listed)), key=lambda i: listed[i][1].first)
    open_: list[int] = []  # those that may still have something to do with what begins now
    for j in order:
        m, b = listed[j]
        open_ = [i for i in open_ if b.first - listed[i][1].last < near]
        for i in open_:
            k, a = listed[i]
            if b.first > a.last:
                following.append((i, j, b.first, m, a.last, k))
            elif k != m:
                middle = (b.first + min(a.last, b.last)) // 2
                together.append((i, j, middle, m, k) if k < m else (j, i, middle, m, k))
        open_.append(j)
    after = np.array(sorted(following), dtype=np.intp).reshape(-1, 6)
    beside = np.array(sorted(together), dtype=np.intp).reshape(-1, 5)
    _, _, starts, begun, ends, ended = after.T
    ways, stiff = paths[starts, begun] - paths[ends, ended], 1.0 - (starts - ends) / near
    _, _, frames, one, other = beside.T
    apart = paths[frames, one] - paths[frames, other]
    return ContactPairs(after[:, :2].copy(), ways, stiff, beside[:, :2].copy(), norms(apart))


def _place(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


# ---- The plant detector: one rule, the same for every clip; and how well plants are held.
#
# For the heel and the ball of each foot (``ground`` says where they are), over performed frames:
#
# 1. The path is low-passed without a shift in time (Gaussian, σ = 0.02 s, −3 dB at 6.6 Hz). Its **speed**, in all
#    three directions, is the way from 1/30 s before to 1/30 s after over the time between: 30 and 120 fps agree.
# 2. Its **height** is measured from the lowest that it comes within 0.7 s, but never from more than 0.07 leg lengths
#    above the ground and its clearance. (Captured floors slope: CMU's 07_01 climbs 4 cm in 2 s. Solved skeletons put
#    a standing toe joint centimetres from where its foot would have it.) So a foot that hangs still, lower than that,
#    is said to stand.
# 3. A plant **begins** where the height is under 0.015 leg lengths and the speed under 0.15 leg lengths a second, and
#    lasts, in both directions of time, while they are under 0.022 and 0.25.
# 4. Gaps shorter than 0.1 s in which the point moves less than 0.02 leg lengths are closed.
#    Then plants shorter than 0.08 s are dropped.
# 5. The **anchor** is the geometric median of the (not smoothed) path during the plant: the place from which its
#    distances sum to the least, so that landing and leaving hardly move it, whichever way the foot faces.
#
# Leg length is thigh plus shin, 0.84 m for a person of 1.7 m: there, 1.3 and 1.8 cm, and 0.13 and 0.21 m/s.


HEIGHTS = (0.015, 0.022)  # leg lengths: to begin, to go on
SPEEDS = (0.15, 0.25)  # leg lengths a second: to begin, to go on
STANDING, AROUND = 0.07, 0.7  # leg lengths above the ground that a standing point may be; seconds to each side
GAP, GAP_WAY = 0.1, 0.02  # seconds, leg lengths
SHORTEST = 0.08  # seconds
STEPS, ENOUGH = 30, 1e-12  # towards an anchor; the last is shorter than this share of how far the point goes


class ContactRule(NamedTuple):
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


class ContactRuns(NamedTuple):
    """When points stand."""

    ground: Ground
    points: tuple[SolePoint, ...]
    rows: Ints  # (N, 3) point, first and last frame
    paths: Floats  # (T, P, 3)


def find_contacts(
    motion: Motion,
    *,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> Contacts:
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
    motion = require_motion_roles(motion, LEGS, "finding plants")
    stands = find_contact_runs(motion, ground, heights, speed_limits, shortest)
    return contacts_on_paths(stands, stands.paths, len(motion), motion.rate)


def find_contact_runs(
    motion: Motion,
    ground: Ground | float | None = None,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
) -> ContactRuns:
    """The same without where: the motion must have its roles."""
    soles = smooth_paths(motion, sole_points(motion.skeleton))
    found = ground if isinstance(ground, Ground) else ground_of_paths(motion, soles, ground)
    labels = _labels(motion, soles, found, _rule(motion, heights, speed_limits, shortest))
    rows = [(i, *run) for i in range(len(soles.points)) for run in runs(labels[:, i])]
    return ContactRuns(found, soles.points, np.array(rows, dtype=np.intp).reshape(-1, 3), soles.paths)


def contacts_on_paths(stands: ContactRuns, paths: Floats, frames: int, rate: float) -> Contacts:
    """Plants with the anchors that these paths ``(T, P, 3)`` of the same points have."""
    where = zip(stands.rows.tolist(), geometric_medians(paths, stands.rows).tolist(), strict=True)
    points = stands.points
    intervals = tuple(Contact(points[i].side, points[i].point, a, b, (x, y, z)) for (i, a, b), (x, y, z) in where)
    return Contacts(frames, rate, stands.ground, tuple(point.name for point in points), intervals)


def contact_labels(
    motion: Motion,
    ground: Ground,
    heights: tuple[float, float] = HEIGHTS,
    speed_limits: tuple[float, float] = SPEEDS,
    shortest: float = SHORTEST,
    points: tuple[SolePoint, ...] | None = None,
) -> tuple[tuple[SolePoint, ...], Bools, Floats]:
    """The points, when each is planted ``(T, P)``, and their paths ``(T, P, 3)``: plants without their anchors."""
    motion = require_motion_roles(motion, LEGS, "finding plants")
    points = sole_points(motion.skeleton) if points is None else points
    soles = smooth_paths(motion, points)
    labels = _labels(motion, soles, ground, _rule(motion, heights, speed_limits, shortest))
    return points, labels, soles.paths


def _rule(motion: Motion, heights: tuple[float, float], speeds: tuple[float, float], shortest: float) -> ContactRule:
    length = leg_length(motion.skeleton)
    (low, lower), (slow, slower) = heights, speeds
    return ContactRule(
        length * low, length * lower, length * slow, length * slower, length * STANDING, round(AROUND * motion.rate),
        GAP, length * GAP_WAY, float(shortest),
    )  # fmt: skip


def _labels(motion: Motion, soles: SolePaths, ground: Ground, rule: ContactRule) -> Bools:
    """``(T, P)`` when each point is planted."""
    labels = np.zeros(soles.speed.shape, dtype=bool)
    for i, point in enumerate(soles.points):
        for run in soles.runs:
            path, speed = soles.smooth[run, i], soles.speed[run, i]
            label_contacts(path, ground.height + point.clearance, speed, motion.rate, rule, labels[run, i])
    return labels


def label_contacts(path: Floats, floor: float, speed: Floats, rate: float, rule: ContactRule, held: Bools) -> None:
    """When a point with a low-passed path ``(T, 3)`` and speeds ``(T,)`` stands, written to ``held (T,)``."""
    if compiled.loaded(path.size) is None:
        label_contacts_reference(path, floor, speed, rate, rule, held)
        return

    label_contacts_kernel(path, float(floor), speed, rate, rule, held)


def label_contacts_reference(
    path: Floats, floor: float, speed: Floats, rate: float, rule: ContactRule, held: Bools
) -> None:
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


def _close_gaps(held: Bools, path: Floats, rate: float, rule: ContactRule) -> None:
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


def geometric_medians(paths: Floats, stands: Ints) -> Floats:
    """``(N, 3)`` geometric medians of paths ``(T, P, 3)`` during stands ``(N, 3)``: point, first and last frame."""
    if compiled.loaded(paths.size) is None:
        return geometric_medians_reference(paths, stands)

    found = np.empty((len(stands), 3))
    geometric_medians_kernel(np.ascontiguousarray(paths), stands, STEPS, ENOUGH, found)
    return found


def geometric_medians_reference(paths: Floats, stands: Ints) -> Floats:
    """The same in plain NumPy."""
    return np.array([geometric_median(paths[first : last + 1, i]) for i, first, last in stands.tolist()]).reshape(-1, 3)


def geometric_median(path: Floats) -> Floats:
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


def foot_report(motion: Motion, plants: Contacts | None = None) -> FootReport:
    """Slide, ankle acceleration and knee snap over performed frames.

    Plants left out are found. To compare an edit with its input, give both the input's.
    """
    motion = require_motion_roles(motion, LEGS, "a foot report")
    plants = find_contacts(motion) if plants is None else plants
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
        legs = (place[:, require_joint(motion.skeleton, f"{side}{part}")] for part in ("UpperLeg", "LowerLeg", "Foot"))
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


# ---- Compiled plants: when points stand, where, and how anchors agree. Import this only through ``compiled``.
#
# Their plain twins are ``contacts.label_reference``, ``contacts.middles_reference`` and ``plants.settle_reference``.


@compile_kernel
def label_contacts_kernel(path, floor, speed, rate, rule, held):  # type: ignore[no-untyped-def]
    """When one point with a low-passed path (T, 3) and speeds (T,) stands: written to ``held`` (T,)."""
    frames = path.shape[0]
    lowest = np.empty(frames)
    _lowest(path, rule.around, lowest)
    first, begun, above = -1, False, 0.0
    for t in range(frames + 1):
        going = False
        if t < frames:
            held[t] = False
            above = path[t, 1] - floor - min(lowest[t] - floor, rule.standing)
            going = above < rule.go_height and speed[t] < rule.go_speed
        if going:
            first = t if first < 0 else first
            begun = begun or (above < rule.height and speed[t] < rule.speed)
        elif first >= 0:
            if begun:
                for i in range(first, t):
                    held[i] = True
            first, begun = -1, False
    _close_gaps_kernel(path, rate, rule, held)
    _drop_short_kernel(rate, rule.shortest, held)


@compile_kernel
def _lowest(path, reach, lowest):  # type: ignore[no-untyped-def]
    """The lowest (T,) of heights within ``reach`` frames: a queue of those that may still be it, rising."""
    frames = path.shape[0]
    queue = np.empty(frames, dtype=np.int64)
    head, tail, taken = 0, 0, 0
    for t in range(frames):
        while taken < min(t + reach + 1, frames):
            while tail > head and path[queue[tail - 1], 1] >= path[taken, 1]:
                tail -= 1
            queue[tail] = taken
            tail += 1
            taken += 1
        while queue[head] < t - reach:
            head += 1
        lowest[t] = path[queue[head], 1]


@compile_kernel
def _close_gaps_kernel(path, rate, rule, held):  # type: ignore[no-untyped-def]
    last = -1  # the end of the stand before
    for t in range(path.shape[0]):
        if not held[t]:
            continue
        if 0 <= last < t - 1 and (t - last) / rate < rule.gap + 1e-9:
            way = 0.0
            for i in range(last, t + 1):
                x, y, z = path[i, 0] - path[last, 0], path[i, 1] - path[last, 1], path[i, 2] - path[last, 2]
                way = max(way, math.sqrt(x * x + y * y + z * z))
            if way < rule.gap_way:
                for i in range(last + 1, t):
                    held[i] = True
        last = t


@compile_kernel
def _drop_short_kernel(rate, shortest, held):  # type: ignore[no-untyped-def]
    first = -1
    for t in range(held.size + 1):
        if t < held.size and held[t]:
            first = t if first < 0 else first
        elif first >= 0:
            if (t - first) / rate < shortest - 1e-9:
                for i in range(first, t):
                    held[i] = False
            first = -1


@compile_kernel
def geometric_medians_kernel(paths, stands, rounds, enough, middles):  # type: ignore[no-untyped-def]
    """Geometric medians (N, 3) of paths (T, P, 3) during stands (N, 3): point, first and last frame.

    Steps end where they are shorter than ``enough`` of how far the path goes.
    """
    rows = np.empty((3, paths.shape[0]))
    for n in range(stands.shape[0]):
        point, first = stands[n, 0], stands[n, 1]
        count = stands[n, 2] - first + 1
        x = y = z = 0.0
        for i in range(count):
            rows[0, i], rows[1, i], rows[2, i] = (
                paths[first + i, point, 0],
                paths[first + i, point, 1],
                paths[first + i, point, 2],
            )
            x, y, z = x + rows[0, i], y + rows[1, i], z + rows[2, i]
        x, y, z = x / count, y / count, z / count
        far = 0.0
        for i in range(count):
            a, b, c = rows[0, i] - x, rows[1, i] - y, rows[2, i] - z
            far = max(far, a * a + b * b + c * c)
        far = math.sqrt(far)
        least = 1e-3 * far + 1e-300
        for _ in range(rounds):
            u, v, w = _weighed(rows, count, x, y, z, least)
            step = abs(u - x) + abs(v - y) + abs(w - z)
            x, y, z = u, v, w
            if step < enough * far:
                break
        middles[n, 0], middles[n, 1], middles[n, 2] = x, y, z


@compile_kernel
def _weighed(rows, count, x, y, z, least):  # type: ignore[no-untyped-def]
    """The mean of places (3, N), each weighed by one over how far it is from here."""
    u = v = w = total = 0.0
    for i in range(count):
        a, b, c = rows[0, i] - x, rows[1, i] - y, rows[2, i] - z
        weight = 1.0 / max(math.sqrt(a * a + b * b + c * c), least)
        u, v, w, total = u + weight * rows[0, i], v + weight * rows[1, i], w + weight * rows[2, i], total + weight
    return u / total, v / total, w / total


@compile_kernel
def settle_anchors_kernel(place, share, following, ways, stiff, together, lengths, settled, rounds):  # type: ignore[no-untyped-def]
    """Anchors (N, 3) that agree, in place: see ``Plants.anchors``. Pairs are (F, 2) and (G, 2)."""
    for _ in range(rounds):
        most = 0.0
        before = place.copy()
        for n in range(following.shape[0]):
            i, j = following[n, 0], following[n, 1]
            factor = stiff[n] / (share[i] + share[j])
            for c in range(3):
                push = factor * (ways[n, c] - (place[j, c] - place[i, c]))
                place[i, c] -= share[i] * push
                place[j, c] += share[j] * push
        for n in range(together.shape[0]):
            i, j = together[n, 0], together[n, 1]
            x, y, z = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
            apart = max(math.sqrt(x * x + y * y + z * z), 1e-9)
            factor = (lengths[n] / apart - 1.0) / (share[i] + share[j])
            for c in range(3):
                push = factor * (place[j, c] - place[i, c])
                place[i, c] -= share[i] * push
                place[j, c] += share[j] * push
        for n in range(place.shape[0]):
            for c in range(3):
                most = max(most, abs(place[n, c] - before[n, c]))
        if most < settled:
            break
