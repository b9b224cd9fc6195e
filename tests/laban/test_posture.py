"""The body as its chest sees it: an estimate that is near to where the body will be."""

from __future__ import annotations

import numpy as np
import pytest

from kinesphere import Shape
from kinesphere.builtin.library import gesture
from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.generation import HEAD_LINE, TRUNK_SHIFTS
from kinesphere.engine.pose import WRIST
from kinesphere.laban.arm_shape import BODY
from kinesphere.laban.key_placement import _shape_bends, key_table
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.laban.posture import BENDS, view_body
from kinesphere.maths import rotations
from kinesphere.score.performing import score_of
from kinesphere.score.rendering import render

FEET = np.zeros((1, 2, 3))
HIPS = [(0, 0), (0, 1), (2, 1), (3, 1)]  # hips, neck and both hip joints among the lines
KNEES = [(2, 0), (3, 0)]


def bent(**bends):
    return np.array([[bends.get(name.split(".")[1], 0.0) for name in BENDS]])


def true_lines(motion, frames, side):
    """The same lines as the body has them, seen from one shoulder."""
    q, p = (rows[frames] for rows in motion.world())
    index = motion.skeleton.index
    thighs = [[f"{s}LowerLeg", f"{s}UpperLeg"] for s in (side, "right" if side == "left" else "left")]
    lines = np.empty((len(frames), 4, 2, 3))
    lines[:, 0] = p[:, [index("hips"), index("neck")]]
    lines[:, 1] = p[:, index("head"), None] + rotations.rotate(q[:, index("head"), None], HEAD_LINE)
    for i, names in enumerate(thighs):
        lines[:, 2 + i] = p[:, [index(name) for name in names]]
    chest = rotations.conjugate(q[:, index("upperChest")])[:, None, None]
    lines = rotations.rotate(chest, lines - p[:, index(f"{side}UpperArm"), None, None])
    lines[:, 0] += TRUNK_SHIFTS
    return lines * np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    "shape", [Shape(), Shape(vertical=1), Shape(1, 1), Shape(0.5, 0, 1), Shape(-0.8, -1), Shape(0, 1, -1)]
)
@pytest.mark.parametrize("name", ["emphasise", "clap", "drink", "knock", "wave"])
def test_the_estimate_is_near_to_the_body(name, shape):
    own = gesture(name)
    made = render(score_of(own, shape=shape, stillness=1.0, lock_times=True))
    table = key_table(own)
    channels = manner(own, {part: [Dials(shape=shape)] for part in PARTS}).channels
    lines = view_body(table.bends + _shape_bends(table, channels), table.feet).lines
    for side, rows in table.sides.items():
        frames = np.round(arm_keys(own, side).times * 60.0).astype(int)
        off = np.linalg.norm(lines[rows] - true_lines(made, frames, side), axis=-1)
        low = table.places[rows, 1] < -0.25  # a raised arm takes its shoulder along
        assert max(off[low, i, k].max() for i, k in HIPS) < 0.045
        assert max(off[low, i, k].max() for i, k in KNEES) < 0.10
        assert max(np.median(off[:, i, k]) for i, k in HIPS) < 0.055


def test_upright_it_is_the_body_of_one_who_stands():
    lines = view_body(np.zeros((1, 7)), FEET).lines[0]
    for i, (start, end, *_) in enumerate(BODY):
        ends = sorted([start, end], key=lambda place: place[1])
        assert np.linalg.norm(lines[i] - ends, axis=-1).max() < 0.09
    assert not view_body(np.zeros((1, 7)), FEET).sags.any()


def test_bending_forward_brings_the_thighs_ahead_and_sinking_the_knees():
    upright, bends, sinks = (view_body(b, FEET).lines[0] for b in (bent(), bent(forward=0.4), bent(y=-0.05)))
    for thigh in (2, 3):
        assert bends[thigh, 0, 2] > upright[thigh, 0, 2] + 0.1
        assert sinks[thigh, 0, 2] > upright[thigh, 0, 2] + 0.1
        for lines in (upright, bends, sinks):  # bones keep their length
            assert np.linalg.norm(lines[thigh, 1] - lines[thigh, 0]) == pytest.approx(0.3996, abs=1e-3)


def test_a_hanging_hand_hangs_whatever_the_chest_does():
    """As the chest sees it, it comes ahead and up by nearly as much as the chest bends."""
    for angle in (0.1, 0.3, 0.5):
        place = np.array(WRIST) + view_body(bent(forward=angle), FEET).sags[0]
        assert np.linalg.norm(place) == pytest.approx(np.linalg.norm(WRIST))
        turned = np.arctan2(place[2], -place[1]) - np.arctan2(WRIST[2], -WRIST[1])
        assert turned == pytest.approx(0.85 * angle)
