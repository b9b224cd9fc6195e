"""Documents: frozen dataclasses that are validated when made, and read strictly from JSON and TOML (pydantic).

``@document(frozen=True)`` is ``dataclasses.dataclass`` with validation. Fields are annotated, as in
``weight: Annotated[float, dial(-1, 1, "How much force.", "light", "strong")]``; command line, JSON Schema and reference
page derive from these annotations. ``read_document`` reads plain data, with errors that name the field's place and the
nearest known name; ``to_plain`` writes it, without fields that have their default; ``json_schema`` describes it.
"""

from __future__ import annotations

import json
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass as validated_dataclass
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticOmit, core_schema
from pydantic_core.core_schema import ErrorType

from kinesphere.motion.errors import MotionFileError, nearest_names

__all__ = [
    "AS_TUPLE",
    "READ_ONLY",
    "Choice",
    "Dial",
    "Either",
    "Flag",
    "Number",
    "Numbers",
    "Real",
    "Setting",
    "Text",
    "Unwritten",
    "Whole",
    "choices_of",
    "default_of",
    "describe_choices",
    "dial",
    "document",
    "error_at",
    "expected_type",
    "field_error",
    "field_names",
    "fields_to_plain",
    "format_number",
    "hints_of",
    "json_schema",
    "move_errors",
    "not_allowed",
    "number",
    "read_document",
    "setting_of",
    "show_value",
    "to_plain",
]
Made = TypeVar("Made")
JsonSchema: TypeAlias = dict[str, Any]
CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)
_PYDANTIC_TYPES = frozenset(get_args(ErrorType))  # of errors
LONGEST_SHOWN = 60  # characters of a value in an error message


# Annotations of fields


@dataclass(frozen=True)
class Setting:
    """Annotation of a field that a person sets.

    Parameters
    ----------
    about
        One sentence.
    option
        Its option on the command line, where that is not the field's name: ``--from`` for ``start``. It may have
        several names with blanks between, ``--parts --joints``. Without dashes it is an argument, ``OTHERS``.
    parse
        What the option's text becomes; None: by the field's type. With ``repeated``, of each of several texts: mappings
        and lists are then joined.
    metavar
        How the option's text is written, such as ``BAND=GAIN``.
    help
        What the option's help says, where that is not ``about``: of a flag that turns something off.
    repeated
        Whether the option may be given several times.
    file
        Whether the option's text may also be the name of a text file that has it.
    hidden
        Whether the command line leaves it out.
    """

    about: str = ""
    option: str = ""
    parse: Callable[[str], Any] | None = None
    metavar: str = ""
    help: str = ""
    repeated: bool = False
    file: bool = False
    hidden: bool = False

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        return handler(schema) | ({"description": self.about} if self.about else {})


