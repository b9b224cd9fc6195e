"""Elbows beside the trunk: properties that carry elbows in, or hands before the body, bring no upper arm into it."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.pose import SIGN
from kinesphere.engine.recording_context import PerformanceContext, RecordedWorld
from kinesphere.maths import rotations
from kinesphere.maths.filters import smooth_envelope
from kinesphere.maths.vectors import Floats, norms, smoothstep

INWARDS = 0.07  # arm lengths that an elbow may be inwards of its shoulder, beside the trunk
AHEAD, BEHIND, BELOW = (0.20, 0.34), (-0.30, -0.45), (-0.02, -0.14)  # arm lengths from the shoulder, where the trunk is
STEPS, MOST = 15, 1.5  # angles that are tried, and radians of the largest
LEAST = 0.01  # arm lengths: what is less is none
COMES = 0.12  # seconds in which elbows make room


def swivel_beside_trunk(
    context: PerformanceContext,
    side: str,
    before: RecordedWorld,
    after: RecordedWorld,
    local: Floats,
    translations: Floats,
) -> Floats | None:
    """Swivels ``(T,)`` that bring an elbow out of the trunk, no farther than it was recorded; None: it is outside."""
    shoulder, elbow, wrist = (context.roles[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand"))
    world, length = context.world(local, translations, part="arms"), context.detail.poses.arm_length
    to_chest = rotations.conjugate(after.chest)
    own = rotations.rotate(to_chest, world.p(elbow) - world.p(shoulder)) / length
    was = rotations.rotate(rotations.conjugate(before.chest), before.p(elbow) - before.p(shoulder)) / length
    least = np.minimum(-INWARDS, SIGN[side] * was[:, 0])
    if _within(own, side, least).max() < LEAST:
        return None
    axis = rotations.rotate(to_chest, world.p(wrist) - world.p(shoulder))
    axis = axis / np.maximum(norms(axis), 1e-9)[:, None]
    angles = np.linspace(0.0, MOST, STEPS)
    found = np.stack(
        [
            _within(rotations.rotate(rotations.from_rotation_vector(SIGN[side] * angle * axis), own), side, least)
            for angle in angles
        ],
        axis=1,
    )
    clear = found < LEAST
    first = np.where(clear.any(axis=1), clear.argmax(axis=1), found.argmin(axis=1))
    needed = smooth_envelope(angles[first], COMES, context.rate)
    return np.asarray(SIGN[side] * needed)


def _within(elbow: Floats, side: str, least: Floats) -> Floats:
    """``(T,)`` arm lengths that elbows ``(T, 3)`` are in the trunk, from the shoulder in the chest's axes."""
    x, y, z = SIGN[side] * elbow[:, 0], elbow[:, 1], elbow[:, 2]
    low = smoothstep((BELOW[0] - y) / (BELOW[0] - BELOW[1]))
    deep = smoothstep((AHEAD[1] - z) / (AHEAD[1] - AHEAD[0])) * smoothstep((z - BEHIND[1]) / (BEHIND[0] - BEHIND[1]))
    return np.asarray(low * deep * np.maximum(least - x, 0.0))
