"""Which moment of one motion corresponds to which of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from kinesphere.body.ground import leg_length
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.maths import dtw
from kinesphere.maths.dtw import PoseCost
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.humanoid import CORE
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.curves import Curves, root_joint

Cost = Literal["shape", "pose"]
Search = Literal["auto", "full", "banded", "coarse"]
SEARCHES = ("auto", "full", "banded", "coarse")
STEP = 0.05  # seconds between the knots of the map
ROUNDED = 0.05  # seconds, the width of the bell by which the path's steps are rounded
QUICKEST = 4.0  # times the usual pace that one motion's clock runs beside the other's at most, on the smooth map
MOVES = 1e-6  # radians: joints that move less take no part
LONG = 1500  # frames beyond which the search goes from coarse to fine
RADIUS = 1.0  # seconds, in that search
WAITING = 0.1  # leg lengths that a frame costs at which one motion waits for the other
SAME = 1e-4  # of the longest bone by which bodies may differ and be one


class Alignment(TimeMap):
    """The first motion's time to the second's, with the frames that were matched.

    Attributes
    ----------
    path : (K, 2)
        Frames of the first and the second motion that correspond, in order. The map itself is this path with its steps
        rounded, and never much quicker or slower than the motions are on the whole.
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


def align(a: Motion, b: Motion, cost: Cost = "shape", *, search: Search = "auto", radius: float = RADIUS) -> Alignment:
    """The map from ``a``'s time to ``b``'s, by the cheapest correspondence of all their frames.

    Parameters
    ----------
    a, b
        Two motions. Another body's is retargeted first, where it is a humanoid; another rate's is resampled.
    cost
        "shape": how unlike the curves of all joints' rotations are in their course (stretching and bending; where they
        are does not matter). "pose": how far apart the joints are, heading and place left out. Poses tell the left step
        from the right, which the curves of an even walk hardly do.
    search
        "full": all pairs of frames, which finds the cheapest path there is. "banded": those within ``radius`` of the
        straight way from the first to the last. "coarse": from coarse to fine, within ``radius`` of what was found
        before; the work grows with the length instead of its square, and the path may be a little dearer. "auto": full,
        for motions of more than ``LONG`` frames coarse.
    radius
        Seconds to either side.
    """
    if cost not in ("shape", "pose"):
        raise ValueError(f"the cost is {cost!r}; 'shape' or 'pose' is expected")
    if search not in SEARCHES:
        raise ValueError(f"search is {search!r}; one of {', '.join(SEARCHES)} is expected")
    if not np.isfinite(radius) or radius <= 0.0:
        raise ValueError(f"radius is {radius!r}; seconds above zero are expected")
    first, second = trim_calibration(a), trim_calibration(b)
    if len(first) < 2 or len(second) < 2:
        raise ValueError(f"motions of {len(first)} and {len(second)} frames; two at least are expected of each")
    other = match_body(second, first)
    same = other if other.rate == first.rate else other.resampled(first.rate)
    if search == "auto":
        search = "coarse" if max(len(first), len(same)) > LONG else "full"
    frames = max(round(radius * first.rate), 1)
    found = dtw.dtw(
        *(_shapes(first, same) if cost == "shape" else _poses(first, same)),
        "shape" if cost == "shape" else PoseCost(penalty=WAITING),
        band=frames if search == "banded" else None,
        coarse=frames if search == "coarse" else None,
    )
    path = found.path.copy()
    path[:, 1] = np.minimum(np.round(path[:, 1] * (second.rate / first.rate)), len(second) - 1)
    path[-1, 1] = len(second) - 1
    path += [_skipped(a), _skipped(b)]
    return Alignment(path, found.cost, (a.rate, b.rate))


def trim_calibration(motion: Motion) -> Motion:
    """The motion without the calibration frames that it begins or ends with."""
    frames = motion.performed_frames
    if not frames.size:
        raise ValueError(f"{motion!r} has nothing but calibration frames")
    if len(frames) == len(motion):
        return motion
    return replace(motion[int(frames[0]) : int(frames[-1]) + 1], calibration_frames=())


def _skipped(motion: Motion) -> int:
    return int(motion.performed_frames[0])


