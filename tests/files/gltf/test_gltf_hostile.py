"""Files that are broken or made to do harm: each is refused with place and reason, at little cost."""

from __future__ import annotations

import json
import struct
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf.scenes import Scene, chain, glb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kinesphere
from kinesphere import MotionFileError

NONE = [0.0, 0.0, 0.0, 1.0]
Change = Callable[[dict[str, Any]], Any]


def good() -> Scene:
    """Three joints and two clips that load."""
    scene = Scene(chain("a", "b", "c"))
    times = [0.0, 0.5, 1.0]
    for name in ("one", "two"):
        scene.clip(
            (0, "translation", times, [[0, 0, 0], [1, 0, 0], [2, 0, 0]]),
            (1, "rotation", times, [NONE, NONE, NONE]),
            (2, "scale", times, np.ones((3, 3))),
            name=name,
        )
    scene.json["skins"] = [{"joints": [0, 1, 2]}]
    scene.json["buffers"] = [{"byteLength": len(scene.blob)}]
    return scene


def put(*keys: Any, to: Any) -> Change:
    """Change one value deep in the JSON."""

    def change(content: dict[str, Any]) -> None:
        place: Any = content
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return change


def take(*keys: Any) -> Change:
    def change(content: dict[str, Any]) -> None:
        place: Any = content
        for key in keys[:-1]:
            place = place[key]
        del place[keys[-1]]

    return change


