"""Cues of a comparison of two takes of one movement: how much of each is noticed, and of which Effort it speaks.

Much more of what is noticed already does not tell much more: measures are saturated at some noticeable differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from kinesphere.analysis.measures import read_signs

SATURATION = 3.0  # just noticeable differences, to which what is seen of a measure comes softly

# Just noticeable differences, our own rough estimates as in ``measures.NOTICEABLE``.
NOTICEABLE: Mapping[str, float] = MappingProxyType(
    {
        "duration": 0.1,
        "quickness": 0.1,
        "unevenness": 0.1,
        "acceleration": 0.2,
        "wander": 0.15,
        "straight": 0.03,
        "reach": 0.03,
        "turning": 0.15,
        "face_aside": 0.06,
        "face_roam": 0.1,
        "face_travel": 0.15,
        "gaze_roam": 0.1,
        "gaze_goal": 0.06,
        "trunk_twist": 0.2,
        "pelvis_height": 0.008,
        "chest_height": 0.008,
        "head_height": 0.008,
        "ankle_height": 0.006,
        "chest_ahead": 0.012,
        "pelvis_drop": 0.006,
        "bounce": 0.2,
        "energy": 0.2,
        "accents": 0.1,
        "arrest": 0.2,
        "neck": 0.2,
        "roll": 0.15,
        "shoulders": 0.2,
        "sway": 0.2,
        "elbows": 0.012,
        "free_arm": 0.2,
        "arms": 0.1,
        "trail": 0.02,
        "drag": 0.03,
        "coast": 0.1,
        "passes": 0.015,
        "goal_speed": 0.2,
        "wrist_swing": 0.2,
        "hesitations": 0.15,
    }
)
MEASURES = tuple(NOTICEABLE)


def seen(measures: Mapping[str, float]) -> dict[str, float]:
    """Measures, saturated: what an observer sees of them."""
    return {
        name: float(SATURATION * size * np.tanh(measures[name] / (SATURATION * size)))
        for name, size in NOTICEABLE.items()
    }


# Effort cues: element to those that speak for it, then those that discount, as in ``measures``. Slow and with the arms
# held in is Bound rather than Sustained; a body that sinks is Strong; what is lifted and slow is Light.
# Who goes farther and swings on is Free rather than Indirect.
_CUES = {
    "indirect": (
        "+wander +turning -straight +face_aside +face_roam +face_travel +gaze_roam +trunk_twist",
        "-pelvis_drop -free_arm -reach -drag -coast -energy",
    ),
    "direct": (
        "-wander -turning +straight -face_aside -gaze_goal -gaze_roam -face_travel -trunk_twist",
        "-duration +quickness +elbows +free_arm +reach +wrist_swing",
    ),
    "light": (
        "+pelvis_height +chest_height +head_height +ankle_height -energy -accents -arrest -chest_ahead -pelvis_drop",
        "-turning +elbows",
    ),
    "strong": (
        "+energy +accents +arrest +pelvis_drop +chest_ahead +bounce -pelvis_height -chest_height +trunk_twist",
        "-quickness -duration",
    ),
    "sustained": ("+duration -quickness -acceleration", "+elbows +free_arm +pelvis_height -ankle_height -turning"),
    "sudden": ("-duration +quickness +acceleration", "-free_arm"),
    "free": (
        "+neck +shoulders +roll +sway +free_arm +arms +trail +drag +coast +passes +goal_speed +wrist_swing +elbows "
        "+reach",
        "-turning -trunk_twist -pelvis_drop +duration -wander -bounce +straight",
    ),
    "bound": (
        "-neck -shoulders -roll -sway -free_arm -arms -trail -drag -coast -passes -goal_speed -wrist_swing -elbows "
        "-reach +hesitations +duration",
        "-ankle_height",
    ),
}
SIGNS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {element: read_signs(f"{cues} {discounts}") for element, (cues, discounts) in _CUES.items()}
)
