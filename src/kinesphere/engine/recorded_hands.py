"""Hands of a performed recording: how far from their recorded paths edits bring them, and how they bend.

All of it is a difference from the neutral re-generation, so that nothing is left of it where nothing is edited:

- **Path**: the deviation of a stroke from the line between its goals is made smaller (Direct) or larger (Indirect).
- **Beyond the goal**: anticipation and overshoot are displacements along the stroke; detours and goals that are passed
  without a stop are those of gestures (``engine.excursions``).
- **Emphasis**: the quick part of a hand's way, which makes its accents, becomes more or less.
- **Keys** that Shape or a user has moved carry the path along; keys that are added or deleted change it between them.
- **Flourishes**: EMOTE's bends and twists of wrist and elbow, closed at goals.
- Hands that hang go with the arm channels of postures and rhythms.

Positions are in arm lengths from the shoulder, in the chest's axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere import _native
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.clocks import StrokePhase, round_to_frames, stroke_clock, stroke_phases
from kinesphere.engine.detail import Detail
from kinesphere.engine.excursions import StrokeGoals
from kinesphere.engine.lifting import hangs_at
from kinesphere.engine.overlays import flourish_strength, half_waves, twist_wave, wrist_flexion
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.recording_clock import RecordingClock
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import cubic_rows_at, monotone_cubic
from kinesphere.maths.two_bone import swivel_of
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, differences, norms, smoothstep
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Keys, Phrase, Track

STRAIGHTER, ROUNDER = 1.5, 1.2  # times tension: of a stroke's deviation that is taken away, and added
STRAIGHTEST = 0.9  # of it that is taken away at most
STOP_WIDTH, WIDEST_STOP = 0.3, 0.15  # of a stroke's time, and seconds, for which a hand is held at a goal
STAYS = 0.2  # of a stroke's time at both ends in which its path comes to be another: goals stay
CHORDS = (0.25, 0.6)  # of its travel that a stroke's chord is, between which its deviation comes to be one
SAME_TIME = 1e-9  # seconds
MOST_OVERSHOOT = 0.4  # of a stroke's inflection: with more the timing function runs away
TREMOR = 0.04  # seconds of σ: a captured chest trembles by a degree or two, and hands with it as seen from there
HOLD = 0.05  # arm lengths: what goes less is a hold
HANG_SIGMA = 0.15  # seconds of σ, over which a hand comes to hang
FLEXED = 0.45  # of EMOTE's constant wrist bend: a recorded wrist has a bend of its own
WAVE_SMOOTH = 0.045  # seconds of σ, over which flourishes of wrists and elbows are smoothed
MOST_TURN = np.radians(48.0)  # of a wrist beside what is recorded
HUNG_ROOM = np.array([0.30, 1.00, 0.80])  # arm lengths out, up and ahead that a posture lifts hanging hands at most
MOST_AWAY = 0.85  # arm lengths that a hand goes from its recorded path at most, approached softly
ACCENTS = 0.13  # seconds of σ: what is quicker in a hand's way makes its accents
MOST_ACCENT = 0.12  # arm lengths that it is made more of, approached softly


@dataclass(frozen=True, eq=False)
class RecordedHand:
    """One hand in every frame of a performance.

    Attributes
    ----------
    side
        Left or right.
    path : (T, 3)
        Where it was recorded at the moments that are shown.
    goals : (S + 1, 3)
        Where its strokes begin and end.
    edges : (S + 1,)
        When, in seconds of the performance.
    peaks : (S,)
        When it is fastest.
    lengths : (S,)
        Metres of the figure that strokes go, 0 of holds.
    hanging : (S + 1,)
        Whether it hangs there.
    hangs : (T,)
        How far it hangs.
    phase
        Where it is within its strokes.
    """

    side: str
    path: Floats
    goals: Floats
    edges: Floats
    peaks: Floats
    lengths: Floats
    hanging: Bools
    hangs: Floats
    phase: StrokePhase


def hand_strokes(phrase: Phrase, side: str, clock: RecordingClock) -> RecordedHand | None:
    """A hand's strokes in performed time; None where it has fewer than two keys."""
    detail, track = phrase.detail, phrase.arm(side)
    keys = track.keys
    if detail is None or keys is None or keys.stops.sum() < 2:
        return None
    rows = np.flatnonzero(keys.stops)
    stops, goals = keys.times[rows], _settled(keys.positions[rows])
    lengths = ARM * norms(differences(goals))
    edges = round_to_frames(clock.to_output(stops), clock.rate)
    passing = track.stroke("pass_speed", len(lengths))
    own = stroke_clock(stops, lengths, track, None, True, clock.rate, passing)
    own = replace(own, goals=edges, overshoot=np.minimum(own.overshoot, MOST_OVERSHOOT * own.inflection))
    phase = stroke_phases(own, clock.frames)
    peaks = clock.to_output(stops[:-1] + keys.inflections[rows][1:] * differences(stops))
    poses = detail.poses
    path = cubic_rows_at(wrist_path(poses, side), clock.source * poses.motion.rate)
    hangs = np.interp(clock.source, detail.times, hanging(poses, side))
    ends = clip(peaks, edges[:-1], edges[1:])
    return RecordedHand(side, path, goals, edges, ends, lengths, hangs_at(goals), hangs, phase)


