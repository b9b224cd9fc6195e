"""Measure the walk through a command: which functions, modules, rooms and classes it passes.

.venv/bin/python tools/walk.py [--json FILE] [--list] [--walk NAME]

Each command runs in process in a fresh interpreter that has imported all that it needs, so imports don't count. It runs
twice: cold (nothing kept yet: what a user's command does) and warm (once more, with what the first run has kept).

functions   distinct functions and methods of kinesphere that are called. Comprehensions and generator expressions
            belong to their function, code that dataclasses generate does not count, lambdas do.
modules     distinct modules whose functions are called.
rooms       packages directly below kinesphere.
crossings   calls of a function of one room by one of another. The caller is the nearest function of kinesphere below,
            also through NumPy, pydantic or generated code. A generator counts once, when it starts. Pairs are distinct
            (caller, callee).
            Between other rooms: between rooms other than maths and motion, the two that every other room stands on.
            Into motion: from any other room. Back up: from maths and motion into the rooms that stand on them.
direct      crossings where motion/memo and maths/threads are looked through: what one function asks of another,
            whoever keeps results or shares frames on the way.
classes     distinct classes of kinesphere that are constructed in Python, or whose instances are arguments.

The recording is bvh/cmu/02_01.bvh in the folder KINESPHERE_DATA (default: ../shared/data beside the repository).
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from typer.testing import CliRunner

import kinesphere

PACKAGE = Path(kinesphere.__file__).resolve().parent
DATA = Path(os.environ.get("KINESPHERE_DATA", Path(__file__).resolve().parents[2] / "shared/data"))
RECORDING = DATA / "bvh/cmu/02_01.bvh"
WALKS = {
    "perform": ["perform", "wave", "--words", "shy", "--character", "mo", "-o", "x.glb"],
    "equalize": ["equalize", "walk.bvh", "--preset", "exaggerate", "-o", "out.bvh"],
}
RECORDED = {"equalize"}  # walks that read the recording
FOUNDATIONS = {"maths", "motion"}  # rooms that every other room stands on
WRAPPERS = {"motion.memo", "maths.threads"}  # modules that only call what they are given
GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")


class Function(NamedTuple):
    module: str  # below kinesphere
    name: str

    @property
    def room(self) -> str:
        return self.module.split(".")[0]

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


Crossings = Counter[tuple[Function, Function]]  # (caller, callee) of different rooms


class Walk:
    """What is called while this is the profile function."""

    def __init__(self) -> None:
        self.functions: dict[CodeType, Function | None] = {}
        self.calls: Counter[Function] = Counter()
        self.crossings: Crossings = Counter()
        self.direct: Crossings = Counter()
        self.entries: set[Function] = set()  # called by nobody in kinesphere: the command itself, and threads
        self.classes: set[str] = set()
        self.constructed: set[str] = set()

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        callee = self.function(frame.f_code)
        if callee is None:
            self.note_generated(frame)
        elif frame.f_code.co_name not in COMPREHENSIONS and not is_resumed(frame):
            self.calls[callee] += 1
            self.note_arguments(frame)
            self.note_crossing(frame, callee)

    def function(self, code: CodeType) -> Function | None:
        if code not in self.functions:
            self.functions[code] = function_of(code)
        return self.functions[code]

    def note_crossing(self, frame: FrameType, callee: Function) -> None:
        callers = list(self.callers(frame))
        if not callers:
            self.entries.add(callee)
        elif callers[0].room != callee.room:
            self.crossings[callers[0], callee] += 1
        if callee.module in WRAPPERS:
            return
        asking = next((caller for caller in callers if caller.module not in WRAPPERS), callee)
        if asking.room != callee.room:
            self.direct[asking, callee] += 1

    def callers(self, frame: FrameType) -> Iterator[Function]:
        """The nearest first."""
        below = frame.f_back
        while below is not None:
            caller = self.function(below.f_code)
            if caller is not None:
                yield caller
            below = below.f_back

    def note_arguments(self, frame: FrameType) -> None:
        for i, value in enumerate(arguments(frame)):
            self.note_class(type(value), i == 0 and frame.f_code.co_name in ("__init__", "__post_init__"))

    def note_generated(self, frame: FrameType) -> None:
        """Dataclasses' own ``__init__`` and NamedTuples' ``__new__``."""
        code, values = frame.f_code, frame.f_locals
        if code.co_filename != "<string>":
            return
        if code.co_name == "__init__" and code.co_argcount:
            self.note_class(type(values[code.co_varnames[0]]), True)
        elif isinstance(values.get("_cls"), type):
            self.note_class(values["_cls"], True)

    def note_class(self, kind: type, constructed: bool) -> None:
        if not (kind.__module__ or "").startswith("kinesphere"):
            return
        name = f"{kind.__module__}.{kind.__qualname__}"
        self.classes.add(name)
        if constructed:
            self.constructed.add(name)

    def report(self) -> dict[str, Any]:
        modules = {function.module for function in self.calls}
        rooms = Counter(function.room for function in self.calls)
        return {
            "functions": len(self.calls),
            "modules": len(modules),
            "rooms": len(rooms),
            "calls": self.calls.total(),
            **count("crossings", self.crossings),
            **count("direct crossings", self.direct),
            **count("between other rooms", between(self.crossings, lambda a, b: not {a, b} & FOUNDATIONS)),
            **count("into motion", between(self.crossings, lambda a, b: b == "motion")),
            **count("back up", between(self.crossings, lambda a, b: a in FOUNDATIONS and b not in FOUNDATIONS)),
            "classes": len(self.classes),
            "classes constructed": len(self.constructed),
            "by rooms": by_rooms(self.crossings),
            "functions by room": dict(sorted(rooms.items())),
            "entries": sorted(map(str, self.entries)),
            "class names": sorted(self.classes),
            "module names": sorted(modules),
            "function names": sorted(map(str, self.calls)),
            "pair names": sorted(f"{a} → {b} ×{calls}" for (a, b), calls in self.crossings.items()),
        }


def function_of(code: CodeType) -> Function | None:
    """The function that code belongs to; None outside of kinesphere and at the top of a module."""
    file = Path(code.co_filename)
    if not file.is_relative_to(PACKAGE):
        return None
    name = code.co_qualname
    while name.endswith(COMPREHENSIONS):
        name = name.rpartition(".<locals>.")[0]
    if name in ("", "<module>"):
        return None
    return Function(".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"), name)


def is_resumed(frame: FrameType) -> bool:
    """Whether a generator goes on after a yield: the argument of its RESUME instruction is then not 0."""
    code = frame.f_code
    return bool(code.co_flags & GENERATORS and code.co_code[frame.f_lasti + 1] & 3)


def arguments(frame: FrameType) -> Iterator[object]:
    given = inspect.getargvalues(frame)
    yield from (given.locals.get(name) for name in given.args)
    yield from given.locals.get(given.varargs, ()) if given.varargs else ()
    yield from given.locals.get(given.keywords, {}).values() if given.keywords else ()


def between(crossings: Crossings, chosen: Callable[[str, str], bool]) -> Crossings:
    """The crossings whose two rooms are chosen."""
    return Counter({(a, b): calls for (a, b), calls in crossings.items() if chosen(a.room, b.room)})


def count(name: str, crossings: Crossings) -> dict[str, int]:
    return {
        name: crossings.total(),
        f"{name}: pairs": len(crossings),
        f"{name}: room pairs": len(by_rooms(crossings)),
    }


def by_rooms(crossings: Crossings) -> dict[str, tuple[int, int]]:
    """Calls and distinct pairs of every two rooms."""
    calls: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    for (caller, callee), times in crossings.items():
        way = f"{caller.room} → {callee.room}"
        calls[way] += times
        pairs[way] += 1
    return {way: (calls[way], pairs[way]) for way in sorted(calls)}


def run(name: str, walk: Walk | None = None) -> None:
    """Run a command in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in RECORDED:
            shutil.copy(RECORDING, Path(folder) / "walk.bvh")
        before = Path.cwd()
        os.chdir(folder)
        try:
            invoke(WALKS[name], walk)
        finally:
            os.chdir(before)


