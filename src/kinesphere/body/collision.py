"""Ellipsoids in bodies: fitted to a skin, and how points get out of them.

**Where to.** There is no continuous way to send every point of a ball to its surface: somewhere neighbours part. The
nearest way out parts them in the middle, where hands pass. Here all are sent away from one point, behind the middle
and on the other side of the body from the hand, where no hand comes; a hand that is moved straight through a ball goes
around it on its own side.

**How far.** With the gauge m of the ellipsoid about that point (0 there, 1 on the surface), m becomes m itself
where it is more than 1 + w, and at least 1 below, with a parabola between: what is clear stays as it is to the last
bit, and nothing starts or stops at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import SIDES

AWAY = np.array([-0.4, 0.0, -0.4])  # of the radii: left, up, forward, for a left hand: what all is sent away from
INSCRIBED = 0.1  # of the skin may be inside the ellipsoid
ROUNDS = 6  # of fitting
OUTLYING = 0.05  # of the radius: skin so far from the fit counts half
VAGUE = 1e-4  # how little the skin's own box counts, for shapes that fit many ellipsoids
ONE_BALL = 1.25  # times the ellipsoid: the most of a ball's skin, with all that sticks out of it
LARGEST = 2.5  # times half the skin's extent: a fit that is larger says nothing about the skin


class Ellipsoid(NamedTuple):
    """An ellipsoid in every frame."""

    middle: Floats  # (T, 3)
    axes: Floats  # (T, 3, 3) rotation matrices: its left, up and forward as columns
    radii: Floats  # (3,)

    def at(self, frames: Ints) -> Ellipsoid:
        """Only those frames."""
        return Ellipsoid(self.middle[frames], self.axes[frames], self.radii)

    def scaled(self, size: float) -> Ellipsoid:
        """A smaller one."""
        return self if size == 1.0 else Ellipsoid(self.middle, self.axes, size * self.radii)

    def near(self, points: Floats, reach: float) -> Bools:
        """Frames in which one of points ``(T, K, 3)`` is nearer than ``reach``, or a little farther."""
        seen = (points - self.middle[:, None]) @ (self.axes / (self.radii + reach))
        inside: Bools = (np.einsum("tki,tki->tk", seen, seen) < 1.0).any(axis=1)
        return inside


def inscribed_ellipsoid(skin: Floats, whole: Floats) -> tuple[Floats, Floats, float]:
    """Middle and radii ``(3,)`` of an ellipsoid along the axes, inside of nearly all points ``(N, 3)`` of a skin.

    It is fitted to the skin, or to the ``whole`` that it is a part of where all of that is one ball, and is no larger
    than the box of the whole. Last, how many times larger the ellipsoid must be to hold nearly all of the skin.
    """
    low, high = whole.min(axis=0), whole.max(axis=0)
    found = []
    for shown in (skin, whole):
        middle, radii = _fitted(shown, low, high)
        out = np.linalg.norm((skin - middle) / radii, axis=1)
        size, most = np.quantile(out, [INSCRIBED, 1.0 - INSCRIBED]).tolist()
        found.append((most / min(size, 1.0), middle, radii * min(size, 1.0)))
    ragged, middle, radii = found[1] if found[1][0] < min(ONE_BALL, found[0][0]) else found[0]
    return middle, radii, float(ragged)


def _fitted(skin: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Middle and radii ``(3,)`` of the ellipsoid that is nearest to points, cut to a box."""
    edges = skin.min(axis=0), skin.max(axis=0)
    middle, half = 0.5 * (edges[0] + edges[1]), np.maximum(0.5 * (edges[1] - edges[0]), 1e-6)
    unit = (skin - middle) / half
    # a x² + b y² + c z² + d x + e y + f z = 1 by least squares; of a cap of a ball, too, it is the ball.
    rows, radii, weights = np.hstack([unit * unit, unit]), np.ones(3), np.ones(len(unit))
    shift, prior = np.zeros(3), np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(ROUNDS):
        square = (rows * weights[:, None]).T @ rows / len(rows) + VAGUE * np.eye(6)
        k = np.linalg.solve(square, (rows * weights[:, None]).mean(axis=0) + VAGUE * prior)
        if not (k[:3] > LARGEST**-2).all():
            break
        shift = -0.5 * k[3:] / k[:3]
        radii = np.sqrt((1.0 + np.sum(k[:3] * shift**2)) / k[:3])
        off = np.linalg.norm((unit - shift) / radii, axis=1) - 1.0
        weights = 1.0 / (1.0 + (off / OUTLYING) ** 2)  # where limbs leave, the skin is not the trunk's shape
    low, high = (np.maximum(low, middle + half * (shift - radii)), np.minimum(high, middle + half * (shift + radii)))
    middle, radii = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-6)
    return middle, radii


