"""Motions that are blended, on one clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kinesphere.body.contacts import Contact, Contacts, find_contacts
from kinesphere.body.foot_lock.lock import lock_feet
from kinesphere.body.ground import runs, sole_paths, sole_points
from kinesphere.body.require_roles import LEGS
from kinesphere.maths import bands, rotation_curves, rotations
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.retiming import pose_at_times
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.alignment import RADIUS, Cost, Search, align, match_body, trim_calibration
from kinesphere.signals.constraints import anchor_from_outside, crossfade, foot_hold_window, move_contacts, moves_feet
from kinesphere.signals.curves import Curves, HeadingSplit, moving_joints, split_headings
from kinesphere.signals.edit import FADE, check_strength, check_time_range, time_window
from kinesphere.signals.sources import Source, check_source, resolve_motion

SLOWEST = 0.1  # of the first one's pace that the common clock keeps, where weights lead beyond the motions


@dataclass(frozen=True, eq=False)
class AlignedMotion:
    """A motion on the common clock.

    Attributes
    ----------
    source
        The motion as it was.
    frames : (T,)
        Which of its frames, also between them.
    motion
        It on the common clock, T frames.
    """

    source: Motion
    frames: Floats
    motion: Motion


def align_motions(
    cast: list[Motion], shares: Callable[[Floats], Floats], how: tuple[Cost, Search, float] | None
) -> list[AlignedMotion]:
    """Motions of one body and rate on one clock: matched by ``how``, cost, search and radius, or None as they are.

    ``shares(time) (N, T)`` are their weights over the result's time. Its clock runs as all of theirs on the mean.
    """
    first = cast[0]
    if how is None:
        count = min(map(len, cast))
        return [AlignedMotion(motion, np.arange(float(count)), _bare(motion[:count], first)) for motion in cast]
    maps = [TimeMap.identity()]
    maps += [align(first, other, how[0], search=how[1], radius=how[2]) for other in cast[1:]]
    time = _common([own(first.times) for own in maps], first, shares)
    at = [own(time) for own in maps]
    made = []
    for motion, own in zip(cast, at, strict=True):
        own = np.clip(own, 0.0, motion.duration)
        q, t, scales = pose_at_times(motion, own)
        taken = Motion(first.skeleton, first.rate, freeze(q), freeze(t), scales=scales, name=first.name)
        made.append(AlignedMotion(motion, own * motion.rate, taken))
    return made


def _bare(motion: Motion, first: Motion) -> Motion:
    own = motion.rotations, motion.translations
    return Motion(first.skeleton, first.rate, *own, scales=motion.scales, name=first.name)


def _common(clocks: list[Floats], first: Motion, shares: Callable[[Floats], Floats]) -> Floats:
    """Moments of the first motion at the frames of the result, of each motion's time at the first one's frames."""
    steps = np.diff(np.stack(clocks), axis=1)  # (N, T − 1)
    lasts = np.maximum(steps.max(axis=1).max() * len(first), first.duration)
    fine = shares(np.arange(round(lasts * first.rate) + 2) / first.rate)
    now, passed = 0.0, [0.0]
    for step in steps.T.tolist():
        weights = fine[:, min(round(now * first.rate), fine.shape[1] - 1)]
        ahead = sum(weight * way for weight, way in zip(weights.tolist(), step, strict=True))
        now += max(ahead, SLOWEST / first.rate)
        passed.append(now)
    count = int(np.floor(now * first.rate + 0.5 + 1e-6)) + 1
    return np.asarray(np.interp(np.arange(count) / first.rate, passed, first.times))


# ---- Feet of a blend that stand while those of most of its motions stand.


SHORTEST = 0.08  # seconds that a foot stands at least


def hold_blend_feet(
    made: Motion, taken: list[AlignedMotion], shares: Floats, joints: Bools, weight: Floats | None = None
) -> Motion:
    """The blend of some joints ``(J,)`` with its feet held. Where none of these carries a foot, it stays as it is.

    ``weight (T,)`` is how much of it is a blend when; None: all.
    """
    skeleton = made.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS) or not moves_feet(skeleton, joints):
        return made
    given = replace(made, skeleton=skeleton)
    found = [find_contacts(replace(one.source, skeleton=skeleton)) for one in taken]
    intervals: list[Contact] = []
    for name in found[0].points:
        standing = np.zeros(len(made))
        for share, one, plants in zip(shares, taken, found, strict=True):
            standing += share * _standing(plants, name, one.frames)
        any_of = next((plant for plants in found for plant in plants.of(name)), None)
        for first, last in runs(standing > 0.5):
            if any_of is not None and (last - first + 1) / made.rate >= SHORTEST:
                intervals.append(replace(any_of, first=first, last=last))
    if weight is not None:
        intervals = [plant for plant in intervals if weight[plant.first : plant.last + 1].any()]
    plants = move_contacts(Contacts(len(made), made.rate, found[0].ground, found[0].points, tuple(intervals)), given)
    if weight is None:
        return replace(lock_feet(given, plants), skeleton=made.skeleton)
    plants = anchor_from_outside(plants, sole_paths(given, sole_points(skeleton)), weight > 0.0)
    return replace(crossfade(given, lock_feet(given, plants), foot_hold_window(weight)), skeleton=made.skeleton)


def _standing(plants: Contacts, name: str, frames: Floats) -> Bools:
    """``(T,)`` whether a point stands at frames ``(T,)``, also between whole ones."""
    labels = plants.labels[name]
    return np.asarray(labels[np.clip(np.round(frames).astype(np.intp), 0, len(labels) - 1)])


# ---- Several motions made one: plainly or band by band, with or without a common clock.


Weight = float | Mapping[float, float]
LEAST = 0.05  # that weights sum to before they are made to sum to one
MOST = 100.0  # weight


@dataclass(frozen=True)
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
    cost, search, radius
        For that; see ``signals.align``.
    feet
        Whether feet that stand in most of the motions stand still.
    others
        Motions that come after those that it is called with, also as files: ``Blend(others=["sway.bvh"])(drum)``.
    joints, start, end, fade, strength
        As for every edit, in seconds of the result: other joints, and other times, are the first motion's. With some
        joints only, its pace is the first motion's as well.
    """

    weights: Sequence[Weight] | None = None
    bands: Mapping[float, Sequence[float]] = field(default_factory=dict)
    align: bool = True
    cost: Cost = "pose"
    search: Search = "auto"
    radius: float = RADIUS
    feet: bool = True
    others: Sequence[Source] = ()
    joints: str | Sequence[str] | None = None
    start: float | None = None
    end: float | None = None
    fade: float = FADE
    strength: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "bands", MappingProxyType({k: tuple(v) for k, v in dict(self.bands).items()}))
        for band, values in self.bands.items():
            if not np.isfinite(band) or band < 0.0:
                raise ValueError(f"a band is {band!r}; a number from 0, or a period in seconds, is expected")
            for value in values:
                _check(f"band {band:g}", value)
        check_time_range(self.start, self.end, self.fade)
        check_strength(self.strength)
        given = (self.others,) if isinstance(self.others, Motion | str | Path) else tuple(self.others)
        object.__setattr__(self, "others", given)
        for other in given:
            check_source("one of others", other)
        if self.joints is not None and not isinstance(self.joints, str):
            object.__setattr__(self, "joints", tuple(self.joints))
        if self.weights is None:
            return
        kept = tuple(MappingProxyType(dict(w)) if isinstance(w, Mapping) else float(w) for w in self.weights)
        object.__setattr__(self, "weights", kept)
        for k, weight in enumerate(kept):
            if isinstance(weight, Mapping) and not weight:
                raise ValueError(f"weights[{k}] is empty; weights at seconds are expected, {{0.0: 1.0, 2.0: 0.0}}")
            for moment, value in weight.items() if isinstance(weight, Mapping) else [(0.0, weight)]:
                if not np.isfinite(moment):
                    raise ValueError(f"weights[{k}] has a moment {moment!r}; finite seconds are expected")
                _check(f"weights[{k}]", value)

    def __call__(self, *motions: Motion) -> Motion:
        """The motion between them, on the first one's body and at its rate."""
        return self.with_clock(*motions)[0]

    def with_clock(self, *motions: Motion) -> tuple[Motion, TimeMap]:
        """The motion between them, and its clock: from the first one's time to the new one."""
        motions = (*motions, *(resolve_motion(other) for other in self.others))
        if not motions:
            raise ValueError("nothing to blend; give one motion at least")
        if self.weights is not None and len(self.weights) != len(motions):
            raise ValueError(f"{len(self.weights)} weights for {len(motions)} motions; as many are expected")
        for band, weights in self.bands.items():
            if len(weights) != len(motions):
                raise ValueError(f"{len(weights)} weights of band {band:g} for {len(motions)} motions")
        if len(motions) == 1:
            return motions[0], TimeMap.identity()
        first = trim_calibration(motions[0])
        cast = [first, *(match_body(trim_calibration(motion), first) for motion in motions[1:])]
        cast = [motion if motion.rate == first.rate else motion.resampled(first.rate) for motion in cast]
        how = (self.cost, self.search, self.radius) if self.align and min(map(len, cast)) > 1 else None
        wanted = select_joints(first.skeleton, self.joints)
        shares = partial(self.shares, count=len(cast))
        taken = align_motions(cast, shares if self.joints is None else partial(_first_alone, count=len(cast)), how)
        time = np.arange(len(taken[0].frames)) / first.rate
        made = _blended([one.motion for one in taken], shares(time), self._gains(len(time), first.rate, len(cast)))
        if not wanted.all():
            made = _only(taken[0].motion, made, wanted)
        if self.feet:
            somewhere = self.start is not None or self.end is not None
            inside = time_window(time, self.start, self.end, self.fade) if somewhere else None
            made = hold_blend_feet(made, taken, shares(time), wanted, inside)
        old = taken[0].frames / first.rate + int(motions[0].performed_frames[0]) / first.rate
        return made, TimeMap(old, time) if len(time) > 1 else TimeMap.identity()

    def shares(self, time: Floats, count: int) -> Floats:
        """``(N, T)`` each motion's weight at seconds ``(T,)`` of the result."""
        rows = [
            _phrase(weight, time) if isinstance(weight, Mapping) else np.full(len(time), float(weight))
            for weight in self.weights or (1.0,) * count
        ]
        made = _summed(np.array(rows))
        if self.start is not None or self.end is not None or self.strength != 1.0:
            inside = self.strength * time_window(time, self.start, self.end, self.fade)
            made = _first_alone(time, count) * (1.0 - inside) + made * inside
        return made

    def _gains(self, frames: int, rate: float, count: int) -> Floats | None:
        """``(K, N)`` each band's weights, NaN where they are the usual ones; None: not band by band."""
        if not self.bands:
            return None
        number = bands.band_count(frames)
        made = np.full((number, count), np.nan)
        peaks = np.log(bands.band_periods(number, rate))
        for key, weights in self.bands.items():
            whole = isinstance(key, int) and not isinstance(key, bool)
            if not whole and number == 0:
                continue
            band = int(key) if whole else int(np.argmin(np.abs(peaks - np.log(max(key, 1e-9)))))
            if not 0 <= band < number:
                raise ValueError(f"band {band}: these motions have {number}, from 0 to {number - 1}")
            made[band] = _summed(np.array(weights, dtype=np.float64))
        return made


