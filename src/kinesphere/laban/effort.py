"""Laban Effort: Space, Weight, Time and Flow as numbers from -1 to 1; a phrase edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from pydantic import PlainValidator

from kinesphere.laban.effort_parameters import (
    DEFAULT,
    EffortModel,
    MovementParameters,
    check_overrides,
    effort_model,
    effort_models,
    movement_parameters,
)
from kinesphere.laban.expressive_edit import ExpressiveEdit
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import Either, Flag, Real, Setting, dial, document, expected_type
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope

if TYPE_CHECKING:
    from kinesphere.laban.expression import Expression

# Each factor's two elements, at −1 and 1.
FACTORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "space": ("indirect", "direct"),
        "weight": ("light", "strong"),
        "time": ("sustained", "sudden"),
        "flow": ("free", "bound"),
    }
)


def _kind_of_model(value: object) -> str:
    return "model" if isinstance(value, EffortModel | Mapping) else "name"


def _check_name_or_file(value: object) -> str | Path:
    if not isinstance(value, str | Path):
        raise expected_type("an Effort model: its name, a .toml file, or coefficients")
    return value


NameOrFile: TypeAlias = Annotated[str | Path, PlainValidator(_check_name_or_file, json_schema_input_type=str)]


@phrase_edit("effort")
@document(frozen=True)
class Effort(ExpressiveEdit):
    """Laban Effort: attention, force, urgency and control of a gesture.

    Four factors from −1 (yielding; Laban: "indulging") to 1 (resisting; "fighting"); 0 is neutral.

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
    model
        Coefficients of the equations: a model's name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    """

    space: Annotated[float, dial(-1, 1, "Attention: spread out, or on one goal.", *FACTORS["space"])] = 0.0
    weight: Annotated[float, dial(-1, 1, "Force: light as a feather, or strong.", *FACTORS["weight"])] = 0.0
    time: Annotated[float, dial(-1, 1, "Urgency: taking time, or at once.", *FACTORS["time"])] = 0.0
    flow: Annotated[float, dial(-1, 1, "Control: let go, or held back.", *FACTORS["flow"])] = 0.0
    by_hand: Annotated[
        Mapping[str, Real],
        Setting("Movement parameters that replace the computed ones, such as wrist_bend=0.2.", option="--set"),
    ] = field(default_factory=dict)
    model: Annotated[
        str | Path | EffortModel,
        Either(_kind_of_model, name=NameOrFile, model=EffortModel),
        Setting("The Effort model: default, chi1999, emote2000, or a .toml file."),
    ] = DEFAULT
    lock_times: Annotated[Flag, Setting("Keep the keys' times whatever the Effort.")] = False

    def __post_init__(self) -> None:
        check_overrides(self.by_hand)
        object.__setattr__(self, "by_hand", MappingProxyType(dict(self.by_hand)))
        if isinstance(self.model, str) and not self.model.endswith(".toml") and self.model not in effort_models():
            raise ValueError(
                f"{unknown_name('Effort model', self.model, effort_models())}, or a .toml file of your own"
            )

    def __hash__(self) -> int:
        model = self.model.name if isinstance(self.model, EffortModel) else self.model
        return hash((*self.numbers, tuple(sorted(self.by_hand.items())), model, self.lock_times))

    @property
    def numbers(self) -> tuple[float, float, float, float]:
        """Space, weight, time, flow."""
        return self.space, self.weight, self.time, self.flow

    @property
    def factors(self) -> Floats:
        """``(4,)`` space, weight, time, flow."""
        return np.array(self.numbers)

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return not self.by_hand and not self.factors.any()

    def expression(self, phrase: Phrase, scope: Scope = WHOLE) -> Expression:
        """What it asks of a phrase."""
        from kinesphere.laban.expression import Expression as Asked

        return Asked.of_dials(phrase, scope, effort=self)

    def parameters(self, model: str | Path | EffortModel | None = None) -> MovementParameters:
        """The movement parameters by EMOTE's equations, of its own model unless another is given."""
        values = movement_parameters(self.factors, effort_model(self.model if model is None else model))
        given = {name: np.float64(value) for name, value in values.items()} | dict(self.by_hand)
        return MovementParameters(**{name: float(value) for name, value in given.items()})  # type: ignore[arg-type]

    def adjusted(self, **by_hand: float) -> Effort:
        """The same Effort with more movement parameters that replace the computed ones."""
        return replace(self, by_hand=dict(self.by_hand) | by_hand)
