"""Body collision: keep hands and arms out of thick trunks and heads, by ellipsoids fitted inside the skin.

A person's hand in front of the chest is, in arm lengths from the shoulder, inside a body that is a ball, and a hand at
the mouth is inside a large head. So wrists are moved until the hand's skin is outside of the trunk's and the head's
ellipsoids, and elbows are swung about the line from shoulder to wrist.

**Fitting.** An ellipsoid is fitted once to the skin that the joints of trunk or head carry, and shrunk until nearly all
of that skin is outside: what is inside the ellipsoid is surely inside the body. Hanging arms are clear by definition:
where shoulders are inside the width of the trunk, the character's arms are meant to pass through it, and the ellipsoid
is shrunk until they do not. So captures keep their positions on all bodies unless something is really in between.

**Direction of pushing.** No continuous map sends every point of a ball to its surface: somewhere neighbours part. The
nearest exit parts them in the middle, where hands pass. Here all points are pushed away from one centre, behind the
middle and on the other side of the body from the hand, where no hand comes. A hand that moves straight through a ball
goes around it on its own side.

**Distance.** With the gauge m of the ellipsoid about that centre (0 there, 1 on the surface), m stays m above 1 + w and
becomes at least 1 below, with a parabola between: what is clear stays as it is to the last bit, and nothing starts or
stops suddenly.
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
from kinesphere.maths.vectors import Bools, Floats, Ints, cross, norms, reject, smoothstep, unit
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import SIDES

# Pushing points out
PUSH_CENTRE = np.array([-0.4, 0.0, -0.4])  # of the radii, for a left hand: left, up, forward
MARGIN = 0.022  # arm lengths between skin and skin
SOFTNESS = 0.02  # arm lengths over which pushing begins
SIGNS = (1.0, -1.0)  # left, right

# Fitting ellipsoids
INSCRIBED = 0.1  # share of the skin that may be inside the ellipsoid
FIT_ROUNDS = 6
OUTLIER = 0.05  # of the radius: skin so far from the fit counts half
PRIOR = 1e-4  # weight of the skin's own box, for skins that fit many ellipsoids
ONE_BALL = 1.25  # times the ellipsoid: the most of a ball's skin, with everything that sticks out of it
LARGEST = 2.5  # times half the skin's extent: a larger fit says nothing about the skin
RAGGED = 2.0  # times the ellipsoid: where most of a skin is so far out, it is no ellipsoid
SKIN_SAMPLES = 2000  # points of a part's skin
HAND_SAMPLES = 16  # points of a hand's skin
OWN_WEIGHT = 0.6  # of a vertex's skin weights that makes it a part's own

# Which ellipsoids are obstacles
SWINGS = tuple(np.radians([0.0, 25.0, -25.0]))  # of a hanging arm, which must be clear
SHRINK, SMALLEST = 0.96, 0.3  # factor a step, and the scale at which an ellipsoid is none
HARDLY_SHRUNK = 0.9  # scale from which on hanging hands are beside an ellipsoid, not inside
THICKEST_PERSON = 0.75  # arm lengths from shoulder to front

# Moving wrists and elbows
POWER = 3.0  # of its own displacement by which a point counts among a hand's
ROUNDS, PASSES = 4, 3  # of pushing in one frame, and of pushing and smoothing
AHEAD = 0.1  # seconds that displacements begin early
LARGEST_SWING = np.radians(75.0)  # of an elbow
UNREACHABLE = 0.1  # arm lengths beyond the arm's reach at which a wrist is not moved at all
TOGETHER = (0.3, 0.6)  # arm lengths between wrists: nearer hands are moved alike, so that they touch if they did
FOREARM = 0.7  # of the forearm's radius that stays outside
LEVERS = np.array([0.7, 1.0, 0.7, 0.4])  # points of an arm, two above and two below: how far they move with the elbow
LEAST_BOW = 0.1  # of the arm: an elbow nearer to the line from shoulder to wrist swings as if it were so far from it


# Ellipsoids


class Ellipsoid(NamedTuple):
    """An ellipsoid in every frame."""

    middle: Floats  # (T, 3)
    axes: Floats  # (T, 3, 3) rotation matrices: its left, up and forward as columns
    radii: Floats  # (3,)

    def at(self, frames: Ints) -> Ellipsoid:
        """The ellipsoid in some frames only."""
        return Ellipsoid(self.middle[frames], self.axes[frames], self.radii)

    def with_scale(self, scale: float) -> Ellipsoid:
        """The same ellipsoid with its radii scaled."""
        return self if scale == 1.0 else Ellipsoid(self.middle, self.axes, scale * self.radii)

    def near(self, points: Floats, distance: float) -> Bools:
        """``(T,)`` whether one of points ``(T, K, 3)`` is nearer than a distance, or a little farther."""
        local = self._local(points, distance)
        inside: Bools = (np.einsum("tki,tki->tk", local, local) < 1.0).any(axis=1)
        return inside

    def _local(self, points: Floats, margin: float) -> Floats:
        """Points ``(T, K, 3)`` in the ellipsoid's axes and radii, which are larger by a margin."""
        return np.asarray((points - self.middle[:, None]) @ (self.axes / (self.radii + margin)))


