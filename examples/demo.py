"""What `make demo` runs: the project's own greeting, saved for other programs and drawn for people."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import kinesphere
from greeting import greeting
from kinesphere.pictures.contact_sheet import contact_sheet, save_picture


def main(folder: Path) -> list[Path]:
    """Write the greeting as BVH, as GLB and as a contact sheet."""
    folder.mkdir(parents=True, exist_ok=True)
    motion = greeting()
    written = [folder / f"greeting{suffix}" for suffix in (".bvh", ".glb", ".png")]
    kinesphere.save(motion, written[0])
    kinesphere.save(motion, written[1])
    again = kinesphere.load(written[0])  # the picture shows what another program would read
    save_picture(contact_sheet(again), written[2])
    return written


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "demo"
    print("Wrote a greeting:")
    for path in main(target):
        print(f"  {path}  ({path.stat().st_size / 1024:.0f} kB)")
