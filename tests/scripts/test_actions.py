"""Actions that we ship: each compiles, moves both bodies well, is used as it says, and goes over into any other."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from kinesphere import body_of, generate, load_script
from kinesphere.builtin.characters import mo
from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.engine.generation import body_clock
from kinesphere.engine.phrases import figure_body
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import CHEST
from kinesphere.scripts import script_phrase
from kinesphere.scripts.action import parameters_of
from kinesphere.scripts.action_file import ACTIONS
from kinesphere.scripts.script_file import action_as_script

NAMES = tuple(ACTIONS.names)
# What does not end at rest, and says so.
STAYS = {"bow-low", "crouch", "fold-arms", "hands-on-hips", "idle", "lean", "take"}
BEGINS_ELSEWHERE = {"rise-and-emphasise", "idle"}
PLACES = {"point-at": (-0.7, 1.2, 2.0), "look": (1.0, 1.3, 2.0)}
NEAR = (-0.30, 1.15, 0.42)  # a place that the right hand reaches easily
JOINTS = ("hips", "head", "leftHand", "rightHand")
# Metres a second², of our actions: a punch is the quickest of them.
QUICKEST = {"hips": 9.0, "head": 14.0, "leftHand": 75.0, "rightHand": 75.0}
PLANTED = 0.005  # metres
EDGE = 2  # frames of a stance that are left out at either end, where a foot lands and lifts
REST = 0.02  # metres: who sways is at rest


def places_of(name, mirrored=False):
    """Values of an action's places that have no default."""
    sign = -1.0 if mirrored else 1.0
    made = {}
    for key, own in parameters_of(ACTIONS.find(name)).items():
        if own.kind == "place" and (own.default is None or mirrored):
            x, y, z = own.default or PLACES.get(name, NEAR)
            made[key] = (sign * x, y, z)
    return made


def written_places(name):
    """Places that an action's file has by default."""
    own = parameters_of(ACTIONS.find(name))
    return {key: own[key].default for key in own if own[key].kind == "place" and own[key].default is not None}


def phrase_of_action(name, body=None, **values):
    return script_phrase(action_as_script(name, places_of(name) | values), body or figure_body())


_made = {}


def motion_of(name, **values):
    key = name, tuple(sorted(values.items()))
    if key not in _made:
        _made[key] = generate(phrase_of_action(name, **values))
    return _made[key]


def quickest(motion, first=0, last=None):
    """The greatest acceleration of each joint, in metres a second²."""
    places = motion.positions_world()
    bends = np.linalg.norm(np.diff(places, 2, axis=0), axis=2) * motion.rate**2
    return {role: float(bends[first:last, motion.skeleton.roles[role]].max()) for role in JOINTS}


def slides(phrase, motion):
    """How far the ball of any foot goes between two steps of it, in metres."""
    clock, places = body_clock(phrase, motion.rate), motion.positions_world()
    worst = 0.0
    for side in SIDES:
        times = [0.0, *(at for step in phrase.track(f"{side}_leg").steps for at in (step.lift, step.land))]
        times = [*(float(clock(np.array([at]))[0]) for at in times), motion.duration]
        ball = places[:, motion.skeleton.roles[f"{side}Toes"]][:, [0, 2]]
        for start, end in zip(times[::2], times[1::2], strict=True):
            own = ball[int(np.ceil(start * motion.rate)) + EDGE : int(end * motion.rate) + 1 - EDGE]
            if not len(own):
                continue
            worst = max(worst, float(np.linalg.norm(own - np.median(own, axis=0), axis=1).max()))
    return worst


def test_there_are_actions_enough():
    assert len(NAMES) >= 24
    assert {"wave", "point", "drink", "knock", "bow", "reach", "punch", "shrug", "clap", "beckon"} < set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_an_action_says_what_it_does_and_what_may_be_set(name):
    file = ACTIONS.find(name)
    about = action_as_script(name, places_of(name)).about
    assert 20 < len(about) < 140
    assert "stays" in about if name in STAYS else True
    for key, own in parameters_of(file).items():
        assert own.about.endswith("."), key
        if own.kind in ("number", "whole"):
            assert own.least < own.most, key
            assert own.least <= own.default <= own.most, key


