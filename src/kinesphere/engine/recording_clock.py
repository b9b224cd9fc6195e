"""The clock of a performed recording: which moment of the recording each frame shows.

Strokes of the whole body (``engine.detail``) have durations and timing as those of gestures have (``engine.clocks``):
within a stroke the recording is where its own timing would be as far along as the edited timing is now. A capture never
quite rests, so its pace is kept smooth and within bounds: no stroke starts with a jerk, and none stands still. In the
air time passes as recorded: a jump keeps gravity. In a loop the pace is the same in every cycle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kinesphere import _native
from kinesphere.engine.clocks import StrokeClock, stroke_clock
from kinesphere.engine.detail import LEGS_LEAD, REST_LEADS, Detail
from kinesphere.engine.holds import HeldTime, asked_holds, asks_holds
from kinesphere.engine.proportions import ARM
from kinesphere.engine.unrolling import unroll
from kinesphere.engine.written_claims import write_claims
from kinesphere.maths.filters import gaussian, smooth_envelope
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Bools, Floats, clip, differences, norms
from kinesphere.motion.phrase import STROKES, Phrase, Track
from kinesphere.motion.timemap import TimeMap

NODES = 240.0  # nodes a second of the clock
FINE = 1e7  # moments a second at which strokes of loops may begin
ROUND = 0.045  # seconds of σ: a body does not change its pace at once
TIMING = ("inflection", "time_exponent", "evenness", "hesitation")  # stroke parameters that are an arm's own
HOLDS = 0.05  # arm lengths: what goes less is a hold
CLOSINGS = 40  # halvings that make a cycle last whole frames
LANDS = 0.15  # seconds to either side over which a pace comes to that of a flight, and masks to what they say of it
EASES = 0.08  # seconds of σ in which masks come and go
SHORT_STEP = 1e-5  # seconds, over which paces are measured
PACES = (0.2, 5.0)  # seconds of the recording in a second, at least and at most


@dataclass(frozen=True, eq=False)
class RecordingClock:
    """Moments of a recording and when they come.

    Attributes
    ----------
    nodes, shown : (N,)
        Seconds of the performance, increasing, and of the recording.
    paces : (N,)
        Seconds of the recording in a second there.
    rate
        Frames a second of the performance.
    held
        Of a performance with pauses or stops: when they are.
    unheld
        And its clock without them.
    """

    nodes: Floats
    shown: Floats
    paces: Floats
    rate: float
    held: HeldTime | None = None
    unheld: RecordingClock | None = None

    @cached_property
    def frames(self) -> int:
        """How many frames there are."""
        return max(round(float(self.nodes[-1]) * self.rate), 0) + 1

    @cached_property
    def time(self) -> Floats:
        """``(T,)`` seconds of the performance."""
        return np.arange(self.frames) / self.rate

    @cached_property
    def source(self) -> Floats:
        """``(T,)`` seconds of the recording: from its first moment to its last."""
        if self.frames == 1:
            return np.array(self.shown[:1])
        stretch = float(self.nodes[-1]) / float(self.time[-1])  # the last frame shows the end
        return self.to_source(self.time * stretch)

    def to_source(self, time: Floats) -> Floats:
        """Seconds of the recording at seconds of the performance, by cubics that meet each node's pace."""
        made = np.empty(len(time))
        _native.clocks.follow_paces(self.nodes, self.shown, self.paces, np.ascontiguousarray(time), made)
        return made

    def to_output(self, source: Floats) -> Floats:
        """Seconds of the performance at seconds of the recording."""
        return np.interp(source, self.shown, self.nodes)

    @property
    def time_map(self) -> TimeMap:
        """From the recording's time to the performed one, for edits of the motion."""
        step = max(round(0.05 * NODES), 1)
        rows = np.unique(np.concatenate([np.arange(0, len(self.nodes), step), [len(self.nodes) - 1]]))
        return TimeMap(self.shown[rows], self.nodes[rows])

    def holding(self, held: HeldTime) -> RecordingClock:
        """The same with pauses and stops: this clock ends on a frame, as ``on_frames`` has it."""
        own = held.plain
        later = held.performed - own
        inside = np.searchsorted(own, self.nodes, side="right")
        free = np.ones(len(self.nodes), dtype=np.bool_)
        for hold in held.holds:
            first, last = held.to_plain(np.array([hold.start, hold.end]))
            free &= (self.nodes < first - 1e-9) | (self.nodes > last + 1e-9)
        shift = later[np.maximum(inside - 1, 0)]
        nodes = np.concatenate([held.performed, (self.nodes + shift)[free]])
        paces = held.paces * self._pace_at(own)
        order = np.argsort(nodes, kind="stable")
        rows = nodes, np.concatenate([self.to_source(own), self.shown[free]]), np.concatenate([paces, self.paces[free]])
        nodes, shown, paces = (row[order] for row in rows)
        kept = np.concatenate([[True], np.diff(nodes) > 1e-9])
        return RecordingClock(nodes[kept], shown[kept], paces[kept], self.rate, held, self)

    def on_frames(self) -> RecordingClock:
        """The same, ending on its last frame."""
        if self.frames == 1:
            return self
        stretch = float(self.time[-1]) / float(self.nodes[-1])
        return RecordingClock(self.nodes * stretch, self.shown, self.paces / stretch, self.rate)

    def _pace_at(self, time: Floats) -> Floats:
        """Paces at any seconds of the performance."""
        end = float(self.nodes[-1])
        low, high = (clip(time + step, 0.0, end) for step in (-SHORT_STEP, SHORT_STEP))
        return np.asarray((self.to_source(high) - self.to_source(low)) / np.maximum(high - low, 1e-12))

    @cached_property
    def is_plain(self) -> bool:
        """Whether it runs as the recording does."""
        return bool(np.abs(self.paces - 1.0).max() < 1e-9)


