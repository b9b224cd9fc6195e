"""Files of shaping functions for ``Waveshape``: TOML, in the form of ``signals/shapes.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from kinesphere.files.atomic import atomic_write
from kinesphere.motion.toml_text import read_text
from kinesphere.signals.shaping import EXPECTED, Shapes, Shaping, format_shapes, parse_shapes, shapes


def load_shapes(path: str | Path) -> Shapes:
    """Our shaping functions and those of a TOML file, which take precedence."""
    return MappingProxyType(dict(shapes()) | dict(read_shapes(path)))


def read_shapes(path: str | Path) -> Shapes:
    """The shaping functions of a TOML file alone."""
    return parse_shapes(read_text(Path(path), EXPECTED), path)


def save_shapes(given: Mapping[str, Shaping], path: str | Path) -> None:
    """Write shaping functions so that ``load_shapes`` gives them back."""
    text = format_shapes(given, path)
    with atomic_write(Path(path)) as out:
        out.write(text.encode("utf-8"))
