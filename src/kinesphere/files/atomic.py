"""Atomic file writing: write a temporary file beside the target, then rename it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO


@contextmanager
def atomic_write(path: Path) -> Iterator[IO[bytes]]:
    """Context manager: a binary file that replaces ``path`` when the block ends without an exception.

    After an exception, whatever was at ``path`` before is untouched.
    """
    path = path.resolve() if path.is_symlink() else path
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _copy_permissions(path, Path(beside))
        Path(beside).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(beside).unlink()
        raise


def _copy_permissions(path: Path, beside: Path) -> None:
    """Temporary files are private; give this one the permissions of the old file, or of any new file."""
    try:
        mode = path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    beside.chmod(mode)
