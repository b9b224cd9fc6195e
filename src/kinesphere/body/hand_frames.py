"""Hand direction and palm: the anatomical frame of a hand from its knuckles, thumb and bone tips.

A hand need not lie along the forearm in the pose that is measured. Knuckles show where it points and how its palm
faces; a thumb shows the palm roughly; a bone tip of the hand, or a joint without a role beyond it, shows the direction,
if it is long enough and a wrist can bend that way. A few degrees mean nothing: rigs place wrists above or below the
line of the forearm, and relaxed hands droop. So what is measured counts from a certain angle on, the larger the less
certain it is.

Some rigs bend the hand in a joint below the one that has the role: CMU's hand joint twists with the forearm, and a
joint at the same place, the finger base, flexes. That joint is the *palm joint* here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, smoothstep, unit
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton, Tip

SHORTEST, LONGEST = 0.06, 2.0  # of the forearm: what is nearer to the wrist, or farther, shows no direction
AT_WRIST = 0.4  # of the way to the knuckles: a nearer joint bends the hand, a farther one its fingers
# Radians from the forearm's direction, or its roll: below the first they mean nothing, from the second on they count.
KNUCKLES_COUNT = (np.radians(12.0), np.radians(24.0))
TIP_COUNTS = (np.radians(20.0), np.radians(35.0))
KNUCKLES_ROLL = (np.radians(15.0), np.radians(30.0))
THUMB_ROLL = (np.radians(45.0), np.radians(75.0))
NARROW = 0.04  # of the forearm: knuckles nearer together, or a thumb nearer to the hand's line, show no roll
FOLDED = np.radians(115.0)  # no wrist bends farther
ASIDE = np.radians(40.0)  # no wrist bends farther towards thumb or little finger
ALONG_THUMB = np.radians(25.0)  # a tip so near to the thumb's direction is the thumb's
HELD_ALONG = np.radians(55.0)  # median angle from the forearm up to which something may be a hand
HELD_NEARER = np.radians(25.0)  # by how much it must be nearer to the forearm than the other
STEADY = 0.7  # length of the mean of unit quaternions, from which on there is a mean
FORWARD = np.array([1.0, 0.0, 0.0])  # along the bone, in an anatomical frame of a limb


class HandParts(NamedTuple):
    """Which joints and tips of a skeleton show a hand."""

    palm: int  # the joint that carries the knuckles: the hand itself, or one at the wrist below it
    knuckles: tuple[int, ...]  # of fingers with roles, from the index on; else joints beyond the wrist
    tips: tuple[Tip, ...]  # bone tips, where there are no knuckles
    fingers: bool  # whether knuckles are those of fingers with roles, so that the hand's direction is certain
    across: tuple[int, int] | None  # first and last knuckle
    thumb: tuple[int, Tip | None] | None  # the thumb's last joint and its tip


@memoised
def find_hand(skeleton: Skeleton, side: str) -> HandParts:
    """What shows a hand: palm joint, knuckles, tips, thumb."""
    roles, p = skeleton.roles, skeleton.rest_world()[1]
    hand = roles[f"{side}Hand"]
    forearm = float(np.linalg.norm(p[hand] - p[roles[f"{side}LowerArm"]]))
    below = skeleton.descendants(hand)
    thumbs = _thumb_joints(skeleton, side, below)
    thumb = _thumb_end(skeleton, thumbs)
    knuckle_roles = [f"{side}{finger}Proximal" for finger in FINGERS[1:] if f"{side}{finger}Proximal" in roles]
    if any(roles[role] not in below for role in knuckle_roles):  # the joint is only a part of the hand
        return HandParts(hand, (), (), False, None, None)
    far = {joint: float(np.linalg.norm(p[joint] - p[hand])) for joint in below}
    shown = [joint for joint in below if joint not in thumbs and SHORTEST * forearm < far[joint] < LONGEST * forearm]
    palm = _palm_joint(skeleton, hand, [joint for joint in below if joint not in thumbs], far, SHORTEST * forearm)
    knuckles = [roles[role] for role in knuckle_roles if roles[role] in shown and roles[role] != palm]
    fingers = bool(knuckles)
    if not knuckles:
        knuckles = [joint for joint in shown if int(skeleton.parents[joint]) not in shown and joint != palm]
    tips = () if knuckles else _tips(skeleton, {hand, palm}, forearm)
    across = (knuckles[0], knuckles[-1]) if fingers and len(knuckles) > 1 else None
    return HandParts(palm, tuple(knuckles), tips, fingers, across, thumb)


def hand_frame(
    skeleton: Skeleton,
    q: Floats,
    p: Floats,
    side: str,
    forearm: Floats,
    *,
    trusted: bool | None = None,
    exact: bool = False,
) -> Floats:
    """The anatomical frame ``(4,)`` of a hand in the world, in a pose with rotations ``(J, 4)``, positions ``(J, 3)``.

    ``forearm (4,)`` is the frame of a straight hand, which is the forearm's: along the bone, the elbow's hinge, their
    cross product, with the thumb opposite to the last. ``trusted`` says whether a tip shows the direction, where a
    motion has decided that. ``exact`` is for poses that are no rest pose: there a few degrees are how a hand is held.
    """
    parts = find_hand(skeleton, side)
    frame, share = forearm, float(exact)
    if parts.knuckles or parts.tips:
        along = unit(hand_end(parts, q, p) - p[skeleton.roles[f"{side}Hand"]])
        if not along.any():  # what shows it is on all sides
            trusted = False
        if trusted if trusted is not None else _is_plausible(parts, q, p, along, forearm):
            swing = rotations.rotation_between(rotations.rotate(forearm, FORWARD), along)
            count = KNUCKLES_COUNT if parts.across is not None else TIP_COUNTS
            share = max(share, _share(float(rotations.angle(swing)), count))
            frame = rotations.multiply(rotations.power(swing, share), forearm)
    return _rolled(skeleton, parts, q, p, side, frame, share)


def hand_end(parts: HandParts, q: Floats, p: Floats) -> Floats:
    """The middle ``(..., 3)`` of what shows a hand's direction, in poses ``(..., J, 4)``, ``(..., J, 3)``."""
    points = [p[..., joint, :] for joint in parts.knuckles]
    points += [p[..., tip.joint, :] + rotations.rotate(q[..., tip.joint, :], tip.offset) for tip in parts.tips]
    return np.asarray(np.mean(points, axis=0))


