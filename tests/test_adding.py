"""One file adds a thing to everything: command line, scores, reference, contracts."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import contracts
from conftest import ROOT
from kinesphere import Score, load, render
from kinesphere.cli.main import app
from kinesphere.motion.edit import MOTION_EDITS
from kinesphere.motion.registry import PluginError, load_plugin
from kinesphere.score.document import from_json, to_json

LEAN = '''
"""An edit of somebody's own."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from kinesphere.maths import rotations
from kinesphere.motion import MotionEdit, Scope, TimeMap, motion_edit
from kinesphere.motion.document import dial, document
from kinesphere.motion.humanoid import select_joints


@motion_edit("lean")
@document(frozen=True)
class Lean(MotionEdit):
    """Lean every joint of the scope a little forward or back."""

    angle: Annotated[float, dial(-0.5, 0.5, "Radians about the first axis.", "back", "forward")] = 0.0

    @property
    def neutral(self):
        return self.angle == 0.0

    def apply(self, motion, scope=Scope()):
        joints = select_joints(motion.skeleton, scope.parts)
        weight = self.angle * scope.strength * scope.window(motion.times)
        if not weight.any():
            return motion, TimeMap.identity()
        turned = rotations.from_axis_angle([1.0, 0.0, 0.0], weight)[:, None]
        q = motion.rotations.copy()
        changed = weight != 0.0
        q[np.ix_(changed, joints)] = rotations.multiply(q[np.ix_(changed, joints)], turned[changed])
        return replace(motion, rotations=rotations.continuous(q) if scope.whole_time else q), TimeMap.identity()
'''


@pytest.fixture
def registered():
    """What a test registers is gone after it."""
    before = dict(MOTION_EDITS.classes())
    yield
    MOTION_EDITS._classes.clear()
    MOTION_EDITS._classes.update(before)
    for name in [name for name in sys.modules if name.startswith("kinesphere_plugin_")]:
        del sys.modules[name]


@pytest.fixture
def plugin(tmp_path, registered):
    file = tmp_path / "lean.py"
    file.write_text(LEAN)
    return file


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


# A motion edit


def test_a_motion_edit_is_a_command(plugin, tmp_path):
    assert "lean " not in run("--help").output
    listed = run("--plugin", plugin, "--help")
    assert "Lean every joint of the scope a little forward or back." in " ".join(listed.output.split())
    told = " ".join(run("--plugin", plugin, "lean", "--help").output.split())
    assert "--angle" in told
    assert "−0.5 (back) to 0.5 (forward)" in told
    out, score = tmp_path / "out.npz", tmp_path / "score.json"
    words = ("lean", "wave", "-o", out, "--angle", "0.3", "--parts", "arms", "--from", "1", "--save-score", score)
    done = run("--plugin", plugin, *words)
    assert done.exit_code == 0, done.output
    expected = render(Score("wave", (MOTION_EDITS["lean"](angle=0.3).over(parts="arms", start=1.0),)))
    assert np.array_equal(load(out).rotations, expected.rotations)
    assert json.loads(score.read_text())["layers"] == [{"edit": "lean", "angle": 0.3, "start": 1.0, "parts": ["arms"]}]
    assert run("--plugin", plugin, "perform", score, "-o", tmp_path / "again.npz").exit_code == 0
    assert run("--plugin", plugin, "lean", "wave", "-o", out, "--overwrite").output.startswith("error: nothing to do")


def test_a_motion_edit_is_in_scores_in_the_reference_and_under_contract(plugin):
    load_plugin(plugin)
    edit = MOTION_EDITS["lean"]
    score = Score("wave", (edit(angle=0.2).over(start=1.0),))
    assert from_json(to_json(score)) == score
    assert np.array_equal(render(from_json(to_json(score))).rotations, render(score).rotations)
    text = runpy.run_path(str(ROOT / "tools" / "reference.py"))["reference_text"]()
    assert "### lean\n" in text
    assert "| `angle` | Radians about the first axis. | −0.5 (back) to 0.5 (forward); 0 is neutral |" in text
    assert [made.angle for made in edit.examples()] == [-0.5, 0.5]
    contracts.check_all(edit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("def", "SyntaxError"),
        (LEAN.replace('"lean"', '"equalize"'), "is taken by kinesphere.signals.equalize.Equalize"),
        (LEAN.replace('"lean"', '"convert"'), "'convert' is one of our commands"),
        (LEAN.replace("angle", "strength"), "strength is no name for a field"),
        (LEAN.replace("] = 0.0", "]"), "angle has no default"),
        (LEAN.replace("@document(frozen=True)\n", ""), "a class made by @document"),
    ],
)
def test_a_broken_plugin_is_one_line(tmp_path, registered, text, said):
    file = tmp_path / "broken.py"
    file.write_text(text)
    done = run("--plugin", file, "info", "wave")
    assert done.exit_code == 2
    assert done.output.startswith("error: plugin ")
    assert said in done.output
    assert done.output.count("\n") == 1
    assert run("--plugin", tmp_path / "none.py", "info", "wave").output.endswith("no such file\n")


def test_a_plugin_takes_no_name_of_ours_in_a_fresh_process(tmp_path):
    file = tmp_path / "equalize.py"
    file.write_text(LEAN.replace('"lean"', '"equalize"'))
    words = ["--plugin", str(file), "--help"]
    done = subprocess.run(
        [sys.executable, "-m", "kinesphere.cli.main", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "is taken by" in done.stderr
    assert done.stderr.count("\n") == 1


def test_packages_name_their_modules_as_entry_points(tmp_path):
    (tmp_path / "leaning.py").write_text(LEAN)
    info = tmp_path / "leaning-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: leaning\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[kinesphere.plugins]\nleaning = leaning\n")
    paths = os.pathsep.join([str(tmp_path), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])

    def kinesphere(*words):
        command = [sys.executable, "-m", "kinesphere.cli.main", *words]
        environment = os.environ | {"PYTHONPATH": paths}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    assert "Lean every joint" in kinesphere("--help").stdout
    assert "--angle" in kinesphere("lean", "--help").stdout
    (tmp_path / "leaning.py").write_text("1 / 0")
    broken = kinesphere("--help")
    assert (broken.returncode, broken.stderr.count("\n")) == (2, 1)
    assert "plugin leaning (leaning): ZeroDivisionError" in broken.stderr


def test_a_taken_option_is_said(tmp_path, registered):
    file = tmp_path / "clip.py"
    file.write_text(LEAN.replace("angle", "clip"))
    done = run("--plugin", file, "lean", "--help")
    assert done.exit_code == 2
    assert "the option clip of clip is taken" in done.output


def test_a_plugin_registers_once(plugin):
    load_plugin(plugin)
    load_plugin(plugin)
    other = plugin.with_name("another.py")
    other.write_text(LEAN)
    with pytest.raises(PluginError, match=r"another\.py: motion edit 'lean' of .* is taken"):
        load_plugin(other)
