"""Pose editing: change a pose at a few frames, and the frames between follow (Bruderlin and Williams 1995).

    knock = Displace([Target("rightHand", seconds=1.2, by=(0.0, 0.2, 0.0))])(motion)

At the edited frames the pose is as asked, at the ends of the range it is as it was, and between them a spline of
displacements runs and is added. It may be applied again to the result. The steps, for each range of frames:

1. Joints are rotated by their turns: rotation vectors in the parent's frame, so that an elbow stays a hinge.
2. Hips move to their targets, or along with the head.
3. Feet are planned: a foot in contact keeps the input's own path and orientation, and hips give way where legs are too
   short for it.
4. Trunk and shoulders help where an arm is too short; spine and neck bring the head. This is solved at the edits, all
   together, and follows splines between them.
5. Legs, then arms are solved in every frame. A hand's displacement is a curve in the world, so that its path keeps its
   shape, nothing bends past straight, and targets are met. The curve is in the frame of the body's heading: a hand that
   goes outward still does when the body has turned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, partial
from typing import Annotated, Any, Literal, NamedTuple, Self

import numpy as np
from pydantic import BeforeValidator, PlainValidator

from kinesphere.body.contacts import find_contacts
from kinesphere.body.ground import performed_runs, runs
from kinesphere.body.reach.limb import (
    LimbChain,
    comfortable_reach,
    full_reach,
    relax_arm,
    solve_limb_chain,
    swivel_limb,
    target_for_end,
)
from kinesphere.body.reach.swivel import outward_swivel
from kinesphere.body.reach.targets import MOVABLE, STILL, EditablePose, roles_for_part
from kinesphere.body.reach.trunk_assist import EXACT, Assist, ReachTarget, assist_with_trunk
from kinesphere.body.require_roles import LEGS, require_motion_roles
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.filters import smooth_envelope
from kinesphere.maths.vectors import Bools, Floats, cross, norms, smoothstep, unit
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.document import AS_TUPLE, Either, Flag, Setting, document, not_allowed, number
from kinesphere.motion.edit import MotionEdit, motion_edit
from kinesphere.motion.errors import MotionFileWarning, warn_caller
from kinesphere.motion.humanoid import SIDES, select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.edit import edit_window
from kinesphere.signals.pose_edits import (
    EASE_OUT,
    STEADY,
    TARGET,
    TURN,
    UP,
    AnyPoseEdit,
    DisplacedPoses,
    DisplacementRange,
    EditKey,
    PoseEdit,
    SplineDial,
    Target,
    TargetKey,
    Turn,
    TurnKey,
    joint_of,
    parse_target,
    parse_turn,
    role_of,
)

HANDS = tuple(f"{side}Hand" for side in SIDES)
FEET = tuple(f"{side}Foot" for side in SIDES)
TCB_FIELDS = ("tension", "continuity", "bias")
LEAST_WIDTH = 1e-6  # seconds
USUAL_WIDTH = 0.5  # seconds before and after edits: one pose and its neighbourhood
LEAST_MISS = 0.001  # metres: a target that is missed by more is warned about
# Reach
HEAD_BACK = float(np.radians(30.0))  # most that a head turns back
NEARLY = 0.01  # metres: a target that is missed by more is out of reach
BEYOND = 0.3  # of the zone in which an arm approaches its full reach, left for targets beyond it
ITERATIONS = 12  # most, to hit a target; one is enough but for arms that are bent the wrong way
# Feet
HOLD, RELEASE = 0.5, 0.5  # seconds from a contact in which a foot keeps its path, and over which it is released
OWN_RELEASE = 0.15  # seconds over which a foot is released whose own leg is rotated
NEAR = 0.15  # seconds from a target in which a foot is not in contact
LIFT = 0.4  # the same for a foot that is in contact at the target itself, unless the edit has a width
SINK_WINDOW = 0.12  # seconds over which hips sink before a leg is too short
RAISE_WINDOW = 0.2  # seconds over which raised hips are held back before a leg is too short
SLACK = 0.03  # metres that a straight leg swings aside before it is bent a little
DEEPEST = 0.12  # of the leg's length that hips sink, besides what they are moved themselves
STEEP = (0.4, 0.7)  # how upright a leg must be so that hips give way for it, none and all

FindContacts = Callable[[], Mapping[str, Bools]]  # by role, when each foot (T,) is in contact


class TargetOutOfReach(MotionFileWarning):
    """A target lies farther away than the body can go; it is approached."""


def parse_overshoot(text: str) -> float | None:
    """A share of a step, or any: None."""
    if text.strip() == "any":
        return None
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"found {text!r}; a number or any is expected") from None


def parse_width(text: str) -> float | str:
    """Seconds, or all."""
    if text.strip() == "all":
        return "all"
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"found {text!r}; seconds or all is expected") from None


def _check_all(value: Any) -> str:
    if value != "all":
        raise not_allowed("seconds, or all")
    return "all"


@motion_edit("displace")
@document(frozen=True)
class Displace(MotionEdit):
    """Change the pose at a moment or a few: a higher knock, a foot set elsewhere. What is around follows smoothly.

    A spline of displacements runs between the edits of one part, and comes and goes half a second before and after
    them, unless a width says otherwise. Only the parts of the scope may move besides what is edited: with
    ``"right_arm"`` the trunk does not help the right hand. At the first and last frame of the scope's range there is no
    displacement, unless an edit says so. The scope's fade is not used: the spline itself begins and ends smoothly.
    """

    edits: Annotated[
        Sequence[AnyPoseEdit],
        AS_TUPLE,
        BeforeValidator(lambda value: [value] if isinstance(value, PoseEdit | Mapping) else value),
        Setting("Turns of joints, and targets for hands, feet, head and hips.", hidden=True),
    ] = ()
    tension: Annotated[SplineDial, Setting("How tightly the spline runs through edits that don't say it.")] = 0.0
    continuity: Annotated[SplineDial, Setting("How smoothly it runs through them; 0 is plain.")] = 0.0
    bias: Annotated[SplineDial, Setting("Whether it bends before or after them.")] = 0.0
    overshoot: (
        Annotated[
            float,
            number(
                0.0,
                10.0,
                "How far it may go past them, as a share of the step between two; any, or null: as it likes.",
                parse=parse_overshoot,
                metavar="SHARE|any",
            ),
        ]
        | None
    ) = 0.0
    width: (
        Annotated[
            float | str,
            Either(
                lambda value: "all" if isinstance(value, str) else "seconds",
                seconds=Annotated[float, number(LEAST_WIDTH)],
                all=Annotated[str, PlainValidator(_check_all, json_schema_input_type=Literal["all"])],
            ),
            Setting(
                "Seconds before and after each edit in which it comes and goes; all: the whole range. Left out: "
                f"{USUAL_WIDTH:g} s, or to the ends of the scope where it has any, and edits of one part are joined.",
                parse=parse_width,
                metavar="SECONDS|all",
            ),
        ]
        | None
    ) = None
    feet: Annotated[
        Flag,
        Setting(
            "Whether feet that are in contact in the input stay as they are. Where legs are too short, hips then give "
            "way, and rise no higher than they allow.",
            option="--free-feet",
            help="Don't hold the feet that stand.",
        ),
    ] = field(default=True, kw_only=True)

    @property
    def neutral(self) -> bool:
        return all(_is_neutral(edit) for edit in self.edits)

    @classmethod
    def from_options(
        cls,
        *,
        target: Annotated[
            Sequence[Target],
            Setting(
                f"A hand, foot, head or hips brought somewhere: '{TARGET}' or 'leftFoot@90f to 0.1,0,0.3', in metres, "
                "at seconds or, with an f, at a frame. More words: 'swivel 20' turns the elbow or knee by degrees, "
                "'loose' lets the hand turn with the arm, 'plant' takes a foot's whole stand along.",
                parse=parse_target,
                metavar="TEXT",
                repeated=True,
            ),
        ] = (),
        turn: Annotated[
            Sequence[Turn],
            Setting(
                f"A joint turned, in degrees: '{TURN}', about its parent's axes; a last word 'joint' or 'world' takes "
                "its own or the world's.",
                parse=parse_turn,
                metavar="TEXT",
                repeated=True,
            ),
        ] = (),
        **rest: Any,
    ) -> Self:
        if not target and not turn:
            raise ValueError(f"nothing to displace: give --target '{TARGET}' or --turn '{TURN}'")
        return cls(edits=[*target, *turn], **rest)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        raised = Target("rightHand", seconds=1.0, by=(0.0, 0.2, 0.0))
        return cls([raised]), cls([Turn("head", (0.0, 0.4, 0.0), seconds=1.0)]), cls([raised], width=0.25, feet=False)

    def at_times_of(self, clock: TimeMap, motion: Motion) -> Self:
        return replace(self, edits=[edit.at_time_of(clock, motion) for edit in self._pose_edits])

    @property
    def _pose_edits(self) -> tuple[PoseEdit, ...]:
        return tuple(edit for edit in self.edits if isinstance(edit, PoseEdit))

    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        """The displaced motion. Edits whose frame or joint the motion does not have are refused."""
        allowed = select_joints(motion.skeleton, scope.parts)
        edit_window(motion, scope)  # refuses ranges in which nothing of the motion lies
        known = _with_roles(motion, self._pose_edits)
        keys = _sort_keys([self._key(edit, known, scope.strength) for edit in self._pose_edits])
        if self.neutral or scope.strength == 0.0:
            return motion, TimeMap.identity()
        contacts = cache(lambda: foot_contacts(known))
        local, translations, misses = motion.rotations.copy(), motion.translations.copy(), list[TargetMiss]()
        for run in performed_runs(motion):
            own = [key for key in keys if run.start <= key.frame < run.stop]
            if own:
                frames = self._range(motion, run, own, scope)
                rows = slice(frames.first, frames.last + 1)
                poses = DisplacedPoses(replace(known[rows], calibration_frames=()), frames, allowed)
                misses += _displace(poses, own, partial(_contact_rows, contacts, rows) if self.feet else None)
                local[rows], translations[rows] = poses.pose.rotations, poses.pose.translations
        for miss in misses:
            if miss.distance > LEAST_MISS:
                warn_caller(_miss_message(motion, miss, feet=self.feet), TargetOutOfReach)
        return replace(motion, rotations=freeze(local), translations=freeze(translations)), TimeMap.identity()

    def _key(self, edit: PoseEdit, motion: Motion, strength: float) -> EditKey:
        """An edit with its frame, its joint, and tension, continuity and bias."""
        assert isinstance(edit, (Turn, Target))
        own = [getattr(self if getattr(edit, name) is None else edit, name) for name in TCB_FIELDS]
        tension, continuity, bias = (float(value) for value in own)
        frame, tcb = edit.frame_of(motion), (tension, continuity, bias)
        if isinstance(edit, Turn):
            return TurnKey(frame, joint_of(edit, motion.skeleton), edit.scaled(strength), tcb)
        role = role_of(edit, motion.skeleton)
        joint = motion.skeleton.roles[role]
        if strength != 1.0:
            edit = edit.scaled(strength, motion[frame : frame + 1].positions_world()[0, joint])
        return TargetKey(frame, joint, edit, tcb, role)

    def _range(self, motion: Motion, run: slice, keys: Sequence[EditKey], scope: Scope) -> DisplacementRange:
        """The frames that may change for keys in a run of performed frames."""
        first, last = run.start, run.stop - 1
        if scope.start is not None:
            first = max(first, int(np.ceil(scope.start * motion.rate - 1e-6)))
        if scope.end is not None:
            last = min(last, int(np.floor(scope.end * motion.rate + 1e-6)))
        for key in keys:
            if not first <= key.frame <= last:
                when = f"from {first / motion.rate:g} to {last / motion.rate:g} s, frames {first} to {last}"
                raise ValueError(f"{key.edit}: the range is {when}; give it a wider one, or another moment")
        bounded, spans = (scope.start is not None, scope.end is not None), list[tuple[int, int]]()
        if self.width is None:
            for joint in {key.joint for key in keys}:
                own = [key.frame for key in keys if key.joint == joint]
                spans.append((min(own), max(own)))
        seconds = USUAL_WIDTH if self.width is None else self.width
        width = None if isinstance(seconds, str) else max(seconds * motion.rate, 1.0)
        if width is not None and not any(isinstance(key, TargetKey) and key.edit.plant for key in keys):
            frames = [key.frame for key in keys]
            if not (spans and bounded[0]):
                first = max(first, int(np.floor(min(frames) - width)))
            if not (spans and bounded[1]):
                last = min(last, int(np.ceil(max(frames) + width)))
        return DisplacementRange(first, last, width, bounded, self.overshoot, tuple(spans))


class TargetMiss(NamedTuple):
    """How far a target is missed."""

    target: Target
    distance: float  # metres


def _displace(poses: DisplacedPoses, keys: Sequence[EditKey], contacts: FindContacts | None) -> list[TargetMiss]:
    """Displace a range of frames; returns how far each target is missed.

    ``keys`` are in the order of their frames. ``contacts`` finds when feet are in contact; None: they move with the
    body.
    """
    turns = [key for key in keys if isinstance(key, TurnKey)]
    targets: dict[str, list[TargetKey]] = {}
    for key in keys:
        if isinstance(key, TargetKey):
            targets.setdefault(key.role, []).append(key)
    poses.rotate_joints(turns)
    poses.move_hips_to(targets.get("hips", []))
    move_hips_with_head(poses, targets)
    goals = plan_feet(poses, turns, targets, contacts)
    facing = poses.q
    assisted = assist_reach(poses, targets)
    place_feet(poses, goals)
    for role in HANDS:
        if role in targets:
            reach_with_hand(poses, targets[role], facing, assisted)
    return _misses(poses, [key for own in targets.values() for key in own])


def _misses(poses: DisplacedPoses, targets: Sequence[TargetKey]) -> list[TargetMiss]:
    rows = poses.rows(targets)
    _, p = kinematics.forward(poses.pose.rotations[rows], poses.pose.translations[rows], poses.skeleton.parents)
    missed = norms(p[np.arange(len(rows)), [key.joint for key in targets]] - poses.target_positions(targets))
    return [TargetMiss(key.edit, float(distance)) for key, distance in zip(targets, missed, strict=True)]


def _is_neutral(edit: PoseEdit | Mapping[str, Any]) -> bool:
    """Whether an edit leaves the pose as it is, whatever the motion."""
    if isinstance(edit, Target):
        return edit.by is not None and not any(edit.by) and edit.swivel == 0.0
    return isinstance(edit, Turn) and not edit.vector.any()


def _with_roles(motion: Motion, edits: Sequence[PoseEdit]) -> Motion:
    """The motion with the roles that its edits need, on a skeleton that rests as a body stands."""
    parts = [edit.part for edit in edits if isinstance(edit, Target) and edit.part in MOVABLE]
    needed = {role for part in parts for role in roles_for_part(part)}
    standing = with_standing_rest(motion)
    if not needed or all(role in standing.skeleton.with_found_roles().roles for role in needed):
        return replace(standing, skeleton=standing.skeleton.with_found_roles())
    return with_standing_rest(require_motion_roles(motion, sorted(needed), f"moving {', '.join(parts)}"))


def _sort_keys(keys: list[EditKey]) -> list[EditKey]:
    """The keys in the order of their frames; two of one joint at one frame are refused."""
    known: dict[tuple[type, int, int], EditKey] = {}
    for key in keys:
        what = (type(key.edit), key.joint, key.frame)
        if what in known:
            raise ValueError(
                f"{key.edit} and {known[what].edit}: two edits of one thing at frame {key.frame}; leave one of them out"
            )
        known[what] = key
    return sorted(keys, key=lambda key: key.frame)


def _contact_rows(contacts: FindContacts, rows: slice) -> dict[str, Bools]:
    return {role: flags[rows] for role, flags in contacts().items()}


def _miss_message(motion: Motion, miss: TargetMiss, *, feet: bool) -> str:
    name = f"{motion.name}: " if motion.name else ""
    hint = "; with feet=False the feet would go along" if feet and miss.target.part == "hips" else ""
    gone = "which is approached as far as the body goes"
    return f"{name}{miss.target} stays {1000.0 * miss.distance:.0f} mm short of its target, {gone}{hint}"


# Reach: hands and head


def move_hips_with_head(poses: DisplacedPoses, targets: Mapping[str, Sequence[TargetKey]]) -> None:
    """Move the hips along with the head where they have no target of their own."""
    hips = poses.skeleton.roles.get("hips", -1)
    if "head" not in targets or not poses.allowed[hips]:
        return
    keys, fixed = _key_per_frame(targets), {key.frame for key in targets.get("hips", ())}
    heads = {key.frame for key in targets["head"]}
    loose = np.array([key.frame in heads - fixed for key in keys])
    assist, _ = _solve_assist(poses, keys, targets, loose)
    if assist.hips.any():
        poses.move_hips_by(keys, hips, assist.hips)


def assist_reach(poses: DisplacedPoses, targets: Mapping[str, Sequence[TargetKey]]) -> Bools:
    """Bring the head to its targets and the hands' targets within reach; ``(T,)`` where the trunk helps."""
    keys = _key_per_frame(targets)
    if not keys:
        return np.zeros(len(poses.motion), dtype=bool)
    (assist, _), pose = _solve_assist(poses, keys, targets)
    if not assist:
        return np.zeros(len(poses.motion), dtype=bool)
    pose.rotate_joints(assist)
    assist = assist | _counter_rotate_head(poses, keys, pose, targets.get("head", ()))
    # In the frame of the body's heading, a trunk leans the same way however its joints shake.
    rows, heading, parents = poses.rows(keys), poses.heading, poses.skeleton.parents
    parent_world = pose.world()[0][:, parents[list(assist)]]
    world = rotations.rotate(parent_world, np.stack(list(assist.values()), axis=1))
    by_heading = rotations.rotate(rotations.conjugate(heading[rows])[:, None], world)
    curves = rotations.rotate(heading[:, None], poses.curve(keys, by_heading))
    poses.pose.rotate_joints_world(poses.q, {joint: curves[:, i] for i, joint in enumerate(assist)})
    poses.update_world()
    return np.asarray(curves.any(axis=(1, 2)))


