"""Both legs of a motion: as it has them, and laid anew between hips and ankles that moved.

A leg's plane is the input's, taken along by the smallest turn from the old way between hip and ankle to the new one;
what a nearly straight knee is bent more than it was it bends about its usual axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import directions, joint, leg_length
from kinesphere.body.leg_paths import Followed, Legs, steps
from kinesphere.body.part_world import PartWorld
from kinesphere.body.remembered import remembered
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Skeleton

STRAIGHT = 0.12  # sine of a knee's flexion below which its usual axis counts for more than its plane
LENGTHS = 0.01  # share by which bones may change their lengths and still keep them
BACKWARD = 0.5  # sine of the flexion up to which a knee may be bent the wrong way; beyond, its plane is another
NOWHERE = "a vector of length zero has no direction"


class SeenLegs(NamedTuple):
    """The legs of the input, left first, in metres."""

    hip: Floats  # (2, T, 3)
    knee: Floats
    ankle: Floats
    normal: Floats  # (2, T, 3) of its plane, unit or nothing, on the usual axis' side
    axis: Floats  # (2, T, 3) the normal, or where the leg is nearly straight the usual axis
    flexion: Floats  # (2, T) about the normal
    upper: Floats  # (2, T)
    lower: Floats


class BentLegs(NamedTuple):
    """Legs laid towards their ankles, in metres."""

    hip: Floats  # (2, T, 3)
    way: Floats  # (2, T, 3) from there to where the ankle should be
    carry: Floats  # (2, T, 4) how its plane is turned
    upper: Floats  # (2, T, 3) thighs
    lower: Floats  # (2, T, 3) shins
    step: Floats  # (2, T, 3) leg lengths that knees go
    aside: Floats  # (2, T, 3) and how they go on if legs are turned about their ways


class TurnedLegs(NamedTuple):
    """What became of them."""

    above: Floats  # (2, T, 4) how thighs turn
    below: Floats  # (2, T, 4) and shins; both only in active frames
    missed: Floats  # (2, T) metres that ankles are from where they should be
    ankle: Floats  # (2, T, 3) where they are


@remembered
def leg_joints(skeleton: Skeleton) -> tuple[tuple[int, int, int], ...]:
    """Thigh, shin and foot, left and right."""
    return tuple(
        (joint(skeleton, f"{side}UpperLeg"), joint(skeleton, f"{side}LowerLeg"), joint(skeleton, f"{side}Foot"))
        for side in SIDES
    )


def above(skeleton: Skeleton, bone: int) -> set[int]:
    """A joint and all that it hangs on."""
    chain = set()
    while bone >= 0:
        chain.add(bone)
        bone = int(skeleton.parents[bone])
    return chain


@remembered
def trunk(skeleton: Skeleton) -> int:
    """The joint about which hips roll, so that the trunk stays: the one on them that carries it, or themselves."""
    hips = joint(skeleton, "hips")
    chain = set.union(*(above(skeleton, skeleton.roles.get(role, hips)) for role in ("spine", "chest", "head")))
    carrying = [j for j in sorted(chain) if skeleton.parents[j] == hips]
    return carrying[0] if carrying else hips


@remembered
def beside_legs(skeleton: Skeleton) -> tuple[int, ...]:
    """What hangs on the hips and is no leg."""
    legs = set.union(*(above(skeleton, thigh) for thigh, _, _ in leg_joints(skeleton)))
    return tuple(child for child in skeleton.children[joint(skeleton, "hips")] if child not in legs)


@remembered
def _resting_axes(skeleton: Skeleton) -> Floats:
    """``(2, 3)`` about what a knee bends, in its thigh, if it never does: the body's left at rest."""
    turned, place = skeleton.rest_world()
    thighs = [joints[0] for joints in leg_joints(skeleton)]
    return rotations.rotate(rotations.conjugate(turned[thighs]), place[thighs[0]] - place[thighs[1]])


def seen_legs(skeleton: Skeleton, world: PartWorld) -> SeenLegs:
    """Both legs."""
    frames = len(world.q)
    if compiled.loaded(world.p.size) is None:
        return seen_reference(skeleton, world)
    from kinesphere.kernels import jit_leg_laying

    legs = SeenLegs(*np.empty((5, 2, frames, 3)), *np.empty((3, 2, frames)))
    rows = np.array([[world.part.rows[j] for j in joints] for joints in leg_joints(skeleton)], dtype=np.intp)
    jit_leg_laying.see_legs(world.q, world.p, rows, _resting_axes(skeleton), STRAIGHT, BACKWARD, legs)
    return legs


def seen_reference(skeleton: Skeleton, world: PartWorld) -> SeenLegs:
    """The same in plain NumPy."""
    return SeenLegs(*(np.stack(both) for both in zip(*(_leg(skeleton, world, i) for i in range(2)), strict=True)))


