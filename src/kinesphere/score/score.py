"""What a score performs: gestures from names, files and key points, and motions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kinesphere.builtin.library import gesture as our_gesture
from kinesphere.builtin.library import gestures, motions
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.registry import formats
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.layers import Express, Layer

AFTER = 0.5  # seconds that a gesture of bare key points goes on after its last one
GESTURE_FILES = (".toml",)


Source = Gesture | Keypoints | Motion | str | Path


def is_motion(source: Source) -> bool:
    """Whether a source is a motion, or a file of one, rather than a gesture."""
    if isinstance(source, Motion):
        return True
    if isinstance(source, str) and source in motions():
        return source not in gestures()
    return isinstance(source, str | Path) and Path(source).suffix.lower() in _motion_suffixes()


def _motion_suffixes() -> frozenset[str]:
    return frozenset(suffix for known in formats() if known.name != "keypoints" for suffix in known.suffixes)


def resolve_gesture(source: Source) -> Gesture:
    """The gesture that is meant: itself, of key points, by its name, or from a file."""
    if isinstance(source, Motion):
        raise TypeError(f"{source!r} is a motion; a gesture is expected")
    if isinstance(source, Gesture):
        return source
    if isinstance(source, Keypoints):
        return _of_keys(source)
    path = Path(source)
    if isinstance(source, str) and len(path.parts) <= 1 and not path.suffix and not path.is_file():
        return _ours(source)
    if path.suffix.lower() in GESTURE_FILES:
        return load_gesture(path)
    return _of_keys(load_keypoints(path), path.stem)


@lru_cache(maxsize=64)
def _ours(name: str) -> Gesture:
    return our_gesture(name)


def _of_keys(keys: Keypoints, name: str = "key points") -> Gesture:
    """A gesture of one arm's keys, which begins with the first of them."""
    first = keys.keys[0].frame
    moved = tuple(
        Keypoint(key.frame - min(first, 0.0), key.position, key.swivel, key.stop, key.space) for key in keys.keys
    )
    own = Keypoints(moved, keys.rate, keys.part, keys.locked, keys.source)
    side = "left" if keys.part.lower().startswith("left") else "right"
    duration = moved[-1].frame / keys.rate + AFTER
    left, right = (own, None) if side == "left" else (None, own)
    return Gesture(name, duration, left, right, source=keys.source)


# ---- Score: the document of a performance. What is performed, and layers of how.


VERSION = 1
MOST_LAYERS = 1000


@dataclass(frozen=True)
class Score:
    """What is performed and how.

    Parameters
    ----------
    source
        A gesture, key points, the name of one of our gestures, or a file of either; or a motion or its file, which
        edits of signals are for.
    layers
        Edits. All Express, whose dials add up, then edits of signals, one after the other.
    model
        The Effort model: a name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    seed
        Which individual performs it; None: nobody in particular, always the same.
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
