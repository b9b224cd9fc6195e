"""Retarget clavicles by what they do to the shoulder: how far they raise it and bring it forward.

A clavicle's swing from where it is held is split in two: towards up and towards forward, as seen from its joint. Each
moves the shoulder by the bone's length, and by as much less as the bone is steep, or points forward. On the target each
is such that the shoulder moves as far, in shoulder widths. The ratios are those of one body over the other, so the
inverse has the reciprocal ones, and nothing is lost on the way back. The twist about the bone moves nothing, and is
kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.anatomy import Anatomy, shoulder_position
from kinesphere.body.clavicles import has_clavicle
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, cross, reject, unit
from kinesphere.motion.humanoid import SIDES

LEVERS = (0.6, 3.0)  # of half the shoulders' width: shorter bones are not swung farther, longer ones not less
UPRIGHT = 0.25  # cosine of the rise: a steeper bone has no direction in which it raises the shoulder


class Lever(NamedTuple):
    """A clavicle as what moves a shoulder, in the body's axes."""

    bone: Floats  # (3,) unit
    up: Floats  # (3,) unit, across the bone
    forward: Floats  # (3,) unit, across both
    raises: float  # half shoulder widths for each radian towards up
    advances: float  # the same, forward for each radian towards forward
    tilts: float  # the same, forward for each radian towards up


def retarget_clavicles(c: Calibration, source_q: Floats, q: Floats, known: Bools) -> bool:
    """Set world rotations of the target's clavicles in ``q (T, J, 4)``, in place; gives whether there are any.

    ``source_q`` are the source's rotations. What carries the clavicles is set already.
    """
    found = False
    for side in SIDES:
        role = f"{side}Shoulder"
        levers = [_lever(body, side) for body in (c.source, c.target)]
        if levers[0] is None or levers[1] is None or not _is_plain(c, role):
            continue
        swung = rotations.multiply(
            rotations.conjugate(_chest(c.source, source_q, role)), _clavicle(c.source, source_q, role)
        )
        joint = c.target.skeleton.roles[role]
        made = rotations.multiply(_chest(c.target, q, role), _on_other_lever(swung, levers[0], levers[1]))
        q[:, joint] = rotations.multiply(made, rotations.conjugate(c.target.frames[role]))
        known[joint] = found = True
    return found


def _on_other_lever(swung: Floats, source: Lever, target: Lever) -> Floats:
    """Rotations ``(T, 4)`` in the body's axes of one clavicle, as those of another."""
    swing, twist = rotations.swing_twist(swung, source.bone)
    moved = cross(rotations.to_rotation_vector(swing), np.broadcast_to(source.bone, (len(swung), 3)))
    swung_up, swung_forward = moved @ source.up, moved @ source.forward
    up = source.raises * swung_up / target.raises
    forward = (source.advances * swung_forward + source.tilts * swung_up - target.tilts * up) / target.advances
    moved = up[:, None] * target.up + forward[:, None] * target.forward
    swing = rotations.from_rotation_vector(cross(np.broadcast_to(target.bone, moved.shape), moved))
    angle = rotations.to_rotation_vector(twist) @ source.bone
    return rotations.multiply(swing, rotations.from_rotation_vector(angle[:, None] * target.bone))


def _lever(body: Anatomy, side: str) -> Lever | None:
    """A clavicle's lever; None where there is no clavicle, or one that is upright."""
    if not has_clavicle(body.skeleton, side):
        return None
    places = {own: shoulder_position(body, own) for own in SIDES}
    width = 0.5 * float(np.linalg.norm(places["left"] - places["right"]))
    start = body.pose.positions[body.skeleton.roles[f"{side}Shoulder"]]
    line = rotations.rotate(rotations.conjugate(body.basis), places[side] - start)
    length, bone = float(np.linalg.norm(line)), unit(line)
    rise = reject(np.array([0.0, 1.0, 0.0]), bone)
    if np.linalg.norm(rise) < UPRIGHT or width <= 0.0:
        return None
    up = unit(rise)
    forward = np.cross(bone, up)
    forward = forward if forward[2] > 0.0 else -forward
    raises, advances = (float(np.clip(length * share / width, *LEVERS)) for share in (up[1], forward[2]))
    return Lever(bone, up, forward, raises, advances, length * float(up[2]) / width)


def _is_plain(c: Calibration, role: str) -> bool:
    """Whether a role's rotation offset is that of the two frames: another one was given by the caller, and is kept."""
    plain = rotations.multiply(c.source.frames[role], rotations.conjugate(c.target.frames[role]))
    return bool(rotations.angle_between(plain, c.rotation_offsets[role]) < 1e-9)


def _chest(body: Anatomy, q: Floats, role: str) -> Floats:
    """World rotations ``(T, 4)`` of the body's axes at what carries a clavicle."""
    parent = int(body.skeleton.parents[body.skeleton.roles[role]])
    frame = rotations.multiply(rotations.conjugate(body.pose.rotations[parent]), body.basis)
    return rotations.multiply(q[:, parent], frame)


def _clavicle(body: Anatomy, q: Floats, role: str) -> Floats:
    """World rotations ``(T, 4)`` of a clavicle's anatomical frame."""
    return rotations.multiply(q[:, body.skeleton.roles[role]], body.frames[role])
