"""Shape's compiled kernels do what their plain twins do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import seeds
from kinesphere.laban.arm_shape import rotate_keys, rotate_keys_reference
from kinesphere.laban.clearance import (
    BodyCapsules,
    MovableKeys,
    flourish_scale,
    key_weights,
    penetration,
    penetration_reference,
    resolve_collisions,
    resolve_collisions_reference,
    sample_paths,
)
from kinesphere.laban.posture import view_body, view_body_reference
from kinesphere.maths import compiled

COUNT = 40
few = settings(max_examples=30, deadline=None)


@pytest.fixture(autouse=True)
def _compiled():
    assert compiled.warm_up() is not None


def near(made, wanted, most=1e-10):
    assert made.shape == wanted.shape
    assert np.abs(made - wanted).max(initial=0.0) < most


def bodies(rng):
    bends = rng.uniform(-0.5, 0.5, (COUNT, 7)) * np.array([1.0, 1.0, 0.1, 0.1, 1.0, 1.0, 1.0])
    return bends, rng.uniform(-0.1, 0.1, (COUNT, 2, 3))


def hands(rng):
    """Keys of two arms, many of them in the body, and what is around them."""
    places = np.column_stack(
        [rng.uniform(-0.2, 0.2, COUNT), rng.uniform(-0.5, 0.2, COUNT), rng.uniform(0.0, 0.35, COUNT)]
    )
    stops, fixed, hanging = rng.uniform(size=(3, COUNT)) < np.array([[0.6], [0.1], [0.2]])
    arms = slice(0, 25), slice(25, COUNT)
    for own in arms:
        stops[[own.start, own.stop - 1]] = True
    ways = sample_paths(places, stops, fixed, rng.uniform(-1.0, 1.0, COUNT), arms)
    course = ways.at(rng.uniform(-1.0, 1.0, COUNT))
    lines, sags = view_body_reference(*bodies(rng))
    between = view_body_reference(*bodies(rng)).lines
    around = BodyCapsules(lines, between, hanging[:, None] * sags, rng.uniform(0.0, 0.05, COUNT))
    owners = np.arange(COUNT)
    owners[24] = 0
    keys = MovableKeys(places, ~fixed, owners, key_weights(course, hanging))
    return places, around, course, keys


@given(seeds)
@few
def test_bodies(seed):
    bends, feet = bodies(np.random.default_rng(seed))
    for made, wanted in zip(view_body(bends, feet), view_body_reference(bends, feet), strict=True):
        near(made, wanted)


@given(seeds)
@few
def test_turned_keys(seed):
    rng = np.random.default_rng(seed)
    places, factors = rng.uniform(-0.5, 0.5, (COUNT, 3)), rng.uniform(-1.0, 1.0, (COUNT, 4))
    factors[rng.uniform(size=factors.shape) < 0.3] = 0.0
    near(rotate_keys(places, factors), rotate_keys_reference(places, factors))


@given(seeds)
@few
def test_hands_in_the_body(seed):
    places, around, course, keys = hands(np.random.default_rng(seed))
    near(penetration(places, around, course), penetration_reference(places, around, course))
    allowed = np.random.default_rng(seed).uniform(0.0, 0.05, len(course.rows))
    wanted = resolve_collisions_reference(places, around, course, keys, allowed)
    near(resolve_collisions(places, around, course, keys, allowed), wanted, 1e-8)


@given(seeds)
@few
def test_room(seed):
    places, around, *_ = hands(np.random.default_rng(seed))
    made = flourish_scale(places, around)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINESPHERE_COMPILED", "0")
        near(made, flourish_scale(places, around))
