"""Loops: the seam closes in pose, velocity and travel, feet that stand stay, and a period of a walk is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinesphere
from kinesphere import Motion, Skeleton
from kinesphere.body import find_contacts, find_period, loop
from kinesphere.builtin.library import motion as builtin
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import heading_angles, lead_joint, move_motion
from pictures.people import person

UP = np.array([0.0, 1.0, 0.0])


def play_twice(made: Motion) -> np.ndarray:
    """World positions over two cycles, the second moved on by what the first travelled and turned."""
    lead = lead_joint(made)
    world, p = made.world()
    headings = heading_angles(world[:, lead])
    turn = R.from_rotation_vector((headings[-1] - headings[0]) * UP)
    level = [1.0, 0.0, 1.0]
    again = R.rotate(turn, p - p[0, lead] * level) + p[-1, lead] * level
    return np.concatenate([p[:-1], again])[:, lead:]  # a root that stays is elsewhere in the next cycle


def assert_closed(made: Motion, slack: float = 1.25) -> None:
    """Both ends are one pose; steps and accelerations over the seam are no larger than around it, or anywhere else."""
    two, seam = play_twice(made), len(made) - 1
    ends = two[[0, seam]] - two[[0, seam]][:, :1] * [1.0, 0.0, 1.0]
    world = made.rotations_world()
    assert R.angle(R.multiply(made.rotations[0], R.conjugate(made.rotations[-1])))[1:].max() < 1e-5
    turn = heading_angles(world[[0, -1], lead_joint(made)])
    if abs(turn[1] - turn[0]) < 1e-6:
        np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)
    steps = np.linalg.norm(np.diff(two, axis=0), axis=-1).max(axis=1)
    around = np.concatenate([steps[seam - 6 : seam - 1], steps[seam + 1 : seam + 6]])
    assert steps[seam - 1 : seam + 1].max() <= slack * around.max() + 2e-4
    bends = np.linalg.norm(np.diff(two, 2, axis=0), axis=-1).max(axis=1)
    assert bends[seam - 2 : seam + 1].max() <= bends.max()
    inside = np.concatenate([bends[5 : seam - 5], bends[seam + 4 : -5]])
    assert bends[seam - 2 : seam + 1].max() <= slack * inside.max() + 2e-4


def swinging(ends_apart: float, rate: float = 60.0, seconds: float = 2.0, turn: float = 0.0) -> Motion:
    """A person whose arms swing, who walks on and turns; at the end everything is off by an angle."""
    skeleton = person().with_found_roles()
    frames = int(seconds * rate) + 1
    time = np.linspace(0.0, 1.0, frames)
    vectors = np.zeros((frames, len(skeleton), 3))
    for number in range(1, len(skeleton)):
        vectors[:, number, number % 3] = 0.3 * np.sin(2.0 * np.pi * time + number) + ends_apart * time * (number % 4)
    vectors[:, 0, 1] = turn * time + 0.1 * np.sin(2.0 * np.pi * time)
    translations = np.broadcast_to(skeleton.offsets, (frames, len(skeleton), 3)).copy()
    translations[:, 0, 2] += 1.3 * time
    translations[:, 0, 0] += 0.05 * np.sin(2.0 * np.pi * time)
    return Motion(skeleton, rate, R.from_rotation_vector(vectors), translations)


@pytest.mark.parametrize("rate", [24.0, 60.0, 120.0])
@pytest.mark.parametrize("apart", [0.0, 0.05, 0.2])
def test_a_seam_closes_in_pose_velocity_and_root(rate: float, apart: float) -> None:
    given = swinging(apart, rate)
    made = loop(given)
    assert len(made) == len(given)
    assert_closed(made)
    travel = made.positions_world()[[0, -1], 0]
    assert np.linalg.norm((travel[1] - travel[0])[[0, 2]]) == pytest.approx(1.3, abs=0.02)


def test_only_frames_beside_the_seam_change_and_a_perfect_loop_hardly() -> None:
    given = swinging(0.1)
    made = loop(replace(given, skeleton=replace(given.skeleton, roles={})), blend=0.2)
    assert np.abs(made.rotations - given.rotations)[13:-13].max() < 1e-12
    assert np.abs(made.rotations - given.rotations)[:5].max() > 1e-3
    for name in ("idle", "bow", "wave", "walk in place"):
        periodic = builtin(name)
        assert np.abs(loop(periodic).positions_world() - periodic.positions_world()).max() < 0.002


@pytest.mark.parametrize("turn", [0.0, 0.3, -0.3, 1.2, -2.0])
def test_a_small_turn_is_straightened_and_a_large_one_goes_on(turn: float) -> None:
    made = loop(swinging(0.05, turn=turn))
    assert_closed(made, 1.5)
    headings = heading_angles(made.rotations_world()[:, lead_joint(made)])
    assert headings[-1] - headings[0] == pytest.approx(turn if abs(turn) > 0.6 else 0.0, abs=0.02)
    assert ("turns by" in made.source.evidence[-1]) is (abs(turn) > 0.6)


def test_hips_below_a_root_that_never_moves() -> None:
    """The root may have any axes; it stays still, and the hips close."""
    given = swinging(0.1)
    skeleton = given.skeleton
    names = ("root", *skeleton.names)
    parents = np.array([-1, *(int(parent) + 1 for parent in skeleton.parents)])
    turned = R.from_rotation_vector([[-np.pi / 2, 0.0, 0.0]])
    offsets = np.concatenate([np.zeros((1, 3)), skeleton.offsets])
    tall = Skeleton(names, parents, offsets, roles={role: joint + 1 for role, joint in skeleton.roles.items()})
    q = np.concatenate([np.tile(turned, (len(given), 1, 1)), given.rotations], axis=1)
    q[:, 1] = R.multiply(R.conjugate(turned[0]), q[:, 1])
    t = np.concatenate([np.zeros((len(given), 1, 3)), given.translations], axis=1)
    t[:, 1] = R.rotate(R.conjugate(turned[0]), t[:, 1])
    nested = Motion(tall, given.rate, q, t)
    made, plain = loop(nested), loop(given)
    assert_closed(made)
    assert np.abs(made.rotations[:, 0] - turned).max() < 1e-12
    np.testing.assert_allclose(made.positions_world()[:, 1:], plain.positions_world(), atol=1e-6)


def test_who_stands_stays_where_he_is_and_his_feet_too() -> None:
    """A person who sways off to one side while the feet stand: hips come back, feet don't slide."""
    idle = builtin("idle")
    part = idle.between(0.0, 2.9)
    made = loop(part)
    assert "stays in place" in made.source.evidence[-1]
    assert_closed(made)
    feet = [made.skeleton.roles[f"{side}Foot"] for side in ("left", "right")]
    drift = np.ptp(made.positions_world()[:, feet], axis=0).max()
    assert drift < max(np.ptp(part.positions_world()[:, feet], axis=0).max(), 0.004)


