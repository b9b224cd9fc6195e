"""Fingers of a performed recording: a word or an Effort closes or opens hands that have any."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere import _native
from kinesphere.body.hands import blend_hand_shapes, finger_rotations, hand_shape
from kinesphere.engine.channels import INDEX
from kinesphere.maths import threads
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.gesture import SHAPES
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton

TURN_WORK = 20  # numbers that a turned joint is worth when frames are shared among threads


def shape_fingers(skeleton: Skeleton, side: str, table: Floats, free: Floats, local: Floats) -> None:
    """Bring fingers towards the hand shapes that channels ``(T, C)`` ask for, in place, as far as a hand is free."""
    weights = {name: free * clip(table[:, INDEX[f"{side}.hand.{name}"]], 0.0, 1.0) for name in SHAPES[1:]}
    weights = {name: own for name, own in weights.items() if own.any()}
    if not weights or not _has_fingers(skeleton.roles, side):
        return
    total = np.sum(list(weights.values()), axis=0)
    if len(weights) == 1:
        joints, turned = _shaped_fingers(skeleton, side, next(iter(weights)))
    else:
        shapes = {name: own / np.maximum(total, 1e-9) for name, own in weights.items()}
        wanted = finger_rotations(skeleton, side, blend_hand_shapes(shapes))
        joints, turned = np.array(list(wanted)), np.stack(list(wanted.values()), axis=1)
    shares = np.minimum(total, 1.0)

    def turn(part: slice) -> None:
        own = turned if len(turned) == 1 else turned[part]
        _native.recorded_limbs.approach_rotations(joints, own, shares[part], local[part])

    threads.share_frames(len(local), len(local) * len(joints) * TURN_WORK, turn)


def _has_fingers(roles: Mapping[str, int], side: str) -> bool:
    return all(f"{side}{name}Proximal" in roles for name in ("Index", "Middle", "Little"))


def approach_shape(skeleton: Skeleton, side: str, shape: str, shares: Floats, local: Floats) -> None:
    """Bring a hand's fingers towards one shape by shares ``(T,)``, in poses ``(T, J, 4)`` that are changed in place."""
    if _has_fingers(skeleton.roles, side) and shares.any():
        joints, turned = _shaped_fingers(skeleton, side, shape)
        _native.recorded_limbs.approach_rotations(joints, turned, shares, local)


@memoised
def _shaped_fingers(skeleton: Skeleton, side: str, shape: str) -> tuple[Ints, Floats]:
    """The joints ``(K,)`` of a hand's fingers and their rotations ``(1, K, 4)`` in one shape."""
    wanted = finger_rotations(skeleton, side, hand_shape(shape))
    return np.array(list(wanted)), np.stack(list(wanted.values()))[None]
