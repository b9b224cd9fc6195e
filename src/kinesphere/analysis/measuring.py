"""``features``: a motion in numbers, each the mean over its strokes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.seeing import seen
from kinesphere.analysis.stroke_measures import View, flow, space, time, weight
from kinesphere.analysis.strokes import find_strokes
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion


@dataclass(frozen=True)
class Features:
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


def features(motion: Motion) -> Features:
    """Measure a motion's strokes. Only where joints are is looked at."""
    view = seen(motion)
    rows, ways = [], []
    for side in SIDES:
        path = view.by_chest(f"{side} wrist")
        for stroke in find_strokes(path):
            rows.append(_measured(View(view, side, stroke)))
            ways.append(float(np.linalg.norm(path[stroke.stop] - path[stroke.begin])))
    if not rows:
        return Features({}, 0)
    shares = np.array(ways) / sum(ways)
    return Features({name: float(shares @ [row[name] for row in rows]) for name in rows[0]}, len(rows))


def _measured(view: View) -> dict[str, float]:
    return space(view) | weight(view) | time(view) | flow(view)
