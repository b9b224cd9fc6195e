"""Pose edits at frames: what a displacement is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kinesphere.body.ground import smooth_gaussian
from kinesphere.body.reach.limb import LimbChain, LimbRotation, limb_of
from kinesphere.body.reach.swivel import steady_swivel
from kinesphere.body.reach.targets import MOVABLE, EditablePose
from kinesphere.maths import rotations
from kinesphere.maths.splines import Spline, append_axes, kochanek_bartels
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

AXES = ("parent", "joint", "world")
FARTHEST = 1e4  # metres


@dataclass(frozen=True, kw_only=True)
class PoseEdit(ABC):
    """A moment at which something is displaced.

    Parameters
    ----------
    frame, seconds
        When; one of the two. Seconds between two frames mean the nearer one.
    tension, continuity, bias
        How the displacement runs through this point (Kochanek and Bartels); None: as through all others.
    """

    frame: int | None = None
    seconds: float | None = None
    tension: float | None = None
    continuity: float | None = None
    bias: float | None = None

    def __post_init__(self) -> None:
        if (self.frame is None) == (self.seconds is None):
            raise ValueError(f"{self}: say when: either frame=… or seconds=…")
        if self.frame is not None and (isinstance(self.frame, bool) or int(self.frame) != self.frame):
            raise ValueError(f"{self}: frame is {self.frame!r}; a whole number from 0 is expected")
        for name in ("seconds", "tension", "continuity", "bias"):
            value = getattr(self, name)
            if value is not None and not np.isfinite(value):
                raise ValueError(f"{self}: {name} is {value!r}; a finite number is expected")

    @property
    @abstractmethod
    def subject(self) -> str:
        """What is displaced."""

    def __str__(self) -> str:
        if self.frame is None and self.seconds is None:
            return self.subject
        when = f"frame {self.frame}" if self.frame is not None else f"{self.seconds:g} s"
        return f"{self.subject} at {when}"

    def frame_of(self, motion: Motion) -> int:
        """Its frame in a motion; refused where that has none, or where it was not performed."""
        last = len(motion) - 1
        frame = int(self.frame) if self.frame is not None else round(float(self.seconds or 0.0) * motion.rate)
        if not 0 <= frame <= last:
            raise ValueError(f"{self}: the motion has frames 0 to {last}, which is 0 to {motion.duration:g} s")
        if frame in motion.calibration_frames:
            raise ValueError(
                f"{self}: frame {frame} is a calibration frame, which was not performed; it stays as it is"
            )
        return frame


@dataclass(frozen=True)
class Turn(PoseEdit):
    """A joint turned by so much more.

    Parameters
    ----------
    joint
        A humanoid role or the skeleton's own name.
    by
        A rotation vector in radians ``(x, y, z)``, which may be more than a whole turn, or a quaternion
        ``(w, x, y, z)``.
    axes
        Whose axes these are: the parent's, in which an elbow's hinge is fixed, the joint's own, or the world's.
    """

    joint: str
    by: Sequence[float]
    axes: str = "parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "by", _numbers(self, "by", self.by, (3, 4)))
        if len(self.by) == 4 and np.linalg.norm(self.by) < 1e-9:
            raise ValueError(f"{self}: a quaternion of length zero has no direction")
        if self.axes not in AXES:
            raise ValueError(f"{self}: axes are {self.axes!r}; {', '.join(AXES)} are allowed")

    @property
    def subject(self) -> str:
        return self.joint

    @property
    def vector(self) -> Floats:
        """``(3,)`` the rotation vector."""
        given = np.array(self.by)
        return given if len(given) == 3 else rotations.to_rotation_vector(rotations.normalise(given))

    def partly(self, share: float) -> Turn:
        """Some of it."""
        return self if share == 1.0 else replace(self, by=tuple((share * self.vector).tolist()))


@dataclass(frozen=True)
class Target(PoseEdit):
    """A hand, a foot, the head or the hips brought somewhere.

    Parameters
    ----------
    part
        ``leftHand``, ``rightHand``, ``leftFoot``, ``rightFoot``, ``head`` or ``hips``, or the skeleton's own name of
        that joint.
    to, by
        A place in the world, or a way from where the part is in the input, in metres. One of the two.
    swivel
        Radians by which an elbow or knee turns about the way to its hand or foot, right-handed.
    keep_orientation
        Whether hand, foot or head keep their orientation in the world, as far as wrist and ankle allow; otherwise they
        go along with what carries them.
    plant
        For a foot that stands at that moment: whether it stands there from the beginning to the end of this stand.
        Otherwise it leaves its stand for a while, for as long as the edit's ``width`` says.
    """

    part: str
    to: Sequence[float] | None = None
    by: Sequence[float] | None = None
    swivel: float = 0.0
    keep_orientation: bool = True
    plant: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.to is None) == (self.by is None):
            raise ValueError(f"{self}: say where: either to=(x, y, z) or by=(x, y, z)")
        for name in ("to", "by"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _numbers(self, name, getattr(self, name), (3,)))
        if not np.isfinite(self.swivel):
            raise ValueError(f"{self}: swivel is {self.swivel!r}; finite radians are expected")

    @property
    def subject(self) -> str:
        return self.part

    def place(self, was: Floats) -> Floats:
        """``(3,)`` where the part should be that was there ``(3,)``."""
        return np.array(self.to) if self.by is None else np.asarray(was + np.array(self.by))

    def partly(self, share: float, was: Floats) -> Target:
        """Some of the way for a part that was there ``(3,)``."""
        way = share * (self.place(was) - was)
        return replace(self, to=None, by=tuple(way.tolist()), swivel=share * self.swivel)


def joint_of(turn: Turn, skeleton: Skeleton) -> int:
    """The joint that is turned, by its own name or its role."""
    named = [i for i, name in enumerate(skeleton.names) if name == turn.joint]
    if len(named) == 1:
        return named[0]
    if turn.joint in skeleton.roles:
        return skeleton.roles[turn.joint]
    if named:
        raise ValueError(f"{turn}: {len(named)} joints are called {turn.joint!r}; a role tells them apart")
    raise ValueError(f"{turn}: {unknown_name('joint', turn.joint, (*skeleton.roles, *skeleton.names))}")


def role_of(target: Target, skeleton: Skeleton) -> str:
    """The role of what is brought somewhere, which may be called by its own name."""
    if target.part in MOVABLE:
        return target.part
    for role in MOVABLE:
        if role in skeleton.roles and skeleton.names[skeleton.roles[role]] == target.part:
            return role
    raise ValueError(f"{target}: {unknown_name('part that can be brought somewhere', target.part, MOVABLE)}")


def read_pose_edit(given: PoseEdit | Mapping[str, Any]) -> PoseEdit:
    """A point, also from plain data: ``{"part": "leftHand", "frame": 40, "by": [0, 0.2, 0]}``."""
    if isinstance(given, (Turn, Target)):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"{given!r} is no pose edit; a Turn or a Target is expected")
    kind: type[Turn] | type[Target] = Turn if "joint" in given else Target
    known = [field.name for field in fields(kind)]
    for name in given:
        if name not in known:
            raise ValueError(f"a pose edit has no {name!r}; {', '.join(known)} are known")
    if "joint" not in given and "part" not in given:
        raise ValueError("a pose edit names a joint, which is turned, or a part, which is brought somewhere")
    if kind is Turn and "by" not in given:
        raise ValueError(f"{given['joint']}: by how much? by=(x, y, z) is expected")
    return kind(**given)


def _numbers(whose: PoseEdit, name: str, given: Sequence[float], sizes: tuple[int, ...]) -> tuple[float, ...]:
    try:
        values = tuple(float(value) for value in given)
    except (TypeError, ValueError):
        values = ()
    wanted = " or ".join(str(size) for size in sizes)
    if len(values) not in sizes:
        raise ValueError(f"{whose}: {name} is {given!r}; {wanted} numbers are expected")
    if not np.isfinite(values).all() or max(abs(value) for value in values) > FARTHEST:
        raise ValueError(f"{whose}: {name} is {given!r}; finite numbers up to {FARTHEST:g} are expected")
    return values


# ---- The curve through displacements: Kochanek and Bartels' spline that keeps to its points.
#
# Through few points far from each other a cubic swings far past them. So velocities at points are cut until no piece
# goes
# past its ends by more than a share of the step between them, nor sideways by more than a tenth in addition.


Dials: TypeAlias = tuple[float, float, float]
SIDEWAYS = 0.4  # of the step, as a velocity: a cubic then leaves the straight way by a tenth at most


def ease(x: Floats) -> Floats:
    """From 0 to 1, at rest at both."""
    u = clip(x, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


@dataclass(frozen=True, eq=False)
class SplineKnots:
    """Where a displacement is given: at points, and nothing at all at the ends.

    Attributes
    ----------
    frames : (N,)
        Increasing; ends may lie outside of the motion.
    which : (N,)
        The point of each knot; -1: none, the displacement is zero there and comes to rest.
    tension, continuity, bias : (N,)
    """

    frames: Floats
    which: Ints
    tension: Floats
    continuity: Floats
    bias: Floats
    overshoot: float | None

    def curve(self, values: Floats, at: Floats) -> Floats:
        """The displacements ``(T, ..., D)`` at frames ``at (T,)``; ``values (P, ..., D)`` are those of the points."""
        if not values.any():
            return np.zeros((len(at), *values.shape[1:]))
        keys = np.where((self.which >= 0).reshape(-1, *[1] * (values.ndim - 1)), values[self.which], 0.0)
        if len(keys) == 1:
            return np.repeat(keys, len(at), axis=0)
        spline = kochanek_bartels(
            keys, self.frames, tension=self.tension, continuity=self.continuity, bias=self.bias, ends="clamped"
        )
        made = _limited(spline, self.overshoot).value(clip(at, self.frames[0], self.frames[-1]))
        # Between points that are zero nothing is added, not even what rounding leaves.
        set_ = np.asarray(keys.reshape(len(keys), -1).any(axis=1))
        piece = clip(np.searchsorted(self.frames, at, side="right") - 1, 0, len(keys) - 2)
        made[~(set_[piece] | set_[piece + 1])] = 0.0
        return np.asarray(made)

    def gently(self, at: Floats, within_frames: float) -> Floats:
        """``(T,)`` from 0 where the displacement is over to 1 so many frames from there, or at the next point."""
        points, share = self.frames[self.which >= 0], np.ones(len(at))
        for over in self.frames[self.which < 0]:
            share *= ease(np.abs(at - over) / min(within_frames, float(np.abs(points - over).min())))
        return share


@dataclass(frozen=True)
class DisplacementRange:
    """Where a displacement may be, in frames, and how its curve runs."""

    first: int
    last: int
    width: float | None  # so far from its points it is over, in place of first and last
    bounded: tuple[bool, bool]  # whether, with a width, it is over at first and last as well
    overshoot: float | None

    def knots(
        self, points: Sequence[tuple[int, int]], dials: Sequence[Dials], zeros: Sequence[int] = ()
    ) -> SplineKnots:
        """Knots at points, ``(frame, number)``, at ``zeros``, and at the ends, where these are not set.

        ``dials`` are tension, continuity and bias of each number.
        """
        given = dict(sorted(points))
        over = set(zeros) | self._ends(list(given))
        listed = sorted([*given.items(), *((zero, -1) for zero in over if zero not in given)])
        own = np.array([dials[i] if i >= 0 else (1.0, 0.0, 0.0) for _, i in listed])
        where = np.array([frame for frame, _ in listed], dtype=np.float64)
        which = np.array([i for _, i in listed], dtype=np.intp)
        return SplineKnots(where, which, own[:, 0], own[:, 1], own[:, 2], self.overshoot)

    def _ends(self, frames: list[int]) -> set[float]:
        """Where displacements are over."""
        if self.width is None:
            return {self.first, self.last}
        width = max(self.width, 1.0)
        low, high = frames[0] - width, frames[-1] + width
        low = max(low, self.first) if self.bounded[0] else low
        high = min(high, self.last) if self.bounded[1] else high
        between = [(a, b) for a, b in zip(frames[:-1], frames[1:], strict=True) if b - a > 2.0 * width]
        return {low, high, *(a + width for a, _ in between), *(b - width for _, b in between)}


def _limited(spline: Spline, overshoot: float | None) -> Spline:
    """The same spline, its velocities cut."""
    if overshoot is None or len(spline.keys) < 3:
        return spline
    steps = np.diff(spline.keys, axis=0)
    spans = append_axes(np.diff(spline.times), steps.ndim)
    incoming, outgoing = spline.incoming.copy(), spline.outgoing.copy()
    before, after = (steps[:-1], spans[:-1], overshoot), (steps[1:], spans[1:], overshoot)
    into, out = incoming[1:-1], outgoing[1:-1]
    smooth = np.all(np.abs(into - out) <= 1e-9 * (1.0 + np.abs(into)), axis=-1, keepdims=True)
    both = _cut(_cut(into, *before), *after)
    both = both * np.minimum(_share(both, *before), _share(both, *after))
    incoming[1:-1] = np.where(smooth, both, _cut(into, *before))
    outgoing[1:-1] = np.where(smooth, both, _cut(out, *after))
    return replace(spline, incoming=incoming, outgoing=outgoing)


def _parts(velocity: Floats, step: Floats, span: Floats) -> tuple[Floats, Floats]:
    """How much of a step ``(..., D)`` a velocity makes along it ``(..., 1)``, and its way aside ``(..., D)``."""
    square = np.einsum("...d,...d->...", step, step)[..., None]
    along = np.einsum("...d,...d->...", velocity, step)[..., None] * span / np.maximum(square, 1e-300)
    along = np.where(square > 0.0, along, 0.0)
    return along, velocity * span - along * step


def _cut(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """Velocities at an end of pieces that stay by their steps; a cubic's own bounds are 0 and 3."""
    along, aside = _parts(velocity, step, span)
    most = (SIDEWAYS + 4.0 * overshoot) * norms(step)[..., None]
    kept = clip(along, -4.0 * overshoot, 3.0 + 4.0 * overshoot) * step
    return np.asarray((kept + aside * np.minimum(1.0, most / np.maximum(norms(aside)[..., None], 1e-300))) / span)


