"""Missing frames: found, and filled."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, RotationSpline

import kinesphere
from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.signals.gaps import GapWarning, complete_pose, fill_gaps, find_gaps
from kinesphere.signals.smooth import Smooth
from signals.clips import with_calibration

ARM = "rightLowerArm"


def with_frames(given, name, frames, turns):
    """The motion with other rotations of a joint in some frames."""
    q = given.rotations.copy()
    q[frames, given.skeleton.index(name)] = turns
    return replace(given, rotations=q)


def jumping(given, first, last, degrees=60.0, name=ARM):
    away = rotations.from_rotation_vector(np.radians(degrees) * np.array([0.6, 0.0, 0.8]))
    frames = slice(first, last + 1)
    joint = given.skeleton.index(name)
    return with_frames(given, name, frames, rotations.multiply(given.rotations[frames, joint], away))


def frozen_at(given, first, last, name=ARM):
    """The joint stays where it was in the frame before."""
    return with_frames(given, name, slice(first, last + 1), given.rotations[first - 1, given.skeleton.index(name)])


def farthest(one, other, name=ARM):
    joint = one.skeleton.index(name)
    return np.degrees(rotations.angle_between(one.rotations[:, joint], other.rotations[:, joint]).max())


@settings(max_examples=30)
@given(st.integers(8, 180), st.integers(0, 4), st.floats(40.0, 170.0))
def test_a_joint_that_jumps_away_is_found_and_put_back(first, more, degrees):
    clean = motion("wave")
    broken = jumping(clean, first, first + more, degrees)
    (gap,) = find_gaps(broken)
    assert (gap.name, gap.first, gap.last, gap.why) == (ARM, first, first + more, "jumps")
    with pytest.warns(GapWarning, match=f"{ARM} jumps in frame"):
        made = Smooth(gaps="find")(broken)
    assert farthest(made, clean) < 12.0
    assert farthest(made, clean) < 0.3 * farthest(broken, clean)


@pytest.mark.parametrize("frames", [4, 7, 12])
def test_a_joint_that_freezes_is_found(frames):
    clean = motion("wave")
    first = 70  # on its way from one side to the other
    broken = frozen_at(clean, first, first + frames - 1)
    (gap,) = find_gaps(broken)
    assert (gap.name, gap.first, gap.last, gap.why) == (ARM, first, first + frames - 1, "freezes")
    assert str(gap) == f"{ARM} freezes in frames {first} to {first + frames - 1}"
    with pytest.warns(GapWarning, match="freezes"):
        made = Smooth(gaps="find")(broken)
    assert farthest(made, clean) < 0.6 * farthest(broken, clean)


@pytest.mark.parametrize("name", ["walk", "wave", "punch", "idle", "clap", "knock", "point", "bow"])
@pytest.mark.parametrize("rate", [30.0, 60.0, 120.0])
def test_strikes_holds_and_rests_are_no_gaps(name, rate):
    assert find_gaps(motion(name).resampled(rate)) == ()


@pytest.mark.data
@pytest.mark.parametrize("clip", ["02_05", "137_29", "05_02", "13_10", "141_11", "141_14", "91_11", "91_17", "91_48"])
def test_whole_captures_have_no_gaps(data_dir, clip):
    """Some thumbs flip about themselves for a frame, and a foot flips to and fro: nothing is missing."""
    assert find_gaps(kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh")) == ()


@pytest.mark.data
@pytest.mark.parametrize("clip", ["02_05", "05_02", "91_17"])
@pytest.mark.parametrize(("first", "last"), [(100, 100), (100, 103), (200, 206)])
def test_gaps_are_found_in_captures(data_dir, clip, first, last):
    broken = jumping(kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh"), first, last, 80.0, "RightForeArm")
    assert [(gap.name, gap.first, gap.last) for gap in find_gaps(broken)] == [("RightForeArm", first, last)]


def test_a_bone_that_flips_about_itself_is_no_gap():
    """Also where the next joint takes it back: no joint is elsewhere."""
    clean = motion("wave")
    arm, hand = (clean.skeleton.index(name) for name in (ARM, "rightHand"))
    bone = clean.skeleton.offsets[hand]
    flip = rotations.from_rotation_vector(np.radians(150.0) * bone / np.linalg.norm(bone))
    q = clean.rotations.copy()
    q[80, arm] = rotations.multiply(q[80, arm], flip)
    assert find_gaps(replace(clean, rotations=q)) == ()
    q[80, hand] = rotations.multiply(rotations.conjugate(flip), q[80, hand])
    assert find_gaps(replace(clean, rotations=q)) == ()


def test_a_joint_that_as_often_jumps_and_stays_is_whole():
    clean = motion("wave")
    joint, q = clean.skeleton.index(ARM), clean.rotations.copy()
    away = rotations.from_rotation_vector(np.radians(90.0) * np.array([0.6, 0.0, 0.8]))
    for first, last in ((30, 60), (90, 93), (120, 150)):
        q[first : last + 1, joint] = rotations.multiply(q[first : last + 1, joint], away)
    assert find_gaps(replace(clean, rotations=q)) == ()


def test_held_poses_are_no_gaps():
    """A keyed clip: it holds, goes on at another pace, and holds again."""
    clean = motion("wave")
    held = np.concatenate(
        [np.arange(40), np.full(15, 40), np.arange(41, 120, 3), np.full(20, 119), np.arange(120, 200)]
    )
    given = replace(clean, rotations=clean.rotations[held], translations=clean.translations[held], scales=None)
    assert find_gaps(given) == ()


def test_noise_is_no_gap():
    rng = np.random.default_rng(3)
    for degrees in (0.5, 3.0):
        given = motion("walk")
        noise = rotations.from_rotation_vector(np.radians(degrees) * rng.normal(size=(*given.rotations.shape[:2], 3)))
        assert find_gaps(replace(given, rotations=rotations.multiply(given.rotations, noise))) == ()


@pytest.mark.parametrize("name", ["walk", "wave", "punch"])
@pytest.mark.parametrize("frames", [1, 3, 6])
def test_given_gaps_are_filled_near_the_truth(name, frames):
    """Frames are overwritten with nonsense; what was there comes back, nearly."""
    clean = motion(name)
    q = clean.rotations.copy()
    gaps = [(first, first + frames - 1) for first in range(20, len(clean) - 20, 25)]
    for first, last in gaps:
        q[first : last + 1] = rotations.identity()
    made = Smooth(gaps=gaps)(replace(clean, rotations=q))
    for joint in range(len(clean.skeleton)):
        angles = rotations.angle_between(made.rotations[:, joint], clean.rotations[:, joint])
        moved = rotations.angle_between(clean.rotations[1:, joint], clean.rotations[:-1, joint]).max()
        assert angles.max() < 0.2 * moved * frames + 1e-6
    kept = np.ones(len(clean), dtype=bool)
    for first, last in gaps:
        kept[first : last + 1] = False
    np.testing.assert_array_equal(made.rotations[kept] ** 2, clean.rotations[kept] ** 2)


@given(st.integers(12, 150), st.integers(1, 30))
@settings(max_examples=30)
def test_velocities_are_kept_at_both_sides(first, count):
    """The step into the gap and out of it is what the steps beside it let expect."""
    clean = motion("wave")
    missing = np.zeros((len(clean), len(clean.skeleton)), dtype=bool)
    joint = clean.skeleton.index(ARM)
    missing[first : first + count, joint] = True
    made = fill_gaps(clean, missing).rotations[:, joint]
    steps = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(made[:-1]), made[1:]))
    bends = np.linalg.norm(np.diff(steps, axis=0), axis=-1)
    edges = [first - 2, first + count - 1]
    around = np.concatenate([bends[first - 6 : first - 2], bends[first + count : first + count + 4]])
    inside = bends[first - 1 : first + count - 1]
    assert bends[edges].max() < 3.0 * max(around.max(), inside.max()) + np.radians(0.1)


def filled_errors(clean, first, count, joints):
    """Errors ``(count, joints)`` in degrees of ours, slerp and a cubic rotation spline."""
    missing = np.zeros(clean.rotations.shape[:2], dtype=bool)
    missing[first : first + count, joints] = True
    rows, known = slice(first, first + count), np.r_[first - 10 : first, first + count : first + count + 10]
    broken = clean.rotations.copy()
    broken[rows, joints] = rotations.identity()
    share = (np.arange(1, count + 1) / (count + 1))[:, None]
    spline = np.stack(
        [
            RotationSpline(known, Rotation.from_quat(clean.rotations[known, joint], scalar_first=True))(
                np.arange(first, first + count)
            ).as_quat(scalar_first=True)
            for joint in joints
        ],
        axis=1,
    )
    made = (
        fill_gaps(replace(clean, rotations=broken), missing).rotations[rows, joints],
        rotations.slerp(clean.rotations[first - 1, joints], clean.rotations[first + count, joints], share),
        spline,
    )
    return [np.degrees(rotations.angle_between(one, clean.rotations[rows, joints])) for one in made]


@pytest.mark.data
@pytest.mark.parametrize("every", [1, 4])
@pytest.mark.parametrize("count", [1, 3, 5, 10, 20, 30])
def test_bridges_are_nearer_to_the_truth_than_slerp_and_splines(data_dir, every, count):
    """At 120 and at 30 frames a second; and bridges don't fly off where slerp does not."""
    errors = []
    for clip in ("02_05", "137_29", "13_09", "05_11", "79_88", "141_20"):
        clean = kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh")[1:][::every]
        moved = rotations.angle_between(clean.rotations[1:], clean.rotations[:-1]).max(axis=0)
        joints = np.flatnonzero(moved > 1e-3)
        for first in np.linspace(12, len(clean) - count - 12, 4).astype(int):
            errors.append(filled_errors(clean, first, count, joints))
    ours, slerp, spline = (np.concatenate([error[k] for error in errors], axis=1) for k in range(3))
    assert ours.mean() < slerp.mean()
    assert ours.mean() < 1.05 * spline.mean()
    assert np.quantile(ours.mean(axis=0), 0.95) < 1.02 * np.quantile(slerp.mean(axis=0), 0.95)
    assert (ours.max(axis=0) - slerp.max(axis=0)).max() < 35.0


