"""Flourishes of short strokes: how much of a long stroke's curl and wrist swing is left in one of a fifth of a second.

The same four goals, at locked times, once far apart in time and once 0.2 s apart. A flourish is what an element adds to
neutral: the hand's distance from neutral's path, and the wrist's swing. Nothing is smoothed.
"""

from __future__ import annotations

import numpy as np

from kinesphere import Effort, Gesture, Keypoint, Keypoints, Motion, perform
from kinesphere.maths.vectors import Floats, norms, unit

LONG, SHORT = 1.0, 0.2  # seconds of a stroke
RATE = 240.0
# Metres from the right shoulder: outward is negative, up, ahead.
GOALS = ((-0.10, -0.15, 0.30), (-0.32, 0.05, 0.28), (-0.05, 0.10, 0.36), (-0.28, -0.18, 0.34), (-0.10, -0.15, 0.30))
FLOURISHING = {"indirect": Effort(space=-1.0, lock_times=True), "light": Effort(weight=-1.0, lock_times=True),
               "free": Effort(flow=-1.0, lock_times=True)}  # fmt: skip


def flourish_shares() -> dict[str, float]:
    """For each element that has flourishes, and on the mean: what is left of them in strokes of 0.2 s."""
    neutral = {seconds: _perform(seconds, Effort(lock_times=True)) for seconds in (LONG, SHORT)}
    shares = {}
    for name, effort in FLOURISHING.items():
        sizes = {seconds: _flourish(_perform(seconds, effort), neutral[seconds], seconds) for seconds in (LONG, SHORT)}
        shares[name] = float(np.mean([a / b for a, b in zip(sizes[SHORT], sizes[LONG], strict=True) if b > 1e-3]))
    return shares | {"mean": float(np.mean(list(shares.values())))}


def _perform(seconds: float, effort: Effort) -> Motion:
    keys = tuple(Keypoint(60.0 * (0.5 + i * seconds), place, -0.4) for i, place in enumerate(GOALS))
    gesture = Gesture("strokes", 1.0 + (len(GOALS) - 1) * seconds, None, Keypoints(keys, 60.0, "rightArm"))
    return perform(gesture, effort, rate=RATE)


def _flourish(motion: Motion, neutral: Motion, seconds: float) -> tuple[float, float]:
    """Metres off neutral's path, and radians of wrist swing beyond neutral's, means over strokes."""
    (path, bend), (plain, straight) = _seen(motion), _seen(neutral)
    off, swing = [], []
    for i in range(len(GOALS) - 1):
        frames = slice(round((0.5 + i * seconds) * RATE), round((0.5 + (i + 1) * seconds) * RATE) + 1)
        apart = norms(path[frames][:, None] - plain[frames][None])
        off.append(float(apart.min(axis=1).max()))
        swing.append(max(float(np.ptp(bend[frames]) - np.ptp(straight[frames])), 0.0))
    return float(np.mean(off)), float(np.mean(swing))


def _seen(motion: Motion) -> tuple[Floats, Floats]:
    """The right wrist from the chest ``(T, 3)``, and its angle ``(T,)``."""
    p, roles = motion.positions_world(), motion.skeleton.roles
    elbow, wrist, knuckle = (p[:, roles[f"right{part}"]] for part in ("LowerArm", "Hand", "MiddleProximal"))
    cosine = np.sum(unit(wrist - elbow) * unit(knuckle - wrist), axis=1)
    return wrist - p[:, roles["upperChest"]], np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))
