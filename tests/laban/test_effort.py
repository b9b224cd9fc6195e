"""Effort's model against the checked sheet: reference values, Table 4.1, and its corners."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import Effort, effort_model
from kinesphere.engine.clocks import stroke_progress
from kinesphere.laban.effort_parameters import MovementParameters, effort_models, movement_parameters

CORNERS = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=4)))
TIMING = ("inflection", "anticipation", "overshoot", "time_exponent")

# Table 4.1 of the thesis, wrists as in the paper: tension, inflection, exponent, v0, v1, duration, squash, bend,
# extension, twist, displacement, volume, flexed, breath.
TABLE = {
    "neutral": ({}, (0, 0.5, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)),
    "indirect": ({"space": -1}, (-1, 0.5, 1, 0, 0, 1, 0, 0.6, 0, 0.4, 0.4, 0, 0, 0)),
    "direct": ({"space": 1}, (1, 0.5, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)),
    "light": ({"weight": -1}, (0, 0.1, 1, 0, 0.03, 1, 0.2, 0.5, -0.3, 0, 0, 0, 0, 0)),
    "strong": ({"weight": 1}, (0, 0.9, 0.8, 0.1, 0, 1, 0, 0, 0, 0, 0, 0.25, 1, 1)),
    "sustained": ({"time": -1}, (0, 0.1, 1, 0, 0.03, 3, 0, 0, 0, 0, 0, 0, 0, 0)),
    "sudden": ({"time": 1}, (0, 0.9, 3, 0, 0, 1 / 3, 0, 0, 0, 0, 0, 0, 0, 0)),
    "free": ({"flow": -1}, (0, 0.5, 0.6, 0, 0.2, 1, 0.15, 0.4, 0.3, 0, 0, 0, 0, 0)),
    "bound": ({"flow": 1}, (0, 0.5, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0)),
}
NAMES = (
    "tension", "inflection", "time_exponent", "anticipation", "overshoot", "duration", "squash", "wrist_bend",
    "wrist_extension", "wrist_twist", "displacement", "limb_volume", "flexed", "breath",
)  # fmt: skip


@pytest.mark.parametrize("element", TABLE)
def test_single_elements_are_those_of_the_table(element):
    dials, expected = TABLE[element]
    parameters = Effort(**dials).parameters()
    assert [getattr(parameters, name) for name in NAMES] == pytest.approx(expected, abs=1e-12)


def test_interpolation_spaces_go_with_their_elements():
    spaces = ("end_effector", "joint_angle", "elbow_position")
    assert [getattr(Effort(space=-1).parameters(), name) for name in spaces] == [0.0, 0.0, 1.0]
    assert [getattr(Effort(flow=-1).parameters(), name) for name in spaces] == [0.0, 1.0, 0.0]
    assert [getattr(Effort(space=1, flow=1).parameters(), name) for name in spaces] == [1.0, 0.0, 0.0]
    half = Effort(space=-1, flow=-1).parameters()
    assert (half.joint_angle, half.elbow_position) == (0.5, 0.5)


def test_the_default_set_holds_everywhere():
    random = np.random.default_rng(7).uniform(-1.0, 1.0, (10_000, 4))
    values = movement_parameters(np.concatenate([CORNERS, random]), effort_model())
    ti, v0, v1, exponent = (values[name] for name in TIMING)
    assert ((ti > 0.0) & (ti < 1.0)).all()
    assert exponent.min() >= 0.6
    assert (0.5 * (0.98 * ti - v0 * ti - v1 * (1.0 - ti))).min() > 0.02
    s = stroke_progress(np.linspace(0.0, 1.0, 301), *(values[name][:, None] for name in TIMING))
    assert np.abs(s[:, 0]).max() == 0.0
    assert np.abs(s[:, -1] - 1.0).max() < 1e-12
    assert s.min() >= -0.05
    assert s.max() <= 1.2
    shares = values["end_effector"] + values["joint_angle"] + values["elbow_position"]
    assert np.abs(shares - 1.0).max() < 1e-12


@pytest.mark.parametrize("model", effort_models())
def test_every_set_is_defined_at_every_corner(model):
    values = movement_parameters(CORNERS, effort_model(model))
    s = stroke_progress(np.linspace(0.0, 1.0, 101), *(values[name][:, None] for name in TIMING))
    assert np.isfinite(s).all()
    assert all(np.isfinite(row).all() for row in values.values())
    assert ((values["inflection"] >= 0.02) & (values["inflection"] <= 0.98)).all()
    if model != "default":
        assert ((values["duration"] > 0.32) & (values["duration"] < 3.01)).all()
        assert np.isin(values["flexed"], (0.0, 1.0)).all()
        assert np.isin(values["breath"], (0.0, 1.0)).all()


def test_the_sources_differ_as_printed():
    printed, paper, ours = (Effort(flow=-1, time=1).parameters(name) for name in ("chi1999", "emote2000", "default"))
    # 1 + 2 − 0.6 − 0.4, 1 + 2 − 1.0 − 0.4, 1 + 2 + 0.4 − 0.4
    assert (printed.time_exponent, paper.time_exponent, ours.time_exponent) == pytest.approx((2.0, 1.6, 3.0))
    assert Effort(weight=-1, flow=1).parameters("chi1999").inflection == pytest.approx(0.9)
    assert Effort(weight=-1, flow=1).parameters().inflection == pytest.approx(0.5)
    assert Effort(space=1).parameters("chi1999").time_exponent == pytest.approx(0.9)
    assert Effort(space=1).parameters("emote2000").time_exponent == pytest.approx(1.0)
    assert Effort(flow=-1).parameters("chi1999").wrist_bend == 1.0
    assert Effort(weight=-1).parameters("emote2000").squash == 0.0
    assert Effort(weight=1).parameters("emote2000").breath == 0.0  # the paper has no torso that breathes
    assert Effort(weight=1).parameters("chi1999").breath == 1.0
    assert Effort(space=-0.3).parameters("chi1999").elbow_position == 1.0  # the nearest extreme
    assert Effort(space=-0.3).parameters().elbow_position == pytest.approx(0.3)


@pytest.mark.parametrize("model", ["chi1999", "emote2000"])
def test_durations_of_the_sources_go_in_straight_lines(model):
    """Table 4.1: 3 and 0.33 times as long, and for half of it half as far from 1."""

    def lasts(**dials):
        return Effort(**dials).parameters(model).duration

    assert [lasts(time=-v) for v in (0.25, 0.5, 1.0)] == pytest.approx([1.5, 2.0, 3.0])
    assert [lasts(flow=v) for v in (0.25, 0.5, 1.0)] == pytest.approx([1.5, 2.0, 3.0])
    assert [lasts(time=v) for v in (0.5, 1.0)] == pytest.approx([0.665, 0.33], abs=1e-4)
    assert lasts(time=-0.5, flow=1.0) == pytest.approx(3.0)  # the larger of the two
    assert lasts(time=1.0, flow=1.0) == pytest.approx(0.99, abs=1e-3)


def test_breath_and_flexion_of_the_thesis_are_discrete():
    for degree in (0.01, 0.5, 1.0):
        strong, bound = (Effort(**{name: degree}).parameters("chi1999") for name in ("weight", "flow"))
        assert (strong.breath, strong.flexed, strong.flexed_angle) == (1.0, 1.0, 0.6)
        assert (bound.breath, bound.flexed, bound.flexed_angle) == (0.0, 1.0, 0.6)
    for indulging in (Effort(), Effort(weight=-0.5), Effort(flow=-0.5), Effort(time=1)):
        assert (indulging.parameters("chi1999").breath, indulging.parameters("chi1999").flexed) == (0.0, 0.0)
    both = Effort(weight=1, flow=-1).parameters("chi1999")  # 4.18 has a part for a wrist that is strong, free and bends
    assert (both.breath, both.flexed, both.wrist_extension) == (1.0, 0.0, pytest.approx(-0.6))


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 4), st.tuples(*[st.floats(-1.0, 1.0)] * 4))
def test_parameters_change_no_faster_than_the_dials(a, b):
    """No jump anywhere, also where factors cross zero: every parameter has a bounded slope in every factor."""
    first, second = (movement_parameters(np.array(row), effort_model()) for row in (a, b))
    far = np.abs(np.subtract(a, b)).sum()
    for name in MovementParameters.names():
        assert abs(first[name] - second[name]) <= 5.0 * far + 1e-12


def test_by_hand_overrules_the_model():
    effort = Effort(space=-1).adjusted(wrist_bend=0.1, tension=0.25)
    assert (effort.parameters().wrist_bend, effort.parameters().tension) == (0.1, 0.25)
    assert effort.parameters().displacement == 0.4


def test_a_character_overrides_coefficients_from_a_file(tmp_path):
    file = tmp_path / "puppet.toml"
    file.write_text('like = "default"\n[wrist_bend]\nlight = 0.9\n[duration]\nbase = 2.0\n')
    assert Effort(weight=-1).parameters(file).wrist_bend == 0.9
    assert Effort(time=-1).parameters(str(file)).duration == 2.0
    assert Effort(space=-1).parameters(file) == Effort(space=-1).parameters()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[wrist_bend]\nlihgt = 1",
            "wrist_bend.lihgt: found a field that nobody knows; expected one of: indirect, light, free, range; did",
        ),
        ("[wrist_bend]\nlight = nan", "wrist_bend.light: found nan; expected −100 to 100"),
        ("[wrist_bend]\nlight = 'much'", "a number"),
        ("wrist_bend = 3", "wrist_bend: found 3; expected an object"),
        ("like = 'nobody'", "chi1999"),
        ("[wrist_bend]\nlight = 1e9", "found 1e+09; expected −100 to 100"),
        ("][", "TOML"),
    ],
)
def test_bad_files_say_what_is_wrong(tmp_path, text, said):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        effort_model(file)
    assert "bad.toml" in str(caught.value)


@pytest.mark.parametrize(
    ("dials", "said"),
    [
        ({"space": 1.2}, r"space is 1\.2; −1 \(indirect\) to 1 \(direct\)"),
        ({"flow": float("nan")}, "flow is nan"),
        ({"by_hand": {"wrist_bent": 1}}, "wrist_bend"),
        ({"by_hand": {"inflection": 2}}, "0.02 to 0.98"),
    ],
)
def test_dials_out_of_range_are_refused(dials, said):
    with pytest.raises(ValueError, match=said):
        Effort(**dials)


def test_what_is_no_number_is_refused():
    with pytest.raises(TypeError, match=r"a number, −1 \(light\) to 1 \(strong\)"):
        Effort(weight="strong")
    with pytest.raises(ValueError, match="chi1999, default, emote2000"):
        Effort().parameters("laban")
