"""Outliers: spikes of a few frames, and freezes of joints that are never still. Neither is noise, nor movement.

A joint spikes if it steps away and back, both steps far longer than those around. Where joints are measured by their
positions, as depth cameras do, a hand that spikes turns all bones of its arm: where a position
spikes, the two bones that lead to it are taken for wrong. Rotations that spike without taking any joint elsewhere, as
bones that flip about themselves do, are left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.maths import rotations
from kinesphere.maths.filters import widen
from kinesphere.maths.kinematics import forward_positions
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import root_joint
from kinesphere.signals.gaps import METRE, body_size, find_freezes, pose_steps, stays, still_runs

LONGEST = 3  # frames
AROUND = 3  # steps before and after a spike that say how long steps usually are
LEAST_TURN = float(np.radians(5.0))  # radians: less is noise
LEAST_SHIFT = 0.09  # of the body's size that a joint's position spikes
MOST_TURN, MOST_SHIFT = 900.0, 300.0  # radians, and sizes of the body, a second²: bodies accelerate by less
LEAST_AND_MOST = (LEAST_TURN, MOST_TURN), (LEAST_SHIFT, MOST_SHIFT)
RATIO, RATIO_BESIDE = 3.0, 0.7  # times the usual step, for itself and next to another spike
BACK, BACK_BESIDE = 0.5, 2.0  # of the step: nearer to where it left, a joint is back
HELD, EASE = 0.1, 0.1  # seconds for which a joint must stay to be held, and over which that ends
NOISY = float(np.radians(0.05))  # radians: joints with less noise may stay to the last bit


def find_rests(motion: Motion) -> Bools:
    """``(T + 1, J)`` whether joints are as they were in the frame before, to the last bit; False before and after."""
    same = np.zeros((len(motion) + 1, len(motion.skeleton)), dtype=np.bool_)
    for run in performed_runs(motion):
        same[run.start + 1 : run.stop] = stays((motion.rotations[run], motion.translations[run]))
    return same


def find_outliers(motion: Motion, same: Bools | None = None) -> Bools:
    """``(T, J)`` the outliers of each joint; ``same`` as of ``find_rests``."""
    same = find_rests(motion) if same is None else same
    found = np.zeros(motion.rotations.shape[:2], dtype=np.bool_)
    for run in performed_runs(motion):
        if run.stop - run.start < 2 * AROUND + LONGEST:
            continue
        pose = motion.rotations[run], motion.translations[run]
        found[run] = _find_spikes(motion.skeleton, motion.rate, *pose)
        frozen = find_freezes(pose, motion.rate, same[run.start + 1 : run.stop])
        joints = np.flatnonzero(frozen.any(axis=0))
        if joints.size:
            found[run, joints] |= frozen[:, joints] & (_noise(pose[0][:, joints], pose[1][:, joints]) > NOISY)
    return found


def still_share(same: Bools, rate: float) -> Floats | None:
    """``(T, J)`` how much of an edit joints take: 0 where they are held, to the last bit, and ease away from there.

    ``same`` is as of ``find_rests``. None: no joint is held anywhere.
    """
    count = max(round(HELD * rate), 3)
    held = np.zeros((len(same) - 1, same.shape[1]), dtype=np.bool_)
    joints, firsts, lasts = still_runs(same)
    long = lasts + 1 - firsts >= count
    for joint, first, last in zip(*(values[long].tolist() for values in (joints, firsts, lasts)), strict=True):
        held[first - 1 : last + 1, joint] = True
    if not held.any():
        return None
    share, fade = np.ones(held.shape), max(round(EASE * rate), 1)
    for joint in np.flatnonzero(held.any(axis=0)).tolist():
        share[:, joint] = 1.0 - widen(held[:, joint], fade, fade)
        share[held[:, joint], joint] = 0.0
    return share


def mix(motion: Motion, made: Motion, share: Floats) -> Motion:
    """From a motion to what was made of it, by shares ``(T, J)``; exact to the last bit at 0 and 1."""
    if (share == 1.0).all():
        return made
    local, translations = made.rotations.copy(), made.translations.copy()
    none = np.nonzero(share == 0.0)
    local[none], translations[none] = motion.rotations[none], motion.translations[none]
    some = np.nonzero((share > 0.0) & (share < 1.0))
    part = share[some]
    local[some] = rotations.slerp(motion.rotations[some], local[some], part)
    translations[some] += (1.0 - part)[:, None] * (motion.translations[some] - made.translations[some])
    return replace(made, rotations=freeze(local), translations=freeze(translations))


def _noise(local: Floats, translations: Floats) -> Floats:
    """``(J,)`` the noise of each joint in its parent, in radians with ``METRE`` radians for each metre."""
    steps = rotations.multiply(rotations.conjugate(local[:-1]), local[1:])
    turns = np.median(np.abs(np.diff(2.0 * steps[..., 1:], 2, axis=0)), axis=(0, 2))
    moves = np.median(np.abs(np.diff(translations, 3, axis=0)), axis=(0, 2))
    return np.asarray((turns + METRE * moves) / (0.67449 * np.sqrt(20.0)))


def _find_spikes(skeleton: Skeleton, rate: float, local: Floats, translations: Floats) -> Bools:
    """``(T, J)`` the joints' spikes."""
    root, places = root_joint(skeleton), forward_positions(local, translations, skeleton.parents)
    path = places[:, root].copy()
    places -= path[:, None]
    places[:, root] = path
    # A frame that is off by d has second differences of 2 d.
    turn, shift = (max(least, most / (2.0 * rate * rate)) for least, most in LEAST_AND_MOST)
    moved = _spikes(lambda over: norms(places[over:] - places[:-over]), shift * body_size(skeleton), RATIO, BACK)
    found = np.zeros_like(moved)
    if not moved.any():
        return found
    turned, sudden = (
        _spikes(lambda over: pose_steps((local, translations), over), *limits)
        for limits in ((turn, RATIO, BACK), (LEAST_TURN, RATIO_BESIDE, BACK_BESIDE))
    )
    shows, beside = moved.copy(), np.zeros_like(moved)
    found[:, root] = moved[:, root]
    for joint, parent in reversed(list(enumerate(skeleton.parents.tolist()))):
        if parent >= 0:
            shows[:, parent] |= shows[:, joint]
            beside[:, joint] |= turned[:, parent]
            beside[:, parent] |= turned[:, joint]
        if joint != root:
            for bone in (parent, int(skeleton.parents[parent])):
                if bone >= 0:
                    found[:, bone] |= moved[:, joint]
    return np.asarray(found | (shows & (turned | (beside & sudden))))