def test_one_cycle_of_a_walk_is_found_and_its_planted_feet_stay() -> None:
    walk = builtin("walk")
    in_place = builtin("walk in place").duration
    first, last = find_period(walk)
    period = (last - first) / walk.rate
    assert period == pytest.approx(in_place, rel=0.05)
    made = loop(walk, search=True)
    assert_closed(made)
    assert "travels" in made.source.evidence[-1]
    two = play_twice(made)
    contacts = find_contacts(walk)
    assert contacts.intervals
    feet = [made.skeleton.roles[f"{side}Foot"] for side in ("left", "right")]
    own = walk.positions_world()[:, feet]
    speed = np.linalg.norm(np.diff(two[:, feet], axis=0), axis=-1).min(axis=1) * made.rate
    usual = np.linalg.norm(np.diff(own, axis=0), axis=-1).min(axis=1) * walk.rate
    seam = len(made) - 1
    assert speed[seam - 8 : seam + 8].max() <= usual.max() + 0.05  # one foot stands in every frame, at the seam too


def test_standing_still_is_no_period_of_a_walk() -> None:
    walk = builtin("walk")
    still = walk[:1]
    count = 90
    q = np.concatenate([np.repeat(still.rotations, count, axis=0), walk.rotations])
    t = np.concatenate([np.repeat(still.translations, count, axis=0), walk.translations])
    first, last = find_period(replace(walk, rotations=q, translations=t))
    assert first > count - 30
    assert 0.8 < (last - first) / walk.rate < 1.4


def test_start_end_and_what_is_refused() -> None:
    given = swinging(0.1)
    made = loop(given, start=0.5, end=1.5)
    assert made.duration == pytest.approx(1.0)
    assert "from 0.5 s on" in made.source.evidence[-1]
    with pytest.raises(ValueError, match="at least 4"):
        loop(given[:3])
    with pytest.raises(ValueError, match="searched for"):
        loop(given, search=True, shortest=5.0)
    with pytest.raises(ValueError, match="seconds are expected"):
        loop(given, blend=-1.0)


def test_a_loop_does_not_depend_on_where_it_is() -> None:
    given = swinging(0.1)
    turn = R.from_rotation_vector(0.7 * UP)
    moved = move_motion(given, turn, np.array([3.0, 0.0, -2.0]))
    expected = move_motion(loop(given), turn, np.array([3.0, 0.0, -2.0]))
    np.testing.assert_allclose(loop(moved).positions_world(), expected.positions_world(), atol=2e-3)


@pytest.mark.data
@pytest.mark.parametrize("name", ["02_01", "07_01", "07_12", "12_01", "137_20", "05_11"])
@pytest.mark.parametrize("search", [False, True])
def test_captures_close(data_dir: Path, name: str, search: bool) -> None:
    made = loop(kinesphere.load(data_dir / "bvh" / "cmu" / f"{name}.bvh"), search=search)
    assert_closed(made, 1.3)
