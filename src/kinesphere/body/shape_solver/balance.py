"""Balance: when a centre of mass leaves its support, and the step of one foot that brings the support below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import runs
from kinesphere.body.mass import support_margins
from kinesphere.maths.vectors import Bools, Floats

OUTSIDE = 0.002  # leg lengths beyond the support that ask for a step
EDGE = 0.010  # leg lengths from the edge: how far inside the centre of mass comes back to, for a stretch to be over
INSIDE = 0.025  # leg lengths from the edge that a step leaves
SHORTEST, LONGEST = 0.10, 0.48  # leg lengths of a step
DIRECTIONS = 72  # in which a support is looked at
ACROSS = 0.35  # cosine: a foot does not step further across the other one than this
HALVINGS = 12
TRIED = 40  # frames of a departure for which a step is tried
ALIKE = 0.5  # cosine of ways out of the support that one step does for


class Departure(NamedTuple):
    """A stretch in which the centre of mass is outside of the support, to one direction."""

    first: int
    last: int
    out: Floats  # (2,) unit, x and z: where it leaves


class PlannedStep(NamedTuple):
    """A step of one foot for a departure."""

    side: str
    way: Floats  # (2,) metres
    margin: float  # that the centre of mass then has from the edge; negative: the step is too short for it


def find_departures(corners: Floats, centre: Floats, counts: Bools, size: float, apart: int) -> list[Departure]:
    """Where a centre of mass ``(T, 2)`` leaves the support of corners ``(T, C, 2)`` in frames that count.

    Departures to alike directions, less than so many frames apart, are one. ``size`` is the length of the legs.
    """
    margins = support_margins(corners, np.ones(corners.shape[:2], dtype=np.bool_), centre)
    found: list[Departure] = []
    for first, last in runs((margins < EDGE * size) & counts):
        worst = first + int(np.argmin(margins[first : last + 1]))
        if margins[worst] > -OUTSIDE * size:
            continue
        out = way_out(corners[worst], centre[worst])
        if found and first - found[-1].last <= apart and float(found[-1].out @ out) > ALIKE:
            found[-1] = found[-1]._replace(last=last)
        else:
            found.append(Departure(first, last, out))
    return found


def way_out(corners: Floats, centre: Floats) -> Floats:
    """``(2,)`` unit, the direction in which a point is farthest out of the hull of corners ``(C, 2)``."""
    angles = np.linspace(0.0, 2.0 * np.pi, DIRECTIONS, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    left = (corners @ ways.T).max(axis=0) - ways @ centre
    return np.asarray(ways[int(np.argmin(left))])


def plan_step(
    corners: dict[str, Floats], left: Floats, departure: Departure, centre: Floats, size: float
) -> PlannedStep:
    """The shortest step of a foot that brings the support below a centre of mass ``(T, 2)`` in a departure.

    ``corners (T, C, 2)`` are those of each side's sole, ``left (2,)`` is the direction to the body's left. A foot steps
    where it does not cross the other one; of two that would do, the one that the centre of mass goes to.
    """
    frames = np.arange(departure.first, departure.last + 1)
    both = np.concatenate([corners["left"], corners["right"]], axis=1)
    every = np.ones(both.shape[:2], dtype=np.bool_)
    margins = support_margins(both[frames], every[frames], centre[frames])
    tried = np.linspace(0, len(frames) - 1, min(len(frames), TRIED)).astype(np.intp)
    shown = np.unique(np.concatenate([[frames[int(np.argmin(margins))]], frames[tried]]))
    signs = {"left": 1.0, "right": -1.0}
    aside = float(left @ departure.out)
    near = float(left @ (centre[shown] - both[shown].mean(axis=1)).mean(axis=0))
    found = []
    for side, sign in signs.items():
        if sign * aside < -ACROSS:
            continue

        def margin(length: float, side: str = side) -> float:
            moved = [corners[own][shown] + (length * departure.out if own == side else 0.0) for own in signs]
            return float(support_margins(np.concatenate(moved, axis=1), every[shown], centre[shown]).min())

        low, high = SHORTEST * size, LONGEST * size
        if margin(low) >= INSIDE * size:
            high = low
        elif margin(high) >= INSIDE * size:
            for _ in range(HALVINGS):
                half = 0.5 * (low + high)
                low, high = (low, half) if margin(half) >= INSIDE * size else (half, high)
        found.append((round(high, 3), -sign * near, PlannedStep(side, high * departure.out, margin(high))))
    return min(found, key=lambda row: row[:2])[2]
