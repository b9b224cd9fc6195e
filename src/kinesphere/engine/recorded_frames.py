"""Frames of a recording at moments of it, in arrays of their own that a performance then changes.

Some joints of captures leap: a thumb is turned by up to 180° from one frame to the next, and back. Some bodies do: the
root is elsewhere from one frame to the next, where takes were joined or a tracker lost it. Between such frames there is
no movement, and the nearer one is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.body import body_of
from kinesphere.maths import threads
from kinesphere.maths.interpolation import resample_cubics, resample_vectors, rotation_cubics, rotation_steps
from kinesphere.maths.vectors import Floats, Ints, clip, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion

SAMPLE_WORK = 4  # what a sampled number is worth when frames are shared among threads
BLOCK = 8192  # frames that are sampled at once
LEAP, LEAP_SPEED = np.radians(60.0), np.radians(3000.0)  # from one frame to the next, and a second: no body is as quick
LEAPS_BEYOND, AROUND = 4.0, 4  # times what a joint does on the median of frames to each side
FARTHEST, FASTEST = 0.1, 14.0  # leg lengths from one frame to the next, and a second, beyond which bodies leap
CUBICS_KEPT = 1_000_000  # rotations of a motion up to which its cubics are kept with it, in 72 MB


@memoised
def moving_joints(motion: Motion) -> Ints:
    """Joints whose translations change: as a rule the root alone."""
    return np.flatnonzero((motion.translations != motion.translations[0]).any(axis=(0, 2)))


@dataclass(frozen=True, eq=False)
class Turns:
    """Rotations of joints ``(T, J, 4)`` to be sampled between their frames, except where they leap."""

    rotations: Floats
    cubics: Floats | None  # (T − 1, J, 3, 3) between frames, none where they leap; None: too many to be kept
    leaps: Ints  # (L, 2) the frame before each leap, and the joint

    @classmethod
    def of(cls, rotations: Floats, rate: float) -> Turns:
        """Of rotations at a rate."""
        leaps = find_leaps(rotations, rate)
        few = len(rotations) > 1 and rotations[..., 0].size <= CUBICS_KEPT
        return cls(rotations, freeze(_cubics(rotations, leaps)) if few else None, leaps)

    def at(self, frames: Floats) -> Floats:
        """``(N, J, 4)`` at fractional frames ``(N,)``."""
        made = np.empty((len(frames), *self.rotations.shape[1:]))
        self.write(frames, np.arange(made.shape[1]), made)
        return made

    def write(self, frames: Floats, joints: Ints, out: Floats) -> None:
        """Write some joints ``(K,)`` at fractional frames ``(N,)`` into poses ``(N, J, 4)``."""
        frames, first, end = _around(frames, len(self.rotations))
        shown, leaps = self.rotations[first:end], self.leaps - (first, 0)
        leaps = leaps[(leaps[:, 0] >= 0) & (leaps[:, 0] < len(shown) - 1)]
        if len(shown) == 1:
            out[:, joints] = shown[0, joints]
        elif self.cubics is not None:
            resample_cubics(shown, self.cubics[first : end - 1], frames, joints, joints, out)
        else:
            own = np.ascontiguousarray(shown[:, joints])
            at = np.searchsorted(joints, leaps[:, 1])
            found = joints[np.minimum(at, len(joints) - 1)] == leaps[:, 1]
            cubics = _cubics(own, np.stack([leaps[:, 0], at], axis=1)[found])
            resample_cubics(own, cubics, frames, np.arange(len(joints)), joints, out)
        if len(leaps):
            nearest, chosen = np.floor(frames + 0.5).astype(np.intp), set(joints.tolist())
            for frame, joint in leaps.tolist():
                if joint in chosen:
                    out[(nearest == frame + 1) & (frames < frame + 1), joint] = shown[frame + 1, joint]


@memoised
def _turns(motion: Motion) -> Turns:
    """The rotations of a motion, with cubics that every sampling asks for."""
    return Turns.of(motion.rotations, motion.rate)


def find_leaps(rotations: Floats, rate: float) -> Ints:
    """``(L, 2)`` the frames before which, and the joints that, rotations ``(T, J, 4)`` leap.

    A leap is far more than the joint does in the frames around, and more than bodies do: in clips of few frames a
    second every step is long.
    """
    least = max(LEAP, LEAP_SPEED / rate)
    if len(rotations) < 2 or least >= np.pi:
        return np.zeros((0, 2), dtype=np.intp)
    cosines = np.abs(np.einsum("tjk,tjk->tj", rotations[1:], rotations[:-1], optimize=False))
    found = []
    for frame, joint in np.argwhere(cosines < np.cos(0.5 * least)).tolist():
        near = cosines[max(frame - AROUND, 0) : frame + AROUND + 1, joint]
        usual, own = (2.0 * np.arccos(np.minimum(value, 1.0)) for value in (np.median(near), cosines[frame, joint]))
        if own > LEAPS_BEYOND * usual:
            found.append((frame, joint))
    return np.array(found, dtype=np.intp).reshape(-1, 2)


def _cubics(rotations: Floats, leaps: Ints) -> Floats:
    """``(T − 1, J, 3, 3)`` from each frame to the next; none where joints leap."""
    steps = rotation_steps(rotations)
    steps[leaps[:, 0], leaps[:, 1]] = 0.0
    return rotation_cubics(steps)


def path_leaps(path: Floats, rate: float, length: float) -> Floats | None:
    """``(T, 3)`` how far a path of a body with legs of this length has leapt by each frame; None: it does not leap.

    A leap is far more than the body goes before it and after it, and more than bodies do: who jumps goes on. What the
    body goes on the mean of the frame before and the one after is no part of a leap.
    """
    steps = np.diff(path, axis=0)
    far = norms(steps)

    def is_alone(frame: int) -> bool:
        near = steps[[own for own in (frame - 1, frame + 1) if 0 <= own < len(steps)]]
        return bool(far[frame] ** 2 > LEAPS_BEYOND * (near @ steps[frame]).max(initial=0.0))

    found = [
        frame for frame in np.flatnonzero(far > length * max(FARTHEST, FASTEST / rate)).tolist() if is_alone(frame)
    ]
    if not found:
        return None
    leaps = np.zeros_like(path)
    plain = np.setdiff1d(np.arange(len(steps)), found)
    for frame in found:
        near = plain[np.abs(plain - frame) == 1]
        leaps[frame + 1 :] += steps[frame] - (steps[near].mean(axis=0) if len(near) else 0.0)
    return leaps


@memoised
def _root_leaps(motion: Motion) -> Floats | None:
    """``(T, K, 3)`` how far moving joints have leapt by each frame: roots and hips alone do; None: nothing does."""
    if "hips" not in motion.skeleton.roles:
        return None
    moving, legs = moving_joints(motion), body_of(motion).lengths
    carriers = {motion.skeleton.roles["hips"], *np.flatnonzero(motion.skeleton.parents < 0).tolist()}
    length, leaps = 0.5 * (legs["leftLeg"] + legs["rightLeg"]), np.zeros((len(motion), len(moving), 3))
    for i, joint in enumerate(moving.tolist()):
        own = path_leaps(motion.translations[:, joint], motion.rate, length) if joint in carriers else None
        if own is not None:
            leaps[:, i] = own
    return freeze(leaps) if leaps.any() else None


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
    moving, turns, joints = moving_joints(motion), _turns(motion), np.arange(motion.rotations.shape[1])
    leaps = _root_leaps(motion)
    local = np.empty((len(frames), *motion.rotations.shape[1:]))
    translations = np.empty((len(frames), *motion.translations.shape[1:]))

    def sample(part: slice) -> None:
        for first in range(part.start, part.stop, BLOCK):
            rows = slice(first, min(first + BLOCK, part.stop))
            turns.write(frames[rows], joints, local[rows])
            at, a, b = _around(frames[rows], len(motion))
            translations[rows] = motion.translations[0]
            path = motion.translations[a:b][:, moving]
            if leaps is None:
                translations[rows][:, moving] = resample_vectors(path, at)
            else:
                shown = leaps[a:b][np.floor(at + 0.5).astype(np.intp)]
                translations[rows][:, moving] = resample_vectors(path - leaps[a:b], at) + shown
            _keep_lengths(motion, translations[rows])

    threads.share_frames(len(frames), len(frames) * motion.rotations[0].size * SAMPLE_WORK, sample)
    return local, translations


def show_other_moments(motion: Motion, joints: Ints, times: Floats, local: Floats) -> None:
    """Let some joints, in order, of poses ``(T, J, 4)`` show other moments of a motion, in place."""
    for first in range(0, len(local), BLOCK):
        rows = slice(first, first + BLOCK)
        _turns(motion).write(times[rows] * motion.rate, joints, local[rows])
