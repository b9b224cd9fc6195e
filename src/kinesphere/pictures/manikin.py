"""Placeholder body mesh: a manikin around the bones of a skeleton that has no mesh.

A tube for the trunk, rounded limbs, balls for joints and an ellipsoid for the head, sized by the skeleton's height.
Triangles turn counter-clockwise seen from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.character import WHITE, Character, Mesh
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Skeleton
from kinesphere.pictures.bones import Bone, StickFigure, rest_bone_points, stick_figure
from kinesphere.pictures.scene import facing_directions

ROUND = 16  # vertices around a tube


@dataclass
class MeshBuilder:
    """Vertices and triangles of one colour, as they are gathered."""

    positions: list[Floats] = field(default_factory=list)
    triangles: list[Ints] = field(default_factory=list)
    joints: list[Ints] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    count: int = 0

    def add(self, points: Floats, triangles: Ints, joints: Ints | tuple[int, int], share: Floats | float = 0.0) -> None:
        """Add a closed piece, bound to the first joint, and by weights ``share`` to the second."""
        size = len(points)
        second = np.broadcast_to(np.asarray(share, dtype=np.float64), (size,))
        self.positions.append(points)
        self.triangles.append(triangles + self.count)
        self.joints.append(np.broadcast_to(np.asarray(joints, dtype=np.intp), (size, 2)))
        self.weights.append(np.stack([1.0 - second, second], axis=1))
        self.count += size

    def mesh(self, skeleton: Skeleton, name: str, colour: tuple[float, float, float, float]) -> Mesh:
        """All pieces, bound to the skeleton at rest."""
        parts = (np.concatenate(part) for part in (self.positions, self.triangles, self.joints, self.weights))
        return Mesh.bound(skeleton, *parts, name=name, colour=colour)


def limb_mesh(start: Floats, end: Floats, wide: Floats, deep: Floats, across: Floats) -> tuple[Floats, Ints, Floats]:
    """A rounded body along a line: half widths along ``across`` and perpendicular to it, evenly spaced over the length.

    Both ends are closed by half an ellipsoid. Also returns the share of the length of each vertex.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    one, other = perpendicular_pair(along / length, across)
    bend = np.linspace(0.0, 0.5 * np.pi, 5)[1:-1]
    caps = [min(float(wide[k]), float(deep[k])) * 0.8 / length for k in (0, -1)]
    place = np.concatenate([-caps[0] * np.cos(bend), np.linspace(0.0, 1.0, len(wide)), 1.0 + caps[1] * np.sin(bend)])
    sizes = [np.concatenate([r[0] * np.sin(bend), r, r[-1] * np.cos(bend)]) for r in (wide, deep)]
    rings = start + place[:, None, None] * along + _ring(sizes[0], sizes[1], one, other)
    ends = np.stack([start - caps[0] * along, end + caps[1] * along])
    points = np.concatenate([rings.reshape(-1, 3), ends])
    return points, tube_triangles(len(place)), np.concatenate([np.repeat(place, ROUND), [0.0, 1.0]])


def tube_mesh(centres: Floats, wide: Floats, deep: Floats, across: Floats) -> tuple[Floats, Ints]:
    """A closed tube of ellipses about centres ``(N, 3)``, their wide axis as near to ``across`` as can be."""
    axis = centres[-1] - centres[0]
    one, other = perpendicular_pair(axis / max(float(np.linalg.norm(axis)), 1e-9), across)
    rings = centres[:, None] + _ring(wide, deep, one, other)
    return np.concatenate([rings.reshape(-1, 3), centres[[0, -1]]]), tube_triangles(len(centres))


def ellipsoid_mesh(centre: Floats, up: Floats, left: Floats, radii: tuple[float, float, float]) -> tuple[Floats, Ints]:
    """An ellipsoid: half sizes up, left and ahead."""
    lift = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 11)[1:-1]
    flat = np.cos(lift)
    centres = centre + np.sin(lift)[:, None] * radii[0] * up
    rings = centres[:, None] + _ring(radii[1] * flat, radii[2] * flat, left, np.cross(up, left))
    ends = np.stack([centre - radii[0] * up, centre + radii[0] * up])
    return np.concatenate([rings.reshape(-1, 3), ends]), tube_triangles(len(lift))


def tube_triangles(rings: int) -> Ints:
    """Triangles of a closed tube whose two end points come last."""
    i, k = np.meshgrid(np.arange(rings - 1), np.arange(ROUND), indexing="ij")
    a, b = i * ROUND + k, i * ROUND + (k + 1) % ROUND
    c, d = a + ROUND, b + ROUND
    sides = np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], axis=2).reshape(-1, 3)
    around = np.arange(ROUND)
    first, last, top = rings * ROUND, rings * ROUND + 1, (rings - 1) * ROUND
    below = np.stack([np.full(ROUND, first), (around + 1) % ROUND, around], axis=-1)
    above = np.stack([np.full(ROUND, last), top + around, top + (around + 1) % ROUND], axis=-1)
    return np.concatenate([sides, below, above]).astype(np.intp)


