"""The files that a score names: its source, and motions that its edits need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinesphere.score.layers import Layer
from kinesphere.score.score import Score
from kinesphere.signals.blend import Blend
from kinesphere.signals.timewarp import Timewarp

Rename = Callable[[Path], Path]


def with_files(score: Score, rename: Rename) -> Score:
    """The same score with its files named otherwise; what is no file stays."""
    layers = tuple(replace(layer, edit=_edit(layer, rename)) for layer in score.layers)
    return replace(score, source=_named(score.source, rename), layers=layers)


def _edit(layer: Layer, rename: Rename) -> Any:
    edit = layer.edit
    if isinstance(edit, Timewarp) and edit.onto is not None:
        return replace(edit, onto=_named(edit.onto, rename))
    if isinstance(edit, Blend) and edit.others:
        return replace(edit, others=tuple(_named(other, rename) for other in edit.others))
    return edit


def _named(source: Any, rename: Rename) -> Any:
    """A name without a folder and a suffix is one of ours."""
    if not isinstance(source, str | Path):
        return source
    path = Path(source)
    return source if isinstance(source, str) and len(path.parts) <= 1 and not path.suffix else rename(path)
