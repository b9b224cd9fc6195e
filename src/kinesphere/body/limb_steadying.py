"""Elbows and knees that do not shake: captures twist straight limbs as they like, and bent ones would show it."""

from __future__ import annotations

import numpy as np

from kinesphere.body.leg_paths import swivels
from kinesphere.body.limb_parts import Limb, cross, unit
from kinesphere.body.limb_reach import full_reach
from kinesphere.body.limb_solving import Laid, swivelled
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, lengths
from kinesphere.motion.motion import Motion

CALM = 0.03  # metres a second that a joint's velocity may change from frame to frame, besides what it did around
AROUND = 0.05  # seconds


def steadied(motion: Motion, limb: Limb, before: Floats, p: Floats, laid: Laid, share: Floats) -> Laid:
    """The limb swivelled about its way, so that its middle joint jolts no more than it did.

    ``before`` and ``p`` ``(T, J, 3)`` are world positions of the input and of the pose that the limb is laid in;
    ``share (T,)`` says how much it may swivel.
    """
    start, was = p[:, limb.upper], before[:, limb.lower]
    bone = rotations.rotate(laid.upper, p[:, limb.lower] - start)
    if len(was) < 4 or not _jolts(was, start + bone, motion.rate):
        return laid
    whole = float(full_reach(limb, p).mean())
    along = unit(laid.end - start)
    angle = swivels(was / whole, (start + bone - was) / whole, cross(along, bone) / whole, share[:, None], motion)
    return swivelled(limb, p, laid, angle)


def _jolts(was: Floats, now: Floats, rate: float) -> bool:
    """Whether a joint's velocity changes anywhere much more from frame to frame than it did around there."""
    old, new = (lengths(np.diff(path, 2, axis=0)) * rate for path in (was, now))
    reach = max(round(AROUND * rate), 3)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(old, reach), 2 * reach + 1).max(axis=1)
    return bool((new > 1.5 * around + CALM).any())
