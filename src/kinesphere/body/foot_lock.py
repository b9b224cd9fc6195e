"""Feet that stand where they stand.

``foot_paths`` says where planted feet go and how they turn, ``leg_paths`` how hips and knees follow without a snap.
Here the legs are laid between hips and ankles so moved. A leg's plane is the input's, taken along by the smallest turn
from the old way between hip and ankle to the new one, so a knee keeps its own swivel; what a nearly straight knee is
bent more than it was it bends about its usual axis. Thigh, shin and foot are turned as they are, so twists and
helper joints between them stay. Where the hips roll the spine does not: it keeps its orientation.

``FootLock`` says how far the hips went and how much the feet missed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinesphere.body.bodies import LEGS, motion_with_roles
from kinesphere.body.contacts import find_plants
from kinesphere.body.foot_paths import foot_correction
from kinesphere.body.ground import Ground, directions, joint, leg_length, sole_paths, sole_points
from kinesphere.body.leg_paths import Legs, follow
from kinesphere.body.plants import Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

STRAIGHT = 0.12  # sine of a knee's flexion below which its usual axis counts for more than its plane
BACKWARD = 0.5  # sine of the flexion up to which a knee may be bent the wrong way; beyond, its plane is another


@dataclass(frozen=True, eq=False)
class FootLock:
    """A locked motion, and what it took."""

    motion: Motion
    hips_lowered: Floats  # (T,) metres; below zero: raised
    missed: Floats  # (T, 2) metres that the left and right ankles are from where their plants want them


def lock_feet(
    motion: Motion, plants: Plants | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> Motion:
    """The motion with its planted feet held in place.

    Parameters
    ----------
    motion
        Its skeleton needs the roles of both legs; toes are optional. Calibration frames stay as they are.
    plants
        When and where the feet stand. Left out: ``find_plants(motion, ground=ground)``.
    ground
        Height of the floor, in metres, for finding plants. Left out: found.
    strength
        From 0, the input itself, to 1, held.
    """
    return solve_foot_lock(motion, plants, ground=ground, strength=strength).motion


def solve_foot_lock(
    motion: Motion, plants: Plants | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> FootLock:
    """``lock_feet``, with how far the hips were lowered and the feet missed."""
    if not 0.0 <= strength <= 1.0:
        raise ValueError(f"strength {strength}: 0 to 1 is allowed")
    height = ground.height if isinstance(ground, Ground) else ground
    if height is not None and not np.isfinite(height):
        raise ValueError(
            f"ground={height!r}: a finite height in metres is expected; leave it out to have the floor found"
        )
    motion = motion_with_roles(motion, LEGS, "locking feet")
    plants = find_plants(motion, ground=ground) if plants is None else plants
    if plants.frames != len(motion):
        raise ValueError(f"the plants are of {plants.frames} frames, the motion has {len(motion)}")
    frames = len(motion)
    if strength == 0.0 or not plants.intervals:
        return FootLock(motion, np.zeros(frames), np.zeros((frames, 2)))
    points = sole_points(motion.skeleton)
    q, p = motion.world()
    paths = sole_paths(motion, points)
    performed = np.zeros(frames, dtype=bool)
    performed[motion.performed_frames] = True
    shift, turn = np.zeros((2, frames, 3)), np.zeros((2, frames, 3))
    planted = np.zeros((2, frames), dtype=bool)
    for i, side in enumerate(SIDES):
        own = [k for k, point in enumerate(points) if point.side == side]
        foot = joint(motion.skeleton, f"{side}Foot")
        shift[i], turn[i], planted[i] = foot_correction(
            [points[k] for k in own], paths[:, own], (q[:, foot], p[:, foot]), plants, performed
        )
    return _follow(motion, (q, p), shift, turn, planted, strength)


class _Leg(NamedTuple):
    """One leg of the input."""

    joints: tuple[int, int, int]  # thigh, shin, foot
    hip: Floats  # (T, 3)
    knee: Floats
    ankle: Floats
    normal: Floats  # (T, 3) of its plane, unit or nothing, on the usual axis' side
    axis: Floats  # (T, 3) the normal, or where the leg is nearly straight the usual axis
    flexion: Floats  # (T,) about the normal


def _follow(
    motion: Motion, world: tuple[Floats, Floats], shift: Floats, turn: Floats, planted: Bools, strength: float
) -> FootLock:
    """Hips and legs that follow the moved feet."""
    skeleton, (q, p) = motion.skeleton, world
    unit = leg_length(skeleton)
    legs = [_leg(skeleton, q, p, side) for side in SIDES]
    shift, turn = strength * shift, strength * turn
    goal = np.stack([leg.ankle for leg in legs]) + shift
    hip = np.stack([leg.hip for leg in legs])
    upper = np.stack([np.linalg.norm(leg.knee - leg.hip, axis=-1) for leg in legs])
    lower = np.stack([np.linalg.norm(leg.ankle - leg.knee, axis=-1) for leg in legs])
    flexion = np.stack([leg.flexion for leg in legs])
    top = p[:, skeleton.roles.get("head", joint(skeleton, "hips")), 1]
    lengths = (goal - hip) / unit, hip / unit, upper / unit, lower / unit
    found = follow(Legs(*lengths, flexion, top / unit), planted, motion)
    active = np.any((shift != 0.0) | (turn != 0.0), axis=(0, 2)) | np.any(found.flexion != flexion, axis=0)
    active |= (found.raised != 0.0) | (found.rolled != 0.0)

    edit = _Edit(motion, q, active)
    roll, moved_hip = _move_hips(edit, p, hip, unit * found.raised, unit * found.rolled)
    missed = np.zeros((len(motion), 2))
    for i, leg in enumerate(legs):
        thigh, shin, foot = leg.joints
        way = goal[i] - moved_hip[i]
        bones = _laid(leg, way, upper[i], lower[i], found.flexion[i])
        missed[:, i] = np.linalg.norm(way - bones[0] - bones[1], axis=-1)
        above, below = _turns(leg, way, bones)
        edit.turn(thigh, roll, above)
        edit.turn(shin, above, below)
        step = rotations.from_rotation_vector(turn[i])
        if shin in _above(skeleton, foot):
            edit.turn(foot, below, step)
        else:  # rigs for animation may hang feet on the root
            edit.turn(foot, rotations.identity(), step)
            edit.move(foot, moved_hip[i] + bones[0] + bones[1] - leg.ankle)
    edited = replace(motion, rotations=edit.local, translations=edit.places)
    return FootLock(edited, -unit * found.raised, missed * planted.T)


class _Edit:
    """A pose that is changed joint by joint, by how joints turn and move in the world."""

    def __init__(self, motion: Motion, world: Floats, active: Bools) -> None:
        self.skeleton, self.world, self.active = motion.skeleton, world, active
        self.local, self.places = motion.rotations.copy(), motion.translations.copy()

    def turn(self, bone: int, above: Floats, now: Floats) -> None:
        """Turn a joint by ``now`` where the one that it hangs on turns by ``above``."""
        parent = rotations.multiply(above, self._parent(bone))
        new = rotations.multiply(rotations.conjugate(parent), rotations.multiply(now, self.world[:, bone]))
        flip = np.sum(new * self.local[:, bone], axis=-1, keepdims=True) < 0.0
        self.local[self.active, bone] = np.where(flip, -new, new)[self.active]

    def move(self, bone: int, step: Floats) -> None:
        """Move a joint by a step in the world, where the one that it hangs on stays."""
        self.places[self.active, bone] += rotations.rotate(rotations.conjugate(self._parent(bone)), step)[self.active]

    def _parent(self, bone: int) -> Floats:
        above = int(self.skeleton.parents[bone])
        return rotations.identity(len(self.world)) if above < 0 else self.world[:, above]


def _move_hips(edit: _Edit, p: Floats, hip: Floats, up: Floats, roll: Floats) -> tuple[Floats, Floats]:
    """Hips raised and rolled; their turn ``(T, 4)`` and the thighs' new places."""
    skeleton = edit.skeleton
    hips = joint(skeleton, "hips")
    across = (hip[0] - hip[1]) * [1.0, 0.0, 1.0]
    least = np.maximum(0.5 * np.linalg.norm(hip[0] - hip[1], axis=-1), 1e-12)
    angle = 2.0 * roll / np.maximum(np.linalg.norm(across, axis=-1), least)
    rolling = rotations.from_rotation_vector(angle[:, None] * np.cross(directions(across), [0.0, 1.0, 0.0]))
    rise = up[:, None] * [0.0, 1.0, 0.0]
    edit.move(hips, rise)
    edit.turn(hips, rotations.identity(), rolling)
    legs = set.union(*(_above(skeleton, joint(skeleton, f"{side}UpperLeg")) for side in SIDES))
    for child in np.flatnonzero(skeleton.parents == hips):
        if int(child) not in legs:
            edit.turn(int(child), rolling, rotations.identity())
    return rolling, p[:, hips] + rotations.rotate(rolling, hip - p[:, hips]) + rise


