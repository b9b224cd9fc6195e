"""Names of registered edits, for the list of commands: found in the source text, without importing anything heavy."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kinesphere.cli.shared import report_errors

if TYPE_CHECKING:
    from kinesphere.motion.registry import Registry

ROOT = Path(__file__).parent.parent
ROOMS = {"motion_edit": ("signals",), "phrase_edit": ("laban", "direction")}  # of each decorator
PLUGINS = "kinesphere.plugins"  # group of entry points


class RegisteredEdit(NamedTuple):
    """An edit that a command is made of."""

    decorator: str
    sentence: str


def registered_edits() -> dict[str, RegisteredEdit]:
    """All edits by name, of plugins too."""
    if _has_entry_points():
        from kinesphere.motion.registry import load_entry_points

        with report_errors():
            load_entry_points()
    found = dict(_own_edits())
    if "kinesphere.motion.edit" in sys.modules:  # else no plugin has been loaded
        for decorator, registry in _registries().items():
            for name, own in registry.loaded().items():
                found.setdefault(name, RegisteredEdit(decorator, first_line(own.__doc__)))
    return found


def find_edit(name: str) -> type[Any] | None:
    """The class of an edit; None: there is none of that name."""
    found = registered_edits().get(name)
    return None if found is None else _registries()[found.decorator][name]


def first_line(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def _registries() -> dict[str, Registry[Any]]:
    from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS

    return {"motion_edit": MOTION_EDITS, "phrase_edit": PHRASE_EDITS}


@cache
def _own_edits() -> dict[str, RegisteredEdit]:
    found = {}
    for decorator, rooms in ROOMS.items():
        for file in sorted(file for room in rooms for file in (ROOT / room).glob("*.py")):
            text = file.read_text(encoding="utf-8")
            if f"@{decorator}(" not in text:
                continue
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef) and (name := _decorated_name(node, decorator)):
                    found[name] = RegisteredEdit(decorator, first_line(ast.get_docstring(node)))
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
