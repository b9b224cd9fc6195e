"""From a field to a triangle mesh: one half sampled, extracted, simplified, laid back onto the surface and mirrored."""

from __future__ import annotations

from collections.abc import Sequence

import fast_simplification
import numpy as np
from evening import flipped, spread
from field import Field, Floats
from skimage.measure import marching_cubes

BLOCK = 6  # cells
SPECK = 1e-4  # metres
FACE = 0.065  # metres about its middle that are swollen
EVENINGS = 5  # rounds of flipping edges and spreading vertices
MARGIN = 1.85  # half diagonals of a block within which the surface may pass: fields are only about metric

Finer = tuple[float, float, float]  # from, to, cell


def extracted(
    field: Field, axes: Sequence[Floats], vertices: int, face: Floats | None = None
) -> tuple[Floats, np.ndarray, Floats]:
    """Vertices ``(V, 3)``, triangles ``(F, 3)`` and normals of the surface, about so many vertices.

    The field is even in x and the first axis begins at 0, so that both halves are exactly alike. Where the ``face`` is
    more detail is kept.
    """
    points, triangles, _, _ = marching_cubes(_sampled(field, axes), 0.0)
    points = _placed(points.astype(np.float64), axes)
    middle = points[:, 0] < 1e-7
    points = laid_on(field, points)
    points[middle, 0] = 0.0
    target = 1.0 - vertices / len(triangles)
    larger = points if face is None else _about_face(points, face)
    larger, triangles = fast_simplification.simplify(
        larger.astype(np.float32), triangles.astype(np.int32), target, agg=3
    )
    larger, triangles = larger.astype(np.float64), triangles.astype(np.int64)
    points = larger if face is None else _about_face(larger, face, back=True)
    border = _border(triangles)
    points[border, 0] = 0.0
    for _ in range(EVENINGS):
        triangles = flipped(points, triangles)
        points = laid_on(field, spread(points, triangles, border), 2)
        points[border, 0] = 0.0
    points, triangles = _without_specks(points, triangles)
    points, triangles = _mirrored(points, triangles, _border(triangles))
    normals = gradient(field, points)
    sides = np.cross(
        points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]]
    )
    if np.sum(sides * normals[triangles[:, 0]]) < 0.0:  # outward
        triangles = triangles[:, ::-1]
    return points, np.ascontiguousarray(triangles), normals


def _about_face(points: Floats, face: Floats, *, back: bool = False) -> Floats:
    """Space swollen to twice its size about the face, and back: what is simplified while it is large keeps more."""
    small = np.linspace(0.0, 3.0, 3000)
    large = small * (1.0 + np.exp(-((small / FACE) ** 2)))
    away = points - face
    far = np.linalg.norm(away, axis=1, keepdims=True)
    new = np.interp(far, large, small) if back else np.interp(far, small, large)
    moved: Floats = face + away * new / np.maximum(far, 1e-12)
    return moved


def axis(low: float, high: float, cell: float, finer: Sequence[Finer] = ()) -> Floats:
    """Places of samples from low to high: a cell apart, and closer where something small is."""
    ends = sorted({low, high, *(end for start, stop, _ in finer for end in (start, stop))})
    places: list[Floats] = []
    for start, stop in zip(ends[:-1], ends[1:], strict=True):
        step = min([cell, *(fine for a, b, fine in finer if a <= 0.5 * (start + stop) <= b)])
        places.append(np.linspace(start, stop, max(round((stop - start) / step), 1), endpoint=False))
    whole = np.concatenate(places)
    lacking = -len(whole) % BLOCK
    return np.concatenate([whole, high + cell * np.arange(lacking)])


def _placed(index: Floats, axes: Sequence[Floats]) -> Floats:
    """Where a place on the grid, in samples, is in the world."""
    return np.stack([np.interp(index[:, k], np.arange(len(axes[k])), axes[k]) for k in range(3)], axis=1)


def _sampled(field: Field, axes: Sequence[Floats]) -> np.ndarray:
    """The field on a grid, exact near the surface only: whole blocks elsewhere get the value at their middle."""
    blocks = [len(one) // BLOCK for one in axes]
    middles = np.stack(np.meshgrid(*(np.arange(n) for n in blocks), indexing="ij"), axis=-1).reshape(-1, 3)
    low, high = (_placed((BLOCK * middles + end).astype(np.float64), axes) for end in (0, BLOCK))
    coarse = field(0.5 * (low + high))
    values = coarse.reshape(blocks).astype(np.float32)
    for k in range(3):
        values = np.repeat(values, BLOCK, k)
    near = middles[np.abs(coarse) < MARGIN * 0.5 * np.linalg.norm(high - low, axis=1) + 0.004]
    inner = np.stack(np.meshgrid(*([np.arange(BLOCK)] * 3), indexing="ij"), axis=-1).reshape(-1, 3)
    for part in np.array_split(near, max(len(near) // 400, 1)):
        index = (BLOCK * part[:, None] + inner).reshape(-1, 3)
        values[tuple(index.T)] = field(np.stack([axes[k][index[:, k]] for k in range(3)], axis=1))
    return values


def _without_specks(points: Floats, triangles: np.ndarray) -> tuple[Floats, np.ndarray]:
    """The same with the ends of every edge too short to be seen as one vertex."""
    while True:
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        short = edges[np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1) < SPECK]
        if not len(short):
            break
        kept, gone = short[0].tolist()
        if points[gone, 0] == 0.0:  # the middle stays in the middle
            kept, gone = gone, kept
        triangles = np.where(triangles == gone, kept, triangles)
        a, b, c = triangles.T
        triangles = triangles[(a != b) & (b != c) & (c != a)]
    used, index = np.unique(triangles, return_inverse=True)
    return points[used], index.reshape(-1, 3)


def _border(triangles: np.ndarray) -> np.ndarray:
    """Vertices on the edges that only one triangle has."""
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    kinds, counts = np.unique(edges, axis=0, return_counts=True)
    return np.unique(kinds[counts == 1])


def _mirrored(points: Floats, triangles: np.ndarray, shared: np.ndarray) -> tuple[Floats, np.ndarray]:
    """A half and its mirror image as one surface; vertices in the middle are there once."""
    own = np.ones(len(points), dtype=bool)
    own[shared] = False
    other = np.where(own, len(points) + np.cumsum(own) - 1, np.arange(len(points)))
    both = np.concatenate([points, points[own] * [-1.0, 1.0, 1.0]])
    return both, np.concatenate([triangles, other[triangles][:, ::-1]])


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
