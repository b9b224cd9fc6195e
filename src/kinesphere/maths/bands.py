"""Octave bands of a signal, for a graphic equaliser (Burt's pyramid without halving; Bruderlin 1996).

G[0] is the signal. Each level smooths the one before with [1 4 6 4 1]/16, its taps 2ᵏ frames apart, and what that takes
away is a band; beyond the ends the first and the last frame are held:

    G[k+1](i) = Σ w(j) G[k](i + 2ᵏ j),  j = −2 … 2        L[k] = G[k] − G[k+1]        signal = G[K] + Σ L[k]

T frames have K = ⌊log₂ T⌋ bands. Smoothing is written as differences from the middle, so that a constant has bands
of exactly zero.

Of a wave of ω radians a frame, level k lets cos⁴(2ᵏ ω/2) through. Band 0 is hence the fastest there is, highest at two
frames a wave; band k beyond it is highest near 3.8 · 2ᵏ frames (there about one half of the wave is in it) and falls to
half of that at 2.2 · 2ᵏ and 7.9 · 2ᵏ.
"""

from __future__ import annotations

import numpy as np

from kinesphere import _native
from kinesphere.maths.threads import share_frames
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats

# Frames a wave at which the first bands peak, and what the others tend to, as a multiple of 2ᵏ: π/x for the x that
# maximises (sin x / x)⁴ (1 − cos⁴ x).
_FIRST_PEAKS = (2.0, 7.11769, 14.96413, 30.27386, 60.71847)
_PEAK = 3.798451


def band_count(frames: int) -> int:
    """How many bands a signal of so many frames has: ⌊log₂ frames⌋."""
    return max(int(frames).bit_length() - 1, 0)


def split(signal: ArrayLike) -> tuple[Floats, Floats]:
    """Bands ``(K, T, ...)``, the fastest first, and the rest ``(T, ...)`` of a signal ``(T, ...)``.

    ``rest + bands.sum(0)`` is the signal, to rounding.
    """
    values = check_signal("the signal", signal)
    count = band_count(len(values))
    bands, rest = np.empty((count, *values.shape)), np.empty(values.shape)
    flat = _flat(values)
    flat_bands, flat_rest = bands.reshape(count, *flat.shape), rest.reshape(flat.shape)

    def some(part: slice) -> None:
        _native.bands.split(flat, part.start, part.stop, flat_bands, flat_rest)

    share_frames(flat.shape[1], values.size, some)
    return bands, rest


def mix(signal: ArrayLike, gains: ArrayLike) -> Floats:
    """The signal ``(T, ...)`` with its bands louder or softer: ``rest + Σ gains[k] · bands[k]``.

    ``gains`` are ``(K,)``, or ``(K, ...)`` with further axes that broadcast to the signal's own after time. They may be
    negative or above one. Worked out as signal + Σ (gain − 1) · band, one band at a time: gains of one give the signal
    back bit for bit.
    """
    values = check_signal("the signal", signal)
    extra = _extra_gains(gains, values)
    if not (extra.size and values.size):
        return values.copy()
    flat, mixture = _flat(values), np.empty(values.shape)
    flat_mixture = mixture.reshape(flat.shape)
    flat_extra = np.ascontiguousarray(np.broadcast_to(extra, (len(extra), *values.shape[1:]))).reshape(len(extra), -1)

    def some(part: slice) -> None:
        _native.bands.mix(flat, part.start, part.stop, flat_extra, flat_mixture)

    share_frames(flat.shape[1], values.size, some)
    return mixture


def low_pass(signal: ArrayLike, levels: int = 1) -> Floats:
    """A signal ``(T, ...)`` without its fastest ``levels`` bands: G[levels]."""
    values = check_signal("the signal", signal)
    flat, level = _flat(values), np.empty(values.shape)
    flat_level = level.reshape(flat.shape)

    def some(part: slice) -> None:
        _native.bands.low_pass(flat, part.start, part.stop, levels, flat_level)

    share_frames(flat.shape[1], values.size, some)
    return level


