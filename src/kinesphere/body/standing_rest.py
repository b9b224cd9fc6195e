"""A standing rest pose for motions whose skeleton rests in a pose that no body stands in.

Limits, hinges, soles and the body's axes are measured in the rest pose. Many files have a rest pose that shows none of
them: all bones along one axis, a crouch, knees bent backward, arms overhead, all joints at the origin. Their motion
does. ``with_standing_rest`` gives the same motion on a skeleton that rests as a body stands, found in its frames:

- Trunk, neck and clavicles are as they are on the mean of the most upright frames.
- Legs are straight down and arms straight to the sides. Knees and elbows have the hinges about which they bend in the
  motion, so that knees flex backward and elbows forward.
- Feet are level as they are when they are lowest, toes ahead.

Local rotations and translations replace those of the rest pose, so the motion's own arrays stay as they are. It depends
on places and orientations over time alone: joint axes and the given rest pose have no influence. Where the rest pose is
a standing body's and the motion does not contradict its hinges, the motion is returned as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from kinesphere.body.anatomy import UPRIGHT, uprightness, uprightness_over_time
from kinesphere.body.require_roles import LEGS
from kinesphere.maths import kinematics, rotation_curves, rotations
from kinesphere.maths.vectors import Bools, Floats, cross, norms, reject, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

NEEDED = ("hips", "head", *LEGS)
LIMBS = tuple(
    (side, parts) for side in SIDES for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
)
SAMPLES = 160  # frames of a motion that are looked at
VERTICAL = 0.7  # cosine of a trunk's tilt, up to which a rest pose is upright
NEARLY_UPRIGHT = 0.3  # of uprightness below the best, up to which frames show the trunk
FLEXED = float(np.sin(np.radians(20.0)))  # sine of a flexion that shows a hinge
SHOWN = 0.01  # mean squared sine of such flexions from which a motion shows a hinge
STEADY = 0.8  # how well these agree on one axis: the length of their mean; 1: all the same
CONTRADICTED = float(np.cos(np.radians(60.0)))  # cosine of the angle between hinges shown and at rest
LEAST_SAMPLES = 8  # frames that show a hinge, at least
LOCKED = 0.8  # sine of a knee's backward flexion; beyond, that is how it bends
PRIOR = 0.05  # sine of a flexion that counts as much for a hinge as anatomy does
BENT = float(np.cos(np.radians(60.0)))  # cosine of a flexion at rest, from which a limb is not straight
AHEAD = float(np.sin(np.radians(50.0)))  # sine of the angle by which an arm at rest points ahead or back
RAISED = float(np.sin(np.radians(30.0)))  # and up
SHORTEST = 1e-6  # metres of a bone that has a direction
FOOT_PITCH = (float(np.radians(5.0)), float(np.radians(35.0)))  # of the line from ankle to toes in level feet
LEAST_FOOT = 0.08  # of the leg's length, from ankle to toes
LOWEST = 0.1  # of the frames, in which a foot is taken to be level


def with_standing_rest(motion: Motion) -> Motion:
    """The same motion on a skeleton whose rest pose is a standing body's: its own, or one found in its frames."""
    skeleton = standing_skeleton(motion)
    return motion if skeleton is None else replace(motion, skeleton=skeleton)


@memoised
def standing_skeleton(motion: Motion) -> Skeleton | None:
    """The motion's skeleton in a standing rest pose; None where it has one, and where it is no humanoid."""
    skeleton = motion.skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in NEEDED):
        return None
    frames = motion.performed_frames if len(motion.performed_frames) else np.arange(len(motion))
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, SAMPLES).astype(np.intp))]
    sampled = _Samples(skeleton, motion.rotations[frames], motion.translations[frames])
    limbs = [limb for limb in LIMBS if sampled.has_limb(*limb)]
    if uprightness(skeleton, skeleton.rest_world()[1]) > UPRIGHT:
        basis = _body_basis(skeleton, skeleton.rest_world()[1])
        wrong = [limb for limb in limbs if _hides_hinge(skeleton, basis, *limb) or sampled.contradicts_rest(*limb)]
        if not wrong and float(rotations.rotate(basis, [0.0, 1.0, 0.0])[1]) > VERTICAL:
            return None
        return _pose_skeleton(skeleton, skeleton.rest_rotations, skeleton.offsets, sampled, wrong)
    return _pose_skeleton(skeleton, *sampled.mean_pose(), sampled, limbs)


