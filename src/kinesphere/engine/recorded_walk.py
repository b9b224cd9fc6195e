"""Locomotion in a recording, performed differently: stride, bounce, sway, arm swing and carriage, by a gait's overlays.

What a recorded walk does within a stride is how far it departs from its own mean over a stride: hips go up and down,
sway and turn, shoulders turn against them, arms swing. Overlays (``motion.gait.GAIT_OVERLAYS``) scale these. A longer
stride scales the way of the body and where feet stand by one factor, so that planted feet stay planted: each stance is
moved as a whole, and the swings between go over from one to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.detail import Detail
from kinesphere.engine.gait import JOLT, JOLT_PACES, LOOK_STRIDES, LOOKS, RECOVERED
from kinesphere.engine.lifting import body_angles
from kinesphere.engine.pose import SIGN
from kinesphere.engine.proportions import LEG
from kinesphere.engine.recorded_hands import TREMOR, RecordedHand, elbow_path, wrist_path
from kinesphere.engine.recording_clock import RecordingClock
from kinesphere.engine.stepping import PACES, FootStance
from kinesphere.engine.trunk import STEADY, TAKEN_BACK
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, running_maximum
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smootherstep, smoothstep
from kinesphere.motion.gait import GAIT_OVERLAYS
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Phrase

MEAN = 0.45  # of a stride: σ of the mean over it
TRAVELS = (0.2, 0.5)  # leg lengths a second, between which the way comes to show where ahead is, and not the hips
LOST = 0.6  # of a unit vector: less is left of directions about a turn, in which none is known
LEAST_LIFTED = 0.1  # seconds of a swing that may be lifted higher
LOWERED = 0.6  # of its height that a foot in a swing is lowered, at most
FLOOR = 0.35  # seconds to each side, the lowest point in which is what a foot passes over
LONGEST_SWING = 0.75  # seconds; in what lasts longer a foot has stood somewhere
LEAVES = 0.15  # seconds in which a foot comes to go with the body
ELBOW_SWINGS = 0.55  # of a wrist's way that its elbow goes
WEAVE_STRIDES = 4.0  # of a way that winds once to either side
CLIMBS = 0.13  # leg lengths that each of two steps in turn goes up, or down: who climbs keeps to the treads
TREAD = 0.35  # seconds from a strike on in which the foot comes down
SPRING_HEIGHT = 0.02  # leg lengths that a recorded step rises, beside which a spring is measured, at least


@dataclass(frozen=True, eq=False)
class StrideShape:
    """What a recorded walk does within its strides, over the recording's frames ``(T, ...)``."""

    way: Floats  # (T, 3) the hips' mean over a stride, level
    steps: Floats  # (T, 3) to each frame of it from the one before
    ahead: Floats  # (T, 3) unit, where it goes; less where it turns about and goes nowhere for a moment
    left: Floats  # (T, 3) unit, to the left of the pelvis; less likewise
    strides: Floats  # (T,) how many have passed
    height: Floats  # (T,) leg lengths of the hips above their mean
    sway: Floats  # (T,) leg lengths to the left of their mean
    hips: Floats  # (T, 3) lean, tilt and turn of the pelvis from their mean
    torso: Floats  # (T, 3) forward, side and turn of the chest in the pelvis
    head: Floats  # (T, 3) nod, tilt and turn of the head in the chest
    wrists: Mapping[str, Floats]  # (T, 3) arm lengths of each wrist from its mean


