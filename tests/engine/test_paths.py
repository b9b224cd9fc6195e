"""Paths by distance: through every key, evenly, on beyond their ends, each stroke by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.engine.paths import PARTS, segment_paths, stroke_paths

tensions = st.floats(-1.0, 1.0)


def random_keys(rng, vias=None, columns=3):
    """Keys no nearer than 5 cm to their neighbours, and where the hand rests."""
    vias = rng.integers(0, 4, rng.integers(1, 5)) if vias is None else vias
    stops = np.concatenate([[True], *[[False] * count + [True] for count in vias]]).astype(bool)
    step = rng.normal(size=(len(stops), columns))
    step *= rng.uniform(0.05, 0.5, (len(stops), 1)) / np.linalg.norm(step, axis=1, keepdims=True)
    return np.cumsum(step, axis=0), stops


def along(paths, stroke, shares):
    shares = np.atleast_1d(np.asarray(shares, dtype=float))
    return paths.at(np.full(len(shares), stroke), shares)


@given(seeds, tensions, st.booleans())
def test_equal_shares_are_equal_distances(seed, tension, bowed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng)
    paths = stroke_paths(keys, stops, np.full(stops.sum() - 1, tension), bowed=bowed)
    shares = np.linspace(0.0, 1.0, 3001)
    for stroke, length in enumerate(paths.length):
        gone = np.linalg.norm(np.diff(along(paths, stroke, shares), axis=0), axis=1).cumsum()
        assert np.abs(gone / gone[-1] - shares[1:]).max() < 1e-3
        assert length == pytest.approx(gone[-1], rel=1e-3)


@given(seeds, tensions, st.booleans())
def test_every_key_is_met_and_goals_at_the_ends(seed, tension, bowed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng)
    paths = stroke_paths(keys, stops, np.full(stops.sum() - 1, tension), bowed=bowed)
    edges = np.flatnonzero(stops)
    for stroke, (first, last) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        passed = (paths.reached[PARTS * np.arange(first, last + 1)] - paths.start[stroke]) / paths.length[stroke]
        assert (np.diff(passed) > 0.0).all()
        assert along(paths, stroke, passed) == pytest.approx(keys[first : last + 1], abs=1e-9)
        assert along(paths, stroke, [0.0, 1.0]) == pytest.approx(keys[[first, last]], abs=1e-12)


@given(seeds)
def test_frames_come_in_any_order(seed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng)
    paths = stroke_paths(keys, stops, np.zeros(stops.sum() - 1))
    stroke, share = rng.integers(0, stops.sum() - 1, 40), rng.uniform(-0.2, 1.2, 40)
    alone = [paths.at(stroke[i : i + 1], share[i : i + 1])[0] for i in range(40)]
    assert np.array_equal(paths.at(stroke, share), alone)


@given(seeds)
def test_at_tension_1_a_stroke_without_vias_is_straight(seed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng, [0, 0])
    shares = np.linspace(-0.2, 1.2, 29)
    paths = stroke_paths(keys, stops, np.ones(2), bowed=True)
    for stroke in range(2):
        straight = keys[stroke] + shares[:, None] * (keys[stroke + 1] - keys[stroke])
        assert along(paths, stroke, shares) == pytest.approx(straight, abs=1e-9)


@pytest.mark.parametrize(("tension", "height"), [(-1.0, 0.20), (-0.5, 0.12), (0.0, 0.06), (0.5, 0.02), (1.0, 0.0)])
def test_strokes_without_vias_are_bowed_away_from_the_origin_the_more_the_looser(tension, height):
    keys = np.array([[-0.3, 1.0, 0.2], [0.3, 1.0, 0.2]])
    paths = stroke_paths(keys, np.ones(2, dtype=bool), np.array([tension]), bowed=True)
    bow = along(paths, 0, 0.5)[0] - keys.mean(axis=0)
    away = np.array([0.0, 1.0, 0.2]) / np.hypot(1.0, 0.2)
    assert bow == pytest.approx(0.6 * height * away, abs=1e-3)
    unbowed = stroke_paths(keys, np.ones(2, dtype=bool), np.array([tension]))
    assert unbowed.length == pytest.approx([0.6])


def test_a_bow_does_not_turn_over_where_its_chord_passes_the_origin():
    def middle(height):
        keys = np.array([[-0.3, height, 0.0], [0.3, height, 0.0]])
        return along(stroke_paths(keys, np.ones(2, dtype=bool), np.array([-1.0]), bowed=True), 0, 0.5)[0, 1]

    heights = np.linspace(-0.05, 0.05, 2001)
    made = np.array([middle(height) for height in heights])
    assert np.abs(np.diff(made)).max() < 0.0005  # steps of 0.05 mm
    assert np.abs(made + made[::-1]).max() < 1e-12


@given(seeds)
def test_through_vias_more_tension_is_a_shorter_way(seed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng, [2])
    loose, tight = (stroke_paths(keys, stops, np.array([t])) for t in (-1.0, 1.0))
    corners = np.linalg.norm(np.diff(keys, axis=0), axis=1).sum()
    assert loose.length[0] > tight.length[0] >= corners - 1e-9
    assert tight.length[0] < 1.12 * corners


@given(seeds, tensions)
def test_through_vias_there_is_no_corner(seed, tension):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng, [2])
    paths = stroke_paths(keys, stops, np.array([tension]))
    for via in (1, 2):
        share = paths.reached[PARTS * via] / paths.length[0]
        before, here, after = along(paths, 0, share + np.array([-1e-8, 0.0, 1e-8]))
        ways = [(b - a) / np.linalg.norm(b - a) for a, b in ((before, here), (here, after))]
        assert ways[0] == pytest.approx(ways[1], abs=1e-3)


@given(seeds, tensions)
def test_a_via_is_passed_as_the_parabola_through_its_neighbours_passes_it(seed, tension):
    """Kochanek and Bartels' tangent for uneven keys, spaced by the roots of their distances; less of it if tense."""
    keys, stops = random_keys(np.random.default_rng(seed), [1])
    paths = stroke_paths(keys, stops, np.array([tension]))
    before, after = np.sqrt(np.linalg.norm(np.diff(keys, axis=0), axis=1))
    at = np.array([-before, 0.0, after])
    slope = np.linalg.solve(np.stack([np.ones(3), at, at * at], axis=1), keys)[1]
    kept = 1.0 - min(tension, 0.85)  # a hand that does not stop cannot turn on the spot
    assert paths.arriving[0] == pytest.approx(kept * before * slope, abs=1e-9)
    assert paths.leaving[1] == pytest.approx(kept * after * slope, abs=1e-9)
    # Natural at the goals: no curvature there.
    bends = 6.0 * np.diff(keys, axis=0)
    assert bends[0] == pytest.approx(4.0 * paths.leaving[0] + 2.0 * paths.arriving[0], abs=1e-9)
    assert bends[1] == pytest.approx(2.0 * paths.leaving[1] + 4.0 * paths.arriving[1], abs=1e-9)


