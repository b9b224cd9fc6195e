"""Arms: inverse kinematics of all arms of a batch, blended from three spaces, with flourishes and relaxed arms.

A wrist's target comes from its path (``arm_plan``). An arm without keys is relaxed: it hangs below its shoulder, and
swings as a damped pendulum when the shoulder is moved. Arms are solved in the chest's axes, from the shoulder; those of
the left side come first in all arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere import _native
from kinesphere.engine.arm_plan import COLUMNS, ELBOW, IN_WORLD, RELAXED, SHOULDER, ArmPlan
from kinesphere.engine.batch import Batch
from kinesphere.engine.capsules import ROOMY
from kinesphere.engine.channels import sample_rows
from kinesphere.engine.clocks import StrokePhase
from kinesphere.engine.excursions import excursions
from kinesphere.engine.overlays import elbow_factor, half_waves, twist_wave
from kinesphere.engine.paths import PARTS, StrokePaths
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, SIGN, FigureLimb
from kinesphere.engine.quickness import limit_accelerations
from kinesphere.maths import rotations, threads
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, differences, norms, smoothstep
from kinesphere.motion.gesture import resting_swivel, resting_wrist
from kinesphere.motion.phrase import OVERLAYS, Track

QUICKEST = 0.8  # radians a step: a pendulum that swings more quickly than frames can show is slowed to this
HANGS = 0.85  # share of the torso's lean that a relaxed arm does not follow
SWING, DAMPING = 0.95, 0.5  # a relaxed arm's own cycles a second, and its share of critical damping
FOLLOWS = 0.75  # of the shoulder's acceleration that reaches the arm
FARTHEST = 0.22  # metres that it swings
FARTHEST_BEHIND, BENT_AHEAD, SOFTLY = 0.10, 1.2, 0.03  # metres behind its shoulder, for each that it is shorter, softly
ACTING = 0.3  # of where an idle hand is held, that a hand has which hangs before or after its strokes
SETTLED = 0.5  # seconds before the end from which it comes to rest
JOIN_UP, JOIN_AHEAD = np.radians(24.0), np.radians(13.0)  # how far a shoulder joins its arm
ELBOW_FREE = np.radians(97.0)  # from 30° ahead of sideways: as far as upper arms go freely
ARM_LENGTH = 0.545  # metres from shoulder to wrist, for a figure 1.70 m tall
FRAME_WORK = 100  # numbers that an arm is worth when frames are shared among threads
TRAIL, TRAIL_LATE, MOST_TRAIL = 0.40, 0.06, 0.55  # an elbow that trails: radians at 1 m/s aside, seconds, radians
Carriers: TypeAlias = Mapping[str, tuple[Floats, Floats]]  # joint to its world rotations (F, 4) and positions (F, 3)


# Relaxed arms


def swing_pendulum(pivot: Floats, rate: float, omega: float, damping: float, follows: float) -> Floats:
    """A damped pendulum below a pivot ``(T, D)`` that moves: ``(T, D)`` the displacement of its end, from rest.

    ``omega`` is its own frequency in radians a second, ``damping`` its share of the critical one, ``follows`` the
    share of the pivot's acceleration that reaches it. Semi-implicit steps, which as a recurrence of two terms

        x[i] = (1 + a) x[i−1] − a x[i−2] − b x[i−1] + f[i−1] h²    with a = 1 − 2 damping omega h, b = omega² h²

    are a linear filter: exact for any length, without a loop in Python.
    """
    step = 1.0 / rate
    omega = min(omega, QUICKEST * rate)
    force = np.zeros_like(pivot)
    force[1:-1] = -np.diff(pivot, 2, axis=0)  # times rate², times h²: nothing left
    keeps, pulls = 1.0 - 2.0 * damping * omega * step, (omega * step) ** 2
    # The roots of z² − (1 + keeps − pulls) z + keeps, a conjugate pair unless it is damped nearly critically.
    half = 0.5 * (1.0 + keeps - pulls)
    root = half + 1j * np.sqrt(max(keeps - half * half, 1e-9))
    powers = root ** np.arange(len(pivot))
    # The impulse response, Im(rootⁿ⁺¹) / Im(root), and its convolution by Fourier's transform.
    response = np.concatenate([[0.0], (powers * root).imag[: len(pivot) - 1] / root.imag])
    size = 2 ** int(np.ceil(np.log2(2 * len(pivot))))
    spectrum = np.fft.rfft(response, size)[:, None] * np.fft.rfft(follows * force, size, axis=0)
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: len(pivot)])


def relaxed_wrists(batch: Batch, size: float, rest: Floats, shoulder: Floats, chest: Floats) -> Floats:
    """Offsets ``(F, 3)`` of relaxed arms' wrists from ``rest (F, 3)``, in the chest's axes.

    They hang below the shoulder whatever the torso's lean, and swing when the shoulder is moved.
    """
    ahead = rotations.rotate(chest, np.array([0.0, 0.0, 1.0]))
    half = 0.5 * np.arctan2(ahead[:, 0], ahead[:, 2])
    heading = np.zeros_like(chest)
    heading[:, 0], heading[:, 2] = np.cos(half), np.sin(half)
    upright = rotations.slerp(chest, heading, np.full(len(chest), HANGS))
    swing = _swing_level(batch, batch.smooth(shoulder, 0.03), size)
    wrist = rotations.rotate(upright, rest) + swing
    return rotations.rotate(rotations.conjugate(chest), wrist) - rest


def _swing_level(batch: Batch, pivot: Floats, size: float) -> Floats:
    """``(F, 3)`` level displacement of pendulums below pivots ``(F, 3)``, at most ``FARTHEST``."""
    omega = 2.0 * np.pi * SWING / np.sqrt(size)
    path = np.zeros_like(pivot)
    for frames, loop in zip(batch.slices, batch.loops, strict=True):
        own = pivot[frames]
        repeated = np.concatenate([own[:-1]] * 4 + [own[-1:]]) if loop else own  # a loop is run until it repeats
        swing = swing_pendulum(repeated, batch.rate, omega, DAMPING, FOLLOWS)[-len(own) :]
        if not loop:  # at rest again when the gesture is over
            left = (len(swing) - 1 - np.arange(len(swing))) / (SETTLED * batch.rate)
            swing = swing * smoothstep(left)[:, None]
        path[frames] = swing
    path[:, 1] = 0.0
    far = FARTHEST * size
    level = np.hypot(path[:, 0], path[:, 2])
    return np.asarray(path * np.where(level > 1e-9, far * np.tanh(level / far) / np.maximum(level, 1e-9), 1.0)[:, None])


# Inverse kinematics


class ArmBlend(NamedTuple):
    """Weights and paths through joint angles and elbow positions, and the elbow's flourishes.

    A hand path can run through wrist positions (the default), joint angles or elbow positions. Arms on wrist paths
    alone have one row of ``angles``, ``starts`` and ``elbows``, which is not read, as their weights are 0.
    """

    angle_weight: Floats  # (F,) weight of the path through joint angles
    angles: Floats  # (F, 4) that path; columns 0–2: rotation vector from ``starts``; column 3: elbow flexion
    starts: Floats  # (F, 4) the shoulder rotation at the start of the stroke
    elbow_weight: Floats  # (F,) weight of the path through elbows
    elbows: Floats  # (F, 3) that path
    bend: Floats  # (F,) factor of the elbow flexion
    swivel_offset: Floats  # (F,) added to the elbow's swivel: a rotation about the line from shoulder to wrist

    @classmethod
    def plain(cls, frames: int) -> ArmBlend:
        """Nothing but the wrist's path."""
        none = np.zeros(frames)
        return cls(none, np.zeros((1, 4)), np.zeros((1, 4)), none, np.zeros((1, 3)), np.ones(frames), none)

    def select(self, rows: slice) -> ArmBlend:
        """Some of the frames, C-ordered."""
        return ArmBlend(*(np.ascontiguousarray(row if len(row) == 1 else row[rows]) for row in self))


