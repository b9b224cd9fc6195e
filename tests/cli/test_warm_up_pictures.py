"""What installing runs, so that the first picture does not wait for the compiler."""

from __future__ import annotations

import subprocess
import sys

from conftest import ROOT


def test_a_rehearsal_compiles_everything_that_pictures_call() -> None:
    """In a process of its own: after it, drawing with all marks compiles nothing more."""
    code = (
        "from kinesphere.cli.warm_up import rehearse\n"
        "assert rehearse()\n"
        "import kinesphere.pictures.rasterise as a, kinesphere.pictures.light as b\n"
        "import kinesphere.pictures.light as c, kinesphere.pictures.render as d\n"
        "kernels = [getattr(m, name) for m in (a, b, c, d) for name in m.__all__]\n"
        "before = [len(k.signatures) for k in kernels]\n"
        "assert all(before), [k for k in kernels if not k.signatures]\n"
        "from kinesphere.builtin import figure, motion\n"
        "from kinesphere.pictures import still, sheet\n"
        "still([motion('walk'), motion('punch')], 1.0, size=(200, 100), trails=True, ghosts=2)\n"
        "sheet(motion('bow'), frames=2, size=(200, 200), character=figure(1.5, 0.5))\n"
        "assert [len(k.signatures) for k in kernels] == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_installing_rehearses() -> None:
    assert "-m kinesphere.cli.warm_up" in (ROOT / "Makefile").read_text()
