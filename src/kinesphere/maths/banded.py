"""Least squares along time, where every unknown is tied to those one and two frames away.

Two frames together are then tied to the two before and the two after only. Every other such pair is eliminated, all
at once, which leaves a chain of half the length; and so on. Work and memory grow with the number of frames, no faster.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.vectors import Floats

BEND = (1.0, -2.0, 1.0)  # a second difference


class Chain:
    """The normal equations of a sum of squares over ``(T, n)`` unknowns, gathered term by term."""

    def __init__(self, frames: int, unknowns: int) -> None:
        self.bands = np.zeros((3, frames, unknowns, unknowns))  # frame t with frames t, t + 1 and t + 2
        self.right = np.zeros((frames, unknowns))

    def copy(self) -> Chain:
        """One to which more can be added."""
        other = Chain.__new__(Chain)
        other.bands, other.right = self.bands.copy(), self.right.copy()
        return other

    def add(self, rows: Floats, weights: Floats, targets: Floats) -> None:
        """``weights · (rows · x − targets)²`` of every frame: ``(T, m, n)``, ``(T, m)``, ``(T, m)``."""
        weighted = np.swapaxes(rows * weights[..., None], 1, 2)
        self.bands[0] += weighted @ rows
        self.right += (weighted @ targets[..., None])[..., 0]

    def add_bends(self, rows: Floats, weights: Floats, targets: Floats) -> None:
        """The same of the second difference over time of ``rows · x``; weights and targets are the middle frames'."""
        frames = len(rows)
        if frames < 3:
            return
        for a, k in enumerate(BEND):
            here = slice(a, frames - 2 + a)
            weighted = np.swapaxes(rows[here] * (k * weights[1:-1])[..., None], 1, 2)
            self.right[here] += (weighted @ targets[1:-1, :, None])[..., 0]
            for b in range(a, 3):
                self.bands[b - a, here] += BEND[b] * (weighted @ rows[b : frames - 2 + b])

    def solve(self) -> Floats:
        """``(T, n)`` the unknowns for which the sum is least; every one must have been given some weight."""
        frames, n = self.right.shape
        count = -(-frames // 2)
        bands, right = np.zeros((3, 2 * count, n, n)), np.zeros((2 * count, n))
        bands[:, :frames], right[:frames] = self.bands, self.right
        bands[0, frames:] = np.eye(n)
        here, next_, second = bands.reshape(3, count, 2, n, n)
        own, tie = np.zeros((2, count, 2, n, 2, n))
        own[:, 0, :, 0], own[:, 1, :, 1] = here[:, 0], here[:, 1]
        own[:, 0, :, 1], own[:, 1, :, 0] = next_[:, 0], np.swapaxes(next_[:, 0], 1, 2)
        tie[:, 0, :, 0], tie[:, 1, :, 0], tie[:, 1, :, 1] = second[:, 0], next_[:, 1], second[:, 1]
        size = (count, 2 * n, 2 * n)
        return _solve(own.reshape(size), tie.reshape(size), right.reshape(count, 2 * n)).reshape(-1, n)[:frames]


def second_differences(values: Floats) -> Floats:
    """Second differences over frames, nothing at both ends."""
    result = np.zeros_like(values)
    result[1:-1] = values[:-2] - 2.0 * values[1:-1] + values[2:]
    return result


def _solve(own: Floats, tie: Floats, right: Floats) -> Floats:
    """``(K, m)`` such that ``own x = right`` with ``tie`` between each and the next; both ``(K, m, m)``."""
    count, m = right.shape
    result: Floats = np.zeros((count, m))
    if count == 1:
        result[:] = np.linalg.solve(own, right[..., None])[..., 0]
        return result
    out = count // 2
    tie = tie.copy()
    tie[-1] = 0.0
    before, after = tie[0 : 2 * out : 2], tie[1::2]
    sides = np.concatenate([np.swapaxes(before, 1, 2), after, right[1::2, :, None]], axis=2)
    known = np.linalg.solve(own[1::2], sides)  # the others in terms of those that stay
    down, up = before @ known, np.swapaxes(after, 1, 2) @ known
    own, right = own[::2].copy(), right[::2].copy()
    own[:out] -= down[..., :m]
    right[:out] -= down[..., 2 * m]
    ties = np.zeros_like(own)
    ties[:out] = -down[..., m : 2 * m]
    stay = len(own) - 1
    own[1:] -= up[:stay, :, m : 2 * m]
    right[1:] -= up[:stay, :, 2 * m]
    kept = _solve(own, ties, right)
    result[::2] = kept
    neighbours = np.zeros((out, 2 * m))
    neighbours[:, :m], neighbours[:stay, m:] = kept[:out], kept[1:]
    result[1::2] = known[..., 2 * m] - (known[..., : 2 * m] @ neighbours[..., None])[..., 0]
    return result
