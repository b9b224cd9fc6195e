"""Hand key positions under Laban Shape: rotated, moved out of the body, and both hands kept together.

Keys are rotated by Shape (``shape``), moved off a body that Shape bends as well (``clearance``), and kept together
where the two hands meet. What does not depend on dials is kept with the gesture, in one table for both arms.

Keys in the table are out, up and ahead of their shoulder, left arm first; distances are for a figure 1.70 m tall.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.batch import RATE
from kinesphere.engine.channels import INDEX, channel_table, sample_rows
from kinesphere.engine.legs import LIFT, MOST_LIFT
from kinesphere.engine.manner import ArmManner
from kinesphere.engine.overlays import BREATH_MOST
from kinesphere.engine.surface_scales import PRESSED
from kinesphere.laban.clearance import (
    BodyCapsules,
    MovableKeys,
    SampledPaths,
    flourish_scale,
    key_weights,
    penetration,
    resolve_collisions,
    sample_paths,
)
from kinesphere.laban.dials import CombinedDials
from kinesphere.laban.posture import BENDS, upright_shoulder, view_body
from kinesphere.laban.shape import rotate_keys
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms, smoothstep
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

SHOULDER_SIDE = (0.180, 0.0, 0.0)  # metres from the middle of the chest, out
CLAVICLE = (0.156, 0.0, -0.034)  # metres
TOGETHER, APART = 0.12, 0.20  # metres between wrists of hands that meet, and of hands that do not
SAME_TIME = 0.04  # seconds between two keys at which hands meet
HANGING_SHAPE = 0.25  # of its Shape that a hanging hand shows
LOW, RAISED = -0.50, -0.22  # metres above the shoulder: hands that hang, and hands that are up
MOUTH = (-0.18, 0.12, 0.15)  # metres from the shoulder: out, up, ahead
AT_MOUTH, OFF_MOUTH = 0.15, 0.19  # metres between wrist and mouth of a hand that eats or drinks, and of others
KNOT_DELAY = 0.15  # of the time from key to key, after which the narrower key decides about flourishes
KNOT_HOLD = 2.0 / RATE  # seconds around a key that depend on no other key, nor do curves through their frames
DISPLACEMENT_MARGIN = 0.10  # metres that a displacement of the whole elbow's angle leads a hand off its path
_PRESSED = np.array([PRESSED.get(name, PRESSED.get(f"left.{name}", 0.0)) for name in BENDS])


# Hands that meet


class MeetingKeys(NamedTuple):
    """Pairs of keys at which the two hands meet."""

    left: Ints  # (P,) rows of the left hand's keys
    right: Ints  # (P,) rows of the right hand's
    shares: Floats  # (P,) from 0, apart, to 1, together


def find_meeting_keys(times: Floats, written: Floats, fixed: Bools, sides: Mapping[str, slice]) -> MeetingKeys | None:
    """Where hands with keys ``(K, 3)`` relative to their shoulders meet; None: nowhere, or some keys are fixed."""
    if len(sides) < 2 or fixed.any():
        return None
    left, right = sides["left"], sides["right"]
    rows = np.arange(left.start, left.stop)
    delays = np.abs(times[rows, None] - times[right])
    others = right.start + delays.argmin(axis=1)
    gap = norms(written[rows] - written[others] + 2.0 * np.array(SHOULDER_SIDE))
    shares = clip((APART - gap) / (APART - TOGETHER), 0.0, 1.0)
    meet = (delays.min(axis=1) <= SAME_TIME) & (shares > 0.0)
    return MeetingKeys(rows[meet], others[meet], shares[meet]) if meet.any() else None


def shoulder_shift(forward: Floats, up: Floats, side: str) -> Floats:
    """How far ``(K, 3)`` a shoulder moves when its clavicle rotates forward and up by these angles ``(K,)``."""
    sign = 1.0 if side == "left" else -1.0
    rotation = rotations.from_rotation_vector(np.stack([np.zeros_like(up), -sign * forward, sign * up], axis=-1))
    bone = np.array([sign * CLAVICLE[0], CLAVICLE[1], CLAVICLE[2]])
    return np.asarray(rotations.rotate(rotation, bone) - bone)


def keep_hands_together(pairs: MeetingKeys, written: Floats, moved: Floats, forward: Floats, up: Floats) -> Floats:
    """Keys ``(K, 3)`` as Shape moves them; two that meet move by the mean of both displacements.

    ``forward`` and ``up (K,)`` are what Shape adds to the clavicles: hands that meet do not follow their shoulders.
    """
    ends = {"left": pairs.left, "right": pairs.right}
    shifts = {side: moved[rows] - written[rows] for side, rows in ends.items()}
    mean = 0.5 * (shifts["left"] + shifts["right"])
    together = moved.copy()
    for side, rows in ends.items():
        own = mean - shifts[side] - shoulder_shift(forward[rows], up[rows], side)
        together[rows] += pairs.shares[:, None] * own
    return together


# The keys of both arms, without dials


class ArmKnots(NamedTuple):
    """Times of one arm at which the scale of its flourishes is set, each between two of its keys."""

    times: Floats  # (N,)
    first: Ints  # (N,)
    second: Ints  # (N,)


class PathDeviation(NamedTuple):
    """What Effort does to hands and body between keys."""

    margins: Floats  # (K,) metres that flourishes lead hands off their paths
    bends: Floats | None  # (K, 7) what breath adds to ``BENDS``; None: nothing


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys ``(K, ...)`` of the left arm and then of the right one.

    Attributes
    ----------
    sides
        The rows of each side.
    times : (K,)
        Seconds.
    positions : (K, 3)
        As written: relative to the shoulder in the chest's axes, or fixed in the world.
    mirrors : (K, 3)
        What positions are multiplied by to be out, up and ahead.
    below, above : (K, 4)
        How much of Shape each key shows, of values below zero and of values above.
    bends : (K, 7), feet : (K, 2, 3)
        How the gesture itself bends the body and moves the feet; see ``posture.view_body``.
    hanging : (K, 1)
        1 where the key is the hanging hand's position, else 0.
    paths
        Sample points between the keys.
    keys
        What may move, and how.
    knots
        Each side's times at which flourishes are scaled.
    pairs
        Keys at which hands meet.
    """

    sides: Mapping[str, slice]
    times: Floats
    positions: Floats
    mirrors: Floats
    below: Floats
    above: Floats
    bends: Floats
    feet: Floats
    hanging: Floats
    paths: SampledPaths
    keys: MovableKeys
    knots: Mapping[str, ArmKnots]
    pairs: MeetingKeys | None

    @cached_property
    def flourish_scale(self) -> Floats:
        """``(K,)`` factors by which flourishes are scaled down at the keys as written."""
        body, _ = self.capsules(np.zeros_like(self.bends), PathDeviation(np.zeros(len(self.times)), None))
        return np.where(self.keys.free, flourish_scale(self.keys.written, body), 1.0)

    def capsules(self, bends: Floats, deviation: PathDeviation) -> tuple[BodyCapsules, BodyCapsules]:
        """The body around each key's hand, as written and bent by ``bends (K, 7)`` more."""
        count = len(bends)
        poses = [self.bends, self.bends + bends]
        if deviation.bends is not None:
            poses += [row + deviation.bends for row in poses]
        lines, sags = view_body(np.concatenate(poses), np.concatenate([self.feet] * len(poses)))
        parts = [slice(count * i, count * (i + 1)) for i in range(len(poses))]
        between = parts if deviation.bends is None else parts[2:]
        written, bent = (
            BodyCapsules(lines[at], lines[on], self.hanging * sags[at], deviation.margins)
            for at, on in zip(parts[:2], between, strict=False)
        )
        return written, bent


