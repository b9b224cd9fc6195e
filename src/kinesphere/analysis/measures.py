"""Motion features of strokes (speed, jerk, curvature, smoothness), and which of them are cues for which Effort.

``measure_strokes`` takes the mean of each measure over a motion's strokes. Measures follow Larboulette and Gibet
(2015), Samadani et al. (2013), Aristidou and Chrysanthou (2014 to 2017) and Balasubramanian et al. (2012). Each has no
unit, or is in heights of the body and seconds; a ratio is given as its logarithm, so that twice and half are equally
far from neutral.

``SIGNS`` has the literature's sign of each cue: examples decide how much a cue counts, never its sign. A few cues
*discount*: they say that something else explains a measure. A quick stroke stops hard whatever its Weight; a held wrist
in a slow stroke is Bound, not Strong. ``quickness`` and ``slowness`` are the two sides of ``speed`` beyond neutral.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.observation import RATE, ObservedBody, observe_body
from kinesphere.analysis.strokes import Stroke, find_strokes, sparc
from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, cross, norms, reject
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

TINY = 1e-6
TURNING_PIECES = 16  # pieces of equal length between which a path's turning is measured
HELD_QUANTILE = 0.1  # of a stroke's duration: a wrist that is straight for longer is not held
LONGEST_LAG = 0.25  # of a stroke's duration: most that fingers can trail the wrist
# Shares of the body's mass that move with landmarks (de Leva 1996): the α of kinetic energy.
MASSES = {"pelvis": 0.43, "chest": 0.22, "head": 0.07, "elbow": 0.03, "wrist": 0.02}
TRUNK = ("pelvis", "chest", "head")


# Measures of a motion


@dataclass(frozen=True)
class StrokeMeasures:
    """The measures of a motion.

    Attributes
    ----------
    values
        Each measure's mean over the strokes, longer ones counting more. Empty where nothing moves.
    strokes
        The number of strokes, of both hands.
    """

    values: Mapping[str, float]
    strokes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))


def measure_strokes(motion: Motion) -> StrokeMeasures:
    """Measure a motion's strokes, from joint positions alone."""
    body = observe_body(motion)
    rows, lengths = [], []
    for side in SIDES:
        for stroke in find_strokes(body.from_chest(f"{side} wrist")):
            view = StrokeView(body, side, stroke)
            rows.append(measure_space(view) | measure_weight(view) | measure_time(view) | measure_flow(view))
            lengths.append(float(np.linalg.norm(view.chord)))
    if not rows:
        return StrokeMeasures({}, 0)
    weights = np.array(lengths) / sum(lengths)
    return StrokeMeasures({name: float(weights @ [row[name] for row in rows]) for name in rows[0]}, len(rows))


# Measures of one stroke


@dataclass(frozen=True)
class StrokeView:
    """One hand's stroke on an observed body."""

    body: ObservedBody
    side: str
    stroke: Stroke

    def path(self, part: str) -> Floats:
        """``(T, 3)`` a part of this arm relative to the chest, during the stroke itself."""
        return self.body.from_chest(f"{self.side} {part}")[self.stroke.begin : self.stroke.stop + 1]

    def speed(self, part: str) -> Floats:
        """``(T,)`` the speed of a part of this arm relative to the chest."""
        velocity = derivative(self.body.from_chest(f"{self.side} {part}"), RATE)
        return norms(velocity)[self.stroke.begin : self.stroke.stop + 1]

    @property
    def duration(self) -> float:
        """Seconds of the stroke itself."""
        return (self.stroke.stop - self.stroke.begin) / RATE

    @property
    def chord(self) -> Floats:
        """``(3,)`` from where the wrist begins to where it stops."""
        path = self.path("wrist")
        return np.asarray(path[-1] - path[0])

    @property
    def chord_length(self) -> float:
        """The chord's length, above zero."""
        return max(float(np.linalg.norm(self.chord)), TINY)


def measure_space(view: StrokeView) -> dict[str, float]:
    """Straightness: of the paths of wrist, elbow and fingers."""
    path, chord = view.path("wrist"), view.chord_length
    aside = reject(path - path[0], view.chord / chord)
    fingers = "fingers" if f"{view.side} fingers" in view.body else "wrist"
    return {
        "detour": _detour(path),
        "bow": float(norms(aside).max()) / chord,
        "turning": _turning(path),
        "elbow_detour": _detour(view.path("elbow")),
        "fingers_detour": _detour(view.path(fingers)),
    }


