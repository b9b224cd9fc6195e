"""Shape on the arms: keys rotated on ellipses about the shoulder, then moved nearer to the body's middle or farther.

Each dimension has an ellipse through the key, in the plane parallel to its own, centred on the shoulder. Shape rotates
the key along it towards one end of the long axis: spreading to the side, rising straight up, advancing straight ahead.
The three displacements add (Chi 1999; EMOTE 2000, section on Shape; model sheet, "Shape on the arms"). A key at the
other end could be rotated in either direction: there the rotation fades, so that nothing jumps.

Ours: the ratio of radii and the largest angle, which are not printed; the soft approach to an end, to the body's middle
and to the arm's reach. Distances are for a figure 1.70 m tall.
"""

from __future__ import annotations

import math

import numpy as np

from kinesphere.maths.compiled import jit
from kinesphere.maths.vectors import Floats

RATIO = 1.5  # of the ellipses' radii
LARGEST_ROTATION = math.radians(34.0)  # along an ellipse at full Shape
FADE_ANGLE = math.radians(50.0)  # from the far end, within which a rotation fades
REACH_SCALE = 0.22  # of its distance from the middle that a key moves at full reach
MIDDLE = (-0.17, -0.42, 0.0)  # the body's centre of mass from the shoulder: out, up, ahead
NEAREST_MIDDLE = -0.125  # metres out of the shoulder that Shape takes no hand beyond: short of the middle
SOFT_MIDDLE = 0.08  # metres before that, over which a hand is slowed
LONGEST = 0.5435  # metres from the shoulder beyond which Shape puts no key
SOFT_REACH = 0.03  # metres before that, over which a key is slowed


def rotate_keys(positions: Floats, factors: Floats) -> Floats:
    """Keys ``(K, 3)``, out, up and ahead of the shoulder, with Shape ``(K, 4)`` on them, whether in reach or not."""
    moved = np.empty_like(positions)
    rotate_keys_kernel(positions, factors, moved)
    return moved


@jit
def rotate_keys_kernel(positions, factors, moved):  # type: ignore[no-untyped-def]
    """Write to ``moved (K, 3)`` where Shape ``(K, 4)`` takes keys ``(K, 3)``: three ellipses, then the reach space."""
    for k in range(positions.shape[0]):
        out, up, ahead = positions[k, 0], positions[k, 1], positions[k, 2]
        out_1, ahead_1 = move_on_ellipse(out, ahead, factors[k, 0])
        up_2, out_2 = move_on_ellipse(up, out, factors[k, 1])
        ahead_3, down_3 = move_on_ellipse(ahead, -up, factors[k, 2])
        x, y, z = out + out_1 + out_2, up + up_2 - down_3, ahead + ahead_1 + ahead_3
        end = min(out, NEAREST_MIDDLE)
        room = min(out - end, SOFT_MIDDLE)
        over = end + room - x
        if over > 0.0:  # a hand comes softly to the middle, from its own side
            safe = max(room, 1e-9)
            x = end + room + safe * math.expm1(-over / safe)
        scale = REACH_SCALE * factors[k, 3]
        moved[k, 0] = x + scale * (x - MIDDLE[0])
        moved[k, 1] = y + scale * (y - MIDDLE[1])
        moved[k, 2] = z + scale * (z - MIDDLE[2])


@jit
def move_on_ellipse(major, minor, dial):  # type: ignore[no-untyped-def]
    """How far a point moves along the long and the short axis. A dial below zero goes to the long axis' plus end."""
    if dial == 0.0:
        return 0.0, 0.0
    angle = math.atan2(RATIO * minor, major)  # 0 at the plus end, ±π at the other
    radius = math.hypot(major, RATIO * minor)
    size, sign = abs(angle), -1.0 if angle < 0.0 else 1.0
    room, from_far_end = (size, math.pi - size) if dial < 0.0 else (math.pi - size, size)
    fade = -math.expm1(-((from_far_end / FADE_ANGLE) ** 2))
    rotation = room * math.tanh(abs(dial) * LARGEST_ROTATION * fade / max(room, 1e-9))  # softly to the end
    rotated = sign * (size - rotation if dial < 0.0 else size + rotation)
    return radius * math.cos(rotated) - major, radius / RATIO * math.sin(rotated) - minor


@jit
def limit_reach(key, written):  # type: ignore[no-untyped-def]
    """Move a key ``(3,)`` in place into the arm's reach, softly. It may stay as far out as it was ``written (3,)``."""
    far = math.sqrt(key[0] * key[0] + key[1] * key[1] + key[2] * key[2])
    was = math.sqrt(written[0] * written[0] + written[1] * written[1] + written[2] * written[2])
    start = min(max(LONGEST - SOFT_REACH, was), LONGEST - 1e-6)
    room = LONGEST - start
    distance = start - room * math.expm1(-(far - start) / room) if far > start else far
    if was >= LONGEST:
        distance = min(far, was)
    for d in range(3):
        key[d] *= distance / max(far, 1e-12)
