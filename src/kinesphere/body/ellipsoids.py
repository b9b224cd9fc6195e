"""Ellipsoids in bodies: fitted to a skin, and how points get out of them.

**Where to.** There is no continuous way to send every point of a ball to its surface: somewhere neighbours part. The
nearest way out parts them in the middle, where hands pass. Here all are sent away from one point, behind the middle
and on the other side of the body from the hand, where no hand comes; a hand that is moved straight through a ball goes
around it on its own side.

**How far.** With the gauge m of the ellipsoid about that point (0 there, 1 on the surface), m becomes m itself
where it is more than 1 + w, and at least 1 below, with a parabola between: what is clear stays as it is to the last
bit, and nothing starts or stops at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.kernels.arrays import Bools, Floats, Ints

AWAY = np.array([-0.4, 0.0, -0.4])  # of the radii: left, up, forward, for a left hand: what all is sent away from
INSCRIBED = 0.1  # of the skin may be inside the ellipsoid
ROUNDS = 6  # of fitting
OUTLYING = 0.05  # of the radius: skin so far from the fit counts half
VAGUE = 1e-4  # how little the skin's own box counts, for shapes that fit many ellipsoids
ONE_BALL = 1.25  # times the ellipsoid: the most of a ball's skin, with all that sticks out of it
LARGEST = 2.5  # times half the skin's extent: a fit that is larger says nothing about the skin


class Shape(NamedTuple):
    """An ellipsoid in every frame."""

    middle: Floats  # (T, 3)
    axes: Floats  # (T, 3, 3) rotation matrices: its left, up and forward as columns
    radii: Floats  # (3,)

    def at(self, frames: Ints) -> Shape:
        """Only those frames."""
        return Shape(self.middle[frames], self.axes[frames], self.radii)

    def scaled(self, size: float) -> Shape:
        """A smaller one."""
        return self if size == 1.0 else Shape(self.middle, self.axes, size * self.radii)

    def near(self, points: Floats, reach: float) -> Bools:
        """Frames in which one of points ``(T, K, 3)`` is nearer than ``reach``, or a little farther."""
        seen = (points - self.middle[:, None]) @ (self.axes / (self.radii + reach))
        inside: Bools = (np.einsum("tki,tki->tk", seen, seen) < 1.0).any(axis=1)
        return inside


def inscribed(skin: Floats, whole: Floats) -> tuple[Floats, Floats, float]:
    """Middle and radii ``(3,)`` of an ellipsoid along the axes, inside of nearly all points ``(N, 3)`` of a skin.

    It is fitted to the skin, or to the ``whole`` that it is a part of where all of that is one ball, and is no larger
    than the box of the whole. Last, how many times larger the ellipsoid must be to hold nearly all of the skin.
    """
    low, high = whole.min(axis=0), whole.max(axis=0)
    found = []
    for shown in (skin, whole):
        middle, radii = _fitted(shown, low, high)
        out = np.linalg.norm((skin - middle) / radii, axis=1)
        size, most = np.quantile(out, [INSCRIBED, 1.0 - INSCRIBED]).tolist()
        found.append((most / min(size, 1.0), middle, radii * min(size, 1.0)))
    ragged, middle, radii = found[1] if found[1][0] < min(ONE_BALL, found[0][0]) else found[0]
    return middle, radii, float(ragged)


def _fitted(skin: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Middle and radii ``(3,)`` of the ellipsoid that is nearest to points, cut to a box."""
    edges = skin.min(axis=0), skin.max(axis=0)
    middle, half = 0.5 * (edges[0] + edges[1]), np.maximum(0.5 * (edges[1] - edges[0]), 1e-6)
    unit = (skin - middle) / half
    # a x² + b y² + c z² + d x + e y + f z = 1 by least squares; of a cap of a ball, too, it is the ball.
    rows, radii, weights = np.hstack([unit * unit, unit]), np.ones(3), np.ones(len(unit))
    shift, prior = np.zeros(3), np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    for _ in range(ROUNDS):
        square = (rows * weights[:, None]).T @ rows / len(rows) + VAGUE * np.eye(6)
        k = np.linalg.solve(square, (rows * weights[:, None]).mean(axis=0) + VAGUE * prior)
        if not (k[:3] > LARGEST**-2).all():
            break
        shift = -0.5 * k[3:] / k[:3]
        radii = np.sqrt((1.0 + np.sum(k[:3] * shift**2)) / k[:3])
        off = np.linalg.norm((unit - shift) / radii, axis=1) - 1.0
        weights = 1.0 / (1.0 + (off / OUTLYING) ** 2)  # where limbs leave, the skin is not the trunk's shape
    low, high = (np.maximum(low, middle + half * (shift - radii)), np.minimum(high, middle + half * (shift + radii)))
    middle, radii = 0.5 * (low + high), np.maximum(0.5 * (high - low), 1e-6)
    return middle, radii


def outward(shape: Shape, points: Floats, side: float, margin: float, soft: float) -> Floats:
    """The ways ``(T, K, 3)`` that points are moved, zero for those that are clear. ``side`` is 1 for a left hand."""
    radii = shape.radii + margin
    seen = (points - shape.middle[:, None]) @ (shape.axes / radii)
    away = AWAY * [side, 1.0, 1.0]
    rest = 1.0 - float(away @ away)
    width = soft / float(radii.mean())
    ways = np.zeros_like(points)
    # No gauge is below 1 + w that is farther from the middle than this.
    rows = np.nonzero(np.einsum("tki,tki->tk", seen, seen) < (1.0 + 2.0 * width) ** 2)
    if not len(rows[0]):
        return ways
    way = seen[rows] - away
    along = way @ away
    # The gauge: how many times farther from that point than the surface is, along this way.
    gauge = (along + np.sqrt(along**2 + rest * np.einsum("ni,ni->n", way, way))) / rest
    deep = 1.0 - gauge
    wanted = np.where(deep > width, deep, np.maximum(deep + width, 0.0) ** 2 / (4.0 * width))
    way *= (wanted / np.maximum(gauge, 1e-9))[:, None] * radii
    ways[rows] = np.einsum("nij,nj->ni", shape.axes[rows[0]], way)
    return ways
