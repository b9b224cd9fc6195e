"""Flow: parts of the arm that trail, settling after the stop, the trunk as one block or loose, elbows in or out."""

from __future__ import annotations

import numpy as np

from expression_measures.catalogue import Measure
from expression_measures.takes import Take
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import Stroke
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, norms, reject, unit

LONGEST_LAG = 0.25  # seconds
AROUND = 0.15  # seconds before and after a stroke that lags are measured in
NEAR_PEAK = 0.6  # seconds before and after its fastest moment likewise: what drifts for seconds has no lag
SETTLING = 0.4  # seconds after a stop
LEAST_REST = 0.12  # seconds: a shorter rest shows no settling

MEASURES = (
    Measure("elbow_lag", "s", 0.025, "the forearm's rotation behind the upper arm's"),
    Measure("wrist_lag", "s", 0.025, "the hand's rotation behind the upper arm's"),
    Measure("finger_lag", "s", 0.025, "the fingers' rotation behind the upper arm's"),
    Measure("settling", "m", 0.01, "the way of hand and fingers from the chest in 0.4 s after the stop"),
    Measure("block", "°", 1.5, "how far head and shoulders rotate against the chest during a stroke, root mean square"),
    Measure("elbow_distance", "m", 0.015, "of the elbow from the trunk's line, on the mean"),
)


def measure(take: Take, stroke: Stroke) -> dict[str, float]:
    """The measures of one stroke; settling where the hand rests after it, rotations where the motion has them."""
    inside = slice(stroke.begin, stroke.stop + 1)
    trunk = unit(take["neck"] - take["pelvis"])[inside]
    elbow = (take[f"{take.side} elbow"] - take["pelvis"])[inside]
    found = {"elbow_distance": float(norms(reject(elbow, trunk)).mean())}
    found |= _lags(take, stroke) | _settling(take, stroke)
    if take.rotated:
        found["block"] = _block(take, slice(stroke.start, stroke.end + 1))
    return found


def _lags(take: Take, stroke: Stroke) -> dict[str, float]:
    """Seconds by which segments of the arm rotate later than the upper arm."""
    reach, near, peak = round(AROUND * RATE), round(NEAR_PEAK * RATE), take.peak(stroke)
    window = slice(max(stroke.begin - reach, peak - near, 0), min(stroke.stop + reach, peak + near) + 1)
    side = take.side
    bones = {
        "upper": (f"{side} shoulder", f"{side} elbow"),
        "elbow": (f"{side} elbow", f"{side} wrist"),
        "wrist": (f"{side} wrist", take.arm("knuckle")),
        "finger": (take.arm("knuckle"), take.arm("fingers")),
    }
    turning = {
        name: norms(derivative(unit(take[b] - take[a])[window], RATE)) for name, (a, b) in bones.items() if a != b
    }
    lags = {f"{name}_lag": lag(turning["upper"], own) for name, own in turning.items() if name != "upper"}
    return {name: own for name, own in lags.items() if own is not None}


def lag(lead: Floats, late: Floats, rate: float = RATE) -> float | None:
    """Seconds by which the second signal ``(T,)`` comes after the first: where their correlation is greatest.

    None where it is greatest at the end of what is searched: then they do not follow each other.
    """
    a, b = lead - lead.mean(), late - late.mean()
    most = min(round(LONGEST_LAG * rate), len(a) // 2)
    full = np.correlate(b, a, mode="full")[len(a) - 1 - most : len(a) + most]
    # As many products as there are count, so that no lag is favoured for its overlap.
    overlap = len(a) - np.abs(np.arange(-most, most + 1))
    i = int(np.argmax(full / overlap**0.5))
    return None if i in (0, 2 * most) else (i - most) / rate


def _settling(take: Take, stroke: Stroke) -> dict[str, float]:
    """The way that wrist and fingers go on after the stop, until the next stroke begins."""
    following = [own.start for own in take.strokes if own.start >= stroke.stop]
    last = min([stroke.stop + round(SETTLING * RATE), len(take) - 1, *following])
    if last - stroke.stop < LEAST_REST * RATE:
        return {}
    chest = take["chest"][stroke.stop : last + 1]
    ways = [np.diff(take[take.arm(part)][stroke.stop : last + 1] - chest, axis=0) for part in ("wrist", "fingers")]
    return {"settling": float(np.mean([norms(way).sum() for way in ways]))}


def _block(take: Take, frames: slice) -> float:
    """Degrees that head and shoulders rotate against the chest."""
    chest = np.stack([take.directions[f"chest {axis}"][frames] for axis in ("left", "up", "ahead")], axis=1)
    parts = [take.directions["head"][frames], take.directions["head up"][frames]]
    parts += [unit(take[f"{side} shoulder"] - take["chest"])[frames] for side in ("left", "right")]
    squares = []
    for part in parts:
        seen = np.einsum("tij,tj->ti", chest, part)
        off = np.arccos(np.clip(seen @ unit(seen.mean(axis=0)), -1.0, 1.0))
        squares.append(float((off**2).mean()))
    return float(np.degrees(np.sqrt(np.sum(squares) / 2.0)))
