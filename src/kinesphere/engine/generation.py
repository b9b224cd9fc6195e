"""Motion generation: ``generate`` turns phrases into motions, each on its own body, at any rate.

Hands travel from goal to goal. Shoulders assist the arms; the hips move so that the centre of mass stays where the
phrase puts it, above feet in contact; arms without keys are relaxed; breath and sway go on underneath. Several
phrases are generated as one batch, which is much cheaper than one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import overload

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.arm_plan import ArmPlan, OutOfReach, arm_plan, goal_warnings, lean_to_reach
from kinesphere.engine.arms import ArmObstacles, ArmPose, ArmTask, pose_arms, shoulder_assist
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.capsules import flourish_scale_between_hands
from kinesphere.engine.channels import ChannelCurves, add_idle, join_channels, sample_channels
from kinesphere.engine.clocks import StrokeClock, StrokePhase, stroke_clock, stroke_phases
from kinesphere.engine.embodiment import embody
from kinesphere.engine.gait import generate_walks
from kinesphere.engine.gait_clock import GaitClock
from kinesphere.engine.hands import set_hands
from kinesphere.engine.holds import HeldTime, asked_holds, asks_holds
from kinesphere.engine.kept_hands import KeptPerformance, held_hands, keep_referents, referent_weights
from kinesphere.engine.legs import leg_overreach, solve_stance, step_paths
from kinesphere.engine.performed_recording import generate_recording, performed_clock
from kinesphere.engine.phrases import as_written, body_rest_times, figure_body, is_as_written, leading_side, phrase_of
from kinesphere.engine.pose import SIGN, Actor, BatchPose, FigureLimb, joints_with_ancestors
from kinesphere.engine.posture import MOVED, capsule_lines, capsule_shapes, horizontal_centre_of_mass
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.quickness import limit_wrist_speeds
from kinesphere.engine.recruitment import add_drives, moments_of
from kinesphere.engine.referents import align_clocks, find_referents, settle_referents
from kinesphere.engine.shaped_motion import shape_motion
from kinesphere.engine.surface_scales import scale_surface
from kinesphere.engine.trunk import HEADING, place_hips, solve_trunk
from kinesphere.engine.written_claims import write_claims
from kinesphere.engine.written_pose import WrittenPose
from kinesphere.maths import threads
from kinesphere.maths.interpolation import cubic_rows_at, ramp
from kinesphere.maths.vectors import Floats, clip
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture, Step
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.referent import Referent
from kinesphere.motion.timemap import TimeMap
from kinesphere.motion.world_goal import WorldGoal

COARSE = 20.0  # times a second that balance is computed
EARLY, SLOW = 0.05, 0.10  # seconds by which hips move before the arm does, and σ of their smoothing
SETTLED = 0.6  # seconds before the end
AHEAD = 0.18  # seconds that hips begin to sink before a leg would be too short
HEAVY = 0.045  # seconds of σ: a torso has mass
BATCH_FRAMES = 5000  # frames that are generated at once: arrays of some megabytes
HANGING = ("out", "up", "ahead", "swivel")  # channels of a hand without keys
QUICKEST = 0.24  # seconds that a step takes at least
RATES = (10.0, 1000.0)  # frames a second; with fewer, every goal would need a frame that time has not


def generate_gesture(gesture: Gesture, height: float = HEIGHT, *, body: Body | None = None) -> Motion:
    """A gesture on a figure of this height in metres, or on any body. It begins and ends relaxed."""
    return generate(phrase_of(gesture, figure_body(height) if body is None else body))


@overload
def generate(phrases: Phrase, rate: float = RATE) -> Motion: ...


@overload
def generate(phrases: Sequence[Phrase], rate: float = RATE) -> list[Motion]: ...


def generate(phrases: Phrase | Sequence[Phrase], rate: float = RATE) -> Motion | list[Motion]:
    """Generate the motion of a phrase, or of several, at this many frames a second.

    Each is generated on its own body: hands go where the phrase asks in arm lengths, feet stand on its soles, and what
    the body lacks is left out (``Body.lacks`` says what). No retargeting is needed.
    """
    several = [phrases] if isinstance(phrases, Phrase) else list(phrases)
    for own in several:
        if not isinstance(own, Phrase):
            raise TypeError(f"{own!r} is no phrase; phrase_of(gesture, body) makes one")
    found = [motion for _, motion in generate_edited(several, [_unedited] * len(several), rate)]
    return found[0] if isinstance(phrases, Phrase) else found


def _generate_recorded(phrase: Phrase, rate: float) -> Motion:
    """The motion of a phrase of a recording; what edits do in time is done before it is held anywhere."""
    base = replace(phrase, claims=(), goals=())
    assert phrase.detail is not None
    if not asks_holds(phrase) or phrase.detail.is_unedited(base):
        return generate_recording(phrase, rate)
    return shape_motion(phrase, generate_recording(base, rate), body_clock(base, rate))


def _unedited(phrase: Phrase) -> Phrase:
    return phrase


def generate_edited(
    phrases: Sequence[Phrase], edits: Sequence[Callable[[Phrase], Phrase]], rate: float = RATE
) -> list[tuple[Phrase, Motion]]:
    """Edit phrases, each by its own function, and generate their motions; both go on at once on several threads."""
    recorded = all(phrase.detail is not None for phrase in phrases)  # a recording may be as slow as it likes
    least = 0.0 if recorded else RATES[0]
    number = isinstance(rate, int | float | np.number) and not isinstance(rate, bool)
    if not number or not least <= rate <= RATES[1] or rate <= 0.0:
        raise ValueError(f"rate {rate!r}: {RATES[0]:g} to {RATES[1]:g} frames a second is allowed")

    def generate_batch(batch: Sequence[int]) -> tuple[list[Phrase], list[Motion], list[str]]:
        edited = [edits[i](phrases[i]) for i in batch]
        written = [write_claims(own) for own in edited]
        if edited[0].detail is not None:
            return edited, [_generate_recorded(own, rate) for own in written], []
        warnings: list[str] = []
        plain = [replace(own, claims=(), goals=()) if own.is_shaped else own for own in written]
        if edited[0].gait is not None:
            motions = generate_walks(plain, rate)
        else:
            motions, warnings = _generate_batch(plain, rate, [own.goals for own in written])
        shaped = [
            shape_motion(own, motion, body_clock(base, rate)) if own.is_shaped else motion
            for own, base, motion in zip(written, plain, motions, strict=True)
        ]
        return edited, shaped, warnings

    made: dict[int, tuple[Phrase, Motion]] = {}
    batches = _batches(phrases, rate)
    for batch, (edited, motions, warnings) in zip(batches, threads.share_work(generate_batch, batches), strict=True):
        made |= dict(zip(batch, zip(edited, motions, strict=True), strict=True))
        for warning in warnings:
            warn_caller(warning, OutOfReach)
    return [made[i] for i in range(len(phrases))]


def _batches(phrases: Sequence[Phrase], rate: float) -> list[list[int]]:
    """Phrases that are generated together: of one body, loops and walks apart, no more than stay in a cache."""
    made: list[list[int]] = []
    kinds: dict[tuple[int, bool, str], list[int]] = {}  # loops are balanced frame by frame, all else on every third
    for i, phrase in enumerate(phrases):
        kind = "recording" if phrase.detail is not None else "gesture" if phrase.gait is None else "walk"
        kinds.setdefault((id(phrase.body), phrase.loop, kind), []).append(i)
    for indices in kinds.values():
        frames = np.inf
        for i in indices:
            frames += phrases[i].duration * rate
            if frames > BATCH_FRAMES:
                made.append([])
                frames = phrases[i].duration * rate
            made[-1].append(i)
    return made


def _generate_batch(
    phrases: Sequence[Phrase], rate: float, solved: Sequence[tuple[WorldGoal, ...]]
) -> tuple[list[Motion], list[str]]:
    """A few phrases of one body at once, all of them loops or none; and warnings about them.

    Goals that are ``solved`` afterwards, by the whole body, need no warning here.
    """
    own = embody(phrases[0].body)
    parts = [_prepare(phrase, own.actor, rate) for phrase in phrases]
    pose = _pose_batch(parts, own.actor, rate)
    warnings = list(_goal_warnings(pose, parts, solved))
    motions = pose.motions([phrase.name for phrase in phrases])
    if not own.is_thick:
        return [own.put_on(motion) for motion in motions], warnings
    stays = [None if part.kept is None else part.kept.stay for part in parts]
    return [own.put_on(motion, stay) for motion, stay in zip(motions, stays, strict=True)], warnings


def _pose_batch(parts: Sequence[_Performance], actor: Actor, rate: float) -> BatchPose:
    """Pose all frames of performances on one actor."""
    limbs = actor.arms
    batch = Batch(tuple(len(part.table) for part in parts), tuple(part.phrase.loop for part in parts), rate)
    channels = join_channels([part.table for part in parts], [part.breath for part in parts])
    pose = BatchPose.of(actor, batch)
    shift, assist = _balance(pose, parts, channels, limbs)
    arms = _solve_body(pose, parts, channels, limbs, shift, assist)
    room = flourish_scale_between_hands(arms.wrist[arms.sides["left"]], arms.wrist[arms.sides["right"]], pose.arm_size)
    arms = replace(arms, room=arms.room * np.concatenate([room, room]))
    clocks = {side: [part.clocks[side] for part in parts] for side in SIGN}
    kept = [part.kept for part in parts]
    keeping = referent_weights(batch, kept)
    set_hands(pose, [part.phrase for part in parts], channels, arms, clocks, keeping)
    keep_referents(pose, kept)
    limit_wrist_speeds(pose, held_hands(batch, kept))
    scale_surface(pose, arms, channels["torso.breath"], channels.breath)
    return pose


def _goal_warnings(
    pose: BatchPose, parts: Sequence[_Performance], solved: Sequence[tuple[WorldGoal, ...]]
) -> Iterator[str]:
    """Warnings for goals in the world, or at a joint, that are not reached."""
    for frames, part, goals in zip(pose.batch.slices, parts, solved, strict=True):
        for side, task in part.tasks.items():
            if task.plan is not None and task.plan.in_world:
                joints = joints_with_ancestors(pose.skeleton, (f"{side}Hand", *task.plan.carriers))
                q, p = pose.world(joints)
                place = {name: int(np.searchsorted(joints, pose.skeleton.index(name))) for name in task.plan.carriers}
                carriers = {name: (q[frames, k], p[frames, k]) for name, k in place.items()}
                hand = p[frames, int(np.searchsorted(joints, pose.skeleton.index(f"{side}Hand")))]
                times = [(own.start, own.end) for own in goals if own.role == f"{side}Hand"]
                yield from goal_warnings(part.phrase.name, side, task.plan, hand, carriers, times)


# Referents


def referents_of(phrase: Phrase) -> tuple[Referent, ...]:
    """What a phrase's hands keep: what is marked, and what it implies beside that, with fades and targets."""
    if phrase.detail is not None:
        return phrase.referents
    return () if phrase.gait is not None else _settled_referents(as_written(phrase.original))


