"""Pose edits (``Turn``, ``Target``) and the displacement splines through them; ``displace`` applies them.

A pose edit says what is displaced at one frame: a ``Turn`` of a joint, or a ``Target`` for a hand, a foot, the head or
the hips. Between edits of one thing a Kochanek–Bartels spline of displacements runs (``SplineKnots``) and is added to
the motion, as Bruderlin and Williams (1995) do. ``DisplacedPoses`` holds the poses of a range of frames while they are
displaced step by step; ``displace`` has the steps.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import radians
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from pydantic import PlainValidator

from kinesphere.body.ground import smooth_gaussian
from kinesphere.body.reach.limb import LimbChain, LimbRotation, limb_of
from kinesphere.body.reach.swivel import remove_swivel_jolts
from kinesphere.body.reach.targets import MOVABLE, EditablePose
from kinesphere.maths import rotations
from kinesphere.maths.splines import Spline, append_axes, kochanek_bartels
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.document import Either, Flag, Setting, Text, document, expected_type, not_allowed, number
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import TimeMap

TCB: TypeAlias = tuple[float, float, float]  # tension, continuity and bias of a key
MOST_TCB = 1e6  # of tension, continuity and bias
FARTHEST = 1e4  # metres
SIDEWAYS = 0.4  # of the step, as a velocity: a cubic then leaves the straight line by a tenth at most
UP = np.array([0.0, 1.0, 0.0])
UPRIGHT = 0.3  # cosine of half the tilt below which a body has no heading
HEADING_SIGMA = 0.1  # seconds, of the Gaussian that smooths the heading
EASE_OUT = 0.35  # seconds over which hips and feet leave where they were: a straight knee would start with a jerk
SLIGHT = 0.01  # metres that its end has moved where the side to which a limb bends may be smoothed in full
BEND_SIGMA = 0.1  # seconds, of the Gaussian that smooths how knees come round that were bent the wrong way
STEADY = 0.05  # metres that a hand or foot has moved where its elbow or knee may swivel by itself


# Pose edits


SplineDial = Annotated[float, number(-MOST_TCB, MOST_TCB)]


@document(frozen=True, kw_only=True)
class PoseEdit(ABC):
    """Something displaced at one moment.

    Seconds between two frames mean the nearer one. Tension, continuity and bias are those of the spline of
    displacements at this edit (Kochanek and Bartels); None: as at all others.
    """

    frame: Annotated[int, number(0, about="When, in frames; or seconds say it.", whole=True)] | None = None
    seconds: Annotated[float, number(about="When, in seconds; or a frame says it.")] | None = None
    tension: Annotated[SplineDial, Setting("Of the spline at this edit.")] | None = None
    continuity: Annotated[SplineDial, Setting("Of the spline at this edit.")] | None = None
    bias: Annotated[SplineDial, Setting("Of the spline at this edit.")] | None = None

    def __post_init__(self) -> None:
        if (self.frame is None) == (self.seconds is None):
            raise ValueError(f"{self}: say when: either frame=… or seconds=…")

    @property
    @abstractmethod
    def subject(self) -> str:
        """What is displaced."""

    def __str__(self) -> str:
        if self.frame is None and self.seconds is None:
            return self.subject
        when = f"frame {self.frame}" if self.frame is not None else f"{self.seconds:g} s"
        return f"{self.subject} at {when}"

    def at_time_of(self, clock: TimeMap, motion: Motion) -> Self:
        """The same edit at a time mapped by a clock. A frame stays itself where both times are the same."""
        at = self.seconds if self.frame is None else self.frame / motion.rate
        assert at is not None
        now = float(clock(np.array(at)))
        if motion.duration < now < motion.duration + 1.0 / motion.rate:  # ends are rounded to frames
            now = motion.duration
        return self if abs(now - at) < 1e-9 else replace(self, frame=None, seconds=now)

    def frame_of(self, motion: Motion) -> int:
        """Its frame in a motion; refused where there is none, or where it was not performed."""
        last = len(motion) - 1
        frame = int(self.frame) if self.frame is not None else round(float(self.seconds or 0.0) * motion.rate)
        if not 0 <= frame <= last:
            raise ValueError(f"{self}: the motion has frames 0 to {last}, which is 0 to {motion.duration:g} s")
        if frame in motion.calibration_frames:
            raise ValueError(
                f"{self}: frame {frame} is a calibration frame, which was not performed; it stays as it is"
            )
        return frame


def _vector(*sizes: int) -> PlainValidator:
    """Annotation of a few finite numbers."""
    expected = f"{' or '.join(str(size) for size in sizes)} finite numbers up to {FARTHEST:g}"

    def check(given: Any) -> tuple[float, ...]:
        try:
            values = tuple(float(value) for value in given if not isinstance(value, bool | str))
        except (TypeError, ValueError, OverflowError):
            values = ()
        if len(values) not in sizes:
            raise expected_type(expected)
        if not np.isfinite(values).all() or max(abs(value) for value in values) > FARTHEST:
            raise not_allowed(expected)
        return values

    return PlainValidator(check, json_schema_input_type=list[float])


@document(frozen=True)
class Turn(PoseEdit):
    """A rotation that is added to a joint's."""

    joint: Annotated[Text, Setting("A humanoid role or the skeleton's own name.")]
    by: Annotated[
        Sequence[float],
        _vector(3, 4),
        Setting(
            "A rotation vector in radians, x, y and z, which may be more than a whole turn; or a quaternion w, x, y, z."
        ),
    ]
    axes: Annotated[
        Literal["parent", "joint", "world"],
        Setting("Whose axes these are: the parent's, in which an elbow's hinge is fixed, its own, or the world's."),
    ] = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.by) == 4 and np.linalg.norm(self.by) < 1e-9:
            raise ValueError(f"{self}: a quaternion of length zero has no direction")

    @property
    def subject(self) -> str:
        return self.joint

    @property
    def vector(self) -> Floats:
        """``(3,)`` the rotation vector."""
        given = np.array(self.by)
        return given if len(given) == 3 else rotations.to_rotation_vector(rotations.normalise(given))

    def scaled(self, share: float) -> Turn:
        """The same edit at a strength from 0 to 1."""
        return self if share == 1.0 else replace(self, by=tuple((share * self.vector).tolist()))


