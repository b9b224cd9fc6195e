"""Motion blending: a weighted mean of several motions, plain or band by band (Bruderlin and Williams 1995).

Motions are first brought onto one clock (``align_motions``), so that what corresponds comes together. Local rotations
are blended by slerp or by their curves' bands. The root's heading and path are blended by their steps, each in its own
heading, so that a blend of two walks in different directions walks between them. The hips are then raised or lowered so
that the lowest sole is as high as in the mean of the motions, and feet are locked while those of most of them are in
contact. Where one motion has all the weight, the blend is that motion, on the first one's body and ground.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import BeforeValidator, PlainValidator

from kinesphere.body.contacts import Contact, Contacts, find_contacts
from kinesphere.body.foot_lock.lock import lock_feet
from kinesphere.body.ground import (
    SolePoint,
    find_ground,
    running_maximum,
    runs,
    smooth_gaussian,
    sole_paths,
    sole_points,
)
from kinesphere.body.require_roles import LEGS
from kinesphere.maths import bands, rotation_curves, rotations
from kinesphere.maths.rotation_means import mean_rotations
from kinesphere.maths.vectors import Bools, Floats, smoothstep
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.document import (
    AS_TUPLE,
    READ_ONLY,
    Either,
    Flag,
    Setting,
    document,
    expected_type,
    not_allowed,
    number,
)
from kinesphere.motion.edit import MotionEdit, MotionSource, loaded_motion, motion_edit
from kinesphere.motion.humanoid import SIDES, select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import TimeMap, pose_at_times
from kinesphere.motion.transform import move_motion
from kinesphere.signals.alignment import LEAST_RADIUS, RADIUS, Cost, Search, align, match_body, trim_calibration
from kinesphere.signals.constraints import anchor_from_outside, crossfade, foot_hold_window, move_contacts, moves_feet
from kinesphere.signals.curves import Curves, HeadingSplit, moving_joints, parent_vertical, root_joint, split_headings
from kinesphere.signals.equalize import BandOrPeriod

Weight = float | Mapping[float, float]
LEAST_SUM = 0.05  # of weights before they are made to sum to one
MOST_WEIGHT = 100.0
SLOWEST = 0.1  # of the first motion's pace that the common clock keeps, where weights lead beyond the motions
SHORTEST_CONTACT = 0.08  # seconds
FULLY_MIXED = 0.15  # weight beside the heaviest motion's from which feet are held in full
CHANGE = 0.6  # seconds in which a joint goes over to the other way between motions half a turn apart
CARRIED = 0.12  # metres over the ground from where a foot is to stand, beyond which it is not locked
SAME_GROUND = 0.03  # metres by which the grounds of motions may differ and be taken for one
SOLE_SIGMA = 0.03  # seconds, of the Gaussian that smooths the hips' correction


def _check_second(key: Any) -> float:
    """Seconds; documents have them as text."""
    try:
        value = float(key)
    except (TypeError, ValueError, OverflowError):
        raise expected_type('a moment such as "0.5", in seconds,') from None
    if isinstance(key, bool) or not np.isfinite(value):
        raise not_allowed("finite seconds")
    return value


Share = Annotated[float, number(-MOST_WEIGHT, MOST_WEIGHT)]
ShareCurve = Annotated[
    Mapping[Annotated[float, PlainValidator(_check_second, json_schema_input_type=str)], Share], READ_ONLY
]
AnyWeight = Annotated[
    Weight,
    Either(lambda value: "curve" if isinstance(value, Mapping) else "number", curve=ShareCurve, number=Share),
]


def parse_weights(text: str) -> list[float]:
    """Numbers with commas between."""
    try:
        return [float(piece) for piece in text.split(",")]
    except ValueError:
        raise ValueError(f"found {text!r}; numbers parted by commas are expected") from None


def parse_band(text: str) -> dict[float, list[float]]:
    """Weights of a band, ``2=1,0``, or of the band at a period in seconds, ``0.5s=1,0``."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not equals:
        raise ValueError(f"found {text!r}; write a band and its weights, such as 2=1,0 or 0.5s=1,0")
    try:
        band = int(name) if name.isdecimal() else float(name.removesuffix("s"))
    except ValueError:
        raise ValueError(f"found {name!r}; a band such as 2, or a period such as 0.5s, is expected") from None
    return {band: parse_weights(values)}


