"""Memoisation by object: once for each object and arguments, and forgotten with the object."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from kinesphere import Gesture, Skeleton
from kinesphere.motion.memo import memoised


def skeleton() -> Skeleton:
    return Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))


def test_a_function_is_called_once_for_each_object_and_arguments():
    calls = []

    @memoised
    def count(of: Skeleton, factor: int = 1) -> list[int]:
        calls.append(factor)
        return [factor * len(of)]

    one, other = skeleton(), skeleton()
    assert count(one) is count(one)
    assert count(one, 3) == [6]
    assert count(one, 3) is count(one, 3)
    assert count(one, factor=3) == [6]
    assert count(other) is not count(one)
    assert calls == [1, 3, 3, 1]


def test_objects_without_a_hash_are_told_apart_by_identity():
    """A gesture holds mappings, so it has no hash."""
    names = memoised(lambda gesture: [gesture.name])
    one, same = Gesture("wave", 1.0), Gesture("wave", 1.0)
    assert one == same
    assert names(one) is names(one)
    assert names(one) is not names(same)


def test_results_are_forgotten_with_their_object():
    @memoised
    def made(of: Skeleton) -> Skeleton:
        return skeleton()

    key = skeleton()
    kept = weakref.ref(made(key))
    gc.collect()
    assert kept() is made(key)
    del key
    gc.collect()
    assert kept() is None