def reach_with_hand(poses: DisplacedPoses, targets: Sequence[TargetKey], facing: Floats, assisted: Bools) -> None:
    """Bring a hand to its targets; it keeps its orientation in ``facing (T, J, 4)``, as far as the wrist allows.

    ``assisted (T,)`` says where the trunk helps.
    """
    rows, joint, heading = poses.rows(targets), targets[0].joint, poses.heading
    swivel = poses.curve(targets, np.array([[key.edit.swivel] for key in targets]))[:, 0]
    wanted = poses.target_positions(targets)
    limb = relax_arm(poses.limb(targets[0].role), poses.p[rows], wanted)
    aims = _arm_aims(poses, limb, rows, wanted, swivel[rows])
    by_heading = rotations.rotate(rotations.conjugate(heading[rows]), aims - poses.p[rows, joint])
    step = rotations.rotate(heading, poses.curve(targets, by_heading))
    moved = norms(step)
    smooth = partial(poses.smooth_where_moved, moved)
    solution = solve_limb_chain(limb, poses.q, poses.p, poses.p[:, joint] + step, swivel, smooth)
    active = (moved > STILL) | (swivel != 0.0) | assisted
    if not swivel.any():
        role, rate = targets[0].role, poses.motion.rate
        outward = outward_swivel(poses.skeleton, role, limb, poses.q, poses.p, solution, rate)
        solution = swivel_limb(limb, poses.p, solution, smoothstep(moved / STEADY) * outward)
    solution = poses.steady_limb(limb, solution, moved)
    orientation = poses.end_orientation(targets, solution, facing[:, joint], active)
    poses.pose.apply_limb(limb, poses.q, poses.p, solution, orientation, active)


