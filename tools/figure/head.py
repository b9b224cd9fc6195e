"""The figure's head: a lay figure's, with the planes that say where it looks, and lids over its eyes.

An eye is a ball; its lids are a slightly larger ball about the same centre, opened like an almond, and the skin behind
the opening lies deeper than the eye. So an eye may turn as it likes and comes through no lid.
"""

from __future__ import annotations

import numpy as np
from field import Field, Floats, ball, blended, common, cone, cut, ellipsoid, joined, tube
from places import at

EYE = 0.0132  # its radius
LID, BEHIND = 0.0017, 0.0024  # how far lids lie outside of the eye, and the skin in their opening inside
OPENING = (0.0136, 0.0056, 0.0057)  # half its width, its height above and below the corners
SLANT = 0.07  # outer corners lie a little higher


def head(p: Floats) -> Floats:
    """The distance of points ``(N, 3)``, x above zero, from the head."""
    shape = _skull(p)
    for part, width in _PARTS:
        shape = blended(shape, part(p), width)
    for part, width in _HOLLOWS:
        shape = cut(shape, part(p), width)
    for part, width in _DETAILS:
        shape = joined(shape, part(p), width)
    eye = at("leftEye")
    shape = joined(shape, ball(eye, EYE + LID)(p), 0.0100)
    shape = cut(shape, _SHELL(p), 0.006)
    shape = cut(shape, _opening(p, eye), 0.0034)
    return cut(shape, _mouth(p), 0.0080)


def _skull(p: Floats) -> Floats:
    skull = ellipsoid((0.0, 1.6065, -0.011), (0.0735, 0.0935, 0.0950))
    face = tube(
        (0.0, 1.492, 0.030),
        (0.0, 1.660, 0.018),
        (1.0, 0.0, 0.0),
        [
            (0.00, 0.027, 0.041, -0.004),
            (0.04, 0.027, 0.041, -0.004),
            (0.16, 0.044, 0.050, -0.002),
            (0.35, 0.0555, 0.054),
            (0.58, 0.0615, 0.055),
            (0.80, 0.0580, 0.050),
            (0.96, 0.0480, 0.040),
            (1.00, 0.0480, 0.040),
        ],
        power=2.2,
        caps=(0.012, 0.030),
    )
    return blended(skull(p), face(p), 0.040)


_PARTS: tuple[tuple[Field, float], ...] = (
    (cone((0.010, 1.4985, 0.058), (0.0440, 1.5350, -0.004), 0.0140, 0.0150), 0.026),  # jaw
    (ellipsoid((0.0, 1.4990, 0.0665), (0.0180, 0.0145, 0.0160)), 0.018),  # chin
    (ellipsoid((0.0400, 1.5570, 0.0500), (0.0180, 0.0150, 0.0220), turned=-30.0), 0.030),  # cheekbone
    (ellipsoid((0.0330, 1.5320, 0.0390), (0.0200, 0.0260, 0.0300)), 0.030),  # cheek
    (cone((0.0, 1.6130, 0.0770), (0.0180, 1.6125, 0.0760), 0.0085, 0.0090), 0.026),  # brow
    (cone((0.0180, 1.6125, 0.0760), (0.0450, 1.6070, 0.0615), 0.0090, 0.0080), 0.026),
    (ellipsoid((0.0, 1.6040, 0.0790), (0.0120, 0.0120, 0.0080)), 0.020),  # between the brows: no frown
    (ellipsoid((0.0, 1.5230, 0.0620), (0.0290, 0.0220, 0.0235)), 0.022),  # about the mouth
)
_HOLLOWS: tuple[tuple[Field, float], ...] = (
    (ellipsoid((0.0300, 1.5840, 0.1040), (0.0165, 0.0110, 0.0190)), 0.016),  # eye sockets
)
_DETAILS: tuple[tuple[Field, float], ...] = (
    (cone((0.0, 1.5950, 0.0845), (0.0, 1.5560, 0.1010), 0.0062, 0.0085), 0.012),  # nose
    (ellipsoid((0.0, 1.5520, 0.1010), (0.0085, 0.0075, 0.0090)), 0.006),  # its tip
    (ellipsoid((0.0095, 1.5505, 0.0910), (0.0064, 0.0062, 0.0090)), 0.008),  # its wings
    (cone((0.0, 1.5258, 0.0842), (0.0190, 1.5215, 0.0755), 0.0046, 0.0026), 0.008),  # upper lip
    (cone((0.0, 1.5150, 0.0828), (0.0155, 1.5172, 0.0760), 0.0056, 0.0030), 0.008),  # lower lip
    (ellipsoid((0.0740, 1.5730, -0.0120), (0.0075, 0.0300, 0.0170), leaning=-10.0, turned=-18.0), 0.007),  # ear
)


_SHELL = ellipsoid((0.0835, 1.5750, -0.0100), (0.0045, 0.0170, 0.0085), leaning=-10.0, turned=-18.0)  # of the ear


def _mouth(p: Floats) -> Floats:
    """The line between the lips, nearly level."""
    return np.minimum(
        cone((0.0, 1.5202, 0.0920), (0.0100, 1.5198, 0.0895), 0.0016, 0.0015)(p),
        cone((0.0100, 1.5198, 0.0895), (0.0200, 1.5212, 0.0852), 0.0015, 0.0006)(p),
    )


def _opening(p: Floats, eye: Floats) -> Floats:
    """Between the lids: an almond seen from the front, as deep as a little into the eye."""
    wide, above, below = OPENING
    u = p[:, 0] - eye[0]
    v = p[:, 1] - eye[1] - SLANT * u
    almond = common(_arc(u, v, wide, above), _arc(u, -v, wide, below))
    before = eye[2] + 0.001 - p[:, 2]
    return cut(common(almond, before), ball(eye, EYE - BEHIND)(p), 0.0020)


def _arc(u: Floats, v: Floats, wide: float, high: float) -> Floats:
    """Below an arc of a circle over two corners on the level."""
    radius = (wide**2 + high**2) / (2.0 * high)
    below: Floats = np.hypot(u, v - (high - radius)) - radius
    return below
