"""Roles of people in many naming schemes and rest poses, of people without names, and of what is no person."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from kinesphere.motion.humanoid import CORE, REQUIRED, mirror_role
from kinesphere.motion.roles import RoleMap, find_roles
from kinesphere.motion.skeleton import Skeleton
from motion.roles.namings import NAMINGS
from motion.roles.people import SWING, keys_of, person, rearranged
from motion.roles.scoring import stripped

LIMBS = {
    "clavicle": "Shoulder",
    "upperarm": "UpperArm",
    "forearm": "LowerArm",
    "hand": "Hand",
    "thigh": "UpperLeg",
    "shin": "LowerLeg",
    "foot": "Foot",
    "toe": "Toes",
}


def expected(naming: dict[str, str]) -> dict[str, str]:
    """Role to key, as the plan has it."""
    roles = {"hips": "hips", "head": "head"}
    spines = [key for key in ("spine1", "spine2", "spine3", "spine4") if key in naming]
    roles["spine"] = spines[0]
    if len(spines) == 2:
        roles["chest"] = spines[1]
    elif len(spines) > 2:
        roles |= {"chest": spines[len(spines) // 2], "upperChest": spines[-1]}
    if "neck" in naming:
        roles["neck"] = "neck"
    for part, role in LIMBS.items():
        for side, word in (("L", "left"), ("R", "right")):
            if f"L.{part}" in naming:
                roles[word + role] = f"{side}.{part}"
    return roles


def as_keys(found: RoleMap, skeleton: Skeleton, naming: dict[str, str]) -> dict[str, str]:
    key_of = keys_of(naming)
    return {role: key_of[skeleton.names[joint]] for role, joint in found.roles.items() if role in CORE}


@pytest.mark.parametrize("pose", SWING)
@pytest.mark.parametrize("family", NAMINGS)
def test_every_naming_in_every_pose(family: str, pose: str) -> None:
    naming = NAMINGS[family]
    skeleton = person(naming, pose)
    found = find_roles(skeleton)
    assert found.is_humanoid, found.message
    assert as_keys(found, skeleton, naming) == expected(naming)
    assert found.overall > 0.8


@pytest.mark.parametrize("pose", SWING)
@pytest.mark.parametrize("family", NAMINGS)
def test_without_names_the_shape_tells(family: str, pose: str) -> None:
    naming = NAMINGS[family]
    skeleton = person(naming, pose)
    found = find_roles(stripped(skeleton))
    key_of = keys_of(naming)
    roles = {role: key_of[skeleton.names[joint]] for role, joint in found.roles.items()}
    right = expected(naming)
    wrong = {role: roles.get(role) for role in right if roles.get(role) != right[role]}
    assert len(wrong) <= 0.1 * len(right), wrong
    assert not any(key == right.get(mirror_role(role)) for role, key in wrong.items() if key)
    assert all(sure < 0.8 for sure in found.confidence.values())


@pytest.mark.parametrize("turn", [0.0, 90.0, 180.0, 250.0])
def test_sides_follow_the_front_not_the_axes(turn: float) -> None:
    naming = NAMINGS["LAFAN"]
    skeleton = person(naming, turn=turn)
    assert as_keys(replace_names(find_roles(stripped(skeleton)), skeleton), skeleton, naming) == expected(naming)


def replace_names(found: RoleMap, skeleton: Skeleton) -> RoleMap:
    return replace(found, names=skeleton.names)


@pytest.mark.parametrize("pose", SWING)
def test_a_mirrored_body_without_names_has_its_sides_exchanged(pose: str) -> None:
    naming = NAMINGS["LAFAN"]
    plain = find_roles(stripped(person(naming, pose)))
    mirrored = find_roles(stripped(person(naming, pose, mirror=True)))
    assert mirrored.roles == {mirror_role(role): joint for role, joint in plain.roles.items()}


def test_names_against_the_front_win_and_are_doubted() -> None:
    naming = NAMINGS["LAFAN"]
    skeleton = person(naming, mirror=True)
    found = find_roles(skeleton)
    assert as_keys(found, skeleton, naming) == expected(naming)
    assert any("against" in sentence for sentence in found.evidence)
    assert all(found.confidence[role] < 0.8 for role in REQUIRED if role.startswith(("left", "right")))


@pytest.mark.parametrize("factor", [0.01, 100.0])
@pytest.mark.parametrize("named", [True, False])
def test_size_does_not_matter(factor: float, named: bool) -> None:
    skeleton = person(NAMINGS["Unreal"], "A")
    skeleton = skeleton if named else stripped(skeleton)
    assert find_roles(skeleton.scaled(factor)).roles == find_roles(skeleton).roles


@pytest.mark.parametrize("family", ["LAFAN", "Unreal", "Rigify"])
def test_order_of_joints_does_not_matter(family: str, rng: np.random.Generator) -> None:
    skeleton = person(NAMINGS[family])
    for _ in range(5):
        shuffled = rearranged(skeleton, rng.permutation(len(skeleton)))
        for a, b in ((skeleton, shuffled), (stripped(skeleton), shuffled.renamed(_carried(skeleton, shuffled)))):
            here, there = find_roles(a), find_roles(b)
            assert {r: a.names[j] for r, j in here.roles.items()} == {r: b.names[j] for r, j in there.roles.items()}


def _carried(skeleton: Skeleton, shuffled: Skeleton) -> list[str]:
    return [f"n{skeleton.index(name)}" for name in shuffled.names]


def test_a_flat_body_without_names_or_toes_has_no_sides() -> None:
    naming = NAMINGS["short"]
    skeleton = person(naming)
    flat = replace(skeleton, offsets=skeleton.offsets * [1.0, 1.0, 0.0])
    found = find_roles(stripped(flat))
    assert not found.is_humanoid
    assert set(found.roles) == {"hips", "spine", "head"}
    assert any("not decided" in sentence for sentence in found.evidence)
    assert "positions" in found.message or "overrides" in found.message
    # One side given settles both.
    hand = flat.index("hand_l")
    settled = find_roles(stripped(flat), overrides={"leftHand": hand, "leftFoot": flat.index("foot_l")})
    assert as_keys(replace_names(settled, flat), flat, naming) == expected(naming)


def test_a_posed_frame_tells_what_the_rest_pose_does_not() -> None:
    naming = NAMINGS["LAFAN"]
    standing = person(naming)
    heap = replace(standing, offsets=np.linalg.norm(standing.offsets, axis=1)[:, None] * [1.0, 0.0, 0.0])
    assert not find_roles(stripped(heap)).is_humanoid
    _, places = standing.rest_world()
    for positions in (places, np.tile(places, (5, 1, 1))):
        found = find_roles(stripped(heap), positions=positions)
        assert as_keys(replace_names(found, heap), heap, naming) == expected(naming)
    assert as_keys(find_roles(heap), heap, naming) == expected(naming)


def test_overrides_and_known_roles_win() -> None:
    skeleton = person(NAMINGS["LAFAN"])
    spine2 = skeleton.index("Spine2")
    found = find_roles(skeleton, overrides={"chest": "Spine2", "upperChest": None})
    assert found.roles["chest"] == spine2
    assert "upperChest" not in found.roles
    assert found.confidence["chest"] == 1.0
    known = replace(skeleton, roles={"head": skeleton.index("Neck")})
    assert find_roles(known).roles["head"] == skeleton.index("Neck")
    everything = replace(skeleton, roles=find_roles(skeleton).roles)
    assert find_roles(everything).roles == everything.roles
    assert set(find_roles(everything).confidence.values()) == {1.0}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"leftHnd": 3}, "near it: leftHand"),
        ({"leftHand": "LeftHnd"}, "near it: LeftHand"),
        ({"leftHand": 999}, "allowed: 0 to"),
        ({"leftHand": 3, "rightHand": 3}, "one role a joint"),
    ],
)
def test_wrong_overrides_are_told(overrides: dict[str, int | str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_roles(person(NAMINGS["LAFAN"]), overrides=overrides)


def test_wrong_positions_are_told() -> None:
    skeleton = person(NAMINGS["LAFAN"])
    with pytest.raises(ValueError, match="shape"):
        find_roles(skeleton, positions=np.zeros((3, 3)))
    with pytest.raises(ValueError, match="finite"):
        find_roles(skeleton, positions=np.full((len(skeleton), 3), np.nan))


def test_two_candidates_are_both_said() -> None:
    naming = NAMINGS["Kinect"]
    skeleton = person(naming)
    found = find_roles(skeleton)
    assert found.joint_name("leftHand") == "WristLeft"
    assert skeleton.names[found.runners_up["leftHand"][0]] == "HandLeft"
    # "hand" stands for a hand with 0.9 votes; "wrist" with 1, and shape is for it, too
    assert found.runners_up["leftHand"][1] == pytest.approx(found.confidence["leftHand"] * 0.9 / 1.45, abs=1e-3)


def quadruped(*, named: bool) -> Skeleton:
    """A dog: hind legs at the pelvis, front legs at the withers, all four on the ground."""
    plan = {
        "pelvis": ((0, 0.6, -0.4), -1),
        "spine": ((0, 0.62, -0.1), 0),
        "withers": ((0, 0.62, 0.3), 1),
        "neck": ((0, 0.75, 0.45), 2),
        "head": ((0, 0.85, 0.55), 3),
        "tail": ((0, 0.6, -0.6), 0),
        "tail2": ((0, 0.55, -0.75), 5),
    }
    names, places, parents = list(plan), [p for p, _ in plan.values()], [a for _, a in plan.values()]
    for side, x in (("L", 0.1), ("R", -0.1)):
        for end, z, above in (("Hind", -0.4, 0), ("Front", 0.3, 2)):
            for part, y, dz in (("Leg", 0.55, 0.0), ("Shank", 0.3, 0.05), ("Paw", 0.06, -0.02), ("Toe", 0.0, 0.05)):
                names.append(f"{side}_{end}{part}")
                parents.append(above)
                places.append((x, y, z + dz))
                above = len(places) - 1
    world, above_all = np.array(places, dtype=float), np.array(parents)
    offsets = np.where(above_all[:, None] < 0, world, world - world[above_all])
    skeleton = Skeleton(tuple(names), above_all, offsets)
    return skeleton if named else stripped(skeleton)


def chain(count: int) -> Skeleton:
    offsets = np.tile([0.0, 0.2, 0.0], (count, 1))
    return Skeleton(tuple(f"link{k}" for k in range(count)), np.arange(count) - 1, offsets)


@pytest.mark.parametrize(
    "skeleton",
    [quadruped(named=True), quadruped(named=False), chain(1), chain(12), person({"root": "sword", "hips": "grip"})],
    ids=["dog", "nameless dog", "prop", "rope", "sword"],
)
def test_what_is_no_humanoid_is_refused(skeleton: Skeleton) -> None:
    found = find_roles(skeleton)
    assert not found.is_humanoid
    assert found.missing
    assert found.overall < 0.5
    assert "leftHand" in found.message
    assert "kinesphere mapping" in found.message


def test_the_answer_is_remembered_and_pickles() -> None:
    skeleton = person(NAMINGS["LAFAN"])
    found = find_roles(skeleton)
    assert find_roles(replace(skeleton)) is found
    assert find_roles(skeleton.scaled(2.0)) is not found
    assert pickle.loads(pickle.dumps(found)) == found
