"""Curves passed through a shaping function: capped, exaggerated, waved, held in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body import limits
from kinesphere.body.bodies import motion_with_roles
from kinesphere.body.limits import NEEDED, hinges_of
from kinesphere.files.errors import MotionFileWarning
from kinesphere.kernels import compiled, rotations, shaping, winding
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.kernels.hinges import Hinge, shape_hinge
from kinesphere.motion.gesture import unknown
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.telling import tell
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit
from kinesphere.signals.shaping import Shaping, shaping_called

By = Literal["clip", "joint"]
NARROW = 1e-9  # radians or metres: what moves by less is constant
PROBABLE = float(np.radians(60.0))  # that a joint goes past its limits; more, and they are not this body's


class LimitsDontFit(MotionFileWarning):
    """Limits of some joints are not known well enough on this body; these joints stay as they are."""


@dataclass(frozen=True)
class Waveshape(Edit):
    """Values of curves turned into other values, frame by frame.

    Parameters
    ----------
    shape
        A shaping function, or the name of one of ours (see ``shaping.shapes``).
    amount
        From 0, nothing, to 1, all of it.
    by
        What −1 and 1 mean to the function. "clip": the least and the greatest that each curve does in this clip.
        "joint": what the joint can do, as flexion, side and twist from limit to limit; joints whose limits are not
        known (fingers, the hips) stay as they are, and so do those that limits don't fit, which is told: joints that
        are at or past them in most frames, or past them by more than 60° in any.
        ``Waveshape("limits", by="joint")`` brings joints softly to their limits and leaves what is well inside alone.
    root
        Whether heading and path are shaped, too. They have no limits, hence only by clip.
    """

    shape: str | Shaping = "identity"
    amount: float = 1.0
    by: By = "clip"
    root: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.shape, str | Shaping):
            raise TypeError(f"shape is {self.shape!r}; a Shaping or a name is expected")
        if isinstance(self.shape, str):
            shaping_called(self.shape)
        if not 0.0 <= self.amount <= 1.0:
            raise ValueError(f"amount is {self.amount!r}; 0 to 1 is allowed")
        if self.by not in get_args(By):
            raise ValueError(unknown("range", str(self.by), get_args(By)))
        if self.root and self.by == "joint":
            raise ValueError("root=True with by='joint': heading and path have no limits to be shaped by")

    @property
    def shaping(self) -> Shaping:
        """The shaping function."""
        return shaping_called(self.shape) if isinstance(self.shape, str) else self.shape

    @property
    def neutral(self) -> bool:
        return self.amount == 0.0 or self.shaping.identity

    def changed(self, curves: Curves, joints: Bools) -> Floats:
        if self.by == "joint":
            return self._by_joint(curves, joints)
        centre, half = shaping.spans(curves.table)
        half[half < NARROW] = 0.0
        half[~joints[curves.owners]] = 0.0
        if not self.root:
            half[3 * len(curves.about) :] = 0.0
        table = shaping.shaped(curves.table, centre, half, self.shaping.curve, self.amount)
        if not self.root and joints[curves.carrier]:
            _keep_heading(curves, table)
        return table

    def _by_joint(self, curves: Curves, joints: Bools) -> Floats:
        motion = motion_with_roles(curves.motion, NEEDED, "shaping by what joints can do")
        known, table = _known(motion.skeleton), curves.table.copy()
        local, softly = motion.rotations[:, known.joints], shaping_called("limits")
        limiting = self.shaping == softly

        def shape(hinge: Hinge) -> bool:
            """Whether limits fit the joint, by what they would do to it; it stays as it is if they don't."""
            row, own = int(hinge.path[-1]), int(known.joints[hinge.path[-1]])
            was, about = motion.rotations[:, own], curves.about[own]
            columns = table[:, 3 * own : 3 * own + 3]
            amount = self.amount if limiting else 1.0
            shape_hinge(local, columns, about, hinge, softly.curve, amount)
            fits = _fit(was, local[:, row], amount)
            if not (fits and limiting):
                local[:, row], columns[:] = was, curves.table[:, 3 * own : 3 * own + 3]
                if fits:
                    shape_hinge(local, columns, about, hinge, self.shaping.curve, self.amount)
            return fits

        left: list[int] = []
        for level in known.levels:
            some = [hinge for hinge in level if joints[known.joints[hinge.path[-1]]]]
            fitting = compiled.share_work(shape, some)
            left += [int(known.joints[one.path[-1]]) for one, fit in zip(some, fitting, strict=True) if not fit]
        if left:
            name = f"{motion.name}: " if motion.name else ""
            names = ", ".join(motion.skeleton.names[joint] for joint in sorted(left))
            kept = f"{'it stays' if len(left) == 1 else 'they stay'} as before"
            tell(f"{name}the limits that are known don't fit {names} on this body; {kept}", LimitsDontFit)
        return table


def _fit(was: Floats, limited: Floats, amount: float) -> bool:
    """Whether limits fit a joint ``(T, 4)`` that they change so, by an ``amount``: in few frames, and not by much."""
    moved = np.count_nonzero((was[:, 0] != limited[:, 0]) | (was[:, 1] != limited[:, 1]))  # all else is the same bits
    if moved == 0:
        return True
    cosines = np.abs(np.einsum("ti,ti->t", was, limited))
    return bool(2 * moved <= len(was) and cosines.min() >= np.cos(0.5 * amount * PROBABLE))


class _Known(NamedTuple):
    """The joints of a skeleton whose limits are known, and those that they are measured along."""

    joints: Ints
    levels: tuple[list[Hinge], list[Hinge]]  # by number in ``joints``; each level needs the one before


_found: WeakKeyDictionary[Skeleton, _Known] = WeakKeyDictionary()


def _known(skeleton: Skeleton) -> _Known:
    """Worked out once for a skeleton."""
    if skeleton not in _found:
        limited = hinges_of(skeleton)
        joints = np.unique([joint for hinge in limited for joint in hinge.path])
        # Upper arms are measured past the shoulders, so those are shaped before them; all else is by itself.
        levels = ([_hinge(one, joints) for one in limited if (one.limit.cone is not None) == cone] for cone in (0, 1))
        first, second = levels
        _found[skeleton] = _Known(joints, (first, second))
    return _found[skeleton]


def _hinge(given: limits.Hinge, joints: Ints) -> Hinge:
    limit = given.limit
    axes = np.stack([given.bone, given.neutral, given.forward, given.side])
    ranges = np.array([limit.flexion, limit.side, limit.twist])
    return Hinge(np.searchsorted(joints, given.path), given.before, given.after, axes, ranges, limit.cone or 0.0)


def _keep_heading(curves: Curves, table: Floats) -> None:
    """Take out of the heading, in place, what the tilt has come to turn about the vertical."""
    if curves.up is None:
        return
    carrier, heading = curves.carrier, 3 * len(curves.about)
    own = table[:, None, 3 * carrier : 3 * carrier + 3]
    tilt = winding.wound(own, curves.about[carrier : carrier + 1])[:, 0]
    rest = curves.motion.skeleton.rest_rotations[carrier]
    table[:, heading] -= winding.heading(rotations.multiply(tilt, rotations.conjugate(rest)), curves.up)[0]
