"""Humanoids as exporters leave them: read, moved, written, and read again by us and by the plain equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from gltf.rigs import BODY, JOINTS, NAMES, PLAN, humanoid, of_rigid_parts, rigged, uneven_scales, with_morphs
from gltf.scenes import Scene
from gltf.skinning import dance, vertices
from gltf.test_character_writing import deviation
from gltf.test_gltf_validator import issues

import kinesphere
from body.test_contacts import WALK
from kinesphere import MotionFileError, MotionFileWarning, clip_names, load, retarget, save
from kinesphere.files.loading import load_character
from kinesphere.motion.character import Character

RIGS = rigged()
UNEVEN = [name for name in RIGS if name.startswith("uneven")]
CLOSE = 1e-4  # a tenth of a millimetre


def opened(tmp_path: Path, name: str) -> Character:
    path = RIGS[name].write(tmp_path / "rig.glb")
    if name in UNEVEN:
        with pytest.warns(MotionFileWarning, match="scaled unevenly"):
            return load_character(path)
    return load_character(path)


@pytest.mark.parametrize("name", RIGS)
def test_a_walk_onto_it_and_back_from_its_file(tmp_path: Path, name: str) -> None:
    character = opened(tmp_path, name)
    motion = retarget(WALK, character)
    out = tmp_path / "out.glb"
    save(motion, out, character=character)
    again = load(out)
    assert again.skeleton.same_tree(character.skeleton)
    assert np.abs(again.positions_world() - motion.positions_world()).max() < CLOSE
    assert deviation(out, motion, character) < CLOSE
    feet = [motion.positions_world()[:, motion.skeleton.roles[f"{side}Foot"]] for side in ("left", "right")]
    assert all(np.ptp(foot[:, 2]) > 0.5 for foot in feet), "it did not walk"


@pytest.mark.parametrize("name", [name for name in RIGS if name not in (*UNEVEN, "no binds")])
def test_its_surface_is_where_the_file_has_it(tmp_path: Path, name: str) -> None:
    character = opened(tmp_path, name)
    motion = retarget(WALK, character)
    save(motion, tmp_path / "out.glb", character=character)
    ours = character.skinned(motion)
    for frame in (0, len(motion) // 2):
        theirs = vertices(tmp_path / "out.glb", 0, frame / motion.rate)
        for mine, (_, expected) in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(mine[frame], expected, atol=CLOSE)


@pytest.mark.parametrize("name", [name for name in RIGS if name not in (*UNEVEN, "deep in the scene", "no names")])
def test_its_joints_are_those_of_the_plan(tmp_path: Path, name: str) -> None:
    """Scales, order, mirrors and skins change how a rig is written down, not where its joints are."""
    character = opened(tmp_path, name)
    place = character.skeleton.rest_world()[1]
    wanted = np.array([where for _, _, where in PLAN])
    for role, where in zip(NAMES, wanted, strict=True):
        np.testing.assert_allclose(place[character.skeleton.roles[role]], where, atol=1e-6)


def test_the_validator_finds_nothing_new(tmp_path: Path) -> None:
    given, written = [], []
    for number, name in enumerate(RIGS):
        folder = tmp_path / str(number)
        folder.mkdir()
        character = opened(folder, name)
        given.append(folder / "rig.glb")
        written.append(folder / "out.glb")
        save(retarget(WALK, character), written[-1], character=character)
    for before, after in zip(issues(*given), issues(*written), strict=True):
        assert after["errors"] == 0, after
        assert {m["code"] for m in after["messages"]} <= {m["code"] for m in before["messages"]}, after


class TestRolesOf:
    def test_controls_are_no_limbs(self, tmp_path: Path) -> None:
        skeleton = opened(tmp_path, "poles and targets").skeleton
        assert len(skeleton) == JOINTS + 6
        assert {skeleton.names[joint] for joint in skeleton.roles.values()} == set(NAMES)

    def test_joints_without_names_are_told_by_their_shape(self, tmp_path: Path) -> None:
        character = opened(tmp_path, "no names")
        assert character.skeleton.names[:2] == ("node_0", "node_1")
        roles = retarget(WALK, character).skeleton.roles
        assert {role: roles[role] for role in roles} == {name: joint for joint, name in enumerate(NAMES)}

    def test_names_that_repeat_are_told_by_their_place(self, tmp_path: Path) -> None:
        skeleton = opened(tmp_path, "same names").skeleton
        assert skeleton.names.count("UpperArm") == 2
        assert dict(skeleton.roles) == {name: joint for joint, name in enumerate(NAMES)}
        with pytest.raises(KeyError, match="2 joints are called 'UpperArm'"):
            skeleton.index("UpperArm")


def test_without_bind_matrices_they_are_identities(tmp_path: Path) -> None:
    """glTF 2.0, 3.7.3: each joint takes the mesh as it is into its own frame."""
    character = opened(tmp_path, "no binds")
    place = character.skeleton.rest_world()[1]
    (mesh,) = character.meshes
    first = mesh.positions[0] - place[0]  # of the hips alone, which are the first tetrahedron's
    np.testing.assert_allclose(first, np.array(PLAN[0][2]) + 0.03, atol=1e-6)


def test_both_skins_carry_their_own_mesh(tmp_path: Path) -> None:
    body, legs = opened(tmp_path, "two skins").meshes
    assert set(np.unique(body.joints[body.weights > 0.0])) == set(range(JOINTS))
    assert np.unique(legs.joints[legs.weights > 0.0]).min() == NAMES.index("rightUpperArm")


def test_shapes_stay_in_the_file(tmp_path: Path) -> None:
    character = opened(tmp_path, "morphs")
    assert character.morphs == ("smile",)
    save(dance(character), tmp_path / "out.glb", character=character)
    assert load_character(tmp_path / "out.glb").morphs == ("smile",)


class TestUnevenScales:
    def test_are_said_with_the_joints_that_have_them(self, tmp_path: Path) -> None:
        path = humanoid(uneven_scales).write(tmp_path / "a.glb")
        with pytest.warns(MotionFileWarning, match="'spine', 'leftUpperArm', 'rightUpperArm': scaled unevenly"):
            load_character(path)

    def test_of_a_last_joint_shear_nothing(self, tmp_path: Path) -> None:
        scene = humanoid(lambda s: s.json["nodes"][NAMES.index("head")].update(scale=[2.0, 1.0, 1.0]))
        character = load_character(scene.write(tmp_path / "a.glb"))
        motion = dance(character)
        save(motion, tmp_path / "out.glb", character=character)
        ((_, expected),) = vertices(tmp_path / "out.glb", 0, 5 / motion.rate)
        np.testing.assert_allclose(character.skinned(motion)[0][5], expected, atol=CLOSE)


class TestRigidParts:
    def test_are_carried_by_the_nodes_of_a_humanoid(self, tmp_path: Path) -> None:
        character = opened(tmp_path, "a part a joint")
        assert set(character.skeleton.names) == set(NAMES)
        assert [int(mesh.joints[0, 0]) for mesh in character.meshes] == list(range(JOINTS))
        assert any("no skin and no clip" in sentence for sentence in character.source.evidence)

    def test_that_hang_below_the_joints(self, tmp_path: Path) -> None:
        scene = of_rigid_parts(humanoid())
        nodes = scene.json["nodes"]
        for joint in range(JOINTS):
            nodes[joint].pop("mesh")
            nodes[joint].setdefault("children", []).append(len(nodes))
            nodes.append({"name": f"{NAMES[joint]} part", "mesh": 0})
        character = load_character(scene.write(tmp_path / "a.glb"))
        assert set(character.skeleton.names) == set(NAMES)
        assert [int(mesh.joints[0, 0]) for mesh in character.meshes] == list(range(JOINTS))

    @pytest.mark.parametrize("few", [2, 12])
    def test_that_make_no_humanoid_are_refused(self, tmp_path: Path, few: int) -> None:
        """A shelf, a chain: without their names they might be anything."""
        scene = of_rigid_parts(humanoid())
        for node, entry in enumerate(scene.json["nodes"]):
            entry["name"] = f"box {node}"
            entry["children"] = [child for child in entry.get("children", []) if child < few]
        with pytest.raises(MotionFileError, match="no node that moves or carries a skin; expected a skeleton: joints"):
            load_character(scene.write(tmp_path / "a.glb"))


class TestClipsOfShapes:
    """A clip that only blends shapes is no motion of a body."""

    def talking(self, *, walks: bool) -> Scene:
        scene = with_morphs(humanoid())
        times = scene.accessor([0.0, 1.0], min=[0.0], max=[1.0])
        sampler = {"input": times, "output": scene.accessor([0.0, 1.0])}
        channel = {"sampler": 0, "target": {"node": BODY, "path": "weights"}}
        scene.json["animations"] = [{"name": "talk", "channels": [channel], "samplers": [sampler]}]
        if walks:
            scene.clip((0, "translation", [0.0, 1.0], [[0, 1, 0], [0, 1, 1]]), name="walk")
        return scene

    def test_beside_others(self, tmp_path: Path) -> None:
        path = self.talking(walks=True).write(tmp_path / "a.glb")
        assert clip_names(path) == ("walk",)
        assert load(path).name == load(path, clip=0).name == load(path, clip="walk").name == "walk"
        with pytest.raises(MotionFileError, match="no channel that moves a joint"):
            load(path, clip="talk")
        with pytest.raises(MotionFileError, match="no clip 1; expected 0 to 0 or one of: 'walk'"):
            load(path, clip=1)

    def test_alone(self, tmp_path: Path) -> None:
        path = self.talking(walks=False).write(tmp_path / "a.glb")
        assert clip_names(path) == ()
        with pytest.raises(MotionFileError, match=r"only clips that blend shapes.*load_character"):
            load(path)
        assert load_character(path).morphs == ("smile",)

    @pytest.mark.parametrize("path", [[], {}, None, 7, "weights2"])
    def test_broken_channels_are_refused_as_ever(self, tmp_path: Path, path: object) -> None:
        scene = self.talking(walks=False)
        scene.json["animations"][0]["channels"][0]["target"]["path"] = path
        file = scene.write(tmp_path / "a.glb")
        assert clip_names(file) == ("talk",)
        with pytest.raises(MotionFileError):
            load(file)


class TestBareSkeletons:
    def scene(self) -> Scene:
        scene = humanoid()
        del scene.json["nodes"][BODY]
        del scene.json["meshes"]
        scene.json["scenes"][0]["nodes"].remove(BODY)
        return scene

    def test_are_said(self, tmp_path: Path) -> None:
        path = self.scene().write(tmp_path / "a.glb")
        with pytest.warns(MotionFileWarning, match="no mesh in the file, so the character is a bare skeleton") as told:
            character = load_character(path)
        assert len(told) == 1
        assert "opened with load" not in str(told[0].message)
        assert character.meshes == ()
        assert len(character.source.warnings) == 1
        save(retarget(WALK, character), tmp_path / "b.glb", character=character)  # a body all the same
        assert len(load(tmp_path / "b.glb")) == len(WALK)

    def test_with_a_clip_say_how_to_open_it(self, tmp_path: Path) -> None:
        scene = self.scene()
        scene.json["animations"] = []
        scene.clip((1, "rotation", [0.0, 1.0], np.tile([0, 0, 0, 1.0], (2, 1))), name="idle")
        with pytest.warns(MotionFileWarning, match="no mesh in the file.*its motion is opened with load"):
            load_character(scene.write(tmp_path / "a.glb"))

    def test_are_not_those_whose_mesh_cannot_be_read(self, tmp_path: Path) -> None:
        scene = humanoid()
        scene.json["meshes"][0]["primitives"][0]["mode"] = 1  # lines
        character = load_character(scene.write(tmp_path / "a.glb"))
        assert character.meshes == ()
        assert character.source.warnings == ()
        assert "surface: no triangles that can be read" in character.source.evidence

    @pytest.mark.data
    def test_a_vrma(self, data_dir: Path) -> None:
        with pytest.warns(MotionFileWarning, match="no mesh in the file.*its motion is opened with load"):
            character = load_character(data_dir / "other_formats/vrma/test.vrma")
        assert len(character.skeleton.roles) > 20
        assert len(kinesphere.load(data_dir / "other_formats/vrma/test.vrma")) > 1
