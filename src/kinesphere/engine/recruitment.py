"""Whole-body recruitment: how trunk, head, gaze, free arm, hips and knees take part in the strokes of the hands.

Each kind of drive (``motion.drive``) is a function of performed time, where strokes begin and arrive:

- **press**: the body's weight. It is drawn up before a stroke, falls while the hand is fastest, lands a moment after
  the hand arrives, and comes back. Blows have it, and neither what prepares them nor what takes the hand back.
- **lift**: the body rises and is held up, and a little more with each stroke.
- **thrust**: turn, lean and hips go with the hand towards its goals, and drive along with its accent.
- **attention**: eyes, head and chest are on the hand's goal before the hand is.
- **glance**: eyes and head go aside now and then, and come back.
- **swing**: trunk and limbs swing on when the hand slows down, and die away. Channels follow each other.
- **wave**: a wave of its own, whatever hands do. Channels follow each other by a quarter of it.
- **hold**: a posture, which comes with the phrase and goes with it.
- **block**: chest, head and shoulders are one: the head goes with the torso, which does less by itself.
- **accents**: as press, without drawing back: nods, shrugs and bounces with the strokes.
- **life**: of a recording alone: how far its joints depart from their means is made more or less of.
- **emphasis**, **stop**: of a recording alone, on its hands (``engine.recorded_hands``): how sharply they go, and
  whether they stop at goals that they passed.

What repeats quickly is smaller: a body has mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np

from kinesphere import _native
from kinesphere.engine.arms import ArmTask
from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.clocks import StrokeClock, StrokePhase
from kinesphere.engine.pose import SIGN, Actor
from kinesphere.engine.posture import upright_shoulder
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.trunk import HEAD, HIPS, STEADY, TAKEN_BACK, TORSO
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, differences, norms, smootherstep, smoothstep
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import CHANNELS, SHAPES
from kinesphere.motion.phrase import Phrase

FULL_STROKE = 0.24  # metres: shorter strokes have less of the body
TO_REST = 0.35  # of it that a hand has which goes down to hang
UPWARDS, DOWNWARDS = 0.4, 0.15  # of the body's weight that a stroke straight up does not have, and one down has more
IN_PLACE = 0.45  # of it that a stroke has whose goal is fixed in the world: the arm has to reach it all the same
FARTHEST = 0.9  # arm lengths that a thrust comes to softly
FULL_GAP = 0.62  # seconds from one arrival to the next: bodies that land more often do not sink as far
FORCE, PREPARES = 0.35, 1.0  # logarithm by which a stroke has to be more forceful than another to be the blow; seconds
RAISED = 0.85  # of its force that a stroke has with which a hand comes up from hanging, or goes down to hang
AWAY = 0.3  # by which a stroke is more forceful that goes straight away from the shoulder
LATER = 0.18  # of the way from the hand's fastest moment to the landing by which the body falls fastest later
FALLS = (0.12, 0.55)  # seconds from the hand's fastest moment until weight has landed, at least and at most
FULL_FALL = 0.20  # seconds likewise: weight that has to land sooner falls less far, as nothing falls faster than freely
COMES_UP = 0.30  # seconds that a body takes at least to come up again for the next stroke
SWINGS_COME = 0.22  # seconds in which swings come
SETTLES = 0.4  # seconds before the end in which weight that has landed comes back
COMES, GOES = 0.65, 0.65  # seconds in which a posture comes, and goes, at the pace that is written
SLOWEST = 2.2  # times as long at most, where everything is slower
SMOOTH = 0.045  # seconds of σ: a trunk has mass
EYES = (0.0, 0.21, 0.06)  # metres: the eyes from the middle between the shoulders, left, up, ahead
FARTHEST_TURN, FARTHEST_NOD = np.radians(62.0), np.radians(52.0)  # of a gaze
BESIDE = (np.radians(75.0), np.radians(100.0))  # goals as far aside as this are not looked at
NEAR = (0.34, 0.44)  # metres from the eyes: hands as near as this are not looked at
HEAD_CALM, CHEST_CALM = 0.07, 0.11  # seconds of σ, over which a head and a chest go to their goals
ONE_FOCUS = 0.9  # of attention that the hand has which does most, in a recording
WATCHED = 0.2  # arm lengths that a hand goes at least, in all, to be looked at
LOOKS = 0.15  # of all that hands do: what is less is looked at less
EYES_TURN, EYES_LIFT = np.radians(24.0), np.radians(22.0)  # of eyes in the head
SETTLED, FIRST = 0.7, 0.3  # of a hold before its end, and seconds before the first stroke: when a gaze may leave
GLANCES = (
    (1.0, -0.25),
    (0.6, 0.40),
    (-0.9, 0.35),
    (-0.45, -0.45),
    (0.8, 0.2),
)  # aside and down, in turn; shares of the amount
# What a standing body can do, in radians and in metres of the figure: channels come to these softly.
_LEAST_AND_MOST = {
    "torso.forward": (-0.42, 0.66), "torso.side": (-0.42, 0.42), "torso.turn": (-0.75, 0.75),
    "head.nod": (-0.60, 0.66), "head.tilt": (-0.48, 0.48), "head.turn": (-1.10, 1.10),
    "eyes.turn": (-0.50, 0.50), "eyes.lift": (-0.40, 0.35),
    "hips.x": (-0.15, 0.15), "hips.y": (-0.26, 0.05), "hips.z": (-0.20, 0.26),
    "hips.turn": (-0.50, 0.50), "hips.tilt": (-0.22, 0.22), "hips.lean": (-0.30, 0.30),
    "clavicle.raise": (-0.22, 0.52), "clavicle.forward": (-0.36, 0.42), "foot.peel": (-0.10, 0.52),
    "arm.out": (-0.26, 0.46), "arm.up": (-0.03, 0.75), "arm.ahead": (-0.30, 0.42), "arm.swivel": (-0.8, 1.3),
}  # fmt: skip
FREELY = 0.7  # of the way to these that nothing is held back
_SIDED = ("arm", "clavicle", "foot", "hand")
_SHAPES = {side: [INDEX[f"{side}.hand.{name}"] for name in SHAPES[1:]] for side in SIGN}  # columns of hand shapes
_LENGTHS = frozenset(INDEX[f"hips.{axis}"] for axis in "xyz")  # in leg lengths


def channels_of(name: str) -> tuple[str, ...]:
    """The channels that a coefficient's name stands for: ``arm_out`` those of both arms, ``left_arm_out`` that one."""
    if (own := name.replace("_", ".")) in CHANNELS:
        return (own,)
    part, _, kind = name.partition("_")
    channel = f"{part}.{kind}"
    return tuple(f"{side}.{channel}" for side in SIGN) if part in _SIDED else (channel,)


