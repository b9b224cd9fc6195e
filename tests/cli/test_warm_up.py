"""What installing runs, so that the first edit or picture does not wait for the compiler."""

from __future__ import annotations

import subprocess
import sys
from typing import IO

import pytest

from conftest import ROOT
from kinesphere.cli import warm_up

CODE = """
import sys
import kinesphere
from numba.core.dispatcher import Dispatcher
from kinesphere.cli.warm_up import PARTS, run_part
from kinesphere.maths.compiled import Jit
assert [len(list(run_part(part))) for part in range(len(PARTS))] == [len(steps) for steps in PARTS]


def signatures():
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("kinesphere."):
            for value in vars(module).values():
                loop = value.kinesphere_jit if isinstance(value, Dispatcher) else value
                if isinstance(loop, Jit) and loop.dispatcher is not None:
                    found[name, loop.function.__qualname__] = len(loop.dispatcher.signatures)
    return found


before = signatures()
assert len(before) > 20, before
from kinesphere.builtin import figure, motion
from kinesphere.signals import Blend, Displace, Equalize, Smooth, Timewarp, Waveshape, align
from kinesphere.signals.pose_edits import Target
given, other = motion("walk"), motion("bow")
Equalize(preset="twitch", joints="arms", start=0.5, end=2.0)(given)
Waveshape("cosine")(other)
Waveshape("soft cap", by="joint")(other)
Smooth(0.5)(other)
Displace([Target("leftHand", seconds=1.0, by=(0.0, 0.1, 0.0))])(given)
Timewarp(marks=[(1.0, 1.5)])(given)
Timewarp(other, cost="shape")(given)
Blend()(given, other)
Blend(bands={1: [0.0, 1.0]})(given, other)
align(given, other, "pose")
kinesphere.still([motion("walk"), motion("punch")], 1.0, size=(200, 100), trails=True, ghosts=2)
kinesphere.sheet(motion("bow"), frames=2, size=(200, 200), character=figure(1.5, 0.5))
after = signatures()
assert before == after, {key: (before.get(key), after[key]) for key in after if before.get(key) != after[key]}
"""


def test_after_it_edits_and_pictures_compile_nothing_more() -> None:
    """In a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("fails", [False, True])
def test_it_shows_progress_and_the_errors_of_its_processes(
    fails: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    total = sum(map(len, warm_up.PARTS))

    def start(part: int, errors: IO[str]) -> subprocess.Popen[str]:
        end = "raise SystemExit('no space on disk')" if fails and part == 1 else ""
        code = f"print('step {part}', flush=True)\n{end}"
        return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=errors, text=True)

    monkeypatch.setattr(warm_up, "_start", start)
    assert warm_up.main() == int(fails)
    lines = capsys.readouterr().err.splitlines()
    assert {lines[0].split(": ")[1], lines[1].split(": ")[1]} == {f"compiling {i} of {total}" for i in (1, 2)}
    assert {line.split(": ")[2] for line in lines[:2]} == {"step 0", "step 1"}
    assert lines[-1].startswith("kinesphere: compiled in ")
    assert ("no space on disk" in lines) is fails


def test_installing_runs_it() -> None:
    assert "-m kinesphere.cli.warm_up" in (ROOT / "Makefile").read_text()
