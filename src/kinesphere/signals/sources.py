"""Motion arguments of edits: a motion, the name of a built-in one, or a file.

A file is read when it is needed, not when the edit is made.
"""

from __future__ import annotations

from pathlib import Path

from kinesphere.builtin.library import motion as builtin_motion
from kinesphere.builtin.library import motions
from kinesphere.engine.generation import generate_gesture
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.loading import load
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion

Source = Motion | str | Path


def resolve_motion(source: Source) -> Motion:
    """The motion itself, the built-in one of that name, or the one in the file."""
    if isinstance(source, Motion):
        return source
    file = Path(source)
    if len(file.parts) == 1 and not file.suffix and not file.exists():
        if str(source) not in motions():
            raise ValueError(f"{unknown_name('motion', str(source), motions())}. Files have a suffix")
        return builtin_motion(str(source))
    return generate_gesture(load_gesture(file)) if file.suffix.lower() == ".toml" else load(file)


def check_source(name: str, source: object) -> None:
    """Refuse what cannot be a motion, a name or a file. Files are not opened yet."""
    if not isinstance(source, Motion | str | Path):
        raise TypeError(f"{name} is {source!r}; a motion, a default motion's name or a file is expected")
