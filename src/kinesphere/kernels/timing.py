"""How far along a stroke is at each moment: the double interpolant, in closed form.

Within a stroke from one goal to the next the speed runs in straight lines through five knots. With ``t''`` the share
of time that has passed, to the power of ``time_exponent``:

    t''    0    0.01            inflection    0.99         1
    speed  0    −anticipation   inflection    −overshoot   0

Progress is the area under the speed over the whole area: quadratic from knot to knot, 0 at the start, 1 at the end,
below 0 while anticipating, above 1 while overshooting.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, floats

EDGE = 0.01  # the first and the last stretch, in which the speed leaves zero and returns
INFLECTIONS = (0.02, 0.98)
LEAST_EXPONENT = 0.05
LEAST_AREA = 0.02  # of the area without anticipation and overshoot


def progress(
    t: ArrayLike,
    inflection: ArrayLike = 0.5,
    anticipation: ArrayLike = 0.0,
    overshoot: ArrayLike = 0.0,
    time_exponent: ArrayLike = 1.0,
) -> Floats:
    """The share of the way that is done after the share ``t`` of a stroke's time.

    All arguments broadcast. ``t`` is held within 0 and 1; where it is NaN, so is the result. The rest must be finite.
    What would leave nothing defined is held off: inflection to [0.02, 0.98], exponents below 0.05, and an overshoot
    that would take back all of the way.

    Parameters
    ----------
    t
        Share of the stroke's time, 0 to 1.
    inflection
        When the speed is greatest, which is also how great it is before normalising.
    anticipation, overshoot
        How fast the stroke first goes backwards, and at last returns from beyond its end.
    time_exponent
        Above 1 everything happens later, below 1 earlier.
    """
    share = floats(t)
    ti = np.clip(_finite("inflection", inflection), *INFLECTIONS)
    v0 = _finite("anticipation", anticipation)
    v1 = _finite("overshoot", overshoot)
    exponent = np.maximum(_finite("time_exponent", time_exponent), LEAST_EXPONENT)
    whole = (1.0 - 2.0 * EDGE) * ti  # twice the area of the triangle that neutral timing has
    v0 = np.minimum(v0, (1.0 - 2.0 * LEAST_AREA) * (1.0 - 2.0 * EDGE))
    v1 = np.minimum(v1, (whole * (1.0 - LEAST_AREA) - v0 * ti) / (1.0 - ti))
    now, ti, v0, v1 = np.broadcast_arrays(np.clip(share, 0.0, 1.0) ** exponent, ti, v0, v1)
    nothing = np.zeros_like(ti)
    knots = (nothing, nothing + EDGE, ti, nothing + (1.0 - EDGE), nothing + 1.0)
    speeds = (nothing, -v0, ti, -v1, nothing)
    area = np.zeros_like(now)
    total = np.zeros_like(now)
    for start, end, first, last in zip(knots[:-1], knots[1:], speeds[:-1], speeds[1:], strict=True):
        length = end - start
        passed = np.clip(now - start, 0.0, length)
        area = area + passed * (first + 0.5 * (last - first) * passed / length)
        total = total + 0.5 * length * (first + last)
    done: Floats = area / total
    return done


def _finite(name: str, values: ArrayLike) -> Floats:
    array = floats(values)
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise ValueError(f"{name} must be finite; found {bad[0]}")
    return array