@motion_edit("blend")
@document(frozen=True)
class Blend(MotionEdit):
    """Make one motion of several: between them, or the quick movement of one with the slow of another.

    ``Blend([0.4, 0.6])(drum, sway)``, or ``Blend([0.4, 0.6], others=[sway])(drum)``. The scope is in seconds of the
    result: other parts, and other times, are the first motion's. With some parts only, its pace is the first motion's
    as well. Where one motion has all the weight, the result is that motion at its own pace, on the first one's body,
    ground and rate, from where the first begins: ``Blend([1, 0])(a, b)`` is ``a``.
    """

    weights: (
        Annotated[
            Sequence[AnyWeight],
            AS_TUPLE,
            Setting(
                "One for each motion: a number, or numbers at seconds of the result, with easing between them. They "
                "are made to sum to one; negative ones lead away from a motion. Left out: all equal.",
                parse=parse_weights,
                metavar="NUMBER,…",
            ),
        ]
        | None
    ) = None
    bands: Annotated[
        Mapping[BandOrPeriod, Annotated[Sequence[Share], AS_TUPLE]],
        READ_ONLY,
        Setting(
            "Other weights for single bands, by number (0 is the fastest) or by period in seconds: with any, blending "
            "is band by band.",
            option="--band",
            parse=parse_band,
            metavar="BAND=NUMBER,…",
            repeated=True,
        ),
    ] = field(default_factory=dict)
    align: Annotated[
        Flag,
        Setting(
            "Whether the motions are aligned first, so that feet step at one time. The pace is then between theirs.",
            option="--unaligned",
            help="Blend frame by frame as they are, without a common clock.",
        ),
    ] = True
    cost: Annotated[Cost, Setting("What corresponds in two motions: what has one shape, or one pose.")] = "pose"
    search: Annotated[Search, Setting("How frames are matched; see align.")] = "auto"
    radius: Annotated[float, number(LEAST_RADIUS, about="Seconds that a banded or coarse search looks around.")] = (
        RADIUS
    )
    feet: Annotated[
        Flag,
        Setting(
            "Whether feet that are in contact in most of the motions are locked.",
            option="--free-feet",
            help="Don't hold the feet that stand.",
        ),
    ] = True
    others: Annotated[
        Sequence[MotionSource],
        AS_TUPLE,
        BeforeValidator(lambda value: [value] if isinstance(value, Motion | str | Path) else value),
        Setting("The other motions: files or default motions' names.", option="OTHERS", repeated=True),
    ] = ()

    def __post_init__(self) -> None:
        for k, weight in enumerate(self.weights or ()):
            if isinstance(weight, Mapping) and not weight:
                raise ValueError(f"weights[{k}] is empty; weights at seconds are expected, {{0.0: 1.0, 2.0: 0.0}}")

    @property
    def neutral(self) -> bool:
        """Whether it has no other motion to blend with. Called with several motions it does something all the same."""
        return not self.others

    @classmethod
    def from_options(cls, **values: Any) -> Self:
        if not values.get("others"):
            raise ValueError("one motion alone is itself; give two at least")
        return cls(**values)

    @property
    def retimes(self) -> bool:
        return True

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return (
            cls(others=["walk"]),
            cls([0.7, 0.3], align=False, others=["point"]),
            cls([1.0, {0.0: 0.0, 1.0: 1.0}], {0.5: [1.0, 0.0]}, others=["point"]),
        )

    def __call__(self, *motions: Motion, **scope: Any) -> Motion:
        """The motion between them, on the first one's body and at its rate."""
        return self.blend(motions, Scope(**scope) if scope else WHOLE)[0]

    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        return self.blend([motion], scope)

    def blend(self, motions: Sequence[Motion], scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        """The motion between them and all others, and its clock: from the first one's time to the new one."""
        motions = (*motions, *(loaded_motion(other) for other in self.others))
        if not motions:
            raise ValueError("nothing to blend; give one motion at least")
        if self.weights is not None and len(self.weights) != len(motions):
            raise ValueError(f"{len(self.weights)} weights for {len(motions)} motions; as many are expected")
        for band, weights in self.bands.items():
            if len(weights) != len(motions):
                raise ValueError(f"{len(weights)} weights of band {band:g} for {len(motions)} motions")
        count, joints = len(motions), select_joints(motions[0].skeleton, scope.parts)
        shares = partial(self.shares, count=count, scope=scope)
        if count == 1 or scope.strength == 0.0 or self._is_first_alone(shares(motions[0].times)):
            return motions[0], TimeMap.identity()
        sources = _on_one_body(motions)
        contacts = _contacts_of(sources) if self.feet else []
        sources = _on_one_ground(sources, contacts)
        first = sources[0]
        settings = (self.cost, self.search, self.radius) if self.align and min(map(len, sources)) > 1 else None
        clock_shares = shares if scope.parts is None else partial(_first_alone, count=count)
        aligned = align_motions(sources, clock_shares, settings)
        times = np.arange(len(aligned[0].frames)) / first.rate
        blend = _blend_motions(
            [one.motion for one in aligned], shares(times), self._gains(len(times), first.rate, count)
        )
        if not joints.all():
            blend = _replace_joints(aligned[0].motion, blend, joints)
        if contacts:
            window = mixture(shares(times)) if not self.bands else scope.window(times)
            blend = hold_blend_feet(blend, aligned, contacts, shares(times), joints, window)
        old = aligned[0].frames / first.rate + int(motions[0].performed_frames[0]) / first.rate
        return blend, TimeMap(old, times) if len(times) > 1 else TimeMap.identity()

    def shares(self, times: Floats, count: int, scope: Scope = WHOLE) -> Floats:
        """``(N, T)`` each motion's weight at seconds ``(T,)`` of the result, 1 in sum."""
        rows = [
            _weight_curve(weight, times) if isinstance(weight, Mapping) else np.full(len(times), float(weight))
            for weight in self.weights or (1.0,) * count
        ]
        shares = _normalise(np.array(rows))
        if not scope.whole_time or scope.strength != 1.0:
            window = scope.strength * scope.window(times)
            shares = _first_alone(times, count) * (1.0 - window) + shares * window
        return shares

    def _is_first_alone(self, shares: Floats) -> bool:
        """Whether the first of ``shares (N, T)`` is all there is, also in single bands."""
        rows = [*shares.T, *(_normalise(np.array(weights, dtype=np.float64)) for weights in self.bands.values())]
        return all(row[0] == 1.0 and not row[1:].any() for row in rows)

    def _gains(self, frames: int, rate: float, count: int) -> Floats | None:
        """``(K, N)`` each band's weights, NaN where they are the usual ones; None: not band by band."""
        if not self.bands:
            return None
        number = bands.band_count(frames)
        gains = np.full((number, count), np.nan)
        peaks = np.log(bands.band_periods(number, rate))
        for key, weights in self.bands.items():
            whole = isinstance(key, int) and not isinstance(key, bool)
            if not whole and number == 0:
                continue
            band = int(key) if whole else int(np.argmin(np.abs(peaks - np.log(max(key, 1e-9)))))
            if not 0 <= band < number:
                raise ValueError(f"band {band}: these motions have {number}, from 0 to {number - 1}")
            gains[band] = _normalise(np.array(weights, dtype=np.float64))
        return gains


def _on_one_body(motions: Sequence[Motion]) -> list[Motion]:
    """The motions without calibration frames, on the first one's body and at its rate."""
    first = trim_calibration(motions[0])
    others = [match_body(trim_calibration(motion), first) for motion in motions[1:]]
    return [first, *(motion if motion.rate == first.rate else motion.resampled(first.rate) for motion in others)]


def _contacts_of(sources: list[Motion]) -> list[Contacts]:
    """The contacts of motions of one body; none of a body without legs."""
    skeleton = sources[0].skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS):
        return []
    return [find_contacts(replace(motion, skeleton=skeleton)) for motion in sources]


