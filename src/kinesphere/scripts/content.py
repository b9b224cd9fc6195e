"""Contents of an action: keys of arms, curves of channels, palms, steps, goals, looks, from all that its file has.

Times are the action's own seconds. Arms are in arm lengths, hips and feet in leg lengths, all as seen by the body from
where it stands when the action begins; only goals and places that are looked at are in the world.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere.body.body import Body
from kinesphere.direction.body_language import in_engine_units
from kinesphere.engine.phrases import phrase_of
from kinesphere.engine.proportions import ARM, LEG
from kinesphere.engine.recruitment import channels_of
from kinesphere.files.gesture_toml import ShapeKey
from kinesphere.motion.gesture import CHANNELS, SHAPES, Gesture, Palm, Step, resting_swivel, resting_wrist
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import CHEST, WORLD, part_of_channel
from kinesphere.motion.referent import Referent
from kinesphere.performance.property_rows import AskedProperty
from kinesphere.scripts.action_file import ActionFile, GazeRow, GoalRow, OscillationRow, PoseRow
from kinesphere.scripts.arm_angles import ArmJointAngles, arm_key
from kinesphere.scripts.walking import walk_steps

SAME = 1e-4  # arm lengths: what is nearer to where an arm hangs hangs
NEGATED = (
    "torso.side",
    "torso.turn",
    "head.tilt",
    "head.turn",
    "eyes.turn",
    "hips.x",
    "hips.turn",
    "hips.tilt",
    "hips.heading",
)
AFTER = 0.35  # seconds after the last thing of an action without a duration
LEGS = ("left_leg", "right_leg")
Rows: TypeAlias = list[tuple[float, float]]


class ArmKey(NamedTuple):
    """One key of a wrist; see ``motion.phrase.Keys``. A goal's place is found when it is known where the body is."""

    at: float
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    swivel: float = 0.0
    stop: bool = True
    space: str = CHEST
    ease: float = 0.5
    goal: GoalRow | None = None


def rest_key(side: str, at: float, ease: float = 0.5) -> ArmKey:
    """The key of an arm that hangs."""
    x, y, z = (value / ARM for value in resting_wrist(side))
    return ArmKey(at, (x, y, z), resting_swivel(side), ease=ease)


def is_rest(key: ArmKey, side: str) -> bool:
    """Whether an arm hangs at a key."""
    away = np.array(key.position) - np.array(rest_key(side, 0.0).position)
    return key.goal is None and key.space == CHEST and float(np.abs(away).max()) < SAME


