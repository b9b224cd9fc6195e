"""Scores of version 1: their documents in the form of version 2.

Version 1 had the Effort model and locked times beside the layers; they belong to Effort. A gesture's curves were called
tracks. A displacement without a width took the whole range.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kinesphere.laban.effort import Effort
from kinesphere.motion.document import read_document


def upgrade(document: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """A document of version 1 in the form of version 2. What is wrong in its layers stays, for the reader to find."""
    for_effort = {name: document[name] for name in ("model", "lock_times") if name in document}
    model = for_effort.get("model")
    if isinstance(model, Mapping):
        for_effort["model"] = {"name": "custom", **model}
    read_document(Effort, for_effort, path)  # which finds what is wrong, at its own place
    made = {name: value for name, value in document.items() if name not in for_effort}
    made["version"] = 2
    layers = document.get("layers")
    if isinstance(layers, list):
        made["layers"] = [_with_width(_with_effort(row, for_effort)) for row in layers]
    source = document.get("source")
    if isinstance(source, Mapping) and isinstance(source.get("gesture"), Mapping):
        made["source"] = {**source, "gesture": _rename(source["gesture"], "tracks", "curves")}
    return made


def _with_effort(row: Any, for_effort: Mapping[str, Any]) -> Any:
    """A layer whose Effort has the model and locked times."""
    if not for_effort or not isinstance(row, Mapping) or row.get("edit") != "express":
        return row
    effort = row.get("effort", {})
    if isinstance(effort, list):
        return {**row, "effort": [{**own, **for_effort} if isinstance(own, Mapping) else own for own in effort]}
    return {**row, "effort": {**effort, **for_effort}} if isinstance(effort, Mapping) else row


def _with_width(row: Any) -> Any:
    """A layer whose displacement says that it takes the whole range."""
    if not isinstance(row, Mapping) or row.get("edit") != "displace" or row.get("width") is not None:
        return row
    return {**row, "width": "all"}


def _rename(table: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if name == old else name: value for name, value in table.items()}
