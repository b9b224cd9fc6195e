"""Registries: phrase edits, motion edits and behaviours by name; plugins of users register in the same way.

A class registers itself by a decorator, ``@motion_edit("equalize")``. Module and name are the same for what comes with
Kinesphere, so that one edit is found without importing all. A package of a user's names its modules as entry points of
the group ``kinesphere.plugins``; a file of a user's is loaded by ``load_plugin`` (``--plugin FILE``).
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from traceback import walk_tb
from types import MappingProxyType
from typing import Any, Generic, Self, TypeVar

from kinesphere.motion.errors import unknown_name

PLUGINS = "kinesphere.plugins"  # group of entry points
PLUGIN_PREFIX = "kinesphere_plugin_"  # of the names of modules that are files of users
T = TypeVar("T")


class PluginError(ValueError):
    """A plugin that cannot be loaded, or registers what cannot be registered."""


class RegisteredDocument(ABC):
    """What all that is registered has: it is a document, says whether it changes anything, and gives examples."""

    @property
    @abstractmethod
    def neutral(self) -> bool:
        """Whether it changes nothing, whatever it is applied to."""

    @classmethod
    def from_options(cls, **values: Any) -> Self:
        """The document of its command's options.

        A class overrides this where its options are not its fields: keyword parameters, annotated as fields are, become
        options as well, or replace the field's option of that name. ``ValueError`` says what is wrong with them.
        """
        return cls(**values)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """Settings that show what it does: unless overridden, each dial at both of its ends."""
        from kinesphere.motion.document import Dial, hints_of, setting_of

        made = []
        for field in fields(cls):  # type: ignore[arg-type]
            own = setting_of(hints_of(cls)[field.name])
            if isinstance(own, Dial):
                made += [cls(**{field.name: end}) for end in (own.least, own.most) if end != own.neutral]
        return tuple(own for own in made if not own.neutral)


_REGISTRIES: list[Any] = []  # all of them: commands and documents have one name for one thing


def owner_of(own: type) -> str:
    """Who registered a class, for messages: the file of a plugin, else the module."""
    module = sys.modules.get(own.__module__)
    file = getattr(module, "__file__", None)
    return Path(file).name if own.__module__.startswith(PLUGIN_PREFIX) and file else own.__module__


@contextmanager
def blame_plugin(own: object) -> Iterator[None]:
    """Errors inside, of a plugin's document, become ``PluginError`` with its name and file; of ours they stay."""
    try:
        yield
    except PluginError:
        raise
    except Exception as error:
        cls = type(own)
        if cls.__module__.partition(".")[0] == "kinesphere":
            raise
        where = f"{owner_of(cls)}{_line_in(error, cls)}, {cls.__name__}"
        raise PluginError(f"{where}: {type(error).__name__}: {error}") from error


