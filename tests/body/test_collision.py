"""Body collision: hands go around a body instead of through it."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Motion, retarget
from kinesphere.body.anatomy import find_anatomy
from kinesphere.body.collision import (
    CollisionAvoidance,
    Ellipsoid,
    find_volumes,
    fit_inscribed_ellipsoid,
    push_out_of_ellipsoid,
)
from kinesphere.builtin import figure, mo
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import smootherstep, unit

MARGIN, SOFT = 0.004, 0.010
RADII = np.array([0.28, 0.30, 0.25])


def ball(frames):
    return Ellipsoid(np.zeros((frames, 3)), np.tile(np.eye(3), (frames, 1, 1)), RADII)


def on_an_ellipsoid(count=4000, radii=RADII):
    rng = np.random.default_rng(3)
    return unit(rng.normal(size=(count, 3))) * radii


def gauge(points, radii=RADII):
    return np.linalg.norm(points / radii, axis=-1)


@pytest.mark.parametrize("cap", [-1.0, 0.0, 0.5])
def test_an_ellipsoid_is_found_from_its_skin_or_a_part_of_it(cap):
    skin = on_an_ellipsoid()
    skin = skin[skin[:, 1] >= cap * RADII[1]]
    place = np.array([0.0, 1.0, 0.2])
    middle, radii, ragged = fit_inscribed_ellipsoid(place + skin, place + on_an_ellipsoid())
    assert middle == pytest.approx(place, abs=0.003)
    assert radii == pytest.approx(RADII, rel=0.02)
    assert ragged < 1.01


def test_noses_and_the_roots_of_limbs_do_not_count():
    skin = on_an_ellipsoid()
    bumps = skin[skin[:, 1] < -0.25] * [1.0, 1.6, 1.0]
    skin = np.concatenate([skin, bumps])
    middle, radii, _ = fit_inscribed_ellipsoid(skin, skin)
    assert np.abs(middle).max() < 0.01
    assert radii == pytest.approx(RADII, rel=0.04)


def test_a_box_keeps_the_ellipsoid_inside_it():
    rng = np.random.default_rng(5)
    points = rng.uniform(-1.0, 1.0, size=(6000, 3))
    points[np.arange(6000), rng.integers(0, 3, 6000)] = rng.choice([-1.0, 1.0], 6000)
    _, radii, _ = fit_inscribed_ellipsoid(points, points)
    assert radii.max() < 1.1


def test_what_is_clear_is_not_moved_at_all_and_what_is_inside_gets_out():
    rng = np.random.default_rng(7)
    points = rng.uniform(-0.5, 0.5, size=(500, 4, 3))
    for side in (1.0, -1.0):
        pushes = push_out_of_ellipsoid(ball(500), points, side, MARGIN, SOFT)
        far = gauge(points, RADII + MARGIN + 3.0 * SOFT) > 1.0
        assert not pushes[far].any()
        assert gauge(points + pushes, RADII + MARGIN).min() > 1.0 - 1e-9


@pytest.mark.parametrize("start", [(0.0, 0.0, 0.6), (0.6, 0.0, 0.1), (0.1, -0.6, 0.2), (0.3, 0.3, 0.4)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_point_that_is_moved_through_the_middle_goes_round_it(start, side):
    """Never faster than some times what it did: nowhere does it jump to the other side."""
    path = np.linspace(start, -np.array(start), 2001)[:, None]
    moved = path + push_out_of_ellipsoid(ball(2001), path, side, MARGIN, SOFT)
    assert gauge(moved).min() >= 1.0
    steps = np.linalg.norm(np.diff(moved[:, 0], axis=0), axis=-1) / np.linalg.norm(np.diff(path[:, 0], axis=0), axis=-1)
    assert steps.max() < 8.0


def standing(frames):
    skeleton = mo().skeleton
    turned, placed = skeleton.rest_world()
    return np.tile(turned, (frames, 1, 1)), np.tile(placed, (frames, 1, 1))


def test_a_hand_pushed_through_the_ball_comes_out_smoothly():
    """Within half a second from the front out at its side: outside throughout, and turned aside about as gently."""
    character, rate = mo(), 60.0
    body = find_anatomy(character.skeleton)
    found = find_volumes(character, body)
    volume = found.obstacles().ellipsoids[-1]
    times = np.arange(0.0, 1.5, 1.0 / rate)
    world, places = standing(len(times))
    shape = volume.pose(world, places)
    avoidance = CollisionAvoidance.of_motion(found.obstacles(), body, world, places, rate)
    wrists = places[:, [body.skeleton.roles[f"{side}Hand"] for side in ("left", "right")]].copy()
    eased = smootherstep(2.0 * (times - 0.5))
    wrists[:, 1] = shape.middle + [0.0, -0.1, 0.36] + eased[:, None] * [-0.38, 0.0, -0.48]
    moved = avoidance.move_wrists(wrists, world, places)
    assert np.array_equal(moved[:, 0], wrists[:, 0])
    skin = moved[:, 1, None] + avoidance.hand_skin(1, np.arange(len(times)), world, places)
    assert gauge(skin - shape.middle[:, None], volume.radii).min() > 1.0
    jolts, before = (np.linalg.norm(np.diff(path[:, 1], 2, axis=0), axis=-1).max() * rate for path in (moved, wrists))
    assert jolts < 1.5 * before


def test_people_and_what_hangs_are_not_touched():
    for character in (figure(), figure(1.5, 0.6)):
        assert not find_volumes(character, find_anatomy(character.skeleton)).obstacles().ellipsoids
    found = find_volumes(mo(), find_anatomy(mo().skeleton))
    assert set(found.hand_scales) == {1.0}
    world, places = standing(10)
    avoidance = CollisionAvoidance.of_motion(found, find_anatomy(mo().skeleton), world, places, 30.0)
    start, elbow, wrist = (
        places[:, [mo().skeleton.roles[f"{side}{part}"] for side in ("left", "right")]]
        for part in ("UpperArm", "LowerArm", "Hand")
    )
    assert np.array_equal(avoidance.move_wrists(wrist, world, places), wrist)
    assert not avoidance.swing_elbows(start, elbow, wrist)[0].any()


def test_a_clear_motion_is_the_same_to_the_last_bit():
    source = figure()
    q = R.identity(40, len(source.skeleton)).copy()
    lifted = R.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.linspace(0.0, 0.8, 40))
    q[:, source.skeleton.index("leftUpperArm")] = lifted
    away = Motion(source.skeleton, 30.0, q)
    for onto in (mo(), figure(1.5, 0.6)):
        made, plain = (retarget(away, onto, clear=clear) for clear in (True, False))
        assert np.array_equal(made.rotations, plain.rotations)
        assert np.array_equal(made.translations, plain.translations)
        assert np.array_equal(retarget(away, onto.skeleton).rotations, plain.rotations)  # no surface, no room
    assert retarget(away, source).rotations is away.rotations
