"""Foot paths: corrections of ankle and foot that keep contact points on their anchors, and ease in and out.

Only feet that slide are corrected. A *contact run* is a foot's contacts with less than 0.2 seconds between them. Where
all its points are nearer to their anchors than a thousandth of a leg length nothing is corrected.

While a point of a sliding foot is in contact, the foot is moved so that the point stays on its anchor. While heel and
ball are both in contact the foot is also rotated, by the smallest rotation that takes the direction from heel to ball
to that between the anchors; roll about that direction stays the input's. Points nearer to each other than three
hundredths of a leg length give no direction, and no rotation. Before and after contacts both corrections follow cubics
whose value and slope equal the contact's and which are zero 0.2 seconds away: the foot's speed has no jump.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.contacts import Contacts
from kinesphere.body.ground import SolePoint, runs
from kinesphere.maths import rotations
from kinesphere.maths.filters import (
    frame_count,
    smooth_where,
    widen,
)
from kinesphere.maths.vectors import Bools, Floats

STEADY = 0.03  # seconds, sigma of the low-pass on the rotation of a foot in contact
STEADY_EASE = 0.05  # seconds over which that low-pass, and the one on jolts, eases in and out
MAX_JOLT = 0.6  # leg lengths a second by which an ankle's velocity may change more from frame to frame than it did
JOLT_WINDOW = 3  # frames to each side in which the input's own jolts count
SLOPE_WINDOW = 1.0 / 60.0  # seconds to each side over which the slope at a contact's edge is measured


class FootMotion(NamedTuple):
    """One foot as the input has it, with its contacts."""

    paths: Floats  # (T, P, 3) of its sole points, metres
    anchors: Floats  # (T, P, 3) in frames of contact
    labels: Bools  # (T, P) whether a point is in contact
    foot: Floats  # (T, 4) world rotations
    toes: Floats  # (T, 4) world rotations
    ankle: Floats  # (T, 3) world positions
    performed: Bools  # (T,) whether a frame was performed
    runs: list[slice]  # of performed frames
    rate: float  # frames a second
    unit: float  # the leg length, metres


class FootCorrection(NamedTuple):
    """The correction of one foot."""

    shift: Floats  # (T, 3) of the ankle, metres
    rotation: Floats  # (T, 3) of the foot, as rotation vectors in the world
    toe_rotation: Floats  # (T, 3) of its toes, likewise
    in_contact: Bools  # (T,)
    sliding: Bools  # (T,) in contact, and part of a contact run that slides


def correct_foot_path(
    points: list[SolePoint],
    paths: Floats,
    world: tuple[Floats, Floats, Floats],
    contacts: Contacts,
    performed: Bools,
    unit: float,
) -> FootCorrection:
    """The correction of one foot with sole points on paths ``(T, P, 3)``.

    ``world`` has the foot's and the toes' rotations and the ankle's positions; ``unit`` is the leg length.
    """
    names, frames = [point.name for point in points], len(paths)
    labels = np.zeros(paths.shape[:2], dtype=bool)
    for contact in contacts.intervals:
        if contact.name in names:
            labels[contact.first : contact.last + 1, names.index(contact.name)] = True
    anchors = contacts.anchors(names, paths)
    turns, toe_turns, ankle = (np.ascontiguousarray(array) for array in world)
    stretches = [slice(0, frames)] if performed.all() else [slice(a, b + 1) for a, b in runs(performed)]
    foot = FootMotion(
        paths=np.ascontiguousarray(paths),
        anchors=anchors,
        labels=labels,
        foot=turns,
        toes=toe_turns,
        ankle=ankle,
        performed=performed,
        runs=stretches,
        rate=float(contacts.rate),
        unit=float(unit),
    )
    path = FootCorrection(*np.zeros((3, frames, 3)), *np.zeros((2, frames), dtype=bool))
    limits = foot.performed, foot.rate, foot.unit
    if _native.foot_paths.find_sliding(foot.paths, anchors, labels, *limits, path.in_contact, path.sliding):
        foot.labels[~path.sliding] = False
        correct_sliding_foot(foot, path)
    return path


def correct_sliding_foot(foot: FootMotion, path: FootCorrection) -> None:
    """Write the correction of one foot that slides; its labels are those of contacts that do."""
    span = frame_count(STEADY_EASE, foot.rate)
    weight = widen(path.sliding, span, span)
    weight[~foot.performed] = 0.0
    steady_foot, steady_toes = (steady_rotations(foot, world, weight) for world in (foot.foot, foot.toes))
    points = np.empty((len(weight), foot.paths[0].size))
    _native.foot_paths.rotate_points(foot.paths.reshape(points.shape), foot.ankle, steady_foot, points)
    if points.shape[1] == 6:
        align_with_anchors(foot, points, path.rotation)
    _native.foot_paths.rotate_foot(foot.ankle, steady_foot, steady_toes, points, path.rotation, path.toe_rotation)
    shift_to_anchors(foot, points, path)
    remove_jolts(foot, path.shift)


# Rotation


def steady_rotations(foot: FootMotion, world: Floats, weight: Floats) -> Floats:
    """Rotations ``(T, 4)`` that take a weighted part of the jitter out of world rotations ``(T, 4)``.

    An ankle over a heel or ball on its anchor would shake as much as the foot's direction does.
    """
    steady, smooth = rotations.identity(len(world)), np.empty(world.shape)
    for run in foot.runs:
        smooth_where(rotations.continuous(world[run]), STEADY, foot.rate, weight[run], smooth[run])
    _native.foot_paths.partial_rotations(world, smooth, weight, steady)
    return steady


def align_with_anchors(foot: FootMotion, points: Floats, rotation: Floats) -> None:
    """Rotate feet in contact at both points ``(T, 6)`` along their anchors."""
    both, (bones, vectors) = np.zeros(len(points), dtype=bool), np.zeros((2, len(points), 3))
    anchors = foot.anchors.reshape(points.shape)
    if _native.foot_paths.align_bones(points, anchors, foot.labels, foot.unit, bones, both, vectors):
        velocities = velocities_where(foot, bones, both)
        _native.foot_paths.ease_rotation(vectors, bones, velocities, both, foot.performed, foot.rate, rotation)


# Shift


def shift_to_anchors(foot: FootMotion, points: Floats, path: FootCorrection) -> None:
    """Shift ankles so that points, at ``(T, 3 P)`` after the rotation, are on their anchors in the mean."""
    velocities = velocities_where(foot, points, path.sliding)
    anchors, limits = foot.anchors.reshape(points.shape), (path.sliding, foot.performed, foot.rate)
    _native.foot_paths.ease_shift(anchors, points, velocities, foot.labels, *limits, path.shift)


def velocities_where(foot: FootMotion, values: Floats, known: Bools) -> Floats:
    """Velocities of ``(T, C)`` in known frames, zero elsewhere."""
    velocities = np.zeros(values.shape)
    for run in foot.runs:
        _native.filters.velocity(
            values[run], max(SLOPE_WINDOW * foot.rate, 1.0), foot.rate, known[run], velocities[run]
        )
    return velocities


def remove_jolts(foot: FootMotion, shift: Floats) -> None:
    """Low-pass the shifted path where it jolts and the input's ankle did not.

    A foot that goes over from the ball to the heel does, on anchors farther apart than the points.
    """
    path, span = foot.ankle + shift, frame_count(STEADY_EASE, foot.rate)
    before, after, around = np.empty((3, len(path)))
    _native.filters.second_differences(foot.ankle, foot.performed, before)
    _native.filters.second_differences(path, foot.performed, after)
    for run in foot.runs:
        _native.filters.running_maximum(before[run], JOLT_WINDOW, around[run])
        rough = (after[run] - around[run]) * foot.rate > MAX_JOLT * foot.unit
        if rough.any():
            weight, smooth = widen(rough, span, span), path[run].copy()
            smooth_where(path[run], STEADY, foot.rate, weight, smooth)
            shift[run] += weight[:, None] * (smooth - path[run])
