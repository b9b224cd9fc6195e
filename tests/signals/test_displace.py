"""A pose changed at a few frames, and the motion between follows."""

from __future__ import annotations

import warnings
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinesphere import Motion, Skeleton, load, load_character, retarget
from kinesphere.body.contacts import find_contacts, foot_report
from kinesphere.body.ground import performed_runs
from kinesphere.body.limits import limit_excess
from kinesphere.builtin import mo, motion
from kinesphere.maths import rotations as R
from kinesphere.maths.splines import kochanek_bartels
from kinesphere.motion.errors import MotionFileWarning
from kinesphere.signals.displace import Displace, TargetOutOfReach
from kinesphere.signals.pose_edits import DisplacementRange, Target, Turn

WAVE, KNOCK, WALK = motion("wave"), motion("knock"), motion("walk")
ROLES = WAVE.skeleton.roles
ARM = [ROLES[f"right{part}"] for part in ("UpperArm", "LowerArm", "Hand")]
UP = (0.0, 0.2, 0.0)
ways = st.lists(st.floats(-0.1, 0.1), min_size=3, max_size=3).map(tuple)
parts = st.sampled_from(["leftHand", "rightHand", "leftFoot", "rightFoot", "head", "hips"])


def moved(before: Motion, after: Motion, role: str) -> np.ndarray:
    """``(T, 3)`` how far a joint is from where it was."""
    joint = before.skeleton.with_found_roles().roles[role]
    return (after.positions_world() - before.positions_world())[:, joint]


def same(before: Motion, after: Motion, frames: object = slice(None)) -> bool:
    return all(
        np.array_equal(a[frames], b[frames])
        for a, b in ((before.rotations, after.rotations), (before.translations, after.translations))
    )


def bones(motion: Motion) -> np.ndarray:
    p, parents = motion.positions_world(), motion.skeleton.parents
    hips = motion.skeleton.with_found_roles().roles["hips"]
    rigid = (parents >= 0) & (np.arange(len(parents)) != hips)
    return np.linalg.norm(p[:, rigid] - p[:, parents[rigid]], axis=-1)


def added_jolts(before: Motion, after: Motion) -> np.ndarray:
    """``(T, J)`` metres a second that velocities change more, frame to frame, than twice as much as they did around."""
    was, now = (np.linalg.norm(np.diff(m.positions_world(), 2, axis=0), axis=-1) * m.rate for m in (before, after))
    reach = max(3, round(0.05 * before.rate))
    around = np.lib.stride_tricks.sliding_window_view(np.pad(was, ((reach, reach), (0, 0))), 2 * reach + 1, axis=0)
    run = performed_runs(before)[-1]
    return (now - 2.0 * around.max(axis=-1))[run.start : run.stop - 2]


# --- what it does


def test_nothing_is_asked_for() -> None:
    for edit in (Displace(), Displace([Target("leftHand", frame=5, by=(0, 0, 0)), Turn("head", (0, 0, 0), frame=2)])):
        assert edit.neutral
        assert edit(WAVE) is WAVE


def test_one_frame_raises_a_hand_and_nothing_else() -> None:
    made = Displace([Target("rightHand", frame=100, by=UP)])(WAVE, start=0.8, end=2.8)
    assert moved(WAVE, made, "rightHand")[100] == pytest.approx(UP, abs=1e-6)
    time = WAVE.times
    assert same(WAVE, made, (time <= 0.8) | (time >= 2.8))
    others = np.delete(np.arange(len(WAVE.skeleton)), ARM)
    assert np.array_equal(made.rotations[:, others], WAVE.rotations[:, others])
    assert np.array_equal(made.translations, WAVE.translations)
    height = moved(WAVE, made, "rightHand")
    assert np.abs(height[:, [0, 2]]).max() < 5e-4  # straight up and down again
    rise = np.diff(height[:, 1])
    assert (rise[:100] >= -1e-9).all()
    assert (rise[100:] <= 1e-9).all()


def test_a_higher_knock_comes_as_far_forward() -> None:
    """At a door the height of a knock is edited, and where the door is stays."""
    hand = KNOCK.positions_world()[:, ROLES["rightHand"]]
    edited = int(np.argmax(hand[:, 2]))
    made = Displace([Target("rightHand", frame=edited, by=UP)], width="all")(KNOCK)
    now = made.positions_world()[:, ROLES["rightHand"]]
    assert now[edited] - hand[edited] == pytest.approx(UP, abs=1e-6)
    assert np.abs(now[:, 2] - hand[:, 2]).max() < 1e-3
    assert added_jolts(KNOCK, made).max() < 0.03
    assert max(e.max() for e in limit_excess(made).values()) < max(e.max() for e in limit_excess(KNOCK).values()) + 0.02


