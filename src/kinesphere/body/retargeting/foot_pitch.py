"""Pitch feet of other lengths: heel and ball are as high above the ground as the source's, so that none goes under it.

A copied pitch puts the toes of a long foot under the ground as soon as the heel rises. Near the ground a foot is
pitched about its ankle until its lower end, ball or heel, is as high as on the source, in leg lengths; a foot twice as
long then pitches about half as far. That is undone by the same rule on the way back. A foot in the air keeps its pitch.
A long foot that turns over, as in kneeling down, goes around at the side; that is not undone.

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
from kinesphere.maths.vectors import Bools, Floats, smoothstep
from kinesphere.motion.humanoid import SIDES

HEEL = 0.06  # leg lengths from the ankle back to the end of a person's heel
NEAR = (0.7, 1.1)  # of the longer foot, from the ankle to an end: lifted between these it comes to keep its pitch
EVEN = 0.15  # sine of the pitch to each side of level over which one end takes over from the other
BEHIND = (-0.1, 0.7)  # cosines behind the ankle between which an end that was raised ahead comes to be raised behind
STEEPEST = 1.3  # radians below level that a foot is pitched at most
UNLIKE = 0.3  # sine by which an end is raised: from there on it may turn out
PAST = 0.1  # cosine to each side of straight down over which feet as long as the source's come to keep their pitch
LITTLE = 0.1  # radians that it may go beyond level
CURLED = 0.2  # radians by which toes are below the foot's own direction: from there on they go with the foot
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


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
        axes = _axes(rotations.multiply(q[:, joint], c.target.frames[f"{side}Foot"]))
        raised, turned_out = _foot_pitch(axes, foot, source, height, source_height)
        _rotate(q, joint, axes.left, -raised)
        _level_toes(c, side, foot, axes.down, raised, q, p, known)
        ahead = np.stack([-axes.left[:, 2], axes.left[:, 1], axes.left[:, 0]], axis=1)
        outward = turned_out if side == "left" else -turned_out
        for part in (joint, roles.get(f"{side}Toes")):
            if part is not None and known[part]:
                _rotate(q, part, ahead, outward)


def _rotate(q: Floats, joint: int, axes: Floats, angles: Floats) -> None:
    """Rotate a joint of ``q (T, J, 4)`` in the world, in place, by angles ``(T,)`` about axes ``(T, 3)``."""
    rows = np.flatnonzero(np.abs(angles) > 1e-12)
    if len(rows):
        turn = rotations.from_rotation_vector(angles[rows, None] * axes[rows])
        q[rows, joint] = rotations.multiply(turn, q[rows, joint])


def _level_toes(
    c: Calibration, side: str, foot: _Foot, down: Floats, change: Floats, q: Floats, p: Floats, known: Bools
) -> None:
    """Raise toes, in place, whose tips would be under both the ground and the ball.

    The foot was pitched ``down (T,)`` and is raised by ``change (T,)``. Toes that are curled, not bent up by the
    ground, go with it.
    """
    body, toes = c.target, c.target.skeleton.roles.get(f"{side}Toes")
    if toes is None or foot.toes <= 0.0:
        return
    joint = body.skeleton.roles[f"{side}Foot"]
    rest_q, rest_p, to_foot = body.pose.rotations, body.pose.positions, rotations.conjugate(body.pose.rotations[joint])
    to_toes = body.frames[f"{side}Toes"]
    if known[toes]:
        axes = _axes(rotations.multiply(q[:, toes], to_toes))
        curled = np.remainder(axes.down - down + np.pi, 2.0 * np.pi) - np.pi
        curled = change * smoothstep(curled / CURLED)
        _rotate(q, toes, axes.left, -curled)
        axes = axes._replace(down=axes.down - curled)
    else:
        q[:, toes] = rotations.multiply(q[:, joint], rotations.multiply(to_foot, rest_q[toes]))
        known[toes] = True
        axes = _axes(rotations.multiply(q[:, toes], to_toes))
    bone = rotations.rotate(to_foot, rest_p[toes] - rest_p[joint])
    clearance = body.ankle_height + float(rest_p[toes, 1] - rest_p[joint, 1])
    ball = p[:, joint, 1] + rotations.rotate(q[:, joint], bone)[:, 1] - clearance * np.cos(axes.down)
    lowest = np.minimum(np.maximum(ball, 0.0) / foot.toes, 1.0)
    rows = np.flatnonzero(np.sin(axes.down) > lowest)
    raised = np.zeros(len(q))
    raised[rows] = axes.shown[rows] * _raise_to(axes.down[rows], np.arcsin(lowest[rows]), np.arcsin(lowest[rows]))[0]
    _rotate(q, toes, axes.left, -raised)


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
    forward = rotations.rotate(rotations.multiply(body.pose.rotations[foot], body.frames[f"{side}Foot"]), Z)
    return float(offset @ forward)


def _foot_pitch(
    axes: _Axes, foot: _Foot, source: _Foot, height: Floats, source_height: Floats
) -> tuple[Floats, Floats]:
    """By how much toes are raised ``(T,)``, and turned out, in radians, by the heights ``(T,)`` of both ankles."""
    lift, source_lift = height - foot.ankle, source_height - source.ankle
    ratio = foot.leg / source.leg
    lifted = 0.5 * (lift / foot.leg + source_lift / source.leg)
    changes = []
    for end, source_end, down in ((foot.ball, source.ball, axes.down), (foot.heel, source.heel, -axes.down)):
        shorter = min(ratio * source_end / end, end / (ratio * source_end))
        # A pitched foot rolls over its end, which raises the ankle less than its length says. Of the shorter foot.
        roll, source_roll = (1.0 - shorter) * foot.ankle, (1.0 - shorter) * source.ankle
        roll, source_roll = (roll, 0.0) if end < ratio * source_end else (0.0, source_roll)
        sine, cosine, wanted = np.sin(down), np.cos(down), []
        for level in (cosine, -cosine):  # ahead of the ankle, and behind it
            depth = ratio * (source_end * sine - source_roll * (1.0 - level)) + lift - ratio * source_lift
            angle = np.arcsin(np.clip((depth + roll) / np.hypot(end, roll), -1.0, 1.0)) - np.arctan2(roll, end)
            wanted.append(np.clip(angle, -LITTLE, np.maximum(down, STEEPEST)))
        # Whether the longer foot may touch the ground: the same on the way there and on the way back.
        longer = max(end / foot.leg, source_end / source.leg)
        near = 1.0 - smoothstep((lifted / longer - NEAR[0]) / (NEAR[1] - NEAR[0]))
        changes.append(near * np.array(_raise_to(down, wanted[0], wanted[1])))
    front = smoothstep(0.5 + np.sin(axes.down) / (2.0 * EVEN))
    raised = front * changes[0][0] - (1.0 - front) * changes[1][0]
    return np.asarray(axes.shown * raised), np.asarray(axes.shown * front * changes[0][1])


def _raise_to(down: Floats, ahead: Floats, behind: Floats) -> tuple[Floats, Floats]:
    """By which angles ``(T,)`` an end that points down so far must be raised to the wanted angles, and turned out.

    ``ahead`` is wanted ahead of the ankle, ``behind``, as an angle below level, behind it: an end that points back, as
    that of a kneeling body's foot, stays on its side. A foot that turns over from one to the other points down in
    between. One too long for that turns about the level axis ahead: its front goes around, not through the ground.
    """
    back, sine = -np.cos(down), np.sin(down)
    if not np.any(back > min(BEHIND[0], -PAST)):
        return np.asarray(down - ahead), np.zeros_like(down)
    over = smoothstep((back - BEHIND[0]) / (BEHIND[1] - BEHIND[0]))
    wanted = np.sin(np.maximum(ahead, behind))
    unlike = smoothstep(np.abs(sine - wanted) / UNLIKE)
    raised = down - ahead - over * (np.pi - ahead - behind)
    turned = down - raised
    out = np.arccos(np.clip(wanted / np.maximum(np.sin(turned), 1e-9), 0.0, 1.0))
    kept = smoothstep((back + PAST) / (2.0 * PAST)) * (1.0 - unlike)
    aside = 1.0 - (2.0 * over - 1.0) ** 4
    return np.asarray((1.0 - kept) * raised), np.asarray(aside * unlike * out)


class _Axes(NamedTuple):
    """How feet lie in the world."""

    left: Floats  # (T, 3) level unit vectors
    down: Floats  # (T,) radians by which the toes are below level, seen from the side; more than π / 2 points back
    shown: Floats  # (T,) 0 for a foot on its side, else 1


def _axes(frames: Floats) -> _Axes:
    """Of anatomical frames ``(T, 4)`` in the world."""
    left, toes = rotations.rotate(frames, X), rotations.rotate(frames, Z)
    size = np.hypot(left[:, 0], left[:, 2])
    across, along = left[:, 0] / np.maximum(size, 1e-9), left[:, 2] / np.maximum(size, 1e-9)
    down = np.arctan2(-toes[:, 1], across * toes[:, 2] - along * toes[:, 0])
    level = np.stack([across, np.zeros_like(across), along], axis=1)
    return _Axes(level, down, np.asarray(smoothstep((size - 0.3) / 0.4)))
