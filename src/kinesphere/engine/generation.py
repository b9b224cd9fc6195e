"""Gesture synthesis: ``generate`` turns gestures, each with its manner, into motions of the built-in figure.

Hands travel from goal to goal. Shoulders assist the arms; the hips move so that the centre of mass stays where the
gesture puts it, above feet in contact; arms without keys are relaxed; breath and sway go on underneath. Several
performances are generated as one batch, which is much cheaper than one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.body.mass import segments
from kinesphere.engine.arm_plan import ArmPlan, OutOfReach, arm_plan, goal_warnings, lean_to_reach
from kinesphere.engine.arms import ArmObstacles, ArmPose, ArmTask, pose_arms, shoulder_assist
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.capsules import HEAD, THIGH, TRUNK, flourish_scale_between_hands
from kinesphere.engine.channels import ChannelCurves, add_idle, join_channels, sample_channels, sample_rows
from kinesphere.engine.clocks import StrokeClock, StrokePhase, stroke_clock, stroke_phases
from kinesphere.engine.embodiment import embody
from kinesphere.engine.hands import set_hands
from kinesphere.engine.legs import leg_overreach, solve_stance
from kinesphere.engine.manner import PLAIN, Manner, body_rest_times, leading_side
from kinesphere.engine.pose import SIGN, Actor, FigureLimb, Pose, joints_with_ancestors
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.surface_scales import add_squash, scale_surface
from kinesphere.engine.trunk import TrunkWorld, place_hips, solve_trunk
from kinesphere.maths import rotations, threads
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture, Step
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import TimeMap

COARSE = 3  # balance is computed in every third frame
MOVED = 0.85  # of the hips' displacement by which the centre of mass moves when both feet are in contact
EARLY, SLOW = 0.05, 0.10  # seconds by which hips move before the arm does, and σ of their smoothing
SETTLED = 0.6  # seconds before the end
AHEAD = 0.18  # seconds that hips begin to sink before a leg would be too short
HEAVY = 0.045  # seconds of σ: a torso has mass
HEAD_LINE = np.array([[0.0, 0.06, 0.02], [0.0, 0.10, 0.02]])  # metres from the head's joint, in its axes
TRUNK_SHIFTS = np.array([[0.0, 0.0, 0.01], [0.0, -0.07, 0.01]])  # metres from hips and neck, in the chest's axes
BATCH_FRAMES = 5000  # frames that are generated at once: arrays of some megabytes
QUICKEST = 0.24  # seconds that a step takes at least


def generate_gesture(gesture: Gesture, height: float = HEIGHT, *, body: Body | None = None) -> Motion:
    """The gesture on a figure of this height, or on any body; see ``generate``. It begins and ends relaxed."""
    return generate([(gesture, PLAIN)], height, body=body)[0]


def generate(
    performances: Sequence[tuple[Gesture, Manner]], height: float = HEIGHT, *, body: Body | None = None
) -> list[Motion]:
    """Generate gestures, each in its manner, at 60 frames a second, on figures of this height in metres.

    On another ``body`` (``kinesphere.body.body_of``) no retargeting is needed: hands go where the gesture asks in arm
    lengths, feet stand on its soles, and what the body lacks is left out (``Body.lacks`` says what).
    """
    if body is not None:
        own = embody(body)
        return [own.put_on(motion) for motion in generate_on(own.actor, performances)]
    if not np.isfinite(height) or not 0.1 <= height <= 10.0:
        raise ValueError(f"height {height}: 0.1 to 10 m is allowed")
    return generate_on(Actor.figure(height), performances)


def generate_on(actor: Actor, performances: Sequence[tuple[Gesture, Manner]]) -> list[Motion]:
    """Generate gestures, each in its manner, on an actor's skeleton."""
    made: dict[int, Motion] = {}
    batches = _batches([gesture for gesture, _ in performances])
    results = threads.share_work(lambda batch: _generate_batch([performances[i] for i in batch], actor), batches)
    for batch, (motions, warnings) in zip(batches, results, strict=True):
        made |= dict(zip(batch, motions, strict=True))
        for warning in warnings:
            warn_caller(warning, OutOfReach)
    return [made[i] for i in range(len(performances))]


