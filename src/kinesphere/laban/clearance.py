"""Collision avoidance for hand keys: move keys so that hands stay outside of the body.

Hands are tested at sample points on their paths: at every key and at 1 or 5 points between two keys. Each hand is felt
at three points (wrist, knuckles, curled fingertips) against four capsules (trunk, head, thighs). Where one of them is
deeper in a capsule than the gesture itself writes it, the keys before and after the sample move. Moving keys instead of
frames keeps paths smooth. Keys that are fixed in the world stay.

All positions are relative to the shoulder, in the chest's axes: out, up, ahead; for a figure 1.70 m tall.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.engine.capsules import HEAD, SOFT, THIGH, TRUNK
from kinesphere.engine.paths import BOW, TIGHTEST, cubic_hermite
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.shape import limit_reach
from kinesphere.maths.compiled import jit
from kinesphere.maths.two_bone import reach_limits_kernel, solve_limb_kernel
from kinesphere.maths.vectors import Bools, Floats, Ints, norms, smoothstep

FINE, COARSE = (0.12, 0.25, 0.5, 0.75, 0.88), (0.5,)  # sample points between two keys
FINE_FROM, COARSE_FROM = 0.15, 0.06  # metres between two keys from which there are so many
CAPSULE_RADII = np.array([TRUNK, HEAD, THIGH, THIGH])  # (4, 2) metres aside and ahead
# Points of a hand: metres from the wrist along the forearm and towards the curled fingers; what is added to the radii.
HAND_POINTS = np.array([[0.0, 0.0, 0.0], [0.085, 0.010, -0.002], [0.155, 0.055, -0.015]])
CURL = np.array([-0.85, 0.0, -0.5])  # where fingers curl to: palms face the body, and somewhat back
ROUNDS = 5  # out of one capsule may be into another
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
    limits: Floats  # (4,) of flexion and reach, as ``reach_limits_kernel`` makes them
    reference: Floats  # (3,) what swivel is measured from
    home: Floats  # (3,) the same where the arm points along the reference
    soft: float  # metres over which the push out of a capsule begins


@cache
def hand_model() -> HandSamples:
    """The figure's left hand."""
    limb = figure_limb(HEIGHT, "left", "Arm")
    upper, lower = limb.lengths
    limits = reach_limits_kernel(upper, lower, np.array(FLEXIONS))
    return HandSamples(CAPSULE_RADII, HAND_POINTS, CURL, upper, lower, limb.frame, limits, DOWN, AHEAD, SOFT)


def key_weights(samples: PathSamples, hanging: Bools) -> Floats:
    """How far the keys before and after move ``(S, 2)``, at the least, to move a sample by 1 m; hanging keys less."""
    shares = np.stack([1.0 - samples.fractions, samples.fractions], axis=1)
    reluctant = hanging[samples.rows[:, 1:3]] & (samples.fractions > 0.0)[:, None]
    mobility = np.where(reluctant, HANGING_WEIGHT, 1.0)
    return np.asarray(mobility * shares / np.sum(mobility * shares**2, axis=1, keepdims=True))


def penetration(positions: Floats, body: BodyCapsules, samples: PathSamples) -> Floats:
    """Displacements ``(S, 3)`` in metres that bring the hand at each sample out of the body; zero where it is clear.

    A hand is clear where all its points are 16 mm and more outside of all capsules, which are wider between keys.
    Keys are at ``positions (K, 3)``, in metres from the shoulder in the chest's axes, on a figure 1.70 m tall. Where
    several points of the hand are inside, it is the mean of their displacements, each weighted by its squared length.
    """
    pushes = np.empty((len(samples.rows), 3))
    penetration_kernel(positions, body, samples, hand_model(), np.ones(len(positions), dtype=np.bool_), pushes)
    return pushes


def resolve_collisions(
    positions: Floats, body: BodyCapsules, samples: PathSamples, keys: MovableKeys, allowed: Floats
) -> Floats:
    """Keys ``(K, 3)`` moved until no sample is deeper in the body than ``allowed (S,)``; within the arm's reach."""
    moved = positions.copy()
    resolve_collisions_kernel(moved, body, samples, hand_model(), keys, allowed, ROUNDS)
    return moved


def flourish_scale(positions: Floats, body: BodyCapsules) -> Floats:
    """Factors ``(K,)`` from 0 to 1 by which flourishes are scaled down because the body is near to keys ``(K, 3)``."""
    distances = np.empty(len(positions))
    body_distance_kernel(positions, body, CAPSULE_RADII, distances)
    return np.asarray(smoothstep(distances / FULL_FLOURISH))


