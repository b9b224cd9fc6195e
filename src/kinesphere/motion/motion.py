"""Motions: a skeleton's local poses at a fixed frame rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.checked_arrays import check_array, freeze, unit_quaternions
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.source import Source


@dataclass(frozen=True, eq=False)
class Motion:
    """Local poses over time. Immutable: every edit makes a new motion.

    Parameters
    ----------
    skeleton
        The skeleton that is posed.
    rate
        Frames a second, as the file had it: 119.8753 stays 119.8753.
    rotations
        ``(T, J, 4)`` local unit quaternions, w x y z. They *replace* the rest rotations.
    translations
        ``(T, J, 3)`` local positions in metres. They *replace* the rest offsets. Left out: the rest offsets.
    scales
        ``(T, J, 3)`` scales of the surface about each joint, which its children do not inherit, or None.
    calibration_frames
        Frames that were not performed, such as an inserted T-pose. They stay, but contacts, goals and
        velocities skip them.
    name
        The clip's name.
    source
        Which file it came from.
    """

    skeleton: Skeleton
    rate: float
    rotations: Floats
    translations: Floats = field(default_factory=lambda: np.empty((0, 0, 3)))
    scales: Floats | None = None
    calibration_frames: tuple[int, ...] = ()
    name: str = ""
    source: Source = field(default_factory=Source)

    def __post_init__(self) -> None:
        joints = len(self.skeleton)
        rate = float(self.rate)
        if not np.isfinite(rate) or rate <= 0.0:
            raise ValueError(f"rate is {self.rate}; frames a second must be a positive number")
        q = unit_quaternions(check_array(self.rotations, "rotations", (None, joints, 4)), "rotations")
        frames = len(q)
        if frames == 0:
            raise ValueError("a motion needs at least one frame")
        t = np.asarray(self.translations)
        if t.size == 0:
            t = np.broadcast_to(self.skeleton.offsets, (frames, joints, 3)).copy()
        t = check_array(t, "translations", (frames, joints, 3))
        scales = None if self.scales is None else check_array(self.scales, "scales", (frames, joints, 3))
        marked = tuple(sorted({int(frame) for frame in self.calibration_frames}))
        if marked and not 0 <= marked[0] <= marked[-1] < frames:
            raise ValueError(f"calibration frames {marked}; allowed: 0 to {frames - 1}")
        for name, value in (
            ("rate", rate),
            ("rotations", q),
            ("translations", t),
            ("scales", scales),
            ("calibration_frames", marked),
        ):
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.rotations)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<Motion{name}: {len(self)} frames, {len(self.skeleton)} joints, {self.rate:g} fps>"

    def __str__(self) -> str:
        """In a sentence."""
        return f"the motion {self.name!r}" if self.name else f"a motion of {len(self)} frames"

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last: ``(T − 1) / rate``."""
        return (len(self) - 1) / self.rate

    @property
    def times(self) -> Floats:
        """``(T,)`` seconds since the first frame."""
        return np.arange(len(self)) / self.rate

    @property
    def performed_frames(self) -> Ints:
        """Frames that are not calibration frames."""
        keep = np.ones(len(self), dtype=bool)
        keep[list(self.calibration_frames)] = False
        return np.flatnonzero(keep)

    def positions_world(self) -> Floats:
        """``(T, J, 3)`` world positions of all joints."""
        return kinematics.forward_positions(self.rotations, self.translations, self.skeleton.parents)

    def rotations_world(self) -> Floats:
        """``(T, J, 4)`` world rotations of all joints."""
        return self.world()[0]

    def world(self) -> tuple[Floats, Floats]:
        """World rotations ``(T, J, 4)`` and positions ``(T, J, 3)`` in one pass."""
        return kinematics.forward(self.rotations, self.translations, self.skeleton.parents)

    def tips_world(self) -> Floats:
        """``(T, E, 3)`` world positions of the skeleton's tips."""
        q, p = self.world()
        joints = [tip.joint for tip in self.skeleton.tips]
        offsets = np.array([tip.offset for tip in self.skeleton.tips]).reshape(-1, 3)
        return p[:, joints] + rotations.rotate(q[:, joints], offsets)

    def with_pose(self, local_rotations: Floats, translations: Floats | None = None) -> Motion:
        """The same motion with other rotations, and other translations if given."""
        return replace(
            self,
            rotations=rotations.continuous(local_rotations),
            translations=self.translations if translations is None else translations,
        )

    def __getitem__(self, frames: slice) -> Motion:
        """Some of the frames. A step divides the rate: ``motion[::2]`` plays at the same speed."""
        if not isinstance(frames, slice):
            raise TypeError(f"a slice such as motion[10:50] is expected, found {frames!r}")
        kept = range(len(self))[frames]
        if frames.step is not None and frames.step < 1:
            raise ValueError(f"step {frames.step}: only positive steps are allowed")
        if len(kept) == 0:
            raise ValueError(f"{frames} leaves none of {len(self)} frames")
        marked = set(self.calibration_frames)
        return replace(
            self,
            rate=self.rate / kept.step,
            rotations=freeze(np.ascontiguousarray(self.rotations[frames])),
            translations=freeze(np.ascontiguousarray(self.translations[frames])),
            scales=None if self.scales is None else self.scales[frames],
            calibration_frames=tuple(i for i, frame in enumerate(kept) if frame in marked),
        )

    def between(self, start: float, end: float) -> Motion:
        """The frames from ``start`` to ``end`` seconds, both included where a frame falls on them."""
        first = int(np.ceil(start * self.rate - 1e-6))
        last = int(np.floor(end * self.rate + 1e-6))
        if first > last or last < 0 or first >= len(self):
            raise ValueError(f"no frame from {start} to {end} s; the motion runs from 0 to {self.duration:g} s")
        return self[max(first, 0) : last + 1]

    def scaled(self, factor: float) -> Motion:
        """Body and travel larger or smaller by ``factor``, about the world's origin."""
        if not np.isfinite(factor) or factor <= 0.0:
            raise ValueError(f"scale factor {factor}: a positive number is expected")
        skeleton = self.skeleton.scaled(factor)
        return replace(self, skeleton=skeleton, translations=self.translations * factor)

    def in_place(self, *, heading: bool = False) -> Motion:
        """Without travel over the ground: the hips stay above where the first performed frame had them.

        Height stays. ``heading=True`` also removes rotation about the vertical, so that the body keeps its heading.
        """
        from kinesphere.motion.transform import in_place

        return in_place(self, heading=heading)

    def mirrored(self, pairs: Sequence[tuple[int, int]] | None = None) -> Motion:
        """Left and right exchanged, mirrored at the YZ plane."""
        from kinesphere.motion.transform import mirror_motion

        return mirror_motion(self, pairs)

    def resampled(self, rate: float, *, smooth: bool = True) -> Motion:
        """The same movement at another rate. Every original frame that falls on a new one is kept exactly."""
        from kinesphere.motion.timemap import resample

        return resample(self, rate, smooth=smooth)