SAMPLER = ("animations", 0, "samplers", 1)
CASES: list[tuple[str, Change]] = [
    ("asset", put("asset", to=3)),
    ("asset.version", take("asset", "version")),
    ("asset.version", put("asset", "version", to="1.0")),
    ("nodes", put("nodes", to={})),
    ("nodes", put("nodes", to=[])),
    ("nodes[1]", put("nodes", 1, to=None)),
    ("nodes[1].name", put("nodes", 1, "name", to=4)),
    ("nodes[0].children", put("nodes", 0, "children", to="b")),
    ("nodes[0].children[0]", put("nodes", 0, "children", to=[7])),
    ("nodes[0].children[0]", put("nodes", 0, "children", to=[True])),
    ("nodes[1].children[1]", put("nodes", 1, "children", to=[2, 2])),
    ("nodes[2].children[0]", put("nodes", 2, "children", to=[1])),
    ("nodes[0].children", put("nodes", 2, "children", to=[0])),
    ("nodes[1].translation", put("nodes", 1, "translation", to=[0, 1])),
    ("nodes[1].translation", put("nodes", 1, "translation", to=[0, 1, "2"])),
    ("nodes[1].translation", put("nodes", 1, "translation", to=[0, 1, 10**400])),
    ("nodes[1].rotation", put("nodes", 1, "rotation", to=[0, 0, 0, 0])),
    ("nodes[1].scale", put("nodes", 1, "scale", to=None)),
    ("nodes[1].matrix", put("nodes", 1, "matrix", to=[1] * 15)),
    ("nodes[1].matrix", put("nodes", 1, "matrix", to=[1e300] * 16)),
    ("skins", put("skins", to=1)),
    ("skins[0].joints[1]", put("skins", 0, "joints", to=[0, 3])),
    ("animations", put("animations", to=[])),
    ("animations", put("animations", to={"name": "one"})),
    ("animations[0]", put("animations", 0, to=[])),
    ("animations[1].name", put("animations", 1, "name", to=[])),
    ("animations[0].channels", put("animations", 0, "channels", to=[])),
    ("animations[0].channels[2]", put("animations", 0, "channels", 2, to="c")),
    ("animations[0].channels[1].target", put("animations", 0, "channels", 1, "target", to=0)),
    ("animations[0].channels[1].target.path", take("animations", 0, "channels", 1, "target", "path")),
    ("animations[0].channels[1].target.node", put("animations", 0, "channels", 1, "target", "node", to=3)),
    ("animations[0].channels[1].target.node", put("animations", 0, "channels", 1, "target", "node", to=-1)),
    ("animations[0].channels[1].sampler", put("animations", 0, "channels", 1, "sampler", to=3)),
    ("animations[0].channels[1].sampler", take("animations", 0, "channels", 1, "sampler")),
    (
        "animations[0].channels[1]",
        put("animations", 0, "channels", 1, to={"sampler": 0, "target": {"node": 0, "path": "translation"}}),
    ),
    ("animations[0].samplers[1].input", put(*SAMPLER, "input", to=99)),
    ("animations[0].samplers[1].input", put(*SAMPLER, "input", to="2")),
    ("animations[0].samplers[1].input", put(*SAMPLER, "input", to=1.5)),
    ("animations[0].samplers[1].output", take(*SAMPLER, "output")),
    ("animations[0].samplers[1].output", put(*SAMPLER, "interpolation", to="CUBICSPLINE")),
    ("animations[0].samplers[1].interpolation", put(*SAMPLER, "interpolation", to="SMOOTH")),
    ("accessors[0].type", put(*SAMPLER, "output", to=0)),
    ("accessors", put("accessors", to=5)),
    ("accessors[2]", put("accessors", 2, to=5)),
    ("accessors[2].type", put("accessors", 2, "type", to="VEC3")),
    ("accessors[2].type", put("accessors", 2, "type", to=["SCALAR"])),
    ("accessors[2].componentType", put("accessors", 2, "componentType", to=5124)),
    ("accessors[2].count", put("accessors", 2, "count", to=0)),
    ("accessors[2].count", put("accessors", 2, "count", to=-3)),
    ("accessors[2].count", put("accessors", 2, "count", to=4)),
    ("accessors[2].count", put("accessors", 2, "count", to=10**18)),
    ("accessors[2].count", put("accessors", 2, "count", to=10**100)),
    ("accessors[2].count", put("accessors", 2, "byteOffset", to=4)),
    ("accessors[2].byteOffset", put("accessors", 2, "byteOffset", to=-4)),
    ("accessors[2].normalized", put("accessors", 2, "normalized", to=1)),
    ("accessors[2].bufferView", put("accessors", 2, "bufferView", to=99)),
    ("bufferViews[2].buffer", put("bufferViews", 2, "buffer", to=1)),
    ("bufferViews[2].byteLength", put("bufferViews", 2, "byteLength", to=10**9)),
    ("bufferViews[2].byteOffset", put("bufferViews", 2, "byteOffset", to=None)),
    ("bufferViews[2].byteStride", put("bufferViews", 2, "byteStride", to=3)),
    ("bufferViews[2].byteStride", put("bufferViews", 2, "byteStride", to=0)),
    ("bufferViews[2].byteStride", put("bufferViews", 2, "byteStride", to=6)),
    ("bufferViews[3].byteStride", put("bufferViews", 3, "byteStride", to=8)),
    ("bufferViews[2].extensions", put("bufferViews", 2, "extensions", to={"EXT_meshopt_compression": {}})),
    ("buffers[0].byteLength", put("buffers", 0, "byteLength", to=10**12)),
    ("buffers[0].byteLength", put("buffers", 0, "byteLength", to="all")),
    ("bufferViews[0].buffer", put("buffers", to=[])),
    ("buffers[0].uri", put("buffers", 0, "uri", to=5)),
    ("buffers[0].uri", put("buffers", 0, "uri", to="data:application/octet-stream;base64,@@@")),
    ("buffers[0].uri", put("buffers", 0, "uri", to="data:nothing")),
    ("buffers[0].uri", put("buffers", 0, "uri", to="missing.bin")),
    ("accessors[3].sparse.count", put("accessors", 3, "sparse", to={"count": 9})),
    ("accessors[3].sparse.indices.componentType", put("accessors", 3, "sparse", to={"count": 1})),
    (
        "accessors[3].sparse.indices",
        put(
            "accessors",
            3,
            "sparse",
            to={"count": 2, "indices": {"bufferView": 0, "componentType": 5123}, "values": {"bufferView": 1}},
        ),
    ),
    ("extensions.VRMC_vrm.humanoid", put("extensions", to={"VRMC_vrm": {"humanoid": []}})),
    (
        "extensions.VRMC_vrm.humanoid.humanBones.hips.node",
        put("extensions", to={"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 3}}}}}),
    ),
    (
        "extensions.VRM.humanoid.humanBones[0].bone",
        put("extensions", to={"VRM": {"humanoid": {"humanBones": [{"node": 1}]}}}),
    ),
]


@pytest.mark.parametrize(("where", "change"), CASES, ids=[f"{i}-{where}" for i, (where, _) in enumerate(CASES)])
def test_every_wrong_field_is_named(tmp_path: Path, where: str, change: Change) -> None:
    scene = good()
    change(scene.json)
    file = scene.write(tmp_path / "bad.glb")
    with pytest.raises(MotionFileError) as caught:
        kinesphere.load(file, clip=0)
    assert caught.value.where == where
    assert str(file) in str(caught.value)
    check_loads_or_is_refused(file)


@pytest.mark.parametrize(
    ("times", "values", "where"),
    [
        ([0.0, np.nan, 1.0], np.zeros((3, 3)), "input"),
        ([0.0, np.inf, 1.0], np.zeros((3, 3)), "input"),
        ([0.0, 0.0, 1.0], np.zeros((3, 3)), "input"),
        ([0.0, 2.0, 1.0], np.zeros((3, 3)), "input"),
        ([0.0, 1.0, 2.0], [[0, 0, 0], [0, np.nan, 0], [0, 0, 0]], "output"),
        ([0.0, 1.0, 2.0], [NONE, [0, 0, 0, 0], NONE], "output"),
        ([0.0, 1.0], np.zeros((3, 3)), "output"),
    ],
)
def test_bad_keys(tmp_path: Path, times: Any, values: Any, where: str) -> None:
    path = "rotation" if np.shape(values)[1] == 4 else "translation"
    scene = Scene(chain("a")).clip((0, path, times, values))
    with pytest.raises(MotionFileError) as caught:
        kinesphere.load(scene.write(tmp_path / "bad.glb"))
    assert caught.value.where == f"animations[0].samplers[0].{where}"


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "sub/../../secret.bin",
        "..\\secret.bin",
        "{outside}/secret.bin",
        "file://{outside}/secret.bin",
        "http://example.com/secret.bin",
        "C:\\secret.bin",
        "link.bin",
        "/dev/zero",
        "a\x00b",
        "folder",
        "",
        "x" * 5000,
    ],
)
def test_only_files_beside_it_are_read(tmp_path: Path, uri: str) -> None:
    scene = good()
    home = tmp_path / "home"
    (home / "folder").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(scene.blob)
    (home / "link.bin").symlink_to(tmp_path / "secret.bin")
    scene.json["buffers"][0]["uri"] = uri.replace("{outside}", str(tmp_path))
    file = home / "bad.gltf"
    file.write_text(json.dumps(scene.json))
    with pytest.raises(MotionFileError) as caught:
        kinesphere.load(file)
    assert caught.value.where == "buffers[0].uri"


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"glTF", "header"),
        (b"glTF" + struct.pack("<II", 1, 12), "header.version"),
        (b"glTF" + struct.pack("<II", 2, 12), "chunk[0]"),
        (b"glTF" + struct.pack("<II", 2, 2**32 - 1), "header.length"),
        (b"glTF" + struct.pack("<II", 2, 20) + struct.pack("<I4s", 2**32 - 1, b"JSON"), "chunk[0]"),
        (b"glTF" + struct.pack("<II", 2, 20) + struct.pack("<I4s", 0, b"BIN\x00"), "chunk[0]"),
        (glb(b""), "JSON"),
        (glb(b"[]"), "JSON"),
        (glb(b'{"asset": '), "JSON"),
        (glb(b'{"asset": {"version": "2.0"}, "x": NaN}'), "JSON"),
        (glb(b'{"asset": {"version": "2.0"}, "x": -Infinity}'), "JSON"),
        (glb(b'{"asset": {"version": "2.0"}, "x": ' + b"9" * 5000 + b"}"), "JSON"),
        (glb(b'{"asset": "\xff\xfe"}'), "JSON"),
        (glb(b"[" * 200_000), "JSON"),
        (glb(b'{"asset":' * 200_000), "JSON"),
        (b'{"asset": {"version": "2.0"}, "nodes": 1e999}', "animations"),
        (b'{"asset": {"version": "2.0"}}', "animations"),
    ],
)
def test_bad_containers(tmp_path: Path, data: bytes, where: str) -> None:
    file = tmp_path / "bad.glb"
    file.write_bytes(data)
    with pytest.raises(MotionFileError) as caught:
        kinesphere.load(file)
    assert caught.value.where in (where, "nodes")
    check_loads_or_is_refused(file)


