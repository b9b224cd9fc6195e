"""Names that people outside rely on: renaming one breaks them, and this."""

from __future__ import annotations

import inspect

import pytest

import kinesphere
from kinesphere import Motion, Skeleton

PROMISED = {
    "load": ("path", "clip", "scale", "up", "rate", "salvage"),
    "clips": ("path",),
    "save": ("motion", "path", "character"),
    "load_character": ("path",),
    "retarget": ("motion", "target"),
    "calibrate": ("source", "target"),
    "lock_feet": ("motion",),
}


@pytest.mark.parametrize("name", PROMISED)
def test_functions_take_what_was_promised(name):
    parameters = inspect.signature(getattr(kinesphere, name)).parameters
    positional = [p.name for p in parameters.values() if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert set(PROMISED[name]) <= set(parameters)
    assert positional[0] == PROMISED[name][0]
    for extra in set(parameters) - set(PROMISED[name]):
        assert parameters[extra].default is not inspect.Parameter.empty, f"{name} must not need {extra}"


def test_every_name_there_is_can_be_had():
    for name in kinesphere.__all__:
        assert getattr(kinesphere, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = kinesphere.nonsense


def test_motions_and_skeletons_have_what_was_promised():
    from figures import walking_pair

    motion = walking_pair()
    frames, joints = len(motion), len(motion.skeleton)
    assert isinstance(motion, Motion)
    assert isinstance(motion.skeleton, Skeleton)
    assert (motion.rotations.shape, motion.translations.shape) == ((frames, joints, 4), (frames, joints, 3))
    assert motion.scales is None
    assert motion.duration == (frames - 1) / motion.rate
    assert motion.positions_world().shape == (frames, joints, 3)
    assert motion.rotations_world().shape == (frames, joints, 4)
    skeleton = motion.skeleton
    assert (len(skeleton.names), len(skeleton.parents)) == (joints, joints)
    assert (skeleton.offsets.shape, skeleton.rest_rotations.shape) == ((joints, 3), (joints, 4))
    assert dict(skeleton.roles) == {}
    assert issubclass(kinesphere.MotionFileError, Exception)
