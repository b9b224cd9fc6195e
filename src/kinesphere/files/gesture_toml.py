"""Gesture files in TOML: arm keys, palms, hand shapes, steps and tracks. ``motion_files/`` has examples.

    duration = 2.0                       # seconds
    [torso]
    forward = [[0, 0], [0.8, 6], [2, 0]] # keys: seconds, degrees
    [hips]
    x = [[0, 0], [0.8, 0.02], [2, 0]]    # metres
    [right]                              # or [left], or [both]
    keys = [                             # the wrist, from its shoulder: metres out, up, ahead
      { at = 0, to = "rest" },
      { at = 0.4, to = [0.2, -0.3, 0.2], via = true },
      { at = 0.8, to = [0.1, 0.0, 0.4], swivel = 30 },   # elbow out, in degrees
      { at = 2, to = "rest" },
    ]
    [right.hand]
    palm = [[0, "rest"], [0.8, "down"], [2, "rest"]]     # forward back up down in out, or [out, up, ahead]
    shape = [[0, "relaxed"], [0.8, "open 0.7"], [2, "relaxed"]]

A key with ``world = [x, y, z]`` instead of ``to`` is fixed in the world. ``ease`` is when the stroke to a goal is
fastest, as a share of its duration. Channels are those of ``motion/gesture.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from kinesphere.files.schema import TomlFields, describe_choices, read_toml
from kinesphere.motion.gesture import (
    ANGLE,
    CHANNELS,
    LONGEST,
    MOST,
    SHAPES,
    Curve,
    Gesture,
    Keypoint,
    Keypoints,
    Palm,
    Space,
    Step,
    Stop,
    resting_swivel,
    resting_wrist,
)
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.source import Source

KEY_RATE = 60.0  # a key's frames per second
DIRECTIONS = {  # out, up, ahead
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "in": (-1.0, 0.0, 0.0),
    "out": (1.0, 0.0, 0.0),
}
FARTHEST = 5.0  # metres


def load_gesture(path: str | PathLike[str]) -> Gesture:
    """Read a gesture. Anything wrong raises ``MotionFileError`` with its field."""
    file = Path(path)
    return gesture_from_fields(read_toml(file), file.stem.replace("_", " "))


def gesture_from_fields(fields: TomlFields, name: str) -> Gesture:
    """Build a gesture from a file's fields."""
    if fields.text("kind", "gesture") != "gesture":
        raise fields.fail("kind", repr(fields.text("kind")), '"gesture"')
    about, loop = fields.text("about", ""), fields.flag("loop")
    duration = fields.number("duration")
    if not 0.0 < duration <= LONGEST:  # first, because all times are checked against it
        raise fields.fail("duration", f"{duration:g}", f"seconds, more than 0 and at most {LONGEST:g}")
    tracks: dict[str, Curve] = {}
    for part in ("torso", "head", "eyes", "hips"):
        tracks |= _tracks(fields.table(part), part, duration)
    arms: dict[str, Keypoints] = {}
    others: dict[str, dict[str, Any]] = {"inflections": {}, "palms": {}, "steps": {}}
    for table, sides in (("both", SIDES), ("left", ("left",)), ("right", ("right",))):
        if table != "both" and fields.has(table) and fields.has("both"):
            raise fields.fail(table, "a side beside both", "either [both] or [left] and [right]")
        for side in sides:
            tracks |= _side(fields.table(table), side, (duration, loop), arms, others)
    fields.done()
    source = Source(path=str(fields.path), format="gesture")
    try:
        return Gesture(
            name, duration, arms.get("left"), arms.get("right"), tracks, **others, loop=loop, about=about, source=source
        )
    except ValueError as error:
        raise fields.fail(name, f"what does not fit together ({error})", "parts that agree") from None


