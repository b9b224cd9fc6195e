"""Pitch feet of other lengths: heel and ball are as high above the ground as the source's, so that none goes under it.

A copied pitch puts the toes of a long foot under the ground as soon as the heel rises. Near the ground a foot is
pitched about its ankle until its lower end, ball or heel, is as high as on the source, in leg lengths; a foot twice as
long then pitches about half as far. That is undone by the same rule on the way back. A foot in the air keeps its pitch.

The ends are the toe joint, or the front of a foot that has none, and the back of the heel; a person's where a skeleton
does not show them, and no nearer than a person's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.body.retargeting.stance import BALL
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms, smoothstep
from kinesphere.motion.humanoid import SIDES

HEEL = 0.06  # leg lengths from the ankle back to the end of a person's heel
NEAR = (0.7, 1.1)  # of the longer foot, from the ankle to an end: lifted between these it comes to keep its pitch
EVEN = 0.15  # sine of the pitch to each side of level over which one end takes over from the other
BEHIND = (0.1, 0.5, 0.9)  # cosines behind the ankle up to which an end is raised ahead, left alone, raised behind
STEEPEST = 1.3  # radians below level that a foot is pitched at most
LITTLE = 0.1  # radians that it may go beyond level
CURLED = 0.2  # radians by which toes are below the foot's own direction: from there on they go with the foot
UP = np.array([0.0, 1.0, 0.0])


class _Foot(NamedTuple):
    """A foot's measures in metres."""

    ankle: float  # height of the ankle
    ball: float  # from the ankle ahead to the point about which the heel rises
    heel: float  # from the ankle back
    toes: float  # from the ball ahead to the tip
    leg: float


def pitch_feet(c: Calibration, source_p: Floats, q: Floats, p: Floats, known: Bools) -> None:
    """Pitch the feet and toes of ``q (T, J, 4)`` in place; ``source_p`` and ``p (T, J, 3)`` are above the ground.

    Toes that the source does not have are levelled with the ground where they would go under it, and become known.
    """
    roles = c.target.skeleton.roles
    for side in SIDES:
        foot, source = _measure_foot(c.target, side), _measure_foot(c.source, side)
        joint = roles[f"{side}Foot"]
        height, source_height = p[:, joint, 1], source_p[:, c.source.skeleton.roles[f"{side}Foot"], 1]
        frame = rotations.to_matrix(rotations.multiply(q[:, joint], c.target.frames[f"{side}Foot"]))
        pitch = _foot_pitch(frame, foot, source, height, source_height)
        turn = rotations.from_rotation_vector(-pitch[:, None] * _level_axes(frame)[0])
        q[:, joint] = rotations.multiply(turn, q[:, joint])
        _level_toes(c, side, foot, pitch, q, p, known)


def _level_toes(c: Calibration, side: str, foot: _Foot, pitch: Floats, q: Floats, p: Floats, known: Bools) -> None:
    """Raise toes, in place, whose tips would be under both the ground and the ball.

    ``pitch (T,)`` is by how much the foot was raised. Toes that are curled, not bent up by the ground, go with it.
    """
    body, roles = c.target, c.target.skeleton.roles
    joint, toes = roles[f"{side}Foot"], roles.get(f"{side}Toes")
    if toes is None or foot.toes <= 0.0:
        return
    rest_q, rest_p, to_foot = body.pose.rotations, body.pose.positions, rotations.conjugate(body.pose.rotations[joint])
    foot_frame = rotations.multiply(q[:, joint], body.frames[f"{side}Foot"])
    if known[toes]:
        toe_frame = rotations.multiply(q[:, toes], body.frames[f"{side}Toes"])
        bent = rotations.to_matrix(rotations.multiply(rotations.conjugate(foot_frame), toe_frame))[..., 2]
        curl = np.arctan2(-bent[:, 1], bent[:, 2]) - pitch  # below the foot's own direction, before it was raised
        left = _level_axes(rotations.to_matrix(toe_frame))[0]
        along = -(pitch * smoothstep(curl / CURLED))[:, None] * left
        q[:, toes] = rotations.multiply(rotations.from_rotation_vector(along), q[:, toes])
    else:
        q[:, toes] = rotations.multiply(q[:, joint], rotations.multiply(to_foot, rest_q[toes]))
        known[toes] = True
    bone = rotations.rotate(to_foot, rest_p[toes] - rest_p[joint])
    frame = rotations.to_matrix(rotations.multiply(q[:, toes], body.frames[f"{side}Toes"]))
    clearance = body.ankle_height + float(rotations.rotate(rest_q[joint], bone)[1])
    ball = p[:, joint, 1] + rotations.rotate(q[:, joint], bone)[:, 1] - clearance * frame[:, 1, 1]
    left, ahead, shown = _level_axes(frame)
    level, rise = np.einsum("ti,ti->t", frame[..., 2], ahead), frame[:, 1, 2]
    lowest = -np.maximum(ball, 0.0) / foot.toes
    change = shown * _elevate(level, rise, np.maximum(rise, lowest))
    q[:, toes] = rotations.multiply(rotations.from_rotation_vector(-change[:, None] * left), q[:, toes])


