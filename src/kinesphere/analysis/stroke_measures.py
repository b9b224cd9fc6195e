"""What is measured of one stroke, from places alone.

Measures follow Larboulette and Gibet (2015), Samadani et al. (2013), Aristidou and Chrysanthou (2014 to 2017) and
Balasubramanian et al. (2012). Each has no unit, or is in heights of the body and seconds; what is a ratio is given as
its logarithm, so that twice and half are equally far from neutral.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.analysis.seeing import RATE, Seen
from kinesphere.analysis.smoothing import lengths, rate_of_change
from kinesphere.analysis.sparc import sparc
from kinesphere.analysis.strokes import Stroke
from kinesphere.kernels.arrays import Floats

SIXTEENTHS = 16
TINY = 1e-6
LET_GO = 0.1  # of a stroke's time: a wrist that is straight for longer is not held bent
LONGEST_LAG = 0.25  # of a stroke's time: how far fingers are looked for behind the wrist
# Shares of the body's mass that move with the parts in view (de Leva 1996): the α of kinetic energy.
MASSES = {"pelvis": 0.43, "chest": 0.22, "head": 0.07, "elbow": 0.03, "wrist": 0.02}
TRUNK = ("pelvis", "chest", "head")


@dataclass(frozen=True)
class View:
    """One hand's stroke in view."""

    seen: Seen
    side: str
    stroke: Stroke

    def by_chest(self, part: str) -> Floats:
        """A part of this arm during the stroke itself, as the chest sees it."""
        return self.seen.by_chest(f"{self.side} {part}")[self.stroke.begin : self.stroke.stop + 1]

    def speed(self, part: str) -> Floats:
        """How fast it moves against the chest."""
        moved = rate_of_change(self.seen.by_chest(f"{self.side} {part}"), RATE)
        return lengths(moved)[self.stroke.begin : self.stroke.stop + 1]

    @property
    def seconds(self) -> float:
        """How long the stroke itself takes."""
        return (self.stroke.stop - self.stroke.begin) / RATE

    @property
    def way(self) -> Floats:
        """From where it begins to where it stops."""
        path = self.by_chest("wrist")
        return np.asarray(path[-1] - path[0])


def space(view: View) -> dict[str, float]:
    """How straight the way is: of the wrist, the elbow and the fingers."""
    path = view.by_chest("wrist")
    chord = max(float(np.linalg.norm(view.way)), TINY)
    along = view.way / chord
    away = path - path[0]
    aside = away - (away @ along)[:, None] * along
    found = {
        "detour": _detour(path),
        "bow": float(lengths(aside).max()) / chord,
        "turning": _turning(path),
        "elbow_detour": _detour(view.by_chest("elbow")),
    }
    part = "fingers" if f"{view.side} fingers" in view.seen else "wrist"
    return found | {"fingers_detour": _detour(view.by_chest(part))}


def weight(view: View) -> dict[str, float]:
    """Force: energy, how hard the stop is, the trunk's part in it, drawing back, the pelvis' drop."""
    seen, first, last = view.seen, view.stroke.start, view.stroke.end + 1
    energies = {}
    for part, mass in MASSES.items():
        name = part if part in TRUNK else f"{view.side} {part}"
        energies[part] = mass * lengths(rate_of_change(seen[name], RATE))[first:last] ** 2
    trunk = np.sum([energies[part] for part in TRUNK], axis=0)
    total = np.sum(list(energies.values()), axis=0)
    speed = view.speed("wrist")
    gained = rate_of_change(speed, RATE)
    path = seen.by_chest(f"{view.side} wrist")
    drawn = path[view.stroke.start] - path[view.stroke.begin]
    chord = max(float(np.linalg.norm(view.way)), TINY)
    height = seen["pelvis"][first:last, 1]
    return {
        "energy": _log(float(total.max())),
        "arrest": _log(max(float(-gained.min()), TINY)),
        "arrest_over_start": _log(max(float(-gained.min()), TINY)) - _log(max(float(gained.max()), TINY)),
        "trunk_share": float(trunk.sum() / max(float(total.sum()), TINY**2)),
        "drawing_back": float(np.linalg.norm(drawn)) / chord,
        "pelvis_drop": float(height[0] - height.min()),
    }