@memoised
def key_table(gesture: Gesture) -> KeyTable | None:
    """The table of a gesture's keys; None where both arms hang throughout."""
    arms = {side: own for side in SIDES if (own := arm_keys(gesture, side)) is not None}
    if not arms:
        return None
    counts = [1 if arm.lone else len(arm.times) for arm in arms.values()]
    ends = np.cumsum(counts).tolist()
    sides = {side: slice(end - count, end) for side, count, end in zip(arms, counts, ends, strict=True)}

    def rows(name: str) -> Any:
        return np.concatenate([getattr(arm, name)[:n] for arm, n in zip(arms.values(), counts, strict=True)])

    times, fixed, hanging, positions = rows("times"), rows("fixed"), rows("rests"), rows("places")
    signs = np.repeat([1.0 if side == "left" else -1.0 for side in arms], counts)
    mirrors = np.column_stack([signs, np.ones((len(signs), 2))])
    # Keys in the world are taken relative to the shoulder of an upright figure.
    written = positions * mirrors - np.where(fixed[:, None], upright_shoulder(), 0.0)
    paths = sample_paths(written, rows("stops"), fixed, signs * rows("swivels"), sides.values())
    below, above = _visible_shape(written)
    return KeyTable(
        sides=sides,
        times=times,
        positions=positions,
        mirrors=mirrors,
        below=below,
        above=above,
        bends=np.concatenate([_gesture_bends(gesture, side, times[own]) for side, own in sides.items()]),
        feet=np.concatenate([_feet(gesture, side, times[own]) for side, own in sides.items()]),
        hanging=hanging[:, None].astype(np.float64),
        paths=paths,
        keys=MovableKeys(written, ~fixed, _owners(gesture, sides), key_weights(paths.neutral, hanging)),
        knots={side: _knots(times[own]) for side, own in sides.items()},
        pairs=find_meeting_keys(times, positions, fixed, sides),
    )


