"""Hands that meet stay met: Shape moves keys at which both hands are together as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kinesphere.engine.arm_plan import arm_keys
from kinesphere.engine.batch import RATE
from kinesphere.engine.channels import INDEX, sample_rows
from kinesphere.engine.channels import channel_table as written_channels
from kinesphere.engine.legs import LIFT, MOST_LIFT
from kinesphere.engine.overlays import BREATH_MOST
from kinesphere.engine.surface_scales import PRESSED
from kinesphere.laban.arm_shape import rotate_keys as turned_keys
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
from kinesphere.laban.effort_strokes import EffortStrokes
from kinesphere.laban.posture import BENDS, SHOULDER, view_body
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, clip, norms
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoise_by_gesture

SHOULDER_SIDE = (0.180, 0.0, 0.0)  # metres from the middle of the chest, out: for a figure 1.70 m tall
CLAVICLE = (0.156, 0.0, -0.034)  # metres
TOGETHER, APART = 0.12, 0.20  # metres between wrists that touch, and that have nothing to do with each other
AT_ONCE = 0.04  # seconds


class MeetingKeys(NamedTuple):
    """Keys at which hands meet."""

    left: Ints  # (P,) rows of the left hand's keys
    right: Ints  # (P,) and of the right one's
    shares: Floats  # (P,) how much they meet


def find_meeting_keys(times: Floats, written: Floats, fixed: Bools, sides: Mapping[str, slice]) -> MeetingKeys | None:
    """Where hands with keys ``(K, 3)`` from their shoulders meet; None: nowhere, or some keys are the world's."""
    if len(sides) < 2 or fixed.any():
        return None
    left, right = sides["left"], sides["right"]
    rows = np.arange(left.start, left.stop)
    away = np.abs(times[rows, None] - times[right])
    others = right.start + away.argmin(axis=1)
    gap = norms(written[rows] - written[others] + 2.0 * np.array(SHOULDER_SIDE))
    shares = clip((APART - gap) / (APART - TOGETHER), 0.0, 1.0)
    meet = (away.min(axis=1) <= AT_ONCE) & (shares > 0.0)
    return MeetingKeys(rows[meet], others[meet], shares[meet]) if meet.any() else None


def shoulder_shift(forward: Floats, up: Floats, side: str) -> Floats:
    """How far ``(K, 3)`` a shoulder goes whose clavicle is turned forward and up by these angles ``(K,)``."""
    sign = 1.0 if side == "left" else -1.0
    turned = rotations.from_rotation_vector(np.stack([np.zeros_like(up), -sign * forward, sign * up], axis=-1))
    bone = np.array([sign * CLAVICLE[0], CLAVICLE[1], CLAVICLE[2]])
    return np.asarray(rotations.rotate(turned, bone) - bone)


def keep_hands_together(pairs: MeetingKeys, written: Floats, moved: Floats, forward: Floats, up: Floats) -> Floats:
    """Keys ``(K, 3)`` from their shoulders as Shape moves them, those at which hands meet by the mean of both ways.

    ``forward`` and ``up (K,)`` are what Shape adds to the clavicles: hands that meet do not follow their shoulders.
    """
    ends = {"left": pairs.left, "right": pairs.right}
    ways = {side: moved[rows] - written[rows] for side, rows in ends.items()}
    mean = 0.5 * (ways["left"] + ways["right"])
    together = moved.copy()
    for side, rows in ends.items():
        own = mean - ways[side] - shoulder_shift(forward[rows], up[rows], side)
        together[rows] += pairs.shares[:, None] * own
    return together


# ---- The keys of both arms of a gesture in one table, and what of them does not depend on dials.


HANGING = 0.25  # of its Shape that a hanging hand shows
SOON = 0.15  # of the time from key to key, after which a hand has no more room than at the narrower
HELD = 2.0 / RATE  # seconds around a key that know of no other, so that curves through frames don't either
MOUTH = (-0.18, 0.12, 0.15)  # metres from the shoulder: out, up, ahead
AT_MOUTH, FROM_MOUTH = 0.15, 0.19  # metres between wrist and mouth of a hand that eats or drinks, and of others
LOW, RAISED = -0.50, -0.22  # metres above the shoulder: hands that hang, and hands that are up


