"""Both legs of a motion: as it has them, and laid anew between hips and ankles that moved.

A leg's plane is the input's, taken along by the smallest turn from the old way between hip and ankle to the new one;
what a nearly straight knee is bent more than it was it bends about its usual axis.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.body.foot_lock.leg_paths import LegModel, LegPaths, hip_steps
from kinesphere.body.ground import leg_length, require_joint, unit_vectors
from kinesphere.body.joint_subset import SubsetPose
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.rotations import exponential_quaternion, quaternion_between, quaternion_product, rotate_vector
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_skeleton
from kinesphere.motion.skeleton import Skeleton

STRAIGHT = 0.12  # sine of a knee's flexion below which its usual axis counts for more than its plane
LENGTHS = 0.01  # share by which bones may change their lengths and still keep them
BACKWARD = 0.5  # sine of the flexion up to which a knee may be bent the wrong way; beyond, its plane is another
NOWHERE = "a vector of length zero has no direction"


class LegPoses(NamedTuple):
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


class LegRotations(NamedTuple):
    """What became of them."""

    above: Floats  # (2, T, 4) how thighs turn
    below: Floats  # (2, T, 4) and shins; both only in active frames
    missed: Floats  # (2, T) metres that ankles are from where they should be
    ankle: Floats  # (2, T, 3) where they are


@memoise_by_skeleton
def leg_joints(skeleton: Skeleton) -> tuple[tuple[int, int, int], ...]:
    """Thigh, shin and foot, left and right."""
    return tuple(
        (
            require_joint(skeleton, f"{side}UpperLeg"),
            require_joint(skeleton, f"{side}LowerLeg"),
            require_joint(skeleton, f"{side}Foot"),
        )
        for side in SIDES
    )


def ancestors(skeleton: Skeleton, bone: int) -> set[int]:
    """A joint and all that it hangs on."""
    chain = set()
    while bone >= 0:
        chain.add(bone)
        bone = int(skeleton.parents[bone])
    return chain


@memoise_by_skeleton
def trunk(skeleton: Skeleton) -> int:
    """The joint about which hips roll, so that the trunk stays: the one on them that carries it, or themselves."""
    hips = require_joint(skeleton, "hips")
    chain = set.union(*(ancestors(skeleton, skeleton.roles.get(role, hips)) for role in ("spine", "chest", "head")))
    carrying = [j for j in sorted(chain) if skeleton.parents[j] == hips]
    return carrying[0] if carrying else hips


@memoise_by_skeleton
def hip_attachments(skeleton: Skeleton) -> tuple[int, ...]:
    """What hangs on the hips and is no leg."""
    legs = set.union(*(ancestors(skeleton, thigh) for thigh, _, _ in leg_joints(skeleton)))
    return tuple(child for child in skeleton.children[require_joint(skeleton, "hips")] if child not in legs)


@memoise_by_skeleton
def _resting_axes(skeleton: Skeleton) -> Floats:
    """``(2, 3)`` about what a knee bends, in its thigh, if it never does: the body's left at rest."""
    turned, place = skeleton.rest_world()
    thighs = [joints[0] for joints in leg_joints(skeleton)]
    return rotations.rotate(rotations.conjugate(turned[thighs]), place[thighs[0]] - place[thighs[1]])


def measure_legs(skeleton: Skeleton, world: SubsetPose) -> LegPoses:
    """Both legs."""
    frames = len(world.q)
    if compiled.loaded(world.p.size) is None:
        return measure_legs_reference(skeleton, world)

    legs = LegPoses(*np.empty((5, 2, frames, 3)), *np.empty((3, 2, frames)))
    rows = np.array([[world.part.rows[j] for j in joints] for joints in leg_joints(skeleton)], dtype=np.intp)
    measure_legs_kernel(world.q, world.p, rows, _resting_axes(skeleton), STRAIGHT, BACKWARD, legs)
    return legs


def measure_legs_reference(skeleton: Skeleton, world: SubsetPose) -> LegPoses:
    """The same in plain NumPy."""
    return LegPoses(*(np.stack(both) for both in zip(*(_leg(skeleton, world, i) for i in range(2)), strict=True)))


