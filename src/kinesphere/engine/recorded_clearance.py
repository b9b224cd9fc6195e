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
from kinesphere.engine.recorded_limbs import Limb
from kinesphere.engine.recorded_poses import body_frame, chest_joint
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES

BELOW_SHOULDERS, CROWN = 0.28, 0.22  # arm lengths: top of the trunk's axis below the shoulders, of the head's above it
SOLIDS = ("trunk", "head", "left thigh", "right thigh")
THIGH_ENDS = 0.85  # of the way to the knee: beyond it is the knee, which is thinner
PALM = 0.16  # arm lengths from the wrist, on from the forearm
OUTSIDE = 2.0 * SOFT / TRUNK[0]  # of a solid's half width outside of it that the push begins
MOST_SWING, SWING_LEVER = 0.6, 0.1  # radians that elbows swing out of the body; of an arm's reach that is no lever
FOREARM = (0.45, 0.8)  # points of it that are felt, as shares from the elbow
FELT_BY_OTHER = (0.45, 0.8, 1.0, 1.35)  # points that the other forearm feels: to the palm
THICK = 0.095  # arm lengths: radius of a forearm, and how much thicker hands make whatever they touch


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


def clear_hand(
    bodies: tuple[Solids, Solids], elbows: Floats, wrists: Floats, length: float, carried: Floats, targets: Floats
) -> Floats | None:
    """Displacements ``(T, 3)`` of a wrist's targets that bring wrist and palm out of the body; None: they are.

    ``bodies`` are as recorded and now, ``elbows`` and ``wrists (T, 3)`` where these were recorded, of an arm this long,
    and ``carried (T, 4)`` is how the chest has turned since.
    """
    palms = palm_of(elbows, wrists, length)
    rows = (wrists, palms, targets, rotations.rotate(carried, palms - wrists))
    pushes = np.empty_like(targets)
    given = [np.ascontiguousarray(row) for row in rows]
    return pushes if _native.recorded_clearance.clear_hand(*bodies, *given, OUTSIDE, pushes) else None


def forearm(body: Body, world: Joints, side: str) -> Solids:
    """One forearm, in the chest's axes."""
    start, end = (np.ascontiguousarray(world.p(body.roles[f"{side}{part}"]))[None] for part in ("LowerArm", "Hand"))
    chest = chest_joint(body)
    axes = rotations.multiply(world.q(chest), body_frame(body, chest))[None]
    radius = THICK * 0.5 * sum(body.lengths[f"{side}Arm"] for side in SIDES)
    return Solids(start, end, np.ascontiguousarray(axes), np.full((1, 2), radius))


def clear_forearm(
    limb: Limb,
    bodies: tuple[Solids, Solids],
    elbows: Floats,
    wrists: Floats,
    local: Floats,
    translations: Floats,
    points: tuple[float, ...] = FOREARM,
) -> Floats | None:
    """Displacements of a wrist and swivels of its elbow ``(T, 4)`` that bring the forearm out of the body; None: it is.

    The elbow swings out about the line from shoulder to wrist as far as that helps; the wrist goes for the rest.
    ``points`` of the forearm are felt, as shares from the elbow.
    """
    found = np.empty((len(local), 4))
    rows = np.ascontiguousarray(elbows), np.ascontiguousarray(wrists), np.array(points)
    numbers = OUTSIDE, MOST_SWING, SWING_LEVER
    any_is = _native.recorded_clearance.clear_forearm(limb, *bodies, *rows, *numbers, local, translations, found)
    return found if any_is else None


def palm_of(elbow: Floats, wrist: Floats, length: float) -> Floats:
    """``(T, 3)`` the middle of a palm, on from the forearm, of an arm this long."""
    bone = wrist - elbow
    return np.asarray(wrist + PALM * length * bone / np.maximum(norms(bone), 1e-9)[:, None])