@memoised
def wrist_path(poses: RecordedPoses, side: str) -> Floats:
    """``(T, 3)`` a recorded wrist from its shoulder, without the tremor of the chest's own axes."""
    return gaussian(poses.wrist(side), TREMOR * poses.motion.rate, ends="reflect")


@memoised
def elbow_path(poses: RecordedPoses, side: str) -> Floats:
    """``(T, 3)`` a recorded elbow from its shoulder, likewise."""
    return gaussian(poses.elbow(side), TREMOR * poses.motion.rate, ends="reflect")


@memoised
def hanging(poses: RecordedPoses, side: str) -> Floats:
    """``(T,)`` from 0 to 1: how far a recorded hand hangs, smoothly."""
    flags = hangs_at(wrist_path(poses, side)).astype(np.float64)
    return gaussian(flags, HANG_SIGMA * poses.motion.rate, ends="hold")


@memoised
def elbow_swivel(poses: RecordedPoses, side: str) -> Floats:
    """``(T,)`` radians that a recorded elbow is turned outwards about the line from shoulder to wrist; 0 is down."""
    elbow = poses.elbow(side)
    return np.asarray(SIGN[side] * swivel_of(np.zeros_like(elbow), elbow, wrist_path(poses, side)))


def _settled(positions: Floats) -> Floats:
    """Goals ``(S + 1, 3)`` with one place for all of a hold: what drifts there is no stroke."""
    made = positions.copy()
    for i in np.flatnonzero(norms(differences(positions)) < HOLD).tolist():
        if norms(positions[i + 1] - made[i]) < HOLD:
            made[i + 1] = made[i]
    return made


# Displacements


def displace_hand(phrase: Phrase, hand: RecordedHand, clock: RecordingClock, table: Floats) -> Floats:
    """``(T, 3)`` arm lengths in the chest's axes by which a hand is away from its recorded path.

    ``table (T, C)`` are channels, in metres of the figure.
    """
    detail = phrase.detail
    assert detail is not None
    walks = detail.at_times(detail.steps.walking, clock.source)
    acts = (1.0 - hand.hangs * walks)[:, None]
    own = _reshape_path(phrase, hand) + _go_beyond(phrase, hand, clock.rate) + _stop_at_goals(phrase, hand, clock)
    away = acts * (own + _emphasise(phrase, hand, clock))
    away = away + _follow_placed(phrase.arm(hand.side), clock.source)
    mirror = np.array([SIGN[hand.side], 1.0, 1.0])
    columns = [INDEX[f"{hand.side}.arm.{name}"] for name in ("out", "up", "ahead")]
    posture = HUNG_ROOM * np.tanh(table[:, columns] / (ARM * HUNG_ROOM))
    away = away + hand.hangs[:, None] * mirror * posture
    size = norms(away)
    return np.asarray(away * (MOST_AWAY * np.tanh(size / MOST_AWAY) / np.maximum(size, 1e-12))[:, None])


