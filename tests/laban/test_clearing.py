"""Keys kept off the body: at the keys and between them, however Shape bends it, and as little as can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import seeds
from kinesphere import Effort, Gesture, Keypoint, Keypoints, Shape
from kinesphere.builtin.library import gesture
from kinesphere.engine.pose import resting_wrist
from kinesphere.laban.clearance import flourish_scale, penetration, resolve_collisions
from kinesphere.laban.key_placement import PathDeviation, _shape_bends, key_table
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.maths.vectors import norms
from kinesphere.motion.gesture import Space, Stop
from score.gestures import five_goals, with_world_goal

ARMED = ["beckon", "clap", "drink", "emphasise", "knock", "point", "punch", "reach", "shrug", "wave"]
factor = st.floats(-1.0, 1.0)
shapes = st.builds(Shape, factor, factor, factor, factor)
efforts = st.builds(Effort, factor, factor, factor, factor)
few = settings(max_examples=25, deadline=None)


def made_of(own, shape, effort=None, intensity=1.0):
    return manner(own, {part: [Dials(effort or Effort(), shape, intensity)] for part in PARTS})


def surroundings(own, made):
    """The body around the keys, as it is written and as the manner bends it, and the ways of hands between them."""
    table = key_table(own)
    written, around = table.around(_shape_bends(table, made.channels), PathDeviation(np.zeros(len(table.times)), None))
    return table, written, around, table.courses.at(np.zeros(len(table.times)))


def outward(table, made):
    """Keys as the table has them: out, up and ahead of the shoulder."""
    return np.concatenate([made.arms[side].positions for side in table.sides]) * table.mirrors


@pytest.mark.parametrize("name", ARMED)
@given(shape=shapes)
@few
def test_hands_are_outside_of_a_bent_body_wherever_they_are_written_so(name, shape):
    own = gesture(name)
    made = made_of(own, shape)
    if made.arms["right"].positions is None:
        return
    table, written, around, course = surroundings(own, made)
    places = np.where(table.keys.free[:, None], outward(table, made), table.keys.written)
    deep, allowed = norms(penetration(places, around, course)), norms(penetration(table.keys.written, written, course))
    reached = np.linalg.norm(places, axis=1)[course.rows[:, 1:3]].max(axis=1) < 0.51  # arms too short come back
    paired = np.zeros(len(places), dtype=bool)
    if table.pairs is not None:  # hands that meet go together
        paired[[*table.pairs.left, *table.pairs.right]] = True
    alone = reached & ~paired[course.rows[:, 1:3]].any(axis=1)
    assert (deep - allowed)[alone].max(initial=0.0) < 0.02


@pytest.mark.parametrize("name", ARMED)
@given(effort=efforts, size=st.floats(0.0, 1.0))
@few
def test_effort_alone_moves_no_key_and_hardly_any_shape_hardly_moves_one(name, effort, size):
    own = gesture(name)
    assert all(arm.positions is None for arm in made_of(own, Shape(), effort).arms.values())
    tiny = 1e-6 * size
    made = made_of(own, Shape(tiny, tiny, tiny, -tiny), effort)
    for side, arm in made.arms.items():
        if arm.positions is not None:
            written = np.array([key.position for key in own.arm(side).keys])
            assert np.abs(arm.positions - written).max() < 1e-5


@given(seeds)
@few
def test_no_key_jumps_when_a_dial_is_turned_a_little(seed):
    rng = np.random.default_rng(seed)
    own = gesture(ARMED[seed % len(ARMED)])
    factors, by = rng.uniform(-0.99, 0.99, 4), rng.normal(size=4)
    step = 1e-4 * by / np.linalg.norm(by)
    effort = Effort(*rng.uniform(-1.0, 1.0, 4))
    a, b = (made_of(own, Shape(*row), effort) for row in (factors, factors + step))
    for side in a.arms:
        assert np.linalg.norm(a.arms[side].positions - b.arms[side].positions, axis=1).max() < 3e-4


def test_keys_that_nothing_is_near_to_stay_where_shape_puts_them():
    """Only what would be in the way is moved."""
    table, _, around, course = surroundings(five_goals(), made_of(five_goals(), Shape(vertical=-1)))
    far = table.keys.written + np.array([0.0, 0.1, 0.1])
    far *= np.minimum(0.5 / np.linalg.norm(far, axis=1, keepdims=True), 1.0)
    none = np.zeros(len(course.rows))
    assert not penetration(far, around, course).any()
    assert resolve_collisions(far, around, course, table.keys, none) == pytest.approx(far, abs=1e-15)


def test_slumping_moves_hands_off_the_thighs_and_upright_they_stay():
    """A hand before the hip is in nobody's way until the torso sinks onto it."""
    keys = [Keypoint(60.0 * i, place, -0.4) for i, place in enumerate([(-0.1, -0.3, 0.3), (0.03, -0.44, 0.2)])]
    own = Gesture("low", 2.0, right=Keypoints(tuple(keys), 60.0))
    written = np.array([key.position for key in keys])
    torso = manner(own, {"torso": [Dials(shape=Shape(vertical=1))]}).arms["right"].positions
    assert np.linalg.norm(torso[1] - written[1]) > 0.02
    upright = manner(own, {"torso": [Dials(shape=Shape(vertical=-0.5))]}).arms["right"].positions
    assert upright[1] == pytest.approx(written[1], abs=0.01)


