"""Kochanek–Bartels splines through rotations.

Keys are unit quaternions ``(N, ..., 4)``, w x y z, the key axis first. The velocities at the keys are those
of :mod:`kinesphere.kernels.splines`, with rotation vectors in the world's frame for steps:
d = log(q₁ q₀⁻¹). Each segment is a Bézier curve on the unit quaternions with the control points

    q₀,  exp(outgoing h/3) q₀,  exp(−incoming h/3) q₁,  q₁         (h: the segment's duration)

evaluated by De Casteljau's algorithm with slerps for lines. Past either end a spline goes on turning at its
limit angular velocity.

A quaternion and its negative are the same rotation, so signs are chosen first: neighbouring keys are joined
the shorter way round. Half a turn has two such ways; it goes about the axis whose first component that is not
zero is positive. After that, slerps follow the signs: between control points a turn may exceed half a turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arc_length import LengthTable, length_table, limit_direction, spread
from kinesphere.kernels.arrays import ArrayLike, Floats, Ints, floats
from kinesphere.kernels.rotations import conjugate, from_rotation_vector, multiply, normalise, rotate
from kinesphere.kernels.splines import (
    Ends,
    Spacing,
    check_keys,
    end_velocity,
    given_velocity,
    is_end,
    locate,
    pick,
    split_ends,
    tangent_weights,
    trailing,
)

_TINY = 1e-12
_SMALL = 1e-2  # radians below which series replace closed forms that divide by the angle


@dataclass(frozen=True, eq=False)
class RotationSpline:
    """A curve of rotations through keys; made by :func:`rotation_kochanek_bartels`.

    Attributes
    ----------
    keys : (N, ..., 4)
        Unit quaternions, with signs such that neighbours are joined the shorter way.
    times : (N,), strictly increasing
    incoming, outgoing : (N, ..., 3)
        Angular velocities in the world's frame just before and just after each key.
    """

    keys: Floats
    times: Floats
    incoming: Floats
    outgoing: Floats

    def value(self, at: ArrayLike) -> Floats:
        """Unit quaternions at times of any shape: ``at.shape + keys.shape[1:]``."""
        index, share, beyond = locate(self.times, at)
        ladder = self._ladder(index, share, None)
        quaternions = ladder.value()
        if np.any(beyond):
            velocity = ladder.velocity()
            more = from_rotation_vector(velocity * trailing(beyond, velocity.ndim))
            quaternions = multiply(more, quaternions)
        return quaternions

    def velocity(self, at: ArrayLike) -> Floats:
        """Angular velocities in the world's frame; at a key that has two, the outgoing one."""
        index, share, _ = locate(self.times, at)
        return self._ladder(index, share, None).velocity()

    def value_of(self, curves: Ints, at: ArrayLike) -> Floats:
        """Rotations of chosen curves, each at its own time between the ends.

        The axes between the key axis and the last one, flattened, number the curves.
        """
        index, share, _ = locate(self.times, at)
        return self._ladder(index, share, curves).value()

    def speed_of(self, segments: Ints, curves: Ints, at: Floats) -> Floats:
        """How fast chosen curves turn, each at its own time, as seen from the segment given."""
        share = (at - self.times[segments]) / (self.times[segments + 1] - self.times[segments])
        speed: Floats = np.linalg.norm(self._ladder(segments, share, curves).velocity(), axis=-1)
        return speed

    def _ladder(self, index: Ints, share: Floats, curves: Ints | None) -> _Ladder:
        following = np.minimum(index + 1, len(self.keys) - 1)
        first = pick(self.keys, index, curves)
        duration = np.where(following > index, self.times[following] - self.times[index], 1.0)
        third = trailing(duration, first.ndim) / 3.0
        return _Ladder(
            first,
            pick(self.keys, following, curves),
            pick(self.outgoing, index, curves) * third,
            pick(self.incoming, following, curves) * third,
            third,
            trailing(share, first.ndim),
        )


class _Ladder:
    """The rungs of De Casteljau's algorithm: for each, where it starts and the turn to its end."""

    def __init__(
        self, first: Floats, last: Floats, leaving: Floats, arriving: Floats, third: Floats, share: Floats
    ) -> None:
        self.leaving, self.arriving, self.third, self.share = leaving, arriving, third, share
        second = multiply(from_rotation_vector(leaving), first)
        self.across = _log(second, multiply(from_rotation_vector(-arriving), last))
        a = multiply(from_rotation_vector(share * leaving), first)
        b = multiply(from_rotation_vector(share * self.across), second)
        c = multiply(from_rotation_vector((share - 1.0) * arriving), last)
        self.before, self.after = _log(a, b), _log(b, c)
        self.start = multiply(from_rotation_vector(share * self.before), a)
        self.turn = _log(self.start, multiply(from_rotation_vector(share * self.after), b))

    def value(self) -> Floats:
        return normalise(multiply(from_rotation_vector(self.share * self.turn), self.start))

    def velocity(self) -> Floats:
        """The exact derivative: the velocities of all points, carried up the ladder."""
        start = _slerp_velocity(self.before, self.share, self.leaving, self.across)
        end = _slerp_velocity(self.after, self.share, self.across, self.arriving)
        return _slerp_velocity(self.turn, self.share, start, end) / (3.0 * self.third)


