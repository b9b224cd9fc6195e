"""What a recording does itself: Effort makes more or less of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Effort, lift, load, perform
from kinesphere.engine.lifting import body_angles
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_hands import hanging, wrist_path
from kinesphere.engine.recorded_life import MOST, recorded_life
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations as R
from kinesphere.maths.filters import gaussian
from kinesphere.motion.checked_arrays import freeze
from recordings import record

LEVELS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def with_wobble(motion, role, axis, degrees, hertz=1.1):
    """A recording whose joint wobbles."""
    joint = motion.skeleton.roles[role]
    angles = np.radians(degrees) * np.sin(2.0 * np.pi * hertz * motion.times)
    local = motion.rotations.copy()
    turns = R.from_rotation_vector(angles[:, None] * np.asarray(axis, dtype=np.float64))
    local[:, joint] = R.multiply(turns, local[:, joint])
    return replace(motion, rotations=freeze(R.continuous(local)))


def head_moves(motion) -> float:
    """Radians that a head moves about its mean on the chest."""
    poses = RecordedPoses.of(motion)
    angles = body_angles(R.multiply(R.conjugate(poses.chest), poses.head))
    return float(np.sqrt(np.mean((angles - gaussian(angles, motion.rate, ends="reflect")) ** 2)))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_flow_holds_or_loosens_what_a_neck_does_itself(axis):
    motion = with_wobble(record("wave", life=0.0), "head", axis, 9.0)
    own = [head_moves(perform(motion, Effort(flow=level)) if level else motion) for level in LEVELS]
    assert (np.diff(own) < 0.0).all(), own
    assert own[-1] < 0.55 * own[2]
    assert own[0] > 1.2 * own[2]


def test_direct_takes_glances_away():
    motion = with_wobble(record("wave", life=0.0), "head", (0, 1, 0), 12.0, 0.9)

    def roams(made):
        face = R.rotate(RecordedPoses.of(made).head, np.array([0.0, 0.0, 1.0]))
        turned = np.unwrap(np.arctan2(face[:, 0], face[:, 2]))
        return float(np.std(turned - gaussian(turned, made.rate, ends="reflect")))

    assert roams(perform(motion, Effort(space=1.0))) < 0.6 * roams(motion)
    assert roams(perform(motion, Effort(space=-1.0))) > roams(motion)


def still_record():
    """A recording of a body that does nothing."""
    motion = record("wave", life=0.0)
    return replace(
        motion,
        rotations=freeze(np.repeat(motion.rotations[:1], len(motion), 0)),
        translations=freeze(np.repeat(motion.translations[:1], len(motion), 0)),
    )


def face_turned(motion):
    """``(T,)`` radians that a face is turned in the world, about its mean."""
    face = R.rotate(RecordedPoses.of(motion).head, np.array([0.0, 0.0, 1.0]))
    turned = np.unwrap(np.arctan2(face[:, 0], face[:, 2]))
    return turned - turned.mean()


@pytest.mark.parametrize("effort", [Effort(space=1.0), Effort(flow=1.0)])
def test_what_stillness_took_from_a_rest_is_not_taken_again(effort):
    motion = with_wobble(still_record(), "head", (0, 1, 0), 12.0, 0.9)
    levels = [face_turned(motion)]
    for share in (0.25, 0.5, 0.75, 1.0):
        made = face_turned(perform(motion, effort, intensity=share))
        levels.append(np.interp(np.linspace(0.0, 1.0, len(motion)), np.linspace(0.0, 1.0, len(made)), made))
    inner = slice(len(motion) // 4, -(len(motion) // 4))
    kept = [float(own[inner] @ levels[0][inner]) for own in levels]
    assert (np.diff(kept) < 0.0).all(), kept
    assert kept[-1] > -0.02 * kept[0], kept  # no head that shakes the other way round


@pytest.mark.parametrize("levels", [(0.5, 1.0)])
def test_a_direct_face_does_not_sway_with_the_chest(levels):
    motion = with_wobble(record("wave", life=0.0), "spine", (0, 1, 0), 10.0, 0.8)

    def sways(made):
        turned = face_turned(made)
        return float(np.std(turned - gaussian(turned, made.rate, ends="reflect")))

    own = [sways(motion), *(sways(perform(motion, Effort(space=level))) for level in levels)]
    assert (np.diff(own) < 0.0).all(), own
    assert own[-1] < 0.6 * own[0], own


def test_a_direct_walker_does_not_turn_the_face_against_its_strides():
    motion = with_wobble(record("walk", life=0.0), "head", (0, 1, 0), 9.0, 1.0)
    assert lift(motion).detail.steps.walks
    own = [
        float(np.std(face_turned(perform(motion, Effort(space=level)) if level else motion))) for level in (0, 0.5, 1)
    ]
    assert own[0] > own[1] > own[2], own


def test_a_hand_that_hangs_departs_from_where_it_hangs_alone():
    detail = lift(record("wave", life=0.0)).detail
    life, hangs = recorded_life(detail), hanging(detail.poses, "right")
    columns = [life.columns[f"right.arm.{name}"] for name in ("out", "up", "ahead")]
    assert hangs.min() < 0.01  # it is raised in between
    assert hangs.max() > 0.99
    path = ARM * wrist_path(detail.poses, "right")[hangs > 0.05]
    assert np.abs(life.values[hangs > 0.99][:, columns]).max() < 0.5 * np.ptp(path, axis=0).max()


def test_what_is_less_needs_no_bound_and_what_is_more_has_one():
    motion = with_wobble(record("wave", life=0.0), "head", (0, 1, 0), 40.0)
    life = recorded_life(lift(motion).detail)
    column = life.columns["head.turn"]
    assert np.abs(life.values[:, column]).max() > MOST["head"] > np.abs(life.larger[:, column]).max()


def test_a_still_recording_has_no_life_to_change():
    still = still_record()
    assert np.abs(recorded_life(lift(still).detail).values).max() < 1e-9
    assert head_moves(perform(still, Effort(flow=1.0))) < 0.01


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu/13_10", "cmu/79_38", "cmu/07_01", "cmu/141_13"])
def test_captures_are_held_and_loosened(data_dir, name):
    motion = load(data_dir / "bvh" / f"{name}.bvh").between(0.0, 6.0)
    own = [head_moves(perform(motion, Effort(flow=level)) if level else motion) for level in LEVELS]
    assert own[0] > own[2] > own[-1]
    # A head that hardly moves any more may do so by as little more at full.
    assert (np.diff(own) < 0.05 * (own[0] - own[-1])).all(), own


@pytest.mark.data
@pytest.mark.parametrize("name", ["cmu/13_10", "cmu/79_38"])
def test_light_captures_have_less_energy_in_the_trunk(data_dir, name):
    motion = load(data_dir / "bvh" / f"{name}.bvh").between(0.0, 6.0)

    def energy(made):
        poses = RecordedPoses.of(made)
        joints = [gaussian(poses.position(role), 0.03 * made.rate, ends="point") for role in ("hips", "head")]
        return float(np.mean([np.mean(np.sum((np.gradient(own, axis=0) * made.rate) ** 2, axis=1)) for own in joints]))

    own = [energy(perform(motion, Effort(weight=-level)) if level else motion) for level in (0.0, 0.5, 1.0)]
    assert (np.diff(own) < 0.0).all(), own
