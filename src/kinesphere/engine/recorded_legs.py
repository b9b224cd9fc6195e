"""Legs of a performed recording: feet stay where they stand, hips sink where legs would be too short."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.engine.channels import INDEX
from kinesphere.engine.recorded_limbs import place_limb
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.maths import rotations
from kinesphere.maths.filters import gaussian, running_maximum
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES

BALANCE = 0.40  # of the upper body's displacement that hips go the other way
SOFT_KNEE = np.cos(np.radians(3.5))  # of a leg's length that it reaches, or as much as it was stretched
SINK_AHEAD, SINK_SMOOTH = 0.14, 0.06  # seconds
TINY = 1e-7  # metres: what is nearer to where it was stays


def balance_hips(context: PerformanceContext, before: RecordedWorld, after: RecordedWorld) -> Floats:
    """``(T, 3)`` how far hips go back as the upper body goes ahead, so that the body stays above its feet."""
    hips, head, chest = context.roles["hips"], context.roles["head"], before.chest_joint
    upper = np.zeros((context.clock.frames, 3))
    for joint in (head, chest):
        upper += 0.5 * ((after.p(joint) - after.p(hips)) - (before.p(joint) - before.p(hips)))
    share = BALANCE * context.stands * (1.0 - context.flying) * (1.0 - 0.8 * context.walking)
    return np.asarray(-share[:, None] * upper * np.array([1.0, 0.0, 1.0]))


def peel_feet(
    context: PerformanceContext, before: RecordedWorld, feet: dict[str, Floats], table: Floats
) -> dict[str, tuple[Floats, ...]]:
    """How feet are turned, and toes where heels are raised; raised ankles are written into ``feet``."""
    turned: dict[str, tuple[Floats, ...]] = {}
    for side in SIDES:
        peel = table[:, INDEX[f"{side}.foot.peel"]] * context.stands
        turned[side] = (before.q(context.roles[f"{side}Foot"]),)
        if np.any(peel) and _has_toes(context, side):
            feet[side], *rotated = _peel(context, before, side, feet[side], peel)
            turned[side] = tuple(rotated)
    return turned


def _has_toes(context: PerformanceContext, side: str) -> bool:
    foot, role = context.roles[f"{side}Foot"], f"{side}Toes"
    return role in context.roles and int(context.body.skeleton.parents[context.roles[role]]) == foot


def place_feet(
    context: PerformanceContext,
    after: RecordedWorld,
    feet: Mapping[str, Floats],
    turned: Mapping[str, tuple[Floats, ...]],
    local: Floats,
    translations: Floats,
) -> None:
    """Put feet where they stand."""
    for side in SIDES:
        limb = context.limbs.get(f"{side}Leg")
        if limb is None:
            continue
        foot, wanted = context.roles[f"{side}Foot"], turned[side][0]
        moved = norms(after.p(foot) - feet[side]) > TINY
        moved |= rotations.angle_between(after.q(foot), wanted) > 1e-7
        place_limb(limb, local, translations, feet[side], wanted=moved, ends=wanted, turned=moved)
        if len(turned[side]) > 1:
            toes = context.roles[f"{side}Toes"]
            local[:, toes] = rotations.multiply(rotations.conjugate(wanted), turned[side][1])


def _peel(
    context: PerformanceContext, before: RecordedWorld, side: str, ankle: Floats, peel: Floats
) -> tuple[Floats, Floats, Floats]:
    """The ankle, the foot's rotation and the toes' when the heel is raised by angles ``(T,)`` about the ball."""
    foot, role = context.roles[f"{side}Foot"], f"{side}Toes"
    turned = before.q(foot)
    ball = before.p(context.roles[role]) + (ankle - before.p(foot))
    left = rotations.rotate(
        rotations.multiply(turned, context.body.anatomy.frames[f"{side}Foot"]), np.array([1.0, 0.0, 0.0])
    )
    turn = rotations.from_rotation_vector(peel[:, None] * left)
    made = ball + rotations.rotate(turn, ankle - ball)
    return made, rotations.multiply(turn, turned), before.q(context.roles[role])


def sink_hips(
    context: PerformanceContext, before: RecordedWorld, after: RecordedWorld, feet: Mapping[str, Floats]
) -> Floats:
    """``(T, 3)`` how far hips sink so that legs reach their feet, smoothly."""
    shift = np.zeros((context.clock.frames, 3))
    for _ in range(2):
        needed = _overreach(context, before, after, feet, shift[:, 1])
        if needed.max() < 1e-6:
            break
        radius = max(round(SINK_AHEAD * context.rate), 1)
        drop = gaussian(running_maximum(needed, radius), SINK_SMOOTH * context.rate, ends="hold")
        shift[:, 1] -= np.maximum(drop, needed)
    return shift


def _overreach(
    context: PerformanceContext, before: RecordedWorld, after: RecordedWorld, feet: Mapping[str, Floats], lower: Floats
) -> Floats:
    """``(T,)`` metres that hips, lower by so much, would have to sink for both legs to reach."""
    needed = np.zeros(context.clock.frames)
    for side in SIDES:
        if f"{side}Leg" not in context.limbs:
            continue
        hip, foot = context.roles[f"{side}UpperLeg"], context.roles[f"{side}Foot"]
        stretched = norms(before.p(foot) - before.p(hip))
        longest = np.maximum(SOFT_KNEE * context.body.lengths[f"{side}Leg"], stretched)
        x, y, z = (feet[side] - after.p(hip)).T
        y = y - lower
        level = np.sqrt(np.maximum(longest * longest - x * x - z * z, 0.0))
        needed = np.maximum(needed, np.where(-y > 0.0, -y - level, 0.0))
    return needed
