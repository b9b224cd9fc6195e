"""A gesture's channels at every frame, and what a living body adds to them: breath and sway."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import numpy as np

from kinesphere.figure.breath import PERIOD, breathed
from kinesphere.figure.curves import keyed, ramp, rounded
from kinesphere.figure.pose import RATE
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.gesture import Gesture

# Postural sway: waves that have little to do with each other. Amplitude, cycles a second, phase.
_SWAY = {
    "hips.x": ((0.0030, 0.31, 0.4), (0.0015, 0.73, 2.0)),
    "hips.z": ((0.0020, 0.41, 1.3), (0.0010, 0.89, 0.2)),
    "torso.side": ((0.0050, 0.29, 3.0), (0.0025, 0.67, 1.0)),
    "torso.turn": ((0.0060, 0.23, 1.1), (0.0030, 0.61, 4.0)),
    "head.nod": ((0.0080, 0.37, 2.2), (0.0040, 0.97, 5.1)),
    "head.tilt": ((0.0070, 0.27, 0.9), (0.0030, 0.83, 3.3)),
    "head.turn": ((0.0100, 0.33, 4.4), (0.0040, 0.91, 2.7)),
}


class Channels:
    """Every channel as a curve ``(T,)``; those that the gesture leaves out are zero.

    ``alive`` adds breath and sway.
    """

    def __init__(self, gesture: Gesture, time: Floats, alive: bool = True) -> None:
        self.time, self.loop = time, gesture.loop
        period = gesture.duration if gesture.loop else None
        self._curves = {
            name: rounded(keyed(track.times, track.values, time, period), RATE, loop=gesture.loop)
            for name, track in gesture.tracks.items()
        }
        count = max(1, round(gesture.duration / PERIOD))  # whole breaths fill a gesture
        self.breath = float(alive) * breathed(time, count, gesture.duration)
        for name, waves in _SWAY.items() if alive else ():
            self._curves[name] = self[name] + _sway(waves, time, gesture)

    def __getitem__(self, name: str) -> Floats:
        return self._curves.get(name, np.zeros(len(self.time)))

    def joined(self, curves: Mapping[str, Floats]) -> Channels:
        """The same with some channels replaced."""
        other = copy(self)
        other._curves = self._curves | dict(curves)
        return other

    def repeated(self, times: int, first: int = 0) -> Channels:
        """A loop's channels, several times over, from its frame ``first``."""
        again = copy(self)
        again.time = np.arange(times * (len(self.time) - 1) + 1) / RATE
        index = (first + np.arange(len(again.time))) % (len(self.time) - 1)
        again._curves = {name: curve[index] for name, curve in self._curves.items()}
        again.breath = self.breath[index]
        return again

    def with_default(self, name: str, value: float) -> Floats:
        """A channel that rests at something other than zero."""
        return self._curves.get(name, np.full(len(self.time), value))


def _sway(waves: tuple[tuple[float, float, float], ...], time: Floats, gesture: Gesture) -> Floats:
    """Nothing at both ends of a gesture; whole waves in a loop."""
    total = np.zeros(len(time))
    for amplitude, frequency, phase in waves:
        if gesture.loop:
            frequency = max(1, round(frequency * gesture.duration)) / gesture.duration
        total += amplitude * np.sin(2.0 * np.pi * frequency * time + phase)
    if gesture.loop:
        return total
    edge = min(0.7, 0.4 * gesture.duration)
    return total * ramp(time, 0.0, edge) * (1.0 - ramp(time, gesture.duration - edge, gesture.duration))
