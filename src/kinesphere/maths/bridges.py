"""Bridges over gaps of curves: splines, as far as the curve has been predictable elsewhere.

Between the frames beside a gap a curve x may be taken whose velocity v drifts back to zero within ``TENSION`` seconds,
the one with the least

    Σ (v[t+1] − φ v[t])² + Σ (v[t] − φ v[t+1])²,    φ = exp(−1 / (rate · TENSION)),

over the gap and some frames around it. Over a short gap that is a cubic spline, over a long one a straight line that
leaves and meets the curve with its velocity. Or the one with the least third differences, or a natural cubic spline:
nearer to smooth movement, and far off over long gaps. What a spline adds to the straight line is its *bend*. How much
of each is true differs from curve to curve: bridges are built over stretches in which the curve is known, and the
mixture of bends that was right there is the one that is taken here.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from kinesphere.maths.vectors import Floats, norms

TENSION = 0.2  # seconds
CONTEXT = 0.1  # seconds to each side of a gap that say how it is bridged
EDGE, KNOWN = 1e6, 1e3  # weights of known values: of the frames beside the gap, and of those farther off
SHORT_GAP, LONG_GAP = 0.08, 0.4  # seconds up to which cubic splines, and splines under tension, are usually near
USUAL_WEIGHT, SHORT_WEIGHT = 10.0, 200.0  # stretches that this counts for, and over short gaps
MOST = 2.0  # of a bend, at most
WEIGHT_POWER = 0.5  # of a stretch's size, by which it counts less: one strike must not decide for all the rest
OFTEN, OFTEN_LONG = 2.0, 0.5  # times what nine of ten stretches depart from lines, over short and long gaps: the most


def context_frames(rate: float) -> int:
    """How many frames to each side of a gap say how it is bridged."""
    return max(4, round(CONTEXT * rate))


@lru_cache(maxsize=256)
def bridge_weights(before: int, missing: int, after: int, rate: float) -> tuple[Floats, Floats]:
    """Straight lines ``(N, C)`` and bends ``(3, N, C)`` over N missing values, as weights of the C known around."""
    count = before + missing + after
    steps = np.diff(np.eye(count), axis=0)
    keep = math.exp(-1.0 / (rate * TENSION))
    drifting = np.concatenate([steps[1:] - keep * steps[:-1], steps[:-1] - keep * steps[1:]])
    known = np.r_[:before, before + missing : count]
    weight = np.zeros(count)
    weight[known] = KNOWN
    weight[[before - 1, before + missing]] = EDGE
    line, share = np.zeros((missing, len(known))), np.arange(1, missing + 1) / (missing + 1)
    line[:, before - 1], line[:, before] = 1.0 - share, share
    bends = np.zeros((3, missing, len(known)))
    # Third differences need six known values: with fewer, the first spline stands for them.
    for k, rough in enumerate((drifting, np.diff(steps, 2, axis=0) if len(known) >= 6 else drifting)):
        system = rough.T @ rough + np.diag(weight)
        bends[k] = np.linalg.solve(system, np.eye(count)[:, known] * weight[known])[before : before + missing] - line
    bends[2] = _cubic_bend(known.astype(np.float64), before, missing)
    for made in (line, bends):
        made.setflags(write=False)
    return line, bends


def _cubic_bend(known: Floats, before: int, missing: int) -> Floats:
    """``(N, C)`` what a natural cubic spline through values at frames ``known (C,)`` adds to the line over a gap."""
    count, gaps = len(known), np.diff(known)
    # Second derivatives m at the knots: h₋ m₋ + 2 (h₋ + h₊) m + h₊ m₊ = 6 times the change of slope; 0 at both ends.
    system, slopes = np.eye(count), np.zeros((count, count))
    for k in range(1, count - 1):
        h, after = gaps[k - 1], gaps[k]
        system[k, k - 1 : k + 2] = h, 2.0 * (h + after), after
        slopes[k, k - 1 : k + 2] = 6.0 / h, -6.0 / h - 6.0 / after, 6.0 / after
    curvature = np.linalg.solve(system, slopes)
    span, at = float(missing + 1), np.arange(1, missing + 1)[:, None] / (missing + 1)
    from_left, from_right = ((1.0 - at) ** 3 - (1.0 - at)), (at**3 - at)
    return np.asarray(span * span / 6.0 * (from_left * curvature[before - 1] + from_right * curvature[before]))


def _usual_gains(seconds: float) -> Floats:
    """``(3,)`` how much of each bend is true, before anything is known of the curve."""
    cubic = 1.0 / (1.0 + (seconds / SHORT_GAP) ** 2)
    return np.array([(1.0 - cubic) / (1.0 + (seconds / LONG_GAP) ** 2), 0.0, cubic])


def build_bridge(known: Floats, elsewhere: Floats, truth: Floats, before: int, rate: float) -> Floats:
    """The missing values ``(N, K, 3)`` of curves from those around, ``known (C, K, 3)``, ``before`` of them before.

    ``elsewhere (W, C, K, 3)`` are values around stretches as long, ``truth (W, N, K, 3)`` what is in these; there may
    be none.
    """
    missing = truth.shape[1]
    line, bends = bridge_weights(before, missing, known.shape[0] - before, rate)
    straight, added = np.tensordot(line, known, axes=1), np.tensordot(bends, known, axes=1)
    usual = _usual_gains(missing / rate)
    if not len(truth):
        # No more than half of the way that the curve goes at its quickest pace nearby.
        steps = np.concatenate([np.diff(known[:before], axis=0), np.diff(known[before:], axis=0), 0.0 * known[:1]])
        pace = norms(steps).max(axis=0)
        return np.asarray(straight + _limited(np.tensordot(usual, added, axes=1), 0.5 * (missing + 1) * pace))
    bent = np.einsum("bnc,wckx->bwnkx", bends, elsewhere)
    departures = truth - np.einsum("nc,wckx->wnkx", line, elsewhere)
    size = (bent**2).sum(axis=(0, 2, 4)) + (departures**2).sum(axis=(1, 3))
    weight = np.maximum(size, 1e-18) ** (-WEIGHT_POWER)
    matrix = np.einsum("awnkx,bwnkx,wk->kab", bent, bent, weight, optimize=True)
    right = np.einsum("awnkx,wnkx,wk->ka", bent, departures, weight, optimize=True)
    prior = (USUAL_WEIGHT + SHORT_WEIGHT * usual[2]) / len(truth) * np.einsum("kaa->ka", matrix) + 1e-15
    gains = np.linalg.solve(matrix + prior[:, :, None] * np.eye(3), (right + prior * usual)[..., None])[..., 0]
    gains = np.clip(gains, -MOST, MOST)
    sizes = norms(departures).max(axis=1)
    largest = np.minimum(
        sizes.max(axis=0), (OFTEN_LONG + (OFTEN - OFTEN_LONG) * usual[2]) * np.quantile(sizes, 0.9, axis=0)
    )
    return np.asarray(straight + _limited(np.einsum("ka,ankx->nkx", gains, added), largest))


def _limited(added: Floats, largest: Floats) -> Floats:
    """Bends ``(N, K, 3)`` made smaller where they exceed ``largest (K,)``."""
    share = largest / np.maximum(norms(added).max(axis=0), np.maximum(largest, 1e-300))
    return np.asarray(added * share[:, None])
