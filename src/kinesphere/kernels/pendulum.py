"""A damped pendulum below a pivot that moves."""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import Floats

QUICKEST = 0.8  # radians a step: a pendulum that swings more quickly than frames can show is slowed to this


def swung(pivot: Floats, rate: float, omega: float, damping: float, follows: float) -> Floats:
    """``(T, D)`` how far the pendulum's end is from where it hangs, starting there at rest.

    ``omega`` is its own frequency in radians a second, ``damping`` its share of the critical one, ``follows`` what
    share of the pivot's acceleration reaches it. Semi-implicit steps, which as a recurrence of two terms

        x[i] = (1 + a) x[i−1] − a x[i−2] − b x[i−1] + f[i−1] h²    with a = 1 − 2 damping omega h, b = omega² h²

    is a linear filter: exact for any length, without a loop in Python.
    """
    step = 1.0 / rate
    omega = min(omega, QUICKEST * rate)
    force = np.zeros_like(pivot)
    force[1:-1] = -np.diff(pivot, 2, axis=0)  # times rate², times h²: nothing left
    keeps, pulls = 1.0 - 2.0 * damping * omega * step, (omega * step) ** 2
    # The roots of z² − (1 + keeps − pulls) z + keeps, a conjugate pair unless it is damped nearly critically.
    half = 0.5 * (1.0 + keeps - pulls)
    root = half + 1j * np.sqrt(max(keeps - half * half, 1e-9))
    powers = root ** np.arange(len(pivot))
    # The impulse response, Im(rootⁿ⁺¹) / Im(root), and its convolution by Fourier's transform.
    response = np.concatenate([[0.0], (powers * root).imag[: len(pivot) - 1] / root.imag])
    size = 2 ** int(np.ceil(np.log2(2 * len(pivot))))
    spectrum = np.fft.rfft(response, size)[:, None] * np.fft.rfft(follows * force, size, axis=0)
    return np.asarray(np.fft.irfft(spectrum, size, axis=0)[: len(pivot)])