def push_out_of_ellipsoid(ellipsoid: Ellipsoid, points: Floats, side: float, margin: float, softness: float) -> Floats:
    """Displacements ``(T, K, 3)`` that move points out of an ellipsoid, zero for points that are clear.

    ``side`` is 1 for a left hand and -1 for a right one; ``margin`` and ``softness`` are metres.
    """
    radii = ellipsoid.radii + margin
    local = ellipsoid._local(points, margin)
    centre = PUSH_CENTRE * [side, 1.0, 1.0]
    rest = 1.0 - float(centre @ centre)
    width = softness / float(radii.mean())
    displacements = np.zeros_like(points)
    # A gauge below 1 + w is not farther from the middle than this.
    rows = np.nonzero(np.einsum("tki,tki->tk", local, local) < (1.0 + 2.0 * width) ** 2)
    if not len(rows[0]):
        return displacements
    outward = local[rows] - centre
    along = outward @ centre
    # The gauge: the distance from the centre over that of the surface in the same direction.
    gauge = (along + np.sqrt(along**2 + rest * np.einsum("ni,ni->n", outward, outward))) / rest
    depth = 1.0 - gauge
    change = np.where(depth > width, depth, np.maximum(depth + width, 0.0) ** 2 / (4.0 * width))
    outward *= (change / np.maximum(gauge, 1e-9))[:, None] * radii
    displacements[rows] = np.einsum("nij,nj->ni", ellipsoid.axes[rows[0]], outward)
    return displacements


def fit_inscribed_ellipsoid(skin: Floats, whole: Floats) -> tuple[Floats, Floats, float]:
    """Middle and radii ``(3,)`` of an ellipsoid along the axes, inside of nearly all points ``(N, 3)`` of a skin.

    It is fitted to the skin, or to the ``whole`` skin that it is a part of where all of that is one ball, and is no
    larger than the box of the whole. The third value is the scale at which the ellipsoid contains nearly all skin.
    """
    low, high = whole.min(axis=0), whole.max(axis=0)
    fits = []
    for points in (skin, whole):
        middle, radii = _fit_ellipsoid(points, low, high)
        inner, outer = np.quantile(norms((skin - middle) / radii), [INSCRIBED, 1.0 - INSCRIBED]).tolist()
        fits.append((outer / min(inner, 1.0), middle, radii * min(inner, 1.0)))
    raggedness, middle, radii = fits[1] if fits[1][0] < min(ONE_BALL, fits[0][0]) else fits[0]
    return middle, radii, float(raggedness)