def perpendicular_pair(direction: Floats, across: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors perpendicular to a direction and to each other, the first as near to ``across`` as can be."""
    one = across - (across @ direction) * direction
    if np.linalg.norm(one) < 0.3:
        one = np.cross(direction, [0.0, 0.0, 1.0] if abs(direction[2]) < 0.8 else [0.0, 1.0, 0.0])
    one = one / np.linalg.norm(one)
    return one, np.cross(direction, one)


def _ring(wide: Floats, deep: Floats, one: Floats, other: Floats) -> Floats:
    """``(N, ROUND, 3)`` ellipses."""
    angle = np.arange(ROUND) * 2.0 * np.pi / ROUND
    ellipses: Floats = (
        wide[:, None, None] * np.cos(angle)[:, None] * one + deep[:, None, None] * np.sin(angle)[:, None] * other
    )
    return ellipses


# The manikin


JOINTS = (0.33, 0.205, 0.11, 1.0)  # linear: darker wood
_RINGS = 9  # along a limb

# Radii in body heights at shares of a bone's length, by the role of the joint it starts from.
_PROFILES: dict[str, tuple[tuple[float, float], ...]] = {
    "UpperArm": ((0.0, 0.022), (0.3, 0.027), (1.0, 0.018)),
    "LowerArm": ((0.0, 0.017), (0.25, 0.022), (1.0, 0.0125)),
    "UpperLeg": ((0.0, 0.037), (0.25, 0.046), (1.0, 0.026)),
    "LowerLeg": ((0.0, 0.024), (0.3, 0.032), (1.0, 0.016)),
    "Foot": ((0.0, 0.021), (0.6, 0.024), (1.0, 0.020)),
    "Toes": ((0.0, 0.020), (1.0, 0.011)),
}
_BALLS = {"UpperArm": 0.029, "LowerArm": 0.022, "Hand": 0.0155, "UpperLeg": 0.046, "LowerLeg": 0.0305, "Foot": 0.022}
_FINGER, _NECK = ((0.0, 0.0075), (1.0, 0.0055)), ((0.0, 0.026), (1.0, 0.024))
_OTHER, _OUT = ((0.0, 0.020), (0.3, 0.022), (1.0, 0.014)), ((0.0, 0.030), (1.0, 0.027))
# Half widths across and from front to back, in body heights, in even steps from the hip joints to the shoulders' line
# and one step beyond.
_TRUNK = np.array(
    [
        [0.030, 0.026],
        [0.078, 0.056],
        [0.084, 0.060],
        [0.072, 0.054],
        [0.066, 0.051],
        [0.074, 0.056],
        [0.088, 0.062],
        [0.097, 0.064],
        [0.096, 0.060],
        [0.074, 0.048],
        [0.030, 0.028],
    ]
)
_SHOULDERS = 9  # the step on the shoulders' line


@dataclass(frozen=True, eq=False)
class _ManikinPlan:
    """The body that is to be built."""

    skeleton: Skeleton
    figure: StickFigure
    rest: Floats  # joints and tips
    left: Floats  # (3,)
    parts: dict[int, str]  # roles of joints, without their side
    trunk: tuple[int, ...]  # from the hips to where the arms leave
    neck: frozenset[int]  # from there to the head

    @property
    def height(self) -> float:
        return self.figure.height


def manikin(skeleton: Skeleton) -> Character:
    """A character with a simple body around the bones, sized by the skeleton's height."""
    plan = _plan(skeleton)
    wood, balls = MeshBuilder(), MeshBuilder()
    if plan.trunk:
        _add_trunk(wood, plan)
    for bone in plan.figure.bones:
        if not {bone.start, bone.end} <= set(plan.trunk):
            _add_bone(wood, plan, bone)
    for hand in plan.figure.hands:
        _add_palm(wood, plan, hand)
    for joint, part in plan.parts.items():
        if part in _BALLS:
            _add_ball(balls, plan.rest[joint], _BALLS[part] * plan.height, joint)
    for head in plan.figure.heads:
        _add_head(wood, plan, head.joint, head.top)
    if not wood.count:
        _add_ball(wood, plan.rest[plan.figure.base], 0.1 * plan.height, plan.figure.base)
    meshes = [wood.mesh(skeleton, "wood", WHITE)]
    if balls.count:
        meshes.append(balls.mesh(skeleton, "joints", JOINTS))
    return Character("manikin", skeleton, tuple(meshes))


def _plan(skeleton: Skeleton) -> _ManikinPlan:
    figure, rest = stick_figure(skeleton), rest_bone_points(skeleton)
    ahead = facing_directions(rest[None], figure)[0]
    ahead = ahead if ahead.any() else np.array([0.0, 0.0, 1.0])
    parts = {}
    for role, joint in skeleton.roles.items():
        parts[joint] = role.removeprefix(SIDES[0]).removeprefix(SIDES[1])
    trunk, neck = _spine(skeleton, figure)
    return _ManikinPlan(skeleton, figure, rest, np.cross([0.0, 1.0, 0.0], ahead), parts, trunk, neck)


def _spine(skeleton: Skeleton, figure: StickFigure) -> tuple[tuple[int, ...], frozenset[int]]:
    """The joints from the hips to the last one above an arm, and those from there to the head."""
    if "head" not in skeleton.roles:
        return (), frozenset()
    chain = _chain(skeleton, skeleton.roles["head"], figure.base)
    arms = [skeleton.roles[f"{side}UpperArm"] for side in SIDES if f"{side}UpperArm" in skeleton.roles]
    shared = [i for arm in arms for i, joint in enumerate(chain) if joint in _chain(skeleton, arm, figure.base)]
    if not shared or max(shared) < 1:
        return (), frozenset(chain)
    return tuple(chain[: max(shared) + 1]), frozenset(chain[max(shared) :])


def _chain(skeleton: Skeleton, joint: int, base: int) -> list[int]:
    """The joints from the base to a joint; empty where it is not below it."""
    chain = [joint]
    while chain[-1] != base and skeleton.parents[chain[-1]] >= 0:
        chain.append(int(skeleton.parents[chain[-1]]))
    return chain[::-1] if chain[-1] == base else []


def _add_trunk(parts: MeshBuilder, plan: _ManikinPlan) -> None:
    """One tube from below the hip joints to above the shoulders, which bends with the spine."""
    spine, rest = plan.rest[list(plan.trunk)], plan.rest
    up = spine[-1] - spine[0]
    up = up / max(float(np.linalg.norm(up)), 1e-9)
    roles = plan.skeleton.roles
    legs = [rest[roles[f"{side}UpperLeg"]] for side in SIDES if f"{side}UpperLeg" in roles]
    arms = [rest[roles[f"{side}UpperArm"]] for side in SIDES if f"{side}UpperArm" in roles]
    heights = (spine - spine[0]) @ up
    low = float(np.mean([(leg - spine[0]) @ up for leg in legs])) - 0.02 * plan.height if legs else 0.0
    high = float(np.mean([(arm - spine[0]) @ up for arm in arms]))
    high = max(high, low + 0.1 * plan.height)
    steps = np.linspace(0.0, len(_TRUNK) - 1.0, 28)
    at = low + (high - low) * steps / _SHOULDERS
    centres = np.stack([np.interp(at, heights, spine[:, k]) for k in range(3)], axis=1)
    beyond = at - np.clip(at, heights[0], heights[-1])
    centres += beyond[:, None] * up
    # Slim where the skeleton is: the trunk is not wider than its shoulders.
    shoulder_width = float(np.linalg.norm(arms[0] - arms[-1])) if len(arms) > 1 else 0.24 * plan.height
    slim = float(np.clip(shoulder_width / (0.21 * plan.height), 0.7, 1.25))
    sizes = resample_vectors(_TRUNK, steps) * plan.height * [slim, 0.5 + 0.5 * slim]
    points, triangles = tube_mesh(centres, sizes[:, 0], sizes[:, 1], plan.left)
    carriers, shares = _trunk_weights(np.array(plan.trunk), heights, at)
    ends = [0, len(at) - 1]
    joints = np.concatenate([np.repeat(carriers, ROUND, axis=0), carriers[ends]])
    parts.add(points, triangles, joints, np.concatenate([np.repeat(shares, ROUND), shares[ends]]))


def _trunk_weights(chain: np.ndarray, heights: Floats, at: Floats) -> tuple[np.ndarray, Floats]:
    """For rings at some heights the two joints ``(N, 2)`` that they are bound to, and the weight of the second.

    In the middle of a bone its own joint has all the weight; towards its ends the neighbour has half.
    """
    bone = np.clip(np.searchsorted(heights, at, side="right") - 1, 0, len(chain) - 1)
    after = np.minimum(bone + 1, len(chain) - 1)
    length = np.maximum(heights[after] - heights[bone], 1e-9)
    along = np.where(after > bone, np.clip((at - heights[bone]) / length, 0.0, 1.0), 0.5)
    other = np.where(along < 0.5, np.maximum(bone - 1, 0), after)
    return np.stack([chain[bone], chain[other]], axis=1), np.abs(along - 0.5)


def _add_bone(parts: MeshBuilder, plan: _ManikinPlan, bone: Bone) -> None:
    start, end = plan.rest[bone.start], plan.rest[bone.end]
    length = float(np.linalg.norm(end - start))
    if length < 1e-4 * plan.height:
        return
    profile = np.array(_profile(plan, bone))
    wide = np.interp(np.linspace(0.0, 1.0, 3 if bone.thin else _RINGS), profile[:, 0], profile[:, 1]) * plan.height
    wide = np.minimum(wide, (0.3 if bone.thin else 0.6) * length)
    points, triangles, along = limb_mesh(start, end, wide, wide, plan.left)
    count, parents = len(plan.skeleton), plan.skeleton.parents
    if bone.end >= count or int(parents[bone.end]) == bone.start:
        parts.add(points, triangles, (bone.start, bone.start))
    else:  # between joints that move apart
        parts.add(points, triangles, (bone.start, bone.end), np.clip(along, 0.0, 1.0))


def _profile(plan: _ManikinPlan, bone: Bone) -> tuple[tuple[float, float], ...]:
    if bone.thin:
        return _FINGER
    if bone.start in plan.neck and bone.end in plan.neck:
        return _NECK
    if bone.start in plan.trunk or plan.parts.get(bone.start) == "Shoulder":
        return _OUT
    return _PROFILES.get(plan.parts.get(bone.start, ""), _OTHER)


def _add_palm(parts: MeshBuilder, plan: _ManikinPlan, hand: int) -> None:
    """A flat ellipsoid from the wrist towards the fingers, or on along the arm where there are none."""
    skeleton, wrist = plan.skeleton, plan.rest[hand]
    ends = [plan.rest[child] for child in skeleton.children[hand]]
    ends += [plan.rest[len(skeleton) + i] for i, tip in enumerate(skeleton.tips) if tip.joint == hand]
    above = int(skeleton.parents[hand])
    direction = np.mean(ends, axis=0) - wrist if ends else np.zeros(3)
    if np.linalg.norm(direction) < 0.01 * plan.height and above >= 0:
        direction = wrist - plan.rest[above]
    if np.linalg.norm(direction) < 1e-6 * plan.height:
        return
    direction = direction / np.linalg.norm(direction)
    upright = np.array([0.0, 1.0, 0.0]) if abs(direction[1]) < 0.8 else plan.left
    flat = np.cross(direction, upright)
    flat = flat / np.linalg.norm(flat)
    size = plan.height
    points, triangles = ellipsoid_mesh(
        wrist + 0.030 * size * direction, direction, flat, (0.036 * size, 0.022 * size, 0.0125 * size)
    )
    parts.add(points, triangles, (hand, hand))


def _add_ball(parts: MeshBuilder, centre: Floats, radius: float, joint: int) -> None:
    points, triangles = ellipsoid_mesh(
        centre, np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), (radius, radius, radius)
    )
    parts.add(points, triangles, (joint, joint))


