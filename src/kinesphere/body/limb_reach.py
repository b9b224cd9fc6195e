"""How far arms and legs reach: freely within their range, and softly towards its ends.

A limb that stays where it is reaches as far as it did. One that moves approaches its ends over a zone: straight, or
less so where nothing asks for it, and folded.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.limb_parts import Limb, spans
from kinesphere.kernels.arrays import Floats, lengths
from kinesphere.kernels.limbs import reach

FREE = 0.97  # of an arm's length that it may always reach
SPARE, TAUT_SPARE = 0.1, 0.003  # how much farther than it must: of the way there, and of its length
LEFT = 0.6  # of what a stretched limb leaves of its length that it still leaves when it is stretched more
MOVED = 0.12  # of its length that its end has moved where it approaches its ends over the whole zone
NEAREST = 0.02  # of the zone that is left between what it reaches at most and its ends
ROUNDS = 12  # most, of finding what to ask for
FOLDED = float(np.radians(150.0))  # flexion


def relaxed(limb: Limb, p: Floats, target: Floats) -> Limb:
    """The same arm, that stretches little farther than ``target (T, 3)`` asks for."""
    was, upper, lower = spans(limb, p)
    asked = lengths(target - p[:, limb.upper])
    needed = (asked + SPARE * np.maximum(asked - was, 0.0)) / (upper + lower) + TAUT_SPARE
    return limb._replace(longest=min(max(float(needed.max()), FREE), limb.longest))


def within_reach(limb: Limb, p: Floats, target: Floats, beyond: float = NEAREST) -> Floats:
    """``(T, 3)`` what to ask ``lay_limb`` for so that it ends at ``target``: farther, where reach is soft.

    ``beyond`` is what is left to its ends, of the zone in which it approaches them, for what it cannot reach.
    """
    was, upper, lower = spans(limb, p)
    start, way = p[:, limb.upper], target - p[:, limb.upper]
    asked = lengths(way)
    far, near = _ends(limb, was, upper, lower)
    outward = asked > 0.5 * (far + near)
    left = np.where(outward, far - asked, asked - near)
    made = np.array(target)
    for _ in range(ROUNDS):  # how soft it is depends on how far its end goes
        before = made
        zone = _zone(limb, lengths(made - p[:, limb.end]), upper + lower)
        share = np.maximum(left / zone, np.where(left > 0.0, NEAREST, beyond))
        # The way back from held_reach, where it makes any difference.
        short = zone * np.where(
            share < 30.0, np.log(np.maximum(-np.expm1(-np.minimum(share, 30.0)), 1e-300)) + share, share
        )
        farther = np.where(outward, far - short, near + short)
        made = start + way * (farther / np.maximum(asked, 1e-9))[:, None]
        if np.abs(made - before).max() < 1e-6:
            break
    return np.asarray(made)


def easy_reach(limb: Limb, p: Floats) -> Floats:
    """``(T,)`` how far the limb reaches with ease: as far as it does, or nearly straight."""
    was, upper, lower = spans(limb, p)
    return np.asarray(np.maximum(was, limb.easy * (upper + lower)))


def full_reach(limb: Limb, p: Floats) -> Floats:
    """``(T,)`` how long the limb is."""
    _, upper, lower = spans(limb, p)
    return upper + lower


def _ends(limb: Limb, was: Floats, upper: Floats, lower: Floats) -> tuple[Floats, Floats]:
    """The farthest and the nearest that a limb reaches which ``was`` so far."""
    whole = upper + lower
    left = np.maximum(whole - was, 0.0)
    least, own = (1.0 - limb.longest) * whole, LEFT * left
    far = whole - least * own / np.maximum(np.hypot(least, own), 1e-12)
    folded = was - np.maximum(reach(FOLDED, upper, lower), np.abs(upper - lower))
    return np.maximum(far, was), was - np.minimum(0.5 * (folded + np.hypot(folded, 0.01 * whole)), 0.9 * was)


def _zone(limb: Limb, moved: Floats, whole: Floats) -> Floats:
    """Over what distance a limb approaches its ends whose own end is ``moved`` so far; nothing for nothing."""
    u = np.minimum(moved / (MOVED * whole), 1.0)
    return np.asarray(np.maximum(limb.soft * u * u * (3.0 - 2.0 * u), 1e-12) * whole)


def held_reach(limb: Limb, asked: Floats, moved: Floats, was: Floats, upper: Floats, lower: Floats) -> Floats:
    """The distances that a limb spans when others are asked for: the same, up to its ends, which it approaches."""
    far, near = _ends(limb, was, upper, lower)
    zone = _zone(limb, moved, upper + lower)
    outer = far - zone * np.logaddexp(0.0, (far - asked) / zone)
    inner = near + zone * np.logaddexp(0.0, (asked - near) / zone)
    return np.where(asked > 0.5 * (far + near), outer, inner)


def flexion_at(distance: Floats, upper: Floats, lower: Floats) -> Floats:
    """The flexion at which bones span a distance; see ``kernels.limbs`` for why so."""
    whole, apart = upper + lower, upper - lower
    above = np.maximum((whole - distance) * (whole + distance), 0.0)
    below = np.maximum((distance - apart) * (distance + apart), 0.0)
    return 2.0 * np.arctan2(np.sqrt(above), np.sqrt(below))
