"""Parameters of actions: what a script sets, and ``"$name"`` in an action's file, which stands for it.

A value may be such a name, or arithmetic of numbers with names: ``at = "$reach * 0.5"``. Nothing else is evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from kinesphere.motion.document import (
    Choice,
    Setting,
    Text,
    document,
    error_at,
    expected_type,
    number,
    show_value,
)
from kinesphere.motion.errors import nearest_names

HANDS = ("right", "left")
LONGEST_TEXT = 200  # characters of an expression
MOST_DEPTH = 20  # brackets in brackets of an expression
FARTHEST = 100.0  # metres of a place
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|\$(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/()]))")
UNEVALUATED = ("about", "like", "kind")  # fields whose text is only text


def is_expression(value: Any) -> bool:
    """Whether a value of a file names a parameter."""
    return isinstance(value, str) and "$" in value


def _check_default(value: Any) -> Any:
    """A number, a text or three numbers."""
    if isinstance(value, list | tuple):
        value = tuple(value)
        if len(value) != 3 or not all(_is_number(own) and abs(own) <= FARTHEST for own in value):
            raise expected_type("a number, a text, or [x, y, z] in metres")
    elif not isinstance(value, str | None) and not _is_number(value):
        raise expected_type("a number, a text, or [x, y, z] in metres")
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@document(frozen=True)
class Parameter:
    """One parameter of an action: what it is, what it may be, and what it is where a script does not say."""

    about: Annotated[Text, Setting("What it is, in a sentence.")] = ""
    kind: Annotated[
        Literal["number", "whole", "place", "hand", "choice"],
        Setting("A number, a whole one, a place of the script's scene, a hand, or one of some texts."),
    ] = "number"
    default: Annotated[
        Any, BeforeValidator(_check_default), Setting("What it is where a script does not say; else it must.")
    ] = None
    least: Annotated[float, number(about="The smallest that is allowed.")] | None = None
    most: Annotated[float, number(about="The largest that is allowed.")] | None = None
    unit: Annotated[Text, Setting("Its unit, such as s or degrees.")] = ""
    choices: Annotated[tuple[Text, ...], Setting("The texts that are allowed.")] = ()

    def __post_init__(self) -> None:
        if self.default is not None and (wrong := self.refusal(self.default)):
            raise error_at(("default",), show_value(self.default), wrong)

    @property
    def sentence(self) -> str:
        """What it may be, in words."""
        unit = f" {self.unit}" if self.unit else ""
        if self.kind == "hand":
            return "right or left"
        if self.kind == "place":
            return "a place of the scene, or [x, y, z] in metres"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        what = "a whole number" if self.kind == "whole" else "a number"
        if self.least is not None and self.most is not None:
            return f"{what} from {self.least:g} to {self.most:g}{unit}"
        bound = f" from {self.least:g}" if self.least is not None else f" up to {self.most:g}" if self.most else ""
        return f"{what}{bound}{unit}"

    def refusal(self, value: Any) -> str:
        """What is expected instead of a value; empty where it is allowed."""
        if self.kind == "hand":
            fits = value in HANDS
        elif self.kind == "choice":
            fits = value in self.choices
        elif self.kind == "place":
            fits = (isinstance(value, str) and bool(value)) or _is_place(value)
        else:
            low = -math.inf if self.least is None else self.least
            high = math.inf if self.most is None else self.most
            fits = _is_number(value) and low <= value <= high and (self.kind == "number" or value == int(value))
        return "" if fits else self.sentence


def _is_place(value: Any) -> bool:
    rows = isinstance(value, list | tuple) and len(value) == 3
    return rows and all(_is_number(own) and abs(own) <= FARTHEST for own in value)


def substitute(table: Any, values: Mapping[str, Any], place: tuple[int | str, ...] = ()) -> Any:
    """A file's table with values in place of ``"$name"``; what is wrong raises ``ExpressionError`` with its place."""
    if isinstance(table, Mapping):
        return {
            name: own if name in UNEVALUATED else substitute(own, values, (*place, name)) for name, own in table.items()
        }
    if isinstance(table, list):
        return [substitute(own, values, (*place, i)) for i, own in enumerate(table)]
    if not is_expression(table):
        return table
    try:
        return evaluate(table, values)
    except ValueError as error:
        raise ExpressionError(place, table, str(error)) from None


class ExpressionError(ValueError):
    """An expression of a file that has no value."""

    def __init__(self, place: tuple[int | str, ...], found: str, expected: str) -> None:
        self.place, self.found, self.expected = place, found, expected
        super().__init__(f"{found!r}: {expected}")


def evaluate(text: str, values: Mapping[str, Any]) -> Any:
    """The value of ``"$name"``, or of arithmetic with such names."""
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"at most {LONGEST_TEXT} characters")
    own = text.strip()
    if own.startswith("$") and own[1:].isidentifier():
        return _value(own[1:], values)
    tokens, at = list[str](), 0
    while at < len(own):
        found = _TOKEN.match(own, at)
        if found is None:
            raise ValueError("a parameter such as $target, or arithmetic of numbers and parameters")
        tokens.append(found[0].strip())
        at = found.end()
    made = _Arithmetic(tokens, values).sum(0)
    if not math.isfinite(made):
        raise ValueError("a finite number")
    return made


def _value(name: str, values: Mapping[str, Any]) -> Any:
    if name not in values:
        near = nearest_names(name, values)
        hint = f"; did you mean ${near[0]}?" if near else ""
        raise ValueError(f"one of the action's parameters: {', '.join(f'${own}' for own in values) or 'none'}{hint}")
    return values[name]


class _Arithmetic:
    """Sums, products and brackets over tokens."""

    def __init__(self, tokens: list[str], values: Mapping[str, Any]) -> None:
        self.tokens, self.values, self.at = tokens, values, 0

    def sum(self, depth: int) -> float:
        made = self._product(depth)
        while self._next() in ("+", "-"):
            sign = self._take()
            other = self._product(depth)
            made = made + other if sign == "+" else made - other
        if depth == 0 and self.at < len(self.tokens):
            raise ValueError(f"nothing after it; found {self.tokens[self.at]!r}")
        return made

    def _product(self, depth: int) -> float:
        made = self._term(depth)
        while self._next() in ("*", "/"):
            sign = self._take()
            other = self._term(depth)
            if sign == "/" and other == 0.0:
                raise ValueError("no division by zero")
            made = made * other if sign == "*" else made / other
        return made

    def _term(self, depth: int) -> float:
        token = self._take()
        if depth > MOST_DEPTH:
            raise ValueError("fewer brackets")
        if token == "-":
            return -self._term(depth + 1)
        if token == "(":
            made = self.sum(depth + 1)
            if self._take() != ")":
                raise ValueError("as many brackets closed as opened")
            return made
        if token.startswith("$"):
            value = _value(token[1:], self.values)
            if not _is_number(value):
                raise ValueError(f"a number for {token}, which is {show_value(value)}")
            return float(value)
        if not token or token in "+-*/)":
            raise ValueError("a number or a parameter between its signs")
        return float(token)

    def _next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self) -> str:
        token = self._next()
        self.at += 1
        return token


Hand = Annotated[str, Choice("Which hand.", choices=HANDS)]
