"""What is written comes back, and stands on its own without our hints."""

from __future__ import annotations

import json
import string
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import glb, taken_apart
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kinesphere
from generated import motions, seeds
from kinesphere import Motion, MotionFileError, Skeleton, Tip
from kinesphere.maths import rotations

quick = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def assert_same(found: Motion, motion: Motion) -> None:
    """Everything exactly, but numbers in keys as float32 holds them."""
    assert found.rate == motion.rate
    assert len(found) == len(motion)
    assert found.name == motion.name
    assert found.calibration_frames == motion.calibration_frames
    assert found.skeleton.names == motion.skeleton.names
    assert found.skeleton.parents.tolist() == motion.skeleton.parents.tolist()
    assert found.skeleton.tips == motion.skeleton.tips
    assert dict(found.skeleton.roles) == dict(motion.skeleton.roles)
    np.testing.assert_array_equal(found.skeleton.offsets, motion.skeleton.offsets)
    np.testing.assert_array_equal(found.skeleton.rest_rotations, motion.skeleton.rest_rotations)
    np.testing.assert_allclose(found.rotations, motion.rotations, rtol=0, atol=1.2e-7)  # made unit on the way in
    np.testing.assert_array_equal(found.translations.astype(np.float32), motion.translations.astype(np.float32))
    if motion.scales is None:
        assert found.scales is None
    else:
        assert found.scales is not None
        np.testing.assert_array_equal(found.scales, motion.scales.astype(np.float32))


def walker(frames: int = 20, rate: float = 30.0, **more: Any) -> Motion:
    """Two bones that turn while their root travels."""
    skeleton = Skeleton(
        ("hips", "spine", "head"), np.array([-1, 0, 1]), np.array([[0, 1, 0], [0, 0.5, 0], [0, 0.3, 0]])
    )
    angles = np.linspace(0, 1, frames)[:, None] * np.array([0.0, 0.5, -1.0])
    q = rotations.from_axis_angle([0.0, 0.0, 1.0], angles)
    t = np.broadcast_to(skeleton.offsets, (frames, 3, 3)).copy()
    t[:, 0, 0] = np.linspace(0, 2, frames)
    return Motion(skeleton, rate, q, t, name="walk", **more)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@given(data=st.data())
@quick
def test_round_trips_are_exact(tmp_path: Path, suffix: str, data: st.DataObject) -> None:
    motion = data.draw(motions(roots=data.draw(st.integers(1, 3)), scales=data.draw(st.booleans())))
    joints = len(motion.skeleton)
    given_names = data.draw(st.lists(names, min_size=joints, max_size=joints))
    rng = np.random.default_rng(data.draw(seeds))
    tips = tuple(Tip(int(j), tuple(rng.normal(size=3).tolist())) for j in rng.integers(0, joints, 3))
    roles = {"hips": 0, "head": joints - 1}
    motion = replace(
        motion,
        skeleton=replace(motion.skeleton, names=tuple(given_names), tips=tips, roles=roles),
        calibration_frames=tuple(data.draw(st.sets(st.integers(0, len(motion) - 1)))),
        name=data.draw(st.sampled_from(["", "walk", "Gang/ü"])),
    )
    file = tmp_path / f"motion{suffix}"
    kinesphere.save(motion, file)
    found = kinesphere.load(file)
    assert_same(found, motion)
    kinesphere.save(found, file)
    assert_same(kinesphere.load(file), found)


@given(motion=motions(moving_joints=True))
@quick
def test_without_our_hints_the_motion_is_the_same(tmp_path: Path, motion: Motion) -> None:
    file = tmp_path / "motion.glb"
    kinesphere.save(motion, file)
    content, blob = taken_apart(file)
    for owner in (*content["nodes"], *content["animations"]):
        owner.pop("extras", None)
    file.write_bytes(glb(json.dumps(content).encode(), blob))
    found = kinesphere.load(file)
    assert len(found) == len(motion)
    if len(motion) > 1:
        assert found.rate == pytest.approx(motion.rate, rel=1e-5)
    assert found.skeleton.names == motion.skeleton.names
    assert np.abs(found.positions_world() - motion.positions_world()).max() < 1e-5


def test_long_motions_keep_rate_and_frames(tmp_path: Path) -> None:
    motion = walker(20_000, 119.8753)
    kinesphere.save(motion, tmp_path / "long.glb")
    assert_same(kinesphere.load(tmp_path / "long.glb"), motion)


def test_still_motions_keep_rate_and_frames(tmp_path: Path) -> None:
    still = walker(1)
    still = replace(still, rotations=np.repeat(still.rotations, 50, axis=0), translations=np.empty((0, 0, 3)))
    kinesphere.save(still, tmp_path / "still.glb")
    assert_same(kinesphere.load(tmp_path / "still.glb"), still)
    content, _ = taken_apart(tmp_path / "still.glb")
    counts = [content["accessors"][s["output"]]["count"] for s in content["animations"][0]["samplers"]]
    assert counts == [2, 50, 2, 2]  # only the root's place has every key


def test_hints_that_do_not_fit_are_left_alone(tmp_path: Path) -> None:
    motion = walker(calibration_frames=(0,))
    file = tmp_path / "motion.glb"
    kinesphere.save(motion, file)
    original, blob = taken_apart(file)
    lies: list[Any] = [
        {"rate": 25.0, "frames": 20},
        {"rate": 30.0, "frames": 10**9},
        {"rate": "30", "frames": None, "calibration_frames": 7},
        {"rate": 30.0, "frames": 20, "calibration_frames": [-1, 20, "a", None, 10**300, True]},
        {"rate": 10**400, "frames": 20},
        [],
        "kinesphere",
    ]
    for lie in lies:
        content = json.loads(json.dumps(original))
        content["animations"][0]["extras"] = {"kinesphere": lie}
        nonsense = {
            "joint": 0,
            "tips": [[0, 1], "a", [1, 2, 3, None], [0.5, 1, 1, 1]],
            "roles": [3],
            "surface": True,
        }
        for node in content["nodes"]:
            node["extras"] = {"kinesphere": nonsense}
        content["nodes"][2]["extras"] = 7
        file.write_bytes(glb(json.dumps(content).encode(), blob))
        found = kinesphere.load(file)
        assert (found.rate, len(found), found.skeleton.names) == (30.0, 20, ("hips", "spine", "head"))
        assert found.calibration_frames == ()
        assert found.skeleton.tips == ()


