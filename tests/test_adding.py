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
from kinesphere import MotionFileError, Score, load, perform, render, save
from kinesphere.builtin import library, motion
from kinesphere.cli.main import app
from kinesphere.direction import words
from kinesphere.files import registry as registry_of_formats
from kinesphere.files.registry import formats
from kinesphere.motion.behaviour import BEHAVIOURS
from kinesphere.motion.edit import MOTION_EDITS, PHRASE_EDITS
from kinesphere.motion.registry import PluginError, load_plugin
from kinesphere.score.document import from_json, score_schema, to_json

LEAN = '''
"""An edit of somebody's own."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from kinesphere.maths import rotations
from kinesphere.motion import MotionEdit, Scope, TimeMap, motion_edit
from kinesphere.motion.document import dial, document
from kinesphere.motion.humanoid import select_joints


@motion_edit("incline")
@document(frozen=True)
class Incline(MotionEdit):
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
    registries = (MOTION_EDITS, PHRASE_EDITS, BEHAVIOURS)
    formats()
    tables = [
        *(registry._classes for registry in registries),
        registry_of_formats._formats,
        library._ADDED,
        words._ADDED,
    ]
    before = [dict(table) for table in (*(registry.classes() for registry in registries), *tables[len(registries) :])]
    yield
    for table, own in zip(tables, before, strict=True):
        table.clear()
        table.update(own)
    for name in [name for name in sys.modules if name.startswith("kinesphere_plugin_")]:
        del sys.modules[name]


@pytest.fixture
def plugin(tmp_path, registered):
    file = tmp_path / "incline.py"
    file.write_text(LEAN)
    return file


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def reference_text():
    return runpy.run_path(str(ROOT / "tools" / "reference.py"))["reference_text"]()


def edits_in_schema():
    rows = score_schema()["properties"]["layers"]["items"]["oneOf"]
    return {row["properties"]["edit"]["const"]: row for row in rows}


# A motion edit


def test_a_motion_edit_is_a_command(plugin, tmp_path):
    assert "incline " not in run("--help").output
    listed = run("--plugin", plugin, "--help")
    assert "Lean every joint of the scope a little forward or back." in " ".join(listed.output.split())
    told = " ".join(run("--plugin", plugin, "incline", "--help").output.split())
    assert "--angle" in told
    assert "−0.5 (back) to 0.5 (forward)" in told
    out, score = tmp_path / "out.npz", tmp_path / "score.json"
    words = ("incline", "wave", "-o", out, "--angle", "0.3", "--parts", "arms", "--from", "1", "--save-score", score)
    done = run("--plugin", plugin, *words)
    assert done.exit_code == 0, done.output
    expected = render(Score("wave", (MOTION_EDITS["incline"](angle=0.3).over(parts="arms", start=1.0),)))
    assert np.array_equal(load(out).rotations, expected.rotations)
    assert json.loads(score.read_text())["layers"] == [
        {"edit": "incline", "angle": 0.3, "start": 1.0, "parts": ["arms"]}
    ]
    assert run("--plugin", plugin, "perform", score, "-o", tmp_path / "again.npz").exit_code == 0
    assert run("--plugin", plugin, "incline", "wave", "-o", out, "--overwrite").output.startswith(
        "error: nothing to do"
    )


def test_a_motion_edit_is_in_scores_in_the_reference_and_under_contract(plugin):
    load_plugin(plugin)
    edit = MOTION_EDITS["incline"]
    score = Score("wave", (edit(angle=0.2).over(start=1.0),))
    assert from_json(to_json(score)) == score
    assert np.array_equal(render(from_json(to_json(score))).rotations, render(score).rotations)
    text = reference_text()
    assert "### incline\n" in text
    assert "angle" in edits_in_schema()["incline"]["properties"]
    assert "| `angle` | Radians about the first axis. | −0.5 (back) to 0.5 (forward); 0 is neutral |" in text
    assert [made.angle for made in edit.examples()] == [-0.5, 0.5]
    contracts.check_all(edit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("import nothing_of_that_name", "ModuleNotFoundError"),
        ("def", "SyntaxError"),
        (LEAN.replace('"incline"', '"equalize"'), "is taken by Equalize of kinesphere.signals.equalize"),
        (LEAN.replace('"incline"', '"convert"'), "'convert' is one of our commands"),
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
    file.write_text(LEAN.replace('"incline"', '"equalize"'))
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
    assert "--angle" in kinesphere("incline", "--help").stdout
    (tmp_path / "leaning.py").write_text("1 / 0")
    broken = kinesphere("--help")
    assert (broken.returncode, broken.stderr.count("\n")) == (2, 1)
    assert "plugin leaning (leaning): ZeroDivisionError" in broken.stderr


def test_a_taken_option_is_said(tmp_path, registered):
    file = tmp_path / "clip.py"
    file.write_text(LEAN.replace("angle", "clip"))
    done = run("--plugin", file, "incline", "--help")
    assert done.exit_code == 2
    assert "the option clip of clip is taken" in done.output


def test_a_plugin_registers_once(plugin):
    load_plugin(plugin)
    load_plugin(plugin)
    other = plugin.with_name("another.py")
    other.write_text(LEAN)
    with pytest.raises(PluginError, match=r"another\.py: motion edit 'incline' of .* is taken"):
        load_plugin(other)


# A phrase edit


HASTE = '''
"""A phrase edit of somebody's own."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from kinesphere.motion import Scope
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import PhraseEdit, phrase_edit


@phrase_edit("haste")
@document(frozen=True)
class Haste(PhraseEdit):
    """Make every stroke shorter or longer."""

    amount: Annotated[float, dial(-1, 1, "How quick.", "slow", "quick")] = 0.0

    @property
    def neutral(self):
        return self.amount == 0.0

    def apply(self, phrase, scope=Scope()):
        factor = 2.0 ** -(self.amount * scope.strength)
        if factor == 1.0:
            return phrase
        tracks = {}
        for part in phrase.tracks.keys() & {"left_arm", "right_arm", "torso"}:
            own = phrase.track(part)
            strokes = {**own.strokes, "duration": factor * np.asarray(own.strokes.get("duration", 1.0))}
            tracks[part] = replace(own, strokes=strokes)
        return phrase.with_tracks(tracks)
'''


def test_a_phrase_edit_is_everywhere(tmp_path, registered):
    file, out, score = tmp_path / "haste.py", tmp_path / "out.npz", tmp_path / "score.json"
    file.write_text(HASTE)
    assert "Make every stroke shorter or longer." in " ".join(run("--plugin", file, "--help").output.split())
    assert "−1 (slow) to 1 (quick)" in " ".join(run("--plugin", file, "haste", "--help").output.split())
    done = run("--plugin", file, "haste", "wave", "-o", out, "--amount", "1", "--save-score", score)
    assert done.exit_code == 0, done.output
    assert load(out).duration < 0.8 * motion("wave").duration
    assert json.loads(score.read_text())["layers"] == [{"edit": "haste", "amount": 1.0}]
    assert np.array_equal(render(from_json(score.read_text())).rotations, load(out).rotations)
    assert edits_in_schema()["haste"]["properties"]["amount"]["maximum"] == 1
    assert "### haste\n" in reference_text()
    contracts.check_all(PHRASE_EDITS["haste"])


# A behaviour


NOD = '''
"""A behaviour of somebody's own."""

