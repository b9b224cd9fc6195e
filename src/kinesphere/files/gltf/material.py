"""glTF materials: base colours and base-colour textures, of glTF itself, of VRM's toon shaders and of older exporters.

Nothing about colours is worth refusing a body for: what is broken is left out with a warning. Pictures are decoded when
they are first drawn (``motion.material``).
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kinesphere.files.gltf.document import Document, GltfFields, as_integer, finite_numbers, from_data_uri
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import WHITE
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.material import PLAIN, Material, Texels, Texture, Transparency, Wrap

MOST_PIXELS = 1 << 26  # of a picture, before it is shrunk
MOST_BYTES = 1 << 28  # of a picture's file
PICTURES = ("PNG", "JPEG", "WEBP")
_WRAPS: dict[Any, Wrap] = {33071: "clamp", 33648: "mirror", 10497: "repeat"}
_NEAREST = 9728
_TRANSPARENCIES: dict[str, Transparency] = {"OPAQUE": "opaque", "MASK": "mask", "BLEND": "blend"}
_SPECULAR_GLOSSINESS = "KHR_materials_pbrSpecularGlossiness"
_TOON, _UNLIT, _TRANSFORM, _WEBP = (
    "VRMC_materials_mtoon",
    "KHR_materials_unlit",
    "KHR_texture_transform",
    "EXT_texture_webp",
)


@dataclass(frozen=True)
class GltfPicture:
    """One of a file's images."""

    document: Document
    index: int

    def decode(self, most: int) -> Texels:
        """See ``TexturePicture``."""
        from PIL import Image

        fields = self.document.fields.item("images", self.index)
        data = self._read(fields)
        try:
            with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data), formats=PICTURES) as picture:
                wide, high = picture.size
                if not 0 < wide * high <= MOST_PIXELS:
                    raise fields.error("", f"{wide} × {high} pixels", f"at most {MOST_PIXELS} pixels")
                picture.draft("RGB", (most, most))  # a JPEG is decoded at a smaller size at once
                return np.asarray(picture.convert("RGBA"))
        except MotionFileError:
            raise
        except Exception as error:  # decoders of pictures raise errors of many kinds
            reason = " ".join(str(error).split())[:100] or type(error).__name__
            raise fields.error("", f"a picture that cannot be decoded ({reason})", "PNG, JPEG or WebP") from None

    def _read(self, fields: GltfFields) -> bytes:
        if "bufferView" in fields:
            views = self.document.fields
            view = views.item("bufferViews", fields.index("bufferView", views.count("bufferViews"), "bufferViews"))
            return bytes(self.document.view(view))
        uri = fields.text("uri")
        if uri[:5].lower() == "data:":
            return from_data_uri(fields, uri)
        file = self.document.beside(fields, uri)
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise fields.error("uri", f"a file of {size} bytes", f"at most {MOST_BYTES} bytes")
        return file.read_bytes()


@dataclass(frozen=True)
class Look:
    """What a primitive's material says: its colour, and where its texture is taken from."""

    colour: tuple[float, float, float, float] = WHITE
    material: Material = PLAIN
    coordinate_set: int = 0  # n of TEXCOORD_n
    offset: tuple[float, float] = (0.0, 0.0)
    rotation: float = 0.0
    scale: tuple[float, float] = (1.0, 1.0)

    def place_texture(self, coordinates: Floats) -> Floats:
        """KHR_texture_transform: scaled, rotated, moved.

        Counter-clockwise as seen on the picture, whose second axis goes down, as all viewers have it; the matrix in the
        extension's text is that of the other direction (glTF issue 1563).
        """
        scaled = coordinates * self.scale
        c, s = math.cos(self.rotation), math.sin(self.rotation)
        x, y = scaled.T
        placed: Floats = np.stack([c * x + s * y, c * y - s * x], axis=1) + self.offset
        return placed


