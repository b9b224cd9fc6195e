"""Write motions into a character's own glTF or VRM file: everything else stays, and the motions are its clips.

The file's old clips go, with the accessors and buffer views that only they use. Its buffers and images are packed into
one binary chunk, or copied beside a ``.gltf``.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from kinesphere.files.atomic import atomic_write
from kinesphere.files.gltf import extras
from kinesphere.files.gltf.animation import X_Y_Z_W, ClipWriter
from kinesphere.files.gltf.character import GltfCharacterFile
from kinesphere.files.gltf.document import (
    BufferBuilder,
    Document,
    GltfFields,
    as_integer,
    from_data_uri,
    write_document,
)
from kinesphere.files.gltf.joints import to_file_axes
from kinesphere.files.gltf.pose import rest_distances, unbake_scales
from kinesphere.maths import rotations
from kinesphere.motion.character import Character
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.motion import Motion

SUFFIXES = (".glb", ".gltf", ".vrm")
STILL = 1e-6  # metres: a joint that never leaves its rest position by more gets no translation channel
_OTHER_LENGTH = 0.01  # relative difference of a bone's length from which it is another character's


def save_on_character(motions: Sequence[Motion], path: Path, character: Any) -> None:
    """Write a character's file with motions of its skeleton, which replace all clips of the file."""
    file = _check_character(motions[0], path, character)
    problems: list[str] = []
    document = file.document
    try:
        content = copy.deepcopy(document.json)
    except RecursionError:
        raise MotionFileError(document.path, "JSON nested too deeply", "a glTF file", where="JSON") from None
    remove_animations(content)
    result = pack_document(document, content, inside=path.suffix.lower() != ".gltf", warn=problems.append)
    _decompose_matrices(file, content, path)
    surfaces = _add_surface_nodes(motions, character, file, content, problems.append)
    content["animations"] = [
        _animation(motion, path, file, ClipWriter(motion, path, result.buffer), surfaces) for motion in motions
    ]
    with write_beside(path, result.beside):
        write_document(path, content, result.buffer.binary, document.other_chunks)
    for sentence in problems:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=4)


def _check_character(motion: Motion, path: Path, character: Any) -> GltfCharacterFile:
    """The character's file; raises where the motion does not fit it, or the file name does not."""
    if not isinstance(character, Character):
        raise ValueError(f"{path}: character={character!r}; what load_character gives is expected")
    file = character.document
    if not isinstance(file, GltfCharacterFile) or len(file.joints) != len(character.skeleton):
        raise ValueError(f"{path}: the character {character.name!r} came from no glTF file, so none can be written")
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise MotionFileError(path, f"the suffix {path.suffix!r} for a character", ", ".join(SUFFIXES))
    if suffix == ".vrm" and not file.is_vrm:
        found = f"the suffix {path.suffix!r} for {character.name!r}, which came from no VRM file"
        raise MotionFileError(path, found, ".glb or .gltf")
    ours, theirs = motion.skeleton, character.skeleton
    if not ours.same_tree(theirs):
        found = f"a motion of another skeleton ({ours})"
        expected = f"one of {theirs}; kinesphere.retarget(motion, character) brings it over"
        raise MotionFileError(path, found, expected)
    apart = np.abs(ours.bone_lengths - theirs.bone_lengths) - _OTHER_LENGTH * theirs.bone_lengths
    if apart.max() > 1e-3:
        joint = int(apart.argmax())
        lengths = f"{ours.bone_lengths[joint]:.3g} m, not {theirs.bone_lengths[joint]:.3g} m"
        warnings.warn(
            f"{path}: the motion's bones are not the character's ({theirs.names[joint]!r} is {lengths} away from its "
            "parent), so the surface is stretched; kinesphere.retarget(motion, character) fits them",
            MotionFileWarning,
            stacklevel=5,
        )
    return file


