"""Both legs of a motion: measured from the input, and solved again between hips and ankles that moved.

A leg's plane is the input's, carried along by the smallest rotation from the old line between hip and ankle to the new
one, then swivelled about that line. A nearly straight knee has no plane of its own: it is bent more about its usual
axis, the one about which it bends when it bends much.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.foot_lock.leg_paths import LegModel, SolvedLegs
from kinesphere.body.ground import leg_length, require_joint
from kinesphere.body.joint_subset import SubsetPose
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton

LENGTH_TOLERANCE = 0.01  # share by which bones may change their lengths and still count as rigid
NO_DIRECTION = "a vector of length zero has no direction"


class LegPoses(NamedTuple):
    """The legs of the input, left first, in metres."""

    hip: Floats  # (2, T, 3)
    knee: Floats  # (2, T, 3)
    ankle: Floats  # (2, T, 3)
    normal: Floats  # (2, T, 3) of the leg's plane, unit or zero, on the usual axis' side
    axis: Floats  # (2, T, 3) the normal, or where the leg is nearly straight the usual axis
    forward: Floats  # (2, T, 3) the direction in which a knee moves if bent more, a unit vector
    flexion: Floats  # (2, T) about the normal
    upper: Floats  # (2, T) length of the thigh
    lower: Floats  # (2, T) length of the shin


class BentLegs(NamedTuple):
    """Legs bent towards their ankles' targets before they swivel, in metres."""

    hip: Floats  # (2, T, 3)
    hip_to_ankle: Floats  # (2, T, 3) to the ankle's target
    swing: Floats  # (2, T, 4) rotation of the leg's plane
    thigh: Floats  # (2, T, 3) from hip to knee
    shin: Floats  # (2, T, 3) from knee to ankle
    step: Floats  # (2, T, 3) leg lengths that knees move
    tangent: Floats  # (2, T, 3) leg lengths that knees move a radian of swivel


class LegRotations(NamedTuple):
    """World rotations that take the input's bones to the solved ones."""

    thigh: Floats  # (2, T, 4) only in active frames
    shin: Floats  # (2, T, 4) only in active frames
    ankle_error: Floats  # (2, T) metres from the ankle to its target
    ankle: Floats  # (2, T, 3) positions


# Joints


@memoised
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


def ancestors(skeleton: Skeleton, joint: int) -> set[int]:
    """A joint and all its ancestors."""
    chain = set()
    while joint >= 0:
        chain.add(joint)
        joint = int(skeleton.parents[joint])
    return chain


@memoised
def trunk_joint(skeleton: Skeleton) -> int:
    """The joint about which hips roll, so that the trunk stays: the hips' child that carries it, or the hips."""
    hips = require_joint(skeleton, "hips")
    chain = set.union(*(ancestors(skeleton, skeleton.roles.get(role, hips)) for role in ("spine", "chest", "head")))
    carrying = [j for j in sorted(chain) if skeleton.parents[j] == hips]
    return carrying[0] if carrying else hips


@memoised
def hip_attachments(skeleton: Skeleton) -> tuple[int, ...]:
    """Children of the hips that carry no leg."""
    legs = set.union(*(ancestors(skeleton, thigh) for thigh, _, _ in leg_joints(skeleton)))
    return tuple(child for child in skeleton.children[require_joint(skeleton, "hips")] if child not in legs)


@memoised
def feet_on_shins(skeleton: Skeleton) -> Bools:
    """``(2,)`` whether feet are descendants of shins; in rigs for animation they need not be."""
    return np.array([shin in ancestors(skeleton, foot) for _, shin, foot in leg_joints(skeleton)])


@memoised
def _rest_knee_axes(skeleton: Skeleton) -> Floats:
    """``(2, 3)`` the axis of a knee that never bends, in its thigh's frame: the body's left at rest."""
    orientations, positions = skeleton.rest_world()
    thighs = [joints[0] for joints in leg_joints(skeleton)]
    return rotations.rotate(rotations.conjugate(orientations[thighs]), positions[thighs[0]] - positions[thighs[1]])


# Legs as the input has them