class ArmObstacles(NamedTuple):
    """V capsules of the body around hands, in the world.

    Shoulder position and chest rotation are there to convert the capsules' lines to chest axes.
    """

    shoulder: Floats  # (F, 3) position in the world
    chest: Floats  # (F, 4) rotation in the world
    lines: Floats  # (F, V, 2, 3) ends of the capsules' axes, in the world
    shifts: Floats  # (V, 2, 3) added to these ends, in chest axes
    widths: Floats  # (V, 2) half widths aside and ahead

    @classmethod
    def none(cls, frames: int) -> ArmObstacles:
        """No capsules: all flourishes have room."""
        lines, shifts, widths = np.zeros((frames, 0, 2, 3)), np.zeros((0, 2, 3)), np.zeros((0, 2))
        return cls(np.zeros((frames, 3)), np.zeros((frames, 4)), lines, shifts, widths)

    def select(self, rows: slice) -> ArmObstacles:
        """Some of the frames."""
        return ArmObstacles(self.shoulder[rows], self.chest[rows], self.lines[rows], self.shifts, self.widths)


class ArmSolution(NamedTuple):
    """Solved arms, in the chest's axes."""

    upper: Floats  # (F, 4) the shoulder's rotation
    flexion: Floats  # (F,) the elbow's angle
    wrist: Floats  # (F, 3) from the shoulder
    room: Floats  # (F,) 0–1: scale for flourishes; 0 at the body, 1 from ``ROOMY`` metres away


