"""Both legs of a motion: measured from the input, and solved again between hips and ankles that moved.

A leg's plane is the input's, carried along by the smallest rotation from the old line between hip and ankle to the new
one, then swivelled about that line. A nearly straight knee has no plane of its own: it is bent more about its usual
axis, the one about which it bends when it bends much.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kinesphere.body.foot_lock.leg_paths import LegModel, LegPaths
from kinesphere.body.ground import leg_length, require_joint
from kinesphere.body.joint_subset import SubsetPose
from kinesphere.maths import rotations
from kinesphere.maths.compiled import jit
from kinesphere.maths.rotations import exponential_quaternion, quaternion_between, quaternion_product, rotate_vector
from kinesphere.maths.vectors import Bools, Floats, Ints, cross, norms, unit
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.memo import memoised
from kinesphere.motion.skeleton import Skeleton

STRAIGHT = 0.12  # sine of a knee's flexion below which its usual axis counts for more than its plane
LENGTH_TOLERANCE = 0.01  # share by which bones may change their lengths and still count as rigid
BACKWARD = 0.5  # sine of the flexion up to which a knee may be bent backward; beyond, its plane is another
NO_DIRECTION = "a vector of length zero has no direction"


class LegPoses(NamedTuple):
    """The legs of the input, left first, in metres."""

    hip: Floats  # (2, T, 3)
    knee: Floats  # (2, T, 3)
    ankle: Floats  # (2, T, 3)
    normal: Floats  # (2, T, 3) of the leg's plane, unit or zero, on the usual axis' side
    axis: Floats  # (2, T, 3) the normal, or where the leg is nearly straight the usual axis
    flexion: Floats  # (2, T) about the normal
    upper: Floats  # (2, T) length of the thigh
    lower: Floats  # (2, T) length of the shin


class BentLegs(NamedTuple):
    """Legs bent towards their ankles' targets before they swivel, in metres."""

    hip: Floats  # (2, T, 3)
    hip_to_ankle: Floats  # (2, T, 3) to the ankle's target
    swing: Floats  # (2, T, 4) rotation of the leg's plane
    thigh: Floats  # (2, T, 3) from hip to knee
    shin: Floats  # (2, T, 3) from knee to ankle
    step: Floats  # (2, T, 3) leg lengths that knees move
    tangent: Floats  # (2, T, 3) leg lengths that knees move a radian of swivel


class LegRotations(NamedTuple):
    """World rotations that take the input's bones to the solved ones."""

    thigh: Floats  # (2, T, 4) only in active frames
    shin: Floats  # (2, T, 4) only in active frames
    ankle_error: Floats  # (2, T) metres from the ankle to its target
    ankle: Floats  # (2, T, 3) positions


# Joints


@memoised
def leg_joints(skeleton: Skeleton) -> tuple[tuple[int, int, int], ...]:
    """Thigh, shin and foot, left and right."""
    return tuple(
        (
            require_joint(skeleton, f"{side}UpperLeg"),
            require_joint(skeleton, f"{side}LowerLeg"),
            require_joint(skeleton, f"{side}Foot"),
        )
        for side in SIDES
    )


def ancestors(skeleton: Skeleton, joint: int) -> set[int]:
    """A joint and all its ancestors."""
    chain = set()
    while joint >= 0:
        chain.add(joint)
        joint = int(skeleton.parents[joint])
    return chain


@memoised
def trunk_joint(skeleton: Skeleton) -> int:
    """The joint about which hips roll, so that the trunk stays: the hips' child that carries it, or the hips."""
    hips = require_joint(skeleton, "hips")
    chain = set.union(*(ancestors(skeleton, skeleton.roles.get(role, hips)) for role in ("spine", "chest", "head")))
    carrying = [j for j in sorted(chain) if skeleton.parents[j] == hips]
    return carrying[0] if carrying else hips


@memoised
def hip_attachments(skeleton: Skeleton) -> tuple[int, ...]:
    """Children of the hips that carry no leg."""
    legs = set.union(*(ancestors(skeleton, thigh) for thigh, _, _ in leg_joints(skeleton)))
    return tuple(child for child in skeleton.children[require_joint(skeleton, "hips")] if child not in legs)


