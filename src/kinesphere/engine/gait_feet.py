"""Feet of a walk: where they are planted, how they roll from heel to ball, peel and swing to the next plant.

A foot in contact stays where it is whatever is asked for: its plants are computed first, from the body's way, and a
swing joins two of them. A steady walk has one cycle, which repeats; where overlays change along the walk, every cycle
has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.pose import SIGN, figure_skeleton
from kinesphere.engine.proportions import HEIGHT, LEG
from kinesphere.maths.interpolation import gaussian, monotone_cubic
from kinesphere.maths.vectors import Floats, clip, smoothstep
from kinesphere.motion.gait import Gait
from kinesphere.motion.gesture import Curve
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton

FINE = 8  # steps of a foot's path to a frame, before it is rounded
HEEL_BACK = 0.034  # metres behind the ankle: what a landing foot turns about
ROUND, ROUND_PITCH = 0.016, 0.020  # seconds
ARRIVING = 0.12  # of its mean speed that a swinging foot still has when it lands
SOONER = 0.35  # of the time from strike to flat sole that a hard strike saves
SLAP, STOMP = 0.35, 0.030  # at strike 1: how much more the toes are up, and leg lengths that a foot is lifted to fall
SHORTEST_STANCE, LONGEST_STANCE = 0.505, 0.80  # shares of a stride: both feet are never in the air
NEAREST = 0.022  # metres from the middle to an ankle
ROOM = 0.045  # metres from the middle that a swinging ankle needs to pass the other one
STEEPEST = 1.2  # radians of a pushing foot, at which raised heels add little
SHUFFLE = 0.05  # leg lengths of lift below zero at which hardly any is left
NEARER = 0.7  # of what an ankle would be farther ahead where a foot lands flatter that it lands nearer to the body
LIFTED = 1.0  # of what ankles are higher as they land that hips are
FOLLOWS = 0.6  # of what edits move the hips ahead that the feet go along
SPRUNG = (0.30, 0.20)  # the phase at which a step is sprung highest, and how long before and after


class FootPath(NamedTuple):
    """One side's foot in every frame."""

    ball: Floats  # (T, 3) of the sole
    heading: Floats  # (T,) to the left
    pitch: Floats  # (T,) heel up above zero
    toes: Floats  # (T,) bent up above zero


def own_phase(phase: Floats, side: str) -> Floats:
    """A side's own phase: the right one is half a stride behind."""
    return phase if SIGN[side] > 0.0 else phase + 0.5


def spring_wave(phase: Floats) -> Floats:
    """From 0 to 1: how far a step has sprung up, at phases of the foot that carries it."""
    middle, half = SPRUNG
    return np.asarray(np.cos(0.5 * np.pi * clip((np.mod(phase, 1.0) - middle) / half, -1.0, 1.0)) ** 2)


@memoised
def gait_curve(gait: Gait, kind: str, name: str, samples: int, seconds: float) -> Floats:
    """``(FINE · samples + 1,)`` a curve of ``"foot"`` or ``"arm"`` over one stride, rounded over so many seconds."""
    curve: Curve | None = getattr(gait, kind).get(name)
    fine = fine_phases(samples)
    if curve is None:
        return np.zeros(len(fine))
    return gaussian(monotone_cubic(curve.times, curve.values, fine, 1.0), RATE * FINE, seconds, True)


@lru_cache(maxsize=32)
def fine_phases(samples: int) -> Floats:
    """Phases from 0 to 1 at which curves of a stride are tabulated."""
    return np.asarray(np.arange(FINE * samples + 1) / (FINE * samples))


def at_phase(table: Floats, phase: Floats, samples: int) -> Floats:
    """A curve of ``gait_curve`` at any phases."""
    return np.asarray(np.interp(np.mod(phase, 1.0), fine_phases(samples), table))


class _Foot(NamedTuple):
    """What does not change of one side's foot."""

    long: float  # metres from ankle to ball
    high: float  # metres of the ball's joint above the ground
    wider: float  # metres that the hip joint is farther out than the figure's
    ahead: float  # metres that it is farther ahead
    ankle: float  # metres of the ankle above the ground


