"""Posture: the body around hands, at single moments: capsules about trunk, head and thighs, and the centre of mass.

``generation`` uses these in every frame. ``bodies_at`` poses a phrase's body at some moments only, with the same
solvers, so that edits of keys know what is around a hand without generating the whole motion. It leaves out what goes
on over time: lags along the spine, smoothing, and balance that comes early.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.mass import segments
from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.arms import HANGS, assist_angles
from kinesphere.engine.batch import Batch
from kinesphere.engine.capsules import HEAD, THIGH, TRUNK
from kinesphere.engine.channels import NAMES, ChannelCurves, add_channels, channel_table, sample_rows
from kinesphere.engine.embodiment import embody
from kinesphere.engine.legs import leg_overreach, solve_stance, step_path
from kinesphere.engine.pose import SIGN, Actor, BatchPose, FigureLimb, joints_with_ancestors
from kinesphere.engine.trunk import TrunkWorld, solve_trunk
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.gesture import resting_swivel, resting_wrist
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.skeleton import Skeleton

HEAD_LINE = np.array([[0.0, 0.06, 0.02], [0.0, 0.10, 0.02]])  # metres from the head's joint, in its axes
TRUNK_SHIFTS = np.array([[0.0, 0.0, 0.01], [0.0, -0.07, 0.01]])  # metres from hips and neck, in the chest's axes
MOVED = 0.85  # of the hips' displacement by which the centre of mass moves when both feet are in contact


# Capsules and mass


def capsule_lines(pose: BatchPose, trunk: TrunkWorld) -> Floats:
    """``(F, 4, 2, 3)`` axes of the capsules about trunk, head and thighs, in the world."""
    index = pose.skeleton.index
    lines = np.empty((len(pose.batch), 4, 2, 3))
    lines[:, 0, 0], lines[:, 0, 1] = trunk.position(index("hips")), trunk.position(index("neck"))
    head = trunk.position(index("head")), np.ascontiguousarray(trunk.rotation(index("head")))
    for end, offset in enumerate(HEAD_LINE * pose.size):
        lines[:, 1, end] = head[0] + rotations.rotate(head[1], offset)
    for i, side in enumerate(SIGN):
        lines[:, 2 + i] = pose.legs[side][:, :2]
    return lines


@lru_cache(maxsize=16)
def capsule_shapes(size: float) -> tuple[Floats, Floats]:
    """Shifts of those lines in the chest's axes ``(4, 2, 3)``, and their half widths ``(4, 2)``."""
    shifts = np.zeros((4, 2, 3))
    shifts[0] = TRUNK_SHIFTS
    return size * shifts, size * np.array([TRUNK, HEAD, THIGH, THIGH])


def horizontal_centre_of_mass(
    pose: BatchPose, upper: Mapping[str, Floats], flexion: Mapping[str, Floats], limbs: Mapping[str, FigureLimb]
) -> Floats:
    """``(F, 2)`` x and z of the centre of mass, with these arms of each side, which are written into the pose.

    ``upper (F, 4)`` are rotations of the shoulders in the chest's axes, ``flexion (F,)`` angles of the elbows.
    """
    for side, limb in limbs.items():
        clavicle = pose.local[:, pose.skeleton.index(f"{side}Shoulder")]
        pose.set_rotation(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), upper[side]))
        pose.set_rotation(f"{side}LowerArm", limb.elbow_rotation(flexion[side]))
    made = np.empty((len(pose.batch), 2))
    mass = _mass_segments(pose.skeleton)
    _native.generation.horizontal_centre_of_mass(pose.local, pose.translations, mass, made)
    return made


class MassSegments(NamedTuple):
    """S segments of the body on K joints."""

    joints: Ints  # (K,) that carry mass, and their ancestors
    parents: Ints  # (K,) among them, or -1
    carriers: Ints  # (S,) which of them carry segments
    offsets: Floats  # (S, 3) the segments' centres
    masses: Floats  # (S,) shares of the body's


