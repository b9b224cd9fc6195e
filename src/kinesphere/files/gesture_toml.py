"""Gesture files in TOML: arm keys, palms, hand shapes, steps and curves. ``motion_files/`` has examples.

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
fastest, as a share of its duration. ``keeps = "head"`` marks what the hand keeps there (``motion.referent``).
``GestureFile`` is the whole file; its tables are documents, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema

from kinesphere.motion.document import (
    Flag,
    JsonSchema,
    Numbers,
    Setting,
    Text,
    describe_choices,
    document,
    error_at,
    hints_of,
    not_allowed,
    number,
    read_document,
    setting_of,
    show_value,
)
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import (
    ANGLE,
    LONGEST,
    METRES,
    MOST,
    MOST_KEYS,
    SHAPES,
    SHARE,
    Curve,
    Gesture,
    Keypoint,
    Keypoints,
    Palm,
    Space,
    Step,
    Stop,
    check_steps,
    check_time,
    check_times,
    check_within,
    resting_swivel,
    resting_wrist,
)
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import CARRIERS, Kind, Referent
from kinesphere.motion.rows import Row
from kinesphere.motion.source import Source
from kinesphere.motion.toml_text import read_table

KEY_RATE = 60.0  # a key's frames per second
DIRECTIONS = {  # out, up, ahead
    "forward": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
    "in": (-1.0, 0.0, 0.0),
    "out": (1.0, 0.0, 0.0),
}
FARTHEST, FARTHEST_AIM = 5.0, 1000.0  # metres
REST = "rest"
BODY, SIDE = ("torso", "head", "eyes", "hips"), ("hand", "clavicle", "foot")  # tables with curves
_SHAPES_ABOUT = f'Shapes with weights that sum to 1 at most, "open 0.4 grip 0.4". There are: {", ".join(SHAPES)}.'
KEPT = (Kind.AIM, Kind.LEVEL, Kind.MEET, Kind.NOTHING, *CARRIERS)  # what a key may be marked with
_KEEPS_ABOUT = (
    "What the hand keeps here, whatever the Effort: aim, level, meet, nothing, or a joint that it touches: "
    f"{', '.join(CARRIERS)}. Left out, it is found."
)
_UNITS = {ANGLE: "degrees", METRES: "metres", SHARE: "a share"}
_SCALES = {ANGLE: math.pi / 180.0, METRES: 1.0, SHARE: 1.0}


# Annotations of fields


@dataclass(frozen=True)
class ChannelKeys(Setting):
    """Annotation of a channel's curve, which a file has as a list of ``[seconds, value]``; angles are in degrees."""

    unit: str = ANGLE

    @property
    def scale(self) -> float:
        """By which the file's values are multiplied: to radians, or 1."""
        return _SCALES[self.unit]

    @property
    def most(self) -> float:
        """The largest absolute value in a file."""
        return round(MOST[self.unit] / self.scale, 9)

    def check(self, curve: Curve | None) -> Curve | None:
        """The curve, or the error that names the key beyond the range."""
        for i, value in enumerate(curve.values if curve is not None else ()):
            if abs(value) > self.most:
                raise error_at((i,), f"{value:g}", f"at most {self.most:g}")
        return curve

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        without_empty = core_schema.no_info_before_validator_function(
            lambda value: None if value == [] else value, handler(source)
        )
        return core_schema.no_info_after_validator_function(self.check, without_empty)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        cells = [
            {"type": "number", "minimum": 0.0, "title": "time"},
            {"type": "number", "minimum": -self.most, "maximum": self.most, "title": _UNITS[self.unit]},
        ]
        row = {"type": "array", "prefixItems": cells, "minItems": 2, "maxItems": 2}
        about = f"{self.about} Keys: [time, {_UNITS[self.unit]}]."
        return {"type": "array", "items": row, "maxItems": MOST_KEYS, "description": about}


def angle(about: str) -> ChannelKeys:
    """A channel in degrees."""
    return ChannelKeys(about)


def metres(about: str) -> ChannelKeys:
    """A channel in metres."""
    return ChannelKeys(about, unit=METRES)


def share(about: str) -> ChannelKeys:
    """A channel that is a share of something."""
    return ChannelKeys(about, unit=SHARE)


