"""One gesture on bodies of unlike proportions, generated on each without retargeting; with a folder, a sheet of Mo.

.venv/bin/python examples/20_any_body.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import kinesphere
from kinesphere import body_of, generate, phrase_of

for name, character in {"figure": kinesphere.figure(), "child": kinesphere.figure(1.1), "Mo": kinesphere.mo()}.items():
    body = body_of(character)
    motion = generate(phrase_of("clap", body))
    left, right = (motion.positions_world()[:, body.roles[f"{side}Hand"]] for side in ("left", "right"))
    nearest = np.linalg.norm(left - right, axis=-1).min()
    print(
        f"{name}: arms {100 * body.lengths['leftArm']:.0f} cm, wrists come within {100 * nearest:.1f} cm of each other"
    )
    if len(sys.argv) > 1 and name == "Mo":
        path = Path(sys.argv[1]) / "mo_claps.png"
        kinesphere.pictures.save_picture(kinesphere.sheet(motion, character=character), path)
        print(f"wrote {path}")
