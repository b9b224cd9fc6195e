"""Characters made by hand: what load_character finds in them, and how their surfaces move."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, chain
from gltf.skinning import dance, stick, vertices

import kinesphere
from kinesphere import Motion, Skeleton
from kinesphere.files.loading import load_character
from kinesphere.maths import rotations as R
from kinesphere.motion.character import Character, Mesh

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)


def rigid(nodes: list[dict[str, Any]], **primitive: Any) -> Scene:
    """Nodes of which one or more show a square, and a skin that makes node 0 a joint."""
    scene = Scene(nodes)
    entry: dict[str, Any] = {"attributes": {"POSITION": scene.accessor(SQUARE)}, "mode": 5, **primitive}
    scene.json["meshes"] = [{"primitives": [entry]}]
    scene.json["skins"] = [{"joints": [0]}]
    return scene


def test_a_skinned_tube(tmp_path: Path) -> None:
    character = load_character(stick().write(tmp_path / "stick.glb"))
    assert (character.name, character.skeleton.names) == ("stick", ("hips", "spine", "head"))
    (mesh,) = character.meshes
    assert (mesh.name, mesh.positions.shape, mesh.triangles.shape) == ("tube", (16, 3), (12, 3))
    np.testing.assert_allclose(mesh.positions[:, 1], np.repeat([0.5, 1.5, 2.5, 3.5], 4), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0)
    np.testing.assert_allclose(character.posed(*character.skeleton.rest_world())[0], mesh.positions, atol=1e-12)
    assert "unit: metres" in character.source.evidence[0]
    assert not mesh.positions.flags.writeable


def test_a_surface_that_was_bound_in_another_pose(tmp_path: Path) -> None:
    """The file's rest pose is not the pose that its skin was bound in, so each joint has the vertex elsewhere."""
    bind = np.broadcast_to(np.eye(4), (3, 4, 4)).copy()
    bind[:, :3, :3] = R.to_matrix(R.from_rotation_vector([[0, 0, 0.3], [0.5, 0, 0], [0, 0.4, -0.2]]))
    bind[:, :3, 3] = [[0.1, 1, 0], [0, 2.1, 0.3], [-0.2, 3, 0]]
    path = stick(bind=bind).write(tmp_path / "stick.glb")
    character = load_character(path)
    ((_, expected),) = vertices(path, None, 0.0)
    np.testing.assert_allclose(character.meshes[0].positions, expected, atol=1e-6)
    motion = dance(character)
    kinesphere.save(motion, tmp_path / "out.glb", character=character)
    for frame in (0, 5, 11):
        ((_, expected),) = vertices(tmp_path / "out.glb", 0, frame / motion.rate)
        np.testing.assert_allclose(character.skinned(motion)[0][frame], expected, atol=1e-5)


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_armature_scales(tmp_path: Path, scale: float) -> None:
    plain = load_character(stick().write(tmp_path / "plain.glb"))
    scene = stick()
    nodes = scene.json["nodes"]
    for node in nodes[:3]:
        node["translation"] = (np.array(node["translation"]) / scale).tolist()
    nodes.append({"name": "armature", "scale": [scale] * 3, "children": [0]})
    binds = np.tile(np.eye(4), (3, 1, 1))
    binds[:, :3, :3] /= scale
    binds[:, 1, 3] = -(np.arange(3) + 1.0) / scale
    scene.json["skins"][0]["inverseBindMatrices"] = scene.accessor(binds.transpose(0, 2, 1).reshape(-1, 16))
    scaled = load_character(scene.write(tmp_path / "scaled.glb"))
    np.testing.assert_allclose(scaled.skeleton.offsets, plain.skeleton.offsets, atol=1e-9)
    np.testing.assert_allclose(scaled.meshes[0].positions, plain.meshes[0].positions, atol=1e-6)
    np.testing.assert_allclose(scaled.meshes[0].normals, plain.meshes[0].normals, atol=1e-6)
    motion = dance(plain)
    np.testing.assert_allclose(scaled.skinned(motion)[0], plain.skinned(motion)[0], atol=1e-5)


def test_meshes_without_a_skin_are_carried_by_the_joint_above(tmp_path: Path) -> None:
    nodes = chain("hips", "spine")
    nodes += [{"name": "hat", "mesh": 0, "translation": [0, 1, 0]}, {"name": "chair", "mesh": 0}]
    nodes[1]["children"] = [2]
    scene = rigid(nodes)
    scene.json["skins"] = [{"joints": [0, 1]}]
    character = load_character(scene.write(tmp_path / "a.glb"))
    assert character.skeleton.names == ("hips", "spine")
    hat, chair = character.meshes
    assert (hat.joints == 1).all()
    assert (chair.joints == 0).all()
    assert (hat.weights == 1.0).all()
    np.testing.assert_allclose(hat.positions, SQUARE + np.array([0, 3, 0]))
    np.testing.assert_allclose(chair.positions, SQUARE)
    assert [s for s in character.source.evidence if "hangs on no joint" in s] == [
        "surface: 'chair' hangs on no joint, so joint 0 carries it"
    ]


