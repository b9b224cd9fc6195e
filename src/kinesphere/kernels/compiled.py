"""When to use the compiled kernels.

numba makes some kernels five to twenty times faster, but importing it costs about a second. So a process starts on
the plain NumPy versions, and changes over when that second is likely to pay: after ``PATIENCE`` seconds of plain
work, or at once for a single call so large that it alone would take that long. ``warm_up()`` changes over now
(a studio, a batch, a benchmark); ``patient()`` puts it off (a command that opens one file and ends).
``KINESPHERE_COMPILED=0`` never compiles, ``=1`` always does.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

PATIENCE = 0.25  # seconds of plain work after which a process is taken to be in for more
LARGE = 20_000_000  # numbers in one call that take NumPy longer than loading numba takes
WORTH_A_CALL = 400  # numbers from which a compiled product is quicker than NumPy's dozen steps
WORTH_SHARING = 150_000  # numbers that keep a thread busy for longer than it takes to wake

T = TypeVar("T")
R = TypeVar("R")
_state: dict[str, float] = {"spent": 0.0, "patience": PATIENCE}
_loaded: list[ModuleType | None] = []
_threads: list[ThreadPoolExecutor] = []


def kernels(work: int = 0) -> ModuleType | None:
    """The compiled kernels, or None while the plain ones should serve. ``work`` is how many numbers are handled."""
    setting = os.environ.get("KINESPHERE_COMPILED", "")
    if setting == "0":
        return None
    if _loaded:
        return _loaded[0]
    if setting == "1" or work > LARGE or _state["spent"] > _state["patience"]:
        return warm_up()
    return None


def loaded(work: int) -> ModuleType | None:
    """The compiled kernels if they are there already and ``work`` numbers are worth a call; never loads them."""
    if not _loaded or work < WORTH_A_CALL or os.environ.get("KINESPHERE_COMPILED") == "0":
        return None
    return _loaded[0]


def warm_up() -> ModuleType | None:
    """Load the compiled kernels now. Without numba everything still works, only slower."""
    if not _loaded:
        try:
            from kinesphere.kernels import jit
        except ImportError:  # numba is missing, or newer than this Python supports
            _loaded.append(None)
        else:
            _loaded.append(jit)
    return _loaded[0]


def patient(seconds: float = 3.0) -> None:
    """Stay on the plain kernels for longer: this process is likely to end soon."""
    _state["patience"] = seconds


def share_frames(frames: int, numbers: int, kernel: Callable[[slice], object]) -> None:
    """Run a lock-free kernel over all frames, on several threads where there are enough ``numbers`` to share."""
    workers = 1 if _busy.shared else min(_workers(), numbers // WORTH_SHARING + 1, max(frames, 1))
    if workers == 1:
        kernel(slice(0, frames))
        return
    edges = [frames * i // workers for i in range(workers + 1)]
    parts = [slice(a, b) for a, b in zip(edges[1:-1], edges[2:], strict=True)]
    waiting = [_pool().submit(kernel, part) for part in parts]
    kernel(slice(0, edges[1]))
    for part in waiting:
        part.result()


def share_work(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """What ``work`` makes of each item, on several threads. Kernels that are called on the way don't share theirs."""
    if _busy.shared or not _loaded or _loaded[0] is None or min(_workers(), len(items)) < 2:
        return [work(item) for item in items]
    left, made = iter(enumerate(items)), dict[int, R]()

    def some() -> None:
        _busy.shared = True
        try:
            for i, item in left:  # one iterator for all: whoever is ready takes the next
                made[i] = work(item)
        finally:
            _busy.shared = False

    waiting = [_pool().submit(some) for _ in range(min(_workers(), len(items)) - 1)]
    some()
    for part in waiting:
        part.result()
    return [made[i] for i in range(len(items))]


def _workers() -> int:
    return min(4, os.cpu_count() or 1)


def _pool() -> ThreadPoolExecutor:
    if not _threads:
        from concurrent.futures import ThreadPoolExecutor

        _threads.append(ThreadPoolExecutor(4, thread_name_prefix="kinesphere"))
    return _threads[0]


class _Busy(threading.local):
    """Whether this thread is one of several that share work already."""

    shared = False


_busy = _Busy()


# A forked child inherits the pool but not its threads, and would wait for them forever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.clear)


@contextmanager
def plain_work() -> Iterator[None]:
    """Count the time spent in a plain kernel that has a compiled twin."""
    start = time.perf_counter()
    try:
        yield
    finally:
        _state["spent"] += time.perf_counter() - start
