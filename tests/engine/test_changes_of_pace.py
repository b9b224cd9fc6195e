"""Bodies of performed recordings have mass: paces, masks and limits come and go no quicker than a body moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.test_lifting import jump
from kinesphere import Effort, Express, lift, load, perform
from kinesphere.engine import recording_clock as clocks
from kinesphere.engine.recorded_hands import _stop_at_goals, hand_strokes
from kinesphere.engine.recorded_limits import arm_limits
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.maths import rotations as R
from kinesphere.maths.filters import smooth_corrections
from kinesphere.maths.vectors import norms
from kinesphere.motion.checked_arrays import freeze
from recordings import record

RATE = 120.0
QUICKEST = 28.0  # a second, by which a pace changes in a second
LATEST = 0.020  # seconds by which a stroke comes later or sooner for that


def changes(values, rate=RATE):
    """How much a curve ``(T, ...)`` bends, a second a second."""
    return np.abs(np.diff(values, 2, axis=0)).max() * rate * rate


def same_strokes(phrase, monkeypatch):
    """The clock of a phrase, and seconds by which its strokes are elsewhere than by a clock with kinks."""
    calm = clocks.recording_clock(phrase, RATE)
    with monkeypatch.context() as patch:
        patch.setattr(clocks, "_calm_clock", lambda clock, _: clock)
        kinked = clocks.recording_clock(phrase, RATE)
    edges = phrase.detail.strokes.edges
    return calm, calm.to_output(edges) - kinked.to_output(edges)


@pytest.mark.parametrize("name", ["wave", "drink", "bow"])
@pytest.mark.parametrize("words", ["angry", "urgently", "sad"])
def test_paces_change_softly_and_strokes_come_when_they_did(name, words, monkeypatch):
    phrase = Express(words=words)(lift(record(name, rate=RATE)))
    clock, later = same_strokes(phrase, monkeypatch)
    assert changes(clock.source) < QUICKEST
    assert np.abs(later).max() < LATEST
    assert (np.diff(clock.source) > 0.0).all()
    assert clock.source[0] == 0.0
    assert clock.source[-1] == pytest.approx(phrase.duration)


@pytest.mark.data
@pytest.mark.parametrize("name", ["137_27", "13_26", "79_88", "05_02"])
@pytest.mark.parametrize("words", ["angry", "urgently"])
def test_paces_of_captures_change_softly(data_dir, name, words, monkeypatch):
    phrase = Express(words=words)(lift(load(data_dir / "bvh" / "cmu" / f"{name}.bvh").between(0.0, 10.0)))
    clock, later = same_strokes(phrase, monkeypatch)
    assert changes(clock.source) < QUICKEST  # 45 to 90, smoothed over the recording's time alone
    assert np.abs(later).max() < LATEST


@pytest.mark.parametrize("words", ["urgently", "angry"])
def test_a_flight_keeps_its_pace_and_the_body_comes_to_it_softly(words):
    motion, _ = jump(rate=RATE)
    phrase = Express(words=words)(lift(motion))
    clock = clocks.recording_clock(phrase, RATE)
    flying = phrase.detail.at_times(phrase.detail.steps.flying, clock.source)
    np.testing.assert_allclose(np.gradient(clock.source, 1.0 / RATE)[flying >= 1.0], 1.0, atol=0.01)
    assert changes(clock.source) < QUICKEST


def test_masks_cover_all_of_a_flight_and_open_softly():
    flying = np.zeros(300)
    flying[100:160] = flying[220:223] = 1.0
    mask = clocks.eased_flight(flying, RATE)
    assert (mask >= flying).all()
    assert mask.max() <= 1.0
    assert not mask[:55].any()
    assert changes(mask) < 120.0  # the flags: 14400
    stands = clocks.eased(1.0 - flying, RATE)
    assert changes(stands) < 40.0
    assert stands.min() >= 0.0
    still = np.ones(300)
    assert clocks.eased(still, RATE) is still


def test_a_body_that_gets_up_does_not_jerk():
    """A trunk that comes up from lying within 0.2 s gets its hips' posture back no quicker than it moves itself."""
    motion = record("idle", life=0.0, rate=RATE)
    hips = motion.skeleton.roles["hips"]
    bow = 80.0 * 0.5 * (1.0 - np.tanh((motion.times - 0.5 * motion.duration) / 0.06))
    local = motion.rotations.copy()
    local[:, hips] = R.multiply(
        local[:, hips], R.from_rotation_vector(np.radians(bow)[:, None] * np.array([1.0, 0.0, 0.0]))
    )
    lying = replace(motion, rotations=freeze(R.continuous(local)))
    upright = RecordedPoses.of(lying).upright
    assert upright.min() == 0.0
    assert upright.max() == 1.0
    phrase = Express(words="angry")(lift(lying))
    context = PerformanceContext.of(phrase, RATE)
    assert changes(context.shown(phrase.detail.poses.stands)) > 200.0
    assert changes(context.stands) < 40.0


