"""Time: durations, speeds and accelerations of strokes, how they start, and how even they are."""

from __future__ import annotations

import numpy as np

from expression_measures.catalogue import Measure, logarithm
from expression_measures.takes import Take
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import Stroke
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import norms

BEGINNING = 0.1  # of a stroke: its start

MEASURES = (
    Measure("duration", "s", 0.1, "of a stroke", ratio=True),
    Measure("speed", "m/s", 0.1, "the hand's greatest, in the world", ratio=True),
    Measure("acceleration", "m/s²", 0.2, "the hand's greatest, in the world", ratio=True),
    Measure("start_jolt", "m/s²", 0.3, "the hand's greatest acceleration in the first tenth of a stroke", ratio=True),
    Measure("peak_time", "", 0.05, "when the hand is fastest, as a share of the stroke"),
    Measure("flatness", "", 0.05, "mean over greatest speed"),
    Measure("jerk", "m/s³", 0.3, "mean of the hand's jerk", ratio=True),
)


def measure(take: Take, stroke: Stroke) -> dict[str, float]:
    """The measures of one stroke."""
    wrist = take.velocity(f"{take.side} wrist")
    frames = stroke.stop - stroke.begin
    speed = norms(wrist)[stroke.begin : stroke.stop + 1]
    acceleration = derivative(wrist, RATE)
    jerk = norms(derivative(acceleration, RATE))[stroke.begin : stroke.stop + 1]
    size = norms(acceleration)
    first = slice(stroke.begin, stroke.begin + max(round(BEGINNING * frames), 2) + 1)
    return {
        "duration": logarithm(frames / RATE),
        "speed": logarithm(float(speed.max())),
        "acceleration": logarithm(float(size[stroke.start : stroke.end + 1].max())),
        "start_jolt": logarithm(float(size[first].max())),
        "peak_time": float(np.argmax(speed)) / max(frames, 1),
        "flatness": float(speed.mean() / max(speed.max(), 1e-9)),
        "jerk": logarithm(float(jerk.mean())),
    }