def _arm_aims(poses: DisplacedPoses, limb: LimbChain, rows: list[int], wanted: Floats, swivel: Floats) -> Floats:
    """``(P, 3)`` the aims with which an arm's solution brings the hand where it is wanted ``(P, 3)``."""
    q, p = poses.q[rows], poses.p[rows]
    aims = target_for_end(limb, p, wanted, BEYOND)
    for _ in range(ITERATIONS):
        error = wanted - solve_limb_chain(limb, q, p, aims, swivel).end
        near = (norms(error) > EXACT) & (norms(error) < NEARLY)
        if not near.any():
            break
        aims = aims + np.where(near[:, None], error, 0.0)
    return aims


def _key_per_frame(targets: Mapping[str, Sequence[TargetKey]]) -> list[TargetKey]:
    """One key for each frame at which hands or the head have any, in order."""
    keys = [key for role in (*HANDS, "head") for key in targets.get(role, ())]
    return [key for _, key in sorted({key.frame: key for key in reversed(keys)}.items())]


def _solve_assist(
    poses: DisplacedPoses,
    keys: Sequence[TargetKey],
    targets: Mapping[str, Sequence[TargetKey]],
    loose: Bools | None = None,
) -> tuple[Assist, EditablePose]:
    """The trunk's assist at the keys, and the poses there so far; ``loose (P,)`` says where hips may move."""
    rows, skeleton = poses.rows(keys), poses.skeleton
    wanted = {role: _reach_target(poses, keys, targets[role]) for role in (*HANDS, "head") if role in targets}
    head = wanted.pop("head", None)
    arms = {role: (poses.limb(role), target) for role, target in wanted.items()}
    pose = EditablePose(skeleton, poses.pose.rotations[rows], poses.pose.translations[rows])
    return assist_with_trunk(skeleton, pose.rotations, pose.translations, arms, head, poses.allowed, loose), pose