def time(view: View) -> dict[str, float]:
    """Urgency: how long, how fast, how much speed changes, and when it is greatest."""
    speed = view.speed("wrist")
    acceleration = rate_of_change(rate_of_change(view.by_chest("wrist"), RATE), RATE)
    return {
        "duration": _log(view.seconds),
        "speed": _log(float(speed.mean())),
        "acceleration": _log(float(lengths(acceleration).mean())),
        "peak_time": _peak(speed),
        "burst": _log(float(speed.max() / max(speed.mean(), TINY))),
    }


def flow(view: View) -> dict[str, float]:
    """Control: going beyond the goal, fingers that trail, smoothness, and what the wrist does."""
    seen, stroke = view.seen, view.stroke
    path = seen.by_chest(f"{view.side} wrist")
    chord = max(float(np.linalg.norm(view.way)), TINY)
    speed = view.speed("wrist")
    after = path[stroke.stop : stroke.end + 1]
    back = float(lengths(after[-1] - after[0]))
    found = {
        "overshoot": back / chord,
        "sparc": sparc(speed, RATE),
        "jerk": _log_jerk(view.by_chest("wrist"), speed),
        "lag": 0.0,
        "wrist_held": 0.0,
        "wrist_swing": 0.0,
    }
    if f"{view.side} knuckle" not in seen:
        return found
    bend = _bend(seen, view.side)[stroke.start : stroke.end + 1]
    part = "fingers" if f"{view.side} fingers" in seen else "knuckle"
    return found | {
        "lag": _lag(speed, view.speed(part)),
        "wrist_held": float(np.quantile(bend, LET_GO)),
        "wrist_swing": float(np.ptp(bend)),
    }


def _log(value: float) -> float:
    return float(np.log(max(value, TINY)))


def _detour(path: Floats) -> float:
    """The logarithm of a path's length over its displacement."""
    length = float(lengths(np.diff(path, axis=0)).sum())
    return _log(max(length, TINY) / max(float(np.linalg.norm(path[-1] - path[0])), 0.05 * length, TINY))


def _turning(path: Floats) -> float:
    """Radians by which the way turns, one sixteenth of its length to the next: tremor on a slow way is no bend."""
    steps = lengths(np.diff(path, axis=0))
    length = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.linspace(0.0, length[-1], SIXTEENTHS + 1)
    corners = np.stack([np.interp(at, length, path[:, i]) for i in range(3)], axis=1)
    ways = np.diff(corners, axis=0)
    ways = ways / np.maximum(lengths(ways), TINY)[:, None]
    return float(np.arccos(np.clip(np.sum(ways[1:] * ways[:-1], axis=1), -1.0, 1.0)).sum())


def _peak(speed: Floats) -> float:
    """When the speed is greatest, as a share of the time, between frames too."""
    i = int(np.argmax(speed))
    if not 0 < i < len(speed) - 1:
        return i / max(len(speed) - 1, 1)
    a, b, c = speed[i - 1 : i + 2]
    bent = a - 2.0 * b + c
    return float(i + (0.5 * (a - c) / bent if bent < 0.0 else 0.0)) / (len(speed) - 1)


def _log_jerk(path: Floats, speed: Floats) -> float:
    """The logarithm of dimensionless jerk: its mean square times duration⁴ over the greatest speed squared."""
    jerk = rate_of_change(rate_of_change(rate_of_change(path, RATE), RATE), RATE)
    seconds = (len(path) - 1) / RATE
    squares = float((lengths(jerk) ** 2).mean()) * seconds**4
    return _log(squares / max(float(speed.max()) ** 2, TINY))


def _bend(seen: Seen, side: str) -> Floats:
    """``(T,)`` the wrist's angle between forearm and knuckles, 0 where they are in line."""
    forearm = seen[f"{side} wrist"] - seen[f"{side} elbow"]
    hand = seen[f"{side} knuckle"] - seen[f"{side} wrist"]
    across = lengths(np.cross(forearm, hand))
    angle: Floats = np.arctan2(across, np.sum(forearm * hand, axis=-1))
    return angle


def _lag(lead: Floats, late: Floats) -> float:
    """How much later the second speed is like the first, as a share of the stroke's time."""
    count = len(lead)
    most = int(LONGEST_LAG * count)
    a, b = lead - lead.mean(), late - late.mean()
    alike = [
        float(a[max(-s, 0) : count - max(s, 0)] @ b[max(s, 0) : count - max(-s, 0)]) for s in range(-most, most + 1)
    ]
    return (int(np.argmax(alike)) - most) / max(count - 1, 1)
