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

import math
from typing import NamedTuple

import numpy as np

from kinesphere.body.contacts import Contacts
from kinesphere.body.ground import (
    SolePoint,
    bell_weights,
    fill_with_cubics,
    running_maximum,
    runs,
    smooth_bell,
    smooth_gaussian,
    velocities,
)
from kinesphere.maths import compiled, rotations
from kinesphere.maths.banded import second_differences
from kinesphere.maths.compiled import compile_kernel
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


class FootRule(NamedTuple):
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


def correct_foot_path(
    points: list[SolePoint],
    paths: Floats,
    world: tuple[Floats, Floats, Floats],
    plants: Contacts,
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
    rule = FootRule(
        rate, HOLDS * unit, APART * unit, JOLT * unit, EASE * rate, FULL, STEADY, max(SLOPE * rate, 1.0), jolted
    )
    if compiled.loaded(paths.size) is None:
        return correct_foot_path_reference(paths, anchors, labels, world, performed, rule)

    shift, turn, toes = np.empty((3, len(paths), 3))
    planted, asked = np.empty((2, len(paths)), dtype=bool)
    whole = np.concatenate(world, axis=1)
    near = np.ascontiguousarray(paths)
    correct_foot_kernel(near, anchors, labels, whole, performed, rule, shift, turn, toes, planted, asked)
    return FootPath(shift, turn, toes, planted, asked)


def correct_foot_path_reference(
    paths: Floats,
    anchors: Floats,
    stands: Bools,
    world: tuple[Floats, Floats, Floats],
    performed: Bools,
    rule: FootRule,
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
        found = rotations.rotation_between(arms[both, 1] - arms[both, 0], wanted)
        turn[both] = rotations.to_rotation_vector(found)
        vectors = arms[:, 1] - arms[:, 0]
        # On the plant's side of an edge the turn undoes how the foot turns, so its slope is that of the input's.
        turning = np.cross(vectors, _velocities(vectors, performed, rate))
        turning /= np.maximum(np.sum(vectors**2, axis=1, keepdims=True), rule.apart**2)
        turn = fill_with_cubics(turn, -turning, both, performed, rule.ease, rate)
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
    shift = fill_with_cubics(shift, slope, held, performed, rule.ease, rate)
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


def _unjolted(ankle: Floats, shift: Floats, performed: Bools, rule: FootRule) -> Floats:
    """The shift without jolts that the ankle had not: a foot that goes over from ball to heel, on anchors apart."""
    result, rate = shift.copy(), rule.rate
    for first, last in runs(performed):
        run = slice(first, last + 1)
        was, now = (np.linalg.norm(second_differences(path[run]), axis=-1) * rate for path in (ankle, ankle + shift))
        jolts = now > running_maximum(was, 3.0 / rate, rate) + rule.jolt
        share = smooth_bell(running_maximum(jolts, FULL, rate), bell_weights(FULL, rate))[:, None]
        path = (ankle + shift)[run]
        result[run] += share * (smooth_gaussian(path, rate, STEADY) - path)
    return result


def _steadied(foot: Floats, held: Bools, rate: float, performed: Bools) -> Floats:
    """``(T, 4)`` turns that take the jitter out of how the foot is turned while it stands.

    Held by the heel or the ball, an ankle would shake as much as the foot's direction does.
    """
    smooth = foot.copy()
    for first, last in runs(performed):
        run = slice(first, last + 1)
        smooth[run] = rotations.normalise(smooth_gaussian(rotations.continuous(foot[run]), rate, STEADY))
    share = smooth_bell(running_maximum(held, FULL, rate), bell_weights(FULL, rate)) * performed
    return rotations.power(rotations.multiply(smooth, rotations.conjugate(foot)), share)


# ---- Compiled paths of feet. Import this only through ``compiled``; the twin is ``foot_paths.corrected_reference``.


@compile_kernel
def correct_foot_kernel(paths, anchors, labels, world, performed, rule, shift, turn, toes, planted, asked):  # type: ignore[no-untyped-def]
    """How one foot moves: points (T, P, 3) with anchors, labels (T, P), foot, toes and ankle (T, 4 + 4 + 3)."""
    frames, points = labels.shape
    zero = np.zeros((frames, 3))
    shift[:], turn[:], toes[:] = zero, zero, zero
    away = np.zeros(frames, dtype=np.bool_)
    for t in range(frames):
        planted[t] = False
        for i in range(points):
            if labels[t, i] and performed[t]:
                planted[t] = True
                away[t] |= _apart(paths[t, i], anchors[t, i]) > rule.holds
    if not _sliding_kernel(planted, away, rule.ease, asked):
        return
    stands = labels.copy()
    for t in range(frames):
        for i in range(points):
            stands[t, i] = labels[t, i] and performed[t] and asked[t]
    share = _shares(asked, performed, rule.rate, rule.full)
    steadied, steady_toes = np.empty((frames, 4)), np.empty((frames, 4))
    _steady(world[:, :4], share, performed, rule, steadied)
    _steady(world[:, 4:8], share, performed, rule, steady_toes)
    arms = np.empty((frames, 3 * points))
    for t in range(frames):
        w, x, y, z = steadied[t, 0], steadied[t, 1], steadied[t, 2], steadied[t, 3]
        for i in range(points):
            a, b, c = paths[t, i, 0] - world[t, 8], paths[t, i, 1] - world[t, 9], paths[t, i, 2] - world[t, 10]
            a, b, c = rotate_vector(w, x, y, z, a, b, c)
            arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2] = a, b, c
    if points == 2:
        _turn_feet(arms, anchors, stands, performed, rule, turn)
    for t in range(frames):
        if turn[t, 0] != 0.0 or turn[t, 1] != 0.0 or turn[t, 2] != 0.0 or share[t] > 0.0:
            w, x, y, z = exponential_quaternion(turn[t, 0], turn[t, 1], turn[t, 2])
            _log_product(w, x, y, z, steadied[t], turn[t])
            _log_product(w, x, y, z, steady_toes[t], toes[t])
        for i in range(points):
            for c in range(3):
                arms[t, 3 * i + c] += world[t, 8 + c]
    _shift_feet(arms, anchors, stands, asked, performed, rule, shift)
    _take_jolts(world[:, 8:], performed, rule, shift)


@compile_kernel
def _apart(a, b):  # type: ignore[no-untyped-def]
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@compile_kernel
def _sliding_kernel(planted, away, ease, asked):  # type: ignore[no-untyped-def]
    """Planted frames of the stands that are somewhere away, and whether there are any."""
    frames, some = planted.size, False
    first, last, slides = -1, -1, False
    for t in range(frames + 1):
        if t < frames:
            asked[t] = False
            if not planted[t]:
                continue
        if first >= 0 and (t == frames or t - last >= max(ease, 1.5)):
            if slides:
                some = True
                for i in range(first, last + 1):
                    asked[i] = planted[i]
            first, slides = -1, False
        if t < frames:
            first = t if first < 0 else first
            last = t
            slides = slides or away[t]
    return some


@compile_kernel
def _shares(flags, performed, rate, seconds):  # type: ignore[no-untyped-def]
    """(T,) how much holds near flags, fading; nothing in frames that were not performed."""
    frames, span = flags.size, frame_count(seconds, rate)
    values, wide = np.empty(frames), np.empty(frames)
    for t in range(frames):
        values[t] = 1.0 if flags[t] else 0.0
    running_maximum_kernel(values, 0, frames - 1, span, wide)
    bell_kernel(wide, 0, frames - 1, span, values)
    for t in range(frames):
        if not performed[t]:
            values[t] = 0.0
    return values


@compile_kernel
def _run_end(performed, first):  # type: ignore[no-untyped-def]
    """The last frame of the performed stretch that begins here."""
    last = first
    while last + 1 < performed.size and performed[last + 1]:
        last += 1
    return last


@compile_kernel
def _steady(world, share, performed, rule, turns):  # type: ignore[no-untyped-def]
    """Turns (T, 4) that take a share of the jitter out of rotations (T, 4)."""
    frames = share.size
    even, row = np.empty((frames, 4)), np.empty(4)
    for t in range(frames):
        turns[t, 0], turns[t, 1], turns[t, 2], turns[t, 3] = 1.0, 0.0, 0.0, 0.0
    first = 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        sign = 1.0
        for t in range(first, last + 1):
            if t > first:
                a, b = world[t], world[t - 1]
                if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                    sign = -sign
            for c in range(4):
                even[t, c] = sign * world[t, c]
        reach = gaussian_radius(rule.steady, rule.rate, last - first + 1)
        if reach >= 1:
            weights = gaussian_weights_kernel(reach, rule.rate, rule.steady)
            for t in range(first, last + 1):
                if share[t] > 0.0:
                    gaussian_row(even, first, last, weights, t, row)
                    _part(row, world[t], share[t], turns[t])
        first = last + 1


@compile_kernel
def _part(to, of, share, turn):  # type: ignore[no-untyped-def]
    """A share of the turn from one rotation to another, which need not have length 1."""
    size = math.sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3])
    w, x, y, z = quaternion_product(
        to[0] / size, to[1] / size, to[2] / size, to[3] / size, of[0], -of[1], -of[2], -of[3]
    )
    row = np.empty(3)
    _log(w, x, y, z, row)
    turn[0], turn[1], turn[2], turn[3] = exponential_quaternion(share * row[0], share * row[1], share * row[2])