def _reach_target(poses: DisplacedPoses, keys: Sequence[TargetKey], targets: Sequence[TargetKey]) -> ReachTarget:
    """The targets of one part, as arrays over all keys; inactive at keys at which the part has no target."""
    positions, given = np.zeros((len(keys), 3)), np.zeros(len(keys), dtype=bool)
    frames = [key.frame for key in keys]
    for target, wanted in zip(targets, poses.target_positions(targets), strict=True):
        i = frames.index(target.frame)
        positions[i], given[i] = wanted, True
    return ReachTarget(positions, given)


def _counter_rotate_head(
    poses: DisplacedPoses, keys: Sequence[TargetKey], pose: EditablePose, targets: Sequence[TargetKey]
) -> dict[int, Floats]:
    """Rotation vectors ``(P, 3)`` of the head back to where it faced: who bends to something goes on looking there."""
    head = poses.skeleton.roles.get("head")
    if head is None or not poses.allowed[head]:
        return {}
    rows, parent = poses.rows(keys), int(poses.skeleton.parents[head])
    back = rotations.multiply(rotations.conjugate(pose.world()[0][:, parent]), poses.q[rows, parent])
    vectors = rotations.to_rotation_vector(back)
    vectors = vectors * np.minimum(1.0, HEAD_BACK / np.maximum(norms(vectors), 1e-9))[:, None]
    free = {key.frame for key in targets if not key.edit.keep_orientation}
    vectors[[key.frame in free for key in keys]] = 0.0
    return {head: vectors} if vectors.any() else {}