def _leg(skeleton: Skeleton, world: SubsetPose, i: int) -> LegPoses:
    """One leg: arrays without their first axis."""
    thigh, shin, foot = leg_joints(skeleton)[i]
    hip, knee, ankle = world.places(thigh), world.places(shin), world.places(foot)
    upper, lower = unit_vectors(knee - hip), unit_vectors(ankle - knee)
    normal = np.cross(upper, lower)
    sine = np.linalg.norm(normal, axis=-1)
    usual = _usual_axis(skeleton, world.turned(thigh), i, normal, sine)
    backward = (np.sum(normal * usual, axis=-1) < 0.0) & (sine < BACKWARD)
    sign = np.where(backward, -1.0, 1.0)
    flexion = sign * np.arctan2(sine, np.sum(upper * lower, axis=-1))
    normal = unit_vectors(sign[:, None] * normal)
    share = np.exp(-((sine / STRAIGHT) ** 2))[:, None]
    axis = unit_vectors((1.0 - share) * normal + share * usual)
    lengths = (np.linalg.norm(bone, axis=-1) for bone in (knee - hip, ankle - knee))
    return LegPoses(hip, knee, ankle, normal, axis, flexion, *lengths)


def _usual_axis(skeleton: Skeleton, world: Floats, i: int, normal: Floats, sine: Floats) -> Floats:
    """``(T, 3)`` the axis about which the knee bends when it bends much, fixed in the thigh."""
    usual = np.sum(sine[:, None] ** 2 * rotations.rotate(rotations.conjugate(world), normal), axis=0)
    if np.linalg.norm(usual) < 1e-6 * len(sine):  # never bent: a knee folds backward
        usual = _resting_axes(skeleton)[i]
    return rotations.rotate(world, unit_vectors(usual))


@memoise_by_skeleton
def feet_on_shins(skeleton: Skeleton) -> Bools:
    """``(2,)`` whether feet hang on shins; in rigs for animation they need not."""
    return np.array([shin in ancestors(skeleton, foot) for _, shin, foot in leg_joints(skeleton)])


def rigid_legs(skeleton: Skeleton, legs: LegPoses) -> Bools:
    """``(2,)`` whether bones keep their lengths and the foot hangs on them; rigs for animation need not."""
    bones = np.stack([legs.upper, legs.lower])
    keeps = np.all(np.ptp(bones, axis=-1) < LENGTHS * bones.mean(axis=-1), axis=0)
    rigid: Bools = keeps & feet_on_shins(skeleton)
    return rigid


def leg_model(skeleton: Skeleton, world: SubsetPose, legs: LegPoses, shift: Floats) -> LegModel:
    """Both legs in leg lengths, with ankles to be shifted by ``(2, T, 3)`` metres."""
    if compiled.loaded(world.p.size) is None:
        return leg_model_reference(skeleton, world, legs, shift)

    hips, rows, frames = require_joint(skeleton, "hips"), world.part.rows, len(world.p)
    named = np.array([rows[hips], rows[trunk(skeleton)], rows[skeleton.roles.get("head", hips)]], dtype=np.intp)
    both, one, lengths = np.empty((5, 2, frames, 3)), np.empty((5, frames, 3)), np.empty((3, 2, frames))
    model = LegModel(
        way=both[0], shift=both[1], hip=both[2], hips=one[0], trunk=one[1], head=one[2], knee=both[3],
        upper=lengths[0], lower=lengths[1], flexion=lengths[2], forward=both[4], rigid=np.empty(2, dtype=bool),
        aside=one[3], rolling=one[4],
    )  # fmt: skip
    feet = feet_on_shins(skeleton)
    leg_model_kernel(legs, world.p, named, feet, LENGTHS, shift, leg_length(skeleton), model)
    return model