@given(part=parts, way=ways, frame=st.integers(25, 175), ends=st.tuples(st.integers(0, 20), st.integers(180, 204)))
def test_a_target_is_met_or_told_and_outside_nothing_changes(part, way, frame, ends) -> None:
    edit = Displace([Target(part, frame=frame, by=way)]).over(start=ends[0] / 60.0, end=ends[1] / 60.0)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = edit(WAVE)
    gap = float(np.linalg.norm(moved(WAVE, made, part)[frame] - way))
    assert gap < 0.001 or any(issubclass(one.category, TargetOutOfReach) for one in told)
    assert gap < np.linalg.norm(way) + 1e-3
    frames = np.arange(len(WAVE))
    assert same(WAVE, made, (frames <= ends[0]) | (frames >= ends[1]))
    assert np.abs(bones(made) - bones(WAVE)).max() < 1e-9
    assert np.abs(np.einsum("tji,tji->tj", made.rotations[1:], made.rotations[:-1])).min() > 0.9


def test_edits_meet_together_though_each_moves_the_others() -> None:
    """The trunk bends for the head and for a hand, and hips go down: all are where they should be."""
    edits = [
        Target("hips", frame=90, by=(0.02, -0.1, 0.03)),
        Target("head", frame=90, by=(0.06, -0.14, 0.05)),
        Target("rightHand", frame=90, by=(0.0, 0.1, 0.2)),
        Target("leftHand", frame=90, by=(0.1, 0.3, 0.2)),
        Target("leftHand", frame=140, by=(0.1, 0.1, 0.1)),
        Turn("chest", (0.0, 0.3, 0.0), frame=60),
    ]
    made = Displace(edits)(WAVE)
    for edit in edits[:-1]:
        assert moved(WAVE, made, edit.part)[edit.frame] == pytest.approx(edit.by, abs=1e-6), edit
    for foot in ("leftFoot", "rightFoot"):
        assert np.abs(moved(WAVE, made, foot)).max() < 1e-3


def test_it_may_be_done_again() -> None:
    once = Displace([Target("rightHand", frame=90, by=UP)])(WAVE)
    hand = once.positions_world()[120, ROLES["rightHand"]] + [0.1, 0.0, 0.0]
    again = [Target("rightHand", frame=120, to=tuple(hand)), Target("rightHand", frame=90, by=(0, 0, 0))]
    twice = Displace(again)(once)
    assert twice.positions_world()[120, ROLES["rightHand"]] == pytest.approx(hand, abs=1e-6)
    assert moved(WAVE, twice, "rightHand")[90] == pytest.approx(UP, abs=1e-6)
    undone = Displace([Target("rightHand", frame=90, by=(0.0, -0.2, 0.0))])(once)
    assert np.abs(moved(WAVE, undone, "rightHand")).max() < 5e-3


@pytest.mark.parametrize("part", ["leftHand", "rightFoot", "head", "hips"])
def test_the_same_target_again_changes_nothing(part: str) -> None:
    goal = WAVE.positions_world()[90, ROLES[part]] + [0.02, -0.05, 0.04]
    edit = Displace([Target(part, frame=90, to=tuple(goal))])
    once = edit(WAVE)
    assert once.positions_world()[90, ROLES[part]] == pytest.approx(goal, abs=1e-6)
    assert np.abs(edit(once).positions_world() - once.positions_world()).max() < 1e-6


def test_one_who_stands_still_is_displaced_too() -> None:
    still = replace(WAVE, rotations=WAVE.rotations[[90] * 121], translations=WAVE.translations[[90] * 121])
    for part in ("rightHand", "leftFoot", "head", "hips"):
        way = (0.02, -0.08 if part in ("head", "hips") else 0.08, 0.04)
        made = Displace([Target(part, frame=60, by=way)])(still)
        assert moved(still, made, part)[60] == pytest.approx(way, abs=1e-6)
        assert same(still, made, [0, -1])
        assert added_jolts(still, made).max() < 0.15


def test_who_turns_takes_the_displacement_along() -> None:
    """A body that turns round three times: what went outward goes outward all the time."""
    turn = R.from_rotation_vector(np.linspace(0.0, 6.0 * np.pi, len(WAVE))[:, None] * [0.0, 1.0, 0.0])
    q = WAVE.rotations.copy()
    q[:, 0] = R.multiply(turn, q[:, 0])
    spun = replace(WAVE, rotations=R.continuous(q))
    out = R.rotate(turn, np.array([-0.1, 0.0, 0.0]))
    made = Displace([Target("rightHand", frame=100, by=tuple(out[100]))], width="all")(spun)
    way = moved(spun, made, "rightHand")
    assert way[100] == pytest.approx(out[100], abs=1e-6)
    inner = slice(40, 160)
    aligned = np.sum(way * out, axis=1)[inner] / (0.1 * np.linalg.norm(way[inner], axis=1))
    assert aligned.min() > 0.95


def test_ends_of_the_range_are_zero_unless_set() -> None:
    free = Displace([Target("rightHand", frame=100, by=UP)])(WAVE)
    assert same(WAVE, free, [0, -1])
    held = Displace([Target("rightHand", frame=frame, by=(0.0, 0.1, 0.0)) for frame in (0, 204)])(WAVE)
    assert moved(WAVE, held, "rightHand") == pytest.approx(np.tile([0.0, 0.1, 0.0], (len(WAVE), 1)), abs=2e-3)


