"""Names of registered edits, for the list of commands: found in the source text, without importing anything heavy."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinesphere.cli.shared import report_errors

if TYPE_CHECKING:
    from kinesphere.motion.registry import Registry

ROOT = Path(__file__).parent.parent
DECORATORS = {"motion_edit": ("signals",), "phrase_edit": ("laban", "direction")}  # and the rooms where they are used
PLUGINS = "kinesphere.plugins"  # group of entry points


def registered_edits() -> dict[str, str]:
    """All edits, of plugins too, with a sentence of each."""
    found = dict(_own_edits())
    if _has_entry_points():
        from kinesphere.motion.registry import load_entry_points

        with report_errors():
            load_entry_points()
    if "kinesphere.motion.edit" in sys.modules:  # else no plugin has been loaded
        for registry in _registries():
            found |= {name: first_line(own.__doc__) for name, own in registry.loaded().items() if name not in found}
    return found


def find_edit(name: str) -> type[Any] | None:
    """The class of an edit; None: there is none of that name."""
    if name not in registered_edits():
        return None
    return next(registry[name] for registry in _registries() if name in registry)


def first_line(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def _registries() -> tuple[Registry[Any], ...]:
    from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS

    return MOTION_EDITS, PHRASE_EDITS


@cache
def _own_edits() -> dict[str, str]:
    found = {}
    for decorator, rooms in DECORATORS.items():
        for file in sorted(file for room in rooms for file in (ROOT / room).glob("*.py")):
            text = file.read_text(encoding="utf-8")
            if f"@{decorator}(" not in text:
                continue
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef) and (name := _decorated_name(node, decorator)):
                    found[name] = first_line(ast.get_docstring(node))
    return found


def _decorated_name(node: ast.ClassDef, decorator: str) -> str:
    """The name that a class is registered by, in ``@motion_edit("name")``."""
    for own in node.decorator_list:
        if isinstance(own, ast.Call) and isinstance(own.func, ast.Name) and own.func.id == decorator and own.args:
            return str(getattr(own.args[0], "value", ""))
    return ""


@cache
def _has_entry_points() -> bool:
    from importlib.metadata import entry_points

    return bool(entry_points(group=PLUGINS))
