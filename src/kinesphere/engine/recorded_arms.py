"""Arms of a performed recording: hands go where edits bring them and keep what they keep; elbows and fingers follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.hand_contacts import nearness
from kinesphere.engine.pose import SIGN
from kinesphere.engine.recorded_channels import within_room
from kinesphere.engine.recorded_clearance import clear_forearm, clear_hand, solids
from kinesphere.engine.recorded_fingers import shape_fingers
from kinesphere.engine.recorded_hands import (
    displace_hand,
    elbow_swivel,
    follow_keys,
    swivel_of_keys,
    turn_hand,
)
from kinesphere.engine.recorded_limbs import Limb, place_limb, turn_joints
from kinesphere.engine.recorded_limits import arm_limits
from kinesphere.engine.recorded_referents import aim, kept_joint, windows
from kinesphere.engine.recorded_walk import swing_arm
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, smooth_envelope
from kinesphere.maths.vectors import Floats, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import Kind

ELBOWS = (-0.9, 1.1)  # radians inwards and outwards of hanging straight down, to which elbows come softly
HIGHER, HIGHEST, ELBOW_SMOOTH = 0.08, -0.06, 0.03  # arm lengths above the recorded elbow, and the shoulder; seconds
HANGS_DOWN = 0.85  # of the trunk's turns that a hanging arm does not take part in
SWINGS_ALONG = 0.6  # less of that in a walk, where arms swing about the trunk
ARM_SMOOTH = 0.035  # seconds of σ, over which turns of arms are smoothed
FOLDED, NEAR_SHOULDER = 0.32, 0.1  # arm lengths from shoulder to wrist of a folded arm; and in which that is felt
WAS_FOLDED = 0.9  # of the recorded distance that is always allowed
AWAY_SMOOTH = 0.03  # seconds of σ, over which displacements are smoothed: a captured path has noise to be enlarged
CLEARS = 0.12  # seconds in which a hand comes out of the body, before it would be inside
CLEAR_SMOOTH = 0.05  # seconds of σ, over which hands and elbows come out of the body
EDITED = 0.02  # arm lengths from where it was recorded in which a hand comes to count as moved
LEAST_LOWERED = 1e-3  # radians
KEYED = 0.02  # arm lengths that a user has moved a key, from which on the arm goes there however it points
TINY = 2e-7  # arm lengths: what is nearer to where it was stays


class FoldedArm(NamedTuple):
    """How near a wrist may come to its shoulder, for native loops."""

    nearest: float  # metres of a folded arm
    felt: float  # metres in which that is felt
    kept: float  # of the recorded distance that is always allowed


def place_arms(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    table: Floats,
    recorded: Floats,
    local: Floats,
    translations: Floats,
) -> None:
    """Put hands where edits bring them, in poses that are changed in place.

    ``recorded (T, C, 4)`` are the rotations of joints with limits before anything was added.
    """
    limits = arm_limits(context.body)
    away, kept = {}, {}
    for side, hand in context.hands.items():
        own = displace_hand(context.phrase, hand, context.clock, table) + swing_arm(context.phrase, hand, context.clock)
        away[side] = gaussian(own, AWAY_SMOOTH * context.rate, ends="reflect")
    meetings, with_head = _meet(context, away)
    legs = context.world(local, translations)  # feet were placed since
    bodies = solids(context.body, before), solids(context.body, legs)
    carried = rotations.multiply(after.q(after.chest_joint), rotations.conjugate(before.q(before.chest_joint)))
    length = context.detail.poses.arm_length
    for side, hand in context.hands.items():
        limb = context.limbs.get(f"{side}Arm")
        if limb is None:
            continue
        targets, ends, kept[side], aims = _targets(
            context, side, before, after, carried, away[side], meetings, with_head
        )
        elbow, wrist = (context.roles[f"{side}{part}"] for part in ("LowerArm", "Hand"))
        free = 1.0 - kept[side]
        hand_was = before.p(elbow), before.p(wrist)
        out = clear_hand(bodies, *hand_was, length, carried, targets)
        if out is not None:
            targets = targets + _edited(before, wrist, targets, length) * free[:, None] * _envelope(out, context.rate)
        targets = targets + free[:, None] * _off_shoulder(context, side, before, after, carried, targets)
        moved = norms(after.p(wrist) - targets) > TINY * length
        turns, swivels = turn_hand(context.phrase, hand, context.clock, table)
        swivels = _elbow_room(context, side, swivels * free)
        swivels = SIGN[side] * swivels + swivel_of_keys(context.phrase, side, context.clock.source)
        moved |= np.abs(swivels) > 1e-9
        was = np.ascontiguousarray(local[:, [limb.upper, limb.lower]])
        place_limb(limb, local, translations, targets, wanted=moved, swivels=swivels)
        lowered = _lower_elbow(context, side, before, after, local, translations)
        if lowered is not None:
            place_limb(limb, local, translations, targets, wanted=lowered != 0.0, swivels=lowered)
        out = clear_forearm(limb, bodies, *hand_was, local, translations)
        if out is not None:
            edited = _edited(before, wrist, targets, length)
            pushes = edited * free[:, None] * _envelope(out[:, :3], context.rate)
            swings = edited[:, 0] * free * gaussian(out[:, 3], CLEAR_SMOOTH * context.rate, ends="hold")
            targets = targets + pushes
            targets = targets + free[:, None] * _off_shoulder(context, side, before, after, carried, targets)
            pushed = (norms(pushes) > TINY * length) | (np.abs(swings) > TINY)
            place_limb(limb, local, translations, targets, wanted=pushed, swivels=swings)
            moved |= pushed
        for part in ("UpperArm", "LowerArm"):
            limits.ease(f"{side}{part}", recorded, local, free)
        _smooth_turns(context, limb, was, np.where(moved, free, 0.0), local, translations)
        for part in ("UpperArm", "LowerArm"):  # smoothing leaves little to be eased again
            limits.ease(f"{side}{part}", recorded, local, free)
        for weight, turn in aims:
            _hold_arm(context, side, before, turn, weight, recorded, local, translations)
        if kept[side].any():
            _native.recorded_arms.approach_ends(limb, np.ascontiguousarray(ends), kept[side], local, translations)
        if np.any(turns):
            frame = context.body.anatomy.frames[f"{side}Hand"]
            turn_joints(np.array([wrist]), frame[None], (turns * free[:, None])[:, None], local)
        limits.ease(f"{side}Hand", recorded, local)
        shape_fingers(context.body.skeleton, side, table, free, local)


def _envelope(pushes: Floats, rate: float) -> Floats:
    """Displacements ``(T, 3)`` that are smooth in time and nowhere smaller than given ones."""
    smooth = gaussian(pushes, CLEAR_SMOOTH * rate, ends="hold")
    size = smooth_envelope(norms(pushes), CLEARS, rate)
    return np.asarray((size / np.maximum(norms(smooth), 1e-9))[:, None] * smooth)


def _edited(before: RecordedWorld, wrist: int, targets: Floats, length: float) -> Floats:
    """``(T, 1)`` from 0 to 1: whether a hand is elsewhere than recorded. One that is not may be as it was recorded."""
    return np.asarray(smoothstep(norms(targets - before.p(wrist)) / (EDITED * length))[:, None])


def _off_shoulder(
    context: PerformanceContext, side: str, before: RecordedWorld, after: RecordedWorld, carried: Floats, target: Floats
) -> Floats:
    """Displacements ``(T, 3)`` of targets: no wrist comes so near its shoulder that the elbow folds, unless it did."""
    shoulder, wrist = (context.roles[f"{side}{part}"] for part in ("UpperArm", "Hand"))
    recorded = rotations.rotate(carried, before.p(wrist) - before.p(shoulder))
    length, pushes = context.detail.poses.arm_length, np.empty_like(target)
    arm = FoldedArm(FOLDED * length, NEAR_SHOULDER * length, WAS_FOLDED)
    _native.recorded_arms.keep_off_shoulder(arm, recorded, np.ascontiguousarray(after.p(shoulder)), target, pushes)
    return pushes


def _elbow_room(context: PerformanceContext, side: str, swivels: Floats) -> Floats:
    """Swivels ``(T,)`` outwards that raise no elbow above its shoulder."""
    if not swivels.any():
        return swivels
    recorded = context.shown(elbow_swivel(context.detail.poses, side))
    return within_room(swivels, recorded, ELBOWS)


def _smooth_turns(
    context: PerformanceContext, limb: Limb, carried: Floats, free: Floats, local: Floats, translations: Floats
) -> None:
    """Smooth in time how far edits have turned both bones of an arm: an elbow near straight turns fast.

    The wrist stays in the direction from its shoulder in which it was. ``carried (T, 2, 4)`` are the rotations before
    edits; ``free (T,)`` is by how much: hands that keep something, and frames that nothing has moved, stay.
    """
    if not free.any():
        return
    turns = np.empty((len(local), 2, 4))
    _native.recorded_arms.arm_turns(limb, carried, local, turns)
    calm = gaussian(turns, ARM_SMOOTH * context.rate, ends="reflect")
    _native.recorded_arms.calm_turns(limb, carried, turns, calm, free, local, translations)


def _lower_elbow(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    after: RecordedWorld,
    local: Floats,
    translations: Floats,
) -> Floats | None:
    """Swivels ``(T,)`` that bring an elbow down which edits have raised above its shoulder; None: none is.

    It may be as high as it was recorded, or nearly as high as the shoulder.
    """
    shoulder, elbow = (context.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm"))
    up, was_up = (rotations.rotate(own.chest, np.array([0.0, 1.0, 0.0])) for own in (after, before))
    length = context.detail.poses.arm_length
    recorded = np.sum((before.p(elbow) - before.p(shoulder)) * was_up, axis=1)
    most = np.maximum(recorded + HIGHER * length, HIGHEST * length)
    aside = rotations.rotate(after.chest, np.array([SIGN[side], 0.0, 0.0]))
    found = np.empty(len(local))
    rows = context.limbs[f"{side}Arm"], most, up, aside, local, translations
    if _native.recorded_arms.lower_elbow(*rows, found) < LEAST_LOWERED:
        return None
    return gaussian(found, ELBOW_SMOOTH * context.rate, ends="hold")


def _meet(context: PerformanceContext, away: dict[str, Floats]) -> tuple[Floats, Floats]:
    """``(T,)`` how far palms meet, where both hands are displaced alike; and how far both go with the head.

    Hands that meet at the chest are not displaced at all, and those that meet at the head go with it together: so
    neither what they touch nor each other is lost.
    """
    weight, at_head, at_body = np.zeros((3, context.clock.frames))
    if len(away) < 2:
        return weight, at_head
    for _, own in windows(context.phrase, "left", context.clock.source, (Kind.MEET,)):
        weight = np.maximum(weight, own)
    if not weight.any():
        return weight, at_head
    for side in SIDES:
        for referent, own in windows(context.phrase, side, context.clock.source, (Kind.TOUCH,)):
            if referent.joint == "head":
                at_head = np.maximum(at_head, own)
            else:
                at_body = np.maximum(at_body, own)
    mean = 0.5 * (1.0 - at_body)[:, None] * (away["left"] + away["right"])
    for side in away:
        away[side] = away[side] + weight[:, None] * (mean - away[side])
    return weight, weight * at_head


def _targets(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    after: RecordedWorld,
    carried: Floats,
    away: Floats,
    meetings: Floats,
    with_head: Floats,
) -> tuple[Floats, Floats, Floats, list[tuple[Floats, Floats]]]:
    """Where a wrist goes ``(T, 3)``, how its hand is turned where it keeps something ``(T, 4)``, and how far.

    Then how far it points, and how the arm is turned for it, of each referent that it points at.
    """
    shoulder, hand = (context.roles[f"{side}{part}"] for part in ("UpperArm", "Hand"))
    length = context.detail.poses.arm_length
    # An arm that hangs goes on hanging, however the trunk is bent.
    hangs = HANGS_DOWN * context.hands[side].hangs * (1.0 - SWINGS_ALONG * context.walking)
    hung = rotations.slerp(carried, np.broadcast_to(rotations.identity(), carried.shape), hangs)
    chest = rotations.multiply(hung, before.chest)
    wrist = before.p(hand)
    displaced = length * rotations.rotate(chest, away)
    target = after.p(shoulder) + rotations.rotate(hung, wrist - before.p(shoulder)) + displaced
    ends = rotations.multiply(carried, before.q(hand))
    kept = np.array(meetings)
    if meetings.any():
        together = after.p(after.chest_joint) + rotations.rotate(carried, wrist - before.p(before.chest_joint))
        target = target + meetings[:, None] * (together + displaced - target)
    apart = 1.0 - meetings
    near = apart * context.shown(nearness(context.detail.poses, side))
    near = np.maximum(near, with_head)
    head = context.roles["head"]
    if near.any():  # a hand goes with the face, the more the nearer it is
        by = rotations.multiply(after.q(head), rotations.conjugate(before.q(head)))
        place = after.p(head) + rotations.rotate(by, wrist - before.p(head))
        target = target + near[:, None] * (place - target)
        ends = rotations.slerp(ends, rotations.multiply(by, before.q(hand)), near)
        kept = np.maximum(kept, near)
    aims: list[tuple[Floats, Floats]] = []
    holds: list[tuple[Floats, Floats, Floats]] = []
    for referent, weight in windows(context.phrase, side, context.clock.source, (Kind.TOUCH, Kind.PLACE, Kind.AIM)):
        if referent.kind == Kind.AIM:
            if referent.target is None:
                continue
            place, turn = aim(after.p(shoulder), before.p(shoulder), wrist, np.array(referent.target))
            aims.append((apart * weight, turn))
            turn = rotations.multiply(turn, before.q(hand))
        elif referent.kind == Kind.PLACE:
            place, turn = wrist, before.q(hand)
        else:
            joint = kept_joint(context.phrase, referent)
            by = rotations.multiply(after.q(joint), rotations.conjugate(before.q(joint)))
            place = after.p(joint) + rotations.rotate(by, wrist - before.p(joint))
            turn = rotations.multiply(by, before.q(hand))
        holds.append((apart * weight, place, turn))
    if holds:
        place, turn, held = _held(holds, ends)
        target = target + held[:, None] * (place - target)
        ends = rotations.slerp(ends, turn, held / np.maximum(np.maximum(kept, held), 1e-12))
        kept = np.maximum(kept, held)
    keyed = follow_keys(context.phrase, side, context.clock.source)
    if keyed.any():
        target = target + length * rotations.rotate(chest, keyed)
        stays = 1.0 - smoothstep(norms(keyed) / KEYED)
        aims = [(weight * stays, turn) for weight, turn in aims]
    return target, ends, kept, aims


def _held(holds: list[tuple[Floats, Floats, Floats]], ends: Floats) -> tuple[Floats, Floats, Floats]:
    """Where a wrist is held ``(T, 3)``, how its hand is turned ``(T, 4)``, and how far, by one or more referents.

    Each is how far it holds, where, and how turned. What holds fully does so, though another one comes already.
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


def _hold_arm(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    turn: Floats,
    weight: Floats,
    recorded: Floats,
    local: Floats,
    translations: Floats,
) -> None:
    """Hold an arm as it was recorded in the world, but turned ``(T, 4)``, as far as it points: elbow and roll as well.

    An elbow that is bent elsewhere about the line from shoulder to wrist makes the forearm point elsewhere.
    """
    rows = np.flatnonzero(weight > 1e-6)
    upper, lower = (context.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm"))
    world = context.world(local[rows], translations[rows])
    above = rotations.multiply(world.q(upper), rotations.conjugate(local[rows, upper]))
    wanted = rotations.multiply(rotations.conjugate(above), rotations.multiply(turn, before.q(upper))[rows])
    column = int(np.searchsorted(arm_limits(context.body).joints, lower))
    for joint, held in ((upper, wanted), (lower, recorded[rows, column])):
        local[rows, joint] = rotations.slerp(local[rows, joint], held, weight[rows])
