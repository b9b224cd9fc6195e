"""Inverse kinematics on a recorded motion: bring a hand, a foot, the head or the hips to a target.

    higher, missed = reach_targets(motion, "rightHand", by=(0.0, 0.2, 0.0))

Arms and legs rotate their plane by the least and bend as they usually do (``limb``). When an arm alone is too short,
trunk and shoulder assist a little, and spine and neck bring the head (``trunk_assist``). Hips are moved as they are,
with everything below them. What stays where it is stays so to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.body.reach.limb import ENDS, PARTS, LimbChain, LimbRotation, limb_of, solve_limb_chain, target_for_end
from kinesphere.body.reach.swivel import orientation_share
from kinesphere.body.reach.trunk_assist import ReachTarget, assist_with_trunk
from kinesphere.body.require_roles import require_motion_roles
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, as_floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

MOVABLE = (*ENDS, "head", "hips")
STILL = 1e-12  # metres


class ReachResult(NamedTuple):
    """A motion with a part moved, and how far that is from its target."""

    motion: Motion
    missed: Floats  # (T,) metres


def reach_targets(
    motion: Motion,
    part: str,
    *,
    to: ArrayLike | None = None,
    by: ArrayLike | None = None,
    swivel: ArrayLike = 0.0,
    keep_orientation: bool = True,
    assist: bool = True,
) -> ReachResult:
    """The motion with a part of the body at a target, every frame by itself.

    Parameters
    ----------
    part
        A role: a hand or foot, ``"head"`` or ``"hips"``.
    to, by
        Positions in the world, or displacements: ``(3,)`` for all frames, or ``(T, 3)``. One of the two.
    swivel
        Radians ``()`` or ``(T,)`` by which an elbow or knee rotates about the line to its hand or foot.
    keep_orientation
        Whether hand, foot or head keep their orientation in the world, as far as wrist and ankle allow; otherwise they
        go along with what carries them.
    assist
        Whether trunk and shoulder assist a hand for which the arm is too short.
    """
    given = require_motion_roles(motion, roles_for_part(part), f"moving {part}")
    motion = with_standing_rest(given)
    joint = motion.skeleton.roles[part]
    q, p = motion.world()
    target = _target_positions(to, by, p[:, joint])
    active = norms(target - p[:, joint]) > STILL
    active |= np.broadcast_to(as_floats(swivel) != 0.0, active.shape)
    if not active.any():
        return ReachResult(given, np.zeros(len(motion)))
    pose = EditablePose(motion.skeleton, motion.rotations.copy(), motion.translations.copy())
    if part == "hips":
        pose.move(q, joint, target - p[:, joint], active)
    elif part == "head":
        _reach_with_head(pose, ReachTarget(target, active), q[:, joint] if keep_orientation else None)
    else:
        facing = q[:, joint] if keep_orientation else None
        limb = limb_of(motion.skeleton, part, q, p)
        _reach_with_limb(pose, motion, part, limb, ReachTarget(target, active), as_floats(swivel), facing, assist)
    after = replace(given, rotations=freeze(pose.rotations), translations=freeze(pose.translations))
    missed = norms(after.positions_world()[:, joint] - target)
    return ReachResult(after, np.where(active, missed, 0.0))


def roles_for_part(part: str) -> tuple[str, ...]:
    """The roles that a body must have so that a part of it can be moved."""
    if part not in MOVABLE:
        raise ValueError(unknown_name("movable part", part, MOVABLE))
    if part not in ENDS:
        return ("hips", "head") if part == "head" else ("hips",)
    side = "left" if part.startswith("left") else "right"
    return tuple(side + name for name in PARTS[part.removeprefix(side)])


def _target_positions(to: ArrayLike | None, by: ArrayLike | None, current: Floats) -> Floats:
    """``(T, 3)`` where the part should be that is at ``current (T, 3)``."""
    if (to is None) == (by is None):
        raise ValueError("say where: either to, a position in the world, or by, a displacement of the part")
    name = "by" if to is None else "to"
    given = as_floats(by if by is not None else to)  # type: ignore[arg-type]
    if given.shape not in ((3,), current.shape):
        raise ValueError(f"{name} has shape {given.shape}; (3,) or {current.shape} is expected")
    if not np.isfinite(given).all():
        raise ValueError(f"{name} is not finite; numbers in metres are expected")
    return np.asarray(np.broadcast_to(given if by is None else current + given, current.shape))


def _reach_with_head(pose: EditablePose, target: ReachTarget, facing: Floats | None) -> None:
    """Bring the head to its target; it keeps the world rotations ``facing (T, 4)`` if these are given."""
    pose.rotate_joints(assist_with_trunk(pose.skeleton, pose.rotations, pose.translations, {}, target).turns)
    if facing is not None:
        pose.orient_joint(pose.world()[0], pose.skeleton.roles["head"], facing, target.active)


def _reach_with_limb(
    pose: EditablePose,
    motion: Motion,
    part: str,
    limb: LimbChain,
    target: ReachTarget,
    swivel: Floats,
    facing: Floats | None,
    assist: bool,
) -> None:
    """Bring a hand or foot to its target; it keeps the world rotations ``facing (T, 4)`` if these are given."""
    if assist and part.endswith("Hand"):
        pose.rotate_joints(
            assist_with_trunk(pose.skeleton, pose.rotations, pose.translations, {part: (limb, target)}).turns
        )
    q, p = pose.world()
    solved = solve_limb_chain(limb, q, p, target_for_end(limb, p, target.position), swivel)
    if facing is not None and limb.attached:
        facing = pose.limit_orientation(motion, part, q, solved, facing, target.active)
    pose.apply_limb(limb, q, p, solved, facing, target.active)


class EditablePose:
    """Local rotations and translations ``(T, J, ...)`` that are changed joint by joint, by rotations in the world.

    Methods take the pose's world rotations ``q (T, J, 4)`` and positions ``p (T, J, 3)`` from before the change, so
    that several changes can be computed from one pass of forward kinematics.
    """

    def __init__(self, skeleton: Skeleton, rotations_local: Floats, translations: Floats) -> None:
        self.skeleton, self.rotations, self.translations = skeleton, rotations_local, translations

    def world(self) -> tuple[Floats, Floats]:
        """World rotations and positions."""
        return kinematics.forward(self.rotations, self.translations, self.skeleton.parents)

    def rotate_joints(self, turns: Mapping[int, Floats]) -> None:
        """Rotate joints by rotation vectors ``(T, 3)`` in their parents' axes; where they are zero nothing changes."""
        for joint, vectors in turns.items():
            where = vectors.any(axis=1)
            rotation = rotations.from_rotation_vector(vectors[where])
            self.rotations[where, joint] = rotations.multiply(rotation, self.rotations[where, joint])

    def rotate_joints_world(self, q: Floats, turns: Mapping[int, Floats]) -> None:
        """The same by rotation vectors in the world."""
        local_vectors: dict[int, Floats] = {}
        world_rotations: dict[int, Floats] = {}  # of joints, with those of their ancestors
        for joint, vectors in sorted(turns.items()):
            above = int(self.skeleton.parents[joint])
            while above >= 0 and above not in world_rotations:
                above = int(self.skeleton.parents[above])
            carried = world_rotations.get(above, rotations.identity(len(q)))
            parent = rotations.multiply(carried, self._parent_rotation(q, joint))
            local_vectors[joint] = rotations.rotate(rotations.conjugate(parent), vectors)
            world_rotations[joint] = rotations.multiply(rotations.from_rotation_vector(vectors), carried)
        self.rotate_joints(local_vectors)

    def move(self, q: Floats, joint: int, step: Floats, active: Bools) -> None:
        """Move a joint by a step ``(T, 3)`` in the world, where its parent stays."""
        to_parent = rotations.conjugate(self._parent_rotation(q, joint))
        self.translations[active, joint] += rotations.rotate(to_parent, step)[active]

    def apply_limb(
        self, limb: LimbChain, q: Floats, p: Floats, solved: LimbRotation, facing: Floats | None, active: Bools
    ) -> None:
        """Rotate a limb's joints as solved; its end has the world rotations ``facing (T, 4)``, or follows the bone."""
        none = rotations.identity(len(q))
        self._rotate(limb.upper, q, none, solved.upper, active)
        self._rotate(limb.lower, q, solved.upper, solved.lower, active)
        if not limb.attached:
            self.move(q, limb.end, solved.end - p[:, limb.end], active)
        if facing is not None:
            rotation = rotations.multiply(facing, rotations.conjugate(q[:, limb.end]))
            self._rotate(limb.end, q, solved.lower if limb.attached else none, rotation, active)

    def limit_orientation(
        self,
        motion: Motion,
        end: str,
        q: Floats,
        solved: LimbRotation,
        facing: Floats,
        active: Bools,
        share: ArrayLike = 1.0,
    ) -> Floats:
        """World rotations ``(T, 4)`` of a limb's end that should be ``facing``: by a ``share``, as its joint allows.

        ``motion`` is the input, in which the joint may exceed its limits already.
        """
        joint = self.skeleton.roles[end]
        parent = rotations.multiply(solved.lower, self._parent_rotation(q, joint))
        kept = rotations.multiply(rotations.conjugate(parent), facing)
        share = as_floats(share) * orientation_share(motion, end, self.rotations[:, joint], kept, active)
        if share.min() == 1.0:
            return facing
        return rotations.slerp(rotations.multiply(solved.lower, q[:, joint]), facing, share)

    def orient_joint(self, q: Floats, joint: int, facing: Floats, active: Bools) -> None:
        """Give a joint the world rotations ``facing (T, 4)``."""
        rotation = rotations.multiply(facing, rotations.conjugate(q[:, joint]))
        self._rotate(joint, q, rotations.identity(len(q)), rotation, active)

    def _rotate(self, joint: int, q: Floats, above: Floats, rotation: Floats, active: Bools) -> None:
        """Rotate a joint by ``rotation (T, 4)`` in the world where its parent rotates by ``above``."""
        parent = rotations.multiply(above, self._parent_rotation(q, joint))
        new = rotations.multiply(rotations.conjugate(parent), rotations.multiply(rotation, q[:, joint]))
        flip = np.einsum("ti,ti->t", new, self.rotations[:, joint])[:, None] < 0.0
        self.rotations[active, joint] = np.where(flip, -new, new)[active]

    def _parent_rotation(self, q: Floats, joint: int) -> Floats:
        parent = int(self.skeleton.parents[joint])
        return rotations.identity(len(q)) if parent < 0 else q[:, parent]
