"""Mo, the round cartoon with two arms, in its rest pose. Left half; the right is its mirror."""

from __future__ import annotations

import numpy as np
from field import Floats, cone, ellipsoid, joined, tube

from kinesphere.engine.proportions import ALONG, MO, THUMBWARD, joint_places

PLACES, _, ENDS = joint_places(MO)
RADII = {
    "Thumb": (0.026, 0.024, 0.022, 0.018),
    "Index": (0.024, 0.022, 0.020, 0.017),
    "Middle": (0.024, 0.022, 0.020, 0.017),
    "Little": (0.022, 0.020, 0.018, 0.015),
}


def at(name: str) -> Floats:
    """A joint's place in metres."""
    return MO.height * PLACES[name]


def mo(points: Floats) -> Floats:
    """The distance of points ``(N, 3)`` from Mo's surface."""
    p = np.abs(points * [1.0, 0.0, 0.0]) + points * [0.0, 1.0, 1.0]
    body = ellipsoid((0.0, 0.645, 0.0), (0.272, 0.285, 0.252))(p)
    body = joined(body, cone((0.0, 0.670, 0.240), (0.0, 0.665, 0.262), 0.025, 0.029)(p), 0.020)  # a button of a nose
    body = joined(body, _leg(p), 0.035)
    return joined(body, _arm(p), 0.035)


def _leg(p: Floats) -> Floats:
    hip, knee, ankle = (at(f"left{part}") for part in ("UpperLeg", "LowerLeg", "Foot"))
    leg = joined(cone(hip, knee, 0.066, 0.050)(p), cone(knee, ankle, 0.050, 0.042)(p), 0.012)
    tip = MO.height * ENDS["leftToes"]
    shoe = tube(
        (ankle[0], 0.046, ankle[2] - 0.018),
        (tip[0], 0.040, tip[2] - 0.050),
        (1.0, 0.0, 0.0),
        [(0.0, 0.050, 0.048), (0.5, 0.056, 0.047), (1.0, 0.060, 0.043)],
        caps=(0.038, 0.060),
    )(p)
    shoe = -joined(-shoe, p[:, 1] - 0.0026, 0.012)  # rounded, so that it ends on the ground
    return joined(leg, shoe, 0.018)


def _arm(p: Floats) -> Floats:
    shoulder, elbow, wrist = (at(f"left{part}") for part in ("UpperArm", "LowerArm", "Hand"))
    inner = shoulder - 0.06 * ALONG
    arm = joined(cone(inner, elbow, 0.056, 0.042)(p), cone(elbow, wrist, 0.042, 0.034)(p), 0.010)
    palm = tube(
        wrist,
        wrist + MO.height * MO.arm[2] * ALONG,
        THUMBWARD,
        [(0.0, 0.036, 0.034), (0.4, 0.050, 0.036), (1.0, 0.052, 0.030)],
        power=2.4,
        caps=(0.02, 0.016),
    )(p)
    for finger, radii in RADII.items():
        palm = joined(palm, _finger(finger, radii, p), 0.012)
    return joined(arm, palm, 0.016)


def _finger(finger: str, radii: tuple[float, float, float, float], p: Floats) -> Floats:
    parts = ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    knots = [at(f"left{finger}{part}") for part in parts]
    end = MO.height * ENDS[f"left{finger}Distal"]
    knots.append(end - (end - knots[-1]) / np.linalg.norm(end - knots[-1]) * radii[3])
    knots[0] = knots[0] - 0.015 * ALONG
    shape = cone(knots[0], knots[1], radii[0], radii[1])(p)
    for k in (1, 2):
        shape = joined(shape, cone(knots[k], knots[k + 1], radii[k], radii[k + 1])(p), 0.006)
    return shape
