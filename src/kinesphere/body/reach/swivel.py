"""Elbow and knee swivel (pole angle), and hand and foot orientation, after limb IK.

**Swivel.** A hand or foot at its target leaves the middle joint a circle. An upper arm's limit is a cone about 30°
forward of sideways (``body.limits``): its elbow swivels by the least angle that brings it into the cone, or as near as
the circle goes. And captures twist straight limbs arbitrarily, which flexed limbs would show: a middle joint that jolts
is swivelled until it does not.

**Orientation.** A hand or foot that keeps its orientation in the world while the limb rotates under it does so only as
far as its wrist or ankle allows.
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
    full_reach,
    side_and_part,
    swivel_limb,
)
from kinesphere.maths import rotations
from kinesphere.maths.filters import smooth_envelope
from kinesphere.maths.vectors import Bools, Floats, cross, norms, reject, unit
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

CONE_AXIS = float(np.radians(30.0))  # forward of sideways
LARGEST_SWIVEL = float(np.radians(60.0))  # of an elbow
SWIVEL_EASING = 0.2  # seconds over which it comes and goes
CHEST = ("upperChest", "chest", "spine", "hips")  # the first of these that there is
JOLT = 0.03  # metres per second by which a joint's velocity may change in a frame, in addition to what it did before
AROUND = 0.05  # seconds

SHARES = np.linspace(0.0, 1.0, 13)  # of keeping the orientation, that are tried
SAMPLING = 0.08  # seconds between frames that are checked for limits
ORIENTATION_EASING = 0.15  # seconds over which keeping comes and goes
EASE = (float(np.radians(20.0)), float(np.radians(45.0)))  # that a joint is rotated freely, and at most
TOLERANCE = float(np.radians(0.1))  # past a limit, that nobody notices


def outward_swivel(
    skeleton: Skeleton, end: str, limb: LimbChain, q: Floats, p: Floats, solved: LimbRotation, rate: float
) -> Floats:
    """``(T,)`` radians by which a solved arm swivels about its line to the hand so that its elbow is within its limit.

    ``q`` and ``p`` are the world in which it was solved. An upper arm that exceeds its limit already may stay there.
    """
    none: Floats = np.zeros(len(q))
    if not end.endswith("Hand") or not all(role in skeleton.roles for role in NEEDED):
        return none
    centre = _cone_axis(skeleton, end, q)
    start, before = p[:, limb.upper], unit(p[:, limb.lower] - p[:, limb.upper])
    bone, along = rotations.rotate(solved.upper, before), unit(solved.end - start)
    least = np.minimum(np.cos(LIMITS["UpperArm"].cone or np.pi), _dot(before, centre))
    if (_dot(bone, centre) >= least).all():
        return none
    # On its circle the elbow is nearest to the cone's axis at `best`, and within the cone up to `free` from there.
    across = reject(bone, along)
    x, y = _dot(across, centre), _dot(cross(along, across), centre)
    best, amplitude = np.arctan2(y, x), np.hypot(x, y)
    cosine = (least - _dot(bone, along) * _dot(along, centre)) / np.maximum(amplitude, 1e-9)
    free = np.arccos(np.clip(cosine, -1.0, 1.0))
    needed = np.clip(np.abs(best) - free, 0.0, LARGEST_SWIVEL) * np.sign(best) * (norms(across) > 1e-6)
    sign = 1.0 if needed.sum() > 0.0 else -1.0  # in one sense throughout, or it would swing back and forth
    return sign * smooth_envelope(np.maximum(sign * needed, 0.0), SWIVEL_EASING, rate)


def _cone_axis(skeleton: Skeleton, end: str, q: Floats) -> Floats:
    """``(T, 3)`` the axis of the upper arm's cone in the world."""
    _, left, ahead = body_axes(skeleton)
    sideways = left if end.startswith("left") else -left
    chest = next(skeleton.roles[role] for role in CHEST if role in skeleton.roles)
    from_rest = rotations.multiply(q[:, chest], rotations.conjugate(skeleton.rest_world()[0][chest]))
    return rotations.rotate(from_rest, np.cos(CONE_AXIS) * sideways + np.sin(CONE_AXIS) * ahead)


def _dot(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("ti,ti->t", a, b))


def remove_swivel_jolts(
    motion: Motion, limb: LimbChain, before: Floats, p: Floats, solved: LimbRotation, share: Floats
) -> LimbRotation:
    """The limb swivelled so that its middle joint jolts no more than it did.

    ``before`` and ``p`` ``(T, J, 3)`` are world positions of the input and of the pose in which the limb was solved;
    ``share (T,)`` says how much it may swivel.
    """
    start, was = p[:, limb.upper], before[:, limb.lower]
    bone = rotations.rotate(solved.upper, p[:, limb.lower] - start)
    if len(was) < 4 or not _jolts(was, start + bone, motion.rate):
        return solved
    length = float(full_reach(limb, p).mean())
    aside = cross(unit(solved.end - start), bone)
    angle = knee_swivels(was / length, (start + bone - was) / length, aside / length, share[:, None], motion)
    return swivel_limb(limb, p, solved, angle)