def _fit_ellipsoid(skin: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Middle and radii ``(3,)`` of the ellipsoid nearest to points, cut to a box.

    Robust least squares of a x² + b y² + c z² + d x + e y + f z = 1; from a cap of a ball, too, it finds the ball.
    """
    edges = skin.min(axis=0), skin.max(axis=0)
    middle, half = 0.5 * (edges[0] + edges[1]), np.maximum(0.5 * (edges[1] - edges[0]), 1e-6)
    points = (skin - middle) / half
    rows, radii, weights = np.hstack([points * points, points]), np.ones(3), np.ones(len(points))
    shift, prior = np.zeros(3), np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(FIT_ROUNDS):
        normal = (rows * weights[:, None]).T @ rows / len(rows) + PRIOR * np.eye(6)
        k = np.linalg.solve(normal, (rows * weights[:, None]).mean(axis=0) + PRIOR * prior)
        if not (k[:3] > LARGEST**-2).all():
            break
        shift = -0.5 * k[3:] / k[:3]
        radii = np.sqrt((1.0 + np.sum(k[:3] * shift**2)) / k[:3])
        residual = norms((points - shift) / radii) - 1.0
        weights = 1.0 / (1.0 + (residual / OUTLIER) ** 2)  # where limbs leave, the skin is not the trunk's
    low = np.maximum(low, middle + half * (shift - radii))
    high = np.minimum(high, middle + half * (shift + radii))
    return 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-6)


# The volumes of a character


@dataclass(frozen=True, eq=False)
class SkinnedEllipsoid:
    """An ellipsoid that several joints carry by weights, as they carry the skin around it."""

    joints: Ints  # (n,)
    weights: Floats  # (n,) sum to one
    anchors: Floats  # (n, 3) the middle in each joint's axes
    rotations: Floats  # (n, 4) from the ellipsoid's axes (left, up, forward) to each joint's
    radii: Floats  # (3,) metres

    def pose(self, q: Floats, p: Floats) -> Ellipsoid:
        """The ellipsoid in every frame, for joints with world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``."""
        own = q[:, self.joints]
        middle = np.einsum("n,tni->ti", self.weights, p[:, self.joints] + rotations.rotate(own, self.anchors))
        axes = rotations.multiply(own, self.rotations)
        signs = np.copysign(1.0, np.einsum("tni,ti->tn", axes, axes[:, 0]))
        mean = np.einsum("n,tn,tni->ti", self.weights, signs, axes)
        return Ellipsoid(middle, rotations.to_matrix(unit(mean)), self.radii)


@dataclass(frozen=True, eq=False)
class HandPoints:
    """Points of a hand's skin, each on the joint that carries most of it."""

    joints: Ints  # (K,)
    anchors: Floats  # (K, 3) in the joint's axes
    reach: float  # metres from the wrist to the farthest of them, fingers straight


@dataclass(frozen=True, eq=False)
class BodyVolumes:
    """Collision volumes of a character: ellipsoids of its body, and the sizes of hands and arms that stay outside."""

    ellipsoids: tuple[SkinnedEllipsoid, ...]
    hands: Mapping[str, HandPoints]  # by side
    forearm_radii: Mapping[str, float]  # by side
    hand_scales: tuple[float, ...] = ()  # of each ellipsoid, so that hanging hands are clear
    arm_scales: tuple[float, ...] = ()  # of each ellipsoid, so that hanging arms are clear
    fronts: tuple[float, ...] = ()  # arm lengths from the shoulders to each ellipsoid's foremost point

    def obstacles(self) -> BodyVolumes:
        """Only ellipsoids that a person's motions collide with and that arms can go around.

        They are thicker than any person's; arms neither hang through them nor are too short to reach around them.
        """
        kept = [
            k
            for k, (scale, front) in enumerate(zip(self.hand_scales, self.fronts, strict=True))
            if scale > HARDLY_SHRUNK and THICKEST_PERSON < front < 1.0
        ]
        return replace(
            self,
            ellipsoids=tuple(self.ellipsoids[k] for k in kept),
            hand_scales=tuple(self.hand_scales[k] for k in kept),
            arm_scales=tuple(self.arm_scales[k] for k in kept),
            fronts=tuple(self.fronts[k] for k in kept),
        )


_known: WeakKeyDictionary[Character, BodyVolumes] = WeakKeyDictionary()


def find_volumes(character: Character, body: Anatomy) -> BodyVolumes:
    """The volumes of a character, measured once; none where it has no surface."""
    if character not in _known:
        _known[character] = _measure_volumes(character, body)
    return _known[character]


class _Skin(NamedTuple):
    """A character's whole surface in the pose in which its body is measured."""

    points: Floats  # (N, 3)
    triangles: Ints  # (M, 3)
    weights: Floats  # (N, J)


def _measure_volumes(character: Character, body: Anatomy) -> BodyVolumes:
    meshes = [mesh for mesh in character.meshes if len(mesh.triangles)]
    if not meshes:
        return BodyVolumes((), MappingProxyType({}), MappingProxyType({}))
    points = np.concatenate([mesh.posed(body.pose.rotations, body.pose.positions) for mesh in meshes])
    weights = np.zeros((len(points), len(body.skeleton)))
    triangles, first = [], 0
    for mesh in meshes:
        rows = np.arange(first, first + len(mesh.positions))
        np.add.at(weights, (rows[:, None], mesh.joints), mesh.weights)
        triangles.append(mesh.triangles + first)
        first = int(rows[-1]) + 1
    skin = _Skin(points, np.concatenate(triangles), weights)
    ellipsoids = _trunk_and_head(body, skin)
    hands = {side: hand for side in SIDES if (hand := _hand_points(body, skin, side)) is not None}
    radii = {side: _forearm_radius(body, skin, side) for side in hands}
    volumes = BodyVolumes(ellipsoids, MappingProxyType(hands), MappingProxyType(radii))
    return replace(
        volumes,
        hand_scales=tuple(_clear_scale(volumes, body, ellipsoid, of_hands=True) for ellipsoid in ellipsoids),
        arm_scales=tuple(_clear_scale(volumes, body, ellipsoid, of_hands=False) for ellipsoid in ellipsoids),
        fronts=tuple(_front(body, ellipsoid) for ellipsoid in ellipsoids),
    )


def _trunk_and_head(body: Anatomy, skin: _Skin) -> tuple[SkinnedEllipsoid, ...]:
    """The ellipsoids of trunk and head, where their skin is one."""
    parts = [np.array(part) for part in ((body.skeleton.roles["hips"], *body.spine), body.neck) if part]
    to_body = rotations.conjugate(body.basis)
    points = rotations.rotate(to_body, skin.points)
    plane = rotations.rotate(to_body, body.pose.positions[body.skeleton.roles["hips"]])[0]
    skins, vertices = [], []
    for joints in parts:
        own = skin.triangles[skin.weights[:, joints].sum(axis=1)[skin.triangles].mean(axis=1) > OWN_WEIGHT]
        sampled = _sample_surface(points, own)
        mirrored = sampled * [-1.0, 1.0, 1.0] + [2.0 * plane, 0.0, 0.0]
        skins.append(np.concatenate([sampled, mirrored]))  # bodies are symmetric
        vertices.append(np.unique(own))
    whole, ellipsoids = np.concatenate(skins), []
    for joints, sampled, own in zip(parts, skins, vertices, strict=True):
        if not len(sampled):
            continue
        middle, radii, raggedness = fit_inscribed_ellipsoid(sampled, whole)
        if raggedness > RAGGED:
            continue
        to_joints = rotations.conjugate(body.pose.rotations[joints])
        anchors = rotations.rotate(body.basis, middle) - body.pose.positions[joints]
        weights = skin.weights[own][:, joints].sum(axis=0)
        ellipsoids.append(
            SkinnedEllipsoid(
                joints,
                weights / weights.sum(),
                rotations.rotate(to_joints, anchors),
                rotations.multiply(to_joints, body.basis),
                radii,
            )
        )
    return tuple(ellipsoids)


def _sample_surface(points: Floats, triangles: Ints) -> Floats:
    """Points evenly over triangles by their area: the corners of a box would say nothing about its sides."""
    if not len(triangles):
        return np.empty((0, 3))
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = np.cumsum(norms(cross(b - a, c - a)))
    if area[-1] <= 0.0:
        return np.empty((0, 3))
    # The R2 sequence (Roberts 2018) fills the square evenly: the same points in every run.
    k = np.arange(SKIN_SAMPLES)
    at = np.searchsorted(area, (k + 0.5) / SKIN_SAMPLES * area[-1])
    u, v = np.mod(0.5 + k * 0.7548776662466927, 1.0), np.mod(0.5 + k * 0.5698402909980532, 1.0)
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
    return np.asarray(a[at] + u * (b - a)[at] + v * (c - a)[at])


def _hand_points(body: Anatomy, skin: _Skin, side: str) -> HandPoints | None:
    """Points spread over a hand's skin by farthest-point sampling; None where it has hardly any."""
    wrist, p = body.skeleton.roles[f"{side}Hand"], body.pose.positions
    joints = np.array([wrist, *(j for j in range(wrist + 1, len(body.skeleton)) if _is_below(body, j, wrist))])
    own = np.flatnonzero(skin.weights[:, joints].sum(axis=1) > OWN_WEIGHT)
    if len(own) < HAND_SAMPLES:
        return None
    points = skin.points[own]
    from_wrist = norms(points - p[wrist])
    chosen = [int(np.argmax(from_wrist))]
    apart = norms(points - points[chosen[0]])
    while len(chosen) < HAND_SAMPLES:
        chosen.append(int(np.argmax(apart)))
        apart = np.minimum(apart, norms(points - points[chosen[-1]]))
    carriers = joints[np.argmax(skin.weights[np.ix_(own[chosen], joints)], axis=1)]
    to_joints = rotations.conjugate(body.pose.rotations[carriers])
    return HandPoints(carriers, rotations.rotate(to_joints, points[chosen] - p[carriers]), float(from_wrist.max()))


def _is_below(body: Anatomy, joint: int, ancestor: int) -> bool:
    parents: Sequence[int] = body.skeleton.parents.tolist()
    while joint > ancestor:
        joint = parents[joint]
    return joint == ancestor


def _forearm_radius(body: Anatomy, skin: _Skin, side: str) -> float:
    """The median distance of the forearm's skin from its bone."""
    elbow, wrist = (body.skeleton.roles[f"{side}{part}"] for part in ("LowerArm", "Hand"))
    own: Bools = skin.weights[:, elbow] > OWN_WEIGHT
    if own.sum() < HAND_SAMPLES:
        return 0.0
    start, end = body.pose.positions[[elbow, wrist]]
    return float(np.median(norms(reject(skin.points[own] - start, unit(end - start)))))


def _front(body: Anatomy, ellipsoid: SkinnedEllipsoid) -> float:
    """Arm lengths from the shoulders to the foremost point, the mean of both sides."""
    posed = ellipsoid.pose(body.pose.rotations[None], body.pose.positions[None])
    front = posed.middle[0] + posed.axes[0, :, 2] * ellipsoid.radii[2]
    distances = [
        np.linalg.norm(front - body.pose.positions[body.skeleton.roles[f"{side}UpperArm"]]) / body.lengths[f"{side}Arm"]
        for side in SIDES
    ]
    return float(np.mean(distances))


def _clear_scale(volumes: BodyVolumes, body: Anatomy, ellipsoid: SkinnedEllipsoid, *, of_hands: bool) -> float:
    """The scale of an ellipsoid at which arms, or hands, that hang and swing a little are clear of it."""
    arm = _arm_length(body)
    posed = ellipsoid.pose(body.pose.rotations[None], body.pose.positions[None])
    scale = 1.0
    for sign, side in zip(SIGNS, SIDES, strict=True):
        for swing in SWINGS if side in volumes.hands else ():
            hand, points = _hanging_points(volumes.hands[side], body, side, swing)
            points, margin = (hand, MARGIN * arm) if of_hands else (points, FOREARM * volumes.forearm_radii[side])
            while (
                scale > SMALLEST
                and push_out_of_ellipsoid(posed.with_scale(scale), points, sign, margin, SOFTNESS * arm).any()
            ):
                scale *= SHRINK
    return scale


def _hanging_points(hand: HandPoints, body: Anatomy, side: str, swing: float) -> tuple[Floats, Floats]:
    """Points ``(1, K, 3)`` of a hand and of its straight arm, hanging or swung forward by an angle."""
    q, p, roles = body.pose.rotations, body.pose.positions, body.skeleton.roles
    shoulder, elbow, wrist = (p[roles[f"{side}{part}"]] for part in ("UpperArm", "LowerArm", "Hand"))
    down = rotations.rotate(body.basis, np.array([0.0, -np.cos(swing), np.sin(swing)]))
    new_elbow = shoulder + np.linalg.norm(elbow - shoulder) * down
    new_wrist = new_elbow + np.linalg.norm(wrist - elbow) * down
    skin = p[hand.joints] + rotations.rotate(q[hand.joints], hand.anchors) - wrist
    skin = rotations.rotate(rotations.rotation_between(wrist - elbow, down), skin)
    arm = arm_points(shoulder[None, None], new_elbow[None, None], new_wrist[None, None])
    return (new_wrist + skin)[None], arm[0]


def arm_points(shoulder: Floats, elbow: Floats, wrist: Floats) -> Floats:
    """Points ``(T, 2, K, 3)`` of both arms that the elbow moves by ``LEVERS``."""
    upper = [shoulder + lever * (elbow - shoulder) for lever in LEVERS[:2]]
    lower = [wrist + lever * (elbow - wrist) for lever in LEVERS[2:]]
    return np.stack([*upper, *lower], axis=2)


def _arm_length(body: Anatomy) -> float:
    return float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))


