"""Which moment of one motion corresponds to which of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from kinesphere.body.ground import leg_length
from kinesphere.body.retargeting import retarget
from kinesphere.kernels import warping, winding
from kinesphere.kernels.arrays import Floats, Ints
from kinesphere.motion.frozen import frozen
from kinesphere.motion.humanoid import CORE
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.curves import carrier_of

Cost = Literal["shape", "pose"]
KNOTS = 0.1  # seconds between the knots of the map
ROUNDED = 0.08  # seconds over which the path's steps are rounded
MOVES = 1e-6  # radians: joints that move less take no part
SLOWEST = 1e-3  # of one clock's pace at which the other goes on at least
LONG = 1500  # frames beyond which the search goes from coarse to fine
RADIUS = 60  # frames, in that search


class Alignment(TimeMap):
    """The first motion's time to the second's, with the frames that were matched.

    Attributes
    ----------
    path : (K, 2)
        Frames of the first and the second motion that correspond, in order.
    cost
        What that path costs.
    """

    path: Ints
    cost: float

    def __init__(self, path: Ints, cost: float, rates: tuple[float, float]) -> None:
        old, new = _knots(path, rates)
        super().__init__(old, new)
        kept = np.array(path)
        kept.flags.writeable = False
        object.__setattr__(self, "path", kept)
        object.__setattr__(self, "cost", float(cost))


def align(a: Motion, b: Motion, cost: Cost = "shape", *, coarse: int | None = None, full: bool = False) -> Alignment:
    """The map from ``a``'s time to ``b``'s, by the cheapest correspondence of all their frames.

    Parameters
    ----------
    a, b
        Two motions. Another body's is retargeted first, where it is a humanoid; another rate's is resampled.
    cost
        "shape": how unlike the curves of all joints' rotations are in their course (stretching and bending; where they
        are does not matter). "pose": how far apart the joints are, heading and place left out.
    coarse
        Search from coarse to fine, within so many frames of what was found before. Left out: motions of more than
        ``LONG`` frames are, unless ``full`` is true.
    """
    if cost not in ("shape", "pose"):
        raise ValueError(f"the cost is {cost!r}; 'shape' or 'pose' is expected")
    first, second = performed(a), performed(b)
    if len(first) < 2 or len(second) < 2:
        raise ValueError(f"motions of {len(first)} and {len(second)} frames; two at least are expected of each")
    other = on_body(second, first)
    same = other if other.rate == first.rate else other.resampled(first.rate)
    signals = _shapes(first, same) if cost == "shape" else _poses(first, same)
    if coarse is None and not full and max(len(first), len(same)) > LONG:
        coarse = RADIUS
    found = warping.warp(*signals, cost, coarse=coarse)
    path = found.path.copy()
    path[:, 1] = np.minimum(np.round(path[:, 1] * (second.rate / first.rate)), len(second) - 1)
    path += [_skipped(a), _skipped(b)]
    return Alignment(path, found.cost, (a.rate, b.rate))


def performed(motion: Motion) -> Motion:
    """The motion without the calibration frames that it begins or ends with."""
    frames = motion.performed_frames
    if not frames.size:
        raise ValueError(f"{motion!r} has nothing but calibration frames")
    if len(frames) == len(motion):
        return motion
    return replace(motion[int(frames[0]) : int(frames[-1]) + 1], calibration_frames=())


def _skipped(motion: Motion) -> int:
    return int(motion.performed_frames[0])


def on_body(motion: Motion, body: Motion) -> Motion:
    """The motion on another's body: itself where both have the same joints, else retargeted, or refused."""
    if motion.skeleton.same_tree(body.skeleton):
        return motion
    try:
        return retarget(motion, body)
    except ValueError as reason:
        raise ValueError(f"{motion!r} has other joints than {body!r}, and cannot be retargeted: {reason}") from reason


def _shapes(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """Rotation vectors of all joints that move, from one reference; the carrier's without its heading."""
    carrier = carrier_of(a.skeleton)
    about = winding.reference(np.concatenate([a.rotations, b.rotations]))
    tables = []
    for motion in (a, b):
        turns = motion.rotations.copy()
        turns[:, carrier] = winding.heading(turns[:, carrier], np.array([0.0, 1.0, 0.0]))[1]
        tables.append(winding.unwound(turns, about).reshape(len(motion), -1))
    moving = np.max([np.ptp(table, axis=0) for table in tables], axis=0) > MOVES
    if not moving.any():
        moving[:] = True
    return tables[0][:, moving], tables[1][:, moving]


def _poses(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """Places of the joints that matter, in leg lengths, heading and place left out."""
    made = []
    for motion in (a, b):
        skeleton = motion.skeleton.with_found_roles()
        joints = [skeleton.roles[role] for role in CORE if role in skeleton.roles] or list(range(len(skeleton)))
        still = replace(motion, skeleton=skeleton).in_place(heading=True)
        place = still.positions_world()[:, joints]
        lead = place[:, :1].mean(axis=0) * [1.0, 0.0, 1.0]
        try:
            size = leg_length(skeleton)
        except (KeyError, ValueError):
            size = float(np.ptp(place, axis=(0, 1)).max()) or 1.0
        facing = rotations_about(still, carrier_of(skeleton))
        made.append(((place - lead) @ facing / size).reshape(len(motion), -1))
    return made[0], made[1]


def rotations_about(motion: Motion, carrier: int) -> Floats:
    """``(3, 3)`` what turns places so that the body faces ahead in the first frame."""
    turned = motion.rotations_world()[:1, carrier]
    rest = motion.skeleton.rest_world()[0][carrier]
    ahead = _ahead(turned[0], rest)
    angle = np.arctan2(ahead[0], ahead[2])
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def _ahead(turn: Floats, rest: Floats) -> Floats:
    from kinesphere.kernels import rotations

    return rotations.rotate(rotations.multiply(turn, rotations.conjugate(rest)), np.array([0.0, 0.0, 1.0]))


def _knots(path: Ints, rates: tuple[float, float]) -> tuple[Floats, Floats]:
    """Matching times, strictly increasing in both: the path, its steps rounded."""
    times = path / np.array(rates)
    reach = max(round(ROUNDED * max(rates)), 1)
    padded = np.concatenate(
        [2.0 * times[:1] - times[reach:0:-1], times, 2.0 * times[-1:] - times[-2 : -reach - 2 : -1]]
        if len(times) > reach
        else [times]
    )
    if len(times) > reach:
        weights = np.hanning(2 * reach + 3)[1:-1]
        smooth = np.stack([np.convolve(padded[:, i], weights / weights.sum(), mode="valid") for i in range(2)], axis=1)
    else:
        smooth = times.astype(np.float64)
    smooth[0], smooth[-1] = times[0], times[-1]
    step = max(round(KNOTS * max(rates)), 1)
    kept = smooth[np.unique(np.append(np.arange(0, len(smooth), step), len(smooth) - 1))]
    least = SLOWEST / max(rates)
    knots = [kept[0]]
    for knot in kept[1:]:
        knots.append(np.maximum(knot, knots[-1] + least))
    old, new = np.array(knots).T
    return frozen(old), frozen(new)
