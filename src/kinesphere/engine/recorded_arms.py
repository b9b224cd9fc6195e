"""Arms of a performed recording: hands go where edits bring them and keep what they keep; elbows and fingers follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere import _native
from kinesphere.engine.pose import SIGN
from kinesphere.engine.recorded_channels import within_room
from kinesphere.engine.recorded_clearance import Solids, clear_forearm, forearm, solids
from kinesphere.engine.recorded_fingers import shape_fingers
from kinesphere.engine.recorded_hands import displace_hand, elbow_swivel, swivel_of_keys, turn_hand
from kinesphere.engine.recorded_limbs import Limb, place_limb, turn_joints
from kinesphere.engine.recorded_limits import arm_limits
from kinesphere.engine.recorded_targets import (
    CLEAR_SMOOTH,
    HandTarget,
    clear_targets,
    edited,
    envelope,
    hand_targets,
    keep_in_reach,
    keep_off_shoulder,
    move_target,
)
from kinesphere.engine.recorded_walk import swing_arm
from kinesphere.engine.recording_context import KeptPose, PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.elbows import swivel_beside_trunk
from kinesphere.engine.shaping.goals import goal_places
from kinesphere.engine.shaping.hands import displaced_by_properties, swivel_by_properties
from kinesphere.engine.shaping.tension import goes_on_aiming
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, reflected_weights, smooth_envelope
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.humanoid import SIDES

ELBOWS = (-0.9, 1.1)  # radians inwards and outwards of hanging straight down, to which elbows come softly
HIGHER, HIGHEST, ELBOW_SMOOTH = 0.08, -0.06, 0.03  # arm lengths above the recorded elbow, and the shoulder; seconds
ARM_SMOOTH = 0.035  # seconds of σ, over which turns of arms are smoothed
AWAY_SMOOTH = 0.03  # seconds of σ, over which displacements are smoothed: a captured path has noise to be enlarged
BEND_SMOOTH = 0.03  # seconds of σ, over which it is smoothed how far elbows bend for wrists to be as far out as asked
EASE_SMOOTH = 0.02  # seconds of σ, in which arms come to what limits leave of smooth turns
HAND_SMOOTH = 0.03  # seconds of σ, over which turns of hands are smoothed
TREMBLES = (
    0.004  # of a rotation's vector part: what quick turns a hand is brought back by in full; larger ones are left
)
CLEAR_ROUNDS = 2  # of bringing both forearms out of the body and each other
EDITS_COME = 0.12  # seconds before a hand is moved in which its arm comes to bend as its hinge does
LEAST_LOWERED = 1e-3  # radians
TINY = 2e-7  # arm lengths: what is nearer to where it was stays


@dataclass(eq=False)
class _Arm:
    """One arm, while it is placed."""

    side: str
    limb: Limb
    above: Floats  # (T, 7) how the parent of its upper joint is turned in the world, and where it is
    target: HandTarget
    was: Floats  # (T, 3, 4) rotations of both bones and the hand before they are moved
    turns: Floats  # (T, 3) rotation vectors of the hand
    moved: Bools  # (T,) in which frames


def place_arms(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    table: Floats,
    recorded: Floats,
    local: Floats,
    translations: Floats,
    shaping: AskedShaping | None = None,
    kept: KeptPose | None = None,
    faced: RecordedWorld | None = None,
) -> None:
    """Put hands where edits bring them, in poses that are changed in place.

    ``recorded (T, C, 4)`` are the rotations of joints with limits before anything was added. Properties of movement
    are those of ``shaping``; what hands keep they keep as in ``kept``, before these changed joints. Where a face looks
    elsewhere, ``faced`` is before that: hands that are only near it do not go along.
    """
    away, kept_as = {}, before if kept is None else kept.world
    for side, hand in context.hands.items():
        if f"{side}Arm" in context.limbs:
            own = displace_hand(context.phrase, hand, context.clock, table)
            own = own + swing_arm(context.phrase, hand, context.clock)
            if shaping is not None:
                own = displaced_by_properties(context, shaping, side, own)
            away[side] = gaussian(own, AWAY_SMOOTH * context.rate, ends="reflect")
    if not away:
        return
    legs = context.world(local, translations, part="legs")  # feet were placed since
    bodies = solids(context.body, before), solids(context.body, after, legs)
    carried = rotations.multiply(after.q(after.chest_joint), rotations.conjugate(before.q(before.chest_joint)))
    goals = {side: goal_places(context, side, kept_as, local) for side in away}
    aiming = None if shaping is None else {side: goes_on_aiming(context, shaping, side) for side in away}
    targets = hand_targets(context, before, after, carried, away, kept_as, goals, aiming, faced)
    clear_targets(context, before, after, bodies, carried, targets)
    arms = [
        _bring_hand(context, side, before, after, table, own, local, translations, shaping)
        for side, own in targets.items()
    ]
    _clear_forearms(context, before, after, bodies, carried, arms, local, translations)
    for arm in arms:
        _finish_arm(context, arm, before, table, recorded, local, translations, kept)


def _bring_hand(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    after: RecordedWorld,
    table: Floats,
    target: HandTarget,
    local: Floats,
    translations: Floats,
    shaping: AskedShaping | None,
) -> _Arm:
    """Bring a hand to its target, and its elbow where flourishes, properties and keys turn it.

    A captured elbow that is nearly straight may be bent the wrong way round; where edits begin, it comes over in time.
    """
    limb = context.limbs[f"{side}Arm"]._replace(soft=0.0)  # targets are within reach, softly
    above = _above(limb, after)
    moved = norms(after.p(limb.end) - target.place) > TINY * context.detail.poses.arm_length
    turns, swivels = turn_hand(context.phrase, context.hands[side], context.clock, table)
    swivels = _elbow_room(context, side, swivels * (1.0 - target.kept))
    if shaping is not None:
        swivels = swivels + swivel_by_properties(context, shaping, side) * (1.0 - target.kept)
    swivels = SIGN[side] * swivels + swivel_of_keys(context.phrase, side, context.clock.source)
    moved |= np.abs(swivels) > 1e-9
    was = np.ascontiguousarray(local[:, [limb.upper, limb.lower, limb.end]])
    near = smooth_envelope(moved.astype(np.float64), EDITS_COME, context.rate)
    moved = near > 0.0
    place_limb(limb, local, translations, target.place, shares=moved, swivels=swivels, above=above)
    rows = np.flatnonzero(moved & (near < 1.0))
    for column, joint in enumerate((limb.upper, limb.lower)):
        local[rows, joint] = rotations.slerp(was[rows, column], local[rows, joint], near[rows])
    if shaping is not None:
        out = swivel_beside_trunk(context, side, before, after, local, translations)
        if out is not None:
            place_limb(limb, local, translations, target.place, shares=out != 0.0, swivels=out, above=above)
            moved = moved | (out != 0.0)
    lowered = _lower_elbow(context, side, above, before, after, local, translations)
    if lowered is not None:
        place_limb(limb, local, translations, target.place, shares=lowered != 0.0, swivels=lowered, above=above)
    return _Arm(side, limb, above, target, was, turns, moved)


def _above(limb: Limb, world: RecordedWorld) -> Floats:
    """``(T, 7)`` how the parent of a limb's upper joint is turned, and where it is; ``(T, 0)`` where it has none."""
    parent = int(limb.parents[limb.upper])
    if parent < 0:
        return np.zeros((len(world.pose.p), 0))
    return np.concatenate([world.q(parent), world.p(parent)], axis=1)


