"""Accents of a movement: the moments at which hands and feet arrive.

A hand that stops, a foot that lands, a turn at the end of a wave: each is quick before and slow after. Where a point's
speed has lost most of what it will lose, it has arrived; the more it loses, and the more suddenly, the stronger the
accent: a knock is a stronger one than the raising of the hand before it. Arrivals of several points at about the same
time are one accent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths.filters import derivative, lengths, low_pass
from kinesphere.maths.vectors import Floats
from kinesphere.motion.motion import Motion

ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
ARRIVED = 0.85  # of its fall that a point's speed has lost when it has arrived
TOGETHER = 0.12  # seconds within which arrivals are one
LEAST = 0.2  # of the strongest accent's strength
SUDDEN = 0.05  # seconds in which a fall counts in full
SLOW = 0.1  # of the body's size a second: falls of speed of which nobody takes notice


@dataclass(frozen=True)
class Accent:
    """When something arrives, and how strongly: the fall of its speed in metres a second, at its most sudden."""

    seconds: float
    strength: float


def find_accents(motion: Motion, least: float = LEAST) -> tuple[Accent, ...]:
    """The accents of a motion in order of time; ``least`` is the share of the strongest below which they don't count.

    Hands and feet are looked at; on bodies without them, every joint that nothing hangs on.
    """
    frames = motion.performed_frames
    if len(frames) < 3:
        return ()
    skeleton = motion.skeleton.with_found_roles()
    ends = [skeleton.roles[role] for role in ENDS if role in skeleton.roles]
    ends = ends or [joint for joint, below in enumerate(skeleton.children) if not below]
    first, last = int(frames[0]), int(frames[-1])
    part = replace(motion[first : last + 1], calibration_frames=())
    places = part.positions_world()
    speeds = lengths(derivative(low_pass(places[:, ends], motion.rate), motion.rate))
    noticed = SLOW * float(np.ptp(places[0], axis=0).max())
    found = sorted(arrival for speed in speeds.T for arrival in _arrivals(speed, motion.rate, noticed))
    made = _together(found)
    most = max((accent.strength for accent in made), default=0.0)
    offset = first / motion.rate
    return tuple(Accent(a.seconds + offset, a.strength) for a in made if a.strength >= least * most)


def _arrivals(speed: Floats, rate: float, noticed: float) -> list[tuple[float, float]]:
    """Seconds and strengths of a speed's falls ``(T,)``, from each peak down to the valley after it.

    A valley is one when the speed has risen from it by half of what it fell, or by much, or is over: bumps on the way
    don't count.
    """
    made = []
    peak = valley = 0
    for i, value in enumerate([*speed.tolist(), np.inf]):
        if value < speed[valley]:
            valley = i
        fall = float(speed[peak] - speed[valley])
        if value - speed[valley] >= min(0.5 * fall, 4.0 * noticed):
            if fall > noticed:
                at = _reached(speed, peak, valley, speed[peak] - ARRIVED * fall) / rate
                steepest = float(-np.diff(speed[peak : valley + 1]).min()) * rate
                made.append((at, min(fall, SUDDEN * steepest)))
            if value >= speed[peak] or fall > 0.0:
                peak = valley = i
    return made


def _reached(speed: Floats, peak: int, valley: int, level: float) -> float:
    """The frame, between whole ones too, at which a speed falls to a level on its way from peak to valley."""
    at = peak + int(np.argmax(speed[peak : valley + 1] <= level))
    return at - float((level - speed[at]) / max(speed[at - 1] - speed[at], 1e-12))


def _together(found: list[tuple[float, float]]) -> list[Accent]:
    """Arrivals ``(seconds, fall)`` in order, those close to each other made one."""
    groups: list[list[tuple[float, float]]] = []
    for arrival in found:
        if groups and arrival[0] - groups[-1][0][0] <= TOGETHER:
            groups[-1].append(arrival)
        else:
            groups.append([arrival])
    made = []
    for group in groups:
        total = sum(fall for _, fall in group)
        made.append(Accent(sum(at * fall for at, fall in group) / total, total))
    return made