@dataclass(frozen=True, eq=False)
class KeyTable:
    """Keys ``(K, ...)`` of the left arm and then of the right one; places are out, up and ahead of the shoulder.

    Attributes
    ----------
    sides
        Which rows are a side's.
    places : (K, 3)
        As written, in the chest's axes, or in the world.
    mirrors : (K, 3)
        What places are multiplied by to be out, up and ahead.
    below, above : (K, 4)
        How much of Shape each key shows, of what is below zero, and of what is above it.
    bends, feet
        How the gesture itself bends the body; see ``posture.seen``.
    hanging : (K, 1)
        Whether a key is the hanging hand's place.
    knots
        Moments at which the room around hands changes, each side's.
    pairs
        Keys at which hands meet.
    """

    sides: Mapping[str, slice]
    times: Floats
    places: Floats
    mirrors: Floats
    below: Floats
    above: Floats
    bends: Floats
    feet: Floats
    hanging: Floats
    courses: SampledPaths
    keys: MovableKeys
    knots: Mapping[str, ArmKnots]
    pairs: MeetingKeys | None

    @cached_property
    def room(self) -> Floats:
        """``(K,)`` how much of what leads hands off their ways the body leaves them room for, as written."""
        around, _ = self.around(np.zeros_like(self.bends), PathDeviation(np.zeros(len(self.times)), None))
        return np.where(self.keys.free, flourish_scale(self.keys.written, around), 1.0)

    def around(self, bends: Floats, strays: PathDeviation) -> tuple[BodyCapsules, BodyCapsules]:
        """What is around each key's hand of the body as written, and of one that is bent by so much more ``(K, 7)``."""
        count = len(bends)
        asked = [self.bends, self.bends + bends]
        if strays.bends is not None:
            asked += [row + strays.bends for row in asked]
        lines, sags = view_body(np.concatenate(asked), np.concatenate([self.feet] * len(asked)))
        parts = [slice(count * i, count * (i + 1)) for i in range(len(asked))]
        between = parts if strays.bends is None else parts[2:]
        return tuple(  # type: ignore[return-value]
            BodyCapsules(lines[at], lines[on], self.hanging * sags[at], strays.margins)
            for at, on in zip(parts[:2], between, strict=False)
        )


class ArmKnots(NamedTuple):
    """Moments of one arm, and between which of its keys they are."""

    times: Floats  # (N,)
    first: Ints  # (N,)
    second: Ints  # (N,)


class PathDeviation(NamedTuple):
    """How far Effort leads hands off their ways, and what the body does meanwhile."""

    margins: Floats  # (K,) metres
    bends: Floats | None  # (K, 7); None: nothing


@memoise_by_gesture
def key_table(gesture: Gesture) -> KeyTable | None:
    """The gesture's, or None where it leaves both arms hanging."""
    arms = {side: own for side in SIDES if (own := arm_keys(gesture, side)) is not None}
    if not arms:
        return None
    counts = [1 if arm.lone else len(arm.times) for arm in arms.values()]
    ends = np.cumsum(counts).tolist()
    sides = {side: slice(end - count, end) for side, count, end in zip(arms, counts, ends, strict=True)}

    def table(name: str) -> Any:
        return np.concatenate([getattr(arm, name)[:n] for arm, n in zip(arms.values(), counts, strict=True)])

    times, fixed, hanging = table("times"), table("fixed"), table("rests")
    signs = np.repeat([1.0 if side == "left" else -1.0 for side in arms], counts)
    mirrors = np.column_stack([signs, np.ones((len(signs), 2))])
    places = table("places")
    written = np.where(
        fixed[:, None], places * mirrors - SHOULDER, places * mirrors
    )  # the world's as upright ones see it
    ways = sample_paths(written, table("stops"), fixed, signs * table("swivels"), sides.values())
    return KeyTable(
        sides,
        times,
        places,
        mirrors,
        *_shown(written),
        np.concatenate([_bends(gesture, side, times[own]) for side, own in sides.items()]),
        np.concatenate([_feet(gesture, side, times[own]) for side, own in sides.items()]),
        hanging[:, None].astype(np.float64),
        ways,
        MovableKeys(written, ~fixed, _owners(gesture, sides), key_weights(ways.even, hanging)),
        {side: _knots(times[own]) for side, own in sides.items()},
        find_meeting_keys(times, places, fixed, sides),
    )