def _clear_forearms(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    bodies: tuple[Solids, Solids],
    carried: Floats,
    arms: list[_Arm],
    local: Floats,
    translations: Floats,
) -> None:
    """Bring forearms out of the body and each other: elbows swing out, hands give way, those that meet together."""
    targets, tiny = {arm.side: arm.target for arm in arms}, TINY * context.detail.poses.arm_length
    for _ in range(CLEAR_ROUNDS):
        asked = {arm.side: arm.target.place for arm in arms}
        swings = _push_forearms(context, before, after, bodies, arms, targets, local, translations)
        for side in swings:
            move_target(targets, side, keep_off_shoulder(context, side, after, carried, targets[side]))
            keep_in_reach(context, targets, side, after)
        for arm in arms:
            own = swings.get(arm.side, np.zeros(len(local)))
            pushed = (norms(arm.target.place - asked[arm.side]) > tiny) | (np.abs(own) > TINY)
            if pushed.any():
                rows = local, translations, arm.target.place
                place_limb(arm.limb, *rows, shares=pushed, swivels=own, above=arm.above)
                arm.moved |= pushed
        if not swings:
            return


def _push_forearms(
    context: PerformanceContext,
    before: RecordedWorld,
    after: RecordedWorld,
    bodies: tuple[Solids, Solids],
    arms: list[_Arm],
    targets: dict[str, HandTarget],
    local: Floats,
    translations: Floats,
) -> dict[str, Floats]:
    """Displace targets so that forearms come out; gives by side the swivels ``(T,)`` of elbows, where any is inside."""
    now, swings = context.world(local, translations, part="arms"), {}
    for arm in arms:
        other = SIDES[1 - SIDES.index(arm.side)]
        others = forearm(context.body, before, other, before.chest), forearm(context.body, now, other, after.chest)
        out = clear_forearm(context.body, arm.side, bodies, others, before, now)
        if out is None:
            continue
        share = edited(context, arm.side, before, arm.target)
        move_target(targets, arm.side, share * envelope(out[:, :3], context.rate))
        free = share[:, 0] * (1.0 - arm.target.fixed)
        swings[arm.side] = free * gaussian(out[:, 3], CLEAR_SMOOTH * context.rate, ends="hold")
    return swings


