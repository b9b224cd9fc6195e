"""Body curves of a phrase: torso, head, hips, shoulders and fingers at every frame, with idle motion on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.engine.batch import Batch
from kinesphere.engine.idle import IDLE_WAVES, breath_over, idle_waves
from kinesphere.engine.proportions import LEG
from kinesphere.maths.interpolation import cubic_rows_at, gaussian, monotone_cubic
from kinesphere.maths.vectors import Floats
from kinesphere.motion.gesture import CHANNELS
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import SAMPLES, Phrase

NAMES = tuple(CHANNELS)
INDEX = {name: i for i, name in enumerate(NAMES)}
_RESTS = {name: 1.0 for name in NAMES if name.endswith("hand.loose")}  # channels that rest at something else than 0
_HIPS = [INDEX[f"hips.{axis}"] for axis in "xyz"]  # in leg lengths in a phrase, in metres of the figure in tables


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


@memoised
def channel_table(phrase: Phrase) -> Floats:
    """``(N, C)`` all channels over the phrase's own time, ``SAMPLES`` rows per second; kept for as long as it lives."""
    time = phrase.times
    period = phrase.duration if phrase.loop else None
    table = np.zeros((len(time), len(NAMES)))
    for name, value in _RESTS.items():
        table[:, INDEX[name]] = value
    curves = {name: curve for track in phrase.tracks.values() for name, curve in track.curves.items()}
    if curves:
        rows = [monotone_cubic(curve.times, curve.values, time, period) for curve in curves.values()]
        smooth = gaussian(np.stack(rows, axis=1), SAMPLES, loop=phrase.loop)
        table[:, [INDEX[name] for name in curves]] = smooth
        table[:, _HIPS] *= LEG
    table.flags.writeable = False
    return table


def sample_rows(table: Floats, time: Floats, loop: bool) -> Floats:
    """Rows of a table ``(N, ...)`` with ``SAMPLES`` rows per second, at times in seconds."""
    return cubic_rows_at(table, time * SAMPLES, loop)


_SIDES = {side: np.array([name.startswith(side) for name in NAMES]) for side in ("left", "right")}
_ARM = {side: _SIDES[side] & np.array([".foot." not in name for name in NAMES]) for side in _SIDES}


def sample_channels(phrase: Phrase, times: Mapping[str, Floats]) -> Floats:
    """``(T, C)`` the channels of one phrase, at its own times of the ``"body"`` and of each arm."""
    table = channel_table(phrase.original)
    made = sample_rows(table, times["body"], phrase.loop)
    for side, columns in _ARM.items():
        if times[side] is not times["body"]:
            made[:, columns] = sample_rows(table[:, columns], times[side], phrase.loop)
    clocks: dict[int, tuple[Floats, dict[str, Floats]]] = {}
    for name, values in phrase.added_channels.items():
        clock = next((times[side] for side in _ARM if _ARM[side][INDEX[name]]), times["body"])
        clocks.setdefault(id(clock), (clock, {}))[1][name] = values
    for clock, added in clocks.values():
        add_channels(made, added, clock, phrase.loop)
    return made


def added_channel(name: str, values: Floats, times: Floats, loop: bool) -> Floats:
    """What an overlay adds to a channel at times of the phrase ``(T,)``: one number, or ``(T,)``."""
    curve = _in_figure_metres(name, values)
    return curve if curve.ndim == 0 else sample_rows(curve, times, loop)


def _in_figure_metres(name: str, values: Floats) -> Floats:
    return np.asarray(np.asarray(values, dtype=np.float64) * (LEG if INDEX[name] in _HIPS else 1.0))


def add_channels(made: Floats, added: Mapping[str, Floats], times: Floats, loop: bool) -> None:
    """Add overlays, numbers or curves over the phrase's own time, to channels ``(T, C)`` at its times ``(T,)``."""
    curves: dict[int, dict[int, Floats]] = {}  # of each length, by column
    for name, values in added.items():
        curve = _in_figure_metres(name, values)
        if curve.ndim == 0:
            made[:, INDEX[name]] += curve
        else:
            curves.setdefault(len(curve), {})[INDEX[name]] = curve
    for own in curves.values():
        made[:, list(own)] += sample_rows(np.stack(list(own.values()), axis=1), times, loop)


def add_idle(made: Floats, phrase: Phrase, time: Floats, rate: float) -> Floats:
    """Add sway and fidgeting to channels ``(T, C)``; gives how full the lungs are ``(T,)``."""
    phases = None if phrase.seed is None else np.random.default_rng(phrase.seed)
    for kind, gain in (("sway", phrase.life), ("fidget", phrase.fidget)):
        if gain > 0.0:
            columns = [INDEX[name] for name in IDLE_WAVES[kind]]
            made[:, columns] += gain * idle_waves(kind, len(time), rate, phrase.loop, phases)
    return np.asarray(phrase.life * breath_over(len(time), rate, phrase.fidget))


def join_channels(tables: Sequence[Floats], breaths: Sequence[Floats]) -> ChannelCurves:
    """The channels of a batch's performances."""
    if len(tables) == 1:
        return ChannelCurves(tables[0], breaths[0])
    return ChannelCurves(np.concatenate(tables), np.concatenate(breaths))


def loop_channels(phrase: Phrase, batch: Batch, first: int = 0) -> ChannelCurves:
    """A loop's channels without idle motion, repeated to fill the batch, from its frame ``first``."""
    table = channel_table(phrase)
    rows = (first + np.arange(len(batch))) % (len(table) - 1)
    return ChannelCurves(np.array(table[rows]), np.zeros(len(batch)))
