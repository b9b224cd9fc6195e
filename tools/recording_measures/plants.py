"""Planted feet: how much more sole points move than recorded while they stand, and how much lower soles go.

A stance may be elsewhere as a whole, as in a walk with longer strides: what counts is how far the point is from where
it was recorded, less the median of that over the stance.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.ground import running_maximum, sole_paths, sole_points
from kinesphere.maths.vectors import norms
from recording_measures.performances import Found, Performance

FLOOR = 0.35  # seconds to each side in which the recorded floor is looked for


def measure(own: Performance) -> dict[str, Found]:
    """Millimetres that balls and heels slide more, and that soles are below where the recording has them."""
    recorded = own.recorded
    paths = sole_paths(own.motion, sole_points(own.motion.skeleton))
    was = own.shown(recorded.soles)
    off = paths - was
    worst = {"ball slip": Found(0.0), "heel slip": Found(0.0)}
    contacts = recorded.contacts
    for point, first, last in contacts.rows.tolist():
        rows = np.flatnonzero((own.frames >= first) & (own.frames <= last))
        if len(rows) < 3:
            continue
        moved = off[rows, point]
        away = norms(moved - np.median(moved, axis=0))
        at = int(np.argmax(away))
        sole = contacts.points[point]
        name = "heel slip" if sole.point == "heel" else "ball slip"
        if 1000.0 * away[at] > worst[name].value:
            level = 1000.0 * float(np.linalg.norm((moved - np.median(moved, axis=0))[at, [0, 2]]))
            where = f"{sole.name} {own.at(int(rows[at]))}, {level:.0f} mm of it level, stance {len(rows)} frames"
            worst[name] = Found(1000.0 * float(away[at]), where)
    floor = -running_maximum(-recorded.soles[..., 1], FLOOR, recorded.plain.rate)
    deeper = own.shown(floor) - paths[..., 1]
    frame, point = np.unravel_index(int(np.argmax(deeper)), deeper.shape)
    name = contacts.points[int(point)].name
    worst["below ground"] = Found(max(1000.0 * float(deeper[frame, point]), 0.0), f"{name} {own.at(int(frame))}")
    return worst
