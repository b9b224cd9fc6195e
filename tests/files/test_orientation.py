"""Which way is up, how long is a unit, and the reasons given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere.files import orientation
from kinesphere.files.landmarks import find_landmarks
from kinesphere.files.orientation import AXES, RawPose, rotation_to_y_up
from kinesphere.maths import rotations as R

NAMES = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot", "Spine", "Head")
PARENTS = np.array([-1, 0, 1, 2, 0, 4, 5, 0, 7])
OFFSETS = np.array(
    [
        [0, 0, 0],
        [0.1, 0, 0],
        [0, -0.42, 0],
        [0, -0.42, 0],
        [-0.1, 0, 0],
        [0, -0.42, 0],
        [0, -0.42, 0],
        [0, 0.3, 0],
        [0, 0.35, 0],
    ]
)


def find_scale(raw):
    return orientation.find_scale(raw, find_landmarks(raw.names, raw.parents, raw.offsets))[:2]


def find_up(raw):
    return orientation.find_up(raw, find_landmarks(raw.names, raw.parents, raw.offsets))[:3]


def body(scale=1.0, names=NAMES, rest_turn=None, motion_turn=None, height=0.9, frames=12):
    rest_turn = R.identity() if rest_turn is None else rest_turn
    offsets = R.rotate(rest_turn, OFFSETS) * scale
    q = R.identity(frames, len(NAMES))
    t = np.tile(offsets, (frames, 1, 1))
    up = R.rotate(rest_turn, [0.0, 1.0, 0.0])
    if motion_turn is not None:
        q[:, 0] = motion_turn
        up = R.rotate(motion_turn, up)
    t[:, 0] = up * height * scale
    return RawPose(names, PARENTS, offsets, (), q, t)


@pytest.mark.parametrize(
    ("scale", "metres"), [(1.0, 1.0), (10.0, 0.1), (39.37, 0.0254), (100.0, 0.01), (1000.0, 0.001)]
)
def test_usual_units_are_found(scale, metres):
    found, why = find_scale(body(scale))
    assert found == metres
    assert "1.71 m" in why


def test_cmu_units_are_found_by_cmu_names():
    names = (
        "Hips",
        "LHipJoint",
        "LeftLeg",
        "LeftFoot",
        "RHipJoint",
        "RightLeg",
        "RightFoot",
        "LowerBack",
        "Head",
    )
    found, why = find_scale(body(0.45 / 0.0254, names))
    assert found == pytest.approx(0.0564, abs=1e-4)
    assert "CMU" in why


@given(st.floats(1e-3, 1e5), st.booleans())
def test_what_was_scaled_is_not_scaled_again(scale, named):
    names = NAMES if named else tuple(f"j{i}" for i in range(len(NAMES)))
    found, _ = find_scale(body(scale, names))
    again, _ = find_scale(body(scale * found, names))
    assert again == 1.0


@pytest.mark.parametrize("axis", AXES)
def test_any_axis_may_be_up(axis):
    turn = R.conjugate(rotation_to_y_up(axis))
    assert find_up(body(rest_turn=turn))[:2] == (axis, axis)
    assert np.allclose(R.rotate(rotation_to_y_up(axis), AXES[axis]), [0, 1, 0])


def test_an_upright_rest_pose_in_a_z_up_motion():
    """As some exporters write it: the rest stands along y, the root's rotation lays everything into z up."""
    quarter = R.from_rotation_vector([np.pi / 2, 0, 0])
    up, rest_up, why = find_up(body(motion_turn=quarter))
    assert (up, rest_up) == ("z", "y")
    assert "leg's length" in why


def test_lying_down_does_not_make_another_axis_up():
    quarter = R.from_rotation_vector([np.pi / 2, 0, 0])
    lying = body(motion_turn=quarter, height=0.0)
    assert find_up(lying)[0] == "y"
    # Also where the hips happen to be a leg's length along the body's axis: here the head is towards +z.
    on_the_floor = body(motion_turn=quarter, height=0.9)
    on_the_floor.translations[:, 0, 1] = 0.12
    on_the_floor.translations[:, 7, 2] -= 0.1
    assert find_up(on_the_floor)[0] == "y"


@pytest.mark.parametrize(("units", "metres"), [(89.0, 0.01), (124.0, 0.01), (890.0, 0.001), (65.0, 0.0254), (1.0, 1.0)])
def test_children_are_read_as_children(units, metres):
    assert find_scale(body(units / 1.711))[0] == metres


def test_without_names_y_is_up_and_that_is_said():
    up, _, why = find_up(body(names=tuple("abcdefghi")))
    assert up == "y"
    assert "no head and feet" in why or "head is above the feet" in why


def test_turning_z_up_keeps_left_and_right():
    assert np.allclose(R.rotate(rotation_to_y_up("z"), [1, 2, 3]), [1, 3, -2])
