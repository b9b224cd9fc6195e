"""How the figure stands when nothing is asked of it: relaxed, not in its rest pose.

Numbers are for a figure 1.70 m tall; ``out`` is away from the middle on either side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from kinesphere.engine.batch import RATE, Batch
from kinesphere.engine.proportions import HEIGHT, skeleton
from kinesphere.maths import compiled, kinematics, rotations
from kinesphere.maths.two_bone import solve_limb_rotations
from kinesphere.maths.vectors import ArrayLike, Floats, Ints, clip
from kinesphere.maths.vectors import norms as far_of
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

WRIST = (0.066, -0.5295, 0.038)  # out, up, ahead of the shoulder: arms hang a little off the body, elbows not locked
SWIVEL = np.radians(38.0)  # elbows point back and somewhat out
ROLL = np.radians(14.0)  # palms face the thighs, and backs of the hands somewhat ahead
CLAVICLE_DOWN, CLAVICLE_AHEAD = np.radians(4.5), np.radians(3.0)  # from the rest pose, whose arms are half raised
ANKLE_OUT, TURNED_OUT = 0.098, np.radians(8.0)  # feet hip-wide, turned out
FEET_AHEAD = -0.048  # ankles behind the hips: the body's weight is over the middle of the feet
SINK = 0.0016  # hips below straight knees: they are soft, not bent


def resting_wrist(side: str, height: float = HEIGHT) -> tuple[float, float, float]:
    """A hanging wrist's place from its shoulder, in metres."""
    out, up, ahead = (height / HEIGHT * value for value in WRIST)
    return (out if side == "left" else -out, up, ahead)


def resting_swivel(side: str) -> float:
    """A hanging arm's swivel, as ``solve_limb`` counts it."""
    return float(SWIVEL if side == "left" else -SWIVEL)


# ---- Figures' poses over time while they are being made: arrays that the parts of the body write into.


SIGN = {"left": 1.0, "right": -1.0}
BLOCK = 500_000  # numbers


@lru_cache(maxsize=16)
def figure_skeleton(height: float) -> Skeleton:
    """The figure's joints at this height."""
    return skeleton(height)


@dataclass(eq=False)
class Pose:
    """Local rotations and translations of one figure or several in a row, at equal steps of time."""

    skeleton: Skeleton
    spans: Batch
    size: float  # of a figure 1.70 m tall
    local: Floats  # (F, J, 4)
    places: Floats  # (F, J, 3)
    scales: Floats | None = None  # (F, J, 3) of the surface
    spare: Floats | None = None  # memory for these
    stood: dict[str, Floats] = field(default_factory=dict)  # (F, 3) where each ankle was asked to be

    @classmethod
    def standing(cls, spans: Batch, height: float = HEIGHT) -> Pose:
        """The rest pose for as long as that takes."""
        skeleton = figure_skeleton(height)
        local, places, spare = _memory(len(spans), len(skeleton))
        # Rows at a time: NumPy is slow to spread four numbers.
        local.reshape(len(spans), -1)[:] = rotations.identity(len(skeleton)).ravel()
        places.reshape(len(spans), -1)[:] = skeleton.offsets.ravel()
        return cls(skeleton, spans, height / HEIGHT, local, places, spare=spare)

    def lent(self, spans: Batch) -> Pose:
        """A pose of fewer frames in this one's memory, for as long as this one does not need it."""
        return Pose(self.skeleton, spans, self.size, self.local[: len(spans)], self.places[: len(spans)])

    def turn(self, name: str, turned: Floats) -> None:
        """Set a joint's local rotation ``(F, 4)``."""
        self.local[:, self.skeleton.index(name)] = turned

    def world(self, joints: Ints | None = None) -> tuple[Floats, Floats]:
        """World rotations and positions as they are now: of all joints, or of these, parents being among them."""
        if joints is None:
            return kinematics.forward(self.local, self.places, self.skeleton.parents)
        order = np.full(len(self.skeleton) + 1, -1)
        order[joints] = np.arange(len(joints))
        parents = order[self.skeleton.parents[joints]]
        return kinematics.forward(self.local[:, joints], self.places[:, joints], parents)

    def scaled(self) -> Floats:
        """The surface's scales ``(F, J, 3)``, to write into."""
        if self.scales is None:
            self.unscaled()[:] = 1.0
        return self.unscaled()

    def unscaled(self) -> Floats:
        """Memory for the surface's scales ``(F, J, 3)``, all of which the caller writes."""
        if self.scales is None:
            self.scales = np.empty(self.places.shape) if self.spare is None else self.spare
        return self.scales

    def motions(self, names: list[str]) -> list[Motion]:
        """What has been made."""
        made = []
        for name, frames in zip(names, self.spans.slices(), strict=True):
            # Nobody else holds these: they need not be copied again.
            local, places = self.local[frames], freeze(self.places[frames])
            local = freeze(rotations.continuous(local) if rotations.has_sign_flips(local) else local)
            scales = None if self.scales is None else freeze(self.scales[frames])
            made.append(Motion(self.skeleton, RATE, local, places, scales, name=name))
        return made


