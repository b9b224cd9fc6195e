"""Forward kinematics: against plain matrices, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import motions
from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R


def by_matrices(q, t, parents):
    """4 × 4 matrices multiplied joint by joint: slow, and hard to get wrong."""
    frames, joints = q.shape[:2]
    world = np.zeros((frames, joints, 4, 4))
    for f in range(frames):
        for j in range(joints):
            local = np.eye(4)
            local[:3, :3], local[:3, 3] = R.to_matrix(q[f, j]), t[f, j]
            world[f, j] = local if parents[j] < 0 else world[f, parents[j]] @ local
    return world


@given(motions(roots=2))
@settings(max_examples=50)
def test_positions_and_rotations_equal_products_of_matrices(motion):
    world = by_matrices(motion.rotations, motion.translations, motion.skeleton.parents)
    q, p = motion.world()
    assert np.abs(p - world[..., :3, 3]).max() < 1e-10
    assert np.abs(R.to_matrix(q) - world[..., :3, :3]).max() < 1e-10
    assert np.abs(motion.positions_world() - p).max() < 1e-12


@given(motions(roots=2))
@settings(max_examples=50)
def test_inverse_undoes_forward(motion):
    q, p = motion.world()
    local_q, local_t = kinematics.inverse(q, p, motion.skeleton.parents)
    assert np.abs(local_t - motion.translations).max() < 1e-10
    assert R.angle_between(local_q, motion.rotations).max() < 1e-6


@pytest.mark.parametrize("frames", [1, 7, 20_000])
def test_many_frames_are_the_frames_one_by_one(frames, rng):
    """20,000 frames are shared among threads; the seams must not show."""
    parents = np.array([-1, 0, 1, 1, 0, -1, 5])
    q = R.normalise(rng.normal(size=(frames, 7, 4)))
    t = rng.normal(size=(frames, 7, 3))
    world_q, world_t = kinematics.forward(q, t, parents)
    some = np.unique(np.linspace(0, frames - 1, 30).astype(int))
    world = by_matrices(q[some], t[some], parents)
    assert np.abs(world_t[some] - world[..., :3, 3]).max() < 1e-12
    assert np.abs(R.to_matrix(world_q[some]) - world[..., :3, :3]).max() < 1e-12
    assert np.abs(kinematics.forward_positions(q, t, parents) - world_t).max() < 1e-12
    local_q, local_t = kinematics.inverse(world_q, world_t, parents)
    assert np.abs(local_q - q).max() < 1e-12
    assert np.abs(local_t - t).max() < 1e-12


def test_a_crowd_is_one_call(rng):
    parents = np.array([-1, 0, 1])
    q, t = R.normalise(rng.normal(size=(3, 5, 3, 4))), rng.normal(size=(3, 1, 3, 3))
    _, together = kinematics.forward(q, t, parents)
    assert together.shape == (3, 5, 3, 3)
    alone = kinematics.forward(q[2, 4], t[2, 0], parents)[1]
    assert np.abs(together[2, 4] - alone).max() < 1e-12


def test_wrong_shapes_and_orders_are_named():
    with pytest.raises(ValueError, match="a parent must come before its children"):
        kinematics.forward(R.identity(2), np.zeros((2, 3)), [1, -1])
    with pytest.raises(ValueError, match=r"\(\.\.\., 2, 4\)"):
        kinematics.forward(R.identity(3), np.zeros((2, 3)), [-1, 0])


PARENTS = np.array([-1, 0, 1, 1, 0, -1, 5])


def test_joints_that_are_not_known_keep_their_rest_rotations_on_their_parents(rng):
    known = np.array([True, False, True, False, False, False, True])
    rest, offsets = R.normalise(rng.normal(size=(7, 4))), rng.normal(size=(7, 3))
    given = R.normalise(rng.normal(size=(50, 7, 4)))
    world = given.copy()
    kinematics.complete_rotations(world, known, rest, PARENTS)
    assert np.array_equal(world[:, known], given[:, known])
    for joint in np.flatnonzero(~known):
        expected = rest[joint] if PARENTS[joint] < 0 else R.multiply(world[:, PARENTS[joint]], rest[joint])
        assert np.abs(world[:, joint] - expected).max() < 1e-14
    local, _ = kinematics.inverse(world, np.zeros((50, 7, 3)), PARENTS)
    wanted = kinematics.forward_positions(local, np.broadcast_to(offsets, (50, 7, 3)), PARENTS)
    assert np.abs(kinematics.place_joints(world, offsets, PARENTS) - wanted).max() < 1e-12


def test_a_chain_is_its_part_of_the_whole(rng):
    q, t = R.normalise(rng.normal(size=(30, 7, 4))), rng.normal(size=(30, 7, 3))
    joints, above = kinematics.with_ancestors(PARENTS, [6, 2])
    assert joints.tolist() == [0, 1, 2, 5, 6]
    assert above.tolist() == [-1, 0, 1, -1, 3]
    some_q, some_t = kinematics.forward_some(q, t, joints, above)
    world_q, world_t = kinematics.forward(q, t, PARENTS)
    assert np.abs(some_q - world_q[:, joints]).max() < 1e-12
    assert np.abs(some_t - world_t[:, joints]).max() < 1e-12
    offsets = rng.normal(size=(3, 3))
    points = kinematics.attached_points(some_q, some_t, np.array([2, 4, 2]), offsets)
    for k, joint in enumerate((2, 6, 2)):
        assert np.abs(points[:, k] - world_t[:, joint] - R.rotate(world_q[:, joint], offsets[k])).max() < 1e-12
