"""Gestures on any body: the figure's joints in a body's proportions, and poses of these put on its own joints.

The engine acts on the figure's joints. ``embody`` gives them a body's proportions: bones as long as the body's, hips,
shoulders, spine and neck where the body has them. What a body lacks coincides with what it has, so that no rotation
moves anything that the body cannot move: missing clavicles lie at the shoulders, a missing neck at the head, spine
joints at the next one below. Feet and hands then reach the same places on both, whatever axes and whatever rest pose
the body's file gives its joints.

Poses pass through anatomical frames (``body.anatomy``): for each joint, the world rotation of the figure's joint times
a constant.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinesphere.body.anatomy import find_anatomy, shoulder_position
from kinesphere.body.body import Body
from kinesphere.body.clear_hands import clear_hands
from kinesphere.engine.pose import Actor, figure_skeleton
from kinesphere.engine.proportions import HEIGHT, as_triple
from kinesphere.maths import kinematics, rotations
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.humanoid import FINGERS, SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip
from kinesphere.motion.source import Source

SPINE = ("spine", "spine2", "chest", "upperChest")  # the figure's
STANDING = 0.9  # cosine of the lean from hips to head up to which a body stands
LIMBS = (("UpperArm", "LowerArm", "Hand"), ("UpperLeg", "LowerLeg", "Foot"))
BONES = (("UpperArm", "LowerArm"), ("LowerArm", "Hand"), ("UpperLeg", "LowerLeg"), ("LowerLeg", "Foot"))


@dataclass(frozen=True, eq=False)
class Embodiment:
    """A body as the engine acts on it, and what puts its poses on the body's own joints."""

    body: Body
    actor: Actor
    joints: Ints  # (J,) of each joint of the body the actor's, or -1: it is at rest on its parent
    frames: Floats  # (J, 4) world rotation of a joint: that of the actor's times this

    @property
    def is_figure(self) -> bool:
        """Whether the body has the figure's own joints, so that poses need not be put on others."""
        return self.actor.skeleton is self.body.skeleton

    @property
    def detached(self) -> tuple[int, ...]:
        """Hands and feet that are no descendants of the bone before them: they are moved by themselves."""
        roles, skeleton = self.body.roles, self.body.skeleton
        ends = [(roles[side + lower], roles[side + end]) for side in SIDES for _, lower, end in LIMBS]
        return tuple(end for lower, end in ends if end not in skeleton.descendants(lower))

    @property
    def is_thick(self) -> bool:
        """Whether the body is thicker than any person's, so that hands are kept out of it."""
        return self.body.volumes is not None and self.body.volumes.is_thick

    def put_on(self, motion: Motion, stay: Floats | None = None) -> Motion:
        """The actor's motion on the body's skeleton; ``stay (T, 2)`` is how far hands are where they have to be."""
        if self.is_figure:
            return motion
        skeleton = self.body.skeleton
        world, places = motion.world()
        made = np.empty((len(motion), len(skeleton), 4))
        known = self.joints >= 0
        made[:, known] = rotations.multiply(world[:, self.joints[known]], self.frames[known])
        kinematics.complete_rotations(made, known, skeleton.rest_rotations, skeleton.parents)
        positions = self._place(made, places)
        if self._clear_hands(made, positions, motion.rate, stay):
            kinematics.complete_rotations(made, known, skeleton.rest_rotations, skeleton.parents)
            positions = self._place(made, places)
        local, translations = kinematics.inverse(made, positions, skeleton.parents)
        scales = None if motion.scales is None else self._scales(motion.scales)
        source = Source(evidence=(self.body.lacking,) if self.body.lacking else ())
        return Motion(
            skeleton, motion.rate, rotations.continuous(local), translations, scales, name=motion.name, source=source
        )

    def _clear_hands(self, world: Floats, positions: Floats, rate: float, stay: Floats | None) -> bool:
        """Keep hands out of a body that is thicker than any person's; gives whether any was moved."""
        if not self.is_thick:
            return False
        assert self.body.volumes is not None
        return bool(clear_hands(self.body.volumes, self.body.anatomy, world, positions, rate, stay).any())

    def _place(self, world: Floats, places: Floats) -> Floats:
        """Positions ``(T, J, 3)`` of the body's joints; its hips, and what is detached, are where the actor's are."""
        skeleton = self.body.skeleton
        positions = kinematics.place_joints(world, skeleton.offsets, skeleton.parents)
        for joint in (self.body.roles["hips"], *self.detached):  # what carries the hips stays where it is
            own = skeleton.descendants(joint)
            positions[:, own] += (places[:, self.joints[joint]] - positions[:, joint])[:, None]
        return positions

    def _scales(self, scales: Floats) -> Floats | None:
        """The actor's surface scales ``(T, J, 3)`` on the body's joints.

        A scale along a joint's axes is a symmetric matrix. In other axes its diagonal is this; what is off it is lost.
        """
        made = np.ones((len(scales), len(self.body.skeleton), 3))
        for joint in np.flatnonzero(self.joints >= 0):
            given = scales[:, self.joints[joint]]
            if not (given == 1.0).all():
                made[:, joint] = given @ rotations.to_matrix(self.frames[joint]) ** 2
        return None if (made == 1.0).all() else made


