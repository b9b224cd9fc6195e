"""How near parts of a posed skin come to each other: the distance of vertices from triangles, below zero inside."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kinesphere import Character
from kinesphere.maths import kinematics

FINGERS = ("Index", "Middle", "Ring", "Little")
_TRUSTED = 0.006  # metres: from farther away, a patch's own edge may be what is nearest, and has no inside


def shares(character: Character, names: Iterable[str]) -> np.ndarray:
    """``(V,)`` how much of each vertex of the body these joints carry."""
    mesh, joints = character.meshes[0], [character.skeleton.index(name) for name in names]
    carried: np.ndarray = np.sum(mesh.weights * np.isin(mesh.joints, joints), axis=1)
    return carried


def finger(character: Character, side: str, name: str) -> np.ndarray:
    """How much of each vertex belongs to a finger; of the thumb, without its ball."""
    parts = ("Proximal", "Distal") if name == "Thumb" else ("Proximal", "Intermediate", "Distal")
    return shares(character, [f"{side}{name}{part}" for part in parts])


def posed(character: Character, local: np.ndarray) -> np.ndarray:
    """The body's surface for local rotations."""
    skeleton = character.skeleton
    return character.meshes[0].posed(*kinematics.forward(local, skeleton.offsets, skeleton.parents))


def gap(points: np.ndarray, triangles: np.ndarray, ours: np.ndarray, theirs: np.ndarray) -> float:
    """Metres between the vertices and the patch of skin that are mostly ours and theirs; below zero they overlap."""
    patch = triangles[(theirs[triangles] > 0.7).all(axis=1)]
    return float(_signed(points[ours > 0.9], *(points[patch[:, k]] for k in range(3))).min())


def _signed(points: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """``(N,)`` how far points are from the nearest of the triangles."""
    ab, ac, away = b - a, c - a, points[:, None] - a
    d1, d2 = np.sum(away * ab, axis=-1), np.sum(away * ac, axis=-1)
    aa, mixed, cc = np.sum(ab * ab, axis=-1), np.sum(ab * ac, axis=-1), np.sum(ac * ac, axis=-1)
    size = np.maximum(aa * cc - mixed**2, 1e-24)
    v, w = (cc * d1 - mixed * d2) / size, (aa * d2 - mixed * d1) / size
    foot = away - v[..., None] * ab - w[..., None] * ac
    over = (v >= 0.0) & (w >= 0.0) & (v + w <= 1.0)
    best = np.where(over, np.linalg.norm(foot, axis=-1), np.inf)
    for start, end in ((a, b), (b, c), (c, a)):
        way, off = end - start, points[:, None] - start
        share = np.clip(np.sum(off * way, axis=-1) / np.maximum(np.sum(way * way, axis=-1), 1e-24), 0.0, 1.0)
        best = np.minimum(best, np.linalg.norm(off - share[..., None] * way, axis=-1))
    row, nearest = np.arange(len(points)), best.argmin(axis=1)
    outward = np.cross(ab, ac)[nearest]
    inside = np.sum((points - a[nearest]) * outward, axis=1) < 0.0
    near: np.ndarray = best[row, nearest]
    return np.where(inside & (near < _TRUSTED), -near, near)