def _share(velocity: Floats, step: Floats, span: Floats, overshoot: float) -> Floats:
    """``(..., 1)`` how much of a velocity is within the same bounds."""
    along, aside = _parts(velocity, step, span)
    low, high = -4.0 * overshoot, 3.0 + 4.0 * overshoot
    share = np.where(along > high, high / np.maximum(along, 1e-300), 1.0)
    share = np.where(along < low - 1e-9, low / np.minimum(along, -1e-300), share)
    most = (SIDEWAYS + 4.0 * overshoot) * norms(step)[..., None]
    wide = norms(aside)[..., None]
    return np.asarray(np.minimum(share, np.where(wide > most, most / np.maximum(wide, 1e-300), 1.0)))


# ---- A stretch of motion as it is displaced step by step.


UP = np.array([0.0, 1.0, 0.0])
UPRIGHT = 0.3  # cosine of half the tilt below which a body has no heading
SLOWLY = 0.1  # seconds, sigma of the low-pass on the heading
GENTLY = 0.35  # seconds over which hips and feet leave where they were: a straight knee would start with a jerk
SLIGHT = 0.01  # metres that its end has moved where the side to which a limb bends may be made smooth
CALM = 0.1  # seconds, sigma of the low-pass on how knees come round that were bent the wrong way
STEADY = 0.05  # metres that a hand or foot has moved where its elbow or knee may swivel by itself


