"""Where elbows and knees go that are free to: outward where an arm would go too far back, and without shaking.

A hand or foot where it should be leaves its middle joint a circle. An upper arm's limit is a cone about 30° forward of
sideways (``limits``): its elbow is turned by the least that brings it into the cone, or as near as the circle goes. And
captures twist straight limbs as they like, which bent ones would show: what jolts is turned until it does not.
"""

from __future__ import annotations

import numpy as np

from kinesphere.body.leg_paths import swivels
from kinesphere.body.limb_parts import Limb, cross, unit
from kinesphere.body.limb_reach import full_reach
from kinesphere.body.limb_rounding import rounded_up
from kinesphere.body.limb_solving import Laid, swivelled
from kinesphere.body.limits import LIMITS, NEEDED, body_axes
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, lengths
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

AHEAD = float(np.radians(30.0))  # the cone's axis, from sideways
FARTHEST = float(np.radians(60.0))  # that an elbow is turned
ROUND = 0.2  # seconds over which it is
ABOVE = ("upperChest", "chest", "spine", "hips")
CALM = 0.03  # metres a second that a joint's velocity may change from frame to frame, besides what it did around
AROUND = 0.05  # seconds


def outward(skeleton: Skeleton, end: str, limb: Limb, q: Floats, p: Floats, laid: Laid, rate: float) -> Floats:
    """``(T,)`` radians by which an arm, laid so, is to be turned about its way to its hand.

    ``q`` and ``p`` are the world that it is laid in. What is past the cone already is let be.
    """
    none: Floats = np.zeros(len(q))
    if not end.endswith("Hand") or not all(role in skeleton.roles for role in NEEDED):
        return none
    middle = _middle(skeleton, end, q)
    start, before = p[:, limb.upper], unit(p[:, limb.lower] - p[:, limb.upper])
    bone, along = rotations.rotate(laid.upper, before), unit(laid.end - start)
    cone = LIMITS["UpperArm"].cone or np.pi
    least = np.minimum(np.cos(cone), _dot(before, middle))
    if (_dot(bone, middle) >= least).all():
        return none
    aside = bone - _dot(bone, along)[:, None] * along
    # On its circle the elbow is nearest to the middle at `best`, and within the cone up to `free` from there.
    best = np.arctan2(_dot(cross(along, aside), middle), _dot(aside, middle))
    swing = np.hypot(_dot(cross(along, aside), middle), _dot(aside, middle))
    free = np.arccos(np.clip((least - _dot(bone, along) * _dot(along, middle)) / np.maximum(swing, 1e-9), -1.0, 1.0))
    needed = np.clip(np.abs(best) - free, 0.0, FARTHEST) * np.sign(best)
    needed *= lengths(aside) > 1e-6
    sign = 1.0 if needed.sum() > 0.0 else -1.0  # one way round, or it would turn about
    return sign * rounded_up(np.maximum(sign * needed, 0.0), ROUND, rate)


def _middle(skeleton: Skeleton, end: str, q: Floats) -> Floats:
    """``(T, 3)`` the axis of the cone in the world."""
    _, left, ahead = body_axes(skeleton)
    aside = left if end.startswith("left") else -left
    chest = next(skeleton.roles[role] for role in ABOVE if role in skeleton.roles)
    turned = rotations.multiply(q[:, chest], rotations.conjugate(skeleton.rest_world()[0][chest]))
    return rotations.rotate(turned, np.cos(AHEAD) * aside + np.sin(AHEAD) * ahead)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def steadied(motion: Motion, limb: Limb, before: Floats, p: Floats, laid: Laid, share: Floats) -> Laid:
    """The limb swivelled about its way, so that its middle joint jolts no more than it did.

    ``before`` and ``p`` ``(T, J, 3)`` are world positions of the input and of the pose that the limb is laid in;
    ``share (T,)`` says how much it may swivel.
    """
    start, was = p[:, limb.upper], before[:, limb.lower]
    bone = rotations.rotate(laid.upper, p[:, limb.lower] - start)
    if len(was) < 4 or not _jolts(was, start + bone, motion.rate):
        return laid
    whole = float(full_reach(limb, p).mean())
    along = unit(laid.end - start)
    angle = swivels(was / whole, (start + bone - was) / whole, cross(along, bone) / whole, share[:, None], motion)
    return swivelled(limb, p, laid, angle)


def _jolts(was: Floats, now: Floats, rate: float) -> bool:
    """Whether a joint's velocity changes anywhere much more from frame to frame than it did around there."""
    old, new = (lengths(np.diff(path, 2, axis=0)) * rate for path in (was, now))
    reach = max(round(AROUND * rate), 3)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(old, reach), 2 * reach + 1).max(axis=1)
    return bool((new > 1.5 * around + CALM).any())