@pytest.mark.parametrize("character", ["figure", "mo"])
@pytest.mark.parametrize("name", NAMES)
def test_an_action_moves_a_body_and_its_feet_stay(name, character):
    body = figure_body() if character == "figure" else body_of(mo().skeleton)
    scale = body.lengths["leftArm"] / figure_body().lengths["leftArm"]
    places = {key: tuple(scale * x for x in place) for key, place in (written_places(name) | places_of(name)).items()}
    phrase = script_phrase(action_as_script(name, places), body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfReach)
        motion = generate(phrase)
    assert np.isfinite(motion.rotations).all()
    assert np.isfinite(motion.translations).all()
    assert R.unit_error(motion.rotations) < 1e-9
    assert slides(phrase, motion) < PLANTED
    for role, most in QUICKEST.items():
        assert quickest(motion)[role] < most, role


@pytest.mark.parametrize("name", NAMES)
def test_hands_are_asked_where_arms_go(name):
    for side in SIDES:
        keys = phrase_of_action(name).arm(side).keys
        if keys is not None:
            local = keys.positions[[space == CHEST for space in keys.spaces]]
            assert np.linalg.norm(local, axis=1).max(initial=0.0) < 1.0


@pytest.mark.parametrize("name", NAMES)
def test_an_action_begins_and_ends_at_rest_unless_it_says_that_it_stays(name):
    motion, rest = motion_of(name), motion_of("stand")
    places, stands = (own.positions_world() for own in (motion, rest))
    hips, turned = motion.skeleton.roles["hips"], motion.world()[0]

    def away(frame):
        back = R.conjugate(turned[frame, hips])
        own = R.rotate(back, places[frame] - places[frame, hips])
        still = R.rotate(R.conjugate(rest.world()[0][0, hips]), stands[0] - stands[0, hips])
        return float(np.linalg.norm(own - still, axis=1).max())

    assert (away(0) < REST) == (name not in BEGINS_ELSEWHERE)
    assert (away(-1) < REST) == (name not in STAYS)


ENDS = [
    (name, key)
    for name in NAMES
    for key, own in parameters_of(ACTIONS.find(name)).items()
    if own.kind in ("number", "whole", "choice")
]


@pytest.mark.parametrize(("name", "key"), ENDS)
def test_both_ends_of_a_parameter_are_done_and_differ(name, key):
    own = parameters_of(ACTIONS.find(name))[key]
    values = own.choices if own.kind == "choice" else (own.least, own.most)
    phrases = [phrase_of_action(name, **{key: value}) for value in (values[0], values[-1])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OutOfReach)
        motions = [generate(phrase) for phrase in phrases]
    for phrase, motion in zip(phrases, motions, strict=True):
        assert R.unit_error(motion.rotations) < 1e-9
        assert slides(phrase, motion) < PLANTED
        for role, most in QUICKEST.items():
            assert quickest(motion)[role] < 1.5 * most, role
    first, second = (motion.positions_world() for motion in motions)
    count = min(len(first), len(second))
    assert len(first) != len(second) or np.abs(first[:count] - second[:count]).max() > 0.003


@pytest.mark.parametrize("name", [own for own in NAMES if places_of(own) or own in ("push", "apple-reach")])
def test_places_are_where_an_action_goes(name):
    keys = [key for key, own in parameters_of(ACTIONS.find(name)).items() if own.kind == "place"]
    first = motion_of(name)
    for key in keys:
        own = parameters_of(ACTIONS.find(name))[key].default or places_of(name)[key]
        higher = 0.3 if name in PLACES else 0.06
        second = motion_of(name, **{key: (own[0], own[1] + higher, own[2])})
        assert np.abs(first.positions_world() - second.positions_world()).max() > 0.01


@pytest.mark.parametrize("name", NAMES)
def test_the_left_hand_does_the_mirror_image(name, tmp_path):
    rows = [f"{key} = {list(place)}" for key, place in places_of(name, mirrored=True).items()]
    path = tmp_path / "left.toml"
    path.write_text("\n".join(['kind = "script"', "[[action]]", f'do = "{name}"', 'hand = "left"', *rows]))
    left = script_phrase(load_script(path), figure_body())
    right = phrase_of_action(name)
    made = [generate(replace(own, life=0.0, duration=right.duration)) for own in (left, right)]
    away = made[0].positions_world() - made[1].mirrored().positions_world()
    assert np.linalg.norm(away, axis=2).max() < 0.01


