"""From dials to strokes and overlays: means over strokes, gain beyond full, and edits that add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from kinesphere import Effort, Gesture, Keypoint, Keypoints, Shape, effort_model
from kinesphere.engine.arm_plan import arm_plan
from kinesphere.engine.generation import generate
from kinesphere.engine.hands import BENDS
from kinesphere.engine.phrases import phrase_of
from kinesphere.engine.pose import Actor
from kinesphere.engine.proportions import ARM
from kinesphere.laban.dials import Dials
from kinesphere.laban.effort_parameters import movement_parameters, movement_parameters_of
from kinesphere.laban.expression import (
    AMPLITUDES,
    BEYOND_FULL,
    HANGING_OVERSHOOT,
    LARGEST,
    MOST_GAIN,
    PARTS,
    POSTURE_EDGE,
    Expression,
    express,
)
from kinesphere.laban.shape import torso_channels
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.motion.gesture import resting_wrist
from kinesphere.motion.phrase import OVERLAYS, STROKES
from kinesphere.motion.scope import FADE, time_window
from laban.shaping import shape_keys
from score.gestures import five_goals, with_via, with_world_goal

TIMING = ("inflection", "anticipation", "overshoot", "time_exponent", "tension")
THESIS = {"model": effort_model("chi1999")}  # its tension of what is direct is the dial itself
factor = st.floats(-1.0, 1.0)
half = st.floats(-0.5, 0.5)


def expressed(gesture, parts, seed=None, **options):
    """A gesture's phrase under dials of each part."""
    return express(phrase_of(gesture, seed=seed), Expression(parts, **options))


def arm(dials, gesture=None, **options):
    """The right arm's track under these dials."""
    dials = dials if isinstance(dials, list) else [dials]
    return expressed(gesture or five_goals(), {"right_arm": dials}, **options).arm("right")


def places(track):
    """Where the keys are put, in metres of the figure."""
    return None if track.placed is None else ARM * track.placed


def strokes(dials, name, **options):
    return arm(dials, **options).strokes[name]


@given(st.tuples(factor, factor, factor, factor))
def test_one_effort_is_its_own_parameters_in_every_stroke(factors):
    made, asked = arm(Dials(Effort(*factors))), movement_parameters(np.array(factors), effort_model())
    for name in STROKES:
        assert made.strokes[name] == pytest.approx(np.full(4, asked[name]), abs=1e-12)
    for name in set(OVERLAYS) & set(asked) - {"displacement"}:
        if name == "wave_rate" and not asked["wrist_twist"]:
            continue  # nothing waves
        assert made.overlay(name).shape == ()
        assert made.overlay(name) == pytest.approx(asked[name], abs=1e-12)
    shown = made.overlay("displacement")  # hands near the body have less room for it
    assert shown.max() == pytest.approx(asked["displacement"], abs=1e-9)
    assert shown.min() >= 0.0
    assert made.placed is None


@pytest.mark.parametrize("model", ["default", "chi1999", "emote2000"])
@given(st.tuples(factor, factor, factor, factor))
def test_one_effort_in_plain_numbers_is_that_of_arrays(model, factors):
    plain, wanted = (
        movement_parameters_of(factors, effort_model(model)),
        movement_parameters(np.array([factors]), effort_model(model)),
    )
    assert plain == pytest.approx({name: float(value[0]) for name, value in wanted.items()}, abs=1e-12)


def test_neutral_dials_change_nothing():
    made = expressed(five_goals(), {"right_arm": [Dials()], "torso": [Dials()]})
    for own in (made.arm("right"), made.track("torso")):
        assert {name: own.stroke(name, len(own.strokes["tension"])).tolist() for name in STROKES} == {
            name: [value] * len(own.strokes["tension"]) for name, value in STROKES.items()
        }
        assert {name: float(own.overlay(name)) for name in OVERLAYS} == dict(OVERLAYS)
    assert dict(made.added_channels) == {}
    assert (made.life, made.fidget, made.seed, made.locked) == (1.0, 0.0, None, False)
    assert set(made.tracks) == {"right_arm", "torso"}


