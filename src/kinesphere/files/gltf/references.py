"""Where a glTF refers to its accessors and buffer views, so that unused ones can be taken out.

The file may come from anyone: what is not what it should be is passed over here, and met by whoever reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kinesphere.files.gltf.fields import whole

Place = tuple[Any, Any]  # an object or list, and the key of the reference in it

ONLY_IN_CLIPS = "KHR_animation_pointer"
# Extensions that hold no reference to accessors or buffer views, or only such as are found below.
UNDERSTOOD = (
    *("KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_node_", "KHR_xmp", "KHR_mesh_quantization"),
    *("EXT_texture_", "EXT_lights_ies", "MSFT_texture_dds", "VRM", "VRMC_"),
    *("KHR_draco_mesh_compression", "EXT_mesh_gpu_instancing", ONLY_IN_CLIPS),
)


def take_out_animations(content: dict[str, Any]) -> None:
    """Remove all clips, and the accessors and buffer views that only they use."""
    clips = content.pop("animations", [])
    for name in ("extensionsUsed", "extensionsRequired"):
        used = content.get(name, [])
        if not isinstance(used, list) or not all(isinstance(n, str) and n.startswith(UNDERSTOOD) for n in used):
            return  # somebody unknown may refer to what would be renumbered
        if ONLY_IN_CLIPS in used:
            content[name] = [known for known in used if known != ONLY_IN_CLIPS]
            if not content[name]:
                del content[name]
    keys = (place for clip in _objects(clips) for place in _of_samplers(clip))
    accessors = _only_there(keys, accessor_places(content))
    gone = [entry for index, entry in enumerate(_list(content, "accessors")) if index in accessors]
    views = _only_there(_of_accessors(_objects(gone)), iter(()))
    _remove(content, "accessors", accessors, list(accessor_places(content)))
    views -= {index for place in view_places(content) if (index := _index(place)) is not None}
    _remove(content, "bufferViews", views, list(view_places(content)))


def accessor_places(content: dict[str, Any]) -> Iterator[Place]:
    """Every reference to an accessor, apart from those of clips."""
    for mesh in _objects(content.get("meshes")):
        for primitive in _objects(mesh.get("primitives")):
            yield primitive, "indices"
            for owner in (primitive.get("attributes"), *_objects(primitive.get("targets"))):
                if isinstance(owner, dict):
                    yield from ((owner, name) for name in owner)
    for skin in _objects(content.get("skins")):
        yield skin, "inverseBindMatrices"
    for node in _objects(content.get("nodes")):
        attributes = _inside(node, "extensions", "EXT_mesh_gpu_instancing", "attributes")
        yield from ((attributes, name) for name in attributes)


def view_places(content: dict[str, Any]) -> Iterator[Place]:
    """Every reference to a buffer view."""
    yield from _of_accessors(_objects(content.get("accessors")))
    for image in _objects(content.get("images")):
        yield image, "bufferView"
    for mesh in _objects(content.get("meshes")):
        for primitive in _objects(mesh.get("primitives")):
            yield _inside(primitive, "extensions", "KHR_draco_mesh_compression"), "bufferView"


def _of_accessors(accessors: list[dict[str, Any]]) -> Iterator[Place]:
    for accessor in accessors:
        yield accessor, "bufferView"
        yield _inside(accessor, "sparse", "indices"), "bufferView"
        yield _inside(accessor, "sparse", "values"), "bufferView"


def _of_samplers(clip: dict[str, Any]) -> Iterator[Place]:
    for sampler in _objects(clip.get("samplers")):
        yield sampler, "input"
        yield sampler, "output"


def _only_there(there: Iterator[Place], elsewhere: Iterator[Place]) -> set[int]:
    found = {index for place in there if (index := _index(place)) is not None}
    return found - {index for place in elsewhere if (index := _index(place)) is not None}


def _remove(content: dict[str, Any], name: str, gone: set[int], places: list[Place]) -> None:
    """Take entries out of a list, and give those that stay their new numbers everywhere."""
    entries = _list(content, name)
    if not gone or not entries:
        return
    kept = [index for index in range(len(entries)) if index not in gone]
    number = {old: new for new, old in enumerate(kept)}
    content[name] = [entries[index] for index in kept]
    for owner, key in places:
        index = _index((owner, key))
        if index in number:
            owner[key] = number[index]
    if not kept:
        del content[name]


def _index(place: Place) -> int | None:
    owner, key = place
    return whole(owner.get(key)) if key in owner else None


def _list(content: dict[str, Any], name: str) -> list[Any]:
    found = content.get(name)
    return found if isinstance(found, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _inside(owner: dict[str, Any], *names: str) -> dict[str, Any]:
    found: Any = owner
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}