# Feet. A foot in contact keeps the input's own path and orientation, whatever hips and legs are displaced by. Shortly
# before and after a contact it still does, so that a step between two contacts is the same step; farther away it moves
# with the body. A foot with a target leaves the ground for a while, or takes its whole contact along.


class FootGoal(NamedTuple):
    """Where a foot goes."""

    path: Floats  # (T, 3) of its joint
    facing: Floats  # (T, 4) its orientation in the world, if it keeps it
    swivel: Floats  # (T,) of the knee
    follows: Floats  # (T,) the share by which it follows hips that give way
    targets: Sequence[TargetKey]


def foot_contacts(motion: Motion) -> dict[str, Bools]:
    """By role, when each foot ``(T,)`` is in contact; nothing for a body without legs."""
    if not all(role in motion.skeleton.roles for role in LEGS):
        return {}
    labels = find_contacts(motion).labels
    return {
        f"{side}Foot": np.any([flags for name, flags in labels.items() if name.startswith(side)], axis=0)
        for side in SIDES
    }


def plan_feet(
    poses: DisplacedPoses,
    turns: Sequence[TurnKey],
    targets: Mapping[str, Sequence[TargetKey]],
    contacts: FindContacts | None,
) -> dict[str, FootGoal]:
    """By role, the goals of feet that have targets or keep their contacts. Hips give way to them.

    ``contacts`` finds when feet are in contact; None: they move with the body.
    """
    roles, before = poses.skeleton.roles, poses.before[1]
    displaced = [r for r in FEET if r in roles and (poses.p[:, roles[r]] != before[:, roles[r]]).any()]
    with_target = [role for role in FEET if role in targets]
    if not with_target and not (displaced and contacts):
        return {}
    found = contacts() if contacts else {}
    planned = [role for role in FEET if role in with_target or role in found]

    def plan() -> dict[str, FootGoal]:
        return {role: _foot_goal(poses, role, turns, targets.get(role, ()), found.get(role)) for role in planned}

    goals, hips = plan(), roles.get("hips")
    if found and hips is not None and poses.allowed[hips]:
        share = _excess_raise_share(poses, goals, hips)
        if share.any():
            poses.raise_hips_less(hips, share)
            goals = plan()
            share = _excess_raise_share(poses, goals, hips)
        raised = _hip_raise(poses, hips)
        goals = _lower_hips(poses, goals, hips, share * raised)
        goals = _lower_hips(poses, goals, hips, _hip_drop(poses, goals, raised - share * raised))
    return goals