def _finish_arm(
    context: PerformanceContext,
    arm: _Arm,
    before: RecordedWorld,
    table: Floats,
    recorded: Floats,
    local: Floats,
    translations: Floats,
    kept: KeptPose | None,
) -> None:
    """Bring an arm within its limits, smooth how it is turned, and turn the hand."""
    limits, side, limb, target = arm_limits(context.body), arm.side, arm.limb, arm.target
    held, rays = target.held, _wrist_rays(limb, local, translations)
    for part in ("UpperArm", "LowerArm"):
        limits.ease(f"{side}{part}", recorded, local, 1.0 - held)
    _smooth_turns(context, arm, rays, local, translations)
    asked = np.ascontiguousarray(local[:, [limb.upper, limb.lower]])
    for part in ("UpperArm", "LowerArm"):  # smoothing leaves little to be eased again
        limits.ease(f"{side}{part}", recorded, local, 1.0 - held)
    _smooth_changes(asked, [limb.upper, limb.lower], EASE_SMOOTH * context.rate, arm.moved, local)
    if held.any():
        place_limb(limb, local, translations, target.place, shares=held * arm.moved, above=arm.above)
    for weight, turn in target.aims:
        _hold_arm(context, side, before, turn, weight, recorded, local, translations, kept)
    if target.kept.any():
        _native.recorded_arms.approach_ends(limb, np.ascontiguousarray(target.ends), target.kept, local, translations)
    free = 1.0 - target.kept
    if np.any(arm.turns):
        frame = context.body.anatomy.frames[f"{side}Hand"]
        turn_joints(np.array([limb.end]), frame[None], (arm.turns * free[:, None])[:, None], local)
    limits.ease(f"{side}Hand", recorded, local)
    # What a wrist bends in the recording stays as it is.
    turned = arm.moved | arm.turns.any(axis=1) | (target.kept > 0.0)
    _smooth_changes(np.ascontiguousarray(arm.was[:, 2:]), [limb.end], HAND_SMOOTH * context.rate, turned, local)
    # A recorded hand may be at its limit when what is added to it is none there.
    limits.ease_in_time(f"{side}Hand", context.rate, recorded, local)
    shape_fingers(context.body.skeleton, side, table, free, local)


def _elbow_room(context: PerformanceContext, side: str, swivels: Floats) -> Floats:
    """Swivels ``(T,)`` outwards that raise no elbow above its shoulder."""
    if not swivels.any():
        return swivels
    recorded = context.shown(elbow_swivel(context.detail.poses, side))
    return within_room(swivels, recorded, ELBOWS)


def _wrist_rays(limb: Limb, local: Floats, translations: Floats) -> Floats:
    """``(T, 3)`` from shoulder to wrist, in the axes above the limb."""
    rays = np.empty((len(local), 3))
    _native.recorded_arms.wrist_rays(limb, local, translations, rays)
    return rays