@memoised
def embody(body: Body) -> Embodiment:
    """The figure's joints in a body's proportions."""
    figure = figure_skeleton(HEIGHT)
    size = _figure_size(body.skeleton, figure)
    if size is not None:
        own = np.arange(len(figure)), rotations.identity(len(figure))
        return Embodiment(body, Actor(body.skeleton, size, size, size), *own)
    sizes = _sizes(body, figure)
    spine = spread_spine(body)
    offsets, ankle = _offsets(body, figure, spine, sizes)
    soles = {f"{side}Foot": ankle for side in SIDES}
    tips = tuple(
        Tip(
            tip.joint,
            as_triple(sizes["Leg" if "Toes" in figure.names[tip.joint] else "Arm"] * np.array(tip.offset)),
        )
        for tip in figure.tips
    )
    skeleton = Skeleton(figure.names, figure.parents, offsets, roles=dict(figure.roles), tips=tips, soles=soles)
    inward = _half_width(skeleton) / _half_width(figure)
    joints, frames = _frames(body, skeleton, spine)
    skeleton = _with_index_fingers(body, skeleton, frames)
    actor = Actor(skeleton, sizes["Leg"], sizes["Arm"], inward, _face_shift(body, skeleton, figure, sizes["Arm"]))
    return Embodiment(body, actor, joints, frames)


def _with_index_fingers(body: Body, skeleton: Skeleton, frames: Floats) -> Skeleton:
    """The actor's joints with the body's own index fingers: what points on one has to point there on the other."""
    offsets = skeleton.offsets.copy()
    own_tips = {tip.joint: np.array(tip.offset) for tip in body.skeleton.tips}
    tips = {tip.joint: tip for tip in skeleton.tips}
    for side in SIDES:
        parts = [f"{side}Index{part}" for part in ("Proximal", "Intermediate", "Distal")]
        if not all(part in body.roles for part in parts):
            continue
        for above, below in itertools.pairwise(parts):
            joint, own = body.roles[above], body.roles[below]
            if body.skeleton.parents[own] == joint:
                offsets[skeleton.index(below)] = rotations.rotate(frames[joint], body.skeleton.offsets[own])
        last, own = skeleton.index(parts[-1]), body.roles[parts[-1]]
        if own in own_tips:
            tips[last] = Tip(last, as_triple(rotations.rotate(frames[own], own_tips[own])))
    return replace(skeleton, offsets=offsets, tips=tuple(tips.values()))


def _figure_size(skeleton: Skeleton, figure: Skeleton) -> float | None:
    """How many times larger than the figure a skeleton with the figure's own joints is; None: it has others."""
    if skeleton.names != figure.names or not np.array_equal(skeleton.parents, figure.parents):
        return None
    size = float(skeleton.offsets[0, 1] / figure.offsets[0, 1])
    plain = np.array_equal(skeleton.rest_rotations, figure.rest_rotations)
    return size if plain and np.allclose(skeleton.offsets, size * figure.offsets, rtol=0.0, atol=1e-9) else None


