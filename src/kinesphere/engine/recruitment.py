"""Whole-body recruitment: how trunk, head, gaze, free arm, hips and knees take part in the strokes of the hands.

Each kind of drive (``motion.drive``) is a function of performed time, where strokes begin and arrive:

- **press**: the body's weight. It is drawn up before a stroke, lands a moment after the hand arrives, and comes back.
- **lift**: the body rises and is held up, and a little more with each stroke.
- **thrust**: turn, lean and hips go with the hand towards its goals, somewhat ahead of it.
- **attention**: eyes, head and chest are on the hand's goal before the hand is.
- **glance**: eyes and head go aside now and then, and come back.
- **swing**: trunk and limbs swing on after each arrival, and die away. Channels follow each other.
- **wave**: a wave of its own, whatever hands do. Channels follow each other by a quarter of it.
- **hold**: a posture, which comes with the phrase and goes with it.
- **block**: chest, head and shoulders are one: the head goes with the torso, which does less by itself.
- **accents**: as press, without drawing back: nods, shrugs and bounces with the strokes.

What repeats quickly is smaller: a body has mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from types import MappingProxyType

import numpy as np

from kinesphere import _native
from kinesphere.engine.arms import ArmTask
from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.clocks import StrokeClock, StrokePhase
from kinesphere.engine.pose import SIGN, Actor
from kinesphere.engine.posture import upright_shoulder
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.trunk import HIPS, STEADY, TAKEN_BACK, TORSO
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Bools, Floats, clip, differences, norms, smootherstep, smoothstep
from kinesphere.motion.drive import Drive
from kinesphere.motion.gesture import SHAPES
from kinesphere.motion.phrase import Phrase

FULL_STROKE = 0.24  # metres: shorter strokes have less of the body
TO_REST = 0.35  # of it that a hand has which goes down to hang
UPWARDS = 0.6  # of the body's weight that a stroke straight up does not have
IN_PLACE = 0.3  # of it that a stroke has whose goal is fixed in the world: the arm has to reach it all the same
FULL_GAP = 0.42  # seconds from one arrival to the next: bodies that land more often do not sink as far
RISES = (0.16, 0.75)  # seconds that weight takes to land, at least and at most
SWINGS_EARLY, SWINGS_COME = 0.05, 0.22  # seconds before an arrival, and in which they come
SETTLES = 0.4  # seconds before the end in which weight that has landed comes back
COMES, GOES = 0.65, 0.65  # seconds in which a posture comes, and goes, at the pace that is written
SLOWEST = 2.2  # times as long at most, where everything is slower
SMOOTH = 0.045  # seconds of σ: a trunk has mass
EYES = (0.0, 0.21, 0.06)  # metres: the eyes from the middle between the shoulders, left, up, ahead
FARTHEST_TURN, FARTHEST_NOD = np.radians(62.0), np.radians(52.0)  # of a gaze
BESIDE = (np.radians(48.0), np.radians(68.0))  # goals as far aside as this are not looked at
EYES_TURN, EYES_LIFT = np.radians(24.0), np.radians(22.0)  # of eyes in the head
SETTLED, FIRST = 0.7, 0.3  # of a hold before its end, and seconds before the first stroke: when a gaze may leave
OTHER_ARM = 0.5  # of the body that each of two arms has when both act
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
    """The channels that a coefficient's name stands for: ``arm_out`` those of both arms."""
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
    sizes: Floats  # (S,) from 0 to 1: how much of the body a stroke deserves
    goals: Floats  # (S + 1, 3) where strokes begin and end
    hangs: Bools  # (S + 1,) whether the hand hangs there
    fixed: Bools  # (S + 1,) whether the goal is in the world, or with another joint than the chest
    phase: StrokePhase

    @cached_property
    def gaze_goals(self) -> Floats:
        """``(S + 1, 4)`` how far to the left and down a gaze on each goal is, whether it is looked at, and whether it
        goes with the chest.
        """
        shoulder = np.array([0.18, 0.0, 0.0])
        places = ARM * self.goals + shoulder
        places[:, 0] *= SIGN[self.side]
        away = places - np.array(EYES)
        left = np.arctan2(away[:, 0], np.maximum(away[:, 2], 0.05))
        down = np.arctan2(-away[:, 1], np.maximum(np.hypot(away[:, 0], away[:, 2]), 0.05))
        seen = 1.0 - smoothstep((np.abs(left) - BESIDE[0]) / (BESIDE[1] - BESIDE[0]))  # who waves looks ahead
        left, down = clip(seen * left, -FARTHEST_TURN, FARTHEST_TURN), clip(seen * down, -FARTHEST_NOD, FARTHEST_NOD)
        looks = np.where(self.hangs, 0.0, 1.0)
        return np.stack([left * looks, down * looks, looks, looks * ~self.fixed], axis=1)


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

    @cached_property
    def batch(self) -> Batch:
        """These frames by themselves, for smoothing and delays."""
        return Batch((len(self.time),), (self.loop,), self.rate)

    @cached_property
    def accents(self) -> tuple[Floats, Floats, Floats]:
        """``(A,)`` each: when strokes of both hands begin and arrive, and how much of the body each deserves."""
        if self.arms:
            starts, arrivals = (np.concatenate([getattr(arm, n) for arm in self.arms]) for n in ("starts", "arrivals"))
            return starts, arrivals, np.concatenate([arm.sizes for arm in self.arms])
        goals = self.body.goals
        sizes = np.append(np.ones(len(goals) - 2), TO_REST) if len(goals) > 2 else np.zeros(len(goals) - 1)
        return goals[:-1], goals[1:], sizes * _unhurried(goals[1:])

    @cached_property
    def presence(self) -> Floats:
        """``(T,)`` from 0 to 1: how far a posture is there.

        It comes and goes where hands hang at the start and at the end, so that phrases join. A loop keeps it, and so
        does a hand that is left in the air.
        """
        if self.loop:
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

    def amount(self, drive: Drive) -> Floats:
        """``(T,)`` or ``()`` a drive's amount in every frame."""
        return drive.amount if drive.amount.ndim == 0 else sample_rows(drive.amount, self.source, self.loop)