@dataclass(frozen=True)
class Number(Setting):
    """Annotation of a number within a range; with ``inside``, the range's ends themselves are not allowed."""

    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    inside: Literal["", "least", "both"] = ""

    @property
    def range_text(self) -> str:
        """The allowed range in words."""
        if self.inside == "both":
            return f"above {format_number(self.least)} and below {format_number(self.most)}"
        if self.inside == "least":
            most = "" if math.isinf(self.most) else f" and at most {format_number(self.most)}"
            return f"more than {format_number(self.least)}{most}"
        if math.isinf(self.least) and math.isinf(self.most):
            return "a whole number" if self.whole else "a finite number"
        if math.isinf(self.most):
            return f"{format_number(self.least)} or more"
        return f"{format_number(self.least)} to {format_number(self.most)}"

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest finite number that is allowed."""
        least = math.nextafter(self.least, math.inf) if self.inside else self.least
        most = math.nextafter(self.most, -math.inf) if self.inside == "both" else self.most
        return max(least, -sys.float_info.max), min(most, sys.float_info.max)

    def check(self, value: Any) -> Any:
        """The value as a plain number, or the error that says what is allowed."""
        kinds = (int, np.integer) if self.whole else (int, float, np.integer, np.floating)
        if isinstance(value, bool | np.bool_) or not isinstance(value, kinds):
            kind = "a whole number" if self.whole else "a number"
            bounded = not (math.isinf(self.least) and math.isinf(self.most))
            raise expected_type(f"{kind}{', ' if bounded else ''}{self.range_text if bounded else ''}")
        least, most = self.ends
        if not least <= value <= most:  # NaN too
            raise not_allowed(self.range_text)
        return int(value) if self.whole else float(value) + 0.0  # −0.0 becomes 0.0

    def described(self) -> core_schema.CoreSchema:
        """What JSON Schema says of it."""
        limits = {
            "gt" if self.inside else "ge": self.least,
            "lt" if self.inside == "both" else "le": self.most,
        }
        limits = {name: value for name, value in limits.items() if math.isfinite(value)}
        if self.whole:
            return core_schema.int_schema(**{name: int(value) for name, value in limits.items()})  # type: ignore[arg-type]
        return core_schema.float_schema(**limits)  # type: ignore[arg-type]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check,
            json_schema_input_schema=self.described(),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value),
        )


@dataclass(frozen=True)
class Numbers(Number):
    """Annotation of a list of numbers, each within the range. ``form`` is how such a list is written, for messages."""

    count: int | None = None
    longest: int = 100_000
    form: str = "a list of numbers"

    def check(self, value: Any) -> tuple[float, ...]:
        """The numbers, or the error that names the wrong one."""
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, tuple | list) or (self.count is not None and len(value) != self.count):
            raise expected_type(self.form)
        if len(value) > self.longest:
            raise error_at((), f"{len(value)} entries", f"at most {self.longest}")
        least, most = self.ends
        if all(type(entry) is float and least <= entry <= most for entry in value):
            return tuple([entry + 0.0 for entry in value])
        return tuple([self._entry(i, entry) for i, entry in enumerate(value)])

    def _entry(self, i: int, value: Any) -> float:
        try:
            return float(super().check(value))
        except PydanticCustomError as error:
            raise error_at((i,), show_value(value), str((error.context or {})["expected"])) from None

    def described(self) -> core_schema.CoreSchema:
        entry = super().described()
        if self.count is not None:
            return core_schema.tuple_positional_schema([entry] * self.count)
        return core_schema.list_schema(entry, max_length=self.longest)


@dataclass(frozen=True)
class Choice(Setting):
    """Annotation of a text that is one of these. Unlike ``Literal``, they may be found at run time."""

    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> str:
        """The text, or the error that names what is allowed, and the nearest."""
        if not isinstance(value, str) or value not in self.choices:
            raise not_allowed(describe_choices(value if isinstance(value, str) else "", self.choices))
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check,
            json_schema_input_schema=core_schema.literal_schema(list(self.choices)),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value),
        )


class Unwritten:
    """Annotation of a field that files don't have, such as the file that a gesture was read from."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        members = get_args(source) if get_origin(source) in (Union, types.UnionType) else (source,)
        kinds = tuple(get_origin(member) or member for member in members)

        def check(value: Any) -> Any:
            if not isinstance(value, kinds):
                raise PydanticCustomError("unwritten_type", "{expected}", {"expected": f"a {kinds[0].__name__}"})
            return value

        return core_schema.no_info_plain_validator_function(check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        raise PydanticOmit


@dataclass(frozen=True)
class Dial(Number):
    """Annotation of a dial: a number with words for its two ends. ``neutral`` changes nothing; usually the default."""

    low: str = ""
    high: str = ""
    neutral: float = 0.0

    @property
    def range_text(self) -> str:
        if not self.low:
            return super().range_text
        return f"{format_number(self.least)} ({self.low}) to {format_number(self.most)} ({self.high})"

    def __get_pydantic_json_schema__(self, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        made = super().__get_pydantic_json_schema__(schema, handler)
        return made | ({"x-ends": [self.low, self.high], "x-neutral": self.neutral} if self.low else {})


def dial(
    least: float, most: float, about: str, low: str = "", high: str = "", neutral: float = 0.0, **more: Any
) -> Dial:
    """A dial, with what is most often given first."""
    return Dial(about, least=least, most=most, low=low, high=high, neutral=neutral, **more)


def number(least: float = -math.inf, most: float = math.inf, about: str = "", **more: Any) -> Number:
    """A number, with what is most often given first."""
    return Number(about, least=least, most=most, **more)


def _check_flag(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise expected_type("true or false")
    return bool(value)


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise expected_type("a text")
    return value


class _Plain:
    """Strict validation of one plain type."""

    def __init__(self, check: Callable[[Any], Any], schema: core_schema.CoreSchema) -> None:
        self.check, self.schema = check, schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check,
            json_schema_input_schema=self.schema,
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value),
        )


Flag: TypeAlias = Annotated[bool, _Plain(_check_flag, core_schema.bool_schema())]
Text: TypeAlias = Annotated[str, _Plain(_check_text, core_schema.str_schema())]
Real: TypeAlias = Annotated[float, Number()]
Whole: TypeAlias = Annotated[int, Number(whole=True)]


class Either:
    """Annotation of a type with several members; ``choose`` says by its value which one it must be.

    Errors are then of that member alone.
    """

    def __init__(self, choose: Callable[[Any], str], **members: Any) -> None:
        self.choose, self.members = choose, members

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        choices = {f"[{name}]": handler.generate_schema(member) for name, member in self.members.items()}
        return core_schema.tagged_union_schema(choices, lambda value: f"[{self.choose(value)}]")


def _as_tuple(value: Any) -> Any:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise expected_type("a list")
    return tuple(value)


AS_TUPLE = BeforeValidator(_as_tuple)  # lists, arrays and iterators become tuples
READ_ONLY = AfterValidator(lambda value: types.MappingProxyType(dict(value)))  # annotation of mappings


def expected_type(what: str) -> PydanticCustomError:
    """The error of a value of the wrong kind; ``what`` is expected."""
    return PydanticCustomError("kind_type", "{expected}", {"expected": what})


def not_allowed(what: str) -> PydanticCustomError:
    """The error of a value out of range; ``what`` is allowed."""
    return PydanticCustomError("not_allowed", "{expected}", {"expected": what})


def error_at(place: Sequence[int | str], found: str, expected: str) -> ValidationError:
    """The error of a check in ``__post_init__`` or of an annotation, at a place within what is checked."""
    kind = PydanticCustomError("placed", "{expected}", {"found": found, "expected": expected})
    return ValidationError.from_exception_data("document", [InitErrorDetails(type=kind, loc=tuple(place), input=None)])


def move_errors(
    error: ValidationError, change: Callable[[tuple[int | str, ...]], Sequence[int | str]]
) -> ValidationError:
    """The same errors at other places: ``change`` makes the new place of the old one."""
    moved = []
    for own in error.errors(include_url=False):
        context = own.get("ctx", {})
        kind: Any = own["type"]
        if kind not in _PYDANTIC_TYPES:
            kind = PydanticCustomError(kind, "{expected}" if "expected" in context else own["msg"], context)
        moved.append(InitErrorDetails(type=kind, loc=tuple(change(own["loc"])), input=own["input"], ctx=context))
    return ValidationError.from_exception_data("document", moved)


def format_number(value: float) -> str:
    """A number with a typographic minus, as messages have it."""
    return f"{value:g}".replace("-", "−")


# The decorator


if TYPE_CHECKING:
    from dataclasses import dataclass as document
else:

    def document(cls=None, **options):
        """``dataclasses.dataclass``, validated when made: types, ranges, unknown fields; errors are ours."""
        if cls is None:
            return lambda own: document(own, **options)
        made = validated_dataclass(cls, config=CONFIG, **options)
        validate = made.__init__

        @wraps(validate)
        def __init__(self, *args, **kwargs):  # noqa: N807
            try:
                validate(self, *args, **kwargs)
            except ValidationError as error:
                raise _construction_error(made, error) from None

        made.__init__ = __init__
        return made


def _construction_error(cls: type, error: ValidationError) -> Exception:
    """The error of a document made in Python: ``Effort: weight is 2; −1 (light) to 1 (strong) is allowed``."""
    first = _first_error(error)
    names = [field.name for field in fields(cls) if not field.kw_only]
    place = [part for part in first["loc"] if not _is_tag(part)]
    if place and isinstance(place[0], int) and place[0] < len(names):
        place[0] = names[place[0]]
    kind, own = first["type"], cls.__name__
    if kind == "value_error":
        where = f"{_path_text(place)}: " if place else ""
        return ValueError(f"{where}{first['ctx']['error']}")
    if kind in ("unexpected_keyword_argument", "unexpected_positional_argument"):
        return TypeError(f"{own}: {_unknown_field(cls, place)}")
    expected = _expected(first)
    found = first.get("ctx", {}).get("found") or show_value(first["input"])
    if kind in ("missing", "missing_argument"):
        return TypeError(f"{own}: {_path_text(place)} is missing")
    if kind == "placed":
        return ValueError(
            f"{': '.join(filter(None, (own, _path_text(place))))}: found {_found(first)}; expected {expected}"
        )
    verb = "" if kind in ("literal_error", "enum") else " is expected" if kind.endswith("_type") else " is allowed"
    text = f"{own}: {_path_text(place)} is {found}; {expected}{verb}"
    return TypeError(text) if kind.endswith("_type") else ValueError(text)


# Reading plain data


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def read_document(cls: type[Made], data: Any, path: str | Path, where: str = "") -> Made:
    """A document from plain data of JSON or TOML; ``where`` is its place in the file that errors call ``path``."""
    if not isinstance(data, Mapping):
        raise MotionFileError(path, show_value(data), "an object with named fields", where=where or "the document")
    try:
        kind: Any = cls
        made: Made = _adapter(kind).validate_python(dict(data))
    except ValidationError as error:
        raise _document_error(cls, error, Path(path), where) from None
    except (TypeError, OverflowError) as error:
        raise MotionFileError(path, str(error), "values that are allowed", where=where or "the document") from None
    return made


def _document_error(cls: type, error: ValidationError, path: Path, where: str) -> MotionFileError:
    first = _first_error(error)
    place = [part for part in first["loc"] if not _is_tag(part)]
    at = _path_text(place, where) or "the document"
    kind = first["type"]
    if kind == "value_error":
        return MotionFileError(path, str(first["ctx"]["error"]), "values that are allowed", where=at)
    if kind in ("unexpected_keyword_argument", "unwritten_type"):
        known = field_names(_type_at(cls, place[:-1]))
        return MotionFileError(path, "a field that nobody knows", describe_choices(str(place[-1]), known), where=at)
    if kind in ("missing", "missing_argument"):
        return MotionFileError(path, "nothing", _expected_at(cls, place), where=at)
    return MotionFileError(path, _found(first), _expected(first), where=at)


def _first_error(error: ValidationError) -> Any:
    """The error to tell of: the first. Of a missing field, an unknown one beside it: likely the same, misspelt."""
    found: list[Any] = list(error.errors(include_url=False))
    first = found[0]
    if first["type"] not in ("missing", "missing_argument"):
        return first
    unknown = [own for own in found if own["type"] == "unexpected_keyword_argument"]
    return next((own for own in unknown if own["loc"][:-1] == first["loc"][:-1]), first)


def _is_tag(part: int | str) -> bool:
    """Whether a part of a place is pydantic's name of one member of a union, rather than a field."""
    return isinstance(part, str) and ("[" in part or part.startswith(("|", "function-")))


def _unknown_field(cls: type, place: Sequence[int | str]) -> str:
    known = field_names(_type_at(cls, place[:-1]))
    near = nearest_names(str(place[-1]), known)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"no field is called {str(place[-1])!r}; {hint}There are: {', '.join(known)}"


def field_names(cls: Any) -> tuple[str, ...]:
    """Names of a document's fields in a file."""
    if isinstance(cls, Either):
        return tuple(dict.fromkeys(name for member in cls.members.values() for name in field_names(member)))
    if not is_dataclass(cls):
        return ()
    kind: Any = cls
    own = getattr(cls, "__pydantic_fields__", {})
    written = [field.name for field in fields(cls) if not _is_unwritten(hints_of(kind)[field.name])]
    return tuple((own[name].alias if name in own else None) or name for name in written)


def _is_unwritten(hint: Any) -> bool:
    return get_origin(hint) is Annotated and any(isinstance(entry, Unwritten) for entry in get_args(hint)[1:])


def _expected_at(cls: Any, place: Sequence[int | str]) -> str:
    """What a missing field should be."""
    owner = _type_at(cls, place[:-1])
    hint = hints_of(owner).get(str(place[-1])) if isinstance(owner, type) and is_dataclass(owner) else None
    setting = setting_of(hint)
    if isinstance(setting, Numbers):
        return setting.form
    if isinstance(setting, Number):
        return f"a number, {setting.range_text}"
    kinds = {bool: "true or false", str: "a text", int: "a whole number", float: "a number"}
    return kinds.get(_without_annotations(hint), "a value")


def _type_at(cls: Any, place: Sequence[int | str]) -> Any:
    """The dataclass at a place of a document, ``Either`` of several, or None where it is none."""
    here = cls
    for part in place:
        while get_origin(here) in (Annotated, Union, types.UnionType):
            members = [own for own in get_args(here) if _dataclass_in(own) is not None]
            rows = [own for own in members if isinstance(part, int) and not is_dataclass(_without_annotations(own))]
            here = next(iter(rows or members), None)
        if isinstance(here, type) and is_dataclass(here):
            kind: Any = here
            here = hints_of(kind).get(str(part))
        else:  # a list's entry, or a mapping's value
            here = next((own for own in get_args(here) if _dataclass_in(own) is not None), None)
    return _dataclass_in(here)


def _without_annotations(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _dataclass_in(hint: Any) -> Any:
    """The dataclass that a type is, or holds: ``tuple[Key, ...]``, ``Key | None``, ``dict[str, Key]``."""
    if isinstance(hint, Either) or (isinstance(hint, type) and is_dataclass(hint)):
        return hint
    if get_origin(hint) is Annotated:  # Either says more than the type does
        hints = [own for own in get_args(hint) if isinstance(own, Either)] or [get_args(hint)[0]]
        return _dataclass_in(hints[0])
    return next((found for own in get_args(hint) if (found := _dataclass_in(own)) is not None), None)


def _path_text(place: Sequence[int | str], start: str = "") -> str:
    text = start
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f"{'.' if text else ''}{part}"
    return text


_EXPECTED = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object with named fields",
    "mapping_type": "an object with named fields",
    "dataclass_type": "an object with named fields",
    "dataclass_exact_type": "an object with named fields",
    "path_type": "a file",
    "enum": "one of these",
}


def field_error(error: ValidationError) -> tuple[tuple[int | str, ...], str, str]:
    """Place, what was found and what was expected, of the first of pydantic's errors."""
    first = error.errors(include_url=False)[0]
    if first["type"] == "value_error":
        return first["loc"], str(first["ctx"]["error"]), "values that are allowed"
    return first["loc"], _found(first), _expected(first)


def _found(error: Any) -> str:
    """What was found, of one error of pydantic's."""
    context = error.get("ctx", {})
    if error["type"] in ("too_long", "too_short"):
        return f"{context['actual_length'] or 'more'} entries"
    return str(context["found"]) if "found" in context else show_value(error["input"])


def _expected(error: Any) -> str:
    """What was expected, of one error of pydantic's."""
    context = error.get("ctx", {})
    kind = error["type"]
    if kind in ("literal_error", "enum"):
        return describe_choices(str(error["input"]), re.findall(r"'([^']*)'", context["expected"]))
    if kind in ("too_long", "too_short"):
        bound = "at most" if kind == "too_long" else "at least"
        return f"{bound} {context.get('max_length', context.get('min_length'))} entries"
    return str(context.get("expected") or _EXPECTED.get(kind) or error["msg"])


def show_value(value: Any) -> str:
    """A value for an error message, shortened."""
    if value is None:
        return "nothing"
    if isinstance(value, float | np.floating):
        return f"{value:g}"
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}…"