@lru_cache(maxsize=32)
def _foot(skeleton: Skeleton, side: str, size: float) -> _Foot:
    position, figure = skeleton.rest_world()[1], figure_skeleton(HEIGHT)
    ankle, ball, hip = (position[skeleton.index(f"{side}{part}")] for part in ("Foot", "Toes", "UpperLeg"))
    wider = hip - size * figure.rest_world()[1][figure.index(f"{side}UpperLeg")]
    out, ahead = SIGN[side] * float(wider[0]), float(wider[2])
    return _Foot(float(ball[2] - ankle[2]), float(ball[1]), out, ahead, float(ankle[1]))


@dataclass(frozen=True, eq=False)
class _Cycles:
    """Overlays of M cycles of one foot over its own phase ``(F,)``: held while it stands, eased as it swings."""

    strikes: Floats  # (M,) whole phases of the foot at which they begin; of a steady walk one
    flat: Floats  # (M, 1) when the sole is down
    leaves: Floats  # (M, 1) when the ball leaves
    swing: Floats  # (M, F) share of the swing that has passed
    values: dict[str, Floats]  # overlay to (M, F)

    def __getitem__(self, name: str) -> Floats:
        return self.values[f"gait.{name}"]


_OF_FEET = tuple(
    f"gait.{name}" for name in ("stride", "stance", "width", "toes_out", "strike", "roll", "heels", "lift", "spring")
)


def _cycles(clock: GaitClock, side: str) -> _Cycles:
    """Of a steady walk one cycle, else all from before the first frame to after the last."""
    later = 0.0 if SIGN[side] > 0.0 else 0.5
    strikes = np.zeros(1) if clock.steady else clock.cycles(later).astype(np.float64)
    middles = np.append(strikes, strikes[-1] + 1.0) + 0.5 - later
    rows = {name: clock.at_phases(name, middles) for name in _OF_FEET}
    rows["gait.heels"] = rows["gait.heels"] + clock.added_at_phases(f"{side}.foot.peel", middles)
    rows["gait.hips"] = FOLLOWS * clock.added_at_phases("hips.z", middles)
    stance, strike = rows["gait.stance"][:-1, None], rows["gait.strike"][:-1, None]
    leaves = clip(clock.gait.leaves + stance, SHORTEST_STANCE, LONGEST_STANCE) if stance.any() else clock.gait.leaves
    leaves = np.broadcast_to(leaves, (len(strikes), 1))
    flat = np.minimum(clock.gait.flat * (1.0 - SOONER * strike), 0.8 * leaves)
    swing = clip((fine_phases(clock.samples) - leaves) / (1.0 - leaves), 0.0, 1.0)
    eased = smoothstep(swing)
    values = {name: row[:-1, None] + (row[1:] - row[:-1])[:, None] * eased for name, row in rows.items()}
    return _Cycles(strikes, flat, leaves, swing, values)


def _warp(clock: GaitClock, cycles: _Cycles) -> Floats:
    """``(M, F)`` the written walk's phases, as its sole is down and its ball leaves when that of the cycle does."""
    gait, fine = clock.gait, fine_phases(clock.samples)
    made = np.empty(cycles.swing.shape)
    for row, flat, leaves in zip(made, cycles.flat[:, 0], cycles.leaves[:, 0], strict=True):
        if (flat, leaves) == (gait.flat, gait.leaves):
            row[:] = fine
            continue
        knots = np.array([leaves - 1.0, 0.0, flat, leaves, 1.0, 1.0 + flat])
        written = np.array([gait.leaves - 1.0, 0.0, gait.flat, gait.leaves, 1.0, 1.0 + gait.flat])
        row[:] = monotone_cubic(knots, written, fine)
    return made


