"""How an observer's weights and thresholds are fixed on examples: arrays in, numbers out.

Signs come from the literature and never from the examples; only how much each cue counts does, by least squares with
weights that may not be negative. Thresholds are then those that code most examples right. See ``cues`` for the signs.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import Bools, Floats, Ints

RIDGE = 0.02  # of the number of examples: keeps cues that say the same from cancelling each other
SWEEPS = 2000
STEPS = 71  # thresholds tried for each element
RARE = 0.3  # no element is in more of the examples than the rest of this


def fixed_weights(cues: Floats, present: Floats, blur: Floats) -> Floats:
    """Weights of cues ``(N, C)``, none negative, that come closest to whether the element is there ``(N,)``, 0 or 1.

    Cues should be of about equal spread; ``blur (C,)`` is the noise with which they are seen. Expected least squares
    over that noise, which adds its variance to the ridge, by coordinate descent: the problem is convex, so where it
    starts does not matter.
    """
    x = cues - cues.mean(axis=0)
    y = present - present.mean()
    square = x.T @ x + len(x) * np.diag(RIDGE + blur**2)
    aim = x.T @ y
    weights = np.zeros(x.shape[1])
    for _ in range(SWEEPS):
        before = weights.copy()
        for i in range(len(weights)):
            rest = aim[i] - square[i] @ weights + square[i, i] * weights[i]
            weights[i] = max(0.0, rest / square[i, i])
        if np.abs(weights - before).max() < 1e-10:
            break
    return weights


def coded(margins: Floats) -> Ints:
    """Codes ``(...)`` of margins ``(..., 2)`` of both elements: the one further beyond its threshold, or 0."""
    low, high = margins[..., 0], margins[..., 1]
    codes: Ints = np.where((low > 0.0) & (low >= high), -1, np.where(high > 0.0, 1, 0))
    return codes


def clearance(margins: Floats) -> Floats:
    """How far ``(...)`` margins ``(..., 2)`` are from being coded otherwise."""
    best = np.maximum(margins, 0.0)
    clear: Floats = np.where(best.any(axis=-1), np.abs(best[..., 1] - best[..., 0]), -margins.max(axis=-1))
    return clear


def fixed_thresholds(scores: Floats, codes: Ints) -> Floats:
    """The two thresholds ``(2,)`` of scores ``(N, 2)`` that code most examples right.

    Among pairs that are equally good, the one nearest to their middle is taken, so that no single example decides.
    """
    tried = np.quantile(scores, np.linspace(RARE, 1.0, STEPS), axis=0)
    pairs = np.stack(np.meshgrid(tried[:, 0], tried[:, 1], indexing="ij"), axis=-1).reshape(-1, 2)
    right = np.array([int(np.sum(coded(scores - pair) == codes)) for pair in pairs])
    best = pairs[right == right.max()]
    nearest: Floats = best[int(np.argmin(np.sum((best - best.mean(axis=0)) ** 2, axis=1)))]
    return nearest


def fixed_confidence(clear: Floats, right: Bools) -> tuple[float, float]:
    """``a, b`` with which ``1 / (1 + exp(−a − b · clearance))`` is the share of examples coded right, b not negative.

    Logistic regression by Newton's steps, with a slight ridge on b.
    """
    x = np.stack([np.ones(len(clear)), clear], axis=1)
    found = np.zeros(2)
    for _ in range(50):
        share = 1.0 / (1.0 + np.exp(-x @ found))
        slope = x.T @ (right - share) - np.array([0.0, 1e-3]) * found
        bend = (x * (share * (1.0 - share))[:, None]).T @ x + np.diag([1e-9, 1e-3])
        found = found + np.linalg.solve(bend, slope)
    if found[1] >= 0.0:
        return float(found[0]), float(found[1])
    odds = np.clip(np.mean(right), 0.01, 0.99)
    return float(np.log(odds / (1.0 - odds))), 0.0
