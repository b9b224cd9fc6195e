"""From constraints to demands on the trunk, in some frames of some poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.shape_solver.constraints import GazeConstraint, PointConstraint, ShapeConstraints
from kinesphere.body.shape_solver.limbs import LimbTask
from kinesphere.body.shape_solver.model import HIPS, HIPS_RANGE, PELVIS_RANGE, ShapeModel
from kinesphere.body.shape_solver.over_time import Prior
from kinesphere.body.shape_solver.system import (
    ARM_TOLERANCE,
    BALANCE_TOLERANCE,
    CENTRE_TOLERANCE,
    EYES_TAKE,
    GAZE_TOLERANCE,
    LEG_TOLERANCE,
    NO_GAZE,
    POINT_TOLERANCE,
    ZONE,
    Centre,
    Demands,
    Gaze,
    Points,
    Reaches,
)
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smoothstep, unit

FAR = 1.8  # arm lengths beyond its reach from which on a target is not gone after any farther
CLAVICLE_RANGE = np.radians([[-18.0, 25.0], [-8.0, 28.0], [-10.0, 10.0]])  # beyond the given pose


BESIDE, BEHIND = np.radians([145.0, 175.0])  # from where the chest faces: where a gaze gives up, and has given up
AT_EYES = (0.03, 0.07)  # leg lengths from the eyes: where it has given up, and where it does
LEG_ZONE = 0.5 * ZONE


class ShapeTask(NamedTuple):
    """What is asked of a body."""

    model: ShapeModel
    constraints: ShapeConstraints
    limbs: tuple[LimbTask, ...]
    rate: float


class Poses(NamedTuple):
    """Given poses of a whole body, with their world."""

    local: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)
    q: Floats  # (T, J, 4)
    p: Floats  # (T, J, 3)

    def at(self, frames: slice | Ints) -> Poses:
        """Some of them."""
        return Poses(*(values[frames] for values in self))


class CentreGoal(NamedTuple):
    """Where a centre of mass should be, seen from above."""

    place: Floats  # (T, 2) metres
    room: Floats  # (T,) metres about it that it has where nothing else is asked for

    def at(self, frames: slice | Ints) -> CentreGoal:
        """Some frames of it."""
        return CentreGoal(self.place[frames], self.room[frames])


def centre_paths(model: ShapeModel, poses: Poses) -> Floats:
    """``(T, S, 3)`` centres of the segments."""
    _, joints, _, _ = model.masses
    return np.asarray(poses.p[:, joints] + rotations.rotate(poses.q[:, joints], model.mass_offsets))


def reaches_of(model: ShapeModel, limbs: tuple[LimbTask, ...], poses: Poses, frames: Ints) -> Reaches:
    """How near limbs' starts have to come to their targets."""
    count, size = len(frames), len(limbs)
    made = Reaches(
        np.array([model.rows[task.limb.upper] for task in limbs], dtype=np.intp),
        np.empty((size, count, 3)),
        np.empty((size, count, 3)),
        np.empty((size, count)),
        np.empty((size, count)),
        np.empty((size, count)),
        model.scale * np.array([ARM_TOLERANCE if task.is_arm else LEG_TOLERANCE for task in limbs]),
        np.array([not task.is_arm for task in limbs], dtype=bool),
    )
    for m, task in enumerate(limbs):
        point, limb = task.point, task.limb
        target, q, p = point.target[frames], poses.q, poses.p
        own = q[:, point.joint]
        tip = here = p[:, point.joint] + rotations.rotate(own, point.offset)
        if point.orientation is not None:
            turned = rotations.multiply(point.orientation[frames], rotations.conjugate(own))
            tip = p[:, limb.end]
            target = target - rotations.rotate(turned, here - tip)
        start, middle = p[:, limb.upper], p[:, limb.lower]
        length = norms(middle - start) + norms(tip - middle)
        if task.is_arm:
            line = target - start
            farthest = length * (1.0 + FAR)
            target = start + line * np.minimum(1.0, farthest / np.maximum(norms(line), 1e-9))[:, None]
        made.targets[m], made.weights[m] = target, 1.0
        made.carried[m] = rotations.rotate(rotations.conjugate(q[:, limb.upper]), tip - start)
        # While a constraint comes, the limb's start comes from where it is: a share of the way to the target, sought by
        # the trunk, would ask it for the more, the less it can do about it.
        ease, away = np.maximum(limb.easy_share * length, norms(tip - start)), norms(target - start)
        made.ease[m] = ease + (1.0 - point.weight[frames]) * np.maximum(away - ease, 0.0)
        made.zones[m] = (ZONE if task.is_arm else LEG_ZONE) * length
    return made


