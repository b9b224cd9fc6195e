"""Names and files that become motions: the source of a score, and motions that its edits need.

A field of an edit whose type is annotated as ``MotionSource`` may hold a motion, or the name or file of one.
``resolve_sources`` replaces names and files by motions, ``rename_files`` renames files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from kinesphere.builtin.library import motion, motions
from kinesphere.engine.generation import generate_gesture
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.loading import load
from kinesphere.motion.document import hints_of
from kinesphere.motion.edit import EditBase, SourceOfMotion
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion

AnyEdit = TypeVar("AnyEdit", bound=EditBase)


def is_name(source: str | Path) -> bool:
    """Whether a source is a name rather than a file: a text without a folder and a suffix."""
    return isinstance(source, str) and len(Path(source).parts) <= 1 and not Path(source).suffix


def resolve_motion(source: Motion | str | Path) -> Motion:
    """The motion itself, the built-in one of that name, or the one in the file."""
    if isinstance(source, Motion):
        return source
    file = Path(source)
    if len(file.parts) == 1 and not file.suffix and not file.exists():
        if str(source) not in motions():
            raise ValueError(f"{unknown_name('motion', str(source), motions())}. Files have a suffix")
        return motion(str(source))
    return generate_gesture(load_gesture(file)) if file.suffix.lower() == ".toml" else load(file)


def resolve_sources(edit: AnyEdit) -> AnyEdit:
    """The edit with motions in place of their names and files."""
    return _replace_sources(edit, resolve_motion)


def rename_files(edit: AnyEdit, rename: Callable[[Path], Path]) -> AnyEdit:
    """The edit with the files of its motions renamed; names of built-in motions stay."""
    return _replace_sources(edit, lambda source: rename_file(source, rename))


def rename_file(source: Any, rename: Callable[[Path], Path]) -> Any:
    """A source, renamed if it is a file."""
    return source if not isinstance(source, str | Path) or is_name(source) else rename(Path(source))


def check_no_motion(edit: EditBase) -> None:
    """Refuse motions themselves, which have no place in a document."""

    def check(source: Any) -> Any:
        if isinstance(source, Motion):
            raise ValueError(f"{source!r} has no place in a document: save it, and name its file instead")
        return source

    _replace_sources(edit, check)


def _replace_sources(edit: AnyEdit, change: Callable[[Any], Any]) -> AnyEdit:
    changed = {}
    for name in _source_fields(type(edit)):
        value = getattr(edit, name)
        new = _change_each(value, change)
        if new is not value:
            changed[name] = new
    return replace(edit, **changed) if changed else edit  # type: ignore[type-var]


def _change_each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A source, or each of several, changed; the same object where nothing changes."""
    if isinstance(value, Motion | str | Path):
        return change(value)
    if isinstance(value, tuple | list):
        entries: Any = [_change_each(entry, change) for entry in value]
        return value if all(new is old for new, old in zip(entries, value, strict=True)) else type(value)(entries)
    if isinstance(value, Mapping):
        table = {key: _change_each(entry, change) for key, entry in value.items()}
        return value if all(table[key] is value[key] for key in value) else table
    return value


@cache
def _source_fields(cls: type) -> tuple[str, ...]:
    """Names of the fields whose types are annotated as sources of motions."""
    hints = hints_of(cls) if hasattr(cls, "__dataclass_fields__") else {}
    return tuple(field.name for field in fields(cls) if _has_source(hints[field.name])) if hints else ()


def _has_source(hint: Any) -> bool:
    if get_origin(hint) is Annotated and any(isinstance(entry, SourceOfMotion) for entry in get_args(hint)[1:]):
        return True
    return any(_has_source(own) for own in get_args(hint))
