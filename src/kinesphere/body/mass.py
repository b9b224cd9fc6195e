"""Centre of mass and support polygon: body segments with their masses, and the area that the feet stand on.

**Mass.** Segment masses and centres are those of de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia
parameters", J. Biomechanics 29(9), table 4: the mean of his female and male columns, normalised to sum to 1. Each
segment's centre is a point fixed in one joint, found at rest, so bone lengths and rest axes may be any.

Missing roles fold into their neighbours: without chest or upper chest, their segments move with the next trunk joint
below; without a neck, the head's segment begins at the shoulders; without toes, the foot's centre is under the ankle;
without fingers, the hand continues the forearm.

**Support.** A foot's contact points are taken to be as wide as the foot: 0.11 of the leg's length (9 cm for a person of
1.7 m), half of it to each side, perpendicular to the line from heel to ball as seen from above. A ball in contact
reaches to the tip of the toes, half a heel-to-ball length ahead, and a heel in contact to the back of the heel, a third
of it behind the ankle (shares of foot length as in Winter 2009, fig. 4.1: foot 0.152 of the height, its width 0.055). A
foot without toes has a square of its width under its sole point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kinesphere import _native
from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.body.ground import leg_length, require_joint, sole_paths, sole_points
from kinesphere.body.require_roles import require_motion_roles, require_roles
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms, unit
from kinesphere.motion.humanoid import REQUIRED, SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

# Percent of the whole body, (female + male) / 2: de Leva's table 4.
PERCENT = {
    "head": (6.68 + 6.94) / 2,
    "upper trunk": (15.45 + 15.96) / 2,
    "middle trunk": (14.65 + 16.33) / 2,
    "lower trunk": (12.47 + 11.17) / 2,
    "upper arm": (2.55 + 2.71) / 2,
    "forearm": (1.38 + 1.62) / 2,
    "hand": (0.56 + 0.61) / 2,
    "thigh": (14.78 + 14.16) / 2,
    "shank": (4.81 + 4.33) / 2,
    "foot": (1.29 + 1.37) / 2,
}
# Centres as shares of the bone from its upper to its lower end: de Leva's table 4, joint centres.
ALONG = {
    "upper arm": (0.5754 + 0.5772) / 2,
    "forearm": (0.4559 + 0.4574) / 2,
    "thigh": (0.3612 + 0.4095) / 2,
    "shank": (0.4352 + 0.4395) / 2,
}
# Trunk centres as shares of the line from mid-hip to the base of the neck (cervicale), from the male lengths
# of table 4 (242.1 upper, 215.5 middle and 145.7 mm lower trunk) and each part's own centre.
TRUNK = {"lower trunk": 0.094, "middle trunk": 0.438, "upper trunk": 0.797}
HEAD = 0.201  # trunk lengths above the base of the neck: half of 242.9 mm from there to the vertex, over 603.3 mm
HAND = 0.25  # forearm lengths beyond the wrist: 0.79 of 86.2 mm to the third knuckle, over 268.9 mm
FOOT = 0.44  # of the line from ankle to ball: 0.44 of the foot's length from the heel, ankle at 0.22, ball at 0.72
WIDTH = 0.11  # of a foot, in leg lengths
TOES, BACK = 0.5, 0.33  # heel-to-ball lengths ahead of the ball and behind the heel
NEEDED = tuple(role for role in REQUIRED if role != "spine")


class Segment(NamedTuple):
    """A rigid part of the body with its share of the mass."""

    name: str
    mass: float  # share of the whole body's
    joint: int  # that carries it
    offset: Floats  # (3,) its centre in that joint's frame


def segments(skeleton: Skeleton) -> tuple[Segment, ...]:
    """The body's segments on this skeleton, masses summing to 1."""
    skeleton = require_roles(skeleton, NEEDED, "the body's mass")
    q, p = skeleton.rest_world()
    parts = _trunk(skeleton, p)
    for side in SIDES:
        parts += _limbs(skeleton, side, p)
    percent = [PERCENT[name.removeprefix("left ").removeprefix("right ")] for name, _, _ in parts]
    total = sum(percent)
    return tuple(
        Segment(name, mass / total, joint, rotations.rotate(rotations.conjugate(q[joint]), centre - p[joint]))
        for (name, joint, centre), mass in zip(parts, percent, strict=True)
    )


