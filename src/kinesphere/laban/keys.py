"""Keys of hands: a phrase edit that moves, adds and deletes goals and vias, of gestures and of lifted recordings.

It moves and turns steps, too (``laban.steps``).

Times are seconds of the phrase's own time; positions and ways are in arm lengths from the shoulder, in the chest's
axes: left, up, ahead. All rows speak of the phrase as it is given: keys are moved, then deleted, then added. Effort,
Shape and words that the phrase is under already are applied again to what comes of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Self, TypeAlias

import numpy as np

from kinesphere.engine.arm_plan import arm_plan
from kinesphere.engine.clocks import stroke_phases
from kinesphere.engine.pose import Actor
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.laban.expression import express, scope_parts
from kinesphere.laban.steps import MOVE as STEP
from kinesphere.laban.steps import MoveStep, moved_steps, parse_step
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.two_bone import swivel_of
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.document import AS_TUPLE, Choice, Flag, Numbers, Setting, document, number
from kinesphere.motion.edit import PhraseEdit, phrase_edit
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import resting_swivel, resting_wrist
from kinesphere.motion.phrase import CHEST, WORLD, Keys, Phrase, Track
from kinesphere.motion.scope import WHOLE, Scope

ARMS = ("left_arm", "right_arm")
NEAR = 0.1  # seconds from a key within which a time means that key
SAME = 1e-3  # seconds: a key that is added nearer to one that is there takes its place
WHOLLY = 0.5  # strength of a scope above which keys are added and deleted
FINE = 240.0  # frames a second at which a gesture's path is looked up
FARTHEST = 10.0  # arm lengths
LATEST = 1e6  # seconds
MIDDLE = 0.5  # inflection of a stroke that has no peak of its own
EARLIEST, LATEST_SHARE = 0.08, 0.92  # inflections of strokes that were one
MOVE, ADD, DELETE = "right_arm@1.2 by 0,0.1,0", "right_arm@1.2 at -0.3,0.1,0.5", "right_arm@1.2"

Place: TypeAlias = Annotated[
    tuple[float, float, float],
    Numbers(least=-FARTHEST, most=FARTHEST, count=3, form="[left, up, ahead] in arm lengths"),
]
Part: TypeAlias = Annotated[str, Choice("Whose key: left_arm or right_arm.", choices=ARMS)]
Moment: TypeAlias = Annotated[float, number(0.0, LATEST, "Seconds of the phrase's own time; the nearest key is meant.")]


@document(frozen=True)
class MoveKey:
    """A key that goes elsewhere, or comes at another time."""

    part: Part
    at: Moment
    by: Annotated[Place, Setting("How far: left, up and ahead, in arm lengths.")] = (0.0, 0.0, 0.0)
    to_time: Annotated[float, number(0.0, LATEST, "Seconds when it comes; null: when it was.")] | None = None


@document(frozen=True)
class AddKey:
    """A key more; one that is there already takes its place."""

    part: Part
    at: Annotated[float, number(0.0, LATEST, "Seconds of the phrase's own time.")]
    position: Annotated[Place | None, Setting("In arm lengths from the shoulder; null: where the hand is then.")] = None
    goal: Annotated[Flag, Setting("Whether the hand comes to rest there, rather than passing through.")] = True


@document(frozen=True)
class DeleteKey:
    """A key less: the hand no longer goes there."""

    part: Part
    at: Moment


KeyRow: TypeAlias = MoveKey | AddKey | DeleteKey


# Rows as texts of the command line


_WRITTEN = re.compile(r"\s*(?P<part>\w+)\s*@\s*(?P<at>\S+)\s*(?P<rest>.*)")


def _numbers(text: str) -> list[float]:
    return [float(piece) for piece in text.split(",")]


def _read(text: str, form: str, words: Sequence[str], flags: Sequence[str] = ()) -> tuple[dict[str, Any], set[str]]:
    """Part and time, the texts after ``words``, and the flags, of ``right_arm@1.2 by 0,0.1,0 to 1.4``."""
    found = _WRITTEN.fullmatch(text)
    pieces = found["rest"].split() if found else []
    row: dict[str, Any] = {}
    said: set[str] = set()
    try:
        if found is None:
            raise ValueError
        row = {"part": found["part"], "at": float(found["at"].removesuffix("s"))}
        while pieces:
            word = pieces.pop(0)
            if word in words and pieces and word not in row:
                row[word] = pieces.pop(0)
            elif word in flags:
                said.add(word)
            else:
                raise ValueError
    except ValueError:
        raise ValueError(f"write it as '{form}'") from None
    if row["part"] not in ARMS:
        raise ValueError(unknown_name("part", row["part"], ARMS))
    return row, said


def parse_move(text: str) -> MoveKey:
    """``right_arm@1.2 by 0,0.1,0``, ``right_arm@1.2 to 1.4``, or both."""
    form = f"{MOVE} to 1.4"
    row, _ = _read(text, form, ("by", "to"))
    by, to = row.pop("by", None), row.pop("to", None)
    if by is None and to is None:
        raise ValueError(f"says neither by how far nor to when; write it as '{form}'")
    given = {} if by is None else {"by": _numbers(by)}
    return MoveKey(**row, **given, to_time=None if to is None else float(to.removesuffix("s")))  # type: ignore[arg-type]


def parse_add(text: str) -> AddKey:
    """``right_arm@1.2``, ``right_arm@1.2 at -0.3,0.1,0.5 via``."""
    form = f"{ADD} via"
    found = _WRITTEN.fullmatch(text)
    head, _, place = text.partition(" at ")
    if found is None:
        raise ValueError(f"write it as '{form}'")
    words = place.split()
    row, said = _read(f"{head} {' '.join(words[1:])}", form, (), ("goal", "via"))
    position: Any = _numbers(words[0]) if words else None
    return AddKey(**row, position=position, goal="via" not in said)


def parse_delete(text: str) -> DeleteKey:
    """``right_arm@1.2``."""
    row, _ = _read(text, DELETE, ())
    return DeleteKey(**row)


# The edit


@phrase_edit("keys")
@document(frozen=True)
class EditKeys(PhraseEdit):
    """Move, add and delete keys of hands: goals, where a hand comes to rest, and vias, which it passes; move steps.

    Of a recording, keys are those that ``lift`` finds: a moved key takes the path along between its neighbours, a
    deleted one is no longer visited, and what the hand touches or holds there is moved by as much. The strength of the
    scope is how far keys are moved; keys are added and deleted where it is above a half.

    Parameters
    ----------
    move
        Keys that go elsewhere, or come at another time.
    add
        Keys more.
    delete
        Keys less.
    steps
        Steps that land elsewhere, or are turned: the foot stands there as it stood, and goes on to where it went.
    """

    move: Annotated[
        Sequence[MoveKey],
        AS_TUPLE,
        Setting(
            f"A key moved, in arm lengths to the left, up and ahead: '{MOVE}'; 'to 1.4' is when it comes.",
            parse=parse_move,
            metavar="TEXT",
            repeated=True,
        ),
    ] = ()
    add: Annotated[
        Sequence[AddKey],
        AS_TUPLE,
        Setting(
            f"A key more, in arm lengths from the shoulder: '{ADD}', with 'via' where the hand does not stop; "
            "without a place it is where the hand is then.",
            parse=parse_add,
            metavar="TEXT",
            repeated=True,
        ),
    ] = ()
    delete: Annotated[
        Sequence[DeleteKey],
        AS_TUPLE,
        Setting(f"A key less: '{DELETE}'.", parse=parse_delete, metavar="TEXT", repeated=True),
    ] = ()
    steps: Annotated[
        Sequence[MoveStep],
        AS_TUPLE,
        Setting(
            f"A step moved, in leg lengths to the left and ahead, and turned, in radians to the left: '{STEP}'.",
            parse=parse_step,
            metavar="TEXT",
            repeated=True,
        ),
    ] = ()

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        moved = any(any(row.by) or row.to_time is not None for row in self.move)
        return not (self.add or self.delete or moved or any(any(row.by) or row.turn for row in self.steps))

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        """A key moved in space, one in space and time, one added and one deleted."""
        arm = "right_arm"
        return (
            cls(move=(MoveKey(arm, 0.22, (-0.1, 0.05, 0.1)),)),
            cls(move=(MoveKey(arm, 2.55, (0.0, 0.1, 0.05), 2.65),)),
            cls(add=(AddKey(arm, 2.35, (-0.4, -0.1, 0.45), goal=False),)),
            cls(delete=(DeleteKey(arm, 2.55),)),
        )

    def check_scope(self, scope: Scope) -> None:
        """Refuse other parts than arms and torso."""
        scope_parts(scope)

    def apply(self, phrase: Phrase, scope: Scope = WHOLE) -> Phrase:
        """The phrase with other keys; Effort, Shape and words that it is under are applied again."""
        parts = scope_parts(scope)
        if self.neutral or scope.strength == 0.0:
            return phrase
        written = phrase.original
        if written.gait is not None:
            raise ValueError(
                f"{written.name} is a walk: its arms swing and have no keys, its legs no steps that could be edited"
            )
        tracks = moved_steps(written, self.steps, scope)
        for part in ARMS:
            if part in parts:
                work = _Hand(written, part, scope)
                work.run(self)
                if work.changed:
                    tracks[part] = work.track
        if not tracks:
            return phrase
        made = written.with_tracks(tracks)
        return express(made, *phrase.applied_edits) if phrase.applied_edits else made


@dataclass(frozen=True)
class _Key:
    """One key."""

    time: float
    position: tuple[float, ...]
    swivel: float
    goal: bool
    space: str = CHEST
    inflection: float = MIDDLE


class _Hand:
    """The keys of one hand while they are edited."""

    def __init__(self, phrase: Phrase, part: str, scope: Scope) -> None:
        self.phrase, self.part, self.scope = phrase, part, scope
        self.side = part.removesuffix("_arm")
        self.before = phrase.track(part)
        self.rows: list[_Key] = _rows(self.before.keys)
        self.changed = False

    def run(self, edit: EditKeys) -> None:
        """Move, delete and add keys; all rows speak of the keys as they are before."""
        given = list(self.rows)
        now: dict[int, _Key | None] = dict(enumerate(given))
        for i, move in self._own("move", edit.move):
            for index in self._with_seam(self._find(f"move[{i}]", given, move.at)):
                now[index] = self._moved(f"move[{i}]", move, given[index])
        for i, delete in self._own("delete", edit.delete):
            index = self._find(f"delete[{i}]", given, delete.at)
            if self._share(given[index].time) > WHOLLY:
                now[index] = None
                self.changed = True
        rows = sorted((key for key in now.values() if key is not None), key=lambda key: key.time)
        self._check_apart(rows)
        for i, add in self._own("add", edit.add):
            if self._share(add.at) > WHOLLY:
                rows = self._with_added(f"add[{i}]", add, rows)
                self.changed = True
        if self.changed and not rows:
            raise ValueError(
                f"EditKeys: all keys of {self.part} are deleted; one at least is needed, so leave one or add one"
            )
        self.rows = rows

    @property
    def track(self) -> Track:
        """The track with the keys as they are now; strokes and placed keys that it has go along."""
        keys = _keys(self.rows, self.before.keys)
        before = self.before.keys
        if before is None:
            return replace(self.before, keys=keys)
        strokes = {name: _same_strokes(values, before, keys) for name, values in self.before.strokes.items()}
        placed = self.before.placed
        if placed is not None:
            away = np.asarray(placed) - before.positions
            placed = keys.positions + np.stack([np.interp(keys.times, before.times, row) for row in away.T], axis=1)
        return replace(self.before, keys=keys, strokes=strokes, placed=placed)

    def _own(self, name: str, rows: Sequence[Any]) -> list[tuple[int, Any]]:
        return [(i, row) for i, row in enumerate(rows) if row.part == self.part]

    def _share(self, time: float) -> float:
        return float(self.scope.strength * self.scope.window(np.array([time]))[0])

    def _find(self, where: str, rows: Sequence[_Key], at: float) -> int:
        """The key that a time means."""
        if not rows:
            raise ValueError(f"EditKeys, {where}: {self.part} of {self.phrase.name} has no keys; add one first")
        times = np.array([key.time for key in rows])
        nearest = int(np.argmin(np.abs(times - at)))
        if abs(times[nearest] - at) > NEAR:
            near = sorted(times[np.argsort(np.abs(times - at))[:2]].tolist())
            said = " and ".join(f"{time:.4g}" for time in near)
            raise ValueError(
                f"EditKeys, {where}: no key of {self.part} within {NEAR:g} s of {at:g} s; the nearest of its "
                f"{len(rows)} keys {'are' if len(near) > 1 else 'is'} at {said} s"
            )
        return nearest

    def _with_seam(self, index: int) -> tuple[int, ...]:
        """A key, and in a loop the one at the other end that is the same moment."""
        rows, last = self.rows, len(self.rows) - 1
        closed = self.phrase.loop and last > 0 and rows[last].time - rows[0].time > self.phrase.duration - SAME
        return (0, last) if closed and index in (0, last) else (index,)

    def _moved(self, where: str, move: MoveKey, key: _Key) -> _Key:
        share = self._share(key.time)
        time = key.time if move.to_time is None else key.time + share * (move.to_time - key.time)
        self._check_time(where, time)
        if share > 0.0 and (any(move.by) or time != key.time):
            self.changed = True
        metres = key.space == WORLD
        scale = share * (self.phrase.body.lengths[f"{self.side}Arm"] if metres else 1.0)
        place = tuple(a + scale * b for a, b in zip(key.position, move.by, strict=True))
        return replace(key, time=time, position=place)

    def _check_time(self, where: str, time: float) -> None:
        if time > self.phrase.duration + 1e-9:
            raise ValueError(
                f"EditKeys, {where}: found {time:g} s; {self.phrase.name} lasts from 0 to {self.phrase.duration:g} s"
            )

    def _check_apart(self, rows: Sequence[_Key]) -> None:
        for one, other in zip(rows[:-1], rows[1:], strict=True):
            if other.time - one.time < 1e-9:
                raise ValueError(
                    f"EditKeys: two keys of {self.part} come at {one.time:g} s; each needs a time of its own"
                )

    def _with_added(self, where: str, add: AddKey, rows: list[_Key]) -> list[_Key]:
        self._check_time(where, add.at)
        there = next((key for key in rows if abs(key.time - add.at) < SAME), None)
        if there is not None:
            place = there.position if add.position is None else add.position
            space = there.space if add.position is None else CHEST
            kept = [key for key in rows if key is not there]
            made = replace(there, position=place, space=space, goal=add.goal)
            return sorted([*kept, made], key=lambda key: key.time)
        place, swivel = self._where(where, add)
        kept, inflection = _split(rows, add.at) if add.goal else (rows, MIDDLE)
        made = _Key(add.at, place, swivel, add.goal, CHEST, inflection)
        return sorted([*kept, made], key=lambda key: key.time)

    def _where(self, where: str, add: AddKey) -> tuple[tuple[float, ...], float]:
        """Position and swivel of a key that is added: as given, else where the hand is."""
        at = np.array([add.at])
        detail = self.phrase.detail
        if detail is not None:
            wrist, swivel = _recorded(detail.poses, self.side, at)
        elif self.before.keys is None:
            wrist, swivel = np.array(resting_wrist(self.side)) / ARM, resting_swivel(self.side)
        else:
            if add.position is None:
                self._check_chest(where, add.at)
            wrist, swivel = _interpolated(self.phrase, self.side, add.at)
        return tuple(wrist.tolist()) if add.position is None else add.position, float(swivel)

    def _check_chest(self, where: str, at: float) -> None:
        """Refuse to look up a place between keys that are in the world, or go with another joint."""
        keys = self.before.keys
        assert keys is not None
        after = int(np.searchsorted(keys.times, at))
        spaces = {keys.spaces[min(max(i, 0), len(keys) - 1)] for i in (after - 1, after)}
        if spaces != {CHEST}:
            other = ", ".join(sorted(spaces - {CHEST}))
            raise ValueError(
                f"EditKeys, {where}: found no position at {at:g} s, beside a key in another space ({other}); "
                "give one in arm lengths from the shoulder"
            )


def _rows(keys: Keys | None) -> list[_Key]:
    if keys is None:
        return []
    columns = keys.times, keys.positions, keys.swivels, keys.goals, keys.spaces, keys.inflections
    return [
        _Key(float(time), tuple(place.tolist()), float(swivel), bool(goal), space, float(inflection))
        for time, place, swivel, goal, space, inflection in zip(*columns, strict=True)
    ]


def _keys(rows: Sequence[_Key], before: Keys | None) -> Keys:
    return Keys(
        times=np.array([key.time for key in rows]),
        positions=np.array([key.position for key in rows]),
        swivels=np.array([key.swivel for key in rows]),
        goals=np.array([key.goal for key in rows]),
        spaces=tuple(key.space for key in rows),
        inflections=np.array([key.inflection for key in rows]),
        locked=before is not None and before.locked,
    )


def _split(rows: Sequence[_Key], at: float) -> tuple[list[_Key], float]:
    """Keys, and the inflection of a goal that splits a stroke in two: the moment when it is fastest stays."""
    stops = [i for i, key in enumerate(rows) if key.goal or i in (0, len(rows) - 1)]
    after = next((i for i in stops if rows[i].time > at), None)
    before = next((i for i in reversed(stops) if rows[i].time < at), None)
    if before is None or after is None:
        return list(rows), MIDDLE
    start, end = rows[before].time, rows[after].time
    peak = start + rows[after].inflection * (end - start)
    shares = (peak - start) / (at - start), (peak - at) / (end - at)
    first, second = (float(np.clip(s, EARLIEST, LATEST_SHARE)) if 0.0 < s < 1.0 else MIDDLE for s in shares)
    return [replace(key, inflection=second) if i == after else key for i, key in enumerate(rows)], first


def _same_strokes(values: Floats, before: Keys, keys: Keys) -> Floats:
    """Values of strokes between other stops: of the stroke that was there in the middle of each."""
    given = np.asarray(values, dtype=np.float64)
    if given.ndim == 0:
        return given
    old, new = _stop_times(before.times, before.stops), _stop_times(keys.times, keys.stops)
    middles = 0.5 * (new[:-1] + new[1:])
    return np.asarray(given[np.clip(np.searchsorted(old, middles) - 1, 0, len(given) - 1)])


def _stop_times(times: Floats, stops: Bools) -> Floats:
    found = times[stops]
    return found if len(found) > 1 else np.array([found[0], np.inf])


# Where a hand is


def _recorded(poses: RecordedPoses, side: str, at: Floats) -> tuple[Floats, float]:
    """A recorded wrist ``(3,)`` from its shoulder, in arm lengths, and the swivel of its elbow."""
    frames = at * poses.motion.rate
    wrist, elbow = (cubic_rows_at(path, frames) for path in (poses.wrist(side), poses.elbow(side)))
    return np.asarray(wrist[0]), float(swivel_of(np.zeros_like(elbow), elbow, wrist)[0])


def _interpolated(phrase: Phrase, side: str, at: float) -> tuple[Floats, float]:
    """A gesture's wrist ``(3,)`` on the path through its keys, in arm lengths, and the swivel of its elbow."""
    plan = arm_plan(phrase, side, Actor.figure(), FINE)
    assert plan is not None
    count = int(plan.frames[-1]) + 1
    phase = stroke_phases(plan.clock, count)
    rows = plan.wrist_path(plan.positions).at(phase.stroke, phase.path_share)
    frame = plan.clock.to_output(np.array([at])) * FINE
    found = np.array([float(np.interp(frame, np.arange(count), rows[:, i])[0]) for i in range(4)])
    return found[:3] / ARM, float(found[3])
