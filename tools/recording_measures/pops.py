"""Pops: joints and hands whose speed changes from one frame to the next by more than the recording's ever does.

A joint may turn as suddenly as it does in 99.9 % of the recording's frames, or as it does there: captures have pops of
their own. It may do more where time runs faster: speeds grow with the pace, changes of speed with its square. What is
more is counted. It is a **pop** where the frames around it are calm: a vigorous movement has many such frames, a jump
one or two.

Where a joint of the recording leaps it is left out, until ``LEAPT`` seconds later and earlier: a hand that trails shows
the leap later. A leap is a step of more than 60° and of more than 3000° a second, which is more than four times as long
as what the joint does on the median of the four frames to each side (``engine.recorded_frames.find_leaps``).
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recorded_frames import find_leaps
from kinesphere.maths.filters import running_maximum
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.humanoid import SIDES
from recording_measures.performances import Found, Performance, turning

USUAL = 99.9  # per cent
NEXT, NEAR = 3, 9  # frames: around a pop, which itself is nearer than the first
SEEN = 0.5  # degrees a frame a frame, from which on a frame counts
THERE = 5  # frames of the recording to each side of the moment that is shown
STILL = 0.05  # degrees a frame a frame that every joint may do
LEAPT = 0.2  # seconds
PATHS = ("head", "hips", "leftFoot", "rightFoot")


def measure(own: Performance) -> dict[str, Found]:
    """Changes of speed beyond the recording's own: of joints in degrees, of hands and body in millimetres."""
    before, now = own.recorded.turning, turning(own.motion.rotations)
    if len(now) < 2 * NEAR:
        return {}
    pace = np.maximum(own.paces[1:-1], 1.0)
    usual = _allowed(own, norms(np.diff(before, axis=0)), 1)[1:-1]
    bends = norms(np.diff(now, axis=0))  # (T − 2, J)
    sound = _sound(own)[1:-1]
    excess = np.where(sound, bends - (pace**2)[:, None] * usual - STILL, 0.0)
    calm = _calmest(bends)
    spikes = np.minimum(excess, bends - calm)
    fastest = _allowed(own, norms(before), 0)[1:-1]
    speeds = np.where(sound, norms(now)[1:] - pace[:, None] * fastest, 0.0) * own.motion.rate
    names = own.motion.skeleton.names

    def worst(values: Floats) -> Found:
        frame, joint = np.unravel_index(int(np.argmax(values)), values.shape)
        return Found(max(float(values[frame, joint]), 0.0), f"{names[int(joint)]} {own.at(int(frame) + 1)}")

    counted = int((excess.max(axis=1) > SEEN).sum())
    return {
        "turn speed": worst(speeds),
        "turn bend": worst(excess),
        "bent frames": Found(float(counted), worst(excess).where),
        "turn pop": worst(spikes),
        "hand bend": _paths(own, tuple(f"{side}Hand" for side in SIDES)),
        "body bend": _paths(own, PATHS),
    }


def _sound(own: Performance) -> Bools:
    """``(T, J)`` where the recording of a joint does not leap about the moment that is shown."""
    plain = own.recorded.plain
    leapt = np.zeros(plain.rotations.shape[:2])
    for frame, joint in find_leaps(plain.rotations, plain.rate).tolist():
        around = round(LEAPT * plain.rate)
        leapt[max(frame - around, 0) : frame + 2 + around, joint] = 1.0
    return np.asarray(own.shown(leapt) == 0.0)


def _allowed(own: Performance, values: Floats, first: int) -> Floats:
    """``(T, J)`` what the recording does usually, or at the moments shown; ``values`` begin at its frame ``first``."""
    around = np.stack([running_maximum(column, THERE) for column in values.T], axis=1)
    rows = np.clip(np.round(own.frames).astype(np.intp) - first, 0, len(values) - 1)
    return np.maximum(around[rows], np.percentile(values, USUAL, axis=0))


def _calmest(values: Floats) -> Floats:
    """``(T, J)`` the greatest of values near each frame, but not at it: on the calmer side."""
    padded = np.pad(values, ((NEAR, NEAR), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * NEAR + 1, axis=0)  # (T, J, W)
    early, late = windows[..., : NEAR - NEXT + 1].max(axis=-1), windows[..., NEAR + NEXT :].max(axis=-1)
    return np.asarray(np.minimum(early, late))


def _paths(own: Performance, roles: tuple[str, ...]) -> Found:
    """Millimetres a frame a frame at half the rate beyond the recording's own."""
    worst = Found(0.0)
    known = own.recorded.phrase.body.roles
    for role in roles:
        if role not in known:
            continue
        joint = known[role]
        before, now = _bends(own.recorded.world[1][:, joint]), _bends(own.world[1][:, joint])
        if len(now) < 3 or len(before) < 3:
            continue
        pace = np.maximum(own.paces[2:-2], 1.0)
        rows = np.clip(np.round(own.frames[2:-2]).astype(np.intp) - 2, 0, len(before) - 1)
        usual = np.maximum(running_maximum(before, 2 * THERE)[rows], np.percentile(before, USUAL))
        excess = own.recorded.millimetres * (now - pace**2 * usual)
        at = int(np.argmax(excess))
        if excess[at] > worst.value:
            worst = Found(float(excess[at]), f"{role} {own.at(at + 2)}")
    return worst


def _bends(path: Floats) -> Floats:
    """``(T − 4,)`` changes of a path's velocity at half the rate, about every frame: whichever frames are left out."""
    return norms(path[4:] - 2.0 * path[2:-2] + path[:-4])
