"""What all steps of one performance of a recording share: phrase, clock, limbs, strokes, and joints in the world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.joint_subset import JointSubset, SubsetPose, joint_subset
from kinesphere.engine.detail import Detail
from kinesphere.engine.recorded_hands import RecordedHand, hand_strokes
from kinesphere.engine.recorded_limbs import Limb, recorded_rig, shown_hinges
from kinesphere.engine.recorded_poses import body_frame, chest_joint, recorded_subset
from kinesphere.engine.recording_clock import RecordingClock, arm_clock, eased, eased_flight, recording_clock
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Phrase

Part: TypeAlias = Literal["body", "arms", "legs"]


@dataclass(frozen=True, eq=False)
class RecordedWorld:
    """Joints of a performance in the world."""

    pose: SubsetPose
    chest_joint: int
    chest_frame: Floats

    def p(self, joint: int) -> Floats:
        """``(T, 3)`` where a joint is."""
        return self.pose.positions_of(joint)

    def q(self, joint: int) -> Floats:
        """``(T, 4)`` how it is turned, in its own axes."""
        return self.pose.rotations_of(joint)

    def moved(self, shift: Floats) -> RecordedWorld:
        """The same with all joints moved by ``shift (T, 3)``."""
        return replace(self, pose=self.pose._replace(p=self.pose.p + shift[:, None]))

    @cached_property
    def chest(self) -> Floats:
        """``(T, 4)`` the chest's left, up and ahead."""
        return rotations.multiply(self.q(self.chest_joint), self.chest_frame)


class KeptPose(NamedTuple):
    """A performance before properties of movement changed its joints: what hands keep they keep as in it."""

    local: Floats  # (T, J, 4)
    world: RecordedWorld


@dataclass(frozen=True, eq=False)
class PerformanceContext:
    """One performance of a recording, before any pose is changed."""

    phrase: Phrase
    detail: Detail
    rate: float
    clock: RecordingClock

    @classmethod
    def of(cls, phrase: Phrase, rate: float) -> PerformanceContext:
        """Of a phrase that was lifted from a recording."""
        assert phrase.detail is not None
        return cls(phrase, phrase.detail, rate, recording_clock(phrase, rate))

    @property
    def body(self) -> Body:
        """Whose recording it is."""
        return self.phrase.body

    @property
    def roles(self) -> Mapping[str, int]:
        """Humanoid role to joint."""
        return self.phrase.body.roles

    @cached_property
    def limbs(self) -> dict[str, Limb]:
        """By side and kind, such as leftArm, with the hinges that the recording shows."""
        hinges = shown_hinges(self.detail.poses)
        return {name: own._replace(hinge=hinges[name]) for name, own in recorded_rig(self.body).limbs.items()}

    @cached_property
    def arm_clocks(self) -> dict[str, RecordingClock]:
        """Each arm's own clock: the body's where it has the same timing."""
        return {side: arm_clock(self.phrase, side, self.clock) for side in SIDES}

    @cached_property
    def hands(self) -> dict[str, RecordedHand]:
        """Hands that make strokes."""
        made = {side: hand_strokes(self.phrase, side, self.arm_clocks[side]) for side in SIDES}
        return {side: hand for side, hand in made.items() if hand is not None}

    def shown(self, curve: Floats) -> Floats:
        """A curve over the recording's frames ``(T,)`` at the moments that the performance shows."""
        return self.detail.at_times(curve, self.clock.source)

    def span(self, rows: Ints) -> tuple[float, float]:
        """The first and the last moment of the recording that frames show; of a loop, within one cycle."""
        shown = self.clock.source[rows]
        if self.detail.period is not None:
            shown = np.mod(shown, self.detail.period)
        return float(shown.min()), float(shown.max())

    @cached_property
    def upright(self) -> Floats:
        """``(T,)`` how far the trunk is upright."""
        return eased(self.shown(self.detail.poses.upright), self.rate)

    @cached_property
    def stands(self) -> Floats:
        """``(T,)`` how far the legs carry the body."""
        return eased(self.shown(self.detail.poses.stands), self.rate)

    @cached_property
    def walking(self) -> Floats:
        """``(T,)`` how far it is locomotion."""
        return eased(self.shown(self.detail.steps.walking), self.rate)

    @cached_property
    def flying(self) -> Floats:
        """``(T,)`` how far the body is in the air."""
        return eased_flight(self.shown(self.detail.steps.flying), self.rate)

    def world(self, local: Floats, translations: Floats, part: Part = "body") -> RecordedWorld:
        """Joints that are looked at, of poses ``(T, J, 4)``, ``(T, J, 3)``: all of them, or those of arms or legs."""
        subset = _subset(self.body, part)
        q, p = forward_some(local, translations, subset.joints, subset.parents)
        joint = chest_joint(self.body)
        return RecordedWorld(SubsetPose(q, p, subset), joint, body_frame(self.body, joint))


@memoised
def _subset(body: Body, part: Part) -> JointSubset:
    if part != "body":
        ends = {"arms": ("UpperArm", "LowerArm", "Hand"), "legs": ("UpperLeg", "LowerLeg")}[part]
        return joint_subset(body.skeleton, [body.roles[f"{side}{end}"] for side in SIDES for end in ends])
    joints = recorded_subset(body).joints.tolist()
    toes = [body.roles[f"{side}Toes"] for side in SIDES if f"{side}Toes" in body.roles]
    carriers = [body.roles[role] for role in ("spine", "neck") if role in body.roles]
    return joint_subset(body.skeleton, [*joints, *toes, *carriers])
