"""Lean: trunks lean to something or recoil from it, to any side, and the centre of mass goes along over the feet.

Who leans ahead bends hips and spine and stretches the neck; what is at a side is leant to by bends aside. Who recoils
takes hips and the lower spine back, hollows the chest and draws the head in. The face looks where it looked, nearly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinesphere.engine.recorded_limbs import turn_joints
from kinesphere.engine.recorded_poses import body_frame
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.give_way import give_way
from kinesphere.engine.shaping.places import place_in_world
from kinesphere.engine.shaping.spine import SEGMENTS
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, norms, smoothstep
from kinesphere.motion.errors import MotionFileWarning, warn_caller
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.look import AHEAD, GOAL, Place, place_of


class _Bends(NamedTuple):
    """Radians of who leans all the way."""

    hips: float
    lower: float
    middle: float
    upper: float
    neck: float  # forward, while the head stays upright


TOWARD, TOWARD_ASIDE = _Bends(0.17, 0.12, 0.08, 0.04, 0.10), _Bends(0.05, 0.11, 0.11, 0.09, 0.0)
RECOIL, RECOIL_ASIDE = _Bends(0.10, 0.13, 0.0, -0.24, 0.36), _Bends(0.04, 0.10, 0.09, 0.05, 0.10)
SHARE, BACK_SHARE = 0.60, 0.55  # of half the support, that the centre of mass goes: toward, and back
BACKWARD = 0.5  # of a lean to what is behind: spines bend back less
FACE = 0.8  # of the trunk's bends that neck and head take back
BEHIND = -0.5  # cosine of the direction from which on a lean is one to behind
TURNS = 0.3  # seconds of σ in which the trunk's heading is followed
CLOSE = 0.10  # metres from above the hips: what is nearer has no direction
NEXT = 0.4  # seconds from a goal in which the one before is half forgotten
LEVEL = np.array([1.0, 0.0, 1.0])
BRIEF, HOLDS = 0.25, 0.5  # seconds, and share of a lean, of what is told


def lean_trunk(
    context: PerformanceContext, asked: AskedShaping, before: RecordedWorld, local: Floats, translations: Floats
) -> None:
    """Bend hips, spine, neck and head of poses ``(T, J, 4)``, in place, as far as hands then reach their goals."""
    upright = local.copy()
    away = _leans(context, asked, context.world(local, translations)) * context.upright[:, None]
    amount = np.sign(asked.curve("lean"))[:, None]
    _tell_behind(context, away, asked.curve("lean"))
    to, back = np.where(amount > 0.0, away, 0.0), np.where(amount < 0.0, away, 0.0)
    to[:, 1] *= np.where(to[:, 1] < 0.0, BACKWARD, 1.0)
    back[:, 1] *= np.where(back[:, 1] > 0.0, BACKWARD, 1.0)

    def bend(name: str) -> Floats:
        """``(T, 3)`` of one segment."""
        aside = to[:, 0] * getattr(TOWARD_ASIDE, name) + back[:, 0] * getattr(RECOIL_ASIDE, name)
        ahead = to[:, 1] * getattr(TOWARD, name) + back[:, 1] * getattr(RECOIL, name)
        return np.stack([ahead, np.zeros(len(ahead)), -aside], axis=1)

    made = {context.roles["hips"]: bend("hips")}
    for segment, roles in SEGMENTS.items():
        role = next((role for role in roles if role in context.roles), "hips")
        joint = context.roles[role]
        made[joint] = made[joint] + bend(segment) if joint in made else bend(segment)
    taken = -FACE * np.sum([*made.values()], axis=0)
    neck, head = context.roles.get("neck"), context.roles["head"]
    if neck is None:
        made[head] = taken
    else:
        made[neck], made[head] = 0.5 * taken + bend("neck"), 0.5 * taken - bend("neck")
    joints = np.array(sorted(made))
    frames = np.array([body_frame(context.body, joint) for joint in joints.tolist()])
    turn_joints(joints, frames, np.stack([made[joint] for joint in joints.tolist()], axis=1), local)
    give_way(context, before, upright, local, translations)


def lean_shares(context: PerformanceContext, asked: AskedShaping, world: RecordedWorld) -> Floats:
    """``(T, 2)`` of half the support, to the left and ahead, by which the centre of mass goes along with a lean."""
    if not asked.asks("lean"):
        return np.zeros((context.clock.frames, 2))
    most = np.where(asked.curve("lean") > 0.0, SHARE, BACK_SHARE)
    return most[:, None] * _leans(context, asked, world)


def _leans(context: PerformanceContext, asked: AskedShaping, world: RecordedWorld) -> Floats:
    """``(T, 2)`` how far the body leans to the left and ahead of its heading."""
    hips = context.roles["hips"]
    turned = rotations.multiply(world.q(hips), body_frame(context.body, hips))
    ahead = gaussian(rotations.rotate(turned, np.array([0.0, 0.0, 1.0])) * LEVEL, TURNS * context.rate, ends="reflect")
    ahead = ahead / np.maximum(norms(ahead), 1e-9)[:, None]
    left = np.stack([ahead[:, 2], np.zeros(len(ahead)), -ahead[:, 0]], axis=1)
    way = np.array(ahead)
    for claim in asked.claims.ranked("lean.to"):
        own = _direction(context, claim.value, world.p(hips), ahead)
        way += asked.weight(claim)[:, None] * (own - way)
    amount = asked.curve("lean")
    return np.asarray(amount[:, None] * np.stack([np.einsum("ti,ti->t", way, axis) for axis in (left, ahead)], axis=1))


def _direction(context: PerformanceContext, target: object, hips: Floats, ahead: Floats) -> Floats:
    """``(T, 3)`` level, of length 1 or less, from the hips to what is leant to."""
    if target == AHEAD:
        return ahead
    if target != GOAL:
        assert isinstance(target, tuple)
        return _level(place_in_world(context, place_of(target, "lean.to"), hips) - hips, ahead)
    time, way, total = context.clock.source, np.zeros_like(ahead), np.zeros(len(ahead))
    for place, start, end in _goals(context):
        apart = np.maximum(np.maximum(start - time, time - end), 0.0)
        share = np.exp2(-apart / NEXT)
        way += share[:, None] * _level(np.array(place) - hips, ahead)
        total += share
    if not total.any():
        return ahead
    return np.asarray(way / np.maximum(total, 1e-12)[:, None])


def _goals(context: PerformanceContext) -> list[tuple[Place, float, float]]:
    """Places that hands go to, with when they are there."""
    hands = [f"{side}Hand" for side in SIDES]
    made = [(own.target, own.start, own.end) for own in context.phrase.goals if own.role in hands]
    for own in context.phrase.referents:
        if own.target is not None:
            made.append((place_of(own.target, "referent"), own.start, own.end))
    return made


def _level(away: Floats, ahead: Floats) -> Floats:
    """``(T, 3)`` level directions of what is away; what is above or below is ahead."""
    level = away * LEVEL
    far = norms(level)
    known = smoothstep(far / CLOSE)[:, None]
    return np.asarray(known * level / np.maximum(far, 1e-6)[:, None] + (1.0 - known) * ahead)


def _tell_behind(context: PerformanceContext, leans: Floats, amount: Floats) -> None:
    """Warn where somebody shall lean to what is behind."""
    rows = np.flatnonzero((amount > HOLDS) & (leans[:, 1] < BEHIND * amount))
    if len(rows) < BRIEF * context.rate:
        return
    first, last = context.span(rows)
    warn_caller(
        f"{context.phrase.name or 'the body'} leans to what is behind it, from {first:.2f} to {last:.2f} s: only half "
        "as far as it leans to what is ahead. A turn of the body, or a place ahead, lets it lean all the way",
        MotionFileWarning,
    )