@pytest.mark.parametrize("own", [{}, {"wrist_twist": 0.4, "elbow_twist": 0.3, "displacement": 0.2}])
def test_neutral_dials_change_nothing_in_the_motion(own):
    """Nor in that of a phrase that another edit has given overlays."""
    phrase = phrase_of(five_goals())
    twisted = replace(phrase.arm("right"), overlays={name: np.asarray(value) for name, value in own.items()})
    phrase = replace(phrase, tracks={**phrase.tracks, "right_arm": twisted})
    plain, made = generate([phrase, express(phrase, Expression({part: [Dials()] for part in PARTS}))])
    assert np.array_equal(plain.rotations, made.rotations)
    assert np.array_equal(plain.translations, made.translations)


@given(st.dictionaries(st.integers(0, 40), st.integers(0, 100).map(lambda v: v / 100.0), min_size=2, max_size=5))
def test_a_stroke_takes_the_mean_of_its_phrase(tenths):
    """The thesis' tension of what is direct is the dial itself, so its means can be counted by quadrature."""
    rows = [(tenth / 10.0, tenths[tenth]) for tenth in sorted(tenths)]
    made = strokes(Dials({t: Effort(space=value) for t, value in rows}), "tension", **THESIS)
    moments, values = zip(*rows, strict=True)

    def dial(t):
        return float(monotone_cubic(moments, values, np.array([t]))[0])

    breaks = [t for t in moments if 0.0 < t < 4.0]
    for i, found in enumerate(made):
        inside = [t for t in breaks if i < t < i + 1] or None
        assert found == pytest.approx(quad(dial, i, i + 1, points=inside)[0], abs=2e-3)


@pytest.mark.parametrize("model", ["default", "chi1999", "emote2000"])
def test_a_phrase_that_changes_in_one_stroke_changes_no_other(model):
    phrase = {1.0: Effort(), 1.5: Effort(space=1.0, time=-1.0), 2.0: Effort()}
    made = arm(Dials(phrase), model=effort_model(model))
    plain, mean = Effort().parameters(model), Effort(space=0.5, time=-0.5).parameters(model)
    for name in STROKES:
        before, within = getattr(plain, name), getattr(mean, name)
        assert made.strokes[name] == pytest.approx([before, within, before, before], abs=2e-3)
    assert mean.tension > plain.tension + 0.2
    assert mean.duration > plain.duration + 0.4


def test_flourishes_follow_the_curve_within_a_stroke():
    made = arm(Dials({0.0: Effort(), 4.0: Effort(space=-1.0)})).overlay("wrist_twist")
    assert made.shape == (271,)  # 4.5 s of the gesture's own time
    full = Effort(space=-1.0).parameters().wrist_twist
    assert full > 0.3
    assert made[[0, 240, 270]] == pytest.approx([0.0, full, full], abs=1e-9)
    assert (np.diff(made) >= 0.0).all()
    assert made[120] == pytest.approx(0.5 * full, abs=1e-9)


def test_vias_do_not_divide_strokes_and_a_moment_is_a_stroke_too():
    direct = Dials(Effort(space=1.0))
    assert strokes(direct, "tension", gesture=with_via(), **THESIS).tolist() == [1.0, 1.0]
    lone = Gesture("held", 2.0, right=Keypoints((Keypoint(120.0, (-0.2, 0.1, 0.3)),), 60.0))
    phrase = Dials({0.0: Effort(), 1.0: Effort(space=1.0)})
    assert strokes(phrase, "tension", gesture=lone, **THESIS) == pytest.approx([1.0])


@given(half, half, half, half, st.floats(0.0, 2.0))
def test_intensity_up_to_full_is_more_of_the_same_effort(a, b, c, d, intensity):
    effort = Effort(a, b, c, d)
    made, asked = arm(Dials(effort, intensity=intensity)), arm(Dials(Effort(*(intensity * effort.factors))))
    for name in STROKES:
        assert made.strokes[name] == pytest.approx(asked.strokes[name], abs=1e-12)
    for name in made.overlays:
        assert made.overlay(name) == pytest.approx(asked.overlay(name), abs=1e-12)


