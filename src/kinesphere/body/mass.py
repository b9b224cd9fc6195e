"""The body's mass: segments, their shares, and the centre of mass.

Shares and places are those of de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
J. Biomechanics 29(9), table 4: the mean of his female and male columns, made to sum to 1.
Each segment's centre is a point fixed in one joint, found at rest, so bone lengths and rest axes may be any.

Missing roles fold into their neighbours: without chest or upper chest, what they would carry moves with the
next trunk joint below; without a neck, the head's begins at the shoulders; without toes the foot's centre is under the
ankle; without hands, their mass is at the wrist's end of the forearm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.body.ground import leg_length, require_joint, sole_paths, sole_points
from kinesphere.body.require_roles import require_motion_roles, require_roles
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats
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
# Where the centre is, as a share of the way from the upper to the lower end: de Leva's table 4, joint centres.
ALONG = {
    "upper arm": (0.5754 + 0.5772) / 2,
    "forearm": (0.4559 + 0.4574) / 2,
    "thigh": (0.3612 + 0.4095) / 2,
    "shank": (0.4352 + 0.4395) / 2,
}
# Trunk centres as shares of the way from mid-hip to the base of the neck (cervicale), from the male lengths
# of table 4 (242.1 upper, 215.5 middle and 145.7 mm lower trunk) and each part's own centre.
TRUNK = {"lower trunk": 0.094, "middle trunk": 0.438, "upper trunk": 0.797}
HEAD = 0.201  # trunk lengths above the base of the neck: half of 242.9 mm from there to the vertex, over 603.3 mm
HAND = 0.25  # forearm lengths beyond the wrist: 0.79 of 86.2 mm to the third knuckle, over 268.9 mm
FOOT = 0.44  # of the way from ankle to ball: 0.44 of the foot's length from the heel, ankle at 0.22, ball at 0.72
NEEDED = tuple(role for role in REQUIRED if role != "spine")


class Segment(NamedTuple):
    """A part of the body with its share of the mass."""

    name: str
    mass: float  # share of the whole
    joint: int  # that carries it
    offset: Floats  # (3,) its centre in that joint's frame


def segments(skeleton: Skeleton) -> tuple[Segment, ...]:
    """The body's segments on this skeleton, masses summing to 1."""
    skeleton = require_roles(skeleton, NEEDED, "the body's mass")
    turned, place = skeleton.rest_world()
    parts = [*_trunk(skeleton, place)]
    for side in SIDES:
        parts += _limbs(skeleton, side, place)
    total = sum(PERCENT[name.removeprefix("left ").removeprefix("right ")] for name, _, _ in parts)
    return tuple(
        Segment(
            name,
            PERCENT[name.removeprefix("left ").removeprefix("right ")] / total,
            carrier,
            rotations.rotate(rotations.conjugate(turned[carrier]), centre - place[carrier]),
        )
        for name, carrier, centre in parts
    )


def centre_of_mass(motion: Motion) -> Floats:
    """``(T, 3)`` the body's centre of mass in the world."""
    motion = require_motion_roles(motion, NEEDED, "the centre of mass")
    parts = segments(motion.skeleton)
    q, p = motion.world()
    carriers = [part.joint for part in parts]
    centres = p[:, carriers] + rotations.rotate(q[:, carriers], np.array([part.offset for part in parts]))
    centre: Floats = np.einsum("s,tsi->ti", np.array([part.mass for part in parts]), centres)
    return centre


def _trunk(skeleton: Skeleton, place: Floats) -> list[tuple[str, int, Floats]]:
    """Name, carrying joint and centre at rest of the trunk's parts and the head."""
    roles = skeleton.roles
    hips = require_joint(skeleton, "hips")
    bottom = 0.5 * (place[require_joint(skeleton, "leftUpperLeg")] + place[require_joint(skeleton, "rightUpperLeg")])
    shoulders = 0.5 * (place[require_joint(skeleton, "leftUpperArm")] + place[require_joint(skeleton, "rightUpperArm")])
    head = require_joint(skeleton, "head")
    top = place[roles["neck"]] if "neck" in roles else shoulders
    middle = roles.get("spine", hips)
    upper = next((roles[role] for role in ("upperChest", "chest", "spine") if role in roles), hips)
    up = place[head] - top
    up = up / np.linalg.norm(up) if np.linalg.norm(up) > 1e-9 else np.array([0.0, 1.0, 0.0])
    length = float(np.linalg.norm(top - bottom))
    carriers = {"lower trunk": hips, "middle trunk": middle, "upper trunk": upper}
    parts = [(name, carriers[name], bottom + share * (top - bottom)) for name, share in TRUNK.items()]
    return [*parts, ("head", head, top + HEAD * length * up)]


def _limbs(skeleton: Skeleton, side: str, place: Floats) -> list[tuple[str, int, Floats]]:
    roles = skeleton.roles
    shoulder, elbow, hip, knee, ankle = (
        require_joint(skeleton, f"{side}{part}") for part in ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Foot")
    )
    wrist = require_joint(skeleton, f"{side}Hand")
    parts = []
    for name, start, end in (
        ("upper arm", shoulder, elbow),
        ("forearm", elbow, wrist),
        ("thigh", hip, knee),
        ("shank", knee, ankle),
    ):
        parts.append((f"{side} {name}", start, place[start] + ALONG[name] * (place[end] - place[start])))
    forearm = place[wrist] - place[elbow]
    knuckle = roles.get(f"{side}MiddleProximal")
    beyond = place[knuckle] - place[wrist] if knuckle is not None else forearm
    way = float(np.linalg.norm(beyond))
    reach = HAND * float(np.linalg.norm(forearm))
    parts.append((f"{side} hand", wrist, place[wrist] + (reach / way * beyond if way > 1e-9 else 0.0)))
    toes = roles.get(f"{side}Toes")
    under = np.array([0.0, -0.04 * leg_length(skeleton), 0.0])
    parts.append(
        (f"{side} foot", ankle, place[ankle] + (FOOT * (place[toes] - place[ankle]) if toes is not None else under))
    )
    return parts