def _decompose_matrices(file: GltfCharacterFile, content: dict[str, Any], path: Path) -> None:
    """Replace the matrices of joints by translation, rotation and scale, which alone can be animated."""
    nodes = file.nodes
    for node in file.joints.nodes.tolist():
        entry = content["nodes"][node]
        if "matrix" not in entry:
            continue
        if nodes.sheared[node]:
            expected = "a rotation and a scale: a joint that shears cannot be animated"
            raise MotionFileError(path, "a matrix that shears", expected, where=f"nodes[{node}].matrix")
        del entry["matrix"]
        entry["translation"] = nodes.translations[node].tolist()
        entry["rotation"] = nodes.rotations[node][X_Y_Z_W].tolist()
        entry["scale"] = nodes.scales[node].tolist()


def _add_surface_nodes(
    motions: Sequence[Motion],
    character: Character,
    file: GltfCharacterFile,
    content: dict[str, Any],
    warn: Callable[[str], None],
) -> dict[int, int]:
    """Joint to a node below it for the skins alone: the joint's own scale would scale its children."""
    wanted = scaled_joints(motions, 1e-6)
    if not wanted:
        return {}
    found = {joint: node for node, joint in file.joints.surfaces.items()}
    skins = [skin.get("joints", []) for skin in content.get("skins", [])]
    bound = {int(node) for joints in skins for node in joints}
    rigid = {int(mesh.joints[0, 0]) for mesh in character.meshes if mesh.joints.shape[1] == 1 and len(mesh.joints)}
    for joint in wanted:
        node, name = int(file.joints.nodes[joint]), character.skeleton.names[joint]
        if joint in rigid:
            warn(f"{name!r} carries a mesh without a skin; the stretching of that was left out")
        if joint in found or node not in bound:
            continue
        found[joint] = len(content["nodes"])
        content["nodes"][node].setdefault("children", []).append(found[joint])
        content["nodes"].append({"name": f"{name}.surface", "extras": extras.surface_extras()})
        for joints in skins:
            joints[:] = [found[joint] if int(other) == node else other for other in joints]
    return {joint: node for joint, node in found.items() if joint in wanted}


def scaled_joints(motions: Sequence[Motion], tolerance: float = 0.0) -> list[int]:
    """Joints whose surface any of the motions scales."""
    scales = [motion.scales for motion in motions if motion.scales is not None]
    found = [np.flatnonzero((np.abs(own - 1.0) > tolerance).any(axis=(0, 2))) for own in scales]
    return np.unique(np.concatenate(found)).tolist() if found else []


def _animation(
    motion: Motion, path: Path, file: GltfCharacterFile, clip: ClipWriter, surfaces: dict[int, int]
) -> dict[str, Any]:
    """The clip. Roots have a key in every frame; other joints get translations only where they leave their rest."""
    nodes, joints = file.nodes, file.joints
    local = to_file_axes(joints, motion.rotations, motion.translations, file.rotation)
    q, t = unbake_scales(path, nodes, joints, *local)
    q = rotations.continuous(q)
    moving = rest_distances(nodes, joints, t) > STILL
    for joint, parent in enumerate(joints.parents.tolist()):
        node = int(joints.nodes[joint])
        clip.add(node, "rotation", q[:, joint])
        if parent < 0 or moving[joint]:
            clip.add(node, "translation", t[:, joint], always=parent < 0)
    if motion.scales is not None:
        for joint, node in surfaces.items():
            rest = nodes.scales[node] if node < len(nodes) else 1.0
            clip.add(node, "scale", motion.scales[:, joint] * rest)
    return clip.animation()


# Removing the old clips

Reference = tuple[dict[str, Any], str]  # a JSON object, and the field in it that holds an index

ONLY_IN_CLIPS = "KHR_animation_pointer"
# Extensions without references to accessors or buffer views, or with references that are handled below.
KNOWN_EXTENSIONS = (
    *("KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_node_", "KHR_xmp", "KHR_mesh_quantization"),
    *("EXT_texture_", "EXT_lights_ies", "MSFT_texture_dds", "VRM", "VRMC_"),
    *("KHR_draco_mesh_compression", "EXT_mesh_gpu_instancing", ONLY_IN_CLIPS),
)


