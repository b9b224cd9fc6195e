"""Transitions, as they are measured: tension, trembling, pauses, stops, incomplete strokes, touch, arcs, envelopes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinesphere
from kinesphere import Motion, Phrase, body_of, figure, generate, lift, phrase_of
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.builtin import motion
from kinesphere.engine.generation import body_clock
from kinesphere.engine.holds import AskedHold, HeldTime, settled_moment
from kinesphere.engine.lifting import hand_strokes_in
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.hold import Energy
from kinesphere.motion.humanoid import GROUPS
from kinesphere.motion.world_goal import WorldGoal

RATE = 60.0
BODY = body_of(figure())
ROLES = BODY.roles
FEET = [ROLES[f"{side}{part}"] for side in ("left", "right") for part in ("Foot", "Toes")]
DIALS = (-1.0, -0.5, 0.0, 0.5, 1.0)


def asked(name: str, **fields) -> object:
    return PHRASE_EDITS[name](**fields)


@cache
def plain(source: str) -> tuple[Phrase, Motion]:
    phrase = phrase_of(source, BODY)
    return phrase, generate(phrase, RATE)


def made(source: str, name: str, scope: dict | None = None, **fields) -> Motion:
    return generate(asked(name, **fields)(plain(source)[0], **(scope or {})), RATE)


def wrist(given: Motion, side: str = "right") -> np.ndarray:
    """``(T, 3)`` arm lengths from the shoulder, in the chest's axes."""
    return RecordedPoses.of(given).wrist(side)


def strokes(source: str, side: str = "right") -> list[tuple[int, int]]:
    found = hand_strokes_in(lift(plain(source)[1]).detail, side)
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


def travel(path: np.ndarray) -> float:
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())


def turning(given: Motion, roles, rows: slice) -> float:
    """Mean square of radians a second that joints turn."""
    total = 0.0
    for role in roles:
        turns = given.rotations[rows, ROLES[role]]
        total += float((rotations.angle_between(turns[1:], turns[:-1]) ** 2).mean()) * given.rate**2
    return total


def shown(path: np.ndarray, reference: np.ndarray, start: int, end: int) -> np.ndarray:
    """How far along a stroke's chord a path is: 0 where the stroke starts, 1 where it ends."""
    chord = reference[end] - reference[start]
    return (path - reference[start]) @ chord / (chord @ chord)


# Tension


ARM = ("rightUpperArm", "rightLowerArm", "rightHand")
AFTER = round(0.4 * RATE)


def still_wave() -> tuple[Phrase, int]:
    """A wave that is held for a second after its hand has come up: a stop with nothing after it, and its frame."""
    given = plain("wave")[1]
    stop = strokes("wave")[0][1]
    rows = [*range(stop + 1), *[stop] * 60]
    return lift(
        replace(given, rotations=given.rotations[rows], translations=given.translations[rows], calibration_frames=())
    ), stop


def test_looseness_swings_on_after_a_stop_the_more_the_looser():
    phrase, stop = still_wave()
    rows = slice(stop + 2, stop + 2 + AFTER)
    energy = [
        turning(generate(asked("tension", amount=amount)(phrase), RATE), (*ARM, "spine", "head"), rows)
        for amount in (0.0, -0.25, -0.5, -0.75, -1.0)
    ]
    assert energy[0] < 1e-6
    assert all(later > 1.3 * earlier for earlier, later in zip(energy[1:], energy[2:], strict=False))
    assert energy[-1] > 0.1


def test_loose_limbs_go_on_beyond_a_stop_and_come_back():
    phrase, stop = still_wave()
    path = wrist(generate(asked("tension", amount=-1.0)(phrase), RATE))
    reference = wrist(generate(phrase, RATE))
    way = shown(path, reference, strokes("wave")[0][0], stop)
    settled = way[-1]
    after = way[stop:] - settled
    assert after.max() > 0.02
    assert after[np.argmax(after) :].min() < 0.25 * after.max()
    assert np.abs(way[-10:] - settled).max() < 0.02


