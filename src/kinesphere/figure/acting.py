"""Gestures acted on the figure: everything where the gesture says, in the manner that is asked for.

Hands travel from goal to goal. Shoulders join what the arms do; the hips move so that the body's weight stays where
the gesture puts it, above feet that stand; hanging arms hang; breath and sway go on underneath. Several performances
are acted as one, frame after frame, which is much cheaper than one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from kinesphere.body.mass import segments
from kinesphere.figure.arm_plan import arm_plan
from kinesphere.figure.arms import ArmPose, ArmTask, joining, pose_arms
from kinesphere.figure.channels import Curves, enliven, joined, performed, sampled
from kinesphere.figure.clocks import Clock, clock
from kinesphere.figure.curves import ramp
from kinesphere.figure.hands import set_hands
from kinesphere.figure.keeping_off import HEAD, THIGH, TRUNK, Volume
from kinesphere.figure.legs import hip, overreach, stand
from kinesphere.figure.limbs import Limb, limb_of
from kinesphere.figure.manner import PLAIN, Manner, body_goals, leading_side
from kinesphere.figure.pose import SIGN, Pose
from kinesphere.figure.pose import body as body_of
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.reaching import leaning, tell_of_missed
from kinesphere.figure.spans import RATE, Spans
from kinesphere.figure.strokes import travelled
from kinesphere.figure.surface_scales import join_in, scale_surface
from kinesphere.figure.trunk import set_clavicles, set_hips, set_spine_and_head
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.gesture import Gesture, Step
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

COARSE = 3  # frames: what balance is found from every so many
MOVED = 0.85  # of the hips' way that the centre of mass goes when feet stand
EARLY, SLOW = 0.05, 0.10  # seconds: hips go before the arm does, and roundly
SETTLED = 0.6  # seconds before the end
AHEAD = 0.18  # seconds that hips begin to sink before a leg would be too short
HEAVY = 0.045  # seconds
QUICKEST = 0.24  # seconds that a step takes at least


def acted(gesture: Gesture, height: float = HEIGHT) -> Motion:
    """The gesture on a figure of this height, 60 frames a second, beginning and ending in the relaxed stance."""
    return act([(gesture, PLAIN)], height)[0]


def act(cast: Sequence[tuple[Gesture, Manner]], height: float = HEIGHT) -> list[Motion]:
    """Gestures, each in its manner, on figures of this height."""
    if not np.isfinite(height) or not 0.1 <= height <= 10.0:
        raise ValueError(f"height {height}: 0.1 to 10 m is allowed")
    loops = [gesture.loop for gesture, _ in cast]
    if any(loops) and not all(loops):  # loops are balanced frame by frame, all else on every third
        made: dict[int, Motion] = {}
        for looping in (False, True):
            own = [i for i, loop in enumerate(loops) if loop == looping]
            made |= dict(zip(own, act([cast[i] for i in own], height), strict=True))
        return [made[i] for i in range(len(cast))]
    limbs = {side: limb_of(height, side, "Arm") for side in SIGN}
    parts = [_rehearsed(gesture, manner, limbs, height / HEIGHT) for gesture, manner in cast]
    spans = Spans.of(tuple(len(part.table) for part in parts), tuple(part.gesture.loop for part in parts))
    channels = joined([part.table for part in parts], [part.breath for part in parts])
    shift, joins = _balanced(parts, spans, channels, limbs, height)
    pose = Pose.standing(spans, height)
    arms = _pose(pose, parts, channels, limbs, shift, joins)
    for side in SIGN:
        clocks = [part.clocks[side] for part in parts]
        set_hands(pose, [part.gesture for part in parts], channels, side, arms[side], clocks)
    scale_surface(pose, arms)
    _tell(pose, parts)
    return pose.motions([part.gesture.name for part in parts])


def _tell(pose: Pose, parts: Sequence[_Part]) -> None:
    """Say which goals in the world are not reached."""
    for frames, part in zip(pose.spans.slices(), parts, strict=True):
        for side, task in part.tasks.items():
            if task.plan is not None and task.plan.fixed.any():
                joints = _above(pose.skeleton, (f"{side}Hand",))
                hand = pose.world(joints)[1][frames, -1]
                tell_of_missed(part.gesture.name, side, task.plan, hand)


@dataclass(frozen=True, eq=False)
class _Part:
    """One performance, ready to be posed."""

    gesture: Gesture
    clocks: dict[str, Clock]
    tasks: dict[str, ArmTask]
    steps: dict[str, tuple[Step, ...]]
    table: Floats  # (T, C)
    breath: Floats  # (T,)


def _rehearsed(gesture: Gesture, manner: Manner, limbs: dict[str, Limb], size: float) -> _Part:
    locked = manner.locked
    plans = {side: arm_plan(gesture, side, limbs[side], size, manner.arm(side), locked) for side in SIGN}
    lead = leading_side(gesture)
    leading = plans[lead] if lead else None
    goals = body_goals(gesture)
    body = leading.clock if leading else clock(goals, np.zeros(len(goals) - 1), manner.body, None, locked)
    clocks = {side: plan.clock if plan else body for side, plan in plans.items()} | {"body": body}
    frames = max(round(ran.end(gesture.duration) * RATE) for ran in clocks.values()) + 1
    time = np.arange(frames) / RATE
    moments = {name: ran.moment(time) for name, ran in clocks.items() if name == "body" or ran is not body}
    moments = {name: moments.get(name, moments["body"]) for name in clocks}
    if gesture.loop:  # a loop's clock runs evenly, and comes back to its start
        even = time * gesture.duration / max(time[-1], 1.0 / RATE)
        moments = dict.fromkeys(clocks, even)
    table = performed(gesture, moments, manner.channels)
    change = max(ran.change for ran in clocks.values())
    if change > 0.0 and not gesture.loop:  # what is hurried is rounded again: a torso has mass
        table = Spans.of((frames,), (False,)).rounded(table, HEAVY * change)
    tasks = {
        side: ArmTask(
            plan, None if plan is None else travelled(plan.clock, frames), manner.arm(side), moments[side], gesture.loop
        )
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
) -> dict[str, ArmPose]:
    """Trunk, arms and legs; the arms are given, and not yet laid. ``plainly``: as far as balance needs them."""
    set_hips(pose, channels, shift)
    set_spine_and_head(pose, channels)
    set_clavicles(pose, channels, joins)
    skeleton = pose.skeleton
    trunk = _above(skeleton, (*(f"{side}UpperArm" for side in SIGN), "head"))
    q, p = pose.world(trunk)
    chest = q[:, int(np.searchsorted(trunk, skeleton.index("upperChest")))]

    def volumes(side: str, shoulder: Floats) -> list[Volume]:
        if plainly:
            return []
        places = {name: p[:, int(np.searchsorted(trunk, skeleton.index(name)))] for name in ("hips", "neck", "head")}
        turned = q[:, int(np.searchsorted(trunk, skeleton.index("head")))]
        return body_volumes(pose, side, shoulder, chest, places, turned)

    for side in SIGN:
        stand(pose, channels, side, [part.steps[side] for part in parts])
    arms: dict[str, ArmPose] = {}
    for side in SIGN:
        shoulder = p[:, int(np.searchsorted(trunk, skeleton.index(f"{side}UpperArm")))]
        tasks = [part.tasks[side].taken(every) for part in parts]
        arms[side] = pose_arms(
            limbs[side],
            side,
            tasks,
            pose.spans,
            pose.size,
            shoulder,
            chest,
            plainly=plainly,
            body=volumes(side, shoulder),
        )
    return arms


def body_volumes(
    pose: Pose, side: str, shoulder: Floats, chest: Floats, places: dict[str, Floats], head: Floats
) -> list[Volume]:
    """What a hand keeps off: trunk, head and thighs, as its chest sees them from its shoulder."""
    size = pose.size
    back = rotations.conjugate(chest)

    def seen(point: Floats) -> Floats:
        return rotations.rotate(back, point - shoulder)

    crown = places["head"] + rotations.rotate(head, np.array([0.0, 0.10, 0.02]) * size)
    base = places["head"] + rotations.rotate(head, np.array([0.0, 0.06, 0.02]) * size)
    top = seen(places["neck"]) + np.array([0.0, -0.07, 0.01]) * size
    made = [
        Volume(seen(places["hips"]) + np.array([0.0, 0.0, 0.01]) * size, top, size * TRUNK[0], size * TRUNK[1]),
        Volume(seen(base), seen(crown), size * HEAD[0], size * HEAD[1]),
    ]
    for other in SIGN:
        upper, lower = (pose.skeleton.index(f"{other}{part}") for part in ("UpperLeg", "LowerLeg"))
        start = hip(pose, other)
        thigh = rotations.multiply(pose.local[:, 0], pose.local[:, upper])
        knee = start + rotations.rotate(thigh, pose.skeleton.offsets[lower])
        made.append(Volume(seen(start), seen(knee), size * THIGH[0], size * THIGH[1]))
    return made


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
    parts: Sequence[_Part], spans: Spans, channels: Curves, limbs: dict[str, Limb], height: float
) -> tuple[Floats, dict[str, Floats]]:
    """How the hips move so that the body's weight stays where it is to be and no knee locks ``(F, 3)``.

    And how the shoulders join what the arms do, each side's ``(2, F)``.
    """
    every = 1 if any(spans.loops) else COARSE  # a loop may not have a whole number of coarse steps
    counts = tuple(len(part.table[::every]) for part in parts)
    coarse = Spans.of(counts, spans.loops, RATE / every)
    kept = np.concatenate([np.arange(s.start, s.stop, every) for s in spans.slices()])
    few = Curves(channels.table[kept], channels.breath[kept])
    pose = Pose.standing(coarse, height)
    still = {side: np.zeros((2, len(coarse))) for side in SIGN}
    arms = _pose(pose, parts, few, limbs, np.zeros((len(coarse), 3)), still, every, plainly=True)
    weight = _weight(pose, arms, limbs)
    asked = pose.size * few.rows("hips.x", "hips.z")
    firsts = coarse.first
    away = coarse.rounded(weight - asked - (weight - asked)[firsts], SLOW) / MOVED
    loops = np.array(spans.loops)[coarse.who]
    away = np.where(loops[:, None], away, away - away[firsts])
    shift = np.zeros((len(coarse), 3))
    shift[:, [0, 2]] = -coarse.delayed(away, -EARLY)
    _lean_towards(parts, pose, few, shift)
    lasts = np.array(counts)[coarse.who] / coarse.rate - 1.0 / coarse.rate
    for _ in range(2):
        set_hips(pose, few, shift)
        needed = np.maximum(np.max([overreach(pose, side) for side in SIGN], axis=0), 0.0)
        shift[:, 1] -= coarse.rounded(coarse.widest(needed, AHEAD), 0.4 * AHEAD)
    # Nothing of it is left over at the ends of what does not go round.
    end = firsts + np.array(counts)[coarse.who] - 1
    left = np.where(loops, 0.0, _ramp(coarse.time, lasts - SETTLED, lasts))
    came = np.where(loops, 0.0, 1.0 - _ramp(coarse.time, np.zeros(len(coarse)), np.full(len(coarse), SETTLED)))
    shift = shift - left[:, None] * shift[end] - came[:, None] * shift[firsts]
    joins = [joining(side, arms[side].wrist, pose.size, coarse).T for side in SIGN]
    rows = np.concatenate([shift, *joins], axis=1)
    if every > 1:  # every frame's, by cubics through every third's
        wanted = [np.arange(len(part.table)) / (every * RATE) for part in parts]
        rows = np.concatenate([sampled(rows[c], at, False) for c, at in zip(coarse.slices(), wanted, strict=True)])
    return rows[:, :3], {side: rows[:, 3 + 2 * i : 5 + 2 * i].T for i, side in enumerate(SIGN)}


def _lean_towards(parts: Sequence[_Part], pose: Pose, channels: Curves, shift: Floats) -> None:
    """Add to the hips' ``shift (F, 3)`` what goals in the world need that an arm alone does not reach."""
    tasks = [(frames, part.tasks[s], s) for frames, part in zip(pose.spans.slices(), parts, strict=True) for s in SIGN]
    wanted = [(frames, task.plan, side) for frames, task, side in tasks if task.plan and task.plan.fixed.any()]
    if not wanted:
        return
    joints = _above(pose.skeleton, tuple(f"{side}UpperArm" for side in SIGN))
    for _ in range(3):
        set_hips(pose, channels, shift)
        p = pose.world(joints)[1]
        for frames, plan, side in wanted:
            shoulder = p[frames, int(np.searchsorted(joints, pose.skeleton.index(f"{side}UpperArm")))]
            shift[frames] += leaning(plan, shoulder, pose.spans.time[frames], pose.size)