def solve_arms(
    limb: FigureLimb,
    target: Floats,
    swivel: Floats,
    blend: ArmBlend,
    body: ArmObstacles,
    size: float,
    *,
    free: float = math.inf,
) -> ArmSolution:
    """Arms that bring wrists to ``target (F, 3)`` with ``swivel (F,)``, changed by what ``blend`` adds.

    Elbows swivel back where upper arms would be more than ``free`` radians from the middle of what shoulders can do.
    """
    count = len(target)
    made = ArmSolution(np.empty((count, 4)), np.empty(count), np.empty((count, 3)), np.empty(count))
    target, swivel = np.ascontiguousarray(target), np.ascontiguousarray(swivel)

    def solve(rows: slice) -> None:
        own = target[rows], swivel[rows], DOWN, AHEAD, blend.select(rows)
        solution = ArmSolution(*(row[rows] for row in made))
        _native.arms.solve_arms(*own, limb.rest, FLEXIONS, free, body.select(rows), ROOMY * size, solution)

    threads.share_frames(count, count * FRAME_WORK, solve)
    return made


# All arms of a batch


@dataclass(frozen=True, eq=False)
class ArmTask:
    """What one arm does in one performance."""

    plan: ArmPlan | None
    phase: StrokePhase | None
    track: Track
    source_time: Floats  # (T,) of the phrase
    loop: bool

    def flourish(self, name: str) -> Floats:
        """``(T,)`` or ``()``."""
        curve = self.track.overlay(name)
        return curve if curve.ndim == 0 else sample_rows(curve, self.source_time, self.loop)

    @property
    def in_place(self) -> Floats:
        """``(T,)`` from 0 to 1, how far a wrist is at a place in the world, or at one that goes with a joint.

        It is so for a sixth of the strokes to and from it, and all the time where it stays.
        """
        if self.plan is None or self.phase is None or not self.plan.in_world:
            return np.zeros(len(self.source_time))
        fixed, stroke, share = self.plan.fixed[self.plan.edges], self.phase.stroke, 6.0 * self.phase.time_share
        from_it, to_it = fixed[stroke] * smoothstep(1.0 - share), fixed[stroke + 1] * smoothstep(share - 5.0)
        return np.asarray(np.maximum(np.maximum(from_it, to_it), self.plan.staying[stroke]))

    def subsample(self, every: int) -> ArmTask:
        """Every so many frames of it."""
        phase = self.phase and self.phase.subsample(every)
        return ArmTask(self.plan, phase, self.track, self.source_time[::every], self.loop)


