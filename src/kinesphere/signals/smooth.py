"""Jitter removed, strikes and contacts left sharp; missing frames filled."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from kinesphere.maths import denoise
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.humanoid import GROUPS, select_joints
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit, edit_window
from kinesphere.signals.gaps import FIND, GapWarning, check_gaps, describe_gaps, fill_gaps, find_gaps

MOST_NOISE = 20.0  # times what is found
QUIET = 1e-9  # radians or metres: curves with less noise are left alone
# What moves together is looked at together. Feet stand, so that legs and hips answer each other; arms are free.
TOGETHER = (("torso", "head"), ("left_hand",), ("right_hand",), ("hips", "legs"))
ALONE = ("leftToes", "rightToes")  # captures guess them, and their jumps would shake the legs
_known: WeakKeyDictionary[Skeleton, Ints] = WeakKeyDictionary()


@dataclass(frozen=True)
class Smooth(Edit):
    """Noise taken out of every curve, as much as there is: more from a hand at rest than from one that strikes.

    Legs and hips are looked at together, so that feet that stand jitter less. They are not held, whatever ``feet``
    says: holding them would change more than noise does. ``lock_feet`` is there for that.

    Parameters
    ----------
    amount
        From 0, nothing, to 1, all the noise that is found.
    noise
        How much noisier curves are taken to be than they look. Above 1 for jitter that is slower than frame by frame;
        below 1 to be careful.
    gaps
        Frames that are missing: numbers of frames, or pairs of a first and a last one. "find": frames in which joints
        freeze or jump away for a moment are looked for (``gaps.find_gaps``), and a ``GapWarning`` says which there
        were. They are filled for the joints that are meant, with the velocities at both sides kept.
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
            motion = self._without_gaps(motion)
        if self.amount * self.noise * self.strength == 0.0:
            return super(Smooth, replace(self, amount=0.0, gaps=None)).__call__(motion)
        return super(Smooth, replace(self, gaps=None)).__call__(motion)

    def changed(self, curves: Curves, joints: Bools) -> Floats:
        units = self.noise * noise_of(curves)
        units[~joints[curves.owners]] = 0.0
        limbs = [columns[units[columns] > QUIET] for columns in _limbs(curves)]
        return denoise.denoise(curves.table, limbs, units, self.amount, curves.motion.rate)

    def _without_gaps(self, motion: Motion) -> Motion:
        joints = select_joints(motion.skeleton, self.joints)
        weight = edit_window(motion, self.start, self.end, self.fade)
        missing = np.zeros((len(motion), len(motion.skeleton)), dtype=np.bool_)
        if self.gaps == FIND:
            found = find_gaps(motion, self.joints)
            for gap in found:
                missing[gap.first : gap.last + 1, gap.joint] = True
            if found:
                warnings.warn(f"filled {len(found)} gaps: {describe_gaps(found)}", GapWarning, stacklevel=3)
        elif isinstance(self.gaps, tuple):
            for first, last in self.gaps:
                if last >= len(motion):
                    raise ValueError(
                        f"a gap from frame {first} to {last}: the motion has frames 0 to {len(motion) - 1}"
                    )
                missing[first : last + 1, joints] = True
        return fill_gaps(motion, missing & (weight > 0.0)[:, None])


def noise_of(curves: Curves) -> Floats:
    """``(D,)`` how noisy each curve is: a standard deviation, in radians or metres.

    A joint's three have one; but the carrier's, whose heading is taken apart, so that one has hardly any left.
    """
    table, joints = curves.table, len(curves.about)
    own = slice(3 * curves.carrier, 3 * curves.carrier + 3)
    turns, places = (part.reshape(len(table), -1, 3) for part in (table[:, : 3 * joints], table[:, 3 * joints + 1 :]))
    found = np.concatenate(
        [np.repeat(denoise.estimate_noise(turns), 3), np.zeros(1), np.repeat(denoise.estimate_noise(places), 3)]
    )
    found[own] = denoise.estimate_noise(table[:, own, None])
    found[3 * joints] = denoise.estimate_noise(table[:, 3 * joints, None, None])[0]
    return found


def _limbs(curves: Curves) -> list[Ints]:
    """Columns that are smoothed together: rotations by limb, places by joint."""
    skeleton = curves.motion.skeleton
    if skeleton not in _known:
        _known[skeleton] = _limb_of_each(skeleton)
    turns = _known[skeleton][curves.owners[: 3 * len(skeleton) + 1]]
    # The carrier's come last: they are four, and joints are looked at three by three.
    order = np.argsort(curves.owners[: len(turns)] == curves.carrier, kind="stable")
    places = np.arange(len(turns), len(curves.owners)).reshape(-1, 3)
    return [*(order[turns[order] == one] for one in np.unique(turns)), *places]


def _limb_of_each(skeleton: Skeleton) -> Ints:
    """``(J,)`` the number of the limb that each joint belongs to; those of none are one by themselves."""
    skeleton = skeleton.with_found_roles()
    limb = np.arange(len(skeleton))
    for i, names in enumerate(TOGETHER):
        for name in names:
            if any(role in skeleton.roles for role in GROUPS[name]):
                limb[select_joints(skeleton, name)] = len(skeleton) + i
    for role in ALONE:
        if role in skeleton.roles:
            limb[select_joints(skeleton, role)] = skeleton.roles[role]
    return limb