def _on_one_ground(sources: list[Motion], contacts: list[Contacts]) -> list[Motion]:
    """Motions of one body, each raised or lowered to the first one's ground where its own is another."""
    skeleton = sources[0].skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in LEGS):
        return sources
    grounds = [own.ground for own in contacts] or [find_ground(replace(own, skeleton=skeleton)) for own in sources]
    heights = [ground.height for ground in grounds]
    rises = [heights[0] - height for height in heights]
    still = rotations.identity()
    return [
        motion if abs(rise) <= SAME_GROUND else move_motion(motion, still, np.array([0.0, rise, 0.0]))
        for motion, rise in zip(sources, rises, strict=True)
    ]


def mixture(shares: Floats) -> Floats:
    """``(T,)`` how much of a mixture ``shares (N, T)`` are, with easing: 0 where one motion has all the weight."""
    beside = [np.abs(np.delete(shares, k, axis=0)).sum(axis=0) + np.abs(1.0 - shares[k]) for k in range(len(shares))]
    return np.asarray(smoothstep(0.5 * np.min(beside, axis=0) / FULLY_MIXED))


def _first_alone(times: Floats, count: int) -> Floats:
    """Weights ``(N, T)``: 1 for the first motion, 0 for all others."""
    shares = np.zeros((count, len(times)))
    shares[0] = 1.0
    return shares