def _batches(gestures: Sequence[Gesture]) -> list[list[int]]:
    """Gestures that are generated together: loops apart from all else, and no more than stay in a processor's cache."""
    made: list[list[int]] = []
    for looping in (False, True):  # loops are balanced frame by frame, all else on every third
        frames = np.inf
        for i, gesture in enumerate(gestures):
            if gesture.loop != looping:
                continue
            frames += gesture.duration * RATE
            if frames > BATCH_FRAMES:
                made.append([])
                frames = gesture.duration * RATE
            made[-1].append(i)
    return made


def _generate_batch(performances: Sequence[tuple[Gesture, Manner]], actor: Actor) -> tuple[list[Motion], list[str]]:
    """A few performances at once, all of them loops or none; and warnings about them."""
    limbs = actor.arms
    parts = [_prepare(gesture, manner, actor) for gesture, manner in performances]
    batch = Batch(tuple(len(part.table) for part in parts), tuple(part.gesture.loop for part in parts))
    channels = join_channels([part.table for part in parts], [part.breath for part in parts])
    pose = Pose.of(actor, batch)
    shift, assist = _balance(pose, parts, channels, limbs)
    arms = _solve_body(pose, parts, channels, limbs, shift, assist)
    room = flourish_scale_between_hands(arms.wrist[arms.sides["left"]], arms.wrist[arms.sides["right"]], pose.arm_size)
    arms = replace(arms, room=arms.room * np.concatenate([room, room]))
    clocks = {side: [part.clocks[side] for part in parts] for side in SIGN}
    set_hands(pose, [part.gesture for part in parts], channels, arms, clocks)
    scale_surface(pose, arms, channels["torso.breath"], channels.breath)
    warnings = list(_goal_warnings(pose, parts))
    return pose.motions([part.gesture.name for part in parts]), warnings


def _goal_warnings(pose: Pose, parts: Sequence[_Performance]) -> Iterator[str]:
    """Warnings for goals in the world that are not reached."""
    for frames, part in zip(pose.batch.slices, parts, strict=True):
        for side, task in part.tasks.items():
            if task.plan is not None and task.plan.in_world:
                joints = joints_with_ancestors(pose.skeleton, (f"{side}Hand",))
                hand = pose.world(joints)[1][frames, -1]
                yield from goal_warnings(part.gesture.name, side, task.plan, hand)


# Clocks, channels and tasks of one performance


@dataclass(frozen=True, eq=False)
class _Performance:
    """One performance, ready to be posed."""

    gesture: Gesture
    clocks: dict[str, StrokeClock]  # of the body and of each arm
    tasks: dict[str, ArmTask]
    steps: dict[str, tuple[Step, ...]]
    table: Floats  # (T, C) channels
    breath: Floats  # (T,)


def body_clock(gesture: Gesture, manner: Manner, height: float = HEIGHT) -> TimeMap:
    """One clock for a whole performance: from the gesture's own time to the performed one, for edits of its motion.

    It is the leading arm's clock, or the body's where no arm leads; the other arm's may differ. It is exact where
    strokes begin and end. Between, it is a monotone cubic without the stroke's own timing. A loop has one pace.
    """
    body = _plan_arms(gesture, manner, Actor.figure(height))[1]
    if gesture.loop:
        return TimeMap.uniform(gesture.duration / max(body.end(gesture.duration), 1.0 / RATE))
    source = np.unique([0.0, *clip(body.source, 0.0, gesture.duration), gesture.duration])
    output = np.maximum.accumulate(body.to_output(source) + 1e-9 * np.arange(len(source)))
    return TimeMap(source, output)


