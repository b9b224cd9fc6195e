"""A camera with its place in the picture, for surfaces."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures.camera import Camera

_NEAREST = 0.02  # of the camera's distance: what comes closer is cut off


@dataclass(frozen=True, eq=False)
class Shot:
    """One picture to take: the camera, what it looks at, and how large that is."""

    camera: Camera
    target: Floats  # (3,)
    scale: float  # pixels a metre, at the target
    origin: tuple[float, float]  # where the target falls, in pixels from the left and the top
    size: tuple[int, int]  # pixels

    def towards(self, target: Floats) -> Shot:
        """The same shot of another place."""
        return replace(self, target=target)

    def frame(self) -> Floats:
        """``(4, 3)``: right, up, back, and where the camera is."""
        eye = self.target + self.camera.distance * self.camera.back
        return np.stack([self.camera.right, self.camera.up, self.camera.back, eye])

    def optics(self, finer: int = 1) -> Floats:
        """Pixels a unit of slope, the pixel looked at, and the nearest depth, with so many samples a pixel's side."""
        focal = self.scale * self.camera.distance
        return np.array([*(finer * v for v in (focal, *self.origin)), _NEAREST * self.camera.distance])

    def pixels(self, points: Floats, finer: int = 1) -> tuple[Floats, Floats]:
        """Where points fall ``(…, 2)``, and 1 / depth. Points behind the camera are not numbers."""
        right, up, back, eye = self.frame()
        focal, x0, y0, near = self.optics(finer)
        relative = points - eye
        depth = -(relative @ back)
        nearness = np.where(depth > near, 1.0, np.nan) / np.where(depth > near, depth, 1.0)
        x = x0 + focal * (relative @ right) * nearness
        y = y0 - focal * (relative @ up) * nearness
        return np.stack([x, y], axis=-1), nearness
