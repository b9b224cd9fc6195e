"""Our own motions and bodies by name, where a command expects a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion

BODIES = ("figure", "mo")


def own_motion(file: Path) -> Motion | None:
    """The default motion of that name, unless there is a file called so."""
    if file.suffix or file.exists():
        return None
    from kinesphere.figure.library import motion, motions

    return motion(str(file)) if str(file) in motions() else None


def own_character(file: Path) -> Character | None:
    """The figure or Mo, unless there is a file called so."""
    if str(file) not in BODIES or file.exists():
        return None
    from kinesphere.figure import body

    return body.figure() if str(file) == "figure" else body.mo()