def _stroke_rows(phrase: Phrase, side: str, name: str, count: int) -> Floats:
    return phrase.arm(side).stroke(name, count)


def _reshape_path(phrase: Phrase, hand: RecordedHand) -> Floats:
    """Straighter or rounder: what is added to the deviation of strokes from the lines between their goals."""
    count = len(hand.lengths)
    tension = clip(_stroke_rows(phrase, hand.side, "tension", count), -1.0, 1.0)
    made = np.zeros_like(hand.path)
    if not tension.any():
        return made
    stroke = hand.phase.stroke
    starts, chords = hand.goals[:-1], differences(hand.goals)
    squares = np.maximum(np.sum(chords * chords, axis=1), 1e-12)
    share = np.sum((hand.path - starts[stroke]) * chords[stroke], axis=1) / squares[stroke]
    off = hand.path - starts[stroke] - clip(share, 0.0, 1.0)[:, None] * chords[stroke]
    far = np.zeros(count)
    np.maximum.at(far, stroke, norms(hand.path - starts[stroke]))
    lined = smoothstep((np.sqrt(squares) / np.maximum(far, 1e-9) - CHORDS[0]) / (CHORDS[1] - CHORDS[0]))
    straighter = np.where(tension > 0.0, np.minimum(STRAIGHTER * tension, STRAIGHTEST), ROUNDER * tension)
    factor = -straighter * lined * (hand.lengths > 0.0)
    time_share = clip(hand.phase.time_share, 0.0, 1.0)
    inside = smoothstep(np.minimum(time_share, 1.0 - time_share) / STAYS)
    return np.asarray((factor[stroke] * inside)[:, None] * off)


def _go_beyond(phrase: Phrase, hand: RecordedHand, rate: float) -> Floats:
    """Anticipation and overshoot along strokes, detours, and goals that are passed."""
    count = len(hand.lengths)
    rows = {name: np.maximum(_stroke_rows(phrase, hand.side, name, count), 0.0) for name in ("detour", "pass_speed")}
    stroke, share = hand.phase.stroke, hand.phase.path_share
    beyond = share - clip(share, 0.0, 1.0)
    made = np.zeros((len(stroke), 3))
    if beyond.any():
        made += (beyond * (hand.lengths > 0.0)[stroke])[:, None] * differences(hand.goals)[stroke]
    if rows["detour"].any() or rows["pass_speed"].any():
        goals = StrokeGoals(
            ARM * hand.goals,
            hand.edges,
            hand.hanging,
            hand.lengths,
            rows["detour"],
            rows["pass_speed"],
            _cycle(phrase, hand),
        )
        extra = np.zeros_like(made)
        at = np.ascontiguousarray(stroke), np.ascontiguousarray(share)
        _native.excursions.add_detours(*at, goals, SIGN[hand.side], extra)
        _native.excursions.add_passings(rate, goals, extra)
        made += extra / ARM
    return made


def _stop_at_goals(phrase: Phrase, hand: RecordedHand, clock: RecordingClock) -> Floats:
    """Hands stop at goals that they passed in the recording, as far as drives ask for it: they are held a little."""
    stops = _asked_of_hand(phrase, hand, clock, "stop")
    if not stops.any():
        return np.zeros_like(hand.path)
    rate, time = clock.rate, clock.time
    near = clip(np.searchsorted(0.5 * (hand.edges[1:] + hand.edges[:-1]), time), 0, len(hand.lengths))
    lasts = differences(hand.edges)
    width = np.minimum(np.append(lasts, lasts[-1]), np.insert(lasts, 0, lasts[0]))
    width = np.maximum(np.minimum(STOP_WIDTH * width, WIDEST_STOP), 1.0 / rate)[near]
    frames = clip(np.round(hand.edges * rate), 0, len(time) - 1).astype(np.intp)
    off = time - hand.edges[near]
    # Half way to the next goal nothing is left of it: short strokes lie beside long ones.
    half = 0.5 * np.where(off < 0.0, np.insert(lasts, 0, lasts[0])[near], np.append(lasts, lasts[-1])[near])
    fades = 1.0 - smoothstep(2.0 * np.abs(off) / np.maximum(half, 1e-9) - 1.0)
    held = clip(stops, 0.0, 1.0) * fades * np.exp(-0.5 * (off / width) ** 2)
    return np.asarray(held[:, None] * (hand.path[frames][near] - hand.path))


