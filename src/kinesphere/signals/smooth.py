"""Denoising: remove jitter, keep strikes and contacts sharp, fill missing frames.

The noise of each curve is estimated, and removed by ``maths.denoise``. Curves that move together are smoothed together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.maths import denoise
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.humanoid import GROUPS, select_joints
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit, edit_window
from kinesphere.signals.gaps import FIND, GapWarning, check_gaps, describe_gaps, fill_gaps, find_gaps

MOST_NOISE = 20.0  # times what is found
NO_NOISE = 1e-9  # radians or metres: curves with less noise are left alone
# Groups that are smoothed together. While feet are in contact, legs and hips compensate each other; arms are free.
TOGETHER = (("torso", "head"), ("left_hand",), ("right_hand",), ("hips", "legs"))
ALONE = ("leftToes", "rightToes")  # captures guess them, and their jumps would shake the legs


@dataclass(frozen=True)
class Smooth(Edit):
    """Noise removed from every curve, as much as there is: more from a hand at rest than from one that strikes.

    Legs and hips are smoothed together, so that feet in contact jitter less. Feet are not locked, whatever ``feet``
    says: locking them would change more than noise does. ``lock_feet`` is there for that.

    Parameters
    ----------
    amount
        From 0, nothing, to 1, all the noise that is found.
    noise
        How much noisier curves are taken to be than they look. Above 1 for jitter that is slower than frame by frame;
        below 1 to be careful.
    gaps
        Frames that are missing: numbers of frames, or pairs of a first and a last one. "find": frames in which joints
        freeze or jump away for a moment are found (``gaps.find_gaps``), and a ``GapWarning`` lists them. They are
        filled for the joints of the edit, with the velocities at both sides kept.
    """

    amount: float = 0.0
    noise: float = 1.0
    gaps: str | Sequence[int | Sequence[int]] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.amount <= 1.0:
            raise ValueError(f"amount is {self.amount!r}; 0 to 1 is allowed")
        if not 0.0 <= self.noise <= MOST_NOISE:
            raise ValueError(f"noise is {self.noise!r}; 0 to {MOST_NOISE:g} times what is found is allowed")
        if isinstance(self.gaps, str):
            if self.gaps != FIND:
                raise ValueError(f"gaps is {self.gaps!r}; {FIND!r}, or frames and pairs of frames, are expected")
        elif self.gaps is not None:
            object.__setattr__(self, "gaps", check_gaps(self.gaps))

    @property
    def holds_feet(self) -> bool:
        return False

    @property
    def neutral(self) -> bool:
        return self.amount * self.noise == 0.0 and not self.gaps

    def __call__(self, motion: Motion) -> Motion:
        """The motion, its gaps filled and then smoothed."""
        if self.gaps and self.strength > 0.0:
            motion = self._fill_gaps(motion)
        if self.amount * self.noise * self.strength == 0.0:
            return super(Smooth, replace(self, amount=0.0, gaps=None)).__call__(motion)
        return super(Smooth, replace(self, gaps=None)).__call__(motion)

    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        noise = self.noise * noise_of(curves)
        noise[~joints[curves.owners]] = 0.0
        groups = [columns[noise[columns] > NO_NOISE] for columns in _column_groups(curves)]
        return denoise.denoise(curves.table, groups, noise, self.amount, curves.motion.rate)

    def _fill_gaps(self, motion: Motion) -> Motion:
        joints = select_joints(motion.skeleton, self.joints)
        weight = edit_window(motion, self.start, self.end, self.fade)
        missing = np.zeros((len(motion), len(motion.skeleton)), dtype=np.bool_)
        if self.gaps == FIND:
            found = find_gaps(motion, self.joints)
            for gap in found:
                missing[gap.first : gap.last + 1, gap.joint] = True
            if found:
                warn_caller(f"filled {len(found)} gaps: {describe_gaps(found)}", GapWarning)
        elif isinstance(self.gaps, tuple):
            for first, last in self.gaps:
                if last >= len(motion):
                    raise ValueError(
                        f"a gap from frame {first} to {last}: the motion has frames 0 to {len(motion) - 1}"
                    )
                missing[first : last + 1, joints] = True
        return fill_gaps(motion, missing & (weight > 0.0)[:, None])


def noise_of(curves: Curves) -> Floats:
    """``(D,)`` the noise of each curve: a standard deviation, in radians or metres.

    A joint's three columns have one in common. The root's have their own: without the heading one of them has hardly
    any left.
    """
    table, heading = curves.table, curves.heading_column
    root = slice(3 * curves.root, 3 * curves.root + 3)
    vectors, paths = (part.reshape(len(table), -1, 3) for part in (table[:, :heading], table[:, heading + 1 :]))
    noise = np.concatenate(
        [np.repeat(denoise.estimate_noise(vectors), 3), np.zeros(1), np.repeat(denoise.estimate_noise(paths), 3)]
    )
    noise[root] = denoise.estimate_noise(table[:, root, None])
    noise[heading] = denoise.estimate_noise(table[:, heading, None, None])[0]
    return noise


def _column_groups(curves: Curves) -> list[Ints]:
    """Columns that are smoothed together: rotations by groups of joints, translations by joint."""
    count = curves.heading_column + 1
    groups = _joint_groups(curves.motion.skeleton)[curves.owners[:count]]
    # The root's come last: they are four, and joints are taken three columns at a time.
    order = np.argsort(curves.owners[:count] == curves.root, kind="stable")
    paths = np.arange(count, len(curves.owners)).reshape(-1, 3)
    return [*(order[groups[order] == one] for one in np.unique(groups)), *paths]


@memoised
def _joint_groups(skeleton: Skeleton) -> Ints:
    """``(J,)`` the number of each joint's group; a joint of none is a group by itself."""
    skeleton = skeleton.with_found_roles()
    groups = np.arange(len(skeleton))
    for i, names in enumerate(TOGETHER):
        for name in names:
            if any(role in skeleton.roles for role in GROUPS[name]):
                groups[select_joints(skeleton, name)] = len(skeleton) + i
    for role in ALONE:
        if role in skeleton.roles:
            groups[select_joints(skeleton, role)] = skeleton.roles[role]
    return groups
