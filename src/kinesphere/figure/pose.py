"""A figure's pose over time while it is being made: arrays that the parts of the body write into."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.proportions import skeleton as figure_skeleton
from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import ArrayLike, Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

RATE = 60.0
SIGN = {"left": 1.0, "right": -1.0}


@dataclass(eq=False)
class Pose:
    """Local rotations and translations of the figure at equal steps of time."""

    skeleton: Skeleton
    time: Floats  # (T,) seconds
    loop: bool
    size: float  # of a figure 1.70 m tall
    local: Floats  # (T, J, 4)
    places: Floats  # (T, J, 3)
    scales: Floats | None = None  # (T, J, 3) of the surface
    stood: dict[str, Floats] = field(default_factory=dict)  # (T, 3) where each ankle was asked to be

    @classmethod
    def standing(cls, duration: float, loop: bool, height: float = HEIGHT) -> Pose:
        """The rest pose for as long as that takes."""
        skeleton = figure_skeleton(height)
        time = np.arange(round(duration * RATE) + 1) / RATE
        local = rotations.identity(len(time), len(skeleton))
        return cls(skeleton, time, loop, height / HEIGHT, local, np.tile(skeleton.offsets, (len(time), 1, 1)))

    def turn(self, name: str, turned: Floats) -> None:
        """Set a joint's local rotation ``(T, 4)``."""
        self.local[:, self.skeleton.index(name)] = turned

    def world(self) -> tuple[Floats, Floats]:
        """World rotations and positions as they are now."""
        return kinematics.forward(self.local, self.places, self.skeleton.parents)

    def motion(self, name: str) -> Motion:
        """What has been made."""
        return Motion(self.skeleton, RATE, rotations.continuous(self.local), self.places, self.scales, name=name)


def turned(x: ArrayLike = 0.0, y: ArrayLike = 0.0, z: ArrayLike = 0.0) -> Floats:
    """Rotations ``(T, 4)`` by rotation vectors given by component: the components' order does not matter."""
    return rotations.from_rotation_vector(np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in (x, y, z))), -1))
