"""Gestures acted on the figure: everything where the gesture says, in the manner that is asked for.

Hands travel from goal to goal. Shoulders join what the arms do; the hips move so that the body's weight stays where
the gesture puts it, above feet that stand; hanging arms hang; breath and sway go on underneath. Several performances
are acted as one, frame after frame, which is much cheaper than one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.body.mass import segments
from kinesphere.engine.arm_plan import ArmPlan, OutOfReach, arm_plan, lean_to_reach, missed_goals
from kinesphere.engine.arms import ArmPose, ArmTask, BodySurroundings, pose_arms, shoulder_assist
from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.channels import ChannelCurves, add_idle, join_channels, sample_channels, sample_rows
from kinesphere.engine.clocks import StrokeClock, StrokePhase, stroke_clock, stroke_phases
from kinesphere.engine.collision import HEAD, THIGH, TRUNK, flourish_room
from kinesphere.engine.hands import set_hands
from kinesphere.engine.legs import hip_position, leg_overreach, solve_stance
from kinesphere.engine.manner import PLAIN, Manner, body_rest_times, leading_side
from kinesphere.engine.pose import SIGN, FigureLimb, Pose, figure_limb
from kinesphere.engine.pose import figure_skeleton as body_of
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.surface_scales import add_squash, scale_surface
from kinesphere.engine.trunk import place_hips, solve_trunk
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.interpolation import ramp
from kinesphere.maths.rotations import quaternion_product, rotate_vector
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.gesture import Gesture, Step
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import TimeMap

COARSE = 3  # frames: what balance is found from every so many
MOVED = 0.85  # of the hips' way that the centre of mass goes when feet stand
EARLY, SLOW = 0.05, 0.10  # seconds: hips go before the arm does, and roundly
SETTLED = 0.6  # seconds before the end
AHEAD = 0.18  # seconds that hips begin to sink before a leg would be too short
HEAVY = 0.045  # seconds
HEAD_LINE = np.array([[0.0, 0.06, 0.02], [0.0, 0.10, 0.02]])  # metres from the head's joint, in its axes
TRUNK_SHIFTS = np.array([[0.0, 0.0, 0.01], [0.0, -0.07, 0.01]])  # metres from hips and neck, in the chest's
TOGETHER = 5000  # frames that are acted at once: arrays of some megabytes
WORTH = 100  # a body is far more work than a number of a product
QUICKEST = 0.24  # seconds that a step takes at least


def generate_gesture(gesture: Gesture, height: float = HEIGHT) -> Motion:
    """The gesture on a figure of this height, 60 frames a second, beginning and ending in the relaxed stance."""
    return generate([(gesture, PLAIN)], height)[0]


def generate(cast: Sequence[tuple[Gesture, Manner]], height: float = HEIGHT) -> list[Motion]:
    """Gestures, each in its manner, on figures of this height."""
    if not np.isfinite(height) or not 0.1 <= height <= 10.0:
        raise ValueError(f"height {height}: 0.1 to 10 m is allowed")
    made: dict[int, Motion] = {}
    troupes = _troupes([gesture for gesture, _ in cast])
    acts = compiled.share_work(lambda troupe: _acted([cast[i] for i in troupe], height), troupes)
    for troupe, (motions, doubts) in zip(troupes, acts, strict=True):
        made |= dict(zip(troupe, motions, strict=True))
        for doubt in doubts:
            warn_caller(doubt, OutOfReach)
    return [made[i] for i in range(len(cast))]


def _troupes(gestures: Sequence[Gesture]) -> list[list[int]]:
    """Which are acted together: loops apart from all else, and no more than stay in a processor's near memory."""
    made: list[list[int]] = []
    for looping in (False, True):  # loops are balanced frame by frame, all else on every third
        frames = np.inf
        for i, gesture in enumerate(gestures):
            if gesture.loop != looping:
                continue
            frames += gesture.duration * RATE
            if frames > TOGETHER:
                made.append([])
                frames = gesture.duration * RATE
            made[-1].append(i)
    return made


