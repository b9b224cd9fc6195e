"""Feet that stand where they stand.

``foot_paths`` says where planted feet go and how they turn, ``leg_paths`` how hips and knees follow without a snap.
Where every plant holds already, the motion itself is returned.

``legs`` lays the legs between hips and ankles so moved. A leg's plane is the input's, taken along by the smallest turn
from the old way between hip and ankle to the new one, so a knee keeps its own swivel but for what keeps it from a
jolt; what a nearly straight knee is bent more than it was it bends about its usual axis. Thigh, shin and foot are
turned as they are, so twists and helper joints between them stay. Hips roll about the joint where the trunk begins,
and the trunk keeps its orientation: what is above does not swing along.

``FootLock`` says how far the hips went and how much the feet missed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.contacts import Contacts, find_contacts
from kinesphere.body.foot_lock.foot_paths import FootPath, correct_foot_path
from kinesphere.body.foot_lock.leg_paths import knee_swivels, solve_leg_paths
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
from kinesphere.maths.kinematics import rotate_joint
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion


@dataclass(frozen=True, eq=False)
class FootLock:
    """A locked motion, and what it took."""

    motion: Motion
    hips_lowered: Floats  # (T,) metres; below zero: raised
    missed: Floats  # (T, 2) metres that the left and right ankles are from where their plants want them


def lock_feet(
    motion: Motion, plants: Contacts | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
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
    motion: Motion, plants: Contacts | None = None, *, ground: Ground | float | None = None, strength: float = 1.0
) -> FootLock:
    """``lock_feet``, with how far the hips were lowered and the feet missed."""
    if not 0.0 <= strength <= 1.0:
        raise ValueError(f"strength {strength}: 0 to 1 is allowed")
    height = ground.height if isinstance(ground, Ground) else ground
    if height is not None and not np.isfinite(height):
        raise ValueError(
            f"ground={height!r}: a finite height in metres is expected; leave it out to have the floor found"
        )
    motion = require_motion_roles(motion, LEGS, "locking feet")
    plants = find_contacts(motion, ground=ground) if plants is None else plants
    if plants.frames != len(motion):
        raise ValueError(f"the plants are of {plants.frames} frames, the motion has {len(motion)}")
    if strength == 0.0 or not plants.intervals:
        return _as_it_was(motion)
    return lock_feet_in(motion, subset_pose(motion, leg_subset(motion.skeleton)), plants, strength)


def _as_it_was(motion: Motion) -> FootLock:
    return FootLock(motion, np.zeros(len(motion)), np.zeros((len(motion), 2)))


def lock_feet_in(motion: Motion, world: SubsetPose, plants: Contacts, strength: float = 1.0) -> FootLock:
    """The same where the world of a motion's ``legs_part`` is known."""
    points, performed = sole_points(motion.skeleton), performed_flags(motion)
    paths, unit, feet = sole_paths_of(world, points), leg_length(motion.skeleton), []
    for side in SIDES:
        own = [k for k, point in enumerate(points) if point.side == side]
        foot = require_joint(motion.skeleton, f"{side}Foot")
        toes = motion.skeleton.roles.get(f"{side}Toes", foot)
        turned = (world.turned(foot), world.turned(toes), world.places(foot))
        feet.append(correct_foot_path([points[k] for k in own], paths[:, own], turned, plants, performed, unit))
    if not any(foot.asked.any() for foot in feet):
        return _as_it_was(motion)
    return _follow(motion, world, FootPath(*(np.stack(both) for both in zip(*feet, strict=True))), strength)


def _follow(motion: Motion, world: SubsetPose, feet: FootPath, strength: float) -> FootLock:
    """Hips and legs that follow the moved feet; ``feet`` has both, left first."""
    skeleton = motion.skeleton
    unit, legs = leg_length(skeleton), measure_legs(skeleton, world)
    shift, turn, toes = strength * feet.shift, strength * feet.turn, strength * feet.toes
    model = leg_model(skeleton, world, legs, shift)
    found = solve_leg_paths(model, feet.planted, feet.asked, motion)
    active = moving_frames(shift, turn, model, found)
    edit = _PoseEdit(motion, world, active)
    roll = rotations.from_rotation_vector(found.rolled[:, None] * model.rolling)
    arm = model.hips - model.trunk
    step = rotations.rotate(roll, arm) - arm + found.swayed[:, None] * model.aside
    step[:, 1] += found.raised
    _move_hips(edit, unit * step, roll)
    bent = bend_legs(legs, model, found, unit)
    knees = zip(model.knee, bent.step, bent.aside, strict=True)
    angle = np.stack([knee_swivels(*knee, found.share, motion) for knee in knees])
    turns = rotate_legs(legs, bent, angle, active)
    for i, (thigh, shin, foot) in enumerate(leg_joints(skeleton)):
        edit.turn(thigh, roll, turns.above[i])
        edit.turn(shin, turns.above[i], turns.below[i])
        turned = rotations.from_rotation_vector(turn[i])
        if feet_on_shins(skeleton)[i]:
            edit.turn(foot, turns.below[i], turned)
        else:  # rigs for animation may hang feet on the root
            edit.turn(foot, edit.still, turned)
            edit.move(foot, turns.ankle[i] - legs.ankle[i])
        ball = skeleton.roles.get(f"{SIDES[i]}Toes", foot)
        if ball != foot and foot in ancestors(skeleton, ball):
            edit.turn(ball, turned, rotations.from_rotation_vector(toes[i]))
    edited = replace(motion, rotations=freeze(edit.local), translations=freeze(edit.places))
    return FootLock(edited, -unit * found.raised, (turns.missed * feet.planted).T)


class _PoseEdit:
    """A pose that is changed joint by joint, by how joints turn and move in the world."""

    def __init__(self, motion: Motion, world: SubsetPose, active: Bools) -> None:
        self.skeleton, self.world, self.active = motion.skeleton, world, active
        self.local, self.places = motion.rotations.copy(), motion.translations.copy()
        self.still = rotations.identity(len(motion))

    def turn(self, bone: int, above: Floats, now: Floats) -> None:
        """Turn a joint by ``now (T, 4)`` where the one that it hangs on turns by ``above (T, 4)``."""
        row, parent = self._rows(bone)
        rotate_joint(self.world.q, row, parent, (above, now), self.active, self.local, bone)

    def move(self, bone: int, step: Floats) -> None:
        """Move a joint by a step in the world, where the one that it hangs on stays."""
        _, parent = self._rows(bone)
        own = step if parent < 0 else rotations.rotate(rotations.conjugate(self.world.q[:, parent]), step)
        self.places[self.active, bone] += own[self.active]

    def _rows(self, bone: int) -> tuple[int, int]:
        """Where in the world a joint is, and what it hangs on, or -1."""
        row = self.world.part.rows[bone]
        return row, int(self.world.part.above[row])


def _move_hips(edit: _PoseEdit, step: Floats, rolling: Floats) -> None:
    """Hips moved and rolled; what is no leg keeps its orientation."""
    skeleton = edit.skeleton
    hips = require_joint(skeleton, "hips")
    edit.move(hips, step)
    edit.turn(hips, edit.still, rolling)
    for child in hip_attachments(skeleton):
        edit.turn(child, rolling, edit.still)
