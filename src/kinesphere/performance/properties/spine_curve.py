"""Curve of the spine from the side: bowed and collapsed under its weight, or arched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty

SEGMENTS = {"lower": 0.26, "middle": 0.32, "upper": 0.34}  # radians that each bends at most
BY_GRAVITY = {"lower": 0.6, "middle": 0.8, "upper": 1.0}  # of that
HEAD_DROPS, HEAD_LIFTS = 0.16, -0.05  # radians of the head, by gravity


@phrase_edit("spine_curve")
@document(frozen=True)
class SpineCurve(MovementProperty):
    """Bend the spine in the sagittal plane: as gravity bows it, or arched; or segment by segment."""

    family = Family.SHAPE

    gravity: Annotated[
        float, dial(-1, 1, "How the whole spine is bent, the head with it.", "bowed under its weight", "arched")
    ] = 0.0
    lower: Annotated[float, dial(-1, 1, "How the lower spine is bent.", "rounded", "hollow")] = 0.0
    middle: Annotated[float, dial(-1, 1, "How the middle of the spine is bent.", "rounded", "hollow")] = 0.0
    upper: Annotated[float, dial(-1, 1, "How the upper spine is bent.", "rounded", "hollow")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Bends of the segments, and the head's."""
        for name, most in SEGMENTS.items():
            bend = -most * (BY_GRAVITY[name] * self.gravity + getattr(self, name))
            if bend:
                yield Claim(f"spine.{name}.forward", bend)
        if self.gravity:
            yield Claim("head.nod", abs(self.gravity) * (HEAD_LIFTS if self.gravity > 0.0 else HEAD_DROPS))
