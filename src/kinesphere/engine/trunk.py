"""Spine, neck, head, eye and clavicle rotations from a gesture's channels.

Rotation vectors of these joints are linear in the channels, with breath and the shoulders' assistance added. The
torso's angles are shared along the spine, each joint a little later than the one below it. As a standing body does, the
spine takes back what the hips tilt and half of what they turn, and the head part of what the torso does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.channels import INDEX, ChannelCurves
from kinesphere.engine.pose import (
    CLAVICLE_AHEAD,
    CLAVICLE_DOWN,
    SIGN,
    SINK,
    BatchPose,
    figure_skeleton,
    joints_with_ancestors,
)
from kinesphere.engine.proportions import HEIGHT
from kinesphere.maths import rotations, threads
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.skeleton import Skeleton

# Joint: its share of the torso's angles, and by how much it follows the one at the base, in seconds.
SPINE = {"spine": (0.32, 0.0), "spine2": (0.18, 0.020), "chest": (0.18, 0.035), "upperChest": (0.32, 0.050)}
NECK = {"neck": 0.45, "head": 0.55}
TAKEN_BACK = np.array([0.3, 0.9, 0.5])  # of the hips' lean, tilt and turn, by the spine
STEADY = np.array([0.55, 0.60, 0.50])  # of the torso's forward, side and turn, by the head: the gaze stays
BREATH_CHEST, BREATH_CLAVICLE, BREATH_HEAD = 0.020, 0.034, 0.010  # radians
# Rotation axes of leaning forward, to the side and turning; and the channels of each part in that order.
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
TORSO, HIPS = ("torso.forward", "torso.side", "torso.turn"), ("hips.lean", "hips.tilt", "hips.turn")
HEADING = "hips.heading"
HEAD = ("head.nod", "head.tilt", "head.turn")
FRAME_WORK = 100  # numbers that a trunk is worth when performances are shared among threads


class TrunkWorld(NamedTuple):
    """The trunk's joints in the world."""

    joints: Ints  # (K,)
    rotations: Floats  # (F, K, 4)
    positions: Floats  # (F, K, 3)

    def rotation(self, joint: int) -> Floats:
        """World rotations ``(F, 4)`` of one joint."""
        return np.asarray(self.rotations[:, int(np.searchsorted(self.joints, joint))])

    def position(self, joint: int) -> Floats:
        """World positions ``(F, 3)`` of one joint."""
        return np.asarray(self.positions[:, int(np.searchsorted(self.joints, joint))])


def trunk_joints(skeleton: Skeleton) -> Ints:
    """``(K,)`` the trunk's joints, down to the upper arms and the eyes."""
    return joints_with_ancestors(
        skeleton, (*(f"{side}{part}" for side in SIGN for part in ("UpperArm", "Eye")), "head")
    )


def place_hips(pose: BatchPose, channels: ChannelCurves, shift: Floats) -> None:
    """Write the hips' position: from the channels, and moved by ``shift (F, 3)`` metres.

    It is the middle between the hip joints that moves as the figure's does, however far below the hips a body has it.
    """
    at = channels.rows("hips.x", "hips.y", "hips.z")
    at[:, 1] -= SINK
    pose.translations[:, 0] = pose.skeleton.offsets[0] + pose.size * at + shift
    lower = _hip_centre(pose.skeleton) - pose.size * _hip_centre(figure_skeleton(HEIGHT))
    if np.abs(lower).max() > 1e-9:
        turned = rotations.from_rotation_vector(channels.rows(*HIPS) @ AXES)
        if channels[HEADING].any():
            turned = rotations.multiply(_headed(channels), turned)
        pose.translations[:, 0] += lower - rotations.rotate(turned, lower)


@lru_cache(maxsize=16)
def _hip_centre(skeleton: Skeleton) -> Floats:
    """The middle between the hip joints, from the hips' joint."""
    return np.asarray(np.mean([skeleton.offsets[skeleton.index(f"{side}UpperLeg")] for side in SIGN], axis=0))


def solve_trunk(pose: BatchPose, channels: ChannelCurves, shift: Floats, assist: Floats) -> TrunkWorld:
    """Write the trunk's rotations and the hips' position.

    ``shift (F, 3)`` is added to the hips, ``assist (F, 2, 2)`` to each clavicle's raise and forward angles.
    """
    place_hips(pose, channels, shift)
    joints, count = trunk_joints(pose.skeleton), len(shift)
    made = TrunkWorld(joints, np.empty((count, len(joints), 4)), np.empty((count, len(joints), 3)))
    model = _trunk_model(pose.skeleton, pose.batch.rate)
    curves = TrunkCurves(*(np.ascontiguousarray(row) for row in (channels.table, channels.breath, assist)))

    def solve(part: slice) -> None:
        rows = pose.batch.rows.select(part)
        _native.trunk.solve_trunk(rows, curves, model, pose.translations, pose.local, made)

    threads.share_frames(len(pose.batch.counts), count * FRAME_WORK, solve)
    if channels[HEADING].any():
        _turn_whole(pose, _headed(channels), made)
    return made


