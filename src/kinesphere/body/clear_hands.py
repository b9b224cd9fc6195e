"""Hands and arms out of a thick body: wrists moved, elbows swung, arms solved again (see ``body.collision``)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.body.anatomy import Anatomy
from kinesphere.body.collision import Arms, BodyVolumes, CollisionAvoidance
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, cross, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion

BENT = 0.02  # sine of an elbow's angle from which on its bones show its axis


def clear_hands(
    volumes: BodyVolumes, anatomy: Anatomy, q: Floats, p: Floats, rate: float, stay: Floats | None = None
) -> Bools:
    """Change world rotations ``(T, J, 4)`` of upper arms and forearms in place, so that hands are outside of the body.

    ``p (T, J, 3)`` are the joints' positions, ``stay (T, 2)`` how far hands are where they have to be. Gives the frames
    ``(T,)`` that were changed; hands keep their rotations.
    """
    roles = anatomy.skeleton.roles
    upper, lower, hand = (np.array([roles[f"{side}{part}"] for side in SIDES]) for part in _ARM)
    avoidance = CollisionAvoidance.of_motion(volumes, anatomy, q, p, rate)
    shoulder, elbow, wrist = p[:, upper], p[:, lower], p[:, hand]
    lengths = norms(elbow[0] - shoulder[0]), norms(wrist[0] - elbow[0])
    given = Arms(shoulder, wrist, _hinges(anatomy, q, shoulder, elbow, wrist), *lengths)
    each, arms = avoidance.clear_arms(given, stay)
    changed = np.asarray(each.any(axis=1))
    middle, end = (np.where(each[..., None], new, old) for old, new in zip((elbow, wrist), arms.bend(), strict=True))
    if changed.any():
        bones_of = ((upper, elbow - shoulder, middle - shoulder), (lower, wrist - elbow, end - middle))
        for joints, before, after in bones_of:
            turn = rotations.rotation_between(before[changed], after[changed])
            own = np.ix_(changed, joints)
            q[own] = rotations.multiply(turn, q[own])
    return changed


def clear_motion(volumes: BodyVolumes, anatomy: Anatomy, motion: Motion) -> Motion:
    """A motion on its own body, with hands and arms outside of it; frames that are clear stay as they are."""
    if volumes.surface is None:
        return motion
    q, p = motion.world()
    made, parents = q.copy(), motion.skeleton.parents
    changed = np.flatnonzero(clear_hands(volumes, anatomy, made, p, motion.rate))
    if not len(changed):
        return motion
    local = motion.rotations.copy()
    for side in SIDES:
        arm = {anatomy.skeleton.roles[f"{side}{part}"] for part in _ARM}
        for joint in anatomy.skeleton.descendants(anatomy.skeleton.roles[f"{side}UpperArm"]):
            above = made[changed, parents[joint]]
            if int(joint) in arm:
                local[changed, joint] = rotations.multiply(rotations.conjugate(above), made[changed, joint])
            else:
                made[changed, joint] = rotations.multiply(above, local[changed, joint])
    return replace(motion, rotations=rotations.continuous(local))


_ARM = ("UpperArm", "LowerArm", "Hand")


def _hinges(anatomy: Anatomy, q: Floats, shoulder: Floats, elbow: Floats, wrist: Floats) -> Floats:
    """Axes ``(T, 2, 3)`` about which arms bend: those of the bones, or of the rest pose where an arm is straight."""
    normal = cross(elbow - shoulder, wrist - elbow)
    size = norms(normal)
    upper = [anatomy.skeleton.roles[f"{side}UpperArm"] for side in SIDES]
    rest = np.array([anatomy.hinges[f"{side}UpperArm"] for side in SIDES])
    carried = rotations.rotate(q[:, upper], rotations.rotate(rotations.conjugate(anatomy.pose.rotations[upper]), rest))
    sine = size / np.maximum(norms(elbow - shoulder) * norms(wrist - elbow), 1e-12)
    share = np.clip(sine / BENT, 0.0, 1.0)[..., None]
    mixed = carried + share * (normal / np.maximum(size, 1e-12)[..., None] - carried)
    return np.asarray(mixed / np.maximum(norms(mixed), 1e-12)[..., None])
