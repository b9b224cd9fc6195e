"""Numba or NumPy: one decision per process, lazy compilation, cache on disk, threads.

``@jit`` marks a plain loop over arrays that numba compiles at its first call, not at import: a module may hold loops
and stay quick to import. ``@kernel`` is for the few functions that one-shot commands need before numba is worth
loading (parsing, rotations, kinematics, resampling, bands, rotation curves): they have a NumPy implementation and a
compiled one, and one decision for the whole process says which runs. It never depends on the clock or on what ran
before, so a call gives the same bits whenever it is made.

The decision is: ``KINESPHERE_COMPILED=0`` NumPy, ``=1`` compiled; else NumPy where ``prefer_numpy()`` was called
before the first kernel (commands that read one file and end), else compiled.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import cache, update_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

WORTH_SHARING = 150_000  # numbers that keep a thread busy for longer than it takes to wake
SETTING = "KINESPHERE_COMPILED"

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")


# Lazy compilation


class Jit:
    """A loop that numba compiles at its first call. Other loops that it calls are compiled with it."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.dispatcher: Any = None
        self.files = {function.__code__.co_filename}  # those of the loops that it calls, too, once it is compiled
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        return (self.dispatcher or self.compile())(*args)

    def compile(self) -> Any:
        """The numba dispatcher. Numba looks names up in the function's module: loops there are replaced by theirs."""
        with _LOCK:
            if self.dispatcher is None:
                from numba import njit

                _announce_compilation()
                for name in _names(self.function.__code__):
                    used = self.function.__globals__.get(name)
                    used = getattr(used, "kinesphere_jit", used)
                    if isinstance(used, Jit):
                        self.function.__globals__[name] = used.compile()
                        self.files |= used.files
                compile_loop = njit(**_OPTIONS)
                dispatcher: Any = compile_loop(self.function)
                dispatcher.kinesphere_jit = self
                _stamp_cache(dispatcher, self.files)
                self.dispatcher = dispatcher
                if self.function.__globals__.get(self.function.__name__) is self:  # its module calls it directly now
                    self.function.__globals__[self.function.__name__] = dispatcher
        return self.dispatcher


def jit(function: Any) -> Any:
    """Decorator: compile this loop over arrays with numba when it is first called, and keep it on disk.

    ``a * b + c`` may be one fused operation, but nothing is reordered: a sum does not depend on how frames are shared
    among threads.
    """
    return Jit(function)


def _stamp_cache(dispatcher: Any, files: set[str]) -> None:
    """Name what is kept on disk after the contents of all source files that go into it.

    Numba looks at a function's own file only: a loop would go on with what another file said before.
    """
    from numba.core import caching

    kept = dispatcher._cache
    digest = hashlib.sha256(b"".join(_digest(file) for file in sorted(files))).hexdigest()[:12]
    make: Any = caching.IndexDataCacheFile
    kept._cache_file = make(kept._cache_path, f"{kept._impl.filename_base}-{digest}", digest)


@cache
def _digest(file: str) -> bytes:
    return hashlib.sha256(Path(file).read_bytes()).digest()


def _names(code: CodeType) -> set[str]:
    """The global names that a function uses, those of functions inside it included."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= _names(constant)
    return found


def _announce_compilation() -> None:
    """Say once on stderr that something is being compiled, when it is: numba is silent for up to half a minute."""
    if _announced:
        return
    _announced.append(True)
    from numba.core import event

    class Announcer(event.Listener):
        said = False

        def on_start(self, event: Any) -> None:
            if not Announcer.said:
                Announcer.said = True
                print("kinesphere: compiling for this machine (once; kept on disk) …", file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Announcer())  # type: ignore[no-untyped-call]


_LOCK = threading.RLock()
# No loop is passed as a value, so none needs a C callback, which numba takes a tenth of the time for.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract"},
    "no_cfunc_wrapper": True,
}
_announced: list[bool] = []


# One decision a process


class Kernel(Generic[P, R]):
    """A function with a NumPy implementation and a compiled one; the process's decision says which is called."""

    def __init__(self, numpy: Callable[P, R]) -> None:
        self.numpy = numpy
        self.compiled = numpy
        update_wrapper(self, numpy)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.compiled(*args, **kwargs) if use_compiled() else self.numpy(*args, **kwargs)

    def compile_with(self, function: Callable[P, R]) -> Callable[P, R]:
        """Decorator for the compiled implementation."""
        self.compiled = function
        return function


def kernel(numpy: Callable[P, R]) -> Kernel[P, R]:
    """Decorator for the NumPy implementation of a function that also has a compiled one."""
    return Kernel(numpy)


_decision: list[bool] = []
_preference: list[bool] = []


def use_compiled() -> bool:
    """Whether kernels run compiled in this process: decided at the first call, and never again."""
    if not _decision:
        setting = os.environ.get(SETTING, "")
        _decision.append(setting != "0" if setting else not _preference)
    return _decision[0]


def prefer_numpy() -> None:
    """For a command that reads a file and ends: don't load numba for what NumPy does soon enough."""
    _preference.append(True)


def warm_up() -> None:
    """Import numba now instead of at the first call. Whatever is compiled on disk is loaded when it is called."""
    importlib.import_module("numba")


# Threads


def share_frames(frames: int, numbers: int, kernel: Callable[[slice], object]) -> None:
    """Run a kernel that holds no lock over all frames, on several threads where there are enough ``numbers``."""
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
    """Map ``work`` over items on several threads. Kernels that are called on the way don't share theirs."""
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
_threads: list[ThreadPoolExecutor] = []


# A forked child inherits the pool but not its threads, and would wait for them forever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_threads.clear)
