"""Scripts to phrases: actions on tracks, one after the other or at once, become one phrase on a body.

What actions ask as properties becomes claims of the rank ``action``, what edits of the script ask those of ``edit``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinesphere.body.body import Body
from kinesphere.engine.embodiment import embody
from kinesphere.engine.pose import Actor
from kinesphere.engine.posture import upright_shoulder
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.maths.vectors import Floats
from kinesphere.motion.claim import Claim
from kinesphere.motion.edit import Layer, PhraseEdit
from kinesphere.motion.gesture import ANGLE, CHANNELS, Palm
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.look import Look
from kinesphere.motion.memo import memoised
from kinesphere.motion.phrase import SAMPLES, WORLD, Phrase, Track, part_of_channel
from kinesphere.motion.referent import Kind, Referent
from kinesphere.motion.registry import PluginError
from kinesphere.motion.scope import Scope, time_window
from kinesphere.motion.world_goal import WorldGoal
from kinesphere.performance.property_rows import AskedProperty
from kinesphere.scripts.action_file import GazeRow, GoalRow
from kinesphere.scripts.content import ArmKey, is_rest, part_of, resting_value
from kinesphere.scripts.scheduling import Occurrence, Schedule, schedule
from kinesphere.scripts.script_file import Script
from kinesphere.scripts.tracks import TINY, ArmRow, ChannelRow, FeetRows, Standpoint

TO_POINT = {"fingertips": 0.29, "palm": 0.16, "grip": 0.16, "wrist": 0.0}  # arm lengths from the wrist
POINTS_AT = 0.84  # arm lengths from the shoulder, of a hand that points
NEAREST = 0.25  # arm lengths from the shoulder, that a hand comes at least
LOOKS_OVER = 0.35  # seconds over which a look comes and goes
OVERLAPS = 0.06  # seconds that two actions on a part may
POINT_OF = {"touch": "fingertips", "hold": "grip"}
GIVES_WAY = 0.3  # seconds
CLOSE = 0.04  # seconds
QUICKEST, SLOWEST = 0.2, 0.9  # seconds in which a hand comes to its place, and goes from there
# Of what goes over from one action to the next: leg lengths, or radians a second of trunk and head, of hands and eyes.
FASTEST_MOVE, FASTEST_TURN = 0.7, 2.0
FASTEST = {"hand": 8.0, "eyes": 8.0, "arm": 3.0}
FREES = 0.4  # seconds in which a hand loses the shape that it had
# Joint groups of a script's parts, where they are not one of the same name.
GROUPS_OF = {f"{side}_arm": (f"{side}_arm", f"{side}_hand") for side in SIDES}


@memoised
def script_phrase(script: Script, body: Body, seed: int | None = None) -> Phrase:
    """The phrase of a script on a body. Errors name the script's file and line."""
    times = schedule(script, body)
    check_claims(times)
    made = _Assembly(times, body)
    for own in times.occurrences:
        made.add(own)
    phrase = made.phrase(seed)
    claims = [claim for own in times.occurrences for claim in _claims_of(times, own, phrase)]
    layers = []
    for i, edit in enumerate(script.edits):
        scope = _stretch(times, i)
        if isinstance(edit.asked, Layer):
            layers.append(Layer(edit.asked.edit, scope))
            continue
        asked = replace(edit.asked, scope=scope)
        claims += _guarded(script, ("edit", i), asked, phrase, "edit", f"{i + 1}")
    phrase = replace(phrase, claims=tuple(claims))
    if script.sketch is not None:
        phrase = script.sketch.apply(phrase)
    for layer in layers:
        assert isinstance(layer.edit, PhraseEdit)
        phrase = layer.edit.apply(phrase, layer.scope)
    return phrase


# Conflicts


def check_claims(times: Schedule) -> None:
    """Refuse two actions that need the same part at the same time, unless the later one says that it takes over."""
    taken: dict[str, tuple[Occurrence, float]] = {}
    for own in times.occurrences:
        for part, (start, end) in busy(own).items():
            before = taken.get(part)
            if before is not None and start < before[1] - OVERLAPS and not own.action.row.interrupt:
                other = before[0].action
                line = times.script.file.lines.get(("action", other.index), 0)
                found = (
                    f"{own.action.name} on the {part.replace('_', ' ')} from {start:.2f} s on, which {other.name} "
                    f"(line {line}) needs until {before[1]:.2f} s"
                )
                expected = "a later start, other tracks, or interrupt = true, which takes the part over"
                raise times.script.error(
                    own.action, "start" if own.action.row.start is not None else "do", found, expected
                )
            if before is None or end > before[1]:
                taken[part] = own, end


