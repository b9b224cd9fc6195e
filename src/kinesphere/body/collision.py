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
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere import _native
from kinesphere.body.anatomy import Anatomy
from kinesphere.body.trunk_surface import PosedSurface, Skin, TrunkSurface, measure_surface
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
FOREARM = 0.7  # of the forearm's radius that stays outside
PERSON_AHEAD, PERSON_WIDE = 0.40, 0.38  # arm lengths: no person's trunk is farther ahead of the shoulders, or wider

# Moving wrists
POWER = 3.0  # of its own displacement by which a point counts among a hand's
ROUNDS, PASSES = 4, 3  # of pushing in one frame, and of pushing and smoothing
AHEAD = 0.1  # seconds that displacements begin early
REACH = 0.985  # of the arm's length: a wrist is not moved farther from its shoulder
TOGETHER = (0.3, 0.6)  # arm lengths between wrists: nearer hands are moved alike, so that they touch if they did
EASE = 0.001  # of an arm: the distance over which it eases into full reach
MOVED = 1e-9  # metres: what moves less has not moved

# Swinging elbows
UPPER_SHARES = np.array([0.6, 0.8, 1.0])  # points of the upper arm, from the shoulder, which is in the body
LOWER_SHARES = np.array([0.25, 0.5, 0.75])  # points of the forearm, from the elbow
LEVERS = np.concatenate([0.5 * UPPER_SHARES, 0.5 + 0.5 * LOWER_SHARES])  # how far they move with the wrist
SWING_RATE = 20.0  # angles a second
SWINGS = np.radians(np.arange(-97.5, 98.0, 7.5))
FINER = np.radians(np.arange(-6.0, 6.5, 1.5))  # about the best of them
COST_OF_SWING = 0.004  # of a radian, squared: as much as the square of a depth in arm lengths
COST_OF_SPEED = 0.0006  # of a radian a second, likewise, for a second
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
    skin = Skin(points, np.concatenate(triangles), weights)
    surface = measure_surface(body, skin)
    hands = {side: _hand_points(body, skin, side) for side in SIDES}
    radii = {side: _forearm_radius(body, skin, side) for side in SIDES}
    thick = surface is not None and _is_thick(body, surface)
    return BodyVolumes(surface, MappingProxyType(hands), MappingProxyType(radii), thick)


def _is_thick(body: Anatomy, surface: TrunkSurface) -> bool:
    """Whether the trunk, up to the shoulders, is farther ahead of them or wider than any person's, in arm lengths."""
    p, roles = body.pose.positions, body.skeleton.roles
    shoulders = np.mean([p[roles[f"{side}UpperArm"]] for side in SIDES], axis=0) - p[roles["hips"]]
    _, height, ahead = rotations.rotate(rotations.conjugate(body.basis), shoulders).tolist()
    below = surface.heights < height
    if not below.any():
        return False
    arm, aside, front = _arm_length(body), surface.half_widths[below], surface.fronts[below]
    return bool(front.max() - ahead > PERSON_AHEAD * arm or aside.max() > PERSON_WIDE * arm)


def _hand_points(body: Anatomy, skin: Skin, side: str) -> HandPoints:
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


def _forearm_radius(body: Anatomy, skin: Skin, side: str) -> float:
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