def _owners(gesture: Gesture, sides: Mapping[str, slice]) -> Ints:
    """The key that each one moves with: a loop's last is its first."""
    owners = np.arange(max(own.stop for own in sides.values()))
    for own in sides.values() if gesture.loop else ():
        owners[own.stop - 1] = own.start
    return owners


def _shown(written: Floats) -> tuple[Floats, Floats]:
    """How much of Shape below and above zero keys show.

    The lower a hand, the less of it, down to where it hangs. There it opens but does not close: thighs are in the way,
    and an elbow that leans back would not know which way to point.
    """
    raised = clip((written[:, 1] - LOW) / (RAISED - LOW), 0.0, 1.0)
    raised = raised * raised * (3.0 - 2.0 * raised)
    # A hand at the mouth is there for a reason: it stays.
    away = clip((norms(written - np.array(MOUTH)) - AT_MOUTH) / (FROM_MOUTH - AT_MOUTH), 0.0, 1.0)
    away = away * away * (3.0 - 2.0 * away)
    opens = away * (HANGING + (1.0 - HANGING) * raised)
    closes = raised * opens
    below, above = np.stack([opens] * 3 + [closes], axis=1), np.stack([closes] * 3 + [opens], axis=1)
    return below, above


def _knots(times: Floats) -> ArmKnots:
    """Around the keys, and soon after and before them."""
    keys, lasts = np.arange(len(times)), np.diff(times)
    held, soon = np.minimum(HELD, 0.6 * SOON * lasts), SOON * lasts
    at = [times, times[:-1] + held, times[1:] - held, times[:-1] + soon, times[1:] - soon]
    first = [keys, keys[:-1], keys[1:], keys[:-1], keys[:-1]]
    second = [keys, keys[:-1], keys[1:], keys[1:], keys[1:]]
    order = np.argsort(np.concatenate(at), kind="stable")
    return ArmKnots(*(np.concatenate(rows)[order] for rows in (at, first, second)))


def _bends(gesture: Gesture, side: str, times: Floats) -> Floats:
    """How the gesture bends the body at these times."""
    columns = [INDEX.get(name, INDEX.get(f"{side}.{name}", 0)) for name in BENDS]
    table = np.ascontiguousarray(written_channels(gesture)[:, columns])
    return sample_rows(table, times, gesture.loop)


def _feet(gesture: Gesture, side: str, times: Floats) -> Floats:
    """How far ``(K, 2, 3)`` the own foot and the other one are from where they stand."""
    feet = np.zeros((len(times), 2, 3))
    out = 1.0 if side == "left" else -1.0
    for i, foot in enumerate(sorted(SIDES, key=lambda name: name != side)):
        at = np.zeros(3)
        for step in gesture.steps.get(foot, ()):
            way = np.array([out * step.x, 0.0, step.z]) - at
            u = clip((times - step.lift) / (step.land - step.lift), 0.0, 1.0)
            feet[:, i] += u[:, None] * way
            feet[:, i, 1] += min(LIFT * float(norms(way)), MOST_LIFT) * 64.0 * u**3 * (1.0 - u) ** 3
            at = at + way
    return feet


# ---- Where Shape puts the keys of both arms: turned, kept off a body that it bends as well, met where hands meet.


WANDERS = 0.10  # metres that a displacement of the whole elbow's angle leads a hand off its way
_PRESSED = np.array([PRESSED.get(name, PRESSED.get(f"left.{name}", 0.0)) for name in BENDS])


