"""A mesh whose triangles are nearer to equal-sided: long thin ones show as streaks when a body twists."""

from __future__ import annotations

import numpy as np
from field import Floats

FINE, COARSE = 0.005, 0.011  # mean edge: below the first, details that must stay; above the second, plain skin
FLAT = np.cos(np.radians(25.0))  # only edges between triangles that lie about in one plane are flipped


def spread(points: Floats, triangles: np.ndarray, fixed: np.ndarray) -> Floats:
    """Vertices moved halfway to the middle of their neighbours where the mesh is coarse."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs = np.concatenate([pairs, pairs[:, ::-1]])
    count = np.bincount(pairs[:, 0], minlength=len(points))[:, None]
    total, long = np.zeros_like(points), np.zeros(len(points))
    np.add.at(total, pairs[:, 0], points[pairs[:, 1]])
    np.add.at(long, pairs[:, 0], np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1))
    share = np.clip((long[:, None] / count - FINE) / (COARSE - FINE), 0.0, 1.0)
    share[fixed] = 0.0
    moved: Floats = points + 0.5 * share * (total / count - points)
    return moved


def flipped(points: Floats, triangles: np.ndarray) -> np.ndarray:
    """Edges turned to the other diagonal of their two triangles where that makes both less thin (Delaunay)."""
    faces = [tuple(face) for face in triangles.tolist()]
    owner = {(face[k], face[(k + 1) % 3]): i for i, face in enumerate(faces) for k in range(3)}
    for a, b in list(owner):
        if a > b or (a, b) not in owner or (b, a) not in owner:
            continue
        one, two = owner[a, b], owner[b, a]
        c, d = (next(v for v in faces[i] if v not in (a, b)) for i in (one, two))
        if (c, d) in owner or (d, c) in owner or not _better(points, a, b, c, d):
            continue
        for i in (one, two):
            for k in range(3):
                owner.pop((faces[i][k], faces[i][(k + 1) % 3]))
        faces[one], faces[two] = (c, d, b), (d, c, a)
        for i in (one, two):
            for k in range(3):
                owner[faces[i][k], faces[i][(k + 1) % 3]] = i
    return np.array(faces, dtype=np.int64)


def _better(points: Floats, a: int, b: int, c: int, d: int) -> bool:
    """Whether c–d is the better diagonal of the quadrilateral a, d, b, c than a–b."""
    pa, pb, pc, pd = points[a], points[b], points[c], points[d]
    before = np.cross(pb - pa, pc - pa), np.cross(pa - pb, pd - pb)
    after = np.cross(pd - pc, pb - pc), np.cross(pc - pd, pa - pd)
    sizes = [float(np.linalg.norm(n)) for n in (*before, *after)]
    if min(sizes) < 1e-10:
        return False
    units = [n / size for n, size in zip((*before, *after), sizes, strict=True)]
    if min(float(units[i] @ units[j]) for i, j in ((0, 1), (2, 3), (0, 2), (0, 3), (1, 2))) < FLAT:
        return False
    return _angle(pa, pc, pb) + _angle(pa, pd, pb) > np.pi + 0.05


def _angle(a: Floats, corner: Floats, b: Floats) -> float:
    u, v = a - corner, b - corner
    return float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
