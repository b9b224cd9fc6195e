"""Cut a motion, close it to a loop, mirror it, and write several clips into one file."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere.body import loop
from kinesphere.builtin import motion
from kinesphere.files import save_clips

folder = Path(tempfile.mkdtemp())
walk = motion("walk")
part = walk.between(0.5, 3.5)

# The whole part as a loop, and one cycle of it: its last frame is the first again, moved on by what the cycle travels.
whole = loop(part)
cycle = loop(part, search=True)
for made in (whole, cycle):
    print(made.source.evidence[-1])
print(f"both ends of the cycle differ by {np.abs(cycle.rotations[0] - cycle.rotations[-1]).max():.1e}")

# Several motions of one skeleton are the clips of one file.
clips = [
    replace(cycle, name="walk"),
    replace(cycle.mirrored(), name="walk, mirrored"),
    replace(cycle.in_place(), name="walk in place"),
    replace(cycle.resampled(24.0), name="walk, 24 fps"),
]
save_clips(clips, folder / "walks.glb")
print(f"{folder / 'walks.glb'}: {', '.join(kinesphere.clip_names(folder / 'walks.glb'))}")

# The same on the command line:
#     kinesphere trim walk -o part.glb --start 0.5 --end 3.5
#     kinesphere loop part.glb -o cycle.glb --search --preview
#     kinesphere mirror cycle.glb -o mirrored.glb
