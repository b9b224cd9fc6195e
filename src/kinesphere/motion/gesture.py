"""Gestures: key points of the hands, and one curve per channel for the rest of the body.

Arms are key points, goals and vias, so that a performance may re-time and re-shape them. Everything else follows
*curves*: curves over seconds, in radians and metres. ``CHANNELS`` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from kinesphere.motion.errors import unknown_name
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.source import Source


class Stop(StrEnum):
    """Whether the hand comes to rest at a key or passes through."""

    GOAL = "goal"
    VIA = "via"


class Space(StrEnum):
    """Relative to the shoulder in the chest's frame, or fixed in the world."""

    LOCAL = "local"
    GLOBAL = "global"


@dataclass(frozen=True)
class Keypoint:
    """One key: metres, Y up, facing +Z, left +X; swivel in radians."""

    frame: float
    position: tuple[float, float, float]
    swivel: float = 0.0
    stop: Stop = Stop.GOAL
    space: Space = Space.LOCAL

    def __post_init__(self) -> None:
        if not np.isfinite([self.frame, *self.position, self.swivel]).all():
            raise ValueError(f"{self} has a number that is not finite")


@dataclass(frozen=True)
class Keypoints:
    """The keys of one limb, in time.

    ``rate`` is how many of the keys' frames make a second. ``locked`` keys keep their times whatever the Effort.
    """

    keys: tuple[Keypoint, ...]
    rate: float = 30.0
    part: str = "rightArm"
    locked: bool = False
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("at least one key is needed")
        if not np.isfinite(self.rate) or self.rate <= 0.0:
            raise ValueError(f"rate {self.rate}: a positive number of frames a second is expected")
        for before, after in zip(self.keys[:-1], self.keys[1:], strict=True):
            if after.frame <= before.frame:
                raise ValueError(f"key at frame {after.frame:g} follows {before.frame:g}: frames must increase")

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return (self.keys[-1].frame - self.keys[0].frame) / self.rate


# The relaxed arm, where a hand is that no key asks for

FIGURE_HEIGHT = 1.70  # metres: key points and curves are for a figure this tall
RESTING_WRIST = (0.066, -0.5295, 0.038)  # out, up, ahead of the shoulder: a little off the body, elbow not locked
RESTING_SWIVEL = float(np.radians(38.0))  # elbows point back and somewhat out


def resting_wrist(side: str, height: float = FIGURE_HEIGHT) -> tuple[float, float, float]:
    """Position of a relaxed arm's wrist from its shoulder, in metres."""
    out, up, ahead = (height / FIGURE_HEIGHT * value for value in RESTING_WRIST)
    return (out if side == "left" else -out, up, ahead)


def resting_swivel(side: str) -> float:
    """Swivel of a relaxed arm, in radians."""
    return RESTING_SWIVEL if side == "left" else -RESTING_SWIVEL


# Gestures

LONGEST = 600.0  # seconds
SHAPES = ("relaxed", "open", "fist", "pointing", "closed", "thumb out", "cupped", "claw", "grip")
ANGLE, METRES, SHARE = "angle", "metres", "share"
_BODY = {
    "torso": {"forward": ANGLE, "side": ANGLE, "turn": ANGLE, "breath": SHARE},
    "head": {"nod": ANGLE, "tilt": ANGLE, "turn": ANGLE},
    "eyes": {"turn": ANGLE, "lift": ANGLE},
    "hips": {"x": METRES, "y": METRES, "z": METRES, "turn": ANGLE, "tilt": ANGLE, "lean": ANGLE},
}
_SIDE = {
    "clavicle": {"raise": ANGLE, "forward": ANGLE},
    "hand": {"bend": ANGLE, "aside": ANGLE, "roll": ANGLE, "loose": SHARE} | dict.fromkeys(SHAPES[1:], SHARE),
    "foot": {"peel": ANGLE},
}


def _channels() -> dict[str, str]:
    parts = dict(_BODY) | {f"{side}.{part}": rows for side in SIDES for part, rows in _SIDE.items()}
    return {f"{part}.{name}": kind for part, rows in parts.items() for name, kind in rows.items()}


# Channel to its unit. Forward, nod: down; side, tilt, turn: to the left; breath: how far the surface of ribs and
# belly swells, 1 at ease; hips: metres to the left, up, ahead, and tilt: the left side down; hand: bend to the
# palm, aside to the thumb, roll: thumb inwards.
CHANNELS: Mapping[str, str] = MappingProxyType(_channels())
MOST = MappingProxyType({ANGLE: float(np.pi), METRES: 3.0, SHARE: 2.0})  # largest absolute value of a channel


