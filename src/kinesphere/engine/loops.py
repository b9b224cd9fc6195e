"""Loops: recordings that go round, over several of their cycles, with what is found in them the same in each.

What comes and goes, swings on or is smoothed needs the cycle before and the one after. So a loop is repeated, strokes,
steps, flights and contacts are found in all of its cycles, and those of the middle one are taken: they may begin before
its first frame and end after its last. A body that walks in place is on a **treadmill**: its cycles are laid one behind
the other over the ground that passes below it, where its feet stand as anybody's do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kinesphere.body.contacts import ContactRuns
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.engine.inserted_poses import with_inserted_marked
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.engine.stepping import PACES, RHYTHM, FootStance, Steps, find_steps
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

LOOP_ANGLE, LOOP_DISTANCE = np.radians(0.5), 0.002  # between first and last frame of a loop; metres
SHORTEST_LOOP = 0.3  # seconds
ONE_FRAME = 1.5  # times what a joint turns within a frame, of what it turns from the last pose to the first
LONGEST_OPEN = 4.0  # seconds of a cycle that is looked at without its last frame: longer walks are found as they are
LOOP_SEAM, LOOP_MOVES = 0.12, 0.35  # seconds at both ends, and how much of its mean speed a loop has there
AROUND = 2.0  # seconds of other cycles before and after the one that is taken, at least
LEVEL = np.array([1.0, 0.0, 1.0])
LOW = 0.04  # leg lengths above the lowest point, in which a sole is on a treadmill
SLOWEST_BELT = 0.3  # leg lengths a second
STEADY_BELT = 0.35  # of its speed that soles on it differ from it, on the median
BOTH_FEET = 0.5  # of its speed that either foot's own one is away from it, at most
SETTLINGS = 3  # rounds of leaving out soles that are not on it
GOES_ALONG = 0.5  # of its speed that a sole on it differs from it, at most


def is_loop(motion: Motion) -> bool:
    """Whether a motion goes round: its last frame is its first again, and it moves on there as it does elsewhere.

    It may travel: then the next cycle goes on from where this one ends (``kinesphere.loop`` makes such ones).
    A gesture that begins and ends in one and the same rest is none: it has strokes with a timing, and no pace.
    """
    if motion.duration < SHORTEST_LOOP or with_inserted_marked(motion).calibration_frames:
        return False
    first, last = motion.rotations[0], motion.rotations[-1]
    if rotations.angle_between(first, last).max() > LOOP_ANGLE:
        return False
    moved = np.abs(motion.translations[0] - motion.translations[-1])
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    moved[roots] *= np.array([0.0, 1.0, 0.0])  # a cycle may travel over the ground
    if moved.max() > LOOP_DISTANCE:
        return False
    speeds = rotations.angle_between(motion.rotations[1:], motion.rotations[:-1]).max(axis=1)
    count = max(round(LOOP_SEAM * motion.rate), 1)
    seam = float(np.concatenate([speeds[:count], speeds[-count:]]).mean())
    return bool(seam > LOOP_MOVES * float(speeds.mean()) and speeds.max() > 1e-6)


def lacks_last_frame(motion: Motion) -> bool:
    """Whether it is a short cycle of a walk that ends one frame before its first pose comes again.

    With that pose at its end it goes round, on as it went before and after, and steps.
    """
    if len(motion) < 4 or motion.duration > LONGEST_OPEN or is_loop(motion):
        return False
    steps = rotations.angle_between(motion.rotations, np.roll(motion.rotations, 1, axis=0))
    usual = np.maximum(np.maximum(steps[1], steps[-1]), steps[1:].mean(axis=0))
    if (steps[0] > ONE_FRAME * usual + LOOP_ANGLE).any():
        return False
    turned, places = (np.concatenate([own, own[:1]]) for own in (motion.rotations, motion.translations))
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    way = (motion.translations[-1] - motion.translations[0])[roots] * LEVEL
    places[-1, roots] += way * len(motion) / (len(motion) - 1)
    scales = None if motion.scales is None else freeze(np.concatenate([motion.scales, motion.scales[:1]]))
    closed = replace(motion, rotations=freeze(rotations.continuous(turned)), translations=freeze(places), scales=scales)
    return is_loop(closed) and UnrolledLoop.of(closed).steps.walks


def travel(motion: Motion) -> Floats:
    """``(J, 3)`` how far roots have come over the ground in a cycle; nothing else moves on."""
    made = np.zeros((len(motion.skeleton), 3))
    roots = np.flatnonzero(motion.skeleton.parents < 0)
    made[roots] = (motion.translations[-1] - motion.translations[0])[roots] * LEVEL
    return made


def travels(motion: Motion) -> bool:
    """Whether a loop goes over the ground."""
    return bool(norms(travel(motion)).max() > LOOP_DISTANCE)


def carried(motion: Motion, way: Floats) -> Motion:
    """The motion with its roots elsewhere by ``way (T, 3)``."""
    if not way.any():
        return motion
    translations = motion.translations.copy()
    translations[:, np.flatnonzero(motion.skeleton.parents < 0)] += way[:, None]
    return replace(motion, translations=freeze(translations))


@dataclass(frozen=True)
class Cycles:
    """How often a loop of so many frames is repeated."""

    count: int  # odd
    frames: int  # of one cycle; the last frame of one is the first of the next

    @property
    def first(self) -> int:
        """The first frame of the middle cycle."""
        return (self.count // 2) * self.frames

    @property
    def middle(self) -> slice:
        """The frames of the middle cycle, with the first of the next."""
        return slice(self.first, self.first + self.frames + 1)

    def has(self, frame: float) -> bool:
        """Whether a frame is in the middle cycle."""
        return self.first <= frame < self.first + self.frames

    def tile(self, values: Floats, on: Floats | float = 0.0) -> Floats:
        """Values of one cycle ``(N + 1, ...)`` in all of them, each higher by ``on`` than the one before."""
        parts = [values[:-1] + k * on for k in range(self.count)]
        return np.concatenate([*parts, values[-1:] + (self.count - 1) * on])


@dataclass(frozen=True, eq=False)
class UnrolledLoop:
    """A loop over several cycles, and what its feet do in them.

    Attributes
    ----------
    once
        The poses of one cycle. On a treadmill it goes over the ground.
    poses
        Those of all cycles.
    cycles
        How many there are.
    treadmill : (3,)
        Metres a second that a body goes in place: how fast the ground passes below it.
    steps
        Of all cycles; each is like every other.
    """

    once: RecordedPoses
    poses: RecordedPoses
    cycles: Cycles
    treadmill: Floats
    steps: Steps

    def __repr__(self) -> str:
        return f"<UnrolledLoop: {self.cycles.count} cycles of {self.once.motion!r}>"

    @classmethod
    def of(cls, motion: Motion) -> UnrolledLoop:
        """Of a motion that is a loop."""
        once = RecordedPoses.of(motion)
        treadmill = find_treadmill(once)
        if treadmill.any():
            once = RecordedPoses.of(carried(motion, motion.times[:, None] * treadmill))
        around = int(np.ceil(AROUND / motion.duration))
        cycles = Cycles(2 * around + 1, len(motion) - 1)
        poses = RecordedPoses.of(unroll_motion(once.motion, cycles))
        speed = float(norms(treadmill)) / once.leg_length
        steps = _in_all_cycles(find_steps(poses, speed), poses, cycles)
        return cls(once, poses, cycles, treadmill, steps if _in_rhythm(steps, cycles) else steps.standing)

    @cached_property
    def own_steps(self) -> Steps:
        """The steps of one cycle: what begins in it."""
        cycles, steps, rate = self.cycles, self.steps, self.poses.motion.rate
        first, seconds = cycles.first, cycles.first / rate
        back = (cycles.count // 2) * self.way
        own = [i for i, at in enumerate(steps.strikes) if cycles.has(at * rate + 1e-6)]
        stances = [_moved(row, -first, -back) for row in steps.stances if cycles.has(row.first)]
        whole = [row._replace(first=0, last=cycles.frames) for row in steps.stances if row.last - row.first > first]
        return Steps(
            steps.strikes[own] - seconds,
            tuple(steps.strike_sides[i] for i in own),
            steps.walking[cycles.middle],
            tuple(sorted([*whole, *stances])),
            steps.flying[cycles.middle],
            _middle_contacts(steps.contacts, cycles, self.once),
            steps.period,
        )

    @property
    def way(self) -> Floats:
        """``(3,)`` metres that the body goes over the ground in a cycle."""
        hips = self.once.position("hips")
        return np.asarray((hips[-1] - hips[0]) * LEVEL)


def unroll_motion(motion: Motion, cycles: Cycles) -> Motion:
    """A loop's motion over several cycles."""
    scales = None if motion.scales is None else freeze(cycles.tile(motion.scales))
    turned, places = cycles.tile(motion.rotations), cycles.tile(motion.translations, travel(motion))
    return replace(motion, rotations=freeze(turned), translations=freeze(places), scales=scales)