def push_out(shape: Ellipsoid, points: Floats, side: float, margin: float, soft: float) -> Floats:
    """The ways ``(T, K, 3)`` that points are moved, zero for those that are clear. ``side`` is 1 for a left hand."""
    radii = shape.radii + margin
    seen = (points - shape.middle[:, None]) @ (shape.axes / radii)
    away = AWAY * [side, 1.0, 1.0]
    rest = 1.0 - float(away @ away)
    width = soft / float(radii.mean())
    ways = np.zeros_like(points)
    # No gauge is below 1 + w that is farther from the middle than this.
    rows = np.nonzero(np.einsum("tki,tki->tk", seen, seen) < (1.0 + 2.0 * width) ** 2)
    if not len(rows[0]):
        return ways
    way = seen[rows] - away
    along = way @ away
    # The gauge: how many times farther from that point than the surface is, along this way.
    gauge = (along + np.sqrt(along**2 + rest * np.einsum("ni,ni->n", way, way))) / rest
    deep = 1.0 - gauge
    wanted = np.where(deep > width, deep, np.maximum(deep + width, 0.0) ** 2 / (4.0 * width))
    way *= (wanted / np.maximum(gauge, 1e-9))[:, None] * radii
    ways[rows] = np.einsum("nij,nj->ni", shape.axes[rows[0]], way)
    return ways


# ---- How much room a character's body takes: ellipsoids in its trunk and head, and the skin of its hands, as points.
#
# Read from the surface once, in a posture in which it is a body. An ellipsoid is fitted to the skin that the
# trunk's, or
# the head's, joints carry, and made smaller until nearly all of that skin is outside of it: what is inside the
# ellipsoid
# is surely inside the body. A ball's is the ball itself.


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
class SkinnedEllipsoid:
    """An ellipsoid that several joints carry, each its share, as they do the skin about it."""

    joints: Ints  # (n,)
    shares: Floats  # (n,) sum to one
    anchors: Floats  # (n, 3) the middle in each joint's frame
    turns: Floats  # (n, 4) from the ellipsoid's axes (left, up, forward) to each joint's
    radii: Floats  # (3,) metres

    def placed(self, world: Floats, places: Floats) -> Ellipsoid:
        """The ellipsoid in every frame, for joints turned ``(T, J, 4)`` and placed ``(T, J, 3)``."""
        turned = world[:, self.joints]
        middle = np.einsum("n,tni->ti", self.shares, places[:, self.joints] + rotations.rotate(turned, self.anchors))
        axes = rotations.multiply(turned, self.turns)
        signs = np.copysign(1.0, np.einsum("tni,ti->tn", axes, axes[:, 0]))
        mean = np.einsum("n,tn,tni->ti", self.shares, signs, axes)
        return Ellipsoid(middle, rotations.to_matrix(mean / np.linalg.norm(mean, axis=-1, keepdims=True)), self.radii)


@dataclass(frozen=True, eq=False)
class HandPoints:
    """Points of a hand's skin, each on the joint that carries most of it."""

    joints: Ints  # (K,)
    anchors: Floats  # (K, 3) in the joint's frame
    reach: float  # metres from the wrist to the farthest of them, fingers straight


