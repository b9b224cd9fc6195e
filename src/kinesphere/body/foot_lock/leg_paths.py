"""Leg paths: how hips and knees follow corrected feet, by least squares along time.

A leg between a moving hip and an ankle at its target must change its length, and a nearly straight knee bends by
degrees for a millimetre. Three things can give: the knee, the hips (up, down, sideways and rolling) and the ankle. All
frames are solved together, for the least sum of squares of

- ankle errors, the distances of ankles from their targets, and the accelerations of these errors;
- corrections of knees and hips;
- accelerations of these corrections, *measured by how much the input accelerates there*. Where a capture jolts as a
  whole, feet that no longer do need hips that no longer do;
- how far knees are straighter than they were and than ``STRAIGHTEST``.

So hardly anything is rougher than it was, and only near contacts that slide does anything move at all. There, too, a
knee that snaps faster than knees do is smoothed by itself, on legs with bones of fixed lengths. Flexion has a sign, as
captures bend straight knees a little backward: a knee passes through straight without a kink.

The equations are not linear: ``ROUNDS`` Gauss–Newton steps are taken, each with a banded matrix, as the unknowns of a
frame are tied to those of the next two frames only. The last section finds the *swivel* of each leg, its rotation about
the line from hip to ankle, in the same manner.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import performed_flags
from kinesphere.maths import rotations
from kinesphere.maths.compiled import jit
from kinesphere.maths.filters import (
    bell_kernel,
    frame_count,
    gaussian_radius,
    gaussian_row,
    gaussian_weights_kernel,
    running_maximum_kernel,
    second_difference_length,
)
from kinesphere.maths.rotations import exponential_quaternion, rotate_vector
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.motion import Motion

# What counts as one unit in the sum of squares: lengths in leg lengths, knees in radians, time in seconds.
ANKLE_ERROR, ANKLE_ERROR_FREE = 0.0025, 0.01  # in contact, between contacts
ANKLE_ERROR_ACCELERATION = 10.0
# The five unknowns of a frame: hips up, one hip up and the other down, hips to the left, left knee, right knee.
CORRECTIONS = (0.03, 0.004, 0.004, 0.3, 0.3)
# Their accelerations; the sixth is the hips' own sideways motion, below the trunk.
ACCELERATIONS = (1.0, 0.5, 0.5, 15.0, 15.0, 0.5)
OWN_SHARE = 0.5  # share of the hips' own acceleration, added to these
JOLT = 40.0  # acceleration beyond which trunk and head together jolt
SNAP, SNAP_SHARE = 120.0, 0.1  # acceleration beyond which a knee snaps, and the share of the snap added to these
STRAIGHTEST, TOO_STRAIGHT = 0.07, 0.01  # flexion below which no knee is made straighter; by how much it may be
STRAIGHT_TOLERANCE = 1e-6  # radians straighter that don't count: rounding must not decide which knees are limited
MIN_FLEXION = 0.05  # a straighter knee is taken to shorten its leg as if it were bent so much
MAX_HIP_RISE = 0.08  # leg lengths that the hips may move
NEAR, FADE = 0.2, 0.08  # seconds from a contact in which hips and knees may move, and over which that ends
START = 0.05  # seconds, sigma of the low-pass on the knees' first guess
MARGIN = 0.4  # seconds around frames that may move in which others are part of the equations
ROUNDS = 4  # of linearising

# Swivels: one unit of a knee's sideways step (leg lengths), of the angle (radians), and of the knee's acceleration.
SWIVEL_STEP, SWIVEL_ANGLE, SWIVEL_ACCELERATION = 0.02, 0.3, 1.0
SWIVEL_OWN_SHARE = 0.1  # share of the knee's own acceleration, added to that
SWIVEL_ANGLE_ACCELERATION = 20.0  # radians a second squared of a straight leg, whose thigh would rotate with any swivel
SWIVEL_STRAIGHT = 0.03  # leg lengths that a knee is off the line from hip to ankle, up to which the leg is straight
SWIVEL_ROUGH = 3.0  # acceleration, as SWIVEL_ACCELERATION, of a knee that jumps by itself; then its leg may swivel too

UNKNOWNS = 5  # a frame
WIDTH = 15  # they are tied to themselves and to those of the next two frames


class LegModel(NamedTuple):
    """Both legs as the input has them, left first, in leg lengths and radians."""

    hip_to_ankle: Floats  # (2, T, 3) from the hip as it was to the ankle's target
    shift: Floats  # (2, T, 3) from the ankle as it was to its target
    hip: Floats  # (2, T, 3)
    hips: Floats  # (T, 3) the joint that carries legs and trunk
    trunk: Floats  # (T, 3) where the trunk begins: the hips roll about this point
    head: Floats  # (T, 3) or the hips, if there is none
    knee: Floats  # (2, T, 3)
    upper: Floats  # (2, T) length of the thigh
    lower: Floats  # (2, T) length of the shin
    flexion: Floats  # (2, T) below zero where bent backward
    forward: Floats  # (2, T, 3) the direction in which a knee moves if bent more, a unit vector
    rigid: Bools  # (2,) whether bones keep their lengths and the foot is a descendant of the shin
    left: Floats  # (T, 3) horizontal, a unit vector
    roll_vector: Floats  # (T, 3) the rotation vector that raises the left hip by one and lowers the right by one


class LegPaths(NamedTuple):
    """The motion of hips and knees that follows."""

    rise: Floats  # (T,) leg lengths
    roll: Floats  # (T,) leg lengths that the left hip goes up and the right one down
    sway: Floats  # (T,) leg lengths to the left
    flexion: Floats  # (2, T)
    weight: Floats  # (T,) 1 where hips and knees may move, easing to 0


class FootStates(NamedTuple):
    """When feet are in contact, left first."""

    in_contact: Bools  # (2, T)
    sliding: Bools  # (2, T) in a contact run that is corrected
    performed: Bools  # (T,) whether a frame was performed


class Residuals(NamedTuple):
    """Weights of the squares that don't change from round to round."""

    weight: Floats  # (T,) how far hips and knees may move
    ankle: Floats  # (T, 2) of ankle errors
    stiffness: Floats  # (T, 6) of the corrections' second differences
    target: Floats  # (T, 6) second differences that the corrections should have


