"""glTF files made by hand, and a plain evaluation of them to compare with."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
COMPONENTS = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}


class Scene:
    """A glTF under construction: ``json`` may be changed at will before ``write``."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.blob = b""
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "nodes": nodes,
            "accessors": [],
            "bufferViews": [],
            "animations": [],
        }

    def view(self, data: bytes, **more: Any) -> int:
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more})
        self.blob += data + b"\x00" * (-len(data) % 4)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values: Any, dtype: str = "float32", **more: Any) -> int:
        array = np.asarray(values, dtype=dtype)
        kind = next(k for k, w in WIDTHS.items() if w == (1 if array.ndim == 1 else array.shape[1]))
        entry = {
            "bufferView": self.view(array.tobytes()),
            "componentType": COMPONENTS[dtype],
            "count": len(array),
            "type": kind,
        }
        self.json["accessors"].append({**entry, **more})
        return len(self.json["accessors"]) - 1

    def clip(self, *channels: tuple[Any, ...], name: str | None = None) -> Scene:
        """Channels are ``(node, path, times, values)`` and, if not LINEAR, the interpolation."""
        animation: dict[str, Any] = {"channels": [], "samplers": []}
        if name is not None:
            animation["name"] = name
        for node, path, times, values, *interpolation in channels:
            sampler = {"input": self.accessor(times), "output": self.accessor(values)}
            if interpolation:
                sampler["interpolation"] = interpolation[0]
            animation["channels"].append(
                {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
            )
            animation["samplers"].append(sampler)
        self.json["animations"].append(animation)
        return self

    def data(self) -> bytes:
        content = dict(self.json)
        if self.blob and "buffers" not in content:
            content["buffers"] = [{"byteLength": len(self.blob)}]
        return glb(json.dumps(content).encode(), self.blob)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.data())
        return path


def glb(text: bytes, blob: bytes = b"") -> bytes:
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if blob:
        chunks += struct.pack("<I4s", len(blob), b"BIN\x00") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def taken_apart(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def chain(*names: str, length: float = 1.0) -> list[dict[str, Any]]:
    """Nodes one above the other."""
    nodes: list[dict[str, Any]] = [{"name": name, "translation": [0.0, length, 0.0]} for name in names]
    for i in range(len(nodes) - 1):
        nodes[i]["children"] = [i + 1]
    return nodes


def world_positions(path: Path, clip: int, times: np.ndarray) -> dict[int, np.ndarray]:
    """World positions ``(T, 3)`` of every node, by 4×4 matrices, one node and one moment after the other."""
    content, blob = taken_apart(path)
    result = {node: np.empty((len(times), 3)) for node in range(len(content["nodes"]))}
    curves = _curves(content, blob, clip)
    for frame, time in enumerate(times):
        for node, world in _worlds(content, curves, float(time)).items():
            result[node][frame] = world[:3, 3]
    return result


def world_matrices(content: dict[str, Any], blob: bytes, clip: int | None, time: float) -> dict[int, np.ndarray]:
    """The 4×4 matrix of every node at a moment of a clip, or at rest."""
    return _worlds(content, {} if clip is None else _curves(content, blob, clip), time)


def _curves(content: dict[str, Any], blob: bytes, clip: int) -> dict[tuple[int, str], Any]:
    curves: dict[tuple[int, str], tuple[np.ndarray, np.ndarray, str]] = {}
    animation = content["animations"][clip]
    for channel in animation["channels"]:
        target = channel["target"]
        if target["path"] != "weights":
            sampler = animation["samplers"][channel["sampler"]]
            keys = _numbers(content, blob, sampler["input"])[:, 0]
            values = _numbers(content, blob, sampler["output"])
            curves[target["node"], target["path"]] = keys, values, sampler.get("interpolation", "LINEAR")
    return curves


def _worlds(content: dict[str, Any], curves: Any, time: float) -> dict[int, np.ndarray]:
    nodes = content["nodes"]
    parents = {child: i for i, node in enumerate(nodes) for child in node.get("children", [])}
    worlds: dict[int, np.ndarray] = {}
    for node in range(len(nodes)):
        _world(nodes, parents, curves, node, time, worlds)
    return worlds


def _world(nodes: Any, parents: Any, curves: Any, node: int, time: float, worlds: Any) -> np.ndarray:
    if node not in worlds:
        local = _local(nodes[node], curves, node, time)
        above = np.eye(4)
        if node in parents:
            above = _world(nodes, parents, curves, parents[node], time, worlds)
        worlds[node] = above @ local
    return worlds[node]


def _local(node: dict[str, Any], curves: Any, index: int, time: float) -> np.ndarray:
    if "matrix" in node:
        return np.array(node["matrix"], dtype=float).reshape(4, 4).T
    parts = {
        "translation": np.array(node.get("translation", [0, 0, 0]), dtype=float),
        "rotation": np.array(node.get("rotation", [0, 0, 0, 1]), dtype=float),
        "scale": np.array(node.get("scale", [1, 1, 1]), dtype=float),
    }
    for path in parts:
        if (index, path) in curves:
            parts[path] = _between_keys(*curves[index, path], time, path)
    x, y, z, w = parts["rotation"] / np.linalg.norm(parts["rotation"])
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.diag(parts["scale"])
    matrix[:3, 3] = parts["translation"]
    return matrix


def _between_keys(keys: np.ndarray, values: np.ndarray, interpolation: str, time: float, path: str) -> np.ndarray:
    nearest = int(np.argmin(np.abs(keys - time)))
    if abs(keys[nearest] - time) < 1e-5 or time <= keys[0] or time >= keys[-1]:
        return values[nearest]
    before = int(np.searchsorted(keys, time)) - 1
    if interpolation == "STEP":
        return values[before]
    share = (time - keys[before]) / (keys[before + 1] - keys[before])
    a, b = values[before], values[before + 1]
    if path != "rotation":
        return a * (1 - share) + b * share
    dot = float(a @ b)
    if dot < 0:
        b, dot = -b, -dot
    angle = np.arccos(min(dot, 1.0))
    if angle < 1e-6:
        return a * (1 - share) + b * share
    return (np.sin((1 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle)


def _numbers(content: dict[str, Any], blob: bytes, index: int) -> np.ndarray:
    accessor = content["accessors"][index]
    view = content["bufferViews"][accessor["bufferView"]]
    offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    width = WIDTHS[accessor["type"]]
    flat = np.frombuffer(blob, dtype="<f4", count=accessor["count"] * width, offset=offset)
    return flat.reshape(-1, width).astype(float)