def test_width_is_in_place_of_the_range() -> None:
    edits = [Target("rightHand", frame=60, by=(0, 0.1, 0)), Target("rightHand", frame=150, by=(0, 0.1, 0))]
    made = Displace(edits, width=0.5)(WAVE)
    frames = np.arange(len(WAVE))
    touched = (np.abs(frames - 60) < 30) | (np.abs(frames - 150) < 30)
    assert same(WAVE, made, ~touched)
    assert (np.linalg.norm(moved(WAVE, made, "rightHand"), axis=1)[touched] > 0.0).all()
    near_end = Displace([Target("rightHand", frame=200, by=(0, 0.1, 0))], width=0.5)(WAVE)
    assert moved(WAVE, near_end, "rightHand")[-1, 1] > 0.09  # it has no time to come back, and does not jump


@pytest.mark.parametrize("rate", [30.0, 60.0, 119.8753])
@pytest.mark.parametrize("part", ["rightHand", "leftHand", "rightFoot", "hips", "head"])
def test_one_pose_and_its_neighbourhood(part: str, rate: float) -> None:
    """Without a width half a second before and after changes, whatever the clip's length, and comes and goes softly."""
    given = motion("walk").resampled(rate)
    at = round(1.6 * rate)
    made = Displace([Target(part, frame=at, by=(0.02, 0.05, 0.03))], feet=False)(given)
    way = moved(given, made, part)
    assert way[at] == pytest.approx((0.02, 0.05, 0.03), abs=1e-9)
    changed = np.flatnonzero((made.rotations != given.rotations).any(axis=(1, 2)) | (way != 0.0).any(axis=1))
    assert 0.9 * 0.5 < (at - changed[0]) / rate <= 0.5 + 1e-9
    assert 0.9 * 0.5 < (changed[-1] - at) / rate <= 0.5 + 1e-9
    speed = np.linalg.norm(np.diff(way, axis=0), axis=1) * rate
    assert speed.max() < 2.5 * np.linalg.norm((0.02, 0.05, 0.03)) / 0.5
    assert speed[[changed[0] - 1, changed[-1]]].max() < 0.5 * speed.max()
    assert np.abs(np.diff(speed)).max() < 1.0 * 8.0 / rate  # no corner


def test_a_hand_that_is_raised_takes_few_frames_along() -> None:
    """The promise: one pose, 20 cm up."""
    made = Displace([{"part": "rightHand", "seconds": 1.2, "by": (0, 0.2, 0)}])(WALK)
    changed = (made.rotations != WALK.rotations).any(axis=(1, 2))
    assert changed.sum() <= 60
    assert moved(WALK, made, "rightHand")[72] == pytest.approx(UP, abs=1e-9)
    whole = Displace([{"part": "rightHand", "seconds": 1.2, "by": (0, 0.2, 0)}], width="all")(WALK)
    assert (whole.rotations != WALK.rotations).any(axis=(1, 2)).sum() > 250


def test_edits_of_one_part_are_joined_and_those_of_others_are_not() -> None:
    """Between two targets of a hand it stays displaced; between those of two hands the body is as it was."""
    held = [Target("rightHand", frame=frame, by=(0.0, 0.1, 0.0)) for frame in (50, 190)]
    way = moved(WALK, Displace(held)(WALK), "rightHand")
    assert way[50:191] == pytest.approx(np.tile([0.0, 0.1, 0.0], (141, 1)), abs=2e-3)
    assert not way[:21].any()
    assert not way[220:].any()
    far = [Target(f"{side}Hand", frame=at, by=(0.0, 0.3, 0.5)) for side, at in (("right", 50), ("left", 190))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetOutOfReach)
        made = Displace(far)(WALK)  # the trunk helps both
    assert not same(WALK, made, slice(40, 60))
    assert not same(WALK, made, slice(180, 200))
    assert same(WALK, made, slice(0, 21))
    assert same(WALK, made, slice(80, 161))
    assert same(WALK, made, slice(220, None))


def test_the_ends_of_a_scope_are_those_of_the_displacement() -> None:
    edit = Displace([Target("rightHand", frame=100, by=UP)])
    frames = np.arange(len(WALK))
    for start, end, first, last in (
        (0.5, 3.5, 30, 210),
        (0.5, None, 30, 130),
        (None, 3.5, 70, 210),
        (1.5, 1.8, 90, 108),
    ):
        made = edit.over(start=start, end=end)(WALK)
        changed = (made.rotations != WALK.rotations).any(axis=(1, 2))
        assert np.array_equal(changed, (frames > first) & (frames < last)), (start, end)


def test_a_planted_foot_moves_its_whole_contact_however_long() -> None:
    made = Displace([Target("leftFoot", frame=100, by=(0.05, 0.0, 0.0), plant=True)])(WAVE)
    assert moved(WAVE, made, "leftFoot")[40:160] == pytest.approx(np.tile([0.05, 0.0, 0.0], (120, 1)), abs=2e-3)


# --- the spline