def _first_alone(time: Floats, count: int) -> Floats:
    made = np.zeros((count, len(time)))
    made[0] = 1.0
    return made


def _only(first: Motion, made: Motion, joints: Bools) -> Motion:
    """Some joints ``(J,)`` of the blend, the others as in the first."""
    q, t = first.rotations.copy(), first.translations.copy()
    q[:, joints], t[:, joints] = made.rotations[:, joints], made.translations[:, joints]
    return replace(made, rotations=q, translations=t)


def _check(what: str, value: float) -> None:
    if not np.isfinite(value) or abs(value) > MOST:
        raise ValueError(f"{what}: a weight is {value!r}; −{MOST:g} to {MOST:g} is allowed")


def _phrase(weight: Mapping[float, float], time: Floats) -> Floats:
    """Weights at moments as a smooth course at seconds ``(T,)``."""
    moments = np.array(sorted(weight))
    values = np.array([weight[moment] for moment in moments.tolist()])
    u = np.interp(time, moments, np.arange(len(moments)))
    low = np.minimum(np.floor(u).astype(np.intp), max(len(moments) - 2, 0))
    share = u - low
    share = share * share * (3.0 - 2.0 * share)
    return np.asarray(values[low] + share * (values[np.minimum(low + 1, len(values) - 1)] - values[low]))


