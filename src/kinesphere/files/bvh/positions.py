"""BVH position channels: whether they replace a joint's OFFSET or are added to it.

Nothing in a file says so. Within a body, bones keep their lengths: what keeps them nearer to OFFSET's length, over all
frames, is right. Hips and the joints above them are no bones, they travel: there the body must stand on the floor, and
where both ways do, positions replace OFFSET, as nearly all programs write them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from kinesphere.files.landmarks import Landmarks, ancestors
from kinesphere.files.orientation import RawPose, find_up, posed_stance, sample_frames
from kinesphere.files.registry import Positions
from kinesphere.maths.vectors import Bools, Floats, Ints

CLEARLY = 0.5  # of the other way's error: only then are positions added
NEARER = 0.15  # leg lengths by which the floor must be nearer to zero for positions to be added
MOST_CARRIERS = 3  # joints above the body for which both ways are tried
NOTHING = 1e-6  # an OFFSET that is none


class Channels(NamedTuple):
    """A file's joints and the columns of their position channels."""

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats  # (J, 3)
    columns: Ints  # (J, 3) of the x, y and z position; -1 for none


def find_added_positions(
    file: Channels,
    rows: Floats,
    marks: Landmarks | None,
    pose: Callable[[Floats, Bools], RawPose],
    positions: Positions = "auto",
) -> tuple[Bools, list[str]]:
    """Which joints' position channels are added to OFFSET rather than replacing it ``(J,)``, and why.

    ``pose`` gives the poses of some rows with a choice of these joints.
    """
    has_positions: Bools = np.asarray((file.columns >= 0).any(axis=1))
    if positions != "auto":
        return has_positions & (positions == "add"), []
    open_ = np.flatnonzero(has_positions & (np.linalg.norm(file.offsets, axis=1) > NOTHING)).tolist()
    carriers = [] if marks is None else [j for j in ancestors(marks.hips, file.parents) if j in open_][:MOST_CARRIERS]
    added: Bools = np.zeros(len(has_positions), dtype=np.bool_)
    for j in open_:
        if file.parents[j] < 0:
            added[j] = j not in carriers and _root_is_displaced(file, rows, j)
        elif j not in carriers:
            added[j] = _keeps_length_when_added(file, rows, j)
    evidence = []
    if added.any():
        evidence.append(
            f"position channels of {_list_names(file, added)} were added to OFFSET: they stay near zero, "
            "and bones keep their lengths so"
        )
    if carriers and marks is not None and len(rows):
        standing, why = _add_where_body_stands(rows, added, carriers, marks, pose)
        if standing.any():
            evidence.append(f"position channels of {_list_names(file, standing)} were added to OFFSET: {why}")
        added |= standing
    inner = has_positions & ~added & (file.parents >= 0)
    if inner.any():
        evidence.append(f"position channels on {int(inner.sum())} joints below the root replace OFFSET")
    return added, evidence


def _list_names(file: Channels, joints: Bools) -> str:
    return ", ".join(file.names[j] for j in np.flatnonzero(joints)[:5])


def _root_is_displaced(file: Channels, rows: Floats, root: int) -> bool:
    """Of a root that carries no person: travel says nothing, but the longest component of its OFFSET does."""
    axis = int(np.argmax(np.abs(file.offsets[root])))
    if file.columns[root, axis] < 0:
        return False
    values, offset = rows[:, file.columns[root, axis]], file.offsets[root, axis]
    return float(np.median(np.abs(values))) < CLEARLY * float(np.median(np.abs(values - offset)))


def _keeps_length_when_added(file: Channels, rows: Floats, joint: int) -> bool:
    """Whether a bone is clearly nearer to OFFSET's length, over all frames, if its positions are added."""
    there = np.flatnonzero(file.columns[joint] >= 0)
    offset = file.offsets[joint]
    values = rows[:, file.columns[joint, there]]
    errors = []
    for base in (np.where(file.columns[joint] >= 0, 0.0, offset), offset):
        placed = np.tile(base, (len(rows), 1))
        placed[:, there] += values
        errors.append(float(np.mean(np.abs(np.linalg.norm(placed, axis=1) - np.linalg.norm(offset)))))
    return errors[1] < CLEARLY * errors[0]


def _add_where_body_stands(
    rows: Floats, added: Bools, carriers: list[int], marks: Landmarks, pose: Callable[[Floats, Bools], RawPose]
) -> tuple[Bools, str]:
    """Which of the hips and the joints above them have positions that are added: those with which the body stands.

    Measured by how far the usual lowest place is from zero along the vertical axis.
    """
    frames = sample_frames(len(rows))
    nothing: Bools = np.zeros_like(added)
    best, least, at_first = nothing, np.inf, 0.0
    for choice in product((False, True), repeat=len(carriers)):
        standing = nothing.copy()
        standing[carriers] = choice
        raw = pose(rows[frames], added | standing)
        level = posed_stance(raw, marks).level(find_up(raw, marks).axis) / marks.leg
        if not any(choice):
            best, least, at_first = standing, abs(level) - NEARER, level
        elif abs(level) < least:
            best, least = standing, abs(level)
    return best, f"the floor would be {at_first:+.1f} leg lengths from zero otherwise, and is near it so"
