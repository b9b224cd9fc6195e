"""A recording as the engine sees it: where its trunk, hands, head and feet are in every frame, on any humanoid body.

Frames that were not performed, such as an inserted T-pose, are replaced by their neighbours: nothing is found in them,
and nothing is interpolated with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kinesphere.body.body import Body, body_of
from kinesphere.body.joint_subset import JointSubset, SubsetPose, joint_subset, subset_pose
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.engine.embodiment import upright_axes
from kinesphere.engine.recorded_frames import path_leaps
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import resample_rotations, resample_vectors
from kinesphere.maths.vectors import Floats, clip, smoothstep
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion

LIMBS = ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
UPRIGHT = (0.45, 0.75)  # height of the trunk's unit vector between which a body comes to be upright
STANDS = (0.62, 0.78)  # leg lengths of the hip joints above the feet between which a body comes to stand
BEHIND, SIDEWAYS = -0.5, 0.2  # of a face's unit vector, ahead: between these it comes to be turned to a side
STEEP = (0.2, 0.6)  # level share of a unit vector between which it comes to have a heading
PALM = 0.16  # arm lengths from the wrist to the middle of the palm


def performed_motion(motion: Motion) -> Motion:
    """The motion with performed poses in place of calibration frames: the nearest one, or between two of them."""
    if not motion.calibration_frames or not len(motion.performed_frames):
        return replace(motion, calibration_frames=()) if motion.calibration_frames else motion
    performed, frames = motion.performed_frames, np.arange(len(motion))
    place = np.interp(frames, performed, np.arange(len(performed)))
    kept = motion.rotations[performed], motion.translations[performed]
    return replace(
        motion,
        rotations=freeze(resample_rotations(rotations.continuous(kept[0]), place, smooth=False)),
        translations=freeze(resample_vectors(kept[1], place, smooth=False)),
        scales=None if motion.scales is None else motion.scales[performed[np.round(place).astype(np.intp)]],
        calibration_frames=(),
    )


def leading_calibration(motion: Motion) -> int:
    """How many frames before the first performed one were not performed."""
    performed = motion.performed_frames
    return int(performed[0]) if len(performed) else 0


@dataclass(frozen=True, eq=False)
class RecordedPoses:
    """A recording's joints in the world."""

    motion: Motion  # without calibration frames, on the body's skeleton
    body: Body
    world: SubsetPose

    def __repr__(self) -> str:
        return f"<RecordedPoses of {self.motion!r}>"

    @classmethod
    def of(cls, motion: Motion) -> RecordedPoses:
        """Of a recording without calibration frames. Raises ``ValueError`` where it is no humanoid's."""
        return cls.on(body_of(with_standing_rest(motion)), motion)

    @classmethod
    def on(cls, body: Body, motion: Motion) -> RecordedPoses:
        """Of a motion of a body that is known, such as a performance: what a rest pose is guessed from has moved."""
        known = motion if motion.skeleton is body.skeleton else replace(motion, skeleton=body.skeleton)
        return cls(known, body, subset_pose(known, recorded_subset(body)))

    @cached_property
    def arm_length(self) -> float:
        """Metres, the mean of both arms."""
        return 0.5 * (self.body.lengths["leftArm"] + self.body.lengths["rightArm"])

    @cached_property
    def leg_length(self) -> float:
        """Metres, the mean of both legs."""
        return 0.5 * (self.body.lengths["leftLeg"] + self.body.lengths["rightLeg"])

    def position(self, role: str) -> Floats:
        """``(T, 3)`` where the joint of a role is."""
        return self.world.positions_of(self.body.roles[role])

    def rotation(self, role: str) -> Floats:
        """``(T, 4)`` how it is turned, in its own axes."""
        return self.world.rotations_of(self.body.roles[role])

    @cached_property
    def leaps(self) -> Floats:
        """``(T, 3)`` or ``(1, 3)`` metres that the body has leapt by each frame: its root was elsewhere at once."""
        leaps = path_leaps(self.position("hips"), self.motion.rate, self.leg_length)
        return np.zeros((1, 3)) if leaps is None else leaps

    @cached_property
    def chest(self) -> Floats:
        """``(T, 4)`` the chest's left, up and ahead as x, y, z."""
        joint = chest_joint(self.body)
        return rotations.multiply(self.world.rotations_of(joint), body_frame(self.body, joint))

    @cached_property
    def pelvis(self) -> Floats:
        """``(T, 4)`` the pelvis' left, up and ahead."""
        joint = self.body.roles["hips"]
        return rotations.multiply(self.world.rotations_of(joint), body_frame(self.body, joint))

    @cached_property
    def head(self) -> Floats:
        """``(T, 4)`` the head's left, up and ahead."""
        joint = self.body.roles["head"]
        return rotations.multiply(self.world.rotations_of(joint), body_frame(self.body, joint))

    @cached_property
    def heading(self) -> Floats:
        """``(T, 4)`` the pelvis' rotation about the vertical alone."""
        ahead = rotations.rotate(self.pelvis, np.array([0.0, 0.0, 1.0]))
        return about_vertical(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])))

    def wrist(self, side: str) -> Floats:
        """``(T, 3)`` the wrist from the shoulder in the chest's axes, in arm lengths."""
        away = self.position(f"{side}Hand") - self.position(f"{side}UpperArm")
        return rotations.rotate(rotations.conjugate(self.chest), away) / self.arm_length

    def elbow(self, side: str) -> Floats:
        """``(T, 3)`` the elbow likewise."""
        away = self.position(f"{side}LowerArm") - self.position(f"{side}UpperArm")
        return rotations.rotate(rotations.conjugate(self.chest), away) / self.arm_length

    def palm(self, side: str) -> Floats:
        """``(T, 3)`` about where the middle of the palm is in the world: on from the forearm."""
        wrist = self.position(f"{side}Hand")
        forearm = wrist - self.position(f"{side}LowerArm")
        length = np.maximum(np.linalg.norm(forearm, axis=1, keepdims=True), 1e-9)
        return np.asarray(wrist + PALM * self.arm_length * forearm / length)

    @cached_property
    def upright(self) -> Floats:
        """``(T,)`` from 0, lying, to 1: how far the trunk is upright."""
        trunk = self.position("head") - self.position("hips")
        up = trunk[:, 1] / np.maximum(np.linalg.norm(trunk, axis=1), 1e-9)
        return np.asarray(smoothstep((up - UPRIGHT[0]) / (UPRIGHT[1] - UPRIGHT[0])))

    @cached_property
    def lean(self) -> Floats:
        """``(T,)`` radians that the trunk is bent ahead of the vertical, as the pelvis faces."""
        trunk = rotations.rotate(rotations.conjugate(self.heading), self.position("head") - self.position("hips"))
        return np.asarray(np.arctan2(trunk[:, 2], np.maximum(trunk[:, 1], 1e-9)))

    @cached_property
    def crouch(self) -> Floats:
        """``(T,)`` leg lengths that the straighter leg is shorter than a straight one."""
        stretch = [
            np.linalg.norm(self.position(f"{side}Foot") - self.position(f"{side}UpperLeg"), axis=1)
            / self.body.lengths[f"{side}Leg"]
            for side in SIDES
        ]
        return np.asarray(np.maximum(1.0 - np.maximum(*stretch), 0.0))

    @cached_property
    def gaze_down(self) -> Floats:
        """``(T,)`` radians that the face is turned down."""
        ahead = rotations.rotate(self.head, np.array([0.0, 0.0, 1.0]))
        return np.asarray(np.arcsin(clip(-ahead[:, 1], -1.0, 1.0)))

    @cached_property
    def head_turned(self) -> tuple[Floats, Floats]:
        """``(T,)`` radians that the face is turned to the left, and down, seen from the chest.

        A face that is turned round to the back is turned to neither side.
        """
        face = rotations.rotate(rotations.conjugate(self.chest), rotations.rotate(self.head, np.array([0.0, 0.0, 1.0])))
        in_front = smoothstep((face[:, 2] - BEHIND) / (SIDEWAYS - BEHIND))
        left = in_front * np.arctan2(face[:, 0], np.maximum(face[:, 2], 0.05))
        return left, np.arcsin(clip(-face[:, 1], -1.0, 1.0))

    @cached_property
    def stands(self) -> Floats:
        """``(T,)`` from 0, seated or lying, to 1: how far the legs carry the body."""
        hips = 0.5 * (self.position("leftUpperLeg") + self.position("rightUpperLeg"))[:, 1]
        feet = np.minimum(self.position("leftFoot")[:, 1], self.position("rightFoot")[:, 1])
        high = (hips - feet) / self.leg_length
        return np.asarray(self.upright * smoothstep(clip((high - STANDS[0]) / (STANDS[1] - STANDS[0]), 0.0, 1.0)))


