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
from kinesphere.figure.arm_laying import Surroundings
from kinesphere.figure.arm_plan import ArmPlan, arm_plan
from kinesphere.figure.arms import ArmPose, ArmTask, joining, pose_arms
from kinesphere.figure.channels import Curves, enliven, joined, performed, sampled
from kinesphere.figure.clocks import Clock, clock
from kinesphere.figure.curves import ramp
from kinesphere.figure.hands import set_hands
from kinesphere.figure.keeping_off import HEAD, THIGH, TRUNK, room_between
from kinesphere.figure.legs import hip, overreach, stand
from kinesphere.figure.limbs import Limb, limb_of
from kinesphere.figure.manner import PLAIN, Manner, body_goals, leading_side
from kinesphere.figure.pose import SIGN, Pose
from kinesphere.figure.pose import body as body_of
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.reaching import OutOfReach, leaning, missed
from kinesphere.figure.spans import RATE, Spans
from kinesphere.figure.strokes import Travel, ran
from kinesphere.figure.surface_scales import join_in, scale_surface
from kinesphere.figure.trunk import place_hips, set_trunk
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats, Ints, within
from kinesphere.motion.gesture import Gesture, Step
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.telling import tell
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


def acted(gesture: Gesture, height: float = HEIGHT) -> Motion:
    """The gesture on a figure of this height, 60 frames a second, beginning and ending in the relaxed stance."""
    return act([(gesture, PLAIN)], height)[0]


def act(cast: Sequence[tuple[Gesture, Manner]], height: float = HEIGHT) -> list[Motion]:
    """Gestures, each in its manner, on figures of this height."""
    if not np.isfinite(height) or not 0.1 <= height <= 10.0:
        raise ValueError(f"height {height}: 0.1 to 10 m is allowed")
    made: dict[int, Motion] = {}
    troupes = _troupes([gesture for gesture, _ in cast])
    acts = compiled.share_work(lambda troupe: _acted([cast[i] for i in troupe], height), troupes)
    for troupe, (motions, doubts) in zip(troupes, acts, strict=True):
        made |= dict(zip(troupe, motions, strict=True))
        for doubt in doubts:
            tell(doubt, OutOfReach)
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
    limbs = {side: limb_of(height, side, "Arm") for side in SIGN}
    parts = [_rehearsed(gesture, manner, limbs, height / HEIGHT) for gesture, manner in cast]
    spans = Spans.of(tuple(len(part.table) for part in parts), tuple(part.gesture.loop for part in parts))
    channels = joined([part.table for part in parts], [part.breath for part in parts])
    pose = Pose.standing(spans, height)
    shift, joins = _balanced(pose, parts, channels, limbs)
    arms = _pose(pose, parts, channels, limbs, shift, joins)
    room = room_between(arms.wrist[arms.sides["left"]], arms.wrist[arms.sides["right"]], pose.size)
    arms = replace(arms, room=arms.room * np.concatenate([room, room]))
    clocks = {side: [part.clocks[side] for part in parts] for side in SIGN}
    set_hands(pose, [part.gesture for part in parts], channels, arms, clocks)
    scale_surface(pose, arms, channels["torso.breath"], channels.breath)
    doubts = list(_missed(pose, parts))
    return pose.motions([part.gesture.name for part in parts]), doubts


def _missed(pose: Pose, parts: Sequence[_Part]) -> Iterator[str]:
    """Which goals in the world are not reached."""
    for frames, part in zip(pose.spans.slices(), parts, strict=True):
        for side, task in part.tasks.items():
            if task.plan is not None and task.plan.in_world:
                joints = _above(pose.skeleton, (f"{side}Hand",))
                hand = pose.world(joints)[1][frames, -1]
                yield from missed(part.gesture.name, side, task.plan, hand)


@dataclass(frozen=True, eq=False)
class _Part:
    """One performance, ready to be posed."""

    gesture: Gesture
    clocks: dict[str, Clock]
    tasks: dict[str, ArmTask]
    steps: dict[str, tuple[Step, ...]]
    table: Floats  # (T, C)
    breath: Floats  # (T,)


