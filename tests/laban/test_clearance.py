"""Keys kept off the body: at the keys and between them, however Shape bends it, and as little as can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize_scalar

from generated import seeds
from kinesphere import Effort, Gesture, Keypoint, Keypoints, Shape, _native
from kinesphere.builtin.library import gesture
from kinesphere.engine.arm_plan import SHOULDER_ASIDE, arm_plan
from kinesphere.engine.capsules import SOFT
from kinesphere.engine.channels import INDEX
from kinesphere.engine.phrases import phrase_of
from kinesphere.engine.pose import FLEXIONS, Actor
from kinesphere.engine.posture import PosedBodies, no_channels
from kinesphere.engine.proportions import ARM
from kinesphere.laban.clearance import (
    CAPSULE_RADII,
    CURL,
    FULL_FLOURISH,
    HAND_POINTS,
    BodyCapsules,
    MovableKeys,
    flourish_scale,
    hand_model,
    key_weights,
    penetration,
    resolve_collisions,
    sample_paths,
)
from kinesphere.laban.dials import Dials
from kinesphere.laban.expression import PARTS, Expression, express
from kinesphere.laban.key_placement import (
    HANDS_APART,
    SAME_PLACE,
    PathDeviation,
    _shape_channels,
    key_table,
)
from kinesphere.laban.shape import LONGEST, limit_reach, rotate_keys
from kinesphere.maths.two_bone import solve_limb
from kinesphere.maths.vectors import norms, smoothstep
from kinesphere.motion.gesture import Space, Stop, resting_wrist
from kinesphere.motion.humanoid import SIDES
from score.gestures import five_goals, with_world_goal

FIGURE = Actor.figure()
HAND = hand_model(FIGURE)
ARMED = ["beckon", "clap", "drink", "emphasise", "knock", "point", "punch", "reach", "shrug", "wave"]
factor = st.floats(-1.0, 1.0)
shapes = st.builds(Shape, factor, factor, factor, factor)
efforts = st.builds(Effort, factor, factor, factor, factor)
few = settings(max_examples=25, deadline=None)


def expressed(own, **dials):
    """A gesture's phrase under one dial of each part."""
    return express(phrase_of(own), Expression({part: [dial] for part, dial in dials.items()}))


def made_of(own, shape, effort=None, intensity=1.0):
    return expressed(own, **dict.fromkeys(PARTS, Dials(effort or Effort(), shape, intensity)))


def placed(phrase, side="right"):
    """Where an arm's keys are put, in metres of the figure; None: where they are."""
    where = phrase.arm(side).placed
    return None if where is None else ARM * where


def surroundings(own, made):
    """The body around the keys, as it is written and as Shape bends it, and the samples between them."""
    table = key_table(phrase_of(own))
    added, deviation = _shape_channels(table, made.added_channels), PathDeviation(np.zeros(len(table.times)), None)
    written, around = (table.capsules(more, deviation) for more in (None, added))
    return table, written, around, table.paths.with_tension(np.zeros(len(table.times)))


def outward(table, made):
    """Keys as the table has them: out, up and ahead of the shoulder."""
    return np.concatenate([placed(made, side) for side in table.sides]) * table.mirrors


@pytest.mark.parametrize("name", ARMED)
@given(shape=shapes)
@few
def test_hands_are_outside_of_a_bent_body_wherever_they_are_written_so(name, shape):
    own = gesture(name)
    made = made_of(own, shape)
    if placed(made) is None:
        return
    table, written, around, course = surroundings(own, made)
    places = np.where(table.keys.free[:, None], outward(table, made), table.keys.written)
    deep, allowed = (
        norms(penetration(at, body, course, table.model))
        for at, body in ((places, around), (table.keys.written, written))
    )
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
    assert all(track.placed is None for track in made_of(own, Shape(), effort).tracks.values())
    tiny = 1e-6 * size
    made = made_of(own, Shape(tiny, tiny, tiny, -tiny), effort)
    for side in SIDES:
        if placed(made, side) is not None:
            written = np.array([key.position for key in own.arm(side).keys])
            assert np.abs(placed(made, side) - written).max() < 1e-5