def measure_weight(view: StrokeView) -> dict[str, float]:
    """Force: energy, how hard the stop is, the trunk's part in it, drawing back, the pelvis' drop."""
    body, first, last = view.body, view.stroke.start, view.stroke.end + 1
    energies = {}
    for part, mass in MASSES.items():
        name = part if part in TRUNK else f"{view.side} {part}"
        energies[part] = mass * norms(derivative(body.world[name], RATE))[first:last] ** 2
    trunk = np.sum([energies[part] for part in TRUNK], axis=0)
    total = np.sum(list(energies.values()), axis=0)
    acceleration = derivative(view.speed("wrist"), RATE)
    start, stop = (_log(max(float(value), TINY)) for value in (acceleration.max(), -acceleration.min()))
    path = body.from_chest(f"{view.side} wrist")
    drawn_back = path[view.stroke.start] - path[view.stroke.begin]
    height = body["pelvis"][first:last, 1]
    return {
        "energy": _log(float(total.max())),
        "arrest": stop,
        "arrest_over_start": stop - start,
        "trunk_share": float(trunk.sum() / max(float(total.sum()), TINY**2)),
        "drawing_back": float(np.linalg.norm(drawn_back)) / view.chord_length,
        "pelvis_drop": float(height[0] - height.min()),
    }


def measure_time(view: StrokeView) -> dict[str, float]:
    """Urgency: duration, speed, acceleration, and when speed is greatest."""
    speed = view.speed("wrist")
    acceleration = derivative(derivative(view.path("wrist"), RATE), RATE)
    return {
        "duration": _log(view.duration),
        "speed": _log(float(speed.mean())),
        "acceleration": _log(float(norms(acceleration).mean())),
        "peak_time": _peak_time(speed),
        "burst": _log(float(speed.max() / max(speed.mean(), TINY))),
    }


def measure_flow(view: StrokeView) -> dict[str, float]:
    """Control: overshoot, fingers that trail, smoothness, and the wrist's flexion."""
    body, stroke = view.body, view.stroke
    path = body.from_chest(f"{view.side} wrist")
    speed = view.speed("wrist")
    measures = {
        "overshoot": float(np.linalg.norm(path[stroke.end] - path[stroke.stop])) / view.chord_length,
        "sparc": sparc(speed, RATE),
        "jerk": _log_jerk(view.path("wrist"), speed),
        "lag": 0.0,
        "wrist_held": 0.0,
        "wrist_swing": 0.0,
    }
    if f"{view.side} knuckle" not in body:
        return measures
    flexion = wrist_flexion(body, view.side)[stroke.start : stroke.end + 1]
    fingers = "fingers" if f"{view.side} fingers" in body else "knuckle"
    return measures | {
        "lag": _lag(speed, view.speed(fingers)),
        "wrist_held": float(np.quantile(flexion, HELD_QUANTILE)),
        "wrist_swing": float(np.ptp(flexion)),
    }


def _log(value: float) -> float:
    return float(np.log(max(value, TINY)))


def _detour(path: Floats) -> float:
    """The logarithm of a path's length over its chord."""
    length = float(norms(np.diff(path, axis=0)).sum())
    return _log(max(length, TINY) / max(float(np.linalg.norm(path[-1] - path[0])), 0.05 * length, TINY))


def _turning(path: Floats) -> float:
    """Radians by which a path turns between pieces of equal length: tremor on a slow path is no bend."""
    length = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
    at = np.linspace(0.0, length[-1], TURNING_PIECES + 1)
    corners = np.stack([np.interp(at, length, path[:, i]) for i in range(3)], axis=1)
    pieces = np.diff(corners, axis=0)
    directions = pieces / np.maximum(norms(pieces), TINY)[:, None]
    return float(np.arccos(np.clip(np.sum(directions[1:] * directions[:-1], axis=1), -1.0, 1.0)).sum())


def _peak_time(speed: Floats) -> float:
    """When the speed is greatest, as a share of the duration; a parabola through three frames is between them."""
    i = int(np.argmax(speed))
    if not 0 < i < len(speed) - 1:
        return i / max(len(speed) - 1, 1)
    a, b, c = speed[i - 1 : i + 2]
    curvature = a - 2.0 * b + c
    return float(i + (0.5 * (a - c) / curvature if curvature < 0.0 else 0.0)) / (len(speed) - 1)


