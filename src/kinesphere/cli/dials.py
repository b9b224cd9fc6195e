"""Dials as a command line writes them: ``space=-1,time=0.5`` and ``right_arm:weight=1``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import Effort
    from kinesphere.laban.shape import Shape


def numbers(option: str, text: str, allowed: Iterable[str]) -> dict[str, float]:
    """``name=number`` pairs, parted by commas."""
    from kinesphere.figure.fields import one_of

    names = list(allowed)
    given: dict[str, float] = {}
    for piece in text.split(","):
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise ValueError(f"{option} {text!r}: found {piece.strip()!r}; write name=number, such as {names[0]}=0.5")
        if name not in names:
            raise ValueError(f"{option} {text!r}: found {name!r}; expected {one_of(name, names)}")
        if name in given:
            raise ValueError(f"{option} {text!r}: {name} is given twice")
        try:
            given[name] = float(value)
        except ValueError:
            raise ValueError(f"{option} {text!r}: {name} is {value!r}; a number is expected") from None
    return given


def effort_of(option: str, text: str | None, by_hand: str | None = None) -> Effort:
    """The Effort of ``--effort`` and ``--set``."""
    from kinesphere.laban.effort import FACTORS, Effort
    from kinesphere.laban.movement import RANGES

    given = {} if text is None else numbers(option, text, FACTORS)
    return Effort(**given, by_hand={} if by_hand is None else numbers("--set", by_hand, RANGES))


def shape_of(option: str, text: str | None) -> Shape:
    """The Shape of ``--shape``."""
    from kinesphere.laban.shape import DIMENSIONS, Shape

    return Shape(**({} if text is None else numbers(option, text, DIMENSIONS)))


def parts_of(texts: Iterable[str], effort: Effort, shape: Shape) -> Mapping[str, Part]:
    """The parts of all ``--part``: dials of Effort and Shape, mixed as one likes, in place of the whole's."""
    from kinesphere.laban.dials import Part
    from kinesphere.laban.effort import FACTORS, Effort
    from kinesphere.laban.shape import DIMENSIONS, Shape
    from kinesphere.score.layers import check_part

    parts: dict[str, Part] = {}
    for text in texts:
        name, colon, dials = text.partition(":")
        name = name.strip().replace("-", "_")
        if not colon:
            raise ValueError(f"--part {text!r}: write part:name=number, such as right_arm:weight=1")
        check_part(name)
        if name in parts:
            raise ValueError(f"--part {text!r}: {name} is given twice; put its dials together, parted by commas")
        given = numbers("--part", dials, (*FACTORS, *DIMENSIONS))
        factors = {key: given.get(key, getattr(effort, key)) for key in FACTORS}
        dimensions = {key: given.get(key, getattr(shape, key)) for key in DIMENSIONS}
        parts[name] = Part(Effort(**factors, by_hand=effort.by_hand), Shape(**dimensions))
    return parts
