"""The swivel of a two-bone limb: the elbow's place on its circle about the axis from shoulder to wrist.

At swivel zero the elbow leaves the axis towards ``reference`` (down suits elbows, forward suits knees); a
positive swivel turns it right-handed about the axis.

An axis parallel to the reference leaves zero open, and no rule is continuous for every axis (a sphere cannot
be combed). Here ``home``, a second direction, settles it: let the limb point home with its elbow towards the
reference, then turn it within the plane of the two until it is parallel to the reference. The way the elbow
points then is zero there. Within about 11° of parallel one rule fades into the other, so zero varies smoothly
over all axes but two, which lie about 6° from parallel on the side *away* from home. For an arm (reference
down, home forward) these are hanging and raised arms that lean back by 6°, where zero is taken from the
parallel next to them. Near them, neighbouring axes may have very different zeros.

By default home is forward, or down where the reference is within 45° of forward or back.
"""

from __future__ import annotations

import numpy as np

from kinesphere.kernels.arrays import ArrayLike, Floats, floats

DOWN = (0.0, -1.0, 0.0)
FORWARD = (0.0, 0.0, 1.0)
TINY = 1e-9  # shares of a limb's length, or of a unit vector, too small to have a direction

_CONE = 0.2  # sine of the angle to the reference below which home takes part in swivel zero


def swivel_of(
    shoulder: ArrayLike,
    elbow: ArrayLike,
    wrist: ArrayLike,
    reference: ArrayLike = DOWN,
    home: ArrayLike | None = None,
) -> Floats:
    """The swivel in [−π, π] at which ``solve_limb`` puts the elbow where it is. Positions are ``(..., 3)``.

    A straight limb has none and gets 0. When the wrist is at the shoulder the axis is home's, as in
    ``solve_limb``; an elbow that is not on that axis' circle gets the nearest swivel.
    """
    start = vectors("shoulder", shoulder)
    bone = vectors("elbow", elbow) - start
    whole = vectors("wrist", wrist) - start
    towards, square_home = reference_and_home(reference, home)
    upper = length_and_direction(bone)[0]
    distance, axis = length_and_direction(whole)
    axis = np.where((distance > TINY * upper)[..., None], axis, square_home)
    zero, side = frame_across(axis, towards, square_home)
    along_zero, along_side = np.sum(bone * zero, axis=-1), np.sum(bone * side, axis=-1)
    straight = np.hypot(along_zero, along_side) <= TINY * upper
    return np.where(straight, 0.0, np.arctan2(along_side, along_zero))


def swivel_frame(axis: ArrayLike, reference: ArrayLike = DOWN, home: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """The unit directions ``zero, side`` in which the elbow leaves ``axis`` at swivels 0 and π/2.

    With the axis' own direction as third they are a right-handed orthonormal frame.
    """
    length, direction = length_and_direction(vectors("axis", axis))
    if not np.all(length > 0.0):
        raise ValueError("axis must have a direction; found a vector of length zero")
    return frame_across(direction, *reference_and_home(reference, home))


def reference_and_home(reference: ArrayLike, home: ArrayLike | None) -> tuple[Floats, Floats]:
    """Both as unit vectors, home made square to the reference."""
    length, towards = length_and_direction(vectors("reference", reference))
    if not np.all(length > 0.0):
        raise ValueError("reference must have a direction; found a vector of length zero")
    if home is None:
        # Both lie in the plane that mirrors left into right, so that mirrored limbs are solved alike.
        direction = np.where(np.abs(towards[..., 2:]) > np.sqrt(0.5), DOWN, FORWARD)
    else:
        direction = length_and_direction(vectors("home", home))[1]
    share, square_home = across(direction, towards)
    if not np.all(share > 1e-6):
        raise ValueError("home must have a direction other than the reference's; found it zero or parallel")
    return towards, square_home


def frame_across(axis: Floats, towards: Floats, square_home: Floats) -> tuple[Floats, Floats]:
    """``swivel_frame`` of unit vectors, of which the last two are square to each other."""
    sine = np.linalg.norm(np.cross(towards, axis), axis=-1, keepdims=True)
    ahead = np.where(np.sum(towards * axis, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    tilt = _CONE * np.maximum(1.0 - (sine / _CONE) ** 2, 0.0) ** 2
    # Tilting the reference moves the axes that are parallel to it away from home: that is the whole fallback.
    length, zero = across(towards - tilt * ahead * square_home, axis)
    at_parallel = across(-ahead * square_home, axis)[1]
    zero = np.where(length[..., None] > TINY, zero, at_parallel)
    return zero, np.cross(axis, zero)


def across(directions: Floats, axis: Floats) -> tuple[Floats, Floats]:
    """Length and direction of what is left of each vector across a unit axis."""
    rest = directions - np.sum(directions * axis, axis=-1, keepdims=True) * axis
    length, direction = length_and_direction(rest)
    # A short rest is mostly rounding: clean its direction once more, or bones would miss the wrist.
    direction = direction - np.sum(direction * axis, axis=-1, keepdims=True) * axis
    return length, length_and_direction(direction)[1]


def length_and_direction(values: Floats) -> tuple[Floats, Floats]:
    """Lengths ``(...)`` and unit directions ``(..., 3)``; a zero vector has direction zero."""
    # Scaled by the largest component first, so that squares neither vanish nor overflow.
    largest = np.max(np.abs(values), axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0.0, largest, 1.0)
    norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
    return (largest * norm)[..., 0], scaled / np.where(norm > 0.0, norm, 1.0)


def vectors(name: str, values: ArrayLike) -> Floats:
    """The values as finite ``(..., 3)``, or ``ValueError``."""
    array = finite(name, values)
    if array.ndim == 0 or array.shape[-1] != 3:
        raise ValueError(f"{name} must be vectors (..., 3); found shape {array.shape}")
    return array


def finite(name: str, values: ArrayLike) -> Floats:
    """The values as finite floats, or ``ValueError``."""
    array = floats(values)
    bad = array[~np.isfinite(array)]
    if bad.size:
        raise ValueError(f"{name} must be finite; found {bad[0]}")
    return array
