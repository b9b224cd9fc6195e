"""BVH to Motion."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kinesphere.files.bvh.hierarchy import Hierarchy, HierarchyParser
from kinesphere.files.bvh.rows import HEADER_BYTES, RowsReader
from kinesphere.files.calibration import inserted_frames
from kinesphere.files.errors import MotionFileError, MotionFileWarning
from kinesphere.files.options import LoadOptions, Positions
from kinesphere.files.orientation import RawPose, find_scale, find_up, turn_to_y_up
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats, Ints
from kinesphere.kernels.channels import local_pose
from kinesphere.kernels.resampling import resample_rotations, resample_vectors
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.source import Source

_MOTION = re.compile(rb"(?:^|(?<=[\r\n]))[ \t]*MOTION(?=[ \t]*(?:[\r\n]|$|Frame))", re.IGNORECASE)
_LINE_END = re.compile(rb"\r\n|\r|\n")


def load(path: Path, options: LoadOptions) -> Motion:
    """Read a BVH file in whatever dialect it is written."""
    said: list[str] = []
    text = _text(path)
    found = _MOTION.search(text)
    if found is None:
        raise MotionFileError(path, "no MOTION section", "HIERARCHY …, then MOTION", line=_lines(text))
    motion_line = _lines(text[: found.start()])
    header_text = text[: found.start()]
    tree = HierarchyParser(path, options.salvage, said.append).parse(_numbered(header_text), motion_line)

    reader = RowsReader(path, options.salvage, said.append)
    header = reader.header(text[found.end() : found.end() + HEADER_BYTES], motion_line, options.rate is not None)
    first_row_line = motion_line + header.lines
    rows = reader.rows(text[found.end() + header.bytes_used :], first_row_line, tree.channel_count, header.frames)
    rate = options.rate
    if rate is None:
        rate = 30.0 if header.frame_time is None else 1.0 / header.frame_time
        if header.frame_time is None:
            said.append("no usable frame time: 30 frames a second were taken")
    raw, evidence = _raw_pose(tree, rows.values, rows.bridged, options.positions)
    for sentence in said:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=4)
    return _in_our_terms(path, raw, tree, rate, options, evidence, tuple(said))


def _text(path: Path) -> bytes:
    data = path.read_bytes()
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise MotionFileError(path, "broken UTF-16", "text", line=1) from None
    data = data.removeprefix(codecs.BOM_UTF8).rstrip(b"\x00\x1a \t")
    zero = data.find(b"\x00")
    if zero >= 0:
        raise MotionFileError(path, "bytes that are not text", "a BVH text file", line=_lines(data[:zero]))
    return data


def _lines(text: bytes) -> int:
    """The number of the line that ``text`` ends on, counted from 1."""
    return 1 + text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _numbered(text: bytes) -> Iterator[tuple[int, str]]:
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
    tree: Hierarchy, rows: Floats, bridged: tuple[int, ...], positions: Positions
) -> tuple[RawPose, list[str]]:
    """Local poses in the file's own units and axes."""
    offsets = np.array([joint.offset for joint in tree.joints])
    axes, columns, places = _columns(tree)
    added, evidence = _added_positions(tree, rows, offsets, places, positions)
    base = np.where(added[:, None] | (places < 0), offsets, 0.0)
    q, t = local_pose(rows, axes, columns, places, base)
    if bridged:
        q, t = _bridged(q, t, bridged)
    return RawPose(
        names=tuple(joint.name for joint in tree.joints),
        parents=np.array([joint.parent for joint in tree.joints], dtype=np.intp),
        offsets=offsets,
        # A tip at its own joint says nothing: files that need an End Site on every leaf are full of them.
        tips=tuple((joint, np.array(offset)) for joint, offset in tree.tips if any(offset)),
        rotations=q,
        translations=t,
    ), evidence


def _columns(tree: Hierarchy) -> tuple[Ints, Ints, Ints]:
    """Where each joint's channels stand in a row, as ``kernels.channels`` wants it."""
    count = len(tree.joints)
    axes, columns = np.full((count, 3), -1, dtype=np.intp), np.zeros((count, 3), dtype=np.intp)
    places = np.full((count, 3), -1, dtype=np.intp)
    column = 0
    for j, joint in enumerate(tree.joints):
        turns = 0
        for letter, kind in joint.channels:
            axis = "xyz".index(letter)
            if kind == "rotation":
                axes[j, turns], columns[j, turns] = axis, column
                turns += 1
            elif kind == "position":
                places[j, axis] = column
            column += 1
    return axes, columns, places


