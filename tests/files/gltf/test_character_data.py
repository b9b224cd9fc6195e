"""Real characters: their surfaces against glTF's own equation, and what others say of what we write."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.skinning import dance, vertices
from gltf.test_gltf_validator import issues

import kinesphere
from conftest import ROOT
from kinesphere import Motion, MotionFileError
from kinesphere.files.loading import load_character
from kinesphere.motion.character import Character

pytestmark = pytest.mark.data

THREE_VRM = ROOT / "tools" / "three_vrm" / "open.mjs"
# File, joints, vertices, roles.
CHARACTERS = {
    "CesiumMan.glb": (19, 3273, 19),
    "RiggedFigure.glb": (19, 370, 19),
    "RobotExpressive.glb": (43, 7214, 35),
    "mesh2motion_human_male.glb": (66, 7399, 52),
    "kaykit_manny/manny_med_mod.gltf": (21, 6578, 18),
    "kaykit_manny/Med_General_animations.glb": (24, 0, 18),
    "minimal_vrm0.vrm": (17, 0, 17),
    "debug_robot.vrm": (53, 1584, 53),
}
VRMS = ("minimal_vrm0.vrm", "debug_robot.vrm")


def dancing(data_dir: Path, name: str) -> tuple[Character, Motion]:
    character = load_character(data_dir / "characters" / name)
    return character, dance(character, frames=20, slide=name == "debug_robot.vrm")


@pytest.mark.parametrize("name", CHARACTERS)
def test_what_is_in_them(data_dir: Path, name: str) -> None:
    character = load_character(data_dir / "characters" / name)
    count = sum(len(mesh.positions) for mesh in character.meshes)
    assert (len(character.skeleton), count, len(character.skeleton.roles)) == CHARACTERS[name]
    rest = character.posed(*character.skeleton.rest_world())
    for mesh, posed in zip(character.meshes, rest, strict=True):
        np.testing.assert_allclose(posed, mesh.positions, atol=1e-12)
    joints = character.skeleton.rest_world()[1]
    if character.meshes:
        # The joints are inside the body that they carry, or at least inside its bounds.
        surface = np.concatenate([mesh.positions for mesh in character.meshes])
        assert (joints.min(axis=0) > surface.min(axis=0) - 0.3).all()
        assert (joints.max(axis=0) < surface.max(axis=0) + 0.3).all()


@pytest.mark.parametrize("name", CHARACTERS)
def test_there_and_back(data_dir: Path, tmp_path: Path, name: str) -> None:
    character, motion = dancing(data_dir, name)
    for suffix in (".glb", ".gltf", *((".vrm",) if name in VRMS else ())):
        path = tmp_path / f"out{suffix}"
        kinesphere.save(motion, path, character=character)
        again = kinesphere.load(path)
        assert (again.rate, len(again), again.calibration_frames) == (motion.rate, len(motion), (0,))
        assert again.skeleton.same_tree(character.skeleton)
        assert dict(again.skeleton.roles) == dict(character.skeleton.roles)
        assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-5
        same = load_character(path)
        np.testing.assert_allclose(same.skeleton.offsets, character.skeleton.offsets, atol=1e-12)
        assert same.morphs == character.morphs
        for a, b in zip(same.meshes, character.meshes, strict=True):
            np.testing.assert_allclose(a.positions, b.positions, atol=1e-12)
            np.testing.assert_array_equal(a.triangles, b.triangles)
            assert (a.name, a.colour) == (b.name, b.colour)


@pytest.mark.parametrize("name", CHARACTERS)
def test_surfaces_move_as_the_equation_says(data_dir: Path, tmp_path: Path, name: str) -> None:
    """Σ w · world · inverse bind · v on the written file, with its nodes' plain matrices."""
    character, motion = dancing(data_dir, name)
    kinesphere.save(motion, tmp_path / "out.glb", character=character)
    ours = character.skinned(motion)
    loose = any("hangs on no joint" in sentence for sentence in character.source.evidence)
    for frame in (0, 7, 19):
        theirs = vertices(tmp_path / "out.glb", 0, frame / motion.rate)
        assert len(theirs) == len(ours)
        apart = [float(np.abs(a[frame] - b).max()) for a, (_, b) in zip(ours, theirs, strict=True)]
        # Three axes stand on debug_robot's root, which is no joint: we let its hips carry them.
        apart = sorted(apart)[: -3 if loose else None]
        assert max(apart, default=0.0) < 1e-5


