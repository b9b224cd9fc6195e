"""Effort's model against the checked sheet: reference values, Table 4.1, and its corners."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import Effort, effort_model
from kinesphere.engine.clocks import stroke_progress
from kinesphere.laban.effort_parameters import MovementParameters, effort_models, movement_parameters

PRINTED = ("chi1999", "emote2000")
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
    "sudden": ({"time": 1}, (0, 0.9, 3, 0, 0, 0.33, 0, 0, 0, 0, 0, 0, 0, 0)),
    "free": ({"flow": -1}, (0, 0.5, 0.6, 0, 0.2, 1, 0.15, 0.4, 0.3, 0, 0, 0, 0, 0)),
    "bound": ({"flow": 1}, (0, 0.5, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0)),
}
NAMES = (
    "tension", "inflection", "time_exponent", "anticipation", "overshoot", "duration", "squash", "wrist_bend",
    "wrist_extension", "wrist_twist", "displacement", "limb_volume", "flexed", "breath",
)  # fmt: skip
# Where the sources' equations differ from the table: the thesis' exponents and wrists; no body in the paper.
UNLIKE_TABLE = {
    "chi1999": {
        "direct": {"time_exponent": 0.9},
        "sustained": {"time_exponent": 0.9},
        "free": {"wrist_bend": 1.0, "wrist_extension": 0.2},
    },
    "emote2000": {"light": {"squash": 0}, "strong": {"limb_volume": 0, "breath": 0}, "free": {"squash": 0}},
}
ELEMENTS = {name: dials for name, (dials, _) in TABLE.items() if dials}
# What each element of ours does more of than any other does.
OWN = {
    "indirect": ("wrist_twist", "elbow_twist", "elbow_position", "detour", "glance", "spiral"),
    "direct": ("tension", "attention"),
    "light": ("squash", "lift"),
    "strong": ("inflection", "anticipation", "breath", "limb_volume", "press", "thrust"),
    "sustained": ("duration",),
    "sudden": ("time_exponent",),
    "free": ("overshoot", "wrist_extension", "pass_speed", "trail", "swing"),
    "bound": ("flexed", "evenness", "hesitation", "block"),
}


@pytest.mark.parametrize("model", PRINTED)
@pytest.mark.parametrize("element", TABLE)
def test_single_elements_are_those_of_the_table(element, model):
    dials, table = TABLE[element]
    expected = dict(zip(NAMES, table, strict=True)) | UNLIKE_TABLE[model].get(element, {})
    parameters = Effort(**dials).parameters(model)
    assert {name: getattr(parameters, name) for name in NAMES} == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("model", PRINTED)
def test_nothing_but_arms_moves_in_the_sources(model):
    values = movement_parameters(CORNERS, effort_model(model))
    for name in ("press", "lift", "thrust", "attention", "glance", "spiral", "swing", "block", "sway", "trail"):
        assert not values[name].any()


@pytest.mark.parametrize("element", OWN)
def test_every_element_of_ours_has_what_is_its_own(element):
    most = Effort(**ELEMENTS[element]).parameters()
    others = [Effort(**dials).parameters() for name, dials in ELEMENTS.items() if name != element]
    for name in OWN[element]:
        assert getattr(most, name) > max(getattr(other, name) for other in (*others, Effort().parameters())) + 0.01


def test_elements_of_ours_add_up_and_none_hides_another():
    """The thesis takes the larger of strong and sudden, of light and sustained."""
    pairs = [(a, b) for a, b in itertools.combinations(ELEMENTS.values(), 2) if a.keys() != b.keys()]
    least, most = (effort_model()[f"inflection.{name}"] for name in ("least", "most"))
    plain = Effort().parameters()
    for size, (a, b) in itertools.product((0.3, 1.0), pairs):
        one, other = ({name: size * value for name, value in dials.items()} for dials in (a, b))
        both, first, second = (Effort(**dials).parameters() for dials in ({**one, **other}, one, other))
        assert both.thrust == pytest.approx(first.thrust + second.thrust)
        if {"weight": -size, "flow": size} != {**one, **other}:
            added = first.inflection + second.inflection - plain.inflection
            assert both.inflection == pytest.approx(np.clip(added, least, most))
    strong, sudden, both = (
        Effort(**dials).parameters() for dials in ({"weight": 0.8}, {"time": 0.8}, {"weight": 0.8, "time": 0.8})
    )
    assert both.inflection - sudden.inflection == pytest.approx(strong.inflection - plain.inflection)
    assert both.inflection > max(strong.inflection, sudden.inflection) + 0.05
    printed = [Effort(weight=weight, time=0.8).parameters("chi1999").inflection for weight in (0.0, 0.8)]
    assert printed[0] == pytest.approx(printed[1])


@pytest.mark.parametrize("model", PRINTED)
def test_interpolation_spaces_go_with_their_elements(model):
    spaces = ("end_effector", "joint_angle", "elbow_position")

    def shares(name, **dials):
        parameters = Effort(**dials).parameters(name)
        return [getattr(parameters, space) for space in spaces]

    assert shares(model, space=-1) == [0.0, 0.0, 1.0]
    assert shares(model, flow=-1) == [0.0, 1.0, 0.0]
    assert shares(model, space=1, flow=1) == [1.0, 0.0, 0.0]
    assert shares(model, space=-0.2, flow=-1) == [0.0, 1.0, 0.0]  # the nearest extreme
    assert shares("default", space=1, flow=1) == shares("default") == [1.0, 0.0, 0.0]
    full = shares("default", space=-1)  # ours blends
    assert shares("default", space=-0.5)[2] == pytest.approx(0.5 * full[2])
    assert full[2] == pytest.approx(1.0 - full[0])
    assert 0.2 < full[2] < 1.0


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
    # 1 + 2 − 0.6 − 0.4, 1 + 2 − 1.0 − 0.4
    assert (printed.time_exponent, paper.time_exponent) == pytest.approx((2.0, 1.6))
    assert 1.0 < ours.time_exponent < Effort(time=1).parameters().time_exponent
    assert Effort(weight=-1, flow=1).parameters("chi1999").inflection == pytest.approx(0.9)
    assert Effort(weight=-1).parameters().inflection < Effort(weight=-1, flow=1).parameters().inflection < 0.5
    assert Effort(space=1).parameters("chi1999").time_exponent == pytest.approx(0.9)
    assert Effort(space=1).parameters("emote2000").time_exponent == pytest.approx(1.0)
    assert Effort(flow=-1).parameters("chi1999").wrist_bend == 1.0
    assert Effort(weight=-1).parameters("emote2000").squash == 0.0
    assert Effort(weight=1).parameters("emote2000").breath == 0.0  # the paper has no torso that breathes
    assert Effort(weight=1).parameters("chi1999").breath == 1.0
    assert Effort(space=-0.3).parameters("chi1999").elbow_position == 1.0  # the nearest extreme
    assert Effort(space=-0.3).parameters().elbow_position == pytest.approx(
        0.3 * Effort(space=-1).parameters().elbow_position
    )


@pytest.mark.parametrize("model", PRINTED)
def test_durations_of_the_sources_go_in_straight_lines(model):
    """Table 4.1: 3 and 0.33 times as long, and for half of it half as far from 1."""

    def lasts(**dials):
        return Effort(**dials).parameters(model).duration

    assert [lasts(time=-v) for v in (0.25, 0.5, 1.0)] == pytest.approx([1.5, 2.0, 3.0])
    assert [lasts(flow=v) for v in (0.25, 0.5, 1.0)] == pytest.approx([1.5, 2.0, 3.0])
    assert [lasts(time=v) for v in (0.5, 1.0)] == pytest.approx([0.665, 0.33], abs=1e-4)
    assert lasts(time=-0.5, flow=1.0) == pytest.approx(3.0)  # the larger of the two
    assert lasts(time=1.0, flow=1.0) == pytest.approx(0.99, abs=1e-3)


def test_durations_of_ours_add_up_softly_in_their_logarithms():
    def logarithm(**dials):
        return np.log(Effort(**dials).parameters().duration)

    sustained, bound, sudden = logarithm(time=-1), logarithm(flow=1), logarithm(time=1)
    assert sustained > bound > 0.3 > -0.3 > sudden
    assert sustained == pytest.approx(-sudden, rel=0.2)
    assert 0.5 * sustained < logarithm(time=-0.5) < 0.6 * sustained
    assert sustained + 0.1 < logarithm(time=-1, flow=1) < sustained + bound
    assert sudden + 0.1 < logarithm(time=1, flow=1) < bound
    assert sudden - 0.05 > logarithm(time=1, weight=1)  # a punch is quicker than what is only sudden
    assert all(a < b for a, b in itertools.pairwise(logarithm(time=value) for value in np.linspace(1.0, -1.0, 9)))
    every = np.log(movement_parameters(CORNERS, effort_model())["duration"])
    assert np.abs(every).max() < effort_model()["duration.log_most"]


def test_breath_and_flexion_of_the_thesis_are_discrete():
    for degree in (0.01, 0.5, 1.0):
        strong, bound = (Effort(**{name: degree}).parameters("chi1999") for name in ("weight", "flow"))
        assert (strong.breath, strong.flexed, strong.flexed_angle) == (1.0, 1.0, 0.6)
        assert (bound.breath, bound.flexed, bound.flexed_angle) == (0.0, 1.0, 0.6)
    for indulging in (Effort(), Effort(weight=-0.5), Effort(flow=-0.5), Effort(time=1)):
        assert (indulging.parameters("chi1999").breath, indulging.parameters("chi1999").flexed) == (0.0, 0.0)
    both = Effort(weight=1, flow=-1).parameters("chi1999")  # 4.18 has a part for a wrist that is strong, free and bends
    assert (both.breath, both.flexed, both.wrist_extension) == (1.0, 0.0, pytest.approx(-0.6))
    half, full = (Effort(weight=degree).parameters() for degree in (0.5, 1.0))  # ours are not
    assert (half.flexed, half.breath) == pytest.approx((0.5 * full.flexed, 0.5 * full.breath))
    assert min(full.flexed, full.breath) > 0.0


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 4), st.tuples(*[st.floats(-1.0, 1.0)] * 4))
def test_parameters_change_no_faster_than_the_dials(a, b):
    """No jump anywhere, also where factors cross zero: every parameter has a bounded slope in every factor."""
    first, second = (movement_parameters(np.array(row), effort_model()) for row in (a, b))
    far = np.abs(np.subtract(a, b)).sum()
    for name in MovementParameters.names():
        assert abs(first[name] - second[name]) <= 5.0 * far + 1e-12


def test_by_hand_overrules_the_model():
    made = Effort(space=-1).adjusted(wrist_bend=0.1, tension=0.25).parameters()
    assert (made.wrist_bend, made.tension) == (0.1, 0.25)
    assert made == replace(Effort(space=-1).parameters(), wrist_bend=0.1, tension=0.25)
    assert made.detour > 0.0


def test_a_character_overrides_coefficients_from_a_file(tmp_path):
    file = tmp_path / "puppet.toml"
    half = 0.5 * effort_model()["duration.log_sustained"]
    file.write_text(f'like = "default"\n[wrist_bend]\nlight = 0.9\n[duration]\nlog_sustained = {half}\n')
    assert Effort(weight=-1).parameters(file).wrist_bend == 0.9
    assert Effort(time=-1).parameters(str(file)).duration == pytest.approx(Effort(time=-0.5).parameters().duration)
    assert Effort(time=-1).parameters(str(file)).duration < Effort(time=-1).parameters().duration - 0.3
    file.write_text('like = "chi1999"\n[duration]\nbase = 2.0\n')
    assert Effort(time=-1).parameters(file).duration == 2.0
    file.write_text("[wrist_bend]\nlight = 0.9\n")
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