def measure_legs(skeleton: Skeleton, world: SubsetPose) -> LegPoses:
    """Both legs."""
    frames = len(world.q)
    legs = LegPoses(*np.empty((6, 2, frames, 3)), *np.empty((3, 2, frames)))
    joints = np.array([[world.part.rows[j] for j in leg] for leg in leg_joints(skeleton)], dtype=np.intp)
    _native.foot_lock_legs.measure_legs(world.q, world.p, joints, _rest_knee_axes(skeleton), legs)
    return legs


def rigid_legs(skeleton: Skeleton, legs: LegPoses) -> Bools:
    """``(2,)`` whether bones keep their lengths and the foot is a descendant of the shin."""
    bones = np.stack([legs.upper, legs.lower])
    rigid: Bools = (np.ptp(bones, axis=-1) < LENGTH_TOLERANCE * bones.mean(axis=-1)).all(axis=0)
    return rigid & feet_on_shins(skeleton)


def leg_model(skeleton: Skeleton, world: SubsetPose, legs: LegPoses, shift: Floats) -> LegModel:
    """Both legs in leg lengths, with ankles to be shifted by ``(2, T, 3)`` metres."""
    length, hips = leg_length(skeleton), require_joint(skeleton, "hips")
    across = legs.hip[0] - legs.hip[1]
    least = np.maximum(0.5 * norms(across), 1e-12 * length)
    across[:, 1] = 0.0
    angle = 2.0 * length / np.maximum(norms(across), least)
    left, leg = unit(across), legs.ankle - legs.hip
    roll_vector = np.zeros_like(left)  # left × up
    roll_vector[:, 0], roll_vector[:, 2] = -angle * left[:, 2], angle * left[:, 0]
    return LegModel(
        hip_to_ankle=(leg + shift) / length,
        shift=shift / length,
        hip=legs.hip / length,
        hips=world.positions_of(hips) / length,
        trunk=world.positions_of(trunk_joint(skeleton)) / length,
        head=world.positions_of(skeleton.roles.get("head", hips)) / length,
        knee=legs.knee / length,
        upper=legs.upper / length,
        lower=legs.lower / length,
        flexion=legs.flexion,
        forward=legs.forward,
        rigid=rigid_legs(skeleton, legs),
        left=left,
        roll_vector=roll_vector,
    )


def moving_frames(shift: Floats, rotation: Floats, model: LegModel, paths: SolvedLegs) -> Bools:
    """``(T,)`` where feet, shifted and rotated by ``(2, T, 3)``, knees or hips move at all."""
    feet = ((shift != 0.0) | (rotation != 0.0)).any(axis=0).any(axis=-1)
    knees = (paths.flexion != model.flexion).any(axis=0)
    moving: Bools = feet | knees | (paths.rise != 0.0) | (paths.roll != 0.0) | (paths.sway != 0.0)
    return moving


# Legs solved again


def bend_legs(legs: LegPoses, model: LegModel, paths: SolvedLegs, length: float) -> BentLegs:
    """Bend legs as the paths say, with hips moved, in their planes towards their ankles' targets."""
    frames = legs.hip.shape[1]
    hip, hip_to_ankle, thigh, shin, step, tangent = np.empty((6, 2, frames, 3))
    bent = BentLegs(hip, hip_to_ankle, np.empty((2, frames, 4)), thigh, shin, step, tangent)
    if not _native.foot_lock_legs.bend_legs(legs, model, paths, length, bent):
        raise ValueError(NO_DIRECTION)
    return bent


def rotate_legs(legs: LegPoses, bent: BentLegs, swivel: Floats, active: Bools) -> LegRotations:
    """Rotations of thighs and shins once legs are swivelled by angles ``(2, T)`` about their lines."""
    frames = legs.hip.shape[1]
    found = LegRotations(
        np.zeros((2, frames, 4)), np.zeros((2, frames, 4)), np.empty((2, frames)), np.empty((2, frames, 3))
    )
    if not _native.foot_lock_legs.rotate_legs(legs, bent, swivel, active, found):
        raise ValueError(NO_DIRECTION)
    return found