def leg_model_reference(skeleton: Skeleton, world: SubsetPose, legs: LegPoses, shift: Floats) -> LegModel:
    """The same in plain NumPy."""
    unit, hips, hip = leg_length(skeleton), require_joint(skeleton, "hips"), legs.hip
    across = (hip[0] - hip[1]) * [1.0, 0.0, 1.0]
    least = np.maximum(0.5 * np.linalg.norm(hip[0] - hip[1], axis=-1), 1e-12 * unit)
    angle = 2.0 * unit / np.maximum(np.linalg.norm(across, axis=-1), least)
    return LegModel(
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
        forward=unit_vectors(np.cross(legs.ankle - hip, legs.axis)),
        rigid=rigid_legs(skeleton, legs),
        aside=unit_vectors(across),
        rolling=angle[:, None] * np.cross(unit_vectors(across), [0.0, 1.0, 0.0]),
    )


def moving_frames(shift: Floats, turn: Floats, model: LegModel, found: LegPaths) -> Bools:
    """``(T,)`` where feet, shifted and turned by ``(2, T, 3)``, knees or hips move at all."""
    if compiled.loaded(shift.size) is None:
        return moving_frames_reference(shift, turn, model, found)

    some = np.empty(shift.shape[1], dtype=bool)
    hips = (found.raised, found.rolled, found.swayed)
    moving_frames_kernel(shift, turn, model.flexion, found.flexion, *hips, some)
    return some


def moving_frames_reference(shift: Floats, turn: Floats, model: LegModel, found: LegPaths) -> Bools:
    """The same in plain NumPy."""
    feet = np.any(shift, axis=(0, 2)) | np.any(turn, axis=(0, 2)) | np.any(found.flexion != model.flexion, axis=0)
    some: Bools = feet | (found.raised != 0.0) | (found.rolled != 0.0) | (found.swayed != 0.0)
    return some


def bend_legs(legs: LegPoses, model: LegModel, found: LegPaths, unit: float) -> BentLegs:
    """Legs whose hips moved and whose knees bend as found, laid towards their ankles."""
    if compiled.loaded(legs.hip.size) is None:
        return bend_legs_reference(legs, model, found, unit)

    frames = legs.hip.shape[1]
    hip, way, upper, lower, step, aside = np.empty((6, 2, frames, 3))
    bent = BentLegs(hip, way, np.empty((2, frames, 4)), upper, lower, step, aside)
    bend_legs_kernel(legs, model, found.raised, found.rolled, found.swayed, found.flexion, unit, *bent)
    if np.isnan(bent.carry[..., 0]).any():
        raise ValueError(NOWHERE)
    return bent


def bend_legs_reference(legs: LegPoses, model: LegModel, found: LegPaths, unit: float) -> BentLegs:
    """The same in plain NumPy."""
    hip = unit * (model.hip + hip_steps(model, model.hip, found)[0])
    way = legs.ankle + unit * model.shift - hip
    carry = rotations.rotation_between(legs.ankle - legs.hip, way)
    bend = legs.flexion[..., None] * legs.normal + (found.flexion - legs.flexion)[..., None] * legs.axis
    bend = np.where(np.sum(bend**2, axis=-1, keepdims=True) > 1e-18, bend, legs.axis)
    along = unit_vectors(way)
    forward = unit_vectors(np.cross(along, rotations.rotate(carry, bend)))
    size = np.abs(found.flexion)
    lean = np.arctan2(legs.lower * np.sin(size), legs.upper + legs.lower * np.cos(size))[..., None]
    fall = size[..., None] - lean
    thigh = legs.upper[..., None] * (np.cos(lean) * along + np.sin(lean) * forward)
    shin = legs.lower[..., None] * (np.cos(fall) * along - np.sin(fall) * forward)
    return BentLegs(hip, way, carry, thigh, shin, (hip + thigh - legs.knee) / unit, np.cross(along, thigh) / unit)


def rotate_legs(legs: LegPoses, bent: BentLegs, angle: Floats, active: Bools) -> LegRotations:
    """How thighs and shins turn if legs are then turned by angles ``(2, T)`` about their ways."""
    if compiled.loaded(legs.hip.size) is None:
        return rotate_legs_reference(legs, bent, angle)

    frames = legs.hip.shape[1]
    turns = LegRotations(
        np.zeros((2, frames, 4)), np.zeros((2, frames, 4)), np.empty((2, frames)), np.empty((2, frames, 3))
    )
    rotate_legs_kernel(legs, bent, angle, active, *turns)
    if np.isnan(turns.above[..., 0]).any() or np.isnan(turns.below[..., 0]).any():
        raise ValueError(NOWHERE)
    return turns