@pytest.mark.parametrize(
    ("mode", "triangles"), [(4, [[0, 1, 2]]), (5, [[0, 1, 2], [1, 3, 2]]), (6, [[1, 2, 0], [2, 3, 0]]), (1, None)]
)
def test_kinds_of_triangles(tmp_path: Path, mode: int, triangles: list[list[int]] | None) -> None:
    meshes = load_character(rigid([{"mesh": 0}], mode=mode).write(tmp_path / "a.glb")).meshes
    if triangles is None:
        assert meshes == ()
    else:
        np.testing.assert_array_equal(meshes[0].triangles, triangles)


def test_a_mirrored_mesh_still_faces_outwards(tmp_path: Path) -> None:
    scene = rigid([{"mesh": 0, "scale": [-1, 1, 1]}], mode=5)
    scene.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = scene.accessor(np.tile([0, 0, 1.0], (4, 1)))
    (mesh,) = load_character(scene.write(tmp_path / "a.glb")).meshes
    a, b, c = (mesh.positions[mesh.triangles[:, i]] for i in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0).all()
    np.testing.assert_allclose(mesh.normals[:, 2], 1.0)


def test_morphs_and_colours(tmp_path: Path) -> None:
    scene = rigid([{"mesh": 0, "weights": [0.5, 0.0]}], material=0)
    up, side = scene.accessor(np.tile([0, 2.0, 0], (4, 1))), scene.accessor(np.tile([9.0, 0, 0], (4, 1)))
    scene.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": up}, {"POSITION": side}]
    scene.json["meshes"][0]["extras"] = {"targetNames": ["smile", "frown"]}
    scene.json["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}]
    character = load_character(scene.write(tmp_path / "a.glb"))
    assert character.morphs == ("smile", "frown")
    assert character.meshes[0].colour == (1.0, 0.5, 0.0, 1.0)
    np.testing.assert_allclose(character.meshes[0].positions, SQUARE + np.array([0, 1, 0]))
    del scene.json["meshes"][0]["extras"]
    assert load_character(scene.write(tmp_path / "a.glb")).morphs == ("morph_0", "morph_1")


def test_skins_that_share_joints_and_joints_without_names(tmp_path: Path) -> None:
    scene = stick()
    for node in scene.json["nodes"]:
        node.pop("name")
    scene.json["skins"].append({**scene.json["skins"][0], "joints": [2, 1, 0]})
    scene.json["nodes"].append({"mesh": 0, "skin": 1})
    character = load_character(scene.write(tmp_path / "a.glb"))
    assert character.skeleton.names == ("node_0", "node_1", "node_2")
    first, second = character.meshes
    np.testing.assert_array_equal(2 - first.joints[first.weights > 0], second.joints[second.weights > 0])


def test_weights_are_made_shares(tmp_path: Path) -> None:
    scene = stick()
    attributes = scene.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["WEIGHTS_0"] = scene.accessor([[2.0, 2.0, 0, 0]] * 15 + [[0, 0, 0, 0]])
    (mesh,) = load_character(scene.write(tmp_path / "a.glb")).meshes
    np.testing.assert_allclose(mesh.weights[:15, :2], 0.5)
    np.testing.assert_allclose(mesh.weights[15], [1, 0, 0, 0])


class TestVrm:
    BONES = ("hips", "leftThumbProximal", "leftThumbIntermediate")

    def vrm(self, version: int) -> Scene:
        scene = stick("hips", "a", "b")
        scene.json["nodes"][1]["translation"] = [0.5, 0.2, 0.1]
        if version == 0:
            bones = [{"bone": bone, "node": node} for node, bone in enumerate(self.BONES)]
            scene.json["extensions"] = {"VRM": {"humanoid": {"humanBones": bones}, "meta": {"title": "Alicia"}}}
        else:
            named = {bone: {"node": node} for node, bone in enumerate(self.BONES)}
            scene.json["extensions"] = {"VRMC_vrm": {"humanoid": {"humanBones": named}, "meta": {"name": "Alicia"}}}
        return scene

    def test_vrm_0_is_turned_to_face_plus_z(self, tmp_path: Path) -> None:
        ahead = load_character(self.vrm(1).write(tmp_path / "one.vrm"))
        character = load_character(self.vrm(0).write(tmp_path / "zero.vrm"))
        turned = character.skeleton.rest_world()[1] * [-1, 1, -1]
        np.testing.assert_allclose(turned, ahead.skeleton.rest_world()[1], atol=1e-12)
        np.testing.assert_allclose(character.meshes[0].positions * [-1, 1, -1], ahead.meshes[0].positions, atol=1e-12)
        assert any("face -Z" in sentence for sentence in character.source.evidence)
        assert not any("face" in sentence for sentence in ahead.source.evidence)
        assert (character.name, ahead.name) == ("Alicia", "Alicia")

    def test_thumbs(self, tmp_path: Path) -> None:
        roles = [dict(load_character(self.vrm(v).write(tmp_path / f"{v}.vrm")).skeleton.roles) for v in (0, 1)]
        assert roles[0] == {"hips": 0, "leftThumbMetacarpal": 1, "leftThumbProximal": 2}
        assert roles[1] == {"hips": 0, "leftThumbProximal": 1}

    def test_a_clip_in_a_vrm_0_file_is_turned_too(self, tmp_path: Path) -> None:
        character = load_character(self.vrm(0).write(tmp_path / "zero.vrm"))
        motion = dance(character)
        kinesphere.save(motion, tmp_path / "out.vrm", character=character)
        again = kinesphere.load(tmp_path / "out.vrm")
        np.testing.assert_allclose(again.positions_world(), motion.positions_world(), atol=1e-5)
        assert any("face -Z" in sentence for sentence in again.source.evidence)


class TestSkinning:
    def bent(self) -> tuple[Character, Skeleton]:
        skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1, 0], [0, 1, 0]]))
        mesh = Mesh.bound(skeleton, [[0, 1.5, 0], [0, 2.5, 0]], [[0, 1, 1]], [[0, 1], [1, 1]], [[0.5, 0.5], [0.4, 0.6]])
        return Character("two", skeleton, (mesh,)), skeleton

    def test_by_hand(self) -> None:
        character, skeleton = self.bent()
        q = R.identity(1, 2)
        q[0, 1] = R.from_rotation_vector([0, 0, np.pi / 2])
        moved = character.skinned(Motion(skeleton, 30.0, q))[0]
        np.testing.assert_allclose(moved[0], [[0.25, 1.75, 0], [-0.5, 2, 0]], atol=1e-12)

    def test_surface_scales_are_not_inherited(self) -> None:
        character, skeleton = self.bent()
        scales = np.ones((1, 2, 3))
        scales[0, 0] = 3.0
        moved = character.skinned(Motion(skeleton, 30.0, R.identity(1, 2), scales=scales))[0]
        np.testing.assert_allclose(moved[0], [[0, 2.0, 0], [0, 2.5, 0]], atol=1e-12)

    def test_any_leading_axes(self) -> None:
        character, skeleton = self.bent()
        turned, placed = skeleton.rest_world()
        one = character.posed(turned, placed)[0]
        many = character.posed(np.tile(turned, (2, 3, 1, 1)), np.tile(placed, (2, 3, 1, 1)))[0]
        assert many.shape == (2, 3, 2, 3)
        np.testing.assert_allclose(many[1, 2], one)

    def test_another_skeleton_is_refused(self) -> None:
        character, _ = self.bent()
        other = Skeleton(("x",), np.array([-1]), np.zeros((1, 3)))
        with pytest.raises(ValueError, match="retarget"):
            character.skinned(Motion(other, 30.0, R.identity(2, 1)))

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"weights": [[0.5, 0.4], [0, 1]]}, "shares of one"),
            ({"weights": [[1.5, -0.5], [0, 1]]}, "none below zero"),
            ({"triangles": [[0, 1, 2]]}, "vertex 2; allowed: 0 to 1"),
            ({"joints": [[0, -1], [0, 0]]}, "no index"),
            ({"joints": [[0], [0]]}, "shape"),
            ({"anchors": np.full((2, 2, 3), np.nan)}, "finite"),
        ],
    )
    def test_meshes_are_checked(self, change: dict[str, Any], said: str) -> None:
        parts: dict[str, Any] = {
            "name": "",
            "positions": np.zeros((2, 3)),
            "triangles": [[0, 1, 1]],
            "joints": [[0, 1], [1, 1]],
            "weights": [[0.5, 0.5], [0, 1]],
            "anchors": np.zeros((2, 2, 3)),
        }
        Mesh(**parts)
        with pytest.raises(ValueError, match=said):
            Mesh(**{**parts, **change})

    def test_joints_that_are_not_there(self) -> None:
        character, _ = self.bent()
        with pytest.raises(ValueError, match="joint 1; allowed: 0 to 0"):
            Character("one", Skeleton(("a",), np.array([-1]), np.zeros((1, 3))), character.meshes)


def test_characters_travel_between_processes(tmp_path: Path) -> None:
    character = load_character(stick().write(tmp_path / "a.glb"))
    again = pickle.loads(pickle.dumps(character))
    (tmp_path / "a.glb").unlink()
    kinesphere.save(dance(again), tmp_path / "b.glb", character=again)
    np.testing.assert_array_equal(load_character(tmp_path / "b.glb").meshes[0].positions, character.meshes[0].positions)


def test_a_motion_file_is_no_character(tmp_path: Path) -> None:
    (tmp_path / "a.bvh").write_text("HIERARCHY\n")
    with pytest.raises(kinesphere.MotionFileError, match="opened with load"):
        load_character(tmp_path / "a.bvh")
