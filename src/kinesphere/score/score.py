"""Score: what is performed (a gesture, key points or a motion) and layers of edits on it.

A source may be given by name or by file; ``is_name``, ``is_motion`` and ``resolve_gesture`` say which it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kinesphere.builtin.library import gesture, gestures, motions
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.registry import formats
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.layers import Express, Layer

HOLD_AFTER = 0.5  # seconds that a gesture of key points alone lasts after the last one
GESTURE_FILES = (".toml",)
VERSION = 1
MOST_LAYERS = 1000

Source = Gesture | Keypoints | Motion | str | Path


def is_name(source: str | Path) -> bool:
    """Whether a source is a name rather than a file: a text without a folder and a suffix."""
    return isinstance(source, str) and len(Path(source).parts) <= 1 and not Path(source).suffix


def is_motion(source: Source) -> bool:
    """Whether a source is a motion, or a motion's name or file, rather than a gesture."""
    if isinstance(source, Motion):
        return True
    if isinstance(source, str) and source in motions():
        return source not in gestures()
    return isinstance(source, str | Path) and Path(source).suffix.lower() in _motion_suffixes()


def _motion_suffixes() -> frozenset[str]:
    return frozenset(suffix for known in formats() if known.name != "keypoints" for suffix in known.suffixes)


def resolve_gesture(source: Source) -> Gesture:
    """The gesture of a source: itself, one of key points, one by its name, or one from a file."""
    if isinstance(source, Motion):
        raise TypeError(f"{source!r} is a motion; a gesture is expected")
    if isinstance(source, Gesture):
        return source
    if isinstance(source, Keypoints):
        return _gesture_of_keys(source)
    path = Path(source)
    if is_name(source) and not path.is_file():
        return _builtin_gesture(str(source))
    if path.suffix.lower() in GESTURE_FILES:
        return load_gesture(path)
    return _gesture_of_keys(load_keypoints(path), path.stem)


@lru_cache(maxsize=64)
def _builtin_gesture(name: str) -> Gesture:
    return gesture(name)


def _gesture_of_keys(keys: Keypoints, name: str = "key points") -> Gesture:
    """A gesture of one arm's keys. Keys before time 0 are delayed so that the first is at 0."""
    first = keys.keys[0].frame
    shifted = tuple(
        Keypoint(key.frame - min(first, 0.0), key.position, key.swivel, key.stop, key.space) for key in keys.keys
    )
    own = Keypoints(shifted, keys.rate, keys.part, keys.locked, keys.source)
    side = "left" if keys.part.lower().startswith("left") else "right"
    duration = shifted[-1].frame / keys.rate + HOLD_AFTER
    left, right = (own, None) if side == "left" else (None, own)
    return Gesture(name, duration, left, right, source=keys.source)


@dataclass(frozen=True)
class Score:
    """A performance: its source and the edits on it.

    Parameters
    ----------
    source
        A gesture, key points, the name of a built-in gesture, or a file of either; or a motion or its file, to which
        only edits of signals apply.
    layers
        Edits. The dials of all Express add up; then edits of signals are applied, one after the other.
    model
        The Effort model: a name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    seed
        Which individual performs it; None: always the same.
    """

    source: Gesture | Keypoints | Motion | str | Path
    layers: tuple[Layer, ...] = ()
    model: str | Path | EffortModel = DEFAULT
    lock_times: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Gesture | Keypoints | Motion | str | Path):
            raise TypeError(f"{self.source!r}: a gesture, key points, a motion, a gesture's name or a file is expected")
        object.__setattr__(self, "layers", tuple(self.layers))
        if len(self.layers) > MOST_LAYERS:
            raise ValueError(f"{len(self.layers)} layers; at most {MOST_LAYERS} are allowed")
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise TypeError(f"{layer!r} is no layer")
            if isinstance(layer.edit, Express) and is_motion(self.source):
                name = self.source.name if isinstance(self.source, Motion) else self.source
                raise ValueError(
                    f"{name} is a motion: Effort and Shape are for gestures, whose goals are known. Edits of "
                    "kinesphere.signals are for both"
                )
        effort_model(self.model)
        if not isinstance(self.lock_times, bool):
            raise TypeError(f"lock_times is {self.lock_times!r}; True or False is expected")
        seed = self.seed
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63):
            raise ValueError(f"seed is {seed!r}; a whole number from 0, or None, is expected")