class PlacedKeys(NamedTuple):
    """One arm's keys."""

    positions: Floats | None  # (K, 3) where Shape puts them; None: they are where they are written
    knots: ArmKnots
    room: Floats  # (K,) how much of what leads hands off their ways the body leaves them room for

    def room_over(self, time: Floats) -> Floats | float:
        """The same over time, on a way as much as at its narrower end; a number where it is all."""
        if (self.room == 1.0).all():
            return 1.0
        return np.interp(time, self.knots.times, np.minimum(self.room[self.knots.first], self.room[self.knots.second]))


def place_keys(
    gesture: Gesture,
    arms: Mapping[str, CombinedDials],
    torso: Mapping[str, Floats],
    efforts: Mapping[str, EffortStrokes],
) -> dict[str, PlacedKeys]:
    """The keys of each side under Shape, those of the world where they are.

    ``torso`` is what Shape adds to the body's channels; ``efforts`` are what Effort makes of each arm's strokes.
    """
    table = key_table(gesture)
    if table is None:
        return {}
    if not torso and all(shape.neutral for shape in arms.values()):
        return {side: PlacedKeys(None, table.knots[side], table.room[rows]) for side, rows in table.sides.items()}
    written, free = table.keys.written, table.keys.free
    bends = _shape_bends(table, torso)
    before, around = table.around(bends, _strays(table, efforts))
    course = table.courses.at(np.concatenate([efforts[side].strokes["tension"] for side in table.sides]))
    allowed = norms(penetration(written, before, course))
    moved = resolve_collisions(turned_keys(written, _shapes(table, arms)), around, course, table.keys, allowed)
    room = np.where(free, flourish_scale(moved, around), 1.0)
    positions = np.where(free[:, None], moved * table.mirrors, table.places)
    if table.pairs is not None:
        forward, up = bends[:, BENDS.index("clavicle.forward")], bends[:, BENDS.index("clavicle.raise")]
        positions = keep_hands_together(table.pairs, table.places, positions, forward, up)
    return {side: PlacedKeys(positions[rows], table.knots[side], room[rows]) for side, rows in table.sides.items()}


def _at_keys(table: KeyTable, efforts: Mapping[str, EffortStrokes], name: str) -> Floats:
    """A flourish at the keys ``(K,)``."""
    made = np.zeros(len(table.times))
    for side, rows in table.sides.items():
        made[rows] = _at(efforts[side].flourishes[name], table.times[rows])
    return made


def _strays(table: KeyTable, efforts: Mapping[str, EffortStrokes]) -> PathDeviation:
    """How far displacement leads hands off their ways, and how far pressed breath bends the body."""
    wander, press = (_at_keys(table, efforts, name) for name in ("displacement", "breath"))
    margins = WANDERS * wander * (1.0 - table.hanging[:, 0])  # an arm that hangs does not stray
    return PathDeviation(margins, BREATH_MOST * press[:, None] * _PRESSED if press.any() else None)


def _at(values: Floats, times: Floats) -> Floats | float:
    return float(values) if values.ndim == 0 else sample_rows(values, times, False)


def _shapes(table: KeyTable, arms: Mapping[str, CombinedDials]) -> Floats:
    """Each key's Shape ``(K, 4)``. Beyond full it stays: arms would go behind the body."""
    asked = np.zeros_like(table.below)
    for side, rows in table.sides.items():
        factors = arms[side].factors
        asked[rows] = factors if arms[side].steady else sample_rows(np.stack(factors, axis=1), table.times[rows], False)
    return np.asarray(table.below * np.minimum(asked, 0.0) + table.above * np.maximum(asked, 0.0))


def _shape_bends(table: KeyTable, torso: Mapping[str, Floats]) -> Floats:
    """What Shape adds to what the body is bent by at the keys ``(K, 7)``."""
    bends = np.zeros_like(table.bends)
    for i, name in enumerate(BENDS):
        values = torso.get(name, torso.get(f"left.{name}"))  # clavicles are alike
        if values is not None:
            bends[:, i] = _at(values, table.times)
    return bends
