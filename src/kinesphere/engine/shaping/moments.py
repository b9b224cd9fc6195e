"""Which moment of a movement each joint shows: delays along the body (succession), envelopes of strokes.

Legs and hips show the body's own moments, so that feet stay where they stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.engine.detail import REST_LEADS
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_frames import show_other_moments
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping, joints_by_role
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Floats, Ints, clip, norms, smootherstep, smoothstep
from kinesphere.motion.claim import Claim
from kinesphere.motion.envelope import Envelope
from kinesphere.motion.humanoid import GROUPS, ROLES
from kinesphere.motion.memo import memoised

FIXED = frozenset((*GROUPS["legs"], "hips"))  # roles that show the body's moments
QUICK = 0.06  # seconds of σ: what is quicker than that in joints is noise, or cancels noise
EASES_IN = 3.0  # times a delay: seconds at both ends in which it comes and goes
ROUND = 0.02  # seconds of σ, over which moments and ways beyond goals are smoothed
PLAIN = 0.12  # of a path's progress that is taken as even: a path that rests has no moment for what goes on
QUICKEST = 75.0  # arm lengths a second squared that an envelope adds at most: short strokes take less of it
HOLDS = (0.03, 0.08)  # arm lengths that a hand goes between stops, from which on it comes to have an envelope
ROUNDS, AROUND = 5, 3  # of finding how much; frames around strokes
STILL = 1e-9


def shape_moments(context: PerformanceContext, asked: AskedShaping, local: Floats, translations: Floats) -> None:
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
    takes = _takes(context, asked, groups, local, translations)
    motion = context.detail.poses.motion
    shaped: dict[tuple[str, tuple[int, ...]], tuple[Floats, Floats]] = {}
    for (_, own_claims, leader), roles in groups.items():
        delay = delays.get(roles[0], np.zeros(context.clock.frames))
        moments, beyond = context.clock.time, None
        if own_claims:
            if (leader, own_claims) not in shaped:
                ranked = asked.claims.ranked("envelope", roles[0])
                shaped[leader, own_claims] = _enveloped(context, asked, leader, ranked, takes[leader])
            moments, beyond = shaped[leader, own_claims]
        joints = np.array(sorted(joint for role in roles for joint in owned[role]))
        own_clock = context.arm_clocks.get(leader, context.clock)
        show_other_moments(motion, joints, own_clock.to_source(moments), local)
        if delay.any():
            for joint in joints.tolist():
                local[:, joint] = _delayed_turns(local[:, joint], delay, context)
        if beyond is not None and np.abs(beyond).max() > STILL:
            later = np.interp(_delayed(context.clock.time, delay, context.rate), context.clock.time, beyond)
            _go_beyond(context, leader, joints, later, local)


def _delayed_turns(shown: Floats, delay: Floats, context: PerformanceContext) -> Floats:
    """``(T, 4)`` rotations of a joint that come later; of captures but for what is quick in them, which does not.

    In captures the noise of the hips is taken back by the spine in the same frame, that of the chest by the arms, and
    a turn of a straight arm by its forearm.
    """
    turns, at = rotations.continuous(shown), _delayed(context.clock.time, delay, context.rate) * context.rate
    if context.detail.generated:
        return rotations.normalise(cubic_rows_at(turns, at))
    smooth = gaussian(turns, QUICK * context.rate, ends="reflect")
    quick = rotations.multiply(rotations.conjugate(rotations.normalise(smooth)), shown)
    return rotations.multiply(rotations.normalise(cubic_rows_at(smooth, at)), quick)


def _takes(
    context: PerformanceContext,
    asked: AskedShaping,
    groups: Mapping[tuple[int, tuple[int, ...], str], list[str]],
    local: Floats,
    translations: Floats,
) -> dict[str, Floats]:
    """By leader: how much ``(S,)`` of its envelopes each stroke takes, so that no limb is quicker than a body can be.

    All joints of a limb take as much.
    """
    made: dict[str, Floats] = {}
    limbs: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for (_, own_claims, leader), roles in groups.items():
        made.setdefault(leader, strokes_made(context, leader))
        if own_claims:
            limbs.setdefault((leader, own_claims), []).extend(roles)
    for (leader, _), roles in limbs.items():
        if not all("Eye" in role for role in roles):
            joints = np.array(sorted(context.roles[role] for role in roles))
            ranked = asked.claims.ranked("envelope", roles[0])
            found = _possible(context, asked, leader, ranked, joints, local, translations)
            made[leader] = np.minimum(made[leader], found)
    return made


def _possible(
    context: PerformanceContext,
    asked: AskedShaping,
    leader: str,
    ranked: Sequence[Claim],
    joints: Ints,
    local: Floats,
    translations: Floats,
) -> Floats:
    """``(S,)`` how much of its envelopes each stroke takes, of some joints in poses ``(T, J, 4)``."""
    motion, clock = context.detail.poses.motion, context.arm_clocks.get(leader, context.clock)
    edges, _ = strokes_of(context, leader)
    frames = np.round(edges * context.rate).astype(np.intp).tolist()
    ends = [context.roles[role] for role in ((f"{leader}Hand",) if leader else ("head", "leftHand", "rightHand"))]
    length, source = context.detail.poses.arm_length, clock.to_source(context.clock.time)

    def accelerations(moments: Floats, strokes: Ints) -> Floats:
        """``(T, E)`` of limbs' ends around some strokes; nothing elsewhere."""
        wanted = np.zeros(len(local), dtype=np.bool_)
        for k in strokes.tolist():
            wanted[max(frames[k] - AROUND - 1, 0) : frames[k + 1] + AROUND + 2] = True
        rows = np.flatnonzero(wanted)
        shown = local[rows]
        show_other_moments(motion, joints, source[rows] if moments is time else clock.to_source(moments[rows]), shown)
        world = context.world(shown, translations[rows])
        made, places = np.zeros((len(local), len(ends))), np.zeros((len(local), 3))
        for k, end in enumerate(ends):
            places[rows] = world.p(end)
            made[1:-1, k] = norms(np.diff(places, 2, axis=0)) * context.rate**2 / length
        return made

    time, takes = context.clock.time, strokes_made(context, leader)
    left = _asked_strokes(context, asked, leader, ranked, takes)
    if not len(left):
        return takes
    plain = accelerations(time, left)
    for _ in range(ROUNDS):
        moments, _ = _enveloped(context, asked, leader, ranked, takes)
        now, over = accelerations(moments, left), list[int]()
        for k in left.tolist():
            rows = slice(max(frames[k] - AROUND, 0), frames[k + 1] + AROUND + 1)
            most, found = plain[rows].max(axis=0) + QUICKEST, now[rows].max(axis=0)
            share = float((most / np.maximum(found, 1e-9)).min())
            if share < 1.0:
                takes[k] *= share
                over.append(k)
        if not over:
            break
        left = np.array(over, dtype=np.intp)
    return takes


