"""Fair timing: turns taken in one process, the best and the usual of many, ratios instead of seconds."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds of one contestant."""

    best: float
    median: float


def race(contestants: dict[str, Callable[[], object]], seconds: float = 2.0) -> dict[str, Timing]:
    """All contestants in turn, over and over, so that a busy moment of the machine hits them alike."""
    for run in contestants.values():
        for _ in range(3):  # caches are warm, and what is kept is kept
            run()
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(taken.values()))) < 5:
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - start)
    return {name: Timing(min(times), statistics.median(times)) for name, times in taken.items()}


def cold(code: str, runs: int = 3) -> float:
    """Seconds that a fresh interpreter takes for some code, imports included; the best of a few."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return min(taken)


def report(title: str, results: dict[str, Timing], ours: str, goals: dict[str, tuple[str, float]]) -> bool:
    """A table of one race with ratios to ours, and whether the goals hold.

    A goal is ``(">=", 3.0)``: the peer takes at least three times as long as ours; or ``("<=", 3.0)``: ours at most
    three times as long as the peer.
    """
    print(f"\n{title}")
    met = True
    for name, timing in results.items():
        line = f"  {name:<34}{timing.best * 1e3:10.2f} ms best {timing.median * 1e3:10.2f} ms median"
        if name != ours:
            line += f"   {timing.median / results[ours].median:7.2f} × ours"
        if name in goals:
            sign, bound = goals[name]
            ratio = timing.median / results[ours].median
            holds = ratio >= bound if sign == ">=" else 1.0 / ratio <= bound
            met &= holds
            wanted = f"≥ {bound:g}×" if sign == ">=" else f"ours within {bound:g}×"
            line += f"   goal {wanted}: {'yes' if holds else 'NO'}"
        print(line)
    return met
