"""Trembling: noise of a narrow band on joints, the same for the same seed, and in every cycle of a loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.engine.shaping.moments import FIXED
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import ROLES

WAVES = 9  # sine waves of each axis
BAND = 0.14  # of the rate to either side, in which they are
FASTEST = 0.42  # of the frame rate
SEED = 23  # of phrases that have none
TINY = 1e-9  # radians


def tremble(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Let joints tremble in poses ``(T, J, 4)`` that are changed in place; legs and hips do not."""
    if not asked.asks("tremble"):
        return
    sizes = {role: own for role, own in asked.by_role("tremble").items() if role not in FIXED}
    add_tremor(context, sizes, {role: asked.curve("tremble_rate", role) for role in sizes}, local)


def add_tremor(
    context: PerformanceContext, sizes: Mapping[str, Floats], rates: Mapping[str, Floats], local: Floats
) -> None:
    """Add noise of ``sizes (T,)`` radians and ``rates (T,)`` hertz to joints by role, in place."""
    for role, size in sizes.items():
        if np.max(size) > TINY:
            joint = context.roles[role]
            noise = size[:, None] * _noise(context, role, np.minimum(rates[role], FASTEST * context.rate))
            local[:, joint] = rotations.multiply(local[:, joint], rotations.from_rotation_vector(noise))


def _noise(context: PerformanceContext, role: str, rate: Floats) -> Floats:
    """``(T, 3)`` noise, 1 in its root mean square, about a rate ``(T,)``."""
    seed = SEED if context.phrase.seed is None else context.phrase.seed
    rng = np.random.default_rng([seed, ROLES.index(role)])
    ratios = 1.0 + BAND * rng.uniform(-1.0, 1.0, (WAVES, 3))
    phases = 2.0 * np.pi * rng.random((WAVES, 3))
    passed = np.concatenate([[0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]))]) / context.rate
    cycles = context.detail.cycles
    whole = float(passed[-1]) / cycles
    if context.detail.period is not None and whole > 0.0:  # whole waves in each cycle of a loop
        ratios = np.maximum(np.round(ratios * whole), 1.0) / whole
    waves = np.sin(2.0 * np.pi * passed[:, None, None] * ratios + phases)
    return np.asarray(waves.sum(axis=1) * np.sqrt(2.0 / (3.0 * WAVES)))
