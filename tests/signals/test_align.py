"""Which moment of one motion corresponds to which of another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import TimeMap, signals
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin import motion
from kinesphere.builtin.characters import mo
from kinesphere.motion.timemap import retime
from kinesphere.signals.alignment import QUICKEST, _limit_slope, align
from signals.clips import short, with_calibration


def bent(given, by=0.25):
    """The motion along a clock that first lags and then catches up, and that clock."""
    clock = TimeMap([0.0, 0.4 * given.duration, given.duration], [0.0, (0.4 + by) * given.duration, given.duration])
    return retime(given, clock), clock


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_paths_are_monotone_and_complete(cost):
    a, b = motion("wave"), motion("point")
    found = align(a, b, cost)
    assert found.path.dtype.kind == "i"
    assert found.path[0].tolist() == [0, 0]
    assert found.path[-1].tolist() == [len(a) - 1, len(b) - 1]
    assert set(map(tuple, np.diff(found.path, axis=0).tolist())) <= {(1, 1), (1, 0), (0, 1)}
    assert isinstance(found, TimeMap)
    assert found.cost > 0.0
    assert float(found(a.duration)) == pytest.approx(b.duration, abs=1e-9)


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_a_motion_corresponds_to_itself(cost):
    a = motion("wave")
    found = align(a, a, cost)
    assert found.cost == pytest.approx(0.0, abs=1e-9)
    assert np.abs(found(a.times) - a.times).max() < 1e-9


@pytest.mark.parametrize("cost", ["shape", "pose"])
@pytest.mark.parametrize("name", ["wave", "walk", "punch"])
def test_another_clock_is_found(name, cost):
    a = motion(name)
    b, clock = bent(a, 0.12)
    moving = (a.times > 0.15 * a.duration) & (a.times < 0.85 * a.duration)
    off = align(a, b, cost)(a.times) - clock(a.times)
    assert np.sqrt(np.mean(off[moving] ** 2)) < 0.08
    straight = a.times - clock(a.times)
    assert np.abs(off[moving]).mean() < 0.35 * np.abs(straight[moving]).mean()


@pytest.mark.parametrize("cost", ["shape", "pose"])
def test_both_ways_are_each_others_inverse(cost):
    a, (b, _) = motion("wave"), bent(motion("wave"))
    there, back = align(a, b, cost), align(b, a, cost)
    assert there.cost == pytest.approx(back.cost, rel=1e-6)
    assert np.abs(back(there(a.times)) - a.times).max() < 0.15


@pytest.mark.parametrize("search", ["banded", "coarse"])
def test_quick_searches_cost_little_more(search):
    a, (b, _) = motion("walk"), bent(motion("walk"), 0.05)
    full, quick = align(a, b, "pose", search="full"), align(a, b, "pose", search=search, radius=0.6)
    assert full.cost <= quick.cost + 1e-9
    assert quick.cost <= 1.1 * full.cost + 1e-6


def test_narrow_bands_stay_near_the_straight_way():
    a, (b, _) = motion("wave"), bent(motion("wave"), 0.3)
    path = align(a, b, "pose", search="banded", radius=0.1).path
    ahead = path[:, 1] - path[:, 0] * (len(b) - 1) / (len(a) - 1)
    assert np.abs(ahead).max() <= 2 * 0.1 * a.rate + 1.5  # so many frames of each
    free = align(a, b, "pose").path
    assert np.abs(free[:, 1] - free[:, 0] * (len(b) - 1) / (len(a) - 1)).max() > 0.4 * a.rate


def test_other_rates_and_bodies_and_calibration_frames():
    a = motion("wave")
    b, clock = bent(a, 0.12)
    slow = b.resampled(30.0)
    onto = retarget(b, mo())
    for other in (slow, onto, with_calibration(b)):
        found = align(a, other, "pose")
        assert found.path[-1, 1] == len(other) - 1
        skipped = len(other.calibration_frames) / other.rate
        off = found(a.times) - skipped - clock(a.times)
        assert np.abs(off[(a.times > 0.6) & (a.times < 2.8)]).mean() < 0.1


def test_paces_stay_within_bounds():
    a, b = motion("wave"), motion("bow")
    slopes = align(a, b, "shape").slope(a.times) * a.duration / b.duration
    assert slopes.max() < 1.6 * QUICKEST
    assert slopes.min() > 1.0 / (1.6 * QUICKEST)


@given(st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=40), st.floats(0.1, 0.9))
def test_gentle_courses_are_as_gentle_as_asked(values, slope):
    at = np.linspace(0.0, 2.0, len(values))
    values[0] = values[-1] = 0.0
    made = _limit_slope(np.array(values), at, slope)
    assert np.abs(np.diff(made)).max() <= slope * (at[1] - at[0]) + 1e-9
    assert made[0] == made[-1] == 0.0
    mild = 0.5 * slope * np.minimum(at, 2.0 - at) * np.sin(3.0 * at)
    if np.abs(np.diff(mild)).max() <= slope * (at[1] - at[0]):
        assert _limit_slope(mild, at, slope) == pytest.approx(mild, abs=1e-12)


def test_what_cannot_be_aligned_is_refused_with_the_reason():
    a = motion("wave")
    with pytest.raises(ValueError, match="'shape' or 'pose'"):
        align(a, a, "poses")
    with pytest.raises(ValueError, match="one of auto, full"):
        align(a, a, search="quick")
    with pytest.raises(ValueError, match="above zero"):
        align(a, a, radius=-1.0)
    with pytest.raises(ValueError, match="two at least"):
        align(a, short(1))
    other = replace(
        a,
        skeleton=type(a.skeleton)(("a", "b"), np.array([-1, 0]), np.zeros((2, 3))),
        rotations=a.rotations[:, :2],
        translations=a.translations[:, :2],
        scales=None,
    )
    with pytest.raises(ValueError, match=r"another body than .* cannot be retargeted"):
        align(a, other)


def test_the_shortest():
    for frames in (2, 3, 4):
        found = signals.align(short(frames), motion("wave"))
        assert found.path[-1, 0] == frames - 1
