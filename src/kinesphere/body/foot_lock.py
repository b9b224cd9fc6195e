"""Feet that stand where they stand.

``foot_paths`` says where planted feet go and how they turn, ``leg_paths`` how hips and knees follow without a snap.
Where every plant holds already, the motion itself is returned.

Here the legs are laid between hips and ankles so moved. A leg's plane is the input's, taken along by the smallest turn
from the old way between hip and ankle to the new one, so a knee keeps its own swivel but for what keeps it from a
jolt; what a nearly straight knee is bent more than it was it bends about its usual axis. Thigh, shin and foot are
turned as they are, so twists and helper joints between them stay. Hips roll about the joint where the trunk begins,
and the trunk keeps its orientation: what is above does not swing along.

``FootLock`` says how far the hips went and how much the feet missed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from kinesphere.body.bodies import LEGS, motion_with_roles
from kinesphere.body.contacts import find_plants
from kinesphere.body.foot_paths import FootPath, foot_correction
from kinesphere.body.ground import Ground, directions, joint, leg_length, sole_paths, sole_points
from kinesphere.body.leg_paths import Legs, follow, steps, swivels
from kinesphere.body.plants import Plants
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

STRAIGHT = 0.12  # sine of a knee's flexion below which its usual axis counts for more than its plane
LENGTHS = 0.01  # share by which bones may change their lengths and still keep them
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
    unit, feet = leg_length(motion.skeleton), []
    for side in SIDES:
        own = [k for k, point in enumerate(points) if point.side == side]
        foot = joint(motion.skeleton, f"{side}Foot")
        toes = motion.skeleton.roles.get(f"{side}Toes", foot)
        chosen, world = [points[k] for k in own], (q[:, foot], q[:, toes], p[:, foot])
        feet.append(foot_correction(chosen, paths[:, own], world, plants, performed, unit))
    if not any(foot.asked.any() for foot in feet):
        return FootLock(motion, np.zeros(frames), np.zeros((frames, 2)))
    return _follow(motion, (q, p), FootPath(*(np.stack(both) for both in zip(*feet, strict=True))), strength)


class _Leg(NamedTuple):
    """One leg of the input."""

    joints: tuple[int, int, int]  # thigh, shin, foot
    hip: Floats  # (T, 3)
    knee: Floats
    ankle: Floats
    normal: Floats  # (T, 3) of its plane, unit or nothing, on the usual axis' side
    axis: Floats  # (T, 3) the normal, or where the leg is nearly straight the usual axis
    flexion: Floats  # (T,) about the normal
    upper: Floats  # (T,) metres
    lower: Floats


def _follow(motion: Motion, world: tuple[Floats, Floats], feet: FootPath, strength: float) -> FootLock:
    """Hips and legs that follow the moved feet; ``feet`` has both, left first."""
    skeleton, (q, p) = motion.skeleton, world
    unit = leg_length(skeleton)
    legs = [_leg(skeleton, q, p, side) for side in SIDES]
    shift, turn, toes = strength * feet.shift, strength * feet.turn, strength * feet.toes
    model = _model(skeleton, p, legs, shift)
    found = follow(model, feet.planted, feet.asked, motion)
    moving = [shift != 0.0, turn != 0.0, (found.flexion != model.flexion)[..., None]]
    moving += [(way != 0.0)[None, :, None] for way in (found.raised, found.rolled, found.swayed)]

    edit = _Edit(motion, q, np.any([np.any(one, axis=(0, 2)) for one in moving], axis=0))
    roll = rotations.from_rotation_vector(found.rolled[:, None] * model.rolling)
    _move_hips(edit, unit * steps(model, model.hips, found)[0], roll)
    hip = unit * (model.hip + steps(model, model.hip, found)[0])
    missed = np.zeros((len(motion), 2))
    for i, leg in enumerate(legs):
        thigh, shin, foot = leg.joints
        way = leg.ankle + shift[i] - hip[i]
        carry, bones = _laid(leg, way, found.flexion[i])
        step = (hip[i] + bones[0] - leg.knee) / unit
        angle = swivels(leg.knee / unit, step, np.cross(directions(way), bones[0]) / unit, found.share, motion)
        swivel = rotations.from_rotation_vector(angle[:, None] * directions(way))
        upper, lower = (rotations.rotate(swivel, bone) for bone in bones)
        missed[:, i] = np.linalg.norm(way - upper - lower, axis=-1)
        axis = rotations.rotate(rotations.multiply(swivel, carry), leg.axis)
        above = _frame_turn(leg.knee - leg.hip, leg.axis, upper, axis)
        below = _frame_turn(leg.ankle - leg.knee, leg.axis, lower, axis)
        edit.turn(thigh, roll, above)
        edit.turn(shin, above, below)
        turned = rotations.from_rotation_vector(turn[i])
        if shin in _above(skeleton, foot):
            edit.turn(foot, below, turned)
        else:  # rigs for animation may hang feet on the root
            edit.turn(foot, rotations.identity(), turned)
            edit.move(foot, hip[i] + upper + lower - leg.ankle)
        ball = skeleton.roles.get(f"{SIDES[i]}Toes", foot)
        if ball != foot and foot in _above(skeleton, ball):
            edit.turn(ball, turned, rotations.from_rotation_vector(toes[i]))
    edited = replace(motion, rotations=edit.local, translations=edit.places)
    return FootLock(edited, -unit * found.raised, missed * feet.planted.T)


def _model(skeleton: Skeleton, p: Floats, legs: list[_Leg], shift: Floats) -> Legs:
    """Both legs in leg lengths, with ankles to be shifted so."""
    unit, hips = leg_length(skeleton), joint(skeleton, "hips")
    hip = np.stack([leg.hip for leg in legs])
    across = (hip[0] - hip[1]) * [1.0, 0.0, 1.0]
    least = np.maximum(0.5 * np.linalg.norm(hip[0] - hip[1], axis=-1), 1e-12 * unit)
    angle = 2.0 * unit / np.maximum(np.linalg.norm(across, axis=-1), least)
    return Legs(
        way=(np.stack([leg.ankle for leg in legs]) + shift - hip) / unit,
        shift=shift / unit,
        hip=hip / unit,
        hips=p[:, hips] / unit,
        trunk=p[:, _trunk(skeleton)] / unit,
        head=p[:, skeleton.roles.get("head", hips)] / unit,
        knee=np.stack([leg.knee for leg in legs]) / unit,
        upper=np.stack([leg.upper for leg in legs]) / unit,
        lower=np.stack([leg.lower for leg in legs]) / unit,
        flexion=np.stack([leg.flexion for leg in legs]),
        forward=np.stack([directions(np.cross(leg.ankle - leg.hip, leg.axis)) for leg in legs]),
        rigid=np.array([_rigid(skeleton, leg) for leg in legs]),
        aside=directions(across),
        rolling=angle[:, None] * np.cross(directions(across), [0.0, 1.0, 0.0]),
    )


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


def _trunk(skeleton: Skeleton) -> int:
    """The joint about which hips roll, so that the trunk stays: the one on them that carries it, or themselves."""
    hips = joint(skeleton, "hips")
    chain = set.union(*(_above(skeleton, skeleton.roles.get(role, hips)) for role in ("spine", "chest", "head")))
    carrying = [j for j in sorted(chain) if skeleton.parents[j] == hips]
    return carrying[0] if carrying else hips


def _move_hips(edit: _Edit, step: Floats, rolling: Floats) -> None:
    """Hips moved and rolled; what is no leg keeps its orientation."""
    skeleton = edit.skeleton
    hips = joint(skeleton, "hips")
    edit.move(hips, step)
    edit.turn(hips, rotations.identity(), rolling)
    legs = set.union(*(_above(skeleton, joint(skeleton, f"{side}UpperLeg")) for side in SIDES))
    for child in np.flatnonzero(skeleton.parents == hips):
        if int(child) not in legs:
            edit.turn(int(child), rolling, rotations.identity())


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
    lengths = (np.linalg.norm(bone, axis=-1) for bone in (knee - hip, ankle - knee))
    return _Leg((thigh, shin, foot), hip, knee, ankle, normal, axis, flexion, *lengths)


def _rigid(skeleton: Skeleton, leg: _Leg) -> bool:
    """Whether bones keep their lengths and the foot hangs on them; rigs for animation need not."""
    keeps = all(np.ptp(bone) < LENGTHS * bone.mean() for bone in (leg.upper, leg.lower))
    return keeps and leg.joints[1] in _above(skeleton, leg.joints[2])


def _usual_axis(skeleton: Skeleton, world: Floats, thigh: int, normal: Floats, sine: Floats) -> Floats:
    """``(T, 3)`` the axis about which the knee bends when it bends much, fixed in the thigh."""
    usual = np.sum(sine[:, None] ** 2 * rotations.rotate(rotations.conjugate(world), normal), axis=0)
    if np.linalg.norm(usual) < 1e-6 * len(sine):  # never bent: a knee folds backward, about the body's left at rest
        turned, place = skeleton.rest_world()
        left = place[joint(skeleton, "leftUpperLeg")] - place[joint(skeleton, "rightUpperLeg")]
        usual = rotations.rotate(rotations.conjugate(turned[thigh]), left)
    return rotations.rotate(world, directions(usual))


def _laid(leg: _Leg, way: Floats, flexion: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
    """How its plane is turned ``(T, 4)``, and thigh and shin ``(T, 3)``, bent so much and laid along ``way``."""
    carry = rotations.between(leg.ankle - leg.hip, way)
    bend = leg.flexion[:, None] * leg.normal + (flexion - leg.flexion)[:, None] * leg.axis
    bend = np.where(np.sum(bend**2, axis=-1, keepdims=True) > 1e-18, bend, leg.axis)
    along = directions(way)
    forward = directions(np.cross(along, rotations.rotate(carry, bend)))
    size = np.abs(flexion)
    lean = np.arctan2(leg.lower * np.sin(size), leg.upper + leg.lower * np.cos(size))[:, None]
    fall = size[:, None] - lean
    thigh = leg.upper[:, None] * (np.cos(lean) * along + np.sin(lean) * forward)
    return carry, (thigh, leg.lower[:, None] * (np.cos(fall) * along - np.sin(fall) * forward))


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turn that takes one bone to the other, and the plane about it along."""
    swing = rotations.between(bone, bone_new)
    along = directions(bone_new)
    a = rotations.rotate(swing, axis)
    a, b = (v - np.sum(v * along, axis=-1, keepdims=True) * along for v in (a, axis_new))
    angle = np.arctan2(np.sum(along * np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    return rotations.multiply(rotations.from_rotation_vector(angle[:, None] * along), swing)
