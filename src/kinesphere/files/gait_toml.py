"""Walk files in TOML: period, stride, contact phases, and curves of feet, arms and body over the stride's phase.

``motion_files/walk.toml`` is one. Angles are in degrees, lengths in metres of a figure 1.70 m tall. ``GaitFile`` is the
whole file; its tables are documents, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from kinesphere.files.gesture_toml import (
    BODY,
    EyesTable,
    HeadTable,
    HipsTable,
    Keys,
    TorsoTable,
    angle,
    metres,
    scaled_curves,
    share,
    table_curves,
)
from kinesphere.motion.document import Flag, Setting, Text, document, number, read_document
from kinesphere.motion.gait import Gait, check_contact_phases, check_phases
from kinesphere.motion.source import Source


@document(frozen=True)
class GaitFoot:
    """Curves of a foot over its own phase, from its heel's strike at 0 to the next at 1."""

    pitch: Annotated[Keys, angle("Above zero the heel is up, below zero the toes.")] = None
    lift: Annotated[Keys, metres("How high the ball is above the ground while the foot swings.")] = None
    toes: Annotated[Keys, angle("Above zero the toes bend up.")] = None


@document(frozen=True)
class GaitArm:
    """Curves of an arm over the phase of the foot on its side."""

    swing: Annotated[Keys, angle("Above zero the arm swings ahead.")] = None
    elbow: Annotated[Keys, angle("Above zero the elbow bends.")] = None
    bend: Annotated[Keys, angle("Above zero the wrist bends towards the palm.")] = None
    curl: Annotated[Keys, share("How much of a fist the hand makes.")] = None


@document(frozen=True)
class GaitFile:
    """A walk as a file has it. Curves run over the phase of the left foot's stride, from 0 to below 1, and repeat."""

    period: Annotated[float, number(0.3, 5.0, "Seconds a stride takes.")]
    stride: Annotated[float, number(0.1, 4.0, "Metres a stride is long.")]
    strides: Annotated[int, number(1, 100, "How many strides the walk has.", whole=True)]
    flat: Annotated[float, number(0.0, 1.0, "Phase when the sole is down.", inside="both")]
    leaves: Annotated[float, number(0.0, 1.0, "Phase when the ball leaves the ground, after flat.", inside="both")]
    ahead: Annotated[float, number(-2.0, 2.0, "Metres from the hips to the ankle when the heel strikes.")]
    apart: Annotated[float, number(-2.0, 2.0, "Metres from the middle to an ankle.")]
    turned_out: Annotated[float, number(-180.0, 180.0, "Degrees by which the feet are turned out.")]
    kind: Annotated[Literal["walk"], Setting("The kind of file.")] = "walk"
    like: Annotated[Text, Setting("A walk that this one has its fields of, but for those that it gives itself.")] = ""
    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    in_place: Annotated[Flag, Setting("Whether it walks on the spot, one stride that loops.")] = False
    foot: Annotated[GaitFoot, Setting("Curves of a foot.")] = GaitFoot()
    arm: Annotated[GaitArm, Setting("Curves of an arm.")] = GaitArm()
    torso: Annotated[TorsoTable, Setting("Curves of the torso.")] = TorsoTable()
    head: Annotated[HeadTable, Setting("Curves of the head.")] = HeadTable()
    eyes: Annotated[EyesTable, Setting("Curves of the eyes.")] = EyesTable()
    hips: Annotated[HipsTable, Setting("Curves of the hips.")] = HipsTable()

    def __post_init__(self) -> None:
        check_contact_phases(self.flat, self.leaves)
        for part in ("foot", "arm", *BODY):
            for name, _, curve in table_curves(getattr(self, part)):
                check_phases(curve, (part, name))

    def gait(self, name: str, source: Source | None = None) -> Gait:
        """The walk in radians and metres."""
        return Gait(
            name,
            self.period,
            self.stride,
            self.strides,
            self.flat,
            self.leaves,
            self.ahead,
            self.apart,
            math.radians(self.turned_out),
            self.in_place,
            {f"{part}.{key}": curve for part in BODY for key, curve in scaled_curves(getattr(self, part)).items()},
            scaled_curves(self.foot),
            scaled_curves(self.arm),
            self.about,
            source or Source(),
        )


def gait_from_table(table: Mapping[str, Any], path: Path, name: str) -> Gait:
    """The walk of a file's table."""
    return read_document(GaitFile, table, path).gait(name, Source(path=str(path), format="walk"))