def _asked_strokes(
    context: PerformanceContext, asked: AskedShaping, leader: str, ranked: Sequence[Claim], takes: Floats
) -> Ints:
    """Which strokes envelopes are asked of."""
    weights = [asked.weight(own) for own in ranked]
    rows = stroke_rows(context, leader)
    chosen = [
        k
        for k, own in enumerate(rows)
        if own is not None and takes[k] > 0.0 and any(weight[own.middle] > 0.0 for weight in weights)
    ]
    return np.array(chosen, dtype=np.intp)


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


def strokes_made(context: PerformanceContext, leader: str) -> Floats:
    """``(S,)`` from 0 to 1: what goes somewhere, rather than holds or rests; the latter have no envelope."""
    if leader:
        gone = context.hands[leader].lengths / ARM
        return np.asarray(smoothstep((gone - HOLDS[0]) / (HOLDS[1] - HOLDS[0])))
    return np.array([float(lead != REST_LEADS) for lead in context.detail.strokes.leads])


def _enveloped(
    context: PerformanceContext, asked: AskedShaping, leader: str, ranked: Sequence[Claim], takes: Floats
) -> tuple[Floats, Floats]:
    """Moments ``(T,)`` that envelopes ask for, and how far ``(T,)`` strokes go beyond their ends, as shares of them.

    Each stroke ``takes (S,)`` a share of that.
    """
    weights = [asked.weight(own) for own in ranked]
    time, moments = context.clock.time, context.clock.time.copy()
    beyond = np.zeros(len(time))
    for own, share_taken in zip(stroke_rows(context, leader), takes.tolist(), strict=True):
        if own is None or share_taken == 0.0:
            continue
        space = own.progress
        for claim, weight in zip(ranked, weights, strict=True):
            assert isinstance(claim.value, Envelope)
            held = share_taken * weight[own.middle]
            if held:
                space = space + held * (claim.value(own.share) - space)
        if space is own.progress:
            continue
        moments[own.rows] = np.interp(clip(space, 0.0, 1.0), own.progress, time[own.rows])
        beyond[own.rows] = space - clip(space, 0.0, 1.0)
    calm = gaussian(np.column_stack([moments, beyond]), ROUND * context.rate, ends="reflect")
    return np.ascontiguousarray(calm[:, 0]), np.ascontiguousarray(calm[:, 1])


class StrokeRows(NamedTuple):
    """The frames of a stroke."""

    rows: slice
    middle: int
    share: Floats  # (N,) of its time that has passed
    progress: Floats  # (N,) of its way that has been gone


@memoised
def stroke_rows(context: PerformanceContext, leader: str) -> tuple[StrokeRows | None, ...]:
    """The frames of each stroke; None: it has hardly any."""
    edges, path = strokes_of(context, leader)
    time, made = context.clock.time, list[StrokeRows | None]()
    firsts, lasts = np.searchsorted(time, edges[:-1], side="left"), np.searchsorted(time, edges[1:], side="right")
    for start, end, first, last in zip(edges[:-1], edges[1:], firsts.tolist(), lasts.tolist(), strict=True):
        if last - first < 3:
            made.append(None)
            continue
        rows = slice(first, last)
        share = (time[rows] - start) / (end - start)
        made.append(StrokeRows(rows, first + (last - first) // 2, share, _progress(path[rows])))
    return tuple(made)


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
