"""Retarget wrists: bend hands as a whole, in whichever joint a rig bends them.

Most rigs bend the hand in the joint that has the role. Others twist that joint with the forearm, and flex the hand in a
*palm joint* below it (``body.hand_frames``). On the way in, such a hand becomes one that its own joint has bent: it
points from the wrist to the knuckles, and the palm joint gives its roll. On the way out, the hand's own joint gets the
twist about the forearm and the palm joint all that is left, so that a motion that comes back has its flexion where it
was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.hand_frames import find_hand, hand_end
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Bools, Floats, norms, unit
from kinesphere.motion.humanoid import SIDES

AT_HAND = 1e-3  # of the distance to the knuckles: a palm joint so near to the hand's is at the same place


class PalmJoint(NamedTuple):
    """A hand that bends in a joint below its own, in the measured pose."""

    hand: int
    lower: int  # the forearm
    palm: int
    aside: tuple[int, ...]  # joints below the hand that the palm joint does not carry: the thumb
    offset: Floats  # (3,) from hand to palm joint, in the world
    reach: Floats  # (3,) from palm joint to knuckles
    apart: bool  # whether the palm joint is at another place than the hand
    swing: Floats  # (4,) from the palm joint's direction to the hand's


def _palm_joints(body: Anatomy) -> list[PalmJoint]:
    skeleton, q, p = body.skeleton, body.pose.rotations, body.pose.positions
    found = []
    for side in SIDES:
        parts = find_hand(skeleton, side)
        hand, lower = (skeleton.roles[f"{side}{part}"] for part in ("Hand", "LowerArm"))
        if parts.palm == hand or not (parts.knuckles or parts.tips):
            continue
        offset, reach = p[parts.palm] - p[hand], hand_end(parts, q, p) - p[parts.palm]
        if not (reach.any() and (offset + reach).any()):
            continue
        carried = {hand, *skeleton.descendants(parts.palm)}
        aside = tuple(joint for joint in skeleton.descendants(hand) if joint not in carried)
        apart = bool(np.linalg.norm(offset) > AT_HAND * np.linalg.norm(reach))
        swing = rotations.rotation_between(reach, offset + reach) if apart else rotations.identity()
        found.append(PalmJoint(hand, lower, parts.palm, aside, offset, reach, apart, swing))
    return found


def gather_hands(body: Anatomy, q: Floats, p: Floats) -> Floats:
    """World rotations ``(T, J, 4)`` in which hands are bent in their own joints, and thumbs go with them.

    ``q`` and ``p (T, J, 3)`` are those of the motion. Where no hand bends elsewhere, ``q`` itself.
    """
    joints = _palm_joints(body)
    if not joints:
        return q
    rest = body.pose.rotations
    gathered = q.copy()
    for joint in joints:
        rotation = _from_rest(rest, q, joint.palm)
        if joint.apart:
            reach = rotations.rotate(rotation, joint.reach)
            swing = rotations.rotation_between(reach, p[:, joint.palm] - p[:, joint.hand] + reach)
            rotation = rotations.multiply(swing, rotations.multiply(rotation, rotations.conjugate(joint.swing)))
        gathered[:, joint.hand] = rotations.multiply(rotation, rest[joint.hand])
        carry = rotations.multiply(gathered[:, joint.hand], rotations.conjugate(q[:, joint.hand]))
        for other in joint.aside:
            gathered[:, other] = rotations.multiply(carry, q[:, other])
    return gathered


def divide_hands(body: Anatomy, q: Floats, known: Bools) -> None:
    """The reverse of ``gather_hands``, in place: twist about the forearm in the hand, the rest in the palm joint.

    ``q (T, J, 4)`` are world rotations of the target, ``known (J,)`` which of them are set; the others follow.
    """
    joints = _palm_joints(body)
    if not joints:
        return
    skeleton, rest, p = body.skeleton, body.pose.rotations, body.pose.positions
    known = known.copy()
    for joint in joints:
        whole, forearm = _from_rest(rest, q, joint.hand), _from_rest(rest, q, joint.lower)
        axis = unit(p[joint.hand] - p[joint.lower])
        _, twist = rotations.swing_twist(rotations.multiply(rotations.conjugate(forearm), whole), axis)
        hand = rotations.multiply(forearm, twist)
        palm = whole
        if joint.apart:
            along = rotations.rotate(whole, unit(joint.offset + joint.reach))
            reach = _reach_along(along, rotations.rotate(hand, joint.offset), float(np.linalg.norm(joint.reach)))
            palm = rotations.multiply(rotations.rotation_between(along, reach), rotations.multiply(whole, joint.swing))
        carry = rotations.multiply(hand, rotations.conjugate(whole))
        for other in joint.aside:
            if known[other]:
                q[:, other] = rotations.multiply(carry, q[:, other])
        q[:, joint.hand] = rotations.multiply(hand, rest[joint.hand])
        q[:, joint.palm] = rotations.multiply(palm, rest[joint.palm])
        known[[joint.hand, joint.palm]] = True
    kinematics.complete_rotations(q, known, skeleton.rest_rotations, skeleton.parents)


def _from_rest(rest: Floats, q: Floats, joint: int) -> Floats:
    """World rotations ``(T, 4)`` of a joint from the measured pose."""
    return rotations.multiply(q[:, joint], rotations.conjugate(rest[joint]))


def _reach_along(along: Floats, offset: Floats, length: float) -> Floats:
    """From palm joint to knuckles ``(T, 3)``, of a given length, so that knuckles are in a direction from the wrist."""
    ahead = np.einsum("...i,...i->...", offset, along)
    root = np.sqrt(np.maximum(length**2 - norms(offset) ** 2 + ahead**2, 0.0))
    return np.asarray((ahead + root)[:, None] * along - offset)
