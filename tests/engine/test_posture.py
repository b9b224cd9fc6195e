"""The body around hands at single moments: what the engine poses without generating the motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from engine.bodies import BODIES, acted_and_made
from generated import seeds
from kinesphere import Gesture, Shape
from kinesphere.body import body_of
from kinesphere.builtin.library import gesture
from kinesphere.engine.channels import INDEX
from kinesphere.engine.embodiment import embody
from kinesphere.engine.phrases import figure_body, phrase_of
from kinesphere.engine.pose import figure_skeleton
from kinesphere.engine.posture import HEAD_LINE, TRUNK_SHIFTS, bodies_at, no_channels, upright_shoulder
from kinesphere.laban.dials import Dials
from kinesphere.laban.expression import PARTS, Expression, express
from kinesphere.laban.key_placement import _shape_channels, key_table
from kinesphere.maths import rotations
from kinesphere.motion.gesture import RESTING_WRIST
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.referent import Kind, Referent

ARMED = ["beckon", "clap", "drink", "emphasise", "knock", "point", "punch", "shrug", "wave"]
SHAPES = [Shape(), Shape(vertical=1), Shape(1, 1), Shape(0.5, 0, 1), Shape(-0.8, -1), Shape(0, 1, -1)]
# An upright body seen from the shoulder: the axes of trunk, head, own and other thigh, lower ends first.
UPRIGHT = [
    ((-0.18, -0.50, 0.03), (-0.18, -0.02, 0.04)),
    ((-0.18, 0.20, 0.07), (-0.18, 0.26, 0.07)),
    ((-0.09, -0.90, 0.08), (-0.09, -0.50, 0.05)),
    ((-0.27, -0.90, 0.08), (-0.27, -0.50, 0.05)),
]
THIGHS = slice(2, 4)  # among the lines


def standing(side="left", body=None, **channels):
    """The body around a hand of one who stands, with these on its channels, at two moments."""
    phrase = phrase_of(Gesture("stand", 2.0), body)
    added = no_channels(3)
    for name, value in channels.items():
        added[:-1, INDEX[name.replace("_", ".")]] = value
    return bodies_at(phrase, np.array([0.5, 1.0]), [side, side]).around(added)


def true_lines(motion, actor, frames, side):
    """The same lines as a motion has them, seen from one shoulder, in metres of the figure."""
    q, p = (rows[frames] for rows in motion.world())
    index = motion.skeleton.index
    thighs = [[f"{s}LowerLeg", f"{s}UpperLeg"] for s in (side, "right" if side == "left" else "left")]
    lines = np.empty((len(frames), 4, 2, 3))
    lines[:, 0] = p[:, [index("hips"), index("neck")]]
    lines[:, 1] = p[:, index("head"), None] + rotations.rotate(q[:, index("head"), None], actor.size * HEAD_LINE)
    for i, names in enumerate(thighs):
        lines[:, 2 + i] = p[:, [index(name) for name in names]]
    chest = rotations.conjugate(q[:, index("upperChest")])[:, None, None]
    lines = rotations.rotate(chest, lines - p[:, index(f"{side}UpperArm"), None, None])
    lines[:, 0] += actor.size * TRUNK_SHIFTS
    return lines * np.array([1.0 if side == "left" else -1.0, 1.0, 1.0]) / actor.arm_size


def distances(name, shape, body=None):
    """``(K, 4, 2)`` how far the posed body's lines are from the generated motion's at a gesture's keys."""
    phrase = phrase_of(gesture(name), body)
    nothing = Referent(
        Kind.NOTHING, "both", 0.0, phrase.duration
    )  # a head that is lifted to drink is part of the motion
    phrase = replace(phrase, referents=(nothing,))
    table = key_table(phrase)
    made = express(phrase, Expression({part: [Dials(shape=shape)] for part in PARTS}, stillness=1.0, locked=True))
    acted, _ = acted_and_made(made)
    lines = table.bodies.around(_shape_channels(table, made.added_channels)).lines
    actor = embody(phrase.body).actor
    off = np.empty((len(table.times), 4, 2))
    for side, rows in table.sides.items():
        frames = np.round(table.times[rows] * 60.0).astype(int)
        off[rows] = np.linalg.norm(lines[rows] - true_lines(acted, actor, frames, side), axis=-1)
    return off


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ARMED)
def test_the_posed_body_is_near_to_that_of_the_motion(name, shape):
    off = distances(name, shape)
    assert off.max() < 0.045  # arms that Shape moves far bring shoulders and hips along
    assert np.median(off) < 0.021


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_that_leans_to_goals_in_the_world_is_less_near(shape):
    """Leaning is part of the motion alone."""
    off = distances("reach", shape)
    assert off.max() < 0.09
    assert np.median(off) < 0.023


