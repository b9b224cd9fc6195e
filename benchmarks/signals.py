"""Bands and timewarps beside their peers, in one run, as ratios.

Run it with ``.venv/bin/python -W ignore benchmarks/signals.py`` from the repository; `make bench` installs the peers.
dtaidistance's timewarp in n dimensions sums one Euclidean distance a node and searches one state; our cost "shape" sums
four differences for each degree of freedom and searches three. Bands stand beside SciPy's correlation, which knows no
spread kernels and so multiplies by all zeros. A peer that is not there is left out, and that is said.
"""

from __future__ import annotations

import importlib
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from kinesphere.maths import bands
from kinesphere.maths.dtw import DtwPath, dtw
from kinesphere.maths.vectors import Floats
from timing import race, report

FRAMES, NUMBERS = 600, 200
KERNEL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16.0


def peer(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"\nSKIPPED: {name} is not there ({error})")
        return None


def smooth(frames: int, numbers: int, clock: float = 1.0, seed: int = 0) -> Floats:
    """Six waves a number, slow ones larger; ``clock`` bends their time."""
    rng = np.random.default_rng(seed)
    waves, phases = rng.uniform(0.5, 8.0, (numbers, 6)), rng.uniform(0.0, 6.3, (numbers, 6))
    places = np.linspace(0.0, 1.0, frames)[:, None, None] ** clock
    return np.asarray((np.sin(2.0 * np.pi * waves * places + phases) / waves).sum(axis=-1))


def equalising() -> bool:
    """Ten seconds at 60 fps of 200 numbers: each of both in 2 ms, though split fills nine arrays of that size."""
    signal = smooth(FRAMES, NUMBERS)
    gains = np.linspace(0.5, 2.0, bands.band_count(FRAMES))
    contestants: dict[str, Any] = {
        "bands.mixed": lambda: bands.mix(signal, gains),
        "bands.split": lambda: bands.split(signal),
        "bands.smoothed, one level": lambda: bands.low_pass(signal),
    }
    ndimage = peer("scipy.ndimage")
    if ndimage is not None:

        def correlated() -> Floats:
            level, out = signal, signal.copy()
            for k, gain in enumerate(gains):
                weights = np.zeros(4 * 2**k + 1)
                weights[:: 2**k] = KERNEL
                smoother = ndimage.correlate1d(level, weights, axis=0, mode="nearest")
                out += (gain - 1.0) * (level - smoother)
                level = smoother
            return out

        assert np.allclose(correlated(), bands.mix(signal, gains), rtol=0.0, atol=1e-12)
        contestants["SciPy correlate1d, mixed"] = correlated
    results = race(contestants)
    goals = {"SciPy correlate1d, mixed": (">=", 10.0)}
    met = report(f"bands, {FRAMES} × {NUMBERS}, all {len(gains)} (goal: 2 ms)", results, "bands.mixed", goals)
    return met and max(results["bands.mixed"].median, results["bands.split"].median) <= 0.002


def warping(frames: int = 600, numbers: int = 66) -> bool:
    """The full search, and narrower ones."""
    a, b = smooth(frames, numbers), smooth(frames, numbers, clock=1.2)
    contestants: dict[str, Any] = {
        "shape": lambda: dtw(a, b),
        "pose": lambda: dtw(a, b, "pose"),
        "shape, within 30 frames": lambda: dtw(a, b, band=30),
        "shape, coarse to fine (8)": lambda: dtw(a, b, coarse=8),
    }
    goals: dict[str, tuple[str, float]] = {}
    theirs = peer("dtaidistance.dtw_ndim")
    if theirs is not None:
        assert np.isclose(dtw(a, b, "pose").cost, theirs.distance_fast(a, b, inner_dist="euclidean"))
        contestants["dtaidistance, C, the cost only"] = lambda: theirs.distance_fast(a, b)
        contestants["dtaidistance, C, the path too"] = lambda: theirs.warping_path(a, b, use_c=True)
        goals = {name: ("<=", 2.0) for name in contestants if "dtaidistance" in name}
    results = race(contestants, seconds=4.0)
    return report(f"timewarp, {frames} × {frames} × {numbers}", results, "shape", goals)


def long_clips(frames: int = 5000, numbers: int = 66) -> bool:
    """Where the full search is too much: time, memory and how much dearer the path is."""
    a, b = smooth(frames, numbers), smooth(frames, numbers, clock=1.1)
    b = b + 0.1 * smooth(frames, numbers, seed=1)
    ways: dict[str, Callable[[], DtwPath]] = {
        "full": lambda: dtw(a, b),
        "coarse to fine (10)": lambda: dtw(a, b, coarse=10),
        "within 250 frames": lambda: dtw(a, b, band=250),
    }
    results = race({**ways}, seconds=1.0)
    report(f"timewarp of long clips, shape, {frames} × {frames} × {numbers}", results, "coarse to fine (10)", {})
    costs, peaks = {}, {}
    for name, find in ways.items():
        tracemalloc.start()
        costs[name] = find().cost
        peaks[name] = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
    for name in ways:
        print(f"  {name:<34}{100.0 * (costs[name] / costs['full'] - 1.0):9.3f} % dearer {peaks[name]:10.1f} MB at most")
    return costs["coarse to fine (10)"] <= 1.01 * costs["full"]


def main() -> None:
    met = [equalising(), warping(), long_clips()]
    print(f"\n{sum(met)} of {len(met)} groups of goals met")


if __name__ == "__main__":
    main()
