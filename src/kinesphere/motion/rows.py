"""Documents that files have as lists: a step is ``[lift, land, x, z, turn]`` rather than a table with these names.

Errors have the place of the list and the name of the entry: ``steps.left[0]: found "x" for land; expected a number``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationError
from pydantic_core import ArgsKwargs, core_schema

from kinesphere.motion.document import JsonSchema, error_at, expected_type, field_error, to_plain


class Listed:
    """Base of documents that files have as lists. Only Python's constructor takes the fields by name."""

    FORM: ClassVar[str] = "a list"  # how the list is written, for messages

    @classmethod
    @abstractmethod
    def from_list(cls, given: list[Any]) -> dict[str, Any]:
        """The constructor's arguments."""

    @abstractmethod
    def to_plain(self) -> list[Any]:
        """The list."""

    @classmethod
    @abstractmethod
    def list_schema(cls, entries: Mapping[str, JsonSchema]) -> JsonSchema:
        """The list's JSON Schema, from the schemas of the fields."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        def read(value: Any, make: Callable[[Any], Any]) -> Any:
            if isinstance(value, ArgsKwargs | cls):
                return make(value)
            if not isinstance(value, list):
                raise expected_type(cls.FORM)
            try:
                return make(ArgsKwargs((), cls.from_list(value)))
            except ValidationError as error:
                raise _at_list(error) from None

        return core_schema.no_info_wrap_validator_function(read, handler(source))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: GetJsonSchemaHandler) -> JsonSchema:
        made = handler.resolve_ref_schema(referred := handler(schema))
        if "properties" in made:
            own = cls.list_schema(made["properties"])
            about = {name: made[name] for name in ("title", "description") if name in made}
            made.clear()
            made.update(about | own)
        return referred


def _at_list(error: ValidationError) -> ValidationError:
    """The error of a field at the place of the list; errors at entries of a list stay where they are."""
    place, found, expected = field_error(error)
    if not place or isinstance(place[0], int):
        return error
    return error_at((), f"{found} for {place[0]}", expected)


class Row(Listed):
    """Base of documents that files have as the list of their fields' values, all of them, in order.

    ``SPREAD`` are fields of several entries, with their number, whose entries stand in the row themselves.
    """

    SPREAD: ClassVar[Mapping[str, int]] = {}

    @classmethod
    def from_list(cls, given: list[Any]) -> dict[str, Any]:
        kind: Any = cls
        entries, counts = iter(given), {field.name: cls.SPREAD.get(field.name) for field in fields(kind)}
        if len(given) != sum(count or 1 for count in counts.values()):
            raise expected_type(cls.FORM)
        return {
            name: next(entries) if count is None else [next(entries) for _ in range(count)]
            for name, count in counts.items()
        }

    def to_plain(self) -> list[Any]:
        row: list[Any] = []
        own: Any = self
        for field in fields(own):
            value = to_plain(getattr(self, field.name))
            row += value if field.name in self.SPREAD else [value]
        return row

    @classmethod
    def list_schema(cls, entries: Mapping[str, JsonSchema]) -> JsonSchema:
        cells: list[JsonSchema] = []
        for name, entry in entries.items():
            cells += entry["prefixItems"] if name in cls.SPREAD else [entry]
        cells = [{name: value for name, value in cell.items() if name != "default"} for cell in cells]
        return {"type": "array", "prefixItems": cells, "minItems": len(cells), "maxItems": len(cells)}
