"""Who shows a motion: the character it is put on, where the floor is, and the way the camera goes along."""

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
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Floats
from kinesphere.motion.character import Character
from kinesphere.motion.humanoid import REQUIRED
from kinesphere.motion.motion import Motion
from kinesphere.motion.retiming import pose_at_times
from kinesphere.motion.skeleton import Skeleton
from kinesphere.pictures.bones import BoneFigure, descendants
from kinesphere.pictures.manikin import manikin
from kinesphere.pictures.scene import find_scene
from kinesphere.pictures.surface import Skin, Surface, skin_of

_LOOKS, _TELLING = 16, 12  # even moments, by which the floor is found, and telling ones, which must fit as well
_LOW = 20.0  # per cent of these poses that may reach below the floor: soles of captures sink in at times
_UPRIGHT = 0.35  # body heights that soles may be above the lowest part, such as long arms, and still be stood on
_CALM = 0.45  # seconds, sigma of the low-pass that the camera follows by


@dataclass(frozen=True, eq=False)
class Performer:
    """A motion on a character, ready to be drawn at any time."""

    name: str
    motion: Motion  # on the character's skeleton
    skin: Skin
    figure: BoneFigure
    start: float  # seconds, the first performed frame
    end: float
    floor: float
    height: float
    forward: Floats  # (3,) where it faces on the whole
    travels: bool
    joints: dict[str, int]  # by role and by name, also by the names that the motion itself has for them
    places: Floats  # (T, J, 3)
    path: Floats  # (T, 2) what the camera follows over the floor
    looks: tuple[tuple[float, Floats], ...]  # times and vertices of a few poses, at even times
    telling: tuple[float, ...]  # times of poses unlike each other, ends of strokes among them

    @property
    def duration(self) -> float:
        """Seconds that are performed."""
        return self.end - self.start

    def clock(self, seconds: Floats) -> Floats:
        """The motion's own times for seconds since the performance began; after its end it stays as it is."""
        return self.start + np.clip(seconds, 0.0, self.duration)

    def target(self, time: float) -> Floats:
        """What the camera looks at: the middle of the body, over the calm path."""
        x, z = resample_vectors(self.path, np.array([time * self.motion.rate]))[0]
        return np.array([x, self.floor + 0.5 * self.height, z])

    def trace(self, joints: Sequence[int], times: Floats) -> Floats:
        """``(N, n, 3)`` where some joints are."""
        return resample_vectors(self.places[:, list(joints)], times * self.motion.rate)

    def points(self, time: float) -> Floats:
        """``(V, 3)`` the surface's vertices at one time."""
        return _points(self.motion, self.skin, time)

    def surface(self, time: float) -> Surface:
        """The surface at one time."""
        return self.skin.posed(*_pose(self.motion, time))


def make_performer(motion: Motion, character: Character | None = None) -> Performer:
    """The motion on a character. It is retargeted where the character has another skeleton."""
    shown, onto = _cast(motion, character)
    skin = skin_of(onto)
    scene = find_scene(shown, _TELLING)
    performed = shown.performed_frames if shown.performed_frames.size else np.arange(len(shown))
    start, end = float(performed[0]) / shown.rate, float(performed[-1]) / shown.rate
    even = performed[np.round(np.linspace(0, len(performed) - 1, min(_LOOKS, len(performed)))).astype(np.intp)]
    looks = [(frame / shown.rate, _points(shown, skin, frame / shown.rate)) for frame in even.tolist()]
    if not all(np.isfinite(vertices).all(axis=1).any() for _, vertices in looks):
        raise ValueError(f"{motion!r}: a surface without a single finite vertex cannot be drawn")
    tall = float(np.median([np.nanmax(vertices[:, 1]) - np.nanmin(vertices[:, 1]) for _, vertices in looks]))
    height = max(scene.figure.height, tall, 1e-3)
    places = shown.positions_world()
    return Performer(
        name=motion.name or "Motion",
        motion=shown,
        skin=skin,
        figure=scene.figure,
        start=start,
        end=end,
        floor=_floor(shown, skin, scene.figure, [vertices for _, vertices in looks], height),
        height=height,
        forward=scene.forward,
        travels=scene.travels,
        joints=_joints(motion.skeleton, shown.skeleton),
        places=places,
        path=_calm(places[:, scene.figure.base][:, [0, 2]], performed[0], shown.rate, scene.travels),
        looks=tuple(looks),
        telling=tuple(frame / shown.rate for frame in np.setdiff1d(scene.shown, even).tolist()),
    )


