"""The code of docs/performance.md runs: the property that it writes out is a plugin, as it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import contracts
from kinesphere import load, phrase_of
from kinesphere.builtin import motion
from kinesphere.cli.main import app
from kinesphere.motion.aspects import SHAPING
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.registry import load_plugin

PAGE = (Path(__file__).parent.parent / "docs" / "performance.md").read_text(encoding="utf-8")
(PROPERTY,) = re.findall(r"## A property of your own.*?```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.fixture
def plugin(tmp_path):
    file = tmp_path / "open_chest.py"
    file.write_text(PROPERTY)
    yield file
    PHRASE_EDITS._classes.pop("open_chest", None)


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def test_the_property_opens_the_chest_within_its_range(plugin, tmp_path):
    out = tmp_path / "open.npz"
    code, text = run("--plugin", plugin, "open_chest", "wave", "-o", out, "--amount", "0.8", "--from", "1.0")
    assert code == 0, text
    made, plain = load(out), motion("wave")
    chest = made.skeleton.roles["upperChest"]
    moved = np.abs(made.rotations[:, chest] - plain.rotations[:, chest]).max(axis=1)
    assert moved[:55].max() < 1e-6
    assert moved[90:190].min() > 0.02


def test_it_keeps_the_contracts_of_all_properties(plugin):
    load_plugin(plugin)
    own = PHRASE_EDITS["open_chest"]
    contracts.check_fields(own)
    contracts.check_examples(own)
    phrase = phrase_of("wave")
    assert own().apply(phrase) is phrase


def test_a_property_that_raises_is_named_with_its_file_and_line(tmp_path):
    file = tmp_path / "broken_chest.py"
    file.write_text(PROPERTY.replace("open_chest", "broken_chest").replace("-0.15 * self.amount", "self.amount / 0.0"))
    try:
        code, text = run("--plugin", file, "broken_chest", "wave", "-o", tmp_path / "out.npz", "--amount", "0.8")
    finally:
        PHRASE_EDITS._classes.pop("broken_chest", None)
    assert code != 0
    line = next(i for i, row in enumerate(file.read_text().splitlines(), 1) if "/ 0.0" in row)
    assert f"broken_chest.py, line {line}, OpenChest" in text
    assert "ZeroDivisionError" in text
    assert not (tmp_path / "out.npz").exists()


def test_every_aspect_of_shaping_is_listed():
    for name in SHAPING:
        first, _, rest = name.partition(".")
        assert f"`{first}" in PAGE or f"`.{rest}`" in PAGE, name


def test_files_of_the_page_are_right(tmp_path):
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    kinds = {}
    for text in blocks:
        kind = re.findall(r'^kind = "(\w+)"', text, flags=re.MULTILINE)[0]
        file = tmp_path / f"{kind}_of_the_page.toml"
        file.write_text(text, encoding="utf-8")
        kinds[kind] = file
    assert set(kinds) == {"script", "action", "property", "sketch"}
    code, text = run("check", *kinds.values())
    assert code == 0, text
    code, text = run("act", kinds["script"], "--sketch", kinds["sketch"], "-o", tmp_path / "out.npz")
    assert code == 0, text
    assert load(tmp_path / "out.npz").duration > 8.0
    code, text = run("act", kinds["action"], "--set", "wood=-0.2,1.2,0.5", "-o", tmp_path / "wood.npz")
    assert code == 0, text
