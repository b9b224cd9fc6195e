"""Mirrors: twice is once, left is right, and real walks stay walks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import seeds
from kinesphere import Motion, Skeleton, load
from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import mirror_joints, mirror_name

FIGURE = Skeleton(
    ("hips", "LeftArm", "LeftHand", "RightArm", "RightHand", "head"),
    np.array([-1, 0, 1, 0, 3, 0]),
    np.array([[0, 1.0, 0], [0.2, 0.5, 0], [0.3, 0, 0], [-0.2, 0.5, 0], [-0.3, 0, 0], [0, 0.7, 0]]),
)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("LeftUpLeg", "RightUpLeg"),
        ("mixamorig:RightHand", "mixamorig:LeftHand"),
        ("LHipJoint", "RHipJoint"),
        ("lShldr", "rShldr"),
        ("thigh_l", "thigh_r"),
        ("hand.R", "hand.L"),
        ("J_Bip_L_Hand", "J_Bip_R_Hand"),
        ("Bip01 L Thigh", "Bip01 R Thigh"),
        ("rightEye", "leftEye"),
        ("Spine", None),
        ("Collar", None),
        ("abdomen", None),
        ("LowerBack", None),
        ("root", None),
    ],
)
def test_names_of_sides(name, other):
    assert mirror_name(name) == other


def test_partners_by_name_and_by_place():
    assert mirror_joints(FIGURE).tolist() == [0, 3, 4, 1, 2, 5]
    nameless = FIGURE.renamed([f"j{i}" for i in range(6)])
    assert mirror_joints(nameless).tolist() == [0, 3, 4, 1, 2, 5]


def test_a_mirrored_pose_is_the_mirror_image(rng):
    q = R.normalise(rng.normal(size=(7, 6, 4)))
    t = np.tile(FIGURE.offsets, (7, 1, 1))
    t[:, 0] += rng.normal(size=(7, 3))
    motion = Motion(FIGURE, 30.0, q, t)
    image = motion.positions_world()[:, [0, 3, 4, 1, 2, 5]] * [-1, 1, 1]
    assert np.abs(motion.mirrored().positions_world() - image).max() < 1e-12


@given(seeds)
@settings(max_examples=50)
def test_any_axes_and_loose_joints_make_no_difference(seed):
    """The same figure with its joints' axes turned anyhow: the same mirror image, and twice is none."""
    rng = np.random.default_rng(seed)
    axes = R.normalise(rng.normal(size=(6, 4)))
    local_rest, local_offsets = kinematics.inverse(axes, FIGURE.rest_world()[1], FIGURE.parents)
    rig = Skeleton(FIGURE.names, FIGURE.parents, local_offsets, local_rest)
    q, t = R.normalise(rng.normal(size=(9, 6, 4))), np.tile(rig.offsets, (9, 1, 1))
    t += rng.normal(scale=0.1, size=t.shape)
    motion = Motion(rig, 30.0, q, t)
    image = motion.positions_world()[:, [0, 3, 4, 1, 2, 5]] * [-1, 1, 1]
    once = motion.mirrored()
    assert np.abs(once.positions_world() - image).max() < 1e-5
    assert np.abs(once.mirrored().positions_world() - motion.positions_world()).max() < 1e-5


@pytest.mark.data
@pytest.mark.parametrize(
    ("clip", "asymmetry"),
    [
        ("bvh/cmu/137_33.bvh", 0.03),  # bone lengths of left and right differ by some millimetres in a real person
        ("bvh_odd/real/mocapbank_tab_headers.bvh", 0.01),
        ("bvh/animated_drawings/zombie.bvh", 0.001),
        ("bvh/animated_drawings/jesse_dance.bvh", 0.001),  # at rest all its bones point along x
        ("bvh/three_js/pirouette.bvh", 0.002),
        ("characters/CesiumMan.glb", 0.001),  # its left arm is numbered backwards
        ("characters/kaykit_manny/Med_General_animations.glb", 0.001),
    ],
)
def test_real_clips_mirror_to_within_their_own_asymmetry(data_dir, clip, asymmetry):
    motion = load(data_dir / clip)
    partner = mirror_joints(motion.skeleton)
    assert all(partner[i] != i for i, name in enumerate(motion.skeleton.names) if mirror_name(name) is not None)
    image = motion.positions_world()[:, partner] * [-1, 1, 1]
    assert np.linalg.norm(motion.mirrored().positions_world() - image, axis=-1).max() < asymmetry
    back = motion.mirrored().mirrored()
    assert np.abs(back.positions_world() - motion.positions_world()).max() < 1e-5
