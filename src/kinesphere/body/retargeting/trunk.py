"""Spines and necks of different numbers of joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES


def retarget_trunk(c: Calibration, source_q: Floats, source_p: Floats) -> dict[int, Floats]:
    """World rotations ``(T, 4)`` of the target's joints from the spine's first to the head.

    A source's spine is taken for a curve of rotations from the hips (0) to the chest (1), each joint's at its
    upper end; target joints read it at theirs. Equal chains are copied, longer and shorter ones bend alike. Necks
    likewise, from chest to head.
    """
    hips = _anatomical(c.source, source_q, c.source.skeleton.roles["hips"])
    found: dict[int, Floats] = {}
    below = hips
    for source_chain, target_chain in ((c.source.spine, c.target.spine), (c.source.neck, c.target.neck)):
        if not source_chain or not target_chain:
            continue
        keys = np.concatenate([[0.0], _upper_ends(c.source, source_chain)])
        curve = [below, *(_anatomical(c.source, source_q, joint) for joint in source_chain)]
        for joint, at in zip(target_chain, _upper_ends(c.target, target_chain), strict=True):
            i = int(np.clip(np.searchsorted(keys, at, side="left") - 1, 0, len(keys) - 2))
            share = np.clip((at - keys[i]) / max(keys[i + 1] - keys[i], 1e-12), 0.0, 1.0)
            between = rotations.slerp(curve[i], curve[i + 1], np.full(len(source_q), share))
            found[joint] = rotations.multiply(between, rotations.conjugate(_frame(c.target, joint)))
        below = curve[-1]
    _lean(c, source_q, source_p, found)
    return found


def _lean(c: Calibration, source_q: Floats, source_p: Floats, found: dict[int, Floats]) -> None:
    """Swing the joints below the last of the spine, so that its foot and its top lie as they do in the source."""
    ours, theirs = c.target.spine, c.source.spine
    if len(ours) < 2 or len(theirs) < 2:
        return
    chord = source_p[:, theirs[-1]] - source_p[:, theirs[0]]
    if not np.all(np.any(chord != 0.0, axis=1)):
        return  # bones of no length lean nowhere
    resting, ours_resting = (
        body.posture.positions[chain[-1]] - body.posture.positions[chain[0]]
        for body, chain in ((c.source, theirs), (c.target, ours))
    )
    hips = c.source.skeleton.roles["hips"]
    turned = rotations.multiply(source_q[:, hips], rotations.conjugate(c.source.posture.rotations[hips]))
    # In body axes the two rest poses agree, so a direction passes from one to the other through them.
    across = rotations.multiply(c.source.basis, rotations.conjugate(c.target.basis))
    swing = rotations.rotation_between(rotations.rotate(turned, resting), chord)
    wanted = rotations.rotate(swing, rotations.rotate(turned, rotations.rotate(across, ours_resting)))
    offsets = c.target.skeleton.offsets
    have = sum(rotations.rotate(found[joint], offsets[child]) for joint, child in zip(ours[:-1], ours[1:], strict=True))
    correction = rotations.rotation_between(have, wanted)
    for joint in ours[:-1]:
        found[joint] = rotations.multiply(correction, found[joint])


def _frame(body: Anatomy, joint: int) -> Floats:
    """Trunk joints have the body's own axes, whatever they are called."""
    return rotations.multiply(rotations.conjugate(body.posture.rotations[joint]), body.basis)


def _anatomical(body: Anatomy, world: Floats, joint: int) -> Floats:
    return rotations.multiply(world[:, joint], _frame(body, joint))


def _upper_ends(body: Anatomy, chain: tuple[int, ...]) -> Floats:
    """How far up the chain each joint's bone ends, as a share; the last one at 1."""
    lengths = body.skeleton.bone_lengths
    steps = np.array([*(lengths[joint] for joint in chain[1:]), 0.0])
    steps[-1] = max(steps[:-1].mean() if len(chain) > 1 else 1.0, 1e-9)  # what the last one carries is not in the chain
    ends = np.cumsum(np.maximum(steps, 1e-9))
    shares: Floats = ends / ends[-1]
    return shares


# ---- How high the hips are over the feet of another body.


NEARLY = 0.003  # metres that a planted foot may fall short before the hips come down
LIFTED = 0.1  # leg lengths: a foot so high carries nothing
STRAIGHT = 0.08  # of a leg: how much straighter counts
SMOOTH = 0.1  # seconds to each side over which hips come down


def hip_height_offset(
    c: Calibration, source_p: Floats, places: Floats, ankles: Sequence[Floats], rate: float
) -> Floats:
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
