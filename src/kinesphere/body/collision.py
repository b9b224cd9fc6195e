"""Body collision: keep hands and arms out of a character's trunk and head.

A person's hand in front of the chest is, in arm lengths from the shoulder, inside a body that is a ball, and arms that
hang beside a person hang inside a belly that is wider than its shoulders. The surface (``body.trunk_surface``) says how
deep each point of hand and arm is, and where out is.

**Hands** move until their skin is outside. A fast hand would stop abruptly at the surface: it begins to go around a
little earlier, and comes back later, by a smooth envelope of the displacements. Hands that are near each other move
alike, so that they touch if they did. A hand never goes farther from its shoulder than the arm is long: where there is
no room in front of a body, it slides along the surface to where it can be.

**Elbows** swing about the line from shoulder to wrist. Which way around is a question about the whole motion, not
about a frame: the path of angles with the least depth, the least swing and the least speed is found by dynamic
programming. Where no swing helps, because the arm is straight, the wrist moves on.

What is clear stays as it is to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere import _native
from kinesphere.body.anatomy import Anatomy
from kinesphere.body.trunk_surface import PosedSurface, SkinMesh, TrunkSurface, measure_surface
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import bend_limb
from kinesphere.maths.vectors import Bools, Floats, Ints, cross, norms, reject, smoothstep, unit
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import SIDES

MARGIN = 0.022  # arm lengths between skin and skin
SOFTNESS = 0.02  # arm lengths over which pushing begins
SIGNS = (1.0, -1.0)  # left, right

# Sizes of hands, arms and bodies
HAND_SAMPLES = 16  # points of a hand's skin
OWN_WEIGHT = 0.6  # of a vertex's skin weights that makes it a part's own
HAND_LENGTH = 0.2  # of the forearm: a hand without skin
FOREARM = 0.7  # of the forearm's radius that swinging elbows keep outside
PRESSED = 0.5  # of the forearm's radius that stays outside at the cost of moving the wrist: flesh gives way
PERSON_AHEAD, PERSON_WIDE = 0.40, 0.38  # arm lengths: no person's trunk is farther ahead of the shoulders, or wider
FULL = 0.75  # of the trunk's height: what sticks out over less is no trunk
SHORT_ARM = 0.8  # of the height from hips to shoulders: arms so short are beside the trunk in all that a person does

# Moving wrists
RATE = 40.0  # frames a second, about, in which arms are looked at: what is between follows
WRIST_SHARES = np.array([0.0, 0.25, 0.5, 0.75])  # points of the forearm, from the elbow, that move the wrist
ROUNDS, PASSES = 4, 3  # of pushing in one frame, and of pushing and smoothing
AHEAD = 0.1  # seconds that displacements begin early
REACH = 0.985  # of the arm's length: a wrist is not moved farther from its shoulder
TOGETHER = (0.3, 0.6)  # arm lengths between wrists: nearer hands are moved alike, so that they touch if they did
EASE = 0.001  # of an arm: the distance over which it eases into full reach
MOVED = 1e-9  # metres: what moves less has not moved

# Swinging elbows
UPPER_SHARES = np.array([0.6, 0.8, 1.0])  # points of the upper arm, from the shoulder, which is in the body
LOWER_SHARES = np.array([0.25, 0.5, 0.75])  # points of the forearm, from the elbow
SWING_RATE = 20.0  # angles a second
SWINGS = np.radians(np.arange(-97.5, 98.0, 7.5))
FINER = np.radians(np.arange(-6.0, 6.5, 1.5))  # about the best of them
COST_OF_SWING = 0.004  # of a radian, squared: as much as the square of a depth in arm lengths
COST_OF_SPEED = 0.0006  # of a radian a second, likewise, for a second
FORBIDDEN = 1e9
NEARBY = 0.5  # seconds before and after a collision in which elbows may swing


# The volumes of a character


@dataclass(frozen=True, eq=False)
class HandPoints:
    """Points of a hand's skin, each on the joint that carries most of it."""

    joints: Ints  # (K,)
    anchors: Floats  # (K, 3) in the joint's axes
    reach: float  # metres from the wrist to the farthest of them, fingers straight


@dataclass(frozen=True, eq=False)
class BodyVolumes:
    """The surface of a character's trunk and head, and the sizes of hands and arms that stay outside."""

    surface: TrunkSurface | None
    hands: Mapping[str, HandPoints]  # by side
    forearm_radii: Mapping[str, float]  # by side
    is_thick: bool  # thicker than any person's: a person's motions collide with it