def place_feet(poses: DisplacedPoses, goals: Mapping[str, FootGoal]) -> None:
    """Solve the legs, so that feet are at their goals."""
    for role, goal in goals.items():
        limb = poses.limb(role)
        moved = norms(goal.path - poses.p[:, limb.end])
        active = (moved > STILL) | (goal.swivel != 0.0)
        if active.any():
            aims = target_for_end(limb, poses.p, goal.path)
            smooth = partial(poses.smooth_where_moved, moved)
            solution = solve_limb_chain(limb, poses.q, poses.p, aims, goal.swivel, smooth)
            solution = poses.steady_limb(limb, solution, moved)
            facing: Floats | None = goal.facing
            if goal.targets and limb.attached:
                facing = poses.end_orientation(goal.targets, solution, goal.facing, active)
            poses.pose.apply_limb(limb, poses.q, poses.p, solution, facing, active)


def _foot_goal(
    poses: DisplacedPoses,
    role: str,
    turns: Sequence[TurnKey],
    targets: Sequence[TargetKey],
    contacts: Bools | None,
) -> FootGoal:
    joint, rows = poses.skeleton.roles[role], poses.rows(targets)
    contact = np.zeros(len(poses.motion), dtype=bool) if contacts is None else contacts
    rate, width = poses.motion.rate, poses.range.width
    lift = LIFT * rate if width is None or poses.range.spans else width
    contact = _release_near_targets(contact, targets, rows, NEAR * rate, lift)
    hold = _hold_share(contact, rate, own_leg=_rotates_leg(poses, joint, turns))
    before, now = (world[:, joint] for world in (poses.before[1], poses.p))
    path = now + hold[:, None] * (before - now)
    facing = rotations.slerp(poses.q[:, joint], poses.before[0][:, joint], hold)
    swivel, follows = np.zeros(len(hold)), 1.0 - hold
    if targets:
        points, edges = _contact_knots(contact, rows, [key.edit.plant for key in targets], NEAR * rate)
        first, tcb = poses.range.first, [key.tcb for key in targets]
        knots = poses.range.knots([(row + first, i) for row, i in points], tcb, [row + first for row in edges])
        step = knots.curve(poses.target_positions(targets) - path[rows], poses.at)
        path = np.asarray(path + step * knots.ease_from_ends(poses.at, EASE_OUT * rate)[:, None])
        swivel = poses.curve(targets, np.array([[key.edit.swivel] for key in targets]))[:, 0]
        follows = np.zeros(len(hold))
    return FootGoal(path, facing, swivel, follows, targets)


