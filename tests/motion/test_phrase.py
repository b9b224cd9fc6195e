"""Phrases: what is wrong is said clearly, and nothing is changed in place."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from kinesphere import Express, lift, phrase_of
from kinesphere.body import body_of
from kinesphere.builtin import figure
from kinesphere.builtin import motion as builtin
from kinesphere.engine.phrases import figure_body
from kinesphere.motion.gesture import Curve, Step
from kinesphere.motion.phrase import SAMPLES, Keys, Phrase, Track
from kinesphere.motion.skeleton import Skeleton


def keys(times=(0.0, 0.5, 1.0), **given):
    """Keys at these times, all of them goals before the chest."""
    count = len(times)
    rows = {
        "times": np.array(times),
        "positions": np.tile([-0.3, 0.1, 0.6], (count, 1)),
        "swivels": np.zeros(count),
        "goals": np.ones(count, dtype=bool),
        "spaces": ("chest",) * count,
        "inflections": np.full(count, 0.5),
    }
    return Keys(**rows | given)


def phrase(**tracks):
    return Phrase("own", figure_body(), 2.0, tracks)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"times": (0.0, 1.0, 0.5)}, r"the key at 0\.5 s follows the one at 1 s: times must increase"),
        ({"times": (0.0, 0.5, 0.5)}, "times must increase"),
        ({"times": ()}, "one at least"),
        ({"swivels": np.zeros(2)}, r"swivels of 3 keys has shape \(2,\)"),
        ({"positions": np.zeros((3, 2))}, r"positions of 3 keys has shape \(3, 2\)"),
        ({"positions": np.full((3, 3), np.nan)}, "not finite"),
        ({"spaces": ("chest",)}, "1 spaces for 3 keys"),
        ({"inflections": np.ones(3)}, "above 0 and below 1"),
    ],
)
def test_keys_that_are_none_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        keys(**given)


@pytest.mark.parametrize(
    ("tracks", "said"),
    [
        ({"tail": Track()}, "no part is called 'tail'"),
        ({"right_arm": Track(keys(spaces=("chest", "leftTail", "world")))}, "right_arm: no space is called 'leftTail'"),
        ({"right_arm": Track(keys((0.5, 2.5)))}, "right_arm: keys outside of the phrase's 0 to 2 s"),
        ({"right_arm": Track(keys((-0.5, 1.0)))}, "outside of the phrase"),
        ({"torso": Track(keys())}, "torso has keys; arms have"),
        ({"torso": Track(curves={"head.nod": Curve((0.0,), (0.1,))})}, "torso: no channel is called 'head.nod'"),
        ({"left_arm": Track(curves={"right.clavicle.raise": Curve((0.0,), (0.1,))})}, "left_arm: no channel"),
        ({"head": Track(overlays={"torso.forward": np.array(0.1)})}, "head: no overlay is called 'torso.forward'"),
        ({"torso": Track(overlays={"squash": np.array(0.1)})}, "torso: no overlay is called 'squash'"),
        ({"right_arm": Track(overlays={"wobble": np.array(0.1)})}, "no overlay is called 'wobble'"),
        ({"right_arm": Track(overlays={"squash": np.zeros(200)})}, r"squash lasts 3\.31667 s; the phrase lasts 2 s"),
        ({"right_arm": Track(keys(), strokes={"speed": np.array(1.0)})}, "no stroke parameter is called 'speed'"),
        ({"right_arm": Track(keys(), strokes={"duration": np.ones(3)})}, "right_arm: duration has 3 rows for 2 str"),
        ({"right_arm": Track(keys(), strokes={"duration": np.ones((2, 2))})}, r"duration has shape \(2, 2\)"),
        ({"right_arm": Track(keys(), placed=np.zeros((2, 3)))}, r"placed has shape \(2, 3\); \(3, 3\)"),
    ],
)
def test_tracks_that_do_not_fit_are_refused(tracks, said):
    with pytest.raises(ValueError, match=said):
        phrase(**tracks)


@pytest.mark.parametrize("duration", [0.0, -1.0, float("nan"), float("inf")])
def test_a_phrase_lasts(duration):
    with pytest.raises(ValueError, match="more than 0 s"):
        Phrase("none", figure_body(), duration)


def test_what_fits_is_taken():
    made = phrase(
        right_arm=Track(
            keys(spaces=("chest", "head", "world")),
            strokes={"duration": np.array([1.0, 2.0])},
            overlays={"squash": np.zeros(round(2.0 * SAMPLES) + 1), "right.clavicle.raise": np.array(0.1)},
        ),
        left_leg=Track(overlays={"left.foot.peel": np.array(0.1)}),
    )
    assert set(made.added_channels) == {"right.clavicle.raise", "left.foot.peel"}
    assert made.track("gaze").keys is None
    assert made.arm("left") is made.track("head")  # what is not there is neutral


@pytest.mark.parametrize("name", ["wave", "walk"])
def test_what_a_prompt_prints_is_short(name):
    motion = builtin(name)
    phrase = Express(words="tired")(lift(motion))
    detail = phrase.detail
    parts = (detail, detail.poses, detail.strokes, detail.steps, detail.unrolled, phrase.body, phrase.drives[0])
    keys = phrase.track("right_arm").keys
    for own in (phrase, phrase_of(name), *parts, phrase.track("right_arm"), keys):
        assert len(repr(own)) < 220
        assert "\n" not in repr(own)
    said = repr(phrase)
    assert f"{name!r}: {motion.duration:.4g} s" in said
    assert all(part in said for part in phrase.tracks)
    assert f"{len(keys) + len(phrase.track('left_arm').keys)} keys" in said
    assert f"{len(keys)} keys, " in repr(keys)
    assert ("8 steps" in said) == ("8 strikes" in repr(detail.steps)) == (name == "walk")


def test_nothing_is_changed_in_place():
    own = {"right_arm": Track(keys())}
    first = phrase(**own)
    second = first.with_tracks({"torso": Track()}, locked=True)
    own["left_arm"] = Track()
    assert set(first.tracks) == {"right_arm"}
    assert set(second.tracks) == {"right_arm", "torso"}
    assert (first.locked, second.locked) == (False, True)
    assert second.arm("right") is first.arm("right")
    with pytest.raises(FrozenInstanceError):
        first.duration = 3.0
    with pytest.raises(TypeError):
        first.tracks["torso"] = Track()


def without(*lost):
    """The figure's skeleton without some joints and what hangs on them."""
    whole = figure().skeleton
    gone = {j for name in lost for j in whole.descendants(whole.index(name))} | {whole.index(name) for name in lost}
    keep = [j for j in range(len(whole)) if j not in gone]
    place = {-1: -1} | {j: k for k, j in enumerate(keep)}
    parents = np.array([place[int(whole.parents[j])] for j in keep])
    return Skeleton(
        tuple(whole.names[j] for j in keep), parents, whole.offsets[keep], whole.rest_rotations[keep],
        {role: place[j] for role, j in whole.roles.items() if j in place},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("lost", "missing"),
    [
        (("leftUpperArm", "rightUpperArm"), ("leftUpperArm", "leftHand", "rightUpperArm", "rightHand")),
        (("leftHand",), ("leftHand",)),
        (("leftUpperLeg",), ("leftUpperLeg", "leftFoot")),
        (("head",), ("head",)),
    ],
)
def test_a_body_without_arms_or_hands_is_told_what_is_missing(lost, missing):
    with pytest.raises(ValueError, match="Missing for a humanoid:") as told:
        body_of(without(*lost))
    for role in missing:
        assert role in str(told.value).partition("Missing")[2]