def _acted(cast: Sequence[tuple[Gesture, Manner]], height: float) -> tuple[list[Motion], list[str]]:
    """A few performances at once, frame after frame, all of them loops or none; and what is to be said of them."""
    limbs = {side: figure_limb(height, side, "Arm") for side in SIGN}
    parts = [_rehearsed(gesture, manner, limbs, height / HEIGHT) for gesture, manner in cast]
    spans = Batch.of(tuple(len(part.table) for part in parts), tuple(part.gesture.loop for part in parts))
    channels = join_channels([part.table for part in parts], [part.breath for part in parts])
    pose = Pose.standing(spans, height)
    shift, joins = _balanced(pose, parts, channels, limbs)
    arms = _pose(pose, parts, channels, limbs, shift, joins)
    room = flourish_room(arms.wrist[arms.sides["left"]], arms.wrist[arms.sides["right"]], pose.size)
    arms = replace(arms, room=arms.room * np.concatenate([room, room]))
    clocks = {side: [part.clocks[side] for part in parts] for side in SIGN}
    set_hands(pose, [part.gesture for part in parts], channels, arms, clocks)
    scale_surface(pose, arms, channels["torso.breath"], channels.breath)
    doubts = list(_missed(pose, parts))
    return pose.motions([part.gesture.name for part in parts]), doubts


def _missed(pose: Pose, parts: Sequence[_Performance]) -> Iterator[str]:
    """Which goals in the world are not reached."""
    for frames, part in zip(pose.spans.slices(), parts, strict=True):
        for side, task in part.tasks.items():
            if task.plan is not None and task.plan.in_world:
                joints = _above(pose.skeleton, (f"{side}Hand",))
                hand = pose.world(joints)[1][frames, -1]
                yield from missed_goals(part.gesture.name, side, task.plan, hand)


@dataclass(frozen=True, eq=False)
class _Performance:
    """One performance, ready to be posed."""

    gesture: Gesture
    clocks: dict[str, StrokeClock]
    tasks: dict[str, ArmTask]
    steps: dict[str, tuple[Step, ...]]
    table: Floats  # (T, C)
    breath: Floats  # (T,)


def body_clock(gesture: Gesture, manner: Manner, height: float = HEIGHT) -> TimeMap:
    """From a gesture's own time to when the body is there, performed in this manner."""
    body = _planned(gesture, manner, {side: figure_limb(height, side, "Arm") for side in SIGN}, height / HEIGHT)[1]
    if gesture.loop:
        return TimeMap.uniform(gesture.duration / max(body.end(gesture.duration), 1.0 / RATE))
    moments = np.unique([0.0, *clip(body.source, 0.0, gesture.duration), gesture.duration])
    when = np.maximum.accumulate(body.when(moments) + 1e-9 * np.arange(len(moments)))
    return TimeMap(moments, when)


def _planned(
    gesture: Gesture, manner: Manner, limbs: dict[str, FigureLimb], size: float
) -> tuple[dict[str, ArmPlan | None], StrokeClock]:
    """What each arm does, and the body's clock."""
    locked = manner.locked
    plans = {side: arm_plan(gesture, side, limbs[side], size, manner.arm(side), locked) for side in SIGN}
    lead = leading_side(gesture)
    leading = plans[lead] if lead else None
    goals = body_rest_times(gesture)
    body = leading.clock if leading else stroke_clock(goals, np.zeros(len(goals) - 1), manner.body, None, locked)
    return plans, body


