"""One arm's keys as a gesture writes them, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.clocks import StrokeClock, stroke_clock
from kinesphere.engine.manner import ArmManner, rest_keys
from kinesphere.engine.overlays import flourish_share
from kinesphere.engine.paths import PARTS, StrokePaths, segment_paths
from kinesphere.engine.pose import FigureLimb, resting_swivel, resting_wrist
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import axis_angle_quaternion, quaternion_product, write_quaternion
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.motion.gesture import Gesture, Space
from kinesphere.motion.memo import memoise_by_gesture

SAME = 1e-4  # metres: a key nearer to rest than this hangs, one nearer to the key before holds
BRIEFLY = 0.1  # seconds that a lone key is held at least


class ArmKeys(NamedTuple):
    """Keys ``(K, ...)`` and the strokes between them. A lone key is held, from its moment on."""

    times: Floats  # seconds
    stops: Bools  # whether the hand rests there
    places: Floats  # (K, 3) metres, for a figure 1.70 m tall
    swivels: Floats
    fixed: Bools  # whether a key is fixed in the world
    rests: Bools  # whether it is the hanging hand's place
    edges: Ints  # (S + 1,) the keys at which strokes begin and end
    eases: Floats  # (S,) when each stroke is fastest, as written
    locked: bool  # whether the keys keep their times
    lone: bool


@memoise_by_gesture
def arm_keys(gesture: Gesture, side: str) -> ArmKeys | None:
    """The arm's keys, or None where the gesture leaves it hanging."""
    keys = gesture.arm(side)
    if keys is None:
        return None
    times = np.array([key.frame for key in keys.keys]) / keys.rate
    rest = rest_keys(keys)
    places = np.array([key.position for key in keys.keys])
    swivels = np.array([key.swivel for key in keys.keys])
    fixed = np.array([key.space == Space.GLOBAL for key in keys.keys])
    rests = np.linalg.norm(places - np.array(resting_wrist(side)), axis=1) < SAME
    swivels = np.where(rests, resting_swivel(side), swivels)
    eases = np.array(gesture.inflections.get(side) or (0.5,) * len(times))
    lone = len(times) == 1
    if lone:
        times = np.array([times[0], max(gesture.duration, times[0] + BRIEFLY)])
        rest, places, swivels, fixed, rests, eases = (
            np.repeat(row, 2, axis=0) for row in (rest, places, swivels, fixed, rests, eases)
        )
    edges = np.flatnonzero(rest)
    return ArmKeys(times, rest, places, swivels, fixed, rests, edges, eases[edges[1:]], keys.locked, lone)


# ---- One arm's keys made ready: its clock, and its paths in three spaces, as the chest sees them.
#
# The hand's way is laid through wrists, through joint angles (the shoulder's turn from the stroke's first key, and
# the
# elbow's angle) and through elbows. All three go by the distance that the wrist's way has gone, and meet at every
# key:
# any mixture of them reaches every goal and passes every via.


FREE, HANG = 4, 5  # columns of a way: 0 to 2 the wrist, 3 the swivel; how far in the world, and how far hanging
TURNS, ELBOWS, ALL = 6, 10, 13  # from the first: the shoulder's turn and the elbow's angle; from the second: elbows
NEAR_VIA = 0.16  # of a stroke's way around a via in which what would miss it fades


class ArmPaths(NamedTuple):
    """An arm's ways through all three spaces."""

    starts: Floats  # (S, 4) each stroke's first shoulder
    path: StrokePaths  # of 13 columns


