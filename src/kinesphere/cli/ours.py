"""Our own motions and bodies by name, where a command expects a file."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion

BODIES = ("figure", "mo")


def own_motion(file: Path) -> Motion | None:
    """The default motion of that name, unless there is a file called so.

    A bare name that is neither raises an error that says which names there are: a slip of the pen is likelier than a
    file without a suffix.
    """
    if not _could_be_ours(file):
        return None
    from kinesphere.figure.library import motion, motions

    if file.name not in motions():
        raise _unknown(file, "motion", motions())
    return motion(file.name)


def own_character(file: Path) -> Character | None:
    """The figure or Mo, unless there is a file called so; bare names are treated as those of motions are."""
    if not _could_be_ours(file):
        return None
    if file.name not in BODIES:
        raise _unknown(file, "character", BODIES)
    from kinesphere.figure import body

    return body.figure() if file.name == "figure" else body.mo()


def _could_be_ours(file: Path) -> bool:
    """No file, and a name without a suffix or a folder."""
    return len(file.parts) == 1 and not file.suffix and not file.exists()


def _unknown(file: Path, what: str, ours: Sequence[str]) -> ValueError:
    from kinesphere.files.errors import MotionFileError

    near = get_close_matches(file.name.lower(), ours, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else ""
    expected = f"a {what} file, or one of ours: {', '.join(ours)}{hint}"
    return MotionFileError(file, f"no such file, and no {what} of ours of that name", expected)
