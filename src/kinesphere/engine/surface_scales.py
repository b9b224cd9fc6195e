"""Squash and stretch, breath and swelling upper arms: scales of the surface, which no joint inherits."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from kinesphere.engine.arms import ARM_LENGTH, ArmPose
from kinesphere.engine.overlays import body_stretch, breath_squash, upper_arm_width
from kinesphere.engine.pose import BatchPose
from kinesphere.maths.vectors import Floats, smoothstep

# How much wider, taller and deeper each joint's surface is when the lungs are full, and how much later, in seconds:
# the belly first, the ribs after it.
SWELLS = MappingProxyType(
    {
        "spine": ((0.016, 0.0, 0.040), 0.0),
        "spine2": ((0.020, 0.0, 0.050), 0.06),
        "chest": ((0.022, 0.004, 0.055), 0.12),
        "upperChest": ((0.016, 0.004, 0.042), 0.18),
    }
)
# Joints whose surface stretches, and by how much of the whole: ends less than the middle, so that neck and legs fit.
STRETCHES = MappingProxyType({"spine": 0.35, "spine2": 0.7, "chest": 0.8, "upperChest": 0.45})
# The same where breath is pressed out: the middle contracts by all of it.
PRESSES = MappingProxyType({"spine": 0.45, "spine2": 0.9, "chest": 1.0, "upperChest": 0.55})
NEAR, FAR = -0.25, 0.20  # of the arm's length: a hand lower than the first widens the body, above the second lengthens


def scale_surface(pose: BatchPose, arms: ArmPose, depth: Floats, breath: Floats) -> None:
    """Write what breath and the flourishes of both arms do to the surface; ``depth (F,)`` is 1 for a body at ease."""
    index = pose.skeleton.index
    add_breath(pose, depth, breath)
    stretch = _stretch(pose, arms)
    if (stretch != 1.0).any():
        tall, wide, pressed = np.log(stretch)
        for name, share in STRETCHES.items():
            # Volume is kept: what is taller or wider is thinner in the two other directions, what is pressed is wider.
            high, aside = share * tall + PRESSES[name] * pressed, share * wide
            logs = np.stack([aside - 0.5 * high, high - 0.5 * aside, -0.5 * (high + aside)], axis=1)
            pose.surface_scales()[:, index(name)] *= np.exp(logs)
    volume = arms.flourishes["limb_volume"]
    if volume.any():
        # The bone is at an angle to its joint's axes: depth is across it, and takes width's part as well.
        wide = upper_arm_width(arms.flexion, volume * (1.0 - arms.relaxed)) ** 1.25
        for side, own in arms.sides.items():
            pose.surface_scales()[:, index(f"{side}UpperArm"), 2] *= wide[own]


def add_breath(pose: BatchPose, depth: Floats, breath: Floats) -> None:
    """Let ribs and belly swell; ``depth (F,)`` is 1 for a body at ease and 0 for a surface that keeps still."""
    if not depth.any():
        return
    scales, deep = pose.surface_scales(), depth * breath
    for name, (widths, lag) in SWELLS.items():
        late = pose.batch.delay(deep, lag) if lag else deep
        scales[:, pose.skeleton.index(name)] += late[:, None] * np.array(widths)


def _stretch(pose: BatchPose, arms: ArmPose) -> Floats:
    """``(3, F)`` factors of the torso's height and width, and of its height as breath is pressed out."""
    made, half = np.ones((3, len(pose.batch))), len(pose.batch)
    amount = np.asarray(arms.flourishes["squash"] * arms.flourish_weight)
    if amount.any():
        stretch = body_stretch(arms.time_share, amount)
        up = smoothstep((arms.wrist[:, 1] / (ARM_LENGTH * pose.arm_size) - NEAR) / (FAR - NEAR))
        for row, values in zip(made, (stretch**up, stretch ** (1.0 - up)), strict=False):
            row[:] = np.maximum(np.maximum(values[:half], values[half:]), 1.0)
    breath = np.asarray(arms.flourishes["breath"] * arms.flourish_weight)
    if breath.any():
        pressed = breath_squash(arms.time_share, breath)
        made[2] = np.minimum(np.minimum(pressed[:half], pressed[half:]), 1.0)
    return made
