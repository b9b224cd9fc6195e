"""Steps: a phrase edit that has feet land elsewhere, or turned, in gestures and in lifted recordings.

A step is moved by itself: where a foot stands afterwards stays as it was. Steps are neither added nor deleted: in a
recording, the body's weight goes with the steps that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Self, TypeAlias

import numpy as np

from kinesphere.laban.expression import express, scope_parts
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import AS_TUPLE, Choice, Numbers, Setting, document, number
from kinesphere.motion.edit import PhraseEdit, phrase_edit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import Step
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.scope import WHOLE, Scope

LEGS = ("left_leg", "right_leg")
NEAR = 0.1  # seconds before a step lifts and after it lands within which a time means it
FARTHEST = 2.0  # leg lengths
MOVE = "left_leg@1.2 by 0.1,0.2 turn 0.3"

Way: TypeAlias = Annotated[
    tuple[float, float], Numbers(least=-FARTHEST, most=FARTHEST, count=2, form="[left, ahead] in leg lengths")
]


@dataclass(frozen=True)
class MoveStep:
    """A step that lands elsewhere, or is turned."""

    part: Annotated[str, Choice("Whose step: left_leg or right_leg.", choices=LEGS)]
    at: Annotated[float, number(0.0, 1e6, "Seconds of the phrase's own time, while the foot is in the air.")]
    by: Annotated[Way, Setting("How far: left and ahead of the body as it lifts, in leg lengths.")] = (0.0, 0.0)
    turn: Annotated[float, number(-np.pi, np.pi, "Radians that the foot is turned to the left.")] = 0.0


_WRITTEN = re.compile(r"\s*(\w+)\s*@\s*([\d.]+)s?(?:\s+by\s+([^\s,]+),([^\s,]+))?(?:\s+turn\s+(\S+))?\s*")


def parse_move(text: str) -> MoveStep:
    """``left_leg@1.2 by 0.1,0.2``, ``left_leg@1.2 turn 0.3``, or both."""
    found = _WRITTEN.fullmatch(text)
    try:
        if found is None or (found[3] is None and found[5] is None):
            raise ValueError
        by = (0.0, 0.0) if found[3] is None else (float(found[3]), float(found[4]))
        made = MoveStep(found[1], float(found[2]), by, float(found[5] or 0.0))
    except ValueError:
        raise ValueError(f"write it as '{MOVE}', with 'by', 'turn' or both") from None
    if made.part not in LEGS:
        raise ValueError(unknown_name("part", made.part, LEGS))
    return made


@phrase_edit("steps")
@document(frozen=True)
class EditSteps(PhraseEdit):
    """Move and turn steps: a foot lands elsewhere, stands there as it stood, and goes on to where it went.

    Of a recording, steps are those that ``lift`` finds, and hips follow the feet. Walks that no file recorded have
    strides of their own and no steps that could be moved.

    Parameters
    ----------
    move
        Steps that land elsewhere, or are turned.
    """

    move: Annotated[
        Sequence[MoveStep],
        AS_TUPLE,
        Setting(
            f"A step moved, in leg lengths to the left and ahead, and turned, in radians to the left: '{MOVE}'.",
            parse=parse_move,
            metavar="TEXT",
            repeated=True,
        ),
    ] = ()

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return not any(any(row.by) or row.turn for row in self.move)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """A step to the side, and one that is turned."""
        return (
            cls(move=(MoveStep("left_leg", 1.2, (0.1, 0.0)),)),
            cls(move=(MoveStep("right_leg", 1.7, (0.0, 0.05), 0.3),)),
        )

    def check_scope(self, scope: Scope) -> None:
        """Refuse parts that are unknown."""
        scope_parts(scope)

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase with other steps; Effort, Shape and words that it is under are applied again."""
        if self.neutral or scope.strength == 0.0:
            return phrase
        written = phrase.original
        if written.gait is not None:
            raise ValueError(f"{written.name} is a walk: it has strides and no steps that could be moved")
        if written.loop and written.detail is not None:
            raise ValueError(f"{written.name} is a loop: the steps of a cycle are neither moved nor turned")
        steps = {part: list(written.track(part).steps) for part in LEGS}
        for i, row in enumerate(self.move):
            if row.part not in LEGS:
                raise ValueError(f"EditSteps, move[{i}]: {unknown_name('part', row.part, LEGS)}")
            _move(written, steps[row.part], row, scope, f"EditSteps, move[{i}]")
        tracks = {
            part: replace(written.track(part), steps=tuple(rows))
            for part, rows in steps.items()
            if tuple(rows) != written.track(part).steps
        }
        if not tracks:
            return phrase
        made = written.with_tracks(tracks)
        return express(made, *phrase.applied_edits) if phrase.applied_edits else made


def _move(phrase: Phrase, rows: list[Step], move: MoveStep, scope: Scope, where: str) -> None:
    """Move one step; the next one of that foot of a recording goes to where it went."""
    index = _find(phrase, rows, move, where)
    row = rows[index]
    share = float(scope.strength * scope.window(np.array([row.land]))[0])
    by, turn = share * np.array([move.by[0], 0.0, move.by[1]]), share * move.turn
    rows[index] = replace(row, x=row.x + float(by[0]), z=row.z + float(by[2]), turn=row.turn + turn)
    if phrase.detail is not None and index + 1 < len(rows):
        after = rows[index + 1]
        back = rotations.rotate(
            rotations.conjugate(_heading(phrase, after.lift)), rotations.rotate(_heading(phrase, row.lift), -by)
        )
        rows[index + 1] = replace(after, x=after.x + float(back[0]), z=after.z + float(back[2]), turn=after.turn - turn)


def _heading(phrase: Phrase, at: float) -> Floats:
    assert phrase.detail is not None
    poses = phrase.detail.poses
    return np.asarray(poses.heading[round(at * poses.motion.rate)])


def _find(phrase: Phrase, rows: Sequence[Step], move: MoveStep, where: str) -> int:
    """The step that a time means."""
    if not rows:
        raise ValueError(f"{where}: {move.part} of {phrase.name} makes no steps, and none can be added")
    away = [max(row.lift - move.at, move.at - row.land, 0.0) for row in rows]
    nearest = int(np.argmin(away))
    if away[nearest] > NEAR:
        row = rows[nearest]
        raise ValueError(
            f"{where}: no step of {move.part} within {NEAR:g} s of {move.at:g} s; the nearest of its {len(rows)} steps "
            f"is from {row.lift:.4g} to {row.land:.4g} s"
        )
    return nearest
