"""Hips, spine, head, eyes and clavicles, from a gesture's channels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import INDEX, ChannelCurves
from kinesphere.engine.pose import CLAVICLE_AHEAD, CLAVICLE_DOWN, SIGN, SINK, Pose, rotation_from_components
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_exact
from kinesphere.maths.rotations import exponential_quaternion, quaternion_product, rotate_vector
from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.skeleton import Skeleton

World: TypeAlias = tuple[Floats, Floats]  # rotations (F, K, 4) and positions (F, K, 3)
WORTH, SHARED = 400, 100  # a trunk is far more work than a number of a product

# Joint: its share of the torso's angles, and by how much it follows the one at the base, in seconds.
SPINE = {"spine": (0.32, 0.0), "spine2": (0.18, 0.020), "chest": (0.18, 0.035), "upperChest": (0.32, 0.050)}
NECK = {"neck": 0.45, "head": 0.55}
# What the head takes back of what the torso does, so that the gaze stays: forward, side, turn.
STEADY = np.array([0.55, 0.60, 0.50])
BREATH_CHEST, BREATH_CLAVICLE, BREATH_HEAD = 0.020, 0.034, 0.010  # radians


def solve_trunk(
    pose: Pose, channels: ChannelCurves, shift: Floats, joining: Mapping[str, Floats], joints: Ints
) -> World:
    """Hips, spine, head, eyes and clavicles, and where ``joints`` and all that they hang on are then.

    ``shift (F, 3)`` is what balance adds to the hips, ``joining[side] (2, F)`` how shoulders rise and come forward.
    """
    kernels = compiled.loaded(WORTH * len(shift))
    if kernels is None:
        set_hips(pose, channels, shift)
        set_spine_and_head(pose, channels)
        set_clavicles(pose, channels, joining)
        return pose.world(joints)
    place_hips(pose, channels, shift)
    linear = _linear(pose.skeleton, tuple(joints.tolist()))
    count = len(shift)
    both = np.empty((count, 2, 2))
    for i, side in enumerate(SIGN):
        both[:, i] = joining[side].T
    q, p = np.empty((count, len(joints), 4)), np.empty((count, len(joints), 3))

    def some(part: slice) -> None:
        kernels.lay_trunk(
            *(row[part] for row in pose.spans.limits),
            channels.table,
            *linear[:3],
            channels.breath,
            linear.breathes,
            both,
            linear.shoulders + 2,
            linear.shoulders + 1,
            linear.stance,
            pose.spans.rate * linear.lags,
            joints,
            linear.parents,
            pose.local,
            pose.places,
            q,
            p,
        )

    compiled.share_frames(len(pose.spans.counts), count * SHARED, some)
    return q, p


class _LinearMap(NamedTuple):
    """How the rotation vectors of K joints, 3 K numbers, come from channels: all of it is linear."""

    sources: Ints  # (N,) channels
    targets: Ints  # (N,) that they add to
    factors: Floats  # (N,) and by how much
    breathes: Floats  # (3 K,) what a full breath adds
    stance: Floats  # (3 K,) what is there always
    lags: Floats  # (K,) seconds
    parents: Ints  # (K,) places among the joints
    shoulders: Ints  # (2,) where the clavicles' vectors begin


@lru_cache(maxsize=16)
def _linear(skeleton: Skeleton, joints: tuple[int, ...]) -> _LinearMap:
    """Read off the functions below, one channel after the other."""
    names = [skeleton.names[joint] for joint in joints]
    still = {side: np.zeros((2, 1)) for side in SIGN}

    def vectors(table: Floats, breath: float) -> Floats:
        spans = Batch.of((1,), (False,))
        pose = Pose(skeleton, spans, 1.0, rotations.identity(1, len(skeleton)), skeleton.offsets[None].copy())
        curves = ChannelCurves(table[None], np.array([breath]))
        set_hips(pose, curves, np.zeros((1, 3)))
        set_spine_and_head(pose, curves)
        set_clavicles(pose, curves, still)
        return rotations.to_rotation_vector(pose.local[0, list(joints)]).ravel()

    small = 0.25
    nothing = np.zeros(len(INDEX))
    stance = vectors(nothing, 0.0)
    rows = np.array([(vectors(small * row, 0.0) - stance) / small for row in np.eye(len(INDEX))])
    sources, targets = np.nonzero(np.abs(rows) > 1e-12)
    order = {joint: k for k, joint in enumerate(joints)}
    return _LinearMap(
        sources,
        targets,
        rows[sources, targets],
        (vectors(nothing, small) - stance) / small,
        stance,
        np.array([SPINE.get(name, (0.0, 0.0))[1] for name in names]),
        np.array([order.get(int(skeleton.parents[joint]), -1) for joint in joints]),
        np.array([3 * names.index(f"{side}Shoulder") for side in SIGN]),
    )


def place_hips(pose: Pose, channels: ChannelCurves, shift: Floats) -> None:
    """The hips' place alone."""
    at = channels.rows("hips.x", "hips.y", "hips.z")
    at[:, 1] -= SINK
    pose.places[:, 0] = pose.skeleton.offsets[0] + pose.size * at + shift


def set_hips(pose: Pose, channels: ChannelCurves, shift: Floats) -> None:
    """The hips' place and turn; ``shift (F, 3)`` is what balance adds, in metres."""
    place_hips(pose, channels, shift)
    pose.turn("hips", rotation_from_components(channels["hips.lean"], channels["hips.turn"], -channels["hips.tilt"]))


