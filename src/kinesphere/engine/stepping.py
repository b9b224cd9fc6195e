"""Steps of a recording: when feet strike, where they stand, when the body travels by steps, and when it is in the air.

A foot strikes where it is farthest ahead of the hips, and leaves where it is farthest behind (Zeni, Richards and
Higginson 2008): that holds on the ground and on the spot, walking and running. Strikes of both feet in turn are
**locomotion**. Where feet hardly pass each other, shuffling, to the side or turning on the spot, strikes are where
stances begin, if both feet step in turn and in rhythm, bring the body somewhere, and do more than the hands do.
Stances are the contacts of ``body.contacts``, whatever the feet do otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.body.contacts import SPEEDS, ContactRuns, find_contact_runs
from kinesphere.body.ground import runs, smooth_gaussian
from kinesphere.engine.proportions import LEG
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations
from kinesphere.maths.filters import derivative, running_maximum, widen
from kinesphere.maths.vectors import Bools, Floats, Ints, norms
from kinesphere.motion.gesture import Step
from kinesphere.motion.humanoid import SIDES

SWING_SMOOTH = 0.05  # seconds of σ
LEAST_SWING = 0.20  # leg lengths that a foot goes from behind the hips to ahead of them, or back
PACES = (0.18, 1.1)  # seconds from one strike to the next of the other foot
LEAST_STRIKES = 3  # in a row, of locomotion
LEAST_WAY = 0.02  # leg lengths from one stance to the next: what is less is no step
LEAST_STEP = 0.06  # leg lengths from where a foot stood to where it stands next
SHUFFLES = 4  # short steps in turn, of locomotion
RHYTHM = 1.8  # of the longer of two steps that follow each other to the shorter one
HANDS = 0.6  # of the way of both feet that a hand goes at most where short steps are locomotion, not a gesture
STEP_WAY, STEP_TURN = 0.07, np.radians(12.0)  # leg lengths that hips go, or radians that they turn, with a short step
TRAVELS, FARTHER = 0.35, 1.3  # leg lengths a second, and seconds before the first and after the last strike
COMES = 0.35  # seconds in which locomotion comes and goes
MERGED = 0.12  # seconds: contacts of a foot that are nearer to each other are one stance
FLIGHT_HEIGHT = 0.05  # leg lengths that both soles are above where they last stood
SHORTEST_FLIGHT = 0.08  # seconds
FALLS = -4.0  # metres per second squared: a body in the air falls faster than this on the mean
BELT_SLIPS = (0.3, 0.6)  # of a treadmill's speed that feet on it slip, to begin and to go on: drawn ones do
BELT_HEIGHTS, BELT_SHORTEST = (0.02, 0.04), 0.03  # of their contacts: leg lengths to begin and to go on; seconds
CARRIES = 0.35  # seconds to either side: legs that are bent for a moment of a step carry the body
GRAVITY_AROUND = 0.06  # seconds around a flight that go with it


class FootStance(NamedTuple):
    """One stance of one foot, in frames."""

    side: str
    first: int
    last: int
    ankle: tuple[float, float, float]  # where it is, in metres: the median


@dataclass(frozen=True, eq=False)
class Steps:
    """What feet do in a recording."""

    strikes: Floats  # (M,) seconds, of both feet in order, within locomotion
    strike_sides: tuple[str, ...]
    walking: Floats  # (T,) from 0 to 1: how far it is locomotion
    stances: tuple[FootStance, ...]
    flying: Floats  # (T,) from 0 to 1: whether the body is in the air
    contacts: ContactRuns | None  # None: the body has no soles that could be found
    period: float | None = None  # seconds of a cycle, of a loop: what ends after it goes on at the start

    def __repr__(self) -> str:
        return f"<Steps: {len(self.strikes)} strikes, {len(self.stances)} stances, {len(self.walking)} frames>"

    @cached_property
    def walks(self) -> bool:
        """Whether there is any locomotion."""
        return bool(len(self.strikes))

    @cached_property
    def stride_seconds(self) -> float:
        """Seconds of a stride on the median; 1 without locomotion."""
        strides = self.strides_per_cycle
        if strides and self.period is not None:
            return self.period / strides
        if len(self.strikes) < 2:
            return 1.0
        gaps = np.diff(self.strikes)
        return float(2.0 * np.median(gaps[gaps < PACES[1]])) if (gaps < PACES[1]).any() else 1.0

    @property
    def standing(self) -> Steps:
        """The same without locomotion."""
        return replace(self, strikes=np.zeros(0), strike_sides=(), walking=np.zeros(len(self.walking)))

    @property
    def strides_per_cycle(self) -> float:
        """Of a loop that is locomotion throughout; else 0."""
        if self.period is None or not self.walks or self.walking.min() < 1.0:
            return 0.0
        return 0.5 * int(np.sum(self.strikes < self.strikes[0] + self.period - 1e-6))

    def stances_of(self, side: str) -> list[FootStance]:
        """Of one foot, in time."""
        return [own for own in self.stances if own.side == side]


def find_steps(poses: RecordedPoses, treadmill: float = 0.0) -> Steps:
    """The steps of a recording; on a treadmill of so many leg lengths a second, feet need not stand as still."""
    count = len(poses.motion)
    nothing = np.zeros(count)
    if count < 5:
        return Steps(np.zeros(0), (), nothing, (), nothing, None)
    contacts = find_contact_runs(poses.motion) if treadmill == 0.0 else _belt_contacts(poses, treadmill)
    stances = tuple(_stances(poses, contacts))
    strikes, sides = _locomotion(poses, stances)
    walking = _walking(poses, strikes)
    return Steps(strikes, sides, walking, stances, _flights(poses, contacts), contacts)


def _belt_contacts(poses: RecordedPoses, treadmill: float) -> ContactRuns:
    """Contacts of feet on a treadmill of so many leg lengths a second: as drawn feet go along, about."""
    speeds = SPEEDS[0] + BELT_SLIPS[0] * treadmill, SPEEDS[1] + BELT_SLIPS[1] * treadmill
    return find_contact_runs(poses.motion, heights=BELT_HEIGHTS, speed_limits=speeds, shortest=BELT_SHORTEST)


def _stances(poses: RecordedPoses, contacts: ContactRuns) -> list[FootStance]:
    found, rate = [], poses.motion.rate
    for side in SIDES:
        down = np.zeros(len(poses.motion), dtype=np.bool_)
        for i, first, last in contacts.rows.tolist():
            if contacts.points[i].side == side:
                down[first : last + 1] = True
        stretches = runs(down)
        merged: list[tuple[int, int]] = []
        for first, last in stretches:
            if merged and first - merged[-1][1] <= MERGED * rate:
                merged[-1] = merged[-1][0], last
            else:
                merged.append((first, last))
        ankle = poses.position(f"{side}Foot")
        for first, last in merged:
            x, y, z = np.median(ankle[first : last + 1], axis=0).tolist()
            found.append(FootStance(side, first, last, (x, y, z)))
    return found


class StanceStep(NamedTuple):
    """A step of a recording, and the stance that it leads to."""

    step: Step
    stance: int  # of the foot's own


def stance_steps(poses: RecordedPoses, steps: Steps, side: str) -> list[StanceStep]:
    """Steps of a foot from where it stands to where it stands next, in leg lengths of the body's heading then."""
    rows: list[StanceStep] = []
    rate, stances = poses.motion.rate, steps.stances_of(side)
    for i, (before, after) in enumerate(zip(stances[:-1], stances[1:], strict=True)):
        lift, land = before.last / rate, after.first / rate
        if land <= lift:
            continue
        way = (np.array(after.ankle) - np.array(before.ankle)) / poses.leg_length
        x, _, z = rotations.rotate(rotations.conjugate(poses.heading[before.last]), way).tolist()
        if np.hypot(x, z) > LEAST_WAY:
            rows.append(StanceStep(Step(lift, land, x, z, 0.0), i + 1))
    return rows


