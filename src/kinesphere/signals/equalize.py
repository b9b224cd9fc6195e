"""Motion equaliser: gains on octave bands of every curve (Bruderlin and Williams 1995).

Band 0 is the fastest, each next one an octave slower; ``maths.bands`` splits and mixes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.maths import bands
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import select_joints
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit

MOST_GAIN = 20.0
# Gains at periods in seconds, so that they mean the same at any frame rate; between them linear in octaves.
PRESETS: Mapping[str, Mapping[float, float]] = MappingProxyType(
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
Gains = Mapping[int, float] | Mapping[float, float]


@dataclass(frozen=True)
class Equalize(Edit):
    """Bands of movement, amplified or damped.

    Parameters
    ----------
    bands
        Gains by band number: 0 is the fastest, and each next one is an octave slower. Those left out are 1.
    periods
        Gains by period in seconds, which mean the same at any frame rate: between them linear in octaves. Multiplied
        with those of ``bands``.
    preset
        One of ``PRESETS``, multiplied as well.
    groups
        Other gains for some joints, in place of the above: ``{"arms": {2: 1.5}}``. Whole numbers are bands, others
        seconds.
    loop
        Whether the motion is a loop, its last frame its first. Otherwise its first and last poses are held before and
        after it.
    """

    bands: Mapping[int, float] = field(default_factory=dict)
    periods: Mapping[float, float] = field(default_factory=dict)
    preset: str | None = None
    groups: Mapping[str, Gains] = field(default_factory=dict)
    loop: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bands", _check_gains("bands", self.bands, whole=True))
        object.__setattr__(self, "periods", _check_gains("periods", self.periods, whole=False))
        if self.preset is not None and self.preset not in PRESETS:
            raise ValueError(unknown_name("preset", self.preset, PRESETS))
        if not isinstance(self.groups, Mapping):
            raise TypeError(f"groups is {self.groups!r}; groups with their gains are expected, {{'arms': {{2: 1.5}}}}")
        groups = {name: _check_gains(f"groups[{name!r}]", gains) for name, gains in self.groups.items()}
        object.__setattr__(self, "groups", MappingProxyType(groups))

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


def _band_gains(gains: Gains, count: int, rate: float) -> Floats:
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


def _check_gains(what: str, gains: object, *, whole: bool | None = None) -> Mapping[Any, float]:
    """Gains by band (``whole``) or by period; None: either, but not both."""
    if not isinstance(gains, Mapping):
        raise TypeError(f"{what} is {gains!r}; gains by band or by period are expected, {{2: 1.5}} or {{0.5: 1.5}}")
    checked: dict[float, float] = {}
    for key, gain in gains.items():
        number: Any = key.item() if isinstance(key, np.generic) else key
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise TypeError(f"{what}: {key!r} is no band and no period; a number is expected")
        band, value = isinstance(number, int) if whole is None else whole, float(number)
        if band and (not isinstance(number, int) or value < 0.0):
            raise ValueError(f"{what}: {key!r} is no band; whole numbers from 0, the fastest, are expected")
        if not band and not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{what}: a period of {key!r} s: seconds above zero are expected")
        checked[int(number) if band else value] = _check_gain(f"{what}[{key}]", gain)
    if len({isinstance(key, int) for key in checked}) > 1:
        raise ValueError(f"{what} has bands, whole numbers, and periods; one kind is expected")
    return MappingProxyType(checked)


def _check_gain(what: str, gain: object) -> float:
    if isinstance(gain, bool) or not isinstance(gain, int | float | np.number):
        raise TypeError(f"{what} is {gain!r}; a number is expected")
    value = float(gain)
    if not np.isfinite(value) or abs(value) > MOST_GAIN:
        raise ValueError(f"{what} is {gain!r}; −{MOST_GAIN:g} to {MOST_GAIN:g} is allowed")
    return value