def points_of(model: ShapeModel, points: tuple[PointConstraint, ...], poses: Poses, frames: Ints) -> Points:
    """Where points have to come that no limb carries."""
    count, size = len(frames), len(points)
    made = Points(
        np.array([model.row(point.joint) for point in points], dtype=np.intp),
        np.empty((size, count, 3)),
        np.empty((size, count, 3)),
        np.empty((size, count)),
    )
    for m, point in enumerate(points):
        here = poses.p[:, point.joint] + rotations.rotate(poses.q[:, point.joint], point.offset)
        joint, weight = model.joints[made.rows[m]], point.weight[frames]
        made.offsets[m] = rotations.rotate(rotations.conjugate(poses.q[:, joint]), here - poses.p[:, joint])
        made.targets[m] = here + weight[:, None] * (point.target[frames] - here)
        made.weights[m] = weight / (POINT_TOLERANCE * model.scale)
    return made


def centre_of(
    task: ShapeTask,
    goal: CentreGoal,
    trunk: tuple[Floats, Floats],
    now: Poses,
    frames: Ints,
    counterweight: float,
) -> Centre:
    """Where the centre of mass has to come, from poses ``now`` whose limbs are placed.

    ``trunk`` is the world of the model's rows before limbs follow; ``counterweight`` is the weight of a centre that is
    not asked for.
    """
    model, com = task.model, task.constraints.com
    mass, _, rows, limbs = model.masses
    centres = centre_paths(model, now)
    q, p = trunk
    offsets = rotations.rotate(rotations.conjugate(q[:, rows]), centres - p[:, rows])
    held = np.zeros((len(frames), len(mass)))
    for limb in task.limbs:
        own = [i for i, name in enumerate(limbs) if name == limb.name]
        held[:, own] = np.maximum(held[:, own], limb.point.weight[frames][:, None])
    shares = 1.0 + held * (model.pinned_shares - 1.0)
    asked = np.zeros(len(frames)) if com is None else com.weight[frames]
    weight = np.maximum(counterweight, asked / CENTRE_TOLERANCE) / model.scale
    free = (1.0 - asked) / (BALANCE_TOLERANCE * model.scale)
    return Centre(rows, offsets, shares, mass, centres, goal.place, weight, goal.room, free)


def gaze_of(model: ShapeModel, gaze: GazeConstraint | None, poses: Poses, frames: Ints) -> Gaze:
    """Where the head has to look; eyes take the rest."""
    if gaze is None or not gaze.weight[frames].any():
        return NO_GAZE
    line, weight = model.eye_line, gaze.weight[frames]
    head = poses.q[:, line.head]
    origin = poses.p[:, line.head] + rotations.rotate(head, line.origin)
    ahead = rotations.rotate(head, line.ahead)
    towards = gaze.target[frames] - origin
    facing = rotations.slerp(head, facing_target(model, poses, ahead, unit(towards)), weight)
    direction = rotations.rotate(facing, line.ahead)
    target = origin + norms(towards)[:, None] * direction
    tolerance = EYES_TAKE if line.eyes else GAZE_TOLERANCE
    row = np.array([model.rows[line.head]], dtype=np.intp)
    return Gaze(row, line.origin, line.ahead, target, facing, weight / tolerance)


def seen_gaze(model: ShapeModel, gaze: GazeConstraint, poses: Poses) -> GazeConstraint:
    """A gaze as far as somebody can follow it: not right behind, where a head would leap, nor into the eyes."""
    line = model.eye_line
    head = poses.q[:, line.head]
    towards = gaze.target - (poses.p[:, line.head] + rotations.rotate(head, line.origin))
    ahead = rotations.rotate(_chest_frame(model, poses), np.array([0.0, 0.0, 1.0]))
    away = norms(towards)
    aside = np.arccos(clip(np.einsum("ti,ti->t", ahead, unit(towards)), -1.0, 1.0))
    share = 1.0 - smoothstep((aside - BESIDE) / (BEHIND - BESIDE))
    least, most = (own * model.size for own in AT_EYES)
    share = share * smoothstep((away - least) / (most - least))
    return GazeConstraint(gaze.target, gaze.weight * share)