@pytest.mark.parametrize("effort", [Effort(space=-0.8), Effort(weight=-0.8), Effort(weight=0.8), Effort(flow=-0.8)])
def test_beyond_full_amplitudes_grow_and_timing_does_not(effort):
    full = Effort(*np.sign(effort.factors))
    made, asked = arm(Dials(effort, intensity=2.0)), arm(Dials(full))
    for name in TIMING:
        assert made.strokes[name] == pytest.approx(asked.strokes[name], abs=1e-12)
    for name in AMPLITUDES:
        most = LARGEST.get(name, np.inf)
        grown = min(MOST_GAIN, 1.6) * asked.overlay(name).max()
        assert made.overlay(name).max() == pytest.approx(min(grown, most), abs=1e-9)
    assert MOST_GAIN > 1.2
    for name in ("end_effector", "joint_angle", "elbow_position", "wrist_extension", "flexed"):
        assert made.overlay(name) == pytest.approx(asked.overlay(name), abs=1e-12)


def test_what_a_model_has_at_full_effort_is_not_cut():
    """Free wrists of the thesis bend by 103°; more than full adds nothing to what is beyond anatomy already."""
    for intensity in (1.0, 2.0):
        made = arm(Dials(Effort(flow=-1.0), intensity=intensity), **THESIS)
        assert float(made.overlay("wrist_bend")) == 1.0
        assert float(made.overlay("wrist_range")) * BENDS[1] > 2.6 + 0.26
    paper = arm(Dials(Effort(space=-1.0), intensity=2.0), model=effort_model("emote2000"))
    assert MOST_GAIN * Effort(space=-1.0).parameters("emote2000").wrist_bend > LARGEST["wrist_bend"]
    assert float(paper.overlay("wrist_bend")) == LARGEST["wrist_bend"]


@pytest.mark.parametrize("model", ["default", "chi1999"])
def test_beyond_full_durations_grow_by_their_logarithm(model):
    def lasts(**dials):
        return strokes(Dials(Effort(**dials), intensity=2.0), "duration", model=effort_model(model))

    def full(**dials):
        return Effort(**dials).parameters(model).duration

    assert lasts(time=-0.75) == pytest.approx(full(time=-1.0) ** 1.5)
    assert lasts(time=0.75) == pytest.approx(full(time=1.0) ** 1.5)
    assert lasts(flow=1.0) == pytest.approx(full(flow=1.0) ** 2.0)
    assert full(time=1.0) < 0.6 < 1.4 < full(flow=1.0)
    assert float(arm(Dials(Effort(flow=1.0), intensity=1.5)).overlay("flexed_angle")) == pytest.approx(0.9)
    assert float(arm(Dials(Effort(flow=1.0), intensity=2.0)).overlay("flexed_angle")) <= 1.05


@given(half, half, half, half)
def test_several_dials_add(a, b, c, d):
    one, other = Effort(a, b, c, d), Effort(d, a, b, c)
    together = Effort(*(one.factors + other.factors))
    made, asked = arm([Dials(one), Dials(other)]), arm(Dials(together))
    for name in STROKES:
        assert made.strokes[name] == pytest.approx(asked.strokes[name], abs=1e-12)
    shape = places(arm([Dials(shape=Shape(a, b)), Dials(shape=Shape(0.0, c, d))]))
    expected = places(arm(Dials(shape=Shape(a, np.clip(b + c, -1.0, 1.0), d))))
    assert (shape is None) == (expected is None)
    if shape is not None:
        assert shape == pytest.approx(expected, abs=1e-9)


def test_opposite_dials_cancel_and_equal_ones_saturate():
    assert strokes([Dials(Effort(space=1.0)), Dials(Effort(space=-1.0))], "tension").tolist() == [0.0] * 4
    made = arm([Dials(Effort(weight=-1.0)), Dials(Effort(weight=-1.0))])
    full = Effort(weight=-1.0).parameters()
    assert made.strokes["inflection"] == pytest.approx(full.inflection)
    assert full.inflection < 0.45
    assert made.overlay("squash") == pytest.approx(min(2.0, MOST_GAIN) * full.squash)  # what exceeds is amplitude
    assert full.squash > 0.1


def test_an_edit_holds_where_and_as_much_as_its_strength_says():
    time = np.arange(271) / 60.0
    made = strokes(Dials(Effort(space=1.0), strength=time_window(time, 1.0, 2.0, FADE)), "tension", **THESIS)
    assert made == pytest.approx([0.0, 0.75, 0.0, 0.0], abs=1e-3)  # it fades within its range
    assert strokes(Dials(Effort(space=1.0), strength=np.full(271, 0.4)), "tension", **THESIS) == pytest.approx(0.4)


