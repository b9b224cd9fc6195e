"""From the world to the picture plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from kinesphere.maths.vectors import Floats

View: TypeAlias = Literal["three-quarter", "front", "side", "back", "top"]
VIEWS: tuple[View, ...] = get_args(View)

# Degrees to the character's right from where it faces, and above the horizon. Seen from its right side it
# faces the right edge of the picture, the way we read.
_ANGLES: dict[str, tuple[float, float]] = {
    "three-quarter": (38.0, 14.0),
    "front": (0.0, 7.0),
    "side": (90.0, 7.0),
    "back": (180.0, 7.0),
    "top": (0.0, 90.0),
}
_LENS = 6.0  # distance over body height: long enough that near limbs don't grow out of proportion


@dataclass(frozen=True)
class Camera:
    """A camera that looks at a target. Axes are unit vectors; ``back`` points from there to the camera."""

    right: Floats
    up: Floats
    back: Floats
    distance: float

    def project(self, points: Floats, target: Floats) -> tuple[Floats, Floats]:
        """Places on the picture ``(…, 2)``, in metres right and up of the target, and nearness ``(…)``.

        Nearness is how much larger things appear than at the target: 1 there, more in front of it.
        """
        relative = points - target
        # Nothing may come behind the camera, however far a prop flies.
        depth = np.minimum(relative @ self.back, 0.7 * self.distance)
        nearness: Floats = self.distance / (self.distance - depth)
        plane = np.stack([relative @ self.right, relative @ self.up], axis=-1) * nearness[..., None]
        return plane, nearness


def camera_for(view: View, forward: Floats, height: float) -> Camera:
    """The camera that sees a character of that height, facing ``forward`` (horizontal), from a side."""
    if view not in _ANGLES:
        raise ValueError(f"view {view!r}; allowed: {', '.join(VIEWS)}")
    azimuth, elevation = np.radians(_ANGLES[view])
    upright = np.array([0.0, 1.0, 0.0])
    # Facing × up is the character's right.
    sideways = np.cross(forward, upright)
    level = np.cos(azimuth) * forward + np.sin(azimuth) * sideways
    back = np.cos(elevation) * level + np.sin(elevation) * upright
    up = np.cos(elevation) * upright - np.sin(elevation) * level
    if view == "top":
        up = forward  # seen from above, ahead is up the page
    return Camera(np.cross(up, back), up, back, _LENS * height)
