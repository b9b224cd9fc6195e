"""Options derived from annotations: of every kind of field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import pytest

from kinesphere.cli.edit_commands import options_of
from kinesphere.motion.document import Flag, Setting, Text, document, number
from kinesphere.motion.scope import Scope


@document(frozen=True)
class Sample:
    """Fields of all kinds."""

    amount: Annotated[float, number(0.0, 1.0, "A number.")] = 0.0
    count: Annotated[int, number(0, 9, "A whole number.", whole=True)] | None = None
    kind: Annotated[Literal["a", "b"], Setting("A word.")] = "a"
    offset: Annotated[tuple[float, float, float], Setting("Three numbers.")] = (0.0, 0.0, 0.0)
    names: Annotated[tuple[Text, ...], Setting("Names.")] | None = None
    table: Annotated[Mapping[str, float], Setting("Numbers by name.")] | None = None
    on: Annotated[Flag, Setting("Whether it is on.", option="--off", help="Turn it off.")] = True
    doubled: Annotated[float, Setting("Twice.", parse=lambda text: 2.0 * float(text), file=True)] = 0.0
    secret: Annotated[float, Setting("Not there.", hidden=True)] = 0.0

    @classmethod
    def from_options(cls, *, half: Annotated[float, number(about="Another.")] = 0.0, **rest: Any) -> Self:
        return cls(amount=0.5 * half, **rest)


OPTIONS = {option.name: option for option in options_of(Sample)}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("amount", 0.5, 0.5),
        ("kind", "b", "b"),
        ("offset", "1, 2,3", [1.0, 2.0, 3.0]),
        ("offset", "[1, 2, 3]", [1, 2, 3]),
        ("names", "left, right", ["left", "right"]),
        ("table", '{"a": 1}', {"a": 1}),
        ("on", True, False),
        ("doubled", "2", 4.0),
    ],
)
def test_texts_become_values(name, text, value):
    made = OPTIONS[name].parse(text)
    assert made == value
    assert getattr(Sample(**{name: made}), name) is not None


def test_options_are_of_fields_and_of_parameters():
    assert list(OPTIONS) == ["half", "amount", "count", "kind", "offset", "names", "table", "on", "doubled"]
    assert OPTIONS["on"].declarations == ("--off",)
    assert [option.declarations for option in options_of(Scope)][:3] == [
        ("--from",),
        ("--to",),
        ("--parts", "--joints"),
    ]


def test_a_text_may_be_a_file(tmp_path):
    (tmp_path / "two.txt").write_text("2")
    assert OPTIONS["doubled"].parse(str(tmp_path / "two.txt")) == 4.0
    with pytest.raises(ValueError, match=r"--doubled 'none\.txt': no such file"):
        OPTIONS["doubled"].parse("none.txt")
    with pytest.raises(ValueError, match="could not convert"):
        OPTIONS["doubled"].parse("1," * 400)
    with pytest.raises(ValueError, match="--offset 'a,b,c'"):
        OPTIONS["offset"].parse("a,b,c")
