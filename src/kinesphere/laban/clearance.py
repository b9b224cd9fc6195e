"""Collision avoidance for hand keys: move keys so that hands stay outside of the body.

Hands are tested at sample points on their paths: at every key and at 1 or 5 points between two keys. Each hand is felt
at three points (wrist, knuckles, curled fingertips) against four capsules (trunk, head, thighs). Where one of them is
deeper in a capsule than the gesture itself writes it, the keys before and after the sample move. Moving keys instead of
frames keeps paths smooth. Keys that are fixed in the world stay.

All positions are relative to the shoulder, in the chest's axes: out, up, ahead; in metres of the figure, whose arms are
as long as the body's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.capsules import HEAD, SOFT, THIGH, TRUNK
from kinesphere.engine.paths import BOW, TIGHTEST, cubic_hermite
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, Actor
from kinesphere.laban.shape import limit_reach
from kinesphere.maths.vectors import Bools, Floats, Ints, norms, smoothstep

FINE, COARSE = (0.12, 0.25, 0.5, 0.75, 0.88), (0.5,)  # sample points between two keys
FINE_FROM, COARSE_FROM = 0.15, 0.06  # metres between two keys from which there are so many
CAPSULE_RADII = np.array([TRUNK, HEAD, THIGH, THIGH])  # (4, 2) metres aside and ahead
# Points of a hand: metres from the wrist along the forearm and towards the curled fingers; what is added to the radii.
HAND_POINTS = np.array([[0.0, 0.0, 0.0], [0.085, 0.010, -0.002], [0.155, 0.055, -0.015]])
CURL = np.array([-0.85, 0.0, -0.5])  # where fingers curl to: palms face the body, and somewhat back
ROUNDS = 5  # of moving keys at most: out of one capsule may be into another
FULL_FLOURISH = 0.16  # metres between wrist and body from which flourishes keep their size
HANGING_WEIGHT = 0.1  # how much a hanging key moves for a sample beside it, where another key counts 1


# Sample points on hand paths


class PathSamples(NamedTuple):
    """Points at which hands are tested: weighted means of the keys around them."""

    rows: Ints  # (S, 4) two keys before the sample and two after
    weights: Floats  # (S, 4) of these four keys in the sample's position
    fractions: Floats  # (S,) from 0 at the second key to 1 at the third
    bows: Floats  # (S,) how far a stroke bends outwards there, as a fraction of its length
    swivels: Floats  # (K,) of the keys


class SampledPaths(NamedTuple):
    """Path samples for any tension of the strokes."""

    neutral: PathSamples  # at tension 0, with bows of height 1
    rounding: Floats  # (S, 4) what weights gain at tension −1
    strokes: Ints  # (S,) the stroke of each sample

    def with_tension(self, tension: Floats) -> PathSamples:
        """The samples of strokes with this tension ``(strokes,)``."""
        own = tension[self.strokes]
        bows = self.neutral.bows * (BOW[0] + BOW[1] * own + BOW[2] * own**2)
        weights = self.neutral.weights - np.minimum(own, TIGHTEST)[:, None] * self.rounding
        return self.neutral._replace(weights=weights, bows=bows)


def sample_paths(positions: Floats, stops: Bools, fixed: Bools, swivels: Floats, arms: Iterable[slice]) -> SampledPaths:
    """Sample the paths through keys at ``positions (K, 3)``; ``arms`` are the rows of one arm after the other.

    The hand rests at keys with ``stops``; keys with ``fixed`` are fixed in the world and not tested.
    """
    rows, continues, fractions, bowed, strokes = [], [], [], [], []
    first_stroke = 0  # of the arm
    for own in arms:
        last = own.stop - 1
        for i in range(own.start, own.stop):
            if fixed[i]:
                continue
            j = min(i + 1, last)
            distance = 0.0 if fixed[j] else float(norms(positions[j] - positions[i]))
            before, after = not stops[i], not stops[j]
            stroke = first_stroke + max(int(stops[own.start : min(i, last - 1) + 1].sum()) - 1, 0)
            for fraction in (0.0, *(FINE if distance > FINE_FROM else COARSE if distance > COARSE_FROM else ())):
                rows.append((i - before, i, j, j + after))
                continues.append((before, after))
                fractions.append(fraction)
                bowed.append(bool(stops[i] and stops[j]))
                strokes.append(stroke)
        first_stroke += max(int(stops[own].sum()) - 1, 1)
    u, (before_each, after_each) = np.array(fractions), np.array(continues, dtype=bool).reshape(-1, 2).T
    even, rounder = (_spline_weights(u, before_each, after_each, tension) for tension in (0.0, -1.0))
    bows = np.where(np.array(bowed, dtype=bool), 4.0 * u * (1.0 - u), 0.0)
    samples = PathSamples(np.array(rows, dtype=np.intp).reshape(-1, 4), even, u, bows, swivels)
    return SampledPaths(samples, rounder - even, np.array(strokes, dtype=np.intp))


def _spline_weights(u: Floats, before: Bools, after: Bools, tension: float) -> Floats:
    """Weights ``(S, 4)`` of four keys in points between the middle two, by the spline of ``engine.paths``.

    ``before`` and ``after`` are whether the stroke continues beyond the middle two. Weights are linear in tension.
    """
    step = np.array([0.0, -1.0, 1.0, 0.0])
    through = (1.0 - tension) * np.array([[-0.5, 0.0, 0.5, 0.0], [0.0, -0.5, 0.0, 0.5]])
    before, after, u = before[:, None], after[:, None], u[:, None]
    leaving = np.where(before, through[0], np.where(after, 1.5 * step - 0.5 * through[1], step))
    arriving = np.where(after, through[1], np.where(before, 1.5 * step - 0.5 * through[0], step))
    first, last = np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])
    return cubic_hermite(first, last, leaving, arriving, u)


# Penetration, and keys that move out of it


class BodyCapsules(NamedTuple):
    """The body around hands."""

    lines: Floats  # (K, 4, 2, 3) capsule axes at the keys
    lines_between: Floats  # (K, 4, 2, 3) the same for samples between keys, where pressed breath bends the body
    sags: Floats  # (K, 3) how far hanging hands are from their keys
    margins: Floats  # (K,) metres that flourishes lead hands off their paths


class MovableKeys(NamedTuple):
    """Keys, and how they move."""

    written: Floats  # (K, 3) as the gesture has them
    free: Bools  # (K,) whether a key may be moved
    owners: Ints  # (K,) the key that each one moves with: a loop's last key moves with its first
    weights: Floats  # (S, 2) how far the keys before and after move to move a sample between them by one


class HandSamples(NamedTuple):
    """A hand, its arm, and the radii of what it must not enter."""

    radii: Floats  # (4, 2) of the capsules, aside and ahead
    points: Floats  # (3, 3) as in ``HAND_POINTS``
    curl: Floats  # (3,) where fingers curl to
    upper: float  # bone lengths
    lower: float
    frame: Floats  # (3, 3) upper bone, hinge and their normal at rest
    flexions: Floats  # (2,) least and greatest of the elbow
    reference: Floats  # (3,) what swivel is measured from
    home: Floats  # (3,) the same where the arm points along the reference
    soft: float  # metres over which the push out of a capsule begins


@lru_cache(maxsize=16)
def hand_model(actor: Actor) -> HandSamples:
    """The left hand of a body."""
    limb = actor.arms["left"]
    upper, lower = (length / actor.arm_size for length in limb.lengths)
    radii = CAPSULE_RADII * (actor.size / actor.arm_size)
    return HandSamples(radii, HAND_POINTS, CURL, upper, lower, limb.frame, np.array(FLEXIONS), DOWN, AHEAD, SOFT)


def key_weights(samples: PathSamples, hanging: Bools) -> Floats:
    """How far the keys before and after move ``(S, 2)``, at the least, to move a sample by 1 m; hanging keys less."""
    shares = np.stack([1.0 - samples.fractions, samples.fractions], axis=1)
    reluctant = hanging[samples.rows[:, 1:3]] & (samples.fractions > 0.0)[:, None]
    mobility = np.where(reluctant, HANGING_WEIGHT, 1.0)
    return np.asarray(mobility * shares / np.sum(mobility * shares**2, axis=1, keepdims=True))


def penetration(positions: Floats, body: BodyCapsules, samples: PathSamples, model: HandSamples) -> Floats:
    """Displacements ``(S, 3)`` in metres that bring the hand at each sample out of the body; zero where it is clear.

    A hand is clear where all its points are 16 mm and more outside of all capsules, which are wider between keys.
    Keys are at ``positions (K, 3)``, from the shoulder in the chest's axes, in metres of the figure. Where
    several points of the hand are inside, it is the mean of their displacements, each weighted by its squared length.
    """
    pushes = np.empty((len(samples.rows), 3))
    _native.clearance.penetration(positions, body, samples, model, np.ones(len(positions), dtype=np.bool_), pushes)
    return pushes


def resolve_collisions(
    positions: Floats,
    body: BodyCapsules,
    samples: PathSamples,
    keys: MovableKeys,
    allowed: Floats,
    model: HandSamples,
) -> Floats:
    """Keys ``(K, 3)`` moved, within the arm's reach, so that samples are no deeper in the body than ``allowed (S,)``.

    It stops after ``ROUNDS`` rounds: where keys cannot move enough, some samples stay deeper.
    """
    moved = positions.copy()
    _native.clearance.resolve_collisions(moved, body, samples, model, keys, allowed, ROUNDS)
    limit_reach(moved, keys.written)
    return moved


def flourish_scale(positions: Floats, body: BodyCapsules, model: HandSamples) -> Floats:
    """Factors ``(K,)`` from 0 to 1 by which flourishes are scaled down because the body is near to keys ``(K, 3)``."""
    distances = np.empty(len(positions))
    _native.clearance.body_distance(positions, body, model.radii, distances)
    return np.asarray(smoothstep(distances / FULL_FLOURISH))
