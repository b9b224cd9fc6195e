"""Which joints carry which vertex: heat that flows from the bones over the surface (Baran and Popović 2007)."""

from __future__ import annotations

import numpy as np
from field import Floats
from scipy.sparse import coo_matrix, diags
from scipy.sparse.linalg import splu

MOST = 4  # joints a vertex
BEYOND = 0.3  # of the thickness
LEAST = 0.01  # smaller shares are dropped


def heat_weights(
    points: Floats, triangles: np.ndarray, bones: list[tuple[int, Floats, Floats, float]], joints: int, narrow: Floats
) -> Floats:
    """Shares ``(V, joints)``. A bone is its joint, its two ends, and how thick the body is about it.

    ``narrow`` ``(joints,)`` is how sharply a joint's part ends: 1 over about the body's thickness there.
    """
    distances = np.stack([_distance(points, a, b) for _, a, b, _ in bones], axis=1)
    relative = np.stack([_relative(points, a, b, thick) for _, a, b, thick in bones], axis=1)
    nearest = np.argmin(relative, axis=1)
    joint = np.array([bone[0] for bone in bones])[nearest]
    far = np.maximum(distances[np.arange(len(points)), nearest], 0.004)
    thickness = np.array([bone[3] for bone in bones])[nearest]
    heat = narrow[joint] / np.minimum(far, thickness) ** 2
    laplace, area = _laplacian(points, triangles)
    system = splu((laplace + diags(area * heat)).tocsc())
    wanted = np.zeros((len(points), joints))
    wanted[np.arange(len(points)), joint] = area * heat
    return _pruned(np.maximum(system.solve(wanted), 0.0))


def _pruned(weights: Floats) -> Floats:
    """At most four a vertex. The fifth's share is taken off all, so that none comes or goes at once."""
    weights = weights / weights.sum(axis=1, keepdims=True)
    weights = np.maximum(weights - LEAST, 0.0)
    fifth = np.partition(weights, -MOST - 1, axis=1)[:, -MOST - 1, None]
    weights = np.maximum(weights - fifth, 0.0)
    shares: Floats = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _relative(points: Floats, a: Floats, b: Floats, thick: float) -> Floats:
    """How far points are from a bone, in its thickness across it; beyond its ends, where others begin, much farther."""
    length = max(float(np.linalg.norm(b - a)), 1e-9)
    along = (b - a) / length
    reach = (points - a) @ along
    across = np.linalg.norm(points - a - reach[:, None] * along, axis=1)
    beyond = np.maximum(np.maximum(-reach, reach - length), 0.0)
    far: Floats = np.hypot(across, beyond / BEYOND) / thick
    return far


def _distance(points: Floats, a: Floats, b: Floats) -> Floats:
    way = b - a
    share = np.clip((points - a) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
    apart: Floats = np.linalg.norm(points - a - share[:, None] * way, axis=1)
    return apart


def _laplacian(points: Floats, triangles: np.ndarray) -> tuple[coo_matrix, Floats]:
    """Cotangent weights (none below zero), and each vertex's share of the area."""
    count = len(points)
    rows, columns, values = [], [], []
    area = np.zeros(count)
    corners = points[triangles]
    size = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    for k in range(3):
        i, j = triangles[:, (k + 1) % 3], triangles[:, (k + 2) % 3]
        u, v = points[i] - points[triangles[:, k]], points[j] - points[triangles[:, k]]
        cot = np.sum(u * v, axis=1) / np.maximum(2.0 * size, 1e-12)
        half = 0.5 * np.clip(cot, 0.02, 20.0)
        rows += [i, j, i, j]
        columns += [j, i, i, j]
        values += [-half, -half, half, half]
        np.add.at(area, triangles[:, k], size / 3.0)
    matrix = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(count, count))
    return matrix, area