def _pitches(clock: GaitClock, cycles: _Cycles, foot: _Foot, warped: Floats) -> tuple[Floats, Floats]:
    """Pitch of the foot and bend of its toes, each ``(M, F)``."""
    samples = clock.samples
    plain = at_phase(gait_curve(clock.gait, "foot", "pitch", samples, ROUND_PITCH), warped, samples)
    toes = at_phase(gait_curve(clock.gait, "foot", "toes", samples, ROUND_PITCH), warped, samples)
    landing, pushing = _landing_factor(cycles["strike"]), np.maximum(plain, 0.0)
    raised = cycles["heels"] * (1.0 - 0.75 * clip(pushing / STEEPEST, 0.0, 1.0))
    sprung = np.arcsin(clip(LEG * clock.size * cycles["spring"] / foot.long, 0.0, 0.7)) * spring_wave(warped)
    wanted = cycles["roll"] * (pushing + landing * np.minimum(plain, 0.0)) + raised + sprung
    pitch = plain + _round(wanted - plain, ROUND_PITCH, clock.steady)
    # Toes stay on the ground while the foot stands on its ball.
    standing = 1.0 - smoothstep(3.0 * cycles.swing) + smoothstep(5.0 * cycles.swing - 4.0)
    more = standing * (np.maximum(pitch, 0.0) - pushing)
    return pitch, toes + _round(more, ROUND_PITCH, clock.steady)


def _landing_factor(strike: Floats) -> Floats:
    """How much more the toes are up as a foot lands so hard."""
    return np.asarray(np.where(strike > 0.0, 1.0 + SLAP * strike, 1.0 + strike))


def landing_rise(clock: GaitClock, skeleton: Skeleton) -> Floats:
    """``()`` or ``(T,)`` metres by which ankles are higher as feet land than in the unedited walk: hips are, too."""
    foot = _foot(skeleton, "left", clock.size)
    plain = float(gait_curve(clock.gait, "foot", "pitch", clock.samples, ROUND_PITCH)[0])
    heels = clock.at_frames("gait.heels") + 0.5 * sum(clock.added_at_frames(f"{side}.foot.peel") for side in SIGN)
    lands = _landing_factor(clock.at_frames("gait.strike")) * clock.at_frames("gait.roll") * plain + heels

    def high(angle: Floats) -> Floats:
        about_heel = foot.ankle * np.cos(angle) - HEEL_BACK * clock.size * np.sin(angle)
        about_ball = foot.high + foot.long * np.sin(angle) + (foot.ankle - foot.high) * np.cos(angle)
        return np.asarray(np.where(angle < 0.0, about_heel, about_ball))

    return np.asarray(LIFTED * np.maximum(high(lands) - high(np.asarray(plain)), 0.0))


def _round(values: Floats, seconds: float, loop: bool) -> Floats:
    """Cycles ``(M, F, ...)`` one after the other, rounded over so many seconds of the unedited walk."""
    if not values.any():
        return values
    if loop:
        return gaussian(values[0], RATE * FINE, seconds, True)[None]
    joined = gaussian(_joined(values), RATE * FINE, seconds)
    each = values.shape[1] - 1
    return np.asarray(joined[np.arange(len(values))[:, None] * each + np.arange(each + 1)])


def _lifts(clock: GaitClock, cycles: _Cycles, warped: Floats) -> Floats:
    """``(M, F)`` metres of the ball above the ground as the foot swings."""
    samples, share = clock.samples, cycles.swing
    plain = clock.size * at_phase(gait_curve(clock.gait, "foot", "lift", samples, ROUND_PITCH), warped, samples)
    lift, strike = cycles["lift"], np.maximum(cycles["strike"], 0.0)
    high, late = 16.0 * (share * (1.0 - share)) ** 2, share**4 * (1.0 - share) ** 2 / 0.02195
    kept = np.maximum(1.0 + np.minimum(lift, 0.0) / SHUFFLE, 0.15)
    return np.asarray(plain * kept + LEG * clock.size * (np.maximum(lift, 0.0) * high + STOMP * strike * late))


def _landed_farther(clock: GaitClock, cycles: _Cycles, foot: _Foot, pitch: Floats) -> Floats:
    """``(M, F)`` metres by which the ankle is farther ahead as a foot lands than in the unedited walk."""
    plain = gait_curve(clock.gait, "foot", "pitch", clock.samples, ROUND_PITCH)[:1]

    def ahead(angle: Floats) -> Floats:
        """The ankle from where it is over a flat foot: it turns about the heel, or about the ball."""
        back = HEEL_BACK * clock.size
        about_heel = back * (np.cos(angle) - 1.0) + foot.ankle * np.sin(np.minimum(angle, 0.0))
        about_ball = foot.long * (1.0 - np.cos(angle)) + (foot.ankle - foot.high) * np.sin(angle)
        return np.asarray(np.where(angle < 0.0, about_heel, about_ball))

    more = ahead(pitch[:, [0, -1]]) - ahead(plain)
    return np.asarray(more[:, :1] + (more[:, 1:] - more[:, :1]) * smoothstep(cycles.swing))


