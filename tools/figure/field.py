"""Shapes as distances: negative inside, zero on the surface, about metric near it.

Parts are tubes of elliptic cross-section, given at stations along an axis, and ellipsoids; they are joined by a
minimum that is rounded over a width of one's choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Field = Callable[[Floats], Floats]  # points (N, 3) → distances (N,)
FAR = 0.3  # metres


def joined(a: Floats, b: Floats, width: float) -> Floats:
    """The union of two shapes, rounded over a width (polynomial smooth minimum)."""
    h = np.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b + h * (a - b) - width * h * (1.0 - h)


def blended(a: Floats, b: Floats, width: float) -> Floats:
    """The union of two shapes, rounded over a width without edges in the light: its curvature is continuous too."""
    h = np.maximum(1.0 - np.abs(a - b) / (1.5 * width), 0.0)
    return np.minimum(a, b) - 0.25 * width * h**3


def cut(a: Floats, b: Floats, width: float) -> Floats:
    """The first shape without the second."""
    return -joined(-a, b, width)


def common(a: Floats, b: Floats) -> Floats:
    """Where both shapes are, with a sharp edge."""
    return np.maximum(a, b)


def within(field: Field, points: Floats, low: ArrayLike, high: ArrayLike) -> Floats:
    """A shape's distances where they matter: in a box well larger than it. Elsewhere it is far, and costs nothing."""
    inside = np.all((points > np.array(low)) & (points < np.array(high)), axis=1)
    distances = np.full(len(points), FAR)
    distances[inside] = field(points[inside])
    return distances


def ellipsoid(centre: ArrayLike, radii: ArrayLike, *, leaning: float = 0.0, turned: float = 0.0) -> Field:
    """An ellipsoid along the world's axes, or leaning backwards (about x) and then turned about y, in degrees."""
    c, r = np.array(centre, float), np.array(radii, float)
    lean, turn = np.radians([leaning, turned])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(lean), np.sin(lean)], [0.0, -np.sin(lean), np.cos(lean)]])
    about_y = np.array([[np.cos(turn), 0.0, np.sin(turn)], [0.0, 1.0, 0.0], [-np.sin(turn), 0.0, np.cos(turn)]])
    axes = about_y @ about_x

    def distance(points: Floats) -> Floats:
        away = (points - c) @ axes
        near, slope = np.linalg.norm(away / r, axis=1), np.linalg.norm(away / r**2, axis=1)
        away_from: Floats = np.where(slope > 1e-9, near * (near - 1.0) / np.maximum(slope, 1e-9), -r.min())
        return away_from

    return distance


def ball(centre: ArrayLike, radius: float) -> Field:
    """A ball."""
    c = np.array(centre, float)
    return lambda points: np.linalg.norm(points - c, axis=1) - radius


def cone(start: ArrayLike, end: ArrayLike, first: float, last: float) -> Field:
    """A round stick that changes its radius."""
    a, b = np.array(start, float), np.array(end, float)
    way = b - a
    length = float(way @ way)

    def distance(points: Floats) -> Floats:
        share = np.clip((points - a) @ way / length, 0.0, 1.0)
        away_from: Floats = np.linalg.norm(points - a - share[:, None] * way, axis=1) - (first + share * (last - first))
        return away_from

    return distance


def tube(
    start: ArrayLike,
    end: ArrayLike,
    side: ArrayLike,
    stations: Sequence[Sequence[float]],
    *,
    power: float = 2.0,
    caps: tuple[float, float] = (0.03, 0.03),
) -> Field:
    """A tube from start to end.

    A station is (share of the way, half width along ``side``, half depth across it[, how far its middle is shifted
    along depth[, along side]]). ``power`` squares the cross-section off; ``caps`` is how far its round ends stick out.
    """
    a, b = np.array(start, float), np.array(end, float)
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    wide = np.array(side, float)
    across = wide - along * float(wide @ along)
    across /= np.linalg.norm(across)
    deep = np.cross(along, across)
    table = np.array([[*station, *([0.0] * (5 - len(station)))] for station in stations])

    def distance(points: Floats) -> Floats:
        away = points - a
        at = away @ along / length
        width, depth, out, aside = (_smooth(table[:, 0], table[:, k], np.clip(at, 0.0, 1.0)) for k in range(1, 5))
        beyond = np.where(at < 0.0, -at * length / caps[0], np.maximum(at - 1.0, 0.0) * length / caps[1])
        u, v = np.abs(away @ across - aside) / width, np.abs(away @ deep - out) / depth
        ring = (u**power + v**power) ** (1.0 / power)
        near = np.sqrt(ring**2 + beyond**2)
        away_from: Floats = (near - 1.0) * np.minimum(width, depth)
        return away_from

    return distance


def _smooth(x: Floats, y: Floats, at: Floats) -> Floats:
    """A curve through stations that does not overshoot them (monotone cubic)."""
    step, rise = np.diff(x), np.diff(y)
    slope = rise / step
    middle = np.where(
        slope[:-1] * slope[1:] > 0.0, 2.0 * slope[:-1] * slope[1:] / (slope[:-1] + slope[1:] + 1e-300), 0.0
    )
    slopes = np.concatenate([[0.0], middle, [0.0]])  # level at the ends, where round caps go on
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(step) - 1)
    u, h = (at - x[i]) / step[i], step[i]
    smooth = u * u * (3.0 - 2.0 * u)
    curve: Floats = y[i] + smooth * rise[i] + h * u * (1.0 - u) * ((1.0 - u) * slopes[i] - u * slopes[i + 1])
    return curve