def test_corrections_are_smooth_and_none_stays_none():
    none = np.zeros((200, 3))
    assert smooth_corrections(none, 0.05, RATE) is none
    spike = none.copy()
    spike[100, 1] = 1.0
    made = smooth_corrections(spike, 0.05, RATE)
    assert changes(made) < 0.1 * changes(spike)
    assert made[:, 1].sum() == pytest.approx(1.0, abs=0.01)
    assert not made[:, [0, 2]].any()
    assert not made[:60].any()


def test_collarbones_do_not_jump_where_their_range_ends():
    """A capture's collarbone passes in 0.1 s far beyond its range, where limits tell little: what is added stays."""
    motion = record("wave", life=0.0, rate=RATE)
    limits = arm_limits(lift(motion).body)
    joint = motion.skeleton.roles["rightShoulder"]
    wild = 40.0 * np.tanh((motion.times - 0.5 * motion.duration) / 0.03) - 40.0
    local = motion.rotations.copy()
    local[:, joint] = R.multiply(
        local[:, joint], R.from_rotation_vector(np.radians(wild)[:, None] * np.array([0.6, 0.0, 0.8]))
    )
    recorded = np.ascontiguousarray(local[:, limits.joints])
    local[:, joint] = R.multiply(local[:, joint], R.from_rotation_vector(np.array([0.0, 0.4, -0.35])))

    def added(eased):
        turned = R.multiply(R.conjugate(recorded[:, list(limits.joints).index(joint)]), eased[:, joint])
        return changes(R.to_rotation_vector(R.continuous(turned)))

    at_once, soft = local.copy(), local.copy()
    limits.ease("rightShoulder", recorded, at_once)
    limits.ease_in_time("rightShoulder", RATE, recorded, soft)
    assert added(soft) < 0.35 * added(at_once)


def test_a_hand_that_stops_at_goals_is_not_thrown_from_one_to_the_next():
    """A hand is held at one goal, then at the next; between them it is where it was recorded."""
    phrase = Express(Effort(flow=1.0))(lift(record("wave", rate=RATE)))
    context = PerformanceContext.of(phrase, RATE)
    hand = hand_strokes(phrase, "right", context.clock)
    held = _stop_at_goals(phrase, hand, context.clock)
    assert norms(held).max() > 0.02
    assert norms(np.diff(held, axis=0)).max() < 0.5 * norms(np.diff(hand.path, axis=0)).max()  # 4 times, when it leapt
    between = np.round(0.5 * (hand.edges[1:] + hand.edges[:-1]) * RATE).astype(int)
    assert norms(held[between]).max() < 0.01


def test_a_clock_shows_the_same_moments_in_any_order():
    rng = np.random.default_rng(1)
    nodes, shown = (np.concatenate([[0.0], np.cumsum(rng.uniform(0.01, 0.1, 50))]) for _ in range(2))
    clock = clocks.RecordingClock(nodes, shown, np.gradient(shown, nodes), RATE)
    assert clock.to_source(nodes) == pytest.approx(shown, abs=1e-12)
    times = rng.permutation(np.linspace(-0.1, nodes[-1] + 0.1, 400))
    one_by_one = np.concatenate([clock.to_source(times[i : i + 1]) for i in range(len(times))])
    np.testing.assert_array_equal(clock.to_source(times), one_by_one)
    held = clock.to_source(np.array([-1.0, nodes[-1] + 1.0]))
    assert held == pytest.approx([shown[0], shown[-1]])
    pace = (clock.to_source(nodes[1:-1] + 1e-6) - clock.to_source(nodes[1:-1] - 1e-6)) / 2e-6
    assert pace == pytest.approx(clock.paces[1:-1], rel=1e-3)


@pytest.mark.data
def test_a_capture_that_gets_up_has_no_jerks(data_dir):
    motion = load(data_dir / "bvh" / "cmu" / "137_27.bvh").between(0.0, 9.7)
    made = perform(motion, words="urgently")
    head = made.positions_world()[:, made.skeleton.roles["head"]]
    bend = norms(head[4:] - 2.0 * head[2:-2] + head[:-4])[8:]
    assert bend.max() < 0.025  # metres at half the rate; 0.052 before
