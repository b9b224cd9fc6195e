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

from kinesphere.body.ground import performed_flags, performed_runs, smooth_gaussian, speeds
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.body.retargeting.stance import LOW, hip_width, horizontal_units, widen_stance
from kinesphere.maths import rotations
from kinesphere.maths.two_bone import reach
from kinesphere.maths.vectors import Floats, cross, norms, smoothstep
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

HIGH = 0.35  # leg lengths: a higher foot keeps its position relative to its hip
STEPS = 3  # in which the height of a foot is found that depends on itself
SLACK = 0.003  # metres that a foot in contact may be out of reach before the hips come down
LIFTED = 0.1  # leg lengths: a higher foot carries nothing
STRAIGHT = 0.08  # of a leg: how much a straighter leg counts more
SMOOTHING = 0.1  # seconds to each side over which hips come down
ROLL_COST = 4.0  # of hips that roll, where a straight leg counts 1 / STRAIGHT²
MOST_ROLL = 0.012  # leg lengths that a hip joint rises at most because hips roll: 7° on a person
STEEP = (0.7, 0.95)  # level parts of a leg between which a foot comes to give way along the leg, not up or down
MOST_GIVEN = 0.03  # leg lengths by which a foot in the air gives way at most
ALIKE = 0.06  # leg lengths between the places of hip joints: hips that differ more roll less, and feet give way less
UNLIKE = (0.15, 0.35)  # shares of alike hips between which a foot that is still comes to carry
SLOW = 0.3  # leg lengths a second: a slower foot may stand on something
PAUSE = 0.15  # seconds, sigma: a foot that is still for less does not stand


class LegPlacement(NamedTuple):
    """Where the target's hips and ankles are."""

    hips: Floats  # (T, 4) world rotations
    centre: Floats  # (T, 3) the middle between the hip joints
    ankles: Floats  # (T, 2, 3) left and right


class _Legs(NamedTuple):
    """The source's legs as the target should have them."""

    ankles: Floats  # (T, 2, 3) over the ground
    from_hips: Floats  # (T, 2, 3) relative to the hip joint
    heights: Floats  # (T, 2) leg lengths from where ankles are on the ground
    spans: Floats  # (T, 2) metres from hip joint to ankle, at the source's flexion of the knee
    support: Floats  # (T, 2) 1 for a foot that carries the body, 0 for one in the air
    lengths: Floats  # (2,) metres
    alike: float  # 1 where hip joints are as far apart as the source's, less on wider or narrower hips

    def targets(self, sockets: Floats, given: Floats | float = 0.0) -> Floats:
        """Ankles ``(T, 2, 3)`` under hip joints ``(T, 2, 3)``, of feet that will give way upwards ``(T, 2)`` metres.

        The higher a foot, the more it belongs to its hip joint. What counts is the mean of the heights on both bodies,
        which is the same on the way there and on the way back.
        """
        away = sockets + self.from_hips - self.ankles
        high = belonging_to_hips(self.heights)
        for _ in range(STEPS):
            high = belonging_to_hips(self.heights + 0.5 * (high * away[..., 1] + given) / self.lengths)
        return np.asarray(self.ankles + high[..., None] * away)


def place_legs(c: Calibration, motion: Motion, source_p: Floats, hips: Floats) -> LegPlacement:
    """Hips and ankles of the target; ``hips (T, 4)`` are the world rotations that it would have."""
    skeleton, pose = c.target.skeleton, c.target.pose
    legs = _legs(c, motion, source_p)
    left, right = (pose.positions[skeleton.roles[f"{side}UpperLeg"]] for side in SIDES)
    to_rest = rotations.conjugate(pose.rotations[skeleton.roles["hips"]])
    across = rotations.rotate(hips, rotations.rotate(to_rest, left - right))
    centre = scale_root_path(c, hip_centre(c.source.skeleton, source_p), source_p)
    height, rolled = _match_knees(legs, centre, across)
    centre[:, 1] += height
    sockets = _sockets(centre, rolled)
    drop = _drop_to_reach(legs, sockets, motion)
    centre[:, 1] -= drop
    sockets[..., 1] -= drop[:, None]
    ankles = _give_way(legs, sockets)
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


