"""Knees and elbows that bend no further than they can: of an edit's last steps, before feet are held."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.body.ground import grown, performed_runs, smoothed
from kinesphere.body.limits import NEEDED, hinges_of
from kinesphere.kernels.arrays import Bools, Floats
from kinesphere.kernels.bending import TINY, Bend, bend, excess
from kinesphere.motion.frozen import frozen
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

SOFT = float(np.radians(35.0))  # radians before a limit in which a joint is slowed down
ROUND = 0.03  # seconds, the width of the bell by which corrections are rounded
HINGES = ("LowerArm", "LowerLeg")
_found: WeakKeyDictionary[Skeleton, list[Bend]] = WeakKeyDictionary()


def bent(before: Motion, after: Motion, joints: Bools, *, loop: bool = False) -> Motion:
    """The edited motion with knees and elbows among ``joints (J,)`` no further past their limits than before it.

    An edit that does nothing changes nothing; see ``kernels.bending``. Of a ``loop`` the last frame is the first.
    """
    hinges = [hinge for hinge in _hinges(before.skeleton) if joints[hinge.path[-1]]]
    if not hinges:
        return after
    local, runs = after.rotations.copy(), performed_runs(before)
    for hinge in hinges:
        back = excess(before.rotations, local, hinge)
        if np.abs(back).max() > TINY:
            # Rounded, so that a knee that is straightened does not stop dead; where nothing was edited, nothing is.
            same = (before.rotations[:, hinge.path] == after.rotations[:, hinge.path]).all(axis=(1, 2))
            for run in runs:
                back[run] = _rounded(back[run], before.rate, loop)
            bend(local, hinge, np.where(same, 0.0, back))
    return replace(after, rotations=frozen(local))


def _rounded(back: Floats, rate: float, loop: bool) -> Floats:
    """Corrections ``(T,)`` at least as large, and round."""
    again = np.concatenate([back[:-1], back, back[1:]]) if loop else back
    more, less = (grown(np.maximum(way * again, 0.0), ROUND, rate) for way in (1.0, -1.0))
    made = smoothed(more - less, rate, ROUND)
    return made[len(back) - 1 : 2 * len(back) - 1] if loop else made


def _hinges(skeleton: Skeleton) -> list[Bend]:
    """Knees and elbows of a humanoid; of what is none, none."""
    if skeleton not in _found:
        known = skeleton.with_found_roles()
        humanoid = all(role in known.roles for role in NEEDED)
        _found[skeleton] = [
            Bend(
                np.array(one.path, dtype=np.intp),
                np.array(one.before),
                np.array(one.after),
                np.stack([one.bone, one.neutral, one.forward]),
                *one.limit.flexion,
                SOFT,
            )
            for one in (hinges_of(known) if humanoid else [])
            if one.role.endswith(HINGES)
        ]
    return _found[skeleton]