def _replace_joints(first: Motion, blend: Motion, joints: Bools) -> Motion:
    """The first motion with some joints ``(J,)`` from the blend."""
    q, t = first.rotations.copy(), first.translations.copy()
    q[:, joints], t[:, joints] = blend.rotations[:, joints], blend.translations[:, joints]
    return replace(blend, rotations=q, translations=t)


def _weight_curve(weight: Mapping[float, float], times: Floats) -> Floats:
    """Weights given at moments, at seconds ``(T,)`` with easing between them."""
    moments = np.array(sorted(weight))
    values = np.array([weight[moment] for moment in moments.tolist()])
    u = np.interp(times, moments, np.arange(len(moments)))
    low = np.minimum(np.floor(u).astype(np.intp), max(len(moments) - 2, 0))
    share = smoothstep(u - low)
    return np.asarray(values[low] + share * (values[np.minimum(low + 1, len(values) - 1)] - values[low]))


def _normalise(weights: Floats) -> Floats:
    """Weights ``(N, ...)`` that sum to one."""
    total = weights.sum(axis=0)
    if np.min(total) < LEAST_SUM:
        raise ValueError(f"weights sum to {float(np.min(total)):g}; a sum of {LEAST_SUM:g} at least is expected")
    return np.asarray(weights / total)


# A common clock


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
    sources: list[Motion], shares: Callable[[Floats], Floats], settings: tuple[Cost, Search, float] | None
) -> list[AlignedMotion]:
    """Motions of one body and rate on one clock: aligned by cost, search and radius, or with None as they are.

    ``shares(times) (N, T)`` are their weights over the result's time. Its clock runs at the weighted mean of theirs.
    """
    first = sources[0]
    if settings is None:
        count = min(map(len, sources))
        return [
            AlignedMotion(motion, np.arange(float(count)), _without_info(motion[:count], first)) for motion in sources
        ]
    cost, search, radius = settings
    maps = [TimeMap.identity()]
    maps += [align(first, other, cost, search=search, radius=radius) for other in sources[1:]]
    clocks = [own(first.times) for own in maps]
    elapsed = _elapsed_times(clocks, first.rate, shares)
    times = np.arange(int(np.floor(elapsed[-1] * first.rate + 0.5 + 1e-6)) + 1) / first.rate
    aligned = []
    for motion, clock in zip(sources, clocks, strict=True):
        at = np.clip(TimeMap(elapsed, clock)(times), 0.0, motion.duration)
        q, t, scales = pose_at_times(motion, at)
        sampled = Motion(first.skeleton, first.rate, freeze(q), freeze(t), scales=scales, name=first.name)
        aligned.append(AlignedMotion(motion, at * motion.rate, sampled))
    return aligned


def _without_info(motion: Motion, first: Motion) -> Motion:
    """The motion's poses with the first one's skeleton, rate and name, and nothing else."""
    poses = motion.rotations, motion.translations
    return Motion(first.skeleton, first.rate, *poses, scales=motion.scales, name=first.name)


def _elapsed_times(clocks: list[Floats], rate: float, shares: Callable[[Floats], Floats]) -> Floats:
    """``(T,)`` the result's time at the first motion's frames; ``clocks (T,)`` are each motion's there."""
    steps = np.diff(np.stack(clocks), axis=1)  # (N, T − 1)
    longest = np.maximum(steps.max(axis=0).sum(), 0.0)
    weights = shares(np.arange(round(longest * rate) + 2) / rate)
    now, elapsed = 0.0, [0.0]
    for step in steps.T.tolist():
        own = weights[:, min(round(now * rate), weights.shape[1] - 1)]
        mean = sum(weight * length for weight, length in zip(own.tolist(), step, strict=True))
        now += max(mean, SLOWEST * min(step))
        elapsed.append(now)
    return np.array(elapsed)


