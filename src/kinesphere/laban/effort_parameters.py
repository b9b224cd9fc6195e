"""Effort to movement parameters: EMOTE's equations, with their coefficients from TOML files.

The equations are those of Chi (1999, *A Motion Control Scheme for Animating Expressive Arm Movements*, eqs. 4.11–4.24
and Table 4.1) and of Chi, Costa, Zhao and Badler (2000, *The EMOTE Model for Effort and Shape*, eqs. 16–24). The models
``chi1999`` and ``emote2000`` have the printed coefficients; ``default`` mends the corners where the printed ones break
(docs/effort-and-shape.md says where and why).

A model file may name another with ``like`` and give only what differs, so a character's own model is a few lines. Each
coefficient stands under its parameter's name, such as ``inflection.fighting``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeAlias

import numpy as np
from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import (
    Choice,
    Number,
    Setting,
    Text,
    describe_choices,
    document,
    error_at,
    expected_type,
    read_document,
    show_value,
)
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.toml_text import parse_toml, read_table

DEFAULT = "default"
_EXPECTED = "an Effort model in TOML"
_BUILTIN = files("kinesphere.laban") / "models"
_LARGEST = 100.0  # no coefficient is larger; a cap may be infinite

ELEMENTS = ("indirect", "light", "sustained", "free", "direct", "strong", "sudden", "bound")
POSTURE = (
    "hips_y hips_z hips_lean torso_forward torso_turn head_nod clavicle_raise clavicle_forward arm_out arm_up "
    "arm_ahead arm_swivel foot_peel hand_fist hand_open"
)

# Groups of coefficients: what they make, and their names.
GROUPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "tension": ("tension of the path, −1 round, 1 straight", "indirect indirect_and_free direct"),
        "inflection": (
            "when a stroke is fastest, as a share of its time",
            "neutral fighting indulging bound_and_light strong sudden light sustained bound least most",
        ),
        "anticipation": (
            "how far a stroke goes back before it begins",
            "strong sustained_and_strong free_and_strong sudden",
        ),
        "overshoot": ("how far a stroke goes beyond its goal", "indulging free indirect_and_free most"),
        "time_exponent": (
            "how uneven a stroke's speed is",
            "neutral sudden strong_and_sudden free_and_sudden slowing direct_plus_sustained direct_and_sustained free "
            "indirect_and_free least",
        ),
        "squash": ("how far the body squashes and stretches", "light free"),
        "wrist_bend": ("how far the wrist bends along the stroke", "indirect light free range"),
        "wrist_extension": ("how much of the wrist's bend is outwards", "light free strong_and_free"),
        "wrist_twist": ("turns of the forearm in radians", "indirect"),
        "wrist_frequency": ("half waves of the forearm's turns in a stroke", "always indirect"),
        "elbow_twist": ("turns of the elbow in radians", "indirect"),
        "elbow_frequency": ("half waves of the elbow's turns in a stroke", "always indirect"),
        "displacement": ("displacement of the elbow's angle, as a share of it", "indirect"),
        "limb_volume": ("how far the upper arm swells", "strong"),
        "duration": (
            "what a stroke's time is multiplied by",
            "base sustained bound sudden log_sustained log_bound log_sudden log_light log_strong log_free log_indirect "
            "log_direct log_strong_and_sudden log_light_and_sudden log_most linear",
        ),
        "evenness": ("how even a stroke's speed is, from 0, an accent, to 1, flat", "bound sustained light sudden"),
        "hesitation": ("how far a stroke's speed goes down at its hesitations", "bound indirect sudden"),
        "regularity": ("how regular a stroke's hesitations are, from 0 to 1, clockwork", "bound"),
        "pass_speed": ("the speed at which a hand passes its goals, as a share of its peak", "free bound strong"),
        "detour": ("how far a path leads aside, as a share of its chord", "indirect direct free bound"),
        "trail": ("how far elbow, hand and fingers trail", "free bound light"),
        "elbow_out": ("radians that the elbow is out", "light strong free bound indirect"),
        "wave_rate": ("waves a second of twists; 0: as many half waves a stroke as the frequencies say", "always"),
        "flexed": ("the share that keeps the wrist bent", "bound strong free angle nearest"),
        "breath": ("how far the body contracts before the goal", "strong free nearest"),
        "interpolation": ("shares of the spaces that a path is interpolated in", "indirect free direct nearest"),
        # How the rest of the body joins: how much of each way, when, and in which channels.
        "press": ("how far the body's weight lands with a stroke", "strong sudden light free bound sustained"),
        "press_timing": ("when the body's weight lands", "delay recover draw_back"),
        "press_channels": (
            "what lands: radians, leg lengths, metres",
            "hips_y hips_lean torso_forward head_nod clavicle_raise clavicle_forward arm_out arm_up arm_ahead",
        ),
        "lift": ("how far the body lifts with a stroke", "light strong free sustained sudden"),
        "lift_timing": ("how a body lifts", "held lead"),
        "lift_channels": (
            "what lifts: radians, leg lengths, metres",
            "hips_y foot_peel torso_forward head_nod clavicle_raise arm_out arm_up arm_ahead arm_swivel",
        ),
        "thrust": (
            "how far the trunk goes with the hand",
            "strong sudden direct free light bound sustained indirect",
        ),
        "thrust_timing": ("when the trunk goes with the hand", "lead held accent"),
        "thrust_channels": (
            "what goes with a hand that is ahead, out or up, in arm lengths: radians, leg lengths, metres",
            "torso_turn_ahead torso_turn_out torso_forward_ahead torso_forward_up torso_side_out torso_side_up "
            "hips_turn_ahead hips_turn_out hips_z_ahead hips_x_out hips_lean_ahead clavicle_forward_ahead "
            "clavicle_raise_up arm_ahead_ahead arm_out_ahead arm_up_ahead",
        ),
        "attention": ("how far gaze, head and chest are on the hand's goal", "direct strong indirect bound"),
        "attention_timing": ("when attention is on a goal", "eyes_lead head_lead chest_lead head chest"),
        "glance": ("radians that the gaze goes aside", "indirect direct"),
        "glance_timing": ("how often and how long the gaze goes aside, in seconds", "every lasts head"),
        "spiral": ("how far the trunk waves", "indirect free direct bound"),
        "spiral_timing": ("how quickly the trunk waves, in waves a second", "rate"),
        "spiral_channels": (
            "what waves: radians, leg lengths, metres",
            "torso_turn torso_side torso_forward hips_x hips_turn head_tilt head_turn arm_out arm_ahead",
        ),
        "swing": ("how far trunk and limbs swing on after an arrival", "free bound sustained"),
        "swing_timing": ("how a body swings", "rate fades lag"),
        "swing_channels": (
            "what swings: radians, leg lengths, metres",
            "torso_turn torso_side hips_x hips_turn clavicle_raise clavicle_forward arm_ahead arm_out head_tilt "
            "head_turn",
        ),
        "block": ("how far chest, head and shoulders are one", "bound free strong"),
        "sway": ("how much the body sways by itself, added to 1", "direct bound strong indirect free light"),
        **{
            f"posture_{element}": (f"what {element} holds: radians, leg lengths, metres", POSTURE)
            for element in ELEMENTS
        },
    }
)
_MEANINGS = MappingProxyType(
    {
        "neutral": "The value without any Effort",
        "least": "The smallest value",
        "most": "The largest value, which may be infinite",
        "always": "The value whatever the Effort",
        "log_most": "The largest logarithm of the elements together, approached softly",
        "delay": "Seconds after the hand's arrival",
        "recover": "Seconds after that",
        "draw_back": "The share that goes the other way before",
        "lead": "Seconds before the hand",
        "accent": "The share of a stroke that the trunk draws back before its accent, and goes on after it",
        "held": "The share that is held, the rest going with each stroke",
        "eyes_lead": "Seconds that the eyes are before the hand",
        "head_lead": "Seconds that the head is before the hand",
        "chest_lead": "Seconds that the chest is before the hand",
        "head": "The head's share",
        "chest": "The chest's share",
        "every": "Seconds from one to the next",
        "lasts": "Seconds that one lasts",
        "rate": "Waves a second",
        "fades": "Seconds after which a third is left",
        "lag": "Seconds by which each channel follows the one before",
        "base": "What is raised to the power of sustained and bound less sudden",
        "angle": "Radians that a flexed wrist keeps",
        "nearest": "1 for the nearest extreme alone, 0 for a blend",
        "linear": "1 to interpolate between 1 and an extreme in a straight line, 0 to do so by powers",
        "range": "What the angles that a wrist bends to at most are multiplied by",
        "fighting": "The part of the larger of strong and sudden",
        "indulging": "The part of the larger of light and sustained",
        "slowing": "The part of the larger of strong and what direct and sustained make",
    }
)


@dataclass(frozen=True)
class Coefficient(Number):
    """Annotation of a coefficient; a cap may be infinite."""

    cap: bool = False

    def check(self, value: Any) -> float:
        """The coefficient as a number, or the error that says what is allowed."""
        if self.cap and isinstance(value, float) and value == math.inf:
            return value
        return float(super().check(value))


# Groups whose parameter is the sum of its coefficients times their elements, within its range.
LINEAR = (
    "evenness", "hesitation", "regularity", "pass_speed", "detour", "trail", "elbow_out", "press", "lift", "thrust",
    "attention", "glance", "spiral", "swing", "block", "sway",
)  # fmt: skip
BODY = (
    "press",
    "lift",
    "thrust",
    "attention",
    "glance",
    "spiral",
    "swing",
    "block",
    "sway",
)  # of the whole body


def _coefficient(group: str, name: str) -> Coefficient:
    made, _ = GROUPS[group]
    meaning = _MEANINGS.get(name) or f"The part of {name.replace('_', ' ')}"
    cap, base = name == "most", (group, name) == ("duration", "base")
    least, most = 1.0 if base else -_LARGEST, math.inf if cap else _LARGEST
    return Coefficient(f"{meaning}: {made}.", least=least, most=most, cap=cap)


_NAMES = {group: tuple(names.split()) for group, (_, names) in GROUPS.items()}
COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {f"{group}.{name}": _coefficient(group, name) for group, (_, names) in GROUPS.items() for name in names.split()}
)


def _check_coefficients(given: Any) -> Mapping[str, float]:
    if not isinstance(given, Mapping):
        raise expected_type("coefficients by name")
    made = {} if len(given) >= len(COEFFICIENTS) else dict(_builtin_model(DEFAULT).coefficients)
    for name, value in given.items():
        if name not in COEFFICIENTS:
            raise error_at((), f"a coefficient {name!r}", describe_choices(str(name), COEFFICIENTS))
        try:
            made[name] = COEFFICIENTS[name].check(value)
        except PydanticCustomError as error:
            raise error_at((name,), show_value(value), str((error.context or {})["expected"])) from None
    return MappingProxyType(made)


@document(frozen=True)
class EffortModel:
    """Coefficients by name, ``"tension.direct"`` and so on; those that are left out are the default model's."""

    name: Annotated[Text, Setting("What it is called.")]
    coefficients: Annotated[
        Mapping[str, float],
        PlainValidator(_check_coefficients, json_schema_input_type=dict[str, float]),
        Setting("Coefficients by name."),
    ]
    about: Annotated[Text, Setting("What it is, in a line.")] = ""

    def __getitem__(self, name: str) -> float:
        return self.coefficients[name]

    def with_coefficients(self, **changed: float) -> EffortModel:
        """The same with some coefficients changed; write ``tension__direct=0.5`` for ``tension.direct``."""
        given = {name.replace("__", "."): value for name, value in changed.items()}
        return EffortModel(self.name, dict(self.coefficients) | given, self.about)


