"""Run by `make demo`: a film of one gesture in eight Effort elements, a sheet and a film of all built-in motions."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from PIL import Image

import kinesphere
from kinesphere import Effort, Motion, perform
from kinesphere.builtin import figure, motion, motions
from kinesphere.pictures import film, save_picture, sheet

ELEMENTS = {
    "indirect": Effort(space=-1),
    "light": Effort(weight=-1),
    "sustained": Effort(time=-1),
    "free": Effort(flow=-1),
    "direct": Effort(space=1),
    "strong": Effort(weight=1),
    "sudden": Effort(time=1),
    "bound": Effort(flow=1),
}


def elements(small: bool) -> list[Motion]:
    """One gesture in eight elements, opposites one below the other."""
    names = ("light", "strong") if small else ELEMENTS
    return [replace(perform("emphasise", ELEMENTS[name]), name=name) for name in names]


def main(folder: Path, *, small: bool = False) -> list[Path]:
    """Write a film of one gesture in eight elements, a sheet and a film of all default motions, and a wave as files."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("elements.mp4", "motions.png", "motions.mp4", "wave.bvh", "wave.glb")
    first, overview, moving, bvh, glb = (folder / name for name in names)
    shown = [motion(name) for name in (("wave", "punch") if small else motions())]
    # Each row over its own time, so that short motions show as much as long ones.
    row = (600, 200) if small else (1600, 370)
    rows = [sheet(one, frames=4 if small else 10, columns=10, size=row) for one in shown]
    whole = Image.new("RGB", (row[0], row[1] * len(rows)))
    for i, image in enumerate(rows):
        whole.paste(image, (0, row[1] * i))
    save_picture(whole, overview)
    # All at once, in two rows, each over and over.
    size, seconds = ((240, 120), 0.2) if small else ((1344, 720), 4.8)
    if find_spec("imageio_ffmpeg") is None:  # no encoder: a GIF needs none
        first, moving = first.with_suffix(".gif"), moving.with_suffix(".gif")
    film(
        elements(small),
        first,
        size=size if small else (1120, 720),
        fps=15.0,
        seconds=seconds if small else 6.0,
        columns=1 if small else 4,
        repeat=True,
        progress=None if small else True,
    )
    film(
        shown,
        moving,
        size=size,
        fps=15.0,
        seconds=seconds,
        columns=-(-len(shown) // 2),
        repeat=True,
        progress=None if small else True,
    )
    kinesphere.save(motion("wave"), bvh)
    kinesphere.save(motion("wave"), glb, character=figure())
    return [first, overview, moving, bvh, glb]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "demo"
    written = main(target)
    print("Wrote one gesture in eight elements of Effort, and all our motions:")
    for path in written:
        print(f"  {path}  ({path.stat().st_size / 1024:.0f} kB)")
