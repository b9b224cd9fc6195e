"""Foot locking: remove sliding while a foot is in contact with the ground.

``foot_paths`` finds how feet must move to keep their contact points on anchors, ``leg_paths`` how hips and knees follow
without a snap, ``legs`` solves the bones between them. Where no contact slides, the motion itself is returned.

Thigh, shin and foot are rotated as they are, so twists and helper joints between them stay. Hips roll about the joint
where the trunk begins, and the trunk keeps its orientation: what is above does not swing along. A knee keeps its
swivel, except where that would make it jolt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere import _native
from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.body.foot_lock.foot_paths import FootCorrection, correct_foot_path
from kinesphere.body.foot_lock.leg_paths import hip_displacement, hip_roll, knee_swivels, solve_leg_paths
from kinesphere.body.foot_lock.legs import (
    ancestors,
    bend_legs,
    feet_on_shins,
    hip_attachments,
    leg_joints,
    leg_model,
    measure_legs,
    moving_frames,
    rotate_legs,
)
from kinesphere.body.ground import Ground, leg_length, performed_flags, require_joint, sole_paths_of, sole_points
from kinesphere.body.joint_subset import SubsetPose, leg_subset, subset_pose
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion


@dataclass(frozen=True, eq=False)
class FootLock:
    """A motion without sliding, with how far the hips moved and the ankles missed their targets."""

    motion: Motion
    hip_drop: Floats  # (T,) metres that the hips are lower; below zero: higher
    ankle_error: Floats  # (T, 2) metres from the left and right ankles to the targets that their contacts give


def lock_feet(
    motion: Motion, contacts: Contacts | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> Motion:
    """The motion with feet in contact held on their anchors.

    Parameters
    ----------
    motion
        Its skeleton needs the roles of both legs; toes are optional. Calibration frames stay as they are.
    contacts
        When feet are in contact, and their anchors. Left out: ``find_contacts(motion, ground=ground)``.
    ground
        Height of the floor, in metres, for finding contacts. Left out: found.
    strength
        From 0, the input itself, to 1, locked.
    """
    return solve_foot_lock(motion, contacts, ground=ground, strength=strength).motion


def solve_foot_lock(
    motion: Motion, contacts: Contacts | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> FootLock:
    """``lock_feet``, with how far the hips moved and the ankles missed their targets."""
    if not 0.0 <= strength <= 1.0:
        raise ValueError(f"strength {strength}: 0 to 1 is allowed")
    height = ground.height if isinstance(ground, Ground) else ground
    if height is not None and not np.isfinite(height):
        raise ValueError(
            f"ground={height!r}: a finite height in metres is expected; leave it out to have the floor found"
        )
    motion = require_motion_roles(motion, LEGS, "locking feet")
    contacts = find_contacts(motion, ground=ground) if contacts is None else contacts
    if contacts.frames != len(motion):
        raise ValueError(f"the contacts are of {contacts.frames} frames, the motion has {len(motion)}")
    if strength == 0.0 or not contacts.intervals:
        return _unchanged(motion)
    return lock_feet_in(motion, subset_pose(motion, leg_subset(motion.skeleton)), contacts, strength)


def lock_feet_in(motion: Motion, world: SubsetPose, contacts: Contacts, strength: float = 1.0) -> FootLock:
    """``solve_foot_lock`` where the world poses of the motion's ``leg_subset`` are known."""
    skeleton, points, performed = motion.skeleton, sole_points(motion.skeleton), performed_flags(motion)
    paths, feet = sole_paths_of(world, points), []
    for side in SIDES:
        own = [k for k, point in enumerate(points) if point.side == side]
        foot = require_joint(skeleton, f"{side}Foot")
        toes = skeleton.roles.get(f"{side}Toes", foot)
        pose = (world.rotations_of(foot), world.rotations_of(toes), world.positions_of(foot))
        own_points = [points[k] for k in own]
        feet.append(correct_foot_path(own_points, paths[:, own], pose, contacts, performed, leg_length(skeleton)))
    if not any(foot.sliding.any() for foot in feet):
        return _unchanged(motion)
    return _follow_feet(motion, world, FootCorrection(*(np.stack(both) for both in zip(*feet, strict=True))), strength)


