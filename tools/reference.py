"""The page ``docs/reference.md``: every registered edit and behaviour. ``python tools/reference.py`` writes it."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from kinesphere.cli.edit_commands import EditOption, options_of
from kinesphere.motion.behaviour import BEHAVIOURS, Behaviour
from kinesphere.motion.document import (
    Dial,
    Either,
    Number,
    default_of,
    field_names,
    format_number,
    hints_of,
    setting_of,
    to_plain,
)
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS, SourceOfMotion
from kinesphere.motion.registry import Registry
from kinesphere.motion.scope import Scope

PAGE = Path(__file__).parent.parent / "docs" / "reference.md"
HEAD = """# Reference

`python tools/reference.py` writes this page from the annotations of the classes themselves. Field names are those of
Python and of scores in JSON; options are those of the command line. With all fields at their defaults an edit changes
nothing.
"""
KINDS: Mapping[str, tuple[Registry[Any], str]] = {
    "Phrase edits": (PHRASE_EDITS, "They change how a gesture is done, before it is generated."),
    "Motion edits": (MOTION_EDITS, "They change a motion."),
    "Behaviours": (BEHAVIOURS, "They go on by themselves on top of poses."),
}
FAR, NEAR = 1e6, 1e-6  # bounds that mean none, and just above zero
PLAIN = {bool: "true or false", str: "text", int: "whole number", float: "number", Path: "file"}


def reference_text() -> str:
    """The page."""
    parts = [HEAD, *_describe_scope()]
    for title, (registry, about) in KINDS.items():
        classes = registry.classes()
        if classes:
            parts += [f"## {title}\n\n{about}\n"]
            parts += [part for name, cls in classes.items() for part in describe_class(name, cls)]
    return "\n".join(parts)


def _describe_scope() -> Iterator[str]:
    yield f"## Scope\n\n{_prose(Scope)}\n\nEvery edit and its command take these.\n"
    yield _table(Scope, options_of(Scope))


def describe_class(name: str, cls: Any) -> Iterator[str]:
    """A section: the sentence, fields, documents that fields hold, examples."""
    yield f"### {name}\n\n`{cls.__name__}`. {_prose(cls)}\n"
    options = options_of(cls)
    yield _table(cls, options)
    own = {field.name for field in fields(cls)}
    extra = [option for option in options if option.name not in own]
    if extra:
        yield "The command has these options as well:\n"
        yield (
            "\n".join(f"- `{_option_text(option)}` {option.setting.help or option.setting.about}" for option in extra)
            + "\n"
        )
    for nested in _documents_in(cls):
        yield f"A `{nested.__name__}`: {_prose(nested)}\n"
        yield _table(nested, [])
    examples = cls.examples() if hasattr(cls, "examples") else ()
    if examples:
        kind = "behaviour" if issubclass(cls, Behaviour) else "edit"
        rows = [json.dumps({kind: name} | to_plain(own), ensure_ascii=False) for own in examples]
        yield "```json\n" + "\n".join(rows) + "\n```\n"


def _prose(cls: Any) -> str:
    """What a docstring says before it lists parameters, which the table has."""
    return " ".join((inspect.getdoc(cls) or "").partition("\n\nParameters\n")[0].replace("``", "`").split())


def _table(cls: Any, options: Sequence[EditOption]) -> str:
    by_name = {option.name: option for option in options}
    head = ["field", "what it is", "values", "default", *(["option"] if options else [])]
    rows = [head, ["---"] * len(head)]
    written = field_names(cls)
    for field in sorted(fields(cls), key=lambda field: bool(field.kw_only)):
        if field.name not in written:
            continue
        hint = hints_of(cls)[field.name]
        setting = setting_of(hint)
        row = [
            f"`{field.name}`",
            setting.about if setting else "",
            _values_text(hint),
            _default_text(default_of(field)),
        ]
        if options:
            option = by_name.get(field.name)
            row.append(f"`{_option_text(option)}`" if option else "")
            if option and option.default not in (None, default_of(field)):
                row[-1] += f", by default {_default_text(option.default)}"
        rows.append(row)
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows) + "\n"


def _option_text(option: EditOption) -> str:
    names = ", ".join(option.declarations)
    return f"{names} {option.setting.metavar}" if option.setting.metavar else names


def _default_text(default: Any) -> str:
    if default is MISSING:
        return "(needed)"
    if default is None or (not isinstance(default, bool | int | float) and not default):
        return "none"
    return f"`{json.dumps(to_plain(default), ensure_ascii=False)}`"


def _values_text(hint: Any) -> str:
    """The values that a type allows, in words."""
    origin, members = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated_text(members)
    if origin is Literal:
        return ", ".join(f"`{member}`" for member in members)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_values_text(member) for member in members if member is not type(None)))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{_values_text(members[1])}, by {_values_text(members[0])}"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        if len(members) > 1 and members[1] is not Ellipsis:
            return " and ".join(_values_text(member) for member in members)
        return f"list of: {_values_text(members[0])}"
    return PLAIN.get(hint, f"`{getattr(hint, '__name__', hint)}`")


def _annotated_text(members: tuple[Any, ...]) -> str:
    for entry in members[1:]:
        if isinstance(entry, SourceOfMotion):
            return "motion, its name or its file"
        if isinstance(entry, Either):
            return " or ".join(_values_text(member) for member in entry.members.values())
        if isinstance(entry, Number) and (entry.about or members[0] in (int, float)):
            neutral = f"; {format_number(entry.neutral)} is neutral" if isinstance(entry, Dial) else ""
            return _range_text(entry) + neutral
    return _values_text(members[0])


def _range_text(entry: Number) -> str:
    """The range in words; bounds that only keep nonsense out are left out."""
    least, most = (bound if abs(bound) < FAR else None for bound in (entry.least, entry.most))
    if least is not None and most is not None:
        return entry.range_text
    kind = "whole number" if entry.whole else "number"
    if least is None:
        return kind if most is None else f"{kind} up to {format_number(most)}"
    return f"{kind} above 0" if 0.0 < least <= NEAR else f"{kind} from {format_number(least)}"


def _documents_in(cls: Any) -> list[Any]:
    """The documents that a class holds in its fields, each once."""
    found: dict[Any, None] = {}
    pending = [hints_of(cls)[name] for name in field_names(cls)]
    while pending:
        own = pending.pop(0)
        if isinstance(own, type) and is_dataclass(own) and hasattr(own, "__pydantic_validator__"):
            found[own] = None
        elif isinstance(own, Either):
            pending += own.members.values()
        elif get_origin(own) is Annotated and any(isinstance(entry, Either) for entry in get_args(own)[1:]):
            pending += [entry for entry in get_args(own)[1:] if isinstance(entry, Either)]
        else:
            pending += get_args(own)
    return list(found)


def main() -> None:
    """Write the page."""
    PAGE.write_text(reference_text(), encoding="utf-8")
    print(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