class Equations(NamedTuple):
    """Symmetric banded equations; ``bands[i, k]`` ties unknown i to i + k. Rows beyond the last are there, and zero."""

    bands: Floats  # (N + 15, 15)
    right: Floats  # (N + 15,)


class Linearisation(NamedTuple):
    """Ankle errors as linear functions of the unknowns."""

    rows: Floats  # (T, 2, 4) derivatives by the hips' three unknowns and the leg's own knee
    goal: Floats  # (T, 2) values for which the errors are zero


def solve_leg_paths(model: LegModel, in_contact: Bools, sliding: Bools, motion: Motion) -> LegPaths:
    """Paths of hips and knees; as the input's from ``NEAR + FADE`` seconds before or after contacts that slide.

    The unknowns of each frame are how far the hips rise, roll and sway and how much more the left and the right knee
    are bent than they were.
    """
    x, weight = np.empty((len(motion), UNKNOWNS)), np.empty(len(motion))
    feet = FootStates(in_contact, sliding, performed_flags(motion))
    solve_leg_paths_kernel(model, feet, float(motion.rate), x, weight)
    rise, roll, sway, *bends = np.ascontiguousarray(x.T)
    return LegPaths(rise, roll, sway, model.flexion + bends, weight)


def hip_displacement(model: LegModel, paths: LegPaths, points: Floats) -> Floats:
    """``(T, 3)`` how far points ``(T, 3)`` that are fixed in the hips move with them."""
    arms = points - model.trunk
    roll = rotations.from_rotation_vector(paths.roll[:, None] * model.roll_vector)
    step: Floats = rotations.rotate(roll, arms) - arms + paths.sway[:, None] * model.left
    step[:, 1] += paths.rise
    return step


@jit
def solve_leg_paths_kernel(model: LegModel, feet: FootStates, rate: float, x: Floats, weight: Floats) -> None:
    """Write the unknowns ``(T, 5)``, and how far they may differ from zero ``(T,)``."""
    frames = feet.performed.size
    ankle, stiffness, target = np.empty((frames, 2)), np.empty((frames, 6)), np.zeros((frames, 6))
    weigh_frames(feet, rate, weight, ankle)
    guess_unknowns(model, feet, weight, rate, x)
    residuals = Residuals(weight, ankle, stiffness, target)
    measure_stiffness(model, feet.performed, rate, residuals)
    solve_stretches(model, feet.performed, residuals, rate, x)
    for t in range(frames):
        for k in range(UNKNOWNS):
            x[t, k] *= weight[t]


