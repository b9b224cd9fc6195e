"""Limbs that bring points to their targets, exactly where they are long enough: two bones, one hinge.

A point with an orientation has the hand or foot placed as a whole. One without is carried by the lower bone, with the
wrist as it is: then the second bone goes from the elbow to the point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.reach.limb import LimbChain, farthest_and_nearest, limb_of
from kinesphere.body.shape_solver.constraints import PointConstraint
from kinesphere.body.shape_solver.model import ShapeModel
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, norms

HANGING = 0.65  # of what a trunk turns that arms do not turn with it
LONGEST = 0.9999  # of its length that a limb reaches, unless it already did more


class LimbTask(NamedTuple):
    """A limb with a point that has a target."""

    limb: LimbChain
    name: str  # such as leftHand
    point: PointConstraint

    @property
    def is_arm(self) -> bool:
        """Whether it is an arm."""
        return self.name.endswith("Hand")


class LimbRows(NamedTuple):
    """``M`` points on limbs in ``T`` frames, for native loops."""

    upper: Ints  # (M,) joints
    lower: Ints  # (M,)
    end: Ints  # (M,)
    joint: Ints  # (M,) that the point is fixed in
    attached: Bools  # (M,) whether the end is a descendant of the lower bone
    again: Bools  # (M,) whether another point before it is on the same limb
    turned: Bools  # (M,) whether the joint has an orientation to keep
    hinges: Floats  # (M, 3) in the upper joints' axes
    senses: Floats  # (M, 2) how far a limb may be bent backward, and the sense in which it comes around
    offsets: Floats  # (M, 3)
    targets: Floats  # (M, T, 3)
    weights: Floats  # (M, T)
    facings: Floats  # (M, T, 4)
    reaches: Floats  # (M, T, 2) metres from the limb's start, the least and the most

    def at(self, frames: Ints) -> LimbRows:
        """The same in some frames."""

        def some(values: Floats) -> Floats:
            return np.take(values, frames, axis=1)

        return self._replace(
            targets=some(self.targets),
            weights=some(self.weights),
            facings=some(self.facings),
            reaches=some(self.reaches),
        )


def limb_tasks(
    model: ShapeModel, points: tuple[PointConstraint, ...], q: Floats, p: Floats
) -> tuple[tuple[int, LimbTask], ...]:
    """Tasks of the points that limbs carry, with their places among the points, from world poses as they are given."""
    found: list[tuple[int, LimbTask]] = []
    chains: dict[str, LimbChain] = {}
    for place, point in enumerate(points):
        name = model.ends.get(point.joint)
        if name is None or not point.weight.any():
            continue
        if name not in chains:
            chains[name] = limb_of(model.body.skeleton, name, q, p)._replace(longest=LONGEST, softness=0.0)
        found.append((place, LimbTask(chains[name], name, point)))
    return tuple(found)


def limb_rows(tasks: tuple[LimbTask, ...], q: Floats, p: Floats) -> LimbRows:
    """Tasks for native loops; ``q (T, J, 4)`` and ``p (T, J, 3)`` are the world of the given poses."""
    count, size = len(p), len(tasks)
    none = rotations.identity(count)
    reaches = np.empty((size, count, 2))
    for m, task in enumerate(tasks):
        start, middle = p[:, task.limb.upper], p[:, task.limb.lower]
        tip = p[:, task.limb.end]
        if task.point.orientation is None:
            tip = p[:, task.point.joint] + rotations.rotate(q[:, task.point.joint], task.point.offset)
        lengths = norms(middle - start), norms(tip - middle)
        far, near = farthest_and_nearest(task.limb, norms(tip - start), *lengths)
        reaches[m, :, 0], reaches[m, :, 1] = near, far
    facings = [none if task.point.orientation is None else task.point.orientation for task in tasks]
    names = [task.name for task in tasks]
    return LimbRows(
        np.array([task.limb.upper for task in tasks], dtype=np.intp),
        np.array([task.limb.lower for task in tasks], dtype=np.intp),
        np.array([task.limb.end for task in tasks], dtype=np.intp),
        np.array([task.point.joint for task in tasks], dtype=np.intp),
        np.array([task.limb.attached for task in tasks], dtype=bool),
        np.array([name in names[:m] for m, name in enumerate(names)], dtype=bool),
        np.array([task.point.orientation is not None for task in tasks], dtype=bool),
        np.array([task.limb.hinge for task in tasks]).reshape(size, 3),
        np.array([(task.limb.backward, task.limb.outward_sign) for task in tasks]).reshape(size, 2),
        np.array([task.point.offset for task in tasks]).reshape(size, 3),
        np.array([task.point.target for task in tasks]).reshape(size, count, 3),
        np.array([task.point.weight for task in tasks]).reshape(size, count),
        np.array(facings).reshape(size, count, 4),
        reaches,
    )


def hang_arms(model: ShapeModel, given: Floats, local: Floats) -> None:
    """Let arms keep a share of their orientation in the world where trunks have turned, in place.

    ``given (T, J, 4)`` are the world rotations before. An arm hangs down from a bent back, it does not fly behind it.
    """
    _native.shape_limbs.hang_joints(model.body.skeleton.parents, model.arms, given, HANGING, local)


def place_limbs(model: ShapeModel, rows: LimbRows, local: Floats, translations: Floats) -> None:
    """Bring points to their targets, in poses ``(T, J, ...)`` that change in place."""
    _native.shape_limbs.place_limbs(model.body.skeleton.parents, rows, local, translations)
