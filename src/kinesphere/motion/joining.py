"""One motion after another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.placing import UP, heading, moved


def concatenated(first: Motion, second: Motion, *, align: bool = False, blend: float = 0.0) -> Motion:
    """``first`` and then ``second``, which must have the same joints and rate.

    ``align`` moves the second over the ground and turns it about the vertical so that it starts where the first
    ended, facing the same way. ``blend`` seconds after the seam are eased from where the first left off; nothing before
    it changes.
    """
    if not first.skeleton.same_tree(second.skeleton):
        raise ValueError(
            f"the motions have different joints ({len(first.skeleton)} and {len(second.skeleton)}): retarget one first"
        )
    if abs(first.rate - second.rate) > 1e-9 * first.rate:
        raise ValueError(f"rates differ ({first.rate:g} and {second.rate:g} fps): resample one first")
    skipped = _skipped(second)
    if align:
        second = _aligned(first, second, skipped)
    q, t = second.rotations, second.translations
    if blend > 0.0:
        q, t = _eased(first, second, skipped, blend)
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


def _skipped(motion: Motion) -> int:
    """How many calibration frames a motion begins with."""
    performed = motion.performed_frames
    return int(performed[0]) if performed.size else 0


def _scales(motion: Motion) -> Floats:
    return np.ones(motion.translations.shape) if motion.scales is None else motion.scales


def _aligned(first: Motion, second: Motion, start: int) -> Motion:
    root = first.skeleton.roots[0]
    end = int(first.performed_frames[-1]) if first.performed_frames.size else len(first) - 1
    turn_by = float(heading(first.rotations[end, root])) - float(heading(second.rotations[start, root]))
    turn = rotations.from_rotation_vector(turn_by * UP)
    place = rotations.rotate(turn, second.translations[start, root])
    shift = (first.translations[end, root] - place) * [1.0, 0.0, 1.0]
    return moved(second, turn, shift)


def _eased(first: Motion, second: Motion, start: int, blend: float) -> tuple[Floats, Floats]:
    """The step across the seam, added to what follows and let go with a smooth, level-ended curve."""
    end = int(first.performed_frames[-1]) if first.performed_frames.size else len(first) - 1
    u = np.clip((np.arange(len(second)) - start) / (blend * second.rate), 0.0, 1.0)
    left = np.where(np.arange(len(second)) < start, 0.0, 1.0 - u**3 * (10.0 - 15.0 * u + 6.0 * u * u))
    step = rotations.to_rotation_vector(
        rotations.multiply(first.rotations[end], rotations.conjugate(second.rotations[start]))
    )
    q = rotations.multiply(rotations.from_rotation_vector(step * left[:, None, None]), second.rotations)
    jump = first.translations[end] - second.translations[start]
    return q, second.translations + jump * left[:, None, None]