def test_a_bridge_does_not_fly_off_where_its_edges_are_noisy():
    """Steps of 20° to and fro at the edges of a gap of a joint that otherwise rests."""
    clean = motion("wave")
    joint, q = clean.skeleton.index(ARM), np.repeat(motion("wave").rotations[60:61], 205, axis=0)
    rng = np.random.default_rng(0)
    for frame in (96, 97, 98, 99, 120, 121, 122):
        q[frame, joint] = rotations.multiply(q[frame, joint], rotations.from_rotation_vector(0.35 * rng.normal(size=3)))
    given = replace(clean, rotations=q)
    missing = np.zeros(q.shape[:2], dtype=bool)
    missing[100:120, joint] = True
    made = fill_gaps(given, missing).rotations[:, joint]
    line = rotations.slerp(q[99, joint], q[120, joint], (np.arange(1, 21) / 21.0))
    assert np.degrees(rotations.angle_between(made[100:120], line)).max() < 35.0


def test_a_long_gap_does_not_fly():
    """Two seconds without a frame, in the middle of a swing."""
    clean = motion("wave")
    made = Smooth(gaps=[(70, 180)])(clean)
    joint = clean.skeleton.index(ARM)
    span = rotations.angle_between(made.rotations[69:182, joint], made.rotations[69, joint]).max()
    ends = rotations.angle_between(made.rotations[69, joint], made.rotations[181, joint])
    assert span < ends + np.radians(45.0)


