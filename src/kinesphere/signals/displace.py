"""Hands and head brought somewhere, and what helps: trunk and shoulders where an arm is too short, spine and neck and a
little the hips to bring the head.

What helps is solved at the edits, all together, and follows curves between them. A hand's way is a curve in the world,
and the arm is solved in every frame: so a path keeps its shape, nothing is bent past straight, and at its points the
target is met. The way is seen from where the body heads, so that a hand that goes outward still does when the body has
turned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kinesphere.body.contacts import find_contacts
from kinesphere.body.ground import performed_runs, runs
from kinesphere.body.reach.limb import (
    LimbChain,
    cross,
    easy_reach,
    full_reach,
    relax_arm,
    smooth_envelope,
    solve_limb_chain,
    swivel_limb,
    target_for_end,
    unit,
)
from kinesphere.body.reach.swivel import outward_swivel
from kinesphere.body.reach.targets import MOVABLE, STILL, EditablePose, needed_roles
from kinesphere.body.reach.trunk_assist import EXACT, Assist, ReachTarget, assist_with_trunk
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.errors import MotionFileWarning, warn_caller
from kinesphere.motion.humanoid import SIDES, select_joints
from kinesphere.motion.motion import Motion
from kinesphere.signals.curves import Curves
from kinesphere.signals.displacement import (
    GENTLY,
    STEADY,
    UP,
    DisplacementRange,
    Placed,
    PlacedTarget,
    PlacedTurn,
    PoseEdit,
    PoseStretch,
    Target,
    Turn,
    ease,
    joint_of,
    read_pose_edit,
    role_of,
)
from kinesphere.signals.edit import Edit, edit_window

HANDS = tuple(f"{side}Hand" for side in SIDES)
BACK = float(np.radians(30.0))  # how far a head turns back
NEARLY = 0.01  # metres: what is missed by more is out of reach
BEYOND = 0.3  # of the zone in which an arm approaches its ends that is left for what it cannot reach
ROUNDS = 12  # most, of meeting them; one is enough but for arms that are bent the wrong way


def move_hips_with_head(stretch: PoseStretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> None:
    """Hips that go along with the head where they have no target of their own."""
    hips = stretch.skeleton.roles.get("hips", -1)
    if "head" not in targets or not stretch.allowed[hips]:
        return
    points, held = _moments(targets), {own.frame for own in targets.get("hips", ())}
    heads = {own.frame for own in targets["head"]}
    loose = np.array([own.frame in heads - held for own in points])
    found, _ = _solved(stretch, points, targets, loose)
    if found.hips.any():
        stretch.bring_hips(points, hips, found.hips)


def assist_reach(stretch: PoseStretch, targets: Mapping[str, Sequence[PlacedTarget]]) -> Bools:
    """Bring the head where it should be and the hands' targets within reach; ``(T,)`` where the trunk helps."""
    points = _moments(targets)
    if not points:
        return np.zeros(len(stretch.motion), dtype=bool)
    (turns, _), pose = _solved(stretch, points, targets)
    if not turns:
        return np.zeros(len(stretch.motion), dtype=bool)
    pose.lean(turns)
    turns = turns | _faced(stretch, points, pose, targets.get("head", ()))
    # Seen from where the body heads, a trunk leans the same way however its joints shake.
    rows, heading, parents = stretch.rows(points), stretch.heading, stretch.skeleton.parents
    above = pose.world()[0][:, parents[list(turns)]]
    world = rotations.rotate(above, np.stack(list(turns.values()), axis=1))
    seen = rotations.rotate(rotations.conjugate(heading[rows])[:, None], world)
    made = rotations.rotate(heading[:, None], stretch.curve(points, seen))
    stretch.pose.lean_world(stretch.q, {joint: made[:, i] for i, joint in enumerate(turns)})
    stretch.posed()
    return np.asarray(made.any(axis=(1, 2)))


