"""Denoising: remove jitter and spikes, keep strikes and contacts sharp, fill missing frames.

Outliers are filled (``outliers``). The noise of each curve is estimated, and removed by ``maths.denoise``; curves that
move together are smoothed together. Then end points are brought to their own denoised paths (``end_points``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import PlainValidator

from kinesphere.maths import denoise
from kinesphere.maths.vectors import Bools, Floats, Ints
from kinesphere.motion.document import AS_TUPLE, Either, Setting, dial, document, not_allowed, number
from kinesphere.motion.edit import motion_edit
from kinesphere.motion.errors import warn_caller
from kinesphere.motion.humanoid import GROUPS, select_joints
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.scope import WHOLE, Scope
from kinesphere.motion.skeleton import Skeleton
from kinesphere.motion.timemap import TimeMap
from kinesphere.signals.curves import Curves
from kinesphere.signals.edit import Edit, edit_window
from kinesphere.signals.end_points import keep_end_points
from kinesphere.signals.gaps import FIND, GapWarning, check_gaps, describe_gaps, fill_gaps, find_gaps
from kinesphere.signals.outliers import find_outliers, find_rests, mix, still_share

MOST_NOISE = 20.0  # times what is found
NO_NOISE = 1e-9  # radians or metres: curves with less noise are left alone
# Groups that are smoothed together. While feet are in contact, legs and hips compensate each other; arms are free.
TOGETHER = (("torso", "head"), ("left_hand",), ("right_hand",), ("hips", "legs"))
AMOUNT = dial(0.0, 1.0, "How much of the noise that is found is taken out.", "nothing", "all")
ALONE = ("leftToes", "rightToes")  # captures guess them, and their jumps would shake the legs


def parse_gaps(text: str) -> str | list[tuple[int, int]] | None:
    """Gaps from a text: none, find, or frames and stretches of them such as ``12,40-52``."""
    word = text.strip().lower()
    if word in ("none", FIND):
        return None if word == "none" else word
    found = []
    for piece in text.split(","):
        first, dash, last = (part.strip() for part in piece.partition("-"))
        if not (first.isdecimal() and (last.isdecimal() if dash else not last)):
            raise ValueError(f"found {piece.strip()!r}; none, find, or frames such as 12,40-52 are expected")
        found.append((int(first), int(last or first)))
    return found


def _check_find(value: str) -> str:
    if value != FIND:
        raise not_allowed(f'"{FIND}", or a list of frames and pairs of frames,')
    return value


def _check_gap(value: Any) -> tuple[int, int]:
    return check_gaps([value])[0]


@motion_edit("smooth")
@document(frozen=True)
class Smooth(Edit):
    """Take jitter out and leave strikes and contacts sharp; fill missing frames.

    Noise is removed from every curve, as much as there is: more from a hand at rest than from one that strikes. Feet,
    hands and head follow their own denoised paths: noise of hips and legs that cancels in the feet keeps cancelling.
    Spikes of a few frames are taken out, and what is held stays held. Feet are not locked, whatever ``feet`` says:
    locking them would change more than noise does. ``lock_feet`` is there for that.
    """

    amount: Annotated[float, AMOUNT] = 0.0
    noise: Annotated[
        float,
        number(
            0.0,
            MOST_NOISE,
            "How many times noisier curves are taken to be than they look: above 1 for jitter that is slower than "
            "frame by frame, below 1 to be careful.",
        ),
    ] = 1.0
    gaps: (
        Annotated[
            str | Sequence[int | Sequence[int]],
            Either(
                lambda value: "find" if isinstance(value, str) else "frames",
                find=Annotated[str, PlainValidator(_check_find, json_schema_input_type=Literal["find"])],
                frames=Annotated[
                    Sequence[
                        Annotated[int | Sequence[int], PlainValidator(_check_gap, json_schema_input_type=list[int])]
                    ],
                    AS_TUPLE,
                ],
            ),
            Setting(
                "Missing frames, bridged as far as the joint is predictable: frames, and pairs of a first and a "
                "last one, counted from 0; or find: those in which joints freeze or jump away for a moment.",
                parse=parse_gaps,
                metavar="find|FRAME,FIRST-LAST,…",
            ),
        ]
        | None
    ) = None

    @property
    def locks_feet(self) -> bool:
        return False

    @property
    def neutral(self) -> bool:
        return self.amount * self.noise == 0.0 and not self.gaps

    @classmethod
    def from_options(cls, *, amount: Annotated[float, AMOUNT] = 1.0, **rest: Any) -> Self:
        return cls(amount=amount, **rest)

    @classmethod
    def examples(cls) -> tuple[Self, ...]:
        return cls(amount=1.0), cls(amount=0.5, noise=2.0), cls(gaps=FIND)

    def apply(self, motion: Motion, scope: Scope = WHOLE) -> tuple[Motion, TimeMap]:
        if self.gaps and scope.strength > 0.0:
            motion = self._fill_gaps(motion, scope)
        amount = 0.0 if self.amount * self.noise * scope.strength == 0.0 else self.amount
        if amount == 0.0:
            return self._edit_curves(motion, scope, 0.0)
        weight = amount * scope.strength * edit_window(motion, scope)
        joints = select_joints(motion.skeleton, scope.parts)
        same = find_rests(motion)
        outliers = find_outliers(motion, same) & joints & (weight > 0.0)[:, None]
        whole = fill_gaps(motion, outliers) if outliers.any() else motion
        made, clock = self._edit_curves(whole, scope, amount)
        made = keep_end_points(whole, made, weight, self.noise)
        held = still_share(same, motion.rate)
        share = np.where(outliers, weight[:, None], 1.0 if held is None else held)
        share[weight == 0.0] = 0.0
        return mix(motion, made, share), clock

    def _edit_curves(self, motion: Motion, scope: Scope, amount: float) -> tuple[Motion, TimeMap]:
        """The motion with its joints denoised, each by itself or with its limb."""
        return super(Smooth, replace(self, amount=amount, gaps=None)).apply(motion, scope)

    def edit_table(self, curves: Curves, joints: Bools) -> Floats:
        noise = self.noise * noise_of(curves)
        noise[~joints[curves.owners]] = 0.0
        groups = [columns[noise[columns] > NO_NOISE] for columns in _column_groups(curves)]
        return denoise.denoise(curves.table, groups, noise, self.amount, curves.motion.rate)

    def _fill_gaps(self, motion: Motion, scope: Scope) -> Motion:
        joints = select_joints(motion.skeleton, scope.parts)
        weight = edit_window(motion, scope)
        missing = np.zeros((len(motion), len(motion.skeleton)), dtype=np.bool_)
        if self.gaps == FIND:
            found = find_gaps(motion, scope.parts)
            spikes = find_outliers(motion) & joints & (weight > 0.0)[:, None]
            if spikes.any():  # a gap that is bridged from a spike would keep it
                motion = fill_gaps(motion, spikes)
                found = (*found, *(gap for gap in find_gaps(motion, scope.parts) if gap not in found))
            for gap in found:
                missing[gap.first : gap.last + 1, gap.joint] = True
            if found:
                warn_caller(f"filled {len(found)} gaps: {describe_gaps(found)}", GapWarning)
        elif isinstance(self.gaps, tuple):
            for first, last in check_gaps(self.gaps):
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
