"""Trunk and shoulder IK by damped least squares: for targets beyond the arm's reach, and for the head.

Each joint of a chain rotates a little, those with the longer lever more: the solution with the least sum of squared
angles (damped least squares; Levenberg 1944, Marquardt 1963), found by linearising step by step. How far a body goes
for a hand is bounded: it assists a little, it does not throw itself at the target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kinesphere.body.limits import NEEDED, TRUNK, body_axes
from kinesphere.body.reach.limb import LimbChain, comfortable_reach, side_and_part
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Bools, Floats, Ints, cross, norms
from kinesphere.motion.skeleton import Skeleton

TRUNK_ANGLE = float(np.radians(20.0))  # that the whole trunk rotates for a hand
SHOULDER_ANGLE = float(np.radians(12.0))  # that a shoulder rotates
SHOULDER_WEIGHT = 4.0  # of a shoulder's rotation beside that of a joint of the spine
# For the head the whole spine rotates as far as its limits: forward, back, aside, about itself.
HEAD_TRUNK_ANGLES = (TRUNK.flexion[1], -TRUNK.flexion[0], TRUNK.side[1], TRUNK.twist[1])
NECK_ANGLE = float(np.radians(30.0))
HIP_DISTANCE = 0.12  # metres that hips go along with a head, at most
HIP_WEIGHT = 0.02  # square metres: weight of that beside the squared levers of the trunk
ROUNDS = 96  # most, of linearising: arms and head that pull against each other come together slowly
CLOSE, EXACT = 1e-5, 1e-8  # metres within which an arm's reach is enough, and a head is at its target
LEAST_GAIN = 2e-4  # metres: a smaller one is not worth another round
DAMPING, LEAST_DAMPING = 1e-3, 1e-9  # square metres, first and least


# Chains


class AssistChain(NamedTuple):
    """The joints that carry another one, from the trunk's first outwards, and how far each may rotate."""

    joints: tuple[int, ...]
    limits: Floats  # (N, 4) radians: forward, back, aside and about itself
    weights: Floats  # (N,) of their rotations: a joint with twice the weight rotates twice as far
    tip: int  # the joint that they carry


def arm_chain(skeleton: Skeleton, end: str) -> AssistChain:
    """What carries an arm: the joints from above the hips to the shoulder."""
    side, _ = side_and_part(end)
    tip = skeleton.roles[f"{side}UpperArm"]
    joints = _carriers(skeleton, tip)
    shoulder = skeleton.roles.get(f"{side}Shoulder")
    spine = joints.index(shoulder) if shoulder in joints else len(joints)
    limits = [TRUNK_ANGLE / max(spine, 1)] * spine + [SHOULDER_ANGLE] * (len(joints) - spine)
    weights = [1.0] * spine + [SHOULDER_WEIGHT] * (len(joints) - spine)
    return AssistChain(joints, np.tile(np.array(limits)[:, None], 4), np.array(weights), tip)


def head_chain(skeleton: Skeleton) -> AssistChain:
    """What carries the head: spine and neck."""
    tip = skeleton.roles["head"]
    joints = _carriers(skeleton, tip)
    arms = {j for side in ("left", "right") for j in _carriers(skeleton, skeleton.roles.get(f"{side}UpperArm", -1))}
    neck = [joint for joint in joints if arms and joint not in arms]
    spine = len(joints) - len(neck)
    limits = np.full((len(joints), 4), NECK_ANGLE / max(len(neck), 1))
    limits[:spine] = np.array(HEAD_TRUNK_ANGLES) / max(spine, 1)
    return AssistChain(joints, limits, np.ones(len(joints)), tip)


def _carriers(skeleton: Skeleton, joint: int) -> tuple[int, ...]:
    """The joints from just above the hips to a joint's parent; none where it is no descendant of the hips."""
    hips = skeleton.roles.get("hips", skeleton.roots[0])
    chain: list[int] = []
    above = int(skeleton.parents[joint]) if joint >= 0 else -1
    while above not in (hips, -1):
        chain.insert(0, above)
        above = int(skeleton.parents[above])
    return tuple(chain) if above == hips else ()


# Assistance


class ReachTarget(NamedTuple):
    """Where a hand or the head should be, in some frames of a motion."""

    position: Floats  # (T, 3) position in the world
    active: Bools  # (T,) in which frames there is a target


class Assist(NamedTuple):
    """How the body assists."""

    turns: dict[int, Floats]  # by joint, rotation vectors (T, 3) in the parent's axes
    hips: Floats  # (T, 3) metres by which hips go along, in the world