@jit
def resolve_collisions_kernel(positions, body, samples, hand, keys, allowed, rounds):  # type: ignore[no-untyped-def]
    """Move keys ``(K, 3)`` in place, in so many rounds at most, until no sample is deeper than ``allowed (S,)``."""
    pushes, moved = np.empty((samples.rows.shape[0], 3)), np.ones(positions.shape[0], dtype=np.bool_)
    for _ in range(rounds):
        penetration_kernel(positions, body, samples, hand, moved, pushes)
        if not move_keys(positions, pushes, allowed, samples.rows, keys, moved):
            break
    for k in range(positions.shape[0]):
        limit_reach(positions[k], keys.written[k])


@jit
def body_distance_kernel(positions, body, radii, distances):  # type: ignore[no-untyped-def]
    """Write distances ``(K,)`` of wrists at keys ``(K, 3)`` from the nearest capsule; negative inside."""
    wrist, line = np.empty(3), np.empty(6)
    for k in range(positions.shape[0]):
        distances[k] = math.inf
        for d in range(3):
            wrist[d] = positions[k, d] + body.sags[k, d]
        for v in range(4):
            for d in range(3):
                line[d], line[3 + d] = body.lines[k, v, 0, d], body.lines[k, v, 1, d]
            x, y, z = offset_from_axis(wrist, line, radii[v, 0] / radii[v, 1])
            distances[k] = min(distances[k], math.sqrt(x * x + y * y + z * z) - radii[v, 0])


@jit
def penetration_kernel(positions, body, samples, hand, moved, pushes):  # type: ignore[no-untyped-def]
    """Write ``pushes (S, 3)`` of samples one of whose keys has ``moved (K,)``; others keep what they hold.

    The push of a hand is the mean of those of its points out of all capsules, weighted by their squared lengths.
    """
    rows = samples.rows
    lines, wrist, point = np.empty((4, 6)), np.empty(3), np.empty(3)
    size = 0.0  # of the hand, from its wrist
    for n in range(hand.points.shape[0]):
        size = max(size, math.hypot(hand.points[n, 0], hand.points[n, 1]) + hand.points[n, 2])
    for s in range(rows.shape[0]):
        i, j, u = rows[s, 1], rows[s, 2], samples.fractions[s]
        if not (moved[rows[s, 0]] or moved[i] or moved[j] or moved[rows[s, 3]]):
            continue
        margin = (1.0 - u) * body.margins[i] + u * body.margins[j] if u > 0.0 else 0.0
        pushes[s, 0], pushes[s, 1], pushes[s, 2] = 0.0, 0.0, 0.0
        sample_wrist(positions, body.sags, rows[s], samples.weights[s], samples.bows[s], wrist)
        around = body.lines_between if u > 0.0 else body.lines
        if not capsules_near(wrist, around[i], around[j], u, hand, size + margin, lines):
            continue
        swivel = (1.0 - u) * samples.swivels[i] + u * samples.swivels[j]
        _, _, _, _, _, ex, ey, ez = solve_limb_kernel(
            wrist, swivel, hand.reference, hand.home, hand.upper, hand.lower, hand.frame, hand.limits
        )
        fx, fy, fz = wrist[0] - ex, wrist[1] - ey, wrist[2] - ez  # along the forearm
        length = max(math.sqrt(fx * fx + fy * fy + fz * fz), 1e-9)
        fx, fy, fz = fx / length, fy / length, fz / length
        along = hand.curl[0] * fx + hand.curl[1] * fy + hand.curl[2] * fz
        cx, cy, cz = hand.curl[0] - along * fx, hand.curl[1] - along * fy, hand.curl[2] - along * fz
        total = 0.0
        for v in range(4):
            for n in range(hand.points.shape[0]):
                far, aside, wider = hand.points[n, 0], hand.points[n, 1], hand.points[n, 2] + margin
                point[0] = wrist[0] + far * fx + aside * cx
                point[1] = wrist[1] + far * fy + aside * cy
                point[2] = wrist[2] + far * fz + aside * cz
                x, y, z = push_out(point, lines[v], hand.radii[v, 0] + wider, hand.radii[v, 1] + wider, hand.soft)
                weight = x * x + y * y + z * z
                total += weight
                pushes[s, 0] += weight * x
                pushes[s, 1] += weight * y
                pushes[s, 2] += weight * z
        for d in range(3):
            pushes[s, d] /= max(total, 1e-30)


