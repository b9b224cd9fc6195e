"""Gait: how a walk is done, of a gait or of a recording: strides, width, bounce, sway, heels, swing of the arms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Annotated

from kinesphere.motion.claim import Claim
from kinesphere.motion.document import dial, document
from kinesphere.motion.edit import phrase_edit
from kinesphere.motion.gait import GAIT_OVERLAYS
from kinesphere.motion.phrase import Phrase
from kinesphere.performance.property import Family, MovementProperty


@phrase_edit("gait")
@document(frozen=True)
class Gait(MovementProperty):
    """Walk in some way: long or short strides, on a wide or a narrow track, shuffling or springing, arms swinging.

    Where nobody walks it asks for nothing.
    """

    family = Family.SHAPE

    stride: Annotated[float, dial(0.3, 1.5, "Times as long a stride.", "short", "long", neutral=1.0)] = 1.0
    stance: Annotated[
        float, dial(-0.2, 0.2, "Share of a stride by which feet are longer on the ground.", "airborne", "lingering")
    ] = 0.0
    width: Annotated[float, dial(-0.2, 0.5, "Leg lengths by which feet are farther apart.", "narrow", "wide")] = 0.0
    toes_out: Annotated[float, dial(-0.6, 0.7, "Radians by which feet are turned out more.", "in", "out")] = 0.0
    strike: Annotated[float, dial(-1, 2, "How hard feet land.", "softly", "hard")] = 0.0
    roll: Annotated[float, dial(0, 2, "Times as far as feet pitch.", "flat", "rolling", neutral=1.0)] = 1.0
    heels: Annotated[float, dial(0, 0.6, "Radians that heels are kept off the ground.", "down", "on tiptoe")] = 0.0
    lift: Annotated[float, dial(-0.1, 0.4, "Leg lengths that feet are lifted higher.", "shuffling", "high")] = 0.0
    bounce: Annotated[float, dial(0, 4, "Times as far up and down.", "level", "bouncing", neutral=1.0)] = 1.0
    spring: Annotated[float, dial(0, 0.15, "Leg lengths that steps spring up.", "none", "springing")] = 0.0
    sway: Annotated[float, dial(0, 5, "Times as far from side to side.", "straight", "swaying", neutral=1.0)] = 1.0
    hip_turn: Annotated[float, dial(0, 5, "Times as far as hips turn.", "stiff", "turning", neutral=1.0)] = 1.0
    hip_tilt: Annotated[float, dial(0, 5, "Times as far as hips tilt.", "stiff", "tilting", neutral=1.0)] = 1.0
    turn: Annotated[
        float, dial(-1, 5, "Times as far as shoulders turn against hips.", "with them", "against", neutral=1.0)
    ] = 1.0
    nod: Annotated[float, dial(0, 5, "Times as far as the head nods.", "still", "nodding", neutral=1.0)] = 1.0
    swing: Annotated[float, dial(-1, 5, "Times as far as arms swing.", "backwards", "far", neutral=1.0)] = 1.0
    ahead: Annotated[float, dial(-0.8, 1.5, "Radians that arms are farther ahead.", "behind", "ahead")] = 0.0
    bend: Annotated[float, dial(-0.3, 2, "Radians that elbows bend more.", "straight", "bent")] = 0.0
    out: Annotated[float, dial(-0.3, 1, "Radians that arms are away from the body.", "close", "away")] = 0.0
    across: Annotated[float, dial(-1, 1.5, "Radians that forearms turn across the body.", "off", "across")] = 0.0
    loose: Annotated[float, dial(-1, 2, "How far forearms and hands trail.", "stiff", "loose")] = 0.0
    curl: Annotated[float, dial(-0.3, 1, "How much more of a fist hands make.", "open", "fist")] = 0.0
    weave: Annotated[float, dial(0, 0.6, "Leg lengths that the way winds to either side.", "straight", "winding")] = 0.0
    roam: Annotated[float, dial(0, 1.2, "Radians that head and eyes look about.", "ahead", "about")] = 0.0

    def claims(self, phrase: Phrase) -> Iterator[Claim]:
        """Each of them that is not neutral."""
        for own in fields(self):
            value, row = getattr(self, own.name), GAIT_OVERLAYS[f"gait.{own.name}"]
            if value != row.neutral:
                yield Claim(f"gait.{own.name}", value)