def _rotates_leg(poses: DisplacedPoses, foot: int, turns: Sequence[TurnKey]) -> bool:
    """Whether a turn rotates the foot or a joint of its leg."""
    joint, leg = foot, set()
    while joint not in (-1, poses.skeleton.roles.get("hips", -1)):
        leg.add(joint)
        joint = int(poses.skeleton.parents[joint])
    return any(key.joint in leg for key in turns)


def _hold_share(contact: Bools, rate: float, *, own_leg: bool) -> Floats:
    """The weight ``(T,)`` with which a foot keeps its path: 1 while it is in contact."""
    if not contact.any():
        return np.zeros(len(contact))
    frames, held = np.arange(len(contact)), np.flatnonzero(contact)
    after = held[np.minimum(np.searchsorted(held, frames), len(held) - 1)]
    before = held[np.maximum(np.searchsorted(held, frames, side="right") - 1, 0)]
    away = np.minimum(np.abs(after - frames), np.abs(frames - before)) / rate
    return np.asarray(1.0 - smoothstep(away / OWN_RELEASE if own_leg else (away - HOLD) / RELEASE))


def _release_near_targets(
    contact: Bools, targets: Sequence[TargetKey], rows: Sequence[int], near: float, far: float
) -> Bools:
    """Contacts without the rows too near to a target: ``far`` where it falls into a contact, else ``near``."""
    kept = contact.copy()
    for row, key in zip(rows, targets, strict=True):
        if not key.edit.plant:
            span = round(far if contact[row] else near)
            kept[max(row - span, 0) : row + span + 1] = False
    return kept


def _contact_knots(
    contact: Bools, rows: Sequence[int], plants: Sequence[bool], near: float
) -> tuple[list[tuple[int, int]], list[int]]:
    """Knots ``(row, number)`` at targets and at the ends of contacts that they move; and the ends of other contacts."""
    targets = [(row, i) for i, row in enumerate(rows)]
    knots, zeros = list(targets), list[int]()
    for first, last in runs(contact):
        inside = [(row, i) for row, i in targets if plants[i] and first - near <= row <= last + near]
        for end in {first, last} - set(rows):
            if inside:
                knots.append(min((abs(row - end), end, i) for row, i in inside)[1:])
            else:
                zeros.append(end)
    return knots, zeros


