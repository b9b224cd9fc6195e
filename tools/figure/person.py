"""The figure's shape: a calm, well-proportioned manikin of 1.70 m, in its rest pose.

The left half is given; the right is its mirror.
"""

from __future__ import annotations

import numpy as np
from field import Field, Floats, blended, cone, ellipsoid, joined, tube, within
from hand import hand
from head import head
from leg import leg
from places import at

from kinesphere.engine.proportions import ALONG, THUMBWARD

SEAM = 0.016  # over which the halves of the trunk flow into each other


def person(points: Floats) -> Floats:
    """The distance of points ``(N, 3)`` from the figure's surface."""
    sharp = np.abs(points * [1.0, 0.0, 0.0]) + points * [0.0, 1.0, 1.0]
    soft = sharp.copy()
    soft[:, 0] = np.hypot(points[:, 0], SEAM)
    body = within(_torso, soft, (0.0, 0.62, -0.4), (0.4, 1.62, 0.4))
    body = blended(body, within(leg, sharp, (-0.1, -0.1, -0.4), (0.4, 1.12, 0.4)), 0.060)
    body = blended(body, within(_arm, sharp, (0.05, 0.72, -0.2), (0.9, 1.56, 0.3)), 0.036)
    body = joined(body, within(_neck, sharp, (-0.1, 1.28, -0.3), (0.24, 1.70, 0.3)), 0.035)
    soft[:, 0] = np.hypot(points[:, 0], 0.2 * SEAM)
    return blended(body, within(head, soft, (-0.1, 1.40, -0.3), (0.2, 1.80, 0.3)), 0.018)


def _torso(p: Floats) -> Floats:
    trunk = tube(
        (0.0, 0.82, 0.0),
        (0.0, 1.44, 0.0),
        (1.0, 0.0, 0.0),
        [
            (0.00, 0.106, 0.086, 0.004),
            (0.12, 0.134, 0.098, 0.006),
            (0.22, 0.139, 0.100, 0.006),
            (0.31, 0.133, 0.094, 0.002),
            (0.42, 0.124, 0.087, -0.005),
            (0.52, 0.128, 0.091, -0.005),
            (0.64, 0.143, 0.103, 0.000),
            (0.76, 0.156, 0.108, 0.006),
            (0.86, 0.146, 0.096, 0.016),
            (0.94, 0.100, 0.074, 0.025),
            (1.00, 0.064, 0.058, 0.028),
        ],
        power=2.3,
        caps=(0.08, 0.03),
    )
    body = trunk(p)
    for shape, width in _TRUNK_PARTS:
        body = blended(body, shape(p), width)
    return body


_TRUNK_PARTS: tuple[tuple[Field, float], ...] = (
    (ellipsoid((0.072, 1.300, 0.050), (0.076, 0.056, 0.046)), 0.050),  # chest
    (ellipsoid((0.086, 1.296, -0.076), (0.058, 0.080, 0.036)), 0.045),  # shoulder blade
    (ellipsoid((0.066, 0.886, -0.052), (0.068, 0.078, 0.066)), 0.040),  # seat
    (ellipsoid((0.0, 0.99, 0.040), (0.090, 0.110, 0.050)), 0.055),  # belly
    (cone((0.026, 1.456, -0.034), (0.166, 1.384, -0.030), 0.040, 0.029), 0.040),  # trapezius
    (cone((0.020, 1.386, 0.050), (0.160, 1.396, -0.004), 0.011, 0.013), 0.026),  # collar bone
)


def _neck(p: Floats) -> Floats:
    stations = [(0.0, 0.058, 0.058), (0.35, 0.050, 0.054), (0.7, 0.0485, 0.0535), (1.0, 0.052, 0.056)]
    neck = tube((0.0, 1.40, -0.036), (0.0, 1.545, -0.006), (1.0, 0.0, 0.0), stations)(p)
    strap = cone((0.036, 1.520, -0.028), (0.014, 1.398, 0.032), 0.0140, 0.0085)  # from behind the ear to the breastbone
    return joined(neck, strap(p), 0.022)


def _arm(p: Floats) -> Floats:
    shoulder, elbow, wrist = at("leftUpperArm"), at("leftLowerArm"), at("leftHand")
    upper = tube(
        shoulder - 0.012 * ALONG,
        elbow,
        THUMBWARD,
        [
            (0.00, 0.052, 0.049),
            (0.15, 0.054, 0.050),
            (0.34, 0.050, 0.0475),
            (0.55, 0.0475, 0.0465),
            (0.78, 0.0405, 0.0415),
            (0.92, 0.0365, 0.0365),
            (1.00, 0.0355, 0.0350),
        ],
        caps=(0.045, 0.06),
    )
    lower = tube(
        elbow,
        wrist,
        THUMBWARD,
        [
            (0.00, 0.0355, 0.0345),
            (0.10, 0.0405, 0.0380),
            (0.25, 0.0445, 0.0405, 0.0, 0.002),
            (0.45, 0.0400, 0.0355, 0.0, 0.002),
            (0.70, 0.0315, 0.0265),
            (0.90, 0.0270, 0.0205),
            (1.00, 0.0270, 0.0195),
        ],
        caps=(0.06, 0.02),
    )
    deltoid = ellipsoid(shoulder + np.array([0.010, -0.004, 0.0]), (0.050, 0.051, 0.054))
    arm = blended(blended(upper(p), deltoid(p), 0.030), lower(p), 0.014)
    return joined(arm, within(hand, p, (0.48, 0.72, -0.2), (0.9, 1.10, 0.3)), 0.014)
