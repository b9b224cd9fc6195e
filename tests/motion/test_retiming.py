"""Other rates and other clocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import motions
from kinesphere import Motion, TimeMap, load, retime
from kinesphere.maths import rotations as R


@given(motions(), st.booleans())
@settings(max_examples=40)
def test_twice_the_rate_keeps_every_frame(motion, smooth):
    finer = motion.resampled(motion.rate * 2, smooth=smooth)
    assert len(finer) == 2 * len(motion) - 1
    assert np.abs(finer.translations[::2] - motion.translations).max() < 1e-9
    assert R.angle_between(finer.rotations[::2], motion.rotations).max() < 1e-6
    assert finer.duration == pytest.approx(motion.duration)


@given(motions(), st.floats(5.0, 240.0))
@settings(max_examples=40)
def test_duration_is_kept_to_half_a_frame(motion, rate):
    other = motion.resampled(rate)
    assert other.rate == rate
    assert abs(other.duration - motion.duration) <= 0.5 / rate + 1e-5


def test_a_t_pose_does_not_bleed_into_the_performance():
    from figures import t_pose_then_still

    motion = t_pose_then_still()
    finer = motion.resampled(240.0)
    assert finer.calibration_frames == (0,)
    assert np.abs(finer.rotations[1:] - finer.rotations[-1]).max() < 1e-12
    coarser = motion.resampled(30.0)
    assert coarser.calibration_frames == (0,)
    assert np.abs(coarser.rotations[1:] - coarser.rotations[-1]).max() < 1e-12


@given(motions())
@settings(max_examples=30)
def test_an_identity_clock_changes_nothing(motion):
    again = retime(motion, TimeMap.identity())
    assert len(again) == len(motion)
    assert np.abs(again.translations - motion.translations).max() < 1e-9
    assert R.angle_between(again.rotations, motion.rotations).max() < 1e-6


def test_half_speed_takes_twice_as_long_and_back_again():
    q = R.from_rotation_vector(np.sin(np.linspace(0, 6, 91))[:, None, None] * [0.3, 1.0, 0.2])
    from figures import ONE

    motion = Motion(ONE, 30.0, q)
    slow = retime(motion, TimeMap.uniform(0.5))
    assert slow.duration == pytest.approx(2 * motion.duration)
    back = retime(slow, TimeMap.uniform(2.0))
    assert R.angle_between(back.rotations, motion.rotations).max() < 1e-3


@pytest.mark.data
def test_a_real_walk_at_30_fps_is_the_same_walk(data_dir):
    walk = load(data_dir / "bvh/cmu/07_01.bvh")
    coarse = walk.resampled(walk.rate / 4)
    assert np.array_equal(coarse.rotations[1:5], walk.rotations[4:20:4])
    back = coarse.resampled(walk.rate)
    count = min(len(back), len(walk))
    error = np.linalg.norm(back.positions_world()[8:count] - walk.positions_world()[8:count], axis=-1)
    assert np.percentile(error, 99) < 0.01  # the capture has single-frame twitches that 30 fps cannot hold
    assert np.median(error) < 0.001
