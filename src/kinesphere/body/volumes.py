"""How much room a character's body takes: ellipsoids in its trunk and head, and the skin of its hands, as points.

Read from the surface once, in a posture in which it is a body. An ellipsoid is fitted to the skin that the trunk's, or
the head's, joints carry, and made smaller until nearly all of that skin is outside of it: what is inside the ellipsoid
is surely inside the body. A ball's is the ball itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.ellipsoids import Shape, inscribed, outward
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import SIDES

MARGIN = 0.022  # arm lengths between skin and skin
SOFT = 0.02  # arm lengths over which moving begins
FLESH = 0.7  # of the forearm's radius that stays out
LEVERS = np.array([0.7, 1.0, 0.7, 0.4])  # points of an arm, two above and two below: how far they move with the elbow
SIGNS = (1.0, -1.0)  # left, right
SWINGS = tuple(np.radians([0.0, 25.0, -25.0]))  # how far a hanging arm swings
THICK = 0.75  # arm lengths from shoulder to front: no person's trunk or head is thicker
BESIDE = 0.9  # so much of a volume is beside hanging hands if these are meant to be beside it
SMALLEST = 0.3  # a volume so small is none
RAGGED = 2.0  # times the ellipsoid: where most of a skin is so far out, it has no such shape
SPREAD = 2000  # points that show a part's shape
FEELERS = 16  # points of a hand's skin
OWN = 0.6  # share of a vertex's weight that makes it a part's own


@dataclass(frozen=True, eq=False)
class Volume:
    """An ellipsoid that several joints carry, each its share, as they do the skin about it."""

    joints: Ints  # (n,)
    shares: Floats  # (n,) sum to one
    anchors: Floats  # (n, 3) the middle in each joint's frame
    turns: Floats  # (n, 4) from the ellipsoid's axes (left, up, forward) to each joint's
    radii: Floats  # (3,) metres

    def placed(self, world: Floats, places: Floats) -> Shape:
        """The ellipsoid in every frame, for joints turned ``(T, J, 4)`` and placed ``(T, J, 3)``."""
        turned = world[:, self.joints]
        middle = np.einsum("n,tni->ti", self.shares, places[:, self.joints] + rotations.rotate(turned, self.anchors))
        axes = rotations.multiply(turned, self.turns)
        signs = np.copysign(1.0, np.einsum("tni,ti->tn", axes, axes[:, 0]))
        mean = np.einsum("n,tn,tni->ti", self.shares, signs, axes)
        return Shape(middle, rotations.to_matrix(mean / np.linalg.norm(mean, axis=-1, keepdims=True)), self.radii)


@dataclass(frozen=True, eq=False)
class Feelers:
    """Points of a hand's skin, each on the joint that carries most of it."""

    joints: Ints  # (K,)
    anchors: Floats  # (K, 3) in the joint's frame
    reach: float  # metres from the wrist to the farthest of them, fingers straight


@dataclass(frozen=True, eq=False)
class Room:
    """What of a character must not go through what."""

    volumes: tuple[Volume, ...]
    hands: Mapping[str, Feelers]  # by side
    arms: Mapping[str, float]  # by side: the forearm's radius
    beside_hands: tuple[float, ...] = ()  # how much smaller each volume is taken, so that hanging hands are clear
    beside_arms: tuple[float, ...] = ()  # and hanging arms
    fronts: tuple[float, ...] = ()  # arm lengths from the shoulders to each volume's foremost point

    def passable(self) -> Room:
        """The volumes that are in the way of a person's motions, and that arms are made to go around.

        That is, thicker than any person's, but neither such that arms hang through them nor too large to reach around.
        """
        kept = [
            k
            for k, (beside, front) in enumerate(zip(self.beside_hands, self.fronts, strict=True))
            if beside > BESIDE and THICK < front < 1.0
        ]
        return replace(
            self,
            volumes=tuple(self.volumes[k] for k in kept),
            beside_hands=tuple(self.beside_hands[k] for k in kept),
            beside_arms=tuple(self.beside_arms[k] for k in kept),
            fronts=tuple(self.fronts[k] for k in kept),
        )


_read: WeakKeyDictionary[Character, Room] = WeakKeyDictionary()


