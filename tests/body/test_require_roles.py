"""What is asked of a body: roles that are missing are found or named, with the way to give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from body.test_contacts import WALK, labels
from kinesphere import Motion, Skeleton, body_of
from kinesphere.body.contacts import contact_labels, find_contacts, foot_report
from kinesphere.body.ground import Ground
from kinesphere.body.limits import clamp_to_limits, limit_excess
from kinesphere.body.mass import centre_of_mass, segments, support_polygon
from kinesphere.body.require_roles import LEGS
from kinesphere.builtin import motion
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import SIDES
from motion.roles.test_people import chain, quadruped
from recordings import without

Asked = Callable[[Motion], object]
ASKED: dict[str, Asked] = {
    "contacts": find_contacts,
    "labels": lambda motion: contact_labels(motion, Ground(0.0, "given")),
    "report": foot_report,
    "centre of mass": centre_of_mass,
    "segments": lambda motion: segments(motion.skeleton),
    "support": support_polygon,
    "excess": limit_excess,
    "clamped": clamp_to_limits,
}


def dog_with_human_names() -> Skeleton:
    names = ["hips", "spine", "head"]
    parents, offsets = [-1, 0, 1], [[0, 0.5, 0], [0, 0, 0.5], [0, 0.15, 0.3]]
    for side, x in (("left", 0.1), ("right", -0.1)):
        for limb, above, z in (("UpperArm LowerArm Hand", 1, 0.1), ("UpperLeg LowerLeg Foot", 0, -0.05)):
            for k, part in enumerate(limb.split()):
                parents.append(above if k == 0 else len(names) - 1)
                names.append(f"{side}{part}")
                offsets.append([x, -0.05, z] if k == 0 else [0, -0.22, 0])
    return Skeleton(tuple(names), np.array(parents), np.array(offsets))


def still(skeleton: Skeleton) -> Motion:
    return Motion(skeleton, 30.0, R.identity(6, len(skeleton)))


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize(
    "skeleton", [quadruped(named=True), dog_with_human_names(), chain(1)], ids=["dog", "dog with human names", "prop"]
)
def test_no_humanoid_is_refused_with_what_is_missing_and_what_to_do(asked: Asked, skeleton: Skeleton) -> None:
    with pytest.raises(ValueError) as caught:
        asked(still(skeleton))
    said = str(caught.value)
    assert "no humanoid" in said
    for part in ("leftUpperLeg", "rightUpperLeg", str(skeleton), "Skeleton.roles", "kinesphere mapping FILE -o"):
        assert part in said
    assert "<Skeleton" not in said


def test_only_what_is_missing_is_named() -> None:
    """The dog's spine and head are found, and its hips; contacts need no arms."""
    with pytest.raises(
        ValueError, match="Missing for finding contacts: leftUpperLeg, leftLowerLeg, leftFoot, right"
    ) as a:
        find_contacts(still(quadruped(named=True)))
    assert "Hand" not in str(a.value)
    with pytest.raises(ValueError, match="Missing for the centre of mass: leftUpperArm") as b:
        centre_of_mass(still(quadruped(named=True)))
    assert "head" not in str(b.value)


def test_legs_are_enough_for_plants() -> None:
    roles = {role: joint for role, joint in WALK.skeleton.roles.items() if role in LEGS or role.endswith("Toes")}
    nameless = WALK.skeleton.renamed([f"n{joint}" for joint in range(len(WALK.skeleton))])
    bare = replace(WALK, skeleton=replace(nameless, roles=roles))
    np.testing.assert_array_equal(labels(find_contacts(bare)), labels(find_contacts(WALK)))
    with_dog = replace(still(quadruped(named=True)), skeleton=_with_legs(quadruped(named=True)))
    assert find_contacts(with_dog).points == ("leftSole", "rightSole")


def _with_legs(dog: Skeleton) -> Skeleton:
    """What the message says to do."""
    parts = {"UpperLeg": "HindLeg", "LowerLeg": "HindShank", "Foot": "HindPaw"}
    sides = {"left": "L", "right": "R"}
    roles = {f"{side}{part}": dog.index(f"{s}_{name}") for side, s in sides.items() for part, name in parts.items()}
    return replace(dog, roles=roles)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_roles_that_nobody_said_are_found(asked: Asked) -> None:
    """As retarget finds them: the same answer as for a motion that has its roles."""
    unsaid = replace(WALK, skeleton=replace(WALK.skeleton, roles={}))
    assert _plain(asked(unsaid)) == _plain(asked(WALK))


def _plain(answer: object) -> str:
    """Something to compare, whatever was asked."""
    if isinstance(answer, Motion):
        answer = answer.rotations
    with np.printoptions(threshold=10**9):
        return repr(vars(answer) if hasattr(answer, "margin") else answer)


def test_who_is_in_doubt_is_not_said_to_lack_limbs() -> None:
    """A dog with human names has arms and legs, by their names; who is captured from the waist up has no legs."""
    with pytest.raises(ValueError, match="probably no humanoid") as dog:
        body_of(still(dog_with_human_names()))
    assert "It has no" not in str(dog.value)
    wave = motion("wave")
    legs = {joint for side in SIDES for joint in wave.skeleton.descendants(wave.skeleton.roles[f"{side}UpperLeg"])}
    with pytest.raises(ValueError, match="It has no legs: "):
        body_of(without(wave, legs))