def eased(mask: Floats, rate: float) -> Floats:
    """A mask ``(T,)`` of performed frames that comes and goes no quicker than a body does, at any pace."""
    return mask if np.ptp(mask) == 0.0 else gaussian(mask, EASES * rate, ends="reflect")


def eased_flight(flying: Floats, rate: float) -> Floats:
    """A mask likewise that is nowhere less: all of a flight is in the air."""
    return np.minimum(smooth_envelope(flying, LANDS, rate), 1.0)


def recording_clock(phrase: Phrase, rate: float) -> RecordingClock:
    """The clock of a phrase of a recording, from its first performed frame on."""
    phrase = write_claims(phrase)
    clock = _unheld_clock(phrase, rate)
    if not asks_holds(phrase) or clock.held is not None:
        return clock
    clock = clock.on_frames()
    moments = [own._replace(at=float(clock.to_output(np.array([own.at]))[0])) for own in asked_holds(phrase)]
    held = HeldTime.of(moments, float(clock.nodes[-1]), rate)
    return clock if held is None else clock.holding(held)


def _unheld_clock(phrase: Phrase, rate: float) -> RecordingClock:
    """The clock without pauses and stops; of a loop, which comes from several cycles, with them."""
    detail = phrase.detail
    assert detail is not None
    strokes = detail.strokes
    lengths, inflections = detail.figure_lengths, strokes.inflections
    every = NODES if detail.period is None else FINE  # each cycle's strokes are as long as every other's
    body = stroke_clock(strokes.edges, lengths, body_track(phrase), inflections, phrase.locked, every)
    start = detail.leading_frames / detail.recording.rate
    if len(detail.recording) - detail.leading_frames < 2:  # one pose stays one
        moment = np.array([start, start + 1e-9])
        return RecordingClock(np.array([0.0, 1e-9]), moment, np.ones(2), rate)
    if phrase.loop and start == 0.0 and not detail.is_short:
        return _one_cycle(recording_clock(unroll(phrase), rate), phrase.duration)
    if detail.period is not None:
        return _cyclic_clock(detail, body, detail.period, rate)
    if phrase.loop or detail.is_short:
        end = max(body.end(phrase.duration) * (phrase.duration - start) / phrase.duration, 1.0 / rate)
        return _even_clock(start, phrase.duration, max(round(end * rate), 1) / rate, rate)
    return _smooth_clock(detail, body, start, phrase.duration, rate)


