"""Cues of Effort in a performed recording that never rests, as an observer of joints would take them.

All signals are of joints in performed time, low-passed, and then looked at where the performance shows the moments of
the recording, thirty of them a second of it. So every level of a dial is compared at the same recorded moments, however
long it takes. Hands are seen from the chest, heads and shoulders too, and walks in their own direction of travel, which
may turn: no straight way is needed. Amplitudes are root mean squares about a mean of a second to either side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.engine.lifting import body_angles, hangs_at
from kinesphere.engine.recorded_poses import RecordedPoses, chest_joint
from kinesphere.maths import rotations
from kinesphere.maths.filters import derivative, gaussian, low_pass
from kinesphere.maths.vectors import Bools, Floats, norms, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from recording_measures.performances import Recorded

GRID = 30.0  # moments a second of the recording
MEAN = 1.0  # seconds of σ, about whose mean amplitudes are
WALKS = 0.5  # of a clip that is locomotion, from which on it counts as a walk
LEAST_TRAVEL = 0.15  # arm lengths: shorter strokes are none
AROUND = 0.2  # seconds around strokes that belong to them
ARRIVING = 0.25  # seconds around an arrival in which a hand is stopped
LANDS = 0.2  # seconds after a strike in which weight lands, and half of them before it
DROPS = 0.4  # seconds before a stroke and after it, between which the pelvis sinks
PIECES = 12  # of equal length, between which a path's turning is measured
# What is less than this counts as still: differences between nothing and next to nothing are no expression.
STILL_PLACE = 0.005  # arm lengths
STILL_SPEED = 0.02  # metres a second
STILL_GAIN = 0.1  # arm lengths a second, a second
STILL_FALL = 0.05  # metres a second, a second
LEVEL = np.array([1.0, 0.0, 1.0])
FACE = 0.2  # arm lengths from the head's joint to the face, which nods and shakes while the joint stays
MASSES = {"hips": 0.24, "chest": 0.24, "head": 0.08, "LowerArm": 0.028, "Hand": 0.022}  # of the body's, by joint


class Cue(NamedTuple):
    """What is measured, by how much it has to differ to be noticed, and of which elements it tells: + or −."""

    noticeable: float
    gestures: str
    walks: str
    about: str


# A ratio's logarithm where it says "log"; angles in degrees, lengths in arm or leg lengths.
CUES: Mapping[str, Cue] = {
    "detour": Cue(0.03, "+indirect -direct", "", "log: a hand's way over its chord"),
    "turning": Cue(0.15, "+indirect -direct", "", "radians by which a hand's way turns, between twelve pieces"),
    "roaming": Cue(1.5, "+indirect -direct", "+indirect -direct", "of the face about its mean"),
    "face_off": Cue(4.0, "-direct", "", "between the face and the hand that it is nearer to, as one arrives"),
    "twist": Cue(1.0, "+indirect -direct", "+indirect -direct", "of the chest against the pelvis, about its mean"),
    "winding": Cue(0.05, "", "+indirect -direct", "radians that the way turns in a leg length"),
    "energy": Cue(0.2, "+strong -light", "", "log: greatest kinetic energy of trunk and arms in a stroke"),
    "force": Cue(0.2, "+strong -light", "+strong -light", "log: the same times duration squared: not by the pace"),
    "arrest": Cue(0.2, "+strong -light", "", "log: a hand's greatest deceleration as it arrives"),
    "landing": Cue(0.2, "+strong -light", "+strong -light", "log: hips and chest, upwards, as weight is caught"),
    "stamp": Cue(0.2, "", "+strong -light", "log: how fast an ankle comes down before its strike"),
    "height": Cue(0.012, "-strong +light", "-strong +light", "of the neck above the ankle that is lower"),
    "drop": Cue(0.012, "+strong", "", "from the pelvis before a stroke to its lowest point after it"),
    "trunk_share": Cue(0.2, "+strong", "", "log: energy of the trunk over that of the arms about it"),
    "acceleration": Cue(0.2, "+sudden -sustained", "+sudden -sustained", "log: of wrists, ankles and the face"),
    "peak_speed": Cue(0.1, "+sudden -sustained", "+sudden -sustained", "log: of a hand in a stroke; of ankles"),
    "start": Cue(0.2, "+sudden -sustained", "", "log: a hand's greatest gain of speed in a stroke"),
    "block": Cue(1.0, "+free -bound", "+free -bound", "of head and shoulders against the chest"),
    "spine": Cue(1.0, "+free -bound", "+free -bound", "of the chest against the pelvis, all ways"),
    "free_arm": Cue(0.1, "+free -bound", "", "log: what an arm moves about the chest that makes no stroke"),
    "drag": Cue(2.0, "+free", "+free", "by which a hand hangs back behind the way of its wrist"),
    "wrists": Cue(1.5, "+free -bound", "+free -bound", "of hands against forearms, about their mean"),
    "passing": Cue(0.1, "+free -bound", "", "log: a hand's least speed about its goals over its peak"),
    "beyond": Cue(0.02, "+free -bound", "", "log: a hand's way in 0.3 s after it arrived"),
    "elbows": Cue(0.02, "-bound", "-bound", "from the trunk's line"),
    "swing": Cue(0.1, "", "+free -bound", "log: of wrists about the chest"),
    "sway": Cue(0.01, "", "+free -bound", "of the hips to the sides of their way"),
}


def element_cues(element: str, walks: bool) -> dict[str, float]:
    """An element's cues with just noticeable differences, positive towards it."""
    made = {}
    for name, cue in CUES.items():
        for sign, own in ((text[0], text[1:]) for text in (cue.walks if walks else cue.gestures).split()):
            if own == element:
                made[name] = cue.noticeable if sign == "+" else -cue.noticeable
    return made


