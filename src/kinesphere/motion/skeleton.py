"""Skeletons: a tree of named joints with its rest pose, humanoid roles, bone tips and sole depths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints
from kinesphere.motion.checked_arrays import check_array, freeze, unit_quaternions


@dataclass(frozen=True)
class Tip:
    """The end of a bone that has no joint after it: a fingertip, the top of the head (an "End Site" in BVH)."""

    joint: int
    offset: tuple[float, float, float]  # in the joint's frame, metres


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints with their parents and rest pose, in metres, Y up.

    Parameters
    ----------
    names
        One name a joint, as the file had it. Names may repeat; ``index`` then refuses to guess.
    parents
        ``(J,)``, -1 for a root. A parent comes before its children.
    offsets
        ``(J, 3)``, each joint's position in its parent's frame at rest.
    rest_rotations
        ``(J, 4)``, local rotations at rest. Identity unless given.
    roles
        Humanoid role (VRM 1.0 bone name, such as ``leftUpperArm``) to joint index: as a file or a caller gave it, or
        a lazy mapping that is detected at its first access.
    tips
        Ends of bones beyond the last joint of a chain.
    soles
        Where a surface shows them, in metres at rest: depth of the sole below a foot's joint, by role (``leftFoot``),
        and how far the sole goes on in front of the joint and behind it (``leftFootFront``, ``leftFootBack``).
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    rest_rotations: Floats = field(default_factory=lambda: np.empty((0, 4)))
    roles: Mapping[str, int] = field(default_factory=dict)
    tips: tuple[Tip, ...] = ()
    soles: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = tuple(self.names)
        count = len(names)
        if count == 0:
            raise ValueError("a skeleton needs at least one joint")
        parents = np.array(self.parents, dtype=np.intp)
        if parents.shape != (count,):
            raise ValueError(f"parents: shape ({count},) expected for {count} names, found {parents.shape}")
        wrong = np.flatnonzero((parents >= np.arange(count)) | (parents < -1))
        if wrong.size:
            joint = int(wrong[0])
            raise ValueError(
                f"joint {joint} ({names[joint]!r}) has parent {parents[joint]}; "
                "a parent must come before its children, and -1 marks a root"
            )
        parents.flags.writeable = False
        given = np.asarray(self.rest_rotations, dtype=np.float64)
        given = given if given.size else rotations.identity(count)
        rest = unit_quaternions(check_array(given, "rest_rotations", (count, 4)), "rest_rotations")
        roles = self.roles if isinstance(self.roles, LazyRoles) else _check_roles(self.roles, count)
        for tip in self.tips:
            if not 0 <= tip.joint < count or not np.isfinite(tip.offset).all():
                raise ValueError(f"{tip} does not fit a skeleton of {count} joints")
        for name, value in (
            ("names", names),
            ("parents", parents),
            ("offsets", check_array(self.offsets, "offsets", (count, 3))),
            ("rest_rotations", rest),
            ("roles", roles),
            ("tips", tuple(self.tips)),
            ("soles", _check_soles(self.soles)),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Skeleton of {len(self)} joints from {self.names[0]!r}>"

    def __str__(self) -> str:
        """In a sentence."""
        return f"the skeleton of {len(self)} joints from {self.names[0]!r}"

    def __reduce__(self) -> tuple[object, ...]:
        """Batches send skeletons between processes; a mapping proxy does not pickle by itself."""
        arrays = (self.parents, self.offsets, self.rest_rotations)
        return (Skeleton, (self.names, *arrays, dict(self.roles), self.tips, dict(self.soles)))

    def index(self, name: str) -> int:
        """The joint of that name. Unknown or ambiguous names raise ``KeyError`` with what there is."""
        known = self._unique_names.get(name)
        if known is not None:
            return known
        found = [i for i, other in enumerate(self.names) if other == name]
        if found:
            raise KeyError(f"{len(found)} joints are called {name!r}: {found}; use an index")
        raise KeyError(f"no joint is called {name!r}; there are: {', '.join(self.names)}")

    @cached_property
    def _unique_names(self) -> dict[str, int]:
        """Name to joint, for names that only one joint has."""
        count = Counter(self.names)
        return {name: i for i, name in enumerate(self.names) if count[name] == 1}

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint, its children."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                lists[parent].append(joint)
        return tuple(tuple(children) for children in lists)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Joints without a parent."""
        return tuple(np.flatnonzero(self.parents < 0).tolist())

    @cached_property
    def bone_lengths(self) -> Floats:
        """``(J,)``, distance of each joint from its parent at rest; 0 for roots."""
        lengths: Floats = np.linalg.norm(self.offsets, axis=1)
        lengths[self.parents < 0] = 0.0
        lengths.flags.writeable = False
        return lengths

    def rest_world(self) -> tuple[Floats, Floats]:
        """World rotations ``(J, 4)`` and positions ``(J, 3)`` of the rest pose."""
        return self._rest_world

    @cached_property
    def _rest_world(self) -> tuple[Floats, Floats]:
        q, p = kinematics.forward(self.rest_rotations, self.offsets, self.parents)
        return freeze(q), freeze(p)

    def rest_is_plain(self) -> bool:
        """Whether every joint's axes are the world's at rest, as in BVH files."""
        return bool(np.abs(self.rest_rotations[:, 1:]).max() < 1e-12)

    def scaled(self, factor: float) -> Skeleton:
        """The same skeleton, larger or smaller by a factor."""
        tips = tuple(Tip(tip.joint, _scale(tip.offset, factor)) for tip in self.tips)
        soles = {role: depth * factor for role, depth in self.soles.items()}
        return replace(self, offsets=self.offsets * factor, tips=tips, soles=soles)

    def with_found_roles(self, poses: Callable[[], Floats] | None = None) -> Skeleton:
        """The same skeleton with its own roles or, if it has none, lazily detected ones.

        ``poses`` gives world positions ``(T, J, 3)``, which are looked at where names and the rest pose leave doubts.
        """
        return self if self.roles else replace(self, roles=LazyRoles(self, poses))

    def renamed(self, names: Sequence[str]) -> Skeleton:
        """The same skeleton with other names."""
        return replace(self, names=tuple(names))

    def descendants(self, joint: int) -> list[int]:
        """The joint and all joints below it, in their order."""
        found = [joint]
        for other in range(joint + 1, len(self)):
            if self.parents[other] in found:
                found.append(other)
        return found

    def same_tree(self, other: Skeleton) -> bool:
        """Whether names and parents agree, so that poses of one fit the other."""
        return self.names == other.names and bool(np.array_equal(self.parents, other.parents))


