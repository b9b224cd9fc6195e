"""Idle motion: breath, postural sway and fidgeting as curves of channels over time.

Sway and fidgeting are sums of sine waves that have little to do with each other. ``engine.channels`` adds them to what
a phrase does, ``engine.behaviours`` to the poses of any motion.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Floats

PERIOD = 3.6  # seconds of a breath, about
FULL, EMPTY = 0.40, 0.86  # shares of a breath: in until the first, out until the second, then a pause
# Postural sway: waves that have little to do with each other. Amplitude, cycles per second, phase.
SWAY = {
    "hips.x": ((0.0030, 0.31, 0.4), (0.0015, 0.73, 2.0)),
    "hips.z": ((0.0020, 0.41, 1.3), (0.0010, 0.89, 0.2)),
    "torso.side": ((0.0050, 0.29, 3.0), (0.0025, 0.67, 1.0)),
    "torso.turn": ((0.0060, 0.23, 1.1), (0.0030, 0.61, 4.0)),
    "head.nod": ((0.0080, 0.37, 2.2), (0.0040, 0.97, 5.1)),
    "head.tilt": ((0.0070, 0.27, 0.9), (0.0030, 0.83, 3.3)),
    "head.turn": ((0.0100, 0.33, 4.4), (0.0040, 0.91, 2.7)),
}
# Fidgeting, on top of that: slower shifts of weight and looks about, in the same terms at fidget 1.
FIDGET = {
    "hips.x": ((0.016, 0.21, 0.0), (0.007, 0.53, 1.0)),
    "hips.turn": ((0.030, 0.26, 2.0),),
    "hips.tilt": ((0.025, 0.21, 0.0),),
    "torso.side": ((0.020, 0.31, 1.0), (0.010, 0.71, 0.0)),
    "torso.turn": ((0.030, 0.34, 3.0), (0.012, 0.87, 0.5)),
    "head.turn": ((0.090, 0.37, 0.3), (0.040, 1.13, 1.0)),
    "head.nod": ((0.040, 0.43, 1.0), (0.018, 1.21, 2.0)),
    "eyes.turn": ((0.060, 0.61, 0.0), (0.040, 1.47, 1.0)),
    "left.clavicle.raise": ((0.030, 0.47, 0.0),),
    "right.clavicle.raise": ((0.030, 0.41, 2.0),),
    "left.hand.fist": ((0.10, 0.57, 0.0), (0.05, 1.31, 1.0)),
    "right.hand.fist": ((0.10, 0.51, 3.0), (0.05, 1.17, 2.0)),
}
Waves: TypeAlias = Mapping[str, tuple[tuple[float, float, float], ...]]
IDLE_WAVES: Mapping[str, Waves] = MappingProxyType({"sway": SWAY, "fidget": FIDGET})
EDGE = 0.7  # seconds at both ends over which idle motion fades: a gesture begins and ends in the same stance
QUICKENED = 0.5  # by how much more often a body breathes at fidget 1


def breath_curve(time: Floats, breaths: int, duration: float) -> Floats:
    """``(T,)`` how full the lungs are, from 0 to 1: whole breaths, quicker in than out, a rest between."""
    return breath_at(np.mod(breaths * time / duration, 1.0))


def breath_at(phase: Floats) -> Floats:
    """How full the lungs are, from 0 to 1, at phases of a breath from 0 to 1."""
    return ramp(phase, 0.0, FULL) - ramp(phase, FULL, EMPTY)


def breath_over(frames: int, rate: float, fidget: float) -> Floats:
    """``(T,)`` whole breaths that fill these frames; the more fidgeting, the quicker."""
    return _breaths(frames, rate, PERIOD / (1.0 + QUICKENED * fidget))


@lru_cache(maxsize=64)
def _breaths(frames: int, rate: float, pace: float) -> Floats:
    duration = max(frames - 1, 1) / rate
    return breath_curve(np.arange(frames) / rate, max(1, round(duration / pace)), duration)


def idle_waves(kind: str, frames: int, rate: float, loop: bool, phases: np.random.Generator | None) -> Floats:
    """``(T, N)`` sway or fidgeting, one column per channel: zero at both ends; whole periods in a loop.

    ``phases`` draws an individual's; None is always the same.
    """
    return _default_waves(kind, frames, rate, loop) if phases is None else _waves(kind, frames, rate, loop, phases)


@lru_cache(maxsize=64)
def _default_waves(kind: str, frames: int, rate: float, loop: bool) -> Floats:
    return _waves(kind, frames, rate, loop, None)


def _waves(kind: str, frames: int, rate: float, loop: bool, phases: np.random.Generator | None) -> Floats:
    time = np.arange(frames) / rate
    duration = max(float(time[-1]), 1.0 / rate)
    total = np.zeros((frames, len(IDLE_WAVES[kind])))
    for i, waves in enumerate(IDLE_WAVES[kind].values()):
        for amplitude, frequency, phase in draw_waves(waves, phases):
            if loop:
                frequency = max(1, round(frequency * duration)) / duration
            total[:, i] += amplitude * np.sin(2.0 * np.pi * frequency * time + phase)
    if loop:
        return total
    edge = min(EDGE, 0.4 * duration)
    shown = ramp(time, 0.0, edge) * (1.0 - ramp(time, duration - edge, duration))
    return np.asarray(total * shown[:, None])


def draw_waves(
    waves: tuple[tuple[float, float, float], ...], phases: np.random.Generator | None
) -> list[tuple[float, float, float]]:
    """Waves with an individual's phases and frequencies: amplitude, cycles per second, phase."""
    if phases is None:
        return list(waves)
    drawn = []
    for amplitude, frequency, _ in waves:
        phase = phases.uniform(0.0, 2.0 * np.pi)
        drawn.append((amplitude, frequency * phases.uniform(0.85, 1.15), phase))
    return drawn