def test_loose_pointing_arms_bounce_and_come_to_rest_where_they_point():
    given, loose = plain("point")[1], made("point", "tension", amount=-1.0)
    stop = strokes("point")[0][1]
    rows = slice(stop, stop + AFTER)
    assert turning(loose, ARM, rows) > 10.0 * turning(given, ARM, rows)
    arm = [places[stop + 45, ROLES["rightHand"]] for places in (given.positions_world(), loose.positions_world())]
    assert np.linalg.norm(arm[1] - arm[0]) < 0.03


def test_tight_limbs_are_stiller_after_stops():
    given = plain("beckon")[1]
    stop = strokes("beckon")[0][1]
    rows = slice(stop, stop + AFTER)
    energy = [turning(given, ARM, rows), *(turning(made("beckon", "tension", amount=a), ARM, rows) for a in (0.4, 0.8))]
    assert energy[0] > energy[1] > energy[2]


def test_tight_shoulders_rise_and_loose_ones_drop():
    heights = {}
    for amount in DIALS:
        given = plain("wave")[1] if amount == 0.0 else made("wave", "tension", amount=amount)
        heights[amount] = float(given.positions_world()[:, ROLES["leftUpperArm"], 1].mean())
    assert np.all(np.diff([heights[amount] for amount in DIALS]) > 0.002)


def test_tension_of_a_part_leaves_others_as_they_are():
    given, loose = plain("beckon")[1], made("beckon", "tension", {"parts": "right_arm"}, amount=-1.0)
    others = [ROLES[role] for role in (*GROUPS["left_arm"], *GROUPS["torso"], *GROUPS["legs"])]
    apart = rotations.angle_between(loose.rotations[:, others], given.rotations[:, others])
    assert apart.max() < 1e-6
    assert np.abs(wrist(loose) - wrist(given)).max() > 0.03


def test_nothing_swings_where_nothing_moves():
    given = motion("wave")
    frames = [60] * 120
    held = replace(given, rotations=given.rotations[frames], translations=given.translations[frames])
    loose = generate(asked("tension", amount=-1.0)(lift(held)), RATE)
    assert np.ptp(loose.positions_world(), axis=0).max() < 1e-6


def test_gradual_tension_is_at_its_greatest_in_the_middle():
    phrase, given = plain("idle")[0], plain("idle")[1]
    tight = generate(asked("tension", amount=0.7, kind="gradual")(phrase), RATE)
    raised = (tight.positions_world() - given.positions_world())[:, ROLES["leftUpperArm"], 1]
    assert np.argmax(raised) == pytest.approx(0.5 * len(raised), abs=0.1 * len(raised))
    assert abs(raised[0]) < 0.1 * raised.max()


