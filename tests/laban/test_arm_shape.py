"""Shape on the arms: keys rotated on ellipses as printed, within reach, without a jump at the branch cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generated import seeds
from kinesphere.laban.shape import LARGEST_ROTATION, LONGEST, MIDDLE, RATIO, REACH_SCALE
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


def printed(places, dial):
    """EMOTE's equations 1 to 5 for one dimension, with their branch cut: out, up and ahead of the shoulder."""
    axis = int(np.flatnonzero(dial)[0])
    major, minor = ((OUT, AHEAD), (UP, OUT), (AHEAD, UP))[axis]
    sign = -1.0 if axis == 2 else 1.0  # the paper's third axis goes down
    long, short = places[:, major], sign * places[:, minor]
    theta = np.mod(np.arctan2(RATIO * short, long), 2.0 * np.pi)
    radius, turn = np.hypot(long, RATIO * short), abs(dial[axis]) * LARGEST_ROTATION
    if dial[axis] < 0.0:
        theta = np.where(theta >= np.pi, np.minimum(theta + turn, 2.0 * np.pi), np.maximum(theta - turn, 0.0))
    else:
        theta = np.where(theta >= np.pi, np.maximum(theta - turn, np.pi), np.minimum(theta + turn, np.pi))
    made = places.copy()
    made[:, major], made[:, minor] = radius * np.cos(theta), sign * radius / RATIO * np.sin(theta)
    return made


def from_far_end(places, element):
    """Angles ``(K,)`` on the ellipse from the end that an element turns away from, where its rule has a branch cut."""
    _, axis, sign = ENDS[element]
    return np.arctan2(RATIO * np.abs(places[:, PLANES[element][1]]), -sign * places[:, axis])


@pytest.mark.parametrize("element", ENDS)
@given(seed=seeds, size=st.floats(0.05, 1.0))
def test_keys_are_where_the_printed_rule_puts_them_away_from_its_branch_cut(element, seed, size):
    dial, _, _ = ENDS[element]
    places = keys(seed, most=0.3)
    away = from_far_end(places, element)
    rotated = size * LARGEST_ROTATION
    clear = (away > np.radians(60.0)) & (np.pi - away > 2.0 * rotated)  # nor are they slowed at the end
    made, rule = (where[clear] for where in (shape_keys(places, size * dial, "left"), printed(places, size * dial)))
    size_of_it = np.linalg.norm(rule - places[clear], axis=1)
    assert (np.linalg.norm(made - rule, axis=1) < 0.08 * size_of_it).all()


@pytest.mark.parametrize("element", ENDS)
@given(seed=seeds)
def test_keys_move_as_far_as_printed_everywhere(element, seed):
    """Nine tenths of it where nothing else is in the way; about the branch cut, and softly at the end, less differs."""
    dial, _, _ = ENDS[element]
    places = keys(seed, most=0.3)
    moved, rule = (
        np.linalg.norm(w - places, axis=1) for w in (shape_keys(places, dial, "left"), printed(places, dial))
    )
    assert (moved > 0.85 * rule).all()
    assert (moved < 1.6 * rule + 0.08).all()


@pytest.mark.parametrize("element", ENDS)
@pytest.mark.parametrize("aside", [-1e-9, 0.0, 1e-9])
def test_a_key_at_the_branch_cut_is_pulled_as_far_as_it_would_be_rotated(element, aside):
    """A hand straight ahead retreats, by the 18.5 cm that are printed, and on both sides of the axis to one place."""
    dial, axis, sign = ENDS[element]
    place = np.zeros((1, 3))
    place[0, axis], place[0, PLANES[element][1]] = -0.45 * sign, aside
    moved = shape_keys(place, dial, "left") - place
    assert np.linalg.norm(moved) == pytest.approx(0.1846, abs=1e-4)
    assert sign * moved[0, axis] > 0.9 * 0.1846


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
    """By the printed rule a key, a touch to either side of its branch cut, would jump by 0.3 m."""
    dial, axis, sign = ENDS[element]
    minor = PLANES[element][1]
    places = np.zeros((2001, 3))
    places[:, axis], places[:, minor] = -0.4 * sign, np.linspace(-0.01, 0.01, 2001)
    made = shape_keys(places, dial, "left")
    assert np.linalg.norm(np.diff(made, axis=0), axis=1).max() < 4e-5  # steps of a hundredth of a millimetre


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