# The weighted mean


class _BlendPose(NamedTuple):
    """A blend without its heading and path."""

    split: HeadingSplit
    rotations: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)


def _blend_motions(sources: list[Motion], shares: Floats, gains: Floats | None) -> Motion:
    """The mean of motions of one length by ``shares (N, T)``, of single bands by ``gains (K, N)``.

    What the hips hang from, a root on the floor or one that travels, is the first motion's.
    """
    first, above = sources[0], _ancestors(sources[0].skeleton)
    sources = [_hang_from_world(motion, above) for motion in sources]
    change = CHANGE * sources[0].rate
    pose = _blend_plain(sources, shares, change) if gains is None else _blend_bands(sources, shares, gains)
    root, up, headings, _ = pose.split
    steps = np.stack([np.diff(own, prepend=own[:1]) for own in headings])
    heading = headings[0][0] + np.cumsum((shares * steps).sum(axis=0))
    local, translations = pose.rotations, pose.translations
    if up is not None:
        local[:, root] = rotations.multiply(rotations.from_rotation_vector(heading[:, None] * up), local[:, root])
        paths = np.stack([motion.translations[:, root] for motion in sources])
        translations[:, root] = _blend_path(paths, np.stack(headings), up, heading, translations[:, root], shares)
    if above:
        world, places = first.world()
        back = rotations.conjugate(world[:, above[0]])
        local[:, root] = rotations.multiply(back, local[:, root])
        translations[:, root] = rotations.rotate(back, translations[:, root] - places[:, above[0]])
        local[:, above], translations[:, above] = first.rotations[:, above], first.translations[:, above]
    return replace(
        first,
        rotations=freeze(rotations.continuous(local)),
        translations=freeze(translations),
        scales=_blend_scales(sources, shares),
    )


def _ancestors(skeleton: Skeleton) -> list[int]:
    """The joints that the hips hang from, the nearest first."""
    found, joint = list[int](), int(skeleton.parents[root_joint(skeleton)])
    while joint >= 0:
        found.append(joint)
        joint = int(skeleton.parents[joint])
    return found


def _hang_from_world(motion: Motion, above: list[int]) -> Motion:
    """The same places of all that hangs from the hips, with the joints above them at the world's origin."""
    if not above:
        return motion
    root, (world, places) = root_joint(motion.skeleton), motion.world()
    q, t = motion.rotations.copy(), motion.translations.copy()
    q[:, above], t[:, above] = rotations.identity(), 0.0
    q[:, root], t[:, root] = world[:, root], places[:, root]
    return replace(motion, rotations=freeze(rotations.continuous(q)), translations=freeze(t))


def _blend_scales(sources: list[Motion], shares: Floats) -> Floats | None:
    """``(T, J, 3)`` the mean of the surfaces' scales; None: no motion has any."""
    if all(motion.scales is None for motion in sources):
        return None
    total = np.zeros(sources[0].translations.shape)
    for motion, share in zip(sources, shares, strict=True):
        total += share[:, None, None] * (1.0 if motion.scales is None else motion.scales)
    return total


def _blend_plain(sources: list[Motion], shares: Floats, change: float) -> _BlendPose:
    split = split_headings(sources)
    if split.up is None:
        split = _split_starts(sources)
    translations = sources[0].translations.copy()
    moving = moving_joints(sources)
    translations[:, moving] = sum(
        share[:, None, None] * one.translations[:, moving] for share, one in zip(shares, sources, strict=True)
    )
    return _BlendPose(split, mean_rotations(split.rotations, shares, change), translations)


def _split_starts(sources: list[Motion]) -> HeadingSplit:
    """As ``split_headings``, for bodies that go upside down: one heading for each motion, by which it begins apart."""
    root = root_joint(sources[0].skeleton)
    up, start = parent_vertical(sources[0], root), sources[0].rotations[0, root]
    headings, local = [], []
    for motion in sources:
        from_start = rotations.multiply(motion.rotations[:1, root], rotations.conjugate(start))
        angle = float(rotation_curves.heading(from_start, up)[0][0])
        own = motion.rotations.copy()
        own[:, root] = rotations.multiply(rotations.from_rotation_vector(-angle * up), own[:, root])
        headings.append(np.full(len(motion), angle))
        local.append(own)
    return HeadingSplit(root, up, headings, local)


