"""Style parameters of a performance (``Manner``): timing, tension and flourishes of each stroke.

A gesture says what is done; a manner says how. Effort and Shape make manners; ``PLAIN`` changes nothing. Also here:
which arm leads a gesture, and where a gesture without hands' keys rests.
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
from kinesphere.motion.memo import memoised

SHORTEST = 6.0 / RATE  # seconds: no stroke is made shorter than this
# Parameters of each stroke, with their neutral values. The inflection is the gesture's own unless given.
STROKES: Mapping[str, float] = MappingProxyType(
    {"tension": 0.0, "inflection": 0.5, "anticipation": 0.0, "overshoot": 0.0, "time_exponent": 1.0, "duration": 1.0}
)
# Parameters that may vary along a stroke, with their neutral values.
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
    """How one arm's strokes are performed.

    Attributes
    ----------
    strokes
        Each of ``STROKES``: one number, or one per stroke ``(S,)``.
    flourishes
        Each of ``FLOURISHES``: one number, or a curve over the gesture's own time, ``RATE`` values per second.
    positions
        ``(K, 3)`` where Shape has put the keys, for a figure 1.70 m tall; None: where they are.
    """

    strokes: Mapping[str, Floats] = field(default_factory=dict)
    flourishes: Mapping[str, Floats] = field(default_factory=dict)
    positions: Floats | None = None

    def stroke(self, name: str, count: int) -> Floats:
        """One value per stroke ``(S,)``."""
        value = np.asarray(self.strokes.get(name, STROKES[name]), dtype=np.float64)
        return np.array(np.broadcast_to(value, (count,)))

    def flourish(self, name: str) -> Floats:
        """One number ``()``, or a curve ``(N,)``."""
        return np.asarray(self.flourishes.get(name, FLOURISHES[name]), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Manner:
    """How a whole gesture is performed.

    Attributes
    ----------
    arms
        For ``"left"`` and ``"right"``.
    body
        For the strokes of a gesture without hands' keys.
    channels
        What is added to a gesture's channels (see ``CHANNELS``): one number, or a curve over the gesture's own time.
    life
        Factor of breath and sway.
    fidget
        Amount of fidgeting, from 0.
    seed
        Of sway and fidgeting; None: always the same.
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
        """The manner of one arm; the plain one unless given."""
        return self.arms.get(side, ArmManner())


PLAIN = Manner()


def rest_keys(keys: Keypoints) -> np.ndarray:
    """``(K,)`` whether the hand rests at each key: at goals, and at the first and the last."""
    rests = np.array([key.stop == Stop.GOAL for key in keys.keys])
    rests[[0, -1]] = True
    return rests


@memoised
def body_rest_times(gesture: Gesture) -> Floats:
    """Times at which a gesture without hands' keys rests: the turning points of what moves most."""
    spread = {name: max(t.values) - min(t.values) for name, t in gesture.curves.items() if name.split(".")[0] in _LARGE}
    spread = {name: value for name, value in spread.items() if value > 0.0}
    if not spread:
        return np.array([0.0, gesture.duration])
    lead = gesture.curves[max(spread, key=lambda name: spread[name] * _LARGE[name.split(".")[0]])]
    values = np.array(lead.values)
    directions = np.sign(np.round(np.diff(values) / max(spread.values()), 2))
    turns = [0] + [i for i in range(1, len(values) - 1) if directions[i] != directions[i - 1]] + [len(values) - 1]
    times = np.unique(np.clip(np.array(lead.times)[turns], 0.0, gesture.duration))
    return times if len(times) > 1 else np.array([0.0, gesture.duration])


_LARGE = {"torso": 1.0, "hips": 1.0, "head": 0.4}  # parts that lead a body without hands, and how much they count


@memoised
def leading_side(gesture: Gesture) -> str | None:
    """The arm with the longest path, whose clock the body goes by."""
    lengths = {}
    for side in SIDES:
        keys = gesture.arm(side)
        if keys is not None and len(keys.keys) > 1:
            positions = np.array([key.position for key in keys.keys])
            lengths[side] = float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())
    return max(lengths, key=lambda side: (round(lengths[side], 6), side)) if lengths else None
