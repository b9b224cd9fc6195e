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

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import bell, directions, grown, performed_flags, performed_runs, smoothed, spread
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.kernels.limbs import reach
from kinesphere.kernels.smooth_chain import Chain, bends
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


class Rule(NamedTuple):
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


class Legs(NamedTuple):
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


class Followed(NamedTuple):
    """What hips and knees do."""

    raised: Floats  # (T,) leg lengths
    rolled: Floats  # (T,) leg lengths that the left hip goes up and the right one down
    swayed: Floats  # (T,) leg lengths to the left
    flexion: Floats  # (2, T)
    share: Floats  # (T, 1) how much they may do at all


def steps(legs: Legs, place: Floats, moved: Followed) -> tuple[Floats, Floats]:
    """``(..., T, 3)`` how far what is fixed in the hips goes with them, and how it goes on if they roll more."""
    arm = place - legs.trunk
    turned = rotations.rotate(rotations.from_rotation_vector(moved.rolled[:, None] * legs.rolling), arm)
    step = moved.raised[:, None] * [0.0, 1.0, 0.0] + moved.swayed[:, None] * legs.aside
    return turned - arm + step, np.cross(legs.rolling, turned)


def follow(legs: Legs, planted: Bools, asked: Bools, motion: Motion) -> Followed:
    """Where hips and knees go; as they were from ``NEAR + FADE`` seconds before or after plants that are ``asked``.

    The unknowns of each frame are how far the hips are raised, rolled and swayed and how much the left and the right
    knee are bent more than they were.
    """
    if compiled.loaded(legs.way.size) is None:
        return follow_reference(legs, planted, asked, motion)
    from kinesphere.kernels import jit_leg_paths

    x, share = np.empty((len(motion), 5)), np.empty(len(motion))
    bends_ = np.array([LOWER_BEND, ROLL_BEND, SWAY_BEND, FLEX_BEND, FLEX_BEND, SWAY_BEND])
    rule = Rule(
        MISS, MISS_BETWEEN, MISS_BEND, np.array([LOWER, ROLL, SWAY, FLEX, FLEX]), bends_, AS_ROUGH, JOLT, SNAP,
        SNAP_SHARE, STRAIGHTEST, TOO_STRAIGHT, HARDLY, BENT, DEEPEST, NEAR, FADE, START, FELT, ROUNDS,
    )  # fmt: skip
    jit_leg_paths.follow_feet(legs, planted, asked, performed_flags(motion), motion.rate, rule, x, share)
    return _followed(legs, x, share[:, None])


def follow_reference(legs: Legs, planted: Bools, asked: Bools, motion: Motion) -> Followed:
    """The same in plain NumPy, over all frames."""
    rate, runs = motion.rate, performed_runs(motion)
    performed = np.zeros((len(motion), 1))
    performed[motion.performed_frames] = 1.0
    share = performed * spread(grown(np.any(asked, axis=0), NEAR, rate), bell(FADE, rate))[:, None]
    firm = np.stack([spread(row, bell(0.5 * FADE, rate)) for row in grown(planted, 0.5 * FADE, rate)], axis=1)
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
        chain.add_bends(rows, tied * (rate**2 / MISS_BEND) ** 2 * np.ones(2), bends(target))
        chain.add(bending, (knees + x[:, 3:] < floor - HARDLY) / TOO_STRAIGHT**2, floor - knees)
        x = chain.solve()
        x[:, 0] = np.clip(x[:, 0], -DEEPEST, DEEPEST)
    return _followed(legs, share * x, share)


def _followed(legs: Legs, x: Floats, share: Floats) -> Followed:
    return Followed(x[:, 0], x[:, 1], x[:, 2], legs.flexion + x[:, 3:].T, share)


def _stillness(legs: Legs, share: Floats, runs: list[slice], rate: float) -> tuple[Chain, Floats]:
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


