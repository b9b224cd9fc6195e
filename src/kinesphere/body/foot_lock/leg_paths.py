"""How hips and knees follow feet that are told where to be.

A leg between a moving hip and a standing ankle must change its length, and a nearly straight knee turns by degrees for
a millimetre. Three things can give: the knee, the hips (up, down, aside and rolling) and the ankle. What is best is
found for all frames together, as the least sum of squares of

- how far ankles are from where they should be, and how fast that changes its speed;
- how far knees and hips are from where they were;
- how fast the corrections of knees and hips change their speed, *measured by how fast the input does there*. Where a
  capture jolts as a whole, feet that no longer do need hips that no longer do;
- how far knees are straighter than they were and than ``STRAIGHTEST``.

So hardly anything is rougher than it was, and only near plants that slide does anything move at all. There, too, a
knee that snaps faster than knees do is smoothed of its own, on legs with bones of fixed lengths. Flexion has a sign,
as captures bend straight knees a little backward: what passes through straight does so without a kink.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import (
    bell_weights,
    performed_flags,
    performed_runs,
    running_maximum,
    smooth_bell,
    smooth_gaussian,
    unit_vectors,
)
from kinesphere.maths import compiled, rotations
from kinesphere.maths.banded import Chain, second_differences
from kinesphere.maths.compiled import compile_kernel
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
from kinesphere.maths.two_bone import reach
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.motion import Motion

# What counts as one unit in the sum of squares: lengths in leg lengths, knees in radians, time in seconds.
MISS, MISS_BETWEEN = 0.0025, 0.01  # an ankle from its goal: planted, between plants
MISS_BEND = 10.0  # and its acceleration
LOWER, LOWER_BEND = 0.03, 1.0  # hips up or down
ROLL, ROLL_BEND = 0.004, 0.5  # one hip up, the other down
SWAY, SWAY_BEND = 0.004, 0.5  # hips to the side
FLEX, FLEX_BEND = 0.3, 15.0  # a knee
SWIVEL, SWIVEL_ANGLE, SWIVEL_BEND = 0.02, 0.3, 1.0  # a knee aside: leg lengths, radians, acceleration
SWIVEL_TURN = 20.0  # radians a second squared of a straight leg: its knee is anywhere, and its thigh would be
SWIVEL_STRAIGHT = 0.03  # leg lengths that a knee is off the leg's way, up to which it is straight
SWIVEL_ROUGH = 3.0  # acceleration, as SWIVEL_BEND, of a knee that jumps by itself; then its leg may turn with it
SWIVEL_SHARE = 0.1  # share of the knee's own acceleration, added to that
AS_ROUGH = 0.5  # share of the hips' own acceleration, added to the above
JOLT = 40.0  # the acceleration beyond which trunk and head together jolt
SNAP, SNAP_SHARE = 120.0, 0.1  # the acceleration beyond which a knee snaps, and the share of that added to the above
HARDLY = 1e-6  # radians straighter that don't count: rounding must not decide what is held
STRAIGHTEST, TOO_STRAIGHT = 0.07, 0.01  # the flexion below which no knee is made straighter; by how much it may be
BENT = 0.05  # flexion: a straighter knee is taken to shorten its leg as if it were bent so much
DEEPEST = 0.08  # leg lengths that the hips may move
NEAR, FADE = 0.2, 0.08  # seconds from a plant in which hips and knees may move, and over which that ends
START = 0.05  # seconds, sigma of the low-pass on the knees' first guess
ROUNDS = 4  # of linearising
FELT = 0.4  # seconds beyond frames that may move, in which the compiled kernel still looks at others


class LegRule(NamedTuple):
    """All of the above, for the compiled kernel."""

    miss: float
    miss_between: float
    miss_bend: float
    scale: Floats  # (5,) hips up, rolled and aside, both knees
    bends: Floats  # (6,) and how fast they may change their speed; the last is the hips' own way aside
    as_rough: float
    jolt: float
    snap: float
    snap_share: float
    straightest: float
    too_straight: float
    hardly: float
    bent: float
    deepest: float
    near: float
    fade: float
    start: float
    margin: float
    rounds: int


class SwivelRule(NamedTuple):
    """The same for swivels."""

    swivel: float
    angle: float
    bend: float
    share: float
    turn: float
    straight: float
    rough: float


class LegModel(NamedTuple):
    """Both legs as the input has them, left first, in leg lengths and radians."""

    way: Floats  # (2, T, 3) from the hip as it was to where the ankle should be
    shift: Floats  # (2, T, 3) from the ankle as it was to there
    hip: Floats  # (2, T, 3)
    hips: Floats  # (T, 3) the joint that carries legs and trunk
    trunk: Floats  # (T, 3) where the trunk begins: about this the hips roll
    head: Floats  # (T, 3) or what is there instead
    knee: Floats  # (2, T, 3)
    upper: Floats  # (2, T)
    lower: Floats  # (2, T)
    flexion: Floats  # (2, T) below zero where bent the wrong way
    forward: Floats  # (2, T, 3) which way a knee goes if bent more, a unit vector
    rigid: Bools  # (2,) whether bones keep their lengths and the foot hangs on them
    aside: Floats  # (T, 3) to the left, a unit vector
    rolling: Floats  # (T, 3) the turn, as a rotation vector, that raises the left hip by one and lowers the right


class LegPaths(NamedTuple):
    """What hips and knees do."""

    raised: Floats  # (T,) leg lengths
    rolled: Floats  # (T,) leg lengths that the left hip goes up and the right one down
    swayed: Floats  # (T,) leg lengths to the left
    flexion: Floats  # (2, T)
    share: Floats  # (T, 1) how much they may do at all


def hip_steps(legs: LegModel, place: Floats, moved: LegPaths) -> tuple[Floats, Floats]:
    """``(..., T, 3)`` how far what is fixed in the hips goes with them, and how it goes on if they roll more."""
    arm = place - legs.trunk
    turned = rotations.rotate(rotations.from_rotation_vector(moved.rolled[:, None] * legs.rolling), arm)
    step = moved.raised[:, None] * [0.0, 1.0, 0.0] + moved.swayed[:, None] * legs.aside
    return turned - arm + step, np.cross(legs.rolling, turned)


def solve_leg_paths(legs: LegModel, planted: Bools, asked: Bools, motion: Motion) -> LegPaths:
    """Where hips and knees go; as they were from ``NEAR + FADE`` seconds before or after plants that are ``asked``.

    The unknowns of each frame are how far the hips are raised, rolled and swayed and how much the left and the right
    knee are bent more than they were.
    """
    if compiled.loaded(legs.way.size) is None:
        return solve_leg_paths_reference(legs, planted, asked, motion)

    x, share = np.empty((len(motion), 5)), np.empty(len(motion))
    bends_ = np.array([LOWER_BEND, ROLL_BEND, SWAY_BEND, FLEX_BEND, FLEX_BEND, SWAY_BEND])
    rule = LegRule(
        MISS, MISS_BETWEEN, MISS_BEND, np.array([LOWER, ROLL, SWAY, FLEX, FLEX]), bends_, AS_ROUGH, JOLT, SNAP,
        SNAP_SHARE, STRAIGHTEST, TOO_STRAIGHT, HARDLY, BENT, DEEPEST, NEAR, FADE, START, FELT, ROUNDS,
    )  # fmt: skip
    solve_leg_paths_kernel(legs, planted, asked, performed_flags(motion), motion.rate, rule, x, share)
    return _followed(legs, x, share[:, None])


def solve_leg_paths_reference(legs: LegModel, planted: Bools, asked: Bools, motion: Motion) -> LegPaths:
    """The same in plain NumPy, over all frames."""
    rate, runs = motion.rate, performed_runs(motion)
    performed = np.zeros((len(motion), 1))
    performed[motion.performed_frames] = 1.0
    share = (
        performed * smooth_bell(running_maximum(np.any(asked, axis=0), NEAR, rate), bell_weights(FADE, rate))[:, None]
    )
    firm = np.stack(
        [smooth_bell(row, bell_weights(0.5 * FADE, rate)) for row in running_maximum(planted, 0.5 * FADE, rate)], axis=1
    )
    miss = (MISS**firm * MISS_BETWEEN ** (1.0 - firm)) ** -2.0
    still, tied = _stillness(legs, share, runs, rate)
    knees, bending = legs.flexion.T, np.broadcast_to(np.eye(5)[3:], (len(motion), 2, 5))
    floor = np.minimum(knees, STRAIGHTEST)
    x = share * _start(legs, planted, runs, rate)
    for _ in range(ROUNDS):
        missed, rows = _missed(legs, x)
        target = (rows @ x[..., None])[..., 0] - missed
        chain = still.copy()
        chain.add(rows, miss, target)
        chain.add_bends(rows, tied * (rate**2 / MISS_BEND) ** 2 * np.ones(2), second_differences(target))
        chain.add(bending, (knees + x[:, 3:] < floor - HARDLY) / TOO_STRAIGHT**2, floor - knees)
        x = chain.solve()
        x[:, 0] = np.clip(x[:, 0], -DEEPEST, DEEPEST)
    return _followed(legs, share * x, share)


def _followed(legs: LegModel, x: Floats, share: Floats) -> LegPaths:
    return LegPaths(x[:, 0], x[:, 1], x[:, 2], legs.flexion + x[:, 3:].T, share)


def _stillness(legs: LegModel, share: Floats, runs: list[slice], rate: float) -> tuple[Chain, Floats]:
    """What speaks for leaving hips and knees as they are, and ``(T, 1)`` whether a frame has both neighbours."""
    frames = len(share)
    tied = np.zeros((frames, 1))
    for run in runs:
        tied[run.start + 1 : run.stop - 1] = 1.0
    every = np.broadcast_to(np.eye(5), (frames, 5, 5))
    chain = Chain(frames, 5)
    scale = np.array([LOWER, ROLL, SWAY, FLEX, FLEX])
    chain.add(every, 1.0 / (scale * np.maximum(share, 1e-3)) ** 2, np.zeros((frames, 5)))
    rough, unsnapped = _roughness(legs, share, runs, rate)
    rows = np.concatenate([every, every[:, 2:3]], axis=1)
    rows[:, 5, 1] = np.sum(np.cross(legs.rolling, legs.hips - legs.trunk) * legs.aside, axis=-1)
    chain.add_bends(rows, tied * (rate**2 / rough) ** 2, unsnapped)
    return chain, tied


def _roughness(legs: LegModel, share: Floats, runs: list[slice], rate: float) -> tuple[Floats, Floats]:
    """``(T, 6)`` accelerations that corrections may have, and second differences that they should have.

    They may have a little more than a share of the input's; up, down and to the side only of what trunk and head have
    in common, as both go along. They should have none, but what takes away jolts of both, and a knee's snap as far
    as the knee jolts forward or back with it, once its foot is held; where bones change their lengths or the foot does
    not hang on them, only as far as holding the foot does that. The sixth is the hips' own way aside, below the trunk.
    """
    places = np.stack([*legs.hip, *legs.knee, legs.trunk, legs.head, legs.hips, *legs.shift])
    jolt, bend = np.zeros_like(places), np.zeros_like(legs.flexion)
    for run in runs:
        jolt[:, run] = rate**2 * np.stack([second_differences(place[run]) for place in places])
        bend[:, run] = rate**2 * np.stack([second_differences(knee[run]) for knee in legs.flexion])
    left, right, head = jolt[0, :, 1], jolt[1, :, 1], jolt[5, :, 1]
    trunk_aside, head_aside, hips_aside = np.sum(jolt[4:7] * legs.aside, axis=-1)
    up, aside = _common(0.5 * (left + right), head), _common(trunk_aside, head_aside)
    knees, feet = np.sum([jolt[2:4], jolt[7:]] * legs.forward, axis=-1) / _forwarding(legs)
    feet *= legs.upper / (legs.upper + legs.lower)  # what of it comes to the knee
    most = np.where(legs.rigid[:, None], knees + feet, _common(knees + feet, feet))
    snap = _common(bend - np.clip(bend, -SNAP, SNAP), most)
    wanted = np.zeros((len(share), 6))
    wanted[:, 0], wanted[:, 2] = (np.clip(common, -JOLT, JOLT) - common for common in (up, aside))
    wanted[:, 3:5] = -snap.T
    wanted *= share
    rough = np.tile([LOWER_BEND, ROLL_BEND, SWAY_BEND, FLEX_BEND, FLEX_BEND, SWAY_BEND], (len(share), 1))
    own = np.stack([up, 0.5 * (left - right), aside, hips_aside], axis=1)
    rough[:, [0, 1, 2, 5]] += AS_ROUGH * _around(np.abs(own))
    rough[:, 3:5] += SNAP_SHARE * np.abs(wanted[:, 3:5])
    return rough, wanted / rate**2


def _common(a: Floats, b: Floats) -> Floats:
    """What both have: the smaller where they have one sign."""
    common: Floats = np.where(a * b > 0.0, np.sign(a) * np.minimum(np.abs(a), np.abs(b)), 0.0)
    return common


def _forwarding(legs: LegModel) -> Floats:
    """``(2, T)`` how far a knee comes forward if bent more, in leg lengths a radian."""
    sine, cosine = np.sin(legs.flexion), np.cos(legs.flexion)
    length, area = reach(legs.flexion, legs.upper, legs.lower), legs.upper * legs.lower
    return np.maximum(area * (cosine + area * (sine / length) ** 2) / length, 0.05)


def _start(legs: LegModel, planted: Bools, runs: list[slice], rate: float) -> Floats:
    """``(T, 5)`` hips low enough for planted feet, and knees bent as that wants it, without haste."""
    asked = np.linalg.norm(legs.way, axis=-1)
    longest = reach(np.clip(legs.flexion, 0.0, STRAIGHTEST), legs.upper, legs.lower)
    need = np.clip(np.where(planted, asked - longest, 0.0), 0.0, DEEPEST).max(axis=0)
    x = np.zeros((asked.shape[1], 5))
    x[:, 0] = -smooth_bell(running_maximum(need, 0.5 * NEAR, rate), bell_weights(0.5 * NEAR, rate))
    asked = np.linalg.norm(legs.way - x[:, :1] * [0.0, 1.0, 0.0], axis=-1)
    cosine = (asked**2 - legs.upper**2 - legs.lower**2) / (2.0 * legs.upper * legs.lower)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0)) * np.where(legs.flexion < -BENT, -1.0, 1.0)
    change = np.clip(wanted - legs.flexion, -FLEX, FLEX)
    for run in runs:
        x[run, 3:] = smooth_gaussian(change[:, run].T, rate, START)
    return x


def _missed(legs: LegModel, x: Floats) -> tuple[Floats, Floats]:
    """``(T, 2)`` how far ankles are beyond their goals, and ``(T, 2, 5)`` how that goes with the unknowns."""
    moved = _followed(legs, x, np.ones((len(x), 1)))
    step, swing = hip_steps(legs, legs.hip, moved)
    way, flexion = legs.way - step, moved.flexion
    far = np.maximum(np.linalg.norm(way, axis=-1), 1e-9)
    length = reach(flexion, legs.upper, legs.lower)
    bent = np.where(flexion < -BENT, flexion, np.maximum(np.abs(flexion), BENT))
    rows = np.zeros((len(x), 2, 5))
    rows[..., 0] = (way[..., 1] / far).T
    rows[..., 1], rows[..., 2] = ((np.sum(way * go, axis=-1) / far).T for go in (swing, legs.aside))
    shortening = -legs.upper * legs.lower * np.sin(bent) / length
    rows[:, 0, 3], rows[:, 1, 4] = shortening
    return (length - far).T, rows


def knee_swivels(knee: Floats, step: Floats, aside: Floats, share: Floats, motion: Motion) -> Floats:
    """``(T,)`` angles by which to turn a leg about its way, so that its knee's ``step`` adds no jolt.

    All in leg lengths: ``knee`` ``(T, 3)`` as it was, ``step`` how far it went, and ``aside`` how it goes if turned.
    """
    if compiled.loaded(knee.size) is None:
        return knee_swivels_reference(knee, step, aside, share, motion)

    angle = np.empty(len(knee))
    rule = SwivelRule(SWIVEL, SWIVEL_ANGLE, SWIVEL_BEND, SWIVEL_SHARE, SWIVEL_TURN, SWIVEL_STRAIGHT, SWIVEL_ROUGH)
    rows = (np.ascontiguousarray(array) for array in (knee, step, aside, share))
    knee_swivels_kernel(*rows, performed_flags(motion), motion.rate, rule, angle)
    return angle


def knee_swivels_reference(knee: Floats, step: Floats, aside: Floats, share: Floats, motion: Motion) -> Floats:
    """The same in plain NumPy."""
    rate = motion.rate
    radius = np.linalg.norm(aside, axis=-1, keepdims=True)
    across = unit_vectors(aside)
    added, rough, tied = np.zeros_like(radius), np.full_like(radius, SWIVEL_BEND), np.zeros_like(radius)
    for run in performed_runs(motion):
        added[run] = np.sum(second_differences(step[run]) * across[run], axis=-1, keepdims=True)
        own = np.linalg.norm(second_differences(knee[run]), axis=-1)
        rough[run] += SWIVEL_SHARE * rate**2 * _around(own)[:, None]
        tied[run.start + 1 : run.stop - 1] = 1.0
    chain = Chain(len(knee), 1)
    one = np.ones((len(knee), 1, 1))
    still = (radius / SWIVEL) ** 2 + SWIVEL_ANGLE**-2.0
    chain.add(one, still / np.maximum(share, 1e-3) ** 2, np.zeros_like(radius))
    chain.add_bends(radius[..., None], tied * (rate**2 / rough) ** 2, -added)
    turn = SWIVEL_TURN * (1.0 + (radius / SWIVEL_STRAIGHT) ** 2 + (rough / SWIVEL_ROUGH) ** 2)
    chain.add_bends(one, tied * (rate**2 / turn) ** 2, np.zeros_like(radius))
    found: Floats = (share * chain.solve())[:, 0]
    return found


def _around(values: Floats) -> Floats:
    """The greatest of each frame and its neighbours."""
    padded = np.pad(values, [(1, 1)] + [(0, 0)] * (values.ndim - 1))
    greatest: Floats = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    return greatest


# ---- Compiled hips and knees that follow feet. Import this only through ``compiled``.
#
# The twins are ``leg_paths.follow_reference`` and ``leg_paths.swivels_reference``.


WIDTH = 15  # five unknowns of a frame are tied to themselves and those of the next two


@compile_kernel
def solve_leg_paths_kernel(legs, planted, asked, performed, rate, rule, x, share):  # type: ignore[no-untyped-def]
    """What hips and knees do (T, 5), and how much they may do (T,)."""
    frames = performed.size
    values, wide, one = np.empty(frames), np.empty(frames), np.empty(frames)
    for t in range(frames):
        values[t] = 1.0 if asked[0, t] or asked[1, t] else 0.0
    running_maximum_kernel(values, 0, frames - 1, frame_count(rule.near, rate), wide)
    bell_kernel(wide, 0, frames - 1, frame_count(rule.fade, rate), share)
    miss = np.empty((frames, 2))
    low, high = math.log(rule.miss), math.log(rule.miss_between)
    for i in range(2):
        for t in range(frames):
            values[t] = 1.0 if planted[i, t] else 0.0
        span = frame_count(0.5 * rule.fade, rate)
        running_maximum_kernel(values, 0, frames - 1, span, wide)
        bell_kernel(wide, 0, frames - 1, span, one)
        for t in range(frames):
            miss[t, i] = math.exp(-2.0 * (one[t] * low + (1.0 - one[t]) * high))
    for t in range(frames):
        share[t] = share[t] if performed[t] else 0.0
    _start_kernel(legs, planted, performed, share, rate, rule, x)
    stiff, wanted = np.empty((frames, 6)), np.zeros((frames, 6))
    _roughness_kernel(legs, performed, share, rate, rule, stiff, wanted)
    for t in range(frames):
        for k in range(6):
            stiff[t, k] = (rate * rate / stiff[t, k]) ** 2
    _solve_near(legs, performed, share, miss, stiff, wanted, rate, rule, x)
    for t in range(frames):
        for k in range(5):
            x[t, k] *= share[t]


@compile_kernel
def _solve_near(legs, performed, share, miss, stiff, wanted, rate, rule, x):  # type: ignore[no-untyped-def]
    """Every stretch in which something may move, with what it could still be felt in to both sides."""
    frames, margin = performed.size, int(rule.margin * rate) + 2
    still, right = np.zeros((5 * frames + WIDTH, WIDTH)), np.zeros((2, 5 * frames + WIDTH))
    bands = np.empty((5 * frames + WIDTH, WIDTH))
    rows, goal = np.zeros((frames + 2, 2, 4)), np.empty((frames, 2))
    t = 0
    while t < frames:
        if share[t] <= 0.0:
            t += 1
            continue
        first, last, t = t, t, t + 1
        while first > 0 and performed[first - 1] and last - first < margin:
            first -= 1
        while t < frames and performed[t] and t - last <= 2 * margin:
            last = t if share[t] > 0.0 else last
            t += 1
        end = last
        while end + 1 < frames and performed[end + 1] and end - last < margin:
            end += 1
        t = last + 1
        size = 5 * (end - first + 1)
        still[: size + WIDTH] = 0.0
        right[0, : size + WIDTH] = 0.0
        _add_stillness(legs, first, end, share, stiff, wanted, rule.scale, still, right[0])
        for _ in range(rule.rounds):
            bands[: size + WIDTH] = still[: size + WIDTH]
            right[1, : size + WIDTH] = right[0, : size + WIDTH]
            for f in range(first, end + 1):
                _miss(legs, f, x, rule.bent, rows, goal)
            _add_misses(legs, first, end, miss, rows, goal, rate, rule, x, bands, right[1])
            solve_frames(bands, right[1], end - first + 1)
            for f in range(first, end + 1):
                for k in range(5):
                    x[f, k] = right[1, 5 * (f - first) + k]
                x[f, 0] = min(max(x[f, 0], -rule.deepest), rule.deepest)


@compile_kernel
def _add_misses(legs, first, last, miss, rows, goal, rate, rule, x, bands, right):  # type: ignore[no-untyped-def]
    """Ankles at their goals, without haste, and knees not too straight."""
    bend = (rate * rate / rule.miss_bend) ** 2
    straight = 1.0 / (rule.too_straight * rule.too_straight)
    for t in range(first, last + 1):
        at = 5 * (t - first)
        # How often this frame and the next two are the first, middle or last of a second difference, by its factors.
        starts, middle, ends = t + 2 <= last, first < t < last, t - 2 >= first
        here = (1.0 if starts else 0.0) + (4.0 if middle else 0.0) + (1.0 if ends else 0.0)
        one = (-2.0 if starts else 0.0) + (-2.0 if middle else 0.0)
        two = 1.0 if starts else 0.0
        for i in range(2):
            target = miss[t, i] * goal[t, i]
            if starts:
                target += bend * (goal[t, i] - 2.0 * goal[t + 1, i] + goal[t + 2, i])
            if middle:
                target -= 2.0 * bend * (goal[t - 1, i] - 2.0 * goal[t, i] + goal[t + 1, i])
            if ends:
                target += bend * (goal[t - 2, i] - 2.0 * goal[t - 1, i] + goal[t, i])
            _add_pair(rows[t, i], rows[t, i], miss[t, i] + bend * here, at, 0, i, bands)
            if t < last:
                _add_pair(rows[t, i], rows[t + 1, i], bend * one, at, 5, i, bands)
            if starts:
                _add_pair(rows[t, i], rows[t + 2, i], bend * two, at, 10, i, bands)
            row, knee = rows[t, i], at + 3 + i
            right[at] += target * row[0]
            right[at + 1] += target * row[1]
            right[at + 2] += target * row[2]
            right[knee] += target * row[3]
            flexion = legs.flexion[i, t]
            floor = min(flexion, rule.straightest)
            if flexion + x[t, 3 + i] < floor - rule.hardly:
                bands[knee, 0] += straight
                right[knee] += straight * (floor - flexion)


@compile_kernel
def _add_pair(a, b, weight, at, off, i, bands):  # type: ignore[no-untyped-def]
    """``weight · a bᵀ`` of one leg's unknowns in a frame and one ``off`` rows later; if none, the upper half."""
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


