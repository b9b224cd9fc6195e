"""Place hips and ankles on the target so that knees bend as they did.

A nearly straight leg is sensitive: a hundredth of its length is 16° of its knee. Feet on the ground are where they
were, in leg lengths, and hips of another width cannot keep both knees as they were by their height alone. So

1. hips rise or sink, and roll, until the legs that carry the body are bent as the source's legs are;
2. a foot in the air gives way, up or down, until its knee is bent as the source's is.

The source's knee decides on the way there and on the way back, so both can be undone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import Ground, smooth_gaussian, speeds
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.body.retargeting.stance import LOW, horizontal_units, widen_stance
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import reach
from kinesphere.maths.vectors import Floats, cross, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

HIGH = 0.35  # leg lengths: a higher foot keeps its position relative to its hip
SLACK = 0.003  # metres that a foot in contact may be out of reach before the hips come down
LIFTED = 0.1  # leg lengths: a higher foot carries nothing
STRAIGHT = 0.08  # of a leg: how much a straighter leg counts more
SMOOTHING = 0.1  # seconds to each side over which hips come down
ROLL_COST = 4.0  # of hips that roll, where a straight leg counts 1 / STRAIGHT²
MOST_ROLL = 0.12  # sine by which hips roll at most
STEEP = (0.7, 0.95)  # level parts of a leg between which a foot comes to give way along the leg, not up or down
SLOW = 0.3  # leg lengths a second: a slower foot may stand on something
ROUNDS = 2  # of solving for height and roll: each shifts hip joints sideways a little


class LegPlacement(NamedTuple):
    """Where the target's hips and ankles are."""

    hips: Floats  # (T, 4) world rotations
    centre: Floats  # (T, 3) the middle between the hip joints
    ankles: Floats  # (T, 2, 3) left and right


class _Legs(NamedTuple):
    """The source's legs as the target should have them."""

    ankles: Floats  # (T, 2, 3) over the ground
    from_hips: Floats  # (T, 2, 3) relative to the hip joint
    high: Floats  # (T, 2) weight of the position relative to the hip joint
    spans: Floats  # (T, 2) metres from hip joint to ankle, at the source's flexion of the knee
    lengths: Floats  # (2,) metres

    def targets(self, sockets: Floats) -> Floats:
        """Ankles ``(T, 2, 3)`` under hip joints ``(T, 2, 3)``."""
        return self.ankles + self.high[..., None] * (sockets + self.from_hips - self.ankles)


