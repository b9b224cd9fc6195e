"""Weight: energy, how hard a stroke stops, and what pelvis and chest do when the hand is fastest and arrives."""

from __future__ import annotations

import numpy as np

from expression_measures import timing
from expression_measures.catalogue import Measure, logarithm
from expression_measures.takes import Take
from kinesphere.analysis.measures import MASSES, TRUNK
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import Stroke
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, norms, unit
from kinesphere.motion.humanoid import SIDES

BEFORE = 0.4  # seconds before a stroke in which the pelvis was as high as it stands
AFTER = 0.4  # seconds after an arrival in which the pelvis may be lowest
LATE = round(0.1 * RATE)  # frames after an arrival in which the chest still rises

MEASURES = (
    Measure("energy", "J/kg", 0.2, "peak kinetic energy of the body, over its mass", ratio=True),
    Measure(
        "force", "m²", 0.2, "peak energy × the stroke's duration²: energy that the pace does not explain", ratio=True
    ),
    Measure("arrest", "m/s²", 0.2, "greatest loss of the hand's speed", ratio=True),
    Measure("arrest_over_start", "", 0.2, "that, over the greatest gain of speed", ratio=True),
    Measure("pelvis_velocity", "m/s", 0.05, "the pelvis' vertical velocity when the hand is fastest"),
    Measure("pelvis_drop", "m", 0.012, "from where the pelvis was before the stroke to its lowest point"),
    Measure("pelvis_low_time", "s", 0.05, "when it is lowest, after the hand's arrival"),
    Measure("rebound", "m", 0.012, "how far it comes up again within 0.4 s"),
    Measure("chest_along", "m/s", 0.08, "the chest's velocity along the stroke when the hand is fastest"),
    Measure("chest_rise", "m", 0.012, "how far the chest comes up during a stroke and 0.1 s after it"),
    Measure("chest_height", "m", 0.012, "of the chest over the ankles on the ground during a stroke, on the mean"),
)
# The same of the fastest stroke alone, which is the accent of a take.
MAIN = tuple(
    Measure(f"main_{own.name}", own.unit, own.noticeable, f"in the fastest stroke: {own.about}", own.ratio)
    for own in (*MEASURES, *timing.MEASURES)
    if own.name
    in (
        "energy",
        "speed",
        "acceleration",
        "pelvis_velocity",
        "pelvis_drop",
        "pelvis_low_time",
        "rebound",
        "chest_along",
    )
)


def measure_main(take: Take) -> dict[str, float]:
    """Energy, speed and press of the fastest stroke."""
    stroke = take.main_stroke
    found = {} if stroke is None else measure(take, stroke) | timing.measure(take, stroke)
    return {own.name: found[own.name.removeprefix("main_")] for own in MAIN if found}


def measure(take: Take, stroke: Stroke) -> dict[str, float]:
    """The measures of one stroke."""
    inside, peak = slice(stroke.start, stroke.end + 1), take.peak(stroke)
    energy = float(_energy(take)[inside].max())
    seconds = max(stroke.stop - stroke.begin, 1) / RATE
    gain = derivative(norms(derivative(take.hand_from_chest(), RATE)), RATE)[inside]
    start, stop = float(gain.max()), float(-gain.min())
    chest = take.velocity("chest")[peak] @ unit(take.chord(stroke))
    height = take["chest"][:, 1]
    ground = min(float(take[f"{side} foot"][:, 1].min()) for side in SIDES)  # raised heels lift the chest as well
    return {
        "energy": logarithm(energy),
        "force": logarithm(energy * seconds**2),
        "arrest": logarithm(stop),
        "arrest_over_start": logarithm(stop) - logarithm(start),
        "pelvis_velocity": float(take.velocity("pelvis")[peak, 1]),
        "chest_along": float(chest),
        "chest_rise": float(height[stroke.begin : stroke.stop + LATE].max() - height[stroke.begin]),
        "chest_height": float((height - ground)[stroke.begin : stroke.stop + 1].mean()),
    } | _press(take, stroke)


def _energy(take: Take) -> Floats:
    """``(T,)`` kinetic energy of trunk and both arms over the body's mass, legs left out as the observer does."""
    names = [part if part in TRUNK else f"{side} {part}" for part in MASSES for side in _sides(part)]
    masses = np.array([MASSES[name.split()[-1]] for name in names])
    squares = np.stack([norms(take.velocity(name)) ** 2 for name in names], axis=1)
    return np.asarray(0.5 * squares @ masses)


def _sides(part: str) -> tuple[str, ...]:
    return ("",) if part in TRUNK else SIDES


def _press(take: Take, stroke: Stroke) -> dict[str, float]:
    """How far the pelvis sinks, when, and how far it comes back."""
    height = take["pelvis"][:, 1]
    last = min(stroke.stop + round(AFTER * RATE), len(height) - 1)
    following = [own.stop for own in take.strokes if own.begin >= stroke.stop]
    last = max(min([last, *following]), stroke.stop)
    lowest = stroke.begin + int(np.argmin(height[stroke.begin : last + 1]))
    before = height[max(stroke.begin - round(BEFORE * RATE), 0) : lowest + 1].max()
    again = height[lowest : lowest + round(AFTER * RATE) + 1].max()
    return {
        "pelvis_drop": float(before - height[lowest]),
        "pelvis_low_time": (lowest - stroke.stop) / RATE,
        "rebound": float(again - height[lowest]),
    }
