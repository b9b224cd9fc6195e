"""A posed body whose hand, foot, head or hips are moved somewhere else.

    higher, missed = displaced(motion, "rightHand", by=(0.0, 0.2, 0.0))

Arms and legs turn their plane by the least and bend as they usually do (``limb_solving``); when an arm alone is too
short, trunk and shoulder help a little, and spine and neck bring the head (``limb_help``). Hips are moved as they are,
and what hangs on them goes along. What stays where it is stays so to the last bit.
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
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import ArrayLike, Bools, Floats, as_floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

MOVABLE = (*ENDS, "head", "hips")
STILL = 1e-12  # metres


class ReachResult(NamedTuple):
    """A motion with something moved, and how far that stays from where it should be."""

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
    helping: bool = True,
) -> ReachResult:
    """The motion with a part of the body elsewhere, every frame by itself.

    Parameters
    ----------
    part
        A role: a hand or foot, ``"head"`` or ``"hips"``.
    to, by
        Places in the world, or ways from where the part is: ``(3,)`` for all frames, or ``(T, 3)``. One of the two.
    swivel
        Radians ``()`` or ``(T,)`` by which an elbow or knee turns about the way to its hand or foot.
    keep_orientation
        Whether hand, foot or head keep their orientation in the world, as far as wrist and ankle allow; otherwise they
        go along with what carries them.
    helping
        Whether trunk and shoulder help a hand that the arm is too short for.
    """
    needed = needed_roles(part)
    motion = require_motion_roles(motion, needed, f"moving {part}")
    skeleton = motion.skeleton
    q, p = motion.world()
    joint = skeleton.roles[part]
    target = _target(to, by, p[:, joint])
    active = norms(target - p[:, joint]) > STILL
    active |= np.broadcast_to(as_floats(swivel) != 0.0, active.shape)
    if not active.any():
        return ReachResult(motion, np.zeros(len(motion)))
    pose = EditablePose(skeleton, motion.rotations.copy(), motion.translations.copy())
    if part == "hips":
        pose.move(q, joint, target - p[:, joint], active)
    else:
        limb = limb_of(skeleton, part, q, p) if part in ENDS else None
        wish = ReachTarget(target, active)
        if part == "head" or (helping and part.endswith("Hand")):
            arms = {part: (limb, wish)} if limb is not None else {}
            pose.lean(assist_with_trunk(skeleton, pose.local, pose.places, arms, wish if limb is None else None).turns)
        leaned = pose.world()
        if limb is not None:
            laid = solve_limb_chain(limb, *leaned, target_for_end(limb, leaned[1], target), swivel)
            facing = q[:, joint] if keep_orientation else None
            if facing is not None and limb.attached:
                facing = pose.faced(motion, part, leaned[0], laid, facing, active)
            pose.lay(limb, *leaned, laid, facing, active)
        elif keep_orientation:
            pose.face(leaned[0], joint, q[:, joint], active)
    after = replace(motion, rotations=freeze(pose.local), translations=freeze(pose.places))
    missed = norms(after.positions_world()[:, joint] - target)
    return ReachResult(after, np.where(active, missed, 0.0))


def needed_roles(part: str) -> tuple[str, ...]:
    """The roles that a body must have so that a part of it can be moved."""
    if part not in MOVABLE:
        raise ValueError(unknown_name("movable part", part, MOVABLE))
    if part not in ENDS:
        return ("hips", "head") if part == "head" else ("hips",)
    side = "left" if part.startswith("left") else "right"
    return tuple(side + name for name in PARTS[part.removeprefix(side)])


class EditablePose:
    """Local rotations and translations ``(T, J, ...)`` that are changed joint by joint, by how joints turn in the
    world."""

    def __init__(self, skeleton: Skeleton, local: Floats, places: Floats) -> None:
        self.skeleton, self.local, self.places = skeleton, local, places

    def world(self) -> tuple[Floats, Floats]:
        """World rotations and positions."""
        return kinematics.forward(self.local, self.places, self.skeleton.parents)

    def lean(self, turns: Mapping[int, Floats]) -> None:
        """Turn joints by rotation vectors ``(T, 3)`` as their parents see them; where they are zero nothing changes."""
        for joint, turn in turns.items():
            where = turn.any(axis=1)
            made = rotations.multiply(rotations.from_rotation_vector(turn[where]), self.local[where, joint])
            self.local[where, joint] = made

    def lean_world(self, q: Floats, turns: Mapping[int, Floats]) -> None:
        """The same by rotation vectors in the world, where ``q (T, J, 4)`` is the pose's."""
        made: dict[int, Floats] = {}
        moved: dict[int, Floats] = {}  # how joints turn in the world, with what they hang on
        for joint, turn in sorted(turns.items()):
            above = int(self.skeleton.parents[joint])
            while above >= 0 and above not in moved:
                above = int(self.skeleton.parents[above])
            carried = moved.get(above, rotations.identity(len(q)))
            parent = rotations.multiply(carried, self._above(q, joint))
            made[joint] = rotations.rotate(rotations.conjugate(parent), turn)
            moved[joint] = rotations.multiply(rotations.from_rotation_vector(turn), carried)
        self.lean(made)

    def move(self, q: Floats, joint: int, step: Floats, active: Bools) -> None:
        """Move a joint by a step in the world, where the one that it hangs on stays."""
        self.places[active, joint] += rotations.rotate(rotations.conjugate(self._above(q, joint)), step)[active]

    def lay(
        self, limb: LimbChain, q: Floats, p: Floats, laid: LimbRotation, facing: Floats | None, active: Bools
    ) -> None:
        """Turn a limb's joints as they are laid; its end faces as given ``(T, 4)``, or goes along with the bone."""
        still = rotations.identity(len(q))
        self._set(limb.upper, q, still, laid.upper, active)
        self._set(limb.lower, q, laid.upper, laid.lower, active)
        if not limb.attached:
            self.move(q, limb.end, laid.end - p[:, limb.end], active)
        if facing is not None:
            turn = rotations.multiply(facing, rotations.conjugate(q[:, limb.end]))
            self._set(limb.end, q, laid.lower if limb.attached else still, turn, active)

    def faced(
        self,
        motion: Motion,
        end: str,
        q: Floats,
        laid: LimbRotation,
        facing: Floats,
        active: Bools,
        share: ArrayLike = 1.0,
    ) -> Floats:
        """``(T, 4)`` how the end of a limb faces that would face as given: by a ``share``, as far as its joint allows.

        ``motion`` says how far that was past its limits before.
        """
        joint = self.skeleton.roles[end]
        above = rotations.multiply(laid.lower, self._above(q, joint))
        kept = rotations.multiply(rotations.conjugate(above), facing)
        whole = as_floats(share) * orientation_share(motion, end, self.local[:, joint], kept, active)
        if whole.min() == 1.0:
            return facing
        return rotations.slerp(rotations.multiply(laid.lower, q[:, joint]), facing, whole)

    def face(self, q: Floats, joint: int, facing: Floats, active: Bools) -> None:
        """Turn a joint so that it faces as given ``(T, 4)`` in the world."""
        turn = rotations.multiply(facing, rotations.conjugate(q[:, joint]))
        self._set(joint, q, rotations.identity(len(q)), turn, active)

    def _set(self, joint: int, q: Floats, above: Floats, now: Floats, active: Bools) -> None:
        """Turn a joint by ``now`` in the world where the one that it hangs on turns by ``above``."""
        parent = rotations.multiply(above, self._above(q, joint))
        new = rotations.multiply(rotations.conjugate(parent), rotations.multiply(now, q[:, joint]))
        flip = np.einsum("ti,ti->t", new, self.local[:, joint])[:, None] < 0.0
        self.local[active, joint] = np.where(flip, -new, new)[active]

    def _above(self, q: Floats, joint: int) -> Floats:
        parent = int(self.skeleton.parents[joint])
        return rotations.identity(len(q)) if parent < 0 else q[:, parent]


def _target(to: ArrayLike | None, by: ArrayLike | None, place: Floats) -> Floats:
    """``(T, 3)`` where the part should be."""
    if (to is None) == (by is None):
        raise ValueError("say where: either to, a place in the world, or by, a way from where the part is")
    name = "by" if to is None else "to"
    given = as_floats(by if by is not None else to)  # type: ignore[arg-type]
    if given.shape not in ((3,), place.shape):
        raise ValueError(f"{name} has shape {given.shape}; (3,) or {place.shape} is expected")
    if not np.isfinite(given).all():
        raise ValueError(f"{name} is not finite; numbers in metres are expected")
    return np.asarray(np.broadcast_to(given if by is None else place + given, place.shape))