_Strike = tuple[float, str]  # seconds, and whose foot


def _locomotion(poses: RecordedPoses, stances: Sequence[FootStance]) -> tuple[Floats, tuple[str, ...]]:
    """Strikes in turn: seconds, and whose foot."""
    strides = [row for run in _in_turn(_passing_feet(poses), LEAST_STRIKES) for row in run]
    taken = np.array([at for at, _ in strides])
    kept = sorted([*strides, *_shuffles(poses, stances, taken)])
    return np.array([at for at, _ in kept]), tuple(side for _, side in kept)


def _passing_feet(poses: RecordedPoses) -> list[_Strike]:
    """Where feet are farthest ahead of the hips, in order."""
    rate = poses.motion.rate
    rows: list[_Strike] = []
    forward = rotations.rotate(poses.heading, np.array([0.0, 0.0, 1.0]))
    carries = running_maximum(poses.stands, max(round(CARRIES * rate), 1))
    for side in SIDES:
        away = poses.position(f"{side}Foot") - poses.position("hips")
        ahead = smooth_gaussian(np.sum(away * forward, axis=1)[:, None], rate, SWING_SMOOTH)[:, 0] / poses.leg_length
        rows += [(frame / rate, side) for frame in _turning_points(ahead * carries, LEAST_SWING)]
    return sorted(rows)


def _in_turn(rows: Sequence[_Strike], least: int) -> Iterator[list[_Strike]]:
    """Runs of at least so many rows of both feet in turn."""
    run: list[_Strike] = []
    for row in [*rows, (np.inf, "")]:
        follows = bool(run) and row[1] != run[-1][1] and PACES[0] <= row[0] - run[-1][0] <= PACES[1]
        if not follows:
            if len(run) >= least:
                yield run
            run = []
        run.append(row)