from typing import Annotated

import numpy as np

from kinesphere import Behaviour
from kinesphere.maths import rotations
from kinesphere.motion.behaviour import behaviour
from kinesphere.motion.document import dial, document


@behaviour("nod")
@document(frozen=True)
class Nod(Behaviour):
    """Nodding, again and again."""

    depth: Annotated[float, dial(0, 2, "How deep.", "not at all", "deep")] = 1.0

    @property
    def neutral(self):
        return self.depth == 0.0

    def start(self, body, scene):
        return body.roles["head"], 0.0

    def step(self, state, pose, scene, dt):
        head, time = state
        turned = pose.rotations.copy()
        angle = 0.05 * self.depth * (1.0 - np.cos(np.pi * time))
        turned[head] = rotations.multiply(turned[head], rotations.from_axis_angle([1.0, 0.0, 0.0], angle))
        return (head, time + dt), pose._replace(rotations=turned)
'''


def test_a_behaviour_is_everywhere(tmp_path, registered):
    file, out, score = tmp_path / "nod.py", tmp_path / "out.npz", tmp_path / "score.json"
    file.write_text(NOD)
    assert "Nodding, again and again." in run("--plugin", file, "--help").output
    told = run("--plugin", file, "nod", "--help").output
    assert "--depth" in told
    assert "--from" not in told
    done = run("--plugin", file, "nod", "walk", "-o", out, "--depth", "2", "--save-score", score)
    assert done.exit_code == 0, done.output
    assert json.loads(score.read_text())["behaviours"] == [{"behaviour": "nod", "depth": 2.0}]
    assert np.array_equal(render(from_json(score.read_text())).rotations, load(out).rotations)
    assert not np.array_equal(load(out).rotations, motion("walk").rotations)
    done = run("--plugin", file, "perform", "wave", "-o", tmp_path / "wave.npz", "--behaviour", "nod:depth=0.5")
    assert done.exit_code == 0, done.output
    rows = score_schema()["properties"]["behaviours"]["items"]["oneOf"]
    assert "nod" in [row["properties"]["behaviour"]["const"] for row in rows]
    assert "### nod\n" in reference_text()
    contracts.check_all(BEHAVIOURS["nod"])


# A file format


TABLE = '''
"""A file format of somebody's own: JSON."""