def _log_jerk(path: Floats, speed: Floats) -> float:
    """The logarithm of dimensionless jerk: its mean square times duration⁴ over the greatest speed squared."""
    jerk = derivative(derivative(derivative(path, RATE), RATE), RATE)
    seconds = (len(path) - 1) / RATE
    squares = float((norms(jerk) ** 2).mean()) * seconds**4
    return _log(squares / max(float(speed.max()) ** 2, TINY))


def wrist_flexion(body: ObservedBody, side: str) -> Floats:
    """``(T,)`` the wrist's angle between forearm and knuckles, 0 where they are in line."""
    forearm = body[f"{side} wrist"] - body[f"{side} elbow"]
    hand = body[f"{side} knuckle"] - body[f"{side} wrist"]
    angle: Floats = np.arctan2(norms(cross(forearm, hand)), np.sum(forearm * hand, axis=-1))
    return angle


def _lag(lead: Floats, late: Floats) -> float:
    """The shift at which the second speed correlates best with the first, as a share of the stroke's duration."""
    count = len(lead)
    most = int(LONGEST_LAG * count)
    a, b = lead - lead.mean(), late - late.mean()
    correlation = [
        float(a[max(-s, 0) : count - max(s, 0)] @ b[max(s, 0) : count - max(-s, 0)]) for s in range(-most, most + 1)
    ]
    return (int(np.argmax(correlation)) - most) / max(count - 1, 1)


# Effort cues


# Factor to its two elements, −1 and +1.
ELEMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "space": ("indirect", "direct"),
        "weight": ("light", "strong"),
        "time": ("sustained", "sudden"),
        "flow": ("free", "bound"),
    }
)
FACTORS = tuple(ELEMENTS)

# Element to its cues: those that speak for it, then those that discount.
_CUES = {
    "indirect": ("+detour +bow +turning +elbow_detour +fingers_detour", "-overshoot"),
    "direct": ("-detour -bow -turning -elbow_detour -fingers_detour", ""),
    "light": (
        "-energy -arrest -arrest_over_start -trunk_share -pelvis_drop +wrist_swing",
        "-slowness -turning -bow -wrist_held",  # slow is less forceful anyway; roundness explains a swinging wrist
    ),
    "strong": (
        "+energy +arrest +arrest_over_start +trunk_share +drawing_back +pelvis_drop +wrist_held",
        "-quickness -duration",  # quick strokes stop hard anyway; long ones hold the wrist because they are Bound
    ),
    "sustained": ("+duration -speed -acceleration -peak_time -burst", "-wrist_held"),
    "sudden": ("-duration +speed +acceleration +peak_time +burst", ""),
    "free": (
        "+overshoot +lag +sparc +wrist_swing +bow -wrist_held",
        "+peak_time -turning",  # a stroke that fades out overshoots because it is Light or Sustained
    ),
    "bound": (
        "-overshoot +wrist_held -wrist_swing +duration -speed -burst",
        "+peak_time -trunk_share -pelvis_drop",  # fading out is Sustained; with the trunk, a held wrist is Strong
    ),
}

# Just noticeable difference of each measure, in its own unit; our own rough estimates. A computer measures a pelvis
# that sinks by a millimetre and would build on it: a cue counts less the closer its whole spread is to this.
NOTICEABLE: Mapping[str, float] = MappingProxyType(
    {
        "detour": 0.02,  # 2 % longer
        "bow": 0.02,  # of the chord
        "turning": 0.15,  # radians
        "elbow_detour": 0.04,
        "fingers_detour": 0.04,
        "energy": 0.2,  # twice a speed's
        "arrest": 0.2,
        "arrest_over_start": 0.2,
        "trunk_share": 0.05,
        "drawing_back": 0.02,  # of the chord
        "pelvis_drop": 0.01,  # of the body's height: 17 mm
        "duration": 0.1,  # 10 %, as for intervals of time generally
        "speed": 0.1,
        "quickness": 0.1,
        "slowness": 0.1,
        "acceleration": 0.2,
        "peak_time": 0.05,  # of the stroke's time
        "burst": 0.1,
        "overshoot": 0.02,  # of the chord
        "sparc": 0.05,
        "jerk": 0.5,
        "lag": 0.03,  # of the stroke's time
        "wrist_held": 0.1,  # radians
        "wrist_swing": 0.1,
    }
)


def read_signs(text: str) -> Mapping[str, int]:
    """Cues with their signs, of a text such as ``+detour -bow``."""
    return MappingProxyType({cue[1:]: 1 if cue[0] == "+" else -1 for cue in text.split()})


SIGNS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {element: read_signs(f"{cues} {discounts}") for element, (cues, discounts) in _CUES.items()}
)
