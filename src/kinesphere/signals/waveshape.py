"""Curves passed through a shaping function: capped, exaggerated, waved, held in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body import limits
from kinesphere.body.bodies import motion_with_roles
from kinesphere.body.limits import NEEDED, hinges_of
from kinesphere.kernels import compiled, rotations, shaping, winding
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.kernels.hinges import Hinge, shape_hinge
from kinesphere.motion.gesture import unknown
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit
from kinesphere.signals.shaping import Shaping, shaping_called

By = Literal["clip", "joint"]
NARROW = 1e-9  # radians or metres: what moves by less is constant


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
        known (fingers, the hips) stay as they are. ``Waveshape("limits", by="joint")`` brings joints softly to their
        limits and leaves what is well inside alone.
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
        local = motion.rotations[:, known.joints]
        for level in known.levels:
            some = [hinge for hinge in level if joints[known.joints[hinge.path[-1]]]]

            def shape(hinge: Hinge) -> None:
                own = int(known.joints[hinge.path[-1]])
                columns = table[:, 3 * own : 3 * own + 3]
                shape_hinge(local, columns, curves.about[own], hinge, self.shaping.curve, self.amount)

            compiled.share_work(shape, some)
        return table


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