def busy(own: Occurrence) -> dict[str, tuple[float, float]]:
    """From when to when an action needs each of its parts, in seconds of the script."""
    content, made = own.content, dict[str, tuple[float, float]]()
    for part in sorted(content.parts):
        times: list[float] = []
        side, _, kind = part.partition("_")
        if kind == "arm" and side in content.arms:
            keys = content.arms[side]
            times = [key.at for key in keys] + ([] if is_rest(keys[0], side) else [0.0])  # a hand sets out at once
        elif kind == "leg" and side in content.steps:
            times = [at for step in content.steps[side] for at in (step.lift, step.land)]
        else:
            times = [at for name, rows in content.curves.items() if part_of(name) == part for at, _ in rows]
        if part == "gaze":
            times += [look.at for look in content.looks]
        if times:
            made[part] = own.start + min(times), own.start + max(times)
    return made


# Tracks


class HandGoal(NamedTuple):
    """A goal of a hand in a script, and where the body stands then."""

    action: Occurrence
    goal: GoalRow
    stands: Standpoint


def reaches_of(script: Script, body: Body) -> list[HandGoal]:
    """The goals of hands in a script, with where the body stands."""
    times = schedule(script, body)
    made = _Assembly(times, body)
    for own in times.occurrences:
        made.add(own)
    return made.reaches


