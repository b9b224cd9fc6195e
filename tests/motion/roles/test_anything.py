"""Whatever tree of joints comes, there is an answer, and it holds together."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kinesphere.motion.humanoid import REQUIRED, ROLES
from kinesphere.motion.roles import find_roles
from kinesphere.motion.roles.chains import JointTree
from kinesphere.motion.skeleton import Skeleton, Tip

WORDS = [
    "LeftArm",
    "RightArm",
    "Hips",
    "head",
    "spine",
    "LeftUpLeg",
    "thigh.R",
    "",
    "L",
    "x",
    "Bip01",
    "左",
    "L5",
    "hand_l",
]


@st.composite
def skeletons(draw: st.DrawFn) -> Skeleton:
    count = draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parents = np.array([-1, *(int(rng.integers(-1, k)) for k in range(1, count))])
    names = draw(st.lists(st.sampled_from(WORDS), min_size=count, max_size=count))
    size = draw(st.sampled_from([0.0, 1e-9, 1.0, 1e9, 1e200]))
    offsets = rng.normal(size=(count, 3)).round(1) * size
    tips = (Tip(count - 1, (0.0, size, 0.0)),) if draw(st.booleans()) else ()
    return Skeleton(tuple(names), parents, offsets, tips=tips)


@given(skeletons())
@settings(max_examples=150)
def test_an_answer_holds_together(skeleton: Skeleton) -> None:
    found = find_roles(skeleton)
    assert set(found.roles) <= set(ROLES)
    assert set(found.confidence) == set(found.roles)
    assert all(0.0 <= sure <= 1.0 for sure in found.confidence.values())
    assert len(set(found.roles.values())) == len(found.roles)
    assert all(0 <= joint < len(skeleton) for joint in found.roles.values())
    assert found.is_humanoid == (not found.missing) == (not found.message)
    assert set(found.missing) == set(REQUIRED) - set(found.roles)


@given(skeletons())
@settings(max_examples=50)
def test_below_is_what_climbing_finds(skeleton: Skeleton) -> None:
    tree = JointTree(skeleton)
    for joint in range(len(skeleton)):
        above, parent = set(), int(skeleton.parents[joint])
        while parent >= 0:
            above.add(parent)
            parent = int(skeleton.parents[parent])
        assert {other for other in range(len(skeleton)) if tree.is_below(joint, other)} == above


def test_huge_skeletons_are_no_trouble() -> None:
    count = 4000
    rng = np.random.default_rng(1)
    offsets = rng.normal(size=(count, 3))
    for parents in (np.arange(count) - 1, np.minimum(np.arange(count) - 1, 0), (np.arange(count) - 1) // 2):
        for name in ("LeftArm", "n"):
            found = find_roles(Skeleton((name,) * count, parents, offsets))
            assert not found.is_humanoid or found.overall < 0.8