def _summed(weights: Floats) -> Floats:
    """Weights ``(N, ...)`` that sum to one."""
    total = weights.sum(axis=0)
    if np.min(total) < LEAST:
        raise ValueError(f"weights sum to {float(np.min(total)):g}; a sum of {LEAST:g} at least is expected")
    return np.asarray(weights / total)


def _blended(cast: list[Motion], shares: Floats, gains: Floats | None) -> Motion:
    made = _plainly(cast, shares) if gains is None else _band_by_band(cast, shares, gains)
    carrier, up, headings, _ = made.parted
    turning = np.stack([np.diff(own, prepend=own[:1]) for own in headings])
    heading = headings[0][0] + np.cumsum((shares * turning).sum(axis=0))
    turns, places = made.turns, made.places
    if up is not None:
        round_ = rotations.from_rotation_vector(heading[:, None] * up)
        turns[:, carrier] = rotations.multiply(round_, turns[:, carrier])
        paths = np.stack([motion.translations[:, carrier] for motion in cast])
        places[:, carrier] = _path(paths, np.stack(headings), up, heading, places[:, carrier], shares)
    return replace(
        cast[0],
        rotations=freeze(rotations.continuous(turns)),
        translations=freeze(places),
        scales=_scales(cast, shares),
    )


def _scales(cast: list[Motion], shares: Floats) -> Floats | None:
    """``(T, J, 3)`` how surfaces swell on the mean; None: none does."""
    if all(motion.scales is None for motion in cast):
        return None
    made = np.zeros(cast[0].translations.shape)
    for motion, share in zip(cast, shares, strict=True):
        made += share[:, None, None] * (1.0 if motion.scales is None else motion.scales)
    return made


