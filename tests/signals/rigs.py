"""The same motion on unlike rigs: other axes, rest poses that are no body's, a still root, no toes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import rotations as R
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.transform import with_plain_rest
from rerig import add_static_root, bend_rest, point_all_bones, point_bones, turn_axes_anyhow


def along_x(given: Motion) -> Motion:
    """Every bone along +X at rest, as in rigs whose rest rotations are all zero."""
    return with_plain_rest(point_all_bones(given, (1.0, 0.0, 0.0)))


def head_down(given: Motion) -> Motion:
    """Upside down at rest, as no body stands."""
    return bend_rest(given, {0: R.from_rotation_vector([np.pi, 0.0, 0.0])})


def without(given: Motion, *parts: str) -> Motion:
    """Without the joints whose names end so, and what hangs from them."""
    skeleton = given.skeleton
    gone = {j for i, name in enumerate(skeleton.names) if name.endswith(parts) for j in (i, *skeleton.descendants(i))}
    kept = [i for i in range(len(skeleton)) if i not in gone]
    number = {old: new for new, old in enumerate(kept)}
    made = Skeleton(
        tuple(skeleton.names[i] for i in kept),
        np.array([number.get(int(skeleton.parents[i]), -1) for i in kept]),
        skeleton.offsets[kept],
        skeleton.rest_rotations[kept],
        roles={role: number[joint] for role, joint in skeleton.roles.items() if joint in number},
        tips=tuple(Tip(number[tip.joint], tip.offset) for tip in skeleton.tips if tip.joint in number),
    )
    return replace(
        given, skeleton=made, rotations=given.rotations[:, kept], translations=given.translations[:, kept], scales=None
    )


def t_posed(given: Motion) -> Motion:
    """Arms out to the sides at rest, elbows and wrists straight."""
    sides = {"left": (1.0, 0.0, 0.0), "right": (-1.0, 0.0, 0.0)}
    parts = ("UpperArm", "LowerArm")
    return point_bones(
        given, {given.skeleton.index(f"{side}{part}"): out for side, out in sides.items() for part in parts}
    )


RIGS = {
    "plain": lambda given: given,
    "odd axes": lambda given: turn_axes_anyhow(given, 1),
    "other odd axes": lambda given: turn_axes_anyhow(given, 7),
    "along x": along_x,
    "still root, along x": lambda given: add_static_root(along_x(given)),
    "still root, odd axes": lambda given: turn_axes_anyhow(add_static_root(given), 3),
    "head down": head_down,
    "T-pose, no toes": lambda given: without(t_posed(given), "Toes"),
}