@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 5), overshoot=st.floats(0.0, 0.5))
def test_it_goes_past_its_points_by_no_more_than_it_may(seed: int, count: int, overshoot: float) -> None:
    rng = np.random.default_rng(seed)
    frames = sorted(rng.choice(np.arange(1, 200), count, replace=False).tolist())
    tcb = [tuple(rng.uniform(-1.0, 1.0, 3)) for _ in frames]
    knots = DisplacementRange(0, 200, None, (False, False), overshoot).knots(
        [(f, i) for i, f in enumerate(frames)], tcb
    )
    values = rng.normal(size=(count, 1))
    made = knots.curve(values, np.arange(201.0))[:, 0]
    assert made[frames] == pytest.approx(values[:, 0], abs=1e-12)
    keys, where = np.array([0.0, *values[:, 0], 0.0]), [0, *frames, 200]
    for a, b, first, last in zip(keys[:-1], keys[1:], where[:-1], where[1:], strict=True):
        part, room = made[first : last + 1], overshoot * abs(b - a) + 1e-9
        assert min(a, b) - room <= part.min()
        assert part.max() <= max(a, b) + room


def test_without_a_bound_it_is_kochanek_and_bartels_own() -> None:
    keys = np.array([[0.0, 0, 0], [0.1, 0.2, 0], [-0.1, 0.1, 0.3], [0.0, 0, 0]])
    tcb = [(0.3, 0.1, -0.2), (-0.5, 0.0, 0.4)]
    knots = DisplacementRange(0, 60, None, (False, False), None).knots([(20, 0), (45, 1)], tcb)
    own = np.array([(1.0, 0.0, 0.0), *tcb, (1.0, 0.0, 0.0)]).T
    expected = kochanek_bartels(
        keys, [0, 20, 45, 60], tension=own[0], continuity=own[1], bias=own[2], ends="clamped"
    ).value(np.arange(61))
    assert knots.curve(keys[1:3], np.arange(61.0)) == pytest.approx(expected, abs=1e-12)


def test_tcb_is_for_all_points_or_for_one() -> None:
    edits = [Turn("head", (0, 0.4, 0), frame=60), Turn("head", (0, 0.1, 0), frame=120)]
    plain = Displace(edits, overshoot=None)(WAVE)
    biased = Displace(edits, overshoot=None, bias=-1.0)(WAVE)
    alone = Displace([replace(edits[0], bias=-1.0), replace(edits[1], bias=-1.0)], overshoot=None)(WAVE)
    turned = [R.angle_between(made.rotations, WAVE.rotations)[:, ROLES["head"]] for made in (plain, biased)]
    assert turned[0][[60, 120]] == pytest.approx([0.4, 0.1], abs=1e-9)
    assert np.abs(turned[1] - turned[0]).max() > 0.02
    assert same(biased, alone)


# --- turns


@pytest.mark.parametrize("axes", ["parent", "joint", "world"])
def test_a_turn_is_added_in_the_axes_that_it_names(axes: str) -> None:
    vector, joint = np.array([0.2, -0.3, 0.4]), ROLES["rightUpperArm"]
    made = Displace([Turn("rightUpperArm", vector, axes=axes, seconds=1.5)])(WAVE)
    old, new = (R.conjugate(m.rotations[90, joint]) * [1, -1, -1, -1] for m in (WAVE, made))
    turn = R.from_rotation_vector(vector)
    expected = R.multiply(old, turn) if axes == "joint" else R.multiply(turn, old)
    if axes == "world":
        before, after = (m.rotations_world()[90, joint] for m in (WAVE, made))
        old, new, expected = before, after, R.multiply(turn, before)
    assert R.angle_between(new, expected) < 1e-7
    others = np.delete(np.arange(len(WAVE.skeleton)), joint)
    assert np.array_equal(made.rotations[:, others], WAVE.rotations[:, others])


def test_a_turn_may_be_a_quaternion_and_more_than_a_whole_turn() -> None:
    vector = np.array([0.0, 0.5, 0.0])
    a, b = (Displace([Turn("head", by, frame=100)])(WAVE) for by in (vector, R.from_rotation_vector(vector)))
    assert np.abs(a.rotations - b.rotations).max() < 1e-12
    spun = Displace([Turn("hips", (0.0, 4.0 * np.pi, 0.0), frame=100)], feet=False)(WAVE)
    step = R.angle_between(spun.rotations[1:, 0], spun.rotations[:-1, 0])
    assert step[:100].sum() == pytest.approx(4.0 * np.pi, rel=0.05)
    assert np.einsum("ti,ti->t", spun.rotations[1:, 0], spun.rotations[:-1, 0]).min() > 0.0


# --- feet


@pytest.mark.parametrize("given", [WAVE, WALK], ids=["stands", "walks"])
def test_feet_stand_as_they_did_under_hips_that_go_elsewhere(given: Motion) -> None:
    edit = Displace([Target("hips", frame=100, by=(0.02, -0.1, 0.02))])
    made, contacts = edit(given), find_contacts(given)
    assert moved(given, made, "hips")[100] == pytest.approx((0.02, -0.1, 0.02), abs=1e-6)
    assert foot_report(made, contacts).slide < foot_report(given, contacts).slide + 1e-4
    loose = replace(edit, feet=False)(given)
    assert moved(given, loose, "leftFoot")[100] == pytest.approx((0.02, -0.1, 0.02), abs=1e-9)


