"""Gestures on rigs that rest with bent hands or hanging clavicles are those on the same rig in a T-pose."""

from __future__ import annotations

import numpy as np
import pytest

from engine.bodies import acted_and_made
from kinesphere.body import body_of
from kinesphere.builtin import gesture
from kinesphere.engine.embodiment import embody
from kinesphere.engine.phrases import phrase_of
from kinesphere.maths import rotations as R
from kinesphere.motion.motion import Motion
from rigs import SIDES, degrees_between, in_other_rest, make_rig, palm_normal, shown_direction

RESTS = {
    "hands down": {"Hand": [0.0, 0.0, -90.0]},
    "palms forward": {"Hand": [90.0, 0.0, 0.0]},
    "arms and hands down": {"UpperArm": [0.0, 0.0, -60.0], "Hand": [20.0, 0.0, -50.0]},
    "all hangs": {"Shoulder": [0.0, 0.0, -80.0], "UpperArm": [0.0, 0.0, -10.0]},
}


def generated(skeleton, which):
    own = embody(body_of(skeleton))
    return own, *acted_and_made(phrase_of(gesture(which), own.body))


@pytest.mark.parametrize("which", ["wave", "drink"])
@pytest.mark.parametrize("rest", RESTS.values(), ids=RESTS.keys())
def test_rest_poses_make_no_difference(rest, which):
    plain = make_rig("fingers")
    rests = {}
    for side, mirror in (("left", [1.0, 1.0, 1.0]), ("right", [1.0, -1.0, -1.0])):
        for part, degrees in rest.items():
            rests[plain.roles[f"{side}{part}"]] = R.from_rotation_vector(np.radians(degrees) * mirror)
    other = in_other_rest(Motion(plain, 60.0, R.identity(2, len(plain))), rests).skeleton
    own, acted, made = generated(other, which)
    _, _, expected = generated(plain, which)
    for side in SIDES:
        role = f"{side}Hand"
        apart = (
            made.positions_world()[:, other.roles[role]] - acted.positions_world()[:, own.actor.skeleton.roles[role]]
        )
        assert np.linalg.norm(apart, axis=-1).max() < 1e-6
        # Level clavicles are not quite where this rig's T-pose has them, so shoulders and arms are a little lower.
        most = 5.0 if "Shoulder" in rest else 0.5
        assert degrees_between(shown_direction(made, side), shown_direction(expected, side)).max() < most
        assert degrees_between(palm_normal(made, side), palm_normal(expected, side)).max() < most
