"""Least squares along time, where every unknown is tied to those one and two frames away.

The normal equations are banded, so Cholesky's method solves them in time and memory that grow with the number of
frames, no faster.
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
        """A copy to which more terms can be added."""
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
        from scipy.linalg import solveh_banded

        frames, n = self.right.shape
        band, i, j = np.indices((3, n, n)).reshape(3, -1)
        below = band * n + j - i  # how far below the diagonal; what is above is the same by symmetry
        band, i, j, below = (index[below >= 0] for index in (band, i, j, below))
        lower = np.zeros((3 * n, frames, n))
        lower[below, :, i] = self.bands[band, :, i, j]
        flat = lower.reshape(3 * n, -1), self.right.reshape(-1)
        return np.asarray(solveh_banded(*flat, overwrite_ab=True, lower=True, check_finite=False)).reshape(frames, n)


def second_differences(values: Floats) -> Floats:
    """Second differences over frames, nothing at both ends."""
    result = np.zeros_like(values)
    result[1:-1] = values[:-2] - 2.0 * values[1:-1] + values[2:]
    return result
