"""Other motions that an edit needs: themselves, by a default motion's name, or from a file that is read when needed."""

from __future__ import annotations

from pathlib import Path

from kinesphere.figure.acting import acted
from kinesphere.figure.gesture_file import load_gesture
from kinesphere.figure.library import motion as default_motion
from kinesphere.figure.library import motions
from kinesphere.files.loading import load
from kinesphere.motion.gesture import unknown
from kinesphere.motion.motion import Motion

Source = Motion | str | Path


def motion_of(source: Source) -> Motion:
    """The motion that is meant."""
    if isinstance(source, Motion):
        return source
    file = Path(source)
    if len(file.parts) == 1 and not file.suffix and not file.exists():
        if str(source) not in motions():
            raise ValueError(f"{unknown('motion', str(source), motions())}. Files have a suffix")
        return default_motion(str(source))
    return acted(load_gesture(file)) if file.suffix.lower() == ".toml" else load(file)


def check_source(name: str, source: object) -> None:
    """Refuse what cannot be a motion. Files are not looked at yet."""
    if not isinstance(source, Motion | str | Path):
        raise TypeError(f"{name} is {source!r}; a motion, a default motion's name or a file is expected")
