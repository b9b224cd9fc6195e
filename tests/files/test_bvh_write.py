"""Written BVH: reads back the same, and is what strict readers want."""

from __future__ import annotations

import re

import numpy as np
import pytest
from bvh_text import SIMPLE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generated import motions, same_places
from kinesphere import Motion, MotionFileError, MotionFileWarning, Skeleton, load, save
from kinesphere.files.registry import writable_names
from kinesphere.maths import rotations as R
from kinesphere.maths.euler import TAIT_BRYAN
from kinesphere.motion.roles import find_roles
from kinesphere.motion.transform import with_plain_rest
from motion.roles.namings import NAMINGS
from motion.roles.people import person

quiet = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
TENTH_OF_A_MILLIMETRE = 1e-4


@given(motions(), st.sampled_from(TAIT_BRYAN))
@quiet
def test_motions_read_back_in_every_order(tmp_path, motion, order):
    save(motion, tmp_path / "a.bvh", order=order)
    again = load(tmp_path / "a.bvh", scale=1.0, up="y", positions="replace")
    # The file's joints follow the braces, depth first.
    order_of = [motion.skeleton.names.index(name) for name in again.skeleton.names]
    assert again.rate == pytest.approx(motion.rate, rel=1e-15)  # not every rate is one over a decimal
    assert len(again) == len(motion)
    places = motion.positions_world()[:, order_of]
    assert np.abs(again.positions_world() - places).max() < 0.1 * TENTH_OF_A_MILLIMETRE
    assert np.abs(np.sort(again.tips_world(), axis=1) - np.sort(motion.tips_world(), axis=1)).max() < 1e-5
    assert set(again.source.euler_orders) == {order}


@given(motions(plain=True, moving_joints=False))
@quiet
def test_what_was_written_and_read_writes_the_same_file(tmp_path, motion):
    """Detection of unit and axis finds metres and Y up in what we wrote, so nothing drifts from save to save."""
    save(motion, tmp_path / "a.bvh")
    first = load(tmp_path / "a.bvh")
    save(first, tmp_path / "b.bvh")
    second = load(tmp_path / "b.bvh")
    assert (second.source.scale, second.source.up) == (1.0, "y")
    assert same_places(first, second, 0.1 * TENTH_OF_A_MILLIMETRE)


@given(motions(plain=True))
@quiet
def test_the_rest_pose_survives_for_rigs_with_their_own_axes(tmp_path, motion):
    turned = R.normalise(np.random.default_rng(len(motion)).normal(size=(len(motion.skeleton), 4)))
    rig = Skeleton(motion.skeleton.names, motion.skeleton.parents, motion.skeleton.offsets, turned)
    posed = Motion(rig, 30.0, R.identity(2, len(rig)))
    save(posed, tmp_path / "a.bvh")
    again = load(tmp_path / "a.bvh", scale=1.0, up="y")
    order = [rig.names.index(name) for name in again.skeleton.names]
    rest = rig.rest_world()[1][order]
    assert np.abs(again.skeleton.rest_world()[1] - (rest - rest[0])).max() < 1e-6
    assert same_places(with_plain_rest(posed), posed, 1e-9)


def test_the_file_is_as_strict_readers_want_it(tmp_path):
    path = tmp_path / "a.bvh"
    path.write_text(SIMPLE)
    save(load(path), tmp_path / "b.bvh")
    text = (tmp_path / "b.bvh").read_text()
    lines = text.split("\n")
    assert lines[:4] == ["HIERARCHY", "ROOT Hips", "{", "\tOFFSET 0.00000000 0.00000000 0.00000000"]
    assert lines[4] == "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    assert text.count("End Site") == 1
    assert text.count("{") == text.count("}")
    assert re.search(r"\nMOTION\nFrames: 3\nFrame Time: 0\.040000\n", text)
    assert "-0.000000" not in text
    assert "\r" not in text
    assert text.endswith("\n")
    assert [len(line.split()) for line in lines[-4:-1]] == [9, 9, 9]


def test_every_leaf_gets_an_end_site(tmp_path):
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 0]), np.array([[0, 0, 0], [0, 1.0, 0], [1.0, 0, 0]]))
    save(Motion(skeleton, 30.0, R.identity(2, 3)), tmp_path / "a.bvh")
    assert (tmp_path / "a.bvh").read_text().count("End Site") == 2
    assert load(tmp_path / "a.bvh", scale=1.0).skeleton.tips == ()


def test_names_become_single_unique_words_and_that_is_said(tmp_path):
    skeleton = Skeleton(("Bip01 L Arm", "hand", "hand"), np.array([-1, 0, 0]), np.eye(3))
    motion = Motion(skeleton, 30.0, R.identity(1, 3))
    with pytest.warns(MotionFileWarning, match="'Bip01 L Arm' → 'Bip01_L_Arm'"):
        save(motion, tmp_path / "a.bvh")
    assert load(tmp_path / "a.bvh").skeleton.names == ("Bip01_L_Arm", "hand", "hand_2")
    save(motion, tmp_path / "b.bvh", plain_names=True)
    assert load(tmp_path / "b.bvh").skeleton.names == ("Bip01_L_Arm", "hand", "hand_2")


