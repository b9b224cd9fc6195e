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
OUTSIDE = 2.0 * SOFT / TRUNK[0]  # of a solid's half width outside of it that the push begins
MOST_SWING, SWING_LEVER = 0.6, 0.1  # radians that elbows swing out of the body; of an arm's reach that is no lever
FOREARM = (0.45, 0.8, 1.35)  # points of it that are felt, to the palm, as shares from the elbow
FELT_BY_OTHER = (0.45, 0.8, 1.0, 1.35)  # points that the other forearm feels: to the palm
THICK = 0.095  # arm lengths: radius of a forearm, and how much thicker hands make whatever they touch


class PlacedJoints(Protocol):
    """PlacedJoints in the world."""

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


class ArmRows(NamedTuple):
    """One arm in every frame, each ``(T, 3)``, for native loops."""

    shoulders: Floats
    elbows: Floats
    wrists: Floats
    was_elbows: Floats  # where it was recorded
    was_wrists: Floats


def solids(body: Body, world: PlacedJoints, legs: PlacedJoints | None = None) -> Solids:
    """Those of ``SOLIDS``, with thighs as they are in ``legs`` where the legs are elsewhere."""
    legs = world if legs is None else legs
    roles = body.roles
    arm, leg = (0.5 * sum(body.lengths[f"{side}{limb}"] for side in SIDES) for limb in ("Arm", "Leg"))
    size = min(arm / ARM, leg / LEG)
    chest, head, shoulders = chest_joint(body), roles["head"], [roles[f"{side}UpperArm"] for side in SIDES]
    thighs, knees = ([roles[f"{side}{part}"] for side in SIDES] for part in ("UpperLeg", "LowerLeg"))
    places = [world.p(joint) for joint in (roles["hips"], head, *shoulders)] + [legs.p(own) for own in thighs + knees]
    turned = np.stack([world.q(chest), world.q(head), *(legs.q(joint) for joint in thighs)])
    frames = np.stack([body_frame(body, joint) for joint in (chest, head, *thighs)])
    crown = CROWN * size * ARM * np.array([0.0, 1.0, 0.15])
    starts, ends = np.empty((2, 4, len(places[0]), 3))
    axes = np.empty_like(turned)
    rows = np.stack(places), turned, frames, BELOW_SHOULDERS * arm, crown, THIGH_ENDS
    _native.recorded_clearance.body_solids(*rows, starts, ends, axes)
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


def forearm(body: Body, world: PlacedJoints, side: str, chest: Floats) -> Solids:
    """One forearm, in axes of the chest ``(T, 4)``."""
    start, end = (np.ascontiguousarray(world.p(body.roles[f"{side}{part}"]))[None] for part in ("LowerArm", "Hand"))
    radius = THICK * 0.5 * sum(body.lengths[f"{side}Arm"] for side in SIDES)
    return Solids(start, end, chest[None], np.full((1, 2), radius))


def clear_forearm(
    body: Body,
    side: str,
    bodies: tuple[Solids, Solids],
    others: tuple[Solids, Solids],
    before: PlacedJoints,
    now: PlacedJoints,
) -> Floats | None:
    """Displacements of a wrist and swivels of its elbow ``(T, 4)`` that bring the forearm out; None: it is.

    Out of the body, and half way out of the other forearm, which gives way as well; both as recorded and as they are.
    The elbow swings out about the line from shoulder to wrist as far as that helps; the wrist goes for the rest.
    """
    shoulder, elbow, wrist = (body.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand"))
    places = now.p(shoulder), now.p(elbow), now.p(wrist), before.p(elbow), before.p(wrist)
    arm, found = ArmRows(*(np.ascontiguousarray(row) for row in places)), np.empty((len(places[0]), 4))
    felt = *bodies, np.array(FOREARM), *others, np.array(FELT_BY_OTHER)
    any_is = _native.recorded_clearance.clear_forearm(arm, *felt, OUTSIDE, MOST_SWING, SWING_LEVER, found)
    return found if any_is else None


def palm_of(elbow: Floats, wrist: Floats, length: float) -> Floats:
    """``(T, 3)`` the middle of a palm, on from the forearm, of an arm this long."""
    bone = wrist - elbow
    return np.asarray(wrist + PALM * length * bone / np.maximum(norms(bone), 1e-9)[:, None])
