"""Effort and Shape over time: constants or values at moments, and the dials of several edits combined.

A dial over time is a mapping from seconds of the phrase's own time to values; between them a monotone cubic is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Discriminator, GetJsonSchemaHandler, Tag, ValidationError, WrapValidator
from pydantic_core import PydanticCustomError

from kinesphere.engine.channels import sample_rows
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import (
    JsonSchema,
    Number,
    Real,
    Setting,
    document,
    error_at,
    move_errors,
    show_value,
    to_plain,
)
from kinesphere.motion.phrase import SAMPLES

# Values of a dial: one, or values at moments


def _read_rows(value: Any, validate: Callable[[Any], Any]) -> Any:
    """A mapping from moments to values, of itself or of a document's rows, ``[{"at": 0.0, …}, …]``."""
    if not isinstance(value, list):
        return _check_moments(validate(value))
    made: dict[float, Any] = {}
    for i, row in enumerate(value):
        moment = _read_moment(i, row)
        if moment in made:
            raise error_at((i, "at"), f"{moment:g} s once more", "its own moment for every value")
        try:
            made |= validate({moment: {name: own for name, own in row.items() if name != "at"}})
        except ValidationError as error:
            raise move_errors(error, partial(_in_row, i)) from None
    return _check_moments(made)


def _read_moment(i: int, row: Any) -> float:
    if not isinstance(row, Mapping):
        raise error_at((i,), show_value(row), "an object with a moment, at, and values")
    if "at" not in row:
        raise error_at((i, "at"), "nothing", "a moment: seconds of the phrase's own time")
    try:
        return float(_MOMENT.check(row["at"]))
    except PydanticCustomError as error:
        expected = f"{(error.context or {})['expected']}; a phrase's own time begins at 0"
        raise error_at((i, "at"), show_value(row["at"]), expected) from None