def _pose_skeleton(
    skeleton: Skeleton, local: Floats, offsets: Floats, sampled: _Samples, limbs: Sequence[tuple[str, tuple[str, ...]]]
) -> Skeleton:
    """The skeleton with a rest pose ``(J, 4)``, ``(J, 3)`` turned upright, facing +Z, and limbs put straight."""
    roles, parents = skeleton.roles, skeleton.parents
    q, p = kinematics.forward(local, offsets, parents)
    upright = rotations.conjugate(_body_basis(skeleton, p))
    known = np.zeros(len(skeleton), dtype=np.bool_)
    world = np.zeros((len(skeleton), 4))
    hips = roles["hips"]
    known[hips], world[hips] = True, rotations.multiply(upright, q[hips])
    for side, parts in limbs:
        for part, rotation in zip(parts, sampled.straight_limb(side, parts), strict=True):
            if rotation is not None:
                known[roles[side + part]], world[roles[side + part]] = True, rotation
    for joint, parent in enumerate(parents.tolist()):
        if not known[joint]:
            world[joint] = local[joint] if parent < 0 else rotations.multiply(world[parent], local[joint])
    p = kinematics.place_joints(world[None], np.asarray(offsets), parents)[0]
    for side, parts in limbs:  # rigs for animation may attach hands and feet to the root
        _, lower, end = (roles[side + part] for part in parts)
        p[skeleton.descendants(end)] += p[lower] + rotations.rotate(world[lower], sampled.bone(lower, end)) - p[end]
    rest_rotations, rest_offsets = kinematics.inverse(world, p, parents)
    return replace(skeleton, rest_rotations=rest_rotations, offsets=rest_offsets)


def _body_basis(skeleton: Skeleton, p: Floats) -> Floats:
    """``(..., 4)`` the body's left, up and forward as x, y and z in poses ``(..., J, 3)``."""
    roles = skeleton.roles
    up = unit(p[..., roles["head"], :] - p[..., roles["hips"], :])
    left = np.zeros_like(up)
    for part in ("UpperLeg", "UpperArm"):
        if f"left{part}" in roles and f"right{part}" in roles:
            left = left + unit(p[..., roles[f"left{part}"], :] - p[..., roles[f"right{part}"], :])
    forward = unit(cross(left, up))
    return rotations.from_matrix(np.stack([cross(up, forward), up, forward], axis=-1))


def _hides_hinge(skeleton: Skeleton, basis: Floats, side: str, parts: tuple[str, ...]) -> bool:
    """Whether a limb rests so that its hinge can't be told: an arm that points ahead or up, or is bent."""
    p = skeleton.rest_world()[1]
    start, middle, end = (p[skeleton.roles[side + part]] for part in parts)
    upper, lower = unit(middle - start), unit(end - middle)
    _, up, ahead = rotations.rotate(rotations.conjugate(basis), upper)
    arm = parts[-1] == "Hand"
    return bool(upper @ lower < BENT or (arm and (abs(ahead) > AHEAD or up > RAISED)))


class ShownHinge(NamedTuple):
    """About which axis a limb bends in a motion."""

    axis: Floats  # (3,) in the upper joint's axes; the longer, the more it bends
    clear: bool  # whether the motion shows it clearly


class _FootAxes(NamedTuple):
    """How a foot lies when it is lowest, in its own axes."""

    up: Floats  # (3,) the vertical
    toes: Floats  # (3,) unit direction
    pitch: float  # radians by which toes point down
    shown: bool  # whether the foot has toes that show where ahead is