def _jolts(was: Floats, now: Floats, rate: float) -> bool:
    """Whether a joint's velocity changes anywhere much more from frame to frame than it did around there."""
    old, new = (norms(np.diff(path, 2, axis=0)) * rate for path in (was, now))
    radius = max(round(AROUND * rate), 3)
    around = np.lib.stride_tricks.sliding_window_view(np.pad(old, radius), 2 * radius + 1).max(axis=1)
    return bool((new > 1.5 * around + JOLT).any())


# Orientation


def orientation_share(motion: Motion, end: str, along: Floats, kept: Floats, active: Bools) -> Floats:
    """``(T,)`` how far from ``along`` to ``kept`` an end's joint rotates, with ease and within its limits.

    Both are its local rotations ``(T, 4)``: going along with the limb, and with its orientation in the world kept. A
    joint that exceeds a limit already may stay there.
    """
    ease = _ease_share(rotations.angle_between(along, kept))
    if not all(role in motion.skeleton.roles for role in NEEDED) or not active.any():
        return ease
    every = max(round(SAMPLING * motion.rate), 1)
    frames = np.unique(np.append(np.flatnonzero(active)[::every], np.flatnonzero(active)[-1]))
    joint = _end_joint(motion.skeleton, end)
    excess = _excess_at_shares(joint, end, motion.rotations[frames], along[frames], kept[frames])
    past = excess - excess[0] > TOLERANCE
    # The last share before the first that is past; between two shares a joint may be past its limits by more.
    last = np.maximum(np.argmax(past, axis=0) - 1, 0)
    share = np.where(past.any(axis=0), SHARES[last], 1.0)
    if share.min() == 1.0:
        return ease
    given_up = np.interp(np.arange(len(motion)), frames, 1.0 - share)
    return np.asarray(np.minimum(ease, 1.0 - smooth_envelope(given_up, ORIENTATION_EASING, motion.rate)))


def _ease_share(angle: Floats) -> Floats:
    """The fraction ``(T,)`` of an angle by which a joint rotates: 1 for small angles, less for large ones."""
    free, most = EASE
    past = np.maximum(angle - free, 0.0) / (most - free)
    return np.asarray(np.where(past > 0.0, (free + (most - free) * -np.expm1(-past)) / np.maximum(angle, 1e-9), 1.0))


class _EndJoint(NamedTuple):
    """An end's joint with what its limits are measured against."""

    body: Skeleton
    path: list[int]  # the skeleton's joints from below the lower bone down to the end
    rows: list[int]  # the same in ``body``


def _excess_at_shares(joint: _EndJoint, end: str, local: Floats, along: Floats, kept: Floats) -> Floats:
    """``(S, N)`` radians by which the end's joint exceeds its limits, at each of ``SHARES``, in one call for all."""
    q = rotations.identity(len(SHARES), len(local), len(joint.body))
    q[:, :, joint.rows] = local[:, joint.path]
    q[:, :, joint.body.roles[end]] = rotations.slerp(along, kept, np.broadcast_to(SHARES[:, None], q.shape[:2]))
    excess = limit_excess(Motion(joint.body, 1.0, freeze(q.reshape(-1, *q.shape[2:]))))
    return excess[end].reshape(q.shape[:2]) if end in excess else np.zeros(q.shape[:2])


_known: WeakKeyDictionary[Skeleton, dict[str, _EndJoint]] = WeakKeyDictionary()


def _end_joint(skeleton: Skeleton, end: str) -> _EndJoint:
    known = _known.setdefault(skeleton, {})
    if end not in known:
        known[end] = _make_end_joint(skeleton, end)
    return known[end]


def _make_end_joint(skeleton: Skeleton, end: str) -> _EndJoint:
    """A skeleton of only the joints that the limits of the limb's end need."""
    side, part = side_and_part(end)
    lower = side + PARTS[part][1]
    needed = [*NEEDED, lower, side + ("MiddleProximal" if part == "Hand" else "Toes")]
    roles = [role for role in needed if role in skeleton.roles]
    own, path = [skeleton.roles[role] for role in roles], [skeleton.roles[end]]
    while int(skeleton.parents[path[0]]) not in (skeleton.roles[lower], -1):
        path.insert(0, int(skeleton.parents[path[0]]))
    q, p = skeleton.rest_world()
    rows = list(range(len(own), len(own) + len(path)))
    body = Skeleton(
        tuple(skeleton.names[joint] for joint in own + path),
        np.array([-1] * len(own) + [own.index(skeleton.roles[lower]), *rows[:-1]]),
        np.concatenate([p[own], skeleton.offsets[path]]),
        np.concatenate([q[own], skeleton.rest_rotations[path]]),
        {**{role: i for i, role in enumerate(roles)}, end: rows[-1]},
    )
    return _EndJoint(body, path, rows)