def centre_of_mass(motion: Motion) -> Floats:
    """``(T, 3)`` the body's centre of mass in the world."""
    motion = require_motion_roles(motion, NEEDED, "the centre of mass")
    parts = segments(motion.skeleton)
    q, p = motion.world()
    joints = [part.joint for part in parts]
    centres = p[:, joints] + rotations.rotate(q[:, joints], np.array([part.offset for part in parts]))
    centre: Floats = np.einsum("s,tsi->ti", np.array([part.mass for part in parts]), centres)
    return centre


def _trunk(skeleton: Skeleton, p: Floats) -> list[tuple[str, int, Floats]]:
    """Name, joint and centre at rest of the trunk's segments and the head; ``p (J, 3)`` are rest positions."""
    roles = skeleton.roles
    hips, head = require_joint(skeleton, "hips"), require_joint(skeleton, "head")
    bottom, shoulders = (
        0.5 * (p[require_joint(skeleton, f"left{part}")] + p[require_joint(skeleton, f"right{part}")])
        for part in ("UpperLeg", "UpperArm")
    )
    top = p[roles["neck"]] if "neck" in roles else shoulders
    upper = next((roles[role] for role in ("upperChest", "chest", "spine") if role in roles), hips)
    up = unit(p[head] - top) if np.linalg.norm(p[head] - top) > 1e-9 else np.array([0.0, 1.0, 0.0])
    length = float(np.linalg.norm(top - bottom))
    joints = {"lower trunk": hips, "middle trunk": roles.get("spine", hips), "upper trunk": upper}
    parts = [(name, joints[name], bottom + share * (top - bottom)) for name, share in TRUNK.items()]
    return [*parts, ("head", head, top + HEAD * length * up)]


def _limbs(skeleton: Skeleton, side: str, p: Floats) -> list[tuple[str, int, Floats]]:
    """Name, joint and centre at rest of the segments of one side's arm and leg."""
    shoulder, elbow, wrist, hip, knee, ankle = (
        require_joint(skeleton, f"{side}{part}")
        for part in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot")
    )
    bones = {"upper arm": (shoulder, elbow), "forearm": (elbow, wrist), "thigh": (hip, knee), "shank": (knee, ankle)}
    parts = [(f"{side} {name}", a, p[a] + ALONG[name] * (p[b] - p[a])) for name, (a, b) in bones.items()]
    forearm = p[wrist] - p[elbow]
    knuckle, toes = (skeleton.roles.get(f"{side}{part}") for part in ("MiddleProximal", "Toes"))
    direction = unit(forearm if knuckle is None else p[knuckle] - p[wrist])
    parts.append((f"{side} hand", wrist, p[wrist] + HAND * float(np.linalg.norm(forearm)) * direction))
    under = np.array([0.0, -0.04 * leg_length(skeleton), 0.0])
    parts.append((f"{side} foot", ankle, p[ankle] + (under if toes is None else FOOT * (p[toes] - p[ankle]))))
    return parts


# Support


@dataclass(frozen=True, eq=False)
class Support:
    """Where the body is held up, in every frame."""

    corners: Floats  # (T, C, 2) x and z of every foot's corners
    in_contact: Bools  # (T, C) which of them are on the ground
    margin: Floats  # (T,) metres from the centre of mass, seen from above, to the edge; < 0 outside, NaN in the air

    def polygon(self, frame: int) -> Floats:
        """``(N, 2)`` x and z of the support polygon's corners, counter-clockwise; none in the air."""
        return convex_hull(self.corners[frame][self.in_contact[frame]])


