"""Characters that are not what they should be: refused with the file, the place and what was expected, or handled."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, chain, glb
from gltf.skinning import dance, stick

import kinesphere
from kinesphere import MotionFileError, MotionFileWarning
from kinesphere.files.loading import load_character

Change = Callable[[Scene, dict[str, Any]], None]


def on_attributes(name: str, values: Any, dtype: str = "float32") -> Change:
    def change(scene: Scene, primitive: dict[str, Any]) -> None:
        primitive["attributes"][name] = scene.accessor(values, dtype)

    return change


def on_primitive(**more: Any) -> Change:
    return lambda scene, primitive: primitive.update(more)


def on_json(*path: str | int, to: Any) -> Change:
    def change(scene: Scene, primitive: dict[str, Any]) -> None:
        owner: Any = scene.json
        for step in path[:-1]:
            owner = owner[step]
        owner[path[-1]] = to

    return change


V = (16, 3)
PLACE = "meshes[0].primitives[0]"
BROKEN: list[tuple[str, Change]] = [
    (f"{PLACE}.attributes.POSITION", on_attributes("POSITION", np.full(V, np.nan))),
    (f"{PLACE}.attributes.NORMAL", on_attributes("NORMAL", np.zeros((15, 3)))),
    (f"{PLACE}.attributes.JOINTS_0", on_attributes("JOINTS_0", np.full((16, 4), 3), "uint8")),
    (f"{PLACE}.attributes.JOINTS_0", on_attributes("JOINTS_0", np.zeros((9, 4)), "uint8")),
    (f"{PLACE}.attributes.WEIGHTS_0", on_attributes("WEIGHTS_0", -np.ones((16, 4)))),
    (f"{PLACE}.attributes.WEIGHTS_0", on_attributes("WEIGHTS_0", np.full((16, 4), np.inf))),
    (f"{PLACE}.attributes.POSITION", on_json("meshes", 0, "primitives", 0, "attributes", "POSITION", to=99)),
    (f"{PLACE}.attributes", on_primitive(attributes=[])),
    (f"{PLACE}.indices", lambda s, p: p.update(indices=s.accessor([0, 1, 16], "uint16"))),
    (f"{PLACE}.indices", on_primitive(indices=-1)),
    (f"{PLACE}.mode", on_primitive(mode=7)),
    (f"{PLACE}.material", on_primitive(material=0)),
    (f"{PLACE}.targets", on_primitive(targets={})),
    ("meshes[0].primitives[0]", on_json("meshes", 0, "primitives", to=[1])),
    ("meshes[0].weights", on_json("meshes", 0, "weights", to=1)),
    ("nodes[3].mesh", on_json("nodes", 3, "mesh", to=1)),
    ("nodes[3].skin", on_json("nodes", 3, "skin", to=1)),
    ("skins[0].joints[1]", on_json("skins", 0, "joints", to=[0, 9])),
    ("skins[0].inverseBindMatrices", lambda s, p: on_json(*BINDS, to=s.accessor(np.zeros((2, 16))))(s, p)),
    ("accessors[", lambda s, p: on_json(*BINDS, to=p["attributes"]["POSITION"])(s, p)),
    ("nodes", on_json("nodes", 0, "translation", to=[1e308, 1e308, 1e308])),
]
BINDS = ("skins", 0, "inverseBindMatrices")


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_broken_characters(tmp_path: Path, number: int) -> None:
    where, change = BROKEN[number]
    scene = stick()
    change(scene, scene.json["meshes"][0]["primitives"][0])
    path = scene.write(tmp_path / "a.glb")
    with pytest.raises(MotionFileError) as caught:
        load_character(path)
    assert where in caught.value.where
    assert str(path) in str(caught.value)
    assert caught.value.found
    assert caught.value.expected


def test_no_skeleton_at_all(tmp_path: Path) -> None:
    prop = Scene([{"name": "box", "mesh": 0}])
    prop.json["meshes"] = [{"primitives": [{"attributes": {"POSITION": prop.accessor(np.zeros((3, 3)))}}]}]
    with pytest.raises(MotionFileError, match="no node that moves or carries a skin"):
        load_character(prop.write(tmp_path / "prop.glb"))
    with pytest.raises(MotionFileError, match="no nodes"):
        load_character(Scene([]).write(tmp_path / "empty.glb"))
    with pytest.raises(MotionFileError, match="no such file"):
        load_character(tmp_path / "nothing.glb")


def test_a_mesh_that_is_shown_too_often(tmp_path: Path) -> None:
    scene = stick()
    primitive = scene.json["meshes"][0]["primitives"][0]
    primitive["attributes"] = {"POSITION": scene.accessor(np.zeros((60_000, 3)))}
    del primitive["indices"]
    scene.json["nodes"] += [{"mesh": 0} for _ in range(100)]
    with pytest.raises(MotionFileError, match="vertices × joints"):
        load_character(scene.write(tmp_path / "a.glb"))


def test_a_compressed_surface_is_left_out_and_kept_in_the_file(tmp_path: Path) -> None:
    scene = stick(extensionsUsed=["KHR_draco_mesh_compression"])
    primitive = scene.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {}}}
    with pytest.warns(MotionFileWarning, match="KHR_draco_mesh_compression"):
        character = load_character(scene.write(tmp_path / "a.glb"))
    assert character.meshes == ()
    assert len(character.source.warnings) == 1
    kinesphere.save(dance(character), tmp_path / "b.glb", character=character)
    with pytest.warns(MotionFileWarning, match="KHR_draco_mesh_compression"):
        load_character(tmp_path / "b.glb")


def test_views_that_overlap_are_copied_once(tmp_path: Path) -> None:
    """A small file of many views of the same bytes must not become a large one."""
    scene = stick()
    length = len(scene.blob)
    scene.json["bufferViews"] += [{"buffer": 0, "byteLength": length} for _ in range(2000)]
    character = load_character(scene.write(tmp_path / "a.glb"))
    kinesphere.save(dance(character), tmp_path / "b.glb", character=character)
    assert (tmp_path / "b.glb").stat().st_size < 2 * (tmp_path / "a.glb").stat().st_size
    again = load_character(tmp_path / "b.glb")
    np.testing.assert_array_equal(again.meshes[0].positions, character.meshes[0].positions)


def test_joints_without_a_mesh_or_a_clip(tmp_path: Path) -> None:
    scene = Scene([*chain("a", "b"), {"name": "pole", "translation": [0, 1, 2]}])
    scene.json["skins"] = [{"joints": [0, 1, 2]}]
    character = load_character(scene.write(tmp_path / "a.glb"))
    assert character.skeleton.roots == (0, 2)
    motion = dance(character)
    kinesphere.save(motion, tmp_path / "b.glb", character=character)
    np.testing.assert_allclose(
        kinesphere.load(tmp_path / "b.glb").positions_world(), motion.positions_world(), atol=1e-5
    )


def _mutated(value: Any, rng: np.random.Generator) -> Any:
    """The JSON with one thing in it changed into something else."""
    places: list[tuple[Any, Any]] = []

    def walk(item: Any) -> None:
        for key in item if isinstance(item, dict) else range(len(item)):
            places.append((item, key))
            if isinstance(item[key], dict | list):
                walk(item[key])

    changed = copy.deepcopy(value)
    walk(changed)
    owner, key = places[int(rng.integers(len(places)))]
    odd = [None, -1, 1e300, 0, 7, "x", [], {}, [[]], True, 2**70, [0, 0, 0], {"a": 1}]
    owner[key] = odd[int(rng.integers(len(odd)))]
    return changed


@pytest.mark.filterwarnings("ignore:.*is the unit right:kinesphere.motion.errors.MotionFileWarning")
def test_anything_else_is_refused_by_name_or_written(tmp_path: Path) -> None:
    """One change at random, many times over: no other error than MotionFileError, in reading or in writing."""
    rng = np.random.default_rng(4)
    scene = stick(images=[{"bufferView": 0, "mimeType": "image/png"}], extensionsUsed=["VRMC_vrm"])
    scene.json["animations"] = []
    scene.clip((1, "rotation", [0.0, 1.0], np.tile([0, 0, 0, 1.0], (2, 1))))
    scene.json["extensions"] = {"VRMC_vrm": {"meta": {"name": "x"}, "humanoid": {"humanBones": {"hips": {"node": 0}}}}}
    scene.json["buffers"] = [{"byteLength": len(scene.blob)}]
    written = 0
    refused = []
    for _ in range(600):
        text = json.dumps(_mutated(scene.json, rng)).encode()
        (tmp_path / "a.vrm").write_bytes(glb(text, scene.blob))
        try:
            character = load_character(tmp_path / "a.vrm")
            kinesphere.save(dance(character, frames=2), tmp_path / "b.glb", character=character)
        except MotionFileError as error:
            refused.append(error.where)
        else:
            written += 1
    assert written > 150
    assert len(set(refused)) > 30