def _shuffles(poses: RecordedPoses, stances: Sequence[FootStance], taken: Floats) -> list[_Strike]:
    """Where stances of short steps begin that bring the body somewhere, apart from strikes that are known."""
    rate, rows = poses.motion.rate, []
    for side in SIDES:
        own = [stance for stance in stances if stance.side == side]
        for before, after in zip(own[:-1], own[1:], strict=True):
            way = (np.array(after.ankle) - np.array(before.ankle))[[0, 2]] / poses.leg_length
            at = after.first / rate
            if norms(way) >= LEAST_STEP and not (np.abs(taken - at) < PACES[1]).any():
                rows.append((at, side))
    found: set[_Strike] = set()
    for run in _in_turn(sorted(rows), SHUFFLES):
        frames = np.round(np.array([at for at, _ in run]) * rate).astype(np.intp)
        for i in range(len(run) - SHUFFLES + 1):
            if _goes_somewhere(poses, frames[i : i + SHUFFLES]):
                found.update(run[i : i + SHUFFLES])
    return sorted(found)


def _goes_somewhere(poses: RecordedPoses, frames: Ints) -> bool:
    """Whether steps that end at these frames have a rhythm, bring the body somewhere, and do more than the hands."""
    lasts = np.diff(frames)
    if (np.maximum(lasts[1:], lasts[:-1]) > RHYTHM * np.minimum(lasts[1:], lasts[:-1])).any():
        return False
    first, last = int(frames[0]), int(frames[-1])
    hips = poses.position("hips")
    goes = float(norms((hips[last] - hips[first])[[0, 2]])) / poses.leg_length
    turned = rotations.multiply(rotations.conjugate(poses.heading[first]), poses.heading[last])
    turns = float(rotations.angle_between(turned, np.array([1.0, 0.0, 0.0, 0.0])))
    if goes < STEP_WAY * len(lasts) and turns < STEP_TURN * len(lasts):
        return False
    rows = slice(first, last + 1)
    feet = sum(_way(poses.position(f"{side}Foot")[rows]) for side in SIDES)
    hands = max(_way(poses.arm_length * poses.wrist(side)[rows]) for side in SIDES)
    return hands <= HANDS * feet


def _way(path: Floats) -> float:
    """Metres of a path."""
    return float(norms(np.diff(path, axis=0)).sum())


def _turning_points(values: Floats, least: float) -> list[int]:
    """Frames of maxima that rise by ``least`` from the minimum before, and fall by it to the one after."""
    found: list[int] = []
    rising, turn = False, values[0]
    at = 0
    for i, value in enumerate(values.tolist()):
        if (value > turn) if rising else (value < turn):
            turn, at = value, i
        elif abs(value - turn) >= least:
            if rising:
                found.append(at)
            rising, turn, at = not rising, value, i
    return found


def _walking(poses: RecordedPoses, strikes: Floats) -> Floats:
    """``(T,)`` how far it is locomotion: between strikes, and before the first and after the last while it travels."""
    count, rate = len(poses.motion), poses.motion.rate
    inside = np.zeros(count, dtype=np.bool_)
    for before, after in zip(strikes[:-1].tolist(), strikes[1:].tolist(), strict=True):
        if after - before <= PACES[1]:
            inside[int(before * rate) : int(after * rate) + 1] = True
    if not inside.any():
        return np.zeros(count)
    hips = smooth_gaussian(poses.position("hips"), rate, 0.1)[:, [0, 2]]
    travels = norms(derivative(hips, rate)) > TRAVELS * poses.leg_length
    for first, last in runs(inside):
        before = first
        while before > 0 and travels[before - 1] and first - before < FARTHER * rate:
            before -= 1
        after = last
        while after + 1 < count and travels[after + 1] and after - last < FARTHER * rate:
            after += 1
        inside[before : after + 1] = True
    span = max(int(COMES * rate), 1)
    return widen(inside, span // 2, span)


def _flights(poses: RecordedPoses, contacts: ContactRuns) -> Floats:
    """``(T,)`` whether the body is in the air: no contact, soles high, and it falls."""
    count, rate = len(poses.motion), poses.motion.rate
    down = np.zeros(count, dtype=np.bool_)
    for _, first, last in contacts.rows.tolist():
        down[first : last + 1] = True
    if not down.any():  # no ground is known: nothing can be said
        return np.zeros(count)
    low = contacts.paths[..., 1].min(axis=1)
    frames = np.flatnonzero(down)
    floor = np.interp(np.arange(count), frames, low[frames])
    high = ~down & (low - floor > FLIGHT_HEIGHT * poses.leg_length)
    hips = smooth_gaussian(poses.position("hips"), rate, 0.03)[:, 1]
    falls = derivative(derivative(hips, rate), rate)
    least = FALLS * min(poses.leg_length / LEG, 1.0)  # who is scaled falls by his size, who is a child as anybody does
    flying: Bools = np.zeros(count, dtype=np.bool_)
    for first, last in runs(high):
        if last - first + 1 >= SHORTEST_FLIGHT * rate and falls[first : last + 1].mean() < least:
            flying[first : last + 1] = True
    if not flying.any():
        return np.zeros(count)
    span = max(int(GRAVITY_AROUND * rate), 1)
    around = widen(running_maximum(flying.astype(np.float64), span), 1, span)
    around[[(first + last) // 2 for first, last in runs(down)]] = 0.0  # however short a stance is, it parts two flights
    return around