@pytest.mark.parametrize("name", ["child", "long arms", "wide shoulders", "one spine joint", "T-pose, odd axes"])
@pytest.mark.parametrize("which", ["clap", "drink", "emphasise"])
def test_it_is_so_on_other_bodies(name, which):
    body = body_of(BODIES[name])
    for shape in SHAPES[::2]:
        off = distances(which, shape, body)
        assert off.max() < 0.042
        assert np.median(off) < 0.024


@pytest.mark.parametrize("side", SIDES)
def test_upright_it_is_the_body_of_one_who_stands(side):
    view = standing(side)
    assert np.linalg.norm(view.lines - UPRIGHT, axis=-1).max() < 0.09
    assert np.abs(view.sags).max() < 1e-9
    assert view.lines[0] == pytest.approx(view.lines[1], abs=1e-12)


def test_both_sides_see_one_body_mirrored():
    bent = {"torso_forward": 0.3, "hips_y": -0.04, "head_nod": 0.2}
    left, right = (standing(side, **bent) for side in SIDES)
    assert left.lines == pytest.approx(right.lines, abs=1e-9)
    assert left.sags == pytest.approx(right.sags, abs=1e-9)


def test_bending_forward_brings_the_thighs_ahead_and_sinking_the_knees():
    upright, bends, sinks = (standing(**given).lines[0] for given in ({}, {"torso_forward": 0.4}, {"hips_y": -0.05}))
    for thigh in (2, 3):
        assert bends[thigh, 0, 2] > upright[thigh, 0, 2] + 0.1
        assert sinks[thigh, 0, 2] > upright[thigh, 0, 2] + 0.1
        for lines in (upright, bends, sinks):  # bones keep their length
            assert np.linalg.norm(lines[thigh, 1] - lines[thigh, 0]) == pytest.approx(0.3996, abs=1e-3)


def test_a_hanging_hand_hangs_whatever_the_chest_does():
    """As the chest sees it, it comes ahead and up by nearly as much as the chest bends."""
    for angle in (0.1, 0.3, 0.5):
        place = np.array(RESTING_WRIST) + standing(torso_forward=angle).sags[0]
        assert np.linalg.norm(place) == pytest.approx(np.linalg.norm(RESTING_WRIST))
        turned = np.arctan2(place[2], -place[1]) - np.arctan2(RESTING_WRIST[2], -RESTING_WRIST[1])
        assert turned == pytest.approx(0.85 * angle)


@given(seeds)
@settings(max_examples=25)
def test_legs_keep_their_bones_and_stand_where_they_stood(seed):
    """Whatever the trunk does: hips balance it, and knees bend ahead."""
    rng = np.random.default_rng(seed)
    bends = {name: rng.uniform(-0.3, 0.3) for name in ("torso_forward", "torso_turn", "torso_side", "head_nod")}
    bends |= {"hips_y": rng.uniform(-0.12, -0.06), "hips_z": rng.uniform(-0.02, 0.02), "hips_x": 0.02 * rng.random()}
    lines = standing(**bends).lines[0]
    skeleton = figure_skeleton(1.7)
    thigh = float(np.linalg.norm(skeleton.offsets[skeleton.index("leftLowerLeg")]))
    for own in lines[THIGHS]:
        assert np.linalg.norm(own[1] - own[0]) == pytest.approx(thigh, abs=1e-9)
    apart = np.linalg.norm(lines[2, 1] - lines[3, 1])
    hips = [skeleton.index(f"{side}UpperLeg") for side in SIDES]
    assert apart == pytest.approx(float(np.linalg.norm(np.subtract(*skeleton.offsets[hips]))), abs=1e-9)


@pytest.mark.parametrize("height", [0.8, 1.2, 2.0])
def test_a_figure_of_any_height_has_the_same_view(height):
    """Distances are in metres of a figure 1.70 m tall."""
    bent = {"torso_forward": 0.3, "hips_y": -0.04, "torso_turn": 0.2}
    ours, other = standing(**bent), standing(body=figure_body(height), **bent)
    assert other.lines == pytest.approx(ours.lines, abs=1e-9)
    assert other.sags == pytest.approx(ours.sags, abs=1e-9)
    plain, own = (upright_shoulder(embody(figure_body(h)).actor) for h in (1.7, height))
    assert own == pytest.approx(plain, abs=1e-9)
