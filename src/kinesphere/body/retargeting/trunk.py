"""Retarget spine and neck between bodies with different numbers of trunk joints."""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats


def retarget_trunk(c: Calibration, source_q: Floats, source_p: Floats) -> dict[int, Floats]:
    """World rotations ``(T, 4)`` of the target's joints from the spine's first to the head.

    A source's spine is taken as a curve of rotations from the hips (0) to the chest (1), each joint's at its upper
    end. Target joints sample that curve at their own upper ends, so equal chains are copied, and longer and shorter
    ones bend alike. Necks likewise, from chest to head.
    """
    found: dict[int, Floats] = {}
    below = _anatomical_rotation(c.source, source_q, c.source.skeleton.roles["hips"])
    for source_chain, target_chain in ((c.source.spine, c.target.spine), (c.source.neck, c.target.neck)):
        if not source_chain or not target_chain:
            continue
        keys = np.concatenate([[0.0], _upper_ends(c.source, source_chain)])
        curve = [below, *(_anatomical_rotation(c.source, source_q, joint) for joint in source_chain)]
        for joint, at in zip(target_chain, _upper_ends(c.target, target_chain), strict=True):
            i = int(np.clip(np.searchsorted(keys, at, side="left") - 1, 0, len(keys) - 2))
            u = np.clip((at - keys[i]) / max(keys[i + 1] - keys[i], 1e-12), 0.0, 1.0)
            sampled = rotations.slerp(curve[i], curve[i + 1], np.full(len(source_q), u))
            found[joint] = rotations.multiply(sampled, rotations.conjugate(_trunk_frame(c.target, joint)))
        below = curve[-1]
    _align_spine(c, source_q, source_p, found)
    return found


def _align_spine(c: Calibration, source_q: Floats, source_p: Floats, found: dict[int, Floats]) -> None:
    """Swing the spine below its last joint, so that the line from its first to its last joint is the source's."""
    chain, source_chain = c.target.spine, c.source.spine
    if len(chain) < 2 or len(source_chain) < 2:
        return
    line = source_p[:, source_chain[-1]] - source_p[:, source_chain[0]]
    if not np.all(np.any(line != 0.0, axis=1)):
        return  # bones of no length have no direction
    source_rest, rest = (
        body.pose.positions[joints[-1]] - body.pose.positions[joints[0]]
        for body, joints in ((c.source, source_chain), (c.target, chain))
    )
    hips = c.source.skeleton.roles["hips"]
    from_rest = rotations.multiply(source_q[:, hips], rotations.conjugate(c.source.pose.rotations[hips]))
    swing = rotations.rotation_between(rotations.rotate(from_rest, source_rest), line)
    # In body axes the two rest poses agree, so a direction is transferred from one to the other through them.
    to_source = rotations.multiply(c.source.basis, rotations.conjugate(c.target.basis))
    wanted = rotations.rotate(swing, rotations.rotate(from_rest, rotations.rotate(to_source, rest)))
    bones = zip(chain[:-1], c.target.skeleton.offsets[list(chain[1:])], strict=True)
    current = sum(rotations.rotate(found[joint], bone) for joint, bone in bones)
    correction = rotations.rotation_between(current, wanted)
    for joint in chain[:-1]:
        found[joint] = rotations.multiply(correction, found[joint])


def _trunk_frame(body: Anatomy, joint: int) -> Floats:
    """Trunk joints have the body's own axes, whatever they are called."""
    return rotations.multiply(rotations.conjugate(body.pose.rotations[joint]), body.basis)


def _anatomical_rotation(body: Anatomy, q: Floats, joint: int) -> Floats:
    return rotations.multiply(q[:, joint], _trunk_frame(body, joint))


def _upper_ends(body: Anatomy, chain: tuple[int, ...]) -> Floats:
    """How far up the chain each joint's bone ends, as a share; the last one at 1."""
    lengths = body.skeleton.bone_lengths
    steps = np.array([*(lengths[joint] for joint in chain[1:]), 0.0])
    steps[-1] = max(steps[:-1].mean() if len(chain) > 1 else 1.0, 1e-9)  # the last bone's end is not in the chain
    ends = np.cumsum(np.maximum(steps, 1e-9))
    shares: Floats = ends / ends[-1]
    return shares
