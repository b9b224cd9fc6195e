"""EMOTE flourishes: wrist, forearm, elbow and torso motion added to a stroke, by the fraction of its time passed.

The formulas are EMOTE's (Chi et al., SIGGRAPH 2000); all of them are closed at goals.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.vectors import Floats, clip, smoothstep

SQUASH_LATE = 1.6  # the exponent that puts the fullest stretch behind the middle
BREATH_FROM, BREATH_MOST = 0.4, 1.0 / 7.0
MOST_SWOLLEN = 1.4
BUSY = 0.12  # metres: strokes much shorter than this hold still, and have no flourishes
UNHURRIED = 0.32  # seconds: strokes shorter than this have no time for all of theirs


def wrist_flexion(share: Floats, bend: Floats, extension: Floats, flexed: Floats, angle: Floats) -> Floats:
    """How far the wrist bends inwards: a wave that closes at goals, or a constant angle."""
    wave = bend * (np.sin(2.0 * np.pi * (share + 0.75)) + 1.0 - extension)
    return np.asarray((1.0 - flexed) * wave + flexed * angle)


def twist_wave(share: Floats, amount: Floats, frequency: Floats) -> Floats:
    """Angle that swings to and fro, ``frequency`` half waves per stroke: the twist of a forearm, an elbow's swivel."""
    return np.asarray(amount * np.sin(np.pi * frequency * share))


def half_waves(durations: Floats, rate: float, cycle: int = 0) -> tuple[Floats, Floats]:
    """Half waves ``(S,)`` of strokes of these durations at ``rate`` waves a second, and the sign that each begins with.

    Each stroke has a whole number of them, so that it closes at its goals; signs go on from stroke to stroke. Where so
    many strokes are a ``cycle`` of a loop, they are the same in each: the longest stroke has one more if need be.
    """
    counts = np.maximum(np.round(2.0 * rate * durations), 1.0)
    if cycle:
        first = max((len(counts) - cycle) // 2, 0)
        rows = slice(first, first + cycle)
        if counts[rows].sum() % 2.0:
            counts[(first + int(np.argmax(durations[rows]))) % cycle :: cycle] += 1.0
    before = np.concatenate([[0.0], np.cumsum(counts)[:-1]])
    return counts, np.where(before % 2.0 == 0.0, 1.0, -1.0)


def elbow_factor(share: Floats, amount: Floats, frequency: Floats | float = 2.0) -> Floats:
    """What the elbow's angle is multiplied by: ``frequency`` half waves per stroke."""
    return np.asarray(1.0 + amount * np.sin(np.pi * frequency * share))


def body_stretch(share: Floats, amount: Floats) -> Floats:
    """The body's stretch along the hand's direction; across it is its inverse root."""
    return np.asarray(1.0 + amount * np.sin(np.pi * share**SQUASH_LATE))


def breath_squash(share: Floats, amount: Floats) -> Floats:
    """The trunk's height as breath is pressed out before the goal; width and depth are its inverse root."""
    late = clip((share - BREATH_FROM) / (1.0 - BREATH_FROM), 0.0, 1.0)
    return np.asarray(1.0 - BREATH_MOST * amount * np.sin(np.pi * late) ** 2)


def upper_arm_width(flexion: Floats, volume: Floats) -> Floats:
    """The upper arm's width at an elbow angle, up to what flesh bears."""
    return np.asarray(np.minimum(1.0 + 0.7 * flexion * volume, MOST_SWOLLEN))


def flourish_strength(lengths: Floats, durations: Floats) -> Floats:
    """Strength of flourishes from 0 to 1: short strokes in space or time have less."""
    return np.asarray(smoothstep(lengths / (2.0 * BUSY)) * smoothstep(durations / UNHURRIED))
