"""Where a hand belongs on another body.

Usually to its shoulder, in arm lengths. Near the other hand, or the head, to that. Both relations differ by a constant
where shoulders are wider or a head is larger, so a sharp change from one to the other would fold space: hands that were
apart would meet, and nobody could say on the way back which it had been. So the change is spread over at least 1.6
times that constant, which keeps places in their order, and its share is judged on the *wider* of the two bodies, where
there is more room: on the way back the same share is found by solving for it.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES, mirrored_role

TOUCHING = 0.18  # arm lengths, 10 cm of a person: nearer than this, a hand belongs to what it is near
FADE = 0.14  # arm lengths over which that begins, at least
UNFOLDED = 2.0  # times the difference of the two relations
HAND = 0.16  # of the arm's length: wrist to the middle of the hand
HEAD = 0.2  # of the arm's length: the head's radius, and its middle above the head joint
_ROUNDS = 14


def place_wrists(
    c: Calibration, source_q: Floats, source_p: Floats, world: Floats, places: Floats
) -> tuple[Floats, Floats]:
    """Left and right wrist ``(T, 3)``."""
    wanted = {side: _by_the_shoulder(c, source_p, places, side) for side in SIDES}
    for side in SIDES:
        wanted[side] = _by_the_head(c, source_q, source_p, world, places, wanted[side], side)
    return _by_each_other(c, source_q, source_p, wanted)


def _by_the_shoulder(c: Calibration, source_p: Floats, places: Floats, side: str) -> Floats:
    """The shoulder plus the source's way from shoulder to wrist (both chests have the same orientation by now)."""
    roles, target_roles = c.source.skeleton.roles, c.target.skeleton.roles
    way = source_p[:, roles[f"{side}Hand"]] - source_p[:, roles[f"{side}UpperArm"]]
    place: Floats = places[:, target_roles[f"{side}UpperArm"]] + c.arm[side] * way
    return place


def _by_the_head(
    c: Calibration, source_q: Floats, source_p: Floats, world: Floats, places: Floats, wanted: Floats, side: str
) -> Floats:
    head, target_head = c.source.skeleton.roles["head"], c.target.skeleton.roles["head"]
    centre = source_p[:, head] + _crown(c.source, source_q[:, head])
    target_centre = places[:, target_head] + _crown(c.target, world[:, target_head])
    length, target_length = (body.lengths[f"{side}Arm"] for body in (c.source, c.target))
    hand = _hand(c, source_q, side) / length
    here = (source_p[:, c.source.skeleton.roles[f"{side}Hand"]] - centre) / length
    there = (wanted - target_centre) / target_length
    apart, target_apart = (_shoulder_from_head(body, side) for body in (c.source, c.target))
    near = _share(
        here + hand,
        there - here,
        HEAD + TOUCHING,
        float(np.linalg.norm(target_apart - apart)),
        wider=bool(np.linalg.norm(apart) >= np.linalg.norm(target_apart)),
    )
    place: Floats = wanted + near[:, None] * (target_length * here + target_centre - wanted)
    return place


def _by_each_other(
    c: Calibration, source_q: Floats, source_p: Floats, wanted: dict[str, Floats]
) -> tuple[Floats, Floats]:
    lengths = [float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES])) for body in (c.source, c.target)]
    left, right = (source_p[:, c.source.skeleton.roles[f"{side}Hand"]] for side in SIDES)
    hands = (_hand(c, source_q, "left") - _hand(c, source_q, "right")) / lengths[0]
    here, there = (left - right) / lengths[0], (wanted["left"] - wanted["right"]) / lengths[1]
    widths = [_shoulder_width(body) / length for body, length in zip((c.source, c.target), lengths, strict=True)]
    difference, wider = abs(widths[1] - widths[0]), widths[0] >= widths[1]
    # Hands may touch with palms or fingers, or wrist to wrist.
    near = np.maximum(*(_share(here + step, there - here, TOUCHING, difference, wider=wider) for step in (hands, 0.0)))
    centre = 0.5 * (wanted["left"] + wanted["right"])
    half = 0.5 * lengths[1] * (there + near[:, None] * (here - there))
    return centre + half, centre - half


def _share(here: Floats, change: Floats, edge: float, difference: float, *, wider: bool) -> Floats:
    """How much ``(T,)`` the near relation counts: 1 within the edge, 0 beyond the fade, smooth between.

    ``here`` is the relation on this body and ``here + change`` what the shoulder's rule makes of it on the other.
    """
    fade = max(FADE, UNFOLDED * difference)
    if wider:
        return _smooth(_length(here), edge, fade)
    # On the wider body the relation will be here + (1 - share) change, and the share must be what that has.
    share: Floats = np.zeros(len(here))
    open_ = np.flatnonzero(_length(here) < edge + fade + _length(change))
    here, change = here[open_], change[open_]
    low, high = np.zeros(len(here)), np.ones(len(here))
    for _ in range(_ROUNDS):
        middle = 0.5 * (low + high)
        more = _smooth(_length(here + (1.0 - middle)[:, None] * change), edge, fade) > middle
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    share[open_] = np.where(high < 0.001, 0.0, np.where(low > 0.999, 1.0, 0.5 * (low + high)))
    return share


def _smooth(distance: Floats, edge: float, fade: float) -> Floats:
    u = np.clip((edge + fade - distance) / fade, 0.0, 1.0)
    smooth: Floats = u * u * (3.0 - 2.0 * u)
    return smooth


def _length(vectors: Floats) -> Floats:
    length: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return length


def _crown(body: Anatomy, turned: Floats) -> Floats:
    """From the head joint ``(T, 4)`` to the head's middle."""
    head = body.skeleton.roles["head"]
    up = rotations.rotate(body.basis, np.array([0.0, 1.0, 0.0]))
    at_rest = rotations.rotate(rotations.conjugate(body.posture.rotations[head]), _head_radius(body) * up)
    return rotations.rotate(turned, at_rest)


def _head_radius(body: Anatomy) -> float:
    return HEAD * float(np.mean([body.lengths[f"{side}Arm"] for side in SIDES]))


def _shoulder_from_head(body: Anatomy, side: str) -> Floats:
    """At rest, in the body's axes and arm lengths, from the head's middle."""
    p, roles = body.posture.positions, body.skeleton.roles
    way = p[roles[f"{side}UpperArm"]] - p[roles["head"]]
    seen = rotations.rotate(rotations.conjugate(body.basis), way) - [0.0, _head_radius(body), 0.0]
    relative: Floats = seen / body.lengths[f"{side}Arm"]
    return relative


def _shoulder_width(body: Anatomy) -> float:
    p, roles = body.posture.positions, body.skeleton.roles
    return float(np.linalg.norm(p[roles["leftUpperArm"]] - p[roles[mirrored_role("leftUpperArm")]]))


def _hand(c: Calibration, source_q: Floats, side: str) -> Floats:
    """From the wrist to the middle of the hand, along the hand as it lies at rest."""
    roles, body = c.source.skeleton.roles, c.source
    hand, fore = roles[f"{side}Hand"], roles[f"{side}LowerArm"]
    along = body.posture.positions[hand] - body.posture.positions[fore]
    step = HAND * body.lengths[f"{side}Arm"] / float(np.linalg.norm(along))
    at_rest = rotations.rotate(rotations.conjugate(body.posture.rotations[hand]), along * step)
    return rotations.rotate(source_q[:, hand], at_rest)
