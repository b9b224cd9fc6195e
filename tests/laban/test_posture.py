"""The body as its chest sees it: an estimate that is near to where the body will be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from generated import seeds
from kinesphere import Shape
from kinesphere.builtin.library import gesture
from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.generation import HEAD_LINE, MOVED, TRUNK_SHIFTS
from kinesphere.engine.pose import CLAVICLE_AHEAD, CLAVICLE_DOWN, figure_skeleton
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.trunk import NECK, SPINE, STEADY
from kinesphere.laban.key_placement import _shape_bends, key_table
from kinesphere.laban.manners import PARTS, Dials, manner
from kinesphere.laban.posture import ARMS_MASS, BENDS, HEAD_MASS, SPINE_COUNTER, TRUNK_MASS, body_model, view_body
from kinesphere.maths import rotations
from kinesphere.motion.gesture import RESTING_WRIST
from kinesphere.score.rendering import render, score_of

FEET = np.zeros((1, 2, 3))
# An upright body seen from the shoulder: the axes of trunk, head, own and other thigh, lower ends first.
UPRIGHT = [
    ((-0.18, -0.50, 0.03), (-0.18, -0.02, 0.04)),
    ((-0.18, 0.20, 0.07), (-0.18, 0.26, 0.07)),
    ((-0.09, -0.90, 0.08), (-0.09, -0.50, 0.05)),
    ((-0.27, -0.90, 0.08), (-0.27, -0.50, 0.05)),
]
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
        low = table.positions[rows, 1] < -0.25  # a raised arm takes its shoulder along
        assert max(off[low, i, k].max() for i, k in HIPS) < 0.045
        assert max(off[low, i, k].max() for i, k in KNEES) < 0.10
        assert max(np.median(off[:, i, k]) for i, k in HIPS) < 0.055


def test_upright_it_is_the_body_of_one_who_stands():
    lines = view_body(np.zeros((1, 7)), FEET).lines[0]
    assert np.linalg.norm(lines - UPRIGHT, axis=-1).max() < 0.09
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
        place = np.array(RESTING_WRIST) + view_body(bent(forward=angle), FEET).sags[0]
        assert np.linalg.norm(place) == pytest.approx(np.linalg.norm(RESTING_WRIST))
        turned = np.arctan2(place[2], -place[1]) - np.arctan2(RESTING_WRIST[2], -RESTING_WRIST[1])
        assert turned == pytest.approx(0.85 * angle)


def forward_kinematics(bends):
    """The chest's rotation, and from the hips: neck, both ends of the head's axis, shoulder, and the weight ahead."""
    skeleton = figure_skeleton(HEIGHT)

    def bone(name):
        return np.array(skeleton.offsets[skeleton.index(name)])

    forward, lean, _, _, nod, raised, drawn = bends
    bend = forward - SPINE_COUNTER * lean
    chest, at, trunk_ahead = Rotation.from_rotvec([lean, 0.0, 0.0]), np.zeros(3), 0.0
    for name, (share, _) in SPINE.items():
        at, chest = at + chest.apply(bone(name)), Rotation.from_rotvec([share * bend, 0.0, 0.0]) * chest
        trunk_ahead = at[2] if name == "chest" else trunk_ahead
    neck, face = at + chest.apply(bone("neck")), nod - STEADY[0] * (bend + lean)
    head = neck + (Rotation.from_rotvec([NECK["neck"] * face, 0.0, 0.0]) * chest).apply(bone("head"))
    ends = head + (Rotation.from_rotvec([face, 0.0, 0.0]) * chest).apply(HEAD_LINE)
    clavicle = Rotation.from_rotvec([0.0, -(drawn + CLAVICLE_AHEAD), raised - CLAVICLE_DOWN])
    shoulder = at + chest.apply(bone("leftShoulder") + clavicle.apply(bone("leftUpperArm")))
    weight = TRUNK_MASS * trunk_ahead + HEAD_MASS * head[2] + ARMS_MASS * shoulder[2]
    return chest, neck, ends, shoulder, weight


@given(seeds)
def test_trunk_head_and_hips_are_where_forward_kinematics_puts_them(seed):
    bends = np.random.default_rng(seed).uniform(-0.5, 0.5, 7) * [1.0, 1.0, 0.1, 0.1, 1.0, 1.0, 1.0]
    chest, neck, ends, shoulder, _ = forward_kinematics(bends)
    lines = view_body(bends[None], FEET).lines[0]
    off = np.array([shoulder[0], 0.0, 0.0])  # the estimate keeps to the body's middle, as seen from the shoulder
    shoulder = shoulder - off
    assert lines[0] == pytest.approx(chest.inv().apply([-shoulder, neck - shoulder]) - off + TRUNK_SHIFTS, abs=1e-12)
    assert lines[1] == pytest.approx(chest.inv().apply(ends - shoulder) - off, abs=1e-12)
    hip = body_model().hip
    for thigh, side in ((2, 1.0), (3, -1.0)):
        joint = Rotation.from_rotvec([bends[1], 0.0, 0.0]).apply(hip * [side, 1.0, 1.0])
        assert lines[thigh, 1] == pytest.approx(chest.inv().apply(joint - shoulder) - off, abs=1e-12)


@given(seeds)
def test_legs_keep_their_bones_stand_on_their_feet_and_bend_ahead(seed):
    rng = np.random.default_rng(seed)
    bends = rng.uniform(-0.3, 0.3, 7) * [1.0, 1.0, 0.0, 0.05, 1.0, 1.0, 1.0]
    bends[2] = rng.uniform(-0.12, -0.06)  # knees are bent
    feet = rng.uniform(-0.03, 0.03, (1, 2, 3))
    body = body_model()
    chest, *_, shoulder, weight = forward_kinematics(bends)
    ahead = bends[3] + (forward_kinematics(np.zeros(7))[-1] - weight) / MOVED  # the hips balance the trunk
    lines = view_body(bends[None], feet).lines[0]
    off = np.array([shoulder[0], 0.0, 0.0])
    for i, side in enumerate((1.0, -1.0)):
        knee, hip = (chest.apply(end + off) + shoulder - off for end in lines[2 + i])
        ankle = body.ankle * [side, 1.0, 1.0] + feet[0, i] - [0.0, body.hips_height + bends[2], ahead]
        assert np.linalg.norm(knee - hip) == pytest.approx(body.thigh, abs=1e-12)
        assert np.linalg.norm(knee - ankle) == pytest.approx(body.shin, abs=1e-9)
        along = (ankle - hip) / np.linalg.norm(ankle - hip)
        outwards = knee - hip - ((knee - hip) @ along) * along
        assert outwards[2] > 0.9 * np.linalg.norm(outwards)
