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
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Bools, Floats, cross, reject, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

LEVERS = (0.85, 3.0)  # of half the shoulders' width: shorter bones are not swung farther, longer ones not less
STILL = 1e-9  # sine of half a swing: clavicles that many captures do not move
UPRIGHT = 0.25  # cosine of the rise: a steeper bone has no direction in which it raises the shoulder


class Lever(NamedTuple):
    """A clavicle, or several, as what moves a shoulder, in the body's axes."""

    bone: Floats  # (..., 3) unit
    up: Floats  # (..., 3) unit, across the bone
    forward: Floats  # (..., 3) unit, across both
    raises: Floats  # (...) half shoulder widths for each radian towards up
    advances: Floats  # (...) the same, forward for each radian towards forward
    tilts: Floats  # (...) the same, forward for each radian towards up


def retarget_clavicles(c: Calibration, source_q: Floats, q: Floats, known: Bools) -> None:
    """Set world rotations of the target's clavicles in ``q (T, J, 4)``, in place.

    ``source_q`` are the source's rotations, and ``known (J,)`` says which of the target's are set.
    """
    levers = {side: (_lever(c.source, side), _lever(c.target, side)) for side in SIDES}
    pairs = {f"{side}Shoulder": (a, b) for side, (a, b) in levers.items() if a is not None and b is not None}
    pairs = {role: pair for role, pair in pairs.items() if _is_plain(c, role)}
    if not pairs:
        return
    skeleton = c.target.skeleton
    joints = [skeleton.roles[role] for role in pairs]
    if not known[skeleton.parents[joints]].all():
        kinematics.complete_rotations(q, known, skeleton.rest_rotations, skeleton.parents)
    chest, clavicle = _chest(c.source, source_q, list(pairs)), _clavicle(c.source, source_q, list(pairs))
    source, target = (_stack([pair[k] for pair in pairs.values()]) for k in (0, 1))
    swung = _on_other_lever(rotations.multiply(rotations.conjugate(chest), clavicle), source, target)
    made = rotations.multiply(_chest(c.target, q, list(pairs)), swung)
    q[:, joints] = rotations.multiply(made, rotations.conjugate(np.array([c.target.frames[role] for role in pairs])))
    known[joints] = True


def _on_other_lever(swung: Floats, source: Lever, target: Lever) -> Floats:
    """Rotations ``(T, S, 4)`` in the body's axes of clavicles, as those of others; levers have an axis of sides."""
    if np.abs(swung[..., 1:]).max() < STILL:
        return swung
    swing, twist = rotations.swing_twist(swung, source.bone)
    moved = cross(rotations.to_rotation_vector(swing), source.bone)
    swung_up, swung_forward = (np.einsum("tsi,si->ts", moved, axis) for axis in (source.up, source.forward))
    up = source.raises * swung_up / target.raises
    forward = (source.advances * swung_forward + source.tilts * swung_up - target.tilts * up) / target.advances
    moved = up[..., None] * target.up + forward[..., None] * target.forward
    swing = rotations.from_rotation_vector(cross(target.bone, moved))
    half = np.einsum("tsi,si->ts", twist[..., 1:], source.bone)
    twist = np.concatenate([twist[..., :1], half[..., None] * target.bone], axis=-1)
    return rotations.multiply(swing, twist)


def _stack(levers: list[Lever]) -> Lever:
    """Levers of several sides as one, with arrays ``(S, 3)`` and ``(S,)``."""
    return Lever(*(np.array(values) for values in zip(*levers, strict=True)))


@memoised
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
    raises, advances = np.clip(length / width * np.array([up[1], forward[2]]), *LEVERS)
    return Lever(bone, up, forward, raises, advances, np.asarray(length / width * up[2]))


def _is_plain(c: Calibration, role: str) -> bool:
    """Whether a role's rotation offset is that of the two frames: another one was given by the caller, and is kept."""
    plain = rotations.multiply(c.source.frames[role], rotations.conjugate(c.target.frames[role]))
    return bool(np.abs(plain - c.rotation_offsets[role]).max() < 1e-9)


def _chest(body: Anatomy, q: Floats, roles: list[str]) -> Floats:
    """World rotations ``(T, S, 4)`` of the body's axes at what carries clavicles."""
    parents = body.skeleton.parents[[body.skeleton.roles[role] for role in roles]]
    return rotations.multiply(
        q[:, parents], rotations.multiply(rotations.conjugate(body.pose.rotations[parents]), body.basis)
    )


def _clavicle(body: Anatomy, q: Floats, roles: list[str]) -> Floats:
    """World rotations ``(T, S, 4)`` of clavicles' anatomical frames."""
    joints = [body.skeleton.roles[role] for role in roles]
    return rotations.multiply(q[:, joints], np.array([body.frames[role] for role in roles]))