# The same in every cycle


def _in_all_cycles(found: Steps, poses: RecordedPoses, cycles: Cycles) -> Steps:
    """Steps as they are in the middle one of several cycles, in each of them."""
    rate, seconds = poses.motion.rate, cycles.frames / poses.motion.rate
    hips = poses.position("hips")
    way = (hips[cycles.first + cycles.frames] - hips[cycles.first]) * LEVEL
    shifts = np.arange(cycles.count) - cycles.count // 2
    own = [i for i, at in enumerate(found.strikes) if cycles.has(at * rate + 1e-6)]
    strikes = np.concatenate([found.strikes[own] + k * seconds for k in shifts]) if own else np.zeros(0)
    end = cycles.count * cycles.frames
    stances: list[FootStance] = []
    for row in found.stances:
        if row.last - row.first > cycles.frames and row.first <= cycles.first:
            stances.append(row._replace(first=0, last=end))  # it stands all the time
        elif cycles.has(row.first):
            for k in (shifts[0] - 1, *shifts):
                moved = _moved(row, int(k) * cycles.frames, k * way)
                if moved.last >= 0:
                    stances.append(moved._replace(first=max(moved.first, 0), last=min(moved.last, end)))
    return Steps(
        strikes,
        tuple(found.strike_sides[i] for i in own) * cycles.count,
        cycles.tile(found.walking[cycles.middle]),
        tuple(sorted(stances)),
        cycles.tile(found.flying[cycles.middle]),
        found.contacts,
        seconds,
    )


