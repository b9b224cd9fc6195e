"""glTF extensions that a file requires: what is read, what only changes looks, and what is not known here."""

from __future__ import annotations

from kinesphere.files.gltf.document import Document

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
DECOMPRESS = "export it without compression, or run gltf-transform copy"
# Read, or refused with a message of their own where numbers are read.
READ = ("KHR_mesh_quantization", DRACO, *MESHOPT, "VRM", "VRMC_vrm", "VRMC_vrm_animation")
# Beginnings of names of extensions that leave places and poses as they are.
LOOKS = (
    *("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "VRMC_materials_", "ADOBE_materials_"),
    *("KHR_lights_", "EXT_lights_", "KHR_xmp", "KHR_audio", "VRMC_springBone"),
)


def unknown_extensions(document: Document) -> list[str]:
    """A warning that names the extensions that a file requires and that are not known here, if there are any."""
    required = document.fields.data.get("extensionsRequired", [])
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    unknown = [name for name in dict.fromkeys(names) if name not in READ and not name.startswith(LOOKS)]
    if not unknown:
        return []
    more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
    listed = ", ".join(name[:80] for name in unknown[:8]) + more
    return [f"the file requires {listed}, which is not known here: it is read as if it were not there"]
