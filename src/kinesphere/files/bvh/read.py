"""BVH reader: skeleton, Euler channels and frames to a motion in metres, Y up.

Units, the vertical axis and whether position channels replace OFFSET or are added to it are not in the file; they are
inferred, and ``Motion.source.evidence`` says from what.
"""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.files.bvh.hierarchy import BvhHierarchy, HierarchyParser
from kinesphere.files.bvh.positions import Channels, find_added_positions
from kinesphere.files.bvh.rows import HEADER_BYTES, RowsReader
from kinesphere.files.landmarks import Landmarks, find_landmarks
from kinesphere.files.orientation import (
    SCALE_HINT,
    UP_HINT,
    RawPose,
    Unit,
    UpAxis,
    find_scale,
    find_up,
    rotation_to_y_up,
    sample_frames,
)
from kinesphere.files.registry import LoadOptions, Positions
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.interpolation import resample_rotations, resample_vectors
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.source import Source

_MOTION = re.compile(rb"(?:^|(?<=[\r\n]))[ \t]*MOTION(?=[ \t]*(?:[\r\n]|$|Frame))", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")


def load(path: Path, options: LoadOptions) -> Motion:
    """Read a BVH file in whatever dialect it is written."""
    notes: list[str] = []
    text = _read_text(path)
    found = _MOTION.search(text)
    if found is None:
        raise MotionFileError(path, "no MOTION section", "HIERARCHY …, then MOTION", line=_last_line(text))
    motion_line = _last_line(text[: found.start()])
    header_text = text[: found.start()]
    tree = HierarchyParser(path, options.salvage, notes.append).parse(_decode_lines(header_text), motion_line)

    reader = RowsReader(path, options.salvage, notes.append)
    header = reader.header(text[found.end() : found.end() + HEADER_BYTES], motion_line, options.rate is not None)
    first_row_line = motion_line + header.lines
    rows = reader.rows(text[found.end() + header.bytes_used :], first_row_line, tree.channel_count, header.frames)
    rate = options.rate
    if rate is None:
        rate = 30.0 if header.frame_time is None else 1.0 / header.frame_time
        if header.frame_time is None:
            notes.append("no usable frame time: 30 frames a second were taken")
    raw, marks, evidence = _raw_pose(tree, rows.values, rows.bridged, options.positions)
    scale = Unit(options.scale, "given") if options.scale is not None else find_scale(raw, marks)
    up = find_up(raw, marks)
    if options.up is not None:
        up = UpAxis(options.up, up.rest, "given")  # by hand: the rest pose is rotated too unless it is upright already
    notes += [f"{doubt}; {how}" for doubt, how in ((scale.doubt, SCALE_HINT), (up.doubt, UP_HINT)) if doubt]
    for sentence in notes:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=4)
    evidence = [f"unit: {scale.why}", f"up: {up.why}", *evidence]
    return _build_motion(path, raw, tree, rate, (scale.metres, up), evidence, tuple(notes))


def _read_text(path: Path) -> bytes:
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise MotionFileError(path, "broken UTF-16", "text", line=1) from None
    data = data.removeprefix(codecs.BOM_UTF8).rstrip(b"\x00\x1a \t")
    zero = data.find(b"\x00")
    if zero >= 0:
        raise MotionFileError(path, "bytes that are not text", "a BVH text file", line=_last_line(data[:zero]))
    return data


def _last_line(text: bytes) -> int:
    """The number of the line that ``text`` ends on, counted from 1."""
    return 1 + text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _decode_lines(text: bytes) -> Iterator[tuple[int, str]]:
    start, number = 0, 1
    while start < len(text):
        end = _LINE_END.search(text, start)
        stop, following = (end.start(), end.end()) if end else (len(text), len(text))
        line = text[start:stop]
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:  # an older code page: every byte is at least some letter in this one
            yield number, line.decode("latin-1")
        start, number = following, number + 1


