"""When each action of a script is: absolute starts, one after the other, and sync points of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kinesphere.body.body import Body
from kinesphere.motion.document import describe_choices
from kinesphere.scripts.content import ActionContent
from kinesphere.scripts.script_file import Script, ScriptAction

LONGEST = 3600.0  # seconds of a script
CONTINUES = 0.3  # seconds after the last action


class Occurrence(NamedTuple):
    """An action at its time; of one that is repeated each time is one."""

    start: float
    action: ScriptAction
    content: ActionContent
    first: bool  # of its repetitions

    @property
    def end(self) -> float:
        """When it is over."""
        return self.start + self.content.duration


@dataclass(frozen=True, eq=False)
class Schedule:
    """All actions of a script at their times, in order of these."""

    script: Script
    occurrences: tuple[Occurrence, ...]
    starts: Mapping[str, float]  # of actions by name, of the first time
    points: Mapping[str, Mapping[str, float]]  # sync points of each, in seconds of the script
    duration: float

    def moment(self, text: str) -> float | None:
        """The second of an action's sync point, ``wave.arrives``; of a name alone its start. None: there is none."""
        name, point = _split(text, self.points)
        return self.points.get(name, {}).get(point or "start")


def schedule(script: Script, body: Body) -> Schedule:
    """When each action is. Cycles and unknown names raise ``MotionFileError`` with their line."""
    contents = [_content(own, body) for own in script.actions]
    order = _Order(script, contents)
    starts = [order.start(i) for i in range(len(contents))]
    occurrences = []
    for own, content, start in zip(script.actions, contents, starts, strict=True):
        each = content.duration + own.row.pause
        occurrences += [Occurrence(start + k * each, own, content, k == 0) for k in range(own.row.repeat)]
    occurrences.sort(key=lambda own: own.start)
    end = max(own.end for own in occurrences) if script.end is None else script.end
    if end > LONGEST:
        last = max(occurrences, key=lambda own: own.end)
        raise script.error(last.action, "start", f"an end at {end:.4g} s", f"{LONGEST:g} s at most")
    late = next((own for own in occurrences if script.end is not None and own.end > end + 1e-6), None)
    if late is not None:
        found = f"{end:g} s, before {late.action.name} is over at {late.end:.4g} s"
        raise script.file.error(("end",), found, "a later end, or shorter actions")
    points = {own.name: order.points(i) for i, own in enumerate(script.actions)}
    return Schedule(
        script,
        tuple(occurrences),
        {own.name: start for own, start in zip(script.actions, starts, strict=True)},
        points,
        end + (CONTINUES if script.end is None else 0.0),
    )


def _content(own: ScriptAction, body: Body) -> ActionContent:
    """What an action of a script does: by its hand, in its time, on its parts."""
    made = own.action.content(body)
    if own.row.hand == "left":
        made = made.mirrored()
    if own.row.duration is not None:
        made = made.at_pace(own.row.duration)
    return made if own.parts is None else made.only(own.parts)


def _split(text: str, names: Mapping[str, object]) -> tuple[str, str]:
    """An action's name and a sync point of ``wave.arrives``; the point is empty where there is only a name."""
    if text in names:
        return text, ""
    found = max((name for name in names if text.startswith(f"{name}.")), key=len, default=None)
    if found is not None:
        return found, text[len(found) + 1 :]
    name, _, point = text.rpartition(".")
    return (name, point) if name else (text, "")


class _Order:
    """Starts of actions that depend on each other."""

    def __init__(self, script: Script, contents: list[ActionContent]) -> None:
        self.script, self.contents = script, contents
        self.index = {own.name: i for i, own in enumerate(script.actions)}
        self.found: dict[int, float] = {}

    def start(self, i: int) -> float:
        """When an action starts; what it depends on is found first."""
        stack = [i]
        while stack:
            current = stack[-1]
            if current in self.found:
                stack.pop()
                continue
            other, field_name = self._depends(current)
            if other is not None and other not in self.found:
                if other in stack:
                    self._refuse_cycle([*stack[stack.index(other) :], other], field_name)
                stack.append(other)
                continue
            self.found[current] = self._start(current, other, field_name)
            stack.pop()
        return self.found[i]

    def points(self, i: int) -> dict[str, float]:
        """Sync points of an action, in seconds of the script; its end is that of the last time."""
        own, content = self.script.actions[i], self.contents[i]
        made = {name: self.start(i) + at for name, at in content.sync.items()}
        made["end"] = self.start(i) + self._lasts(i)
        for k in range(1, own.row.repeat):
            shift = k * (content.duration + own.row.pause)
            made |= {f"{name}.{k + 1}": self.start(i) + shift + at for name, at in content.sync.items()}
        return made

    def _lasts(self, i: int) -> float:
        row = self.script.actions[i].row
        return row.repeat * (self.contents[i].duration + row.pause) - row.pause

    def _depends(self, i: int) -> tuple[int | None, str]:
        """The action that it waits for, and the field that says so."""
        row = self.script.actions[i].row
        if row.start is not None:
            return None, "start"
        for field_name, text in (("after", row.after), ("with", row.with_)):
            if text:
                return self._named(i, field_name, text)[0], field_name
        before = [j for j in range(i) if not self.script.actions[j].row.with_]
        return (before[-1] if before else None), ""

    def _named(self, i: int, field_name: str, text: str) -> tuple[int, str]:
        own = self.script.actions[i]
        name, point = _split(text, self.index)
        if name not in self.index:
            names = [other for other in self.index if other != own.name]
            expected = describe_choices(name, names) if names else "another action of the script"
            raise self.script.error(own, field_name, repr(text), f"{expected}, or a sync point such as name.arrives")
        return self.index[name], point

    def _start(self, i: int, other: int | None, field_name: str) -> float:
        own = self.script.actions[i]
        row = own.row
        if row.start is not None:
            at = row.start
        elif other is None:
            at = 0.0
        elif field_name:
            at = self._point(i, field_name, getattr(row, "after" if field_name == "after" else "with_"))
        else:
            at = self.found[other] + self._lasts(other)
        at += row.wait
        if row.sync:
            if row.sync not in self.contents[i].sync:
                expected = describe_choices(row.sync, tuple(self.contents[i].sync))
                raise self.script.error(own, "sync", repr(row.sync), f"a sync point of {own.action.name}: {expected}")
            at -= self.contents[i].sync[row.sync]
        if at < -1e-9:
            raise self.script.error(
                own, field_name or "wait", f"a start at {at:.4g} s", "a start from 0 s on; wait longer, or start later"
            )
        return max(at, 0.0)

    def _point(self, i: int, field_name: str, text: str) -> float:
        other, point = self._named(i, field_name, text)
        points = self.points(other)
        name = point or ("end" if field_name == "after" else "start")
        if name not in points:
            found = f"{text!r}, of which {self.script.actions[other].name} has no {name}"
            raise self.script.error(self.script.actions[i], field_name, found, describe_choices(name, tuple(points)))
        return points[name]

    def _refuse_cycle(self, stack: list[int], field_name: str) -> None:
        names = " → ".join(self.script.actions[i].name for i in stack)
        last = self.script.actions[stack[-2]]
        raise self.script.error(
            last,
            field_name,
            f"a cycle of actions that wait for each other: {names}",
            "one of them that starts by itself",
        )
