"""Poses of a recording, changed: the trunk turned by channels, hands and feet brought to where they are wanted.

Channels act on any body as they do on the figure (``engine.pose_offsets``), but in the axes that each joint has in the
recorded pose: a chest that faces aside leans aside. Limbs are moved from how they were: the hinge opens or closes, the
limb turns by the smallest rotation, so that elbows and knees stay on their side and rolls stay as recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.body import Body
from kinesphere.engine.channels import INDEX
from kinesphere.engine.pose_offsets import pose_offsets
from kinesphere.engine.recorded_poses import RecordedPoses, body_frame, chest_joint
from kinesphere.engine.trunk_room import TrunkRoom, trunk_room
from kinesphere.maths import rotations, threads
from kinesphere.maths.filters import smooth_corrections
from kinesphere.maths.vectors import Bools, Floats, Ints, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised

TRUNK_WORK, LIMB_WORK = 400, 170  # numbers that they are worth in a frame when frames are shared among threads
CLEARLY_BENT = float(np.sin(np.radians(25.0)))  # from here on a limb shows its hinge
UNSHOWN = 0.003  # weight of the axis that a rest pose tells: a hundredth of the frames outweighs it
SOFT = {"Arm": 0.05, "Leg": 0.0}  # feet stand where they stand
LIMITS_COME = 0.05  # seconds of σ in which a trunk comes to its limits, however quick the recorded pose is
LIMBS = {"Arm": ("UpperArm", "LowerArm", "Hand"), "Leg": ("UpperLeg", "LowerLeg", "Foot")}


class TrunkJoints(NamedTuple):
    """Joints of a trunk, for native loops."""

    parents: Ints  # (J,)
    joints: Ints  # (K,) that are turned in their own axes
    frames: Floats  # (K, 4) from a joint's own axes to the body's
    hips: int
    hips_frame: Floats  # (4,)
    chest: int
    arms: Ints  # (A,) upper arms


class Limb(NamedTuple):
    """An arm or a leg, for native loops."""

    parents: Ints  # (J,)
    upper: int
    lower: int
    end: int
    hinge: Floats  # (3,) the axis of its hinge in the upper joint's own axes
    soft: float  # share of its length in which it comes softly to straight


@dataclass(frozen=True, eq=False)
class RecordedRig:
    """How the poses of one body are changed."""

    trunk: TrunkJoints
    room: TrunkRoom | None  # that it has left
    matrix: Floats  # (C, 3 K) from channels to rotation vectors
    hips_matrix: Floats  # (C, 3) to the hips' one
    size: float  # leg length over the figure's
    limbs: dict[str, Limb]  # by side and kind, such as leftArm; arms without their hands are left out

    def turn_trunk(self, table: Floats, rate: float, local: Floats, translations: Floats) -> None:
        """Add channels ``(T, C)``, in metres of the figure, to poses ``(T, J, 4)``, ``(T, J, 3)`` in place."""
        channels = np.ascontiguousarray(table.T)
        vectors, hips = np.empty((len(table), len(self.trunk.joints), 3)), np.empty((len(table), 3))
        _native.recorded_limbs.mix_channels(channels, self.matrix, vectors.reshape(len(table), -1))
        _native.recorded_limbs.mix_channels(channels, self.hips_matrix, hips)
        if self.room is not None:
            asked = vectors.copy()
            _native.trunk_room.limit_turns(self.room, local, vectors)
            taken = smooth_corrections((asked - vectors).reshape(len(asked), -1), LIMITS_COME, rate)
            vectors = asked - taken.reshape(asked.shape)
        shift = np.ascontiguousarray(self.size * table[:, [INDEX[f"hips.{axis}"] for axis in "xyz"]])

        def turn(part: slice) -> None:
            rows = vectors[part], hips[part], shift[part], local[part], translations[part]
            _native.recorded_limbs.turn_trunk(self.trunk, *rows)

        threads.share_frames(len(table), len(table) * TRUNK_WORK, turn)


@memoised
def shown_hinges(poses: RecordedPoses) -> dict[str, Floats]:
    """Axes of elbows and knees in their upper joints' own axes; elbows as the recording shows them where they bend.

    What a rest pose tells of a straight arm's hinge may be off by a right angle. Knees bend backwards, whatever a
    capture says: some have them bent the wrong way round, by up to 45°.
    """
    made = {}
    for name, limb in recorded_rig(poses.body).limbs.items():
        if name.endswith("Leg"):
            made[name] = limb.hinge
            continue
        upper, middle, end = (poses.world.positions_of(joint) for joint in (limb.upper, limb.lower, limb.end))
        bones = [bone / np.maximum(norms(bone), 1e-9)[:, None] for bone in (middle - upper, end - middle)]
        shown = rotations.rotate(
            rotations.conjugate(poses.world.rotations_of(limb.upper)), np.cross(bones[0], bones[1])
        )
        bent = np.maximum(norms(shown) - CLEARLY_BENT, 0.0)
        mean = (bent[:, None] * shown).mean(axis=0) + UNSHOWN * limb.hinge
        made[name] = np.ascontiguousarray(mean / max(float(np.linalg.norm(mean)), 1e-9))
    return made


def place_limb(
    limb: Limb,
    local: Floats,
    translations: Floats,
    targets: Floats,
    *,
    shares: Floats | Bools | None = None,
    swivels: Floats | None = None,
    ends: Floats | None = None,
    turned: Bools | None = None,
    above: Floats | None = None,
) -> Floats:
    """Bring a limb's end towards ``targets (T, 3)`` in the world, in poses that are changed in place.

    Gives how far they are missed.

    Parameters
    ----------
    shares : (T,)
        Of the way; flags say in which frames. None: all of it.
    swivels : (T,)
        Radians that the limb then turns about the line to its end.
    ends, turned : (T, 4), (T,)
        The end's rotation in the world, and in which frames; None: it goes with the limb.
    above : (T, 7)
        How the parent of the upper joint is turned in the world, and where it is; None: that is yet to be found.
    """
    count = len(targets)
    rows = (
        np.ascontiguousarray(targets),
        np.zeros(count) if swivels is None else np.ascontiguousarray(swivels),
        np.ones(count) if shares is None else np.asarray(shares, dtype=np.float64),
        np.zeros((count, 4)) if ends is None else np.ascontiguousarray(ends),
        np.full(count, ends is not None) if turned is None else turned,
        np.zeros((count, 0)) if above is None else above,
        local,
        translations,
        missed := np.empty(count),
    )

    def place(part: slice) -> None:
        _native.recorded_limbs.place_limb(limb, *(row[part] for row in rows))

    threads.share_frames(count, count * LIMB_WORK, place)
    return missed


def turn_joints(joints: Ints, frames: Floats, vectors: Floats, local: Floats) -> None:
    """Turn joints ``(K,)`` by rotation vectors ``(T, K, 3)`` in axes ``(K, 4)`` of their own, in place."""
    _native.recorded_limbs.turn_joints(joints, frames, np.ascontiguousarray(vectors), local)


@memoised
def recorded_rig(body: Body) -> RecordedRig:
    """How poses of this body are changed."""
    offsets = pose_offsets(body)
    hips = body.roles["hips"]
    joints = offsets.model.joints
    others = np.flatnonzero(joints != hips)
    columns = (3 * others[:, None] + np.arange(3)).ravel()
    at = np.flatnonzero(joints == hips)
    own = 3 * int(at[0]) + np.arange(3) if len(at) else np.zeros(0, dtype=np.intp)
    hips_matrix = offsets.matrix[:, own] if len(at) else np.zeros((len(offsets.matrix), 3))
    parents = np.asarray(body.skeleton.parents, dtype=np.int64)
    trunk = TrunkJoints(
        parents,
        np.ascontiguousarray(joints[others]),
        np.array([body_frame(body, int(joint)) for joint in joints[others]]).reshape(-1, 4),
        hips,
        body_frame(body, hips),
        chest_joint(body),
        np.array([body.roles[f"{side}UpperArm"] for side in SIDES], dtype=np.int64),
    )
    limbs = {f"{side}{kind}": limb for side in SIDES for kind in LIMBS if (limb := _limb(body, side, kind)) is not None}
    matrix = np.ascontiguousarray(offsets.matrix[:, columns])
    room = trunk_room(body, trunk.joints)
    return RecordedRig(trunk, room, matrix, np.ascontiguousarray(hips_matrix), offsets.size, limbs)


def _limb(body: Body, side: str, kind: str) -> Limb | None:
    upper, lower, end = (body.roles[f"{side}{part}"] for part in LIMBS[kind])
    below = body.skeleton.descendants
    if lower not in below(upper) or (end not in below(lower) and kind != "Leg"):
        return None
    axis = body.anatomy.hinges[f"{side}{LIMBS[kind][0]}"]
    own = rotations.rotate(rotations.conjugate(body.anatomy.pose.rotations[upper]), axis)
    return Limb(
        np.asarray(body.skeleton.parents, dtype=np.int64),
        upper,
        lower,
        end,
        np.ascontiguousarray(own),
        SOFT[kind],
    )