class _Samples:
    """Some frames of a motion, ``q (T, J, 4)`` and ``p (T, J, 3)`` in the world, in which a body is measured."""

    def __init__(self, skeleton: Skeleton, local: Floats, translations: Floats) -> None:
        self.skeleton, self.local, self.translations = skeleton, local, translations
        self.q, self.p = kinematics.forward(local, translations, skeleton.parents)

    def mean_pose(self) -> tuple[Floats, Floats]:
        """Local rotations ``(J, 4)`` and translations ``(J, 3)``, the mean of the most upright frames."""
        rows = self._upright
        return rotation_curves.mean_rotation(self.local[rows]), np.asarray(self.translations[rows].mean(axis=0))

    @cached_property
    def _upright(self) -> Bools:
        """``(T,)`` frames that are about as upright as any."""
        score = uprightness_over_time(self.skeleton, self.p)
        return np.asarray(score >= score.max() - NEARLY_UPRIGHT)

    @cached_property
    def _basis(self) -> Floats:
        """``(T', 4)`` the body's axes in the upright frames."""
        return _body_basis(self.skeleton, self.p[self._upright])

    def bone(self, joint: int, child: int) -> Floats:
        """``(3,)`` from a joint to another one, in the joint's axes, on the mean."""
        return np.asarray(self._in_axes(joint, self.p[:, child] - self.p[:, joint]).mean(axis=0))

    def _in_axes(self, joint: int, vectors: Floats) -> Floats:
        return rotations.rotate(rotations.conjugate(self.q[:, joint]), vectors)

    def has_limb(self, side: str, parts: tuple[str, ...]) -> bool:
        """Whether the body has a limb, with bones of some length in every frame."""
        joints = [self.skeleton.roles.get(side + part, -1) for part in parts]
        bones = self.p[:, joints[1:]] - self.p[:, joints[:-1]]
        return min(joints) >= 0 and bool(norms(bones).min() > SHORTEST)

    def shown_hinge(self, side: str, parts: tuple[str, ...]) -> ShownHinge:
        """How an elbow or knee bends: the mean of its axes, those in which it is bent more counting more."""
        upper, lower, end = (self.skeleton.roles[side + part] for part in parts)
        normal = cross(unit(self.p[:, lower] - self.p[:, upper]), unit(self.p[:, end] - self.p[:, lower]))
        sine = norms(normal)
        axes = self._in_axes(upper, normal) * sine[:, None]
        if parts[-1] == "Foot":  # captures lock knees backward; the body shows to which side they flex
            axes[(axes @ self.usual_hinge(side, parts) < 0.0) & (sine < LOCKED)] *= -1.0
        mean, weight = axes.mean(axis=0), float(norms(axes[sine > FLEXED]).sum()) / len(axes)
        clear = len(axes) >= LEAST_SAMPLES and weight > SHOWN and float(norms(mean)) > STEADY * weight
        return ShownHinge(mean, clear)

    def usual_hinge(self, side: str, parts: tuple[str, ...]) -> Floats:
        """``(3,)`` the hinge by anatomy, in the upper joint's axes: knees flex backward and elbows forward."""
        upper, lower, end = (self.skeleton.roles[side + part] for part in parts)
        q, p, basis = self.q[self._upright], self.p[self._upright], self._basis
        line = unit(unit(p[:, lower] - p[:, upper]) + unit(p[:, end] - p[:, lower]))
        if parts[-1] == "Hand":
            usual = cross(line, rotations.rotate(basis, [0.0, 0.0, 1.0]))
        else:  # between the body's left and what is left of the toes
            toes = rotations.rotate(q[:, end], self._foot_axes[side].toes)
            usual = rotations.rotate(basis, [1.0, 0.0, 0.0]) + unit(cross(toes, line))
        return np.asarray(rotations.rotate(rotations.conjugate(q[:, upper]), usual).mean(axis=0))

    def hinge(self, side: str, parts: tuple[str, ...]) -> Floats:
        """``(3,)`` the hinge of an elbow or knee in the upper joint's axes: as it bends, and a little by anatomy."""
        return unit(self.shown_hinge(side, parts).axis + PRIOR**2 * self.usual_hinge(side, parts))

    def contradicts_rest(self, side: str, parts: tuple[str, ...]) -> bool:
        """Whether a limb clearly bends about another axis than its rest pose says."""
        found = self.shown_hinge(side, parts)
        if not found.clear:
            return False
        upper, lower, _ = (self.skeleton.roles[side + part] for part in parts)
        q, p = self.skeleton.rest_world()
        ahead = rotations.rotate(_body_basis(self.skeleton, p), [0.0, 0.0, 1.0])
        at_rest = unit(cross(p[lower] - p[upper], ahead if parts[-1] == "Hand" else -ahead))
        return bool(rotations.rotate(q[upper], unit(found.axis)) @ at_rest < CONTRADICTED)

    def straight_limb(self, side: str, parts: tuple[str, ...]) -> tuple[Floats, Floats, Floats | None]:
        """World rotations ``(4,)`` of a limb's joints, straight, on a body that is upright and faces +Z.

        A hand has none of its own: it goes along with the forearm.
        """
        upper, lower, end = (self.skeleton.roles[side + part] for part in parts)
        outward = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        ahead = np.array([0.0, 0.0, 1.0])
        leg = parts[-1] == "Foot"
        bone = np.array([0.0, -1.0, 0.0]) if leg else outward
        axis = cross(bone, -ahead if leg else ahead)
        own = _frame(self.bone(upper, lower), self.hinge(side, parts))
        above = rotations.multiply(_frame(bone, axis), rotations.conjugate(own))
        # The lower bone, bent back until it is in line with the upper one, is twisted against it by so much.
        a, b = self.p[:, lower] - self.p[:, upper], self.p[:, end] - self.p[:, lower]
        unbent = rotations.multiply(rotations.rotation_between(b, a), self.q[:, lower])
        twist = rotation_curves.mean_rotation(
            rotations.multiply(rotations.conjugate(self.q[:, upper]), unbent)[:, None]
        )[0]
        return above, rotations.multiply(above, twist), self._level_foot(side) if leg else None

    def _level_foot(self, side: str) -> Floats:
        """The world rotation ``(4,)`` of a foot that is level, its toes ahead."""
        up, bone, _, shown = self._foot_axes[side]
        if shown:  # who stands on tiptoe shows no level foot; the other one may
            level = float(np.clip(min(foot.pitch for foot in self._foot_axes.values()), *FOOT_PITCH))
            up = np.cos(level) * unit(reject(up, bone)) - np.sin(level) * bone
        ahead = _frame(np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))
        return rotations.multiply(ahead, rotations.conjugate(_frame(reject(bone, up), up)))

    @cached_property
    def _foot_axes(self) -> dict[str, _FootAxes]:
        """By side, how feet lie when they are lowest."""
        axes = {}
        for side in SIDES:
            foot, toes = self.skeleton.roles[f"{side}Foot"], self.skeleton.roles.get(f"{side}Toes")
            height = self.p[:, foot, 1]
            down = height <= np.quantile(height, LOWEST)
            up = unit(self._in_axes(foot, np.broadcast_to([0.0, 1.0, 0.0], (len(height), 3)))[down].mean(axis=0))
            tips = [np.array(tip.offset) for tip in self.skeleton.tips if tip.joint == foot]
            bone = self.bone(foot, toes) if toes is not None else tips[0] if tips else np.zeros(3)
            shown = float(norms(bone)) > LEAST_FOOT * self._leg_length
            if not shown:
                ahead = rotations.rotate(_body_basis(self.skeleton, self.p[down]), [0.0, 0.0, 1.0])
                bone = reject(rotations.rotate(rotations.conjugate(self.q[down, foot]), ahead).mean(axis=0), up)
            pitch = float(np.arcsin(np.clip(-unit(bone) @ up, -1.0, 1.0)))
            axes[side] = _FootAxes(up, unit(bone), pitch, shown)
        return axes

    @property
    def _leg_length(self) -> float:
        """Metres of thigh and shin, the mean of both legs."""
        joints = np.array([self.skeleton.roles[role] for role in LEGS]).reshape(2, 3)
        return float(norms(np.diff(self.p[:, joints], axis=2)).sum(axis=-1).mean())


def _frame(bone: Floats, axis: Floats) -> Floats:
    """``(4,)`` the frame along a bone, with an axis across it."""
    along = unit(bone)
    across = reject(axis, along)
    across = unit(across) if norms(across) > 1e-6 else rotations.perpendicular(along)
    return rotations.from_matrix(np.stack([along, across, cross(along, across)], axis=1))
