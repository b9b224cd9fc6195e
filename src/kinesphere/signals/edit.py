"""What all edits of curves share: which joints, which stretch of time, how it comes and goes, feet that stay planted.

An edit is a frozen dataclass, neutral by default, that takes a motion and gives another. It never touches calibration
frames, and whatever lies outside of its stretch stays as it is, to the last bit; so does what lies outside of its
joints, but for hips and legs where feet are held.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.ground import performed_runs
from kinesphere.maths.vectors import Bools, Floats, clip
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import select_joints
from kinesphere.motion.motion import Motion
from kinesphere.signals.constraints import hold_feet, limit_hinges
from kinesphere.signals.curves import Curves

FADE = 0.25  # seconds over which an edit comes and goes


@dataclass(frozen=True, kw_only=True)
class Edit(ABC):
    """An edit of a motion.

    Parameters
    ----------
    joints
        Groups (``"arms"``, ``"torso"``, …), humanoid roles or the skeleton's own names; None: the whole body.
    start, end
        The stretch of time, in seconds; None: from the start, to the end.
    fade
        Seconds over which it comes after ``start`` and goes before ``end``.
    feet
        Whether feet that stood in the input stand still afterwards as well.
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
    def goes_round(self) -> bool:
        """Whether the motion's end leads into its beginning."""
        return False

    @property
    def holds_feet(self) -> bool:
        """Whether feet are to be held after it."""
        return self.feet

    @property
    @abstractmethod
    def neutral(self) -> bool:
        """Whether it changes nothing, whatever the motion."""

    @abstractmethod
    def changed(self, curves: Curves, joints: Bools) -> Floats:
        """The table ``(T, D)`` of curves as it would be everywhere; ``joints (J,)`` are those that count."""

    def __call__(self, motion: Motion) -> Motion:
        """The motion, edited."""
        joints = select_joints(motion.skeleton, self.joints)
        runs = performed_runs(motion)
        inside = edit_window(motion, self.start, self.end, self.fade)
        if self.neutral or self.strength == 0.0:
            return motion
        made = self._performed(motion, joints, self.strength * inside, runs)
        result = replace(motion, rotations=freeze(made[0]), translations=freeze(made[1]))
        if self.limits:
            result = limit_hinges(motion, result, joints, loop=self.goes_round)
        return hold_feet(motion, result, joints, inside) if self.holds_feet else result

    def _performed(self, motion: Motion, joints: Bools, weight: Floats, runs: list[slice]) -> tuple[Floats, Floats]:
        """Rotations and translations. Only what is meant is written, so that all else stays to the last bit."""
        whole = joints.all() and len(runs) == 1 and len(motion) == runs[0].stop - runs[0].start
        if whole and (weight == 1.0).all():
            curves = Curves.of(motion)
            made = curves.with_table(self.changed(curves, joints))
            return made.rotations, made.translations
        turns, places = motion.rotations.copy(), motion.translations.copy()
        for run in runs:
            own = np.flatnonzero(weight[run] > 0.0)
            if not own.size:
                continue
            curves = Curves.of(replace(motion[run], calibration_frames=()))
            rows, columns = slice(int(own[0]), int(own[-1]) + 1), curves.columns(joints)
            table = curves.table[rows].copy()
            changed = self.changed(curves, joints)[rows]
            table[:, columns] += weight[run][rows, None] * (changed[:, columns] - table[:, columns])
            made = curves.with_table(table)
            frames = slice(run.start + rows.start, run.start + rows.stop)
            turns[frames, joints], places[frames, joints] = made.rotations[:, joints], made.translations[:, joints]
        return turns, places


def edit_window(motion: Motion, start: float | None, end: float | None, fade: float) -> Floats:
    """``(T,)`` how much of an edit holds: refused where its stretch has nothing of the motion."""
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    if low > motion.duration + 1e-9 or high < -1e-9:
        raise ValueError(
            f"nothing of the motion lies from {max(low, 0.0):g} to {high:g} s: it lasts from 0 to {motion.duration:g} s"
        )
    return time_window(motion.times, start, end, fade)


def time_window(time: Floats, start: float | None, end: float | None, fade: float) -> Floats:
    """``(T,)`` from 0 outside of a stretch to 1 inside, at seconds ``(T,)``."""
    low, high = -np.inf if start is None else start, np.inf if end is None else end
    edge = max(min(fade, 0.5 * (high - low)), 1e-9)
    made = np.ones(len(time))
    if start is not None:
        made = made * _ease((time - low) / edge)
    if end is not None:
        made = made * _ease((high - time) / edge)
    return np.asarray(made)


def check_time_range(start: float | None, end: float | None, fade: float) -> None:
    """Refuse a stretch of time that is none."""
    for name, value in (("start", start), ("end", end), ("fade", fade)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
            raise TypeError(f"{name} is {value!r}; seconds are expected")
        if value is not None and not np.isfinite(value):
            raise ValueError(f"{name} is {value!r}; finite seconds are expected")
    if fade < 0.0:
        raise ValueError(f"fade is {fade:g} s; 0 or more is expected")
    if start is not None and end is not None and start >= end:
        raise ValueError(f"a stretch from {start:g} to {end:g} s is empty; its end must come after its start")


def check_strength(strength: float) -> None:
    """Refuse what is no share."""
    if isinstance(strength, bool) or not isinstance(strength, int | float | np.number):
        raise TypeError(f"strength is {strength!r}; a number from 0 to 1 is expected")
    if not 0.0 <= strength <= 1.0:  # NaN too
        raise ValueError(f"strength is {strength!r}; 0 to 1 is allowed")


def _ease(x: Floats) -> Floats:
    u = clip(x, 0.0, 1.0)
    return np.asarray(u * u * u * (10.0 - u * (15.0 - 6.0 * u)))
