"""What is asked for and does not show, and keys that no living hand goes to, are said; nothing else is."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from kinesphere import Effort, Express, Gesture, Keypoint, Keypoints, Part, Score, Shape, perform, render
from kinesphere.builtin import gesture, motions
from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.motion.gesture import Space, Stop
from kinesphere.score import checks
from kinesphere.score.checks import SUPERHUMAN, ImplausibleKey, WithoutEffect
from score.gestures import five_goals, wrist_seen

GESTURES = [name for name in motions() if not name.startswith("walk")]
WITH_KEYS = [name for name in GESTURES if gesture(name).right is not None]
STRONG = Effort(weight=1)
LASTS = gesture("wave").duration


def keyed(*rows, side="right", space=Space.LOCAL, stop=Stop.GOAL):
    """A gesture of one hand: seconds and places."""
    keys = Keypoints(tuple(Keypoint(60.0 * t, place, -0.4, stop, space) for t, place in rows), 60.0, f"{side}Arm")
    return Gesture("odd", rows[-1][0] + 0.5, **{side: keys})


@pytest.mark.parametrize("name", WITH_KEYS)
def test_effort_on_the_torso_alone_moves_the_body_by_the_arms_clock(name):
    plain = perform(name)
    made = [perform(name, **asked) for asked in ({"parts": {"torso": STRONG}}, {"effort": STRONG, "parts": ("torso",)})]
    for one in made:
        assert len(one) == len(plain)
        hips = plain.skeleton.index("hips")
        assert plain.translations[:, hips, 1].min() - one.translations[:, hips, 1].min() > 0.02  # weight lands
    assert np.array_equal(made[0].rotations, made[1].rotations)


def test_effort_on_a_torso_without_hands_keys_shows():
    made = perform("bow", parts={"torso": Effort(time=-1)})
    assert made.duration > 1.7 * perform("bow").duration
    assert perform("bow", Effort(time=-1), parts=("torso",)).duration == made.duration


@pytest.mark.parametrize(
    "asked",
    [
        {"effort": STRONG},
        {"effort": STRONG, "parts": {"torso": Shape(vertical=1)}},
        {"effort": STRONG, "parts": {"torso": STRONG}},
        {"parts": {"torso": STRONG, "right_arm": STRONG}},
        {"parts": {"right_arm": STRONG, "torso": Part(Effort(), Shape(vertical=1))}},
        {"parts": {"torso": STRONG}, "affinities": True},
        {"parts": {"torso": STRONG}, "intensity": 0.0},
        {"effort": STRONG, "parts": ("torso", "right_arm")},
        {"effort": STRONG, "parts": ("left_arm", "right_arm")},
        {"effort": STRONG, "parts": {"left_arm": Part(Effort(), Shape())}},
        {"shape": Shape(vertical=1), "parts": ("torso",)},
        {"words": "sad", "parts": ("torso",)},
        {"effort": {0.0: Effort(), LASTS: STRONG}, "start": 0.0, "end": LASTS},
    ],
)
def test_what_shows_is_not_doubted(recwarn, asked):
    perform("wave", **asked)
    assert [str(warning.message) for warning in recwarn] == []


def test_an_arm_without_keys_is_said_to_show_nothing():
    plain = perform("wave")
    for asked in (STRONG, Shape(1, 1, 1, 1)):
        with pytest.warns(WithoutEffect, match="wave: what left_arm is asked for does not show"):
            made = perform("wave", parts={"left_arm": asked})
        assert np.abs(made.rotations - plain.rotations).max() < 1e-9
    with pytest.warns(WithoutEffect, match="bow: what left_arm and right_arm is"):
        perform("bow", STRONG, parts=("left_arm", "right_arm"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"effort": {0.0: Effort(), 99.0: STRONG}},
            r"a phrase of Effort .* never come: 99 s; .* 0 to 3\.4 s .* not re",
        ),
        (
            {"shape": {9.0: Shape(), 7.5: Shape(vertical=1)}},
            r"a phrase of Shape .* never come: 7\.5, 9 s; .* holds all",
        ),
        ({"parts": {"right_arm": Part({1.0: Effort(), 4.0: STRONG})}}, r"Effort .* never come: 4 s; .* 3\.4 s"),
        ({"effort": STRONG, "end": 4.0}, r"wave: a range ends at 4 s; the gesture lasts from 0 to 3\.4 s .* leave"),
    ],
)
def test_moments_that_never_come_are_said(asked, said):
    with pytest.warns(WithoutEffect, match=said) as told:
        perform("wave", **asked)
    assert len(told) == 1


def test_time_before_a_gesture_is_refused():
    for asked in ({"start": -1.0}, {"start": -1.0, "end": 2.0}):
        with pytest.raises(ValueError, match=r"starts at -1 s; a gesture's own time begins at 0\. Leave the start out"):
            perform("wave", STRONG, **asked)
    early = r"a moment at -0\.5 s; a phrase's own time begins at 0"
    with pytest.raises(ValueError, match=early):
        perform("wave", {-0.5: STRONG})
    with pytest.raises(ValueError, match=early):
        Part(shape={-0.5: Shape(), 1.0: Shape()})
    assert Express(STRONG).over(start=0).scope.start == 0.0


@pytest.mark.parametrize("name", GESTURES)
def test_our_own_gestures_raise_no_doubt(name):
    assert checks.check_gesture(gesture(name)) == ()


@pytest.mark.parametrize("stop", [Stop.GOAL, Stop.VIA])
@pytest.mark.parametrize("side", ["left", "right"])
def test_keys_that_no_hand_is_quick_enough_for_are_said_and_done(side, stop):
    aside = 0.25 if side == "left" else -0.25
    near, far = (aside, -0.25, 0.2), (aside, 0.15, 0.2)
    quick = keyed((0.0, near), (1.0, near), (1.001, far), (2.0, near), side=side, stop=stop)
    with pytest.warns(
        ImplausibleKey, match=rf"odd: the {side} hand's keys at 1 and 1\.001 s are 0\.40 m apart, .* 400 m/s; "
    ):
        made = perform(quick)
    assert np.linalg.norm(wrist_seen(made, side) - far, axis=1).min() < (1e-3 if stop == Stop.GOAL else 0.1)
    assert np.isfinite(made.rotations).all()


def test_how_quick_is_too_quick():
    low, high = (-0.25, -0.25, 0.2), (-0.25, 0.15, 0.2)
    lasts = 0.4 / SUPERHUMAN
    assert checks.check_gesture(keyed((0.0, low), (1.0, low), (1.0 + 1.01 * lasts, high), (2.0, low))) == ()
    rows = [(0.0, low), (1.0, low), (1.0 + 0.99 * lasts, high), (1.0 + 1.5 * lasts, low), (2.0, low)]
    ((text, category),) = checks.check_gesture(keyed(*rows))
    assert category is ImplausibleKey
    assert "29 m/s (and 1 more such stroke)" in text
    # From the shoulder's place to one in the world is no distance that can be told from the keys.
    arm = keyed(*rows).right.keys
    mixed = (arm[0], arm[1], Keypoint(arm[2].frame, (-0.3, 1.3, 0.3), 0.0, Stop.GOAL, Space.GLOBAL))
    assert checks.check_gesture(Gesture("mixed", 3.0, right=Keypoints(mixed, 60.0))) == ()


@pytest.mark.parametrize(
    ("place", "where"), [((-0.18, -0.20, 0.05), "trunk"), ((-0.24, -0.35, 0.0), "trunk"), ((-0.18, 0.23, 0.08), "head")]
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_keys_inside_the_body_are_said_and_gone_to(place, where, side):
    sign = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    inside, rest = (tuple((sign * p).tolist()) for p in (place, (0.1, -0.42, 0.2)))
    deep = keyed((0.0, rest), (1.0, inside), (2.0, rest), side=side)
    with pytest.warns(
        ImplausibleKey, match=rf"odd: the {side} hand's key at 1 s, .* lies inside the {where}\. It is gone to"
    ):
        made = perform(deep)
    assert np.linalg.norm(wrist_seen(made, side) - inside, axis=1).min() < 1e-3
    other = keyed((0.0, rest), (1.0, tuple((sign * [-1.0, 1.0, 1.0] * place).tolist())), (2.0, rest), side=side)
    assert checks.check_gesture(other) == ()  # as far out as it was in
    world = keyed((0.0, rest), (1.0, inside), (2.0, rest), side=side, space=Space.GLOBAL)
    assert checks.check_gesture(world) == ()


def test_hands_on_the_body_are_left_alone():
    """On heart, chin, other shoulder and hip, behind the head; wrists a centimetre off the skin of chest and face."""
    rest = (-0.10, -0.42, 0.20)
    near = [(0.14, -0.14, 0.17), (0.15, 0.06, 0.20), (0.33, -0.02, 0.15), (-0.05, -0.46, 0.05), (0.10, 0.22, -0.10)]
    for place in (*near, (0.18, -0.10, 0.133), (0.18, 0.25, 0.136)):
        assert checks.check_gesture(keyed((0.0, rest), (1.0, place), (2.0, rest))) == ()


def test_many_keys_inside_are_one_warning():
    still = [(t, (0.18, -0.2, 0.05)) for t in np.arange(0.0, 2.0, 0.1)]
    ((text, _),) = checks.check_gesture(keyed(*still))
    assert "(and 19 more such keys)" in text


def test_a_warning_names_the_line_that_asked_and_comes_every_time():
    far = five_goals([(0, (-0.2, -0.3, 0.2)), (60, (-0.6, 0.3, 0.6)), (120, (-0.2, -0.3, 0.2))])
    for ask in (lambda: perform(far), lambda: render(Score(far))):
        with pytest.warns(OutOfReach, match=r"at 1 s is 0\.900 m from the shoulder; an arm reaches 0\.545 m") as told:
            ask()
        assert Path(told[0].filename).name == Path(__file__).name


def test_doubts_are_found_once_and_keep_no_gesture_alive():
    near = keyed((0.0, (-0.1, -0.42, 0.2)), (1.0, (0.18, -0.2, 0.05)), (2.0, (-0.1, -0.42, 0.2)))
    found = checks.check_gesture(near)
    assert len(found) == 1
    assert checks.check_gesture(near) is found
    gone = weakref.ref(near)
    del near
    gc.collect()
    assert gone() is None