def test_tempo_divides_durations_and_tempi_multiply():
    assert strokes(Dials(tempo=2.0), "duration") == pytest.approx(0.5)
    assert strokes([Dials(tempo=2.0), Dials(tempo=1.5)], "duration") == pytest.approx(1.0 / 3.0)
    sustained = Effort(time=-1.0).parameters().duration
    assert strokes(Dials(Effort(time=-1.0), tempo=1.5), "duration") == pytest.approx(sustained / 1.5)
    assert strokes(Dials(tempo=4.0, strength=np.full(271, 0.5)), "duration") == pytest.approx(0.5)


def test_what_is_set_by_hand_overrules_the_model_as_far_as_it_holds():
    hand = Effort(space=-1.0).adjusted(tension=0.5, wrist_bend=0.1, duration=2.0)
    made = arm(Dials(hand))
    assert made.strokes["tension"] == pytest.approx(0.5)
    assert made.strokes["duration"] == pytest.approx(2.0)
    assert made.overlay("wrist_bend") == pytest.approx(0.1)
    computed = Effort(space=-1.0).parameters()
    assert made.overlay("displacement").max() == pytest.approx(computed.displacement)
    assert made.overlay("wrist_twist") == pytest.approx(computed.wrist_twist)
    assert computed.wrist_bend > 0.2 > -0.2 > computed.tension
    weak = arm(Dials(hand, strength=np.full(271, 0.5)))
    assert weak.strokes["tension"] == pytest.approx(0.5 * 0.5 * computed.tension + 0.5 * 0.5)
    assert weak.overlay("wrist_bend") == pytest.approx(0.5 * 0.5 * computed.wrist_bend + 0.5 * 0.1)
    phrase = {1.0: Effort(), 2.0: Effort().adjusted(wrist_bend=0.8)}
    curve = arm(Dials(phrase)).overlay("wrist_bend")
    assert curve[[0, 60, 90, 120, 270]] == pytest.approx([0.0, 0.0, 0.4, 0.8, 0.8], abs=1e-9)


def test_shape_moves_local_keys_and_leaves_those_of_the_world():
    factors = np.array([-0.5, 0.2, -0.7, 0.3])
    made = places(arm(Dials(shape=Shape(*factors))))
    written = np.array([key.position for key in five_goals().right.keys])
    # The first is low: it shows less.
    assert made[1:] == pytest.approx(shape_keys(written, factors, "right")[1:], abs=1e-12)
    asked = expressed(with_world_goal(), {"right_arm": [Dials(shape=Shape(*factors))]})
    world = arm_plan(asked, "right", Actor.figure()).positions
    keys = np.array([key.position for key in with_world_goal().right.keys])
    assert np.array_equal(world[1:3], keys[1:3])
    assert np.abs(world[[0, 3]] - keys[[0, 3]]).max() > 0.01


def test_every_key_takes_the_shape_of_its_moment():
    made = places(arm(Dials(shape={2.0: Shape(), 3.0: Shape(vertical=-1.0)})))
    written = np.array([key.position for key in five_goals().right.keys])
    assert made[:3] == pytest.approx(written[:3], abs=1e-9)
    assert made[3:] == pytest.approx(shape_keys(written[3:], np.array([0.0, -1.0, 0.0, 0.0]), "right"), abs=1e-9)


def test_a_hanging_hand_takes_a_quarter_of_its_shape():
    rest = resting_wrist("right")
    keys = (Keypoint(0.0, rest), Keypoint(60.0, (-0.2, 0.1, 0.3)))
    made = places(arm(Dials(shape=Shape(horizontal=-1.0)), Gesture("up", 2.0, right=Keypoints(keys, 60.0))))
    assert made[0] == pytest.approx(shape_keys(np.array([rest]), np.array([-0.25, 0, 0, 0]), "right")[0], abs=1e-12)
    assert made[1] == pytest.approx(shape_keys(np.array([keys[1].position]), np.array([-1.0, 0, 0, 0]), "right")[0])


@pytest.mark.parametrize("closing", [Shape(horizontal=1), Shape(vertical=1), Shape(sagittal=1), Shape(reach=-1)])
def test_a_hanging_hand_does_not_close(closing):
    """Thighs are in the way."""
    keys = (Keypoint(0.0, resting_wrist("right")), Keypoint(60.0, resting_wrist("right")))
    made = places(arm(Dials(shape=closing), Gesture("hanging", 2.0, right=Keypoints(keys, 60.0))))
    assert made == pytest.approx(np.array([key.position for key in keys]), abs=1e-12)


