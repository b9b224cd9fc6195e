"""Curves passed through a shaping function: capped, exaggerated, waved, held in steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.bodies import motion_with_roles
from kinesphere.body.limits import NEEDED, TINY, _Hinge, _hinges
from kinesphere.kernels import rotations, shaping, winding
from kinesphere.kernels.arrays import Bools, Floats, lengths, within
from kinesphere.motion.gesture import unknown
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit
from kinesphere.signals.shaping import Shaping, shaping_called

By = Literal["clip", "joint"]
NARROW = 1e-9  # radians or metres: what moves by less is constant
FULL = 2.0 * np.pi
_found: WeakKeyDictionary[Skeleton, list[_Hinge]] = WeakKeyDictionary()


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
        local, table = motion.rotations.copy(), curves.table.copy()
        hinges = [hinge for hinge in _known(motion.skeleton) if joints[hinge.path[-1]]]
        # Upper arms are measured past the shoulders, so those are shaped before them; all else is by itself.
        for cone in (False, True):
            some = [hinge for hinge in hinges if (hinge.limit.cone is not None) == cone]
            if not some:
                continue
            own = [hinge.path[-1] for hinge in some]
            turn, after = _turns(some, local), np.stack([hinge.after for hinge in some])
            back = rotations.multiply(rotations.conjugate(turn), self._shaped_turns(some, turn))
            more = rotations.multiply(rotations.multiply(rotations.conjugate(after), back), after)
            local[:, own] = rotations.multiply(local[:, own], more)
            columns = (3 * np.array(own)[:, None] + np.arange(3)).ravel()
            before = table[:, columns].reshape(len(table), -1, 3)
            moved = lengths(more[..., 1:])[..., None] > TINY
            nearest = _nearest(local[:, own], curves.about[own], before)
            table[:, columns] = np.where(moved, nearest, before).reshape(len(table), -1)
        return table

    def _shaped_turns(self, hinges: list[_Hinge], turn: Floats) -> Floats:
        """``(T, H, 4)`` turns from rest with their flexion, side and twist shaped: all with a cone, or none."""
        bone, neutral, forward, side = (
            np.stack([getattr(hinge, name) for hinge in hinges]) for name in ("bone", "neutral", "forward", "side")
        )
        pointing, limits = rotations.rotate(turn, bone), [hinge.limit for hinge in hinges]
        cones = [limit.cone for limit in limits if limit.cone is not None]
        if cones:
            swing = rotations.to_rotation_vector(rotations.between(neutral, pointing))
            size = lengths(swing)
            ends = [(-cone, cone) for cone in cones]
            wanted = self._within(size, ends) - self._within(np.zeros((1, len(ends))), ends)
            swing = swing * (wanted / np.maximum(size, 1e-12))[..., None]
            towards = rotations.rotate(rotations.from_rotation_vector(swing), neutral)
        else:
            x, y, z = (np.einsum("thi,hi->th", pointing, axis) for axis in (neutral, forward, side))
            middle = np.array([0.5 * sum(limit.flexion) for limit in limits])
            bent = middle + (np.arctan2(y, x) - middle + np.pi) % FULL - np.pi
            flexion = self._within(bent, [limit.flexion for limit in limits])[..., None]
            aside = self._within(np.arcsin(within(z, -1.0, 1.0)), [limit.side for limit in limits])[..., None]
            towards = np.cos(aside) * (np.cos(flexion) * neutral + np.sin(flexion) * forward) + np.sin(aside) * side
        angle = np.unwrap(2.0 * np.arctan2(np.einsum("thi,hi->th", turn[..., 1:], bone), turn[..., 0]), axis=0)
        angle = self._within(
            angle - FULL * np.round(np.median(angle, axis=0) / FULL), [limit.twist for limit in limits]
        )
        about = rotations.from_rotation_vector(angle[..., None] * bone)
        return rotations.multiply(rotations.between(bone, towards), about)

    def _within(self, angles: Floats, ends: list[tuple[float, float]]) -> Floats:
        """Angles ``(T, H)`` shaped between the ends of their ranges."""
        low, high = np.array(ends).T
        return shaping.shaped(angles, 0.5 * (low + high), 0.5 * (high - low), self.shaping.curve, self.amount)


def _keep_heading(curves: Curves, table: Floats) -> None:
    """Take out of the heading, in place, what the tilt has come to turn about the vertical."""
    if curves.up is None:
        return
    carrier, heading = curves.carrier, 3 * len(curves.about)
    tilt = winding.wound(table[:, 3 * carrier : 3 * carrier + 3], curves.about[carrier])
    rest = curves.motion.skeleton.rest_rotations[carrier]
    table[:, heading] -= winding.heading(rotations.multiply(tilt, rotations.conjugate(rest)), curves.up)[0]


def _known(skeleton: Skeleton) -> list[_Hinge]:
    """The joints of a skeleton whose limits are known, worked out once."""
    if skeleton not in _found:
        _found[skeleton] = _hinges(skeleton)
    return _found[skeleton]


def _turns(hinges: list[_Hinge], local: Floats) -> Floats:
    """``(T, H, 4)`` how joints are turned from rest, as what they are measured against sees it."""
    longest = max(len(hinge.path) for hinge in hinges)
    turn = np.broadcast_to(np.stack([hinge.before for hinge in hinges]), (len(local), len(hinges), 4))
    for step in range(longest):
        here = local[:, [hinge.path[min(step, len(hinge.path) - 1)] for hinge in hinges]]
        here[:, [step >= len(hinge.path) for hinge in hinges]] = rotations.identity()
        turn = rotations.multiply(turn, here)
    return rotations.multiply(turn, rotations.conjugate(np.stack([hinge.after for hinge in hinges])))


def _nearest(turns: Floats, about: Floats, before: Floats) -> Floats:
    """``(T, H, 3)`` the rotation vectors of turns from ``about (H, 4)`` that are nearest to those before."""
    vectors = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(about), turns))
    size = lengths(vectors)[..., None]
    axis = np.where(size > 1e-9, vectors / np.maximum(size, 1e-12), 0.0)
    rounds = np.round((np.sum(before * axis, axis=-1, keepdims=True) - size) / FULL)
    return np.asarray(axis * (size + FULL * rounds))
