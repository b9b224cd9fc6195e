"""``kinesphere waveshape``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from kinesphere import Motion, load
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.maths import rotations as R
from kinesphere.score.shapes import save_shapes
from kinesphere.signals.shaping import Shaping, shapes
from kinesphere.signals.waveshape import Waveshape

run = CliRunner().invoke
WAVE = motion("wave")


def shaped(folder: Path, *options: str) -> Motion:
    done = run(app, ["waveshape", "wave", "-o", str(folder / "out.bvh"), "--overwrite", *options])
    assert done.exit_code == 0, done.output
    return load(folder / "out.bvh")


def same(one: Motion, other: Motion) -> bool:
    return bool(R.angle_between(one.rotations, other.rotations).max() < 1e-4)


@pytest.mark.parametrize("name", ["soft-cap", "soft cap", "Soft_Cap"])
def test_shapes_by_name(tmp_path: Path, name: str) -> None:
    assert same(shaped(tmp_path, "--shape", name), Waveshape("soft cap")(WAVE))


def test_the_help_names_all_shapes() -> None:
    said = " ".join(run(app, ["waveshape", "--help"], env={"COLUMNS": "200"}).output.split())
    for name in shapes():
        assert name == "identity" or name.replace(" ", "-") in said


def test_points_of_ones_own(tmp_path: Path) -> None:
    made = shaped(tmp_path, "--points", "-1,-1 0,0.3,0.5 1,1", "--ends", "clamped", "--amount", "0.5", "--by", "clip")
    own = Shaping(((-1.0, -1.0), (0.0, 0.3, 0.5), (1.0, 1.0)), "clamped")  # type: ignore[arg-type]
    assert same(made, Waveshape(own, 0.5)(WAVE))
    assert not same(made, WAVE)


def test_curves_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    save_shapes({"leaning": Shaping(((-1.0, -1.0), (0.0, 0.3), (1.0, 1.0)))}, file)  # type: ignore[arg-type]
    first = shaped(tmp_path, "--points", "-1,-1 0,0.3 1,1")
    assert same(shaped(tmp_path, "--shape", "leaning", "--shapes", str(file)), first)
    assert same(shaped(tmp_path, "--shape", "cosine", "--shapes", str(file)), Waveshape("cosine")(WAVE))


def test_some_joints_by_what_they_can_do(tmp_path: Path) -> None:
    made = shaped(tmp_path, "--shape", "limits", "--by", "joint", "--joints", "arms", "--from", "0.5", "--to", "2")
    changed = R.angle_between(made.rotations, WAVE.rotations) > 1e-4
    assert not changed[WAVE.times < 0.5].any()
    assert not changed[:, WAVE.skeleton.index("leftUpperLeg")].any()
    assert np.isfinite(made.rotations).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "one of --shape and --points"),
        (["--shape", "cosine", "--points", "0,0 1,1"], "one of --shape and --points"),
        (["--shape", "undulate"], "did you mean 'undulation'"),
        (["--points", "-1,-1 0;3 1,1"], "found '0;3'"),
        (["--points", "0,0"], "1 points; 2 to"),
        (["--points", "1,0 0,0"], "x must increase"),
        (["--points", "0,0 1,inf"], "is allowed"),
        (["--points", "0,0 1,1", "--ends", "open"], 'ends is "open"'),
        (["--shape", "cosine", "--amount", "3"], "0 (nothing) to 1 (all of it)"),
        (["--shape", "cosine", "--by", "joints"], "did you mean 'joint'"),
        (["--shape", "limits", "--by", "joint", "--root"], "no limits"),
        (["--shape", "cosine", "--shapes", "nowhere.toml"], "nowhere.toml"),
    ],
)
def test_what_makes_no_sense_is_refused_kindly(tmp_path: Path, options: list[str], said: str) -> None:
    done = run(app, ["waveshape", "wave", "-o", str(tmp_path / "out.bvh"), *options])
    assert done.exit_code == 2
    assert said in done.output
    assert not (tmp_path / "out.bvh").exists()


def test_a_broken_file_is_refused_with_the_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    save_shapes({"mine": Shaping()}, file)
    file.write_text(file.read_text().replace("ends", "end"))
    done = run(app, ["waveshape", "wave", "-o", str(tmp_path / "o.bvh"), "--shape", "mine", "--shapes", str(file)])
    assert done.exit_code == 2
    assert "shapes.mine" in done.output
    assert "did you mean 'ends'" in done.output