# From one to the next

PAIRED = (
    *("wave", "touch", "shrug", "bow-low", "hands-on-hips", "fold-arms"),
    *("walk", "crouch", "rise", "take", "recoil", "go-left"),
)
# What is within reach of who stands is beside the shoulder of who is bowed.
TOO_NEAR = {("bow-low", "touch"), ("bow-low", "take")}
WALKED = 2.03  # metres that the walk goes


@pytest.mark.parametrize("first", PAIRED)
def test_any_action_goes_over_into_any_other_without_a_pop(first, tmp_path):
    path = tmp_path / "pair.toml"
    for second in PAIRED:
        if (first, second) in TOO_NEAR:
            continue
        rows, ahead = ['kind = "script"'], 0.0
        for name in (first, second):
            rows += ["[[action]]", f'do = "{name}"']
            rows += [f"{key} = {[x, y, z + ahead]}" for key, (x, y, z) in places_of(name).items()]
            ahead += WALKED if name == "walk" else 0.0
        path.write_text("\n".join(rows), encoding="utf-8")
        script = load_script(path)
        phrase = script_phrase(script, figure_body())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OutOfReach)
            motion = generate(phrase)
        assert slides(phrase, motion) < PLANTED, second
        for role, found in quickest(motion).items():
            assert found < QUICKEST[role], f"{role} of {second} after {first}"


def test_actions_at_once_with_interrupts_repeats_and_sync_points(tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        """
kind = "script"
[place]
box = [-0.25, 1.05, 0.42]
[[action]]
do = "walk"
steps = 3
[[action]]
do = "wave"
name = "hello"
with = "walk"
wait = 0.4
[[action]]
do = "turn"
angle = -70
after = "walk.lands"
wait = 0.6
[[action]]
do = "shrug"
repeat = 2
pause = 0.1
[[action]]
do = "recoil"
interrupt = true
after = "shrug.arrives.2"
[[action]]
do = "fold-arms"
[[action]]
do = "nod"
name = "yes"
[[action]]
do = "bow-low"
[[action]]
do = "rise-and-emphasise"
[[action]]
do = "stand"
""",
        encoding="utf-8",
    )
    phrase = script_phrase(load_script(path), figure_body())
    motion = generate(phrase)
    assert slides(phrase, motion) < PLANTED
    for role, found in quickest(motion).items():
        assert found < QUICKEST[role], role


def pose_of(motion, side, second):
    """A wrist as its chest sees it."""
    q, p = motion.world()
    roles, frame = motion.skeleton.roles, round(second * motion.rate)
    away = p[frame, roles[f"{side}Hand"]] - p[frame, roles["upperChest"]]
    return R.rotate(R.conjugate(q[frame, roles["upperChest"]]), away)


def script_of(tmp_path, *rows):
    path = tmp_path / "script.toml"
    path.write_text("\n".join(['kind = "script"', *rows]), encoding="utf-8")
    return script_phrase(load_script(path), figure_body())


def test_folded_arms_stay_folded_until_the_end_of_whatever_follows(tmp_path):
    motion = generate(
        script_of(tmp_path, *(f'[[action]]\ndo = "{name}"' for name in ("fold-arms", "walk", "nod", "stand")))
    )
    folded = [pose_of(motion, "left", at) for at in (1.9, 4.0, 6.0, 7.5)]
    assert np.linalg.norm(np.array(folded) - folded[0], axis=1).max() < 0.03
    assert np.linalg.norm(pose_of(motion, "left", motion.duration) - folded[0]) > 0.25


def test_a_hand_that_is_needed_elsewhere_loses_its_shape_and_the_other_one_stays(tmp_path):
    rows = ('[[action]]\ndo = "hands-on-hips"', f'[[action]]\ndo = "touch"\ntarget = {list(NEAR)}')
    phrase = script_of(tmp_path, *rows)
    motion, alone = generate(phrase), motion_of("stand")
    hips = pose_of(motion, "left", 1.6)
    assert np.linalg.norm(pose_of(motion, "left", motion.duration) - hips) < 0.02
    hand = motion.skeleton.roles["rightHand"]
    fingers = motion.skeleton.descendants(hand)
    turns = R.multiply(R.conjugate(motion.rotations[-1, fingers]), alone.rotations[0, fingers])
    assert np.degrees(2.0 * np.arccos(np.clip(np.abs(turns[:, 0]), 0.0, 1.0))).max() < 3.0


