"""Feet of a displaced body: those that stood stand as they did, and hips give way where legs are too short for it.

A standing foot keeps the input's own path and orientation, whatever hips and legs are displaced by. Shortly before and
after a stand it still does, so that a step between two stands is the same step; farther away it goes along with the
body. A foot that is brought somewhere leaves its stand for a while, or takes its whole stand along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kinesphere.body.bodies import LEGS
from kinesphere.body.contacts import find_plants
from kinesphere.body.ground import runs
from kinesphere.body.limb_displacement import STILL
from kinesphere.body.limb_parts import cross, unit
from kinesphere.body.limb_reach import easy_reach, full_reach, within_reach
from kinesphere.body.limb_rounding import rounded_up
from kinesphere.body.limb_solving import lay_limb
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, lengths
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.signals.displacement_spline import eased
from kinesphere.signals.displacement_stretch import GENTLY, UP, PlacedTarget, PlacedTurn, Stretch

FEET = tuple(f"{side}Foot" for side in SIDES)
STAY, LEAVE = 0.5, 0.5  # seconds from a stand in which a foot stays, and over which it comes to go along
OWN = 0.15  # seconds over which a foot comes to go along whose own leg is turned
NEAR = 0.15  # seconds from a target in which a foot does not stand
LIFT = 0.4  # the same for a foot that would stand at the target itself, unless the edit has a width
ROUND = 0.12  # seconds over which hips give way before a leg is too short
HOLD = 0.2  # seconds over which raised hips are held back before a leg is too short
SLACK = 0.03  # metres that a straight leg swings aside before it is bent a little
DEEPEST = 0.12  # of the leg's length that they give way, besides what they are moved themselves
STEEP = (0.4, 0.7)  # how upright a leg must be so that hips give way for it, none and all

Standing = Callable[[], Mapping[str, Bools]]


class FootGoal(NamedTuple):
    """Where a foot goes."""

    path: Floats  # (T, 3) of its joint
    facing: Floats  # (T, 4) how it is turned in the world, if it keeps its orientation
    swivel: Floats  # (T,) of the knee
    follows: Floats  # (T,) how much it follows hips that give way
    targets: Sequence[PlacedTarget]


def stands(motion: Motion) -> dict[str, Bools]:
    """By role, when each foot ``(T,)`` stands; nothing for a body without legs."""
    if not all(role in motion.skeleton.roles for role in LEGS):
        return {}
    labels = find_plants(motion).labels
    return {
        f"{side}Foot": np.any([flags for name, flags in labels.items() if name.startswith(side)], axis=0)
        for side in SIDES
    }


def plan_feet(
    stretch: Stretch,
    turns: Sequence[PlacedTurn],
    targets: Mapping[str, Sequence[PlacedTarget]],
    standing: Standing | None,
) -> dict[str, FootGoal]:
    """By role, where feet go that are brought somewhere or keep standing. Hips give way to them.

    ``standing`` finds when feet stand; None: they go along with the body.
    """
    roles, was = stretch.skeleton.roles, stretch.before[1]
    carried = [role for role in FEET if role in roles and (stretch.p[:, roles[role]] != was[:, roles[role]]).any()]
    asked = [role for role in FEET if role in targets]
    if not asked and not (carried and standing):
        return {}
    found = standing() if standing else {}
    going = [role for role in FEET if role in asked or role in found]

    def planned() -> dict[str, FootGoal]:
        return {role: _goal(stretch, role, turns, targets.get(role, ()), found.get(role)) for role in going}

    goals, hips = planned(), roles.get("hips")
    if found and hips is not None and stretch.allowed[hips]:
        share = _too_high(stretch, goals, hips)
        if share.any():
            stretch.raise_less(hips, share)
            goals = planned()
            share = _too_high(stretch, goals, hips)
        raised = _raised(stretch, hips)
        goals = _sunk(stretch, goals, hips, share * raised)
        goals = _sunk(stretch, goals, hips, _sinking(stretch, goals, raised - share * raised))
    return goals


def lay_feet(stretch: Stretch, goals: Mapping[str, FootGoal]) -> None:
    """Legs that bring the feet there."""
    for role, goal in goals.items():
        limb = stretch.limb(role)
        moved = lengths(goal.path - stretch.p[:, limb.end])
        active = (moved > STILL) | (goal.swivel != 0.0)
        if active.any():
            asked = within_reach(limb, stretch.p, goal.path)
            laid = lay_limb(limb, stretch.q, stretch.p, asked, goal.swivel, partial(stretch.calmed, moved))
            laid = stretch.steadied(limb, laid, moved)
            facing: Floats | None = goal.facing
            if goal.targets and limb.attached:
                facing = stretch.faced(goal.targets, laid, goal.facing, active)
            stretch.pose.lay(limb, stretch.q, stretch.p, laid, facing, active)


def _goal(
    stretch: Stretch,
    role: str,
    turns: Sequence[PlacedTurn],
    targets: Sequence[PlacedTarget],
    standing: Bools | None,
) -> FootGoal:
    joint, rows = stretch.skeleton.roles[role], stretch.rows(targets)
    still = np.zeros(len(stretch.motion), dtype=bool) if standing is None else standing
    rate, width = stretch.motion.rate, stretch.range.width
    still = _left(still, targets, rows, NEAR * rate, LIFT * rate if width is None else width)
    held = _holding(still, rate, own=_turned(stretch, joint, turns))
    was, now = (world[:, joint] for world in (stretch.before[1], stretch.p))
    path = now + held[:, None] * (was - now)
    facing = rotations.slerp(stretch.q[:, joint], stretch.before[0][:, joint], held)
    swivel, follows = np.zeros(len(held)), 1.0 - held
    if targets:
        numbered, carrying = [(row, i) for i, row in enumerate(rows)], [own.edit.plant for own in targets]
        points, edges = _edged(still, numbered, carrying, NEAR * rate)
        first, dials = stretch.range.first, [own.dials for own in targets]
        knots = stretch.range.knots([(row + first, i) for row, i in points], dials, [row + first for row in edges])
        lifted = knots.curve(stretch.places(targets) - path[rows], stretch.at)
        path = np.asarray(path + lifted * knots.gently(stretch.at, GENTLY * rate)[:, None])
        swivel = stretch.curve(targets, np.array([[own.edit.swivel] for own in targets]))[:, 0]
        follows = np.zeros(len(held))
    return FootGoal(path, facing, swivel, follows, targets)


def _turned(stretch: Stretch, joint: int, turns: Sequence[PlacedTurn]) -> bool:
    """Whether the leg that a foot hangs on is turned itself."""
    leg = set()
    while joint not in (-1, stretch.skeleton.roles.get("hips", -1)):
        leg.add(joint)
        joint = int(stretch.skeleton.parents[joint])
    return any(own.joint in leg for own in turns)


def _holding(standing: Bools, rate: float, *, own: bool) -> Floats:
    """``(T,)`` how much a foot keeps to its path: wholly while it stands."""
    if not standing.any():
        return np.zeros(len(standing))
    frames, planted = np.arange(len(standing)), np.flatnonzero(standing)
    after = planted[np.minimum(np.searchsorted(planted, frames), len(planted) - 1)]
    before = planted[np.maximum(np.searchsorted(planted, frames, side="right") - 1, 0)]
    away = np.minimum(np.abs(after - frames), np.abs(frames - before)) / rate
    return 1.0 - eased(away / OWN if own else (away - STAY) / LEAVE)


def _left(standing: Bools, targets: Sequence[PlacedTarget], rows: Sequence[int], near: float, far: float) -> Bools:
    """The same without what is too near to a target: ``far`` rows where it falls into a stand, else ``near``."""
    kept = standing.copy()
    for row, own in zip(rows, targets, strict=True):
        if not own.edit.plant:
            span = round(far if standing[row] else near)
            kept[max(row - span, 0) : row + span + 1] = False
    return kept


def _edged(
    standing: Bools, points: Sequence[tuple[int, int]], carrying: Sequence[bool], near: float
) -> tuple[list[tuple[int, int]], list[int]]:
    """Points ``(row, number)`` with the edges of the stands that they carry along; and the edges of all others."""
    made, edges, taken = list(points), list[int](), {row for row, _ in points}
    for first, last in runs(standing):
        inside = [(row, i) for row, i in points if carrying[i] and first - near <= row <= last + near]
        for edge in {first, last} - taken:
            if inside:
                made.append(min((abs(row - edge), edge, i) for row, i in inside)[1:])
            else:
                edges.append(edge)
    return made, edges


def _sunk(stretch: Stretch, goals: Mapping[str, FootGoal], hips: int, sink: Floats) -> dict[str, FootGoal]:
    """Lower the hips by ``sink (T,)`` metres, and with them the feet that follow."""
    stretch.shift(hips, -sink[:, None] * UP)
    return {role: goal._replace(path=goal.path - (goal.follows * sink)[:, None] * UP) for role, goal in goals.items()}


class _Stance(NamedTuple):
    """A leg under hips that are not raised."""

    span: Floats  # (T,) how far it reaches
    far: Floats  # (T,) how far it must
    room: Floats  # (T,) how much higher its hip may be; below 0: it must come down
    steep: Floats  # (T,) from 0 to 1 how much hips give way for it


def _stance(stretch: Stretch, role: str, goal: FootGoal, raised: Floats) -> _Stance:
    """A leg, with what hips are ``raised (T,)`` and feet follow of it taken away."""
    was, limb = stretch.before[1], stretch.limb(role)
    way = stretch.p[:, limb.upper] - goal.path - ((1.0 - goal.follows) * raised)[:, None] * UP
    far, old = lengths(way), was[:, limb.upper] - was[:, limb.end]
    changed = lengths(cross(unit(old), way - old))
    # A leg that was straight is bent a little where it swings aside: kept just straight, its knee would shake.
    easy, bent = easy_reach(limb, was), limb.easy * full_reach(limb, was)
    span = easy + eased(changed / SLACK) * np.minimum(bent - easy, 0.0)
    highest = np.sqrt(np.maximum(span**2 - way[:, 0] ** 2 - way[:, 2] ** 2, 0.0))
    steep = eased((way[:, 1] / np.maximum(far, 1e-9) - STEEP[0]) / (STEEP[1] - STEEP[0]))
    return _Stance(span, far, highest - way[:, 1], steep)


def _raised(stretch: Stretch, hips: int) -> Floats:
    """``(T,)`` metres by which hips are higher than they were."""
    return np.asarray(np.maximum(stretch.p[:, hips, 1] - stretch.before[1][:, hips, 1], 0.0))


def _too_high(stretch: Stretch, goals: Mapping[str, FootGoal], hips: int) -> Floats:
    """``(T,)`` the share of what hips are raised that legs are too short for: hips stay, and don't sink for it.

    A share that comes and goes smoothly: hips that are raised more are nowhere lower than if they were raised less.
    """
    raised = _raised(stretch, hips)
    some = raised > 1e-6 * raised.max()
    if not some.any():
        return np.zeros(len(raised))
    shares = []
    for role, goal in goals.items():
        leg, holds = _stance(stretch, role, goal, raised), 1.0 - goal.follows
        left = np.maximum(leg.room, 0.0) / np.maximum(holds * raised, 1e-300)
        shares.append(np.where(some, leg.steep * holds * np.maximum(1.0 - left, 0.0), 0.0))
    return np.minimum(rounded_up(np.max(shares, axis=0), HOLD, stretch.motion.rate), 1.0)


def _sinking(stretch: Stretch, goals: Mapping[str, FootGoal], raised: Floats) -> Floats:
    """``(T,)`` metres by which hips sink so that legs reach their feet's paths, coming and going smoothly.

    ``raised (T,)`` is what they are raised, as far as legs are long enough.
    """
    was, rate = stretch.before[1], stretch.motion.rate
    sinks = []
    for role, goal in goals.items():
        upper, leg = stretch.limb(role).upper, _stance(stretch, role, goal, raised)
        most = DEEPEST * leg.span + lengths(stretch.p[:, upper] - was[:, upper])
        sink = np.minimum(np.maximum(-leg.room, 0.0), most) * leg.steep * (1.0 - goal.follows)
        sinks.append(np.where(leg.far > leg.span + 1e-6, sink, 0.0))
    deepest = np.max(sinks, axis=0)
    if not deepest.any():
        return np.asarray(deepest)
    smooth, frames = rounded_up(deepest, ROUND, rate), np.arange(len(deepest))
    for end, away in ((0, frames), (-1, frames[::-1])):
        moved = any((goal.path[end] != was[end, stretch.limb(role).end]).any() for role, goal in goals.items())
        if not moved and (stretch.p[end] == was[end]).all():  # nothing is displaced here, so hips are not either
            first = int(away[deepest > 0.0].min())
            smooth = smooth * eased(away / max(min(ROUND * rate, first), 1.0))
    return np.asarray(smooth)