def rotation_kochanek_bartels(
    keys: ArrayLike,
    times: ArrayLike | None = None,
    *,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    ends: Ends = "natural",
    spacing: Spacing = "parabolic",
) -> RotationSpline:
    """The Kochanek–Bartels spline through unit quaternions ``(N, ..., 4)``.

    The parameters are those of :func:`kinesphere.kernels.splines.kochanek_bartels`. At a natural end the
    second control point lies halfway between the first and the third; two keys make a steady turn.
    """
    quaternions = floats(keys)
    if quaternions.ndim < 2 or quaternions.shape[-1] != 4:
        raise ValueError(f"keys have shape {quaternions.shape}; (N, ..., 4) is needed, w x y z")
    moments = check_keys(quaternions, times)
    quaternions = _joined(normalise(quaternions))
    weights = tangent_weights(quaternions, moments, tension, continuity, bias, spacing)
    steps = _log(quaternions[:-1], quaternions[1:])
    incoming = np.zeros((*quaternions.shape[:-1], 3))
    outgoing = np.zeros_like(incoming)
    incoming[1:-1] = weights[0] * steps[:-1] + weights[1] * steps[1:]
    outgoing[1:-1] = weights[2] * steps[:-1] + weights[3] * steps[1:]
    start, end = split_ends(ends)
    if len(moments) == 1:
        outgoing[0] = given_velocity(start, "start", incoming)
        incoming[0] = given_velocity(end, "end", incoming)
        return RotationSpline(quaternions, moments, incoming, outgoing)

    first, last = moments[1] - moments[0], moments[-1] - moments[-2]
    slopes = steps[0] / first, steps[-1] / last
    if len(moments) == 2:  # Each end is the other's neighbour: two natural ends make a steady turn.
        incoming[1] = end_velocity(end, "end", slopes[1], slopes[1], incoming)
        outgoing[0] = end_velocity(start, "start", slopes[0], slopes[0], incoming)
    third = multiply(from_rotation_vector(-incoming[1] * (first / 3.0)), quaternions[1])
    third_last = multiply(from_rotation_vector(outgoing[-2] * (last / 3.0)), quaternions[-2])
    if is_end(start, "natural"):
        outgoing[0] = 1.5 / first * _log(quaternions[0], third)
    else:
        outgoing[0] = end_velocity(start, "start", slopes[0], slopes[0], incoming)
    if is_end(end, "natural"):
        incoming[-1] = 1.5 / last * _log(third_last, quaternions[-1])
    else:
        incoming[-1] = end_velocity(end, "end", slopes[1], slopes[1], incoming)
    incoming[0], outgoing[-1] = outgoing[0], incoming[-1]
    return RotationSpline(quaternions, moments, incoming, outgoing)


@dataclass(frozen=True, eq=False)
class TurnedAngle:
    """A rotation spline measured by the angle it turns through, in radians; made by :func:`turned_angle`.

    Attributes
    ----------
    spline
    table
        Angles turned along all curves, flattened.
    start_axis, end_axis : (..., 3)
        Unit limit axes in the world's frame; zero where the curve does not turn at all.
    """

    spline: RotationSpline
    table: LengthTable
    start_axis: Floats
    end_axis: Floats

    @property
    def total(self) -> Floats:
        """The angle each curve turns through, ``(...)``."""
        angles: Floats = self.table.lengths[-1].reshape(self.start_axis.shape[:-1])
        return angles

    @property
    def key_lengths(self) -> Floats:
        """The angle turned through at each key, ``(N, ...)``."""
        return self.table.key_lengths.reshape(-1, *self.start_axis.shape[:-1])

    def at_length(self, angles: ArrayLike) -> Floats:
        """Unit quaternions after turning through these angles.

        ``angles`` broadcasts with the axes that number the curves. Below zero and beyond the total the turn
        goes on about its limit axis, also where the spline's own velocity vanishes at its end.
        """
        wanted, curves, shape = spread(angles, self.start_axis.shape[:-1])
        inside = np.clip(wanted, 0.0, self.table.lengths[-1, curves])
        quaternions = self.spline.value_of(curves, self.table.time_at(curves, inside))
        axes = np.where(
            (wanted < 0.0)[:, None],
            self.start_axis.reshape(-1, 3)[curves],
            self.end_axis.reshape(-1, 3)[curves],
        )
        turned = multiply(from_rotation_vector(axes * (wanted - inside)[:, None]), quaternions)
        return turned.reshape(*shape, 4)