def test_gaps_at_the_ends_hold():
    clean = motion("wave")
    made = Smooth(gaps=[(0, 4), (200, 204)])(clean)
    for frame, seen in ((0, 5), (4, 5), (200, 199), (204, 199)):
        assert rotations.angle_between(made.rotations[frame], clean.rotations[seen]).max() < 1e-7
        np.testing.assert_array_equal(made.translations[frame], clean.translations[seen])


def test_places_are_filled_as_well():
    clean = motion("walk")
    places = clean.translations.copy()
    places[100:106, 0] = 0.0
    made = Smooth(gaps=[(100, 105)])(replace(clean, translations=places))
    assert np.abs(made.translations - clean.translations).max() < 0.003
    with pytest.warns(GapWarning, match="hips jumps in frames 100 to 105"):
        Smooth(gaps="find")(replace(clean, translations=places))


def test_only_what_is_meant_is_filled():
    clean = with_calibration(motion("wave"))
    broken = jumping(jumping(clean, 60, 61), 120, 121, name="leftLowerArm")
    with pytest.warns(GapWarning, match="filled 1 gaps"):
        made = Smooth(gaps="find")(broken, parts="right_arm")
    left = clean.skeleton.index("leftLowerArm")
    np.testing.assert_array_equal(made.rotations[:, left], broken.rotations[:, left])
    late = Smooth(gaps=[60, 61])(broken, start=1.5)
    np.testing.assert_array_equal(late.rotations, broken.rotations)
    early = Smooth(gaps=[0, 1])(broken)
    np.testing.assert_array_equal(early.rotations[0], broken.rotations[0])  # the calibration frame


