"""Foot paths: corrections of ankle and foot that keep contact points on their anchors, and ease in and out.

Only feet that slide are corrected. A *contact run* is a foot's contacts with less than ``EASE`` seconds between them.
Where all its points are nearer to their anchors than ``TOLERANCE`` nothing is corrected.

While a point of a sliding foot is in contact, the foot is moved so that the point stays on its anchor. While heel and
ball are both in contact the foot is also rotated, by the smallest rotation that takes the direction from heel to ball
to that between the anchors; roll about that direction stays the input's. Points nearer to each other than
``MIN_DISTANCE`` give no direction, and no rotation. Before and after contacts both corrections follow cubics whose
value and slope equal the contact's and which are zero ``EASE`` seconds away: the foot's speed has no jump.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.contacts import Contacts
from kinesphere.body.ground import SolePoint, runs
from kinesphere.maths import rotations
from kinesphere.maths.compiled import jit
from kinesphere.maths.filters import frame_count, smooth_where, widen
from kinesphere.maths.rotations import exponential_quaternion, quaternion_between, quaternion_product, rotate_vector
from kinesphere.maths.vectors import Bools, Floats

TOLERANCE = 0.001  # leg lengths: points that stay so near to their anchors are left alone
MIN_DISTANCE = 0.03  # leg lengths that heel and ball must be apart to give a direction
EASE = 0.2  # seconds before and after a contact in which its correction eases in and out
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


class FootPath(NamedTuple):
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
) -> FootPath:
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
    path = FootPath(*np.zeros((3, frames, 3)), *np.zeros((2, frames), dtype=bool))
    near = EASE * foot.rate, TOLERANCE * foot.unit
    find_sliding_kernel(foot.paths, foot.anchors, foot.labels, foot.performed, *near, path.in_contact, path.sliding)
    if path.sliding.any():
        foot.labels[~path.sliding] = False
        correct_sliding_foot(foot, path)
    return path


def correct_sliding_foot(foot: FootMotion, path: FootPath) -> None:
    """Write the correction of one foot that slides; its labels are those of contacts that do."""
    span = frame_count(STEADY_EASE, foot.rate)
    weight = widen(path.sliding, span, span)
    weight[~foot.performed] = 0.0
    steady_foot, steady_toes = (steady_rotations(foot, world, weight) for world in (foot.foot, foot.toes))
    points = np.empty((len(weight), foot.paths[0].size))
    rotate_points_kernel(foot.paths.reshape(points.shape), foot.ankle, steady_foot, points)
    if points.shape[1] == 6:
        align_with_anchors(foot, points, path.rotation)
    aligned = rotations.from_rotation_vector(path.rotation)
    rotate_points_kernel(points, foot.ankle, aligned, points)
    rotation_vectors_kernel(aligned, steady_foot, path.rotation)
    rotation_vectors_kernel(aligned, steady_toes, path.toe_rotation)
    shift_to_anchors(foot, points, path)
    remove_jolts(foot, path.shift)


# Which contacts are corrected


@jit
def find_sliding_kernel(
    paths: Floats,
    anchors: Floats,
    labels: Bools,
    performed: Bools,
    ease: float,
    tolerance: float,
    in_contact: Bools,
    sliding: Bools,
) -> None:
    """Find frames of contact ``(T,)``, and those of runs that slide."""
    frames, points = labels.shape
    first, last, slides = -1, -1, False
    for t in range(frames + 1):
        off = False  # a point is off its anchor
        for i in range(points):
            if t < frames and labels[t, i] and performed[t]:
                in_contact[t] = True
                square = 0.0
                for k in range(3):
                    square += (paths[t, i, k] - anchors[t, i, k]) * (paths[t, i, k] - anchors[t, i, k])
                off = off or math.sqrt(square) > tolerance
        if t < frames and not in_contact[t]:
            continue
        if first >= 0 and (t == frames or t - last >= max(ease, 1.5)):
            if slides:
                for i in range(first, last + 1):
                    sliding[i] = in_contact[i]
            first, slides = -1, False
        first = t if first < 0 else first
        last, slides = t, slides or off


# Rotation


def steady_rotations(foot: FootMotion, world: Floats, weight: Floats) -> Floats:
    """Rotations ``(T, 4)`` that take a weighted part of the jitter out of world rotations ``(T, 4)``.

    An ankle over a heel or ball on its anchor would shake as much as the foot's direction does.
    """
    steady, smooth = rotations.identity(len(world)), np.empty(world.shape)
    for run in foot.runs:
        smooth_where(rotations.continuous(world[run]), STEADY, foot.rate, weight[run], smooth[run])
    partial_rotations_kernel(world, smooth, weight, steady)
    return steady


@jit
def partial_rotations_kernel(start: Floats, end: Floats, share: Floats, result: Floats) -> None:
    """Shares ``(T,)`` of the rotations from ``start`` to ``end``, which need not have length 1, where above 0."""
    for t in range(share.size):
        if share[t] > 0.0:
            w, x, y, z = end[t, 0], end[t, 1], end[t, 2], end[t, 3]
            size = math.sqrt(w * w + x * x + y * y + z * z)
            w, x, y, z = quaternion_product(
                w / size, x / size, y / size, z / size, start[t, 0], -start[t, 1], -start[t, 2], -start[t, 3]
            )
            factor = share[t] * vector_factor(w, x, y, z)
            w, x, y, z = exponential_quaternion(factor * x, factor * y, factor * z)
            result[t, 0], result[t, 1], result[t, 2], result[t, 3] = w, x, y, z


@jit
def rotation_vectors_kernel(a: Floats, b: Floats, vectors: Floats) -> None:
    """The rotation vectors ``(T, 3)`` of products of quaternions ``(T, 4)``, by the shorter arc."""
    for t in range(a.shape[0]):
        w, x, y, z = quaternion_product(a[t, 0], a[t, 1], a[t, 2], a[t, 3], b[t, 0], b[t, 1], b[t, 2], b[t, 3])
        factor = vector_factor(w, x, y, z)
        vectors[t, 0], vectors[t, 1], vectors[t, 2] = factor * x, factor * y, factor * z


@jit
def rotate_points_kernel(points: Floats, centre: Floats, q: Floats, result: Floats) -> None:
    """Points ``(T, 3 P)`` rotated about a centre ``(T, 3)`` by quaternions ``(T, 4)``."""
    for t in range(q.shape[0]):
        x, y, z = centre[t, 0], centre[t, 1], centre[t, 2]
        for i in range(0, points.shape[1], 3):
            a, b, c = points[t, i] - x, points[t, i + 1] - y, points[t, i + 2] - z
            a, b, c = rotate_vector(q[t, 0], q[t, 1], q[t, 2], q[t, 3], a, b, c)
            result[t, i], result[t, i + 1], result[t, i + 2] = a + x, b + y, c + z


@jit
def vector_factor(w: float, x: float, y: float, z: float) -> float:
    """By what x, y, z of a quaternion must be multiplied to be its rotation vector, by the shorter arc."""
    sine, sign = math.sqrt(x * x + y * y + z * z), -1.0 if w < 0.0 else 1.0
    if sine < 0.05:  # the series of the arc sine; the remainder is below 1e-17
        s = sine * sine
        factor = 35.0 / 576.0 + s * (63.0 / 1408.0 + s * (231.0 / 6656.0))
        return sign * (2.0 + s * (1.0 / 3.0 + s * (3.0 / 20.0 + s * (5.0 / 56.0 + s * factor))))
    return sign * (2.0 * math.atan2(sine, sign * w) / sine)


def align_with_anchors(foot: FootMotion, points: Floats, rotation: Floats) -> None:
    """Rotate feet in contact at both points ``(T, 6)`` along their anchors."""
    least, both = MIN_DISTANCE * foot.unit, np.zeros(len(points), dtype=bool)
    bones, values = np.zeros((2, len(points), 3))
    align_kernel(points, foot.anchors.reshape(points.shape), foot.labels, least, bones, both, values)
    if both.any():
        slopes = velocities_where(foot, bones, both)
        undo_velocities_kernel(bones, both, slopes)
        ease_corrections(values, slopes, both, foot.performed, foot.rate, rotation)


@jit
def align_kernel(
    points: Floats, anchors: Floats, labels: Bools, least: float, bones: Floats, both: Bools, values: Floats
) -> None:
    """Rotation vectors ``(T, 3)`` from heel-to-ball to that of the anchors, where both are in contact."""
    for t in range(both.size):
        bone = line = 0.0
        for k in range(3):
            bones[t, k] = points[t, 3 + k] - points[t, k]
            values[t, k] = anchors[t, 3 + k] - anchors[t, k]
            bone, line = bone + bones[t, k] * bones[t, k], line + values[t, k] * values[t, k]
        both[t] = labels[t, 0] and labels[t, 1] and math.sqrt(bone) > least and math.sqrt(line) > least
        if both[t]:
            a, b, c = values[t, 0], values[t, 1], values[t, 2]
            w, x, y, z = quaternion_between(bones[t, 0], bones[t, 1], bones[t, 2], a, b, c)
            factor = vector_factor(w, x, y, z)
            values[t, 0], values[t, 1], values[t, 2] = factor * x, factor * y, factor * z


@jit
def undo_velocities_kernel(bones: Floats, where: Bools, velocities: Floats) -> None:
    """Make velocities ``(T, 3)`` of bones' ends into the slopes of a rotation that undoes them, where they count.

    In contact the correction undoes the foot's own rotation: its slope is minus the angular velocity.
    """
    for t in range(where.size):
        if where[t]:
            x, y, z = bones[t, 0], bones[t, 1], bones[t, 2]
            a, b, c = velocities[t, 0], velocities[t, 1], velocities[t, 2]
            square = x * x + y * y + z * z
            velocities[t, 0], velocities[t, 1] = (z * b - y * c) / square, (x * c - z * a) / square
            velocities[t, 2] = (y * a - x * b) / square


# Shift


def shift_to_anchors(foot: FootMotion, points: Floats, path: FootPath) -> None:
    """Shift ankles so that points, at ``(T, 3 P)`` after the rotation, are on their anchors in the mean."""
    values, slopes = np.zeros((2, len(points), 3))
    velocities = velocities_where(foot, points, path.sliding)
    mean_errors_kernel(foot.anchors.reshape(points.shape), points, velocities, foot.labels, values, slopes)
    ease_corrections(values, slopes, path.sliding, foot.performed, foot.rate, path.shift)


@jit
def mean_errors_kernel(
    anchors: Floats, points: Floats, velocities: Floats, labels: Bools, values: Floats, slopes: Floats
) -> None:
    """From points ``(T, 3 P)`` to anchors, the mean ``(T, 3)`` over those in contact, and its slope; zero before."""
    for t in range(labels.shape[0]):
        number = 0
        for i in range(labels.shape[1]):
            number += 1 if labels[t, i] else 0
        for i in range(labels.shape[1]):
            if labels[t, i]:
                for k in range(3):
                    values[t, k] += (anchors[t, 3 * i + k] - points[t, 3 * i + k]) / number
                    slopes[t, k] -= velocities[t, 3 * i + k] / number


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


# Easing in and out of contacts


@jit
def ease_corrections(values: Floats, slopes: Floats, known: Bools, allowed: Bools, rate: float, result: Floats) -> None:
    """Values ``(T, 3)`` where known; elsewhere cubics that leave each known stretch with its value and slope.

    They reach zero ``EASE`` seconds away, or the next known stretch if that is nearer than twice as far. Slopes are a
    second. Frames that are not allowed stay as they are.
    """
    frames, ease, before, after = known.size, EASE * rate, -1, -1  # the known frames before and after
    for t in range(frames):
        if known[t]:
            before = t
            for k in range(3):
                result[t, k] = values[t, k]
            continue
        if after < t:
            after = t
            while after < frames and not known[after]:
                after += 1
        leaves, comes = before >= 0, after < frames
        start, end = float(before), float(after)  # of the cubic
        if not (leaves and comes and after - before <= 2.0 * ease):
            leaves = leaves and t <= before + ease
            comes = comes and t >= after - ease
            start, end = start if leaves else after - ease, end if comes else before + ease
        if not (leaves or comes) or not allowed[t]:
            continue
        u, seconds = (t - start) / (end - start), (end - start) / rate
        for k in range(3):
            a, left = (values[before, k], slopes[before, k] * seconds) if leaves else (0.0, 0.0)
            b, right = (values[after, k], slopes[after, k] * seconds) if comes else (0.0, 0.0)
            chord = b - a
            result[t, k] = a + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)))
