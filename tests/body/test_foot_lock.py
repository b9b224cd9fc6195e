"""Foot lock: feet in contact stay on their anchors, and legs follow without a snap."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from body.test_contacts import WALK
from kinesphere import Motion, Skeleton
from kinesphere.body.contacts import Contacts, find_contacts, foot_report
from kinesphere.body.foot_lock import legs
from kinesphere.body.foot_lock.lock import lock_feet, solve_foot_lock
from kinesphere.body.ground import Ground, performed_runs
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import move_motion
from rerig import add_static_root, turn_axes_anyhow

HOLD = 0.005  # metres


def skating() -> Motion:
    """The walk, on a floor that drifts under it by up to 9 cm a second."""
    time = WALK.times
    drift = np.stack([0.035 * np.sin(2.5 * time), np.zeros_like(time), 0.02 * np.cos(2.0 * time)], axis=-1)
    return move_motion(WALK, R.identity(), drift)


SKATING = skating()


def added_jolt(before: Motion, after: Motion) -> float:
    """By how much any joint's velocity changes more, from a frame to the next, than within three frames before."""
    places, worst = (before.positions_world(), after.positions_world()), 0.0
    for run in performed_runs(before):
        if run.stop - run.start > 2:
            was, now = (np.linalg.norm(np.diff(place[run], 2, axis=0), axis=-1) * before.rate for place in places)
            around = np.lib.stride_tricks.sliding_window_view(np.pad(was, ((3, 3), (0, 0))), 7, axis=0).max(axis=-1)
            worst = max(worst, float((now - around).max()))
    return worst


def knee_flexion(motion: Motion, side: str) -> np.ndarray:
    place, roles = motion.positions_world(), motion.skeleton.roles
    hip, knee, ankle = (place[:, roles[f"{side}{part}"]] for part in ("UpperLeg", "LowerLeg", "Foot"))
    above, below = knee - hip, ankle - knee
    return np.arctan2(np.linalg.norm(np.cross(above, below), axis=1), np.sum(above * below, axis=1))


def knee_snaps(motion: Motion) -> np.ndarray:
    """For each knee, the greatest change of its angular velocity from frame to frame."""
    snaps = []
    for side in ("left", "right"):
        flexion = knee_flexion(motion, side)
        snaps.append(max(np.abs(np.diff(flexion[run], 2)).max() for run in performed_runs(motion)) * motion.rate)
    return np.array(snaps)


def squats(straightest: float) -> Motion:
    """Feet that stand exactly still under hips that go down and up."""
    skeleton, frames, rate = WALK.skeleton, 240, 60.0
    bend = straightest + 0.3 * (1.0 - np.cos(np.arange(frames) / rate * np.pi))
    q = np.tile(R.identity(), (frames, len(skeleton), 1))
    t = np.tile(skeleton.offsets, (frames, 1, 1))
    shin, foot = skeleton.roles["leftLowerLeg"], skeleton.roles["leftFoot"]
    upper, lower = skeleton.bone_lengths[shin], skeleton.bone_lengths[foot]
    lean = np.arctan2(lower * np.sin(bend), upper + lower * np.cos(bend))
    for side in ("left", "right"):
        for part, angle in (("UpperLeg", -lean), ("LowerLeg", bend), ("Foot", lean - bend)):
            joint = skeleton.roles[f"{side}{part}"]
            q[:, joint] = R.from_rotation_vector(angle[:, None] * [1.0, 0.0, 0.0])
    t[:, 0, 1] += np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(bend)) - upper - lower
    return Motion(skeleton, rate, q, t)


def far_from_contacts(contacts: Contacts, seconds: float) -> np.ndarray:
    reach = int(np.ceil(seconds * contacts.rate))
    near = np.convolve(np.pad(contacts.in_contact(), reach), np.ones(2 * reach + 1), mode="valid")
    return near == 0


def test_added_skate_is_found_and_repaired() -> None:
    contacts = find_contacts(SKATING)
    before, after = (foot_report(motion, contacts) for motion in (SKATING, lock_feet(SKATING, contacts)))
    assert before.slide > 0.02
    assert after.slide < HOLD
    assert after.slide_mean < 0.5 * HOLD
    assert after.knee_snap < 2.0 * before.knee_snap
    assert after.ankle_acceleration < 1.5 * before.ankle_acceleration


