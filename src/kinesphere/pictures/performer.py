"""Animated character for rendering: a motion on a skin, posed at any time, with floor and camera path."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from kinesphere.body.ground import find_ground, leg_length
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.builtin.characters import HEIGHTS, figure
from kinesphere.engine.proportions import HEIGHT
from kinesphere.maths import kinematics
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import REQUIRED
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import pose_at_times
from kinesphere.pictures.bones import StickFigure, joints_below
from kinesphere.pictures.manikin import manikin
from kinesphere.pictures.scene import find_scene, floor_to_draw, frames_to_show, spread_frames
from kinesphere.pictures.surface import Skin, Surface, make_skin

_EVEN_POSES, _DISTINCT_POSES = 16, 12  # even moments measure the floor; those unlike each other must fit as well
_LOW_PERCENTILE = 20.0  # of these poses may reach below the floor: soles of captures sink in at times
_STANDING_GAP = 0.35  # body heights that soles may be above the lowest part, such as long arms, and still stand
_CAMERA_SIGMA = 0.45  # seconds, of the Gaussian that smooths the camera's path


@dataclass(frozen=True, eq=False)
class Performer:
    """A motion on a character, ready to be drawn at any time."""

    name: str
    motion: Motion  # on the character's skeleton
    skin: Skin
    figure: StickFigure
    start: float  # seconds, the first performed frame
    end: float
    ground: float  # height of what the body stands on
    floor: float  # height of the floor that is drawn
    height: float
    forward: Floats  # (3,) where it faces on average
    travels: bool
    joints: dict[str, int]  # by role and by name, also by the names that the motion itself has for them
    positions: Floats  # (T, J, 3)
    camera_path: Floats  # (T, 2) the camera's target over the floor
    even_poses: tuple[tuple[float, Floats], ...]  # times and vertices of a few poses, at even times
    distinct_times: tuple[float, ...]  # of distinct poses, which tend to include ends of strokes

    @property
    def duration(self) -> float:
        """Seconds that are performed."""
        return self.end - self.start

    def clock(self, seconds: Floats) -> Floats:
        """The motion's own times for seconds since the performance began; after its end it stays as it is."""
        return self.start + np.clip(seconds, 0.0, self.duration)

    def target(self, time: float) -> Floats:
        """The camera's target: the middle of the body, over the smooth path."""
        x, z = resample_vectors(self.camera_path, np.array([time * self.motion.rate]))[0]
        return np.array([x, self.ground + 0.5 * self.height, z])

    def trace(self, joints: Sequence[int], times: Floats) -> Floats:
        """``(N, n, 3)`` positions of some joints at times ``(N,)``."""
        if not len(times):
            return np.empty((0, len(joints), 3))
        return resample_vectors(self.positions[:, list(joints)], times * self.motion.rate)

    def points(self, time: float) -> Floats:
        """``(V, 3)`` the surface's vertices at one time."""
        return _vertices(self.motion, self.skin, time)

    def surface(self, time: float) -> Surface:
        """The surface at one time."""
        return self.skin.pose(*_pose(self.motion, time))


def make_performer(motion: Motion, character: Character | None = None, *, clay: bool = False) -> Performer:
    """The motion on a character. It is retargeted where the character has another skeleton.

    ``clay`` leaves out textures, and all of its material but one colour a mesh.
    """
    shown, shown_on = _put_on_character(motion, character)
    skin = make_skin(shown_on, clay=clay)
    scene = find_scene(shown, _DISTINCT_POSES)
    performed = frames_to_show(shown)
    start, end = float(performed[0]) / shown.rate, float(performed[-1]) / shown.rate
    even = spread_frames(performed, _EVEN_POSES)
    poses = [(frame / shown.rate, _vertices(shown, skin, frame / shown.rate)) for frame in even.tolist()]
    if not all(np.isfinite(vertices).all(axis=1).any() for _, vertices in poses):
        raise ValueError(f"{motion}: a surface without a single finite vertex cannot be drawn")
    tall = float(np.median([np.nanmax(vertices[:, 1]) - np.nanmin(vertices[:, 1]) for _, vertices in poses]))
    height = max(scene.figure.height, tall, 1e-3)
    ground = _find_ground(shown, skin, scene.figure, [vertices for _, vertices in poses], height)
    positions = shown.positions_world()
    root_path = positions[:, scene.figure.base][:, [0, 2]]
    return Performer(
        name=motion.name or "Motion",
        motion=shown,
        skin=skin,
        figure=scene.figure,
        start=start,
        end=end,
        ground=ground,
        floor=floor_to_draw(ground, height),
        height=height,
        forward=scene.forward,
        travels=scene.travels,
        joints=_joints_by_name(motion.skeleton, shown.skeleton),
        positions=positions,
        camera_path=_smooth_path(root_path, performed[0], shown.rate, scene.travels),
        even_poses=tuple(poses),
        distinct_times=tuple(frame / shown.rate for frame in np.setdiff1d(scene.panel_frames, even).tolist()),
    )


