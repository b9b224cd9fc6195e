"""A figure's two-bone limb in the frame that it hangs in: what turns of its joints bring its end somewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from kinesphere.figure.pose import body
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import ArrayLike, Floats, within
from kinesphere.kernels.arrays import lengths as far_of
from kinesphere.kernels.limb_turns import limb_turns

FLEXIONS = (np.radians(4.0), np.radians(148.0))
LIMITS = np.array(FLEXIONS)
WORTH = 30  # a limb is far more work than three numbers of a product
SOFT = 0.012  # of its length, over which an arm comes softly to its longest reach
DOWN, AHEAD = np.array([0.0, -1.0, 0.0]), np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Limb:
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
        return float(np.arccos(within(self.upper @ self.lower / (a * b), -1.0, 1.0)))

    def solved(self, target: Floats, swivel: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """The shoulder's turns ``(..., 4)``, elbow angles ``(...)`` and elbows that reach ``target (..., 3)``."""
        kernels = compiled.loaded(target.size * WORTH)
        if kernels is None or target.ndim != 2:
            return limb_turns(
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
def limb_of(height: float, side: str, kind: str) -> Limb:
    """The figure's ``"Arm"`` or ``"Leg"`` of one side."""
    skeleton = body(height)
    return Limb(*(skeleton.offsets[skeleton.index(f"{side}{part}")] for part in _ENDS[kind]))
