"""The table of what expression should be: numbers of our engine beside those of performers, row by row.

A row has parts, each with its unit, our number and the performers'; ``SHOULD`` says what was found to read, in words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from expression_measures.catalogue import SIGNS
from expression_measures.effects import Pairs, differences
from expression_measures.measuring import MEASURES
from expression_measures.performing import Values

TRUNK = ("shoulder_yaw", "lean", "head_travel")
SCALES = {"m": 100.0, "m/s": 100.0, "s": 1000.0}  # to cm, cm/s and ms
UNITS = {"m": "cm", "m/s": "cm/s", "s": "ms"}
ON_THE_SPOT = 0.5  # metres that the pelvis goes: who goes farther takes the trunk along


class Part(NamedTuple):
    """One number of a row; None: not measured."""

    name: str
    ours: float | None
    unit: str
    performers: float | None = None


SHOULD: Mapping[str, str] = {
    "Strong: the body at the hand's peak": "falls 35 cm/s; lowest 50–125 ms after arrival, 8–11 cm; chest 50–70 cm/s",
    "Punch ÷ Dab": "speed 2.3, acceleration 4.9",
    "Light's peak energy ÷ neutral": "< 1; about 0.65",
    "Light–Strong under Sudden + Free": "clearly apart: most cues by two noticeable differences",
    "Strong + Free": "Strong's press survives Free, and is not read as Light",
    "Direct": "eyes lead by 200–300 ms; head on the goal, chest square",
    "Indirect: attention": "two or three glances of 15–25°; eyes late; a spiral of the trunk",
    "Free": "passes goals at 15–30 % of peak speed; elbow, wrist and fingers trail by 60–120 ms",
    "Bound": "duration 1.5–1.8, flat speed, hesitations, no settling, one block, elbows in",
    "Indirect: way": "waves of 0.6–0.8 Hz, acceleration at most twice neutral; hands out of the body",
    "Sustained: jolt at the start": "2.6 m/s²",
    "Trunk, over all words": "shoulder yaw 10–111°, lean 4–43°, head's travel 9–62 cm",
    "Strokes of 0.2 s keep of their flourishes": "half waves that survive",
    "Words": "each its own, or an alias; tempo 0.6–2.5",
}


def table_rows(found: Mapping[str, Any], pairs: Mapping[str, Pairs]) -> dict[str, list[Part]]:
    """The rows; ``found`` has combinations, performers, flourishes, words and depths as they were measured."""
    performers: Mapping[str, Mapping[str, Values]] = found.get("performers", {})
    punch = performers.get("efforts", {}).get("punch", {})
    combined = found["combinations"]
    under, beside = combined["strong_over_light_under_sudden_free"], combined["strong_beside_free"]
    gestures = list(performers.get("gestures", {}).values())
    rows = {
        "Strong: the body at the hand's peak": [
            _value(pairs["strong"], name, punch)
            for name in ("main_pelvis_velocity", "main_pelvis_low_time", "main_pelvis_drop", "main_chest_along")
        ],
        "Punch ÷ Dab": [
            Part(name, combined["punch_over_dab"][name], "×", _ratio_of(performers, "punch", "dab", name))
            for name in ("speed", "acceleration", "energy")
        ],
        "Light's peak energy ÷ neutral": [_change(pairs["light"], "energy"), _change(pairs["light"], "force")],
        "Light–Strong under Sudden + Free": [
            Part("mean over cues", under["noticeable"], "noticeable"),
            Part("cues beyond two", under["clear_cues"], f"of {len(SIGNS['strong'])}"),
            Part("d", under["d"], ""),
        ],
        "Strong + Free": [
            Part("Strong's measure beside Free, d", beside["strong_d"], ""),
            Part("press kept", 100.0 * beside["press_kept"], "%"),
            Part("against neutral: Strong's d", beside["against_neutral_strong_d"], ""),
            Part("Light's d", beside["against_neutral_light_d"], ""),
        ],
        "Direct": [
            *(_change(pairs["direct"], name) for name in ("detour", "arm_detour")),
            *(_change(pairs["direct"], name) for name in ("gaze_angle", "head_angle", "chest_angle")),
            _value(pairs["direct"], "gaze_lead"),
            _value(pairs["direct"], "head_lead", _median(gestures)),
        ],
        "Indirect: attention": [
            _value(pairs["indirect"], "glances"),
            _value(pairs["indirect"], "glance_size"),
            _change(pairs["indirect"], "gaze_angle"),
            _change(pairs["indirect"], "trunk_twist"),
        ],
    }
    return rows | _flow_rows(pairs, gestures, found) | _other_rows(found, performers, pairs)


def _flow_rows(
    pairs: Mapping[str, Pairs], gestures: Sequence[Values], found: Mapping[str, Any]
) -> dict[str, list[Part]]:
    people = _median(gestures)
    bound = pairs["bound"]
    return {
        "Free": [
            _change(pairs["free"], "stops", 100.0, "points"),
            _value(pairs["free"], "goal_speed", people, 100.0, "%"),
            *(_value(pairs["free"], name, people) for name in ("elbow_lag", "wrist_lag", "finger_lag")),
        ],
        "Bound": [
            _change(bound, "duration"),
            _change(bound, "jerk"),
            _change(bound, "flatness"),
            _value(bound, "hesitations", people),
            *(_change(bound, name) for name in ("settling", "block", "elbow_distance")),
        ],
        "Indirect: way": [
            _change(pairs["indirect"], "acceleration"),
            _change(pairs["indirect"], "raw_acceleration"),
            _value(pairs["indirect"], "wave_frequency", people),
            Part("deepest in the body", found.get("indirect_depth"), "cm"),
        ],
    }


def _other_rows(
    found: Mapping[str, Any], performers: Mapping[str, Mapping[str, Values]], pairs: Mapping[str, Pairs]
) -> dict[str, list[Part]]:
    floating = performers.get("efforts", {}).get("float", {})
    jolts = [np.exp(own["start_jolt"]) for own, _ in pairs["sustained"]]
    rows = {
        "Sustained: jolt at the start": [
            Part("least", float(np.min(jolts)), "m/s²"),
            _value(pairs["sustained"], "start_jolt", floating),
            Part("most", float(np.max(jolts)), "m/s²"),
        ],
        "Strokes of 0.2 s keep of their flourishes": [
            Part(name, 100.0 * share, "%") for name, share in found["flourishes"].items()
        ],
    }
    words = found.get("words")
    if words:
        acted = [own for kind in ("efforts", "gestures") for own in performers.get(kind, {}).values()]
        acted = [own for own in acted if own["pelvis_travel"] < ON_THE_SPOT]
        trunk = []
        for name in TRUNK:
            scale, unit = SCALES.get(MEASURES[name].unit, 1.0), UNITS.get(MEASURES[name].unit, MEASURES[name].unit)
            ours = [scale * own[name] for own in words["trunk"].values()]
            theirs = [scale * own[name] for own in acted]
            for end, quantile in (("least", 0.0), ("median", 0.5), ("most", 1.0)):
                people = float(np.quantile(theirs, quantile)) if theirs else None
                trunk.append(Part(f"{_label(name)}, {end}", float(np.quantile(ours, quantile)), unit, people))
        rows["Trunk, over all words"] = trunk
        tempo = words["tempo"]
        slowest, fastest = max(tempo, key=tempo.get), min(tempo, key=tempo.get)
        rows["Words"] = [
            Part("pairs that are one", float(len(words["one"])), f"of {words['count']} words"),
            Part(f"slowest ({slowest})", tempo[slowest], "×"),
            Part(f"fastest ({fastest})", tempo[fastest], "×"),
            *([Part("tired", tempo["tired"], "×")] if "tired" in tempo else []),
        ]
    return {name: rows[name] for name in SHOULD if name in rows}


def _value(pairs: Pairs, name: str, people: Values | None = None, scale: float = 0.0, unit: str = "") -> Part:
    """What the measure is with the element, on the mean."""
    measure = MEASURES[name]
    scale, unit = scale or SCALES.get(measure.unit, 1.0), unit or UNITS.get(measure.unit, measure.unit)
    found = [own[name] for own, _ in pairs if name in own]

    def shown(value: float) -> float:
        return float(np.exp(value)) if measure.ratio else scale * value

    theirs = shown(people[name]) if people and name in people else None
    name = _label(name)
    return Part(name, shown(float(np.mean(found))) if found else None, measure.unit if measure.ratio else unit, theirs)


def _change(pairs: Pairs, name: str, scale: float = 0.0, unit: str = "") -> Part:
    """How much the element changes the measure: a ratio, or a difference."""
    measure, found = MEASURES[name], differences(pairs, name)
    if not len(found):
        return Part(_label(name), None, unit)
    if measure.ratio:
        return Part(_label(name), float(np.exp(found.mean())), "×")
    scale, unit = scale or SCALES.get(measure.unit, 1.0), unit or UNITS.get(measure.unit, measure.unit)
    return Part(f"Δ {_label(name)}", scale * float(found.mean()), unit)


def _label(name: str) -> str:
    """A measure's name as it is read."""
    return name.removeprefix("main_").replace("_", " ")


def _ratio_of(performers: Mapping[str, Mapping[str, Values]], a: str, b: str, name: str) -> float | None:
    efforts = performers.get("efforts", {})
    return float(np.exp(efforts[a][f"main_{name}"] - efforts[b][f"main_{name}"])) if a in efforts else None


def _median(values: Sequence[Values]) -> Values:
    """Each measure's median over takes."""
    names = {name for own in values for name in own}
    return {name: float(np.median([own[name] for own in values if name in own])) for name in names}