@document(frozen=True)
class Target(PoseEdit):
    """A hand, a foot, the head or the hips brought somewhere."""

    part: Annotated[
        Text,
        Setting("leftHand, rightHand, leftFoot, rightFoot, head or hips, or the skeleton's own name of that joint."),
    ]
    to: Annotated[Sequence[float], _vector(3), Setting("A position in the world, in metres; or by says it.")] | None = (
        None
    )
    by: (
        Annotated[
            Sequence[float],
            _vector(3),
            Setting("A displacement from where the part is in the input, in metres; or to says it."),
        ]
        | None
    ) = None
    swivel: Annotated[
        float,
        number(about="Radians by which an elbow or knee turns about the line to its hand or foot, right-handed."),
    ] = 0.0
    keep_orientation: Annotated[
        Flag,
        Setting(
            "Whether hand, foot or head keep their orientation in the world, as far as wrist and ankle allow; "
            "otherwise they go along with what carries them."
        ),
    ] = True
    plant: Annotated[
        Flag,
        Setting(
            "For a foot that is in contact then: whether its whole contact moves there. Otherwise the foot leaves the "
            "ground for a while, for as long as the width says."
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.to is None) == (self.by is None):
            raise ValueError(f"{self}: say where: either to=(x, y, z) or by=(x, y, z)")

    @property
    def subject(self) -> str:
        return self.part

    def position(self, before: Floats) -> Floats:
        """``(3,)`` the part's target; ``before (3,)`` is its position in the input."""
        return np.array(self.to) if self.by is None else np.asarray(before + np.array(self.by))

    def scaled(self, share: float, before: Floats) -> Target:
        """The same edit at a strength from 0 to 1, for a part that was at ``before (3,)``."""
        step = share * (self.position(before) - before)
        return replace(self, to=None, by=tuple(step.tolist()), swivel=share * self.swivel)


def joint_of(turn: Turn, skeleton: Skeleton) -> int:
    """The joint of a turn, by its own name or its role."""
    named = [i for i, name in enumerate(skeleton.names) if name == turn.joint]
    if len(named) == 1:
        return named[0]
    if turn.joint in skeleton.roles:
        return skeleton.roles[turn.joint]
    if named:
        raise ValueError(f"{turn}: {len(named)} joints are called {turn.joint!r}; a role tells them apart")
    raise ValueError(f"{turn}: {unknown_name('joint', turn.joint, (*skeleton.roles, *skeleton.names))}")


def role_of(target: Target, skeleton: Skeleton) -> str:
    """The role of a target's part, which may be called by the joint's own name."""
    if target.part in MOVABLE:
        return target.part
    for role in MOVABLE:
        if role in skeleton.roles and skeleton.names[skeleton.roles[role]] == target.part:
            return role
    raise ValueError(f"{target}: {unknown_name('part that can be brought somewhere', target.part, MOVABLE)}")


# A pose edit in a document names a joint, which is turned, or a part, which is brought somewhere.
AnyPoseEdit: TypeAlias = Annotated[
    PoseEdit | Mapping[str, Any],
    Either(
        lambda value: (
            "turn" if isinstance(value, Turn) or (isinstance(value, Mapping) and "joint" in value) else "target"
        ),
        turn=Turn,
        target=Target,
    ),
]


# Pose edits as texts, such as "rightHand@1.2 by 0,0.2,0"

TARGET = "rightHand@1.2 by 0,0.2,0"
TURN = "head@1.2 by 0,20,0"


def parse_target(text: str) -> Target:
    """A target from a text: NAME@SECONDS by X,Y,Z or to X,Y,Z, in metres; then swivel DEGREES, loose, plant."""
    part, when, how, place, words = _split_edit(text, ("by", "to"), TARGET)
    more: dict[str, Any] = {how: place}
    while words:
        word = words.pop(0)
        if word == "loose":
            more["keep_orientation"] = False
        elif word == "plant":
            more["plant"] = True
        elif word == "swivel" and words:
            more["swivel"] = radians(_parse_number(words.pop(0), "degrees after swivel"))
        else:
            raise ValueError(f"found {word!r}; swivel DEGREES, loose and plant are allowed there")
    return Target(part, **when, **more)


def parse_turn(text: str) -> Turn:
    """A turn from a text: NAME@SECONDS by X,Y,Z, in degrees, and whose axes these are: parent, joint or world."""
    joint, when, _, angles, words = _split_edit(text, ("by",), TURN)
    if words and words not in (["parent"], ["joint"], ["world"]):
        raise ValueError(f"found {' '.join(words)!r}; parent, joint or world is allowed there")
    return Turn(joint, [radians(angle) for angle in angles], *words, **when)  # type: ignore[arg-type]


def _split_edit(
    text: str, allowed: tuple[str, ...], example: str
) -> tuple[str, dict[str, Any], str, list[float], list[str]]:
    """What, when, by or to, the three numbers, and the words that follow."""
    found = re.match(r"\s*(?P<what>.*\S)\s*@\s*(?P<when>\S+)\s+(?P<how>[A-Za-z]+)\s+(?P<rest>.*)$", text)
    if found is None or found["how"] not in allowed:
        hows = " or ".join(f"{how} X,Y,Z" for how in allowed)
        seen = repr(found["how"]) if found else "no NAME@WHEN"
        raise ValueError(f"found {seen}; write NAME@SECONDS {hows}, such as '{example}'")
    numbers = re.match(r"\(?\s*((?:[^\s,()]+[\s,]+){2}[^\s,()]+)\s*\)?(.*)$", found["rest"])
    if numbers is None:
        raise ValueError(f"found {found['rest'].strip()!r}; three numbers are expected, such as '{example}'")
    values = [_parse_number(value, "three numbers") for value in re.split(r"[\s,]+", numbers[1].strip())]
    return found["what"], _parse_time(found["when"]), found["how"], values, numbers[2].split()


def _parse_time(moment: str) -> dict[str, Any]:
    """Seconds, as in ``1.2`` or ``1.2s``, or a frame, as in ``90f`` or ``f90``."""
    frame = re.fullmatch(r"f(\d+)|(\d+)f", moment)
    if frame:
        return {"frame": int(frame[1] or frame[2])}
    return {"seconds": _parse_number(moment.removesuffix("s"), "seconds such as 1.2, or a frame such as 90f,")}


def _parse_number(text: str, expected: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"found {text!r}; {expected} are expected") from None


# Splines of displacement. Through few points far from each other a cubic swings far past them. So velocities at points
# are limited until no piece goes past its ends by more than a share of the step between them, nor sideways by more than
# a tenth in addition.


@dataclass(frozen=True, eq=False)
class SplineKnots:
    """The knots of a displacement: edits, and ends at which it is zero.

    Attributes
    ----------
    frames : (N,)
        Increasing; ends may lie outside of the motion.
    which : (N,)
        The number of each knot's edit; -1: none, the displacement is zero there and comes to rest.
    tension, continuity, bias : (N,)
    overshoot
        How far the spline may go past its knots, as a share of the step between two; None: not limited.
    """

    frames: Floats
    which: Ints
    tension: Floats
    continuity: Floats
    bias: Floats
    overshoot: float | None

    def curve(self, values: Floats, at: Floats) -> Floats:
        """The displacements ``(T, ..., D)`` at frames ``at (T,)``; ``values (P, ..., D)`` are those of the edits."""
        if not values.any():
            return np.zeros((len(at), *values.shape[1:]))
        keys = np.where((self.which >= 0).reshape(-1, *[1] * (values.ndim - 1)), values[self.which], 0.0)
        if len(keys) == 1:
            return np.repeat(keys, len(at), axis=0)
        spline = kochanek_bartels(
            keys, self.frames, tension=self.tension, continuity=self.continuity, bias=self.bias, ends="clamped"
        )
        curve = _limit_overshoot(spline, self.overshoot).value(clip(at, self.frames[0], self.frames[-1]))
        # Between knots that are zero nothing is added, not even what rounding leaves.
        nonzero = np.asarray(keys.reshape(len(keys), -1).any(axis=1))
        piece = clip(np.searchsorted(self.frames, at, side="right") - 1, 0, len(keys) - 2)
        curve[~(nonzero[piece] | nonzero[piece + 1])] = 0.0
        return np.asarray(curve)

    def ease_from_ends(self, at: Floats, within_frames: float) -> Floats:
        """Weights ``(T,)``: 0 at ends of the displacement, 1 from ``within_frames`` away, or from the next edit on."""
        edits, share = self.frames[self.which >= 0], np.ones(len(at))
        for end in self.frames[self.which < 0]:
            share *= smoothstep(np.abs(at - end) / min(within_frames, float(np.abs(edits - end).min())))
        return share


@dataclass(frozen=True)
class DisplacementRange:
    """The frames that a displacement may change, and how its spline runs."""

    first: int
    last: int
    width: float | None  # frames: so far from its edits it ends, in place of first and last
    bounded: tuple[bool, bool]  # whether, with a width, it ends at first and last as well
    overshoot: float | None
    spans: tuple[tuple[int, int], ...] = ()  # frames of the first and last edit of each part, with the usual width

    def knots(self, points: Sequence[tuple[int, int]], tcb: Sequence[TCB], zeros: Sequence[int] = ()) -> SplineKnots:
        """Knots at edits, ``(frame, number)``, at ``zeros``, and at the ends where no edit is.

        ``tcb`` are tension, continuity and bias of each number.
        """
        given = dict(sorted(points))
        ends = set(zeros) | self._ends(given)
        knots = sorted([*given.items(), *((zero, -1) for zero in ends if zero not in given)])
        own = np.array([tcb[i] if i >= 0 else (1.0, 0.0, 0.0) for _, i in knots])
        frames = np.array([frame for frame, _ in knots], dtype=np.float64)
        which = np.array([i for _, i in knots], dtype=np.intp)
        return SplineKnots(frames, which, own[:, 0], own[:, 1], own[:, 2], self.overshoot)

    def _ends(self, points: Mapping[int, int]) -> set[float]:
        """Frames at which displacements by edits, ``{frame: number}`` in order, begin and end."""
        if self.width is None:
            return {self.first, self.last}
        width, frames = max(self.width, 1.0), list(points)
        low, high = frames[0] - width, frames[-1] + width
        if self.spans:  # where the scope has ends, it begins and ends there
            low = self.first if self.bounded[0] else max(low, self.first)
            high = self.last if self.bounded[1] else min(high, self.last)
        else:
            low = max(low, self.first) if self.bounded[0] else low
            high = min(high, self.last) if self.bounded[1] else high
        between = [
            (a, b)
            for a, b in zip(frames[:-1], frames[1:], strict=True)
            if b - a > 2.0 * width and not (self.spans and points[a] == points[b]) and not self._is_joined(a, b)
        ]
        return {low, high, *(a + width for a, _ in between), *(b - width for _, b in between)}

    def _is_joined(self, a: int, b: int) -> bool:
        """Whether edits of one part lie around two frames: its displacement then runs through."""
        return any(first <= a and b <= last for first, last in self.spans)


def _limit_overshoot(spline: Spline, overshoot: float | None) -> Spline:
    """The same spline with velocities limited, so that it overshoots its keys by no more."""
    if overshoot is None or len(spline.keys) < 3:
        return spline
    steps = np.diff(spline.keys, axis=0)
    spans = append_axes(np.diff(spline.times), steps.ndim)
    incoming, outgoing = spline.incoming.copy(), spline.outgoing.copy()
    before, after = (steps[:-1], spans[:-1], overshoot), (steps[1:], spans[1:], overshoot)
    into, out = incoming[1:-1], outgoing[1:-1]
    smooth = np.all(np.abs(into - out) <= 1e-9 * (1.0 + np.abs(into)), axis=-1, keepdims=True)
    both = _limit_velocity(_limit_velocity(into, *before), *after)
    both = both * np.minimum(_velocity_factor(both, *before), _velocity_factor(both, *after))
    incoming[1:-1] = np.where(smooth, both, _limit_velocity(into, *before))
    outgoing[1:-1] = np.where(smooth, both, _limit_velocity(out, *after))
    return replace(spline, incoming=incoming, outgoing=outgoing)


def _components(velocity: Floats, step: Floats, span: Floats) -> tuple[Floats, Floats]:
    """Split ``velocity · span``: multiples of ``step`` along it ``(..., 1)``, and the rest across it ``(..., D)``."""
    square = np.einsum("...d,...d->...", step, step)[..., None]
    along = np.einsum("...d,...d->...", velocity, step)[..., None] * span / np.maximum(square, 1e-300)
    along = np.where(square > 0.0, along, 0.0)
    return along, velocity * span - along * step


def _limit_velocity(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """Limit velocities at an end of a spline's pieces, so that these stay within their steps.

    Without overshoot, the velocity along a step is bounded by 0 and 3, as a monotone cubic's is.
    """
    along, aside = _components(velocity, step, span)
    most = (SIDEWAYS + 4.0 * overshoot) * norms(step)[..., None]
    limited = clip(along, -4.0 * overshoot, 3.0 + 4.0 * overshoot) * step
    return np.asarray((limited + aside * np.minimum(1.0, most / np.maximum(norms(aside)[..., None], 1e-300))) / span)


def _velocity_factor(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """The factor ``(..., 1)`` that brings a velocity within the same bounds."""
    along, aside = _components(velocity, step, span)
    low, high = -4.0 * overshoot, 3.0 + 4.0 * overshoot
    share = np.where(along > high, high / np.maximum(along, 1e-300), 1.0)
    share = np.where(along < low - 1e-9, low / np.minimum(along, -1e-300), share)
    most = (SIDEWAYS + 4.0 * overshoot) * norms(step)[..., None]
    wide = norms(aside)[..., None]
    return np.asarray(np.minimum(share, np.where(wide > most, most / np.maximum(wide, 1e-300), 1.0)))


# Poses that are displaced


class TurnKey(NamedTuple):
    """A turn with its frame and its joint in a motion."""

    frame: int
    joint: int
    edit: Turn
    tcb: TCB


class TargetKey(NamedTuple):
    """A target with its frame and its joint in a motion, which has a role."""

    frame: int
    joint: int
    edit: Target
    tcb: TCB
    role: str


EditKey = TurnKey | TargetKey


class DisplacedPoses:
    """Poses of a range of frames: before, and as they are displaced so far.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are world rotations and positions of ``pose``, ``before`` those of the input.
    Frames of keys are the motion's own: ``rows`` are those of the range.
    """

    def __init__(self, motion: Motion, frames: DisplacementRange, allowed: Bools) -> None:
        self.motion, self.skeleton, self.range, self.allowed = motion, motion.skeleton, frames, allowed
        self.at: Floats = np.arange(len(motion), dtype=np.float64) + frames.first
        self.pose = EditablePose(motion.skeleton, motion.rotations.copy(), motion.translations.copy())
        self.before = motion.world()
        self.q, self.p = self.before
        self._limbs: dict[str, LimbChain] = {}
        self._hip_steps: list[tuple[Sequence[EditKey], Floats]] = []

    def update_world(self) -> None:
        """Compute the world rotations and positions of the pose anew."""
        self.q, self.p = self.pose.world()

    def limb(self, role: str) -> LimbChain:
        """An arm or a leg, by the role of its end."""
        if role not in self._limbs:
            self._limbs[role] = limb_of(self.skeleton, role, *self.before)
        return self._limbs[role]

    def rows(self, keys: Sequence[EditKey]) -> list[int]:
        """The rows of keys in arrays of the range."""
        return [key.frame - self.range.first for key in keys]

    def knots(self, keys: Sequence[EditKey]) -> SplineKnots:
        """The knots of a spline through keys."""
        return self.range.knots([(key.frame, i) for i, key in enumerate(keys)], [key.tcb for key in keys])

    def curve(self, keys: Sequence[EditKey], values: Floats) -> Floats:
        """``(T, ..., D)`` the spline through values ``(P, ..., D)`` at keys."""
        return self.knots(keys).curve(values, self.at)

    def target_positions(self, targets: Sequence[TargetKey]) -> Floats:
        """``(P, 3)`` where targets want their joints."""
        before = self.before[1][self.rows(targets), [key.joint for key in targets]]
        return np.array([key.edit.position(own) for key, own in zip(targets, before, strict=True)]).reshape(-1, 3)

    def rotate_joints(self, turns: Sequence[TurnKey]) -> None:
        """Rotate joints by the splines of their turns."""
        if not turns:
            return
        curves: dict[int, Floats] = {}
        for joint in sorted({key.joint for key in turns}):
            keys = [key for key in turns if key.joint == joint]
            curves[joint] = self.curve(keys, np.array([self._rotation_vector(key) for key in keys]))
        self.pose.rotate_joints(curves)
        self.update_world()

    def _rotation_vector(self, key: TurnKey) -> Floats:
        """A turn's rotation vector ``(3,)`` in the frame of the joint's parent."""
        row, vector, axes = key.frame - self.range.first, key.edit.vector, key.edit.axes
        if axes == "joint":
            return rotations.rotate(self.motion.rotations[row, key.joint], vector)
        parent = int(self.skeleton.parents[key.joint])
        if axes == "world" and parent >= 0:
            return rotations.rotate(rotations.conjugate(self.before[0][row, parent]), vector)
        return vector

    def move_hips_to(self, targets: Sequence[TargetKey]) -> None:
        """Move the hips to their targets."""
        if targets:
            joint = targets[0].joint
            self.move_hips_by(targets, joint, self.target_positions(targets) - self.p[self.rows(targets), joint])

    def move_hips_by(self, keys: Sequence[EditKey], joint: int, steps: Floats) -> None:
        """Move the hips by steps ``(P, 3)`` at keys, with so much easing at the ends that straight knees follow."""
        self._hip_steps.append((keys, steps))
        self.shift_joint(joint, self._hips_curve(keys, steps))

    def raise_hips_less(self, joint: int, shares: Floats) -> None:
        """Take back shares ``(T,)`` of how far the hips are raised at keys; the splines between them follow."""
        change = np.zeros((len(self.at), 3))
        for i, (keys, steps) in enumerate(self._hip_steps):
            lower = steps.copy()
            lower[:, 1] -= np.maximum(steps[:, 1], 0.0) * shares[self.rows(keys)]
            change += self._hips_curve(keys, lower) - self._hips_curve(keys, steps)
            self._hip_steps[i] = keys, lower
        self.shift_joint(joint, change)

    def _hips_curve(self, keys: Sequence[EditKey], steps: Floats) -> Floats:
        knots = self.knots(keys)
        return knots.curve(steps, self.at) * knots.ease_from_ends(self.at, EASE_OUT * self.motion.rate)[:, None]

    def shift_joint(self, joint: int, step: Floats) -> None:
        """Move a joint, with all its descendants, by ``step (T, 3)`` in the world."""
        moving = np.asarray(step.any(axis=1))
        if moving.any():
            self.pose.move(self.q, joint, step, moving)
            self.update_world()

    def smooth_where_moved(self, moved: Floats, angles: Floats) -> Floats:
        """Angles ``(T,)`` made smooth in time where the end of a limb has ``moved (T,)`` metres."""
        smooth = smooth_gaussian(angles, self.motion.rate, BEND_SIGMA)
        return np.asarray(angles + smoothstep(moved / SLIGHT) * (smooth - angles))

    def steady_limb(self, limb: LimbChain, solution: LimbRotation, moved: Floats) -> LimbRotation:
        """A limb's solution, its middle joint without new jolts where its end has moved ``(T,)`` metres."""
        return remove_swivel_jolts(self.motion, limb, self.before[1], self.p, solution, smoothstep(moved / STEADY))

    def end_orientation(
        self, targets: Sequence[TargetKey], solution: LimbRotation, facing: Floats, active: Bools
    ) -> Floats | None:
        """``(T, 4)`` a hand's or foot's orientation: ``facing (T, 4)`` where targets keep it and joints allow it."""
        keeps = [float(key.edit.keep_orientation) for key in targets]
        if not any(keeps):
            return None
        share = np.interp(self.at, [key.frame for key in targets], keeps)
        return self.pose.limit_orientation(self.motion, targets[0].role, self.q, solution, facing, active, share)

    @cached_property
    def heading(self) -> Floats:
        """``(T, 4)`` the body's rotation about the vertical; none where it does not stay upright."""
        hips = self.before[0][:, self.skeleton.roles.get("hips", self.skeleton.roots[0])]
        since_start = rotations.multiply(hips, rotations.conjugate(hips[:1]))
        if np.hypot(since_start[:, 0], since_start[:, 2]).min() < UPRIGHT:
            return rotations.identity(len(hips))
        angle = np.unwrap(2.0 * np.arctan2(since_start[:, 2], since_start[:, 0]))
        smooth = smooth_gaussian(angle, self.motion.rate, HEADING_SIGMA)
        return rotations.from_rotation_vector(smooth[:, None] * UP)
