"""Effort models: the coefficients that make movement parameters of Effort, from TOML files.

A file may name another with ``like`` and give only what differs, so a character's own way is a few lines. Every
coefficient is a number under its parameter's name, ``inflection.fighting``; the equations are in ``movement``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kinesphere.files.errors import MotionFileError
from kinesphere.files.toml_text import parsed_table, read_table
from kinesphere.motion.gesture import unknown

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
    raise ValueError(unknown("Effort model", model, effort_models()) + ", or a .toml file of your own")


def load_effort_model(path: str | Path) -> EffortModel:
    """A character's own coefficients: a TOML file with ``like = "default"`` and what differs."""
    file = Path(path)
    return _parsed(file, read_table(file, _EXPECTED), DEFAULT)


@lru_cache
def _named(name: str) -> EffortModel:
    path = _OURS / f"{name}.toml"
    return _parsed(Path(f"{name}.toml"), parsed_table(Path(path.name), path.read_bytes(), _EXPECTED), None)


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
        raise ValueError(unknown("coefficient", name, allowed))
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise ValueError(f"{name} is {value!r}; a number is expected")
    if abs(value) > _FARTHEST and not (name.endswith(".most") and value > 0.0):
        raise ValueError(f"{name} is {value!r}; −{_FARTHEST:g} to {_FARTHEST:g} is allowed")
    if name == "duration.base" and not 1.0 <= value <= _FARTHEST:
        raise ValueError(f"{name} is {value!r}; 1 to {_FARTHEST:g} is allowed")
