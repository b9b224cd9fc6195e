"""Options of ``kinesphere perform`` as texts, ``space=-1,time=0.5``, ``right_arm:weight=1``, and what they ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kinesphere.cli.shared import score_source

if TYPE_CHECKING:
    from kinesphere.direction.words import Vocabulary
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import Effort
    from kinesphere.laban.shape import Shape
    from kinesphere.motion.behaviour import Behaviour
    from kinesphere.motion.edit import Layer
    from kinesphere.performance.sketch import Sketch
    from kinesphere.score.score import Score


def parse_numbers(option: str, text: str, allowed: Iterable[str]) -> dict[str, float]:
    """``name=number`` pairs, parted by commas."""
    from kinesphere.motion.document import describe_choices

    names = list(allowed)
    given: dict[str, float] = {}
    for piece in text.split(","):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise ValueError(f"{option} {text!r}: found {piece.strip()!r}; write name=number, such as {names[0]}=0.5")
        if name not in names:
            raise ValueError(f"{option} {text!r}: found {name!r}; expected {describe_choices(name, names)}")
        if name in given:
            raise ValueError(f"{option} {text!r}: {name} is given twice")
        try:
            given[name] = float(value)
        except ValueError:
            raise ValueError(f"{option} {text!r}: {name} is {value!r}; a number is expected") from None
    return given


def parse_effort(option: str, text: str | None, by_hand: str | None = None) -> Effort:
    """The Effort of ``--effort`` and ``--set``."""
    from kinesphere.laban.effort import FACTORS, Effort
    from kinesphere.laban.effort_parameters import RANGES

    given = {} if text is None else parse_numbers(option, text, FACTORS)
    space, weight, time, flow = (given.get(name, 0.0) for name in FACTORS)
    return Effort(space, weight, time, flow, by_hand={} if by_hand is None else parse_numbers("--set", by_hand, RANGES))


def parse_shape(option: str, text: str | None) -> Shape:
    """The Shape of ``--shape``."""
    from kinesphere.laban.shape import DIMENSIONS, Shape

    return Shape(**({} if text is None else parse_numbers(option, text, DIMENSIONS)))


def parse_parts(texts: Iterable[str], effort: Effort, shape: Shape) -> Mapping[str, Part]:
    """The parts of all ``--part``: dials of Effort and Shape, mixed as one likes, in place of the whole's."""
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import FACTORS, Effort
    from kinesphere.laban.expression import PARTS
    from kinesphere.laban.shape import DIMENSIONS, Shape
    from kinesphere.motion.errors import unknown_name

    parts: dict[str, Part] = {}
    for text in texts:
        name, colon, dials = text.partition(":")
        name = name.strip().replace("-", "_")
        if not colon:
            raise ValueError(f"--part {text!r}: write part:name=number, such as right_arm:weight=1")
        if name not in PARTS:
            raise ValueError(unknown_name("part", name, PARTS))
        if name in parts:
            raise ValueError(f"--part {text!r}: {name} is given twice; put its dials together, parted by commas")
        given = parse_numbers("--part", dials, (*FACTORS, *DIMENSIONS))
        factors = {key: given.get(key, getattr(effort, key)) for key in FACTORS}
        dimensions = {key: given.get(key, getattr(shape, key)) for key in DIMENSIONS}
        parts[name] = Part(Effort(**factors, by_hand=effort.by_hand), Shape(**dimensions))
    return parts


