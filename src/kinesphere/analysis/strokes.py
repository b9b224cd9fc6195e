"""Strokes: a hand's way from rest to rest, found by its speed against the chest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.analysis.observation import RATE, ObservedBody
from kinesphere.maths.filters import derivative, lengths
from kinesphere.maths.vectors import Floats

VALLEY = 0.35  # of the lower of two peaks of speed: a deeper valley between them is a stop
CORNER, SHARP, BESIDE = (
    0.8,
    0.7,
    0.04,
)  # so deep is enough where the way turns by 45° or more (its cosine) in twice 40 ms
STILL = 0.05  # of a stroke's fastest moment: slower than this it has not begun, or is over
SLOWEST = 0.02  # heights a second: what never gets faster is breath and sway
SHORTEST = 0.03  # heights: what goes less far is no stroke
SMALL = 0.3  # of its neighbour's way: a small move back belongs to the stroke before or after it
NEAR, LINGER = 0.12, 0.2  # seconds, or share of a stroke's time, between it and what belongs to it
LEAST = 0.12  # of the longest stroke's way: what is shorter is not looked at


@dataclass(frozen=True)
class Stroke:
    """Frames of a stroke: ``start`` to ``end`` with what belongs to it, ``begin`` to ``stop`` its way itself.

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
    speed = lengths(velocity)
    pieces = [piece for piece in _pieces(velocity, speed) if speed[piece[0] : piece[1] + 1].max() > SLOWEST]
    ways = [path[b] - path[a] for a, b in pieces]
    far = [float(np.linalg.norm(way)) for way in ways]
    shortest = max(SHORTEST, LEAST * max(far, default=0.0))
    strokes = []
    taken = [False] * len(pieces)
    for i in sorted(range(len(pieces)), key=lambda i: -far[i]):
        if taken[i] or far[i] < shortest:
            continue
        taken[i] = True
        begin, stop = pieces[i]
        start, end = begin, stop
        if i > 0 and not taken[i - 1] and _belongs(ways[i - 1], ways[i], begin - pieces[i - 1][1], stop - begin):
            start, taken[i - 1] = pieces[i - 1][0], True
        if (
            i + 1 < len(pieces)
            and not taken[i + 1]
            and _belongs(ways[i + 1], ways[i], pieces[i + 1][0] - stop, stop - begin)
        ):
            end, taken[i + 1] = pieces[i + 1][1], True
        strokes.append(Stroke(start, begin, stop, end))
    return tuple(sorted(strokes, key=lambda stroke: stroke.begin))


def _belongs(small: Floats, way: Floats, gap: int, lasts: int) -> bool:
    """Whether a move is a drawing back before a stroke or a coming back after it."""
    near = gap <= max(NEAR * RATE, LINGER * lasts)
    less = float(np.linalg.norm(small)) <= SMALL * float(np.linalg.norm(way))
    return near and less and float(small @ way) < 0.0


def _pieces(velocity: Floats, speed: Floats) -> list[tuple[int, int]]:
    """Stretches of one rise and fall of speed, their still ends cut off."""
    inner = (speed[1:-1] >= speed[:-2]) & (speed[1:-1] > speed[2:])
    peaks = [int(i) for i in np.flatnonzero(inner) + 1]
    if not peaks:
        peaks = [int(np.argmax(speed))]
    valleys = [a + int(np.argmin(speed[a : b + 1])) for a, b in zip(peaks[:-1], peaks[1:], strict=True)]
    while valleys:  # the shallowest valley first
        depth = [speed[v] / min(speed[peaks[i]], speed[peaks[i + 1]]) for i, v in enumerate(valleys)]
        i = int(
            np.argmax([d / (CORNER if _turns(velocity, v) else VALLEY) for d, v in zip(depth, valleys, strict=True)])
        )
        if depth[i] <= (CORNER if _turns(velocity, valleys[i]) else VALLEY):
            break
        del valleys[i]
        del peaks[i if speed[peaks[i]] < speed[peaks[i + 1]] else i + 1]
    edges = [0, *valleys, len(speed) - 1]
    pieces = []
    for a, b in zip(edges[:-1], edges[1:], strict=True):
        moving = np.flatnonzero(speed[a : b + 1] > STILL * speed[a : b + 1].max())
        if moving.size > 1:
            pieces.append((a + int(moving[0]), a + int(moving[-1])))
    return pieces