def body_clock(gesture: Gesture, manner: Manner, height: float = HEIGHT) -> TimeMap:
    """From a gesture's own time to when the body is there, performed in this manner."""
    body = _planned(gesture, manner, {side: limb_of(height, side, "Arm") for side in SIGN}, height / HEIGHT)[1]
    if gesture.loop:
        return TimeMap.uniform(gesture.duration / max(body.end(gesture.duration), 1.0 / RATE))
    moments = np.unique([0.0, *within(body.source, 0.0, gesture.duration), gesture.duration])
    when = np.maximum.accumulate(body.when(moments) + 1e-9 * np.arange(len(moments)))
    return TimeMap(moments, when)


def _planned(
    gesture: Gesture, manner: Manner, limbs: dict[str, Limb], size: float
) -> tuple[dict[str, ArmPlan | None], Clock]:
    """What each arm does, and the body's clock."""
    locked = manner.locked
    plans = {side: arm_plan(gesture, side, limbs[side], size, manner.arm(side), locked) for side in SIGN}
    lead = leading_side(gesture)
    leading = plans[lead] if lead else None
    goals = body_goals(gesture)
    body = leading.clock if leading else clock(goals, np.zeros(len(goals) - 1), manner.body, None, locked)
    return plans, body


def _rehearsed(gesture: Gesture, manner: Manner, limbs: dict[str, Limb], size: float) -> _Part:
    plans, body = _planned(gesture, manner, limbs, size)
    clocks = {"body": body} | {side: plan.clock if plan else body for side, plan in plans.items()}
    frames = max(round(own.end(gesture.duration) * RATE) for own in clocks.values()) + 1
    time = np.arange(frames) / RATE
    runs: list[tuple[Clock, Travel, Floats]] = []
    moments: dict[str, Floats] = {}
    travels: dict[str, Travel] = {}
    for name, own in clocks.items():
        run = next((run for run in runs if run[0].like(own)), None)  # clocks that run alike
        if run is None:
            run = own, *ran(own, frames)
            runs.append(run)
        _, travels[name], moments[name] = run
    if gesture.loop:  # a loop's clock runs evenly, and comes back to its start
        even = time * gesture.duration / max(time[-1], 1.0 / RATE)
        moments = dict.fromkeys(clocks, even)
    table = performed(gesture, moments, manner.channels)
    change = max(own.change for own, *_ in runs)
    if change > 0.0 and not gesture.loop:  # what is hurried is rounded again: a torso has mass
        moving = (table != table[0]).any(axis=0).nonzero()[0]
        if moving.size:
            table[:, moving] = Spans.of((frames,), (False,)).rounded(table[:, moving], HEAVY * change)
    tasks = {
        side: ArmTask(plan, travels[side] if plan else None, manner.arm(side), moments[side], gesture.loop)
        for side, plan in plans.items()
    }
    join_in(table, tasks.values())
    breath = enliven(table, gesture, manner, time)
    steps = {side: _stepped(gesture.steps.get(side, ()), body) for side in SIGN}
    return _Part(gesture, clocks, tasks, steps, table, breath)


def _stepped(steps: Sequence[Step], body: Clock) -> tuple[Step, ...]:
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
    parts: Sequence[_Part],
    channels: Curves,
    limbs: dict[str, Limb],
    shift: Floats,
    joins: dict[str, Floats],
    every: int = 1,
    plainly: bool = False,
) -> ArmPose:
    """Trunk, arms and legs; the arms are given, and not yet laid. ``plainly``: as far as balance needs them."""
    skeleton = pose.skeleton
    trunk = _above(skeleton, (*(f"{side}{part}" for side in SIGN for part in ("UpperArm", "Eye")), "head"))
    q, p = set_trunk(pose, channels, shift, joins, trunk)
    chest = q[:, int(np.searchsorted(trunk, skeleton.index("upperChest")))]

    for side in SIGN:
        stand(pose, channels, side, [part.steps[side] for part in parts])
    shoulders = [p[:, int(np.searchsorted(trunk, skeleton.index(f"{side}UpperArm")))] for side in SIGN]
    shoulder, both = np.concatenate(shoulders), np.concatenate([chest, chest])
    lines = None if plainly else body_lines(pose, trunk, q, p)

    def around(rows: slice) -> Surroundings:
        assert lines is not None
        return Surroundings(shoulder[rows], both[rows], lines, *_volumes(pose.size))

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