@dataclass(frozen=True, eq=False)
class ArmPlan:
    """What one arm is to do.

    Attributes
    ----------
    times, stops, places, swivels : (K, ...)
        The keys as written: seconds, whether the hand rests there, metres, radians.
    fixed, rests : (K,)
        Whether a key is fixed in the world, and whether it is the hanging hand's place.
    edges : (S + 1,)
        The keys at which strokes begin and end.
    """

    limb: FigureLimb
    times: Floats
    stops: Bools
    places: Floats
    swivels: Floats
    fixed: Bools
    rests: Bools
    edges: Ints
    tension: Floats
    ways: Floats  # (S,) metres from key to key, 0 for a hold
    clock: StrokeClock

    @cached_property
    def lively(self) -> Floats:
        """``(S,)`` the share of their flourishes that the strokes have."""
        return flourish_share(self.ways, np.diff(self.clock.goals))

    @cached_property
    def frames(self) -> Ints:
        """The frame of each key: vias by their share of the stroke's time."""
        return np.round(self.clock.when(self.times) * 60.0).astype(np.intp)

    @cached_property
    def in_world(self) -> bool:
        """Whether any key is fixed in the world."""
        return bool(self.fixed.any())

    @cached_property
    def _own(self) -> StrokePaths:
        return self._wrists(self.places)

    def wrists(self, places: Floats) -> StrokePaths:
        """The way through wrists at ``places (K, 3)``, with swivel, share in the world and share of hanging."""
        return self._own if places is self.places else self._wrists(places)

    def _wrists(self, places: Floats) -> StrokePaths:
        keys = self._keys(places)
        return segment_paths(keys[:-1], keys[1:], self.stops, self.tension, counted=3, bows=((0, 3),))

    def _keys(self, places: Floats) -> Floats:
        keys = np.empty((len(places), TURNS))
        keys[:, :3], keys[:, 3], keys[:, FREE], keys[:, HANG] = places, self.swivels, self.fixed, self.rests
        return keys

    @cached_property
    def _own_ways(self) -> ArmPaths:
        return self._ways(self.places)

    def through(self, places: Floats) -> ArmPaths:
        """The ways through wrists, shoulder turns and elbow angles, and elbows."""
        return self._own_ways if places is self.places else self._ways(places)

    def _ways(self, places: Floats) -> ArmPaths:
        upper, flexion, elbow = self.limb.solved(places, self.swivels)
        keys = self._keys(places)
        first, last = np.empty((2, len(keys) - 1, ALL))
        for row, at in ((first, slice(None, -1)), (last, slice(1, None))):
            row[:, :TURNS], row[:, TURNS + 3], row[:, ELBOWS:] = keys[at], flexion[at], elbow[at]
        starts = upper[self.edges[:-1]]
        first[:, TURNS : TURNS + 3], last[:, TURNS : TURNS + 3] = shoulder_rotations(upper, self.stops)
        bows = ((0, 3), (ELBOWS, ALL))
        path = segment_paths(first, last, self.stops, self.tension, counted=3, bows=bows, along=TURNS)
        return ArmPaths(starts, path)

    def farthest(self, places: Floats) -> float:
        """How far from the shoulder the farthest goal is that the arm reaches, of keys at ``places (K, 3)``."""
        return self._own_farthest if places is self.places else self._farthest(places)

    @cached_property
    def _own_farthest(self) -> float:
        return self._farthest(self.places)

    def _farthest(self, places: Floats) -> float:
        reach = norms(places[self.edges])
        return float(np.where(reach <= self.limb.reach, reach, 0.0).max())

    def off_vias(self, path: StrokePaths, stroke: Ints, share: Floats) -> Floats | float:
        """``(F,)`` how much may be shown of what would miss a via: nothing at it."""
        if self.stops.all():
            return 1.0
        shown = np.ones(len(share))
        for key in (~self.stops).nonzero()[0]:
            own = int(np.searchsorted(self.edges, key)) - 1
            at = (path.reached[PARTS * key] - path.start[own]) / path.length[own]
            off = clip(np.abs(share - at) / NEAR_VIA, 0.0, 1.0)
            shown = np.where(stroke == own, shown * off * off * (3.0 - 2.0 * off), shown)
        return shown


def shoulder_rotations(upper: Floats, stops: Bools) -> tuple[Floats, Floats]:
    """Rotation vectors ``(G, 3)`` of shoulders ``(K, 4)`` at both ends of segments since their stroke's start."""
    kernels = compiled.loaded(100 * upper.size)
    if kernels is not None:
        first, last = np.empty((2, len(upper) - 1, 3))
        kernels.turns_since(upper, stops, first, last)
        return first, last
    stroke = stops[:-1].cumsum() - 1
    back = rotations.conjugate(upper[stops.nonzero()[0][stroke]])
    return tuple(rotations.to_rotation_vector(rotations.multiply(row, back)) for row in (upper[:-1], upper[1:]))  # type: ignore[return-value]


