"""One motion after another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.placing import UP, heading, lead_joint, moved

SAME_BODY = 1e-3  # metres by which offsets of one body may differ between files


def concatenated(first: Motion, second: Motion, *, align: bool = False, blend: float = 0.0) -> Motion:
    """``first`` and then ``second``, which must have the same joints and rate.

    ``align`` moves the second over the ground and turns it about the vertical so that it starts where the first
    ended, facing the same way. ``blend`` seconds after the seam are eased from where the first left off; nothing before
    it changes. Calibration frames that the second begins with are left out: a T-pose in the middle would flash.
    """
    if not first.skeleton.same_tree(second.skeleton):
        raise ValueError(
            f"the motions have different joints ({len(first.skeleton)} and {len(second.skeleton)}): retarget one first"
        )
    if abs(first.rate - second.rate) > 1e-9 * first.rate:
        raise ValueError(f"rates differ ({first.rate:g} and {second.rate:g} fps): resample one first")
    if np.abs(first.skeleton.offsets - second.skeleton.offsets).max() > SAME_BODY:
        raise ValueError("the motions are of bodies with other bone lengths: retarget one first")
    performed = second.performed_frames
    second = second[int(performed[0]) :] if performed.size else second
    if align:
        second = _aligned(first, second)
    q, t = second.rotations, second.translations
    if blend > 0.0:
        q, t = _eased(first, second, blend)
    scales = None
    if first.scales is not None or second.scales is not None:
        scales = np.concatenate([_scales(first), _scales(second)])
    return replace(
        first,
        rotations=rotations.continuous(np.concatenate([first.rotations, q])),
        translations=np.concatenate([first.translations, t]),
        scales=scales,
        calibration_frames=(*first.calibration_frames, *(len(first) + f for f in second.calibration_frames)),
    )


def _scales(motion: Motion) -> Floats:
    return np.ones(motion.translations.shape) if motion.scales is None else motion.scales


def _aligned(first: Motion, second: Motion) -> Motion:
    lead, end = lead_joint(first), _end(first)
    (ended, ended_at), (starts, starts_at) = first[end : end + 1].world(), second[:1].world()
    turn_by = float(heading(ended[0, lead])) - float(heading(starts[0, lead]))
    turn = rotations.from_rotation_vector(turn_by * UP)
    shift = (ended_at[0, lead] - rotations.rotate(turn, starts_at[0, lead])) * [1.0, 0.0, 1.0]
    return moved(second, turn, shift)


def _end(motion: Motion) -> int:
    """The last performed frame."""
    performed = motion.performed_frames
    return int(performed[-1]) if performed.size else len(motion) - 1


def _eased(first: Motion, second: Motion, blend: float) -> tuple[Floats, Floats]:
    """The step across the seam, added to what follows and let go with a smooth, level-ended curve."""
    end = _end(first)
    u = np.clip(np.arange(len(second)) / (blend * second.rate), 0.0, 1.0)
    left = 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u * u)
    step = rotations.to_rotation_vector(
        rotations.multiply(first.rotations[end], rotations.conjugate(second.rotations[0]))
    )
    q = rotations.multiply(rotations.from_rotation_vector(step * left[:, None, None]), second.rotations)
    jump = first.translations[end] - second.translations[0]
    return q, second.translations + jump * left[:, None, None]