def reach_with_hand(stretch: PoseStretch, targets: Sequence[PlacedTarget], facing: Floats, leaned: Bools) -> None:
    """Bring a hand where it should be; it keeps its orientation in ``facing (T, J, 4)``, as far as the wrist allows.

    ``leaned (T,)`` says where the trunk helps.
    """
    rows, joint, heading = stretch.rows(targets), targets[0].joint, stretch.heading
    swivel = stretch.curve(targets, np.array([[own.edit.swivel] for own in targets]))[:, 0]
    wanted = stretch.places(targets)
    limb = relax_arm(stretch.limb(targets[0].role), stretch.p[rows], wanted)
    asked = _asked(stretch, limb, rows, wanted, swivel[rows])
    seen = rotations.rotate(rotations.conjugate(heading[rows]), asked - stretch.p[rows, joint])
    way = rotations.rotate(heading, stretch.curve(targets, seen))
    moved = norms(way)
    calmed = partial(stretch.calmed, moved)
    laid = solve_limb_chain(limb, stretch.q, stretch.p, stretch.p[:, joint] + way, swivel, calmed)
    active = (moved > STILL) | (swivel != 0.0) | leaned
    if not swivel.any():
        aside = outward_swivel(stretch.skeleton, targets[0].role, limb, stretch.q, stretch.p, laid, stretch.motion.rate)
        laid = swivel_limb(limb, stretch.p, laid, ease(moved / STEADY) * aside)
    laid = stretch.steadied(limb, laid, moved)
    kept = stretch.faced(targets, laid, facing[:, joint], active)
    stretch.pose.lay(limb, stretch.q, stretch.p, laid, kept, active)


def _asked(stretch: PoseStretch, limb: LimbChain, rows: list[int], wanted: Floats, swivel: Floats) -> Floats:
    """``(P, 3)`` what to ask an arm for at the targets so that its hand comes to where it is wanted."""
    q, p = stretch.q[rows], stretch.p[rows]
    asked = target_for_end(limb, p, wanted, BEYOND)
    for _ in range(ROUNDS):
        missed = wanted - solve_limb_chain(limb, q, p, asked, swivel).end
        near = (norms(missed) > EXACT) & (norms(missed) < NEARLY)
        if not near.any():
            break
        asked = asked + np.where(near[:, None], missed, 0.0)
    return asked


def _moments(targets: Mapping[str, Sequence[PlacedTarget]]) -> list[PlacedTarget]:
    """One target for each frame at which hands or the head have any, in order."""
    asked = [own for role in (*HANDS, "head") for own in targets.get(role, ())]
    return [own for _, own in sorted({own.frame: own for own in reversed(asked)}.items())]


def _solved(
    stretch: PoseStretch,
    points: Sequence[PlacedTarget],
    targets: Mapping[str, Sequence[PlacedTarget]],
    loose: Bools | None = None,
) -> tuple[Assist, EditablePose]:
    """What helps at the points, and the poses there so far; ``loose (P,)`` says where hips may go along."""
    rows, skeleton = stretch.rows(points), stretch.skeleton
    wishes = {role: _wish(stretch, points, targets[role]) for role in (*HANDS, "head") if role in targets}
    head = wishes.pop("head", None)
    arms = {role: (stretch.limb(role), wish) for role, wish in wishes.items()}
    pose = EditablePose(skeleton, stretch.pose.local[rows], stretch.pose.places[rows])
    return assist_with_trunk(skeleton, pose.local, pose.places, arms, head, stretch.allowed, loose), pose


def _wish(stretch: PoseStretch, points: Sequence[PlacedTarget], targets: Sequence[PlacedTarget]) -> ReachTarget:
    place, asked = np.zeros((len(points), 3)), np.zeros(len(points), dtype=bool)
    frames = [own.frame for own in points]
    for own, wanted in zip(targets, stretch.places(targets), strict=True):
        place[frames.index(own.frame)], asked[frames.index(own.frame)] = wanted, True
    return ReachTarget(place, asked)


