"""What installing runs, so that the first picture does not wait for the compiler."""

from __future__ import annotations

import subprocess
import sys

from conftest import ROOT


def test_a_rehearsal_compiles_everything_that_pictures_call() -> None:
    """In a process of its own: after it, drawing with all marks compiles nothing more."""
    code = (
        "from kinesphere.pictures.rehearsal import rehearse\n"
        "assert rehearse()\n"
        "import kinesphere.kernels.jit_raster as a, kinesphere.pictures.jit_light as b\n"
        "import kinesphere.pictures.jit_ground as c, kinesphere.pictures.jit_develop as d\n"
        "kernels = [getattr(m, name) for m in (a, b, c, d) for name in m.__all__]\n"
        "before = [len(k.signatures) for k in kernels]\n"
        "assert all(before), [k for k in kernels if not k.signatures]\n"
        "from kinesphere.figure import figure, motion\n"
        "from kinesphere.pictures import still, surface_sheet\n"
        "still([motion('walk'), motion('punch')], 1.0, size=(200, 100), trails=True, ghosts=2)\n"
        "surface_sheet(motion('bow'), frames=2, size=(200, 200), character=figure(1.5, 0.5))\n"
        "assert [len(k.signatures) for k in kernels] == before\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_installing_rehearses() -> None:
    assert "-m kinesphere.cli.rehearsal" in (ROOT / "Makefile").read_text()