class _Assembly:
    """Tracks of a script, filled by its actions in time."""

    def __init__(self, times: Schedule, body: Body) -> None:
        self.times, self.body = times, body
        self.channels: dict[str, ChannelRow] = {}
        self.arms = {side: ArmRow(side) for side in SIDES}
        self.feet = FeetRows()
        self.goals: list[WorldGoal] = []
        self.referents: list[Referent] = []
        self.needed: dict[str, float] = {}  # part to when an action that needs it is over with it
        self.reaches: list[HandGoal] = []

    def add(self, own: Occurrence) -> None:
        """Add one action."""
        content, start = own.content, own.start
        stands = self.feet.stands
        transition = own.action.transition if own.first else 0.0
        for side, keys in content.arms.items():
            self._release(side, start)
            self.arms[side].go_on([self._key(key, side, start, stands) for key in keys], start, transition)
        for side, palms in content.palms.items():
            self.arms[side].add_palms([replace(palm, time=start + palm.time) for palm in palms], start)
        self._free_hands(own, transition)
        for name, rows in content.curves.items():
            self._add_channel(name, [(start + at, value) for at, value in rows], own, transition)
        steps = [
            (side, replace(step, lift=start + step.lift, land=start + step.land))
            for side, rows in content.steps.items()
            for step in rows
        ]
        self.feet.take(steps, follows=own.action.action.written.walk is not None or "hips.z" not in content.curves)
        for goal in content.goals:
            self._add_goal(goal, start, own)
        self.referents += [
            replace(
                referent,
                start=start + referent.start,
                end=start + referent.end,
                target=None if referent.target is None else self._place(referent.target, stands),
            )
            for referent in content.referents
        ]
        for part, (_, end) in busy(own).items():
            self.needed[part] = max(self.needed.get(part, 0.0), end)

    def phrase(self, seed: int | None) -> Phrase:
        """The phrase of all that was added."""
        channels = self.feet.carry(self.channels)
        curves: dict[str, dict[str, ChannelRow]] = {}
        for name, row in channels.items():
            curves.setdefault(part_of_channel(name), {})[name] = row
        tracks: dict[str, Track] = {}
        for part in dict.fromkeys((*curves, *(f"{side}_{limb}" for side in SIDES for limb in ("arm", "leg")))):
            own = {name: row.curve() for name, row in curves.get(part, {}).items()}
            side, _, limb = part.partition("_")
            track = Track(curves=own)
            if limb == "arm":
                arm = self.arms[side]
                track = replace(track, keys=arm.phrase_keys(), palms=tuple(arm.palms))
            elif limb == "leg":
                track = replace(track, steps=tuple(self.feet.steps[side]))
            if track.curves or track.keys is not None or track.steps or track.palms:
                tracks[part] = track
        name = self.times.script.name.replace("_", " ")
        return Phrase(
            name,
            self.body,
            self._duration(),
            tracks,
            seed=seed,
            referents=tuple(self.referents),
            goals=tuple(self.goals),
        )

    def _duration(self) -> float:
        last = [self.times.duration, *(arm.last for arm in self.arms.values()), *(map(self.feet.last, SIDES))]
        return max(last)

    def _add_channel(self, name: str, rows: list[tuple[float, float]], own: Occurrence, transition: float) -> None:
        neutral = resting_value(name)
        if name not in self.channels and all(value == neutral for _, value in rows):
            return
        row = self.channels.setdefault(name, ChannelRow(neutral=neutral))
        needs = part_of(name) in own.content.parts
        if row.last <= rows[0][0] or needs or not row.times:
            row.go_on(rows, own.start, transition, _fastest(name) if own.action.row.transition is None else np.inf)
            return
        if self.needed.get(part_of(name), 0.0) > own.start + GIVES_WAY:  # somebody else's: it goes along afterwards
            since = self.needed[part_of(name)]
            left = [(at, value) for at, value in rows if at > since]
            if left:
                row.go_on(left, since, transition)
            return
        row.add([(own.start, neutral), *((at, value) for at, value in rows if at > own.start + 1e-4)])

    def _free_hands(self, own: Occurrence, transition: float) -> None:
        """What an earlier action left on a hand or shoulder goes, where this one takes the arm and does not name it."""
        at = own.start + max(transition, FREES)
        for side in own.content.arms:
            if side not in own.content.palms:
                self.arms[side].add_palms([Palm(at)], own.start)
            for name, row in self.channels.items():
                if part_of(name) != f"{side}_arm" or name in own.content.curves:
                    continue
                if abs(row.at(own.start) - row.neutral) > TINY or row.last > own.start:
                    row.go_on([(at, row.neutral)], own.start, transition)

    # Places

    def _key(self, key: ArmKey, side: str, start: float, stands: Standpoint) -> ArmKey:
        if key.goal is not None:
            place = self._wrist_at(key.goal, side, stands)
            return key._replace(at=start + key.at, position=place, goal=None)
        if key.space == WORLD:
            return key._replace(at=start + key.at, position=self._place(key.position, stands))
        return key._replace(at=start + key.at)

    def _place(self, place: tuple[float, float, float], stands: Standpoint) -> tuple[float, float, float]:
        """A place in metres that a body sees from where it stands, in the world."""
        leg = LEG * self._actor.size
        x, z = stands.place(place[0] / leg, place[2] / leg)
        return leg * x, place[1], leg * z

    @property
    def _actor(self) -> Actor:
        return embody(self.body).actor

    def _wrist_at(self, goal: GoalRow, side: str, stands: Standpoint) -> tuple[float, float, float]:
        """About where the wrist is when a point of the hand is at a place; the solver brings it there."""
        target, shoulder = np.array(goal.place), self._shoulder(side, stands)
        arm = ARM * self._actor.arm_size
        away: Floats = target - shoulder
        far = float(np.linalg.norm(away))
        along = away / far if far > 1e-6 else np.array([0.0, 0.0, 1.0])
        if goal.do == "point":
            x, y, z = (shoulder + POINTS_AT * arm * along).tolist()
        else:
            back = TO_POINT[goal.point or POINT_OF[goal.do]]
            x, y, z = (shoulder + max(far - back * arm, NEAREST * arm) * along).tolist()
        return x, y, z

    def _shoulder(self, side: str, stands: Standpoint) -> Floats:
        """Where a shoulder of the upright body is."""
        x, y, z = (self._actor.arm_size * upright_shoulder(self._actor)).tolist()
        return np.array(self._place((x if side == "left" else -x, y, z), stands))

    def _release(self, side: str, time: float) -> None:
        """Let a hand go of what it holds, touches and aims at: another action takes its arm from a moment on."""
        self.goals = [
            own if own.role != f"{side}Hand" or own.end <= time else replace(own, end=time, after=FREES)
            for own in self.goals
            if own.role != f"{side}Hand" or own.start < time
        ]
        self.referents = [
            own if side not in own.sides or own.end <= time else replace(own, end=time, after=FREES)
            for own in self.referents
            if side not in own.sides or own.start < time
        ]

    def _add_goal(self, goal: GoalRow, start: float, own: Occurrence) -> None:
        begins, ends = start + goal.at, start + goal.end
        self.reaches.append(HandGoal(own, goal, self.feet.stands))
        name = f"{own.action.name}.{goal.name}" if goal.name else own.action.name
        fades = self._strokes_around(goal.hand, begins, ends)
        if goal.do == "point":
            before, after = fades
            aim = Referent(Kind.AIM, goal.hand, begins, ends, target=goal.place, before=before, after=after)
            self.referents.append(aim)
            return
        point = goal.point or POINT_OF[goal.do]
        self.goals.append(WorldGoal(f"{goal.hand}Hand", goal.place, begins, ends, point, *fades, name=name))

    def _strokes_around(self, side: str, begins: float, ends: float) -> tuple[float, float]:
        """How long the stroke to a goal takes, and the one from it: all the way the hand comes to its place."""
        times = [own.at for own in self.arms[side].keys]
        before = max((at for at in times if at < begins - CLOSE), default=0.0)
        after = min((at for at in times if at > ends + CLOSE), default=ends + SLOWEST)
        comes, goes = (min(max(own, QUICKEST), SLOWEST) for own in (begins - before, after - ends))
        return comes, goes


