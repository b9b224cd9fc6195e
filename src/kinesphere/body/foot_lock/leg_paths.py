"""Leg paths: how hips and knees follow corrected feet, by least squares along time.

A leg between a moving hip and an ankle at its target must change its length, and a nearly straight knee bends by
degrees for a millimetre. Three things can give: the knee, the hips (up, down, sideways and rolling) and the ankle. All
frames are solved together, for the least sum of squares of

- ankle errors, the distances of ankles from their targets, and the accelerations of these errors;
- corrections of knees and hips;
- accelerations of these corrections, *measured by how much the input accelerates there*. Where a capture jolts as a
  whole, feet that no longer do need hips that no longer do;
- how far knees are straighter than they were and than four degrees.

So hardly anything is rougher than it was, and only near contacts that slide does anything move at all. There, too, a
knee that snaps faster than knees do is smoothed by itself, on legs with bones of fixed lengths. Flexion has a sign, as
captures bend straight knees a little backward: a knee passes through straight without a kink.

The equations are not linear: four Gauss–Newton steps are taken, each with a banded matrix, as the unknowns of a frame
are tied to those of the next two frames only. The last section finds the *swivel* of each leg, its rotation about the
line from hip to ankle, in the same manner. Loops, and what they count as one unit, are in ``leg_paths.cpp``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.ground import performed_flags, performed_runs
from kinesphere.maths import rotations
from kinesphere.maths.filters import frame_count, smooth_where, widen
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.motion import Motion

# One unit of ankle errors in the sum of squares, leg lengths: in contact, between contacts.
ANKLE_ERROR, ANKLE_ERROR_FREE = 0.0025, 0.01
NEAR, FADE = 0.2, 0.08  # seconds from a contact in which hips and knees may move, and over which that ends
START = 0.05  # seconds, sigma of the low-pass on the knees' first guess
MARGIN = 0.4  # seconds around frames that may move in which others are part of the equations


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


class SolvedLegs(NamedTuple):
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


def solve_leg_paths(model: LegModel, in_contact: Bools, sliding: Bools, motion: Motion) -> SolvedLegs:
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
        _native.leg_paths.solve_stretch(model, first, last, residuals, rate, x)
    rise, roll, sway, *bends = np.ascontiguousarray((x * weight[:, None]).T)
    return SolvedLegs(rise, roll, sway, model.flexion + bends, weight)


def hip_roll(model: LegModel, paths: SolvedLegs) -> Floats:
    """``(T, 4)`` how the hips rotate."""
    return rotations.from_rotation_vector(paths.roll[:, None] * model.roll_vector)


def hip_displacement(model: LegModel, paths: SolvedLegs, roll: Floats, points: Floats) -> Floats:
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
    _native.leg_paths.lower_hips(model, in_contact, need)
    span = frame_count(0.5 * NEAR, rate)
    low = widen(need, span, span)
    _native.leg_paths.bend_knees(model, low, change)
    for run in performed_runs(motion):
        smooth_where(change[run], START, rate, weight[run], smooth[run])
    x = np.zeros((frames, 5))  # hips up, rolled and aside, both knees
    x[:, 0] = -weight * low
    x[:, 3:] = weight[:, None] * smooth
    return x


# How rough the input is


def measure_stiffness(model: LegModel, performed: Bools, rate: float, residuals: Residuals) -> None:
    """Weights ``(T, 6)`` of the corrections' second differences, and values ``(T, 6)`` that these should have.

    Corrections may accelerate a little more than a share of the input; up, down and sideways only as trunk and head do
    in common, as both go along. They should not accelerate, but to take away jolts of both, and a knee's snap as far as
    the knee jolts forward or back with it once its foot is corrected; where bones change their lengths or the foot is
    no descendant of the shin, only as far as the foot's correction does that.
    """
    _native.leg_paths.measure_stiffness(model, performed, rate, residuals)


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


# Swivels


def knee_swivels(knee: Floats, step: Floats, tangent: Floats, weight: Floats, motion: Motion) -> Floats:
    """``(T,)`` angles by which to swivel a leg, so that its knee's ``step`` adds no jolt.

    All in leg lengths: ``knee`` ``(T, 3)`` as it was, ``step`` how far it went, and ``tangent`` how it moves a radian
    of swivel. ``weight`` ``(T,)`` or ``(T, 1)`` is how far the leg may swivel.
    """
    free, angles = weight.reshape(-1), np.empty(len(knee))
    paths = (np.ascontiguousarray(array) for array in (knee, step, tangent, free))
    _native.leg_paths.knee_swivels(*paths, performed_flags(motion), float(motion.rate), angles)
    return angles