def _is_plausible(parts: HandParts, q: Floats, p: Floats, along: Floats, forearm: Floats) -> bool:
    """Whether a direction can be a hand's: fingers always, tips where a wrist can bend to and no thumb is."""
    if parts.fingers:
        return True
    x, y, z = rotations.rotate(rotations.conjugate(forearm), along)
    if np.arccos(np.clip(x, -1.0, 1.0)) > FOLDED:
        return False
    if parts.thumb is not None:
        wrist = p[parts.palm]
        return bool(np.arccos(np.clip(along @ unit(_thumb_tip(parts.thumb, q, p) - wrist), -1.0, 1.0)) > ALONG_THUMB)
    return bool(abs(z) < max(abs(y), np.sin(ASIDE)))


def _rolled(
    skeleton: Skeleton, parts: HandParts, q: Floats, p: Floats, side: str, frame: Floats, bent: float
) -> Floats:
    """A hand's frame ``(4,)``, rolled about its length to where knuckles or the thumb show its palm.

    ``bent`` is how much of the hand's direction is believed: with it, so are knuckles.
    """
    wrist = p[skeleton.roles[f"{side}Hand"]]
    if parts.across is not None:
        aside, count = p[parts.across[0]] - p[parts.across[1]], KNUCKLES_ROLL
    elif parts.thumb is not None:
        aside, count = _thumb_tip(parts.thumb, q, p) - wrist, THUMB_ROLL
    else:
        return frame
    _, y, z = rotations.rotate(rotations.conjugate(frame), aside)
    forearm = float(np.linalg.norm(wrist - p[skeleton.roles[f"{side}LowerArm"]]))
    if np.hypot(y, z) < NARROW * forearm:
        return frame
    roll = float(np.arctan2(y, -z))  # the thumb's side is opposite to the frame's third axis
    share = max(_share(abs(roll), count), bent if parts.across is not None else 0.0)
    return rotations.multiply(frame, rotations.from_rotation_vector(roll * share * FORWARD))


def _share(angle: float, count: tuple[float, float]) -> float:
    """How much of a measured angle is believed, from none below the first of two angles to all beyond the second."""
    return float(smoothstep((angle - count[0]) / (count[1] - count[0])))


# What a motion shows


def posed_hand_frame(
    skeleton: Skeleton, pose: tuple[Floats, Floats], q: Floats, side: str, forearm: Floats
) -> Floats | None:
    """The frame ``(4,)`` of a hand in the world in one frame of a motion, whatever the hand does in it.

    A straight hand is as at rest, if a motion holds one of the hands about like that, although nobody stands as the
    rest pose does; else it is as the hand is held in the mean. From there on what the hand shows is exact. ``pose`` are
    rotations and positions of the frame, ``q (T, J, 4)`` world rotations of some frames, and ``forearm (4,)`` is the
    forearm's frame in its joint's axes. None where there is no mean.
    """
    hand, lower = (skeleton.roles[f"{side}{part}"] for part in ("Hand", "LowerArm"))
    rest_q = skeleton.rest_world()[0]
    straight = rotations.multiply(rotations.conjugate(rest_q[hand]), rest_q[lower])
    if min(_median_bend(skeleton, q, own) for own in SIDES) > HELD_ALONG:
        held = rotations.multiply(rotations.conjugate(q[:, hand]), q[:, lower])
        mean = np.mean(np.where(held @ held[0] < 0.0, -1.0, 1.0)[:, None] * held, axis=0)
        if np.linalg.norm(mean) < STEADY:
            return None
        straight = rotations.normalise(mean)
    world = rotations.multiply(pose[0][hand], rotations.multiply(straight, forearm))
    return hand_frame(skeleton, *pose, side, world, exact=True)


