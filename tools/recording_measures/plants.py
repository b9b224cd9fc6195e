"""Planted feet: how much more sole points move than recorded while they stand, and how much lower soles go.

A stance may be elsewhere as a whole, as in a walk with longer strides: what counts is how far the point is from where
it was recorded, less the median of that over the stance. A heel that is raised on purpose does not slide: what rolling
over the ball, in the plane of the foot, explains of its level movement does not count. Its height is a row of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinesphere.body.ground import running_maximum, sole_paths, sole_points
from kinesphere.maths.vectors import Floats, norms
from recording_measures.performances import Found, Performance

LEVEL = np.array([1.0, 0.0, 1.0])
FLOOR = 0.35  # seconds to each side in which the recorded floor is looked for


def measure(own: Performance) -> dict[str, Found]:
    """Millimetres that balls and heels slide more, and that soles are below where the recording has them."""
    recorded = own.recorded
    paths = sole_paths(own.motion, sole_points(own.motion.skeleton))
    was = own.shown(recorded.soles)
    off = paths - was
    worst = {"ball slip": Found(0.0), "heel slip": Found(0.0), "heel rise": Found(0.0)}
    contacts = recorded.contacts
    balls = {sole.side: i for i, sole in enumerate(contacts.points) if sole.point == "ball"}
    for point, first, last in contacts.rows.tolist():
        rows = np.flatnonzero((own.frames >= first) & (own.frames <= last))
        if len(rows) < 3:
            continue
        sole = contacts.points[point]
        moved = _moved(off[rows, point])
        away = norms(moved)
        name = "ball slip"
        if sole.point == "heel":
            name = "heel slip"
            ball = balls[sole.side]
            rolled = _rolled(was[rows], paths[rows], _moved(off[rows, ball]), point, ball)
            away = np.minimum(norms(moved * LEVEL), rolled)
            _keep(worst, "heel rise", moved[:, 1], sole.name, own, rows)
        _keep(worst, name, away, sole.name, own, rows)
    floor = -running_maximum(-recorded.soles[..., 1], FLOOR, recorded.plain.rate)
    deeper = own.shown(floor) - paths[..., 1]
    frame, point = np.unravel_index(int(np.argmax(deeper)), deeper.shape)
    name = contacts.points[int(point)].name
    worst["below ground"] = Found(max(1000.0 * float(deeper[frame, point]), 0.0), f"{name} {own.at(int(frame))}")
    return worst


def _moved(off: Floats) -> Floats:
    return np.asarray(off - np.median(off, axis=0))


def _rolled(was: Floats, now: Floats, ball_moved: Floats, heel: int, ball: int) -> Floats:
    """``(T,)`` metres that a heel has moved over the ground, beyond what rolling over its ball explains."""
    recorded, made = ((paths[:, heel] - paths[:, ball]) * LEVEL for paths in (was, now))
    along = recorded / np.maximum(norms(recorded), 1e-9)[:, None]
    aside = made - np.sum(made * along, axis=1)[:, None] * along
    return np.asarray(norms(aside) + norms(ball_moved * LEVEL))


def _keep(
    worst: dict[str, Found], name: str, metres: Floats, sole: str, own: Performance, rows: NDArray[np.intp]
) -> None:
    at = int(np.argmax(metres))
    if 1000.0 * metres[at] > worst[name].value:
        worst[name] = Found(1000.0 * float(metres[at]), f"{sole} {own.at(int(rows[at]))}, stance {len(rows)} frames")
