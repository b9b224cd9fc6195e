"""A phrase as written, posed: what hands are to the body and to the world before any edit says how it is done.

Also the arm's joints, axes and limits that hands are read and solved by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.hands import hand_rig
from kinesphere.engine.hands import ASIDES, BENDS, ROLLS
from kinesphere.engine.pose import FLEXIONS, SIGN, Actor, BatchPose, limb_of
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints, unit
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

FAR = 3.0  # metres to what is pointed at, for a figure 1.70 m tall
UP = np.array([0.0, 1.0, 0.0])


class ArmModel(NamedTuple):
    """What does not change of one side's arm and hand, for native loops."""

    joints: Ints  # (7,) clavicle, upper arm, forearm, hand, and the index finger's three
    shoulder: Floats  # (3,) offset of the upper arm from the clavicle's joint
    upper: Floats  # (3,) offset of the elbow
    lower: Floats  # (3,) offset of the wrist
    hinge: Floats  # (3,) axis of the elbow
    rest_flexion: float  # of the elbow
    forearm: Floats  # (3,) axis of the roll
    aside: Floats  # (3,) axis of the wrist to the side
    bend: Floats  # (3,) axis of the wrist inwards
    palm: Floats  # (3,) the palm's middle from the wrist
    finger: Floats  # (4, 3) offsets of the index finger's three joints and of its tip
    flexions: tuple[float, float]  # least and greatest of the elbow
    rolls: tuple[float, float]  # of the forearm
    bends: tuple[float, float]  # of the wrist inwards
    asides: tuple[float, float]  # of the wrist to the side


@lru_cache(maxsize=32)
def arm_model(skeleton: Skeleton, side: str) -> ArmModel:
    limb, frame = limb_of(skeleton, side, "Arm"), hand_rig(skeleton, side).frame
    finger = [f"{side}Index{part}" for part in ("Proximal", "Intermediate", "Distal")]
    names = [*(f"{side}{part}" for part in ("Shoulder", "UpperArm", "LowerArm", "Hand")), *finger]
    tip = next(np.array(tip.offset) for tip in skeleton.tips if tip.joint == skeleton.index(finger[-1]))
    return ArmModel(
        np.array([skeleton.index(name) for name in names]),
        np.array(skeleton.offsets[skeleton.index(f"{side}UpperArm")]),
        np.array(limb.upper),
        np.array(limb.lower),
        np.array(limb.hinge),
        limb.rest_flexion,
        limb.lower / limb.lengths[1],
        np.cross(frame.along, frame.across),
        np.cross(frame.along, frame.out),
        0.5 * skeleton.offsets[skeleton.index(f"{side}MiddleProximal")],
        np.array([*(skeleton.offsets[skeleton.index(name)] for name in finger), tip]),
        FLEXIONS,
        ROLLS,
        BENDS,
        ASIDES,
    )


def heading(rotation: Floats) -> Floats:
    """Rotations ``(F, 4)`` about the vertical alone, that face where others ``(F, 4)`` do."""
    ahead = rotations.rotate(rotation, np.array([0.0, 0.0, 1.0]))
    half = 0.5 * np.arctan2(ahead[:, 0], ahead[:, 2])
    made = np.zeros_like(rotation)
    made[:, 0], made[:, 2] = np.cos(half), np.sin(half)
    return made


def palm_position(skeleton: Skeleton, side: str, rotation: Floats, wrist: Floats) -> Floats:
    """``(F, 3)`` the middle of the palm of hands with these rotations ``(F, 4)`` and wrists ``(F, 3)``."""
    return np.asarray(wrist + rotations.rotate(rotation, arm_model(skeleton, side).palm))


def wrist_angles(pose: BatchPose, side: str) -> Floats:
    """``(F, 4)`` the forearm's roll, how far the wrist is bent inwards and aside, and the elbow's angle."""
    lower, hand = (pose.local[:, pose.skeleton.index(f"{side}{part}")] for part in ("LowerArm", "Hand"))
    made = np.empty((len(lower), 4))
    given = np.ascontiguousarray(lower), np.ascontiguousarray(hand)
    _native.kept_hands.wrist_angles(*given, arm_model(pose.skeleton, side), made)
    return made


