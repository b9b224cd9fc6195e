"""From dials to a manner: Effort and Shape of each part, made into what the body understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kinesphere.figure.channels import sampled
from kinesphere.figure.manner import FLOURISHES, STROKES, ArmManner, Manner, body_goals, stops
from kinesphere.figure.spans import RATE
from kinesphere.kernels.arrays import Floats, within
from kinesphere.laban.arm_shape import shaped
from kinesphere.laban.dials import EffortDial, ShapeDial, by_hand, curve
from kinesphere.laban.effort import Effort
from kinesphere.laban.effort_model import EffortModel, effort_model
from kinesphere.laban.meeting import carried, met
from kinesphere.laban.movement import RANGES, movement
from kinesphere.laban.shape import Shape
from kinesphere.laban.torso_shape import torso_channels
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoint, Space

PARTS = ("left_arm", "right_arm", "torso")
AMPLITUDES = ("squash", "breath", "limb_volume", "wrist_bend", "wrist_twist", "elbow_twist", "displacement")
TRAILS, STIFF = 1.6, 0.85  # how much more a free hand drags behind its wrist, and a bound one less
FIST, OPEN = 0.9, 0.75  # of those shapes at full weight
BEYOND = 0.5  # of what exceeds full Shape that a torso bends further
HANGING = 0.25  # of its Shape that a hanging hand shows
LOW, RAISED = -0.50, -0.22  # metres above the shoulder: hands that hang, and hands that are up
MOST_FLEXED = 1.05  # radians
VARIES, PACES = 0.08, 0.03  # how far an individual's flourishes and durations are from everybody's


@dataclass(frozen=True, eq=False)
class Dials:
    """One edit's dials on one part.

    ``strength (N,)`` is how much of it holds over the gesture's own time, ``RATE`` values a second; None: all.
    """

    effort: EffortDial = field(default_factory=Effort)
    shape: ShapeDial = field(default_factory=Shape)
    intensity: float = 1.0
    tempo: float = 1.0
    strength: Floats | None = None
    hands: bool = False  # whether their shape goes along: a fist where it is strong, open where it is light


def manner(
    gesture: Gesture,
    parts: Mapping[str, Sequence[Dials]],
    *,
    stillness: float = 0.0,
    model: EffortModel | None = None,
    locked: bool = False,
    seed: int | None = None,
) -> Manner:
    """The manner in which the gesture is done. Several edits of a part add up before they saturate."""
    model = effort_model() if model is None else model
    time = np.arange(round(gesture.duration * RATE) + 1) / RATE
    chance = None if seed is None else np.random.default_rng([seed, 1])
    arms = {}
    known: _Known = {}
    placed = _both_placed(gesture, parts, time)
    for side in ("left", "right"):
        keys = gesture.arm(side)
        if keys is None:
            continue
        at = np.array([key.frame for key in keys.keys]) / keys.rate
        edges = at[stops(keys)] if len(at) > 1 else np.array([at[0], max(gesture.duration, at[0] + 0.1)])
        dials = parts.get(f"{side}_arm", ())
        made = _strokes_and_flourishes(dials, edges, time, model, chance, known)
        arms[side] = ArmManner(*made, placed.get(side))
    torso = parts.get("torso", ())
    body = ArmManner(*_strokes_and_flourishes(torso, body_goals(gesture), time, model, chance, known))
    factors, gain = _turned(torso, "shape", time)
    gain = 1.0 + BEYOND * (gain - 1.0)
    channels = {name: _plain(values) for name, values in torso_channels(factors, gain).items()}
    life, fidget = (1.0 - stillness, 0.0) if stillness >= 0.0 else (1.0 - 0.5 * stillness, -stillness)
    return Manner(arms, body, channels, life, fidget, seed, locked)


def _turned(dials: Sequence[Dials], which: str, time: Floats) -> tuple[Floats, Floats]:
    """Factors ``(N, 4)`` as far as they are turned, saturated, and what amplitudes are multiplied by ``(N,)``."""
    total = np.zeros((1, 4))
    for dial in dials:
        factors = curve(getattr(dial, which), time) * dial.intensity
        total = total + (factors if dial.strength is None else factors * dial.strength[:, None])
    gain = np.maximum(np.abs(total).max(axis=-1), 1.0)
    return np.clip(total, -1.0, 1.0), gain


def _strokes_and_flourishes(
    dials: Sequence[Dials],
    edges: Floats,
    time: Floats,
    model: EffortModel,
    chance: np.random.Generator | None,
    known: _Known,
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    factors, gain = _turned(dials, "effort", time)
    louder = _means(gain[:, None], edges, time)[..., 0]
    along = _movement(factors, model, known)
    if len(factors) == 1:  # the same in every stroke
        strokes = {name: np.repeat(along[name], len(edges) - 1) for name in STROKES}
    else:
        values = movement(_means(factors, edges, time), model)
        strokes = {name: values[name] for name in STROKES}
    strokes["duration"] = strokes["duration"] ** louder / _means(_tempo(dials), edges, time)[..., 0]
    flourishes = {name: along[name] for name in FLOURISHES if name in along}
    released, held = np.maximum(-factors[:, 3], 0.0), np.maximum(factors[:, 3], 0.0)
    flourishes["loose"] = 1.0 + TRAILS * released - STIFF * held
    if any(dial.hands for dial in dials):
        flourishes |= {"fist": FIST * np.maximum(factors[:, 1], 0.0), "open": OPEN * np.maximum(-factors[:, 1], 0.0)}
    for name in AMPLITUDES:
        flourishes[name] = flourishes[name] * gain
    flourishes["flexed_angle"] = np.minimum(flourishes["flexed_angle"] * gain, MOST_FLEXED)
    for dial in dials:
        for name, (value, held) in by_hand(dial.effort, time).items():
            held = held * min(dial.intensity, 1.0)
            held = held if dial.strength is None else held * dial.strength
            if name in strokes:
                asked, share = (_means(row[:, None], edges, time)[..., 0] for row in np.broadcast_arrays(value, held))
                strokes[name] = strokes[name] + share * (asked - strokes[name])
            else:
                flourishes[name] = flourishes[name] + held * (value - flourishes[name])
    if chance is not None:
        strokes["duration"] = strokes["duration"] * np.exp(PACES * chance.standard_normal(len(edges) - 1))
        for name in AMPLITUDES:
            flourishes[name] = flourishes[name] * (1.0 + VARIES * float(np.clip(chance.standard_normal(), -2.0, 2.0)))
    strokes["duration"] = np.clip(strokes["duration"], *RANGES["duration"])
    return strokes, {name: _plain(row) for name, row in flourishes.items()}


_Known: TypeAlias = dict[bytes, dict[str, Floats]]


def _movement(factors: Floats, model: EffortModel, known: _Known) -> dict[str, Floats]:
    """As ``movement``, but once only for parts that are asked for the same."""
    key = factors.tobytes()
    if key not in known:
        known[key] = movement(factors, model)
    return known[key]


def _tempo(dials: Sequence[Dials]) -> Floats:
    """``(N, 1)`` how much quicker."""
    total = np.ones((1, 1))
    for dial in dials:
        total = total * (dial.tempo if dial.strength is None else (dial.tempo**dial.strength)[:, None])
    return total


def _means(curves: Floats, edges: Floats, time: Floats) -> Floats:
    """The mean of curves ``(N, C)`` over each stroke ``(S, C)``."""
    if len(curves) == 1:
        return np.repeat(curves, len(edges) - 1, axis=0)
    area = np.concatenate([np.zeros((1, curves.shape[1])), np.cumsum(0.5 * (curves[1:] + curves[:-1]), axis=0)]) / RATE
    held = np.clip(edges, 0.0, time[-1])
    at = np.stack([np.interp(held, time, column) for column in area.T], axis=1)
    lasts = np.diff(held)
    middle = sampled(curves, 0.5 * (held[:-1] + held[1:]), False)
    return np.where(lasts[:, None] > 1e-6, np.diff(at, axis=0) / np.maximum(lasts, 1e-6)[:, None], middle)


def _both_placed(gesture: Gesture, parts: Mapping[str, Sequence[Dials]], time: Floats) -> dict[str, Floats]:
    """Where Shape puts the keys of each side ``(K, 3)``, where it does; hands that meet stay met."""
    times: dict[str, Floats] = {}
    written: dict[str, Floats] = {}
    moved: dict[str, Floats] = {}
    for side in ("left", "right"):
        keys = gesture.arm(side)
        if keys is not None:
            times[side] = np.array([key.frame for key in keys.keys]) / keys.rate
            written[side] = np.array([key.position for key in keys.keys])
            own = _placed(gesture, side, parts.get(f"{side}_arm", ()), times[side], time)
            moved[side] = written[side] if own is None else own
    if all(moved[side] is written[side] for side in moved):
        return {}
    local = all(key.space == Space.LOCAL for side in moved for key in _keys(gesture, side))
    if len(moved) < 2 or not local:
        return moved
    factors, gain = _turned(parts.get("torso", ()), "shape", time)
    torso = torso_channels(factors, gain)
    shoulders = {}
    for side, at in times.items():
        nothing = np.zeros(1)
        angles = [torso.get(f"{side}.clavicle.{name}", nothing) for name in ("forward", "raise")]
        at_keys = [np.repeat(a, len(at)) if np.size(a) == 1 else sampled(a, at, False) for a in angles]
        shoulders[side] = carried(at_keys[0], at_keys[1], side)
    return met(times, written, moved, shoulders)


def _keys(gesture: Gesture, side: str) -> tuple[Keypoint, ...]:
    keys = gesture.arm(side)
    return () if keys is None else keys.keys


def _placed(gesture: Gesture, side: str, dials: Sequence[Dials], at: Floats, time: Floats) -> Floats | None:
    """Where Shape puts the keys ``(K, 3)``; those of the world stay. None: where they are."""
    keys = gesture.arm(side)
    assert keys is not None
    factors, _ = _turned(dials, "shape", time)
    if not factors.any():
        return None
    own = factors  # beyond full Shape, keys stay where they are: arms would go behind the body
    own = np.repeat(own, len(at), axis=0) if len(own) == 1 else sampled(own, np.clip(at, 0.0, time[-1]), False)
    written = np.array([key.position for key in keys.keys])
    free = np.array([key.space == Space.LOCAL for key in keys.keys])
    # The lower a hand, the less of Shape it shows, down to where it hangs; and it does not lean back there, where an
    # elbow would not know which way to point.
    raised = within((written[:, 1] - LOW) / (RAISED - LOW), 0.0, 1.0)
    raised = raised * raised * (3.0 - 2.0 * raised)
    own = own * (HANGING + (1.0 - HANGING) * raised)[:, None]
    own[:, 2] = np.where(own[:, 2] > 0.0, raised * own[:, 2], own[:, 2])
    return np.where(free[:, None], shaped(written, own, side), written)


def _plain(values: Floats) -> Floats:
    """A curve of one value as a number."""
    row = np.asarray(values)
    return row.reshape(()) if row.size == 1 else row
