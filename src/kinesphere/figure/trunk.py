"""Hips, spine, head, eyes and clavicles, from a gesture's channels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.figure.breath import swell
from kinesphere.figure.channels import Curves
from kinesphere.figure.pose import SIGN, Pose, turned
from kinesphere.figure.stance import CLAVICLE_AHEAD, CLAVICLE_DOWN, SINK
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats

# Joint: its share of the torso's angles, and by how much it follows the one at the base, in seconds.
SPINE = {"spine": (0.32, 0.0), "spine2": (0.18, 0.020), "chest": (0.18, 0.035), "upperChest": (0.32, 0.050)}
NECK = {"neck": 0.45, "head": 0.55}
# What the head takes back of what the torso does, so that the gaze stays: forward, side, turn.
STEADY = np.array([0.55, 0.60, 0.50])
BREATH_CHEST, BREATH_CLAVICLE, BREATH_HEAD = 0.020, 0.034, 0.010  # radians


def set_hips(pose: Pose, channels: Curves, shift: Floats) -> None:
    """The hips' place and turn; ``shift (F, 3)`` is what balance adds, in metres."""
    at = np.stack([channels["hips.x"], channels["hips.y"] - SINK, channels["hips.z"]], axis=-1)
    pose.places[:, 0] = pose.skeleton.offsets[0] + pose.size * at + shift
    pose.turn("hips", turned(channels["hips.lean"], channels["hips.turn"], -channels["hips.tilt"]))


def set_spine_and_head(pose: Pose, channels: Curves) -> None:
    """The torso's angles shared along the spine, each joint a little later; the head steadied, and turned itself.

    The spine also takes back what the hips tilt and half of what they turn, as a standing body does.
    """
    breath, hips = channels.breath, channels.rows("hips.lean", "hips.tilt", "hips.turn")
    swell(pose, channels["torso.breath"], breath)
    carried = channels.rows("torso.forward", "torso.side", "torso.turn") - np.array([0.3, 0.9, 0.5]) * hips
    angles = [share * (pose.spans.delayed(carried, lag) if lag else carried) for share, lag in SPINE.values()]
    angles[-1][:, 0] -= BREATH_CHEST * breath
    faced = channels.rows("head.nod", "head.tilt", "head.turn") - STEADY * (carried + hips)
    faced[:, 0] += BREATH_HEAD * breath
    angles += [share * faced for share in NECK.values()]
    # Forward is about x, turning about y, to the side about −z.
    vectors = np.stack(angles, axis=1)[..., [0, 2, 1]] * np.array([1.0, 1.0, -1.0])
    joints = [pose.skeleton.index(name) for name in (*SPINE, *NECK)]
    pose.local[:, joints] = rotations.from_rotation_vector(vectors)
    eyes = turned(-channels["eyes.lift"], channels["eyes.turn"])
    for side in SIGN:
        pose.turn(f"{side}Eye", eyes)


def set_clavicles(pose: Pose, channels: Curves, joining: Mapping[str, Floats]) -> None:
    """Shoulders as keyed, with breath, and joining what the arms do: ``joining[side] (2, F)`` is raise and forward."""
    for side, sign in SIGN.items():
        up = channels[f"{side}.clavicle.raise"] + joining[side][0] + BREATH_CLAVICLE * channels.breath - CLAVICLE_DOWN
        ahead = channels[f"{side}.clavicle.forward"] + joining[side][1] + CLAVICLE_AHEAD
        pose.turn(f"{side}Shoulder", turned(0.0, -sign * ahead, sign * up))
