"""World goals of hands: where a wrist must be for a point of its hand to be at a target, and how the hand is turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.ground import runs
from kinesphere.body.shape_solver.constraints import PointConstraint, ShapeConstraints
from kinesphere.body.shape_solver.solve import solve_shape
from kinesphere.engine.arm_plan import OutOfReach
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.engine.written_claims import integrated
from kinesphere.maths import rotations
from kinesphere.maths.filters import frame_count, widen
from kinesphere.maths.kinematics import forward_some
from kinesphere.maths.vectors import Floats, norms, smootherstep
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.humanoid import PARENT_ROLE, SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.world_goal import WorldGoal

TIPS = ("Index", "Middle")  # fingers whose tips touch
TIP_BONE = 0.8  # of the bone before it, that the last bone of a finger is long that has no tip
PALM = 0.16  # arm lengths from the wrist to the middle of the palm
HAND = 0.31  # arm lengths from the wrist to the fingertips of a hand without fingers
OFF_PALM = 0.05  # arm lengths from the middle of the palm to what it grips
TINY = 1e-9  # of a window
EXACT = 1e-4  # metres: what is nearer to its goal is there
MISSED = 0.002  # metres of which the user is warned
AROUND = 0.6  # seconds around goals in which the trunk comes to assist an arm that is too short


def goal_window(goal: WorldGoal, time: Floats) -> Floats:
    """``(T,)`` from 0 to 1: how far a goal holds."""
    comes = smootherstep((time - goal.start) / max(goal.before, 1e-6) + 1.0)
    return np.asarray(comes * (1.0 - smootherstep((time - goal.end) / max(goal.after, 1e-6))))


@memoised
def goals_of(context: PerformanceContext, role: str) -> tuple[tuple[WorldGoal, Floats], ...]:
    """The goals of a hand or foot that hold in any frame, with how far they hold ``(T,)``.

    A hand that moves later than the body (a succession) is at its goals as much later.
    """
    asked = [_delayed(context.phrase, own) for own in context.phrase.goals if own.role == role]
    held = [(own, goal_window(own, context.clock.source)) for own in asked]
    return tuple((own, window) for own, window in held if window.max() > TINY)


def _delayed(phrase: Phrase, goal: WorldGoal) -> WorldGoal:
    """A goal that comes as much later as its hand moves then."""
    late = integrated(phrase).value("delay", goal.role)
    if not late.any():
        return goal
    own = float(late) if late.ndim == 0 else float(np.interp(goal.start, phrase.times[: len(late)], late))
    last = max(phrase.duration - goal.end, 0.0)  # it is over when the movement is
    own = min(own, last)
    return replace(goal, start=goal.start + own, end=goal.end + own)


def goal_places(
    context: PerformanceContext, side: str, world: RecordedWorld, local: Floats
) -> list[tuple[Floats, Floats, Floats]]:
    """The goals of a hand as one: how far it holds ``(T,)``, where its wrist must be ``(T, 3)``, how it is turned.

    Where one goes over into the next, each is asked for as far as the others do not hold.
    """
    found = goals_of(context, f"{side}Hand")
    if not found:
        return []
    turned = world.q(context.roles[f"{side}Hand"])
    offsets: dict[str, Floats] = {}
    free, total, places = np.ones(len(turned)), np.zeros(len(turned)), np.zeros((len(turned), 3))
    for goal, window in found:
        if goal.point not in offsets:
            own = point_of_hand(context.body, side, goal.point, local)
            offsets[goal.point] = rotations.rotate(turned, own)
        rows = slice(*_extent(window))
        others = np.ones(rows.stop - rows.start)
        for other, held in found:
            if other is not goal and held[rows].any():
                others *= 1.0 - held[rows]
        share = window[rows] * others
        places[rows] += share[:, None] * (np.array(goal.target) - offsets[goal.point][rows])
        total[rows] += share
        free[rows] *= 1.0 - window[rows]
    return [(1.0 - free, places / np.maximum(total, 1e-12)[:, None], turned)]


def _extent(window: Floats) -> tuple[int, int]:
    """The first frame in which a window holds, and the one after the last."""
    rows = np.flatnonzero(window > 0.0)
    return int(rows[0]), int(rows[-1]) + 1


def meet_goals(context: PerformanceContext, local: Floats, translations: Floats) -> None:
    """Bring hands that miss their goals there, by trunk and hips where arms are too short; feet stay. In place."""
    found = [(side, *row) for side in SIDES for row in goals_of(context, f"{side}Hand")]
    if not found:
        return
    holds = np.max([window for *_, window in found], axis=0) > TINY
    for first, last in runs(widen(holds, frame_count(AROUND, context.rate), 0) > 0.0):
        rows = slice(first, last + 1)
        world = context.world(local[rows], translations[rows])
        points, asked, missed = list[PointConstraint](), list[WorldGoal](), 0.0
        for side, goal, window in found:
            weight = window[rows]
            if weight.max() <= TINY:
                continue
            hand, end = context.roles[f"{side}Hand"], world.q(context.roles[f"{side}Hand"])
            offsets = np.broadcast_to(point_of_hand(context.body, side, goal.point, local[rows]), (len(end), 3))
            fixed = offsets[int(np.argmax(weight))]
            target = np.array(goal.target) - rotations.rotate(end, offsets - fixed)
            points.append(PointConstraint(hand, fixed, target, weight, end))
            asked.append(goal)
            away = norms(world.p(hand) + rotations.rotate(end, fixed) - target)
            missed = max(missed, float((weight * away).max()))
        if missed < EXACT:
            continue
        for side in SIDES:
            foot = context.roles[f"{side}Foot"]
            still = np.ones(len(world.pose.p))
            points.append(PointConstraint(foot, np.zeros(3), world.p(foot), still, world.q(foot)))
        given = local[rows], translations[rows]
        solved = solve_shape(context.body, *given, ShapeConstraints(tuple(points)), context.rate)
        if any(own.max(initial=0.0) > MISSED for own in solved.missed[: len(asked)]):  # hands turn where they must
            free = [replace(own, orientation=None) for own in points[: len(asked)]]
            solved = solve_shape(context.body, *given, ShapeConstraints((*free, *points[len(asked) :])), context.rate)
        local[rows], translations[rows] = solved.local, solved.translations
        for goal, own in zip(asked, solved.missed[: len(asked)], strict=True):
            _tell_missed(context, goal, float(own.max(initial=0.0)))


def _tell_missed(context: PerformanceContext, goal: WorldGoal, missed: float) -> None:
    """Warn about a goal that no body of this size reaches from where it stands."""
    if missed > MISSED:
        name = f" of {goal.name}" if goal.name else ""
        warn_caller(
            f"{context.phrase.name}: the {goal.role.removesuffix('Hand')} hand stays {1000.0 * missed:.0f} mm short of "
            f"its goal{name} at {goal.start:.2f} s; the goal is approached as far as body and arm go",
            OutOfReach,
        )


def point_of_hand(body: Body, side: str, point: str, local: Floats) -> Floats:
    """``(3,)`` or ``(T, 3)`` metres from the wrist to a point of the hand, in the hand joint's own axes.

    Fingertips are where the fingers of poses ``(T, J, 4)`` have them.
    """
    if point == "wrist":
        return np.zeros(3)
    length = body.lengths[f"{side}Arm"]
    frame = body.anatomy.frames[f"{side}Hand"]
    inwards = 1.0 if side == "left" else -1.0  # of a hand's frame, whose second axis points to the same side on both
    along, out = (rotations.rotate(frame, np.array(axis)) for axis in ((1.0, 0.0, 0.0), (0.0, inwards, 0.0)))
    if point == "palm":
        return np.asarray(PALM * length * along)
    if point == "grip":
        return np.asarray(PALM * length * along + OFF_PALM * length * out)
    tips = [tip for finger in TIPS if (tip := _fingertip(body, side, finger, local)) is not None]
    return np.mean(tips, axis=0) if tips else np.asarray(HAND * length * along)


def _fingertip(body: Body, side: str, finger: str, local: Floats) -> Floats | None:
    """``(T, 3)`` a fingertip in the hand joint's own axes; None: there is no such finger."""
    skeleton, roles = body.skeleton, body.roles
    chain = [roles[name] for name in PARENT_ROLE if name.startswith(f"{side}{finger}") and name in roles]
    if not chain:
        return None
    hand = roles[f"{side}Hand"]
    joints, joint = [], chain[-1]
    while joint != hand and joint >= 0:
        joints.append(joint)
        joint = int(skeleton.parents[joint])
    if joint != hand:
        return None
    joints.reverse()
    tip = next((np.array(own.offset) for own in skeleton.tips if own.joint == joints[-1]), None)
    if tip is None:
        children = [child for child in skeleton.children[joints[-1]] if np.any(skeleton.offsets[child])]
        tip = skeleton.offsets[children[0]] if children else TIP_BONE * skeleton.offsets[joints[-1]]
    rows = np.array(joints)
    translations = np.broadcast_to(skeleton.offsets[rows], (len(local), len(rows), 3))
    q, p = forward_some(
        np.ascontiguousarray(local[:, rows]),
        np.ascontiguousarray(translations),
        np.arange(len(rows)),
        np.arange(len(rows)) - 1,
    )
    return np.asarray(p[:, -1] + rotations.rotate(q[:, -1], tip))
