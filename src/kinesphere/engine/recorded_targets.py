"""Where hands of a performed recording go: to their displaced paths, and with what they touch, meet and point at.

Targets come out of the body, off their own shoulders and within reach before any joint is turned. Hands that meet are
displaced as a pair: whatever one of them has to give way to, both do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere import _native
from kinesphere.engine.hand_contacts import nearness
from kinesphere.engine.recorded_clearance import Solids, clear_hand
from kinesphere.engine.recorded_hands import follow_keys
from kinesphere.engine.recorded_limbs import SOFT
from kinesphere.engine.recorded_referents import aim, kept_joint, windows
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, smooth_envelope
from kinesphere.maths.vectors import Floats, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import Kind

HANGS_DOWN = 0.85  # of the trunk's turns that a hanging arm does not take part in
SWINGS_ALONG = 0.6  # less of that in a walk, where arms swing about the trunk
FOLDED, NEAR_SHOULDER = 0.32, 0.1  # arm lengths from shoulder to wrist of a folded arm; and in which that is felt
WAS_FOLDED = 0.9  # of the recorded distance that is always allowed
CLEARS = 0.12  # seconds in which a hand comes out of the body, before it would be inside
CLEAR_SMOOTH = 0.05  # seconds of σ, over which hands and elbows come out of the body
AGREE = 0.6  # of their lengths, that the mean of pushes has which agree in direction
CHEST_SMOOTH = 0.05  # seconds of σ, over which the axes of displacements are smoothed
QUICK = 0.035  # seconds of σ: what is quicker in a hand's way is scaled with its distance from the shoulder
GROWN = 0.5, 0.8  # of an arm's length, over which a growing arm comes to be displaced
EDITED = 0.02  # arm lengths from where it was recorded in which a hand comes to count as moved
KEYED = 0.02  # arm lengths that a user has moved a key, from which on the arm goes there however it points
REACHES = 0.05  # seconds in which a hand comes within reach, before it would be out of it
PAIR_ROUNDS = 3  # of bringing both hands that meet out of the body and within reach, one after the other


Hold: TypeAlias = tuple[Floats, Floats, Floats]  # how far a hand is held, where, and how turned


class ArmRange(NamedTuple):
    """How near a wrist may come to its shoulder, and how far from it, for native loops."""

    nearest: float  # metres of a folded arm
    felt: float  # metres in which that is felt
    kept: float  # of the recorded distance that is always allowed
    soft: float  # share of an arm's length in which it comes softly to straight


@dataclass(eq=False)
class HandTarget:
    """Where one hand is wanted in every frame.

    Attributes
    ----------
    place : (T, 3)
        Of the wrist, in the world.
    ends : (T, 4)
        How the hand is turned where it keeps something.
    kept : (T,)
        How far it is.
    fixed : (T,)
        How far its place is that of something else, and nothing may move it.
    paired : (T,)
        How far it goes with the other hand.
    keyed : (T,)
        How far a user's keys bring it elsewhere: its arm is not smoothed there.
    recorded : (T, 3)
        From the shoulder to the wrist, as recorded.
    longest : (T,)
        How long the arm is.
    aims
        How far it points, and how the arm is turned for it, of each referent that it points at.
    """

    place: Floats
    ends: Floats
    kept: Floats
    fixed: Floats
    paired: Floats
    keyed: Floats
    recorded: Floats
    longest: Floats
    aims: list[tuple[Floats, Floats]]

    @property
    def free(self) -> Floats:
        """``(T,)`` how far it may go elsewhere by itself."""
        return 1.0 - self.held

    @property
    def held(self) -> Floats:
        """``(T,)`` how far it goes where something else does."""
        return np.minimum(self.fixed + self.paired, 1.0)


def hand_targets(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    carried: Floats,
    away: dict[str, Floats],
    kept_as: RecordedWorld | None = None,
    goals: Mapping[str, list[Hold]] | None = None,
    aiming: Mapping[str, Floats] | None = None,
    faced: RecordedWorld | None = None,
) -> dict[str, HandTarget]:
    """By side: where hands go that are displaced by ``away``, with a chest that has turned by ``carried (T, 4)``.

    What they keep they keep as in ``kept_as``, else as ``before``; ``goals`` are places in the world, ``aiming (T,)``
    is how far arms go on pointing where they do. Hands near the face go with it as in ``faced``, else as ``after``.
    """
    meetings, chest, kept_as = _meet(context, away), _steady(before.chest, context.rate), kept_as or before
    return {
        side: _target(
            context,
            side,
            before,
            after,
            carried,
            chest,
            own,
            meetings,
            kept_as,
            [] if goals is None else goals[side],
            np.ones(len(own)) if aiming is None else aiming[side],
            faced or after,
        )
        for side, own in away.items()
    }


def clear_targets(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    bodies: tuple[Solids, Solids],
    carried: Floats,
    targets: dict[str, HandTarget],
) -> None:
    """Bring targets out of the body, off their shoulders and within reach, in place."""
    length = context.detail.poses.arm_length
    paired = any(own.paired.any() for own in targets.values())
    for _ in range(PAIR_ROUNDS if paired else 1):
        for side, own in targets.items():
            elbow, wrist = (before.p(context.roles[f"{side}{part}"]) for part in ("LowerArm", "Hand"))
            out = clear_hand(bodies, elbow, wrist, length, carried, own.place)
            if out is not None:
                move_target(targets, side, edited(context, side, before, own) * envelope(out, context.rate))
        for side, own in targets.items():
            move_target(targets, side, keep_off_shoulder(context, side, after, carried, own))
            keep_in_reach(context, targets, side, after)


def move_target(targets: dict[str, HandTarget], side: str, push: Floats) -> None:
    """Displace a hand's target by ``push (T, 3)`` as far as it is free, and both as far as they are a pair."""
    own = targets[side]
    own.place = own.place + own.free[:, None] * push
    if own.paired.any():
        for each in targets.values():
            each.place = each.place + own.paired[:, None] * push