def _emphasise(phrase: Phrase, hand: RecordedHand, clock: RecordingClock) -> Floats:
    """More or less of the quick part of a hand's way: accents that are hit, or softened."""
    amount = _asked_of_hand(phrase, hand, clock, "emphasis")
    if not amount.any():
        return np.zeros_like(hand.path)
    detail = phrase.detail
    assert detail is not None
    quick = cubic_rows_at(quick_way(detail.poses, hand.side), clock.source * detail.poses.motion.rate)
    size = np.maximum(norms(quick), 1e-9)
    bounded = (MOST_ACCENT * np.tanh(size / MOST_ACCENT) / size)[:, None] * quick
    return np.asarray(amount[:, None] * np.where(amount[:, None] > 0.0, bounded, quick))


def _asked_of_hand(phrase: Phrase, hand: RecordedHand, clock: RecordingClock, kind: str) -> Floats:
    """``(T,)`` what drives of a kind ask of a hand, by their shares of where it is ahead."""
    amount = np.zeros(len(hand.path))
    for drive in phrase.drives:
        share = drive.channels.get(f"{hand.side}.arm.ahead", 0.0) if drive.kind == kind else 0.0
        if share:
            own = drive.amount if drive.amount.ndim == 0 else sample_rows(drive.amount, clock.source, phrase.loop)
            amount += share * own
    return amount


@memoised
def quick_way(poses: RecordedPoses, side: str) -> Floats:
    """``(T, 3)`` arm lengths by which a hand departs from its way without what is quick in it."""
    path = wrist_path(poses, side)
    return path - gaussian(path, ACCENTS * poses.motion.rate, ends="point")


def _follow_placed(track: Track, source: Floats) -> Floats:
    """What keys that Shape has placed elsewhere change of the path."""
    if track.placed is None or track.keys is None:
        return np.zeros((len(source), 3))
    return _through(track.keys.times, track.placed - track.keys.positions, source)


def follow_keys(phrase: Phrase, side: str, source: Floats) -> Floats:
    """``(T, 3)`` arm lengths by which keys that a user has moved, added or deleted bring the hand elsewhere.

    Nothing beyond the keys beside them; and whatever the hand keeps there is moved by as much.
    """
    detail, keys = phrase.detail, phrase.arm(side).keys
    assert detail is not None
    assert keys is not None
    lifted = detail.tracks[f"{side}_arm"].keys
    if keys is lifted or lifted is None or _same_places(keys, lifted):
        return np.zeros((len(source), 3))
    return _through(*_key_changes(detail, side, lifted, keys), source)


def swivel_of_keys(phrase: Phrase, side: str, source: Floats) -> Floats:
    """``(T,)`` radians by which keys that a user has changed turn the elbow."""
    detail, keys = phrase.detail, phrase.arm(side).keys
    assert detail is not None
    assert keys is not None
    lifted = detail.tracks[f"{side}_arm"].keys
    if keys is lifted or lifted is None or np.array_equal(keys.swivels, lifted.swivels):
        return np.zeros(len(source))
    place = np.searchsorted(lifted.times, keys.times)
    same = np.isin(np.round(keys.times, 9), np.round(lifted.times, 9))
    change = np.where(same, keys.swivels - lifted.swivels[np.minimum(place, len(lifted) - 1)], 0.0)
    return monotone_cubic(keys.times, change, source)


def _same_places(one: Keys, other: Keys) -> bool:
    return np.array_equal(one.times, other.times) and np.array_equal(one.positions, other.positions)