def _unhurried(arrivals: Floats) -> Floats:
    """``(S,)`` factors of accents by how soon the one before and the one after are."""
    gaps = np.concatenate([[np.inf], differences(arrivals), [np.inf]])
    return np.asarray(np.minimum(1.0, (np.minimum(gaps[:-1], gaps[1:]) / FULL_GAP) ** 2))


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
    arms = []
    for side, task in tasks.items():
        plan, phase = task.plan, task.phase
        if plan is None or phase is None:
            continue
        mirror = np.array([SIGN[side], 1.0, 1.0])
        fixed = plan.fixed[plan.edges, None]
        goals = plan.positions[plan.edges] / actor.arm_size * mirror - np.where(fixed, upright_shoulder(actor), 0.0)
        hangs = plan.relaxed[plan.edges]
        arrivals = plan.clock.goals[1:]
        sizes = smoothstep(plan.lengths / FULL_STROKE) * np.where(hangs[1:], TO_REST, 1.0)
        rises = differences(goals[:, 1]) / np.maximum(norms(differences(goals)), 1e-6)
        sizes *= (1.0 - UPWARDS * np.maximum(rises, 0.0)) * np.where(fixed[1:, 0], IN_PLACE, 1.0)
        moving = plan.lengths > 0.0
        unhurried = np.ones(len(sizes))
        unhurried[moving] = _unhurried(arrivals[moving])
        placed = fixed[:, 0] | bool(plan.fixed_vias)
        strokes = plan.clock.goals[:-1], arrivals, sizes * unhurried, goals / ARM, hangs, placed, phase
        arms.append(HandStrokes(side, *strokes))
    shapeless = {side: 1.0 - clip(table[:, own].sum(axis=1), 0.0, 1.0) for side, own in _SHAPES.items()}
    time = np.arange(len(source)) / rate
    return Moments(time, source, phrase.duration, rate, phrase.loop, tuple(arms), body, shapeless)


# Kinds of drives: each adds to a table of channels (T, C)


def add_drives(table: Floats, drives: Sequence[Drive], moments: Moments) -> None:
    """Let the body take part: adds to channels ``(T, C)`` what each drive asks for, within what a body can do."""
    before = table[:, _LIMITED]
    for drive in sorted(drives, key=lambda own: _ORDER[own.kind]):
        KINDS[drive.kind](table, drive, moments)
    made = table[:, _LIMITED]
    far = (made.max(axis=0) > FREELY * _MOST[_LIMITED]) | (made.min(axis=0) < FREELY * _LEAST[_LIMITED])
    if not far.any():
        return
    columns, values, before = _LIMITED[far], made[:, far], before[:, far]
    low, high = np.minimum(_LEAST[columns], before), np.maximum(_MOST[columns], before)  # a gesture may go further
    for beyond, limit, sign in ((values - FREELY * high, high, 1.0), (FREELY * low - values, -low, -1.0)):
        room, beyond = np.maximum((1.0 - FREELY) * limit, 1e-9), np.maximum(beyond, 0.0)
        table[:, columns] += sign * (room * np.tanh(beyond / room) - beyond)


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


