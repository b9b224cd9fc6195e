"""Joint limits: what is within them stays, what is past them is said and held."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from body.test_contacts import WALK, cmu
from kinesphere import Motion
from kinesphere.body.limits import clamp_to_limits, limit_excess
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import with_plain_rest


def posed(role: str, vector: list[float]) -> Motion:
    """The rest pose, with one joint turned about world axes."""
    skeleton = WALK.skeleton
    q = np.tile(skeleton.rest_rotations, (1, 1, 1))
    q[0, skeleton.roles[role]] = R.from_rotation_vector(np.radians(vector))
    return Motion(skeleton, 30.0, q)


def past(motion: Motion, role: str) -> float:
    return float(np.degrees(limit_excess(motion)[role][0]))


def test_rest_and_a_walk_are_within() -> None:
    rest = posed("hips", [0.0, 0.0, 0.0])
    assert all(excess.max() == 0.0 for excess in limit_excess(rest).values())
    assert clamp_to_limits(rest).rotations.tobytes() == rest.rotations.tobytes()
    worst = {role: float(np.degrees(excess.max())) for role, excess in limit_excess(WALK).items()}
    assert max(worst.values()) < 10.0, worst


@pytest.mark.parametrize(
    ("role", "vector", "expected"),
    [
        ("leftLowerLeg", [90.0, 0.0, 0.0], 0.0),  # a knee folds backward
        ("leftLowerLeg", [-40.0, 0.0, 0.0], 30.0),  # and not forward
        ("rightLowerLeg", [-40.0, 0.0, 0.0], 30.0),
        ("leftUpperLeg", [-110.0, 0.0, 0.0], 0.0),  # a thigh comes up in front
        ("leftUpperLeg", [60.0, 0.0, 0.0], 30.0),  # and not far behind
        ("leftUpperLeg", [0.0, 0.0, 40.0], 0.0),  # aside, outward
        ("leftUpperLeg", [0.0, 0.0, -40.0], 10.0),  # inward
        ("rightUpperLeg", [0.0, 0.0, 40.0], 10.0),
        ("leftUpperLeg", [0.0, 65.0, 0.0], 20.0),  # turned about itself
        ("leftLowerArm", [0.0, -120.0, 0.0], 0.0),  # elbows bend forward
        ("leftLowerArm", [0.0, 40.0, 0.0], 30.0),
        ("rightLowerArm", [0.0, -40.0, 0.0], 30.0),
        ("leftUpperArm", [0.0, 0.0, -90.0], 0.0),  # hanging
        ("leftUpperArm", [0.0, 0.0, 90.0], 0.0),  # up
        ("leftUpperArm", [0.0, 120.0, 0.0], 35.0),  # behind the back, level
        ("leftHand", [0.0, 0.0, -70.0], 0.0),  # palm down at rest: flexion is down
        ("leftHand", [0.0, 0.0, 90.0], 20.0),
        ("rightHand", [0.0, 0.0, 70.0], 0.0),
        ("leftFoot", [70.0, 0.0, 0.0], 20.0),  # pointed
        ("head", [0.0, 60.0, 0.0], 20.0),  # half of the neck's 80
    ],
)
def test_angles_are_the_clinical_ones(role: str, vector: list[float], expected: float) -> None:
    motion = posed(role, vector)
    assert past(motion, role) == pytest.approx(expected, abs=0.5)
    held = clamp_to_limits(motion)
    assert past(held, role) == pytest.approx(0.0, abs=1e-6)
    moved = np.degrees(R.angle_between(held.rotations, motion.rotations)).max()
    assert moved == pytest.approx(expected, abs=max(0.5, 0.05 * expected))


def wild(seed: int) -> Motion:
    rng = np.random.default_rng(seed)
    q = R.from_rotation_vector(rng.normal(scale=1.2, size=(200, len(WALK.skeleton), 3)))
    return Motion(WALK.skeleton, 30.0, R.continuous(q))


def test_clamped_is_within_and_clamping_again_changes_nothing() -> None:
    motion = wild(3)
    once = clamp_to_limits(motion)
    assert max(excess.max() for excess in limit_excess(motion).values()) > 1.0
    assert max(excess.max() for excess in limit_excess(once).values()) < 1e-7
    twice = clamp_to_limits(once)
    assert R.angle_between(once.rotations, twice.rotations).max() < 1e-6
    inside = np.stack(list(limit_excess(motion).values())).max(axis=0) == 0.0
    assert np.array_equal(once.rotations[inside], motion.rotations[inside])


def test_joint_axes_do_not_matter() -> None:
    """The same poses on a skeleton whose joints have other axes at rest."""
    motion = wild(4)
    skeleton = motion.skeleton
    rng = np.random.default_rng(9)
    axes = R.from_rotation_vector(rng.normal(size=(len(skeleton), 3)))
    above = np.where(skeleton.parents[:, None] < 0, R.identity(), axes[skeleton.parents])
    rest = R.multiply(R.conjugate(above), axes)
    offsets = R.rotate(R.conjugate(above), skeleton.offsets)
    turned = replace(skeleton, offsets=offsets, rest_rotations=rest, tips=())
    local = R.multiply(R.multiply(R.conjugate(above), motion.rotations), axes)
    other = Motion(turned, 30.0, R.continuous(local))
    assert np.allclose(other.positions_world(), motion.positions_world(), atol=1e-9)
    a, b = limit_excess(motion), limit_excess(other)
    assert all(np.allclose(a[role], b[role], atol=1e-7) for role in a)
    held = with_plain_rest(clamp_to_limits(other))
    assert np.allclose(held.positions_world(), clamp_to_limits(motion).positions_world(), atol=1e-6)


def test_mirrored_motions_are_past_by_the_same() -> None:
    motion = wild(5)
    a, b = limit_excess(motion), limit_excess(motion.mirrored())
    for role in ("UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes", "Shoulder"):
        assert np.allclose(a[f"left{role}"], b[f"right{role}"], atol=1e-7), role
    assert np.allclose(a["chest"], b["chest"], atol=1e-7)


def test_calibration_frames_are_left_alone() -> None:
    motion = replace(wild(6), calibration_frames=(0, 1))
    held = clamp_to_limits(motion)
    assert np.array_equal(held.rotations[:2], motion.rotations[:2])


@pytest.mark.data
@pytest.mark.parametrize("name", ["02_01", "12_01", "144_20"])
def test_captures_exceed_a_little_and_seldom(data_dir: Path, name: str) -> None:
    motion = cmu(data_dir, name)
    excess = np.stack(list(limit_excess(motion).values()))[:, motion.performed_frames]
    assert (excess > 0.0).mean() < 0.25
    assert np.degrees(np.percentile(excess, 95)) < 15.0
    held = clamp_to_limits(motion)
    assert np.stack(list(limit_excess(held).values()))[:, motion.performed_frames].max() < 1e-7