def invoke(command: list[str], walk: Walk | None) -> None:
    from kinesphere.cli.main import app

    runner = CliRunner()
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        result = runner.invoke(app, command)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    if result.exit_code or not Path(command[-1]).is_file():
        sys.exit(f"{' '.join(command)}: exit {result.exit_code}: {result.output} {result.exception!r}")


def write_imported(name: str, file: Path) -> None:
    """Write down which modules a command imports."""
    run(name)
    file.write_text(json.dumps(sorted(sys.modules)))


def write_report(name: str, file: Path) -> None:
    """Import the modules that the file lists, measure, and write the numbers over it."""
    for module in json.loads(file.read_text()):
        try:
            importlib.import_module(module)
        except Exception:  # others' modules that cannot be imported by name
            if module.startswith("kinesphere"):
                raise
    reports = {}
    for how in ("cold", "warm"):
        walk = Walk()
        run(name, walk)
        reports[how] = walk.report()
    file.write_text(json.dumps(reports))


STEPS = {"imported": write_imported, "report": write_report}


def measure(name: str) -> dict[str, Any]:
    """The cold and the warm report of a command, each step in a fresh interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "walk.json"
        for step in STEPS:
            subprocess.run([sys.executable, __file__, "--step", step, name, str(file)], check=True)
        reports: dict[str, Any] = json.loads(file.read_text())
    return reports


def show(name: str, reports: dict[str, Any], names: bool) -> None:
    cold, warm = reports["cold"], reports["warm"]
    print(f"kinesphere {' '.join(WALKS[name])}   ({PACKAGE})")
    for key, value in cold.items():
        if isinstance(value, int):
            print(f"    {key:32} {value:7}   (warm {warm[key]})")
    print(f"    functions by room: {', '.join(f'{n} {room}' for room, n in cold['functions by room'].items())}")
    ways = sorted(cold["by rooms"].items(), key=lambda row: -row[1][1])
    print("    crossings by rooms (calls/pairs): " + ", ".join(f"{way} {a}/{b}" for way, (a, b) in ways))
    for key in ("class names", "module names", "pair names") if names else ():
        print(f"    {key}:\n        " + "\n        ".join(cold[key]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write all numbers and names")
    parser.add_argument("--list", action="store_true", help="print classes, modules and crossing pairs")
    parser.add_argument("--walk", choices=WALKS, help="only this one")
    parser.add_argument("--step", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        step, name, file = given.step
        STEPS[step](name, Path(file))
        return
    asked = [given.walk] if given.walk else list(WALKS)
    if not RECORDING.is_file():
        print(f"no {RECORDING}; set KINESPHERE_DATA. Not measured: {', '.join(RECORDED)}")
        asked = [name for name in asked if name not in RECORDED]
    reports = {name: measure(name) for name in asked}
    for name in asked:
        show(name, reports[name], given.list)
    if given.json:
        given.json.write_text(json.dumps(reports, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
