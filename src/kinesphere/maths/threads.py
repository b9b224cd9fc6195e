"""Threads for compiled loops, which hold no interpreter lock: share frames, or whole items, among a few workers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORTH_SHARING = 150_000  # numbers that keep a thread busy for longer than it takes to wake

T = TypeVar("T")
R = TypeVar("R")


def share_frames(frames: int, numbers: int, loop: Callable[[slice], object]) -> None:
    """Run a loop that holds no lock over all frames, on several threads where there are enough ``numbers``."""
    workers = 1 if _busy.shared else min(_workers(), numbers // WORTH_SHARING + 1, max(frames, 1))
    if workers == 1:
        loop(slice(0, frames))
        return
    edges = [frames * i // workers for i in range(workers + 1)]
    parts = [slice(a, b) for a, b in zip(edges[1:-1], edges[2:], strict=True)]
    waiting = [_pool().submit(loop, part) for part in parts]
    loop(slice(0, edges[1]))
    for part in waiting:
        part.result()


def share_work(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Map ``work`` over items on several threads. Loops that are called on the way don't share theirs."""
    if _busy.shared or min(_workers(), len(items)) < 2:
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


@cache
def _workers() -> int:
    return min(4, os.cpu_count() or 1)  # asking takes as long as a short loop


def _pool() -> ThreadPoolExecutor:
    if not _threads:
        from concurrent.futures import ThreadPoolExecutor

        _threads.append(ThreadPoolExecutor(4, thread_name_prefix="kinesphere"))
    return _threads[0]


class _Busy(threading.local):
    """Whether this thread is one of several that share work already."""

    shared = False


_busy = _Busy()
_threads: list[ThreadPoolExecutor] = []


# A forked child inherits the pool but not its threads, and would wait for them forever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.clear)