import json

import numpy as np

from kinesphere import Motion, MotionFileError, Skeleton
from kinesphere.files.atomic import atomic_write
from kinesphere.files.registry import Format, register
from kinesphere.motion.source import Source

NAMES = ("offsets", "rest_rotations", "rotations", "translations")


def read(path, options):
    try:
        data = json.loads(path.read_text())
        offsets, rest, turned, moved = (np.array(data[name]) for name in NAMES)
        skeleton = Skeleton(tuple(data["names"]), np.array(data["parents"]), offsets, rest)
        return Motion(skeleton, data["rate"], turned, moved, source=Source(str(path), "table"))
    except (KeyError, ValueError) as error:
        raise MotionFileError(path, f"{type(error).__name__}: {error}", "a table of a motion") from None


def write(motion, path, options):
    skeleton = motion.skeleton
    data = {"kind": "table", "names": skeleton.names, "parents": skeleton.parents.tolist(), "rate": motion.rate}
    arrays = (skeleton.offsets, skeleton.rest_rotations, motion.rotations, motion.translations)
    data |= {name: array.tolist() for name, array in zip(NAMES, arrays)}
    with atomic_write(path) as file:
        file.write(json.dumps(data).encode())


register(Format("table", (".table",), "tables in JSON", lambda head: b"kind" in head and b"table" in head, read, write))
'''


def test_a_file_format_is_everywhere(tmp_path, registered):
    file, table = tmp_path / "table.py", tmp_path / "wave.table"
    file.write_text(TABLE)
    assert run("convert", "wave", tmp_path / "x.table").exit_code == 2
    assert run("--plugin", file, "convert", "wave", table).exit_code == 0
    assert run("--plugin", file, "convert", table, tmp_path / "again.npz").exit_code == 0
    assert np.array_equal(load(tmp_path / "again.npz").rotations, motion("wave").rotations)
    assert load(table).source.format == "table"
    assert "table" in run("--plugin", file, "info", table).output
    assert run("--plugin", file, "equalize", table, "-o", tmp_path / "o.table", "--preset", "soften").exit_code == 0
    (tmp_path / "broken.table").write_text('{"kind": "table"}')
    broken = run("--plugin", file, "info", tmp_path / "broken.table")
    assert broken.exit_code == 2
    assert "broken.table" in broken.output
    unknown = run("--plugin", file, "convert", "wave", tmp_path / "x.unknown")
    assert ".table" in unknown.output


def test_several_processes_have_a_plugin_s_format(tmp_path, registered):
    file, folder = tmp_path / "table.py", tmp_path / "in"
    file.write_text(TABLE)
    folder.mkdir()
    for name in ("bow", "wave"):
        save(motion(name)[:30], folder / f"{name}.npz")
    done = run("--plugin", file, "convert", folder, tmp_path / "out", "--to", "table", "--jobs", "2")
    assert done.exit_code == 0, done.output
    for name in ("bow", "wave"):
        assert np.array_equal(load(tmp_path / "out" / f"{name}.table").rotations, motion(name).rotations[:30])


# A gesture and a word


NODDING = """
duration = 2.0
about = "Yes."

[head]
nod = [[0.0, 0.0], [0.5, 15.0], [1.0, 0.0]]
"""


def test_a_gesture_is_everywhere(tmp_path, registered):
    file, out = tmp_path / "say_yes.toml", tmp_path / "out.npz"
    file.write_text(NODDING)
    assert run("perform", "say yes", "-o", out).exit_code == 2
    done = run("--plugin", file, "perform", "say yes", "-o", out, "--effort", "weight=1")
    assert done.exit_code == 0, done.output
    assert np.abs(load(out).duration - perform("say yes").duration) < 1.0
    assert "say yes" in run("--plugin", file, "perform", "nothing", "-o", tmp_path / "x.npz").output
    assert run("--plugin", file, "equalize", "say yes", "-o", tmp_path / "y.npz", "--preset", "soften").exit_code == 0
    assert run("--plugin", file, "preview", "say yes", "-o", tmp_path / "y.png").exit_code == 0
    file.with_name("wave.toml").write_text(NODDING)
    taken = run("--plugin", file.with_name("wave.toml"), "info", "wave")
    assert taken.exit_code == 2
    assert "a name that is free" in taken.output


def test_a_walk_is_a_plugin_too(tmp_path, registered):
    file = tmp_path / "stroll.toml"
    file.write_text('kind = "walk"\nlike = "walk"\n')
    done = run("--plugin", file, "breath", "stroll", "-o", tmp_path / "out.npz")
    assert done.exit_code == 0, done.output
    assert len(load(tmp_path / "out.npz")) == len(motion("walk"))


def test_a_word_is_everywhere(tmp_path, registered):
    file, out, score = tmp_path / "mine.toml", tmp_path / "out.npz", tmp_path / "s.json"
    file.write_text("[words]\nregally = { effort = [0.5, 0.2, -0.5, 0.3], kind = 'adverb' }\n")
    assert "regally" not in run("words").output
    assert run("perform", "wave", "-o", out, "--words", "regally").exit_code == 2
    done = run("--plugin", file, "perform", "wave", "-o", out, "--words", "regally", "--save-score", score)
    assert done.exit_code == 0, done.output
    assert "regally" in run("--plugin", file, "words").output
    assert np.array_equal(load(out).rotations, perform("wave", words="regally").rotations)
    assert run("--plugin", file, "perform", score, "-o", tmp_path / "again.npz").exit_code == 0
    words._ADDED.clear()
    with pytest.raises(MotionFileError, match="regally"):
        from_json(score.read_text())
    file.write_text("[words]\ngently = {}\n")
    taken = run("--plugin", file, "words")
    assert taken.exit_code == 2
    assert "words.gently: found a word that Kinesphere has" in taken.output
    assert run("--plugin", tmp_path / "none.toml", "words").exit_code == 2
