"""Needs that come and go smoothly."""

from __future__ import annotations

import numpy as np

from kinesphere.body.ground import bell, spread
from kinesphere.kernels.arrays import Floats


def rounded_up(values: Floats, seconds: float, rate: float) -> Floats:
    """Values ``(T,)`` from 0 up: the same or more in every frame, beginning and ending so many seconds away."""
    if not values.any():
        return values
    span = max(int(seconds * rate), 1)
    padded, width = np.pad(values, span), 1
    while width < 2 * span + 1:  # the greatest of twice as many neighbours each time
        step = min(width, 2 * span + 1 - width)
        padded, width = np.maximum(padded[:-step], padded[step:]), width + step
    return spread(padded, bell(seconds, rate))
