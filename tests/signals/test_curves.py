"""Motions as curves, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Motion, Skeleton
from kinesphere.builtin import motion
from kinesphere.maths import rotations
from kinesphere.signals.curves import Curves, root_joint

UP = np.array([0.0, 1.0, 0.0])


@pytest.mark.parametrize("name", ["walk", "wave", "bow"])
def test_there_and_back(name):
    given = motion(name)
    made = Curves.of(given).with_table(Curves.of(given).table)
    assert rotations.angle_between(made.rotations, given.rotations).max() < 1e-7
    assert np.abs(made.translations - given.translations).max() < 1e-12


def turning(rounds, frames=241):
    """A body that turns about itself while it goes."""
    skeleton = Skeleton(("hips", "chest"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 0.3, 0.0]]))
    share = np.linspace(0.0, 1.0, frames)
    q = rotations.identity(frames, 2)
    q[:, 0] = rotations.from_rotation_vector((2.0 * np.pi * rounds * share)[:, None] * UP)
    t = np.broadcast_to(skeleton.offsets, (frames, 2, 3)).copy()
    t[:, 0, 0] = share
    return Motion(skeleton, 60.0, rotations.continuous(q), t)


@pytest.mark.parametrize("rounds", [-3.0, 0.5, 3.0])
def test_a_pirouette_is_as_many_turns(rounds):
    curves = Curves.of(turning(rounds))
    assert curves.heading[-1] - curves.heading[0] == pytest.approx(2.0 * np.pi * rounds, abs=1e-7)
    tilts = curves.table[:, curves.owners == 0][:, :3]
    assert np.abs(np.diff(tilts, axis=0)).max() < 1e-7


def test_who_goes_head_over_heels_has_no_heading():
    given = turning(0.0)
    over = rotations.from_rotation_vector(
        np.linspace(0.0, 2.0 * np.pi, len(given))[:, None] * np.array([1.0, 0.0, 0.0])
    )
    q = given.rotations.copy()
    q[:, 0] = over
    given = replace(given, rotations=rotations.continuous(q))
    curves = Curves.of(given)
    assert curves.up is None
    assert np.abs(np.diff(curves.table, axis=0)).max() < 0.1
    assert rotations.angle_between(curves.with_table(curves.table).rotations, given.rotations).max() < 1e-7


def test_only_what_moves_has_columns_for_its_place():
    curves = Curves.of(turning(1.0))
    assert curves.moving.tolist() == [0]
    assert curves.table.shape == (241, 3 * 2 + 1 + 3)
    assert curves.owners.tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    assert curves.columns(np.array([False, True])).tolist() == [3, 4, 5]


def test_the_vertical_is_the_worlds_whatever_the_root_is_turned_by():
    """Hips below a root that lies on its back, as in files whose vertical is Z."""
    given = turning(2.0)
    skeleton = Skeleton(
        ("armature", "hips", "chest"), np.array([-1, 0, 1]), np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 0.3]]),
        roles={"hips": 1},
    )  # fmt: skip
    lying = rotations.from_rotation_vector(np.array([-np.pi / 2.0, 0.0, 0.0]))
    q, t = rotations.identity(len(given), 3), np.zeros((len(given), 3, 3))
    q[:, 0] = lying
    q[:, 1] = rotations.multiply(rotations.conjugate(lying), given.rotations[:, 0])
    t[:] = skeleton.offsets
    curves = Curves.of(Motion(skeleton, 60.0, rotations.continuous(q), t))
    assert curves.root == root_joint(skeleton) == 1
    assert curves.heading[-1] - curves.heading[0] == pytest.approx(4.0 * np.pi, abs=1e-7)