def _faced(
    stretch: PoseStretch, points: Sequence[PlacedTarget], leaned: EditablePose, targets: Sequence[PlacedTarget]
) -> dict[int, Floats]:
    """How the head turns back to where it faced: who bends to something goes on looking there."""
    head = stretch.skeleton.roles.get("head")
    if head is None or not stretch.allowed[head]:
        return {}
    rows, parent = stretch.rows(points), int(stretch.skeleton.parents[head])
    back = rotations.multiply(rotations.conjugate(leaned.world()[0][:, parent]), stretch.q[rows, parent])
    turned = rotations.to_rotation_vector(back)
    turned = turned * np.minimum(1.0, BACK / np.maximum(norms(turned), 1e-9))[:, None]
    loose = {own.frame for own in targets if not own.edit.keep_orientation}
    turned[[own.frame in loose for own in points]] = 0.0
    return {head: turned} if turned.any() else {}


# ---- Feet of a displaced body: those that stood stand as they did, and hips give way where legs are too short for
# it.
#
# A standing foot keeps the input's own path and orientation, whatever hips and legs are displaced by. Shortly before
# and
# after a stand it still does, so that a step between two stands is the same step; farther away it goes along with the
# body. A foot that is brought somewhere leaves its stand for a while, or takes its whole stand along.


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


def foot_contacts(motion: Motion) -> dict[str, Bools]:
    """By role, when each foot ``(T,)`` stands; nothing for a body without legs."""
    if not all(role in motion.skeleton.roles for role in LEGS):
        return {}
    labels = find_contacts(motion).labels
    return {
        f"{side}Foot": np.any([flags for name, flags in labels.items() if name.startswith(side)], axis=0)
        for side in SIDES
    }


