"""Shape on the arms: keys turned on ellipses about the shoulder, then nearer to the body's middle or farther away.

Each dimension has an ellipse through the key, in the plane parallel to its own, centred on the shoulder; Shape turns
the key along it towards one end of its long axis: spreading to the side, rising straight up, advancing straight ahead.
The three displacements add. A key that lies at the other end could be turned either way: there the turn fades.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.figure.keeping_off import HEAD, THIGH, TRUNK, Volume, pushed_out
from kinesphere.kernels.arrays import Floats, lengths

RATIO = 1.5  # of the ellipses' radii
MOST = np.radians(34.0)  # that a key is turned by
FADE = np.radians(50.0)  # from the far end, within which a turn fades
# The body as the chest of one who stands upright sees it from the shoulder: trunk, head, both thighs. Out, up, ahead.
BODY = (
    ((-0.18, -0.50, 0.03), (-0.18, -0.02, 0.04), *TRUNK),
    ((-0.18, 0.20, 0.07), (-0.18, 0.26, 0.07), *HEAD),
    ((-0.09, -0.50, 0.05), (-0.09, -0.90, 0.08), *THIGH),
    ((-0.27, -0.50, 0.05), (-0.27, -0.90, 0.08), *THIGH),
)
AGAIN = 4
REACHES = 0.22  # of its distance from the middle that a key moves
MIDDLE = (-0.17, -0.42, 0.0)  # the body's centre of mass from the shoulder: out, up, ahead; for 1.70 m
CROSSES = -0.125  # metres out of the shoulder that a hand is not turned beyond: short of the middle
LONGEST = 0.5435  # metres from the shoulder beyond which Shape puts no key, for 1.70 m
SOFT = 0.03  # metres before that


def shaped(positions: Floats, factors: Floats, side: str, *, clear: bool = True) -> Floats:
    """Keys ``(K, 3)`` relative to the shoulder with Shape ``(K, 4)`` or ``(4,)`` on them; ``clear``: off the body."""
    sign = 1.0 if side == "left" else -1.0
    way = positions * np.array([sign, 1.0, 1.0])  # out, up, ahead
    out, up, ahead = way[:, 0], way[:, 1], way[:, 2]
    horizontal, vertical, sagittal, reach = np.broadcast_to(factors, (len(way), 4)).T
    moved = way.copy()
    d_out, d_ahead = _turned(out, ahead, horizontal)
    moved[:, 0] += d_out
    moved[:, 2] += d_ahead
    d_up, d_out = _turned(up, out, vertical)
    moved[:, 1] += d_up
    moved[:, 0] += d_out
    d_ahead, d_down = _turned(ahead, -up, sagittal)
    moved[:, 2] += d_ahead
    moved[:, 1] -= d_down
    moved[:, 0] = _uncrossed(moved[:, 0], out)
    moved += (REACHES * reach)[:, None] * (moved - np.array(MIDDLE))
    moved = _outside(moved, way) if clear else moved
    return np.asarray(_within(moved, way) * np.array([sign, 1.0, 1.0]))


def _outside(moved: Floats, written: Floats) -> Floats:
    """Keys that Shape has not brought into the body, more than they are written there."""
    body = [_standing(len(moved), *row) for row in BODY]
    total, allowed = pushed_out(moved, body), pushed_out(written, body)
    for _ in range(AGAIN):  # out of one volume may be into another
        total = total + pushed_out(moved + total, body)
    # What is written into the body stays as deep as it is written.
    size = np.maximum(lengths(total), 1e-12)
    kept = np.maximum(size - lengths(allowed), 0.0) / size
    return np.asarray(moved + kept[:, None] * total)


def _standing(count: int, start: Sequence[float], end: Sequence[float], wide: float, deep: float) -> Volume:
    return Volume(np.tile(start, (count, 1)), np.tile(end, (count, 1)), wide, deep)


def _uncrossed(moved: Floats, was: Floats) -> Floats:
    """Hands that Shape does not send across the body's middle: they come to it softly, each from its own side."""
    end = np.minimum(was, CROSSES)
    room = np.minimum(was - end, 0.08)
    over = np.maximum(end + room - moved, 0.0)
    safe = np.maximum(room, 1e-9)
    return np.asarray(np.where(over > 0.0, end + room - safe * -np.expm1(-over / safe), moved))


def _turned(major: Floats, minor: Floats, dial: Floats) -> tuple[Floats, Floats]:
    """How far points move along the long and the short axis; below zero the dial turns to the long axis' plus end."""
    angle = np.arctan2(RATIO * minor, major)  # 0 at the plus end, ±π at the other
    radius = np.hypot(major, RATIO * minor)
    size, way = np.abs(angle), np.where(angle < 0.0, -1.0, 1.0)
    room = np.where(dial < 0.0, size, np.pi - size)  # to the end that it turns to
    from_far = np.where(dial < 0.0, np.pi - size, size)
    fade = -np.expm1(-((from_far / FADE) ** 2))
    most = np.abs(dial) * MOST * fade
    # Comes softly to the end instead of stopping there.
    turn = room * np.tanh(most / np.maximum(room, 1e-9))
    rest = way * (size + np.where(dial < 0.0, -turn, turn))
    return radius * np.cos(rest) - major, radius / RATIO * np.sin(rest) - minor


def _within(moved: Floats, written: Floats) -> Floats:
    """Keys that stay within an arm's reach, coming to it softly; none is drawn in that was not pushed out."""
    far, was = np.linalg.norm(moved, axis=1), np.linalg.norm(written, axis=1)
    start = np.clip(np.maximum(LONGEST - SOFT, was), None, LONGEST - 1e-6)
    room = LONGEST - start
    held = np.where(far > start, start + room * -np.expm1(-np.maximum(far - start, 0.0) / room), far)
    held = np.where(was >= LONGEST, np.minimum(far, was), held)
    return np.asarray(moved * (held / np.maximum(far, 1e-12))[:, None])
