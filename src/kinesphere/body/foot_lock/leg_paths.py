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

from kinesphere import _native
from kinesphere.body.ground import performed_flags, performed_runs
from kinesphere.maths import rotations
from kinesphere.maths.compiled import jit
from kinesphere.maths.filters import frame_count, smooth_where, widen
from kinesphere.maths.rotations import exponential_quaternion, rotate_vector
from kinesphere.maths.vectors import Bools, Floats, norms
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
    rate, performed = float(motion.rate), performed_flags(motion)
    weight, ankle = weigh_frames(in_contact, sliding, performed, rate)
    x = guess_unknowns(model, in_contact, weight, motion)
    residuals = Residuals(weight, ankle, np.empty((len(x), 6)), np.zeros((len(x), 6)))
    measure_stiffness(model, performed, rate, residuals)
    for first, last in moving_stretches(weight, motion):
        solve_stretch(model, first, last, residuals, rate, x)
    rise, roll, sway, *bends = np.ascontiguousarray((x * weight[:, None]).T)
    return LegPaths(rise, roll, sway, model.flexion + bends, weight)


def hip_roll(model: LegModel, paths: LegPaths) -> Floats:
    """``(T, 4)`` how the hips rotate."""
    return rotations.from_rotation_vector(paths.roll[:, None] * model.roll_vector)


def hip_displacement(model: LegModel, paths: LegPaths, roll: Floats, points: Floats) -> Floats:
    """``(T, 3)`` how far points ``(T, 3)`` that are fixed in the hips move with them; ``roll`` is ``hip_roll``'s."""
    arms = points - model.trunk
    step: Floats = rotations.rotate(roll, arms) - arms + paths.sway[:, None] * model.left
    step[:, 1] += paths.rise
    return step


def weigh_frames(in_contact: Bools, sliding: Bools, performed: Bools, rate: float) -> tuple[Floats, Floats]:
    """How far hips and knees may move ``(T,)``, and weights of ankle errors ``(T, 2)``."""
    weight = widen(sliding[0] | sliding[1], frame_count(NEAR, rate), frame_count(FADE, rate))
    weight[~performed] = 0.0
    low, high, span = math.log(ANKLE_ERROR), math.log(ANKLE_ERROR_FREE), frame_count(0.5 * FADE, rate)
    contact = np.stack([widen(flags, span, span) for flags in in_contact], axis=-1)
    return weight, np.exp(-2.0 * (contact * low + (1.0 - contact) * high))


# The first guess


def guess_unknowns(model: LegModel, in_contact: Bools, weight: Floats, motion: Motion) -> Floats:
    """``(T, 5)``: hips low enough for feet in contact, and knees bent as that needs, low-passed."""
    rate, frames = float(motion.rate), len(weight)
    need, change, smooth = np.zeros(frames), np.empty((frames, 2)), np.zeros((frames, 2))
    leg, upper, lower = model.hip_to_ankle, model.upper, model.lower
    lower_hips_kernel(leg, upper, lower, model.flexion, in_contact, need)
    span = frame_count(0.5 * NEAR, rate)
    low = widen(need, span, span)
    bend_knees_kernel(leg, upper, lower, model.flexion, low, change)
    for run in performed_runs(motion):
        smooth_where(change[run], START, rate, weight[run], smooth[run])
    x = np.zeros((frames, UNKNOWNS))
    x[:, 0] = -weight * low
    x[:, 3:] = weight[:, None] * smooth
    return x


@jit
def lower_hips_kernel(
    leg: Floats, upper: Floats, lower: Floats, flexions: Floats, in_contact: Bools, need: Floats
) -> None:
    """Write to ``need (T,)``, zeros, how far hips must be lowered for legs in contact to reach their ankles."""
    for t in range(need.size):
        for i in range(2):
            if in_contact[i, t]:
                bend = min(max(flexions[i, t], 0.0), STRAIGHTEST)
                longest, square = leg_reach(bend, upper[i, t], lower[i, t]), 0.0
                for k in range(3):
                    square += leg[i, t, k] * leg[i, t, k]
                need[t] = max(need[t], min(max(math.sqrt(square) - longest, 0.0), MAX_HIP_RISE))


