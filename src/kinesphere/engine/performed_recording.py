"""Recordings, performed: ``generate`` of a phrase that was lifted from one.

A performance is the recording at the moments that its clock shows, plus what edits add: channels of the trunk and hips
in the recorded pose's own axes, displacements of hands from their recorded paths, strides that are longer or shorter.
Feet stand where the recording has them, hips sink where legs would be too short, hands keep what they touch. Nothing is
added where nothing is edited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.joint_subset import joint_subset
from kinesphere.engine.channels import sample_rows
from kinesphere.engine.detail import Detail
from kinesphere.engine.edited_steps import EditedSteps, edited_steps
from kinesphere.engine.loops import LEVEL, travels
from kinesphere.engine.recorded_arms import place_arms
from kinesphere.engine.recorded_channels import recorded_channels
from kinesphere.engine.recorded_feet import legs_of
from kinesphere.engine.recorded_frames import Turns, sample_frames, show_other_moments
from kinesphere.engine.recorded_legs import balance_hips, peel_feet, place_feet, sink_hips
from kinesphere.engine.recorded_life import mean_radius
from kinesphere.engine.recorded_limbs import recorded_rig
from kinesphere.engine.recorded_limits import arm_limits
from kinesphere.engine.recorded_poses import RecordedPoses, chest_joint
from kinesphere.engine.recorded_stillness import hold_still
from kinesphere.engine.recorded_walk import walk_elsewhere
from kinesphere.engine.recording_clock import RecordingClock, recording_clock
from kinesphere.engine.recording_context import KeptPose, PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.balance import Placed, asks_balance, mass_centres, shift_balance
from kinesphere.engine.shaping.gaze import GazeShaping
from kinesphere.engine.shaping.goals import meet_goals
from kinesphere.engine.shaping.lean import lean_trunk
from kinesphere.engine.shaping.step_out import StepsOut
from kinesphere.engine.shaping.steps import shape_joints, shape_trunk
from kinesphere.engine.unrolling import unroll, unroll_detail
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, moving_mean
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase

TINY = 1e-7  # metres: what is nearer to where it was stays
TRAILS = 0.11  # seconds that a hand follows later at full trail
TRAIL_SMOOTH = (
    0.03  # seconds of σ, over which how far it hangs back is smoothed: a captured wrist trembles as its arm does
)
MOST_BACK = np.radians(20.0)  # that a hand hangs back at most, approached softly: wrists bend only so far
HANGING_TRAILS = 0.5  # less of that for a hand that hangs
STIFF = 1.0  # of a wrist's own bends that less than no trail takes away


def generate_recording(phrase: Phrase, rate: float) -> Motion:
    """The motion of a phrase that was lifted from a recording, at this many frames a second.

    Unedited it is the recording itself, resampled where it has another rate.
    """
    detail = phrase.detail
    assert detail is not None
    recording = detail.recording
    if detail.is_unedited(phrase) and not phrase.is_shaped:
        return recording if rate == recording.rate else recording.resampled(rate)
    return _perform_loop(phrase, rate) if phrase.loop else _perform(phrase, rate)


def _perform_loop(phrase: Phrase, rate: float) -> Motion:
    """One cycle of a loop, from the middle of several.

    Who goes on a treadmill is performed over the ground, which then goes back at one speed.
    """
    assert phrase.detail is not None
    made = _perform(unroll(phrase), rate)
    cycles = unroll_detail(phrase.detail).cycles
    count = (len(made) - 1) // cycles
    middle = made[cycles // 2 * count : (cycles // 2 + 1) * count + 1]
    local, translations = middle.rotations.copy(), middle.translations.copy()
    share = _passed(recording_clock(unroll(phrase), rate), cycles // 2 * count, count)[:, None]
    gone = cycles // 2 + share  # cycles, since the first began
    travelled = _come_back(phrase.body, gone, local, translations)
    on = travelled if travels(phrase.detail.recording) else np.zeros(3)
    roots = np.flatnonzero(made.skeleton.parents < 0)
    translations[:, roots] += (share * on)[:, None]
    local[-1], translations[-1] = local[0], translations[0]
    translations[-1, roots] += on
    return replace(middle, rotations=freeze(rotations.continuous(local)), translations=freeze(translations))


def _passed(clock: RecordingClock, first: int, count: int) -> Floats:
    """``(T,)`` from 0 to 1: how much of a cycle has passed; nothing does while it is held."""
    if clock.held is None:
        return np.linspace(0.0, 1.0, count + 1)
    passed = clock.held.to_plain(clock.time[first : first + count + 1])
    return np.asarray((passed - passed[0]) / (passed[-1] - passed[0]))


def performed_treadmill(phrase: Phrase, rate: float) -> Floats:
    """``(3,)`` metres a second that who moves in place goes in a performance; nothing for anybody else."""
    detail = phrase.detail
    if detail is None or not detail.treadmill.any() or (detail.is_unedited(phrase) and not phrase.is_shaped):
        return np.zeros(3) if detail is None else detail.treadmill
    cycles = unroll(phrase)
    clock = recording_clock(cycles, rate)
    assert cycles.detail is not None
    way, count = detail.treadmill * phrase.duration, (clock.frames - 1) // cycles.detail.cycles
    walked = walk_elsewhere(cycles, clock)
    if walked is not None:
        first = cycles.detail.cycles // 2 * count
        way = way + (walked.hips[first + count] - walked.hips[first]) * LEVEL
    return np.asarray(way * rate / count)


def _come_back(body: Body, gone: Floats, local: Floats, translations: Floats) -> Floats:
    """Take from poses of one cycle the way that the body goes in it, evenly: ``(3,)``, over the ground.

    ``gone (T, 1)`` are cycles since the loop began. Roots go on, hips that are no root, and feet that hang on no leg.
    """
    parents, way = body.skeleton.parents, np.zeros(3)
    roots = np.flatnonzero(parents < 0)
    for root in roots.tolist():
        on = (translations[-1, root] - translations[0, root]) * LEVEL
        translations[:, root] -= gone * on
        way = way + on / len(roots)
    hips = body.roles["hips"]
    for joint in (hips, *(leg.limb.end for leg in legs_of(body).values() if leg.is_detached(body))):
        above = int(parents[joint])
        if above < 0:
            continue
        subset = joint_subset(body.skeleton, [above])
        q, _ = forward_some(local, translations, subset.joints, subset.parents)
        turned = q[:, subset.rows[above]]
        on = rotations.rotate(turned[0], translations[-1, joint] - translations[0, joint]) * LEVEL
        translations[:, joint] -= rotations.rotate(rotations.conjugate(turned), gone * on)
        way = way + on if joint == hips else way
    return way


def performed_clock(phrase: Phrase, rate: float) -> RecordingClock:
    """The clock of a phrase of a recording, with frames that were not performed before it."""
    clock = recording_clock(phrase, rate)
    assert phrase.detail is not None
    lead = _leading(phrase.detail, rate) / rate
    if lead == 0.0:
        return clock
    nodes, shown = np.concatenate([[0.0], clock.nodes + lead]), np.concatenate([[0.0], clock.shown])
    return replace(clock, nodes=nodes, shown=shown, paces=np.concatenate([[1.0], clock.paces]))


def _leading(detail: Detail, rate: float) -> int:
    """Frames before the first performed one, at another rate."""
    return round(detail.leading_frames * rate / detail.recording.rate) or min(detail.leading_frames, 1)


def _perform(phrase: Phrase, rate: float) -> Motion:
    """One performance of a recording."""
    context = PerformanceContext.of(phrase, rate)
    local, translations = sample_frames(context.detail.poses.motion, context.clock.source)
    _show_own_clocks(context, local)
    shaping, kept = AskedShaping.of(context), None
    if shaping is not None:
        kept = KeptPose(local.copy(), context.world(local, translations))
        shape_joints(context, shaping, local, translations)
    limits = arm_limits(context.body)
    wrists = local[:, limits.hands]
    _trail(context, local)
    before = context.world(local, translations)
    hold_still(context, local, translations)
    recorded = np.ascontiguousarray(local[:, limits.joints])
    recorded[:, np.searchsorted(limits.joints, limits.hands)] = wrists  # what hands trail is none of the recording's
    table = recorded_channels(context)
    recorded_rig(context.body).turn_trunk(table, rate, local, translations)
    if shaping is not None and kept is not None:
        shape_trunk(context, shaping, kept.world, local, translations)
    stepped = edited_steps(context.phrase, context.clock)
    if stepped is not None:
        stepped.turn_hips(context, local, translations)
    for side in SIDES:
        limits.ease_in_time(f"{side}Shoulder", rate, recorded, local)
    aside, over, out = np.zeros((context.clock.frames, 3)), None, None
    if shaping is not None and kept is not None and shaping.asks("lean"):
        upright = _Legs(context, before, context.world(local, translations), table, stepped)
        over = mass_centres(context.body, *upright.placed(local, translations)(aside))
        lean_trunk(context, shaping, kept.world, local, translations)
    after = context.world(local, translations)
    legs = _Legs(context, before, after, table, stepped)
    if shaping is not None and kept is not None and asks_balance(shaping):
        aside, out = shift_balance(context, shaping, kept, legs.placed(local, translations), over)
    after = legs.place(aside, local, translations, out)
    gaze, faced = None if shaping is None else GazeShaping.of(context, shaping), None
    if gaze is not None:
        gaze.turn_spine(local, translations)
        faced = context.world(local, translations)
        gaze.turn_head(local, translations)
        after = context.world(local, translations)
    place_arms(context, before, after, table, recorded, local, translations, shaping, kept, faced)
    meet_goals(context, local, translations)
    if gaze is not None:  # hands that are looked at have been moved since, and trunks that assist them
        gaze.turn_head(local, translations)
    return _motion(context, local, translations)


@dataclass(frozen=True, eq=False)
class _Legs:
    """What is known of a performance when hips and feet are placed; none of it is changed by that."""

    context: PerformanceContext
    before: RecordedWorld
    after: RecordedWorld
    table: Floats
    stepped: EditedSteps | None

    def place(self, aside: Floats, local: Floats, translations: Floats, out: StepsOut | None = None) -> RecordedWorld:
        """Place hips, moved by ``aside (T, 3)``, and feet, in place; gives joints in the world with the hips there.

        ``out`` are steps of feet that stood, below what the body leans to.
        """
        context, before, after, stepped = self.context, self.before, self.after, self.stepped
        walked = walk_elsewhere(context.phrase, context.clock)
        feet = {side: np.array(before.p(context.roles[f"{side}Foot"])) for side in SIDES}
        shift = balance_hips(context, before, after) + aside
        if walked is not None:
            shift = shift + walked.hips
            for side, own in walked.feet.items():
                feet[side] += own
        stood = dict(feet)
        turned = peel_feet(context, before, feet, self.table if out is None else out.peeled(self.table))
        if stepped is not None:
            shift = shift + stepped.hips
            stepped.move_feet(stood, feet, turned)
        if out is not None:
            for side, way in out.ways.items():
                feet[side] = feet[side] + way
        shift = sink_hips(context, before, after, shift, feet)
        if np.abs(shift).max() > TINY:
            _move_hips(context, shift, local, translations)
            after = after.moved(shift)
        turns = {} if stepped is None else stepped.turns
        lifted = {} if out is None else out.lifted
        place_feet(context, before, after, feet, turned, turns, local, translations, lifted)
        return after

    def placed(self, local: Floats, translations: Floats) -> Placed:
        """Poses with hips moved aside, as a function of how far, and of steps out; those that are given stay."""

        def moved(aside: Floats, out: StepsOut | None = None) -> tuple[Floats, Floats]:
            poses = local.copy(), translations.copy()
            self.place(aside, *poses, out)
            return poses

        return moved


def _show_own_clocks(context: PerformanceContext, local: Floats) -> None:
    """Let arms show other moments than the body where they have timing of their own."""
    for side, clock in context.arm_clocks.items():
        if clock is not context.clock:
            joints = np.array(context.body.skeleton.descendants(context.roles[f"{side}UpperArm"]))
            times = np.interp(context.clock.time, clock.time, clock.source)
            show_other_moments(context.detail.poses.motion, joints, times, local)


def _trail(context: PerformanceContext, local: Floats) -> None:
    """Let hands hang back where they trail, and fingers with them; hold wrists stiff where they trail less than none.

    A hand that trails is turned, as seen from the chest, as it was a moment ago, while its forearm goes on.
    """
    poses, motion = context.detail.poses, context.detail.poses.motion
    for side, hand in context.hands.items():
        trail = np.asarray(context.phrase.arm(side).overlay("trail"))
        if not trail.any():
            continue
        share = trail if trail.ndim == 0 else sample_rows(trail, context.clock.source, context.phrase.loop)
        _stiffen(context, side, -STIFF * np.minimum(share, 0.0), local)
        if not (trail > 0.0).any():
            continue
        late = TRAILS * np.maximum(share, 0.0) * (1.0 - HANGING_TRAILS * hand.hangs)
        time = context.clock.time
        late = late * -np.expm1(-time / np.maximum(late, 1e-9))  # it comes to be late: before the first frame is none
        shown = np.interp(time - late, time, context.arm_clocks[side].source[: len(late)])
        wrist = context.roles[f"{side}Hand"]
        joints = np.array(context.body.skeleton.descendants(wrist))
        if len(joints) > 1:
            show_other_moments(motion, joints[joints != wrist], shown, local)
        now = context.arm_clocks[side].source[: len(late)]
        own = _seen_hand(poses, side)
        arm, held = (turns.at(at * motion.rate)[:, 0] for turns, at in zip(own, (now, shown), strict=True))
        trailed = rotations.multiply(rotations.conjugate(arm), held)
        back = rotations.multiply(rotations.conjugate(local[:, wrist]), trailed)
        vectors = rotations.to_rotation_vector(rotations.continuous(back))
        vectors = gaussian(vectors, TRAIL_SMOOTH * context.rate, ends="reflect")
        size = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        bounded = rotations.from_rotation_vector(MOST_BACK * np.tanh(size / MOST_BACK) / size * vectors)
        local[:, wrist] = rotations.multiply(local[:, wrist], bounded)


@memoised
def _seen_hand(poses: RecordedPoses, side: str) -> tuple[Turns, Turns]:
    """What carries a hand and the hand itself, as turned in the recording and seen from the chest."""
    wrist = poses.body.roles[f"{side}Hand"]
    chest = rotations.conjugate(poses.world.rotations_of(chest_joint(poses.body)))
    hand = poses.world.rotations_of(wrist)
    carrier = rotations.multiply(hand, rotations.conjugate(poses.motion.rotations[:, wrist]))
    seen = (rotations.continuous(rotations.multiply(chest, own)) for own in (carrier, hand))
    arm, own = (Turns.of(turned[:, None], poses.motion.rate) for turned in seen)
    return arm, own


def _stiffen(context: PerformanceContext, side: str, share: Floats, local: Floats) -> None:
    """Bring a wrist nearer to its mean, by a share ``()`` or ``(T,)``."""
    if not np.any(share > 0.0):
        return
    wrist = context.roles[f"{side}Hand"]
    mean = _mean_wrist(context.detail, side).at(context.clock.source * context.detail.poses.motion.rate)
    local[:, wrist] = rotations.slerp(local[:, wrist], mean[:, 0], np.minimum(share, 1.0))


@memoised
def _mean_wrist(detail: Detail, side: str) -> Turns:
    """How a wrist is bent on the mean around each moment."""
    poses = detail.poses
    own = rotations.continuous(poses.motion.rotations[:, poses.body.roles[f"{side}Hand"]])
    mean = rotations.continuous(rotations.normalise(moving_mean(own, mean_radius(detail))))
    return Turns.of(mean[:, None], poses.motion.rate)


def _move_hips(context: PerformanceContext, shift: Floats, local: Floats, translations: Floats) -> None:
    """Move the hips by ``shift (T, 3)`` in the world."""
    hips = context.roles["hips"]
    parent = int(context.body.skeleton.parents[hips])
    if parent >= 0:
        above = joint_subset(context.body.skeleton, [parent])
        q, _ = forward_some(local, translations, above.joints, above.parents)
        shift = rotations.rotate(rotations.conjugate(q[:, above.rows[parent]]), shift)
    translations[:, hips] += shift


def _motion(context: PerformanceContext, local: Floats, translations: Floats) -> Motion:
    recording, lead = context.detail.recording, _leading(context.detail, context.rate)
    scales = None
    if recording.scales is not None:
        scales = resample_vectors(recording.scales, context.clock.source * recording.rate, smooth=False)
    if lead:
        rows = np.minimum(np.arange(lead), context.detail.leading_frames - 1)
        local = np.concatenate([recording.rotations[rows], local])
        translations = np.concatenate([recording.translations[rows], translations])
        if scales is not None and recording.scales is not None:
            scales = np.concatenate([recording.scales[rows], scales])
    return replace(
        recording,
        rate=context.rate,
        rotations=freeze(rotations.continuous(local, copy=False)),
        translations=freeze(translations),
        scales=scales,
        calibration_frames=tuple(range(lead)),
    )
