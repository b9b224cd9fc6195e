"""Everything done once, small: ``python -m kinesphere.cli.rehearsal`` compiles the kernels and keeps them on disk.

Installing runs this, so that nobody waits for it at their first edit. What pictures need is rehearsed there, and first.
"""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from kinesphere.figure.library import motion
from kinesphere.kernels import rotations
from kinesphere.laban.effort import Effort
from kinesphere.laban.shape import Shape
from kinesphere.pictures import rehearsal
from kinesphere.score.perform import perform
from kinesphere.signals.alignment import align
from kinesphere.signals.blend import Blend
from kinesphere.signals.displace import Displace, Target
from kinesphere.signals.edit import Edit
from kinesphere.signals.equalize import Equalize
from kinesphere.signals.smooth import Smooth
from kinesphere.signals.timewarp import Timewarp
from kinesphere.signals.waveshape import Waveshape


def rehearse() -> bool:
    """Draw, perform and edit something small. False without numba: nothing is compiled then."""
    if not rehearsal.rehearse():
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
    rehearse()
