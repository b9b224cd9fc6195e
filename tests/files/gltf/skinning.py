"""Characters made by hand, and glTF's own skinning equation, one vertex after the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gltf.scenes import Scene, chain, taken_apart, world_matrices

from kinesphere import Motion
from kinesphere.maths import rotations as R
from kinesphere.motion.character import Character

DTYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def stick(*names: str, bind: np.ndarray | None = None, **more: Any) -> Scene:
    """A chain of joints, 1 m each, in a tube of four corners a metre that bends at each joint.

    ``bind`` are the joints' matrices when the tube was bound, ``(J, 4, 4)``; left out: as they stand.
    """
    names = names or ("hips", "spine", "head")
    scene = Scene([*chain(*names), {"name": "tube", "mesh": 0, "skin": 0}])
    count = len(names)
    if bind is None:
        bind = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
        bind[:, 1, 3] = np.arange(count) + 1.0
    rings = np.array([[0.1, 0, 0], [0, 0, 0.1], [-0.1, 0, 0], [0, 0, -0.1]])
    positions = np.concatenate([rings + np.array([0, y, 0]) for y in np.arange(count + 1) + 0.5])
    ring = np.repeat(np.arange(count + 1), 4)
    joints = np.zeros((len(positions), 4))
    joints[:, 0], joints[:, 1] = np.minimum(ring, count - 1), np.maximum(ring - 1, 0)
    weights = np.tile([0.7, 0.3, 0.0, 0.0], (len(positions), 1))
    triangles = [[i, i + 4, (i + 1) % 4 + i // 4 * 4] for i in range(len(positions) - 4)]
    primitive = {
        "attributes": {
            "POSITION": scene.accessor(positions, min=positions.min(0).tolist(), max=positions.max(0).tolist()),
            "NORMAL": scene.accessor(np.tile(rings * 10.0, (count + 1, 1))),
            "JOINTS_0": scene.accessor(joints, "uint8"),
            "WEIGHTS_0": scene.accessor(weights),
        },
        "indices": scene.accessor(np.ravel(triangles), "uint16"),
    }
    scene.json["meshes"] = [{"name": "tube", "primitives": [primitive]}]
    inverse = np.linalg.inv(bind).transpose(0, 2, 1).reshape(-1, 16)
    scene.json["skins"] = [{"joints": list(range(count)), "inverseBindMatrices": scene.accessor(inverse)}]
    scene.json["scenes"] = [{"nodes": [0, count]}]
    scene.json["scene"] = 0
    scene.json.update(more)
    if not scene.json["animations"]:
        del scene.json["animations"]
    return scene


def dance(
    character: Character, frames: int = 12, *, seed: int = 1, scaled: bool = False, slide: bool = False
) -> Motion:
    """Something that moves every joint; with ``slide`` joints also leave their places."""
    rng = np.random.default_rng(seed)
    skeleton = character.skeleton
    shape = frames, len(skeleton)
    turns = R.from_rotation_vector(np.cumsum(rng.normal(scale=0.1, size=(*shape, 3)), axis=0))
    t = np.tile(skeleton.offsets, (frames, 1, 1))
    moving = slice(None) if slide else list(skeleton.roots)
    t[:, moving] += np.cumsum(rng.normal(scale=0.02, size=t[:, moving].shape), axis=0)
    return Motion(
        skeleton,
        29.97,
        R.continuous(R.multiply(np.broadcast_to(skeleton.rest_rotations, (*shape, 4)), turns)),
        t,
        scales=rng.uniform(0.7, 1.4, (*shape, 3)) if scaled else None,
        calibration_frames=(0,),
        name="dance",
    )


def numbers(content: dict[str, Any], blob: bytes, index: int) -> np.ndarray:
    """Any accessor of a binary file, one element after the other."""
    accessor = content["accessors"][index]
    view = content["bufferViews"][accessor["bufferView"]]
    dtype, width = np.dtype(DTYPES[accessor["componentType"]]), SIZES[accessor["type"]]
    stride = view.get("byteStride", dtype.itemsize * width)
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    rows = [np.frombuffer(blob, dtype, width, start + i * stride) for i in range(accessor["count"])]
    values = np.array(rows, dtype=float)
    return values / np.iinfo(dtype).max if accessor.get("normalized") else values


def vertices(path: Path, clip: int | None, time: float) -> list[tuple[int, np.ndarray]]:
    """Node and vertices of every primitive at a moment: Σ w · (node's world matrix) · (inverse bind matrix) · v."""
    content, blob = taken_apart(path)
    worlds = world_matrices(content, blob, clip, time)
    found = []
    for index, node in enumerate(content["nodes"]):
        for primitive in content["meshes"][node["mesh"]]["primitives"] if "mesh" in node else []:
            attributes = primitive["attributes"]
            v = numbers(content, blob, attributes["POSITION"])
            v = np.concatenate([v, np.ones((len(v), 1))], axis=1)
            if "skin" not in node:
                found.append((index, (v @ worlds[index].T)[:, :3]))
                continue
            skin = content["skins"][node["skin"]]
            binds = numbers(content, blob, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
            matrices = np.array([worlds[joint] for joint in skin["joints"]]) @ binds
            joints = numbers(content, blob, attributes["JOINTS_0"]).astype(int)
            weights = numbers(content, blob, attributes["WEIGHTS_0"])
            weights = weights / weights.sum(axis=1, keepdims=True)
            blended = np.einsum("vk,vkij->vij", weights, matrices[joints])
            found.append((index, np.einsum("vij,vj->vi", blended, v)[:, :3]))
    return found
