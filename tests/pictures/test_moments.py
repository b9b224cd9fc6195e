"""Which moments a sheet shows: the telling ones, in order, none twice."""

from __future__ import annotations

import numpy as np
import pytest

import kinesphere
from kinesphere.builtin.library import motion
from kinesphere.maths.vectors import Floats
from kinesphere.pictures.performer import make_performer
from kinesphere.pictures.scene import candidate_frames, find_scene, pose_features_at, select_moments
from kinesphere.pictures.surface_sheets import common_times


def test_the_first_and_the_last_are_kept_and_times_increase() -> None:
    times = np.linspace(0.0, 9.0, 200)
    restless = np.random.default_rng(1).normal(size=(200, 6)).cumsum(axis=0)
    for count in (1, 2, 3, 12, 60, 199, 200, 500):
        found = select_moments(restless, times, count)
        assert len(found) == min(count, 200)
        assert found[0] == 0
        assert count == 1 or found[-1] == 199
        assert (np.diff(found) > 0).all()
        assert np.array_equal(found, select_moments(restless, times, count))


def test_nothing_moves_nothing_is_uneven() -> None:
    found = select_moments(np.zeros((121, 9)), np.arange(121) / 60.0, 13)
    assert found.tolist() == list(range(0, 121, 10))


def test_a_short_stroke_in_a_long_rest_is_shown_at_its_end() -> None:
    """A hand goes out and back within a tenth of the time: even steps would miss it, or meet it half-way."""
    times = np.arange(601) / 60.0
    for middle in (2.2, 4.9, 7.03):
        out = np.exp(-0.5 * ((times - middle) / 0.12) ** 2)
        found = select_moments(np.stack([out, np.zeros(601)], axis=1), times, 8)
        assert out[found].max() > 0.97


@pytest.mark.parametrize("period", [0.5, 1.0, 2.0, 0.909])
def test_what_repeats_is_met_in_different_phases(period: float) -> None:
    """Also where an even step is just one period."""
    times = np.linspace(0.0, 11.0, 600)
    angle = 2.0 * np.pi * times / period
    found = select_moments(np.stack([np.cos(angle), np.sin(angle)], axis=1), times, 12)
    phases = np.sort(times[found[:-1]] / period % 1.0)
    assert np.diff([*phases, phases[0] + 1.0]).min() > 0.04
    assert np.diff([*phases, phases[0] + 1.0]).max() < 0.2


def shown(name: str, count: int = 12) -> tuple[kinesphere.Motion, Floats]:
    made = motion(name)
    return made, find_scene(made, count).panel_frames


def test_a_walk_is_seen_in_all_its_phases() -> None:
    made, frames = shown("walk")
    period = made.duration / 4.0
    phases = np.sort(frames[:-1] / made.rate / period % 1.0)
    assert np.diff([*phases, phases[0] + 1.0]).min() > 0.04
    assert np.diff([*phases, phases[0] + 1.0]).max() < 0.16


def test_a_punch_is_seen_with_its_arm_out() -> None:
    for count in (8, 10, 12):
        made, frames = shown("punch", count)
        place = made.positions_world()
        reach = (place[:, made.skeleton.index("rightHand")] - place[:, made.skeleton.index("hips")])[:, 2]
        assert reach[frames].max() > 0.97 * reach.max()


@pytest.mark.parametrize("name", ["wave", "drink", "idle", "bow"])
def test_no_part_of_a_motion_is_left_out(name: str) -> None:
    made, frames = shown(name)
    even = made.duration / 11.0
    assert np.diff(frames / made.rate).max() < 2.51 * even
    assert np.diff(frames / made.rate).min() > 0.3 * even


def test_sheets_of_several_share_times_that_tell_of_all() -> None:
    performers = [make_performer(motion(name)) for name in ("idle", "punch")]
    times = common_times(performers, 10)
    assert (times[0], len(times)) == (0.0, 10)
    assert times[-1] == pytest.approx(motion("idle").duration)
    made = motion("punch")
    frames = np.round(times[times <= made.duration] * made.rate).astype(int)
    hand = made.positions_world()[:, made.skeleton.index("rightHand"), 2]
    assert hand[frames].max() > 0.9 * hand.max()


@pytest.mark.data
def test_long_captures_are_seen_from_end_to_end(data_dir) -> None:
    made = kinesphere.load(data_dir / "bvh/cmu/13_26.bvh")
    scene = find_scene(made, 12)
    assert scene.panel_frames[0] == made.performed_frames[0]
    assert scene.panel_frames[-1] == len(made) - 1
    assert np.diff(scene.panel_frames).max() < 2.51 * len(made) / 11
    frames = candidate_frames(made)
    poses = pose_features_at(made, scene.figure, frames, scene.travels)
    even = frames[np.linspace(0, len(frames) - 1, 12).astype(int)]

    def alike(some: np.ndarray) -> float:
        rows = poses[np.searchsorted(frames, some)]
        apart = np.linalg.norm(rows[:, None] - rows, axis=-1) + 10.0 * np.eye(len(rows))
        return float(np.sort(apart.min(axis=1))[:6].mean())

    nearest = frames[np.clip(np.searchsorted(frames, scene.panel_frames), 0, len(frames) - 1)]
    assert alike(nearest) > 1.1 * alike(even)  # the likest half differs more
