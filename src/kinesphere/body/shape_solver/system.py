"""Residuals of hard and soft demands on poses, and their Jacobian in the solver's unknowns.

Every frame has its own unknowns: hip metres (3, in the world), and coordinates of rotation vectors (3 for every joint).
Rows of residuals are in units of the deviation that is tolerated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.shape_solver.model import ShapeModel
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints, cross, norms

REACH_TOLERANCE = 0.001  # metres by which a limb's start may stay farther from a target than it reaches with ease
POINT_TOLERANCE = 0.0003  # metres, of points of the trunk and the head
CENTRE_TOLERANCE = 0.0005  # metres, of a centre of mass that is asked for
COUNTERWEIGHT = 0.035  # metres, of one that is not: it stays over the feet
GAZE_TOLERANCE = float(np.radians(0.15))
EYES_TAKE = float(np.radians(5.0))  # of a gaze, what eyes leave to neck and head is of this order
ZONE = 0.006  # of a limb's length over which the pull of a target out of reach comes and goes


class TrunkState(NamedTuple):
    """A pose of the model's rows, with what the Jacobian needs."""

    q: Floats  # (T, K, 4)
    p: Floats  # (T, K, 3)
    axes: Floats  # (T, U, 3, 3) world axes about which joints turn as their unknowns grow: [unknown, xyz]


class ReachDemand(NamedTuple):
    """A limb's start has to come as near to a target as the limb reaches."""

    row: int  # of the limb's start
    target: Floats  # (T, 3)
    carried: Floats  # (T, 3) in the row's axes, where the limb's end is if it is not moved
    weight: Floats  # (T,)
    ease: Floats  # (T,) metres that the limb reaches with ease
    zone: Floats  # (T,) metres


class PointDemand(NamedTuple):
    """A point of a row has a target."""

    row: int
    offset: Floats  # (T, 3) in the row's axes
    target: Floats  # (T, 3)
    weight: Floats  # (T,)


class CentreDemand(NamedTuple):
    """The centre of mass has a target in the plane."""

    rows: Ints  # (S,)
    offsets: Floats  # (T, S, 3) of segments' centres in the rows' axes
    shares: Floats  # (T, S) of the rows' movement that the centres make
    masses: Floats  # (S,)
    start: Floats  # (T, S, 3) centres before
    target: Floats  # (T, 2)
    weight: Floats  # (T,) over the tolerance


class GazeDemand(NamedTuple):
    """The line of sight has a target."""

    row: int
    origin: Floats  # (3,) in the row's axes
    ahead: Floats  # (3,)
    target: Floats  # (T, 3)
    weight: Floats  # (T,) over the tolerance


@dataclass(frozen=True, eq=False)
class Demands:
    """All of them."""

    reaches: tuple[ReachDemand, ...] = ()
    points: tuple[PointDemand, ...] = ()
    centre: CentreDemand | None = None
    gaze: GazeDemand | None = None