@lru_cache(maxsize=16)
def _mass_segments(skeleton: Skeleton) -> MassSegments:
    parts = segments(skeleton)
    joints = joints_with_ancestors(skeleton, tuple(skeleton.names[part.joint] for part in parts))
    order = {int(joint): k for k, joint in enumerate(joints)}
    parents = np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints])
    carriers = np.searchsorted(joints, [part.joint for part in parts])
    offsets, masses = np.array([part.offset for part in parts]), np.array([part.mass for part in parts])
    return MassSegments(joints, parents, carriers, offsets, masses)


# Single moments


class BodyView(NamedTuple):
    """The body around hands, each relative to its own shoulder in the chest's axes: out, up, ahead.

    Distances are in metres of the figure, whose arms are as long as the body's.
    """

    lines: Floats  # (K, 4, 2, 3) capsule axes of trunk, head, own and other thigh, lower end first
    sags: Floats  # (K, 3) how far a hanging hand is from its position before an upright chest


@dataclass(frozen=True, eq=False)
class PosedBodies:
    """The body of a phrase at K moments, each seen from one hand.

    Attributes
    ----------
    channels : (K + 1, C)
        The body's curves at the moments, and at the start, which balance is measured from.
    steps
        Of each side that takes steps, its path at those times ``(5, K + 1)``.
    wrists, swivels
        Of each side at those times, ``(K + 1, 3)`` from the shoulder in the body's metres, and ``(K + 1,)``.
    right : (K,)
        Whether the hand is a right one.
    """

    actor: Actor
    channels: Floats
    steps: Mapping[str, Floats]
    wrists: Mapping[str, Floats]
    swivels: Mapping[str, Floats]
    right: Floats

    def around(self, added: Floats) -> BodyView:
        """The body with ``added (K + 1, C)`` on its channels."""
        actor, count = self.actor, len(self.channels)
        pose = BatchPose.of(actor, self._batch)
        channels = ChannelCurves(self.channels + added, np.zeros(count))
        shift = np.zeros((count, 3))
        trunk = solve_trunk(pose, channels, shift, self._assist)
        self._solve_legs(pose, channels)
        unbalanced = horizontal_centre_of_mass(pose, *self._arms, actor.arms)
        unbalanced -= pose.size * channels.rows("hips.x", "hips.z")
        shift[:, [0, 2]] = (unbalanced[-1] - unbalanced) / MOVED
        shift[:, 1] -= leg_overreach(pose, shift)
        pose.translations[:, 0] += shift
        trunk = TrunkWorld(trunk.joints, trunk.rotations, trunk.positions + shift[:, None])
        self._solve_legs(pose, channels)
        return self._view(pose, trunk)

    @cached_property
    def _batch(self) -> Batch:
        """Every moment is a performance of one frame: nothing goes on over time."""
        count = len(self.channels)
        return Batch((1,) * count, (False,) * count)

    @cached_property
    def _assist(self) -> Floats:
        """``(K + 1, 2, 2)`` the shoulders' assistance."""
        wrists = np.concatenate([self.wrists[side] for side in SIGN])
        angles = assist_angles(wrists, self.actor.arm_size).reshape(2, -1, 2)
        return np.ascontiguousarray(angles.transpose(1, 0, 2))

    @cached_property
    def _arms(self) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """Rotations of the shoulders and angles of the elbows, by side."""
        solved = {side: limb.solve(self.wrists[side], self.swivels[side]) for side, limb in self.actor.arms.items()}
        return {side: own[0] for side, own in solved.items()}, {side: own[1] for side, own in solved.items()}

    def _solve_legs(self, pose: BatchPose, channels: ChannelCurves) -> None:
        for side in SIGN:
            solve_stance(pose, channels, side, self.steps.get(side))

    def _view(self, pose: BatchPose, trunk: TrunkWorld) -> BodyView:
        index, right = pose.skeleton.index, self.right
        chest = trunk.rotation(index("upperChest"))[:-1]
        left_shoulder, right_shoulder = (trunk.position(index(f"{side}UpperArm"))[:-1] for side in SIGN)
        shoulder = np.where(right[:, None], right_shoulder, left_shoulder)
        back = rotations.conjugate(chest)
        lines = capsule_lines(pose, trunk)[:-1] - shoulder[:, None, None]
        lines = rotations.rotate(np.broadcast_to(back[:, None, None], (*lines.shape[:-1], 4)), lines)
        lines += capsule_shapes(pose.size)[0]
        lines[:, 2:] = lines[:, 2:, ::-1].copy()  # from the knee up
        lines[right] = lines[right][:, [0, 1, 3, 2]]  # the own thigh first
        lines[right, ..., 0] *= -1.0
        return BodyView(lines / self.actor.arm_size, _hanging_sags(chest, right))


