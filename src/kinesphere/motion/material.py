"""Materials: how a surface looks. A texture's picture is decoded when it is first drawn, not when a file is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Texels: TypeAlias = NDArray[np.uint8]
Wrap: TypeAlias = Literal["repeat", "clamp", "mirror"]
Transparency: TypeAlias = Literal["opaque", "mask", "blend"]


class TexturePicture(Protocol):
    """A picture in a file."""

    def decode(self, most: int) -> Texels:
        """``(H, W, 4)`` sRGB and opacity. More than ``most`` texels along a side are not needed.

        Raises ``ValueError`` or ``OSError`` for what is missing, broken or too large.
        """
        ...


@dataclass(frozen=True)
class Texture:
    """A base-colour texture: its picture, and how it goes on across and down beyond its edges.

    ``nearest``: enlarged texels have sharp edges.
    """

    picture: TexturePicture
    wrap: tuple[Wrap, Wrap] = ("repeat", "repeat")
    nearest: bool = False


@dataclass(frozen=True)
class Material:
    """How a mesh looks, besides its colour.

    Parameters
    ----------
    texture
        Multiplies the mesh's colour, where the mesh has texture coordinates.
    transparency
        ``"opaque"`` ignores opacity, ``"mask"`` shows what is at least as opaque as ``cutoff``, ``"blend"`` lets shine
        through.
    double_sided
        Whether triangles are seen from behind.
    unlit
        Whether light and shadow leave its colour alone.
    """

    texture: Texture | None = None
    transparency: Transparency = "opaque"
    cutoff: float = 0.5
    double_sided: bool = True
    unlit: bool = False


PLAIN = Material()
