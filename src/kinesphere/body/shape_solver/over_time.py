"""Gauss-Newton over time: unknowns of neighbouring frames hang together by their second differences.

The step of all frames at once is the solution of one symmetric banded system, in time linear in the frames
(``scipy.linalg.solveh_banded``). Bounds push softly: an unknown weighs the more, the nearer it is to its bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solveh_banded

from kinesphere import _native
from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, clip, smoothstep

POLISH = 0.25  # deviations in one round of polishing, at most
MET = 0.25  # tolerances: a smaller residual stays
DONE = 2e-3  # deviations: a smaller step is the last
LITTLE, NEAR = 0.5, 0.5  # and one that gains so little and is smaller than so many deviations
SMOOTH = 0.11  # seconds: changes quicker than that cost more than they are large
WORSE, WORSE_AT_ALL = 1e-3, 1e-3  # share and amount by which costs may grow
LONGEST_STEP = 2.5  # deviations in one round

Linearise = Callable[[Floats], tuple[Floats, Floats]]
Project = Callable[[Floats], Floats]


class Prior(NamedTuple):
    """What is known of unknowns ``(T, N)`` without any demand."""

    deviations: Floats  # (N,)
    least: Floats  # (T, N) bounds, at most 0
    most: Floats  # (T, N) bounds, at least 0


class TimeGrid(NamedTuple):
    """Instants of the unknowns."""

    step: float  # seconds
    zero_before: bool  # whether unknowns were zero before the first one
    zero_after: bool


def solve_over_time(
    linearise: Linearise, project: Project, start: Floats, prior: Prior, grid: TimeGrid, rounds: int
) -> Floats:
    """Unknowns ``(T, N)`` with the least squares of residuals, of themselves, and of their second differences.

    Steps are damped (Levenberg 1944, Marquardt 1963), all frames alike: one that goes back alone leaps away from its
    neighbours.
    """
    unknowns, damping, bands = np.ascontiguousarray(start), 0.0, _SmoothBands.of(len(start), prior, grid)
    residuals, jacobian = linearise(unknowns)
    cost = _cost(unknowns, residuals, prior, bands)
    for _ in range(rounds):
        step = _step(unknowns, residuals, jacobian, prior, bands, damping)
        size = np.abs(step / prior.deviations).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(size, 1e-12))
        tried = clip(project(clip(unknowns + step, prior.least, prior.most)), prior.least, prior.most)
        new_residuals, new_jacobian = linearise(tried)
        new_cost = _cost(tried, new_residuals, prior, bands)
        if new_cost > cost * (1.0 + WORSE) + WORSE_AT_ALL:
            damping = max(damping * 10.0, 1.0)
            continue
        gained = abs(cost - new_cost)
        damping = damping * 0.2 if damping > 0.05 else 0.0
        unknowns, residuals, jacobian, cost = tried, new_residuals, new_jacobian, new_cost
        if size.max() < DONE or (gained < LITTLE and size.max() < NEAR):
            break
    return unknowns


class _SmoothBands(NamedTuple):
    """What second differences of unknowns cost: a symmetric matrix of five diagonals, for each unknown."""

    weight: Floats  # (N,)
    main: Floats  # (T,)
    next_one: Floats  # (T,)
    after_next: Floats  # (T,)

    @classmethod
    def of(cls, frames: int, prior: Prior, grid: TimeGrid) -> _SmoothBands:
        """Of so many frames; fewer than three have no second differences."""
        if frames < 3:
            return cls(np.zeros(len(prior.deviations)), *np.zeros((3, frames)))
        return cls((SMOOTH / grid.step) ** 4 / prior.deviations**2, *second_difference_bands(frames, grid))

    def slope(self, unknowns: Floats) -> Floats:
        """``(T, N)`` half the gradient of the cost."""
        bent = self.main[:, None] * unknowns
        bent[:-1] += self.next_one[:-1, None] * unknowns[1:]
        bent[1:] += self.next_one[:-1, None] * unknowns[:-1]
        bent[:-2] += self.after_next[:-2, None] * unknowns[2:]
        bent[2:] += self.after_next[:-2, None] * unknowns[:-2]
        return np.asarray(self.weight * bent)


def _cost(unknowns: Floats, residuals: Floats, prior: Prior, bands: _SmoothBands) -> float:
    own = _native.over_time.cost(prior, unknowns, residuals)
    return float(own + np.vdot(unknowns, bands.slope(unknowns)))


def _step(
    unknowns: Floats, residuals: Floats, jacobian: Floats, prior: Prior, smooth: _SmoothBands, damping: float
) -> Floats:
    frames, count = unknowns.shape
    gradient, blocks = np.empty((frames, count)), np.empty((frames, count, count))
    _native.over_time.normal_equations(prior, unknowns, residuals, jacobian, damping, gradient, blocks)
    if frames < 3:
        return np.asarray(-np.linalg.solve(blocks, gradient[..., None])[..., 0])
    gradient += smooth.slope(unknowns)
    bands = np.zeros((2 * count + 1, frames, count))
    index = np.arange(count)
    for below in range(count):
        bands[below, :, : count - below] = blocks[:, index[below:], index[: count - below]]
    bands[0] += smooth.main[:, None] * smooth.weight
    bands[count] += smooth.next_one[:, None] * smooth.weight
    bands[2 * count] += smooth.after_next[:, None] * smooth.weight
    flat = bands.reshape(2 * count + 1, -1)
    found = solveh_banded(flat, gradient.ravel(), lower=True, overwrite_ab=True, check_finite=False)
    return np.asarray(-found.reshape(frames, count))


def second_difference_bands(frames: int, grid: TimeGrid) -> tuple[Floats, Floats, Floats]:
    """The diagonal of DᵀD and the two below it ``(T,)``, for second differences D of ``frames`` values.

    Where values were zero before, or will be after, two zeros more take part at that end.
    """
    before, after = 2 * grid.zero_before, 2 * grid.zero_after
    rows = frames + before + after - 2
    main, first, second = (np.zeros(frames + before + after) for _ in range(3))
    for place, weight in enumerate((1.0, -2.0, 1.0)):
        main[place : place + rows] += weight * weight
    first[:rows] += -2.0
    first[1 : rows + 1] += -2.0
    second[:rows] += 1.0
    inner = slice(before, before + frames)
    main, first, second = main[inner].copy(), first[inner].copy(), second[inner].copy()
    first[-1] = second[-1] = 0.0
    second[-2] = 0.0
    return main, first, second


def least_change(
    linearise: Linearise, project: Project, start: Floats, prior: Prior, small: Floats, rounds: int, blur: float
) -> Floats:
    """Unknowns changed by as little as makes small residuals vanish, nearly every frame by itself.

    Residuals from one tolerance to the size ``small (R,)`` vanish; those of twice that are out of reach, and stay as
    they are, and so does what is met. Between these it is a share, and steps are smoothed over ``blur`` frames of σ, so
    that neighbours in time stay neighbours.
    """
    unknowns = np.ascontiguousarray(start)
    residuals, jacobian = linearise(unknowns)
    for _ in range(rounds):
        size = np.abs(residuals)
        asked = residuals * smoothstep((size - MET) / (1.0 - MET)) * (1.0 - smoothstep((size - small) / small))
        frames = np.flatnonzero(asked.any(axis=1))
        if not len(frames):
            break
        pull = (residuals[:, None] @ jacobian)[:, 0]
        free = np.empty(pull.shape)
        _native.over_time.freedom(prior, unknowns, pull, free)
        weighted = jacobian[frames] * free[frames, None]
        normal = weighted @ np.swapaxes(weighted, 1, 2)
        index = np.arange(normal.shape[1])
        normal[:, index, index] += 1.0
        force = np.linalg.solve(normal, asked[frames][..., None])
        found = (np.swapaxes(weighted, 1, 2) @ force)[..., 0]
        found *= free[frames] / np.sqrt(1.0 + np.einsum("tn,tn->t", found, found) / POLISH**2)[:, None]
        step = np.zeros(unknowns.shape)
        step[frames] = found
        if len(step) > 3:
            step = gaussian(step, blur, ends="reflect")
        unknowns = clip(project(clip(unknowns - step, prior.least, prior.most)), prior.least, prior.most)
        residuals, jacobian = linearise(unknowns)
    return unknowns
