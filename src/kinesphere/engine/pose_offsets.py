"""Offsets of a pose: what channels add to the trunk and head of any body, with the feet kept where they are.

Channels act on any body as they do on the figure: their rotations are shared along the spine and between neck and head
in the same way (``engine.trunk``), in the body's own axes. What a body lacks is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.engine.channels import INDEX
from kinesphere.engine.embodiment import embody, spread_spine, upright_axes
from kinesphere.engine.pose import SIGN
from kinesphere.engine.surface_scales import SWELLS
from kinesphere.engine.trunk import SPINE, trunk_matrix
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.behaviour import Pose
from kinesphere.motion.memo import memoised

HIPS = tuple(INDEX[f"hips.{axis}"] for axis in "xyz")


class OffsetModel(NamedTuple):
    """Joints of a body that channels turn, for native loops."""

    parents: Ints  # (J,)
    joints: Ints  # (K,) that are turned
    axes: Floats  # (K, 4) from the body's axes to those of a joint's parent
    hips: int
    hips_rest: Floats  # (4,) from the body's axes to the hips' own at rest
    legs: Ints  # (L, 3) upper leg, lower leg, foot
    arms: Ints  # (A, 2) clavicle, upper arm


@dataclass(frozen=True, eq=False)
class PoseOffsets:
    """What channels do to poses of one body."""

    model: OffsetModel
    matrix: Floats  # (C, 3 K) from channels to rotation vectors
    breath: Floats  # (3 K,) rotation vectors of a full breath
    swells: Mapping[int, Floats]  # joint to how much larger its surface is when the lungs are full
    size: float  # leg length over the figure's

    def add(self, pose: Pose, channels: Floats, breath: float = 0.0) -> Pose:
        """A pose with ``channels (C,)`` added, in metres of the figure, and a breath from 0 to 1."""
        turned, moved = np.array(pose.rotations), np.array(pose.translations)
        vectors = channels @ self.matrix + breath * self.breath
        shift = self.size * channels[list(HIPS)]
        _native.pose_offsets.offset_pose(self.model, vectors.reshape(-1, 3), shift, turned, moved)
        scales = pose.scales
        if breath and self.swells:
            scales = np.ones_like(moved) if scales is None else np.array(scales)
            for joint, swell in self.swells.items():
                scales[joint] += breath * swell
        return Pose(turned, moved, scales)


@memoised
def pose_offsets(body: Body) -> PoseOffsets:
    """What channels do to poses of this body."""
    own = embody(body)
    figure, skeleton = own.actor.skeleton, body.skeleton
    names, matrix, breath = trunk_matrix(figure)
    spine = dict(zip(SPINE, spread_spine(body), strict=True))
    columns: dict[int, list[int]] = {}
    for k, name in enumerate(names):
        joint = spine.get(name, body.roles.get(name, -1))
        if name == "neck" and joint < 0:
            joint = body.roles["head"]
        if joint >= 0 and not (name in spine and joint == body.roles["hips"]):
            columns.setdefault(joint, []).append(k)
    joints = sorted(columns)
    pick = np.zeros((3 * len(names), 3 * len(joints)))
    for i, joint in enumerate(joints):
        for k in columns[joint]:
            pick[3 * k : 3 * k + 3, 3 * i : 3 * i + 3] += np.eye(3)
    rest, axes = body.anatomy.pose.rotations, upright_axes(body)
    above = [rotations.identity(1)[0] if p < 0 else rest[p] for p in skeleton.parents[joints].tolist()]
    hips = body.roles["hips"]
    model = OffsetModel(
        np.asarray(skeleton.parents, dtype=np.int64),
        np.array(joints),
        np.array([rotations.multiply(rotations.conjugate(parent), axes) for parent in above]),
        hips,
        rotations.multiply(rotations.conjugate(rest[hips]), axes),
        _chains(body, ("UpperLeg", "LowerLeg", "Foot")),
        _chains(body, ("Shoulder", "UpperArm")),
    )
    return PoseOffsets(model, matrix @ pick, breath @ pick, _swells(body, spine), own.actor.size)


def _chains(body: Body, parts: tuple[str, ...]) -> Ints:
    """Limbs of both sides whose joints follow each other; feet that are moved by themselves stay anyway."""
    found = []
    for side in SIGN:
        joints = [body.roles.get(f"{side}{part}", -1) for part in parts]
        follow = zip(joints[:-1], joints[1:], strict=True)
        if min(joints) >= 0 and all(below in body.skeleton.descendants(above) for above, below in follow):
            found.append(joints)
    return np.array(found, dtype=np.int64).reshape(-1, len(parts))


def _swells(body: Body, spine: Mapping[str, int]) -> dict[int, Floats]:
    """How much larger the surface about each spine joint is when the lungs are full, along its own axes."""
    found: dict[int, Floats] = {}
    axes = upright_axes(body)
    for name, (widths, _) in SWELLS.items():
        joint = spine[name]
        if joint == body.roles["hips"]:
            continue
        turn = rotations.multiply(rotations.conjugate(body.anatomy.pose.rotations[joint]), axes)
        own = np.abs(rotations.to_matrix(turn)) @ np.array(widths)
        found[joint] = np.maximum(found.get(joint, np.zeros(3)), own)
    return found
