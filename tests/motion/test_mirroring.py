"""Mirrors: twice is once, left is right, and real walks stay walks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from generated import motions
from kinesphere import Motion, Skeleton, load
from kinesphere.kernels import rotations as R
from kinesphere.motion.mirroring import other_side, partners

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
    assert other_side(name) == other


def test_partners_by_name_and_by_place():
    assert partners(FIGURE).tolist() == [0, 3, 4, 1, 2, 5]
    nameless = FIGURE.renamed([f"j{i}" for i in range(6)])
    assert partners(nameless).tolist() == [0, 3, 4, 1, 2, 5]


def test_a_mirrored_pose_is_the_mirror_image(rng):
    q = R.normalise(rng.normal(size=(7, 6, 4)))
    t = np.tile(FIGURE.offsets, (7, 1, 1))
    t[:, 0] += rng.normal(size=(7, 3))
    motion = Motion(FIGURE, 30.0, q, t)
    image = motion.positions_world()[:, [0, 3, 4, 1, 2, 5]] * [-1, 1, 1]
    assert np.abs(motion.mirrored().positions_world() - image).max() < 1e-12


@given(motions(roots=2))
@settings(max_examples=50)
def test_a_mirror_twice_is_no_mirror(motion):
    """Whatever the joints' axes, and with joints that move out of their sockets."""
    twice = motion.mirrored([]).mirrored([])
    assert np.abs(twice.translations - motion.translations).max() < 1e-9
    assert R.angle_between(twice.rotations, motion.rotations).max() < 1e-6


@pytest.mark.data
@pytest.mark.parametrize(
    "clip", ["bvh/cmu/137_33.bvh", "bvh/animated_drawings/zombie.bvh", "bvh/three_js/pirouette.bvh"]
)
def test_real_clips_mirror_to_within_their_own_asymmetry(data_dir, clip):
    motion = load(data_dir / clip)
    partner = partners(motion.skeleton)
    sided = [i for i, name in enumerate(motion.skeleton.names) if other_side(name) in motion.skeleton.names]
    assert all(partner[i] != i for i in sided)
    image = motion.positions_world()[:, partner] * [-1, 1, 1]
    # Bone lengths of left and right differ by a centimetre or so in a real person.
    assert np.abs(motion.mirrored().positions_world() - image).max() < 0.06
    back = motion.mirrored().mirrored()
    assert np.abs(back.positions_world() - motion.positions_world()).max() < 1e-9
