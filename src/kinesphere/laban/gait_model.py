"""Effort and Shape to a walk's overlays: coefficients by element and attitude, from a TOML file.

Each overlay's coefficients add up, those of factors multiply; what exceeds full dials counts less, and the largest and
smallest values are approached softly. So a dial moves its overlays in one direction only, and nothing is broken by many
of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import numpy as np

from kinesphere.laban.effort import FACTORS
from kinesphere.laban.shape import DIMENSIONS
from kinesphere.motion.document import Setting, Text, describe_choices, document, number, read_document
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gait import FACTOR, GAIT_OVERLAYS
from kinesphere.motion.gesture import ANGLE, CHANNELS, MOST
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.toml_text import parse_toml, read_table

Values: TypeAlias = Any  # one number, or a curve (N,) over the phrase's own time
DEFAULT = "default"
STRAIGHT = 0.55  # share of the way to a limit up to which coefficients count in full
SMALLEST = 0.02  # of a factor
_BUILTIN = files("kinesphere.laban") / "gaits"
_EXPECTED = "a model of walks in TOML"
_SIDED = ("clavicle", "foot")
# The two ends of each factor and dimension, as combined dials have them.
EFFORT_ENDS, SHAPE_ENDS = tuple(FACTORS.values()), tuple(DIMENSIONS.values())
ELEMENTS = tuple(name for ends in (*EFFORT_ENDS, *SHAPE_ENDS) for name in ends)
Coefficient: TypeAlias = Annotated[float, number(-100.0, 100.0)]


@document(frozen=True)
class GaitCoefficients:
    """What elements and attitudes make of one overlay, each at full strength; angles in degrees."""

    indirect: Annotated[Coefficient | None, Setting("The part of indirect.")] = None
    direct: Annotated[Coefficient | None, Setting("The part of direct.")] = None
    light: Annotated[Coefficient | None, Setting("The part of light.")] = None
    strong: Annotated[Coefficient | None, Setting("The part of strong.")] = None
    sustained: Annotated[Coefficient | None, Setting("The part of sustained.")] = None
    sudden: Annotated[Coefficient | None, Setting("The part of sudden.")] = None
    free: Annotated[Coefficient | None, Setting("The part of free.")] = None
    bound: Annotated[Coefficient | None, Setting("The part of bound.")] = None
    spreading: Annotated[Coefficient | None, Setting("The part of spreading.")] = None
    enclosing: Annotated[Coefficient | None, Setting("The part of enclosing.")] = None
    rising: Annotated[Coefficient | None, Setting("The part of rising.")] = None
    sinking: Annotated[Coefficient | None, Setting("The part of sinking.")] = None
    advancing: Annotated[Coefficient | None, Setting("The part of advancing.")] = None
    retreating: Annotated[Coefficient | None, Setting("The part of retreating.")] = None
    near: Annotated[Coefficient | None, Setting("The part of near.")] = None
    far: Annotated[Coefficient | None, Setting("The part of far.")] = None
    tempo: Annotated[Coefficient | None, Setting("The power of a word's tempo that a factor takes.")] = None
    least: Annotated[Coefficient | None, Setting("The smallest value, approached softly.")] = None
    most: Annotated[Coefficient | None, Setting("The largest value, approached softly.")] = None


Tables: TypeAlias = dict[str, GaitCoefficients]


@document(frozen=True)
class GaitModelFile:
    """A model of walks as a file has it: a table for every overlay and channel."""

    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    beyond: Annotated[float, number(0.0, 1.0, "Share of what exceeds full dials that counts.")] = 0.5
    quickest: Annotated[float, number(1.0, 3.0, "The greatest speed, as a factor; beyond, strides are shorter.")] = 1.6
    gait: Annotated[Tables, Setting("Overlays of the walk.")] = field(default_factory=dict)
    hips: Annotated[Tables, Setting("Channels of the hips.")] = field(default_factory=dict)
    torso: Annotated[Tables, Setting("Channels of the torso.")] = field(default_factory=dict)
    head: Annotated[Tables, Setting("Channels of the head.")] = field(default_factory=dict)
    eyes: Annotated[Tables, Setting("Channels of the eyes.")] = field(default_factory=dict)
    clavicle: Annotated[Tables, Setting("Channels of both shoulders.")] = field(default_factory=dict)
    foot: Annotated[Tables, Setting("Channels of both feet.")] = field(default_factory=dict)


@dataclass(frozen=True)
class GaitRow:
    """One overlay's coefficients in its own unit: radians, leg lengths, shares, or logarithms of factors."""

    name: str  # of an overlay, or of a channel
    arm: bool  # whether either arm has its own
    factor: bool
    parts: tuple[tuple[str, float], ...]  # element to its part
    tempo: float
    least: float
    most: float

    def value(self, amounts: Mapping[str, Values], tempo: Values = 1.0, beside: Values = 0.0) -> Values:
        """The overlay under these amounts of elements, each from 0, with what others add ``beside``; within limits."""
        total: Values = beside
        for element, part in self.parts:
            amount = amounts[element]
            if isinstance(amount, float):
                total = total + part * amount if amount else total
            else:
                total = total + part * amount
        if self.tempo and not (isinstance(tempo, float) and tempo == 1.0):
            total = total + self.tempo * (math.log(tempo) if isinstance(tempo, float) else np.log(tempo))
        if isinstance(total, float):  # one number for all the time, as a rule
            limited = approach_number(total, self.most) if total >= 0.0 else -approach_number(-total, -self.least)
            return math.exp(limited) if self.factor else limited
        above, below = np.maximum(total, 0.0), np.maximum(-total, 0.0)
        limited = approach(above, self.most) - approach(below, -self.least)
        return np.exp(limited) if self.factor else limited


