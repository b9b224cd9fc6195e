"""The same motion on skeletons with other rest poses, some of which no body can stand in, and with other joint axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere import Motion, Skeleton
from kinesphere.maths import rotations as R
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.skeleton import Tip
from kinesphere.motion.transform import with_plain_rest

X, Y, Z = np.eye(3)


def with_rest(motion: Motion, turns: dict[str, object], whole: object = (0.0, 0.0, 0.0)) -> Motion:
    """Bend the rest pose by rotation vectors about world axes, in degrees, by role; and then all of it."""
    skeleton = motion.skeleton.with_found_roles()
    world, local = skeleton.rest_world()[0].copy(), skeleton.rest_rotations.copy()
    added = {skeleton.roles[role]: vector for role, vector in turns.items() if role in skeleton.roles}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = world[parent] if parent >= 0 else R.from_rotation_vector(np.radians(whole))
        if joint in added:
            was = R.multiply(above, local[joint])
            turned = R.multiply(R.from_rotation_vector(np.radians(added[joint])), was)
            local[joint] = R.multiply(R.conjugate(above), turned)
        elif parent < 0:
            local[joint] = R.multiply(above, local[joint])
            above = R.identity()
        world[joint] = R.multiply(above, local[joint])
    return replace(motion, skeleton=replace(skeleton, rest_rotations=local))


def along(motion: Motion, direction: np.ndarray) -> Motion:
    """All bones in one direction at rest, as far as joints with several children let them."""
    skeleton = motion.skeleton.with_found_roles()
    world, local = np.zeros((len(skeleton), 4)), np.zeros((len(skeleton), 4))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = world[parent] if parent >= 0 else R.identity()
        bones = [skeleton.offsets[child] for child in skeleton.children[joint]]
        bones += [np.array(tip.offset) for tip in skeleton.tips if tip.joint == joint]
        bone = next((bone for bone in bones if np.linalg.norm(bone) > 1e-6), X)
        world[joint] = R.rotation_between(bone, direction)
        local[joint] = R.multiply(R.conjugate(above), world[joint])
    return replace(motion, skeleton=replace(skeleton, rest_rotations=local))


def at_origin(motion: Motion) -> Motion:
    """All joints at the origin at rest: every joint has positions in the file."""
    skeleton = motion.skeleton.with_found_roles()
    return replace(motion, skeleton=replace(skeleton, offsets=np.zeros_like(skeleton.offsets)))


def with_root(motion: Motion) -> Motion:
    """A static joint on the floor above the hips, as joint 0."""
    skeleton = motion.skeleton.with_found_roles()
    q = np.concatenate([R.identity(len(motion), 1), motion.rotations], axis=1)
    own = Skeleton(
        ("Reference", *skeleton.names),
        np.concatenate([[-1], skeleton.parents + 1]),
        np.concatenate([np.zeros((1, 3)), skeleton.offsets]),
        np.concatenate([R.identity(1), skeleton.rest_rotations]),
        {role: joint + 1 for role, joint in skeleton.roles.items()},
        tuple(Tip(tip.joint + 1, tip.offset) for tip in skeleton.tips),
        skeleton.soles,
    )
    translations = np.concatenate([np.zeros((len(motion), 1, 3)), motion.translations], axis=1)
    return replace(motion, skeleton=own, rotations=q, translations=translations, scales=None)


def with_axes(motion: Motion, seed: int, plain: bool = False) -> Motion:
    """Joint axes rotated anyhow, by constants; positions and rest pose stay. ``plain``: rest rotations are dropped."""
    skeleton = motion.skeleton.with_found_roles()
    turn = R.normalise(np.random.default_rng(seed).normal(size=(len(skeleton), 4)))
    above = np.where((skeleton.parents < 0)[:, None], R.identity(), turn[skeleton.parents])

    def local(given: np.ndarray) -> np.ndarray:
        return R.multiply(R.multiply(R.conjugate(above), given), turn)

    own = Skeleton(
        skeleton.names,
        skeleton.parents,
        R.rotate(R.conjugate(above), skeleton.offsets),
        R.identity(len(skeleton)) if plain else local(skeleton.rest_rotations),
        dict(skeleton.roles),
        tuple(Tip(tip.joint, tuple(R.rotate(R.conjugate(turn[tip.joint]), tip.offset))) for tip in skeleton.tips),
        skeleton.soles,
    )
    translations = R.rotate(R.conjugate(above), motion.translations)
    return replace(motion, skeleton=own, rotations=R.continuous(local(motion.rotations)), translations=translations)


def _limbs(part: str, left: object, mirror: object) -> dict[str, object]:
    return {f"{side}{part}": np.array(left) * (1.0 if side == "left" else np.array(mirror)) for side in SIDES}


UPWARD = _limbs("UpperArm", (0.0, 0.0, 125.0), (1.0, -1.0, -1.0))
AHEAD = _limbs("UpperArm", (0.0, -90.0, 0.0), (1.0, -1.0, -1.0))
DOWN = _limbs("UpperArm", (0.0, 0.0, -40.0), (1.0, -1.0, -1.0))
SITTING = _limbs("UpperLeg", (-90.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (90.0, 0.0, 0.0), 1.0)
CROUCHED = _limbs("UpperLeg", (-60.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (110.0, 0.0, 0.0), 1.0)
BACKWARD = _limbs("UpperLeg", (25.0, 0.0, 0.0), 1.0) | _limbs("LowerLeg", (-50.0, 0.0, 0.0), 1.0)
TWISTED = _limbs("UpperArm", (120.0, 0.0, 0.0), 1.0) | _limbs("UpperLeg", (0.0, 70.0, 0.0), (1.0, -1.0, 1.0))
ELBOWS = _limbs("LowerArm", (0.0, 70.0, 0.0), (1.0, -1.0, -1.0))  # bent the wrong way

# By class, several each: (another rest pose of the same motion).
REST_POSES = {
    "along X": lambda m: with_plain_rest(along(m, X)),
    "along -X": lambda m: along(m, -X),
    "along Y": lambda m: with_plain_rest(along(m, Y)),
    "along -Z": lambda m: with_axes(along(m, -Z), 1),
    "axes dropped": lambda m: with_axes(m, 2, plain=True),
    "axes dropped again": lambda m: with_axes(m, 3, plain=True),
    "sitting": lambda m: with_plain_rest(with_rest(m, SITTING)),
    "crouched": lambda m: with_rest(m, CROUCHED | DOWN),
    "arms overhead": lambda m: with_plain_rest(with_rest(m, UPWARD)),
    "arms overhead, bent back": lambda m: with_rest(m, UPWARD | ELBOWS),
    "arms ahead": lambda m: with_rest(m, AHEAD),
    "lying on the back": lambda m: with_plain_rest(with_rest(m, {}, (-90.0, 0.0, 0.0))),
    "lying on the side": lambda m: with_rest(m, DOWN, (0.0, 0.0, 90.0)),
    "at the origin": at_origin,
    "at the origin, other axes": lambda m: at_origin(with_axes(m, 4)),
    "knees backward": lambda m: with_plain_rest(with_rest(m, BACKWARD)),
    "knees and elbows backward": lambda m: with_axes(with_rest(m, BACKWARD | ELBOWS), 5),
    "twisted limbs": lambda m: with_plain_rest(with_rest(m, TWISTED)),
    "twisted axes": lambda m: with_axes(m, 6),
}