def test_rising_and_standing_bring_everything_back(tmp_path):
    for last in ("rise", "stand"):
        names = ("hands-on-hips", "crouch", last)
        motion = generate(script_of(tmp_path, *(f'[[action]]\ndo = "{name}"' for name in names)))
        rest = motion_of("stand").positions_world()[0]
        assert np.abs(motion.positions_world()[-1] - rest).max() < REST


def test_a_script_begins_as_its_first_action_does():
    motion = motion_of("rise-and-emphasise")
    head, hips = (motion.positions_world()[0, motion.skeleton.roles[role]] for role in ("head", "hips"))
    assert head[1] - hips[1] < 0.35  # bowed, not upright
    assert head[2] - hips[2] > 0.3


def test_feet_are_beside_each_other_after_turns_and_steps_aside():
    for name, values in (("turn", {"angle": 120}), ("turn", {"angle": -90}), ("step-aside", {}), ("step-back", {})):
        motion = motion_of(name, **values)
        q, p = motion.world()
        feet = [motion.skeleton.roles[f"{side}Foot"] for side in SIDES]
        apart = [np.linalg.norm(p[frame, feet[0]] - p[frame, feet[1]]) for frame in (0, -1)]
        assert apart[1] == pytest.approx(apart[0], abs=0.005), name
        turned = R.multiply(R.conjugate(q[0, feet]), q[-1, feet])
        assert np.abs(np.sum(turned[0] * turned[1])) > 0.9999, name


def test_oscillations_fade():
    motion = motion_of("shake-head", times=4)
    q, roles = motion.world()[0], motion.skeleton.roles
    ahead = R.rotate(q[:, roles["head"]], R.rotate(R.conjugate(q[0, roles["head"]]), np.array([0.0, 0.0, 1.0])))
    angle = np.degrees(np.arctan2(ahead[:, 0], ahead[:, 2]))
    peaks = [
        abs(angle[i]) for i in range(1, len(angle) - 1) if (angle[i] - angle[i - 1]) * (angle[i + 1] - angle[i]) < 0
    ]
    large = [own for own in peaks if own > 5.0]
    assert len(large) == 8
    assert large[-1] < 0.8 * large[0]


def test_the_body_stays_where_a_hand_that_stays_needs_it(tmp_path):
    motion = motion_of("touch", target=(-0.2, 1.0, 0.75), stays=1.5)
    hips = motion.positions_world()[:, motion.skeleton.roles["hips"], 2]
    held = hips[round(1.25 * motion.rate) : round(2.55 * motion.rate)]
    assert held.min() - hips[0] > 0.04
    assert np.ptp(held) < 0.02


def test_an_apple_is_reached_for_with_eyes_first(tmp_path):
    motion = motion_of("apple-reach")
    q, p = motion.world()
    roles, apple = motion.skeleton.roles, np.array([-0.52, 1.22, 0.40])
    head, eyes = roles["head"], roles["rightEye"]
    ahead = R.rotate(q[:, eyes], R.rotate(R.conjugate(q[0, eyes]), np.array([0.0, 0.0, 1.0])))
    to = apple - p[:, head]
    off = np.degrees(np.arccos(np.sum(ahead * to, axis=1) / np.linalg.norm(to, axis=1)))
    wrist = np.linalg.norm(p[:, roles["rightHand"]] - apple, axis=1)
    looks, arrives = np.argmax(off < 12.0), np.argmax(wrist < wrist.min() + 0.02)
    assert 0 < looks < arrives - 0.3 * motion.rate


def test_both_forearms_go_left():
    motion = motion_of("go-left")
    p, roles = motion.positions_world(), motion.skeleton.roles
    shows = round(1.1 * motion.rate)
    for side in SIDES:
        went = p[shows, roles[f"{side}Hand"]] - p[round(0.5 * motion.rate), roles[f"{side}Hand"]]
        assert went[0] > 0.25, side
    assert p[shows, roles["leftHand"], 0] > p[0, roles["leftHand"], 0] + 0.2
