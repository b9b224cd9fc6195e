"""Body collision: where a body's surface is, and hands that go around it instead of through it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from field_measures.round_body import SHAPES, round_character
from kinesphere import Character, Motion, retarget
from kinesphere.body.anatomy import find_anatomy
from kinesphere.body.body import body_of
from kinesphere.body.collision import Arms, CollisionAvoidance, find_volumes
from kinesphere.builtin import figure, mo
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import smootherstep
from kinesphere.motion.character import Mesh

MARGIN, SOFT = 0.004, 0.010
WIDE, DEEP = 0.27, 0.29
MIDDLE = np.array([0.0, 1.09, 0.0])


def standing(character, frames=1):
    turned, placed = character.skeleton.rest_world()
    return np.tile(turned, (frames, 1, 1)), np.tile(placed, (frames, 1, 1))


def surface_of(character, frames=1):
    return body_of(character).volumes.surface.pose(*standing(character, frames))


def depth(surface, points, side=1.0):
    """Metres of points ``(N, 3)`` below a surface in its first frame, negative outside, as the solver sees it."""
    far = 5.0
    pushes = surface.push_out(points[None], side, np.full(len(points), far), 1e-9)[0]
    return np.linalg.norm(pushes, axis=-1) - far


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_surface_is_where_the_skin_is(shape, side):
    """A vertex is on it, one drawn towards the middle is inside, one drawn away is outside."""
    character = round_character(shape, WIDE, DEEP)
    surface, skin = surface_of(character), character.meshes[0].positions
    skin = skin[(skin[:, 1] > 0.9) & (skin[:, 1] < 1.34)]
    assert np.abs(depth(surface, skin, side)).max() < 0.006
    axis = skin * [0.0, 1.0, 0.0]
    assert depth(surface, axis + 0.85 * (skin - axis), side).min() > 0.01
    assert depth(surface, axis + 1.15 * (skin - axis), side).max() < -0.01


@pytest.mark.parametrize("axes", [[0.0, 0.0, 0.0], [0.4, 0.0, 0.0], [0.0, 0.5, 0.3]])
def test_the_surface_bends_with_the_spine(axes):
    character = round_character("ball", WIDE, DEEP)
    local = np.tile(character.skeleton.rest_rotations, (1, 1, 1))
    for name in ("spine", "chest"):
        joint = character.skeleton.index(name)
        local[0, joint] = R.multiply(R.from_rotation_vector(np.array(axes)), local[0, joint])
    q, p = Motion(character.skeleton, 30.0, local).world()
    skin = character.posed(q, p)[0][0]
    rest = character.meshes[0].positions
    belly = skin[(rest[:, 1] > 0.95) & (rest[:, 1] < 1.3)]
    assert np.abs(depth(body_of(character).volumes.surface.pose(q, p), belly)).max() < 0.035


def test_what_is_clear_is_not_moved_at_all_and_what_is_inside_gets_out(rng):
    surface = surface_of(round_character("ball", WIDE, DEEP))
    points = MIDDLE + rng.uniform(-0.5, 0.5, size=(2000, 3))
    for side in (1.0, -1.0):
        moved = points
        deep = depth(surface, points, side)
        for _ in range(4):
            pushes = surface.push_out(moved[None], side, np.full(len(points), MARGIN), SOFT)[0]
            moved = moved + pushes
        clear = deep < -(MARGIN + SOFT)
        assert clear.any()
        assert np.array_equal(moved[clear], points[clear])
        assert depth(surface, moved, side).max() < 0.0


@pytest.mark.parametrize("start", [(0.0, 0.0, 0.6), (0.6, 0.0, 0.1), (0.3, 0.1, 0.5)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_point_that_is_moved_through_the_middle_goes_round_it(start, side):
    """Never faster than some times what it did: nowhere does it jump to the other side."""
    surface = surface_of(round_character("ball", WIDE, DEEP))
    path = MIDDLE + np.linspace(start, -np.array(start), 2001)
    moved = path
    for _ in range(4):
        moved = moved + surface.push_out(moved[None], side, np.full(len(path), MARGIN), SOFT)[0]
    assert depth(surface, moved, side).max() <= 0.0
    steps = np.linalg.norm(np.diff(moved, axis=0), axis=-1) / np.linalg.norm(np.diff(path, axis=0), axis=-1)
    assert steps.max() < 8.0


def arms_of(character, places):
    """Arms as they are in positions ``(T, J, 3)``, with elbows that bend downward."""
    index = character.skeleton.roles
    shoulder, elbow, wrist = (
        places[:, [index[f"{side}{part}"] for side in ("left", "right")]] for part in ("UpperArm", "LowerArm", "Hand")
    )
    lengths = (np.linalg.norm(b[0] - a[0], axis=-1) for a, b in ((shoulder, elbow), (elbow, wrist)))
    hinges = np.cross(np.broadcast_to([0.0, -1.0, 0.0], wrist.shape), wrist - shoulder)
    return Arms(shoulder, wrist, hinges / np.linalg.norm(hinges, axis=-1, keepdims=True), *lengths)


def test_a_hand_pushed_through_the_ball_comes_out_smoothly():
    """Within half a second from the front out at its side: outside throughout, and turned aside about as gently."""
    character, rate = mo(), 60.0
    body = body_of(character)
    times = np.arange(0.0, 1.5, 1.0 / rate)
    world, places = standing(character, len(times))
    avoidance = CollisionAvoidance.of_motion(body.volumes, body.anatomy, world, places, rate)
    arms = arms_of(character, places)
    wrists = arms.wrists.copy()
    eased = smootherstep(2.0 * (times - 0.5))
    middle = np.array([0.0, 0.6, 0.0])
    wrists[:, 1] = middle + [0.0, -0.1, 0.36] + eased[:, None] * [-0.38, 0.0, -0.48]
    changed, made = avoidance.clear_arms(arms._replace(wrists=wrists))
    assert not changed[:, 0].any()
    assert np.array_equal(made.wrists[:, 0], wrists[:, 0])
    surface = surface_of(character, len(times))
    hand = body.volumes.hands["right"]
    skin = (
        places[:, hand.joints]
        + R.rotate(world[:, hand.joints], hand.anchors)
        - places[:, None, body.roles["rightHand"]]
    )
    points = made.wrists[:, 1, None] + skin
    assert not surface.push_out(points, -1.0, np.zeros(points.shape[1]), 1e-9).any()
    jolts, before = (
        np.linalg.norm(np.diff(path[:, 1], 2, axis=0), axis=-1).max() * rate
        for path in (made.bend()[1], arms._replace(wrists=wrists).bend()[1])
    )
    assert jolts < 1.1 * before


def test_people_and_what_hangs_are_not_touched():
    for character in (figure(), figure(1.5, 0.6), figure(1.8, -1.0), figure(1.7, 1.0)):
        assert not find_volumes(character, find_anatomy(character.skeleton)).is_thick
    for character in (mo(), *(round_character(shape, WIDE, DEEP) for shape in SHAPES)):
        assert find_volumes(character, find_anatomy(character.skeleton)).is_thick
    body = body_of(mo())
    world, places = standing(mo(), 10)
    avoidance = CollisionAvoidance.of_motion(body.volumes, body.anatomy, world, places, 30.0)
    arms = arms_of(mo(), places)
    changed, made = avoidance.clear_arms(arms)
    assert not changed.any()
    assert made is arms


def test_hands_without_a_skin_are_cleared_too():
    whole = round_character("ball", WIDE, DEEP, 0.97)
    bare = Character("bare", whole.skeleton, whole.meshes[:1])
    assert body_of(bare).volumes.is_thick
    assert set(body_of(bare).volumes.hands) == {"left", "right"}


def test_a_character_without_a_trunk_has_no_surface():
    whole = round_character("ball", WIDE, DEEP)
    arms = Character("arms", whole.skeleton, whole.meshes[1:])
    volumes = body_of(arms).volumes
    assert volumes.surface is None
    assert not volumes.is_thick
    assert not body_of(Character("empty", whole.skeleton, ())).volumes.is_thick
    mesh = whole.meshes[0]
    none = Mesh(mesh.name, mesh.positions, mesh.triangles[:0], mesh.joints, mesh.weights, mesh.anchors)
    assert body_of(replace(whole, meshes=(none,))).volumes.surface is None


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
