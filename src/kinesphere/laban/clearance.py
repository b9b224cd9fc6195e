"""Where hands are looked at on their ways: at their keys, and at places between them as paths will lead there.

A place between two keys is a mixture of these and of the keys beyond, where the way goes on through a via; how much of
each depends on the stroke's tension, evenly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from kinesphere.engine.collision import HEAD, SOFT, THIGH, TRUNK, capsule_distance, push_out_of_capsule
from kinesphere.engine.paths import BOW, TIGHTEST, cubic_hermite
from kinesphere.engine.pose import AHEAD, DOWN, FLEXIONS, figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.laban.arm_shape import LONGEST, limit_reach
from kinesphere.laban.arm_shape import SOFT as COMES
from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.two_bone import reach_limits_kernel, solve_limb_kernel
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms

FINELY, COARSELY = (0.12, 0.25, 0.5, 0.75, 0.88), (0.5,)  # of long ways, and of short ones, that are looked at
LONG, SHORT = 0.15, 0.06  # metres


class PathSamples(NamedTuple):
    """Where hands are looked at."""

    rows: Ints  # (S, 4) two keys before and two after
    curves: Floats  # (S, 4) how much of the place there is theirs
    shares: Floats  # (S,) of the way between the middle two
    bows: Floats  # (S,) how high a stroke is bowed there, as a share of its length
    swivels: Floats  # (K,) of the keys


class SampledPaths(NamedTuple):
    """Courses at any tension."""

    even: PathSamples  # at tension 0, bows as high as 1
    rounder: Floats  # (S, 4) what curves have more of at tension −1
    strokes: Ints  # (S,)

    def at(self, tension: Floats) -> PathSamples:
        """The course of strokes with this tension ``(strokes,)``."""
        own = tension[self.strokes]
        bows = self.even.bows * (BOW[0] + BOW[1] * own + BOW[2] * own**2)
        curves = self.even.curves - np.minimum(own, TIGHTEST)[:, None] * self.rounder
        return self.even._replace(curves=curves, bows=bows)


def sample_paths(places: Floats, stops: Bools, fixed: Bools, swivels: Floats, arms: Iterable[slice]) -> SampledPaths:
    """Of hands with keys at ``places (K, 3)``; ``arms`` are the rows of one arm after the other."""
    rows, goes_on, shares, bowed, strokes = [], [], [], [], []
    before = 0  # strokes of other arms
    for own in arms:
        last = own.stop - 1
        for i in range(own.start, own.stop):
            if fixed[i]:
                continue
            j = min(i + 1, last)
            far = 0.0 if fixed[j] else float(norms(places[j] - places[i]))
            on = not stops[i], not stops[j]
            stroke = before + max(int(stops[own.start : min(i, last - 1) + 1].sum()) - 1, 0)
            for share in (0.0, *(FINELY if far > LONG else COARSELY if far > SHORT else ())):
                rows.append((i - on[0], i, j, j + on[1]))
                goes_on.append(on)
                shares.append(share)
                bowed.append(bool(stops[i] and stops[j]))
                strokes.append(stroke)
        before += max(int(stops[own].sum()) - 1, 1)
    u, (back, ahead) = np.array(shares), np.array(goes_on, dtype=bool).reshape(-1, 2).T
    even, rounder = (_curves(u, back, ahead, tension) for tension in (0.0, -1.0))
    bows = np.where(np.array(bowed, dtype=bool), 4.0 * u * (1.0 - u), 0.0)
    course = PathSamples(np.array(rows, dtype=np.intp).reshape(-1, 4), even, u, bows, swivels)
    return SampledPaths(course, rounder - even, np.array(strokes, dtype=np.intp))


def _curves(u: Floats, before: Bools, after: Bools, tension: float) -> Floats:
    """What four keys have in places between the middle two ``(S, 4)``, by the spline that ``paths`` lays through vias.

    ``before`` and ``after`` are whether the way goes on beyond the middle two.
    """
    step = np.array([0.0, -1.0, 1.0, 0.0])
    through = (1.0 - tension) * np.array([[-0.5, 0.0, 0.5, 0.0], [0.0, -0.5, 0.0, 0.5]])
    before, after, u = before[:, None], after[:, None], u[:, None]
    leaving = np.where(before, through[0], np.where(after, 1.5 * step - 0.5 * through[1], step))
    arriving = np.where(after, through[1], np.where(before, 1.5 * step - 0.5 * through[0], step))
    first, last = np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0, 0.0])
    return cubic_hermite(first, last, leaving, arriving, u)


# ---- Keys kept off the body: hands at their keys, and on the ways between them, are outside of what is around them.
#
# A hand is felt at its wrist, its knuckles and the tips of its fingers, which curl inwards. Where one of these is
# inside
# a volume, more than the gesture writes it there, the keys before and after move: moving keys keeps paths smooth.
# Those
# of the world stay.


WORTH = 100  # a hand is far more work than a number of a product
WIDTHS = np.array([TRUNK, HEAD, THIGH, THIGH])
# Metres from the wrist along the forearm and aside, where the fingers curl to; and how much wider the body is there.
FEELERS = np.array([[0.0, 0.0, 0.0], [0.085, 0.010, -0.002], [0.155, 0.055, -0.015]])
CURL = np.array([-0.85, 0.0, -0.5])  # out, up, ahead: palms face the body, and somewhat back
ROUNDS = 5
WIDE = 0.16  # metres around a wrist that leave it room for all that leads it off its way
RELUCTANT = 0.1  # how eager a hanging key is to move for the way beside it, where another is 1
LIMB = figure_limb(HEIGHT, "left", "Arm")
_HAND = (WIDTHS, FEELERS, CURL, LIMB.numbers, np.array(FLEXIONS), DOWN, AHEAD, SOFT)


class BodyCapsules(NamedTuple):
    """What is around hands, as the chest sees it."""

    lines: Floats  # (K, 4, 2, 3) the body's, at the keys
    between: Floats  # (K, 4, 2, 3) on the ways from them and to them, where it presses
    sags: Floats  # (K, 3) how far hanging hands are from their keys
    margins: Floats  # (K,) metres that hands stray from their ways


class MovableKeys(NamedTuple):
    """What moves."""

    written: Floats  # (K, 3) out, up and ahead of the shoulder
    free: Bools  # (K,) whether a key may be moved
    owners: Ints  # (K,) the key whose moves each one takes part in: a loop's last is its first
    weights: Floats  # (S, 2) how far the keys before and after move for what is needed on the way between them


def key_weights(course: PathSamples, hanging: Bools) -> Floats:
    """The least ``(S, 2)`` that both keys move so that a hand between them moves by one; hanging ones rather stay."""
    shares = np.stack([1.0 - course.shares, course.shares], axis=1)
    eager = np.where(hanging[course.rows[:, 1:3]] & (course.shares > 0.0)[:, None], RELUCTANT, 1.0)
    return np.asarray(eager * shares / np.sum(eager * shares**2, axis=1, keepdims=True))


def penetration(places: Floats, around: BodyCapsules, course: PathSamples) -> Floats:
    """How far ``(S, 3)`` hands with keys at ``places (K, 3)`` are to be moved out of the body."""
    kernels = compiled.loaded(WORTH * len(course.rows))
    if kernels is None:
        return penetration_reference(places, around, course)
    ways = np.empty((len(course.rows), 3))
    kernels.press(places, tuple(around), tuple(course), _HAND, ways)
    return ways


def resolve_collisions(
    moved: Floats, around: BodyCapsules, course: PathSamples, keys: MovableKeys, allowed: Floats
) -> Floats:
    """Keys ``(K, 3)`` moved until hands are off the body, or as deep in it as is ``allowed (S,)``; within reach."""
    kernels = compiled.loaded(WORTH * len(course.rows))
    if kernels is None:
        return resolve_collisions_reference(moved, around, course, keys, allowed)
    places = moved.copy()
    kernels.clear_keys(places, tuple(around), tuple(course), _HAND, allowed, tuple(keys), (LONGEST, COMES), ROUNDS)
    return places


def flourish_scale(places: Floats, around: BodyCapsules) -> Floats:
    """How much ``(K,)`` of what leads them off their ways the body leaves hands with keys at ``places`` room for."""
    kernels = compiled.loaded(WORTH * len(places))
    if kernels is None:
        at = places + around.sags
        free = capsule_distance(at[:, None], around.lines, *WIDTHS.T).min(axis=1)
    else:
        free = np.empty(len(places))
        kernels.free_room(places, tuple(around), WIDTHS, free)
    u = clip(free / WIDE, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def resolve_collisions_reference(
    moved: Floats, around: BodyCapsules, course: PathSamples, keys: MovableKeys, allowed: Floats
) -> Floats:
    """The same in plain NumPy."""
    places = moved
    for _ in range(ROUNDS):  # out of one volume may be into another
        ways = penetration_reference(places, around, course)
        size = norms(ways)
        over = np.maximum(size - allowed, 0.0)
        if not over.any():
            break
        ways = ways * (over / np.maximum(size, 1e-30))[:, None]
        places = places + np.where(keys.free[:, None], _shared(ways, over**2, course, keys), 0.0)
    return limit_reach(places, keys.written)


def _shared(ways: Floats, counts: Floats, course: PathSamples, keys: MovableKeys) -> Floats:
    """What each key ``(K, 3)`` moves: the mean of what is needed beside it, by how much that is."""
    sums, totals = np.zeros_like(keys.written), np.zeros(len(keys.written))
    for row, weight in zip(course.rows[:, 1:3].T, keys.weights.T, strict=True):
        own = keys.owners[row]
        np.add.at(totals, own, counts * weight)
        np.add.at(sums, own, (counts * weight**2)[:, None] * ways)
    return np.asarray(sums / np.maximum(totals, 1e-30)[:, None])[keys.owners]


def penetration_reference(places: Floats, around: BodyCapsules, course: PathSamples) -> Floats:
    """As ``penetration``, in plain NumPy."""
    between, inner = _mean(course), course.shares > 0.0
    lines = np.where(inner[:, None, None, None], between(around.between), between(around.lines))
    margins = np.where(inner, between(around.margins), 0.0)
    at = _on_their_way(places, around, course)
    points = _felt(at, LIMB.solved(at, between(course.swivels))[2])
    wide, deep = (column + FEELERS[:, 2:] + margins[:, None, None] for column in WIDTHS.T)  # (S, P, V)
    out = push_out_of_capsule(points[:, :, None], lines[:, None], wide, deep).reshape(
        len(at), wide[0].size if len(at) else 0, 3
    )
    # One way for the whole hand: the mean of all, by how long they are.
    counts = np.einsum("spi,spi->sp", out, out)
    return np.asarray(np.einsum("sp,spi->si", counts, out) / np.maximum(counts.sum(axis=1), 1e-30)[:, None])


def _felt(wrist: Floats, elbow: Floats) -> Floats:
    """Where hands ``(S, P, 3)`` are felt, with their wrists and elbows there."""
    fore = wrist - elbow
    fore = fore / np.maximum(norms(fore), 1e-9)[:, None]
    curl = CURL - (fore @ CURL)[:, None] * fore
    far, bent, _ = (column[:, None] for column in FEELERS.T)
    return np.asarray(wrist[:, None] + far * fore[:, None] + bent * curl[:, None])


def _mean(course: PathSamples) -> Callable[[Floats], Floats]:
    """What rows of keys ``(K, ...)`` are on the ways between them ``(S, ...)``."""

    def between(rows: Floats) -> Floats:
        shares = course.shares.reshape(-1, *(1,) * (rows.ndim - 1))
        return np.asarray((1.0 - shares) * rows[course.rows[:, 1]] + shares * rows[course.rows[:, 2]])

    return between


def _on_their_way(places: Floats, around: BodyCapsules, course: PathSamples) -> Floats:
    """Where hands are ``(S, 3)``."""
    straight = np.einsum("sk,ski->si", course.curves, (places + around.sags)[course.rows])
    return np.asarray(straight + _bows(places, course))


def _bows(places: Floats, course: PathSamples) -> Floats:
    """How far ``(S, 3)`` strokes are bowed away from the shoulder."""
    start, end = places[course.rows[:, 1]], places[course.rows[:, 2]]
    step, middle = end - start, 0.5 * (start + end)
    size = np.maximum(norms(step), 1e-6)
    along = step / size[:, None]
    away = middle - np.einsum("si,si->s", middle, along)[:, None] * along
    high = course.bows * size / np.maximum(np.hypot(norms(away), 0.05 * size), 1e-9)
    return np.asarray(high[:, None] * away)


@compile_exact
def resolve_collisions_kernel(places, seen, course, hand, allowed, keys, reach, rounds):  # type: ignore[no-untyped-def]
    """Move keys (K, 3) until hands are off the body, and within reach; see ``clearing.cleared``."""
    written, free, owners, weights = keys
    ways, moved = np.empty((course[0].shape[0], 3)), np.ones(places.shape[0], dtype=np.bool_)
    for _ in range(rounds):
        _press(places, seen, course, hand, moved, ways)
        if not _move(ways, allowed, course[0], weights, owners, free, places, moved):
            break
    for k in range(places.shape[0]):
        _hold(places[k], written[k], reach[0], reach[1])


@compile_exact
def flourish_scale_kernel(places, seen, widths, room):  # type: ignore[no-untyped-def]
    """How far (K,) wrists at their keys are outside of the body; see ``clearing.room_at``."""
    lines, _, sags, _ = seen
    at, line = np.empty(3), np.empty(6)
    for k in range(places.shape[0]):
        room[k] = math.inf
        for d in range(3):
            at[d] = places[k, d] + sags[k, d]
        for v in range(4):
            for d in range(3):
                line[d], line[3 + d] = lines[k, v, 0, d], lines[k, v, 1, d]
            x, y, z, _ = _away(at, line, widths[v, 0], widths[v, 1])
            room[k] = min(room[k], math.sqrt(x * x + y * y + z * z) - widths[v, 0])


@compile_exact
def _at(places, sags, rows, curves, bow, at):  # type: ignore[no-untyped-def]
    """Where a hand on its way is."""
    for d in range(3):
        at[d] = 0.0
        for n in range(4):
            at[d] += curves[n] * (places[rows[n], d] + sags[rows[n], d])
    if bow != 0.0:
        _bow(places[rows[1]], places[rows[2]], bow, at)


@compile_exact
def penetration_kernel(places, seen, course, hand, ways):  # type: ignore[no-untyped-def]
    """How far (S, 3) hands on their way are to be moved out of the body; see ``clearing.pressed``."""
    _press(places, seen, course, hand, np.ones(places.shape[0], dtype=np.bool_), ways)


@compile_exact
def _press(places, seen, course, hand, moved, ways):  # type: ignore[no-untyped-def]
    """The same where keys have moved; elsewhere it is known already."""
    at_keys, between, sags, margins = seen
    rows, curves, shares, bows, swivels = course
    widths, feelers, curl, limb, flexions, towards, home, soft = hand
    frame = limb[3:]
    a = math.sqrt(limb[0, 0] ** 2 + limb[0, 1] ** 2 + limb[0, 2] ** 2)
    b = math.sqrt(limb[1, 0] ** 2 + limb[1, 1] ** 2 + limb[1, 2] ** 2)
    limits = reach_limits_kernel(a, b, flexions)
    around, at, point = np.empty((4, 6)), np.empty(3), np.empty(3)
    longest = 0.0
    for n in range(feelers.shape[0]):
        longest = max(longest, math.hypot(feelers[n, 0], feelers[n, 1]) + feelers[n, 2])
    for s in range(rows.shape[0]):
        i, j, u = rows[s, 1], rows[s, 2], shares[s]
        if not (moved[rows[s, 0]] or moved[i] or moved[j] or moved[rows[s, 3]]):
            continue
        lines = between if u > 0.0 else at_keys
        margin = (1.0 - u) * margins[i] + u * margins[j] if u > 0.0 else 0.0
        ways[s, 0], ways[s, 1], ways[s, 2] = 0.0, 0.0, 0.0
        _at(places, sags, rows[s], curves[s], bows[s], at)
        near = False
        for v in range(4):
            for d in range(3):
                around[v, d] = (1.0 - u) * lines[i, v, 0, d] + u * lines[j, v, 0, d]
                around[v, 3 + d] = (1.0 - u) * lines[i, v, 1, d] + u * lines[j, v, 1, d]
            x, y, z, _ = _away(at, around[v], widths[v, 0], widths[v, 1])
            # Ahead the axes are stretched: nothing is farther away than it seems.
            scale = max(widths[v, 0] / widths[v, 1], 1.0)
            if x * x + y * y + z * z < (widths[v, 0] + soft + scale * (longest + margin)) ** 2:
                near = True
        if not near:
            continue
        swivel = (1.0 - u) * swivels[i] + u * swivels[j]
        _, _, _, _, _, ex, ey, ez = solve_limb_kernel(at, swivel, towards, home, a, b, frame, limits)
        fx, fy, fz = at[0] - ex, at[1] - ey, at[2] - ez
        size = max(math.sqrt(fx * fx + fy * fy + fz * fz), 1e-9)
        fx, fy, fz = fx / size, fy / size, fz / size
        along = curl[0] * fx + curl[1] * fy + curl[2] * fz
        cx, cy, cz = curl[0] - along * fx, curl[1] - along * fy, curl[2] - along * fz
        total = 0.0
        for v in range(4):
            for n in range(feelers.shape[0]):
                far, bent, wider = feelers[n, 0], feelers[n, 1], feelers[n, 2] + margin
                point[0] = at[0] + far * fx + bent * cx
                point[1] = at[1] + far * fy + bent * cy
                point[2] = at[2] + far * fz + bent * cz
                x, y, z = _out(point, around[v], widths[v, 0] + wider, widths[v, 1] + wider, soft)
                weight = x * x + y * y + z * z
                total += weight
                ways[s, 0] += weight * x
                ways[s, 1] += weight * y
                ways[s, 2] += weight * z
        for d in range(3):
            ways[s, d] /= max(total, 1e-30)


@compile_exact
def _bow(start, end, high, at):  # type: ignore[no-untyped-def]
    """Bow a stroke away from the shoulder, so high as a share of its length."""
    size, dot, far = 0.0, 0.0, 0.0
    for d in range(3):
        size += (end[d] - start[d]) ** 2
    size = max(math.sqrt(size), 1e-6)
    for d in range(3):
        dot += 0.5 * (start[d] + end[d]) * (end[d] - start[d]) / size
    for d in range(3):
        far += (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / size) ** 2
    high *= size / max(math.hypot(math.sqrt(far), 0.05 * size), 1e-9)
    for d in range(3):
        at[d] += high * (0.5 * (start[d] + end[d]) - dot * (end[d] - start[d]) / size)


@compile_exact
def _away(at, line, wide, deep):  # type: ignore[no-untyped-def]
    """From a volume's line to a point, in axes stretched ahead by so much that it is round; and by how much."""
    stretch = wide / deep
    bx, by, bz = line[3] - line[0], line[4] - line[1], (line[5] - line[2]) * stretch
    x, y, z = at[0] - line[0], at[1] - line[1], (at[2] - line[2]) * stretch
    along = min(max((x * bx + y * by + z * bz) / max(bx * bx + by * by + bz * bz, 1e-9), 0.0), 1.0)
    return x - along * bx, y - along * by, z - along * bz, stretch