@dataclass(frozen=True, eq=False)
class BodyVolumes:
    """What of a character must not go through what."""

    volumes: tuple[SkinnedEllipsoid, ...]
    hands: Mapping[str, HandPoints]  # by side
    arms: Mapping[str, float]  # by side: the forearm's radius
    beside_hands: tuple[float, ...] = ()  # how much smaller each volume is taken, so that hanging hands are clear
    beside_arms: tuple[float, ...] = ()  # and hanging arms
    fronts: tuple[float, ...] = ()  # arm lengths from the shoulders to each volume's foremost point

    def passable(self) -> BodyVolumes:
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


_read: WeakKeyDictionary[Character, BodyVolumes] = WeakKeyDictionary()


def find_volumes(character: Character, body: Anatomy) -> BodyVolumes:
    """The room that a character takes; nothing where no surface shows it."""
    if character not in _read:
        _read[character] = _room(character, body)
    return _read[character]


def _room(character: Character, body: Anatomy) -> BodyVolumes:
    meshes = [mesh for mesh in character.meshes if len(mesh.triangles)]
    if not meshes:
        return BodyVolumes((), MappingProxyType({}), MappingProxyType({}))
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
    found_room = BodyVolumes(volumes, MappingProxyType(hands), MappingProxyType(arms))
    return replace(
        found_room,
        beside_hands=tuple(_beside(found_room, body, volume, of_hands=True) for volume in volumes),
        beside_arms=tuple(_beside(found_room, body, volume, of_hands=False) for volume in volumes),
        fronts=tuple(_front(body, volume) for volume in volumes),
    )


def _front(body: Anatomy, volume: SkinnedEllipsoid) -> float:
    shape = volume.placed(body.posture.rotations[None], body.posture.positions[None])
    front = shape.middle[0] + shape.axes[0, :, 2] * volume.radii[2]
    roles = body.skeleton.roles
    ways = [
        np.linalg.norm(front - body.posture.positions[roles[f"{side}UpperArm"]]) / body.lengths[f"{side}Arm"]
        for side in SIDES
    ]
    return float(np.mean(ways))


def _beside(room_: BodyVolumes, body: Anatomy, volume: SkinnedEllipsoid, *, of_hands: bool) -> float:
    """How large a volume may be taken so that arms that hang, and swing a little, are clear of it."""
    arm = float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))
    whole = volume.placed(body.posture.rotations[None], body.posture.positions[None])
    size = 1.0
    for sign, side in zip(SIGNS, SIDES, strict=True):
        for swing in SWINGS if side in room_.hands else ():
            hand, points = _hanging(room_.hands[side], body, side, swing)
            points, margin = (hand, MARGIN * arm) if of_hands else (points, FLESH * room_.arms[side])
            while size > SMALLEST and push_out(whole.scaled(size), points, sign, margin, SOFT * arm).any():
                size *= 0.96
    return size


