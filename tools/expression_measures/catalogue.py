"""Measures by name: their units, their just noticeable differences, and which of them belong to which Effort element.

Every element has its own measure: the mean over its cues of how far each moved from neutral, in just noticeable
differences, with the sign that the literature gives it. Signs are from Laban (Effort, 1947), Bartenieff and Lewis
(1980), and the measures of Samadani et al. (2013) and Aristidou and Chrysanthou (2014 to 2017):

- Space is attention. Direct: eyes, head and chest on the goal, early; the way straight. Indirect: eyes elsewhere and
  late, glances, ways round and wavy, a trunk that spirals.
- Weight. Strong: more energy than the pace explains, a hard stop, the pelvis falls while the hand strikes, is lowest
  after the arrival, the chest goes along. Light: less energy, also beyond what its pace explains, a soft stop, a body
  that is lifted and lifts.
- Time. Sudden: short, quick to start and to stop. Sustained: long, without a jolt at the start or later, and neither
  hesitant nor even: lingering is not restraint, which is Bound.
- Flow. Free: passes its goals, the parts of the arm one after the other, comes to rest late, the trunk loose. Bound:
  even speed that hesitates, all stops, no settling, chest, head and shoulders as one block, elbows in.

A cue beyond three just noticeable differences adds nothing more (``SATURATION``): a movement that is only slow must not
pass for everything that slowness implies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

TINY = 1e-6
SATURATION = 3.0  # just noticeable differences

# Element to its cues.
CUES = {
    "indirect": "+detour +turning +gaze_angle -gaze_share +glances +trunk_twist",
    "direct": "-detour -turning -gaze_angle -head_angle -chest_angle +gaze_share",
    "light": "-energy -force -arrest_over_start +pelvis_velocity +chest_height +chest_rise",
    "strong": (
        "+energy +force +arrest_over_start "
        "-main_pelvis_velocity +main_pelvis_drop +main_pelvis_low_time +main_chest_along"
    ),
    "sustained": "+duration -start_jolt -acceleration -hesitations -flatness",
    "sudden": "-duration +start_jolt +acceleration",
    "free": "+goal_speed -stops +elbow_lag +wrist_lag +finger_lag +settling +block",
    "bound": "-goal_speed +flatness +hesitations -settling -block -elbow_distance -finger_lag",
}
SIGNS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        element: MappingProxyType({cue[1:]: 1 if cue[0] == "+" else -1 for cue in cues.split()})
        for element, cues in CUES.items()
    }
)
# Element to its factor and end.
DIALS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        "indirect": ("space", -1.0),
        "direct": ("space", 1.0),
        "light": ("weight", -1.0),
        "strong": ("weight", 1.0),
        "sustained": ("time", -1.0),
        "sudden": ("time", 1.0),
        "free": ("flow", -1.0),
        "bound": ("flow", 1.0),
    }
)
ELEMENTS = tuple(DIALS)


@dataclass(frozen=True)
class Measure:
    """One number of a stroke or of a take.

    Attributes
    ----------
    noticeable
        The just noticeable difference, in the measure's own unit, or of its logarithm where it is compared by ratio.
        Of durations and speeds a tenth (Weber), of accelerations and energies a fifth, of angles of heads and trunks 3
        to 5°, of places of pelvis and chest about 1 cm; our own estimates, as those of ``analysis.measures``.
    ratio
        Whether its logarithm is what is measured, so that twice and half are equally far from neutral.
    """

    name: str
    unit: str
    noticeable: float
    about: str
    ratio: bool = False


def logarithm(value: float) -> float:
    """The natural logarithm, bounded below."""
    return math.log(max(value, TINY))