def describe_choices(found: str, allowed: Sequence[str] | AbstractSet[str] | Mapping[str, object]) -> str:
    """The allowed names, with the nearest one if there is any."""
    names = list(allowed)
    begun = [name for name in names if len(name) > 1 and found.lower().startswith(name)]  # "inwards" is "in", no other
    near = begun or nearest_names(found, names)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"one of: {', '.join(names)}{hint}" if names else "nothing"


# Writing plain data


def to_plain(value: Any) -> Any:
    """A document, or any value in one, as JSON has it; fields that have their default are left out.

    A class with a method ``to_plain`` says itself how it is written.
    """
    own = getattr(value, "to_plain", None)
    if own is not None and not isinstance(value, type):
        return own()
    if is_dataclass(value) and not isinstance(value, type):
        return fields_to_plain(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else repr(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list | np.ndarray):
        return [to_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"{value} has no place in a document: save it, and name its file instead")


def fields_to_plain(value: Any) -> dict[str, Any]:
    """A document's fields that differ from their defaults."""
    row = {}
    kind: Any = type(value)
    for field in fields(value):
        own, default = getattr(value, field.name), default_of(field)
        if own is not default and not _same(own, default) and not _is_unwritten(hints_of(kind)[field.name]):
            row[field.name] = to_plain(own)
    return row


def _same(value: Any, default: Any) -> bool:
    if default is MISSING:
        return False
    return bool(type(value) is type(default) or not is_dataclass(value)) and bool(value == default)


def default_of(field: Field[Any]) -> Any:
    """A field's default; ``MISSING`` where it has none."""
    return field.default if field.default_factory is MISSING else field.default_factory()


# Describing


@cache
def hints_of(cls: Any) -> Mapping[str, Any]:
    """Types of a document's fields, with their annotations."""
    return get_type_hints(cls, include_extras=True)


def setting_of(hint: Any) -> Setting | None:
    """The annotation of a field's type, also of ``Annotated[...] | None``."""
    if get_origin(hint) is Annotated:
        found = [entry for entry in get_args(hint)[1:] if isinstance(entry, Setting)]
        return found[-1] if found else setting_of(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return next((own for member in get_args(hint) if (own := setting_of(member)) is not None), None)
    return None


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The values of a ``Literal``, also of an annotated or optional one."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    if get_origin(hint) in (Annotated, Union, types.UnionType):
        return next((own for member in get_args(hint) if (own := choices_of(member))), ())
    return ()


def json_schema(cls: Any) -> JsonSchema:
    """The JSON Schema of a document."""
    made: JsonSchema = _describe_options(_adapter(cls).json_schema(mode="validation"))
    return made


def _describe_options(schema: Any) -> Any:
    """The schema with the sentences of optional fields beside their options, not only within one of them."""
    if isinstance(schema, list):
        return [_describe_options(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _describe_options(value) for name, value in schema.items()}
    options = made.get("anyOf")
    if "description" not in made and isinstance(options, list) and "description" in options[0]:
        made["description"] = options[0]["description"]
    return made
