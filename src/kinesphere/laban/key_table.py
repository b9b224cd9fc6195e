"""The keys of both arms of a gesture in one table, and what of them does not depend on dials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kinesphere.figure.arm_keys import arm_keys
from kinesphere.figure.channels import INDEX, sampled
from kinesphere.figure.channels import written as written_channels
from kinesphere.figure.legs import LIFT, MOST_LIFT
from kinesphere.figure.spans import RATE
from kinesphere.kernels.arrays import Floats, Ints, lengths, within
from kinesphere.laban.clearing import Around, Keys, room_at, weights
from kinesphere.laban.courses import Courses, courses
from kinesphere.laban.meeting import Pairs, pairs
from kinesphere.laban.posture import BENDS, SHOULDER, seen
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.remembering import remembered

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
    courses: Courses
    keys: Keys
    knots: Mapping[str, Knots]
    pairs: Pairs | None

    @cached_property
    def room(self) -> Floats:
        """``(K,)`` how much of what leads hands off their ways the body leaves them room for, as written."""
        around, _ = self.around(np.zeros_like(self.bends), Strays(np.zeros(len(self.times)), None))
        return np.where(self.keys.free, room_at(self.keys.written, around), 1.0)

    def around(self, bends: Floats, strays: Strays) -> tuple[Around, Around]:
        """What is around each key's hand of the body as written, and of one that is bent by so much more ``(K, 7)``."""
        count = len(bends)
        asked = [self.bends, self.bends + bends]
        if strays.bends is not None:
            asked += [row + strays.bends for row in asked]
        lines, sags = seen(np.concatenate(asked), np.concatenate([self.feet] * len(asked)))
        parts = [slice(count * i, count * (i + 1)) for i in range(len(asked))]
        between = parts if strays.bends is None else parts[2:]
        return tuple(  # type: ignore[return-value]
            Around(lines[at], lines[on], self.hanging * sags[at], strays.margins)
            for at, on in zip(parts[:2], between, strict=False)
        )


class Knots(NamedTuple):
    """Moments of one arm, and between which of its keys they are."""

    times: Floats  # (N,)
    first: Ints  # (N,)
    second: Ints  # (N,)


class Strays(NamedTuple):
    """How far Effort leads hands off their ways, and what the body does meanwhile."""

    margins: Floats  # (K,) metres
    bends: Floats | None  # (K, 7); None: nothing


@remembered
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
    ways = courses(written, table("stops"), fixed, signs * table("swivels"), sides.values())
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
        Keys(written, ~fixed, _owners(gesture, sides), weights(ways.even, hanging)),
        {side: _knots(times[own]) for side, own in sides.items()},
        pairs(times, places, fixed, sides),
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
    raised = within((written[:, 1] - LOW) / (RAISED - LOW), 0.0, 1.0)
    raised = raised * raised * (3.0 - 2.0 * raised)
    # A hand at the mouth is there for a reason: it stays.
    away = within((lengths(written - np.array(MOUTH)) - AT_MOUTH) / (FROM_MOUTH - AT_MOUTH), 0.0, 1.0)
    away = away * away * (3.0 - 2.0 * away)
    opens = away * (HANGING + (1.0 - HANGING) * raised)
    closes = raised * opens
    below, above = np.stack([opens] * 3 + [closes], axis=1), np.stack([closes] * 3 + [opens], axis=1)
    return below, above


def _knots(times: Floats) -> Knots:
    """Around the keys, and soon after and before them."""
    keys, lasts = np.arange(len(times)), np.diff(times)
    held, soon = np.minimum(HELD, 0.6 * SOON * lasts), SOON * lasts
    at = [times, times[:-1] + held, times[1:] - held, times[:-1] + soon, times[1:] - soon]
    first = [keys, keys[:-1], keys[1:], keys[:-1], keys[:-1]]
    second = [keys, keys[:-1], keys[1:], keys[1:], keys[1:]]
    order = np.argsort(np.concatenate(at), kind="stable")
    return Knots(*(np.concatenate(rows)[order] for rows in (at, first, second)))


def _bends(gesture: Gesture, side: str, times: Floats) -> Floats:
    """How the gesture bends the body at these times."""
    columns = [INDEX.get(name, INDEX.get(f"{side}.{name}", 0)) for name in BENDS]
    table = np.ascontiguousarray(written_channels(gesture)[:, columns])
    return sampled(table, times, gesture.loop)


def _feet(gesture: Gesture, side: str, times: Floats) -> Floats:
    """How far ``(K, 2, 3)`` the own foot and the other one are from where they stand."""
    feet = np.zeros((len(times), 2, 3))
    out = 1.0 if side == "left" else -1.0
    for i, foot in enumerate(sorted(SIDES, key=lambda name: name != side)):
        at = np.zeros(3)
        for step in gesture.steps.get(foot, ()):
            way = np.array([out * step.x, 0.0, step.z]) - at
            u = within((times - step.lift) / (step.land - step.lift), 0.0, 1.0)
            feet[:, i] += u[:, None] * way
            feet[:, i, 1] += min(LIFT * float(lengths(way)), MOST_LIFT) * 64.0 * u**3 * (1.0 - u) ** 3
            at = at + way
    return feet
