"""Motion alignment: which moment of one motion corresponds to which of another, by dynamic time warping.

The path of matched frames comes from ``maths.dtw``. A path has steps, at which one motion waits for the other; the
time map is this path made smooth, its pace within bounds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from kinesphere.body.ground import leg_length
from kinesphere.body.retargeting.pipeline import retarget
from kinesphere.maths import dtw
from kinesphere.maths.dtw import PoseCost
from kinesphere.maths.filters import gaussian
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
SIGMA = 0.05  # seconds, of the Gaussian that smooths the path
QUICKEST = 4.0  # times its mean pace that one motion's clock runs at most against the other's, on the smooth map
MOVES = 1e-6  # radians: joints that move less take no part
LONG = 1500  # frames beyond which the search goes from coarse to fine
RADIUS = 1.0  # seconds, in that search
LEAST_RADIUS = 1e-6  # seconds
WAITING = 0.1  # leg lengths that a frame costs at which one motion waits for the other
SAME = 1e-4  # of the longest bone by which offsets may differ on the same body


class Alignment(TimeMap):
    """A map from the first motion's time to the second's, with the frames that were matched.

    Attributes
    ----------
    path : (K, 2)
        Frames of the first and the second motion that correspond, in order. The map is this path made smooth, and
        never much quicker or slower than the motions are on the whole.
    cost
        The sum of the costs along that path.
    """

    path: Ints
    cost: float

    def __init__(self, path: Ints, cost: float, rates: tuple[float, float]) -> None:
        super().__init__(*_smooth_knots(path, rates))
        matched = np.array(path)
        matched.flags.writeable = False
        object.__setattr__(self, "path", matched)
        object.__setattr__(self, "cost", float(cost))


def align(a: Motion, b: Motion, cost: Cost = "shape", *, search: Search = "auto", radius: float = RADIUS) -> Alignment:
    """The map from ``a``'s time to ``b``'s along the cheapest path of matched frames.

    Parameters
    ----------
    a, b
        Two motions. Another body's is retargeted first, where it is a humanoid; another rate's is resampled.
    cost
        "shape": how much the curves of all joints' rotations differ in how they stretch and bend, whatever their
        values. "pose": how far apart the joints are, heading and position left out. Poses tell the left step from the
        right, which the curves of an even walk hardly do.
    search
        "full": all pairs of frames, which finds the cheapest path there is. "banded": pairs within ``radius`` of the
        diagonal. "coarse": from coarse to fine, within ``radius`` of the coarser path; the work grows with the length
        instead of its square, and the path may cost a little more. "auto": full, for motions of more than ``LONG``
        frames coarse.
    radius
        Seconds to either side, of "banded" and "coarse".
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
        *(_rotation_signals(first, same) if cost == "shape" else _pose_signals(first, same)),
        "shape" if cost == "shape" else PoseCost(penalty=WAITING),
        band=frames if search == "banded" else None,
        coarse=frames if search == "coarse" else None,
    )
    path = found.path.copy()
    path[:, 1] = np.minimum(np.round(path[:, 1] * (second.rate / first.rate)), len(second) - 1)
    path[-1, 1] = len(second) - 1
    path += [int(a.performed_frames[0]), int(b.performed_frames[0])]
    return Alignment(path, found.cost, (a.rate, b.rate))


def trim_calibration(motion: Motion) -> Motion:
    """The motion without the calibration frames that it begins or ends with."""
    frames = motion.performed_frames
    if not frames.size:
        raise ValueError(f"{motion} has nothing but calibration frames")
    if len(frames) == len(motion):
        return motion
    return replace(motion[int(frames[0]) : int(frames[-1]) + 1], calibration_frames=())