@given(seeds)
@few
def test_no_key_jumps_when_a_dial_is_turned_a_little(seed):
    rng = np.random.default_rng(seed)
    own = gesture(ARMED[seed % len(ARMED)])
    factors, by = rng.uniform(-0.99, 0.99, 4), rng.normal(size=4)
    step = 1e-4 * by / np.linalg.norm(by)
    effort = Effort(*rng.uniform(-1.0, 1.0, 4))
    a, b = (made_of(own, Shape(*row), effort) for row in (factors, factors + step))
    for side in SIDES:
        if own.arm(side) is not None:
            assert np.linalg.norm(placed(a, side) - placed(b, side), axis=1).max() < 3e-4


def test_keys_that_nothing_is_near_to_stay_where_shape_puts_them():
    """Only what would be in the way is moved."""
    table, _, around, course = surroundings(five_goals(), made_of(five_goals(), Shape(vertical=-1)))
    far = table.keys.written + np.array([0.0, 0.1, 0.1])
    far *= np.minimum(0.5 / np.linalg.norm(far, axis=1, keepdims=True), 1.0)
    none = np.zeros(len(course.rows))
    assert not penetration(far, around, course, table.model).any()
    assert resolve_collisions(far, around, course, table.keys, none, table.model) == pytest.approx(far, abs=1e-15)


def test_slumping_moves_hands_off_the_thighs_and_upright_they_stay():
    """A hand before the hip is in nobody's way until the torso sinks onto it."""
    keys = [Keypoint(60.0 * i, place, -0.4) for i, place in enumerate([(-0.1, -0.3, 0.3), (0.03, -0.44, 0.2)])]
    own = Gesture("low", 2.0, right=Keypoints(tuple(keys), 60.0))
    written = np.array([key.position for key in keys])
    torso = placed(expressed(own, torso=Dials(shape=Shape(vertical=1))))
    assert np.linalg.norm(torso[1] - written[1]) > 0.02
    upright = placed(expressed(own, torso=Dials(shape=Shape(vertical=-0.5))))
    assert upright[1] == pytest.approx(written[1], abs=0.01)


@given(shapes, efforts)
@few
def test_the_worlds_keys_stay(shape, effort):
    own = with_world_goal()
    made = arm_plan(made_of(own, shape, effort, 2.0), "right", FIGURE).positions
    assert np.array_equal(made[1:3], np.array([key.position for key in own.right.keys])[1:3])


def test_gestures_of_the_worlds_keys_alone_and_of_one_key_are_done_too():
    world = [Keypoint(60.0 * i, (-0.2, 1.2 + 0.1 * i, 0.42), -0.4, Stop.GOAL, Space.GLOBAL) for i in range(2)]
    only = Gesture("only the world", 2.0, right=Keypoints(tuple(world), 60.0))
    assert np.array_equal(
        arm_plan(made_of(only, Shape(1, 1, 1, 1), Effort(-1, 1)), "right", FIGURE).positions,
        [key.position for key in world],
    )
    one = {side: Keypoints((Keypoint(30.0, (x, 0.1, 0.3)),), 60.0) for side, x in (("left", 0.2), ("right", -0.2))}
    left, right = (placed(made_of(Gesture("one", 2.0, **one), Shape(0.5, 0.9)), side) for side in one)
    assert left.shape == (1, 3)
    assert left * [-1.0, 1.0, 1.0] == pytest.approx(right, abs=1e-9)


def test_a_loop_s_first_and_last_key_stay_one():
    low = [(-0.066, -0.5295, 0.038), (0.02, -0.42, 0.18), (-0.066, -0.5295, 0.038)]
    keys = tuple(Keypoint(60.0 * i, place, -0.6) for i, place in enumerate(low))
    own = Gesture("round", 2.0, right=Keypoints(keys, 60.0), loop=True)
    made = placed(made_of(own, Shape(0.6, 1.0)))
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
        sides[side] = placed(made_of(own, shape), side)
    if sides["left"] is not None:
        assert sides["left"] * [-1.0, 1.0, 1.0] == pytest.approx(sides["right"], abs=1e-9)


