"""Kinesphere: an open expressive-motion engine.

A movement has a *what* and a *how*; Kinesphere owns the how. ``load`` a motion, change it, ``save`` it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.files.errors import MotionFileError, MotionFileWarning
    from kinesphere.files.keypoints import load_keypoints, save_keypoints
    from kinesphere.files.loading import clips, load, save
    from kinesphere.kernels.compiled import warm_up
    from kinesphere.motion.joining import concatenated
    from kinesphere.motion.keypoints import Keypoint, Keypoints
    from kinesphere.motion.motion import Motion
    from kinesphere.motion.retiming import retimed
    from kinesphere.motion.skeleton import Skeleton, Tip
    from kinesphere.motion.timemap import TimeMap

__version__ = "0.1.0"

# Names are imported when first used, so that `kinesphere --help` need not wait for NumPy.
_WHERE = {
    "Keypoint": "kinesphere.motion.keypoints",
    "Keypoints": "kinesphere.motion.keypoints",
    "Motion": "kinesphere.motion.motion",
    "MotionFileError": "kinesphere.files.errors",
    "MotionFileWarning": "kinesphere.files.errors",
    "Skeleton": "kinesphere.motion.skeleton",
    "TimeMap": "kinesphere.motion.timemap",
    "Tip": "kinesphere.motion.skeleton",
    "clips": "kinesphere.files.loading",
    "concatenated": "kinesphere.motion.joining",
    "load": "kinesphere.files.loading",
    "load_keypoints": "kinesphere.files.keypoints",
    "retimed": "kinesphere.motion.retiming",
    "save": "kinesphere.files.loading",
    "save_keypoints": "kinesphere.files.keypoints",
    "warm_up": "kinesphere.kernels.compiled",
}

__all__ = [
    "Keypoint",
    "Keypoints",
    "Motion",
    "MotionFileError",
    "MotionFileWarning",
    "Skeleton",
    "TimeMap",
    "Tip",
    "clips",
    "concatenated",
    "load",
    "load_keypoints",
    "retimed",
    "save",
    "save_keypoints",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'kinesphere' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
