"""Where hands go: nearer to the body or farther from it (extent), farther from their shoulders (reach), and hung ones.

Extent is measured from the trunk's middle line, from the hips to the base of the skull. What a hand is away from it on
the mean of a second or two is brought to ``NEAR``, or to the arm's full reach; how the hand departs from that mean is
scaled likewise, so that a gesture keeps its form. Hands that do nothing are carried where properties want them; a hand
that acts leaves from there, and comes back.
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
from kinesphere.maths.vectors import Floats, clip, norms, smoothstep
from kinesphere.motion.memo import memoised

NEAR = 0.25 / ARM  # arm lengths from the middle line
LEAST = 0.75 * NEAR  # to which hands come softly
FULL = 0.97  # arm lengths from the shoulder: elbows are not locked
BEYOND = 1.3  # times the way to full reach that is asked for: it is approached softly
AROUND = 1.2  # seconds of σ of the mean that a gesture is away
AXIS_SMOOTH = 0.25  # seconds of σ of the middle line: spines bend, and hands shall not swing by it
HUNG_OUT, HUNG_IN = 0.20, 0.05  # arm lengths that hanging hands go out, and in
SHARP = 4.0  # of the soft ends
HUNG = ("out", "up", "ahead")
HANGS, HANGS_OUT, HANGS_AHEAD = 0.97, 0.10, 0.06  # arm lengths from the shoulder, where a hand hangs
LOW = (0.35, 0.55)  # arm lengths below its shoulder, over which a hand comes to count as one that may do nothing
CALM = (0.25, 0.60)  # arm lengths a second, over which a hand that moves no more than that ceases to rest
RESTS, COMES = 0.5, 0.12  # seconds of σ of that speed; and in which a hand comes to do nothing
LEAST_IDLE, WHOLE = 0.3, 0.2  # of the time around, in which a hand does nothing; and arm lengths that are asked for


def displaced_by_properties(context: PerformanceContext, asked: AskedShaping, side: str, away: Floats) -> Floats:
    """``(T, 3)`` arm lengths in the chest's axes by which a hand is displaced, ``away`` without properties."""
    hand = context.hands[side]
    made = away.copy()
    acts = (1.0 - hand.hangs)[:, None]
    carried = asked.asks(*(f"{side}.hung.{axis}" for axis in HUNG))
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
        if not carried:
            hung = np.where(amount > 0.0, HUNG_OUT, HUNG_IN) * amount * hand.hangs
            made += hung[:, None] * np.array([SIGN[side], 0.0, 0.3])
    if carried:
        place = np.stack([asked.curve(f"{side}.hung.{axis}") for axis in HUNG], axis=1)
        mirrored = place * np.array([SIGN[side], 1.0, 1.0])
        made += _does_nothing(context, side)[:, None] * (mirrored + _to_hang(context, side, made, norms(place)))
    return made


def swivel_by_properties(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T,)`` radians by which properties turn an elbow outwards."""
    if not asked.asks(f"{side}.hung.swivel"):
        return np.zeros(context.clock.frames)
    return np.asarray(_does_nothing(context, side) * asked.curve(f"{side}.hung.swivel"))


def _does_nothing(context: PerformanceContext, side: str) -> Floats:
    """``(T,)`` from 0 to 1: how far a hand hangs, swings in a walk, or rests somewhere below the chest."""
    hand, rate = context.hands[side], context.rate
    low = smoothstep((-hand.path[:, 1] - LOW[0]) / (LOW[1] - LOW[0]))
    low = gaussian(low, COMES * rate, ends="reflect")
    speed = gaussian(norms(np.gradient(hand.path, 1.0 / rate, axis=0)), RESTS * rate, ends="reflect")
    rests = gaussian(1.0 - smoothstep((speed - CALM[0]) / (CALM[1] - CALM[0])), COMES * rate, ends="reflect")
    return np.maximum(hand.hangs, low * np.maximum(context.walking, rests))


def _to_hang(context: PerformanceContext, side: str, away: Floats, size: Floats) -> Floats:
    """``(T, 3)`` from where a hand is that does nothing, on the mean, to where it would hang; all of it by ``size``."""
    idle = _does_nothing(context, side)
    off = context.hands[side].path + away - _hanging_place(context, side)
    sums = gaussian(np.column_stack([idle[:, None] * off, idle]), AROUND * context.rate, ends="reflect")
    share = smoothstep(sums[:, 3] / LEAST_IDLE) * smoothstep(size / WHOLE)
    return np.asarray(-share[:, None] * sums[:, :3] / np.maximum(sums[:, 3:], 1e-6))


def _hanging_place(context: PerformanceContext, side: str) -> Floats:
    """``(T, 3)`` where a hand would hang, from its shoulder in the chest's axes, however the chest is bent."""
    poses = context.detail.poses
    chest = gaussian(rotations.continuous(poses.chest), AXIS_SMOOTH * poses.motion.rate, ends="reflect")
    down = rotations.rotate(rotations.conjugate(rotations.normalise(chest)), np.array([0.0, -1.0, 0.0]))
    down[:, 2] = np.maximum(down[:, 2], 0.0)  # who leans back has hips in the way
    at = context.clock.source * poses.motion.rate
    return np.asarray(HANGS * cubic_rows_at(down, at) + [HANGS_OUT * SIGN[side], 0.0, HANGS_AHEAD])


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
