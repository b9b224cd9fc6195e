"""One arm's keys made ready: its clock, and its paths in three spaces, as the chest sees them.

The hand's way is laid through wrists, through joint angles (the shoulder's turn from the stroke's first key, and the
elbow's angle) and through elbows. All three go by the distance that the wrist's way has gone, and meet at every key:
any mixture of them reaches every goal and passes every via.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.figure.arm_keys import SAME, arm_keys
from kinesphere.figure.clocks import Clock, clock
from kinesphere.figure.flourishes import busy
from kinesphere.figure.limbs import Limb
from kinesphere.figure.manner import ArmManner
from kinesphere.figure.paths import PARTS, Paths, segment_paths
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths, within
from kinesphere.motion.gesture import Gesture

FREE, HANG = 4, 5  # columns of a way: 0 to 2 the wrist, 3 the swivel; how far in the world, and how far hanging
TURNS, ELBOWS, ALL = 6, 10, 13  # from the first: the shoulder's turn and the elbow's angle; from the second: elbows
NEAR_VIA = 0.16  # of a stroke's way around a via in which what would miss it fades


class Ways(NamedTuple):
    """An arm's ways through all three spaces."""

    starts: Floats  # (S, 4) each stroke's first shoulder
    path: Paths  # of 13 columns


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

    limb: Limb
    times: Floats
    stops: Bools
    places: Floats
    swivels: Floats
    fixed: Bools
    rests: Bools
    edges: Ints
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
    def in_world(self) -> bool:
        """Whether any key is fixed in the world."""
        return bool(self.fixed.any())

    @cached_property
    def _own(self) -> Paths:
        return self._wrists(self.places)

    def wrists(self, places: Floats) -> Paths:
        """The way through wrists at ``places (K, 3)``, with swivel, share in the world and share of hanging."""
        return self._own if places is self.places else self._wrists(places)

    def _wrists(self, places: Floats) -> Paths:
        keys = self._keys(places)
        return segment_paths(keys[:-1], keys[1:], self.stops, self.tension, counted=3, bows=((0, 3),))

    def _keys(self, places: Floats) -> Floats:
        keys = np.empty((len(places), TURNS))
        keys[:, :3], keys[:, 3], keys[:, FREE], keys[:, HANG] = places, self.swivels, self.fixed, self.rests
        return keys

    @cached_property
    def _own_ways(self) -> Ways:
        return self._ways(self.places)

    def through(self, places: Floats) -> Ways:
        """The ways through wrists, shoulder turns and elbow angles, and elbows."""
        return self._own_ways if places is self.places else self._ways(places)

    def _ways(self, places: Floats) -> Ways:
        upper, flexion, elbow = self.limb.solved(places, self.swivels)
        keys = self._keys(places)
        first, last = np.empty((2, len(keys) - 1, ALL))
        for row, at in ((first, slice(None, -1)), (last, slice(1, None))):
            row[:, :TURNS], row[:, TURNS + 3], row[:, ELBOWS:] = keys[at], flexion[at], elbow[at]
        starts = upper[self.edges[:-1]]
        first[:, TURNS : TURNS + 3], last[:, TURNS : TURNS + 3] = turns_since(upper, self.stops)
        bows = ((0, 3), (ELBOWS, ALL))
        path = segment_paths(first, last, self.stops, self.tension, counted=3, bows=bows, along=TURNS)
        return Ways(starts, path)

    def farthest(self, places: Floats) -> float:
        """How far from the shoulder the farthest goal is that the arm reaches, of keys at ``places (K, 3)``."""
        return self._own_farthest if places is self.places else self._farthest(places)

    @cached_property
    def _own_farthest(self) -> float:
        return self._farthest(self.places)

    def _farthest(self, places: Floats) -> float:
        reach = lengths(places[self.edges])
        return float(np.where(reach <= self.limb.reach, reach, 0.0).max())

    def off_vias(self, path: Paths, stroke: Ints, share: Floats) -> Floats | float:
        """``(F,)`` how much may be shown of what would miss a via: nothing at it."""
        if self.stops.all():
            return 1.0
        shown = np.ones(len(share))
        for key in (~self.stops).nonzero()[0]:
            own = int(np.searchsorted(self.edges, key)) - 1
            at = (path.reached[PARTS * key] - path.start[own]) / path.length[own]
            off = within(np.abs(share - at) / NEAR_VIA, 0.0, 1.0)
            shown = np.where(stroke == own, shown * off * off * (3.0 - 2.0 * off), shown)
        return shown


def turns_since(upper: Floats, stops: Bools) -> tuple[Floats, Floats]:
    """Rotation vectors ``(G, 3)`` of shoulders ``(K, 4)`` at both ends of segments since their stroke's start."""
    kernels = compiled.loaded(100 * upper.size)
    if kernels is not None:
        first, last = np.empty((2, len(upper) - 1, 3))
        kernels.turns_since(upper, stops, first, last)
        return first, last
    stroke = stops[:-1].cumsum() - 1
    back = rotations.conjugate(upper[stops.nonzero()[0][stroke]])
    return tuple(rotations.to_rotation_vector(rotations.multiply(row, back)) for row in (upper[:-1], upper[1:]))  # type: ignore[return-value]


def arm_plan(gesture: Gesture, side: str, limb: Limb, size: float, manner: ArmManner, locked: bool) -> ArmPlan | None:
    """The arm's plan for a figure of this size, or None where the gesture leaves it hanging."""
    keys = arm_keys(gesture, side)
    if keys is None:
        return None
    places = keys.places
    if manner.positions is not None:
        places = np.repeat(manner.positions, 2, axis=0) if keys.lone else manner.positions
    edges = keys.edges
    ways = np.add.reduceat(lengths(places[1:] - places[:-1]), edges[:-1])
    ways = np.where(ways > SAME, ways, 0.0)
    ran = clock(keys.times[edges], ways, manner, keys.eases, locked or keys.locked)
    tension = manner.stroke("tension", len(edges) - 1)
    written = keys.times, keys.stops, size * places, keys.swivels, keys.fixed, keys.rests, edges
    return ArmPlan(limb, *written, tension, ways, ran)
