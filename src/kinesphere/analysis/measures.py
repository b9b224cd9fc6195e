"""``measure_strokes``: a motion in numbers, each the mean over its strokes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.observation import observe_body
from kinesphere.analysis.strokes import (
    StrokeView,
    find_strokes,
    measure_flow,
    measure_space,
    measure_time,
    measure_weight,
)
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion


@dataclass(frozen=True)
class StrokeMeasures:
    """What was measured.

    Attributes
    ----------
    values
        Each measure's mean over the strokes, longer ways counting more. Empty where nothing moved.
    strokes
        How many strokes there were, of both hands.
    """

    values: Mapping[str, float]
    strokes: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))


def measure_strokes(motion: Motion) -> StrokeMeasures:
    """Measure a motion's strokes. Only where joints are is looked at."""
    view = observe_body(motion)
    rows, ways = [], []
    for side in SIDES:
        path = view.by_chest(f"{side} wrist")
        for stroke in find_strokes(path):
            rows.append(_measured(StrokeView(view, side, stroke)))
            ways.append(float(np.linalg.norm(path[stroke.stop] - path[stroke.begin])))
    if not rows:
        return StrokeMeasures({}, 0)
    shares = np.array(ways) / sum(ways)
    return StrokeMeasures({name: float(shares @ [row[name] for row in rows]) for name in rows[0]}, len(rows))


def _measured(view: StrokeView) -> dict[str, float]:
    return measure_space(view) | measure_weight(view) | measure_time(view) | measure_flow(view)


# ---- Which measure speaks for which Effort element, and in which direction.
#
# The signs are the literature's (Larboulette and Gibet 2015; Samadani et al. 2013; Aristidou and Chrysanthou 2014 to
# 2017; the thesis' own descriptions): examples decide how much a cue counts, never which way. A few cues *discount*:
# they
# say that something else explains what is seen. A quick stroke stops hard whatever its Weight; a held wrist in a slow
# stroke is Bound, not Strong. ``quickness`` and ``slowness`` are the two sides of ``speed`` beyond neutral.


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
_SPEAK = {
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

# What an eye just notices of each measure, in its own unit; ours, and rough. A computer sees a pelvis sink by a
# millimetre and would build on it: a cue counts less the closer its whole spread is to this.
NOTICEABLE: Mapping[str, float] = MappingProxyType(
    {
        "detour": 0.02,  # 2 % more way
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


def _signs(text: str) -> dict[str, int]:
    return {cue[1:]: 1 if cue[0] == "+" else -1 for cue in text.split()}


SIGNS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {element: MappingProxyType(_signs(f"{own} {discounts}")) for element, (own, discounts) in _SPEAK.items()}
)