def _added_positions(
    tree: Hierarchy, rows: Floats, offsets: Floats, places: Ints, positions: Positions
) -> tuple[Bools, list[str]]:
    """For which joints position channels are added to OFFSET rather than replacing it, and why."""
    having: Bools = np.asarray((places >= 0).any(axis=1))
    if positions != "auto":
        return having & (positions == "add"), []
    added: Bools = np.zeros(len(having), dtype=np.bool_)
    for j in np.flatnonzero(having).tolist():
        there = np.flatnonzero(places[j] >= 0)
        if tree.joints[j].parent < 0:
            there = there[there == np.argmax(np.abs(offsets[j]))]  # travel says nothing; a root's rest height does
        if there.size == 0:
            continue
        values, offset = rows[:, places[j, there]], offsets[j, there]
        from_zero = float(np.median(np.linalg.norm(values, axis=1)))
        from_offset = float(np.median(np.linalg.norm(values - offset, axis=1)))
        added[j] = from_zero < 0.5 * from_offset and float(np.linalg.norm(offset)) > 1e-6
    evidence = []
    if added.any():
        names = ", ".join(tree.joints[j].name for j in np.flatnonzero(added)[:5])
        evidence.append(f"position channels of {names} stay near zero, not near OFFSET: they were added to it")
    inner = having & ~added & np.array([joint.parent >= 0 for joint in tree.joints], dtype=np.bool_)
    if inner.any():
        evidence.append(f"position channels on {int(inner.sum())} joints below the root replace OFFSET")
    return added, evidence


def _bridged(q: Floats, t: Floats, frames: tuple[int, ...]) -> tuple[Floats, Floats]:
    """The given frames made up from the nearest good ones on either side."""
    good = np.setdiff1d(np.arange(len(q)), frames)
    at = np.interp(np.arange(len(q)), good, np.arange(len(good)))
    q = resample_rotations(rotations.continuous(q[good]), at, smooth=False)
    return rotations.continuous(q), resample_vectors(t[good], at, smooth=False)


def _in_our_terms(
    path: Path,
    raw: RawPose,
    tree: Hierarchy,
    rate: float,
    options: LoadOptions,
    evidence: list[str],
    said: tuple[str, ...],
) -> Motion:
    """Metres and Y up; the heading stays."""
    scale, why_scale = (options.scale, "given") if options.scale is not None else find_scale(raw)
    up, rest_up, why_up = find_up(raw)
    if options.up is not None:
        # Given by hand: the rest pose is turned along unless it stood upright by itself.
        up, why_up = options.up, "given"
    turn = turn_to_y_up(up)
    q, t, offsets = raw.rotations, raw.translations * scale, raw.offsets * scale
    tip_offsets = [offset * scale for _, offset in raw.tips]
    roots = np.flatnonzero(raw.parents < 0)
    if up != "y" and rest_up == "y" and up != rest_up:
        # The rest pose is upright already: only the world turns.
        q, t = q.copy(), t.copy()
        q[:, roots] = rotations.multiply(turn, q[:, roots])
        t[:, roots] = rotations.rotate(turn, t[:, roots])
    elif up != "y":
        # Everything turns, each joint's own axes too, so that the rest pose stays free of rotations.
        q = rotations.multiply(rotations.multiply(turn, q), rotations.conjugate(turn))
        t, offsets = rotations.rotate(turn, t), rotations.rotate(turn, offsets)
        tip_offsets = [rotations.rotate(turn, offset) for offset in tip_offsets]
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
        evidence=(f"unit: {why_scale}", f"up: {why_up}", *evidence),
        warnings=said,
        euler_orders=orders,
    )
    return Motion(
        skeleton,
        rate,
        frozen(q),
        frozen(np.ascontiguousarray(t)),
        calibration_frames=inserted_frames(q, skeleton.rest_rotations),
        name=path.stem,
        source=source,
    )