@compile_kernel
def _add_stillness(legs, first, last, share, stiff, wanted, scale, bands, right):  # type: ignore[no-untyped-def]
    """Hips and knees as they were, and corrections that hardly change their speed."""
    for t in range(first, last + 1):
        part = max(share[t], 1e-3)
        for k in range(5):
            size = scale[k] * part
            bands[5 * (t - first) + k, 0] += 1.0 / (size * size)
    for t in range(first + 1, last):
        at = 5 * (t - first - 1)
        for k in range(5):
            _add_bend(at + k, stiff[t, k], wanted[t, k], bands, right)
        _add_aside(legs, t, at, stiff[t, 5], wanted[t, 5], bands, right)


@compile_kernel
def _add_aside(legs, t, at, weight, target, bands, right):  # type: ignore[no-untyped-def]
    """The hips' own way aside: sway, and what roll takes them along; frames differ in how much that is."""
    b0, b1, b2 = _rolled_aside(legs, t - 1), -2.0 * _rolled_aside(legs, t), _rolled_aside(legs, t + 1)
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
    _add_bend(at + 2, weight, target, bands, right)


@compile_kernel
def _add_bend(r, weight, target, bands, right):  # type: ignore[no-untyped-def]
    """A second difference of one unknown, from row ``r`` on."""
    bands[r, 0] += weight
    bands[r, 5] -= 2.0 * weight
    bands[r, 10] += weight
    bands[r + 5, 0] += 4.0 * weight
    bands[r + 5, 5] -= 2.0 * weight
    bands[r + 10, 0] += weight
    right[r] += weight * target
    right[r + 5] -= 2.0 * weight * target
    right[r + 10] += weight * target


