"""Where a wrist goes: a Kochanek–Bartels path through its keys, travelled by ``progress`` from goal to goal."""

from __future__ import annotations

import numpy as np

from kinesphere.figure.curves import rounded
from kinesphere.kernels.arc_length import arc_length
from kinesphere.kernels.arrays import Floats
from kinesphere.kernels.splines import kochanek_bartels
from kinesphere.kernels.timing import progress
from kinesphere.motion.keypoints import Keypoints, Stop

ROUND = 0.028  # seconds: hands start and stop with a rounded acceleration
SAME = 1e-4  # metres: keys nearer than this are one place on the path


def wrist_path(keys: Keypoints, places: Floats, inflections: tuple[float, ...] | None, at: Floats) -> Floats:
    """``(T, 3)`` places at the times ``at`` of a hand that has its keys at ``places (K, 3)``.

    The hand rests at goals, before the first key and after the last; goals are met exactly.
    """
    times = np.array([key.frame for key in keys.keys]) / keys.rate
    along, knots = _distinct(places)
    if len(knots) == 1:
        return np.repeat(knots, len(at), axis=0)
    apart = np.linalg.norm(np.diff(knots, axis=0), axis=1)
    path = arc_length(kochanek_bartels(knots, np.concatenate([[0.0], np.cumsum(np.sqrt(apart))])))
    lengths = path.key_lengths[along]
    stops = [i for i, key in enumerate(keys.keys) if key.stop == Stop.GOAL or i in (0, len(places) - 1)]
    eases = inflections or (0.5,) * len(places)
    way = np.full(len(at), lengths[0])
    for first, last in zip(stops[:-1], stops[1:], strict=True):
        share = (at - times[first]) / (times[last] - times[first])
        going = at > times[first]
        way[going] = lengths[first] + (lengths[last] - lengths[first]) * progress(share[going], eases[last])
    rate = 1.0 / (at[1] - at[0])
    smooth = rounded(path.at_length(way), rate, ROUND)
    return smooth + _back_to_goals(smooth, at, times[stops], places[stops])


def _distinct(places: Floats) -> tuple[list[int], Floats]:
    """For each key its knot, and the knots: a hold is one knot, or the path would leave it and come back."""
    along, knots = [0], [places[0]]
    for place in places[1:]:
        if np.linalg.norm(place - knots[-1]) > SAME:
            knots.append(place)
        along.append(len(knots) - 1)
    return along, np.array(knots)


def _back_to_goals(path: Floats, at: Floats, times: Floats, goals: Floats) -> Floats:
    """What rounding took away at the goals, put back by narrow bumps, all goals at once."""
    width = 2.0 * ROUND
    now = np.stack([np.interp(times, at, path[:, i]) for i in range(3)], axis=1)
    bumps = np.exp(-0.5 * ((times[:, None] - times) / width) ** 2)
    weights = np.linalg.lstsq(bumps, goals - now, rcond=1e-6)[0]
    spread: Floats = np.exp(-0.5 * ((at[:, None] - times) / width) ** 2) @ weights
    return spread