def foot_path(clock: GaitClock, skeleton: Skeleton, side: str) -> FootPath:
    """One side's foot in every frame, on a straight way along z."""
    gait, size, sign, foot = clock.gait, clock.size, SIGN[side], _foot(skeleton, side, clock.size)
    cycles, fine = _cycles(clock, side), fine_phases(clock.samples)
    warped = _warp(clock, cycles)
    pitch, toes = _pitches(clock, cycles, foot, warped)
    # About the heel: the ball's offset from its position under a flat foot while the foot is pitched up.
    lever, early = foot.long + HEEL_BACK * size, np.minimum(pitch, 0.0)
    sine, fallen = np.sin(early), 1.0 - np.cos(early)
    rolled = np.stack([foot.high * fallen + lever * sine, lever * fallen - foot.high * sine])
    landing, share = rolled[:, :, -1:], cycles.swing
    ease = smoothstep(share) + ARRIVING * (share**3 - share * share)
    turned = sign * (gait.turned_out + cycles["toes_out"])
    apart = np.maximum(gait.apart + 0.5 * LEG * cycles["width"], min(NEAREST, gait.apart))
    out = sign * (size * apart + foot.wider) + np.sin(turned) * foot.long
    out = out + sign * size * 16.0 * (share * (1.0 - share)) ** 2 * np.maximum(min(ROOM, gait.apart) - apart, 0.0)
    start = size * gait.ahead * cycles["stride"] + foot.long * np.cos(turned) + foot.ahead
    start = start + size * cycles["hips"] - NEARER * _landed_farther(clock, cycles, foot, pitch)
    # From one plant to the next; of a steady walk less the body's travel, which leaves what repeats.
    later = 0.0 if sign > 0.0 else 0.5
    strikes = np.append(cycles.strikes, cycles.strikes[-1] + 1.0)
    plants = clock.travel(strikes - later)
    far = (
        np.full((1, 1), clock.stride)
        if clock.steady
        else (plants[1:] - plants[:-1])[:, None] + np.diff(start[:, [0, -1]])
    )
    stands = (fine >= cycles.flat) & (fine < cycles.leaves)
    lift = _lifts(clock, cycles, warped)
    up = np.where(stands, 0.0, np.where(fine < cycles.flat, -rolled[0], lift - landing[0] * ease))
    along = np.where(stands, 0.0, np.where(fine < cycles.flat, -rolled[1], (far - landing[1]) * ease))
    if clock.steady:
        behind = along - clock.stride * fine
    else:
        behind = start[:, :1] + plants[:-1, None] + along
    rows = np.moveaxis(_round(np.stack([up, behind], axis=-1), ROUND, clock.steady), -1, 0)
    own = own_phase(clock.phase, side)
    up, behind, pitch, toes, out, turned, start = (
        _at_frames(row, cycles, own, fine) for row in (*rows, pitch, toes, out, turned, start)
    )
    travel = 0.0 if gait.in_place else clock.travel(clock.phase)
    ahead = start + behind + travel if clock.steady else behind
    ball = np.stack([out, foot.high + up, ahead], axis=-1)
    return FootPath(ball, turned, pitch, toes)


def _at_frames(rows: Floats, cycles: _Cycles, own: Floats, fine: Floats) -> Floats:
    """Cycles ``(M, F)`` at a foot's own phases ``(T,)``."""
    if len(rows) == 1:
        return np.asarray(np.interp(np.mod(own, 1.0), fine, rows[0]))
    phases = np.append((np.arange(len(rows))[:, None] + fine[:-1]).ravel(), float(len(rows)))
    return np.asarray(np.interp(own - cycles.strikes[0], phases, _joined(rows)))


def _joined(rows: Floats) -> Floats:
    """Cycles ``(M, F, ...)`` as one row, the last phase of each being the first of the next."""
    return np.concatenate([rows[:, :-1].reshape(-1, *rows.shape[2:]), rows[-1, -1:]])