@jit
def weigh_frames(feet: FootStates, rate: float, weight: Floats, ankle: Floats) -> None:
    """How far hips and knees may move ``(T,)``, and weights of ankle errors ``(T, 2)``."""
    frames = feet.performed.size
    values, wide, contact = np.empty(frames), np.empty(frames), np.empty(frames)
    for t in range(frames):
        values[t] = 1.0 if feet.sliding[0, t] or feet.sliding[1, t] else 0.0
    running_maximum_kernel(values, 0, frames - 1, frame_count(NEAR, rate), wide)
    bell_kernel(wide, 0, frames - 1, frame_count(FADE, rate), weight)
    for t in range(frames):
        weight[t] = weight[t] if feet.performed[t] else 0.0
    low, high = math.log(ANKLE_ERROR), math.log(ANKLE_ERROR_FREE)
    span = frame_count(0.5 * FADE, rate)
    for i in range(2):
        for t in range(frames):
            values[t] = 1.0 if feet.in_contact[i, t] else 0.0
        running_maximum_kernel(values, 0, frames - 1, span, wide)
        bell_kernel(wide, 0, frames - 1, span, contact)
        for t in range(frames):
            ankle[t, i] = math.exp(-2.0 * (contact[t] * low + (1.0 - contact[t]) * high))


# The first guess


@jit
def guess_unknowns(model: LegModel, feet: FootStates, weight: Floats, rate: float, x: Floats) -> None:
    """Hips low enough for feet in contact, and knees bent as that needs, low-passed."""
    frames = weight.size
    need, wide, low = np.zeros(frames), np.empty(frames), np.empty(frames)
    for t in range(frames):
        for i in range(2):
            if feet.in_contact[i, t]:
                leg = model.hip_to_ankle[i, t]
                bend = min(max(model.flexion[i, t], 0.0), STRAIGHTEST)
                longest = leg_reach(bend, model.upper[i, t], model.lower[i, t])
                excess = math.sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2]) - longest
                need[t] = max(need[t], min(max(excess, 0.0), MAX_HIP_RISE))
    span = frame_count(0.5 * NEAR, rate)
    running_maximum_kernel(need, 0, frames - 1, span, wide)
    bell_kernel(wide, 0, frames - 1, span, low)
    change, row = np.empty((frames, 2)), np.empty(2)
    for t in range(frames):
        for k in range(UNKNOWNS):
            x[t, k] = 0.0
        x[t, 0] = -weight[t] * low[t]
        for i in range(2):
            leg, upper, lower = model.hip_to_ankle[i, t], model.upper[i, t], model.lower[i, t]
            y = leg[1] + low[t]
            square = leg[0] * leg[0] + y * y + leg[2] * leg[2]
            cosine = (square - upper * upper - lower * lower) / (2.0 * upper * lower)
            flexion = math.acos(min(max(cosine, -1.0), 1.0))
            if model.flexion[i, t] < -MIN_FLEXION:
                flexion = -flexion
            change[t, i] = min(max(flexion - model.flexion[i, t], -CORRECTIONS[3]), CORRECTIONS[3])
    first = 0
    while first < frames:
        last = first
        while last + 1 < frames and feet.performed[first] and feet.performed[last + 1]:
            last += 1
        radius = gaussian_radius(START, rate, last - first + 1)
        weights = gaussian_weights_kernel(max(radius, 0), rate, START)
        for t in range(first, last + 1):
            if weight[t] > 0.0:
                gaussian_row(change, first, last, weights, t, row)
                x[t, 3], x[t, 4] = weight[t] * row[0], weight[t] * row[1]
        first = last + 1


@jit
def leg_reach(flexion: float, upper: float, lower: float) -> float:
    """The distance from hip to ankle at a flexion: the law of cosines in half angles."""
    c, s = (upper + lower) * math.cos(0.5 * flexion), (upper - lower) * math.sin(0.5 * flexion)
    return math.sqrt(c * c + s * s)


# How rough the input is