def test_hips_do_not_leave_the_feet_behind_and_say_so() -> None:
    edit = Displace([Target("hips", frame=100, by=UP)])
    with pytest.warns(TargetOutOfReach, match="feet=False") as told:
        made = edit(WAVE)
    assert told[0].filename == __file__
    assert issubclass(TargetOutOfReach, MotionFileWarning)
    assert np.abs(moved(WAVE, made, "leftFoot")).max() < 1e-3
    assert moved(WAVE, replace(edit, feet=False)(WAVE), "hips")[100] == pytest.approx(UP, abs=1e-9)


def raised(given: Motion, frame: int, by: float, width: float | str | None) -> Motion:
    """Hips raised, whether legs are long enough or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetOutOfReach)
        return Displace([{"part": "hips", "frame": frame, "by": (0.0, by, 0.0)}], width=width)(given)


def knee_speed(given: Motion) -> float:
    roles = given.skeleton.with_found_roles().roles
    knees = given.positions_world()[given.performed_frames][:, [roles[f"{side}LowerLeg"] for side in ("left", "right")]]
    return float(np.linalg.norm(np.diff(knees, axis=0), axis=-1).max() * given.rate)


def check_raised_hips_never_sink(given: Motion, frame: int, width: float | str | None) -> None:
    """They are nowhere lower than they were, nor than if raised less; feet stand, and knees don't jerk."""
    before = np.zeros(len(given))
    around = slice(max(frame - round(given.rate), given.performed_frames[0]), frame + round(given.rate))
    for by in (1e-4, 0.01, 0.02, 0.04, 0.08, 0.16, 0.3):
        made = raised(given, frame, by, width)
        way = moved(given, made, "hips")
        assert way[:, 1].min() > -1e-9
        assert way[frame, 1] < by + 1e-9
        assert np.abs(way[:, [0, 2]]).max() < 1e-9
        assert (way[:, 1] - before).min() > -1e-9, by
        assert knee_speed(made[around]) < 2.0 * knee_speed(given[around]) + 0.1
        assert max(np.abs(moved(given, made, foot)).max() for foot in ("leftFoot", "rightFoot")) < 2e-3
        assert np.abs(bones(made) - bones(given)).max() < 1e-9
        before = way[:, 1]


@pytest.mark.parametrize("width", [0.5, "all"])
@pytest.mark.parametrize("frame", [60, 102, 150])
@pytest.mark.parametrize("given", [WAVE, KNOCK, WALK], ids=["wave", "knock", "walk"])
def test_hips_that_are_raised_never_sink(given: Motion, frame: int, width: float | str) -> None:
    check_raised_hips_never_sink(given, frame, width)


def test_who_stands_straight_cannot_rise_and_who_crouches_can() -> None:
    with pytest.warns(TargetOutOfReach, match="stays 80 mm short"):
        made = Displace([Target("hips", frame=102, by=(0.0, 0.08, 0.0))], width=0.5)(WAVE)
    assert np.abs(made.positions_world() - WAVE.positions_world()).max() < 1e-9
    low = Displace([Target("hips", frame=frame, by=(0.0, -0.15, 0.0)) for frame in (0, 204)])(WAVE)
    made = Displace([Target("hips", frame=102, by=(0.0, 0.08, 0.0))], width=0.5)(low)
    assert moved(low, made, "hips")[102] == pytest.approx((0.0, 0.08, 0.0), abs=1e-9)
    assert np.abs(moved(low, made, "leftFoot")).max() < 1e-3
    heights = [moved(low, raised(low, 102, by, 0.5), "hips")[:, 1] for by in (0.05, 0.1, 0.14, 0.2, 0.4)]
    assert all((b - a).min() > -1e-9 for a, b in zip(heights[:-1], heights[1:], strict=True))
    assert 0.14 < heights[-1].max() < 0.16  # as they stood before, at most a little straighter


def test_hips_that_cannot_rise_still_go_down_smoothly_afterwards() -> None:
    edits = [Target("hips", frame=60, by=(0.0, 0.1, 0.0)), Target("hips", frame=130, by=(0.0, -0.1, 0.0))]
    for width in ("all", 0.5, None):
        with pytest.warns(TargetOutOfReach, match="hips at frame 60"):
            made = Displace(edits, width=width)(WAVE)
        way = moved(WAVE, made, "hips")
        assert way[130] == pytest.approx((0.0, -0.1, 0.0), abs=1e-6)
        assert np.abs(way[:61]).max() < 1e-6
        assert added_jolts(WAVE, made).max() < 0.15


def test_a_raised_head_does_not_make_the_hips_sink() -> None:
    with pytest.warns(TargetOutOfReach):
        made = Displace([Target("head", frame=100, by=(0.0, 0.1, 0.0))], width=0.5)(WAVE)
    assert moved(WAVE, made, "hips")[:, 1].min() > -1e-3
    assert knee_speed(made) < 1.1 * knee_speed(WAVE)