def upright_axes(body: Body) -> Floats:
    """``(4,)`` left, up and ahead as x, y, z. Up is the vertical for a body that stands, as it is for the figure."""
    basis = body.anatomy.basis
    up, ahead = rotations.rotate(basis, np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    if up[1] < STANDING:
        return basis
    return rotations.from_rotation_vector([0.0, float(np.arctan2(ahead[0], ahead[2])), 0.0])


def _sizes(body: Body, figure: Skeleton) -> dict[str, float]:
    """Lengths of arms and legs over the figure's."""
    own = find_anatomy(figure).lengths
    return {limb: float(np.mean([body.lengths[s + limb] / own[s + limb] for s in SIDES])) for limb in ("Arm", "Leg")}


def _half_width(skeleton: Skeleton) -> float:
    """Half the distance between the shoulders."""
    position = skeleton.rest_world()[1]
    left, right = (position[skeleton.index(f"{side}UpperArm")] for side in SIDES)
    return 0.5 * float(np.linalg.norm(left - right))


def _face_shift(body: Body, skeleton: Skeleton, figure: Skeleton, size: float) -> tuple[float, float]:
    """How much higher and farther ahead of the shoulders the face is than the figure's, in metres of the figure.

    Eyes show where a face is; without eyes the head's joint shows how high it is.
    """
    eyes = [f"{side}Eye" for side in SIDES]
    seen = all(role in body.roles for role in eyes)

    def from_shoulders(own: Skeleton) -> Floats:
        position = own.rest_world()[1]
        face = position[[own.index(name) for name in (eyes if seen else ["head"])]].mean(axis=0)
        return np.asarray(face - position[[own.index(f"{side}UpperArm") for side in SIDES]].mean(axis=0))

    shift = from_shoulders(skeleton) / size - from_shoulders(figure)
    return float(shift[1]), float(shift[2]) if seen else 0.0


def spread_spine(body: Body) -> tuple[int, ...]:
    """For each of the figure's spine joints the body's, from the first to the one that carries the arms."""
    chain = body.anatomy.spine
    if not chain:
        return (body.roles["hips"],) * len(SPINE)
    return tuple(chain[round(k * (len(chain) - 1) / (len(SPINE) - 1))] for k in range(len(SPINE)))


def _offsets(body: Body, figure: Skeleton, spine: Sequence[int], sizes: Mapping[str, float]) -> tuple[Floats, float]:
    """``(J, 3)`` offsets of the figure's joints in this body's proportions, and its ankles' height."""
    roles, pose, axes = body.roles, body.anatomy.pose, upright_axes(body)
    offsets = figure.offsets.copy()
    index = figure.index

    def in_axes(position: Floats) -> Floats:
        """In the body's axes: x to the left, y up, z ahead; from the hips."""
        return rotations.rotate(rotations.conjugate(axes), position - pose.positions[roles["hips"]])

    def place(joint: int) -> Floats:
        return in_axes(pose.positions[joint])

    def length(above: str, below: str) -> float:
        return float(np.linalg.norm(pose.positions[roles[below]] - pose.positions[roles[above]]))

    below = np.zeros(3)
    for name, joint in zip(SPINE, spine, strict=True):
        offsets[index(name)] = place(joint) - below
        below = place(joint)
    head = place(roles["head"])
    neck = place(roles["neck"]) if "neck" in roles else head
    offsets[index("neck")], offsets[index("head")] = neck - below, head - neck
    ankle = body.anatomy.ankle_height
    for side in SIDES:
        shoulder = in_axes(shoulder_position(body.anatomy, side))
        clavicle = place(roles[f"{side}Shoulder"]) if f"{side}Shoulder" in roles else shoulder
        offsets[index(f"{side}Shoulder")] = clavicle - below
        offsets[index(f"{side}UpperArm")] = shoulder - clavicle
        eye = f"{side}Eye"
        offsets[index(eye)] = place(roles[eye]) - head if eye in roles else sizes["Arm"] * offsets[index(eye)]
        offsets[index(f"{side}UpperLeg")] = place(roles[f"{side}UpperLeg"])
        for upper, lower in (
            ("UpperArm", "LowerArm"),
            ("LowerArm", "Hand"),
            ("UpperLeg", "LowerLeg"),
            ("LowerLeg", "Foot"),
        ):
            bone = offsets[index(side + lower)]
            offsets[index(side + lower)] = bone * (length(side + upper, side + lower) / np.linalg.norm(bone))
        offsets[index(f"{side}Toes")] = _toes(body, side, figure, sizes["Leg"], ankle)
        for name in figure.names:
            if name.startswith(side) and any(finger in name for finger in FINGERS):
                offsets[index(name)] *= sizes["Arm"]
    leg = sum(offsets[index(f"left{part}")][1] for part in ("UpperLeg", "LowerLeg", "Foot"))
    offsets[index("hips")] = 0.0, ankle - leg, 0.0
    return offsets, ankle


def _toes(body: Body, side: str, figure: Skeleton, size: float, ankle: float) -> Floats:
    """The ball of the foot from the ankle, at rest."""
    roles, pose = body.roles, body.anatomy.pose
    own = size * figure.offsets[figure.index(f"{side}Toes")]
    if f"{side}Toes" in roles:
        foot = roles[f"{side}Foot"]
        frame = rotations.multiply(pose.rotations[foot], body.anatomy.frames[f"{side}Foot"])
        offset = pose.positions[roles[f"{side}Toes"]] - pose.positions[foot]
        # The body's foot points where the figure's does, wherever its rest pose has it.
        turned = find_anatomy(figure).frames[f"{side}Foot"]
        own = rotations.rotate(turned, rotations.rotate(rotations.conjugate(frame), offset))
    own = np.array(own)
    own[1] = max(own[1], -ankle)  # not below the sole
    return own


def _frames(body: Body, skeleton: Skeleton, spine: Sequence[int]) -> tuple[Ints, Floats]:
    """For each joint of the body the actor's, and the constant between their world rotations."""
    roles, anatomy = body.roles, body.anatomy
    own = find_anatomy(skeleton)
    joints = np.full(len(body.skeleton), -1)
    frames = rotations.identity(len(body.skeleton))
    upright = rotations.conjugate(upright_axes(body))
    for role, joint in roles.items():
        if role in skeleton.roles and role not in SPINE:
            joints[joint] = skeleton.roles[role]
            frames[joint] = rotations.multiply(own.frames[role], rotations.conjugate(anatomy.frames[role]))
    for name, joint in zip(SPINE, spine, strict=True):  # the last of those at one joint has all their rotations
        if joint != roles["hips"]:
            joints[joint] = skeleton.index(name)
            frames[joint] = rotations.multiply(upright, anatomy.pose.rotations[joint])
    return joints, frames
