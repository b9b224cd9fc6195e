"""Motion edits of a score, one layer after the other, in the source's own time.

Effort, timewarps and blends change timing. So a time map from the source's time to the motion's is kept and updated by
each of them, and the times of a layer pass through it: "from the second knock on" stays at the second knock. Feet are
locked once after several edits of curves, not after each: before an edit that retimes or displaces, and at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.edit import Layer, MotionEdit
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.registry import blame_plugin
from kinesphere.motion.scope import Scope
from kinesphere.motion.timemap import TimeMap
from kinesphere.score.sources import AS_FOUND, Reading, resolve_sources
from kinesphere.signals.constraints import hold_feet


def apply_layers(
    motion: Motion, layers: Sequence[Layer], clock: TimeMap | None = None, reading: Reading = AS_FOUND
) -> Motion:
    """The motion with the motion edits of its layers; ``clock`` maps the source's time to the motion's."""
    stack = LayerStack(motion, TimeMap.identity() if clock is None else clock, motion, reading=reading)
    for layer in layers:
        if isinstance(layer.edit, MotionEdit) and layer.scope.strength > 0.0:
            stack = stack.with_layer(layer.edit, layer.scope)
    return stack.with_locked_feet().motion


@dataclass(frozen=True, eq=False)
class LayerStack:
    """A motion after some layers.

    Attributes
    ----------
    clock
        From the source's time to the motion's.
    locked
        The motion when its feet were last locked: what later edits are compared with.
    joints
        ``(J,)`` joints of later edits that ask for locked feet; None: there are none.
    weight
        ``(T,)`` the weight of those edits in each frame.
    reading
        How files of motions that edits need are read.
    """

    motion: Motion
    clock: TimeMap
    locked: Motion
    joints: Bools | None = None
    weight: Floats | None = None
    reading: Reading = AS_FOUND

    def with_layer(self, given: MotionEdit, source_scope: Scope) -> LayerStack:
        """The stack after one more layer, whose times are the source's."""
        edit = resolve_sources(given, self.reading).at_times_of(self.clock, self.motion)
        scope = self._to_present(source_scope)
        if edit.needs_locked_feet or edit.retimes:
            motion, clock = _apply(edit, self.with_locked_feet().motion, scope)
            return LayerStack(motion, self.clock.then(clock), motion, reading=self.reading)
        motion, _ = _apply(edit.with_free_feet(), self.motion, scope)
        if not edit.locks_feet or edit.neutral:
            return replace(self, motion=motion)
        joints, weight = select_joints(motion.skeleton, scope.parts), scope.window(motion.times)
        if self.joints is not None and self.weight is not None:
            joints, weight = joints | self.joints, np.maximum(weight, self.weight)
        return replace(self, motion=motion, joints=joints, weight=weight)

    def with_locked_feet(self) -> LayerStack:
        """The stack with the feet locked as its edits of curves ask for."""
        if self.joints is None:
            return self
        motion = hold_feet(self.locked, self.motion, self.joints, self.weight)
        return LayerStack(motion, self.clock, motion, reading=self.reading)

    def _to_present(self, scope: Scope) -> Scope:
        """The scope with its range mapped from the source's time to the motion's."""
        if scope.whole_time:
            return scope
        start, end = (None if at is None else float(self.clock(np.array(at))) for at in (scope.start, scope.end))
        if start is not None and start > self.motion.duration + 1e-9:
            last = float(self.clock.inverse()(np.array(self.motion.duration)))
            raise ValueError(f"a layer from {scope.start:g} s has nothing to act on: the source lasts to {last:g} s")
        return replace(scope, start=start, end=end)


def _apply(edit: MotionEdit, motion: Motion, scope: Scope) -> tuple[Motion, TimeMap]:
    """The motion, edited, and its clock; what goes wrong in a plugin's edit has its name."""
    with blame_plugin(edit):
        made, clock = edit.apply(motion, scope)
        if not isinstance(made, Motion) or not isinstance(clock, TimeMap):
            raise TypeError(
                f"apply gave {type(made).__name__}, {type(clock).__name__}; a Motion and a TimeMap are expected"
            )
        return made, clock
