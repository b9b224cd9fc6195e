"""Strokes of the hands, how smooth they are, and accents: the moments at which hands and feet arrive.

A stroke is a hand's movement from rest to rest, found by the hand's speed relative to the chest (``find_strokes``).
SPARC (``sparc``) is its smoothness: the arc length of the speed's spectrum, after Balasubramanian, Melendez-Calderon
and Burdet (2012), "A robust and sensitive metric for quantifying movement smoothness", with the cut-off chosen by
amplitude as in Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet (2015), "On the analysis of movement
smoothness". It has no unit, does not depend on how large or how long the movement is, and bears noise that ruins jerk.

A hand that stops, a foot that lands, a reversal at the end of a wave: each is quick before and slow after. A point has
arrived where its speed has lost most of what it will lose. The more it loses, and the more suddenly, the stronger the
accent: a knock is stronger than the raising of the hand before it. Arrivals of several points at about the same time
are one accent (``find_accents``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.analysis.observation import RATE
from kinesphere.maths.filters import derivative, low_pass
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.motion import Motion

VALLEY = 0.35  # of the lower of two peaks of speed: a deeper valley between them is a stop
CORNER = 0.8  # the same where the path has a corner
CORNER_COSINE = 0.7  # of the angle between velocities beside a corner: 45° or more
CORNER_SPAN = 0.04  # seconds to either side of a valley
STILL = 0.05  # of a stroke's greatest speed: slower than this it has not begun, or is over
SLOWEST = 0.02  # heights per second: slower movement is breath and sway
SHORTEST = 0.03  # heights: shorter movement is no stroke
SMALL = 0.3  # of its neighbour's chord: a small move back belongs to the stroke before or after it
NEAR, LINGER = 0.12, 0.2  # seconds, or share of a stroke's duration, between it and a move that belongs to it
LEAST = 0.12  # of the longest stroke's chord: shorter strokes are left out
CUT = 10.0  # hertz, the largest frequency of the spectrum
FAINT = 0.05  # of the largest magnitude: the spectrum ends where it stays below
PADDING = 4  # powers of two: how finely the spectrum is sampled

ENDS = ("leftHand", "rightHand", "leftFoot", "rightFoot")
ARRIVED = 0.85  # of its fall that a point's speed has lost when it has arrived
SAME_TIME = 0.12  # seconds within which arrivals are one accent
LEAST_ACCENT = 0.2  # of the strongest accent's strength
SUDDEN = 0.05  # seconds in which a fall counts in full
UNNOTICED = 0.1  # of the body's size a second: smaller falls of speed don't count


@dataclass(frozen=True)
class Stroke:
    """Frames of a stroke: ``begin`` to ``stop`` is the stroke itself, ``start`` to ``end`` with what belongs to it.

    Between ``start`` and ``begin`` the hand draws back (anticipation); between ``stop`` and ``end`` it comes back from
    beyond its goal (overshoot).
    """

    start: int
    begin: int
    stop: int
    end: int


def find_strokes(path: Floats) -> tuple[Stroke, ...]:
    """The strokes of a hand's path ``(T, 3)``, in heights at ``RATE``."""
    velocity = derivative(path, RATE)
    speed = norms(velocity)
    pieces = [piece for piece in _moves(velocity, speed) if speed[piece[0] : piece[1] + 1].max() > SLOWEST]
    chords = [path[b] - path[a] for a, b in pieces]
    distances = [float(np.linalg.norm(chord)) for chord in chords]
    shortest = max(SHORTEST, LEAST * max(distances, default=0.0))
    strokes = []
    used = [False] * len(pieces)

    def belongs(neighbour: int, i: int, gap: int) -> bool:
        lasts = pieces[i][1] - pieces[i][0]
        return not used[neighbour] and _is_move_back(chords[neighbour], chords[i], gap, lasts)

    for i in sorted(range(len(pieces)), key=lambda i: -distances[i]):
        if used[i] or distances[i] < shortest:
            continue
        used[i] = True
        begin, stop = pieces[i]
        start, end = begin, stop
        if i > 0 and belongs(i - 1, i, begin - pieces[i - 1][1]):
            start, used[i - 1] = pieces[i - 1][0], True
        if i + 1 < len(pieces) and belongs(i + 1, i, pieces[i + 1][0] - stop):
            end, used[i + 1] = pieces[i + 1][1], True
        strokes.append(Stroke(start, begin, stop, end))
    return tuple(sorted(strokes, key=lambda stroke: stroke.begin))