@memoised
def _settled_referents(written: Phrase) -> tuple[Referent, ...]:
    if all(written.arm(side).keys is None for side in SIGN):
        return ()
    figure = replace(written, body=figure_body())  # on other bodies a hand may be far from what it is meant to touch
    return settle_referents(written, find_referents(written, _pose_as_written(figure)), _pose_as_written(written))


@memoised
def _pose_as_written(written: Phrase) -> WrittenPose:
    own = embody(written.body)
    part = _prepare(written, own.actor, RATE, keeping=False)
    pose = _pose_batch([part], own.actor, RATE)
    made = WrittenPose.of(pose, {side: part.tasks[side].source_time for side in SIGN})
    return made.with_arms(own.put_on(pose.motions([written.name])[0])) if own.is_thick else made


def _kept(phrase: Phrase, tasks: Mapping[str, ArmTask], rate: float) -> KeptPerformance | None:
    """What a performance keeps; None where it has nothing to keep, or nothing departs from the phrase as written."""
    referents = _referents_to_keep(phrase)
    if not referents:
        return None
    times = {side: task.source_time for side, task in tasks.items()}
    fixed = {side: task.in_place for side, task in tasks.items()}
    shown = _pose_as_written(as_written(phrase.original))
    period = phrase.duration if phrase.loop else None
    return KeptPerformance(referents, times, shown, fixed, rate, embody(phrase.body).is_thick, period)


