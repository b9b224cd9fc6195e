"""What of a skeleton is drawn, and on which side it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Skeleton, Tip
from kinesphere.pictures.bones import Side, stick_figure
from pictures.people import JOINTS, person

NAMES = [name for name, _, _ in JOINTS]


def expected_sides() -> list[Side]:
    words = {"Left": Side.LEFT, "Right": Side.RIGHT}
    return [next((side for word, side in words.items() if word in name), Side.MIDDLE) for name in NAMES]


def test_parts_are_found_by_name() -> None:
    figure = stick_figure(person())
    assert list(figure.sides) == expected_sides()
    assert {NAMES[j] for j in figure.hands} == {"LeftHand", "RightHand"}
    assert {NAMES[j] for j in figure.feet} == {"LeftFoot", "RightFoot"}
    assert [(head.joint, head.top) for head in figure.heads] == [(4, len(NAMES))]
    assert {(NAMES[a], NAMES[b]) for a, b in figure.facing_pairs} == {
        ("LeftArm", "RightArm"),
        ("LeftUpLeg", "RightUpLeg"),
    }
    assert figure.height == pytest.approx(1.70)


@pytest.mark.parametrize("style", ["{}.{}", "mixamorig:{1}_{0}", "{0}{1}"])
def test_sides_in_other_spellings(style: str) -> None:
    names = {}
    for name in NAMES:
        for word in ("Left", "Right"):
            if name.startswith(word):
                part = name.removeprefix(word)
                names[name] = style.format(*((part, word[0]) if style == "{}.{}" else (word, part)))
    if style == "{0}{1}":
        names = {old: new.replace("Left", "l").replace("Right", "r") for old, new in names.items()}
    assert list(stick_figure(person(names)).sides) == expected_sides()


def test_without_names_the_place_tells_the_side() -> None:
    nameless = {name: f"b{number}" for number, name in enumerate(NAMES)}
    assert list(stick_figure(person(nameless)).sides) == expected_sides()


def test_roles_go_before_names() -> None:
    """Two joints whose names say the opposite of their roles."""
    skeleton = replace(person(), roles={"leftHand": 10, "rightHand": 7})
    figure = stick_figure(skeleton)
    assert figure.sides[10] is Side.LEFT
    assert figure.sides[7] is Side.RIGHT
    assert figure.hands == (7, 10)


def test_a_word_that_starts_with_l_or_r_is_no_side() -> None:
    names = {"Hips": "Root", "Spine": "LowerBack", "Chest": "RibCage"}
    assert list(stick_figure(person(names)).sides) == expected_sides()


def test_a_joint_on_the_floor_is_not_drawn() -> None:
    """A root above the hips with a helper beside them: the body starts at the hips."""
    inner = person()
    skeleton = Skeleton(
        ("Armature", *inner.names, "Target"),
        np.array([-1, *(np.where(inner.parents < 0, 0, inner.parents + 1)), 0]),
        np.concatenate([np.zeros((1, 3)), inner.offsets, [[5.0, 0.0, 0.0]]]),
        tips=tuple(Tip(tip.joint + 1, tip.offset) for tip in inner.tips),
    )
    figure = stick_figure(skeleton)
    assert skeleton.names[figure.base] == "Hips"
    drawn = {end for bone in figure.bones for end in (bone.start, bone.end)}
    assert 0 not in drawn
    assert len(skeleton.names) - 1 not in drawn
    assert len(figure.bones) == len(stick_figure(inner).bones)


def with_loose_feet() -> Skeleton:
    """A person on a root, whose feet (joints 14 and 17) hang on that, where animators pull them."""
    inner = person()
    parents = np.array([-1, *np.where(inner.parents < 0, 0, inner.parents + 1)])
    offsets = np.concatenate([np.zeros((1, 3)), inner.offsets])
    _, place = Skeleton(("Root", *inner.names), parents, offsets).rest_world()
    parents[[14, 17]], offsets[[14, 17]] = 0, place[[14, 17]]
    return Skeleton(("Root", *inner.names), parents, offsets)


def ends_of(skeleton: Skeleton) -> set[tuple[int, int]]:
    return {(bone.start, bone.end) for bone in stick_figure(skeleton).bones}


def test_feet_beside_the_body_hang_on_their_shins() -> None:
    skeleton = with_loose_feet()
    ends = ends_of(skeleton)
    assert {(skeleton.names[a], skeleton.names[b]) for a, b in ends if b in (14, 17)} == {
        ("LeftLeg", "LeftFoot"),
        ("RightLeg", "RightFoot"),
    }
    assert len(ends) == len(skeleton) - 2  # a line to every joint but the root and the hips
    assert stick_figure(skeleton).height == pytest.approx(stick_figure(person()).height, rel=0.15)


def test_feet_inside_the_body_have_no_leash_to_the_hips() -> None:
    skeleton = with_loose_feet()
    parents, offsets = skeleton.parents.copy(), skeleton.offsets.copy()
    parents[[14, 17]], offsets[[14, 17]] = 1, offsets[[14, 17]] - skeleton.rest_world()[1][1]
    on_hips = replace(skeleton, parents=parents, offsets=offsets)
    assert {start for start, end in ends_of(on_hips) if end in (14, 17)} == {13, 16}


def test_feet_without_a_known_leg_are_dots() -> None:
    """Names of feet, but of nothing else, and no roles: no line can be drawn, and their leash is not."""
    skeleton = with_loose_feet()
    names = [name if "Foot" in name else f"b{joint}" for joint, name in enumerate(skeleton.names)]
    flat = replace(skeleton.renamed(names), offsets=skeleton.offsets * [1.0, 0.0, 1.0])
    ends = ends_of(flat)
    assert not {(0, 14), (0, 17)} & ends
    assert {(14, 14), (17, 17)} <= ends


def test_roles_that_lead_round_in_a_circle_are_drawn_as_they_hang() -> None:
    skeleton = person()
    roles = {"leftUpperLeg": 13, "leftLowerLeg": 12, "leftFoot": 11}  # upside down
    assert ends_of(replace(skeleton, roles=roles)) == ends_of(replace(skeleton, roles={"hips": 0}))


def test_without_names_a_head_is_found_all_the_same() -> None:
    nameless = person({name: f"b{number}" for number, name in enumerate(NAMES)})
    assert [(head.joint, head.top) for head in stick_figure(nameless).heads] == [(4, len(NAMES))]
    assert stick_figure(nameless).feet == stick_figure(person()).feet


def test_wide_hips_make_nobody_taller() -> None:
    offsets = person().offsets.copy()
    offsets[[11, 14], 0] = [0.6, -0.6]
    assert stick_figure(replace(person(), offsets=offsets)).height == pytest.approx(1.70)


def test_palms_beside_the_hand_are_thin_like_its_fingers() -> None:
    """Three palms on one forearm, of which one is the hand, as in RobotExpressive."""
    inner = person()
    hand, above = NAMES.index("LeftHand"), int(inner.parents[NAMES.index("LeftHand")])
    count = len(inner)
    skeleton = Skeleton(
        (*inner.names, "Palm", "Thumb"),
        np.array([*inner.parents, above, count]),
        np.concatenate([inner.offsets, inner.offsets[[hand]], [[0.03, 0.0, 0.03]]]),
        roles={"hips": 0, "leftHand": hand, "leftLowerArm": above, "leftThumbProximal": count + 1},
    )
    thin = {bone.end: bone.thin for bone in stick_figure(skeleton).bones}
    assert (thin[count], thin[count + 1]) == (True, True)
    assert (thin[hand], thin[above]) == (False, False)


def test_a_single_joint_has_a_figure() -> None:
    figure = stick_figure(Skeleton(("only",), np.array([-1]), np.zeros((1, 3))))
    assert figure.bones == ()
    assert figure.height > 0.0