@dataclass(frozen=True, eq=False)
class ActionContent:
    """What an action does.

    Attributes
    ----------
    parts
        Parts that it needs; others go along.
    rests
        Moments at which all that it moves is back at rest.
    """

    duration: float
    transition: float
    parts: frozenset[str]
    arms: Mapping[str, list[ArmKey]] = field(default_factory=dict)
    curves: Mapping[str, Rows] = field(default_factory=dict)
    palms: Mapping[str, list[Palm]] = field(default_factory=dict)
    steps: Mapping[str, list[Step]] = field(default_factory=dict)
    goals: tuple[GoalRow, ...] = ()
    looks: tuple[GazeRow, ...] = ()
    referents: tuple[Referent, ...] = ()
    rests: tuple[float, ...] = ()
    sync: Mapping[str, float] = field(default_factory=dict)
    properties: tuple[AskedProperty, ...] = ()

    @property
    def moves(self) -> frozenset[str]:
        """All parts that it moves."""
        made = {part_of(name) for name in self.curves}
        made |= {f"{side}_arm" for side in (*self.arms, *self.palms)} | {f"{side}_leg" for side in self.steps}
        return frozenset(made | ({"gaze"} if self.looks else set()))

    def only(self, parts: frozenset[str]) -> ActionContent:
        """The same on some parts alone."""
        needed = self.parts & parts or self.moves & parts
        return replace(
            self,
            parts=needed,
            arms={side: own for side, own in self.arms.items() if f"{side}_arm" in parts},
            curves={name: own for name, own in self.curves.items() if part_of(name) in parts},
            palms={side: own for side, own in self.palms.items() if f"{side}_arm" in parts},
            steps={side: own for side, own in self.steps.items() if f"{side}_leg" in parts},
            goals=tuple(own for own in self.goals if f"{own.hand}_arm" in parts),
            looks=self.looks if "gaze" in parts else (),
            referents=tuple(own for own in self.referents if all(f"{side}_arm" in parts for side in own.sides)),
        )

    def at_pace(self, duration: float) -> ActionContent:
        """The same in so many seconds."""
        pace = duration / self.duration
        if pace == 1.0:
            return self

        def rows(given: Rows) -> Rows:
            return [(pace * at, value) for at, value in given]

        def goal(own: GoalRow) -> GoalRow:
            return replace(own, at=pace * own.at, until=None if own.until is None else pace * own.until)

        return replace(
            self,
            duration=duration,
            arms={
                side: [
                    own._replace(at=pace * own.at, goal=None if own.goal is None else goal(own.goal)) for own in keys
                ]
                for side, keys in self.arms.items()
            },
            curves={name: rows(own) for name, own in self.curves.items()},
            palms={side: [replace(own, time=pace * own.time) for own in palms] for side, palms in self.palms.items()},
            steps={
                side: [replace(own, lift=pace * own.lift, land=pace * own.land) for own in steps]
                for side, steps in self.steps.items()
            },
            goals=tuple(goal(own) for own in self.goals),
            looks=tuple(
                replace(own, at=pace * own.at, until=None if own.until is None else pace * own.until)
                for own in self.looks
            ),
            referents=tuple(replace(own, start=pace * own.start, end=pace * own.end) for own in self.referents),
            rests=tuple(pace * own for own in self.rests),
            sync={name: pace * own for name, own in self.sync.items()},
            properties=tuple(own.at_pace(pace) for own in self.properties),
        )

    def mirrored(self) -> ActionContent:
        """The same by the other hand; places in the world stay."""

        def curve(name: str) -> str:
            side, dot, rest = name.partition(".")
            return f"{other_side(side)}{dot}{rest}" if side in SIDES else name

        def goal(own: GoalRow) -> GoalRow:
            return replace(own, hand=other_side(own.hand))

        return replace(
            self,
            parts=frozenset(_other_part(part) for part in self.parts),
            arms={
                other_side(side): [
                    own._replace(
                        position=(-own.position[0], own.position[1], own.position[2]),
                        swivel=-own.swivel,
                        goal=None if own.goal is None else goal(own.goal),
                    )
                    for own in keys
                ]
                for side, keys in self.arms.items()
            },
            curves={
                curve(name): [(at, -value if name in NEGATED else value) for at, value in own]
                for name, own in self.curves.items()
            },
            palms={
                other_side(side): [
                    own
                    if own.direction is None
                    else replace(own, direction=(-own.direction[0], own.direction[1], own.direction[2]))
                    for own in palms
                ]
                for side, palms in self.palms.items()
            },
            steps={
                other_side(side): [replace(own, x=-own.x, turn=-own.turn) for own in steps]
                for side, steps in self.steps.items()
            },
            goals=tuple(goal(own) for own in self.goals),
            looks=tuple(
                replace(own, to=f"{other_side(own.to.split()[0])} hand")
                if isinstance(own.to, str) and own.to.endswith("hand")
                else own
                for own in self.looks
            ),
            referents=tuple(
                own if own.arm == "both" else replace(own, arm=other_side(own.arm)) for own in self.referents
            ),
        )


def other_side(side: str) -> str:
    """``left`` of ``right``."""
    return {"left": "right", "right": "left"}.get(side, side)


def _other_part(part: str) -> str:
    side, under, rest = part.partition("_")
    return f"{other_side(side)}{under}{rest}" if side in SIDES else part


def part_of(channel: str) -> str:
    """The part of a script that a channel belongs to: hands go with their arms."""
    side = channel.partition(".")[0]
    part = part_of_channel(channel)
    return f"{side}_arm" if part == "hands" else part


