"""Clock of a walk: which phase of the stride every frame shows, and where the body is on its way.

A phrase's own time is the walk's without edits. ``gait.cadence`` changes how quickly it passes, ``gait.rhythm`` how
evenly within each step. What may change along the walk is a curve over that own time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kinesphere.engine.batch import RATE
from kinesphere.engine.channels import added_channel, sample_rows
from kinesphere.engine.embodiment import embody
from kinesphere.engine.proportions import LEG
from kinesphere.maths.interpolation import cubic_rows_at
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.gait import GAIT_OVERLAYS, Gait
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.timemap import TimeMap

START = 0.2  # the phase that a walk begins with: one foot flat, the other in the air
BEYOND = 3  # strides before and after a walk that feet come from and go to
WAVES_PER_STRIDE = 0.5  # of a way that winds


def stride_seconds(gait: Gait, size: float) -> float:
    """Seconds of an unedited stride on a body whose legs are so many times the figure's: whole frames at ``RATE``."""
    return stride_samples(gait, size) / RATE


def stride_samples(gait: Gait, size: float) -> int:
    """The frames of that stride."""
    return round(gait.period * float(np.sqrt(size)) * RATE)


@dataclass(frozen=True, eq=False)
class GaitClock:
    """One walk's frames.

    Attributes
    ----------
    size
        Leg length over that of a figure 1.70 m tall.
    rate
        Frames a second.
    """

    phrase: Phrase
    gait: Gait
    size: float
    rate: float

    @classmethod
    def of(cls, phrase: Phrase, rate: float) -> GaitClock:
        """The clock of a phrase that is a walk."""
        assert phrase.gait is not None
        return cls(phrase, phrase.gait, embody(phrase.body).actor.size, rate)

    @cached_property
    def samples(self) -> int:
        """Of one unedited stride, ``RATE`` a second."""
        return stride_samples(self.gait, self.size)

    @cached_property
    def steady(self) -> bool:
        """Whether every stride is like every other: no overlay changes along the walk."""
        every: list[Mapping[str, Floats]] = [track.overlays for track in self.phrase.tracks.values()]
        return self.phrase.loop or all(np.ndim(value) == 0 for own in every for value in own.values())

    @cached_property
    def start(self) -> float:
        """The phase of the first frame."""
        return round(START * self.samples) / self.samples

    @property
    def period(self) -> float:
        """Seconds of own time of a stride."""
        return self.samples / RATE

    @property
    def strides(self) -> int:
        """How many there are."""
        return self.gait.performed_strides

    # Overlays

    def overlay(self, name: str, part: str | None = None) -> Floats:
        """One number ``()``, or a curve ``(N,)`` over own time; ``part`` is whose, where both arms have it."""
        row = GAIT_OVERLAYS[name]
        value = np.asarray(self.phrase.track(part or row.part).overlays.get(name, row.neutral), dtype=np.float64)
        return np.asarray(value.mean()) if value.ndim and self.steady else value

    def at_frames(self, name: str, part: str | None = None) -> Floats:
        """An overlay in every frame: ``()`` or ``(T,)``."""
        value = self.overlay(name, part)
        return value if value.ndim == 0 else sample_rows(value, self.own_time, False)

    def at_phases(self, name: str, phases: Floats) -> Floats:
        """An overlay ``(M,)`` at phases ``(M,)`` of the left foot's stride."""
        value = self.overlay(name)
        if value.ndim == 0:
            return np.full(len(phases), value)
        return sample_rows(value, (phases - self.start) * self.period, False)

    def added_at_phases(self, channel: str, phases: Floats) -> Floats:
        """``(M,)`` what edits add to a channel at phases ``(M,)`` of the left foot's stride."""
        values = self.phrase.added_channels.get(channel)
        if values is None:
            return np.zeros(len(phases))
        own = (phases - self.start) * self.period
        return np.broadcast_to(added_channel(channel, values, own, self.phrase.loop), phases.shape)

    def added_at_frames(self, channel: str) -> Floats:
        """``()`` or ``(T,)`` what edits add to a channel in every frame."""
        values = self.phrase.added_channels.get(channel, np.zeros(()))
        return np.asarray(added_channel(channel, values, self.own_time, self.phrase.loop))

    # Frames

    @cached_property
    def _performed(self) -> tuple[Floats, Floats]:
        """Own time ``(N,)``, and the time ``(N,)`` that it becomes."""
        own = np.array([0.0, self.phrase.duration])
        if self.phrase.locked:
            return own, own
        cadence = self.overlay("gait.cadence")
        if cadence.ndim == 0:
            return own, own / cadence
        own = self.phrase.times
        pace = 1.0 / np.resize(np.append(cadence, np.full(max(len(own) - len(cadence), 0), cadence[-1])), len(own))
        steps = 0.5 * (pace[1:] + pace[:-1]) * np.diff(own)
        return own, np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def frames(self) -> int:
        """From the first to the last: whole strides fill them."""
        return max(round(float(self._performed[1][-1]) * self.rate), 1)

    @cached_property
    def even_phase(self) -> Floats:
        """``(T,)`` the phase of the left foot's stride, without rhythm."""
        frame = np.arange(self.frames + 1)
        if self.steady:
            return self.start + self.strides * frame / self.frames
        own, performed = self._performed
        time = frame * (performed[-1] / self.frames)
        return np.asarray(self.start + np.interp(time, performed, own) / self.period)

    @cached_property
    def phase(self) -> Floats:
        """``(T,)`` the phase of the left foot's stride; with rhythm it runs quicker at every strike."""
        rhythm = np.asarray(0.0) if self.phrase.locked else self.at_frames("gait.rhythm")
        angle = 4.0 * np.pi * self.even_phase
        return np.asarray(self.even_phase + rhythm * np.sin(angle) / (4.0 * np.pi))

    @cached_property
    def own_time(self) -> Floats:
        """``(T,)`` seconds of the phrase's own time."""
        return np.asarray((self.even_phase - self.start) * self.period)

    @property
    def time_map(self) -> TimeMap:
        """From the phrase's own time to the performed one."""
        own, performed = self._performed
        seconds = self.frames / self.rate
        if self.steady:
            return TimeMap.uniform(self.phrase.duration / seconds)
        return TimeMap(own, performed * (seconds / performed[-1]))

    # The way

    @cached_property
    def stride(self) -> float:
        """Metres of a stride of a steady walk."""
        return float(self.size * self.gait.stride * self.overlay("gait.stride"))

    @cached_property
    def _way(self) -> tuple[Floats, Floats]:
        """Phases ``(N,)`` from before the walk to after it, and metres from its start along the way."""
        each = self.samples
        phases = self.start + np.arange(-BEYOND * each, (self.strides + BEYOND) * each + 1) / each
        strides = self.size * self.gait.stride * self.at_phases("gait.stride", phases)
        metres = np.concatenate([[0.0], np.cumsum(0.5 * (strides[1:] + strides[:-1]) * np.diff(phases))])
        return phases, metres - metres[BEYOND * each]

    def travel(self, phases: Floats) -> Floats:
        """``(N,)`` metres along the way at phases of the left foot's stride, from the first frame."""
        if self.steady:
            return np.asarray(self.stride * (phases - self.phase[0]))
        grid, metres = self._way
        first, at = (cubic_rows_at(metres, (p - grid[0]) * self.samples) for p in (self.phase[:1], phases))
        return np.asarray(at - first)

    def phase_at(self, along: Floats) -> Floats:
        """``(N,)`` the left foot's phase at which the body is so many metres ``(N,)`` along the way."""
        if self.steady:
            return np.asarray(self.phase[0] + along / self.stride)
        grid, metres = self._way
        first = float(cubic_rows_at(metres, (self.phase[:1] - grid[0]) * self.samples)[0])
        return np.interp(along + first, metres, grid)

    def wind(self, along: Floats) -> tuple[Floats, Floats]:
        """Metres ``(N,)`` that the way is to the left at metres ``(N,)`` along it, and its heading in radians.

        Both hang on the place alone: what stands on the ground does not move when the way winds.
        """
        phase = self.phase_at(along)
        turns = max(1, round(WAVES_PER_STRIDE * self.strides)) * 2.0 * np.pi / self.strides
        widest = LEG * self.size * self.at_phases("gait.weave", phase)
        stride = self.size * self.gait.stride * self.at_phases("gait.stride", phase)
        angle = turns * (phase - self.start)
        return widest * np.sin(angle), np.arctan(widest * turns * np.cos(angle) / stride)

    def cycles(self, side_phase: float) -> Ints:
        """Whole phases at which a foot strikes, one that is ``side_phase`` ahead of the left, from before to after."""
        first, last = self.phase.min() + side_phase, self.phase.max() + side_phase
        return np.arange(int(np.floor(first)) - 1, int(np.floor(last)) + 3)
