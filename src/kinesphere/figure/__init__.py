"""Our own bodies, and motions to start from.

``figure()`` and ``mo()`` are characters; ``motions()`` names the motions, ``motion(name)`` gives one, ``gesture(name)``
the key points of one that is made of them. ``load_gesture`` reads a file of one's own, ``acted`` makes a motion of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.figure.acting import acted
    from kinesphere.figure.body import figure, mass, mo, segment_masses
    from kinesphere.figure.gesture_file import load_gesture
    from kinesphere.figure.library import gesture, motion, motions

_WHERE = {
    "acted": "kinesphere.figure.acting",
    "figure": "kinesphere.figure.body",
    "gesture": "kinesphere.figure.library",
    "load_gesture": "kinesphere.figure.gesture_file",
    "mass": "kinesphere.figure.body",
    "mo": "kinesphere.figure.body",
    "motion": "kinesphere.figure.library",
    "motions": "kinesphere.figure.library",
    "segment_masses": "kinesphere.figure.body",
}

__all__ = ["acted", "figure", "gesture", "load_gesture", "mass", "mo", "motion", "motions", "segment_masses"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'kinesphere.figure' has no attribute {name!r}")
    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value