def action_content(
    written: ActionFile, gesture: Gesture | None, properties: tuple[AskedProperty, ...], body: Body
) -> ActionContent:
    """All that an action does, on a body, for its right hand as it is written."""
    made = _Gathered(frozenset(written.parts))
    if gesture is not None:
        made.add_gesture(gesture, body)
    if written.walk is not None:
        made.add_walk(written)
    poses = sorted(written.pose, key=lambda own: own.at)
    for pose in poses:
        if not pose.rest:
            made.add_pose(pose)
    for goal in written.goal:
        made.add_goal(goal)
    for wave in written.oscillation:
        made.add_oscillation(wave)
    for pose in poses:  # what is back at rest is known when all else is
        if pose.rest:
            made.add_pose(pose)
    duration = written.duration
    if duration is None:
        last = max([made.last, *(own.until or own.at for own in written.gaze), *written.sync.values()], default=0.0)
        named = gesture is not None and bool(written.gesture)
        duration = gesture.duration if gesture is not None and named and last <= gesture.duration else last + AFTER
    for side in SIDES:
        made.arms[side].sort(key=lambda own: own.at)
        made.palms[side].sort(key=lambda own: own.time)
    curves = {name: sorted(rows) for name, rows in made.curves.items()}
    content = ActionContent(
        duration=duration,
        transition=written.transition,
        parts=frozenset(written.parts),
        arms={side: own for side, own in made.arms.items() if own},
        curves=curves,
        palms={side: own for side, own in made.palms.items() if own},
        steps={side: own for side, own in made.steps.items() if own},
        goals=tuple(sorted(written.goal, key=lambda own: own.at)),
        looks=tuple(sorted(written.gaze, key=lambda own: own.at)),
        referents=tuple(made.referents),
        rests=tuple(own.at for own in written.pose if own.rest),
        properties=properties,
    )
    if not content.parts:
        content = replace(content, parts=_needed(content))
    return replace(content, sync=_sync_points(written, content))


def _needed(content: ActionContent) -> frozenset[str]:
    """The parts that an action needs where it does not say: arms with keys and legs that step; else all it moves."""
    own = {f"{side}_arm" for side in content.arms}
    if content.steps:
        own |= {*LEGS, "hips"}
    return frozenset(own) or content.moves


def _sync_points(written: ActionFile, content: ActionContent) -> dict[str, float]:
    """Moments by name: those of the file, named goals, when the hand first arrives, and both ends."""
    made = {"start": 0.0, "end": content.duration}
    arrivals = [own.at for own in content.goals]
    for side, keys in content.arms.items():
        arrivals += [own.at for own in keys if own.stop and own.goal is None and not is_rest(own, side)]
    if arrivals:
        made["arrives"] = min(arrivals)
    landings = [step.land for steps in content.steps.values() for step in steps]
    if landings:
        made["lands"] = max(landings)
    made |= {own.name: own.at for own in content.goals if own.name}
    return made | dict(written.sync)