def remove_animations(content: dict[str, Any]) -> None:
    """Remove all clips, and the accessors and buffer views that only they use. Malformed entries are ignored."""
    clips = content.pop("animations", [])
    for name in ("extensionsUsed", "extensionsRequired"):
        used = content.get(name, [])
        if not isinstance(used, list) or not all(isinstance(n, str) and n.startswith(KNOWN_EXTENSIONS) for n in used):
            return  # an unknown extension may refer to what would be renumbered
        if ONLY_IN_CLIPS in used:
            content[name] = [known for known in used if known != ONLY_IN_CLIPS]
            if not content[name]:
                del content[name]
    keys = (reference for clip in _objects(clips) for reference in _accessors_of_samplers(clip))
    accessors = _used_only_by(keys, _accessor_references(content))
    gone = [entry for index, entry in enumerate(_list(content, "accessors")) if index in accessors]
    views = _used_only_by(_views_of_accessors(_objects(gone)), iter(()))
    _remove(content, "accessors", accessors, list(_accessor_references(content)))
    views -= {index for reference in _view_references(content) if (index := _index(reference)) is not None}
    _remove(content, "bufferViews", views, list(_view_references(content)))


def _accessor_references(content: dict[str, Any]) -> Iterator[Reference]:
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


def _view_references(content: dict[str, Any]) -> Iterator[Reference]:
    """Every reference to a buffer view."""
    yield from _views_of_accessors(_objects(content.get("accessors")))
    for image in _objects(content.get("images")):
        yield image, "bufferView"
    for mesh in _objects(content.get("meshes")):
        for primitive in _objects(mesh.get("primitives")):
            yield _inside(primitive, "extensions", "KHR_draco_mesh_compression"), "bufferView"


def _views_of_accessors(accessors: list[dict[str, Any]]) -> Iterator[Reference]:
    for accessor in accessors:
        yield accessor, "bufferView"
        yield _inside(accessor, "sparse", "indices"), "bufferView"
        yield _inside(accessor, "sparse", "values"), "bufferView"


def _accessors_of_samplers(clip: dict[str, Any]) -> Iterator[Reference]:
    for sampler in _objects(clip.get("samplers")):
        yield sampler, "input"
        yield sampler, "output"


def _used_only_by(users: Iterator[Reference], others: Iterator[Reference]) -> set[int]:
    found = {index for reference in users if (index := _index(reference)) is not None}
    return found - {index for reference in others if (index := _index(reference)) is not None}


def _remove(content: dict[str, Any], name: str, gone: set[int], references: list[Reference]) -> None:
    """Remove entries of a list, and renumber all references to the others."""
    entries = _list(content, name)
    if not gone or not entries:
        return
    kept = [index for index in range(len(entries)) if index not in gone]
    number = {old: new for new, old in enumerate(kept)}
    content[name] = [entries[index] for index in kept]
    for owner, key in references:
        index = _index((owner, key))
        if index in number:
            owner[key] = number[index]
    if not kept:
        del content[name]


def _index(reference: Reference) -> int | None:
    owner, key = reference
    return as_integer(owner.get(key)) if key in owner else None


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


# Packing buffers and images

MESHOPT = "EXT_meshopt_compression"
_SIGNATURES = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
    (b"\xabKTX 20", "image/ktx2"),
)


@dataclass
class PackedDocument:
    """The buffer, to which new arrays can be added, and the files to write beside."""

    buffer: BufferBuilder
    beside: dict[str, bytes] = field(default_factory=dict)  # relative path to contents


def pack_document(
    document: Document, content: dict[str, Any], *, inside: bool, warn: Callable[[str], None]
) -> PackedDocument:
    """Pack a file's buffers and images. ``content`` is a copy of the document's JSON, and is changed.

    ``inside`` puts everything into the one buffer; otherwise buffers and images in files of their own stay so.
    """
    fields = GltfFields(document.path, content)
    used = {owner.data["buffer"] for owner in _owners(fields)}
    external = [i for i, b in enumerate(fields.each("buffers")) if not inside and i in used and _is_external(b)]
    for name in ("accessors", "bufferViews"):
        content[name] = fields.items(name)
    buffer = BufferBuilder(content["accessors"], content["bufferViews"])
    result = PackedDocument(buffer)
    first: dict[str, Any] = {}
    if 0 not in external and fields.count("buffers"):
        first = dict(fields.item("buffers", 0).data)
    _move_views(document, fields, buffer, external)
    for index in external:
        result.beside[unquote(fields.item("buffers", index).text("uri"))] = bytes(document.buffer(index))
    content["buffers"] = [first, *(content["buffers"][index] for index in external)]
    for image in fields.each("images"):
        if "uri" in image:
            _pack_image(document, image, result, inside, warn)
    return result