def _above(skeleton: Skeleton, bone: int) -> set[int]:
    """A joint and all that it hangs on."""
    chain = set()
    while bone >= 0:
        chain.add(bone)
        bone = int(skeleton.parents[bone])
    return chain


def _leg(skeleton: Skeleton, q: Floats, p: Floats, side: str) -> _Leg:
    thigh, shin, foot = (joint(skeleton, f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
    hip, knee, ankle = p[:, thigh], p[:, shin], p[:, foot]
    above, below = directions(knee - hip), directions(ankle - knee)
    normal = np.cross(above, below)
    sine = np.linalg.norm(normal, axis=-1)
    usual = _usual_axis(skeleton, q[:, thigh], thigh, normal, sine)
    backward = (np.sum(normal * usual, axis=-1) < 0.0) & (sine < BACKWARD)
    sign = np.where(backward, -1.0, 1.0)
    flexion = sign * np.arctan2(sine, np.sum(above * below, axis=-1))
    normal = directions(sign[:, None] * normal)
    share = np.exp(-((sine / STRAIGHT) ** 2))[:, None]
    axis = directions((1.0 - share) * normal + share * usual)
    return _Leg((thigh, shin, foot), hip, knee, ankle, normal, axis, flexion)


def _usual_axis(skeleton: Skeleton, world: Floats, thigh: int, normal: Floats, sine: Floats) -> Floats:
    """``(T, 3)`` the axis about which the knee bends when it bends much, fixed in the thigh."""
    usual = np.sum(sine[:, None] ** 2 * rotations.rotate(rotations.conjugate(world), normal), axis=0)
    if np.linalg.norm(usual) < 1e-6 * len(sine):  # never bent: a knee folds backward, about the body's left at rest
        turned, place = skeleton.rest_world()
        left = place[joint(skeleton, "leftUpperLeg")] - place[joint(skeleton, "rightUpperLeg")]
        usual = rotations.rotate(rotations.conjugate(turned[thigh]), left)
    return rotations.rotate(world, directions(usual))


def _laid(leg: _Leg, way: Floats, upper: Floats, lower: Floats, flexion: Floats) -> tuple[Floats, Floats]:
    """``(T, 3)`` thigh and shin, bent so much and laid along ``way``."""
    bend = leg.flexion[:, None] * leg.normal + (flexion - leg.flexion)[:, None] * leg.axis
    bend = np.where(np.sum(bend**2, axis=-1, keepdims=True) > 1e-18, bend, leg.axis)
    along = directions(way)
    forward = directions(np.cross(along, rotations.rotate(rotations.between(leg.ankle - leg.hip, way), bend)))
    size = np.abs(flexion)
    lean = np.arctan2(lower * np.sin(size), upper + lower * np.cos(size))[:, None]
    fall = size[:, None] - lean
    thigh = upper[:, None] * (np.cos(lean) * along + np.sin(lean) * forward)
    return thigh, lower[:, None] * (np.cos(fall) * along - np.sin(fall) * forward)


def _turns(leg: _Leg, way: Floats, bones: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """World turns ``(T, 4)`` of thigh and shin as they were to ``bones``."""
    axis = rotations.rotate(rotations.between(leg.ankle - leg.hip, way), leg.axis)
    thigh = _frame_turn(leg.knee - leg.hip, leg.axis, bones[0], axis)
    return thigh, _frame_turn(leg.ankle - leg.knee, leg.axis, bones[1], axis)


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turn that takes one bone to the other, and the plane about it along."""
    swing = rotations.between(bone, bone_new)
    along = directions(bone_new)
    a = rotations.rotate(swing, axis)
    a, b = (v - np.sum(v * along, axis=-1, keepdims=True) * along for v in (a, axis_new))
    angle = np.arctan2(np.sum(along * np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    return rotations.multiply(rotations.from_rotation_vector(angle[:, None] * along), swing)