class _Gathered:
    """What is gathered of an action's file."""

    def __init__(self, parts: frozenset[str] = frozenset()) -> None:
        self.parts = parts  # that the file names: all of these come to rest
        self.arms: dict[str, list[ArmKey]] = {side: [] for side in SIDES}
        self.palms: dict[str, list[Palm]] = {side: [] for side in SIDES}
        self.steps: dict[str, list[Step]] = {side: [] for side in SIDES}
        self.curves: dict[str, Rows] = {}
        self.referents: list[Referent] = []

    @property
    def last(self) -> float:
        """When the last of it is."""
        times = [own.at for keys in self.arms.values() for own in keys]
        times += [own.goal.end for keys in self.arms.values() for own in keys if own.goal is not None]
        times += [own.time for palms in self.palms.values() for own in palms]
        times += [own.land for steps in self.steps.values() for own in steps]
        times += [at for rows in self.curves.values() for at, _ in rows]
        return max(times, default=0.0)

    def add_gesture(self, gesture: Gesture, body: Body) -> None:
        """Keys, curves, palms, steps and referents of a gesture."""
        phrase = phrase_of(gesture, body)
        for track in phrase.tracks.values():
            for name, curve in track.curves.items():
                self.curves.setdefault(name, []).extend(zip(curve.times, curve.values, strict=True))
        for side in SIDES:
            track = phrase.arm(side)
            self.palms[side] += track.palms
            self.steps[side] += phrase.track(f"{side}_leg").steps
            if track.keys is None:
                continue
            keys = track.keys
            for i in range(len(keys)):
                x, y, z = keys.positions[i].tolist()
                stop = bool(keys.stops[i])
                own = float(keys.times[i]), (x, y, z), float(keys.swivels[i]), stop, keys.spaces[i]
                self.arms[side].append(ArmKey(*own, float(keys.inflections[i])))
        self.referents += phrase.referents

    def add_walk(self, written: ActionFile) -> None:
        """Steps, and what goes along."""
        assert written.walk is not None
        walked = walk_steps(written.walk)
        for side, steps in walked.steps.items():
            self.steps[side] += [replace(own, x=own.x / LEG, z=own.z / LEG) for own in steps]
        for name, rows in walked.curves.items():
            size = LEG if name in ("hips.x", "hips.y", "hips.z") else 1.0
            self.curves.setdefault(name, []).extend((at, value / size) for at, value in rows)

    def add_pose(self, pose: PoseRow) -> None:
        """Partial angles at a moment, and while they are held."""
        moments = (pose.at,) if pose.hold == 0.0 else (pose.at, pose.at + pose.hold)
        values: dict[str, float] = {}
        for name, value in pose.channels.items():
            values |= dict.fromkeys(channels_of(name), in_engine_units(name, value))
        for side in SIDES:
            shape: str | None = getattr(pose, f"{side}_hand")
            if shape is not None:
                values |= hand_values(side, shape)
            angles: ArmJointAngles | None = getattr(pose, f"{side}_arm")
            if angles is not None:
                position, swivel = arm_key(angles, side)
                self.arms[side] += [ArmKey(at, position, swivel, not pose.via, ease=pose.ease) for at in moments]
            elif pose.rest and (self.arms[side] or f"{side}_arm" in self.parts):
                self.arms[side] += [rest_key(side, at, pose.ease) for at in moments]
                if not self.palms[side] or self.palms[side][-1].direction is not None:
                    self.palms[side].append(Palm(pose.at))
        if pose.rest:
            names = {*self.curves, *(name for name in CHANNELS if part_of(name) in self.parts)}
            values = {name: resting_value(name) for name in sorted(names)} | values
        for name, value in values.items():
            self.curves.setdefault(name, []).extend((at, value) for at in moments)

    def add_goal(self, goal: GoalRow) -> None:
        """Keys at a place of the world, and how the hand is held there."""
        side = goal.hand
        moments = (goal.at,) if goal.end - goal.at < SAME else (goal.at, goal.end)
        swivel = (1.0 if side == "left" else -1.0) * math.radians(goal.swivel)
        self.arms[side] += [ArmKey(at, swivel=swivel, space=WORLD, ease=goal.ease, goal=goal) for at in moments]
        if goal.palm is not None:
            x, y, z = goal.palm
            sign = 1.0 if side == "left" else -1.0
            self.palms[side] += [Palm(at, (sign * x, y, z)) for at in moments]
        shape = goal.shape or ("pointing" if goal.do == "point" else None)
        if shape is not None:
            for name, value in hand_values(side, shape).items():
                self.curves.setdefault(name, []).extend((at, value) for at in moments)

    def add_oscillation(self, wave: OscillationRow) -> None:
        """Something that goes to and fro: at each half period it is at one side."""
        count = max(round(2.0 * (wave.end - wave.start) * wave.rate), 2)
        half = (wave.end - wave.start) / count
        times = [wave.start, *(wave.start + (i + 0.5) * half for i in range(count)), wave.end]
        sizes = (1.0 - wave.fade * i / (count - 1) for i in range(count))
        signs = [0.0, *(size if i % 2 == 0 else -size for i, size in enumerate(sizes)), 0.0]
        arm, _, joint = wave.joint.rpartition(".")
        if arm in ("right_arm", "left_arm"):
            self._swing_arm(arm.removesuffix("_arm"), joint, wave, zip(times, signs, strict=True))
            return
        rows = [(at, sign * in_engine_units(wave.joint, wave.size)) for at, sign in zip(times, signs, strict=True)]
        for name in channels_of(wave.joint):
            own = self.curves.setdefault(name, [])
            if own:  # about where the channel is
                at, value = zip(*sorted(own), strict=True)
                rows = [(time, offset + float(np.interp(time, at, value))) for time, offset in rows]
            own[:] = [(time, value) for time, value in own if not times[0] <= time <= times[-1]] + rows

    def _swing_arm(self, side: str, joint: str, wave: OscillationRow, rows: Iterable[tuple[float, float]]) -> None:
        about = wave.about or ArmJointAngles(elevation=20.0, elbow=90.0)
        low, high = {"elevation": (-60.0, 180.0), "plane": (-90.0, 180.0), "elbow": (0.0, 150.0)}.get(
            joint, (-120.0, 120.0)
        )
        for at, sign in rows:
            value = min(max(getattr(about, joint) + sign * wave.size, low), high)
            position, swivel = arm_key(replace(about, **{joint: value}), side)
            self.arms[side].append(ArmKey(at, position, swivel))


def resting_value(channel: str) -> float:
    """A channel's value where a body stands at rest."""
    return float(channel.endswith("hand.loose"))


def hand_values(side: str, text: str) -> dict[str, float]:
    """Channels of a hand's shape, ``fist 0.8``; all others of them are none."""
    weights = ShapeKey(0.0, text).weights()
    return {f"{side}.hand.{shape}": weights.get(shape, 0.0) for shape in SHAPES[1:]}
