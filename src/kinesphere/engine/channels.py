"""Body curves of a gesture: torso, head, hips, shoulders and fingers at every frame, and idle motion.

Idle motion is breath and postural sway, and fidgeting where a manner asks for it.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.manner import Manner
from kinesphere.maths.interpolation import cubic_rows_at, gaussian, monotone_cubic, ramp
from kinesphere.maths.vectors import Floats
from kinesphere.motion.gesture import CHANNELS, Gesture

PERIOD = 3.6  # seconds of a breath, about
FULL, EMPTY = 0.40, 0.86  # shares of a breath: in until the first, out until the second, then a pause
NAMES = tuple(CHANNELS)
INDEX = {name: i for i, name in enumerate(NAMES)}
_RESTS = {name: 1.0 for name in NAMES if name.endswith("hand.loose")}  # channels that rest at something else than 0
# Postural sway: waves that have little to do with each other. Amplitude, cycles per second, phase.
_SWAY = {
    "hips.x": ((0.0030, 0.31, 0.4), (0.0015, 0.73, 2.0)),
    "hips.z": ((0.0020, 0.41, 1.3), (0.0010, 0.89, 0.2)),
    "torso.side": ((0.0050, 0.29, 3.0), (0.0025, 0.67, 1.0)),
    "torso.turn": ((0.0060, 0.23, 1.1), (0.0030, 0.61, 4.0)),
    "head.nod": ((0.0080, 0.37, 2.2), (0.0040, 0.97, 5.1)),
    "head.tilt": ((0.0070, 0.27, 0.9), (0.0030, 0.83, 3.3)),
    "head.turn": ((0.0100, 0.33, 4.4), (0.0040, 0.91, 2.7)),
}
# Fidgeting, on top of that: slower shifts of weight and looks about, in the same terms at fidget 1.
_FIDGET = {
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
_Waves: TypeAlias = Mapping[str, tuple[tuple[float, float, float], ...]]
_WAVES: Mapping[str, _Waves] = {"sway": _SWAY, "fidget": _FIDGET}
EDGE = 0.7  # seconds at both ends over which idle motion fades: a gesture begins and ends in the same stance


class ChannelCurves:
    """Every channel as a curve ``(F,)``, and how full the lungs are."""

    def __init__(self, table: Floats, breath: Floats) -> None:
        self.table, self.breath = table, breath  # (F, C), (F,)

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self.table[:, INDEX[name]])

    def rows(self, *names: str) -> Floats:
        """Several channels ``(F, N)``."""
        return np.asarray(self.table[:, [INDEX[name] for name in names]])

    def sides(self, name: str) -> Floats:
        """``(2 F,)`` a channel of the left side, and then of the right one."""
        return np.concatenate([self.table[:, INDEX[f"{side}.{name}"]] for side in ("left", "right")])

    def nonzero(self, part: str, names: Sequence[str]) -> list[str]:
        """Channels of a part of each side that are not zero throughout on both sides."""
        columns = [[INDEX[f"{side}.{part}.{name}"] for name in names] for side in ("left", "right")]
        shown = np.atleast_1d(self.table[:, columns].any(axis=(0, 1)))
        return [name for name, any_ in zip(names, shown, strict=True) if any_]

    def replace(self, curves: Mapping[str, Floats]) -> ChannelCurves:
        """The same with some other channels."""
        table = self.table.copy()
        for name, curve in curves.items():
            table[:, INDEX[name]] = curve
        return ChannelCurves(table, self.breath)


def channel_table(gesture: Gesture) -> Floats:
    """``(N, C)`` all channels over the gesture's own time, ``RATE`` rows per second; kept for as long as it lives."""
    known = _TABLES.get(id(gesture))
    if known is not None and known[0]() is gesture:
        return known[1]
    time = np.arange(round(gesture.duration * RATE) + 1) / RATE
    period = gesture.duration if gesture.loop else None
    table = np.zeros((len(time), len(NAMES)))
    for name, value in _RESTS.items():
        table[:, INDEX[name]] = value
    names = list(gesture.curves)
    if names:
        curves = [
            monotone_cubic(gesture.curves[name].times, gesture.curves[name].values, time, period) for name in names
        ]
        smooth = gaussian(np.stack(curves, axis=1), RATE, loop=gesture.loop)
        table[:, [INDEX[name] for name in names]] = smooth
    table.flags.writeable = False
    key = id(gesture)
    _TABLES[key] = (weakref.ref(gesture, lambda _, kept=_TABLES: kept.pop(key, None)), table)  # type: ignore[misc]
    return table


_TABLES: dict[int, tuple[weakref.ref[Gesture], Floats]] = {}


