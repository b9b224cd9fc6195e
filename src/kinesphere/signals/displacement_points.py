"""Pose edits at frames: what a displacement is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from kinesphere.body.limb_displacement import MOVABLE
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.gesture import unknown
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

AXES = ("parent", "joint", "world")
FARTHEST = 1e4  # metres


@dataclass(frozen=True, kw_only=True)
class Point(ABC):
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
class Turn(Point):
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
class Target(Point):
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
    raise ValueError(f"{turn}: {unknown('joint', turn.joint, (*skeleton.roles, *skeleton.names))}")


def role_of(target: Target, skeleton: Skeleton) -> str:
    """The role of what is brought somewhere, which may be called by its own name."""
    if target.part in MOVABLE:
        return target.part
    for role in MOVABLE:
        if role in skeleton.roles and skeleton.names[skeleton.roles[role]] == target.part:
            return role
    raise ValueError(f"{target}: {unknown('part that can be brought somewhere', target.part, MOVABLE)}")


def point(given: Point | Mapping[str, Any]) -> Point:
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


def _numbers(whose: Point, name: str, given: Sequence[float], sizes: tuple[int, ...]) -> tuple[float, ...]:
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
