"""Effort models: the coefficients that make movement parameters of Effort, from TOML files.

A file may name another with ``like`` and give only what differs, so a character's own way is a few lines. Every
coefficient is a number under its parameter's name, ``inflection.fighting``; the equations are in ``movement_parameters``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from kinesphere.files.schema import parse_toml, read_table
from kinesphere.maths.vectors import Floats
from kinesphere.motion.errors import MotionFileError, unknown_name

DEFAULT = "default"
_EXPECTED = "an Effort model in TOML"
_OURS = files("kinesphere.laban") / "models"
_TEXTS = ("about", "like")
_FARTHEST = 100.0  # no coefficient is larger; a cap may be infinite


@dataclass(frozen=True)
class EffortModel:
    """Coefficients by name, ``"tension.direct"`` and so on."""

    name: str
    coefficients: Mapping[str, float]
    about: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", MappingProxyType(dict(self.coefficients)))

    def __getitem__(self, name: str) -> float:
        return self.coefficients[name]

    def with_coefficients(self, **changed: float) -> EffortModel:
        """The same with some coefficients changed; write ``tension__direct=0.5`` for ``tension.direct``."""
        given = {name.replace("__", "."): value for name, value in changed.items()}
        for name, value in given.items():
            _check(name, value, self.coefficients)
        return EffortModel(self.name, dict(self.coefficients) | {n: float(v) for n, v in given.items()}, self.about)


@lru_cache(maxsize=1)
def effort_models() -> tuple[str, ...]:
    """The names of the sets that come with Kinesphere."""
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in _OURS.iterdir() if entry.name.endswith(".toml")))


def effort_model(model: str | Path | EffortModel = DEFAULT) -> EffortModel:
    """A set by its name, from a TOML file of one's own, or as it is."""
    if isinstance(model, EffortModel):
        return model
    if isinstance(model, str) and model in effort_models():
        return _named(model)
    if isinstance(model, Path) or (isinstance(model, str) and model.endswith(".toml")):
        return load_effort_model(model)
    if not isinstance(model, str):
        raise TypeError(f"model is a {type(model).__name__}; a name, a .toml file or an EffortModel is expected")
    raise ValueError(unknown_name("Effort model", model, effort_models()) + ", or a .toml file of your own")


def load_effort_model(path: str | Path) -> EffortModel:
    """A character's own coefficients: a TOML file with ``like = "default"`` and what differs."""
    file = Path(path)
    return _parsed(file, read_table(file, _EXPECTED), DEFAULT)


@lru_cache
def _named(name: str) -> EffortModel:
    path = _OURS / f"{name}.toml"
    return _parsed(Path(f"{name}.toml"), parse_toml(Path(path.name), path.read_bytes(), _EXPECTED), None)


def _parsed(path: Path, table: Mapping[str, Any], like: str | None) -> EffortModel:
    for name in _TEXTS:
        if not isinstance(table.get(name, ""), str):
            raise MotionFileError(path, repr(table[name]), "a text", where=name)
    like = table.get("like", like)
    if like is not None and like not in effort_models():
        raise MotionFileError(path, repr(like), f"one of {', '.join(effort_models())}", where="like")
    base = _named(like).coefficients if like else {}
    given = {f"{group}.{name}": value for group, name, value in _rows(path, table)}
    for name, value in given.items():
        try:
            _check(name, value, base or given)
        except ValueError as error:
            raise MotionFileError(path, str(error), "a coefficient that is known", where=name) from None
    return EffortModel(path.stem, dict(base) | {name: float(v) for name, v in given.items()}, table.get("about", ""))


def _rows(path: Path, table: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    rows = []
    for group, entries in table.items():
        if group in _TEXTS:
            continue
        if not isinstance(entries, dict):
            raise MotionFileError(path, repr(entries), "a table of coefficients", where=group)
        rows += [(group, name, value) for name, value in entries.items()]
    return rows


def _check(name: str, value: Any, allowed: Mapping[str, float]) -> None:
    if name not in allowed:
        raise ValueError(unknown_name("coefficient", name, allowed))
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"{name} is {value!r}; a number is expected")
    if abs(value) > _FARTHEST and not (name.endswith(".most") and value > 0.0):
        raise ValueError(f"{name} is {value!r}; −{_FARTHEST:g} to {_FARTHEST:g} is allowed")
    if name == "duration.base" and not 1.0 <= value <= _FARTHEST:
        raise ValueError(f"{name} is {value!r}; 1 to {_FARTHEST:g} is allowed")


# ---- From Effort to movement parameters: the equations, for any number of Efforts at once.


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
    wrist_bend, wrist_extension, flexed, flexed_angle
        How far the wrist bends along the stroke, how much of that outwards, and the share that keeps it bent.
    wrist_twist, wrist_frequency, elbow_twist, elbow_frequency
        Turns of forearm and elbow, in radians, and how many half waves a stroke has.
    displacement
        Of the elbow's angle, as a share of it.
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
    flexed: Floats
    flexed_angle: Floats
    wrist_twist: Floats
    wrist_frequency: Floats
    elbow_twist: Floats
    elbow_frequency: Floats
    displacement: Floats

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The parameters' names."""
        return tuple(entry.name for entry in fields(cls))


# What a parameter set by hand may be.
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
    "flexed": (0.0, 1.0),
    "flexed_angle": (-1.5, 1.5),
    "wrist_twist": (-2.0, 2.0),
    "wrist_frequency": (0.0, 20.0),
    "elbow_twist": (-2.0, 2.0),
    "elbow_frequency": (0.0, 20.0),
    "displacement": (-1.0, 1.0),
}