def sample_rows(table: Floats, time: Floats, loop: bool) -> Floats:
    """Rows of a table ``(N, ...)`` with ``RATE`` rows per second, at times in seconds."""
    return cubic_rows_at(table, time * RATE, loop)


_SIDES = {side: np.array([name.startswith(side) for name in NAMES]) for side in ("left", "right")}
_ARM = {side: _SIDES[side] & np.array([".foot." not in name for name in NAMES]) for side in _SIDES}


def sample_channels(gesture: Gesture, times: Mapping[str, Floats], added: Mapping[str, Floats]) -> Floats:
    """``(T, C)`` the channels of one performance, at source times of the ``"body"`` and of each arm."""
    table = channel_table(gesture)
    made = sample_rows(table, times["body"], gesture.loop)
    for side, columns in _ARM.items():
        if times[side] is not times["body"]:
            made[:, columns] = sample_rows(table[:, columns], times[side], gesture.loop)
    for name, values in added.items():
        curve = np.asarray(values, dtype=np.float64)
        clock = next((times[side] for side in _ARM if _ARM[side][INDEX[name]]), times["body"])
        made[:, INDEX[name]] += curve if curve.ndim == 0 else sample_rows(curve, clock, gesture.loop)
    return made


def add_idle(made: Floats, gesture: Gesture, manner: Manner, time: Floats) -> Floats:
    """Add sway and fidgeting to channels ``(T, C)``; gives how full the lungs are ``(T,)``."""
    phases = None if manner.seed is None else np.random.default_rng(manner.seed)
    for kind, gain in (("sway", manner.life), ("fidget", manner.fidget)):
        if gain > 0.0:
            columns = [INDEX[name] for name in _WAVES[kind]]
            shape = kind, len(time), gesture.loop
            made[:, columns] += gain * (_default_waves(*shape) if phases is None else _waves(*shape, phases))
    pace = PERIOD / (1.0 + 0.5 * manner.fidget)
    return np.asarray(manner.life * _breaths(len(time), pace))


def breath_curve(time: Floats, breaths: int, duration: float) -> Floats:
    """``(T,)`` how full the lungs are, from 0 to 1: whole breaths, quicker in than out, a rest between."""
    phase = np.mod(breaths * time / duration, 1.0)
    return ramp(phase, 0.0, FULL) - ramp(phase, FULL, EMPTY)


@lru_cache(maxsize=64)
def _breaths(frames: int, pace: float) -> Floats:
    """``(T,)`` whole breaths, each about ``pace`` seconds, that fill a gesture."""
    duration = max(frames - 1, 1) / RATE
    return breath_curve(np.arange(frames) / RATE, max(1, round(duration / pace)), duration)


@lru_cache(maxsize=64)
def _default_waves(kind: str, frames: int, loop: bool) -> Floats:
    """The waves without a seed, which are always the same."""
    return _waves(kind, frames, loop, None)


def _waves(kind: str, frames: int, loop: bool, phases: np.random.Generator | None) -> Floats:
    """``(T, N)`` sums of sine waves, one per channel: zero at both ends of a gesture; whole periods in a loop."""
    time = np.arange(frames) / RATE
    duration = max(float(time[-1]), 1.0 / RATE)
    total = np.zeros((frames, len(_WAVES[kind])))
    for i, waves in enumerate(_WAVES[kind].values()):
        for amplitude, frequency, phase in waves:
            if phases is not None:
                phase, frequency = phases.uniform(0.0, 2.0 * np.pi), frequency * phases.uniform(0.85, 1.15)
            if loop:
                frequency = max(1, round(frequency * duration)) / duration
            total[:, i] += amplitude * np.sin(2.0 * np.pi * frequency * time + phase)
    if loop:
        return total
    edge = min(EDGE, 0.4 * duration)
    shown = ramp(time, 0.0, edge) * (1.0 - ramp(time, duration - edge, duration))
    return np.asarray(total * shown[:, None])


def join_channels(tables: Sequence[Floats], breaths: Sequence[Floats]) -> ChannelCurves:
    """The channels of a batch's performances."""
    if len(tables) == 1:
        return ChannelCurves(tables[0], breaths[0])
    return ChannelCurves(np.concatenate(tables), np.concatenate(breaths))


def loop_channels(gesture: Gesture, batch: Batch, first: int = 0) -> ChannelCurves:
    """A loop's channels without idle motion, repeated to fill the batch, from its frame ``first``."""
    table = channel_table(gesture)
    rows = (first + np.arange(len(batch))) % (len(table) - 1)
    return ChannelCurves(np.array(table[rows]), np.zeros(len(batch)))
