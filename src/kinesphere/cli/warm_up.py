"""Numba cache warm-up: compile all loops ahead of time (``python -m kinesphere.cli.warm_up``).

Numba compiles a loop when it is first called with arrays of a kind, which takes up to some seconds each. ``make`` runs
this, so that nobody waits at their first edit or picture. It does small real work instead of calling loops with
invented arrays: only then are they compiled for the kinds of arrays that they will get. Two processes share the work;
numba's cache on disk allows several writers.
"""

from __future__ import annotations

import gc
import queue
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

import kinesphere

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion

Step = tuple[str, Callable[[], object]]


def _gesture(name: str = "walk") -> Motion:
    return kinesphere.builtin.motion(name)


def _perform_dials() -> None:
    kinesphere.perform("wave", kinesphere.Effort(0.5, -0.5, 0.5, -0.5), kinesphere.Shape(0.2, 0.2, 0.2))


def _waveshape() -> None:
    kinesphere.Waveshape("undulation")(_gesture())
    kinesphere.Waveshape("limits", by="joint")(_gesture())


def _blend() -> None:
    walk = _gesture()
    kinesphere.Blend(bands={2: [1.0, 0.0]})(walk, walk[20:])
    kinesphere.Blend(align=False)(walk, walk[20:])
    kinesphere.align(walk, walk[20:], "shape")


def _stepping() -> Motion:
    """The figure lifts one knee after the other on a floor that moves, so that there is sliding to remove.

    It is no gesture of ours, which the engine would have to be compiled for.
    """
    import numpy as np

    skeleton = kinesphere.figure().skeleton
    times = np.arange(180) / 60.0
    rotations = np.tile(skeleton.rest_rotations, (len(times), 1, 1))
    for side, start in (("left", 0.5), ("right", 1.7)):
        lift = np.sin(np.pi * np.clip((times - start) / 0.8, 0.0, 1.0)) ** 2
        for role, angle in (("UpperLeg", -0.9), ("LowerLeg", 1.5)):
            half = 0.5 * angle * lift
            pitch = np.stack([np.cos(half), np.sin(half), np.zeros_like(half), np.zeros_like(half)], axis=-1)
            rotations[:, skeleton.roles[f"{side}{role}"]] = pitch  # the figure's legs have no rest rotation
    translations = np.tile(skeleton.offsets, (len(times), 1, 1))
    translations[:, skeleton.roles["hips"]] += 0.02 * np.sin(2.4 * times)[:, None] * [1.0, 0.0, 0.5]
    return kinesphere.Motion(skeleton, 60.0, rotations, translations)


def _displace(*parts: str) -> None:
    for part in parts:
        kinesphere.Displace([kinesphere.signals.Target(part, seconds=1.0, by=(0.0, 0.1, 0.0))])(_stepping())


def _files() -> None:
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as folder:
        for name in ("steps.bvh", "steps.glb"):
            kinesphere.save(_stepping()[:40], Path(folder) / name)
            kinesphere.load(Path(folder) / name)


def _still() -> None:
    kinesphere.still(_stepping(), 0.3, character=kinesphere.mo(), size=(96, 96), trails=True, ghosts=1)


# What commands do, in two parts that take about as long. The second begins without the engine, which the first begins
# with; what a part needs of the other's later is on disk by then.
PARTS: tuple[tuple[Step, ...], ...] = (
    (
        ("gestures", lambda: _gesture("wave")),
        ("Effort and Shape", _perform_dials),
        ("equalize", lambda: kinesphere.Equalize(preset="exaggerate", start=0.5, end=2.0)(_gesture())),
        ("waveshape", _waveshape),
        ("smooth", lambda: kinesphere.Smooth(1.0)(_gesture())),
        ("timewarp", lambda: kinesphere.Timewarp(bpm=100.0)(_gesture())),
        ("blend", _blend),
    ),
    (
        ("foot lock", lambda: kinesphere.lock_feet(_stepping())),
        ("displace hands", lambda: _displace("rightHand", "leftHand")),
        ("displace feet", lambda: _displace("leftFoot")),
        ("displace head and hips", lambda: _displace("head", "hips")),
        ("files", _files),
        ("retarget", lambda: kinesphere.retarget(_stepping()[:40], kinesphere.mo())),
        ("pictures", _still),
        ("sheets", lambda: kinesphere.sheet(_stepping(), frames=2, size=(200, 200))),
    ),
)


def run_part(part: int) -> Iterator[str]:
    """Do the steps of one part; the name of each comes before it is done."""
    gc.disable()  # it would walk numba's large heap again and again: a tenth of the time
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, work in PARTS[part]:
            yield name
            work()


def main() -> int:
    """Run all parts, each in a process of its own, with progress on stderr. The exit code is that of the worst."""
    began = time.monotonic()
    total = sum(map(len, PARTS))
    steps: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    with tempfile.TemporaryFile("w+") as errors, ExitStack() as stack:
        workers = [stack.enter_context(_start(part, errors)) for part in range(len(PARTS))]
        for worker in workers:
            threading.Thread(target=_forward, args=(worker.stdout, steps), daemon=True).start()
        running, begun = len(workers), 0
        while running:
            name = steps.get()
            running -= name is None
            if name is not None:
                begun += 1
                print(f"kinesphere: compiling {begun} of {total}: {name}", file=sys.stderr, flush=True)
        failed = max(worker.wait() != 0 for worker in workers)
        if failed:
            errors.seek(0)
            print(errors.read(), file=sys.stderr)
    print(f"kinesphere: compiled in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    return int(failed)


def _start(part: int, errors: IO[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kinesphere.cli.warm_up", str(part)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)


def _forward(lines: IO[str], steps: queue.SimpleQueue[str | None]) -> None:
    """Pass on a worker's lines, and None at its end."""
    for line in lines:
        steps.put(line.strip())
    steps.put(None)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for step in run_part(int(sys.argv[1])):
            print(step, flush=True)
    else:
        sys.exit(main())