def _landing(drive: Drive, moments: Moments) -> tuple[Floats, Floats]:
    """Weight that lands with each stroke, and what is drawn up before: ``(T,)`` each, from 0 to 1."""
    starts, arrivals, sizes = moments.accents
    kept = sizes > 1e-3
    if drive.timing.get("first") and kept.any():  # who is startled is so once, whatever the hand does
        kept &= arrivals == arrivals[kept].min()
        sizes = np.ones(len(sizes))
    if not kept.any():
        return np.zeros((2, len(moments.time)))  # type: ignore[return-value]
    starts, arrivals, sizes = starts[kept], arrivals[kept], sizes[kept]
    delay, recover = drive.timing["delay"], drive.timing["recover"]
    rise = clip(drive.timing["rise"] * (arrivals - starts), *RISES)
    landed, drawn = np.empty((2, len(moments.time)))
    recovers = np.maximum(recover, 0.8 * rise)
    _native.recruitment.land(moments.time, arrivals, sizes, rise, recovers, float(delay), landed, drawn)
    return moments.settled * landed, moments.settled * drawn


def _press(table: Floats, drive: Drive, moments: Moments) -> None:
    landed, drawn = _landing(drive, moments)
    _add_all(table, drive, moments.amount(drive) * (landed - drive.timing["draw_back"] * drawn), moments)


def _accents(table: Floats, drive: Drive, moments: Moments) -> None:
    _add_all(table, drive, moments.amount(drive) * _landing(drive, moments)[0], moments)


def _lift(table: Floats, drive: Drive, moments: Moments) -> None:
    starts, arrivals, sizes = moments.accents
    middle, half = 0.5 * (starts + arrivals), np.maximum(0.5 * (arrivals - starts), 0.15)
    carried = np.empty(len(moments.time))
    _native.recruitment.carry(moments.time, middle - drive.timing["lead"], 1.3 * half, sizes, carried)
    held = drive.timing["held"]
    _add_all(table, drive, moments.amount(drive) * moments.presence * (held + (1.0 - held) * carried), moments)


def _thrust(table: Floats, drive: Drive, moments: Moments) -> None:
    """Channels are named with what they go by: ``torso.turn.ahead``. Turns and sides are towards the arm's own side."""
    if not moments.arms:
        return
    ahead, ways = round(drive.timing["lead"] * moments.rate), []
    for arm in moments.arms:
        there = np.where(arm.hangs | arm.fixed, 0.0, 1.0)  # a body that comes nearer folds the arm
        by = there[:, None] * clip(arm.goals + np.array([0.0, 0.35, 0.0]), -1.2, 1.2)
        way = np.empty((len(moments.time), 3))
        phase = (np.ascontiguousarray(row) for row in (arm.phase.stroke, arm.phase.path_share))
        _native.recruitment.go_ways(*phase, by, ahead, moments.loop, way)
        ways.append(way)
    amount = moments.amount(drive) * moments.presence * (OTHER_ARM if len(ways) > 1 else 1.0)
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
    """Limbs and trunk swing on after each arrival, towards where the hand was going, and die away."""
    rate, fades, lag = (drive.timing[name] for name in ("rate", "fades", "lag"))
    swung = np.zeros(len(moments.time))
    for arm in moments.arms:
        ways = differences(arm.goals)
        towards = np.where(np.abs(ways[:, 0]) > 0.6 * np.abs(ways[:, 2]), SIGN[arm.side] * ways[:, 0], ways[:, 2])
        begins, sizes = arm.arrivals - SWINGS_EARLY, arm.sizes * np.sign(towards)
        _native.recruitment.swing(moments.rate, begins, sizes, float(rate), float(fades), SWINGS_COME, swung)
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


def _facing(table: Floats) -> tuple[Floats, Floats]:
    """``(T,)`` how far the chest is turned to the left and bent down in the world."""
    torso, hips = (table[:, [INDEX[name] for name in names]] for names in (TORSO, HIPS))
    left, down = (torso[:, i] + (1.0 - TAKEN_BACK[i]) * hips[:, i] for i in (2, 0))
    return left, down


def _add_watched(made: Floats, weight: float, arm: HandStrokes, lead: float, time: Floats) -> None:
    """Add to ``(T, 4)`` how far left and down the hand's goal is, whether there is one, and one that goes with the
    chest.

    The gaze goes to the next goal before the hand sets out, but not before the hand has come where it is.
    """
    held = np.where(norms(differences(arm.goals)) < 1e-3, arm.arrivals - arm.starts, 0.0)
    before = SETTLED * np.concatenate([[FIRST], held[:-1]])
    leave = np.concatenate([[-np.inf], arm.starts - np.minimum(lead, before)])
    _native.recruitment.look(time, leave, arm.gaze_goals, weight, made)


