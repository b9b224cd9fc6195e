"""Seams between motions: nothing jumps, nothing halts, standing feet stand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from kinesphere import concatenate, perform
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin import motion
from kinesphere.builtin.characters import mo
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import BLEND, move_motion

UP = np.array([0.0, 1.0, 0.0])
PAIRS = [
    (("bow", "proudly"), ("point", "sad")),
    (("wave", "wildly"), ("clap", "shy")),
    (("punch", "angry"), ("bow", "gently")),
    (("clap", "sad"), ("punch", "proudly")),
    (("point", "heavily"), ("wave", "joyful")),
    (("wave", "timidly"), ("wave", "extroverted")),
]


@cache
def worded(name, word):
    return perform(name, words=word)


def steps(given):
    return np.linalg.norm(np.diff(given.positions_world(), axis=0), axis=-1).max(axis=1)


def jolts(given):
    """The largest change of any joint's step from frame to frame ``(T − 2,)``, in metres."""
    return np.linalg.norm(np.diff(given.positions_world(), 2, axis=0), axis=-1).max(axis=1)


def ankles(given):
    return given.positions_world()[:, [given.skeleton.index("leftFoot"), given.skeleton.index("rightFoot")]]


def around(first, second, seconds=0.6):
    """Frames around the seam."""
    return slice(len(first) - 4, len(first) + round(seconds * second.rate))


@pytest.mark.parametrize(("one", "other"), PAIRS)
@pytest.mark.parametrize("align", [None, True])
def test_worded_gestures_do_not_pop(one, other, align):
    a, b = worded(*one), worded(*other)
    both, near = concatenate(a, b, align=align), around(a, b)
    # What fades is seconds long: it adds no more than its own speed.
    gap = np.linalg.norm(a.positions_world()[-1] - b.positions_world()[0], axis=-1).max()
    own = max(steps(a)[-4:].max(), steps(b)[:40].max())
    assert steps(both)[near].max() < own + 2.0 * gap / (BLEND * a.rate) + 1e-3
    assert steps(both)[len(a) - 1] < 0.005
    assert jolts(both)[near].max() < max(jolts(a)[-4:].max(), jolts(b)[:40].max()) + 8.0 * gap / (BLEND * a.rate) ** 2
    assert len(both) == len(a) + len(b)
    assert np.array_equal(both.rotations[: len(a)], a.rotations)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_feet_that_stand_do_not_slide_or_sink(one, other):
    a, b = worded(*one), worded(*other)
    both = concatenate(a, b, align=True)
    path = ankles(both)[len(a) - 1 : len(a) + 31]
    own = np.linalg.norm(np.diff(ankles(b)[:31], axis=0), axis=-1).sum(axis=0)
    need = np.linalg.norm(path[0] - path[-1], axis=-1)
    assert (np.linalg.norm(np.diff(path, axis=0), axis=-1).sum(axis=0) < need + own + 0.002).all()
    assert path[..., 1].min() > min(ankles(a)[..., 1].min(), ankles(b)[..., 1].min()) - 0.001


@pytest.mark.parametrize("name", ["walk", "wave", "punch"])
@pytest.mark.parametrize("cut", [37, 80])
def test_a_motion_cut_in_two_is_itself(name, cut):
    given = motion(name)
    both = concatenate(given[:cut], given[cut:])
    assert np.linalg.norm(both.positions_world() - given.positions_world(), axis=-1).max() < 0.004


@pytest.mark.parametrize("degrees", [0.0, 90.0, 180.0, -130.0])
@pytest.mark.parametrize(("first", "second"), [("walk", "wave"), ("wave", "walk"), ("walk", "walk"), ("punch", "bow")])
def test_another_place_and_heading(first, second, degrees):
    a = motion(first)
    b = move_motion(motion(second), R.from_rotation_vector(np.radians(degrees) * UP), [3.0, 0.0, -2.0])
    both = concatenate(a, b)
    assert steps(both)[around(a, b)].max() < max(steps(a).max(), steps(b).max()) + 0.03
    kept = concatenate(a, b, align=False)
    assert np.allclose(kept.positions_world()[-1], b.positions_world()[-1])


def test_a_near_start_stays_where_it_is():
    a, b = motion("wave"), move_motion(motion("bow"), R.identity(), [0.2, 0.0, 0.1])
    assert np.allclose(concatenate(a, b).positions_world()[-1], b.positions_world()[-1])


def test_no_blend_is_a_plain_cut():
    a, b = worded("bow", "proudly"), worded("point", "sad")
    both = concatenate(a, b, blend=0.0)
    assert np.allclose(both.positions_world()[len(a) :], b.positions_world(), atol=1e-12)
    for wrong in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="seconds from 0 on"):
            concatenate(a, b, blend=wrong)


@pytest.mark.parametrize("rate", [30.0, 120.0])
def test_other_rates_and_bodies(rate):
    a, b = (retarget(worded(*one), mo()).resampled(rate) for one in PAIRS[0])
    both = concatenate(a, b)
    assert steps(both)[len(a) - 1] < 0.005 * 60.0 / rate
    assert np.allclose(both.positions_world()[-1], b.positions_world()[-1])


def test_breath_does_not_jump():
    a, b = motion("idle"), motion("wave")
    assert a.scales is not None
    both = concatenate(a[:100], b)
    assert np.abs(np.diff(both.scales, axis=0)).max() < np.abs(np.diff(a.scales, axis=0)).max() + 0.004
    assert np.array_equal(both.scales[-1], np.ones_like(both.scales[-1]))


def test_the_shortest():
    a = motion("wave")
    for first, second in ((a[:1], a[50:51]), (a[:2], a[50:52]), (a[:30], a[80:83])):
        assert np.isfinite(concatenate(first, second).rotations).all()
    marked = replace(a[:30], calibration_frames=(29,))
    both = concatenate(marked, a[60:])
    assert steps(both[30:]).max() < 0.1