def _fastest(name: str) -> float:
    """How fast a channel goes over from one action to the next, in its engine's unit a second."""
    part = "eyes" if name.startswith("eyes.") else name.split(".")[-2]
    return FASTEST.get(part, FASTEST_TURN if CHANNELS[name] == ANGLE else FASTEST_MOVE)


# Claims


def _claims_of(times: Schedule, own: Occurrence, phrase: Phrase) -> Iterator[Claim]:
    """What an action asks as properties, and where it looks."""
    script, index, name = times.script, own.action.index, own.action.name
    for i, asked in enumerate(own.content.properties):
        moved = _moved(asked, own, times, phrase)
        yield from _guarded(script, ("action", index), moved, phrase, "action", name, f"property {i + 1} of its file")
    for i, asked in enumerate(own.action.properties):
        moved = _moved(asked, own, times, phrase)
        yield from _guarded(script, ("action", index, "property", i), moved, phrase, "action", name)
    looks = own.content.looks
    for i, look in enumerate(looks):
        later = looks[i + 1].at if i + 1 < len(looks) else own.content.duration
        yield _look_claim(look, own, later, phrase)


def _look_claim(look: GazeRow, own: Occurrence, later: float, phrase: Phrase) -> Claim:
    start, end = own.start + look.at, own.start + (later if look.until is None else look.until)
    window = time_window(phrase.times, start, max(end, start + 0.1) + LOOKS_OVER, LOOKS_OVER)
    target = look.to
    if isinstance(target, str):
        side, _, part = target.partition(" ")
        target = f"{side}Hand" if part == "hand" else target
    return Claim("gaze", Look(target), weight=look.amount * window, by="gaze", source="action", origin=own.action.name)


def _moved(asked: AskedProperty, own: Occurrence, times: Schedule, phrase: Phrase) -> AskedProperty:
    """A property of an action in seconds of the script; without a scope of its own it holds as long as the action."""
    scope = asked.scope
    start = own.start + (scope.start or 0.0)
    end = own.end if scope.end is None else own.start + scope.end
    if scope.start is None and own.start <= 0.0:
        start = -scope.fade  # it is there when the script begins, and when it ends
    last = scope.end is None and own.end >= times.duration - 0.5
    parts = scope.parts
    if parts is None and own.action.parts is not None:
        parts = tuple(group for part in sorted(own.action.parts) for group in GROUPS_OF.get(part, (part,)))
    if end <= start:
        end = start + 1.0 / SAMPLES
    made = Scope(start, None if last else end, parts, scope.strength, scope.fade)
    return AskedProperty(asked.edit.at_times_of(own.start), made)


def _guarded(
    script: Script,
    place: tuple[int | str, ...],
    asked: AskedProperty,
    phrase: Phrase,
    source: str,
    origin: str,
    what: str = "",
) -> tuple[Claim, ...]:
    """The claims of a property; what is wrong with it has the line of its row."""
    try:
        return asked.claims(phrase, source=source, origin=origin)
    except (ValueError, PluginError) as error:
        found = f"{what}, " if what else ""
        raise script.file.error(place, f"{found}{error}", "values that the property allows") from error


def _stretch(times: Schedule, i: int) -> Scope:
    """The scope of an edit of a script, with seconds in place of sync points."""
    edit = times.script.edits[i]
    scope = edit.asked.scope
    start, end = (
        _moment(times, i, name, value) if isinstance(value, str) else value
        for name, value in (("start", edit.start), ("end", edit.end))
    )
    try:
        return replace(scope, start=start, end=end)
    except ValueError as error:
        raise times.script.file.error(("edit", i), str(error), "an end after the start") from None


def _moment(times: Schedule, i: int, name: str, value: str) -> float:
    point = f"{value}.end" if name == "end" and value in times.points else value
    found = times.moment(point)
    if found is None:
        known = [f"{own}.{key}" for own, keys in times.points.items() for key in keys]
        expected = f"seconds, or one of {', '.join((*times.points, *known[:12]))}"
        raise times.script.file.error(("edit", i, name), repr(value), expected)
    return found