@compile_kernel
def _rolled_aside(legs, t):  # type: ignore[no-untyped-def]
    """How far the hips' joint goes aside if the hips roll by one."""
    x, y, z = (
        legs.hips[t, 0] - legs.trunk[t, 0],
        legs.hips[t, 1] - legs.trunk[t, 1],
        legs.hips[t, 2] - legs.trunk[t, 2],
    )
    a, b, c = legs.rolling[t, 0], legs.rolling[t, 1], legs.rolling[t, 2]
    side = legs.aside[t]
    return (b * z - c * y) * side[0] + (c * x - a * z) * side[1] + (a * y - b * x) * side[2]


@compile_kernel
def solve_bands(bands, right, count):  # type: ignore[no-untyped-def]
    """Solve symmetric equations in place: ``bands[i, k]`` ties unknown i to i + k. Rows beyond are there, and zero."""
    width = bands.shape[1]
    for r in range(count):
        inverse = 1.0 / bands[r, 0]
        value = right[r]
        for i in range(1, min(width, count - r)):
            f = bands[r, i] * inverse
            right[r + i] -= f * value
            for k in range(i, width):
                bands[r + i, k - i] -= f * bands[r, k]
    for r in range(count - 1, -1, -1):
        value = right[r]
        for k in range(1, min(width, count - r)):
            value -= bands[r, k] * right[r + k]
        right[r] = value / bands[r, 0]


