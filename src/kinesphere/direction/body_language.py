"""Body language of words: posture, gaze, rhythm and steps, beside Effort and Shape.

A word's posture is held while it lasts: it comes with the phrase and goes with it. Rhythms are named waves and accents
of the whole body (``rhythms.toml``), the gaze is held somewhere, goes aside, or is on the hand's goal; a step opens or
closes the stance, and is taken back at the end. Words add up.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator

from kinesphere.engine.phrases import leading_side
from kinesphere.engine.proportions import LEG
from kinesphere.engine.recruitment import channels_of
from kinesphere.laban.effort_parameters import effort_model
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import Numbers, Real, Setting, document, error_at, number
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import ANGLE, CHANNELS, MOST
from kinesphere.motion.phrase import Phrase

LOOK_HEAD = 0.65  # of a look that the head takes; the eyes take the rest


def in_engine_units(name: str, value: float) -> float:
    """A channel's value, degrees or metres as written, in radians, and in leg lengths of the hips."""
    channel = channels_of(name)[0]
    if CHANNELS[channel] == ANGLE:
        return math.radians(value)
    return value / LEG if channel in ("hips.x", "hips.y", "hips.z") else value


class Rhythm(NamedTuple):
    """A named wave or accent: its kind of drive, what moves at full, and its timing."""

    kind: str
    channels: Mapping[str, float]
    timing: Mapping[str, float]


@lru_cache(maxsize=1)
def rhythms() -> Mapping[str, Rhythm]:
    """The rhythms of ``rhythms.toml`` by name."""
    file = files("kinesphere.direction") / "rhythms.toml"
    made = {}
    for name, row in tomllib.loads(file.read_text(encoding="utf-8")).items():
        channels = {own: in_engine_units(key, v) for key, v in row["channels"].items() for own in channels_of(key)}
        made[name] = Rhythm(row["kind"], channels, row["timing"])
    return MappingProxyType(made)


def check_posture(given: Mapping[str, float]) -> Mapping[str, float]:
    """Posture, or the error that says which channel is wrong."""
    for name, value in given.items():
        channel = channels_of(name)[0]
        if channel not in CHANNELS:
            raise error_at((name,), repr(name), "a channel of the body, such as head_nod, arm_out or hips_y")
        most = math.degrees(MOST[ANGLE]) if CHANNELS[channel] == ANGLE else MOST[CHANNELS[channel]]
        if not abs(value) <= most:
            raise error_at((name,), f"{value:g}", f"at most {most:.4g}")
    return MappingProxyType(dict(given))


def check_rhythm(given: Mapping[str, float]) -> Mapping[str, float]:
    """Rhythms, or the error that says which is unknown."""
    for name in given:
        if name not in rhythms():
            raise error_at((name,), repr(name), f"one of {', '.join(rhythms())}")
    return MappingProxyType(dict(given))


@document(frozen=True)
class BodyLanguage:
    """What a body does with a word, beside Effort and Shape. What is left out is neutral."""

    posture: Annotated[
        Mapping[str, Real],
        AfterValidator(check_posture),
        Setting("Channels of the body and how far: degrees, metres, shares; arm_, hand_ and foot_ of both sides."),
    ] = field(default_factory=dict)
    rhythm: Annotated[
        Mapping[str, Real],
        AfterValidator(check_rhythm),
        Setting("Waves and accents of the body, and how much of each."),
    ] = field(default_factory=dict)
    look: Annotated[
        tuple[float, float],
        Numbers("Where the gaze is held: degrees away from the acting hand, and down.", least=-90, most=90, count=2),
    ] = (0.0, 0.0)
    attention: Annotated[float, number(-1.0, 1.0, "How far the gaze is on the hand's goal.")] = 0.0
    glance: Annotated[float, number(0.0, 60.0, "Degrees that the gaze goes aside now and then.")] = 0.0
    step: Annotated[
        tuple[float, float],
        Numbers("A step: metres out, and ahead; below zero in, and back.", least=-0.6, most=0.6, count=2),
    ] = (0.0, 0.0)

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self == BodyLanguage()

    def drives(self, phrase: Phrase, amount: Floats) -> Iterator[Drive]:
        """The drives that it asks of a phrase, at an amount: a number, or a curve over the phrase's own time."""
        held: dict[str, float] = {}
        for name, value in self.posture.items():
            for channel in channels_of(name):
                held[channel] = held.get(channel, 0.0) + in_engine_units(name, value)
        for channel, value in self._look(phrase):
            held[channel] = held.get(channel, 0.0) + value
        if held:
            yield Drive("hold", amount, held)
        for name, size in self.rhythm.items():
            rhythm = rhythms()[name]
            yield Drive(rhythm.kind, size * amount, rhythm.channels, rhythm.timing)
        if self.attention > 0.0:
            yield Drive("attention", np.clip(self.attention * amount, 0.0, 1.0), {}, _timing("attention"))
        if self.glance:
            yield Drive("glance", math.radians(self.glance) * amount, {}, _timing("glance"))

    def _look(self, phrase: Phrase) -> Iterator[tuple[str, float]]:
        aside, down = (math.radians(value) for value in self.look)
        away = -1.0 if leading_side(phrase) == "left" else 1.0
        yield "head.turn", LOOK_HEAD * away * aside
        yield "eyes.turn", (1.0 - LOOK_HEAD) * away * aside
        yield "head.nod", LOOK_HEAD * down
        yield "eyes.lift", -(1.0 - LOOK_HEAD) * down


def _timing(kind: str) -> dict[str, float]:
    names = (name for name in effort_model().coefficients if name.startswith(f"{kind}_timing."))
    return {name.partition(".")[2]: effort_model()[name] for name in names}


def _within(name: str, value: float) -> float:
    """A posture's value within what its channel may be."""
    kind = CHANNELS[channels_of(name)[0]]
    most = math.degrees(MOST[kind]) if kind == ANGLE else MOST[kind]
    return float(np.clip(value, -most, most))


def add_body_language(rows: Mapping[str, Any], own: BodyLanguage, strength: float) -> dict[str, Any]:
    """The fields of a body language with another one added at a strength; ``rows`` may be empty."""
    made: dict[str, Any] = dict(rows)
    for name in ("posture", "rhythm"):
        total = dict(made.get(name, {}))
        for key, value in getattr(own, name).items():
            total[key] = (
                _within(key, total.get(key, 0.0) + strength * value)
                if name == "posture"
                else (total.get(key, 0.0) + strength * value)
            )
        made[name] = total
    for name in ("look", "step"):
        before = made.get(name, (0.0, 0.0))
        most = 90.0 if name == "look" else 0.6
        both = zip(before, getattr(own, name), strict=True)
        made[name] = tuple(float(np.clip(a + strength * b, -most, most)) for a, b in both)
    made["attention"] = float(np.clip(made.get("attention", 0.0) + strength * own.attention, -1.0, 1.0))
    made["glance"] = float(np.clip(made.get("glance", 0.0) + strength * own.glance, 0.0, 60.0))
    return made