def is_walk(recorded: Recorded) -> bool:
    """Whether most of a recording is locomotion."""
    steps = recorded.detail.steps
    return bool(steps.walks and steps.walking.mean() > WALKS)


@dataclass(frozen=True, eq=False)
class Moments:
    """Moments of a recording that all its performances are compared at, and what it does there."""

    recorded: Recorded

    @cached_property
    def times(self) -> Floats:
        """``(M,)`` seconds of the recording."""
        start = self.recorded.detail.leading_frames / self.recorded.plain.rate
        end = self.recorded.plain.duration
        return np.linspace(start, end, max(int((end - start) * GRID), 8))

    @cached_property
    def strokes(self) -> list[tuple[str, int, int, bool]]:
        """Of both hands: side, first and last moment, and whether the hand does not hang as it arrives."""
        found = []
        for side in SIDES:
            keys = self.recorded.phrase.arm(side).keys
            if keys is None:
                continue
            stops, places = keys.times[keys.stops], keys.positions[keys.stops]
            hangs, at = hangs_at(places), np.searchsorted(self.times, stops - 1e-6)
            for i in range(len(stops) - 1):
                far = float(norms(places[i + 1] - places[i]))
                if far > LEAST_TRAVEL and at[i + 1] - at[i] >= 3 and at[i + 1] < len(self.times):
                    found.append((side, int(at[i]), int(at[i + 1]), not hangs[i + 1]))
        return found

    def acts(self, side: str) -> Bools:
        """``(M,)`` whether a hand makes a stroke about then."""
        made, wide = np.zeros(len(self.times), dtype=np.bool_), round(AROUND * GRID)
        for own, first, last, _ in self.strokes:
            if own == side:
                made[max(first - wide, 0) : last + wide] = True
        return made

    @cached_property
    def active(self) -> Bools:
        """``(M,)`` when anything is done: strokes, steps of a walk; all of it where there is neither."""
        if is_walk(self.recorded):
            return self.recorded.detail.at_times(self.recorded.detail.steps.walking, self.times) > WALKS
        made = self.acts("left") | self.acts("right")
        return made if made.any() else np.ones(len(self.times), dtype=np.bool_)

    @cached_property
    def strikes(self) -> Floats:
        """Seconds of the recording at which feet strike."""
        strikes = self.recorded.detail.steps.strikes
        return np.asarray(strikes[(strikes > self.times[0] + LANDS) & (strikes < self.times[-1] - LANDS)])


