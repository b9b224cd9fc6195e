"""The double interpolant: the model sheet's own numbers, its ends, and its edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.engine.clocks import stroke_progress

TENTHS = np.arange(11) / 10.0
SHEET = {  # inflection, anticipation, overshoot, exponent: the table of model sheet 1
    (0.5, 0.0, 0.0, 1.0): (0, 0.017, 0.075, 0.175, 0.317, 0.5, 0.683, 0.825, 0.925, 0.983, 1),
    (0.1, 0.0, 0.03, 1.0): (0, 0.127, 0.388, 0.608, 0.787, 0.924, 1.021, 1.076, 1.091, 1.064, 1),
    (0.9, 0.1, 0.0, 0.8): (0, -0.007, 0.032, 0.101, 0.194, 0.308, 0.441, 0.592, 0.759, 0.937, 1),
    (0.9, 0.0, 0.0, 3.0): (0, 0, 0, 0, 0.003, 0.015, 0.049, 0.127, 0.289, 0.593, 1),
    (0.5, 0.0, 0.2, 0.6): (0, 0.152, 0.36, 0.592, 0.804, 0.944, 1.029, 1.07, 1.075, 1.048, 1),
}


@pytest.mark.parametrize("parameters", SHEET)
def test_the_sheets_reference_values(parameters):
    assert np.round(stroke_progress(TENTHS, *parameters), 3) == pytest.approx(SHEET[parameters], abs=1e-9)


@pytest.mark.parametrize("parameters", SHEET)
def test_is_the_integral_of_the_speed_through_the_knots(parameters):
    ti, v0, v1, exponent = parameters
    fine = np.linspace(0.0, 1.0, 400_001)
    speed = np.interp(fine, [0.0, 0.01, ti, 0.99, 1.0], [0.0, -v0, ti, -v1, 0.0])
    area = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(fine))])
    expected = np.interp(TENTHS**exponent, fine, area / area[-1])
    assert stroke_progress(TENTHS, *parameters) == pytest.approx(expected, abs=1e-8)


reals = st.floats(-2.0, 3.0)


@given(reals, reals, reals, reals)
def test_starts_at_0_and_ends_at_1_whatever_is_asked(inflection, anticipation, overshoot, exponent):
    values = stroke_progress(np.linspace(0.0, 1.0, 50), inflection, anticipation, overshoot, exponent)
    assert np.isfinite(values).all()
    assert values[0] == 0.0
    assert values[-1] == pytest.approx(1.0, abs=1e-9)


def test_neutral_is_monotone_and_symmetric():
    values = stroke_progress(np.linspace(0.0, 1.0, 101))
    assert (np.diff(values) >= 0.0).all()
    assert values + values[::-1] == pytest.approx(np.ones(101))


def test_broadcasts_over_strokes():
    values = stroke_progress(TENTHS[:, None], [0.5, 0.1], [0.0, 0.0], [0.0, 0.03])
    assert values.shape == (11, 2)
    assert values[:, 1] == pytest.approx(stroke_progress(TENTHS, 0.1, 0.0, 0.03))


def test_times_outside_are_held_and_nan_stays_where_it_is():
    values = stroke_progress([-1.0, np.nan, 0.5, 2.0])
    assert values[[0, 3]].tolist() == [0.0, 1.0]
    assert np.isnan(values).tolist() == [False, True, False, False]


def test_parameters_must_be_finite():
    with pytest.raises(ValueError, match="overshoot must be finite; found nan"):
        stroke_progress(0.5, overshoot=np.nan)
