"""Channels of a performed recording: what all edits ask of trunk, head, hips, idle arms and hands in every frame.

Everything is a difference from the recorded pose, and leaves room for it: a trunk that is bent already bends less, a
body that crouches sinks less, one that lies or sits keeps its hips, a head that a hand is at turns little.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.engine.ankle_room import sink_room
from kinesphere.engine.channels import INDEX, NAMES, add_channels
from kinesphere.engine.clocks import StrokeClock, stroke_clock
from kinesphere.engine.detail import REST_LEADS, Detail
from kinesphere.engine.hand_contacts import nearness
from kinesphere.engine.idle import IDLE_WAVES, idle_waves
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.recorded_hands import RecordedHand
from kinesphere.engine.recorded_life import ShownLife, chest_turned, mean_radius
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.recorded_referents import windows
from kinesphere.engine.recorded_stillness import lively
from kinesphere.engine.recorded_walk import add_walk
from kinesphere.engine.recording_clock import RecordingClock, body_track, eased
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.recruitment import Moments, add_drives, free_of_shapes, settle_sizes, weigh_strokes
from kinesphere.engine.trunk import STEADY
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, moving_mean, running_maximum
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Floats
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import CHANNELS
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Kind

LEANS, LOOKS_DOWN = (-0.42, 0.58), (-0.70, 0.95)  # radians of trunk and face from upright, to which edits come softly
SINKS_FREELY = 0.6  # of the room that ankles have, of which nothing is held back
SITS_BACK = 0.3  # of how far hips sink that they go back as well
TRUNK_LEVER = 0.4  # metres of the figure that the trunk's weight is above its hips
DEEPEST, LEAST_SINK = 0.20, 0.025  # leg lengths that legs are shorter than straight ones, to which edits come softly
HELD_HEAD = {"head.turn": 0.3, "head.tilt": 0.5, "head.nod": 0.7, "torso.turn": 0.6}  # left of them with a hand at it
LEAST_ROOM = 0.15  # radians that are always left
LYING = 0.35  # of what the trunk is asked for that a body does which lies
IDLE_ARMS, BUSY_ARMS = 0.5, 0.85  # of a posture that hanging arms take while nothing is done, and while something is
AT_HEAD = 1.0  # seconds
SWUNG = 0.5  # metres a second on the mean: of slower strokes less swings on, as recorded hands may creep
AROUND = 1.0  # seconds around a stroke in which it is being done
_ARMS = {i for i, name in enumerate(NAMES) if ".arm." in name}
_HIPS = {INDEX[name] for name in CHANNELS if name.startswith("hips.")}
_HIPS_PLACE = {INDEX[f"hips.{axis}"] for axis in "xyz"}


def recorded_channels(context: PerformanceContext) -> Floats:
    """``(T, C)`` what all edits of a phrase add to channels, in metres of the figure; each channel is contiguous."""
    return _RecordedChannels(context, context.phrase, context.detail, context.clock).table()


@dataclass(frozen=True, eq=False)
class _RecordedChannels:
    """The channels of one performance."""

    context: PerformanceContext
    phrase: Phrase
    detail: Detail
    clock: RecordingClock

    def table(self) -> Floats:
        """``(T, C)`` what all edits add to channels, in metres of the figure."""
        phrase, clock, context = self.phrase, self.clock, self.context
        table = np.zeros((len(NAMES), clock.frames)).T
        add_channels(table, phrase.added_channels, clock.source, phrase.loop)
        self._follow_curves(table)
        if phrase.drives:
            add_drives(table, [self._attentive(drive) for drive in phrase.drives], self._moments(table))
        add_walk(table, phrase, clock)
        restless = (("sway", max(phrase.life - 1.0, 0.0)), ("fidget", phrase.fidget))
        for kind, gain in restless:
            if gain > 0.0:
                phases = None if phrase.seed is None else np.random.default_rng(phrase.seed)
                columns = [INDEX[name] for name in IDLE_WAVES[kind]]
                table[:, columns] += gain * self._idle(kind, phases)
        changed = set(np.flatnonzero((table.T != 0.0).any(axis=1)).tolist())
        _scale(table, changed, LYING + (1.0 - LYING) * context.upright)
        _scale(table, changed & _ARMS, IDLE_ARMS + (BUSY_ARMS - IDLE_ARMS) * self._activity())
        _scale(table, changed & _HIPS, context.stands)
        self._limit_bends(table)
        _scale(table, (changed & _HIPS_PLACE) | {INDEX["hips.z"]}, 1.0 - context.flying)
        return table

    def _idle(self, kind: str, phases: np.random.Generator | None) -> Floats:
        """Sway or fidgeting, the same in every cycle of a loop."""
        frames, period = self.clock.frames, self.detail.period
        if period is None:
            return idle_waves(kind, frames, self.clock.rate, False, phases)
        count = (frames - 1) // self.detail.cycles
        once = idle_waves(kind, count + 1, self.clock.rate, True, phases)
        return np.concatenate([*[once[:-1]] * self.detail.cycles, once[-1:]])

    def _activity(self) -> Floats:
        """``(T,)`` from 0 to 1: whether any part of the body makes a stroke about now."""
        strokes = self.detail.strokes
        edges, acts = self.clock.to_output(strokes.edges), np.zeros(self.clock.frames)
        for lead, start, end in zip(strokes.leads, edges[:-1], edges[1:], strict=True):
            if lead != REST_LEADS:
                first, last = np.searchsorted(self.clock.time, (start - AROUND, end + AROUND))
                acts[first:last] = 1.0
        return gaussian(acts, 0.5 * AROUND * self.clock.rate, ends="hold")

    def _limit_bends(self, table: Floats) -> None:
        """Bend trunk and head less where the recording has bent them already: bodies fold only so far."""
        poses, source = self.detail.poses, self.clock.source
        # Who crouches already sinks less, and who has one foot far behind the other: ankles bend only so far.
        deep, sinks = self.detail.at_times(poses.crouch, source), -np.minimum(table[:, INDEX["hips.y"]], 0.0) / LEG
        room = np.maximum(DEEPEST - deep, LEAST_SINK)
        sunk = self._on_flat_feet(room * np.tanh(sinks / room))
        table[:, INDEX["hips.y"]] += LEG * eased(sinks - sunk, self.clock.rate)
        self._sit_back(table)
        lean, down = (self.detail.at_times(own, source) for own in (poses.lean, poses.gaze_down))
        forward, nod = table[:, INDEX["torso.forward"]], table[:, INDEX["head.nod"]]
        self._ease_into(forward, within_room(forward, lean, LEANS))
        self._ease_into(nod, within_room(nod, down + (1.0 - STEADY[0]) * forward, LOOKS_DOWN))
        # A head that a hand is at turns little: the hand would have to go around with it.
        for side in SIDES:
            at_head = self.detail.at_times(nearness(poses, side), source)
            for referent, weight in windows(self.phrase, side, source, (Kind.TOUCH,)):
                at_head = np.maximum(at_head, weight if referent.joint == "head" else 0.0)
            if at_head.any():
                at_head = eased(at_head, self.clock.rate)
                for name, most in HELD_HEAD.items():
                    table[:, INDEX[name]] *= 1.0 - (1.0 - most) * at_head

    def _sit_back(self, table: Floats) -> None:
        """Bring hips that sink back, and the trunk above them ahead: knees alone would bring the body past its toes."""
        back = SITS_BACK * self._stands() * np.maximum(-table[:, INDEX["hips.y"]], 0.0)
        table[:, INDEX["hips.z"]] -= back
        table[:, INDEX["torso.forward"]] += back / TRUNK_LEVER

    def _stands(self) -> Floats | float:
        """``(T,)`` how far the body does not walk."""
        steps = self.detail.steps
        return 1.0 - self.detail.at_times(steps.walking, self.clock.source) if steps.walks else 1.0

    def _on_flat_feet(self, sinks: Floats) -> Floats:
        """``(T,)`` leg lengths that hips sink, less where heels would rise high; who walks goes over its toes."""
        room = np.maximum(self.detail.at_times(sink_room(self.detail.poses), self.clock.source), LEAST_SINK)
        free = SINKS_FREELY * room
        beyond = np.maximum(sinks - free, 0.0)
        left = room - free
        less = beyond - left * np.tanh(beyond / left)
        return np.asarray(sinks - self._stands() * less)

    def _ease_into(self, column: Floats, limited: Floats) -> None:
        """Take from a column ``(T,)`` what a limit takes, as quickly as a body bends."""
        column -= eased(column - limited, self.clock.rate)

    def _follow_curves(self, table: Floats) -> None:
        """Add what was changed of the lifted curves of torso, head and hips."""
        for part, lifted in self.detail.tracks.items():
            curves = self.phrase.track(part).curves
            for name in {*curves, *lifted.curves}:
                now, was = curves.get(name), lifted.curves.get(name)
                if now == was:
                    continue
                scale = LEG if name in ("hips.x", "hips.y", "hips.z") else 1.0
                for curve, sign in ((now, 1.0), (was, -1.0)):
                    if curve is not None:
                        values = monotone_cubic(curve.times, curve.values, self.clock.source)
                        table[:, INDEX[name]] += sign * scale * values

    def _moments(self, table: Floats) -> Moments:
        """When the strokes of hands and body are, for drives."""
        strokes = self.detail.strokes
        arms = []
        for side, hand in self.context.hands.items():
            goals = _metres(hand)
            fixed = np.zeros(len(goals), dtype=np.bool_)
            times = hand.edges[:-1], hand.edges[1:], hand.peaks
            weighed = weigh_strokes(side, times, goals, hand.lengths, hand.hanging, fixed, fixed, hand.phase)
            speeds = hand.lengths / np.maximum(hand.edges[1:] - hand.edges[:-1], 1e-6)
            swings = weighed.strokes.swings * np.minimum(speeds / SWUNG, 1.0)
            arms.append(weighed._replace(strokes=replace(weighed.strokes, swings=swings)))
        lengths, inflections = self.detail.figure_lengths, strokes.inflections
        body: StrokeClock = stroke_clock(
            strokes.edges, lengths, body_track(self.phrase), inflections, True, self.clock.rate
        )
        body = replace(body, goals=self.clock.to_output(strokes.edges))
        return Moments(
            self.clock.time,
            self.clock.source,
            self.phrase.duration,
            self.clock.rate,
            self.phrase.loop,
            tuple(replace(arm, seen=self._seen_goals(arm.side)) for arm in settle_sizes(arms)),
            body,
            free_of_shapes(table),
            joins=False,
            period=None if self.detail.period is None else float(self.clock.time[-1]) / self.detail.cycles,
            recorded_head=np.stack([self._left_of(own) for own in self.detail.poses.head_turned]),
            recorded_chest=np.stack([self._left_of(own) for own in chest_turned(self.detail)]),
            life=ShownLife(self.detail, self.clock.source, lively(self.context)),
        )

    def _left_of(self, angle: Floats) -> Floats:
        """A recorded angle ``(T,)`` at the moments that are shown, as stillness has left it."""
        shown, left = self.detail.at_times(angle, self.clock.source), lively(self.context)
        if left.min() == 1.0:
            return shown
        calm = self.detail.at_times(moving_mean(angle, mean_radius(self.detail)), self.clock.source)
        return np.asarray(calm + left * (shown - calm))

    def _attentive(self, drive: Drive) -> Drive:
        """Attention without a head that a hand is at, or is soon: it would turn away and back, and the hand with it.

        Nor is what such a head looks at a glance to be taken away.
        """
        if drive.kind != "attention" and not drive.timing.get("gaze"):
            return drive
        held = held_head(self.detail)
        if not held.any():
            return drive
        return replace(drive, amount=drive.amount * (1.0 - self.detail.at_times(held, self.phrase.times)))

    def _seen_goals(self, side: str) -> Floats:
        """``(S + 1, 2)`` radians of a hand's goals to the left and down, from the recorded head in the chest's axes."""
        keys, poses = self.phrase.arm(side).keys, self.detail.poses
        assert keys is not None
        seen = _palm_from_head(poses, side)
        at = np.clip(np.round(keys.times[keys.stops] * poses.motion.rate), 0, len(seen) - 1).astype(np.intp)
        left = np.arctan2(seen[at, 0], np.maximum(seen[at, 2], 0.02))
        return np.stack([left, np.arctan2(-seen[at, 1], np.hypot(seen[at, 0], seen[at, 2]))], axis=1)


def _scale(table: Floats, columns: set[int], factors: Floats) -> None:
    """Multiply some columns of a table ``(T, C)`` by factors ``(T,)``, in place."""
    if columns and (factors != 1.0).any():
        for column in columns:
            table[:, column] *= factors


@memoised
def _palm_from_head(poses: RecordedPoses, side: str) -> Floats:
    """``(T, 3)`` metres of the figure from the head to a palm, in the chest's axes."""
    away = (poses.palm(side) - poses.position("head")) * (ARM / poses.arm_length)
    return rotations.rotate(rotations.conjugate(poses.chest), away)


@memoised
def held_head(detail: Detail) -> Floats:
    """``(T,)`` from 0 to 1: how far a hand is at the head, or is within ``AT_HEAD`` seconds."""
    poses, rate = detail.poses, detail.poses.motion.rate
    near = np.maximum(*(nearness(poses, side) for side in SIDES))
    if detail.period is not None:  # all of a cycle is soon
        return np.full(len(near), near.max())
    return gaussian(running_maximum(near, round(AT_HEAD * rate)), 0.5 * AT_HEAD * rate, ends="hold")


def within_room(added: Floats, recorded: Floats, ends: tuple[float, float]) -> Floats:
    """Added angles ``(T,)`` that come softly to what is left of a range beside the recorded ones."""
    above, below = np.maximum(ends[1] - recorded, LEAST_ROOM), np.maximum(recorded - ends[0], LEAST_ROOM)
    room = np.where(added > 0.0, above, below)
    return np.asarray(room * np.tanh(added / room))


def _metres(hand: RecordedHand) -> Floats:
    """Goals ``(S + 1, 3)`` out, up and ahead of the shoulder, in metres of the figure."""
    return np.asarray(ARM * hand.goals * np.array([SIGN[hand.side], 1.0, 1.0]))
