"""Fidgeting on top of any motion: shifts of weight, looks about, restless hands."""

from __future__ import annotations

from typing import Annotated

from kinesphere.body.body import Body
from kinesphere.engine.idle import FIDGET
from kinesphere.engine.idle_behaviour import WaveState, start_waves
from kinesphere.motion.behaviour import Behaviour, Pose, Scene, behaviour
from kinesphere.motion.document import dial, document, number


@behaviour("fidget")
@document(frozen=True)
class Fidget(Behaviour):
    """Fidgeting: slow shifts of weight and looks about."""

    amount: Annotated[float, dial(0, 3, "How much, 1 is restless.", "still", "restless")] = 1.0
    seed: Annotated[int, number(0, 2**63, "Which individual; none is always the same.", whole=True)] | None = None

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.amount == 0.0

    def start(self, body: Body, scene: Scene) -> WaveState:
        """The state before the first step."""
        return start_waves(body, FIDGET, self.seed)

    def step(self, state: WaveState, pose: Pose, scene: Scene, dt: float) -> tuple[WaveState, Pose]:
        """The pose, moved by the waves of now."""
        return state.after(dt), state.add_to(pose, self.amount)