def _ramp(at: Floats, start: Floats, end: Floats) -> Floats:
    return ramp((at - start) / np.maximum(end - start, 1e-9), 0.0, 1.0)


def _weight(pose: Pose, arms: dict[str, ArmPose], limbs: dict[str, Limb]) -> Floats:
    """``(F, 2)`` x and z of the centre of mass."""
    skeleton = pose.skeleton
    for side, arm in arms.items():
        clavicle = pose.local[:, skeleton.index(f"{side}Shoulder")]
        pose.turn(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), arm.upper))
        pose.turn(f"{side}LowerArm", limbs[side].bent(arm.flexion))
    joints, carriers, offsets, masses = _segments(pose.size)
    q, p = pose.world(joints)
    centres = p[:, carriers] + rotations.rotate(q[:, carriers], offsets)
    return np.asarray(np.einsum("s,fsi->fi", masses, centres)[:, [0, 2]])


@lru_cache(maxsize=16)
def _segments(size: float) -> tuple[Ints, Ints, Floats, Floats]:
    """The joints that carry mass and all above them; which of them carry segments, their centres and masses."""
    skeleton = body_of(HEIGHT * size)
    parts = segments(skeleton)
    joints = _above(skeleton, tuple(skeleton.names[part.joint] for part in parts))
    carriers = np.searchsorted(joints, [part.joint for part in parts])
    return joints, carriers, np.array([part.offset for part in parts]), np.array([part.mass for part in parts])
