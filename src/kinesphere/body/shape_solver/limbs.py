"""Limbs that bring points to their targets, exactly where they are long enough: two bones, one hinge.

A point with an orientation has the hand or foot placed as a whole. One without is carried by the lower bone, with the
wrist as it is: then the second bone goes from the elbow to the point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.reach.limb import LimbChain, LimbRotation, limb_of, solve_limb_chain
from kinesphere.body.reach.targets import EditablePose
from kinesphere.body.shape_solver.constraints import PointConstraint
from kinesphere.body.shape_solver.model import ShapeModel
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, norms
from kinesphere.motion.humanoid import SIDES

STILL = 1e-7  # metres and radians: a smaller change is none
HANGING = 0.65  # of what a trunk turns that arms do not turn with it
LONGEST = 0.9999  # of its length that a limb reaches, unless it already did more


class LimbTask(NamedTuple):
    """A limb with a point that has a target."""

    limb: LimbChain
    name: str  # such as leftHand
    point: PointConstraint

    @property
    def is_arm(self) -> bool:
        """Whether it is an arm."""
        return self.name.endswith("Hand")


class LimbGoal(NamedTuple):
    """Where a limb's point is, and where it and the limb's end should be."""

    tip: Floats  # (T, 3) the point that the second bone goes to: the limb's end, or the constraint's point
    target: Floats  # (T, 3) of that
    facing: Floats | None  # (T, 4) the end's orientation


def limb_tasks(
    model: ShapeModel, points: tuple[PointConstraint, ...], q: Floats, p: Floats
) -> tuple[tuple[int, LimbTask], ...]:
    """Tasks of the points that limbs carry, with their places among the points, from world poses as they are given."""
    found: list[tuple[int, LimbTask]] = []
    chains: dict[str, LimbChain] = {}
    for place, point in enumerate(points):
        name = model.ends.get(point.joint)
        if name is None or not point.weight.any():
            continue
        if name not in chains:
            chains[name] = limb_of(model.body.skeleton, name, q, p)._replace(longest=LONGEST, softness=0.0)
        found.append((place, LimbTask(chains[name], name, point)))
    return tuple(found)


def limb_goal(task: LimbTask, frames: slice | Ints, q: Floats, p: Floats, weight: Floats) -> LimbGoal:
    """What a limb should do in world poses ``(T, J, ...)`` of some frames; ``weight (T,)`` of the way."""
    point, end = task.point, task.limb.end
    joint = point.joint
    own = q[:, joint]
    arm = rotations.rotate(own, point.offset)
    here = p[:, joint] + arm
    target = here + weight[:, None] * (point.target[frames] - here)
    if point.orientation is None:
        return LimbGoal(here, target, None)
    facing = rotations.slerp(own, point.orientation[frames], weight)
    turned = rotations.multiply(facing, rotations.conjugate(own))  # of the whole hand or foot
    to_point = rotations.rotate(turned, here - p[:, end])
    return LimbGoal(p[:, end], target - to_point, rotations.multiply(turned, q[:, end]))


def hang_arms(model: ShapeModel, given: Floats, local: Floats, translations: Floats) -> None:
    """Let arms keep a share of their orientation in the world where trunks have turned, in place.

    ``given (T, J, 4)`` are the world rotations before. An arm hangs down from a bent back, it does not fly behind it.
    """
    skeleton = model.body.skeleton
    rows, above = kinematics.with_ancestors(skeleton.parents, [skeleton.roles[f"{side}UpperArm"] for side in SIDES])
    q, _ = kinematics.forward_some(local, translations, rows, above)
    for side in SIDES:
        joint = skeleton.roles[f"{side}UpperArm"]
        place = int(np.searchsorted(rows, joint))
        was, now = given[:, joint], q[:, place]
        some = np.flatnonzero(rotations.angle_between(was, now) > STILL)
        if len(some):
            new = rotations.slerp(now[some], was[some], HANGING)
            parent = q[some, above[place]]
            turned = rotations.multiply(rotations.conjugate(parent), new)
            flip = np.einsum("ti,ti->t", turned, local[some, joint])[:, None] < 0.0
            local[some, joint] = np.where(flip, -turned, turned)


def place_limbs(
    model: ShapeModel, tasks: tuple[LimbTask, ...], frames: slice | Ints, local: Floats, translations: Floats
) -> None:
    """Bring the points of all tasks to their targets, in poses ``(T, J, ...)`` of some frames that change in place."""
    if not tasks:
        return
    pose = EditablePose(model.body.skeleton, local, translations)
    q, p = pose.world()
    placed: set[str] = set()
    for task in tasks:
        if task.name in placed:  # a second point of the same limb
            q, p = pose.world()
        placed.add(task.name)
        goal = limb_goal(task, frames, q, p, task.point.weight[frames])
        moves = norms(goal.target - goal.tip) > STILL
        if goal.facing is not None:
            moves |= rotations.angle_between(goal.facing, q[:, task.limb.end]) > STILL
        some = np.flatnonzero(moves)
        if len(some):
            _place(pose, task.limb, goal, some, q, p)


def _place(pose: EditablePose, limb: LimbChain, goal: LimbGoal, some: Ints, q: Floats, p: Floats) -> None:
    """Solve and apply a limb in some frames."""
    own_q, own_p = q[some], p[some]
    bones = np.stack([own_p[:, limb.upper], own_p[:, limb.lower], goal.tip[some]], axis=1)
    simple = limb._replace(upper=0, lower=1, end=2)
    solved = solve_limb_chain(simple, own_q[:, [limb.upper]], bones, goal.target[some])
    part = EditablePose(pose.skeleton, pose.rotations[some], pose.translations[some])
    if not limb.attached:  # the end is moved by as much as the tip is
        solved = LimbRotation(solved.upper, solved.lower, solved.end - goal.tip[some] + own_p[:, limb.end])
    facing = None if goal.facing is None else goal.facing[some]
    part.apply_limb(limb, own_q, own_p, solved, facing, np.ones(len(some), dtype=bool))
    pose.rotations[some], pose.translations[some] = part.rotations, part.translations
