"""Space: how straight the hand goes, and whether gaze, head and chest are on its goal before it arrives."""

from __future__ import annotations

import numpy as np

from expression_measures.catalogue import Measure, logarithm
from expression_measures.takes import Take
from kinesphere.analysis.observation import RATE
from kinesphere.analysis.strokes import Stroke
from kinesphere.maths.vectors import Floats, norms, reject, unit

PIECES = 16  # of equal length, between which a path's turning is measured
CROSSING = 0.1  # of the greatest deviation: what is nearer to the straight line crosses nothing
EARLY = 0.6  # seconds before a stroke from which on eyes may be on its goal
ON = {"gaze": 15.0, "head": 25.0}  # degrees: nearer is on the goal
ARRIVING = (0.10, 0.05)  # seconds before and after an arrival over which angles are averaged
LEVEL = np.array([1.0, 0.0, 1.0])

MEASURES = (
    Measure("detour", "", 0.03, "the hand's way from the chest, over its chord", ratio=True),
    Measure("arm_detour", "", 0.03, "that of elbow, wrist and fingers, on the mean", ratio=True),
    Measure("turning", "rad", 0.15, "how far the hand's way turns, between sixteen pieces of equal length"),
    Measure("bow", "", 0.02, "the way's greatest distance from the chord, over the chord"),
    Measure("wave_frequency", "Hz", 0.2, "half waves of that deviation, over twice the duration", ratio=True),
    Measure("gaze_angle", "°", 5.0, "between gaze and the hand's goal on arrival"),
    Measure("head_angle", "°", 5.0, "between the head's facing and the goal on arrival"),
    Measure("chest_angle", "°", 5.0, "between the chest's facing and the goal on arrival, seen from above"),
    Measure("gaze_lead", "s", 0.08, "how long before the arrival gaze is on the goal and stays (within 15°)"),
    Measure("head_lead", "s", 0.08, "the same of the head (within 25°)"),
    Measure("gaze_share", "", 0.1, "share of the stroke during which gaze is on the goal, whatever the pace"),
)


def measure(take: Take, stroke: Stroke) -> dict[str, float]:
    """The measures of one stroke; attention only where the stroke is aimed, and the head's facing is known."""
    path = take.hand_from_chest()[stroke.begin : stroke.stop + 1]
    chord = path[-1] - path[0]
    aside = reject(path - path[0], unit(chord))
    parts = {take.arm(part) for part in ("elbow", "wrist", "fingers")}
    ways = [
        take[part][stroke.begin : stroke.stop + 1] - take["chest"][stroke.begin : stroke.stop + 1] for part in parts
    ]
    found = {
        "detour": _detour(path),
        "arm_detour": float(np.mean([_detour(way) for way in ways])),
        "turning": _turning(path),
        "bow": float(norms(aside).max() / max(float(np.linalg.norm(chord)), 1e-6)),
        "wave_frequency": logarithm(wave_frequency(aside)),
    }
    return found | _attention(take, stroke) if take.is_aimed(stroke) else found


def _detour(path: Floats) -> float:
    length = float(norms(np.diff(path, axis=0)).sum())
    return logarithm(length) - logarithm(max(float(np.linalg.norm(path[-1] - path[0])), 0.05 * length))


def _turning(path: Floats) -> float:
    length = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
    at = np.linspace(0.0, length[-1], PIECES + 1)
    pieces = unit(np.diff(np.stack([np.interp(at, length, path[:, i]) for i in range(3)], axis=1), axis=0))
    return float(np.arccos(np.clip(np.sum(pieces[1:] * pieces[:-1], axis=1), -1.0, 1.0)).sum())


def wave_frequency(aside: Floats, rate: float = RATE) -> float:
    """Hertz of deviations ``(T, 3)`` from zero to zero: half waves of their main direction over twice the time.

    A short stroke has no spectrum, but half waves can be counted.
    """
    main = np.linalg.svd(aside, full_matrices=False)[2][0]
    along = aside @ main
    clear = along[np.abs(along) > CROSSING * np.abs(along).max()]
    halves = 1 + int(np.sum(clear[1:] * clear[:-1] < 0.0)) if len(clear) else 0
    return halves * rate / (2.0 * max(len(aside) - 1, 1))


def _attention(take: Take, stroke: Stroke) -> dict[str, float]:
    """Angles to the goal on arrival, and how long before it they are small."""
    goal = take.goal(stroke)
    around = slice(max(stroke.stop - round(ARRIVING[0] * RATE), 0), stroke.stop + round(ARRIVING[1] * RATE) + 1)
    ahead = take.directions["chest ahead"]
    chest = _angles(ahead * LEVEL, (goal - take["chest"]) * LEVEL)
    found = {"chest_angle": float(chest[around].mean())}
    if not take.rotated:
        return found
    first = max(stroke.begin - round(EARLY * RATE), 0)
    # Seen from the joint of the head, which is 10 cm behind and below the eyes, a near hand is 10 to 15° elsewhere.
    eyes = take.positions.get("eyes", take["head"])
    angles = {"gaze": _angles(take.directions["gaze"], goal - eyes)}
    angles["head"] = _angles(take.directions["head"], goal - take["head"])
    for name, near in ON.items():
        angle = angles[name]
        away = np.flatnonzero(angle[first : stroke.stop + 1] > near)
        since = first if not len(away) else first + int(away[-1]) + 1
        found[f"{name}_angle"] = float(angle[around].mean())
        found[f"{name}_lead"] = max(stroke.stop - since, 0) / RATE
    gaze = angles["gaze"][stroke.begin : stroke.stop + 1]
    return found | {"gaze_share": float((gaze <= ON["gaze"]).mean())}


def _angles(a: Floats, b: Floats) -> Floats:
    """Degrees between vectors ``(T, 3)``."""
    return np.asarray(np.degrees(np.arccos(np.clip(np.sum(unit(a) * unit(b), axis=-1), -1.0, 1.0))))