def test_tools_may_renumber_the_nodes(tmp_path: Path) -> None:
    motion = walker()
    motion = replace(motion, skeleton=replace(motion.skeleton, tips=(Tip(2, (0.0, 0.2, 0.0)),)))
    file = tmp_path / "motion.glb"
    kinesphere.save(motion, file)
    content, blob = taken_apart(file)
    count = len(content["nodes"])
    content["nodes"] = content["nodes"][::-1]
    for node in content["nodes"]:
        node["children"] = [count - 1 - child for child in node.get("children", [])]
        if not node["children"]:
            del node["children"]
    for channel in content["animations"][0]["channels"]:
        channel["target"]["node"] = count - 1 - channel["target"]["node"]
    content["skins"][0]["joints"] = [count - 1 - joint for joint in content["skins"][0]["joints"]]
    file.write_bytes(glb(json.dumps(content).encode(), blob))
    assert_same(kinesphere.load(file), motion)


def test_surfaces_are_stretched_without_their_children(tmp_path: Path) -> None:
    motion = walker()
    scales = np.ones((20, 3, 3))
    scales[:, 1] = np.linspace(1.0, 2.0, 20)[:, None]
    motion = replace(motion, scales=scales)
    kinesphere.save(motion, tmp_path / "motion.glb")
    content, _ = taken_apart(tmp_path / "motion.glb")
    surface = next(i for i, node in enumerate(content["nodes"]) if node["name"] == "spine.surface")
    assert content["nodes"][1]["children"] == [2, surface]
    assert content["skins"][0]["joints"] == [0, surface, 2]
    found = kinesphere.load(tmp_path / "motion.glb")
    assert_same(found, motion)
    np.testing.assert_allclose(found.positions_world(), motion.positions_world(), atol=1e-6)


def test_the_body_is_carried_by_its_joints(tmp_path: Path) -> None:
    motion = walker()
    kinesphere.save(motion, tmp_path / "motion.glb")
    content, blob = taken_apart(tmp_path / "motion.glb")
    primitive = content["meshes"][0]["primitives"][0]

    def numbers(accessor: int, dtype: str, width: int) -> np.ndarray:
        entry = content["accessors"][accessor]
        offset = content["bufferViews"][entry["bufferView"]]["byteOffset"]
        return np.frombuffer(blob, dtype, entry["count"] * width, offset).reshape(-1, width)

    positions = numbers(primitive["attributes"]["POSITION"], "<f4", 3)
    normals = numbers(primitive["attributes"]["NORMAL"], "<f4", 3)
    joints = numbers(primitive["attributes"]["JOINTS_0"], "u1", 4)
    binds = numbers(content["skins"][0]["inverseBindMatrices"], "<f4", 16).reshape(-1, 4, 4).transpose(0, 2, 1)
    assert set(joints[:, 0].tolist()) == {0, 1, 2}
    assert not joints[:, 1:].any()
    # Two bones and one end, 8 triangles each, all facing outwards.
    assert len(positions) == 3 * 24
    for bone in range(3):
        part = slice(24 * bone, 24 * bone + 24)
        centre = positions[part].mean(axis=0)
        faces = positions[part].reshape(8, 3, 3)
        turned = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        assert (np.einsum("fi,fi->f", turned, faces.mean(axis=1) - centre) > 0).all()
        assert (np.einsum("fi,fi->f", turned, normals[part][::3]) > 0).all()
    rest_rotations, rest_positions = motion.skeleton.rest_world()
    for joint in range(3):
        world = np.eye(4)
        world[:3, :3], world[:3, 3] = rotations.to_matrix(rest_rotations[joint]), rest_positions[joint]
        np.testing.assert_allclose(binds[joint] @ world, np.eye(4), atol=1e-6)


def test_plain_names(tmp_path: Path) -> None:
    motion = walker()
    motion = replace(motion, skeleton=motion.skeleton.renamed(["Hüfte 1", "Hüfte 1", "mixamorig:Head"]))
    kinesphere.save(motion, tmp_path / "motion.glb", plain_names=True)
    found = kinesphere.load(tmp_path / "motion.glb").skeleton.names
    assert len(set(found)) == 3
    assert set("".join(found)) <= set(string.ascii_letters + string.digits + "_")


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "motion.glb"
    kinesphere.save(walker(), file)
    before = file.read_bytes()
    huge = walker()
    huge = huge.with_pose(huge.rotations, huge.translations * 1e300)
    with pytest.raises(MotionFileError, match="32 bits"):
        kinesphere.save(huge, file)
    with pytest.raises(MotionFileError, match="times that differ"):
        kinesphere.save(walker(rate=1e60), file)
    with pytest.raises(ValueError, match="character"):
        kinesphere.save(walker(), file, character=object())
    with pytest.raises(ValueError, match="metres with Y up"):
        kinesphere.save(walker(), file, up="z")
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["motion.glb"]
    for suffix in (".vrm", ".vrma"):
        with pytest.raises(MotionFileError, match=r"\.glb, \.gltf"):
            kinesphere.save(walker(), tmp_path / f"motion{suffix}")
