"""Shape on the arms: keys rotated on ellipses, softly, within reach, and short of the body's middle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.laban.shape import LARGEST_ROTATION, LONGEST, MIDDLE, NEAREST_MIDDLE, RATIO, REACH_SCALE
from laban.shaping import shape_keys

HORIZONTAL, VERTICAL, SAGITTAL, REACH = np.eye(4)
OUT, UP, AHEAD = 0, 1, 2
# Dial, which end it turns to: axis and sign. Spreading, enclosing, rising, sinking, advancing, retreating.
ENDS = {
    "spreading": (-HORIZONTAL, OUT, 1.0),
    "enclosing": (HORIZONTAL, OUT, -1.0),
    "rising": (-VERTICAL, UP, 1.0),
    "sinking": (VERTICAL, UP, -1.0),
    "advancing": (-SAGITTAL, AHEAD, 1.0),
    "retreating": (SAGITTAL, AHEAD, -1.0),
}
PLANES = {"spreading": (OUT, AHEAD), "rising": (UP, OUT), "advancing": (AHEAD, UP)}
PLANES |= {"enclosing": PLANES["spreading"], "sinking": PLANES["rising"], "retreating": PLANES["advancing"]}


def keys(seed, count=200, most=LONGEST):
    """Places that an arm can reach, anywhere about the left shoulder."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(count, 3))
    return rng.uniform(0.05, most, (count, 1)) * way / np.linalg.norm(way, axis=1, keepdims=True)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@given(seeds)
def test_neutral_leaves_every_key_where_it_is(seed):
    places = np.concatenate([keys(seed), keys(seed, most=0.9)])
    for side in ("left", "right"):
        assert np.abs(shape_keys(places, np.zeros(4), side) - places).max() < 1e-6


@pytest.mark.parametrize("element", ENDS)
@given(seed=seeds, size=st.floats(0.01, 2.0))
def test_every_element_turns_keys_to_its_end(element, seed, size):
    dial, axis, sign = ENDS[element]
    places = keys(seed)
    made = shape_keys(places, size * dial, "left")
    assert (sign * (made - places)[:, axis] > -1e-12).all()
    assert (sign * (unit(made) - unit(places))[:, axis] > -1e-12).all()  # nor does it only push them out
    more = shape_keys(places, min(2.0 * size, 2.0) * dial, "left")
    assert (sign * (more - made)[:, axis] > -1e-9).all()


@pytest.mark.parametrize("element", ENDS)
@given(seed=seeds)
def test_keys_stay_on_their_ellipses(element, seed):
    """Where neither the arm's reach nor the body's middle is near, nothing else happens to them."""
    dial, _, _ = ENDS[element]
    places = keys(seed, most=0.3) + np.array([0.15, 0.0, 0.0])
    places = places[(places[:, OUT] > 0.10) & (np.linalg.norm(places, axis=1) < 0.3)]
    made = shape_keys(places, 0.3 * dial, "left")
    major, minor = PLANES[element]
    own = (set(range(3)) - {major, minor}).pop()
    assert made[:, own] == pytest.approx(places[:, own], abs=1e-12)
    before, after = (np.hypot(p[:, major], RATIO * p[:, minor]) for p in (places, made))
    assert after == pytest.approx(before, abs=1e-9)
    angles = [np.arctan2(RATIO * p[:, minor], p[:, major]) for p in (places, made)]
    rotated = np.abs(np.mod(angles[1] - angles[0] + np.pi, 2.0 * np.pi) - np.pi)
    assert rotated.max(initial=0.0) <= 0.3 * LARGEST_ROTATION + 1e-9


@pytest.mark.parametrize("element", ENDS)
def test_a_key_square_to_the_end_is_turned_by_nearly_all_of_it(element):
    dial, axis, sign = ENDS[element]
    minor = PLANES[element][1]
    place = np.zeros((1, 3))
    place[0, minor] = 0.2
    moved = shape_keys(place, 0.5 * dial, "left")[0]
    if element == "enclosing":  # the middle is near
        assert NEAREST_MIDDLE < moved[OUT] < -0.05
    else:
        assert sign * moved[axis] == pytest.approx(RATIO * 0.2 * np.sin(0.5 * LARGEST_ROTATION), rel=0.06)