def body_track(phrase: Phrase) -> Track:
    """The strokes of the body's clock ``(E,)``: those of the torso, else of the part that leads each."""
    assert phrase.detail is not None
    torso, strokes = phrase.track("torso"), phrase.detail.strokes
    rows = dict(torso.strokes)
    middles = 0.5 * (strokes.edges[:-1] + strokes.edges[1:])
    leads = np.array(strokes.leads)
    for side in ("left", "right"):
        arm, keys = phrase.arm(side), phrase.arm(side).keys
        led = leads == f"{side}_arm"
        if keys is None or not led.any():
            continue
        stops = keys.times[keys.stops]
        own = np.clip(np.searchsorted(stops, middles[led]) - 1, 0, max(len(stops) - 2, 0))
        for name in arm.strokes:
            if name not in torso.strokes:
                values = arm.stroke(name, max(len(stops) - 1, 1))[own]
                rows.setdefault(name, np.full(len(leads), STROKES[name]))[led] = values
    return Track(strokes=rows)


def _even_clock(start: float, duration: float, end: float, rate: float) -> RecordingClock:
    """One pace from start to end."""
    pace = (duration - start) / end
    return RecordingClock(np.array([0.0, end]), np.array([start, duration]), np.full(2, pace), rate)


def _cyclic_clock(detail: Detail, body: StrokeClock, period: float, rate: float) -> RecordingClock:
    """The same pace in every cycle of a loop that was unrolled; each takes a whole number of frames."""
    cycles = round(detail.recording.duration / period)
    middle = cycles // 2
    begins, ends = _moments(body, np.array([middle, middle + 1]) * period).tolist()
    even = body.timing_change == 0.0 and np.ptp(differences(body.goals) / differences(body.source)) < 1e-9
    count = max(int(np.ceil((ends - begins) * NODES)), 8)
    shown = body.to_source(np.linspace(begins, ends, count + 1), 1.0, True) if not even else np.zeros(count + 1)
    shown = np.maximum.accumulate(clip(shown - middle * period, 0.0, period))
    steps = np.full(count, period / count) if even else np.maximum(differences(shown), 1e-9)
    shown = np.concatenate([[0.0], np.cumsum(steps)]) * period / steps.sum()
    paces = np.concatenate([steps, steps[:1]]) * count / (ends - begins)
    paces[:-1] = 0.5 * (paces[:-1] + np.roll(paces[:-1], 1))
    paces[-1] = paces[0]
    paces = clip(gaussian(paces, ROUND * count / (ends - begins), ends="wrap"), *PACES)
    flying = np.tile(detail.at_times(detail.steps.flying, middle * period + shown)[:-1], 3)
    flying = eased_flight(flying, count / (ends - begins))[count : 2 * count + 1]
    nodes, paces = _whole_frames(shown, paces, flying, rate)
    offsets = np.arange(cycles)[:, None]

    def tile(values: Floats, length: float) -> Floats:
        return np.concatenate([(values[:-1] + length * offsets).ravel(), [cycles * length]])

    return RecordingClock(
        tile(nodes, nodes[-1]), tile(shown, period), np.concatenate([np.tile(paces[:-1], cycles), paces[-1:]]), rate
    )


def _moments(body: StrokeClock, source: Floats) -> Floats:
    """When a clock of strokes shows moments of the recording."""
    time = np.linspace(0.0, float(body.goals[-1]), max(int(np.ceil(float(body.goals[-1]) * NODES)), 8) + 1)
    shown = np.maximum.accumulate(body.to_source(time, 1.0, True))
    return np.interp(source, shown + 1e-9 * np.arange(len(shown)), time)


