"""Referents: what a hand points at, touches, meets or holds upright, whatever Effort, Shape and words do to the body.

A gesture means something by them: a pointing finger its target, a hand at the mouth the mouth. They are marked on a
gesture's keys, or found where a gesture implies them (``engine.referents``), and kept in every frame.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from kinesphere.motion.document import Choice, Numbers, Setting, document, error_at, number

CARRIERS = ("hips", "spine", "upperChest", "neck", "head")  # joints that a hand may go with
ARMS = ("left", "right", "both")


class Kind(StrEnum):
    """What is kept."""

    AIM = "aim"  # the index finger's ray goes through a target in the world
    TOUCH = "touch"  # the hand stays where it is on a part of the body
    MEET = "meet"  # both palms are to each other as written
    PLACE = "place"  # the hand stays where it is in the world; of recordings
    LEVEL = "level"  # what the hand holds is as upright as written
    NOTHING = "nothing"  # nothing, even where a gesture implies something


@document(frozen=True)
class Referent:
    """What one arm, or both, keep for some time.

    Times are seconds of the gesture's own time. It holds fully from ``start`` to ``end``, and fades over the seconds
    before and after; None: over the strokes there.
    """

    kind: Annotated[Kind, Setting("What is kept: aim, touch, meet, place, level, or nothing.")]
    arm: Annotated[str, Choice("The arm that keeps it; palms meet with both.", choices=ARMS)]
    start: Annotated[float, number(0.0, about="From when on it is kept, in seconds.")]
    end: Annotated[float, number(0.0, about="Until when.")]
    joint: Annotated[
        Annotated[str, Choice(choices=CARRIERS)] | None, Setting("What a hand that touches goes with.")
    ] = None
    target: Annotated[
        Annotated[tuple[float, float, float], Numbers(count=3, form="[x, y, z] in metres")] | None,
        Setting("What is aimed at, in the world; null: where the gesture itself points."),
    ] = None
    before: Annotated[
        Annotated[float, number(0.0)] | None, Setting("Seconds over which it begins; null: the stroke there.")
    ] = None
    after: Annotated[
        Annotated[float, number(0.0)] | None, Setting("Seconds over which it ends; null: the stroke there.")
    ] = None

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise error_at(("end",), f"{self.end:g} s", f"a time not before the start, {self.start:g} s")
        if (self.kind == Kind.TOUCH) != (self.joint is not None):
            found = "no joint" if self.joint is None else f"a joint for {self.kind}"
            raise error_at(("joint",), found, f"one of {', '.join(CARRIERS)} for touch, and for nothing else")
        if self.target is not None and self.kind != Kind.AIM:
            raise error_at(("target",), f"a target for {self.kind}", "a target for aim alone")
        if self.kind == Kind.MEET and self.arm != "both":
            raise error_at(("arm",), self.arm, "both: palms meet each other")

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides of its arms."""
        return ("left", "right") if self.arm == "both" else (self.arm,)
