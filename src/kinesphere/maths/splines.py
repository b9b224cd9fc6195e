"""Kochanek–Bartels splines through vectors.

Keys are ``(N, ...)`` with the key axis first; whatever axes follow (people, joints, x y z) share the times,
so a crowd is one call. Past either end a spline goes on along its limit tangent.

Each key has two velocities, per unit time. With the steps d₀ = p₀ − p₋₁ and d₁ = p₁ − p₀ that take n₀ and n₁,
and tension T, continuity C, bias B of the key:

    incoming = (1 − T) ((1 − C)(1 + B) r d₀ + (1 + C)(1 − B) d₁ / r) / (n₀ + n₁)
    outgoing = (1 − T) ((1 + C)(1 + B) r d₀ + (1 − C)(1 − B) d₁ / r) / (n₀ + n₁)

``spacing`` chooses r. "parabolic" has r = n₁/n₀: at T = C = B = 0 the velocity of the parabola through the
three keys. "speed" has r = 1: Kochanek and Bartels' own adjustment (SIGGRAPH 1984), whose uniform velocities
½(d₀ + d₁) per step are multiplied by 2 n₀/(n₀ + n₁) and 2 n₁/(n₀ + n₁). The two agree where n₀ = n₁.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from kinesphere.maths.vectors import ArrayLike, Floats, Ints, as_floats

Spacing: TypeAlias = Literal["parabolic", "speed"]
EndName: TypeAlias = Literal["natural", "clamped", "chord"]
Ends: TypeAlias = EndName | tuple[EndName | ArrayLike, EndName | ArrayLike]

_SPACINGS = ("parabolic", "speed")
_END_NAMES = ("natural", "clamped", "chord")


@dataclass(frozen=True, eq=False)
class Spline:
    """A piecewise cubic curve through keys; made by :func:`kochanek_bartels`.

    Attributes
    ----------
    keys : (N, ...)
    times : (N,), strictly increasing
    incoming, outgoing : (N, ...)
        Velocities just before and just after each key. ``outgoing[0]`` and ``incoming[-1]`` are the limit
        velocities, along which the curve goes on past its ends.
    """

    keys: Floats
    times: Floats
    incoming: Floats
    outgoing: Floats

    def value(self, at: ArrayLike) -> Floats:
        """Points at times of any shape: ``at.shape + keys.shape[1:]``."""
        index, share, beyond = locate(self.times, at)
        return self._value(index, share, beyond, None)

    def velocity(self, at: ArrayLike) -> Floats:
        """Velocities at times of any shape; at a key that has two, the outgoing one."""
        index, share, _ = locate(self.times, at)
        return self._velocity(index, share, None)

    def value_of(self, curves: Ints, at: ArrayLike) -> Floats:
        """Points of chosen curves, each at its own time.

        The axes between the key axis and the last one, flattened, number the curves: ``curves`` and ``at``
        broadcast together, and the result has their shape and then the last axis of the keys.
        """
        index, share, beyond = locate(self.times, at)
        return self._value(index, share, beyond, curves)

    def _value(self, index: Ints, share: Floats, beyond: Floats, curves: Ints | None) -> Floats:
        first, last, leaving, arriving, duration, u = self._pieces(index, share, curves)
        v = 1.0 - u
        # The cubic Hermite basis; grouped so that u = 0 and u = 1 give the keys to the last bit.
        points: Floats = (
            (1.0 + 2.0 * u) * v**2 * first
            + u**2 * (3.0 - 2.0 * u) * last
            + duration * u * v * (v * leaving - u * arriving)
        )
        if np.any(beyond):
            points = points + self._velocity(index, share, curves) * append_axes(beyond, u.ndim)
        return points

    def _velocity(self, index: Ints, share: Floats, curves: Ints | None) -> Floats:
        first, last, leaving, arriving, duration, u = self._pieces(index, share, curves)
        v = 1.0 - u
        velocities: Floats = (
            6.0 * u * v * (last - first) / duration + v * (1.0 - 3.0 * u) * leaving + u * (3.0 * u - 2.0) * arriving
        )
        return velocities

    def _pieces(
        self, index: Ints, share: Floats, curves: Ints | None
    ) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """Keys and velocities on both sides, durations and shares, ready to broadcast together."""
        following = np.minimum(index + 1, len(self.keys) - 1)
        first = take_rows(self.keys, index, curves)
        last = take_rows(self.keys, following, curves)
        leaving = take_rows(self.outgoing, index, curves)
        arriving = take_rows(self.incoming, following, curves)
        duration = np.where(following > index, self.times[following] - self.times[index], 1.0)
        return first, last, leaving, arriving, append_axes(duration, first.ndim), append_axes(share, first.ndim)


def kochanek_bartels(
    keys: ArrayLike,
    times: ArrayLike | None = None,
    *,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    ends: Ends = "natural",
    spacing: Spacing = "parabolic",
) -> Spline:
    """The Kochanek–Bartels spline through the keys.

    Parameters
    ----------
    keys : (N, ...)
    times : (N,), optional
        Strictly increasing; 0, 1, … N−1 unless given.
    tension, continuity, bias
        One value, one per key ``(N,)``, or any leading axes of the keys ``(N, people)``. Usually in [−1, 1],
        but any finite value is allowed. The end keys have one neighbour only, so theirs are not used.
    ends
        One name, or a tuple for the start and the end, each a name or a velocity.

        - "natural": no second derivative;
        - "clamped": no velocity;
        - "chord": the mean velocity of the first (last) segment.
    spacing
        How unequal durations enter the velocities; see the module's text.
    """
    points = as_floats(keys)
    moments = check_keys(points, times)
    weights = tangent_weights(points, moments, tension, continuity, bias, spacing)
    steps = np.diff(points, axis=0)
    durations = append_axes(np.diff(moments), points.ndim)
    incoming, outgoing = np.zeros_like(points), np.zeros_like(points)
    incoming[1:-1] = weights[0] * steps[:-1] + weights[1] * steps[1:]
    outgoing[1:-1] = weights[2] * steps[:-1] + weights[3] * steps[1:]
    start, end = split_ends(ends)
    if len(points) == 1:
        outgoing[0] = read_end_velocity(start, "start", points)
        incoming[0] = read_end_velocity(end, "end", points)
        return Spline(points, moments, incoming, outgoing)

    slopes = steps / durations
    if len(points) == 2:  # Each end is the other's neighbour: two natural ends make a straight line.
        incoming[1] = end_velocity(end, "end", slopes[0], slopes[0], points)
        outgoing[0] = end_velocity(start, "start", slopes[0], slopes[0], points)
    neighbours = incoming[1].copy(), outgoing[-2].copy()
    outgoing[0] = end_velocity(start, "start", slopes[0], neighbours[0], points)
    incoming[-1] = end_velocity(end, "end", slopes[-1], neighbours[1], points)
    incoming[0], outgoing[-1] = outgoing[0], incoming[-1]
    return Spline(points, moments, incoming, outgoing)


def locate(times: Floats, at: ArrayLike) -> tuple[Ints, Floats, Floats]:
    """For each moment its segment, how much of that has passed, in [0, 1], and the time beyond the ends."""
    moments = as_floats(at)
    inside = np.clip(moments, times[0], times[-1])
    beyond = moments - inside
    if len(times) == 1:
        # There is no segment: a share of 1 picks the velocity after the key, 0 the one before it.
        return np.zeros(moments.shape, dtype=np.intp), np.where(beyond > 0.0, 1.0, 0.0), beyond
    index = np.clip(np.searchsorted(times, inside, side="right") - 1, 0, len(times) - 2)
    return index, (inside - times[index]) / (times[index + 1] - times[index]), beyond


def take_rows(values: Floats, index: Ints, curves: Ints | None) -> Floats:
    """Rows of ``values (N, ...)``: of all curves at once, or of one curve for each row."""
    if curves is None:
        return values[index]
    count = int(np.prod(values.shape[1:-1]))
    return values.reshape(len(values), count, values.shape[-1])[index, curves]


def check_keys(keys: Floats, times: ArrayLike | None) -> Floats:
    """The times of the keys, or a ``ValueError`` that says what is wrong with either."""
    if keys.ndim == 0 or len(keys) == 0:
        raise ValueError(f"keys have shape {keys.shape}; at least one key along the first axis is needed")
    broken = ~np.isfinite(keys.reshape(len(keys), -1)).all(axis=1)
    if broken.any():
        raise ValueError(f"key {int(np.argmax(broken))} is not finite")
    if times is None:
        return np.arange(len(keys), dtype=np.float64)
    moments = as_floats(times)
    if moments.shape != (len(keys),):
        raise ValueError(f"times have shape {moments.shape}; {len(keys)} keys need ({len(keys)},)")
    if not np.isfinite(moments).all():
        raise ValueError(f"time {int(np.argmin(np.isfinite(moments)))} is not finite")
    late = np.diff(moments) <= 0.0
    if late.any():
        i = int(np.argmax(late)) + 1
        raise ValueError(
            f"times must increase strictly; time {i} is {moments[i]:g} after {moments[i - 1]:g} at {i - 1}"
        )
    return moments


def tangent_weights(
    keys: Floats, times: Floats, tension: ArrayLike, continuity: ArrayLike, bias: ArrayLike, spacing: Spacing
) -> tuple[Floats, Floats, Floats, Floats]:
    """What the steps before and after each inner key weigh in its velocities, per unit time.

    Four arrays ``(N − 2, ...)`` that broadcast with the keys: the incoming velocity's weights of the step
    before and the step after, then the outgoing velocity's.
    """
    if spacing not in _SPACINGS:
        raise ValueError(f"spacing is {spacing!r}; allowed are {', '.join(_SPACINGS)}")
    t = _per_key(tension, "tension", keys)[1:-1]
    c = _per_key(continuity, "continuity", keys)[1:-1]
    b = _per_key(bias, "bias", keys)[1:-1]
    durations = append_axes(np.diff(times), keys.ndim)
    n0, n1 = durations[:-1], durations[1:]
    ratio = n1 / n0 if spacing == "parabolic" else np.ones_like(n0)
    before = (1.0 - t) * (1.0 + b) * ratio / (n0 + n1)
    after = (1.0 - t) * (1.0 - b) / ratio / (n0 + n1)
    return (1.0 - c) * before, (1.0 + c) * after, (1.0 + c) * before, (1.0 - c) * after


def _per_key(values: ArrayLike, name: str, keys: Floats) -> Floats:
    given = as_floats(values)
    leading = keys.shape[: given.ndim]
    fits = given.ndim <= keys.ndim and all(n in (1, m) for n, m in zip(given.shape, leading, strict=True))
    if not fits:
        raise ValueError(
            f"{name} has shape {given.shape}; keys of shape {keys.shape} allow one value, ({len(keys)},), "
            "or more of the keys' leading axes"
        )
    if not np.isfinite(given).all():
        raise ValueError(f"{name} must be finite")
    spread = append_axes(given, keys.ndim)
    return np.broadcast_to(spread, (len(keys), *spread.shape[1:]))


def split_ends(ends: Ends) -> tuple[EndName | ArrayLike, EndName | ArrayLike]:
    """The conditions at the start and at the end."""
    if isinstance(ends, str):
        return ends, ends
    if isinstance(ends, tuple) and len(ends) == 2:
        return ends
    raise ValueError(f"ends must be one of {', '.join(_END_NAMES)}, or a tuple of two; got {ends!r}")


def is_end(condition: EndName | ArrayLike, name: EndName) -> bool:
    """Whether a condition, which may be a velocity, is this name."""
    return isinstance(condition, str) and condition == name


def read_end_velocity(condition: EndName | ArrayLike, where: str, keys: Floats) -> Floats:
    """The velocity given for an end; zero for a name, as a lone key has no neighbour to take one from."""
    if isinstance(condition, str):
        if condition not in _END_NAMES:
            raise ValueError(f"the {where} is {condition!r}; allowed are {', '.join(_END_NAMES)} or a velocity")
        return np.zeros(keys.shape[1:])
    velocity = as_floats(condition)
    try:
        return np.broadcast_to(velocity, keys.shape[1:])
    except ValueError:
        raise ValueError(
            f"the velocity at the {where} has shape {velocity.shape}; keys of shape {keys.shape} need {keys.shape[1:]}"
        ) from None


def end_velocity(condition: EndName | ArrayLike, where: str, slope: Floats, neighbour: Floats, keys: Floats) -> Floats:
    """The velocity at an end, from the slope of its segment and the velocity at the other side of that."""
    if is_end(condition, "natural"):
        # A cubic's second derivative at its start is (6 slope − 4 start − 2 neighbour) / duration.
        natural: Floats = 1.5 * slope - 0.5 * neighbour
        return natural
    return slope if is_end(condition, "chord") else read_end_velocity(condition, where, keys)


def append_axes(values: Floats, ndim: int) -> Floats:
    """The values with singleton axes appended until they have ``ndim``."""
    return values.reshape(values.shape + (1,) * (ndim - values.ndim))