def rotate_legs_reference(legs: LegPoses, bent: BentLegs, angle: Floats) -> LegRotations:
    """The same in plain NumPy, in all frames."""
    swivel = rotations.from_rotation_vector(angle[..., None] * unit_vectors(bent.way))
    upper, lower = (rotations.rotate(swivel, bone) for bone in (bent.upper, bent.lower))
    missed = np.linalg.norm(bent.way - upper - lower, axis=-1)
    axis = rotations.rotate(rotations.multiply(swivel, bent.carry), legs.axis)
    above = _frame_turn(legs.knee - legs.hip, legs.axis, upper, axis)
    below = _frame_turn(legs.ankle - legs.knee, legs.axis, lower, axis)
    return LegRotations(above, below, missed, bent.hip + upper + lower)


def _frame_turn(bone: Floats, axis: Floats, bone_new: Floats, axis_new: Floats) -> Floats:
    """The turn that takes one bone to the other, and the plane about it along."""
    swing = rotations.rotation_between(bone, bone_new)
    along = unit_vectors(bone_new)
    a = rotations.rotate(swing, axis)
    a, b = (v - np.sum(v * along, axis=-1, keepdims=True) * along for v in (a, axis_new))
    angle = np.arctan2(np.sum(along * np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))
    return rotations.multiply(rotations.from_rotation_vector(angle[..., None] * along), swing)


# ---- Compiled legs: as a motion has them, and as they are laid anew. Import this only through ``compiled``.
#
# The twins are in ``body.legs``: ``measure_legs_reference``, ``leg_model_reference``, ``moving_frames_reference``,
# ``bend_legs_reference`` and
# ``rotate_legs_reference``.


@compile_kernel
def measure_legs_kernel(q, p, rows, resting, straight, backward, legs):  # type: ignore[no-untyped-def]
    """Both legs of joints in the world (T, K, 4 and 3); ``rows`` (2, 3) are thighs, shins and feet."""
    for i in range(2):
        _see_leg(
            q, p, rows[i], resting[i], straight, backward, legs.hip[i], legs.knee[i], legs.ankle[i],
            legs.normal[i], legs.axis[i], legs.flexion[i], legs.upper[i], legs.lower[i],
        )  # fmt: skip


@compile_kernel
def _see_leg(  # type: ignore[no-untyped-def]
    q, p, rows, resting, straight, backward, hip, knee, ankle, normal, axis, flexion, upper, lower
):
    frames, thigh = q.shape[0], rows[0]
    sines, usual = np.empty(frames), np.zeros(3)
    above, below = np.empty(3), np.empty(3)
    for t in range(frames):
        for c in range(3):
            hip[t, c], knee[t, c], ankle[t, c] = p[t, thigh, c], p[t, rows[1], c], p[t, rows[2], c]
            above[c], below[c] = knee[t, c] - hip[t, c], ankle[t, c] - knee[t, c]
        upper[t], lower[t] = _unit(above), _unit(below)
        nx, ny, nz = _cross(above, below)
        sine = math.sqrt(nx * nx + ny * ny + nz * nz)
        flexion[t] = math.atan2(sine, above[0] * below[0] + above[1] * below[1] + above[2] * below[2])
        normal[t, 0], normal[t, 1], normal[t, 2] = nx, ny, nz
        nx, ny, nz = rotate_vector(q[t, thigh, 0], -q[t, thigh, 1], -q[t, thigh, 2], -q[t, thigh, 3], nx, ny, nz)
        square = sine * sine
        usual[0], usual[1], usual[2] = usual[0] + square * nx, usual[1] + square * ny, usual[2] + square * nz
        sines[t] = sine
    if math.sqrt(usual[0] ** 2 + usual[1] ** 2 + usual[2] ** 2) < 1e-6 * frames:
        usual[0], usual[1], usual[2] = resting[0], resting[1], resting[2]
    _unit(usual)
    for t in range(frames):
        own, sine = normal[t], sines[t]
        ux, uy, uz = rotate_vector(
            q[t, thigh, 0], q[t, thigh, 1], q[t, thigh, 2], q[t, thigh, 3], usual[0], usual[1], usual[2]
        )
        if own[0] * ux + own[1] * uy + own[2] * uz < 0.0 and sine < backward:
            own[0], own[1], own[2] = -own[0], -own[1], -own[2]
            flexion[t] = -flexion[t]
        _unit(own)
        share = math.exp(-((sine / straight) ** 2))
        axis[t, 0] = (1.0 - share) * own[0] + share * ux
        axis[t, 1] = (1.0 - share) * own[1] + share * uy
        axis[t, 2] = (1.0 - share) * own[2] + share * uz
        _unit(axis[t])