def _plan_arms(gesture: Gesture, manner: Manner, actor: Actor) -> tuple[dict[str, ArmPlan | None], StrokeClock]:
    """The plan of each arm, and the body's clock: the leading arm's, if there is one."""
    locked = manner.locked
    plans = {
        side: arm_plan(gesture, side, limb, actor.arm_size, manner.arm(side), locked, actor.inward)
        for side, limb in actor.arms.items()
    }
    lead = leading_side(gesture)
    leading = plans[lead] if lead else None
    goals = body_rest_times(gesture)
    body = leading.clock if leading else stroke_clock(goals, np.zeros(len(goals) - 1), manner.body, None, locked)
    return plans, body


def _prepare(gesture: Gesture, manner: Manner, actor: Actor) -> _Performance:
    plans, body = _plan_arms(gesture, manner, actor)
    clocks = {"body": body} | {side: plan.clock if plan else body for side, plan in plans.items()}
    frames = max(round(own.end(gesture.duration) * RATE) for own in clocks.values()) + 1
    time = np.arange(frames) / RATE
    samples: list[tuple[StrokeClock, StrokePhase, Floats]] = []
    times: dict[str, Floats] = {}
    phases: dict[str, StrokePhase] = {}
    for name, own in clocks.items():
        sample = next((sample for sample in samples if sample[0].is_like(own)), None)
        if sample is None:
            sample = own, stroke_phases(own, frames), own.to_source(time)
            samples.append(sample)
        _, phases[name], times[name] = sample
    if gesture.loop:  # a loop's clock runs evenly, and comes back to its start
        even = time * gesture.duration / max(time[-1], 1.0 / RATE)
        times = dict.fromkeys(clocks, even)
    table = sample_channels(gesture, times, manner.channels)
    change = max(own.timing_change for own, *_ in samples)
    if change > 0.0 and not gesture.loop:  # what is hurried is smoothed again
        moving = (table != table[0]).any(axis=0).nonzero()[0]
        if moving.size:
            table[:, moving] = Batch((frames,), (False,)).smooth(table[:, moving], HEAVY * change)
    tasks = {
        side: ArmTask(plan, phases[side] if plan else None, manner.arm(side), times[side], gesture.loop)
        for side, plan in plans.items()
    }
    add_squash(table, tasks.values())
    breath = add_idle(table, gesture, manner, time)
    steps = {side: _retime_steps(gesture.steps.get(side, ()), body) for side in SIGN}
    return _Performance(gesture, clocks, tasks, steps, table, breath)


def _retime_steps(steps: Sequence[Step], body: StrokeClock) -> tuple[Step, ...]:
    """Steps by the body's clock, none of them too quick for a leg."""
    made: list[Step] = []
    for step in steps:
        lift, land = (float(t) for t in body.to_output(np.array([step.lift, step.land])))
        short = max(QUICKEST - (land - lift), 0.0) if step.land - step.lift >= QUICKEST else 0.0
        lift, land = lift - 0.5 * short, land + 0.5 * short
        if made and lift < made[-1].land:
            lift, land = made[-1].land, max(land, made[-1].land + QUICKEST)
        made.append(Step(max(lift, 0.0), land, step.x, step.z, step.turn))
    return tuple(made)


# Poses


def _solve_body(
    pose: Pose,
    parts: Sequence[_Performance],
    channels: ChannelCurves,
    limbs: dict[str, FigureLimb],
    shift: Floats,
    assist: Floats,
    every: int = 1,
    for_balance: bool = False,
) -> ArmPose:
    """Solve trunk and legs into the pose; return the arms, which are not written yet.

    ``shift`` and ``assist`` are those of ``solve_trunk``. ``every`` is how many frames of the performances one frame of
    the pose stands for. ``for_balance`` leaves out what balance does not need: the body's
    capsules, other path spaces, flourishes.
    """
    index = pose.skeleton.index
    trunk = solve_trunk(pose, channels, shift, assist)
    for side in SIGN:
        solve_stance(pose, channels, side, [part.steps[side] for part in parts])
    shoulder = np.concatenate([trunk.position(index(f"{side}UpperArm")) for side in SIGN])
    chest = np.concatenate([trunk.rotation(index("upperChest"))] * 2)
    lines = None if for_balance else capsule_lines(pose, trunk)

    def body(rows: slice) -> ArmObstacles:
        assert lines is not None
        return ArmObstacles(shoulder[rows], chest[rows], lines, *_capsule_shapes(pose.size))

    return pose_arms(
        limbs,
        [part.tasks[side].subsample(every) for side in SIGN for part in parts],
        pose.batch.both_sides,
        pose.arm_size,
        shoulder,
        chest,
        for_balance=for_balance,
        body=None if for_balance else body,
    )


