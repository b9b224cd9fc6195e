"""The same motion on unlike rigs: other axes, rest poses that are no body's, a still root, no toes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import kinematics
from kinesphere.maths import rotations as R
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton, Tip


def with_axes(given: Motion, axes, rest=None) -> Motion:
    """The same places with other axes ``(J, 4)`` of the joints, and other rest rotations ``(J, 4)`` where given."""
    skeleton = given.skeleton
    above = np.where(skeleton.parents[:, None] < 0, R.identity(), axes[skeleton.parents])
    back = R.conjugate(above)
    tips = tuple(Tip(tip.joint, tuple(R.rotate(R.conjugate(axes[tip.joint]), tip.offset))) for tip in skeleton.tips)
    own_rest = R.multiply(back, R.multiply(skeleton.rest_rotations, axes))
    made = Skeleton(
        skeleton.names,
        skeleton.parents,
        R.rotate(back, skeleton.offsets),
        own_rest if rest is None else rest,
        roles=skeleton.roles,
        tips=tips,
        soles=skeleton.soles,
    )
    q = R.multiply(back, R.multiply(given.rotations, axes))
    return replace(given, skeleton=made, rotations=R.continuous(q), translations=R.rotate(back, given.translations))


def odd_axes(given: Motion, seed: int = 1) -> Motion:
    """Every joint with axes of its own; the rest pose stays."""
    drawn = np.random.default_rng(seed).normal(size=(len(given.skeleton), 4))
    return with_axes(given, R.normalise(drawn))


def along_x(given: Motion) -> Motion:
    """Every bone along +X at rest, as in rigs whose rest rotations are all zero."""
    skeleton = given.skeleton
    world, places = skeleton.rest_world()
    axes = R.identity(len(skeleton))
    for joint in range(len(skeleton)):
        children = skeleton.children[joint]
        ends = [places[child] - places[joint] for child in children]
        bone = max(ends, key=lambda end: end[1] if joint == 0 else np.linalg.norm(end), default=np.array([1.0, 0, 0]))
        if np.linalg.norm(bone) > 1e-9:
            towards = R.rotate(R.conjugate(world[joint]), bone / np.linalg.norm(bone))
            axes[joint] = R.rotation_between(np.array([1.0, 0.0, 0.0]), towards)
    return with_axes(given, axes, R.identity(len(skeleton)))


def head_down(given: Motion) -> Motion:
    """Upside down at rest, as no body stands."""
    rest = given.skeleton.rest_rotations.copy()
    rest[0] = R.multiply(R.from_rotation_vector([np.pi, 0.0, 0.0]), rest[0])
    return replace(given, skeleton=replace(given.skeleton, rest_rotations=rest))


def on_a_still_root(given: Motion) -> Motion:
    """The hips under a root that stays on the floor."""
    skeleton = given.skeleton
    made = Skeleton(
        ("base", *skeleton.names),
        np.concatenate([[-1], np.where(skeleton.parents < 0, 0, skeleton.parents + 1)]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets]),
        np.concatenate([R.identity(1), skeleton.rest_rotations]),
        roles={role: joint + 1 for role, joint in skeleton.roles.items()},
        tips=tuple(Tip(tip.joint + 1, tip.offset) for tip in skeleton.tips),
        soles=skeleton.soles,
    )
    q = np.concatenate([R.identity(len(given), 1), given.rotations], axis=1)
    t = np.concatenate([np.zeros((len(given), 1, 3)), given.translations], axis=1)
    return replace(given, skeleton=made, rotations=q, translations=t, scales=None)


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
    skeleton = given.skeleton
    world, places = (array.copy() for array in skeleton.rest_world())
    for side, x in (("left", 1.0), ("right", -1.0)):
        for part, child in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
            joint, end = skeleton.index(f"{side}{part}"), skeleton.index(f"{side}{child}")
            bone = places[end] - places[joint]
            turn = R.rotation_between(bone / np.linalg.norm(bone), np.array([x, 0.0, 0.0]))
            for below in (joint, *skeleton.descendants(joint)):
                world[below] = R.multiply(turn, world[below])
            places = kinematics.forward(*_local(skeleton, world), skeleton.parents)[1]
    rest = _local(skeleton, world)[0]
    return replace(given, skeleton=replace(skeleton, rest_rotations=rest))


def _local(skeleton: Skeleton, world):
    above = np.where(skeleton.parents[:, None] < 0, R.identity(), world[skeleton.parents])
    return R.multiply(R.conjugate(above), world), skeleton.offsets


RIGS = {
    "plain": lambda given: given,
    "odd axes": odd_axes,
    "other odd axes": lambda given: odd_axes(given, 7),
    "along x": along_x,
    "still root, along x": lambda given: on_a_still_root(along_x(given)),
    "still root, odd axes": lambda given: odd_axes(on_a_still_root(given), 3),
    "head down": head_down,
    "T-pose, no toes": lambda given: without(t_posed(given), "Toes"),
}
