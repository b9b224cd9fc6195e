"""Retarget hand positions: where the wrists of another body belong.

Usually a wrist keeps its position relative to its shoulder, in arm lengths. Near the other hand, or near the head, it
keeps its position relative to that. The two relations differ by a constant where shoulders are wider or a head is
larger, so a sharp change from one to the other would fold space: hands that were apart would touch, and nobody could
say when retargeting back which it had been. So the change is spread over at least twice that constant, which keeps
positions in their order. Its weight is computed on the *wider* of the two bodies, where there is more room: when
retargeting back the same weight is found by solving for it.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy, shoulder_position
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms, smoothstep
from kinesphere.motion.humanoid import SIDES

TOUCHING = 0.18  # arm lengths, 10 cm of a person: a nearer hand keeps its relation to what it is near
WRISTS_TOUCHING = 0.24  # arm lengths: the same for wrists, whose hands are bent away
FADE = 0.14  # arm lengths over which that relation begins, at least
UNFOLDED = 2.0  # times the difference of the two relations: the same, at least
HAND = 0.16  # of the arm's length: wrist to the middle of the hand
HEAD = 0.2  # of the arm's length: the head's radius, and its middle above the head joint
BISECTIONS = 14


def place_wrists(
    c: Calibration, source_q: Floats, source_p: Floats, target_q: Floats, target_p: Floats
) -> tuple[Floats, Floats]:
    """Left and right wrist ``(T, 3)`` on the target, whose chest already has the source's orientation.

    Rotations ``(T, J, 4)`` and positions ``(T, J, 3)`` are those of source and target in the world.
    """
    wrists = {side: _relative_to_shoulder(c, source_p, target_p, side) for side in SIDES}
    for side in SIDES:
        wrists[side] = _relative_to_head(c, source_q, source_p, target_q, target_p, wrists[side], side)
    return _relative_to_each_other(c, source_q, source_p, wrists)


def _relative_to_shoulder(c: Calibration, source_p: Floats, target_p: Floats, side: str) -> Floats:
    """The target's shoulder plus the source's vector from shoulder to wrist, in arm lengths."""
    roles, target_roles = c.source.skeleton.roles, c.target.skeleton.roles
    arm = source_p[:, roles[f"{side}Hand"]] - source_p[:, roles[f"{side}UpperArm"]]
    return np.asarray(target_p[:, target_roles[f"{side}UpperArm"]] + c.arm[side] * arm)


def _relative_to_head(
    c: Calibration,
    source_q: Floats,
    source_p: Floats,
    target_q: Floats,
    target_p: Floats,
    wrist: Floats,
    side: str,
) -> Floats:
    """The wrist ``(T, 3)``, moved to its relation to the head where the hand is near that."""
    head, target_head = c.source.skeleton.roles["head"], c.target.skeleton.roles["head"]
    centre = source_p[:, head] + _head_centre(c.source, source_q[:, head])
    target_centre = target_p[:, target_head] + _head_centre(c.target, target_q[:, target_head])
    length, target_length = (body.lengths[f"{side}Arm"] for body in (c.source, c.target))
    hand = _hand_centre(c.source, source_q, side) / length
    relation = (source_p[:, c.source.skeleton.roles[f"{side}Hand"]] - centre) / length
    change = (wrist - target_centre) / target_length - relation
    apart, target_apart = (_shoulder_from_head(body, side) for body in (c.source, c.target))
    weight = _nearness(
        relation + hand,
        change,
        HEAD + TOUCHING,
        float(np.linalg.norm(target_apart - apart)),
        wider=bool(np.linalg.norm(apart) >= np.linalg.norm(target_apart)),
    )
    return np.asarray(wrist + weight[:, None] * (target_length * relation + target_centre - wrist))


def _relative_to_each_other(
    c: Calibration, source_q: Floats, source_p: Floats, wrists: dict[str, Floats]
) -> tuple[Floats, Floats]:
    """Both wrists ``(T, 3)``, moved to their relation to each other where hands are near each other."""
    length, target_length = (_mean_arm_length(body) for body in (c.source, c.target))
    left, right = (source_p[:, c.source.skeleton.roles[f"{side}Hand"]] for side in SIDES)
    hands = (_hand_centre(c.source, source_q, "left") - _hand_centre(c.source, source_q, "right")) / length
    relation, target_relation = (left - right) / length, (wrists["left"] - wrists["right"]) / target_length
    width, target_width = _shoulder_width(c.source) / length, _shoulder_width(c.target) / target_length
    difference, wider, change = abs(target_width - width), width >= target_width, target_relation - relation
    # Hands may touch with palms or fingers, or with wrists and the heels of bent hands.
    weight = np.maximum(
        _nearness(relation + hands, change, TOUCHING, difference, wider=wider),
        _nearness(relation, change, WRISTS_TOUCHING, difference, wider=wider),
    )
    centre = 0.5 * (wrists["left"] + wrists["right"])
    half = 0.5 * target_length * (target_relation + weight[:, None] * (relation - target_relation))
    return centre + half, centre - half


def _nearness(relation: Floats, change: Floats, edge: float, difference: float, *, wider: bool) -> Floats:
    """The weight ``(T,)`` of the near relation: 1 within the edge, 0 beyond the fade, smooth between.

    ``relation (T, 3)`` is that on the source body and ``relation + change`` what the shoulder's rule makes of it on
    the target. ``wider`` says whether the source body is the wider one.
    """
    fade = max(FADE, UNFOLDED * difference)
    if wider:
        return _fade_out(relation, edge, fade)
    # On the wider body the relation will be relation + (1 - weight) · change, and the weight must be that one's.
    weight: Floats = np.zeros(len(relation))
    possible = np.flatnonzero(norms(relation) < edge + fade + norms(change))
    relation, change = relation[possible], change[possible]
    low, high = np.zeros(len(relation)), np.ones(len(relation))
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        more = _fade_out(relation + (1.0 - middle)[:, None] * change, edge, fade) > middle
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    weight[possible] = np.where(high < 0.001, 0.0, np.where(low > 0.999, 1.0, 0.5 * (low + high)))
    return weight


def _fade_out(relation: Floats, edge: float, fade: float) -> Floats:
    return np.asarray(smoothstep((edge + fade - norms(relation)) / fade))


# Measures of a body


def _head_centre(body: Anatomy, head_q: Floats) -> Floats:
    """From the head joint to the head's middle ``(T, 3)``, for a head with world rotations ``(T, 4)``."""
    up = rotations.rotate(body.basis, np.array([0.0, 1.0, 0.0]))
    to_head = rotations.conjugate(body.pose.rotations[body.skeleton.roles["head"]])
    return rotations.rotate(head_q, rotations.rotate(to_head, _head_radius(body) * up))


def _head_radius(body: Anatomy) -> float:
    return HEAD * _mean_arm_length(body)


def _shoulder_from_head(body: Anatomy, side: str) -> Floats:
    """From the head's middle to the shoulder at rest, in the body's axes and arm lengths."""
    head = body.pose.positions[body.skeleton.roles["head"]]
    offset = rotations.rotate(rotations.conjugate(body.basis), shoulder_position(body, side) - head)
    return np.asarray((offset - [0.0, _head_radius(body), 0.0]) / body.lengths[f"{side}Arm"])


def _shoulder_width(body: Anatomy) -> float:
    return float(np.linalg.norm(shoulder_position(body, "left") - shoulder_position(body, "right")))


def _mean_arm_length(body: Anatomy) -> float:
    return float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))


def _hand_centre(body: Anatomy, q: Floats, side: str) -> Floats:
    """From the wrist to the middle of the hand ``(T, 3)``, where the hand points."""
    along = rotations.rotate(body.frames[f"{side}Hand"], [HAND * body.lengths[f"{side}Arm"], 0.0, 0.0])
    return rotations.rotate(q[:, body.skeleton.roles[f"{side}Hand"]], along)