def _attention(table: Floats, drive: Drive, moments: Moments) -> None:
    if not moments.arms:
        return
    amount, timing = moments.amount(drive) * moments.presence, drive.timing
    lengths = np.array([float(norms(differences(arm.goals)).sum()) for arm in moments.arms])
    weights = (lengths / max(float(lengths.max()), 1e-9)) ** 2  # two hands that do as much are looked at together
    weights /= max(float(weights.sum()), 1e-9)

    def towards(lead: float, seconds: float) -> Floats:
        """What ``_add_watched`` adds of both hands, ``lead`` seconds before they set out."""
        arms = zip(weights, moments.arms, strict=True)
        watched = np.zeros((len(moments.time), 4))
        for weight, arm in arms:
            _add_watched(watched, float(weight), arm, lead, moments.time)
        return moments.batch.smooth(watched, seconds)

    eyes, head = towards(timing["eyes_lead"], 0.03), towards(timing["head_lead"], 0.07)
    chest = towards(timing["chest_lead"], 0.11)
    turn = timing["chest"] * amount * chest[:, 0]
    _add(table, "torso.turn", turn)
    _add(table, "hips.turn", 0.35 * turn)
    chest_left, chest_down = _facing(table)  # goals go with the chest
    for gaze in (eyes, head):
        gaze[:, 0] = clip(gaze[:, 0] + gaze[:, 3] * chest_left, -FARTHEST_TURN, FARTHEST_TURN)
        gaze[:, 1] = clip(gaze[:, 1] + gaze[:, 3] * chest_down * np.cos(gaze[:, 0]), -FARTHEST_NOD, FARTHEST_NOD)
    turned, bent = _heading(table)
    share = timing["head"]
    _add(table, "head.turn", amount * (share * head[:, 0] - head[:, 2] * turned))
    _add(table, "head.nod", amount * (share * head[:, 1] - head[:, 2] * bent))
    turned, bent = _heading(table)
    there = amount * eyes[:, 2]
    table[:, INDEX["eyes.turn"]] *= 1.0 - there
    table[:, INDEX["eyes.lift"]] *= 1.0 - there
    _add(table, "eyes.turn", there * clip(eyes[:, 0] - turned, -EYES_TURN, EYES_TURN))
    _add(table, "eyes.lift", -there * clip(eyes[:, 1] - bent, -EYES_LIFT, EYES_LIFT))


def _glance(table: Floats, drive: Drive, moments: Moments) -> None:
    every, lasts, share = (drive.timing[name] for name in ("every", "lasts", "head"))
    end = float(moments.time[-1])
    count = max(int(end / every), 1)
    order = np.arange(count)
    middles = (order + 0.5 + 0.18 * np.cos(2.4 * order)) * end / count  # no clockwork
    lasts = min(lasts, 0.7 * end / count) * (0.85 + 0.3 * np.cos(1.7 * order + 0.5))
    aside, down = (np.array([GLANCES[i % len(GLANCES)][k] for i in range(count)]) for k in range(2))
    eyes = _looks(moments.time, middles, lasts, 0.10)
    head = _looks(moments.time, middles + 0.07, lasts, 0.24)
    amount = moments.amount(drive) * moments.presence
    for part, weights, size in (("head", head, share), ("eyes", eyes, 1.0 - share)):
        _add(table, f"{part}.turn", amount * size * (weights @ aside))
        name, sign = ("head.nod", 1.0) if part == "head" else ("eyes.lift", -1.0)
        _add(table, name, sign * amount * size * (weights @ down))
    _add(table, "head.tilt", -0.35 * amount * (head @ aside))


def _looks(time: Floats, middles: Floats, lasts: Floats, turns: float) -> Floats:
    """``(T, G)`` from 0 to 1: looks of ``lasts`` seconds about their middles, that take ``turns`` to get there."""
    away = np.abs(time[:, None] - middles)
    return np.asarray(1.0 - smootherstep((away - 0.5 * (lasts - turns)) / turns))


# Waves, postures, and bodies that are one block


def _wave(table: Floats, drive: Drive, moments: Moments) -> None:
    end = max(float(moments.time[-1]), 1.0 / moments.rate)
    rate = drive.timing["rate"]
    if moments.loop:
        rate = max(round(rate * end), 1) / end
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
        "attention": _attention,
        "glance": _glance,
    }
)
_ORDER = {kind: i for i, kind in enumerate(KINDS)}  # attention knows where the trunk has turned the head