@given(shapes, efforts)
@few
def test_the_worlds_keys_stay(shape, effort):
    own = with_world_goal()
    made = made_of(own, shape, effort, 2.0).arms["right"].positions
    if made is not None:
        assert np.array_equal(made[1:3], np.array([key.position for key in own.right.keys])[1:3])


def test_gestures_of_the_worlds_keys_alone_and_of_one_key_are_done_too():
    world = [Keypoint(60.0 * i, (-0.2, 1.2 + 0.1 * i, 0.42), -0.4, Stop.GOAL, Space.GLOBAL) for i in range(2)]
    only = Gesture("only the world", 2.0, right=Keypoints(tuple(world), 60.0))
    assert np.array_equal(
        made_of(only, Shape(1, 1, 1, 1), Effort(-1, 1)).arms["right"].positions, [key.position for key in world]
    )
    one = {side: Keypoints((Keypoint(30.0, (x, 0.1, 0.3)),), 60.0) for side, x in (("left", 0.2), ("right", -0.2))}
    left, right = (made_of(Gesture("one", 2.0, **one), Shape(0.5, 0.9)).arms[side].positions for side in one)
    assert left.shape == (1, 3)
    assert left * [-1.0, 1.0, 1.0] == pytest.approx(right, abs=1e-9)


def test_a_loop_s_first_and_last_key_stay_one():
    low = [(-0.066, -0.5295, 0.038), (0.02, -0.42, 0.18), (-0.066, -0.5295, 0.038)]
    keys = tuple(Keypoint(60.0 * i, place, -0.6) for i, place in enumerate(low))
    own = Gesture("round", 2.0, right=Keypoints(keys, 60.0), loop=True)
    made = made_of(own, Shape(0.6, 1.0)).arms["right"].positions
    assert np.linalg.norm(made[0] - low[0]) > 1e-3
    assert made[0] == pytest.approx(made[2], abs=1e-12)


@given(shapes)
@few
def test_the_right_arm_mirrors_the_left(shape):
    places = [resting_wrist("left"), (0.05, -0.3, 0.25), (-0.05, -0.05, 0.3), resting_wrist("left")]
    sides = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        keys = tuple(
            Keypoint(40.0 * i, (sign * abs(x) if i in (0, 3) else sign * x, y, z), 0.4 * sign)
            for i, (x, y, z) in enumerate(places)
        )
        own = Gesture("one arm", 3.0, **{side: Keypoints(keys, 60.0)})
        sides[side] = made_of(own, shape).arms[side].positions
    if sides["left"] is not None:
        assert sides["left"] * [-1.0, 1.0, 1.0] == pytest.approx(sides["right"], abs=1e-9)


def test_room_is_none_at_the_body_and_grows_with_the_distance():
    _, written, *_ = surroundings(five_goals(), made_of(five_goals(), Shape(vertical=-1)))
    ahead = np.linspace(0.1, 0.7, 25)
    places = np.column_stack([np.full(25, -0.1), np.full(25, -0.2), ahead])
    around = type(written)(*(np.repeat(row[:1], 25, axis=0) for row in written))
    room = flourish_scale(places, around)
    assert room[0] == 0.0
    assert room[-1] == 1.0
    assert (np.diff(room) >= 0.0).all()
