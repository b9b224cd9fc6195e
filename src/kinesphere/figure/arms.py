"""Arms that bring the wrists where they are to be, or hang; hands that drag a little behind."""

from __future__ import annotations

import numpy as np

from kinesphere.figure.channels import Channels
from kinesphere.figure.curves import keyed, rounded
from kinesphere.figure.hands import set_hand
from kinesphere.figure.hanging import hung
from kinesphere.figure.pose import RATE, SIGN, Pose
from kinesphere.figure.stance import resting_swivel, resting_wrist
from kinesphere.figure.wrists import wrist_path
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.kernels.limb_rotations import limb_rotations_local, limb_rotations_world
from kinesphere.kernels.limbs import solve_limb
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoints, Space

FLEXIONS = (np.radians(4.0), np.radians(148.0))
JOIN_UP, JOIN_AHEAD = np.radians(24.0), np.radians(13.0)  # how far a shoulder joins its arm


def set_arm(pose: Pose, gesture: Gesture, channels: Channels, side: str, *, still: bool = False) -> Floats:
    """Solve one arm and its hand; gives the wrist's places ``(T, 3)`` in the world. A still arm keeps to its chest."""
    skeleton = pose.skeleton
    upper, lower, hand = (skeleton.index(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand"))
    q, p = pose.world()
    shoulder, chest = p[:, upper], q[:, skeleton.index("upperChest")]
    target, swivel = _target(pose, gesture, side, shoulder, chest, still)
    lengths = skeleton.bone_lengths[lower], skeleton.bone_lengths[hand]
    down, ahead = (rotations.rotate(chest, way) for way in ([0.0, -1.0, 0.0], [0.0, 0.0, 1.0]))
    solved = solve_limb(
        shoulder, target, *lengths, swivel, reference=down, home=ahead, flexion_range=FLEXIONS, softness=0.012
    )
    rest = skeleton.offsets[lower], skeleton.offsets[hand]
    world = limb_rotations_world(shoulder, solved, *rest, np.cross(*rest))
    local = limb_rotations_local(world, q[:, skeleton.parents[upper]])
    pose.local[:, upper] = local.upper
    set_hand(pose, gesture, channels, side, (world.lower, local.lower), solved.wrist - shoulder)
    return solved.wrist


def joining(pose: Pose, side: str, wrist: Floats) -> Floats:
    """``(2, T)`` how far the shoulder rises and comes forward for a wrist that goes up, and out in front."""
    skeleton = pose.skeleton
    q, p = pose.world()
    chest = q[:, skeleton.index("upperChest")]
    shoulder = p[:, skeleton.index(f"{side}UpperArm")]
    reach = rotations.rotate(rotations.conjugate(chest), wrist - shoulder) / (0.545 * pose.size)
    far = np.linalg.norm(reach, axis=1)
    height = np.arctan2(reach[:, 1], np.hypot(reach[:, 0], reach[:, 2]))  # of the wrist above the shoulder
    up = JOIN_UP * _ease((height + 0.6) / 2.0) * np.clip(far, 0.0, 1.0)
    ahead = JOIN_AHEAD * _ease((reach[:, 2] - 0.35) / 0.65) + 0.6 * JOIN_AHEAD * _ease(-SIGN[side] * reach[:, 0] / 0.6)
    return rounded(np.stack([up, ahead], axis=1), RATE, 0.05, pose.loop).T


def _ease(share: Floats) -> Floats:
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u), dtype=np.float64)


def _target(
    pose: Pose, gesture: Gesture, side: str, shoulder: Floats, chest: Floats, still: bool
) -> tuple[Floats, Floats]:
    """Where the wrist is to be ``(T, 3)`` in the world, and the swivel ``(T,)``."""
    keys = gesture.arm(side)
    rest = np.array(resting_wrist(side)) * pose.size
    hanging = np.ones(len(pose.time))
    swivel = np.full(len(pose.time), resting_swivel(side))
    target = shoulder + rotations.rotate(chest, rest)
    if keys is not None:
        times = [key.frame / keys.rate for key in keys.keys]
        target = _reached(pose, keys, gesture.inflections.get(side), shoulder, chest)
        swivel = rounded(keyed(times, [key.swivel for key in keys.keys], pose.time), RATE, 0.05)
        at_rest = [float(_rests(key.position, side)) for key in keys.keys]
        hanging = rounded(keyed(times, at_rest, pose.time), RATE, 0.05)
    own = shoulder + rotations.rotate(chest, rest)
    if still:
        return target, swivel
    return target + hanging[:, None] * (hung(pose, rest, shoulder, chest) - own), swivel


def _rests(position: tuple[float, float, float], side: str) -> bool:
    return bool(np.linalg.norm(np.subtract(position, resting_wrist(side))) < 1e-4)


def _reached(
    pose: Pose, keys: Keypoints, inflections: tuple[float, ...] | None, shoulder: Floats, chest: Floats
) -> Floats:
    """The wrist's way through its keys: with the chest between local ones, in the world between global ones."""
    times = np.array([key.frame for key in keys.keys]) / keys.rate
    frames = np.clip(np.round(times * RATE).astype(np.intp), 0, len(pose.time) - 1)
    fixed = np.array([key.space == Space.GLOBAL for key in keys.keys])
    given = np.array([key.position for key in keys.keys]) * pose.size
    out = shoulder[frames] + rotations.rotate(chest[frames], given)
    back = rotations.rotate(rotations.conjugate(chest[frames]), given - shoulder[frames])
    local = wrist_path(keys, np.where(fixed[:, None], back, given), inflections, pose.time)
    carried = shoulder + rotations.rotate(chest, local)
    if not fixed.any():
        return carried
    world = wrist_path(keys, np.where(fixed[:, None], given, out), inflections, pose.time)
    share = keyed(times, fixed.astype(float), pose.time)[:, None]
    return carried + share * (world - carried)