def capsule_lines(pose: Pose, trunk: TrunkWorld) -> Floats:
    """``(F, 4, 2, 3)`` axes of the capsules about trunk, head and thighs, in the world."""
    index = pose.skeleton.index
    lines = np.empty((len(pose.batch), 4, 2, 3))
    lines[:, 0, 0], lines[:, 0, 1] = trunk.position(index("hips")), trunk.position(index("neck"))
    head = trunk.position(index("head")), np.ascontiguousarray(trunk.rotation(index("head")))
    for end, offset in enumerate(HEAD_LINE * pose.size):
        lines[:, 1, end] = head[0] + rotations.rotate(head[1], offset)
    for i, side in enumerate(SIGN):
        lines[:, 2 + i] = pose.legs[side][:, :2]
    return lines


@lru_cache(maxsize=16)
def _capsule_shapes(size: float) -> tuple[Floats, Floats]:
    """Shifts of those lines in the chest's axes ``(4, 2, 3)``, and their half widths ``(4, 2)``."""
    shifts = np.zeros((4, 2, 3))
    shifts[0] = TRUNK_SHIFTS
    return size * shifts, size * np.array([TRUNK, HEAD, THIGH, THIGH])


# Balance


def _balance(
    whole: Pose, parts: Sequence[_Performance], channels: ChannelCurves, limbs: dict[str, FigureLimb]
) -> tuple[Floats, Floats]:
    """Displacement of the hips ``(F, 3)`` so that the centre of mass stays where it is to be and no knee locks.

    And the shoulders' assistance ``(F, 2, 2)``; see ``solve_trunk``. The pose is overwritten.
    """
    batch = whole.batch
    every = 1 if any(batch.loops) else COARSE  # a loop may not have a whole number of coarse steps
    counts = tuple(len(part.table[::every]) for part in parts)
    coarse = Batch(counts, batch.loops, RATE / every)
    kept = [slice(s.start, s.stop, every) for s in batch.slices]
    few = join_channels([channels.table[k] for k in kept], [channels.breath[k] for k in kept])
    pose = whole.reuse_memory(coarse)
    none = np.zeros((len(coarse), 3)), np.zeros((len(coarse), 2, 2))
    arms = _solve_body(pose, parts, few, limbs, *none, every, for_balance=True)
    unbalanced = horizontal_centre_of_mass(pose, arms, limbs) - pose.size * few.rows("hips.x", "hips.z")
    away = coarse.smooth(unbalanced - unbalanced[coarse.first], SLOW) / MOVED
    if not all(batch.loops):
        away -= np.where(np.array(batch.loops)[coarse.performance, None], 0.0, away[coarse.first])
    shift = np.zeros((len(coarse), 3))
    shift[:, [0, 2]] = -coarse.delay(away, -EARLY)
    _lean_to_goals(parts, pose, few, shift)
    for _ in range(2):
        needed = leg_overreach(pose, shift)
        if not needed.any():
            break
        shift[:, 1] -= coarse.smooth(coarse.running_maximum(needed, AHEAD), 0.4 * AHEAD)
    _zero_at_ends(coarse, shift)
    assist = shoulder_assist(arms.wrist, pose.arm_size, coarse.both_sides)
    rows = np.concatenate([shift, *(assist[own] for own in arms.sides.values())], axis=1)
    if every > 1:  # every frame's, by cubics through every third's
        wanted = [np.arange(len(part.table)) / (every * RATE) for part in parts]
        rows = np.concatenate([sample_rows(rows[c], at, False) for c, at in zip(coarse.slices, wanted, strict=True)])
    return rows[:, :3], rows[:, 3:].reshape(-1, 2, 2)


