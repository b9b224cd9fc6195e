"""``kinesphere perform``: a gesture or walk with Effort and Shape: ``space=-1,time=0.5``, ``right_arm:weight=1``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.performing import Overwrite, Performer, Preview, SaveScore, perform_score
from kinesphere.cli.shared import report_errors, score_source

if TYPE_CHECKING:
    from kinesphere.direction.words import Vocabulary
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import Effort
    from kinesphere.laban.shape import Shape
    from kinesphere.motion.behaviour import Behaviour
    from kinesphere.motion.edit import Layer
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


EFFORT = "space indirect..direct, weight light..strong, time sustained..sudden, flow free..bound; each from -1 to 1"
SHAPE = "horizontal spreading..enclosing, vertical rising..sinking, sagittal advancing..retreating, reach near..far"


def perform(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN",
            help="One of our gestures or walks by name, a file of key points, one in .toml, or a score in .json.",
            show_default=False,
        ),
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write, in any format.")],
    effort: Annotated[str | None, typer.Option("--effort", help=f"Such as space=-1,time=0.5: {EFFORT}.")] = None,
    shape: Annotated[str | None, typer.Option("--shape", help=f"Such as vertical=-1: {SHAPE}.")] = None,
    words: Annotated[str | None, typer.Option("--words", help='Such as "gently and proudly".')] = None,
    intensity: Annotated[float, typer.Option(help="0 to 2: how much of all this.")] = 1.0,
    stillness: Annotated[float, typer.Option(help="-1, restless, to 1, a statue.")] = 0.0,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help="Dials of one part for the whole's, such as right_arm:weight=1; may be repeated."),
    ] = None,
    by_hand: Annotated[
        str | None, typer.Option("--set", help="Movement parameters by hand, such as wrist_bend=0.2,tension=0.5.")
    ] = None,
    affinities: Annotated[bool, typer.Option("--affinities", help="Let Shape go along with Effort.")] = False,
    keep_path: Annotated[
        bool, typer.Option("--keep-path", help="Let a walk go where it went: strides stay as long as they are.")
    ] = False,
    start: Annotated[float | None, typer.Option("--from", help="Seconds of the gesture's own time.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Seconds of the gesture's own time.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="default, chi1999, emote2000, or a character's own .toml.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", help="A .toml file with words of your own.")
    ] = None,
    lock_times: Annotated[bool, typer.Option("--lock-times", help="Keep the keys' times whatever the Effort.")] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Which individual performs it.")] = None,
    behaviour: Annotated[
        list[str] | None,
        typer.Option(
            "--behaviour",
            metavar="NAME[:FIELD=VALUE,…]",
            help="What goes on by itself on top, such as breath:depth=1.5 or sway. Repeatable.",
        ),
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of the output. Else 60.")] = None,
    character: Performer = None,
    preview: Preview = False,
    save_score: SaveScore = None,
    overwrite: Overwrite = False,
) -> None:
    """Perform a gesture or a walk gently, angrily, grandly: the same goals, another person's way there.

    Dials and words add up. `kinesphere words` lists the words.
    """
    with report_errors():
        from kinesphere.direction.express import Express
        from kinesphere.direction.word_text import word_strengths

        whole = parse_effort("--effort", effort, by_hand), parse_shape("--shape", shape)
        edit = Express(
            *whole,
            {} if words is None else word_strengths(words),
            intensity,
            stillness,
            affinities,
            parse_parts(part or (), *whole),
            keep_path,
            _load_vocabulary(vocabulary),
        )
        plain = edit == Express() and start is None and end is None
        score = _make_score(source, () if plain else (edit.over(start=start, end=end),), model, lock_times)
        score = replace(
            score,
            behaviours=(*score.behaviours, *(parse_behaviour(text) for text in behaviour or ())),
            seed=score.seed if seed is None else seed,
            character=score.character if character is None else score_source(character),
            rate=score.rate if fps is None else fps,
        )
        perform_score(
            score,
            replace(score, layers=(), behaviours=()),
            out,
            preview=preview,
            save_score=save_score,
            overwrite=overwrite,
        )


def words(
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", help="A .toml file with words of your own.")
    ] = None,
) -> None:
    """List the words for `kinesphere perform --words`, with what they turn."""
    with report_errors():
        from kinesphere.direction.words import vocabulary as builtin_vocabulary

        known = _load_vocabulary(vocabulary) or builtin_vocabulary()
        width = max(len(name) for name in known)
        for word in known.values():
            dials = [(name, getattr(word.effort, name)) for name in ("space", "weight", "time", "flow")]
            dials += [(name, getattr(word.shape, name)) for name in ("horizontal", "vertical", "sagittal", "reach")]
            dials += [("stillness", word.stillness)]
            turned = [f"{name}={value:g}" for name, value in dials if value] + (
                [f"tempo={word.tempo:g}"] if word.tempo != 1.0 else []
            )
            meaning = f"= {word.alias}" if word.alias else " ".join(turned)
            typer.echo(f"{word.name:<{width}}  {word.kind:<8} {meaning}")


def _load_vocabulary(file: Path | None) -> Vocabulary | None:
    if file is None:
        return None
    from kinesphere.direction.words import load_words

    return load_words(file)


def _make_score(source: str, layers: tuple[Layer, ...], model: str | None, lock_times: bool) -> Score:
    """The score of a gesture, or a score that there is with more layers; all its Efforts with this model."""
    from kinesphere.direction.express import Express
    from kinesphere.laban.effort_parameters import DEFAULT, effort_model
    from kinesphere.motion.edit import Layer
    from kinesphere.score.document import load_score
    from kinesphere.score.performance import with_model
    from kinesphere.score.score import Score

    score = load_score(source) if Path(source).suffix.lower() == ".json" else Score(source)
    every = (*score.layers, *layers)
    if model is not None or lock_times:
        own = DEFAULT if model is None else model
        effort_model(own)  # refuses what is none
        every = tuple(
            Layer(replace(layer.edit, effort=with_model(layer.edit.effort, own, lock_times)), layer.scope)
            if isinstance(layer.edit, Express)
            else layer
            for layer in every
        )
    return replace(score, layers=every)
