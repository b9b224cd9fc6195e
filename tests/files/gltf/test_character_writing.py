"""A motion written onto a character: everything in the file stays, and the joints are where the motion has them."""

from __future__ import annotations

import base64
import copy
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, glb, taken_apart, world_positions
from gltf.skinning import dance, stick, vertices
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import kinesphere
from kinesphere import Motion, MotionFileError, MotionFileWarning
from kinesphere.files.loading import load_character
from kinesphere.motion.character import Character

quick = settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def deviation(path: Path, motion: kinesphere.Motion, character: Character) -> float:
    """The largest distance of a joint in the written file from where the motion has it, by plain 4×4 matrices."""
    found = world_positions(path, 0, motion.times)
    nodes = character.document.joints.nodes.tolist()  # type: ignore[attr-defined]
    wanted = motion.positions_world()
    return max(float(np.abs(found[node] - wanted[:, joint]).max()) for joint, node in enumerate(nodes))


def random_rig(seed: int, kinds: tuple[str, ...]) -> Scene:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 9))
    nodes: list[dict[str, Any]] = []
    for _ in range(count):
        q = rng.normal(size=4)
        kind = str(rng.choice(kinds))
        scale = rng.uniform(0.3, 3.0, 3) if kind != "uniform" else np.full(3, rng.choice([0.01, 0.5, 2.0, 100.0]))
        scale = scale * (rng.choice([-1.0, 1.0], 3) if kind == "mirrored" else 1.0)
        turn = (q / np.linalg.norm(q)).tolist()
        nodes.append({"translation": rng.normal(size=3).tolist(), "rotation": turn, "scale": scale.tolist()})
    for child in range(1, count):
        nodes[int(rng.integers(0, child))].setdefault("children", []).append(child)
    scene = Scene(nodes)
    scene.json["skins"] = [{"joints": sorted({int(rng.integers(0, count)) for _ in range(3)})}]
    return scene


@pytest.mark.filterwarnings("ignore:.*scaled unevenly")
@pytest.mark.filterwarnings("ignore:.*is the unit right")  # scales of 100 below each other
@pytest.mark.parametrize("kinds", [("uniform",), ("axes",), ("mirrored",), ("uniform", "axes", "mirrored")])
@quick
@given(seed=st.integers(0, 10_000))
@example(seed=170)
def test_joints_are_where_the_motion_has_them(tmp_path: Path, kinds: tuple[str, ...], seed: int) -> None:
    character = load_character(random_rig(seed, kinds).write(tmp_path / "rig.glb"))
    motion = dance(character, frames=5, seed=seed, slide=True)
    kinesphere.save(motion, tmp_path / "out.glb", character=character)
    size = 1.0 + float(np.abs(motion.positions_world()).max())
    assert deviation(tmp_path / "out.glb", motion, character) < 2e-5 * size
    again = kinesphere.load(tmp_path / "out.glb")
    assert np.abs(again.positions_world() - motion.positions_world()).max() < 2e-5 * size
    rest = load_character(tmp_path / "out.glb").skeleton
    np.testing.assert_allclose(rest.offsets, character.skeleton.offsets, atol=1e-9 * size)


def test_what_comes_back(tmp_path: Path) -> None:
    character = load_character(stick().write(tmp_path / "stick.glb"))
    motion = dance(character)
    for suffix in (".glb", ".gltf"):
        kinesphere.save(motion, tmp_path / f"out{suffix}", character=character)
        again = kinesphere.load(tmp_path / f"out{suffix}")
        assert (again.rate, len(again), again.name, again.calibration_frames) == (29.97, 12, "dance", (0,))
        assert again.skeleton.same_tree(character.skeleton)
        np.testing.assert_allclose(again.positions_world(), motion.positions_world(), atol=1e-5)
        same = load_character(tmp_path / f"out{suffix}")
        np.testing.assert_array_equal(same.meshes[0].positions, character.meshes[0].positions)
        np.testing.assert_array_equal(same.skeleton.offsets, character.skeleton.offsets)