def test_the_contacts_it_is_given_are_where_it_stands() -> None:
    contacts = find_contacts(SKATING)
    up = contacts.at_height(0.02)
    locked = lock_feet(SKATING, up)
    assert foot_report(locked, up).slide < HOLD


def test_a_clean_walk_is_nearly_unchanged() -> None:
    away = np.linalg.norm(lock_feet(WALK).positions_world() - WALK.positions_world(), axis=-1)
    assert away.max() < 0.03
    assert np.median(away) < 0.001


@pytest.mark.parametrize("straightest", [0.0, 0.02, 0.6])
def test_what_does_not_slide_stays_as_it_is(straightest: float) -> None:
    """However straight the knees become, and whatever jolts above the feet."""
    motion = squats(straightest)
    contacts = find_contacts(motion)
    assert contacts.in_contact().all()
    assert foot_report(motion, contacts).slide < 1e-9
    assert lock_feet(motion, contacts) is motion


@pytest.mark.parametrize("straightest", [0.0, 0.3])
@pytest.mark.parametrize(("up", "roll"), [(0.02, 0.0), (0.0, 0.1)])
def test_a_jolt_of_the_whole_body_does_not_go_into_the_knees(straightest: float, up: float, roll: float) -> None:
    """One frame in which all is higher or rolled, as captures have it: held feet must take the hips along."""
    motion = squats(straightest)
    q, t = motion.rotations.copy(), motion.translations.copy()
    t[100, 0, 1] += up
    q[100, 0] = R.from_rotation_vector([0.0, 0.0, roll])
    jolted = replace(motion, rotations=q, translations=t)
    contacts = find_contacts(motion)
    found = lock_feet(jolted, contacts)
    assert foot_report(found, contacts).slide < HOLD
    assert np.all(knee_snaps(found) < knee_snaps(jolted) + 0.5)
    assert added_jolt(jolted, found) < 0.1


def test_knees_stay_smooth_where_feet_are_nearly_out_of_reach() -> None:
    """Legs that become straight over feet that drift back and forth under them."""
    motion = squats(0.0)
    shift = 0.015 * np.sin(np.arange(len(motion)) / 9.0)[:, None] * [0.0, 1.0, 0.0]
    contacts = find_contacts(motion)
    skating_ = move_motion(motion, R.identity(), shift)
    found = solve_foot_lock(skating_, contacts)
    assert foot_report(found.motion, contacts).slide < HOLD
    assert np.all(knee_snaps(found.motion) < knee_snaps(skating_) + 0.5)
    assert min(knee_flexion(found.motion, side).min() for side in ("left", "right")) > -1e-9


@pytest.mark.parametrize("height", [np.nan, np.inf, -np.inf])
def test_a_ground_that_is_nowhere_is_refused(height: float) -> None:
    for ground in (height, Ground(height, "given")):
        with pytest.raises(ValueError, match=r"ground=.*finite"):
            lock_feet(SKATING, ground=ground)
    with pytest.raises(ValueError, match=r"ground=.*finite"):
        lock_feet(SKATING, find_contacts(SKATING), ground=height)


def test_feet_that_hang_on_the_root_are_locked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """As rigs for animation have them: the shin's end and the foot must not come apart."""
    monkeypatch.setattr(legs, "rigid_legs", lambda *_: np.zeros(2, dtype=bool))
    skeleton = SKATING.skeleton
    q, p = SKATING.world()
    rest_q, rest_p = skeleton.rest_world()
    feet = [skeleton.roles[f"{side}Foot"] for side in ("left", "right")]
    parents, offsets = np.concatenate([[-1], skeleton.parents + 1]), np.concatenate([[[0.0] * 3], skeleton.offsets])
    local = np.concatenate([R.identity(len(SKATING), 1), SKATING.rotations], axis=1)
    places = np.concatenate([np.zeros((len(SKATING), 1, 3)), SKATING.translations], axis=1)
    for foot in feet:
        parents[foot + 1], offsets[foot + 1] = 0, rest_p[foot]
        local[:, foot + 1], places[:, foot + 1] = q[:, foot], p[:, foot]
    assert np.allclose(rest_q, R.identity())
    roles = {role: joint + 1 for role, joint in skeleton.roles.items()}
    other = Skeleton(("root", *skeleton.names), parents, offsets, roles=roles)
    found = lock_feet(Motion(other, SKATING.rate, local, places))
    assert np.allclose(found.positions_world()[:, 1:], lock_feet(SKATING).positions_world(), atol=1e-6)