@dataclass(frozen=True, eq=False)
class ArmPose:
    """Arms in the chest's axes: the left ones of all performances, and then the right ones."""

    upper: Floats  # (2 F, 4) the shoulder's rotation
    flexion: Floats  # (2 F,) the elbow's angle
    wrist: Floats  # (2 F, 3) from the shoulder
    relaxed: Floats  # (2 F,) how far each arm is relaxed
    flourish_weight: Floats  # (2 F,) how much of its flourishes it shows
    time_share: Floats  # (2 F,) of the stroke's time
    half_waves: Floats  # (2 F,) of the stroke's twists
    room: Floats  # (2 F,) 0–1: scale for flourishes by the distance from the body
    flourishes: dict[str, Floats]  # each (2 F,) or ()

    @cached_property
    def sides(self) -> dict[str, slice]:
        """The rows of the left and of the right arms."""
        half = len(self.flexion) // 2
        return {"left": slice(half), "right": slice(half, None)}


def pose_arms(
    limbs: Mapping[str, FigureLimb],
    tasks: Sequence[ArmTask],
    batch: Batch,
    size: float,
    shoulder: Floats,
    chest: Floats,
    *,
    body: Callable[[slice], ArmObstacles] | None = None,
    carriers: Carriers | None = None,
    hanging: Floats | None = None,
    for_balance: bool = False,
) -> ArmPose:
    """The arms of all performances, left ones first, from ``shoulder (2 F, 3)`` and ``chest (2 F, 4)`` in the world.

    ``batch`` has every performance twice. ``carriers`` are the joints that keys go with. ``body`` returns the capsules
    for rows of one side; near them flourishes shrink (``ArmPose.room``). Hands are not moved. ``hanging (2 F, 4)`` is
    where relaxed hands are from where they hang, out, up and ahead, in metres of the figure, and how far their elbows
    are out, in radians. ``for_balance`` leaves out what does not matter to it: other spaces and flourishes.
    """
    flourishes = {} if for_balance else {name: _gather(name, tasks, batch) for name in OVERLAYS}
    spaces = not for_balance and _uses_other_spaces(flourishes)
    fades = not for_balance and bool(flourishes["displacement"].any())
    samples = _ArmPathSamples.of(tasks, batch, shoulder, chest, spaces, fades, carriers or {})
    rows, half = samples.rows, len(batch) // 2
    halves = dict(zip(SIGN, (slice(half), slice(half, None)), strict=True))
    relaxed = samples.relaxed
    target = rows[:, :3]
    if relaxed.any():
        rest = np.repeat(size * np.array([resting_wrist(side) for side in SIGN]), half, axis=0)
        if samples.idle.any():
            swivels = np.repeat([resting_swivel(side) for side in SIGN], half)
            rows[samples.idle, :3], rows[samples.idle, 3] = rest[samples.idle], swivels[samples.idle]
        hang = rest
        if hanging is not None:
            signs = np.repeat(list(SIGN.values()), half)
            shown = np.where(samples.idle, 1.0, ACTING)  # or a hand would have two ways to go before its stroke
            hang = rest + (size * shown)[:, None] * np.column_stack([signs * hanging[:, 0], hanging[:, 1:3]])
            rows[:, 3] += relaxed * signs * shown * hanging[:, 3]
        hang = hang + relaxed_wrists(batch, size, hang, shoulder, chest)
        hang[:, 2] += _bent_behind(hang, size)
        target = target + relaxed[:, None] * (hang - rest)
    if not for_balance:
        target = np.ascontiguousarray(target)
        limit_accelerations(batch, target, samples.held, size)
    weight = samples.flourish_share
    blend = ArmBlend.plain(len(batch))
    waves = samples.half_waves
    if not for_balance:
        weight = weight * (1.0 - relaxed)
        counts = np.where(waves != 0.0, np.abs(waves), flourishes["elbow_frequency"])
        signed = weight * np.where(waves < 0.0, -1.0, 1.0)
        swivel_offset = twist_wave(samples.time_share, flourishes["elbow_twist"] * signed, counts)
        swivel_offset += flourishes["elbow_out"] * (1.0 - relaxed)
        swivel_offset[halves["right"]] *= SIGN["right"]
        if flourishes["trail"].any():
            swivel_offset += flourishes["trail"] * (1.0 - relaxed) * _elbow_trail(batch, target, size)
        displacement = flourishes["displacement"] * signed * samples.via_fade
        bend = elbow_factor(samples.time_share, displacement, np.where(waves != 0.0, np.abs(waves), 2.0))
        blend = _blend(samples, flourishes, 1.0 - relaxed)._replace(bend=bend, swivel_offset=swivel_offset)
    made = [
        solve_arms(
            limbs[side],
            target[own],
            rows[own, 3],
            blend.select(own),
            ArmObstacles.none(half) if body is None else body(own),
            size,
            free=ELBOW_FREE,
        )
        for side, own in halves.items()
    ]
    upper, flexion, wrist, room = (np.concatenate(pair) for pair in zip(*made, strict=True))
    return ArmPose(upper, flexion, wrist, relaxed, weight, samples.time_share, waves, room, flourishes)


