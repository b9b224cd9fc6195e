"""Incomplete strokes: joints go a share of their way from where a limb rests, and return from there.

Where it rests between strokes a limb is as it was: hands that hang, and whatever is near where it began or ended. From
one such moment to the next a base pose goes as smoothly as can be, and how far joints are from it is made less. Arms
that swing while they hang rest in the middle of their swing.
"""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping, joints_by_role
from kinesphere.engine.shaping.moments import FIXED, leader_of, strokes_of
from kinesphere.maths import rotations
from kinesphere.maths.rotation_curves import turns_from
from kinesphere.maths.vectors import Bools, Floats, clip, norms, smootherstep

NEAR = 0.25  # of the farthest that a limb goes from where it begins or ends: what is nearer is at rest
STILL = 1e-9  # of a share


def shorten_strokes(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Let joints go a share of their way, in poses ``(T, J, 4)`` that are changed in place."""
    shares = {role: own for role, own in asked.by_role("complete").items() if role not in FIXED}
    if not any(np.abs(own - 1.0).max() > STILL for own in shares.values()):
        return
    owned, rests = joints_by_role(context.body), {}
    for role, share in shares.items():
        leader = leader_of(context, role)
        if leader not in rests:
            rests[leader] = _rests(context, leader)
        frames, swings = rests[leader]
        for joint in owned[role]:
            turns = rotations.continuous(local[:, joint])
            base = _base(turns, frames, swings)
            away = turns_from(base, turns)
            local[:, joint] = rotations.multiply(base, rotations.from_rotation_vector(share[:, None] * away))


def _rests(context: PerformanceContext, leader: str) -> tuple[list[int], Bools]:
    """Frames in which a limb rests, in order, and whether it swings there from one such moment to the next."""
    edges, path = strokes_of(context, leader)
    last = len(path) - 1
    frames = clip(np.round(edges * context.rate).astype(np.intp), 0, last)
    frames = np.unique(np.concatenate([[0], frames, [last]]))
    far = np.minimum(norms(path - path[0]), norms(path - path[-1]))
    rests = far[frames] <= NEAR * max(float(far.max()), 1e-9)
    if leader:
        rests |= context.hands[leader].hangs[frames] > 0.5
    rests[0] = rests[-1] = True
    swings = np.zeros(len(frames), dtype=np.bool_)
    swings[1:-1] = rests[:-2] & rests[1:-1] & rests[2:]
    return frames[rests].tolist(), swings[rests]


def _base(turns: Floats, frames: list[int], swings: Bools) -> Floats:
    """``(T, 4)`` the pose of a joint that only goes from rest to rest."""
    poses = turns[frames].copy()
    for i in np.flatnonzero(swings).tolist():
        poses[i] = 0.25 * turns[frames[i - 1]] + 0.5 * turns[frames[i]] + 0.25 * turns[frames[i + 1]]
    poses = rotations.normalise(poses)
    at = np.arange(len(turns))
    k = np.clip(np.searchsorted(frames, at, side="right") - 1, 0, max(len(frames) - 2, 0))
    first, end = np.array(frames)[k], np.array(frames)[np.minimum(k + 1, len(frames) - 1)]
    share = smootherstep((at - first) / np.maximum(end - first, 1))
    return rotations.slerp(poses[k], poses[np.minimum(k + 1, len(frames) - 1)], share)