@memoised
def feet_on_shins(skeleton: Skeleton) -> Bools:
    """``(2,)`` whether feet are descendants of shins; in rigs for animation they need not be."""
    return np.array([shin in ancestors(skeleton, foot) for _, shin, foot in leg_joints(skeleton)])


@memoised
def _rest_knee_axes(skeleton: Skeleton) -> Floats:
    """``(2, 3)`` the axis of a knee that never bends, in its thigh's frame: the body's left at rest."""
    orientations, positions = skeleton.rest_world()
    thighs = [joints[0] for joints in leg_joints(skeleton)]
    return rotations.rotate(rotations.conjugate(orientations[thighs]), positions[thighs[0]] - positions[thighs[1]])


# Legs as the input has them


def measure_legs(skeleton: Skeleton, world: SubsetPose) -> LegPoses:
    """Both legs."""
    frames = len(world.q)
    legs = LegPoses(*np.empty((5, 2, frames, 3)), *np.empty((3, 2, frames)))
    rows = np.array([[world.part.rows[j] for j in joints] for joints in leg_joints(skeleton)], dtype=np.intp)
    measure_legs_kernel(world.q, world.p, rows, _rest_knee_axes(skeleton), legs)
    return legs


@jit
def measure_legs_kernel(q: Floats, p: Floats, rows: Ints, rest_axes: Floats, legs: LegPoses) -> None:
    """Both legs of joints in the world, ``(T, K, 4)`` and ``(T, K, 3)``; rows ``(2, 3)`` are thighs, shins and feet."""
    frames = q.shape[0]
    sines, usual, thigh, shin = np.empty(frames), np.empty(3), np.empty(3), np.empty(3)
    for i in range(2):
        joint, knee_joint, foot = rows[i, 0], rows[i, 1], rows[i, 2]
        hip, knee, ankle, normals = legs.hip[i], legs.knee[i], legs.ankle[i], legs.normal[i]
        usual[:] = 0.0
        for t in range(frames):
            for c in range(3):
                hip[t, c], knee[t, c], ankle[t, c] = p[t, joint, c], p[t, knee_joint, c], p[t, foot, c]
                thigh[c], shin[c] = knee[t, c] - hip[t, c], ankle[t, c] - knee[t, c]
            legs.upper[i, t], legs.lower[i, t] = normalise(thigh), normalise(shin)
            nx, ny, nz = cross_product(thigh, shin)
            sine = math.sqrt(nx * nx + ny * ny + nz * nz)
            legs.flexion[i, t] = math.atan2(sine, thigh[0] * shin[0] + thigh[1] * shin[1] + thigh[2] * shin[2])
            normals[t, 0], normals[t, 1], normals[t, 2] = nx, ny, nz
            w, x, y, z = q[t, joint, 0], q[t, joint, 1], q[t, joint, 2], q[t, joint, 3]
            nx, ny, nz = rotate_vector(w, -x, -y, -z, nx, ny, nz)
            square = sine * sine
            usual[0], usual[1], usual[2] = usual[0] + square * nx, usual[1] + square * ny, usual[2] + square * nz
            sines[t] = sine
        if math.sqrt(usual[0] ** 2 + usual[1] ** 2 + usual[2] ** 2) < 1e-6 * frames:  # never bent
            usual[:] = rest_axes[i]
        normalise(usual)
        orient_leg_plane(q, joint, usual, sines, legs.flexion[i], normals, legs.axis[i])


@jit
def orient_leg_plane(
    q: Floats, joint: int, usual: Floats, sines: Floats, flexion: Floats, normals: Floats, axes: Floats
) -> None:
    """Give normals and flexion the sign of the usual axis ``(3,)``, fixed in the thigh, and blend the two axes."""
    for t in range(sines.size):
        normal, axis, sine = normals[t], axes[t], sines[t]
        ux, uy, uz = rotate_vector(
            q[t, joint, 0], q[t, joint, 1], q[t, joint, 2], q[t, joint, 3], usual[0], usual[1], usual[2]
        )
        if normal[0] * ux + normal[1] * uy + normal[2] * uz < 0.0 and sine < BACKWARD:
            normal[0], normal[1], normal[2] = -normal[0], -normal[1], -normal[2]
            flexion[t] = -flexion[t]
        normalise(normal)
        share = math.exp(-((sine / STRAIGHT) ** 2))
        axis[0] = (1.0 - share) * normal[0] + share * ux
        axis[1] = (1.0 - share) * normal[1] + share * uy
        axis[2] = (1.0 - share) * normal[2] + share * uz
        normalise(axis)