def room(character: Character, body: Anatomy) -> Room:
    """The room that a character takes; nothing where no surface shows it."""
    if character not in _read:
        _read[character] = _room(character, body)
    return _read[character]


def _room(character: Character, body: Anatomy) -> Room:
    meshes = [mesh for mesh in character.meshes if len(mesh.triangles)]
    if not meshes:
        return Room((), MappingProxyType({}), MappingProxyType({}))
    points = np.concatenate([mesh.posed(body.posture.rotations, body.posture.positions) for mesh in meshes])
    shares = np.zeros((len(points), len(body.skeleton)))
    triangles, first = [], 0
    for mesh in meshes:
        rows = np.arange(first, first + len(mesh.positions))
        np.add.at(shares, (rows[:, None], mesh.joints), mesh.weights)
        triangles.append(mesh.triangles + first)
        first = int(rows[-1]) + 1
    volumes = _volumes(body, points, np.concatenate(triangles), shares)
    hands, arms = {}, {}
    for side in SIDES:
        found = _feelers(body, points, shares, side)
        if found is not None:
            hands[side], arms[side] = found, _forearm(body, points, shares, side)
    found_room = Room(volumes, MappingProxyType(hands), MappingProxyType(arms))
    return replace(
        found_room,
        beside_hands=tuple(_beside(found_room, body, volume, of_hands=True) for volume in volumes),
        beside_arms=tuple(_beside(found_room, body, volume, of_hands=False) for volume in volumes),
        fronts=tuple(_front(body, volume) for volume in volumes),
    )


def _front(body: Anatomy, volume: Volume) -> float:
    shape = volume.placed(body.posture.rotations[None], body.posture.positions[None])
    front = shape.middle[0] + shape.axes[0, :, 2] * volume.radii[2]
    roles = body.skeleton.roles
    ways = [
        np.linalg.norm(front - body.posture.positions[roles[f"{side}UpperArm"]]) / body.lengths[f"{side}Arm"]
        for side in SIDES
    ]
    return float(np.mean(ways))


def _beside(room_: Room, body: Anatomy, volume: Volume, *, of_hands: bool) -> float:
    """How large a volume may be taken so that arms that hang, and swing a little, are clear of it."""
    arm = float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))
    whole = volume.placed(body.posture.rotations[None], body.posture.positions[None])
    size = 1.0
    for sign, side in zip(SIGNS, SIDES, strict=True):
        for swing in SWINGS if side in room_.hands else ():
            hand, points = _hanging(room_.hands[side], body, side, swing)
            points, margin = (hand, MARGIN * arm) if of_hands else (points, FLESH * room_.arms[side])
            while size > SMALLEST and outward(whole.scaled(size), points, sign, margin, SOFT * arm).any():
                size *= 0.96
    return size


