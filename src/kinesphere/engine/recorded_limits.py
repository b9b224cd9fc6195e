"""Joint limits of performed recordings: what edits add comes softly to what is left of a joint's range.

Ranges are those of ``body.limits``, widened by whatever the recording does at that moment: a capture that exceeds a
limit may go on to, and nothing is taken from it. Angles are eased one by one: flexion, side and twist, or a shoulder's
cone. Where an upper bone's twist is held back, the bone below keeps its rotation in the world, so that the wrist stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.body.limits import LimitedJoint, find_limited_joints
from kinesphere.maths import threads
from kinesphere.maths.filters import smooth_corrections
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand")
JOINT_WORK = 70  # numbers that a joint is worth when frames are shared among threads
LIMITS_COME = 0.035  # seconds of σ in which shoulders and hands come to what limits leave of what is added to them


class EasedJoint(NamedTuple):
    """A limited joint, for native loops."""

    path: Ints  # (P,) joints below the reference, down to this one
    columns: Ints  # (P,) where these are among the recorded rotations
    before: Floats  # (4,) rest rotation of the reference in the world
    after: Floats  # (4,) rest rotation of the joint in the world
    axes: Floats  # (4, 3) bone, neutral, forward and side in the world at rest
    ranges: Floats  # (3, 2) radians of flexion, side and twist
    cone: float  # half angle about the neutral direction in place of flexion and side; 0: none


@dataclass(frozen=True, eq=False)
class ArmLimits:
    """The limited joints of both arms, and the joints whose recorded rotations they are compared with."""

    joints: Ints  # (C,)
    hands: Ints  # (H,) of them, those below forearms
    eased: dict[str, EasedJoint]  # by role
    below: dict[str, int]  # role to the joint that keeps its rotation where this one's twist is held back

    def ease_in_time(self, role: str, rate: float, recorded: Floats, local: Floats) -> None:
        """Bring the rotations of a joint within its range, as ``ease`` does, as quickly as shoulders and hands move.

        A captured joint may pass in a few frames what is no range of it any more.
        """
        if role not in self.eased:
            return
        joint = int(self.eased[role].path[-1])
        asked, taken = local[:, joint].copy(), np.empty((len(local), 3))
        self.ease(role, recorded, local)
        if _native.recorded_limits.turns_from(asked, joint, local, taken):
            _native.recorded_limits.turn_by(asked, joint, smooth_corrections(taken, LIMITS_COME, rate), local)

    def ease(self, role: str, recorded: Floats, local: Floats, shares: Floats | None = None) -> None:
        """Bring a joint's rotations softly within its range, in poses ``(T, J, 4)`` that are changed in place.

        ``recorded (T, C, 4)`` are the recorded rotations of ``joints``; ``shares (T,)`` is how far the bone may be
        turned elsewhere, its twist aside.
        """
        if role not in self.eased:
            return
        count = len(local)
        weights = np.ones(count) if shares is None else np.ascontiguousarray(shares)
        own, below = self.eased[role], self.below.get(role, -1)

        def ease(part: slice) -> None:
            _native.recorded_limits.ease_joint(own, below, recorded[part], weights[part], local[part])

        threads.share_frames(count, count * JOINT_WORK, ease)


@memoised
def arm_limits(body: Body) -> ArmLimits:
    """The limits of a body's arms."""
    roles = {f"{side}{part}": (side, part) for side in SIDES for part in PARTS}
    found = {own.role: own for own in find_limited_joints(body.skeleton) if own.role in roles}
    joints = sorted({step for own in found.values() for step in own.path})
    columns = {joint: i for i, joint in enumerate(joints)}
    below: dict[str, int] = {}
    for role in found:
        side, part = roles[role]
        child = {"UpperArm": "LowerArm", "LowerArm": "Hand"}.get(part)
        if child and f"{side}{child}" in found:
            below[role] = found[f"{side}{child}"].path[0]
    hands = sorted({step for role, own in found.items() if role.endswith("Hand") for step in own.path})
    return ArmLimits(
        np.array(joints),
        np.array(hands, dtype=np.intp),
        {role: _eased(own, columns) for role, own in found.items()},
        below,
    )


def _eased(joint: LimitedJoint, columns: dict[int, int]) -> EasedJoint:
    limit = joint.limit
    return EasedJoint(
        np.array(joint.path, dtype=np.int64),
        np.array([columns[step] for step in joint.path], dtype=np.int64),
        np.ascontiguousarray(joint.before),
        np.ascontiguousarray(joint.after),
        np.stack([joint.bone, joint.neutral, joint.forward, joint.side]),
        np.array([limit.flexion, limit.side, limit.twist]),
        limit.cone or 0.0,
    )
