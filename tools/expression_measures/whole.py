"""The whole take: the trunk's ranges, glances aside, goals that are passed without stopping, hesitations, tempo."""

from __future__ import annotations

import numpy as np
from scipy.signal import find_peaks

from expression_measures.catalogue import Measure, logarithm
from expression_measures.takes import Take
from kinesphere.analysis.observation import RATE
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, Ints, norms, unit

STOPPED = 0.1  # of the slower of two peaks of speed: a hand that is slower between them has stopped
DIP = 0.85  # of the slower of two peaks: a shallower dip between them is no hesitation
STRAIGHT_ON = 0.7  # cosine between velocities before and after a dip: where a hand turns is a goal
SPAN = 0.05  # seconds before and after a dip
SLOW = 0.2  # of the take's greatest speed: slower peaks are sway and coming to rest
ASIDE, BRIEF = 10.0, 1.2  # degrees and seconds: what is smaller or longer is no glance
OFF = 8.0  # degrees from where one looks mostly: nearer is no glance
EACH = 4  # frames of which one is taken for how far a point travels
EDGE = 0.02  # of all frames at both ends of a range that don't count

MEASURES = (
    Measure("length", "s", 0.1, "from the first stroke's beginning to the last one's end", ratio=True),
    Measure(
        "raw_acceleration", "m/s²", 0.3, "the hand's greatest, in the clip's own frames without smoothing", ratio=True
    ),
    Measure("goal_speed", "", 0.05, "least speed between two strokes, over the slower one's greatest: the median"),
    Measure("stops", "", 0.1, "share of goals between two strokes at which the hand stops (below a tenth)"),
    Measure("hesitations", "", 0.2, "dips of speed on a straight way, for each stroke"),
    Measure("glances", "", 0.7, "moves of the gaze aside by 10° or more and back within 1.2 s"),
    Measure("glance_size", "°", 5.0, "how far these go, on the mean"),
    Measure("shoulder_yaw", "°", 5.0, "range of the shoulders' direction, seen from above"),
    Measure("trunk_twist", "°", 4.0, "range of the shoulders' direction against the hips'"),
    Measure("lean", "°", 3.0, "range of the trunk's angle from the vertical"),
    Measure("head_travel", "m", 0.03, "largest distance between two places of the head"),
    Measure("pelvis_travel", "m", 0.02, "the same of the pelvis"),
)


def measure(take: Take) -> dict[str, float]:
    """The measures of a take."""
    shoulders, hips = (_yaw(take[f"left {part}"] - take[f"right {part}"]) for part in ("shoulder", "hip"))
    trunk = unit(take["neck"] - take["pelvis"])
    tilt = np.degrees(np.arccos(np.clip(trunk[:, 1], -1.0, 1.0)))
    found = {
        "raw_acceleration": logarithm(take.raw_acceleration),
        "shoulder_yaw": _range(shoulders),
        "trunk_twist": _range(shoulders - hips),
        "lean": _range(tilt),
        "head_travel": _travel(take["head"]),
        "pelvis_travel": _travel(take["pelvis"]),
    }
    if take.rotated:
        sizes = glances(_yaw(take.directions["gaze"][:, [2, 1, 0]]))
        found["glances"] = float(len(sizes))
        if len(sizes):
            found["glance_size"] = float(sizes.mean())
    if not take.strokes:
        return found
    begin, end = take.strokes[0].start, take.strokes[-1].end
    found["length"] = logarithm((end - begin) / RATE)
    found["hesitations"] = len(hesitations(derivative(take.hand_from_chest(), RATE))) / len(take.strokes)
    passing = _goal_speeds(take)
    if len(passing):
        found |= {"goal_speed": float(np.median(passing)), "stops": float((passing < STOPPED).mean())}
    return found


def _yaw(across: Floats) -> Floats:
    """Degrees ``(T,)`` of a direction seen from above, without jumps."""
    return np.asarray(np.degrees(np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))))


def _range(values: Floats) -> float:
    return float(np.quantile(values, 1.0 - EDGE) - np.quantile(values, EDGE))


def _travel(path: Floats) -> float:
    """The largest distance between two places of a path."""
    places = path[::EACH]
    return float(max(norms(places - place).max() for place in places))


def _goal_speeds(take: Take) -> Floats:
    """For each two strokes in a row the least speed between them, over the lower of their greatest."""
    speed = norms(derivative(take.hand_from_chest(), RATE))
    peaks = [own.begin + int(np.argmax(speed[own.begin : own.stop + 1])) for own in take.strokes]
    least = [
        speed[a : b + 1].min() / max(min(speed[a], speed[b]), 1e-9) for a, b in zip(peaks, peaks[1:], strict=False)
    ]
    return np.array(least, dtype=np.float64)


def hesitations(velocity: Floats) -> Ints:
    """Frames at which a hand of velocities ``(T, 3)`` slows down and goes on in about the same direction."""
    speed = norms(velocity)
    tall = SLOW * float(speed.max(initial=0.0))
    peaks = find_peaks(speed, height=tall)[0]
    peaks = peaks[_keep_separate(speed, peaks)]
    span, found = round(SPAN * RATE), []
    for a, b in zip(peaks, peaks[1:], strict=False):
        dip = a + int(np.argmin(speed[a : b + 1]))
        before, after = velocity[max(dip - span, a)], velocity[min(dip + span, b)]
        if float(unit(before) @ unit(after)) > STRAIGHT_ON:
            found.append(dip)
    return np.array(found, dtype=np.intp)


def _keep_separate(speed: Floats, peaks: Ints) -> list[int]:
    """Which peaks are left when those without a real dip before the next higher one are dropped."""
    kept: list[int] = []
    for i in range(len(peaks)):
        if kept:
            a, b = int(peaks[kept[-1]]), int(peaks[i])
            if speed[a : b + 1].min() > DIP * min(speed[a], speed[b]):
                if speed[b] > speed[a]:
                    kept[-1] = i
                continue
        kept.append(i)
    return kept


def glances(yaw: Floats) -> Floats:
    """Sizes in degrees of brief excursions of a gaze's direction ``(T,)`` from its median, to either side."""
    off = yaw - np.median(yaw)
    sizes: list[float] = []
    for way in (off, -off):
        found = find_peaks(way, height=OFF, prominence=ASIDE, width=(None, BRIEF * RATE))[0]
        sizes.extend(way[found].tolist())
    return np.array(sizes, dtype=np.float64)
