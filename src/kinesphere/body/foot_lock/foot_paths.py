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

from kinesphere.body.contacts import Contacts
from kinesphere.body.ground import SolePoint
from kinesphere.maths.compiled import jit
from kinesphere.maths.filters import (
    bell_kernel,
    frame_count,
    gaussian_radius,
    gaussian_row,
    gaussian_weights_kernel,
    running_maximum_kernel,
    second_difference_length,
    velocity_kernel,
)
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
    given = (np.ascontiguousarray(array) for array in (paths, anchors, labels, *world, performed))
    path = FootPath(*np.zeros((3, frames, 3)), *np.zeros((2, frames), dtype=bool))
    correct_foot_kernel(FootMotion(*given), float(contacts.rate), float(unit), path)
    return path


@jit
def correct_foot_kernel(foot: FootMotion, rate: float, unit: float, path: FootPath) -> None:
    """Write the correction of one foot into ``path``, which is zero before."""
    frames, points = foot.labels.shape
    labels = np.empty((frames, points), dtype=np.bool_)
    if not find_sliding(foot, EASE * rate, TOLERANCE * unit, path, labels):
        return
    weight = contact_weight(path.sliding, foot.performed, rate)
    steady_foot, steady_toes = np.empty((frames, 4)), np.empty((frames, 4))
    steady_rotations(foot.foot, weight, foot.performed, rate, steady_foot)
    steady_rotations(foot.toes, weight, foot.performed, rate, steady_toes)
    offsets = np.empty((frames, 3 * points))  # from the ankle to the points
    ankle = foot.ankle
    for t in range(frames):
        w, x, y, z = steady_foot[t, 0], steady_foot[t, 1], steady_foot[t, 2], steady_foot[t, 3]
        for i in range(points):
            a, b, c = (
                foot.paths[t, i, 0] - ankle[t, 0],
                foot.paths[t, i, 1] - ankle[t, 1],
                foot.paths[t, i, 2] - ankle[t, 2],
            )
            a, b, c = rotate_vector(w, x, y, z, a, b, c)
            offsets[t, 3 * i], offsets[t, 3 * i + 1], offsets[t, 3 * i + 2] = a, b, c
    if points == 2:
        align_with_anchors(foot, labels, rate, MIN_DISTANCE * unit, offsets, path.rotation)
    rotation = path.rotation
    for t in range(frames):
        if rotation[t, 0] != 0.0 or rotation[t, 1] != 0.0 or rotation[t, 2] != 0.0 or weight[t] > 0.0:
            w, x, y, z = exponential_quaternion(rotation[t, 0], rotation[t, 1], rotation[t, 2])
            for q, vector in ((steady_foot[t], rotation[t]), (steady_toes[t], path.toe_rotation[t])):
                e, f, g, h = quaternion_product(w, x, y, z, q[0], q[1], q[2], q[3])
                vector[0], vector[1], vector[2] = rotation_vector(e, f, g, h)
        for i in range(points):
            for k in range(3):
                offsets[t, 3 * i + k] += ankle[t, k]
    shift_to_anchors(foot, labels, rate, offsets, path)
    remove_jolts(ankle, foot.performed, rate, MAX_JOLT * unit, path.shift)


# Which contacts are corrected, and when


@jit
def find_sliding(foot: FootMotion, ease: float, tolerance: float, path: FootPath, labels: Bools) -> bool:
    """Find frames of contact, those of runs that slide, and ``labels (T, P)`` of points then; whether there are any."""
    frames, points = foot.labels.shape
    off = np.zeros(frames, dtype=np.bool_)  # a point is off its anchor
    for t in range(frames):
        for i in range(points):
            if foot.labels[t, i] and foot.performed[t]:
                path.in_contact[t] = True
                off[t] |= distance(foot.paths[t, i], foot.anchors[t, i]) > tolerance
    first, last, slides, found = -1, -1, False, False
    for t in range(frames + 1):
        if t < frames and not path.in_contact[t]:
            continue
        if first >= 0 and (t == frames or t - last >= max(ease, 1.5)):
            if slides:
                found = True
                for i in range(first, last + 1):
                    path.sliding[i] = path.in_contact[i]
            first, slides = -1, False
        if t < frames:
            first = t if first < 0 else first
            last = t
            slides = slides or off[t]
    for t in range(frames):
        for i in range(points):
            labels[t, i] = foot.labels[t, i] and path.sliding[t]
    return found


