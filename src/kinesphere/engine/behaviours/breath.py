"""Breathing on top of any motion: ribs and belly swell, shoulders rise a little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.channels import NAMES
from kinesphere.engine.idle import PERIOD, breath_at
from kinesphere.engine.pose_offsets import PoseOffsets, pose_offsets
from kinesphere.maths.vectors import Floats
from kinesphere.motion.behaviour import Behaviour, Pose, Scene, behaviour
from kinesphere.motion.document import dial, document


@dataclass(frozen=True, eq=False)
class BreathState:
    """How far a breath has come."""

    offsets: PoseOffsets
    still: Floats  # (C,) channels that add nothing
    phase: float = 0.0  # of a breath, 0 to 1


@behaviour("breath")
@document(frozen=True)
class Breath(Behaviour):
    """Breathing: in more quickly than out, with a pause between."""

    depth: Annotated[float, dial(0, 3, "How deep, 1 at ease.", "not at all", "gasping")] = 1.0
    pace: Annotated[float, dial(4, 60, "Breaths a minute.", "calm", "out of breath", neutral=60.0 / PERIOD)] = (
        60.0 / PERIOD
    )

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.depth == 0.0

    def start(self, body: Body, scene: Scene) -> BreathState:
        """The state before the first breath: lungs are empty."""
        return BreathState(pose_offsets(body), np.zeros(len(NAMES)))

    def step(self, state: BreathState, pose: Pose, scene: Scene, dt: float) -> tuple[BreathState, Pose]:
        """The pose with the breath of now."""
        full = self.depth * float(breath_at(np.array(state.phase)))
        made = state.offsets.add(pose, state.still, full) if full else pose
        return replace(state, phase=(state.phase + dt * self.pace / 60.0) % 1.0), made
