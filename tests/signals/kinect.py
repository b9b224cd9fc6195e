"""Captures of a depth camera, made up: joints that are measured one by one, with noise, spikes, dropouts and swaps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinesphere.maths import rotations
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton


def from_positions(clean, places):
    """The motion whose bones point to measured places ``(T, J, 3)``; twists and lengths stay."""
    world, was = clean.rotations_world(), clean.positions_world()
    made = world.copy()
    parents, children = clean.skeleton.parents, clean.skeleton.children
    local = np.empty_like(world)
    for joint in range(len(parents)):
        below = [k for k in children[joint] if np.linalg.norm(clean.skeleton.offsets[k]) > 1e-6]
        if len(below) == 1:
            arms = [(x[:, below[0]] - x[:, joint]) for x in (was, places)]
            made[:, joint] = rotations.multiply(rotations.rotation_between(*arms), world[:, joint])
        elif below:
            turn = kabsch(was[:, below] - was[:, [joint]], places[:, below] - places[:, [joint]])
            made[:, joint] = rotations.multiply(turn, world[:, joint])
        elif parents[joint] >= 0:  # a leaf goes with its parent
            own = rotations.multiply(rotations.conjugate(world[:, parents[joint]]), world[:, joint])
            made[:, joint] = rotations.multiply(made[:, parents[joint]], own)
        above = parents[joint]
        local[:, joint] = (
            rotations.multiply(rotations.conjugate(made[:, above]), made[:, joint]) if above >= 0 else made[:, joint]
        )
    root = clean.skeleton.roots[0]
    shifts = clean.translations.copy()
    shifts[:, root] += places[:, root] - was[:, root]
    return replace(clean, rotations=rotations.continuous(local), translations=shifts)


def kabsch(one, other):
    """The rotations ``(T, 4)`` that best take vectors ``(T, N, 3)`` to others."""
    u, _, v = np.linalg.svd(np.einsum("tni,tnj->tij", other, one))
    flip = np.ones((len(one), 3))
    flip[:, 2] = np.linalg.det(u @ v)
    return rotations.from_matrix((u * flip[:, None, :]) @ v)


def coloured(rng, shape, keep=0.5):
    """Noise of variance 1 whose neighbours are alike."""
    values = rng.normal(size=shape)
    for t in range(1, len(values)):
        values[t] = keep * values[t - 1] + np.sqrt(1.0 - keep * keep) * values[t]
    return values


def kinect_like(clean, rng, *, noise=0.012, spikes=0.02, dropouts=3, keep=0.5):
    """As a depth camera sees it: noise in metres, a share of joints that spike, dropouts with held values.

    Returned with the frames and joints ``(T, J)`` that are wrong.
    """
    places = clean.positions_world() + noise * coloured(rng, (len(clean), len(clean.skeleton), 3), keep)
    wrong = np.zeros(places.shape[:2], dtype=bool)
    roles = clean.skeleton.with_found_roles().roles
    ends = [
        [roles[side + part] for part in parts]
        for side in ("left", "right")
        for parts in (("Foot",), ("Hand",), ("LowerLeg", "Foot"), ("LowerArm", "Hand"))
    ]
    frames = np.arange(4, len(clean) - 4)
    for joints in ends:
        for frame in rng.choice(frames, max(int(spikes * len(frames) / 2), 1), replace=False):
            step = rng.normal(size=3)
            wrong[frame, joints] = True
            places[frame, joints] += rng.uniform(0.3, 0.7) * step / np.linalg.norm(step)
    for _ in range(dropouts):
        joints, first, count = ends[rng.integers(len(ends))], rng.choice(frames[:-12]), rng.integers(3, 9)
        places[first : first + count, joints] = places[first - 1, joints]
        wrong[first : first + count, joints] = True
    return from_positions(clean, places), wrong


KINECT = (
    # name, parent, index: the order of the first Kinect's joints
    ("hips", -1), ("spine", 0), ("neck", 1), ("head", 2),
    ("leftUpperArm", 2), ("leftLowerArm", 4), ("leftHand", 5), ("leftMiddleProximal", 6),
    ("rightUpperArm", 2), ("rightLowerArm", 8), ("rightHand", 9), ("rightMiddleProximal", 10),
    ("leftUpperLeg", 0), ("leftLowerLeg", 12), ("leftFoot", 13), ("leftToes", 14),
    ("rightUpperLeg", 0), ("rightLowerLeg", 16), ("rightFoot", 17), ("rightToes", 18),
)  # fmt: skip


def read_kinect(file):
    """A recording of the first Kinect's twenty joints, as comma-separated values, as a motion."""
    rows = np.loadtxt(file, delimiter=",", usecols=range(81))
    places = rows[:, 1:81].reshape(len(rows), 20, 4)[..., :3] * [-1.0, 1.0, -1.0]  # it faces the camera
    parents = np.array([parent for _, parent in KINECT])
    lengths = np.median(np.linalg.norm(places - places[:, np.maximum(parents, 0)], axis=-1), axis=0)
    first = places[0] - places[0, np.maximum(parents, 0)]
    offsets = first / np.maximum(np.linalg.norm(first, axis=-1, keepdims=True), 1e-9) * lengths[:, None]
    names = [name for name, _ in KINECT]
    skeleton = Skeleton(names, parents, offsets, roles={name: i for i, name in enumerate(names)})
    rest = Motion(skeleton, 30.0, rotations.identity(len(rows), 20))
    return from_positions(rest, places)