class Observed:
    """One performance: its signals, at the recording's moments ``(M, ...)``."""

    def __init__(self, moments: Moments, motion: Motion, source: Floats) -> None:
        self.moments, self.rate = moments, motion.rate
        self.poses = RecordedPoses.on(moments.recorded.detail.poses.body, motion)
        count = min(len(motion), len(source))
        self._time = np.arange(count) / motion.rate
        self.at = np.interp(moments.times, source[:count], self._time)  # seconds of the performance
        self.chest_joint = chest_joint(self.poses.body)

    def shown(self, values: Floats) -> Floats:
        """Values ``(T, ...)`` of frames at the moments."""
        place = np.clip(self.at * self.rate, 0.0, len(values) - 1.0)
        first = np.minimum(place.astype(np.intp), max(len(values) - 2, 0))
        share = np.reshape(place - first, (-1, *[1] * (values.ndim - 1)))
        return np.asarray(values[first] + share * (values[np.minimum(first + 1, len(values) - 1)] - values[first]))

    def place(self, role: str) -> Floats:
        """``(T, 3)`` a joint in the world."""
        own = self.poses.world.positions_of(self.chest_joint) if role == "chest" else self.poses.position(role)
        return low_pass(own, self.rate)

    def wrist(self, side: str) -> Floats:
        """``(T, 3)`` a wrist from the middle of the shoulders, in the chest's axes and arm lengths."""
        middle = 0.5 * (self.place("leftUpperArm") + self.place("rightUpperArm"))
        away = self.place(f"{side}Hand") - middle
        seen = rotations.rotate(rotations.conjugate(self.poses.chest), away) / self.poses.arm_length
        return low_pass(seen, self.rate)

    def speed(self, places: Floats) -> Floats:
        """``(T,)`` of joints ``(T, 3)``."""
        return norms(derivative(places, self.rate))

    def amplitude(self, values: Floats) -> float:
        """Root mean square of signals ``(M, ...)`` about their means over a second, while anything is done."""
        off = values - gaussian(values, MEAN * GRID, ends="reflect")
        return float(np.sqrt(np.mean(np.sum(off.reshape(len(off), -1) ** 2, axis=1)[self.moments.active])))

    def span(self, first: int, last: int) -> slice:
        """Frames of the performance between two moments."""
        a, b = round(float(self.at[first]) * self.rate), round(float(self.at[last]) * self.rate)
        return slice(a, max(b, a + 2) + 1)

    def around(self, moment: int, before: float, after: float) -> slice:
        """Frames from some performed seconds before a moment to some after it."""
        here = round(float(self.at[moment]) * self.rate)
        return slice(max(here - round(before * self.rate), 0), here + round(after * self.rate) + 1)

    def cues(self) -> dict[str, float]:
        """All cues that this performance shows."""
        walks = is_walk(self.moments.recorded)
        made = self._trunk() | self._weight() | self._arms()
        made |= self._walk() if walks else self._strokes()
        return {name: value for name, value in made.items() if np.isfinite(value)}

    def _trunk(self) -> dict[str, float]:
        gaze = rotations.rotate(self.poses.head, np.array([0.0, 0.0, 1.0]))
        spine = body_angles(rotations.multiply(rotations.conjugate(self.poses.pelvis), self.poses.chest))
        neck = body_angles(rotations.multiply(rotations.conjugate(self.poses.chest), self.poses.head))
        seen = rotations.conjugate(self.poses.chest)
        chest = self.place("chest")
        shoulders = [unit(rotations.rotate(seen, self.place(f"{s}UpperArm") - chest)) for s in SIDES]
        block = np.concatenate([neck, 0.7 * np.concatenate(shoulders, axis=1)], axis=1)
        rows = {"roaming": gaze, "twist": spine[:, 2:], "block": block, "spine": spine}
        made = {name: np.degrees(self.amplitude(self.shown(own))) for name, own in rows.items()}
        feet = np.minimum(self.place("leftFoot")[:, 1], self.place("rightFoot")[:, 1])
        neck_place = 0.5 * (self.place("leftUpperArm") + self.place("rightUpperArm"))[:, 1]
        high = self.shown((neck_place - feet) / self.poses.leg_length)
        return made | {"height": float(high[self.moments.active].mean())}

    @cached_property
    def energies(self) -> tuple[Floats, Floats]:
        """``(T,)`` kinetic energy over mass of the trunk, less what a walk travels, and of both arms about it."""
        hips = self.place("hips")
        travel = gaussian(hips * LEVEL, 0.5 * self.rate, ends="point")
        trunk = sum(MASSES[n] * self.speed(self.place(n) - travel) ** 2 for n in ("hips", "chest", "head"))
        chest = self.place("chest")
        names = [(side, part) for side in SIDES for part in ("LowerArm", "Hand")]
        arms = sum(MASSES[part] * self.speed(self.place(side + part) - chest) ** 2 for side, part in names)
        return 0.5 * np.asarray(trunk), 0.5 * np.asarray(arms)

    def _weight(self) -> dict[str, float]:
        trunk, arms = self.energies
        whole = trunk + arms
        pace = np.gradient(self.moments.times, self.at + 1e-7 * np.arange(len(self.at)))
        active = self.moments.active
        rows = (whole, trunk, arms)
        own, of_trunk, of_arms = (float(self.shown(row)[active].mean()) for row in rows)
        unpaced = float((self.shown(whole)[active] / np.maximum(pace[active], 0.05) ** 2).mean())
        falls = [derivative(derivative(self.place(n)[:, 1], self.rate), self.rate) for n in ("hips", "chest")]
        caught = np.mean([np.maximum(row, 0.0) ** 2 for row in falls], axis=0)
        still = 0.5 * STILL_SPEED**2
        made = {
            "energy": _log(own + still),
            "force": _log(unpaced + still),
            "trunk_share": _log(of_trunk + still) - _log(of_arms + still),
        }
        return made | {"landing": 0.5 * _log(float(self.shown(caught)[active].mean()) + STILL_FALL**2)}

    def _arms(self) -> dict[str, float]:
        active, found = self.moments.active, {}
        axis = unit(0.5 * (self.place("leftUpperArm") + self.place("rightUpperArm")) - self.place("hips"))
        elbows, drags, idle, swings, bends = [], [], [], [], []
        for side in SIDES:
            away = (self.place(f"{side}LowerArm") - self.place("hips")) / self.poses.arm_length
            off = norms(away - np.sum(away * axis, axis=1)[:, None] * axis)
            elbows.append(float(self.shown(off)[active].mean()))
            wrist = rotations.continuous(self.poses.motion.rotations[:, self.poses.body.roles[f"{side}Hand"]])
            turned = rotations.multiply(rotations.conjugate(wrist[:1]), wrist)
            own = low_pass(rotations.to_rotation_vector(rotations.continuous(turned)), self.rate)
            bends.append(np.degrees(self.amplitude(self.shown(own))))
            drags.append(self._drag(side))
            wrist = self.shown(self.wrist(side))
            moves = np.sum((wrist - gaussian(wrist, MEAN * GRID, ends="reflect")) ** 2, axis=1)
            swings.append(float(moves[active].mean()))
            rests = active & ~self.moments.acts(side)
            if rests.sum() > 0.2 * active.sum():
                idle.append(float(moves[rests].mean()))
        found = {
            "elbows": float(np.mean(elbows)),
            "drag": float(np.mean(drags)),
            "swing": 0.5 * _log(float(np.mean(swings)) + STILL_PLACE**2),
        }
        found["wrists"] = float(np.mean(bends))
        return found | ({"free_arm": 0.5 * _log(float(np.mean(idle)) + STILL_PLACE**2)} if idle else {})

    def _bend(self, side: str) -> Floats:
        """``(T, 3)`` from where the forearm points to where the hand does, in the chest's axes."""
        axes = self.poses.body.anatomy.frames[f"{side}Hand"]
        hand = rotations.rotate(rotations.multiply(self.poses.rotation(f"{side}Hand"), axes), np.array([0.0, 0.0, 1.0]))
        forearm = unit(self.place(f"{side}Hand") - self.place(f"{side}LowerArm"))
        return rotations.rotate(rotations.conjugate(self.poses.chest), low_pass(np.asarray(hand), self.rate) - forearm)

    def _drag(self, side: str) -> float:
        """Degrees that a hand is bent against the way its wrist goes about the chest, faster moments counting more."""
        away = self._bend(side)
        bend = rotations.rotate(self.poses.chest, away)
        way = derivative(self.place(f"{side}Hand") - self.place("chest"), self.rate)
        speed, active = self.shown(norms(way)), self.moments.active
        bend = bend - gaussian(bend, MEAN * self.rate, ends="reflect")  # how it is held is no drag
        back = self.shown(-np.sum(bend * unit(way), axis=1))
        return float(np.degrees(np.sum((speed * back)[active]) / max(float(speed[active].sum()), 1e-9)))

    def _strokes(self) -> dict[str, float]:
        rows: dict[str, list[float]] = {}
        weights: dict[str, list[float]] = {}
        wrists = {side: self.wrist(side) for side in SIDES}
        speeds = {side: self.speed(path) for side, path in wrists.items()}
        gains = {side: derivative(speed, self.rate) for side, speed in speeds.items()}
        for side, first, last, raised in self.moments.strokes:
            path, inside = wrists[side], self.span(first, last)
            own = path[inside]
            length = float(norms(np.diff(own, axis=0)).sum())
            chord = max(float(norms(own[-1] - own[0])), 0.05 * length)
            arrives, peak = self.around(last, ARRIVING, ARRIVING), float(speeds[side][inside].max())
            after = self.around(last, 0.0, 0.3)
            hips = self.place("hips")[:, 1] / self.poses.leg_length
            low = slice(inside.start, inside.stop + round(DROPS * self.rate))
            before = hips[max(inside.start - round(DROPS * self.rate), 0) : low.stop]
            trunk, arms = self.energies
            energy = float((trunk + arms)[inside].max())
            made = {
                "detour": _log(length) - _log(chord),
                "turning": _turning(own),
                "energy": _log(energy),
                "force": _log(energy * ((inside.stop - inside.start) / self.rate) ** 2),
                "arrest": _log(max(float(-gains[side][arrives].min()), 0.0) + STILL_GAIN),
                "drop": float(before.max() - hips[low].min()),
                "peak_speed": _log(peak),
                "start": _log(max(float(gains[side][inside].max()), 0.0) + STILL_GAIN),
                "passing": _log(
                    float(speeds[side][self.span(last - 2, min(last + 2, len(self.at) - 1))].min()) + 0.05 * peak
                )
                - _log(peak),
                "beyond": _log(float(norms(np.diff(path[after], axis=0)).sum()) + 0.02),
            }
            if raised:
                made["face_off"] = self._face_off(last)
            for name, value in made.items():
                rows.setdefault(name, []).append(value)
                weights.setdefault(name, []).append(float(norms(path[inside][-1] - path[inside][0])) + 0.1)
        found = {name: float(np.average(values, weights=weights[name])) for name, values in rows.items()}
        return found | {"acceleration": self._acceleration(("leftHand", "rightHand", "head"))}

    def _face_off(self, moment: int) -> float:
        around = self.around(moment, 0.1, 0.05)
        eyes = self.poses.position("head")[around]
        face = rotations.rotate(self.poses.head[around], np.array([0.0, 0.0, 1.0]))
        towards = [unit(self.poses.palm(side)[around] - eyes) for side in SIDES]  # there is one focus
        angles = [np.arccos(np.clip(np.sum(face * own, axis=1), -1.0, 1.0)).mean() for own in towards]
        return float(np.degrees(min(angles)))

    def _acceleration(self, roles: tuple[str, ...]) -> float:
        hips = self.place("hips")
        face = FACE * self.poses.arm_length * rotations.rotate(self.poses.head, np.array([0.0, 0.0, 1.0]))
        places = [self.place(r) + low_pass(face, self.rate) if r == "head" else self.place(r) for r in roles]
        squares = [norms(derivative(derivative(own - hips, self.rate), self.rate)) ** 2 for own in places]
        return 0.5 * _log(float(self.shown(np.mean(squares, axis=0))[self.moments.active].mean()) + STILL_FALL**2)

    def _walk(self) -> dict[str, float]:
        hips, leg = self.place("hips"), self.poses.leg_length
        at = np.interp(self.moments.strikes, self.moments.times, self.at)
        falls, lands, steps = [], [], max(round(LANDS * self.rate), 2)
        fall = derivative(derivative(hips[:, 1] + self.place("chest")[:, 1], self.rate), self.rate)
        downs = {side: -derivative(self.place(f"{side}Foot")[:, 1], self.rate) for side in SIDES}
        for moment in at.tolist():
            frame = round(moment * self.rate)
            falls.append(max(float(down[max(frame - steps, 0) : frame + steps // 2].max()) for down in downs.values()))
            lands.append(float(np.mean(np.maximum(fall[max(frame - steps // 2, 0) : frame + steps], 0.0) ** 2)))
        way = gaussian(self.shown(hips * LEVEL), 0.4 * GRID, ends="point")
        steps_of_way = np.diff(way, axis=0)
        bearing = np.unwrap(np.arctan2(steps_of_way[:, 0], steps_of_way[:, 2]))
        moves = self.moments.active[1:] & (norms(steps_of_way) * GRID > 0.2 * leg)
        facing = rotations.rotate(self.poses.heading, np.array([1.0, 0.0, 0.0]))
        aside = self.shown(hips * LEVEL) - gaussian(self.shown(hips * LEVEL), 0.5 * GRID, ends="point")
        aside = np.sum(aside * self.shown(facing), axis=1) / leg
        ankles = [self.speed(self.place(f"{side}Foot") - hips) for side in SIDES]
        made = {
            "stamp": float(np.mean([_log(own) for own in falls])) if falls else np.nan,
            "landing": 0.5 * _log(float(np.mean(lands))) if lands else np.nan,
            "sway": float(np.sqrt(np.mean(aside[self.moments.active] ** 2))),
            "acceleration": self._acceleration(("leftFoot", "rightFoot", "leftHand", "rightHand", "head")),
            "peak_speed": 0.5 * _log(float(self.shown(np.mean(np.square(ankles), axis=0))[self.moments.active].mean())),
        }
        if moves.sum() > GRID:
            turns = np.abs(np.diff(bearing))[moves[1:]]
            made["winding"] = float(turns.sum() / (norms(steps_of_way)[moves].sum() / leg))
        return made


def _turning(path: Floats) -> float:
    length = np.concatenate([[0.0], np.cumsum(norms(np.diff(path, axis=0)))])
    at = np.linspace(0.0, length[-1], PIECES + 1)
    pieces = unit(np.diff(np.stack([np.interp(at, length, path[:, i]) for i in range(3)], axis=1), axis=0))
    return float(np.arccos(np.clip(np.sum(pieces[1:] * pieces[:-1], axis=1), -1.0, 1.0)).sum())


def _log(value: float) -> float:
    return float(np.log(max(float(value), 1e-9)))