def _spikes(steps_over: Callable[[int], Floats], shortest: float, ratio: float, back: float) -> Bools:
    """``(T, N)`` spikes of curves, from how far ``(T − n, N)`` they go in n frames."""
    steps = steps_over(1)
    mask = np.zeros((len(steps) + 1, steps.shape[1]), dtype=np.bool_)
    if not steps.max(initial=0.0) > shortest:
        return mask
    padded = np.pad(steps, ((AROUND, AROUND), (0, 0)), mode="reflect")
    for count in range(1, LONGEST + 1):
        least = np.minimum(steps[:-count], steps[count:])
        # A spike exceeds the second longest step around it, so the shorter one of its two neighbours as well.
        near = np.minimum(padded[AROUND - 1 : AROUND - 1 + len(least)], padded[AROUND + count + 1 :][: len(least)])
        at, curves = np.nonzero(least > np.maximum(shortest, ratio * near))
        if not at.size:
            continue
        around = [AROUND + at - 1 - k for k in range(AROUND)] + [AROUND + at + count + 1 + k for k in range(AROUND)]
        usual = np.partition(np.stack([padded[rows, curves] for rows in around]), -2, axis=0)[-2]
        size, returned = least[at, curves], steps_over(count + 1)[at, curves]
        sure = (size > np.maximum(shortest, ratio * usual)) & (returned < back * size)
        for k in range(count):
            mask[at[sure] + 1 + k, curves[sure]] = True
    for frame, end in ((0, steps), (-1, steps[::-1])):  # a clip's first and last frame have no way back
        mask[frame] |= end[0] > np.maximum(2.0 * shortest, ratio * end[1 : AROUND + 1].max(axis=0))
    return mask
