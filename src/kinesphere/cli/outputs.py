"""Outputs that are looked at before anything is written."""

from __future__ import annotations

from pathlib import Path


def check_outputs(files: list[Path], overwrite: bool) -> None:
    """Refuse what cannot be written before anything is."""
    for i, file in enumerate(files):
        if not file.parent.is_dir():
            raise FileNotFoundError(f"{file}: the folder {file.parent} does not exist")
        if file.exists() and not overwrite:
            raise FileExistsError(f"{file}: exists already; --overwrite replaces it")
        if file.resolve() in [other.resolve() for other in files[:i]]:
            raise ValueError(f"{file}: two outputs have this name; each needs its own")