def _leg(skeleton: Skeleton, world: PartWorld, i: int) -> SeenLegs:
    """One leg: arrays without their first axis."""
    thigh, shin, foot = leg_joints(skeleton)[i]
    hip, knee, ankle = world.places(thigh), world.places(shin), world.places(foot)
    upper, lower = directions(knee - hip), directions(ankle - knee)
    normal = np.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=-1)
    usual = _usual_axis(skeleton, world.turned(thigh), i, normal, sine)
    backward = (np.sum(normal * usual, axis=-1) < 0.0) & (sine < BACKWARD)
    sign = np.where(backward, -1.0, 1.0)
    flexion = sign * np.arctan2(sine, np.sum(upper * lower, axis=-1))
    normal = directions(sign[:, None] * normal)
    share = np.exp(-((sine / STRAIGHT) ** 2))[:, None]
    axis = directions((1.0 - share) * normal + share * usual)
    lengths = (np.linalg.norm(bone, axis=-1) for bone in (knee - hip, ankle - knee))
    return SeenLegs(hip, knee, ankle, normal, axis, flexion, *lengths)


def _usual_axis(skeleton: Skeleton, world: Floats, i: int, normal: Floats, sine: Floats) -> Floats:
    """``(T, 3)`` the axis about which the knee bends when it bends much, fixed in the thigh."""
    usual = np.sum(sine[:, None] ** 2 * rotations.rotate(rotations.conjugate(world), normal), axis=0)
    if np.linalg.norm(usual) < 1e-6 * len(sine):  # never bent: a knee folds backward
        usual = _resting_axes(skeleton)[i]
    return rotations.rotate(world, directions(usual))


@remembered
def hanging(skeleton: Skeleton) -> Bools:
    """``(2,)`` whether feet hang on shins; in rigs for animation they need not."""
    return np.array([shin in above(skeleton, foot) for _, shin, foot in leg_joints(skeleton)])


def rigid(skeleton: Skeleton, legs: SeenLegs) -> Bools:
    """``(2,)`` whether bones keep their lengths and the foot hangs on them; rigs for animation need not."""
    bones = np.stack([legs.upper, legs.lower])
    keeps = np.all(np.ptp(bones, axis=-1) < LENGTHS * bones.mean(axis=-1), axis=0)
    rigid: Bools = keeps & hanging(skeleton)
    return rigid


def modelled(skeleton: Skeleton, world: PartWorld, legs: SeenLegs, shift: Floats) -> Legs:
    """Both legs in leg lengths, with ankles to be shifted by ``(2, T, 3)`` metres."""
    if compiled.loaded(world.p.size) is None:
        return modelled_reference(skeleton, world, legs, shift)
    from kinesphere.kernels import jit_leg_laying

    hips, rows, frames = joint(skeleton, "hips"), world.part.rows, len(world.p)
    named = np.array([rows[hips], rows[trunk(skeleton)], rows[skeleton.roles.get("head", hips)]], dtype=np.intp)
    both, one, lengths = np.empty((5, 2, frames, 3)), np.empty((5, frames, 3)), np.empty((3, 2, frames))
    model = Legs(
        way=both[0], shift=both[1], hip=both[2], hips=one[0], trunk=one[1], head=one[2], knee=both[3],
        upper=lengths[0], lower=lengths[1], flexion=lengths[2], forward=both[4], rigid=np.empty(2, dtype=bool),
        aside=one[3], rolling=one[4],
    )  # fmt: skip
    feet = hanging(skeleton)
    jit_leg_laying.model_legs(legs, world.p, named, feet, LENGTHS, shift, leg_length(skeleton), model)
    return model


def modelled_reference(skeleton: Skeleton, world: PartWorld, legs: SeenLegs, shift: Floats) -> Legs:
    """The same in plain NumPy."""
    unit, hips, hip = leg_length(skeleton), joint(skeleton, "hips"), legs.hip
    across = (hip[0] - hip[1]) * [1.0, 0.0, 1.0]
    least = np.maximum(0.5 * np.linalg.norm(hip[0] - hip[1], axis=-1), 1e-12 * unit)
    angle = 2.0 * unit / np.maximum(np.linalg.norm(across, axis=-1), least)
    return Legs(
        way=(legs.ankle + shift - hip) / unit,
        shift=shift / unit,
        hip=hip / unit,
        hips=world.places(hips) / unit,
        trunk=world.places(trunk(skeleton)) / unit,
        head=world.places(skeleton.roles.get("head", hips)) / unit,
        knee=legs.knee / unit,
        upper=legs.upper / unit,
        lower=legs.lower / unit,
        flexion=legs.flexion,
        forward=directions(np.cross(legs.ankle - hip, legs.axis)),
        rigid=rigid(skeleton, legs),
        aside=directions(across),
        rolling=angle[:, None] * np.cross(directions(across), [0.0, 1.0, 0.0]),
    )