def match_body(motion: Motion, body: Motion) -> Motion:
    """The motion on another's body: itself where they are the same, else retargeted, or refused with the reason."""
    own, other = motion.skeleton, body.skeleton
    if own.same_tree(other):
        bones = np.allclose(own.offsets, other.offsets, rtol=0.0, atol=SAME * max(np.abs(other.offsets).max(), 1e-9))
        if bones and np.allclose(own.rest_rotations, other.rest_rotations, rtol=0.0, atol=1e-6):
            return motion
    try:
        return retarget(motion, body)
    except ValueError as reason:
        raise ValueError(f"{motion} has another body than {body}, and cannot be retargeted: {reason}") from reason


def _rotation_signals(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """``(T, D)`` each: rotation vectors of all joints that move, from one reference; the root's without its heading."""
    first, second = (own.table[:, : own.heading_column] for own in Curves.of_all([a, b]))
    moving = np.maximum(np.ptp(first, axis=0), np.ptp(second, axis=0)) > MOVES
    if not moving.any():
        moving[:] = True
    return first[:, moving], second[:, moving]


def _pose_signals(a: Motion, b: Motion) -> tuple[Floats, Floats]:
    """``(T, D)`` each: positions of the core joints, in leg lengths, without heading and path."""
    skeleton = a.skeleton.with_found_roles()
    joints = [skeleton.roles[role] for role in CORE if role in skeleton.roles] or list(range(len(skeleton)))
    root = root_joint(skeleton)
    signals = []
    for own in Curves.of_all([a, b]):
        table = own.table.copy()
        table[:, own.heading_column] = 0.0
        positions = own.with_table(table).positions_world()
        origin = positions[:, root] * [1.0, 0.0, 1.0]
        signals.append((positions[:, joints] - origin[:, None]).reshape(len(positions), -1))
    try:
        size = leg_length(skeleton)
    except (KeyError, ValueError):
        size = float(max(np.ptp(own) for own in signals)) or 1.0
    return signals[0] / size, signals[1] / size


def _smooth_knots(path: Ints, rates: tuple[float, float]) -> tuple[Floats, Floats]:
    """Matching times ``(K,)``, strictly increasing in both: the path ``(N, 2)`` made smooth, its pace within bounds.

    With x and y the shares of both lengths, the path is the lead y − x over x + y. Where one motion waits the lead has
    a slope of ±1; the smooth map has the nearest lead with smaller slopes.
    """
    start, durations = path[0] / np.array(rates), (path[-1] - path[0]) / np.array(rates)
    x, y = ((path - path[0]) / np.maximum(path[-1] - path[0], 1)).T
    count = max(int(np.ceil(2.0 * durations.max() / STEP)), 2) + 1
    at = np.linspace(0.0, 2.0, count)
    lead = _limit_slope(np.interp(at, x + y, y - x), at, (QUICKEST - 1.0) / (QUICKEST + 1.0))
    sigma = SIGMA / max(2.0 * durations.max() / (count - 1), 1e-9)
    lead = gaussian(lead, sigma, ends="point", radius=int(np.ceil(3.0 * sigma)))  # both ends keep their 0
    old = start[0] + 0.5 * durations[0] * (at - lead)
    new = start[1] + 0.5 * durations[1] * (at + lead)
    return freeze(old), freeze(new)


def _limit_slope(values: Floats, at: Floats, slope: float) -> Floats:
    """Values ``(N,)`` with slopes no steeper than ``slope``, 0 at both ends, as near to the given ones as possible.

    They lie midway between the greatest function below the values and the least above them that are no steeper.
    """
    above = np.minimum.accumulate(values - slope * at) + slope * at
    above = np.minimum(above, np.minimum.accumulate((values + slope * at)[::-1])[::-1] - slope * at)
    below = np.maximum.accumulate(values + slope * at) - slope * at
    below = np.maximum(below, np.maximum.accumulate((values - slope * at)[::-1])[::-1] + slope * at)
    most = slope * np.minimum(at - at[0], at[-1] - at)
    return np.clip(0.5 * (above + below), -most, most)
