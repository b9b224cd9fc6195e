"""Tracks of a script, filled action by action: each begins from wherever the body is.

Where a hand was left, an action's first keys at rest are dropped, and the hand stays until it has something to do.
Channels go over from what they were within the action's transition. Feet step from where they stand.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from kinesphere.engine.legs import HIPS_EARLY
from kinesphere.engine.pose import ANKLE_OUT, FEET_AHEAD, SIGN
from kinesphere.engine.proportions import LEG
from kinesphere.maths.interpolation import monotone_cubic
from kinesphere.maths.vectors import Floats, smootherstep
from kinesphere.motion.gesture import Curve, Palm, Step
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.phrase import CHEST, Keys
from kinesphere.scripts.content import ArmKey, Rows, is_rest, rest_key

CLOSE = 0.04  # seconds: keys that are nearer to each other than this are one
SHORTEST = 1e-4  # seconds from key to key of a channel
TINY = 1e-9  # of a channel
PEAK = 1.875  # of the mean speed of a transition
AWAY = 0.04  # arm lengths: a key that is nearer to where a hand is needs no time to be reached
TRUNK_OUT, TRUNK_UP, TRUNK_AHEAD = 0.05, 0.15, 0.32  # arm lengths from the shoulder: what is less is in the trunk
TRAVELS = ("hips.x", "hips.z", "hips.heading")


class Standpoint(NamedTuple):
    """Where a body stands: leg lengths to the left and ahead of where it began, radians to the left."""

    x: float = 0.0
    z: float = 0.0
    turn: float = 0.0

    def place(self, x: float, z: float) -> tuple[float, float]:
        """A place that is seen from here, as seen from where it began."""
        sine, cosine = np.sin(self.turn), np.cos(self.turn)
        return self.x + float(cosine * x + sine * z), self.z + float(cosine * z - sine * x)


def _stance(side: str) -> tuple[float, float]:
    return SIGN[side] * ANKLE_OUT / LEG, FEET_AHEAD / LEG


# Channels


@dataclass(eq=False)
class ChannelRow:
    """Keys of one channel in time."""

    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    neutral: float = 0.0

    @property
    def last(self) -> float:
        """When its last key is."""
        return self.times[-1] if self.times else 0.0

    def at(self, time: float) -> float:
        """Its value at a moment."""
        if not self.times:
            return self.neutral
        return float(monotone_cubic(self.times, self.values, np.array([time]))[0])

    def go_on(self, rows: Rows, start: float, transition: float, fastest: float = np.inf) -> None:
        """Go over from where it is at ``start`` to rows ``(time, value)``; what was to come after it is left out.

        It takes longer than the transition where it is far, so that it is no faster than ``fastest`` a second.
        """
        first = rows[0][0]
        if not self.times and first <= start + SHORTEST and start <= SHORTEST:  # the script begins as the action does
            self.times, self.values = [time for time, _ in rows], [value for _, value in rows]
            return
        before = self.at(start)
        self._cut(start)
        transition = max(transition, PEAK * abs(before - rows[0][1]) / fastest)
        plain = abs(before - rows[0][1]) < TINY or first >= start + transition
        if first > start + SHORTEST or not plain:
            self._append(start, before)
        if plain:
            for time, value in rows:
                self._append(time, value)
            return
        times = [time for time, _ in rows]
        values = [value for _, value in rows]
        inside = sorted(
            {start + share * transition for share in (0.25, 0.5, 0.75, 1.0)} | {t for t in times if t > start}
        )
        wanted = np.array(inside)
        own = monotone_cubic(times, values, wanted)
        comes = smootherstep((wanted - start) / max(transition, SHORTEST))
        for time, value in zip(inside, (before + comes * (own - before)).tolist(), strict=True):
            self._append(time, value)

    def add(self, rows: Rows) -> None:
        """Add rows to what there is, at the same time."""
        times, values = (list(own) for own in zip(*rows, strict=True))
        every = sorted({*self.times, *times})
        wanted = [time for i, time in enumerate(every) if i == 0 or time - every[i - 1] > SHORTEST]
        here = monotone_cubic(self.times, self.values, np.array(wanted)) if self.times else np.zeros(len(wanted))
        more = monotone_cubic(times, values, np.array(wanted))
        self.times, self.values = wanted, (here + more - self.neutral).tolist()

    def _cut(self, time: float) -> None:
        keep = bisect.bisect_left(self.times, time - SHORTEST)
        del self.times[keep:], self.values[keep:]

    def _append(self, time: float, value: float) -> None:
        if self.times and time <= self.times[-1] + SHORTEST:
            if time >= self.times[-1] - SHORTEST:
                self.values[-1] = value
            return
        self.times.append(time)
        self.values.append(value)

    def curve(self) -> Curve:
        """The curve of a phrase."""
        return Curve(tuple(self.times), tuple(self.values))


# Arms


@dataclass(eq=False)
class ArmRow:
    """Keys of one arm, palms and all, in time."""

    side: str
    keys: list[ArmKey] = field(default_factory=list)
    palms: list[Palm] = field(default_factory=list)

    @property
    def last(self) -> float:
        """When its last key is."""
        return self.keys[-1].at if self.keys else 0.0

    def go_on(self, keys: list[ArmKey], start: float, transition: float) -> None:
        """Go over from where the hand is at ``start`` to other keys; what was to come after that is left out."""
        if not self.keys and all(is_rest(key, self.side) for key in keys):
            return  # it hangs already
        cut = self._cut(min(start, keys[0].at))
        leaves = start
        elsewhere = bool(self.keys) and not is_rest(self.keys[-1], self.side)
        if elsewhere:
            while len(keys) > 1 and is_rest(keys[0], self.side):
                leaves, keys = max(leaves, keys[0].at), keys[1:]
        if not self.keys:
            begins = keys[0].at <= SHORTEST  # the script does, and the hand is there
            if not begins and not is_rest(keys[0], self.side):
                self.keys.append(rest_key(self.side, max(start, 0.0)))
        elif not cut and leaves > self.last + CLOSE and (elsewhere or not is_rest(keys[0], self.side)):
            self.keys.append(self.keys[-1]._replace(at=leaves, stop=True))
        if elsewhere:
            keys = self._in_time(keys, max(leaves, self.last), transition)
        for key in keys:
            if key.at > self.last + (0.0 if not self.keys else SHORTEST) or not self.keys:
                self.keys.append(key)

    def add_palms(self, palms: list[Palm], start: float) -> None:
        """Go over to other directions of the palm."""
        self.palms = [own for own in self.palms if own.time < start - SHORTEST]
        if not self.palms and all(own.direction is None for own in palms):
            return
        if self.palms and self.palms[-1].direction is not None:
            while len(palms) > 1 and palms[0].direction is None:
                palms = palms[1:]
            if palms[0].time > start + CLOSE:
                self.palms.append(replace(self.palms[-1], time=start))
        elif palms[0].direction is not None and palms[0].time > start + CLOSE:
            self.palms.append(Palm(start))
        self.palms += [own for own in palms if not self.palms or own.time > self.palms[-1].time + SHORTEST]

    def _in_time(self, keys: list[ArmKey], leaves: float, transition: float) -> list[ArmKey]:
        """Keys without goals that the hand has no time to reach; what it passes on the way to the first that it has."""
        soon = leaves + transition
        late = (i for i, key in enumerate(keys) if key.stop and (key.at >= soon or not self._is_away(key)))
        first = next(late, len(keys) - 1)
        if not self._is_away(keys[first]):
            return keys[first:]
        last = max((i for i, key in enumerate(keys[:first]) if key.stop), default=-1)
        vias = [key for key in keys[last + 1 : first] if key.at > leaves + CLOSE]
        if not self._through_trunk(keys[first]):  # one on the way from rest may be none on the way from elsewhere
            vias = [key for key in vias if key.at >= soon and not self._turns_back(key, keys[first])]
        return [*vias[-1:], *keys[first:]]

    def _turns_back(self, via: ArmKey, key: ArmKey) -> bool:
        """Whether a hand that passes a via on its way to a key turns back there."""
        before = self.keys[-1]
        if {before.space, via.space, key.space} != {CHEST}:
            return True
        there, on = np.subtract(via.position, before.position), np.subtract(key.position, via.position)
        return float(there @ on) < 0.0

    def _through_trunk(self, key: ArmKey) -> bool:
        """Whether the straight way to a key leads through the trunk, about."""
        before = self.keys[-1]
        if key.space != CHEST or before.space != CHEST:
            return False
        way = np.linspace(before.position, key.position, 5)[1:-1]
        out, up, ahead = (way * [SIGN[self.side], 1.0, 1.0]).T
        return bool(np.any((out < TRUNK_OUT) & (up < TRUNK_UP) & (ahead < TRUNK_AHEAD)))

    def _is_away(self, key: ArmKey) -> bool:
        before = self.keys[-1]
        if key.space != before.space or key.space != CHEST:
            return True
        return float(np.linalg.norm(np.subtract(key.position, before.position))) > AWAY

    def _cut(self, time: float) -> bool:
        """Leave out the keys after a moment, and let the hand pass where it would have been then."""
        later = [i for i, own in enumerate(self.keys) if own.at > time + SHORTEST]
        if not later:
            return False
        i = later[0]
        before, after = self.keys[i - 1] if i else None, self.keys[i]
        del self.keys[i:]
        if before is None or before.space != after.space or time <= before.at + CLOSE:
            return False
        share = float(smootherstep(np.array((time - before.at) / (after.at - before.at))))
        x, y, z = ((1.0 - share) * np.array(before.position) + share * np.array(after.position)).tolist()
        swivel = (1.0 - share) * before.swivel + share * after.swivel
        self.keys.append(ArmKey(time, (x, y, z), swivel, stop=False, space=before.space))
        return True

    def phrase_keys(self) -> Keys | None:
        """The keys of a phrase."""
        if not self.keys:
            return None
        return Keys(
            times=np.array([own.at for own in self.keys]),
            positions=np.array([own.position for own in self.keys]),
            swivels=np.array([own.swivel for own in self.keys]),
            goals=np.array([own.stop for own in self.keys]),
            spaces=tuple(own.space for own in self.keys),
            inflections=np.clip([own.ease for own in self.keys], 0.02, 0.98),
        )


# Feet


@dataclass(eq=False)
class FeetRows:
    """Steps of both feet, and where the body stands between them."""

    steps: dict[str, list[Step]] = field(default_factory=lambda: {side: [] for side in SIDES})
    at: dict[str, tuple[float, float, float]] = field(default_factory=lambda: dict.fromkeys(SIDES, (0.0, 0.0, 0.0)))
    stands: Standpoint = field(default_factory=Standpoint)
    way: dict[str, ChannelRow] = field(default_factory=lambda: {name: ChannelRow() for name in TRAVELS})

    def last(self, side: str) -> float:
        """When a foot has landed."""
        return self.steps[side][-1].land if self.steps[side] else 0.0

    def take(self, steps: Iterable[tuple[str, Step]], follows: bool) -> None:
        """Take steps from where the body stands; hips follow feet unless they have a way of their own."""
        before = self.stands
        ordered = sorted(steps, key=lambda own: own[1].land)
        if ordered and follows:
            self._note(min(own.lift for _, own in ordered), before)
        for side, own in ordered:
            x, z = _stance(side)
            to_x, to_z = before.place(x + own.x, z + own.z)
            turn = before.turn + own.turn
            self.at[side] = to_x - x, to_z - z, turn
            self.steps[side].append(replace(own, x=to_x - x, z=to_z - z, turn=turn))
            if follows:
                self._note(max(own.land - HIPS_EARLY, own.lift), self._between())
        if follows:
            self.stands = self._between()

    def _between(self) -> Standpoint:
        """Where a body stands whose feet are where they are."""
        turn = float(np.mean([own[2] for own in self.at.values()]))
        places = []
        for side, (x, z, _) in self.at.items():
            own = _stance(side)
            away = Standpoint(turn=turn).place(*own)
            places.append((x + own[0] - away[0], z + own[1] - away[1]))
        x, z = np.mean(places, axis=0).tolist()
        return Standpoint(x, z, turn)

    def _note(self, time: float, stands: Standpoint) -> None:
        for name, value in zip(TRAVELS, stands, strict=True):
            self.way[name].go_on([(time, value)], time, 0.0)

    def carry(self, channels: dict[str, ChannelRow]) -> dict[str, ChannelRow]:
        """Channels of the hips as seen from where the body began, of those that are seen from where it stands."""
        if not any(self.steps.values()) or not any(row.times for row in self.way.values()):
            return channels
        rows = [*self.way.values(), *(channels[name] for name in TRAVELS if name in channels)]
        every = sorted({time for row in rows for time in row.times})
        times = [time for i, time in enumerate(every) if i == 0 or time - every[i - 1] > SHORTEST]
        wanted = np.array(times)
        x, z, turn = (_sampled(self.way[name], wanted) for name in TRAVELS)
        own_x, own_z = (_sampled(channels.get(name), wanted) for name in TRAVELS[:2])
        sine, cosine = np.sin(turn), np.cos(turn)
        made = x + cosine * own_x + sine * own_z, z + cosine * own_z - sine * own_x, turn
        return {**channels, **{n: ChannelRow(list(times), v.tolist()) for n, v in zip(TRAVELS, made, strict=True)}}


def _sampled(row: ChannelRow | None, times: Floats) -> Floats:
    if row is None or not row.times:
        return np.zeros(len(times))
    return monotone_cubic(row.times, row.values, times)
