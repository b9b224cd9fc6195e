"""What of a body the shape solver moves: joints of trunk, neck and shoulders, hips, limbs, masses, and the eyes.

Unknowns are coordinates of rotation vectors in clinical axes (forward flexion, side bend, twist), by which joints
rotate on top of the given pose, and metres by which hips move. Each has a *deviation*, the size of an ordinary change:
the solution has the least sum of squares in these units, so that hips and hip joints move more readily than a spine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.clavicles import has_clavicle
from kinesphere.body.ground import leg_length
from kinesphere.body.limits import LIMITS, NECK, TRUNK, Limit
from kinesphere.body.reach.limb import ENDS, PARTS, side_and_part
from kinesphere.maths import rotations
from kinesphere.maths.kinematics import with_ancestors
from kinesphere.maths.vectors import Bools, Floats, Ints, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

# Deviations in radians of flexion, side bend and twist: of the whole spine and neck, divided among their joints.
SPINE = (0.30, 0.16, 0.20)
NECK_TURN = (0.45, 0.30, 0.60)
CLAVICLE = (0.12, 0.16, 0.05)
PELVIS = (0.16, 0.06, 0.14)  # of the hips' rotation
HIPS = (0.10, 0.05, 0.10)  # leg lengths of hips to the left, up and ahead
PERSON = 0.85  # metres of a person's legs
PELVIS_RANGE = np.radians([[-20.0, 45.0], [-15.0, 15.0], [-35.0, 35.0]])  # beyond the given pose
HIPS_RANGE = np.array([[-0.4, 0.4], [-0.45, 0.06], [-0.4, 0.4]])  # leg lengths, beyond the given pose
# Shares of the hips' movement that the middle of a segment makes whose limb ends where it did.
PINNED = {"upper arm": 0.7, "forearm": 0.27, "hand": 0.0, "thigh": 0.7, "shank": 0.27, "foot": 0.0}
EYE_UP, EYE_AHEAD = 0.07, 0.10  # leg lengths from the head's joint to between eyes that a body does not have
EYE_RANGE = float(np.radians(25.0))  # that eyes turn away from the head's direction


@dataclass(frozen=True, eq=False)
class EyeLine:
    """Where a body sees from, and in which direction, both in its head's own axes."""

    head: int
    origin: Floats  # (3,) metres
    ahead: Floats  # (3,) unit
    eyes: tuple[int, ...]  # joints that turn by themselves


class TrunkRows(NamedTuple):
    """The joints of a trunk, for native loops. ``K`` are its rows, ``U`` of them rotate."""

    parents: Ints  # (K,) rows of parents, or -1
    rotated: Ints  # (U,) rows that rotate
    axes: Floats  # (U, 3, 3) columns are the axes of flexion, side bend and twist, in the parents' axes
    carried: Bools  # (U, K) which rows a joint's rotation moves or turns
    hung: Floats  # (K,) 1 for rows that hips carry, else 0
    hips: int  # row


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """The part of a body that the solver moves."""

    body: Body
    joints: Ints  # (K,) those that rotate and what they carry, with all their ancestors
    trunk: TrunkRows
    deviations: Floats  # (U, 3)
    limits: tuple[Limit | None, ...]  # (U,)
    groups: tuple[str, ...]  # (U,) "hips", "spine", "neck", "leftShoulder", "rightShoulder"

    def row(self, joint: int) -> int:
        """The row of a joint, or of the nearest one above it that has one."""
        while joint not in self.rows:
            joint = int(self.body.skeleton.parents[joint])
        return self.rows[joint]

    @cached_property
    def rows(self) -> dict[int, int]:
        """Joint to row."""
        return {joint: row for row, joint in enumerate(self.joints.tolist())}

    @cached_property
    def size(self) -> float:
        """Length of the legs."""
        return leg_length(self.body.skeleton)

    @property
    def scale(self) -> float:
        """How large the body is beside a person, whose sizes tolerances are meant for."""
        return self.size / PERSON

    @cached_property
    def arms(self) -> Ints:
        """``(2,)`` joints from which arms hang."""
        return np.array([self.body.skeleton.roles[f"{side}UpperArm"] for side in SIDES], dtype=np.intp)

    @cached_property
    def ends(self) -> dict[int, str]:
        """Joint to the limb that carries it, such as ``leftHand``, for hands, feet and all below them."""
        skeleton = self.body.skeleton
        found: dict[int, str] = {}
        for end in ENDS:
            found |= dict.fromkeys(skeleton.descendants(skeleton.roles[end]), end)
        return found

    @cached_property
    def between(self) -> dict[int, str]:
        """Joint to the limb of which it is a part, for upper and lower bones without their ends."""
        skeleton = self.body.skeleton
        found: dict[int, str] = {}
        for end in ENDS:
            side, part = side_and_part(end)
            found |= dict.fromkeys(skeleton.descendants(skeleton.roles[side + PARTS[part][0]])[1:], end)
        return {joint: end for joint, end in found.items() if joint not in self.ends}

    @cached_property
    def masses(self) -> tuple[Floats, Ints, Ints, tuple[str, ...]]:
        """Shares of the mass ``(S,)``, their joints ``(S,)`` and rows ``(S,)``, and the limbs they are parts of."""
        parts = self.body.mass
        rows = np.array([self.row(part.joint) for part in parts], dtype=np.intp)
        return (
            np.array([part.mass for part in parts]),
            np.array([part.joint for part in parts], dtype=np.intp),
            rows,
            tuple(_limb_of_segment(part.name) for part in parts),
        )

    @cached_property
    def mass_offsets(self) -> Floats:
        """``(S, 3)`` centres in their joints' axes."""
        return np.array([part.offset for part in self.body.mass])

    @cached_property
    def pinned_shares(self) -> Floats:
        """``(S,)`` of a carrier's movement that a segment's centre makes whose limb's end stays."""
        return np.array([PINNED.get(part.name.split(" ", 1)[-1], 1.0) for part in self.body.mass])

    @cached_property
    def eye_line(self) -> EyeLine:
        """The eyes, or the point between where they would be."""
        skeleton, pose = self.body.skeleton, self.body.anatomy.pose
        head = skeleton.roles["head"]
        eyes = tuple(skeleton.roles[f"{side}Eye"] for side in SIDES if f"{side}Eye" in skeleton.roles)
        to_head = rotations.conjugate(pose.rotations[head])
        ahead = rotations.rotate(self.body.anatomy.frames["head"], [0.0, 0.0, 1.0])
        if eyes:
            origin = rotations.rotate(to_head, pose.positions[list(eyes)].mean(axis=0) - pose.positions[head])
        else:
            place = self.size * np.array([0.0, EYE_UP, EYE_AHEAD])
            origin = rotations.rotate(self.body.anatomy.frames["head"], place)
        return EyeLine(head, origin, unit(ahead), eyes)