def _referents_to_keep(phrase: Phrase) -> tuple[Referent, ...]:
    """A phrase's referents; of a phrase as written only targets that are marked, as all else is kept already."""
    if not is_as_written(phrase):
        return referents_of(phrase)
    targets = {own.target for own in phrase.referents if own.target is not None}
    return tuple(own for own in referents_of(phrase) if own.target in targets) if targets else ()


# Clocks, channels and tasks of one performance


@dataclass(frozen=True, eq=False)
class _Performance:
    """One performance, ready to be posed."""

    phrase: Phrase
    clocks: dict[str, StrokeClock]  # of the body and of each arm
    tasks: dict[str, ArmTask]
    steps: dict[str, tuple[Step, ...]]
    table: Floats  # (T, C) channels
    breath: Floats  # (T,)
    kept: KeptPerformance | None  # referents


def body_clock(phrase: Phrase, rate: float = RATE) -> TimeMap:
    """One clock for a whole performance: from the phrase's own time to the performed one, for edits of its motion.

    It is the leading arm's clock, or the body's where no arm leads; the other arm's may differ. It is exact where
    strokes begin and end. Between, it is a monotone cubic without the stroke's own timing. A loop has one pace.
    """
    phrase = write_claims(phrase)
    if phrase.detail is not None:
        return performed_clock(phrase, rate).time_map
    clock = _unheld_clock(phrase, rate)
    if not asks_holds(phrase):
        return clock
    asked, end = asked_holds(phrase), float(clock(np.array([phrase.duration]))[0])
    places = clock(np.array([own.at for own in asked])).tolist()
    held = HeldTime.of([own._replace(at=at) for own, at in zip(asked, places, strict=True)], end, rate)
    return clock if held is None else clock.then(held.time_map)


