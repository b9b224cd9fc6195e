"""Which moment of a movement each joint shows: delays along the body (succession), envelopes of strokes.

Legs and hips show the body's own moments, so that feet stay where they stand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.engine.recorded_frames import show_other_moments
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping, joints_by_role
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, clip, norms, smootherstep
from kinesphere.motion.claim import Claim
from kinesphere.motion.envelope import Envelope
from kinesphere.motion.humanoid import GROUPS, ROLES

FIXED = frozenset((*GROUPS["legs"], "hips"))  # roles that show the body's moments
EASES_IN = 3.0  # times a delay: seconds at both ends in which it comes and goes
ROUND = 0.02  # seconds of σ, over which moments and ways beyond goals are smoothed
PLAIN = 0.12  # of a path's progress that is taken as even: a path that rests has no moment for what goes on
STILL = 1e-9


def shape_moments(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Let each joint show its own moment, in poses ``(T, J, 4)`` that are changed in place."""
    if not asked.asks("delay", "envelope"):
        return
    delays, owned = asked.by_role("delay"), joints_by_role(context.body)
    groups: dict[tuple[int, tuple[int, ...], str], list[str]] = {}
    for role in ROLES:
        if role in FIXED or role not in context.roles:
            continue
        ranked = asked.claims.ranked("envelope", role)
        if role in delays or ranked:
            key = id(delays.get(role)), tuple(id(own) for own in ranked), leader_of(context, role)
            groups.setdefault(key, []).append(role)
    motion = context.detail.poses.motion
    for (_, _, leader), roles in groups.items():
        delay = delays.get(roles[0], np.zeros(context.clock.frames))
        ranked = asked.claims.ranked("envelope", roles[0])
        moments, beyond = _enveloped(context, asked, leader, ranked) if ranked else (context.clock.time, None)
        moments = _delayed(moments, delay, context.rate)
        joints = np.array(sorted(joint for role in roles for joint in owned[role]))
        own_clock = context.arm_clocks.get(leader, context.clock)
        show_other_moments(motion, joints, own_clock.to_source(moments), local)
        if beyond is not None and np.abs(beyond[0]).max() > STILL:
            later = np.interp(_delayed(context.clock.time, delay, context.rate), context.clock.time, beyond[0])
            _go_beyond(context, leader, joints, later, local)


def leader_of(context: PerformanceContext, role: str) -> str:
    """The arm whose strokes a joint makes: left, right, or else nobody's but the body's."""
    side = "left" if role.startswith("left") else "right" if role.startswith("right") else ""
    return side if side in context.hands and not role.endswith("Eye") else ""


def _delayed(moments: Floats, delay: Floats, rate: float) -> Floats:
    """Moments ``(T,)`` that come later by ``delay (T,)`` seconds, which comes at the start and goes at the end."""
    if not delay.any():
        return moments
    time = np.arange(len(moments)) / rate
    ramp = np.maximum(EASES_IN * np.abs(delay), 1.0 / rate)
    comes = smootherstep(time / ramp) * smootherstep((time[-1] - time) / ramp)
    return np.asarray(np.interp(clip(time - delay * comes, 0.0, time[-1]), time, moments))


def strokes_of(context: PerformanceContext, leader: str) -> tuple[Floats, Floats]:
    """Edges of strokes ``(S + 1,)`` in performed seconds, and the path ``(T, 3)`` that they go."""
    if leader:
        hand = context.hands[leader]
        return hand.edges, hand.path
    clock, poses = context.clock, context.detail.poses
    away = poses.position("head") - poses.position("hips")
    path = np.stack([context.shown(column) for column in away.T], axis=1)
    return clock.to_output(context.detail.strokes.edges), path


def _enveloped(
    context: PerformanceContext, asked: AskedShaping, leader: str, ranked: Sequence[Claim]
) -> tuple[Floats, tuple[Floats, ...]]:
    """Moments ``(T,)`` that envelopes ask for, and how far ``(T,)`` strokes go beyond their ends, as shares of them."""
    edges, path = strokes_of(context, leader)
    time, moments = context.clock.time, context.clock.time.copy()
    beyond = np.zeros(len(time))
    weights = [asked.weight(own) for own in ranked]
    for start, end in zip(edges[:-1], edges[1:], strict=True):
        rows = np.flatnonzero((time >= start) & (time <= end))
        if len(rows) < 3:
            continue
        middle = rows[len(rows) // 2]
        progress = _progress(path[rows])
        share = (time[rows] - start) / (end - start)
        space = progress
        for own, weight in zip(ranked, weights, strict=True):
            assert isinstance(own.value, Envelope)
            space = space + weight[middle] * (own.value(share) - space)
        moments[rows] = np.interp(clip(space, 0.0, 1.0), progress, time[rows])
        beyond[rows] = space - clip(space, 0.0, 1.0)
    calm = gaussian(np.column_stack([moments, beyond]), ROUND * context.rate, ends="reflect")
    return calm[:, 0], (calm[:, 1],)


def _progress(path: Floats) -> Floats:
    """``(N,)`` from 0 to 1: how far a path ``(N, 3)`` has gone, strictly increasing."""
    even = np.linspace(0.0, 1.0, len(path))
    gone = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
    if gone[-1] < STILL:
        return even
    return np.asarray((1.0 - PLAIN) * gone / gone[-1] + PLAIN * even)


def _go_beyond(
    context: PerformanceContext, leader: str, joints: Sequence[int] | Floats, beyond: Floats, local: Floats
) -> None:
    """Turn joints on beyond the ends of their strokes, or back before them, by shares ``(T,)`` of how far these go."""
    edges, _ = strokes_of(context, leader)
    time, rate = context.clock.time, context.rate
    frames = np.clip(np.round(edges * rate).astype(np.intp), 0, len(time) - 1)
    shown = context.detail.poses.motion
    first, last = (
        np.clip(np.round(context.clock.source[rows] * shown.rate).astype(np.intp), 0, len(shown) - 1)
        for rows in (frames[:-1], frames[1:])
    )
    stroke = np.clip(np.searchsorted(frames, np.arange(len(time)), side="right") - 1, 0, len(first) - 1)
    rows = np.flatnonzero(np.abs(beyond) > STILL)
    for joint in np.asarray(joints, dtype=np.intp).tolist():
        a, b = shown.rotations[first, joint], shown.rotations[last, joint]
        turns = rotations.to_rotation_vector(rotations.multiply(rotations.conjugate(a), b))
        more = rotations.from_rotation_vector(beyond[rows, None] * turns[stroke[rows]])
        local[rows, joint] = rotations.multiply(local[rows, joint], more)
