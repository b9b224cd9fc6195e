"""Shapes for a lay figure: tubes along lines, eggs and balls, as triangles that turn counter-clockwise from outside."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.character import Mesh
from kinesphere.motion.skeleton import Skeleton

ROUND = 16  # corners around


@dataclass
class Pieces:
    """Vertices and triangles of one colour, as they are gathered."""

    positions: list[Floats] = field(default_factory=list)
    triangles: list[Ints] = field(default_factory=list)
    joints: list[Ints] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    count: int = 0

    def add(self, points: Floats, triangles: Ints, joints: Ints | tuple[int, int], share: Floats | float = 0.0) -> None:
        """A closed piece, carried by the first joint, and as far as ``share`` says by the second."""
        size = len(points)
        second = np.broadcast_to(np.asarray(share, dtype=np.float64), (size,))
        self.positions.append(points)
        self.triangles.append(triangles + self.count)
        self.joints.append(np.broadcast_to(np.asarray(joints, dtype=np.intp), (size, 2)))
        self.weights.append(np.stack([1.0 - second, second], axis=1))
        self.count += size

    def mesh(self, skeleton: Skeleton, name: str, colour: tuple[float, float, float, float]) -> Mesh:
        """All of them, bound to the skeleton at rest."""
        parts = (np.concatenate(part) for part in (self.positions, self.triangles, self.joints, self.weights))
        return Mesh.bound(skeleton, *parts, name=name, colour=colour)


def limb(start: Floats, end: Floats, wide: Floats, deep: Floats, across: Floats) -> tuple[Floats, Ints, Floats]:
    """A rounded body along a line: half widths along ``across`` and square to it, at even shares of the length.

    Both ends are closed by half an egg. Also the share of the length of each vertex.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    one, other = square_to(along / length, across)
    bend = np.linspace(0.0, 0.5 * np.pi, 5)[1:-1]
    caps = [min(float(wide[k]), float(deep[k])) * 0.8 / length for k in (0, -1)]
    place = np.concatenate([-caps[0] * np.cos(bend), np.linspace(0.0, 1.0, len(wide)), 1.0 + caps[1] * np.sin(bend)])
    sizes = [np.concatenate([r[0] * np.sin(bend), r, r[-1] * np.cos(bend)]) for r in (wide, deep)]
    rings = start + place[:, None, None] * along + _ring(sizes[0], sizes[1], one, other)
    ends = np.stack([start - caps[0] * along, end + caps[1] * along])
    points = np.concatenate([rings.reshape(-1, 3), ends])
    return points, tube(len(place)), np.concatenate([np.repeat(place, ROUND), [0.0, 1.0]])


def stacked(centres: Floats, wide: Floats, deep: Floats, across: Floats) -> tuple[Floats, Ints]:
    """A tube through centres ``(N, 3)``, level with ``across``, drawn together to a point beyond each end."""
    axis = centres[-1] - centres[0]
    one, other = square_to(axis / max(float(np.linalg.norm(axis)), 1e-9), across)
    rings = centres[:, None] + _ring(wide, deep, one, other)
    return np.concatenate([rings.reshape(-1, 3), centres[[0, -1]]]), tube(len(centres))


def egg(centre: Floats, up: Floats, left: Floats, radii: tuple[float, float, float]) -> tuple[Floats, Ints]:
    """An ellipsoid: half sizes up, left and ahead."""
    lift = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 11)[1:-1]
    flat = np.cos(lift)
    centres = centre + np.sin(lift)[:, None] * radii[0] * up
    rings = centres[:, None] + _ring(radii[1] * flat, radii[2] * flat, left, np.cross(up, left))
    ends = np.stack([centre - radii[0] * up, centre + radii[0] * up])
    return np.concatenate([rings.reshape(-1, 3), ends]), tube(len(lift))


def tube(rings: int) -> Ints:
    """Triangles of a closed tube whose two end points come last."""
    i, k = np.meshgrid(np.arange(rings - 1), np.arange(ROUND), indexing="ij")
    a, b = i * ROUND + k, i * ROUND + (k + 1) % ROUND
    c, d = a + ROUND, b + ROUND
    sides = np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], axis=2).reshape(-1, 3)
    around = np.arange(ROUND)
    first, last, top = rings * ROUND, rings * ROUND + 1, (rings - 1) * ROUND
    below = np.stack([np.full(ROUND, first), (around + 1) % ROUND, around], axis=-1)
    above = np.stack([np.full(ROUND, last), top + around, top + (around + 1) % ROUND], axis=-1)
    return np.concatenate([sides, below, above]).astype(np.intp)


def square_to(direction: Floats, across: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors square to a direction and to each other, the first as near to ``across`` as can be."""
    one = across - (across @ direction) * direction
    if np.linalg.norm(one) < 0.3:
        one = np.cross(direction, [0.0, 0.0, 1.0] if abs(direction[2]) < 0.8 else [0.0, 1.0, 0.0])
    one = one / np.linalg.norm(one)
    return one, np.cross(direction, one)


def _ring(wide: Floats, deep: Floats, one: Floats, other: Floats) -> Floats:
    """``(N, ROUND, 3)`` ellipses."""
    angle = np.arange(ROUND) * 2.0 * np.pi / ROUND
    ellipses: Floats = (
        wide[:, None, None] * np.cos(angle)[:, None] * one + deep[:, None, None] * np.sin(angle)[:, None] * other
    )
    return ellipses
