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


class Solid(NamedTuple):
    """A capsule, flattened ahead, in every frame."""

    start: Floats  # (T, 3) ends of its axis
    end: Floats  # (T, 3)
    axes: Floats  # (T, 4) its left, up and ahead
    wide: float  # metres: half widths aside and ahead
    deep: float


def solids(body: Body, world: Joints) -> dict[str, Solid]:
    """Trunk, head and thighs."""
    roles = body.roles
    arm, leg = (0.5 * sum(body.lengths[f"{side}{limb}"] for side in SIDES) for limb in ("Arm", "Leg"))
    size = min(arm / ARM, leg / LEG)

    def frame(joint: int) -> Floats:
        return rotations.multiply(world.q(joint), body_frame(body, joint))

    chest, head = frame(chest_joint(body)), frame(roles["head"])
    shoulders = 0.5 * (world.p(roles["leftUpperArm"]) + world.p(roles["rightUpperArm"]))
    top = shoulders - rotations.rotate(chest, np.array([0.0, BELOW_SHOULDERS * arm, 0.0]))
    crown = world.p(roles["head"]) + rotations.rotate(head, CROWN * size * ARM * np.array([0.0, 1.0, 0.15]))
    made = {
        "trunk": _solid(world.p(roles["hips"]), top, chest, TRUNK, size),
        "head": _solid(world.p(roles["head"]), crown, head, HEAD, size),
    }
    for side in SIDES:
        hip, knee = world.p(roles[f"{side}UpperLeg"]), world.p(roles[f"{side}LowerLeg"])
        end = hip + THIGH_ENDS * (knee - hip)
        made[f"{side} thigh"] = _solid(hip, end, frame(roles[f"{side}UpperLeg"]), THIGH, size)
    return made


def _solid(start: Floats, end: Floats, axes: Floats, radii: tuple[float, float], size: float) -> Solid:
    rows = (np.ascontiguousarray(row) for row in (start, end, axes))
    return Solid(*rows, radii[0] * size, radii[1] * size)


def keep_out(was: dict[str, Solid], now: dict[str, Solid], recorded: Floats, points: Floats) -> Floats:
    """Displacements ``(T, 3)`` of points that were at ``recorded`` among other solids, out of these."""
    pushes = np.zeros_like(points)
    given = np.ascontiguousarray(recorded), np.ascontiguousarray(points)
    for name, solid in now.items():
        _native.recorded_arms.keep_out(was[name], solid, *given, 2.0 * SOFT * solid.wide / TRUNK[0], pushes)
    return pushes


def palm_of(elbow: Floats, wrist: Floats, length: float) -> Floats:
    """``(T, 3)`` the middle of a palm, on from the forearm, of an arm this long."""
    bone = wrist - elbow
    return np.asarray(wrist + PALM * length * bone / np.maximum(norms(bone), 1e-9)[:, None])
