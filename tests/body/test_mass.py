"""Where the body's weight is, and what it stands on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from body.test_contacts import WALK, cmu
from kinesphere import Motion
from kinesphere.body.contacts import find_contacts
from kinesphere.body.mass import centre_of_mass, convex_hull, segments, support_margins, support_polygon
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import move_motion

REST = Motion(WALK.skeleton, 30.0, R.identity(1, len(WALK.skeleton)))


def test_masses_sum_to_one_and_are_the_book_s() -> None:
    parts = {part.name: part.mass for part in segments(WALK.skeleton)}
    assert sum(parts.values()) == pytest.approx(1.0, abs=1e-12)
    assert len(parts) == 16
    assert parts["left thigh"] == pytest.approx(0.1447, abs=1e-4)
    assert parts["head"] == pytest.approx(0.0681, abs=1e-4)
    trunk = sum(mass for name, mass in parts.items() if name.endswith("trunk"))
    assert trunk == pytest.approx(0.430, abs=1e-3)


def test_a_symmetric_t_pose_balances_in_its_middle() -> None:
    x, y, z = centre_of_mass(REST)[0]
    assert abs(x) < 1e-9
    # standing people have theirs at 0.55 to 0.58 of their height (Winter 2009); a T-pose lifts the arms
    assert 0.54 < y / 1.75 < 0.62
    assert abs(z) < 0.05


def test_missing_roles_fold_into_their_neighbours() -> None:
    gone = ("neck", "chest", "upperChest", "leftShoulder", "rightShoulder", "leftToes", "rightToes")
    roles = {role: joint for role, joint in WALK.skeleton.roles.items() if role not in gone}
    bare = replace(WALK, skeleton=replace(WALK.skeleton, roles=roles))
    assert sum(part.mass for part in segments(bare.skeleton)) == pytest.approx(1.0, abs=1e-12)
    assert np.linalg.norm(centre_of_mass(bare) - centre_of_mass(WALK), axis=1).max() < 0.03


def test_it_goes_where_the_body_goes() -> None:
    turn, shift = R.from_rotation_vector([0.0, 0.8, 0.0]), np.array([1.0, 2.0, 3.0])
    expected = 0.5 * (R.rotate(turn, centre_of_mass(WALK)) + shift)
    assert np.allclose(centre_of_mass(move_motion(WALK, turn, shift).scaled(0.5)), expected, atol=1e-9)
    mirrored = centre_of_mass(WALK.mirrored())
    assert np.allclose(mirrored, centre_of_mass(WALK) * [-1.0, 1.0, 1.0], atol=1e-9)


def test_a_person_who_stands_is_over_her_feet() -> None:
    held = support_polygon(WALK)
    standing = WALK.times > 3.2  # arrived, waving
    assert held.margin[standing].min() > 0.02
    polygon = held.polygon(len(WALK) - 1)
    # two feet 19 cm apart, each as long and wide as a foot
    assert np.ptp(polygon[:, 0]) == pytest.approx(0.19 + 0.09, abs=0.03)
    assert np.ptp(polygon[:, 1]) == pytest.approx(0.25, abs=0.06)


@pytest.mark.data
@pytest.mark.parametrize("name", ["79_01", "79_88"])
def test_real_people_stand_over_their_feet(data_dir: Path, name: str) -> None:
    motion = cmu(data_dir, name)
    margin = support_polygon(motion).margin[motion.performed_frames]
    assert np.mean(margin > 0.0) > 0.95


def test_no_contacts_no_support() -> None:
    nothing = replace(find_contacts(WALK), intervals=())
    held = support_polygon(WALK, nothing)
    assert np.isnan(held.margin).all()
    assert len(held.polygon(0)) == 0


def test_feet_without_toes_hold_as_well() -> None:
    roles = {role: joint for role, joint in WALK.skeleton.roles.items() if not role.endswith("Toes")}
    bare = replace(WALK, skeleton=replace(WALK.skeleton, roles=roles))
    assert np.isfinite(support_polygon(bare).margin[-1])


def test_hull_and_distance_of_a_square() -> None:
    square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [1.0, 1.0], [1.0, 0.0]])
    hull = convex_hull(square)
    assert sorted(map(tuple, hull.tolist())) == [(0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (2.0, 2.0)]
    points = np.array([[1.0, 1.0], [1.5, 1.0], [3.0, 1.0], [3.0, 3.0], [2.0, 0.3]])
    corners, in_contact = np.tile(square, (5, 1, 1)), np.ones((5, 6), dtype=bool)
    assert np.allclose(support_margins(corners, in_contact, points), [1.0, 0.5, -1.0, -np.sqrt(2.0), 0.0], atol=1e-12)


def test_distances_are_those_of_a_plain_search(rng: np.random.Generator) -> None:
    corners, points = rng.normal(size=(20, 7, 2)), rng.normal(size=(20, 2))
    in_contact = rng.random((20, 7)) < 0.7
    in_contact[:, :3] = True
    found = support_margins(corners, in_contact, points)
    angles = np.linspace(0.0, 2.0 * np.pi, 20001)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    for i in range(20):
        along = (corners[i][in_contact[i]] @ ways).max(axis=0) - points[i] @ ways
        assert found[i] == pytest.approx(along.min(), abs=1e-3)


@pytest.mark.parametrize("count", [3, 8, 60])
def test_hulls_are_those_of_qhull(rng: np.random.Generator, count: int) -> None:
    from scipy.spatial import ConvexHull

    points = rng.normal(size=(count, 2))
    expected = points[ConvexHull(points).vertices]  # counter-clockwise, too
    found = convex_hull(points)
    first = int(np.argmin(np.linalg.norm(expected - found[0], axis=1)))
    assert found == pytest.approx(np.roll(expected, -first, axis=0), abs=1e-12)


def test_the_hull_of_a_line_or_a_point_is_its_ends() -> None:
    assert convex_hull(np.array([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    assert sorted(convex_hull(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])).tolist()) == [[0.0, 0.0], [2.0, 2.0]]
