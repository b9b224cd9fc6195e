"""The figure's left hand, flat. Fingers are as thick as their knuckles lie apart, so that a fist closes."""

from __future__ import annotations

import numpy as np
from field import Floats, cone, ellipsoid, joined, tube
from places import at, end

from kinesphere.engine.proportions import ALONG, BACK, HEIGHT, PERSON, THUMBWARD

FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
RADII = {  # of a finger at its root, its joints and its tip
    "Thumb": (0.0150, 0.0120, 0.0106, 0.0086),
    "Index": (0.0104, 0.0099, 0.0088, 0.0074),
    "Middle": (0.0106, 0.0101, 0.0090, 0.0076),
    "Ring": (0.0102, 0.0097, 0.0086, 0.0072),
    "Little": (0.0094, 0.0091, 0.0081, 0.0068),
}
WEB = 0.0045  # over which fingers flow into the palm and each other


def hand(p: Floats) -> Floats:
    """The distance of points ``(N, 3)`` from the hand."""
    wrist = at("leftHand")
    palm = tube(
        wrist,
        wrist + HEIGHT * PERSON.arm[2] * ALONG,
        THUMBWARD,
        [
            (0.00, 0.0265, 0.0190),
            (0.30, 0.0320, 0.0175, 0.001, -0.003),
            (0.70, 0.0385, 0.0155, 0.001, -0.004),
            (1.00, 0.0390, 0.0125, 0.0, -0.004),
        ],
        power=2.5,
        caps=(0.02, 0.010),
    )
    shape = palm(p)
    for start, stop, first, last, width in _pads():
        shape = joined(shape, cone(start, stop, first, last)(p), width)
    fingers = _finger(FINGERS[1], p)
    for finger in FINGERS[2:]:
        fingers = joined(fingers, _finger(finger, p), 0.002)
    shape = joined(shape, fingers, WEB)
    return joined(shape, _finger("Thumb", p), 0.010)


def _pads() -> list[tuple[Floats, Floats, float, float, float]]:
    """Balls of the thumb and of the little finger's side, and the pad below the knuckles."""
    wrist = at("leftHand")

    def on(along: float, across: float, back: float) -> Floats:
        return wrist + along * ALONG + across * THUMBWARD + back * BACK

    return [
        (on(0.014, 0.014, -0.007), at("leftThumbProximal"), 0.0175, 0.0130, 0.012),
        (on(0.020, -0.020, -0.006), on(0.062, -0.029, -0.006), 0.0130, 0.0110, 0.012),
        (on(0.080, 0.018, -0.006), on(0.072, -0.026, -0.006), 0.0095, 0.0090, 0.010),
    ]


def _finger(finger: str, p: Floats) -> Floats:
    parts = ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    knots = [at(f"left{finger}{part}") for part in parts]
    last, radii = end(f"left{finger}Distal"), RADII[finger]
    way = (last - knots[-1]) / np.linalg.norm(last - knots[-1])
    knots.append(last - way * radii[3])
    if finger != "Thumb":  # begin inside the palm
        knots[0] = knots[0] - 0.012 * ALONG
    shape = cone(knots[0], knots[1], radii[0], radii[1])(p)
    for k in (1, 2):
        shape = joined(shape, cone(knots[k], knots[k + 1], radii[k], radii[k + 1])(p), 0.003)
    if finger != "Thumb":
        knuckle = ellipsoid(at(f"left{finger}Proximal") + 0.002 * BACK, np.full(3, radii[0] + 0.0005))
        shape = joined(shape, knuckle(p), 0.006)
    return shape
