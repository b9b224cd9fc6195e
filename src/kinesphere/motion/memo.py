"""Memoisation by object: keep a function's results for as long as its first argument lives."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def memoised(function: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Decorator: call the function once for each first argument, and for each set of hashable arguments after it.

    The first argument is an immutable object that can be weakly referenced, such as a skeleton or a gesture. It is
    compared by identity: equal objects are computed separately.
    """
    kept: dict[int, tuple[weakref.ref[T], dict[object, R]]] = {}

    @wraps(function)
    def recall(first: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        key = id(first)
        found = kept.get(key)
        if found is None or found[0]() is not first:
            found = weakref.ref(first, lambda _: kept.pop(key, None)), {}
            kept[key] = found
        results, arguments = found[1], (args, tuple(kwargs.items()))
        if arguments not in results:
            # With setdefault, two threads that compute it at the same time get the same object.
            results.setdefault(arguments, function(first, *args, **kwargs))
        return results[arguments]

    return recall