def _hanging(hand: HandPoints, body: Anatomy, side: str, swing: float) -> tuple[Floats, Floats]:
    """Points ``(1, K, 3)`` of a hand and of its arm, straight down, or swung forward by an angle."""
    p, q, roles = body.posture.positions, body.posture.rotations, body.skeleton.roles
    start, elbow, wrist = (p[roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
    down = rotations.rotate(body.basis, np.array([0.0, -np.cos(swing), np.sin(swing)]))
    bend = start + np.linalg.norm(elbow - start) * down
    end = bend + np.linalg.norm(wrist - elbow) * down
    skin = p[hand.joints] + rotations.rotate(q[hand.joints], hand.anchors) - wrist
    turned = rotations.rotate(rotations.rotation_between(wrist - elbow, down), skin)
    return (end + turned)[None], arm_points(start[None, None], bend[None, None], end[None, None])[0]


def _volumes(body: Anatomy, points: Floats, triangles: Ints, shares: Floats) -> tuple[SkinnedEllipsoid, ...]:
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
        middle, radii, ragged = inscribed_ellipsoid(skin, shown)
        if ragged > RAGGED:
            continue
        q, p = body.posture.rotations[joints], body.posture.positions[joints]
        unturn = rotations.conjugate(q)
        weights = shares[carried][:, joints].sum(axis=0)
        volumes.append(
            SkinnedEllipsoid(
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


def _feelers(body: Anatomy, points: Floats, shares: Floats, side: str) -> HandPoints | None:
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
    return HandPoints(carried, rotations.rotate(unturn, skin[chosen] - place[carried]), float(far.max()))


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


# ---- Hands and arms that stay out of the body.
#
# A person's hand before the chest is, in arm lengths from the shoulder, inside a body that is a ball, and a hand at
# the
# mouth is inside a large head. So wrists are moved until the hand's skin is outside of the trunk's and the head's
# ellipsoids (``ellipsoids``, ``volumes``), and elbows swung about the line from shoulder to wrist.
#
# Arms that hang are clear by definition: where a body's shoulders are inside the width of its trunk, its maker meant
# its
# arms to go through it, and the ellipsoids are made smaller until they don't. Captures then keep their places on all
# bodies but where something is really in the way.


SHARP = 3.0  # with which power of its own way a point counts among a hand's
ROUNDS_CLEARANCE = 4
PASSES = 3
FORESEEN = 0.1  # seconds
FARTHEST = np.radians(75.0)  # that an elbow swings
TOO_FAR = 0.1  # arm lengths beyond the arm's reach
TOGETHER = (0.3, 0.6)  # arm lengths between wrists: hands nearer are moved alike, so that they meet if they did
BOW = 0.1  # of the arm: an elbow that bows less out of a straight arm swings as if it bowed so much


@dataclass(frozen=True, eq=False)
class CollisionAvoidance:
    """A body in every frame of a motion, for hands and arms to stay out of."""

    room: BodyVolumes
    shapes: tuple[Ellipsoid, ...]
    shoulder_joints: tuple[int, int]  # left, right
    wrist_joints: tuple[int, int]
    arm: float  # metres, the mean of both
    half: int  # frames that are looked ahead and back

    @classmethod
    def of(cls, room: BodyVolumes, body: Anatomy, world: Floats, places: Floats, rate: float) -> CollisionAvoidance:
        """The body with joints turned ``(T, J, 4)`` and placed ``(T, J, 3)``."""
        shoulders, wrists = (
            (body.skeleton.roles[f"left{part}"], body.skeleton.roles[f"right{part}"]) for part in ("UpperArm", "Hand")
        )
        arm = float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))
        shapes = tuple(volume.placed(world, places) for volume in room.volumes)
        return cls(room, shapes, shoulders, wrists, arm, max(round(FORESEEN * rate), 1))

    def wrists(self, wanted: Floats, world: Floats, places: Floats) -> Floats:
        """Wrists ``(T, 2, 3)``, left and right, moved so far that hands are outside of the body.

        A hand that comes fast would stop at the surface at once. So it goes round it a little earlier, and comes back
        later, by the mean of what is needed near each frame; and again for what that leaves.
        """
        moved = wanted
        for _ in range(PASSES):
            ways = self._out(moved, world, places)
            if not ways.any():
                break
            moved = moved + _foreseen(ways, self.half)
        return moved if moved is wanted else self._reached(wanted, moved, places[:, self.shoulder_joints])

    def _reached(self, wanted: Floats, moved: Floats, shoulders: Floats) -> Floats:
        """Moved wrists, but those left where they were that arms are too short for: stretched ones look no better.

        Before a head that is as large as its arms are long there is no place for a hand.
        """
        far, before = (np.linalg.norm(wrists - shoulders, axis=-1) / self.arm for wrists in (moved, wanted))
        u = np.clip((far - np.maximum(before, 1.0)) / TOO_FAR, 0.0, 1.0)
        share = _lasting(1.0 - u * u * (3.0 - 2.0 * u), 2 * self.half)
        share += _together(wanted, self.arm)[:, None] * (share.min(axis=1, keepdims=True) - share)
        reached: Floats = wanted + share[..., None] * (moved - wanted)
        return reached

    def _out(self, wanted: Floats, world: Floats, places: Floats) -> Floats:
        """By how much ``(T, 2, 3)`` wrists are moved in each frame by itself."""
        margin, soft = MARGIN * self.arm, SOFT * self.arm
        reach = max(hand.reach for hand in self.room.hands.values()) + margin + soft
        shapes = [shape.scaled(size) for shape, size in zip(self.shapes, self.room.beside_hands, strict=True)]
        frames = np.flatnonzero(np.any([shape.near(wanted, reach) for shape in shapes], axis=0))
        moved = np.zeros_like(wanted)
        if not len(frames):
            return moved
        skins = [self._skin(i, frames, world, places) for i in range(2)]
        for _ in range(ROUNDS_CLEARANCE):
            now, here = (wanted + moved)[frames], [shape.at(frames) for shape in shapes]
            ways = np.zeros_like(now)
            for i, (sign, skin) in enumerate(zip(SIGNS, skins, strict=True)):
                if skin is not None:
                    points = now[:, i, None] + skin
                    ways[:, i] = mean_displacement([push_out(shape, points, sign, margin, soft) for shape in here])
            some = ways.any(axis=(1, 2))
            if not some.any():
                break
            frames, ways = frames[some], ways[some]
            skins = [None if skin is None else skin[some] for skin in skins]
            together = _together(wanted[frames], self.arm)[:, None, None]
            moved[frames] += ways + together * (ways.mean(axis=1, keepdims=True) - ways)
        return moved

    def _skin(self, i: int, frames: Ints, world: Floats, places: Floats) -> Floats | None:
        """A hand's points ``(n, K, 3)`` from its wrist, if it has a skin."""
        hand = self.room.hands.get(SIDES[i])
        if hand is None:
            return None
        rows = np.ix_(frames, hand.joints)
        roots = places[rows] - places[frames, None, self.wrist_joints[i]]
        skin: Floats = roots + rotations.rotate(world[rows], hand.anchors)
        return skin

    def bends(self, start: Floats, elbow: Floats, wrist: Floats) -> tuple[Bools, Floats]:
        """Which elbows ``(T, 2)`` are to swing, and the axes ``(T, 2, 3)`` about which these arms then bend.

        Shoulders, elbows and wrists are ``(T, 2, 3)``.
        """
        axis = _unit(wrist - start)
        out = _across(elbow - start, axis)
        unit = _unit(out)
        angle = self._swings(start, elbow - out, wrist, axis, unit, np.linalg.norm(out, axis=-1, keepdims=True))
        if not angle.any():
            return np.zeros(start.shape[:2], dtype=bool), axis
        window = _window(self.half)
        near = np.lib.stride_tricks.sliding_window_view(np.pad(angle, ((self.half, self.half), (0, 0))), len(window), 0)
        angle = (near @ window)[..., None]
        outward_ = np.cos(angle) * unit + np.sin(angle) * np.cross(axis, unit)
        return angle[..., 0] != 0.0, np.cross(outward_, axis)

    def _swings(self, start: Floats, foot: Floats, wrist: Floats, axis: Floats, before: Floats, bow: Floats) -> Floats:
        """By which angles ``(T, 2)`` elbows swing about the ``axis`` from shoulder to wrist, each frame by itself.

        ``foot`` is the elbow's place on that axis, ``before`` the way from there, ``bow`` how long it is.
        """
        soft, flesh = SOFT * self.arm, FLESH * max(self.room.arms.values())
        points = arm_points(start, foot + bow * before, wrist).reshape(len(start), -1, 3)
        shapes = [shape.scaled(size) for shape, size in zip(self.shapes, self.room.beside_arms, strict=True)]
        frames = np.flatnonzero(np.any([shape.near(points, flesh + soft) for shape in shapes], axis=0))
        angle = np.zeros(start.shape[:2])
        if not len(frames):
            return angle
        shapes = [shape.at(frames) for shape in shapes]
        start, foot, wrist, axis, before, bow = (a[frames] for a in (start, foot, wrist, axis, before, bow))
        unit = before
        for _ in range(ROUNDS_CLEARANCE):
            points = arm_points(start, foot + bow * unit, wrist)
            swing = np.zeros_like(unit)
            for i, sign in enumerate(SIGNS):
                ways = [push_out(shape, points[:, i], sign, flesh, soft) for shape in shapes]
                swing[:, i] = mean_displacement([way / LEVERS[:, None] for way in ways])
            if not swing.any():
                break
            unit = _unit(unit + _across(swing, axis) / np.maximum(bow, BOW * self.arm))
        sine = np.einsum("thi,thi->th", np.cross(before, unit), axis)
        turned = np.arctan2(sine, np.einsum("thi,thi->th", before, unit))
        angle[frames] = FARTHEST * np.tanh(turned / FARTHEST)
        return angle


def _lasting(shares: Floats, half: int) -> Floats:
    """The least of shares ``(T, 2)`` near each frame, and of these the weighted mean."""
    least = np.lib.stride_tricks.sliding_window_view(
        np.pad(shares, ((2 * half, 2 * half), (0, 0)), mode="edge"), 2 * half + 1, axis=0
    ).min(axis=-1)
    mean: Floats = np.lib.stride_tricks.sliding_window_view(least, 2 * half + 1, axis=0) @ _window(half)
    return mean


def _window(half: int) -> Floats:
    """Weights of the frames around one, that sum to one."""
    window = 1.0 - np.cos(np.pi * np.arange(1, 2 * half + 2) / (half + 1))
    weights: Floats = window / window.sum()
    return weights


def _foreseen(ways: Floats, half: int) -> Floats:
    """Ways ``(T, 2, 3)`` that begin and end up to twice ``half`` frames before and after, and are as long where needed.

    The longest way near each frame, along the mean one, and of that the weighted mean.
    """
    window = _window(half)
    padded = np.pad(ways, ((2 * half, 2 * half), (0, 0), (0, 0)))
    near = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=0)  # (T', 2, 3, window)
    longest = np.sqrt(np.einsum("thiw,thiw->thw", near, near).max(axis=-1))
    early = longest[..., None] * _unit(near @ window)
    later = np.lib.stride_tricks.sliding_window_view(early, 2 * half + 1, axis=0)
    mean: Floats = later @ window
    return mean


def mean_displacement(ways: list[Floats]) -> Floats:
    """One way ``(T, 3)`` for all points that move together: theirs, by the length of each."""
    every = np.concatenate(ways, axis=1)
    weight = np.einsum("tki,tki->tk", every, every) ** (0.5 * SHARP)
    mean: Floats = np.einsum("tk,tki->ti", weight, every) / np.maximum(weight.sum(axis=1), 1e-30)[:, None]
    return mean


def _together(wrists: Floats, arm: float) -> Floats:
    """How much ``(T,)`` hands move alike."""
    apart = np.linalg.norm(wrists[:, 0] - wrists[:, 1], axis=-1) / arm
    u = np.clip((TOGETHER[1] - apart) / (TOGETHER[1] - TOGETHER[0]), 0.0, 1.0)
    share: Floats = u * u * (3.0 - 2.0 * u)
    return share


def _across(vectors: Floats, axis: Floats) -> Floats:
    across: Floats = vectors - np.sum(vectors * axis, axis=-1, keepdims=True) * axis
    return across


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    return unit