def _rehearsed(gesture: Gesture, manner: Manner, limbs: dict[str, FigureLimb], size: float) -> _Performance:
    plans, body = _planned(gesture, manner, limbs, size)
    clocks = {"body": body} | {side: plan.clock if plan else body for side, plan in plans.items()}
    frames = max(round(own.end(gesture.duration) * RATE) for own in clocks.values()) + 1
    time = np.arange(frames) / RATE
    runs: list[tuple[StrokeClock, StrokePhase, Floats]] = []
    moments: dict[str, Floats] = {}
    travels: dict[str, StrokePhase] = {}
    for name, own in clocks.items():
        run = next((run for run in runs if run[0].like(own)), None)  # clocks that run alike
        if run is None:
            run = own, *stroke_phases(own, frames)
            runs.append(run)
        _, travels[name], moments[name] = run
    if gesture.loop:  # a loop's clock runs evenly, and comes back to its start
        even = time * gesture.duration / max(time[-1], 1.0 / RATE)
        moments = dict.fromkeys(clocks, even)
    table = sample_channels(gesture, moments, manner.channels)
    change = max(own.change for own, *_ in runs)
    if change > 0.0 and not gesture.loop:  # what is hurried is rounded again: a torso has mass
        moving = (table != table[0]).any(axis=0).nonzero()[0]
        if moving.size:
            table[:, moving] = Batch.of((frames,), (False,)).rounded(table[:, moving], HEAVY * change)
    tasks = {
        side: ArmTask(plan, travels[side] if plan else None, manner.arm(side), moments[side], gesture.loop)
        for side, plan in plans.items()
    }
    add_squash(table, tasks.values())
    breath = add_idle(table, gesture, manner, time)
    steps = {side: _stepped(gesture.steps.get(side, ()), body) for side in SIGN}
    return _Performance(gesture, clocks, tasks, steps, table, breath)


def _stepped(steps: Sequence[Step], body: StrokeClock) -> tuple[Step, ...]:
    """Steps by the body's clock, none of them too quick for a leg."""
    made: list[Step] = []
    for step in steps:
        lift, land = (float(t) for t in body.when(np.array([step.lift, step.land])))
        short = max(QUICKEST - (land - lift), 0.0) if step.land - step.lift >= QUICKEST else 0.0
        lift, land = lift - 0.5 * short, land + 0.5 * short
        if made and lift < made[-1].land:
            lift, land = made[-1].land, max(land, made[-1].land + QUICKEST)
        made.append(Step(max(lift, 0.0), land, step.x, step.z, step.turn))
    return tuple(made)


def _pose(
    pose: Pose,
    parts: Sequence[_Performance],
    channels: ChannelCurves,
    limbs: dict[str, FigureLimb],
    shift: Floats,
    joins: dict[str, Floats],
    every: int = 1,
    plainly: bool = False,
) -> ArmPose:
    """Trunk, arms and legs; the arms are given, and not yet laid. ``plainly``: as far as balance needs them."""
    skeleton = pose.skeleton
    trunk = _above(skeleton, (*(f"{side}{part}" for side in SIGN for part in ("UpperArm", "Eye")), "head"))
    q, p = solve_trunk(pose, channels, shift, joins, trunk)
    chest = q[:, int(np.searchsorted(trunk, skeleton.index("upperChest")))]

    for side in SIGN:
        solve_stance(pose, channels, side, [part.steps[side] for part in parts])
    shoulders = [p[:, int(np.searchsorted(trunk, skeleton.index(f"{side}UpperArm")))] for side in SIGN]
    shoulder, both = np.concatenate(shoulders), np.concatenate([chest, chest])
    lines = None if plainly else capsule_lines(pose, trunk, q, p)

    def around(rows: slice) -> BodySurroundings:
        assert lines is not None
        return BodySurroundings(shoulder[rows], both[rows], lines, *_volumes(pose.size))

    return pose_arms(
        limbs,
        [part.tasks[side].taken(every) for side in SIGN for part in parts],
        pose.spans.twice,
        pose.size,
        shoulder,
        both,
        plainly=plainly,
        body=None if plainly else around,
    )


