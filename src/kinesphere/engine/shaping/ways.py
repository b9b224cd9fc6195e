"""Ways of hands between stops: rounder or straighter (arcs), and how hands come to stops and leave them (touch).

Displacements in arm lengths, in the chest's axes; where strokes begin and end there is none of an arc.
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_hands import RecordedHand
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.maths.vectors import Floats, clip, norms, reject, smoothstep, unit

BOWED = 0.26  # of a stroke's length that a full arc bows it
OUT, UP, AHEAD = 0.5, 0.7, 0.5  # where a way is bowed that is straight
SHOWN = 0.03  # of a stroke's length that a way is bowed on the mean, from which on it tells where
LEAST = 0.05  # arm lengths: shorter strokes have no way
SINKS, SINKS_FOR = 0.045, 0.11  # arm lengths that a heavy hand sinks on after it arrives, and seconds until it has
LIFTS, LIFTS_IN = 0.035, 0.13  # arm lengths that a light hand rises as it leaves, and seconds of σ
FULL = 0.35  # arm lengths of a stroke from which on a touch is as heavy, or as light, as can be


def bow_ways(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T, 3)`` by which arcs displace a hand."""
    hand, amount = context.hands[side], asked.curve(f"{side}.arc")
    made = np.zeros_like(hand.path)
    for start, end in _strokes(hand, context.rate):
        path = hand.path[start : end + 1]
        chord = path[-1] - path[0]
        length = float(np.linalg.norm(chord))
        if length < LEAST:
            continue
        gone = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
        share = gone / max(float(gone[-1]), 1e-9)
        off = path - path[0] - share[:, None] * chord
        bow = np.sin(np.pi * share) ** 2
        own = (bow[:, None] * off).mean(axis=0) / length
        shown = float(smoothstep(np.linalg.norm(own) / SHOWN))
        along, plain = chord / length, np.array([OUT * SIGN[side], UP, AHEAD])
        aside = unit(shown * unit(reject(own, along)) + (1.0 - shown) * unit(reject(plain, along)))
        acts = 1.0 - float(hand.hangs[start] * hand.hangs[end])
        round_, straight = (np.maximum(sign * amount[start : end + 1], 0.0)[:, None] for sign in (1.0, -1.0))
        made[start : end + 1] = acts * (round_ * BOWED * length * bow[:, None] * aside - straight * off)
    return made


def touch_stops(context: PerformanceContext, asked: AskedShaping, side: str) -> Floats:
    """``(T, 3)`` by which a hand sinks on after it arrives, or rises as it leaves."""
    hand, amount, time = context.hands[side], asked.curve(f"{side}.touch"), context.clock.time
    down = np.zeros(len(time))
    for k, at in enumerate(hand.edges.tolist()):
        came = 0.0 if k == 0 else float(clip(hand.lengths[k - 1] / ARM / FULL, 0.0, 1.0))
        goes = 0.0 if k == len(hand.lengths) else float(clip(hand.lengths[k] / ARM / FULL, 0.0, 1.0))
        since = np.maximum(time - at, 0.0) / SINKS_FOR
        down += SINKS * came * np.maximum(amount, 0.0) * since**2 * np.exp(2.0 - 2.0 * since)
        near = np.exp(-0.5 * ((time - at) / LIFTS_IN) ** 2)
        down -= LIFTS * goes * np.maximum(-amount, 0.0) * near
    down *= 1.0 - hand.hangs
    return np.asarray(down[:, None] * np.array([0.0, -1.0, 0.0]))


def _strokes(hand: RecordedHand, rate: float) -> list[tuple[int, int]]:
    """First and last frames of a hand's strokes."""
    frames = np.clip(np.round(hand.edges * rate).astype(np.intp), 0, len(hand.path) - 1).tolist()
    return [(a, b) for a, b in zip(frames[:-1], frames[1:], strict=True) if b - a > 1]
