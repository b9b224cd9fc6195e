"""What a score performs: gestures from names, files and key points."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kinesphere.figure.gesture_file import load_gesture
from kinesphere.figure.library import gesture as our_gesture
from kinesphere.files.keypoints import load_keypoints
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoint, Keypoints

AFTER = 0.5  # seconds that a gesture of bare key points goes on after its last one
GESTURE_FILES = (".toml",)


def gesture_of(source: Gesture | Keypoints | str | Path) -> Gesture:
    """The gesture that is meant: itself, of key points, by its name, or from a file."""
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