def _is_external(owner: GltfFields) -> bool:
    return "uri" in owner and owner.text("uri")[:5].lower() != "data:"


def _owners(fields: GltfFields) -> list[GltfFields]:
    """All objects that describe a part of a buffer: buffer views, and their compression extensions."""
    found = []
    for view in fields.each("bufferViews"):
        found.append(view)
        if MESHOPT in view.child("extensions"):
            found.append(view.child("extensions").child(MESHOPT))
    for owner in found:
        owner.index("buffer", fields.count("buffers"), "buffers")
    return found


def _move_views(document: Document, fields: GltfFields, buffer: BufferBuilder, external: list[int]) -> None:
    """Copy the bytes of each buffer view, or whole buffers where views overlap or are compressed."""
    owners = _owners(fields)
    number = {index: 1 + i for i, index in enumerate(external)}
    moved = [index for index in range(fields.count("buffers")) if index not in number]
    size = sum(fields.item("buffers", index).integer("byteLength", low=1) for index in moved)
    copied = sum(owner.integer("byteLength", low=1) for owner in owners if owner.data["buffer"] not in number)
    by_view = len(owners) == fields.count("bufferViews") and copied <= size
    starts = {} if by_view else {index: buffer.add_bytes(document.buffer(index)) for index in moved}
    for owner in owners:
        view, offset = owner.data, owner.integer("byteOffset", default=0)
        if view["buffer"] in number:
            view["buffer"] = number[view["buffer"]]
            continue
        if by_view:
            view["byteOffset"] = buffer.add_bytes(document.view(owner), like=offset)
        else:
            view["byteOffset"] = starts[view["buffer"]] + offset
        view["buffer"] = 0


def _pack_image(
    document: Document, image: GltfFields, result: PackedDocument, inside: bool, warn: Callable[[str], None]
) -> None:
    uri = image.text("uri")
    if not _is_external(image):
        if inside:
            _embed_image(image, from_data_uri(image, uri), result.buffer, uri[5:].split(",")[0].split(";")[0])
        return
    try:
        data = document.beside(image, uri).read_bytes()
    except (MotionFileError, OSError) as error:
        found = error.found if isinstance(error, MotionFileError) else str(error)
        warn(f"{image.where}: {found}; the image was left as it was")
        return
    if inside:
        _embed_image(image, data, result.buffer, "")
    else:
        result.beside[unquote(uri)] = data


def _embed_image(image: GltfFields, data: bytes, buffer: BufferBuilder, kind: str) -> None:
    detected = next((mime for start, mime in _SIGNATURES if data.startswith(start)), "")
    image.data["bufferView"] = buffer.add_view(data)
    image.data["mimeType"] = detected or image.data.get("mimeType") or kind or "image/png"
    del image.data["uri"]


@contextmanager
def write_beside(path: Path, files: dict[str, bytes]) -> Iterator[None]:
    """Context manager: write files beside ``path``; they are removed again if the block fails."""
    if files and not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist")
    new: list[tuple[Path, bytes]] = []
    for name, data in files.items():
        file = path.parent / name
        if not file.exists():
            new.append((file, data))
        elif not file.is_file() or file.read_bytes() != data:
            expected = "a folder without one, or a .glb file, which holds everything"
            raise MotionFileError(path, f"another file called {name!r} in the same folder", expected)
    try:
        for file, data in new:
            file.parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(file) as opened:
                opened.write(data)
        yield
    except BaseException:
        for file, _ in new:
            file.unlink(missing_ok=True)
        raise