# Strokes of hands, in performed time


@dataclass(frozen=True, eq=False)
class HandStrokes:
    """The strokes of one arm. Goals are from the shoulder, out, up and ahead, in arm lengths."""

    side: str
    starts: Floats  # (S,) seconds
    arrivals: Floats  # (S,)
    peaks: Floats  # (S,) when the hand is fastest
    swings: Floats  # (S,) from 0 to 1: how far trunk and limbs swing on after them
    sizes: Floats  # (S,) from 0 to 1 or a little more: how much of the body's weight they deserve
    goals: Floats  # (S + 1, 3) where strokes begin and end
    hangs: Bools  # (S + 1,) whether the hand hangs there
    fixed: Bools  # (S + 1,) whether the goal is in the world, or with another joint than the chest
    phase: StrokePhase
    seen: Floats | None = (
        None  # (S + 1, 2) radians of goals to the left and down, as a recording has them from its head
    )

    @cached_property
    def gaze_goals(self) -> Floats:
        """``(S + 1, 6)`` of each goal how far left and down it is, whether one looks, and by the chest; and when.

        Nobody looks at the own hand at the chest or at the mouth: eyes are where it goes next, or has been.
        """
        shoulder = np.array([0.18, 0.0, 0.0])
        places = ARM * self.goals + shoulder
        places[:, 0] *= SIGN[self.side]
        away = places - np.array(EYES)
        left = np.arctan2(away[:, 0], np.maximum(away[:, 2], 0.05))
        down = np.arctan2(-away[:, 1], np.maximum(np.hypot(away[:, 0], away[:, 2]), 0.05))
        if self.seen is not None:
            left, down = self.seen.T
        seen = 1.0 - smoothstep((np.abs(left) - BESIDE[0]) / (BESIDE[1] - BESIDE[0]))
        left, down = clip(seen * left, -FARTHEST_TURN, FARTHEST_TURN), clip(seen * down, -FARTHEST_NOD, FARTHEST_NOD)
        looks = np.where(self.hangs, 0.0, 1.0)
        far = looks * smoothstep((norms(away) - NEAR[0]) / (NEAR[1] - NEAR[0]))
        when = np.append(0.0, self.arrivals), np.append(self.starts, self.arrivals[-1:])  # the hand is there
        made = far[:, None] * np.stack([left, down, np.ones(len(left)), np.where(self.fixed, 0.0, 1.0), *when], axis=1)
        _native.recruitment.look_elsewhere(looks, made)
        return np.asarray(made)


class Life(Protocol):
    """How a recording's joints depart from their means (``engine.recorded_life``)."""

    def of(self, channel: str, more: bool) -> Floats | None:
        """``(T,)`` of a channel, bounded softly for making more of it; None: that channel has none."""
        ...


