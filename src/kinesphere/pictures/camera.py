"""Cameras: from the world to the image plane and to pixels, with perspective.

A ``Camera`` has a direction and a distance. A ``Shot`` aims it at a target and says where on the picture that falls.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from kinesphere.maths.vectors import Floats

View: TypeAlias = Literal["three-quarter", "front", "side", "back", "top"]
VIEWS: tuple[View, ...] = get_args(View)

# Degrees to the character's right of its facing direction, and above the horizon. Seen from its right side, the
# character faces the right edge of the picture: the direction of reading.
_ANGLES: dict[str, tuple[float, float]] = {
    "three-quarter": (38.0, 14.0),
    "front": (0.0, 7.0),
    "side": (90.0, 7.0),
    "back": (180.0, 7.0),
    "top": (0.0, 90.0),
}
_DISTANCE = 6.0  # body heights: far enough that near limbs don't grow out of proportion
_NEAR_PLANE = 0.02  # of the camera's distance: nearer surfaces are clipped


@dataclass(frozen=True)
class Camera:
    """A camera that looks at a target. Axes are unit vectors; ``back`` points from the target to the camera."""

    right: Floats
    up: Floats
    back: Floats
    distance: float

    def project(self, points: Floats, target: Floats) -> tuple[Floats, Floats]:
        """Positions on the image plane ``(…, 2)``, in metres right and up of the target, and magnification ``(…)``.

        Magnification is how much larger things appear than at the target: 1 there, more in front of it.
        """
        relative = points - target
        # Nothing may come behind the camera, however far a prop flies.
        depth = np.minimum(relative @ self.back, 0.7 * self.distance)
        magnification: Floats = self.distance / (self.distance - depth)
        plane = np.stack([relative @ self.right, relative @ self.up], axis=-1) * magnification[..., None]
        return plane, magnification


def camera_for(view: View, forward: Floats, height: float) -> Camera:
    """The camera of a view on a character of that height that faces ``forward`` (horizontal)."""
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
    return Camera(np.cross(up, back), up, back, _DISTANCE * height)


class Projection(NamedTuple):
    """A perspective projection, as kernels take it."""

    axes: Floats  # (3, 3) right, up and back, unit vectors in the world
    eye: Floats  # (3,) position of the camera
    focal: float  # samples on the picture for a slope of 1
    x: float  # where the optical axis meets the picture, in samples from the left
    y: float  # and from the top
    near: float  # depth of the near plane, metres


@dataclass(frozen=True, eq=False)
class Shot:
    """A camera aimed at a target, and the picture it makes."""

    camera: Camera
    target: Floats  # (3,)
    scale: float  # pixels per metre, at the target
    origin: tuple[float, float]  # the target's pixel, from the left and the top
    size: tuple[int, int]  # pixels

    def aim(self, target: Floats) -> Shot:
        """The same shot of another target."""
        return replace(self, target=target)

    def projection(self, supersampling: int = 1) -> Projection:
        """The projection onto a picture with that many samples along each side of a pixel."""
        camera = self.camera
        focal, x, y = (float(supersampling * v) for v in (self.scale * camera.distance, *self.origin))
        eye = self.target + camera.distance * camera.back
        axes = np.stack([camera.right, camera.up, camera.back])
        return Projection(axes, eye, focal, x, y, float(_NEAR_PLANE * camera.distance))

    def pixels(self, points: Floats) -> tuple[Floats, Floats]:
        """Pixels ``(…, 2)`` of points ``(…, 3)``, and 1 / depth ``(…)``; NaN for points behind the near plane."""
        view = self.projection()
        right, up, back = view.axes
        relative = points - view.eye
        depth = -(relative @ back)
        visible = depth > view.near
        inverse_depth = np.where(visible, 1.0, np.nan) / np.where(visible, depth, 1.0)
        x = view.x + view.focal * (relative @ right) * inverse_depth
        y = view.y - view.focal * (relative @ up) * inverse_depth
        return np.stack([x, y], axis=-1), inverse_depth


def to_camera(points: Floats, view: Projection) -> Floats:
    """Points ``(V, 3)`` of the world in the camera's frame: right, up, and depth in front of it."""
    x, y, z = (points[:, k] - view.eye[k] for k in range(3))
    placed = np.empty(points.shape)
    for k in range(3):
        axis = view.axes[k]
        placed[:, k] = x * axis[0] + y * axis[1] + z * axis[2]
    np.negative(placed[:, 2], out=placed[:, 2])
    return placed
