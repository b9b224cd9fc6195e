"""Residuals of hard and soft demands on trunks, and their Jacobian in the solver's unknowns.

Every frame has its own unknowns: hip metres (3, in the world), and coordinates of rotation vectors (3 for every joint).
Rows of residuals are in units of the deviation that is tolerated.

**What is out of reach** bends no body farther: beyond some tolerances a row pulls no harder (a pseudo-Huber loss, by
reweighting; Charbonnier 1997). Legs do not yield, nor does the edge of the support: feet and balance come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.shape_solver.model import ShapeModel, TrunkRows
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints

# Tolerances, in metres of a person.
ARM_TOLERANCE = 0.001  # by which an arm's start may stay farther from a target than it reaches with ease
LEG_TOLERANCE = 0.0008
POINT_TOLERANCE = 0.0003  # of points of the trunk and the head
CENTRE_TOLERANCE = 0.0005  # of a centre of mass that is asked for
COUNTERWEIGHT = 0.035  # of one that is not: it stays over the feet
BALANCE_TOLERANCE = 0.0007  # beyond its room, of one that is not
GAZE_TOLERANCE = float(np.radians(0.15))
EYES_TAKE = float(np.radians(5.0))  # of a gaze, what eyes leave to neck and head is of this order
# Tolerances up to which residuals can be made to vanish. Balance comes first; eyes take what is left of a gaze.
SMALL, CENTRE_SMALL, GAZE_SMALL = 6.0, 60.0, 1.5
ZONE = 0.006  # of a limb's length over which the pull of a target out of reach comes and goes


class Reaches(NamedTuple):
    """Limbs' starts have to come as near to targets as the limbs reach."""

    rows: Ints  # (M,) of the limbs' starts
    targets: Floats  # (M, T, 3)
    carried: Floats  # (M, T, 3) in the rows' axes, from the start to where the limb's end is if it is not moved
    weights: Floats  # (M, T)
    ease: Floats  # (M, T) metres that the limbs reach with ease
    zones: Floats  # (M, T) metres
    tolerances: Floats  # (M,) metres
    legs: Bools  # (M,)


class Points(NamedTuple):
    """Points of rows have targets."""

    rows: Ints  # (M,)
    offsets: Floats  # (M, T, 3) in the rows' axes
    targets: Floats  # (M, T, 3)
    weights: Floats  # (M, T) over the tolerance


class Centre(NamedTuple):
    """The centre of mass has a target, seen from above; of no segments where it has none."""

    rows: Ints  # (S,)
    offsets: Floats  # (T, S, 3) of segments' centres in the rows' axes
    shares: Floats  # (T, S) of the rows' movement that the centres make
    masses: Floats  # (S,)
    start: Floats  # (T, S, 3) centres before
    target: Floats  # (T, 2)
    weight: Floats  # (T,) over the tolerance
    room: Floats  # (T,) metres from the target that it may go with ease, where it is not asked for
    free: Floats  # (T,) how far it is not asked for, over the tolerance


class Gaze(NamedTuple):
    """The line of sight has a target."""

    row: Ints  # (1,), or (0,) where it has none
    origin: Floats  # (3,) in the row's axes
    ahead: Floats  # (3,)
    target: Floats  # (T, 3)
    facing: Floats  # (T, 4) the head's rotation in the world when it looks there
    weight: Floats  # (T,) over the tolerance

    def at(self, frames: Ints) -> Gaze:
        """That of some frames, or none where it has no weight in them."""
        if not len(self.row) or not self.weight[frames].any():
            return NO_GAZE
        return Gaze(self.row, self.origin, self.ahead, *(v[frames] for v in self[3:]))


_NONE, _NO_PATHS = np.zeros(0, dtype=np.intp), np.zeros((0, 0, 3))
NO_CENTRE = Centre(_NONE, _NO_PATHS, np.zeros((0, 0)), np.zeros(0), _NO_PATHS, np.zeros((0, 2)), *(np.zeros(0),) * 3)
NO_GAZE = Gaze(_NONE, np.zeros(3), np.zeros(3), np.zeros((0, 3)), np.zeros((0, 4)), np.zeros(0))


