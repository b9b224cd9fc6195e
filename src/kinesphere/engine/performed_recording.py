"""Recordings, performed: ``generate`` of a phrase that was lifted from one.

A performance is the recording at the moments that its clock shows, plus what edits add: channels of the trunk and hips
in the recorded pose's own axes, displacements of hands from their recorded paths, strides that are longer or shorter.
Feet stand where the recording has them, hips sink where legs would be too short, hands keep what they touch. Nothing is
added where nothing is edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.hands import blend_hand_shapes, finger_rotations, hand_shape
from kinesphere.body.joint_subset import JointSubset, SubsetPose, joint_subset
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.detail import REST_LEADS, Detail
from kinesphere.engine.hand_contacts import nearness
from kinesphere.engine.pose import SIGN
from kinesphere.engine.recorded_channels import recorded_channels, within_room
from kinesphere.engine.recorded_hands import (
    displace_hand,
    elbow_swivel,
    follow_keys,
    hand_strokes,
    keep_off_trunk,
    swivel_of_keys,
    turn_hand,
)
from kinesphere.engine.recorded_limbs import RecordedRig, place_limb, recorded_rig, shown_hinges, turn_joints
from kinesphere.engine.recorded_poses import body_frame, chest_joint, recorded_subset
from kinesphere.engine.recorded_referents import aim, kept_joint, windows
from kinesphere.engine.recorded_walk import swing_arm, walk_elsewhere
from kinesphere.engine.recording_clock import RecordingClock, arm_clock, recording_clock
from kinesphere.engine.unrolling import CYCLES, travel, unroll
from kinesphere.maths import rotations, threads
from kinesphere.maths.filters import gaussian, moving_mean, running_maximum
from kinesphere.maths.interpolation import resample_rotations, resample_vectors
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.gesture import SHAPES
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind
from kinesphere.motion.skeleton import Skeleton

SAMPLE_WORK = 8  # what a sampled number is worth when frames are shared among threads
BLOCK = 8192  # frames that are sampled at once
BALANCE = 0.40  # of the upper body's displacement that hips go the other way
SOFT_KNEE = np.cos(np.radians(3.5))  # of a leg's length that it reaches, or as much as it was stretched
SINK_AHEAD, SINK_SMOOTH = 0.14, 0.06  # seconds
ELBOWS = (-0.9, 1.35)  # radians inwards and outwards of hanging straight down, to which elbows come softly
HIGHER, HIGHEST, ELBOW_SMOOTH = 0.08, -0.06, 0.03  # arm lengths above the recorded elbow, and the shoulder; seconds
HANGS_DOWN = 0.85  # of the trunk's turns that a hanging arm does not take part in
SWINGS_ALONG = 0.6  # less of that in a walk, where arms swing about the trunk
ARM_SMOOTH = 0.022  # seconds of σ, over which turns of arms are smoothed
TINY = 1e-7  # metres: what is nearer to where it was stays
STILL_SECONDS = 1.0  # to either side, over which a pose that is held still is the mean
SETTLES = 0.25  # seconds in which stillness comes and goes
TRAILS = 0.09  # seconds that a hand follows later at full trail


def generate_recording(phrase: Phrase, rate: float) -> Motion:
    """The motion of a phrase that was lifted from a recording, at this many frames a second.

    Unedited it is the recording itself, resampled where it has another rate.
    """
    detail = phrase.detail
    assert detail is not None
    recording = detail.recording
    if detail.is_unedited(phrase):
        return recording if rate == recording.rate else recording.resampled(rate)
    return _perform_loop(phrase, rate) if phrase.loop else _Performance(phrase, rate).perform()


def _perform_loop(phrase: Phrase, rate: float) -> Motion:
    """One cycle of a loop, from the middle of several."""
    assert phrase.detail is not None
    made = _Performance(unroll(phrase), rate).perform()
    count = (len(made) - 1) // CYCLES
    middle = made[count : 2 * count + 1]
    local, translations = middle.rotations.copy(), middle.translations.copy()
    # It begins where the first cycle does, and goes on by as much as a cycle travels now.
    goes_on, travels = travel(middle), travel(phrase.detail.recording).any()
    if travels:
        roots = np.flatnonzero(made.skeleton.parents < 0)
        came = (translations[0] - made.translations[0])[roots] * np.array([1.0, 0.0, 1.0])
        translations[:, roots] -= came
    local[-1], translations[-1] = local[0], translations[0]
    if travels:
        translations[-1] += goes_on
    return replace(middle, rotations=freeze(rotations.continuous(local)), translations=freeze(translations))


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


@dataclass(frozen=True, eq=False)
class _World:
    """Joints of a performance in the world."""

    pose: SubsetPose
    chest_joint: int
    chest_frame: Floats

    def p(self, joint: int) -> Floats:
        return self.pose.positions_of(joint)

    def q(self, joint: int) -> Floats:
        return self.pose.rotations_of(joint)

    def moved(self, shift: Floats) -> _World:
        """The same with all joints moved by ``shift (T, 3)``."""
        return replace(self, pose=self.pose._replace(p=self.pose.p + shift[:, None]))

    @property
    def chest(self) -> Floats:
        """``(T, 4)`` the chest's left, up and ahead."""
        return rotations.multiply(self.q(self.chest_joint), self.chest_frame)


