"""Which accent of a movement comes on which beat of music or speech."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.analysis.accents import Accent

PACE = 4.0  # what a pace e times as quick costs, in accents of the usual strength that come on no beat
LEFT_OUT = 0.2  # what a beat costs that nothing comes on
QUICKEST = 2.5  # times as quick or as slow as before, at most
BACK = 6  # accents and beats that may be left out in a row
MOST_BEATS = 10_000

Pairs = list[tuple[float, float]]


def on_beats(accents: Sequence[Accent], beats: Sequence[float]) -> Pairs:
    """Pairs of seconds, an accent's and its beat's, in order: strong accents on beats, at a pace close to its own.

    The cheapest assignment by dynamic programming. Both clocks begin at 0.
    """
    if not accents or not beats:
        return []
    at = np.array([0.0, *(accent.seconds for accent in accents)])
    usual = float(np.mean([accent.strength for accent in accents]))
    worth = np.array([0.0, *(min(accent.strength / usual, 2.0) for accent in accents)])
    when = np.array([0.0, *beats])
    missed = np.concatenate([[0.0], np.cumsum(worth)])
    best = np.full((len(at), len(when)), np.inf)
    came = np.zeros((len(at), len(when), 2), dtype=np.intp)
    best[0, 0] = 0.0
    for i in range(1, len(at)):
        # Every step of the way keeps its pace within bounds, so the whole of it does.
        near = np.flatnonzero((when * QUICKEST >= at[i]) & (when <= QUICKEST * at[i]))
        for j in near[near > 0].tolist():
            low, before = max(i - BACK, 0), max(j - BACK, 0)
            # From the start any number may be left out: a motion may begin long before the music.
            rows = np.arange(low, i) if low == 0 else np.array([0, *range(low, i)])
            columns = np.arange(before, j) if before == 0 else np.array([0, *range(before, j)])
            ways, waits = at[i] - at[rows], when[j] - when[columns]
            with np.errstate(divide="ignore", invalid="ignore"):
                pace = np.abs(np.log(waits[None, :] / ways[:, None]))
            cost = PACE * pace * pace + (missed[i] - missed[rows + 1])[:, None] + LEFT_OUT * (j - columns - 1)[None, :]
            total = best[np.ix_(rows, columns)] + np.where(pace <= np.log(QUICKEST), cost, np.inf)
            k = int(np.argmin(total))
            best[i, j] = total.flat[k]
            came[i, j] = rows[k // len(columns)], columns[k % len(columns)]
    # What is left over at the end costs nothing where the beats are over, and as much as ever where they are not.
    rest = (missed[-1] - missed[1:])[:, None] * np.where(when >= when[-1], 0.0, 1.0)[None, :]
    rest = rest + np.zeros((len(at), 1))
    rest[0] += missed[-1]
    i, j = (int(k) for k in np.unravel_index(int(np.argmin(best + rest)), best.shape))
    made: Pairs = []
    while i > 0:
        made.append((float(at[i]), float(when[j])))
        i, j = (int(k) for k in came[i, j])
    return made[::-1]
