"""A character in the input stays in the output, and can be looked at without any animation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import kinesphere
from kinesphere.builtin import motion as builtin_motion
from kinesphere.cli.main import app

run = CliRunner().invoke
EDITS = {
    "equalize": ["--preset", "exaggerate"],
    "smooth": [],
    "displace": ["--target", "rightHand@1.2 by 0,0.1,0"],
    "breath": [],
}


@pytest.mark.parametrize("command", EDITS)
def test_edits_keep_the_surface_of_their_input(tmp_path: Path, command: str) -> None:
    figure = kinesphere.figure()
    kinesphere.save(builtin_motion("wave"), tmp_path / "in.glb", character=figure)
    done = run(app, [command, str(tmp_path / "in.glb"), "-o", str(tmp_path / "out.glb"), *EDITS[command]])
    assert done.exit_code == 0, done.output
    kept = kinesphere.load_character(tmp_path / "out.glb")
    count = sum(len(mesh.positions) for mesh in figure.meshes)
    assert sum(len(mesh.positions) for mesh in kept.meshes) == count
    moved = kinesphere.load(tmp_path / "out.glb").positions_world() - builtin_motion("wave").positions_world()
    assert np.abs(moved).max() > 1e-6


def test_converting_keeps_the_surface_where_the_format_holds_one(tmp_path: Path) -> None:
    figure = kinesphere.figure()
    kinesphere.save(builtin_motion("wave"), tmp_path / "in.glb", character=figure)
    for name in ("out.gltf", "out.bvh"):
        done = run(app, ["convert", str(tmp_path / "in.glb"), str(tmp_path / name), "--fps", "30"])
        assert done.exit_code == 0, done.output
    kept = kinesphere.load_character(tmp_path / "out.gltf")
    assert sum(len(mesh.positions) for mesh in kept.meshes) == sum(len(mesh.positions) for mesh in figure.meshes)
    assert kinesphere.load(tmp_path / "out.gltf").rate == pytest.approx(30.0)


def test_a_character_without_animation_is_shown_at_rest(tmp_path: Path) -> None:
    kinesphere.save_character(kinesphere.mo(), tmp_path / "hero.glb")
    done = run(app, ["preview", str(tmp_path / "hero.glb"), "-o", str(tmp_path / "hero.png")])
    assert done.exit_code == 0, done.output
    assert "rest pose" in done.output
    with Image.open(tmp_path / "hero.png") as picture:
        assert np.asarray(picture.convert("L")).std() > 10.0


def test_clear_is_an_option_of_retarget(tmp_path: Path) -> None:
    places = {}
    for option in ("--clear", "--no-clear"):
        file = tmp_path / f"{option}.npz"
        assert run(app, ["retarget", "drink", "--onto", "mo", "-o", str(file), option]).exit_code == 0
        places[option] = kinesphere.load(file).positions_world()
    assert np.abs(places["--clear"] - places["--no-clear"]).max() > 0.01