def test_spasmodic_tension_comes_in_bursts_that_the_seed_tells():
    phrase = plain("idle")[0]
    edit = asked("tension", amount=0.9, kind="spasmodic")
    one, same, other = (
        generate(edit(replace(phrase, seed=seed)), RATE).positions_world()[:, ROLES["leftUpperArm"], 1]
        for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.allclose(one, other, atol=1e-3)
    high = one - np.median(one) > 0.3 * np.ptp(one)
    assert np.sum(np.diff(high.astype(int)) == 1) > 4


# Trembling


@pytest.mark.parametrize("rate", [5.0, 9.0])
def test_trembling_has_its_rate(rate):
    trembles = made("idle", "tremble", amount=0.6, rate=rate)
    off = trembles.positions_world()[:, ROLES["rightHand"]] - plain("idle")[1].positions_world()[:, ROLES["rightHand"]]
    power = (np.abs(np.fft.rfft(off * np.hanning(len(off))[:, None], axis=0)) ** 2).sum(axis=1)
    frequency = np.fft.rfftfreq(len(off), 1.0 / RATE)
    assert frequency[np.argmax(power)] == pytest.approx(rate, abs=0.2 * rate)
    assert power[np.abs(frequency - rate) < 0.25 * rate].sum() > 0.9 * power.sum()


def test_trembling_grows_with_its_dial_and_leaves_feet_and_trunk():
    given = plain("wave")[1].positions_world()
    far = []
    for amount in (0.25, 0.5, 1.0):
        off = made("wave", "tremble", amount=amount).positions_world() - given
        far.append(float(np.sqrt((off[:, ROLES["rightHand"]] ** 2).mean())))
        assert np.abs(off[:, [*FEET, ROLES["chest"]]]).max() < 1e-6
    assert far[0] < 0.6 * far[1] < 0.36 * far[2]


def test_trembling_is_told_by_the_seed_and_closes_loops():
    edit, phrase = asked("tremble", amount=1.0), lift(motion("idle"))
    one, same, other = (generate(edit(replace(phrase, seed=seed)), RATE) for seed in (3, 3, 4))
    assert np.array_equal(one.rotations, same.rotations)
    assert not np.allclose(one.rotations, other.rotations, atol=1e-3)
    hand = np.concatenate([one.positions_world()[:-1, ROLES["rightHand"]]] * 2)
    steps = np.linalg.norm(np.diff(hand, 2, axis=0), axis=1)
    seam = steps[len(one) - 4 : len(one) + 2]
    assert phrase.loop
    assert seam.max() <= steps[: len(one) - 6].max()


# Pauses and stops


@pytest.mark.parametrize("source", ["point", "bow", "wave", "walk"])
@pytest.mark.parametrize("name", ["pause", "stop"])
def test_holds_insert_time_and_nothing_else(source, name):
    phrase, given = plain(source)
    at = settled_moment(phrase, 1.0)
    held = made(source, name, at=1.0, seconds=1.2)
    more = len(held) - len(given)
    assert more / RATE == pytest.approx(1.2, abs=0.5 / RATE)
    middle = round(body_clock(phrase, RATE)(np.array([at]))[0] * RATE)
    before, after = middle - round(0.25 * RATE), middle + round(0.45 * RATE)
    places, was = held.positions_world(), given.positions_world()
    assert np.abs(places[:before] - was[:before]).max() < 1e-3
    assert np.abs(places[after + more :] - was[after:]).max() < 3e-3


@pytest.mark.parametrize("source", ["point", "wave", "walk"])
def test_a_paused_body_stays_and_lives(source):
    phrase = plain(source)[0]
    edit = asked("pause", at=1.0, seconds=1.5)(phrase)
    held = generate(edit, RATE).positions_world()
    middle = float(body_clock(edit, RATE)(np.array([settled_moment(phrase, 1.0)]))[0])
    rows = slice(round((middle - 0.5) * RATE), round((middle + 0.5) * RATE))
    assert np.ptp(held[rows][:, FEET], axis=0).max() < 1e-3
    for role in ("rightHand", "leftHand", "head"):
        assert np.ptp(held[rows][:, ROLES[role]], axis=0).max() < 0.015
    assert np.ptp(held[rows][:, ROLES["head"]], axis=0).max() > 0.0005


def test_a_walk_is_paused_with_both_feet_down():
    phrase, given = plain("walk")
    points = sole_points(given.skeleton)
    soles = sole_paths(given, points)
    for at in np.arange(0.6, 2.6, 0.17):
        for moment in (settled_moment(phrase, float(at)), settled_moment(lift(given), float(at))):
            assert at - 1e-9 <= moment < at + 0.6
            height = soles[round(moment * RATE), :, 1]
            for side in ("left", "right"):
                low = min(height[i] for i, point in enumerate(points) if point.side == side)
                assert low < 0.03  # soles stand at 2 cm


def test_feet_do_not_slide_in_a_paused_walk():
    given, held = plain("walk")[1].positions_world(), made("walk", "pause", at=1.3, seconds=1.0).positions_world()
    for toes in FEET[1::2]:
        frames = np.linspace(0.0, len(given) - 1.0, 10 * len(given))
        fine = np.stack([np.interp(frames, np.arange(len(given)), row) for row in given[:, toes].T], axis=1)
        stands = np.linalg.norm(np.diff(held[:, toes], axis=0), axis=1) * RATE < 0.1
        away = np.linalg.norm(held[1:, toes][stands][:, None] - fine[None], axis=2).min(axis=1)
        assert stands.sum() > 60
        assert away.max() < 0.001


def test_a_stopped_body_sinks_and_starts_anew_slowly():
    phrase = plain("beckon")[0]
    at = strokes("beckon")[0][1] / RATE
    edit = {name: asked(name, at=at, seconds=2.0)(phrase) for name in ("pause", "stop")}
    paused, stopped = (generate(edit[name], RATE).positions_world() for name in ("pause", "stop"))
    middle = round(float(body_clock(edit["stop"], RATE)(np.array([at]))[0]) * RATE)
    fell = (paused - stopped)[middle, :, 1]
    assert fell[ROLES["rightHand"]] > 0.05
    assert 0.005 < fell[ROLES["head"]] < 0.08
    assert np.abs(stopped[middle, FEET] - paused[middle, FEET]).max() < 1e-6
    one, other = (HeldTime.of([AskedHold(1.0, 1.0, own)], 3.0, RATE).holds[0] for own in (Energy.KEPT, Energy.GONE))
    assert other.starts > 2.0 * one.starts


def test_a_hold_is_as_strong_as_its_scope_and_only_within_it():
    phrase, given = plain("wave")
    half = generate(asked("pause", at=1.0, seconds=1.0)(phrase, strength=0.5), RATE)
    assert len(half) - len(given) == round(0.5 * RATE)
    assert asked("pause", at=1.0, seconds=1.0)(phrase, start=1.5) is phrase
    from_scope = generate(asked("pause", seconds=0.7)(phrase, start=1.5), RATE)
    assert len(from_scope) - len(given) == round(0.7 * RATE)
    moved = np.abs(from_scope.positions_world()[: len(given)] - given.positions_world()).max(axis=(1, 2))
    assert np.argmax(moved > 1e-3) == pytest.approx(1.35 * RATE, abs=6)


def test_two_holds_follow_each_other():
    phrase, given = plain("wave")
    both = asked("stop", at=2.0, seconds=0.5)(asked("pause", at=1.0, seconds=0.4)(phrase))
    assert len(generate(both, RATE)) - len(given) == round(0.9 * RATE)
    clock, before = body_clock(both, RATE), body_clock(phrase, RATE)
    later = clock(np.array([0.3, 1.5, 3.0])) - before(np.array([0.3, 1.5, 3.0]))
    assert later == pytest.approx([0.0, 0.4, 0.9], abs=1e-3)


def test_goals_after_a_pause_come_later_by_it():
    phrase, given = plain("beckon")
    place = given.positions_world()[120, ROLES["rightHand"]] + (0.0, 0.05, 0.03)
    goal = WorldGoal("rightHand", tuple(place.tolist()), 2.0, 2.1, "wrist")
    edit = asked("pause", at=1.0, seconds=0.8)(replace(phrase, goals=(goal,)))
    hand = generate(edit, RATE).positions_world()[:, ROLES["rightHand"]]
    at = float(body_clock(edit, RATE)(np.array([2.05]))[0])
    assert at == pytest.approx(2.85, abs=0.02)
    assert np.linalg.norm(hand[round(at * RATE)] - place) < 1e-3


def test_recordings_are_held_and_explained_at_the_right_time():
    phrase = lift(plain("walk")[1])
    edit = asked("pause", at=1.3, seconds=1.0)(asked("tempo", factor=1.25)(phrase))
    held, quick = generate(edit, RATE), generate(asked("tempo", factor=1.25)(phrase), RATE)
    assert len(held) - len(quick) == round(1.0 * RATE)
    clock = body_clock(edit, RATE)
    assert float(clock(np.array([phrase.duration]))[0]) == pytest.approx(held.duration, abs=1.5 / RATE)
    early = str(kinesphere.explain(edit, float(clock(np.array([0.9]))[0])))
    assert "tempo" in early


def test_a_loop_is_held_in_each_cycle_and_closes():
    phrase = lift(motion("walk in place"))
    held = generate(asked("pause", at=0.5, seconds=0.6)(phrase), RATE)
    assert len(held) - len(motion("walk in place")) == round(0.6 * RATE)
    places = held.positions_world()
    assert np.abs(places[0] - places[-1]).max() < 1e-9
    assert np.ptp(places[:, ROLES["hips"], 2]) < 0.03


def test_held_time_runs_forwards_and_keeps_what_is_outside():
    held = HeldTime.of([AskedHold(0.05, 0.2, Energy.KEPT), AskedHold(0.4, 0.01, Energy.GONE)], 1.0, RATE)
    time = np.linspace(0.0, held.performed[-1], 5000)
    assert np.all(np.diff(held.to_plain(time)) >= 0.0)
    assert held.performed[-1] == pytest.approx(1.0 + 0.2 + 1.0 / RATE, abs=1e-9)
    assert held.to_plain(held.to_performed(time[time < 1.0])) == pytest.approx(time[time < 1.0], abs=1e-6)
    assert HeldTime.of([AskedHold(0.5, 0.001, Energy.KEPT)], 1.0, RATE) is None


# Incomplete strokes


@pytest.mark.parametrize("source", ["wave", "beckon", "walk"])
@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_incomplete_strokes_go_their_share(source, share):
    given, less = plain(source)[1], made(source, "incomplete", share=share)
    assert travel(wrist(less)) == pytest.approx(share * travel(wrist(given)), rel=0.1)
    if source != "walk":
        assert np.abs(less.positions_world()[[0, -1]] - given.positions_world()[[0, -1]]).max() < 0.003
    assert np.abs((less.positions_world() - given.positions_world())[:, FEET]).max() < 1e-3


def test_incomplete_strokes_reach_goals_in_the_world():
    phrase, given = plain("beckon")
    frame = strokes("beckon")[0][1]
    place = given.positions_world()[frame, ROLES["rightHand"]]
    goal = WorldGoal("rightHand", tuple(place.tolist()), frame / RATE, frame / RATE + 0.1, "wrist")
    hand = generate(asked("incomplete", share=0.4)(replace(phrase, goals=(goal,))), RATE)
    assert np.linalg.norm(hand.positions_world()[frame + 2, ROLES["rightHand"]] - place) < 1e-3


# Touch and arcs


@pytest.mark.parametrize("source", ["beckon", "reach"])
def test_light_hands_slow_down_early_and_heavy_ones_late(source):
    start, end = strokes(source)[0]
    arrives, leaves = [], []
    for amount in DIALS:
        given = plain(source)[1] if amount == 0.0 else made(source, "touch", amount=amount)
        speed = np.linalg.norm(np.diff(given.positions_world()[:, ROLES["rightHand"]], axis=0), axis=1) * RATE
        arrives.append(float(speed[end - 10 : end].mean()))
        leaves.append(float(speed[start : start + 10].mean()))
    assert np.all(np.diff(arrives) > 0.02)
    assert np.all(np.diff(leaves) < -0.02)


def test_heavy_hands_sink_on_after_they_arrive():
    phrase, stop = still_wave()
    heights = [
        generate(asked("touch", amount=amount)(phrase) if amount else phrase, RATE).positions_world()[
            :, ROLES["rightHand"], 1
        ]
        for amount in (0.0, 0.5, 1.0)
    ]
    sunk = [float(height[-1] - height[stop + 2 : stop + 25].min()) for height in heights]
    assert sunk[0] < 0.002
    assert 0.008 < sunk[1] < sunk[2] < 0.06


@pytest.mark.parametrize("source", ["beckon", "wave", "emphasise"])
def test_arcs_bow_ways_and_leave_their_ends(source):
    reference = wrist(plain(source)[1])
    paths = [reference if amount == 0.0 else wrist(made(source, "arcs", amount=amount)) for amount in DIALS]
    for start, end in strokes(source)[:4]:
        bows = []
        for path in paths:
            chord = path[end] - path[start]
            length = np.linalg.norm(chord)
            inside = path[start : end + 1] - path[start]
            off = inside - (inside @ chord)[:, None] * chord / length**2
            bows.append(float(np.linalg.norm(off, axis=1).max() / length))
            assert np.linalg.norm(path[[start, end]] - reference[[start, end]], axis=1).max() < 0.016
        assert np.all(np.diff(bows) > 0.01)


# Envelopes


@pytest.mark.parametrize("source", ["beckon", "bow"])
def test_anticipation_goes_back_first_and_overshoot_beyond(source):
    def path(given: Motion) -> np.ndarray:
        if source == "bow":  # hips show the body's own moments: the spine is looked at
            return rotations.to_rotation_vector(rotations.continuous(given.rotations[:, ROLES["spine"]]))
        return wrist(given)

    reference = path(plain(source)[1])
    edges = (lift(plain(source)[1]).detail.strokes.edges * RATE).round().astype(int)
    start, end = strokes(source)[0] if source == "beckon" else (int(edges[1]), int(edges[2]))
    ways = {
        kind: shown(path(made(source, "envelope", kind=kind)), reference, start, end)[start : end + 12]
        for kind in ("ease", "linear", "fast_start", "slow_start", "anticipation", "overshoot")
    }
    inside, usual = end - start, shown(reference, reference, start, end)[start : end + 1]
    assert ways["anticipation"][: inside // 2].min() < -0.04
    assert ways["overshoot"][inside // 2 : inside + 1].max() > 1.03
    assert ways["anticipation"][:inside].max() < 1.01
    for kind in ("ease", "linear", "fast_start", "slow_start"):
        assert ways[kind][: inside + 1].min() > min(usual.min(), 0.0) - 0.015
        assert ways[kind][: inside + 1].max() < max(usual.max(), 1.0) + 0.015
    middle = inside // 2
    assert ways["slow_start"][middle] < ways["ease"][middle] - 0.1 < ways["fast_start"][middle] - 0.2


def test_an_envelope_of_ones_own_on_one_arm():
    points, tangents = (0.0, 0.0, 0.65, 1.1, 1.0, 1.0), (0.9, 0.0, 0.3, 0.0, 0.3, 0.0)
    reference = wrist(plain("beckon")[1])
    own = made(
        "beckon", "envelope", {"parts": ("right_arm", "right_hand")}, kind="custom", points=points, tangents=tangents
    )
    start, end = strokes("beckon")[0]
    way = shown(wrist(own), reference, start, end)[start : end + 1]
    assert way.max() > 1.02
    assert np.argmax(way) < 0.85 * (end - start)
    others = [ROLES[role] for role in (*GROUPS["left_arm"], *GROUPS["torso"], "neck", "head")]
    assert rotations.angle_between(own.rotations[:, others], plain("beckon")[1].rotations[:, others]).max() < 1e-6


def test_no_envelope_makes_a_limb_leap():
    given = plain("punch")[1]
    limits = np.linalg.norm(np.diff(given.positions_world()[:, ROLES["rightHand"]], 2, axis=0), axis=1).max()
    for kind in ("fast_start", "slow_start", "anticipation", "overshoot"):
        hand = made("punch", "envelope", kind=kind).positions_world()[:, ROLES["rightHand"]]
        assert np.linalg.norm(np.diff(hand, 2, axis=0), axis=1).max() < limits + 0.03