def test_a_foot_leaves_its_stand_for_a_while_or_takes_it_along() -> None:
    step = (0.12, 0.0, 0.05)
    lifted = Displace([Target("leftFoot", frame=100, by=step)])(WAVE)
    way = moved(WAVE, lifted, "leftFoot")
    assert way[100] == pytest.approx(step, abs=1e-4)
    assert np.abs(way[np.abs(np.arange(len(way)) - 100) > 25]).max() < 1e-6
    along = Displace([Target("leftFoot", frame=100, by=step, plant=True)])(WAVE)
    assert moved(WAVE, along, "leftFoot") == pytest.approx(np.tile(step, (len(WAVE), 1)), abs=1e-3)
    for made in (lifted, along):
        assert np.abs(moved(WAVE, made, "rightFoot")).max() < 1e-3
    contact = next(p for p in find_contacts(WALK).of("leftHeel") if p.first > 60)
    middle = (contact.first + contact.last) // 2
    made = Displace([Target("leftFoot", frame=middle, by=(0.05, 0.0, 0.0), plant=True)])(WALK)
    way = moved(WALK, made, "leftFoot")
    stand = way[contact.first : contact.last + 1]
    assert stand == pytest.approx(np.tile([0.05, 0.0, 0.0], (len(stand), 1)), abs=1e-3)
    assert np.abs(way[: contact.first - 60]).max() < 1e-3


def test_straight_knees_leave_the_ground_without_a_jerk() -> None:
    lifted = Displace([Target("leftFoot", frame=100, by=(0.0, 0.15, 0.0))])(WAVE)
    lowered = Displace([Target("hips", frame=100, by=(0.0, -0.15, 0.0))], width=0.8)(WAVE)
    assert added_jolts(WAVE, lifted).max() < 0.2
    assert added_jolts(WAVE, lowered).max() < 0.1


def test_a_kick_goes_higher_and_the_stand_before_stays() -> None:
    labels = find_contacts(WALK).labels
    standing = labels["leftHeel"] | labels["leftBall"]
    stood = np.flatnonzero(standing)
    frame = int(np.argmax(np.min(np.abs(np.arange(len(WALK))[:, None] - stood), axis=1)))
    made = Displace([Turn("leftLowerLeg", (0.3, 0.0, 0.0), frame=frame)], width=0.4)(WALK)
    way = np.linalg.norm(moved(WALK, made, "leftFoot"), axis=1)
    assert way[frame] > 0.03
    assert way[standing].max() < 1e-3


# --- bad input


@pytest.mark.parametrize(
    ("said", "edit"),
    [
        ("frames 0 to 204", [Target("leftHand", frame=205, by=UP)]),
        ("frames 0 to 204", [Target("leftHand", seconds=-0.1, by=UP)]),
        ("did you mean 'leftHand'", [Target("leftHnd", frame=5, by=UP)]),
        ("did you mean 'chest'", [Turn("chst", (0, 0.1, 0), frame=5)]),
        ("two edits of one thing", [Target("head", frame=6, by=UP), Target("head", seconds=0.1, to=UP)]),
        ("two edits of one thing", [Turn("head", UP, frame=6), Turn("head", UP, frame=6)]),
    ],
)
def test_edits_that_do_not_fit_are_refused(said: str, edit: list) -> None:
    with pytest.raises(ValueError, match=said):
        Displace(edit)(WAVE)


@pytest.mark.parametrize(
    ("said", "make"),
    [
        ("say when", lambda: Target("head", by=UP)),
        ("say when", lambda: Target("head", by=UP, frame=1, seconds=1.0)),
        ("whole number", lambda: Turn("head", UP, frame=1.5)),
        ("say where", lambda: Target("head", frame=1)),
        ("say where", lambda: Target("head", frame=1, to=UP, by=UP)),
        ("3 finite numbers", lambda: Target("head", frame=1, to=(1, 2))),
        ("3 or 4 finite numbers", lambda: Turn("head", (1, 2), frame=1)),
        ("finite", lambda: Target("head", frame=1, by=(0, np.nan, 0))),
        ("finite", lambda: Turn("head", (np.inf, 0, 0), frame=1)),
        ("seconds is nan", lambda: Target("head", seconds=np.nan, by=UP)),
        ("length zero", lambda: Turn("head", (0, 0, 0, 0), frame=1)),
        ("axes", lambda: Turn("head", UP, frame=1, axes="body")),
        ("overshoot", lambda: Displace(overshoot=-0.1)),
        ("width", lambda: Displace(width=0.0)),
        ("tension", lambda: Displace(tension=np.nan)),
        ("'colour'.*There are: .*part", lambda: Displace([{"part": "head", "frame": 1, "by": UP, "colour": 3}])),
        ("part is missing", lambda: Displace([{"frame": 1, "by": UP}])),
        ("by is missing", lambda: Displace([{"frame": 1, "joint": "head"}])),
    ],
)
def test_edits_that_make_no_sense_are_refused(said: str, make) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        make()
    with pytest.raises(TypeError, match=r"edits\[0\] is 3"):
        Displace([3])  # type: ignore[list-item]


def test_moments_outside_of_the_range_and_empty_ranges() -> None:
    with pytest.raises(ValueError, match="the range is from 1 to 2 s"):
        Displace([Target("head", frame=10, by=UP)])(WAVE, start=1.0, end=2.0)
    with pytest.raises(ValueError, match="nothing of the motion"):
        Displace([Target("head", frame=10, by=UP)])(WAVE, start=8.0)


def test_seconds_between_frames_are_the_nearer_frame() -> None:
    a, b = (Displace([Target("rightHand", by=UP, **when)])(WAVE) for when in ({"frame": 91}, {"seconds": 1.512}))
    assert same(a, b)