def test_plain_names_suit_engines(tmp_path):
    skeleton = Skeleton(("mixamorig:Hips", "hüfte.L", "1", "***"), np.array([-1, 0, 0, 0]), np.ones((4, 3)))
    save(Motion(skeleton, 30.0, R.identity(1, 4)), tmp_path / "a.bvh", plain_names=True)
    names = load(tmp_path / "a.bvh").skeleton.names
    assert names == ("mixamorig_Hips", "h_fte_L", "joint_1", "joint_3")


def test_several_roots_get_one_above_them(tmp_path, rng):
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, -1, 1]), rng.normal(size=(3, 3)))
    motion = Motion(skeleton, 30.0, R.normalise(rng.normal(size=(4, 3, 4))))
    with pytest.warns(MotionFileWarning, match="2 roots were put under a new joint 'root'"):
        save(motion, tmp_path / "a.bvh")
    again = load(tmp_path / "a.bvh", scale=1.0)
    assert again.skeleton.names == ("root", "a", "b", "c")
    assert np.abs(again.positions_world()[:, 1:] - motion.positions_world()).max() < 1e-5


@pytest.mark.parametrize(("up", "scale"), [("y", 1.0), ("z", 1.0), ("z", 100.0), ("y", 39.37)])
def test_other_units_and_axes(tmp_path, rng, up, scale):
    q = R.normalise(rng.normal(size=(5, 3, 4)))
    skeleton = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), rng.normal(size=(3, 3)))
    motion = Motion(skeleton, 30.0, q)
    save(motion, tmp_path / "a.bvh", up=up, scale=scale)
    raw = load(tmp_path / "a.bvh", scale=1.0, up="y").positions_world() / scale
    x, y, z = np.moveaxis(motion.positions_world(), -1, 0)
    wanted = np.stack([x, -z, y] if up == "z" else [x, y, z], axis=-1)
    assert np.abs(raw - wanted).max() < 1e-5
    back = load(tmp_path / "a.bvh", scale=1.0 / scale, up=up)
    assert same_places(back, motion, 1e-5)


@pytest.mark.parametrize("rate", [24.0, 23.976, 30.0, 29.97, 60.0, 120.0, 1 / 0.0083333, 119.8753, 1e-3, 1e5, 7.0])
def test_every_rate_survives_to_the_last_bit(tmp_path, rate):
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    save(Motion(skeleton, rate, R.identity(2, 1)), tmp_path / "a.bvh")
    assert load(tmp_path / "a.bvh").rate == pytest.approx(rate, rel=1e-15)


def test_a_failed_save_leaves_the_old_file_and_no_litter(tmp_path, monkeypatch):
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    motion = Motion(skeleton, 30.0, R.identity(2, 1))
    path = tmp_path / "a.bvh"
    path.write_text("precious")
    monkeypatch.setattr("kinesphere.files.bvh.write._channel_rows", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save(motion, path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_written_is_refused(tmp_path):
    skeleton = Skeleton(("a",), np.array([-1]), np.zeros((1, 3)))
    motion = Motion(skeleton, 30.0, R.identity(2, 1))
    with pytest.raises(MotionFileError, match=r"'.fbx'; expected one of .bvh"):
        save(motion, tmp_path / "a.fbx")
    with pytest.raises(MotionFileError, match="'XYX'; expected one of XYZ"):
        save(motion, tmp_path / "a.bvh", order="XYX")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        save(motion, tmp_path / "nowhere" / "a.bvh")
    scaled = Motion(skeleton, 30.0, R.identity(2, 1), scales=np.full((2, 1, 3), 1.1))
    with pytest.warns(MotionFileWarning, match="surface scales"):
        save(scaled, tmp_path / "a.bvh")


@pytest.mark.filterwarnings("ignore:.*names were changed")
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("naming", NAMINGS)
def test_roles_are_found_again_in_changed_names(tmp_path, naming, plain):
    """BVH has no place for roles: they are read off names, in which spaces, colons and dots became underscores."""
    skeleton = person(NAMINGS[naming])
    before = find_roles(skeleton)
    save(Motion(skeleton, 30.0, R.identity(2, len(skeleton))), tmp_path / "a.bvh", plain_names=plain)
    after = find_roles(load(tmp_path / "a.bvh", scale=1.0, up="y").skeleton)
    renamed = writable_names(skeleton.names, plain=plain)
    assert {role: renamed[joint] for role, joint in before.roles.items()} == {
        role: after.names[joint] for role, joint in after.roles.items()
    }
    assert after.overall == pytest.approx(before.overall, abs=0.02)


def test_some_of_these_names_have_spaces(tmp_path):
    skeleton = person(NAMINGS["3ds Max Biped"])
    assert "Bip01 L Thigh" in skeleton.names
    with pytest.warns(MotionFileWarning, match="'Bip01 Pelvis' → 'Bip01_Pelvis'"):
        save(Motion(skeleton, 30.0, R.identity(2, len(skeleton))), tmp_path / "a.bvh")
    roles = load(tmp_path / "a.bvh").skeleton
    assert roles.names[roles.roles["leftUpperLeg"]] == "Bip01_L_Thigh"