def capsule_lines(pose: Pose, trunk: Ints, q: Floats, p: Floats) -> Floats:
    """``(F, 4, 2, 3)`` the middle lines of what hands keep off: trunk, head and thighs, in the world.

    ``q`` and ``p`` are the world's of the joints ``trunk``.
    """
    index, offsets = pose.skeleton.index, pose.skeleton.offsets
    hips, neck, head = (int(np.searchsorted(trunk, index(name))) for name in ("hips", "neck", "head"))
    legs = np.array([[index(f"{side}{part}") for part in ("UpperLeg", "LowerLeg")] for side in SIGN])
    lines = np.empty((len(pose.spans), 4, 2, 3))
    kernels = compiled.loaded(WORTH * len(lines))
    if kernels is not None:
        own = np.array([hips, neck, head]), HEAD_LINE * pose.size
        kernels.body_lines(q, p, *own, pose.local, pose.places, legs[:, 0], offsets[legs], lines)
        return lines
    lines[:, 0, 0], lines[:, 0, 1] = p[:, hips], p[:, neck]
    lines[:, 1] = p[:, head, None] + rotations.rotate(q[:, head, None], HEAD_LINE * pose.size)
    for i, (side, (upper, lower)) in enumerate(zip(SIGN, legs, strict=True)):
        lines[:, 2 + i, 0] = hip_position(pose, side)
        thigh = rotations.multiply(pose.local[:, 0], pose.local[:, upper])
        lines[:, 2 + i, 1] = lines[:, 2 + i, 0] + rotations.rotate(thigh, offsets[lower])
    return lines


@lru_cache(maxsize=16)
def _volumes(size: float) -> tuple[Floats, Floats]:
    """What the chest adds to those lines ``(4, 2, 3)``, and their half widths ``(4, 2)``."""
    shifts = np.zeros((4, 2, 3))
    shifts[0] = TRUNK_SHIFTS
    return size * shifts, size * np.array([TRUNK, HEAD, THIGH, THIGH])


@lru_cache(maxsize=64)
def _above(skeleton: Skeleton, names: tuple[str, ...]) -> Ints:
    """Joints and all that they hang on, in order."""
    found: set[int] = set()
    for name in names:
        joint = skeleton.index(name)
        while joint >= 0:
            found.add(joint)
            joint = int(skeleton.parents[joint])
    return np.array(sorted(found), dtype=np.intp)


def _balanced(
    whole: Pose, parts: Sequence[_Performance], channels: ChannelCurves, limbs: dict[str, FigureLimb]
) -> tuple[Floats, dict[str, Floats]]:
    """How the hips move so that the body's weight stays where it is to be and no knee locks ``(F, 3)``.

    And how the shoulders join what the arms do, each side's ``(2, F)``. What ``whole`` holds is written over.
    """
    spans = whole.spans
    every = 1 if any(spans.loops) else COARSE  # a loop may not have a whole number of coarse steps
    counts = tuple(len(part.table[::every]) for part in parts)
    coarse = Batch.of(counts, spans.loops, RATE / every)
    kept = [slice(s.start, s.stop, every) for s in spans.slices()]
    few = join_channels([channels.table[k] for k in kept], [channels.breath[k] for k in kept])
    pose = whole.lent(coarse)
    still = {side: np.zeros((2, len(coarse))) for side in SIGN}
    arms = _pose(pose, parts, few, limbs, np.zeros((len(coarse), 3)), still, every, plainly=True)
    heavy = horizontal_centre_of_mass(pose, arms, limbs)
    asked = pose.size * few.rows("hips.x", "hips.z")
    firsts = coarse.first
    away = coarse.rounded(heavy - asked - (heavy - asked)[firsts], SLOW) / MOVED
    if not all(spans.loops):
        away -= np.where(np.array(spans.loops)[coarse.who, None], 0.0, away[firsts])
    shift = np.zeros((len(coarse), 3))
    shift[:, [0, 2]] = -coarse.delayed(away, -EARLY)
    _lean_towards(parts, pose, few, shift)
    for _ in range(2):
        place_hips(pose, few, shift)
        needed = leg_overreach(pose)
        if not needed.any():
            break
        shift[:, 1] -= coarse.rounded(coarse.widest(needed, AHEAD), 0.4 * AHEAD)
    _settle(coarse, shift)
    joins = shoulder_assist(arms.wrist, pose.size, coarse.twice)
    rows = np.concatenate([shift, *(joins[own] for own in arms.sides.values())], axis=1)
    if every > 1:  # every frame's, by cubics through every third's
        wanted = [np.arange(len(part.table)) / (every * RATE) for part in parts]
        rows = np.concatenate([sample_rows(rows[c], at, False) for c, at in zip(coarse.slices(), wanted, strict=True)])
    return rows[:, :3], {side: rows[:, 3 + 2 * i : 5 + 2 * i].T for i, side in enumerate(SIGN)}