def _chest_frame(model: ShapeModel, poses: Poses) -> Floats:
    """``(T, 4)`` the chest's body axes in the world."""
    chest = model.body.anatomy.spine[-1]
    rest = rotations.multiply(rotations.conjugate(model.body.anatomy.pose.rotations[chest]), model.body.anatomy.basis)
    return rotations.multiply(poses.q[:, chest], rest)


def facing_target(model: ShapeModel, poses: Poses, ahead: Floats, towards: Floats) -> Floats:
    """``(T, 4)`` the head's rotation in the world when it looks ``towards (T, 3)``: turned, then nodded.

    It turns about the chest's up axis: by the smallest rotation a head would tilt. ``ahead (T, 3)`` is where it looks
    in the given poses.
    """
    frame = _chest_frame(model, poses)
    was, new = (rotations.rotate(rotations.conjugate(frame), direction) for direction in (ahead, towards))
    up, left = np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])
    looks = []
    for direction in (was, new):
        turn, nod = np.arctan2(direction[:, 0], direction[:, 2]), -np.arcsin(clip(direction[:, 1], -1.0, 1.0))
        looks.append(rotations.multiply(rotations.from_axis_angle(up, turn), rotations.from_axis_angle(left, nod)))
    turned = rotations.multiply(looks[1], rotations.conjugate(looks[0]))
    in_world = rotations.multiply(rotations.multiply(frame, turned), rotations.conjugate(frame))
    return rotations.multiply(in_world, poses.q[:, model.eye_line.head])


def prior(model: ShapeModel, poses: Poses, constraints: ShapeConstraints, frames: Ints, feet: Floats) -> Prior:
    """Deviations and bounds of the unknowns; ``feet (T,)`` says how far feet hold the hips' place."""
    count = len(frames)
    deviations = np.concatenate([np.array(HIPS) * model.size, model.deviations.ravel()])
    least, most = np.zeros((2, count, len(model.trunk.rotated), 3))
    for u, group in enumerate(model.groups):
        limit = model.limits[u]
        if group == "hips":
            least[:, u], most[:, u] = PELVIS_RANGE.T
            continue
        if group.endswith("Shoulder"):
            least[:, u], most[:, u] = CLAVICLE_RANGE.T
        if limit is None:
            continue
        used = _used_range(model, u, poses)
        ranges = np.array([limit.flexion, limit.side, limit.twist])
        low, high = np.minimum(ranges[:, 0] - used, 0.0), np.maximum(ranges[:, 1] - used, 0.0)
        if group.endswith("Shoulder"):
            low, high = np.maximum(low, least[:, u]), np.minimum(high, most[:, u])
        least[:, u], most[:, u] = low, high
    hips = model.groups.index("hips")
    moves = feet[:, None] if constraints.com is None else np.maximum(feet, constraints.com.weight[frames])[:, None]
    least[:, hips] *= moves
    most[:, hips] *= moves
    ranges = HIPS_RANGE * model.size
    lows = np.concatenate([moves * ranges[:, 0], least.reshape(count, -1)], axis=1)
    highs = np.concatenate([moves * ranges[:, 1], most.reshape(count, -1)], axis=1)
    return Prior(deviations, lows, highs)


def _used_range(model: ShapeModel, u: int, poses: Poses) -> Floats:
    """``(T, 3)`` flexion, side bend and twist that a joint has in the given pose."""
    joint = int(model.joints[model.trunk.rotated[u]])
    skeleton, pose = model.body.skeleton, model.body.anatomy.pose
    rest = pose.rotations[joint]
    parent = int(skeleton.parents[joint])
    if parent >= 0:
        rest = rotations.multiply(rotations.conjugate(pose.rotations[parent]), rest)
    turned = rotations.multiply(poses.local[:, joint], rotations.conjugate(rest))
    return np.asarray(rotations.to_rotation_vector(turned) @ model.trunk.axes[u])


def demands_at(task: ShapeTask, given: Poses, frames: Ints) -> Demands:
    """All demands but the centre of mass, of given poses in some frames."""
    model, constraints = task.model, task.constraints
    own = tuple(p for p in constraints.points if p.joint not in model.ends and p.weight[frames].any())
    return Demands(
        reaches_of(model, task.limbs, given, frames),
        points_of(model, own, given, frames),
        gaze=gaze_of(model, constraints.gaze, given, frames),
    )


def forward_poses(model: ShapeModel, local: Floats, translations: Floats) -> Poses:
    """Poses with their world."""
    return Poses(local, translations, *kinematics.forward(local, translations, model.body.skeleton.parents))