def _unheld_clock(phrase: Phrase, rate: float) -> TimeMap:
    """The clock of a gesture or a walk without pauses and stops."""
    if phrase.gait is not None:
        return GaitClock.of(phrase, rate).time_map
    body = _plan_arms(phrase, embody(phrase.body).actor, rate)[1]
    if phrase.loop:
        return TimeMap.uniform(phrase.duration / max(body.end(phrase.duration), 1.0 / rate))
    source = np.unique([0.0, *clip(body.source, 0.0, phrase.duration), phrase.duration])
    output = np.maximum.accumulate(body.to_output(source) + 1e-9 * np.arange(len(source)))
    return TimeMap(source, output)


def _plan_arms(phrase: Phrase, actor: Actor, rate: float) -> tuple[dict[str, ArmPlan | None], StrokeClock]:
    """The plan of each arm, and the body's clock: the leading arm's, if there is one."""
    plans = {side: arm_plan(phrase, side, actor, rate) for side in SIGN}
    clocks = {side: plan.clock for side, plan in plans.items() if plan is not None}
    if len(clocks) == len(SIGN) and not is_as_written(phrase):
        aligned = align_clocks(clocks, referents_of(phrase), rate)
        plans = {side: plan and replace(plan, clock=aligned[side]) for side, plan in plans.items()}
    lead = leading_side(phrase.original)
    leading = plans[lead] if lead else None
    if leading is not None:
        return plans, leading.clock
    goals = body_rest_times(phrase.original)
    torso = phrase.track("torso")
    return plans, stroke_clock(goals, np.zeros(len(goals) - 1), torso, None, phrase.locked, rate)