@compile_kernel
def solve_frames(bands, right, frames):  # type: ignore[no-untyped-def]
    """The same for five unknowns a frame, tied to no more than those of the next two: a frame at a time, for speed."""
    own, later = np.zeros((5, WIDTH)), np.zeros((10, 10))  # a frame's rows; what is taken off those of the next two
    inverse = np.empty(5 * frames)
    for t in range(frames):
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
    for r in range(5 * frames - 1, -1, -1):
        value = right[r]
        for k in range(1, min(WIDTH, 5 * frames - r)):
            value -= bands[r, k] * right[r + k]
        right[r] = value * inverse[r]


@compile_kernel
def _miss(legs, t, x, bent, rows, goal):  # type: ignore[no-untyped-def]
    """How ankles' misses go with the unknowns (T, 2, 4: hips' three, own knee), and what these should come to."""
    roll = legs.rolling[t]
    aside, trunk = legs.aside[t], legs.trunk[t]
    raised, rolled, swayed = x[t, 0], x[t, 1], x[t, 2]
    w, a, b, c = exponential_quaternion(rolled * roll[0], rolled * roll[1], rolled * roll[2])
    for i in range(2):
        hip, want = legs.hip[i, t], legs.way[i, t]
        px, py, pz = hip[0] - trunk[0], hip[1] - trunk[1], hip[2] - trunk[2]
        qx, qy, qz = rotate_vector(w, a, b, c, px, py, pz)
        gx = want[0] - (qx - px + swayed * aside[0])
        gy = want[1] - (qy - py + raised + swayed * aside[1])
        gz = want[2] - (qz - pz + swayed * aside[2])
        far = max(math.sqrt(gx * gx + gy * gy + gz * gz), 1e-9)
        flexion = legs.flexion[i, t] + x[t, 3 + i]
        upper, lower = legs.upper[i, t], legs.lower[i, t]
        cosine, sine = math.cos(0.5 * flexion), math.sin(0.5 * flexion)
        length = math.sqrt(((upper + lower) * cosine) ** 2 + ((upper - lower) * sine) ** 2)
        # straighter knees count as bent a little
        sine = 2.0 * sine * cosine if flexion < -bent or flexion > bent else math.sin(bent)
        sx, sy, sz = roll[1] * qz - roll[2] * qy, roll[2] * qx - roll[0] * qz, roll[0] * qy - roll[1] * qx
        row = rows[t, i]
        row[0] = gy / far
        row[1] = (gx * sx + gy * sy + gz * sz) / far
        row[2] = (gx * aside[0] + gy * aside[1] + gz * aside[2]) / far
        row[3] = -upper * lower * sine / length
        linear = row[0] * raised + row[1] * rolled + row[2] * swayed + row[3] * x[t, 3 + i]
        goal[t, i] = linear - (length - far)