def test_other_fields_are_kept_when_edits_that_add_up_are_taken_back():
    from kinesphere import Effort

    plain = phrase(right_arm=Track(keys()))
    made = replace(Effort(weight=0.5)(plain), name="renamed", seed=3)
    assert (made.original.name, made.original.seed) == ("renamed", 3)
    assert made.original.tracks == plain.tracks
    again = Effort(weight=0.2)(made)
    assert (again.name, again.seed) == ("renamed", 3)
    assert len(again.applied_edits) == 2


@pytest.mark.parametrize(
    ("part", "track", "said"),
    [
        ("right_arm", Track(keys(), strokes={"duration": np.nan}), "right_arm: duration is nan; 0.01 to 100"),
        ("right_arm", Track(keys(), strokes={"duration": 0.0}), "duration is 0"),
        ("right_arm", Track(keys(), strokes={"duration": np.array([1.0, -1.0])}), "duration is -1"),
        ("right_arm", Track(keys(), strokes={"duration": 1e6}), "duration is 1e"),
        ("right_arm", Track(keys(), strokes={"inflection": 2.0}), "inflection is 2; 0.01 to 0.99"),
        ("right_arm", Track(keys(), overlays={"wrist_bend": np.nan}), "wrist_bend is nan"),
        ("right_arm", Track(keys(), overlays={"wrist_bend": np.zeros((3, 3))}), r"wrist_bend has shape \(3, 3\)"),
        ("right_arm", Track(keys(), placed=np.full((3, 3), np.nan)), "placed has a number that is not finite"),
        ("right_arm", Track(placed=np.zeros((3, 3))), "found placed, which arms with keys have"),
        ("right_arm", Track(keys(spaces=("chest", 3, "chest"))), "no space is called '3'"),
        ("head", Track(overlays={"head.nod": 20.0}), "head.nod is 20; -3.142 to 3.142 radians is allowed"),
        ("head", Track(curves={"head.nod": Curve((0.0, 1.0), (0.0, 20.0))}), "head.nod is 20"),
        ("head", Track(strokes={"duration": 2.0}), "head: found strokes, which arms and the torso have"),
        ("torso", Track(steps=(Step(0.0, 0.5, 0.1, 0.0),)), "torso: found steps, which legs have"),
    ],
)
def test_what_would_break_or_be_lost_is_refused_with_its_part(part, track, said):
    with pytest.raises(ValueError, match=said):
        phrase(**{part: track})


def test_keys_may_be_given_as_lists():
    given = Keys([0.0, 1.0], [[0, 0, 0.5], [0, 0.1, 0.5]], [0, 0], [True, True], ["chest", "chest"], [0.5, 0.5])
    assert given.positions.dtype == np.float64
    assert given.spaces == ("chest", "chest")