@memoised
def stride_shape(detail: Detail) -> StrideShape:
    """What the recording's walk does within its strides."""
    poses, steps = detail.poses, detail.steps
    rate = poses.motion.rate
    sigma = MEAN * steps.stride_seconds * rate

    stride = max(round(steps.stride_seconds * rate), 1)

    def mean(values: Floats) -> Floats:
        pad = int(np.ceil(4.0 * sigma))
        return gaussian(go_on(values, stride, pad), sigma, ends="point")[pad : pad + len(values)]

    def swing(values: Floats) -> Floats:
        return np.asarray(gaussian(values, TREMOR * rate, ends="reflect") - mean(values))

    hips = poses.position("hips") - poses.leaps
    way = mean(hips) * np.array([1.0, 0.0, 1.0])
    velocity = np.gradient(way, axis=0) * rate if len(way) > 1 else np.zeros_like(way)
    faces = rotations.rotate(poses.heading, np.array([0.0, 0.0, 1.0]))
    speed = norms(velocity)[:, None] / poses.leg_length
    travels = smoothstep((speed - TRAVELS[0]) / (TRAVELS[1] - TRAVELS[0]))
    way_ahead = velocity / np.maximum(norms(velocity), 1e-9)[:, None]
    ahead = mean((1.0 - travels) * faces + travels * way_ahead) * np.array([1.0, 0.0, 1.0])
    ahead = ahead / np.maximum(norms(ahead), LOST)[:, None]
    left = mean(np.stack([faces[:, 2], np.zeros(len(faces)), -faces[:, 0]], axis=1))
    left = left / np.maximum(norms(left), LOST)[:, None]
    yaw = np.unwrap(np.arctan2(faces[:, 0], faces[:, 2]))
    pelvis = body_angles(rotations.multiply(rotations.conjugate(poses.heading), poses.pelvis))
    pelvis[:, 2] += yaw
    torso = body_angles(rotations.multiply(rotations.conjugate(poses.pelvis), poses.chest))
    head = body_angles(rotations.multiply(rotations.conjugate(poses.chest), poses.head))
    return StrideShape(
        way,
        np.diff(way, axis=0, prepend=way[:1]),
        ahead,
        left,
        _strides_passed(detail),
        swing(hips[:, 1]) / poses.leg_length,
        np.sum(swing(hips) * left, axis=1) / poses.leg_length,
        swing(pelvis),
        swing(torso),
        swing(head),
        {side: swing(wrist_path(poses, side)) for side in SIDES},
    )


