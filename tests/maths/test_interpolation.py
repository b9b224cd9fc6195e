"""Interpolated rows, and monotone cubics through keys, against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from generated import seeds
from kinesphere.maths.interpolation import cubic_rows_at, gaussian, monotone_cubic, monotone_slopes, ramp


def places(rng, count, length):
    at = rng.uniform(-length, 2.0 * length, count)
    at[: count // 4] = np.round(at[: count // 4])
    return at


@given(seeds, st.integers(1, 12), st.sampled_from([(), (1,), (7,), (3, 4)]), st.booleans())
def test_rows_are_the_products_of_catmull_and_roms_matrix(seed, length, shape, loop):
    rng = np.random.default_rng(seed)
    table, at = rng.normal(size=(length, *shape)), places(rng, 50, length)
    made = cubic_rows_at(table, at, loop)
    assert made.shape == (50, *shape)
    matrix = 0.5 * np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]])
    for row, place in zip(made, at, strict=True):
        whole = int(np.floor(place))
        rows = whole + np.arange(-1, 3)
        rows = rows % max(length - 1, 1) if loop else np.clip(rows, 0, length - 1)
        weights = (place - whole) ** np.arange(4.0) @ matrix
        assert row == pytest.approx(np.tensordot(weights, table[rows], axes=1), abs=1e-12)


@pytest.mark.parametrize("loop", [False, True])
def test_at_whole_places_they_are_the_rows_exactly(loop, rng):
    table = rng.normal(size=(50, 9))
    table[-1] = table[0]
    assert np.array_equal(cubic_rows_at(table, np.arange(50.0), loop), table)


@given(seed=seeds)
def test_quadratic_tables_are_reproduced_inside(seed):
    rng = np.random.default_rng(seed)
    at, (a, b, c) = rng.uniform(1.0, 10.0, 300), rng.normal(size=(3, 4))
    n = np.arange(12.0)[:, None]
    x = at[:, None]
    assert cubic_rows_at(a + b * n + c * n * n, at, False) == pytest.approx(a + b * x + c * x * x, abs=1e-10)


def test_beyond_the_ends_the_last_row_is_held(rng):
    table = rng.normal(size=(6, 5))
    before, after = rng.uniform(-50.0, -1.0, 100), rng.uniform(6.0, 50.0, 100)
    assert cubic_rows_at(table, before, False) == pytest.approx(np.tile(table[0], (100, 1)), abs=1e-14)
    assert cubic_rows_at(table, after, False) == pytest.approx(np.tile(table[-1], (100, 1)), abs=1e-14)


@given(seed=seeds, turns=st.integers(-3, 3))
def test_loops_go_round_without_a_seam(seed, turns):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(9, 6))
    table[-1] = table[0]
    at = rng.uniform(0.0, 8.0, 100)
    assert cubic_rows_at(table, at + 8.0 * turns, True) == pytest.approx(cubic_rows_at(table, at, True), abs=1e-9)
    # Starting the loop elsewhere changes nothing: no place is an end.
    turned = np.concatenate([table[3:-1], table[:4]])
    assert cubic_rows_at(turned, at, True) == pytest.approx(cubic_rows_at(table, at + 3.0, True), abs=1e-9)


def test_between_rows_there_is_no_corner(rng):
    table = rng.normal(size=(8, 3))
    h = 1e-6
    for whole in range(1, 7):
        a, b, c = cubic_rows_at(table, np.array([whole - h, float(whole), whole + h]))
        assert (b - a) / h == pytest.approx((c - b) / h, abs=1e-4)
        assert (c - a) / (2.0 * h) == pytest.approx(0.5 * (table[whole + 1] - table[whole - 1]), abs=1e-4)


keys = st.lists(st.tuples(st.floats(0.05, 2.0), st.floats(-3.0, 3.0)), min_size=3, max_size=12)


@given(keys)
def test_slopes_within_are_scipys(given_keys):
    steps, y = np.array(given_keys).T
    x = np.cumsum(steps)
    for flat in (False, True):
        slopes = monotone_slopes(x, y, flat_ends=flat)
        expected = PchipInterpolator(x, y).derivative()(x)
        assert slopes[1:-1] == pytest.approx(expected[1:-1], rel=1e-9, abs=1e-12)
        assert not flat or slopes[0] == slopes[-1] == 0.0


@given(keys)
def test_slopes_at_the_ends_never_stop_nor_overshoot(given_keys):
    steps, rises = np.array(given_keys).T
    x, y = np.cumsum(steps), np.cumsum(np.abs(rises) + 0.01)
    for sign in (1.0, -1.0):
        slopes, means = sign * monotone_slopes(x, sign * y), np.diff(y) / np.diff(x)
        assert (slopes > 0.0).all()
        for end in (0, -1):
            assert 0.2 * means[end] - 1e-12 <= slopes[end] <= 3.0 * means[end] + 1e-12
        assert monotone_slopes(x[:2], sign * y[:2]) == pytest.approx(sign * means[0])


@given(keys)
def test_monotone_cubics_are_scipys_inside_and_held_outside(given_keys):
    steps, y = np.array(given_keys).T
    x = np.cumsum(steps)
    at = np.linspace(x[0] - 1.0, x[-1] + 1.0, 200)
    made = monotone_cubic(x, y, at)
    assert (made >= y.min() - 1e-9).all()
    assert (made <= y.max() + 1e-9).all()
    assert monotone_cubic(x, y, x) == pytest.approx(y, abs=1e-12)
    assert made[at < x[0]] == pytest.approx(y[0])
    assert made[at > x[-1]] == pytest.approx(y[-1])
    inner = (at > x[1]) & (at < x[-2])
    assert made[inner] == pytest.approx(PchipInterpolator(x, y)(at[inner]), abs=1e-9)


def test_periodic_cubics_have_no_seam(rng):
    times, values = np.sort(rng.uniform(0.0, 1.0, 5)), rng.normal(size=5)
    at = np.linspace(0.0, 1.0, 101)
    assert monotone_cubic(times, values, at + 3.0, 1.0) == pytest.approx(monotone_cubic(times, values, at, 1.0))
    assert monotone_cubic([0.0, 0.4, 1.0], [1.0, 2.0, 9.0], np.array([0.0, 1.0]), 1.0) == pytest.approx(1.0)
    assert monotone_cubic([0.3], [2.0], at, 1.0) == pytest.approx(2.0)


def test_loops_are_rounded_without_a_seam(rng):
    loop = rng.normal(size=(41, 2))
    loop[-1] = loop[0]
    rounded = gaussian(loop, 60.0, 0.05, loop=True)
    assert rounded[0] == pytest.approx(rounded[-1])
    shifted = np.concatenate([loop[10:-1], loop[:11]])
    again = gaussian(shifted, 60.0, 0.05, loop=True)
    assert again == pytest.approx(np.concatenate([rounded[10:-1], rounded[:11]]), abs=1e-12)


def test_a_ramp_rises_from_0_to_1_at_rest_at_both():
    at = np.linspace(0.0, 3.0, 3001)
    made = ramp(at, 1.0, 2.0)
    assert (np.diff(made) >= 0.0).all()
    assert made[at <= 1.0].max() == 0.0
    assert made[at >= 2.0].min() == 1.0
    assert np.abs(np.diff(made, 2)).max() < 1e-5
