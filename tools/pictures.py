"""The pictures of the docs that show surfaces: ``python tools/pictures.py`` writes them into ``docs/pictures``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

import kinesphere
from kinesphere.figure import figure, mo
from kinesphere.pictures import surface_sheet

HOME = Path("docs/pictures")
PAPER = (240, 239, 235)


def saved(image: Image.Image, name: str, width: int = 1400) -> None:
    """Small enough for a repository: fewer colours, no wider than the page."""
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    image.quantize(256, dither=Image.Dither.NONE).save(HOME / name, optimize=True)


def stacked(images: Sequence[Image.Image]) -> Image.Image:
    """One below the other."""
    sheet = Image.new("RGB", (max(image.width for image in images), sum(image.height for image in images)), PAPER)
    top = 0
    for image in images:
        sheet.paste(image, (0, top))
        top += image.height
    return sheet


def retargeted(data: Path) -> None:
    """One capture on four bodies."""
    motion = kinesphere.load(data / "bvh/cmu/13_26.bvh")
    motion = motion[1 : 1 + round(6.0 * motion.rate)]
    bodies = {
        "the figure": figure(),
        "Mo": mo(),
        "mesh2motion": kinesphere.load_character(data / "characters/mesh2motion_human_male.glb"),
        "KayKit": kinesphere.load_character(data / "characters/kaykit_manny/manny_med_mod.gltf"),
    }
    rows = []
    for name, character in bodies.items():
        shown = kinesphere.retarget(motion, character)
        rows.append(
            surface_sheet(
                [_named(shown, f"directing traffic: {name}")], character=character, frames=8, size=(1600, 400)
            )
        )
    saved(stacked(rows), "retargeted.png")


def _named(motion: kinesphere.Motion, name: str) -> kinesphere.Motion:
    from dataclasses import replace

    return replace(motion, name=name)


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    kinesphere.warm_up()
    retargeted(data)


if __name__ == "__main__":
    main()
