"""A motion at another's pace, or by marks: beats of music, words of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kinesphere.kernels.arrays import Bools, Floats, Ints, within
from kinesphere.motion.motion import Motion
from kinesphere.motion.retiming import retimed
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.alignment import Cost, align, performed
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import FADE, window
from kinesphere.signals.groups import chosen

FASTEST = 8.0  # times as fast or as slow as before, at most, unless the marks say so


@dataclass(frozen=True, eq=False)
class Timewarp:
    """The same movement along another clock.

    Parameters
    ----------
    onto
        The motion whose pace is taken.
    amount
        From 0, its own pace, to 1, the other's.
    marks
        Pairs of seconds instead: a moment of the motion, and when it is to come.
    cost, coarse
        As for ``align``.
    frames
        "smooth": along the smooth map. "matched": frame by frame as matched: one for one, the mean of several for one,
        or where one stands for several, a cubic B-spline's around it. Only with ``onto``, at all of its pace.
    joints, start, end, fade
        As for every edit. Some joints alone are taken along while the rest, and the length, stay.
    """

    onto: Motion | None = None
    amount: float = 1.0
    marks: Sequence[tuple[float, float]] = ()
    cost: Cost = "shape"
    coarse: int | None = None
    frames: Literal["smooth", "matched"] = "smooth"
    joints: str | Sequence[str] | None = None
    start: float | None = None
    end: float | None = None
    fade: float = FADE

    def __post_init__(self) -> None:
        if not np.isfinite(self.amount) or not 0.0 <= self.amount <= 1.0:
            raise ValueError(f"amount is {self.amount!r}; 0 to 1 is allowed")
        if self.onto is not None and len(self.marks):
            raise ValueError("a motion and marks were both given; expected one of them to go by")
        pairs = tuple((float(old), float(new)) for old, new in self.marks)
        if len(pairs) == 1:
            raise ValueError("one mark alone says no pace; two at least are expected")
        object.__setattr__(self, "marks", pairs)
        if self.frames not in ("smooth", "matched"):
            raise ValueError(f"frames is {self.frames!r}; 'smooth' or 'matched' is expected")

    @property
    def neutral(self) -> bool:
        """Whether it changes nothing."""
        return self.amount == 0.0 or (self.onto is None and not self.marks)

    def time_map(self, motion: Motion) -> TimeMap:
        """From the motion's own time to the new one."""
        if self.neutral:
            return TimeMap.identity()
        if self.marks:
            full = TimeMap(*(np.array(row) for row in zip(*self.marks, strict=True)))
        else:
            assert self.onto is not None
            full = align(motion, self.onto, self.cost, coarse=self.coarse)
        if self.amount == 1.0 and self.start is None and self.end is None:
            return full
        return _partly(full, motion, self.amount * window(motion, self.start, self.end, self.fade))

    def __call__(self, motion: Motion) -> Motion:
        """The motion along the new clock."""
        wanted = chosen(motion.skeleton, self.joints)
        if self.neutral:
            return motion
        if self.frames == "matched":
            return self._matched(motion)
        made = retimed(motion, self.time_map(motion))
        return made if self.joints is None else _only(motion, made, wanted)

    def _matched(self, motion: Motion) -> Motion:
        if self.onto is None or self.amount != 1.0 or self.start is not None or self.end is not None:
            raise ValueError(
                "matched frames are whole ones of another motion: they need `onto`, amount 1 and no stretch"
            )
        found = align(self.onto, motion, self.cost, coarse=self.coarse)
        made = matched(motion, found.path, self.onto)
        return made if self.joints is None else _only(motion, made, chosen(motion.skeleton, self.joints))


def matched(motion: Motion, path: Ints, onto: Motion) -> Motion:
    """The motion's frames where a path ``(K, 2)`` of frames of ``onto`` and of the motion puts them.

    One frame for one is itself; several for one are their mean; one for several is spread by a cubic B-spline.
    """
    own = performed(motion)
    curves = Curves.of(own)
    skipped = int(motion.performed_frames[0])
    first = int(path[0, 0])
    frames = [path[path[:, 0] == i, 1] - skipped for i in range(first, int(path[-1, 0]) + 1)]
    table = np.empty((len(frames), curves.table.shape[1]))
    i = 0
    while i < len(frames):
        own_frames = frames[i]
        if len(own_frames) > 1:
            table[i] = curves.table[own_frames].mean(axis=0)
            i += 1
            continue
        end = i + 1
        while end < len(frames) and len(frames[end]) == 1 and frames[end][0] == own_frames[0]:
            end += 1
        count = end - i
        if count == 1:
            table[i] = curves.table[own_frames[0]]
        else:
            at = own_frames[0] + (np.arange(count) + 0.5) / count - 0.5
            table[i:end] = b_spline(curves.table, at)
        i = end
    return replace(curves.with_table(table), rate=onto.rate)


def b_spline(values: Floats, at: Floats) -> Floats:
    """A uniform cubic B-spline with control points ``(T, D)`` at places ``(N,)`` counted in them."""
    whole = np.floor(at).astype(np.intp)
    u = (at - whole)[:, None]
    weights = ((1.0 - u) ** 3, 3.0 * u**3 - 6.0 * u**2 + 4.0, -3.0 * u**3 + 3.0 * u**2 + 3.0 * u + 1.0, u**3)
    taken = (values[within(whole + k, 0, len(values) - 1)] for k in (-1, 0, 1, 2))
    return np.asarray(sum(w * v for w, v in zip(weights, taken, strict=True)) / 6.0)


def _partly(full: TimeMap, motion: Motion, share: Floats) -> TimeMap:
    """A map that runs as fast as ``full`` where the share ``(T,)`` is 1, and as before where it is 0."""
    time = motion.times
    pace = 1.0 + share * (full.slope(time) - 1.0)
    pace = within(pace, 1.0 / FASTEST**2, FASTEST**2)
    steps = 0.5 * (pace[1:] + pace[:-1]) / motion.rate
    start = float(full(time[:1])[0]) if share[0] == 1.0 else float(share[0] * full(time[:1])[0])
    new = start + np.concatenate([[0.0], np.cumsum(steps)])
    return TimeMap(time, new) if len(time) > 1 else TimeMap.identity()


def _only(motion: Motion, made: Motion, joints: Bools) -> Motion:
    """The motion with some joints as they are in another of the same rate, held where that one is over."""
    at = np.minimum(np.arange(len(motion)), len(made) - 1)
    q, t = motion.rotations.copy(), motion.translations.copy()
    q[:, joints], t[:, joints] = made.rotations[at][:, joints], made.translations[at][:, joints]
    return motion.with_pose(q, t)