@pytest.mark.parametrize("frames", [1, 2, 3, 4])
@pytest.mark.parametrize("part", ["rightHand", "leftFoot", "head", "hips"])
def test_short_clips(frames: int, part: str) -> None:
    clip, way = WAVE[90 : 90 + frames], (0.01, -0.02, 0.01)
    for frame in range(frames):
        made = Displace([Target(part, frame=frame, by=way), Turn("chest", (0, 0.02, 0), frame=frame)])(clip)
        assert moved(clip, made, part)[frame] == pytest.approx(way, abs=1e-3)


def test_calibration_frames_stay_and_are_no_moments() -> None:
    marked = replace(WAVE, calibration_frames=(0, 1, 2))
    made = Displace([Target("rightHand", frame=3, by=UP)])(marked)
    assert same(WAVE, made, slice(0, 3))
    assert moved(WAVE, made, "rightHand")[3] == pytest.approx(UP, abs=1e-6)
    with pytest.raises(ValueError, match="calibration"):
        Displace([Target("rightHand", frame=1, by=UP)])(marked)


def test_only_joints_that_may_help_do() -> None:
    far = [Target("rightHand", frame=100, by=(0.0, 0.2, 0.45))]
    with pytest.warns(TargetOutOfReach, match="rightHand at frame 100"):
        alone = Displace(far)(WAVE, parts=["right_arm", "right_hand"])
    assert np.array_equal(alone.rotations[:, ROLES["chest"]], WAVE.rotations[:, ROLES["chest"]])
    with pytest.warns(TargetOutOfReach):
        helped = Displace(far)(WAVE)
    assert not np.array_equal(helped.rotations[:, ROLES["chest"]], WAVE.rotations[:, ROLES["chest"]])
    reached = [moved(WAVE, made, "rightHand")[100, 2] for made in (alone, helped)]
    assert reached[1] > reached[0] + 0.03


def test_plain_data_says_the_same() -> None:
    edits = (Target("rightHand", frame=90, by=UP, swivel=0.2), Turn("head", (0, 0.1, 0), seconds=1.0, axes="world"))
    edit = Displace(edits, width=0.7)
    assert Displace([asdict(one) for one in edits], width=0.7) == edit
    assert Displace({"part": "rightHand", "frame": 90, "by": list(UP)}).edits == (Target("rightHand", frame=90, by=UP),)
    assert hash(edit) == hash(Displace(edits, width=0.7))


def test_who_is_no_humanoid_can_be_turned_but_not_reach() -> None:
    pair = Motion(Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 0.3, 0.0]])), 30.0, R.identity(9, 2))
    made = Displace([Turn("b", (0.0, 0.0, 0.3), frame=4)])(pair)
    assert R.angle(made.rotations[:, 1])[[0, 4, 8]] == pytest.approx([0.0, 0.3, 0.0], abs=1e-9)
    with pytest.raises(ValueError, match="no humanoid"):
        Displace([Target("leftHand", frame=4, by=UP)])(pair)


# --- other bodies and captures


def test_on_another_character() -> None:
    onto = retarget(KNOCK, mo())
    made = Displace([Target("rightHand", seconds=1.5, by=(0.0, 0.1, 0.0))])(onto)
    assert moved(onto, made, "rightHand")[90] == pytest.approx((0.0, 0.1, 0.0), abs=1e-5)
    assert np.abs(bones(made) - bones(onto)).max() < 1e-9


@pytest.mark.data
@pytest.mark.parametrize("name", ["RobotExpressive.glb", "mesh2motion_human_male.glb", "debug_robot.vrm"])
def test_on_real_characters(data_dir: Path, name: str) -> None:
    onto = retarget(WAVE, load_character(data_dir / "characters" / name))
    for part, way in (("rightHand", (0.0, 0.1, 0.0)), ("hips", (0.0, -0.05, 0.0))):
        made = Displace([Target(part, frame=100, by=way)])(onto)
        assert moved(onto, made, part)[100] == pytest.approx(way, abs=1e-4)
        assert np.abs(moved(onto, made, "leftFoot")).max() < 2e-3


@pytest.mark.data
@pytest.mark.parametrize("name", ["141_16", "13_09", "79_20", "02_05", "13_26", "79_41"])
def test_captures_are_displaced_without_pops(data_dir: Path, name: str) -> None:
    capture = load(data_dir / "bvh" / "cmu" / f"{name}.bvh")[:700]
    frame = len(capture) // 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TargetOutOfReach)
        made = Displace([Target("rightHand", frame=frame, by=UP)])(capture, start=0.1)
    assert np.linalg.norm(moved(capture, made, "rightHand")[frame] - UP) < 0.03
    assert same(capture, made, slice(0, 12))
    assert np.abs(moved(capture, made, "leftFoot")).max() == 0.0
    assert added_jolts(capture, made).max() < 0.2
    before, after = limit_excess(capture), limit_excess(made)
    for role in ("rightHand", "rightShoulder", "rightLowerArm", "chest", "head"):
        assert np.degrees((after[role] - before[role]).max()) < 3.0, role


