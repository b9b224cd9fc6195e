"""Hypothesis strategies for skeletons and motions, and a BVH text writer that knows nothing of ours."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import rotations

seeds = st.integers(0, 2**32 - 1)
quaternions = seeds.map(lambda seed: rotations.normalise(np.random.default_rng(seed).normal(size=(8, 4))))


@st.composite
def skeletons(draw, *, most_joints: int = 12, roots: int = 1, plain: bool = False, tips: bool = True) -> Skeleton:
    count = draw(st.integers(roots, most_joints))
    rng = np.random.default_rng(draw(seeds))
    parents = [-1] * roots + [int(rng.integers(0, i)) for i in range(roots, count)]
    leaves = sorted(set(range(count)) - set(parents))
    return Skeleton(
        tuple(f"joint{i}" for i in range(count)),
        np.array(parents),
        rng.uniform(-0.5, 0.5, (count, 3)),
        rotations.identity(count) if plain else rotations.normalise(rng.normal(size=(count, 4))),
        tips=tuple(Tip(j, tuple(rng.uniform(0.05, 0.2, 3).tolist())) for j in leaves) if tips else (),
    )


@st.composite
def motions(draw, *, roots: int = 1, plain: bool = False, moving_joints: bool = True, scales: bool = False) -> Motion:
    skeleton = draw(skeletons(roots=roots, plain=plain))
    frames = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(seeds))
    joints = len(skeleton)
    steps = rotations.from_rotation_vector(rng.normal(scale=0.4, size=(frames, joints, 3)))
    q = np.empty((frames, joints, 4))
    q[0] = rotations.normalise(rng.normal(size=(joints, 4)))
    for f in range(1, frames):
        q[f] = rotations.multiply(q[f - 1], steps[f])
    t = np.broadcast_to(skeleton.offsets, (frames, joints, 3)).copy()
    t[:, list(skeleton.roots)] += rng.normal(size=(frames, roots, 3))
    if moving_joints and draw(st.booleans()):
        t += rng.normal(scale=0.05, size=t.shape)
    return Motion(
        skeleton,
        draw(st.sampled_from([24.0, 30.0, 59.94, 100.0, 119.8753, 1.0 / 0.0083333])),
        rotations.continuous(rotations.normalise(q)),
        t,
        scales=rng.uniform(0.8, 1.2, t.shape) if scales else None,
        name="generated",
    )


def same_places(a: Motion, b: Motion, tolerance: float) -> bool:
    """Whether all joints are at the same places in the world at all frames."""
    return bool(np.abs(a.positions_world() - b.positions_world()).max() <= tolerance)
