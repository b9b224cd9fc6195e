"""Feet held on real captures, on other bodies, and on rigs for animation."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from body.test_contacts import WALK, cmu
from body.test_foot_lock import HOLD, SKATING, added_jolt, far_from_contacts, knee_snaps, squats
from kinesphere import Motion, Skeleton, load, load_character, retarget
from kinesphere.body.contacts import Contact, Contacts, FootReport, find_contacts, foot_report
from kinesphere.body.foot_lock.foot_paths import correct_foot_path
from kinesphere.body.foot_lock.legs import LegPoses, measure_legs, rigid_legs
from kinesphere.body.foot_lock.lock import FootLock, lock_feet, solve_foot_lock
from kinesphere.body.ground import Ground, SolePoint, leg_length, sole_paths, sole_points
from kinesphere.body.joint_subset import leg_subset, subset_pose
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import move_motion


def seen(motion: Motion) -> LegPoses:
    return measure_legs(motion.skeleton, subset_pose(motion, leg_subset(motion.skeleton)))


def drifting_squats(first: int, last: int) -> Motion:
    """Feet that stand exactly still, but for a drift of the whole body by 4 cm from one frame to another."""
    motion = squats(0.3)
    time = np.clip((np.arange(len(motion)) - first) / (last - first), 0.0, 1.0)
    return move_motion(motion, R.identity(), 0.04 * (time * time * (3.0 - 2.0 * time))[:, None] * [1.0, 0.0, 0.0])


def test_only_near_contacts_that_slide_does_anything_move() -> None:
    """To the bit: two stands hold, one between them does not."""
    motion = drifting_squats(100, 140)
    names = [point.name for point in sole_points(motion.skeleton)]
    paths = sole_paths(motion, sole_points(motion.skeleton))
    stands = [(0, 60), (105, 135), (180, 239)]
    contacts = Contacts(
        len(motion),
        motion.rate,
        Ground(0.0, "given"),
        tuple(names),
        tuple(
            Contact(
                "left" if name.startswith("left") else "right", name[-4:].lower(), a, b, tuple(paths[(a + b) // 2, k])
            )
            for k, name in enumerate(names)
            for a, b in stands
        ),
    )
    assert foot_report(motion, contacts).slide > HOLD
    locked = lock_feet(motion, contacts)
    assert foot_report(locked, contacts).slide < 0.5 * HOLD
    middle = replace(contacts, intervals=tuple(contact for contact in contacts.intervals if contact.first == 105))
    far = far_from_contacts(middle, 0.3)
    assert far.sum() > 100
    assert np.array_equal(locked.rotations[far], motion.rotations[far])
    assert np.array_equal(locked.translations[far], motion.translations[far])


def test_the_trunk_stays_where_hips_roll_under_it() -> None:
    """A spine that begins 10 cm above the hips' joint, and hips that roll to and fro for a frame."""
    skeleton = SKATING.skeleton
    q, spine, hips = SKATING.rotations.copy(), skeleton.roles["spine"], skeleton.roles["hips"]
    t = SKATING.translations.copy()
    jerk = R.from_rotation_vector([0.0, 0.0, 0.12])
    place = SKATING.positions_world()[:, spine]
    q[150, hips] = R.multiply(jerk, q[150, hips])
    q[150, spine] = R.multiply(
        R.conjugate(R.multiply(jerk, SKATING.rotations[150, hips])), SKATING.world()[0][150, spine]
    )
    jolted = replace(SKATING, rotations=q, translations=t)
    t[150, hips] += place[150] - jolted.positions_world()[150, spine]
    jolted = replace(jolted, translations=t)
    assert np.allclose(jolted.positions_world()[:, spine], place, atol=1e-9)
    contacts = find_contacts(SKATING)
    found = lock_feet(jolted, contacts)
    assert foot_report(found, contacts).slide < HOLD
    assert added_jolt(jolted, found) < 0.25


