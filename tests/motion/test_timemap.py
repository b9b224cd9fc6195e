"""Time maps: monotone, smooth, exactly invertible, composable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import TimeMap


@st.composite
def time_maps(draw):
    count = draw(st.integers(2, 8))
    gaps = st.lists(st.floats(0.02, 3.0), min_size=count, max_size=count)
    return TimeMap(np.cumsum(draw(gaps)), np.cumsum(draw(gaps)) - 1.0)


WIDE = np.linspace(-5.0, 30.0, 4001)


@given(time_maps())
def test_time_never_stands_still_or_runs_back(time_map):
    new = time_map(WIDE)
    assert np.all(np.diff(new) > 0.0)
    assert time_map.slope(WIDE).min() > 0.0


@given(time_maps())
def test_the_speed_is_continuous_and_is_the_derivative(time_map):
    h = 1e-6
    numeric = (time_map(WIDE + h) - time_map(WIDE - h)) / (2 * h)
    slope = time_map.slope(WIDE)
    assert np.abs(numeric - slope).max() <= 1e-3 * max(1.0, slope.max())


@given(time_maps())
def test_the_inverse_undoes_the_map_and_its_speed(time_map):
    back = time_map.inverse()
    assert np.abs(back(time_map(WIDE)) - WIDE).max() < 1e-7
    assert np.abs(time_map(back(WIDE)) - WIDE).max() < 1e-9
    assert np.allclose(back.slope(time_map(WIDE)) * time_map.slope(WIDE), 1.0, rtol=1e-5)


@given(time_maps(), time_maps(), time_maps())
def test_maps_chain(a, b, c):
    chained = a.then(b).then(c)
    assert np.array_equal(chained(WIDE), c(b(a(WIDE))))
    assert np.allclose(a.then(b.then(c))(WIDE), chained(WIDE))
    assert np.allclose(chained.inverse()(chained(WIDE)), WIDE, atol=1e-6)
    assert np.array_equal(TimeMap.identity()(WIDE), WIDE)


@given(time_maps())
def test_given_times_are_met(time_map):
    curve = time_map._links[0][0]
    assert np.array_equal(time_map(curve.x), curve.y) or np.allclose(time_map(curve.x), curve.y, atol=1e-12)


def test_steady_points_give_a_straight_map_and_uniform_plays_faster():
    straight = TimeMap([0, 1, 2.5, 4], [0, 2, 5, 8])
    assert np.allclose(straight(WIDE), 2 * WIDE)
    assert TimeMap.uniform(2.0)(3.0) == pytest.approx(1.5)


def test_impossible_maps_are_refused():
    with pytest.raises(ValueError, match="found 2 then 1 at index 1"):
        TimeMap([0, 2, 1], [0, 1, 2])
    with pytest.raises(ValueError, match="new times"):
        TimeMap([0, 1, 2], [0, 1, 1])
    with pytest.raises(ValueError, match="run backwards between 0 and 1"):
        TimeMap([0, 1], [0, 1], slopes=[9.0, 9.0])
    with pytest.raises(ValueError, match="at least two"):
        TimeMap([0], [0])
    with pytest.raises(ValueError, match="positive"):
        TimeMap.uniform(0.0)
