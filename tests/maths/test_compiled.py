"""Kernels are chosen once a process, and work is shared among threads."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import jit, kernel


@jit
def square(x):
    return x * x


@jit
def sum_of_squares(values):
    """A loop that calls another."""
    total = 0.0
    for i in range(values.size):
        total += square(values[i])
    return total


@kernel
def double(value: float, *, times: int = 1) -> float:
    """Twice a value."""
    return 2.0 * times * value


@double.compile_with
def _double(value: float, *, times: int = 1) -> float:
    return -2.0 * times * value


def test_loops_compile_with_those_that_they_call():
    values = np.arange(5.0)
    assert sum_of_squares(values) == 30.0
    assert sum_of_squares(values) == 30.0
    assert square(3) == 9


def test_kernels_keep_their_signatures_and_words():
    assert str(inspect.signature(double)) == "(value: 'float', *, times: 'int' = 1) -> 'float'"
    assert double.__doc__ == "Twice a value."
    assert double.__name__ == "double"
    assert list(inspect.signature(rotations.slerp).parameters) == ["a", "b", "share"]


@pytest.mark.parametrize(
    ("setting", "prefers_numpy", "expected"),
    [("", False, True), ("", True, False), ("0", False, False), ("1", True, True)],
)
def test_the_implementation_is_decided_once(setting, prefers_numpy, expected, monkeypatch):
    monkeypatch.setattr(compiled, "_decision", [])
    monkeypatch.setattr(compiled, "_preference", [])
    monkeypatch.setenv(compiled.SETTING, setting)
    if prefers_numpy:
        compiled.prefer_numpy()
    assert double(1.5, times=2) == (-6.0 if expected else 6.0)
    monkeypatch.setenv(compiled.SETTING, "0" if expected else "1")
    compiled.prefer_numpy()
    assert compiled.use_compiled() is expected
    assert double.numpy(1.0) == 2.0
    assert double.compiled(1.0) == -2.0


def test_shared_work_comes_back_in_its_order():
    compiled.warm_up()
    inside = []

    def work(n):
        shared = []
        compiled.share_frames(10, 10**9, lambda part: shared.append((part.start, part.stop)))
        inside.append(shared)
        return n * n

    assert compiled.share_work(work, range(50)) == [n * n for n in range(50)]
    assert all(parts == [(0, 10)] for parts in inside)  # nothing is shared twice, so nothing waits for itself
    with pytest.raises(ZeroDivisionError):
        compiled.share_work(lambda n: 1 // (n - 3), range(8))
    assert compiled.share_work(work, []) == []
