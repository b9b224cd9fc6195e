"""Load a motion, print its contents, draw a contact sheet, and write it in another format."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import kinesphere
from greeting import greeting
from kinesphere.pictures import bone_sheet, save_picture

folder = Path(tempfile.mkdtemp())
kinesphere.save(greeting(), folder / "greeting.bvh")

motion = kinesphere.load(folder / "greeting.bvh")
print(motion)
print(*motion.source.evidence, sep="\n")

positions = motion.positions_world()  # (frames, joints, 3), metres, Y up
right_hand = motion.skeleton.index("rightHand")
print(f"The right hand rises to {positions[:, right_hand, 1].max():.2f} m.")

save_picture(bone_sheet(motion, frames=8), folder / "greeting.png")
kinesphere.save(motion, folder / "greeting.glb")
print("Wrote", *sorted(path.name for path in folder.iterdir()))
