"""What `make demo` runs: our own figure in our own motions, as files for other programs and as pictures for people."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import kinesphere
from kinesphere.figure import figure, motion, motions
from kinesphere.pictures import film, surface_sheet
from kinesphere.pictures.contact_sheet import save_picture

FILMED = ("wave", "drink", "punch")


def main(folder: Path, *, small: bool = False) -> list[Path]:
    """Write a sheet of all default motions, a film of three, and a wave as BVH and on the figure as GLB."""
    folder.mkdir(parents=True, exist_ok=True)
    kinesphere.warm_up()
    sheet, moving, bvh, glb = (folder / name for name in ("motions.png", "motions.mp4", "wave.bvh", "wave.glb"))
    shown = [motion(name) for name in (FILMED if small else motions())]
    save_picture(surface_sheet(shown, frames=6 if small else 9, size=(600, 400) if small else (1500, 3000)), sheet)
    size, seconds = ((240, 120), 0.2) if small else ((960, 420), 4.0)
    if find_spec("imageio_ffmpeg") is None:  # no encoder: a GIF needs none
        moving = moving.with_suffix(".gif")
    film([motion(name) for name in FILMED], moving, size=size, seconds=seconds, progress=not small)
    kinesphere.save(motion("wave"), bvh)
    kinesphere.save(motion("wave"), glb, character=figure())
    return [sheet, moving, bvh, glb]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "demo"
    written = main(target)
    print("Wrote our figure's motions:")
    for path in written:
        print(f"  {path}  ({path.stat().st_size / 1024:.0f} kB)")