@compile_kernel
def limb_reach_kernel(flexion, upper, lower):  # type: ignore[no-untyped-def]
    """The distance that a limb so bent reaches to."""
    c, s = (upper + lower) * math.cos(0.5 * flexion), (upper - lower) * math.sin(0.5 * flexion)
    return math.sqrt(c * c + s * s)


@compile_kernel
def _start_kernel(legs, planted, performed, share, rate, rule, x):  # type: ignore[no-untyped-def]
    """Hips low enough for planted feet, and knees bent as that wants it."""
    frames = share.size
    need, wide, low = np.zeros(frames), np.empty(frames), np.empty(frames)
    for t in range(frames):
        for i in range(2):
            if planted[i, t]:
                way = legs.way[i, t]
                bend = min(max(legs.flexion[i, t], 0.0), rule.straightest)
                longest = limb_reach_kernel(bend, legs.upper[i, t], legs.lower[i, t])
                over = math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) - longest
                need[t] = max(need[t], min(max(over, 0.0), rule.deepest))
    span = frame_count(0.5 * rule.near, rate)
    running_maximum_kernel(need, 0, frames - 1, span, wide)
    bell_kernel(wide, 0, frames - 1, span, low)
    change, row = np.empty((frames, 2)), np.empty(2)
    for t in range(frames):
        for k in range(5):
            x[t, k] = 0.0
        x[t, 0] = -share[t] * low[t]
        for i in range(2):
            way, upper, lower = legs.way[i, t], legs.upper[i, t], legs.lower[i, t]
            y = way[1] + low[t]
            square = way[0] * way[0] + y * y + way[2] * way[2]
            cosine = (square - upper * upper - lower * lower) / (2.0 * upper * lower)
            wanted = math.acos(min(max(cosine, -1.0), 1.0))
            if legs.flexion[i, t] < -rule.bent:
                wanted = -wanted
            change[t, i] = min(max(wanted - legs.flexion[i, t], -rule.scale[3]), rule.scale[3])
    first = 0
    while first < frames:
        last = first
        while last + 1 < frames and performed[first] and performed[last + 1]:
            last += 1
        reach = gaussian_radius(rule.start, rate, last - first + 1)
        weights = gaussian_weights_kernel(max(reach, 0), rate, rule.start)
        for t in range(first, last + 1):
            if share[t] > 0.0:
                gaussian_row(change, first, last, weights, t, row)
                x[t, 3], x[t, 4] = share[t] * row[0], share[t] * row[1]
        first = last + 1