def _owners(gesture: Gesture, sides: Mapping[str, slice]) -> Ints:
    """The key that each one moves with: a loop's last key moves with its first."""
    owners = np.arange(max(own.stop for own in sides.values()), dtype=np.intp)
    for own in sides.values() if gesture.loop else ():
        owners[own.stop - 1] = own.start
    return owners


def _visible_shape(written: Floats) -> tuple[Floats, Floats]:
    """How much of Shape below and above zero keys show, each ``(K, 4)``.

    The lower a hand, the less it shows. A hanging hand opens but does not close: thighs are in the way, and the elbow
    of an arm that points back has no clear direction. A hand at the mouth is there for a reason and stays.
    """
    raised = smoothstep((written[:, 1] - LOW) / (RAISED - LOW))
    off_mouth = smoothstep((norms(written - np.array(MOUTH)) - AT_MOUTH) / (OFF_MOUTH - AT_MOUTH))
    opens = off_mouth * (HANGING_SHAPE + (1.0 - HANGING_SHAPE) * raised)
    closes = raised * opens
    below, above = np.stack([opens] * 3 + [closes], axis=1), np.stack([closes] * 3 + [opens], axis=1)
    return below, above


def _knots(times: Floats) -> ArmKnots:
    """Times at the keys, and shortly after and before them."""
    keys, gaps = np.arange(len(times)), np.diff(times)
    hold, delay = np.minimum(KNOT_HOLD, 0.6 * KNOT_DELAY * gaps), KNOT_DELAY * gaps
    at = [times, times[:-1] + hold, times[1:] - hold, times[:-1] + delay, times[1:] - delay]
    first = [keys, keys[:-1], keys[1:], keys[:-1], keys[:-1]]
    second = [keys, keys[:-1], keys[1:], keys[1:], keys[1:]]
    order = np.argsort(np.concatenate(at), kind="stable")
    return ArmKnots(*(np.concatenate(rows)[order] for rows in (at, first, second)))


def _gesture_bends(gesture: Gesture, side: str, times: Floats) -> Floats:
    """The gesture's own values of ``BENDS`` at these times ``(K, 7)``."""
    columns = [INDEX.get(name, INDEX.get(f"{side}.{name}", 0)) for name in BENDS]
    table = np.ascontiguousarray(channel_table(gesture)[:, columns])
    return sample_rows(table, times, gesture.loop)


def _feet(gesture: Gesture, side: str, times: Floats) -> Floats:
    """Offsets ``(K, 2, 3)`` of the own foot and of the other one from where they stand at first."""
    feet = np.zeros((len(times), 2, 3))
    sign = 1.0 if side == "left" else -1.0
    for i, foot in enumerate(sorted(SIDES, key=lambda name: name != side)):
        position = np.zeros(3)
        for step in gesture.steps.get(foot, ()):
            stride = np.array([sign * step.x, 0.0, step.z]) - position
            u = clip((times - step.lift) / (step.land - step.lift), 0.0, 1.0)
            feet[:, i] += u[:, None] * stride
            feet[:, i, 1] += min(LIFT * float(norms(stride)), MOST_LIFT) * 64.0 * u**3 * (1.0 - u) ** 3
            position = position + stride
    return feet


