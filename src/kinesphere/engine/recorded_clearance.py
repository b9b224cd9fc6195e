"""Clearance of performed recordings: hands and forearms come no deeper into the body than they were recorded.

The body is capsules about trunk, head and thighs (``engine.capsules``) of the recorded body's size. A point that is
inside one comes out on the side where it was recorded; it may be as deep as there.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.engine.capsules import HEAD, SOFT, THIGH, TRUNK
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.recorded_poses import body_frame, chest_joint
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES

BELOW_SHOULDERS, CROWN = 0.28, 0.22  # arm lengths: top of the trunk's axis below the shoulders, of the head's above it
SOLIDS = ("trunk", "head", "left thigh", "right thigh")
THIGH_ENDS = 0.85  # of the way to the knee: beyond it is the knee, which is thinner
PALM = 0.16  # arm lengths from the wrist, on from the forearm
FOREARM = (0.45, 0.8)  # points of it that are felt, as shares from the elbow


class Joints(Protocol):
    """Joints in the world."""

    def p(self, joint: int) -> Floats:
        """``(T, 3)`` where a joint is."""
        ...

    def q(self, joint: int) -> Floats:
        """``(T, 4)`` how it is turned, in its own axes."""
        ...


class Solids(NamedTuple):
    """Capsules, flattened ahead, in every frame, for native loops."""

    starts: Floats  # (S, T, 3) ends of their axes
    ends: Floats  # (S, T, 3)
    axes: Floats  # (S, T, 4) their left, up and ahead
    radii: Floats  # (S, 2) metres: half widths aside and ahead


def solids(body: Body, world: Joints) -> Solids:
    """Those of ``SOLIDS``."""
    roles = body.roles
    arm, leg = (0.5 * sum(body.lengths[f"{side}{limb}"] for side in SIDES) for limb in ("Arm", "Leg"))
    size = min(arm / ARM, leg / LEG)
    joints = [chest_joint(body), roles["head"], *(roles[f"{side}UpperLeg"] for side in SIDES)]
    frames = np.stack([body_frame(body, joint) for joint in joints])[:, None]
    axes = rotations.multiply(np.stack([world.q(joint) for joint in joints]), frames)
    offsets = np.array([[0.0, -BELOW_SHOULDERS * arm, 0.0], CROWN * size * ARM * np.array([0.0, 1.0, 0.15])])
    down, crown = rotations.rotate(axes[:2], offsets[:, None])
    starts = np.stack([world.p(roles["hips"]), *(world.p(joint) for joint in joints[1:])])
    ends = np.empty_like(starts)
    ends[0] = 0.5 * (world.p(roles["leftUpperArm"]) + world.p(roles["rightUpperArm"])) + down
    ends[1] = starts[1] + crown
    for i, side in enumerate(SIDES, 2):
        ends[i] = starts[i] + THIGH_ENDS * (world.p(roles[f"{side}LowerLeg"]) - starts[i])
    return Solids(starts, ends, axes, size * np.array([TRUNK, HEAD, THIGH, THIGH]))


def keep_out(was: Solids, now: Solids, recorded: Floats, points: Floats) -> Floats | None:
    """Displacements ``(T, 3)`` of points that were at ``recorded`` among other solids, out of these; None: they are."""
    pushes = np.zeros_like(points)
    given = np.ascontiguousarray(recorded), np.ascontiguousarray(points)
    return pushes if _native.recorded_arms.keep_out(was, now, *given, 2.0 * SOFT / TRUNK[0], pushes) else None


def palm_of(elbow: Floats, wrist: Floats, length: float) -> Floats:
    """``(T, 3)`` the middle of a palm, on from the forearm, of an arm this long."""
    bone = wrist - elbow
    return np.asarray(wrist + PALM * length * bone / np.maximum(norms(bone), 1e-9)[:, None])