# Avoiding collisions in a motion


@dataclass(frozen=True, eq=False)
class CollisionAvoidance:
    """A body in every frame of a motion, for hands and arms to stay out of."""

    volumes: BodyVolumes
    ellipsoids: tuple[Ellipsoid, ...]
    shoulder_joints: tuple[int, int]  # left, right
    wrist_joints: tuple[int, int]
    arm: float  # metres, the mean of both
    half_window: int  # frames that displacements begin early

    @classmethod
    def of_motion(cls, volumes: BodyVolumes, body: Anatomy, q: Floats, p: Floats, rate: float) -> CollisionAvoidance:
        """The body whose joints have world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``."""
        shoulders, wrists = (
            (body.skeleton.roles[f"left{part}"], body.skeleton.roles[f"right{part}"]) for part in ("UpperArm", "Hand")
        )
        ellipsoids = tuple(ellipsoid.pose(q, p) for ellipsoid in volumes.ellipsoids)
        return cls(volumes, ellipsoids, shoulders, wrists, _arm_length(body), max(round(AHEAD * rate), 1))

    def move_wrists(self, wanted: Floats, q: Floats, p: Floats) -> Floats:
        """Wrists ``(T, 2, 3)``, left and right, moved so far that hands are outside of the body.

        A fast hand would stop abruptly at the surface. So it begins to go around a little earlier, and comes back
        later, by a smooth envelope of the displacements; a further pass removes what penetration that leaves.
        """
        moved = wanted
        for _ in range(PASSES):
            displacements = self._wrist_displacements(moved, q, p)
            if not displacements.any():
                break
            moved = moved + _smooth_displacements(displacements, self.half_window)
        return moved if moved is wanted else self._give_up_unreachable(wanted, moved, p[:, self.shoulder_joints])

    def _give_up_unreachable(self, wanted: Floats, moved: Floats, shoulders: Floats) -> Floats:
        """The moved wrists, except where arms are too short to reach them: there wrists stay as they were.

        In front of a head as large as its arms are long there is no room for a hand.
        """
        distance, before = (norms(wrists - shoulders) / self.arm for wrists in (moved, wanted))
        weight = 1.0 - smoothstep((distance - np.maximum(before, 1.0)) / UNREACHABLE)
        weight = _smooth_minimum(weight, 2 * self.half_window)
        weight += _hand_coupling(wanted, self.arm)[:, None] * (weight.min(axis=1, keepdims=True) - weight)
        return np.asarray(wanted + weight[..., None] * (moved - wanted))

    def _wrist_displacements(self, wanted: Floats, q: Floats, p: Floats) -> Floats:
        """By how much ``(T, 2, 3)`` wrists are moved in each frame by itself."""
        margin, softness = MARGIN * self.arm, SOFTNESS * self.arm
        reach = max(hand.reach for hand in self.volumes.hands.values()) + margin + softness
        scales = self.volumes.hand_scales
        ellipsoids = [whole.with_scale(scale) for whole, scale in zip(self.ellipsoids, scales, strict=True)]
        frames = np.flatnonzero(np.any([ellipsoid.near(wanted, reach) for ellipsoid in ellipsoids], axis=0))
        moved = np.zeros_like(wanted)
        skins = [self.hand_skin(i, frames, q, p) for i in range(2)] if len(frames) else []
        for _ in range(ROUNDS if len(frames) else 0):
            wrists, here = (wanted + moved)[frames], [ellipsoid.at(frames) for ellipsoid in ellipsoids]
            steps = np.zeros_like(wrists)
            for i, (sign, skin) in enumerate(zip(SIGNS, skins, strict=True)):
                if skin is not None:
                    points = wrists[:, i, None] + skin
                    steps[:, i] = mean_displacement(
                        [push_out_of_ellipsoid(one, points, sign, margin, softness) for one in here]
                    )
            colliding = steps.any(axis=(1, 2))
            if not colliding.any():
                break
            frames, steps = frames[colliding], steps[colliding]
            skins = [None if skin is None else skin[colliding] for skin in skins]
            together = _hand_coupling(wanted[frames], self.arm)[:, None, None]
            moved[frames] += steps + together * (steps.mean(axis=1, keepdims=True) - steps)
        return moved

    def hand_skin(self, i: int, frames: Ints, q: Floats, p: Floats) -> Floats | None:
        """A hand's points ``(n, K, 3)`` relative to its wrist, if it has a skin; ``i`` is 0 for left, 1 for right."""
        hand = self.volumes.hands.get(SIDES[i])
        if hand is None:
            return None
        rows = np.ix_(frames, hand.joints)
        return np.asarray(p[rows] - p[frames, None, self.wrist_joints[i]] + rotations.rotate(q[rows], hand.anchors))

    def swing_elbows(self, shoulder: Floats, elbow: Floats, wrist: Floats) -> tuple[Bools, Floats]:
        """Which elbows ``(T, 2)`` swing, and the hinge axes ``(T, 2, 3)`` about which these arms then bend.

        Shoulders, elbows and wrists are ``(T, 2, 3)``.
        """
        axis = unit(wrist - shoulder)
        offset = reject(elbow - shoulder, axis)
        bow = norms(offset)[..., None]
        outward = offset / np.maximum(bow, 1e-12)  # hardly any direction for a straight arm, rather than a random one
        angle = self._swing_angles(shoulder, elbow - offset, wrist, axis, outward, bow)
        if not angle.any():
            return np.zeros(shoulder.shape[:2], dtype=bool), axis
        angle = _hann_mean(np.pad(angle, ((self.half_window, self.half_window), (0, 0))), self.half_window)
        swung = np.cos(angle)[..., None] * outward + np.sin(angle)[..., None] * cross(axis, outward)
        return angle != 0.0, cross(swung, axis)

    def _swing_angles(
        self, shoulder: Floats, base: Floats, wrist: Floats, axis: Floats, outward: Floats, bow: Floats
    ) -> Floats:
        """Angles ``(T, 2)`` by which elbows swing about the ``axis`` from shoulder to wrist, each frame by itself.

        The elbow is at ``base + bow · outward``: its projection on the axis, its distance from it and that direction.
        """
        softness, flesh = SOFTNESS * self.arm, FOREARM * max(self.volumes.forearm_radii.values())
        points = arm_points(shoulder, base + bow * outward, wrist).reshape(len(shoulder), -1, 3)
        scales = self.volumes.arm_scales
        ellipsoids = [whole.with_scale(scale) for whole, scale in zip(self.ellipsoids, scales, strict=True)]
        frames = np.flatnonzero(np.any([one.near(points, flesh + softness) for one in ellipsoids], axis=0))
        angle = np.zeros(shoulder.shape[:2])
        if not len(frames):
            return angle
        ellipsoids = [ellipsoid.at(frames) for ellipsoid in ellipsoids]
        shoulder, base, wrist, axis, outward, bow = (a[frames] for a in (shoulder, base, wrist, axis, outward, bow))
        swung = outward
        for _ in range(ROUNDS):
            points = arm_points(shoulder, base + bow * swung, wrist)
            step = np.zeros_like(swung)
            for i, sign in enumerate(SIGNS):
                pushes = [push_out_of_ellipsoid(one, points[:, i], sign, flesh, softness) for one in ellipsoids]
                step[:, i] = mean_displacement([push / LEVERS[:, None] for push in pushes])
            if not step.any():
                break
            swung = unit(swung + reject(step, axis) / np.maximum(bow, LEAST_BOW * self.arm))
        sine = np.einsum("thi,thi->th", cross(outward, swung), axis)
        full = np.arctan2(sine, np.einsum("thi,thi->th", outward, swung))
        angle[frames] = LARGEST_SWING * np.tanh(full / LARGEST_SWING)
        return angle


