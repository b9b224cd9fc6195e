"""A gesture acted plainly on the figure: everything where the gesture says, nothing added but life.

Wrists travel by ``progress`` from goal to goal. Shoulders join what the arms do; the hips move so that the body's
weight stays where the gesture puts it, above feet that stand; hanging arms hang; breath and sway go on underneath.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.mass import centre_of_mass
from kinesphere.figure.arms import joining, set_arm
from kinesphere.figure.channels import Channels
from kinesphere.figure.curves import delayed, ramp, rounded
from kinesphere.figure.legs import overreach, stand
from kinesphere.figure.pose import RATE, SIGN, Pose
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.trunk import set_clavicles, set_hips, set_spine_and_head
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.motion import Motion

ROUNDS = 4  # of: act, see where shoulders and weight go, act again
BALANCED = 0.75  # of what moves the body's weight that the hips make up for
EARLY, SLOW = 0.05, 0.10  # seconds: hips go before the arm does, and roundly
SETTLED = 0.6  # seconds before the end
AHEAD = 0.18  # seconds that hips begin to sink before a leg would be too short


def acted(gesture: Gesture, height: float = HEIGHT) -> Motion:
    """The gesture on a figure of this height, 60 frames a second, beginning and ending in the relaxed stance."""
    if not np.isfinite(height) or not 0.1 <= height <= 10.0:
        raise ValueError(f"height {height}: 0.1 to 10 m is allowed")
    frames = round(gesture.duration * RATE) + 1
    channels = Channels(gesture, np.arange(frames) / RATE)
    shift = np.zeros((frames, 3))
    shoulders = {side: np.zeros((2, frames)) for side in SIGN}
    base: Floats | None = None
    for _ in range(ROUNDS):
        pose = Pose.standing(gesture.duration, gesture.loop, height)
        shoulders, weight = _act(pose, gesture, channels, shoulders, shift)
        asked = pose.size * np.stack([channels["hips.x"], channels["hips.z"]], axis=-1)
        base = weight[0] - asked[0] if base is None else base
        away = BALANCED * rounded(weight - base - asked, RATE, SLOW, gesture.loop)
        away = away if gesture.loop else away - away[0]
        shift[:, 0] -= delayed(away[:, 0], RATE, -EARLY, gesture.loop)
        shift[:, 2] -= delayed(away[:, 1], RATE, -EARLY, gesture.loop)
        shift[:, 1] -= _sinking(pose)
        if not gesture.loop:  # nothing of it is left over at the end
            left = ramp(pose.time, max(gesture.duration - SETTLED, 0.0), gesture.duration)
            shift = shift - left[:, None] * shift[-1] - (1.0 - ramp(pose.time, 0.0, SETTLED))[:, None] * shift[0]
    return pose.motion(gesture.name)


def _sinking(pose: Pose) -> Floats:
    """``(T,)`` how far the hips must still sink so that no knee locks: early, and roundly."""
    needed = np.maximum(np.max([overreach(pose, side) for side in SIGN], axis=0), 0.0)
    reach = round(AHEAD * RATE)
    around = np.pad(needed, reach, mode="wrap" if pose.loop else "edge")
    widest = np.lib.stride_tricks.sliding_window_view(around, 2 * reach + 1).max(axis=-1)
    return rounded(widest, RATE, 0.4 * AHEAD, pose.loop)


def _act(
    pose: Pose, gesture: Gesture, channels: Channels, shoulders: dict[str, Floats], shift: Floats
) -> tuple[dict[str, Floats], Floats]:
    """Pose everything once; gives how the shoulders would join, and the centre of mass' x and z ``(T, 2)``."""
    set_hips(pose, channels, shift)
    set_spine_and_head(pose, channels)
    set_clavicles(pose, channels, shoulders)
    wrists = {side: set_arm(pose, gesture, channels, side) for side in SIGN}
    for side in SIGN:
        stand(pose, channels, side, gesture.steps.get(side, ()))
    weight = centre_of_mass(pose.motion(gesture.name))[:, [0, 2]]
    return {side: joining(pose, side, wrist) for side, wrist in wrists.items()}, weight