@jit
def sample_wrist(positions, sags, rows, weights, bow, wrist):  # type: ignore[no-untyped-def]
    """Write a sample's position to ``wrist (3,)``: the weighted mean of four keys, bowed away from the shoulder.

    The bow is along the chord's midpoint, square to the chord, as high as ``bow`` times the chord.
    """
    for d in range(3):
        wrist[d] = 0.0
        for n in range(4):
            wrist[d] += weights[n] * (positions[rows[n], d] + sags[rows[n], d])
    if bow == 0.0:
        return
    start, end = positions[rows[1]], positions[rows[2]]
    chord, dot, square = 0.0, 0.0, 0.0
    for d in range(3):
        chord += (end[d] - start[d]) ** 2
    chord = max(math.sqrt(chord), 1e-6)
    for d in range(3):
        dot += 0.5 * (start[d] + end[d]) * (end[d] - start[d]) / chord
    for d in range(3):
        square += (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / chord) ** 2
    bow *= chord / max(math.hypot(math.sqrt(square), 0.05 * chord), 1e-9)
    for d in range(3):
        wrist[d] += bow * (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / chord)


@jit
def capsules_near(wrist, first, second, u, hand, size, lines):  # type: ignore[no-untyped-def]
    """Write axes between ``first`` and ``second (4, 2, 3)`` to ``lines (4, 6)``; whether a hand can touch any."""
    near = False
    for v in range(4):
        for d in range(3):
            lines[v, d] = (1.0 - u) * first[v, 0, d] + u * second[v, 0, d]
            lines[v, 3 + d] = (1.0 - u) * first[v, 1, d] + u * second[v, 1, d]
        wide, deep = hand.radii[v, 0], hand.radii[v, 1]
        x, y, z = offset_from_axis(wrist, lines[v], wide / deep)
        reach = wide + hand.soft + max(wide / deep, 1.0) * size  # in the stretched axes nothing is farther than it is
        if x * x + y * y + z * z < reach * reach:
            near = True
    return near


@jit
def offset_from_axis(point, line, stretch):  # type: ignore[no-untyped-def]
    """From a capsule's axis ``(6,)`` to a point, in axes stretched ahead so that the capsule is round."""
    bx, by, bz = line[3] - line[0], line[4] - line[1], (line[5] - line[2]) * stretch
    x, y, z = point[0] - line[0], point[1] - line[1], (point[2] - line[2]) * stretch
    along = min(max((x * bx + y * by + z * bz) / max(bx * bx + by * by + bz * bz, 1e-9), 0.0), 1.0)
    return x - along * bx, y - along * by, z - along * bz


@jit
def push_out(point, line, wide, deep, soft):  # type: ignore[no-untyped-def]
    """How far a point must move to be out of a capsule about ``line (6,)``, whose axis goes upwards.

    The deeper a point is, the more it goes ahead instead of straight out: across the middle "out" would flip.
    """
    stretch = wide / deep
    x, y, z = offset_from_axis(point, line, stretch)
    far = math.sqrt(x * x + y * y + z * z)
    depth = wide - far
    if depth <= -soft:
        return 0.0, 0.0, 0.0
    push = depth if depth >= soft else (depth + soft) ** 2 / (4.0 * soft)
    by, bz = line[4] - line[1], line[5] - line[2]
    deeper = 2.0 * max(depth, 0.0) / max(math.hypot(by, bz), 1e-9)
    p, q, r = x, y - deeper * bz, z + deeper * by * stretch
    size = max(math.sqrt(p * p + q * q + r * r), 1e-9)
    p, q, r = p / size, q / size, r / size
    along = x * p + y * q + z * r
    step = math.sqrt(max(along * along + (far + push) ** 2 - far * far, 0.0)) - along
    return step * p, step * q, step * r / stretch


@jit
def move_keys(positions, pushes, allowed, rows, keys, moved):  # type: ignore[no-untyped-def]
    """Move keys ``(K, 3)`` by the mean of what their samples need, weighted by its square; whether any sample does.

    Writes to ``moved (K,)`` which keys have moved.
    """
    count = positions.shape[0]
    sums, totals = np.zeros((count, 3)), np.zeros(count)
    needed = False
    for s in range(rows.shape[0]):
        x, y, z = pushes[s, 0], pushes[s, 1], pushes[s, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if size <= allowed[s]:
            continue
        needed = True
        excess = (size - allowed[s]) / size
        x, y, z = excess * x, excess * y, excess * z
        square = x * x + y * y + z * z
        for e in range(2):
            weight = keys.weights[s, e]
            k = keys.owners[rows[s, 1 + e]]
            totals[k] += square * weight
            sums[k, 0] += square * weight * weight * x
            sums[k, 1] += square * weight * weight * y
            sums[k, 2] += square * weight * weight * z
    for k in range(count):
        own = keys.owners[k]
        moved[k] = keys.free[k] and totals[own] > 0.0
        if moved[k]:
            for d in range(3):
                positions[k, d] += sums[own, d] / max(totals[own], 1e-30)
    return needed