def test_room_is_none_at_the_body_and_grows_with_the_distance():
    _, written, *_ = surroundings(five_goals(), made_of(five_goals(), Shape(vertical=-1)))
    ahead = np.linspace(0.1, 0.7, 25)
    places = np.column_stack([np.full(25, -0.1), np.full(25, -0.2), ahead])
    around = type(written)(*(np.repeat(row[:1], 25, axis=0) for row in written))
    room = flourish_scale(places, around, HAND)
    assert room[0] == 0.0
    assert room[-1] == 1.0
    assert (np.diff(room) >= 0.0).all()


# Kernels against brute force on random keys of two arms, many of them inside the body

COUNT = 24
ARMS = slice(0, 14), slice(14, COUNT)


BENDS = {"torso.forward": 1.0, "hips.lean": 1.0, "hips.y": 0.1, "hips.z": 0.1, "head.nod": 1.0}
BENDS |= {f"{side}.clavicle.{angle}": 1.0 for side in SIDES for angle in ("raise", "forward")}


def random_bodies(rng):
    """The body around left hands that hang, bent any way, its feet anywhere nearby."""
    channels = no_channels(COUNT + 1)
    for name, most in BENDS.items():
        channels[:, INDEX[name]] = most * rng.uniform(-0.5, 0.5, COUNT + 1)
    steps = {side: np.zeros((5, COUNT + 1)) for side in SIDES}
    for path in steps.values():
        path[[0, 1, 3]] = rng.uniform(-0.1, 0.1, (3, COUNT + 1))
    wrists = {side: np.tile(resting_wrist(side), (COUNT + 1, 1)) for side in SIDES}
    swivels = dict.fromkeys(SIDES, np.zeros(COUNT + 1))
    return PosedBodies(FIGURE, channels, steps, wrists, swivels, np.zeros(COUNT, dtype=bool)).around(0.0)


def random_hands(seed):
    """Keys, the body around them, samples between them, and what may move; the first arm is a loop."""
    rng = np.random.default_rng(seed)
    positions = rng.uniform([-0.2, -0.5, 0.0], [0.2, 0.2, 0.35], (COUNT, 3))
    stops, fixed, hanging = rng.uniform(size=(3, COUNT)) < np.array([[0.6], [0.1], [0.2]])
    for own in ARMS:
        stops[[own.start, own.stop - 1]] = True
    fixed[[0, 13]] = False
    paths = sample_paths(positions, stops, fixed, rng.uniform(-1.0, 1.0, COUNT), ARMS)
    samples = paths.with_tension(rng.uniform(-1.0, 1.0, COUNT))
    lines, sags = random_bodies(rng)
    margins = rng.uniform(0.0, 0.05, COUNT)
    body = BodyCapsules(lines, random_bodies(rng).lines, hanging[:, None] * sags, margins)
    owners = np.arange(COUNT)
    owners[13] = 0
    return positions, body, samples, MovableKeys(positions, ~fixed, owners, key_weights(samples, hanging))


def from_axis(point, line, stretch):
    """From the nearest point of a capsule's axis to a point, in axes in which the capsule is round."""

    def away(u):
        return (point - line[0] - u * (line[1] - line[0])) * [1.0, 1.0, stretch]

    inside = minimize_scalar(
        lambda u: np.sum(away(u) ** 2), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9}
    )
    return min((away(u) for u in (0.0, inside.x, 1.0)), key=np.linalg.norm)