def _lean_towards(parts: Sequence[_Performance], pose: Pose, channels: ChannelCurves, shift: Floats) -> None:
    """Add to the hips' ``shift (F, 3)`` what goals in the world need that an arm alone does not reach."""
    tasks = [(frames, part.tasks[s], s) for frames, part in zip(pose.spans.slices(), parts, strict=True) for s in SIGN]
    wanted = [(frames, task.plan, side) for frames, task, side in tasks if task.plan and task.plan.in_world]
    if not wanted:
        return
    joints = _above(pose.skeleton, tuple(f"{side}UpperArm" for side in SIGN))
    for _ in range(3):
        place_hips(pose, channels, shift)
        p = pose.world(joints)[1]
        for frames, plan, side in wanted:
            shoulder = p[frames, int(np.searchsorted(joints, pose.skeleton.index(f"{side}UpperArm")))]
            shift[frames] += lean_to_reach(plan, shoulder, pose.spans.time[frames], pose.size)


def _settle(spans: Batch, shift: Floats) -> None:
    """Leave nothing of a shift ``(F, 3)`` over at the ends of what does not go round."""
    for frames, loop in zip(spans.slices(), spans.loops, strict=True):
        if not loop:
            own, (came, left) = shift[frames], _fading(frames.stop - frames.start, spans.rate)
            own -= left * own[-1] + came * own[0]


@lru_cache(maxsize=64)
def _fading(count: int, rate: float) -> tuple[Floats, Floats]:
    """``(T, 1)`` what is left of the first frame after it, and what is there of the last one before it."""
    time = np.arange(count)[:, None] / rate
    end = float(time[-1, 0])
    return 1.0 - ramp(time, 0.0, SETTLED), ramp(time, end - SETTLED, end)


def horizontal_centre_of_mass(pose: Pose, arms: ArmPose, limbs: dict[str, FigureLimb]) -> Floats:
    """``(F, 2)`` x and z of the centre of mass."""
    parts = _segments(pose.size)
    kernels = compiled.loaded(WORTH * len(pose.spans))
    if kernels is None:
        return horizontal_centre_of_mass_reference(pose, arms, limbs)
    for side, rows in arms.sides.items():
        own = np.array([pose.skeleton.index(f"{side}{part}") for part in ("Shoulder", "UpperArm", "LowerArm")])
        limb = limbs[side].hinge, limbs[side].rest_flexion
        kernels.turn_arms(arms.upper[rows], arms.flexion[rows], own, *limb, pose.local)
    made = np.empty((len(pose.spans), 2))
    kernels.weigh(pose.local, pose.places, *parts, made)
    return made


def horizontal_centre_of_mass_reference(pose: Pose, arms: ArmPose, limbs: dict[str, FigureLimb]) -> Floats:
    """The same in plain NumPy."""
    for side, rows in arms.sides.items():
        clavicle = pose.local[:, pose.skeleton.index(f"{side}Shoulder")]
        pose.turn(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), arms.upper[rows]))
        pose.turn(f"{side}LowerArm", limbs[side].bent(arms.flexion[rows]))
    joints, _, carriers, offsets, masses = _segments(pose.size)
    q, p = pose.world(joints)
    centres = p[:, carriers] + rotations.rotate(q[:, carriers], offsets)
    return np.asarray(np.einsum("s,fsi->fi", masses, centres)[:, [0, 2]])


class _MassSegments(NamedTuple):
    joints: Ints  # (K,) that carry mass, and all above them
    parents: Ints  # (K,) among them
    carriers: Ints  # (S,) which of them carry segments
    offsets: Floats  # (S, 3) the segments' centres
    masses: Floats  # (S,)


