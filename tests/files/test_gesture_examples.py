"""The examples of ``docs/gestures.md`` do what they say, and the page names what the reader reads."""

from __future__ import annotations

import re
import shlex
from dataclasses import is_dataclass
from typing import get_args

import numpy as np
import pytest
from typer.testing import CliRunner

import kinesphere
from conftest import ROOT
from kinesphere.cli.main import app
from kinesphere.files.gesture_toml import DIRECTIONS, GestureFile, SideTable, WristKey, load_gesture
from kinesphere.maths import rotations
from kinesphere.motion.document import field_names, hints_of
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.gesture import SHAPES, Stop

PAGE = (ROOT / "docs" / "gestures.md").read_text(encoding="utf-8")
FILES = sorted((ROOT / "examples" / "gestures").glob("*.toml"))
STANCE = kinesphere.perform("wave").positions_world()[0]


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_there_are_three_examples():
    assert [path.stem for path in FILES] == ["salute", "shush_or_hush", "step_and_offer"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_reaches_its_goals_and_comes_back(path):
    asked = load_gesture(path)
    made = kinesphere.perform(asked)  # warnings are errors here
    turned, place = made.world()
    index = made.skeleton.index
    goals = 0
    for side in ("left", "right"):
        arm = asked.arm(side)
        if arm is None:
            continue
        chest, shoulder = turned[:, index("upperChest")], place[:, index(f"{side}UpperArm")]
        wrist = rotations.rotate(rotations.conjugate(chest), place[:, index(f"{side}Hand")] - shoulder)
        for key in arm.keys[1:-1]:
            if key.stop == Stop.GOAL:
                goals += 1
                missed = wrist[round(key.frame)] - np.array(key.position)
                assert np.linalg.norm(missed) < 0.001, (side, key)
    assert goals >= 2
    assert place[0] == pytest.approx(STANCE, abs=0.002)
    assert place[-1] == pytest.approx(STANCE, abs=0.002)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_may_be_performed_with_words(path):
    shy, angry = (kinesphere.perform(path, words=word) for word in ("shy", "angry"))
    assert shy.duration > angry.duration


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lines_of_an_example_in_the_page_are_its_own(path):
    text = path.read_text(encoding="utf-8")
    told = section("Three examples").split(f"({'../examples/gestures/' + path.name})", 1)[1].split("\n### ", 1)[0]
    for block in re.findall(r"```toml\n(.*?)```", told, re.DOTALL):
        for line in block.splitlines():
            assert line.split("#")[0].strip() in text


def test_the_page_s_own_gesture_is_one(tmp_path):
    (tmp_path / "yes.toml").write_text(PAGE.split("```toml\n", 1)[1].split("```", 1)[0])
    assert kinesphere.perform(tmp_path / "yes.toml").duration == pytest.approx(2.0, abs=0.02)


# What the page names, and what the reader reads


def fields_of_the_reader() -> set[tuple[str, str]]:
    """Every table and field of a gesture's documents."""
    tables = {"torso", "head", "eyes", "hips", "both", "left", "right", "hand", "clavicle", "foot", "keys"}
    documents = {"": GestureFile, "keys": WristKey}
    for owner in (GestureFile, SideTable):
        documents |= {name: get_args(hints_of(owner)[name])[0] for name in field_names(owner) if name in tables}
    documents = {where: own for where, own in documents.items() if isinstance(own, type) and is_dataclass(own)}
    return {(where, name) for where, own in (documents | {"keys": WristKey}).items() for name in field_names(own)} - {
        (where, name) for where in documents for name in tables
    }


def fields_of_the_page() -> set[tuple[str, str]]:
    """Every field that has a row in a table of the page, with the table whose heading it stands under."""
    named: set[tuple[str, str]] = set()
    where = ""
    for line in section("All fields").splitlines():
        heading = re.match(r"### (?:`\[(?:right\.?)?([a-z]*)\](?: (\w+))?`)?", line)
        if heading:
            where = heading[1] or heading[2] or ""
        elif row := re.match(r"\| `(\w+)` \|", line):
            named.add((where, row[1]))
    return named


def test_the_page_names_every_field_and_no_other():
    read = fields_of_the_reader()
    assert fields_of_the_page() == read
    assert {("", "duration"), ("keys", "swivel"), ("hand", "palm"), ("foot", "steps"), ("hips", "lean")} <= read


def test_the_page_names_every_table_shape_and_palm():
    page = section("All fields")
    for name in ("torso", "head", "eyes", "hips", "left", "right", "both", "hand", "clavicle", "foot", "keys"):
        assert f"`{name}`" in page or f"[{name}]" in page
    for shape in SHAPES:
        assert f"`{shape}`" in page
    for word in ("rest", *DIRECTIONS):
        assert f'`"{word}"`' in page


def errors_of_the_page() -> list[tuple[str, str]]:
    rows = [line.split(" | ") for line in section("When it is refused").splitlines() if line.startswith("| `")]
    return [("\n".join(re.findall(r"`(.*?)`", row[0])), row[1].strip("`")) for row in rows]


@pytest.mark.parametrize(("written", "said"), errors_of_the_page())
def test_errors_are_worded_as_the_page_says(tmp_path, written, said):
    path = tmp_path / "my.toml"
    path.write_text(written if "duration" in written else f"duration = 2.0\n{written}")
    with pytest.raises(MotionFileError) as caught:
        load_gesture(path)
    found = str(caught.value).removeprefix(str(path)).lstrip(",: ")
    assert re.fullmatch(re.escape(said).replace("…", ".*"), found), found


def test_commands_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.toml").write_text(FILES[0].read_text(encoding="utf-8"))
    lines = section("Try it").split("```\n", 1)[1].split("```", 1)[0].splitlines()
    assert len(lines) == 4
    for line in lines:
        command = shlex.split(line.split("#")[0])
        small = ["--size", "240x200"] if command[1] == "preview" else []
        done = CliRunner().invoke(app, [*command[1:], *small])
        assert done.exit_code == 0, (line, done.stderr)
    assert {path.name for path in tmp_path.iterdir()} == {
        "my.toml", "my.glb", "my_glb_preview.png", "my_sheet.png", "my.gif", "out.glb",
    }  # fmt: skip