def _raw_pose(
    tree: BvhHierarchy, rows: Floats, bridged: tuple[int, ...], positions: Positions
) -> tuple[RawPose, Landmarks | None, list[str]]:
    """Local poses in the file's own units and axes, the landmarks of the person, and what position channels do."""
    offsets = np.array([joint.offset for joint in tree.joints])
    names = tuple(joint.name for joint in tree.joints)
    parents = np.array([joint.parent for joint in tree.joints], dtype=np.intp)
    layout = _channel_layout(tree)
    # A tip at its own joint says nothing: files that need an End Site on every leaf are full of them.
    tips = tuple((joint, np.array(offset)) for joint, offset in tree.tips if any(offset))

    def pose(rows: Floats, added: Bools) -> RawPose:
        base = np.where(added[:, None] | (layout.position_columns < 0), offsets, 0.0)
        return RawPose(names, parents, offsets, tips, *pose_from_channels(rows, layout, base))

    def sampled_positions() -> Floats:
        some = pose(rows[sample_frames(len(rows))], np.zeros(len(names), dtype=np.bool_))
        return kinematics.forward(some.rotations, some.translations, parents)[1]

    marks = find_landmarks(names, parents, offsets, sampled_positions)
    file = Channels(names, parents, offsets, layout.position_columns)
    added, evidence = find_added_positions(file, rows, marks, pose, positions)
    raw = pose(rows, added)
    if bridged:
        q, t = _interpolate_frames(raw.rotations, raw.translations, bridged)
        raw = replace(raw, rotations=q, translations=t)
    return raw, marks, evidence


def _channel_layout(tree: BvhHierarchy) -> ChannelLayout:
    count = len(tree.joints)
    layout = ChannelLayout(
        axes=np.full((count, 3), -1, dtype=np.intp),
        rotation_columns=np.zeros((count, 3), dtype=np.intp),
        position_columns=np.full((count, 3), -1, dtype=np.intp),
    )
    column = 0
    for j, joint in enumerate(tree.joints):
        rotations_so_far = 0
        for letter, kind in joint.channels:
            axis = "xyz".index(letter)
            if kind == "rotation":
                layout.axes[j, rotations_so_far] = axis
                layout.rotation_columns[j, rotations_so_far] = column
                rotations_so_far += 1
            elif kind == "position":
                layout.position_columns[j, axis] = column
            column += 1
    return layout