def rigid_legs(skeleton: Skeleton, legs: LegPoses) -> Bools:
    """``(2,)`` whether bones keep their lengths and the foot is a descendant of the shin."""
    bones = np.stack([legs.upper, legs.lower])
    rigid: Bools = (np.ptp(bones, axis=-1) < LENGTH_TOLERANCE * bones.mean(axis=-1)).all(axis=0)
    return rigid & feet_on_shins(skeleton)


def leg_model(skeleton: Skeleton, world: SubsetPose, legs: LegPoses, shift: Floats) -> LegModel:
    """Both legs in leg lengths, with ankles to be shifted by ``(2, T, 3)`` metres."""
    length, hips = leg_length(skeleton), require_joint(skeleton, "hips")
    across = legs.hip[0] - legs.hip[1]
    least = np.maximum(0.5 * norms(across), 1e-12 * length)
    across[:, 1] = 0.0
    angle = 2.0 * length / np.maximum(norms(across), least)
    left, leg = unit(across), legs.ankle - legs.hip
    roll_vector = np.zeros_like(left)  # left × up
    roll_vector[:, 0], roll_vector[:, 2] = -angle * left[:, 2], angle * left[:, 0]
    return LegModel(
        hip_to_ankle=(leg + shift) / length,
        shift=shift / length,
        hip=legs.hip / length,
        hips=world.positions_of(hips) / length,
        trunk=world.positions_of(trunk_joint(skeleton)) / length,
        head=world.positions_of(skeleton.roles.get("head", hips)) / length,
        knee=legs.knee / length,
        upper=legs.upper / length,
        lower=legs.lower / length,
        flexion=legs.flexion,
        forward=unit(cross(leg, legs.axis)),
        rigid=rigid_legs(skeleton, legs),
        left=left,
        roll_vector=roll_vector,
    )


def moving_frames(shift: Floats, rotation: Floats, model: LegModel, paths: LegPaths) -> Bools:
    """``(T,)`` where feet, shifted and rotated by ``(2, T, 3)``, knees or hips move at all."""
    feet = ((shift != 0.0) | (rotation != 0.0)).any(axis=0).any(axis=-1)
    knees = (paths.flexion != model.flexion).any(axis=0)
    moving: Bools = feet | knees | (paths.rise != 0.0) | (paths.roll != 0.0) | (paths.sway != 0.0)
    return moving


# Legs solved again


def bend_legs(legs: LegPoses, model: LegModel, paths: LegPaths, length: float) -> BentLegs:
    """Bend legs as the paths say, with hips moved, in their planes towards their ankles' targets."""
    frames = legs.hip.shape[1]
    hip, hip_to_ankle, thigh, shin, step, tangent = np.empty((6, 2, frames, 3))
    bent = BentLegs(hip, hip_to_ankle, np.empty((2, frames, 4)), thigh, shin, step, tangent)
    bend_legs_kernel(legs, model, paths, length, bent)
    if np.isnan(bent.swing[..., 0]).any():
        raise ValueError(NO_DIRECTION)
    return bent


@jit
def bend_legs_kernel(legs: LegPoses, model: LegModel, paths: LegPaths, length: float, bent: BentLegs) -> None:
    """Move hips, and bend thighs and shins towards the ankles' targets."""
    for t in range(paths.rise.size):
        vector, trunk, left = model.roll_vector[t], model.trunk[t], model.left[t]
        rise, roll, sway = paths.rise[t], paths.roll[t], paths.sway[t]
        w, a, b, c = exponential_quaternion(roll * vector[0], roll * vector[1], roll * vector[2])
        for i in range(2):
            start, hip = model.hip[i, t], bent.hip[i, t]
            px, py, pz = start[0] - trunk[0], start[1] - trunk[1], start[2] - trunk[2]
            qx, qy, qz = rotate_vector(w, a, b, c, px, py, pz)
            hip[0] = length * (start[0] + qx - px + sway * left[0])
            hip[1] = length * (start[1] + qy - py + rise + sway * left[1])
            hip[2] = length * (start[2] + qz - pz + sway * left[2])
            for k in range(3):
                bent.hip_to_ankle[i, t, k] = legs.ankle[i, t, k] + length * model.shift[i, t, k] - hip[k]
    bend_in_plane(legs, paths.flexion, bent)
    for i in range(2):
        for t in range(paths.rise.size):
            thigh, leg = bent.thigh[i, t], bent.hip_to_ankle[i, t]
            size = length * math.sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2])
            x, y, z = cross_product(leg, thigh)
            bent.tangent[i, t, 0], bent.tangent[i, t, 1], bent.tangent[i, t, 2] = x / size, y / size, z / size
            for k in range(3):
                bent.step[i, t, k] = (bent.hip[i, t, k] + thigh[k] - legs.knee[i, t, k]) / length