def turned_angle(spline: RotationSpline) -> TurnedAngle:
    """Measure a rotation spline by the angle it turns through."""
    table = length_table(spline.speed_of, spline.times, int(np.prod(spline.keys.shape[1:-1])))
    forwards, backwards = _departures(spline)
    noise = 16.0 * np.finfo(np.float64).eps
    return TurnedAngle(spline, table, limit_direction(forwards, noise), -limit_direction(backwards, noise))


def _departures(spline: RotationSpline) -> tuple[Floats, Floats]:
    """From the first key, and backwards from the last: the turn to each Bézier control point."""
    keys, first, last = spline.keys, spline.outgoing[:1], spline.incoming[-1:]
    if len(keys) == 1:
        return first, -last
    thirds = (np.diff(spline.times) / 3.0).reshape(-1, *[1] * (keys.ndim - 1))
    control = np.stack(
        [
            multiply(from_rotation_vector(thirds * spline.outgoing[:-1]), keys[:-1]),
            multiply(from_rotation_vector(-thirds * spline.incoming[1:]), keys[1:]),
            keys[1:],
        ],
        axis=1,
    ).reshape(-1, *keys.shape[1:])
    forwards = np.concatenate([thirds[:1] * first, _log(keys[:1], control[1:])])
    inner = np.concatenate([keys[:1], control[:-2]])[::-1]
    backwards = np.concatenate([-thirds[-1:] * last, _log(keys[-1:], inner)])
    return forwards, backwards


def _joined(quaternions: Floats) -> Floats:
    """The same rotations with signs such that each step from key to key is the shorter way round."""
    turns = multiply(quaternions[1:], conjugate(quaternions[:-1]))
    # The sign of the first component that is not zero: w, unless the step is half a turn.
    leading = np.argmax(np.abs(turns) > _TINY, axis=-1)[..., None]
    signs = np.where(np.take_along_axis(turns, leading, axis=-1) < 0.0, -1.0, 1.0)
    joined = quaternions.copy()
    joined[1:] *= np.cumprod(signs, axis=0)
    return joined


def _log(start: Floats, end: Floats) -> Floats:
    """The rotation vector (world's frame) from ``start`` to ``end`` as signed: up to a full turn long."""
    turn = multiply(end, conjugate(start))
    sine = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, turn[..., :1])
    return turn[..., 1:] * np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0)


def _slerp_velocity(turn: Floats, share: Floats, start: Floats, end: Floats) -> Floats:
    """The angular velocity, per unit of share, of exp(share · turn) a where a and b = exp(turn) a move too.

    ``start`` and ``end`` are the angular velocities of a and b. With J(v) the left Jacobian of the
    exponential, d exp(v) exp(v)⁻¹ = J(v) dv: the turn changes by J(turn)⁻¹ (end − exp(turn) start), and

        velocity = turn + share J(share turn) change + exp(share turn) start
    """
    change = _inverse_jacobian(turn, end - rotate(from_rotation_vector(turn), start))
    part = share * turn
    carried = rotate(from_rotation_vector(part), start)
    velocity: Floats = turn + share * _jacobian(part, change) + carried
    return velocity


def _jacobian(vector: Floats, change: Floats) -> Floats:
    """J(v) x = x + (1 − cos φ)/φ² v×x + (φ − sin φ)/φ³ v×(v×x), with φ = |v|."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    square, safe = angle**2, np.maximum(angle, _SMALL)
    first = np.where(angle > _SMALL, 2.0 * np.sin(0.5 * safe) ** 2 / safe**2, 0.5 - square / 24.0)
    second = np.where(angle > _SMALL, (safe - np.sin(safe)) / safe**3, 1.0 / 6.0 - square / 120.0)
    once = np.cross(vector, change)
    result: Floats = change + first * once + second * np.cross(vector, once)
    return result


def _inverse_jacobian(vector: Floats, change: Floats) -> Floats:
    """J(v)⁻¹ x = x − ½ v×x + (1 − (φ/2) cot(φ/2))/φ² v×(v×x), with φ = |v|."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    safe = np.maximum(angle, _SMALL)
    closed = (1.0 - 0.5 * safe / np.tan(0.5 * safe)) / safe**2
    factor = np.where(angle > _SMALL, closed, 1.0 / 12.0 + angle**2 / 720.0)
    once = np.cross(vector, change)
    result: Floats = change - 0.5 * once + factor * np.cross(vector, once)
    return result
