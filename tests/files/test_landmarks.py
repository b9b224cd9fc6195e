"""Landmarks of the person in a file, where names mislead."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_dialects import NAMELESS, NAMES, OFFSETS, PARENTS

from kinesphere.files.landmarks import find_landmarks


def with_joints(more, first: bool):
    """The body below a root, with more joints on the root, before or after it."""
    shift = 1 + (len(more) if first else 0)
    names = ["Root", *(more if first else ()), *NAMES, *(() if first else more)]
    body = [parent + shift if parent >= 0 else 0 for parent in PARENTS]
    parents = [-1, *([0] * len(more) if first else []), *body, *([] if first else [0] * len(more))]
    places = [[0.0] * 3, *([[0.1, 0.0, 0.0]] * len(more) if first else []), *OFFSETS]
    places += [] if first else [[0.1, 0.0, 0.0]] * len(more)
    return tuple(names), np.array(parents), np.array(places), shift


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("more", [("LeftFootIK", "RightFootIK"), ("foot_ctrl",), ("Headlight", "LeftAnkleTarget")])
def test_controls_on_the_floor_are_no_feet(more, first):
    names, parents, offsets, shift = with_joints(more, first)
    found = find_landmarks(names, parents, offsets)
    assert found is not None
    assert [names[foot] for foot in found.feet] == ["LeftFoot", "RightFoot"]
    assert (found.hips, names[found.head]) == (shift, "Head")
    assert [names[thigh] for thigh in found.thighs] == ["LeftUpLeg", "RightUpLeg"]
    assert found.leg == pytest.approx(0.83)


@pytest.mark.parametrize("names", [NAMES, *NAMELESS.values()])
def test_names_and_shape_find_the_same(names):
    found = find_landmarks(tuple(names), np.array(PARENTS), OFFSETS)
    assert found is not None
    assert found.sure
    assert (found.hips, found.head) == (0, NAMES.index("Head"))
    assert sorted(found.feet) == [NAMES.index("LeftFoot"), NAMES.index("RightFoot")]
    assert found.leg == pytest.approx(0.83, abs=1e-6)


def test_what_is_no_person_has_none():
    names = tuple(f"j{i}" for i in range(20))
    assert find_landmarks(names, np.arange(-1, 19), np.tile([0.0, 1.0, 0.0], (20, 1))) is None
    dog = np.array([-1, 0, 1, 2, 1, 4, 5, 1, 7, 8, 0, 10, 11, 0, 13, 14])
    legs = np.tile([0.0, -0.3, 0.0], (16, 1))
    legs[[0, 1]] = [[0.0, 0.6, 0.0], [0.0, 0.0, 0.7]]
    assert find_landmarks(tuple(f"b{i}" for i in range(16)), dog, legs) is None
