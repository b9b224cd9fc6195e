"""Pace of a warped motion: how hard hands and feet accelerate along another clock, and clocks that keep it in bounds.

Along a clock that runs at a pace p, velocities are p times as large, accelerations p² times, and each change of pace
adds the velocity times that change. So a clock that follows another motion's pauses and hurries can ask for any
acceleration. ``bounded_map`` smooths it just where it asks for too much.
"""

from __future__ import annotations

import numpy as np

from kinesphere.analysis.strokes import ENDS
from kinesphere.maths.filters import frame_count, gaussian, widen
from kinesphere.maths.interpolation import resample_vectors
from kinesphere.maths.vectors import Bools, Floats, norms
from kinesphere.motion.motion import Motion
from kinesphere.motion.timemap import TimeMap

HARDEST = 2.0  # times the motion's greatest acceleration, at its mean pace on the new clock
ORDINARY = 10.0  # metres a second²: what is below is not hard for any motion
QUICKEST = 4.0  # times its mean pace that a motion runs at most
SIGMAS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # seconds, of Gaussians by which a clock is smoothed
FOLLOWED = 0.15  # seconds by which a clock may be off the pace that was asked for without a word
FAR_BEYOND, NOTICED = 4.0, 50.0  # times its own acceleration, and metres a second², from which it is said
PARTS = (0.75, 0.5, 0.25, 0.0)  # of the departure from an even pace that are tried last


def end_paths(motion: Motion) -> Floats:
    """``(T, E, 3)`` the paths of hands and feet; on bodies without them, of every joint without children."""
    skeleton = motion.skeleton.with_found_roles()
    ends = [skeleton.roles[role] for role in ENDS if role in skeleton.roles]
    ends = ends or [joint for joint, children in enumerate(skeleton.children) if not children]
    return motion.positions_world()[:, ends]


def accelerations(paths: Floats, rate: float) -> Floats:
    """``(T,)`` the greatest acceleration of paths ``(T, E, 3)`` around each frame, in metres a second²."""
    found = np.zeros(len(paths))
    if len(paths) > 2:
        found[1:-1] = norms(np.diff(paths, 2, axis=0)).max(axis=1) * rate**2
    return found


def hardest_allowed(paths: Floats, rate: float, pace: float) -> float:
    """The bound on accelerations of paths ``(T, E, 3)`` that are played at a mean pace."""
    own = float(accelerations(paths, rate).max(initial=0.0))
    return max(HARDEST * own * max(pace, 1.0) ** 2, ORDINARY)


def bounded_map(clock: TimeMap, motion: Motion) -> TimeMap:
    """The clock, smoothed where hands or feet would accelerate beyond the bound, or the pace go beyond its own.

    Both ends stay. The bound is ``HARDEST`` times the motion's own greatest acceleration at the mean pace, which an
    even pace keeps; so there is always such a clock. Where nothing is beyond, the clock itself comes back.
    """
    performed = motion.performed_frames
    if len(performed) < 3:
        return clock
    first, last = int(performed[0]) / motion.rate, int(performed[-1]) / motion.rate
    start, end = clock(np.array([first, last])).tolist()
    count = max(int(np.ceil((end - start) * motion.rate)), 3) + 1
    new = np.linspace(start, end, count)
    even = np.linspace(first, last, count)
    paths, rate, pace = end_paths(motion), (count - 1) / (end - start), (last - first) / (end - start)
    hardest = hardest_allowed(paths[performed], motion.rate, pace)
    lead = clock.inverse()(new) - even

    def beyond(own: Floats) -> Bools:
        steps = np.diff(even + own) * rate / pace
        bad: Bools = accelerations(resample_vectors(paths, (even + own) * motion.rate), rate) > hardest
        bad[:-1] |= (steps > QUICKEST) | (steps < 1.0 / (2.0 * QUICKEST))
        return bad

    if not beyond(lead).any():
        return clock
    for sigma in SIGMAS:
        bad = beyond(lead)
        if not bad.any():
            break
        frames = frame_count(2.0 * sigma, rate)
        share = widen(bad, frames, frames)
        lead = lead + share * (gaussian(lead, sigma * rate, ends="point") - lead)
        lead[[0, -1]] = 0.0
    for part in (1.0, *PARTS):
        if not beyond(part * lead).any() or part == 0.0:
            lead = part * lead
            break
    return TimeMap(even + lead, new)


# What is said


def describe_departure(asked: TimeMap, kept: TimeMap, motion: Motion) -> list[str]:
    """A sentence where a bounded clock is off the one that was asked for."""
    if asked is kept:
        return []
    off = np.abs(kept(motion.times) - asked(motion.times))
    worst = int(np.argmax(off))
    if off[worst] <= FOLLOWED:
        return []
    return [
        f"the other motion's pace is not followed by up to {off[worst]:.2f} s, at {worst / motion.rate:.2f} s: "
        f"hands or feet would accelerate more than {HARDEST:g} times as hard as at an even pace"
    ]


def describe_hard_pace(motion: Motion, warped: Motion) -> list[str]:
    """A sentence where hands or feet of a warped motion accelerate far beyond those of the motion itself."""
    own = [accelerations(end_paths(one), one.rate) for one in (motion, warped)]
    for found, one in zip(own, (motion, warped), strict=True):
        for frame in one.calibration_frames:
            found[max(frame - 1, 0) : frame + 2] = 0.0
    before, after = (float(found.max(initial=0.0)) for found in own)
    if after <= max(FAR_BEYOND * before, NOTICED):
        return []
    at = int(np.argmax(own[1])) / warped.rate
    pace = (len(motion) - 1) / motion.rate / max((len(warped) - 1) / warped.rate, 1e-9)
    whole = f"; on the whole it runs {pace:.1f} times as fast" if pace > 1.5 else ""
    return [f"hands or feet reach {after:.0f} m/s² at {at:.2f} s, {before:.0f} m/s² as it was{whole}"]
