"""Feet that stand flat, whatever the rest pose says of them.

A capture's skeleton rests in one pose and stands in another: where its foot should be flat on the ground it may be
tilted, the same in every frame. The motion shows by how much.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

RATE = 30.0  # frames a second that are looked at
STILL = 0.15  # leg lengths a second
LOW = 0.04  # leg lengths above the lowest tenth
LEAST = 8  # frames
STEADY = np.radians(8.0)  # half of the frames are nearer than this to their mean
TILTED = np.radians(3.0)  # less is nothing to mend
MOST = {"Foot": np.radians(45.0), "Toes": np.radians(85.0)}  # a foot tilted farther stands on its toes or lies


def flat_feet(motion: Motion, body: Anatomy) -> dict[str, Floats]:
    """For feet and toes that stand tilted, by role: the rotation ``(4,)`` in their anatomical frames to flat.

    Toes are on the ground also when the heel is not; some captures have them bent by 60° throughout.
    """
    frames = motion.performed_frames[:: max(round(motion.rate / RATE), 1)]
    if len(frames) < LEAST:
        return {}
    q, p = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    seconds = np.diff(frames) / motion.rate
    found = {}
    for side in SIDES:
        foot, length = motion.skeleton.roles[f"{side}Foot"], body.lengths[f"{side}Leg"]
        height = p[:, foot, 1] - np.percentile(p[:, foot, 1], 10.0)
        speed = np.linalg.norm(np.diff(p[:, foot], axis=0), axis=-1) / seconds
        still = np.append(speed < STILL * length, False) & (height < LOW * length)
        for part, most in MOST.items():
            joint = motion.skeleton.roles.get(f"{side}{part}")
            if joint is None:
                continue
            anatomical = rotations.multiply(q[still, joint], body.frames[f"{side}{part}"])
            tilt = _steady(rotations.rotate(rotations.conjugate(anatomical), np.array([0.0, 1.0, 0.0])), most)
            if tilt is not None:
                found[f"{side}{part}"] = rotations.between(np.array([0.0, 1.0, 0.0]), tilt)
    return found


def _steady(up: Floats, most: float) -> Floats | None:
    """The mean of directions ``(N, 3)`` that are nearly the same and lean a little, else None."""
    if len(up) < LEAST:
        return None
    mean = up.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    apart = np.arccos(np.clip(up @ mean, -1.0, 1.0))
    tilted: Floats = mean
    tilt = np.arccos(np.clip(mean[1], -1.0, 1.0))
    return tilted if np.median(apart) < STEADY and TILTED < tilt < most else None
