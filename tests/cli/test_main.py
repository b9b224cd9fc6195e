"""The command as a whole: quick help, version, preview."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import kinesphere
from kinesphere.cli.main import app
from kinesphere.cli.registered import WITHOUT_COMMAND, registered_classes
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS
from kinesphere.pictures import canvas
from pictures.people import bvh_text, waving

run = CliRunner().invoke


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, json\n"
        "from kinesphere.cli.main import app\n"
        "try:\n"
        "    app(['--help'])\n"
        "except SystemExit:\n"
        "    print('\\n' + json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(done.stdout.splitlines()[-1]))
    assert "Usage:" in done.stdout
    assert modules.isdisjoint(
        {"numpy", "pydantic", "kinesphere._native", "PIL", "rich.table", "kinesphere.motion", "kinesphere.files"}
    )


def test_every_registered_edit_and_behaviour_is_a_command() -> None:
    text = run(app, ["--help"]).stdout
    every: dict[str, type] = {**MOTION_EDITS.classes(), **PHRASE_EDITS.classes(), **BEHAVIOURS.classes()}
    classes = {name: own for name, own in every.items() if name not in WITHOUT_COMMAND}
    assert set(classes) == set(registered_classes())
    assert set(classes) >= {"equalize", "effort", "shape", "stillness", "breath", "sway", "fidget"}
    assert "  express " not in text
    for name, own in classes.items():
        assert f"  {name} " in text
        assert registered_classes()[name].sentence == (own.__doc__ or "").strip().partition("\n")[0]


def test_a_plain_command_loads_no_scipy(tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_text(bvh_text(waving()))
    code = (
        "import sys\n"
        "from kinesphere.cli.main import app\n"
        "try:\n"
        "    app(['preview', 'walk.bvh'])\n"
        "finally:\n"
        "    assert 'scipy' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "wrote walk_bvh_preview.png\n"
    assert (tmp_path / "walk_bvh_preview.png").exists()


def test_version() -> None:
    assert run(app, ["--version"]).stdout == f"kinesphere {kinesphere.__version__}\n"


def test_help_names_the_commands() -> None:
    text = run(app, ["--help"]).stdout
    for command in ("info", "convert", "preview"):
        assert command in text


def test_preview_is_a_picture_of_the_asked_size(tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_text(bvh_text(waving()))
    out = tmp_path / "sheet.png"
    size = ["--width", "640", "--height", "480", "--frames", "6", "--view", "side"]
    result = run(app, ["preview", str(tmp_path / "walk.bvh"), "-o", str(out), *size])
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"wrote {out}\n"
    with Image.open(out) as image:
        assert (image.format, image.size) == ("PNG", (640, 480))
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert (np.abs(pixels - np.array(canvas.RIGHT)).max(axis=-1) < 40).sum() > 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["preview", "missing.bvh"], "no such file"),
        (["preview", "walk.bvh", "-o", "out.jpg"], ".png"),
        (["preview", "walk.bvh", "-o", "no/such/folder/out.png"], "does not exist"),
        (["convert", "missing.bvh", "out.npz"], "no such file"),
        (["convert", "walk.bvh", "no/such/out.npz"], "does not exist"),
        (["convert", "missing.bvh", "folder/", "--to", "npz"], "no such file"),
        (["info", "."], "a folder"),
        (
            ["preview", "waev", "-o", "x.png"],
            "waev: found no such file, and no motion of ours of that name; expected a",
        ),
        (["preview", "waev", "-o", "x.png"], "one of ours: beckon, bow, "),
        (["preview", "waev", "-o", "x.png"], "did you mean wave?"),
        (["preview", "Wave", "-o", "x.gif"], "did you mean wave?"),
        (["preview", "walk.bvh", "--against", "waev", "-o", "x.png"], "did you mean wave?"),
        (["preview", "wave", "--character", "moo", "-o", "x.png"], "one of ours: figure, mo; did you mean mo?"),
        (["retarget", "pucnh", "--onto", "mo", "-o", "x.bvh"], "did you mean punch?"),
        (["retarget", "punch", "--onto", "figur", "-o", "x.bvh"], "did you mean figure?"),
        (["convert", "drikn", "x.bvh"], "did you mean drink?"),
        (["convert", "drikn", "folder/", "--to", "npz"], "did you mean drink?"),
        (["convert", "qqqqqq", "x.bvh"], "expected a motion file, or one of ours: beckon"),
        (["convert", "folder/waev", "x.bvh"], "waev: found no such file; expected a motion file"),
    ],
)
def test_trouble_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.bvh").write_text(bvh_text(waving(3)))
    result = run(app, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["walk.bvh"]


def test_a_file_goes_before_our_motion_of_that_name_and_ours_fill_folders_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(app, ["convert", "wave", "out", "--to", "npz"])
    assert (done.exit_code, done.stdout) == (0, "converted 1, failed 0\n"), done.output
    assert kinesphere.load("out/wave.npz").rate == 60.0
    (tmp_path / "wave").write_text(bvh_text(waving(3)))
    assert run(app, ["convert", "wave", "wave.npz"]).exit_code == 0
    assert len(kinesphere.load("wave.npz")) == 3
