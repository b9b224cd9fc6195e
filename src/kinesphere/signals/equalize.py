"""A graphic equaliser for motion: octave bands of every curve, louder or softer."""

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

MOST = 20.0  # gain
# Gains at periods in seconds, so that they mean the same at any frame rate; between them they run evenly in octaves.
PRESETS: Mapping[str, Mapping[float, float]] = MappingProxyType(
    {
        "exaggerate": {0.12: 1.0, 0.25: 1.6, 0.5: 1.7, 1.0: 1.6, 2.0: 1.0},
        "soften": {0.12: 0.0, 0.25: 0.35, 0.5: 0.7, 1.0: 0.9, 2.0: 1.0},
        "twitch": {0.03: 7.0, 0.06: 5.0, 0.12: 2.0, 0.25: 1.0},
        "constrain": {0.12: 1.0, 0.25: 0.45, 0.5: 0.35, 1.0: 0.45, 2.0: 1.0},
        # Bruderlin's knock has one slow band negative. On ours that lifts the hand before it starts; it is more of the
        # bands that are slower than the stroke that draws it back first and lets it swing past its end.
        "anticipate": {0.25: 1.0, 0.5: 1.8, 1.0: 2.2, 2.0: 1.0},
        "denoise": {0.03: 0.0, 0.06: 0.05, 0.12: 0.6, 0.25: 1.0},
    }
)
Gains = Mapping[int, float] | Mapping[float, float]


@dataclass(frozen=True)
class Equalize(Edit):
    """Bands of movement, louder or softer.

    Parameters
    ----------
    bands
        Gains by band number: 0 is the fastest, and each next one is an octave slower. Those left out are 1.
    periods
        Gains by period in seconds, which mean the same at any frame rate: between them they run evenly in octaves.
        Multiplied with those of ``bands``.
    preset
        One of ``PRESETS``, multiplied as well.
    groups
        Other gains for some joints, in place of the above: ``{"arms": {2: 1.5}}``. Whole numbers are bands, others
        seconds.
    loop
        Whether the motion goes round and round, so that its end leads into its beginning. Otherwise what it begins and
        ends with is held before and after.
    """

    bands: Mapping[int, float] = field(default_factory=dict)
    periods: Mapping[float, float] = field(default_factory=dict)
    preset: str | None = None
    groups: Mapping[str, Gains] = field(default_factory=dict)
    loop: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "bands", _checked("bands", self.bands, whole=True))
        object.__setattr__(self, "periods", _checked("periods", self.periods, whole=False))
        if self.preset is not None and self.preset not in PRESETS:
            raise ValueError(unknown_name("preset", self.preset, PRESETS))
        if not isinstance(self.groups, Mapping):
            raise TypeError(f"groups is {self.groups!r}; groups with their gains are expected, {{'arms': {{2: 1.5}}}}")
        groups = {name: _checked(f"groups[{name!r}]", gains) for name, gains in self.groups.items()}
        object.__setattr__(self, "groups", MappingProxyType(groups))

    @property
    def goes_round(self) -> bool:
        return self.loop

    @property
    def neutral(self) -> bool:
        given = [*self.bands.values(), *self.periods.values()]
        given += [gain for gains in self.groups.values() for gain in gains.values()]
        return self.preset is None and all(gain == 1.0 for gain in given)

    def changed(self, curves: Curves, joints: Bools) -> Floats:
        count, rate = bands.band_count(len(curves.table)), curves.motion.rate
        if count == 0:
            return curves.table
        whole = self._gains(count, rate)
        gains = np.repeat(whole[:, None], curves.table.shape[1], axis=1)
        for name, own in self.groups.items():
            columns = curves.columns(select_joints(curves.motion.skeleton, name))
            gains[:, columns] = _by_key(own, count, rate)[:, None]
        # Who travels or turns goes on doing so: of heading and places, what is even from first to last is no band's.
        # Of a loop that holds for all.
        even = np.zeros_like(curves.table)
        goes = slice(0 if self.loop else 3 * len(curves.about), None)
        first, last = curves.table[0, goes], curves.table[-1, goes]
        even[:, goes] = first + np.linspace(0.0, 1.0, len(even))[:, None] * (last - first)
        mixed = _mix_loop if self.loop else bands.mix
        return even + mixed(curves.table - even, gains)

    def _gains(self, count: int, rate: float) -> Floats:
        made = _by_key(self.bands, count, rate) * _by_key(self.periods, count, rate)
        return made if self.preset is None else made * _by_key(PRESETS[self.preset], count, rate)


def _mix_loop(table: Floats, gains: Floats) -> Floats:
    """Bands of a loop ``(T, D)`` whose last frame is its first, mixed with gains ``(K, D)``.

    The slowest band looks less than twice as far as the loop is long to either side.
    """
    period = len(table) - 1
    if period < 1:
        return table
    again = np.concatenate([*[table[:-1]] * 5, table[:1]])
    more = bands.band_count(len(again)) - len(gains)
    made = bands.mix(again, np.concatenate([gains, np.ones((more, gains.shape[1]))]))
    return made[2 * period : 3 * period + 1]


def _by_key(gains: Mapping[int, float] | Mapping[float, float], count: int, rate: float) -> Floats:
    """``(K,)`` gains of bands: whole numbers name them, others are periods in seconds."""
    made = np.ones(count)
    if not gains:
        return made
    if all(isinstance(key, int) for key in gains):
        for band, gain in gains.items():
            if band >= count:
                raise ValueError(f"band {band}: this motion has {count}, from 0 to {count - 1}")
            made[int(band)] = gain
        return made
    return bands.gains_by_period(list(gains), list(gains.values()), count, rate)


def _checked(what: str, gains: object, *, whole: bool | None = None) -> Mapping[Any, float]:
    """Gains by band, whole numbers, or by period; ``whole`` None: either, but not both."""
    if not isinstance(gains, Mapping):
        raise TypeError(f"{what} is {gains!r}; gains by band or by period are expected, {{2: 1.5}} or {{0.5: 1.5}}")
    made: dict[float, float] = {}
    for key, gain in gains.items():
        number: Any = key.item() if isinstance(key, np.generic) else key
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise TypeError(f"{what}: {key!r} is no band and no period; a number is expected")
        band, value = isinstance(number, int) if whole is None else whole, float(number)
        if band and (not isinstance(number, int) or value < 0.0):
            raise ValueError(f"{what}: {key!r} is no band; whole numbers from 0, the fastest, are expected")
        if not band and not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{what}: a period of {key!r} s: seconds above zero are expected")
        made[int(number) if band else value] = _gain(f"{what}[{key}]", gain)
    if len({isinstance(key, int) for key in made}) > 1:
        raise ValueError(f"{what} has bands, whole numbers, and periods; one kind is expected")
    return MappingProxyType(made)


def _gain(what: str, gain: object) -> float:
    if isinstance(gain, bool) or not isinstance(gain, int | float | np.number):
        raise TypeError(f"{what} is {gain!r}; a number is expected")
    value = float(gain)
    if not np.isfinite(value) or abs(value) > MOST:
        raise ValueError(f"{what} is {gain!r}; −{MOST:g} to {MOST:g} is allowed")
    return value
