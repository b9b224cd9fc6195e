"""Laban Effort: Space, Weight, Time and Flow as numbers from -1 to 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from kinesphere.laban.effort_parameters import (
    DEFAULT,
    EffortModel,
    MovementParameters,
    check_overrides,
    effort_model,
    movement_parameters,
)
from kinesphere.maths.vectors import Floats

# Each factor's two elements, at −1 and 1.
FACTORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "space": ("indirect", "direct"),
        "weight": ("light", "strong"),
        "time": ("sustained", "sudden"),
        "flow": ("free", "bound"),
    }
)


@dataclass(frozen=True)
class Effort:
    """Four factors from −1 (yielding; Laban: "indulging") to 1 (resisting; "fighting"); 0 is neutral.

    Parameters
    ----------
    space
        Indirect … direct: attention spread out, or on one goal.
    weight
        Light … strong.
    time
        Sustained … sudden.
    flow
        Free … bound: unrestrained, or controlled.
    by_hand
        Movement parameters that replace the computed ones, such as ``{"wrist_bend": 0.2}``.
    """

    space: float = 0.0
    weight: float = 0.0
    time: float = 0.0
    flow: float = 0.0
    by_hand: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, (low, high) in FACTORS.items():
            object.__setattr__(self, name, check_dial_value("Effort", name, getattr(self, name), low, high))
        given = {str(name): float(value) for name, value in dict(self.by_hand).items()}
        check_overrides(given)
        object.__setattr__(self, "by_hand", MappingProxyType(given))

    def __hash__(self) -> int:
        return hash((self.space, self.weight, self.time, self.flow, tuple(sorted(self.by_hand.items()))))

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Space, weight, time, flow."""
        return self.space, self.weight, self.time, self.flow

    @property
    def factors(self) -> Floats:
        """``(4,)`` space, weight, time, flow."""
        return np.array(self.numbers)

    @property
    def is_neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.by_hand and not self.factors.any()

    def parameters(self, model: str | Path | EffortModel = DEFAULT) -> MovementParameters:
        """The movement parameters by EMOTE's equations; ``model`` is an EffortModel, a name or a TOML file."""
        values = movement_parameters(self.factors, effort_model(model))
        given = {name: np.float64(value) for name, value in values.items()} | dict(self.by_hand)
        return MovementParameters(**{name: float(value) for name, value in given.items()})  # type: ignore[arg-type]

    def adjusted(self, **by_hand: float) -> Effort:
        """The same Effort with more movement parameters that replace the computed ones."""
        return replace(self, by_hand=dict(self.by_hand) | by_hand)


def check_dial_value(kind: str, name: str, value: object, low: str, high: str) -> float:
    """The value as float; raises if it is no number from −1 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{kind}: {name} is {value!r}; a number from −1 ({low}) to 1 ({high}) is expected")
    if not -1.0 <= value <= 1.0:  # NaN too
        raise ValueError(f"{kind}: {name} is {value:g}; −1 ({low}) to 1 ({high}) is allowed, intensity goes beyond")
    return float(value) + 0.0  # −0.0 becomes 0.0
