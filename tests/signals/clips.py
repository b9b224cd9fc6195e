"""Motions to test edits with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.motion.transform import move_motion

UP = np.array([0.0, 1.0, 0.0])


def pirouette(rounds=3.0):
    """A waving figure that turns about itself as it waves."""
    given = motion("wave")
    angle = 2.0 * np.pi * rounds * np.linspace(0.0, 1.0, len(given))
    return move_motion(given, rotations.from_rotation_vector(angle[:, None] * UP), np.zeros(3))


def short(frames):
    return motion("wave")[60 : 60 + frames]


def apart(one, other):
    """The farthest that any joint is from where the other has it, in metres."""
    return np.linalg.norm(one.positions_world() - other.positions_world(), axis=-1).max()


def with_calibration(given):
    """The motion with a T-pose before it, marked."""
    q = np.concatenate([rotations.identity(1, len(given.skeleton)), given.rotations])
    t = np.concatenate([given.translations[:1], given.translations])
    return replace(given, rotations=q, translations=t, scales=None, calibration_frames=(0,))