class MaterialReader:
    """Reads each material of a file once."""

    def __init__(self, document: Document, warn: Callable[[str], None]) -> None:
        self.document, self.fields, self.warn = document, document.fields, warn
        self._looks: dict[int, Look] = {}
        self._pictures: dict[int, GltfPicture] = {}

    def read(self, primitive: GltfFields) -> Look:
        """How a primitive looks."""
        if "material" not in primitive:
            return Look()
        index = primitive.index("material", self.fields.count("materials"), "materials")
        if index not in self._looks:
            self._looks[index] = self._look(self.fields.item("materials", index), index)
        return self._looks[index]

    def _look(self, material: GltfFields, index: int) -> Look:
        base = material.child("pbrMetallicRoughness")
        red, green, blue, opacity = base.numbers("baseColorFactor", 4) or WHITE  # as the spec has it, or refused
        look = Look((red, green, blue, opacity))
        try:
            look = self._with_base(look, material, base)
            if "VRM" in self.fields.child("extensions"):
                look = self._with_vrm0(look, index)
        except MotionFileError as error:
            self.warn(f"{error.where}: found {error.found}; the surface is shown without it")
        return look

    def _with_base(self, look: Look, material: GltfFields, base: GltfFields) -> Look:
        extensions = material.child("extensions")
        info = base.child("baseColorTexture") if "baseColorTexture" in base else None
        if _SPECULAR_GLOSSINESS in extensions and info is None:
            older = extensions.child(_SPECULAR_GLOSSINESS)
            red, green, blue, opacity = older.numbers("diffuseFactor", 4) or WHITE
            look = replace(look, colour=(red, green, blue, opacity))
            info = older.child("diffuseTexture") if "diffuseTexture" in older else None
        made = replace(
            look.material,
            transparency=_TRANSPARENCIES.get(str(material.data.get("alphaMode")), "opaque"),
            cutoff=_number(material.data.get("alphaCutoff"), 0.5),
            double_sided=material.data.get("doubleSided") is True,
            unlit=_UNLIT in extensions and _TOON not in extensions,  # where both are, unlit is for other viewers
        )
        look = replace(look, material=made)
        return look if info is None else self._with_texture(look, info)

    def _with_texture(self, look: Look, info: GltfFields) -> Look:
        """The look with the texture of a textureInfo."""
        texture = self.fields.item("textures", info.index("index", self.fields.count("textures"), "textures"))
        webp = texture.child("extensions").child(_WEBP)
        source = webp if "source" in webp else texture
        if "source" not in source:
            raise texture.error("source", "no picture of a known kind", "PNG, JPEG or WebP")
        found = self._texture(source.index("source", self.fields.count("images"), "images"), texture)
        moved = info.child("extensions").child(_TRANSFORM)
        chosen = as_integer(moved.data.get("texCoord", info.data.get("texCoord", 0)))
        across, down = moved.numbers("offset", 2) or (0.0, 0.0)
        wide, high = moved.numbers("scale", 2) or (1.0, 1.0)
        return replace(
            look,
            material=replace(look.material, texture=found),
            coordinate_set=chosen if chosen is not None and 0 <= chosen < 16 else 0,
            offset=(across, down),
            rotation=_number(moved.data.get("rotation"), 0.0),
            scale=(wide, high),
        )

    def _texture(self, image: int, texture: GltfFields) -> Texture:
        sampler: dict[str, Any] = {}
        if "sampler" in texture:
            index = texture.index("sampler", self.fields.count("samplers"), "samplers")
            sampler = self.fields.item("samplers", index).data
        across, down = (_WRAPS.get(as_integer(sampler.get(name)), "repeat") for name in ("wrapS", "wrapT"))
        picture = self._pictures.setdefault(image, GltfPicture(self.document, image))
        return Texture(picture, (across, down), as_integer(sampler.get("magFilter")) == _NEAREST)

    def _with_vrm0(self, look: Look, index: int) -> Look:
        """VRM 0.x keeps toon shaders in a list of its own, beside materials that are mostly unlit for other viewers."""
        toon = self.fields.child("extensions").child("VRM")
        if index >= toon.count("materialProperties"):
            return look
        properties = toon.item("materialProperties", index)
        if "MToon" not in str(properties.data.get("shader")):
            return look
        made = replace(look.material, unlit=False)
        if look.material.texture is not None:
            return replace(look, material=made)
        colour = finite_numbers(properties.child("vectorProperties").data.get("_Color"), 4)
        if colour is not None and look.colour == WHITE:
            # These are sRGB, unlike the factors of glTF.
            red, green, blue = (_srgb_to_linear(min(max(value, 0.0), 1.0)) for value in colour[:3])
            look = replace(look, colour=(red, green, blue, colour[3]))
        number = as_integer(properties.child("textureProperties").data.get("_MainTex"))
        if number is not None:
            info = GltfFields(properties.path, {"index": number}, properties.location("textureProperties._MainTex"))
            return self._with_texture(replace(look, material=made), info)
        return replace(look, material=made)


def _number(value: Any, default: float) -> float:
    found = finite_numbers([value], 1)
    return default if found is None else found[0]


def _srgb_to_linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else math.pow((value + 0.055) / 1.055, 2.4)
