"""Bridges over gaps of curves: a spline under tension, as far as the curve has been predictable elsewhere.

Between the frames beside a gap a curve x is taken whose velocity v drifts back to zero within ``TENSION`` seconds, the
one with the least

    Σ (v[t+1] − φ v[t])² + Σ (v[t] − φ v[t+1])²,    φ = exp(−1 / (rate · TENSION)),

over the gap and some frames around it. Over a short gap that is a cubic spline, over a long one a straight line that
leaves and meets the curve with its velocity. What it adds to the straight line is the *bend*. How much of it is true
differs from curve to curve: bridges are built over stretches in which the curve is known, and the share of their bends
that was right is the share that is taken here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from kinesphere.maths.vectors import Floats, norms

TENSION = 0.2  # seconds
CONTEXT = 0.1  # seconds to each side of a gap that say how it is bridged
EDGE, KNOWN = 1e6, 1e3  # weights of known values: of the frames beside the gap, and of those farther off
USUAL_GAP = 0.4  # seconds: of a bend as long half is taken to be true before anything is known
USUAL_WEIGHT = 6.0  # stretches that this counts for
OFTEN = 2.0  # times what nine stretches of ten depart from straight lines: a bend is no larger
MOST = 1.6  # times the bend, where the curve is smoother than the spline takes it to be
WEIGHT_POWER = 0.4  # of a stretch's size, by which it counts less: one strike must not decide for all the rest


def context_frames(rate: float) -> int:
    """How many frames to each side of a gap say how it is bridged."""
    return max(4, round(CONTEXT * rate))


@lru_cache(maxsize=256)
def bridge_weights(before: int, missing: int, after: int, rate: float) -> tuple[Floats, Floats]:
    """Straight lines and bends ``(missing, before + after)`` over a gap, as weights of the known values around it."""
    count = before + missing + after
    steps = np.diff(np.eye(count), axis=0)
    keep = math.exp(-1.0 / (rate * TENSION))
    rough = np.concatenate([steps[1:] - keep * steps[:-1], steps[:-1] - keep * steps[1:]])
    known = np.r_[:before, before + missing : count]
    weight = np.zeros(count)
    weight[known] = KNOWN
    weight[[before - 1, before + missing]] = EDGE
    system = rough.T @ rough + np.diag(weight)
    spline = np.linalg.solve(system, np.eye(count)[:, known] * weight[known])[before : before + missing]
    line, share = np.zeros_like(spline), np.arange(1, missing + 1) / (missing + 1)
    line[:, before - 1], line[:, before] = 1.0 - share, share
    bend = spline - line
    for made in (line, bend):
        made.setflags(write=False)
    return line, bend


def build_bridge(known: Floats, elsewhere: Floats, truth: Floats, before: int, rate: float) -> Floats:
    """The missing values ``(N, K, 3)`` of curves from those around them, ``known (C, K, 3)``, ``before`` of them before.

    ``elsewhere (W, C, K, 3)`` are values around stretches as long, ``truth (W, N, K, 3)`` what is in these; there may be
    none.
    """
    missing = truth.shape[1]
    line, bend = bridge_weights(before, missing, known.shape[0] - before, rate)
    straight, added = (np.tensordot(weights, known, axes=1) for weights in (line, bend))
    usual = 1.0 / (1.0 + (missing / (rate * USUAL_GAP)) ** 2)
    if not len(truth):
        # Half of the way that the curve goes at its quickest pace nearby.
        pace = np.max(norms(np.concatenate([np.diff(known[:before], axis=0), np.diff(known[before:], axis=0)])), axis=0)
        return straight + usual * _limited(added, 0.5 * (missing + 1) * pace if len(pace) else np.zeros(known.shape[1]))
    bends = np.einsum("nc,wckx->wnkx", bend, elsewhere)
    departures = truth - np.einsum("nc,wckx->wnkx", line, elsewhere)
    size, agreed = (bends**2).sum(axis=(1, 3)), (bends * departures).sum(axis=(1, 3))
    weight = np.maximum(size + (departures**2).sum(axis=(1, 3)), 1e-18) ** (-WEIGHT_POWER)
    mean = (weight * size).mean(axis=0)
    gain = (weight * agreed).sum(axis=0) + usual * USUAL_WEIGHT * mean
    gain = np.clip(gain / np.maximum((weight * size).sum(axis=0) + USUAL_WEIGHT * mean, 1e-18), 0.0, MOST)
    sizes = norms(departures).max(axis=1)
    largest = np.minimum(sizes.max(axis=0), OFTEN * np.quantile(sizes, 0.9, axis=0))
    return straight + _limited(gain[:, None] * added, largest)


def _limited(added: Floats, largest: Floats) -> Floats:
    """Bends ``(N, K, 3)`` made smaller where they exceed ``largest (K,)``."""
    return added * (largest / np.maximum(norms(added).max(axis=0), np.maximum(largest, 1e-300)))[:, None]
