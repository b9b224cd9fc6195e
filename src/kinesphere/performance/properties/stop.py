"""Stop: a movement loses its energy for a time, and starts anew."""

from __future__ import annotations

from typing import Annotated

from kinesphere.motion.document import dial, document, number
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.hold import Energy
from kinesphere.motion.scope import LATEST
from kinesphere.performance.held_movement import HeldMovement


@phrase_edit("stop")
@document(frozen=True)
class Stop(HeldMovement):
    """Let a movement lose its energy at a moment: the body relaxes, arms and trunk sink, and then it starts anew.

    Time is inserted as a pause does it, and a body that walks is stopped in a double support. What hands touch, and
    goals in the world, they keep while the rest of the body sinks.
    """

    energy = Energy.GONE

    at: Annotated[float, number(0.0, LATEST, "When, in seconds of the movement's own time.")] | None = None
    seconds: Annotated[float, dial(0, 3, "How many seconds it is held.", "not at all", "long")] = 0.0

    @classmethod
    def examples(cls) -> tuple[Stop, ...]:
        """A stop."""
        return (cls(at=0.9, seconds=0.8),)
