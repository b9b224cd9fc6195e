"""Figures' poses over time while they are being made: arrays that the parts of the body write into."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.proportions import skeleton as figure_skeleton
from kinesphere.figure.spans import RATE, Spans
from kinesphere.kernels import kinematics, rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, Ints
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

SIGN = {"left": 1.0, "right": -1.0}
BLOCK = 500_000  # numbers


@lru_cache(maxsize=16)
def body(height: float) -> Skeleton:
    """The figure's joints at this height."""
    return figure_skeleton(height)


@dataclass(eq=False)
class Pose:
    """Local rotations and translations of one figure or several in a row, at equal steps of time."""

    skeleton: Skeleton
    spans: Spans
    size: float  # of a figure 1.70 m tall
    local: Floats  # (F, J, 4)
    places: Floats  # (F, J, 3)
    scales: Floats | None = None  # (F, J, 3) of the surface
    spare: Floats | None = None  # memory for these
    stood: dict[str, Floats] = field(default_factory=dict)  # (F, 3) where each ankle was asked to be

    @classmethod
    def standing(cls, spans: Spans, height: float = HEIGHT) -> Pose:
        """The rest pose for as long as that takes."""
        skeleton = body(height)
        local, places, spare = _memory(len(spans), len(skeleton))
        # Rows at a time: NumPy is slow to spread four numbers.
        local.reshape(len(spans), -1)[:] = rotations.identity(len(skeleton)).ravel()
        places.reshape(len(spans), -1)[:] = skeleton.offsets.ravel()
        return cls(skeleton, spans, height / HEIGHT, local, places, spare=spare)

    def lent(self, spans: Spans) -> Pose:
        """A pose of fewer frames in this one's memory, for as long as this one does not need it."""
        return Pose(self.skeleton, spans, self.size, self.local[: len(spans)], self.places[: len(spans)])

    def turn(self, name: str, turned: Floats) -> None:
        """Set a joint's local rotation ``(F, 4)``."""
        self.local[:, self.skeleton.index(name)] = turned

    def world(self, joints: Ints | None = None) -> tuple[Floats, Floats]:
        """World rotations and positions as they are now: of all joints, or of these, parents being among them."""
        if joints is None:
            return kinematics.forward(self.local, self.places, self.skeleton.parents)
        order = np.full(len(self.skeleton) + 1, -1)
        order[joints] = np.arange(len(joints))
        parents = order[self.skeleton.parents[joints]]
        return kinematics.forward(self.local[:, joints], self.places[:, joints], parents)

    def scaled(self) -> Floats:
        """The surface's scales ``(F, J, 3)``, to write into."""
        if self.scales is None:
            self.unscaled()[:] = 1.0
        return self.unscaled()

    def unscaled(self) -> Floats:
        """Memory for the surface's scales ``(F, J, 3)``, all of which the caller writes."""
        if self.scales is None:
            self.scales = np.empty(self.places.shape) if self.spare is None else self.spare
        return self.scales

    def motions(self, names: list[str]) -> list[Motion]:
        """What has been made."""
        made = []
        for name, frames in zip(names, self.spans.slices(), strict=True):
            # Nobody else holds these: they need not be copied again.
            local, places = self.local[frames], frozen(self.places[frames])
            local = frozen(rotations.continuous(local) if rotations.turns_over(local) else local)
            scales = None if self.scales is None else frozen(self.scales[frames])
            made.append(Motion(self.skeleton, RATE, local, places, scales, name=name))
        return made


def _memory(frames: int, joints: int) -> list[Floats]:
    """Arrays ``(F, J, 4)``, ``(F, J, 3)`` and ``(F, J, 3)``.

    As one block while it is of a size that allocators keep for the next time, which fresh pages are not.
    """
    widths = (4, 3, 3)
    if frames * joints * sum(widths) > BLOCK:
        return [np.empty((frames, joints, width)) for width in widths]
    block, ends = np.empty(frames * joints * sum(widths)), np.cumsum(widths) * frames * joints
    starts = zip((0, *ends[:-1]), ends, widths, strict=True)
    return [block[a:b].reshape(frames, joints, width) for a, b, width in starts]


def turned(x: ArrayLike = 0.0, y: ArrayLike = 0.0, z: ArrayLike = 0.0) -> Floats:
    """Rotations ``(F, 4)`` by rotation vectors given by component: the components' order does not matter."""
    return rotations.from_rotation_vector(np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in (x, y, z))), -1))
