"""How far a wrist or an ankle can go for a hand or foot that keeps its orientation while the limb turns under it."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.limb_parts import PARTS, side_and_part
from kinesphere.body.limb_rounding import rounded_up
from kinesphere.body.limits import NEEDED, limit_excess
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

SHARES = np.linspace(0.0, 1.0, 13)
EVERY = 0.08  # seconds between frames that are looked at
ROUND = 0.15  # seconds over which keeping comes and goes
EASE = (float(np.radians(20.0)), float(np.radians(45.0)))  # that a joint is turned freely, and at most
SLACK = float(np.radians(0.1))  # past a limit that nobody sees


def kept_share(motion: Motion, end: str, along: Floats, kept: Floats, active: Bools) -> Floats:
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
    return np.asarray(np.minimum(whole, 1.0 - rounded_up(given_up, ROUND, motion.rate)))


def _at_ease(angle: Floats) -> Floats:
    """How much of an angle a joint is turned by itself: all of a small one, and of a large one not much more."""
    free, most = EASE
    past = np.maximum(angle - free, 0.0) / (most - free)
    return np.asarray(np.where(past > 0.0, (free + (most - free) * -np.expm1(-past)) / np.maximum(angle, 1e-9), 1.0))


def _past(joint: _Joint, end: str, local: Floats, along: Floats, kept: Floats) -> Floats:
    """``(S, N)`` radians past its limits that the end's joint is, at each of ``SHARES``."""
    count = len(local)
    q = rotations.identity(len(SHARES), count, len(joint.body))
    q[:, :, joint.rows] = local[:, joint.path]
    q[:, :, joint.body.roles[end]] = rotations.slerp(along, kept, np.broadcast_to(SHARES[:, None], q.shape[:2]))
    excess = limit_excess(Motion(joint.body, 1.0, frozen(q.reshape(-1, *q.shape[2:]))))
    return excess[end].reshape(len(SHARES), count) if end in excess else np.zeros(q.shape[:2])


class _Joint(NamedTuple):
    """An end's joint with what its limits are measured against."""

    body: Skeleton
    path: list[int]  # the skeleton's joints from below the bone that it hangs on
    rows: list[int]  # and the same in this body


_alone: WeakKeyDictionary[Skeleton, dict[str, _Joint]] = WeakKeyDictionary()


def _joint_alone(skeleton: Skeleton, end: str) -> _Joint:
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
        known[end] = _Joint(body, path, rows)
    return known[end]