def _line_in(error: Exception, cls: type) -> str:
    """The line of a plugin's file in which an error arose, the innermost one; empty: it arose elsewhere."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f", line {lines[-1]}" if lines else ""


class Registry(Generic[T]):
    """Classes by name.

    ``kind`` is what messages call an entry. ``packages`` are searched for modules that register. ``reserved`` are names
    that no field may have: in documents and on the command line, others stand beside the fields.
    """

    def __init__(self, kind: str, packages: tuple[str, ...], reserved: tuple[str, ...] = ()) -> None:
        self.kind, self.packages, self.reserved = kind, packages, reserved
        self._classes: dict[str, type[T]] = {}
        _REGISTRIES.append(self)

    def register(self, name: str, own: type[T]) -> None:
        """Add a class. Names are lower case; each is given once."""
        _check_class(self.kind, name, own, self.reserved)
        if own.__module__ not in [f"{package}.{name}" for package in self.packages]:
            self._import_module(name)  # ours of that name comes first
        taken = self._classes.get(name)
        if taken is not None and (taken.__module__, taken.__qualname__) != (own.__module__, own.__qualname__):
            raise PluginError(
                f"{self.kind} {name!r} of {owner_of(own)} is taken by {taken.__qualname__} of {owner_of(taken)}; "
                "choose another name"
            )
        for other in _REGISTRIES:
            if other is not self and name in other._classes:
                raise PluginError(
                    f"{self.kind} {name!r} of {owner_of(own)} is taken by the {other.kind} of that name; "
                    "choose another name"
                )
        self._classes[name] = own

    def __getitem__(self, name: str) -> type[T]:
        """The class of that name; an unknown name raises ``ValueError`` with the nearest one."""
        if name not in self._classes:
            self._import_module(name)
        if name not in self._classes and name not in self.names():
            raise ValueError(unknown_name(self.kind, name, self.names()))
        return self._classes[name]

    def __contains__(self, name: object) -> bool:
        if name not in self._classes:
            self._import_module(str(name))
        return name in self._classes or name in self.names()

    def names(self) -> tuple[str, ...]:
        """All names, of plugins too."""
        for package in self.packages:
            for module in _modules(package):
                importlib.import_module(f"{package}.{module}")
        load_entry_points()
        return tuple(sorted(self._classes))

    def classes(self) -> Mapping[str, type[T]]:
        """All classes by name."""
        return MappingProxyType({name: self._classes[name] for name in self.names()})

    def loaded(self) -> Mapping[str, type[T]]:
        """The classes that are imported already."""
        return MappingProxyType(dict(sorted(self._classes.items())))

    def name_of(self, own: type) -> str:
        """The name that a class is registered by."""
        for name, registered in self._classes.items():
            if registered is own:
                return name
        raise ValueError(f"{own.__name__} is no registered {self.kind}")

    def _import_module(self, name: str) -> None:
        for package in self.packages:
            if name in _modules(package):
                importlib.import_module(f"{package}.{name}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


def registering(registry: Registry[T]) -> Callable[[str], Callable[[type[T]], type[T]]]:
    """The decorator that registers in this registry: ``motion_edit = registering(MOTION_EDITS)``."""

    def decorator(name: str) -> Callable[[type[T]], type[T]]:
        """Register a class by this name."""

        def register(own: type[T]) -> type[T]:
            registry.register(name, own)
            return own

        return register

    decorator.__name__ = registry.kind.replace(" ", "_")
    return decorator


def _check_class(kind: str, name: str, own: type, reserved: tuple[str, ...]) -> None:
    """Refuse what the command line, documents and contracts could not use."""
    where = f"{kind} {name!r} of {own.__module__}"
    if not name.replace("_", "").isalnum() or name != name.lower():
        raise PluginError(f"{where}: lower-case letters, digits and underscores are expected in its name")
    if not (is_dataclass(own) and hasattr(own, "__pydantic_validator__")):
        raise PluginError(f"{where}: a class made by @document(frozen=True) is expected")
    for field in fields(own):
        if field.default is MISSING and field.default_factory is MISSING:
            raise PluginError(f"{where}: {field.name} has no default; every field needs one that changes nothing")
        if field.name in reserved:
            raise PluginError(f"{where}: {field.name} is no name for a field; these are taken: {', '.join(reserved)}")


@cache
def _modules(package: str) -> frozenset[str]:
    """Names of a package's modules, without importing them."""
    found = importlib.util.find_spec(package)
    paths = found.submodule_search_locations if found is not None else None
    return frozenset(module.name for module in pkgutil.iter_modules(paths or []))


# Plugins


@cache
def load_entry_points() -> None:
    """Import the modules that installed packages name as plugins."""
    for entry in entry_points(group=PLUGINS):
        try:
            entry.load()
        except Exception as error:
            raise PluginError(f"plugin {entry.name} ({entry.value}): {type(error).__name__}: {error}") from error


_LOADED: dict[str, Path] = {}  # files of plugins by their modules' names


def loaded_plugins() -> tuple[Path, ...]:
    """The files that ``load_plugin`` has run."""
    return tuple(file for name, file in _LOADED.items() if name in sys.modules)


def load_plugin(path: str | Path) -> None:
    """Run a Python file of the user's that registers edits, behaviours or file formats. Each file is run once."""
    file = Path(path).resolve()
    name = f"{PLUGIN_PREFIX}{file.stem}_{abs(hash(file))}"
    if name in sys.modules:
        return
    if not file.is_file():
        raise PluginError(f"plugin {path}: no such file")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin {path}: a Python file, .py, is expected")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except PluginError as error:
        del sys.modules[name]
        raise PluginError(f"plugin {path}: {error}") from None
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise PluginError(f"plugin {path}: {type(error).__name__}: {error}") from error
    _LOADED[name] = file
