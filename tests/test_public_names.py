"""Names that people outside rely on: renaming one breaks them, and this."""

from __future__ import annotations

import importlib
import inspect
import json
import subprocess
import sys

import pytest

import kinesphere
from kinesphere import Motion, Skeleton

ROOMS = [
    "analysis",
    "body",
    "builtin",
    "direction",
    "engine",
    "files",
    "laban",
    "maths",
    "motion",
    "performance",
    "pictures",
    "score",
    "scripts",
    "signals",
]
# fmt: off
TOP_LEVEL = [
    "load", "save", "load_character", "save_character", "clip_names", "load_keypoints", "save_keypoints",
    "load_mapping", "save_mapping", "load_score", "save_score", "Motion", "Skeleton", "Tip", "Character", "Mesh",
    "Gesture", "Keypoint", "Keypoints", "TimeMap", "RoleMap", "Score", "Layer", "Scope", "MotionFileError",
    "MotionFileWarning", "perform", "render", "render_all", "Express", "Effort", "EffortModel", "effort_model",
    "Shape", "Part", "Equalize", "Blend", "Timewarp", "Waveshape", "Displace", "Drive", "Smooth", "EditKeys", "align",
    "concatenate",
    "retime", "retarget", "calibrate", "Calibration", "find_roles", "lock_feet", "find_contacts", "Contacts",
    "find_ground",
    "place_on_ground", "clamp_to_limits", "limit_excess", "centre_of_mass", "support_polygon", "film", "still", "sheet",
    "figure", "mo", "observe", "observe_recorded", "Body", "body_of", "Phrase", "phrase_of", "generate", "stream",
    "Behaviour", "Breath", "Sway", "Fidget", "Pose", "Scene", "Words", "Stillness", "loop", "save_clips",
    "lift", "explain", "Composite", "Sketch", "Script", "load_script",
]
# fmt: on

PROMISED = {
    "load": ("path", "clip", "scale", "up", "rate", "salvage"),
    "clip_names": ("path",),
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


def test_the_top_level_has_these_names_and_rooms_and_no_others():
    assert set(kinesphere.__all__) == set(TOP_LEVEL) | set(ROOMS)
    for name in TOP_LEVEL:
        value = getattr(kinesphere, name)
        assert callable(value), name
        assert value.__name__ == name
    with pytest.raises(AttributeError, match="nonsense"):
        _ = kinesphere.nonsense


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_names_and_shows_only_them(room):
    module = importlib.import_module(f"kinesphere.{room}")
    assert getattr(kinesphere, room) is module
    assert module.__doc__
    assert module.__all__
    assert set(dir(module)) == set(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        assert value.__name__.rpartition(".")[2] == name


def test_the_package_shows_only_its_names():
    assert set(dir(kinesphere)) == set(kinesphere.__all__)


def test_importing_the_package_loads_nothing_heavy_and_rooms_come_by_themselves():
    code = (
        "import sys, json, kinesphere\n"
        "early = sorted(sys.modules)\n"
        "assert kinesphere.signals.Equalize is kinesphere.Equalize\n"
        "print(json.dumps(early))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)).isdisjoint({"numpy", "kinesphere._native", "scipy", "PIL", "kinesphere.motion"})


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
