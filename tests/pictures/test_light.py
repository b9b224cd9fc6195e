"""Loops of light against plain NumPy and SciPy: shares of hidden rays, blurs, depth maps, normals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from kinesphere import _native
from kinesphere.pictures.light import DepthMaps, _depth_maps
from kinesphere.pictures.rasterise import FloorMap


@pytest.mark.parametrize("lights", [1, 30, 70])  # 70: more than a texel's mask has bits
def test_shadows_on_the_floor_are_the_shares_of_rays_that_meet_a_level_square(lights: int) -> None:
    rng = np.random.default_rng(lights)
    rays = np.stack([*rng.uniform(-0.4, 0.4, (2, lights)), np.ones(lights)], axis=1)[:, [0, 2, 1]].copy()
    low, high, above, side, texel = np.array([0.31, 0.42]), np.array([0.93, 1.17]), 0.5, 40, 0.05
    corners = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    points = np.stack([corners[:, 0], np.full(4, 0.1 + above), corners[:, 1]], axis=1)
    shadow = np.empty((side, side), dtype=np.float32)
    floor = FloorMap(0.1, np.array([-0.2, 0.1]), texel)
    _native.rasterise.fill_shadow(points, np.array([[0, 1, 2], [0, 2, 3]]), rays, floor, shadow)
    centres = floor.corner + (np.arange(side)[:, None] + 0.5) * texel
    met = centres[:, None] + above * rays[:, [0, 2]]  # where the rays of a texel reach the square's height
    inside = (met > low) & (met < high)
    np.testing.assert_allclose(shadow, np.mean(inside[:, :, 1][:, None] & inside[:, :, 0][None], axis=2), atol=1e-6)
    assert 0.0 < shadow.mean() < 0.5


@pytest.mark.parametrize("side", [1, 2, 3, 37])
def test_blurs_are_box_filters_with_nothing_beyond_the_edge(side: int) -> None:
    values = np.random.default_rng(side).uniform(size=(side, side)).astype(np.float32)
    expected = values.astype(np.float64)
    for _ in range(3):
        expected = uniform_filter(expected, 3, mode="constant")
    _native.light.blur(values, 3)
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_depth_maps_hold_the_greatest_height_of_a_tilted_plane_and_of_a_patch_before_it() -> None:
    direction = np.array([0.3, 0.9, -0.2])
    direction /= np.linalg.norm(direction)
    plane = np.array([[-1.0, 0.0, -1.0], [1.0, 0.2, -1.0], [1.0, 0.5, 1.0], [-1.0, 0.3, 1.0]])
    patch = plane * 0.25 + 0.4 * direction
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    maps = _depth_maps(
        np.concatenate([plane, patch]), np.concatenate([triangles + 4, triangles]), direction[None], 1.0, 128
    )
    found = maps.heights[0]
    behind = _depth_maps(plane, triangles, direction[None], 1.0, 128).heights[0]
    shown = behind > -1e29
    assert np.all(found[shown] >= behind[shown])
    rows, columns = np.nonzero(shown)
    on_plane = _positions(maps, rows, columns, behind[shown])
    # Both of its triangles lie in the plane z, x → y.
    slope = np.linalg.lstsq(np.column_stack([plane[:, [0, 2]], np.ones(4)]), plane[:, 1])[0]
    np.testing.assert_allclose(on_plane[:, [0, 2]] @ slope[:2] + slope[2], on_plane[:, 1], atol=1e-5)
    # The patch is parallel to the plane, this far before it.
    before = 0.4 - 0.75 * slope[2] / (direction @ [-slope[0], 1.0, -slope[1]])
    nearer = found[shown] - behind[shown]
    np.testing.assert_allclose(nearer[nearer > 0.0], before, atol=1e-5)
    assert np.mean(nearer > 0.0) == pytest.approx(0.25**2, rel=0.1)


def _positions(maps: DepthMaps, rows: np.ndarray, columns: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Where texels of the first map are in the world."""
    x, y = ((texels + 0.5)[:, None] * maps.texels[0] for texels in (columns, rows))
    placed: np.ndarray = maps.origins[0] + x * maps.x_axes[0] + y * maps.y_axes[0] + heights[:, None] * maps.directions
    return placed
