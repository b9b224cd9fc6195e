"""The figure's shape: a calm, well-proportioned manikin of 1.70 m, in its rest pose.

The left half is given; the right is its mirror.
"""

from __future__ import annotations

import numpy as np
from field import Field, Floats, cone, cut, ellipsoid, joined, tube

from kinesphere.figure.proportions import ALONG, BACK, HEIGHT, PERSON, THUMBWARD, joint_places

PLACES, _, ENDS = joint_places()
FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
RADII = {  # of a finger at its root, its joints and its tip
    "Thumb": (0.0150, 0.0112, 0.0100, 0.0078),
    "Index": (0.0100, 0.0088, 0.0079, 0.0064),
    "Middle": (0.0102, 0.0090, 0.0081, 0.0066),
    "Ring": (0.0098, 0.0086, 0.0077, 0.0062),
    "Little": (0.0087, 0.0075, 0.0068, 0.0055),
}


def at(name: str) -> Floats:
    """A joint's place in metres."""
    return HEIGHT * PLACES[name]


def person(points: Floats) -> Floats:
    """The distance of points ``(N, 3)`` from the figure's surface."""
    p = np.abs(points * [1.0, 0.0, 0.0]) + points * [0.0, 1.0, 1.0]
    body = joined(_torso(p), _neck(p), 0.035)
    body = joined(body, _head(p), 0.016)
    body = joined(body, _leg(p), 0.045)
    return joined(body, _arm(p), 0.030)


def _torso(p: Floats) -> Floats:
    trunk = tube(
        (0.0, 0.84, 0.0),
        (0.0, 1.44, 0.0),
        (1.0, 0.0, 0.0),
        [
            (0.00, 0.118, 0.088, 0.004),
            (0.09, 0.146, 0.102, 0.008),
            (0.18, 0.149, 0.104, 0.008),
            (0.28, 0.138, 0.096, 0.002),
            (0.40, 0.125, 0.087, -0.006),
            (0.50, 0.128, 0.091, -0.005),
            (0.62, 0.144, 0.104, 0.000),
            (0.76, 0.157, 0.109, 0.008),
            (0.86, 0.148, 0.096, 0.018),
            (0.94, 0.100, 0.074, 0.025),
            (1.00, 0.064, 0.058, 0.028),
        ],
        power=2.35,
        caps=(0.08, 0.03),
    )
    body = trunk(p)
    for shape, width in _TRUNK_PARTS:
        body = joined(body, shape(p), width)
    return body


_TRUNK_PARTS: tuple[tuple[Field, float], ...] = (
    (ellipsoid((0.066, 1.300, 0.044), (0.080, 0.066, 0.050)), 0.060),  # chest
    (ellipsoid((0.084, 1.296, -0.076), (0.060, 0.080, 0.038)), 0.045),  # shoulder blade
    (ellipsoid((0.070, 0.882, -0.050), (0.072, 0.080, 0.066)), 0.040),  # seat
    (ellipsoid((0.0, 0.99, 0.040), (0.090, 0.110, 0.050)), 0.055),  # belly
    (cone((0.030, 1.452, -0.034), (0.150, 1.390, -0.030), 0.040, 0.038), 0.040),  # trapezius
    (cone((0.022, 1.384, 0.048), (0.150, 1.392, 0.002), 0.013, 0.017), 0.032),  # collar bone
)


def _neck(p: Floats) -> Floats:
    stations = [(0.0, 0.060, 0.060), (0.35, 0.052, 0.056), (0.7, 0.050, 0.055), (1.0, 0.054, 0.058)]
    return tube((0.0, 1.40, -0.036), (0.0, 1.545, -0.004), (1.0, 0.0, 0.0), stations)(p)


def _head(p: Floats) -> Floats:
    head = ellipsoid((0.0, 1.602, -0.002), (0.0745, 0.0975, 0.0960))(p)
    for shape, width in _HEAD_PARTS:
        head = joined(head, shape(p), width)
    socket = ellipsoid((0.0320, 1.5840, 0.1060), (0.0210, 0.0150, 0.0200))
    return cut(head, socket(p), 0.016)


_HEAD_PARTS: tuple[tuple[Field, float], ...] = (
    (ellipsoid((0.0, 1.560, 0.028), (0.0590, 0.0720, 0.0590)), 0.030),  # face
    (ellipsoid((0.0, 1.516, 0.050), (0.0330, 0.0250, 0.0330)), 0.032),  # chin
    (ellipsoid((0.034, 1.532, 0.012), (0.0240, 0.0300, 0.0420)), 0.028),  # jaw
    (ellipsoid((0.0, 1.6080, 0.0640), (0.0460, 0.0180, 0.0270)), 0.028),  # brow
    (cone((0.0, 1.594, 0.0870), (0.0, 1.5580, 0.0990), 0.0060, 0.0095), 0.014),  # nose
    (ellipsoid((0.0745, 1.5760, -0.004), (0.0085, 0.0290, 0.0165)), 0.008),  # ear
)


