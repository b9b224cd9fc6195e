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
        ({"duration": 0.0}, "duration is 0; more than 0 and at most 600"),
        ({"duration": float("nan")}, "duration is nan"),
        ({"curves": {"head.nid": Curve((0.0,), (0.0,))}}, "did you mean 'head.nod'"),
        (
            {"curves": {"head.nod": Curve((3.0,), (0.0,))}},
            r"curves.head.nod\[0\]: found 3 s; expected times from 0 to the duration, 2 s",
        ),
        ({"curves": {"head.nod": Curve((1.0,), (9.0,))}}, r"head.nod\[0\]: found 9 at 1 s; expected at most 3.142"),
        ({"inflections": {"right": (0.5,)}}, "one a key"),
        ({"inflections": {"right": (0.5, 1.5)}}, r"inflections.right\[1\]: found 1.5; expected above 0 and below 1"),
        ({"palms": {"up": (Palm(0.0),)}}, "palms.up is .*one of: left, right"),
        (
            {"palms": {"left": (Palm(1.0), Palm(0.5))}},
            r"palms.left\[1\]: found 0.5 after 1; expected times that increase",
        ),
        (
            {"right": Keypoints((Keypoint(90, (0.0, 0.0, 0.0)),), 30.0)},
            r"right.keys\[0\]: found 3 s; expected times from 0 to",
        ),
        (
            {"loop": True, "right": Keypoints((Keypoint(0, (0, 0, 0), space=Space.GLOBAL),))},
            r"right.keys\[0\]: found a global key",
        ),
    ],
)
def test_what_is_wrong_is_said(wrong, said):
    with pytest.raises(ValueError, match=said):
        Gesture(**({"name": "nod", "duration": 2.0, "right": ARM} | wrong))


def test_tracks_palms_and_steps_check_themselves():
    with pytest.raises(ValueError, match="as many values as times"):
        Curve((0.0, 1.0), (0.0,))
    with pytest.raises(ValueError, match=r"values\[0\]: found inf; expected a finite number"):
        Curve((0.0,), (float("inf"),))
    with pytest.raises(ValueError, match="times that increase"):
        Curve((0.0, 0.0), (0.0, 1.0))
    with pytest.raises(ValueError, match="faces nowhere"):
        Palm(0.0, (0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match=r"land: found 0.5 s; expected a time after it lifts, 1 s"):
        Step(1.0, 0.5, 0.0, 0.0)
