"""Shape on the torso: each attitude its own angles, in proportion, and they add."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.laban.shape import ATTITUDES, BEND_ALONE, LARGEST_BEND, torso_channels
from kinesphere.motion.gesture import ANGLE, CHANNELS, METRES, MOST

ENDS = [("spreading", 0, -1), ("enclosing", 0, 1), ("rising", 1, -1),
        ("sinking", 1, 1), ("advancing", 2, -1), ("retreating", 2, 1)]  # fmt: skip
dial = st.floats(-1.0, 1.0)


def made(factors, gain=1.0):
    return {n: float(v) for n, v in torso_channels(np.asarray(factors, dtype=float), np.float64(gain)).items()}


@pytest.mark.parametrize(("attitude", "dimension", "sign"), ENDS)
@pytest.mark.parametrize("size", [0.25, 1.0])
def test_every_attitude_is_what_its_table_says(attitude, dimension, sign, size):
    factors = np.zeros(4)
    factors[dimension] = sign * size
    expected = {}
    for name, most in ATTITUDES[attitude].items():
        sides = ("left.", "right.") if name.startswith(("clavicle", "foot")) else ("",)
        for side in sides:
            kind = CHANNELS[f"{side}{name}"]
            expected[f"{side}{name}"] = size * (np.radians(most) if kind == ANGLE else most)
            assert abs(expected[f"{side}{name}"]) < (0.1 if kind == METRES else MOST[kind])
    assert made(factors) == pytest.approx(expected)


def test_attitudes_go_the_way_that_they_are_named():
    assert made([-1, 0, 0, 0])["left.clavicle.forward"] < 0.0 < made([1, 0, 0, 0])["left.clavicle.forward"]
    assert made([0, -1, 0, 0])["hips.y"] > 0.0 > made([0, 1, 0, 0])["hips.y"]
    assert made([0, -1, 0, 0])["torso.forward"] < 0.0 < made([0, 1, 0, 0])["torso.forward"]
    assert made([0, 0, -1, 0])["hips.z"] > 0.0 > made([0, 0, 1, 0])["hips.z"]


def test_neutral_and_reach_add_nothing():
    assert made(np.zeros(4)) == {}
    assert made([0, 0, 0, 1.0]) == {}


def amplified(name, gain):
    """Clavicles do not go further: drawn back, they would narrow what is to spread."""
    return 1.0 if "clavicle" in name else gain


@given(dial, dial, dial, st.floats(1.0, 2.0))
def test_dimensions_add_and_gain_multiplies(horizontal, vertical, sagittal, gain):
    single = [made([horizontal, 0, 0, 0]), made([0, vertical, 0, 0]), made([0, 0, sagittal, 0])]
    names = set().union(*single)
    expected = {name: amplified(name, gain) * sum(float(row.get(name, 0.0)) for row in single) for name in names}
    found = made([horizontal, vertical, sagittal, 0.3], gain)
    bend = expected.pop("torso.forward", 0.0)
    assert {name: value for name, value in found.items() if name != "torso.forward"} == pytest.approx(
        expected, abs=1e-12
    )
    if bend <= np.radians(BEND_ALONE):
        assert found.get("torso.forward", 0.0) == pytest.approx(bend, abs=1e-12)
    else:
        assert np.radians(BEND_ALONE) < found["torso.forward"] < min(bend, np.radians(LARGEST_BEND))


@given(st.tuples(dial, dial, dial), st.floats(1.0, 2.0), st.floats(1.0, 2.0))
def test_a_torso_bends_softly_and_never_less_for_more(shape, gain, more):
    """No sum of attitudes folds it over its own arms, and none comes to its most at once."""
    less, further = sorted([gain, more])
    a, b = (made([*shape, 0.0], g).get("torso.forward", 0.0) for g in (less, further))
    assert b < np.radians(LARGEST_BEND)
    assert abs(b) >= abs(a) - 1e-12
    assert abs(b - a) <= (further - less) * np.radians(50.0)


def test_over_time_every_moment_is_itself():
    rng = np.random.default_rng(5)
    factors, gain = rng.uniform(-1.0, 1.0, (20, 4)), rng.uniform(1.0, 2.0, 20)
    curves = torso_channels(factors, gain)
    for i in range(20):
        alone = made(factors[i], gain[i])
        assert {name: curve[i] for name, curve in curves.items()} == pytest.approx(
            dict.fromkeys(curves, 0.0) | alone, abs=1e-12
        )