@given(seeds, tensions, st.booleans())
def test_beyond_its_ends_a_path_goes_on_along_its_tangents_at_the_same_pace(seed, tension, bowed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng)
    paths = stroke_paths(keys, stops, np.full(stops.sum() - 1, tension), bowed=bowed)
    step = 1e-5
    for stroke, length in enumerate(paths.length):
        for end, sign in ((0.0, -1.0), (1.0, 1.0)):
            at, far, inside = along(paths, stroke, [end, end + 0.3 * sign, end - step * sign])
            tangent = (at - inside) / np.linalg.norm(at - inside)
            assert far - at == pytest.approx(0.3 * length * tangent, abs=2e-3 * length)
            half = along(paths, stroke, end + 0.15 * sign)[0]
            assert half == pytest.approx(0.5 * (at + far), abs=1e-12)


@given(seeds, st.integers(0, 20))
def test_a_key_changes_only_the_strokes_that_it_belongs_to(seed, which):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng, rng.integers(0, 3, 5))
    key = which % len(keys)
    moved = keys.copy()
    moved[key] += 0.1
    tension = rng.uniform(-1.0, 1.0, 5)
    shares = np.linspace(-0.1, 1.1, 25)
    one, other = (stroke_paths(k, stops, tension, bowed=True) for k in (keys, moved))
    edges = np.flatnonzero(stops)
    for stroke, (first, last) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        apart = np.abs(along(one, stroke, shares) - along(other, stroke, shares)).max()
        assert (apart > 1e-3) == (first <= key <= last)
        if not first <= key <= last:
            assert apart < 1e-9