@dataclass(frozen=True)
class Curve:
    """One curve: values at times, smooth between, held before the first and after the last."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.times or len(self.times) != len(self.values):
            raise ValueError(f"a curve needs as many values as times, and one at least; found {self}")
        if not np.isfinite([*self.times, *self.values]).all():
            raise ValueError(f"{self} has a number that is not finite")
        _check_increasing(self.times)


@dataclass(frozen=True)
class Palm:
    """Palm direction in the chest's frame at a time; None is relaxed. The forearm rolls as far as that needs."""

    time: float
    direction: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        direction = (0.0, 0.0, 1.0) if self.direction is None else self.direction
        if not np.isfinite([self.time, *direction]).all() or np.linalg.norm(direction) < 1e-6:
            raise ValueError(f"{self} faces nowhere; a direction other than zero is expected")


@dataclass(frozen=True)
class Step:
    """A step of one foot: its new x and z in metres and its rotation to the left, from its rest position."""

    lift: float  # seconds
    land: float
    x: float
    z: float
    turn: float = 0.0

    def __post_init__(self) -> None:
        if not np.isfinite([self.lift, self.land, self.x, self.z, self.turn]).all() or self.land <= self.lift:
            raise ValueError(f"{self} does not land after it lifts")


@dataclass(frozen=True)
class Gesture:
    """A gesture: what a body does, without how it is performed.

    Parameters
    ----------
    name, duration
        Duration in seconds.
    left, right
        Key points of the wrists, for a figure 1.70 m tall; None leaves the arm relaxed.
    curves
        Channel to its curve; channels left out rest. See ``CHANNELS``.
    inflections
        For ``"left"`` and ``"right"``, one per key: when the stroke to it is fastest, as a share of its duration.
    palms
        For ``"left"`` and ``"right"``, palm directions at some times; between them the forearm rolls evenly.
    steps
        For ``"left"`` and ``"right"``, the steps of that foot. Without any it stays in contact.
    loop
        Whether the end goes over into the start.
    """

    name: str
    duration: float
    left: Keypoints | None = None
    right: Keypoints | None = None
    curves: Mapping[str, Curve] = field(default_factory=dict)
    inflections: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    palms: Mapping[str, tuple[Palm, ...]] = field(default_factory=dict)
    steps: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    loop: bool = False
    about: str = ""
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        if not np.isfinite(self.duration) or not 0.0 < self.duration <= LONGEST:
            raise ValueError(f"duration {self.duration}: more than 0 and at most {LONGEST:g} s is allowed")
        for channel, curve in dict(self.curves).items():
            if channel not in CHANNELS:
                raise ValueError(unknown_name("channel", channel, CHANNELS))
            self._check_curve(channel, curve)
        for side in SIDES:
            self._check_arm(side)
        for name in ("inflections", "palms", "steps"):
            rows = {side: tuple(values) for side, values in dict(getattr(self, name)).items()}
            if not set(rows) <= set(SIDES):
                raise ValueError(f"{name} of {', '.join(sorted(set(rows) - set(SIDES)))}; allowed: left, right")
            for row in rows.values() if name != "inflections" else ():
                _check_increasing([entry.lift if isinstance(entry, Step) else entry.time for entry in row])
            object.__setattr__(self, name, MappingProxyType(rows))
        object.__setattr__(self, "curves", MappingProxyType(dict(self.curves)))

    def arm(self, side: str) -> Keypoints | None:
        """The key points of one side."""
        return self.left if side == "left" else self.right

    def _check_curve(self, channel: str, curve: Curve) -> None:
        most = MOST[CHANNELS[channel]]
        for time, value in zip(curve.times, curve.values, strict=True):
            if not 0.0 <= time <= self.duration + 1e-9:
                raise ValueError(f"{channel} has a key at {time:g} s; the gesture lasts from 0 to {self.duration:g} s")
            if abs(value) > most:
                raise ValueError(f"{channel} is {value:g} at {time:g} s; at most {most:.4g} is allowed")

    def _check_arm(self, side: str) -> None:
        arm = self.arm(side)
        given = self.inflections.get(side)
        if arm is None:
            return
        if self.loop and any(key.space == Space.GLOBAL for key in arm.keys):
            raise ValueError(f"{side}: a loop's hand goals are relative to the shoulder; found a global one")
        if not 0.0 <= arm.keys[0].frame / arm.rate <= arm.keys[-1].frame / arm.rate <= self.duration + 1e-9:
            raise ValueError(f"{side}: keys outside of the gesture's 0 to {self.duration:g} s")
        if given is not None and (len(given) != len(arm.keys) or not all(0.0 < value < 1.0 for value in given)):
            raise ValueError(f"{side}: inflections must be one a key, above 0 and below 1; found {given}")


def _check_increasing(times: Sequence[float]) -> None:
    for before, after in zip(times[:-1], times[1:], strict=True):
        if after <= before:
            raise ValueError(f"the key at {after:g} s follows the one at {before:g} s: times must increase")