def test_heel_and_ball_in_one_place_give_no_direction() -> None:
    """A turn would be about the direction of rounding errors; the foot is only moved."""
    motion = SKATING
    rng, foot = np.random.default_rng(5), motion.skeleton.roles["leftFoot"]
    points = [SolePoint("left", name, foot, np.zeros(3), 0.0) for name in ("heel", "ball")]
    q, p = motion.world()
    paths = p[:, [foot, foot]] + 1e-16 * rng.normal(size=(len(motion), 2, 3))
    stand = find_contacts(motion).of("leftHeel")[0]
    during = slice(stand.first, stand.last + 1)
    place = tuple(p[during, foot].mean(axis=0))
    contacts = tuple(Contact("left", point.point, stand.first, stand.last, place) for point in points)
    given = Contacts(len(motion), motion.rate, Ground(0.0, "given"), ("leftHeel", "leftBall"), contacts)
    world = (q[:, foot], q[:, foot], p[:, foot])
    found = correct_foot_path(
        points, paths, world, given, np.ones(len(motion), dtype=bool), leg_length(motion.skeleton)
    )
    assert found.sliding[during].all()
    assert np.linalg.norm(p[during, foot] - place, axis=1).max() > HOLD
    assert np.allclose((p[:, foot] + found.shift)[during], place, atol=1e-9)
    assert np.degrees(np.linalg.norm(found.rotation, axis=1)).max() < 10.0  # what steadies it, no half turns


def toes_under_ankles() -> Motion:
    """The skating walk on feet without a length."""
    skeleton = SKATING.skeleton
    offsets, t = skeleton.offsets.copy(), SKATING.translations.copy()
    for side in ("left", "right"):
        toes = skeleton.roles[f"{side}Toes"]
        offsets[toes] = t[:, toes] = [0.0, -0.06, 0.0]
    other = Skeleton(skeleton.names, skeleton.parents, offsets, roles=skeleton.roles)
    return Motion(other, SKATING.rate, SKATING.rotations, t)


def test_feet_without_a_length_are_held_the_same_way_every_time() -> None:
    motion = toes_under_ankles()
    contacts = find_contacts(motion)
    first = lock_feet(motion, contacts)
    assert foot_report(first, contacts).slide < HOLD < foot_report(motion, contacts).slide
    for _ in range(3):
        again = lock_feet(motion, contacts)
        assert np.array_equal(again.rotations, first.rotations)
        assert np.array_equal(again.translations, first.translations)


def test_a_shin_that_changes_its_length_keeps_its_knee_where_it_can() -> None:
    """As animators' rigs have it: no snap is smoothed there, so knees go no farther than held feet need."""
    t = WALK.translations.copy()
    for side in ("left", "right"):
        t[100:104, WALK.skeleton.roles[f"{side}Foot"]] *= 1.05
    stretched = replace(WALK, translations=t)
    assert [rigid_legs(m.skeleton, seen(m)).tolist() for m in (WALK, stretched)] == [[True, True], [False, False]]
    contacts = find_contacts(stretched)
    away = np.linalg.norm(lock_feet(stretched, contacts).positions_world() - stretched.positions_world(), axis=-1)
    assert away.max() < 0.05


CLIPS = (
    *("02_01", "02_05", "05_02", "05_11", "07_01", "07_12", "12_01", "13_09", "13_10", "13_11", "13_26", "137_16"),
    *("137_24", "137_26", "137_27", "137_29", "137_33", "137_42", "141_16", "141_20", "141_21", "141_27", "144_20"),
    *("79_01", "79_25", "79_44", "79_92", "91_11", "91_19", "91_36", "91_48"),
)


@lru_cache(maxsize=32)
def locked(data_dir: Path, name: str) -> tuple[Motion, FootLock, FootReport, FootReport]:
    motion = cmu(data_dir, name)
    contacts = find_contacts(motion)
    found = solve_foot_lock(motion, contacts)
    return motion, found, foot_report(motion, contacts), foot_report(found.motion, contacts)


