"""Frames of a recording between its own: smooth, except where a joint leaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Motion, perform
from kinesphere.engine.recorded_frames import find_leaps, path_leaps, sample_frames, show_other_moments
from kinesphere.maths import rotations
from kinesphere.maths.interpolation import resample_rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.skeleton import Skeleton
from recordings import record

RATE = 100.0
BONES = Skeleton(("root", "arm", "thumb"), (-1, 0, 1), np.array([[0.0, 1.0, 0.0], [0.2, 0.0, 0.0], [0.1, 0.0, 0.0]]))


def turning(angles: Floats, rate: float = RATE) -> Motion:
    """A motion whose joints turn about one axis by angles ``(T, J)`` in degrees."""
    vectors = np.radians(angles)[..., None] * np.array([0.6, 0.8, 0.0])
    translations = np.broadcast_to(BONES.offsets, (len(angles), 3, 3)).copy()
    return Motion(BONES, rate, rotations.from_rotation_vector(vectors), translations)


def angles_of(local: Floats, joint: int) -> Floats:
    """Degrees of a joint that ``turning`` has turned."""
    return np.degrees(rotations.to_rotation_vector(local[:, joint]) @ np.array([0.6, 0.8, 0.0]))


@pytest.fixture
def swung() -> Motion:
    """An arm that swings, and a thumb that is turned about by 150° in three single frames, twice in a row."""
    swing = 30.0 * np.sin(np.arange(60) / 6.0)
    thumb = 0.2 * swing
    thumb[[20, 40, 42]] += 150.0
    return turning(np.stack([np.zeros(60), swing, thumb], axis=1))


def test_the_nearer_frame_is_shown_where_a_joint_leaps(swung: Motion) -> None:
    assert find_leaps(swung.rotations, RATE).tolist() == [[frame, 2] for frame in (19, 20, 39, 40, 41, 42)]
    times = np.arange(10.0, 55.0, 0.1) / RATE
    shown = angles_of(sample_frames(swung, times)[0], 2)
    assert not ((shown > 10.0) & (shown < 140.0)).any()
    near = np.abs(times * RATE - 20.0) < 0.49
    assert (shown[near] > 140.0).all()
    late = swung.rotations[np.zeros(len(times), dtype=int)].copy()
    show_other_moments(swung, np.array([2]), times, late)
    np.testing.assert_allclose(angles_of(late, 2), shown, atol=1e-9)


def test_other_joints_are_sampled_as_ever(swung: Motion) -> None:
    times = np.arange(10.0, 55.0, 0.1) / RATE
    made = sample_frames(swung, times)[0]
    np.testing.assert_allclose(made[:, :2], resample_rotations(swung.rotations, times * RATE)[:, :2], atol=1e-12)


def test_motions_too_long_to_keep_their_cubics_are_sampled_alike(
    swung: Motion, monkeypatch: pytest.MonkeyPatch
) -> None:
    times, joints = np.arange(10.0, 55.0, 0.1) / RATE, np.array([0, 2])
    kept = [swung.rotations[np.zeros(len(times), dtype=int)].copy() for _ in range(2)]
    show_other_moments(swung, joints, times, kept[0])
    sampled, long = sample_frames(swung, times)[0], replace(swung)
    monkeypatch.setattr("kinesphere.engine.recorded_frames.CUBICS_KEPT", 0)
    show_other_moments(long, joints, times, kept[1])
    np.testing.assert_array_equal(*kept)
    np.testing.assert_array_equal(sample_frames(long, times)[0], sampled)


@pytest.mark.parametrize("rate", [10.0, 24.0, 120.0])
def test_quick_movements_do_not_leap(rate: float) -> None:
    time = np.arange(0.0, 3.0, 1.0 / rate)
    flick = 80.0 / (1.0 + np.exp(-(time - 1.503) / 0.012))  # 1700° a second
    swing = 80.0 * np.sin(2.0 * np.pi * 1.2 * time)
    motion = turning(np.stack([np.zeros(len(time)), swing, flick], axis=1), rate)
    assert not len(find_leaps(motion.rotations, rate))
    times = np.arange(0.0, 2.9, 0.007)
    made = sample_frames(motion, times)[0]
    np.testing.assert_allclose(made, resample_rotations(motion.rotations, times * rate), atol=1e-12)


def test_quaternions_of_the_other_sign_are_no_leap(swung: Motion) -> None:
    signs = np.where(np.arange(60) % 7 < 3, -1.0, 1.0)[:, None, None]
    flipped = replace(swung, rotations=swung.rotations * signs)
    np.testing.assert_array_equal(find_leaps(flipped.rotations, RATE), find_leaps(swung.rotations, RATE))


# Bodies that leap


def elsewhere(motion: Motion, first: int, last: int, by: tuple[float, float, float]) -> Motion:
    """The same motion, in some frames at another place."""
    translations = motion.translations.copy()
    (root,) = np.flatnonzero(motion.skeleton.parents < 0)
    translations[first:last, root] += by
    return replace(motion, translations=translations)


@pytest.mark.parametrize("rate", [24.0, 60.0, 119.88])
@pytest.mark.parametrize("back", [1, 10_000])
def test_a_body_that_leaps_is_at_one_place_or_the_other(rate: float, back: int) -> None:
    """Where two takes were joined, or a tracker was lost for a frame, nobody is between, or beyond."""
    walk, by = record("walk", rate=rate), np.array([2.0, 0.0, 1.0])
    frame = len(walk) // 2
    leaping = elsewhere(walk, frame, frame + back, (2.0, 0.0, 1.0))
    times = np.arange(0.0, walk.duration, 0.0013)
    away = sample_frames(leaping, times)[1] - sample_frames(walk, times)[1]
    root = int(np.flatnonzero(walk.skeleton.parents < 0)[0])
    share = away[:, root] @ by / (by @ by)
    assert np.minimum(np.abs(share), np.abs(share - 1.0)).max() < 0.02
    assert share.max() > 0.9


@pytest.mark.parametrize("word", ["afraid", "joyful"])
def test_a_walk_that_leaps_is_performed_as_one_that_does_not(word: str) -> None:
    walk = record("walk")
    leaping = elsewhere(walk, len(walk) // 2, len(walk), (2.0, 0.0, 1.0))
    made, plain = (perform(motion, words=word) for motion in (leaping, walk))
    assert len(made) == len(plain)
    for side in ("left", "right"):
        for part in ("LowerLeg", "Foot", "Hand"):
            joint = walk.skeleton.roles[side + part]
            hips = walk.skeleton.roles["hips"]
            one, other = (own.positions_world()[:, joint] - own.positions_world()[:, hips] for own in (made, plain))
            assert norms(one - other).max() < 0.1, (side, part)  # the stance that the leap cuts in two is two


@pytest.mark.parametrize("rate", [12.0, 24.0, 60.0, 120.0])
def test_jumps_and_sprints_are_no_leaps(rate: float) -> None:
    time = np.arange(0.0, 2.0, 1.0 / rate)
    flies = np.maximum(time - 1.0, 0.0)
    jump = np.stack([0.0 * time, np.maximum(5.0 * flies - 4.9 * flies**2, 0.0), 0.0 * time], axis=1)
    sprint = np.stack([12.0 * np.maximum(time - 1.0, 0.0) * (1.0 - np.exp(-2.0 * flies)), 0.0 * time, time], axis=1)
    for path in (jump, sprint):
        assert path_leaps(path, rate, 0.84) is None
