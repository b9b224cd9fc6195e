"""Built-in motions: one TOML file each in ``motion_files/``, generated on demand."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kinesphere.builtin.characters import check_range
from kinesphere.builtin.gait import generate_walk, read_gait
from kinesphere.engine.generation import generate_gesture
from kinesphere.engine.proportions import HEIGHT
from kinesphere.files.gesture_toml import gesture_from_fields
from kinesphere.files.schema import TomlFields, read_toml
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.motion import Motion

KINDS = ("gesture", "walk")
HEIGHTS = (0.1, 10.0)  # metres
FOLDER = Path(__file__).parent / "motion_files"  # another name than the function's: a folder may be taken for a module


def motions() -> tuple[str, ...]:
    """The names of the figure's motions."""
    return tuple(sorted(_files()))


def gesture(name: str) -> Gesture:
    """The gesture of a motion that is made of key points."""
    fields = _fields(_check_name(name))
    if name not in gestures():
        raise ValueError(f"{name!r} is not made of key points; these are: {', '.join(gestures())}")
    return gesture_from_fields(fields, name)


@lru_cache(maxsize=1)
def gestures() -> tuple[str, ...]:
    """The names of motions that are made of key points."""
    return tuple(name for name in motions() if _fields(name).text("kind", "gesture") == "gesture")


def motion(name: str, height: float = HEIGHT) -> Motion:
    """One of the figure's motions, 60 frames per second, on the figure's skeleton at this height in metres."""
    return _motion(_check_name(name), check_range("height", height, HEIGHTS))


@lru_cache(maxsize=64)
def _motion(name: str, height: float) -> Motion:
    fields = _fields(name)
    kind = fields.text("kind", "gesture")
    if kind not in KINDS:
        raise fields.fail("kind", repr(kind), " or ".join(KINDS))
    if kind == "walk":
        return generate_walk(read_gait(fields, name), height)
    return generate_gesture(gesture(name), height)


def _files() -> dict[str, Path]:
    return {path.stem.replace("_", " "): path for path in FOLDER.glob("*.toml")}


def _check_name(name: object) -> str:
    if not isinstance(name, str):
        raise ValueError(f"motion {name!r}: a name is expected. There are: {', '.join(motions())}")
    if name not in _files():
        raise ValueError(unknown_name("motion", name, motions()))
    return name


def _fields(name: str) -> TomlFields:
    files = _files()
    fields = read_toml(files[name])
    if not fields.has("like"):
        return fields
    like = fields.text("like")
    if like not in files or like == name:
        raise fields.fail("like", repr(like), f"another motion: {', '.join(sorted(files))}")
    return fields.over(read_toml(files[like]))