def _many_over_the_same_bytes() -> Scene:
    scene = Scene([{"name": f"n{i}"} for i in range(3000)])
    scene.accessor(np.arange(20_000.0))
    view = scene.view(np.zeros((20_000, 3), "<f4").tobytes())
    for _ in range(3000):
        scene.json["accessors"].append({"bufferView": view, "componentType": 5126, "count": 20_000, "type": "VEC3"})
    scene.json["animations"] = [
        {
            "channels": [{"sampler": i, "target": {"node": i, "path": "translation"}} for i in range(3000)],
            "samplers": [{"input": 0, "output": 1 + i} for i in range(3000)],
        }
    ]
    return scene


def _zeros_without_bytes() -> Scene:
    scene = Scene(chain("a")).clip((0, "translation", [0.0], [[0, 0, 0]]))
    for accessor in scene.json["accessors"]:
        del accessor["bufferView"]
        accessor["count"] = 2**40
    return scene


def _long(times: list[float], joints: int = 1) -> Scene:
    return Scene(chain(*(f"n{i}" for i in range(joints)))).clip(
        *((i, "translation", times, np.zeros((len(times), 3))) for i in range(joints))
    )


def _deep() -> Scene:
    return _long([0.0, 1.0], 400)


def _overflowing() -> Scene:
    nodes = chain(*(f"n{i}" for i in range(200)))
    for node in nodes:
        node["scale"] = [1e30, 1e30, 1e30]
    return Scene(nodes).clip((0, "translation", [0.0], [[0, 0, 0]]), (199, "translation", [0.0], [[1, 1, 1]]))