class _BlendPose(NamedTuple):
    """A blend before it is turned and placed: rotations ``(T, J, 4)`` without heading, translations ``(T, J, 3)``."""

    parted: HeadingSplit
    turns: Floats
    places: Floats


def _plainly(cast: list[Motion], shares: Floats) -> _BlendPose:
    parted = split_headings(cast)
    places = cast[0].translations.copy()
    moving = moving_joints(cast)
    places[:, moving] = sum(s[:, None, None] * one.translations[:, moving] for s, one in zip(shares, cast, strict=True))
    return _BlendPose(parted, _mean(parted.turns, shares), places)


def _band_by_band(cast: list[Motion], shares: Floats, gains: Floats) -> _BlendPose:
    curves = Curves.together(cast)
    first, joints = curves[0], len(curves[0].about)
    table = _by_bands([own.table for own in curves], shares, gains)
    places = cast[0].translations.copy()
    places[:, first.moving] = table[:, 3 * joints + 1 :].reshape(len(table), -1, 3)
    turns = rotation_curves.from_rotation_curves(table[:, : 3 * joints].reshape(len(table), joints, 3), first.about)
    return _BlendPose(HeadingSplit(first.carrier, first.up, [own.heading for own in curves], []), turns, places)


def _mean(turns: list[Floats], shares: Floats) -> Floats:
    """The weighted mean ``(T, J, 4)`` of rotations: of two, the way between them at that share."""
    if len(turns) == 2:
        return rotations.slerp(turns[0], turns[1], np.repeat(shares[1][:, None], turns[0].shape[1], axis=1))
    total = shares[0][:, None, None] * turns[0]
    for share, own in zip(shares[1:], turns[1:], strict=True):
        sign = np.where(np.einsum("tjc,tjc->tj", own, turns[0]) < 0.0, -1.0, 1.0)
        total += (share[:, None] * sign)[..., None] * own
    return rotations.normalise(total)


def _by_bands(tables: list[Floats], shares: Floats, gains: Floats) -> Floats:
    """Tables ``(T, D)`` blended band by band: bands without weights of their own by ``shares (N, T)``."""
    total = np.zeros(tables[0].shape)
    own = ~np.isnan(gains[:, 0])
    for table, share, gain in zip(tables, shares, np.nan_to_num(gains.T), strict=True):
        if np.ptp(share) == 0.0 and share[0] != 0.0:
            total += share[0] * bands.mix(table, np.where(own, gain / share[0], 1.0))
            continue
        # The usual bands and the rest come and go with the share, the others don't.
        rest = bands.mix(table, np.zeros(len(gain)))
        total += share[:, None] * bands.mix(table, np.where(own, 0.0, 1.0))
        total += bands.mix(table, np.where(own, gain, 0.0)) - rest
    return total


def _path(
    places: Floats, headings: Floats, up: Floats | None, heading: Floats, mixed: Floats, shares: Floats
) -> Floats:
    """``(T, 3)`` where the carrier goes: as far ahead and aside as all go on the mean, each from its own heading.

    ``places (N, T, 3)``, ``headings (N, T)``; up and down it goes as ``mixed (T, 3)`` says.
    """
    if up is None:
        return mixed
    steps = np.diff(places, axis=1, prepend=places[:, :1])
    own = rotations.rotate(rotations.from_rotation_vector(-headings[..., None] * up), steps)
    step = rotations.rotate(rotations.from_rotation_vector(heading[:, None] * up), np.einsum("nt,ntc->tc", shares, own))
    made = places[0, 0] + np.cumsum(step, axis=0)
    return np.asarray(made + ((mixed - made) @ up)[:, None] * up)
