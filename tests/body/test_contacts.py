"""Where feet stand: the ground, the detector, and what they are measured from."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesphere import Motion, Skeleton, load
from kinesphere.body.contacts import Contact, Contacts, find_contacts, foot_report
from kinesphere.body.ground import find_ground, sole_paths, sole_points
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import move_motion

ROOT = Path(__file__).resolve().parents[2]
MIDDLE = {"Hips": "hips", "LowerBack": "spine", "Spine": "chest", "Spine1": "upperChest"}
MIDDLE |= {"Neck1": "neck", "Head": "head"}
SIDED = {"Shoulder": "Shoulder", "Arm": "UpperArm", "ForeArm": "LowerArm", "Hand": "Hand"}
SIDED |= {"UpLeg": "UpperLeg", "Leg": "LowerLeg", "Foot": "Foot", "ToeBase": "Toes"}


def cmu(data_dir: Path, name: str) -> Motion:
    """A CMU clip with its roles."""
    motion = load(data_dir / "bvh" / "cmu" / f"{name}.bvh")
    names = MIDDLE | {f"{a}{k}": f"{a.lower()}{v}" for a in ("Left", "Right") for k, v in SIDED.items()}
    roles = {names[joint]: i for i, joint in enumerate(motion.skeleton.names) if joint in names}
    return replace(motion, skeleton=replace(motion.skeleton, roles=roles))


def greeting() -> Motion:
    """Four steps and a wave, feet in contact by construction."""
    spec = importlib.util.spec_from_file_location("greeting", ROOT / "examples" / "greeting.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    motion: Motion = module.greeting()
    return motion


WALK = greeting()


def labels(contacts: Contacts) -> np.ndarray:
    return np.stack([contacts.labels[name] for name in contacts.points])


def edges_apart(a: np.ndarray, b: np.ndarray, frames: int) -> bool:
    """Whether labels agree except within some frames of where they change."""
    wrong = a != b
    near = np.zeros_like(wrong)
    for flags in (a, b):
        change = np.diff(flags.astype(int), axis=-1, prepend=flags[:, :1]) != 0
        for shift in range(-frames, frames + 1):
            near |= np.roll(change, shift, axis=-1)
    return not (wrong & ~near).any()


def test_contacts_made_by_construction_are_found() -> None:
    contacts = find_contacts(WALK)
    paths = sole_paths(WALK, sole_points(WALK.skeleton))
    still = np.linalg.norm(np.gradient(paths, 1.0 / WALK.rate, axis=0), axis=-1).T < 1e-3
    found = labels(contacts)
    assert (found & still).sum() > 0.97 * still.sum()
    # what is said to stand goes no farther than the detector's numbers allow
    for contact in contacts.intervals:
        path = paths[contact.first : contact.last + 1, contacts.points.index(contact.name)]
        assert np.abs(path - contact.anchor).max() < 0.02
    # each foot: the first stand, one between its steps, the last
    assert [len(contacts.of(name)) for name in ("leftHeel", "rightHeel")] == [4, 3]


def test_ground_is_found_and_given() -> None:
    ground = find_ground(WALK)
    # toe joints stand 1.5 cm above the floor; people of that leg length would have 0.7
    assert ground.height == pytest.approx(0.0, abs=0.012)
    assert ground.share > 0.95
    assert find_ground(WALK, 0.3).height == 0.3
    assert "given" in find_contacts(WALK, ground=0.0).ground.evidence
    assert not find_contacts(WALK, ground=-0.5).intervals


def test_one_bad_frame_does_not_move_the_ground() -> None:
    t = WALK.translations.copy()
    t[100, 0, 1] -= 0.4
    assert find_ground(replace(WALK, translations=t)).height == pytest.approx(find_ground(WALK).height, abs=1e-3)


@pytest.mark.parametrize("factor", [0.01, 1.0, 100.0])
def test_contacts_do_not_depend_on_place_heading_or_size(factor: float) -> None:
    turn = R.from_rotation_vector([0.0, 2.1, 0.0])
    other = move_motion(WALK, turn, [3.0, -0.7, 11.0]).scaled(factor)
    a, b = find_contacts(WALK), find_contacts(other)
    assert np.array_equal(labels(a), labels(b))
    expected = factor * (R.rotate(turn, [p.anchor for p in a.intervals]) + np.array([3.0, -0.7, 11.0]))
    assert np.allclose([p.anchor for p in b.intervals], expected, atol=1e-9 * factor)


def test_a_mirrored_motion_has_mirrored_contacts() -> None:
    a, b = find_contacts(WALK), find_contacts(WALK.mirrored())
    for point in ("Heel", "Ball"):
        assert np.array_equal(a.labels[f"left{point}"], b.labels[f"right{point}"])
        assert np.array_equal(a.labels[f"right{point}"], b.labels[f"left{point}"])


@pytest.mark.parametrize("rate", [60.0, 120.0])
def test_contacts_do_not_depend_on_the_rate(rate: float) -> None:
    slow = labels(find_contacts(WALK.resampled(30.0)))
    fast = labels(find_contacts(WALK.resampled(rate)))[:, :: int(rate / 30.0)]
    count = min(slow.shape[1], fast.shape[1])
    assert edges_apart(slow[:, :count], fast[:, :count], 1)


@pytest.mark.data
@pytest.mark.parametrize("name", ["02_01", "13_11", "79_01", "137_16"])
def test_real_contacts_do_not_depend_on_the_rate(data_dir: Path, name: str) -> None:
    motion = cmu(data_dir, name)
    fast, slow = labels(find_contacts(motion))[:, ::4], labels(find_contacts(motion.resampled(30.0)))
    count = min(fast.shape[1], slow.shape[1])
    assert (fast[:, :count] != slow[:, :count]).mean() < 0.02


@pytest.mark.data
def test_walk_run_jump_and_stand_look_as_they_should(data_dir: Path) -> None:
    walk, stand, jump = (find_contacts(cmu(data_dir, name)) for name in ("07_01", "79_01", "13_11"))
    # a walk: every foot stands again and again, heels before balls, also where the captured floor climbs
    assert [len(walk.of(name)) for name in walk.points] == [2, 2, 3, 3]
    for heel, ball in zip(walk.of("leftHeel"), walk.of("leftBall"), strict=True):
        assert heel.first < ball.first
        assert heel.last < ball.last
    assert all(flags[1:].mean() > 0.95 for flags in stand.labels.values())
    air = ~jump.in_contact()
    assert 0.2 < air.sum() / jump.rate < 0.8
    assert jump.ground.share > 0.5


def test_calibration_frames_are_never_planted() -> None:
    marked = replace(WALK, calibration_frames=(0, 1, 2))
    assert not labels(find_contacts(marked))[:, :3].any()


def test_feet_without_toes_have_one_point() -> None:
    roles = {role: joint for role, joint in WALK.skeleton.roles.items() if not role.endswith("Toes")}
    motion = replace(WALK, skeleton=replace(WALK.skeleton, roles=roles))
    contacts = find_contacts(motion)
    assert contacts.points == ("leftSole", "rightSole")
    assert len(contacts.of("rightSole")) == 3


def test_a_missing_role_is_named() -> None:
    bare = Skeleton(("hips",), np.array([-1]), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="leftUpperLeg"):
        find_contacts(Motion(bare, 30.0, R.identity(3, 1)))


def test_contacts_survive_json() -> None:
    contacts = find_contacts(WALK)
    again = Contacts.from_json(json.loads(json.dumps(contacts.as_json())))
    assert again == contacts
    with pytest.raises(ValueError, match="'plants'"):
        Contacts.from_json({"kinesphere": "motion"})


def test_impossible_contacts_are_refused() -> None:
    contacts = find_contacts(WALK)
    with pytest.raises(ValueError, match="does not fit"):
        replace(contacts, intervals=(Contact("left", "heel", 5, 9999, (0.0, 0.0, 0.0)),))
    twice = (Contact("left", "heel", 5, 9, (0.0, 0.0, 0.0)), Contact("left", "heel", 9, 12, (0.0, 0.0, 0.0)))
    with pytest.raises(ValueError, match="overlap"):
        replace(contacts, intervals=twice)


def test_the_report_of_a_clean_walk_is_clean() -> None:
    report = foot_report(WALK)
    assert report.contacts == len(find_contacts(WALK).intervals)
    assert report.slide_mean < 0.01


def test_feet_that_lean_with_the_shin_have_their_heels_under_them() -> None:
    """CMU's rest pose: legs apart, feet square to them. The same body with legs down has its heels under its ankles."""
    skeleton = WALK.skeleton
    turn = R.from_rotation_vector([0.0, 0.0, np.radians(20.0)])
    offsets = skeleton.offsets.copy()
    for part in ("LowerLeg", "Foot", "Toes"):
        joint = skeleton.index(f"left{part}")
        offsets[joint] = R.rotate(turn, offsets[joint])
    leaning = replace(skeleton, offsets=offsets)
    heel = next(point for point in sole_points(leaning) if point.name == "leftHeel")
    assert np.allclose(heel.offset, R.rotate(turn, [0.0, -0.06, 0.0]), atol=1e-9)
