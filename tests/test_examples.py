"""Examples run as they stand, and the demo writes what it says."""

from __future__ import annotations

import runpy
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from conftest import ROOT
from kinesphere import load, load_character, save
from kinesphere.builtin.library import motion
from kinesphere.maths import rotations as R

EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    run = runpy.run_path(str(ROOT / "examples" / "demo.py"))["main"]
    return {path.suffix: path for path in run(folder, small=True)}


def test_the_demo_writes_a_bvh_a_glb_a_picture_and_a_film(demo):
    bvh, glb = load(demo[".bvh"]), load(demo[".glb"])
    order = [glb.skeleton.names.index(name) for name in bvh.skeleton.names]
    assert np.abs(bvh.positions_world() - glb.positions_world()[:, order]).max() < 1e-4
    picture = np.asarray(Image.open(demo[".png"]).convert("RGB"))
    assert picture.std() > 10.0
    assert sum(len(mesh.positions) for mesh in load_character(demo[".glb"]).meshes) > 10_000
    assert demo[".mp4"].stat().st_size > 1000


def test_the_greeting_walks_without_sliding_or_sinking_and_waves(tmp_path):
    save(runpy.run_path(str(ROOT / "examples" / "greeting.py"))["greeting"](), tmp_path / "greeting.glb")
    motion = load(tmp_path / "greeting.glb")
    places = motion.positions_world()
    assert places[..., 1].min() > -0.005
    bones = [j for j, parent in enumerate(motion.skeleton.parents) if parent >= 0]
    lengths = np.linalg.norm(places[:, bones] - places[:, motion.skeleton.parents[bones]], axis=-1)
    assert np.ptp(lengths, axis=0).max() < 1e-5
    for side in ("left", "right"):
        toes = places[:, motion.skeleton.index(f"{side}Toes")]
        low = toes[:, 1] < 0.02
        speed = np.linalg.norm(np.diff(toes[:, [0, 2]], axis=0), axis=1) * motion.rate
        in_contact = low[1:] & low[:-1]
        assert in_contact.mean() > 0.5
        assert np.percentile(speed[in_contact], 90) < 0.05
    hand = places[:, motion.skeleton.index("rightHand"), 1]
    head = places[:, motion.skeleton.index("head"), 1]
    assert (hand > head).mean() > 0.2
    turned = R.angle_between(motion.rotations[1:], motion.rotations[:-1]).max() * motion.rate
    assert turned < 20.0, "radians a second: nothing snaps"


def test_the_readme_names_the_two_commands_and_its_code_runs_by_itself(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text()
    assert "make demo" in text
    assert "make test" in text
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    monkeypatch.chdir(tmp_path)
    save(motion("walk"), "walk.bvh")  # a reader's own capture
    exec(compile(code, "README.md", "exec"), {})
    assert load("tired.bvh").duration > 1.2 * load("walk.bvh").duration
    assert any(path.suffix == ".glb" for path in tmp_path.rglob("*.glb"))
