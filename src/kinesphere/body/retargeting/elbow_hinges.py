"""Elbows keep their side of the arm where the upper arm's twist says nothing about it.

An arm that is nearly straight shows no hinge, and retargeting takes the one that the upper arm's rotation carries. That
is right where the upper arm twists with the elbow, as bones do. Rigs whose upper arm is rotated by the smallest
rotation, or whose twist is in another joint, carry it anywhere: as such an arm bends, its elbow would flip over. There
a straight arm takes the hinge of the bent frames around it, relative to the carried one.
"""

from __future__ import annotations

import numpy as np

from kinesphere.maths.filters import gaussian
from kinesphere.maths.vectors import Floats, cross, norms, reject, smoothstep, unit

SHOWN = (0.05, 0.25)  # sines of a flexion between which an elbow comes to show its hinge
AGREES = 0.3  # cosine of the angle between both hinges up to which the carried one is trusted
SIGMA = 0.25  # seconds around a straight frame from which it takes its hinge
PRIOR = 1e-4  # weight of the carried hinge, where no frame around is bent


def keep_elbow_side(hinges: Floats, carried: Floats, upper: Floats, lower: Floats, rate: float) -> Floats:
    """Hinges ``(T, 2, 3)`` of the arms; the given ones where the carried ones ``(T, 2, 3)`` agree with the bones'.

    ``upper`` and ``lower (T, 2, 3)`` are the source's bones.
    """
    normal = cross(upper, lower)
    sine = norms(normal) / np.maximum(norms(upper) * norms(lower), 1e-12)
    shown = smoothstep((sine - SHOWN[0]) / (SHOWN[1] - SHOWN[0]))
    axis = unit(upper)
    zero = unit(reject(carried, axis))
    quarter = cross(axis, zero)
    turn = np.einsum("thi,thi->th", unit(normal), zero) + 1j * np.einsum("thi,thi->th", unit(normal), quarter)
    doubtful = ((turn.real < AGREES) & (shown > 0.0)).any(axis=0)
    made = hinges
    for i in np.flatnonzero(doubtful):
        weighted = np.stack([(shown[:, i] * turn[:, i]).real, (shown[:, i] * turn[:, i]).imag], axis=1)
        around = gaussian(weighted, SIGMA * rate)
        around[:, 0] += PRIOR
        size = np.maximum(norms(around), 1e-12)[:, None]
        mixed = weighted + (1.0 - shown[:, i, None]) * around / size
        made = made.copy() if made is hinges else made
        made[:, i] = unit(mixed[:, :1] * zero[:, i] + mixed[:, 1:] * quarter[:, i])
    return made