def test_all_else_stays(tmp_path: Path) -> None:
    """Extensions, extras, unknown fields and chunks, materials: whatever the file holds."""
    scene = stick(
        extensions={"ACME_smell": {"smell": "roses"}, "VRMC_vrm": {"meta": {"name": "x"}}},
        extensionsUsed=["ACME_smell", "VRMC_vrm"],
        extras={"made": "by hand"},
        materials=[{"name": "skin", "extras": {"a": [1, 2]}}],
        cameras=[{"type": "perspective", "perspective": {"yfov": 1, "znear": 0.1}}],
    )
    scene.json["nodes"][1]["extras"] = {"mood": "calm"}
    before = copy.deepcopy(scene.json)
    data = scene.data() + struct.pack("<I4s", 4, b"WHAT") + b"ever"
    (tmp_path / "a.glb").write_bytes(data[:8] + struct.pack("<I", len(data)) + data[12:])
    character = load_character(tmp_path / "a.glb")
    kinesphere.save(dance(character), tmp_path / "out.glb", character=character)
    content, blob = taken_apart(tmp_path / "out.glb")
    assert blob.endswith(struct.pack("<I4s", 4, b"WHAT") + b"ever")
    for name in set(before) - {"accessors", "bufferViews", "buffers"}:
        assert content[name] == before[name]
    assert content["accessors"][: len(before["accessors"])] == before["accessors"]
    assert [clip["name"] for clip in content["animations"]] == ["dance"]


def test_old_clips_go_with_their_bytes(tmp_path: Path) -> None:
    scene = stick(animations=[])
    scene.json["animations"] = []
    times = np.arange(500) / 30.0
    scene.clip((1, "rotation", times, np.tile([0, 0, 0, 1.0], (500, 1))), name="old")
    mesh = scene.json["meshes"][0]["primitives"][0]
    mesh["attributes"]["_LATER"] = scene.accessor(np.arange(16))  # comes after the clip's and gets its number
    character = load_character(scene.write(tmp_path / "a.glb"))
    motion = dance(character)
    kinesphere.save(motion, tmp_path / "once.glb", character=character)
    kinesphere.save(motion, tmp_path / "twice.glb", character=load_character(tmp_path / "once.glb"))
    sizes = [(tmp_path / f"{name}.glb").stat().st_size for name in ("a", "once", "twice")]
    assert sizes[1] < sizes[0]
    assert sizes[1] == sizes[2]
    content, blob = taken_apart(tmp_path / "once.glb")
    later = content["accessors"][content["meshes"][0]["primitives"][0]["attributes"]["_LATER"]]
    at = content["bufferViews"][later["bufferView"]]["byteOffset"]
    np.testing.assert_array_equal(np.frombuffer(blob, "<f4", 16, at), np.arange(16))
    assert kinesphere.clip_names(tmp_path / "once.glb") == ("dance",)


def test_accessors_that_others_may_know_of_are_not_renumbered(tmp_path: Path) -> None:
    scene = stick(extensionsUsed=["ACME_unknown"])
    scene.json["animations"] = []
    scene.clip((1, "rotation", [0.0, 1.0], np.tile([0, 0, 0, 1.0], (2, 1))))
    scene.json["extensions"] = {"ACME_unknown": {"accessor": scene.accessor(np.arange(3))}}
    character = load_character(scene.write(tmp_path / "a.glb"))
    kinesphere.save(dance(character), tmp_path / "out.glb", character=character)
    content, _ = taken_apart(tmp_path / "out.glb")
    entry = content["accessors"][content["extensions"]["ACME_unknown"]["accessor"]]
    assert (entry["count"], entry["type"]) == (3, "SCALAR")