def arm_plan(
    gesture: Gesture, side: str, limb: FigureLimb, size: float, manner: ArmManner, locked: bool
) -> ArmPlan | None:
    """The arm's plan for a figure of this size, or None where the gesture leaves it hanging."""
    keys = arm_keys(gesture, side)
    if keys is None:
        return None
    places = keys.places
    if manner.positions is not None:
        places = np.repeat(manner.positions, 2, axis=0) if keys.lone else manner.positions
    edges = keys.edges
    ways = np.add.reduceat(norms(places[1:] - places[:-1]), edges[:-1])
    ways = np.where(ways > SAME, ways, 0.0)
    ran = stroke_clock(keys.times[edges], ways, manner, keys.eases, locked or keys.locked)
    tension = manner.stroke("tension", len(edges) - 1)
    written = keys.times, keys.stops, size * places, keys.swivels, keys.fixed, keys.rests, edges
    return ArmPlan(limb, *written, tension, ways, ran)


# ---- Goals in the world that an arm is too short for: the body goes towards them, and says so where that is not
# enough.


EASY = 0.985  # of an arm's reach that the body leaves it
MOST = 0.16  # metres that the hips go for it, for a figure 1.70 m tall
AROUND = 0.55  # seconds before and after
MISSED = 0.005  # metres of which is told


class OutOfReach(MotionFileWarning):
    """A goal lies farther away than a hand can go; it is approached."""


def lean_to_reach(plan: ArmPlan, shoulder: Floats, time: Floats, size: float) -> Floats:
    """``(T, 3)`` how far the body goes so that an arm reaches its goals in the world from its shoulder as it is."""
    keys = np.flatnonzero(plan.fixed & plan.stops)
    if not keys.size:
        return np.zeros_like(shoulder)
    when = plan.frames[keys] / RATE
    at = np.stack([np.interp(when, time, shoulder[:, i]) for i in range(3)], axis=1)
    way = plan.places[keys] - at
    far = np.linalg.norm(way, axis=1)
    short = np.clip(far - EASY * plan.limb.reach, 0.0, MOST * size)
    if not short.any():
        return np.zeros_like(shoulder)
    asked = way * (short / np.maximum(far, 1e-9))[:, None]
    near = np.clip(1.0 - np.abs(time[:, None] - when) / AROUND, 0.0, 1.0)
    weight = near**2 * (3.0 - 2.0 * near)
    # Between two goals near each other the nearer one counts for more, and at each its own alone.
    sharp = weight**4
    mixed = sharp @ asked / np.maximum(sharp.sum(axis=1), 1e-9)[:, None]
    return np.asarray(mixed * weight.max(axis=1, keepdims=True))


def missed_goals(name: str, side: str, plan: ArmPlan, hand: Floats) -> Iterator[str]:
    """What is to be said of goals in the world that the hand ``(T, 3)`` does not come to."""
    for key in np.flatnonzero(plan.fixed & plan.stops):
        frame = min(int(plan.frames[key]), len(hand) - 1)
        gap = float(np.linalg.norm(hand[frame] - plan.places[key]))
        if gap > MISSED:
            yield (
                f"{name}: the {side} hand stays {1000.0 * gap:.0f} mm short of its goal in the world at "
                f"{plan.times[key]:g} s; the goal is approached as far as body and arm go"
            )


@compile_exact
def write_arms_kernel(upper, flexion, joints, hinge, rest, local):  # type: ignore[no-untyped-def]
    """Write shoulders (F, 4), as their chests see them, and elbows: ``joints`` are clavicle, upper arm and forearm."""
    for i in range(len(flexion)):
        c = local[i, joints[0]]
        w, x, y, z = quaternion_product(c[0], -c[1], -c[2], -c[3], upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3])
        write_quaternion(local, i, joints[1], w, x, y, z)
        w, x, y, z = axis_angle_quaternion(hinge[0], hinge[1], hinge[2], flexion[i] - rest)
        write_quaternion(local, i, joints[2], w, x, y, z)
