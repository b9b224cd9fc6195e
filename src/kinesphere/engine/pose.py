"""BatchPose of the built-in figure during generation: its relaxed stance, joint arrays to write into, two-bone limbs.

Distances are in metres for a figure 1.70 m tall, and scaled to its height; angles are in radians. ``out`` is away from
the middle on either side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.engine.batch import Batch
from kinesphere.engine.proportions import HEIGHT, skeleton
from kinesphere.maths import rotations, threads
from kinesphere.maths.two_bone import solve_limb_rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, clip, norms
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

SIGN = {"left": 1.0, "right": -1.0}
BLOCK = 500_000  # numbers that are allocated as one array at most

# The relaxed stance: how the figure stands when nothing is asked of it, which is not its rest pose.
ROLL = np.radians(14.0)  # palms face the thighs, and backs of the hands somewhat ahead
CLAVICLE_DOWN, CLAVICLE_AHEAD = np.radians(4.5), np.radians(3.0)  # from the rest pose, whose arms are half raised
ANKLE_OUT, TURNED_OUT = 0.098, np.radians(8.0)  # feet hip-wide, turned out
FEET_AHEAD = -0.048  # ankles behind the hips: the body's weight is over the middle of the feet
SINK = 0.0016  # hips below straight knees: they are soft, not bent

# Arms
FLEXIONS = (math.radians(4.0), math.radians(148.0))  # least and greatest of an elbow
SOFT = 0.012  # of its length, over which an arm comes softly to its longest reach
DOWN, AHEAD = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])  # an elbow's swivel is measured from these


@lru_cache(maxsize=16)
def figure_skeleton(height: float) -> Skeleton:
    """The figure's joints at this height."""
    return skeleton(height)


@lru_cache(maxsize=64)
def joints_with_ancestors(skeleton: Skeleton, names: tuple[str, ...]) -> Ints:
    """``(K,)`` joints and all their ancestors, parents first."""
    found: set[int] = set()
    for name in names:
        joint = skeleton.index(name)
        while joint >= 0:
            found.add(joint)
            joint = int(skeleton.parents[joint])
    return np.array(sorted(found), dtype=np.intp)


@lru_cache(maxsize=64)
def _parents_among(skeleton: Skeleton, joints: bytes) -> Ints:
    """``(K,)`` places of the parents of joints ``(K,)``, given as bytes, among these; −1 of a root."""
    chosen = np.frombuffer(joints, dtype=np.intp)
    order = np.full(len(skeleton) + 1, -1)
    order[chosen] = np.arange(len(chosen))
    return np.asarray(order[skeleton.parents[chosen]])


@dataclass(frozen=True, eq=False)
class Actor:
    """A body that gestures are generated on: the figure's joints in this body's proportions.

    Attributes
    ----------
    skeleton
        Joints named as the figure's; all axes are the world's at rest, and soles are on the ground.
    size
        Leg length over that of a figure 1.70 m tall: by it hips and feet move.
    arm_size
        Arm length over that figure's: by it hands move.
    inward
        Distance of the shoulders from the middle over that figure's: by it hands move inwards.
    face
        How much higher and farther ahead of the shoulders the face is than that figure's, in its metres: by it hands at
        the face move.
    """

    skeleton: Skeleton
    size: float
    arm_size: float
    inward: float
    face: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def arms(self) -> dict[str, FigureLimb]:
        """Both arms, by side."""
        return {side: limb_of(self.skeleton, side, "Arm") for side in SIGN}

    @staticmethod
    def figure(height: float = HEIGHT) -> Actor:
        """The figure itself, at this height in metres."""
        return Actor(figure_skeleton(height), height / HEIGHT, height / HEIGHT, height / HEIGHT)