def _hanging(hand: Feelers, body: Anatomy, side: str, swing: float) -> tuple[Floats, Floats]:
    """Points ``(1, K, 3)`` of a hand and of its arm, straight down, or swung forward by an angle."""
    p, q, roles = body.posture.positions, body.posture.rotations, body.skeleton.roles
    start, elbow, wrist = (p[roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
    down = rotations.rotate(body.basis, np.array([0.0, -np.cos(swing), np.sin(swing)]))
    bend = start + np.linalg.norm(elbow - start) * down
    end = bend + np.linalg.norm(wrist - elbow) * down
    skin = p[hand.joints] + rotations.rotate(q[hand.joints], hand.anchors) - wrist
    turned = rotations.rotate(rotations.between(wrist - elbow, down), skin)
    return (end + turned)[None], arm_points(start[None, None], bend[None, None], end[None, None])[0]


def _volumes(body: Anatomy, points: Floats, triangles: Ints, shares: Floats) -> tuple[Volume, ...]:
    """Those of the trunk and of the head."""
    parts = [np.array(part) for part in ((body.skeleton.roles["hips"], *body.spine), body.neck) if part]
    seen = rotations.rotate(rotations.conjugate(body.basis), points)
    across = _seen(body, body.skeleton.roles["hips"])[0]
    mirror = np.array([-1.0, 1.0, 1.0]), np.array([2.0 * across, 0.0, 0.0])
    skins, owned = [], []
    for joints in parts:
        own = triangles[shares[:, joints].sum(axis=1)[triangles].mean(axis=1) > OWN]
        skin = _spread(seen, own)
        skins.append(np.concatenate([skin, skin * mirror[0] + mirror[1]]))  # a body is two halves
        owned.append(np.unique(own))
    shown = np.concatenate(skins)
    volumes = []
    for joints, skin, carried in zip(parts, skins, owned, strict=True):
        if not len(skin):
            continue
        middle, radii, ragged = inscribed(skin, shown)
        if ragged > RAGGED:
            continue
        q, p = body.posture.rotations[joints], body.posture.positions[joints]
        unturn = rotations.conjugate(q)
        weights = shares[carried][:, joints].sum(axis=0)
        volumes.append(
            Volume(
                joints,
                weights / weights.sum(),
                rotations.rotate(unturn, rotations.rotate(body.basis, middle) - p),
                rotations.multiply(unturn, body.basis),
                radii,
            )
        )
    return tuple(volumes)


def _seen(body: Anatomy, joint: int) -> Floats:
    """A joint's place ``(3,)`` in the body's axes."""
    return rotations.rotate(rotations.conjugate(body.basis), body.posture.positions[joint])


def _spread(points: Floats, triangles: Ints) -> Floats:
    """Points all over triangles, by their area: the corners of a box would say nothing about its sides."""
    if not len(triangles):
        return np.empty((0, 3))
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.cumsum(np.linalg.norm(np.cross(b - a, c - a), axis=1))
    if area[-1] <= 0.0:
        return np.empty((0, 3))
    # A sequence that fills the square evenly: the same points in every run.
    k = np.arange(SPREAD)
    at = np.searchsorted(area, (k + 0.5) / SPREAD * area[-1])
    u, v = np.mod(0.5 + k * 0.7548776662466927, 1.0), np.mod(0.5 + k * 0.5698402909980532, 1.0)
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
    spread: Floats = a[at] + u * (b - a)[at] + v * (c - a)[at]
    return spread


def _feelers(body: Anatomy, points: Floats, shares: Floats, side: str) -> Feelers | None:
    """Skin that is spread over the hand, the farthest points first."""
    wrist = body.skeleton.roles[f"{side}Hand"]
    joints = np.array([wrist, *(j for j in range(wrist + 1, len(body.skeleton)) if _hangs_on(body, j, wrist))])
    own = np.flatnonzero(shares[:, joints].sum(axis=1) > OWN)
    if len(own) < FEELERS:
        return None
    skin = points[own]
    place = body.posture.positions
    far = np.linalg.norm(skin - place[wrist], axis=1)
    chosen = [int(np.argmax(far))]
    apart = np.linalg.norm(skin - skin[chosen[0]], axis=1)
    while len(chosen) < FEELERS:
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, np.linalg.norm(skin - skin[chosen[-1]], axis=1))
    carried = joints[np.argmax(shares[np.ix_(own[chosen], joints)], axis=1)]
    unturn = rotations.conjugate(body.posture.rotations[carried])
    return Feelers(carried, rotations.rotate(unturn, skin[chosen] - place[carried]), float(far.max()))


def _forearm(body: Anatomy, points: Floats, shares: Floats, side: str) -> float:
    """The median distance of the forearm's skin from its bone."""
    elbow, wrist = (body.skeleton.roles[f"{side}{part}"] for part in ("LowerArm", "Hand"))
    own: Bools = shares[:, elbow] > OWN
    if own.sum() < FEELERS:
        return 0.0
    start, end = body.posture.positions[[elbow, wrist]]
    way = (end - start) / np.linalg.norm(end - start)
    return float(np.median(np.linalg.norm(np.cross(points[own] - start, way), axis=1)))


def _hangs_on(body: Anatomy, joint: int, above: int) -> bool:
    parents: Sequence[int] = body.skeleton.parents.tolist()
    while joint > above:
        joint = parents[joint]
    return joint == above


def arm_points(start: Floats, elbow: Floats, wrist: Floats) -> Floats:
    """Points ``(T, 2, K, 3)`` of both arms that the elbow moves by ``LEVERS``."""
    upper = [start + lever * (elbow - start) for lever in LEVERS[:2]]
    lower = [wrist + lever * (elbow - wrist) for lever in LEVERS[2:]]
    return np.stack([*upper, *lower], axis=2)