def _side(
    fields: TomlFields,
    side: str,
    timing: tuple[float, bool],
    arms: dict[str, Keypoints],
    others: dict[str, dict[str, Any]],
) -> dict[str, Curve]:
    """Read one side's arm, hand, shoulder and foot; ``timing`` is the gesture's duration and whether it loops."""
    duration, loop = timing
    keys = _arm(fields, side, duration, loop)
    if keys is not None:
        arms[side], others["inflections"][side] = keys
    tracks: dict[str, Curve] = {}
    hand, foot = fields.table("hand"), fields.table("foot")
    palms = [_palm(hand, side, i, row) for i, row in enumerate(hand.rows("palm"))]
    steps = [_step(foot, i, row) for i, row in enumerate(foot.rows("steps"))]
    _check_times(hand, "palm", [palm.time for palm in palms], duration)
    _check_times(foot, "steps", [step.lift for step in steps], duration)
    if palms:
        others["palms"][side] = tuple(palms)
    if steps:
        others["steps"][side] = tuple(steps)
    tracks |= _shape_tracks(hand, side, duration)
    for part, table in (("hand", hand), ("clavicle", fields.table("clavicle")), ("foot", foot)):
        tracks |= _tracks(table, f"{side}.{part}", duration)
    fields.done()
    return tracks


def _tracks(fields: TomlFields, part: str, duration: float) -> dict[str, Curve]:
    """Every channel of one part of the body."""
    tracks = {}
    allowed = [channel.removeprefix(f"{part}.") for channel in CHANNELS if channel.startswith(f"{part}.")]
    for name in allowed:
        rows = fields.rows(name) if name not in SHAPES else []
        if not rows:
            continue
        channel = f"{part}.{name}"
        keys = [fields.numbers(f"{name}[{i}]", row, 2) for i, row in enumerate(rows)]
        unit = math.pi / 180.0 if CHANNELS[channel] == ANGLE else 1.0
        _check_times(fields, name, [time for time, _ in keys], duration)
        for i, (_, value) in enumerate(keys):
            if abs(value * unit) > MOST[CHANNELS[channel]]:
                raise fields.fail(f"{name}[{i}]", f"{value:g}", f"at most {MOST[CHANNELS[channel]] / unit:g}")
        tracks[channel] = Curve(tuple(k[0] for k in keys), tuple(unit * k[1] for k in keys))
    fields.done()
    return tracks


def _check_times(fields: TomlFields, name: str, times: Sequence[float], duration: float) -> None:
    for i, time in enumerate(times):
        if not 0.0 <= time <= duration + 1e-9:
            raise fields.fail(f"{name}[{i}]", f"{time:g} s", f"times from 0 to the duration, {duration:g} s")
        if i and time <= times[i - 1]:
            raise fields.fail(f"{name}[{i}]", f"{time:g} s after {times[i - 1]:g} s", "times that increase")


def _arm(fields: TomlFields, side: str, duration: float, loop: bool) -> tuple[Keypoints, tuple[float, ...]] | None:
    rows = fields.tables("keys")
    if not rows:
        return None
    keys: list[Keypoint] = []
    eases: list[float] = []
    for row in rows:
        key, ease = _key(row, side)
        at = key.frame / KEY_RATE
        if not 0.0 <= at <= duration + 1e-9:
            raise row.fail("at", f"{at:g} s", f"times from 0 to the duration, {duration:g} s")
        if keys and key.frame <= keys[-1].frame:
            raise row.fail("at", f"{at:g} s after {keys[-1].frame / KEY_RATE:g} s", "times that increase")
        if loop and key.space == Space.GLOBAL:
            raise row.fail("world", "a fixed place in a loop", "to = [out, up, ahead], from the shoulder")
        keys.append(key)
        eases.append(ease)
    return Keypoints(tuple(keys), KEY_RATE, f"{side}Arm"), tuple(eases)


