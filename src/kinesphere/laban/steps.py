"""Steps of ``EditKeys``: feet land elsewhere, or turned, in gestures and in lifted recordings.

A step is moved by itself: where a foot stands afterwards stays as it was. Steps are neither added nor deleted: in a
recording, the body's weight goes with the steps that it takes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, TypeAlias

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.document import Choice, Numbers, Setting, document, number
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import Step
from kinesphere.motion.phrase import Phrase, Track
from kinesphere.motion.scope import Scope

LEGS = ("left_leg", "right_leg")
NEAR = 0.1  # seconds before a step lifts and after it lands within which a time means it
FARTHEST = 2.0  # leg lengths
MOVE = "left_leg@1.2 by 0.1,0.2 turn 0.3"

Way: TypeAlias = Annotated[
    tuple[float, float], Numbers(least=-FARTHEST, most=FARTHEST, count=2, form="[left, ahead] in leg lengths")
]


@document(frozen=True)
class MoveStep:
    """A step that lands elsewhere, or is turned."""

    part: Annotated[str, Choice("Whose step: left_leg or right_leg.", choices=LEGS)]
    at: Annotated[float, number(0.0, 1e6, "Seconds of the phrase's own time, while the foot is in the air.")]
    by: Annotated[Way, Setting("How far: left and ahead of the body as it lifts, in leg lengths.")] = (0.0, 0.0)
    turn: Annotated[float, number(-np.pi, np.pi, "Radians that the foot is turned to the left.")] = 0.0


_NUMBER = r"([-+]?\d*\.?\d+)"
_WRITTEN = re.compile(rf"\s*(\w+)\s*@\s*(\d+\.?\d*)s?(?:\s+by\s+{_NUMBER},{_NUMBER})?(?:\s+turn\s+{_NUMBER})?\s*")


def parse_step(text: str) -> MoveStep:
    """``left_leg@1.2 by 0.1,0.2``, ``left_leg@1.2 turn 0.3``, or both."""
    found = _WRITTEN.fullmatch(text)
    if found is None or (found[3] is None and found[5] is None):
        raise ValueError(f"write it as '{MOVE}', with 'by', 'turn' or both")
    if found[1] not in LEGS:
        raise ValueError(unknown_name("part", found[1], LEGS))
    by = (0.0, 0.0) if found[3] is None else (float(found[3]), float(found[4]))
    return MoveStep(found[1], float(found[2]), by, float(found[5] or 0.0))


def moved_steps(phrase: Phrase, rows: Sequence[MoveStep], scope: Scope) -> dict[str, Track]:
    """Part to the track of a leg whose steps are moved or turned. A scope of some parts has no legs.

    Raises ``ValueError`` where a phrase makes no such step.
    """
    steps = {part: list(phrase.track(part).steps) for part in LEGS}
    for i, row in enumerate(rows):
        where = f"EditKeys, steps[{i}]"
        if scope.parts is not None or not (any(row.by) or row.turn):
            continue
        if phrase.loop and phrase.detail is not None:
            raise ValueError(f"{where}: {phrase.name} is a loop: the steps of a cycle are neither moved nor turned")
        _move(phrase, steps[row.part], row, scope, where)
    return {
        part: replace(phrase.track(part), steps=tuple(own))
        for part, own in steps.items()
        if tuple(own) != phrase.track(part).steps
    }


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
