"""Everything that pictures need done once, small: it compiles the kernels and keeps them on disk.

numba compiles a kernel when it is first called with arrays of a kind, which takes half a second each. Installing runs
this, so that nobody waits for it at their first picture. Real work is done rather than kernels called with made-up
arrays: only then are they compiled for the kinds of arrays that they will get.
"""

from __future__ import annotations

import tempfile
import warnings
from itertools import product
from pathlib import Path

import numpy as np

from kinesphere.body.foot_lock.lock import lock_feet
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin.characters import mo
from kinesphere.builtin.library import motion
from kinesphere.files.loading import load, save
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.maths import rotations
from kinesphere.maths.compiled import use_compiled
from kinesphere.motion.motion import Motion
from kinesphere.motion.transform import move_motion
from kinesphere.pictures.films import still
from kinesphere.pictures.sheets import sheet
from kinesphere.score.performing import perform
from kinesphere.signals.alignment import align
from kinesphere.signals.blend import Blend
from kinesphere.signals.displace import Displace
from kinesphere.signals.displacement import Target
from kinesphere.signals.edit import Edit
from kinesphere.signals.equalize import Equalize
from kinesphere.signals.smooth import Smooth
from kinesphere.signals.timewarp import Timewarp
from kinesphere.signals.waveshape import Waveshape


def warm_up_pictures() -> bool:
    """Read, write, retarget, hold feet, act and draw something small. False without numba: nothing is compiled then."""
    if not use_compiled():
        return False
    wave = motion("wave")
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as folder:
        for name in ("wave.bvh", "wave.glb"):
            save(wave[:40], Path(folder) / name)
            load(Path(folder) / name)
    onto = retarget(wave[:40], mo())
    lock_feet(_drifting(motion("walk")))
    still(onto, 0.3, character=mo(), size=(96, 96), trails=True, ghosts=1)
    sheet(wave, frames=2, size=(200, 200))
    return True


def _drifting(motion: Motion) -> Motion:
    """On a floor that moves, so that there is something to hold."""
    return move_motion(motion, rotations.identity(), 0.02 * np.sin(2.4 * motion.times)[:, None] * [1.0, 0.0, 0.5])


if __name__ == "__main__":
    warm_up_pictures()


# ---- Everything done once, small: ``python -m kinesphere.cli.warm_up`` compiles the kernels and keeps them on disk.
#
# Installing runs this, so that nobody waits for it at their first edit. What pictures need is rehearsed there, and
# first.


def warm_up_all() -> bool:
    """Draw, perform and edit something small. False without numba: nothing is compiled then."""
    if not warm_up_pictures():
        return False
    perform("wave", Effort(0.5, -0.5, 0.5, -0.5), Shape(0.2, 0.2, 0.2))
    walk = motion("walk")
    some = walk.rotations[:, :20]
    for one, other in product((some, np.ascontiguousarray(some)), repeat=2):  # arrays that are copied are another kind
        rotations.slerp(one, other, 0.5)
    edits: tuple[Edit | Timewarp, ...] = (
        Equalize(preset="exaggerate"),
        Waveshape("undulation"),
        Waveshape("limits", by="joint"),
        Smooth(1.0),
        Timewarp(bpm=100.0),
        *(
            Displace([Target(part, seconds=1.0, by=(0.02, -0.05, 0.0))])
            for part in ("rightHand", "leftFoot", "head", "hips")
        ),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for edit in edits:
            edit(walk)
        Blend(bands={2: [1.0, 0.0]})(walk, walk[20:])
        Blend(align=False)(walk, walk[20:])
        align(walk, walk[20:], "shape")
    return True


if __name__ == "__main__":
    warm_up_all()