def moving(shift: Floats, turn: Floats, model: Legs, found: Followed) -> Bools:
    """``(T,)`` where feet, shifted and turned by ``(2, T, 3)``, knees or hips move at all."""
    if compiled.loaded(shift.size) is None:
        return moving_reference(shift, turn, model, found)
    from kinesphere.kernels import jit_leg_laying

    some = np.empty(shift.shape[1], dtype=bool)
    hips = (found.raised, found.rolled, found.swayed)
    jit_leg_laying.find_moving(shift, turn, model.flexion, found.flexion, *hips, some)
    return some


def moving_reference(shift: Floats, turn: Floats, model: Legs, found: Followed) -> Bools:
    """The same in plain NumPy."""
    feet = np.any(shift, axis=(0, 2)) | np.any(turn, axis=(0, 2)) | np.any(found.flexion != model.flexion, axis=0)
    some: Bools = feet | (found.raised != 0.0) | (found.rolled != 0.0) | (found.swayed != 0.0)
    return some


def bent_legs(legs: SeenLegs, model: Legs, found: Followed, unit: float) -> BentLegs:
    """Legs whose hips moved and whose knees bend as found, laid towards their ankles."""
    if compiled.loaded(legs.hip.size) is None:
        return bent_reference(legs, model, found, unit)
    from kinesphere.kernels import jit_leg_laying

    frames = legs.hip.shape[1]
    hip, way, upper, lower, step, aside = np.empty((6, 2, frames, 3))
    bent = BentLegs(hip, way, np.empty((2, frames, 4)), upper, lower, step, aside)
    jit_leg_laying.bend_legs(legs, model, found.raised, found.rolled, found.swayed, found.flexion, unit, *bent)
    if np.isnan(bent.carry[..., 0]).any():
        raise ValueError(NOWHERE)
    return bent


def bent_reference(legs: SeenLegs, model: Legs, found: Followed, unit: float) -> BentLegs:
    """The same in plain NumPy."""
    hip = unit * (model.hip + steps(model, model.hip, found)[0])
    way = legs.ankle + unit * model.shift - hip
    carry = rotations.between(legs.ankle - legs.hip, way)
    bend = legs.flexion[..., None] * legs.normal + (found.flexion - legs.flexion)[..., None] * legs.axis
    bend = np.where(np.sum(bend**2, axis=-1, keepdims=True) > 1e-18, bend, legs.axis)
    along = directions(way)
    forward = directions(np.cross(along, rotations.rotate(carry, bend)))
    size = np.abs(found.flexion)
    lean = np.arctan2(legs.lower * np.sin(size), legs.upper + legs.lower * np.cos(size))[..., None]
    fall = size[..., None] - lean
    thigh = legs.upper[..., None] * (np.cos(lean) * along + np.sin(lean) * forward)
    shin = legs.lower[..., None] * (np.cos(fall) * along - np.sin(fall) * forward)
    return BentLegs(hip, way, carry, thigh, shin, (hip + thigh - legs.knee) / unit, np.cross(along, thigh) / unit)


def turned_legs(legs: SeenLegs, bent: BentLegs, angle: Floats, active: Bools) -> TurnedLegs:
    """How thighs and shins turn if legs are then turned by angles ``(2, T)`` about their ways."""
    if compiled.loaded(legs.hip.size) is None:
        return turned_reference(legs, bent, angle)
    from kinesphere.kernels import jit_leg_laying

    frames = legs.hip.shape[1]
    turns = TurnedLegs(
        np.zeros((2, frames, 4)), np.zeros((2, frames, 4)), np.empty((2, frames)), np.empty((2, frames, 3))
    )
    jit_leg_laying.turn_legs(legs, bent, angle, active, *turns)
    if np.isnan(turns.above[..., 0]).any() or np.isnan(turns.below[..., 0]).any():
        raise ValueError(NOWHERE)
    return turns


def turned_reference(legs: SeenLegs, bent: BentLegs, angle: Floats) -> TurnedLegs:
    """The same in plain NumPy, in all frames."""
    swivel = rotations.from_rotation_vector(angle[..., None] * directions(bent.way))
    upper, lower = (rotations.rotate(swivel, bone) for bone in (bent.upper, bent.lower))
    missed = np.linalg.norm(bent.way - upper - lower, axis=-1)
    axis = rotations.rotate(rotations.multiply(swivel, bent.carry), legs.axis)
    above = _frame_turn(legs.knee - legs.hip, legs.axis, upper, axis)
    below = _frame_turn(legs.ankle - legs.knee, legs.axis, lower, axis)
    return TurnedLegs(above, below, missed, bent.hip + upper + lower)


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turn that takes one bone to the other, and the plane about it along."""
    swing = rotations.between(bone, bone_new)
    along = directions(bone_new)
    a = rotations.rotate(swing, axis)
    a, b = (v - np.sum(v * along, axis=-1, keepdims=True) * along for v in (a, axis_new))
    angle = np.arctan2(np.sum(along * np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    return rotations.multiply(rotations.from_rotation_vector(angle[..., None] * along), swing)