def _blend_bands(sources: list[Motion], shares: Floats, gains: Floats) -> _BlendPose:
    curves = Curves.of_all(sources)
    first, joints = curves[0], len(curves[0].reference)
    table = _blend_tables([own.table for own in curves], shares, gains)
    translations = sources[0].translations.copy()
    translations[:, first.moving] = table[:, 3 * joints + 1 :].reshape(len(table), -1, 3)
    vectors = table[:, : 3 * joints].reshape(len(table), joints, 3)
    local = rotation_curves.from_rotation_curves(vectors, first.reference)
    return _BlendPose(HeadingSplit(first.root, first.up, [own.heading for own in curves], []), local, translations)


def _blend_tables(tables: list[Floats], shares: Floats, gains: Floats) -> Floats:
    """Tables ``(T, D)`` blended band by band; bands whose ``gains (K, N)`` are NaN by ``shares (N, T)``."""
    total = np.zeros(tables[0].shape)
    given = ~np.isnan(gains[:, 0])
    for table, share, gain in zip(tables, shares, np.nan_to_num(gains.T), strict=True):
        if np.ptp(share) == 0.0 and share[0] != 0.0:
            total += share[0] * bands.mix(table, np.where(given, gain / share[0], 1.0))
            continue
        # The share varies in time, and scales the other bands and the residual, but not the bands with gains.
        residual = bands.mix(table, np.zeros(len(gain)))
        total += share[:, None] * bands.mix(table, np.where(given, 0.0, 1.0))
        total += bands.mix(table, np.where(given, gain, 0.0)) - residual
    return total


def _blend_path(
    paths: Floats, headings: Floats, up: Floats, heading: Floats, mean_path: Floats, shares: Floats
) -> Floats:
    """``(T, 3)`` the root's path: the mean of all steps, each in its own heading, taken along the blend's ``(T,)``.

    ``paths (N, T, 3)``, ``headings (N, T)``; heights are those of ``mean_path (T, 3)``.
    """
    steps = np.diff(paths, axis=1, prepend=paths[:, :1])
    own = rotations.rotate(rotations.from_rotation_vector(-headings[..., None] * up), steps)
    step = rotations.rotate(rotations.from_rotation_vector(heading[:, None] * up), np.einsum("nt,ntc->tc", shares, own))
    path = paths[0, 0] + np.cumsum(step, axis=0)
    return np.asarray(path + ((mean_path - path) @ up)[:, None] * up)


# Feet


def hold_blend_feet(
    blend: Motion,
    aligned: list[AlignedMotion],
    found: list[Contacts],
    shares: Floats,
    joints: Bools,
    weight: Floats,
) -> Motion:
    """Bring the soles of a blend of some joints ``(J,)`` to their mean heights, and lock those that stand.

    Feet are locked while most motions, by ``shares (N, T)``, have them in contact, as was ``found`` in each. Where none
    of the joints moves a foot, the blend stays as it is. ``weight (T,)`` is that of all this in each frame.
    """
    skeleton = blend.skeleton.with_found_roles()
    if not moves_feet(skeleton, joints) or not weight.any():
        return blend
    motion, points, low = replace(blend, skeleton=skeleton), sole_points(skeleton), _low_points(skeleton)
    own = np.stack([sole_paths(replace(one.motion, skeleton=skeleton), low)[..., 1] for one in aligned])
    heights = np.einsum("nt,ntp->tp", shares, own)  # of each point: the mean of the motions
    motion = _raise_soles(motion, low, heights, _standing_heights(own, low), weight)
    intervals = [
        contact
        for contact in _common_contacts(found, aligned, shares, blend.rate)
        if weight[contact.first : contact.last + 1].any()
    ]
    paths = sole_paths(motion, points)
    empty = Contacts(len(blend), blend.rate, found[0].ground, found[0].points, tuple(intervals))
    contacts = anchor_from_outside(_anchor_at_heights(move_contacts(empty, motion), heights), paths, weight > 0.0)
    locked = lock_feet(motion, _near_anchors(contacts, paths))
    return replace(crossfade(motion, locked, foot_hold_window(weight)), skeleton=blend.skeleton)