def plan_feet(
    stretch: PoseStretch,
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


def place_feet(stretch: PoseStretch, goals: Mapping[str, FootGoal]) -> None:
    """Legs that bring the feet there."""
    for role, goal in goals.items():
        limb = stretch.limb(role)
        moved = norms(goal.path - stretch.p[:, limb.end])
        active = (moved > STILL) | (goal.swivel != 0.0)
        if active.any():
            asked = target_for_end(limb, stretch.p, goal.path)
            laid = solve_limb_chain(limb, stretch.q, stretch.p, asked, goal.swivel, partial(stretch.calmed, moved))
            laid = stretch.steadied(limb, laid, moved)
            facing: Floats | None = goal.facing
            if goal.targets and limb.attached:
                facing = stretch.faced(goal.targets, laid, goal.facing, active)
            stretch.pose.lay(limb, stretch.q, stretch.p, laid, facing, active)


def _goal(
    stretch: PoseStretch,
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


def _turned(stretch: PoseStretch, joint: int, turns: Sequence[PlacedTurn]) -> bool:
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
    return 1.0 - ease(away / OWN if own else (away - STAY) / LEAVE)


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


def _sunk(stretch: PoseStretch, goals: Mapping[str, FootGoal], hips: int, sink: Floats) -> dict[str, FootGoal]:
    """Lower the hips by ``sink (T,)`` metres, and with them the feet that follow."""
    stretch.shift(hips, -sink[:, None] * UP)
    return {role: goal._replace(path=goal.path - (goal.follows * sink)[:, None] * UP) for role, goal in goals.items()}


class _LegStance(NamedTuple):
    """A leg under hips that are not raised."""

    span: Floats  # (T,) how far it reaches
    far: Floats  # (T,) how far it must
    room: Floats  # (T,) how much higher its hip may be; below 0: it must come down
    steep: Floats  # (T,) from 0 to 1 how much hips give way for it


def _stance(stretch: PoseStretch, role: str, goal: FootGoal, raised: Floats) -> _LegStance:
    """A leg, with what hips are ``raised (T,)`` and feet follow of it taken away."""
    was, limb = stretch.before[1], stretch.limb(role)
    way = stretch.p[:, limb.upper] - goal.path - ((1.0 - goal.follows) * raised)[:, None] * UP
    far, old = norms(way), was[:, limb.upper] - was[:, limb.end]
    changed = norms(cross(unit(old), way - old))
    # A leg that was straight is bent a little where it swings aside: kept just straight, its knee would shake.
    easy, bent = easy_reach(limb, was), limb.easy * full_reach(limb, was)
    span = easy + ease(changed / SLACK) * np.minimum(bent - easy, 0.0)
    highest = np.sqrt(np.maximum(span**2 - way[:, 0] ** 2 - way[:, 2] ** 2, 0.0))
    steep = ease((way[:, 1] / np.maximum(far, 1e-9) - STEEP[0]) / (STEEP[1] - STEEP[0]))
    return _LegStance(span, far, highest - way[:, 1], steep)


def _raised(stretch: PoseStretch, hips: int) -> Floats:
    """``(T,)`` metres by which hips are higher than they were."""
    return np.asarray(np.maximum(stretch.p[:, hips, 1] - stretch.before[1][:, hips, 1], 0.0))


def _too_high(stretch: PoseStretch, goals: Mapping[str, FootGoal], hips: int) -> Floats:
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
    return np.minimum(smooth_envelope(np.max(shares, axis=0), HOLD, stretch.motion.rate), 1.0)


def _sinking(stretch: PoseStretch, goals: Mapping[str, FootGoal], raised: Floats) -> Floats:
    """``(T,)`` metres by which hips sink so that legs reach their feet's paths, coming and going smoothly.

    ``raised (T,)`` is what they are raised, as far as legs are long enough.
    """
    was, rate = stretch.before[1], stretch.motion.rate
    sinks = []
    for role, goal in goals.items():
        upper, leg = stretch.limb(role).upper, _stance(stretch, role, goal, raised)
        most = DEEPEST * leg.span + norms(stretch.p[:, upper] - was[:, upper])
        sink = np.minimum(np.maximum(-leg.room, 0.0), most) * leg.steep * (1.0 - goal.follows)
        sinks.append(np.where(leg.far > leg.span + 1e-6, sink, 0.0))
    deepest = np.max(sinks, axis=0)
    if not deepest.any():
        return np.asarray(deepest)
    smooth, frames = smooth_envelope(deepest, ROUND, rate), np.arange(len(deepest))
    for end, away in ((0, frames), (-1, frames[::-1])):
        moved = any((goal.path[end] != was[end, stretch.limb(role).end]).any() for role, goal in goals.items())
        if not moved and (stretch.p[end] == was[end]).all():  # nothing is displaced here, so hips are not either
            first = int(away[deepest > 0.0].min())
            smooth = smooth * ease(away / max(min(ROUND * rate, first), 1.0))
    return np.asarray(smooth)


# ---- Displacement mapping: a pose changed at a few frames, and the motion between follows (Bruderlin and Williams
# 1995).
#
#     knock = Displace([Target("rightHand", seconds=1.2, by=(0.0, 0.2, 0.0))])(motion)
#
# At the edited frames the pose is as asked, at the ends of the range it is as it was, and between them a spline of
# displacements runs and is added. It may be done again on what came out.


DIALS = ("tension", "continuity", "bias")
MISSED = 0.001  # metres of which is told


class TargetOutOfReach(MotionFileWarning):
    """A target lies farther away than the body can go; it is approached."""


@dataclass(frozen=True)
class Displace(Edit):
    """Pose edits at frames, and a spline of displacements between them.

    Parameters
    ----------
    edits
        ``Turn``s of joints and ``Target``s for hands, feet, head and hips, also as plain data.
    tension, continuity, bias
        How the spline runs through the edits that don't say so themselves (Kochanek and Bartels); 0 is plain.
    overshoot
        How far it may go past its points, as a share of the step between two; None: as far as it likes.
    width
        Seconds before and after edits in which displacements come and go, in place of the whole range.
    joints
        What may move besides what is edited: with ``"right_arm"`` the trunk does not help the right hand.
    start, end
        The range, in seconds: at its first and last frame there is no displacement, unless an edit says so.
    fade
        Not used: the spline comes and goes by itself.
    feet
        Whether feet that stood in the input stand as they did; where legs are too short, hips then give way, and
        rise no higher than they allow.
    strength
        How much of every displacement, from 0 to 1.
    """

    edits: Sequence[PoseEdit | Mapping[str, Any]] = ()
    tension: float = 0.0
    continuity: float = 0.0
    bias: float = 0.0
    overshoot: float | None = 0.0
    width: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.edits] if isinstance(self.edits, (PoseEdit, Mapping)) else self.edits
        object.__setattr__(self, "edits", tuple(read_pose_edit(edit) for edit in given))
        for name in ("tension", "continuity", "bias"):
            if not np.isfinite(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)!r}; a finite number is expected")
        if self.overshoot is not None and not 0.0 <= self.overshoot <= 10.0:
            raise ValueError(f"overshoot is {self.overshoot!r}; 0 to 10 is allowed, or None for no bound")
        if self.width is not None and not 0.0 < self.width < np.inf:
            raise ValueError(f"width is {self.width!r}; seconds above zero are expected")

    @property
    def neutral(self) -> bool:
        return all(_nothing(edit) for edit in self.edits)

    def __call__(self, motion: Motion) -> Motion:
        """The motion, displaced. Edits that it has no frame or joint for are refused."""
        allowed = select_joints(motion.skeleton, self.joints)
        edit_window(motion, self.start, self.end, self.fade)  # refuses ranges in which nothing of the motion lies
        known = _with_roles(motion, self.edits)
        placed = _consistent([self._placed(edit, known) for edit in self.edits])
        if self.neutral or self.strength == 0.0:
            return motion
        standing = cache(lambda: foot_contacts(known))
        local, places, missed = motion.rotations.copy(), motion.translations.copy(), list[TargetMiss]()
        for run in performed_runs(motion):
            own = [one for one in placed if run.start <= one.frame < run.stop]
            if own:
                curve = self._range(motion, run, own)
                rows = slice(curve.first, curve.last + 1)
                part = replace(known[rows], calibration_frames=())
                stretch = PoseStretch(part, curve, allowed)
                missed += _displaced(stretch, own, partial(_within, standing, rows) if self.feet else None)
                local[rows], places[rows] = stretch.pose.local, stretch.pose.places
        for target, gap in missed:
            if gap > MISSED:
                warn_caller(_said(motion, target, gap, feet=self.feet), TargetOutOfReach)
        return replace(motion, rotations=freeze(local), translations=freeze(places))

    def changed(self, curves: Curves, joints: Bools) -> Floats:
        raise TypeError("displacements are of poses and not of curves; call the edit with a motion")

    def _placed(self, edit: PoseEdit | Mapping[str, Any], motion: Motion) -> Placed:
        """An edit with its frame, its joint and how the spline runs through it."""
        assert isinstance(edit, (Turn, Target))
        dials = [getattr(self if getattr(edit, name) is None else edit, name) for name in DIALS]
        tension, continuity, bias = (float(dial) for dial in dials)
        frame, own = edit.frame_of(motion), (tension, continuity, bias)
        if isinstance(edit, Turn):
            return PlacedTurn(frame, joint_of(edit, motion.skeleton), edit.partly(self.strength), own)
        role = role_of(edit, motion.skeleton)
        joint = motion.skeleton.roles[role]
        if self.strength != 1.0:
            edit = edit.partly(self.strength, motion[frame : frame + 1].positions_world()[0, joint])
        return PlacedTarget(frame, joint, edit, own, role)

    def _range(self, motion: Motion, run: slice, placed: Sequence[Placed]) -> DisplacementRange:
        """The frames that may change for edits in a run of performed frames."""
        first, last = run.start, run.stop - 1
        if self.start is not None:
            first = max(first, int(np.ceil(self.start * motion.rate - 1e-6)))
        if self.end is not None:
            last = min(last, int(np.floor(self.end * motion.rate + 1e-6)))
        for own in placed:
            if not first <= own.frame <= last:
                when = f"from {first / motion.rate:g} to {last / motion.rate:g} s, frames {first} to {last}"
                raise ValueError(f"{own.edit}: the range is {when}; give it a wider one, or another moment")
        width = None if self.width is None else max(self.width * motion.rate, 1.0)
        if width is not None and not any(isinstance(own, PlacedTarget) and own.edit.plant for own in placed):
            frames = [own.frame for own in placed]
            first = max(first, int(np.floor(min(frames) - width)))
            last = min(last, int(np.ceil(max(frames) + width)))
        return DisplacementRange(first, last, width, (self.start is not None, self.end is not None), self.overshoot)


