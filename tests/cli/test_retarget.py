"""`kinesphere retarget` and `kinesphere mapping`, end to end."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from conftest import ROOT
from kinesphere import load, load_character, save, save_mapping
from kinesphere.cli.main import app

run = CliRunner()


@pytest.fixture
def greeting_file(tmp_path):
    motion = runpy.run_path(str(ROOT / "examples" / "greeting.py"))["greeting"]()
    save(motion, tmp_path / "greeting.bvh")
    return tmp_path / "greeting.bvh"


def test_onto_another_motions_body(tmp_path, greeting_file):
    small = load(greeting_file).scaled(0.5)
    save(small, tmp_path / "small.bvh")
    out = tmp_path / "out.bvh"
    done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(tmp_path / "small.bvh"), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "legs × 0.500" in done.output
    assert np.allclose(load(out, scale=1.0).skeleton.bone_lengths, small.skeleton.bone_lengths, atol=1e-6)
    again = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(tmp_path / "small.bvh"), "-o", str(out)])
    assert again.exit_code == 2
    assert "--overwrite" in again.output


def test_what_is_no_humanoid_is_refused_kindly(tmp_path, greeting_file):
    from figures import walking_pair

    save(walking_pair(), tmp_path / "prop.bvh")
    done = run.invoke(
        app, ["retarget", str(greeting_file), "--onto", str(tmp_path / "prop.bvh"), "-o", str(tmp_path / "o.bvh")]
    )
    assert done.exit_code == 2
    assert "no humanoid" in done.output
    assert not (tmp_path / "o.bvh").exists()


@pytest.mark.data
def test_onto_a_character_with_its_surface(tmp_path, data_dir, greeting_file):
    character, out = data_dir / "characters/CesiumMan.glb", tmp_path / "out.glb"
    done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(character), "-o", str(out), "--lock-feet"])
    assert done.exit_code == 0, done.output
    assert sum(len(mesh.positions) for mesh in load_character(out).meshes) == 3273
    assert len(load(out)) == len(load(greeting_file))


def test_roles_may_be_said_by_hand(tmp_path, greeting_file):
    """A body whose names say nothing, with a mapping made of one whose names do."""
    motion = load(greeting_file)
    nameless = replace(motion, skeleton=motion.skeleton.renamed([f"j{i}" for i in range(len(motion.skeleton))]))
    save(nameless, tmp_path / "nameless.bvh")
    save_mapping(motion.skeleton.roles, nameless.skeleton, tmp_path / "map.json")
    said = ["--target-mapping", str(tmp_path / "map.json"), "-o", str(tmp_path / "o.bvh")]
    done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(tmp_path / "nameless.bvh"), *said])
    assert done.exit_code == 0, done.output
    apart = load(tmp_path / "o.bvh", scale=1.0).positions_world() - motion.positions_world()
    assert np.abs(apart).max() < 0.02


def test_mapping_as_json(greeting_file):
    done = run.invoke(app, ["mapping", str(greeting_file), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert "leftUpperArm" in json.dumps(said)


@pytest.mark.data
def test_info_shows_a_character_that_has_no_clip(data_dir):
    done = run.invoke(app, ["info", str(data_dir / "characters/mesh2motion_human_male.glb"), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert (said["clips"], said["joints"], said["vertices"]) == ([], 66, 7399)
    assert said["roles"]["leftUpperArm"] == "upperarm_l"
