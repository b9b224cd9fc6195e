"""Pause: a movement is held for a time, its intent kept, and goes on."""

from __future__ import annotations

from typing import Annotated

from kinesphere.motion.document import dial, document, number
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.hold import Energy
from kinesphere.motion.scope import LATEST
from kinesphere.performance.held_movement import HeldMovement


@phrase_edit("pause")
@document(frozen=True)
class Pause(HeldMovement):
    """Hold the whole body at a moment, ready to go on: the pose stays, with a little life in it, and so does the gaze.

    Time is inserted: whatever comes after it comes later by as much, goals in the world too; nothing else changes. A
    body that walks is held in its next double support where a foot swings at that moment, one that steps when the foot
    has landed. Without a moment it is held where its scope starts, else half-way.
    """

    energy = Energy.KEPT

    at: Annotated[float, number(0.0, LATEST, "When, in seconds of the movement's own time.")] | None = None
    seconds: Annotated[float, dial(0, 3, "How many seconds it is held.", "not at all", "long")] = 0.0

    @classmethod
    def examples(cls) -> tuple[Pause, ...]:
        """A pause."""
        return (cls(at=0.9, seconds=0.8),)
