"""glTF 2.0 (.gltf, .glb): skeletons, skinned meshes and animations. VRM and VRMA files are glTF inside."""

from __future__ import annotations

from kinesphere.files.gltf.read import list_clips, load
from kinesphere.files.gltf.write import save, save_clips
from kinesphere.files.registry import Format, register


def _looks_like(head: bytes) -> bool:
    if head[:4] == b"glTF":
        return True
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text[:1] == b"{" and b'"asset"' in text


register(
    Format(
        name="gltf",
        suffixes=(".glb", ".gltf", ".vrm", ".vrma"),
        about="glTF 2.0 scenes and characters: skeleton, skin and any number of clips",
        looks_like=_looks_like,
        load=load,
        save=save,
        save_clips=save_clips,
        clips=list_clips,
        holds_characters=True,
        keyed=True,
        only_read=(".vrm", ".vrma"),
    )
)
# A motion alone is no VRM file; a VRM character with a motion on it is.
register(
    Format(
        name="vrm",
        suffixes=(".vrm",),
        about="VRM characters, written with a motion on them (character=…)",
        looks_like=lambda head: False,  # read as the glTF that they are
        save=save,
        save_clips=save_clips,
        holds_characters=True,
        keyed=True,
    )
)
