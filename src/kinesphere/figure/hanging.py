"""An arm that is not asked for anything: it hangs, and swings a little when its shoulder is moved."""

from __future__ import annotations

import numpy as np

from kinesphere.figure.spans import Spans
from kinesphere.kernels import pendulum, rotations
from kinesphere.kernels.arrays import Floats

HANGS = 0.85  # share of the torso's lean that a hanging arm does not follow
SWING, DAMPED = 0.95, 0.5  # a hanging arm's own cycles a second, and its damping
FOLLOWS = 0.75  # of the shoulder's acceleration that reaches the arm
FARTHEST = 0.22  # metres that it swings
SETTLED = 0.5  # seconds before the end from which it comes to rest


def hung(spans: Spans, size: float, rest: Floats, shoulder: Floats, chest: Floats) -> Floats:
    """Where hanging wrists are, from their places ``rest (F, 3)`` in the chest's frame and as it sees them ``(F, 3)``.

    Below the shoulder whatever the torso's lean, swinging when the shoulder is moved.
    """
    ahead = rotations.rotate(chest, np.array([0.0, 0.0, 1.0]))
    half = 0.5 * np.arctan2(ahead[:, 0], ahead[:, 2])
    heading = np.zeros_like(chest)
    heading[:, 0], heading[:, 2] = np.cos(half), np.sin(half)
    upright = rotations.slerp(chest, heading, np.full(len(chest), HANGS))
    swing = _swing(spans, spans.rounded(shoulder, 0.03), size)
    away = rotations.rotate(upright, rest) + swing
    return rotations.rotate(rotations.conjugate(chest), away) - rest


def _swing(spans: Spans, pivot: Floats, size: float) -> Floats:
    """``(F, 3)`` how far a damped pendulum's end is from below its pivot, level."""
    omega = 2.0 * np.pi * SWING / np.sqrt(size)
    path = np.zeros_like(pivot)
    for frames, loop in zip(spans.slices(), spans.loops, strict=True):
        own = pivot[frames]
        again = np.concatenate([own[:-1]] * 4 + [own[-1:]]) if loop else own  # a loop is run until it repeats
        run = pendulum.swung(again, spans.rate, omega, DAMPED, FOLLOWS)[-len(own) :]
        if not loop:  # at rest again when the gesture is over
            left = np.minimum((len(run) - 1 - np.arange(len(run))) / (SETTLED * spans.rate), 1.0)
            run = run * (left * left * (3.0 - 2.0 * left))[:, None]
        path[frames] = run
    path[:, 1] = 0.0
    far = FARTHEST * size
    level = np.hypot(path[:, 0], path[:, 2])
    return np.asarray(path * np.where(level > 1e-9, far * np.tanh(level / far) / np.maximum(level, 1e-9), 1.0)[:, None])
