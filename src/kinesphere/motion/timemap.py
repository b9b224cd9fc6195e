"""Time maps (strictly increasing, smooth maps from an old time to a new one), and motions resampled and retimed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.interpolation import monotone_slopes, resample_rotations, resample_vectors
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion

MOST_POSES = 200_000_000  # frames × joints: 11 GB


@dataclass(frozen=True, eq=False)
class _Curve:
    """A strictly increasing, once continuously differentiable piecewise cubic, straight beyond its ends."""

    x: Floats  # (N,)
    y: Floats  # (N,)
    slopes: Floats  # (N,) > 0

    def value_and_slope(self, at: Floats) -> tuple[Floats, Floats]:
        i = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, len(self.x) - 2)
        width = self.x[i + 1] - self.x[i]
        rise = self.y[i + 1] - self.y[i]
        u = (at - self.x[i]) / width
        left, right = self.slopes[i] * width, self.slopes[i + 1] * width
        # Cubic Hermite in powers of u.
        a, b = left + right - 2.0 * rise, 3.0 * rise - 2.0 * left - right
        value = self.y[i] + u * (left + u * (b + u * a))
        slope = (left + u * (2.0 * b + u * 3.0 * a)) / width
        before, after = at < self.x[0], at > self.x[-1]
        value = np.where(before, self.y[0] + self.slopes[0] * (at - self.x[0]), value)
        value = np.where(after, self.y[-1] + self.slopes[-1] * (at - self.x[-1]), value)
        slope = np.where(before, self.slopes[0], np.where(after, self.slopes[-1], slope))
        return value, slope

    def solve(self, value: Floats) -> tuple[Floats, Floats]:
        """Invert the curve: where it takes a value, and the slope of the inverse."""
        i = np.clip(np.searchsorted(self.y, value, side="right") - 1, 0, len(self.y) - 2)
        low, high = self.x[i].copy(), self.x[i + 1].copy()
        outside = (value < self.y[0]) | (value > self.y[-1])
        share = (value - self.y[i]) / (self.y[i + 1] - self.y[i])
        at = low + np.clip(share, 0.0, 1.0) * (high - low)
        for _ in range(60):  # Newton's method inside a shrinking bracket
            found, slope = self.value_and_slope(at)
            low, high = np.where(found <= value, at, low), np.where(found >= value, at, high)
            step = at - (found - value) / np.maximum(slope, 1e-300)
            guess = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
            if np.all((np.abs(guess - at) <= 2e-15 * np.maximum(1.0, np.abs(at))) | outside):
                break
            at = guess
        ends = np.where(value < self.y[0], 0, -1)
        beyond = self.x[ends] + (value - self.y[ends]) / self.slopes[ends]
        at = np.where(outside, beyond, at)
        return at, 1.0 / np.maximum(self.value_and_slope(at)[1], 1e-300)


@dataclass(frozen=True, eq=False)
class TimeMap:
    """A map from old time to new time: strictly increasing, with a continuous slope.

    Made from matching times ``old`` and ``new`` ``(N,)``, both strictly increasing. Between them it is a monotone
    cubic, beyond them a straight line. ``slopes`` (d new / d old) may be given; otherwise they are chosen so that
    nothing overshoots. Maps compose exactly: ``a.then(b)``, ``a.inverse()``.
    """

    _links: tuple[tuple[_Curve, bool], ...]  # (curve, backwards), applied in order

    def __init__(self, old: ArrayLike, new: ArrayLike, slopes: ArrayLike | None = None) -> None:
        x, y = np.array(old, dtype=np.float64), np.array(new, dtype=np.float64)
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise ValueError(f"two equally long rows of at least two times expected, found {x.shape} and {y.shape}")
        for name, times in (("old", x), ("new", y)):
            steps = np.diff(times)
            if not np.isfinite(times).all() or not np.all(steps > 0.0):
                at = int(np.argmax(~(steps > 0.0)))
                raise ValueError(
                    f"{name} times must be finite and strictly increasing; found {times[at]:g} then "
                    f"{times[at + 1]:g} at index {at}"
                )
        m = monotone_slopes(x, y) if slopes is None else _check_slopes(x, y, as_floats(slopes))
        object.__setattr__(self, "_links", ((_Curve(freeze(x), freeze(y), freeze(m)), False),))

    @staticmethod
    def _from_links(links: tuple[tuple[_Curve, bool], ...]) -> TimeMap:
        made = object.__new__(TimeMap)
        object.__setattr__(made, "_links", links)
        return made

    @staticmethod
    def identity() -> TimeMap:
        """The identity map."""
        return TimeMap._from_links(())

    @staticmethod
    def uniform(speed: float, *, start: float = 0.0) -> TimeMap:
        """Constant speed: ``speed`` times as fast, with the time ``start`` fixed."""
        if not np.isfinite(speed) or speed <= 0.0:
            raise ValueError(f"speed {speed}: a positive number is expected")
        return TimeMap([start, start + 1.0], [start, start + 1.0 / speed])

    def __call__(self, old: ArrayLike) -> Floats:
        """New times of old times, any shape."""
        return self.with_slope(old)[0]

    def with_slope(self, old: ArrayLike) -> tuple[Floats, Floats]:
        """New times, and the slope there (d new / d old)."""
        time = as_floats(old)
        total: Floats = np.ones(time.shape)
        for curve, backwards in self._links:
            time, slope = curve.solve(time) if backwards else curve.value_and_slope(time)
            total = total * slope
        return time.copy() if not self._links else time, total

    def slope(self, old: ArrayLike) -> Floats:
        """d new / d old."""
        return self.with_slope(old)[1]

    def then(self, after: TimeMap) -> TimeMap:
        """Compose: this map, then another one applied to its new times."""
        return TimeMap._from_links(self._links + after._links)

    def inverse(self) -> TimeMap:
        """The inverse map: new time to old time."""
        return TimeMap._from_links(tuple((curve, not backwards) for curve, backwards in reversed(self._links)))


def _check_slopes(x: Floats, y: Floats, m: Floats) -> Floats:
    """Given slopes, refused where a cubic with them would decrease."""
    m = np.array(m)
    if m.shape != x.shape or not np.isfinite(m).all() or np.any(m <= 0.0):
        raise ValueError(f"slopes: {len(x)} positive numbers expected, found {m}")
    d = np.diff(y) / np.diff(x)
    # The derivative is a quadratic in u; find its least value on [0, 1] in closed form.
    left, right = m[:-1], m[1:]
    a, b = 3.0 * (left + right - 2.0 * d), 2.0 * (3.0 * d - 2.0 * left - right)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(a > 0.0, np.clip(-b / (2.0 * a), 0.0, 1.0), 0.0)
    least = np.minimum(np.minimum(left, right), left + b * u + a * u * u)
    if np.any(least <= 0.0):
        at = int(np.argmin(least))
        raise ValueError(
            f"time would run backwards between {x[at]:g} and {x[at + 1]:g} s with slopes {left[at]:g} and "
            f"{right[at]:g}; up to {3.0 * d[at]:g} is always safe there"
        )
    return m


# Motions at another frame rate or along a time map


def resample(motion: Motion, rate: float, *, smooth: bool = True) -> Motion:
    """See ``Motion.resampled``. The new clip ends within half a new frame of where the old one did."""
    if not np.isfinite(rate) or rate <= 0.0:
        raise ValueError(f"rate {rate}: a positive number of frames a second is expected")
    if rate == motion.rate:
        return motion
    count = _frame_count(motion.duration, rate, len(motion.skeleton))
    return sample_motion(motion, np.arange(count) / rate, rate, smooth=smooth)


def retime(motion: Motion, time_map: TimeMap, *, smooth: bool = True) -> Motion:
    """Retime a motion by a time map, at its own rate. It starts at time 0, wherever the map takes 0."""
    start, end = (float(t) for t in time_map(np.array([0.0, motion.duration])))
    count = _frame_count(end - start, motion.rate, len(motion.skeleton))
    new_times = start + np.arange(count) / motion.rate
    return sample_motion(motion, time_map.inverse()(new_times), motion.rate, smooth=smooth)


def pose_at_times(motion: Motion, times: ArrayLike, *, smooth: bool = True) -> tuple[Floats, Floats, Floats | None]:
    """Local rotations, translations and scales at any times.

    Calibration frames are not interpolated with their neighbours: a pose between a T-pose and the first performed
    frame would be neither.
    """
    frames = as_floats(times) * motion.rate
    nearest = np.round(frames)
    frames = np.where(np.abs(frames - nearest) < 1e-6, nearest, frames)  # original frames are kept exactly
    marked = np.zeros(len(motion), dtype=bool)
    marked[list(motion.calibration_frames)] = True
    q = np.empty((len(frames), len(motion.skeleton), 4))
    t = np.empty((len(frames), len(motion.skeleton), 3))
    s = None if motion.scales is None else np.empty(t.shape)
    edges = [0, *(np.flatnonzero(np.diff(marked)) + 1).tolist(), len(motion)]
    for first, end in zip(edges[:-1], edges[1:], strict=True):
        # Times between the last frame of a run and the first of the next belong to the performed side.
        lower = first if marked[first] or first == 0 else first - 1 + 1e-9
        upper = end - 1 if marked[first] or end == len(motion) else end - 1e-9
        inside = (frames >= lower) & (frames <= upper)
        if first == 0:
            inside |= frames < 0
        if end == len(motion):
            inside |= frames > end - 1
        if not inside.any():
            continue
        local = frames[inside] - first
        q[inside] = resample_rotations(motion.rotations[first:end], local, smooth=smooth)
        t[inside] = resample_vectors(motion.translations[first:end], local, smooth=smooth)
        if s is not None and motion.scales is not None:
            s[inside] = resample_vectors(motion.scales[first:end], local, smooth=False)
    return rotations.continuous(q), t, s


def _frame_count(seconds: float, rate: float, joints: int) -> int:
    """Number of frames in a duration; absurdly many raise ``ValueError``."""
    count = int(np.floor(min(max(seconds, 0.0) * rate, 1e15) + 0.5 + 1e-6)) + 1
    if count * joints > MOST_POSES:
        raise ValueError(f"{seconds:g} s at {rate:g} frames a second would be {count} frames of {joints} joints")
    return count


def sample_motion(motion: Motion, times: Floats, rate: float, *, smooth: bool = True) -> Motion:
    """Sample a motion at the times ``(N,)``; the result has the given rate."""
    q, t, s = pose_at_times(motion, times, smooth=smooth)
    frames = times * motion.rate
    marked = [i for i, f in enumerate(frames) if any(abs(f - c) < 1e-6 for c in motion.calibration_frames)]
    return replace(motion, rate=rate, rotations=q, translations=t, scales=s, calibration_frames=tuple(marked))
