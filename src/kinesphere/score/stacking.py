"""Edits of signals on a motion, one layer after the other.

Layers speak of the source's own time. What retimes, Effort before them and timewarps among them, is followed by a clock
from that time to the present one, so that "from the second knock on" stays where it was meant. Feet are held after
edits of curves have done their work, all at once: constraints come after character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap
from kinesphere.score.layers import Express, Layer
from kinesphere.signals.blend import Blend
from kinesphere.signals.displace import Displace
from kinesphere.signals.displacement_points import Point
from kinesphere.signals.edit import Edit, window
from kinesphere.signals.feet import held
from kinesphere.signals.groups import chosen
from kinesphere.signals.timewarp import Timewarp


def stacked(motion: Motion, layers: Sequence[Layer], clock: TimeMap | None = None) -> Motion:
    """The motion with its layers' edits of signals; ``clock`` is from the source's time to the motion's."""
    stack = _Stack(motion, TimeMap.identity() if clock is None else clock, motion)
    for layer in layers:
        if not isinstance(layer.edit, Express) and layer.strength > 0.0:
            stack = stack.with_layer(layer)
    return stack.standing().motion


@dataclass(frozen=True, eq=False)
class _Stack:
    """What there is after some layers.

    Attributes
    ----------
    clock
        From the source's time to the motion's.
    stood
        The motion as it was when its feet last stood as they should.
    moved
        ``(J,)`` joints of edits since then that hold feet; None: none.
    inside
        ``(T,)`` how much of them held when.
    """

    motion: Motion
    clock: TimeMap
    stood: Motion
    moved: Bools | None = None
    inside: Floats | None = None

    def with_layer(self, layer: Layer) -> _Stack:
        start, end = (None if at is None else float(self.clock(np.array(at))) for at in (layer.start, layer.end))
        if start is not None and start > self.motion.duration + 1e-9:
            last = float(self.clock.inverse()(np.array(self.motion.duration)))
            raise ValueError(f"a layer from {layer.start:g} s has nothing to act on: the source lasts to {last:g} s")
        edit = layer.edit
        assert not isinstance(edit, Express)
        parts, strength = layer.parts, layer.strength
        if isinstance(edit, Timewarp):
            marks = [(float(self.clock(np.array(old))), new) for old, new in edit.marks]
            amount = strength * edit.amount
            warp = replace(edit, joints=parts, start=start, end=end, amount=amount, marks=marks)
            return self._retimed(*warp.with_clock(self.standing().motion))
        if isinstance(edit, Blend):
            blend = replace(edit, joints=parts, start=start, end=end, strength=strength)
            return self._retimed(*blend.with_clock(self.standing().motion))
        placed = replace(edit, joints=parts, start=start, end=end, strength=strength)
        if isinstance(placed, Displace):
            points = [self._point(point) for point in placed.edits if isinstance(point, Point)]
            made = replace(placed, edits=points)(self.standing().motion)
            return replace(self, motion=made, stood=made, moved=None, inside=None)
        return self._curves(placed)

    def _curves(self, edit: Edit) -> _Stack:
        made = replace(edit, feet=False)(self.motion)
        if not edit.holds_feet or edit.neutral:
            return replace(self, motion=made)
        joints, inside = chosen(made.skeleton, edit.joints), window(made, edit.start, edit.end, edit.fade)
        if self.moved is not None and self.inside is not None:
            joints, inside = joints | self.moved, np.maximum(inside, self.inside)
        return replace(self, motion=made, moved=joints, inside=inside)

    def _retimed(self, made: Motion, clock: TimeMap) -> _Stack:
        return _Stack(made, self.clock.then(clock), made)

    def _point(self, point: Point) -> Point:
        """A pose edit at the present time. A frame stays itself while clocks agree."""
        rate = self.motion.rate
        at = point.seconds if point.frame is None else point.frame / rate
        assert at is not None
        now = float(self.clock(np.array(at)))
        return point if abs(now - at) < 1e-9 else replace(point, frame=None, seconds=min(now, self.motion.duration))

    def standing(self) -> _Stack:
        """With the feet of edits of curves held."""
        if self.moved is None:
            return self
        made = held(self.stood, self.motion, self.moved, self.inside)
        return replace(self, motion=made, stood=made, moved=None, inside=None)