# ---- What the body stands on, and how far its centre of mass is from the edge of it.
#
# A foot's planted points are taken to be as wide as the foot: 0.11 of the leg's length (9 cm for a person of 1.7 m),
# half of it to each side, square to the way from heel to ball as seen from above. A planted ball reaches on to the
# tip of the toes, half a heel-to-ball length ahead, and a planted heel to the back of the heel, a third of it behind
# the
# ankle (shares of foot length as in Winter 2009, fig. 4.1: foot 0.152 of the height, its width 0.055).
# A foot without toes has a square of its width under its sole point.


WIDTH = 0.11  # leg lengths
TOES, BACK = 0.5, 0.33  # heel-to-ball lengths ahead of the ball and behind the heel


@dataclass(frozen=True, eq=False)
class Support:
    """Where the body is held up."""

    corners: Floats  # (T, C, 2) x and z of every foot's corners
    planted: Bools  # (T, C) which of them hold
    margin: (
        Floats  # (T,) metres from the centre of mass, seen from above, to the edge; negative outside, NaN in the air
    )

    def polygon(self, frame: int) -> Floats:
        """``(N, 2)`` x and z of the support polygon's corners, counter-clockwise; none in the air."""
        return convex_hull(self.corners[frame][self.planted[frame]])


def support_polygon(motion: Motion, plants: Contacts | None = None) -> Support:
    """Support polygon, and signed margin of the centre of mass, in every frame.

    Plants left out are found. Frames without a plant, calibration frames among them, have no polygon.
    """
    motion = require_motion_roles(motion, NEEDED, "the support polygon")
    plants = find_contacts(motion) if plants is None else plants
    corners, planted = _corners(motion, plants)
    return Support(corners, planted, support_margins(corners, planted, centre_of_mass(motion)[:, [0, 2]]))


def support_margins(corners: Floats, planted: Bools, points: Floats) -> Floats:
    """``(T,)`` signed distances of points ``(T, 2)`` from the hulls of the planted corners: positive inside.

    A convex shape lies below ``max corner · d`` in every direction d, and the distance from its edge is the least of
    ``max corner · d − point · d`` over all of them, inside and outside. It is reached square to an edge or
    along the way from a corner to the point, so these directions are enough.
    """
    result = np.full(len(points), np.nan)
    first, second = np.triu_indices(corners.shape[1], 1)
    frames = np.flatnonzero(planted.any(axis=1))
    for block in np.array_split(frames, max(len(frames) // 256, 1)):
        if not len(block):
            continue
        at = corners[block]
        edge = at[:, second] - at[:, first]
        normal = np.stack([edge[..., 1], -edge[..., 0]], axis=-1)
        ways = np.concatenate([normal, -normal, points[block, None] - at], axis=1)
        length = np.linalg.norm(ways, axis=-1, keepdims=True)
        ways = np.where(length > 1e-12, ways / np.maximum(length, 1e-12), [1.0, 0.0])
        along = np.einsum("tdi,tci->tdc", ways, at)
        edges = np.where(planted[block][:, None], along, -np.inf).max(axis=-1)
        result[block] = (edges - np.einsum("tdi,ti->td", ways, points[block])).min(axis=-1)
    return result


def convex_hull(points: Floats) -> Floats:
    """Corners of the convex hull of points ``(N, 2)``, counter-clockwise (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered

    def half(rows: list[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for row in rows:
            while len(chain) > 1 and _left_turn(chain[-2], chain[-1], row) <= 0.0:
                chain.pop()
            chain.append(row)
        return chain[:-1]

    rows = ordered.tolist()
    return np.array(half(rows) + half(rows[::-1]))


def _corners(motion: Motion, plants: Contacts) -> tuple[Floats, Bools]:
    """``(T, C, 2)`` corners of both feet's points on the ground, and which of them are planted ``(T, C)``."""
    points = sole_points(motion.skeleton)
    paths = sole_paths(motion, points)[..., [0, 2]]
    labels, half = plants.labels, 0.5 * WIDTH * leg_length(motion.skeleton)
    corners, planted = [], []
    for side in SIDES:
        own = [i for i, point in enumerate(points) if point.side == side]
        if len(own) == 2:
            ahead = paths[:, own[1]] - paths[:, own[0]]
            length = np.linalg.norm(ahead, axis=1, keepdims=True)
        else:
            ahead, length = np.tile([0.0, 1.0], (len(motion), 1)), np.zeros((len(motion), 1))
        along = ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9)
        across = half * np.stack([along[:, 1], -along[:, 0]], axis=1)
        for i in own:
            name = points[i].point
            reach = {"heel": -BACK * length, "ball": TOES * length, "sole": np.full(length.shape, half)}[name]
            near = -half if name == "sole" else 0.0
            for end in (near, reach):
                for way in (across, -across):
                    corners.append(paths[:, i] + end * along + way)
                    planted.append(labels[points[i].name])
    return np.stack(corners, axis=1), np.stack(planted, axis=1)


def _left_turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
