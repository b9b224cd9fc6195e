"""Squash and stretch, pressed-out breath and swelling upper arms: scales of the surface, which no joint inherits.

Where there is no surface, or a format has no place for scales, spine, clavicles and hips still show it: ``add_squash``
turns them a little as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import MappingProxyType

import numpy as np

from kinesphere.engine.arms import ArmPose, ArmTask
from kinesphere.engine.channels import INDEX, SWELLS, add_breath
from kinesphere.engine.overlays import body_stretch, chest_width, upper_arm_width
from kinesphere.engine.pose import Pose
from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.vectors import Floats, clip

# Joints whose surface stretches, and by how much of the whole: ends less than the middle, so that neck and legs fit.
STRETCHES = MappingProxyType({"spine": 0.35, "spine2": 0.7, "chest": 0.8, "upperChest": 0.45})
WORTH = 100  # a surface is more work than a number of a product
NEAR, FAR = -0.25, 0.20  # of the arm's length: a hand lower than the first widens the body, above the second lengthens


# What the skeleton does along: channels at a stretch of 1 and at all breath pressed out.
# A strike is pressed out of the whole trunk, and the pelvis drops into it; what is light lifts.
STRETCHED = MappingProxyType(
    {"torso.forward": -0.30, "left.clavicle.raise": 0.55, "right.clavicle.raise": 0.55, "hips.y": 0.02}
)
PRESSED = MappingProxyType(
    {"torso.forward": 0.75, "left.clavicle.raise": -0.30, "right.clavicle.raise": -0.30, "hips.y": -0.20}
)


def add_squash(table: Floats, tasks: Iterable[ArmTask]) -> None:
    """Let spine, clavicles and hips take part in squash and breath: adds to channels ``(T, C)``."""
    stretch, press = np.zeros(len(table)), np.zeros(len(table))
    for task in tasks:
        if task.plan is None or task.travel is None:
            continue
        squash, breath = task.flourish("squash"), task.flourish("breath")
        if not (squash.any() or breath.any()):
            continue
        share, lively = task.travel.time_share, task.plan.lively[task.travel.stroke]
        if squash.any():
            stretch = np.maximum(stretch, body_stretch(share, squash * lively) - 1.0)
        if breath.any():
            press = np.maximum(press, 1.0 - chest_width(share, breath * lively))
    for amount, channels in ((stretch, STRETCHED), (press, PRESSED)):
        if amount.any():
            for name, most in channels.items():
                table[:, INDEX[name]] += most * amount


def scale_surface(pose: Pose, arms: ArmPose, depth: Floats, breath: Floats) -> None:
    """Write what breath and the flourishes of both arms do to the surface; ``depth (F,)`` is 1 for a body at ease."""
    stretch = _stretch(pose, arms)
    index = pose.skeleton.index
    kernels = compiled.loaded(WORTH * len(depth))
    if kernels is None:
        add_breath(pose, depth, breath)
        _stretch_reference(pose, stretch)
    elif depth.any() or (stretch != 1.0).any():
        widths, lags = zip(*SWELLS.values(), strict=True)
        swelling, stretching = ([index(name) for name in names] for names in (SWELLS, STRETCHES))
        kernels.surface_rows(
            *pose.spans.limits,
            depth * breath,
            np.array(swelling),
            np.array(widths),
            pose.spans.rate * np.array(lags),
            stretch,
            np.array(stretching),
            np.array(list(STRETCHES.values())),
            pose.unscaled(),
        )
    volume = arms.flourishes["limb_volume"]
    if volume.any():
        # The bone lies slantwise in its joint's axes: depth is across it, and takes width's part as well.
        wide = upper_arm_width(arms.flexion, volume * (1.0 - arms.hanging)) ** 1.25
        for side, own in arms.sides.items():
            pose.scaled()[:, index(f"{side}UpperArm"), 2] *= wide[own]


def _stretch_reference(pose: Pose, stretch: Floats) -> None:
    tall, wide, pressed = stretch
    if (stretch == 1.0).all():
        return
    scales = pose.scaled()
    for name, share in STRETCHES.items():
        joint = pose.skeleton.index(name)
        scales[:, joint, 0] *= (wide * tall**-0.5 * pressed) ** share
        scales[:, joint, 1] *= (tall * wide**-0.5) ** share
        scales[:, joint, 2] *= ((tall * wide) ** -0.5 * pressed) ** share


def _stretch(pose: Pose, arms: ArmPose) -> Floats:
    """``(3, F)`` of the torso: how tall, how wide and how pressed. Volume is kept across."""
    made, half = np.ones((3, len(pose.spans))), len(pose.spans)
    amount = np.asarray(arms.flourishes["squash"] * arms.busy)
    if amount.any():
        stretch = body_stretch(arms.share, amount)
        up = clip((arms.wrist[:, 1] / (0.545 * pose.size) - NEAR) / (FAR - NEAR), 0.0, 1.0)
        up = up * up * (3.0 - 2.0 * up)
        for row, values in zip(made, (stretch**up, stretch ** (1.0 - up)), strict=False):
            row[:] = np.maximum(np.maximum(values[:half], values[half:]), 1.0)
    breath = np.asarray(arms.flourishes["breath"] * arms.busy)
    if breath.any():
        pressed = chest_width(arms.share, breath)
        made[2] = np.minimum(np.minimum(pressed[:half], pressed[half:]), 1.0)
    return made


@compile_exact
def surface_scales_kernel(  # type: ignore[no-untyped-def]
    starts, counts, loops, deep, joints, widths, lags, stretch, stretched, shares, scales
):
    """Scales (F, J, 3): those of breath, and of bodies that stretch; see ``surface_scales.scale_surface``.

    ``deep`` (F,) is how full the chest is; ``joints`` swell by ``widths`` (N, 3), each some frames late. ``stretch``
    (3, F) is how tall, how wide and how pressed; ``shares`` are those of joints that are ``stretched``.
    """
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(first, first + count):
            for j in range(scales.shape[1]):
                scales[i, j, 0], scales[i, j, 1], scales[i, j, 2] = 1.0, 1.0, 1.0
            for n in range(len(joints)):
                late = deep[i]
                if lags[n] != 0.0:
                    whole = math.floor(-lags[n])
                    share = -lags[n] - whole
                    a, b = i - first + whole, i - first + whole + 1
                    if loops[s]:
                        a, b = a % around, b % around
                    else:
                        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
                    late = (1.0 - share) * deep[first + a] + share * deep[first + b]
                for k in range(3):
                    scales[i, joints[n], k] += late * widths[n, k]
            tall, wide, pressed = stretch[0, i], stretch[1, i], stretch[2, i]
            if tall != 1.0 or wide != 1.0 or pressed != 1.0:
                tall, wide, pressed = math.log(tall), math.log(wide), math.log(pressed)
                for n in range(len(stretched)):
                    to = scales[i, stretched[n]]
                    to[0] *= math.exp(shares[n] * (wide - 0.5 * tall + pressed))
                    to[1] *= math.exp(shares[n] * (tall - 0.5 * wide))
                    to[2] *= math.exp(shares[n] * (pressed - 0.5 * (tall + wide)))
