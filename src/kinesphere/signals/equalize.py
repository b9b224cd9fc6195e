"""Motion equaliser: gains on octave bands of every curve (Bruderlin and Williams 1995).

Band 0 is the fastest, each next one an octave slower; ``maths.bands`` splits and mixes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self, get_args

import numpy as np
from pydantic import PlainValidator

from kinesphere.maths import bands
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.document import (
    READ_ONLY,
    Flag,
    Setting,
    Text,
    document,
    expected_type,
    not_allowed,
    number,
)
from kinesphere.motion.edit import motion_edit
from kinesphere.motion.humanoid import select_joints
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit

Preset = Literal["exaggerate", "soften", "twitch", "constrain", "anticipate", "denoise"]
MOST_GAIN = 20.0
# Gains at periods in seconds, so that they mean the same at any frame rate; between them linear in octaves.
PRESETS: Mapping[Preset, Mapping[float, float]] = MappingProxyType(
    {
        "exaggerate": {0.12: 1.0, 0.25: 1.6, 0.5: 1.7, 1.0: 1.6, 2.0: 1.0},
        "soften": {0.12: 0.0, 0.25: 0.35, 0.5: 0.7, 1.0: 0.9, 2.0: 1.0},
        "twitch": {0.03: 7.0, 0.06: 5.0, 0.12: 2.0, 0.25: 1.0},
        "constrain": {0.12: 1.0, 0.25: 0.45, 0.5: 0.35, 1.0: 0.45, 2.0: 1.0},
        # Bruderlin's knock has one slow band negative. On ours that lifts the hand before it starts; more of the bands
        # that are slower than the stroke draw it back first and let it overshoot.
        "anticipate": {0.25: 1.0, 0.5: 1.8, 1.0: 2.2, 2.0: 1.0},
        "denoise": {0.03: 0.0, 0.06: 0.05, 0.12: 0.6, 0.25: 1.0},
    }
)
Gain = Annotated[float, number(-MOST_GAIN, MOST_GAIN)]


def _check_band(key: Any) -> int:
    """A band of an equaliser; documents have it as text."""
    value = key.item() if isinstance(key, np.generic) else key
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise expected_type('a band such as "2", a whole number from 0, the fastest,')
    return value


def _check_period(key: Any) -> float:
    """A period in seconds; documents have it as text."""
    value = key.item() if isinstance(key, np.generic) else key
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError):
        raise expected_type('a period such as "0.5", seconds above zero,') from None
    if isinstance(key, bool) or not (np.isfinite(value) and value > 0.0):
        raise not_allowed("a period of seconds above zero")
    return float(value)


def _check_band_or_period(key: Any) -> float:
    """A band, which is a whole number, or a period, which has a decimal point in a document."""
    value = key.item() if isinstance(key, np.generic) else key
    whole = value.isdecimal() if isinstance(value, str) else isinstance(value, int)
    return _check_band(value) if whole else _check_period(value)


Band = Annotated[int, PlainValidator(_check_band, json_schema_input_type=str)]
Period = Annotated[float, PlainValidator(_check_period, json_schema_input_type=str)]
BandOrPeriod = Annotated[float, PlainValidator(_check_band_or_period, json_schema_input_type=str)]


def parse_gains(text: str) -> dict[float, float]:
    """Gains by band or by period from a text such as ``2=1.5,3=0``."""
    found: dict[float, float] = {}
    for piece in text.split(","):
        name, _, value = (part.strip() for part in piece.partition("="))
        try:
            found[int(name) if name.isdecimal() else float(name)] = float(value)
        except ValueError:
            raise ValueError(f"found {piece.strip()!r}; gains such as 2=1.5 or 0.5=2 are expected") from None
    return found


@motion_edit("equalize")
@document(frozen=True)
class Equalize(Edit):
    """Make slow or quick movement larger or smaller, as on a sound engineer's desk.

    A motion's curves are split into bands, each an octave slower than the one before, and each is amplified or damped.
    A motion that is no loop is taken to rest in its first and last poses before and after it.
    """

    bands: Annotated[
        Mapping[Band, Gain],
        READ_ONLY,
        Setting(
            "Gains by band: 0 is the fastest, and each next one is an octave slower. Those left out are 1.",
            option="--band",
            parse=parse_gains,
            metavar="BAND=GAIN",
            repeated=True,
        ),
    ] = field(default_factory=dict)
    periods: Annotated[
        Mapping[Period, Gain],
        READ_ONLY,
        Setting(
            "Gains by period in seconds, the same at any frame rate: between them linear in octaves. They multiply "
            "those of bands.",
            option="--period",
            parse=parse_gains,
            metavar="SECONDS=GAIN",
            repeated=True,
        ),
    ] = field(default_factory=dict)
    preset: Annotated[Preset, Setting("Gains by name; they multiply the others.")] | None = None
    groups: Annotated[
        Mapping[Text, Annotated[Mapping[BandOrPeriod, Gain], READ_ONLY]],
        READ_ONLY,
        Setting(
            'Other gains for some joints, in place of the above: {"arms": {2: 1.5}}. Bands or periods.', hidden=True
        ),
    ] = field(default_factory=dict)
    loop: Annotated[
        Flag,
        Setting(
            "Whether it goes round and round, its last frame its first.",
            help="It goes round and round: keep its seam closed.",
        ),
    ] = False

    def __post_init__(self) -> None:
        for name, gains in self.groups.items():
            if len({isinstance(key, int) for key in gains}) > 1:
                raise ValueError(f"groups.{name} has bands, whole numbers, and periods; one kind is expected")

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (*(cls(preset=name) for name in get_args(Preset)), cls(periods={0.5: 2.0, 2.0: 0.5}))

    @property
    def is_loop(self) -> bool:
        return self.loop

    @property
    def neutral(self) -> bool:
        given = [*self.bands.values(), *self.periods.values()]
        given += [gain for gains in self.groups.values() for gain in gains.values()]
        return self.preset is None and all(gain == 1.0 for gain in given)

    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        count, rate = bands.band_count(len(curves.table)), curves.motion.rate
        if count == 0:
            return curves.table
        gains = np.repeat(self._gains(count, rate)[:, None], curves.table.shape[1], axis=1)
        for name, own in self.groups.items():
            columns = curves.columns(select_joints(curves.motion.skeleton, name))
            gains[:, columns] = _band_gains(own, count, rate)[:, None]
        # A body that travels or turns goes on doing so: the linear trend of heading and path belongs to no band. In a
        # loop that holds for all curves.
        trend = np.zeros_like(curves.table)
        columns_with_trend = slice(0 if self.loop else curves.heading_column, None)
        first, last = curves.table[0, columns_with_trend], curves.table[-1, columns_with_trend]
        trend[:, columns_with_trend] = first + np.linspace(0.0, 1.0, len(trend))[:, None] * (last - first)
        mix = _mix_loop if self.loop else bands.mix
        return trend + mix(curves.table - trend, gains)

    def _gains(self, count: int, rate: float) -> Floats:
        gains = _band_gains(self.bands, count, rate) * _band_gains(self.periods, count, rate)
        return gains if self.preset is None else gains * _band_gains(PRESETS[self.preset], count, rate)


def _mix_loop(table: Floats, gains: Floats) -> Floats:
    """Bands of a loop ``(T, D)`` whose last frame is its first, mixed with gains ``(K, D)``.

    The slowest band's kernel reaches less than two loops to either side: the middle one of five is exact.
    """
    period = len(table) - 1
    if period < 1:
        return table
    repeated = np.concatenate([*[table[:-1]] * 5, table[:1]])
    slower = bands.band_count(len(repeated)) - len(gains)
    mixed = bands.mix(repeated, np.concatenate([gains, np.ones((slower, gains.shape[1]))]))
    return mixed[2 * period : 3 * period + 1]


def _band_gains(gains: Mapping[Any, float], count: int, rate: float) -> Floats:
    """``(K,)`` gains of bands: keys that are whole numbers are bands, others periods in seconds."""
    by_band = np.ones(count)
    if not gains:
        return by_band
    if all(isinstance(key, int) for key in gains):
        for band, gain in gains.items():
            if band >= count:
                raise ValueError(f"band {band}: this motion has {count}, from 0 to {count - 1}")
            by_band[int(band)] = gain
        return by_band
    return bands.gains_by_period(list(gains), list(gains.values()), count, rate)