def support_polygon(motion: Motion, contacts: Contacts | None = None) -> Support:
    """Support polygon, and signed margin of the centre of mass, in every frame.

    Contacts that are not given are found. Frames without any, calibration frames among them, have no polygon.
    """
    motion = require_motion_roles(motion, NEEDED, "the support polygon")
    labels = (find_contacts(motion) if contacts is None else contacts).labels
    corners, in_contact = foot_corners(motion.skeleton, sole_paths(motion, sole_points(motion.skeleton)), labels)
    return Support(corners, in_contact, support_margins(corners, in_contact, centre_of_mass(motion)[:, [0, 2]]))


def support_margins(corners: Floats, in_contact: Bools, points: Floats) -> Floats:
    """``(T,)`` signed distances of points ``(T, 2)`` from the edge of the hulls of corners: positive inside.

    A convex shape lies below ``max corner · d`` in every direction d, and the distance from its edge is the least of
    ``max corner · d − point · d`` over all of them, inside and outside. The least is found perpendicular to an edge or
    in the direction from a corner to the point, so these directions are enough.
    """
    margins = np.full(len(points), np.nan)
    at, wanted = (np.ascontiguousarray(own, dtype=np.float64) for own in (corners, points))
    _native.mass.support_margins(at, np.ascontiguousarray(in_contact, dtype=np.bool_), wanted, margins)
    return margins


def convex_hull(points: Floats) -> Floats:
    """Corners of the convex hull of points ``(N, 2)``, counter-clockwise (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered

    def half(rows: list[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for row in rows:
            while len(chain) > 1 and _signed_area(chain[-2], chain[-1], row) <= 0.0:
                chain.pop()
            chain.append(row)
        return chain[:-1]

    rows = ordered.tolist()
    return np.array(half(rows) + half(rows[::-1]))


def _signed_area(a: list[float], b: list[float], c: list[float]) -> float:
    """Twice the area of a triangle, positive where it is counter-clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def foot_corners(skeleton: Skeleton, soles: Floats, labels: Mapping[str, Bools]) -> tuple[Floats, Bools]:
    """``(T, C, 2)`` corners of both feet's soles on the ground, and which of them are in contact ``(T, C)``.

    ``soles (T, P, 3)`` are the paths of the sole points, ``labels`` says by their names when they are in contact.
    """
    points = sole_points(skeleton)
    paths = soles[..., [0, 2]]
    half = 0.5 * WIDTH * leg_length(skeleton)
    corners, in_contact = [], []
    for side in SIDES:
        own = [i for i, point in enumerate(points) if point.side == side]
        # From heel to ball, whose ends are in units of its length; without toes ahead is one metre long.
        ahead = paths[:, own[1]] - paths[:, own[0]] if len(own) == 2 else np.tile([0.0, 1.0], (len(paths), 1))
        length = norms(ahead)[:, None]
        along = ahead / np.maximum(length, 1e-9)
        across = half * np.stack([along[:, 1], -along[:, 0]], axis=1)
        for i in own:
            near, far = {"heel": (0.0, -BACK), "ball": (0.0, TOES), "sole": (-half, half)}[points[i].point]
            for end in (near * length, far * length):
                for sideways in (across, -across):
                    corners.append(paths[:, i] + end * along + sideways)
                    in_contact.append(labels[points[i].name])
    return np.stack(corners, axis=1), np.stack(in_contact, axis=1)


AnyArray: TypeAlias = np.ndarray[Any, np.dtype[Any]]
OUTER = (2, 3, 6, 7, 10, 11, 14, 15)  # of the corners of two soles with heel and ball: behind heels, ahead of balls


def outer_corners(corners: AnyArray) -> AnyArray:
    """``(T, C / 2, ...)`` the outer ones of corners ``(T, C, ...)`` of whole soles, which span the same hull.

    Of soles without heel and ball all are.
    """
    return np.ascontiguousarray(corners[:, OUTER]) if corners.shape[1] == 2 * len(OUTER) else corners
