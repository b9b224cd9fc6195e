"""Resampling and retiming: a motion at another frame rate or along a time map."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.interpolation import resample_rotations, resample_vectors
from kinesphere.maths.vectors import ArrayLike, Floats, as_floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap

MOST_POSES = 200_000_000  # frames × joints: 11 GB


def resample(motion: Motion, rate: float, *, smooth: bool = True) -> Motion:
    """See ``Motion.resampled``. The new clip ends within half a new frame of where the old one did."""
    if not np.isfinite(rate) or rate <= 0.0:
        raise ValueError(f"rate {rate}: a positive number of frames a second is expected")
    if rate == motion.rate:
        return motion
    count = _frame_count(motion.duration, rate, len(motion.skeleton))
    return sample_motion(motion, np.arange(count) / rate, rate, smooth=smooth)


def retime(motion: Motion, time_map: TimeMap, *, smooth: bool = True) -> Motion:
    """Retime a motion by a time map, at its own rate. It starts at time 0, wherever the map takes 0."""
    start, end = (float(t) for t in time_map(np.array([0.0, motion.duration])))
    count = _frame_count(end - start, motion.rate, len(motion.skeleton))
    new_times = start + np.arange(count) / motion.rate
    return sample_motion(motion, time_map.inverse()(new_times), motion.rate, smooth=smooth)


def pose_at_times(motion: Motion, times: ArrayLike, *, smooth: bool = True) -> tuple[Floats, Floats, Floats | None]:
    """Local rotations, translations and scales at any times.

    Calibration frames are not interpolated with their neighbours: a pose between a T-pose and the first performed
    frame would be neither.
    """
    frames = as_floats(times) * motion.rate
    nearest = np.round(frames)
    frames = np.where(np.abs(frames - nearest) < 1e-6, nearest, frames)  # original frames are kept exactly
    marked = np.zeros(len(motion), dtype=bool)
    marked[list(motion.calibration_frames)] = True
    q = np.empty((len(frames), len(motion.skeleton), 4))
    t = np.empty((len(frames), len(motion.skeleton), 3))
    s = None if motion.scales is None else np.empty(t.shape)
    edges = [0, *(np.flatnonzero(np.diff(marked)) + 1).tolist(), len(motion)]
    for first, end in zip(edges[:-1], edges[1:], strict=True):
        # Times between the last frame of a run and the first of the next belong to the performed side.
        lower = first if marked[first] or first == 0 else first - 1 + 1e-9
        upper = end - 1 if marked[first] or end == len(motion) else end - 1e-9
        inside = (frames >= lower) & (frames <= upper)
        if first == 0:
            inside |= frames < 0
        if end == len(motion):
            inside |= frames > end - 1
        if not inside.any():
            continue
        local = frames[inside] - first
        q[inside] = resample_rotations(motion.rotations[first:end], local, smooth=smooth)
        t[inside] = resample_vectors(motion.translations[first:end], local, smooth=smooth)
        if s is not None and motion.scales is not None:
            s[inside] = resample_vectors(motion.scales[first:end], local, smooth=False)
    return rotations.continuous(q), t, s


def _frame_count(seconds: float, rate: float, joints: int) -> int:
    """Number of frames in a duration; absurdly many raise ``ValueError``."""
    count = int(np.floor(min(max(seconds, 0.0) * rate, 1e15) + 0.5 + 1e-6)) + 1
    if count * joints > MOST_POSES:
        raise ValueError(f"{seconds:g} s at {rate:g} frames a second would be {count} frames of {joints} joints")
    return count


def sample_motion(motion: Motion, times: Floats, rate: float, *, smooth: bool = True) -> Motion:
    """Sample a motion at the times ``(N,)``; the result has the given rate."""
    q, t, s = pose_at_times(motion, times, smooth=smooth)
    frames = times * motion.rate
    marked = [i for i, f in enumerate(frames) if any(abs(f - c) < 1e-6 for c in motion.calibration_frames)]
    return replace(motion, rate=rate, rotations=q, translations=t, scales=s, calibration_frames=tuple(marked))
