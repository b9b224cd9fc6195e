"""Simple surfaces and a plain shot of them, for tests whose answers geometry knows."""

from __future__ import annotations

import numpy as np

from kinesphere.pictures.camera import Camera, Shot
from kinesphere.pictures.surface import Surface, plain_surface

RED, GREEN = (0.8, 0.05, 0.05), (0.05, 0.8, 0.05)


def quad(centre: tuple[float, float, float], half: float, colour: tuple[float, float, float]) -> Surface:
    """A square that faces +Z."""
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]) * half + centre
    return plain_surface(corners, np.array([[0, 1, 2], [0, 2, 3]]), colour)


def cube(centre: tuple[float, float, float], half: float) -> Surface:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[f[0], f[i], f[i + 1]] for f in faces for i in (1, 2)]
    return plain_surface(signs * half + centre, np.array(triangles))


def sphere(centre: tuple[float, float, float], radius: float, rings: int = 48) -> Surface:
    lift, turn = np.meshgrid(np.linspace(0.0, np.pi, rings), np.arange(2 * rings) * np.pi / rings, indexing="ij")
    points = np.stack([np.sin(lift) * np.sin(turn), np.cos(lift), np.sin(lift) * np.cos(turn)], axis=-1)
    i, k = np.meshgrid(np.arange(rings - 1), np.arange(2 * rings), indexing="ij")
    a, b = i * 2 * rings + k, i * 2 * rings + (k + 1) % (2 * rings)
    c, d = a + 2 * rings, b + 2 * rings
    triangles = np.stack([np.stack([a, c, d], -1), np.stack([a, d, b], -1)], axis=2).reshape(-1, 3)
    return plain_surface(points.reshape(-1, 3) * radius + centre, triangles)


def front_shot(size: tuple[int, int] = (200, 200), scale: float = 60.0, lift: float = 0.0) -> Shot:
    """From +Z, ``lift`` radians above the horizon, looking at (0, 1, 0) in the middle of the picture."""
    back = np.array([0.0, np.sin(lift), np.cos(lift)])
    up = np.array([0.0, np.cos(lift), -np.sin(lift)])
    camera = Camera(np.array([1.0, 0.0, 0.0]), up, back, 8.0)
    return Shot(camera, np.array([0.0, 1.0, 0.0]), scale, (size[0] / 2, size[1] / 2), size)


def drawn(pixels: np.ndarray) -> np.ndarray:
    """Where a wooden body is: clearly more red than blue."""
    return pixels[..., 0].astype(int) - pixels[..., 2] > 25