class Demands(NamedTuple):
    """All of them."""

    reaches: Reaches
    points: Points
    centre: Centre = NO_CENTRE
    gaze: Gaze = NO_GAZE

    def at(self, frames: Ints) -> Demands:
        """Those of some frames; the centre of mass is asked for anew."""
        reaches, points, _, gaze = self

        def some(values: Floats) -> Floats:
            return np.take(values, frames, axis=1)

        return Demands(
            reaches._replace(
                targets=some(reaches.targets),
                carried=some(reaches.carried),
                weights=some(reaches.weights),
                ease=some(reaches.ease),
                zones=some(reaches.zones),
            ),
            Points(points.rows, some(points.offsets), some(points.targets), some(points.weights)),
            gaze=gaze.at(frames),
        )


@dataclass(frozen=True, eq=False)
class TrunkSystem:
    """Poses of a model's rows in some frames, and what is asked of them."""

    model: ShapeModel
    local: Floats  # (T, K, 4) given
    translations: Floats  # (T, K, 3)
    demands: Demands

    @property
    def _given(self) -> tuple[TrunkRows, Floats, Floats]:
        return self.model.trunk, self.local, self.translations

    def world(self, unknowns: Floats) -> tuple[Floats, Floats]:
        """World rotations ``(T, K, 4)`` and positions ``(T, K, 3)`` of the rows at unknowns ``(T, 3 + 3 U)``."""
        q, p = np.empty(self.local.shape), np.empty(self.translations.shape)
        _native.shape_system.trunk_poses(*self._given, unknowns, q, p)
        return q, p

    def posed(self, unknowns: Floats) -> tuple[Floats, Floats]:
        """Local rotations ``(T, K, 4)`` and translations ``(T, K, 3)`` of the rows."""
        model = self.model
        coordinates = unknowns[:, 3:].reshape(len(unknowns), -1, 3)
        vectors = np.einsum("uij,tuj->tui", model.trunk.axes, coordinates)
        local, moved = self.local.copy(), self.translations.copy()
        turned = rotations.from_rotation_vector(vectors)
        own = model.trunk.rotated
        local[:, own] = rotations.multiply(turned, local[:, own])
        shift = unknowns[:, :3]
        above = int(model.trunk.parents[model.trunk.hips])
        if above >= 0:
            shift = rotations.rotate(rotations.conjugate(self.world(unknowns)[0][:, above]), shift)
        moved[:, model.trunk.hips] += shift
        return local, moved

    def lower_hips(self, unknowns: Floats) -> Floats:
        """The same unknowns with hips so low that no leg is too short, as far as its foot holds."""
        lowered = unknowns.copy()
        _native.shape_system.lower_hips(*self._given, self.demands.reaches, lowered)
        return lowered

    @property
    def small(self) -> Floats:
        """``(R,)`` sizes up to which residuals can be made to vanish; twice that is out of reach."""
        reaches, points, centre, gaze = self.demands
        before, own = len(reaches.rows) + 3 * len(points.rows), 3 * (len(centre.rows) > 0)
        return np.repeat([SMALL, CENTRE_SMALL, GAZE_SMALL], [before, own, 3 * len(gaze.row)])

    def linearise(self, unknowns: Floats) -> tuple[Floats, Floats]:
        """Residuals ``(T, R)`` and their Jacobian ``(T, R, N)``."""
        reaches, points, centre, gaze = self.demands
        rows = len(reaches.rows) + 3 * (len(points.rows) + (len(centre.rows) > 0) + len(gaze.row))
        residuals = np.empty((len(unknowns), rows))
        jacobian = np.empty((*residuals.shape, unknowns.shape[1]))
        _native.shape_system.linearise(*self._given, unknowns, *self.demands, residuals, jacobian)
        return residuals, jacobian