def assist_with_trunk(
    skeleton: Skeleton,
    local: Floats,
    translations: Floats,
    hands: Mapping[str, tuple[LimbChain, ReachTarget]],
    head: ReachTarget | None = None,
    allowed: Bools | None = None,
    hips_free: Bools | None = None,
) -> Assist:
    """Rotate joints of the trunk, and move hips, so that targets come within reach of the arms.

    Parameters
    ----------
    local, translations : (T, J, 4), (T, J, 3)
        Poses: local rotations and translations.
    hands
        By role, the arm and where its hand should be: its shoulder comes so near that the arm reaches there with ease.
    head
        Where the head's joint should be.
    allowed : (J,)
        Joints that may rotate; None: all.
    hips_free : (T,)
        Frames in which hips may go along with the head; None: none.
    """
    arms = [(arm_chain(skeleton, end), limb, target) for end, (limb, target) in hands.items()]
    reaches = _easy_reaches(skeleton, local, translations, [limb for _, limb, _ in arms])
    near = [
        (norms(target.position - shoulder) <= reach) | ~target.active
        for (_, _, target), (reach, shoulder) in zip(arms, reaches, strict=True)
    ]
    if head is None and np.all(near):
        return Assist({}, np.zeros((len(local), 3)))
    neck = None if head is None else head_chain(skeleton)
    chains = [chain for chain, _, _ in arms] + ([neck] if neck else [])
    body = _AssistedBody(skeleton, local, translations, chains, allowed, hips_free)
    rounds_without_gain = 0
    for _ in range(ROUNDS):
        gained = False
        for (chain, _, target), (reach, _) in zip(arms, reaches, strict=True):
            line = target.position - body.position(chain.tip)
            distance = norms(line)
            short = np.where(target.active, np.maximum(distance - reach, 0.0), 0.0)
            if (short > CLOSE).any():
                gained |= body.pull(chain, line / np.maximum(distance, 1e-9)[:, None], short)
        if head is not None and neck is not None:
            gained |= body.move_tip_towards(neck, head.position, head.active)
        rounds_without_gain = 0 if gained else rounds_without_gain + 1
        if rounds_without_gain == 2:  # joints at their limits sit out every other round
            break
    return Assist(body.rotation_vectors(), body.hip_offset)


def _easy_reaches(
    skeleton: Skeleton, local: Floats, translations: Floats, limbs: Sequence[LimbChain]
) -> list[tuple[Floats, Floats]]:
    """For each arm how far it reaches with ease ``(T,)``, and from where ``(T, 3)``."""
    if not limbs:
        return []
    _, p = kinematics.forward(local, translations, skeleton.parents)
    return [(comfortable_reach(limb, p), p[:, limb.upper]) for limb in limbs]


# Iteration


