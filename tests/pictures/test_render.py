"""Surfaces against geometry: what hides what, how large it is, where light and shadow fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import _native
from kinesphere.pictures import canvas
from kinesphere.pictures.camera import to_camera
from kinesphere.pictures.light import compute_shadows, key_light_direction
from kinesphere.pictures.rasterise import make_zbuffer
from kinesphere.pictures.render import Ribbon, Stage, render, srgb_to_linear
from kinesphere.pictures.surface import Surface, merge_surfaces, plain_surface, vertex_normals
from pictures.solids import GREEN, RED, cube, front_shot, quad, sphere

STAGE = Stage(floor=0.0, height=1.7)


def test_what_is_in_front_hides_what_is_behind_in_either_order() -> None:
    behind, before = quad((0.0, 1.0, -0.5), 0.6, RED), quad((0.0, 1.0, 0.5), 0.3, GREEN)
    for order in ([behind, before], [before, behind]):
        pixels = render(merge_surfaces(order), front_shot(), STAGE).astype(int)
        middle, beside = pixels[100, 100], pixels[100, 128]
        assert middle[1] > 2 * middle[0]
        assert beside[0] > 2 * beside[1]


def test_both_sides_of_a_triangle_are_seen_and_lit_alike() -> None:
    front = quad((0.0, 1.0, 0.0), 0.5, RED)
    back = replace(front, triangles=front.triangles[:, ::-1].copy(), normals=-front.normals)
    one, other = (render(surface, front_shot(), STAGE).astype(int) for surface in (front, back))
    assert np.abs(one - other).max() < 12  # they see other parts of the sky
    assert one[100, 100, 0] > 2 * one[100, 100, 1]


def test_the_silhouette_of_a_sphere_has_its_exact_size() -> None:
    """A sphere of radius r at distance d is a disc whose radius has the slope r / √(d² − r²)."""
    radius, shot = 0.7, front_shot((400, 400), 150.0)
    surface = sphere((0.0, 1.0, 0.0), radius, 96)
    finer = 3
    view = shot.projection(finer)
    nearness, ids = buffer = make_zbuffer(1200, 1200)
    _native.rasterise.fill_perspective(to_camera(surface.points, view), surface.triangles, view, buffer)
    slope = radius / np.sqrt(8.0**2 - radius**2)
    exact = np.pi * (slope * 150.0 * 8.0) ** 2
    assert (ids >= 0).sum() / finer**2 == pytest.approx(exact, rel=0.004)
    assert 1.0 / nearness.max() == pytest.approx(8.0 - radius, rel=1e-3)


def test_neighbouring_triangles_leave_no_gap_and_the_exact_area() -> None:
    """A fan whose inner edges fall anywhere."""
    angle = np.linspace(0.0, 2.0 * np.pi, 14)[:-1]
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(13)], axis=1) * 0.8 + [0.0, 1.0, 0.0]
    points = np.concatenate([[[0.0313, 1.0171, 0.0]], ring])
    triangles = np.array([[0, 1 + i, 1 + (i + 1) % 13] for i in range(13)])
    shot = front_shot((300, 300), 100.0)
    view = shot.projection()
    buffer = make_zbuffer(300, 300)
    _native.rasterise.fill_perspective(to_camera(points, view), triangles, view, buffer)
    rows = [np.flatnonzero(row >= 0) for row in buffer.ids]
    assert all(np.ptp(row) == len(row) - 1 for row in rows if len(row))
    assert (buffer.ids >= 0).sum() == pytest.approx(6.5 * np.sin(2 * np.pi / 13) * 80.0**2, rel=0.01)


def test_a_sphere_is_brightest_towards_the_key_light_and_warm_there() -> None:
    shot = front_shot((200, 200), 80.0)
    ball = sphere((0.0, 1.0, 0.0), 0.8)
    pixels = render(replace(ball, colours=np.full(ball.colours.shape, 0.4)), shot, STAGE).astype(float)
    way = key_light_direction(shot.camera)
    assert way @ [1.0, 0.0, 0.0] < -0.3  # from the left
    assert way[1] > 0.5

    def at(direction: np.ndarray) -> np.ndarray:
        (x, y), _ = shot.pixels(np.array([0.0, 1.0, 0.0]) + 0.8 * direction)
        return pixels[int(y), int(x)]

    aside = np.array([0.9, 0.1, np.sqrt(1.0 - 0.82)])
    lit, dark = at(way), at(aside)
    assert lit.sum() > 1.5 * dark.sum()
    assert lit[2] / lit[0] < dark[2] / dark[0]  # warm key, cooler sky


def test_a_convex_body_does_not_shade_itself() -> None:
    """No acne: brightness falls monotonously from the lit to the dark side."""
    shot = front_shot((300, 300), 130.0)
    pixels = render(sphere((0.0, 1.0, 0.0), 0.8), shot, STAGE).astype(float)
    way = key_light_direction(shot.camera)
    away = np.array([-way[0], -way[1], 0.0]) / np.hypot(way[0], way[1])
    start = np.array([0.0, 1.0, 0.0])
    lit = []
    for angle in np.linspace(np.radians(5.0), np.radians(70.0), 40):
        point = start + 0.8 * (np.cos(angle) * np.array([0.0, 0.0, 1.0]) + np.sin(angle) * away)
        (x, y), _ = shot.pixels(point)
        lit.append(pixels[int(y), int(x)].sum())
    assert (np.diff(lit) < 6.0).all()


def shadow_of(surface: Surface) -> tuple[np.ndarray, np.ndarray, float]:
    shot = front_shot(lift=0.3)
    shadows = compute_shadows(surface, shot.camera, shot.target, 0.0, 1.7)
    rows, columns = np.mgrid[: len(shadows.floor.key), : len(shadows.floor.key)] + 0.5
    weight = shadows.floor.key / shadows.floor.key.sum()
    middle = shadows.floor.key_corner + shadows.floor.key_texel * np.array(
        [(weight * columns).sum(), (weight * rows).sum()]
    )
    return shadows.floor.key, middle, float(shadows.floor.key_texel)


@pytest.mark.parametrize("height", [0.3, 0.9, 1.4])
def test_a_raised_cube_throws_its_shadow_away_from_the_light(height: float) -> None:
    key, middle, texel = shadow_of(cube((0.1, height, -0.2), 0.1))
    way = key_light_direction(front_shot(lift=0.3).camera)
    expected = np.array([0.1, -0.2]) - height * way[[0, 2]] / way[1]
    assert middle == pytest.approx(expected, abs=0.01 + 0.02 * height)
    assert key.sum() * texel**2 == pytest.approx(0.2 * 0.2 * (1 + (abs(way[0]) + abs(way[2])) / way[1]), rel=0.08)


def test_a_shadow_is_softer_the_higher_its_thrower_is() -> None:
    """The share of the shadow that is neither light nor full."""
    soft = []
    for height in (0.15, 0.6, 1.2):
        key = shadow_of(cube((0.0, height, 0.0), 0.15))[0]
        soft.append(((key > 0.05) & (key < 0.95)).sum() / (key > 0.05).sum())
    assert soft[0] < soft[1] < soft[2]


def test_the_shadow_is_seen_on_the_floor() -> None:
    shot = front_shot((300, 300), 70.0, lift=0.4)
    raised = cube((0.0, 1.0, 0.0), 0.2)
    empty = replace(raised, triangles=raised.triangles[:0], coarse=raised.coarse[:0])
    with_it, without = (render(surface, shot, STAGE).astype(int) for surface in (raised, empty))
    way = key_light_direction(shot.camera)
    spot = np.array([0.0, 0.0, 0.0]) - 1.0 * np.array([way[0], 0.0, way[2]]) / way[1]
    (x, y), _ = shot.pixels(spot)
    assert without[int(y), int(x)].sum() - with_it[int(y), int(x)].sum() > 100
    assert np.abs(with_it[-1] - without[-1]).max() <= 5  # far from it hardly anything changes


def test_far_from_the_target_the_floor_is_paper() -> None:
    pixels = render(cube((0.0, 1.0, 0.0), 0.1), front_shot((200, 200), 20.0, lift=0.3), STAGE)
    for corner in (pixels[0, 0], pixels[0, -1]):
        assert tuple(corner) == canvas.PAPER


def test_the_same_picture_every_time() -> None:
    surface = merge_surfaces([sphere((0.2, 1.0, 0.0), 0.5), cube((-0.4, 0.6, 0.2), 0.3)])
    assert np.array_equal(render(surface, front_shot(), STAGE), render(surface, front_shot(), STAGE))


def test_what_reaches_behind_the_camera_is_cut_off() -> None:
    """A floor-like strip that runs from far ahead to behind the camera, and a triangle right through its eye."""
    strip = np.array([[-0.5, 0.0, -5.0], [0.5, 0.0, -5.0], [0.5, 0.0, 30.0], [-0.5, 0.0, 30.0]])
    eye = np.array([[0.0, 1.0, 8.0], [0.3, 1.0, 2.0], [0.0, 1.3, 2.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]])
    surface = plain_surface(np.concatenate([strip, eye]), triangles, RED)
    pixels = render(surface, front_shot((200, 200), 60.0), STAGE).astype(int)
    red = pixels[..., 0] > 2 * pixels[..., 1]
    assert red[-1].sum() > 50  # the strip runs out of the lower edge
    assert not red[:60, :60].any()


def test_vertices_that_are_no_numbers_or_flat_triangles_are_left_out() -> None:
    good = quad((0.0, 1.0, 0.0), 0.4, GREEN)
    bad = quad((0.0, 1.0, 1.0), 0.4, RED)
    points = bad.points.copy()
    points[0] = np.nan
    points[2] = np.inf
    flat = plain_surface(np.array([[0.0, 1.0, 1.0]] * 3), np.array([[0, 1, 2]]), RED)
    surface = merge_surfaces([good, replace(bad, points=points), flat])
    pixels = render(surface, front_shot(), STAGE).astype(int)
    assert not (pixels[..., 0] > 2 * pixels[..., 1]).any()
    assert (pixels[..., 1] > 2 * pixels[..., 0]).sum() > 1000


def test_vertex_normals_a_sphere_point_outwards_in_any_pose() -> None:
    surface = sphere((0.3, -2.0, 1.0), 0.5)
    outwards = (surface.points - [0.3, -2.0, 1.0]) / 0.5
    found = vertex_normals(surface.points, surface.triangles, np.arange(len(surface.points)))
    inner = np.abs(outwards[:, 1]) < 0.99  # the poles are many vertices in one place
    assert (found * outwards).sum(axis=1)[inner].min() > 0.999


def test_a_ribbon_is_drawn_where_it_is_and_hidden_by_what_is_nearer() -> None:
    surface = quad((0.5, 1.0, 0.5), 0.4, GREEN)
    points = np.stack([np.linspace(-0.9, 0.9, 30), np.full(30, 1.0), np.zeros(30)], axis=1)
    ribbon = Ribbon(points, np.full(30, 0.05), np.ones(30), (0, 0, 255))
    shot = front_shot()
    pixels = render(surface, shot, STAGE, ribbons=[ribbon]).astype(int)
    (x, y), _ = shot.pixels(np.array([-0.5, 1.0, 0.0]))
    assert tuple(pixels[int(y), int(x)]) == (0, 0, 255)
    (x, y), _ = shot.pixels(np.array([0.5, 1.0, 0.0]))
    assert pixels[int(y), int(x)][1] > pixels[int(y), int(x)][2]


def test_a_ghost_is_paler_than_the_body_and_behind_it() -> None:
    body, ghost = quad((0.0, 1.0, -0.5), 0.3, RED), quad((0.3, 1.0, 0.5), 0.3, RED)
    pixels = render(body, front_shot(), STAGE, ghosts=[(ghost, 0.3)]).astype(int)
    plain = render(body, front_shot(), STAGE).astype(int)
    assert np.array_equal(pixels[100, 105], plain[100, 105])
    paper, haunted = plain[100, 130].sum(), pixels[100, 130].sum()
    assert plain[100, 100].sum() < haunted < paper - 20


def test_linear_is_the_inverse_of_the_picture_curve() -> None:
    assert srgb_to_linear((255, 0, 188)) == pytest.approx([1.0, 0.0, 0.5029], abs=1e-3)


def test_the_darkest_floor_is_grey_and_not_black_nor_blue() -> None:
    """Where a wide body stands, neither key nor sky arrives; what is left is a shade of the floor."""
    for low in (0.0, 0.02, 0.1):
        wide = cube((0.0, 0.5 + low, 0.0), 0.5)
        pixels = render(wide, front_shot(lift=0.3, scale=50.0), STAGE).astype(int)
        floor = np.abs(pixels[..., 0] - pixels[..., 2]) < 40
        dark = pixels[floor & (pixels.max(axis=-1) < 150)]
        assert len(dark) > 20
        assert pixels.min() > 15
        assert (dark[:, 2] - dark[:, 0]).max() < 25  # cool, not navy


def test_what_touches_the_floor_is_darker_there_than_what_floats() -> None:
    """A thin plate on the floor, and the same a hand's breadth above it, under a light from the upper left."""
    shot = front_shot(lift=0.5, scale=90.0)
    seen = []
    for low in (0.0, 0.12):
        plate = cube((0.0, 0.0, 0.0), 1.0)
        flat = plain_surface(plate.points * [0.25, 0.02, 0.25] + [0.0, 0.02 + low, 0.0], plate.triangles)
        shadows = compute_shadows(flat, shot.camera, shot.target, 0.0, 1.7)
        middle = np.floor((0.0 - shadows.floor.key_corner) / shadows.floor.key_texel).astype(int)
        seen.append(float(shadows.floor.contact[middle[1], middle[0]]))
    assert seen[0] > 0.95
    assert seen[1] < 0.05


def test_ghosts_do_not_show_through_each_other() -> None:
    body, ghost = quad((0.9, 1.0, 0.0), 0.1, RED), quad((-0.4, 1.0, 0.0), 0.4, GREEN)
    once = render(body, front_shot(), STAGE, ghosts=[(ghost, 0.4)]).astype(int)
    twice = render(body, front_shot(), STAGE, ghosts=[(ghost, 0.4), (ghost, 0.4)]).astype(int)
    assert np.abs(once - twice).max() <= 20  # their edges may add up
    assert np.abs(once - twice)[100, 76].max() <= 1
    plain = render(body, front_shot(), STAGE).astype(int)
    assert np.abs(once - plain)[100, 76].max() > 20


def test_tiny_triangles_are_lit_as_large_ones() -> None:
    """Samples of one pixel share their light where they see one thing; a fine sphere looks as a coarse one."""
    coarse, fine = (render(sphere((0.0, 1.0, 0.0), 0.6, rings), front_shot(), STAGE).astype(int) for rings in (60, 240))
    assert np.abs(coarse - fine).mean() < 0.5
    assert np.percentile(np.abs(coarse - fine).max(axis=-1), 99.5) < 12
