"""Motions of the built-in figure's arms along given paths of the wrists, with any twist of the upper arms."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from kinesphere import Motion
from kinesphere.builtin import figure
from kinesphere.maths import rotations as R
from kinesphere.maths.two_bone import bend_limb

RATE, FRAMES = 60.0, 120
NAMES = ("clasped", "hanging", "hips", "crossed", "behind", "sweep", "clap", "through")


def arm_motion(left, right, twist=0.0):
    """The figure with wrists on paths ``(T, 3)``: elbows down, aside and back, upper arms turned by the smallest swing.

    ``twist`` turns upper arms about themselves by so many radians, and forearms back: bones stay where they are.
    """
    skeleton = figure().skeleton
    rest_q, rest_p = skeleton.rest_world()
    q = np.tile(rest_q, (len(left), 1, 1))
    for side, path, sign in (("left", left, 1.0), ("right", right, -1.0)):
        upper, lower, hand = (skeleton.index(side + part) for part in ("UpperArm", "LowerArm", "Hand"))
        start = np.tile(rest_p[upper], (len(path), 1))
        bones = rest_p[lower] - rest_p[upper], rest_p[hand] - rest_p[lower]
        hinge = np.cross(np.broadcast_to([0.5 * sign, -1.0, -0.4], path.shape), path - start)
        sizes = (np.full(len(path), np.linalg.norm(bone)) for bone in bones)
        elbow, wrist, _ = bend_limb(start, path, *sizes, hinge / np.linalg.norm(hinge, axis=1, keepdims=True), 0.001)
        for joint, rest, bone in ((upper, bones[0], elbow - start), (lower, bones[1], wrist - elbow)):
            turned = R.multiply(R.rotation_between(np.broadcast_to(rest, bone.shape), bone), rest_q[joint])
            about = R.from_axis_angle(bone / np.linalg.norm(bone, axis=1, keepdims=True), np.full(len(path), twist))
            q[:, joint] = R.multiply(about, turned) if joint == upper else turned
        for joint in skeleton.descendants(hand):
            q[:, joint] = R.multiply(q[:, lower], R.multiply(R.conjugate(rest_q[lower]), rest_q[joint]))
    local = q.copy()
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            local[:, joint] = R.multiply(R.conjugate(q[:, parent]), q[:, joint])
    return Motion(skeleton, RATE, local)


@lru_cache(maxsize=64)
def named_motion(name, twist=0.0):
    """One of ``NAMES``: what people do in front of, beside and behind their trunks."""
    t = np.arange(FRAMES) / RATE
    slow, fast = np.sin(np.pi * t), np.abs(np.sin(1.6 * np.pi * t))

    def path(x, y, z):
        return np.stack(np.broadcast_arrays(x + 0.0 * t, y, z), axis=1)

    resting = path(-0.26, 0.86, 0.0)
    paths = {
        "clasped": (path(0.04, 1.05 + 0.02 * slow, 0.24), path(-0.04, 1.05 + 0.02 * slow, 0.24)),
        "hanging": (path(0.26, 0.86, 0.06 * slow - 0.02), path(-0.26, 0.86, -0.06 * slow - 0.02)),
        "hips": (path(0.2, 0.97, 0.06), path(-0.2, 0.97, 0.06)),
        "crossed": (path(-0.12, 1.2, 0.2), path(0.12, 1.16, 0.24)),
        "behind": (path(0.06, 0.95, -0.24), path(-0.06, 0.95, -0.24)),
        "sweep": (path(0.05 + 0.2 * np.cos(np.pi * t), 1.1 + 0.05 * slow, 0.22), resting),
        "clap": (path(0.03 + 0.12 * fast, 1.2, 0.32), path(-0.03 - 0.12 * fast, 1.2, 0.32)),
        "through": (path(0.1, 1.1, 0.1 + 0.32 * np.cos(np.pi * t)), resting),
    }
    return arm_motion(*paths[name], twist=twist)
