"""Gestures: key points of the hands, and one curve per channel for the rest of the body.

Arms are key points, goals and vias, so that a performance may re-time and re-shape them. Everything else follows
*curves*: curves over seconds, in radians and metres. ``CHANNELS`` lists them.

All are documents (``motion.document``): validated when made, and read from JSON by ``read_document``. JSON has a key as
``[frame, x, y, z, swivel, "goal" or "via", "local" or "global"]``, a curve as a list of ``[time, value]``, a palm as
``[time, direction or null]`` and a step as ``[lift, land, x, z, turn]``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from kinesphere.motion.document import (
    Choice,
    Flag,
    JsonSchema,
    Numbers,
    Setting,
    Text,
    Unwritten,
    document,
    error_at,
    number,
    show_value,
)
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import Referent
from kinesphere.motion.rows import Listed, Row
from kinesphere.motion.source import Source

MOST_KEYS = 100_000  # entries of one list
SLACK = 1e-9  # seconds by which a time may be beyond the end


class Stop(StrEnum):
    """Whether the hand comes to rest at a key or passes through."""

    GOAL = "goal"
    VIA = "via"


class Space(StrEnum):
    """Relative to the shoulder in the chest's frame, or fixed in the world."""

    LOCAL = "local"
    GLOBAL = "global"


@document(frozen=True)
class Keypoint(Row):
    """One key: metres, Y up, facing +Z, left +X; swivel in radians."""

    FORM = "[frame, x, y, z, swivel, goal or via, local or global]"
    SPREAD = MappingProxyType({"position": 3})

    frame: Annotated[float, number(about="When, in frames.")]
    position: Annotated[
        tuple[float, float, float], Numbers("Where the wrist is, in metres.", count=3, form="[x, y, z] in metres")
    ]
    swivel: Annotated[float, number(about="The elbow on its circle, in radians.")] = 0.0
    stop: Annotated[Stop, Setting("Whether the hand stops here, goal, or passes, via.")] = Stop.GOAL
    space: Annotated[Space, Setting("From the shoulder in the chest's frame, local, or in the world, global.")] = (
        Space.LOCAL
    )


@document(frozen=True)
class Keypoints:
    """The keys of one limb, in time.

    ``rate`` is how many of the keys' frames make a second. ``locked`` keys keep their times whatever the Effort.
    """

    keys: Annotated[tuple[Keypoint, ...], Field(max_length=MOST_KEYS), Setting("The keys, in time.")]
    rate: Annotated[float, number(0.0, about="How many of the keys' frames make a second.", inside="least")] = 30.0
    part: Annotated[str, Choice("The limb.", choices=("leftArm", "rightArm"))] = "rightArm"
    locked: Annotated[Flag, Setting("Whether the keys keep their times whatever the Effort.")] = False
    source: Annotated[Source, Unwritten()] = field(default_factory=Source)

    def __post_init__(self) -> None:
        if not self.keys:
            raise error_at(("keys",), "no key", "one key at least")
        check_increasing([key.frame for key in self.keys], ("keys",), "frame ", "frames")

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return (self.keys[-1].frame - self.keys[0].frame) / self.rate


# The relaxed arm, where a hand is that no key asks for

FIGURE_HEIGHT = 1.70  # metres: key points and curves are for a figure this tall
RESTING_WRIST = (0.066, -0.5295, 0.038)  # out, up, ahead of the shoulder: a little off the body, elbow not locked
RESTING_SWIVEL = math.radians(38.0)  # elbows point back and somewhat out


def resting_wrist(side: str, height: float = FIGURE_HEIGHT) -> tuple[float, float, float]:
    """Position of a relaxed arm's wrist from its shoulder, in metres."""
    out, up, ahead = (height / FIGURE_HEIGHT * value for value in RESTING_WRIST)
    return (out if side == "left" else -out, up, ahead)