@jit
def distance(a: Floats, b: Floats) -> float:
    """The distance of two points ``(3,)``."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@jit
def contact_weight(flags: Bools, performed: Bools, rate: float) -> Floats:
    """``(T,)`` 1 in flagged frames, easing to 0 around them; 0 in frames that were not performed."""
    frames, span = flags.size, frame_count(STEADY_EASE, rate)
    values, wide = np.empty(frames), np.empty(frames)
    for t in range(frames):
        values[t] = 1.0 if flags[t] else 0.0
    running_maximum_kernel(values, 0, frames - 1, span, wide)
    bell_kernel(wide, 0, frames - 1, span, values)
    for t in range(frames):
        if not performed[t]:
            values[t] = 0.0
    return values


@jit
def run_end(performed: Bools, first: int) -> int:
    """The last frame of the performed run that begins at ``first``."""
    last = first
    while last + 1 < performed.size and performed[last + 1]:
        last += 1
    return last


# Rotation


@jit
def steady_rotations(world: Floats, weight: Floats, performed: Bools, rate: float, steady: Floats) -> None:
    """Rotations ``(T, 4)`` that take a weighted part of the jitter out of world rotations ``(T, 4)``.

    An ankle over a heel or ball on its anchor would shake as much as the foot's direction does.
    """
    frames = weight.size
    even, row = np.empty((frames, 4)), np.empty(4)  # with signs that do not flip; one low-passed frame
    for t in range(frames):
        steady[t, 0], steady[t, 1], steady[t, 2], steady[t, 3] = 1.0, 0.0, 0.0, 0.0
    first = 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = run_end(performed, first)
        sign = 1.0
        for t in range(first, last + 1):
            if t > first:
                a, b = world[t], world[t - 1]
                if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                    sign = -sign
            for k in range(4):
                even[t, k] = sign * world[t, k]
        radius = gaussian_radius(STEADY, rate, last - first + 1)
        if radius >= 1:
            weights = gaussian_weights_kernel(radius, rate, STEADY)
            for t in range(first, last + 1):
                if weight[t] > 0.0:
                    gaussian_row(even, first, last, weights, t, row)
                    partial_rotation(world[t], row, weight[t], steady[t])
        first = last + 1


@jit
def partial_rotation(start: Floats, end: Floats, share: float, result: Floats) -> None:
    """A share of the rotation from ``start (4,)`` to ``end (4,)``, which need not have length 1."""
    size = math.sqrt(end[0] * end[0] + end[1] * end[1] + end[2] * end[2] + end[3] * end[3])
    w, x, y, z = quaternion_product(
        end[0] / size, end[1] / size, end[2] / size, end[3] / size, start[0], -start[1], -start[2], -start[3]
    )
    x, y, z = rotation_vector(w, x, y, z)
    result[0], result[1], result[2], result[3] = exponential_quaternion(share * x, share * y, share * z)


@jit
def rotation_vector(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The rotation vector of a quaternion, by the shorter arc."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 0.05:  # the series of the arc sine; the remainder is below 1e-17
        s = sine * sine
        factor = 35.0 / 576.0 + s * (63.0 / 1408.0 + s * (231.0 / 6656.0))
        factor = 2.0 + s * (1.0 / 3.0 + s * (3.0 / 20.0 + s * (5.0 / 56.0 + s * factor)))
    else:
        factor = 2.0 * math.atan2(sine, w) / sine
    return factor * x, factor * y, factor * z


@jit
def align_with_anchors(
    foot: FootMotion, labels: Bools, rate: float, min_distance: float, offsets: Floats, rotation: Floats
) -> None:
    """Rotate feet in contact at both points along their anchors, and ``offsets (T, 6)`` of the points with them."""
    frames, performed, anchors = offsets.shape[0], foot.performed, foot.anchors
    both, found = np.zeros(frames, dtype=np.bool_), False
    bones, slopes, values = np.empty((frames, 3)), np.zeros((frames, 3)), np.zeros((frames, 3))
    for t in range(frames):
        for k in range(3):
            bones[t, k] = offsets[t, 3 + k] - offsets[t, k]
        x, y, z = bones[t, 0], bones[t, 1], bones[t, 2]
        if not (labels[t, 0] and labels[t, 1] and math.sqrt(x * x + y * y + z * z) > min_distance):
            continue
        if distance(anchors[t, 1], anchors[t, 0]) > min_distance:
            both[t] = found = True
            heel, ball = anchors[t, 0], anchors[t, 1]
            q, x, y, z = quaternion_between(x, y, z, ball[0] - heel[0], ball[1] - heel[1], ball[2] - heel[2])
            values[t, 0], values[t, 1], values[t, 2] = rotation_vector(q, x, y, z)
    if not found:
        return
    row, first = np.empty(3), 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = run_end(performed, first)
        for t in range(first, last + 1):
            if at_edge(both, t):
                # In contact the correction undoes the foot's own rotation: its slope is minus the angular velocity.
                velocity_kernel(bones, first, last, t, slope_window(rate), rate, row)
                x, y, z = bones[t, 0], bones[t, 1], bones[t, 2]
                square = max(x * x + y * y + z * z, min_distance * min_distance)
                slopes[t, 0] = -(y * row[2] - z * row[1]) / square
                slopes[t, 1] = -(z * row[0] - x * row[2]) / square
                slopes[t, 2] = -(x * row[1] - y * row[0]) / square
        first = last + 1
    ease_corrections(values, slopes, both, performed, rate, rotation)
    for t in range(frames):
        if rotation[t, 0] != 0.0 or rotation[t, 1] != 0.0 or rotation[t, 2] != 0.0:
            w, x, y, z = exponential_quaternion(rotation[t, 0], rotation[t, 1], rotation[t, 2])
            for i in range(2):
                a, b, c = rotate_vector(w, x, y, z, offsets[t, 3 * i], offsets[t, 3 * i + 1], offsets[t, 3 * i + 2])
                offsets[t, 3 * i], offsets[t, 3 * i + 1], offsets[t, 3 * i + 2] = a, b, c


# Shift


@jit
def shift_to_anchors(foot: FootMotion, labels: Bools, rate: float, points: Floats, path: FootPath) -> None:
    """Shift ankles so that points, at ``(T, 3 P)`` after the rotation, are on their anchors in the mean."""
    frames, count = labels.shape
    values, slopes, row = np.zeros((frames, 3)), np.zeros((frames, 3)), np.empty(3 * count)
    first = 0
    while first < frames:
        if not foot.performed[first]:
            first += 1
            continue
        last = run_end(foot.performed, first)
        for t in range(first, last + 1):
            number = 0
            for i in range(count):
                number += 1 if labels[t, i] else 0
            if number == 0:
                continue
            edge = at_edge(path.sliding, t)
            if edge:
                velocity_kernel(points, first, last, t, slope_window(rate), rate, row)
            for i in range(count):
                if labels[t, i]:
                    for k in range(3):
                        values[t, k] += (foot.anchors[t, i, k] - points[t, 3 * i + k]) / number
                        if edge:
                            slopes[t, k] -= row[3 * i + k] / number
        first = last + 1
    ease_corrections(values, slopes, path.sliding, foot.performed, rate, path.shift)


@jit
def slope_window(rate: float) -> float:
    """Frames to each side over which slopes are measured."""
    return max(SLOPE_WINDOW * rate, 1.0)


@jit
def remove_jolts(ankle: Floats, performed: Bools, rate: float, max_jolt: float, shift: Floats) -> None:
    """Low-pass the shifted path where it jolts and the input's ankle ``(T, 3)`` did not.

    A foot that goes over from the ball to the heel does, on anchors farther apart than the points.
    """
    frames = performed.size
    jolts, path, flags = np.zeros(frames), np.empty((frames, 3)), np.zeros(frames)
    for t in range(frames):
        for k in range(3):
            path[t, k] = ankle[t, k] + shift[t, k]
    around, weight, row, first = np.empty(frames), np.empty(frames), np.empty(3), 0
    span = frame_count(STEADY_EASE, rate)
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = run_end(performed, first)
        for t in range(first + 1, last):
            jolts[t] = second_difference_length(ankle, t) * rate
        running_maximum_kernel(jolts, first, last, JOLT_WINDOW, around)
        found = False
        for t in range(first + 1, last):
            if second_difference_length(path, t) * rate > around[t] + max_jolt:
                flags[t], found = 1.0, True
        radius = gaussian_radius(STEADY, rate, last - first + 1)
        if found and radius >= 1:
            running_maximum_kernel(flags, first, last, span, around)
            bell_kernel(around, first, last, span, weight)
            weights = gaussian_weights_kernel(radius, rate, STEADY)
            for t in range(first, last + 1):
                if weight[t] > 0.0:
                    gaussian_row(path, first, last, weights, t, row)
                    for k in range(3):
                        shift[t, k] += weight[t] * (row[k] - path[t, k])
        first = last + 1


# Easing in and out of contacts


@jit
def ease_corrections(values: Floats, slopes: Floats, known: Bools, allowed: Bools, rate: float, result: Floats) -> None:
    """Values ``(T, 3)`` where known; elsewhere cubics that leave each known stretch with its value and slope.

    They reach zero ``EASE`` seconds away, or the next known stretch if that is nearer than twice as far. Slopes are a
    second. Frames that are not allowed stay as they are.
    """
    zero, ease = np.zeros(3), EASE * rate
    before = -1  # the end of the known stretch before
    for t in range(known.size):
        if not known[t]:
            continue
        for k in range(3):
            result[t, k] = values[t, k]
        if t == 0 or not known[t - 1]:
            here = Knot(float(t), values[t], slopes[t])
            if before >= 0:
                there = Knot(float(before), values[before], slopes[before])
                if t - before <= 2.0 * ease:
                    fill_with_cubic(there, here, known, allowed, rate, result)
                else:
                    fill_with_cubic(there, Knot(before + ease, zero, zero), known, allowed, rate, result)
            if before < 0 or t - before > 2.0 * ease:
                fill_with_cubic(Knot(t - ease, zero, zero), here, known, allowed, rate, result)
        before = t
    if before >= 0:
        there = Knot(float(before), values[before], slopes[before])
        fill_with_cubic(there, Knot(before + ease, zero, zero), known, allowed, rate, result)


class Knot(NamedTuple):
    """An end of a cubic."""

    frame: float
    value: Floats  # (3,)
    slope: Floats  # (3,) a second


@jit
def fill_with_cubic(start: Knot, end: Knot, known: Bools, allowed: Bools, rate: float, result: Floats) -> None:
    """Hermite's cubic between two knots, written to allowed frames that are not known."""
    span = end.frame - start.frame
    if span <= 0.0:
        return
    seconds = span / rate
    for t in range(max(math.ceil(start.frame), 0), min(math.floor(end.frame), known.size - 1) + 1):
        if known[t] or not allowed[t]:
            continue
        u = (t - start.frame) / span
        for k in range(3):
            a, left, right = start.value[k], start.slope[k] * seconds, end.slope[k] * seconds
            chord = end.value[k] - a
            result[t, k] = a + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)))


@jit
def at_edge(known: Bools, t: int) -> bool:
    """Whether a known stretch begins or ends at ``t``."""
    return bool(known[t] and (t == 0 or not known[t - 1] or t + 1 == known.size or not known[t + 1]))
