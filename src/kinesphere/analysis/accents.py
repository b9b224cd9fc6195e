"""Accents of a movement: the moments at which hands and feet arrive.

A hand that stops, a foot that lands, a reversal at the end of a wave: each is quick before and slow after. A point has
arrived where its speed has lost most of what it will lose. The more it loses, and the more suddenly, the stronger the
accent: a knock is stronger than the raising of the hand before it. Arrivals of several points at about the same time
are one accent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths.filters import derivative, low_pass
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.motion import Motion

ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
ARRIVED = 0.85  # of its fall that a point's speed has lost when it has arrived
SAME_TIME = 0.12  # seconds within which arrivals are one accent
LEAST = 0.2  # of the strongest accent's strength
SUDDEN = 0.05  # seconds in which a fall counts in full
UNNOTICED = 0.1  # of the body's size a second: smaller falls of speed don't count


@dataclass(frozen=True)
class Accent:
    """When something arrives, and how strongly: the fall of its speed in metres per second, at its most sudden."""

    seconds: float
    strength: float


def find_accents(motion: Motion, least: float = LEAST) -> tuple[Accent, ...]:
    """The accents of a motion in order of time; those below ``least`` times the strongest don't count.

    They are those of hands and feet; on bodies without them, of every joint without children.
    """
    frames = motion.performed_frames
    if len(frames) < 3:
        return ()
    skeleton = motion.skeleton.with_found_roles()
    ends = [skeleton.roles[role] for role in ENDS if role in skeleton.roles]
    ends = ends or [joint for joint, children in enumerate(skeleton.children) if not children]
    first, last = int(frames[0]), int(frames[-1])
    positions = replace(motion[first : last + 1], calibration_frames=()).positions_world()
    speeds = norms(derivative(low_pass(positions[:, ends], motion.rate), motion.rate))
    least_fall = UNNOTICED * float(np.ptp(positions[0], axis=0).max())
    arrivals = sorted(arrival for speed in speeds.T for arrival in _arrivals(speed, motion.rate, least_fall))
    accents = _merge_arrivals(arrivals)
    strongest = max((accent.strength for accent in accents), default=0.0)
    offset = first / motion.rate
    return tuple(Accent(a.seconds + offset, a.strength) for a in accents if a.strength >= least * strongest)


def _arrivals(speed: Floats, rate: float, least_fall: float) -> list[tuple[float, float]]:
    """Seconds and strengths of a speed's falls ``(T,)``, from each peak down to the valley after it.

    A fall ends when the speed has risen again by half of it, or by much, or at the end: bumps in between don't count.
    """
    arrivals = []
    peak = valley = 0
    for i, value in enumerate([*speed.tolist(), np.inf]):
        if value < speed[valley]:
            valley = i
        fall = float(speed[peak] - speed[valley])
        if value - speed[valley] >= min(0.5 * fall, 4.0 * least_fall):
            if fall > least_fall:
                at = _crossing(speed, peak, valley, speed[peak] - ARRIVED * fall) / rate
                steepest = float(-np.diff(speed[peak : valley + 1]).min()) * rate
                arrivals.append((at, min(fall, SUDDEN * steepest)))
            if value >= speed[peak] or fall > 0.0:
                peak = valley = i
    return arrivals


def _crossing(speed: Floats, peak: int, valley: int, level: float) -> float:
    """The frame, between whole ones too, at which a speed first falls to a level between peak and valley."""
    at = peak + int(np.argmax(speed[peak : valley + 1] <= level))
    return at - float((level - speed[at]) / max(speed[at - 1] - speed[at], 1e-12))


def _merge_arrivals(arrivals: list[tuple[float, float]]) -> list[Accent]:
    """Accents of arrivals ``(seconds, strength)`` in order: those close to each other are one, at their mean time."""
    groups: list[list[tuple[float, float]]] = []
    for arrival in arrivals:
        if groups and arrival[0] - groups[-1][0][0] <= SAME_TIME:
            groups[-1].append(arrival)
        else:
            groups.append([arrival])
    accents = []
    for group in groups:
        total = sum(strength for _, strength in group)
        accents.append(Accent(sum(at * strength for at, strength in group) / total, total))
    return accents
