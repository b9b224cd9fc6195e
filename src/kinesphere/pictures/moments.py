"""Which moments of a motion are worth showing: few of them, none like another, from the first to the last.

Even steps miss the blow of a punch and show a walk in one phase over and over. So moments start at even times, and each
in turn moves, not far, to where its pose is least like those of all the others, until none wants to. Ends of strokes
are unlike everything else and draw them; a walk's strides are met at different phases.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths import kinematics
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.pictures.bones import BoneFigure, bone_points

_CANDIDATES = 600  # moments to choose from, however long the motion
_STIR = 0.03  # body heights: a body that moves less than this is shown at even times
_LIKE = 0.35  # of how different poses of a motion usually are: nearer ones look the same
_FREE, _ROOM = 0.75, 0.4  # even steps that a moment may move from its even time, and those it keeps from the next
_EVEN = 0.1  # how much an even time is worth
_ROUNDS = 8


def candidate_frames(motion: Motion) -> Ints:
    """Performed frames to choose from, evenly spaced, the first and the last among them."""
    performed = motion.performed_frames if motion.performed_frames.size else np.arange(len(motion))
    places = np.linspace(0, len(performed) - 1, min(_CANDIDATES, len(performed)))
    return performed[np.round(places).astype(np.intp)]


def pose_features_at(motion: Motion, figure: BoneFigure, frames: Ints, travels: bool) -> Floats:
    """``pose_features`` some frames."""
    turned, placed = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    return pose_features(bone_points(motion.skeleton, turned, placed), figure, travels)


def pose_features(points: Floats, figure: BoneFigure, travels: bool) -> Floats:
    """``(N, F)`` numbers that differ as poses look different: places of the body's points, in body heights.

    Seen from the hips' place on the floor for a body that travels; fingers don't count.
    """
    shown = sorted({end for bone in figure.bones if not bone.thin for end in (bone.start, bone.end)} | {figure.base})
    seen = points[:, shown]
    if travels:
        seen = seen - points[:, figure.base, None] * [1.0, 0.0, 1.0]
    flat: Floats = seen.reshape(len(points), -1) / (figure.height * np.sqrt(len(shown)))
    return flat


def select_moments(poses: Floats, times: Floats, count: int) -> Ints:
    """``count`` places among increasing ``times`` (or all), by ``poses`` of theirs; the first and the last are kept."""
    if count >= len(times):
        return np.arange(len(times))
    if count == 1:
        return np.zeros(1, dtype=np.intp)
    usual = np.sqrt(2.0 * np.mean(np.sum((poses - poses.mean(axis=0)) ** 2, axis=1)))
    unlike = poses / max(float(usual), _STIR)
    even = np.linspace(times[0], times[-1], count)
    number = np.arange(count)
    found = np.minimum(np.searchsorted(times, even - 1e-9), len(times) - count + number)
    found = np.maximum.accumulate(found - number) + number  # each later than the one before
    for _ in range(_ROUNDS):
        before = found.copy()
        for i in range(1, count - 1):
            found[i] = _moved(unlike, times, even, found, i)
        if np.array_equal(found, before):
            break
    return found


def _moved(unlike: Floats, times: Floats, even: Floats, found: Ints, i: int) -> int:
    """Where moment ``i`` goes, between its neighbours."""
    step, before, after = even[1] - even[0], found[i - 1], found[i + 1]
    within = np.arange(before + 1, after)
    offset = (times[within] - even[i]) / step
    room = np.minimum(times[within] - times[before], times[after] - times[within]) / step
    free = (np.abs(offset) <= _FREE) & (room >= _ROOM) | (within == found[i])
    within, offset = within[free], offset[free]
    apart = np.sum((unlike[within, None] - unlike[np.delete(found, i)]) ** 2, axis=2)
    # A long tail: also among poses that are all unlike the others, the most unlike is best.
    alike = np.sum(1.0 / (1.0 + apart / _LIKE**2), axis=1)
    return int(within[np.argmin(alike + _EVEN * offset**2)])