def parse_behaviour(text: str) -> Behaviour:
    """The behaviour of ``--behaviour``: its name, and fields after a colon."""
    from kinesphere.cli.edit_commands import options_of
    from kinesphere.motion.behaviour import BEHAVIOURS
    from kinesphere.motion.document import describe_choices

    name, _, rest = (part.strip() for part in text.partition(":"))
    if name not in BEHAVIOURS:
        raise ValueError(f"--behaviour {text!r}: found {name!r}; expected {describe_choices(name, BEHAVIOURS.names())}")
    options = {option.name: option for option in options_of(BEHAVIOURS[name])}
    given = {}
    for piece in rest.split(",") if rest else ():
        field, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or field not in options:
            expected = f"field=value, {describe_choices(field, options)}"
            raise ValueError(f"--behaviour {text!r}: found {piece.strip()!r}; expected {expected}")
        if field in given:
            raise ValueError(f"--behaviour {text!r}: {field} is given twice")
        try:
            given[field] = options[field].read(value)
        except ValueError as error:
            raise ValueError(f"--behaviour {text!r}: {field} is {value!r}; {error}") from None
    try:
        return BEHAVIOURS[name].from_options(**given)
    except (TypeError, ValueError) as error:
        raise ValueError(f"--behaviour {text!r}: {error}") from None


def parse_sketch(text: str) -> Sketch:
    """The sketch of ``--sketch``: its name or file, and after a colon how much of it."""
    from kinesphere.performance.sketch import Sketch

    name, colon, amount = text.rpartition(":")
    if not colon or amount.lower().endswith(".toml"):
        return Sketch(text)
    try:
        return Sketch(name, float(amount))
    except ValueError as error:
        raise ValueError(f"--sketch {text!r}: {error}") from None


def load_vocabulary(file: Path | None) -> Vocabulary | None:
    """Words of the user's own."""
    if file is None:
        return None
    from kinesphere.direction.words import load_words

    return load_words(file)


@dataclass(frozen=True)
class Asked:
    """What is asked of a performance: plain data, which other processes can be sent."""

    effort: str | None = None
    shape: str | None = None
    words: str | None = None
    intensity: float = 1.0
    stillness: float = 0.0
    parts: tuple[str, ...] = ()
    by_hand: str | None = None
    affinities: bool = False
    keep_path: bool = False
    start: float | None = None
    end: float | None = None
    model: str | None = None
    vocabulary: Path | None = None
    lock_times: bool = False
    seed: int | None = None
    behaviours: tuple[str, ...] = ()
    fps: float | None = None
    character: Path | None = None
    sketch: str | None = None

    def score(self, before: Score) -> Score:
        """The score with all this."""
        score = replace(before, layers=self._layers(before))
        return replace(
            score,
            behaviours=(*score.behaviours, *(parse_behaviour(text) for text in self.behaviours)),
            seed=score.seed if self.seed is None else self.seed,
            character=score.character if self.character is None else score_source(self.character),
            rate=score.rate if self.fps is None else self.fps,
        )

    def _layers(self, before: Score) -> tuple[Layer, ...]:
        """The layers that there are, and one more; all their Efforts with the model that is asked for."""
        from kinesphere.direction.express import Express
        from kinesphere.direction.word_text import word_strengths
        from kinesphere.laban.effort_parameters import DEFAULT, effort_model
        from kinesphere.motion.edit import Layer
        from kinesphere.score.performance import with_model

        whole = parse_effort("--effort", self.effort, self.by_hand), parse_shape("--shape", self.shape)
        edit = Express(
            *whole,
            {} if self.words is None else word_strengths(self.words),
            self.intensity,
            self.stillness,
            affinities=self.affinities,
            of_parts=parse_parts(self.parts, *whole),
            keep_path=self.keep_path,
            vocabulary=load_vocabulary(self.vocabulary),
        )
        plain = edit == Express() and self.start is None and self.end is None
        first = () if self.sketch is None else (parse_sketch(self.sketch).over(start=self.start, end=self.end),)
        every = (*first, *before.layers, *(() if plain else (edit.over(start=self.start, end=self.end),)))
        if self.model is None and not self.lock_times:
            return every
        own = DEFAULT if self.model is None else self.model
        effort_model(own)  # refuses what is none
        return tuple(
            Layer(replace(layer.edit, effort=with_model(layer.edit.effort, own, self.lock_times)), layer.scope)
            if isinstance(layer.edit, Express)
            else layer
            for layer in every
        )