@dataclass(frozen=True)
class WordOrVector(Setting):
    """Annotation of three numbers, or one of some words that stand for three."""

    words: tuple[str, ...] = ()
    most: float = math.inf
    form: str = ""

    def check(self, value: Any) -> str | tuple[float, ...]:
        """The word or the numbers."""
        if isinstance(value, str) and self.words:
            if value not in self.words:
                words = describe_choices(value, self.words) if len(self.words) > 1 else f'"{self.words[0]}"'
                raise not_allowed(f"{self.form}, or {words}")
            return value
        allowed = f', or "{self.words[0]}"' if len(self.words) == 1 else ""
        return Numbers(count=3, least=-self.most, most=self.most, form=f"{self.form}{allowed}").check(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        numbers = Numbers(count=3, least=-self.most, most=self.most).described()
        words = [core_schema.literal_schema(list(self.words))] if self.words else []
        return core_schema.no_info_plain_validator_function(
            lambda value: None if value is None else self.check(value),
            json_schema_input_schema=core_schema.union_schema([*words, numbers]) if words else numbers,
        )


Vector: TypeAlias = tuple[float, float, float]
Keys: TypeAlias = Curve | None


# Tables of the whole body, which walks have, too


@document(frozen=True)
class TorsoTable:
    """Curves of the torso: angles between hips and chest."""

    forward: Annotated[Keys, angle("Above zero the torso bends forward.")] = None
    side: Annotated[Keys, angle("Above zero the torso bends to its left.")] = None
    turn: Annotated[Keys, angle("Above zero the torso turns to its left.")] = None
    breath: Annotated[Keys, share("How far ribs and belly swell with the breath; 1 is at ease.")] = None


@document(frozen=True)
class HeadTable:
    """Curves of the head."""

    nod: Annotated[Keys, angle("Above zero the head nods down.")] = None
    tilt: Annotated[Keys, angle("Above zero the head tilts to its left.")] = None
    turn: Annotated[Keys, angle("Above zero the head turns to its left.")] = None


@document(frozen=True)
class EyesTable:
    """Curves of the eyes."""

    turn: Annotated[Keys, angle("Above zero the eyes look to its left.")] = None
    lift: Annotated[Keys, angle("Above zero the eyes look up.")] = None


@document(frozen=True)
class HipsTable:
    """Curves of the hips; what balance needs is added."""

    x: Annotated[Keys, metres("Above zero the hips move to its left.")] = None
    y: Annotated[Keys, metres("Above zero the hips move up; below zero knees bend.")] = None
    z: Annotated[Keys, metres("Above zero the hips move ahead.")] = None
    turn: Annotated[Keys, angle("Above zero the hips turn to its left.")] = None
    tilt: Annotated[Keys, angle("Above zero the left side of the hips goes down.")] = None
    lean: Annotated[Keys, angle("Above zero the hips lean forward.")] = None


# Tables of a side


@document(frozen=True)
class WristKey:
    """One key of a wrist. It needs ``to`` or ``world``, not both."""

    at: Annotated[float, number(0.0, LONGEST, "When, in seconds.")]
    to: Annotated[
        str | Vector | None,
        WordOrVector(
            'The wrist from its shoulder, [out, up, ahead] in metres; "rest" is the relaxed arm.',
            words=(REST,),
            most=FARTHEST,
            form="[out, up, ahead] in metres",
        ),
    ] = None
    world: Annotated[
        Vector | None,
        WordOrVector("The wrist, fixed in the world.", most=FARTHEST, form="[x, y, z] in metres"),
    ] = None
    via: Annotated[Flag, Setting("Whether the hand passes without stopping; else it is a goal.")] = False
    swivel: Annotated[
        Annotated[float, number(-360.0, 360.0)] | None,
        Setting("The elbow on its circle, in degrees: 0 is low, above zero out. At rest 38."),
    ] = None
    ease: Annotated[
        float,
        number(0.0, 1.0, "When the stroke to this goal is fastest, as a share of its time.", inside="both"),
    ] = 0.5
    keeps: Annotated[Text | None, Setting(_KEEPS_ABOUT)] = None
    aim: Annotated[
        Vector | None,
        WordOrVector(
            "What the index finger points at, fixed in the world.", most=FARTHEST_AIM, form="[x, y, z] in metres"
        ),
    ] = None

    def __post_init__(self) -> None:
        self.kept()
        if (self.to is None) == (self.world is None):
            found = "both to and world" if self.to is not None else "nothing"
            raise error_at(("to",), found, 'one of: to = [out, up, ahead], to = "rest", world = [x, y, z]')

    def kept(self) -> tuple[tuple[Kind, str | None, Vector | None], ...]:
        """Kind, joint and target of each referent that is kept here."""
        words = [] if self.keeps is None else self.keeps.split()
        for word in words if self.keeps is None or words else [""]:
            if word not in KEPT:
                raise error_at(("keeps",), show_value(word), describe_choices(word, KEPT))
        if len(words) > 1 and Kind.NOTHING in words:
            raise error_at(("keeps",), show_value(self.keeps), "nothing alone, or what is kept")
        if self.aim is not None and Kind.AIM not in words:
            words.append(Kind.AIM)
        return tuple(
            (Kind.TOUCH, word, None) if word in CARRIERS else (Kind(word), None, self.aim if word == Kind.AIM else None)
            for word in words
        )

    def keypoint(self, side: str) -> Keypoint:
        """The key of one side's wrist. Out is +X on the left side, −X on the right."""
        sign, space, swivel = _sign(side), Space.LOCAL, self.swivel
        if self.world is not None:
            position, space = self.world, Space.GLOBAL
        elif isinstance(self.to, tuple):
            position = (sign * self.to[0], self.to[1], self.to[2])
        else:
            position = resting_wrist(side)
            swivel = math.degrees(resting_swivel("left")) if swivel is None else swivel
        stop = Stop.VIA if self.via else Stop.GOAL
        return Keypoint(self.at * KEY_RATE, position, sign * math.radians(swivel or 0.0), stop, space)


@document(frozen=True)
class PalmKey(Row):
    """Where the palm faces at a time."""

    FORM = '[seconds, direction], such as [0.5, "down"]'

    time: Annotated[float, number(0.0, LONGEST, "When, in seconds.")]
    direction: Annotated[
        str | Vector,
        WordOrVector(
            "Where the palm faces: a word, or [out, up, ahead].", words=(REST, *DIRECTIONS), form="[out, up, ahead]"
        ),
    ]

    def __post_init__(self) -> None:
        if not isinstance(self.direction, str) and math.hypot(*self.direction) < 1e-6:
            raise error_at(("direction",), show_value(self.direction), "a direction other than zero")

    def palm(self, side: str) -> Palm:
        """The palm of one side's hand."""
        if self.direction == REST:
            return Palm(self.time)
        out, up, ahead = DIRECTIONS[self.direction] if isinstance(self.direction, str) else self.direction
        return Palm(self.time, (_sign(side) * out, up, ahead))


@document(frozen=True)
class ShapeKey(Row):
    """The hand's shape at a time: shapes with their weights."""

    FORM = '[seconds, shape], such as [0.5, "open 0.7"]'

    time: Annotated[float, number(0.0, LONGEST, "When, in seconds.")]
    shape: Annotated[Text, Setting(_SHAPES_ABOUT)]

    def __post_init__(self) -> None:
        self.weights()

    def weights(self) -> dict[str, float]:
        """The shapes' weights; a shape without a number weighs 1."""
        mix: dict[str, float] = {}
        words = self.shape.replace("thumb out", "thumb_out").split()
        while words:
            shape = words.pop(0).replace("_", " ")
            if shape not in SHAPES:
                raise error_at(("shape",), show_value(shape), describe_choices(shape, SHAPES))
            mix[shape] = float(words.pop(0)) if words and words[0].replace(".", "", 1).isdecimal() else 1.0
        if not mix or sum(mix.values()) > 1.0 + 1e-6:
            raise error_at(("shape",), show_value(self.shape), "shapes whose weights sum to 1 at most")
        return mix


@document(frozen=True)
class StepRow(Row):
    """A step of a foot: when it lifts and lands, and where, from where it stands in the stance."""

    FORM = "[lift, land, x, z, turn], five numbers in brackets"

    lift: Annotated[float, number(0.0, LONGEST, "When the foot lifts, in seconds.")]
    land: Annotated[float, number(0.0, LONGEST, "When it lands, in seconds.")]
    x: Annotated[float, number(-FARTHEST, FARTHEST, "Metres to the left; in [both.foot] outwards.")]
    z: Annotated[float, number(-FARTHEST, FARTHEST, "Metres ahead.")]
    turn: Annotated[float, number(-360.0, 360.0, "Degrees to the left; in [both.foot] outwards.")]

    def __post_init__(self) -> None:
        if self.land <= self.lift:
            raise error_at(("land",), f"{self.land:g} s", f"a time after it lifts, {self.lift:g} s")

    def step(self, sign: float) -> Step:
        """The step; with −1 its mirror image."""
        return Step(self.lift, self.land, sign * self.x, self.z, sign * math.radians(self.turn))


@document(frozen=True)
class HandTable:
    """A hand: where its palm faces, its shape, and curves of the wrist."""

    palm: Annotated[
        tuple[PalmKey, ...], Field(max_length=MOST_KEYS), Setting("Where the palm faces: keys [seconds, direction].")
    ] = ()
    shape: Annotated[
        tuple[ShapeKey, ...], Field(max_length=MOST_KEYS), Setting("The fingers' shape: keys [seconds, shapes].")
    ] = ()
    bend: Annotated[Keys, angle("Above zero the wrist bends towards the palm.")] = None
    aside: Annotated[Keys, angle("Above zero the wrist bends towards the thumb.")] = None
    roll: Annotated[Keys, angle("Is added to the palm's: above zero the thumb goes inwards.")] = None
    loose: Annotated[Keys, share("How far the hand drags behind its movement; 0 is stiff, 1 the default.")] = None

    def shape_curves(self) -> dict[str, Curve]:
        """A curve of each shape's weight; the rest of 1 is relaxed."""
        times, mixes = tuple(key.time for key in self.shape), [key.weights() for key in self.shape]
        used = {shape for mix in mixes for shape in mix if shape != "relaxed"}
        return {shape: Curve(times, tuple(mix.get(shape, 0.0) for mix in mixes)) for shape in sorted(used)}


@document(frozen=True)
class ClavicleTable:
    """Curves of a shoulder; what raised arms need is added."""

    raise_: Annotated[Keys, Field(alias="raise"), angle("Above zero the shoulder goes up.")] = None
    forward: Annotated[Keys, angle("Above zero the shoulder goes ahead.")] = None


@document(frozen=True)
class FootTable:
    """A foot: its steps, and how far the heel is off the ground."""

    peel: Annotated[Keys, angle("Above zero the heel goes up, about the ball of the foot.")] = None
    steps: Annotated[
        tuple[StepRow, ...],
        Field(max_length=MOST_KEYS),
        Setting("Steps, one after the other: [lift, land, x, z, turn]."),
    ] = ()


@document(frozen=True)
class SideTable:
    """One side: the wrist's keys, hand, shoulder and foot."""

    keys: Annotated[
        tuple[WristKey, ...],
        Field(max_length=MOST_KEYS),
        Setting("Keys of the wrist, in time. Without any the arm hangs."),
    ] = ()
    hand: Annotated[HandTable, Setting("The hand.")] = HandTable()
    clavicle: Annotated[ClavicleTable, Setting("The shoulder.")] = ClavicleTable()
    foot: Annotated[FootTable, Setting("The foot.")] = FootTable()

    def referents(self, side: str) -> Iterator[Referent]:
        """What is marked on keys: from the first key to the last of those that follow each other with the same mark."""
        open_: dict[tuple[Kind, str | None, Vector | None], tuple[float, float]] = {}
        for key in (*self.keys, None):
            kept = () if key is None else key.kept()
            for mark in [mark for mark in open_ if mark not in kept]:
                kind, joint, target = mark
                yield Referent(kind, "both" if kind == Kind.MEET else side, *open_.pop(mark), joint, target)
            if key is not None:
                open_ |= {mark: (open_.get(mark, (key.at, 0.0))[0], key.at) for mark in kept}

    def check(self, duration: float, loop: bool, name: str) -> None:
        """Refuse what does not fit the gesture's duration, and fixed places in a loop."""
        for i, key in enumerate(self.keys):
            check_time(key.at, duration, (name, "keys", i, "at"))
            if i and key.at <= self.keys[i - 1].at:
                found = f"{key.at:g} s after {self.keys[i - 1].at:g} s"
                raise error_at((name, "keys", i, "at"), found, "times that increase")
            if loop and key.world is not None:
                found = "a fixed place in a loop"
                raise error_at((name, "keys", i, "world"), found, "to = [out, up, ahead], from the shoulder")
        check_times([key.time for key in self.hand.palm], duration, (name, "hand", "palm"))
        check_times([key.time for key in self.hand.shape], duration, (name, "hand", "shape"))
        check_steps([row.step(1.0) for row in self.foot.steps], duration, (name, "foot", "steps"))


# The file


@document(frozen=True)
class GestureFile:
    """A gesture as a file has it: seconds, degrees and metres of a figure 1.70 m tall."""

    duration: Annotated[float, number(0.0, LONGEST, "How long the gesture is, in seconds.", inside="least")]
    kind: Annotated[Literal["gesture"], Setting("The kind of file.")] = "gesture"
    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    loop: Annotated[Flag, Setting("Whether the end goes over into the start.")] = False
    torso: Annotated[TorsoTable, Setting("Curves of the torso.")] = TorsoTable()
    head: Annotated[HeadTable, Setting("Curves of the head.")] = HeadTable()
    eyes: Annotated[EyesTable, Setting("Curves of the eyes.")] = EyesTable()
    hips: Annotated[HipsTable, Setting("Curves of the hips.")] = HipsTable()
    both: Annotated[SideTable | None, Setting("Left and right at once, mirrored; it excludes left and right.")] = None
    left: Annotated[SideTable | None, Setting("The left arm, hand, shoulder and foot.")] = None
    right: Annotated[SideTable | None, Setting("The right arm, hand, shoulder and foot.")] = None

    def __post_init__(self) -> None:
        for name in SIDES:
            if self.both is not None and getattr(self, name) is not None:
                raise error_at((name,), "a side beside both", "either [both] or [left] and [right]")
        for name in ("both", *SIDES):
            own: SideTable | None = getattr(self, name)
            if own is not None:
                own.check(self.duration, self.loop, name)
        for place, curve in self._curves():
            check_within(curve.times, self.duration, place)

    def gesture(self, name: str, source: Source) -> Gesture:
        """The gesture: radians, metres, left and right."""
        sides = {side: own for side in SIDES if (own := self.both or getattr(self, side)) is not None}
        arms = {
            side: Keypoints(tuple(key.keypoint(side) for key in own.keys), KEY_RATE, f"{side}Arm")
            for side, own in sides.items()
            if own.keys
        }
        curves = {
            f"{part}.{name}": curve for part in BODY for name, curve in scaled_curves(getattr(self, part)).items()
        }
        for side, own in sides.items():
            curves |= {f"{side}.hand.{shape}": curve for shape, curve in own.hand.shape_curves().items()}
            for part in SIDE:
                own_curves = scaled_curves(getattr(own, part))
                curves |= {f"{side}.{part}.{name}": curve for name, curve in own_curves.items()}
        return Gesture(
            name,
            self.duration,
            arms.get("left"),
            arms.get("right"),
            curves,
            {side: tuple(key.ease for key in own.keys) for side, own in sides.items() if own.keys},
            {side: tuple(key.palm(side) for key in own.hand.palm) for side, own in sides.items() if own.hand.palm},
            {
                side: tuple(row.step(_sign(side) if self.both is not None else 1.0) for row in own.foot.steps)
                for side, own in sides.items()
                if own.foot.steps
            },
            self.loop,
            self.about,
            source,
            tuple(dict.fromkeys(referent for side, own in sides.items() for referent in own.referents(side))),
        )

    def _curves(self) -> Iterator[tuple[tuple[str, ...], Curve]]:
        """Every curve with its place in the file."""
        for part in BODY:
            for name, _, curve in table_curves(getattr(self, part)):
                yield (part, name), curve
        for side in ("both", *SIDES):
            for part in SIDE if getattr(self, side) is not None else ():
                for name, _, curve in table_curves(getattr(getattr(self, side), part)):
                    yield (side, part, name), curve


def table_curves(table: Any) -> Iterator[tuple[str, ChannelKeys, Curve]]:
    """Name, annotation and curve of each channel in a table that has keys."""
    kind: Any = type(table)
    for field in fields(table):
        curve = getattr(table, field.name)
        if isinstance(curve, Curve):
            setting = setting_of(hints_of(kind)[field.name])
            assert isinstance(setting, ChannelKeys)
            yield field.name.rstrip("_"), setting, curve


def scaled_curves(table: object) -> dict[str, Curve]:
    """The curves of a table by name, in radians and metres."""
    return {
        name: curve if setting.scale == 1.0 else Curve(curve.times, tuple(setting.scale * v for v in curve.values))
        for name, setting, curve in table_curves(table)
    }


def _sign(side: str) -> float:
    return 1.0 if side == "left" else -1.0


def load_gesture(path: str | PathLike[str]) -> Gesture:
    """Read a gesture. Anything wrong raises ``MotionFileError`` with its field."""
    file = Path(path)
    return gesture_from_table(read_table(file, "a gesture in TOML"), file, file.stem.replace("_", " "))


def gesture_from_table(table: dict[str, Any], path: Path, name: str) -> Gesture:
    """The gesture of a file's table."""
    file = read_document(GestureFile, table, path)
    try:
        return file.gesture(name, Source(path=str(path), format="gesture"))
    except ValueError as error:
        raise MotionFileError(path, str(error), "parts that fit together") from None
