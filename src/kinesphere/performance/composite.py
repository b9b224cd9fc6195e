"""Composite: a property that a file composes of others, with dials of its own: languid, majestic, nervous recoil."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import Real, Setting, Text, dial, document, error_at, number, show_value
from kinesphere.motion.edit import NameOrFile, phrase_edit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.performance_files import PerformanceFile, PerformanceFiles, source_of
from kinesphere.performance.property import Family, MovementProperty
from kinesphere.performance.property_rows import AskedProperty, read_rows

COMPOSITES = PerformanceFiles("property", "composite property", Path(__file__).parent / "composites")
MOST_DIALS = 50


@document(frozen=True)
class CompositeDial:
    """A dial of a composite property."""

    about: Annotated[Text, Setting("What it does, in a sentence.")]
    least: Annotated[float, number(-1000.0, 1000.0, "The smallest that is allowed.")] = 0.0
    most: Annotated[float, number(-1000.0, 1000.0, "The largest that is allowed.")] = 1.0
    default: Annotated[float, number(-1000.0, 1000.0, "What it is where nobody says.")] = 1.0
    low: Annotated[Text, Setting("A word for its smallest value.")] = ""
    high: Annotated[Text, Setting("A word for its largest value.")] = ""

    def __post_init__(self) -> None:
        if self.most <= self.least:
            raise error_at(("most",), f"{self.most:g}", f"more than the least, {self.least:g}")
        if not self.least <= self.default <= self.most:
            raise error_at(("default",), f"{self.default:g}", f"{self.least:g} to {self.most:g}")


@document(frozen=True)
class CompositeFile:
    """A composite property as a file has it; its rows are read with numbers for its dials."""

    kind: Annotated[Literal["property"], Setting("The kind of file.")]
    about: Annotated[Text, Setting("What it is, in a sentence.")]
    property: Annotated[tuple[Any, ...], Setting("The properties that it is composed of.")]
    reading: Annotated[Text, Setting("How it is read, and where that is written.")] = ""
    dial: Annotated[
        Mapping[str, CompositeDial], Field(max_length=MOST_DIALS), Setting("Its dials, by name: numbers in its rows.")
    ] = field(default_factory=dict)


@phrase_edit("composite")
@document(frozen=True)
class Composite(MovementProperty):
    """A property that is composed of others in a file, ours by name or one of your own.

    Each of them gives way to the same property where it is asked for directly.
    """

    family = Family.COMPOSITE

    name: Annotated[
        Text, NameOrFile(), Setting("Ours, or one of your own, by name; or a .toml file.", metavar="NAME|FILE")
    ] = ""
    amount: Annotated[
        float, dial(0, 1, "How much of it, from none to as it is written.", "nothing", "all of it", neutral=1.0)
    ] = 1.0
    dials: Annotated[
        Mapping[str, Real], Setting("Its own dials, such as languor=0.5.", option="--dial", metavar="NAME=NUMBER,…")
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dials", MappingProxyType(dict(self.dials)))
        if self.name:
            COMPOSITES.check(source_of(self.name))

    @property
    def neutral(self) -> bool:
        """Whether it asks for nothing."""
        return not self.name or self.amount == 0.0

    @property
    def file(self) -> PerformanceFile:
        """Its file."""
        return COMPOSITES.find(source_of(self.name))

    def rows(self, inside: tuple[str, ...] = ()) -> tuple[AskedProperty, ...]:
        """The properties that it is composed of, with its dials' numbers; ``inside`` are composites that name it."""
        file = self.file
        written = composite_file(file)
        return read_rows(file, self._values(written), (*inside, str(file.path.resolve())))

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """What all of them ask for."""
        name = self.file.name
        for own in self.rows():
            yield from own.claims(phrase, self.amount, composite=name)

    def _values(self, written: CompositeFile) -> dict[str, float]:
        values = {name: own.default for name, own in written.dial.items()}
        for name, value in self.dials.items():
            if name not in values:
                raise ValueError(f"{self.name}: {unknown_name('dial', name, tuple(values))}")
            own = written.dial[name]
            if not own.least <= value <= own.most:
                raise ValueError(
                    f"{self.name}: {name} is {show_value(value)}; {own.least:g} to {own.most:g} is allowed"
                )
            values[name] = value
        return values

    @classmethod
    def examples(cls) -> tuple[Composite, ...]:
        """All of ours."""
        return tuple(cls(path.stem) for path in sorted(COMPOSITES.folder.glob("*.toml")))


def composite_file(file: PerformanceFile) -> CompositeFile:
    """What a composite's file says, but for its rows, which need numbers for its dials."""
    made: CompositeFile = file.document(CompositeFile, file.table)
    return made