def _bent_behind(wrist: Floats, size: float) -> Floats:
    """``(F,)`` metres by which hanging wrists ``wrist (F, 3)`` come ahead: the more an arm is bent, the less far back.

    An elbow bends forwards. A bent arm whose wrist hung behind its shoulder would have its elbow inside the trunk.
    """
    bent = ARM_LENGTH * size - norms(wrist)
    behind = np.maximum(BENT_AHEAD * bent - FARTHEST_BEHIND * size - wrist[:, 2], 0.0)
    return np.asarray(behind * behind / (behind + SOFTLY * size))


def _elbow_trail(batch: Batch, target: Floats, size: float) -> Floats:
    """``(F,)`` radians that elbows swivel behind wrists ``target (F, 3)`` that go aside: they stay where they were."""
    aside = batch.smooth(batch.velocity(target[:, 0]), 0.03) / size
    return np.asarray(-MOST_TRAIL * np.tanh(TRAIL * batch.delay(aside, TRAIL_LATE) / MOST_TRAIL))


class _ArmPathSamples(NamedTuple):
    """Arms' paths at every frame."""

    rows: Floats  # (F, 6), or (F, 13) with the two other spaces
    relaxed: Floats  # (F,) how far each arm is relaxed
    starts: Floats  # (F, 4) the shoulder's rotation at the stroke's start, where there are other spaces
    time_share: Floats  # (F,) of the stroke's time
    flourish_share: Floats  # (F,) how much of its flourishes a stroke shows
    via_fade: Floats  # (F,) factor of flourishes that would miss a via
    half_waves: Floats  # (F,) of the stroke's twists, below zero where they begin with the other sign; 0: as written
    idle: Bools  # (F,) whether the arm has no keys
    other_spaces: Floats  # (F,) whether other spaces than the wrist's count
    held: Bools  # (F,) whether the wrist is at a goal, or at a place in the world or at a joint

    @classmethod
    def of(
        cls,
        tasks: Sequence[ArmTask],
        batch: Batch,
        shoulder: Floats,
        chest: Floats,
        spaces: bool,
        fades: bool,
        carriers: Carriers,
    ) -> _ArmPathSamples:
        count = len(batch)
        rows = np.zeros((count, COLUMNS if spaces else SHOULDER))
        starts = rotations.identity(count) if spaces else np.zeros((1, 4))
        (time_share, flourish_share, waves), via_fade = np.zeros((3, count)), np.ones(count)
        (idle, held), other_spaces = np.zeros((2, count), dtype=np.bool_), np.ones(count)
        for frames, task in zip(batch.slices, tasks, strict=True):
            plan, phase = task.plan, task.phase
            if plan is None or phase is None:
                idle[frames] = True
                continue
            own = {name: (carriers[name][0][frames], carriers[name][1][frames]) for name in plan.carriers}
            path, first, phase = _sample_path(
                plan, phase, rows[frames], shoulder[frames], chest[frames], batch.rate, own
            )
            if spaces:
                starts[frames] = first[phase.stroke]
                if plan.in_world:  # a hand that stays at a position in the world has no other space
                    other_spaces[frames] = plan.lengths[phase.stroke] > 0.0
            held[frames] = (phase.time_share % 1.0 == 0.0) | (rows[frames, IN_WORLD] > 0.0)
            held[frames] |= plan.lengths[phase.stroke] == 0.0
            time_share[frames] = phase.time_share
            flourish_share[frames] = plan.flourish_shares[phase.stroke]
            if fades:
                via_fade[frames] = plan.via_fade(path, phase, batch.rate)
            rate = float(task.track.overlay("wave_rate").mean())
            if rate > 0.0:
                counts, signs = half_waves(differences(plan.clock.goals), rate)
                waves[frames] = (counts * signs)[phase.stroke]
        relaxed = clip(rows[:, RELAXED], 0.0, 1.0)
        relaxed[idle] = 1.0
        return cls(rows, relaxed, starts, time_share, flourish_share, via_fade, waves, idle, other_spaces, held)