@dataclass(eq=False)
class BatchPose:
    """Local rotations and translations of the figures of a batch, for the parts of the body to write into."""

    skeleton: Skeleton
    batch: Batch
    size: float  # leg length over that of a figure 1.70 m tall
    arm_size: float  # arm length over that figure's
    local: Floats  # (F, J, 4) rotations
    translations: Floats  # (F, J, 3) in metres
    scales: Floats | None = None  # (F, J, 3) of the surface
    spare: Floats | None = None  # memory for these
    legs: dict[str, Floats] = field(default_factory=dict)  # (F, 3, 3) hip, knee and the ankle's target, in the world

    @classmethod
    def at_rest(cls, batch: Batch, height: float = HEIGHT) -> BatchPose:
        """The figure's rest pose in every frame."""
        return cls.of(Actor.figure(height), batch)

    @classmethod
    def of(cls, actor: Actor, batch: Batch) -> BatchPose:
        """The rest pose of a body in every frame."""
        skeleton = actor.skeleton
        local, translations, spare = _allocate(len(batch), len(skeleton))
        # Rows at a time: NumPy is slow to spread four numbers.
        local.reshape(len(batch), -1)[:] = _identities(len(skeleton))
        translations.reshape(len(batch), -1)[:] = skeleton.offsets.ravel()
        return cls(skeleton, batch, actor.size, actor.arm_size, local, translations, spare=spare)

    def reuse_memory(self, batch: Batch) -> BatchPose:
        """A pose of fewer frames that shares this one's arrays; only until this one is used again."""
        arrays = self.local[: len(batch)], self.translations[: len(batch)]
        return BatchPose(self.skeleton, batch, self.size, self.arm_size, *arrays)

    def set_rotation(self, name: str, rotation: Floats) -> None:
        """Set a joint's local rotation ``(F, 4)``."""
        self.local[:, self.skeleton.index(name)] = rotation

    def world(self, joints: Ints, frames: Ints | slice = slice(None)) -> tuple[Floats, Floats]:
        """World rotations ``(F, K, 4)`` and positions ``(F, K, 3)`` of joints whose parents are among them."""
        parents = _parents_among(self.skeleton, joints.tobytes())
        local, translations = self.local, self.translations
        if isinstance(frames, slice):
            local, translations = local[frames], translations[frames]
        else:
            local, translations = local[frames[:, None], joints], translations[frames[:, None], joints]
            joints = np.arange(len(joints))
        made = np.empty((len(local), len(joints), 4)), np.empty((len(local), len(joints), 3))

        def forward(part: slice) -> None:
            own = made[0][part], made[1][part]
            _native.kinematics.forward(local[part], translations[part], joints, parents, *own)

        threads.share_frames(len(local), made[1].size, forward)
        return made

    def surface_scales(self) -> Floats:
        """The surface's scales ``(F, J, 3)``, to write into."""
        if self.scales is None:
            self.scales = np.empty(self.translations.shape) if self.spare is None else self.spare
            self.scales[:] = 1.0
        return self.scales

    def motions(self, names: list[str]) -> list[Motion]:
        """Each performance as a motion."""
        made = []
        for name, frames in zip(names, self.batch.slices, strict=True):
            # Nobody else holds these: they need not be copied again.
            local, translations = self.local[frames], freeze(self.translations[frames])
            local = freeze(rotations.continuous(local, copy=False))
            scales = None if self.scales is None else freeze(self.scales[frames])
            made.append(Motion(self.skeleton, self.batch.rate, local, translations, scales, name=name))
        return made


def _allocate(frames: int, joints: int) -> list[Floats]:
    """Arrays ``(F, J, 4)``, ``(F, J, 3)`` and ``(F, J, 3)``.

    As one block while it is of a size that allocators keep for the next time, which fresh pages are not.
    """
    widths = (4, 3, 3)
    if frames * joints * sum(widths) > BLOCK:
        return [np.empty((frames, joints, width)) for width in widths]
    block, ends = np.empty(frames * joints * sum(widths)), np.cumsum(widths) * frames * joints
    starts = zip((0, *ends[:-1]), ends, widths, strict=True)
    return [block[a:b].reshape(frames, joints, width) for a, b, width in starts]


@lru_cache(maxsize=4)
def _identities(joints: int) -> Floats:
    return rotations.identity(joints).ravel()


def rotation_from_components(x: ArrayLike = 0.0, y: ArrayLike = 0.0, z: ArrayLike = 0.0) -> Floats:
    """Rotations ``(F, 4)`` from rotation vectors that are given by component."""
    return rotations.from_rotation_vector(np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in (x, y, z))), -1))


class LimbRest(NamedTuple):
    """A limb in the rest pose, for native loops."""

    upper: Floats  # (3,) offset of the elbow, in metres
    lower: Floats  # (3,) offset of the wrist
    hinge: Floats  # (3,) the elbow's axis
    frame: Floats  # (3, 3) upper bone, hinge and their normal as rows
    flexion: float  # the elbow's angle