@jit
def bend_in_plane(legs: LegPoses, flexions: Floats, bent: BentLegs) -> None:
    """Swing legs' planes to the new lines from hip to ankle, and bend the legs in them by ``(2, T)``."""
    along = np.empty(3)
    for i in range(2):
        for t in range(flexions.shape[1]):
            hip, ankle, normal, axis = legs.hip[i, t], legs.ankle[i, t], legs.normal[i, t], legs.axis[i, t]
            along[:] = bent.hip_to_ankle[i, t]
            e, f, g, h = quaternion_between(
                ankle[0] - hip[0], ankle[1] - hip[1], ankle[2] - hip[2], along[0], along[1], along[2]
            )
            swing, flexion, before = bent.swing[i, t], flexions[i, t], legs.flexion[i, t]
            swing[0], swing[1], swing[2], swing[3] = e, f, g, h
            more = flexion - before
            x, y = before * normal[0] + more * axis[0], before * normal[1] + more * axis[1]
            z = before * normal[2] + more * axis[2]
            if not x * x + y * y + z * z > 1e-18:
                x, y, z = axis[0], axis[1], axis[2]
            x, y, z = rotate_vector(e, f, g, h, x, y, z)
            normalise(along)
            x, y, z = along[1] * z - along[2] * y, along[2] * x - along[0] * z, along[0] * y - along[1] * x
            size = math.sqrt(x * x + y * y + z * z)
            size = size if size > 0.0 else 1.0
            x, y, z = x / size, y / size, z / size  # the direction in which the knee goes
            upper, lower = legs.upper[i, t], legs.lower[i, t]
            cosine, sine = math.cos(abs(flexion)), math.sin(abs(flexion))
            # angles of the thigh and of the shin to the line from hip to ankle
            c0, s0 = upper + lower * cosine, lower * sine
            reach = math.sqrt(c0 * c0 + s0 * s0)
            c0, s0 = (c0 / reach, s0 / reach) if reach > 0.0 else (1.0, 0.0)
            c1, s1 = cosine * c0 + sine * s0, sine * c0 - cosine * s0
            thigh, shin = bent.thigh[i, t], bent.shin[i, t]
            thigh[0], thigh[1] = upper * (c0 * along[0] + s0 * x), upper * (c0 * along[1] + s0 * y)
            thigh[2] = upper * (c0 * along[2] + s0 * z)
            shin[0], shin[1] = lower * (c1 * along[0] - s1 * x), lower * (c1 * along[1] - s1 * y)
            shin[2] = lower * (c1 * along[2] - s1 * z)


def rotate_legs(legs: LegPoses, bent: BentLegs, swivel: Floats, active: Bools) -> LegRotations:
    """Rotations of thighs and shins once legs are swivelled by angles ``(2, T)`` about their lines."""
    frames = legs.hip.shape[1]
    found = LegRotations(
        np.zeros((2, frames, 4)), np.zeros((2, frames, 4)), np.empty((2, frames)), np.empty((2, frames, 3))
    )
    rotate_legs_kernel(legs, bent, swivel, active, found)
    if np.isnan(found.thigh[..., 0]).any() or np.isnan(found.shin[..., 0]).any():
        raise ValueError(NO_DIRECTION)
    return found