def _add_head(parts: MeshBuilder, plan: _ManikinPlan, joint: int, top: int | None) -> None:
    """An ellipsoid, narrower below, with a small nose that shows where it faces."""
    tall, base = 0.13 * plan.height, plan.rest[joint]
    up = plan.rest[top] - base if top is not None else np.array([0.0, 1.0, 0.0])
    reach = float(np.clip(np.linalg.norm(up), 0.75 * tall, 1.2 * tall)) if top is not None else 0.9 * tall
    up = up / np.linalg.norm(up)
    left = plan.left - (plan.left @ up) * up
    left = left / np.linalg.norm(left) if np.linalg.norm(left) > 0.1 else np.cross(up, [0.0, 0.0, 1.0])
    ahead = np.cross(left, up)
    centre = base + (reach - 0.5 * tall) * up + 0.010 * plan.height * ahead
    points, triangles = ellipsoid_mesh(centre, up, left, (0.5 * tall, 0.335 * tall, 0.41 * tall))
    low = np.minimum((points - centre) @ up / (0.5 * tall), 0.0)[:, None]
    points = centre + (points - centre) * (1.0 - 0.20 * low**2) + 0.09 * tall * low**2 * ahead
    parts.add(points, triangles, (joint, joint))
    bridge = centre + 0.395 * tall * ahead - 0.07 * tall * up
    nose, triangles = ellipsoid_mesh(bridge, up, left, (0.10 * tall, 0.032 * tall, 0.05 * tall))
    parts.add(nose, triangles, (joint, joint))
