"""Where hands are looked at on their ways: at their keys, and at places between them as paths will lead there.

A place between two keys is a mixture of these and of the keys beyond, where the way goes on through a via; how much of
each depends on the stroke's tension, evenly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from kinesphere.figure.paths import BOW, TIGHTEST, hermite
from kinesphere.kernels.arrays import Bools, Floats, Ints, lengths

FINELY, COARSELY = (0.12, 0.25, 0.5, 0.75, 0.88), (0.5,)  # of long ways, and of short ones, that are looked at
LONG, SHORT = 0.15, 0.06  # metres


class Course(NamedTuple):
    """Where hands are looked at."""

    rows: Ints  # (S, 4) two keys before and two after
    curves: Floats  # (S, 4) how much of the place there is theirs
    shares: Floats  # (S,) of the way between the middle two
    bows: Floats  # (S,) how high a stroke is bowed there, as a share of its length
    swivels: Floats  # (K,) of the keys


class Courses(NamedTuple):
    """Courses at any tension."""

    even: Course  # at tension 0, bows as high as 1
    rounder: Floats  # (S, 4) what curves have more of at tension −1
    strokes: Ints  # (S,)

    def at(self, tension: Floats) -> Course:
        """The course of strokes with this tension ``(strokes,)``."""
        own = tension[self.strokes]
        bows = self.even.bows * (BOW[0] + BOW[1] * own + BOW[2] * own**2)
        curves = self.even.curves - np.minimum(own, TIGHTEST)[:, None] * self.rounder
        return self.even._replace(curves=curves, bows=bows)


def courses(places: Floats, stops: Bools, fixed: Bools, swivels: Floats, arms: Iterable[slice]) -> Courses:
    """Of hands with keys at ``places (K, 3)``; ``arms`` are the rows of one arm after the other."""
    rows, goes_on, shares, bowed, strokes = [], [], [], [], []
    before = 0  # strokes of other arms
    for own in arms:
        last = own.stop - 1
        for i in range(own.start, own.stop):
            if fixed[i]:
                continue
            j = min(i + 1, last)
            far = 0.0 if fixed[j] else float(lengths(places[j] - places[i]))
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
    course = Course(np.array(rows, dtype=np.intp).reshape(-1, 4), even, u, bows, swivels)
    return Courses(course, rounder - even, np.array(strokes, dtype=np.intp))


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
    return hermite(first, last, leaving, arriving, u)