def _sample_path(
    plan: ArmPlan, phase: StrokePhase, rows: Floats, shoulder: Floats, chest: Floats, rate: float, carriers: Carriers
) -> tuple[StrokePaths, Floats, StrokePhase]:
    """Write the rows ``(T, ...)`` of one arm's path; gives path, the shoulder at each stroke's start, and the phase."""
    if plan.in_world:
        return _sample_world_path(plan, phase, rows, shoulder, chest, rate, carriers)
    starts, path = _fit_path(plan, plan.positions, rows)
    rows[:] = path.at(phase.stroke, phase.path_share)
    if plan.leaves_path:
        rows[:, :3] += excursions(plan, plan.positions, path, phase, rate)
    plan.limb.soften(rows[:, :3], plan.farthest(plan.positions))
    return path, starts, phase


def _fit_path(plan: ArmPlan, positions: Floats, rows: Floats) -> tuple[Floats, StrokePaths]:
    """The shoulder at each stroke's start, and the path of as many columns as ``rows`` have."""
    return plan.paths(positions) if rows.shape[1] > SHOULDER else (np.zeros((1, 4)), plan.wrist_path(positions))


def _sample_world_path(
    plan: ArmPlan, phase: StrokePhase, rows: Floats, shoulder: Floats, chest: Floats, rate: float, carriers: Carriers
) -> tuple[StrokePaths, Floats, StrokePhase]:
    """The same where some keys are in the world or go with a joint. Vias among them are passed in a whole frame."""
    carried = {
        key: carriers[name][1] + rotations.rotate(carriers[name][0], plan.offsets[key])
        for key, name in enumerate(plan.spaces)
        if name in carriers
    }
    places = plan.positions.copy()

    def seen_from_chest(at: Ints) -> Floats:
        for key, path_of_key in carried.items():
            places[key] = path_of_key[at[key]]
        in_chest = rotations.rotate(rotations.conjugate(chest[at]), places - shoulder[at])
        return np.where(plan.fixed[:, None], in_chest, plan.positions)

    at = clip(np.round(plan.frames * (rate / plan.clock.rate)).astype(np.intp), 0, len(chest) - 1)
    positions = seen_from_chest(at)
    starts, path = _fit_path(plan, positions, rows)
    if plan.fixed_vias:
        at = plan.passing_frames(path, phase, at, rate)
        positions = seen_from_chest(at)
        starts, path = _fit_path(plan, positions, rows)
        phase = plan.pass_vias(path, phase, at, rate)
    rows[:] = path.at(phase.stroke, phase.path_share)
    # Between keys of the world the hand goes through the world.
    from_chest = shoulder[at] + rotations.rotate(chest[at], plan.positions)
    world_path = plan.wrist_path(np.where(plan.fixed[:, None], places, from_chest))
    along = plan.same_progress(path, world_path, phase) if plan.fixed_vias else phase
    world = world_path.at(along.stroke, along.path_share)[:, :3]
    if carried:
        world = _follow_carriers(plan, along, world_path, world, carried, at)
    in_chest = rotations.rotate(rotations.conjugate(chest), world - shoulder)
    rows[:, :3] += clip(rows[:, IN_WORLD], 0.0, 1.0)[:, None] * (in_chest - rows[:, :3])
    if plan.leaves_path:
        rows[:, :3] += excursions(plan, positions, path, phase, rate)
    plan.limb.soften(rows[:, :3], plan.farthest(positions))
    return path, starts, phase


