"""Motion edits: what all edits of motion curves share.

An edit is a frozen dataclass, neutral by default, that takes a motion and returns another. Here is the choice of
joints, the time range, how the edit fades in and out, and the constraints after it: hinges within their limits, feet
in contact locked. An edit never touches calibration frames. Frames outside of its range stay as they are, to the last
bit; so do other joints, except hips and legs where feet are locked.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.maths.vectors import Bools, Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import FADE, check_strength, check_time_range, time_window
from kinesphere.signals.constraints import hold_feet, limit_hinges
from kinesphere.signals.curves import Curves


@dataclass(frozen=True, kw_only=True)
class Edit(ABC):
    """An edit of a motion.

    Parameters
    ----------
    joints
        Groups (``"arms"``, ``"torso"``, …), humanoid roles or the skeleton's own names; None: the whole body.
    start, end
        The time range, in seconds; None: from the start, to the end.
    fade
        Seconds over which it fades in after ``start`` and out before ``end``.
    feet
        Whether feet that are in contact in the input stay where they are afterwards as well.
    strength
        How much of it, from 0 to 1.
    limits
        Whether knees and elbows bend no further than they can, or did.
    """

    joints: str | Sequence[str] | None = None
    start: float | None = None
    end: float | None = None
    fade: float = FADE
    feet: bool = True
    strength: float = 1.0
    limits: bool = True

    def __post_init__(self) -> None:
        if self.joints is not None and not isinstance(self.joints, str):
            object.__setattr__(self, "joints", tuple(self.joints))
            if not self.joints:
                raise ValueError("joints is empty; name at least one, or leave it out for the whole body")
        check_time_range(self.start, self.end, self.fade)
        check_strength(self.strength)

    @property
    def is_loop(self) -> bool:
        """Whether the motion's end leads into its beginning."""
        return False

    @property
    def holds_feet(self) -> bool:
        """Whether feet in contact are locked after the edit."""
        return self.feet

    @property
    @abstractmethod
    def neutral(self) -> bool:
        """Whether it changes nothing, whatever the motion."""

    @abstractmethod
    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        """The table ``(T, D)`` of curves, edited in every frame; only columns of ``joints (J,)`` are used."""

    def __call__(self, motion: Motion) -> Motion:
        """The motion, edited."""
        joints = select_joints(motion.skeleton, self.joints)
        runs = performed_runs(motion)
        window = edit_window(motion, self.start, self.end, self.fade)
        if self.neutral or self.strength == 0.0:
            return motion
        rotations, translations = self._edit_runs(motion, joints, self.strength * window, runs)
        result = replace(motion, rotations=freeze(rotations), translations=freeze(translations))
        if self.limits:
            result = limit_hinges(motion, result, joints, loop=self.is_loop)
        return hold_feet(motion, result, joints, window) if self.holds_feet else result

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


def edit_window(motion: Motion, start: float | None, end: float | None, fade: float) -> Floats:
    """``(T,)`` the weight of an edit in each frame, from 0 to 1; a range with nothing of the motion is refused."""
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    if low > motion.duration + 1e-9 or high < -1e-9:
        raise ValueError(
            f"nothing of the motion lies from {max(low, 0.0):g} to {high:g} s: it lasts from 0 to {motion.duration:g} s"
        )
    return time_window(motion.times, start, end, fade)
