"""Key pose selection for contact sheets: frames that differ, the floor, the facing direction, the path.

Frames at even steps miss the blow of a punch and show a walk in one phase over and over. So moments start at even
times, and each in turn moves, not far, to where its pose is least like those of all the others, until none moves any
more. Ends of strokes are unlike everything else and attract them; a walk's strides are shown at different phases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kinesphere.body.require_roles import require_motion_roles
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.motion import Motion
from kinesphere.pictures.bones import StickFigure, bone_points, rest_bone_points, stick_figure

TRAIL_SECONDS = 0.5
_TRAIL_POINTS = 40
_SURVEY = 800  # frames that facing, floor and path are measured on, however long the motion
_FAR_FROM_FLOOR = 1.0  # body heights: from there on the world's floor would not fit into a picture of the body
_TRAVEL = 0.5  # body heights: a root that moves less does not travel

_CANDIDATES = 600  # moments to choose from, however long the motion
_MIN_SPREAD = 0.03  # body heights: a body that moves less than this is shown at even times
_SIMILAR = 0.35  # of how different poses of a motion usually are: nearer ones look the same
_MAX_OFFSET, _MIN_GAP = 0.75, 0.4  # even steps that a moment may move from its even time, and keeps from the next
_EVENNESS = 0.1  # weight of an even time
_ROUNDS = 8


@dataclass(frozen=True)
class SheetPoints:
    """Positions of a figure's points in the frames that a sheet needs."""

    figure: StickFigure
    panel_frames: Ints  # the frames that have a panel
    frames: Ints  # (K,) all frames that positions are known of, in order
    points: Floats  # (K, P, 3)
    head_directions: Floats | None  # (K, 3), where the face points
    path_frames: Ints  # frames of the path
    rate: float
    run_starts: dict[int, int]  # shown frame to the first frame of its unbroken run of performed frames
    ground: float  # height of what the body stands on
    floor: float  # height of the floor that is drawn
    forward: Floats  # (3,), the mean facing, horizontal
    travels: bool

    def row_of(self, frame: int) -> int:
        """The row of a frame."""
        return int(np.searchsorted(self.frames, frame))

    def rows_of(self, frames: Ints) -> Ints:
        """The rows of several frames."""
        return np.searchsorted(self.frames, frames)

    def centre(self, frame: int) -> Floats:
        """The target of a frame's camera: the body, or the middle of its path if it does not travel."""
        roots = self.points[:, self.figure.base]
        if self.travels:
            middle: Floats = roots[self.row_of(frame)]
        else:
            path = roots[self.rows_of(self.path_frames)]
            middle = 0.5 * (path.min(axis=0) + path.max(axis=0))
        return np.array([middle[0], self.ground + 0.5 * self.figure.height, middle[2]])

    def trail(self, frame: int) -> Ints:
        """Frames of the half second before, none of them across a calibration frame."""
        return _trail(frame, self.run_starts[frame], self.rate)


def find_scene(motion: Motion, panels: int) -> SheetPoints:
    """Measure the motion as a whole, and choose ``panels`` performed frames that show most of it."""
    if panels < 1:
        raise ValueError(f"frames={panels}; at least one is needed")
    performed = frames_to_show(motion)
    survey = spread_frames(performed, _SURVEY)
    figure = stick_figure(_with_roles(motion).skeleton)
    _, surveyed = _points_in_world(motion, survey)
    drawn = sorted({end for bone in figure.bones for end in (bone.start, bone.end)} | {figure.base})
    ground = float(np.percentile(surveyed[:, drawn, 1].min(axis=1), 5.0))
    path = surveyed[:, figure.base]
    travels = float(np.ptp(path[:, [0, 2]], axis=0).max()) > _TRAVEL * figure.height
    shown = survey[select_moments(pose_features(surveyed, figure, travels), survey / motion.rate, panels)]
    breaks = performed[np.flatnonzero(np.diff(performed, prepend=performed[0] - 2) > 1)]
    starts = {frame: int(breaks[breaks <= frame][-1]) for frame in shown.tolist()}
    trails = [_trail(frame, start, motion.rate) for frame, start in starts.items()]
    known = np.unique(np.concatenate([survey, *trails]))
    world_rotations, points = _points_in_world(motion, known)
    return SheetPoints(
        figure=figure,
        panel_frames=shown,
        frames=known,
        points=points,
        head_directions=_head_directions(motion, figure, world_rotations),
        path_frames=survey,
        rate=motion.rate,
        run_starts=starts,
        ground=ground,
        floor=floor_to_draw(ground, figure.height),
        forward=_mean_facing(facing_directions(surveyed, figure)),
        travels=travels,
    )


def floor_to_draw(ground: float, height: float) -> float:
    """The world's floor, y = 0, so that a body that floats or sinks is seen to; far from it, what the body stands on.

    ``ground`` is the height of the latter, ``height`` the body's.
    """
    return 0.0 if abs(ground) <= _FAR_FROM_FLOOR * height else ground


def _with_roles(motion: Motion) -> Motion:
    """The motion with roles found from its frames, if its skeleton has none."""
    if motion.skeleton.roles:
        return motion
    try:
        return require_motion_roles(motion)
    except ValueError:
        return motion


def facing_directions(points: Floats, figure: StickFigure) -> Floats:
    """``(T, 3)`` where the trunk faces in each frame, horizontal, of length 1, or 0 where it is undefined."""
    if not figure.facing_pairs:
        return np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(points), 3))
    left, right = (list(side) for side in zip(*figure.facing_pairs, strict=True))
    across = (points[:, left] - points[:, right]).sum(axis=1)
    forward = np.cross(across, [0.0, 1.0, 0.0])
    length = np.linalg.norm(forward, axis=1, keepdims=True)
    # Lying on the side, left is above right and their line says nothing about the horizontal.
    defined = length > 0.1 * np.linalg.norm(across, axis=1, keepdims=True)
    return np.where(defined, forward / np.maximum(length, 1e-12), 0.0)


