"""Motions: made whole, never changed, cut and moved without damage."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import motions, same_places
from kinesphere import Motion, Skeleton, concatenate
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import UP, heading_angles, lead_joint, move_motion, with_plain_rest
from rerig import add_static_root

PAIR = Skeleton(("hips", "spine"), np.array([-1, 0]), np.array([[0, 1.0, 0], [0, 0.5, 0]]))


def still(frames=5, **changes):
    return Motion(PAIR, 30.0, R.identity(frames, 2), **changes)


def test_arrays_are_copied_and_cannot_be_written():
    q = R.identity(3, 2)
    motion = Motion(PAIR, 30.0, q)
    q[:] = 7.0
    assert np.array_equal(motion.rotations, R.identity(3, 2))
    for array in (motion.rotations, motion.translations, motion.skeleton.offsets, motion.skeleton.parents):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        motion.rate = 60.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rate": 0.0}, "positive"),
        ({"rate": float("nan")}, "positive"),
        ({"rotations": np.zeros((2, 2, 4))}, "unit quaternions"),
        ({"rotations": np.full((2, 2, 4), np.nan)}, "finite"),
        ({"rotations": R.identity(2, 3)}, r"shape \(any, 2, 4\)"),
        ({"rotations": R.identity(0, 2)}, "at least one frame"),
        ({"translations": np.zeros((5, 1, 3))}, "translations"),
        ({"calibration_frames": (9,)}, "0 to 4"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_reason(changes, message):
    arguments = {"skeleton": PAIR, "rate": 30.0, "rotations": R.identity(5, 2)} | changes
    with pytest.raises(ValueError, match=message):
        Motion(**arguments)


def test_translations_default_to_the_rest_offsets_and_duration_counts_steps():
    motion = still(31)
    assert np.array_equal(motion.translations[7], PAIR.offsets)
    assert motion.duration == 1.0
    assert motion.times[-1] == 1.0


@given(motions(), st.integers(0, 11), st.integers(1, 12), st.integers(1, 3))
def test_slices_keep_poses_and_play_at_the_same_speed(motion, start, length, step):
    start = min(start, len(motion) - 1)
    part = motion[start : start + length : step]
    frames = np.arange(len(motion))[start : start + length : step]
    assert np.array_equal(part.rotations, motion.rotations[frames])
    assert np.allclose(part.times, motion.times[frames] - motion.times[frames[0]])


def test_slices_carry_their_calibration_frames():
    motion = still(9, calibration_frames=(0, 6))
    assert motion[1:].calibration_frames == (5,)
    assert motion[::3].calibration_frames == (0, 2)
    assert still(9, calibration_frames=(0,)).performed_frames.tolist() == list(range(1, 9))
    with pytest.raises(ValueError, match="leaves none"):
        motion[20:]
    with pytest.raises(TypeError, match="slice"):
        motion[3]  # type: ignore[index]


def test_between_takes_the_frames_in_a_stretch_of_time():
    assert len(still(31).between(0.5, 1.0)) == 16
    with pytest.raises(ValueError, match="runs from 0 to 1"):
        still(31).between(2.0, 3.0)


@given(motions(), st.floats(0.01, 100.0))
def test_scaling_scales_every_place(motion, factor):
    scaled = motion.scaled(factor)
    assert np.allclose(scaled.positions_world(), motion.positions_world() * factor, rtol=1e-9, atol=1e-9 * factor)
    assert np.allclose(scaled.skeleton.bone_lengths, motion.skeleton.bone_lengths * factor)


@given(motions(roots=2))
@settings(max_examples=40)
def test_in_place_takes_out_travel_and_nothing_else(motion):
    fixed, lead = motion.in_place(), lead_joint(motion)
    before, after = motion.positions_world(), fixed.positions_world()
    assert np.ptp(after[:, lead][:, [0, 2]], axis=0).max() < 1e-9
    assert np.allclose(after[..., 1], before[..., 1])
    assert np.allclose(after - after[:, [lead]], before - before[:, [lead]])


def test_in_place_with_heading_keeps_facing_one_way(rng):
    turning = R.from_rotation_vector(np.linspace(0.4, 9.0, 50)[:, None] * UP)
    q = R.identity(50, 2)
    q[:, 0] = turning
    walk = np.cumsum(rng.normal(size=(50, 1, 3)), axis=0) + PAIR.offsets
    motion = Motion(PAIR, 30.0, q, np.concatenate([walk[:, :1], np.tile(PAIR.offsets[1:], (50, 1, 1))], axis=1))
    fixed = motion.in_place(heading=True)
    assert np.ptp(heading_angles(fixed.rotations[:, 0])) < 1e-9
    assert heading_angles(fixed.rotations[:, 0])[0] == pytest.approx(0.4)
    assert np.ptp(fixed.translations[:, 0][:, [0, 2]], axis=0).max() < 1e-9


@given(motions(roots=2))
@settings(max_examples=40)
def test_a_plain_rest_changes_no_place_at_all(motion):
    plain = with_plain_rest(motion)
    assert plain.skeleton.rest_is_plain()
    assert same_places(plain, motion, 1e-9)
    assert np.abs(plain.tips_world() - motion.tips_world()).max() < 1e-9
    assert np.abs(plain.skeleton.rest_world()[1] - motion.skeleton.rest_world()[1]).max() < 1e-9


@given(motions(), st.floats(-3, 3))
@settings(max_examples=40)
def test_moving_the_roots_moves_the_whole_body(motion, angle):
    turn = R.from_rotation_vector(angle * UP)
    there = move_motion(motion, turn, [1.0, 0.0, -2.0])
    assert np.allclose(there.positions_world(), R.rotate(turn, motion.positions_world()) + np.array([1.0, 0.0, -2.0]))


def test_hips_under_a_still_root_are_what_travels(rng):
    walk = np.tile(PAIR.offsets, (40, 1, 1))
    walk[:, 0] += np.linspace(0, 2, 40)[:, None] * [1.0, 0.0, 0.5]
    motion = add_static_root(Motion(PAIR, 30.0, R.identity(40, 2), walk))
    assert np.ptp(motion.in_place().positions_world()[:, 1, [0, 2]], axis=0).max() < 1e-9
    both = concatenate(motion, motion, align=True, blend=0.0)
    step = both.positions_world()[40, 1] - both.positions_world()[39, 1]
    assert np.abs(step).max() < 1e-9


def test_concatenating_keeps_every_frame_and_shifts_the_marks():
    a, b = still(4, calibration_frames=(0,)), still(3, calibration_frames=(0,))
    both = concatenate(a, b)
    assert len(both) == 6, "the second one's inserted pose does not flash in the middle"
    assert both.calibration_frames == (0,)
    with pytest.raises(ValueError, match="other bone lengths"):
        concatenate(a, b.scaled(1.3))
    with pytest.raises(ValueError, match="resample"):
        concatenate(a, Motion(PAIR, 60.0, R.identity(2, 2)))
    other = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="retarget"):
        concatenate(a, Motion(other, 30.0, R.identity(2, 1)))


@given(motions(plain=True), st.floats(-3, 3))
@settings(max_examples=40)
def test_aligned_motions_go_on_where_the_first_ended(motion, angle):
    second = move_motion(motion, R.from_rotation_vector(angle * UP), [5.0, 0.0, 3.0])
    both = concatenate(motion, second, align=True, blend=0.0)
    end, start = both.translations[len(motion) - 1, 0], both.translations[len(motion), 0]
    assert np.allclose(end[[0, 2]], start[[0, 2]])
    assert np.allclose(both.translations[len(motion) :, 0, 1], second.translations[:, 0, 1])
    turned = heading_angles(both.rotations[[len(motion) - 1, len(motion)], 0])
    assert abs(np.sin(0.5 * (turned[1] - turned[0]))) < 1e-6


@given(motions())
@settings(max_examples=40)
def test_a_blended_seam_does_not_pop_and_leaves_the_first_part_alone(motion):
    second = move_motion(motion, R.from_rotation_vector([0.0, 2.0, 0.0]), [5.0, 0.0, 3.0])
    both = concatenate(motion, second, align=False, blend=0.3)
    seam = len(motion)
    assert np.array_equal(both.translations[:seam], motion.translations)
    # The step across the seam is the mean of those before and after it: no jump, and no halt.
    sides = [np.diff(one.translations[part], axis=0) for one, part in ((motion, slice(-2, None)), (second, slice(2)))]
    step = 0.5 * sum(side[0] for side in sides if len(side))
    assert np.allclose(both.translations[seam] - both.translations[seam - 1], step)
    turns = [
        R.angle_between(one.rotations[i], one.rotations[j])
        for one, i, j in ((motion, -2, -1), (second, 0, 1))
        if len(one) > 1
    ]
    turned = R.angle_between(both.rotations[seam], both.rotations[seam - 1])
    assert (turned <= 0.5 * sum(turns) + 1e-6).all()
    late = np.arange(len(second)) >= 0.3 * motion.rate
    assert np.allclose(both.translations[seam:][late], second.translations[late])


def test_skeletons_and_motions_travel_between_processes():
    again = pickle.loads(pickle.dumps(still(4)))
    assert again.skeleton.names == PAIR.names
    assert np.array_equal(again.rotations, R.identity(4, 2))


def test_skeletons_say_what_is_wrong():
    with pytest.raises(ValueError, match="a parent must come before its children"):
        Skeleton(("a", "b"), np.array([1, -1]), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="at least one joint"):
        Skeleton((), np.array([]), np.zeros((0, 3)))
    with pytest.raises(KeyError, match="there are: hips, spine"):
        PAIR.index("head")
    twins = Skeleton(("a", "a"), np.array([-1, 0]), np.zeros((2, 3)))
    with pytest.raises(KeyError, match="2 joints"):
        twins.index("a")
    with pytest.raises(ValueError, match="role 'hips'"):
        Skeleton(("a",), np.array([-1]), np.zeros((1, 3)), roles={"hips": 4})


def test_descendants_are_the_joints_below():
    tree = Skeleton(tuple("abcdef"), np.array([-1, 0, 1, 0, 2, 3]), np.zeros((6, 3)))
    assert tree.descendants(1) == [1, 2, 4]
    assert tree.descendants(0) == list(range(6))
    assert tree.descendants(5) == [5]
