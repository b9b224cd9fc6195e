"""Spines and necks of different numbers of joints."""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.calibration import Calibration
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats


def trunk_rotations(c: Calibration, source_q: Floats) -> dict[int, Floats]:
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
    return found


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