@compile_kernel
def _bent(values, t, other):  # type: ignore[no-untyped-def]
    """The second difference of (T, 3) in a frame, along a direction (3,)."""
    found = 0.0
    for c in range(3):
        found += (values[t - 1, c] - 2.0 * values[t, c] + values[t + 1, c]) * other[c]
    return found


@compile_kernel
def _common_kernel(a, b):  # type: ignore[no-untyped-def]
    """What both have: the smaller where they have one sign."""
    if a * b <= 0.0:
        return 0.0
    size = min(abs(a), abs(b))
    return size if a > 0.0 else -size


@compile_kernel
def _roughness_kernel(legs, performed, share, rate, rule, rough, wanted):  # type: ignore[no-untyped-def]
    """Accelerations (T, 6) that corrections may have, and second differences (T, 6) that they should have."""
    frames, square = share.size, rate * rate
    own = np.zeros((frames, 4))
    up = np.array([0.0, 1.0, 0.0])
    for t in range(frames):
        for k in range(6):
            rough[t, k] = rule.bends[k]
        if not (0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        left, right = square * _bent(legs.hip[0], t, up), square * _bent(legs.hip[1], t, up)
        rise = _common_kernel(0.5 * (left + right), square * _bent(legs.head, t, up))
        side = legs.aside[t]
        aside = _common_kernel(square * _bent(legs.trunk, t, side), square * _bent(legs.head, t, side))
        own[t, 0], own[t, 1], own[t, 2] = abs(rise), abs(0.5 * (left - right)), abs(aside)
        own[t, 3] = abs(square * _bent(legs.hips, t, side))
        if share[t] <= 0.0:
            continue
        wanted[t, 0] = share[t] * (min(max(rise, -rule.jolt), rule.jolt) - rise) / square
        wanted[t, 2] = share[t] * (min(max(aside, -rule.jolt), rule.jolt) - aside) / square
        for i in range(2):
            bend = square * (legs.flexion[i, t - 1] - 2.0 * legs.flexion[i, t] + legs.flexion[i, t + 1])
            over = bend - min(max(bend, -rule.snap), rule.snap)
            if over != 0.0:
                snap = share[t] * _common_kernel(over, _knee_jolt(legs, i, t, square))
                wanted[t, 3 + i] = -snap / square
                rough[t, 3 + i] += rule.snap_share * abs(snap)
    for t in range(frames):
        for k in range(4):
            most = own[t, k]
            most = max(most, own[t - 1, k]) if t > 0 else most
            most = max(most, own[t + 1, k]) if t < frames - 1 else most
            rough[t, k if k < 3 else 5] += rule.as_rough * most


@compile_kernel
def _knee_jolt(legs, i, t, square):  # type: ignore[no-untyped-def]
    """How a knee's angle jolts, as far as the knee jolts forward or back with it."""
    upper, lower, flexion = legs.upper[i, t], legs.lower[i, t], legs.flexion[i, t]
    sine, cosine, area = math.sin(flexion), math.cos(flexion), upper * lower
    length = limb_reach_kernel(flexion, upper, lower)
    forwarding = max(area * (cosine + area * (sine / length) ** 2) / length, 0.05)
    forward = legs.forward[i, t]
    knee = square * _bent(legs.knee[i], t, forward) / forwarding
    foot = square * _bent(legs.shift[i], t, forward) / forwarding * (upper / (upper + lower))
    return knee + foot if legs.rigid[i] else _common_kernel(knee + foot, foot)


@compile_kernel
def knee_swivels_kernel(knee, step, aside, share, performed, rate, rule, angle):  # type: ignore[no-untyped-def]
    """Angles (T,) by which to turn a leg about its way."""
    frames = performed.size
    radius, own = np.empty(frames), np.zeros(frames)
    bands, right = np.zeros((frames + 3, 3)), np.zeros(frames + 3)
    for t in range(frames):
        x, y, z = aside[t, 0], aside[t, 1], aside[t, 2]
        radius[t] = math.sqrt(x * x + y * y + z * z)
        part = max(share[t, 0], 1e-3)
        bands[t, 0] = ((radius[t] / rule.swivel) ** 2 + 1.0 / (rule.angle * rule.angle)) / (part * part)
        if 0 < t < frames - 1 and performed[t - 1] and performed[t] and performed[t + 1]:
            own[t] = second_difference_length(knee, t)
    for t in range(1, frames - 1):
        if not (performed[t - 1] and performed[t] and performed[t + 1]):
            continue
        rough = rule.bend + rule.share * rate * rate * max(own[t], max(own[t - 1], own[t + 1]))
        weight = (rate * rate / rough) ** 2
        free = 1.0 + (radius[t] / rule.straight) ** 2 + (rough / rule.rough) ** 2
        even = (rate * rate / (rule.turn * free)) ** 2
        added = _bent(step, t, aside[t]) / radius[t] if radius[t] > 0.0 else 0.0
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
    solve_bands(bands, right, frames)
    for t in range(frames):
        angle[t] = share[t, 0] * right[t]
