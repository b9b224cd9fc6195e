"""What a recording does itself: Effort makes more or less of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Effort, lift, load, perform
from kinesphere.engine.lifting import body_angles
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


def test_what_is_less_needs_no_bound_and_what_is_more_has_one():
    motion = with_wobble(record("wave", life=0.0), "head", (0, 1, 0), 40.0)
    life = recorded_life(lift(motion).detail)
    column = life.columns["head.turn"]
    assert np.abs(life.values[:, column]).max() > MOST["head"] > np.abs(life.larger[:, column]).max()


def test_a_still_recording_has_no_life_to_change():
    motion = record("wave", life=0.0)
    still = replace(
        motion,
        rotations=freeze(np.repeat(motion.rotations[:1], len(motion), 0)),
        translations=freeze(np.repeat(motion.translations[:1], len(motion), 0)),
    )
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
