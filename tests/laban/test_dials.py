"""Dials over time: phrases pass through what they say, and windows come and go softly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import Effort, Shape, perform
from kinesphere.laban.dials import Part, dial_curve, parameter_overrides

TIME = np.arange(241) / 60.0
factor = st.floats(-1.0, 1.0).map(lambda value: round(value, 6))
efforts = st.builds(Effort, factor, factor, factor, factor)


@given(efforts)
def test_one_value_holds_always(effort):
    assert np.array_equal(dial_curve(effort, TIME), [effort.factors])
    assert np.array_equal(dial_curve({1.0: effort}, TIME), [effort.factors])


@given(st.lists(efforts, min_size=2, max_size=5))
def test_a_phrase_passes_through_its_values_and_never_beyond_them(values):
    moments = np.linspace(0.5, 3.0, len(values))
    made = dial_curve(dict(zip(moments.tolist(), values, strict=True)), TIME)
    factors = np.array([value.factors for value in values])
    assert dial_curve(dict(zip(moments.tolist(), values, strict=True)), moments) == pytest.approx(factors, abs=1e-12)
    assert np.array_equal(made[TIME <= 0.5], np.tile(factors[0], ((TIME <= 0.5).sum(), 1)))
    assert made[TIME >= 3.0] == pytest.approx(np.tile(factors[-1], ((TIME >= 3.0).sum(), 1)), abs=1e-12)
    for i, (start, end) in enumerate(zip(moments[:-1], moments[1:], strict=True)):
        part = made[(start <= TIME) & (end >= TIME)]
        low, high = np.minimum(factors[i], factors[i + 1]), np.maximum(factors[i], factors[i + 1])
        assert ((part >= low - 1e-12) & (part <= high + 1e-12)).all()


def test_the_order_in_which_a_phrase_is_written_does_not_matter():
    one = {0.0: Shape(), 1.0: Shape(vertical=-1.0), 2.0: Shape(reach=1.0)}
    other = {2.0: Shape(reach=1.0), 0.0: Shape(), 1: Shape(vertical=-1.0)}
    assert np.array_equal(dial_curve(one, TIME), dial_curve(other, TIME))


def test_what_is_set_by_hand_holds_as_far_as_its_moments_say():
    assert parameter_overrides(Effort(space=1.0), TIME) == {}
    value, held = parameter_overrides(Effort().adjusted(wrist_bend=0.3), TIME)["wrist_bend"]
    assert (value.tolist(), held.tolist()) == ([0.3], [1.0])
    phrase = {0.0: Effort(), 1.0: Effort().adjusted(tension=0.2), 3.0: Effort().adjusted(tension=0.6, squash=0.1)}
    made = parameter_overrides(phrase, np.array([0.0, 0.5, 1.0, 2.0, 3.0, 9.0]))
    assert sorted(made) == ["squash", "tension"]
    assert made["tension"][0] == pytest.approx([0.2, 0.2, 0.2, 0.4, 0.6, 0.6])
    assert made["tension"][1][[0, 2, 3, 4, 5]] == pytest.approx([0.0, 1.0, 1.0, 1.0, 1.0])
    assert 0.0 < made["tension"][1][1] < 1.0
    assert made["squash"][0] == pytest.approx(0.1)
    assert made["squash"][1][[0, 2, 4]] == pytest.approx([0.0, 0.0, 1.0])


@pytest.mark.parametrize(
    ("dial", "kind", "error", "said"),
    [
        (0.5, "effort", TypeError, "effort is 0.5; an object"),
        (Shape(), "effort", TypeError, "effort is Shape.*shape=…; an Effort is expected"),
        (Effort(), "shape", TypeError, "shape is Effort.*effort=…; a Shape is expected"),
        ({0.5: Effort(), 1.0: Shape()}, "effort", TypeError, "Shape.* at 1 s.*shape=…; an Effort is expected"),
        ("angry", "shape", TypeError, "shape is \"angry\".*words='angry'; a Shape is expected"),
        ([], "shape", ValueError, "one moment at least"),
        ({"soon": Effort()}, "effort", TypeError, "no field is called 'soon'"),
        ({float("nan"): Effort()}, "effort", ValueError, "a finite number"),
        ({True: Effort()}, "effort", TypeError, "true; a number is expected"),
        ({-1.0: Effort()}, "effort", ValueError, "own time begins at 0"),
        ({0.5: Effort()}, "shape", TypeError, "shape is Effort.* at 0.5 s"),
    ],
)
def test_what_is_no_dial_is_refused(dial, kind, error, said):
    with pytest.raises(error, match=said):
        Part(**{kind: dial})


@pytest.mark.parametrize("model", ["default", "chi1999"])
@pytest.mark.parametrize(("dial", "name"), [(Shape(vertical=1.0), "shape=…"), ("angry", "words='angry'")])
def test_performing_says_by_which_name_a_dial_goes(dial, name, model):
    with pytest.raises(TypeError, match=f"effort is .*{name}; an Effort is expected"):
        perform("wave", dial, model=model)


def test_dials_are_accepted():
    assert Part(effort=Effort()).effort == Effort()
    assert Part(effort={}).effort == Effort()  # as documents write it
    assert Part(shape={0: Shape(), np.float64(1.5): Shape()}).shape == {0.0: Shape(), 1.5: Shape()}
