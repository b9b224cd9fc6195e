"""Balance: the centre of mass goes where it is asked over the feet, by ankles, knees and hips; feet stay.

Hips are moved until the centre of mass is there: each round moves them by what is missing, over what a metre of the
hips moves it. Shares are of half the support, seen from above: to the outer edges of both soles and to heels and toes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from kinesphere.body.body import Body
from kinesphere.body.joint_subset import joint_subset
from kinesphere.body.mass import foot_corners, outer_corners, support_margins
from kinesphere.engine.recorded_poses import body_frame
from kinesphere.engine.recording_context import KeptPose, PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.give_way import held_places, share_given_up
from kinesphere.engine.shaping.lean import lean_shares
from kinesphere.engine.shaping.step_out import StepsOut, steps_out
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, smooth_envelope
from kinesphere.maths.kinematics import attached_points, forward_some
from kinesphere.maths.vectors import Floats, clip, norms
from kinesphere.motion.errors import MotionFileWarning, warn_caller

GAIN = 0.85  # metres that the centre of mass goes with a metre of the hips, about
ROUNDS, MISSED = 4, 0.001  # and metres that may be missed
SUPPORT_SMOOTH = 0.4  # seconds of σ of the support: it does not change with every step
MOST = (0.6, 1.8)  # of how large the support of who stands with feet below the hips is, that it may be
WALKS = 0.55  # left of what is asked for while walking: each foot comes below the body by itself
BRIEF = 0.15  # seconds outside of the support that are told
SLACK = 0.002  # metres
KEEPS = 0.012  # leg lengths from the edge of the support that who leans keeps
GIVES = 0.25  # seconds before and after in which who leans goes less far
LEVEL = np.array([1.0, 0.0, 1.0])
COMES = 0.12  # seconds of σ in which hips go aside


def asks_balance(asked: AskedShaping) -> bool:
    """Whether the centre of mass is asked to be elsewhere."""
    return asked.asks("balance.x", "balance.z", "lean")


class Placed(Protocol):
    """Poses with hips moved aside, and feet where they stand or step out to."""

    def __call__(self, aside: Floats, out: StepsOut | None = None) -> tuple[Floats, Floats]: ...


def shift_balance(
    context: PerformanceContext,
    asked: AskedShaping,
    kept: KeptPose,
    placed: Placed,
    over: Floats | None = None,
) -> tuple[Floats, StepsOut | None]:
    """``(T, 3)`` metres by which hips go for the centre of mass to be where it is asked, and steps that this takes.

    ``over (T, 3)`` is where the centre of mass would be without what is asked, where trunks lean.
    """
    aside = np.zeros((context.clock.frames, 3))
    poses = placed(aside)
    before, plain = mass_centres(context.body, *poses) if over is None else over, context.world(*poses)
    left, ahead, half, corners = _support(context, *poses)
    free = context.stands * (1.0 - context.flying) * (1.0 - (1.0 - WALKS) * context.walking)

    def way_of(shares: Floats) -> Floats:
        own = gaussian(shares * free[:, None] * half, COMES * context.rate, ends="reflect")
        return own[:, :1] * left + own[:, 1:] * ahead

    shares = np.stack([asked.curve("balance.x"), asked.curve("balance.z")], axis=1)
    inside = clip(shares, -1.0, 1.0)  # who is asked to stand within the support stands there, wherever the weight was
    way = _as_supported(context, corners, before, way_of(inside)) + way_of(shares - inside)
    if asked.asks("lean"):
        way = way + _as_supported(context, corners, before + way, way_of(lean_shares(context, asked, plain)))
    out = None
    if asked.asks("balance.step"):
        out = steps_out(context, corners, left, (before + way)[:, [0, 2]], asked.curve("balance.step"))
        way = way if out is None else way + out.loads
    for i in range(ROUNDS):
        if i or out is not None:
            poses = placed(aside, out)
        missing = (before + way - mass_centres(context.body, *poses)) * LEVEL
        if norms(missing).max() < MISSED:
            break
        aside = aside + gaussian(missing, 0.02 * context.rate, ends="reflect") / GAIN
    poses = placed(aside, out)
    given_up = _within_reach(context, kept, plain, context.world(*poses))
    if given_up.any():
        aside = aside * (1.0 - given_up[:, None])
        poses = placed(aside, out)
    _tell_falls(context, corners, before, poses, out)
    return aside, out


def _as_supported(context: PerformanceContext, corners: Floats, start: Floats, way: Floats) -> Floats:
    """``(T, 3)`` ways of the centre of mass from its start, as far as the support goes: who leans keeps standing."""
    every, keep = np.ones(corners.shape[:2], dtype=np.bool_), KEEPS * context.detail.poses.leg_length
    stands = (1.0 - context.walking) * context.stands * (1.0 - context.flying)
    share = np.ones(len(way))
    first = support_margins(corners, every, start[:, [0, 2]])
    for _ in range(ROUNDS):  # margins are concave along a line: what is between is no less than the chord
        left = support_margins(corners, every, (start + share[:, None] * way)[:, [0, 2]])
        short = left < keep
        room = clip((first - keep) / np.maximum(first - left, 1e-9), 0.0, 1.0)
        share = np.where(short, share * room, share)
    given_up = smooth_envelope((1.0 - share) * stands, GIVES, context.rate)
    return np.asarray((1.0 - clip(given_up, 0.0, 1.0))[:, None] * way)


def _within_reach(context: PerformanceContext, kept: KeptPose, plain: RecordedWorld, shifted: RecordedWorld) -> Floats:
    """``(T,)`` how much less hips go aside for hands to reach their goals in the world."""
    hips = context.roles["hips"]
    way = shifted.p(hips) - plain.p(hips)
    places = held_places(context, kept.world, kept.local)
    return share_given_up(context, places, plain, lambda share: plain.moved((1.0 - share[:, None]) * way))


def mass_centres(body: Body, local: Floats, translations: Floats) -> Floats:
    """``(T, 3)`` the centre of mass of poses ``(T, J, 4)``, ``(T, J, 3)``."""
    parts = body.mass
    subset = joint_subset(body.skeleton, [part.joint for part in parts])
    q, p = forward_some(local, translations, subset.joints, subset.parents)
    rows = np.array([subset.rows[part.joint] for part in parts], dtype=np.intp)
    centres = attached_points(q, p, rows, np.array([part.offset for part in parts]))
    return np.asarray(np.einsum("s,tsi->ti", np.array([part.mass for part in parts]), centres))


def _support(context: PerformanceContext, local: Floats, translations: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Directions to the left and ahead ``(T, 3)``, half the support in both ``(T, 2)``, and its corners ``(T, C, 2)``.

    Of who walks it is that of somebody who stands with feet below the hips.
    """
    body, rate = context.body, context.rate
    hips, soles = context.roles["hips"], body.soles
    subset = joint_subset(body.skeleton, [hips, *(sole.joint for sole in soles)])
    q, p = forward_some(local, translations, subset.joints, subset.parents)
    turned = rotations.multiply(q[:, subset.rows[hips]], body_frame(body, hips))
    facing = rotations.rotate(turned, np.array([0.0, 0.0, 1.0])) * np.array([1.0, 0.0, 1.0])
    facing = gaussian(facing, SUPPORT_SMOOTH * rate, ends="reflect")
    ahead = facing / np.maximum(norms(facing), 1e-9)[:, None]
    left = np.stack([ahead[:, 2], np.zeros(len(ahead)), -ahead[:, 0]], axis=1)
    rows = np.array([subset.rows[sole.joint] for sole in soles], dtype=np.intp)
    points = attached_points(q, p, rows, np.array([sole.offset for sole in soles]))
    corners, _ = foot_corners(
        body.skeleton, points, dict.fromkeys((sole.name for sole in soles), np.ones(len(points), dtype=np.bool_))
    )
    corners = outer_corners(corners)
    spans = [np.einsum("tci,ti->tc", corners, axis[:, [0, 2]]) for axis in (left, ahead)]
    half = np.stack([0.5 * np.ptp(span, axis=1) for span in spans], axis=1)
    length = context.detail.poses.leg_length
    usual = np.array([0.19, 0.15]) * length
    half = clip(half, MOST[0] * usual, MOST[1] * usual)
    half = half + context.walking[:, None] * (usual - half)
    return left, ahead, gaussian(half, SUPPORT_SMOOTH * rate, ends="reflect"), corners


def _tell_falls(
    context: PerformanceContext, corners: Floats, before: Floats, poses: tuple[Floats, Floats], out: StepsOut | None
) -> None:
    """Warn where the centre of mass leaves the support that it was over, but for moments of a step."""
    every = np.ones(corners.shape[:2], dtype=np.bool_)
    was = support_margins(corners, every, before[:, [0, 2]])
    standing = corners if out is None else _support(context, *poses)[3]
    now = support_margins(standing, every, mass_centres(context.body, *poses)[:, [0, 2]])
    falls = (now < -SLACK) & (was > 0.0) & (context.walking < 0.5) & (context.stands > 0.5) & (context.flying < 0.5)
    if out is not None:
        falls &= ~out.swinging
    if falls.sum() < BRIEF * context.rate:
        return
    rows = np.flatnonzero(falls)
    first, last = context.span(rows)
    warn_caller(
        f"{context.phrase.name or 'the body'} loses its balance: from {first:.2f} to {last:.2f} s its centre of mass "
        f"is up to {-1000.0 * now[rows].min():.0f} mm beyond its feet; a smaller balance shift, or a step, keeps it up",
        MotionFileWarning,
    )