def belonging_to_hips(heights: Floats) -> Floats:
    """The share by which a foot keeps its position relative to its hip joint, by its height in leg lengths."""
    return np.asarray(smoothstep((heights - LOW) / (HIGH - LOW)))


def _legs(c: Calibration, motion: Motion, source_p: Floats) -> _Legs:
    roles, target_roles, rest = c.source.skeleton.roles, c.target.skeleton.roles, c.target.pose.positions
    ankles, from_hips, heights, spans, lengths = [], [], [], [], []
    for side, offset in zip(SIDES, widen_stance(c, motion, source_p), strict=True):
        hip, knee, foot = (source_p[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        length, target_length = (body.lengths[f"{side}Leg"] for body in (c.source, c.target))
        ankles.append(scale_root_path(c, foot, source_p) + offset)
        from_hips.append(target_length / length * (foot - hip))
        heights.append((foot[:, 1] - c.source.ankle_height) / length)
        joints = (rest[target_roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
        upper, lower = norms(np.diff(np.array(list(joints)), axis=0))
        spans.append(reach(_flexion(knee - hip, foot - knee), upper, lower))
        lengths.append(target_length)
    ankles_, from_hips_, heights_, spans_ = (np.stack(v, axis=1) for v in (ankles, from_hips, heights, spans))
    # The height of a foot decides how much it belongs to its hip joint, and so where it is under wider hips.
    apart = 0.5 * abs(c.leg * hip_width(c.source.skeleton) - hip_width(c.target.skeleton)) / float(np.mean(lengths))
    alike = min(1.0, ALIKE / max(apart, 1e-9))
    held = float(smoothstep((alike - UNLIKE[0]) / (UNLIKE[1] - UNLIKE[0])))
    support = _support(c, motion, source_p, held * (1.0 - belonging_to_hips(heights_)))
    return _Legs(ankles_, from_hips_, heights_, spans_, support, np.array(lengths), alike)


def _flexion(upper: Floats, lower: Floats) -> Floats:
    """The angle ``(T,)`` between two bones ``(T, 3)``; 0 where they are in line."""
    return np.asarray(np.arctan2(norms(cross(upper, lower)), np.einsum("...i,...i", upper, lower)))


def _sockets(centre: Floats, across: Floats) -> Floats:
    """Left and right hip joint ``(T, 2, 3)``."""
    return np.stack([centre + 0.5 * across, centre - 0.5 * across], axis=1)


# Hips


def _match_knees(legs: _Legs, centre: Floats, across: Floats) -> tuple[Floats, Floats]:
    """By how much hips rise ``(T,)``, and how the line across them lies ``(T, 3)``, so that knees bend as they did.

    Hips roll towards the heights that both hip joints need, as far as both legs carry the body and are straight; their
    height then is the mean of what is left to do, in which the leg that carries more and is straighter counts more.
    """
    width, spans = norms(across), np.maximum(legs.spans, 1e-9)
    strictness = 1.0 / (1.0 + STRAIGHT - spans / legs.lengths) ** 2
    share = strictness[:, 0] * strictness[:, 1] / (strictness[:, 0] + strictness[:, 1])
    sockets = _sockets(centre, across)
    reached = legs.targets(sockets) - sockets
    level = np.hypot(reached[..., 0], reached[..., 2])
    need = np.sqrt(np.maximum(spans**2 - level**2, 0.0)) + reached[..., 1]
    # A leg far aside does not show how high the hips are.
    support = legs.support * np.clip(2.0 - 2.0 * level / spans, 0.0, 1.0)
    rise = support[:, 0] * support[:, 1] * share / (share + ROLL_COST) * 0.5 * (need[:, 0] - need[:, 1])
    most = legs.alike * MOST_ROLL * float(np.mean(legs.lengths))
    sine = np.clip((across[:, 1] + 2.0 * most * np.tanh(rise / most)) / width, -0.999, 0.999)
    half = 0.5 * (sine * width - across[:, 1])
    weight = support * strictness + 1e-9
    left_to_do = weight[:, 0] * (need[:, 0] - half) + weight[:, 1] * (need[:, 1] + half)
    carried = 1.0 - (1.0 - support[:, 0]) * (1.0 - support[:, 1])
    return carried * left_to_do / (weight[:, 0] + weight[:, 1]), _roll_to(across, sine)


def _roll_to(across: Floats, sine: Floats) -> Floats:
    """Vectors ``(T, 3)`` of the same length and heading that rise with a given sine ``(T,)``."""
    rolled = horizontal_units(across) * np.sqrt(1.0 - sine**2)[:, None]
    rolled[:, 1] = sine
    return np.asarray(rolled * norms(across)[:, None])


def _support(c: Calibration, motion: Motion, source_p: Floats, held: Floats) -> Floats:
    """``(T, 2)`` 1 for a foot on the ground, or held still above it, 0 for one in the air.

    Nobody bends the standing leg to kick farther, and a foot that is still may stand on something: it carries as much
    as ``held (T, 2)`` says.
    """
    lengths = np.array([c.source.lengths[f"{side}Leg"] for side in SIDES])
    feet = source_p[:, [c.source.skeleton.roles[f"{side}Foot"] for side in SIDES]]
    lifted = np.clip((feet[..., 1] - c.source.ankle_height) / (LIFTED * lengths), 0.0, 1.0)
    low = (1.0 - lifted**2) ** 2
    still = np.ones_like(low)
    for run in performed_runs(motion):
        speed = speeds(smooth_gaussian(feet[run], motion.rate), motion.rate) / (SLOW * lengths)
        still[run] = np.clip(smooth_gaussian(1.0 / (1.0 + speed**2), motion.rate, PAUSE), 0.0, 1.0)
    return np.asarray(low + (1.0 - low) * held * still)


def _drop_to_reach(legs: _Legs, sockets: Floats, motion: Motion) -> Floats:
    """How far the hips must come down ``(T,)`` so that both feet are within reach, smoothed over a fifth of a second.

    The greatest need near each frame, then the mean of these: smooth, and never less than what a frame needs.
    """
    reached, longest = legs.targets(sockets) - sockets, legs.lengths + SLACK
    level = np.minimum(np.hypot(reached[..., 0], reached[..., 2]), 0.98 * longest)
    need = legs.support * (-reached[..., 1] - np.sqrt(longest**2 - level**2))
    greatest = np.where(performed_flags(motion), np.maximum(need.max(axis=1), 0.0), 0.0)
    half = max(int(SMOOTHING * motion.rate), 1)
    windows = np.lib.stride_tricks.sliding_window_view
    greatest = windows(np.pad(greatest, 2 * half, mode="edge"), 2 * half + 1).max(axis=-1)
    return np.asarray(windows(greatest, 2 * half + 1).mean(axis=-1))


# Ankles


def _give_way(legs: _Legs, sockets: Floats) -> Floats:
    """Ankles ``(T, 2, 3)``: a foot in the air is as far from its hip joint as the source's knee says.

    It gives way up or down, so that it does not slide; along the leg where that is far from upright.
    """
    ankles = legs.targets(sockets)
    given = _given(legs, ankles - sockets)
    ankles = legs.targets(sockets, given[..., 1])
    return np.asarray(ankles + _given(legs, ankles - sockets))


def _given(legs: _Legs, leg: Floats) -> Floats:
    """By how much feet give way ``(T, 2, 3)``, from hip joints to ankles ``(T, 2, 3)``."""
    distance, level = norms(leg), np.hypot(leg[..., 0], leg[..., 2])
    share = level / np.maximum(legs.spans, 1e-9)
    along = smoothstep((share - STEEP[0]) / (STEEP[1] - STEEP[0]))[..., None]
    vertical = np.zeros_like(leg)
    upright = np.copysign(np.sqrt(np.maximum(legs.spans**2 - level**2, 0.0)), leg[..., 1])
    vertical[..., 1] = upright - leg[..., 1]
    radial = leg * (legs.spans / np.maximum(distance, 1e-9) - 1.0)[..., None]
    move = (1.0 - legs.support)[..., None] * (vertical + along * (radial - vertical))
    size, most = np.maximum(norms(move), 1e-12), legs.alike * MOST_GIVEN * legs.lengths
    return np.asarray(move * (most * np.tanh(size / most) / size)[..., None])
