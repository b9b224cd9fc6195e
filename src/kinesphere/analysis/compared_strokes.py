"""What is measured of one stroke of a hand where two takes of one movement are compared, from positions alone."""

from __future__ import annotations

import numpy as np

from kinesphere.analysis.observation import RATE, ObservedBody
from kinesphere.analysis.strokes import Stroke
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, norms, reject, unit
from kinesphere.motion.humanoid import SIDES

TINY = 1e-6
SHARE = 0.15  # of a stroke's time about its fastest moment within which the body lands
LEAST_SPEED = 0.05  # heights a second of a hand at its goal, slower than which nothing is seen
AFTER = 0.3  # seconds after an arrival in which a hand may go on
DIPS = 0.7  # of both peaks beside it below which a dip of speed is a hesitation
BEFORE = 0.1  # seconds before an arrival from which on one looks at it
LEAST_WAY = 0.004  # heights that a hand goes on, less than which nothing is seen


def log_ratio(one: float, other: float) -> float:
    """The logarithm of a ratio of numbers that may be 0."""
    return float(np.log(max(one, TINY) / max(other, TINY)))


def measure_stroke(body: ObservedBody, side: str, stroke: Stroke) -> dict[str, float]:
    """One stroke of a hand: its path, its arrival, its energy, the body's part in it, and where the face is turned."""
    path = body.from_chest(f"{side} wrist")
    own = path[stroke.begin : stroke.stop + 1]
    chord = own[-1] - own[0]
    length = max(float(np.linalg.norm(chord)), TINY)
    aside = norms(reject(own - own[0], np.broadcast_to(chord / length, own.shape)))
    velocity = derivative(path, RATE)
    speed = norms(velocity)[stroke.begin : stroke.stop + 1]
    world = norms(derivative(body.world[f"{side} wrist"], RATE))
    trunk = norms(derivative(body.world["chest"], RATE))
    energy = world[stroke.begin : stroke.stop + 1] ** 2 + 4.0 * trunk[stroke.begin : stroke.stop + 1] ** 2
    arrest = -derivative(norms(velocity), RATE)[stroke.begin : stroke.stop + 1].min()
    height, peak = body["pelvis"][:, 1], stroke.begin + int(np.argmax(speed))
    reach = max(int(SHARE * RATE), 1)
    before = height[max(peak - 2 * reach, 0) : peak + 1].max()
    after = height[peak : min(stroke.stop + reach, len(height) - 1) + 1].min()
    going_on = path[stroke.stop : stroke.stop + int(AFTER * RATE) + 1]
    on = going_on - path[stroke.stop]
    way = norms(np.diff(own, axis=0)).sum()
    return {
        "chord": length,
        "wander": float(np.sqrt(np.mean(aside**2))) / length + 0.01,
        "turning": _turning(own),
        "energy": float(energy.max()),
        "arrest": max(float(arrest), TINY),
        "pelvis_drop": float(before - after),
        "passes": max(float((on @ chord).max()) / length, 0.0),
        "goal_speed": log_ratio(float(norms(velocity)[stroke.stop]) + LEAST_SPEED, float(speed.max())),
        "hesitations": _dips(speed),
        "straight": length / max(float(way), TINY),
        "coast": float(np.log(norms(np.diff(going_on, axis=0)).sum() + LEAST_WAY)),
        "gaze_goal": _off_goal(body, stroke.stop),
    }


def _turning(path: Floats, pieces: int = 16) -> float:
    length = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
    at = np.linspace(0.0, length[-1], pieces + 1)
    corners = np.stack([np.interp(at, length, path[:, i]) for i in range(3)], axis=1)
    steps = unit(np.diff(corners, axis=0))
    return float(np.arccos(np.clip(np.sum(steps[1:] * steps[:-1], axis=1), -1.0, 1.0)).sum())


def _dips(speed: Floats) -> float:
    """How many dips a speed has between its peaks."""
    inner = (speed[1:-1] >= speed[:-2]) & (speed[1:-1] > speed[2:])
    peaks = np.flatnonzero(inner) + 1
    dips = 0
    for a, b in zip(peaks[:-1].tolist(), peaks[1:].tolist(), strict=True):
        dips += int(speed[a : b + 1].min() < DIPS * min(speed[a], speed[b]))
    return float(dips)


def _off_goal(body: ObservedBody, stop: int) -> float:
    """Radians between the face and the hand that it is nearer to, as one arrives: there is one focus."""
    if "face" not in body:
        return 0.0
    about = slice(max(stop - int(BEFORE * RATE), 0), stop + int(BEFORE * RATE) // 2 + 1)
    eyes = body.world["head"][about]
    face = unit(body.world["face"][about] - eyes)
    hands = [unit(body.world[f"{side} wrist"][about] - eyes) for side in SIDES]
    return min(float(np.arccos(np.clip(np.sum(face * hand, axis=1), -1.0, 1.0)).mean()) for hand in hands)
