"""Hand shapes as the skin shows them: a fist is closed, fingers that lie together touch, a thumb lies on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import kinesphere
from builtin.skin import FINGERS, finger, gap, posed, shares
from kinesphere.body.hands import HAND_SHAPES, finger_rotations, hand_shape
from kinesphere.builtin.characters import figure, mo
from kinesphere.maths import kinematics, rotations

SIDES = ("left", "right")
TOUCH = 0.002  # neighbours: no gap and no overlap above this


def shaped(character, name, sides=SIDES):
    """The body's surface at rest, with hands in a shape."""
    local = character.skeleton.rest_rotations.copy()
    for side in sides:
        for joint, turn in finger_rotations(character.skeleton, side, hand_shape(name)).items():
            local[joint] = turn
    return posed(character, local)


def between(character, points, side, one, other):
    """The smaller of both gaps: of the one's vertices from the other's skin, and the other way round."""
    triangles = character.meshes[0].triangles
    ours, theirs = finger(character, side, one), finger(character, side, other)
    return min(gap(points, triangles, ours, theirs), gap(points, triangles, theirs, ours))


@pytest.mark.parametrize("side", SIDES)
def test_a_fist_is_closed(side):
    character = figure()
    points, triangles = shaped(character, "fist"), character.meshes[0].triangles
    palm = shares(character, [f"{side}Hand", f"{side}ThumbMetacarpal"])
    for name in FINGERS:
        tip = shares(character, [f"{side}{name}Distal"])
        assert -0.002 < gap(points, triangles, tip, palm) < 0.003, name
    for one, other in pairwise(FINGERS):
        assert abs(between(character, points, side, one, other)) < TOUCH, (one, other)


@pytest.mark.parametrize(("shape", "under"), [("fist", ("Index", "Middle")), ("pointing", ("Middle",))])
def test_the_thumb_lies_on_folded_fingers(shape, under):
    character = figure()
    points = shaped(character, shape)
    for name in under:
        assert abs(between(character, points, "left", "Thumb", name)) < TOUCH, name


@pytest.mark.parametrize("shape", ["closed", "thumb out"])
def test_fingers_that_lie_together_touch(shape):
    character = figure()
    points = shaped(character, shape)
    for one, other in pairwise(FINGERS):
        assert abs(between(character, points, "left", one, other)) < TOUCH, (one, other)


def test_shapes_are_told_apart_by_their_skin():
    """Between any two, some part of the hand is two centimetres elsewhere."""
    character = figure()
    hand = shares(character, [name for name in character.skeleton.names if "left" in name and _in_hand(name)]) > 0.5
    seen = {name: shaped(character, name, ("left",))[hand] for name in HAND_SHAPES}
    for one in seen:
        for other in seen:
            if one < other:
                assert np.linalg.norm(seen[one] - seen[other], axis=1).max() > 0.02, (one, other)


@pytest.mark.data
def test_hands_of_other_bodies_lay_their_thumbs_on_their_fingers(data_dir):
    """Thumbs differ from hand to hand; where they lie does not: over the middle finger, a finger's thickness off."""
    path = data_dir / "characters/mesh2motion_human_male.glb"
    for body in (figure().skeleton, mo().skeleton, kinesphere.load_character(path).skeleton):
        for side in SIDES:
            for shape in ("fist", "pointing"):
                above, apart = _thumb_above_middle(body, side, shape)
                assert 0.3 * apart < above < 1.3 * apart, (body, side, shape)


@pytest.mark.data
def test_hands_without_a_little_finger_have_shapes_too(data_dir):
    body = kinesphere.load_character(data_dir / "characters/RobotExpressive.glb").skeleton
    for side in SIDES:
        for name in HAND_SHAPES:
            turns = finger_rotations(body, side, hand_shape(name))
            assert len(turns) == 8
            assert all(np.linalg.norm(turn) == pytest.approx(1.0) for turn in turns.values())


def _thumb_above_middle(body, side, shape):
    """How far the thumb's last bone is from the middle finger's second, and how far knuckles are apart."""
    local = body.rest_rotations.copy()
    for joint, turn in finger_rotations(body, side, hand_shape(shape)).items():
        local[joint] = turn
    turned, place = kinematics.forward(local, body.offsets, body.parents)
    roles = body.roles
    thumb, middle = roles[f"{side}ThumbDistal"], roles[f"{side}MiddleIntermediate"]
    line, own = ((place[joint], _end(body, joint, turned, place)) for joint in (middle, thumb))
    steps = np.linspace(0.0, 1.0, 21)[:, None]
    first, second = (ends[0] + steps * (ends[1] - ends[0]) for ends in (line, own))
    near = np.linalg.norm(first[:, None] - second, axis=-1).min()
    knuckles = place[roles[f"{side}IndexProximal"]] - place[roles[f"{side}MiddleProximal"]]
    return float(near), float(np.linalg.norm(knuckles))


def _end(body, joint, turned, place):
    children = [child for child, parent in enumerate(body.parents) if parent == joint]
    if children:
        return place[children[0]]
    tips = [np.array(tip.offset) for tip in body.tips if tip.joint == joint]
    offset = tips[0] if tips else body.offsets[joint]
    return place[joint] + rotations.rotate(turned[joint], offset)


def _in_hand(name):
    return any(part in name for part in ("Hand", "Thumb", *FINGERS))
