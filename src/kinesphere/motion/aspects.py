"""Aspects: the single things about a movement that properties ask for, each with its range and how properties combine.

An aspect has a name and a neutral value. ``torso.forward`` is a channel to which is added, ``stroke.duration`` a factor
of how long strokes take, ``delay`` seconds that a joint comes later. What a movement property asks for is a *claim*
of one aspect (``motion.claim``). Channels, strokes, overlays and drives are written into a phrase before it is
generated; ``SHAPING`` is done to what was generated (``engine.shaping``).
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gait import FACTOR, GAIT_OVERLAYS
from kinesphere.motion.gesture import CHANNELS, MOST
from kinesphere.motion.phrase import LARGEST_OVERLAY, OVERLAYS, STROKE_RANGES, STROKES, part_of_channel


class Combine(StrEnum):
    """What becomes of an aspect that several properties set."""

    ADD = "add"
    MULTIPLY = "multiply"
    OVERRIDE = "override"  # the one of the highest rank
    COLLECT = "collect"  # all of them, one by one


class Aspect(NamedTuple):
    """One thing about a movement."""

    name: str
    neutral: float
    least: float
    most: float
    unit: str
    about: str
    combine: Combine = Combine.ADD
    by_joint: bool = False  # whether each joint has a value of its own
    shaping: bool = True  # whether it is done to what was generated
    values: bool = True  # whether its values are numbers


# What is done to a generated motion.
SHAPING = MappingProxyType(
    {
        own.name: own
        for own in (
            Aspect("delay", 0.0, -5.0, 5.0, "s", "that a joint moves later than the body", by_joint=True),
            Aspect(
                "envelope", 0.0, 0.0, 0.0, "", "how a joint goes from the start to the end of a stroke",
                Combine.OVERRIDE, True, values=False,
            ),
            Aspect("complete", 1.0, 0.0, 1.0, "", "of its way that a stroke goes", Combine.MULTIPLY, True),
            Aspect("hold", 0.0, 0.0, 0.0, "", "a moment at which it is held", Combine.COLLECT, values=False),
            Aspect("tremble", 0.0, 0.0, 0.5, "rad", "that a joint trembles", by_joint=True),
            Aspect("tremble_rate", 7.0, 2.0, 14.0, "Hz", "of trembling", Combine.OVERRIDE, True),
            Aspect("tension", 0.0, -1.0, 1.0, "", "of muscles: loose below zero, tight above", by_joint=True),
            Aspect("amplitude", 1.0, 0.0, 3.0, "", "of how far a joint departs from its mean", Combine.MULTIPLY, True),
            *(
                Aspect(f"{side}.extent", 0.0, -1.0, 1.0, "", "of a hand from the body: near below zero, far above")
                for side in ("left", "right")
            ),
            *(
                Aspect(f"{side}.reach", 0.0, -0.6, 0.6, "arms", "that a hand goes farther from its shoulder")
                for side in ("left", "right")
            ),
            *(
                Aspect(f"{side}.hung.{axis}", 0.0, -1.0, 1.0, "arms", f"that a hanging hand is carried {axis}")
                for side in ("left", "right")
                for axis in ("out", "up", "ahead")
            ),
            *(
                Aspect(f"{side}.hung.swivel", 0.0, -1.6, 1.6, "rad", "that the elbow of a hanging hand is out")
                for side in ("left", "right")
            ),
            *(
                Aspect(f"{side}.touch", 0.0, -1.0, 1.0, "", "of how a hand comes and goes: light below zero")
                for side in ("left", "right")
            ),
            *(
                Aspect(f"{side}.arc", 0.0, -1.0, 1.0, "", "of a hand's ways between stops: straight below zero")
                for side in ("left", "right")
            ),
            *(
                Aspect(f"spine.{segment}.{axis}", 0.0, -1.0, 1.0, "rad", f"that the {segment} spine bends")
                for segment in ("lower", "middle", "upper")
                for axis in ("forward", "side", "turn")
            ),
            *(
                Aspect(f"balance.{axis}", 0.0, -2.5, 2.5, "", "of half the support, by which the centre of mass moves")
                for axis in ("x", "z")
            ),
            Aspect("balance.step", 0.0, 0.0, 1.0, "", "whether a foot steps out below it", Combine.OVERRIDE),
            Aspect("neck.forward", 0.0, -1.0, 1.0, "rad", "that the neck bends, while the head stays upright"),
            Aspect("lean", 0.0, -1.0, 1.0, "", "that the body leans to something, below zero away"),
            Aspect("lean.to", 0.0, 0.0, 0.0, "", "what the body leans to", Combine.OVERRIDE, values=False),
            Aspect("gaze", 0.0, 0.0, 0.0, "", "what is looked at", Combine.OVERRIDE, values=False),
        )
    }
)  # fmt: skip

# How a body stands that makes gestures; recorded feet stay where they are.
FOOTING = MappingProxyType(
    {
        own.name: own
        for own in (
            Aspect("footing.apart", 0.0, -0.15, 0.5, "leg lengths", "that feet stand farther apart", shaping=False),
            Aspect("footing.ahead", 0.0, -0.4, 0.4, "leg lengths", "that the left foot is ahead", shaping=False),
            Aspect("footing.out", 0.0, -0.6, 0.8, "rad", "that feet are turned out more", shaping=False),
        )
    }
)

LASTS = Aspect("lasts", 0.0, 0.0, 600.0, "s", "that a stretch takes in all", Combine.OVERRIDE, shaping=False)


@cache
def aspect(name: str) -> Aspect:
    """The aspect of that name; an unknown one is refused with the nearest names."""
    if name in SHAPING:
        return SHAPING[name]
    if name in FOOTING:
        return FOOTING[name]
    if name == LASTS.name:
        return LASTS
    if name in GAIT_OVERLAYS:
        row = GAIT_OVERLAYS[name]
        combine = Combine.MULTIPLY if row.unit == FACTOR else Combine.ADD
        return Aspect(name, row.neutral, row.least, row.most, row.unit, row.about, combine, row.part == "arm", False)
    if name in CHANNELS:
        most = MOST[CHANNELS[name]]
        return Aspect(name, 0.0, -most, most, CHANNELS[name], "added to a channel", shaping=False)
    if name == "drive":
        return Aspect(name, 0.0, 0.0, 0.0, "", "how the body takes part", Combine.COLLECT, shaping=False, values=False)
    kind, _, rest = name.partition(".")
    if kind == "stroke" and rest in STROKES:
        combine = Combine.MULTIPLY if rest in ("duration", "time_exponent") else Combine.ADD
        least, most = STROKE_RANGES[rest]
        return Aspect(name, STROKES[rest], least, most, "", "of strokes", combine, True, False)
    if kind == "overlay" and rest in OVERLAYS:
        return Aspect(
            name, OVERLAYS[rest], -LARGEST_OVERLAY, LARGEST_OVERLAY, "", "of an arm", Combine.ADD, True, False
        )
    raise ValueError(unknown_name("aspect", name, aspect_names()))


@cache
def aspect_names() -> tuple[str, ...]:
    """All names."""
    strokes, overlays = (f"stroke.{name}" for name in STROKES), (f"overlay.{name}" for name in OVERLAYS)
    return (*SHAPING, *FOOTING, LASTS.name, *GAIT_OVERLAYS, *CHANNELS, *strokes, *overlays, "drive")


def part_of_aspect(name: str) -> str:
    """The part of the body that an aspect belongs to that has no joints of its own; else the whole body's."""
    if name in CHANNELS:
        return part_of_channel(name)
    if name in GAIT_OVERLAYS:
        return GAIT_OVERLAYS[name].part
    first = name.partition(".")[0]
    parts = {
        "spine": "torso",
        "lean": "torso",
        "neck": "head",
        "left": "left_arm",
        "right": "right_arm",
        "balance": "hips",
        "gaze": "gaze",
        "footing": "legs",
    }
    return parts.get(first, "body")
