"""Spine, neck, head, eye and clavicle rotations from a gesture's channels.

Rotation vectors of these joints are linear in the channels, with breath and the shoulders' assistance added. The
torso's angles are shared along the spine, each joint a little later than the one below it. As a standing body does, the
spine takes back what the hips tilt and half of what they turn, and the head part of what the torso does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.engine.batch import delayed_frames
from kinesphere.engine.channels import INDEX, ChannelCurves
from kinesphere.engine.pose import CLAVICLE_AHEAD, CLAVICLE_DOWN, SIGN, SINK, Pose, joints_with_ancestors
from kinesphere.maths import compiled
from kinesphere.maths.compiled import jit
from kinesphere.maths.rotations import exponential_quaternion, quaternion_product, rotate_vector
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


def place_hips(pose: Pose, channels: ChannelCurves, shift: Floats) -> None:
    """Write the hips' position: from the channels, and moved by ``shift (F, 3)`` metres."""
    at = channels.rows("hips.x", "hips.y", "hips.z")
    at[:, 1] -= SINK
    pose.translations[:, 0] = pose.skeleton.offsets[0] + pose.size * at + shift


def solve_trunk(pose: Pose, channels: ChannelCurves, shift: Floats, assist: Floats) -> TrunkWorld:
    """Write the trunk's rotations and the hips' position.

    ``shift (F, 3)`` is added to the hips, ``assist (F, 2, 2)`` to each clavicle's raise and forward angles.
    """
    place_hips(pose, channels, shift)
    joints, count = trunk_joints(pose.skeleton), len(shift)
    made = TrunkWorld(joints, np.empty((count, len(joints), 4)), np.empty((count, len(joints), 3)))
    model = _trunk_model(pose.skeleton, pose.batch.rate)
    curves = TrunkCurves(*(np.ascontiguousarray(row) for row in (channels.table, channels.breath, assist)))

    def solve(part: slice) -> None:
        solve_trunk_kernel(pose.batch.rows.select(part), curves, model, pose.translations, pose.local, made)

    compiled.share_frames(len(pose.batch.counts), count * FRAME_WORK, solve)
    return made


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
    sources, targets = np.nonzero(flat)
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


@jit
def solve_trunk_kernel(rows, curves, model, translations, local, world):  # type: ignore[no-untyped-def]
    """Write local rotations ``(F, J, 4)`` of the trunk's joints and a ``TrunkWorld``, by forward kinematics."""
    size = len(model.stance)
    vectors, more = np.empty((rows.counts.max(), size)), np.empty(size)
    for s in range(len(rows.starts)):
        first, count = rows.starts[s], rows.counts[s]
        for i in range(count):
            for n in range(size):
                vectors[i, n] = 0.0
            for n in range(len(model.sources)):
                vectors[i, model.targets[n]] += model.factors[n] * curves.channels[first + i, model.sources[n]]
        for i in range(first, first + count):
            for n in range(size):
                more[n] = model.stance[n] + model.breath[n] * curves.breath[i]
            for side in range(2):
                sign, c = 1.0 - 2.0 * side, model.clavicles[side]
                more[c + 2] += sign * curves.assist[i, side, 0]
                more[c + 1] -= sign * curves.assist[i, side, 1]
            for k in range(len(world.joints)):
                j, p, n = world.joints[k], model.parents[k], 3 * k
                x, y, z = more[n], more[n + 1], more[n + 2]
                a, b, share = i - first, i - first, 0.0
                if model.lags[k] != 0.0:
                    a, b, share = delayed_frames(i - first, count, rows.loops[s], model.lags[k])
                x += (1.0 - share) * vectors[a, n] + share * vectors[b, n]
                y += (1.0 - share) * vectors[a, n + 1] + share * vectors[b, n + 1]
                z += (1.0 - share) * vectors[a, n + 2] + share * vectors[b, n + 2]
                w, x, y, z = exponential_quaternion(x, y, z)
                local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z
                u, v, t = translations[i, j, 0], translations[i, j, 1], translations[i, j, 2]
                if p >= 0:
                    q, at = world.rotations[i, p], world.positions[i, p]
                    w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], w, x, y, z)
                    u, v, t = rotate_vector(q[0], q[1], q[2], q[3], u, v, t)
                    u, v, t = at[0] + u, at[1] + v, at[2] + t
                to, at = world.rotations[i, k], world.positions[i, k]
                to[0], to[1], to[2], to[3] = w, x, y, z
                at[0], at[1], at[2] = u, v, t
