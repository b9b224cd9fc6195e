"""Where a hand belongs on another body."""

from __future__ import annotations

import numpy as np

from kinesphere.body.calibration import Calibration
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES

TOUCHING = 0.18  # arm lengths, 10 cm of a person: nearer than this, a hand belongs to what it is near
FADE = 0.14  # arm lengths over which that begins
HAND = 0.16  # of the arm's length: wrist to the middle of the hand
CROWN = 0.2  # of the arm's length: the head's radius, where nearness to it is judged
HEAD = 0.13  # of the leg's length: the head's radius, and its middle above the head joint


def wrist_targets(
    c: Calibration, source_q: Floats, source_p: Floats, world: Floats, places: Floats
) -> tuple[Floats, Floats]:
    """Left and right wrist ``(T, 3)``.

    Usually the shoulder plus the source's shoulder → wrist vector in arm lengths (both chests have the same
    orientation by now). A hand within 10 cm of the head keeps its place by the head, hands within 10 cm of each
    other theirs to one another.
    """
    roles, target_roles = c.source.skeleton.roles, c.target.skeleton.roles
    wrists = {side: source_p[:, roles[f"{side}Hand"]] for side in SIDES}
    wanted = {}
    for side in SIDES:
        from_shoulder = wrists[side] - source_p[:, roles[f"{side}UpperArm"]]
        wanted[side] = places[:, target_roles[f"{side}UpperArm"]] + c.arm[side] * from_shoulder
    middles = {side: wrists[side] + _hand(c, source_q, side) for side in SIDES}
    _by_the_head(c, source_q, source_p, world, places, wrists, middles, wanted)
    apart = np.linalg.norm(middles["left"] - middles["right"], axis=-1)
    together = np.minimum(apart, np.linalg.norm(wrists["left"] - wrists["right"], axis=-1))
    near = _nearness(together / np.mean([c.source.lengths[f"{side}Arm"] for side in SIDES]))[:, None]
    centre = 0.5 * (wanted["left"] + wanted["right"])
    half = 0.25 * (c.arm["left"] + c.arm["right"]) * (wrists["left"] - wrists["right"])
    left = wanted["left"] + near * (centre + half - wanted["left"])
    right = wanted["right"] + near * (centre - half - wanted["right"])
    return left, right


def _by_the_head(
    c: Calibration,
    source_q: Floats,
    source_p: Floats,
    world: Floats,
    places: Floats,
    wrists: dict[str, Floats],
    middles: dict[str, Floats],
    wanted: dict[str, Floats],
) -> None:
    head, target_head = c.source.skeleton.roles["head"], c.target.skeleton.roles["head"]
    up = rotations.rotate(c.source.basis, [0.0, 1.0, 0.0])
    turned = rotations.multiply(source_q[:, head], rotations.conjugate(c.source.posture.rotations[head]))
    rise = HEAD * np.mean([c.source.lengths[f"{side}Leg"] for side in SIDES])
    centre = source_p[:, head] + rise * rotations.rotate(turned, up)
    target_centre = places[:, target_head] + rise * c.leg * rotations.rotate(turned, up)
    for side in SIDES:
        gap = np.linalg.norm(middles[side] - centre, axis=-1) / c.source.lengths[f"{side}Arm"] - CROWN
        near = _nearness(gap)[:, None]
        # Seen from the head both worlds are turned alike, so the vector passes as it is, in arm lengths.
        there = target_centre + c.arm[side] * (wrists[side] - centre)
        wanted[side] = wanted[side] + near * (there - wanted[side])


def _hand(c: Calibration, source_q: Floats, side: str) -> Floats:
    """From the wrist to the middle of the hand, along the hand as it lies at rest."""
    roles, body = c.source.skeleton.roles, c.source
    hand, fore = roles[f"{side}Hand"], roles[f"{side}LowerArm"]
    along = body.posture.positions[hand] - body.posture.positions[fore]
    turned = rotations.multiply(source_q[:, hand], rotations.conjugate(body.posture.rotations[hand]))
    step = HAND * body.lengths[f"{side}Arm"] / float(np.linalg.norm(along))
    return rotations.rotate(turned, along * step)


def _nearness(distance: Floats) -> Floats:
    """1 within touching distance, 0 beyond, smooth between."""
    u = np.clip((TOUCHING + FADE - distance) / FADE, 0.0, 1.0)
    smooth: Floats = u * u * (3.0 - 2.0 * u)
    return smooth