def test_arms_that_come_to_hang_overshoot_less():
    keys = (Keypoint(0.0, (-0.2, 0.1, 0.3)), Keypoint(60.0, resting_wrist("right")), Keypoint(120.0, (-0.2, 0.1, 0.3)))
    made = strokes(Dials(Effort(flow=-1.0)), "overshoot", gesture=Gesture("down", 3.0, right=Keypoints(keys, 60.0)))
    full = Effort(flow=-1.0).parameters().overshoot
    assert made == pytest.approx([HANGING_OVERSHOOT * full, full])
    assert full > 0.1


def test_the_torso_takes_its_own_shape_and_arms_theirs():
    shape = Shape(vertical=-0.8)
    made = expressed(five_goals(), {"torso": [Dials(shape=shape, intensity=2.0)]})
    asked = torso_channels(np.array([0.0, -1.0, 0.0, 0.0]), np.float64(1.0 + 0.6 * BEYOND_FULL))
    assert set(made.added_channels) == set(asked)
    for name, values in made.added_channels.items():
        assert values.shape == (271,)
        assert values[[0, -1]] == pytest.approx(0.0, abs=1e-12)  # it comes and goes, so that phrases join
        held = slice(round(60 * POSTURE_EDGE), round(60 * (4.5 - POSTURE_EDGE)) + 1)
        assert values[held] == pytest.approx(float(asked[name]), abs=1e-9)
        assert (np.diff(np.abs(values[: held.start])) >= 0.0).all()
    written = np.array([key.position for key in five_goals().right.keys])
    assert places(made.arm("right")) == pytest.approx(written, abs=1e-12)  # nothing is in the way there
    other = expressed(five_goals(), {"right_arm": [Dials(shape=shape)]})
    assert dict(other.added_channels) == {}
    phrase = expressed(five_goals(), {"torso": [Dials(shape={0.0: Shape(), 4.0: shape})]})
    assert phrase.added_channels["hips.y"].shape == (271,)


def test_stillness_takes_life_and_restlessness_adds_unrest():
    lives = {still: expressed(five_goals(), {}, stillness=still) for still in (-1.0, -0.4, 0.0, 0.6, 1.0)}
    assert [m.life for m in lives.values()] == pytest.approx([1.5, 1.2, 1.0, 0.4, 0.0])
    assert [m.fidget for m in lives.values()] == pytest.approx([1.0, 0.4, 0.0, 0.0, 0.0])


def test_an_individual_is_always_the_same_and_a_little_different():
    plain, first, again, other = (arm(Dials(Effort(-1, -1, 0, 0)), seed=seed) for seed in (None, 3, 3, 4))
    assert np.array_equal(first.strokes["duration"], again.strokes["duration"])
    assert not np.array_equal(first.strokes["duration"], other.strokes["duration"])
    assert first.strokes["duration"] == pytest.approx(plain.strokes["duration"], rel=0.15)
    assert len(set(first.strokes["duration"].tolist())) == 4
    for name in TIMING:
        assert np.array_equal(first.strokes[name], plain.strokes[name])
    for name in AMPLITUDES:
        assert first.overlay(name) == pytest.approx(plain.overlay(name), rel=0.17, abs=1e-12)
    assert expressed(five_goals(), {}, seed=3, locked=True).locked


def test_durations_stay_within_what_can_be():
    assert strokes([Dials(Effort(flow=1.0, time=-1.0), intensity=2.0)] * 4, "duration").max() <= 20.0
    assert strokes([Dials(Effort(time=1.0), intensity=2.0)] * 4, "duration").min() >= 0.05


def test_a_hand_at_the_mouth_stays_there():
    """Whoever drinks, drinks: sad, joyful or proud."""
    from kinesphere import perform

    def nearest(words):
        made = perform("drink", words=words)
        place, index = made.positions_world(), made.skeleton.index
        return np.linalg.norm(place[:, index("rightIndexProximal")] - place[:, index("head")], axis=1).min()

    plain = nearest(None)
    for words in ("sad", "angry", "joyful", "proudly", "tired", "shy"):
        assert nearest(words) < plain + 0.03
