"""``kinesphere motions``."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import kinesphere
from kinesphere.builtin import library
from kinesphere.builtin.characters import CHARACTERS
from kinesphere.cli.main import app

run = CliRunner().invoke


def test_every_built_in_motion_and_character_is_listed_and_can_be_used_by_that_name(tmp_path: Path) -> None:
    done = run(app, ["motions", "--json"])
    assert done.exit_code == 0, done.output
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert set(rows) == {*library.motions(), *CHARACTERS}
    for name, row in rows.items():
        assert row["about"], name
        if row["kind"] == "character":
            assert getattr(kinesphere, name)().meshes
        else:
            assert len(library.motion(name)) > 1


def test_the_list_for_people_has_a_line_for_each(tmp_path: Path) -> None:
    lines = run(app, ["motions"]).stdout.splitlines()
    for name in (*library.motions(), *CHARACTERS):
        assert [line for line in lines if line.startswith(f"{name}  ")], name


def test_gestures_of_a_plugin_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "salute.toml"
    file.write_text('duration = 1.0\nabout = "Salutes"\n[head]\nnod = [[0, 0], [0.5, 12], [1, 0]]\n')
    try:
        done = run(app, ["--plugin", str(file), "motions"])
        assert "Salutes" in done.stdout, done.output
    finally:
        library._ADDED.clear()