@pytest.mark.parametrize(
    ("scene", "where"),
    [
        (_many_over_the_same_bytes, "accessors[100].count"),
        (_zeros_without_bytes, "accessors[0].count"),
        (lambda: _long([0.0, 1.0 / 60.0, 1e9]), "animations[0]"),
        (lambda: _long([0.0, 0.1415927, 0.7182818, 1e30]), "animations[0]"),
        (lambda: _long([0.0, 1.0 / 30.0, 3000.0], 200), "animations[0]"),
        (_deep, "nodes[257]"),
        (_overflowing, "animations[0]"),
    ],
)
def test_little_memory(tmp_path: Path, scene: Callable[[], Scene], where: str) -> None:
    file = scene().write(tmp_path / "bad.glb")
    kinesphere.clip_names(file)  # imports are not part of the measurement
    tracemalloc.start()
    try:
        with pytest.raises(MotionFileError) as caught:
            kinesphere.load(file)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    found = caught.value.where
    assert found == where or (found.startswith("accessors") and where.startswith("accessors"))
    assert most < 40e6 + 60 * file.stat().st_size


def check_loads_or_is_refused(file: Path) -> None:
    """A file loads as a whole motion or is refused by name, with or without salvaging; nothing else may happen."""
    for salvage in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
            refusal = motion = None
            try:
                motion = kinesphere.load(file, salvage=salvage)
            except MotionFileError as error:
                refusal = error
        assert refusal is None or (refusal.found and refusal.expected)
        assert motion is None or np.isfinite(motion.positions_world()).all()


values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 40) | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
LARGE = st.sampled_from([2**31, 2**63, 10**30, -1, 1e308, 5126, 5121, 252])


@given(seed=st.integers(0, 2**32 - 1), value=values | LARGE, second=values | LARGE)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_anywhere(tmp_path: Path, seed: int, value: Any, second: Any) -> None:
    rng = np.random.default_rng(seed)
    scene = good()
    for new in (value, second):
        place: Any = scene.json
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = keys[int(rng.integers(len(keys)))]
            if not isinstance(place[key], dict | list) or rng.random() < 0.25:
                place[key] = new
                break
            place = place[key]
    try:
        file = scene.write(tmp_path / "bad.glb")
    except ValueError:
        return
    check_loads_or_is_refused(file)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_anywhere(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(good().data())
    for _ in range(int(rng.integers(1, 6))):
        # Mostly the numbers at the end, which are a small part of the file.
        first = 0 if rng.random() < 0.5 else len(data) - 300
        data[int(rng.integers(first, len(data)))] = int(rng.integers(256))
    cut = int(rng.integers(len(data) // 2, len(data) + 1)) if rng.random() < 0.3 else len(data)
    file = tmp_path / "bad.glb"
    file.write_bytes(bytes(data[:cut]))
    check_loads_or_is_refused(file)
