"""Frames of a recording at moments of it, in arrays of their own that a performance then changes."""

from __future__ import annotations

import numpy as np

from kinesphere.maths import threads
from kinesphere.maths.interpolation import resample_rotations, resample_vectors, rotation_steps
from kinesphere.maths.vectors import Floats, Ints, clip, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion

SAMPLE_WORK = 8  # what a sampled number is worth when frames are shared among threads
BLOCK = 8192  # frames that are sampled at once
STEPS_KEPT = 2_000_000  # rotations of a motion up to which its steps are kept with it, in 48 MB


@memoised
def moving_joints(motion: Motion) -> Ints:
    """Joints whose translations change: as a rule the root alone."""
    return np.flatnonzero((motion.translations != motion.translations[0]).any(axis=(0, 2)))


@memoised
def _kept_steps(motion: Motion) -> Floats | None:
    """The steps of its rotations, which every sampling of them asks for; None of a motion of many minutes."""
    few = len(motion) > 1 and motion.rotations[..., 0].size <= STEPS_KEPT
    return freeze(rotation_steps(motion.rotations)) if few else None


@memoised
def _bone_lengths(motion: Motion) -> tuple[Ints, Floats, Floats]:
    """Joints ``(K,)`` whose bones stretch, as cartoon limbs do, and their least and greatest lengths."""
    carriers = {motion.skeleton.roles.get("hips", -1), *np.flatnonzero(motion.skeleton.parents < 0).tolist()}
    joints = np.array([joint for joint in moving_joints(motion).tolist() if joint not in carriers], dtype=np.intp)
    lengths = norms(motion.translations[:, joints])
    return joints, lengths.min(axis=0), lengths.max(axis=0)


def _keep_lengths(motion: Motion, translations: Floats) -> None:
    """Keep bones as long as they are in some frame: what is interpolated between two may be longer, or shorter."""
    joints, least, greatest = _bone_lengths(motion)
    if len(joints):
        made = translations[:, joints]
        lengths = norms(made)
        translations[:, joints] = made * (clip(lengths, least, greatest) / np.maximum(lengths, 1e-12))[..., None]


def _around(frames: Floats, count: int) -> tuple[Floats, int, int]:
    """Fractional frames from the first one that is needed for them, that one, and one after the last."""
    first = max(int(np.floor(frames.min())) - 2, 0)
    end = min(int(np.ceil(frames.max())) + 3, count)
    return frames - first, first, end


def sample_frames(motion: Motion, times: Floats) -> tuple[Floats, Floats]:
    """Local rotations and translations at times of a motion, in arrays of their own."""
    frames = times * motion.rate
    nearest = np.round(frames)
    frames = clip(np.where(np.abs(frames - nearest) < 1e-6, nearest, frames), 0.0, len(motion) - 1.0)
    if np.array_equal(frames, np.arange(frames[0], frames[0] + len(frames))):
        rows = slice(int(frames[0]), int(frames[0]) + len(frames))
        return motion.rotations[rows].copy(), motion.translations[rows].copy()
    moving, steps = moving_joints(motion), _kept_steps(motion)
    local = np.empty((len(frames), *motion.rotations.shape[1:]))
    translations = np.empty((len(frames), *motion.translations.shape[1:]))

    def sample(part: slice) -> None:
        for first in range(part.start, part.stop, BLOCK):
            rows = slice(first, min(first + BLOCK, part.stop))
            at, a, b = _around(frames[rows], len(motion))
            known = None if steps is None else steps[a : b - 1]
            resample_rotations(motion.rotations[a:b], at, steps=known, out=local[rows])
            translations[rows] = motion.translations[0]
            translations[rows][:, moving] = resample_vectors(motion.translations[a:b][:, moving], at)
            _keep_lengths(motion, translations[rows])

    threads.share_frames(len(frames), len(frames) * motion.rotations[0].size * SAMPLE_WORK, sample)
    return local, translations


def show_other_moments(motion: Motion, joints: Ints, times: Floats, local: Floats) -> None:
    """Let some joints of poses ``(T, J, 4)`` show other moments of a motion, in place."""
    steps = _kept_steps(motion)
    for first in range(0, len(local), BLOCK):
        rows = slice(first, first + BLOCK)
        at, a, b = _around(times[rows] * motion.rate, len(motion))
        known = None if steps is None else np.ascontiguousarray(steps[a : b - 1][:, joints])
        local[rows][:, joints] = resample_rotations(motion.rotations[a:b][:, joints], at, steps=known)
