"""Real characters and clips, against a plain evaluation of the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gltf.scenes import taken_apart, world_positions

import kinesphere
from kinesphere import Motion, MotionFileError

pytestmark = pytest.mark.data

ROBOT = "characters/RobotExpressive.glb"
KAYKIT = "characters/kaykit_manny/Med_General_animations.glb"


def first_key(path: Path, clip: int) -> float:
    content, _ = taken_apart(path)
    samplers = content["animations"][clip]["samplers"]
    return min(content["accessors"][sampler["input"]]["min"][0] for sampler in samplers)


def deviation(path: Path, clip: int, motion: Motion) -> float:
    """The largest distance of any joint from where 4×4 matrices put its node."""
    content, _ = taken_apart(path)
    expected = world_positions(path, clip, first_key(path, clip) + motion.times)
    found = motion.positions_world()
    skins = {joint for skin in content.get("skins", []) for joint in skin["joints"]}
    targets = [channel["target"] for animation in content["animations"] for channel in animation["channels"]]
    moved = {target["node"] for target in targets if target["path"] != "weights"}
    named = {content["nodes"][node]["name"]: node for node in skins | moved}
    assert len(named) == len(motion.skeleton)
    assert set(named) == set(motion.skeleton.names)
    return max(
        float(np.abs(expected[named[name]] - found[:, joint]).max()) for joint, name in enumerate(motion.skeleton.names)
    )


@pytest.mark.parametrize(("file", "count", "rate"), [(ROBOT, 14, 24.0), (KAYKIT, 15, 30.0)])
def test_all_clips(data_dir: Path, tmp_path: Path, file: str, count: int, rate: float) -> None:
    names = kinesphere.clip_names(data_dir / file)
    assert len(names) == count
    content, _ = taken_apart(data_dir / file)
    for clip, name in enumerate(names):
        motion = kinesphere.load(data_dir / file, clip=name)
        samplers = content["animations"][clip]["samplers"]
        keys = max(content["accessors"][sampler["input"]]["count"] for sampler in samplers)
        assert (motion.rate, len(motion)) == (rate, keys)
        assert (motion.scales is not None) == ("Spawn" in name)  # only these grow
        kinesphere.save(motion, tmp_path / "again.glb")
        again = kinesphere.load(tmp_path / "again.glb")
        assert (again.rate, again.name, len(again)) == (rate, name, len(motion))
        assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-5
        if motion.scales is not None:
            np.testing.assert_allclose(again.scales, motion.scales, atol=1e-7)


@pytest.mark.parametrize(
    ("file", "clip"),
    [
        ("characters/CesiumMan.glb", 0),
        (ROBOT, 0),
        (ROBOT, 1),
        (ROBOT, 10),
        (KAYKIT, 0),
        (KAYKIT, 10),
        (KAYKIT, 13),
    ],
)
def test_places_are_those_of_plain_matrices(data_dir: Path, file: str, clip: int) -> None:
    motion = kinesphere.load(data_dir / file, clip=clip)
    assert deviation(data_dir / file, clip, motion) < 1e-5


def test_cesium_man(data_dir: Path) -> None:
    motion = kinesphere.load(data_dir / "characters/CesiumMan.glb")
    assert (motion.rate, len(motion), len(motion.skeleton), motion.name) == (24.0, 48, 19, "CesiumMan")
    assert motion.scales is None
    size = np.ptp(motion.skeleton.rest_world()[1], axis=0)
    assert 1.0 < size[1] < 1.6  # upright, though its armature lies in a Z-up world


def test_vrma(data_dir: Path) -> None:
    motion = kinesphere.load(data_dir / "other_formats/vrma/test.vrma")
    assert len(motion.skeleton) == len(motion.skeleton.roles) == 51
    assert motion.skeleton.names[motion.skeleton.roles["leftThumbMetacarpal"]] == "leftThumbMetacarpal"
    assert "rate=" in " ".join(motion.source.evidence)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("odd/empty.vrm", "a file with an animation$"),
        ("debug_robot.vrm", "load_character"),
        ("minimal_vrm0.vrm", "load_character"),
        ("mesh2motion_human_male.glb", "load_character"),
        ("kaykit_manny/manny_med_mod.gltf", "load_character"),
    ],
)
def test_files_without_a_clip(data_dir: Path, file: str, said: str) -> None:
    assert kinesphere.clip_names(data_dir / "characters" / file) == ()
    with pytest.raises(MotionFileError, match=said):
        kinesphere.load(data_dir / "characters" / file)