def _check_roles(given: Mapping[str, int], count: int) -> Mapping[str, int]:
    roles = {role: int(joint) for role, joint in dict(given).items()}
    for role, joint in roles.items():
        if not 0 <= joint < count:
            raise ValueError(f"role {role!r} names joint {joint}; allowed: 0 to {count - 1}")
    return MappingProxyType(roles)


def _check_soles(given: Mapping[str, float]) -> Mapping[str, float]:
    soles = {role: float(depth) for role, depth in dict(given).items()}
    for role, depth in soles.items():
        if not 0.0 <= depth < np.inf:
            raise ValueError(f"the sole of {role!r} is {depth} from its joint; a distance of 0 or more is expected")
    return MappingProxyType(soles)


def _scale(offset: Sequence[float] | ArrayLike, factor: float) -> tuple[float, float, float]:
    x, y, z = (float(v) * factor for v in np.asarray(offset))
    return (x, y, z)


class LazyRoles(Mapping[str, int]):
    """A lazy mapping of humanoid roles, detected at its first access; empty where detection is in doubt.

    Most motions are read and written without roles, and detection takes longer than reading a short file.
    """

    def __init__(self, skeleton: Skeleton, poses: Callable[[], Floats] | None = None) -> None:
        self._skeleton = skeleton  # one that has no roles of its own
        self._poses = poses

    @cached_property
    def _roles(self) -> dict[str, int]:
        from kinesphere.motion.roles import find_roles
        from kinesphere.motion.roles.rolemap import CLEAR, SURE

        found, least = find_roles(self._skeleton), SURE
        if self._poses is not None and (not found.is_humanoid or found.overall < SURE):
            with np.errstate(all="ignore"):  # absurd sizes may overflow
                positions = self._poses()
            if np.isfinite(positions).all():
                found, least = find_roles(self._skeleton, positions=positions), CLEAR
        return dict(found.roles) if found.is_humanoid and found.overall >= least else {}

    def __getitem__(self, role: str) -> int:
        return self._roles[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._roles)

    def __len__(self) -> int:
        return len(self._roles)

    def __repr__(self) -> str:
        return repr(self._roles)