def _headed(channels: ChannelCurves) -> Floats:
    """``(F, 4)`` how far the whole body has turned."""
    return rotations.from_rotation_vector(channels[HEADING][:, None] * AXES[2])


def _turn_whole(pose: BatchPose, turned: Floats, made: TrunkWorld) -> None:
    """Turn a trunk about its own hips, in place: spine and head go along."""
    pose.local[:, 0] = rotations.multiply(turned, pose.local[:, 0])
    hips = made.positions[:, :1].copy()
    made.positions[:] = hips + rotations.rotate(turned[:, None], made.positions - hips)
    made.rotations[:] = rotations.multiply(turned[:, None], made.rotations)


class TrunkCurves(NamedTuple):
    """What moves the trunk in every frame."""

    channels: Floats  # (F, C)
    breath: Floats  # (F,) how full the lungs are
    assist: Floats  # (F, 2, 2) of the left and right clavicle: raise and forward, in radians


class TrunkModel(NamedTuple):
    """The linear map from channels to the 3 K numbers of K joints' rotation vectors."""

    sources: Ints  # (N,) channels
    targets: Ints  # (N,) the numbers that they add to
    factors: Floats  # (N,) and by how much
    breath: Floats  # (3 K,) added by a full breath
    stance: Floats  # (3 K,) added always
    lags: Floats  # (K,) frames by which channels are late
    parents: Ints  # (K,) among the K joints, or -1
    clavicles: Ints  # (2,) where the left and right clavicle's three numbers begin


@lru_cache(maxsize=16)
def trunk_matrix(skeleton: Skeleton) -> tuple[tuple[str, ...], Floats, Floats]:
    """The trunk's K joints by name; the map ``(C, 3 K)`` from channels to their rotation vectors; a full breath's."""
    model = _trunk_model(skeleton, 1.0)
    matrix = np.zeros((len(INDEX), len(model.breath)))
    matrix[model.sources, model.targets] = model.factors
    return tuple(skeleton.names[joint] for joint in trunk_joints(skeleton)), matrix, model.breath


@lru_cache(maxsize=16)
def _trunk_model(skeleton: Skeleton, rate: float) -> TrunkModel:
    joints = trunk_joints(skeleton)
    order = {int(joint): k for k, joint in enumerate(joints)}
    matrix = np.zeros((len(INDEX), len(joints), 3))
    breath, stance, lags = np.zeros((len(joints), 3)), np.zeros((len(joints), 3)), np.zeros(len(joints))

    def add(name: str, channel: str, vector: Floats) -> None:
        matrix[INDEX[channel], order[skeleton.index(name)]] += vector

    for i, axis in enumerate(AXES):
        add("hips", HIPS[i], axis)
        for name, (share, lag) in SPINE.items():
            lags[order[skeleton.index(name)]] = rate * lag
            add(name, TORSO[i], share * axis)
            add(name, HIPS[i], -share * TAKEN_BACK[i] * axis)
        for name, share in NECK.items():
            add(name, HEAD[i], share * axis)
            add(name, TORSO[i], -share * STEADY[i] * axis)
            add(name, HIPS[i], -share * STEADY[i] * (1.0 - TAKEN_BACK[i]) * axis)
    breath[order[skeleton.index("upperChest")], 0] = -BREATH_CHEST
    for name, share in NECK.items():
        breath[order[skeleton.index(name)], 0] = share * BREATH_HEAD
    for side, sign in SIGN.items():
        add(f"{side}Eye", "eyes.lift", np.array([-1.0, 0.0, 0.0]))
        add(f"{side}Eye", "eyes.turn", np.array([0.0, 1.0, 0.0]))
        add(f"{side}Shoulder", f"{side}.clavicle.raise", np.array([0.0, 0.0, sign]))
        add(f"{side}Shoulder", f"{side}.clavicle.forward", np.array([0.0, -sign, 0.0]))
        clavicle = order[skeleton.index(f"{side}Shoulder")]
        breath[clavicle, 2] = sign * BREATH_CLAVICLE
        stance[clavicle] = 0.0, -sign * CLAVICLE_AHEAD, -sign * CLAVICLE_DOWN
    flat = matrix.reshape(len(INDEX), -1)
    sources, targets = (np.ascontiguousarray(row) for row in np.nonzero(flat))
    return TrunkModel(
        sources,
        targets,
        flat[sources, targets],
        breath.ravel(),
        stance.ravel(),
        lags,
        np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints]),
        np.array([3 * order[skeleton.index(f"{side}Shoulder")] for side in SIGN]),
    )