@jit
def measure_stiffness(model: LegModel, performed: Bools, rate: float, residuals: Residuals) -> None:
    """Weights ``(T, 6)`` of the corrections' second differences, and values ``(T, 6)`` that these should have.

    Corrections may accelerate a little more than a share of the input; up, down and sideways only as trunk and head do
    in common, as both go along. They should not accelerate, but to take away jolts of both, and a knee's snap as far as
    the knee jolts forward or back with it once its foot is corrected; where bones change their lengths or the foot is
    no descendant of the shin, only as far as the foot's correction does that.
    """
    weight, rough, target = residuals.weight, residuals.stiffness, residuals.target
    frames, square = weight.size, rate * rate
    own = np.zeros((frames, 4))
    up = np.array([0.0, 1.0, 0.0])
    for t in range(frames):
        for k in range(6):
            rough[t, k] = ACCELERATIONS[k]
        if not (0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        left, right = square * second_difference(model.hip[0], t, up), square * second_difference(model.hip[1], t, up)
        rise = common_part(0.5 * (left + right), square * second_difference(model.head, t, up))
        side = model.left[t]
        trunk, head = second_difference(model.trunk, t, side), second_difference(model.head, t, side)
        sway = common_part(square * trunk, square * head)
        own[t, 0], own[t, 1], own[t, 2] = abs(rise), abs(0.5 * (left - right)), abs(sway)
        own[t, 3] = abs(square * second_difference(model.hips, t, side))
        if weight[t] <= 0.0:
            continue
        target[t, 0] = weight[t] * (min(max(rise, -JOLT), JOLT) - rise) / square
        target[t, 2] = weight[t] * (min(max(sway, -JOLT), JOLT) - sway) / square
        for i in range(2):
            bend = square * (model.flexion[i, t - 1] - 2.0 * model.flexion[i, t] + model.flexion[i, t + 1])
            excess = bend - min(max(bend, -SNAP), SNAP)
            if excess != 0.0:
                snap = weight[t] * common_part(excess, knee_jolt(model, i, t, square))
                target[t, 3 + i] = -snap / square
                rough[t, 3 + i] += SNAP_SHARE * abs(snap)
    for t in range(frames):
        for k in range(4):
            most = own[t, k]
            most = max(most, own[t - 1, k]) if t > 0 else most
            most = max(most, own[t + 1, k]) if t < frames - 1 else most
            rough[t, k if k < 3 else 5] += OWN_SHARE * most
        for k in range(6):
            rough[t, k] = (square / rough[t, k]) ** 2


@jit
def second_difference(values: Floats, t: int, direction: Floats) -> float:
    """The second difference of ``(T, 3)`` in a frame, along a direction ``(3,)``."""
    found = 0.0
    for c in range(3):
        found += (values[t - 1, c] - 2.0 * values[t, c] + values[t + 1, c]) * direction[c]
    return found


@jit
def common_part(a: float, b: float) -> float:
    """The smaller of two numbers where they have one sign, else 0."""
    if a * b <= 0.0:
        return 0.0
    size = min(abs(a), abs(b))
    return size if a > 0.0 else -size


@jit
def knee_jolt(model: LegModel, i: int, t: int, square: float) -> float:
    """The angular acceleration of a knee's flexion that goes with how the knee jolts forward or back."""
    upper, lower, flexion = model.upper[i, t], model.lower[i, t], model.flexion[i, t]
    sine, cosine, product = math.sin(flexion), math.cos(flexion), upper * lower
    length = leg_reach(flexion, upper, lower)
    # leg lengths that a knee comes forward a radian
    advance = max(product * (cosine + product * (sine / length) ** 2) / length, 0.05)
    forward = model.forward[i, t]
    knee = square * second_difference(model.knee[i], t, forward) / advance
    foot = square * second_difference(model.shift[i], t, forward) / advance * (upper / (upper + lower))
    both: float = knee + foot
    if not model.rigid[i]:
        both = common_part(both, foot)
    return both


# The equations


@jit
def solve_stretches(model: LegModel, performed: Bools, residuals: Residuals, rate: float, x: Floats) -> None:
    """Solve every stretch in which something may move, with a margin in which that could still be felt."""
    frames, margin = performed.size, int(MARGIN * rate) + 2
    most = UNKNOWNS * frames + WIDTH
    constant = Equations(np.zeros((most, WIDTH)), np.zeros(most))
    equations = Equations(np.empty((most, WIDTH)), np.empty(most))
    linear = Linearisation(np.zeros((frames + 2, 2, 4)), np.empty((frames, 2)))
    t = 0
    while t < frames:
        if residuals.weight[t] <= 0.0:
            t += 1
            continue
        first, last, t = t, t, t + 1
        while first > 0 and performed[first - 1] and last - first < margin:
            first -= 1
        while t < frames and performed[t] and t - last <= 2 * margin:
            last = t if residuals.weight[t] > 0.0 else last
            t += 1
        t = last + 1
        end = last
        while end + 1 < frames and performed[end + 1] and end - last < margin:
            end += 1
        size = UNKNOWNS * (end - first + 1) + WIDTH
        constant.bands[:size] = 0.0
        constant.right[:size] = 0.0
        add_corrections(model, first, end, residuals, constant)
        for _ in range(ROUNDS):
            equations.bands[:size] = constant.bands[:size]
            equations.right[:size] = constant.right[:size]
            linearise_ankles(model, first, end, x, linear)
            add_ankles(first, end, residuals.ankle, linear, rate, equations)
            add_straight_knees(model, first, end, x, equations)
            solve_bands(equations, end - first + 1)
            for f in range(first, end + 1):
                for k in range(UNKNOWNS):
                    x[f, k] = equations.right[UNKNOWNS * (f - first) + k]
                x[f, 0] = min(max(x[f, 0], -MAX_HIP_RISE), MAX_HIP_RISE)


@jit
def linearise_ankles(model: LegModel, first: int, last: int, x: Floats, linear: Linearisation) -> None:
    """Derivatives of both ankles' errors by the unknowns, and the values at which the errors vanish."""
    for t in range(first, last + 1):
        vector, left, trunk = model.roll_vector[t], model.left[t], model.trunk[t]
        rise, roll, sway = x[t, 0], x[t, 1], x[t, 2]
        w, a, b, c = exponential_quaternion(roll * vector[0], roll * vector[1], roll * vector[2])
        for i in range(2):
            hip, leg = model.hip[i, t], model.hip_to_ankle[i, t]
            px, py, pz = hip[0] - trunk[0], hip[1] - trunk[1], hip[2] - trunk[2]
            qx, qy, qz = rotate_vector(w, a, b, c, px, py, pz)
            gx = leg[0] - (qx - px + sway * left[0])
            gy = leg[1] - (qy - py + rise + sway * left[1])
            gz = leg[2] - (qz - pz + sway * left[2])
            far = max(math.sqrt(gx * gx + gy * gy + gz * gz), 1e-9)
            flexion = model.flexion[i, t] + x[t, 3 + i]
            upper, lower = model.upper[i, t], model.lower[i, t]
            cosine, sine = math.cos(0.5 * flexion), math.sin(0.5 * flexion)
            length = math.sqrt(((upper + lower) * cosine) ** 2 + ((upper - lower) * sine) ** 2)
            # straighter knees count as bent a little
            bent = flexion < -MIN_FLEXION or flexion > MIN_FLEXION
            sine = 2.0 * sine * cosine if bent else math.sin(MIN_FLEXION)
            # how the hip moves as the hips roll more
            sx, sy = vector[1] * qz - vector[2] * qy, vector[2] * qx - vector[0] * qz
            sz = vector[0] * qy - vector[1] * qx
            row = linear.rows[t, i]
            row[0] = gy / far
            row[1] = (gx * sx + gy * sy + gz * sz) / far
            row[2] = (gx * left[0] + gy * left[1] + gz * left[2]) / far
            row[3] = -upper * lower * sine / length
            value = row[0] * rise + row[1] * roll + row[2] * sway + row[3] * x[t, 3 + i]
            linear.goal[t, i] = value - (length - far)


@jit
def add_ankles(
    first: int, last: int, weights: Floats, linear: Linearisation, rate: float, equations: Equations
) -> None:
    """Add squares of ankle errors, with weights ``(T, 2)``, and of their second differences."""
    stiffness = (rate * rate / ANKLE_ERROR_ACCELERATION) ** 2
    rows, goal, right = linear.rows, linear.goal, equations.right
    for t in range(first, last + 1):
        at = UNKNOWNS * (t - first)
        # How often this frame and the next two are the first, middle or last of a second difference, by its factors.
        starts, middle, ends = t + 2 <= last, first < t < last, t - 2 >= first
        here = (1.0 if starts else 0.0) + (4.0 if middle else 0.0) + (1.0 if ends else 0.0)
        one = (-2.0 if starts else 0.0) + (-2.0 if middle else 0.0)
        for i in range(2):
            target = weights[t, i] * goal[t, i]
            if starts:
                target += stiffness * (goal[t, i] - 2.0 * goal[t + 1, i] + goal[t + 2, i])
            if middle:
                target -= 2.0 * stiffness * (goal[t - 1, i] - 2.0 * goal[t, i] + goal[t + 1, i])
            if ends:
                target += stiffness * (goal[t - 2, i] - 2.0 * goal[t - 1, i] + goal[t, i])
            row = rows[t, i]
            add_pair(row, row, weights[t, i] + stiffness * here, at, 0, i, equations.bands)
            if t < last:
                add_pair(row, rows[t + 1, i], stiffness * one, at, 5, i, equations.bands)
            if starts:
                add_pair(row, rows[t + 2, i], stiffness, at, 10, i, equations.bands)
            right[at] += target * row[0]
            right[at + 1] += target * row[1]
            right[at + 2] += target * row[2]
            right[at + 3 + i] += target * row[3]


@jit
def add_pair(a: Floats, b: Floats, weight: float, at: int, off: int, i: int, bands: Floats) -> None:
    """Add ``weight · a bᵀ`` of one leg's unknowns in a frame and one ``off`` rows later; if none, the upper half."""
    k = 3 + i
    a0, a1, a2, a3 = weight * a[0], weight * a[1], weight * a[2], weight * a[3]
    b0, b1, b2, b3 = b[0], b[1], b[2], b[3]
    bands[at, off] += a0 * b0
    bands[at, off + 1] += a0 * b1
    bands[at, off + 2] += a0 * b2
    bands[at, off + k] += a0 * b3
    bands[at + 1, off] += a1 * b1
    bands[at + 1, off + 1] += a1 * b2
    bands[at + 1, off + k - 1] += a1 * b3
    bands[at + 2, off] += a2 * b2
    bands[at + 2, off + k - 2] += a2 * b3
    bands[at + k, off] += a3 * b3
    if off > 0:
        bands[at + 1, off - 1] += a1 * b0
        bands[at + 2, off - 2] += a2 * b0
        bands[at + 2, off - 1] += a2 * b1
        bands[at + k, off - k] += a3 * b0
        bands[at + k, off + 1 - k] += a3 * b1
        bands[at + k, off + 2 - k] += a3 * b2


@jit
def add_straight_knees(model: LegModel, first: int, last: int, x: Floats, equations: Equations) -> None:
    """Add squares of how far knees are too straight, where they are."""
    weight = 1.0 / (TOO_STRAIGHT * TOO_STRAIGHT)
    for t in range(first, last + 1):
        for i in range(2):
            flexion = model.flexion[i, t]
            floor = min(flexion, STRAIGHTEST)
            if flexion + x[t, 3 + i] < floor - STRAIGHT_TOLERANCE:
                row = UNKNOWNS * (t - first) + 3 + i
                equations.bands[row, 0] += weight
                equations.right[row] += weight * (floor - flexion)


@jit
def add_corrections(model: LegModel, first: int, last: int, residuals: Residuals, equations: Equations) -> None:
    """Add squares of corrections of hips and knees, and of their second differences."""
    stiffness, target = residuals.stiffness, residuals.target
    for t in range(first, last + 1):
        weight = max(residuals.weight[t], 1e-3)
        for k in range(UNKNOWNS):
            size = CORRECTIONS[k] * weight
            equations.bands[UNKNOWNS * (t - first) + k, 0] += 1.0 / (size * size)
    for t in range(first + 1, last):
        at = UNKNOWNS * (t - first - 1)
        for k in range(UNKNOWNS):
            add_second_difference(at + k, stiffness[t, k], target[t, k], equations)
    add_hips_sideways(sideways_by_roll(model), first, last, residuals, equations)


@jit
def sideways_by_roll(model: LegModel) -> Floats:
    """``(T,)`` how far the hips' joint goes to the left if the hips roll by one."""
    sideways = np.empty(model.hips.shape[0])
    for t in range(sideways.size):
        hips, trunk, roll, left = model.hips[t], model.trunk[t], model.roll_vector[t], model.left[t]
        x, y, z = hips[0] - trunk[0], hips[1] - trunk[1], hips[2] - trunk[2]
        a, b, c = roll[0], roll[1], roll[2]
        sideways[t] = (b * z - c * y) * left[0] + (c * x - a * z) * left[1] + (a * y - b * x) * left[2]
    return sideways


@jit
def add_hips_sideways(by_roll: Floats, first: int, last: int, residuals: Residuals, equations: Equations) -> None:
    """Add second differences of the hips' own sideways motion: sway, and as far as roll takes them along ``(T,)``."""
    bands, right = equations.bands, equations.right
    for t in range(first + 1, last):
        at, weight, target = UNKNOWNS * (t - first - 1), residuals.stiffness[t, 5], residuals.target[t, 5]
        b0, b1, b2 = by_roll[t - 1], -2.0 * by_roll[t], by_roll[t + 1]
        r0, r1, r2 = at + 1, at + 6, at + 11
        bands[r0, 0] += weight * b0 * b0
        bands[r0, 5] += weight * b0 * b1
        bands[r0, 10] += weight * b0 * b2
        bands[r1, 0] += weight * b1 * b1
        bands[r1, 5] += weight * b1 * b2
        bands[r2, 0] += weight * b2 * b2
        bands[r0, 1] += weight * b0
        bands[r0, 6] += weight * b0 * -2.0
        bands[r0, 11] += weight * b0
        bands[r1, 1] += weight * b1 * -2.0
        bands[r1, 6] += weight * b1
        bands[r2, 1] += weight * b2
        # the sway of a frame with the roll of a later one
        bands[at + 2, 4] += weight * b1
        bands[at + 2, 9] += weight * b2
        bands[at + 7, 4] += weight * b2 * -2.0
        right[r0] += weight * b0 * target
        right[r1] += weight * b1 * target
        right[r2] += weight * b2 * target
        add_second_difference(at + 2, weight, target, equations)


@jit
def add_second_difference(r: int, weight: float, target: float, equations: Equations) -> None:
    """Add ``weight · (x[r] − 2 x[r + 5] + x[r + 10] − target)²``."""
    bands, right = equations.bands, equations.right
    bands[r, 0] += weight
    bands[r, 5] -= 2.0 * weight
    bands[r, 10] += weight
    bands[r + 5, 0] += 4.0 * weight
    bands[r + 5, 5] -= 2.0 * weight
    bands[r + 10, 0] += weight
    right[r] += weight * target
    right[r + 5] -= 2.0 * weight * target
    right[r + 10] += weight * target


@jit
def solve_bands(equations: Equations, blocks: int) -> None:
    """Solve symmetric positive definite banded equations in place, by elimination of a block of five rows at a time.

    The row p of a block is tied to the rest of its block and to the next two blocks: ``bands[5 t + p, : 15 - p]``.
    LAPACK (``scipy.linalg.solveh_banded``) takes twice the time for so narrow a band.
    """
    bands, right = equations.bands, equations.right
    own, later = np.zeros((5, WIDTH)), np.zeros((10, 10))  # a block's rows; what they take off the next two blocks
    inverse = np.empty(5 * blocks)
    for t in range(blocks):
        at = 5 * t
        for p in range(5):
            for k in range(p, WIDTH):
                own[p, k] = bands[at + p, k - p]
            for k in range(10):
                own[p, k] -= later[p, k]
        for p in range(5):
            for k in range(5):
                later[p, k] = later[p + 5, k + 5]
        for p in range(5):
            for k in range(5):
                later[p, k + 5] = later[p + 5, k] = later[p + 5, k + 5] = 0.0
        for p in range(5):
            inverse[at + p] = 1.0 / own[p, p]
            for j in range(p + 1, 5):
                f = own[p, j] * inverse[at + p]
                right[at + j] -= f * right[at + p]
                for k in range(j, WIDTH):
                    own[j, k] -= f * own[p, k]
        a, b, c, d, e = inverse[at], inverse[at + 1], inverse[at + 2], inverse[at + 3], inverse[at + 4]
        v, w, x, y, z = right[at], right[at + 1], right[at + 2], right[at + 3], right[at + 4]
        for j in range(10):
            f, g, h = own[0, j + 5] * a, own[1, j + 5] * b, own[2, j + 5] * c
            m, n = own[3, j + 5] * d, own[4, j + 5] * e
            right[at + 5 + j] -= f * v + g * w + h * x + m * y + n * z
            for k in range(10):
                part = f * own[0, k + 5] + g * own[1, k + 5] + h * own[2, k + 5]
                later[j, k] += part + m * own[3, k + 5] + n * own[4, k + 5]
        for p in range(5):
            for k in range(p, WIDTH):
                bands[at + p, k - p] = own[p, k]
    for r in range(5 * blocks - 1, -1, -1):
        value = right[r]
        for k in range(1, min(WIDTH, 5 * blocks - r)):
            value -= bands[r, k] * right[r + k]
        right[r] = value * inverse[r]


# Swivels


class KneePath(NamedTuple):
    """A knee that moved, in leg lengths."""

    knee: Floats  # (T, 3) as it was
    step: Floats  # (T, 3) how far it went
    tangent: Floats  # (T, 3) how it moves a radian of swivel
    weight: Floats  # (T,) how far it may swivel
    performed: Bools  # (T,) whether a frame was performed


def knee_swivels(knee: Floats, step: Floats, tangent: Floats, weight: Floats, motion: Motion) -> Floats:
    """``(T,)`` angles by which to swivel a leg, so that its knee's ``step`` adds no jolt.

    All in leg lengths: ``knee`` ``(T, 3)`` as it was, ``step`` how far it went, and ``tangent`` how it moves a radian
    of swivel. ``weight`` ``(T,)`` or ``(T, 1)`` is how far the leg may swivel.
    """
    angle = np.empty(len(knee))
    path = KneePath(
        np.ascontiguousarray(knee),
        np.ascontiguousarray(step),
        np.ascontiguousarray(tangent),
        np.ascontiguousarray(weight.reshape(-1)),
        performed_flags(motion),
    )
    knee_swivels_kernel(path, float(motion.rate), angle)
    return angle


@jit
def knee_swivels_kernel(path: KneePath, rate: float, angle: Floats) -> None:
    """The angles ``(T,)`` of least squares: small, without acceleration, and against that of the knee's step."""
    frames, performed, square = path.performed.size, path.performed, rate * rate
    blocks = (frames + 4) // 5
    radius, own = np.empty(frames), np.zeros(frames)
    equations = Equations(np.zeros((5 * blocks + WIDTH, WIDTH)), np.zeros(5 * blocks + WIDTH))
    bands, right = equations.bands, equations.right
    for t in range(5 * blocks):
        bands[t, 0] = 1.0
    for t in range(frames):
        x, y, z = path.tangent[t, 0], path.tangent[t, 1], path.tangent[t, 2]
        radius[t] = math.sqrt(x * x + y * y + z * z)
        weight = max(path.weight[t], 1e-3)
        still = (radius[t] / SWIVEL_STEP) ** 2 + 1.0 / (SWIVEL_ANGLE * SWIVEL_ANGLE)
        bands[t, 0] = still / (weight * weight)
        if 0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]:
            own[t] = second_difference_length(path.knee, t)
    for t in range(1, frames - 1):
        if not (performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        rough = SWIVEL_ACCELERATION + SWIVEL_OWN_SHARE * square * max(own[t], max(own[t - 1], own[t + 1]))
        weight = (square / rough) ** 2
        free = 1.0 + (radius[t] / SWIVEL_STRAIGHT) ** 2 + (rough / SWIVEL_ROUGH) ** 2
        even = (square / (SWIVEL_ANGLE_ACCELERATION * free)) ** 2
        added = second_difference(path.step, t, path.tangent[t]) / radius[t] if radius[t] > 0.0 else 0.0
        a, b, c = radius[t - 1], -2.0 * radius[t], radius[t + 1]
        bands[t - 1, 0] += weight * a * a + even
        bands[t - 1, 1] += weight * a * b - 2.0 * even
        bands[t - 1, 2] += weight * a * c + even
        bands[t, 0] += weight * b * b + 4.0 * even
        bands[t, 1] += weight * b * c - 2.0 * even
        bands[t + 1, 0] += weight * c * c + even
        right[t - 1] -= weight * a * added
        right[t] -= weight * b * added
        right[t + 1] -= weight * c * added
    solve_bands(equations, blocks)
    for t in range(frames):
        angle[t] = path.weight[t] * right[t]
