"""Pictures drawn on several threads, given out in order, never many more of them in memory than threads."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Drawn = TypeVar("Drawn")

_MOST = 8  # threads


def in_order(draw: Callable[[Given], Drawn], things: Iterable[Given]) -> Iterator[Drawn]:
    """``draw`` of each thing. Kernels release the lock, so threads share the work; errors come out in order too."""
    workers = min(_MOST, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers, thread_name_prefix="kinesphere-picture") as pool:
        waiting: deque[Future[Drawn]] = deque()
        try:
            for thing in things:
                waiting.append(pool.submit(draw, thing))
                if len(waiting) > workers + 1:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def counted(things: Iterable[Given], total: int, label: str, show: bool | None = None) -> Iterator[Given]:
    """The same things, with a bar on standard error. ``show=None``: only where somebody sees it."""
    if not (sys.stderr.isatty() if show is None else show):
        yield from things
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield from bar.track(things, total=total, description=label)
