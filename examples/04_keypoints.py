"""Read, change and write the key points of a gesture as text."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from kinesphere import load_keypoints, save_keypoints

TEXT = """# a reach across the body, centimetres and degrees
part: rightArm
units: cm
angles: degrees
rate: 30
0    -10 -45 10    0  goal
12     5   0 40   20  via
24    30  10 35   30  goal
"""

folder = Path(tempfile.mkdtemp())
(folder / "reach.keys").write_text(TEXT)
reach = load_keypoints(folder / "reach.keys")
print(f"{len(reach.keys)} keys in {reach.duration:.2f} s, on the {reach.part}")
slower = replace(reach, rate=reach.rate / 2, locked=True)
save_keypoints(slower, folder / "slower.keys")
print((folder / "slower.keys").read_text())