@given(seeds, st.floats(1e-7, 1e-3))
def test_no_key_jumps_when_it_is_moved_a_little(seed, step):
    """Also across the body's axes, where an ellipse could be gone round either way."""
    rng = np.random.default_rng(seed)
    places, factors = keys(seed), rng.uniform(-1.0, 1.0, (200, 4))
    places[:100, rng.integers(0, 3)] *= 1e-4  # at the axes
    by = step * unit(rng.normal(size=(200, 3)))
    apart = np.linalg.norm(shape_keys(places + by, factors, "left") - shape_keys(places, factors, "left"), axis=1)
    assert apart.max() < 4.0 * step


@pytest.mark.parametrize("element", ENDS)
def test_nothing_flips_where_a_key_crosses_the_far_end(element):
    """A hanging hand, a touch to either side, does not rise on either side: it would jump by 0.2 m."""
    dial, axis, sign = ENDS[element]
    minor = PLANES[element][1]
    places = np.zeros((2001, 3))
    places[:, axis], places[:, minor] = -0.4 * sign, np.linspace(-0.01, 0.01, 2001)
    made = shape_keys(places, dial, "left")
    assert np.linalg.norm(np.diff(made, axis=0), axis=1).max() < 4e-5  # steps of a hundredth of a millimetre
    assert np.linalg.norm(made[1000] - places[1000]) < 1e-6


@given(seeds, st.floats(1e-7, 1e-3))
def test_no_key_jumps_when_a_dial_is_turned_a_little(seed, step):
    rng = np.random.default_rng(seed)
    places, factors = keys(seed), rng.uniform(-1.0, 1.0, (200, 4))
    factors[:60] *= 1e-4  # about neutral
    by = step * unit(rng.normal(size=(200, 4)))
    apart = np.linalg.norm(shape_keys(places, factors + by, "left") - shape_keys(places, factors, "left"), axis=1)
    assert apart.max() < 0.7 * step


@given(seeds, st.floats(0.0, 2.0))
def test_no_key_is_put_beyond_reach(seed, intensity):
    rng = np.random.default_rng(seed)
    places = np.concatenate([keys(seed), keys(seed, most=0.8)])
    factors = intensity * rng.uniform(-1.0, 1.0, (400, 4))
    made, was = (np.linalg.norm(p, axis=1) for p in (shape_keys(places, factors, "left"), places))
    assert (made <= np.maximum(was, LONGEST) + 1e-9).all()


@given(seeds, st.floats(0.0, 2.0))
def test_hands_do_not_cross_the_middle(seed, intensity):
    rng = np.random.default_rng(seed)
    places = keys(seed)
    factors = intensity * rng.uniform(-1.0, 1.0, (200, 4))
    made = shape_keys(places, factors, "left")
    own = places[:, OUT] >= NEAREST_MIDDLE
    assert (made[own, OUT] > MIDDLE[0]).all()
    factors[:, 3] = 0.0
    made = shape_keys(places, factors, "left")
    assert (made[:, OUT] >= np.minimum(places[:, OUT], NEAREST_MIDDLE) - 1e-9).all()


def test_reach_goes_along_the_line_from_the_middle():
    places = np.array([[0.05, -0.1, 0.2], [0.1, 0.1, 0.1]])
    middle = np.array(MIDDLE)
    for dial in (-1.0, -0.4, 0.3):
        made = shape_keys(places, dial * REACH, "left")
        assert made == pytest.approx(places + REACH_SCALE * dial * (places - middle), abs=1e-12)
    near, far = (np.linalg.norm(shape_keys(keys(3), d * REACH, "left") - middle, axis=1) for d in (-1.0, 1.0))
    assert (near < np.linalg.norm(keys(3) - middle, axis=1) + 1e-12).all()
    assert np.median(far - near) > 0.1


@given(seeds)
def test_the_right_arm_mirrors_the_left(seed):
    places, factors = keys(seed), np.random.default_rng(seed).uniform(-1.0, 1.0, 4)
    mirror = np.array([-1.0, 1.0, 1.0])
    assert shape_keys(places * mirror, factors, "right") == pytest.approx(
        shape_keys(places, factors, "left") * mirror, abs=1e-12
    )


@given(seeds)
def test_every_key_has_its_own_shape(seed):
    rng = np.random.default_rng(seed)
    places, factors = keys(seed, 6), rng.uniform(-1.0, 1.0, (6, 4))
    alone = [shape_keys(places[i : i + 1], factors[i], "left")[0] for i in range(6)]
    assert shape_keys(places, factors, "left") == pytest.approx(np.array(alone), abs=1e-12)