def envelope(pushes: Floats, rate: float, seconds: float = CLEARS) -> Floats:
    """Displacements ``(T, 3)`` that are smooth in time and nowhere smaller than given ones, so many seconds around.

    Where pushes turn round they go through nothing: the direction between two opposite ones would leap.
    """
    if not pushes.any():
        return pushes
    far = norms(pushes)
    smooth = gaussian(np.column_stack([pushes, far]), CLEAR_SMOOTH * rate, ends="hold")
    size, length = smooth_envelope(far, seconds, rate), norms(smooth[:, :3])
    agree = smoothstep(length / np.maximum(smooth[:, 3], 1e-12) / AGREE)
    return np.asarray((agree * size / np.maximum(length, 1e-9))[:, None] * smooth[:, :3])


def edited(context: PerformanceContext, side: str, before: RecordedWorld, target: HandTarget) -> Floats:
    """``(T, 1)`` from 0 to 1: whether a hand is elsewhere than recorded. One that is not may be as it was recorded."""
    far = norms(target.place - before.p(context.roles[f"{side}Hand"])) / context.detail.poses.arm_length
    return gaussian(np.asarray(smoothstep(far / EDITED))[:, None], CLEAR_SMOOTH * context.rate, ends="hold")


def keep_off_shoulder(
    context: PerformanceContext, side: str, after: RecordedWorld, carried: Floats, target: HandTarget
) -> Floats:
    """Displacements ``(T, 3)`` of a target: no wrist comes so near its shoulder that the elbow folds, unless it did."""
    shoulder, pushes = np.ascontiguousarray(after.p(context.roles[f"{side}UpperArm"])), np.empty_like(target.place)
    rows = carried, target.recorded, shoulder, target.place
    _native.recorded_arms.keep_off_shoulder(_arm_range(context), *rows, pushes)
    return pushes


def keep_in_reach(context: PerformanceContext, targets: dict[str, HandTarget], side: str, after: RecordedWorld) -> None:
    """Bring a target softly within reach, whatever keeps it: nothing that is farther than an arm is long is kept.

    The hand that it meets comes along.
    """
    own, shoulder = targets[side], np.ascontiguousarray(after.p(context.roles[f"{side}UpperArm"]))
    pulls, rows = np.empty_like(own.place), (own.recorded, own.longest, shoulder, own.place)
    if not _native.recorded_arms.keep_in_reach(_arm_range(context), *rows, pulls):
        return
    pulls = envelope(pulls, context.rate, REACHES)
    own.place = own.place + pulls
    for other in targets.values():
        if other is not own:
            other.place = other.place + other.paired[:, None] * pulls


def _arm_range(context: PerformanceContext) -> ArmRange:
    length = context.detail.poses.arm_length
    return ArmRange(FOLDED * length, NEAR_SHOULDER * length, WAS_FOLDED, SOFT["Arm"])


class _Meetings(NamedTuple):
    """How far ``(T,)`` hands meet, and how far those that meet are at the head, or elsewhere at the body."""

    met: Floats
    at_head: Floats
    at_body: Floats


