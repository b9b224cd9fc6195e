"""The figure's motions on rigs that captures come on are read where they are, and all roles are found."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pytest

from field_clips import MOTIONS, RIGS, put_on_rig
from kinesphere import load
from kinesphere.body.require_roles import require_motion_roles
from kinesphere.motion.humanoid import CORE


@cache
def performed(name):
    motion = MOTIONS[name]()
    return motion[: min(len(motion), round(motion.rate))]


@pytest.mark.parametrize("name", ["walk", "punch"])
@pytest.mark.parametrize("rig", RIGS)
def test_places_and_roles(tmp_path, rig, name):
    motion = performed(name)
    text, truth = put_on_rig(motion, RIGS[rig])
    file = tmp_path / "clip.bvh"
    file.write_text(text, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*taken to be up; up \(--up\) says")  # odd rest poses
        found = load(file)
    above = len(RIGS[rig].dialect.above)
    assert found.rate == pytest.approx(RIGS[rig].rate, rel=1e-6)
    assert np.abs(found.positions_world()[:, above:] - truth).max() < 1e-4
    own = motion.skeleton.with_found_roles().roles
    roles = require_motion_roles(found).skeleton.roles
    assert {role: roles.get(role) for role in CORE if role in own} == {
        role: own[role] + above for role in CORE if role in own
    }
    assert dict(found.skeleton.roles) == dict(roles), "edits have them without asking"
    assert all(own[role] + above == joint for role, joint in roles.items()), "none is wrong"
    if not RIGS[rig].dialect.names:
        assert len(roles) == len(own), "names tell fingers and eyes as well"