@given(seeds)
def test_a_strokes_tension_is_its_own(seed):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng, [1, 0, 2])
    shares = np.linspace(-0.1, 1.1, 25)
    one, other = (stroke_paths(keys, stops, np.array([0.0, t, 0.0]), bowed=True) for t in (-1.0, 0.3))
    for stroke in (0, 2):
        assert along(one, stroke, shares) == pytest.approx(along(other, stroke, shares), abs=1e-9)
    assert np.abs(along(one, 1, shares) - along(other, 1, shares)).max() > 1e-3


@given(seeds, tensions)
def test_companions_go_along_and_are_not_counted(seed, tension):
    rng = np.random.default_rng(seed)
    keys, stops = random_keys(rng)
    others = rng.uniform(-50.0, 50.0, (len(keys), 2))
    tension = np.full(stops.sum() - 1, tension)
    alone = stroke_paths(keys, stops, tension, bowed=True)
    both = stroke_paths(np.hstack([keys, others]), stops, tension, counted=3, bowed=True)
    assert both.length == pytest.approx(alone.length, abs=1e-12)
    shares = np.linspace(-0.2, 1.2, 29)
    goals = others[stops]
    for stroke in range(len(tension)):
        made = along(both, stroke, shares)
        assert made[:, :3] == pytest.approx(along(alone, stroke, shares), abs=1e-12)
        assert made[shares <= 0.0, 3:] == pytest.approx(np.tile(goals[stroke], ((shares <= 0.0).sum(), 1)), abs=1e-9)
        assert made[-1, 3:] == pytest.approx(goals[stroke + 1], abs=1e-9)


def test_companions_run_evenly_along_a_straight_stroke():
    keys = np.array([[0.0, 0.5, 0.0, 2.0], [0.4, 0.5, 0.0, 4.0]])
    paths = stroke_paths(keys, np.ones(2, dtype=bool), np.ones(1), counted=3, bowed=True)
    shares = np.linspace(0.0, 1.0, 11)
    assert along(paths, 0, shares)[:, 3] == pytest.approx(2.0 + 2.0 * shares, abs=1e-9)


def test_a_hold_stays_where_it_is():
    keys = np.array([[0.0, 0.0, 0.1], [0.3, 0.0, 0.1], [0.3, 0.0, 0.1], [0.3, 0.4, 0.1], [0.3, 0.4, 0.1]])
    paths = stroke_paths(keys, np.ones(5, dtype=bool), np.full(4, -1.0), bowed=True)
    assert along(paths, 1, [-0.2, 0.0, 0.3, 1.0, 1.4]) == pytest.approx(np.tile(keys[1], (5, 1)), abs=1e-12)
    assert along(paths, 3, [0.0, 0.5, 1.0]) == pytest.approx(np.tile(keys[4], (3, 1)), abs=1e-12)
    assert along(paths, 0, [1.0]) == pytest.approx(keys[1:2], abs=1e-12)


@given(seeds)
def test_companions_from_a_column_on_go_on_past_the_ends_and_may_begin_anew(seed):
    rng = np.random.default_rng(seed)
    stops = np.array([True, True, False, True])
    first, last = rng.normal(size=(2, 3, 6))
    last[:-1, :3] = first[1:, :3]  # the hand is where it was; of the rest only a via's
    last[1] = first[2]
    paths = segment_paths(first, last, stops, np.ones(2), counted=3, along=5)
    assert along(paths, 0, [0.0, 1.0]) == pytest.approx(np.stack([first[0], last[0]]), abs=1e-9)
    assert along(paths, 1, [0.0, 1.0]) == pytest.approx(np.stack([first[1], last[2]]), abs=1e-9)
    inside, end, beyond = along(paths, 0, [1.0 - 1e-6, 1.0, 1.25])
    assert beyond[3:5] == pytest.approx(end[3:5])
    assert beyond[[0, 1, 2, 5]] - end[[0, 1, 2, 5]] == pytest.approx(0.25e6 * (end - inside)[[0, 1, 2, 5]], rel=1e-3)