def _is_move_back(small: Floats, chord: Floats, gap: int, lasts: int) -> bool:
    """Whether a small move is a drawing back before a stroke or a coming back after it."""
    near = gap <= max(NEAR * RATE, LINGER * lasts)
    smaller = float(np.linalg.norm(small)) <= SMALL * float(np.linalg.norm(chord))
    return near and smaller and float(small @ chord) < 0.0


def _moves(velocity: Floats, speed: Floats) -> list[tuple[int, int]]:
    """First and last frames of each rise and fall of speed, their still ends cut off."""
    inner = (speed[1:-1] >= speed[:-2]) & (speed[1:-1] > speed[2:])
    peaks = [int(i) for i in np.flatnonzero(inner) + 1]
    if not peaks:
        peaks = [int(np.argmax(speed))]
    valleys = [a + int(np.argmin(speed[a : b + 1])) for a, b in zip(peaks[:-1], peaks[1:], strict=True)]
    while valleys:  # the shallowest valley first
        thresholds = [CORNER if _is_corner(velocity, valley) else VALLEY for valley in valleys]
        depths = [speed[v] / min(speed[peaks[i]], speed[peaks[i + 1]]) for i, v in enumerate(valleys)]
        i = int(np.argmax([depth / threshold for depth, threshold in zip(depths, thresholds, strict=True)]))
        if depths[i] <= thresholds[i]:
            break
        del valleys[i]
        del peaks[i if speed[peaks[i]] < speed[peaks[i + 1]] else i + 1]
    edges = [0, *valleys, len(speed) - 1]
    moves = []
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        moving = np.flatnonzero(speed[a : b + 1] > STILL * speed[a : b + 1].max())
        if moving.size > 1:
            moves.append((a + int(moving[0]), a + int(moving[-1])))
    return moves


def _is_corner(velocity: Floats, valley: int) -> bool:
    """Whether the path turns back or aside at a valley of speed: a goal, however short the stop."""
    span = round(CORNER_SPAN * RATE)
    before, after = velocity[max(valley - span, 0)], velocity[min(valley + span, len(velocity) - 1)]
    return float(before @ after) < CORNER_COSINE * float(np.linalg.norm(before) * np.linalg.norm(after))


def sparc(speed: Floats, rate: float, *, cut: float = CUT, faint: float = FAINT) -> float:
    """The spectral arc length of a speed profile ``(T,)``: below 0; the nearer to it, the smoother.

    A minimum-jerk stroke has −1.4.
    """
    if len(speed) < 2 or not np.any(speed):
        return 0.0
    count = 2 ** (int(np.ceil(np.log2(len(speed)))) + PADDING)
    magnitude = np.abs(np.fft.rfft(speed, count))
    magnitude /= magnitude.max()
    frequency = np.fft.rfftfreq(count, 1.0 / rate)
    within = frequency <= cut
    strong = np.flatnonzero(magnitude[within] >= faint)
    kept = slice(int(strong[0]), int(strong[-1]) + 1)
    f, m = frequency[kept], magnitude[kept]
    if len(f) < 2:
        return 0.0
    return -float(np.hypot(np.diff(f) / (f[-1] - f[0]), np.diff(m)).sum())


# Accents


@dataclass(frozen=True)
class Accent:
    """When something arrives, and how strongly: the fall of its speed in metres per second, at its most sudden."""

    seconds: float
    strength: float


def find_accents(motion: Motion, least: float = LEAST_ACCENT) -> tuple[Accent, ...]:
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