@compile_kernel
def leg_model_kernel(legs, p, rows, hanging, keeps, shift, unit, model):  # type: ignore[no-untyped-def]
    """Legs in leg lengths, with ankles to be shifted by (2, T, 3); ``rows`` are hips, trunk and head in ``p``.

    Legs are rigid that have their feet ``feet_on_shins`` (2,) on them and bones that change by less than a share ``keeps``.
    """
    frames = p.shape[0]
    for i in range(2):
        model.rigid[i] = hanging[i] and _keeps(legs.upper[i], keeps) and _keeps(legs.lower[i], keeps)
    across, side = np.empty(3), np.empty(3)
    for t in range(frames):
        for c in range(3):
            across[c] = legs.hip[0, t, c] - legs.hip[1, t, c]
            model.hips[t, c] = p[t, rows[0], c] / unit
            model.trunk[t, c] = p[t, rows[1], c] / unit
            model.head[t, c] = p[t, rows[2], c] / unit
        whole = math.sqrt(across[0] ** 2 + across[1] ** 2 + across[2] ** 2)
        across[1] = 0.0
        level = _unit(across)
        angle = 2.0 * unit / max(level, max(0.5 * whole, 1e-12 * unit))
        model.aside[t, 0], model.aside[t, 1], model.aside[t, 2] = across[0], 0.0, across[2]
        # across × up
        model.rolling[t, 0], model.rolling[t, 1], model.rolling[t, 2] = -angle * across[2], 0.0, angle * across[0]
        for i in range(2):
            hip, ankle = legs.hip[i, t], legs.ankle[i, t]
            for c in range(3):
                model.way[i, t, c] = (ankle[c] + shift[i, t, c] - hip[c]) / unit
                model.shift[i, t, c] = shift[i, t, c] / unit
                model.hip[i, t, c] = hip[c] / unit
                model.knee[i, t, c] = legs.knee[i, t, c] / unit
                side[c] = ankle[c] - hip[c]
            forward = model.forward[i, t]
            forward[0], forward[1], forward[2] = _cross(side, legs.axis[i, t])
            _unit(forward)
            model.upper[i, t], model.lower[i, t] = legs.upper[i, t] / unit, legs.lower[i, t] / unit
            model.flexion[i, t] = legs.flexion[i, t]


@compile_kernel
def _keeps(lengths, share):  # type: ignore[no-untyped-def]
    """Whether lengths (T,) differ by less than a share of their mean."""
    least, most, total = lengths[0], lengths[0], 0.0
    for t in range(lengths.size):
        least, most, total = min(least, lengths[t]), max(most, lengths[t]), total + lengths[t]
    return most - least < share * total / lengths.size


@compile_kernel
def moving_frames_kernel(shift, turn, was, now, raised, rolled, swayed, moving):  # type: ignore[no-untyped-def]
    """Frames (T,) in which anything moves: feet (2, T, 3), knees (2, T) or hips (T,)."""
    for t in range(moving.size):
        some = raised[t] != 0.0 or rolled[t] != 0.0 or swayed[t] != 0.0
        for i in range(2):
            some = some or was[i, t] != now[i, t]
            for c in range(3):
                some = some or shift[i, t, c] != 0.0 or turn[i, t, c] != 0.0
        moving[t] = some