def _prepare(phrase: Phrase, actor: Actor, rate: float, keeping: bool = True) -> _Performance:
    """Clocks, channels and tasks of a performance; without ``keeping`` it keeps no referents."""
    plans, body = _plan_arms(phrase, actor, rate)
    clocks = {"body": body} | {side: plan.clock if plan else body for side, plan in plans.items()}
    frames = max(round(own.end(phrase.duration) * rate) for own in clocks.values()) + 1
    time = np.arange(frames) / rate
    samples: list[tuple[StrokeClock, StrokePhase, Floats]] = []
    times: dict[str, Floats] = {}
    phases: dict[str, StrokePhase] = {}
    for name, own in clocks.items():
        sample = next((sample for sample in samples if sample[0].is_like(own)), None)
        if sample is None:
            sample = own, stroke_phases(own, frames), own.to_source(time)
            samples.append(sample)
        _, phases[name], times[name] = sample
    if phrase.loop:  # a loop's clock runs evenly, and comes back to its start
        even = time * phrase.duration / max(time[-1], 1.0 / rate)
        times = dict.fromkeys(clocks, even)
    table = sample_channels(phrase, times)
    change = max(own.timing_change for own, *_ in samples)
    if change > 0.0 and not phrase.loop:  # what is hurried is smoothed again
        moving = (table != table[0]).any(axis=0).nonzero()[0]
        if moving.size:
            table[:, moving] = Batch((frames,), (False,), rate).smooth(table[:, moving], HEAVY * change)
    tasks = {
        side: ArmTask(plan, phases[side] if plan else None, phrase.arm(side), times[side], phrase.loop)
        for side, plan in plans.items()
    }
    if phrase.drives:
        add_drives(table, phrase.drives, moments_of(phrase, actor, tasks, body, times["body"], rate, table))
    breath = add_idle(table, phrase, time, rate)
    steps = {side: _retime_steps(phrase.track(f"{side}_leg").steps, body) for side in SIGN}
    return _Performance(phrase, clocks, tasks, steps, table, breath, _kept(phrase, tasks, rate) if keeping else None)


def _retime_steps(steps: Sequence[Step], body: StrokeClock) -> tuple[Step, ...]:
    """Steps by the body's clock, none of them too quick for a leg."""
    made: list[Step] = []
    for step in steps:
        if step.land <= 0.0:  # it was taken before the phrase
            made.append(step)
            continue
        lift, land = (float(t) for t in body.to_output(np.array([step.lift, step.land])))
        short = max(QUICKEST - (land - lift), 0.0) if step.land - step.lift >= QUICKEST else 0.0
        lift, land = lift - 0.5 * short, land + 0.5 * short
        if made and lift < made[-1].land:
            lift, land = made[-1].land, max(land, made[-1].land + QUICKEST)
        made.append(Step(max(lift, 0.0), land, step.x, step.z, step.turn))
    return tuple(made)


# Poses