def _meet(context: PerformanceContext, away: dict[str, Floats]) -> _Meetings:
    """How far palms meet; both hands are then displaced alike.

    Hands that meet at the chest are not displaced at all, and those that meet at the head go with it together: so
    neither what they touch nor each other is lost.
    """
    met, at_head, at_body = np.zeros((3, context.clock.frames))
    found = _Meetings(met, at_head, at_body)
    if len(away) < 2:
        return found
    for _, own in windows(context.phrase, "left", context.clock.source, (Kind.MEET,)):
        np.maximum(met, own, out=met)
    if not met.any():
        return found
    for side in SIDES:
        for referent, own in windows(context.phrase, side, context.clock.source, (Kind.TOUCH,)):
            at = at_head if referent.joint == "head" else at_body
            np.maximum(at, own, out=at)
    mean = 0.5 * (1.0 - at_body)[:, None] * (away["left"] + away["right"])
    for side in away:
        away[side] = away[side] + met[:, None] * (mean - away[side])
    return found


def _target(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    after: RecordedWorld,
    carried: Floats,
    steady: Floats,
    away: Floats,
    meetings: _Meetings,
    kept_as: RecordedWorld,
    goals: list[Hold],
    aiming: Floats,
    faced: RecordedWorld,
) -> HandTarget:
    """Where a hand goes; displaced in axes of a chest that was ``steady (T, 4)``."""
    shoulder, hand = (context.roles[f"{side}{part}"] for part in ("UpperArm", "Hand"))
    length = context.detail.poses.arm_length
    # An arm that hangs goes on hanging, however the trunk is bent.
    hangs = HANGS_DOWN * context.hands[side].hangs * (1.0 - SWINGS_ALONG * context.walking)
    wrist = before.p(hand)
    was, (hung, chest) = wrist - before.p(shoulder), np.empty((2, *carried.shape))
    displaced, target = np.empty((2, *away.shape))
    rows = hangs, length, away, np.ascontiguousarray(after.p(shoulder)), was, hung, chest, displaced, target
    _native.recorded_arms.displace_hand(carried, steady, *rows)
    ends = rotations.multiply(carried, before.q(hand))
    met = meetings.met
    kept = np.array(met)
    as_pair = np.zeros_like(target)
    if met.any():  # whichever of them hangs, they go the same way
        together = after.p(after.chest_joint) + rotations.rotate(carried, wrist - before.p(before.chest_joint))
        as_pair = length * rotations.rotate(rotations.multiply(carried, steady), away)
        target = target + met[:, None] * (together + as_pair - target)
    apart = 1.0 - met
    near = np.maximum(apart * context.shown(nearness(context.detail.poses, side)), met * meetings.at_head)
    head = context.roles["head"]
    if near.any():  # a hand goes with the face, the more the nearer it is; one that only passes it, as it now passes
        of = kept_as if met.any() else before
        by = rotations.multiply(faced.q(head), rotations.conjugate(of.q(head)))
        place = faced.p(head) + rotations.rotate(by, of.p(hand) - of.p(head))
        target = target + near[:, None] * (place - target)
        ends = rotations.slerp(ends, rotations.multiply(by, of.q(hand)), near)
        kept = np.maximum(kept, near)
    fixed = met * np.maximum(meetings.at_head, meetings.at_body)
    holds, aims = _holds(context, side, kept_as, after, apart, aiming)
    holds = [*holds, *goals]
    if holds:
        place, turn, held = _held(holds, ends)
        # Hands that meet are displaced the less the more either is held, already.
        left = ((1.0 - near) * met)[:, None] * as_pair
        target = target + held[:, None] * (place + left - target)
        ends = rotations.slerp(ends, turn, held / np.maximum(np.maximum(kept, held), 1e-12))
        kept, fixed = np.maximum(kept, held), np.maximum(fixed, held)
    calmer = (1.0 - np.maximum(fixed, met))[:, None] * _calmer(was, target - after.p(shoulder), context.rate)
    target = target + rotations.rotate(hung, calmer)
    by_keys = follow_keys(context.phrase, side, context.clock.source)
    keyed = smoothstep(norms(by_keys) / KEYED)
    if keyed.any():
        target = target + length * rotations.rotate(chest, by_keys)
        aims = [(weight * (1.0 - keyed), turn) for weight, turn in aims]
    paired = met * (1.0 - np.maximum(meetings.at_head, meetings.at_body))
    longest = _arm_length(context, side, before)
    grown = smoothstep((longest / context.body.lengths[f"{side}Arm"] - GROWN[0]) / (GROWN[1] - GROWN[0]))
    if grown.min() < 1.0:  # while animated bodies grow, edits leave their arms
        target = after.p(hand) + grown[:, None] * (target - after.p(hand))
        kept, fixed, paired = (np.maximum(kept, 1.0 - grown), np.maximum(fixed, 1.0 - grown), paired * grown)
    return HandTarget(target, ends, kept, fixed, paired, keyed, was, longest, aims)