def test_filled_and_smoothed():
    clean = motion("punch")
    broken = jumping(clean, 100, 102)
    with pytest.warns(GapWarning):
        made = Smooth(1.0, gaps="find", feet=False)(broken)
    assert farthest(made, clean) < 5.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Smooth(1.0, gaps="find", feet=False)(clean)


def test_gaps_that_are_not_there_are_refused():
    with pytest.raises(ValueError, match="frames 0 to 204"):
        Smooth(gaps=[300])(motion("wave"))
    with pytest.raises(ValueError, match="all frames of 'hips' are missing"):
        Smooth(gaps=[(0, 204)])(motion("wave"))


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
def test_the_shortest_clips(frames):
    given = motion("wave")[60 : 60 + frames]
    assert find_gaps(given) == ()
    if frames > 1:
        assert len(Smooth(gaps=[0])(given)) == frames


def lost(given, first, last, how):
    """The motion without the whole body in some frames: in its rest pose, or frozen."""
    q, t = given.rotations.copy(), given.translations.copy()
    frames = slice(first, last + 1)
    q[frames] = rotations.identity() if how == "blank" else q[first - 1]
    t[frames] = 0.0 if how == "blank" else t[first - 1]
    return replace(given, rotations=q, translations=t)


@pytest.mark.parametrize("how", ["blank", "frozen"])
@pytest.mark.parametrize("frames", [4, 12, 25])
def test_a_body_that_is_lost_is_filled_as_if_that_had_been_said(how, frames):
    clean = motion("walk")
    broken = lost(clean, 60, 59 + frames, how)
    found = find_gaps(broken)
    assert {(gap.first, gap.last, gap.why) for gap in found} == {(60, 59 + frames, "is lost")}
    assert len(found) == len(clean.skeleton)
    with pytest.warns(GapWarning, match=f"hips and {len(found) - 1} more are lost in frames 60 to {59 + frames}"):
        made = Smooth(gaps="find")(broken)
    said = Smooth(gaps=[(60, 59 + frames)])(broken)
    np.testing.assert_array_equal(made.rotations, said.rotations)
    np.testing.assert_array_equal(made.translations, said.translations)


@pytest.mark.data
@pytest.mark.parametrize("clip", ["02_05", "02_01", "137_29"])
def test_bodies_lost_in_captures_come_back(data_dir, clip):
    clean = kinesphere.load(data_dir / f"bvh/cmu/{clip}.bvh")[1:]
    broken = lost(clean, 100, 111, "blank")
    with pytest.warns(GapWarning, match="are lost in frames 100 to 111"):
        made = Smooth(gaps="find")(broken)
    off = np.linalg.norm(made.positions_world() - clean.positions_world(), axis=-1)
    assert off[100:112].mean() < 0.01
    assert off[:100].max() == off[112:].max() == 0.0


def test_numbers_that_are_missing_are_filled():
    clean = motion("wave")
    q, t = clean.rotations.copy(), clean.translations.copy()
    q[100:104, clean.skeleton.index(ARM)] = np.nan
    t[50:53] = np.nan
    made = complete_pose(clean.skeleton, clean.rate, q, t)
    assert farthest(made, clean) < 3.0
    assert np.abs(made.translations - clean.translations).max() < 0.002
    q[:, 0] = np.nan
    with pytest.raises(ValueError, match="all frames of 'hips' are missing"):
        complete_pose(clean.skeleton, clean.rate, q)