def _find_ground(motion: Motion, skin: Skin, figure: StickFigure, poses: list[Floats], height: float) -> float:
    """The ground that the feet are in contact with, where the body's soles are known.

    Else the usual lowest point of the feet's surface; of a body that stands on something else, its usual lowest point.
    """
    lowest = float(np.percentile([np.nanmin(vertices[:, 1]) for vertices in poses], _LOW_PERCENTILE))
    if motion.skeleton.soles:
        with suppress(ValueError):
            ground = find_ground(motion).height
            if abs(ground - lowest) < _STANDING_GAP * height:
                return ground
    feet = sorted({*figure.feet, *joints_below(motion.skeleton, list(figure.feet))})
    main_joint = [mesh.joints[np.arange(len(mesh.joints)), mesh.weights.argmax(axis=1)] for mesh in skin.meshes]
    soles = np.isin(np.concatenate(main_joint), feet)
    soles &= np.isfinite(poses[0]).all(axis=1)
    if not soles.any():
        return lowest
    standing = float(np.percentile([np.nanmin(vertices[soles, 1]) for vertices in poses], _LOW_PERCENTILE))
    return standing if standing - lowest < _STANDING_GAP * height else lowest


def _put_on_character(motion: Motion, character: Character | None) -> tuple[Motion, Character]:
    """The one place that decides who shows a motion: the character given, else our figure in the motion's size.

    What is no humanoid is shown as a manikin of its own bones.
    """
    if character is None and all(role in motion.skeleton.roles for role in REQUIRED):
        height = leg_length(motion.skeleton) / leg_length(figure().skeleton) * HEIGHT
        character = figure(float(np.clip(round(height, 3), *HEIGHTS)))
    if character is None:
        return motion, manikin(motion.skeleton)
    shown = motion if character.skeleton.same_tree(motion.skeleton) else retarget(motion, character)
    return shown, character if character.meshes else manikin(character.skeleton)


def _joints_by_name(own: Skeleton, shown: Skeleton) -> dict[str, int]:
    """Joints of the body that is shown, by role and by the names of both skeletons."""
    same = {own.names[joint]: shown.roles[role] for role, joint in own.roles.items() if role in shown.roles}
    return {**same, **{name: joint for joint, name in enumerate(shown.names)}, **shown.roles}


def _vertices(motion: Motion, skin: Skin, time: float) -> Floats:
    pose = _pose(motion, time)
    return np.concatenate([mesh.posed(*pose) for mesh in skin.meshes])


def _pose(motion: Motion, time: float) -> tuple[Floats, Floats, Floats | None]:
    """World rotations and positions of all joints at a time, and scales where there are any."""
    # A few frames around are enough: a cubic uses one frame beyond those it runs between.
    first = int(np.clip(np.floor(time * motion.rate) - 2, 0, max(len(motion) - 6, 0)))
    near = motion[first : first + 6]
    q, t, s = pose_at_times(near, np.array([time - first / motion.rate]))
    rotations_world, positions_world = kinematics.forward(q, t, motion.skeleton.parents)
    return rotations_world[0], positions_world[0], None if s is None else s[0]


def _smooth_path(path: Floats, first: int, rate: float, travels: bool) -> Floats:
    """The root's path over the floor ``(T, 2)`` without steps and sways; one position for a body that stays."""
    performed = path[first:]
    if not travels:
        return np.broadcast_to(0.5 * (performed.min(axis=0) + performed.max(axis=0)), path.shape).copy()
    # Reflected about its ends, so that the camera leaves and arrives at the body's own speed.
    sigma = _CAMERA_SIGMA * rate
    smooth = gaussian(performed, sigma, ends="point", radius=int(3.0 * sigma))
    return np.concatenate([np.repeat(smooth[:1], first, axis=0), smooth])