def brute_push(point, line, wide, deep):
    """Out of one capsule: so far along the way out that the distance from the axis is what it should be."""
    stretch = wide / deep
    away = from_axis(point, line, stretch)
    far = np.linalg.norm(away)
    depth = wide - far
    if depth <= -SOFT:
        return np.zeros(3)
    wanted = far + (depth if depth >= SOFT else (depth + SOFT) ** 2 / (4.0 * SOFT))
    bone = line[1] - line[0]
    ahead = np.array([0.0, -bone[2], bone[1] * stretch]) / np.hypot(bone[1], bone[2])
    way = away + 2.0 * max(depth, 0.0) * ahead
    way = way / np.linalg.norm(way)
    step = brentq(lambda t: np.linalg.norm(away + t * way) - wanted, max(-(away @ way), 0.0), 2.0, xtol=1e-14)
    return step * way / [1.0, 1.0, stretch]


def brute_penetration(positions, body, samples, s):
    """What one sample needs: its hand by the general limb solver, its points out of each capsule, their mean."""
    rows, u = samples.rows[s], samples.fractions[s]
    i, j = rows[1:3]

    def between(values):
        return (1.0 - u) * values[i] + u * values[j]

    wrist = samples.weights[s] @ (positions + body.sags)[rows]
    chord, middle = positions[j] - positions[i], 0.5 * (positions[i] + positions[j])
    length = max(np.linalg.norm(chord), 1e-6)
    out = middle - (middle @ chord) * chord / length**2
    wrist = wrist + samples.bows[s] * length * out / np.hypot(np.linalg.norm(out), 0.05 * length)
    upper, lower = FIGURE.arms["left"].lengths
    limb = solve_limb(
        np.zeros(3), wrist, upper, lower, between(samples.swivels), home=(0.0, 0.0, 1.0), flexion_range=FLEXIONS
    )
    forearm = (wrist - limb.elbow) / np.linalg.norm(wrist - limb.elbow)
    curl = CURL - (CURL @ forearm) * forearm
    lines = between(body.lines_between if u > 0.0 else body.lines)
    margin = between(body.margins) if u > 0.0 else 0.0
    pushes = np.array(
        [
            brute_push(wrist + far * forearm + aside * curl, line, *(radii + wider + margin))
            for line, radii in zip(lines, CAPSULE_RADII, strict=True)
            for far, aside, wider in HAND_POINTS
        ]
    )
    squares = np.sum(pushes**2, axis=1)
    return squares @ pushes / max(squares.sum(), 1e-30)


@given(seeds)
@settings(max_examples=5, deadline=None)
def test_penetration_is_that_of_brute_force(seed):
    positions, body, samples, _ = random_hands(seed)
    made = penetration(positions, body, samples, HAND)
    wanted = np.array([brute_penetration(positions, body, samples, s) for s in range(len(samples.rows))])
    assert np.linalg.norm(wanted, axis=1).max() > 0.05
    assert made == pytest.approx(wanted, abs=1e-6)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_flourishes_are_scaled_by_the_distance_from_the_body(seed):
    positions, body, _, _ = random_hands(seed)
    distances = [
        min(
            np.linalg.norm(from_axis(wrist, line, wide / deep)) - wide
            for line, (wide, deep) in zip(lines, CAPSULE_RADII, strict=True)
        )
        for wrist, lines in zip(positions + body.sags, body.lines, strict=True)
    ]
    assert flourish_scale(positions, body, HAND) == pytest.approx(
        smoothstep(np.array(distances) / FULL_FLOURISH), abs=1e-6
    )


@given(seeds)
@few
def test_a_push_ends_on_the_surface_and_nothing_outside_is_pushed(seed):
    rng = np.random.default_rng(seed)
    line, (wide, deep) = np.array([[-0.18, -0.5, 0.03], [-0.18, -0.02, 0.04]]), CAPSULE_RADII[0]

    def depth(point):
        return wide - np.linalg.norm(from_axis(point, line, wide / deep))

    for point in rng.uniform([-0.5, -0.4, 0.04], [0.15, -0.1, 0.3], (40, 3)):  # in front of it, not at its ends
        pushed = point + _native.clearance.push_out(point, line, wide, deep, SOFT)
        if depth(point) <= -SOFT:
            assert np.array_equal(pushed, point)
        elif depth(point) < SOFT:
            assert depth(pushed) < depth(point) + 1e-9
            assert abs(depth(pushed)) < SOFT + 1e-6
        else:
            assert depth(pushed) == pytest.approx(0.0, abs=1e-4)  # leaning axes are not quite square when stretched


