"""The integrator: precedence of sketch, action and edit, of composites and single properties, and what covers what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.motion.aspects import Combine, aspect, aspect_names
from kinesphere.motion.claim import SOURCES, Claim, integrate, roles_of

values = st.floats(-0.5, 0.5)
ranks = st.tuples(st.sampled_from(SOURCES), st.sampled_from(["", "languid"]))


def lean(value, **more) -> Claim:
    return Claim("torso.forward", value, **{"by": "lean"} | more)


def test_an_edit_covers_an_action_and_that_a_sketch_whatever_their_order():
    claims = [lean(0.1, source="sketch"), lean(0.2, source="action"), lean(0.3, source="edit")]
    for order in (claims, claims[::-1], [claims[1], claims[2], claims[0]]):
        assert integrate(order).value("torso.forward") == 0.3
        assert integrate([own for own in order if own.source != "edit"]).value("torso.forward") == 0.2


def test_a_direct_property_covers_a_composite_of_the_same_source_only():
    direct, composite = lean(0.1, source="sketch"), lean(0.4, source="sketch", composite="languid")
    assert float(integrate([direct, composite]).value("torso.forward")) == pytest.approx(0.1)
    later = lean(0.4, source="action", composite="languid")
    assert integrate([direct, later]).value("torso.forward") == 0.4


def test_of_equal_rank_the_later_covers_the_earlier():
    assert integrate([lean(0.1), lean(0.2)]).value("torso.forward") == 0.2
    assert integrate([lean(0.2), lean(0.1)]).value("torso.forward") == 0.1


@given(st.lists(st.tuples(values, ranks), min_size=1, max_size=6))
def test_the_value_is_that_of_the_highest_rank(rows):
    claims = [lean(value, source=source, composite=composite) for value, (source, composite) in rows]
    best = max(range(len(claims)), key=lambda i: (claims[i].rank, i))
    assert float(integrate(claims).value("torso.forward")) == pytest.approx(rows[best][0], abs=1e-12)


@given(values, values)
def test_different_properties_add_up_or_multiply(one, other):
    both = integrate([lean(one), lean(other, by="posture")])
    assert float(both.value("torso.forward")) == pytest.approx(one + other, abs=1e-12)
    factors = [Claim("amplitude", 1.0 + value, "right_arm", by=by) for value, by in ((one, "a"), (other, "b"))]
    product = float(integrate(factors).value("amplitude", "rightLowerArm"))
    assert product == pytest.approx((1.0 + one) * (1.0 + other), abs=1e-12)
    assert float(integrate(factors).value("amplitude", "leftLowerArm")) == 1.0


def test_a_window_gives_over_smoothly_from_what_is_below():
    weight = np.linspace(0.0, 1.0, 61)
    value = integrate([lean(0.2, source="sketch"), lean(-0.4, weight=weight)]).value("torso.forward")
    assert value == pytest.approx(0.2 - 0.6 * weight, abs=1e-12)


def test_what_overrides_is_one_whoever_asks():
    calm, quick = Claim("tremble_rate", 4.0, by="a"), Claim("tremble_rate", 9.0, by="b", source="sketch")
    assert float(integrate([calm, quick]).value("tremble_rate", "head")) == 4.0


def test_parts_are_groups_and_roles():
    assert roles_of("left_arm") < roles_of("arms") < roles_of("body")
    with pytest.raises(ValueError, match="left_arm"):
        roles_of("left_armm")


def test_contributions_say_who_lost_to_whom_and_how_much_is_left():
    claims = [lean(0.2, source="sketch", origin="old man"), lean(0.5, source="edit", weight=0.75)]
    low, high = integrate(claims).contributions("torso.forward", None, float)
    assert (low.value, low.share, low.covered_by) == (0.2, 0.25, claims[1])
    assert (high.value, high.share, high.covered_by) == (0.5, 0.75, None)
    assert low.share * low.value + high.share * high.value == pytest.approx(
        float(integrate(claims).value("torso.forward"))
    )


@pytest.mark.parametrize("value", [np.nan, np.inf, 4.0])
def test_what_is_out_of_range_is_refused_with_the_property(value):
    with pytest.raises(ValueError, match=r"lean: torso\.forward"):
        lean(value)


def test_unknown_aspects_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match=r"torso\.forward"):
        Claim("torso.forwad", 0.1)


@pytest.mark.parametrize("name", aspect_names())
def test_nobody_asks_for_anything_is_neutral(name):
    own = aspect(name)
    assert own.about
    if own.values:
        assert own.least <= own.neutral <= own.most
        assert float(integrate([]).value(name, "head")) == own.neutral
    if own.combine == Combine.MULTIPLY:
        assert own.neutral == 1.0