class TargetMiss(NamedTuple):
    """How far a target is missed."""

    target: Target
    by: float  # metres


def _displaced(stretch: PoseStretch, placed: Sequence[Placed], standing: Standing | None) -> list[TargetMiss]:
    """Displace a stretch; how far each target is missed.

    Turns come first, then hips, feet, what helps, and last the arms. Turned joints follow curves of rotation vectors as
    their parents see them, so that an elbow stays a hinge; hips, feet and hands follow curves in the world.
    ``placed`` are in the order of their frames. ``standing`` finds when feet stand; None: they go along with the body.
    """
    turns = [own for own in placed if isinstance(own, PlacedTurn)]
    targets: dict[str, list[PlacedTarget]] = {}
    for own in placed:
        if isinstance(own, PlacedTarget):
            targets.setdefault(own.role, []).append(own)
    stretch.turn(turns)
    stretch.move_hips(targets.get("hips", []))
    move_hips_with_head(stretch, targets)
    goals = plan_feet(stretch, turns, targets, standing)
    facing = stretch.q
    leaned = assist_reach(stretch, targets)
    place_feet(stretch, goals)
    for role in HANDS:
        if role in targets:
            reach_with_hand(stretch, targets[role], facing, leaned)
    return _missed(stretch, [own for role in targets.values() for own in role])


