"""What a score performs: gestures from names, files and key points, and motions."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kinesphere.figure.gesture_file import load_gesture
from kinesphere.figure.library import gesture as our_gesture
from kinesphere.figure.library import gestures, motions
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.registry import formats
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoint, Keypoints
from kinesphere.motion.motion import Motion

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


def gesture_of(source: Source) -> Gesture:
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
