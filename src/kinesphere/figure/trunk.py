"""Hips, spine, head, eyes and clavicles, from a gesture's channels."""

from __future__ import annotations

import numpy as np

from kinesphere.figure.breath import swell
from kinesphere.figure.channels import Channels
from kinesphere.figure.curves import delayed
from kinesphere.figure.pose import RATE, SIGN, Pose, turned
from kinesphere.figure.stance import CLAVICLE_AHEAD, CLAVICLE_DOWN, SINK
from kinesphere.kernels.arrays import Floats

# Joint: its share of the torso's angles, and by how much it follows the one at the base, in seconds.
SPINE = {"spine": (0.32, 0.0), "spine2": (0.18, 0.020), "chest": (0.18, 0.035), "upperChest": (0.32, 0.050)}
NECK = {"neck": 0.45, "head": 0.55}
# What the head takes back of what the torso does, so that the gaze stays: forward, side, turn.
STEADY = (0.55, 0.60, 0.50)
BREATH_CHEST, BREATH_CLAVICLE, BREATH_HEAD = 0.020, 0.034, 0.010  # radians


def set_hips(pose: Pose, channels: Channels, shift: Floats) -> None:
    """The hips' place and turn; ``shift (T, 3)`` is what balance adds, in metres."""
    at = np.stack([channels["hips.x"], channels["hips.y"] - SINK, channels["hips.z"]], axis=-1)
    pose.places[:, 0] = pose.skeleton.offsets[0] + pose.size * at + shift
    pose.turn("hips", turned(channels["hips.lean"], channels["hips.turn"], -channels["hips.tilt"]))


def set_spine_and_head(pose: Pose, channels: Channels) -> None:
    """The torso's angles shared along the spine, each joint a little later; the head steadied, and turned itself.

    The spine also takes back what the hips tilt and half of what they turn, as a standing body does.
    """
    breath = channels.breath
    swell(pose, channels["torso.breath"], breath)
    counter = np.stack([-0.3 * channels["hips.lean"], -0.9 * channels["hips.tilt"], -0.5 * channels["hips.turn"]])
    torso = np.stack([channels["torso.forward"], channels["torso.side"], channels["torso.turn"]])
    for name, (share, lag) in SPINE.items():
        late = [delayed(angle, RATE, lag, pose.loop) for angle in torso + counter]
        forward = share * late[0] - (BREATH_CHEST * breath if name == "upperChest" else 0.0)
        pose.turn(name, turned(forward, share * late[2], -share * late[1]))
    carried = torso + counter
    carried[0] += channels["hips.lean"]
    carried[1] += channels["hips.tilt"]
    carried[2] += channels["hips.turn"]
    own = np.stack([channels["head.nod"], channels["head.tilt"], channels["head.turn"]])
    faced = own - np.array(STEADY)[:, None] * carried
    faced[0] += BREATH_HEAD * breath
    for name, share in NECK.items():
        pose.turn(name, turned(share * faced[0], share * faced[2], -share * faced[1]))
    eyes = turned(-channels["eyes.lift"], channels["eyes.turn"])
    for side in SIGN:
        pose.turn(f"{side}Eye", eyes)


def set_clavicles(pose: Pose, channels: Channels, joining: dict[str, Floats]) -> None:
    """Shoulders as keyed, with breath, and joining what the arms do: ``joining[side] (2, T)`` is raise and forward."""
    for side, sign in SIGN.items():
        up = channels[f"{side}.clavicle.raise"] + joining[side][0] + BREATH_CLAVICLE * channels.breath - CLAVICLE_DOWN
        ahead = channels[f"{side}.clavicle.forward"] + joining[side][1] + CLAVICLE_AHEAD
        pose.turn(f"{side}Shoulder", turned(0.0, -sign * ahead, sign * up))