def body_lines(pose: Pose, trunk: Ints, q: Floats, p: Floats) -> Floats:
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
        lines[:, 2 + i, 0] = hip(pose, side)
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
    whole: Pose, parts: Sequence[_Part], channels: Curves, limbs: dict[str, Limb]
) -> tuple[Floats, dict[str, Floats]]:
    """How the hips move so that the body's weight stays where it is to be and no knee locks ``(F, 3)``.

    And how the shoulders join what the arms do, each side's ``(2, F)``. What ``whole`` holds is written over.
    """
    spans = whole.spans
    every = 1 if any(spans.loops) else COARSE  # a loop may not have a whole number of coarse steps
    counts = tuple(len(part.table[::every]) for part in parts)
    coarse = Spans.of(counts, spans.loops, RATE / every)
    kept = [slice(s.start, s.stop, every) for s in spans.slices()]
    few = joined([channels.table[k] for k in kept], [channels.breath[k] for k in kept])
    pose = whole.lent(coarse)
    still = {side: np.zeros((2, len(coarse))) for side in SIGN}
    arms = _pose(pose, parts, few, limbs, np.zeros((len(coarse), 3)), still, every, plainly=True)
    heavy = weight(pose, arms, limbs)
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
        needed = overreach(pose)
        if not needed.any():
            break
        shift[:, 1] -= coarse.rounded(coarse.widest(needed, AHEAD), 0.4 * AHEAD)
    _settle(coarse, shift)
    joins = joining(arms.wrist, pose.size, coarse.twice)
    rows = np.concatenate([shift, *(joins[own] for own in arms.sides.values())], axis=1)
    if every > 1:  # every frame's, by cubics through every third's
        wanted = [np.arange(len(part.table)) / (every * RATE) for part in parts]
        rows = np.concatenate([sampled(rows[c], at, False) for c, at in zip(coarse.slices(), wanted, strict=True)])
    return rows[:, :3], {side: rows[:, 3 + 2 * i : 5 + 2 * i].T for i, side in enumerate(SIGN)}


def _lean_towards(parts: Sequence[_Part], pose: Pose, channels: Curves, shift: Floats) -> None:
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
            shift[frames] += leaning(plan, shoulder, pose.spans.time[frames], pose.size)


def _settle(spans: Spans, shift: Floats) -> None:
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


def weight(pose: Pose, arms: ArmPose, limbs: dict[str, Limb]) -> Floats:
    """``(F, 2)`` x and z of the centre of mass."""
    parts = _segments(pose.size)
    kernels = compiled.loaded(WORTH * len(pose.spans))
    if kernels is None:
        return weight_reference(pose, arms, limbs)
    for side, rows in arms.sides.items():
        own = np.array([pose.skeleton.index(f"{side}{part}") for part in ("Shoulder", "UpperArm", "LowerArm")])
        limb = limbs[side].hinge, limbs[side].rest_flexion
        kernels.turn_arms(arms.upper[rows], arms.flexion[rows], own, *limb, pose.local)
    made = np.empty((len(pose.spans), 2))
    kernels.weigh(pose.local, pose.places, *parts, made)
    return made


def weight_reference(pose: Pose, arms: ArmPose, limbs: dict[str, Limb]) -> Floats:
    """The same in plain NumPy."""
    for side, rows in arms.sides.items():
        clavicle = pose.local[:, pose.skeleton.index(f"{side}Shoulder")]
        pose.turn(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), arms.upper[rows]))
        pose.turn(f"{side}LowerArm", limbs[side].bent(arms.flexion[rows]))
    joints, _, carriers, offsets, masses = _segments(pose.size)
    q, p = pose.world(joints)
    centres = p[:, carriers] + rotations.rotate(q[:, carriers], offsets)
    return np.asarray(np.einsum("s,fsi->fi", masses, centres)[:, [0, 2]])


class _Segments(NamedTuple):
    joints: Ints  # (K,) that carry mass, and all above them
    parents: Ints  # (K,) among them
    carriers: Ints  # (S,) which of them carry segments
    offsets: Floats  # (S, 3) the segments' centres
    masses: Floats  # (S,)


@lru_cache(maxsize=16)
def _segments(size: float) -> _Segments:
    skeleton = body_of(HEIGHT * size)
    parts = segments(skeleton)
    joints = _above(skeleton, tuple(skeleton.names[part.joint] for part in parts))
    order = {int(joint): k for k, joint in enumerate(joints)}
    parents = np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints])
    carriers = np.searchsorted(joints, [part.joint for part in parts])
    offsets, masses = np.array([part.offset for part in parts]), np.array([part.mass for part in parts])
    return _Segments(joints, parents, carriers, offsets, masses)
