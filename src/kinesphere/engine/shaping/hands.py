"""Where hands go: nearer to the body or farther from it (extent), farther from their shoulders (reach).

Extent is measured from the trunk's middle line, from the hips to the base of the skull. What a hand is away from it on
the mean of a second or two is brought to ``NEAR``, or to the arm's full reach; how the hand departs from that mean is
scaled likewise, so that a gesture keeps its form.
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.ways import bow_ways, touch_stops
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Floats, clip, norms
from kinesphere.motion.memo import memoised

NEAR = 0.25 / ARM  # arm lengths from the middle line
LEAST = 0.75 * NEAR  # to which hands come softly
FULL = 0.97  # arm lengths from the shoulder: elbows are not locked
BEYOND = 1.3  # times the way to full reach that is asked for: it is approached softly
AROUND = 1.2  # seconds of σ of the mean that a gesture is away
AXIS_SMOOTH = 0.25  # seconds of σ of the middle line: spines bend, and hands shall not swing by it
HUNG_OUT, HUNG_IN = 0.20, 0.05  # arm lengths that hanging hands go out, and in
SHARP = 4.0  # of the soft ends


def displaced_by_properties(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T, 3)`` arm lengths in the chest's axes by which properties displace a hand."""
    hand = context.hands[side]
    made = np.zeros_like(hand.path)
    acts = (1.0 - hand.hangs)[:, None]
    if asked.asks(f"{side}.reach"):
        away = hand.path / np.maximum(norms(hand.path), 1e-9)[:, None]
        made += acts * asked.curve(f"{side}.reach")[:, None] * away
    if asked.asks(f"{side}.arc"):
        made += bow_ways(context, asked, side)
    if asked.asks(f"{side}.touch"):
        made += touch_stops(context, asked, side)
    if asked.asks(f"{side}.extent"):
        amount = asked.curve(f"{side}.extent")
        made += acts * _extended(context, side, amount)
        hung = np.where(amount > 0.0, HUNG_OUT, HUNG_IN) * amount * hand.hangs
        made += hung[:, None] * np.array([SIGN[side], 0.0, 0.3])
    return made


def _extended(context: PerformanceContext, side: str, amount: Floats) -> Floats:
    """``(T, 3)`` how far a hand goes from the trunk's middle line, or to it."""
    hand, poses = context.hands[side], context.detail.poses
    at = context.clock.source * poses.motion.rate
    bottom, top = (cubic_rows_at(row, at) for row in middle_line(poses, side))
    along = top - bottom
    share = np.sum((hand.path - bottom) * along, axis=1) / np.maximum(np.sum(along * along, axis=1), 1e-9)
    from_line = bottom + clip(share, 0.0, 1.0)[:, None] * along
    away = hand.path - from_line
    far = np.maximum(norms(away), 1e-6)
    out = away / far[:, None]
    toward = np.sum(from_line * out, axis=1)
    room = np.sqrt(np.maximum(toward**2 + FULL**2 - np.sum(from_line * from_line, axis=1), 1e-6)) - toward
    acts, sigma = 1.0 - hand.hangs, AROUND * context.rate
    means = gaussian(np.stack([acts * far, acts * room, acts], axis=1), sigma, ends="reflect")
    mean, reach = (means[:, i] / np.maximum(means[:, 2], 1e-6) for i in (0, 1))
    mean = np.maximum(np.where(means[:, 2] > 1e-6, mean, far), 1e-3)
    goal = np.where(amount > 0.0, np.maximum(BEYOND * (reach - mean), 0.0), np.minimum(NEAR - mean, 0.0))
    asked = np.abs(amount) * goal / mean * far
    left = np.where(asked > 0.0, room - far, far - LEAST)
    return np.asarray((np.sign(asked) * _soft(np.abs(asked), np.maximum(left, 1e-6)))[:, None] * out)


def _soft(asked: Floats, room: Floats) -> Floats:
    """What is asked for, ``(T,)`` not negative, as far as there is room."""
    ratio = asked / room
    return np.asarray(asked / (1.0 + ratio**SHARP) ** (1.0 / SHARP))


@memoised
def middle_line(poses: RecordedPoses, side: str) -> tuple[Floats, Floats]:
    """``(T, 3)`` both ends of the trunk's middle line, from a shoulder in the chest's axes, in arm lengths."""
    shoulder, turn = poses.position(f"{side}UpperArm"), rotations.conjugate(poses.chest)
    sigma = AXIS_SMOOTH * poses.motion.rate
    bottom, top = (
        gaussian(rotations.rotate(turn, poses.position(role) - shoulder) / poses.arm_length, sigma, ends="reflect")
        for role in ("hips", "head")
    )
    return bottom, top