def _lean_to_goals(parts: Sequence[_Performance], pose: Pose, channels: ChannelCurves, shift: Floats) -> None:
    """Add to the hips' ``shift (F, 3)`` the lean towards goals in the world that an arm alone does not reach."""
    tasks = [(frames, part.tasks[s], s) for frames, part in zip(pose.batch.slices, parts, strict=True) for s in SIGN]
    plans = [(frames, task.plan, side) for frames, task, side in tasks if task.plan and task.plan.in_world]
    if not plans:
        return
    joints = joints_with_ancestors(pose.skeleton, tuple(f"{side}UpperArm" for side in SIGN))
    for _ in range(3):
        place_hips(pose, channels, shift)
        positions = pose.world(joints)[1]
        for frames, plan, side in plans:
            shoulder = positions[frames, int(np.searchsorted(joints, pose.skeleton.index(f"{side}UpperArm")))]
            shift[frames] += lean_to_reach(plan, shoulder, pose.batch.time[frames], pose.size)


def _zero_at_ends(batch: Batch, shift: Floats) -> None:
    """Fade a shift ``(F, 3)``, in place, to zero at both ends of performances that are not loops."""
    for frames, loop in zip(batch.slices, batch.loops, strict=True):
        if not loop:
            own, (start, end) = shift[frames], _end_ramps(frames.stop - frames.start, batch.rate)
            own -= end * own[-1] + start * own[0]


@lru_cache(maxsize=64)
def _end_ramps(count: int, rate: float) -> tuple[Floats, Floats]:
    """Weights ``(T, 1)`` of the first and of the last frame, which fade out towards the middle."""
    time = np.arange(count)[:, None] / rate
    end = float(time[-1, 0])
    return 1.0 - ramp(time, 0.0, SETTLED), ramp(time, end - SETTLED, end)


def horizontal_centre_of_mass(pose: Pose, arms: ArmPose, limbs: dict[str, FigureLimb]) -> Floats:
    """``(F, 2)`` x and z of the centre of mass, with these arms, which are written into the pose."""
    for side, rows in arms.sides.items():
        clavicle = pose.local[:, pose.skeleton.index(f"{side}Shoulder")]
        pose.set_rotation(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), arms.upper[rows]))
        pose.set_rotation(f"{side}LowerArm", limbs[side].elbow_rotation(arms.flexion[rows]))
    made = np.empty((len(pose.batch), 2))
    mass = _mass_segments(pose.skeleton)
    _native.generation.horizontal_centre_of_mass(pose.local, pose.translations, mass, made)
    return made


class MassSegments(NamedTuple):
    """S segments of the body on K joints."""

    joints: Ints  # (K,) that carry mass, and their ancestors
    parents: Ints  # (K,) among them, or -1
    carriers: Ints  # (S,) which of them carry segments
    offsets: Floats  # (S, 3) the segments' centres
    masses: Floats  # (S,) shares of the body's


@lru_cache(maxsize=16)
def _mass_segments(skeleton: Skeleton) -> MassSegments:
    parts = segments(skeleton)
    joints = joints_with_ancestors(skeleton, tuple(skeleton.names[part.joint] for part in parts))
    order = {int(joint): k for k, joint in enumerate(joints)}
    parents = np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints])
    carriers = np.searchsorted(joints, [part.joint for part in parts])
    offsets, masses = np.array([part.offset for part in parts]), np.array([part.mass for part in parts])
    return MassSegments(joints, parents, carriers, offsets, masses)
