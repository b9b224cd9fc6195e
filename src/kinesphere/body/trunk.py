"""Spines and necks of different numbers of joints."""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.calibration import Calibration
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats


def trunk_rotations(c: Calibration, source_q: Floats, source_p: Floats) -> dict[int, Floats]:
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
    swing = rotations.between(rotations.rotate(turned, resting), chord)
    wanted = rotations.rotate(swing, rotations.rotate(turned, rotations.rotate(across, ours_resting)))
    offsets = c.target.skeleton.offsets
    have = sum(rotations.rotate(found[joint], offsets[child]) for joint, child in zip(ours[:-1], ours[1:], strict=True))
    correction = rotations.between(have, wanted)
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
