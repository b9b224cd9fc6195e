"""The figure's left leg and foot."""

from __future__ import annotations

import numpy as np
from field import Floats, blended, cone, cut, ellipsoid, joined, tube
from places import at, end

SIDE = (1.0, 0.0, 0.0)
# Each toe: its middle, where it begins and where it ends, and its radius; the largest first.
TOES = (
    (0.0665, 0.1180, 0.1836, 0.0128),
    (0.0850, 0.1180, 0.1815, 0.0094),
    (0.0990, 0.1120, 0.1735, 0.0088),
    (0.1115, 0.1040, 0.1625, 0.0084),
    (0.1225, 0.0940, 0.1500, 0.0084),
)


def leg(p: Floats) -> Floats:
    """The distance of points ``(N, 3)`` from the leg; thighs are shifted forward, calves backward."""
    hip, knee, ankle = at("leftUpperLeg"), at("leftLowerLeg"), at("leftFoot")
    thigh = tube(
        hip,
        knee,
        SIDE,
        [
            (0.00, 0.076, 0.086, -0.002, -0.002),
            (0.12, 0.077, 0.087, 0.000, -0.003),
            (0.35, 0.0735, 0.083, 0.008, -0.003),
            (0.60, 0.0630, 0.071, 0.010, -0.001),
            (0.80, 0.0530, 0.0590, 0.006),
            (0.92, 0.0485, 0.0530, 0.002),
            (1.00, 0.0470, 0.0505, 0.000),
        ],
        caps=(0.09, 0.09),
    )
    shin = tube(
        knee,
        ankle,
        SIDE,
        [
            (0.00, 0.0470, 0.0505, 0.000),
            (0.10, 0.0470, 0.0510, -0.004),
            (0.26, 0.0512, 0.0570, -0.012),
            (0.38, 0.0505, 0.0550, -0.014),
            (0.55, 0.0420, 0.0460, -0.011),
            (0.75, 0.0325, 0.0370, -0.006),
            (0.89, 0.0295, 0.0345, -0.004),
            (1.00, 0.0320, 0.0380, -0.003),
        ],
        caps=(0.09, 0.03),
    )
    shape = blended(thigh(p), shin(p), 0.006)
    knee_cap = ellipsoid(knee + np.array([0.0, 0.006, 0.040]), (0.025, 0.032, 0.014))
    shape = joined(shape, knee_cap(p), 0.016)
    for aside, up in ((-0.027, 0.006), (0.026, -0.002)):  # ankle bones
        shape = joined(shape, ellipsoid(ankle + np.array([aside, up, 0.002]), (0.011, 0.014, 0.013))(p), 0.014)
    return joined(shape, _foot(p), 0.024)


def _foot(p: Floats) -> Floats:
    ankle, ball = at("leftFoot"), at("leftToes")
    heel = ellipsoid((ankle[0], 0.034, ankle[2] - 0.030), (0.033, 0.040, 0.038))(p)
    instep = tube(
        (ankle[0], 0.060, ankle[2] - 0.010),
        (ball[0], 0.021, ball[2] - 0.002),
        SIDE,
        [(0.0, 0.033, 0.044), (0.35, 0.0345, 0.038), (0.7, 0.039, 0.0275), (1.0, 0.0425, 0.0205)],
        power=2.2,
        caps=(0.02, 0.024),
    )(p)
    foot = joined(heel, instep, 0.030)
    toes = _toe(0, p)
    for k in range(1, len(TOES)):
        toes = joined(toes, _toe(k, p), 0.004)
    foot = joined(foot, toes, 0.012)
    arch = ellipsoid((ankle[0] - 0.034, -0.002, 0.030), (0.026, 0.016, 0.044))(p)
    foot = cut(foot, arch, 0.016)
    return -joined(-foot, p[:, 1], 0.006)  # flat soles


def _toe(k: int, p: Floats) -> Floats:
    """Toes stand on their tips: lower there, with a pad."""
    aside, start, stop, radius = TOES[k]
    first, last = 1.05 * radius, radius
    shift = 0.3 * (end("leftToes")[0] - aside) * (0.0 if k == 0 else 0.35)
    toe = cone((aside - shift, 0.0165, start), (aside, 0.0105, stop - radius), first, 0.94 * last)(p)
    pad = ellipsoid((aside, 0.0100, stop - radius), (last, 0.0110, radius))(p)
    return joined(toe, pad, 0.006)