def _smooth_turns(context: PerformanceContext, arm: _Arm, asked: Floats, local: Floats, translations: Floats) -> None:
    """Smooth in time how far edits have turned both bones of an arm: an elbow near straight turns fast.

    The wrist goes back as smoothly to where it was ``asked (T, 3)`` to be, as ``_wrist_rays`` has it, and limits bring
    it as smoothly elsewhere: in that direction from its shoulder, and where its elbow is bent as far. What the
    recording trembles is not made more. Frames that nothing has moved stay, and so do hands where a user's keys bring
    them.
    """
    if not arm.moved.any():
        return
    eased = _wrist_rays(arm.limb, local, translations)
    rays = asked + gaussian(eased - asked, ARM_SMOOTH * context.rate, ends="reflect")
    turns, carried = np.empty((len(local), 2, 4)), np.ascontiguousarray(arm.was[:, :2])
    _native.recorded_arms.arm_turns(arm.limb, carried, local, turns)
    calm = gaussian(turns, ARM_SMOOTH * context.rate, ends="reflect")
    shares, bends = arm.moved * (1.0 - arm.target.keyed), np.empty(len(local))
    _native.recorded_arms.calm_turns(arm.limb, carried, turns, calm, rays, shares, local, translations, bends)
    bends = gaussian(bends, BEND_SMOOTH * context.rate, ends="reflect")
    _native.recorded_arms.bring_wrists(arm.limb, bends, rays, shares, local, translations)


def _smooth_changes(was: Floats, joints: list[int], sigma: float, moved: Bools, local: Floats) -> None:
    """Smooth in time, by a Gaussian of ``sigma`` frames, how far joints have turned from ``was (T, K, 4)``.

    Frames that nothing has ``moved (T,)`` stay.
    """
    _native.recorded_arms.smooth_changes(was, np.array(joints), reflected_weights(sigma, len(local)), moved, local)


def _lower_elbow(
    context: PerformanceContext,
    side: str,
    above: Floats,
    before: RecordedWorld,
    after: RecordedWorld,
    local: Floats,
    translations: Floats,
) -> Floats | None:
    """Swivels ``(T,)`` that bring an elbow down which edits have raised above its shoulder; None: none is.

    It may be as high as it was recorded, or nearly as high as the shoulder.
    """
    shoulder, elbow = (context.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm"))
    length, found = context.detail.poses.arm_length, np.empty(len(local))
    up = rotations.rotate(before.chest, np.array([0.0, 1.0, 0.0]))
    recorded = np.einsum("ti,ti->t", before.p(elbow) - before.p(shoulder), up)
    most = np.maximum(recorded + HIGHER * length, HIGHEST * length)
    rows = context.limbs[f"{side}Arm"], above, most, after.chest, float(SIGN[side]), local, translations
    if _native.recorded_arms.lower_elbow(*rows, found) < LEAST_LOWERED:
        return None
    return gaussian(found, ELBOW_SMOOTH * context.rate, ends="hold")


def _hold_arm(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    turn: Floats,
    weight: Floats,
    recorded: Floats,
    local: Floats,
    translations: Floats,
    kept: KeptPose | None,
) -> None:
    """Hold an arm as it was recorded in the world, but turned ``(T, 4)``, as far as it points: elbow and roll as well.

    An elbow that is bent elsewhere about the line from shoulder to wrist makes the forearm point elsewhere.
    """
    rows = np.flatnonzero(weight > 1e-6)
    upper, lower = (context.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm"))
    world = context.world(local[rows], translations[rows])
    above = rotations.multiply(world.q(upper), rotations.conjugate(local[rows, upper]))
    was = before if kept is None else kept.world
    wanted = rotations.multiply(rotations.conjugate(above), rotations.multiply(turn, was.q(upper))[rows])
    column = int(np.searchsorted(arm_limits(context.body).joints, lower))
    bent = recorded[rows, column] if kept is None else kept.local[rows, lower]
    for joint, held in ((upper, wanted), (lower, bent)):
        local[rows, joint] = rotations.slerp(local[rows, joint], held, weight[rows])
