"""Soles of the surface in a motion's own file: other characters stand where it stands."""

from __future__ import annotations

import pytest

from kinesphere import load, mo, perform, retarget, save
from kinesphere.body.ground import find_ground
from kinesphere.builtin.library import motion as builtin
from kinesphere.files.loading import load_character, with_own_soles


def test_a_motion_has_the_soles_of_its_file_s_surface(tmp_path):
    path = tmp_path / "moving.glb"
    save(retarget(builtin("wave"), mo()), path, character=mo())
    motion = load(path)
    known = with_own_soles(motion, path)
    assert not motion.skeleton.soles
    assert dict(known.skeleton.soles) == dict(load_character(path).skeleton.soles) != {}


def test_a_file_without_a_surface_leaves_the_motion(tmp_path):
    for name in ("bones.glb", "bones.bvh"):
        save(builtin("wave"), tmp_path / name)
        motion = load(tmp_path / name)
        assert with_own_soles(motion, tmp_path / name) is motion


@pytest.mark.data
def test_who_performs_a_robot_s_clip_stands_on_the_floor(data_dir):
    """Its surface ends at its foot joints, under which a person's soles would be guessed."""
    made = perform(data_dir / "characters" / "RobotExpressive.glb", words="tired", character="mo")
    assert abs(find_ground(made).height) < 0.03
