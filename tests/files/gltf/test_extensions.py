"""Extensions that a glTF file requires: read, a matter of looks, named where unknown, refused where data is lost."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from gltf.rigs import NAMES, humanoid
from gltf.scenes import Scene
from gltf.skinning import numbers

from kinesphere import Character, MotionFileError, MotionFileWarning, load, load_character


def dancing(*required: str) -> Scene:
    scene = humanoid()
    scene.json["animations"] = []
    turned = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]]
    scene.clip((NAMES.index("leftUpperArm"), "rotation", [0.0, 1.0], turned))
    scene.json["extensionsUsed"] = scene.json["extensionsRequired"] = list(required)
    return scene


@pytest.mark.parametrize("names", [("EXT_made_up",), ("KHR_materials_unlit", "ACME_gravity", "ACME_time")])
@pytest.mark.parametrize("read", [load, load_character])
def test_what_is_not_known_is_named(tmp_path: Path, read, names: tuple[str, ...]) -> None:
    file = dancing(*names).write(tmp_path / "a.glb")
    with pytest.warns(MotionFileWarning) as caught:
        found = read(file)
    (said,) = found.source.warnings
    assert [str(entry.message) for entry in caught] == [f"{file}: {said}"]
    for name in names:
        assert (name in said) == (name != "KHR_materials_unlit")


@pytest.mark.parametrize(
    "name",
    ["KHR_mesh_quantization", "KHR_texture_transform", "KHR_texture_basisu", "KHR_materials_unlit", "VRMC_vrm"],
)
def test_what_is_read_or_only_a_matter_of_looks_is_silent(tmp_path: Path, name: str) -> None:
    file = dancing(name).write(tmp_path / "a.glb")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion, character = load(file), load_character(file)
    assert motion.source.warnings == ()
    assert np.array_equal(motion.positions_world(), load(dancing().write(tmp_path / "plain.glb")).positions_world())
    assert character.meshes


@pytest.mark.parametrize("required", [{"no": "list"}, [1, None], "KHR_x", []])
def test_a_list_that_is_none_is_not_believed(tmp_path: Path, required: object) -> None:
    scene = dancing()
    scene.json["extensionsRequired"] = required
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion = load(scene.write(tmp_path / "a.glb"))
    assert motion.source.warnings == ()
    assert np.array_equal(motion.positions_world(), load(dancing().write(tmp_path / "plain.glb")).positions_world())


def skinned(character: Character) -> np.ndarray:
    q, p = character.skeleton.rest_world()
    return np.concatenate([mesh.posed(q, p, None) for mesh in character.meshes])


def test_quantized_positions_are_read(tmp_path: Path) -> None:
    """Millimetres in 16 bits, four bytes aligned, with the unit in the inverse bind matrices."""
    plain = dancing()
    expected = skinned(load_character(plain.write(tmp_path / "plain.glb")))
    scene = dancing("KHR_mesh_quantization")
    attributes = scene.json["meshes"][0]["primitives"][0]["attributes"]
    places = numbers(scene.json, scene.blob, attributes["POSITION"])
    padded = np.zeros((len(places), 4), dtype=np.int16)
    padded[:, :3] = np.round(places * 1000.0)
    view = scene.view(padded.tobytes(), byteStride=8)
    scene.json["accessors"].append({"bufferView": view, "componentType": 5122, "count": len(places), "type": "VEC3"})
    attributes["POSITION"] = len(scene.json["accessors"]) - 1
    (skin,) = scene.json["skins"]
    binds = numbers(scene.json, scene.blob, skin["inverseBindMatrices"]).reshape(-1, 4, 4)  # columns
    binds[:, :3] *= 0.001
    skin["inverseBindMatrices"] = scene.accessor(binds.reshape(-1, 16))
    found = skinned(load_character(scene.write(tmp_path / "quantized.glb")))
    assert np.abs(found - expected).max() < 0.001


def test_a_surface_in_draco_is_missed_and_what_to_do_is_said(tmp_path: Path) -> None:
    name = "KHR_draco_mesh_compression"
    scene = dancing(name)
    scene.json["meshes"][0]["primitives"][0]["extensions"] = {name: {"bufferView": 0, "attributes": {"POSITION": 0}}}
    file = scene.write(tmp_path / "a.glb")
    with pytest.warns(MotionFileWarning, match=f"{name}.*without compression"):
        character = load_character(file)
    assert not character.meshes
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(load(file)) > 1, "a clip is not in Draco"


@pytest.mark.parametrize("name", ["EXT_meshopt_compression", "KHR_meshopt_compression"])
def test_keys_in_meshopt_are_refused_and_what_to_do_is_said(tmp_path: Path, name: str) -> None:
    scene = dancing(name)
    for view in scene.json["bufferViews"]:
        view["extensions"] = {name: {"buffer": 0, "byteLength": 8, "byteStride": 4, "count": 2, "mode": "ATTRIBUTES"}}
    file = scene.write(tmp_path / "a.glb")
    for read in (load, load_character):
        with pytest.raises(MotionFileError, match=f"{name}.*export without it"):
            read(file)
