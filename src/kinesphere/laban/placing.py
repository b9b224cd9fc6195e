"""Where Shape puts the keys of both arms: turned, kept off a body that it bends as well, met where hands meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kinesphere.figure.channels import sampled
from kinesphere.figure.flourishes import BREATH_MOST
from kinesphere.figure.surface_scales import PRESSED
from kinesphere.kernels.arrays import Floats, lengths
from kinesphere.laban.arm_shape import turned as turned_keys
from kinesphere.laban.clearing import cleared, pressed, room_at
from kinesphere.laban.effort_strokes import Effected
from kinesphere.laban.key_table import KeyTable, Knots, Strays, key_table
from kinesphere.laban.meeting import met
from kinesphere.laban.posture import BENDS
from kinesphere.laban.turning import Turned
from kinesphere.motion.gesture import Gesture

WANDERS = 0.10  # metres that a displacement of the whole elbow's angle leads a hand off its way
_PRESSED = np.array([PRESSED.get(name, PRESSED.get(f"left.{name}", 0.0)) for name in BENDS])


class Placed(NamedTuple):
    """One arm's keys."""

    positions: Floats | None  # (K, 3) where Shape puts them; None: they are where they are written
    knots: Knots
    room: Floats  # (K,) how much of what leads hands off their ways the body leaves them room for

    def room_over(self, time: Floats) -> Floats | float:
        """The same over time, on a way as much as at its narrower end; a number where it is all."""
        if (self.room == 1.0).all():
            return 1.0
        return np.interp(time, self.knots.times, np.minimum(self.room[self.knots.first], self.room[self.knots.second]))


def placed(
    gesture: Gesture, arms: Mapping[str, Turned], torso: Mapping[str, Floats], efforts: Mapping[str, Effected]
) -> dict[str, Placed]:
    """The keys of each side under Shape, those of the world where they are.

    ``torso`` is what Shape adds to the body's channels; ``efforts`` are what Effort makes of each arm's strokes.
    """
    table = key_table(gesture)
    if table is None:
        return {}
    if not torso and all(shape.neutral for shape in arms.values()):
        return {side: Placed(None, table.knots[side], table.room[rows]) for side, rows in table.sides.items()}
    written, free = table.keys.written, table.keys.free
    bends = _added(table, torso)
    before, around = table.around(bends, _strays(table, efforts))
    course = table.courses.at(np.concatenate([efforts[side].strokes["tension"] for side in table.sides]))
    allowed = lengths(pressed(written, before, course))
    moved = cleared(turned_keys(written, _shapes(table, arms)), around, course, table.keys, allowed)
    room = np.where(free, room_at(moved, around), 1.0)
    positions = np.where(free[:, None], moved * table.mirrors, table.places)
    if table.pairs is not None:
        forward, up = bends[:, BENDS.index("clavicle.forward")], bends[:, BENDS.index("clavicle.raise")]
        positions = met(table.pairs, table.places, positions, forward, up)
    return {side: Placed(positions[rows], table.knots[side], room[rows]) for side, rows in table.sides.items()}


def _at_keys(table: KeyTable, efforts: Mapping[str, Effected], name: str) -> Floats:
    """A flourish at the keys ``(K,)``."""
    made = np.zeros(len(table.times))
    for side, rows in table.sides.items():
        made[rows] = _at(efforts[side].flourishes[name], table.times[rows])
    return made


def _strays(table: KeyTable, efforts: Mapping[str, Effected]) -> Strays:
    """How far displacement leads hands off their ways, and how far pressed breath bends the body."""
    wander, press = (_at_keys(table, efforts, name) for name in ("displacement", "breath"))
    margins = WANDERS * wander * (1.0 - table.hanging[:, 0])  # an arm that hangs does not stray
    return Strays(margins, BREATH_MOST * press[:, None] * _PRESSED if press.any() else None)


def _at(values: Floats, times: Floats) -> Floats | float:
    return float(values) if values.ndim == 0 else sampled(values, times, False)


def _shapes(table: KeyTable, arms: Mapping[str, Turned]) -> Floats:
    """Each key's Shape ``(K, 4)``. Beyond full it stays: arms would go behind the body."""
    asked = np.zeros_like(table.below)
    for side, rows in table.sides.items():
        factors = arms[side].factors
        asked[rows] = factors if arms[side].steady else sampled(np.stack(factors, axis=1), table.times[rows], False)
    return np.asarray(table.below * np.minimum(asked, 0.0) + table.above * np.maximum(asked, 0.0))


def _added(table: KeyTable, torso: Mapping[str, Floats]) -> Floats:
    """What Shape adds to what the body is bent by at the keys ``(K, 7)``."""
    bends = np.zeros_like(table.bends)
    for i, name in enumerate(BENDS):
        values = torso.get(name, torso.get(f"left.{name}"))  # clavicles are alike
        if values is not None:
            bends[:, i] = _at(values, table.times)
    return bends