def _memory(frames: int, joints: int) -> list[Floats]:
    """Arrays ``(F, J, 4)``, ``(F, J, 3)`` and ``(F, J, 3)``.

    As one block while it is of a size that allocators keep for the next time, which fresh pages are not.
    """
    widths = (4, 3, 3)
    if frames * joints * sum(widths) > BLOCK:
        return [np.empty((frames, joints, width)) for width in widths]
    block, ends = np.empty(frames * joints * sum(widths)), np.cumsum(widths) * frames * joints
    starts = zip((0, *ends[:-1]), ends, widths, strict=True)
    return [block[a:b].reshape(frames, joints, width) for a, b, width in starts]


def rotation_from_components(x: ArrayLike = 0.0, y: ArrayLike = 0.0, z: ArrayLike = 0.0) -> Floats:
    """Rotations ``(F, 4)`` by rotation vectors given by component: the components' order does not matter."""
    return rotations.from_rotation_vector(np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in (x, y, z))), -1))


# ---- A figure's two-bone limb in the frame that it hangs in: what turns of its joints bring its end somewhere.


FLEXIONS = (np.radians(4.0), np.radians(148.0))
LIMITS = np.array(FLEXIONS)
WORTH = 30  # a limb is far more work than three numbers of a product
SOFT = 0.012  # of its length, over which an arm comes softly to its longest reach
DOWN, AHEAD = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class FigureLimb:
    """An arm: upper and lower bone as they are at rest, all axes the world's."""

    upper: Floats  # (3,) offset of the elbow
    lower: Floats  # (3,) offset of the wrist

    @cached_property
    def lengths(self) -> tuple[float, float]:
        """Of the two bones."""
        return float(np.linalg.norm(self.upper)), float(np.linalg.norm(self.lower))

    @cached_property
    def reach(self) -> float:
        """How far from the shoulder the wrist can be."""
        a, b = self.lengths
        return float(np.sqrt(a * a + b * b + 2.0 * a * b * np.cos(FLEXIONS[0])))

    @cached_property
    def nearest(self) -> float:
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

    def solved(self, target: Floats, swivel: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """The shoulder's turns ``(..., 4)``, elbow angles ``(...)`` and elbows that reach ``target (..., 3)``."""
        kernels = compiled.loaded(target.size * WORTH)
        if kernels is None or target.ndim != 2:
            return solve_limb_rotations(
                target, swivel, self.upper, self.lower, self.hinge, reference=DOWN, home=AHEAD, flexions=FLEXIONS
            )
        count = len(target)
        made = np.empty((count, 4)), np.empty(count), np.empty((count, 3))
        swivels = np.array(np.broadcast_to(swivel, (count,)), dtype=np.float64)
        limb = *self.lengths, self.frame, LIMITS
        kernels.turn(np.ascontiguousarray(target), swivels, DOWN[None], AHEAD[None], *limb, *made)
        return made

    def bent(self, flexion: Floats) -> Floats:
        """The elbow's local turn ``(..., 4)`` at these angles."""
        return rotations.from_rotation_vector(self.hinge * (flexion - self.rest_flexion)[..., None])

    def wrist(self, upper: Floats, flexion: Floats) -> Floats:
        """Where the wrist is, from the shoulder."""
        return rotations.rotate(upper, self.upper + rotations.rotate(self.bent(flexion), self.lower))

    @cached_property
    def frame(self) -> Floats:
        """Upper bone, hinge and their normal at rest, as rows."""
        bone = self.upper / self.lengths[0]
        return np.stack([bone, self.hinge, np.cross(bone, self.hinge)])

    @cached_property
    def numbers(self) -> Floats:
        """``(6, 3)`` both bones, the hinge and the frame, as compiled kernels take them."""
        return np.stack([self.upper, self.lower, self.hinge, *self.frame])

    def soften(self, targets: Floats, exact: float) -> None:
        """Let targets ``(N, 3)`` come softly to the longest reach; those no farther than ``exact`` are left alone."""
        start = min(max((1.0 - SOFT) * self.reach, exact), self.reach)
        room = self.reach - start
        far = far_of(targets)
        if far.max(initial=0.0) <= start:
            return
        if room <= 1e-9:
            held = np.minimum(far, self.reach)
        else:
            held = np.where(far > start, start + room * -np.expm1(-np.maximum(far - start, 0.0) / room), far)
        targets *= (held / np.maximum(far, 1e-12))[:, None]


_ENDS = {"Arm": ("LowerArm", "Hand"), "Leg": ("LowerLeg", "Foot")}


@lru_cache(maxsize=64)
def figure_limb(height: float, side: str, kind: str) -> FigureLimb:
    """The figure's ``"Arm"`` or ``"Leg"`` of one side."""
    skeleton = figure_skeleton(height)
    return FigureLimb(*(skeleton.offsets[skeleton.index(f"{side}{part}")] for part in _ENDS[kind]))