def test_the_rest_pose_is_the_file_itself(data_dir: Path) -> None:
    for name in ("CesiumMan.glb", "RiggedFigure.glb", "RobotExpressive.glb", "mesh2motion_human_male.glb"):
        path = data_dir / "characters" / name
        for mesh, (_, expected) in zip(load_character(path).meshes, vertices(path, None, 0.0), strict=True):
            np.testing.assert_allclose(mesh.positions, expected, atol=1e-5)


def test_clips_of_a_character_fit_it(data_dir: Path, tmp_path: Path) -> None:
    for name in ("CesiumMan.glb", "RobotExpressive.glb"):
        path = data_dir / "characters" / name
        character, motion = load_character(path), kinesphere.load(path)
        kinesphere.save(motion, tmp_path / name, character=character)
        again = kinesphere.load(tmp_path / name)
        assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-5


def test_vrm_0_faces_plus_z(data_dir: Path) -> None:
    character = load_character(data_dir / "characters" / "minimal_vrm0.vrm")
    joints = character.skeleton.rest_world()[1]
    assert joints[character.skeleton.roles["leftHand"]][0] == 0.75  # left is +X
    assert any("face -Z" in sentence for sentence in character.source.evidence)


def test_an_empty_file_is_refused(data_dir: Path) -> None:
    with pytest.raises(MotionFileError, match="no nodes"):
        load_character(data_dir / "characters" / "odd" / "empty.vrm")


def test_the_validator_finds_nothing_new(data_dir: Path, tmp_path: Path) -> None:
    sources, written = [], []
    for number, name in enumerate(CHARACTERS):
        character, motion = dancing(data_dir, name)
        own = ".vrm" if name in VRMS else ".glb"
        for suffix in (own, ".gltf"):
            sources.append(data_dir / "characters" / name)
            written.append(tmp_path / f"{number}{suffix}")
            kinesphere.save(motion, written[-1], character=character)
    stretched = load_character(data_dir / "characters" / "CesiumMan.glb")
    kinesphere.save(dance(stretched, scaled=True), tmp_path / "stretched.glb", character=stretched)
    sources.append(data_dir / "characters" / "CesiumMan.glb")
    written.append(tmp_path / "stretched.glb")
    before = {report["file"]: _codes(report) for report in issues(*dict.fromkeys(sources))}
    for source, report in zip(sources, issues(*written), strict=True):
        assert _codes(report) <= before[str(source)], (source.name, report)


def _codes(report: dict[str, Any]) -> set[str]:
    return {message["code"] for message in report["messages"]}


def opened_in_three_vrm(time: float, *files: Path) -> list[dict[str, Any]]:
    if shutil.which("node") is None or not (THREE_VRM.parent / "node_modules").is_dir():
        pytest.skip(f"MISSING: three-vrm; `npm install --prefix {THREE_VRM.parent}` brings it")
    command = ["node", str(THREE_VRM), "--time", str(time), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_three_vrm_opens_them_and_agrees(data_dir: Path, tmp_path: Path) -> None:
    made = [dancing(data_dir, name) for name in VRMS]
    for name, (character, motion) in zip(VRMS, made, strict=True):
        kinesphere.save(motion, tmp_path / name, character=character)
    frame = 13
    found = opened_in_three_vrm(frame / 29.97, *(tmp_path / name for name in VRMS))
    for (character, motion), report, version in zip(made, found, ("0", "1"), strict=True):
        roles = character.skeleton.roles
        assert (report["version"], report["clips"]) == (version, ["dance"])
        assert set(report["rest"]) == set(roles)
        rest, moved = character.skeleton.rest_world()[1], motion.positions_world()[frame]
        for role, joint in roles.items():
            np.testing.assert_allclose(report["rest"][role], rest[joint], atol=1e-6)
            np.testing.assert_allclose(report["moved"][role], moved[joint], atol=1e-4)