def _hanging_sags(chest: Floats, right: Floats) -> Floats:
    """``(K, 3)`` how far a hanging hand is from where it hangs before an upright chest; see ``arms.relaxed_wrists``."""
    ahead = rotations.rotate(chest, np.array([0.0, 0.0, 1.0]))
    half = 0.5 * np.arctan2(ahead[:, 0], ahead[:, 2])
    heading = np.zeros_like(chest)
    heading[:, 0], heading[:, 2] = np.cos(half), np.sin(half)
    upright = rotations.slerp(chest, heading, np.full(len(chest), HANGS))
    rest = np.where(right[:, None], np.array(resting_wrist("right")), np.array(resting_wrist("left")))
    sags = rotations.rotate(rotations.conjugate(chest), rotations.rotate(upright, rest)) - rest
    sags[right, 0] *= -1.0
    return np.asarray(sags)


def bodies_at(phrase: Phrase, times: Floats, sides: Sequence[str]) -> PosedBodies:
    """A phrase's body at ``times (K,)`` of its own, each seen from the hand of one of ``sides``."""
    actor = embody(phrase.body).actor
    moments = np.append(times, 0.0)
    channels = sample_rows(channel_table(phrase), moments, phrase.loop)
    add_channels(channels, phrase.added_channels, moments, phrase.loop)
    steps = {
        side: step_path(moments, phrase.track(f"{side}_leg").steps)
        for side in SIGN
        if phrase.track(f"{side}_leg").steps
    }
    arms = {side: _arm_at(phrase, side, moments, actor) for side in SIGN}
    wrists, swivels = ({side: own[i] for side, own in arms.items()} for i in (0, 1))
    return PosedBodies(actor, channels, steps, wrists, swivels, np.array([side == "right" for side in sides]))


def _arm_at(phrase: Phrase, side: str, moments: Floats, actor: Actor) -> tuple[Floats, Floats]:
    """A wrist ``(N, 3)`` from its shoulder and its swivel ``(N,)``, straight between keys; a relaxed arm hangs."""
    keys = arm_keys(phrase, side, actor.arm_size)
    if keys is None or keys.fixed.any():
        rest = np.array(resting_wrist(side))
        return actor.arm_size * np.tile(rest, (len(moments), 1)), np.full(len(moments), resting_swivel(side))
    wrist = np.stack([np.interp(moments, keys.times, column) for column in keys.places.T], axis=1)
    return actor.arm_size * wrist, np.interp(moments, keys.times, keys.swivels)


def no_channels(count: int) -> Floats:
    """``(N, C)`` rows that add nothing to any channel."""
    return np.zeros((count, len(NAMES)))


@lru_cache(maxsize=16)
def upright_shoulder(actor: Actor) -> Floats:
    """``(3,)`` the left shoulder of a body that stands upright, in metres of the figure: left, up, ahead."""
    pose = BatchPose.of(actor, Batch((1,), (False,)))
    trunk = solve_trunk(pose, ChannelCurves(no_channels(1), np.zeros(1)), np.zeros((1, 3)), np.zeros((1, 2, 2)))
    return np.asarray(trunk.position(pose.skeleton.index("leftUpperArm"))[0] / actor.arm_size)