def _document_of(name: str, about: str, rows: Mapping[str, tuple[Any, Any]]) -> Any:
    """A document of fields, each with its type and its default."""
    types = {field: kind for field, (kind, _) in rows.items()}
    defaults = {field: default for field, (_, default) in rows.items()}
    own = type(name, (), {"__annotations__": types, "__doc__": about, "__module__": __name__} | defaults)
    return document(own, frozen=True)


def _group_document(group: str) -> Any:
    """The document of one group's table: optional coefficients by name."""
    made, names = GROUPS[group]
    rows = {name: (Annotated[float | None, _coefficient(group, name)], None) for name in names.split()}
    return _document_of(f"{group.title().replace('_', '')}Coefficients", f"Coefficients of {made}.", rows)


@lru_cache(maxsize=1)
def effort_model_file() -> Any:
    """The document that a model's file is: a table for each group."""
    like = Annotated[
        Annotated[str, Choice(choices=effort_models())] | None,
        Setting("The model that it has its coefficients of, but for those that it gives itself."),
    ]
    rows: dict[str, tuple[Any, Any]] = {
        "about": (Annotated[Text, Setting("What it is, in a line.")], ""),
        "like": (like, None),
    }
    for group, (made, _) in GROUPS.items():
        own = _group_document(group)
        rows[group] = (Annotated[own, Setting(f"Coefficients of {made}.")], own())
    about = "An Effort model as a file has it: what differs from the model that it is like."
    return _document_of("EffortModelFile", about, rows)


