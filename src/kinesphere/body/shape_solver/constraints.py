"""What the body-shape solver may be asked for: points at targets, a gaze, a centre of mass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.maths.vectors import ArrayLike, Floats, as_floats, clip

ROUNDING = 1e-9  # beyond 0 and 1 that a weight may be


@dataclass(frozen=True, eq=False)
class PointConstraint:
    """A point fixed in a joint is at a target, and the joint may have to keep an orientation.

    Points of a hand or a foot, or of what they carry, are reached by the limb, and by the trunk where it is too short.
    """

    joint: int
    offset: Floats  # (3,) metres in the joint's own axes
    target: Floats  # (T, 3) in the world
    weight: Floats  # (T,) how far it holds: 0 not at all, 1 to a millimetre, between them that share of the way
    orientation: Floats | None = None  # (T, 4) of the joint in the world; None: it goes with the limb


@dataclass(frozen=True, eq=False)
class GazeConstraint:
    """The line of sight goes through a target."""

    target: Floats  # (T, 3)
    weight: Floats  # (T,)


@dataclass(frozen=True, eq=False)
class BalanceConstraint:
    """The centre of mass, seen from above, is at a target."""

    target: Floats | None  # (T, 2) x and z; None: where it is in the given pose, carried along by the feet
    weight: Floats  # (T,)


@dataclass(frozen=True, eq=False)
class ShapeConstraints:
    """All that a pose is asked for."""

    points: tuple[PointConstraint, ...] = ()
    gaze: GazeConstraint | None = None
    com: BalanceConstraint | None = None

    def checked(self, frames: int, joints: int) -> ShapeConstraints:
        """The same with arrays of the right shapes. Raises ``ValueError`` where one has another, or is not finite."""
        points = tuple(_check_point(f"points[{i}]", point, frames, joints) for i, point in enumerate(self.points))
        gaze, com = self.gaze, self.com
        if gaze is not None:
            target = _array("gaze.target", gaze.target, (frames, 3))
            gaze = GazeConstraint(target, _weights("gaze.weight", gaze.weight, frames))
        if com is not None:
            goal = None if com.target is None else _array("com.target", com.target, (frames, 2))
            com = BalanceConstraint(goal, _weights("com.weight", com.weight, frames))
        return ShapeConstraints(points, gaze, com)


def _check_point(name: str, point: PointConstraint, frames: int, joints: int) -> PointConstraint:
    if not 0 <= point.joint < joints:
        raise ValueError(f"{name} is of joint {point.joint}; allowed: 0 to {joints - 1}")
    orientation = point.orientation
    return PointConstraint(
        int(point.joint),
        _array(f"{name}.offset", point.offset, (3,)),
        _array(f"{name}.target", point.target, (frames, 3)),
        _weights(f"{name}.weight", point.weight, frames),
        None if orientation is None else _array(f"{name}.orientation", orientation, (frames, 4)),
    )


def _array(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = as_floats(values)
    if array.shape != shape:
        if array.shape != shape[1:]:
            raise ValueError(f"{name} has shape {array.shape}; {shape} is expected")
        array = np.broadcast_to(array, shape)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} is not finite; numbers are expected")
    return array


def _weights(name: str, values: ArrayLike, frames: int) -> Floats:
    array = _array(name, values, (frames,))
    if array.size and not (array.min() >= -ROUNDING and array.max() <= 1.0 + ROUNDING):
        raise ValueError(f"{name} goes from {array.min():g} to {array.max():g}; 0 to 1 is allowed")
    return np.asarray(clip(array, 0.0, 1.0))
