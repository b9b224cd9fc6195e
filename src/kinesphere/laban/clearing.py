"""Keys kept off the body: hands at their keys, and on the ways between them, are outside of what is around them.

A hand is felt at its wrist, its knuckles and the tips of its fingers, which curl inwards. Where one of these is inside
a volume, more than the gesture writes it there, the keys before and after move: moving keys keeps paths smooth. Those
of the world stay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinesphere.figure.keeping_off import HEAD, SOFT, THIGH, TRUNK, out_of, outside
from kinesphere.figure.limbs import AHEAD, DOWN, FLEXIONS, limb_of
from kinesphere.figure.proportions import HEIGHT
from kinesphere.kernels import compiled
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths, within
from kinesphere.laban.arm_shape import LONGEST, held
from kinesphere.laban.arm_shape import SOFT as COMES
from kinesphere.laban.courses import Course

WORTH = 100  # a hand is far more work than a number of a product
WIDTHS = np.array([TRUNK, HEAD, THIGH, THIGH])
# Metres from the wrist along the forearm and aside, where the fingers curl to; and how much wider the body is there.
FEELERS = np.array([[0.0, 0.0, 0.0], [0.085, 0.010, -0.002], [0.155, 0.055, -0.015]])
CURL = np.array([-0.85, 0.0, -0.5])  # out, up, ahead: palms face the body, and somewhat back
ROUNDS = 5
WIDE = 0.16  # metres around a wrist that leave it room for all that leads it off its way
RELUCTANT = 0.1  # how eager a hanging key is to move for the way beside it, where another is 1
LIMB = limb_of(HEIGHT, "left", "Arm")
_HAND = (WIDTHS, FEELERS, CURL, LIMB.numbers, np.array(FLEXIONS), DOWN, AHEAD, SOFT)


class Around(NamedTuple):
    """What is around hands, as the chest sees it."""

    lines: Floats  # (K, 4, 2, 3) the body's, at the keys
    between: Floats  # (K, 4, 2, 3) on the ways from them and to them, where it presses
    sags: Floats  # (K, 3) how far hanging hands are from their keys
    margins: Floats  # (K,) metres that hands stray from their ways


class Keys(NamedTuple):
    """What moves."""

    written: Floats  # (K, 3) out, up and ahead of the shoulder
    free: Bools  # (K,) whether a key may be moved
    owners: Ints  # (K,) the key whose moves each one takes part in: a loop's last is its first
    weights: Floats  # (S, 2) how far the keys before and after move for what is needed on the way between them


def weights(course: Course, hanging: Bools) -> Floats:
    """The least ``(S, 2)`` that both keys move so that a hand between them moves by one; hanging ones rather stay."""
    shares = np.stack([1.0 - course.shares, course.shares], axis=1)
    eager = np.where(hanging[course.rows[:, 1:3]] & (course.shares > 0.0)[:, None], RELUCTANT, 1.0)
    return np.asarray(eager * shares / np.sum(eager * shares**2, axis=1, keepdims=True))


def pressed(places: Floats, around: Around, course: Course) -> Floats:
    """How far ``(S, 3)`` hands with keys at ``places (K, 3)`` are to be moved out of the body."""
    kernels = compiled.loaded(WORTH * len(course.rows))
    if kernels is None:
        return pressed_reference(places, around, course)
    ways = np.empty((len(course.rows), 3))
    kernels.press(places, tuple(around), tuple(course), _HAND, ways)
    return ways


def cleared(moved: Floats, around: Around, course: Course, keys: Keys, allowed: Floats) -> Floats:
    """Keys ``(K, 3)`` moved until hands are off the body, or as deep in it as is ``allowed (S,)``; within reach."""
    kernels = compiled.loaded(WORTH * len(course.rows))
    if kernels is None:
        return cleared_reference(moved, around, course, keys, allowed)
    places = moved.copy()
    kernels.clear_keys(places, tuple(around), tuple(course), _HAND, allowed, tuple(keys), (LONGEST, COMES), ROUNDS)
    return places


def room_at(places: Floats, around: Around) -> Floats:
    """How much ``(K,)`` of what leads them off their ways the body leaves hands with keys at ``places`` room for."""
    kernels = compiled.loaded(WORTH * len(places))
    if kernels is None:
        at = places + around.sags
        free = outside(at[:, None], around.lines, *WIDTHS.T).min(axis=1)
    else:
        free = np.empty(len(places))
        kernels.free_room(places, tuple(around), WIDTHS, free)
    u = within(free / WIDE, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def cleared_reference(moved: Floats, around: Around, course: Course, keys: Keys, allowed: Floats) -> Floats:
    """The same in plain NumPy."""
    places = moved
    for _ in range(ROUNDS):  # out of one volume may be into another
        ways = pressed_reference(places, around, course)
        size = lengths(ways)
        over = np.maximum(size - allowed, 0.0)
        if not over.any():
            break
        ways = ways * (over / np.maximum(size, 1e-30))[:, None]
        places = places + np.where(keys.free[:, None], _shared(ways, over**2, course, keys), 0.0)
    return held(places, keys.written)


def _shared(ways: Floats, counts: Floats, course: Course, keys: Keys) -> Floats:
    """What each key ``(K, 3)`` moves: the mean of what is needed beside it, by how much that is."""
    sums, totals = np.zeros_like(keys.written), np.zeros(len(keys.written))
    for row, weight in zip(course.rows[:, 1:3].T, keys.weights.T, strict=True):
        own = keys.owners[row]
        np.add.at(totals, own, counts * weight)
        np.add.at(sums, own, (counts * weight**2)[:, None] * ways)
    return np.asarray(sums / np.maximum(totals, 1e-30)[:, None])[keys.owners]


def pressed_reference(places: Floats, around: Around, course: Course) -> Floats:
    """As ``pressed``, in plain NumPy."""
    between, inner = _mean(course), course.shares > 0.0
    lines = np.where(inner[:, None, None, None], between(around.between), between(around.lines))
    margins = np.where(inner, between(around.margins), 0.0)
    at = _on_their_way(places, around, course)
    points = _felt(at, LIMB.solved(at, between(course.swivels))[2])
    wide, deep = (column + FEELERS[:, 2:] + margins[:, None, None] for column in WIDTHS.T)  # (S, P, V)
    out = out_of(points[:, :, None], lines[:, None], wide, deep).reshape(len(at), wide[0].size if len(at) else 0, 3)
    # One way for the whole hand: the mean of all, by how long they are.
    counts = np.einsum("spi,spi->sp", out, out)
    return np.asarray(np.einsum("sp,spi->si", counts, out) / np.maximum(counts.sum(axis=1), 1e-30)[:, None])


def _felt(wrist: Floats, elbow: Floats) -> Floats:
    """Where hands ``(S, P, 3)`` are felt, with their wrists and elbows there."""
    fore = wrist - elbow
    fore = fore / np.maximum(lengths(fore), 1e-9)[:, None]
    curl = CURL - (fore @ CURL)[:, None] * fore
    far, bent, _ = (column[:, None] for column in FEELERS.T)
    return np.asarray(wrist[:, None] + far * fore[:, None] + bent * curl[:, None])


def _mean(course: Course) -> Callable[[Floats], Floats]:
    """What rows of keys ``(K, ...)`` are on the ways between them ``(S, ...)``."""

    def between(rows: Floats) -> Floats:
        shares = course.shares.reshape(-1, *(1,) * (rows.ndim - 1))
        return np.asarray((1.0 - shares) * rows[course.rows[:, 1]] + shares * rows[course.rows[:, 2]])

    return between


def _on_their_way(places: Floats, around: Around, course: Course) -> Floats:
    """Where hands are ``(S, 3)``."""
    straight = np.einsum("sk,ski->si", course.curves, (places + around.sags)[course.rows])
    return np.asarray(straight + _bows(places, course))


def _bows(places: Floats, course: Course) -> Floats:
    """How far ``(S, 3)`` strokes are bowed away from the shoulder."""
    start, end = places[course.rows[:, 1]], places[course.rows[:, 2]]
    step, middle = end - start, 0.5 * (start + end)
    size = np.maximum(lengths(step), 1e-6)
    along = step / size[:, None]
    away = middle - np.einsum("si,si->s", middle, along)[:, None] * along
    high = course.bows * size / np.maximum(np.hypot(lengths(away), 0.05 * size), 1e-9)
    return np.asarray(high[:, None] * away)
