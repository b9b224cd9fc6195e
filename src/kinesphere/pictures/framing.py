"""How large, and where in the picture: the figures as large as they fit, on one scale, with floor below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures.camera import Camera, View, camera_for
from kinesphere.pictures.performer import Performer
from kinesphere.pictures.shot import Shot

_ABOVE, _BELOW, _BESIDE = 0.06, 0.07, 0.05  # shares of a panel that stay free


@dataclass(frozen=True, eq=False)
class Extent:
    """What all poses of some performers take up on the picture plane, in metres from the target."""

    cameras: tuple[Camera, ...]
    low: Floats  # (2,)
    high: Floats

    @property
    def size(self) -> Floats:
        """Width and height."""
        return self.high - self.low

    def scale(self, panel: tuple[int, int]) -> float:
        """Pixels a metre with which everything fits into a panel."""
        wide, high = panel[0] * (1.0 - 2.0 * _BESIDE), panel[1] * (1.0 - _ABOVE - _BELOW)
        return float(min(wide / self.size[0], high / self.size[1]))

    def shot(self, number: int, panel: tuple[int, int], scale: float | None = None) -> Shot:
        """The shot of one performer. Feet are near the lower edge, whatever room is left above."""
        scale = self.scale(panel) if scale is None else scale
        middle = 0.5 * (self.low + self.high)
        free = panel[1] * (1.0 - _ABOVE - _BELOW) - scale * self.size[1]
        camera = self.cameras[number]
        lift = 0.5 * free if camera.back[1] > 0.9 else 0.35 * free
        down = panel[1] * (1.0 - _BELOW) - lift + scale * float(self.low[1])
        origin = (0.5 * panel[0] - scale * float(middle[0]), down)
        return Shot(camera, np.zeros(3), scale, origin, panel)


def extent_of(performers: Sequence[Performer], view: View, moments: Sequence[Sequence[float]] | None = None) -> Extent:
    """Look at all poses; with ``moments`` at each performer's first one (on its own clock), to which the camera turns,
    and at the others as they are seen from there."""
    cameras = tuple(camera_for(view, one.forward, one.height) for one in performers)
    lows, highs = [], []
    for number, (one, camera) in enumerate(zip(performers, cameras, strict=True)):
        looks = [(one.target(time), vertices) for time, vertices in one.looks]
        if moments is not None:
            target = one.target(moments[number][0])
            looks = [(target, one.surface(time).points) for time in moments[number]]
        for target, vertices in looks:
            plane, _ = camera.project(vertices, target)
            # The floor under the feet is always in the picture.
            feet, _ = camera.project(np.array([target[0], one.floor, target[2]]), target)
            lows.append(np.minimum(np.nanmin(plane, axis=0), feet))
            highs.append(np.nanmax(plane, axis=0))
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    least = 0.3 * max(one.height for one in performers)
    spread = np.maximum(0.5 * (least - (high - low)), 0.0)
    return Extent(cameras, low - spread, high + spread)