def _missed(stretch: PoseStretch, targets: Sequence[PlacedTarget]) -> list[TargetMiss]:
    rows = stretch.rows(targets)
    _, p = kinematics.forward(stretch.pose.local[rows], stretch.pose.places[rows], stretch.skeleton.parents)
    gaps = norms(p[np.arange(len(rows)), [own.joint for own in targets]] - stretch.places(targets))
    return [TargetMiss(own.edit, float(gap)) for own, gap in zip(targets, gaps, strict=True)]


def _nothing(edit: PoseEdit | Mapping[str, Any]) -> bool:
    """Whether an edit is the pose itself, whatever the motion."""
    if isinstance(edit, Target):
        return edit.by is not None and not any(edit.by) and edit.swivel == 0.0
    return isinstance(edit, Turn) and not edit.vector.any()


def _with_roles(motion: Motion, edits: Sequence[PoseEdit | Mapping[str, Any]]) -> Motion:
    """The motion with the roles that its edits need."""
    parts = [edit.part for edit in edits if isinstance(edit, Target) and edit.part in MOVABLE]
    needed = {role for part in parts for role in needed_roles(part)}
    known = require_motion_roles(motion, sorted(needed), f"moving {', '.join(parts)}") if needed else motion
    return replace(known, skeleton=known.skeleton.with_found_roles())


def _consistent(placed: list[Placed]) -> list[Placed]:
    """The edits in the order of their frames; two of one joint at one frame are refused."""
    seen: dict[tuple[type, int, int], Placed] = {}
    for own in placed:
        key = (type(own.edit), own.joint, own.frame)
        if key in seen:
            raise ValueError(
                f"{own.edit} and {seen[key].edit}: two edits of one thing at frame {own.frame}; leave one of them out"
            )
        seen[key] = own
    return sorted(placed, key=lambda own: own.frame)


def _within(standing: Callable[[], dict[str, Bools]], rows: slice) -> dict[str, Bools]:
    return {role: flags[rows] for role, flags in standing().items()}


def _said(motion: Motion, target: Target, gap: float, *, feet: bool) -> str:
    name = f"{motion.name}: " if motion.name else ""
    why = "; with feet=False the feet would go along" if feet and target.part == "hips" else ""
    gone = "which is approached as far as the body goes"
    return f"{name}{target} stays {1000.0 * gap:.0f} mm short of its target, {gone}{why}"
