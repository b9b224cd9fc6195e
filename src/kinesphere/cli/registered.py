"""Names of registered edits and behaviours, for the list of commands: found in the source text, quickly."""

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
# Of each decorator.
ROOMS = {
    "motion_edit": ("signals",),
    "phrase_edit": ("laban", "direction", "performance", "performance/properties"),
    "behaviour": ("engine/behaviours",),
}
WITHOUT_COMMAND = ("express", "words")  # edits that ``perform`` makes
PLUGINS = "kinesphere.plugins"  # group of entry points


class RegisteredClass(NamedTuple):
    """An edit or a behaviour that a command is made of."""

    decorator: str
    sentence: str


def registered_classes() -> dict[str, RegisteredClass]:
    """All edits and behaviours that are commands, by name, of plugins too."""
    if _has_entry_points():
        from kinesphere.motion.registry import load_entry_points

        with report_errors():
            load_entry_points()
    found = dict(_own_classes())
    if "kinesphere.motion.registry" in sys.modules:  # else no plugin has been loaded
        for decorator, registry in _registries().items():
            for name, own in registry.loaded().items():
                found.setdefault(name, RegisteredClass(decorator, first_line(own.__doc__)))
    return {name: own for name, own in found.items() if name not in WITHOUT_COMMAND}


def find_class(name: str) -> type[Any] | None:
    """The class of a command; None: there is none of that name."""
    found = registered_classes().get(name)
    return None if found is None else _registries()[found.decorator][name]


def first_line(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").strip().partition("\n")[0]


def _registries() -> dict[str, Registry[Any]]:
    from kinesphere.motion.behaviour import BEHAVIOURS
    from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS

    return {"motion_edit": MOTION_EDITS, "phrase_edit": PHRASE_EDITS, "behaviour": BEHAVIOURS}


@cache
def _own_classes() -> dict[str, RegisteredClass]:
    found = {}
    for decorator, rooms in ROOMS.items():
        for file in sorted(file for room in rooms for file in (ROOT / room).glob("*.py")):
            text = file.read_text(encoding="utf-8")
            if f"@{decorator}(" not in text:
                continue
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef) and (name := _decorated_name(node, decorator)):
                    found[name] = RegisteredClass(decorator, first_line(ast.get_docstring(node)))
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