def _low_points(skeleton: Skeleton) -> tuple[SolePoint, ...]:
    """The points of both soles, and toes also where a rest pose does not show how they lie."""
    points = sole_points(skeleton)
    known = {point.joint for point in points}
    toes = [(side, skeleton.roles.get(f"{side}Toes", -1)) for side in SIDES]
    return points + tuple(
        SolePoint(side, "toes", joint, np.zeros(3), 0.0) for side, joint in toes if joint >= 0 and joint not in known
    )


def _standing_heights(heights: Floats, points: tuple[SolePoint, ...]) -> Floats:
    """How high each point of the soles is when it stands, from ``heights (N, T, P)``: the lower of both feet's.

    A rest pose need not show it.
    """
    low = np.percentile(heights, 2.0, axis=1).min(axis=0)
    return np.array([min(low[k] for k, other in enumerate(points) if other.point == one.point) for one in points])


def _raise_soles(
    motion: Motion, points: tuple[SolePoint, ...], heights: Floats, standing: Floats, weight: Floats
) -> Motion:
    """Raise or lower the hips by ``weight (T,)``, so that the lowest sole is as high as that of ``heights (T, P)``.

    Heights count from the points' ``standing (P,)`` ones.
    """
    own = sole_paths(motion, points)[..., 1]
    rise = (heights - standing).min(axis=1) - (own - standing).min(axis=1)
    smooth = smooth_gaussian(rise, motion.rate, SOLE_SIGMA)
    missing = running_maximum(np.maximum(rise - smooth, 0.0), 2.0 * SOLE_SIGMA, motion.rate)
    rise = weight * (smooth + smooth_gaussian(missing, motion.rate, SOLE_SIGMA))
    root = root_joint(motion.skeleton)
    translations = motion.translations.copy()
    translations[:, root] += rise[:, None] * parent_vertical(motion, root)
    return replace(motion, translations=freeze(translations))


def _anchor_at_heights(contacts: Contacts, heights: Floats) -> Contacts:
    """Contacts whose anchors are as high as ``heights (T, P)`` are on average."""
    intervals = []
    for contact in contacts.intervals:
        own = heights[contact.first : contact.last + 1, contacts.points.index(contact.name)]
        intervals.append(replace(contact, anchor=(contact.anchor[0], float(own.mean()), contact.anchor[2])))
    return replace(contacts, intervals=tuple(intervals))


def _near_anchors(contacts: Contacts, paths: Floats) -> Contacts:
    """Contacts while their ``paths (T, P, 3)`` are near their anchors: a foot that is carried along does not stand."""
    intervals: list[Contact] = []
    for contact in contacts.intervals:
        way = paths[contact.first : contact.last + 1, contacts.points.index(contact.name)] - contact.anchor
        for first, last in runs(np.hypot(way[:, 0], way[:, 2]) < CARRIED):
            if (last - first + 1) / contacts.rate >= SHORTEST_CONTACT:
                intervals.append(replace(contact, first=contact.first + first, last=contact.first + last))
    return replace(contacts, intervals=tuple(intervals))


def _common_contacts(found: list[Contacts], aligned: list[AlignedMotion], shares: Floats, rate: float) -> list[Contact]:
    """Contacts, their anchors not yet set, where more than half of the motions by ``shares (N, T)`` have one."""
    intervals: list[Contact] = []
    for name in found[0].points:
        votes = np.zeros(shares.shape[1])
        for share, one, contacts in zip(shares, aligned, found, strict=True):
            votes += share * _in_contact(contacts, name, one.frames)
        example = next((contact for contacts in found for contact in contacts.of(name)), None)
        for first, last in runs(votes > 0.5):
            if example is not None and (last - first + 1) / rate >= SHORTEST_CONTACT:
                intervals.append(replace(example, first=first, last=last))
    return intervals


def _in_contact(contacts: Contacts, name: str, frames: Floats) -> Bools:
    """``(T,)`` whether a point of the sole is in contact at frames ``(T,)``, also between whole ones."""
    labels = contacts.labels[name]
    return np.asarray(labels[np.clip(np.round(frames).astype(np.intp), 0, len(labels) - 1)])
