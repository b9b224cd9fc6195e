"""SPARC: how smooth a movement is, by the arc length of its speed's spectrum.

Balasubramanian, Melendez-Calderon and Burdet (2012), "A robust and sensitive metric for quantifying movement
smoothness"; with the cut-off chosen by amplitude as in Balasubramanian, Melendez-Calderon, Roby-Brami and Burdet
(2015), "On the analysis of movement smoothness". It has no unit, does not depend on how large or how long the movement
is, and bears noise that ruins jerk.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import Floats

CUT = 10.0  # hertz, the largest frequency that is looked at
FAINT = 0.05  # of the largest magnitude: the spectrum ends where it stays below
PADDING = 4  # powers of two: how finely the spectrum is sampled


def sparc(speed: Floats, rate: float, *, cut: float = CUT, faint: float = FAINT) -> float:
    """The spectral arc length of a speed profile ``(T,)``: below 0; the nearer to it, the smoother.

    A minimum-jerk stroke has −1.4.
    """
    if len(speed) < 2 or not np.any(speed):
        return 0.0
    count = 2 ** (int(np.ceil(np.log2(len(speed)))) + PADDING)
    magnitude = np.abs(np.fft.rfft(speed, count))
    magnitude /= magnitude.max()
    frequency = np.fft.rfftfreq(count, 1.0 / rate)
    within = frequency <= cut
    strong = np.flatnonzero(magnitude[within] >= faint)
    kept = slice(int(strong[0]), int(strong[-1]) + 1)
    f, m = frequency[kept], magnitude[kept]
    if len(f) < 2:
        return 0.0
    return -float(np.hypot(np.diff(f) / (f[-1] - f[0]), np.diff(m)).sum())