class PlacedTurn(NamedTuple):
    """A turn with its frame and its joint."""

    frame: int
    joint: int
    edit: Turn
    dials: Dials


class PlacedTarget(NamedTuple):
    """A target with its frame and its joint, which has a role."""

    frame: int
    joint: int
    edit: Target
    dials: Dials
    role: str


Placed = PlacedTurn | PlacedTarget


class PoseStretch:
    """Poses of a stretch of motion: before, and as they are by now.

    ``q (T, J, 4)`` and ``p (T, J, 3)`` are the world of ``pose``, ``before`` that of the input. Frames of edits are
    the motion's own: ``rows`` are those of the stretch.
    """

    def __init__(self, motion: Motion, curve: DisplacementRange, allowed: Bools) -> None:
        self.motion, self.skeleton, self.range, self.allowed = motion, motion.skeleton, curve, allowed
        self.at: Floats = np.arange(len(motion), dtype=np.float64) + curve.first
        self.pose = EditablePose(motion.skeleton, motion.rotations.copy(), motion.translations.copy())
        self.before = motion.world()
        self.q, self.p = self.before
        self._limbs: dict[str, LimbChain] = {}
        self._brought: list[tuple[Sequence[Placed], Floats]] = []

    def posed(self) -> None:
        """Find the world of the pose anew."""
        self.q, self.p = self.pose.world()

    def limb(self, role: str) -> LimbChain:
        """An arm or a leg, by the role of its end."""
        if role not in self._limbs:
            self._limbs[role] = limb_of(self.skeleton, role, *self.before)
        return self._limbs[role]

    def rows(self, placed: Sequence[Placed]) -> list[int]:
        """Where the frames of edits are in arrays of the stretch."""
        return [own.frame - self.range.first for own in placed]

    def knots(self, placed: Sequence[Placed]) -> SplineKnots:
        """The knots of a curve through edits."""
        return self.range.knots([(own.frame, i) for i, own in enumerate(placed)], [own.dials for own in placed])

    def curve(self, placed: Sequence[Placed], values: Floats) -> Floats:
        """``(T, ..., D)`` the curve through values ``(P, ..., D)`` at edits."""
        return self.knots(placed).curve(values, self.at)

    def places(self, targets: Sequence[PlacedTarget]) -> Floats:
        """``(P, 3)`` where targets want their joints."""
        was = self.before[1][self.rows(targets), [own.joint for own in targets]]
        return np.array([own.edit.place(place) for own, place in zip(targets, was, strict=True)]).reshape(-1, 3)

    def turn(self, turns: Sequence[PlacedTurn]) -> None:
        """Turn joints by their own curves."""
        if not turns:
            return
        made: dict[int, Floats] = {}
        for joint in sorted({own.joint for own in turns}):
            own_turns = [own for own in turns if own.joint == joint]
            made[joint] = self.curve(own_turns, np.array([self._vector(own) for own in own_turns]))
        self.pose.lean(made)
        self.posed()

    def _vector(self, placed: PlacedTurn) -> Floats:
        """A turn ``(3,)`` as the joint's parent sees it."""
        row, vector, axes = placed.frame - self.range.first, placed.edit.vector, placed.edit.axes
        if axes == "joint":
            return rotations.rotate(self.motion.rotations[row, placed.joint], vector)
        parent = int(self.skeleton.parents[placed.joint])
        if axes == "world" and parent >= 0:
            return rotations.rotate(rotations.conjugate(self.before[0][row, parent]), vector)
        return vector

    def move_hips(self, targets: Sequence[PlacedTarget]) -> None:
        """Bring the hips where they should be."""
        if targets:
            joint = targets[0].joint
            self.bring_hips(targets, joint, self.places(targets) - self.p[self.rows(targets), joint])

    def bring_hips(self, placed: Sequence[Placed], joint: int, ways: Floats) -> None:
        """Move the hips by ways ``(P, 3)`` at edits, coming and going so gently that straight knees follow."""
        self._brought.append((placed, ways))
        self.shift(joint, self._hips_way(placed, ways))

    def raise_less(self, joint: int, shares: Floats) -> None:
        """Take back shares ``(T,)`` of how far the hips are raised at edits; the curves between them are made anew."""
        change = np.zeros((len(self.at), 3))
        for i, (placed, ways) in enumerate(self._brought):
            less = ways.copy()
            less[:, 1] -= np.maximum(ways[:, 1], 0.0) * shares[self.rows(placed)]
            change += self._hips_way(placed, less) - self._hips_way(placed, ways)
            self._brought[i] = placed, less
        self.shift(joint, change)

    def _hips_way(self, placed: Sequence[Placed], ways: Floats) -> Floats:
        knots = self.knots(placed)
        return knots.curve(ways, self.at) * knots.gently(self.at, GENTLY * self.motion.rate)[:, None]

    def shift(self, joint: int, way: Floats) -> None:
        """Move a joint, and what hangs on it, by ``way (T, 3)`` in the world."""
        moving = np.asarray(way.any(axis=1))
        if moving.any():
            self.pose.move(self.q, joint, way, moving)
            self.posed()

    def calmed(self, moved: Floats, angles: Floats) -> Floats:
        """Angles ``(T,)`` made smooth in time where the end of a limb has ``moved (T,)`` metres."""
        return angles + ease(moved / SLIGHT) * (smooth_gaussian(angles, self.motion.rate, CALM) - angles)

    def steadied(self, limb: LimbChain, laid: LimbRotation, moved: Floats) -> LimbRotation:
        """A limb as it is laid, its middle joint without new jolts where its end has moved ``(T,)`` metres."""
        return steady_swivel(self.motion, limb, self.before[1], self.p, laid, ease(moved / STEADY))

    def faced(
        self, targets: Sequence[PlacedTarget], laid: LimbRotation, facing: Floats, active: Bools
    ) -> Floats | None:
        """``(T, 4)`` how a hand or foot faces that keeps its orientation at some targets, if its joint allows it."""
        keeps = [float(own.edit.keep_orientation) for own in targets]
        if not any(keeps):
            return None
        share = np.interp(self.at, [own.frame for own in targets], keeps)
        return self.pose.faced(self.motion, targets[0].role, self.q, laid, facing, active, share)

    @cached_property
    def heading(self) -> Floats:
        """``(T, 4)`` how far the body has turned about the vertical; not at all where it does not stay upright."""
        turned = self.before[0][:, self.skeleton.roles.get("hips", self.skeleton.roots[0])]
        turn = rotations.multiply(turned, rotations.conjugate(turned[:1]))
        if np.hypot(turn[:, 0], turn[:, 2]).min() < UPRIGHT:
            return rotations.identity(len(turn))
        angle = smooth_gaussian(np.unwrap(2.0 * np.arctan2(turn[:, 2], turn[:, 0])), self.motion.rate, SLOWLY)
        return rotations.from_rotation_vector(angle[:, None] * UP)