class _Performance:
    """One performance of a recording."""

    def __init__(self, phrase: Phrase, rate: float) -> None:
        assert phrase.detail is not None
        self.phrase, self.detail, self.rate = phrase, phrase.detail, rate
        self.body, self.roles = phrase.body, phrase.body.roles
        self.rig: RecordedRig = recorded_rig(phrase.body)
        hinges = shown_hinges(self.detail.poses)
        self.limbs = {name: own._replace(hinge=hinges[name]) for name, own in self.rig.limbs.items()}
        self.clock = recording_clock(phrase, rate)
        self.arm_clocks = {side: arm_clock(phrase, side, self.clock) for side in SIDES}
        self.hands = {
            side: hand for side in SIDES if (hand := hand_strokes(phrase, side, self.arm_clocks[side])) is not None
        }
        self.stands = self.detail.at_times(self.detail.poses.stands, self.clock.source)
        self.subset = _subset(phrase.body)

    def perform(self) -> Motion:
        """All of it."""
        local, translations = _sample(self.detail.poses.motion, self.clock.source)
        self._own_clocks(local)
        self._trail(local)
        before = self._world(local, translations)
        self._hold_still(local, translations)
        table = recorded_channels(self.phrase, self.clock, self.hands)
        self.rig.turn_trunk(table, local, translations)
        after = self._world(local, translations)
        walked = walk_elsewhere(self.phrase, self.clock)
        feet = {side: np.array(before.p(self.roles[f"{side}Foot"])) for side in SIDES}
        shift = self._balance(before, after)
        if walked is not None:
            shift = shift + walked.hips
            for side, own in walked.feet.items():
                feet[side] += own
        turned = self._peel_feet(before, feet, table)
        shift = shift + self._sink(before, after.moved(shift), feet)
        if np.abs(shift).max() > TINY:
            self._move_hips(shift, local, translations)
            after = after.moved(shift)
        self._legs(after, feet, turned, local, translations)
        self._arms(before, after, table, local, translations)
        return self._motion(local, translations)

    # Poses

    def _own_clocks(self, local: Floats) -> None:
        """Let arms show other moments than the body where they have timing of their own."""
        for side, clock in self.arm_clocks.items():
            if clock is self.clock:
                continue
            joints = np.array(self.body.skeleton.descendants(self.roles[f"{side}UpperArm"]))
            motion = self.detail.poses.motion
            source = np.interp(self.clock.time, clock.time, clock.source)
            for first in range(0, len(local), BLOCK):
                rows = slice(first, first + BLOCK)
                at, a, b = _around(source[rows] * motion.rate, len(motion))
                local[rows][:, joints] = resample_rotations(motion.rotations[a:b][:, joints], at)

    def _trail(self, local: Floats) -> None:
        """Let hands and fingers follow a moment later where they trail: they show what they did before."""
        motion = self.detail.poses.motion
        for side, hand in self.hands.items():
            trail = np.asarray(self.phrase.arm(side).overlay("trail"))
            if not (trail > 0.0).any():
                continue
            share = trail if trail.ndim == 0 else sample_rows(trail, self.clock.source, self.phrase.loop)
            late = TRAILS * np.maximum(share, 0.0) * (1.0 - hand.hangs)
            shown = np.interp(self.clock.time - late, self.clock.time, self.arm_clocks[side].source[: len(late)])
            joints = np.array(self.body.skeleton.descendants(self.roles[f"{side}Hand"]))
            for first in range(0, len(local), BLOCK):
                rows = slice(first, first + BLOCK)
                at, a, b = _around(shown[rows] * motion.rate, len(motion))
                local[rows][:, joints] = resample_rotations(motion.rotations[a:b][:, joints], at)

    def _world(self, local: Floats, translations: Floats) -> _World:
        q, p = forward_some(local, translations, self.subset.joints, self.subset.parents)
        joint = chest_joint(self.body)
        return _World(SubsetPose(q, p, self.subset), joint, body_frame(self.body, joint))

    def _hold_still(self, local: Floats, translations: Floats) -> None:
        """Take the life out of rests, as far as stillness asks: a statue does not even breathe."""
        still = 1.0 - self.phrase.life
        if still <= 1e-6 or len(local) < 3:
            return
        quiet = 1.0 - np.maximum(
            self.detail.at_times(self.detail.steps.walking, self.clock.source),
            self.detail.at_times(self.detail.steps.flying, self.clock.source),
        )
        hips, radius = self.roles["hips"], max(round(STILL_SECONDS * self.rate), 1)
        for first, last in self._rests():
            rows = slice(first, last + 1)
            count = last - first + 1
            if count < 3 or not quiet[rows].all():  # nobody rests who travels or flies
                continue
            ramp = np.minimum(np.arange(1, count + 1), np.arange(count, 0, -1)) / max(SETTLES * self.rate, 1.0)
            weight = min(still, 1.0) * smoothstep(np.minimum(ramp, 3.0 * ramp / max(ramp.max(), 1e-9)))
            calm = moving_mean(rotations.continuous(local[rows]), radius)
            local[rows] = rotations.slerp(local[rows], rotations.normalise(calm), weight[:, None])
            path = translations[rows, hips]
            translations[rows, hips] = path + weight[:, None] * (moving_mean(path, radius) - path)

    def _rests(self) -> list[tuple[int, int]]:
        """First and last frames in which no part makes a stroke."""
        strokes = self.detail.strokes
        edges = self.clock.to_output(strokes.edges)
        found = []
        for lead, start, end in zip(strokes.leads, edges[:-1], edges[1:], strict=True):
            if lead == REST_LEADS:
                first, last = np.searchsorted(self.clock.time, (start, end))
                found.append((int(first), int(last) - 1))
        return found

    def _move_hips(self, shift: Floats, local: Floats, translations: Floats) -> None:
        """Move the hips by ``shift (T, 3)`` in the world."""
        hips = self.roles["hips"]
        parent = int(self.body.skeleton.parents[hips])
        if parent >= 0:
            above = joint_subset(self.body.skeleton, [parent])
            q, _ = forward_some(local, translations, above.joints, above.parents)
            shift = rotations.rotate(rotations.conjugate(q[:, above.rows[parent]]), shift)
        translations[:, hips] += shift

    def _balance(self, before: _World, after: _World) -> Floats:
        """``(T, 3)`` how far hips go back as the upper body goes ahead, so that the body stays above its feet."""
        hips, head, chest = self.roles["hips"], self.roles["head"], before.chest_joint
        upper = np.zeros((self.clock.frames, 3))
        for joint in (head, chest):
            upper += 0.5 * ((after.p(joint) - after.p(hips)) - (before.p(joint) - before.p(hips)))
        walking = self.detail.at_times(self.detail.steps.walking, self.clock.source)
        flying = self.detail.at_times(self.detail.steps.flying, self.clock.source)
        share = BALANCE * self.stands * (1.0 - flying) * (1.0 - 0.8 * walking)
        return np.asarray(-share[:, None] * upper * np.array([1.0, 0.0, 1.0]))

    # Legs

    def _peel_feet(self, before: _World, feet: dict[str, Floats], table: Floats) -> dict[str, tuple[Floats, ...]]:
        """How feet are turned, and toes where heels are raised; raised ankles are written into ``feet``."""
        turned: dict[str, tuple[Floats, ...]] = {}
        for side in SIDES:
            peel = table[:, INDEX[f"{side}.foot.peel"]] * self.stands
            turned[side] = (before.q(self.roles[f"{side}Foot"]),)
            if np.any(peel) and self._has_toes(side):
                feet[side], *rotated = self._peel(before, side, feet[side], peel)
                turned[side] = tuple(rotated)
        return turned

    def _has_toes(self, side: str) -> bool:
        foot, role = self.roles[f"{side}Foot"], f"{side}Toes"
        return role in self.roles and int(self.body.skeleton.parents[self.roles[role]]) == foot

    def _legs(
        self,
        after: _World,
        feet: Mapping[str, Floats],
        turned: Mapping[str, tuple[Floats, ...]],
        local: Floats,
        translations: Floats,
    ) -> None:
        """Put feet where they stand."""
        for side in SIDES:
            limb = self.limbs.get(f"{side}Leg")
            if limb is None:
                continue
            foot, wanted = self.roles[f"{side}Foot"], turned[side][0]
            moved = norms(after.p(foot) - feet[side]) > TINY
            moved |= rotations.angle_between(after.q(foot), wanted) > 1e-7
            place_limb(limb, local, translations, feet[side], wanted=moved, ends=wanted, turned=moved)
            if len(turned[side]) > 1:
                toes = self.roles[f"{side}Toes"]
                local[:, toes] = rotations.multiply(rotations.conjugate(wanted), turned[side][1])

    def _peel(self, before: _World, side: str, ankle: Floats, peel: Floats) -> tuple[Floats, Floats, Floats]:
        """The ankle, the foot's rotation and the toes' when the heel is raised by angles ``(T,)`` about the ball."""
        foot, role = self.roles[f"{side}Foot"], f"{side}Toes"
        turned = before.q(foot)
        ball = before.p(self.roles[role]) + (ankle - before.p(foot))
        left = rotations.rotate(
            rotations.multiply(turned, self.body.anatomy.frames[f"{side}Foot"]), np.array([1.0, 0.0, 0.0])
        )
        turn = rotations.from_rotation_vector(peel[:, None] * left)
        made = ball + rotations.rotate(turn, ankle - ball)
        return made, rotations.multiply(turn, turned), before.q(self.roles[role])

    def _sink(self, before: _World, after: _World, feet: Mapping[str, Floats]) -> Floats:
        """``(T, 3)`` how far hips sink so that legs reach their feet, smoothly."""
        shift = np.zeros((self.clock.frames, 3))
        for _ in range(2):
            needed = self._overreach(before, after, feet, shift[:, 1])
            if needed.max() < 1e-6:
                break
            radius = max(round(SINK_AHEAD * self.rate), 1)
            drop = gaussian(running_maximum(needed, radius), SINK_SMOOTH * self.rate, ends="hold")
            shift[:, 1] -= np.maximum(drop, needed)
        return shift

    def _overreach(self, before: _World, after: _World, feet: Mapping[str, Floats], lower: Floats) -> Floats:
        """``(T,)`` metres that hips, lower by so much, would have to sink for both legs to reach."""
        needed = np.zeros(self.clock.frames)
        for side in SIDES:
            if f"{side}Leg" not in self.limbs:
                continue
            hip, foot = self.roles[f"{side}UpperLeg"], self.roles[f"{side}Foot"]
            stretched = norms(before.p(foot) - before.p(hip))
            longest = np.maximum(SOFT_KNEE * self.body.lengths[f"{side}Leg"], stretched)
            x, y, z = (feet[side] - after.p(hip)).T
            y = y - lower
            level = np.sqrt(np.maximum(longest * longest - x * x - z * z, 0.0))
            needed = np.maximum(needed, np.where(-y > 0.0, -y - level, 0.0))
        return needed

    # Arms

    def _arms(self, before: _World, after: _World, table: Floats, local: Floats, translations: Floats) -> None:
        length = self.detail.poses.arm_length
        away, kept = {}, {}
        half = 0.5 * norms(before.p(self.roles["leftUpperArm"]) - before.p(self.roles["rightUpperArm"])) / length
        for side, hand in self.hands.items():
            own = displace_hand(self.phrase, hand, self.clock, table) + swing_arm(self.phrase, hand, self.clock)
            away[side] = keep_off_trunk(hand.path, own, side, float(np.median(half)))
        meetings, with_head = self._meet(away)
        for side, hand in self.hands.items():
            limb = self.limbs.get(f"{side}Arm")
            if limb is None:
                continue
            targets, ends, kept[side] = self._targets(side, before, after, away[side], meetings, with_head)
            wrist = self.roles[f"{side}Hand"]
            moved = norms(after.p(wrist) - targets) > TINY
            turns, swivels = turn_hand(self.phrase, hand, self.clock, table)
            free = 1.0 - kept[side]
            swivels = self._elbow_room(side, swivels * free)
            swivels = SIGN[side] * swivels + swivel_of_keys(self.phrase, side, self.clock.source)
            moved |= np.abs(swivels) > 1e-9
            joints = [limb.upper, limb.lower]
            carried = local[:, joints]
            place_limb(limb, local, translations, targets, wanted=moved, swivels=swivels)
            lowered = self._lower_elbow(side, before, local, translations)
            if lowered.any():
                place_limb(limb, local, translations, targets, wanted=lowered != 0.0, swivels=lowered)
            self._smooth_turns(joints, carried, np.where(moved, free, 0.0), local)
            if kept[side].any():
                self._turn_kept(side, ends, kept[side], local, translations)
            if np.any(turns):
                frame = self.body.anatomy.frames[f"{side}Hand"]
                turn_joints(np.array([wrist]), frame[None], (turns * free[:, None])[:, None], local)
            self._fingers(side, table, free, local)

    def _elbow_room(self, side: str, swivels: Floats) -> Floats:
        """Swivels ``(T,)`` outwards that raise no elbow above its shoulder."""
        if not swivels.any():
            return swivels
        recorded = self.detail.at_times(elbow_swivel(self.detail.poses, side), self.clock.source)
        return within_room(swivels, recorded, ELBOWS)

    def _smooth_turns(self, joints: list[int], carried: Floats, free: Floats, local: Floats) -> None:
        """Smooth in time how far edits have turned joints of an arm ``(T, K, 4)``: an elbow near straight turns fast.

        ``free (T,)`` is by how much: hands that keep something, and frames that nothing has moved, stay as they are.
        """
        turned = rotations.multiply(rotations.conjugate(carried), local[:, joints])
        vectors = rotations.to_rotation_vector(rotations.continuous(turned))
        calm = gaussian(vectors, ARM_SMOOTH * self.rate, ends="reflect")
        shown = np.flatnonzero(free > 0.0)
        mixed = vectors + free[:, None, None] * (calm - vectors)
        made = rotations.multiply(carried, rotations.from_rotation_vector(mixed))
        local[shown[:, None], joints] = made[shown]

    def _lower_elbow(self, side: str, before: _World, local: Floats, translations: Floats) -> Floats:
        """Swivels ``(T,)`` that bring an elbow down which edits have raised above its shoulder.

        It may be as high as it was recorded, or nearly as high as the shoulder.
        """
        after = self._world(local, translations)
        shoulder, elbow, hand = (self.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand"))
        up, was_up = (rotations.rotate(own.chest, np.array([0.0, 1.0, 0.0])) for own in (after, before))
        length = self.detail.poses.arm_length
        recorded = np.sum((before.p(elbow) - before.p(shoulder)) * was_up, axis=1)
        most = np.maximum(recorded + HIGHER * length, HIGHEST * length)
        bone, way = after.p(elbow) - after.p(shoulder), after.p(hand) - after.p(shoulder)
        axis = way / np.maximum(norms(way), 1e-9)[:, None]
        along = np.sum(bone * axis, axis=1)
        off = bone - along[:, None] * axis
        upward = up - np.sum(up * axis, axis=1)[:, None] * axis
        high = np.maximum(norms(off) * norms(upward), 1e-9)
        angle = np.arctan2(np.sum(np.cross(upward, off) * axis, axis=1), np.sum(upward * off, axis=1))
        least = np.arccos(clip((most - along * np.sum(up * axis, axis=1)) / high, -1.0, 1.0))
        short = np.maximum(least - np.abs(angle), 0.0)
        if short.max() < 1e-3:
            return np.zeros(len(local))
        # It goes down on the side where it is; one that is straight up goes outwards.
        aside = rotations.rotate(after.chest, np.array([SIGN[side], 0.0, 0.0]))
        outward = np.sum(np.cross(upward, aside) * axis, axis=1)
        sign = np.where(np.abs(angle) > 0.3, np.sign(angle), np.sign(outward + 1e-12))
        return gaussian(sign * short, ELBOW_SMOOTH * self.rate, ends="hold")

    def _meet(self, away: dict[str, Floats]) -> tuple[Floats, Floats]:
        """``(T,)`` how far palms meet, where both hands are displaced alike; and how far both go with the head.

        Hands that meet at the chest are not displaced at all, and those that meet at the head go with it together: so
        neither what they touch nor each other is lost.
        """
        weight, at_head, at_body = np.zeros((3, self.clock.frames))
        if len(away) < 2:
            return weight, at_head
        for _, own in windows(self.phrase, "left", self.clock.source, (Kind.MEET,)):
            weight = np.maximum(weight, own)
        if not weight.any():
            return weight, at_head
        for side in SIDES:
            for referent, own in windows(self.phrase, side, self.clock.source, (Kind.TOUCH,)):
                if referent.joint == "head":
                    at_head = np.maximum(at_head, own)
                else:
                    at_body = np.maximum(at_body, own)
        mean = 0.5 * (1.0 - at_body)[:, None] * (away["left"] + away["right"])
        for side in away:
            away[side] = away[side] + weight[:, None] * (mean - away[side])
        return weight, weight * at_head

    def _targets(
        self, side: str, before: _World, after: _World, away: Floats, meetings: Floats, with_head: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Where a wrist goes ``(T, 3)``, how its hand is turned where it keeps something ``(T, 4)``, and how far."""
        shoulder, hand = (self.roles[f"{side}{part}"] for part in ("UpperArm", "Hand"))
        length = self.detail.poses.arm_length
        carried = rotations.multiply(after.q(after.chest_joint), rotations.conjugate(before.q(before.chest_joint)))
        # An arm that hangs goes on hanging, however the trunk is bent.
        walking = self.detail.at_times(self.detail.steps.walking, self.clock.source)
        hangs = HANGS_DOWN * self.hands[side].hangs * (1.0 - SWINGS_ALONG * walking)
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
        near = apart * self.detail.at_times(nearness(self.detail.poses, side), self.clock.source)
        near = np.maximum(near, with_head)
        head = self.roles["head"]
        if near.any():  # a hand goes with the face, the more the nearer it is
            by = rotations.multiply(after.q(head), rotations.conjugate(before.q(head)))
            place = after.p(head) + rotations.rotate(by, wrist - before.p(head))
            target = target + near[:, None] * (place - target)
            ends = rotations.slerp(ends, rotations.multiply(by, before.q(hand)), near)
            kept = np.maximum(kept, near)
        for referent, weight in windows(self.phrase, side, self.clock.source, (Kind.TOUCH, Kind.PLACE)):
            if referent.kind == Kind.PLACE:
                place, turn = wrist, before.q(hand)
            else:
                joint = kept_joint(self.phrase, referent)
                by = rotations.multiply(after.q(joint), rotations.conjugate(before.q(joint)))
                place = after.p(joint) + rotations.rotate(by, wrist - before.p(joint))
                turn = rotations.multiply(by, before.q(hand))
            weight = apart * weight
            target = target + weight[:, None] * (place - target)
            share = weight / np.maximum(kept + weight, 1e-9)
            ends = rotations.slerp(ends, turn, share)
            kept = np.maximum(kept, weight)
        for referent, weight in windows(self.phrase, side, self.clock.source, (Kind.AIM,)):
            if referent.target is None:
                continue
            aimed, turn = aim(after.p(shoulder), before.p(shoulder), wrist, np.array(referent.target))
            weight = apart * weight
            target = target + weight[:, None] * (aimed - target)
            share = weight / np.maximum(kept + weight, 1e-9)
            ends = rotations.slerp(ends, rotations.multiply(turn, before.q(hand)), share)
            kept = np.maximum(kept, weight)
        keyed = follow_keys(self.phrase, side, self.clock.source)
        if keyed.any():
            target = target + length * rotations.rotate(chest, keyed)
        return target, ends, kept

    def _turn_kept(self, side: str, ends: Floats, kept: Floats, local: Floats, translations: Floats) -> None:
        """Turn a hand as it is wanted in the world, as far as it keeps something."""
        hand = self.roles[f"{side}Hand"]
        rows = np.flatnonzero(kept > 1e-6)
        world = self._world(local, translations)
        turned = rotations.slerp(world.q(hand)[rows], ends[rows], kept[rows])
        parent = rotations.multiply(world.q(hand)[rows], rotations.conjugate(local[rows, hand]))
        local[rows, hand] = rotations.multiply(rotations.conjugate(parent), turned)

    def _fingers(self, side: str, table: Floats, free: Floats, local: Floats) -> None:
        """Close or open hands that have fingers, where a word or an Effort asks for it."""
        weights = {name: free * clip(table[:, INDEX[f"{side}.hand.{name}"]], 0.0, 1.0) for name in SHAPES[1:]}
        weights = {name: own for name, own in weights.items() if own.any()}
        if not weights or not _has_fingers(self.body.skeleton.roles, side):
            return
        total = np.sum(list(weights.values()), axis=0)
        if len(weights) == 1:
            joints, turned = _shaped_fingers(self.body.skeleton, side, next(iter(weights)))
        else:
            shapes = {name: own / np.maximum(total, 1e-9) for name, own in weights.items()}
            wanted = finger_rotations(self.body.skeleton, side, blend_hand_shapes(shapes))
            joints, turned = np.array(list(wanted)), np.stack(list(wanted.values()), axis=1)
        local[:, joints] = rotations.slerp(local[:, joints], turned, np.minimum(total, 1.0)[:, None])

    # The motion

    def _motion(self, local: Floats, translations: Floats) -> Motion:
        recording, lead = self.detail.recording, _leading(self.detail, self.rate)
        scales = None
        if recording.scales is not None:
            scales = resample_vectors(recording.scales, self.clock.source * recording.rate, smooth=False)
        if lead:
            rows = np.minimum(np.arange(lead), self.detail.leading_frames - 1)
            local = np.concatenate([recording.rotations[rows], local])
            translations = np.concatenate([recording.translations[rows], translations])
            if scales is not None and recording.scales is not None:
                scales = np.concatenate([recording.scales[rows], scales])
        return replace(
            recording,
            rate=self.rate,
            rotations=freeze(rotations.continuous(local)),
            translations=freeze(translations),
            scales=scales,
            calibration_frames=tuple(range(lead)),
        )


def _has_fingers(roles: Mapping[str, int], side: str) -> bool:
    return all(f"{side}{name}Proximal" in roles for name in ("Index", "Middle", "Little"))


@memoised
def _shaped_fingers(skeleton: Skeleton, side: str, shape: str) -> tuple[Ints, Floats]:
    """The joints ``(K,)`` of a hand's fingers and their rotations ``(1, K, 4)`` in one shape."""
    wanted = finger_rotations(skeleton, side, hand_shape(shape))
    return np.array(list(wanted)), np.stack(list(wanted.values()))[None]


@memoised
def _subset(body: Body) -> JointSubset:
    """The joints of a performance that are looked at."""
    joints = recorded_subset(body).joints.tolist()
    toes = [body.roles[f"{side}Toes"] for side in SIDES if f"{side}Toes" in body.roles]
    carriers = [body.roles[role] for role in ("spine", "neck") if role in body.roles]
    return joint_subset(body.skeleton, [*joints, *toes, *carriers])


@memoised
def moving_joints(motion: Motion) -> Ints:
    """Joints whose translations change: as a rule the root alone."""
    return np.flatnonzero((motion.translations != motion.translations[0]).any(axis=(0, 2)))


def _around(frames: Floats, count: int) -> tuple[Floats, int, int]:
    """Fractional frames from the first one that is needed for them, that one, and one after the last."""
    first = max(int(np.floor(frames.min())) - 2, 0)
    end = min(int(np.ceil(frames.max())) + 3, count)
    return frames - first, first, end


def _sample(motion: Motion, times: Floats) -> tuple[Floats, Floats]:
    """Local rotations and translations at times of a motion, in arrays of their own."""
    frames = times * motion.rate
    nearest = np.round(frames)
    frames = clip(np.where(np.abs(frames - nearest) < 1e-6, nearest, frames), 0.0, len(motion) - 1.0)
    if np.array_equal(frames, np.arange(frames[0], frames[0] + len(frames))):
        rows = slice(int(frames[0]), int(frames[0]) + len(frames))
        return motion.rotations[rows].copy(), motion.translations[rows].copy()
    moving = moving_joints(motion)
    local = np.empty((len(frames), *motion.rotations.shape[1:]))
    translations = np.empty((len(frames), *motion.translations.shape[1:]))

    def sample(part: slice) -> None:
        for first in range(part.start, part.stop, BLOCK):
            rows = slice(first, min(first + BLOCK, part.stop))
            at, a, b = _around(frames[rows], len(motion))
            local[rows] = resample_rotations(motion.rotations[a:b], at)
            translations[rows] = motion.translations[0]
            translations[rows][:, moving] = resample_vectors(motion.translations[a:b][:, moving], at)

    threads.share_frames(len(frames), len(frames) * motion.rotations[0].size * SAMPLE_WORK, sample)
    return local, translations
