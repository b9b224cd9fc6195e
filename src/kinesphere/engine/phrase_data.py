"""A phrase as plain data, for programs: keys of hands, strokes, curves, steps, flights and what hands keep.

``json.dumps(phrase_to_plain(lift(motion)))`` is what ``kinesphere phrase --json`` prints. Times are seconds of the
phrase's own time; positions of keys are in arm lengths from the shoulder, in the chest's axes: left, up, ahead. In a
loop, what ends after it goes on at its start, and what starts before it began at its end. ``treadmill`` are metres a
second that who walks in place goes over the ground that passes below, to the left, up and ahead of the world.
"""

from __future__ import annotations

from typing import Any

from kinesphere.body.ground import runs
from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, BodyStrokes, Detail
from kinesphere.engine.lifting import hand_strokes_in
from kinesphere.engine.stroke_finding import FoundStrokes
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import to_plain
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import Keys, Phrase

DIGITS = 6  # of seconds, lengths and angles


def phrase_to_plain(phrase: Phrase) -> dict[str, Any]:
    """The phrase as numbers, texts, lists and mappings: what JSON can hold."""
    detail = phrase.detail
    made: dict[str, Any] = {
        "name": phrase.name,
        "duration": _number(phrase.duration),
        "loop": phrase.loop,
        "arm_lengths": {side: _number(phrase.body.lengths[f"{side}Arm"]) for side in SIDES},
        "leg_lengths": {side: _number(phrase.body.lengths[f"{side}Leg"]) for side in SIDES},
        "keys": {f"{side}_arm": _keys(keys) for side in SIDES if (keys := phrase.arm(side).keys) is not None},
        "curves": {
            name: {"times": _numbers(curve.times), "values": _numbers(curve.values)}
            for track in phrase.tracks.values()
            for name, curve in track.curves.items()
        },
        "steps": {
            f"{side}_leg": [to_plain(step) for step in phrase.track(f"{side}_leg").steps]
            for side in SIDES
            if phrase.track(f"{side}_leg").steps
        },
        "referents": [to_plain(own) for own in phrase.referents],
    }
    return made if detail is None else made | _found(detail)


def _found(detail: Detail) -> dict[str, Any]:
    """What was found in a recording besides its keys."""
    rate, strokes, steps = detail.recording.rate, detail.strokes, detail.steps
    paths = {f"{side}_arm": hand_strokes_in(detail, side) for side in SIDES}
    return {
        "rate": _number(rate),
        "frames": len(detail.recording),
        "strokes": {part: _strokes(found, rate, detail.poses.arm_length) for part, found in paths.items()},
        "body_strokes": _body_strokes(strokes),
        "strikes": [
            {"time": _number(time), "foot": side}
            for time, side in zip(steps.strikes.tolist(), steps.strike_sides, strict=True)
        ],
        "stances": [
            {"foot": own.side, "start": _number(own.first / rate), "end": _number(own.last / rate)}
            for own in steps.stances
        ],
        "treadmill": _numbers(detail.treadmill),
        "open_cycle": detail.open_cycle,
        "walking": _ranges(steps.walking, rate),
        "flights": _ranges(steps.flying, rate),
        "inserted_frames": list(detail.inserted_frames),
    }


def _body_strokes(strokes: BodyStrokes) -> list[dict[str, Any]]:
    rows = list(zip(strokes.edges[:-1], strokes.edges[1:], strokes.leads, strokes.lengths, strict=True))
    if strokes.wraps and len(rows) > 1:
        start, end, lead, length = rows[-1]
        rows = [*rows[1:-1], (start, end + strokes.edges[1], lead, length)]
    return [
        {"start": _number(start), "end": _number(end), "leads": lead or "rest", "metres": _number(length)}
        for start, end, lead, length in rows
    ]


def walked_share(detail: Detail) -> float:
    """How much of a recording is locomotion, as a share of its time."""
    return float(detail.steps.walking.mean()) if len(detail.steps.walking) else 0.0


def count_strokes(detail: Detail) -> dict[str, int]:
    """Strokes of the left hand, of the right hand and of the body's clock, without rests and steps."""
    made = {side: len(hand_strokes_in(detail, side)) for side in SIDES}
    return made | {"body": sum(lead not in (REST_LEADS, LEGS_LEAD) for lead in detail.strokes.whole_leads)}


def _keys(keys: Keys) -> list[dict[str, Any]]:
    columns = keys.times, keys.positions, keys.swivels, keys.goals, keys.spaces, keys.inflections
    return [
        {
            "time": _number(time),
            "position": _numbers(place),
            "swivel": _number(swivel),
            "stop": "goal" if goal else "via",
            "space": space,
            "inflection": _number(inflection),
        }
        for time, place, swivel, goal, space, inflection in zip(*columns, strict=True)
    ]


def _strokes(found: FoundStrokes, rate: float, unit: float) -> list[dict[str, Any]]:
    return [
        {
            "start": _number(start / rate),
            "peak": _number(peak / rate),
            "end": _number(end / rate),
            "metres": _number(unit * travel),
        }
        for start, peak, end, travel in zip(*found, strict=True)
    ]


def _ranges(curve: Floats, rate: float) -> list[list[float]]:
    return [[_number(first / rate), _number(last / rate)] for first, last in runs(curve > 0.5)]


def _number(value: Any) -> float:
    return round(float(value), DIGITS)


def _numbers(values: Any) -> list[float]:
    return [_number(value) for value in values]