@compile_kernel
def bend_legs_kernel(  # type: ignore[no-untyped-def]
    legs, model, raised, rolled, swayed, flexion, unit, hip, way, carry, upper, lower, step, aside
):
    """Hips moved by (T,) each way, and thighs and shins (2, T, 3) bent so much and laid towards the ankles.

    ``carry`` (2, T, 4) is how a leg's plane is turned, ``step`` how far its knee goes and ``aside`` how it goes if
    the leg is turned about its way.
    """
    along, forward, bend = np.empty(3), np.empty(3), np.empty(3)
    for t in range(raised.size):
        roll, trunk, side = model.rolling[t], model.trunk[t], model.aside[t]
        by = rolled[t]
        w, a, b, c = exponential_quaternion(by * roll[0], by * roll[1], by * roll[2])
        for i in range(2):
            at = model.hip[i, t]
            px, py, pz = at[0] - trunk[0], at[1] - trunk[1], at[2] - trunk[2]
            qx, qy, qz = rotate_vector(w, a, b, c, px, py, pz)
            hip[i, t, 0] = unit * (at[0] + qx - px + swayed[t] * side[0])
            hip[i, t, 1] = unit * (at[1] + qy - py + raised[t] + swayed[t] * side[1])
            hip[i, t, 2] = unit * (at[2] + qz - pz + swayed[t] * side[2])
            own, ankle = legs.hip[i, t], legs.ankle[i, t]
            for k in range(3):
                way[i, t, k] = ankle[k] + unit * model.shift[i, t, k] - hip[i, t, k]
                along[k] = way[i, t, k]
            e, f, g, h = quaternion_between(
                ankle[0] - own[0], ankle[1] - own[1], ankle[2] - own[2], along[0], along[1], along[2]
            )
            carry[i, t, 0], carry[i, t, 1], carry[i, t, 2], carry[i, t, 3] = e, f, g, h
            was, more, square = legs.flexion[i, t], flexion[i, t] - legs.flexion[i, t], 0.0
            for k in range(3):
                bend[k] = was * legs.normal[i, t, k] + more * legs.axis[i, t, k]
                square += bend[k] * bend[k]
            if not square > 1e-18:
                bend[:] = legs.axis[i, t]
            bend[0], bend[1], bend[2] = rotate_vector(e, f, g, h, bend[0], bend[1], bend[2])
            _unit(along)
            forward[0], forward[1], forward[2] = _cross(along, bend)
            _unit(forward)
            size = abs(flexion[i, t])
            above, below = legs.upper[i, t], legs.lower[i, t]
            cosine, sine = math.cos(size), math.sin(size)
            # how far the thigh leans from the way, and the shin beyond it
            c0, s0 = above + below * cosine, below * sine
            reach = math.sqrt(c0 * c0 + s0 * s0)
            c0, s0 = (c0 / reach, s0 / reach) if reach > 0.0 else (1.0, 0.0)
            c1, s1 = cosine * c0 + sine * s0, sine * c0 - cosine * s0
            for k in range(3):
                upper[i, t, k] = above * (c0 * along[k] + s0 * forward[k])
                lower[i, t, k] = below * (c1 * along[k] - s1 * forward[k])
                step[i, t, k] = (hip[i, t, k] + upper[i, t, k] - legs.knee[i, t, k]) / unit
            e, f, g = _cross(along, upper[i, t])
            aside[i, t, 0], aside[i, t, 1], aside[i, t, 2] = e / unit, f / unit, g / unit