_known: WeakKeyDictionary[Character, BodyVolumes] = WeakKeyDictionary()


def find_volumes(character: Character, body: Anatomy) -> BodyVolumes:
    """The volumes of a character, measured once; none where it has no surface."""
    if character not in _known:
        _known[character] = _measure_volumes(character, body)
    return _known[character]


def _measure_volumes(character: Character, body: Anatomy) -> BodyVolumes:
    meshes = [mesh for mesh in character.meshes if len(mesh.triangles)]
    if not meshes:
        return BodyVolumes(None, MappingProxyType({}), MappingProxyType({}), is_thick=False)
    points = np.concatenate([mesh.posed(body.pose.rotations, body.pose.positions) for mesh in meshes])
    weights = np.zeros((len(points), len(body.skeleton)))
    triangles, first = [], 0
    for mesh in meshes:
        rows = np.arange(first, first + len(mesh.positions))
        np.add.at(weights, (rows[:, None], mesh.joints), mesh.weights)
        triangles.append(mesh.triangles + first)
        first = int(rows[-1]) + 1
    skin = SkinMesh(points, np.concatenate(triangles), weights)
    surface = measure_surface(body, skin)
    hands = {side: _hand_points(body, skin, side) for side in SIDES}
    radii = {side: _forearm_radius(body, skin, side) for side in SIDES}
    thick = surface is not None and _is_thick(body, surface)
    return BodyVolumes(surface, MappingProxyType(hands), MappingProxyType(radii), thick)


def _is_thick(body: Anatomy, surface: TrunkSurface) -> bool:
    """Whether the trunk, up to the shoulders, is farther ahead of them or wider than any person's, in arm lengths.

    A toy's arms that don't reach down its own trunk say nothing of the trunk.
    """
    p, roles = body.pose.positions, body.skeleton.roles
    shoulders = np.mean([p[roles[f"{side}UpperArm"]] for side in SIDES], axis=0) - p[roles["hips"]]
    _, height, ahead = rotations.rotate(rotations.conjugate(body.basis), shoulders).tolist()
    below = surface.heights < height
    if not below.any() or _arm_length(body) < SHORT_ARM * height:
        return False
    arm, aside, front = _arm_length(body), surface.half_widths[below], surface.fronts[below]
    ahead_of_arms, beside = np.quantile(front, FULL) - ahead, np.quantile(aside, FULL)
    return bool(ahead_of_arms > PERSON_AHEAD * arm or beside > PERSON_WIDE * arm)


def _hand_points(body: Anatomy, skin: SkinMesh, side: str) -> HandPoints:
    """Points spread over a hand's skin by farthest-point sampling; without a skin, the wrist and a point beyond it."""
    wrist, p = body.skeleton.roles[f"{side}Hand"], body.pose.positions
    joints = np.array([wrist, *(j for j in range(wrist + 1, len(body.skeleton)) if _is_below(body, j, wrist))])
    own = np.flatnonzero(skin.weights[:, joints].sum(axis=1) > OWN_WEIGHT)
    if len(own) < HAND_SAMPLES:
        beyond = HAND_LENGTH * (p[wrist] - p[body.skeleton.roles[f"{side}LowerArm"]])
        anchors = rotations.rotate(rotations.conjugate(body.pose.rotations[wrist]), np.stack([0.0 * beyond, beyond]))
        return HandPoints(np.array([wrist, wrist]), anchors, float(np.linalg.norm(beyond)))
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


def _forearm_radius(body: Anatomy, skin: SkinMesh, side: str) -> float:
    """The median distance of the forearm's skin from its bone."""
    elbow, wrist = (body.skeleton.roles[f"{side}{part}"] for part in ("LowerArm", "Hand"))
    own: Bools = skin.weights[:, elbow] > OWN_WEIGHT
    if own.sum() < HAND_SAMPLES:
        return 0.0
    start, end = body.pose.positions[[elbow, wrist]]
    return float(np.median(norms(reject(skin.points[own] - start, unit(end - start)))))


def _arm_length(body: Anatomy) -> float:
    return float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))


# Avoiding collisions in a motion


