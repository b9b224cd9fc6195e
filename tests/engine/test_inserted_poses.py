"""Calibration poses that were inserted and are not marked: found where they are, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.bodies import BODIES
from gaits import Plan, gait
from kinesphere import Effort, Motion, Score, body_of, generate, lift, load, perform
from kinesphere.engine.inserted_poses import describe_frames, inserted_frames, tell_inserted, with_inserted_marked
from kinesphere.engine.phrase_data import phrase_to_plain
from kinesphere.maths import rotations as R
from kinesphere.maths.vectors import smootherstep
from kinesphere.score import measure_score
from recordings import record, with_other_axes

RECORDED = ("wave", "drink", "walk", "bow")


def inserted(motion: Motion, at: int, pose: np.ndarray, frames: int = 1) -> Motion:
    """A pose ``(J, 4)`` for some frames before frame ``at``."""
    near = motion.translations[min(at, len(motion) - 1)]
    return replace(
        motion,
        rotations=np.concatenate([motion.rotations[:at], np.repeat(pose[None], frames, 0), motion.rotations[at:]]),
        translations=np.concatenate(
            [motion.translations[:at], np.repeat(near[None], frames, 0), motion.translations[at:]]
        ),
    )


def arms_lowered(motion: Motion, angle: float) -> np.ndarray:
    """A T-pose ``(J, 4)`` of a skeleton whose axes are the world's, with arms lowered."""
    pose = R.identity(len(motion.skeleton))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        pose[motion.skeleton.roles[f"{side}UpperArm"]] = R.from_rotation_vector([0.0, 0.0, sign * angle])
    return pose


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("rate", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("where", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("frames", [1, 5])
def test_inserted_t_poses_are_found(name, rate, where, frames):
    motion = record(name, rate=rate)
    at = round(where * len(motion))
    made = inserted(motion, at, motion.skeleton.rest_rotations, frames)
    assert inserted_frames(made) == list(range(at, at + frames))
    assert inserted_frames(motion) == []


@pytest.mark.parametrize("lowered", [0.0, 0.2, 0.8])
def test_poses_that_are_not_the_rest_pose_are_found_by_what_they_are(lowered):
    walk = gait(Plan(), 60.0)
    pose = arms_lowered(walk, lowered)
    pose[walk.skeleton.roles["head"]] = R.from_rotation_vector([0.2, 0.0, 0.0])
    pose[0] = R.from_rotation_vector([0.0, 1.0, 0.0])  # it faces elsewhere
    arms = [walk.skeleton.roles[f"{side}UpperArm"] for side in ("left", "right")]
    local = np.array(walk.rotations)
    local[:, arms] = arms_lowered(walk, 1.4)[arms]
    hands = replace(walk, rotations=local)
    assert inserted_frames(inserted(hands, 100, pose, 3)) == [100, 101, 102]


def test_a_pose_that_no_one_is_calibrated_in_is_left():
    """A leap to another pose is a glitch: it is performed as it is."""
    motion = record("wave")
    crouch = np.array(motion.rotations[0])
    for side in ("left", "right"):
        crouch[motion.skeleton.roles[f"{side}UpperArm"]] = R.from_rotation_vector([-1.5, 0.3, 0.2])
    assert inserted_frames(inserted(motion, 40, crouch)) == []


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("seconds", [0.15, 0.3, 1.0])
@pytest.mark.parametrize("holds", [0.0, 0.1, 1.0])
def test_who_stretches_the_arms_performs_a_t_pose(rate, seconds, holds):
    plan = Plan()
    still = gait(plan, rate, kind="squat", seconds=3.0 + 2.0 * seconds + holds)
    still = replace(still, rotations=np.repeat(still.rotations[:1], len(still), 0))
    t = still.times
    up = smootherstep(np.clip((t - 1.0) / seconds, 0, 1)) - smootherstep(
        np.clip((t - 1 - seconds - holds) / seconds, 0, 1)
    )
    local = np.array(still.rotations)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        vectors = np.outer(sign * 1.4 * (1.0 - up), [0.0, 0.0, 1.0])
        local[:, still.skeleton.roles[f"{side}UpperArm"]] = R.from_rotation_vector(vectors)
    assert inserted_frames(replace(still, rotations=local)) == []


@pytest.mark.parametrize("where", [0, 70])
def test_unmarked_ones_are_performed_as_marked_ones_are(where):
    motion = record("wave")
    made = inserted(motion, where, motion.skeleton.rest_rotations, 2)
    marked = replace(made, calibration_frames=(where, where + 1))
    assert with_inserted_marked(marked) is marked
    assert perform(made) is made
    assert generate(lift(made), made.rate) is made
    one, other = (perform(own, Effort(weight=1.0), words="proud") for own in (made, marked))
    np.testing.assert_array_equal(one.rotations, other.rotations)
    np.testing.assert_array_equal(one.translations, other.translations)
    assert one.calibration_frames == other.calibration_frames == ((0, 1) if where == 0 else ())


def test_the_end_of_a_performance_is_not_led_into_a_t_pose():
    motion = record("wave")
    made = perform(inserted(motion, len(motion), motion.skeleton.rest_rotations, 3), words="tired")
    plain = perform(motion, words="tired")
    assert R.angle_between(made.rotations[-1], plain.rotations[-1]).max() < 0.12  # arms of a T-pose are 1.4 away


@pytest.mark.parametrize("who", BODIES)
def test_on_any_body(who):
    motion = record("drink", body_of(BODIES[who]))
    for own in (motion, with_other_axes(motion)):
        assert inserted_frames(inserted(own, 50, own.skeleton.rest_rotations)) == [50]


@pytest.mark.parametrize("frames", [1, 2, 5, 200])
def test_nothing_but_a_t_pose(frames):
    motion = record("wave")
    rest = np.repeat(motion.skeleton.rest_rotations[None], frames, 0)
    made = replace(motion, rotations=rest, translations=motion.translations[:frames].copy())
    assert inserted_frames(made) == []
    assert perform(made) is made
    assert np.isfinite(perform(made, Effort(weight=1.0), words="sad").rotations).all()
    marked = replace(made, calibration_frames=tuple(range(frames)))
    assert np.isfinite(perform(marked, Effort(weight=1.0)).rotations).all()


@pytest.mark.data
def test_captured_t_poses_are_found_without_marks(data_dir):
    for path in sorted((data_dir / "bvh/cmu").glob("*.bvh"))[::7]:
        motion = load(path)
        bare = replace(motion, calibration_frames=())
        if motion.calibration_frames == (0,):
            assert inserted_frames(bare) == [0], path.name
            assert inserted_frames(bare[1:]) == []
    bare = replace(load(data_dir / "bvh/cmu/141_16.bvh"), calibration_frames=())
    one, other = (perform(own, words="angry") for own in (bare, replace(bare, calibration_frames=(0,))))
    np.testing.assert_array_equal(one.rotations, other.rotations)
    for name in ("animated_drawings/dab", "animated_drawings/wave_hello", "mova/MS2_8Walk_M"):  # performed T-poses
        assert inserted_frames(load(data_dir / f"bvh/{name}.bvh")) == []


@pytest.mark.parametrize(
    ("frames", "said"), [((), ""), ((3,), "3"), ((0, 1, 2, 57), "0-2, 57"), ((4, 5, 9, 10), "4-5, 9-10")]
)
def test_frames_are_described_as_runs(frames, said):
    assert describe_frames(frames) == said


def test_what_was_taken_for_an_inserted_pose_is_reported():
    motion = record("wave")
    made = inserted(motion, 70, motion.skeleton.rest_rotations, 3)
    report = measure_score(Score(made, (Effort(weight=1.0).over(),)))
    assert report.inserted == (70, 71, 72)
    assert report.to_row()["inserted_frames"] == "70-72"
    assert "frames 70-72 are taken for inserted rest poses" in str(report)
    assert phrase_to_plain(lift(made))["inserted_frames"] == [70, 71, 72]
    plain = measure_score(Score(motion, (Effort(weight=1.0).over(),)))
    assert plain.to_row()["inserted_frames"] == ""
    assert "inserted" not in str(plain)


@pytest.mark.parametrize(
    ("frames", "said"),
    [
        ((0,), "frame 0 is taken for an inserted rest pose"),
        ((0, 7), "frames 0, 7 are taken for inserted rest poses"),
    ],
)
def test_one_inserted_pose_is_one(frames, said):
    assert tell_inserted(frames) == said