def test_strength_zero_is_the_input_and_half_is_half_way() -> None:
    contacts = find_contacts(SKATING)
    assert lock_feet(SKATING, contacts, strength=0.0) is SKATING
    none, half, whole = (
        foot_report(lock_feet(SKATING, contacts, strength=s), contacts).slide_mean for s in (0.0, 0.5, 1.0)
    )
    assert whole < half < none
    assert half == pytest.approx(0.5 * none, rel=0.25)
    with pytest.raises(ValueError, match="strength"):
        lock_feet(SKATING, strength=1.5)


def test_no_contacts_no_change() -> None:
    nothing = replace(find_contacts(SKATING), intervals=())
    assert lock_feet(SKATING, nothing) is SKATING
    with pytest.raises(ValueError, match="frames"):
        lock_feet(SKATING[:50], nothing)


def test_far_from_contacts_nothing_changes_and_bones_keep_their_lengths() -> None:
    contacts = find_contacts(SKATING)
    early = replace(contacts, intervals=tuple(p for p in contacts.intervals if p.last < 60))
    locked = lock_feet(SKATING, early)
    far = far_from_contacts(early, 0.3)
    assert far.sum() > 100
    assert np.array_equal(locked.rotations[far], SKATING.rotations[far])
    assert np.array_equal(locked.translations[far], SKATING.translations[far])
    assert np.array_equal(locked.translations[:, 1:], SKATING.translations[:, 1:])
    assert np.allclose(np.linalg.norm(locked.rotations, axis=-1), 1.0, atol=1e-12)


def test_calibration_frames_stay() -> None:
    marked = replace(SKATING, calibration_frames=(0, 1))
    locked = lock_feet(marked)
    assert np.array_equal(locked.rotations[:2], marked.rotations[:2])
    assert np.array_equal(locked.translations[:2], marked.translations[:2])
    assert not np.array_equal(locked.rotations, marked.rotations)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_place_heading_and_size_do_not_matter(factor: float) -> None:
    turn, shift = R.from_rotation_vector([0.0, -1.3, 0.0]), np.array([2.0, 0.4, -3.0])
    a = move_motion(lock_feet(SKATING), turn, shift).scaled(factor)
    b = lock_feet(move_motion(SKATING, turn, shift).scaled(factor))
    assert np.allclose(a.positions_world(), b.positions_world(), atol=1e-6 * factor)


def test_joint_axes_and_a_joint_above_the_hips_do_not_matter() -> None:
    """The same walk on a skeleton with other axes at rest, hanging on a root that is turned and set off."""
    motion = turn_axes_anyhow(add_static_root(SKATING, "root", (0.3, 0.1, -0.2)), 2)
    assert np.allclose(motion.positions_world()[:, 1:], SKATING.positions_world(), atol=1e-9)
    expected = lock_feet(SKATING).positions_world()
    assert np.allclose(lock_feet(motion).positions_world()[:, 1:], expected, atol=1e-6)


def test_short_clips_and_clips_without_performance_pass_through() -> None:
    for frames in (1, 2, 3, 7):
        assert len(lock_feet(SKATING[:frames])) == frames
    unperformed = replace(SKATING[:5], calibration_frames=(0, 1, 2, 3, 4))
    assert lock_feet(unperformed) is unperformed


def test_left_and_right_are_treated_alike() -> None:
    a, b = lock_feet(SKATING).mirrored(), lock_feet(SKATING.mirrored())
    assert np.allclose(a.positions_world(), b.positions_world(), atol=1e-7)


def test_feet_without_toes_are_locked_too() -> None:
    roles = {role: joint for role, joint in SKATING.skeleton.roles.items() if not role.endswith("Toes")}
    motion = replace(SKATING, skeleton=replace(SKATING.skeleton, roles=roles))
    contacts = find_contacts(motion)
    assert contacts.intervals
    assert foot_report(lock_feet(motion, contacts), contacts).slide < HOLD


def test_feet_out_of_reach_lower_the_hips() -> None:
    t = SKATING.translations.copy()
    t[:, 0, 1] += 0.01  # on tiptoe all the time, and the contacts stay on the ground
    contacts = find_contacts(SKATING)
    found = solve_foot_lock(replace(SKATING, translations=t), contacts)
    assert 0.005 < found.hip_drop.max() < 0.08
    assert found.ankle_error.max() < HOLD
