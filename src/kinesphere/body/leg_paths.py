"""How hips and knees follow feet that are told where to be.

A leg between a moving hip and a standing ankle must change its length, and a nearly straight knee turns by degrees for
a millimetre. Three things can give: the knee, the hips (up, down and rolling) and the ankle. What is best is found
for all frames together, as the least sum of squares of

- how far ankles are from where they should be, and how fast that changes its speed;
- how far knees and hips are from where they were;
- how fast the corrections of knees and hips change their speed, *measured by how fast the input does there*. Where a
  capture jolts as a whole, feet that no longer do need hips that no longer do;
- how far knees are straighter than they were and than ``STRAIGHTEST``.

So nothing moves where nothing slides, and hardly anything is rougher than it was. Only a knee that snaps, faster than
knees do, is smoothed of its own. Flexion has a sign, as captures bend straight knees a little backward: what passes
through straight does so without a kink.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import bell, grown, performed_runs, smoothed, spread
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.kernels.limbs import reach
from kinesphere.kernels.smooth_chain import Chain
from kinesphere.motion.motion import Motion

# What counts as one unit in the sum of squares: lengths in leg lengths, knees in radians, time in seconds.
MISS, MISS_BETWEEN = 0.0025, 0.01  # an ankle from its goal: planted, between plants
MISS_BEND = 10.0  # and its acceleration
LOWER, LOWER_BEND = 0.03, 1.0  # hips up or down
ROLL, ROLL_BEND = 0.004, 0.5  # one hip up, the other down
FLEX, FLEX_BEND = 0.3, 15.0  # a knee
AS_ROUGH = 0.5  # share of the hips' own acceleration, added to the above
SNAP, SNAP_SHARE = 120.0, 0.1  # the acceleration beyond which a knee snaps, and the share of that added to the above
STRAIGHTEST, TOO_STRAIGHT = 0.07, 0.01  # the flexion below which no knee is made straighter; by how much it may be
BENT = 0.05  # flexion: a straighter knee is taken to shorten its leg as if it were bent so much
DEEPEST = 0.08  # leg lengths that the hips may move
NEAR, FADE = 0.2, 0.08  # seconds from a plant in which hips and knees may move, and over which that ends
ROUNDS = 4  # of linearising


class Legs(NamedTuple):
    """Both legs as the input has them, left first, in leg lengths and radians."""

    way: Floats  # (2, T, 3) from the hip as it was to where the ankle should be
    hip: Floats  # (2, T, 3)
    upper: Floats  # (2, T)
    lower: Floats  # (2, T)
    flexion: Floats  # (2, T) below zero where bent the wrong way
    top: Floats  # (T,) height of the head, or of what is there instead


class Followed(NamedTuple):
    """What hips and knees do."""

    raised: Floats  # (T,) leg lengths
    rolled: Floats  # (T,) leg lengths that the left hip goes up and the right one down
    flexion: Floats  # (2, T)


def follow(legs: Legs, planted: Bools, motion: Motion) -> Followed:
    """Where hips and knees go; as they were from ``NEAR + FADE`` seconds before or after plants.

    The unknowns of each frame are how far the hips are raised and rolled and how much the left and the right knee are
    bent more than they were.
    """
    rate, runs = motion.rate, performed_runs(motion)
    performed = np.zeros((len(motion), 1))
    performed[motion.performed_frames] = 1.0
    share = performed * spread(grown(np.any(planted, axis=0), NEAR, rate), bell(FADE, rate))[:, None]
    firm = np.stack([spread(row, bell(0.5 * FADE, rate)) for row in grown(planted, 0.5 * FADE, rate)], axis=1)
    miss = (MISS**firm * MISS_BETWEEN ** (1.0 - firm)) ** -2.0
    still, tied = _stillness(legs, share, runs, rate)
    knees, every = legs.flexion.T, np.broadcast_to(np.eye(4), (len(motion), 4, 4))
    floor = np.minimum(knees, STRAIGHTEST)
    x = share * _start(legs, planted, runs, rate)
    for _ in range(ROUNDS):
        missed, rows = _missed(legs, x)
        target = (rows @ x[..., None])[..., 0] - missed
        chain = still.copy()
        chain.add(rows, miss, target)
        chain.add_bends(rows, tied * (rate**2 / MISS_BEND) ** 2 * np.ones(2), _bend(target))
        chain.add(every[:, 2:], (knees + x[:, 2:] < floor) / TOO_STRAIGHT**2, floor - knees)
        x = chain.solve()
        x[:, 0] = np.clip(x[:, 0], -DEEPEST, DEEPEST)
    x *= share
    return Followed(x[:, 0], x[:, 1], legs.flexion + x[:, 2:].T)


def _stillness(legs: Legs, share: Floats, runs: list[slice], rate: float) -> tuple[Chain, Floats]:
    """What speaks for leaving hips and knees as they are, and ``(T, 1)`` whether a frame has both neighbours."""
    frames = len(share)
    tied = np.zeros((frames, 1))
    for run in runs:
        tied[run.start + 1 : run.stop - 1] = 1.0
    every = np.broadcast_to(np.eye(4), (frames, 4, 4))
    chain = Chain(frames, 4)
    scale = np.array([LOWER, ROLL, FLEX, FLEX])
    chain.add(every, 1.0 / (scale * np.maximum(share, 1e-3)) ** 2, np.zeros((frames, 4)))
    rough, unsnapped = _roughness(legs, runs, rate)
    chain.add_bends(every, tied * (rate**2 / rough) ** 2, share * unsnapped)
    return chain, tied


def _roughness(legs: Legs, runs: list[slice], rate: float) -> tuple[Floats, Floats]:
    """``(T, 4)`` accelerations that corrections may have, and second differences that they should have.

    They may have a little more than a share of the input's: of the hips' what the head has, too, as it goes along. They
    should have none, but where a knee snaps what takes that away.
    """
    height = legs.hip[..., 1]
    own = np.stack([0.5 * (height[0] + height[1]), 0.5 * (height[0] - height[1]), *legs.flexion, legs.top], axis=1)
    bend = np.zeros_like(own)
    for run in runs:
        bend[run] = _bend(own[run])
    around = rate**2 * np.abs(np.pad(bend, ((1, 1), (0, 0))))
    found = np.maximum(np.maximum(around[:-2], around[1:-1]), around[2:])
    wanted = np.zeros((len(own), 4))
    wanted[:, 2:] = np.clip(bend[:, 2:4], -SNAP / rate**2, SNAP / rate**2) - bend[:, 2:4]
    rough = np.tile([LOWER_BEND, ROLL_BEND, FLEX_BEND, FLEX_BEND], (len(own), 1))
    rough[:, 0] += AS_ROUGH * np.minimum(found[:, 0], found[:, 4])
    rough[:, 1] += AS_ROUGH * found[:, 1]
    rough[:, 2:] += SNAP_SHARE * rate**2 * np.abs(wanted[:, 2:])
    return rough, wanted


def _start(legs: Legs, planted: Bools, runs: list[slice], rate: float) -> Floats:
    """``(T, 4)`` hips low enough for planted feet, and knees bent as that wants it, without haste."""
    asked = np.linalg.norm(legs.way, axis=-1)
    longest = reach(np.clip(legs.flexion, 0.0, STRAIGHTEST), legs.upper, legs.lower)
    need = np.clip(np.where(planted, asked - longest, 0.0), 0.0, DEEPEST).max(axis=0)
    x = np.zeros((asked.shape[1], 4))
    x[:, 0] = -spread(grown(need, 0.5 * NEAR, rate), bell(0.5 * NEAR, rate))
    asked = np.linalg.norm(legs.way - x[:, :1] * [0.0, 1.0, 0.0], axis=-1)
    cosine = (asked**2 - legs.upper**2 - legs.lower**2) / (2.0 * legs.upper * legs.lower)
    wanted = np.arccos(np.clip(cosine, -1.0, 1.0)) * np.where(legs.flexion < -BENT, -1.0, 1.0)
    change = np.clip(wanted - legs.flexion, -FLEX, FLEX)
    for run in runs:
        x[run, 2:] = smoothed(change[:, run].T, rate, 0.05)
    return x


def _missed(legs: Legs, x: Floats) -> tuple[Floats, Floats]:
    """``(T, 2)`` how far ankles are beyond their goals, and ``(T, 2, 4)`` how that goes with the unknowns."""
    way = legs.way.copy()
    way[..., 1] -= np.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]])
    far = np.maximum(np.linalg.norm(way, axis=-1), 1e-9)
    flexion = legs.flexion + x[:, 2:].T
    length = reach(flexion, legs.upper, legs.lower)
    bent = np.where(flexion < -BENT, flexion, np.maximum(np.abs(flexion), BENT))
    rows = np.zeros((len(x), 2, 4))
    up = (way[..., 1] / far).T
    rows[..., 0], rows[..., 1] = up, up * [1.0, -1.0]
    shortening = -legs.upper * legs.lower * np.sin(bent) / length
    rows[:, 0, 2], rows[:, 1, 3] = shortening
    return (length - far).T, rows


def _bend(values: Floats) -> Floats:
    """Second differences over frames, nothing at both ends."""
    bend = np.zeros_like(values)
    bend[1:-1] = values[:-2] - 2.0 * values[1:-1] + values[2:]
    return bend