def set_spine_and_head(pose: Pose, channels: ChannelCurves) -> None:
    """The torso's angles shared along the spine, each joint a little later; the head steadied, and turned itself.

    The spine also takes back what the hips tilt and half of what they turn, as a standing body does.
    """
    breath, hips = channels.breath, channels.rows("hips.lean", "hips.tilt", "hips.turn")
    carried = channels.rows("torso.forward", "torso.side", "torso.turn") - np.array([0.3, 0.9, 0.5]) * hips
    angles = [share * (pose.spans.delayed(carried, lag) if lag else carried) for share, lag in SPINE.values()]
    angles[-1][:, 0] -= BREATH_CHEST * breath
    faced = channels.rows("head.nod", "head.tilt", "head.turn") - STEADY * (carried + hips)
    faced[:, 0] += BREATH_HEAD * breath
    angles += [share * faced for share in NECK.values()]
    # Forward is about x, turning about y, to the side about −z.
    vectors = np.stack(angles, axis=1)[..., [0, 2, 1]] * np.array([1.0, 1.0, -1.0])
    joints = [pose.skeleton.index(name) for name in (*SPINE, *NECK)]
    pose.local[:, joints] = rotations.from_rotation_vector(vectors)
    eyes = rotation_from_components(-channels["eyes.lift"], channels["eyes.turn"])
    for side in SIGN:
        pose.turn(f"{side}Eye", eyes)


def set_clavicles(pose: Pose, channels: ChannelCurves, joining: Mapping[str, Floats]) -> None:
    """Shoulders as keyed, with breath, and joining what the arms do: ``joining[side] (2, F)`` is raise and forward."""
    for side, sign in SIGN.items():
        up = channels[f"{side}.clavicle.raise"] + joining[side][0] + BREATH_CLAVICLE * channels.breath - CLAVICLE_DOWN
        ahead = channels[f"{side}.clavicle.forward"] + joining[side][1] + CLAVICLE_AHEAD
        pose.turn(f"{side}Shoulder", rotation_from_components(0.0, -sign * ahead, sign * up))


@compile_exact
def solve_trunk_kernel(  # type: ignore[no-untyped-def]
    starts, counts, loops, table, sources, targets, factors, breath, breathes, joining, raises, comes, stance, lags,
    joints, parents, local, places, world_q, world_p,
):  # fmt: skip
    """Joints turned by rotation vectors that come from channels (F, C), and placed; see ``trunk.set_trunk``.

    ``factors`` of channels ``sources`` go to ``targets`` among the vectors' 3 K numbers, each joint's some frames
    late. ``breathes``, ``stance`` (3 K,) and ``joining`` (F, 2, 2) are not late. Local rotations (F, J, 4) are written
    and places (F, J, 3) read; the world's are (F, K, ...). ``parents`` (K,) are places among the joints.
    """
    vectors, more = np.empty((counts.max(), len(stance))), np.empty(len(stance))
    for s in range(len(starts)):
        first, count = starts[s], counts[s]
        around = max(count - 1, 1)
        for i in range(count):
            for n in range(len(stance)):
                vectors[i, n] = 0.0
            for n in range(len(sources)):
                vectors[i, targets[n]] += factors[n] * table[first + i, sources[n]]
        for i in range(first, first + count):
            for n in range(len(stance)):
                more[n] = stance[n] + breathes[n] * breath[i]
            for side in range(2):
                sign = 1.0 - 2.0 * side
                more[raises[side]] += sign * joining[i, side, 0]
                more[comes[side]] -= sign * joining[i, side, 1]
            for k in range(len(joints)):
                j, p, n = joints[k], parents[k], 3 * k
                x, y, z = more[n], more[n + 1], more[n + 2]
                if lags[k] == 0.0:
                    a = i - first
                    x, y, z = x + vectors[a, n], y + vectors[a, n + 1], z + vectors[a, n + 2]
                else:
                    whole = math.floor(-lags[k])
                    share = -lags[k] - whole
                    a, b = i - first + whole, i - first + whole + 1
                    if loops[s]:
                        a, b = a % around, b % around
                    else:
                        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
                    x += (1.0 - share) * vectors[a, n] + share * vectors[b, n]
                    y += (1.0 - share) * vectors[a, n + 1] + share * vectors[b, n + 1]
                    z += (1.0 - share) * vectors[a, n + 2] + share * vectors[b, n + 2]
                w, x, y, z = exponential_quaternion(x, y, z)
                local[i, j, 0], local[i, j, 1], local[i, j, 2], local[i, j, 3] = w, x, y, z
                u, v, t = places[i, j, 0], places[i, j, 1], places[i, j, 2]
                if p >= 0:
                    q, at = world_q[i, p], world_p[i, p]
                    w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], w, x, y, z)
                    u, v, t = rotate_vector(q[0], q[1], q[2], q[3], u, v, t)
                    u, v, t = at[0] + u, at[1] + v, at[2] + t
                world_q[i, k, 0], world_q[i, k, 1], world_q[i, k, 2], world_q[i, k, 3] = w, x, y, z
                world_p[i, k, 0], world_p[i, k, 1], world_p[i, k, 2] = u, v, t