def _turns(velocity: Floats, valley: int) -> bool:
    """Whether the way turns back or aside at a valley of speed: a goal, however short the stop."""
    beside = round(BESIDE * RATE)
    before, after = velocity[max(valley - beside, 0)], velocity[min(valley + beside, len(velocity) - 1)]
    return float(before @ after) < SHARP * float(np.linalg.norm(before) * np.linalg.norm(after))


# ---- SPARC: how smooth a movement is, by the arc length of its speed's spectrum.
#
# Balasubramanian, Melendez-Calderon and Burdet (2012), "A robust and sensitive metric for quantifying movement
# smoothness"; with the cut-off chosen by amplitude as in Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet
# (2015), "On the analysis of movement smoothness". It has no unit, does not depend on how large or how long the
# movement
# is, and bears noise that ruins jerk.


CUT = 10.0  # hertz, the largest frequency that is looked at
FAINT = 0.05  # of the largest magnitude: the spectrum ends where it stays below
PADDING = 4  # powers of two: how finely the spectrum is sampled


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


# ---- What is measured of one stroke, from places alone.
#
# Measures follow Larboulette and Gibet (2015), Samadani et al. (2013), Aristidou and Chrysanthou (2014 to 2017) and
# Balasubramanian et al. (2012). Each has no unit, or is in heights of the body and seconds; what is a ratio is given
# as
# its logarithm, so that twice and half are equally far from neutral.


SIXTEENTHS = 16
TINY = 1e-6
LET_GO = 0.1  # of a stroke's time: a wrist that is straight for longer is not held bent
LONGEST_LAG = 0.25  # of a stroke's time: how far fingers are looked for behind the wrist
# Shares of the body's mass that move with the parts in view (de Leva 1996): the α of kinetic energy.
MASSES = {"pelvis": 0.43, "chest": 0.22, "head": 0.07, "elbow": 0.03, "wrist": 0.02}
TRUNK = ("pelvis", "chest", "head")


@dataclass(frozen=True)
class StrokeView:
    """One hand's stroke in view."""

    seen: ObservedBody
    side: str
    stroke: Stroke

    def by_chest(self, part: str) -> Floats:
        """A part of this arm during the stroke itself, as the chest sees it."""
        return self.seen.by_chest(f"{self.side} {part}")[self.stroke.begin : self.stroke.stop + 1]

    def speed(self, part: str) -> Floats:
        """How fast it moves against the chest."""
        moved = derivative(self.seen.by_chest(f"{self.side} {part}"), RATE)
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


def measure_space(view: StrokeView) -> dict[str, float]:
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


def measure_weight(view: StrokeView) -> dict[str, float]:
    """Force: energy, how hard the stop is, the trunk's part in it, drawing back, the pelvis' drop."""
    seen, first, last = view.seen, view.stroke.start, view.stroke.end + 1
    energies = {}
    for part, mass in MASSES.items():
        name = part if part in TRUNK else f"{view.side} {part}"
        energies[part] = mass * lengths(derivative(seen[name], RATE))[first:last] ** 2
    trunk = np.sum([energies[part] for part in TRUNK], axis=0)
    total = np.sum(list(energies.values()), axis=0)
    speed = view.speed("wrist")
    gained = derivative(speed, RATE)
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


def measure_time(view: StrokeView) -> dict[str, float]:
    """Urgency: how long, how fast, how much speed changes, and when it is greatest."""
    speed = view.speed("wrist")
    acceleration = derivative(derivative(view.by_chest("wrist"), RATE), RATE)
    return {
        "duration": _log(view.seconds),
        "speed": _log(float(speed.mean())),
        "acceleration": _log(float(lengths(acceleration).mean())),
        "peak_time": _peak(speed),
        "burst": _log(float(speed.max() / max(speed.mean(), TINY))),
    }


def measure_flow(view: StrokeView) -> dict[str, float]:
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
    jerk = derivative(derivative(derivative(path, RATE), RATE), RATE)
    seconds = (len(path) - 1) / RATE
    squares = float((lengths(jerk) ** 2).mean()) * seconds**4
    return _log(squares / max(float(speed.max()) ** 2, TINY))


def _bend(seen: ObservedBody, side: str) -> Floats:
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