def _key_changes(detail: Detail, side: str, lifted: Keys, keys: Keys) -> tuple[Floats, Floats]:
    """Times ``(U,)`` of all keys, and how far ``(U, 3)`` the hand is there from where it was recorded.

    A key that is added where the hand was changes nothing; at one that is deleted, the hand is on its way between those
    that are left.
    """
    places = cubic_rows_at(detail.poses.wrist(side), keys.times * detail.poses.motion.rate)
    at = np.minimum(np.searchsorted(lifted.times, keys.times - SAME_TIME), len(lifted) - 1)
    same = np.abs(lifted.times[at] - keys.times) <= SAME_TIME
    was = np.where(same[:, None], lifted.positions[at], places)
    gone = np.ones(len(lifted), dtype=np.bool_)
    gone[at[same]] = False
    left = _through(keys.times, keys.positions, lifted.times[gone]) - lifted.positions[gone]
    times = np.concatenate([keys.times, lifted.times[gone]])
    order = np.argsort(times, kind="stable")
    return times[order], np.concatenate([keys.positions - was, left])[order]


def _through(times: Floats, values: Floats, at: Floats) -> Floats:
    """A monotone cubic through rows ``(K, 3)``."""
    if not np.any(values):
        return np.zeros((len(at), values.shape[1]))
    return np.stack([monotone_cubic(times, column, at) for column in values.T], axis=1)


# Wrists and elbows


def turn_hand(phrase: Phrase, hand: RecordedHand, clock: RecordingClock, table: Floats) -> tuple[Floats, Floats]:
    """Rotation vectors ``(T, 3)`` of the hand in its anatomical axes, and swivels ``(T,)`` of the elbow, outwards."""
    side, track, source = hand.side, phrase.arm(hand.side), clock.source

    def over(name: str) -> Floats:
        value = track.overlay(name)
        return value if value.ndim == 0 else sample_rows(value, source, phrase.loop)

    stroke, share = hand.phase.stroke, clip(hand.phase.time_share, 0.0, 1.0)
    durations = differences(hand.edges)
    weight = flourish_strength(hand.lengths, durations)[stroke] * (1.0 - hand.hangs)
    wave_rate, frequency = track.overlay("wave_rate"), over("wrist_frequency")
    counts, signs = _waves(wave_rate, durations, stroke, frequency, _cycle(phrase, hand))
    bend = wrist_flexion(
        share,
        over("wrist_bend") * weight,
        over("wrist_extension"),
        FLEXED * over("flexed") * (1.0 - hand.hangs),
        over("flexed_angle"),
    )
    twist = twist_wave(share, over("wrist_twist") * weight * signs, counts)
    own = [table[:, INDEX[f"{side}.hand.{name}"]] for name in ("bend", "aside", "roll")]
    vectors = np.stack([twist + own[2], own[1], bend + own[0]], axis=1) * np.array([SIGN[side], 1.0, SIGN[side]])
    size = norms(vectors)
    vectors *= (MOST_TURN * np.tanh(size / MOST_TURN) / np.maximum(size, 1e-12))[:, None]
    swivel = twist_wave(share, over("elbow_twist") * weight * signs, counts) + over("elbow_out") * (1.0 - hand.hangs)
    swivel = swivel + hand.hangs * table[:, INDEX[f"{side}.arm.swivel"]]
    # Waves end at goals, but in full swing: the next stroke has another one.
    calm = gaussian(np.column_stack([vectors, swivel]), WAVE_SMOOTH * clock.rate, ends="hold")
    return np.ascontiguousarray(calm[:, :3]), np.ascontiguousarray(calm[:, 3])


def _cycle(phrase: Phrase, hand: RecordedHand) -> int:
    """How many strokes a cycle of a loop has, that is performed over several; else 0."""
    detail = phrase.detail
    return 0 if detail is None or detail.period is None else len(hand.lengths) // detail.cycles


def _waves(wave_rate: Floats, durations: Floats, stroke: Ints, frequency: Floats, cycle: int) -> tuple[Floats, Floats]:
    """Half waves of twists in each frame's stroke, and the sign that it begins with."""
    rate = float(np.max(wave_rate)) if np.size(wave_rate) else 0.0
    if rate <= 0.0:
        return frequency, np.ones(len(stroke))
    counts, signs = half_waves(durations, rate, cycle)
    return counts[stroke], signs[stroke]
