"""Draw characters with their textures above, and as clay below: docs/pictures/textures.jpg.

python tools/textures.py FOLDER_OF_CHARACTERS [OUT.jpg]
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

import kinesphere
from kinesphere.builtin import motion

NAMES = ("CesiumMan.glb", "mesh2motion_human_male.glb", "kaykit_manny/manny_med_mod.gltf", "debug_robot.vrm")
PANEL = (360, 420)


def draw(folder: Path) -> Image.Image:
    """A column for each character."""
    page = Image.new("RGB", (PANEL[0] * len(NAMES), 2 * PANEL[1]))
    for column, name in enumerate(NAMES):
        character = kinesphere.load_character(folder / name)
        for row, clay in enumerate((False, True)):
            panel = kinesphere.still(motion("wave"), 1.4, character=character, size=PANEL, clay=clay)
            page.paste(panel, (column * PANEL[0], row * PANEL[1]))
    return page


if __name__ == "__main__":
    out = sys.argv[2] if len(sys.argv) > 2 else "docs/pictures/textures.jpg"
    draw(Path(sys.argv[1])).save(out, quality=88)