@jit
def rotate_legs_kernel(legs: LegPoses, bent: BentLegs, swivel: Floats, active: Bools, found: LegRotations) -> None:
    """Swivel legs, and write rotations of their bones in active frames, ankles and their errors in all."""
    along, axis, bone, thigh, shin = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(2):
        for t in range(active.size):
            leg, swing = bent.hip_to_ankle[i, t], bent.swing[i, t]
            along[:] = leg
            normalise(along)
            angle = swivel[i, t]
            w, x, y, z = exponential_quaternion(angle * along[0], angle * along[1], angle * along[2])
            upper, lower = bent.thigh[i, t], bent.shin[i, t]
            thigh[0], thigh[1], thigh[2] = rotate_vector(w, x, y, z, upper[0], upper[1], upper[2])
            shin[0], shin[1], shin[2] = rotate_vector(w, x, y, z, lower[0], lower[1], lower[2])
            for k in range(3):
                found.ankle[i, t, k] = bent.hip[i, t, k] + thigh[k] + shin[k]
            a, b, c = leg[0] - thigh[0] - shin[0], leg[1] - thigh[1] - shin[1], leg[2] - thigh[2] - shin[2]
            found.ankle_error[i, t] = math.sqrt(a * a + b * b + c * c)
            if not active[t]:
                continue
            w, x, y, z = quaternion_product(w, x, y, z, swing[0], swing[1], swing[2], swing[3])
            before = legs.axis[i, t]
            axis[0], axis[1], axis[2] = rotate_vector(w, x, y, z, before[0], before[1], before[2])
            for k in range(3):
                bone[k] = legs.knee[i, t, k] - legs.hip[i, t, k]
            rotate_bone(bone, before, thigh, axis, found.thigh[i, t])
            for k in range(3):
                bone[k] = legs.ankle[i, t, k] - legs.knee[i, t, k]
            rotate_bone(bone, before, shin, axis, found.shin[i, t])


@jit
def rotate_bone(bone: Floats, axis: Floats, new_bone: Floats, new_axis: Floats, rotation: Floats) -> None:
    """The rotation ``(4,)`` that takes one bone ``(3,)`` to another, and the plane of its axis to that of the other."""
    w, x, y, z = swing_between(bone[0], bone[1], bone[2], new_bone[0], new_bone[1], new_bone[2])
    size = math.sqrt(new_bone[0] ** 2 + new_bone[1] ** 2 + new_bone[2] ** 2)
    size = size if size > 0.0 else 1.0
    lx, ly, lz = new_bone[0] / size, new_bone[1] / size, new_bone[2] / size
    ax, ay, az = rotate_vector(w, x, y, z, axis[0], axis[1], axis[2])
    bx, by, bz = new_axis[0], new_axis[1], new_axis[2]
    along = ax * lx + ay * ly + az * lz
    ax, ay, az = ax - along * lx, ay - along * ly, az - along * lz
    along = bx * lx + by * ly + bz * lz
    bx, by, bz = bx - along * lx, by - along * ly, bz - along * lz
    sine = lx * (ay * bz - az * by) + ly * (az * bx - ax * bz) + lz * (ax * by - ay * bx)
    e, half = half_angle(ax * bx + ay * by + az * bz, sine)
    f, g, h = half * lx, half * ly, half * lz
    rotation[0], rotation[1], rotation[2], rotation[3] = quaternion_product(e, f, g, h, w, x, y, z)


@jit
def half_angle(cosine: float, sine: float) -> tuple[float, float]:
    """Cosine and sine of half an angle, from multiples of those of the whole; of no angle if both are zero."""
    size = math.sqrt(cosine * cosine + sine * sine)
    if not size > 0.0:
        return 1.0, 0.0
    if cosine > 0.0:
        c = math.sqrt(0.5 * (1.0 + cosine / size))
        return c, 0.5 * sine / (size * c)
    s = math.sqrt(0.5 * (1.0 - cosine / size))
    s = s if sine >= 0.0 else -s
    return 0.5 * sine / (size * s), s


@jit
def swing_between(
    ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[float, float, float, float]:
    """``quaternion_between`` in a third of the time, unless the rotation is large."""
    sizes = math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
    w = sizes + ax * bx + ay * by + az * bz
    if not w > 0.1 * sizes:
        w, x, y, z = quaternion_between(ax, ay, az, bx, by, bz)
        return w, x, y, z
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@jit
def cross_product(a: Floats, b: Floats) -> tuple[float, float, float]:
    """The cross product of two vectors ``(3,)``."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def normalise(vector: Floats) -> float:
    """Scale a vector ``(3,)`` to length 1 in place, and return the length that it had; zero stays zero."""
    size = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if size > 0.0:
        vector[0], vector[1], vector[2] = vector[0] / size, vector[1] / size, vector[2] / size
    return size