@given(seeds)
@few
def test_samples_are_means_of_their_keys(seed):
    _, _, samples, keys = random_hands(seed)
    assert samples.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    at_keys = samples.fractions == 0.0
    assert samples.weights[at_keys] == pytest.approx(np.tile([0.0, 1.0, 0.0, 0.0], (at_keys.sum(), 1)), abs=1e-12)
    assert not samples.bows[at_keys].any()
    # Keys that move by their weights move a straight path's sample by one.
    shares = np.stack([1.0 - samples.fractions, samples.fractions], axis=1)
    assert np.sum(shares * keys.weights, axis=1) == pytest.approx(1.0, abs=1e-12)


@given(seeds)
@few
def test_resolving_moves_free_keys_only_as_far_as_is_needed_and_within_reach(seed):
    positions, body, samples, keys = random_hands(seed)
    deep = norms(penetration(positions, body, samples, HAND))
    same = resolve_collisions(positions, body, samples, keys, deep + 1e-12, HAND)
    near = norms(positions) < LONGEST - 0.03
    assert same[near] == pytest.approx(positions[near], abs=1e-12)  # what is allowed is left alone
    made = resolve_collisions(positions, body, samples, keys, np.zeros(len(deep)), HAND)
    moved = made - positions
    assert not moved[~keys.free & near].any()
    assert (norms(made) <= np.maximum(norms(positions), LONGEST) + 1e-12).all()
    if near[[0, 13]].all() and norms(made)[[0, 13]].max() < LONGEST - 0.03:
        assert moved[0] == pytest.approx(moved[13], abs=1e-12)  # a loop's ends go together
    assert np.sum(norms(penetration(made, body, samples, HAND)) ** 2) < 0.7 * np.sum(deep**2)


# Enclosing: as far as printed, but not into the other arm


@pytest.mark.parametrize("name", ["point", "knock", "beckon", "wave"])
def test_one_hand_encloses_as_far_as_printed_across_the_middle(name):
    own = gesture(name)
    table = key_table(phrase_of(own))
    shown = table.above[:, 0] == 1.0  # neither hanging nor at the mouth
    rule = rotate_keys(table.keys.written, np.tile([1.0, 0.0, 0.0, 0.0], (len(shown), 1)))
    limit_reach(rule, table.keys.written)
    moved = placed(made_of(own, Shape(horizontal=1.0)), "right") * [-1.0, 1.0, 1.0]
    far, made = (np.linalg.norm(where - table.keys.written, axis=1)[shown] for where in (rule, moved))
    assert (made > 0.85 * far).all()
    assert moved[shown, 0].min() < -0.05


@pytest.mark.parametrize("name", ["emphasise", "clap", "punch", "shrug"])
@given(st.floats(0.0, 1.0), st.floats(-1.0, 1.0), st.floats(-1.0, 1.0))
@few
def test_enclosing_hands_stay_clear_of_each_other(name, horizontal, vertical, sagittal):
    own = gesture(name)
    table = key_table(phrase_of(own))
    made = made_of(own, Shape(horizontal, vertical, sagittal))
    wrists = {side: placed(made, side) for side in SIDES}
    if wrists["left"] is None:
        return
    for i, time in enumerate(table.times[table.sides["left"]]):
        rows = table.times[table.sides["right"]]
        other, was = (
            np.array([np.interp(time, rows, where[:, k]) for k in range(3)])
            for where in (wrists["right"], table.positions[table.sides["right"]])
        )
        gap = wrists["left"][i] - other + [2.0 * SHOULDER_ASIDE, 0.0, 0.0]
        before = table.positions[table.sides["left"]][i] - was + [2.0 * SHOULDER_ASIDE, 0.0, 0.0]
        if np.linalg.norm(gap[1:]) < SAME_PLACE:
            assert gap[0] > min(HANDS_APART, before[0]) - 0.03