def _in_row(i: int, place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A place in a mapping from moments as one in row ``i`` of a list."""
    return i, *place[1:]


def _check_moments(value: Mapping[float, Any]) -> Mapping[float, Any]:
    if not value:
        raise ValueError("a dial over time needs one moment at least; found none")
    if min(value) < 0.0:
        raise ValueError(f"a dial has a moment at {min(value):g} s; a phrase's own time begins at 0")
    return value


def _is_over_time(value: Any) -> str:
    moments = isinstance(value, Mapping) and value and not any(isinstance(key, str) for key in value)
    return "|over time" if moments or isinstance(value, list) else "|one"


_MOMENT = Number(least=0.0)


class RowsInDocuments:
    """Annotation of a mapping from moments to values: documents have it as rows with a moment each."""

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        values = handler.resolve_ref_schema(handler(schema)["additionalProperties"])
        at = {"type": "number", "minimum": 0, "description": "Seconds of the phrase's own time."}
        row = values | {"properties": {"at": at} | values["properties"], "required": ["at"]}
        return {"type": "array", "minItems": 1, "items": row}


def _check_kind(own: type, other: type, value: Any) -> Any:
    """Refuse what goes by another name: the other of Effort and Shape, also at a moment, and words."""
    rows = value.items() if isinstance(value, Mapping) else ((None, value),)
    for moment, dial in rows:
        if isinstance(dial, other | str) and not isinstance(moment, str):
            at = "" if moment is None else f" at {show_value(moment)} s"
            name = f"words={dial!r}" if isinstance(dial, str) else f"{other.__name__.lower()}=…"
            found = f"{show_value(dial)}{at}, which goes by its name, {name}"
            expected = f"an {own.__name__}" if own is Effort else f"a {own.__name__}"
            raise PydanticCustomError("dial_type", "{expected}", {"found": found, "expected": expected})
    return value


OVER_TIME = (WrapValidator(_read_rows), RowsInDocuments(), Tag("|over time"))
EffortDial: TypeAlias = Annotated[
    Annotated[Effort, Tag("|one")] | Annotated[Mapping[Real, Effort], *OVER_TIME],
    Discriminator(_is_over_time),
    BeforeValidator(partial(_check_kind, Effort, Shape)),
]
ShapeDial: TypeAlias = Annotated[
    Annotated[Shape, Tag("|one")] | Annotated[Mapping[Real, Shape], *OVER_TIME],
    Discriminator(_is_over_time),
    BeforeValidator(partial(_check_kind, Shape, Effort)),
]


def dial_to_plain(dial: Effort | Shape | Mapping[float, Effort] | Mapping[float, Shape]) -> Any:
    """A dial as JSON has it: an object, or a list of objects with their moments."""
    if isinstance(dial, Mapping):
        return [{"at": float(moment)} | to_plain(dial[moment]) for moment in sorted(dial)]
    return to_plain(dial)


@document(frozen=True)
class Part:
    """Effort and Shape of one part of the body; None: those of the whole body."""

    effort: Annotated[EffortDial | None, Setting("Its Effort: one value, or values at moments.")] = None
    shape: Annotated[ShapeDial | None, Setting("Its Shape: one value, or values at moments.")] = None

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        dials = ("effort", self.effort), ("shape", self.shape)
        return {name: dial_to_plain(dial) for name, dial in dials if dial is not None}


# Values over time


def constant_factors(dial: EffortDial | ShapeDial) -> tuple[float, float, float, float] | None:
    """The factors of a dial that does not change over time, else None."""
    if isinstance(dial, Effort | Shape):
        return dial.numbers
    values: list[Effort | Shape] = list(dial.values())
    return values[0].numbers if len(values) == 1 else None


def dial_curve(dial: EffortDial | ShapeDial, time: Floats) -> Floats:
    """The factors ``(N, 4)`` at these times, or ``(1, 4)`` where they don't change."""
    if isinstance(dial, Effort | Shape):
        return dial.factors[None]
    moments = sorted(dial)
    values = np.array([dial[moment].factors for moment in moments])
    if len(moments) == 1:
        return values
    return np.stack([monotone_cubic(moments, column, time) for column in values.T], axis=1)


def parameter_overrides(dial: EffortDial, time: Floats) -> dict[str, tuple[Floats, Floats]]:
    """Parameters set by hand: each one's value and weight, ``(N,)`` or ``(1,)``."""
    if isinstance(dial, Effort) and not dial.by_hand:
        return {}
    phrase = {0.0: dial} if isinstance(dial, Effort) else dict(dial)
    moments = sorted(phrase)
    found: dict[str, tuple[Floats, Floats]] = {}
    for name in sorted({name for effort in phrase.values() for name in effort.by_hand}):
        given = {m: phrase[m].by_hand[name] for m in moments if name in phrase[m].by_hand}
        if len(moments) == 1:
            found[name] = np.array([given[moments[0]]]), np.ones(1)
        else:
            weights = np.array([float(m in given) for m in moments])
            found[name] = np.interp(time, list(given), list(given.values())), monotone_cubic(moments, weights, time)
    return found


# Several edits of one part


Values: TypeAlias = Any  # one number, or a curve (N,) over the phrase's own time, ``SAMPLES`` values a second


@dataclass(frozen=True, eq=False)
class Dials:
    """One edit's dials on one part.

    ``strength (N,)`` is the edit's weight over the phrase's own time, ``SAMPLES`` values a second; None: 1.
    """

    effort: EffortDial = field(default_factory=Effort)
    shape: ShapeDial = field(default_factory=Shape)
    intensity: float = 1.0
    tempo: float = 1.0
    strength: Floats | None = None
    hands: bool = False  # whether hands follow the weight: a fist where it is strong, open where it is light


class CombinedDials(NamedTuple):
    """The dials of several edits, added up."""

    factors: Sequence[Values]  # four, from −1 to 1
    gain: Values  # from 1: how far their sum exceeds that range, by which amplitudes are multiplied

    @property
    def steady(self) -> bool:
        """Whether they are the same all the time."""
        return isinstance(self.gain, float)

    @property
    def neutral(self) -> bool:
        """Whether all factors are 0 all the time."""
        return not any(self.factors) if self.steady else not np.any(self.factors)


def combine_dials(dials: Sequence[Dials], which: Literal["effort", "shape"], time: Floats) -> CombinedDials:
    """The Effort or Shape of all edits: they add up, then saturate."""
    constant = [None if dial.strength is not None else constant_factors(getattr(dial, which)) for dial in dials]
    if None not in constant:
        a = b = c = d = 0.0
        for dial, numbers in zip(dials, constant, strict=True):
            size, (e, f, g, h) = dial.intensity, numbers  # type: ignore[misc]
            a, b, c, d = a + size * e, b + size * f, c + size * g, d + size * h
        sums = a, b, c, d
        return CombinedDials([min(max(v, -1.0), 1.0) for v in sums], max(1.0, max(sums), -min(sums)))
    total = np.zeros((1, 4))
    for dial in dials:
        factors = dial_curve(getattr(dial, which), time) * dial.intensity
        total = total + (factors if dial.strength is None else factors * dial.strength[:, None])
    return CombinedDials(list(np.clip(total, -1.0, 1.0).T), np.maximum(np.abs(total).max(axis=-1), 1.0))


def tempo_product(dials: Sequence[Dials]) -> Values:
    """The product of all edits' tempos."""
    total: Values = 1.0
    for dial in dials:
        total = total * (dial.tempo if dial.strength is None else dial.tempo**dial.strength)
    return total


def stroke_means(values: Values, edges: Floats, time: Floats) -> Values:
    """The mean of a curve ``(N, ...)`` over each stroke ``(S, ...)``; a number stays."""
    if isinstance(values, float):
        return values
    curves = values.reshape(len(values), -1)
    area = (
        np.concatenate([np.zeros((1, curves.shape[1])), np.cumsum(0.5 * (curves[1:] + curves[:-1]), axis=0)]) / SAMPLES
    )
    ends = np.clip(edges, 0.0, time[-1])
    areas = np.stack([np.interp(ends, time, column) for column in area.T], axis=1)
    durations = np.diff(ends)
    middle = sample_rows(curves, 0.5 * (ends[:-1] + ends[1:]), False)
    mean = np.where(durations[:, None] > 1e-6, np.diff(areas, axis=0) / np.maximum(durations, 1e-6)[:, None], middle)
    return mean.reshape(len(durations), *values.shape[1:])