def approach_number(amount: float, room: float) -> float:
    """``approach`` of one number: NumPy takes ten times as long for one."""
    if room <= 0.0 or amount == 0.0:
        return 0.0
    share = amount / room
    over = max(share - STRAIGHT, 0.0)
    return room * (min(share, STRAIGHT) + (1.0 - STRAIGHT) * math.tanh(over / (1.0 - STRAIGHT)))


def approach(amount: Values, room: float) -> Values:
    """An amount from 0 that comes softly to ``room``, which it does not exceed."""
    if room <= 0.0:
        return 0.0 * amount
    share = amount / room
    over = np.maximum(share - STRAIGHT, 0.0)
    return room * (np.minimum(share, STRAIGHT) + (1.0 - STRAIGHT) * np.tanh(over / (1.0 - STRAIGHT)))


@dataclass(frozen=True)
class GaitModel:
    """Coefficients of all overlays and channels."""

    name: str
    rows: tuple[GaitRow, ...]
    beyond: float
    quickest: float
    about: str = ""


def load_gait_model(path: str | Path) -> GaitModel:
    """A model of one's own from a TOML file."""
    file = Path(path)
    return _read_model(file, read_table(file, _EXPECTED))


@lru_cache
def gait_model(name: str = DEFAULT) -> GaitModel:
    """The model that comes with Kinesphere."""
    path = _BUILTIN / f"{name}.toml"
    return _read_model(Path(path.name), parse_toml(Path(path.name), path.read_bytes(), _EXPECTED))


def _read_model(path: Path, table: Mapping[str, Any]) -> GaitModel:
    file = read_document(GaitModelFile, table, path)
    rows: list[GaitRow] = []
    for group in (own.name for own in fields(file) if isinstance(getattr(file, own.name), Mapping)):
        for key, coefficients in getattr(file, group).items():
            names = [f"{side}.{group}.{key}" for side in SIDES] if group in _SIDED else [f"{group}.{key}"]
            rows += [_row(path, name, coefficients) for name in names]
    return GaitModel(path.stem, tuple(rows), file.beyond, file.quickest, file.about)


def _row(path: Path, name: str, given: GaitCoefficients) -> GaitRow:
    overlay = GAIT_OVERLAYS.get(name)
    if overlay is None and name not in CHANNELS:
        raise MotionFileError(path, "what no walk has", describe_choices(name, (*GAIT_OVERLAYS, *CHANNELS)), where=name)
    unit = overlay.unit if overlay is not None else CHANNELS[name]
    least, most = (overlay.least, overlay.most) if overlay is not None else (-MOST[unit], MOST[unit])
    degrees = unit == ANGLE

    def scale(value: float) -> float:
        if unit == FACTOR:
            return math.log(max(value, SMALLEST))
        return math.radians(value) if degrees else value

    least = least if given.least is None else math.radians(given.least) if degrees else given.least
    most = most if given.most is None else math.radians(given.most) if degrees else given.most
    parts = {name: getattr(given, name) for name in ELEMENTS}
    return GaitRow(
        name,
        overlay is not None and overlay.part == "arm",
        unit == FACTOR,
        tuple((element, scale(part)) for element, part in parts.items() if part is not None),
        given.tempo or 0.0,
        *((math.log(max(v, SMALLEST)) for v in (least, most)) if unit == FACTOR else (least, most)),
    )