@compile_kernel
def rotate_legs_kernel(legs, bent, angle, active, above, below, missed, ankle):  # type: ignore[no-untyped-def]
    """How thighs and shins turn (2, T, 4), how far ankles are from where they should be (2, T), and where they are."""
    along, axis, bone, thigh, shin = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    way, carry = bent.way, bent.carry
    for i in range(2):
        for t in range(active.size):
            along[:] = way[i, t]
            _unit(along)
            turn = angle[i, t]
            w, x, y, z = exponential_quaternion(turn * along[0], turn * along[1], turn * along[2])
            upper, lower = bent.upper[i, t], bent.lower[i, t]
            thigh[0], thigh[1], thigh[2] = rotate_vector(w, x, y, z, upper[0], upper[1], upper[2])
            shin[0], shin[1], shin[2] = rotate_vector(w, x, y, z, lower[0], lower[1], lower[2])
            for k in range(3):
                ankle[i, t, k] = bent.hip[i, t, k] + thigh[k] + shin[k]
            a, b, c = (
                way[i, t, 0] - thigh[0] - shin[0],
                way[i, t, 1] - thigh[1] - shin[1],
                way[i, t, 2] - thigh[2] - shin[2],
            )
            missed[i, t] = math.sqrt(a * a + b * b + c * c)
            if not active[t]:
                continue
            w, x, y, z = quaternion_product(w, x, y, z, carry[i, t, 0], carry[i, t, 1], carry[i, t, 2], carry[i, t, 3])
            own = legs.axis[i, t]
            axis[0], axis[1], axis[2] = rotate_vector(w, x, y, z, own[0], own[1], own[2])
            for k in range(3):
                bone[k] = legs.knee[i, t, k] - legs.hip[i, t, k]
            _frame_turn_kernel(bone, own, thigh, axis, above[i, t])
            for k in range(3):
                bone[k] = legs.ankle[i, t, k] - legs.knee[i, t, k]
            _frame_turn_kernel(bone, own, shin, axis, below[i, t])


@compile_kernel
def _frame_turn_kernel(bone, axis, bone_new, axis_new, turn):  # type: ignore[no-untyped-def]
    """The turn (4,) that takes one bone to the other, and the plane about it along."""
    w, x, y, z = _swing(bone[0], bone[1], bone[2], bone_new[0], bone_new[1], bone_new[2])
    size = math.sqrt(bone_new[0] ** 2 + bone_new[1] ** 2 + bone_new[2] ** 2)
    size = size if size > 0.0 else 1.0
    lx, ly, lz = bone_new[0] / size, bone_new[1] / size, bone_new[2] / size
    ax, ay, az = rotate_vector(w, x, y, z, axis[0], axis[1], axis[2])
    bx, by, bz = axis_new[0], axis_new[1], axis_new[2]
    along = ax * lx + ay * ly + az * lz
    ax, ay, az = ax - along * lx, ay - along * ly, az - along * lz
    along = bx * lx + by * ly + bz * lz
    bx, by, bz = bx - along * lx, by - along * ly, bz - along * lz
    sine = lx * (ay * bz - az * by) + ly * (az * bx - ax * bz) + lz * (ax * by - ay * bx)
    e, half = _halved(ax * bx + ay * by + az * bz, sine)
    f, g, h = half * lx, half * ly, half * lz
    turn[0], turn[1], turn[2], turn[3] = quaternion_product(e, f, g, h, w, x, y, z)


@compile_kernel
def _halved(cosine, sine):  # type: ignore[no-untyped-def]
    """Cosine and sine of half an angle, from multiples of those of the whole; none if both are nothing."""
    size = math.sqrt(cosine * cosine + sine * sine)
    if not size > 0.0:
        return 1.0, 0.0
    if cosine > 0.0:
        c = math.sqrt(0.5 * (1.0 + cosine / size))
        return c, 0.5 * sine / (size * c)
    s = math.sqrt(0.5 * (1.0 - cosine / size))
    s = s if sine >= 0.0 else -s
    return 0.5 * sine / (size * s), s


@compile_kernel
def _swing(ax, ay, az, bx, by, bz):  # type: ignore[no-untyped-def]
    """The smallest turn from one direction to another: as ``smallest``, in a third of the time unless it is large."""
    sizes = math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
    w = sizes + ax * bx + ay * by + az * bz
    if not w > 0.1 * sizes:
        return quaternion_between(ax, ay, az, bx, by, bz)
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@compile_kernel
def _cross(a, b):  # type: ignore[no-untyped-def]
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@compile_kernel
def _unit(vector):  # type: ignore[no-untyped-def]
    """Make a vector (3,) one of length 1, zero stays; its length."""
    size = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if size > 0.0:
        vector[0], vector[1], vector[2] = vector[0] / size, vector[1] / size, vector[2] / size
    return size