def _calmer(was: Floats, now: Floats, rate: float) -> Floats:
    """What is taken ``(T, 3)`` from the quick part of a hand's way that was recorded at ``was (T, 3)`` of its shoulder.

    A hand that is nearer to its shoulder ``now`` goes less far by the same turns; the same way would turn it more.
    """
    quick = was - gaussian(was, QUICK * rate, ends="reflect")
    nearer = 1.0 - np.minimum(norms(now) / np.maximum(norms(was), 1e-9), 1.0)
    return -gaussian(nearer, QUICK * rate)[:, None] * quick


def _steady(turns: Floats, rate: float) -> Floats:
    """Rotations ``(T, 4)`` without the tremor of a captured chest: what it displaces would tremble by as much."""
    return rotations.normalise(gaussian(rotations.continuous(turns), CHEST_SMOOTH * rate, ends="reflect"))


def _arm_length(context: PerformanceContext, side: str, before: RecordedWorld) -> Floats:
    """``(T,)`` metres that an arm is long, as recorded: animated ones stretch, and grow out of nothing."""
    shoulder, elbow, wrist = (before.p(context.roles[f"{side}{part}"]) for part in ("UpperArm", "LowerArm", "Hand"))
    return np.asarray(norms(elbow - shoulder) + norms(wrist - elbow))


def _holds(
    context: PerformanceContext, side: str, before: RecordedWorld, after: RecordedWorld, apart: Floats, aiming: Floats
) -> tuple[list[Hold], list[tuple[Floats, Floats]]]:
    """What a hand is held by, and what it points at.

    What it touches comes first, before the hand that it meets; all else as far as it is ``apart (T,)`` from that one,
    and so does the head, with which hands that meet there go together.
    """
    shoulder, hand = (context.roles[f"{side}{part}"] for part in ("UpperArm", "Hand"))
    wrist = before.p(hand)
    holds: list[Hold] = []
    aims: list[tuple[Floats, Floats]] = []
    for referent, weight in windows(context.phrase, side, context.clock.source, (Kind.TOUCH, Kind.PLACE, Kind.AIM)):
        if referent.kind == Kind.AIM:
            if referent.target is None:
                continue
            place, turn = aim(after.p(shoulder), before.p(shoulder), wrist, np.array(referent.target))
            weight = weight * aiming
            aims.append((apart * weight, turn))
            turn = rotations.multiply(turn, before.q(hand))
        elif referent.kind == Kind.PLACE:
            place, turn = wrist, before.q(hand)
        else:
            joint = kept_joint(context.phrase, referent)
            by = rotations.multiply(after.q(joint), rotations.conjugate(before.q(joint)))
            place = after.p(joint) + rotations.rotate(by, wrist - before.p(joint))
            turn = rotations.multiply(by, before.q(hand))
        with_body = referent.kind == Kind.TOUCH and referent.joint != "head"
        holds.append((weight if with_body else apart * weight, place, turn))
    return holds, aims


def _held(holds: list[Hold], ends: Floats) -> Hold:
    """Where a wrist is held ``(T, 3)``, how its hand is turned ``(T, 4)``, and how far, by one or more referents.

    What holds fully does so, though another one comes already.
    """
    weights = np.stack([weight for weight, *_ in holds])
    left = np.array([np.prod(np.delete(1.0 - weights, i, axis=0), axis=0) for i in range(len(holds))])
    shares = weights * (left + 1e-6)
    shares = shares / np.maximum(shares.sum(axis=0), 1e-12)
    place = np.sum([share[:, None] * own for share, (_, own, _) in zip(shares, holds, strict=True)], axis=0)
    turned, total = ends, np.zeros(len(ends))
    for share, (_, _, turn) in zip(shares, holds, strict=True):
        total = total + share
        turned = rotations.slerp(turned, turn, share / np.maximum(total, 1e-12))
    return place, turned, 1.0 - np.prod(1.0 - weights, axis=0)