@compile_kernel
def _log(w, x, y, z, row):  # type: ignore[no-untyped-def]
    """The rotation vector (3,) of a quaternion, the shorter way round."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 0.05:  # the series of the arc sine; what it leaves out is below 1e-17
        s = sine * sine
        factor = 2.0 + s * (1 / 3 + s * (3 / 20 + s * (5 / 56 + s * (35 / 576 + s * (63 / 1408 + s * (231 / 6656))))))
    else:
        factor = 2.0 * math.atan2(sine, w) / sine
    row[0], row[1], row[2] = factor * x, factor * y, factor * z


@compile_kernel
def _log_product(w, x, y, z, turn, row):  # type: ignore[no-untyped-def]
    """The rotation vector (3,) of a turn (4,) and another after it."""
    w, x, y, z = quaternion_product(w, x, y, z, turn[0], turn[1], turn[2], turn[3])
    _log(w, x, y, z, row)


@compile_kernel
def _turn_feet(arms, anchors, stands, performed, rule, turn):  # type: ignore[no-untyped-def]
    """Feet that stand on both points, turned to lie along their anchors; arms (T, 6) are turned with them."""
    frames = arms.shape[0]
    both, some = np.zeros(frames, dtype=np.bool_), False
    vectors, slopes, values = np.empty((frames, 3)), np.zeros((frames, 3)), np.zeros((frames, 3))
    for t in range(frames):
        for c in range(3):
            vectors[t, c] = arms[t, 3 + c] - arms[t, c]
        x, y, z = vectors[t, 0], vectors[t, 1], vectors[t, 2]
        if not (stands[t, 0] and stands[t, 1] and math.sqrt(x * x + y * y + z * z) > rule.apart):
            continue
        if _apart(anchors[t, 1], anchors[t, 0]) > rule.apart:
            both[t] = some = True
            u, v, w = (
                anchors[t, 1, 0] - anchors[t, 0, 0],
                anchors[t, 1, 1] - anchors[t, 0, 1],
                anchors[t, 1, 2] - anchors[t, 0, 2],
            )
            q, x, y, z = quaternion_between(x, y, z, u, v, w)
            _log(q, x, y, z, values[t])
    if not some:
        return
    row, first = np.empty(3), 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first, last + 1):
            if _at_edge(both, t):
                velocity_kernel(vectors, first, last, t, rule.half, rule.rate, row)
                x, y, z = vectors[t, 0], vectors[t, 1], vectors[t, 2]
                size = max(x * x + y * y + z * z, rule.apart * rule.apart)
                slopes[t, 0] = -(y * row[2] - z * row[1]) / size
                slopes[t, 1] = -(z * row[0] - x * row[2]) / size
                slopes[t, 2] = -(x * row[1] - y * row[0]) / size
        first = last + 1
    _ease(values, slopes, both, performed, rule.ease, rule.rate, turn)
    for t in range(frames):
        if turn[t, 0] != 0.0 or turn[t, 1] != 0.0 or turn[t, 2] != 0.0:
            w, x, y, z = exponential_quaternion(turn[t, 0], turn[t, 1], turn[t, 2])
            for i in range(2):
                a, b, c = rotate_vector(w, x, y, z, arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2])
                arms[t, 3 * i], arms[t, 3 * i + 1], arms[t, 3 * i + 2] = a, b, c


@compile_kernel
def _at_edge(known, t):  # type: ignore[no-untyped-def]
    """Whether a known stretch begins or ends here."""
    return known[t] and (t == 0 or not known[t - 1] or t + 1 == known.size or not known[t + 1])


@compile_kernel
def _shift_feet(moved, anchors, stands, asked, performed, rule, shift):  # type: ignore[no-untyped-def]
    """How ankles go so that points (T, 3 P) of standing feet are at their anchors."""
    frames, points = stands.shape
    values, slopes, row = np.zeros((frames, 3)), np.zeros((frames, 3)), np.empty(3 * points)
    first = 0
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first, last + 1):
            count = 0
            for i in range(points):
                count += 1 if stands[t, i] else 0
            if count == 0:
                continue
            edge = _at_edge(asked, t)
            if edge:
                velocity_kernel(moved, first, last, t, rule.half, rule.rate, row)
            for i in range(points):
                if stands[t, i]:
                    for c in range(3):
                        values[t, c] += (anchors[t, i, c] - moved[t, 3 * i + c]) / count
                        if edge:
                            slopes[t, c] -= row[3 * i + c] / count
        first = last + 1
    _ease(values, slopes, asked, performed, rule.ease, rule.rate, shift)


@compile_kernel
def _ease(values, slopes, known, allowed, far, rate, result):  # type: ignore[no-untyped-def]
    """Values (T, 3) where known, else cubics between; see ``ground.eased``."""
    frames = known.size
    zero = np.zeros(3)
    before = -1  # the end of the known stretch before
    for t in range(frames):
        if not known[t]:
            continue
        for c in range(3):
            result[t, c] = values[t, c]
        if t == 0 or not known[t - 1]:
            if before >= 0 and t - before <= 2.0 * far:
                _cubic(before, values[before], slopes[before], t, values[t], slopes[t], known, allowed, rate, result)
            else:
                _cubic(t - far, zero, zero, t, values[t], slopes[t], known, allowed, rate, result)
                if before >= 0:
                    to = before + far
                    _cubic(before, values[before], slopes[before], to, zero, zero, known, allowed, rate, result)
        before = t
    if before >= 0:
        _cubic(before, values[before], slopes[before], before + far, zero, zero, known, allowed, rate, result)


@compile_kernel
def _cubic(at, a, rise, to, b, fall, known, allowed, rate, result):  # type: ignore[no-untyped-def]
    """The cubic from one value and slope to another, in frames that are not known."""
    at, to = float(at), float(to)
    if to <= at:
        return
    span, seconds = to - at, (to - at) / rate
    for t in range(max(math.ceil(at), 0), min(math.floor(to), known.size - 1) + 1):
        if known[t] or not allowed[t]:
            continue
        u = (t - at) / span
        for c in range(3):
            left, right, chord = rise[c] * seconds, fall[c] * seconds, b[c] - a[c]
            result[t, c] = a[c] + u * (left + u * (3.0 * chord - 2.0 * left - right + u * (left + right - 2.0 * chord)))


@compile_kernel
def _take_jolts(ankle, performed, rule, shift):  # type: ignore[no-untyped-def]
    """Jolts that the ankle (T, 3) had not, out of its shift."""
    frames = performed.size
    was, path, jolts = np.zeros(frames), np.empty((frames, 3)), np.zeros(frames)
    for t in range(frames):
        for c in range(3):
            path[t, c] = ankle[t, c] + shift[t, c]
    around, row, first = np.empty(frames), np.empty(3), 0
    span = frame_count(rule.full, rule.rate)
    while first < frames:
        if not performed[first]:
            first += 1
            continue
        last = _run_end(performed, first)
        for t in range(first + 1, last):
            was[t] = second_difference_length(ankle, t) * rule.rate
        running_maximum_kernel(was, first, last, rule.near, around)
        some = False
        for t in range(first + 1, last):
            if second_difference_length(path, t) * rule.rate > around[t] + rule.jolt:
                jolts[t], some = 1.0, True
        reach = gaussian_radius(rule.steady, rule.rate, last - first + 1)
        if some and reach >= 1:
            running_maximum_kernel(jolts, first, last, span, around)
            bell_kernel(around, first, last, span, was)
            weights = gaussian_weights_kernel(reach, rule.rate, rule.steady)
            for t in range(first, last + 1):
                if was[t] > 0.0:
                    gaussian_row(path, first, last, weights, t, row)
                    for c in range(3):
                        shift[t, c] += was[t] * (row[c] - path[t, c])
        first = last + 1