@lru_cache(maxsize=16)
def _segments(size: float) -> _MassSegments:
    skeleton = body_of(HEIGHT * size)
    parts = segments(skeleton)
    joints = _above(skeleton, tuple(skeleton.names[part.joint] for part in parts))
    order = {int(joint): k for k, joint in enumerate(joints)}
    parents = np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints])
    carriers = np.searchsorted(joints, [part.joint for part in parts])
    offsets, masses = np.array([part.offset for part in parts]), np.array([part.mass for part in parts])
    return _MassSegments(joints, parents, carriers, offsets, masses)


@compile_exact
def horizontal_centre_of_mass_kernel(local, places, joints, parents, carriers, offsets, masses, out):  # type: ignore[no-untyped-def]
    """Where (F, 2) the mass of segments is, x and z; see ``acting._weight``."""
    q, p = np.empty((len(joints), 4)), np.empty((len(joints), 3))
    for i in range(local.shape[0]):
        for k in range(len(joints)):
            own, at = local[i, joints[k]], places[i, joints[k]]
            w, x, y, z = own[0], own[1], own[2], own[3]
            u, v, t = at[0], at[1], at[2]
            if parents[k] >= 0:
                a, b = q[parents[k]], p[parents[k]]
                w, x, y, z = quaternion_product(a[0], a[1], a[2], a[3], w, x, y, z)
                u, v, t = rotate_vector(a[0], a[1], a[2], a[3], u, v, t)
                u, v, t = b[0] + u, b[1] + v, b[2] + t
            q[k, 0], q[k, 1], q[k, 2], q[k, 3] = w, x, y, z
            p[k, 0], p[k, 1], p[k, 2] = u, v, t
        out[i, 0], out[i, 1] = 0.0, 0.0
        for s in range(len(carriers)):
            a, b, far = q[carriers[s]], p[carriers[s]], offsets[s]
            u, v, t = rotate_vector(a[0], a[1], a[2], a[3], far[0], far[1], far[2])
            out[i, 0] += masses[s] * (b[0] + u)
            out[i, 1] += masses[s] * (b[2] + t)


@compile_exact
def capsule_lines_kernel(q, p, trunk, head_line, local, places, legs, offsets, out):  # type: ignore[no-untyped-def]
    """The middle lines (F, 4, 2, 3) of trunk, head and thighs; see ``acting.body_lines``.

    ``trunk``: where hips, neck and head are in ``q`` and ``p``; ``legs`` the upper legs' joints, ``offsets`` (2, 2, 3)
    those of upper and lower legs.
    """
    for i in range(out.shape[0]):
        for k in range(3):
            out[i, 0, 0, k], out[i, 0, 1, k] = p[i, trunk[0], k], p[i, trunk[1], k]
        h, at = q[i, trunk[2]], p[i, trunk[2]]
        for end in range(2):
            u, v, t = rotate_vector(h[0], h[1], h[2], h[3], head_line[end, 0], head_line[end, 1], head_line[end, 2])
            out[i, 1, end, 0], out[i, 1, end, 1], out[i, 1, end, 2] = at[0] + u, at[1] + v, at[2] + t
        h = local[i, 0]
        for side in range(2):
            far, leg = offsets[side, 0], local[i, legs[side]]
            u, v, t = rotate_vector(h[0], h[1], h[2], h[3], far[0], far[1], far[2])
            u, v, t = places[i, 0, 0] + u, places[i, 0, 1] + v, places[i, 0, 2] + t
            out[i, 2 + side, 0, 0], out[i, 2 + side, 0, 1], out[i, 2 + side, 0, 2] = u, v, t
            w, x, y, z = quaternion_product(h[0], h[1], h[2], h[3], leg[0], leg[1], leg[2], leg[3])
            far = offsets[side, 1]
            a, b, c = rotate_vector(w, x, y, z, far[0], far[1], far[2])
            out[i, 2 + side, 1, 0], out[i, 2 + side, 1, 1], out[i, 2 + side, 1, 2] = u + a, v + b, t + c