def resting_swivel(side: str) -> float:
    """Swivel of a relaxed arm, in radians."""
    return RESTING_SWIVEL if side == "left" else -RESTING_SWIVEL


# Gestures

LONGEST = 600.0  # seconds
SHAPES = ("relaxed", "open", "fist", "pointing", "closed", "thumb out", "cupped", "claw", "grip")
ANGLE, METRES, SHARE = "angle", "metres", "share"
_BODY = {
    "torso": {"forward": ANGLE, "side": ANGLE, "turn": ANGLE, "breath": SHARE},
    "head": {"nod": ANGLE, "tilt": ANGLE, "turn": ANGLE},
    "eyes": {"turn": ANGLE, "lift": ANGLE},
    "hips": {"x": METRES, "y": METRES, "z": METRES, "turn": ANGLE, "tilt": ANGLE, "lean": ANGLE, "heading": ANGLE},
}
_SIDE = {
    "arm": {"out": METRES, "up": METRES, "ahead": METRES, "swivel": ANGLE},
    "clavicle": {"raise": ANGLE, "forward": ANGLE},
    "hand": {"bend": ANGLE, "aside": ANGLE, "roll": ANGLE, "loose": SHARE} | dict.fromkeys(SHAPES[1:], SHARE),
    "foot": {"peel": ANGLE},
}


def _channels() -> dict[str, str]:
    parts = dict(_BODY) | {f"{side}.{part}": rows for side in SIDES for part, rows in _SIDE.items()}
    return {f"{part}.{name}": kind for part, rows in parts.items() for name, kind in rows.items()}


# Channel to its unit. Forward, nod: down; side, tilt, turn: to the left; breath: how far the surface of ribs and
# belly swells, 1 at ease; arm: how far a hand without keys is from where it hangs, and its elbow out; hips: metres to
# the left, up, ahead, tilt: the left side down, and heading: how far the whole body has turned, spine and head with it;
# hand: bend to the palm, aside to the thumb, roll: thumb inwards.
CHANNELS: Mapping[str, str] = MappingProxyType(_channels())
MOST = MappingProxyType({ANGLE: math.pi, METRES: 3.0, SHARE: 2.0})  # largest absolute value of a channel