def match_body(motion: Motion, body: Motion) -> Motion:
    """The motion on another's body: itself where it is the same one, else retargeted, or refused with the reason."""
    own, other = motion.skeleton, body.skeleton
    if own.same_tree(other):
        bones = np.allclose(own.offsets, other.offsets, rtol=0.0, atol=SAME * max(np.abs(other.offsets).max(), 1e-9))
        if bones and np.allclose(own.rest_rotations, other.rest_rotations, rtol=0.0, atol=1e-6):
            return motion
    try:
        return retarget(motion, body)
    except ValueError as reason:
        raise ValueError(f"{motion!r} has another body than {body!r}, and cannot be retargeted: {reason}") from reason


def _shapes(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """Rotation vectors of all joints that move, from one reference; the carrier's without its heading."""
    first, second = (own.table[:, : 3 * len(own.about)] for own in Curves.together([a, b]))
    moving = np.maximum(np.ptp(first, axis=0), np.ptp(second, axis=0)) > MOVES
    if not moving.any():
        moving[:] = True
    return first[:, moving], second[:, moving]


def _poses(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """Places of the joints that matter, in leg lengths, heading and place left out."""
    skeleton = a.skeleton.with_found_roles()
    joints = [skeleton.roles[role] for role in CORE if role in skeleton.roles] or list(range(len(skeleton)))
    carrier = root_joint(skeleton)
    places = []
    for own in Curves.together([a, b]):
        still = own.table.copy()
        still[:, 3 * len(own.about)] = 0.0
        turned = own.with_table(still).positions_world()
        level = turned[:, carrier] * [1.0, 0.0, 1.0]
        places.append((turned[:, joints] - level[:, None]).reshape(len(turned), -1))
    try:
        size = leg_length(skeleton)
    except (KeyError, ValueError):
        size = float(max(np.ptp(own) for own in places)) or 1.0
    return places[0] / size, places[1] / size


def _knots(path: Ints, rates: tuple[float, float]) -> tuple[Floats, Floats]:
    """Matching times, strictly increasing in both: the path, its steps rounded and its pace kept within bounds.

    In shares x and y of both lengths, a path is how far y is ahead of x, over x + y. Waiting is a slope of one there;
    the nearest course with smaller slopes lies amid its bounds from above and from below.
    """
    start, lasts = path[0] / np.array(rates), (path[-1] - path[0]) / np.array(rates)
    x, y = ((path - path[0]) / np.maximum(path[-1] - path[0], 1)).T
    count = max(int(np.ceil(2.0 * lasts.max() / STEP)), 2) + 1
    along = np.linspace(0.0, 2.0, count)
    ahead = _limit_slope(np.interp(along, x + y, y - x), along, (QUICKEST - 1.0) / (QUICKEST + 1.0))
    width = ROUNDED / max(2.0 * lasts.max() / (count - 1), 1e-9)
    reach = min(int(np.ceil(3.0 * width)), count - 1)
    bell = np.exp(-0.5 * (np.arange(-reach, reach + 1) / width) ** 2)
    padded = np.concatenate([-ahead[reach:0:-1], ahead, -ahead[-2 : -reach - 2 : -1]])
    ahead = np.convolve(padded, bell / bell.sum(), mode="valid")
    old, new = start[0] + 0.5 * lasts[0] * (along - ahead), start[1] + 0.5 * lasts[1] * (along + ahead)
    return freeze(old), freeze(new)


def _limit_slope(values: Floats, at: Floats, slope: float) -> Floats:
    """Values ``(N,)``, 0 at both ends, as near as they come with slopes no steeper than this."""
    above = np.minimum.accumulate(values - slope * at) + slope * at
    above = np.minimum(above, np.minimum.accumulate((values + slope * at)[::-1])[::-1] - slope * at)
    below = np.maximum.accumulate(values + slope * at) - slope * at
    below = np.maximum(below, np.maximum.accumulate((values - slope * at)[::-1])[::-1] + slope * at)
    most = slope * np.minimum(at - at[0], at[-1] - at)
    return np.clip(0.5 * (above + below), -most, most)
