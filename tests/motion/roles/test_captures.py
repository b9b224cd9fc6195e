"""Roles of every skeleton among the captures, with names and without, against truth read by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesphere.files.loading import load_character
from kinesphere.motion.humanoid import REQUIRED, ROLES
from kinesphere.motion.roles import find_roles
from kinesphere.motion.skeleton import Skeleton
from motion.roles.scoring import (
    WAYS,
    cases,
    print_table,
    rows,
    score,
    search,
    share,
    skeleton_and_poses,
    stripped,
    truths,
)

pytestmark = pytest.mark.data


def test_shares_of_core_roles(data_dir: Path) -> None:
    print_table(data_dir)
    found = list(rows(data_dir))
    assert share([scores["named"] for _, scores in found]) >= 0.95
    assert share([scores["stripped"] for _, scores in found]) >= 0.90
    assert share([scores["stripped, posed"] for _, scores in found]) >= 0.95


def test_sides_are_never_swapped_and_nobody_is_sure_and_wrong(data_dir: Path) -> None:
    for file, scores in rows(data_dir):
        for way, result in scores.items():
            assert not result.swapped, (file, way, result)
            assert not result.sure_but_wrong, (file, way, result)


def test_with_names_every_skeleton_is_a_humanoid(data_dir: Path) -> None:
    for case in cases(data_dir):
        found = search(case, "named")
        assert found.is_humanoid, (case.file, found.message)
        assert score(case, found).wrong == (), case.file


def test_every_capture_has_a_truth_of_its_names(data_dir: Path) -> None:
    for case in cases(data_dir):
        assert all(role in case.truth for role in REQUIRED)
        for role, fine in case.truth.items():
            assert role in ROLES
            assert all(name is None or name in case.skeleton.names for name in fine), (case.file, role)
    assert len(truths()) == 17


def test_any_performed_pose_may_be_the_rest_pose(data_dir: Path) -> None:
    """Frames of dancing, walking, bending down taken for rest poses, without names and without tips."""
    right, asked = 0, 0
    for case in cases(data_dir):
        for places in () if case.poses is None else case.poses[::2]:
            parents = case.skeleton.parents
            offsets = np.where(parents[:, None] < 0, places, places - places[parents])
            result = score(case, find_roles(stripped(Skeleton(case.skeleton.names, parents, offsets))))
            assert not result.swapped, (case.file, result)
            assert not result.sure_but_wrong, (case.file, result)
            right, asked = right + result.right, asked + result.asked
    assert right >= 0.9 * asked


def test_a_runner_up_is_never_surer_than_the_winner(data_dir: Path) -> None:
    beaten = 0
    for case in cases(data_dir):
        for way in WAYS:
            found = search(case, way)
            for role, (joint, sure) in found.runners_up.items():
                assert joint != found.roles[role]
                assert 0.0 <= sure <= found.confidence[role], (case.file, way, role)
                beaten += sure < found.confidence[role]
    assert beaten > 10


def test_roles_that_a_vrm_names_stay(data_dir: Path) -> None:
    for file in ("characters/minimal_vrm0.vrm", "characters/debug_robot.vrm"):
        skeleton = load_character(data_dir / file).skeleton
        assert skeleton.roles
        assert find_roles(skeleton).roles == skeleton.roles


def test_the_robots_feet_are_found_and_their_oddity_said(data_dir: Path) -> None:
    found = find_roles(skeleton_and_poses(data_dir / "characters/RobotExpressive.glb")[0])
    assert found.joint_name("leftFoot") == "Foot.L"
    assert any("'Foot.L' does not hang on 'LowerLeg.L'" in sentence for sentence in found.evidence)
    assert found.confidence["leftFoot"] < 0.8
    # 'Hips' has the name, 'Body' a hint of one, the shape and the legs: 1.0 votes against 1.45.
    assert found.names[found.runners_up["hips"][0]] == "Hips"
    assert found.runners_up["hips"][1] == pytest.approx(found.confidence["hips"] * 1.0 / 1.45, abs=1e-3)
