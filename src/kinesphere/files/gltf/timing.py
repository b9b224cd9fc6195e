"""Key times to a frame rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arrays import Floats, Ints

USUAL_RATE = 60.0
# Film and video rates that are not whole numbers, as fractions and as they are often rounded.
VIDEO_RATES = (
    *(n * 1000.0 / 1001.0 for n in (24, 30, 60, 120)),
    *(23.976, 29.97, 59.94, 119.88),
)
SLOWEST_RECORDING = 10.0  # keys further apart were set by hand, and meant to be interpolated
MOST_SKIPPED = 60  # grid points between the two nearest keys
FASTEST_GUESS = 1000.0  # a rate that no two neighbouring keys show must be a usual one


@dataclass(frozen=True, eq=False)
class Grid:
    """Frame times ``start + k / rate``."""

    start: float
    rate: float
    frames: int
    tolerance: float  # keys this near to a frame are on it
    evidence: str

    @property
    def times(self) -> Floats:
        return self.start + np.arange(self.frames) / self.rate


def time_tolerance(times: Floats) -> float:
    """How far off times may be that are stored as float32: a few steps of the largest one."""
    return 4.0 * float(np.spacing(np.float32(min(float(np.abs(times).max()), 1e30))))


def merged(rows: list[Floats]) -> Floats:
    """All times of several channels in order; those that differ only by rounding are one."""
    times = np.unique(np.concatenate(rows))
    rounding = 4.0 * np.spacing(np.minimum(np.abs(times[1:]), 1e30).astype(np.float32))
    # Exporters may round early times as coarsely as the last one, but hours must not swallow first frames.
    apart = np.diff(times) > np.maximum(rounding, min(time_tolerance(times), 1e-5))
    kept: Floats = times[np.concatenate([[True], apart])]
    return kept


def find_grid(times: Floats, rate: float | None = None, exact: float | None = None) -> Grid:
    """The frames of a clip with the given key times ``(K,)``: at ``rate``, or at the rate that the keys have.

    ``exact`` is a rate that is known already, for keys that are known to lie on its grid.
    """
    tolerance = time_tolerance(times)
    start, span = float(times[0]), float(times[-1] - times[0])
    if rate is not None:
        # The last frame may hold the end a little longer, so that the end is reached.
        return _grid(start, rate, int(np.ceil(span * rate - 1e-3)) + 1, tolerance, "rate: given")
    if exact is not None:
        return _grid(start, exact, len(times), tolerance, f"rate: the file says {exact:g} frames a second")
    if len(times) == 1:
        return _grid(start, USUAL_RATE, 1, tolerance, f"rate: a single key; {USUAL_RATE:g} was taken")
    step = _common_step(times - start, tolerance)
    if step is None:
        why = f"rate: the keys are on no uniform grid, so they are sampled at {USUAL_RATE:g} frames a second"
        return _grid(start, USUAL_RATE, int(np.ceil(span * USUAL_RATE - 1e-3)) + 1, tolerance, why)
    found = _nice(times - start, step, tolerance)
    frames = round(span * found) + 1
    why = f"rate: the keys are on a uniform grid of {found:.6g} frames a second"
    if frames > len(times):
        why += f", {len(times)} of {frames} frames are keys"
    if found < SLOWEST_RECORDING:
        why += "; rate=… takes frames between the keys as well"
    return _grid(start, found, frames, tolerance, why)


def _grid(start: float, rate: float, frames: int, tolerance: float, why: str) -> Grid:
    return Grid(start, rate, max(frames, 1), min(tolerance, 0.25 / rate), why)


def _common_step(distances: Floats, tolerance: float) -> float | None:
    """The longest step of which all distances from the first key are multiples."""
    nearest = float(np.diff(distances).min())
    for parts in range(1, MOST_SKIPPED + 1):
        step = nearest / parts
        if tolerance > step / 8.0 or (parts > 1 and step * FASTEST_GUESS < 1.0):
            return None
        refined = _refined(distances, step, tolerance)
        if refined is not None:
            return refined
    return None


def _refined(distances: Floats, step: float, tolerance: float) -> float | None:
    """The step that fits best. Twice as far each time: one gap is too coarse a measure for the whole clip."""
    reach = 2.0 * step
    while True:
        near = distances[: int(np.searchsorted(distances, reach, side="right"))]
        if len(near) > 1:
            counts = np.rint(near / step)
            step = float(near @ counts / (counts @ counts)) if counts.any() else step
            if float(np.abs(near - counts * step).max()) > tolerance:
                return None
        if len(near) == len(distances):
            return step
        reach *= 2.0


def _nice(distances: Floats, step: float, tolerance: float) -> float:
    """The rate of a step, as the whole number or video rate that it is, if it is one."""
    rate = 1.0 / step
    counts: Ints = np.rint(distances / step).astype(np.intp)
    allowed = rate * 2.0 * tolerance / float(distances[-1])
    candidates = [candidate for candidate in (round(rate), *VIDEO_RATES) if abs(candidate - rate) <= allowed]
    for candidate in sorted(candidates, key=lambda c: abs(c - rate)):
        if candidate > 0 and float(np.abs(distances - counts / candidate).max()) <= tolerance:
            return float(candidate)
    return rate
