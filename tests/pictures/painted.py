"""A square with a texture, vertex colours and materials, as a glTF made by hand."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from gltf.scenes import Scene
from PIL import Image

CORNERS = np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], dtype=float)
PLACES = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], dtype=float)  # on the texture: its second axis goes down
RED, GREEN, BLUE, WHITE = (220, 30, 20), (20, 200, 40), (30, 40, 210), (250, 250, 250)
UNLIT = {"extensions": {"KHR_materials_unlit": {}}}


def png(pixels: Any, mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(pixels, dtype=np.uint8), mode).save(file, "PNG")
    return file.getvalue()


def four(side: int = 32, extra: tuple[int, ...] = ()) -> np.ndarray:
    """A picture of four squares: red and green above blue and white."""
    small = np.array([[(*RED, *extra), (*GREEN, *extra)], [(*BLUE, *extra), (*WHITE, *extra)]], dtype=np.uint8)
    return small.repeat(side, axis=0).repeat(side, axis=1)


def square(
    image: bytes | dict[str, Any] | None = None,
    *,
    places: np.ndarray | None = PLACES,
    texture: dict[str, Any] | None = None,
    sampler: dict[str, Any] | None = None,
    colours: Any = None,
    factor: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0),
    lit: bool = False,
    second: dict[str, Any] | None = None,
    **material: Any,
) -> Scene:
    """A square that faces +Z, of one material, on one joint; ``second`` is the material of a square beside it."""
    scene = Scene([{"name": "hips", "mesh": 0}])
    base: dict[str, Any] = {"baseColorFactor": list(factor)}
    if image is not None:
        source = {"bufferView": scene.view(image), "mimeType": "image/png"} if isinstance(image, bytes) else image
        base["baseColorTexture"] = {"index": 0, **(texture or {})}
        scene.json.update(images=[source], textures=[{"source": 0, "sampler": 0}], samplers=[sampler or {}])
    scene.json["materials"] = [{"pbrMetallicRoughness": base, **({} if lit else UNLIT), **material}]
    attributes: dict[str, Any] = {"POSITION": scene.accessor(CORNERS)}
    if places is not None:
        attributes["TEXCOORD_0"] = scene.accessor(places)
        attributes["TEXCOORD_1"] = scene.accessor(1.0 - places)
    if colours is not None:
        attributes["COLOR_0"] = scene.accessor(colours)
    indices = scene.accessor([0, 1, 2, 0, 2, 3], "uint16")
    primitives = [{"attributes": attributes, "indices": indices, "material": 0}]
    if second is not None:
        scene.json["materials"].append(second)
        beside = {"POSITION": scene.accessor(CORNERS * 0.5 + [0.0, 0.5, 0.1])}
        primitives.append({"attributes": beside, "indices": indices, "material": 1})
    scene.json["meshes"] = [{"primitives": primitives}]
    scene.json["skins"] = [{"joints": [0]}]
    return scene