def _unchanged(motion: Motion) -> FootLock:
    return FootLock(motion, np.zeros(len(motion)), np.zeros((len(motion), 2)))


def _follow_feet(motion: Motion, world: SubsetPose, feet: FootCorrection, strength: float) -> FootLock:
    """Hips and legs that follow corrected feet; ``feet`` has both, left first."""
    skeleton = motion.skeleton
    length, legs = leg_length(skeleton), measure_legs(skeleton, world)
    shift, rotation, toe_rotation = (strength * part for part in (feet.shift, feet.rotation, feet.toe_rotation))
    model = leg_model(skeleton, world, legs, shift)
    paths = solve_leg_paths(model, feet.in_contact, feet.sliding, motion)
    edit = _PoseEdit(motion, world, moving_frames(shift, rotation, model, paths))
    roll = hip_roll(model, paths)
    _move_hips(edit, length * hip_displacement(model, paths, roll, model.hips), roll)
    bent = bend_legs(legs, model, paths, length)
    knees = zip(model.knee, bent.step, bent.tangent, strict=True)
    swivel = np.stack([knee_swivels(*knee, paths.weight, motion) for knee in knees])
    bones = rotate_legs(legs, bent, swivel, edit.active)
    for i, (thigh, shin, foot) in enumerate(leg_joints(skeleton)):
        edit.rotate(thigh, roll, bones.thigh[i])
        edit.rotate(shin, bones.thigh[i], bones.shin[i])
        foot_rotation = rotations.from_rotation_vector(rotation[i])
        if feet_on_shins(skeleton)[i]:
            edit.rotate(foot, bones.shin[i], foot_rotation)
        else:  # in rigs for animation feet may be children of the root
            edit.rotate(foot, edit.identity, foot_rotation)
            edit.move(foot, bones.ankle[i] - legs.ankle[i])
        toes = skeleton.roles.get(f"{SIDES[i]}Toes", foot)
        if toes != foot and foot in ancestors(skeleton, toes):
            edit.rotate(toes, foot_rotation, rotations.from_rotation_vector(toe_rotation[i]))
    edited = replace(motion, rotations=freeze(edit.rotations), translations=freeze(edit.translations))
    return FootLock(edited, -length * paths.rise, (bones.ankle_error * feet.in_contact).T)


class _PoseEdit:
    """A pose that is changed joint by joint, by rotations and steps in the world."""

    def __init__(self, motion: Motion, world: SubsetPose, active: Bools) -> None:
        self.skeleton, self.world, self.active = motion.skeleton, world, active
        self.rotations, self.translations = motion.rotations.copy(), motion.translations.copy()
        self.identity = rotations.identity(len(motion))

    def rotate(self, joint: int, parent_rotation: Floats, rotation: Floats) -> None:
        """Rotate a joint by ``(T, 4)`` where its parent is rotated by ``parent_rotation (T, 4)``."""
        row, parent = self._rows(joint)
        given = (self.world.q, row, parent, parent_rotation, rotation)
        _native.lock.rotate_joint(*given, self.active, self.rotations, joint)

    def move(self, joint: int, step: Floats) -> None:
        """Move a joint by a step ``(T, 3)`` where its parent stays."""
        _, parent = self._rows(joint)
        local = step if parent < 0 else rotations.rotate(rotations.conjugate(self.world.q[:, parent]), step)
        self.translations[self.active, joint] += local[self.active]

    def _rows(self, joint: int) -> tuple[int, int]:
        """The rows of a joint and of its parent, or -1, among those whose world poses are known."""
        row = self.world.part.rows[joint]
        return row, int(self.world.part.parents[row])


def _move_hips(edit: _PoseEdit, step: Floats, roll: Floats) -> None:
    """Move and roll the hips; children that carry no leg keep their orientation."""
    hips = require_joint(edit.skeleton, "hips")
    edit.move(hips, step)
    edit.rotate(hips, edit.identity, roll)
    for child in hip_attachments(edit.skeleton):
        edit.rotate(child, roll, edit.identity)
