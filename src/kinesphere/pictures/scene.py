"""A motion made ready for drawing: which frames are shown, where the floor is, which way the body faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.require_roles import require_motion_roles
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.pictures.bones import BoneFigure, bone_figure, bone_points, rest_bone_points
from kinesphere.pictures.moments import pose_features, select_moments

TRAIL_SECONDS = 0.5
_TRAIL_POINTS = 40
_SURVEY = 800  # frames that facing, floor and path are taken from, however long the motion
_STAYS = 0.5  # a root that keeps within this many body heights does not travel


@dataclass(frozen=True)
class Scene:
    """Places of a figure's points in the frames that a sheet needs."""

    figure: BoneFigure
    shown: Ints  # the frames of the panels
    known: Ints  # all frames below, in order
    points: Floats  # (K, P, 3)
    noses: Floats | None  # (K, 3), where the head points
    survey: Ints  # frames of the path
    rate: float
    run_starts: dict[int, int]  # shown frame to the first frame of its unbroken performance
    floor: float
    forward: Floats  # (3,), the mean facing, horizontal
    travels: bool

    def at(self, frame: int) -> int:
        """The row of a frame."""
        return int(np.searchsorted(self.known, frame))

    def rows(self, frames: Ints) -> Ints:
        """The rows of several frames."""
        return np.searchsorted(self.known, frames)

    def centre(self, frame: int) -> Floats:
        """What the panel of a frame looks at: the body where it is, or its usual place if it stays there."""
        ground = self.points[:, self.figure.base].copy()
        if self.travels:
            middle: Floats = ground[self.at(frame)]
        else:
            path = ground[self.rows(self.survey)]
            middle = 0.5 * (path.min(axis=0) + path.max(axis=0))
        return np.array([middle[0], self.floor + 0.5 * self.figure.height, middle[2]])

    def trail(self, frame: int) -> Ints:
        """Frames of the half second before, none of them across a calibration frame."""
        return _trail(frame, self.run_starts[frame], self.rate)


def find_scene(motion: Motion, panels: int) -> Scene:
    """Look at the motion as a whole, and choose ``panels`` performed frames that tell most of it (``moments``)."""
    if panels < 1:
        raise ValueError(f"frames={panels}; at least one is needed")
    performed = motion.performed_frames if motion.performed_frames.size else np.arange(len(motion))
    survey = _spread(performed, _SURVEY)
    figure = bone_figure(_with_roles(motion).skeleton)
    _, seen = _placed(motion, survey)
    drawn = sorted({end for bone in figure.bones for end in (bone.start, bone.end)} | {figure.base})
    floor = float(np.percentile(seen[:, drawn, 1].min(axis=1), 5.0))
    path = seen[:, figure.base]
    travels = float(np.ptp(path[:, [0, 2]], axis=0).max()) > _STAYS * figure.height
    shown = survey[select_moments(pose_features(seen, figure, travels), survey / motion.rate, panels)]
    breaks = performed[np.flatnonzero(np.diff(performed, prepend=performed[0] - 2) > 1)]
    starts = {frame: int(breaks[breaks <= frame][-1]) for frame in shown.tolist()}
    trails = [_trail(frame, start, motion.rate) for frame, start in starts.items()]
    known = np.unique(np.concatenate([survey, *trails]))
    turned, points = _placed(motion, known)
    return Scene(
        figure=figure,
        shown=shown,
        known=known,
        points=points,
        noses=_noses(motion, figure, turned),
        survey=survey,
        rate=motion.rate,
        run_starts=starts,
        floor=floor,
        forward=_mean_facing(facing_directions(seen, figure)),
        travels=travels,
    )


def _with_roles(motion: Motion) -> Motion:
    """With roles that its frames tell, where it says none."""
    if motion.skeleton.roles:
        return motion
    try:
        return require_motion_roles(motion)
    except ValueError:
        return motion


def facing_directions(points: Floats, figure: BoneFigure) -> Floats:
    """``(T, 3)`` where the trunk faces in each frame, horizontal, of length 1, or 0 where nothing tells."""
    if not figure.across:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(points), 3))
    left, right = (list(side) for side in zip(*figure.across, strict=True))
    across = (points[:, left] - points[:, right]).sum(axis=1)
    forward = np.cross(across, [0.0, 1.0, 0.0])
    length = np.linalg.norm(forward, axis=1, keepdims=True)
    # Lying on the side, left is above right and their line says nothing about the horizontal.
    told = length > 0.1 * np.linalg.norm(across, axis=1, keepdims=True)
    return np.where(told, forward / np.maximum(length, 1e-12), 0.0)


def _mean_facing(directions: Floats) -> Floats:
    """The mean, unless the body turns so much that it has none: then where it faced first."""
    mean = directions.mean(axis=0)
    if np.linalg.norm(mean) < 0.25:
        told = np.flatnonzero(directions.any(axis=1))
        mean = directions[told[0]] if told.size else np.array([0.0, 0.0, 1.0])
    unit: Floats = mean / np.linalg.norm(mean)
    return unit


def _noses(motion: Motion, figure: BoneFigure, world_rotations: Floats) -> Floats | None:
    """Where the first head points, as it turned from a rest pose that stands upright and faces somewhere."""
    if not figure.heads or not figure.across:
        return None
    rest = rest_bone_points(motion.skeleton)
    joint = figure.heads[0].joint
    ahead = facing_directions(rest[None], figure)[0]
    if rest[joint, 1] - rest[figure.base, 1] < 0.2 * figure.height or not ahead.any():
        return None
    rest_rotation = motion.skeleton.rest_world()[0][joint]
    turned = rotations.multiply(world_rotations[:, joint], rotations.conjugate(rest_rotation))
    return rotations.rotate(turned, ahead)


def _placed(motion: Motion, frames: Ints) -> tuple[Floats, Floats]:
    """World rotations of the joints in some frames, and world places of joints and tips."""
    turned, place = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    return turned, bone_points(motion.skeleton, turned, place)


def _spread(frames: Ints, count: int) -> Ints:
    """``count`` of the frames at even distances, the first and the last among them."""
    places = np.linspace(0, len(frames) - 1, min(count, len(frames)))
    return frames[np.round(places).astype(np.intp)]


def _trail(frame: int, start: int, rate: float) -> Ints:
    back = min(round(TRAIL_SECONDS * rate), frame - start)
    step = max(1, round(TRAIL_SECONDS * rate / _TRAIL_POINTS))
    return np.arange(frame - back // step * step, frame + 1, step)
