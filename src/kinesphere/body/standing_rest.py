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
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere.body.anatomy import UPRIGHT, uprightness, uprightness_over_time
from kinesphere.body.require_roles import LEGS
from kinesphere.maths import kinematics, rotation_curves, rotations
from kinesphere.maths.vectors import Bools, Floats, cross, norms, reject, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton

Limb: TypeAlias = tuple[str, tuple[str, str, str]]  # side, and parts from the trunk outwards

NEEDED = ("hips", "head", *LEGS)
LIMBS: tuple[Limb, ...] = tuple(
    (side, parts) for side in SIDES for parts in (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
)
SAMPLES, FEW = 160, 48  # frames of a motion in which a body is measured, and in which it contradicts its rest pose
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
    rest = _read_rest(motion.skeleton)
    if rest is None:
        return None
    skeleton, wrong = motion.skeleton.with_found_roles(), list(LIMBS)
    if rest.stands:
        wrong = [*rest.hidden, *_contradicted(rest, skeleton, *_some_frames(motion, FEW))]
        if not wrong and rest.vertical:
            return None
    sampled = _Samples(skeleton, *_some_frames(motion, SAMPLES))
    pose = (skeleton.rest_rotations, skeleton.offsets) if rest.stands else sampled.mean_pose()
    return _pose_skeleton(skeleton, *pose, sampled, [limb for limb in wrong if sampled.has_limb(*limb)])


def _some_frames(motion: Motion, most: int) -> tuple[Floats, Floats]:
    """Local rotations and translations of so many performed frames, evenly over the motion."""
    frames = motion.performed_frames if len(motion.performed_frames) else np.arange(len(motion))
    frames = frames[np.unique(np.linspace(0, len(frames) - 1, most).astype(np.intp))]
    return motion.rotations[frames], motion.translations[frames]


class _Rest(NamedTuple):
    """What a skeleton's rest pose shows of a body."""

    stands: bool  # whether it is a standing body's, maybe lying down
    vertical: bool  # whether it is upright
    hidden: list[Limb]  # limbs whose hinge can't be told from it
    shown: list[Limb]  # the others
    hinges: Floats  # (L, 3) the hinges of those, in the upper joints' axes


@memoised
def _read_rest(skeleton: Skeleton) -> _Rest | None:
    """The rest pose of a humanoid; None for another body."""
    skeleton = skeleton.with_found_roles()
    if not all(role in skeleton.roles for role in NEEDED):
        return None
    q, p = skeleton.rest_world()
    if uprightness(skeleton, p) <= UPRIGHT:
        return _Rest(False, False, [], [], np.empty((0, 3)))
    basis = _body_basis(skeleton, p)
    ahead, hidden, shown, hinges = rotations.rotate(basis, [0.0, 0.0, 1.0]), list[Limb](), list[Limb](), list[Floats]()
    for side, parts in LIMBS:
        if not all(side + part in skeleton.roles for part in parts):
            continue
        joints = [skeleton.roles[side + part] for part in parts]
        if norms(np.diff(p[joints], axis=0)).min() <= SHORTEST:
            continue
        if _hides_hinge(p[joints], basis, arm=parts[-1] == "Hand"):
            hidden.append((side, parts))
            continue
        upper, lower, _ = joints
        axis = unit(cross(p[lower] - p[upper], ahead if parts[-1] == "Hand" else -ahead))
        shown.append((side, parts))
        hinges.append(rotations.rotate(rotations.conjugate(q[upper]), axis))
    vertical = bool(rotations.rotate(basis, [0.0, 1.0, 0.0])[1] > VERTICAL)
    return _Rest(True, vertical, hidden, shown, np.array(hinges).reshape(-1, 3))


def _hides_hinge(p: Floats, basis: Floats, *, arm: bool) -> bool:
    """Whether a limb ``(3, 3)`` rests so that its hinge can't be told: an arm that points ahead or up, or is bent."""
    upper, lower = unit(p[1] - p[0]), unit(p[2] - p[1])
    _, up, ahead = rotations.rotate(rotations.conjugate(basis), upper)
    return bool(upper @ lower < BENT or (arm and (abs(ahead) > AHEAD or up > RAISED)))


def _contradicted(rest: _Rest, skeleton: Skeleton, local: Floats, translations: Floats) -> list[Limb]:
    """Limbs that clearly bend about another axis, in these frames, than the rest pose says."""
    if not rest.shown or len(local) < LEAST_SAMPLES:
        return []
    q, p = kinematics.forward(local, translations, skeleton.parents)
    joints = np.array([[skeleton.roles[side + part] for part in parts] for side, parts in rest.shown])
    bones = unit(np.diff(p[:, joints], axis=2))
    normal = cross(bones[:, :, 0], bones[:, :, 1])
    sine = norms(normal)
    axes = (
        rotations.rotate(rotations.conjugate(q[:, joints[:, 0]]), normal)
        * np.where(sine > FLEXED, sine, 0.0)[..., None]
    )
    along = np.einsum("tli,li->tl", axes, rest.hinges)
    legs = np.array([parts[-1] == "Foot" for _, parts in rest.shown])
    locked = legs & (along < 0.0) & (sine < LOCKED)  # captures lock knees backward
    axes[locked] *= -1.0
    mean, weight = axes.mean(axis=0), norms(axes).mean(axis=0)
    clear = (weight > SHOWN) & (norms(mean) > STEADY * weight)
    wrong = clear & (np.einsum("li,li->l", mean, rest.hinges) < CONTRADICTED * norms(mean))
    return [limb for limb, other in zip(rest.shown, wrong, strict=True) if other]


def _pose_skeleton(
    skeleton: Skeleton, local: Floats, offsets: Floats, sampled: _Samples, limbs: Sequence[Limb]
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
        return np.asarray(score >= score.max() - NEARLY_UPRIGHT - 1e-9)

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
        """``(3,)`` the hinge of an elbow or knee in the upper joint's axes.

        The mean of how it bends, where it is bent more counting more, and a little of anatomy.
        """
        upper, lower, end = (self.skeleton.roles[side + part] for part in parts)
        normal = cross(unit(self.p[:, lower] - self.p[:, upper]), unit(self.p[:, end] - self.p[:, lower]))
        sine, usual = norms(normal), self.usual_hinge(side, parts)
        axes = self._in_axes(upper, normal) * sine[:, None]
        if parts[-1] == "Foot":  # captures lock knees backward; the body shows to which side they flex
            axes[(axes @ usual < 0.0) & (sine < LOCKED)] *= -1.0
        return unit(axes.mean(axis=0) + PRIOR**2 * usual)

    def straight_limb(self, side: str, parts: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
        """World rotations ``(4,)`` of a limb's joints, straight, on a body that is upright and faces +Z."""
        upper, lower, end = (self.skeleton.roles[side + part] for part in parts)
        ahead, leg = np.array([0.0, 0.0, 1.0]), parts[-1] == "Foot"
        bone = np.array([0.0, -1.0, 0.0] if leg else [1.0 if side == "left" else -1.0, 0.0, 0.0])
        own = _frame(self.bone(upper, lower), self.hinge(side, parts))
        above = rotations.multiply(_frame(bone, cross(bone, -ahead if leg else ahead)), rotations.conjugate(own))
        # The lower bone, bent back until it is in line with the upper one, is twisted against it by so much.
        a, b = self.p[:, lower] - self.p[:, upper], self.p[:, end] - self.p[:, lower]
        unbent = rotations.multiply(rotations.rotation_between(b, a), self.q[:, lower])
        below = rotations.multiply(above, _mean_relative(self.q[:, upper], unbent))
        if leg:
            return above, below, self._level_foot(side)
        rows = self._upright
        return above, below, rotations.multiply(below, _mean_relative(self.q[rows, lower], self.q[rows, end]))

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
            down = height <= np.quantile(height, LOWEST) + SHORTEST
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


def _mean_relative(above: Floats, below: Floats) -> Floats:
    """``(4,)`` the mean of rotations ``below (T, 4)`` as seen from ``above (T, 4)``."""
    relative = rotations.multiply(rotations.conjugate(above), below)
    return np.asarray(rotation_curves.mean_rotation(relative[:, None])[0])


def _frame(bone: Floats, axis: Floats) -> Floats:
    """``(4,)`` the frame along a bone, with an axis across it."""
    along = unit(bone)
    across = reject(axis, along)
    across = unit(across) if norms(across) > 1e-6 else rotations.perpendicular(along)
    return rotations.from_matrix(np.stack([along, across, cross(along, across)], axis=1))
