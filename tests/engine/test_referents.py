"""What a hand points at, touches, meets or holds upright is kept, whatever edits do to the body."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from engine.bodies import BODIES
from engine.kept import HELD, MOST, Shown, added, degrees, misses, read, show, worst, written
from kinesphere import Effort, Shape, body_of, generate, mo, phrase_of
from kinesphere.builtin.library import motions
from kinesphere.direction import Express, vocabulary
from kinesphere.engine import referents_of
from kinesphere.engine.embodiment import embody
from kinesphere.engine.generation import _prepare
from kinesphere.engine.hands import ASIDES, BENDS
from kinesphere.engine.phrases import as_written, figure_body
from kinesphere.engine.referents import window
from kinesphere.engine.written_pose import wrist_angles
from kinesphere.maths import rotations
from kinesphere.motion.gesture import Curve, Gesture, Keypoint, Keypoints
from kinesphere.motion.phrase import Keys, Phrase, Track
from kinesphere.motion.referent import Kind, Referent

OTHERS = {
    "Mo": body_of(mo()),
    **{name: body_of(BODIES[name]) for name in ("child", "wide shoulders", "T-pose, odd axes")},
}
SOME_WORDS = ("angry", "sad", "afraid", "joyful", "proudly", "tired", "punch", "float", "wildly", "mechanically")
CORNERS = [Effort(*row) for row in ((-1, -1, -1, -1), (1, 1, 1, 1), (-1, 1, 1, -1), (1, -1, -1, 1))]
ENDS = [
    *(Express(effort=Effort(**{name: v})) for name, v in product(("space", "weight", "time", "flow"), (-1.0, 1.0))),
    *(Express(shape=Shape(**{n: v})) for n, v in product(("horizontal", "vertical", "sagittal", "reach"), (-1.0, 1.0))),
    *(Express(effort=own, affinities=True) for own in CORNERS),
    *(Express(effort=own, shape=Shape(*own.numbers)) for own in CORNERS),
]
# Trunks that turn and bend, knees and a head that go along, more than any word asks for.
MOVED = [
    {"torso_turn": 0.6},
    {"torso_turn": -0.6},
    {"torso_forward": 0.4},
    {"hips_y": -0.1},
    {"head_nod": 0.3},
    {"torso_turn": 0.6, "torso_forward": 0.4, "hips_y": -0.1, "head_nod": 0.3},
    {"torso_turn": -0.6, "torso_forward": 0.4, "hips_y": -0.1, "head_nod": 0.3},
]
every_gesture = pytest.mark.parametrize("name", HELD)


def nothing(phrase: Phrase) -> Phrase:
    """The phrase without referents."""
    return replace(phrase, referents=(Referent(Kind.NOTHING, "both", 0.0, phrase.duration),))


def is_kept(found):
    return all(missed <= MOST[kind] for kind, (missed, _) in found.items())


# What is found


def test_what_a_gesture_implies_is_found():
    found = {
        name: [
            (own.kind, own.arm, own.joint, round(own.start, 2), round(own.end, 2))
            for own in referents_of(written(name))
        ]
        for name in ("point", "drink", "reach", "salute", "shush_or_hush")
    }
    assert found == {
        "point": [("aim", "right", None, 0.9, 1.75)],
        "drink": [("touch", "right", "head", 1.85, 2.8), ("level", "right", None, 1.1, 3.65)],
        "reach": [("level", "right", None, 1.62, 2.95)],
        "salute": [("touch", "right", "head", 0.75, 1.6)],
        "shush_or_hush": [("touch", "right", "head", 1.0, 1.9)],  # a finger on the lips points at nothing
    }
    claps = referents_of(written("clap"))
    assert [(own.kind, own.arm, round(own.start, 2)) for own in claps] == [
        ("meet", "both", t) for t in (0.97, 1.31, 1.65, 1.99, 2.33, 2.68)
    ]


@pytest.mark.parametrize("name", ["wave", "beckon", "knock", "punch", "shrug", "emphasise", "step_and_offer", "bow"])
def test_nothing_is_found_where_hands_refer_to_nothing(name):
    assert referents_of(written(name)) == ()


def test_it_is_the_same_on_every_body_whatever_its_size():
    for body in OTHERS.values():
        for name in HELD:
            kinds = [(own.kind, own.start, own.end, own.joint) for own in referents_of(written(name, body))]
            assert kinds == [(own.kind, own.start, own.end, own.joint) for own in referents_of(written(name))]


def akimbo() -> Gesture:
    """The left hand on the hip."""
    keys = [
        (12, (0.066, -0.5295, 0.038)),
        (60, (0.05, -0.43, 0.02)),
        (110, (0.05, -0.43, 0.02)),
        (150, (0.066, -0.5295, 0.038)),
    ]
    points = tuple(Keypoint(float(frame), place, 1.2) for frame, place in keys)
    return Gesture("akimbo", 3.0, left=Keypoints(points, 60.0, "leftArm"))


def test_a_hand_on_the_hip_stays_there_when_the_torso_leaves():
    phrase = phrase_of(akimbo())
    (own,) = referents_of(phrase)
    assert (own.kind, own.arm, own.joint) == (Kind.TOUCH, "left", "hips")

    def from_hips(shown):
        q, p = shown.joint("hips")
        return rotations.rotate(rotations.conjugate(q), shown.palm("left") - p)[62:108]

    at_hips = from_hips(show(phrase))
    bent = added(phrase, torso_forward=0.5, torso_turn=0.4)
    assert np.linalg.norm(from_hips(show(bent)) - at_hips, axis=1).max() < 0.01
    assert np.linalg.norm(from_hips(show(nothing(bent))) - at_hips, axis=1).max() > 0.05


# What is kept


@every_gesture
@pytest.mark.filterwarnings("ignore::kinesphere.engine.arm_plan.OutOfReach")  # some words lean away from the shelf
@pytest.mark.parametrize("intensity", [1.0, 2.0])
def test_it_is_kept_in_every_word(name, intensity):
    own = written(name)
    phrases = [Express(words=word, intensity=intensity)(own) for word in vocabulary()]
    assert len(phrases) >= 74
    found = worst(name, own, phrases)
    assert set(found) == {kind for kind, *_ in HELD[name]}
    assert is_kept(found), found


@every_gesture
@pytest.mark.parametrize("intensity", [1.0, 2.0])
def test_it_is_kept_at_the_ends_of_all_dials(name, intensity):
    own = written(name)
    found = worst(name, own, [replace(edit, intensity=intensity)(own) for edit in ENDS])
    assert is_kept(found), found


@every_gesture
def test_it_is_kept_when_trunk_and_head_move_far(name):
    own = written(name)
    phrases = [added(own, **channels) for channels in MOVED]
    phrases += [added(Express(words=word)(own), **MOVED[i]) for word in SOME_WORDS for i in (-1, -2)]
    assert is_kept(worst(name, own, phrases)), worst(name, own, phrases)


@pytest.mark.parametrize("name", ["point", "drink", "clap", "salute", "shush_or_hush"])
@pytest.mark.parametrize("body", OTHERS)
def test_it_is_kept_on_other_bodies(body, name):
    own = written(name, OTHERS[body])
    phrases = [Express(words=word, intensity=i)(own) for word in SOME_WORDS for i in (1.0, 2.0)]
    phrases += [added(own, **channels) for channels in MOVED]
    found = worst(name, own, phrases)
    assert is_kept(found), found


@every_gesture
def test_without_it_nothing_of_this_would_hold(name):
    own = written(name)
    found = worst(name, own, [nothing(Express(words=word)(own)) for word in SOME_WORDS])
    assert all(missed > 2.0 * MOST[kind] for kind, (missed, _) in found.items()), found


@pytest.mark.parametrize("rate", [24.0, 90.0])
@pytest.mark.parametrize("name", ["point", "drink", "clap"])
def test_it_is_kept_at_any_rate(name, rate):
    own = written(name)
    before = show(own, rate)
    for word in ("angry", "sad"):
        found = misses(name, before, show(Express(words=word)(own), rate))
        assert all(missed <= MOST[kind] for kind, missed in found.items()), found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_individuals_clap_with_both_hands_at_once(seed):
    own = phrase_of(read("clap"), seed=seed)
    made = Express(words="joyful")(own)
    assert misses("clap", show(written("clap")), show(made))["meet"] < MOST["meet"]
    clocks = _prepare(made, embody(made.body).actor, 60.0).clocks
    for time in (0.97, 1.31, 1.65, 1.99, 2.33, 2.68):
        assert clocks["left"].to_output(np.array([time])) == pytest.approx(clocks["right"].to_output(np.array([time])))


# What is left alone


@every_gesture
def test_the_plain_gesture_has_the_same_bits(name):
    for body in (None, OTHERS["Mo"]):
        own = written(name, body)
        made, without = generate(own), generate(nothing(own))
        assert np.array_equal(made.rotations, without.rotations)
        assert np.array_equal(made.translations, without.translations)


@every_gesture
def test_only_arms_change_and_a_head_that_is_touched(name):
    own = Express(words="sad")(written(name))
    made, without = generate(own), generate(nothing(own))
    names = made.skeleton.names
    changed = {names[j] for j in np.flatnonzero(np.abs(made.rotations - without.rotations).max(axis=(0, 2)) > 1e-9)}
    assert changed
    allowed = ("Shoulder", "Arm", "Hand", "Index", "Middle", "Ring", "Little", "Thumb")
    head = {"neck", "head"} if any(kind == "touch" for kind, *_ in HELD[name]) else set()
    assert {own for own in changed if not any(part in own for part in allowed)} == head


def test_wrists_stay_within_their_limits():
    for name, word in product(HELD, ("angry", "sad", "afraid", "joyful", "wildly")):
        own = added(Express(words=word, intensity=2.0)(written(name)), **MOVED[-1])
        angles = angles_of(own)
        assert angles[:, 1].min() > BENDS[0] - 1e-6
        assert angles[:, 1].max() < BENDS[1] + 1e-6
        assert angles[:, 2].min() > ASIDES[0] - 1e-6
        assert angles[:, 2].max() < ASIDES[1] + 1e-6


def angles_of(phrase):
    """Roll, bend, aside and flexion of the right arm in every frame."""
    motion = generate(phrase)

    class Pose:
        skeleton, local = motion.skeleton, motion.rotations

    return wrist_angles(Pose, "right")


@every_gesture
def test_it_comes_and_goes_without_a_pop(name):
    """A hand that keeps something turns hardly quicker than one that keeps nothing."""

    def fastest(phrase):
        shown = show(phrase)
        turns = [shown.joint(f"{side}Hand")[0] for side in ("left", "right")]
        return max(
            float(np.degrees(2.0 * np.arccos(np.clip(np.abs(np.sum(q[1:] * q[:-1], axis=1)), 0.0, 1.0))).max() * 60.0)
            for q in turns
        )

    for word in SOME_WORDS:
        own = Express(words=word)(written(name))
        assert fastest(own) < 1.25 * fastest(nothing(own)) + 250.0, word


# Hands' shapes


def finger_lengths(shown, frames):
    """How far the tips of index and middle finger are from the wrist."""
    wrist = shown.joint("rightHand")[1][frames]
    return [np.linalg.norm(shown.joint(f"right{f}Distal")[1][frames] - wrist, axis=1) for f in ("Index", "Middle")]


@pytest.mark.parametrize(("name", "start", "end"), [("point", 0.9, 1.75), ("drink", 1.25, 3.4), ("clap", 0.97, 2.6)])
@pytest.mark.parametrize("effort", [Effort(weight=1.0), Effort(weight=-1.0), Effort(1, 1, 1, 0)])
def test_affinities_change_no_hand_that_means_something(name, start, end, effort):
    own = written(name)
    before, after = show(own), show(Express(effort=effort, affinities=True)(own))
    times = before.time("right"), after.time("right")
    held = [np.flatnonzero((time >= start) & (time <= end)) for time in times]
    for was, now in zip(finger_lengths(before, held[0]), finger_lengths(after, held[1]), strict=True):
        wanted = np.interp(times[1][held[1]], times[0][held[0]], was)
        assert np.abs(now - wanted).max() < 0.006


def test_affinities_close_a_relaxed_hand():
    keys = np.array([(-0.12, -0.97, 0.07), (-0.3, -0.1, 0.7), (-0.3, -0.1, 0.7), (-0.12, -0.97, 0.07)])
    times = np.array([0.2, 1.0, 1.6, 2.4])
    track = Track(Keys(times, keys, np.full(4, -0.4), np.ones(4, bool), ("chest",) * 4, np.full(4, 0.5)))
    own = Phrase("offer", figure_body(), 2.6, {"right_arm": track})
    before, after = show(own), show(Express(effort=Effort(weight=1.0), affinities=True)(own))
    frames = [np.flatnonzero(np.abs(shown.time("right") - 1.3) < 0.1) for shown in (before, after)]
    assert finger_lengths(after, frames[1])[1].max() < 0.75 * finger_lengths(before, frames[0])[1].min()


# What is marked


TARGET = (-1.4, 0.5, 2.2)


def aiming(**marked) -> Gesture:
    """Points ahead, and is told to point elsewhere."""
    return replace(read("point"), referents=(Referent(Kind.AIM, "right", 0.9, 1.75, target=TARGET, **marked),))


@pytest.mark.parametrize("word", [None, "angry", "sad", "joyful"])
def test_a_marked_target_is_aimed_at_by_the_plain_gesture_too(word):
    own = phrase_of(aiming())
    shown = show(own if word is None else Express(words=word)(own))
    time = shown.time("right")
    held = (time >= 0.9) & (time <= 1.75)
    knuckle, direction = shown.ray("right")
    assert degrees(direction, np.array(TARGET) - knuckle)[held].max() < MOST["aim"]


def test_on_another_body_a_marked_target_is_as_many_arm_lengths_away():
    body = OTHERS["child"]
    (own,) = referents_of(phrase_of(aiming(), body))
    shoulders = [show(phrase_of(Gesture("stand", 1.0), b)).joint("rightUpperArm")[1][0] for b in (figure_body(), body)]
    size = embody(body).actor.arm_size
    away = [np.array(target) - shoulder for target, shoulder in zip((TARGET, own.target), shoulders, strict=True)]
    assert away[1] == pytest.approx(size * away[0], abs=0.02)


def test_what_is_marked_takes_the_place_of_what_is_found():
    own = phrase_of(replace(read("drink"), referents=(Referent(Kind.NOTHING, "right", 1.0, 3.0),)))
    assert referents_of(own) == ()
    other = phrase_of(replace(read("drink"), referents=(Referent(Kind.LEVEL, "left", 1.0, 3.0),)))
    assert [found.kind for found in referents_of(other)] == [Kind.LEVEL, Kind.TOUCH, Kind.LEVEL]


def test_marks_survive_edits_and_may_follow_them():
    own = phrase_of(aiming())
    assert referents_of(Effort(time=1.0)(own)) == referents_of(own)
    marked = replace(Effort(time=1.0)(written("point")), referents=own.referents)
    assert referents_of(marked)[0].target == TARGET
    assert marked.applied_edits  # it is under the same dials
    assert referents_of(Shape(vertical=1.0)(marked))[0].target == TARGET


def test_what_makes_no_sense_is_refused():
    for wrong, said in (
        ({"kind": Kind.TOUCH}, "joint"),
        ({"kind": Kind.AIM, "joint": "head"}, "joint"),
        ({"kind": Kind.LEVEL, "target": TARGET}, "target"),
        ({"kind": Kind.MEET}, "both"),
        ({"kind": Kind.AIM, "end": 0.5}, "not before the start"),
    ):
        with pytest.raises(ValueError, match=said):
            Referent(**{"arm": "right", "start": 1.0, "end": 2.0} | wrong)
    with pytest.raises(ValueError, match="duration"):
        replace(read("point"), referents=(Referent(Kind.AIM, "right", 1.0, 9.0),))


# Its parts


def test_a_window_is_one_while_it_holds_and_fades_on_both_sides():
    own = Referent(Kind.AIM, "right", 1.0, 2.0, before=0.5, after=1.0)
    times = np.array([0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0])
    assert window(own, times) == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0])


def test_a_loop_that_points_over_its_seam_closes():
    """It points from 2 s of each round to 0.6 s of the next."""
    ahead, down = (-0.14, 0.046, 0.518), (-0.12, -0.30, 0.30)
    points = ((0.0, ahead), (0.6, ahead), (1.2, down), (1.5, down), (2.0, ahead), (2.4, ahead))
    keys = tuple(Keypoint(60.0 * time, place, -0.4) for time, place in points)
    shape = Curve((0.0, 0.6, 0.9, 1.6, 1.9, 2.4), (1.0, 1.0, 0.0, 0.0, 1.0, 1.0))
    made = phrase_of(
        Gesture("point again", 2.4, right=Keypoints(keys, 60.0), curves={"right.hand.pointing": shape}, loop=True)
    )
    assert [own.kind for own in referents_of(made)] == [Kind.AIM, Kind.AIM]
    for own in (added(made, torso_turn=0.4), Shape(vertical=1.0)(made), Effort(space=-1.0)(made)):
        motion = generate(own)
        assert motion.rotations[-1] == pytest.approx(motion.rotations[0], abs=1e-6)
        turns = motion.rotations[:, motion.skeleton.index("rightHand")]
        steps = 2.0 * np.arccos(np.clip(np.abs(np.sum(turns[1:] * turns[:-1], axis=1)), 0.0, 1.0))
        assert steps.max() < 0.35


def test_edits_of_a_phrase_have_one_phrase_as_written():
    own = written("point")
    first = as_written(own)
    assert as_written(Effort(weight=1.0)(own)) is first
    assert as_written(added(Express(words="sad")(own), torso_turn=0.3)) is first
    assert as_written(phrase_of(read("point"), OTHERS["child"])) is not first
    turned = own.track("torso")
    other = own.with_tracks({"torso": replace(turned, curves={"torso.turn": Curve((0.0, 1.0), (0.0, 0.4))})})
    assert as_written(other) is not first


def test_all_built_in_gestures_can_be_asked():
    for name in motions():
        if not name.startswith("walk"):
            assert isinstance(referents_of(written(name)), tuple)


def test_a_pointing_hand_that_wanders_has_two_targets():
    point = read("point")
    right = point.right
    assert right is not None
    keys = [
        *right.keys[:4],
        replace(right.keys[3], frame=right.keys[3].frame + 24.0, position=(0.25, 0.05, 0.46)),
        *right.keys[4:],
    ]
    keys = [key if i < 5 else replace(key, frame=key.frame + 24.0) for i, key in enumerate(keys)]
    later = {c: curve for c, curve in point.curves.items() if c != "right.hand.pointing"}
    later["right.hand.pointing"] = Curve((0.5, 0.8, 2.3, 2.6), (0.0, 1.0, 1.0, 0.0))
    made = phrase_of(replace(point, duration=3.4, right=replace(right, keys=tuple(keys)), inflections={}, curves=later))
    first, second = referents_of(made)
    assert (first.kind, second.kind) == (Kind.AIM, Kind.AIM)
    assert first.end < second.start
    shown = Shown(own := Express(words="sad")(made), generate(own))
    knuckle, direction = shown.ray("right")
    for referent in (first, second):
        held = (shown.time("right") >= referent.start) & (shown.time("right") <= referent.end)
        assert degrees(direction, np.array(referent.target) - knuckle)[held].max() < MOST["aim"]
