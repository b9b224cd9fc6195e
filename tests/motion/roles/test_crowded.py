"""Rigs with twists, ends, targets and props among the joints; a body without arms; a dog with a human's names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kinesphere.motion.humanoid import CORE, mirror_role
from kinesphere.motion.roles import find_roles
from kinesphere.motion.skeleton import Skeleton
from motion.roles.scoring import stripped

SIDES = {"L": ("L", "l", "Left"), "R": ("R", "r", "Right")}


def rig(lines: list[str]) -> Skeleton:
    """``name;parent;x;y;z`` a line; names with a sign for the side stand for two joints."""
    rows: list[tuple[str, str, list[float]]] = []
    for line in lines:
        name, parent, *place = line.split(";")
        x, y, z = map(float, place)
        if not any(sign in name for sign in "@#%"):
            rows.append((name, parent, [x, y, z]))
            continue
        for side, words in SIDES.items():
            rows.append((_with(name, words), _with(parent, words), [x if side == "L" else -x, y, z]))
    index = {name: joint for joint, (name, _, _) in enumerate(rows)}
    parents = np.array([index.get(parent, -1) for _, parent, _ in rows])
    world = np.array([place for _, _, place in rows])
    offsets = np.where(parents[:, None] < 0, world, world - world[parents])
    return Skeleton(tuple(index), parents, offsets)


def _with(name: str, words: tuple[str, str, str]) -> str:
    for sign, word in zip("@#%", words, strict=True):
        name = name.replace(sign, word)
    return name


def _rigs() -> dict[str, Skeleton]:
    found: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / "crowded.txt").read_text().splitlines():
        if line.startswith("["):
            lines = found[line.strip("[]")] = []
        elif line and not line.startswith("# "):
            lines.append(line)
    return {name: rig(lines) for name, lines in found.items()}


RIGS = _rigs()
PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes")
LIMBS = {
    "DAZ Genesis": "#Collar #ShldrBend #ForearmBend #Hand #ThighBend #Shin #Foot #Toe",
    "Rigify, deforming": "DEF-shoulder.@ DEF-upper_arm.@ DEF-forearm.@ DEF-hand.@ "
    "DEF-thigh.@ DEF-shin.@ DEF-foot.@ DEF-toe.@",
    "Unreal 5": "clavicle_# upperarm_# lowerarm_# hand_# thigh_# calf_# foot_# ball_#",
    "Character Creator": "CC_Base_@_Clavicle CC_Base_@_Upperarm CC_Base_@_Forearm CC_Base_@_Hand "
    "CC_Base_@_Thigh CC_Base_@_Calf CC_Base_@_Foot CC_Base_@_ToeBase",
}
TRUNKS = {
    "DAZ Genesis": "hip abdomenLower chestLower chestUpper neckLower head",
    "Rigify, deforming": "DEF-spine DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-spine.004 DEF-spine.006",
    "Unreal 5": "pelvis spine_01 spine_03 spine_05 neck_01 head",
    "Character Creator": "CC_Base_Hip CC_Base_Waist CC_Base_Spine01 CC_Base_Spine02 CC_Base_NeckTwist01 CC_Base_Head",
}


def expected(name: str) -> dict[str, str]:
    trunk = ("hips", "spine", "chest", "upperChest", "neck", "head")
    roles = dict(zip(trunk, TRUNKS[name].split(), strict=True))
    for side, words in (("left", SIDES["L"]), ("right", SIDES["R"])):
        limbs = zip(PARTS, LIMBS[name].split(), strict=True)
        roles |= {side + part: _with(joint, words) for part, joint in limbs}
    return roles


@pytest.mark.parametrize("name", RIGS)
def test_a_crowded_rig_with_its_names(name: str) -> None:
    found = find_roles(RIGS[name])
    assert {role: found.joint_name(role) for role in found.roles if role in CORE} == expected(name)
    assert found.joint_name("leftThumbMetacarpal")
    assert found.overall > 0.9


@pytest.mark.parametrize("name", RIGS)
def test_a_crowded_rig_without_names(name: str) -> None:
    skeleton, right = RIGS[name], expected(name)
    found = find_roles(stripped(skeleton))
    roles = {role: skeleton.names[joint] for role, joint in found.roles.items()}
    wrong = {role: roles.get(role) for role in right if roles.get(role) != right[role]}
    assert len(wrong) <= 2, wrong
    assert not any(joint == right[mirror_role(role)] for role, joint in wrong.items())


def test_a_body_without_arms_is_no_humanoid() -> None:
    bird = rig(
        [
            *("pelvis;;0;.5;0", "spine;pelvis;0;.6;.1", "neck;spine;0;.8;.2", "head;neck;0;.9;.25"),
            *("thigh_#;pelvis;.1;.45;0", "shin_#;thigh_#;.1;.25;.05", "foot_#;shin_#;.1;.03;0"),
            "toe_#;foot_#;.1;0;.08",
        ]
    )
    found = find_roles(bird)
    assert not found.is_humanoid
    arms = ("UpperArm", "LowerArm", "Hand")
    assert set(found.missing) == {f"{side}{part}" for side in ("left", "right") for part in arms}


def test_on_all_fours_with_human_names_is_doubted() -> None:
    dog = rig(
        [
            *("Hips;;0;.6;-.4", "Spine;Hips;0;.62;-.1", "Spine1;Spine;0;.62;.3"),
            *("Neck;Spine1;0;.75;.45", "Head;Neck;0;.85;.55"),
            *("%UpLeg;Hips;.1;.55;-.4", "%Leg;%UpLeg;.1;.3;-.35", "%Foot;%Leg;.1;.06;-.42"),
            *("%Shoulder;Spine1;.05;.6;.3", "%Arm;%Shoulder;.1;.5;.3", "%ForeArm;%Arm;.1;.3;.28"),
            "%Hand;%ForeArm;.1;.05;.3",
        ]
    )
    found = find_roles(dog)
    assert found.overall < 0.6
    assert any("all fours" in sentence for sentence in found.evidence)
    assert not find_roles(stripped(dog)).is_humanoid
