"""From constraints to demands on the trunk, in some frames of some poses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.shape_solver.constraints import BalanceConstraint, ShapeConstraints
from kinesphere.body.shape_solver.limbs import LimbTask
from kinesphere.body.shape_solver.model import HIPS, HIPS_RANGE, PELVIS_RANGE, ShapeModel
from kinesphere.body.shape_solver.over_time import Prior
from kinesphere.body.shape_solver.system import (
    CENTRE_TOLERANCE,
    COUNTERWEIGHT,
    EYES_TAKE,
    GAZE_TOLERANCE,
    ZONE,
    CentreDemand,
    Demands,
    GazeDemand,
    PointDemand,
    ReachDemand,
)
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints, norms

FAR = 1.8  # arm lengths beyond its reach from which on a target is not gone after any farther
CLAVICLE_RANGE = np.radians([[-18.0, 25.0], [-8.0, 28.0], [-10.0, 10.0]])  # beyond the given pose


class Poses(NamedTuple):
    """Given poses of a whole body, with their world."""

    local: Floats  # (T, J, 4)
    translations: Floats  # (T, J, 3)
    q: Floats  # (T, J, 4)
    p: Floats  # (T, J, 3)

    def at(self, frames: slice | Ints) -> Poses:
        """Some of them."""
        return Poses(*(values[frames] for values in self))


def centre_paths(model: ShapeModel, poses: Poses) -> Floats:
    """``(T, S, 3)`` centres of the segments."""
    _, joints, _, _ = model.masses
    return np.asarray(poses.p[:, joints] + rotations.rotate(poses.q[:, joints], model.mass_offsets))


def reach_demand(model: ShapeModel, task: LimbTask, poses: Poses, frames: Ints) -> ReachDemand:
    """How near a limb's start has to come to its target."""
    point, limb = task.point, task.limb
    target, weight = point.target[frames], point.weight[frames]
    q, p = poses.q, poses.p
    own = q[:, point.joint]
    here = p[:, point.joint] + rotations.rotate(own, point.offset)
    tip = here
    if point.orientation is not None:
        turned = rotations.multiply(point.orientation[frames], rotations.conjugate(own))
        tip = p[:, limb.end]
        target = target - rotations.rotate(turned, here - tip)
    start, middle = p[:, limb.upper], p[:, limb.lower]
    length = norms(middle - start) + norms(tip - middle)
    ease = np.maximum(limb.easy_share * length, norms(tip - start))
    if task.name.endswith("Hand"):
        line = target - start
        distance = norms(line)
        farthest = length * (1.0 + FAR)
        target = start + line * np.minimum(1.0, farthest / np.maximum(distance, 1e-9))[:, None]
    row = model.row(limb.upper)
    carried = rotations.rotate(rotations.conjugate(q[:, model.joints[row]]), tip - start)
    zone = ZONE * length if task.name.endswith("Hand") else 0.15 * ZONE * length
    return ReachDemand(row, target, carried, weight, ease, zone)


def point_demand(model: ShapeModel, task_point: tuple[int, Floats, Floats, Floats], poses: Poses) -> PointDemand:
    """A point ``(joint, offset (3,), target (T, 3), weight (T,))`` that no limb carries."""
    joint, offset, target, weight = task_point
    row = model.row(joint)
    here = poses.p[:, joint] + rotations.rotate(poses.q[:, joint], offset)
    root = model.joints[row]
    own = rotations.rotate(rotations.conjugate(poses.q[:, root]), here - poses.p[:, root])
    return PointDemand(row, own, here + weight[:, None] * (target - here), weight)


def centre_demand(
    model: ShapeModel,
    tasks: tuple[LimbTask, ...],
    com: BalanceConstraint | None,
    goal: Floats,
    trunk: tuple[Floats, Floats],
    now: Poses,
    frames: Ints,
) -> CentreDemand:
    """Where the centre of mass has to come, from poses ``now`` whose limbs are placed.

    ``goal (T, 2)`` is its place, ``trunk`` the world of the model's rows in these poses.
    """
    mass, _, rows, limbs = model.masses
    centres = centre_paths(model, now)
    q, p = trunk
    offsets = rotations.rotate(rotations.conjugate(q[:, rows]), centres - p[:, rows])
    held = np.zeros((len(frames), len(mass)))
    for task in tasks:
        own = [i for i, name in enumerate(limbs) if name == task.name]
        held[:, own] = np.maximum(held[:, own], task.point.weight[frames][:, None])
    shares = 1.0 + held * (model.pinned_shares - 1.0)
    weight = np.full(len(frames), 1.0 / COUNTERWEIGHT)
    if com is not None:
        weight = np.maximum(weight, com.weight[frames] / CENTRE_TOLERANCE)
    return CentreDemand(rows, offsets, shares, mass, centres, goal, weight)


def gaze_demand(model: ShapeModel, constraints: ShapeConstraints, poses: Poses, frames: Ints) -> GazeDemand | None:
    """Where the head has to look; eyes take the rest."""
    gaze = constraints.gaze
    if gaze is None or not gaze.weight[frames].any():
        return None
    line, weight = model.eye_line, gaze.weight[frames]
    head = poses.q[:, line.head]
    origin = poses.p[:, line.head] + rotations.rotate(head, line.origin)
    ahead = rotations.rotate(head, line.ahead)
    towards = gaze.target[frames] - origin
    distance = np.maximum(norms(towards), 1e-6)[:, None]
    turn = rotations.to_rotation_vector(rotations.rotation_between(ahead, towards / distance))
    direction = rotations.rotate(rotations.from_rotation_vector(turn * weight[:, None]), ahead)
    tolerance = EYES_TAKE if line.eyes else GAZE_TOLERANCE
    return GazeDemand(model.rows[line.head], line.origin, line.ahead, origin + distance * direction, weight / tolerance)


def prior(model: ShapeModel, poses: Poses, constraints: ShapeConstraints, frames: Ints, feet: Floats) -> Prior:
    """Deviations and bounds of the unknowns; ``feet (T,)`` says how far feet hold the hips' place."""
    count = len(frames)
    deviations = np.concatenate([np.array(HIPS) * model.size, model.deviations.ravel()])
    least, most = np.zeros((2, count, len(model.rotated), 3))
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
    joint = int(model.joints[model.rotated[u]])
    skeleton, pose = model.body.skeleton, model.body.anatomy.pose
    rest = pose.rotations[joint]
    parent = int(skeleton.parents[joint])
    if parent >= 0:
        rest = rotations.multiply(rotations.conjugate(pose.rotations[parent]), rest)
    turned = rotations.multiply(poses.local[:, joint], rotations.conjugate(rest))
    return np.asarray(rotations.to_rotation_vector(turned) @ model.axes[u])


def demands_at(
    model: ShapeModel,
    constraints: ShapeConstraints,
    tasks: tuple[LimbTask, ...],
    given: Poses,
    frames: Ints,
) -> Demands:
    """All demands but the centre of mass, of given poses that are ``given.at(frames)``."""
    reaches = tuple(reach_demand(model, task, given, frames) for task in tasks)
    points = tuple(
        point_demand(model, (point.joint, point.offset, point.target[frames], point.weight[frames]), given)
        for point in constraints.points
        if point.joint not in model.ends and point.weight[frames].any()
    )
    return Demands(reaches, points, None, gaze_demand(model, constraints, given, frames))


def forward_poses(model: ShapeModel, local: Floats, translations: Floats) -> Poses:
    """Poses with their world."""
    return Poses(local, translations, *kinematics.forward(local, translations, model.body.skeleton.parents))