def _follow_carriers(
    plan: ArmPlan, phase: StrokePhase, path: StrokePaths, world: Floats, carried: Mapping[int, Floats], at: Ints
) -> Floats:
    """A path ``(T, 3)`` through keys as they are at their moments, with keys that go with joints as they are now.

    What they have moved since is blended between two keys. A hand that is held goes with its joint exactly.
    """
    stroke, frames = phase.stroke, np.arange(len(world))
    reached = path.reached[PARTS * np.arange(len(plan.times))]
    along = path.start[stroke] + phase.path_share * path.length[stroke]
    first = np.searchsorted(reached, along, side="right") - 1
    first = clip(first, plan.edges[stroke], plan.edges[stroke + 1] - 1)
    gap = reached[first + 1] - reached[first]
    share = np.where(gap > 1e-9, (along - reached[first]) / np.maximum(gap, 1e-9), phase.time_share)
    moved, now = (np.zeros((len(plan.times), len(world), 3)) for _ in range(2))
    for key, path_of_key in carried.items():
        moved[key], now[key] = path_of_key - path_of_key[at[key]], path_of_key
    weight = clip(share, 0.0, 1.0)[:, None]
    made = world + (1.0 - weight) * moved[first, frames] + weight * moved[first + 1, frames]
    held = (plan.lengths[stroke] == 0.0) & np.isin(first, list(carried))
    return np.asarray(np.where(held[:, None], now[first, frames], made))


def _uses_other_spaces(flourishes: dict[str, Floats]) -> bool:
    return bool(flourishes["joint_angle"].any() or flourishes["elbow_position"].any())


def _blend(samples: _ArmPathSamples, flourishes: dict[str, Floats], weight: Floats) -> ArmBlend:
    """The paths through the two other spaces, where they have a weight; a relaxed arm has none."""
    made = ArmBlend.plain(len(weight))
    if not _uses_other_spaces(flourishes):
        return made
    weight = np.where(samples.idle, 0.0, samples.other_spaces) * weight
    return made._replace(
        angle_weight=weight * flourishes["joint_angle"],
        angles=samples.rows[:, SHOULDER:ELBOW],
        starts=samples.starts,
        elbow_weight=weight * flourishes["elbow_position"],
        elbows=samples.rows[:, ELBOW:],
    )


def _gather(name: str, tasks: Sequence[ArmTask], batch: Batch) -> Floats:
    """A flourish of all arms: ``(F,)``, or ``()`` where it is one number for all."""
    curves = [task.flourish(name) for task in tasks]
    if all(curve.ndim == 0 for curve in curves):
        values = np.array(curves)
        return curves[0] if (values == values[0]).all() else np.repeat(values, batch.counts)
    return np.concatenate([np.broadcast_to(c, (n,)) for c, n in zip(curves, batch.counts, strict=True)])


def shoulder_assist(wrist: Floats, size: float, batch: Batch) -> Floats:
    """``(2 F, 2)`` angles by which shoulders rise and come forward for wrists that go up, and out in front."""
    return batch.smooth(assist_angles(wrist, size), 0.05)


def assist_angles(wrist: Floats, size: float) -> Floats:
    """The same in every frame by itself."""
    reach = wrist / (ARM_LENGTH * size)
    height = np.arctan2(reach[:, 1], np.hypot(reach[:, 0], reach[:, 2]))  # of the wrist above the shoulder
    half = len(wrist) // 2
    across = np.concatenate([-reach[:half, 0], reach[half:, 0]])
    made = np.empty((len(wrist), 2))
    made[:, 0] = JOIN_UP * smoothstep((height + 0.6) / 2.0) * clip(norms(reach), 0.0, 1.0)
    made[:, 1] = JOIN_AHEAD * (smoothstep((reach[:, 2] - 0.35) / 0.65) + 0.6 * smoothstep(across / 0.6))
    return made