@dataclass(frozen=True, eq=False)
class CollisionAvoidance:
    """A body in every frame of a motion, for hands and arms to stay out of."""

    volumes: BodyVolumes
    surface: PosedSurface
    wrist_joints: tuple[int, int]
    arm: float  # metres, the mean of both
    rate: float

    @classmethod
    def of_motion(cls, volumes: BodyVolumes, body: Anatomy, q: Floats, p: Floats, rate: float) -> CollisionAvoidance:
        """The body whose joints have world rotations ``(T, J, 4)`` and positions ``(T, J, 3)``."""
        if volumes.surface is None:
            raise ValueError("the character has no surface of trunk and head to stay out of; give one with a mesh")
        wrists = body.skeleton.roles["leftHand"], body.skeleton.roles["rightHand"]
        return cls(volumes, volumes.surface.pose(q, p), wrists, _arm_length(body), rate)

    @property
    def half_window(self) -> int:
        """Frames that displacements begin early."""
        return max(round(AHEAD * self.rate), 1)

    def clear_arms(self, arms: Arms, q: Floats, p: Floats) -> tuple[Bools, Arms]:
        """Which arms ``(T, 2)`` change, and all arms with wrists and hinges by which they are outside of the body.

        ``q (T, J, 4)`` and ``p (T, J, 3)`` say how hands are held.
        """
        moved = arms._replace(wrists=self._move_wrists(arms, arms.wrists, q, p, whole=False))
        for _ in range(PASSES):
            moved = moved._replace(hinges=_carry_hinges(arms, moved.wrists))
            angles = self._swing_angles(moved)
            moved = moved.swing(angles)
            wrists = self._move_wrists(moved, arms.wrists, q, p, whole=True)
            if wrists is moved.wrists:
                break
            moved = moved._replace(wrists=wrists)
        still = ~((norms(moved.wrists - arms.wrists) > MOVED) | (angles != 0.0))
        wrists, hinges = (np.where(still[..., None], old, new) for old, new in zip(arms[1:3], moved[1:3], strict=True))
        return ~still, arms._replace(wrists=wrists, hinges=hinges)

    def _move_wrists(self, arms: Arms, wanted: Floats, q: Floats, p: Floats, *, whole: bool) -> Floats:
        """Wrists ``(T, 2, 3)`` moved out of the body, with smooth beginnings and ends; the same array where none is.

        ``wanted (T, 2, 3)`` is where they were wanted at first. Hands alone count, or the ``whole`` arms.
        """
        displacements = self._displacements(arms, wanted, q, p, whole=whole)
        if not displacements.any():
            return arms.wrists
        moved = arms.wrists + _smooth_displacements(displacements, self.half_window)
        return self._within_reach(moved, wanted, arms)

    def _within_reach(self, wrists: Floats, wanted: Floats, arms: Arms) -> Floats:
        """Wrists ``(n, 2, 3)`` no farther from their shoulders than arms reach, or than they were wanted."""
        reach = REACH * (arms.upper + arms.lower)
        distance = norms(wrists - arms.shoulders)
        longest = np.maximum(reach, norms(wanted - arms.shoulders))
        scale = np.minimum(longest / np.maximum(distance, 1e-12), 1.0)
        return np.asarray(arms.shoulders + scale[..., None] * (wrists - arms.shoulders))

    def _displacements(self, arms: Arms, wanted: Floats, q: Floats, p: Floats, *, whole: bool) -> Floats:
        """By how much ``(T, 2, 3)`` wrists are moved in each frame by itself."""
        displacements = np.zeros_like(arms.wrists)
        frames = self._near(arms)
        skins = [self.hand_skin(i, frames, q, p) for i in range(2)]
        for _ in range(ROUNDS):
            if not len(frames):
                break
            here = arms.at(frames)._replace(wrists=arms.wrists[frames] + displacements[frames])
            elbows = here.bend()[0] if whole else None
            steps = np.stack([self._step(i, frames, here, elbows, skin) for i, skin in enumerate(skins)], axis=1)
            colliding = steps.any(axis=(1, 2))
            frames, steps, skins = frames[colliding], steps[colliding], [skin[colliding] for skin in skins]
            together = _hand_coupling(wanted[frames], self.arm)[:, None, None]
            moved = here.wrists[colliding] + steps + together * (steps.mean(axis=1, keepdims=True) - steps)
            moved = self._within_reach(moved, wanted[frames], arms.at(frames))
            displacements[frames] = moved - arms.wrists[frames]
        return displacements

    def _step(self, i: int, frames: Ints, arms: Arms, elbows: Floats | None, skin: Floats) -> Floats:
        """By how much ``(n, 3)`` one wrist moves in one round: the mean over the points of its hand, or of its arm."""
        points, margins, levers = [arms.wrists[:, i, None] + skin], [np.full(skin.shape[1], MARGIN * self.arm)], None
        if elbows is not None:
            points.append(_arm_points(arms.shoulders[:, i], elbows[:, i], arms.wrists[:, i]))
            margins.append(np.full(len(LEVERS), self._flesh(i)))
            levers = np.concatenate([np.ones(skin.shape[1]), LEVERS])
        given = np.concatenate(points, axis=1), SIGNS[i], np.concatenate(margins), SOFTNESS * self.arm
        pushes = self.surface.push_out(frames, *given)
        return _mean_displacement(pushes if levers is None else pushes / levers[:, None])

    def _flesh(self, i: int) -> float:
        """Metres from a forearm's bone that stay outside."""
        return FOREARM * self.volumes.forearm_radii[SIDES[i]]

    def _near(self, arms: Arms) -> Ints:
        """Frames in which hands or arms may touch the body."""
        reach = max(hand.reach for hand in self.volumes.hands.values()) + (MARGIN + SOFTNESS) * self.arm
        middle = self.surface.centres[:, len(self.surface.radii) // 2]
        size = norms(self.surface.centres - middle[:, None]).max() + self.surface.widest + reach
        near: Ints = np.flatnonzero((norms(arms.wrists - middle[:, None]) < size).any(axis=1))
        return near

    def hand_skin(self, i: int, frames: Ints, q: Floats, p: Floats) -> Floats:
        """A hand's points ``(n, K, 3)`` relative to its wrist; ``i`` is 0 for left, 1 for right."""
        hand = self.volumes.hands[SIDES[i]]
        rows = np.ix_(frames, hand.joints)
        return np.asarray(p[rows] - p[frames, None, self.wrist_joints[i]] + rotations.rotate(q[rows], hand.anchors))

    def _swing_angles(self, arms: Arms) -> Floats:
        """Angles ``(T, 2)`` by which elbows swing about the lines from shoulders to wrists, smooth in time."""
        angles = np.zeros(arms.wrists.shape[:2])
        elbows, wrists = arms.bend()
        frames = np.arange(0, len(angles), max(round(self.rate / SWING_RATE), 1))
        for i in range(2):
            path = self._swing_path(i, frames, arms.shoulders[frames, i], elbows[frames, i], wrists[frames, i])
            if path.any():
                every = np.interp(np.arange(len(angles)), frames, path)
                half = self.half_window
                angles[:, i] = _hann_mean(np.pad(every, (half, half), mode="edge"), half)
        return angles

    def _swing_path(self, i: int, frames: Ints, shoulder: Floats, elbow: Floats, wrist: Floats) -> Floats:
        """The best angles ``(n,)`` of one elbow in some frames, evenly spaced: roughly, then finely about these."""
        axis = unit(wrist - shoulder)
        offset = reject(elbow - shoulder, axis)
        arm = np.stack([shoulder, elbow - offset, offset, cross(axis, offset), wrist], axis=1)
        step = float(frames[1] - frames[0]) / self.rate if len(frames) > 1 else 1.0
        path = np.zeros(len(frames))
        colliding = self._swing_costs(i, frames, arm, path[:, None])[:, 0] > 0.0
        if not colliding.any():
            return path
        reach = max(round(NEARBY / step), 1)
        may = (
            np.convolve(colliding, np.ones(2 * reach + 1), mode="same") > 0.5
            if len(path) > 2 * reach
            else ~path.astype(bool)
        )
        for around in (SWINGS, FINER):
            angles = path[:, None] + around
            costs = np.where(angles == 0.0, 0.0, 1e9)
            costs[may] = self._swing_costs(i, frames[may], arm[may], angles[may]) + COST_OF_SWING * angles[may] ** 2
            found = np.zeros(len(path))
            _native.trunk_surface.cheapest_path(costs, angles, COST_OF_SPEED / step**2, found)
            path = found
        return path

    def _swing_costs(self, i: int, frames: Ints, arm: Floats, angles: Floats) -> Floats:
        """The squared depth ``(n, S)`` of an arm's points in arm lengths, for elbows at angles ``(n, S)``."""
        costs = np.empty(angles.shape)
        given = np.ascontiguousarray(frames), np.ascontiguousarray(arm), np.ascontiguousarray(angles), SIGNS[i]
        _native.trunk_surface.swing_costs(self.surface, *given, UPPER_SHARES, LOWER_SHARES, self._flesh(i), costs)
        return costs / self.arm**2


def _carry_hinges(arms: Arms, wrists: Floats) -> Floats:
    """Hinges ``(T, 2, 3)`` that turn with the arms to where wrists are now: elbows keep their side of the arm."""
    turn = rotations.rotation_between(arms.wrists - arms.shoulders, wrists - arms.shoulders)
    same = (wrists == arms.wrists).all(axis=-1)[..., None]
    return np.where(same, arms.hinges, rotations.rotate(turn, arms.hinges))


def _arm_points(shoulder: Floats, elbow: Floats, wrist: Floats) -> Floats:
    """Points ``(n, K, 3)`` of an arm that move with its wrist by ``LEVERS``."""
    upper = shoulder[:, None] + UPPER_SHARES[:, None] * (elbow - shoulder)[:, None]
    return np.concatenate([upper, elbow[:, None] + LOWER_SHARES[:, None] * (wrist - elbow)[:, None]], axis=1)


def _mean_displacement(displacements: Floats) -> Floats:
    """One displacement ``(T, 3)`` for points ``(T, K, 3)`` that move together: their mean, weighted by length."""
    weight = np.einsum("tki,tki->tk", displacements, displacements) ** (0.5 * POWER)
    total = np.maximum(weight.sum(axis=1), 1e-30)
    return np.asarray(np.einsum("tk,tki->ti", weight, displacements) / total[:, None])


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


def _smooth_displacements(displacements: Floats, half: int) -> Floats:
    """Displacements ``(T, 2, 3)`` that begin and end gradually, up to ``2 · half`` frames away, and are about as long.

    The greatest length near each frame in the mean direction there, then the mean of these.
    """
    padded = np.pad(displacements, ((2 * half, 2 * half), (0, 0), (0, 0)))
    near = _windows(padded, half)  # (T + 2 half, 2, 3, 2 half + 1)
    greatest = np.sqrt(np.einsum("thiw,thiw->thw", near, near).max(axis=-1))
    return _hann_mean(greatest[..., None] * unit(_hann_mean(padded, half)), half)