def turned_left(ahead: Floats) -> Floats:
    """``(T,)`` radians that directions ``(T, 3)`` have turned to the left since the first frame.

    What is nearly vertical, as the chest of who lies, turns about without going anywhere: that does not count.
    """
    left = np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2]))
    level = np.hypot(ahead[:, 0], ahead[:, 2])
    counts = smoothstep((np.minimum(level[1:], level[:-1]) - STEEP[0]) / (STEEP[1] - STEEP[0]))
    return np.asarray(left[0] + np.concatenate([[0.0], np.cumsum(counts * np.diff(left))]))


@memoised
def recorded_subset(body: Body) -> JointSubset:
    """The joints that are looked at, with their ancestors."""
    roles = [body.roles[side + part] for side in SIDES for part in LIMBS]
    return joint_subset(body.skeleton, [*roles, body.roles["hips"], body.roles["head"], chest_joint(body)])


def chest_joint(body: Body) -> int:
    """The joint that carries the arms."""
    return body.anatomy.spine[-1] if body.anatomy.spine else body.roles["hips"]


@memoised
def body_frame(body: Body, joint: int) -> Floats:
    """``(4,)`` from a joint's own axes to the body's left, up and ahead, as they are in its upright pose."""
    return freeze(rotations.multiply(rotations.conjugate(body.anatomy.pose.rotations[joint]), upright_axes(body)))


def about_vertical(angles: Floats) -> Floats:
    """Rotations ``(..., 4)`` about the vertical."""
    made = np.zeros((*np.shape(angles), 4))
    made[..., 0], made[..., 2] = np.cos(0.5 * angles), np.sin(0.5 * angles)
    return made
