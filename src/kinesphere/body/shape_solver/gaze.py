"""The last of a gaze: eyes, where a body has them, or else the head, are turned until the line of sight is exact."""

from __future__ import annotations

import numpy as np

from kinesphere.body.reach.targets import EditablePose
from kinesphere.body.shape_solver.constraints import GazeConstraint
from kinesphere.body.shape_solver.model import EYE_RANGE, ShapeModel
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, norms, unit

HEAD_REST = float(np.radians(6.0))  # that the head alone may take at last
STILL = 1e-7  # radians
AT_EYE = 1e-6  # metres from an eye: any direction is that of the target


def gaze_error(model: ShapeModel, gaze: GazeConstraint, q: Floats, p: Floats) -> Floats:
    """``(T,)`` radians between the line of sight and the target, where it has weight: the worse eye's."""
    worst = np.zeros(len(q))
    for joint, origin, ahead in _lines(model):
        towards = gaze.target - (p[:, joint] + rotations.rotate(q[:, joint], origin))
        angle = rotations.angle(rotations.rotation_between(rotations.rotate(q[:, joint], ahead), _nonzero(towards)))
        worst = np.maximum(worst, np.where(norms(towards) > AT_EYE, angle, 0.0))
    return np.where(gaze.weight > 0.0, worst, 0.0)


def look(model: ShapeModel, gaze: GazeConstraint, local: Floats, translations: Floats) -> None:
    """Turn eyes, or the head a little, towards the target, in place."""
    pose = EditablePose(model.body.skeleton, local, translations)
    q, p = kinematics.forward(local, translations, model.body.skeleton.parents)
    head = model.eye_line.head
    for joint, origin, ahead in _lines(model):
        line = rotations.rotate(q[:, joint], ahead)
        towards = unit(_nonzero(gaze.target - (p[:, joint] + rotations.rotate(q[:, joint], origin))))
        if joint == head:
            vector = rotations.to_rotation_vector(rotations.rotation_between(line, towards))
            size = norms(vector)
            vector *= (gaze.weight * np.minimum(1.0, HEAD_REST / np.maximum(size, 1e-12)))[:, None]
            turn = rotations.from_rotation_vector(vector)
        else:
            face = rotations.rotate(q[:, head], model.eye_line.ahead)
            swing = rotations.to_rotation_vector(rotations.rotation_between(face, towards))
            size = norms(swing)
            own = rotations.angle(rotations.rotation_between(face, line))
            allowed = np.maximum(EYE_RANGE, own)
            swing *= np.minimum(1.0, allowed / np.maximum(size, 1e-12))[:, None]
            goal = rotations.rotate(rotations.from_rotation_vector(swing), face)
            vector = rotations.to_rotation_vector(rotations.rotation_between(line, goal)) * gaze.weight[:, None]
            turn = rotations.from_rotation_vector(vector)
        active = norms(vector) > STILL
        pose.orient_joint(q, joint, rotations.multiply(turn, q[:, joint]), active)


def _lines(model: ShapeModel) -> list[tuple[int, Floats, Floats]]:
    """Joint, origin and direction in its own axes of each eye, or of the point between them on the head."""
    line = model.eye_line
    if not line.eyes:
        return [(line.head, line.origin, line.ahead)]
    frames = model.body.anatomy.frames
    roles = {joint: role for role, joint in model.body.roles.items()}
    return [(eye, np.zeros(3), rotations.rotate(frames[roles[eye]], [0.0, 0.0, 1.0])) for eye in line.eyes]


def _nonzero(vectors: Floats) -> Floats:
    return np.where(norms(vectors)[:, None] > AT_EYE, vectors, [0.0, 0.0, 1.0])