def _lower_hips(poses: DisplacedPoses, goals: Mapping[str, FootGoal], hips: int, drop: Floats) -> dict[str, FootGoal]:
    """Lower the hips by ``drop (T,)`` metres, and with them the feet that follow."""
    poses.shift_joint(hips, -drop[:, None] * UP)
    return {role: goal._replace(path=goal.path - (goal.follows * drop)[:, None] * UP) for role, goal in goals.items()}


class _LegStance(NamedTuple):
    """How a leg would stand if the hips were not raised."""

    reach: Floats  # (T,) its reach
    distance: Floats  # (T,) from hip to foot
    clearance: Floats  # (T,) how much higher its hip may be; below 0: it must come down
    share: Floats  # (T,) from 0 to 1 by which hips give way for it: the steeper, the more


def _leg_stance(poses: DisplacedPoses, role: str, goal: FootGoal, raised: Floats) -> _LegStance:
    """A leg's stance, without the part of the hips' raise ``raised (T,)`` that the foot does not follow."""
    before, limb = poses.before[1], poses.limb(role)
    leg = poses.p[:, limb.upper] - goal.path - ((1.0 - goal.follows) * raised)[:, None] * UP
    distance, old = norms(leg), before[:, limb.upper] - before[:, limb.end]
    aside = norms(cross(unit(old), leg - old))
    # A leg that was straight is bent a little where it swings aside: kept just straight, its knee would shake.
    easy, bent = comfortable_reach(limb, before), limb.easy_share * full_reach(limb, before)
    reach = easy + smoothstep(aside / SLACK) * np.minimum(bent - easy, 0.0)
    highest = np.sqrt(np.maximum(reach**2 - leg[:, 0] ** 2 - leg[:, 2] ** 2, 0.0))
    share = smoothstep((leg[:, 1] / np.maximum(distance, 1e-9) - STEEP[0]) / (STEEP[1] - STEEP[0]))
    return _LegStance(reach, distance, highest - leg[:, 1], share)


def _hip_raise(poses: DisplacedPoses, hips: int) -> Floats:
    """``(T,)`` metres by which hips are higher than they were."""
    return np.asarray(np.maximum(poses.p[:, hips, 1] - poses.before[1][:, hips, 1], 0.0))


def _excess_raise_share(poses: DisplacedPoses, goals: Mapping[str, FootGoal], hips: int) -> Floats:
    """``(T,)`` the share of the hips' raise that legs are too short for.

    It is smooth in time: hips that are raised more are nowhere lower than if they were raised less.
    """
    raised = _hip_raise(poses, hips)
    some = raised > 1e-6 * raised.max()
    if not some.any():
        return np.zeros(len(raised))
    shares = []
    for role, goal in goals.items():
        leg, hold = _leg_stance(poses, role, goal, raised), 1.0 - goal.follows
        possible = np.maximum(leg.clearance, 0.0) / np.maximum(hold * raised, 1e-300)
        shares.append(np.where(some, leg.share * hold * np.maximum(1.0 - possible, 0.0), 0.0))
    return np.minimum(smooth_envelope(np.max(shares, axis=0), RAISE_WINDOW, poses.motion.rate), 1.0)


def _hip_drop(poses: DisplacedPoses, goals: Mapping[str, FootGoal], raised: Floats) -> Floats:
    """``(T,)`` metres by which hips sink so that legs reach their feet's paths, smooth in time.

    ``raised (T,)`` is how far they are raised, as far as legs are long enough.
    """
    before, rate = poses.before[1], poses.motion.rate
    drops = []
    for role, goal in goals.items():
        upper, leg = poses.limb(role).upper, _leg_stance(poses, role, goal, raised)
        most = DEEPEST * leg.reach + norms(poses.p[:, upper] - before[:, upper])
        drop = np.minimum(np.maximum(-leg.clearance, 0.0), most) * leg.share * (1.0 - goal.follows)
        drops.append(np.where(leg.distance > leg.reach + 1e-6, drop, 0.0))
    deepest = np.max(drops, axis=0)
    if not deepest.any():
        return np.asarray(deepest)
    smooth, frames = smooth_envelope(deepest, SINK_WINDOW, rate), np.arange(len(deepest))
    for end, away in ((0, frames), (-1, frames[::-1])):
        moved = any((goal.path[end] != before[end, poses.limb(role).end]).any() for role, goal in goals.items())
        if not moved and (poses.p[end] == before[end]).all():  # nothing is displaced here, so hips are not either
            first = int(away[deepest > 0.0].min())
            smooth = smooth * smoothstep(away / max(min(SINK_WINDOW * rate, first), 1.0))
    return np.asarray(smooth)
