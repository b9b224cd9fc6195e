"""How the feet move: the corrections that hold planted points, and how they come and go.

Only feet that slide are corrected. A stand is a foot's plants with less than ``EASE`` seconds between them. Where all
its points are nearer to their anchors than ``HOLDS`` it holds already and asks for nothing.

While a point of a sliding foot is planted, the foot is moved so that the point stays at its anchor. While heel and
ball are both planted the foot is also turned, about the axis that takes the way from heel to ball to that between
the anchors; roll about that way stays the input's. Points nearer than ``APART`` to each other give no direction, and
no turn. Before and after plants both corrections follow cubics whose value and slope meet the plant's, and which are
nothing ``EASE`` seconds away: the foot's speed has no jump.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import SolePoint, bell, eased, grown, runs, smoothed, spread, velocities
from kinesphere.body.plants import Plants
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.kernels.smooth_chain import bends

HOLDS = 0.001  # leg lengths: points that stay so near to their anchors hold already
APART = 0.03  # leg lengths that heel and ball must be apart to give a direction
EASE = 0.2  # seconds before and after a plant in which its correction comes and goes
STEADY, FULL = 0.03, 0.05  # seconds: sigma of the low-pass on a standing foot's rotation; how it comes and goes
JOLT = 0.6  # leg lengths a second that an ankle's velocity may change more from frame to frame than it did
SLOPE = 1.0 / 60.0  # seconds to each side for the slope at a plant's edge


class FootPath(NamedTuple):
    """How one foot is to move."""

    shift: Floats  # (T, 3) of the ankle
    turn: Floats  # (T, 3) of the foot, as rotation vectors in the world
    toes: Floats  # (T, 3) and of its toes
    planted: Bools  # (T,)
    asked: Bools  # (T,) planted, and part of a stand that slides


class Rule(NamedTuple):
    """What a foot goes by, in metres, seconds and frames."""

    rate: float
    holds: float  # metres
    apart: float  # metres
    jolt: float  # metres a second
    ease: float  # frames
    full: float  # seconds
    steady: float  # seconds
    half: float  # frames to each side for slopes
    near: int  # frames to each side in which an ankle may have jolted before


def foot_correction(
    points: list[SolePoint],
    paths: Floats,
    world: tuple[Floats, Floats, Floats],
    plants: Plants,
    performed: Bools,
    unit: float,
) -> FootPath:
    """For one foot: its path. ``world`` is how foot and toes are turned and where the ankle is."""
    names, rate = [point.name for point in points], plants.rate
    labels = np.zeros(paths.shape[:2], dtype=bool)
    for plant in plants.intervals:
        if plant.name in names:
            labels[plant.first : plant.last + 1, names.index(plant.name)] = True
    anchors = plants.anchors(names, paths)
    jolted = max(int(3.0 / rate * rate), 1)
    rule = Rule(
        rate, HOLDS * unit, APART * unit, JOLT * unit, EASE * rate, FULL, STEADY, max(SLOPE * rate, 1.0), jolted
    )
    if compiled.loaded(paths.size) is None:
        return corrected_reference(paths, anchors, labels, world, performed, rule)
    from kinesphere.kernels import jit_feet

    shift, turn, toes = np.empty((3, len(paths), 3))
    planted, asked = np.empty((2, len(paths)), dtype=bool)
    whole = np.concatenate(world, axis=1)
    near = np.ascontiguousarray(paths)
    jit_feet.correct_foot(near, anchors, labels, whole, performed, rule, shift, turn, toes, planted, asked)
    return FootPath(shift, turn, toes, planted, asked)


def corrected_reference(
    paths: Floats, anchors: Floats, stands: Bools, world: tuple[Floats, Floats, Floats], performed: Bools, rule: Rule
) -> FootPath:
    """The same in plain NumPy, for points with anchors ``(T, P, 3)`` that stand when ``stands (T, P)`` says."""
    (foot, toes, ankle), rate = world, rule.rate
    labels = stands.T & performed
    planted: Bools = np.any(labels, axis=0)
    away = np.max(np.where(labels.T, np.linalg.norm(paths - anchors, axis=-1), 0.0), axis=1)
    held = _sliding(planted, away > rule.holds, rate)
    labels &= held
    arms = paths - ankle[:, None]
    steadied = _steadied(foot, held, rate, performed)
    arms = rotations.rotate(steadied[:, None], arms)
    turn = np.zeros(ankle.shape)
    both = _both(labels, arms, anchors, rule.apart)
    if both.any():
        wanted = anchors[both, 1] - anchors[both, 0]
        found = rotations.between(arms[both, 1] - arms[both, 0], wanted)
        turn[both] = rotations.to_rotation_vector(found)
        vectors = arms[:, 1] - arms[:, 0]
        # On the plant's side of an edge the turn undoes how the foot turns, so its slope is that of the input's.
        turning = np.cross(vectors, _velocities(vectors, performed, rate))
        turning /= np.maximum(np.sum(vectors**2, axis=1, keepdims=True), rule.apart**2)
        turn = eased(turn, -turning, both, performed, rule.ease, rate)
        arms = rotations.rotate(rotations.from_rotation_vector(turn)[:, None], arms)
    turned = rotations.from_rotation_vector(turn)
    turn, toe_turn = (
        rotations.to_rotation_vector(rotations.multiply(turned, steady))
        for steady in (steadied, _steadied(toes, held, rate, performed))
    )
    moved = ankle[:, None] + arms
    weight = labels.T / np.maximum(labels.sum(axis=0), 1)[:, None]  # (T, P)
    shift = np.sum(weight[..., None] * (anchors - moved), axis=1)
    slope = -np.sum(weight[..., None] * _velocities(moved, performed, rate), axis=1)
    shift = eased(shift, slope, held, performed, rule.ease, rate)
    shift = _unjolted(ankle, shift, performed, rule)
    return FootPath(shift, turn, toe_turn, planted, held)


def _sliding(planted: Bools, away: Bools, rate: float) -> Bools:
    """``(T,)`` planted frames of the stands that are somewhere ``away``."""
    sliding = np.zeros(len(planted), dtype=bool)
    stands: list[tuple[int, int]] = []
    for first, last in runs(planted):
        near = bool(stands) and first - stands[-1][1] < EASE * rate
        stands[len(stands) - near :] = [(stands[-1][0] if near else first, last)]
    for first, last in stands:
        sliding[first : last + 1] = away[first : last + 1].any()
    return sliding & planted


def _both(labels: Bools, arms: Floats, anchors: Floats, least: float) -> Bools:
    """``(T,)`` where heel and ball are both planted, and far enough from each other to give a direction."""
    both: Bools = np.all(labels, axis=0)
    if len(labels) != 2:
        return np.zeros_like(both)
    for pair in (arms, anchors):
        both = both & (np.linalg.norm(pair[:, 1] - pair[:, 0], axis=-1) > least)
    return both


def _velocities(paths: Floats, performed: Bools, rate: float) -> Floats:
    """``(T, ...)`` velocities of performed frames, from performed frames only."""
    found = np.zeros_like(paths)
    for first, last in runs(performed):
        found[first : last + 1] = velocities(paths[first : last + 1], rate, SLOPE)
    return found


def _unjolted(ankle: Floats, shift: Floats, performed: Bools, rule: Rule) -> Floats:
    """The shift without jolts that the ankle had not: a foot that goes over from ball to heel, on anchors apart."""
    result, rate = shift.copy(), rule.rate
    for first, last in runs(performed):
        run = slice(first, last + 1)
        was, now = (np.linalg.norm(bends(path[run]), axis=-1) * rate for path in (ankle, ankle + shift))
        jolts = now > grown(was, 3.0 / rate, rate) + rule.jolt
        share = spread(grown(jolts, FULL, rate), bell(FULL, rate))[:, None]
        path = (ankle + shift)[run]
        result[run] += share * (smoothed(path, rate, STEADY) - path)
    return result


def _steadied(foot: Floats, held: Bools, rate: float, performed: Bools) -> Floats:
    """``(T, 4)`` turns that take the jitter out of how the foot is turned while it stands.

    Held by the heel or the ball, an ankle would shake as much as the foot's direction does.
    """
    smooth = foot.copy()
    for first, last in runs(performed):
        run = slice(first, last + 1)
        smooth[run] = rotations.normalise(smoothed(rotations.continuous(foot[run]), rate, STEADY))
    share = spread(grown(held, FULL, rate), bell(FULL, rate)) * performed
    return rotations.power(rotations.multiply(smooth, rotations.conjugate(foot)), share)