@dataclass(frozen=True, eq=False)
class WrittenPose:
    """A phrase as written, without idle motion: N frames of its actor, in the world."""

    skeleton: Skeleton
    times: Mapping[str, Floats]  # of each side, (N,) the phrase's own time
    rotations: Floats  # (N, J, 4)
    positions: Floats  # (N, J, 3)
    local: Mapping[str, Floats]  # of each side, (N, 4, 4) the clavicle and the index finger's three joints, locally
    wrists: Mapping[str, Floats]  # of each side, (N, 4) roll, bend, aside, and the elbow's flexion

    @classmethod
    def of(cls, pose: BatchPose, times: Mapping[str, Floats]) -> WrittenPose:
        """What a pose of one performance shows."""
        q, p = pose.world(np.arange(len(pose.skeleton)))
        models = {side: arm_model(pose.skeleton, side) for side in SIGN}
        local = {side: pose.local[:, model.joints[[0, 4, 5, 6]]] for side, model in models.items()}
        return cls(pose.skeleton, times, q, p, local, {side: wrist_angles(pose, side) for side in SIGN})

    def with_arms(self, motion: Motion) -> WrittenPose:
        """The same with elbows and wrists where a motion of the body itself has them: outside of its surface."""
        positions, shown = self.positions.copy(), motion.positions_world()
        for name in (f"{side}{part}" for side in SIGN for part in ("LowerArm", "Hand")):
            positions[:, self.skeleton.index(name)] = shown[:, motion.skeleton.roles[name]]
        return replace(self, positions=positions)

    def joint(self, name: str) -> tuple[Floats, Floats]:
        """Rotations ``(N, 4)`` and positions ``(N, 3)`` of a joint."""
        joint = self.skeleton.index(name)
        return self.rotations[:, joint], self.positions[:, joint]

    @memoised
    def palm(self, side: str) -> Floats:
        """``(N, 3)`` the palm's middle."""
        return palm_position(self.skeleton, side, *self.joint(f"{side}Hand"))

    def ray(self, side: str) -> tuple[Floats, Floats]:
        """The index finger's ray: knuckles ``(N, 3)`` and directions ``(N, 3)``."""
        model = arm_model(self.skeleton, side)
        knuckle, last = self.positions[:, model.joints[4]], model.joints[6]
        tip = self.positions[:, last] + rotations.rotate(self.rotations[:, last], model.finger[3])
        return knuckle, unit(tip - knuckle)

    @memoised
    def target(self, side: str) -> Floats:
        """``(N, 3)`` what the index finger points at."""
        origin, direction = self.ray(side)
        size = limb_of(self.skeleton, side, "Arm").reach / _figure_reach(side)
        return np.asarray(origin + FAR * size * direction)

    @memoised
    def target_from_chest(self, side: str) -> Floats:
        """``(N, 3)`` the same from the chest, as seen by somebody upright who faces where it does."""
        q, p = self.joint("upperChest")
        return rotations.rotate(rotations.conjugate(heading(q)), self.target(side) - p)

    @memoised
    def head_from_chest(self) -> Floats:
        """``(N, 4)`` the head's rotation as the chest sees it."""
        turned = rotations.multiply(rotations.conjugate(self.joint("upperChest")[0]), self.joint("head")[0])
        return rotations.continuous(turned[:, None])[:, 0]

    @memoised
    def hand_from(self, side: str, joint: str) -> Floats:
        """``(N, 10)`` palm's middle, elbow, and the hand's rotation as a joint sees them."""
        q, p = self.joint(joint)
        back = rotations.conjugate(q)
        place = rotations.rotate(back, self.palm(side) - p)
        elbow = rotations.rotate(back, self.joint(f"{side}LowerArm")[1] - p)
        turned = rotations.continuous(rotations.multiply(back, self.joint(f"{side}Hand")[0])[:, None])[:, 0]
        return np.concatenate([place, elbow, turned], axis=1)

    @memoised
    def palms_apart(self) -> Floats:
        """``(N, 3)`` from the right palm to the left one, as the chest sees it."""
        q, _ = self.joint("upperChest")
        return rotations.rotate(rotations.conjugate(q), self.palm("left") - self.palm("right"))

    @memoised
    def arms(self, side: str) -> Floats:
        """``(N, 27)`` an arm's numbers, as ``KeptHands`` has them.

        Clavicle (4), upper arm as seen by somebody upright who faces where the chest does (4), roll, bend, aside and
        flexion, the index finger's joints (12), the vertical in the hand's axes (3).
        """
        back = rotations.conjugate(heading(self.joint("upperChest")[0]))
        arm = rotations.multiply(back, self.joint(f"{side}UpperArm")[0])
        arm = rotations.continuous(arm[:, None])[:, 0]
        up = rotations.rotate(rotations.conjugate(self.joint(f"{side}Hand")[0]), UP)
        local = rotations.continuous(self.local[side]).reshape(len(arm), 16)
        return np.concatenate([local[:, :4], arm, self.wrists[side], local[:, 4:], up], axis=1)

    @memoised
    def elbow_from_palm(self, side: str) -> Floats:
        """``(N, 3)`` from the palm's middle to the elbow, as seen by somebody who faces where the chest does."""
        back = rotations.conjugate(heading(self.joint("upperChest")[0]))
        return rotations.rotate(back, self.joint(f"{side}LowerArm")[1] - self.palm(side))

    @memoised
    def head_up(self) -> Floats:
        """``(N, 3)`` the vertical in the head's axes."""
        return rotations.rotate(rotations.conjugate(self.joint("head")[0]), UP)

    def frames_at(self, side: str, time: Floats) -> Floats:
        """``(T,)`` frames, with fractions, at times of the phrase."""
        return np.interp(time, self.times[side], np.arange(len(self.rotations)))


@lru_cache(maxsize=4)
def _figure_reach(side: str) -> float:
    return Actor.figure().arms[side].reach