@compile_exact
def _out(at, line, wide, deep, soft):  # type: ignore[no-untyped-def]
    """How far a point is moved out of a volume; see ``keeping_off.out_of``."""
    x, y, z, stretch = _away(at, line, wide, deep)
    far = math.sqrt(x * x + y * y + z * z)
    depth = wide - far
    if depth <= -soft:
        return 0.0, 0.0, 0.0
    push = depth if depth >= soft else (depth + soft) ** 2 / (4.0 * soft)
    b, c = line[4] - line[1], line[5] - line[2]
    size = max(math.hypot(b, c), 1e-9)
    deeper = 2.0 * max(depth, 0.0) / size
    p, q, r = x, y - deeper * c, z + deeper * b * stretch
    size = max(math.sqrt(p * p + q * q + r * r), 1e-9)
    p, q, r = p / size, q / size, r / size
    along = x * p + y * q + z * r
    step = math.sqrt(max(along * along + (far + push) ** 2 - far * far, 0.0)) - along
    return step * p, step * q, step * r / stretch


@compile_exact
def _move(ways, allowed, rows, weights, owners, free, places, moved):  # type: ignore[no-untyped-def]
    """Move keys (K, 3) as hands on their way need it, and say which; see ``clearing.cleared``. Gives whether any is."""
    count = places.shape[0]
    sums, totals = np.zeros((count, 3)), np.zeros(count)
    some = False
    for s in range(rows.shape[0]):
        x, y, z = ways[s, 0], ways[s, 1], ways[s, 2]
        size = math.sqrt(x * x + y * y + z * z)
        if size <= allowed[s]:
            continue
        some = True
        kept = (size - allowed[s]) / size
        x, y, z = kept * x, kept * y, kept * z
        square = x * x + y * y + z * z
        for e in range(2):
            share = weights[s, e]
            k = owners[rows[s, 1 + e]]
            totals[k] += square * share
            sums[k, 0] += square * share * share * x
            sums[k, 1] += square * share * share * y
            sums[k, 2] += square * share * share * z
    for k in range(count):
        own = owners[k]
        moved[k] = free[k] and totals[own] > 0.0
        if moved[k]:
            for d in range(3):
                places[k, d] += sums[own, d] / max(totals[own], 1e-30)
    return some


@compile_exact
def _hold(place, written, longest, soft):  # type: ignore[no-untyped-def]
    """Hold one key within an arm's reach; see ``arm_shape.held``."""
    far = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
    was = math.sqrt(written[0] * written[0] + written[1] * written[1] + written[2] * written[2])
    start = min(max(longest - soft, was), longest - 1e-6)
    room = longest - start
    held = start - room * math.expm1(-(far - start) / room) if far > start else far
    if was >= longest:
        held = min(far, was)
    for d in range(3):
        place[d] *= held / max(far, 1e-12)