@memoised
def shape_model(body: Body) -> ShapeModel:
    """The model of a body."""
    skeleton, roles = body.skeleton, body.roles
    spine, neck = body.anatomy.spine, body.anatomy.neck
    own: list[tuple[int, str, Floats, Limit | None]] = [(roles["hips"], "hips", np.array(PELVIS), None)]
    own += [(joint, "spine", np.array(SPINE) / len(spine), _share(TRUNK, len(spine))) for joint in spine]
    own += [(joint, "neck", np.array(NECK_TURN) / len(neck), _share(NECK, len(neck))) for joint in neck]
    for side in SIDES:
        if has_clavicle(skeleton, side):
            own.append((roles[f"{side}Shoulder"], f"{side}Shoulder", np.array(CLAVICLE), LIMITS["Shoulder"]))
    own = sorted({joint: entry for entry in own for joint in (entry[0],)}.values(), key=lambda entry: entry[0])
    tips = [roles[side + part] for side in SIDES for part in ("UpperArm", "UpperLeg")]
    joints, parents = with_ancestors(skeleton.parents, [entry[0] for entry in own] + tips)
    places = {joint: row for row, joint in enumerate(joints.tolist())}
    below = np.zeros((len(joints), len(joints)), dtype=bool)  # [above, below], itself included
    for row, parent in enumerate(parents.tolist()):
        below[row, row] = True
        if parent >= 0:
            below[:, row] |= below[:, parent]
    rotated = np.array([places[entry[0]] for entry in own], dtype=np.intp)
    hips = places[roles["hips"]]
    axes = np.array([_clinical_axes(body, *entry[:2]) for entry in own])
    trunk = TrunkRows(parents, rotated, axes, below[rotated].copy(), below[hips].astype(np.float64), hips)
    return ShapeModel(
        body,
        joints,
        trunk,
        np.array([entry[2] for entry in own]),
        tuple(entry[3] for entry in own),
        tuple(entry[1] for entry in own),
    )


def _share(limit: Limit, count: int) -> Limit:
    (a, b), (c, d), (e, f) = limit.flexion, limit.side, limit.twist
    return Limit((a / count, b / count), (c / count, d / count), (e / count, f / count))


def _clinical_axes(body: Body, joint: int, group: str) -> Floats:
    """``(3, 3)`` axes of flexion, side bend and twist as columns, in the parent's axes as the anatomy's pose has them.

    Positive is forward, to the left, and to the left; of a clavicle forward, upward, and backward about itself. They
    are right-handed, as the Jacobian of rotation vectors wants.
    """
    pose, skeleton = body.anatomy.pose, body.skeleton
    left, up, ahead = rotations.rotate(body.anatomy.basis, np.eye(3))
    axes = np.stack([left, -ahead, up])
    if group.endswith("Shoulder"):
        side = 1.0 if group == "leftShoulder" else -1.0
        axes = np.stack([-side * up, side * ahead, -left])
    parent = int(skeleton.parents[joint])
    to_parent = rotations.identity() if parent < 0 else rotations.conjugate(pose.rotations[parent])
    return np.asarray(rotations.rotate(to_parent, axes).T)


def _limb_of_segment(name: str) -> str:
    side, _, part = name.partition(" ")
    if part in ("upper arm", "forearm", "hand"):
        return f"{side}Hand"
    return f"{side}Foot" if part in ("thigh", "shank", "foot") else ""
