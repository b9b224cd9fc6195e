"""The same motion on another rig: other joint axes, another rest pose, a static root. Every joint keeps its places.

Tests and field measures compare what is done to a motion on both rigs. Rotations are quaternions ``(J, 4)``, one a
joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import rotations
from kinesphere.maths.vectors import ArrayLike, Floats

SHORTEST = 1e-6  # metres of a bone that has a direction


# Joint axes


def turn_axes(motion: Motion, axes: Floats, rest: Floats | None = None) -> Motion:
    """Rotate each joint's axes by a constant. The rest pose stays too, unless rest rotations are given."""
    skeleton = motion.skeleton.with_found_roles()
    above = rotations.conjugate(_of_parents(skeleton, axes))

    def local(given: Floats) -> Floats:
        return rotations.multiply(above, rotations.multiply(given, axes))

    back = rotations.conjugate(axes)
    own = replace(
        skeleton,
        offsets=rotations.rotate(above, skeleton.offsets),
        rest_rotations=local(skeleton.rest_rotations) if rest is None else rest,
        roles=dict(skeleton.roles),
        tips=tuple(_tip(tip.joint, rotations.rotate(back[tip.joint], tip.offset)) for tip in skeleton.tips),
    )
    return replace(
        motion,
        skeleton=own,
        rotations=rotations.continuous(local(motion.rotations)),
        translations=rotations.rotate(above, motion.translations),
    )


def turn_axes_anyhow(motion: Motion, seed: int, *, plain: bool = False) -> Motion:
    """Rotate each joint's axes by a random constant. ``plain`` drops the rest rotations, so the rest pose changes."""
    count = len(motion.skeleton)
    axes = rotations.normalise(np.random.default_rng(seed).normal(size=(count, 4)))
    return turn_axes(motion, axes, rotations.identity(count) if plain else None)


# Rest poses. Without rest rotations, as in BVH: ``with_plain_rest`` of these.


def with_rest_world(motion: Motion, world: Floats) -> Motion:
    """Another rest pose, from each joint's orientation in the world. Poses are not touched."""
    skeleton = motion.skeleton.with_found_roles()
    local = rotations.multiply(rotations.conjugate(_of_parents(skeleton, world)), world)
    return replace(motion, skeleton=replace(skeleton, rest_rotations=local, roles=dict(skeleton.roles)))


def bend_rest(motion: Motion, turns: Mapping[int, Floats], *, local: bool = False) -> Motion:
    """Rotate joints at rest, about the world's axes or their own; what is below a joint goes with it."""
    skeleton = motion.skeleton.with_found_roles()
    world = skeleton.rest_world()[0].copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        own = skeleton.rest_rotations[joint]
        world[joint] = rotations.multiply(world[parent], own) if parent >= 0 else own
        if joint in turns:
            pair = (world[joint], turns[joint]) if local else (turns[joint], world[joint])
            world[joint] = rotations.multiply(*pair)
    return with_rest_world(motion, world)


def point_bones(motion: Motion, directions: Mapping[int, ArrayLike]) -> Motion:
    """At rest, point the bones of joints in directions of the world, the shortest way; others are carried along."""
    skeleton = motion.skeleton.with_found_roles()
    before, _ = skeleton.rest_world()
    bones, world = find_bones(skeleton), before.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if joint in directions and np.linalg.norm(bones[joint]) > SHORTEST:
            bone = rotations.rotate(before[joint], bones[joint])
            turn = rotations.rotation_between(bone, np.asarray(directions[joint], dtype=np.float64))
            world[joint] = rotations.multiply(turn, before[joint])
        elif parent >= 0:
            world[joint] = rotations.multiply(world[parent], skeleton.rest_rotations[joint])
    return with_rest_world(motion, world)


def point_all_bones(motion: Motion, direction: ArrayLike) -> Motion:
    """At rest, all bones point in one direction, as far as joints with several children let them."""
    return point_bones(motion, dict.fromkeys(range(len(motion.skeleton)), direction))


def find_bones(skeleton: Skeleton) -> Floats:
    """For each joint where its bone ends, in its axes ``(J, 3)``: at the farthest child or tip, or at the joint.

    That of a root ends at the child that is highest at rest, as hips have the spine for their bone.
    """
    ends, (_, places) = np.zeros((len(skeleton), 3)), skeleton.rest_world()
    found = [(int(parent), skeleton.offsets[joint]) for joint, parent in enumerate(skeleton.parents) if parent >= 0]
    for joint, offset in found + [(tip.joint, np.asarray(tip.offset)) for tip in skeleton.tips]:
        if np.linalg.norm(offset) > np.linalg.norm(ends[joint]):
            ends[joint] = offset
    for root in skeleton.roots:
        if children := skeleton.children[root]:
            ends[root] = skeleton.offsets[max(children, key=lambda child: float(places[child, 1]))]
    return ends


# Joints


def add_static_root(motion: Motion, name: str = "Reference", place: ArrayLike = (0.0, 0.0, 0.0)) -> Motion:
    """A joint above all others, as joint 0, which stays at ``place``."""
    skeleton, frames = motion.skeleton.with_found_roles(), len(motion)
    from_root = (skeleton.parents < 0)[:, None] * np.asarray(place, dtype=np.float64)
    root = np.asarray(place, dtype=np.float64)[None]
    own = Skeleton(
        (name, *skeleton.names),
        np.concatenate([[-1], skeleton.parents + 1]),
        np.concatenate([root, skeleton.offsets - from_root]),
        np.concatenate([rotations.identity(1), skeleton.rest_rotations]),
        {role: joint + 1 for role, joint in skeleton.roles.items()},
        tuple(Tip(tip.joint + 1, tip.offset) for tip in skeleton.tips),
        skeleton.soles,
    )
    return replace(
        motion,
        skeleton=own,
        rotations=np.concatenate([rotations.identity(frames, 1), motion.rotations], axis=1),
        translations=np.concatenate([np.tile(root, (frames, 1, 1)), motion.translations - from_root], axis=1),
        scales=None,
    )


def _of_parents(skeleton: Skeleton, given: Floats) -> Floats:
    """For each joint what is given for its parent; no rotation above a root."""
    above: Floats = np.where((skeleton.parents < 0)[:, None], rotations.identity(), given[skeleton.parents])
    return above


def _tip(joint: int, offset: Floats) -> Tip:
    x, y, z = offset.tolist()
    return Tip(joint, (x, y, z))