@dataclass(frozen=True, eq=False)
class TrunkSystem:
    """Poses of a model's rows in some frames, and what is asked of them."""

    model: ShapeModel
    local: Floats  # (T, K, 4) given
    translations: Floats  # (T, K, 3)
    demands: Demands

    def state(self, unknowns: Floats) -> TrunkState:
        """The pose at unknowns ``(T, 3 + 3 U)``."""
        model = self.model
        coordinates = unknowns[:, 3:].reshape(len(unknowns), -1, 3)
        local, moved = self.posed(unknowns)
        q, p = forward_some(local, moved, np.arange(len(model.joints)), model.parents)
        above = model.parents[model.rotated]
        parent = q[:, above]
        if (above < 0).any():
            parent = np.where((above < 0)[:, None], rotations.identity(), parent)
        turning = np.einsum("uij,tujk->tuki", model.axes, _left_jacobian(coordinates))
        return TrunkState(q, p, rotations.rotate(parent[:, :, None], turning))

    def posed(self, unknowns: Floats) -> tuple[Floats, Floats]:
        """Local rotations ``(T, K, 4)`` and translations ``(T, K, 3)`` of the rows."""
        model = self.model
        coordinates = unknowns[:, 3:].reshape(len(unknowns), -1, 3)
        vectors = np.einsum("uij,tuj->tui", model.axes, coordinates)
        local, moved = self.local.copy(), self.translations.copy()
        turned = rotations.from_rotation_vector(vectors)
        local[:, model.rotated] = rotations.multiply(turned, local[:, model.rotated])
        shift = unknowns[:, :3]
        above = model.parents[model.hips]
        if above >= 0:  # nothing above the hips is moved
            chain = [above]
            while model.parents[chain[-1]] >= 0:
                chain.append(int(model.parents[chain[-1]]))
            q = self.local[:, chain[-1]]
            for row in chain[-2::-1]:
                q = rotations.multiply(q, self.local[:, row])
            shift = rotations.rotate(rotations.conjugate(q), shift)
        moved[:, model.hips] += shift
        return local, moved

    def linearise(self, unknowns: Floats) -> tuple[Floats, Floats]:
        """Residuals ``(T, R)`` and their Jacobian ``(T, R, N)``."""
        state = self.state(unknowns)
        parts: list[tuple[Floats, Floats]] = []
        for reach in self.demands.reaches:
            parts.append(self._reach(state, reach))
        for point in self.demands.points:
            parts.append(self._point(state, point))
        if self.demands.centre is not None:
            parts.append(self._centre(state, self.demands.centre))
        if self.demands.gaze is not None:
            parts.append(self._gaze(state, self.demands.gaze))
        return np.concatenate([r for r, _ in parts], axis=1), np.concatenate([j for _, j in parts], axis=1)

    def moving(self, state: TrunkState, row: int, point: Floats, directions: Floats) -> Floats:
        """``(T, D, N)`` how a point ``(T, 3)`` of a row moves along directions ``(T, D, 3)`` as unknowns grow."""
        lever = point[:, None] - state.p[:, self.model.rotated]
        lever = np.where(self.model.carried[:, row, None], lever, 0.0)
        return self._along(state, lever, directions, float(self.model.carried_by_hips[row]))

    def _along(self, state: TrunkState, lever: Floats, directions: Floats, hips: float) -> Floats:
        torque = cross(lever[:, None], directions[:, :, None])  # (T, D, U, 3)
        turning = np.einsum("tujx,tdux->tduj", state.axes, torque)
        count, rows = directions.shape[:2]
        made = np.empty((count, rows, 3 + 3 * lever.shape[1]))
        made[..., :3] = hips * directions
        made[..., 3:] = turning.reshape(count, rows, -1)
        return made

    def _reach(self, state: TrunkState, demand: ReachDemand) -> tuple[Floats, Floats]:
        start = state.p[:, demand.row]
        weight = demand.weight[:, None]
        carried = rotations.rotate(state.q[:, demand.row], demand.carried)
        line = weight * (demand.target - start) + (1.0 - weight) * carried
        distance = norms(line)
        direction = line / np.maximum(distance, 1e-9)[:, None]
        past = (distance - demand.ease) / demand.zone
        pull = demand.zone * np.logaddexp(0.0, past)
        slope = 1.0 / (1.0 + np.exp(np.minimum(-past, 500.0)))
        jacobian = -weight[:, None] * self.moving(state, demand.row, start, direction[:, None])
        turned = self.moving(state, demand.row, start + carried, direction[:, None])
        turned[..., :3] = 0.0
        jacobian[..., 3:] += (1.0 - weight[:, None]) * (turned - self._at_start(state, demand, direction))[..., 3:]
        return pull[:, None] / REACH_TOLERANCE, jacobian * (slope / REACH_TOLERANCE)[:, None, None]

    def _at_start(self, state: TrunkState, demand: ReachDemand, direction: Floats) -> Floats:
        return self.moving(state, demand.row, state.p[:, demand.row], direction[:, None])

    def _point(self, state: TrunkState, demand: PointDemand) -> tuple[Floats, Floats]:
        point = state.p[:, demand.row] + rotations.rotate(state.q[:, demand.row], demand.offset)
        scale = (demand.weight / POINT_TOLERANCE)[:, None]
        axes = np.broadcast_to(np.eye(3), (len(point), 3, 3))
        return (point - demand.target) * scale, self.moving(state, demand.row, point, axes) * scale[..., None]

    def centre(self, state: TrunkState, demand: CentreDemand) -> tuple[Floats, Floats]:
        """The centre of mass ``(T, 3)`` and the segments' centres as rows carry them ``(T, S, 3)``."""
        carried = state.p[:, demand.rows] + rotations.rotate(state.q[:, demand.rows], demand.offsets)
        share = demand.shares[..., None]
        return np.einsum("s,tsi->ti", demand.masses, demand.start + share * (carried - demand.start)), carried

    def _centre(self, state: TrunkState, demand: CentreDemand) -> tuple[Floats, Floats]:
        centre, carried = self.centre(state, demand)
        mass = demand.shares * demand.masses
        mask = self.model.carried[:, demand.rows]  # (U, S)
        weights = mask[None] * mass[:, None]  # (T, U, S)
        lever = np.einsum("tus,tsx->tux", weights, carried)
        lever -= weights.sum(axis=2)[..., None] * state.p[:, self.model.rotated]
        axes = np.broadcast_to(np.eye(3)[[0, 2]], (len(centre), 2, 3))
        moved = mass @ self.model.carried_by_hips[demand.rows]
        jacobian = self._along(state, lever, axes, 1.0)
        jacobian[..., :3] *= moved[:, None, None]
        return (
            (centre[:, [0, 2]] - demand.target) * demand.weight[:, None],
            jacobian * demand.weight[:, None, None],
        )

    def _gaze(self, state: TrunkState, demand: GazeDemand) -> tuple[Floats, Floats]:
        """The rotation from the line of sight to the target, without what only turns about it."""
        head = state.q[:, demand.row]
        origin = state.p[:, demand.row] + rotations.rotate(head, demand.origin)
        ahead = rotations.rotate(head, demand.ahead)
        line = demand.target - origin
        distance = np.maximum(norms(line), 1e-6)[:, None]
        error = rotations.to_rotation_vector(rotations.rotation_between(ahead, line / distance))
        scale = demand.weight[:, None]
        turned = np.where(self.model.carried[:, demand.row, None, None], state.axes, 0.0)  # (T, U, 3, xyz)
        turned = turned - np.einsum("tujx,tx->tuj", turned, ahead)[..., None] * ahead[:, None, None]
        jacobian = np.zeros((len(head), 3, 3 + 3 * turned.shape[1]))
        jacobian[..., 3:] = -np.moveaxis(turned, -1, 1).reshape(len(head), 3, -1)
        return error * scale, jacobian * scale[..., None]


def _left_jacobian(vectors: Floats) -> Floats:
    """``(..., 3, 3)`` what a change of a rotation vector adds to the rotation, as a rotation vector after it."""
    angle = norms(vectors)
    small = angle < 1e-4
    safe = np.where(small, 1.0, angle)
    a = np.where(small, 0.5 - angle**2 / 24.0, (1.0 - np.cos(safe)) / safe**2)
    b = np.where(small, 1.0 / 6.0 - angle**2 / 120.0, (safe - np.sin(safe)) / safe**3)
    skew = np.zeros((*vectors.shape, 3))
    x, y, z = (vectors[..., i] for i in range(3))
    skew[..., 0, 1], skew[..., 0, 2], skew[..., 1, 2] = -z, y, -x
    skew[..., 1, 0], skew[..., 2, 0], skew[..., 2, 1] = z, -y, x
    return np.asarray(np.eye(3) + a[..., None, None] * skew + b[..., None, None] * (skew @ skew))