def _whole_frames(shown: Floats, paces: Floats, flying: Floats, rate: float) -> tuple[Floats, Floats]:
    """Nodes and paces ``(N,)`` of a cycle with the pace of the recording in the air, that lasts whole frames."""

    def times(factor: float) -> tuple[Floats, Floats]:
        own = factor * paces + flying * (1.0 - factor * paces)
        return np.concatenate([[0.0], np.cumsum(differences(shown) / (0.5 * (own[1:] + own[:-1])))]), own

    wanted = max(round(float(times(1.0)[0][-1]) * rate), 1) / rate
    low, high = 0.5, 2.0  # a cycle is at most half a frame off
    for _ in range(CLOSINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if times(middle)[0][-1] > wanted else (low, middle)
    nodes, own = times(0.5 * (low + high))
    return nodes * (wanted / nodes[-1]), own * (nodes[-1] / wanted)


def _one_cycle(clock: RecordingClock, period: float) -> RecordingClock:
    """The middle cycle of a loop that was unrolled."""
    first, last = np.searchsorted(clock.shown, np.array([1.0, 2.0]) * period - 1e-6).tolist()
    rows = slice(first, last + 1)
    return RecordingClock(
        clock.nodes[rows] - clock.nodes[first],
        clock.shown[rows] - clock.shown[first],
        clock.paces[rows],
        clock.rate,
        clock.held,
    )


def _smooth_clock(detail: Detail, body: StrokeClock, start: float, duration: float, rate: float) -> RecordingClock:
    count = max(int(np.ceil(body.end(duration) * NODES)), 2)
    shown = np.maximum.accumulate(clip(body.to_source(np.arange(count + 1) / NODES, 1.0, True), 0.0, duration))
    shown[-1] = duration
    first = int(np.searchsorted(shown, start, side="right"))
    shown = np.concatenate([[start], shown[first:]])
    if len(shown) < 3:
        shown = np.linspace(start, duration, 3)
    moves = np.concatenate([[True], differences(shown) > 1e-9])
    shown = shown[moves]  # where it stood still, its pace is the least one
    paces = gaussian(np.gradient(shown, 1.0 / NODES), ROUND * NODES, ends="reflect")
    flying = _flights(detail, shown)
    paces = clip(paces if flying is None else paces + flying * (1.0 - paces), *PACES)
    even = np.abs(body.goals - body.source).max() < 0.6 / NODES and body.timing_change == 0.0
    if even:
        paces = np.ones(len(shown))
    passed = differences(shown) / (0.5 * (paces[1:] + paces[:-1]))
    nodes = np.concatenate([[0.0], np.cumsum(passed)])
    if not even and (flying is None or not flying.any()):
        nodes, paces = _meet_goals(nodes, shown, paces, body, start)
    clock = RecordingClock(nodes, shown, paces, rate)
    return clock if even else _calm_clock(clock, detail)


def _calm_clock(clock: RecordingClock, detail: Detail) -> RecordingClock:
    """A clock that changes its pace no quicker than a body can, but in flights: as smooth over what is performed.

    Paces were smooth over time as it was before they were; where a slow pace rises it passes sooner.
    """
    end = float(clock.nodes[-1])
    count = max(int(np.ceil(end * NODES)), 2)
    nodes = np.linspace(0.0, end, count + 1)
    shown = clock.to_source(nodes)
    flying, calm = _flights(detail, shown), gaussian(shown, ROUND * NODES, ends="point")
    shown += calm - shown if flying is None else (1.0 - flying) * (calm - shown)
    shown = np.maximum.accumulate(clip(shown, clock.shown[0], clock.shown[-1]))
    shown[0], shown[-1] = clock.shown[0], clock.shown[-1]
    return RecordingClock(nodes, shown, np.gradient(shown, nodes), clock.rate)


def _flights(detail: Detail, shown: Floats) -> Floats | None:
    """``(N,)`` how far the body is in the air at moments of the recording, of nodes; None: nowhere."""
    flying = detail.steps.flying
    return eased_flight(detail.at_times(flying, shown), NODES) if flying.any() else None


def _meet_goals(nodes: Floats, shown: Floats, paces: Floats, body: StrokeClock, start: float) -> tuple[Floats, Floats]:
    """Nodes and their paces with strokes that begin and end when their clock says, as far as paces stay in bounds."""
    inside = body.source > start
    edges = np.concatenate([[start], body.source[inside]])
    wanted = np.concatenate([[0.0], body.goals[inside] - float(np.interp(start, body.source, body.goals))])
    made = nodes + monotone_cubic(edges, wanted - np.interp(edges, shown, nodes), shown)
    steps = differences(made)
    if (steps <= differences(shown) / (2.0 * PACES[1])).any():
        return nodes * (wanted[-1] / nodes[-1]), paces * (nodes[-1] / wanted[-1])
    return made, np.gradient(shown, made)


def arm_clock(phrase: Phrase, side: str, clock: RecordingClock) -> RecordingClock:
    """An arm's own timing within the strokes of the body's clock: the same where it asks for the same timing.

    Its strokes begin and end when the body's clock says; what differs is how the hand speeds up and slows down.
    """
    if clock.unheld is not None and clock.held is not None:
        own_clock = arm_clock(phrase, side, clock.unheld)
        return clock if own_clock is clock.unheld else own_clock.holding(clock.held)
    detail, arm = phrase.detail, phrase.arm(side)
    assert detail is not None
    leads = np.array([lead not in (LEGS_LEAD, REST_LEADS) for lead in detail.strokes.leads])
    timed = any(name in arm.strokes for name in TIMING)
    own_timing = timed and not _same_timing(arm.strokes, body_track(phrase).strokes, leads)
    uniform = phrase.loop or detail.is_short or detail.period is not None
    if uniform or arm.keys is None or not own_timing:
        return clock
    stops = arm.keys.times[arm.keys.stops]
    if len(stops) < 2:
        return clock
    lengths = norms(differences(arm.keys.positions[arm.keys.stops]))
    own = stroke_clock(stops, ARM * lengths, arm, arm.keys.inflections[arm.keys.stops][1:], True, NODES)
    holds = lengths < HOLDS  # which have no timing
    own = replace(
        own,
        inflection=np.where(holds, own.plain, own.inflection),
        time_exponent=np.where(holds, 1.0, own.time_exponent),
        evenness=np.where(holds, 0.0, own.evenness),
        hesitation=np.where(holds, 0.0, own.hesitation),
    )
    goals = clock.to_output(stops)
    goals = goals + 1e-6 * np.arange(len(goals))
    own = replace(own, goals=goals, lead=1.0, tail=1.0)
    nodes = clock.nodes
    inside = (nodes >= goals[0]) & (nodes <= goals[-1])
    shown = np.where(inside, own.to_source(nodes, 1.0, True), clock.shown)
    shown = np.maximum.accumulate(clip(shown, clock.shown[0], clock.shown[-1]))
    pace = clip(gaussian(np.gradient(shown, nodes), ROUND * NODES, ends="reflect"), 0.0, PACES[1])
    return RecordingClock(nodes, shown, pace, clock.rate)


def _same_timing(arm: Mapping[str, Floats], body: Mapping[str, Floats], leads: Bools) -> bool:
    """Whether an arm has one and the same timing in all of its strokes, and the body has it where a part leads it."""
    for name in TIMING:
        others = np.asarray(body.get(name, STROKES[name]), dtype=np.float64)
        others = others[leads] if others.ndim else others
        values = np.concatenate([np.ravel(arm.get(name, STROKES[name])), np.ravel(others)])
        if np.ptp(values) > 1e-9:
            return False
    return True