def _leg(p: Floats) -> Floats:
    hip, knee, ankle = at("leftUpperLeg"), at("leftLowerLeg"), at("leftFoot")
    thigh = tube(
        hip,
        knee,
        (1.0, 0.0, 0.0),
        [
            (0.00, 0.078, 0.084, -0.006),
            (0.12, 0.081, 0.087, -0.002, -0.004),
            (0.35, 0.074, 0.081, 0.004, -0.002),
            (0.60, 0.063, 0.070, 0.006),
            (0.82, 0.052, 0.057, 0.004),
            (0.92, 0.0475, 0.0520, 0.002),
            (1.00, 0.0450, 0.0495, 0.002),
        ],
        caps=(0.09, 0.09),
    )
    shin = tube(
        knee,
        ankle,
        (1.0, 0.0, 0.0),
        [
            (0.00, 0.0450, 0.0495, 0.002),
            (0.09, 0.0455, 0.0500, -0.000),
            (0.24, 0.0510, 0.056, -0.010),
            (0.36, 0.0500, 0.055, -0.011),
            (0.52, 0.0430, 0.047, -0.008),
            (0.72, 0.0335, 0.037, -0.004),
            (0.88, 0.0295, 0.034, -0.002),
            (1.00, 0.0325, 0.038, -0.002),
        ],
        caps=(0.09, 0.03),
    )
    leg = joined(thigh(p), shin(p), 0.012)
    leg = joined(leg, ellipsoid(knee + np.array([0.0, 0.004, 0.038]), (0.024, 0.034, 0.014))(p), 0.016)
    return joined(leg, _foot(p), 0.022)


def _foot(p: Floats) -> Floats:
    ankle, ball, tip = at("leftFoot"), at("leftToes"), HEIGHT * ENDS["leftToes"]
    heel = ellipsoid((ankle[0], 0.032, ankle[2] - 0.030), (0.032, 0.036, 0.038))(p)
    instep = tube(
        (ankle[0], 0.056, ankle[2] - 0.012),
        (ball[0], 0.020, ball[2]),
        (1.0, 0.0, 0.0),
        [(0.0, 0.033, 0.040), (0.35, 0.034, 0.036), (0.7, 0.039, 0.026), (1.0, 0.044, 0.020)],
        caps=(0.02, 0.02),
    )(p)
    toes = tube(
        (ball[0], 0.017, ball[2]),
        (tip[0], 0.012, tip[2] - 0.012),
        (1.0, 0.0, 0.0),
        [(0.0, 0.044, 0.019), (0.5, 0.042, 0.016), (1.0, 0.033, 0.013)],
        power=2.5,
        caps=(0.02, 0.016),
    )(p)
    foot = joined(joined(heel, instep, 0.030), toes, 0.014)
    return -joined(-foot, p[:, 1], 0.008)  # flat soles


def _arm(p: Floats) -> Floats:
    shoulder, elbow, wrist = at("leftUpperArm"), at("leftLowerArm"), at("leftHand")
    upper = tube(
        shoulder - 0.012 * ALONG,
        elbow,
        THUMBWARD,
        [
            (0.00, 0.054, 0.052),
            (0.15, 0.056, 0.053),
            (0.35, 0.050, 0.049),
            (0.60, 0.044, 0.046),
            (0.85, 0.038, 0.041),
            (1.00, 0.0345, 0.0365),
        ],
        caps=(0.045, 0.06),
    )
    lower = tube(
        elbow,
        wrist,
        THUMBWARD,
        [
            (0.00, 0.0345, 0.0360),
            (0.12, 0.040, 0.039),
            (0.28, 0.042, 0.039),
            (0.50, 0.037, 0.034),
            (0.75, 0.030, 0.026),
            (0.93, 0.027, 0.021),
            (1.00, 0.027, 0.020),
        ],
        caps=(0.06, 0.02),
    )
    deltoid = ellipsoid(shoulder + np.array([0.018, 0.006, 0.0]), (0.050, 0.056, 0.056))
    arm = joined(joined(upper(p), deltoid(p), 0.030), lower(p), 0.010)
    return joined(arm, _hand(p), 0.014)


def _hand(p: Floats) -> Floats:
    wrist = at("leftHand")
    palm = tube(
        wrist,
        wrist + HEIGHT * PERSON.arm[2] * ALONG,
        THUMBWARD,
        [
            (0.00, 0.026, 0.0180),
            (0.30, 0.032, 0.0170, 0.0, -0.003),
            (0.70, 0.039, 0.0150, 0.0, -0.004),
            (1.00, 0.0385, 0.0122, 0.0, -0.004),
        ],
        power=2.6,
        caps=(0.02, 0.010),
    )
    hand = palm(p)
    thenar = cone(wrist + 0.012 * ALONG + 0.012 * THUMBWARD - 0.006 * BACK, at("leftThumbProximal"), 0.0180, 0.0125)
    hand = joined(hand, thenar(p), 0.012)
    for finger in FINGERS:
        hand = joined(hand, _finger(finger, p), 0.006)
    return hand


def _finger(finger: str, p: Floats) -> Floats:
    parts = ("Metacarpal", "Proximal", "Distal") if finger == "Thumb" else ("Proximal", "Intermediate", "Distal")
    knots = [at(f"left{finger}{part}") for part in parts]
    end = HEIGHT * ENDS[f"left{finger}Distal"]
    radii = RADII[finger]
    tip = end - (end - knots[-1]) / np.linalg.norm(end - knots[-1]) * radii[3]
    knots.append(tip)
    if finger != "Thumb":  # begin inside the palm
        knots[0] = knots[0] - 0.012 * ALONG
    shape = cone(knots[0], knots[1], radii[0], radii[1])(p)
    for k in (1, 2):
        shape = joined(shape, cone(knots[k], knots[k + 1], radii[k], radii[k + 1])(p), 0.003)
    return shape