def _key(row: TomlFields, side: str) -> tuple[Keypoint, float]:
    """One key of a wrist, and its ease. Out is +X on the left side, -X on the right."""
    at, ease, via = row.number("at"), row.number("ease", 0.5), row.flag("via")
    to, world, swivel = row.value("to"), row.value("world"), row.value("swivel")
    sign = 1.0 if side == "left" else -1.0
    if (to is None) == (world is None):
        found = "both to and world" if to is not None else "nothing"
        raise row.fail("to", found, 'one of: to = [out, up, ahead], to = "rest", world = [x, y, z]')
    if not 0.0 < ease < 1.0:
        raise row.fail("ease", f"{ease:g}", "above 0 and below 1")
    if world is not None:
        position, space = row.numbers("world", world, 3), Space.GLOBAL
    elif to == "rest":
        position, space = resting_wrist(side), Space.LOCAL
        swivel = math.degrees(resting_swivel("left")) if swivel is None else swivel
    else:
        out, up, ahead = row.numbers("to", to, 3)
        position, space = (sign * out, up, ahead), Space.LOCAL
    if max(map(abs, position)) > FARTHEST:
        raise row.fail("to", str(list(position)), f"at most {FARTHEST:g} m")
    radians = sign * math.radians(row.numbers("swivel", [0.0 if swivel is None else swivel], 1)[0])
    row.done()
    x, y, z = position
    return Keypoint(at * KEY_RATE, (x, y, z), radians, Stop.VIA if via else Stop.GOAL, space), ease


def _palm(fields: TomlFields, side: str, i: int, row: list[Any]) -> Palm:
    name = f"palm[{i}]"
    if len(row) != 2:
        raise fields.fail(name, f"{len(row)} entries", "a time and where the palm faces")
    time = fields.numbers(name, row[:1], 1)[0]
    direction = row[1]
    if direction == "rest":
        return Palm(time)
    if isinstance(direction, str):
        if direction not in DIRECTIONS:
            raise fields.fail(name, repr(direction), describe_choices(direction, ("rest", *DIRECTIONS)))
        out, up, ahead = DIRECTIONS[direction]
    else:
        out, up, ahead = fields.numbers(name, direction, 3)
    if math.hypot(out, up, ahead) < 1e-6:
        raise fields.fail(name, "no direction", "a direction other than zero")
    return Palm(time, (out if side == "left" else -out, up, ahead))


def _step(fields: TomlFields, i: int, row: list[Any]) -> Step:
    lift, land, x, z, degrees = fields.numbers(f"steps[{i}]", row, 5)
    if land <= lift:
        raise fields.fail(f"steps[{i}]", f"landing at {land:g} s", f"after lifting at {lift:g} s")
    return Step(lift, land, x, z, math.radians(degrees))


def _shape_tracks(fields: TomlFields, side: str, duration: float) -> dict[str, Curve]:
    """One weight track per hand shape, from keys such as ``[0.5, "open 0.7 cupped 0.3"]``; the rest of 1 is relaxed."""
    rows = fields.rows("shape")
    mixes = []
    for i, row in enumerate(rows):
        name = f"shape[{i}]"
        if len(row) != 2 or not isinstance(row[1], str):
            raise fields.fail(name, str(row)[:60], 'a time and a shape, such as [0.5, "open 0.7"]')
        mixes.append((fields.numbers(name, row[:1], 1)[0], _parse_shapes(fields, name, row[1])))
    used = {shape for _, mix in mixes for shape in mix if shape != "relaxed"}
    times = tuple(time for time, _ in mixes)
    _check_times(fields, "shape", times, duration)
    return {
        f"{side}.hand.{shape}": Curve(times, tuple(mix.get(shape, 0.0) for _, mix in mixes)) for shape in sorted(used)
    }


def _parse_shapes(fields: TomlFields, name: str, text: str) -> dict[str, float]:
    """Hand shapes and weights from a text; a shape without a number weighs 1."""
    mix: dict[str, float] = {}
    words = text.replace("thumb out", "thumb_out").split()
    while words:
        shape = words.pop(0).replace("_", " ")
        if shape not in SHAPES:
            raise fields.fail(name, repr(shape), describe_choices(shape, SHAPES))
        weight = 1.0
        if words and words[0].replace(".", "", 1).isdigit():
            weight = float(words.pop(0))
        mix[shape] = weight
    if not mix or sum(mix.values()) > 1.0 + 1e-6:
        raise fields.fail(name, repr(text[:60]), "shapes whose weights sum to 1 at most")
    return mix
