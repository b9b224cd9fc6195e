"""Properties of shape: gaze, lean and balance, measured on the motion: directions, magnitudes, what stays."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import kinesphere
from kinesphere import Motion, Phrase
from kinesphere.body.mass import centre_of_mass
from kinesphere.body.shape_solver.balance import Departure, find_departures, plan_step, way_out
from kinesphere.body.shape_solver.model import shape_model
from kinesphere.builtin import mo
from kinesphere.engine.performed_recording import generate_recording
from kinesphere.maths import rotations
from kinesphere.motion.claim import Claim
from kinesphere.motion.look import Look
from kinesphere.motion.scope import Scope
from kinesphere.motion.world_goal import WorldGoal
from kinesphere.performance.properties.balance_shift import BalanceShift
from kinesphere.performance.properties.gaze import Gaze
from kinesphere.performance.properties.lean import Lean
from kinesphere.performance.properties.posture import Posture

LEFT_UP, RIGHT_LOW, FAR = (2.0, 1.9, 1.5), (-1.2, 0.6, 1.0), (0.4, 1.6, 9.0)
BEHIND = (0.3, 1.5, -2.0)


def made(phrase: Phrase, rate: float = 60.0) -> Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kinesphere.generate(phrase, rate)


def told(phrase: Phrase) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        kinesphere.generate(phrase)
    return [str(own.message) for own in found]


def lines_off(motion: Motion, body, place) -> np.ndarray:
    """``(T, 1 + E)`` degrees by which the face, and eyes, look past a place."""
    line, (q, p) = shape_model(body).eye_line, motion.world()
    roles = {joint: role for role, joint in body.roles.items()}
    rows = [(line.head, line.origin, line.ahead)]
    rows += [
        (eye, np.zeros(3), rotations.rotate(body.anatomy.frames[roles[eye]], np.array([0.0, 0.0, 1.0])))
        for eye in line.eyes
    ]
    off = []
    for joint, origin, ahead in rows:
        away = np.array(place) - p[:, joint] - rotations.rotate(q[:, joint], origin)
        away = away / np.linalg.norm(away, axis=1)[:, None]
        cosine = np.einsum("ti,ti->t", rotations.rotate(q[:, joint], ahead), away)
        off.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return np.stack(off, axis=1)


def yaw(motion: Motion, body) -> np.ndarray:
    """``(T,)`` degrees that the face is turned to the left."""
    line = shape_model(body).eye_line
    ahead = rotations.rotate(motion.world()[0][:, line.head], line.ahead)
    return np.degrees(np.unwrap(np.arctan2(ahead[:, 0], ahead[:, 2])))


def place(motion: Motion, body, role: str) -> np.ndarray:
    return motion.positions_world()[:, body.roles[role]]


def knees(motion: Motion, body) -> np.ndarray:
    """``(T, 2)`` degrees that knees are bent."""
    bent = []
    for side in ("left", "right"):
        hip, knee, ankle = (place(motion, body, f"{side}{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
        a, b = knee - hip, ankle - knee
        cosine = np.einsum("ti,ti->t", a, b) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))
        bent.append(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
    return np.stack(bent, axis=1)


def jerk(motion: Motion, joints) -> float:
    return float(np.linalg.norm(np.diff(motion.positions_world()[:, joints], 2, axis=0), axis=2).max())


# Gaze


@pytest.mark.parametrize("at", [LEFT_UP, RIGHT_LOW, FAR])
@pytest.mark.parametrize("name", ["idle", "wave", "bow", "drink", "walk in place"])
def test_face_and_eyes_look_at_a_place_while_the_body_moves(name, at):
    phrase = kinesphere.phrase_of(name)
    assert lines_off(made(Gaze(at=at).apply(phrase)), phrase.body, at).max() < 2.0


def test_a_walk_looks_at_a_place_that_it_passes_as_long_as_it_can():
    phrase, at = kinesphere.phrase_of("walk"), (1.5, 1.6, 3.0)
    off = lines_off(made(Gaze(at=at).apply(phrase)), phrase.body, at)[:, 0]
    passed = np.argmax(place(made(phrase), phrase.body, "hips")[:, 2] > at[2] - 0.5)
    assert 60 < passed < len(off)
    assert off[:passed].max() < 2.0


@pytest.mark.parametrize("build", [lambda: mo(), lambda: kinesphere.figure(1.2)])
def test_any_body_looks_there(build):
    body = kinesphere.body_of(build())
    phrase = kinesphere.phrase_of("wave", body)
    assert lines_off(made(Gaze(at=(-1.5, 1.2, 1.5)).apply(phrase)), body, (-1.5, 1.2, 1.5)).max() < 2.0


def test_bodies_without_eyes_turn_the_head_all_the_way():
    motion = kinesphere.builtin.motion("wave")
    skeleton = motion.skeleton
    plain = kinesphere.Skeleton(
        tuple(name.replace("Eye", "Lash") for name in skeleton.names),
        skeleton.parents,
        skeleton.offsets,
        skeleton.rest_rotations,
    )
    phrase = kinesphere.lift(kinesphere.Motion(plain, motion.rate, motion.rotations, motion.translations))
    assert "leftEye" not in phrase.body.roles
    claim = Claim("gaze", Look(LEFT_UP, head=0.3), by="gaze")
    asked = kinesphere.motion.phrase.replace(phrase, claims=(claim,))
    assert lines_off(generate_recording(asked, 60.0), phrase.body, LEFT_UP).max() < 2.0


def test_the_share_of_the_head_is_left_to_eyes_as_far_as_they_go():
    phrase, at = kinesphere.phrase_of("idle"), (0.7, 1.55, 2.0)
    turned = []
    for share in (1.0, 0.5):
        asked = kinesphere.motion.phrase.replace(phrase, claims=(Claim("gaze", Look(at, head=share), by="gaze"),))
        motion = made(asked)
        assert lines_off(motion, phrase.body, at)[:, 1:].max() < 2.0
        turned.append(yaw(motion, phrase.body).mean() - yaw(made(phrase), phrase.body).mean())
    assert 0.3 * turned[0] < turned[1] < 0.7 * turned[0]


def test_the_head_turns_farther_the_more_is_asked():
    phrase = kinesphere.phrase_of("idle")
    off = [lines_off(made(Gaze(at=LEFT_UP, amount=share).apply(phrase)), phrase.body, LEFT_UP)[:, 0].mean()
           for share in (0.0, 0.3, 0.6, 1.0)]  # fmt: skip
    assert (np.diff(off) < -5.0).all()


def test_eyes_are_there_before_the_head_and_both_come_and_go_smoothly():
    phrase = kinesphere.phrase_of("idle")
    motion = made(Gaze(at=LEFT_UP).apply(phrase, Scope(start=2.0, end=4.0, fade=0.01)))
    off = lines_off(motion, phrase.body, LEFT_UP)
    head, eyes = (int(np.argmax(off[:, i] < 5.0)) / 60.0 for i in (0, 1))
    assert 0.06 < head - eyes < 0.3
    left = np.abs(yaw(motion, phrase.body) - yaw(made(phrase), phrase.body))
    start, full = (int(np.argmax(off[:, 0] < share * off[60, 0])) / 60.0 for share in (0.85, 0.05))
    assert 0.2 < full - start < 0.45
    assert off[150:225].max() < 2.0
    assert left[[0, 60, -60]].max() < 0.1
    assert np.abs(np.diff(yaw(motion, phrase.body), 2)).max() < 1.5  # degrees a frame²


def test_several_looks_hand_over_without_coming_back():
    phrase = kinesphere.phrase_of("idle")
    asked = Gaze(at=LEFT_UP).apply(phrase, Scope(start=1.0, end=3.0))
    motion = made(Gaze(at=RIGHT_LOW).apply(asked, Scope(start=2.5, end=5.0)))
    turned = yaw(motion, phrase.body)
    assert lines_off(motion, phrase.body, LEFT_UP)[100:130].max() < 2.0
    assert lines_off(motion, phrase.body, RIGHT_LOW)[200:270].max() < 2.0
    assert (np.diff(turned[140:190]) < 0.1).all()


def test_a_hand_is_looked_at_where_it_is():
    phrase = kinesphere.phrase_of("drink")
    motion = made(Gaze(on="right hand").apply(phrase))
    hand, line = place(motion, phrase.body, "rightHand"), shape_model(phrase.body).eye_line
    q, p = motion.world()
    eyes = p[:, line.eyes[0]]
    frame = phrase.body.anatomy.frames["leftEye"]
    ahead = rotations.rotate(q[:, line.eyes[0]], rotations.rotate(frame, np.array([0.0, 0.0, 1.0])))
    away = (hand - eyes) / np.linalg.norm(hand - eyes, axis=1)[:, None]
    off = np.degrees(np.arccos(np.clip(np.einsum("ti,ti->t", ahead, away), -1.0, 1.0)))
    raised = hand[:, 1] > 0.9 * eyes[:, 1] - 0.35
    assert raised.any()
    assert np.median(off[raised]) < 5.0


def test_straight_ahead_is_level_while_somebody_bows():
    phrase = Gaze(on="ahead").apply(kinesphere.phrase_of("bow"))
    line, motion = shape_model(phrase.body).eye_line, made(phrase)
    plain = made(kinesphere.phrase_of("bow"))
    pitch = [rotations.rotate(own.world()[0][:, line.head], line.ahead)[:, 1].min() for own in (plain, motion)]
    assert pitch[0] < -0.5
    assert abs(pitch[1]) < 0.1


def test_the_spine_helps_far_to_a_side_and_only_there():
    phrase = kinesphere.phrase_of("idle")
    chest = phrase.body.roles["upperChest"]
    plain = made(phrase).world()[0][:, chest]

    def turned(at) -> float:
        moved = made(Gaze(at=at).apply(phrase)).world()[0][:, chest]
        return float(np.degrees(rotations.angle_between(plain, moved)).max())

    assert turned((1.0, 1.6, 2.0)) < 0.5
    assert 4.0 < turned((2.0, 1.6, -0.3)) < 30.0


def test_what_is_behind_is_looked_at_over_a_shoulder_and_told():
    phrase = kinesphere.phrase_of("idle")
    asked = Gaze(at=BEHIND).apply(phrase)
    motion = made(asked)
    turned = yaw(motion, phrase.body)
    assert np.isfinite(motion.rotations).all()
    assert 70.0 < turned.min() <= turned.max() < 125.0
    assert np.abs(np.diff(turned)).max() < 1.0
    assert any("farther than a head turns" in text for text in told(asked))
    assert not told(Gaze(at=LEFT_UP).apply(phrase))


@pytest.mark.parametrize(
    "at", [(0.0, 1.62, 0.05), (0.0, 1.6, 0.0), (0.0, 9.0, 0.0), (0.0, -9.0, 0.0), (0.0, 1.5, -5.0)]
)
def test_places_that_cannot_be_faced_leave_a_sound_motion(at):
    phrase = kinesphere.phrase_of("idle")
    motion = made(Gaze(at=at).apply(phrase))
    assert np.isfinite(motion.rotations).all()
    assert rotations.unit_error(motion.rotations) < 1e-9
    head = phrase.body.roles["head"]
    assert rotations.angle_between(motion.rotations[1:, head], motion.rotations[:-1, head]).max() < np.radians(4.0)


def test_gaze_leaves_hands_and_feet():
    phrase = kinesphere.phrase_of("wave")
    one, other = made(phrase), made(Gaze(at=(0.8, 1.6, 1.5)).apply(phrase))
    for role in ("leftHand", "rightHand", "leftFoot", "rightFoot", "hips"):
        assert np.linalg.norm(place(one, phrase.body, role) - place(other, phrase.body, role), axis=1).max() < 1e-3


def test_errors_of_gazes_say_what_is_allowed():
    with pytest.raises(ValueError, match="three finite numbers"):
        Gaze(at=(1.0, 2.0))
    with pytest.raises(ValueError, match="one of them"):
        Gaze(at=(1.0, 2.0, 3.0), on="ahead")
    with pytest.raises(ValueError, match="rightHand"):
        Look("rightHnad")
    with pytest.raises(ValueError, match="0 to 1"):
        Look(head=1.5)


# Lean


@pytest.mark.parametrize(
    ("to", "way"), [((), (0, 1)), ((3, 1, 0), (1, 0)), ((-3, 1, 0), (-1, 0)), ((3, 1, 3), (0.71, 0.71))]
)
def test_bodies_lean_to_what_is_there_and_recoil_from_it(to, way):
    phrase = kinesphere.phrase_of("point")
    body, plain = phrase.body, made(phrase)
    gone = {}
    for amount in (-1.0, -0.5, 0.5, 1.0):
        motion = made(Lean(amount, to).apply(phrase))
        for role in ("head", "hips"):
            away = (place(motion, body, role) - place(plain, body, role)).mean(axis=0)[[0, 2]]
            gone[role, amount] = float(away @ way)
            if role == "head":
                assert abs(float(away @ [way[1], -way[0]])) < 0.35 * abs(gone[role, amount])
        for side in ("left", "right"):
            feet = place(motion, body, f"{side}Toes") - place(plain, body, f"{side}Toes")
            assert np.linalg.norm(feet, axis=1).max() < 0.005
        assert jerk(motion, [body.roles[name] for name in ("head", "hips", "leftHand")]) < 0.004
    heads = [gone["head", amount] for amount in (-1.0, -0.5, 0.5, 1.0)]
    assert heads[0] < 1.5 * heads[1] < -0.06
    assert heads[3] > 1.5 * heads[2] > 0.06
    assert gone["hips", -1.0] < -0.02
    assert gone["hips", 1.0] > 0.015


@pytest.mark.parametrize("amount", [-1.0, 1.0])
@pytest.mark.parametrize("to", [(), (3.0, 1.0, 0.0), (-2.0, 1.0, -2.0)])
def test_who_leans_stays_over_the_feet(amount, to):
    for name in ("idle", "wave", "reach", "bow"):
        texts = told(Lean(amount, to).apply(kinesphere.phrase_of(name)))
        assert not [text for text in texts if "loses its balance" in text]


def test_weight_comes_over_the_near_foot_or_the_far_one():
    phrase = kinesphere.phrase_of("idle")
    plain = centre_of_mass(made(phrase))[:, 0]
    near, far = (centre_of_mass(made(Lean(own, (3.0, 1.0, 0.0)).apply(phrase)))[:, 0] - plain for own in (1.0, -1.0))
    assert near.min() > 0.06
    assert far.max() < -0.06


def test_who_recoils_hollows_the_chest_and_draws_the_head_in():
    phrase = kinesphere.phrase_of("idle")
    body, spine = phrase.body, {}
    for amount in (0.0, -1.0):
        motion = made(Lean(amount).apply(phrase))
        q = motion.world()[0]
        pairs = (body.roles["hips"], body.roles["spine"]), (body.roles["chest"], body.roles["upperChest"])
        turns = [rotations.multiply(rotations.conjugate(q[:, a]), q[:, b]) for a, b in pairs]
        low, high = (np.degrees(rotations.to_rotation_vector(turn)[:, 0].mean()) for turn in turns)
        head = (place(motion, body, "head") - place(motion, body, "upperChest")).mean(axis=0)[2]
        spine[amount] = low, high, head
    assert spine[-1.0][0] < spine[0.0][0] - 4.0
    assert spine[-1.0][1] > spine[0.0][1] + 6.0
    assert spine[-1.0][2] < spine[0.0][2]


@pytest.mark.parametrize("amount", [-1.0, 1.0])
def test_goals_of_hands_are_kept_by_who_leans(amount):
    phrase = kinesphere.phrase_of("wave")
    target = (-0.35, 1.25, 0.42)
    goal = WorldGoal("rightHand", target, 1.2, 2.0, "wrist")
    asked = kinesphere.motion.phrase.replace(Lean(amount).apply(phrase), goals=(goal,))
    hand = place(made(asked), phrase.body, "rightHand")[round(1.3 * 60) : round(1.9 * 60)]
    assert np.linalg.norm(hand - target, axis=1).max() < 1e-3


def test_a_goal_of_a_hand_is_leant_to_where_no_place_is_given():
    phrase = kinesphere.phrase_of("wave")
    heads = []
    for x in (-0.6, 0.6):
        goal = WorldGoal("rightHand" if x < 0 else "leftHand", (x, 1.1, 0.0), 1.2, 2.0, "wrist")
        asked = kinesphere.motion.phrase.replace(phrase, goals=(goal,))
        away = place(made(Lean(0.6).apply(asked)), phrase.body, "head") - place(made(asked), phrase.body, "head")
        heads.append(away[90:110].mean(axis=0)[0])
    assert heads[0] < -0.03
    assert heads[1] > 0.03


def test_leaning_to_what_is_behind_is_told_and_less():
    phrase = kinesphere.phrase_of("idle")
    asked = Lean(1.0, (0.0, 1.0, -3.0)).apply(phrase)
    assert any("behind" in text for text in told(asked))
    plain = place(made(phrase), phrase.body, "head")
    back = (place(made(asked), phrase.body, "head") - plain).mean(axis=0)[2]
    ahead = (place(made(Lean(1.0).apply(phrase)), phrase.body, "head") - plain).mean(axis=0)[2]
    assert -ahead < back < -0.03


@pytest.mark.parametrize("to", [(0.0, 1.0, 0.0), (0.0, 9.0, 0.0), (0.0, 0.95, 0.02)])
def test_leaning_to_where_one_is_leaves_a_sound_motion(to):
    phrase = kinesphere.phrase_of("idle")
    motion = made(Lean(1.0, to).apply(phrase))
    assert np.isfinite(motion.translations).all()
    assert jerk(motion, [phrase.body.roles["head"]]) < 0.002


# Balance

WINDOW = Scope(start=2.0, end=4.5, fade=0.5)


def moved(phrase: Phrase, motion: Motion, plain: Motion, side: str) -> np.ndarray:
    """``(T,)`` metres that the ball of a foot is elsewhere."""
    return np.linalg.norm(place(motion, phrase.body, f"{side}Toes") - place(plain, phrase.body, f"{side}Toes"), axis=1)


@pytest.mark.parametrize("way", [{"aside": 0.6}, {"aside": -0.6}, {"ahead": 0.7}, {"ahead": -0.4}])
def test_the_centre_of_mass_goes_where_it_is_asked_and_feet_stay(way):
    phrase = kinesphere.phrase_of("idle")
    asked = BalanceShift(**way).apply(phrase, WINDOW)
    motion, plain = made(asked), made(phrase)
    assert not told(asked)
    away = (centre_of_mass(motion) - centre_of_mass(plain))[:, [0, 2]]
    held = away[round(2.8 * 60) : round(3.8 * 60)]
    axis, sign = (0, np.sign(way["aside"])) if "aside" in way else (1, np.sign(way["ahead"]))
    assert (sign * held[:, axis]).min() > 0.03
    assert np.ptp(held, axis=0).max() < 0.008  # at the edge of the support it goes with that
    half = (centre_of_mass(made(BalanceShift(**{k: v / 2 for k, v in way.items()}).apply(phrase, WINDOW)))
            - centre_of_mass(plain))[:, [0, 2]]  # fmt: skip
    assert np.abs(2.0 * half - away)[150:230].max() < 0.009  # half of it is half as far, but at the edge
    assert np.abs(away[:60]).max() < 0.005
    for side in ("left", "right"):
        assert moved(phrase, motion, plain, side).max() < 0.005


@pytest.mark.parametrize("way", [{"aside": 0.6}, {"aside": -0.6}, {"ahead": 0.8}])
def test_knees_give_and_do_not_snap(way):
    phrase = kinesphere.phrase_of("idle")
    bent = knees(made(BalanceShift(**way).apply(phrase, WINDOW)), phrase.body)
    assert bent.min() > 2.0
    assert np.abs(np.diff(bent, 2, axis=0)).max() < 0.3  # degrees a frame²


STEPS = [
    ({"aside": 1.4}, "left", (1, 0)),
    ({"aside": -1.4}, "right", (-1, 0)),
    ({"ahead": 1.7}, None, (0, 1)),
    ({"ahead": -1.4}, None, (0, -1)),
]


@pytest.mark.parametrize("name", ["idle", "recorded"])
@pytest.mark.parametrize(("way", "side", "out"), STEPS)
def test_a_foot_steps_out_in_time_and_back(name, way, side, out):
    phrase = kinesphere.phrase_of("idle")
    if name == "recorded":
        phrase = kinesphere.lift(kinesphere.builtin.motion("drink"))
    asked = BalanceShift(**way).apply(phrase, WINDOW if name == "idle" else Scope(start=1.8, end=2.6, fade=0.4))
    plain, motion = made(phrase), made(asked)
    assert not told(asked)
    without = told(BalanceShift(**way, step=False).apply(phrase, WINDOW))
    assert any("loses its balance" in text for text in without)
    gone = {own: moved(phrase, motion, plain, own) for own in ("left", "right")}
    steps = max(gone, key=lambda own: gone[own].max())
    other = "left" if steps == "right" else "right"
    assert side in (None, steps)
    assert 0.05 < gone[steps].max() < 0.5
    assert gone[other].max() < 0.005
    ball = place(motion, phrase.body, f"{steps}Toes") - place(plain, phrase.body, f"{steps}Toes")
    farthest = ball[int(np.argmax(gone[steps]))][[0, 2]]
    assert float(farthest @ out) > 0.9 * np.linalg.norm(farthest)
    speed = np.linalg.norm(np.diff(ball[:, [0, 2]], axis=0), axis=1) * 60.0
    moving = np.flatnonzero(speed > 0.02)
    runs = np.split(moving, np.flatnonzero(np.diff(moving) > 3) + 1)
    assert len(runs) == 2  # out, and back
    assert all(0.2 < len(run) / 60.0 < 0.6 for run in runs)
    stood = gone[steps][runs[0][-1] + 4 : runs[1][0] - 3]
    assert np.ptp(stood) < 0.005  # planted between
    assert gone[steps][: runs[0][0] - 3].max() < 0.005
    assert gone[steps][-1] < 0.005
    height = place(motion, phrase.body, f"{steps}Foot")[:, 1] - place(plain, phrase.body, f"{steps}Foot")[:, 1]
    assert height[runs[0][0] : runs[0][-1]].max() > 0.02  # it is lifted
    joints = [phrase.body.roles[role] for role in ("head", "hips")]
    assert jerk(motion, joints) < jerk(plain, joints) + 0.006
    assert knees(motion, phrase.body).min() > 1.5


def test_the_step_is_taken_before_it_is_needed():
    phrase = kinesphere.phrase_of("idle")
    plain, motion = made(phrase), made(BalanceShift(aside=1.5).apply(phrase, WINDOW))
    gone, ball = moved(phrase, motion, plain, "left"), place(plain, phrase.body, "leftToes")[:, 0]
    landed = int(np.argmax(gone > 0.98 * gone.max()))
    centre = centre_of_mass(motion)[:, 0]
    edge = ball.mean() + 0.05  # the outer edge of the sole
    assert landed < int(np.argmax(centre > edge))
    lift = int(np.argmax(gone > 0.005))
    assert centre[lift] < centre_of_mass(plain)[lift, 0] - 0.01  # the weight is over the other foot before


def test_a_stance_that_is_asked_from_the_beginning_has_been_taken():
    phrase = kinesphere.phrase_of("wave")
    plain, motion = made(phrase), made(BalanceShift(aside=1.5).apply(phrase))
    gone = moved(phrase, motion, plain, "left")
    assert gone.min() > 0.05
    assert np.ptp(gone) < 0.005


def test_without_a_step_it_is_told_that_the_body_falls():
    phrase = kinesphere.phrase_of("idle")
    asked = BalanceShift(aside=1.4, step=False).apply(phrase, WINDOW)
    plain, motion = made(phrase), made(asked)
    assert any("loses its balance" in text for text in told(asked))
    assert max(moved(phrase, motion, plain, side).max() for side in ("left", "right")) < 0.005


def test_what_is_far_beyond_the_feet_is_told_without_a_step_and_sound_with_one():
    phrase = kinesphere.phrase_of("idle")
    far = Posture(0.1).apply(phrase)
    claims = (Claim("balance.x", 2.5), Claim("balance.z", 2.5))
    hangs = kinesphere.motion.phrase.replace(far, claims=(*far.claims, *claims))
    assert any("loses its balance" in text for text in told(hangs))
    motion = made(kinesphere.motion.phrase.replace(hangs, claims=(*hangs.claims, Claim("balance.step", 1.0))))
    assert np.isfinite(motion.translations).all()
    assert rotations.unit_error(motion.rotations) < 1e-9


def test_steps_are_planned_to_where_the_centre_leaves():
    sole = np.array([[-0.04, -0.08], [0.04, -0.08], [0.04, 0.16], [-0.04, 0.16]])
    corners = {
        "left": np.tile(sole + np.array([0.1, 0.0]), (50, 1, 1)),
        "right": np.tile(sole - np.array([0.1, 0.0]), (50, 1, 1)),
    }
    both, left = np.concatenate([corners["left"], corners["right"]], axis=1), np.array([1.0, 0.0])
    centre = np.zeros((50, 2))
    centre[20:30, 0] = 0.2
    (departure,) = find_departures(both, centre, np.ones(50, dtype=np.bool_), 0.85, 5)
    assert (departure.first, departure.last) == (20, 29)
    assert departure.out == pytest.approx([1.0, 0.0], abs=0.05)
    step = plan_step(corners, left, departure, centre, 0.85)
    assert step.side == "left"
    assert step.way[0] == pytest.approx(0.085, abs=0.01)  # the shortest step is enough for 6 cm
    assert step.margin > 0.02
    back = Departure(20, 29, way_out(both[0], np.array([0.09, -0.2])))
    step = plan_step(corners, left, back, np.tile([0.09, -0.2], (50, 1)), 0.85)
    assert step.side == "left"
    assert step.way[1] < -0.1
    far = Departure(20, 29, np.array([1.0, 0.0]))
    assert plan_step(corners, left, far, np.tile([2.0, 0.0], (50, 1)), 0.85).margin < 0.0


def test_a_sound_balance_has_no_departures():
    corners = np.tile([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], (20, 1, 1))
    every = np.ones(20, dtype=np.bool_)
    assert find_departures(corners, np.zeros((20, 2)), every, 0.85, 5) == []
    assert find_departures(corners, np.full((20, 2), 0.3), ~every, 0.85, 5) == []


# All of them


@pytest.mark.parametrize("own", [Gaze(at=LEFT_UP), Lean(0.7), BalanceShift(aside=1.5)])
def test_the_same_is_asked_and_the_same_bits_come(own):
    phrase = kinesphere.phrase_of("wave")
    one, other = (kinesphere.generate(own.apply(kinesphere.phrase_of("wave"))) for _ in range(2))
    assert np.array_equal(one.rotations, other.rotations)
    assert np.array_equal(one.translations, other.translations)
    lengths = [np.linalg.norm(given.translations, axis=-1)[:, 1:] for given in (made(phrase), one)]
    assert np.abs(lengths[0] - lengths[1]).max() < 1e-9


@pytest.mark.parametrize("own", [Gaze(), Gaze(at=LEFT_UP, amount=0.0), Lean(), Lean(to=(1, 1, 1)), BalanceShift()])
def test_neutral_asks_for_nothing(own):
    phrase = kinesphere.phrase_of("wave")
    assert own.neutral
    assert own.apply(phrase) is phrase


@pytest.mark.parametrize("own", [Gaze(at=(0.6, 1.5, 2.0)), Lean(0.8), Lean(-0.8), BalanceShift(aside=0.6)])
def test_loops_go_round(own):
    phrase = kinesphere.lift(kinesphere.builtin.motion("walk in place"))
    assert phrase.loop
    motion = made(own.apply(phrase))
    joints = [phrase.body.roles[role] for role in ("head", "hips", "leftHand")]
    twice = np.concatenate([motion.positions_world()[:-1, joints]] * 2)
    seam = np.linalg.norm(np.diff(twice[len(motion) - 4 : len(motion) + 3], 2, axis=0), axis=2).max()
    inside = np.linalg.norm(np.diff(twice[: len(motion) - 1], 2, axis=0), axis=2).max()
    assert seam < 1.5 * inside