def _in_rhythm(steps: Steps, cycles: Cycles) -> bool:
    """Whether the strikes of a loop, repeated, are steps: as regular as steps are, with a stance between any two.

    A jump off one foot that comes down on both is no locomotion, however often it is repeated.
    """
    if not steps.walks or steps.period is None:
        return True
    per_cycle = len(steps.strikes) // cycles.count
    once = steps.strikes[: per_cycle + 1]
    gaps = np.diff(once)
    own = gaps[gaps <= PACES[1]]
    if len(own) and own.max() > RHYTHM * own.min():
        return False
    rate = cycles.frames / steps.period
    pairs = zip(once[:-1] * rate, once[1:] * rate, strict=True)
    return not steps.stances or all(
        any(row.first <= after and row.last >= before for row in steps.stances) for before, after in pairs
    )


def _moved(stance: FootStance, frames: int, way: Floats) -> FootStance:
    """A stance some frames later, and elsewhere."""
    x, y, z = (np.array(stance.ankle) + way).tolist()
    return FootStance(stance.side, stance.first + frames, stance.last + frames, (x, y, z))


def _middle_contacts(found: ContactRuns | None, cycles: Cycles, once: RecordedPoses) -> ContactRuns | None:
    """The contacts of the middle cycle, as those of the first."""
    if found is None:
        return None
    shift = np.array([0, cycles.first, cycles.first])
    begins = (found.rows[:, 1] >= cycles.first) & (found.rows[:, 1] < cycles.first + cycles.frames)
    whole = found.rows[:, 2] - found.rows[:, 1] > cycles.first
    rows = np.concatenate([found.rows[begins & ~whole] - shift, np.maximum(found.rows[whole] - shift, 0)])
    return found._replace(rows=rows, paths=sole_paths(once.motion, found.points))


# Treadmills


OPEN_CYCLE = "no walk is found: its first pose comes one frame after its last; kinesphere loop makes a cycle of it"


def describe_treadmill(treadmill: Floats) -> str:
    """How fast somebody goes in place, in words; empty for anybody else."""
    return f" on a treadmill at {float(norms(treadmill)):.2f} m/s" if treadmill.any() else ""


def find_treadmill(poses: RecordedPoses) -> Floats:
    """``(3,)`` metres a second that a body goes in place, by its soles: those that are low go back at one speed.

    Nothing where it travels itself, where feet rest or move about, and where both don't go the same way.
    """
    nothing, motion = np.zeros(3), poses.motion
    if travels(motion):
        return nothing
    points, count = sole_points(motion.skeleton), len(motion) - 1
    paths = sole_paths(motion, points)[:-1]
    velocity = 0.5 * (np.roll(paths, -1, axis=0) - np.roll(paths, 1, axis=0)) * motion.rate
    heights = paths[..., 1] - np.array([point.clearance for point in points])
    sides = np.array([point.side for point in points])
    rows, feet = [], []
    for side in SIDES:
        own = np.flatnonzero(sides == side)
        lowest = own[np.argmin(heights[:, own], axis=1)]
        high = heights[np.arange(count), lowest]
        low = high < high.min() + LOW * poses.leg_length
        rows.append(velocity[np.flatnonzero(low), lowest[low]] * LEVEL)
        feet.append(np.full(int(low.sum()), side))
    soles, whose = np.concatenate(rows), np.concatenate(feet)
    belt = np.median(soles, axis=0)
    for _ in range(SETTLINGS):
        along = norms(soles - belt) < GOES_ALONG * norms(belt)
        if not along.any():
            return nothing
        belt = np.median(soles[along], axis=0)
    speed = float(norms(belt))
    if speed < SLOWEST_BELT * poses.leg_length or np.median(norms(soles - belt)) > STEADY_BELT * speed:
        return nothing
    each = [np.median(soles[whose == side], axis=0) for side in SIDES]
    if any(norms(own - belt) > BOTH_FEET * speed for own in each):
        return nothing
    return np.asarray(-belt)
