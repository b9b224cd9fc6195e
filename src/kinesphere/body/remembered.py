"""What is asked of a skeleton again and again, found once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from kinesphere.motion.skeleton import Skeleton

T = TypeVar("T")


def remembered(find: Callable[[Skeleton], T]) -> Callable[[Skeleton], T]:
    """The same function, which goes to work once for each skeleton: they never change."""
    known: WeakKeyDictionary[Skeleton, T] = WeakKeyDictionary()

    @wraps(find)
    def found(skeleton: Skeleton) -> T:
        try:
            return known[skeleton]
        except KeyError:
            return known.setdefault(skeleton, find(skeleton))

    return found