class Arms(NamedTuple):
    """Both arms in every frame: what two-bone inverse kinematics needs to know."""

    shoulders: Floats  # (T, 2, 3)
    wrists: Floats  # (T, 2, 3) where they are wanted
    hinges: Floats  # (T, 2, 3)
    upper: Floats  # (2,) bone lengths
    lower: Floats  # (2,)

    def at(self, frames: Ints) -> Arms:
        """The arms in some frames only."""
        return Arms(self.shoulders[frames], self.wrists[frames], self.hinges[frames], self.upper, self.lower)

    def bend(self) -> tuple[Floats, Floats]:
        """Elbows and wrists ``(T, 2, 3)``."""
        elbows, wrists, _ = bend_limb(self.shoulders, self.wrists, self.upper, self.lower, self.hinges, EASE)
        return elbows, wrists

    def swing(self, angles: Floats) -> Arms:
        """The arms with elbows swung by angles ``(T, 2)`` about the lines from shoulders to wrists."""
        axis = unit(self.wrists - self.shoulders)
        along = np.einsum("thi,thi->th", self.hinges, axis)[..., None] * axis
        turned = np.cos(angles)[..., None] * (self.hinges - along) + np.sin(angles)[..., None] * cross(
            axis, self.hinges
        )
        return self._replace(hinges=np.where(angles[..., None] == 0.0, self.hinges, along + turned))


# By arm and number of angles: the arms (n, 15) and angles (n, S) for which costs (n, S) of swings are known.
KnownCosts: TypeAlias = dict[tuple[int, int], tuple[Floats, Floats, Floats]]


class ArmSizes(NamedTuple):
    """Sizes of hands and forearms, for the native loops."""

    hands: Floats  # (2,) metres from the wrist to the farthest fingertip
    flesh: Floats  # (2,) metres from the forearm's bone that stay outside
    lowers: Floats  # (N,) points of the forearm that stay outside, as shares from the elbow
    margin: float  # metres between skin and skin
    softness: float  # metres over which pushing begins


