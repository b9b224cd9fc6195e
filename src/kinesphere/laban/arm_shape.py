"""Shape on the arms: keys turned on ellipses about the shoulder, then nearer to the body's middle or farther away.

Each dimension has an ellipse through the key, in the plane parallel to its own, centred on the shoulder; Shape turns
the key along it towards one end of its long axis: spreading to the side, rising straight up, advancing straight ahead.
The three displacements add. A key that lies at the other end could be turned either way: there the turn fades.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.engine.collision import HEAD, THIGH, TRUNK
from kinesphere.maths import compiled
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.vectors import Floats, clip, norms

WORTH = 30  # a key is more work than a number of a product
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
REACHES = 0.22  # of its distance from the middle that a key moves
MIDDLE = (-0.17, -0.42, 0.0)  # the body's centre of mass from the shoulder: out, up, ahead; for 1.70 m
CROSSES = -0.125  # metres out of the shoulder that a hand is not turned beyond: short of the middle
NEARLY = 0.08  # metres before that, in which it comes to it softly
LONGEST = 0.5435  # metres from the shoulder beyond which Shape puts no key, for 1.70 m
SOFT = 0.03  # metres before that
_MIDDLE = np.array(MIDDLE)
_NUMBERS = (RATIO, float(MOST), float(FADE), CROSSES, NEARLY, REACHES)


def shape_keys(positions: Floats, factors: Floats, side: str) -> Floats:
    """Keys ``(K, 3)`` relative to the shoulder with Shape ``(K, 4)`` or ``(4,)`` on them, with no body in the way."""
    mirror = np.array([1.0 if side == "left" else -1.0, 1.0, 1.0])
    way = positions * mirror
    return np.asarray(limit_reach(rotate_keys(way, np.array(np.broadcast_to(factors, (len(way), 4)))), way) * mirror)


def rotate_keys(places: Floats, factors: Floats) -> Floats:
    """Keys ``(K, 3)``, out, up and ahead of the shoulder, with Shape ``(K, 4)`` on them, within reach or not."""
    kernels = compiled.loaded(WORTH * places.size)
    if kernels is None:
        return rotate_keys_reference(places, factors)
    moved = np.empty_like(places)
    kernels.turn_keys(places, factors, _NUMBERS, _MIDDLE, moved)
    return moved


def rotate_keys_reference(places: Floats, factors: Floats) -> Floats:
    """The same in plain NumPy."""
    out, up, ahead = places.T
    horizontal, vertical, sagittal, reach = factors.T
    moved = places.copy()
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
    moved += (REACHES * reach)[:, None] * (moved - _MIDDLE)
    return moved


def limit_reach(moved: Floats, written: Floats) -> Floats:
    """Keys that stay within an arm's reach, coming to it softly; none is drawn in that was not pushed out."""
    far, was = norms(moved), norms(written)
    start = clip(LONGEST - SOFT, was, LONGEST - 1e-6)
    room = LONGEST - start
    near = np.where(far > start, start + room * -np.expm1(-np.maximum(far - start, 0.0) / room), far)
    near = np.where(was >= LONGEST, np.minimum(far, was), near)
    return np.asarray(moved * (near / np.maximum(far, 1e-12))[:, None])


def _uncrossed(moved: Floats, was: Floats) -> Floats:
    """Hands that Shape does not send across the body's middle: they come to it softly, each from its own side."""
    end = np.minimum(was, CROSSES)
    room = np.minimum(was - end, NEARLY)
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


@compile_exact
def rotate_keys_kernel(places, factors, numbers, middle, moved):  # type: ignore[no-untyped-def]
    """Keys (K, 3) turned on their ellipses and moved from the middle; see ``arm_shape.turned``."""
    ratio, most, fade, crosses, near, reaches_ = numbers
    for k in range(places.shape[0]):
        out, up, ahead = places[k, 0], places[k, 1], places[k, 2]
        a, b = _turned_kernel(out, ahead, factors[k, 0], ratio, most, fade)
        c, d = _turned_kernel(up, out, factors[k, 1], ratio, most, fade)
        e, f = _turned_kernel(ahead, -up, factors[k, 2], ratio, most, fade)
        x, y, z = out + a + d, up + c - f, ahead + b + e
        end = min(out, crosses)
        room = min(out - end, near)
        over = end + room - x
        if over > 0.0:
            safe = max(room, 1e-9)
            x = end + room + safe * math.expm1(-over / safe)
        share = reaches_ * factors[k, 3]
        moved[k, 0] = x + share * (x - middle[0])
        moved[k, 1] = y + share * (y - middle[1])
        moved[k, 2] = z + share * (z - middle[2])


@compile_exact
def _turned_kernel(major, minor, dial, ratio, most, fade):  # type: ignore[no-untyped-def]
    if dial == 0.0:
        return 0.0, 0.0
    angle = math.atan2(ratio * minor, major)
    radius = math.hypot(major, ratio * minor)
    size, way = abs(angle), -1.0 if angle < 0.0 else 1.0
    room, far = (size, math.pi - size) if dial < 0.0 else (math.pi - size, size)
    turn = room * math.tanh(abs(dial) * most * -math.expm1(-((far / fade) ** 2)) / max(room, 1e-9))
    rest = way * (size - turn if dial < 0.0 else size + turn)
    return radius * math.cos(rest) - major, radius / ratio * math.sin(rest) - minor