def place_legs(c: Calibration, motion: Motion, source_p: Floats, ground: Ground, hips: Floats) -> LegPlacement:
    """Hips and ankles of the target; ``hips (T, 4)`` are the world rotations that it would have."""
    skeleton, pose = c.target.skeleton, c.target.pose
    legs = _legs(c, motion, source_p, ground)
    left, right = (pose.positions[skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    to_rest = rotations.conjugate(pose.rotations[skeleton.roles["hips"]])
    across = rotations.rotate(hips, rotations.rotate(to_rest, left - right))
    centre = scale_root_path(c, hip_centre(c.source.skeleton, source_p), source_p)
    height, rolled = _match_knees(c, legs, centre, across)
    centre[:, 1] += height
    sockets = _sockets(centre, rolled)
    drop = _drop_to_reach(c, sockets, legs.targets(sockets), motion.rate)
    centre[:, 1] -= drop
    sockets[..., 1] -= drop[:, None]
    ankles = _give_way(c, motion, source_p, legs, sockets)
    return LegPlacement(rotations.multiply(rotations.rotation_between(across, rolled), hips), centre, ankles)


def scale_root_path(c: Calibration, points: Floats, source_p: Floats) -> Floats:
    """Source positions ``(T, 3)`` in the target's world: leg lengths over the ground, from where the motion starts."""
    start = hip_centre(c.source.skeleton, source_p[:1])[0] * [1.0, 0.0, 1.0]
    ankle, target_ankle = (np.array([0.0, body.ankle_height, 0.0]) for body in (c.source, c.target))
    return np.asarray(start + c.leg * (points - start - ankle) + target_ankle)


def hip_centre(skeleton: Skeleton, p: Floats) -> Floats:
    """``(T, 3)`` the middle between the hip joints."""
    left, right = (p[:, skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    return np.asarray(0.5 * (left + right))


def _legs(c: Calibration, motion: Motion, source_p: Floats, ground: Ground) -> _Legs:
    roles, target_roles, rest = c.source.skeleton.roles, c.target.skeleton.roles, c.target.pose.positions
    ankles, from_hips, high, spans, lengths = [], [], [], [], []
    for side, offset in zip(SIDES, widen_stance(c, motion, source_p, ground), strict=True):
        hip, knee, foot = (source_p[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        length, target_length = (body.lengths[f"{side}Leg"] for body in (c.source, c.target))
        ankles.append(scale_root_path(c, foot, source_p) + offset)
        from_hips.append(target_length / length * (foot - hip))
        high.append(smoothstep(((foot[:, 1] - c.source.ankle_height) / length - LOW) / (HIGH - LOW)))
        joints = (rest[target_roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        upper, lower = norms(np.diff(np.array(list(joints)), axis=0))
        spans.append(reach(_flexion(knee - hip, foot - knee), upper, lower))
        lengths.append(target_length)
    ankles_, from_hips_, high_, spans_ = (np.stack(v, axis=1) for v in (ankles, from_hips, high, spans))
    return _Legs(ankles_, from_hips_, high_, spans_, np.array(lengths))


def _flexion(upper: Floats, lower: Floats) -> Floats:
    """The angle ``(T,)`` between two bones ``(T, 3)``; 0 where they are in line."""
    return np.arctan2(norms(cross(upper, lower)), np.einsum("...i,...i", upper, lower))


def _sockets(centre: Floats, across: Floats) -> Floats:
    """Left and right hip joint ``(T, 2, 3)``."""
    return np.stack([centre + 0.5 * across, centre - 0.5 * across], axis=1)


# Hips


def _match_knees(c: Calibration, legs: _Legs, centre: Floats, across: Floats) -> tuple[Floats, Floats]:
    """By how much hips rise ``(T,)``, and how the line across them lies ``(T, 3)``, so that knees bend as they did.

    Height and roll minimise the squared errors of both hip joints' heights, weighted by how much a leg carries and how
    straight it is, and the squared roll.
    """
    width = norms(across)
    sine = across[:, 1] / width
    height, roll = np.zeros(len(centre)), np.zeros(len(centre))
    rolled = across
    for _ in range(ROUNDS):
        sockets = _sockets(centre + height[:, None] * [0.0, 1.0, 0.0], rolled)
        ankles = legs.targets(sockets)
        legs_now = ankles - sockets
        level = np.hypot(legs_now[..., 0], legs_now[..., 2])
        spans = np.maximum(legs.spans, 1e-9)
        need = np.sqrt(np.maximum(spans**2 - level**2, 0.0)) + legs_now[..., 1]
        # A leg far aside does not show how high the hips are.
        upright = np.clip(2.0 - 2.0 * level / spans, 0.0, 1.0)
        support = _support(c, ankles, legs.lengths) * upright
        # The straighter leg decides: the other only bends a little differently.
        weight = support / (1.0 + STRAIGHT - spans / legs.lengths) ** 2
        carried = 1.0 - np.prod(1.0 - support, axis=1)
        rise, tilt = _fit(need + height[:, None] + 0.5 * width[:, None] * [1.0, -1.0] * roll[:, None], weight, width)
        height = carried * rise
        roll = MOST_ROLL * np.tanh(carried * tilt / MOST_ROLL)
        rolled = _roll_to(across, np.clip(sine + roll, -0.999, 0.999))
        roll = rolled[:, 1] / width - sine
    return height, rolled


def _fit(need: Floats, weight: Floats, width: Floats) -> tuple[Floats, Floats]:
    """Height ``(T,)`` and sine of the roll ``(T,)`` that give hip joints the heights they need ``(T, 2)``, nearly."""
    left, right = weight.T + 1e-9
    total = left + right
    mean = (left * need[:, 0] + right * need[:, 1]) / total
    # With the height eliminated, what is left is one quadratic in the roll.
    share = left * right / total
    tilt = share * width * (need[:, 0] - need[:, 1]) / (share * width**2 + ROLL_COST * width**2)
    return mean - 0.5 * width * tilt * (left - right) / total, tilt


def _roll_to(across: Floats, sine: Floats) -> Floats:
    """Vectors ``(T, 3)`` of the same length and heading that rise with a given sine ``(T,)``."""
    rolled = horizontal_units(across) * np.sqrt(1.0 - sine**2)[:, None]
    rolled[:, 1] = sine
    return np.asarray(rolled * norms(across)[:, None])


def _support(c: Calibration, ankles: Floats, lengths: Floats) -> Floats:
    """1 for a foot on the ground, 0 for one in the air: nobody bends the standing leg to kick farther."""
    lifted = (ankles[..., 1] - c.target.ankle_height) / (LIFTED * lengths)
    return np.asarray(1.0 - np.clip(lifted, 0.0, 1.0) ** 2)


def _drop_to_reach(c: Calibration, sockets: Floats, ankles: Floats, rate: float) -> Floats:
    """How far the hips must come down ``(T,)`` so that both feet are within reach, smoothed over a fifth of a second.

    The greatest need near each frame, then the mean of these: smooth, and never less than what a frame needs.
    """
    legs = ankles - sockets
    longest = np.array([c.target.lengths[f"{side}Leg"] for side in SIDES]) + SLACK
    level = np.minimum(np.hypot(legs[..., 0], legs[..., 2]), 0.98 * longest)
    need = _support(c, ankles, longest) * (-legs[..., 1] - np.sqrt(longest**2 - level**2))
    half = max(int(SMOOTHING * rate), 1)
    windows = np.lib.stride_tricks.sliding_window_view
    greatest = windows(np.pad(np.maximum(need.max(axis=1), 0.0), 2 * half, mode="edge"), 2 * half + 1).max(axis=-1)
    return np.asarray(windows(greatest, 2 * half + 1).mean(axis=-1))


# Ankles


def _give_way(c: Calibration, motion: Motion, source_p: Floats, legs: _Legs, sockets: Floats) -> Floats:
    """Ankles ``(T, 2, 3)``: a foot in the air is as far from its hip joint as the source's knee says.

    It gives way up or down, so that it does not slide; along the leg where that is far from upright.
    """
    ankles = legs.targets(sockets)
    leg = ankles - sockets
    distance, level = norms(leg), np.hypot(leg[..., 0], leg[..., 2])
    free = (1.0 - _support(c, ankles, legs.lengths)) * _moving(c, motion.rate, source_p)
    share = level / np.maximum(legs.spans, 1e-9)
    along = smoothstep((share - STEEP[0]) / (STEEP[1] - STEEP[0]))[..., None]
    vertical = np.zeros_like(leg)
    upright = np.copysign(np.sqrt(np.maximum(legs.spans**2 - level**2, 0.0)), leg[..., 1])
    vertical[..., 1] = upright - leg[..., 1]
    radial = leg * (legs.spans / np.maximum(distance, 1e-9) - 1.0)[..., None]
    return np.asarray(ankles + free[..., None] * (vertical + along * (radial - vertical)))


def _moving(c: Calibration, rate: float, source_p: Floats) -> Floats:
    """``(T, 2)`` near 0 for a foot that is held still, near 1 for one that moves."""
    feet = source_p[:, [c.source.skeleton.roles[f"{side}Foot"] for side in SIDES]]
    speed = speeds(smooth_gaussian(feet, rate), rate) / [SLOW * c.source.lengths[f"{side}Leg"] for side in SIDES]
    return np.asarray(speed**2 / (1.0 + speed**2))