def _interpolate_frames(q: Floats, t: Floats, frames: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Replace the given frames by interpolation between the nearest good ones on either side."""
    good = np.setdiff1d(np.arange(len(q)), frames)
    at = np.interp(np.arange(len(q)), good, np.arange(len(good)))
    q = resample_rotations(rotations.continuous(q[good]), at, smooth=False)
    return rotations.continuous(q), resample_vectors(t[good], at, smooth=False)


def _build_motion(
    path: Path,
    raw: RawPose,
    tree: BvhHierarchy,
    rate: float,
    converted: tuple[float, UpAxis],
    evidence: list[str],
    notes: tuple[str, ...],
) -> Motion:
    """The motion in metres and Y up; its heading stays. ``converted`` are the file's unit and its vertical axis."""
    scale, up, rest_up = converted[0], converted[1].axis, converted[1].rest
    rotation = rotation_to_y_up(up)
    q, t, offsets = raw.rotations, raw.translations * scale, raw.offsets * scale
    tip_offsets = [offset * scale for _, offset in raw.tips]
    roots = np.flatnonzero(raw.parents < 0)
    if up != "y" and rest_up == "y" and up != rest_up:
        # The rest pose is upright already: only the roots are rotated.
        q, t = q.copy(), t.copy()
        q[:, roots] = rotations.multiply(rotation, q[:, roots])
        t[:, roots] = rotations.rotate(rotation, t[:, roots])
    elif up != "y":
        # Everything is rotated, each joint's own axes too, so that the rest pose stays free of rotations.
        q = rotations.multiply(rotations.multiply(rotation, q), rotations.conjugate(rotation))
        t, offsets = rotations.rotate(rotation, t), rotations.rotate(rotation, offsets)
        tip_offsets = [rotations.rotate(rotation, offset) for offset in tip_offsets]
    tips = tuple(
        Tip(joint, (float(o[0]), float(o[1]), float(o[2]))) for (joint, _), o in zip(raw.tips, tip_offsets, strict=True)
    )
    skeleton = Skeleton(raw.names, raw.parents, offsets, tips=tips)
    orders = tuple(
        "".join(axis.upper() for axis, kind in joint.channels if kind == "rotation") for joint in tree.joints
    )
    source = Source(
        path=str(path),
        format="bvh",
        scale=float(scale),
        up=up,
        evidence=tuple(evidence),
        warnings=notes,
        euler_orders=orders,
    )
    return Motion(
        skeleton,
        rate,
        freeze(q),
        freeze(np.ascontiguousarray(t)),
        calibration_frames=find_calibration_frames(q, skeleton.rest_rotations),
        name=path.stem,
        source=source,
    )


# Channel values to local poses


class ChannelLayout(NamedTuple):
    """Which column of a frame's row belongs to which joint. A joint's rotations apply in the order of its channels."""

    axes: Ints  # (J, 3) axes of the rotation channels: 0, 1, 2 for x, y, z; -1 for none, last
    rotation_columns: Ints  # (J, 3) their columns in a row
    position_columns: Ints  # (J, 3) columns of the x, y and z position; -1 for none


def pose_from_channels(rows: Floats, layout: ChannelLayout, base: Floats) -> tuple[Floats, Floats]:
    """Local rotations ``(T, J, 4)`` and translations ``(T, J, 3)`` from channel values ``rows`` ``(T, C)``, in degrees.

    Position channels are added to ``base`` ``(J, 3)``. Neighbouring rotations lie in one hemisphere.
    """
    q, t = np.empty((len(rows), len(base), 4)), np.empty((len(rows), len(base), 3))
    _native.bvh_read.pose_from_channels(np.ascontiguousarray(rows), layout, np.ascontiguousarray(base), q, t)
    return q, t


# Calibration frames: a T-pose inserted before or after the take

_AT_REST = np.radians(2.0)  # a joint no further from its rest rotation counts as at rest
_LEAST_LEAP = np.radians(15.0)
_LONGEST = 4  # frames that an inserted pose lasts at most
_SAMPLES = 400  # steps from which the body's usual speed is estimated


def find_calibration_frames(local: Floats, rest: Floats) -> tuple[int, ...]:
    """Inserted T-poses: the first or last few frames, where they hold a rest pose that the movement does not lead to.

    Two things must hold: in each of them most joints are at rest, and fewer are in the frame that follows; and the
    body as a whole leaps to that frame, much further than it ever moves between frames elsewhere.

    ``local`` are the rotations ``(T, J, 4)``, ``rest`` those of the rest pose ``(J, 4)``.
    """
    count, edge = len(local), _LONGEST + 1
    if count < 2 * edge:
        return ()
    inner = np.unique(np.linspace(_LONGEST, count - edge - 1, _SAMPLES).astype(np.intp))
    usual = float(np.percentile(_step_angles(local, inner).mean(axis=1), 99.0))
    lengths = []
    for frames in (np.arange(edge), np.arange(count - 1, count - edge - 1, -1)):
        resting = (rotations.angle_between(local[frames], rest) < _AT_REST).mean(axis=1)
        lengths.append(_count_inserted_frames(_step_angles(local, np.minimum(frames[:-1], frames[1:])), resting, usual))
    return (*range(lengths[0]), *range(count - lengths[1], count))


def _step_angles(local: Floats, frames: Ints) -> Floats:
    """The angle by which each joint rotates from each of some frames to the next ``(F, J)``."""
    return rotations.angle_between(local[frames + 1], local[frames])


def _count_inserted_frames(steps: Floats, resting: Floats, usual: float) -> int:
    """How many frames from the edge inwards are an inserted pose."""
    for count in range(_LONGEST, 0, -1):
        leap = steps[count - 1]
        leaps = leap.max() > _LEAST_LEAP and leap.mean() > 2.5 * usual
        if leaps and resting[:count].min() > 0.5 and resting[count] < resting[:count].min() - 0.2:
            return count
    return 0
