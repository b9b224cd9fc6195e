"""Referents of a phrase: found by its keys, hand shapes and by how it is performed as written; their windows in time.

``kept_hands`` keeps them. Where hands meet, both arms go by one clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.engine.arm_plan import ArmKeys, arm_keys
from kinesphere.engine.capsules import HEAD, TRUNK, Capsule, signed_distance
from kinesphere.engine.channels import INDEX, channel_table, sample_rows
from kinesphere.engine.clocks import StrokeClock, round_to_frames
from kinesphere.engine.pose import SIGN
from kinesphere.engine.posture import HEAD_LINE, TRUNK_SHIFTS
from kinesphere.engine.written_pose import WrittenPose
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import CARRIERS, Kind, Referent

SHAPED = 0.6  # of a hand shape from which on it means something
SHAPES = {Kind.AIM: "pointing", Kind.LEVEL: "grip"}  # hand shapes that imply a referent
SAME_TARGET = np.radians(10.0)  # between two rays that point at the same thing
AT_HEAD, AT_TRUNK = 0.07, 0.03  # metres from the surface of a hand that touches it; with half a hand's thickness
TOUCHING = ("Hand", "ThumbDistal", "IndexDistal", "MiddleDistal")  # joints of a hand that may touch, and the palm
TRUNK_PARTS = ((0.3, "hips"), (0.6, "spine"), (np.inf, "upperChest"))  # up to which share of the trunk's length
TOGETHER, APART = 0.12, 0.20  # metres between wrists of hands that meet, and of hands that do not
SAME_TIME = 0.04  # seconds between two keys at which hands meet
SOON_AGAIN = 0.6  # seconds within which hands that part meet again, and are kept all the time
SHOULDER_ASIDE = 0.180  # metres from the middle of the chest to a shoulder
ROUNDING = 1e-12  # of a share, that is none
BRIEFEST, LONE = 0.1, 0.3  # seconds that a referent fades at least, and where there is no stroke


# Finding them


def find_referents(written: Phrase, figure: WrittenPose) -> tuple[Referent, ...]:
    """What a phrase implies, by its keys, hand shapes and by the figure performing it as written.

    A pointing hand aims; a hand that grips holds something upright; a hand at head or trunk touches it; palms meet.
    """
    found: list[Referent] = []
    for side in SIGN:
        keys = arm_keys(written, side)
        if keys is None:
            continue
        touched = _touched(keys, side, figure)
        found += [
            Referent(Kind.TOUCH, side, *times, joint=joint)
            for joint in CARRIERS
            for times in _runs(keys, np.array([own == joint for own in touched]))
        ]
        free = np.array([joint is None for joint in touched])
        for kind, shape in SHAPES.items():
            weight = sample_rows(channel_table(written), keys.times, written.loop)[:, INDEX[f"{side}.hand.{shape}"]]
            shaped = (weight >= SHAPED) & (free | (kind != Kind.AIM))  # a finger on the lips points at nothing
            same = _same_target(keys, side, figure) if kind == Kind.AIM else None
            found += [Referent(kind, side, *times) for times in _runs(keys, shaped, same)]
    return (*found, *(Referent(Kind.MEET, "both", *times) for times in _meetings(written)))


def _runs(keys: ArmKeys, which: Bools, same: Callable[[int, int], bool] | None = None) -> Iterator[tuple[float, float]]:
    """First and last time of goals that follow each other, all ``which (K,)``; ``same`` says of two if they belong."""
    run: list[int] = []
    for key in keys.edges:
        fits = bool(which[key] and not keys.rests[key])
        if run and not (fits and (same is None or same(run[-1], key))):
            yield float(keys.times[run[0]]), float(keys.times[run[-1]])
            run = []
        if fits:
            run.append(key)
    if run:
        yield float(keys.times[run[0]]), float(keys.times[run[-1]])


def _same_target(keys: ArmKeys, side: str, figure: WrittenPose) -> Callable[[int, int], bool]:
    """Whether the finger points at the same thing at two keys, and between them."""
    direction = figure.ray(side)[1]
    frames = np.round(figure.frames_at(side, keys.times)).astype(np.intp)

    def same(first: int, second: int) -> bool:
        between = direction[frames[first] : frames[second] + 1]
        return bool((between @ between[-1]).min() > np.cos(SAME_TARGET))

    return same


def _touched(keys: ArmKeys, side: str, figure: WrittenPose) -> list[str | None]:
    """For each key the joint of what the hand touches there."""
    skeleton = figure.skeleton
    frames = np.round(figure.frames_at(side, keys.times)).astype(np.intp)
    points = np.stack([figure.palm(side), *(figure.joint(f"{side}{part}")[1] for part in TOUCHING)], axis=1)[frames]
    head, chest = (tuple(row[frames] for row in figure.joint(name)) for name in ("head", "upperChest"))
    hips, neck = (figure.positions[frames, skeleton.index(name)] for name in ("hips", "neck"))
    made: list[str | None] = []
    for key in range(len(frames)):
        own = points[key]
        from_head = rotations.rotate(rotations.conjugate(head[0][key]), own - head[1][key])
        near_head = signed_distance(from_head, Capsule(HEAD_LINE[0], HEAD_LINE[1], *HEAD)).min() - AT_HEAD
        back = rotations.conjugate(chest[0][key])
        line = rotations.rotate(back, np.stack([hips[key], neck[key]]) - own[0]) + TRUNK_SHIFTS
        from_palm = rotations.rotate(back, own - own[0])
        distances = signed_distance(from_palm, Capsule(line[0], line[1], *TRUNK))
        near_trunk = distances.min() - AT_TRUNK
        joint = None
        if not keys.rests[key] and min(near_head, near_trunk) < 0.0:
            bone, nearest = line[1] - line[0], from_palm[distances.argmin()] - line[0]
            share = float(nearest @ bone / (bone @ bone))
            joint = "head" if near_head <= near_trunk else next(name for most, name in TRUNK_PARTS if share < most)
        made.append(joint)
    return made


class MeetingKeys(NamedTuple):
    """Pairs of keys at which the two hands meet."""

    left: Ints  # (P,) rows of the left hand's keys
    right: Ints  # (P,) rows of the right hand's
    shares: Floats  # (P,) from 0, apart, to 1, together


def find_meeting_keys(times: Floats, written: Floats, fixed: Bools, sides: Mapping[str, slice]) -> MeetingKeys | None:
    """Where hands with keys ``(K, 3)`` relative to their shoulders meet; None: nowhere, or some keys are fixed."""
    if len(sides) < 2 or fixed.any():
        return None
    left, right = sides["left"], sides["right"]
    rows = np.arange(left.start, left.stop)
    delays = np.abs(times[rows, None] - times[right])
    others = right.start + delays.argmin(axis=1)
    gap = norms(written[rows] - written[others] + 2.0 * np.array([SHOULDER_ASIDE, 0.0, 0.0]))
    shares = clip((APART - gap) / (APART - TOGETHER), 0.0, 1.0)
    meet = (delays.min(axis=1) <= SAME_TIME) & (shares > 0.0)
    return MeetingKeys(rows[meet], others[meet], shares[meet]) if meet.any() else None


def _meetings(written: Phrase) -> Iterator[tuple[float, float]]:
    """First and last time of goals that follow each other at which both hands meet."""
    arms = {side: keys for side in SIGN if (keys := arm_keys(written, side)) is not None}
    if len(arms) < 2:
        return
    left, right = arms["left"], arms["right"]
    count = len(left.times)
    sides = {"left": slice(0, count), "right": slice(count, count + len(right.times))}
    times, places, fixed = (
        np.concatenate([getattr(arm, name) for arm in (left, right)]) for name in ("times", "places", "fixed")
    )
    pairs = find_meeting_keys(times, places, fixed, sides)
    if pairs is None:
        return
    meet = np.zeros(count, dtype=np.bool_)
    meet[pairs.left[(pairs.shares >= 0.5) & right.stops[pairs.right - count]]] = True
    yield from _runs(left, meet)


def settle_referents(written: Phrase, found: Sequence[Referent], shown: WrittenPose) -> tuple[Referent, ...]:
    """Marked referents and those found beside them, with their fades and targets.

    Where an arm's referent is marked, none is found. ``shown`` is the phrase on its own body.
    """
    marked = written.referents
    others = [own for own in found if not any(_overlap(own, mark) for mark in marked)]
    settled = []
    for own in (*marked, *others):
        if own.kind == Kind.NOTHING:
            continue
        before, after = _fades(written, own)
        target = own.target
        if own.kind == Kind.AIM and target is None:
            frames = shown.frames_at(own.arm, np.array([own.start, own.end]))
            rows = shown.target(own.arm)[int(np.floor(frames[0])) : int(np.ceil(frames[1])) + 1]
            x, y, z = rows.mean(axis=0).tolist()
            target = x, y, z
        settled.append(replace(own, before=before, after=after, target=target))
    return tuple(settled)


def _overlap(found: Referent, mark: Referent) -> bool:
    together = found.start <= mark.end and mark.start <= found.end
    return together and bool(set(found.sides) & set(mark.sides))


def _fades(written: Phrase, own: Referent) -> tuple[float, float]:
    """Seconds over which a referent begins and ends: the strokes to and from it."""
    stops = [keys.times[keys.edges] for side in own.sides if (keys := arm_keys(written, side)) is not None]
    earlier = [t[t < own.start - 1e-6].max() for t in stops if (t < own.start - 1e-6).any()]
    later = [t[t > own.end + 1e-6].min() for t in stops if (t > own.end + 1e-6).any()]
    before = own.start - float(max(earlier)) if earlier else LONE
    after = float(min(later)) - own.end if later else LONE
    return (
        max(before, BRIEFEST) if own.before is None else own.before,
        max(after, BRIEFEST) if own.after is None else own.after,
    )


def window(referent: Referent, time: Floats, period: float | None = None, least: float = 0.0) -> Floats:
    """``(T,)`` how far a referent holds at times of the phrase, from 0 to 1; ``period`` is a loop's.

    It fades over ``least`` frames at least, however quick the strokes to and from it are performed.
    """
    if period is not None:  # whose clock runs evenly
        return np.asarray(np.max([window(referent, time + shift) for shift in (-period, 0.0, period)], axis=0))
    rise = (time - referent.start) / max(referent.before or 0.0, 1e-6) + 1.0
    fall = (referent.end - time) / max(referent.after or 0.0, 1e-6) + 1.0
    share = clip(np.minimum(rise, fall), 0.0, 1.0)
    return np.asarray(smoothstep(_limit_slope(share, 1.0 / least) if least > 0.0 else share))


def _limit_slope(values: Floats, slope: float) -> Floats:
    """The least values ``(T,)``, none below those given, that change by at most ``slope`` from one to the next."""
    ramp = slope * np.arange(len(values))
    after = np.maximum.accumulate(values + ramp) - ramp
    before = np.maximum.accumulate((values - ramp)[::-1])[::-1] + ramp
    made = np.maximum(after, before)
    return np.where(made > values + ROUNDING, made, values)


def join_meetings(referents: Sequence[Referent]) -> tuple[Referent, ...]:
    """Referents with all meetings of an applause as one, from the first clap to the last."""
    others = [own for own in referents if own.kind != Kind.MEET]
    joined: list[Referent] = []
    for own in sorted((own for own in referents if own.kind == Kind.MEET), key=lambda own: own.start):
        if joined and own.start <= joined[-1].end + SOON_AGAIN:
            joined[-1] = replace(joined[-1], end=max(own.end, joined[-1].end), after=own.after)
        else:
            joined.append(own)
    return (*others, *joined)


# Both arms on one clock where hands meet


def align_clocks(
    clocks: Mapping[str, StrokeClock], referents: Sequence[Referent], rate: float
) -> Mapping[str, StrokeClock]:
    """Clocks of both arms that reach goals at the same time while hands meet, where they are written so.

    Each stroke between takes as long as that of the slower arm.
    """
    left, right = clocks["left"].source, clocks["right"].source
    nearest = np.abs(left[:, None] - right).argmin(axis=1)
    together = np.abs(left - right[nearest]) <= SAME_TIME
    meetings = [(own.start - SAME_TIME, own.end + SAME_TIME) for own in referents if own.kind == Kind.MEET]
    within = [(left >= start) & (left <= end) for start, end in meetings]
    together &= np.any(within, axis=0) if within else np.False_
    met = {"left": clocks["left"].goals[together], "right": clocks["right"].goals[nearest[together]]}
    if np.array_equal(met["left"], met["right"]):
        return clocks
    longest = np.maximum(np.diff(met["left"]), np.diff(met["right"]))
    common = max(met["left"][0], met["right"][0]) + np.concatenate([[0.0], np.cumsum(longest)])
    return {side: _retime(clock, met[side], common, rate) for side, clock in clocks.items()}


def _retime(clock: StrokeClock, before: Floats, after: Floats, rate: float) -> StrokeClock:
    """A clock whose goals ``before (P,)`` come at ``after (P,)``; those between go along, later ones follow."""
    first, last = clock.goals[0], clock.goals[-1] + 1.0
    known = np.append(np.insert(before, 0, first), last)
    wanted = np.append(np.insert(after, 0, first), last + after[-1] - before[-1])
    kept = np.append(True, np.diff(known) > 0.0)
    goals = np.interp(clock.goals, known[kept], wanted[kept])
    return replace(clock, goals=round_to_frames(goals, rate))
