"""Files of sketches in TOML: a character's tendencies as movement properties, Effort, Shape, words and behaviours."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from kinesphere.direction.express import Express
from kinesphere.motion.behaviour import BEHAVIOURS, Behaviour
from kinesphere.motion.document import Setting, Text, describe_choices, document, show_value
from kinesphere.motion.memo import memoised
from kinesphere.performance.performance_files import PerformanceFile, PerformanceFiles
from kinesphere.performance.property_rows import AskedProperty, read_rows

SKETCHES = PerformanceFiles("sketch", "sketch", Path(__file__).parent / "sketches")
MOST_BEHAVIOURS = 20


@document(frozen=True)
class SketchFile:
    """A sketch as a file has it."""

    kind: Annotated[Literal["sketch"], Setting("The kind of file.")]
    about: Annotated[Text, Setting("Who it is, in a sentence.")]
    express: Annotated[Express, Setting("Effort, Shape, words and stillness, which add to those of the user.")] = field(
        default_factory=Express
    )
    property: Annotated[tuple[Any, ...], Setting("Movement properties: a name, parts, and its fields.")] = ()
    behaviour: Annotated[
        tuple[Any, ...], Field(max_length=MOST_BEHAVIOURS), Setting("What goes on by itself on top, by name.")
    ] = ()


class SketchContent(NamedTuple):
    """What a sketch asks for."""

    name: str
    about: str
    express: Express
    properties: tuple[AskedProperty, ...]
    behaviours: tuple[Behaviour, ...]


@memoised
def sketch_content(file: PerformanceFile) -> SketchContent:
    """What a sketch's file asks for; errors have its lines."""
    written: SketchFile = file.document(SketchFile, file.table)
    behaviours = tuple(_behaviour(file, row, i) for i, row in enumerate(written.behaviour))
    return SketchContent(file.name, written.about, written.express, read_rows(file, {}, ()), behaviours)


def _behaviour(file: PerformanceFile, row: Any, i: int) -> Behaviour:
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(name, str) or name not in BEHAVIOURS:
        expected = describe_choices(str(name), BEHAVIOURS.names())
        raise file.error(("behaviour", i, "name"), show_value(name), expected)
    fields = {key: value for key, value in row.items() if key != "name"}
    made: Behaviour = file.document(BEHAVIOURS[name], fields, ("behaviour", i))
    return made


def at_amount(express: Express, amount: float) -> Express:
    """Less of what an Express asks for."""
    if amount == 1.0:
        return express
    return replace(express, intensity=amount * express.intensity, stillness=amount * express.stillness)
