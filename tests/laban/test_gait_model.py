"""Effort and Shape on a walk: each dial turns its own measures one way, and the model's file is read strictly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.walking import ATTITUDES, ELEMENTS, walk
from kinesphere import Effort, Express, MotionFileError, Shape, Words
from kinesphere.analysis.gait import measure_gait
from kinesphere.direction.words import vocabulary
from kinesphere.engine.generation import generate
from kinesphere.laban.effort import FACTORS
from kinesphere.laban.gait_model import ELEMENTS as NAMES
from kinesphere.laban.gait_model import gait_model, load_gait_model
from kinesphere.laban.shape import DIMENSIONS
from kinesphere.motion.gait import GAIT_OVERLAYS

# What each dial is to be seen by, and in which direction from −1 to 1. Amounts are in docs/effort-and-shape.md.
OWN = {
    "space": {"width": -1, "track": -1, "look": -1, "sway": -1},
    "weight": {"impact": 1, "shoulder_turn": 1},
    "time": {"cadence": 1, "stance": -1},
    "flow": {"arm_swing": -1, "stride": -1, "bounce": -1, "shoulder_turn": -1},
    "horizontal": {"width": -1, "arm_out": -1},
    "vertical": {"head": 1, "lean": 1, "stride": -1},
    "sagittal": {"lean": -1, "stride": -1},
    "reach": {"stride": 1, "arm_swing": 1},
}
LEAST = 1.12  # between both ends of a dial: the ratio of its measures, or so many of these degrees
DEGREES = {"head": 15.0, "lean": 8.0, "arm_out": 20.0}


def edit(dial: str, value: float) -> Effort | Shape:
    return Effort(**{dial: value}) if dial in FACTORS else Shape(**{dial: value})


@pytest.mark.parametrize("dial", OWN)
def test_dials_turn_their_own_measures_one_way(dial):
    rows = [measure_gait(generate(edit(dial, value)(walk()))) for value in np.linspace(-1.0, 1.0, 7)]
    for name, sign in OWN[dial].items():
        values = sign * np.array([row[name] for row in rows])
        assert (np.diff(values) > -0.01 * np.abs(values).max()).all(), (name, values)
        if name in DEGREES:
            assert values[-1] - values[0] > DEGREES[name], (name, values)
        else:
            assert max(abs(values[0]), abs(values[-1])) > LEAST * min(abs(values[0]), abs(values[-1])), (name, values)


@given(
    st.sampled_from(NAMES),
    st.dictionaries(st.sampled_from(NAMES), st.floats(0.0, 1.6)),
    st.floats(0.0, 1.6),
    st.floats(0.0, 1.6),
)
def test_overlays_are_monotone_in_every_element_whatever_the_others(element, others, a, b):
    low, high = sorted((a, b))
    amounts = dict.fromkeys(NAMES, 0.0) | others
    for row in gait_model().rows:
        part = dict(row.parts).get(element)
        if part:
            values = [float(row.value(amounts | {element: amount})) for amount in (low, high)]
            assert (values[1] - values[0]) * np.sign(part) >= -1e-12, row.name


@given(st.dictionaries(st.sampled_from(NAMES), st.floats(0.0, 1.6)))
def test_overlays_stay_within_what_a_walk_can_do(others):
    amounts = dict.fromkeys(NAMES, 0.0) | others
    for row in gait_model().rows:
        value = float(row.value(amounts))
        if row.name in GAIT_OVERLAYS:
            overlay = GAIT_OVERLAYS[row.name]
            assert overlay.least - 1e-12 <= value <= overlay.most + 1e-12, row.name


def test_numbers_and_curves_are_the_same():
    amounts = dict.fromkeys(NAMES, 0.0) | {"strong": 0.7, "sinking": 0.4, "free": 1.3}
    curves = {name: np.full(3, amount) for name, amount in amounts.items()}
    for row in gait_model().rows:
        assert np.asarray(row.value(curves)) == pytest.approx(np.full(3, row.value(amounts)), abs=1e-12), row.name


def test_no_walk_becomes_a_run():
    """Both feet are never in the air, and nobody walks faster than at 2.4 m/s."""
    for name in (*ELEMENTS, *ATTITUDES):
        made = generate(Express(**_both(name), intensity=2.0)(walk()))
        places = made.positions_world()[:, 0, 2]
        assert (places[-1] - places[0]) / made.duration < 2.4
    for word in ("urgently", "punch", "excited", "joyful", "hastily"):
        made = generate(Words({word: 1.0}, 2.0)(walk()))
        places = made.positions_world()[:, 0, 2]
        assert (places[-1] - places[0]) / made.duration < 2.4


def _both(name: str) -> dict[str, object]:
    own = (ELEMENTS | ATTITUDES)[name]
    return {"effort": own.effort, "shape": own.shape}


def test_every_word_walks_in_its_own_way():
    """No two of the ten moods are alike: in one measure or the other they are a fifth, or six degrees, apart."""
    words = ("angry", "proud", "afraid", "tired", "joyful", "shy", "sad", "nervous", "calm", "menacing")
    assert set(words) <= set(vocabulary()) | {"proud", "calm", "menacing"}
    rows = [measure_gait(generate(Words({word: 1.0})(walk()))) for word in words]
    ratios, angles = ("cadence", "stride", "width", "impact", "arm_swing"), ("lean", "head", "elbow", "arm_out")
    for i, one in enumerate(rows):
        for j, other in enumerate(rows[:i]):
            apart = [abs(np.log(one[name] / other[name])) / np.log(1.2) for name in ratios]
            apart += [abs(one[name] - other[name]) / 6.0 for name in angles]
            assert max(apart) > 1.0, (words[i], words[j])


# The file


def test_every_dial_has_its_part_in_the_model():
    named = {name for row in gait_model().rows for name, _ in row.parts}
    assert named == {name for ends in (*FACTORS.values(), *DIMENSIONS.values()) for name in ends}
    assert {row.name for row in gait_model().rows} >= set(GAIT_OVERLAYS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gait.strid]\nstrong = 1\n", "gait.strid: found what no walk has.*did you mean 'gait.stride'"),
        ("[gait.stride]\nstrogn = 1\n", "strogn.*did you mean 'strong'"),
        ("[gait.stride]\nstrong = 'much'\n", "gait.stride.strong"),
        ("[legs.stride]\nstrong = 1\n", "legs"),
        ("beyond = 2\n", "beyond: found 2"),
    ],
)
def test_what_is_wrong_in_a_model_is_said_with_its_place(tmp_path, text, said):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(MotionFileError, match=said):
        load_gait_model(file)


def test_a_model_may_have_one_table(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text("[gait.stride]\nstrong = 0.5\nleast = 0.2\n")
    (row,) = load_gait_model(file).rows
    assert float(row.value(dict.fromkeys(NAMES, 0.0) | {"strong": 1.0})) == pytest.approx(0.5, abs=0.02)