@document(frozen=True)
class Curve(Listed):
    """One curve: values at times, smooth between, held before the first and after the last."""

    FORM = "a list of keys in brackets, such as [[0.5, 10]]"

    times: Annotated[tuple[float, ...], Numbers("Times, increasing.", longest=MOST_KEYS)]
    values: Annotated[tuple[float, ...], Numbers("The values at these times.", longest=MOST_KEYS)]

    def __post_init__(self) -> None:
        if not self.times or len(self.times) != len(self.values):
            found = f"{len(self.times)} times and {len(self.values)} values"
            raise error_at((), found, "as many values as times, and one at least")
        check_increasing(self.times, ("times",))

    @classmethod
    def from_list(cls, given: list[Any]) -> dict[str, Any]:
        """Times and values of a list of ``[time, value]``."""
        if not given or len(given) > MOST_KEYS:
            raise error_at((), f"{len(given) or 'no'} keys", f"one key at least, and at most {MOST_KEYS}")
        for i, row in enumerate(given):
            if not isinstance(row, list) or len(row) != 2:
                raise error_at((i,), show_value(row), "a key in brackets, such as [0.5, 10]")
            for entry in row:
                if isinstance(entry, bool) or not isinstance(entry, int | float) or not _is_finite(entry):
                    raise error_at((i,), show_value(entry), "two finite numbers, a time and a value")
        times = [row[0] for row in given]
        check_increasing(times, ())
        return {"times": times, "values": [row[1] for row in given]}

    def to_plain(self) -> list[Any]:
        return [list(row) for row in zip(self.times, self.values, strict=True)]

    @classmethod
    def list_schema(cls, entries: Mapping[str, JsonSchema]) -> JsonSchema:
        cells = [{"type": "number", "title": name} for name in ("time", "value")]
        row = {"type": "array", "prefixItems": cells, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": row, "minItems": 1, "maxItems": MOST_KEYS}


@document(frozen=True)
class Palm(Row):
    """Palm direction in the chest's frame at a time; None is relaxed. The forearm rolls as far as that needs."""

    FORM = "[time, direction or null]"

    time: Annotated[float, number(about="When, in seconds.")]
    direction: Annotated[
        Annotated[tuple[float, float, float], Numbers(count=3, form="[x, y, z], or null")] | None,
        Setting("Where the palm faces, in the chest's frame; null is relaxed."),
    ] = None

    def __post_init__(self) -> None:
        if self.direction is not None and math.hypot(*self.direction) < 1e-6:
            raise error_at(("direction",), "what faces nowhere", "a direction other than zero")


@document(frozen=True)
class Step(Row):
    """A step of one foot: its new x and z in metres and its rotation to the left, from its rest position."""

    FORM = "[lift, land, x, z, turn]"

    lift: Annotated[float, number(about="When the foot lifts, in seconds.")]
    land: Annotated[float, number(about="When it lands.")]
    x: Annotated[float, number(about="Where it lands: metres to the left of its stance.")]
    z: Annotated[float, number(about="Metres ahead of its stance.")]
    turn: Annotated[float, number(about="Radians to the left of its stance.")] = 0.0

    def __post_init__(self) -> None:
        if self.land <= self.lift:
            raise error_at(("land",), f"{self.land:g} s", f"a time after it lifts, {self.lift:g} s")


Channel: TypeAlias = Annotated[str, Choice(choices=tuple(CHANNELS))]
Side: TypeAlias = Annotated[str, Choice(choices=SIDES)]
Share: TypeAlias = Annotated[
    tuple[float, ...], Numbers(least=0.0, most=1.0, inside="both", longest=MOST_KEYS, form="one number a key")
]


@document(frozen=True)
class Gesture:
    """A gesture: what a body does, without how it is performed.

    Parameters
    ----------
    name, duration
        Duration in seconds.
    left, right
        Key points of the wrists, for a figure 1.70 m tall; None leaves the arm relaxed.
    curves
        Channel to its curve; channels left out rest. See ``CHANNELS``.
    inflections
        For ``"left"`` and ``"right"``, one per key: when the stroke to it is fastest, as a share of its duration.
    palms
        For ``"left"`` and ``"right"``, palm directions at some times; between them the forearm rolls evenly.
    steps
        For ``"left"`` and ``"right"``, the steps of that foot. Without any it stays in contact.
    loop
        Whether the end goes over into the start.
    referents
        What hands are marked to keep; what the gesture implies is kept as well.
    """

    name: Annotated[Text, Setting("What it is called.")]
    duration: Annotated[float, number(0.0, LONGEST, "Seconds that it lasts.", inside="least")]
    left: Annotated[Keypoints | None, Setting("Key points of the left wrist.")] = None
    right: Annotated[Keypoints | None, Setting("Key points of the right wrist.")] = None
    curves: Annotated[Mapping[Channel, Curve], Setting("Curves by channel, [time, value]; angles in radians.")] = field(
        default_factory=dict
    )
    inflections: Annotated[
        Mapping[Side, Share], Setting("For each key of a side, when the stroke to it is fastest, as a share.")
    ] = field(default_factory=dict)
    palms: Annotated[
        Mapping[Side, Annotated[tuple[Palm, ...], Field(max_length=MOST_KEYS)]],
        Setting("Palm directions of a side's hand."),
    ] = field(default_factory=dict)
    steps: Annotated[
        Mapping[Side, Annotated[tuple[Step, ...], Field(max_length=MOST_KEYS)]], Setting("Steps of a side's foot.")
    ] = field(default_factory=dict)
    loop: Annotated[Flag, Setting("Whether the end goes over into the start.")] = False
    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    source: Annotated[Source, Unwritten()] = field(default_factory=Source)
    referents: Annotated[
        tuple[Referent, ...], Field(max_length=MOST_KEYS), Setting("What hands keep, beside what is found.")
    ] = ()

    def __post_init__(self) -> None:
        for channel, curve in self.curves.items():
            self._check_curve(channel, curve)
        for side in SIDES:
            self._check_arm(side)
        for name, palms in self.palms.items():
            check_times([palm.time for palm in palms], self.duration, ("palms", name))
        for name, steps in self.steps.items():
            check_steps(steps, self.duration, ("steps", name))
        for i, referent in enumerate(self.referents):
            check_time(referent.end, self.duration, ("referents", i, "end"))
        for name in ("curves", "inflections", "palms", "steps"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def arm(self, side: str) -> Keypoints | None:
        """The key points of one side."""
        return self.left if side == "left" else self.right

    def _check_curve(self, channel: str, curve: Curve) -> None:
        check_within(curve.times, self.duration, ("curves", channel))
        most = MOST[CHANNELS[channel]]
        for i, value in enumerate(curve.values):
            if abs(value) > most:
                raise error_at(("curves", channel, i), f"{value:g} at {curve.times[i]:g} s", f"at most {most:.4g}")

    def _check_arm(self, side: str) -> None:
        arm = self.arm(side)
        if arm is None:
            return
        for i in (0, len(arm.keys) - 1):  # frames increase
            check_time(arm.keys[i].frame / arm.rate, self.duration, (side, "keys", i))
        for i, key in enumerate(arm.keys if self.loop else ()):
            if key.space == Space.GLOBAL:
                raise error_at((side, "keys", i), "a global key in a loop", "local keys, from the shoulder")
        given = self.inflections.get(side)
        if given is not None and len(given) != len(arm.keys):
            found = f"{len(given)} of them"
            raise error_at(("inflections", side), found, f"one a key, {len(arm.keys)}")


# Times, checked for the documents above and for files of gestures

Place: TypeAlias = Sequence[int | str]


def check_increasing(times: Sequence[float], place: Place, unit: str = "", what: str = "times") -> None:
    """Refuse times that don't increase; ``place`` is the list's."""
    for i, (before, after) in enumerate(zip(times[:-1], times[1:], strict=True), 1):
        if after <= before:
            raise error_at((*place, i), f"{unit}{after:g} after {unit}{before:g}", f"{what} that increase")


def check_time(time: float, duration: float, place: Place) -> None:
    """Refuse a time before the start or after the end."""
    if not 0.0 <= time <= duration + SLACK:
        raise error_at(place, f"{time:g} s", f"times from 0 to the duration, {duration:g} s")


def check_within(times: Sequence[float], duration: float, place: Place) -> None:
    """Refuse times before the start or after the end, of a list of which it is known that they increase."""
    for i in (0, len(times) - 1) if times else ():
        if not 0.0 <= times[i] <= duration + SLACK:
            wrong = next(j for j, time in enumerate(times) if not 0.0 <= time <= duration + SLACK)
            check_time(times[wrong], duration, (*place, wrong))


def check_times(times: Sequence[float], duration: float, place: Place) -> None:
    """Refuse times that don't increase, are before the start or after the end."""
    check_increasing(times, place)
    check_within(times, duration, place)


def check_steps(steps: Sequence[Step], duration: float, place: Place) -> None:
    """Refuse steps of a foot that lift before the one before has landed, and such that land after the end."""
    for i, step in enumerate(steps):
        check_time(step.lift, duration, (*place, i))
        check_time(step.land, duration, (*place, i))
        if i and step.lift < steps[i - 1].land - SLACK:
            found = f"lifting at {step.lift:g} s before landing at {steps[i - 1].land:g} s"
            raise error_at((*place, i), found, "steps that follow each other")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond floating point
        return False
