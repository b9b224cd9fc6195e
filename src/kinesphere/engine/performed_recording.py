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
from kinesphere.body.hands import blend_hand_shapes, finger_rotations
from kinesphere.body.joint_subset import JointSubset, SubsetPose, joint_subset
from kinesphere.engine.channels import INDEX, NAMES, add_channels
from kinesphere.engine.clocks import StrokeClock, stroke_clock
from kinesphere.engine.detail import REST_LEADS, Detail
from kinesphere.engine.idle import IDLE_WAVES, idle_waves
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.recorded_hands import (
    RecordedHand,
    displace_hand,
    hand_strokes,
    keep_off_trunk,
    swivel_of_keys,
    turn_hand,
)
from kinesphere.engine.recorded_limbs import RecordedRig, place_limb, recorded_rig, turn_joints
from kinesphere.engine.recorded_poses import body_frame, chest_joint, recorded_subset
from kinesphere.engine.recorded_referents import aim, kept_joint, windows
from kinesphere.engine.recorded_walk import add_walk, swing_arm, walk_elsewhere
from kinesphere.engine.recording_clock import RecordingClock, arm_clock, recording_clock
from kinesphere.engine.recruitment import Moments, add_drives, free_of_shapes, settle_sizes, weigh_strokes
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, running_maximum
from kinesphere.maths.interpolation import monotone_cubic, resample_rotations, resample_vectors
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, clip, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.gesture import CHANNELS, SHAPES
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind

BLOCK = 8192  # frames that are sampled at once
BALANCE = 0.40  # of the upper body's displacement that hips go the other way
SOFT_KNEE = np.cos(np.radians(3.5))  # of a leg's length that it reaches, or as much as it was stretched
SINK_AHEAD, SINK_SMOOTH = 0.14, 0.06  # seconds
TINY = 1e-7  # metres: what is nearer to where it was stays
STILL_SMOOTH = 0.9  # seconds of σ, of a pose that is held still at full
SETTLES = 0.25  # seconds in which stillness comes and goes
LYING = 0.35  # of what the trunk is asked for that a body does which lies
HIPS = tuple(name for name in CHANNELS if name.startswith("hips."))


