"""Gestures and key points as a score's JSON holds them."""

from __future__ import annotations

from typing import Any

from kinesphere.motion.gesture import Gesture, Palm, Step, Track
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.keypoints import Keypoint, Keypoints, Space, Stop
from kinesphere.score.fields import Fields, said

MOST_KEYS = 100_000
_KEY = "[frame, x, y, z, swivel, goal or via, local or global]"
_ARMS = {"left": "leftArm", "right": "rightArm"}


def keypoint_rows(keys: Keypoints) -> dict[str, Any]:
    """Key points as JSON."""
    rows = [[k.frame, *k.position, k.swivel, k.stop.value, k.space.value] for k in keys.keys]
    return {"part": keys.part, "rate": keys.rate, "locked": keys.locked, "keys": rows}


def keypoints_from(fields: Fields) -> Keypoints:
    """Key points of JSON."""
    fields.only("part", "rate", "locked", "keys")
    rows = fields.take("keys", (list,), "a list of keys", [])
    if len(rows) > MOST_KEYS:
        raise fields.fail("keys", f"{len(rows)} keys", f"at most {MOST_KEYS}")
    keys = tuple(_key(fields, i, row) for i, row in enumerate(rows))
    part = fields.take("part", (str,), "leftArm or rightArm", "rightArm")
    if part not in _ARMS.values():
        raise fields.fail("part", said(part), "leftArm or rightArm")
    rate, locked = fields.number("rate", 30.0), fields.take("locked", (bool,), "true or false", False)
    return fields.made("", lambda: Keypoints(keys, rate or 0.0, part, locked))


def _key(fields: Fields, i: int, row: Any) -> Keypoint:
    name = f"keys[{i}]"
    if not isinstance(row, list) or len(row) != 7:
        raise fields.fail(name, said(row), _KEY)
    frame, x, y, z, swivel = _numbers(fields, name, row[:5], 5)
    stop, space = row[5:]
    if stop not in list(Stop) or space not in list(Space):
        raise fields.fail(name, said(row[5:]), "goal or via, local or global")
    return fields.made(name, lambda: Keypoint(frame, (x, y, z), swivel, Stop(stop), Space(space)))


def gesture_rows(gesture: Gesture) -> dict[str, Any]:
    """A gesture in full as JSON."""
    rows: dict[str, Any] = {"name": gesture.name, "duration": gesture.duration, "loop": gesture.loop}
    rows["about"] = gesture.about
    for side in SIDES:
        keys = gesture.arm(side)
        if keys is not None:
            rows[side] = keypoint_rows(keys)
    rows["tracks"] = {n: [list(row) for row in zip(t.times, t.values, strict=True)] for n, t in gesture.tracks.items()}
    rows["inflections"] = {side: list(values) for side, values in gesture.inflections.items()}
    rows["palms"] = {
        side: [[palm.time, None if palm.direction is None else list(palm.direction)] for palm in palms]
        for side, palms in gesture.palms.items()
    }
    rows["steps"] = {side: [[s.lift, s.land, s.x, s.z, s.turn] for s in steps] for side, steps in gesture.steps.items()}
    return rows


def gesture_from(fields: Fields) -> Gesture:
    """A gesture of JSON."""
    fields.only("name", "duration", "loop", "about", *SIDES, "tracks", "inflections", "palms", "steps")
    name, about = (fields.take(key, (str,), "a text", "") for key in ("name", "about"))
    duration, loop = fields.number("duration", 0.0), fields.take("loop", (bool,), "true or false", False)
    arms = {side: keypoints_from(fields.child(side)) for side in SIDES if side in fields.data}
    tracks = {}
    own = fields.child("tracks", {})
    for channel in own.data:
        keys = [_numbers(own, f"{channel}[{i}]", row, 2) for i, row in enumerate(_list(own, channel))]
        times, values = tuple(k[0] for k in keys), tuple(k[1] for k in keys)
        tracks[channel] = own.made(channel, lambda times=times, values=values: Track(times, values))  # type: ignore[misc]
    sided: dict[str, dict[str, tuple[Any, ...]]] = {}
    for key, make in (("inflections", _inflection), ("palms", _palm), ("steps", _step)):
        table = fields.child(key, {})
        sided[key] = {
            side: tuple(make(table, f"{side}[{i}]", row) for i, row in enumerate(_list(table, side)))
            for side in table.data
        }
    left, right = arms.get("left"), arms.get("right")
    inflections, palms, steps = (sided[key] for key in ("inflections", "palms", "steps"))
    return fields.made(
        "",
        lambda: Gesture(name, duration or 0.0, left, right, tracks, inflections, palms, steps, loop, about),
    )


def _inflection(fields: Fields, name: str, value: Any) -> float:
    return _numbers(fields, name, [value], 1)[0]


def _palm(fields: Fields, name: str, row: Any) -> Palm:
    if not isinstance(row, list) or len(row) != 2:
        raise fields.fail(name, said(row), "a time and a direction, or null")
    time = _numbers(fields, name, row[:1], 1)[0]
    if row[1] is None:
        return Palm(time)
    x, y, z = _numbers(fields, name, row[1], 3)
    return fields.made(name, lambda: Palm(time, (x, y, z)))


def _step(fields: Fields, name: str, row: Any) -> Step:
    lift, land, x, z, turn = _numbers(fields, name, row, 5)
    return fields.made(name, lambda: Step(lift, land, x, z, turn))


def _list(fields: Fields, name: str) -> list[Any]:
    rows: list[Any] = fields.take(name, (list,), "a list", [])
    if len(rows) > MOST_KEYS:
        raise fields.fail(name, f"{len(rows)} entries", f"at most {MOST_KEYS}")
    return rows


def _numbers(fields: Fields, name: str, row: Any, count: int) -> list[float]:
    plain = isinstance(row, list) and len(row) == count
    if not plain or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in row):
        raise fields.fail(name, said(row), f"{count} numbers" if count > 1 else "a number")
    return fields.made(name, lambda: [float(v) for v in row])
