"""Everything that pictures need done once, small: it compiles the kernels and keeps them on disk.

numba compiles a kernel when it is first called with arrays of a kind, which takes half a second each. Installing runs
this, so that nobody waits for it at their first picture. Real work is done rather than kernels called with made-up
arrays: only then are they compiled for the kinds of arrays that they will get.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from kinesphere.body.foot_lock import lock_feet
from kinesphere.body.retargeting import retarget
from kinesphere.figure.body import mo
from kinesphere.figure.library import motion
from kinesphere.files.loading import load, save
from kinesphere.kernels import rotations
from kinesphere.kernels.compiled import warm_up
from kinesphere.motion.motion import Motion
from kinesphere.motion.placing import moved
from kinesphere.pictures.films import still
from kinesphere.pictures.sheets import surface_sheet


def rehearse() -> bool:
    """Read, write, retarget, hold feet, act and draw something small. False without numba: nothing is compiled then."""
    if warm_up() is None:
        return False
    wave = motion("wave")
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as folder:
        for name in ("wave.bvh", "wave.glb"):
            save(wave[:40], Path(folder) / name)
            load(Path(folder) / name)
    onto = retarget(wave[:40], mo())
    lock_feet(_drifting(motion("walk")))
    still(onto, 0.3, character=mo(), size=(96, 96), trails=True, ghosts=1)
    surface_sheet(wave, frames=2, size=(200, 200))
    return True


def _drifting(motion: Motion) -> Motion:
    """On a floor that moves, so that there is something to hold."""
    return moved(motion, rotations.identity(), 0.02 * np.sin(2.4 * motion.times)[:, None] * [1.0, 0.0, 0.5])


if __name__ == "__main__":
    rehearse()