class TestFilesBeside:
    def external(self, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        scene = stick(
            images=[{"uri": "looks/a%20b.png"}, {"uri": "data:image/png;base64," + base64.b64encode(PIXEL).decode()}]
        )
        scene.json["textures"] = [{"source": 0}, {"source": 1}]
        scene.json["buffers"] = [{"uri": "stick.bin", "byteLength": len(scene.blob), "name": "kept"}]
        (folder / "looks").mkdir(exist_ok=True)
        (folder / "looks" / "a b.png").write_bytes(PIXEL)
        (folder / "stick.bin").write_bytes(scene.blob)
        (folder / "stick.gltf").write_text(json.dumps(scene.json))
        return folder / "stick.gltf"

    def test_into_a_glb(self, tmp_path: Path) -> None:
        character = load_character(self.external(tmp_path / "in"))
        kinesphere.save(dance(character), tmp_path / "out.glb", character=character)
        content, blob = taken_apart(tmp_path / "out.glb")
        assert [sorted(buffer) for buffer in content["buffers"]] == [["byteLength", "name"]]
        for image in content["images"]:
            assert (sorted(image), image["mimeType"]) == (["bufferView", "mimeType"], "image/png")
            view = content["bufferViews"][image["bufferView"]]
            assert blob[view["byteOffset"] : view["byteOffset"] + view["byteLength"]] == PIXEL
        again = load_character(tmp_path / "out.glb")
        np.testing.assert_array_equal(again.meshes[0].positions, character.meshes[0].positions)

    def test_beside_a_gltf(self, tmp_path: Path) -> None:
        character = load_character(self.external(tmp_path / "in"))
        out = tmp_path / "out"
        out.mkdir()
        motion = dance(character)
        kinesphere.save(motion, out / "a.gltf", character=character)
        kinesphere.save(motion, out / "b.gltf", character=character)  # the same files are no obstacle
        assert sorted(p.relative_to(out).as_posix() for p in out.rglob("*")) == [
            *("a.gltf", "b.gltf", "looks", "looks/a b.png", "stick.bin")
        ]
        assert (out / "looks" / "a b.png").read_bytes() == PIXEL
        again = load_character(out / "a.gltf")
        np.testing.assert_array_equal(again.meshes[0].positions, character.meshes[0].positions)
        np.testing.assert_allclose(kinesphere.load(out / "a.gltf").translations, motion.translations, atol=1e-5)

    def test_over_itself(self, tmp_path: Path) -> None:
        path = self.external(tmp_path / "in")
        character = load_character(path)
        kinesphere.save(dance(character), path, character=character)
        np.testing.assert_array_equal(load_character(path).meshes[0].positions, character.meshes[0].positions)

    def test_other_files_are_not_overwritten(self, tmp_path: Path) -> None:
        character = load_character(self.external(tmp_path / "in"))
        (tmp_path / "stick.bin").write_bytes(b"precious")
        with pytest.raises(MotionFileError, match=r"another file called 'stick.bin'"):
            kinesphere.save(dance(character), tmp_path / "out.gltf", character=character)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "stick.bin"]
        assert (tmp_path / "stick.bin").read_bytes() == b"precious"

    def test_nothing_is_left_when_writing_fails(self, tmp_path: Path) -> None:
        character = load_character(self.external(tmp_path / "in"))
        (tmp_path / "out.gltf").mkdir()
        with pytest.raises(OSError):
            kinesphere.save(dance(character), tmp_path / "out.gltf", character=character)
        assert not list(tmp_path.glob("*.bin"))
        with pytest.raises(FileNotFoundError, match="does not exist"):
            kinesphere.save(dance(character), tmp_path / "nowhere" / "out.gltf", character=character)

    def test_a_picture_that_is_missing(self, tmp_path: Path) -> None:
        path = self.external(tmp_path / "in")
        (tmp_path / "in" / "looks" / "a b.png").unlink()
        character = load_character(path)
        with pytest.warns(MotionFileWarning, match=r"images\[0\].*missing"):
            kinesphere.save(dance(character), tmp_path / "out.glb", character=character)


class TestSurfaces:
    def test_stretched_skins(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "stick.glb"))
        motion = dance(character, scaled=True)
        kinesphere.save(motion, tmp_path / "out.glb", character=character)
        assert deviation(tmp_path / "out.glb", motion, character) < 1e-5  # children did not inherit the scales
        again = kinesphere.load(tmp_path / "out.glb")
        np.testing.assert_allclose(again.scales, motion.scales, atol=1e-6)
        assert again.skeleton.same_tree(character.skeleton)
        for frame in (3, 11):
            ((_, expected),) = vertices(tmp_path / "out.glb", 0, frame / motion.rate)
            np.testing.assert_allclose(character.skinned(motion)[0][frame], expected, atol=1e-5)

    def test_again_on_what_was_written(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "stick.glb"))
        kinesphere.save(dance(character, scaled=True), tmp_path / "once.glb", character=character)
        once = load_character(tmp_path / "once.glb")
        assert once.skeleton.same_tree(character.skeleton)
        np.testing.assert_allclose(once.meshes[0].positions, character.meshes[0].positions, atol=1e-6)
        motion = dance(once, scaled=True, seed=7)
        kinesphere.save(motion, tmp_path / "twice.glb", character=once)
        np.testing.assert_allclose(kinesphere.load(tmp_path / "twice.glb").scales, motion.scales, atol=1e-6)
        nodes = [len(taken_apart(tmp_path / f"{name}.glb")[0]["nodes"]) for name in ("once", "twice")]
        assert nodes == [7, 7]

    def test_meshes_without_a_skin_are_not_stretched(self, tmp_path: Path) -> None:
        scene = stick()
        scene.json["nodes"][3].pop("skin")
        scene.json["nodes"][0]["children"].append(3)
        character = load_character(scene.write(tmp_path / "stick.glb"))
        with pytest.warns(MotionFileWarning, match="'hips' carries a mesh without a skin"):
            kinesphere.save(dance(character, scaled=True), tmp_path / "out.glb", character=character)