@lru_cache(maxsize=1)
def effort_models() -> tuple[str, ...]:
    """The names of the models that come with Kinesphere."""
    names = (entry.name for entry in _BUILTIN.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def effort_model(model: str | Path | EffortModel = DEFAULT) -> EffortModel:
    """A model by its name, from a TOML file of one's own, or as it is."""
    if isinstance(model, EffortModel):
        return model
    if isinstance(model, str) and model in effort_models():
        return _builtin_model(model)
    if isinstance(model, Path) or (isinstance(model, str) and model.endswith(".toml")):
        return load_effort_model(model)
    if not isinstance(model, str):
        raise TypeError(f"model is a {type(model).__name__}; a name, a .toml file or an EffortModel is expected")
    raise ValueError(unknown_name("Effort model", model, effort_models()) + ", or a .toml file of your own")


def load_effort_model(path: str | Path) -> EffortModel:
    """A character's own coefficients: a TOML file that says ``like = "default"`` and what differs."""
    file = Path(path)
    return _read_model(file, read_table(file, _EXPECTED), DEFAULT)


@lru_cache
def _builtin_model(name: str) -> EffortModel:
    path = _BUILTIN / f"{name}.toml"
    return _read_model(Path(path.name), parse_toml(Path(path.name), path.read_bytes(), _EXPECTED), None)


def _read_model(path: Path, table: Mapping[str, Any], like: str | None) -> EffortModel:
    file = read_document(effort_model_file(), table, path)
    like = file.like or like
    base = _builtin_model(like).coefficients if like else dict.fromkeys(COEFFICIENTS, 0.0)
    rows = {name: getattr(getattr(file, name.partition(".")[0]), name.partition(".")[2]) for name in COEFFICIENTS}
    given = dict(base) | {name: value for name, value in rows.items() if value is not None}
    return EffortModel(path.stem, given, file.about)


# Movement parameters


@dataclass(frozen=True)
class MovementParameters:
    """Low-level parameters of one stroke, or arrays of them for many.

    Attributes
    ----------
    tension
        Of the path: −1 round, 1 straight.
    inflection, anticipation, overshoot, time_exponent
        Of the timing; see :func:`kinesphere.engine.clocks.stroke_progress`.
    duration
        What the stroke's time is multiplied by.
    end_effector, joint_angle, elbow_position
        Shares of the three spaces that a path is interpolated in; together 1.
    squash, breath, limb_volume
        How far the body squashes and stretches, contracts before the goal, and the upper arm swells.
    wrist_bend, wrist_extension, wrist_range, flexed, flexed_angle
        How far the wrist bends along the stroke, how much of that outwards, what its anatomical range is multiplied by,
        and the share that keeps it bent.
    wrist_twist, wrist_frequency, elbow_twist, elbow_frequency
        Turns of forearm and elbow, in radians, and how many half waves a stroke has.
    displacement
        Of the elbow's angle, as a share of it.
    evenness, hesitation, regularity, pass_speed, detour
        How even a stroke's speed is, how far it goes down at hesitations, how regular these are, the speed at which
        goals are passed, and how far the path leads aside.
    trail, elbow_out, wave_rate
        How far elbow, hand and fingers trail, radians that the elbow is out, and waves of twists a second.
    press, lift, thrust, attention, glance, spiral, swing, block, sway
        How the rest of the body joins; see ``kinesphere.engine.recruitment``.
    """

    tension: Floats
    inflection: Floats
    anticipation: Floats
    overshoot: Floats
    time_exponent: Floats
    duration: Floats
    end_effector: Floats
    joint_angle: Floats
    elbow_position: Floats
    squash: Floats
    breath: Floats
    limb_volume: Floats
    wrist_bend: Floats
    wrist_extension: Floats
    wrist_range: Floats
    flexed: Floats
    flexed_angle: Floats
    wrist_twist: Floats
    wrist_frequency: Floats
    elbow_twist: Floats
    elbow_frequency: Floats
    displacement: Floats
    evenness: Floats
    hesitation: Floats
    regularity: Floats
    pass_speed: Floats
    detour: Floats
    trail: Floats
    elbow_out: Floats
    wave_rate: Floats
    press: Floats
    lift: Floats
    thrust: Floats
    attention: Floats
    glance: Floats
    spiral: Floats
    swing: Floats
    block: Floats
    sway: Floats

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(entry.name for entry in fields(cls))


# Allowed values of a parameter that is set by hand.
RANGES: Mapping[str, tuple[float, float]] = {
    "tension": (-1.0, 1.0),
    "inflection": (0.02, 0.98),
    "anticipation": (0.0, 0.5),
    "overshoot": (0.0, 0.5),
    "time_exponent": (0.05, 5.0),
    "duration": (0.05, 20.0),
    "end_effector": (0.0, 1.0),
    "joint_angle": (0.0, 1.0),
    "elbow_position": (0.0, 1.0),
    "squash": (-0.5, 0.5),
    "breath": (0.0, 2.0),
    "limb_volume": (0.0, 1.0),
    "wrist_bend": (-2.0, 2.0),
    "wrist_extension": (-2.0, 2.0),
    "wrist_range": (0.2, 3.0),
    "flexed": (0.0, 1.0),
    "flexed_angle": (-1.5, 1.5),
    "wrist_twist": (-2.0, 2.0),
    "wrist_frequency": (0.0, 20.0),
    "elbow_twist": (-2.0, 2.0),
    "elbow_frequency": (0.0, 20.0),
    "displacement": (-1.0, 1.0),
    "evenness": (0.0, 1.0),
    "hesitation": (0.0, 0.95),
    "regularity": (0.0, 1.0),
    "pass_speed": (0.0, 0.6),
    "detour": (-0.5, 0.6),
    "trail": (-1.0, 2.0),
    "elbow_out": (-1.0, 1.0),
    "wave_rate": (0.0, 5.0),
    "press": (0.0, 2.0),
    "lift": (0.0, 2.0),
    "thrust": (-0.5, 2.5),
    "attention": (0.0, 1.0),
    "glance": (0.0, 0.8),
    "spiral": (0.0, 2.0),
    "swing": (0.0, 2.0),
    "block": (0.0, 1.0),
    "sway": (-1.0, 2.0),
}


def movement_parameters(factors: Floats, model: EffortModel) -> dict[str, Floats]:
    """Movement parameters by name, each ``(...)``, of Efforts ``(..., 4)``: space, weight, time, flow.

    EMOTE's equations; see ``_timing_parameters``, ``_flourish_parameters`` and ``_space_shares``.
    """
    low, high = np.maximum(-factors, 0.0), np.maximum(factors, 0.0)
    elements = Elements(*(ends[..., i] for ends in (low, high) for i in range(4)))
    return _equations(elements, model.coefficients, np.minimum, np.maximum)


def movement_parameters_of(factors: Sequence[float], model: EffortModel) -> dict[str, float]:
    """The same of one Effort in plain numbers: a fifth of the time of arrays with one entry."""
    elements = Elements(*(max(-value, 0.0) for value in factors), *(max(value, 0.0) for value in factors))
    return _equations(elements, model.coefficients, min, max)


class Elements(NamedTuple):
    """The eight Effort elements from 0 to 1: the negative and positive parts of the four factors."""

    indirect: Any
    light: Any
    sustained: Any
    free: Any
    direct: Any
    strong: Any
    sudden: Any
    bound: Any


Extremum: TypeAlias = Callable[[Any, Any], Any]  # of two: ``min`` and ``max`` of floats, NumPy's of arrays


def _equations(e: Elements, c: Mapping[str, float], minimum: Extremum, maximum: Extremum) -> dict[str, Any]:
    return (
        _timing_parameters(e, c, minimum, maximum)
        | _flourish_parameters(e, c, minimum, maximum)
        | _space_shares(e, c, maximum)
        | _linear_parameters(e, c, minimum, maximum)
    )


def _linear_parameters(e: Elements, c: Mapping[str, float], minimum: Extremum, maximum: Extremum) -> dict[str, Any]:
    """Parameters that are sums of elements, each within its range: elements add up, and none hides another."""
    made: dict[str, Any] = {"wave_rate": c["wave_rate.always"] + 0.0 * e.indirect}
    for group in LINEAR:
        total: Any = 0.0 * e.indirect
        for name in _NAMES[group]:
            coefficient = c[f"{group}.{name}"]
            if coefficient:
                total = total + coefficient * getattr(e, name)
        least, most = RANGES[group]
        made[group] = minimum(maximum(total, least), most)
    return made


def _timing_parameters(e: Elements, c: Mapping[str, float], minimum: Extremum, maximum: Extremum) -> dict[str, Any]:
    """EMOTE's equations for path curvature and timing (Chi 1999, 4.11 on; EMOTE 2000, 16 on).

    Printed coefficients, with ``f(a, b) = min(a, b)`` and the elements by their first three letters:

    - ``tension`` of the path: −ind + f(ind, fre) + dir.
    - ``inflection``, when a stroke is fastest: 0.5 + 0.4 max(str, sud) − 0.4 max(lgt, sus) + 0.8 f(bnd, lgt). As
      printed it reaches 1.3; it is held within ``least`` and ``most``, and ``default`` has 0.4 f(bnd, lgt).
    - ``anticipation``: 0.1 str − max(0.06 f(sus, str), 0.1 f(fre, str)).
    - ``overshoot``: max(0.03 max(lgt, sus), 0.2 fre − 0.1 f(ind, fre)); at most ``most`` times the inflection, or the
      stroke would run backwards.
    - ``time_exponent``: 1 + 2 sud + 0.2 f(str, sud) − 0.6 f(fre, sud) − 0.2 max(str, slowing) − 0.4 fre
      − 0.1 f(ind, fre), with slowing = 0.5 (dir + sus). EMOTE has −1.0 f(fre, sud), slowing = f(dir, sus) and
      −0.5 f(ind, fre); ``default`` has +0.4 f(fre, sud), EMOTE's slowing and +0.1 f(ind, fre). ``least`` bounds it.
    - ``duration``, by which a stroke's time is multiplied: 3 for sustained and bound, 0.33 for sudden (Table 4.1), in a
      straight line between: 2 for half sustained. Ours is 3 to the power of max(sus, bnd) − sud.
    """
    indulging, fighting = maximum(e.light, e.sustained), maximum(e.strong, e.sudden)
    inflection = (
        c["inflection.neutral"]
        + c["inflection.fighting"] * fighting
        + c["inflection.indulging"] * indulging
        + c["inflection.bound_and_light"] * minimum(e.bound, e.light)
    )
    for name in ("strong", "sudden", "light", "sustained", "bound"):
        inflection = inflection + c[f"inflection.{name}"] * getattr(e, name)
    inflection = minimum(maximum(inflection, c["inflection.least"]), c["inflection.most"])
    anticipation = c["anticipation.strong"] * e.strong - maximum(
        c["anticipation.sustained_and_strong"] * minimum(e.sustained, e.strong),
        c["anticipation.free_and_strong"] * minimum(e.free, e.strong),
    )
    anticipation = anticipation + c["anticipation.sudden"] * e.sudden
    overshoot = maximum(
        c["overshoot.indulging"] * indulging,
        c["overshoot.free"] * e.free + c["overshoot.indirect_and_free"] * minimum(e.indirect, e.free),
    )
    slowing = maximum(
        e.strong,
        c["time_exponent.direct_plus_sustained"] * (e.direct + e.sustained)
        + c["time_exponent.direct_and_sustained"] * minimum(e.direct, e.sustained),
    )
    exponent = (
        c["time_exponent.neutral"]
        + c["time_exponent.sudden"] * e.sudden
        + c["time_exponent.strong_and_sudden"] * minimum(e.strong, e.sudden)
        + c["time_exponent.free_and_sudden"] * minimum(e.free, e.sudden)
        + c["time_exponent.slowing"] * slowing
        + c["time_exponent.free"] * e.free
        + c["time_exponent.indirect_and_free"] * minimum(e.indirect, e.free)
    )
    return {
        "tension": c["tension.indirect"] * e.indirect
        + c["tension.indirect_and_free"] * minimum(e.indirect, e.free)
        + c["tension.direct"] * e.direct,
        "inflection": inflection,
        "anticipation": anticipation,
        "overshoot": minimum(overshoot, c["overshoot.most"] * inflection),
        "time_exponent": maximum(exponent, c["time_exponent.least"]),
        "duration": _printed_duration(e, c, maximum) * _added_duration(e, c, minimum),
    }


def _printed_duration(e: Elements, c: Mapping[str, float], maximum: Extremum) -> Any:
    longer = maximum(c["duration.sustained"] * e.sustained, c["duration.bound"] * e.bound)
    duration = c["duration.base"] ** (longer - c["duration.sudden"] * e.sudden)
    linear = c["duration.linear"]
    if linear > 0.0:
        # Where it is sudden as well, the lengthened time is shortened by that share.
        sustained, bound, sudden = (
            1.0 + (c["duration.base"] ** power - 1.0) * element
            for power, element in (
                (c["duration.sustained"], e.sustained),
                (c["duration.bound"], e.bound),
                (-c["duration.sudden"], e.sudden),
            )
        )
        duration = (1.0 - linear) * duration + linear * maximum(sustained, bound) * sudden
    return duration


def _added_duration(e: Elements, c: Mapping[str, float], minimum: Extremum) -> Any:
    """What a stroke's time is multiplied by where elements add up in logarithms, softly within ``log_most``."""
    total: Any = 0.0 * e.indirect
    for name in ("sustained", "bound", "sudden", "light", "strong", "free", "indirect", "direct"):
        total = total + c[f"duration.log_{name}"] * getattr(e, name)
    total = total + c["duration.log_strong_and_sudden"] * minimum(e.strong, e.sudden)
    total = total + c["duration.log_light_and_sudden"] * minimum(e.light, e.sudden)
    most = c["duration.log_most"]
    return np.exp(most * np.tanh(total / most)) if most else np.exp(total)


def _flourish_parameters(e: Elements, c: Mapping[str, float], minimum: Extremum, maximum: Extremum) -> dict[str, Any]:
    """EMOTE's equations for flourishes of body, wrist and elbow (Chi 1999, up to 4.24; EMOTE 2000, up to 24).

    Printed coefficients, as above:

    - ``squash``: max(0.20 lgt, 0.15 fre); none in EMOTE.
    - ``breath``, the contraction that replaces squash where strong, by whatever degree: ours is str − fre, from 0.
    - ``limb_volume``: 0.25 str; none in EMOTE.
    - ``wrist_bend``: max(0.6 ind, 0.5 lgt, 1.0 fre); EMOTE and ``default`` have 0.4 fre, which wrists can do.
    - ``wrist_extension``: −0.3 lgt + 0.2 fre − 0.8 f(str, fre); EMOTE and ``default`` have 0.3 and 0.9.
    - ``flexed``: strong and bound wrists stay bent by ``flexed_angle``, 0.6 rad, by whatever degree they are; ours is
      the share max(bnd, str − fre, 0).
    - ``wrist_twist``, ``elbow_twist``, ``displacement``: 0.4 ind each.
    - ``wrist_frequency``, ``elbow_frequency``: 2 ind; ``default`` has 2 always, so that twists end at 0 at a goal.
    """
    flexed = maximum(c["flexed.bound"] * e.bound, c["flexed.strong"] * e.strong - c["flexed.free"] * e.free)
    breath = c["breath.strong"] * e.strong - c["breath.free"] * e.free
    bend = maximum(c["wrist_bend.indirect"] * e.indirect, c["wrist_bend.light"] * e.light)
    return {
        "squash": maximum(c["squash.light"] * e.light, c["squash.free"] * e.free),
        "breath": _or_nearest(maximum(breath, 0.0), c["breath.nearest"]),
        "limb_volume": c["limb_volume.strong"] * e.strong,
        "wrist_bend": maximum(bend, c["wrist_bend.free"] * e.free),
        "wrist_extension": c["wrist_extension.light"] * e.light
        + c["wrist_extension.free"] * e.free
        + c["wrist_extension.strong_and_free"] * minimum(e.strong, e.free),
        "wrist_range": c["wrist_bend.range"] + 0.0 * e.indirect,
        "flexed": _or_nearest(minimum(maximum(flexed, 0.0), 1.0), c["flexed.nearest"]),
        "flexed_angle": c["flexed.angle"] + 0.0 * e.indirect,
        "wrist_twist": c["wrist_twist.indirect"] * e.indirect,
        "wrist_frequency": c["wrist_frequency.always"] + c["wrist_frequency.indirect"] * e.indirect,
        "elbow_twist": c["elbow_twist.indirect"] * e.indirect,
        "elbow_frequency": c["elbow_frequency.always"] + c["elbow_frequency.indirect"] * e.indirect,
        "displacement": c["displacement.indirect"] * e.indirect,
    }


def _or_nearest(share: Any, nearest: float) -> Any:
    """A share from 0 on; with ``nearest`` = 1 all of it as soon as there is any: the sources' discrete variables."""
    return (1.0 - nearest) * share + nearest * (share > 0.0) if nearest > 0.0 else share


def _space_shares(e: Elements, c: Mapping[str, float], maximum: Extremum) -> dict[str, Any]:
    """Shares of the three spaces that a path is interpolated in.

    The sources take one space, of the nearest extreme: indirect the elbow's positions, free the joint angles, else the
    end effector's. Ours blends them by magnitude, so that nothing jumps; ``interpolation.nearest`` = 1 is theirs.
    """
    elbow, joint = c["interpolation.indirect"] * e.indirect, c["interpolation.free"] * e.free
    total = elbow + joint + maximum(c["interpolation.direct"] * e.direct, 1.0 - elbow - joint)
    elbow, joint = elbow / total, joint / total
    nearest = c["interpolation.nearest"]
    if nearest > 0.0:
        first = (elbow > 0.0) & (elbow >= joint)
        second = (joint > 0.0) & (elbow < joint)
        elbow, joint = (1.0 - nearest) * elbow + nearest * first, (1.0 - nearest) * joint + nearest * second
    return {"end_effector": 1.0 - elbow - joint, "joint_angle": joint, "elbow_position": elbow}


def check_overrides(by_hand: Mapping[str, float]) -> None:
    """Refuse parameters that don't exist, and values out of their range."""
    for name, value in by_hand.items():
        if name not in RANGES:
            raise ValueError(unknown_name("movement parameter", name, MovementParameters.names()))
        least, most = RANGES[name]
        if not least <= value <= most:  # NaN too
            raise ValueError(f"{name} is {value!r}; {least:g} to {most:g} is allowed")