@jit
def bend_knees_kernel(leg: Floats, upper: Floats, lower: Floats, flexions: Floats, low: Floats, change: Floats) -> None:
    """How much more knees must be bent ``(T, 2)`` with hips lower by ``(T,)``."""
    for t in range(low.size):
        for i in range(2):
            a, b, y = upper[i, t], lower[i, t], leg[i, t, 1] + low[t]
            square = leg[i, t, 0] * leg[i, t, 0] + y * y + leg[i, t, 2] * leg[i, t, 2]
            cosine = (square - a * a - b * b) / (2.0 * a * b)
            flexion = math.acos(min(max(cosine, -1.0), 1.0))
            if flexions[i, t] < -MIN_FLEXION:
                flexion = -flexion
            change[t, i] = min(max(flexion - flexions[i, t], -CORRECTIONS[3]), CORRECTIONS[3])


@jit
def leg_reach(flexion: float, upper: float, lower: float) -> float:
    """The distance from hip to ankle at a flexion: the law of cosines in half angles."""
    c, s = (upper + lower) * math.cos(0.5 * flexion), (upper - lower) * math.sin(0.5 * flexion)
    return math.sqrt(c * c + s * s)


# How rough the input is


def measure_stiffness(model: LegModel, performed: Bools, rate: float, residuals: Residuals) -> None:
    """Weights ``(T, 6)`` of the corrections' second differences, and values ``(T, 6)`` that these should have.

    Corrections may accelerate a little more than a share of the input; up, down and sideways only as trunk and head do
    in common, as both go along. They should not accelerate, but to take away jolts of both, and a knee's snap as far as
    the knee jolts forward or back with it once its foot is corrected; where bones change their lengths or the foot is
    no descendant of the shin, only as far as the foot's correction does that.
    """
    square, snap = rate * rate, np.zeros(model.flexion.shape)
    bones = (model.upper, model.lower, model.flexion)
    knee_snaps_kernel(model.knee, model.shift, model.forward, *bones, model.rigid, square, snap)
    body = (model.hip, model.hips, model.trunk, model.head, model.left)
    measure_stiffness_kernel(*body, snap, performed, square, *residuals)