# The keys of both arms under Effort and Shape


class PlacedKeys(NamedTuple):
    """One arm's keys under Shape."""

    positions: Floats | None  # (K, 3) where Shape puts them; None: where they are written
    knots: ArmKnots
    flourish_scale: Floats  # (K,) factors by which flourishes are scaled down because the body is near

    def flourish_scale_over(self, time: Floats) -> Floats | float:
        """The factor over time: between two keys that of the narrower one. A number where it is 1 throughout."""
        scale = self.flourish_scale
        if (scale == 1.0).all():
            return 1.0
        return np.interp(time, self.knots.times, np.minimum(scale[self.knots.first], scale[self.knots.second]))


def place_keys(
    gesture: Gesture,
    arms: Mapping[str, CombinedDials],
    torso: Mapping[str, Floats],
    efforts: Mapping[str, ArmManner],
) -> dict[str, PlacedKeys]:
    """The keys of each side under Shape; keys fixed in the world stay.

    ``torso`` is what Shape adds to the body's channels; ``efforts`` are the strokes of each arm under Effort.
    """
    table = key_table(gesture)
    if table is None:
        return {}
    if not torso and all(shape.neutral for shape in arms.values()):
        scale = table.flourish_scale
        return {side: PlacedKeys(None, table.knots[side], scale[rows]) for side, rows in table.sides.items()}
    written, free = table.keys.written, table.keys.free
    bends = _shape_bends(table, torso)
    body, bent_body = table.capsules(bends, _path_deviation(table, efforts))
    samples = table.paths.with_tension(np.concatenate([efforts[side].strokes["tension"] for side in table.sides]))
    allowed = norms(penetration(written, body, samples))
    moved = resolve_collisions(rotate_keys(written, _key_shapes(table, arms)), bent_body, samples, table.keys, allowed)
    scale = np.where(free, flourish_scale(moved, bent_body), 1.0)
    positions = np.where(free[:, None], moved * table.mirrors, table.positions)
    if table.pairs is not None:
        forward, up = bends[:, BENDS.index("clavicle.forward")], bends[:, BENDS.index("clavicle.raise")]
        positions = keep_hands_together(table.pairs, table.positions, positions, forward, up)
    return {side: PlacedKeys(positions[rows], table.knots[side], scale[rows]) for side, rows in table.sides.items()}


def _path_deviation(table: KeyTable, efforts: Mapping[str, ArmManner]) -> PathDeviation:
    displacement, breath = (_flourish_at_keys(table, efforts, name) for name in ("displacement", "breath"))
    margins = DISPLACEMENT_MARGIN * displacement * (1.0 - table.hanging[:, 0])  # a hanging arm stays on its path
    return PathDeviation(margins, BREATH_MOST * breath[:, None] * _PRESSED if breath.any() else None)


def _flourish_at_keys(table: KeyTable, efforts: Mapping[str, ArmManner], name: str) -> Floats:
    values = np.zeros(len(table.times))
    for side, rows in table.sides.items():
        values[rows] = _sample_curve(efforts[side].flourishes[name], table.times[rows])
    return values


def _key_shapes(table: KeyTable, arms: Mapping[str, CombinedDials]) -> Floats:
    """Each key's Shape ``(K, 4)``. It saturates at ±1: beyond, arms would go behind the body."""
    factors = np.zeros_like(table.below)
    for side, rows in table.sides.items():
        own = arms[side].factors
        factors[rows] = own if arms[side].steady else sample_rows(np.stack(own, axis=1), table.times[rows], False)
    return np.asarray(table.below * np.minimum(factors, 0.0) + table.above * np.maximum(factors, 0.0))


def _shape_bends(table: KeyTable, torso: Mapping[str, Floats]) -> Floats:
    """What Shape adds to ``BENDS`` at the keys ``(K, 7)``."""
    bends = np.zeros_like(table.bends)
    for i, name in enumerate(BENDS):
        values = torso.get(name, torso.get(f"left.{name}"))  # both clavicles get the same
        if values is not None:
            bends[:, i] = _sample_curve(values, table.times)
    return bends


def _sample_curve(values: Floats, times: Floats) -> Floats | float:
    return float(values) if values.ndim == 0 else sample_rows(values, times, False)
