"""Stills, contact sheets and films of motions.

``film``, ``still`` and ``surface_sheet`` show a motion on a character (or on a manikin made from its bones), drawn by
our own compiled rasteriser: no display, no GPU, the same picture everywhere. ``contact_sheet.contact_sheet`` draws
stick figures and needs nothing compiled. What a name needs is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kinesphere.pictures.films import film, still
    from kinesphere.pictures.sheets import surface_sheet
    from kinesphere.pictures.trails import Trails

__all__ = ["Trails", "film", "still", "surface_sheet"]


def __getattr__(name: str) -> Any:
    if name in ("film", "still"):
        from kinesphere.pictures import films

        return getattr(films, name)
    if name == "surface_sheet":
        from kinesphere.pictures import sheets

        return sheets.surface_sheet
    if name == "Trails":
        from kinesphere.pictures import trails

        return trails.Trails
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
