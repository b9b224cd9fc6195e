"""How high the hips are over the feet of another body."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.body.calibration import Calibration
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES

NEARLY = 0.003  # metres that a planted foot may fall short before the hips come down
LIFTED = 0.1  # leg lengths: a foot so high carries nothing
STRAIGHT = 0.08  # of a leg: how much straighter counts
SMOOTH = 0.1  # seconds to each side over which hips come down


def hips_lift(c: Calibration, source_p: Floats, places: Floats, ankles: Sequence[Floats], rate: float) -> Floats:
    """What to add to the height of all joints ``(T,)``, so that legs are as far stretched as they were.

    Bodies differ between left and right and in the width of their hips, and feet that stand elsewhere need legs of
    another length.
    """
    lift = _stretched(c, source_p, places, ankles)
    return lift - _out_of_reach(c, places + (lift[:, None] * [0.0, 1.0, 0.0])[:, None], ankles, rate)


def _stretched(c: Calibration, source_p: Floats, places: Floats, ankles: Sequence[Floats]) -> Floats:
    """The lift that gives the legs that carry the body the source's stretch, in the mean over both."""
    roles, theirs = c.target.skeleton.roles, c.source.skeleton.roles
    total, weights, none = np.zeros(len(places)), np.full(len(places), 1e-9), np.ones(len(places))
    for side, ankle in zip(SIDES, ankles, strict=True):
        length = c.target.lengths[f"{side}Leg"]
        here = source_p[:, theirs[f"{side}Foot"]] - source_p[:, theirs[f"{side}UpperLeg"]]
        stretch = np.minimum(np.linalg.norm(here, axis=-1) / c.source.lengths[f"{side}Leg"], 1.0)
        way = ankle - places[:, roles[f"{side}UpperLeg"]]
        level = np.linalg.norm(way[:, [0, 2]], axis=-1)
        drop = np.sqrt(np.maximum((stretch * length) ** 2 - level**2, 0.0))
        # A leg far aside does not tell how high the hips are.
        upright = np.clip(2.0 - 2.0 * level / np.maximum(stretch * length, 1e-9), 0.0, 1.0)
        # The straighter leg says it: the other only bends a little differently.
        carrying = _carrying(c, ankle, length) * upright
        weight = carrying / (1.0 + STRAIGHT - stretch) ** 2
        total += weight * (drop + way[:, 1])
        weights += weight
        none *= 1.0 - carrying
    lift: Floats = (1.0 - none) * total / weights
    return lift


def _carrying(c: Calibration, ankle: Floats, length: float) -> Floats:
    """1 for a foot on the ground, 0 for one in the air: nobody bends the standing leg to kick farther."""
    lifted = (ankle[:, 1] - c.target.ankle_height) / (LIFTED * length)
    share: Floats = 1.0 - np.clip(lifted, 0.0, 1.0) ** 2
    return share


def _out_of_reach(c: Calibration, places: Floats, ankles: Sequence[Floats], rate: float) -> Floats:
    """How far the hips must come down ``(T,)`` so that both feet are reached, smoothed over a fifth of a second."""
    roles = c.target.skeleton.roles
    lack = np.zeros(len(places))
    for side, ankle in zip(SIDES, ankles, strict=True):
        way = ankle - places[:, roles[f"{side}UpperLeg"]]
        longest = c.target.lengths[f"{side}Leg"] + NEARLY
        level = np.minimum(np.linalg.norm(way[:, [0, 2]], axis=-1), 0.98 * longest)
        lack = np.maximum(lack, _carrying(c, ankle, longest) * (-way[:, 1] - np.sqrt(longest**2 - level**2)))
    half = max(int(SMOOTH * rate), 1)
    padded = np.pad(lack, 2 * half, mode="edge")
    # The largest need within reach of each frame, then its mean: smooth, and never less than what is needed there.
    widest = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).max(axis=-1)
    smooth: Floats = np.lib.stride_tricks.sliding_window_view(widest, 2 * half + 1).mean(axis=-1)
    return smooth
