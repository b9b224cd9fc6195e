"""Several motions made one: plainly or band by band, with or without a common clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_plants
from kinesphere.body.foot_lock import lock_feet
from kinesphere.body.plants import Plant, Plants
from kinesphere.kernels import bands, rotations, winding
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.retiming import at_times
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.alignment import Cost, align, on_body, performed
from kinesphere.signals.curves import carrier_of
from kinesphere.signals.feet import carried

Weights = Sequence[float] | Sequence[Mapping[float, float]]
LEAST = 0.05  # that weights sum to before they are made to sum to one
SHORTEST = 0.08  # seconds that a foot stands at least
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Blend:
    """A motion between several: ``Blend([0.4, 0.6])(drum, sway)``.

    Parameters
    ----------
    weights
        One for each motion: a number, or numbers at seconds of the result, between which they run smoothly. They are
        made to sum to one; negative ones lead away from a motion. Left out: all alike.
    bands
        Other weights for single bands, by number or, where not whole, by period in seconds: ``{0.5: [1.0, 0.0]}`` lets
        the first have all movement about half a second long. With any, blending is band by band.
    align
        Bring what corresponds together first, so that feet step at one time. The result's pace is between theirs.
    cost
        For that; see ``signals.align``.
    feet
        Whether feet that stand in most of the motions stand still.
    """

    weights: Weights | None = None
    bands: Mapping[float, Sequence[float]] = field(default_factory=dict)
    align: bool = True
    cost: Cost = "shape"
    feet: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "bands", MappingProxyType({k: tuple(v) for k, v in dict(self.bands).items()}))
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(self.weights))
            for weight in self.weights:
                for value in weight.values() if isinstance(weight, Mapping) else (weight,):
                    if not np.isfinite(value):
                        raise ValueError(f"a weight is {value!r}; finite numbers are expected")

    def __call__(self, *motions: Motion) -> Motion:
        """The motion between them, on the first one's body and at its rate."""
        if not motions:
            raise ValueError("nothing to blend; give one motion at least")
        if self.weights is not None and len(self.weights) != len(motions):
            raise ValueError(f"{len(self.weights)} weights for {len(motions)} motions; as many are expected")
        for band, weights in self.bands.items():
            if len(weights) != len(motions):
                raise ValueError(f"{len(weights)} weights of band {band:g} for {len(motions)} motions")
        if len(motions) == 1:
            return motions[0]
        first = performed(motions[0])
        cast = [first, *(on_body(performed(motion), first) for motion in motions[1:])]
        cast = [motion if motion.rate == first.rate else motion.resampled(first.rate) for motion in cast]
        cast, labels = _together(cast, self._means(len(cast)), self)
        shares = self._shares(cast[0], len(cast))
        made = _blended(cast, shares, self._gains(len(cast[0]), first.rate, len(cast)))
        return _planted(made, labels, shares) if self.feet and labels is not None else made

    def _means(self, count: int) -> Floats:
        """``(N,)`` each motion's weight on the mean."""
        given = self.weights or (1.0,) * count
        return _summed(np.array([np.mean(list(w.values())) if isinstance(w, Mapping) else w for w in given]))

    def _shares(self, motion: Motion, count: int) -> Floats:
        """``(N, T)`` each motion's weight over time."""
        time, rows = motion.times, []
        for weight in self.weights or (1.0,) * count:
            if isinstance(weight, Mapping):
                moments = sorted(weight)
                u = np.interp(time, moments, np.arange(len(moments)))
                low = np.minimum(np.floor(u).astype(np.intp), max(len(moments) - 2, 0))
                values = np.array([weight[m] for m in moments])
                share = u - low
                share = share * share * (3.0 - 2.0 * share)
                rows.append(values[low] + share * (values[np.minimum(low + 1, len(values) - 1)] - values[low]))
            else:
                rows.append(np.full(len(time), float(weight)))
        return _summed(np.array(rows))

    def _gains(self, frames: int, rate: float, count: int) -> Floats | None:
        """``(K, N)`` each band's weights, NaN where they are the usual ones; None: not band by band."""
        if not self.bands:
            return None
        number = bands.band_count(frames)
        made = np.full((number, count), np.nan)
        peaks = np.log(bands.periods(number, rate))
        for key, weights in self.bands.items():
            whole = isinstance(key, int) and not isinstance(key, bool)
            band = int(key) if whole else int(np.argmin(np.abs(peaks - np.log(key))))
            if not 0 <= band < number:
                raise ValueError(f"band {band}: these motions have {number}, from 0 to {number - 1}")
            made[band] = _summed(np.array(weights, dtype=np.float64))
        return made


def _summed(weights: Floats) -> Floats:
    """Weights ``(N, ...)`` that sum to one."""
    total = weights.sum(axis=0)
    if np.min(total) < LEAST:
        raise ValueError(f"weights sum to {float(np.min(total)):g}; a sum of {LEAST:g} at least is expected")
    return np.asarray(weights / total)


def _together(cast: list[Motion], means: Floats, how: Blend) -> tuple[list[Motion], list[Plants] | None]:
    """The motions on one clock and of one length, and when their feet stand there."""
    first = cast[0]
    maps = [TimeMap.identity()]
    maps += [align(first, other, how.cost) if how.align else TimeMap.identity() for other in cast[1:]]
    time = first.times
    if how.align:
        common = np.sum([weight * own(time) for weight, own in zip(means, maps, strict=True)], axis=0)
        common = np.maximum.accumulate(common + 1e-6 * time)
        count = round((common[-1] - common[0]) * first.rate) + 1
        at = np.interp(common[0] + np.arange(count) / first.rate, common, time)  # of the first one's time
    else:
        at = np.arange(min(len(motion) for motion in cast)) / first.rate
    made, plants = [], []
    legs = all(role in first.skeleton.with_found_roles().roles for role in LEGS)
    for motion, own in zip(cast, maps, strict=True):
        taken = np.clip(own(at), 0.0, motion.duration)
        q, t, _ = at_times(motion, taken)
        skeleton = first.skeleton.with_found_roles()
        made.append(Motion(skeleton, first.rate, q, t, name=motion.name))
        if how.feet and legs:
            plants.append(_sampled(find_plants(motion), taken * motion.rate))
    return made, plants if how.feet and legs else None


