"""Roles that bodies without names have as soon as their poses are known: right ones, or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import mo, retarget
from kinesphere.builtin import motion as builtin_motion
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import CORE
from kinesphere.motion.motion import Motion
from kinesphere.motion.roles import find_roles
from motion.roles.scoring import stripped
from motion.roles.test_people import quadruped
from rerig import turn_axes_anyhow
from rest_poses import REST_POSES

WALK = builtin_motion("walk")[::16]
BODIES = {"figure": WALK, "mo": retarget(builtin_motion("walk"), mo())[::16]}
RESTS = {name: make for name, make in REST_POSES.items() if "origin" not in name}
RESTS |= {f"axes dropped {seed}": lambda m, seed=seed: turn_axes_anyhow(m, seed, plain=True) for seed in range(40, 52)}


def nameless(given: Motion):
    return replace(stripped(given.skeleton), roles={})


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("rest", RESTS)
def test_poses_show_the_roles_whatever_the_rest_pose(rest, body):
    made = RESTS[rest](BODIES[body])
    own = made.skeleton.with_found_roles().roles
    found = nameless(made).with_found_roles(made.positions_world).roles
    assert {role: found.get(role) for role in CORE if role in own} == {role: own[role] for role in CORE if role in own}


def test_without_poses_there_are_no_roles():
    """A rest pose alone may have its sides exchanged."""
    assert not nameless(WALK).with_found_roles().roles


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
def test_a_dog_that_walks_has_none(named):
    skeleton = quadruped(named=named)
    q = R.identity(24, len(skeleton))
    for joint, name in enumerate(quadruped(named=True).names):
        if name.endswith("Leg"):
            phase = np.linspace(0.0, 4.0 * np.pi, 24) + np.pi * (name.startswith("L") != ("Hind" in name))
            q[:, joint] = R.from_rotation_vector(0.5 * np.sin(phase)[:, None] * np.array([1.0, 0.0, 0.0]))
    walk = Motion(skeleton, 24.0, q)
    assert find_roles(skeleton, positions=walk.positions_world()).overall < 0.7
    assert not skeleton.with_found_roles(walk.positions_world).roles


def test_places_that_are_no_numbers_show_nothing():
    skeleton = nameless(WALK)
    assert not skeleton.with_found_roles(lambda: np.full((2, len(skeleton), 3), np.inf)).roles
