"""Manner: how the strokes of a gesture run, in numbers that the body understands.

A gesture says what is done; a manner says how. Effort and Shape make manners; the plain one, which changes nothing, is
what the figure's own motions are acted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.maths.vectors import Floats
from kinesphere.motion.gesture import Gesture, Keypoints, Stop
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_gesture

SHORTEST = 6.0 / RATE  # seconds: no stroke is made shorter than this
# What varies from stroke to stroke, with what changes nothing. Timing's inflection is the gesture's own unless given.
STROKES: Mapping[str, float] = MappingProxyType(
    {"tension": 0.0, "inflection": 0.5, "anticipation": 0.0, "overshoot": 0.0, "time_exponent": 1.0, "duration": 1.0}
)
# What varies along a stroke.
FLOURISHES: Mapping[str, float] = MappingProxyType(
    {
        "end_effector": 1.0,
        "joint_angle": 0.0,
        "elbow_position": 0.0,
        "squash": 0.0,
        "breath": 0.0,
        "limb_volume": 0.0,
        "wrist_bend": 0.0,
        "wrist_extension": 0.0,
        "flexed": 0.0,
        "flexed_angle": 0.6,
        "wrist_twist": 0.0,
        "wrist_frequency": 2.0,
        "elbow_twist": 0.0,
        "elbow_frequency": 2.0,
        "displacement": 0.0,
        "loose": 1.0,
        "fist": 0.0,
        "open": 0.0,
    }
)


@dataclass(frozen=True, eq=False)
class ArmManner:
    """How one arm's strokes run.

    Attributes
    ----------
    strokes
        Each of ``STROKES``: one number, or one a stroke ``(S,)``.
    flourishes
        Each of ``FLOURISHES``: one number, or a curve over the gesture's own time, ``RATE`` values a second.
    positions
        ``(K, 3)`` where Shape has put the keys, for a figure 1.70 m tall; None: where they are.
    """

    strokes: Mapping[str, Floats] = field(default_factory=dict)
    flourishes: Mapping[str, Floats] = field(default_factory=dict)
    positions: Floats | None = None

    def stroke(self, name: str, count: int) -> Floats:
        """One value a stroke ``(S,)``."""
        return np.broadcast_to(np.asarray(self.strokes.get(name, STROKES[name]), dtype=np.float64), (count,))

    def flourish(self, name: str) -> Floats:
        """One number ``()``, or a curve ``(N,)``."""
        return np.asarray(self.flourishes.get(name, FLOURISHES[name]), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Manner:
    """How a whole gesture runs.

    Attributes
    ----------
    arms
        For ``"left"`` and ``"right"``.
    body
        How the strokes of a gesture without hands' keys run.
    channels
        What is added to a gesture's channels (see ``CHANNELS``): one number, or a curve over the gesture's own time.
    life
        How much of breath and sway is kept: 1 all, 0 none, above 1 more.
    fidget
        How much small unrest is added, from 0.
    seed
        Which unrest, and which individual; None: nobody in particular.
    locked
        Whether the keys keep their times.
    """

    arms: Mapping[str, ArmManner] = field(default_factory=dict)
    body: ArmManner = field(default_factory=ArmManner)
    channels: Mapping[str, Floats] = field(default_factory=dict)
    life: float = 1.0
    fidget: float = 0.0
    seed: int | None = None
    locked: bool = False

    def arm(self, side: str) -> ArmManner:
        """One arm's; the plain one where nothing is said."""
        return self.arms.get(side, ArmManner())


PLAIN = Manner()


def rest_keys(keys: Keypoints) -> np.ndarray:
    """``(K,)`` whether the hand rests at each key: at goals, and at the first and the last."""
    rests = np.array([key.stop == Stop.GOAL for key in keys.keys])
    rests[[0, -1]] = True
    return rests


@memoise_by_gesture
def body_rest_times(gesture: Gesture) -> Floats:
    """Times at which a gesture without hands' keys rests: the turning points of what moves most."""
    spread = {name: max(t.values) - min(t.values) for name, t in gesture.tracks.items() if name.split(".")[0] in _LARGE}
    spread = {name: value for name, value in spread.items() if value > 0.0}
    if not spread:
        return np.array([0.0, gesture.duration])
    lead = gesture.tracks[max(spread, key=lambda name: spread[name] * _LARGE[name.split(".")[0]])]
    values = np.array(lead.values)
    moves = np.sign(np.round(np.diff(values) / max(spread.values()), 2))
    turns = [0] + [i for i in range(1, len(values) - 1) if moves[i] != moves[i - 1]] + [len(values) - 1]
    times = np.unique(np.clip(np.array(lead.times)[turns], 0.0, gesture.duration))
    return times if len(times) > 1 else np.array([0.0, gesture.duration])


_LARGE = {"torso": 1.0, "hips": 1.0, "head": 0.4}  # parts that lead a body without hands, and how much they count


@memoise_by_gesture
def leading_side(gesture: Gesture) -> str | None:
    """The arm with the longest way, whose clock the body goes by."""
    ways = {}
    for side in SIDES:
        keys = gesture.arm(side)
        if keys is not None and len(keys.keys) > 1:
            places = np.array([key.position for key in keys.keys])
            ways[side] = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
    return max(ways, key=lambda side: (round(ways[side], 6), side)) if ways else None
