"""Postural sway on top of any motion: nobody who stands is still."""

from __future__ import annotations

from typing import Annotated

from kinesphere.body.body import Body
from kinesphere.engine.idle import SWAY
from kinesphere.engine.idle_behaviour import WaveState, start_waves
from kinesphere.motion.behaviour import Behaviour, Pose, Scene, behaviour
from kinesphere.motion.document import dial, document, number


@behaviour("sway")
@document(frozen=True)
class Sway(Behaviour):
    """Postural sway: hips, torso and head are never quite still."""

    amount: Annotated[float, dial(0, 3, "How much, 1 at ease.", "still", "unsteady")] = 1.0
    seed: Annotated[int, number(0, 2**63, "Which individual; none is always the same.", whole=True)] | None = None

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.amount == 0.0

    def start(self, body: Body, scene: Scene) -> WaveState:
        """The state before the first step."""
        return start_waves(body, SWAY, self.seed)

    def step(self, state: WaveState, pose: Pose, scene: Scene, dt: float) -> tuple[WaveState, Pose]:
        """The pose, moved by the waves of now."""
        return state.after(dt), state.add_to(pose, self.amount)