def _measure_foot(body: Anatomy, side: str) -> _Foot:
    skeleton, p = body.skeleton, body.pose.positions
    length, soles = body.lengths[f"{side}Leg"], skeleton.soles
    foot, toes = skeleton.roles[f"{side}Foot"], skeleton.roles.get(f"{side}Toes")
    front = soles.get(f"{side}FootFront", 0.0)
    ball = front if toes is None else _ahead(body, side, p[toes] - p[foot])
    ball = max(ball, BALL * length)
    heel = max(soles.get(f"{side}FootBack", 0.0), HEEL * length)
    tips = [rotations.rotate(body.pose.rotations[toes], tip.offset) for tip in skeleton.tips if tip.joint == toes]
    tip = max([_ahead(body, side, offset) for offset in tips], default=0.0)
    beyond = 0.0 if toes is None else max(front - _ahead(body, side, p[toes] - p[foot]), tip)
    return _Foot(body.ankle_height, ball, heel, beyond, length)


def _ahead(body: Anatomy, side: str, offset: Floats) -> float:
    """How far an offset ``(3,)`` in the world of the body's pose goes along the foot."""
    foot = body.skeleton.roles[f"{side}Foot"]
    forward = rotations.rotate(
        rotations.multiply(body.pose.rotations[foot], body.frames[f"{side}Foot"]), np.array([0.0, 0.0, 1.0])
    )
    return float(offset @ forward)


def _foot_pitch(frame: Floats, foot: _Foot, source: _Foot, height: Floats, source_height: Floats) -> Floats:
    """By how much the toes are raised ``(T,)``, in radians: frames ``(T, 3, 3)`` have left, up and toes as columns."""
    toes = frame[..., 2]
    _, ahead, shown = _level_axes(frame)
    down = np.arctan2(-toes[:, 1], np.einsum("ti,ti->t", toes, ahead))
    lift, source_lift = height - foot.ankle, source_height - source.ankle
    ratio = foot.leg / source.leg
    lifted = 0.5 * (lift / foot.leg + source_lift / source.leg)
    turned = []
    for end, source_end, tip in ((foot.ball, source.ball, down), (foot.heel, source.heel, -down)):
        shorter = min(ratio * source_end / end, end / (ratio * source_end))
        # A pitched foot rolls over its end, which raises the ankle less than its length says. Of the shorter foot.
        roll, source_roll = (1.0 - shorter) * foot.ankle, (1.0 - shorter) * source.ankle
        roll, source_roll = (roll, 0.0) if end < ratio * source_end else (0.0, source_roll)
        behind, (near, middle, far) = -np.cos(tip), BEHIND
        change = np.zeros_like(tip)
        for weight, angle, sign in (
            (1.0 - smoothstep((behind - near) / (middle - near)), tip, 1.0),
            (smoothstep((behind - middle) / (far - middle)), np.pi - tip, -1.0),
        ):
            depth = ratio * (source_end * np.sin(angle) - source_roll * (1.0 - np.cos(angle)))
            wanted = (depth + lift - ratio * source_lift + roll) / np.hypot(end, roll)
            wanted_angle = np.arcsin(np.clip(wanted, -1.0, 1.0)) - np.arctan2(roll, end)
            wanted_angle = np.clip(wanted_angle, -LITTLE, np.maximum(angle, STEEPEST))
            change += sign * weight * (angle - wanted_angle)
        # Whether the longer foot may touch the ground: the same on the way there and on the way back.
        longer = max(end / foot.leg, source_end / source.leg)
        turned.append((1.0 - smoothstep((lifted / longer - NEAR[0]) / (NEAR[1] - NEAR[0]))) * change)
    front = smoothstep(0.5 - toes[:, 1] / (2.0 * EVEN))
    return np.asarray(shown * (front * turned[0] - (1.0 - front) * turned[1]))


def _elevate(level: Floats, rise: Floats, wanted: Floats) -> Floats:
    """By which angles ``(T,)`` arms that reach ahead and rise so far must be raised to rise as far as is wanted.

    An arm that points back, as a kneeling body's foot, stays on its side.
    """
    size = np.maximum(np.hypot(level, rise), 1e-9)
    elevation = np.arcsin(np.clip(wanted / size, -1.0, 1.0))
    behind, (near, middle, far) = -level / size, BEHIND
    ahead = 1.0 - smoothstep((behind - near) / (middle - near))
    back = smoothstep((behind - middle) / (far - middle))
    return np.asarray(ahead * (elevation - np.arctan2(rise, level)) - back * (elevation - np.arctan2(rise, -level)))


def _level_axes(frame: Floats) -> tuple[Floats, Floats, Floats]:
    """Level unit vectors ``(T, 3)`` to the left and ahead of feet, and 0 ``(T,)`` for those on their side, else 1."""
    flat = frame[..., 0] * [1.0, 0.0, 1.0]
    size = norms(flat)
    left = flat / np.maximum(size, 1e-9)[:, None]
    ahead = np.stack([-left[:, 2], np.zeros(len(left)), left[:, 0]], axis=1)
    return left, ahead, np.asarray(smoothstep((size - 0.3) / 0.4))
