"""Waves on top of any motion: what sway and fidgeting share as behaviours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.channels import INDEX, NAMES
from kinesphere.engine.idle import EDGE, Waves, draw_waves
from kinesphere.engine.pose_offsets import PoseOffsets, pose_offsets
from kinesphere.maths.vectors import Floats, Ints, smoothstep
from kinesphere.motion.behaviour import Pose


@dataclass(frozen=True, eq=False)
class WaveState:
    """Sums of sine waves, one per channel, and how long they have gone on.

    Attributes
    ----------
    waves : (W, 3)
        Amplitude, cycles a second and phase.
    columns : (W,)
        The channel of each wave.
    """

    offsets: PoseOffsets
    waves: Floats
    columns: Ints
    time: float = 0.0

    def add_to(self, pose: Pose, amount: float) -> Pose:
        """A pose with the waves of now. They fade in, so that the first pose is unchanged."""
        shown = amount * float(smoothstep(np.array(self.time / EDGE)))
        if shown == 0.0:
            return pose
        amplitude, frequency, phase = self.waves.T
        values = shown * amplitude * np.sin(2.0 * np.pi * frequency * self.time + phase)
        channels: Floats = np.bincount(self.columns, values, len(NAMES)).astype(np.float64)
        return self.offsets.add(pose, channels)

    def after(self, dt: float) -> WaveState:
        """The state ``dt`` seconds later."""
        return replace(self, time=self.time + dt)


def start_waves(body: Body, waves: Mapping[str, tuple[tuple[float, float, float], ...]], seed: int | None) -> WaveState:
    """Waves on a body; ``seed`` draws an individual's, None is always the same."""
    phases = None if seed is None else np.random.default_rng(seed)
    rows = [(INDEX[name], wave) for name, own in waves.items() for wave in draw_waves(own, phases)]
    table = np.array([wave for _, wave in rows])
    return WaveState(pose_offsets(body), table, np.array([column for column, _ in rows]))


__all__ = ["WaveState", "Waves", "start_waves"]