def _roughness(legs: Legs, share: Floats, runs: list[slice], rate: float) -> tuple[Floats, Floats]:
    """``(T, 6)`` accelerations that corrections may have, and second differences that they should have.

    They may have a little more than a share of the input's; up, down and to the side only of what trunk and head have
    in common, as both go along. They should have none, but what takes away jolts of both, and a knee's snap as far
    as the knee jolts forward or back with it, once its foot is held; where bones change their lengths or the foot does
    not hang on them, only as far as holding the foot does that. The sixth is the hips' own way aside, below the trunk.
    """
    places = np.stack([*legs.hip, *legs.knee, legs.trunk, legs.head, legs.hips, *legs.shift])
    jolt, bend = np.zeros_like(places), np.zeros_like(legs.flexion)
    for run in runs:
        jolt[:, run] = rate**2 * np.stack([bends(place[run]) for place in places])
        bend[:, run] = rate**2 * np.stack([bends(knee[run]) for knee in legs.flexion])
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


def _forwarding(legs: Legs) -> Floats:
    """``(2, T)`` how far a knee comes forward if bent more, in leg lengths a radian."""
    sine, cosine = np.sin(legs.flexion), np.cos(legs.flexion)
    length, area = reach(legs.flexion, legs.upper, legs.lower), legs.upper * legs.lower
    return np.maximum(area * (cosine + area * (sine / length) ** 2) / length, 0.05)


def _start(legs: Legs, planted: Bools, runs: list[slice], rate: float) -> Floats:
    """``(T, 5)`` hips low enough for planted feet, and knees bent as that wants it, without haste."""
    asked = np.linalg.norm(legs.way, axis=-1)
    longest = reach(np.clip(legs.flexion, 0.0, STRAIGHTEST), legs.upper, legs.lower)
    need = np.clip(np.where(planted, asked - longest, 0.0), 0.0, DEEPEST).max(axis=0)
    x = np.zeros((asked.shape[1], 5))
    x[:, 0] = -spread(grown(need, 0.5 * NEAR, rate), bell(0.5 * NEAR, rate))
    asked = np.linalg.norm(legs.way - x[:, :1] * [0.0, 1.0, 0.0], axis=-1)
    cosine = (asked**2 - legs.upper**2 - legs.lower**2) / (2.0 * legs.upper * legs.lower)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0)) * np.where(legs.flexion < -BENT, -1.0, 1.0)
    change = np.clip(wanted - legs.flexion, -FLEX, FLEX)
    for run in runs:
        x[run, 3:] = smoothed(change[:, run].T, rate, START)
    return x


def _missed(legs: Legs, x: Floats) -> tuple[Floats, Floats]:
    """``(T, 2)`` how far ankles are beyond their goals, and ``(T, 2, 5)`` how that goes with the unknowns."""
    moved = _followed(legs, x, np.ones((len(x), 1)))
    step, swing = steps(legs, legs.hip, moved)
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


def swivels(knee: Floats, step: Floats, aside: Floats, share: Floats, motion: Motion) -> Floats:
    """``(T,)`` angles by which to turn a leg about its way, so that its knee's ``step`` adds no jolt.

    All in leg lengths: ``knee`` ``(T, 3)`` as it was, ``step`` how far it went, and ``aside`` how it goes if turned.
    """
    if compiled.loaded(knee.size) is None:
        return swivels_reference(knee, step, aside, share, motion)
    from kinesphere.kernels import jit_leg_paths

    angle = np.empty(len(knee))
    rule = SwivelRule(SWIVEL, SWIVEL_ANGLE, SWIVEL_BEND, SWIVEL_SHARE, SWIVEL_TURN, SWIVEL_STRAIGHT, SWIVEL_ROUGH)
    rows = (np.ascontiguousarray(array) for array in (knee, step, aside, share))
    jit_leg_paths.swivel_knee(*rows, performed_flags(motion), motion.rate, rule, angle)
    return angle


def swivels_reference(knee: Floats, step: Floats, aside: Floats, share: Floats, motion: Motion) -> Floats:
    """The same in plain NumPy."""
    rate = motion.rate
    radius = np.linalg.norm(aside, axis=-1, keepdims=True)
    across = directions(aside)
    added, rough, tied = np.zeros_like(radius), np.full_like(radius, SWIVEL_BEND), np.zeros_like(radius)
    for run in performed_runs(motion):
        added[run] = np.sum(bends(step[run]) * across[run], axis=-1, keepdims=True)
        own = np.linalg.norm(bends(knee[run]), axis=-1)
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