def band_periods(count: int, rate: float) -> Floats:
    """Seconds a wave at which each of ``count`` bands is highest, at ``rate`` frames a second."""
    if not (np.isfinite(rate) and rate > 0.0):
        raise ValueError(f"the rate is {rate}; expected frames a second, above zero")
    frames = _PEAK * 2.0 ** np.arange(count)
    first = min(count, len(_FIRST_PEAKS))
    frames[:first] = _FIRST_PEAKS[:first]
    return np.asarray(frames / rate)


def gains_by_period(seconds: ArrayLike, gains: ArrayLike, count: int, rate: float) -> Floats:
    """Gains ``(count, ...)`` of bands from gains ``(P, ...)`` at periods ``(P,)`` in seconds.

    Between the periods the gain runs evenly in their logarithm; beyond the first and the last it is held. So the same
    numbers mean the same at any rate.
    """
    at, given = as_floats(seconds), as_floats(gains)
    if at.ndim != 1 or not len(at) or given.shape[:1] != at.shape:
        raise ValueError(f"{at.shape} periods and {given.shape} gains; expected one period (P,) for each gain (P, ...)")
    if not (np.isfinite(at).all() and (at > 0.0).all()):
        raise ValueError(f"a period is {at[~(np.isfinite(at) & (at > 0.0))][0]} s; expected seconds above zero")
    order = np.argsort(at)
    at, given = at[order], check_signal("the gains", given[order])
    if (np.diff(at) == 0.0).any():
        raise ValueError(f"two gains for a period of {at[:-1][np.diff(at) == 0.0][0]} s")
    place = np.interp(np.log(band_periods(count, rate)), np.log(at), np.arange(len(at)))
    below = np.minimum(place.astype(np.intp), max(len(at) - 2, 0))
    share = (place - below).reshape(-1, *([1] * (given.ndim - 1)))
    above = np.minimum(below + 1, len(at) - 1)
    return np.asarray((1.0 - share) * given[below] + share * given[above])


def check_signal(name: str, values: ArrayLike) -> Floats:
    """The values ``(T, ...)`` as float64; refused where there is no frame, or one holds what is no number."""
    v = as_floats(values)
    if v.ndim == 0 or not len(v):
        raise ValueError(f"{name} has shape {v.shape}; expected time first, and at least one frame")
    finite = np.isfinite(v)
    if not finite.all():
        place = tuple(int(i) for i in np.argwhere(~finite)[0])
        where = f"frame {place[0]}" + (f", number {', '.join(map(str, place[1:]))}" if len(place) > 1 else "")
        raise ValueError(f"{name} holds {v[place]} at {where}; expected finite numbers")
    return v


def _extra_gains(gains: ArrayLike, values: Floats) -> Floats:
    """Gains − 1 of the bands up to the last whose gain is not 1, with an axis for each of the signal's after time."""
    extra = _check_gains(gains, values) - 1.0
    changed = np.flatnonzero(extra.any(axis=tuple(range(1, extra.ndim))))
    return extra[: int(changed[-1]) + 1 if len(changed) else 0]


def _check_gains(gains: ArrayLike, values: Floats) -> Floats:
    """The gains with an axis for each of the signal's after time, checked."""
    count, given = band_count(len(values)), as_floats(gains)
    if given.ndim == 0 or len(given) != count:
        raise ValueError(f"gains have shape {given.shape}; a signal of {len(values)} frames has {count} bands")
    if not np.isfinite(given).all():
        raise ValueError(f"the gain of band {int(np.argwhere(~np.isfinite(given))[0, 0])} is no finite number")
    if given.ndim == 1:
        return given.reshape(count, *([1] * (values.ndim - 1)))
    try:
        if np.broadcast_shapes(given.shape[1:], values.shape[1:]) == values.shape[1:]:
            return given.reshape(count, *([1] * (values.ndim - given.ndim)), *given.shape[1:])
    except ValueError:
        pass
    raise ValueError(f"gains of shape {given.shape[1:]} a band don't broadcast to the signal's {values.shape[1:]}")


def _flat(values: Floats) -> Floats:
    """The signal as ``(T, C)``."""
    return np.ascontiguousarray(values).reshape(len(values), values[0].size)