class _AssistedBody:
    """The joints that take part, with all their ancestors, rotated step by step.

    A joint that was stopped by its limit sits out the next step, or the others would go on counting on its share.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        local: Floats,
        translations: Floats,
        chains: Sequence[AssistChain],
        allowed: Bools | None,
        hips_free: Bools | None,
    ) -> None:
        own: set[int] = set()
        for chain in chains:
            joint = chain.tip
            while joint >= 0:
                own.add(joint)
                joint = int(skeleton.parents[joint])
        self.joints = sorted(own)
        self.row = {joint: i for i, joint in enumerate(self.joints)}
        self.parents: Ints = np.array([self.row.get(int(skeleton.parents[joint]), -1) for joint in self.joints])
        self.given, self.translations = local[:, self.joints], translations[:, self.joints]
        self.rows = {chain.tip: [self.row[joint] for joint in chain.joints] for chain in chains}
        self.axes, self.limits = _clinical_axes(skeleton, self.joints), np.zeros((len(self.joints), 4))
        for chain in chains:
            rows = self.rows[chain.tip]
            self.limits[rows] = np.maximum(self.limits[rows], chain.limits)
        if allowed is not None:
            self.limits[~allowed[self.joints]] = 0.0
        frames = len(local)
        self.vectors = np.zeros((frames, len(self.joints), 3))  # rotation vectors so far, in the parents' axes
        self.stopped = np.zeros((frames, len(self.joints)), dtype=bool)
        self.hip_offset, self.hips_stopped = np.zeros((frames, 3)), np.zeros(frames, dtype=bool)
        self.hips_free = np.zeros(frames, dtype=bool) if hips_free is None else hips_free
        self.damping = np.full(frames, DAMPING)
        self._update_world()

    def _update_world(self) -> None:
        local = rotations.multiply(rotations.from_rotation_vector(self.vectors), self.given)
        self.q, self.p = kinematics.forward(local, self.translations, self.parents)

    def position(self, joint: int) -> Floats:
        """``(T, 3)`` where a joint is."""
        return np.asarray(self.p[:, self.row[joint]] + self.hip_offset)

    def rotation_vectors(self) -> dict[int, Floats]:
        """By joint, the rotation vectors ``(T, 3)`` so far, where there are any."""
        rotated = np.asarray(self.vectors.any(axis=(0, 2)))
        return {joint: self.vectors[:, i] for i, joint in enumerate(self.joints) if rotated[i]}

    def _levers(self, chain: AssistChain) -> Floats:
        """``(T, N, 3)`` from the joints of a chain to its tip; zero for joints that sit this step out."""
        rows = self.rows[chain.tip]
        return np.where(self.stopped[:, rows, None], 0.0, self.p[:, [self.row[chain.tip]]] - self.p[:, rows])

    def pull(self, chain: AssistChain, direction: Floats, distance: Floats) -> bool:
        """Rotate a chain so that its tip moves a distance ``(T,)`` in a direction ``(T, 3)``; whether it moved at all.

        The Jacobian's rows are lever × direction; their weighted pseudoinverse is the smallest rotation.
        """
        jacobian = cross(self._levers(chain), direction[:, None])
        weighted = jacobian * chain.weights[:, None]
        gain = np.einsum("tji,tji->t", jacobian, weighted)
        before = self.position(chain.tip)
        self._rotate(chain, weighted * (distance / np.maximum(gain, 1e-6))[:, None, None])
        moved = np.einsum("ti,ti->t", self.position(chain.tip) - before, direction)
        return bool((moved > LEAST_GAIN).any())

    def move_tip_towards(self, chain: AssistChain, target: Floats, asked: Bools) -> bool:
        """Rotate a chain so that its tip comes nearer to a target ``(T, 3)``; whether more can be gained.

        One step of Levenberg and Marquardt: damping falls after a step that helped and grows after one that did not,
        which is undone.
        """
        error = np.where(asked[:, None], target - self.position(chain.tip), 0.0)
        distance = norms(error)
        if (distance < EXACT).all():
            return False
        levers, hips = self._levers(chain), np.where(self.hips_free & ~self.hips_stopped, HIP_WEIGHT, 0.0)
        # J Jᵀ of rotations θ that move the tip by θ × lever: the sum of |lever|² I − lever leverᵀ.
        diagonal = (np.einsum("tji,tji->t", levers, levers) + self.damping + hips)[:, None, None] * np.eye(3)
        force = np.linalg.solve(diagonal - np.einsum("tji,tjk->tik", levers, levers), error[..., None])[..., 0]
        vectors, hip_offset = self.vectors, self.hip_offset
        self._move_hips(hips[:, None] * force)
        self._rotate(chain, cross(levers, force[:, None]))
        gain = distance - norms(np.where(asked[:, None], target - self.position(chain.tip), 0.0))
        worse = gain <= 0.0
        self.damping = np.maximum(self.damping * np.where(worse, 10.0, 0.2), LEAST_DAMPING)
        if worse.any():
            self.vectors = np.where(worse[:, None, None], vectors, self.vectors)
            self.hip_offset = np.where(worse[:, None], hip_offset, self.hip_offset)
            self._update_world()
        return bool((((gain > 1e-4 * distance) | worse) & (distance > EXACT) & (self.damping < 10.0)).any())

    def _move_hips(self, step: Floats) -> None:
        """Move hips by a step ``(T, 3)``, no farther than they may."""
        new = self.hip_offset + step
        kept = np.minimum(1.0, HIP_DISTANCE / np.maximum(norms(new), 1e-12))
        self.hips_stopped, self.hip_offset = (kept < 1.0) & ~self.hips_stopped, new * kept[:, None]

    def _rotate(self, chain: AssistChain, steps: Floats) -> None:
        """Rotate the joints of a chain by rotation vectors ``(T, N, 3)`` in the world, none farther than it may."""
        rows = self.rows[chain.tip]
        # A chain begins above the hips, so all of its joints have a parent.
        local = rotations.rotate(rotations.conjugate(self.q[:, self.parents[rows]]), steps)
        old = rotations.from_rotation_vector(self.vectors[:, rows])
        new = rotations.to_rotation_vector(rotations.multiply(rotations.from_rotation_vector(local), old))
        kept = self._share_within_limits(rows, new)
        self.stopped[:, rows] = (kept < 1.0) & ~self.stopped[:, rows]
        self.vectors = self.vectors.copy()
        self.vectors[:, rows] = new * kept[..., None]
        self._update_world()

    def _share_within_limits(self, rows: list[int], vectors: Floats) -> Floats:
        """``(T, N)`` the share of rotation vectors ``(T, N, 3)`` that is within the joints' limits, an ellipsoid."""
        parts = np.einsum("nij,tnj->tni", self.axes[rows], vectors)
        forward, back, aside, about = self.limits[rows].T
        bounds = np.stack(np.broadcast_arrays(np.where(parts[..., 0] > 0.0, forward, back), aside, about), axis=-1)
        excess = norms(parts / np.maximum(bounds, 1e-12))
        return np.where(self.limits[rows].any(axis=1), 1.0 / np.maximum(excess, 1.0), 0.0)


def _clinical_axes(skeleton: Skeleton, joints: Sequence[int]) -> Floats:
    """``(N, 3, 3)`` the axes of forward flexion, side bend and twist of joints, in their parents' axes at rest."""
    up, left, ahead = np.eye(3)[[1, 0, 2]]
    if all(role in skeleton.roles for role in NEEDED):
        up, left, ahead = body_axes(skeleton)
    rest = skeleton.rest_world()[0]
    parents = [
        rest[skeleton.parents[joint]] if skeleton.parents[joint] >= 0 else rotations.identity() for joint in joints
    ]
    return rotations.rotate(rotations.conjugate(np.array(parents))[:, None], np.stack([left, ahead, up]))