def _sampled(plants: Plants, frames: Floats) -> Plants:
    """Plants as they are at other frames ``(T,)``, anchors left open."""
    return replace(plants, frames=len(frames), intervals=_intervals(plants, frames))


def _intervals(plants: Plants, frames: Floats) -> tuple[Plant, ...]:
    made = []
    for plant in plants.intervals:
        own = np.flatnonzero((frames >= plant.first - 0.5) & (frames <= plant.last + 0.5))
        if own.size:
            made.append(replace(plant, first=int(own[0]), last=int(own[-1])))
    return tuple(made)


def _blended(cast: list[Motion], shares: Floats, gains: Floats | None) -> Motion:
    first = cast[0]
    carrier = carrier_of(first.skeleton)
    turns = np.stack([motion.rotations for motion in cast]).copy()  # (N, T, J, 4)
    headings = np.empty((len(cast), len(first)))
    for k, motion in enumerate(cast):
        headings[k], turns[k, :, carrier] = winding.heading(motion.rotations[:, carrier], UP)
    about = winding.reference(turns.reshape(-1, *turns.shape[2:]))
    tables = np.stack([winding.unwound(own, about).reshape(len(first), -1) for own in turns])
    if gains is None:
        mixed = _mean(turns, shares)
    else:
        mixed = winding.wound(_by_bands(tables, shares, gains).reshape(len(first), -1, 3), about)
    turning = np.diff(headings, axis=1, prepend=headings[:, :1])
    heading = headings[0, 0] + np.cumsum((shares * turning).sum(axis=0))
    mixed[:, carrier] = rotations.multiply(rotations.from_rotation_vector(heading[:, None] * UP), mixed[:, carrier])
    places = np.einsum("nt,ntjc->tjc", shares, np.stack([motion.translations for motion in cast]))
    places[:, carrier] = _path(cast, carrier, headings, heading, shares, gains)
    return replace(first, rotations=rotations.continuous(mixed), translations=places, calibration_frames=())


def _mean(turns: Floats, shares: Floats) -> Floats:
    """The weighted mean ``(T, J, 4)`` of rotations ``(N, T, J, 4)``: of two, the way between them at that share."""
    if len(turns) == 2:
        return rotations.slerp(turns[0], turns[1], np.repeat(shares[1][:, None], turns.shape[2], axis=1))
    near = np.where(np.sum(turns * turns[:1], axis=-1, keepdims=True) < 0.0, -turns, turns)
    return rotations.normalise(np.einsum("nt,ntjc->tjc", shares, near))


def _by_bands(tables: Floats, shares: Floats, gains: Floats) -> Floats:
    """Tables ``(N, T, D)`` blended band by band: bands without weights of their own by ``shares (N, T)``."""
    total = np.zeros(tables.shape[1:])
    for k, table in enumerate(tables):
        layers, rest = bands.split(table)
        total += shares[k][:, None] * rest
        for band, layer in enumerate(layers):
            own = gains[band, k]
            total += (shares[k][:, None] if np.isnan(own) else own) * layer
    return total


def _path(
    cast: list[Motion], carrier: int, headings: Floats, heading: Floats, shares: Floats, gains: Floats | None
) -> Floats:
    """``(T, 3)`` where the carrier goes: as far ahead and aside as all go on the mean, each from its own heading."""
    speeds = []
    for motion, own in zip(cast, headings, strict=True):
        step = np.diff(motion.translations[:, carrier], axis=0, prepend=motion.translations[:1, carrier])
        speeds.append(_turned(step, -own))
    moved = np.stack(speeds)
    step = np.einsum("nt,ntc->tc", shares, moved)
    made = cast[0].translations[0, carrier] + np.cumsum(_turned(step, heading), axis=0)
    heights = np.stack([motion.translations[:, carrier, 1] for motion in cast])[..., None]
    made[:, 1] = (np.einsum("nt,ntc->tc", shares, heights) if gains is None else _by_bands(heights, shares, gains))[
        :, 0
    ]
    return np.asarray(made)


def _turned(steps: Floats, angle: Floats) -> Floats:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * steps[:, 0] + s * steps[:, 2], steps[:, 1], c * steps[:, 2] - s * steps[:, 0]], axis=1)


def _planted(made: Motion, labels: list[Plants], shares: Floats) -> Motion:
    """Feet that stand in most of the motions stand still."""
    intervals: list[Plant] = []
    for name in labels[0].points:
        standing = np.sum([share * own.labels[name] for share, own in zip(shares, labels, strict=True)], axis=0) > 0.5
        plant = next((p for own in labels for p in own.of(name)), None)
        if plant is None:
            continue
        intervals += [
            replace(plant, first=first, last=last)
            for first, last in _runs(standing)
            if (last - first + 1) / made.rate >= SHORTEST
        ]
    plants = Plants(len(made), made.rate, labels[0].ground, labels[0].points, tuple(intervals))
    return lock_feet(made, carried(plants, made))


def _runs(flags: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
