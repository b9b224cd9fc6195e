"""What of a skeleton is drawn, and on which side it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kinesphere import Skeleton, Tip
from kinesphere.pictures.figure import Side, figure_of
from pictures.people import JOINTS, person

NAMES = [name for name, _, _ in JOINTS]


def expected_sides() -> list[Side]:
    words = {"Left": Side.LEFT, "Right": Side.RIGHT}
    return [next((side for word, side in words.items() if word in name), Side.MIDDLE) for name in NAMES]


def test_parts_are_found_by_name() -> None:
    figure = figure_of(person())
    assert list(figure.sides) == expected_sides()
    assert {NAMES[j] for j in figure.hands} == {"LeftHand", "RightHand"}
    assert {NAMES[j] for j in figure.feet} == {"LeftFoot", "RightFoot"}
    assert [(head.joint, head.top) for head in figure.heads] == [(4, len(NAMES))]
    assert {(NAMES[a], NAMES[b]) for a, b in figure.across} == {
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
    assert list(figure_of(person(names)).sides) == expected_sides()


def test_without_names_the_place_tells_the_side() -> None:
    nameless = {name: f"b{number}" for number, name in enumerate(NAMES)}
    assert list(figure_of(person(nameless)).sides) == expected_sides()


def test_roles_go_before_names() -> None:
    """Two joints whose names say the opposite of their roles."""
    skeleton = replace(person(), roles={"leftHand": 10, "rightHand": 7})
    figure = figure_of(skeleton)
    assert figure.sides[10] is Side.LEFT
    assert figure.sides[7] is Side.RIGHT
    assert figure.hands == (7, 10)


def test_a_word_that_starts_with_l_or_r_is_no_side() -> None:
    names = {"Hips": "Root", "Spine": "LowerBack", "Chest": "RibCage"}
    assert list(figure_of(person(names)).sides) == expected_sides()


def test_a_joint_on_the_floor_is_not_drawn() -> None:
    """A root above the hips with a helper beside them: the body starts at the hips."""
    inner = person()
    skeleton = Skeleton(
        ("Armature", *inner.names, "Target"),
        np.array([-1, *(np.where(inner.parents < 0, 0, inner.parents + 1)), 0]),
        np.concatenate([np.zeros((1, 3)), inner.offsets, [[5.0, 0.0, 0.0]]]),
        tips=tuple(Tip(tip.joint + 1, tip.offset) for tip in inner.tips),
    )
    figure = figure_of(skeleton)
    assert skeleton.names[figure.base] == "Hips"
    drawn = {end for bone in figure.bones for end in (bone.start, bone.end)}
    assert 0 not in drawn
    assert len(skeleton.names) - 1 not in drawn
    assert len(figure.bones) == len(figure_of(inner).bones)


def test_feet_beside_the_body_are_drawn_without_their_leash() -> None:
    inner = person()
    parents = inner.parents.copy()
    parents[[13, 16]] = 0  # feet as an animator's handles
    offsets = inner.offsets.copy()
    offsets[[13, 16]] = [[0.1, -0.84, 0.0], [-0.1, -0.84, 0.0]]
    skeleton = Skeleton(
        ("Root", *inner.names),
        np.array([-1, *(np.where(parents < 0, 0, parents + 1))]),
        np.concatenate([np.zeros((1, 3)), offsets]),
    )
    free = np.array(skeleton.parents)
    free[[14, 17]] = 0
    place = skeleton.offsets.copy()
    place[[14, 17]] = [[0.1, 0.06, 0.0], [-0.1, 0.06, 0.0]]
    figure = figure_of(replace(skeleton, parents=free, offsets=place))
    ends = [(bone.start, bone.end) for bone in figure.bones]
    assert (0, 14) not in ends
    assert (0, 17) not in ends
    assert {(14, 14), (17, 17)} <= set(ends)


def test_a_single_joint_has_a_figure() -> None:
    figure = figure_of(Skeleton(("only",), np.array([-1]), np.zeros((1, 3))))
    assert figure.bones == ()
    assert figure.height > 0.0