class TestRefusals:
    def test_another_skeleton(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "a.glb"))
        other = load_character(stick("hips", "spine", "face").write(tmp_path / "b.glb"))
        with pytest.raises(MotionFileError, match=r"another skeleton.*kinesphere.retarget"):
            kinesphere.save(dance(other), tmp_path / "out.glb", character=character)
        assert not (tmp_path / "out.glb").exists()

    def test_bones_of_another_length_are_said(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "a.glb"))
        with pytest.warns(MotionFileWarning, match=r"'spine' is 1.5 m, not 1 m"):
            kinesphere.save(dance(character).scaled(1.5), tmp_path / "out.glb", character=character)

    def test_suffixes(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "a.glb"))
        motion = dance(character)
        with pytest.raises(MotionFileError, match="came from no VRM file"):
            kinesphere.save(motion, tmp_path / "out.vrm", character=character)
        with pytest.raises(MotionFileError, match=r"VRM file: --character .*load_character"):
            kinesphere.save(motion, tmp_path / "out.vrm")
        with pytest.raises(MotionFileError, match="vrma"):
            kinesphere.save(motion, tmp_path / "out.vrma", character=character)

    def test_characters_from_elsewhere(self, tmp_path: Path) -> None:
        character = load_character(stick().write(tmp_path / "a.glb"))
        bare = Character("bare", character.skeleton, document="what nobody knows")
        with pytest.raises(ValueError, match="came from no glTF file"):
            kinesphere.save(dance(bare), tmp_path / "out.glb", character=bare)

    def test_characters_of_our_own(self, tmp_path: Path) -> None:
        """Made in memory, with a surface or without: the file is written from nothing."""
        character = load_character(stick().write(tmp_path / "a.glb"))
        for meshes, name in ((character.meshes, "own"), ((), "bare")):
            own = Character(name, character.skeleton, meshes)
            motion = dance(own)
            kinesphere.save(motion, tmp_path / f"{name}.glb", character=own)
            again = kinesphere.load(tmp_path / f"{name}.glb")
            assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-6
            count = sum(len(mesh.positions) for mesh in load_character(tmp_path / f"{name}.glb").meshes)
            assert count == sum(len(mesh.positions) for mesh in meshes) if meshes else count > 0
        other = Motion(own.skeleton.renamed([f"x{i}" for i in range(len(own.skeleton))]), 30.0, motion.rotations)
        with pytest.raises(MotionFileError, match="retarget brings it over"):
            kinesphere.save(other, tmp_path / "other.glb", character=own)

    def test_joints_with_matrices(self, tmp_path: Path) -> None:
        scene = stick()
        matrix = np.eye(4)
        matrix[:3, 3], matrix[:3, :3] = [0, 1, 0], [[0, -2, 0], [2, 0, 0], [0, 0, 2]]
        scene.json["nodes"][1] = {"name": "spine", "children": [2], "matrix": matrix.T.ravel().tolist()}
        character = load_character(scene.write(tmp_path / "a.glb"))
        motion = dance(character)
        kinesphere.save(motion, tmp_path / "out.glb", character=character)
        assert deviation(tmp_path / "out.glb", motion, character) < 1e-5
        np.testing.assert_allclose(
            load_character(tmp_path / "out.glb").skeleton.offsets, character.skeleton.offsets, atol=1e-12
        )
        matrix[1, 1] = 1.0
        scene.json["nodes"][1]["matrix"] = matrix.T.ravel().tolist()
        with pytest.warns(MotionFileWarning, match="'spine': scaled unevenly"):
            sheared = load_character(scene.write(tmp_path / "sheared.glb"))
        with pytest.raises(MotionFileError, match=r"nodes\[1\].matrix: found a matrix that shears"):
            kinesphere.save(dance(sheared), tmp_path / "never.glb", character=sheared)

    def test_scales_of_zero(self, tmp_path: Path) -> None:
        scene = stick()
        scene.json["nodes"][1]["scale"] = [0, 0, 0]
        character = load_character(scene.write(tmp_path / "a.glb"))
        kinesphere.save(dance(character), tmp_path / "out.glb", character=character)
        with pytest.raises(MotionFileError, match=r"nodes\[2\]: found a joint below a scale of zero"):
            kinesphere.save(dance(character, slide=True), tmp_path / "never.glb", character=character)

    def test_json_nested_deeply(self, tmp_path: Path) -> None:
        scene = stick()
        text = json.dumps({**scene.json, "buffers": [{"byteLength": len(scene.blob)}]}).encode()
        text = text[:-1] + b', "extras": ' + b"[" * 900 + b"]" * 900 + b"}"
        (tmp_path / "a.glb").write_bytes(glb(text, scene.blob))
        character = load_character(tmp_path / "a.glb")
        with pytest.raises(MotionFileError, match="nested too deeply"):
            kinesphere.save(dance(character), tmp_path / "out.glb", character=character)