@dataclass(frozen=True, eq=False)
class CollisionAvoidance:
    """A body in some frames of a motion, evenly spaced, for hands and arms to stay out of."""

    volumes: BodyVolumes
    frames: Ints  # (n,) of the motion
    count: int  # all frames of the motion
    surface: PosedSurface  # in the n frames
    skins: Floats  # (n, 2, K, 3) points of the hands from their wrists
    arm: float  # metres, the mean of both
    rate: float  # of the n frames

    @classmethod
    def of_motion(cls, volumes: BodyVolumes, body: Anatomy, q: Floats, p: Floats, rate: float) -> CollisionAvoidance:
        """The body whose joints have world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``, hands included."""
        if volumes.surface is None:
            raise ValueError("the character has no surface of trunk and head to stay out of; give one with a mesh")
        step = max(round(rate / RATE), 1)
        frames = np.arange(0, len(q), step)
        world, places = q[frames], p[frames]
        skins = []
        for side in SIDES:
            hand, wrist = volumes.hands[side], places[:, None, body.skeleton.roles[f"{side}Hand"]]
            turned = rotations.rotate(world[:, hand.joints], hand.anchors)
            skins.append(places[:, hand.joints] + turned - wrist)
        surface = volumes.surface.pose(world, places)
        return cls(volumes, frames, len(q), surface, np.stack(skins, axis=1), _arm_length(body), rate / step)

    def clear_arms(self, arms: Arms, stay: Floats | None = None) -> tuple[Bools, Arms]:
        """Which arms ``(T, 2)`` change, and all arms with wrists and hinges by which they are outside of the body.

        ``stay (T, 2)`` is how far arms are where they have to be, from 0 to 1.
        """
        wanted = arms.at(self.frames)
        moved = wanted._replace(wrists=self._move_wrists(wanted, wanted.wrists, whole=False))
        known: KnownCosts = {}
        for _ in range(PASSES):
            moved = moved._replace(hinges=_carry_hinges(wanted, moved.wrists))
            angles = self._swing_angles(moved, known)
            moved = moved.swing(angles)
            wrists = self._move_wrists(moved, wanted.wrists, whole=True)
            if wrists is moved.wrists:
                break
            moved = moved._replace(wrists=wrists)
        changes = np.concatenate([moved.wrists - wanted.wrists, angles[..., None]], axis=-1)
        changes = self._every_frame(np.where(np.abs(changes) > MOVED, changes, 0.0))
        changes = changes if stay is None else changes * (1.0 - stay)[..., None]
        changed: Bools = np.asarray(changes.any(axis=-1))
        if not changed.any():
            return changed, arms
        wrists = self._within_reach(arms.wrists + changes[..., :3], arms.wrists, arms)
        carried = arms._replace(wrists=wrists, hinges=_carry_hinges(arms, wrists)).swing(changes[..., 3])
        return changed, arms._replace(
            wrists=np.where(changed[..., None], carried.wrists, arms.wrists),
            hinges=np.where(changed[..., None], carried.hinges, arms.hinges),
        )

    def _every_frame(self, changes: Floats) -> Floats:
        """Changes ``(n, 2, 4)`` of some frames in all ``(T, 2, 4)``, without kinks."""
        step = int(self.frames[1] - self.frames[0]) if len(self.frames) > 1 else 1
        if step == 1 or not changes.any():
            return changes if step == 1 else np.zeros((self.count, *changes.shape[1:]))
        at = np.minimum(np.arange(self.count + 2 * step) - step, self.frames[-1]) / step
        first = np.clip(np.floor(at).astype(np.intp), 0, len(changes) - 1)
        u = np.clip(at - first, 0.0, 1.0)[:, None, None]
        after = changes[np.minimum(first + 1, len(changes) - 1)]
        return _hann_mean(changes[first] + u * (after - changes[first]), step)

    @property
    def _half_window(self) -> int:
        """Frames that displacements begin early."""
        return max(round(AHEAD * self.rate), 1)

    def _move_wrists(self, arms: Arms, wanted: Floats, *, whole: bool) -> Floats:
        """Wrists ``(n, 2, 3)`` moved out of the body, with smooth beginnings and ends; the same array where none is.

        ``wanted (n, 2, 3)`` is where they were wanted at first. Hands alone count, or ``whole`` forearms.
        """
        displacements = np.zeros_like(arms.wrists)
        given = self._sizes(), self.skins, _hand_coupling(wanted, self.arm), self._reaches(wanted, arms)
        native = Arms(*(np.ascontiguousarray(value) for value in arms))
        _native.trunk_surface.move_wrists(self.surface, native, *given, whole, ROUNDS, displacements)
        if not displacements.any():
            return arms.wrists
        moved = arms.wrists + _smooth_displacements(displacements, self._half_window)
        return self._within_reach(moved, wanted, arms)

    def _sizes(self) -> ArmSizes:
        hands = np.array([self.volumes.hands[side].reach for side in SIDES])
        flesh = np.array([PRESSED * self.volumes.forearm_radii[side] for side in SIDES])
        return ArmSizes(hands, flesh, WRIST_SHARES, MARGIN * self.arm, SOFTNESS * self.arm)

    def _reaches(self, wanted: Floats, arms: Arms) -> Floats:
        """How far ``(n, 2)`` a wrist may be from its shoulder: as far as the arm reaches, or as it was wanted."""
        return np.maximum(REACH * (arms.upper + arms.lower), norms(wanted - arms.shoulders))

    def _within_reach(self, wrists: Floats, wanted: Floats, arms: Arms) -> Floats:
        """Wrists ``(n, 2, 3)`` no farther from their shoulders than they may be."""
        scale = np.minimum(self._reaches(wanted, arms) / np.maximum(norms(wrists - arms.shoulders), 1e-12), 1.0)
        return np.where(scale[..., None] < 1.0, arms.shoulders + scale[..., None] * (wrists - arms.shoulders), wrists)

    def _swing_angles(self, arms: Arms, known: KnownCosts) -> Floats:
        """Angles ``(n, 2)`` by which elbows swing about the lines from shoulders to wrists, smooth in time.

        What swings cost is kept in ``known``, for the next pass over arms that are the same in most frames.
        """
        angles = np.zeros(arms.wrists.shape[:2])
        elbows, wrists = arms.bend()
        rows = np.arange(0, len(angles), max(round(self.rate / SWING_RATE), 1))
        for i in range(2):
            path = self._swing_path(i, rows, (arms.shoulders[rows, i], elbows[rows, i], wrists[rows, i]), known)
            if path.any():
                every = np.interp(np.arange(len(angles)), rows, path)
                half = self._half_window
                angles[:, i] = _hann_mean(np.pad(every, (half, half), mode="edge"), half)
        return angles

    def _swing_path(self, i: int, rows: Ints, joints: tuple[Floats, Floats, Floats], known: KnownCosts) -> Floats:
        """The best angles of one elbow in some rows of the frames: roughly, then finely about these.

        ``joints`` are shoulder, elbow and wrist in these rows.
        """
        shoulder, elbow, wrist = joints
        axis = unit(wrist - shoulder)
        offset = reject(elbow - shoulder, axis)
        arm = np.stack([shoulder, elbow - offset, offset, cross(axis, offset), wrist], axis=1)
        step = float(rows[1] - rows[0]) / self.rate if len(rows) > 1 else 1.0
        path = np.zeros(len(rows))
        colliding = self._swing_costs(i, rows, arm, path[:, None], known)[:, 0] > 0.0
        if not colliding.any():
            return path
        around = np.pad(colliding, 2 * [max(round(NEARBY / step), 1)])
        may = _windows(around, (len(around) - len(path)) // 2).any(axis=-1)
        for choices in (SWINGS, FINER):
            angles = path[:, None] + choices
            costs = np.where(angles == 0.0, 0.0, FORBIDDEN)
            depths = self._swing_costs(i, rows[may], arm[may], angles[may], known)
            costs[may] = depths + COST_OF_SWING * angles[may] ** 2
            found = np.zeros(len(path))
            _native.trunk_surface.cheapest_path(costs, angles, COST_OF_SPEED / step**2, found)
            path = found
        return path

    def _swing_costs(self, i: int, rows: Ints, arm: Floats, angles: Floats, known: KnownCosts) -> Floats:
        """The squared depth ``(n, S)`` of an arm's points in arm lengths, for elbows at angles ``(n, S)``."""
        count, key = len(self.frames), (i, angles.shape[1])
        if key not in known:
            known[key] = np.full((count, 15), np.nan), np.full((count, key[1]), np.nan), np.zeros((count, key[1]))
        kept_arm, kept_angles, costs = known[key]
        flat = arm.reshape(-1, 15)
        new = (kept_arm[rows] != flat).any(axis=1) | (kept_angles[rows] != angles).any(axis=1)
        if new.any():
            made, at = np.empty((int(new.sum()), key[1])), rows[new]
            shares, flesh = (UPPER_SHARES, LOWER_SHARES), FOREARM * self.volumes.forearm_radii[SIDES[i]]
            given = at, arm[new], angles[new], SIGNS[i], *shares, flesh
            _native.trunk_surface.swing_costs(self.surface, *given, made)
            kept_arm[at], kept_angles[at], costs[at] = flat[new], angles[new], made / self.arm**2
        return np.asarray(costs[rows])


def _carry_hinges(arms: Arms, wrists: Floats) -> Floats:
    """Hinges ``(T, 2, 3)`` that turn with the arms to where wrists are now: elbows keep their side of the arm."""
    turn = rotations.rotation_between(arms.wrists - arms.shoulders, wrists - arms.shoulders)
    same = (wrists == arms.wrists).all(axis=-1)[..., None]
    return np.where(same, arms.hinges, rotations.rotate(turn, arms.hinges))


def _hand_coupling(wrists: Floats, arm: float) -> Floats:
    """How much ``(T,)`` hands move together: 1 where they are near each other, 0 where they are apart."""
    apart = norms(wrists[:, 0] - wrists[:, 1]) / arm
    return np.asarray(smoothstep((TOGETHER[1] - apart) / (TOGETHER[1] - TOGETHER[0])))


# Smoothing along time


def _windows(values: Floats | Bools, half: int) -> Floats:
    """``(T - 2 half, ..., 2 half + 1)`` the neighbourhoods of frames."""
    return np.lib.stride_tricks.sliding_window_view(values, 2 * half + 1, axis=0)


def _hann_mean(values: Floats, half: int) -> Floats:
    """The mean of ``half`` frames to each side by a Hann window; the result is shorter by these frames."""
    weights = np.hanning(2 * half + 3)[1:-1]
    return np.asarray(_windows(values, half) @ (weights / weights.sum()))


def _smooth_displacements(displacements: Floats, half: int) -> Floats:
    """Displacements ``(T, 2, 3)`` that begin and end gradually, up to ``2 · half`` frames away, and are about as long.

    The greatest length near each frame in the mean direction there, then the mean of these.
    """
    padded = np.pad(displacements, ((2 * half, 2 * half), (0, 0), (0, 0)))
    greatest = _windows(norms(padded), half).max(axis=-1)  # (T + 2 half, 2)
    return _hann_mean(greatest[..., None] * unit(_hann_mean(padded, half)), half)