@pytest.mark.data
@pytest.mark.parametrize("name", ["02_01", "02_05", "07_01", "137_29", "141_16"])
@pytest.mark.parametrize(
    ("part", "way"), [("leftHand", (0.0, 0.2, 0.0)), ("head", (0.03, -0.05, 0.05)), ("hips", (0.02, -0.12, 0.02))]
)
def test_captures_are_displaced_exactly_and_stand_as_they_did(
    data_dir: Path, name: str, part: str, way: tuple[float, float, float]
) -> None:
    capture = load(data_dir / "bvh" / "cmu" / f"{name}.bvh")[:600]
    frame, contacts = len(capture) // 2, find_contacts(capture)
    span = (frame - 100) / capture.rate, (frame + 100) / capture.rate
    made = Displace([Target(part, frame=frame, by=way)])(capture, start=span[0], end=span[1])
    assert np.linalg.norm(moved(capture, made, part)[frame] - way) < 1e-6
    assert same(capture, made, np.abs(np.arange(len(capture)) - frame) >= 100)
    assert np.abs(bones(made) - bones(capture)).max() < 1e-9
    assert foot_report(made, contacts).slide < foot_report(capture, contacts).slide + 1e-4


def test_who_moves_the_head_bends_and_crouches_within_limits_and_goes_on_looking_there() -> None:
    way = (0.0, -0.12, 0.2)
    made = Displace([Target("head", frame=100, by=way)])(WAVE)
    assert moved(WAVE, made, "head")[100] == pytest.approx(way, abs=1e-6)
    assert 0.02 < np.linalg.norm(moved(WAVE, made, "hips")[100]) < 0.121
    before, after = limit_excess(WAVE), limit_excess(made)
    for role in ("spine", "chest", "upperChest", "neck", "head"):
        assert np.degrees((after[role] - before[role]).max()) < 1.0, role
    turned = R.angle_between(made.rotations_world(), WAVE.rotations_world())[:, ROLES["head"]]
    assert np.degrees(turned.max()) < 10.0
    held = Displace([Target("head", frame=100, by=(0.0, -0.05, 0.1)), Target("hips", frame=100, by=(0, 0, 0))])(WAVE)
    assert moved(WAVE, held, "hips")[100] == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


@pytest.mark.data
@pytest.mark.parametrize("width", [0.5, "all"])
@pytest.mark.parametrize("name", ["cmu/79_06", "cmu/141_16", "cmu/07_01", "animated_drawings/wave_hello"])
def test_raised_hips_of_captures_never_sink(data_dir: Path, name: str, width: float | None) -> None:
    capture = load(data_dir / "bvh" / f"{name}.bvh")
    for frame in (102, len(capture) // 2):
        check_raised_hips_never_sink(capture, frame, width)


@pytest.mark.data
def test_knees_that_a_capture_has_locked_backward_bend_forward(data_dir: Path) -> None:
    """79_01's knees are bent some 15° the wrong way."""
    capture = load(data_dir / "bvh" / "cmu" / "79_01.bvh")[:700]
    made, contacts = (
        Displace([Target("hips", frame=500, by=(0.0, -0.12, 0.0))], width=1.0)(capture),
        find_contacts(capture),
    )
    after = limit_excess(made)
    assert max(after[f"{side}LowerLeg"][500] for side in ("left", "right")) == 0.0
    assert moved(capture, made, "hips")[500] == pytest.approx((0.0, -0.12, 0.0), abs=1e-6)
    assert foot_report(made, contacts).slide < foot_report(capture, contacts).slide + 1e-4
    assert added_jolts(capture, made).max() < 0.25


@pytest.mark.data
def test_three_frames_of_a_long_clip(data_dir: Path) -> None:
    """Bruderlin's sitting man gets three gestures more; ours sips coffee, standing."""
    capture = load(data_dir / "bvh" / "cmu" / "79_41.bvh")
    edits = [
        Target("leftHand", seconds=3.0, by=(0.15, 0.3, 0.1)),
        Target("rightHand", seconds=5.0, by=(-0.1, 0.1, 0.05)),
        Target("hips", seconds=7.0, by=(0.0, -0.12, 0.0)),
    ]
    made, contacts = Displace(edits, width=1.2)(capture), find_contacts(capture)
    for edit in edits:
        assert moved(capture, made, edit.part)[edit.frame_of(capture)] == pytest.approx(edit.by, abs=1e-3)
    assert foot_report(made, contacts).slide < foot_report(capture, contacts).slide + 1e-4
    assert added_jolts(capture, made).max() < 0.15  # a knee that the capture has locked begins to bend


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_some_of_a_displacement(share):
    given = motion("wave")
    hand, frame = given.skeleton.index("rightHand"), 100
    there, way = given.positions_world()[frame, hand], np.array([0.0, 0.1, 0.05])
    edits = [Target("rightHand", frame=frame, to=there + way), Turn("head", (0.0, 0.4, 0.0), frame=frame)]
    made = Displace(edits)(given, strength=share)
    assert made.positions_world()[frame, hand] == pytest.approx(there + share * way, abs=1e-6)
    head = given.skeleton.index("head")
    assert R.angle_between(made.rotations[frame, head], given.rotations[frame, head]) == pytest.approx(
        0.4 * share, abs=1e-6
    )
