"""The body's mass: segments, their shares, and the centre of mass.

Shares and places are those of de Leva (1996), "Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters",
J. Biomechanics 29(9), table 4: the mean of his female and male columns, made to sum to 1.
Each segment's centre is a point fixed in one joint, found at rest, so bone lengths and rest axes may be any.

Missing roles fold into their neighbours: without chest or upper chest, what they would carry moves with the
next trunk joint below; without a neck, the head's begins at the shoulders; without toes the foot's centre is under the
ankle; without hands, their mass is at the wrist's end of the forearm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.bodies import motion_with_roles, with_roles
from kinesphere.body.ground import joint, leg_length
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
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
    skeleton = with_roles(skeleton, NEEDED, "the body's mass")
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
    motion = motion_with_roles(motion, NEEDED, "the centre of mass")
    parts = segments(motion.skeleton)
    q, p = motion.world()
    carriers = [part.joint for part in parts]
    centres = p[:, carriers] + rotations.rotate(q[:, carriers], np.array([part.offset for part in parts]))
    centre: Floats = np.einsum("s,tsi->ti", np.array([part.mass for part in parts]), centres)
    return centre


def _trunk(skeleton: Skeleton, place: Floats) -> list[tuple[str, int, Floats]]:
    """Name, carrying joint and centre at rest of the trunk's parts and the head."""
    roles = skeleton.roles
    hips = joint(skeleton, "hips")
    bottom = 0.5 * (place[joint(skeleton, "leftUpperLeg")] + place[joint(skeleton, "rightUpperLeg")])
    shoulders = 0.5 * (place[joint(skeleton, "leftUpperArm")] + place[joint(skeleton, "rightUpperArm")])
    head = joint(skeleton, "head")
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
        joint(skeleton, f"{side}{part}") for part in ("UpperArm", "LowerArm", "UpperLeg", "LowerLeg", "Foot")
    )
    wrist = joint(skeleton, f"{side}Hand")
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