def mean_displacement(displacements: list[Floats]) -> Floats:
    """One displacement ``(T, 3)`` for points ``(T, K, 3)`` that move together: their mean, weighted by length."""
    every = np.concatenate(displacements, axis=1)
    weight = np.einsum("tki,tki->tk", every, every) ** (0.5 * POWER)
    total = np.maximum(weight.sum(axis=1), 1e-30)
    return np.asarray(np.einsum("tk,tki->ti", weight, every) / total[:, None])


def _hand_coupling(wrists: Floats, arm: float) -> Floats:
    """How much ``(T,)`` hands move together: 1 where they are near each other, 0 where they are apart."""
    apart = norms(wrists[:, 0] - wrists[:, 1]) / arm
    return np.asarray(smoothstep((TOGETHER[1] - apart) / (TOGETHER[1] - TOGETHER[0])))


# Smoothing along time


def _windows(values: Floats, half: int) -> Floats:
    """``(T - 2 half, ..., 2 half + 1)`` the neighbourhoods of frames."""
    return np.lib.stride_tricks.sliding_window_view(values, 2 * half + 1, axis=0)


def _hann_mean(values: Floats, half: int) -> Floats:
    """The mean of ``half`` frames to each side by a Hann window; the result is shorter by these frames."""
    weights = np.hanning(2 * half + 3)[1:-1]
    return np.asarray(_windows(values, half) @ (weights / weights.sum()))


def _smooth_minimum(values: Floats, half: int) -> Floats:
    """A smooth curve ``(T, 2)`` that is nowhere above the given one: the least near each frame, then their mean."""
    padded = np.pad(values, ((2 * half, 2 * half), (0, 0)), mode="edge")
    return _hann_mean(_windows(padded, half).min(axis=-1), half)


def _smooth_displacements(displacements: Floats, half: int) -> Floats:
    """Displacements ``(T, 2, 3)`` that begin and end gradually, up to ``2 · half`` frames away, and are about as long.

    The greatest length near each frame in the mean direction there, then the mean of these.
    """
    padded = np.pad(displacements, ((2 * half, 2 * half), (0, 0), (0, 0)))
    near = _windows(padded, half)  # (T + 2 half, 2, 3, 2 half + 1)
    greatest = np.sqrt(np.einsum("thiw,thiw->thw", near, near).max(axis=-1))
    return _hann_mean(greatest[..., None] * unit(_hann_mean(padded, half)), half)