def _solve_body(
    pose: BatchPose,
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
        solve_stance(pose, channels, side, step_paths(pose.batch, [part.steps[side] for part in parts]))
    shoulder = np.concatenate([trunk.position(index(f"{side}UpperArm")) for side in SIGN])
    chest = np.concatenate([trunk.rotation(index("upperChest"))] * 2)
    lines = None if for_balance else capsule_lines(pose, trunk)
    tasks = [part.tasks[side].subsample(every) for side in SIGN for part in parts]
    carriers = {
        name: (np.concatenate([trunk.rotation(index(name))] * 2), np.concatenate([trunk.position(index(name))] * 2))
        for name in {name for task in tasks if task.plan is not None for name in task.plan.carriers}
    }

    def body(rows: slice) -> ArmObstacles:
        assert lines is not None
        return ArmObstacles(shoulder[rows], chest[rows], lines, *capsule_shapes(pose.size))

    return pose_arms(
        limbs,
        tasks,
        pose.batch.both_sides,
        pose.arm_size,
        shoulder,
        chest,
        for_balance=for_balance,
        body=None if for_balance else body,
        carriers=carriers,
        hanging=_hanging(channels),
    )


def _hanging(channels: ChannelCurves) -> Floats | None:
    """``(2 F, 4)`` where relaxed hands are from where they hang; see ``pose_arms``. None: they hang."""
    if not channels.nonzero("arm", HANGING):
        return None
    return np.stack([channels.sides(f"arm.{name}") for name in HANGING], axis=1)


# Balance


def _balance(
    whole: BatchPose, parts: Sequence[_Performance], channels: ChannelCurves, limbs: dict[str, FigureLimb]
) -> tuple[Floats, Floats]:
    """Displacement of the hips ``(F, 3)`` so that the centre of mass stays where it is to be and no knee locks.

    And the shoulders' assistance ``(F, 2, 2)``; see ``solve_trunk``. The pose is overwritten.
    """
    batch = whole.batch
    every = max(round(batch.rate / COARSE), 1)
    if any(batch.loops):  # a loop may not have a whole number of coarse steps
        every = 1
    counts = tuple(len(part.table[::every]) for part in parts)
    coarse = Batch(counts, batch.loops, batch.rate / every)
    kept = [slice(s.start, s.stop, every) for s in batch.slices]
    few = join_channels([channels.table[k] for k in kept], [channels.breath[k] for k in kept])
    pose = whole.reuse_memory(coarse)
    none = np.zeros((len(coarse), 3)), np.zeros((len(coarse), 2, 2))
    arms = _solve_body(pose, parts, few, limbs, *none, every, for_balance=True)
    upper, flexion = ({side: rows[own] for side, own in arms.sides.items()} for rows in (arms.upper, arms.flexion))
    unbalanced = horizontal_centre_of_mass(pose, upper, flexion, limbs) - pose.size * few.rows("hips.x", "hips.z")
    headed = few[HEADING] if few[HEADING].any() else None
    if headed is not None:  # as the body sees it, that turns
        unbalanced = _turned_about(unbalanced, -headed)
    away = coarse.smooth(unbalanced - unbalanced[coarse.first], SLOW) / MOVED
    if not all(batch.loops):
        away -= np.where(np.array(batch.loops)[coarse.performance, None], 0.0, away[coarse.first])
    shift = np.zeros((len(coarse), 3))
    early = -coarse.delay(away, -EARLY)
    shift[:, [0, 2]] = early if headed is None else _turned_about(early, headed)
    _lean_to_goals(parts, pose, few, shift)
    for _ in range(2):
        needed = leg_overreach(pose, shift)
        if not needed.any():
            break
        shift[:, 1] -= coarse.smooth(coarse.running_maximum(needed, AHEAD), 0.4 * AHEAD)
    _zero_at_ends(coarse, shift)
    assist = shoulder_assist(arms.wrist, pose.arm_size, coarse.both_sides)
    rows = np.concatenate([shift, *(assist[own] for own in arms.sides.values())], axis=1)
    if every > 1:  # every frame's, by cubics through the coarse ones'
        wanted = [np.arange(len(part.table)) / every for part in parts]
        rows = np.concatenate([cubic_rows_at(rows[c], at, False) for c, at in zip(coarse.slices, wanted, strict=True)])
    return rows[:, :3], rows[:, 3:].reshape(-1, 2, 2)


def _turned_about(places: Floats, angle: Floats) -> Floats:
    """``(F, 2)`` x and z, turned to the left about the vertical."""
    sine, cosine = np.sin(angle), np.cos(angle)
    x, z = places.T
    return np.stack([cosine * x + sine * z, cosine * z - sine * x], axis=1)


def _lean_to_goals(parts: Sequence[_Performance], pose: BatchPose, channels: ChannelCurves, shift: Floats) -> None:
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
