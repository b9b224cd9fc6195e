"""From a field to a triangle mesh: sampled, extracted, simplified, laid back onto the surface."""

from __future__ import annotations

import fast_simplification
import numpy as np
from field import Field, Floats
from skimage.measure import marching_cubes

BLOCK = 6  # cells


def extracted(field: Field, low: Floats, high: Floats, cell: float, vertices: int) -> tuple[Floats, np.ndarray, Floats]:
    """Vertices ``(V, 3)``, triangles ``(F, 3)`` and normals of the surface, about so many vertices."""
    counts = [int(np.ceil((b - a) / cell / BLOCK)) * BLOCK for a, b in zip(low, high, strict=True)]
    values = _sampled(field, low, counts, cell)
    points, triangles, _, _ = marching_cubes(values, 0.0, spacing=(cell, cell, cell))
    points = points.astype(np.float64) + low
    points = laid_on(field, points)
    target = 1.0 - 2.0 * vertices / len(triangles)
    points, triangles = fast_simplification.simplify(
        points.astype(np.float32), triangles.astype(np.int32), target, agg=3
    )
    points = laid_on(field, points.astype(np.float64))
    triangles = triangles[:, ::-1]  # outward
    normals = gradient(field, points)
    sides = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    if np.sum(sides * normals[triangles[:, 0]]) < 0.0:
        triangles = triangles[:, ::-1]
    return points, np.ascontiguousarray(triangles), normals


def _sampled(field: Field, low: Floats, counts: list[int], cell: float) -> Floats:
    """The field on a grid, exact near the surface only: whole blocks elsewhere get the value at their middle."""
    blocks = [count // BLOCK for count in counts]
    middles = np.stack(np.meshgrid(*(np.arange(n) for n in blocks), indexing="ij"), axis=-1).reshape(-1, 3)
    coarse = field(low + cell * BLOCK * (middles + 0.5))
    values = np.repeat(np.repeat(np.repeat(coarse.reshape(blocks), BLOCK, 0), BLOCK, 1), BLOCK, 2)
    near = middles[np.abs(coarse) < 1.6 * cell * BLOCK]
    inner = np.stack(np.meshgrid(*([np.arange(BLOCK)] * 3), indexing="ij"), axis=-1).reshape(-1, 3)
    for part in np.array_split(near, max(len(near) // 400, 1)):
        index = (BLOCK * part[:, None] + inner).reshape(-1, 3)
        values[tuple(index.T)] = field(low + cell * index)
    return values


def laid_on(field: Field, points: Floats, rounds: int = 4) -> Floats:
    """Points moved onto the surface along the field's slope."""
    for _ in range(rounds):
        slope = gradient(field, points, unit=False)
        size = np.maximum(np.sum(slope * slope, axis=1), 0.05)
        step = (field(points) / size)[:, None] * slope
        points = points - np.clip(step, -0.003, 0.003)
    return points


def gradient(field: Field, points: Floats, *, unit: bool = True) -> Floats:
    step = 5e-4
    slope = np.stack(
        [(field(points + step * axis) - field(points - step * axis)) / (2.0 * step) for axis in np.eye(3)], axis=1
    )
    return slope / np.maximum(np.linalg.norm(slope, axis=1, keepdims=True), 1e-9) if unit else slope