def go_on(values: Floats, stride: int, pad: int) -> Floats:
    """Values ``(T, ...)`` with ``pad`` frames more at both ends, as if strides of so many frames went on there.

    A walk that is cut off in the middle of a stride has no mean there otherwise: an arm that is ahead in the last frame
    would count as one that hangs ahead.
    """
    count = len(values)
    if count <= stride + 1:
        return np.concatenate([np.repeat(values[:1], pad, axis=0), values, np.repeat(values[-1:], pad, axis=0)])
    frames = np.arange(1, pad + 1)
    strides = -(-frames // stride)  # that are gone back for a value
    moves = strides.reshape(-1, *[1] * (values.ndim - 1))
    late = values[count - 1 + frames - strides * stride] + moves * (values[-1] - values[-1 - stride])
    early = values[strides * stride - frames] - moves * (values[stride] - values[0])
    return np.concatenate([early[::-1], values, late])


def _strides_passed(detail: Detail) -> Floats:
    strikes = detail.steps.strikes
    if len(strikes) < 2:
        return np.zeros(len(detail.times))
    return np.asarray(np.interp(detail.times, strikes, 0.5 * np.arange(len(strikes))))


def _waves(detail: Detail, strides: Floats, each: float) -> Floats | None:
    """How many waves have passed with so many strides, ``each`` of them with every one.

    In a loop whole ones pass in each cycle; None: it is too short for any.
    """
    per_cycle = detail.steps.strides_per_cycle
    if not per_cycle:
        return each * strides
    whole = round(each * per_cycle)
    return None if whole == 0 else whole / per_cycle * strides


class GaitOverlays:
    """A phrase's gait overlays at times of it."""

    def __init__(self, phrase: Phrase, times: Floats) -> None:
        self._phrase, self._times = phrase, times

    def __call__(self, name: str, part: str | None = None) -> Floats:
        """``()`` or ``(T,)``; neutral where the phrase has none."""
        row = GAIT_OVERLAYS[f"gait.{name}"]
        value = self._phrase.track(part or row.part).overlays.get(f"gait.{name}", row.neutral)
        array = np.asarray(value, dtype=np.float64)
        return array if array.ndim == 0 else sample_rows(array, self._times, self._phrase.loop)

    def changes(self, name: str, part: str | None = None) -> bool:
        """Whether it is not neutral everywhere."""
        row = GAIT_OVERLAYS[f"gait.{name}"]
        value = self._phrase.track(part or row.part).overlays.get(f"gait.{name}", row.neutral)
        return bool(np.any(np.asarray(value) != row.neutral))


# Trunk and head


def add_walk(table: Floats, phrase: Phrase, clock: RecordingClock) -> None:
    """Add to channels ``(T, C)`` what a walk's overlays make of the recorded strides."""
    detail = phrase.detail
    assert detail is not None
    if not detail.steps.walks:
        return
    shape, over = stride_shape(detail), GaitOverlays(phrase, clock.source)
    walking = detail.at_times(detail.steps.walking, clock.source)

    def shown(values: Floats) -> Floats:
        return walking * np.interp(clock.source, detail.times, values)

    def add(name: str, values: Floats) -> None:
        table[:, INDEX[name]] += values

    bounce, sway = over("bounce") - 1.0, over("sway") - 1.0
    add("hips.y", LEG * bounce * shown(shape.height))
    add("hips.x", LEG * sway * shown(shape.sway))
    turn, tilt = over("hip_turn") - 1.0, over("hip_tilt") - 1.0
    add("hips.turn", turn * shown(shape.hips[:, 2]))
    add("hips.tilt", tilt * shown(shape.hips[:, 1]))
    # The spine takes back some of what hips do; in a recording it has done so already, with what the hips did then.
    add("torso.turn", (over("turn") - 1.0) * shown(shape.torso[:, 2]))
    add("torso.side", sway * shown(shape.torso[:, 1]))
    nod = over("nod") - 1.0
    for name, row in (
        ("head.nod", shape.head[:, 0]),
        ("head.tilt", shape.head[:, 1]),
        ("torso.forward", shape.torso[:, 0]),
    ):
        add(name, nod * shown(row))
    spring = over("spring")
    if np.any(spring):
        high = max(float(np.std(shape.height)) * np.sqrt(2.0), 0.5 * SPRING_HEIGHT)
        springs = min(high / SPRING_HEIGHT, 1.0)  # steps that hardly rise spring as much less
        add("hips.y", LEG * springs * spring * shown(clip(0.5 + 0.5 * shape.height / high, 0.0, 1.0)))
    _jolt(table, over("strike"), walking, clock, detail)
    _look(table, over, walking, clock, shape, detail)


def _jolt(table: Floats, strike: Floats, walking: Floats, clock: RecordingClock, detail: Detail) -> None:
    hard = np.maximum(strike, 0.0) * walking
    strikes = clock.to_output(detail.steps.strikes)
    if not np.any(hard) or len(strikes) < 2:
        return
    at = np.clip(np.searchsorted(strikes, clock.time, side="right") - 1, 0, len(strikes) - 2)
    lasts = np.maximum(strikes[at + 1] - strikes[at], 0.1)
    step = clip((clock.time - strikes[at]) / np.minimum(lasts, PACES[1]), 0.0, 1.0)
    pace = clip(0.55 / lasts, *JOLT_PACES)
    for name, (most, late) in JOLT.items():
        after = late * pace
        passed = smootherstep(step / after) - smootherstep((step - after) / (RECOVERED - after))
        table[:, INDEX[name]] += most * hard * passed


def _look(
    table: Floats, over: GaitOverlays, walking: Floats, clock: RecordingClock, shape: StrideShape, detail: Detail
) -> None:
    steady = over("steady") * walking
    if np.any(steady):
        chest = np.interp(clock.source, detail.times, shape.hips[:, 2] + shape.torso[:, 2] + shape.head[:, 2])
        hips, torso = table[:, INDEX["hips.turn"]], table[:, INDEX["torso.turn"]]
        left = (1.0 - STEADY[2]) * ((1.0 - TAKEN_BACK[2]) * hips + torso)
        table[:, INDEX["head.turn"]] -= steady * (left + chest)
    roam = over("roam") * walking
    if np.any(roam):
        passed = np.interp(clock.source, detail.times, shape.strides)
        for name, looks in LOOKS.items():
            for share, count, phase in looks:
                waves = _waves(detail, passed, count / LOOK_STRIDES)
                if waves is not None:
                    table[:, INDEX[name]] += roam * share * np.sin(2.0 * np.pi * waves + phase)


# The way, and the feet


class WalkedFeet(NamedTuple):
    """By how much the hips and each foot are elsewhere in every frame of a performance, in metres of the world."""

    hips: Floats  # (T, 3)
    feet: dict[str, Floats]  # (T, 3) of each side


def walk_elsewhere(phrase: Phrase, clock: RecordingClock) -> WalkedFeet | None:
    """Where longer or shorter strides, a wider track and a way that winds bring the body; None: where it was.

    On stairs they bring it nowhere else: what is there is not known but for where the feet stood.
    """
    detail = phrase.detail
    assert detail is not None
    recorded = GaitOverlays(phrase, detail.times)
    if not detail.steps.walks or climbs(detail):
        return None
    if not any(recorded.changes(name) for name in ("stride", "width", "weave", "lift")):
        return None
    shape, poses, count = stride_shape(detail), detail.poses, len(detail.times)
    walking = detail.steps.walking
    more = np.broadcast_to(recorded("stride"), (count,)) - 1.0
    ways = np.cumsum((walking * more)[:, None] * shape.steps, axis=0)
    waves = _waves(detail, shape.strides, 1.0 / WEAVE_STRIDES)
    wind = poses.leg_length * walking * recorded("weave") * (0.0 if waves is None else np.sin(2.0 * np.pi * waves))
    body = ways + wind[:, None] * shape.left
    wide = 0.5 * poses.leg_length * walking * recorded("width")
    lift = poses.leg_length * walking * np.broadcast_to(recorded("lift"), (count,))
    feet = {}
    for side in SIDES:
        along = walking * more * _foot_ahead(detail, side)
        moved = body + along[:, None] * shape.ahead + (SIGN[side] * wide)[:, None] * shape.left
        height = _height_above_ground(detail, side, bool((lift < 0.0).any()))
        feet[side] = _planted(moved, detail.steps.stances_of(side), lift, height, poses.motion.rate)
    at = clock.source * poses.motion.rate
    return WalkedFeet(cubic_rows_at(body, at), {side: cubic_rows_at(own, at) for side, own in feet.items()})


@memoised
def climbs(detail: Detail) -> bool:
    """Whether a recording goes up or down stairs: two steps in turn whose treads are higher, or lower, each time."""
    steps, rate = detail.steps, detail.poses.motion.rate
    if len(steps.strikes) < 3 or steps.contacts is None:
        return False
    low = {side: _lowest(detail, side) for side in SIDES}
    frames = np.round(steps.strikes * rate).astype(np.intp)
    span = max(int(TREAD * rate), 1) + 1
    treads = [low[side][at : at + span].min() for at, side in zip(frames.tolist(), steps.strike_sides, strict=True)]
    rises = np.diff(treads) / detail.poses.leg_length
    rises[np.diff(steps.strikes) > PACES[1]] = 0.0
    up, down = rises > CLIMBS, rises < -CLIMBS
    return bool((up[1:] & up[:-1]).any() or (down[1:] & down[:-1]).any())


@memoised
def _foot_ahead(detail: Detail, side: str) -> Floats:
    """``(T,)`` metres that a foot is ahead of the way."""
    poses, shape = detail.poses, stride_shape(detail)
    ankle = poses.position(f"{side}Foot") - poses.leaps
    return np.asarray(np.sum((ankle - shape.way) * shape.ahead, axis=1))


@memoised
def _height_above_ground(detail: Detail, side: str, smooth: bool) -> Floats:
    """``(T,)`` how high the lowest point of a foot is above the ground that it passes over, which may be smoothed."""
    low, rate = _lowest(detail, side), detail.poses.motion.rate
    floor = -running_maximum(-low, round(FLOOR * rate))
    return np.asarray(low - (gaussian(floor, 0.2 * FLOOR * rate) if smooth else floor))


def _lowest(detail: Detail, side: str) -> Floats:
    """``(T,)`` how high the lowest point of a foot is."""
    contacts = detail.steps.contacts
    assert contacts is not None
    own = [i for i, point in enumerate(contacts.points) if point.side == side]
    return np.asarray(contacts.paths[:, own, 1].min(axis=1))


def _planted(moved: Floats, stances: list[FootStance], lift: Floats, height: Floats, rate: float) -> Floats:
    """Displacements ``(T, 3)`` of a foot that are constant while it stands, and go over from one stance to the next.

    In between it is lifted by ``lift (T,)``, or lowered, but not to the ground that it passes over: ``height (T,)`` is
    how high above it it is.
    """
    if not stances:
        return moved
    made = np.empty_like(moved)
    swings = Swings(
        np.array([own.first for own in stances]),
        np.array([own.last for own in stances]),
        max(LEAVES * rate, 1e-9),
        LEAST_LIFTED * rate,
        LONGEST_SWING * rate,
    )
    rows = np.ascontiguousarray(moved), np.ascontiguousarray(lift), LOWERED * np.maximum(height, 1e-6)
    _native.recorded_walk.plant(swings, *rows, made)
    return made


class Swings(NamedTuple):
    """The stances of a foot and the swings between, in frames, for native loops."""

    firsts: Ints  # (S,) of each stance
    lasts: Ints
    leaves: float  # in which a foot comes to go with the body
    shortest: float  # of a swing that may be lifted higher
    longest: float  # in what lasts longer a foot has stood somewhere, where no contact was found


# Arms


class ArmAngles(NamedTuple):
    """Radians that an arm is raised ahead and out, that its elbow bends, and that its forearm goes across."""

    ahead: Floats  # (1,), or (T,), and so on
    out: Floats
    bend: Floats
    across: Floats


def swing_arm(phrase: Phrase, hand: RecordedHand, clock: RecordingClock) -> Floats:
    """``(T, 3)`` arm lengths by which a hand that swings in a walk is elsewhere."""
    detail, part = phrase.detail, f"{hand.side}_arm"
    assert detail is not None
    if not detail.steps.walks:
        return np.zeros_like(hand.path)
    shape, over = stride_shape(detail), GaitOverlays(phrase, clock.source)
    walking = detail.at_times(detail.steps.walking, clock.source) * hand.hangs
    at = clock.source * detail.poses.motion.rate
    own = swung = cubic_rows_at(shape.wrists[hand.side], at)
    lag = over("lag", part)
    if np.any(lag):  # an arm that is late shows what it did a moment ago
        late = clock.source - np.asarray(lag) * detail.steps.stride_seconds
        own = cubic_rows_at(shape.wrists[hand.side], clip(late, 0.0, detail.times[-1]) * detail.poses.motion.rate)
    away = np.reshape(over("swing", part), (-1, 1)) * own - swung
    angles = ArmAngles(*(np.reshape(over(name, part), -1) for name in ("ahead", "out", "bend", "across")))
    elbow = np.zeros((0, 3))
    if angles.bend.any() or angles.across.any():
        # An arm that swings otherwise takes its elbow along; it bends then.
        elbow = cubic_rows_at(elbow_path(detail.poses, hand.side), at) + ELBOW_SWINGS * away
    made = np.empty_like(hand.path)
    _native.recorded_walk.swing_arm(hand.path, away, elbow, angles, SIGN[hand.side], walking, made)
    return made
