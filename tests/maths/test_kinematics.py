"""Forward kinematics: against plain matrices, compiled against plain, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import motions
from kinesphere.maths import compiled, kinematics
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
def test_compiled_kernels_equal_their_reference(frames, rng):
    """20,000 frames are shared among threads; the seams must not show."""
    parents = np.array([-1, 0, 1, 1, 0, -1, 5])
    q = R.normalise(rng.normal(size=(frames, 7, 4)))
    t = rng.normal(size=(frames, 7, 3))
    assert compiled.warm_up() is not None, "numba is part of the installation"
    q_fast, p_fast = kinematics.forward(q, t, parents)
    q_plain, p_plain = kinematics.forward_reference(q, t, parents)
    assert np.abs(q_fast - q_plain).max() < 1e-12
    assert np.abs(p_fast - p_plain).max() < 1e-12
    assert np.abs(kinematics.forward_positions(q, t, parents) - p_plain).max() < 1e-12
    back, plain = kinematics.inverse(q_plain, p_plain, parents), kinematics.inverse_reference(q_plain, p_plain, parents)
    assert np.abs(back[0] - plain[0]).max() < 1e-12
    assert np.abs(back[1] - plain[1]).max() < 1e-12


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


def test_carried_joints_and_their_places(rng):
    """Joints that are not known keep their rest rotations on their parents; compiled and plain alike."""
    parents = np.array([-1, 0, 1, 1, 0, -1, 5])
    known = np.array([True, False, True, False, False, False, True])
    rest, offsets = R.normalise(rng.normal(size=(7, 4))), rng.normal(size=(7, 3))
    given = R.normalise(rng.normal(size=(50, 7, 4)))
    plain, fast = given.copy(), given.copy()
    kinematics.complete_rotations_reference(plain, known, rest, parents)
    assert compiled.warm_up() is not None
    kinematics.complete_rotations(fast, known, rest, parents)
    assert np.abs(fast - plain).max() < 1e-14
    assert np.array_equal(fast[:, known], given[:, known])
    assert np.abs(fast[:, 3] - R.multiply(fast[:, 1], rest[3])).max() < 1e-14
    local, _ = kinematics.inverse(fast, np.zeros((50, 7, 3)), parents)
    wanted = kinematics.forward_positions(local, np.broadcast_to(offsets, (50, 7, 3)), parents)
    for places in (
        kinematics.place_joints(fast, offsets, parents),
        kinematics.place_joints_reference(fast, offsets, parents),
    ):
        assert np.abs(places - wanted).max() < 1e-12
