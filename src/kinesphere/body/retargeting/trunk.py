"""Retarget spine and neck between bodies with different numbers of trunk joints."""

from __future__ import annotations

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.retargeting.calibration import Calibration
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats


def retarget_trunk(calibration: Calibration, source_rotations: Floats, source_positions: Floats) -> dict[int, Floats]:
    """World rotations ``(T, 4)`` of the target's joints from the spine's first to the head.

    The source's spine is a curve of rotations over the height from hips (0) to chest (1): each joint gives the value at
    the upper end of its bone. Target joints sample that curve at their own upper ends. So a spine with the same joints
    is copied, and one with more or fewer joints bends the same way overall. Necks likewise, from chest to head.
    """
    source, target = calibration.source, calibration.target
    target_rotations: dict[int, Floats] = {}
    start_rotation = _rotation_in_body_axes(source, source_rotations, source.skeleton.roles["hips"])
    for source_chain, target_chain in (
        (source.spine, target.spine),
        (source.neck, target.neck),
    ):
        if not source_chain or not target_chain:
            continue
        keys = np.concatenate([[0.0], _upper_ends(source, source_chain)])
        curve = [
            start_rotation,
            *(_rotation_in_body_axes(source, source_rotations, joint) for joint in source_chain),
        ]
        for joint, at in zip(target_chain, _upper_ends(target, target_chain), strict=True):
            i = int(np.clip(np.searchsorted(keys, at, side="left") - 1, 0, len(keys) - 2))
            u = np.clip((at - keys[i]) / max(keys[i + 1] - keys[i], 1e-12), 0.0, 1.0)
            sampled = rotations.slerp(curve[i], curve[i + 1], np.full(len(source_rotations), u))
            target_rotations[joint] = rotations.multiply(sampled, rotations.conjugate(_trunk_frame(target, joint)))
        start_rotation = curve[-1]
    _align_spine(calibration, source_rotations, source_positions, target_rotations)
    return target_rotations


def _align_spine(
    calibration: Calibration, source_rotations: Floats, source_positions: Floats, target_rotations: dict[int, Floats]
) -> None:
    """Rotate all spine joints but the last, in place, so that the spine has the direction that it has on the source.

    Its direction is that of the line from its first to its last joint.
    """
    source, target = calibration.source, calibration.target
    chain, source_chain = target.spine, source.spine
    if len(chain) < 2 or len(source_chain) < 2:
        return
    line = source_positions[:, source_chain[-1]] - source_positions[:, source_chain[0]]
    if not np.all(np.any(line != 0.0, axis=1)):
        return  # bones of no length have no direction
    source_rest, rest = (
        body.pose.positions[joints[-1]] - body.pose.positions[joints[0]]
        for body, joints in ((source, source_chain), (target, chain))
    )
    hips = source.skeleton.roles["hips"]
    hips_from_rest = rotations.multiply(source_rotations[:, hips], rotations.conjugate(source.pose.rotations[hips]))
    swing = rotations.rotation_between(rotations.rotate(hips_from_rest, source_rest), line)
    # The two rest poses agree in body axes (left, up, forward): these convert directions from target to source.
    to_source = rotations.multiply(source.basis, rotations.conjugate(target.basis))
    wanted = rotations.rotate(swing, rotations.rotate(hips_from_rest, rotations.rotate(to_source, rest)))
    bones = zip(chain[:-1], target.skeleton.offsets[list(chain[1:])], strict=True)
    current = sum(rotations.rotate(target_rotations[joint], bone) for joint, bone in bones)
    correction = rotations.rotation_between(current, wanted)
    for joint in chain[:-1]:
        target_rotations[joint] = rotations.multiply(correction, target_rotations[joint])


def _trunk_frame(body: Anatomy, joint: int) -> Floats:
    """The rotation ``(4,)`` from the body's axes (left, up, forward) to a trunk joint's own, at rest."""
    return rotations.multiply(rotations.conjugate(body.pose.rotations[joint]), body.basis)


def _rotation_in_body_axes(body: Anatomy, world_rotations: Floats, joint: int) -> Floats:
    """World rotations ``(T, 4)`` of the body's axes at a joint, from world rotations ``(T, J, 4)`` of all joints."""
    return rotations.multiply(world_rotations[:, joint], _trunk_frame(body, joint))


def _upper_ends(body: Anatomy, chain: tuple[int, ...]) -> Floats:
    """The height of each bone's upper end along the chain, as a fraction of the chain's length; 1 for the last."""
    lengths = body.skeleton.bone_lengths
    steps = np.array([*(lengths[joint] for joint in chain[1:]), 0.0])
    # The last bone has no end in this chain: assume the mean length.
    steps[-1] = max(steps[:-1].mean() if len(chain) > 1 else 1.0, 1e-9)
    ends = np.cumsum(np.maximum(steps, 1e-9))
    shares: Floats = ends / ends[-1]
    return shares