@jit
def measure_stiffness_kernel(
    hip: Floats,
    hips: Floats,
    trunk: Floats,
    head: Floats,
    aside: Floats,
    snaps: Floats,
    performed: Bools,
    square: float,
    weight: Floats,
    ankle: Floats,
    rough: Floats,
    target: Floats,
) -> None:
    """``measure_stiffness`` of knees that snap by ``(2, T)``; ``square`` is the square of the rate."""
    frames = weight.size
    own = np.zeros((frames, 4))
    for t in range(frames):
        for k in range(6):
            rough[t, k] = ACCELERATIONS[k]
        if not (0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        left = square * (hip[0, t - 1, 1] - 2.0 * hip[0, t, 1] + hip[0, t + 1, 1])
        right = square * (hip[1, t - 1, 1] - 2.0 * hip[1, t, 1] + hip[1, t + 1, 1])
        rise = common_part(0.5 * (left + right), square * (head[t - 1, 1] - 2.0 * head[t, 1] + head[t + 1, 1]))
        sway = common_part(square * second_difference(trunk, t, aside), square * second_difference(head, t, aside))
        own[t, 0], own[t, 1], own[t, 2] = abs(rise), abs(0.5 * (left - right)), abs(sway)
        own[t, 3] = abs(square * second_difference(hips, t, aside))
        if weight[t] <= 0.0:
            continue
        target[t, 0] = weight[t] * (min(max(rise, -JOLT), JOLT) - rise) / square
        target[t, 2] = weight[t] * (min(max(sway, -JOLT), JOLT) - sway) / square
        for i in range(2):
            snap = weight[t] * snaps[i, t]
            target[t, 3 + i] = -snap / square
            rough[t, 3 + i] += SNAP_SHARE * abs(snap)
    for t in range(frames):
        for k in range(4):
            most = max(own[t, k], max(own[max(t - 1, 0), k], own[min(t + 1, frames - 1), k]))
            rough[t, k if k < 3 else 5] += OWN_SHARE * most
        for k in range(6):
            rough[t, k] = (square / rough[t, k]) ** 2


@jit
def second_difference(values: Floats, t: int, directions: Floats) -> float:
    """The second difference of ``(T, 3)`` in a frame, along its direction of ``(T, 3)``."""
    found = 0.0
    for c in range(3):
        found += (values[t - 1, c] - 2.0 * values[t, c] + values[t + 1, c]) * directions[t, c]
    return found


@jit
def common_part(a: float, b: float) -> float:
    """The smaller of two numbers where they have one sign, else 0."""
    if a * b <= 0.0:
        return 0.0
    size = min(abs(a), abs(b))
    return size if a > 0.0 else -size


@jit
def knee_snaps_kernel(
    knee: Floats,
    shift: Floats,
    forward: Floats,
    upper: Floats,
    lower: Floats,
    flexion: Floats,
    rigid: Bools,
    square: float,
    snap: Floats,
) -> None:
    """Angular accelerations ``(2, T)``, zero before, of flexions beyond ``SNAP``, as far as the knees jolt with them.

    ``square`` is the square of the rate.
    """
    for i in range(2):
        for t in range(1, snap.shape[1] - 1):
            bend = square * (flexion[i, t - 1] - 2.0 * flexion[i, t] + flexion[i, t + 1])
            excess = bend - min(max(bend, -SNAP), SNAP)
            if excess != 0.0:
                a, b, angle = upper[i, t], lower[i, t], flexion[i, t]
                length = leg_reach(angle, a, b)
                # leg lengths that a knee comes forward a radian
                advance = a * b * (math.cos(angle) + a * b * (math.sin(angle) / length) ** 2) / length
                advance = square / max(advance, 0.05)
                own = second_difference(knee[i], t, forward[i]) * advance
                foot = second_difference(shift[i], t, forward[i]) * advance * (a / (a + b))
                snap[i, t] = common_part(excess, own + foot if rigid[i] else common_part(own + foot, foot))


# The equations


def moving_stretches(weight: Floats, motion: Motion) -> list[tuple[int, int]]:
    """First and last frames of stretches in which something may move, with a margin in which that could be felt."""
    margin, found = int(MARGIN * motion.rate) + 2, []
    for run in performed_runs(motion):
        moving = run.start + np.flatnonzero(weight[run] > 0.0)
        if len(moving):
            cuts = [-1, *np.flatnonzero(moving[1:] - moving[:-1] > 2 * margin).tolist(), len(moving) - 1]
            for before, last in zip(cuts[:-1], cuts[1:], strict=True):
                start, end = int(moving[before + 1]), int(moving[last])
                found.append((max(start - margin, run.start), min(end + margin, run.stop - 1)))
    return found


def solve_stretch(model: LegModel, first: int, last: int, residuals: Residuals, rate: float, x: Floats) -> None:
    """Solve the unknowns ``(T, 5)`` of one stretch."""
    blocks, frames = last - first + 1, len(x)
    size, stiffness = UNKNOWNS * blocks + WIDTH, (rate * rate / ANKLE_ERROR_ACCELERATION) ** 2
    constant = Equations(np.zeros((size, WIDTH)), np.zeros(size))
    equations = Equations(np.empty((size, WIDTH)), np.empty(size))
    linear, legs = Linearisation(np.empty((frames, 2, 4)), np.empty((frames, 2))), linear_model(model)
    add_corrections(model, first, last, residuals, constant)
    for _ in range(ROUNDS):
        np.copyto(equations.bands, constant.bands)
        np.copyto(equations.right, constant.right)
        linearise_ankles(*legs, first, last, x, *linear)
        add_ankles(first, last, residuals.ankle, *linear, stiffness, *equations)
        add_straight_knees(model.flexion, first, last, x, *equations)
        solve_bands(*equations, blocks)
        read_unknowns(equations.right, first, last, x)


@jit
def read_unknowns(right: Floats, first: int, last: int, x: Floats) -> None:
    """Write the unknowns of a stretch to ``(T, 5)``, the hips' rise within its limits."""
    for t in range(first, last + 1):
        for k in range(UNKNOWNS):
            x[t, k] = right[UNKNOWNS * (t - first) + k]
        x[t, 0] = min(max(x[t, 0], -MAX_HIP_RISE), MAX_HIP_RISE)


def linear_model(model: LegModel) -> tuple[Floats, ...]:
    """What ``linearise_ankles`` needs of the legs, see there."""
    arms = model.hip - model.trunk
    return model.hip_to_ankle, arms, model.upper, model.lower, model.flexion, model.left, model.roll_vector


@jit
def linearise_ankles(
    legs: Floats,
    arms: Floats,
    uppers: Floats,
    lowers: Floats,
    flexions: Floats,
    left: Floats,
    vectors: Floats,
    first: int,
    last: int,
    x: Floats,
    rows: Floats,
    goal: Floats,
) -> None:
    """Derivatives ``(T, 2, 4)`` of both ankles' errors by the unknowns, and values ``(T, 2)`` at which errors vanish.

    Legs ``(2, T, 3)`` go from the hip as it was to the ankle's target; hips are at arms ``(2, T, 3)`` from where they
    roll about, which they do by ``vectors (T, 3)``.
    """
    for t in range(first, last + 1):
        u, v, w, roll = vectors[t, 0], vectors[t, 1], vectors[t, 2], x[t, 1]
        q, a, b, c = exponential_quaternion(roll * u, roll * v, roll * w)
        for i in range(2):
            px, py, pz = arms[i, t, 0], arms[i, t, 1], arms[i, t, 2]
            qx, qy, qz = rotate_vector(q, a, b, c, px, py, pz)
            gx = legs[i, t, 0] - (qx - px + x[t, 2] * left[t, 0])
            gy = legs[i, t, 1] - (qy - py + x[t, 0] + x[t, 2] * left[t, 1])
            gz = legs[i, t, 2] - (qz - pz + x[t, 2] * left[t, 2])
            far = max(math.sqrt(gx * gx + gy * gy + gz * gz), 1e-9)
            upper, lower, flexion = uppers[i, t], lowers[i, t], flexions[i, t] + x[t, 3 + i]
            cosine, sine = math.cos(0.5 * flexion), math.sin(0.5 * flexion)
            length = math.sqrt(((upper + lower) * cosine) ** 2 + ((upper - lower) * sine) ** 2)
            # straighter knees count as bent a little
            sine = 2.0 * sine * cosine if abs(flexion) > MIN_FLEXION else math.sin(MIN_FLEXION)
            rows[t, i, 0] = gy / far
            # how the hip moves as the hips roll more: the roll vector × the arm
            rows[t, i, 1] = (gx * (v * qz - w * qy) + gy * (w * qx - u * qz) + gz * (u * qy - v * qx)) / far
            rows[t, i, 2] = (gx * left[t, 0] + gy * left[t, 1] + gz * left[t, 2]) / far
            rows[t, i, 3] = -upper * lower * sine / length
            value = far - length
            for k in range(4):
                value += rows[t, i, k] * x[t, k if k < 3 else 3 + i]
            goal[t, i] = value


@jit
def add_ankles(
    first: int,
    last: int,
    weights: Floats,
    rows: Floats,
    goal: Floats,
    stiffness: float,
    bands: Floats,
    right: Floats,
) -> None:
    """Add squares of ankle errors, with weights ``(T, 2)``, and of their second differences, with ``stiffness``."""
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
            for p in range(4):  # the leg's own unknowns: the hips' three and its knee
                row = p if p < 3 else 3 + i
                right[at + row] += target * rows[t, i, p]
                for later in range(min(last - t, 2) + 1):
                    factor = stiffness * one if later == 1 else stiffness
                    factor = weights[t, i] + stiffness * here if later == 0 else factor
                    factor *= rows[t, i, p]
                    for q in range(p if later == 0 else 0, 4):
                        column = 5 * later + (q if q < 3 else 3 + i)
                        bands[at + row, column - row] += factor * rows[t + later, i, q]


@jit
def add_straight_knees(flexions: Floats, first: int, last: int, x: Floats, bands: Floats, right: Floats) -> None:
    """Add squares of how far knees are too straight, where they are, of flexions ``(2, T)`` in the input."""
    weight = 1.0 / (TOO_STRAIGHT * TOO_STRAIGHT)
    for t in range(first, last + 1):
        for i in range(2):
            floor = min(flexions[i, t], STRAIGHTEST)
            if flexions[i, t] + x[t, 3 + i] < floor - STRAIGHT_TOLERANCE:
                row = UNKNOWNS * (t - first) + 3 + i
                bands[row, 0] += weight
                right[row] += weight * (floor - flexions[i, t])


def add_corrections(model: LegModel, first: int, last: int, residuals: Residuals, equations: Equations) -> None:
    """Add squares of corrections of hips and knees, and of their second differences."""
    hips = (model.hips - model.trunk, model.roll_vector, model.left)
    add_corrections_kernel(first, last, *hips, residuals.weight, residuals.stiffness, residuals.target, *equations)


@jit
def add_corrections_kernel(
    first: int,
    last: int,
    arm: Floats,
    vectors: Floats,
    left: Floats,
    weights: Floats,
    stiffness: Floats,
    target: Floats,
    bands: Floats,
    right: Floats,
) -> None:
    """``add_corrections``, with arms ``(T, 3)`` from where the hips roll about to their joint.

    The sixth second difference is this joint's sideways motion: sway, and as far as roll takes it along.
    """
    by_roll = np.empty(last + 1)  # how far it goes to the left if the hips roll by one
    for t in range(first, last + 1):
        x, y, z, a, b, c = arm[t, 0], arm[t, 1], arm[t, 2], vectors[t, 0], vectors[t, 1], vectors[t, 2]
        by_roll[t] = (b * z - c * y) * left[t, 0] + (c * x - a * z) * left[t, 1] + (a * y - b * x) * left[t, 2]
        for k in range(UNKNOWNS):
            size = CORRECTIONS[k] * max(weights[t], 1e-3)
            bands[UNKNOWNS * (t - first) + k, 0] += 1.0 / (size * size)
    place, factor = np.empty(6, dtype=np.int64), np.empty(6)  # unknowns in a difference, and what they count
    for t in range(first + 1, last):
        for k in range(6):
            count = 0
            for i in range(3):
                sign = -2.0 if i == 1 else 1.0
                if k == 5:
                    place[count], factor[count] = 5 * i + 1, sign * by_roll[t - 1 + i]
                    count += 1
                place[count], factor[count] = 5 * i + (k if k < 5 else 2), sign
                count += 1
            for i in range(count):
                row = UNKNOWNS * (t - first - 1) + place[i]
                part = stiffness[t, k] * factor[i]
                right[row] += part * target[t, k]
                for j in range(i, count):
                    bands[row, place[j] - place[i]] += part * factor[j]


@jit
def solve_bands(bands: Floats, right: Floats, blocks: int) -> None:
    """Solve symmetric positive definite banded equations in place, by elimination of a block of five rows at a time.

    The row p of a block is tied to the rest of its block and to the next two blocks: ``bands[5 t + p, : 15 - p]``.
    LAPACK (``scipy.linalg.solveh_banded``) takes twice the time for so narrow a band.
    """
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
                later[p, k + 5] = later[p + 5, k + 5] = 0.0
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
            for k in range(0 if j < 5 else 5, 10):  # of the rest only the upper half is needed
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


def knee_swivels(knee: Floats, step: Floats, tangent: Floats, weight: Floats, motion: Motion) -> Floats:
    """``(T,)`` angles by which to swivel a leg, so that its knee's ``step`` adds no jolt.

    All in leg lengths: ``knee`` ``(T, 3)`` as it was, ``step`` how far it went, and ``tangent`` how it moves a radian
    of swivel. ``weight`` ``(T,)`` or ``(T, 1)`` is how far the leg may swivel.
    """
    frames, performed = len(knee), performed_flags(motion)
    knee, step, tangent = (np.ascontiguousarray(array) for array in (knee, step, tangent))
    own, blocks, free = np.empty(frames), (frames + 4) // 5, weight.reshape(-1)
    _native.filters.second_differences(knee, performed, own)
    bands, right = np.zeros((5 * blocks + WIDTH, WIDTH)), np.zeros(5 * blocks + WIDTH)
    bands[frames : 5 * blocks, 0] = 1.0
    limits = np.ascontiguousarray(free), performed, float(motion.rate)
    knee_swivels_kernel(step, tangent, norms(tangent), own, *limits, bands, right)
    solve_bands(bands, right, blocks)
    return np.asarray(free * right[:frames])


@jit
def knee_swivels_kernel(
    step: Floats,
    tangent: Floats,
    radius: Floats,
    own: Floats,
    weights: Floats,
    performed: Bools,
    rate: float,
    bands: Floats,
    right: Floats,
) -> None:
    """Equations of the angles of least squares: small, without acceleration, and against that of the knee's step.

    ``radius (T,)`` has the tangents' lengths, ``own (T,)`` those of the knee's second differences.
    """
    frames, square = performed.size, rate * rate
    for t in range(frames):
        weight = max(weights[t], 1e-3)
        still = (radius[t] / SWIVEL_STEP) ** 2 + 1.0 / (SWIVEL_ANGLE * SWIVEL_ANGLE)
        bands[t, 0] += still / (weight * weight)
        if not (0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        rough = SWIVEL_ACCELERATION + SWIVEL_OWN_SHARE * square * max(own[t], max(own[t - 1], own[t + 1]))
        weight = (square / rough) ** 2
        free = 1.0 + (radius[t] / SWIVEL_STRAIGHT) ** 2 + (rough / SWIVEL_ROUGH) ** 2
        even = (square / (SWIVEL_ANGLE_ACCELERATION * free)) ** 2
        added = second_difference(step, t, tangent) / radius[t] if radius[t] > 0.0 else 0.0
        for i in range(3):
            sign = -2.0 if i == 1 else 1.0
            a = sign * radius[t - 1 + i]
            right[t - 1 + i] -= weight * a * added
            for j in range(i, 3):
                other = -2.0 if j == 1 else 1.0
                bands[t - 1 + i, j - i] += weight * a * (other * radius[t - 1 + j]) + sign * other * even
