"""What a gesture may be, and what it says when it may not."""

from __future__ import annotations

import dataclasses

import pytest

from kinesphere.motion.gesture import CHANNELS, Curve, Gesture, Keypoint, Keypoints, Palm, Space, Step

ARM = Keypoints((Keypoint(0, (0.0, -0.5, 0.0)), Keypoint(30, (0.0, 0.0, 0.4))), 30.0)


def test_holds_arms_and_tracks_and_cannot_be_changed():
    made = Gesture("nod", 2.0, right=ARM, curves={"head.nod": Curve((0.0, 1.0), (0.0, 0.2))})
    assert made.arm("right") is ARM
    assert made.arm("left") is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.name = "no"  # type: ignore[misc]
    with pytest.raises(TypeError):
        made.curves["head.nod"] = made.curves["head.nod"]  # type: ignore[index]


def test_channels_are_those_of_the_body():
    assert {"torso.forward", "head.turn", "hips.x", "left.clavicle.raise", "right.hand.fist"} <= set(CHANNELS)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"duration": 0.0}, "duration 0.0"),
        ({"duration": float("nan")}, "duration nan"),
        ({"curves": {"head.nid": Curve((0.0,), (0.0,))}}, "did you mean 'head.nod'"),
        ({"curves": {"head.nod": Curve((3.0,), (0.0,))}}, "key at 3 s"),
        ({"curves": {"head.nod": Curve((1.0,), (9.0,))}}, "head.nod is 9 at 1 s"),
        ({"inflections": {"right": (0.5,)}}, "one a key"),
        ({"inflections": {"right": (0.5, 1.5)}}, "one a key"),
        ({"palms": {"up": (Palm(0.0),)}}, "allowed: left, right"),
        ({"palms": {"left": (Palm(1.0), Palm(0.5))}}, "times must increase"),
        ({"right": Keypoints((Keypoint(90, (0.0, 0.0, 0.0)),), 30.0)}, "outside"),
        ({"loop": True, "right": Keypoints((Keypoint(0, (0, 0, 0), space=Space.GLOBAL),))}, "global"),
    ],
)
def test_what_is_wrong_is_said(wrong, said):
    with pytest.raises(ValueError, match=said):
        Gesture(**({"name": "nod", "duration": 2.0, "right": ARM} | wrong))


def test_tracks_palms_and_steps_check_themselves():
    with pytest.raises(ValueError, match="as many values as times"):
        Curve((0.0, 1.0), (0.0,))
    with pytest.raises(ValueError, match="not finite"):
        Curve((0.0,), (float("inf"),))
    with pytest.raises(ValueError, match="times must increase"):
        Curve((0.0, 0.0), (0.0, 1.0))
    with pytest.raises(ValueError, match="faces nowhere"):
        Palm(0.0, (0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="does not land"):
        Step(1.0, 0.5, 0.0, 0.0)