def generate_recording(phrase: Phrase, rate: float) -> Motion:
    """The motion of a phrase that was lifted from a recording, at this many frames a second.

    Unedited it is the recording itself, resampled where it has another rate.
    """
    detail = phrase.detail
    assert detail is not None
    recording = detail.recording
    if detail.is_unedited(phrase):
        return recording if rate == recording.rate else recording.resampled(rate)
    return _Performance(phrase, rate).perform()


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
        self.clock = recording_clock(phrase, rate)
        self.arm_clocks = {side: arm_clock(phrase, side, self.clock) for side in SIDES}
        self.hands = {
            side: hand
            for side in SIDES
            if (hand := hand_strokes(phrase, side, self.arm_clocks[side])) is not None
        }
        self.stands = self.detail.at_times(self.detail.poses.stands, self.clock.source)
        self.subset = _subset(phrase.body)

    def perform(self) -> Motion:
        """All of it."""
        local, translations = _sample(self.detail.poses.motion, self.clock.source)
        self._own_clocks(local)
        before = self._world(local, translations)
        self._hold_still(local, translations)
        table = self._channels()
        self.rig.turn_trunk(table, local, translations)
        walked = walk_elsewhere(self.phrase, self.clock)
        feet = {side: np.array(before.p(self.roles[f"{side}Foot"])) for side in SIDES}
        if walked is not None:
            self._move_hips(walked.hips, local, translations)
            for side, shift in walked.feet.items():
                feet[side] += shift
        self._balance(before, walked is not None, local, translations)
        self._legs(before, feet, table, local, translations)
        self._arms(before, table, local, translations)
        return self._motion(local, translations)

    # Channels

    def _channels(self) -> Floats:
        """``(T, C)`` what all edits add to channels, in metres of the figure."""
        phrase, clock = self.phrase, self.clock
        table = np.zeros((clock.frames, len(NAMES)))
        add_channels(table, phrase.added_channels, clock.source, phrase.loop)
        self._follow_curves(table)
        if phrase.drives:
            add_drives(table, phrase.drives, self._moments(table))
        add_walk(table, phrase, clock)
        restless = (("sway", max(phrase.life - 1.0, 0.0)), ("fidget", phrase.fidget))
        for kind, gain in restless:
            if gain > 0.0:
                phases = None if phrase.seed is None else np.random.default_rng(phrase.seed)
                columns = [INDEX[name] for name in IDLE_WAVES[kind]]
                table[:, columns] += gain * idle_waves(kind, clock.frames, clock.rate, phrase.loop, phases)
        upright = self.detail.at_times(self.detail.poses.upright, clock.source)
        table *= (LYING + (1.0 - LYING) * upright)[:, None]
        table[:, [INDEX[name] for name in HIPS]] *= self.stands[:, None]
        flying = self.detail.at_times(self.detail.steps.flying, clock.source)
        table[:, [INDEX[f"hips.{axis}"] for axis in "xyz"]] *= (1.0 - flying)[:, None]
        return table

    def _follow_curves(self, table: Floats) -> None:
        """Add what was changed of the lifted curves of torso, head and hips."""
        for part, lifted in self.detail.tracks.items():
            curves = self.phrase.track(part).curves
            for name in {*curves, *lifted.curves}:
                now, was = curves.get(name), lifted.curves.get(name)
                if now == was:
                    continue
                scale = LEG if name in ("hips.x", "hips.y", "hips.z") else 1.0
                for curve, sign in ((now, 1.0), (was, -1.0)):
                    if curve is not None:
                        values = monotone_cubic(curve.times, curve.values, self.clock.source)
                        table[:, INDEX[name]] += sign * scale * values

    def _moments(self, table: Floats) -> Moments:
        strokes = self.detail.strokes
        arms = []
        for side, hand in self.hands.items():
            goals = _metres(hand)
            fixed = np.zeros(len(goals), dtype=np.bool_)
            times = hand.edges[:-1], hand.edges[1:], hand.peaks
            arms.append(weigh_strokes(side, times, goals, hand.lengths, hand.hanging, fixed, fixed, hand.phase))
        body: StrokeClock = stroke_clock(
            strokes.edges, strokes.lengths, self.phrase.track("torso"), strokes.inflections, True, self.rate
        )
        body = replace(body, goals=self.clock.to_output(strokes.edges))
        return Moments(
            self.clock.time,
            self.clock.source,
            self.phrase.duration,
            self.rate,
            self.phrase.loop,
            settle_sizes(arms),
            body,
            free_of_shapes(table),
            joins=False,
        )

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

    def _world(self, local: Floats, translations: Floats) -> _World:
        q, p = forward_some(local, translations, self.subset.joints, self.subset.parents)
        joint = chest_joint(self.body)
        return _World(SubsetPose(q, p, self.subset), joint, body_frame(self.body, joint))

    def _hold_still(self, local: Floats, translations: Floats) -> None:
        """Take the life out of rests, as far as stillness asks: a statue does not even breathe."""
        still = 1.0 - self.phrase.life
        if still <= 1e-6 or len(local) < 3:
            return
        strokes = self.detail.strokes
        rests = np.zeros(len(local))
        edges = self.clock.to_output(strokes.edges)
        for lead, start, end in zip(strokes.leads, edges[:-1], edges[1:], strict=True):
            if lead == REST_LEADS:
                rests[np.searchsorted(self.clock.time, start) : np.searchsorted(self.clock.time, end)] = 1.0
        weight = min(still, 1.0) * gaussian(rests, SETTLES * self.rate, ends="hold")
        if not (weight > 1e-4).any():
            return
        sigma = STILL_SMOOTH * self.rate
        for joint in range(local.shape[1]):
            calm = gaussian(local[:, joint], sigma, ends="reflect", radius=int(2.5 * sigma))
            local[:, joint] = rotations.slerp(local[:, joint], rotations.normalise(calm), weight)
        hips = self.roles["hips"]
        calm = gaussian(translations[:, hips], sigma, ends="reflect", radius=int(2.5 * sigma))
        translations[:, hips] += weight[:, None] * (calm - translations[:, hips])

    def _move_hips(self, shift: Floats, local: Floats, translations: Floats) -> None:
        """Move the hips by ``shift (T, 3)`` in the world."""
        hips = self.roles["hips"]
        parent = int(self.body.skeleton.parents[hips])
        if parent >= 0:
            above = joint_subset(self.body.skeleton, [parent])
            q, _ = forward_some(local, translations, above.joints, above.parents)
            shift = rotations.rotate(rotations.conjugate(q[:, above.rows[parent]]), shift)
        translations[:, hips] += shift

    def _balance(self, before: _World, walked: bool, local: Floats, translations: Floats) -> None:
        """Let the hips go back as the upper body goes ahead, so that the body stays above its feet."""
        after = self._world(local, translations)
        hips, head, chest = self.roles["hips"], self.roles["head"], before.chest_joint
        upper = np.zeros((len(local), 3))
        for joint in (head, chest):
            upper += 0.5 * ((after.p(joint) - after.p(hips)) - (before.p(joint) - before.p(hips)))
        walking = self.detail.at_times(self.detail.steps.walking, self.clock.source)
        flying = self.detail.at_times(self.detail.steps.flying, self.clock.source)
        share = BALANCE * self.stands * (1.0 - flying) * (1.0 - 0.8 * walking)
        shift = -share[:, None] * upper * np.array([1.0, 0.0, 1.0])
        if np.abs(shift).max() > TINY:
            self._move_hips(shift, local, translations)

    # Legs

    def _legs(
        self, before: _World, feet: dict[str, Floats], table: Floats, local: Floats, translations: Floats
    ) -> None:
        """Put feet where they stand, on hips that sink where legs would be too short."""
        turned, toes = {}, {}
        for side in SIDES:
            turned[side] = np.array(before.q(self.roles[f"{side}Foot"]))
            peel = table[:, INDEX[f"{side}.foot.peel"]] * self.stands
            if np.any(peel):
                feet[side], turned[side], toes[side] = self._peel(before, side, feet[side], peel)
        for _ in range(2):
            if not self._sink(before, feet, local, translations):
                break
        for side in SIDES:
            limb = self.rig.limbs.get(f"{side}Leg")
            if limb is None:
                continue
            after = self._world(local, translations)
            foot = self.roles[f"{side}Foot"]
            moved = norms(after.p(foot) - feet[side]) > TINY
            moved |= rotations.angle_between(after.q(foot), turned[side]) > 1e-7
            place_limb(limb, local, translations, feet[side], wanted=moved, ends=turned[side], turned=moved)
            if side in toes:
                joint = self.roles[f"{side}Toes"]
                parent = self._world(local, translations).q(foot)
                local[:, joint] = rotations.multiply(rotations.conjugate(parent), toes[side])

    def _peel(self, before: _World, side: str, ankle: Floats, peel: Floats) -> tuple[Floats, Floats, Floats]:
        """The ankle, the foot's rotation and the toes' when the heel is raised by angles ``(T,)`` about the ball."""
        foot, role = self.roles[f"{side}Foot"], f"{side}Toes"
        turned = before.q(foot)
        if role not in self.roles or int(self.body.skeleton.parents[self.roles[role]]) != foot:
            return ankle, np.array(turned), rotations.identity(len(ankle))
        ball = before.p(self.roles[role]) + (ankle - before.p(foot))
        left = rotations.rotate(
            rotations.multiply(turned, self.body.anatomy.frames[f"{side}Foot"]), np.array([1.0, 0.0, 0.0])
        )
        turn = rotations.from_rotation_vector(peel[:, None] * left)
        made = ball + rotations.rotate(turn, ankle - ball)
        return made, rotations.multiply(turn, turned), before.q(self.roles[role])

    def _sink(self, before: _World, feet: Mapping[str, Floats], local: Floats, translations: Floats) -> bool:
        """Lower the hips so that legs reach; gives whether any frame needed it."""
        after = self._world(local, translations)
        needed = np.zeros(len(local))
        for side in SIDES:
            if f"{side}Leg" not in self.rig.limbs:
                continue
            hip, foot = self.roles[f"{side}UpperLeg"], self.roles[f"{side}Foot"]
            stretched = norms(before.p(foot) - before.p(hip))
            longest = np.maximum(SOFT_KNEE * self.body.lengths[f"{side}Leg"], stretched)
            x, y, z = (feet[side] - after.p(hip)).T
            level = np.sqrt(np.maximum(longest * longest - x * x - z * z, 0.0))
            needed = np.maximum(needed, np.where(-y > 0.0, -y - level, 0.0))
        if needed.max() < 1e-6:
            return False
        radius = max(round(SINK_AHEAD * self.rate), 1)
        drop = gaussian(running_maximum(needed, radius), SINK_SMOOTH * self.rate, ends="hold")
        shift = np.zeros((len(local), 3))
        shift[:, 1] = -np.maximum(drop, needed)
        self._move_hips(shift, local, translations)
        return True

    # Arms

    def _arms(self, before: _World, table: Floats, local: Floats, translations: Floats) -> None:
        after = self._world(local, translations)
        length = self.detail.poses.arm_length
        away, kept = {}, {}
        half = 0.5 * norms(before.p(self.roles["leftUpperArm"]) - before.p(self.roles["rightUpperArm"])) / length
        for side, hand in self.hands.items():
            own = displace_hand(self.phrase, hand, self.clock, table) + swing_arm(self.phrase, hand, self.clock)
            away[side] = keep_off_trunk(hand.path, own, side, float(np.median(half)))
        meetings = self._meet(away)
        for side, hand in self.hands.items():
            limb = self.rig.limbs.get(f"{side}Arm")
            if limb is None:
                continue
            targets, ends, kept[side] = self._targets(side, before, after, away[side], meetings)
            wrist = self.roles[f"{side}Hand"]
            now = self._world(local, translations)
            moved = norms(now.p(wrist) - targets) > TINY
            turns, swivels = turn_hand(self.phrase, hand, self.clock, table)
            free = 1.0 - kept[side]
            swivels = SIGN[side] * swivels * free + swivel_of_keys(self.phrase, side, self.clock.source)
            moved |= np.abs(swivels) > 1e-9
            place_limb(limb, local, translations, targets, wanted=moved, swivels=swivels)
            if kept[side].any():
                self._turn_kept(side, ends, kept[side], local, translations)
            if np.any(turns):
                frame = self.body.anatomy.frames[f"{side}Hand"]
                turn_joints(np.array([wrist]), frame[None], (turns * free[:, None])[:, None], local)
            self._fingers(side, table, free, local)

    def _meet(self, away: dict[str, Floats]) -> Floats:
        """``(T,)`` how far palms meet; there both hands are displaced alike."""
        weight = np.zeros(self.clock.frames)
        if len(away) < 2:
            return weight
        for _, own in windows(self.phrase, "left", self.clock.source, (Kind.MEET,)):
            weight = np.maximum(weight, own)
        if weight.any():
            mean = 0.5 * (away["left"] + away["right"])
            for side in away:
                away[side] = away[side] + weight[:, None] * (mean - away[side])
        return weight

    def _targets(
        self, side: str, before: _World, after: _World, away: Floats, meetings: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Where a wrist goes ``(T, 3)``, how its hand is turned where it keeps something ``(T, 4)``, and how far."""
        shoulder, elbow, hand = (self.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand"))
        length, chest = self.detail.poses.arm_length, after.chest
        carried = rotations.multiply(after.q(after.chest_joint), rotations.conjugate(before.q(before.chest_joint)))
        wrist = before.p(hand)
        displaced = length * rotations.rotate(chest, away)
        target = after.p(shoulder) + rotations.rotate(carried, wrist - before.p(shoulder)) + displaced
        ends = rotations.multiply(carried, before.q(hand))
        kept = np.array(meetings)
        if meetings.any():
            together = after.p(after.chest_joint) + rotations.rotate(carried, wrist - before.p(before.chest_joint))
            target = target + meetings[:, None] * (together + displaced - target)
        for referent, weight in windows(self.phrase, side, self.clock.source, (Kind.TOUCH, Kind.PLACE)):
            if referent.kind == Kind.PLACE:
                place, turn = wrist, before.q(hand)
            else:
                joint = kept_joint(self.phrase, referent)
                by = rotations.multiply(after.q(joint), rotations.conjugate(before.q(joint)))
                place = after.p(joint) + rotations.rotate(by, wrist - before.p(joint))
                turn = rotations.multiply(by, before.q(hand))
            target = target + weight[:, None] * (place - target)
            share = weight / np.maximum(kept + weight, 1e-9)
            ends = rotations.slerp(ends, turn, share)
            kept = np.maximum(kept, weight)
        for referent, weight in windows(self.phrase, side, self.clock.source, (Kind.AIM,)):
            if referent.target is None:
                continue
            bent = after.p(shoulder) + rotations.rotate(carried, before.p(elbow) - before.p(shoulder)) + 0.5 * displaced
            aimed = aim(after.p(shoulder), target, bent, np.array(referent.target))
            target = target + weight[:, None] * (aimed - target)
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
        share = np.minimum(total, 1.0)
        blended = blend_hand_shapes({name: own / np.maximum(total, 1e-9) for name, own in weights.items()})
        for joint, rotation in finger_rotations(self.body.skeleton, side, blended).items():
            local[:, joint] = rotations.slerp(local[:, joint], rotation, share)

    # The motion

    def _motion(self, local: Floats, translations: Floats) -> Motion:
        recording, lead = self.detail.recording, _leading(self.detail, self.rate)
        if self.phrase.loop:  # the seam is as it was recorded
            seam = rotations.multiply(rotations.conjugate(recording.rotations[0]), recording.rotations[-1])
            local[-1] = rotations.multiply(local[0], seam)
            translations[-1] = translations[0] + recording.translations[-1] - recording.translations[0]
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


def _metres(hand: RecordedHand) -> Floats:
    """Goals ``(S + 1, 3)`` out, up and ahead of the shoulder, in metres of the figure."""
    return np.asarray(ARM * hand.goals * np.array([SIGN[hand.side], 1.0, 1.0]))


def _has_fingers(roles: Mapping[str, int], side: str) -> bool:
    return all(f"{side}{name}Proximal" in roles for name in ("Index", "Middle", "Little"))


@memoised
def _subset(body: Body) -> JointSubset:
    """The joints of a performance that are looked at."""
    joints = recorded_subset(body).joints.tolist()
    toes = [body.roles[f"{side}Toes"] for side in SIDES if f"{side}Toes" in body.roles]
    carriers = [body.roles[role] for role in ("spine", "neck") if role in body.roles]
    return joint_subset(body.skeleton, [*joints, *toes, *carriers])


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
    local = np.empty((len(frames), *motion.rotations.shape[1:]))
    translations = np.empty((len(frames), *motion.translations.shape[1:]))
    for first in range(0, len(frames), BLOCK):
        rows = slice(first, first + BLOCK)
        at, a, b = _around(frames[rows], len(motion))
        local[rows] = resample_rotations(motion.rotations[a:b], at)
        translations[rows] = resample_vectors(motion.translations[a:b], at)
    return local, translations
