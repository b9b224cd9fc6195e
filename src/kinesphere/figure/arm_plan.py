"""One arm's keys made ready: its clock, and its paths in three spaces, as the chest sees them.

The hand's way is laid through wrists, through joint angles (the shoulder's turn from the stroke's first key, and the
elbow's angle) and through elbows. All three meet at every key, so any mixture of them reaches every goal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.figure.clocks import Clock, clock
from kinesphere.figure.flourishes import busy
from kinesphere.figure.limbs import Limb
from kinesphere.figure.manner import ArmManner, stops
from kinesphere.figure.paths import Paths, stroke_paths
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Space

SAME = 1e-4  # metres: a key nearer to rest than this hangs, one nearer to the key before holds
FREE, HANG = 4, 5  # columns of the wrists' path: 3 is the swivel; how far in the world, and how far hanging


@dataclass(frozen=True, eq=False)
class ArmPlan:
    """What one arm is to do.

    Attributes
    ----------
    times, stops, places, swivels : (K, ...)
        The keys as written: seconds, whether the hand rests there, metres, radians.
    fixed, rests : (K,)
        Whether a key is fixed in the world, and whether it is the hanging hand's place.
    """

    limb: Limb
    times: Floats
    stops: Bools
    places: Floats
    swivels: Floats
    fixed: Bools
    rests: Bools
    tension: Floats
    ways: Floats  # (S,) metres from key to key, 0 for a hold
    clock: Clock

    @cached_property
    def lively(self) -> Floats:
        """``(S,)`` the share of their flourishes that the strokes have."""
        return busy(self.ways, np.diff(self.clock.goals))

    @cached_property
    def frames(self) -> Ints:
        """The frame of each key: vias by their share of the stroke's time."""
        return np.round(self.clock.when(self.times) * 60.0).astype(np.intp)

    @cached_property
    def _own(self) -> Paths:
        return self._wrists(self.places)

    def wrists(self, places: Floats) -> Paths:
        """The way through wrists at ``places (K, 3)``, with swivel, share in the world and share of hanging."""
        return self._own if places is self.places else self._wrists(places)

    def _wrists(self, places: Floats) -> Paths:
        keys = np.column_stack([places, self.swivels, self.fixed, self.rests])
        return stroke_paths(keys, self.stops, self.tension, counted=3, bowed=True)

    def angles(self, places: Floats) -> tuple[Floats, Paths]:
        """Each stroke's first shoulder ``(S, 4)``, and the way through shoulder turns and elbow angles from it."""
        return self._own_angles if places is self.places else self._angles(places)

    @cached_property
    def _own_angles(self) -> tuple[Floats, Paths]:
        return self._angles(self.places)

    def _angles(self, places: Floats) -> tuple[Floats, Paths]:
        own = places is self.places
        upper, flexion, _ = self._own_arms if own else self.limb.solved(places, self.swivels)
        edges = np.flatnonzero(self.stops)
        index = np.concatenate([np.arange(a, b + 1) for a, b in zip(edges[:-1], edges[1:], strict=True)])
        count = np.diff(edges) + 1
        start = np.repeat(edges[:-1], count)
        turn = rotations.multiply(upper[index], rotations.conjugate(upper[start]))
        turn = np.where(turn[:, :1] < 0.0, -turn, turn)
        keys = np.column_stack([rotations.to_rotation_vector(turn), flexion[index]])
        ends = np.cumsum(count)
        rest = self.stops[index].copy()
        rest[np.concatenate([ends - 1, ends - count])] = True
        # Between two strokes' copies of a goal lies a stroke of no meaning: ours are the even ones.
        tension = np.repeat(self.tension, 2)[:-1]
        return upper[edges[:-1]], stroke_paths(keys, rest, tension)

    def elbows(self, places: Floats) -> Paths:
        """The way through elbows."""
        elbows = self._own_arms[2] if places is self.places else self.limb.solved(places, self.swivels)[2]
        return stroke_paths(elbows, self.stops, self.tension, bowed=True)

    @cached_property
    def _own_arms(self) -> tuple[Floats, Floats, Floats]:
        return self.limb.solved(self.places, self.swivels)


def arm_plan(gesture: Gesture, side: str, limb: Limb, size: float, manner: ArmManner, locked: bool) -> ArmPlan | None:
    """The arm's plan for a figure of this size, or None where the gesture leaves it hanging."""
    keys = gesture.arm(side)
    if keys is None:
        return None
    times = np.array([key.frame for key in keys.keys]) / keys.rate
    rest = stops(keys)
    written = np.array([key.position for key in keys.keys])
    places = written if manner.positions is None else manner.positions
    swivels = np.array([key.swivel for key in keys.keys])
    fixed = np.array([key.space == Space.GLOBAL for key in keys.keys])
    rests = np.linalg.norm(written - np.array(resting_wrist(side)), axis=1) < SAME
    swivels = np.where(rests, resting_swivel(side), swivels)
    eases = np.array(gesture.inflections.get(side) or (0.5,) * len(times))
    if len(times) == 1:  # held, from a moment on
        times = np.array([times[0], max(gesture.duration, times[0] + 0.1)])
        rest, places, swivels, fixed, rests, eases = (
            np.repeat(row, 2, axis=0) for row in (rest, places, swivels, fixed, rests, eases)
        )
    edges = np.flatnonzero(rest)
    moved = lengths(np.diff(places, axis=0))
    ways = np.add.reduceat(moved, edges[:-1])
    ways = np.where(ways > SAME, ways, 0.0)
    ran = clock(times[edges], ways, manner, eases[edges[1:]], locked or keys.locked)
    tension = manner.stroke("tension", len(edges) - 1)
    return ArmPlan(limb, times, rest, size * places, swivels, fixed, rests, tension, ways, ran)