def _floor(motion: Motion, skin: Skin, figure: BoneFigure, looks: list[Floats], height: float) -> float:
    """The ground that the feet are planted on, where the body's soles are known.

    Else where the surface of its feet usually ends; and of a body that stands on something else, where its lowest part
    usually is.
    """
    lowest = float(np.percentile([np.nanmin(vertices[:, 1]) for vertices in looks], _LOW))
    if motion.skeleton.soles:
        with suppress(ValueError):
            ground = find_ground(motion).height
            if abs(ground - lowest) < _UPRIGHT * height:
                return ground
    feet = sorted({*figure.feet, *descendants(motion.skeleton, list(figure.feet))})
    carrier = [mesh.joints[np.arange(len(mesh.joints)), mesh.weights.argmax(axis=1)] for mesh in skin.meshes]
    soles = np.isin(np.concatenate(carrier), feet)
    soles &= np.isfinite(looks[0]).all(axis=1)
    if not soles.any():
        return lowest
    standing = float(np.percentile([np.nanmin(vertices[soles, 1]) for vertices in looks], _LOW))
    return standing if standing - lowest < _UPRIGHT * height else lowest


def _cast(motion: Motion, character: Character | None) -> tuple[Motion, Character]:
    """Who performs. The one place that decides: a character that was given, else our figure in the motion's size.

    What is no humanoid is shown as a manikin of its own bones.
    """
    if character is None and all(role in motion.skeleton.roles for role in REQUIRED):
        height = leg_length(motion.skeleton) / leg_length(figure().skeleton) * HEIGHT
        character = figure(float(np.clip(round(height, 3), *HEIGHTS)))
    if character is None:
        return motion, manikin(motion.skeleton)
    if not character.meshes:
        return (motion if character.skeleton.same_tree(motion.skeleton) else retarget(motion, character)), manikin(
            character.skeleton
        )
    if character.skeleton.same_tree(motion.skeleton):
        return motion, character
    return retarget(motion, character), character


def _joints(own: Skeleton, shown: Skeleton) -> dict[str, int]:
    """Joints of the body that is shown, by all names that people have for them."""
    same = {own.names[joint]: shown.roles[role] for role, joint in own.roles.items() if role in shown.roles}
    return {**same, **{name: joint for joint, name in enumerate(shown.names)}, **shown.roles}


def _points(motion: Motion, skin: Skin, time: float) -> Floats:
    turned, placed, scales = _pose(motion, time)
    return np.concatenate([mesh.posed(turned, placed, scales) for mesh in skin.meshes])


def _pose(motion: Motion, time: float) -> tuple[Floats, Floats, Floats | None]:
    """World rotations and places of all joints at a time, and scales where there are any."""
    # A few frames around are enough: a cubic looks one frame beyond those it runs between.
    first = int(np.clip(np.floor(time * motion.rate) - 2, 0, max(len(motion) - 6, 0)))
    near = motion[first : first + 6]
    q, t, s = pose_at_times(near, np.array([time - first / motion.rate]))
    turned, placed = kinematics.forward(q, t, motion.skeleton.parents)
    return turned[0], placed[0], None if s is None else s[0]


def _calm(path: Floats, first: int, rate: float, travels: bool) -> Floats:
    """The way over the floor ``(T, 2)`` without steps and sways; one place for a body that stays."""
    performed = path[first:]
    if not travels:
        return np.broadcast_to(0.5 * (performed.min(axis=0) + performed.max(axis=0)), path.shape).copy()
    reach = min(int(3.0 * _CALM * rate), len(performed) - 1)
    if reach < 1:
        return path
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (_CALM * rate)) ** 2)
    weights /= weights.sum()
    # Turned about its ends, so that the camera leaves and arrives at the body's own speed.
    before = 2.0 * performed[:1] - performed[reach:0:-1]
    after = 2.0 * performed[-1:] - performed[-2 : -reach - 2 : -1]
    whole = np.concatenate([before, performed, after])
    calm = np.stack([np.convolve(whole[:, k], weights, mode="valid") for k in range(2)], axis=1)
    return np.concatenate([np.repeat(calm[:1], first, axis=0), calm])
