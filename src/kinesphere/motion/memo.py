"""What is worked out of a gesture once, and kept for as long as the gesture lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from kinesphere.motion.gesture import Gesture
from kinesphere.motion.skeleton import Skeleton

P = ParamSpec("P")
R = TypeVar("R")


def memoise_by_gesture(
    function: Callable[Concatenate[Gesture, P], R],
) -> Callable[Concatenate[Gesture, P], R]:
    """A function of a gesture, and of a few hashable values beside, that is called once for each."""
    kept: dict[int, tuple[weakref.ref[Gesture], dict[object, R]]] = {}

    @wraps(function)
    def recalled(gesture: Gesture, /, *args: P.args, **kwargs: P.kwargs) -> R:
        key = id(gesture)
        found = kept.get(key)
        if found is None or found[0]() is not gesture:
            found = weakref.ref(gesture, lambda _: kept.pop(key, None)), {}
            kept[key] = found
        known, asked = found[1], (args, tuple(kwargs.items()))
        if asked not in known:
            known[asked] = function(gesture, *args, **kwargs)
        return known[asked]

    return recalled


# ---- What is asked of a skeleton again and again, found once.


T = TypeVar("T")


def memoise_by_skeleton(find: Callable[[Skeleton], T]) -> Callable[[Skeleton], T]:
    """The same function, which goes to work once for each skeleton: they never change."""
    known: WeakKeyDictionary[Skeleton, T] = WeakKeyDictionary()

    @wraps(find)
    def found(skeleton: Skeleton) -> T:
        try:
            return known[skeleton]
        except KeyError:
            return known.setdefault(skeleton, find(skeleton))

    return found
