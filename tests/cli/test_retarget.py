"""`kinesphere retarget` and `kinesphere mapping`, end to end."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace

import numpy as np
import pytest
from gltf.rigs import rigged
from gltf.scenes import glb, taken_apart
from typer.testing import CliRunner

from conftest import ROOT
from kinesphere import MotionFileWarning, load, load_character, save, save_mapping
from kinesphere.cli.main import app

run = CliRunner()
RIGS = rigged()


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


def without_meshes(path):
    """The file as an animation alone, as VRMA files are."""
    content, blob = taken_apart(path)
    for node in content["nodes"]:
        node.pop("mesh", None)
        node.pop("skin", None)
    content.pop("meshes")
    path.write_bytes(glb(json.dumps(content).encode(), blob))


def test_onto_an_animation_that_has_nothing_to_show_it_on(tmp_path, greeting_file):
    """Its body is used, as that of any motion file; the output has something to see."""
    onto, out = tmp_path / "only.glb", tmp_path / "out.glb"
    small = load(greeting_file).scaled(0.5)
    save(small, onto)
    without_meshes(onto)
    with pytest.warns(MotionFileWarning, match="no mesh"):
        assert load_character(onto).meshes == ()
    done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(onto), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "legs × 0.500" in done.stdout
    assert "only.glb: no mesh in the file" in done.stderr
    assert sum(len(mesh.positions) for mesh in load_character(out).meshes) > 0
    assert np.allclose(load(out).skeleton.bone_lengths, small.skeleton.bone_lengths, atol=1e-6)


def test_onto_a_bare_skeleton_says_so(tmp_path, greeting_file):
    onto, out = tmp_path / "bare.glb", tmp_path / "out.glb"
    save(load(greeting_file), onto)
    without_meshes(onto)
    content, blob = taken_apart(onto)
    del content["animations"]
    joints = [i for i, node in enumerate(content["nodes"]) if "joint" in node.get("extras", {}).get("kinesphere", {})]
    content["skins"] = [{"joints": joints}]
    onto.write_bytes(glb(json.dumps(content).encode(), blob))
    done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(onto), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert "bare.glb: no mesh in the file, so the character is a bare skeleton" in done.stderr
    assert len(load(out)) == len(load(greeting_file))
    shown = run.invoke(app, ["info", str(onto)])
    assert shown.exit_code == 0
    assert "surface none" in " ".join(shown.stdout.split())
    assert "a bare skeleton" in " ".join(shown.stdout.split())


@pytest.mark.data
def test_a_bare_vrm_keeps_its_own_file(tmp_path, data_dir, greeting_file):
    bare, once, twice = data_dir / "characters/minimal_vrm0.vrm", tmp_path / "once.vrm", tmp_path / "twice.vrm"
    for onto, out in ((bare, once), (once, twice)):
        done = run.invoke(app, ["retarget", str(greeting_file), "--onto", str(onto), "-o", str(out)])
        assert done.exit_code == 0, done.output
        assert "no mesh in the file" in done.stderr
    assert "VRM" in taken_apart(twice)[0]["extensions"]


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
def test_the_runner_up_is_said_with_its_confidence(data_dir):
    robot = str(data_dir / "characters/RobotExpressive.glb")
    said = json.loads(run.invoke(app, ["mapping", robot, "--json"]).stdout)
    first, second = said["roles"]["hips"], said["runners_up"]["hips"]
    assert (first["joint"], second["joint"]) == ("Body", "Hips")
    assert second["confidence"] < first["confidence"]
    rows = run.invoke(app, ["mapping", robot]).stdout.splitlines()
    assert next(row.split() for row in rows if row.startswith("hips")) == ["hips", "Body", "0.70", "Hips", "(0.48)"]


@pytest.mark.data
def test_info_shows_a_character_that_has_no_clip(data_dir):
    done = run.invoke(app, ["info", str(data_dir / "characters/mesh2motion_human_male.glb"), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert (said["clips"], said["joints"], said["vertices"]) == ([], 66, 7399)
    assert said["roles"]["leftUpperArm"] == "upperarm_l"


@pytest.mark.parametrize("name", RIGS)
def test_odd_characters_from_end_to_end(tmp_path, greeting_file, name):
    """What exporters do to rigs: every command that takes a character takes these, and what it writes can be shown."""
    rig, out = RIGS[name].write(tmp_path / "rig.glb"), tmp_path / "out.glb"
    for command in (
        ["info", str(rig)],
        ["mapping", str(rig), "-o", str(tmp_path / "map.json")],
        ["retarget", str(greeting_file), "--onto", str(rig), "-o", str(out), "--lock-feet"],
        ["preview", str(out), "-o", str(tmp_path / "out.png"), "--frames", "2", "--width", "400", "--height", "300"],
    ):
        done = run.invoke(app, command)
        assert done.exit_code == 0, (command, done.output)
        told = "unevenly" in done.output
        assert told == (name.startswith("uneven") and command[0] != "preview"), done.output
    assert len(load(out)) == len(load(greeting_file))
