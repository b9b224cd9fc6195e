"""Rows between rows: the table's own at whole places, quadratics between, held or round beyond."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.maths import compiled
from kinesphere.maths.interpolation import cubic_rows_at, cubic_rows_at_reference

WAYS = [cubic_rows_at_reference, cubic_rows_at]  # the second is compiled where there is enough to do


def places(rng, count, length):
    at = rng.uniform(-length, 2.0 * length, count)
    at[: count // 4] = np.round(at[: count // 4])
    return at


@given(seeds, st.integers(1, 12), st.sampled_from([(), (1,), (7,), (3, 4)]), st.booleans())
def test_compiled_rows_are_the_references(seed, length, shape, loop):
    assert compiled.warm_up() is not None
    rng = np.random.default_rng(seed)
    table, at = rng.normal(size=(length, *shape)), places(rng, 500, length)
    made = cubic_rows_at(table, at, loop)
    assert made.shape == (500, *shape)
    assert np.abs(made - cubic_rows_at_reference(table, at, loop)).max() < 1e-12


@pytest.mark.parametrize("rows", WAYS)
@pytest.mark.parametrize("loop", [False, True])
def test_at_whole_places_they_are_the_rows_exactly(rows, loop, rng):
    compiled.warm_up()
    table = rng.normal(size=(50, 9))
    table[-1] = table[0]
    assert np.array_equal(rows(table, np.arange(50.0), loop), table)


@pytest.mark.parametrize("rows", WAYS)
@given(seed=seeds)
def test_quadratic_tables_are_reproduced_inside(rows, seed):
    compiled.warm_up()
    rng = np.random.default_rng(seed)
    at, (a, b, c) = rng.uniform(1.0, 10.0, 300), rng.normal(size=(3, 4))
    n = np.arange(12.0)[:, None]
    x = at[:, None]
    assert rows(a + b * n + c * n * n, at, False) == pytest.approx(a + b * x + c * x * x, abs=1e-10)


@pytest.mark.parametrize("rows", WAYS)
def test_beyond_the_ends_the_last_row_is_held(rows, rng):
    compiled.warm_up()
    table = rng.normal(size=(6, 5))
    before, after = rng.uniform(-50.0, -1.0, 100), rng.uniform(6.0, 50.0, 100)
    assert rows(table, before, False) == pytest.approx(np.tile(table[0], (100, 1)), abs=1e-14)
    assert rows(table, after, False) == pytest.approx(np.tile(table[-1], (100, 1)), abs=1e-14)


@pytest.mark.parametrize("rows", WAYS)
@given(seed=seeds, turns=st.integers(-3, 3))
def test_loops_go_round_without_a_seam(rows, seed, turns):
    compiled.warm_up()
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(9, 6))
    table[-1] = table[0]
    at = rng.uniform(0.0, 8.0, 100)
    assert rows(table, at + 8.0 * turns, True) == pytest.approx(rows(table, at, True), abs=1e-9)
    # Starting the loop elsewhere changes nothing: no place is an end.
    turned = np.concatenate([table[3:-1], table[:4]])
    assert rows(turned, at, True) == pytest.approx(rows(table, at + 3.0, True), abs=1e-9)


def test_between_rows_there_is_no_corner(rng):
    table = rng.normal(size=(8, 3))
    h = 1e-6
    for whole in range(1, 7):
        a, b, c = cubic_rows_at(table, np.array([whole - h, float(whole), whole + h]))
        assert (b - a) / h == pytest.approx((c - b) / h, abs=1e-4)
        assert (c - a) / (2.0 * h) == pytest.approx(0.5 * (table[whole + 1] - table[whole - 1]), abs=1e-4)
