"""Edits of curves: what equalising, waveshaping and smoothing share.

An edit of curves says what becomes of a table of curves. Here it is applied within a scope, with the constraints after
it: hinges within their limits, feet in contact locked. Calibration frames are never touched. Frames outside of the
scope stay as they are, to the last bit; so do other joints, except hips and legs where feet are locked.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, Self

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.body.standing_rest import with_standing_rest
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.document import Flag, Setting, document
from kinesphere.motion.edit import MotionEdit
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.constraints import hold_feet, limit_hinges
from kinesphere.signals.curves import Curves


@document(frozen=True, kw_only=True)
class Edit(MotionEdit):
    """An edit of curves."""

    feet: Annotated[
        Flag,
        Setting(
            "Whether feet that are in contact in the input stay where they are.",
            option="--free-feet",
            help="Don't hold the feet that stand.",
        ),
    ] = True
    limits: Annotated[
        Flag,
        Setting(
            "Whether knees and elbows bend no further than they can, or did.",
            option="--free-hinges",
            help="Let knees and elbows bend further than they can.",
        ),
    ] = True

    @property
    def is_loop(self) -> bool:
        """Whether the motion's end leads into its beginning."""
        return False

    @property
    def locks_feet(self) -> bool:
        return self.feet

    @property
    def needs_locked_feet(self) -> bool:
        return False

    def with_free_feet(self) -> Self:
        return replace(self, feet=False)

    @abstractmethod
    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        """The table ``(T, D)`` of curves, edited in every frame; only columns of ``joints (J,)`` are used."""

    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        joints = select_joints(motion.skeleton, scope.parts)
        runs = performed_runs(motion)
        window = edit_window(motion, scope)
        if self.neutral or scope.strength == 0.0:
            return motion, TimeMap.identity()
        standing = with_standing_rest(motion)  # its heading and tilt, hinges and soles are measured from there
        rotations, translations = self._edit_runs(standing, joints, scope.strength * window, runs)
        result = replace(standing, rotations=freeze(rotations), translations=freeze(translations))
        if self.limits:
            result = limit_hinges(standing, result, joints, loop=self.is_loop)
        if self.locks_feet:
            result = hold_feet(standing, result, joints, window)
        if standing is not motion:
            result = replace(result, skeleton=motion.skeleton)
        return result, TimeMap.identity()

    def _edit_runs(self, motion: Motion, joints: Bools, weight: Floats, runs: list[slice]) -> tuple[Floats, Floats]:
        """Rotations and translations by a weight ``(T,)``. Only what is edited is written: all else keeps its bits."""
        whole = joints.all() and len(runs) == 1 and len(motion) == runs[0].stop - runs[0].start
        if whole and (weight == 1.0).all():
            curves = Curves.of(motion)
            edited = curves.with_table(self.edit_table(curves, joints))
            return edited.rotations, edited.translations
        rotations, translations = motion.rotations.copy(), motion.translations.copy()
        for run in runs:
            active = np.flatnonzero(weight[run] > 0.0)
            if not active.size:
                continue
            curves = Curves.of(replace(motion[run], calibration_frames=()))
            rows, columns = slice(int(active[0]), int(active[-1]) + 1), curves.columns(joints)
            table = curves.table[rows].copy()
            target = self.edit_table(curves, joints)[rows]
            table[:, columns] += weight[run][rows, None] * (target[:, columns] - table[:, columns])
            edited = curves.with_table(table)
            frames = slice(run.start + rows.start, run.start + rows.stop)
            rotations[frames, joints] = edited.rotations[:, joints]
            translations[frames, joints] = edited.translations[:, joints]
        return rotations, translations


def edit_window(motion: Motion, scope: Scope) -> Floats:
    """``(T,)`` the weight of an edit in each frame, from 0 to 1; a range with nothing of the motion is refused."""
    low, high = -np.inf if scope.start is None else scope.start, np.inf if scope.end is None else scope.end
    if low > motion.duration + 1e-9 or high < -1e-9:
        raise ValueError(
            f"nothing of the motion lies from {max(low, 0.0):g} to {high:g} s: it lasts from 0 to {motion.duration:g} s"
        )
    return scope.window(motion.times)