def _median_bend(skeleton: Skeleton, q: Floats, side: str) -> float:
    """The median angle by which a hand is bent from how it lies at rest, in world rotations ``(T, J, 4)``."""
    hand, lower = (skeleton.roles[f"{side}{part}"] for part in ("Hand", "LowerArm"))
    rest_q, rest_p = skeleton.rest_world()
    bone = unit(rest_p[hand] - rest_p[lower])
    ways = [
        rotations.rotate(rotations.multiply(q[:, joint], rotations.conjugate(rest_q[joint])), bone)
        for joint in (hand, lower)
    ]
    return float(np.median(_angle(*ways)))


def is_tip_off(skeleton: Skeleton, q: Floats, p: Floats, side: str) -> bool:
    """Whether a bone tip, and no fingers, shows a hand that is clearly off the forearm in a pose."""
    parts, roles = find_hand(skeleton, side), skeleton.roles
    if parts.fingers or not (parts.knuckles or parts.tips):
        return False
    hand, lower = roles[f"{side}Hand"], roles[f"{side}LowerArm"]
    return bool(_angle(unit(hand_end(parts, q, p) - p[hand]), unit(p[hand] - p[lower])) > TIP_COUNTS[0])


def tip_is_hands(skeleton: Skeleton, rest: tuple[Floats, Floats], q: Floats, p: Floats, side: str) -> bool | None:
    """Whether a bone tip that is off the forearm at rest shows the hand's direction, by frames of a motion.

    People hold their hands along the forearm more than in any other direction. So either the tip lies along it in most
    frames, and is the hand's, or what lay along it at rest does, and the tip shows something else. None where the
    frames give no answer. ``rest`` are rotations and positions of the measured pose.
    """
    parts, roles = find_hand(skeleton, side), skeleton.roles
    hand, lower, (rest_q, rest_p) = roles[f"{side}Hand"], roles[f"{side}LowerArm"], rest
    to_palm = rotations.conjugate(rest_q[parts.palm])
    carried = rotations.rotate(q[:, parts.palm], rotations.rotate(to_palm, unit(rest_p[hand] - rest_p[lower])))
    forearm, tip = unit(p[:, hand] - p[:, lower]), unit(hand_end(parts, q, p) - p[:, hand])
    off, straight_off = (float(np.median(_angle(way, forearm))) for way in (tip, carried))
    decided = min(off, straight_off) < HELD_ALONG and abs(off - straight_off) > HELD_NEARER
    return off < straight_off if decided else None


def _angle(a: Floats, b: Floats) -> Floats:
    """Radians ``(...)`` between unit vectors ``(..., 3)``."""
    return np.asarray(np.arccos(np.clip(np.einsum("...i,...i->...", a, b), -1.0, 1.0)))


# Joints and tips


def _palm_joint(skeleton: Skeleton, hand: int, below: list[int], far: dict[int, float], least: float) -> int:
    """The joint that carries all fingers: the hand, or the only one below it that is still at the wrist.

    ``below`` are the hand and all below it but the thumb; ``far`` are their distances from the hand. Tips shorter than
    ``least`` don't count.
    """
    palm = hand
    while True:
        children = [joint for joint in below if int(skeleton.parents[joint]) == palm and joint != hand]
        if len(children) != 1 or any(tip.joint == palm and _is_long(tip, least) for tip in skeleton.tips):
            return palm
        child = children[0]
        beyond = [far[joint] for joint in below if int(skeleton.parents[joint]) == child]
        beyond += [far[child] + float(np.linalg.norm(tip.offset)) for tip in skeleton.tips if tip.joint == child]
        if not beyond or far[child] > AT_WRIST * max(beyond) or max(beyond) < least:
            return palm
        palm = child


def _thumb_joints(skeleton: Skeleton, side: str, below: list[int]) -> set[int]:
    """The joints of a thumb, by role or name, with all that they carry."""
    first = {skeleton.roles[role] for role in skeleton.roles if role.startswith(f"{side}Thumb")}
    first |= {joint for joint in below if "thumb" in skeleton.names[joint].lower()}
    return {joint for one in first for joint in skeleton.descendants(one)} & set(below)


def _thumb_end(skeleton: Skeleton, thumbs: set[int]) -> tuple[int, Tip | None] | None:
    if not thumbs:
        return None
    last = max(thumbs)
    return last, next((tip for tip in skeleton.tips if tip.joint == last), None)


def _thumb_tip(thumb: tuple[int, Tip | None], q: Floats, p: Floats) -> Floats:
    joint, tip = thumb
    return p[joint] if tip is None else np.asarray(p[joint] + rotations.rotate(q[joint], tip.offset))


def _tips(skeleton: Skeleton, joints: set[int], forearm: float) -> tuple[Tip, ...]:
    """Tips of these joints that are neither tiny nor far away."""
    own = (tip for tip in skeleton.tips if tip.joint in joints)
    return tuple(tip for tip in own if _is_long(tip, SHORTEST * forearm) and not _is_long(tip, LONGEST * forearm))


def _is_long(tip: Tip, least: float) -> bool:
    return bool(np.linalg.norm(tip.offset) > least)