@pytest.mark.data
@pytest.mark.parametrize("name", CLIPS)
def test_real_feet_hold_and_nothing_pops(data_dir: Path, name: str) -> None:
    motion, found, before, after = locked(data_dir, name)
    assert before.slide > HOLD
    assert after.slide < 0.003
    assert after.slide_mean < min(0.2 * before.slide_mean, 0.002)
    assert found.ankle_error.max() < HOLD
    assert after.ankle_acceleration < 1.02 * before.ankle_acceleration
    # either knee: no more than a tenth or half a radian a second
    was, now = knee_snaps(motion), knee_snaps(found.motion)
    assert np.all(now < was + np.maximum(0.1 * was, 0.5))
    assert added_jolt(motion, found.motion) < 0.5
    assert np.array_equal(found.motion.translations[:, 1:], motion.translations[:, 1:])
    assert found.hip_drop.max() < 0.04


@pytest.mark.data
def test_knees_snap_less_on_the_whole(data_dir: Path) -> None:
    reports = [locked(data_dir, name)[2:] for name in CLIPS]
    assert np.median([after.knee_snap / before.knee_snap for before, after in reports]) < 0.8
    assert np.mean([after.slide_mean / before.slide_mean for before, after in reports]) < 0.1


BODIES = {
    "mesh2motion_human_male.glb": ("91_19", "137_29", "13_26", "141_14", "91_36", "05_02"),
    "CesiumMan.glb": ("91_19", "137_29", "13_26", "141_14"),
    "RobotExpressive.glb": ("91_19", "05_02", "05_11", "07_12"),
    "kaykit_manny/manny_med_mod.gltf": ("91_19", "137_29", "141_14", "144_20"),
}


@pytest.mark.data
@pytest.mark.parametrize("body", BODIES)
def test_nothing_jolts_on_other_bodies(data_dir: Path, body: str) -> None:
    """Captures that jolted, once, in the first frames, above the hips, at a knee or at the toes."""
    character = load_character(data_dir / "characters" / body)
    unit = leg_length(character.skeleton)
    for name in BODIES[body]:
        motion = retarget(cmu(data_dir, name), character)
        contacts = find_contacts(motion)
        found = solve_foot_lock(motion, contacts)
        before, after = foot_report(motion, contacts), foot_report(found.motion, contacts)
        assert after.slide_mean < 0.2 * before.slide_mean, name
        assert after.slide < 0.007 * unit, name
        assert added_jolt(motion, found.motion) < max(0.5, 0.35 * unit), name  # a robot of three metres
        was, now = knee_snaps(motion), knee_snaps(found.motion)
        assert np.all(now < was + np.maximum(0.1 * was, 0.5)), name


@pytest.mark.data
@pytest.mark.parametrize("clip", ["Dance", "Idle", "Jump", "Punch", "Running", "Standing", "WalkJump", "Walking"])
def test_clips_that_do_not_slide_are_returned_as_they_are(data_dir: Path, clip: str) -> None:
    """Feet on the root, shins that stretch, knees keyed fast: all of it is the animator's."""
    motion = load(data_dir / "characters/RobotExpressive.glb", clip=clip)
    assert lock_feet(motion) is motion


@pytest.mark.data
def test_a_toe_joint_straight_under_the_ankle(data_dir: Path) -> None:
    motion = load(data_dir / "bvh_odd/real/pybvh_bvh_test3.bvh")
    for _ in range(5):
        locked = lock_feet(motion)
        assert np.array_equal(locked.rotations, motion.rotations)  # it slides by 0.2 mm
        assert np.array_equal(locked.translations, motion.translations)


@pytest.mark.data
@pytest.mark.parametrize("name", ["mova/MS2_8Walk_M", "animated_drawings/zombie", "animated_drawings/dab"])
def test_slower_captures_of_other_makers(data_dir: Path, name: str) -> None:
    """Thirty frames a second; knees that were not bent backward are not then either."""
    motion = load(data_dir / f"bvh/{name}.bvh")
    contacts = find_contacts(motion)
    locked = lock_feet(motion, contacts)
    before, after = foot_report(motion, contacts), foot_report(locked, contacts)
    assert after.slide_mean < 0.2 * before.slide_mean
    assert added_jolt(motion, locked) < 0.25
    was, now = (seen(m).flexion for m in (motion, locked))
    assert np.all(now > np.minimum(was, 0.0) - np.radians(1.0))