@dataclass(frozen=True, eq=False)
class FigureLimb:
    """An arm, or a leg by an arm's words: upper and lower bone in the rest pose, where all axes are the world's."""

    upper: Floats  # (3,) offset of the elbow
    lower: Floats  # (3,) offset of the wrist

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """Lengths of the two bones."""
        return float(np.linalg.norm(self.upper)), float(np.linalg.norm(self.lower))

    @cached_property
    def reach(self) -> float:
        """How far from the shoulder the wrist can be."""
        a, b = self.lengths
        return float(np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(FLEXIONS[0])))

    @cached_property
    def shortest_reach(self) -> float:
        """How near to the shoulder the wrist can be."""
        a, b = self.lengths
        return float(np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(FLEXIONS[1])))

    @cached_property
    def hinge(self) -> Floats:
        """The elbow's axis at rest."""
        normal = np.cross(self.upper, self.lower)
        return np.asarray(normal / np.linalg.norm(normal))

    @cached_property
    def rest_flexion(self) -> float:
        """The elbow's angle at rest."""
        a, b = self.lengths
        return float(np.arccos(clip(self.upper @ self.lower / (a * b), -1.0, 1.0)))

    def solve(self, target: Floats, swivel: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Inverse kinematics: shoulder rotations ``(..., 4)``, elbow angles and elbows for wrists ``(..., 3)``."""
        shape = target.shape[:-1]
        swivels = np.broadcast_to(np.asarray(swivel, dtype=np.float64), shape).reshape(-1)
        limb = self.upper, self.lower, self.hinge
        upper, flexion, elbow = solve_limb_rotations(
            target.reshape(-1, 3), swivels, *limb, reference=DOWN, home=AHEAD, flexions=FLEXIONS
        )
        return upper.reshape(*shape, 4), flexion.reshape(shape), elbow.reshape(*shape, 3)

    def elbow_rotation(self, flexion: Floats) -> Floats:
        """The elbow's local rotation ``(..., 4)`` at these angles."""
        return rotations.from_rotation_vector(self.hinge * (flexion - self.rest_flexion)[..., None])

    def wrist(self, upper: Floats, flexion: Floats) -> Floats:
        """Forward kinematics: the wrist ``(..., 3)`` from the shoulder."""
        return rotations.rotate(upper, self.upper + rotations.rotate(self.elbow_rotation(flexion), self.lower))

    @cached_property
    def frame(self) -> Floats:
        """Upper bone, hinge and their normal at rest, as rows."""
        bone = self.upper / self.lengths[0]
        return np.stack([bone, self.hinge, np.cross(bone, self.hinge)])

    @cached_property
    def rest(self) -> LimbRest:
        """The limb for native loops."""
        return LimbRest(self.upper, self.lower, self.hinge, self.frame, self.rest_flexion)

    def soften(self, targets: Floats, exact: float) -> None:
        """Let targets ``(N, 3)`` come softly to the longest reach; those no farther than ``exact`` are left alone."""
        start = min(max((1.0 - SOFT) * self.reach, exact), self.reach)
        room = self.reach - start
        far = norms(targets)
        if far.max(initial=0.0) <= start:
            return
        if room <= 1e-9:
            softened = np.minimum(far, self.reach)
        else:
            softened = np.where(far > start, start + room * -np.expm1(-np.maximum(far - start, 0.0) / room), far)
        targets *= (softened / np.maximum(far, 1e-12))[:, None]


_ENDS = {"Arm": ("LowerArm", "Hand"), "Leg": ("LowerLeg", "Foot")}


def figure_limb(height: float, side: str, kind: str) -> FigureLimb:
    """The figure's ``"Arm"`` or ``"Leg"`` of one side."""
    return limb_of(figure_skeleton(height), side, kind)


@lru_cache(maxsize=128)
def limb_of(skeleton: Skeleton, side: str, kind: str) -> FigureLimb:
    """The ``"Arm"`` or ``"Leg"`` of one side of a skeleton with the figure's joints."""
    return FigureLimb(*(skeleton.offsets[skeleton.index(f"{side}{part}")] for part in _ENDS[kind]))