def movement_parameters(factors: Floats, model: EffortModel) -> dict[str, Floats]:
    """Parameters by name, each ``(...)``, of Efforts ``(..., 4)``: space, weight, time, flow."""
    low, high = np.maximum(-factors, 0.0), np.maximum(factors, 0.0)
    ends = [low[..., i] for i in range(4)], [high[..., i] for i in range(4)]
    return _equations(*ends, model.coefficients, np.minimum, np.maximum)


def movement_parameters_of(factors: Sequence[float], model: EffortModel) -> dict[str, float]:
    """The same of one Effort, in plain numbers, for which NumPy takes its time."""
    low, high = [max(-value, 0.0) for value in factors], [max(value, 0.0) for value in factors]
    return _equations(low, high, model.coefficients, min, max)


def _equations(
    low: Sequence[Any], high: Sequence[Any], c: Mapping[str, float], f: Callable[..., Any], more: Callable[..., Any]
) -> dict[str, Any]:
    """Of how much there is of each factor's ends, numbers or arrays of them, with the lesser and the larger of two."""
    ind, lgt, sus, fre = low
    direct, strong, sud, bnd = high
    inflection = (
        c["inflection.neutral"]
        + c["inflection.fighting"] * more(strong, sud)
        + c["inflection.indulging"] * more(lgt, sus)
        + c["inflection.bound_and_light"] * f(bnd, lgt)
    )
    inflection = f(more(inflection, c["inflection.least"]), c["inflection.most"])
    overshoot = more(
        c["overshoot.indulging"] * more(lgt, sus),
        c["overshoot.free"] * fre + c["overshoot.indirect_and_free"] * f(ind, fre),
    )
    slowing = more(
        strong,
        c["time_exponent.direct_plus_sustained"] * (direct + sus)
        + c["time_exponent.direct_and_sustained"] * f(direct, sus),
    )
    exponent = (
        c["time_exponent.neutral"]
        + c["time_exponent.sudden"] * sud
        + c["time_exponent.strong_and_sudden"] * f(strong, sud)
        + c["time_exponent.free_and_sudden"] * f(fre, sud)
        + c["time_exponent.slowing"] * slowing
        + c["time_exponent.free"] * fre
        + c["time_exponent.indirect_and_free"] * f(ind, fre)
    )
    longer = more(c["duration.sustained"] * sus, c["duration.bound"] * bnd) - c["duration.sudden"] * sud
    values = {
        "tension": c["tension.indirect"] * ind
        + c["tension.indirect_and_free"] * f(ind, fre)
        + c["tension.direct"] * direct,
        "inflection": inflection,
        "anticipation": c["anticipation.strong"] * strong
        - more(
            c["anticipation.sustained_and_strong"] * f(sus, strong), c["anticipation.free_and_strong"] * f(fre, strong)
        ),
        "overshoot": f(overshoot, c["overshoot.most"] * inflection),
        "time_exponent": more(exponent, c["time_exponent.least"]),
        "duration": c["duration.base"] ** longer,
        "squash": more(c["squash.light"] * lgt, c["squash.free"] * fre),
        "breath": more(c["breath.strong"] * strong - c["breath.free"] * fre, 0.0),
        "limb_volume": c["limb_volume.strong"] * strong,
        "wrist_bend": more(
            more(c["wrist_bend.indirect"] * ind, c["wrist_bend.light"] * lgt), c["wrist_bend.free"] * fre
        ),
        "wrist_extension": c["wrist_extension.light"] * lgt
        + c["wrist_extension.free"] * fre
        + c["wrist_extension.strong_and_free"] * f(strong, fre),
        "flexed": f(
            more(more(c["flexed.bound"] * bnd, c["flexed.strong"] * strong - c["flexed.free"] * fre), 0.0), 1.0
        ),
        "flexed_angle": c["flexed.angle"] + 0.0 * ind,
        "wrist_twist": c["wrist_twist.indirect"] * ind,
        "wrist_frequency": c["wrist_frequency.always"] + c["wrist_frequency.indirect"] * ind,
        "elbow_twist": c["elbow_twist.indirect"] * ind,
        "elbow_frequency": c["elbow_frequency.always"] + c["elbow_frequency.indirect"] * ind,
        "displacement": c["displacement.indirect"] * ind,
    }
    shares = c["interpolation.indirect"] * ind, c["interpolation.free"] * fre, c["interpolation.direct"] * direct
    return values | _spaces(*shares, c["interpolation.nearest"], more)


def _spaces(elbow: Any, joint: Any, end: Any, nearest: float, more: Callable[..., Any]) -> dict[str, Any]:
    """Shares of the three spaces: blended by magnitude, or as printed the nearest extreme's alone."""
    total = elbow + joint + more(end, 1.0 - elbow - joint)
    elbow, joint = elbow / total, joint / total
    if nearest > 0.0:
        first = (elbow > 0.0) & (elbow >= joint)
        second = (joint > 0.0) & (elbow < joint)
        elbow, joint = (1.0 - nearest) * elbow + nearest * first, (1.0 - nearest) * joint + nearest * second
    return {"end_effector": 1.0 - elbow - joint, "joint_angle": joint, "elbow_position": elbow}


def check_overrides(by_hand: Mapping[str, float]) -> None:
    """Refuse parameters that don't exist, or that cannot be."""
    for name, value in by_hand.items():
        if name not in RANGES:
            raise ValueError(unknown_name("movement parameter", name, MovementParameters.names()))
        least, most = RANGES[name]
        if not least <= value <= most:  # NaN too
            raise ValueError(f"{name} is {value!r}; {least:g} to {most:g} is allowed")