def _mean_facing(directions: Floats) -> Floats:
    """The mean facing direction ``(3,)``; the first one where the body turns too much for a mean."""
    mean = directions.mean(axis=0)
    if np.linalg.norm(mean) < 0.25:
        defined = np.flatnonzero(directions.any(axis=1))
        mean = directions[defined[0]] if defined.size else np.array([0.0, 0.0, 1.0])
    unit: Floats = mean / np.linalg.norm(mean)
    return unit


def _head_directions(motion: Motion, figure: StickFigure, world_rotations: Floats) -> Floats | None:
    """``(K, 3)`` where the first head's face points; needs a rest pose that stands upright and faces somewhere."""
    if not figure.heads or not figure.facing_pairs:
        return None
    rest = rest_bone_points(motion.skeleton)
    joint = figure.heads[0].joint
    ahead = facing_directions(rest[None], figure)[0]
    if rest[joint, 1] - rest[figure.base, 1] < 0.2 * figure.height or not ahead.any():
        return None
    rest_rotation = motion.skeleton.rest_world()[0][joint]
    since_rest = rotations.multiply(world_rotations[:, joint], rotations.conjugate(rest_rotation))
    return rotations.rotate(since_rest, ahead)


def _points_in_world(motion: Motion, frames: Ints) -> tuple[Floats, Floats]:
    """World rotations of the joints in some frames, and world positions of joints and tips."""
    world = kinematics.forward(motion.rotations[frames], motion.translations[frames], motion.skeleton.parents)
    return world[0], bone_points(motion.skeleton, *world)


def frames_to_show(motion: Motion) -> Ints:
    """Performed frames; all frames where every one is a calibration pose."""
    return motion.performed_frames if motion.performed_frames.size else np.arange(len(motion))


def spread_frames(frames: Ints, count: int) -> Ints:
    """``count`` of the frames at even distances, the first and the last among them."""
    rows = np.linspace(0, len(frames) - 1, min(count, len(frames)))
    return frames[np.round(rows).astype(np.intp)]


def _trail(frame: int, start: int, rate: float) -> Ints:
    back = min(round(TRAIL_SECONDS * rate), frame - start)
    step = max(1, round(TRAIL_SECONDS * rate / _TRAIL_POINTS))
    return np.arange(frame - back // step * step, frame + 1, step)


# Which moments are shown


def candidate_frames(motion: Motion) -> Ints:
    """Performed frames to choose from, evenly spaced, the first and the last among them."""
    return spread_frames(frames_to_show(motion), _CANDIDATES)


def pose_features_at(motion: Motion, figure: StickFigure, frames: Ints, travels: bool) -> Floats:
    """``pose_features`` of some frames."""
    return pose_features(_points_in_world(motion, frames)[1], figure, travels)


def pose_features(points: Floats, figure: StickFigure, travels: bool) -> Floats:
    """``(N, F)`` numbers that differ as poses look different: positions of the body's points, in body heights.

    Relative to the hips' position on the floor for a body that travels; fingers don't count.
    """
    shown = sorted({end for bone in figure.bones if not bone.thin for end in (bone.start, bone.end)} | {figure.base})
    relative = points[:, shown]
    if travels:
        relative = relative - points[:, figure.base, None] * [1.0, 0.0, 1.0]
    flat: Floats = relative.reshape(len(points), -1) / (figure.height * np.sqrt(len(shown)))
    return flat


def select_moments(poses: Floats, times: Floats, count: int) -> Ints:
    """``count`` indices of increasing ``times`` (or all) whose ``poses`` ``(N, F)`` differ; first and last are kept."""
    if count >= len(times):
        return np.arange(len(times))
    if count == 1:
        return np.zeros(1, dtype=np.intp)
    usual = np.sqrt(2.0 * np.mean(np.sum((poses - poses.mean(axis=0)) ** 2, axis=1)))
    scaled = poses / max(float(usual), _MIN_SPREAD)
    even = np.linspace(times[0], times[-1], count)
    number = np.arange(count)
    found = np.minimum(np.searchsorted(times, even - 1e-9), len(times) - count + number)
    found = np.maximum.accumulate(found - number) + number  # each later than the one before
    for _ in range(_ROUNDS):
        before = found.copy()
        for i in range(1, count - 1):
            found[i] = _best_moment(scaled, times, even, found, i)
        if np.array_equal(found, before):
            break
    return found


def _best_moment(poses: Floats, times: Floats, even: Floats, found: Ints, i: int) -> int:
    """The index between the neighbours of moment ``i`` whose pose is least like those of the others."""
    step, before, after = even[1] - even[0], found[i - 1], found[i + 1]
    within = np.arange(before + 1, after)
    offset = (times[within] - even[i]) / step
    gap = np.minimum(times[within] - times[before], times[after] - times[within]) / step
    free = (np.abs(offset) <= _MAX_OFFSET) & (gap >= _MIN_GAP) | (within == found[i])
    within, offset = within[free], offset[free]
    squared = np.sum((poses[within, None] - poses[np.delete(found, i)]) ** 2, axis=2)
    # A long tail: also among poses that are all unlike the others, the most unlike is best.
    similarity = np.sum(1.0 / (1.0 + squared / _SIMILAR**2), axis=1)
    return int(within[np.argmin(similarity + _EVENNESS * offset**2)])