class Accents(NamedTuple):
    """Strokes of both hands: when they begin, arrive and are fastest, and how much of the body each deserves."""

    starts: Floats  # (A,)
    arrivals: Floats
    peaks: Floats
    sizes: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """One performance: its frames, and the strokes of its hands."""

    time: Floats  # (T,) seconds
    source: Floats  # (T,) seconds of the phrase's own time
    duration: float  # of the phrase, in its own time
    rate: float
    loop: bool
    arms: tuple[HandStrokes, ...]
    body: StrokeClock
    shapeless: Mapping[str, Floats]  # (T,) of each side how far its hand has no shape of its own
    joins: bool = True  # whether it begins and ends as a relaxed body does, so that phrases follow each other
    period: float | None = None  # seconds of one cycle, of a loop that is performed over several
    # (2, T) of a recording: how far its head is turned to the left and bent down, seen from its chest
    recorded_head: Floats | None = None
    # (2, T) likewise of the chest itself, from where the body faces on the mean
    recorded_chest: Floats | None = None
    life: Life | None = None  # of a recording

    @cached_property
    def batch(self) -> Batch:
        """These frames by themselves, for smoothing and delays."""
        return Batch((len(self.time),), (self.loop,), self.rate)

    @cached_property
    def accents(self) -> Accents:
        """The strokes of both hands, or of the body where no hand has any."""
        if self.arms:
            rows = ([getattr(arm, name) for arm in self.arms] for name in Accents._fields)
            return Accents(*(np.concatenate(row) for row in rows))
        goals = self.body.goals
        starts, arrivals = goals[:-1], goals[1:]
        sizes = np.append(np.ones(len(goals) - 2), TO_REST) if len(goals) > 2 else np.zeros(len(goals) - 1)
        return Accents(
            starts,
            arrivals,
            0.5 * (starts + arrivals),
            sizes * _unhurried(arrivals, sizes, np.zeros(len(sizes), dtype=np.intp)),
        )

    @cached_property
    def presence(self) -> Floats:
        """``(T,)`` from 0 to 1: how far a posture is there.

        It comes and goes where hands hang at the start and at the end, so that phrases join. A loop keeps it, and so
        do a hand that is left in the air and a recording.
        """
        if self.loop or not self.joins:
            return np.ones(len(self.time))
        made, end = np.ones(len(self.time)), float(self.time[-1])
        pace = min(max(end / max(self.duration, 1e-6), 1.0), SLOWEST)
        if all(arm.hangs[0] for arm in self.arms):
            made *= ramp(self.time, 0.0, max(min(pace * COMES, 0.4 * end), 1e-6))
        if all(arm.hangs[-1] for arm in self.arms):
            made *= 1.0 - ramp(self.time, end - min(pace * GOES, 0.4 * end), end + 1e-9)
        return made

    @cached_property
    def settled(self) -> Floats:
        """``(T,)`` 1, and 0 at both ends: what lands with a stroke is over when the performance is."""
        if self.loop:
            return np.ones(len(self.time))
        end = float(self.time[-1])
        edge = min(SETTLES, 0.3 * end)
        return np.asarray(ramp(self.time, 0.0, max(edge, 1e-6)) * (1.0 - ramp(self.time, end - edge, end + 1e-9)))

    @cached_property
    def shares(self) -> Floats:
        """``(A,)`` of the body that each arm has, together 1: by how far they go."""
        ways = np.array([float(norms(differences(arm.goals)).sum()) for arm in self.arms]) + 1e-9
        return np.asarray(ways * ways / (ways @ ways))

    @cached_property
    def watched(self) -> Floats:
        """``(A,)`` of attention that each arm has: between two hands that do as much there is nothing to look at.

        Nobody watches a hand of a recording that rests.
        """
        if self.recorded_head is None:
            return self.shares
        most = np.where(np.arange(len(self.arms)) == np.argmax(self.shares), ONE_FOCUS, 1.0 - ONE_FOCUS)
        return most * [float(norms(differences(arm.goals)).sum()) > WATCHED for arm in self.arms]

    @cached_property
    def turned_chest(self) -> Floats:
        """``(2, T)`` how far the chest of a recording is turned to the left and bent down by itself."""
        return np.zeros((2, len(self.time))) if self.recorded_chest is None else self.recorded_chest

    def calmed(self, values: Floats, seconds: float) -> Floats:
        """Values ``(T, N)`` smoothed by a σ; where a recorded cycle goes round, as it does."""
        if self.period is None or self.recorded_head is None:
            return self.batch.smooth(values, seconds)
        cycles = max(round(float(self.time[-1]) / self.period), 1)
        count = (len(values) - 1) // cycles
        first = (cycles // 2) * count
        once = gaussian(values[first : first + count + 1], seconds * self.rate, ends="wrap")
        return np.concatenate([np.tile(once[:-1], (cycles, 1)), once[-1:]])

    def amount(self, drive: Drive) -> Floats:
        """``(T,)`` or ``()`` a drive's amount in every frame."""
        return drive.amount if drive.amount.ndim == 0 else sample_rows(drive.amount, self.source, self.loop)


def _unhurried(arrivals: Floats, force: Floats, arms: Ints) -> Floats:
    """``(S,)`` factors of accents by how soon others come before and after them, of strokes of one or both arms.

    The more forceful of two strokes keeps its weight, and takes the other's: a body lands with the blow, and neither
    with what prepares it nor with the hand that is taken back. Two arms may do the same at the same time.
    """
    order = np.argsort(arrivals, kind="stable")
    times, strength, own = arrivals[order], np.log(np.maximum(force[order], 1e-6)) / FORCE, arms[order]
    factors = np.ones(len(order))
    _native.recruitment.unhurry(times, strength, own, FULL_GAP, PREPARES, factors)
    made = np.empty(len(order))
    made[order] = factors
    return made


def _fastest(phase: StrokePhase, starts: Floats, arrivals: Floats, rate: float) -> Floats:
    """``(S,)`` seconds at which a hand is fastest in each stroke: the mean of its time, by its speed to the power 4."""
    stroke = phase.stroke[1:]
    gone = np.where(stroke == phase.stroke[:-1], np.maximum(differences(phase.path_share), 0.0), 0.0)
    weights = (gone * gone) ** 2
    total = np.bincount(stroke, weights, len(starts))
    moments = np.bincount(stroke, weights * (np.arange(len(stroke)) + 0.5) / rate, len(starts))
    found = np.where(total > 0.0, moments / np.maximum(total, 1e-30), arrivals)
    return np.asarray(clip(found, starts, arrivals))


def moments_of(
    phrase: Phrase,
    actor: Actor,
    tasks: Mapping[str, ArmTask],
    body: StrokeClock,
    source: Floats,
    rate: float,
    table: Floats,
) -> Moments:
    """The moments of one performance with frames at times ``source (T,)`` of the phrase, and channels ``(T, C)``."""
    arms: list[WeighedStrokes] = []
    for side, task in tasks.items():
        plan, phase = task.plan, task.phase
        if plan is None or phase is None:
            continue
        mirror = np.array([SIGN[side], 1.0, 1.0])
        fixed = plan.fixed[plan.edges]
        moved = np.where(fixed[:, None], upright_shoulder(actor), 0.0)
        goals = plan.positions[plan.edges] / actor.arm_size * mirror - moved
        starts, arrivals = plan.clock.goals[:-1], plan.clock.goals[1:]
        times = starts, arrivals, _fastest(phase, starts, arrivals, rate)
        placed = fixed | bool(plan.fixed_vias)
        arms.append(weigh_strokes(side, times, goals, plan.lengths, plan.relaxed[plan.edges], fixed, placed, phase))
    time = np.arange(len(source)) / rate
    shapeless = free_of_shapes(table)
    return Moments(time, source, phrase.duration, rate, phrase.loop, settle_sizes(arms), body, shapeless)


def free_of_shapes(table: Floats) -> dict[str, Floats]:
    """Of each side ``(T,)`` how far its hand has no shape of its own in channels ``(T, C)``."""
    return {side: 1.0 - clip(table[:, own].sum(axis=1), 0.0, 1.0) for side, own in _SHAPES.items()}


class WeighedStrokes(NamedTuple):
    """The strokes of one arm, and how forceful each is."""

    strokes: HandStrokes
    forces: Floats  # (S,)


def weigh_strokes(
    side: str,
    times: tuple[Floats, Floats, Floats],
    goals: Floats,
    lengths: Floats,
    hangs: Bools,
    fixed: Bools,
    placed: Bools,
    phase: StrokePhase,
) -> WeighedStrokes:
    """An arm's strokes with how much of the body's weight each deserves by itself.

    ``times`` are starts, arrivals and fastest moments ``(S,)`` in performed seconds, ``goals (S + 1, 3)`` are out, up
    and ahead of the shoulder and ``lengths (S,)`` likewise in metres of the figure; ``hangs``, ``fixed`` in the world
    and ``placed`` ``(S + 1,)`` are as in ``HandStrokes``.
    """
    starts, arrivals, _ = times
    long = smoothstep(lengths / FULL_STROKE) * np.where(hangs[1:], TO_REST, 1.0)
    ways = np.maximum(norms(differences(goals)), 1e-6)
    rises, away = differences(goals[:, 1]) / ways, differences(norms(goals)) / ways
    steep = 1.0 - UPWARDS * np.maximum(rises, 0.0) + DOWNWARDS * np.maximum(-rises, 0.0)
    blow = np.where(hangs[:-1] | hangs[1:], RAISED, steep * (1.0 + AWAY * away))
    forces = long * blow * lengths / np.maximum(arrivals - starts, 1e-6)
    sizes = long * steep * np.where(fixed[1:], IN_PLACE, 1.0)
    return WeighedStrokes(HandStrokes(side, *times, long, sizes, goals / ARM, hangs, placed, phase), forces)


def settle_sizes(arms: Sequence[WeighedStrokes]) -> tuple[HandStrokes, ...]:
    """The strokes of both arms with less weight where others come soon before or after."""
    if not arms:
        return ()
    counts = [len(own.forces) for own in arms]
    every = (
        np.concatenate([own.strokes.arrivals for own in arms]),
        np.concatenate([own.forces for own in arms]),
        np.repeat(range(len(arms)), counts),
    )
    unhurried = np.split(_unhurried(*every), np.cumsum(counts)[:-1])
    return tuple(
        replace(own.strokes, sizes=own.strokes.sizes * factors) for own, factors in zip(arms, unhurried, strict=True)
    )


# Kinds of drives: each adds to a table of channels (T, C)


def add_drives(table: Floats, drives: Sequence[Drive], moments: Moments) -> None:
    """Let the body take part: adds to channels ``(T, C)`` what each drive asks for, within what a body can do."""
    before = table.T[_LIMITED]
    for drive in sorted(drives, key=lambda own: _ORDER[own.kind]):
        KINDS[drive.kind](table, drive, moments)
    made = table.T[_LIMITED]
    far = (made.max(axis=1) > FREELY * _MOST[_LIMITED]) | (made.min(axis=1) < FREELY * _LEAST[_LIMITED])
    for column, values, own in zip(_LIMITED[far].tolist(), made[far], before[far], strict=True):
        low, high = np.minimum(_LEAST[column], own), np.maximum(_MOST[column], own)  # a gesture may go further
        for beyond, limit, sign in ((values - FREELY * high, high, 1.0), (FREELY * low - values, -low, -1.0)):
            beyond = np.maximum(beyond, 0.0)
            if beyond.any():
                room = np.maximum((1.0 - FREELY) * limit, 1e-9)
                table[:, column] += sign * (room * np.tanh(beyond / room) - beyond)


_LIMITS = [_LEAST_AND_MOST.get(name.removeprefix("left.").removeprefix("right.")) for name in INDEX]
_LEAST = np.array([-np.inf if own is None else own[0] for own in _LIMITS])
_MOST = np.array([np.inf if own is None else own[1] for own in _LIMITS])
_LIMITED = np.flatnonzero(np.isfinite(_MOST))


def _add(table: Floats, channel: str, values: Floats) -> None:
    column = INDEX[channel]
    table[:, column] += values * LEG if column in _LENGTHS else values


def _add_all(table: Floats, drive: Drive, curve: Floats, moments: Moments) -> None:
    for channel, share in drive.channels.items():
        side, _, name = channel.partition(".hand.")
        free = moments.shapeless[side] if name in SHAPES else 1.0  # a shape that a gesture asks for has a meaning
        _add(table, channel, share * curve * free)


class Pulses(NamedTuple):
    """Weight that lands with A strokes: when, half of how long it falls, how much, and how long it recovers."""

    low: Floats  # (A,) seconds
    half: Floats
    sizes: Floats  # from 0 to 1 or a little more
    recover: Floats


def _pulses(arm: HandStrokes | Accents, timing: Mapping[str, float]) -> Pulses:
    """The pulses of an arm's strokes.

    Weight falls fastest when the hand is fastest, and has landed a moment after the hand. It comes back in time for the
    next stroke, as far as that one deserves it.
    """
    low = arm.arrivals + timing["delay"]
    half = clip((1.0 - LATER) * (low - arm.peaks), *FALLS)
    sizes = arm.sizes * np.minimum((half / FULL_FALL) ** 2, 1.0)
    recover = np.maximum(timing["recover"], 0.8 * half)
    if len(sizes) > 1:
        room = np.maximum((low - 2.0 * half)[1:] - low[:-1], COMES_UP)
        wanted = clip(sizes[1:] / np.maximum(sizes[:-1], 1e-6), 0.0, 1.0)
        recover[:-1] -= wanted * np.maximum(recover[:-1] - room, 0.0)
    return Pulses(low, half, sizes, recover)


def _landing(drive: Drive, moments: Moments) -> tuple[Floats, Floats]:
    """Weight that lands with the strokes of both hands, and what is drawn up before: ``(T,)`` each, below 1."""
    found = [_pulses(arm, drive.timing) for arm in moments.arms or (moments.accents,)]
    pulses = found[0] if len(found) == 1 else Pulses(*(np.concatenate(rows) for rows in zip(*found, strict=True)))
    if drive.timing.get("first"):  # who is startled is so once, whatever the hand does
        kept = pulses.sizes > 1e-3
        kept &= pulses.low == pulses.low[kept].min(initial=np.inf)
        pulses = Pulses(*(row[kept] for row in pulses))._replace(sizes=np.ones(int(kept.sum())))
    landed, drawn = np.empty((2, len(moments.time)))
    _native.recruitment.land(moments.time, pulses, landed, drawn)
    return moments.settled * landed, moments.settled * drawn


def _press(table: Floats, drive: Drive, moments: Moments) -> None:
    landed, drawn = _landing(drive, moments)
    _add_all(table, drive, moments.amount(drive) * (landed - drive.timing["draw_back"] * drawn), moments)


def _accents(table: Floats, drive: Drive, moments: Moments) -> None:
    _add_all(table, drive, moments.amount(drive) * _landing(drive, moments)[0], moments)


def _lift(table: Floats, drive: Drive, moments: Moments) -> None:
    starts, arrivals, _, sizes = moments.accents
    middle, half = 0.5 * (starts + arrivals), np.maximum(0.5 * (arrivals - starts), 0.15)
    carried = np.empty(len(moments.time))
    _native.recruitment.carry(moments.time, middle - drive.timing["lead"], 1.3 * half, sizes, carried)
    held = drive.timing["held"]
    _add_all(table, drive, moments.amount(drive) * moments.presence * (held + (1.0 - held) * carried), moments)


def _thrust(table: Floats, drive: Drive, moments: Moments) -> None:
    """Channels are named with what they go by: ``torso.turn.ahead``. Turns and sides are towards the arm's own side.

    With each stroke's accent the trunk drives along: back before the hand is fastest, on after it, and back again.
    """
    if not moments.arms:
        return
    ahead, ways = round(drive.timing["lead"] * moments.rate), []
    for arm, weight in zip(moments.arms, moments.shares, strict=True):
        there = np.where(arm.hangs | arm.fixed, 0.0, 1.0)  # a body that comes nearer folds the arm
        by = weight * there[:, None] * FARTHEST * np.tanh((arm.goals + np.array([0.0, 0.35, 0.0])) / FARTHEST)
        way = np.empty((len(moments.time), 3))
        phase = (np.ascontiguousarray(row) for row in (arm.phase.stroke, arm.phase.path_share))
        _native.recruitment.go_ways(*phase, by, ahead, moments.loop, way)
        accents = moments.time, _pulses(arm, drive.timing), drive.timing["draw_back"]
        kicks = np.empty_like(way)
        _native.recruitment.kick(*accents, drive.timing["accent"] * differences(by), kicks)
        ways.append(drive.timing["held"] * way + moments.settled[:, None] * kicks)
    amount = moments.amount(drive) * moments.presence
    smooth = np.reshape(amount, (-1, 1)) * moments.batch.smooth(np.concatenate(ways, axis=1), SMOOTH)
    for i, arm in enumerate(moments.arms):
        for name, own in drive.channels.items():
            channel, _, component = name.rpartition(".")
            curve = smooth[:, 3 * i + _COMPONENTS[component]]
            for channel_of_arm, sign in _of_arm(channel, component, arm.side):
                _add(table, channel_of_arm, sign * own * curve)


_COMPONENTS = MappingProxyType({"out": 0, "up": 1, "ahead": 2})


@lru_cache(maxsize=256)
def _of_arm(channel: str, component: str, side: str) -> tuple[tuple[str, float], ...]:
    """The channels that a thrust of one arm adds to, with their signs: turns and shifts, and the other arm."""
    sign, other = SIGN[side], "right" if side == "left" else "left"
    if channel in ("torso.turn", "hips.turn"):  # an arm that reaches ahead brings its shoulder along
        return ((channel, -sign if component == "ahead" else sign),)
    if channel in ("torso.side", "hips.x"):
        return ((channel, sign),)
    if channel.startswith("clavicle"):
        return ((f"{side}.{channel}", 1.0),)
    if channel.startswith("arm"):
        return ((f"{other}.{channel}", 1.0),)
    return ((channel, 1.0),)


def _swing(table: Floats, drive: Drive, moments: Moments) -> None:
    """Limbs and trunk swing on when the hand slows down, towards where it was going, and die away."""
    rate, fades, lag = (drive.timing[name] for name in ("rate", "fades", "lag"))
    swung = np.zeros(len(moments.time))
    for arm in moments.arms:
        ways = differences(arm.goals)
        towards = np.where(np.abs(ways[:, 0]) > 0.6 * np.abs(ways[:, 2]), SIGN[arm.side] * ways[:, 0], ways[:, 2])
        sizes = arm.swings * np.sign(towards)
        _native.recruitment.swing(moments.rate, arm.peaks, sizes, float(rate), float(fades), SWINGS_COME, swung)
    swung = np.tanh(swung)
    amount = moments.amount(drive) * moments.settled
    for i, (channel, share) in enumerate(drive.channels.items()):
        _add(table, channel, share * amount * (moments.batch.delay(swung, lag * i) if i else swung))


# Attention


def _heading(table: Floats) -> tuple[Floats, Floats]:
    """``(T,)`` how far the head is turned to the left and bent down in the world, without the eyes."""
    torso, hips = (table[:, [INDEX[name] for name in names]] for names in (TORSO, HIPS))
    left = (1.0 - STEADY[2]) * torso[:, 2] + (1.0 - TAKEN_BACK[2]) * (1.0 - STEADY[2]) * hips[:, 2]
    down = (1.0 - STEADY[0]) * torso[:, 0] + (1.0 - TAKEN_BACK[0]) * (1.0 - STEADY[0]) * hips[:, 0]
    return left + table[:, INDEX["head.turn"]], down + table[:, INDEX["head.nod"]]


def _turned_face(table: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """``(T,)`` likewise with what was recorded: of a chest that sways the face does not sway."""
    turned, bent = _heading(table)
    if moments.recorded_head is not None:
        (left, down), (chest_left, chest_down) = moments.recorded_head, moments.turned_chest
        turned, bent = turned + left + chest_left, bent + down + chest_down
    return turned, bent


def _facing(table: Floats) -> tuple[Floats, Floats]:
    """``(T,)`` how far the chest is turned to the left and bent down in the world."""
    torso, hips = (table[:, [INDEX[name] for name in names]] for names in (TORSO, HIPS))
    left, down = (torso[:, i] + (1.0 - TAKEN_BACK[i]) * hips[:, i] for i in (2, 0))
    return left, down


def _add_watched(made: Floats, weight: float, arm: HandStrokes, lead: float, facing: Floats, moments: Moments) -> None:
    """Add to ``(T, 3)`` how far left and down the hand's goal is, and whether there is one.

    The chest is turned left and bent down by ``facing (2, T)``.


    The gaze goes to the next goal before the hand sets out, but not before the hand has come where it is. A goal
    that goes with the chest is where it will be when the hand arrives, and where it is now while the hand is there.
    """
    held = np.where(norms(differences(arm.goals)) < 1e-3, arm.arrivals - arm.starts, 0.0)
    before = SETTLED * np.concatenate([[FIRST], held[:-1]])
    leave = np.concatenate([[-np.inf], arm.starts - np.minimum(lead, before)])
    _native.recruitment.look(moments.time, moments.rate, leave, arm.gaze_goals, facing, weight, made)


def _attention(table: Floats, drive: Drive, moments: Moments) -> None:
    if not moments.arms:
        return
    amount, timing = moments.amount(drive) * moments.presence, drive.timing
    facing = np.zeros((2, len(moments.time)))

    def towards(lead: float, seconds: float) -> Floats:
        """``(T, 3)`` how far left and down the goals of both hands are, and whether there are any, ``lead`` before."""
        made = np.zeros((len(moments.time), 3))
        for weight, arm in zip(moments.watched, moments.arms, strict=True):
            _add_watched(made, float(weight), arm, lead, facing, moments)
        made /= np.maximum(made[:, 2:], LOOKS)  # where one hand does nothing that is looked at, the other has it all
        return moments.calmed(made, seconds)

    turn = timing["chest"] * amount * towards(timing["chest_lead"], timing.get("calm", CHEST_CALM))[:, 0]
    _add(table, "torso.turn", turn)
    _add(table, "hips.turn", 0.35 * turn)
    facing[:] = _facing(table) + moments.turned_chest
    eyes, head = towards(timing["eyes_lead"], 0.03), towards(timing["head_lead"], timing.get("calm", HEAD_CALM))
    for gaze in (eyes, head):
        gaze[:, 0] = clip(gaze[:, 0], -FARTHEST_TURN, FARTHEST_TURN)
        gaze[:, 1] = clip(gaze[:, 1], -FARTHEST_NOD, FARTHEST_NOD)
    turned, bent = _turned_face(table, moments)  # what it looks at already needs no turn
    share = timing["head"]
    _add(table, "head.turn", amount * (share * head[:, 0] - head[:, 2] * turned))
    _add(table, "head.nod", amount * (share * head[:, 1] - head[:, 2] * bent))
    turned, bent = _turned_face(table, moments)
    there = amount * eyes[:, 2]
    table[:, INDEX["eyes.turn"]] *= 1.0 - there
    table[:, INDEX["eyes.lift"]] *= 1.0 - there
    _add(table, "eyes.turn", there * clip(eyes[:, 0] - turned, -EYES_TURN, EYES_TURN))
    _add(table, "eyes.lift", -there * clip(eyes[:, 1] - bent, -EYES_LIFT, EYES_LIFT))


def _glance(table: Floats, drive: Drive, moments: Moments) -> None:
    every, longest, share = (drive.timing[name] for name in ("every", "lasts", "head"))
    end = float(moments.time[-1]) if moments.period is None else moments.period
    count = max(int(end / every), 1)
    order = np.arange(count)
    middles = (order + 0.5 + 0.18 * np.cos(2.4 * order)) * end / count  # no clockwork
    lasts = min(longest, 0.7 * end / count) * (0.85 + 0.3 * np.cos(1.7 * order + 0.5))
    aside, down = (np.array([GLANCES[i % len(GLANCES)][k] for i in range(count)]) for k in range(2))
    if moments.period is not None:  # the same in every cycle
        cycles = round(float(moments.time[-1]) / end)
        middles = np.concatenate([middles + k * end for k in range(cycles)])
        lasts, aside, down = (np.tile(row, cycles) for row in (np.broadcast_to(lasts, count), aside, down))
    eyes = _looks(moments, middles, lasts, 0.10, aside, down)
    head = _looks(moments, middles + 0.07, lasts, 0.24, aside, down)
    amount = moments.amount(drive) * moments.presence
    for part, (looks_aside, looks_down), size in (("head", head, share), ("eyes", eyes, 1.0 - share)):
        _add(table, f"{part}.turn", amount * size * looks_aside)
        name, sign = ("head.nod", 1.0) if part == "head" else ("eyes.lift", -1.0)
        _add(table, name, sign * amount * size * looks_down)
    _add(table, "head.tilt", -0.35 * amount * head[0])


def _looks(
    moments: Moments, middles: Floats, lasts: Floats, turns: float, aside: Floats, down: Floats
) -> tuple[Floats, Floats]:
    """``(T,)`` aside and down: looks ``(G,)`` of ``lasts`` seconds about their middles, that take ``turns`` each."""
    made = np.zeros((2, len(moments.time)))
    half = 0.5 * (lasts + turns)
    first = np.searchsorted(moments.time, middles - half)
    end = np.searchsorted(moments.time, middles + half)
    for g, rows in enumerate(map(slice, first.tolist(), end.tolist())):
        away = np.abs(moments.time[rows] - middles[g])
        weight = 1.0 - smootherstep((away - 0.5 * (lasts[g] - turns)) / turns)
        made[0, rows] += weight * aside[g]
        made[1, rows] += weight * down[g]
    return made[0], made[1]


# Waves, postures, and bodies that are one block


def _wave(table: Floats, drive: Drive, moments: Moments) -> None:
    end = max(float(moments.time[-1]), 1.0 / moments.rate)
    rate = drive.timing["rate"]
    if moments.loop or moments.period is not None:
        cycle = end if moments.period is None else moments.period
        rate = max(round(rate * cycle), 1) / cycle
    amount = moments.amount(drive) * moments.presence
    angle = 2.0 * np.pi * (rate * moments.time + drive.timing.get("phase", 0.0))
    for i, (channel, share) in enumerate(drive.channels.items()):
        lag = drive.timing.get("lag", 0.0) * i
        _add_all(table, replace(drive, channels={channel: share}), amount * np.sin(angle - lag), moments)


def _hold(table: Floats, drive: Drive, moments: Moments) -> None:
    _add_all(table, drive, moments.amount(drive) * moments.presence, moments)


def _block(table: Floats, drive: Drive, moments: Moments) -> None:
    amount = moments.amount(drive) * moments.presence
    less = 1.0 - amount
    for name in ("head.turn", "head.tilt", "head.nod"):
        table[:, INDEX[name]] *= less
    for name in TORSO:
        table[:, INDEX[name]] *= 1.0 - 0.5 * amount
    for i, (head, torso, hips) in enumerate(zip(("head.nod", "head.tilt", "head.turn"), TORSO, HIPS, strict=True)):
        held = table[:, INDEX[torso]] + (1.0 - TAKEN_BACK[i]) * table[:, INDEX[hips]]
        table[:, INDEX[head]] += amount * STEADY[i] * held


def _life(table: Floats, drive: Drive, moments: Moments) -> None:
    """More or less of what the recording does: with ``timing["gaze"]`` of where the face is turned, by the head."""
    if moments.life is None:
        return
    amount, of_gaze = moments.amount(drive), bool(drive.timing.get("gaze"))
    for channel, share in drive.channels.items():
        own = moments.life.of(channel.replace("head.", "gaze.") if of_gaze else channel, share > 0.0)
        if own is None:
            continue
        added = share * amount * own
        _add(table, channel, added)
        if channel in TORSO and not of_gaze:  # the head, which would take back some of it, does its own
            i = TORSO.index(channel)
            table[:, INDEX[HEAD[i]]] += STEADY[i] * added


def _nothing(table: Floats, drive: Drive, moments: Moments) -> None:
    """Of hands alone."""


KINDS: Mapping[str, Callable[[Floats, Drive, Moments], None]] = MappingProxyType(
    {
        "thrust": _thrust,
        "press": _press,
        "accents": _accents,
        "lift": _lift,
        "swing": _swing,
        "wave": _wave,
        "hold": _hold,
        "block": _block,
        "life": _life,
        "emphasis": _nothing,
        "stop": _nothing,
        "attention": _attention,
        "glance": _glance,
    }
)
_ORDER = {kind: i for i, kind in enumerate(KINDS)}  # attention knows where the trunk has turned the head
