"""Where elbows and knees go that are free to: outward where an arm would go too far back, and without shaking.

A hand or foot where it should be leaves its middle joint a circle. An upper arm's limit is a cone about 30° forward of
sideways (``limits``): its elbow is turned by the least that brings it into the cone, or as near as the circle goes. And
captures twist straight limbs as they like, which bent ones would show: what jolts is turned until it does not.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.foot_lock.leg_paths import knee_swivels
from kinesphere.body.limits import LIMITS, NEEDED, body_axes, limit_excess
from kinesphere.body.reach.limb import (
    PARTS,
    LimbChain,
    LimbRotation,
    cross,
    full_reach,
    side_and_part,
    smooth_envelope,
    swivel_limb,
    unit,
)
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

AHEAD = float(np.radians(30.0))  # the cone's axis, from sideways
FARTHEST = float(np.radians(60.0))  # that an elbow is turned
ROUND = 0.2  # seconds over which it is
ABOVE = ("upperChest", "chest", "spine", "hips")
CALM = 0.03  # metres a second that a joint's velocity may change from frame to frame, besides what it did around
AROUND = 0.05  # seconds


def outward_swivel(
    skeleton: Skeleton, end: str, limb: LimbChain, q: Floats, p: Floats, laid: LimbRotation, rate: float
) -> Floats:
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
    needed *= norms(aside) > 1e-6
    sign = 1.0 if needed.sum() > 0.0 else -1.0  # one way round, or it would turn about
    return sign * smooth_envelope(np.maximum(sign * needed, 0.0), ROUND, rate)


def _middle(skeleton: Skeleton, end: str, q: Floats) -> Floats:
    """``(T, 3)`` the axis of the cone in the world."""
    _, left, ahead = body_axes(skeleton)
    aside = left if end.startswith("left") else -left
    chest = next(skeleton.roles[role] for role in ABOVE if role in skeleton.roles)
    turned = rotations.multiply(q[:, chest], rotations.conjugate(skeleton.rest_world()[0][chest]))
    return rotations.rotate(turned, np.cos(AHEAD) * aside + np.sin(AHEAD) * ahead)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def steady_swivel(
    motion: Motion, limb: LimbChain, before: Floats, p: Floats, laid: LimbRotation, share: Floats
) -> LimbRotation:
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
    angle = knee_swivels(was / whole, (start + bone - was) / whole, cross(along, bone) / whole, share[:, None], motion)
    return swivel_limb(limb, p, laid, angle)


def _jolts(was: Floats, now: Floats, rate: float) -> bool:
    """Whether a joint's velocity changes anywhere much more from frame to frame than it did around there."""
    old, new = (norms(np.diff(path, 2, axis=0)) * rate for path in (was, now))
    reach = max(round(AROUND * rate), 3)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(old, reach), 2 * reach + 1).max(axis=1)
    return bool((new > 1.5 * around + CALM).any())


# ---- How far a wrist or an ankle can go for a hand or foot that keeps its orientation while the limb turns under it.


SHARES = np.linspace(0.0, 1.0, 13)
EVERY = 0.08  # seconds between frames that are looked at
ROUND_LIMB_ORIENTATION = 0.15  # seconds over which keeping comes and goes
EASE = (float(np.radians(20.0)), float(np.radians(45.0)))  # that a joint is turned freely, and at most
SLACK = float(np.radians(0.1))  # past a limit that nobody sees


def orientation_share(motion: Motion, end: str, along: Floats, kept: Floats, active: Bools) -> Floats:
    """``(T,)`` how much of the way from ``along`` to ``kept`` the end's joint turns with ease, and within its limits.

    Both are its local rotations ``(T, 4)``: as it was, and as it would be. What is past a limit already is let be.
    """
    whole = _at_ease(rotations.angle_between(along, kept))
    if not all(role in motion.skeleton.roles for role in NEEDED) or not active.any():
        return whole
    every = max(round(EVERY * motion.rate), 1)
    frames = np.unique(np.append(np.flatnonzero(active)[::every], np.flatnonzero(active)[-1]))
    # All shares at once: asking for limits takes its time, however few the frames.
    past = _past(_joint_alone(motion.skeleton, end), end, motion.rotations[frames], along[frames], kept[frames])
    excess = past - past[0] - SLACK
    tight = (excess > 0.0).any(axis=0)
    if not tight.any():
        return whole
    # The last share before the first that goes past; between two a joint can be past its limits by more than at both.
    last = np.maximum(np.argmax(excess > 0.0, axis=0) - 1, 0)
    share = np.where(tight, SHARES[last], 1.0)
    given_up = np.interp(np.arange(len(motion)), frames, 1.0 - share)
    return np.asarray(np.minimum(whole, 1.0 - smooth_envelope(given_up, ROUND_LIMB_ORIENTATION, motion.rate)))


def _at_ease(angle: Floats) -> Floats:
    """How much of an angle a joint is turned by itself: all of a small one, and of a large one not much more."""
    free, most = EASE
    past = np.maximum(angle - free, 0.0) / (most - free)
    return np.asarray(np.where(past > 0.0, (free + (most - free) * -np.expm1(-past)) / np.maximum(angle, 1e-9), 1.0))


def _past(joint: _EndJoint, end: str, local: Floats, along: Floats, kept: Floats) -> Floats:
    """``(S, N)`` radians past its limits that the end's joint is, at each of ``SHARES``."""
    count = len(local)
    q = rotations.identity(len(SHARES), count, len(joint.body))
    q[:, :, joint.rows] = local[:, joint.path]
    q[:, :, joint.body.roles[end]] = rotations.slerp(along, kept, np.broadcast_to(SHARES[:, None], q.shape[:2]))
    excess = limit_excess(Motion(joint.body, 1.0, freeze(q.reshape(-1, *q.shape[2:]))))
    return excess[end].reshape(len(SHARES), count) if end in excess else np.zeros(q.shape[:2])


class _EndJoint(NamedTuple):
    """An end's joint with what its limits are measured against."""

    body: Skeleton
    path: list[int]  # the skeleton's joints from below the bone that it hangs on
    rows: list[int]  # and the same in this body


_alone: WeakKeyDictionary[Skeleton, dict[str, _EndJoint]] = WeakKeyDictionary()


def _joint_alone(skeleton: Skeleton, end: str) -> _EndJoint:
    """A body of the few joints that the end's limits need, each by itself, so that only these are asked for."""
    known = _alone.setdefault(skeleton, {})
    if end not in known:
        side, part = side_and_part(end)
        roles = [*NEEDED, side + PARTS[part][1], side + ("MiddleProximal" if part == "Hand" else "Toes")]
        roles = [role for role in roles if role in skeleton.roles]
        own, path = [skeleton.roles[role] for role in roles], [skeleton.roles[end]]
        bone = skeleton.roles[side + PARTS[part][1]]
        while int(skeleton.parents[path[0]]) not in (bone, -1):
            path.insert(0, int(skeleton.parents[path[0]]))
        turned, place = skeleton.rest_world()
        rows = list(range(len(own), len(own) + len(path)))
        body = Skeleton(
            tuple(skeleton.names[joint] for joint in own + path),
            np.array([-1] * len(own) + [own.index(bone), *rows[:-1]]),
            np.concatenate([place[own], skeleton.offsets[path]]),
            np.concatenate([turned[own], skeleton.rest_rotations[path]]),
            {**{role: i for i, role in enumerate(roles)}, end: rows[-1]},
        )
        known[end] = _EndJoint(body, path, rows)
    return known[end]
