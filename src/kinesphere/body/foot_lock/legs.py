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
from kinesphere.maths.vectors import Bools, Floats, norms, unit
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
    forward: Floats  # (2, T, 3) the direction in which a knee moves if bent more, a unit vector
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
    legs = LegPoses(*np.empty((6, 2, frames, 3)), *np.empty((3, 2, frames)))
    rest_axes, sines = _rest_knee_axes(skeleton), np.empty(frames)
    for i, joints in enumerate(leg_joints(skeleton)):
        rows, leg, axis = [world.part.rows[j] for j in joints], LegPoses(*(part[i] for part in legs)), np.zeros(3)
        bones = (leg.hip, leg.knee, leg.ankle, leg.normal, leg.flexion, leg.upper, leg.lower)
        measure_leg_kernel(world.q, world.p, *rows, *bones, sines, axis)
        if np.linalg.norm(axis) < 1e-6 * frames:  # never bent
            axis = rest_axes[i]
        axis = axis / np.linalg.norm(axis)
        orient_leg_kernel(
            world.q, rows[0], axis, sines, leg.hip, leg.ankle, leg.flexion, leg.normal, leg.axis, leg.forward
        )
    return legs


@jit
def measure_leg_kernel(
    q: Floats,
    p: Floats,
    thigh: int,
    shin: int,
    foot: int,
    hip: Floats,
    knee: Floats,
    ankle: Floats,
    normal: Floats,
    flexion: Floats,
    upper: Floats,
    lower: Floats,
    sines: Floats,
    usual: Floats,
) -> None:
    """One leg of joints in the world, ``(T, K, 4)`` and ``(T, K, 3)``, of which three are given by their rows.

    Normals are left unsigned, and as long as the flexion's sine. The axis about which the knee bends when it bends
    much, in the thigh's frame, is added to ``usual (3,)``.
    """
    for t in range(sines.size):
        above = below = 0.0
        for c in range(3):
            hip[t, c], knee[t, c], ankle[t, c] = p[t, thigh, c], p[t, shin, c], p[t, foot, c]
            above += (knee[t, c] - hip[t, c]) ** 2
            below += (ankle[t, c] - knee[t, c]) ** 2
        upper[t], lower[t] = math.sqrt(above), math.sqrt(below)
        above, below = upper[t] if above > 0.0 else 1.0, lower[t] if below > 0.0 else 1.0
        a, b, c = (knee[t, 0] - hip[t, 0]) / above, (knee[t, 1] - hip[t, 1]) / above, (knee[t, 2] - hip[t, 2]) / above
        d, e = (ankle[t, 0] - knee[t, 0]) / below, (ankle[t, 1] - knee[t, 1]) / below
        f = (ankle[t, 2] - knee[t, 2]) / below
        x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
        normal[t, 0], normal[t, 1], normal[t, 2] = x, y, z
        sines[t] = math.sqrt(x * x + y * y + z * z)
        flexion[t] = math.atan2(sines[t], a * d + b * e + c * f)
        square = sines[t] * sines[t]
        x, y, z = rotate_vector(q[t, thigh, 0], -q[t, thigh, 1], -q[t, thigh, 2], -q[t, thigh, 3], x, y, z)
        usual[0], usual[1], usual[2] = usual[0] + square * x, usual[1] + square * y, usual[2] + square * z


@jit
def orient_leg_kernel(
    q: Floats,
    thigh: int,
    usual: Floats,
    sines: Floats,
    hip: Floats,
    ankle: Floats,
    flexion: Floats,
    normal: Floats,
    axis: Floats,
    forward: Floats,
) -> None:
    """Give normals and flexion the sign of the usual axis ``(3,)``, fixed in the thigh, and blend the two axes."""
    for t in range(sines.size):
        x, y, z = usual[0], usual[1], usual[2]
        x, y, z = rotate_vector(q[t, thigh, 0], q[t, thigh, 1], q[t, thigh, 2], q[t, thigh, 3], x, y, z)
        sign = 1.0 / sines[t] if sines[t] > 0.0 else 1.0
        if normal[t, 0] * x + normal[t, 1] * y + normal[t, 2] * z < 0.0 and sines[t] < BACKWARD:
            sign, flexion[t] = -sign, -flexion[t]
        share = math.exp(-((sines[t] / STRAIGHT) ** 2))
        for k in range(3):
            normal[t, k] *= sign
        a, b = (1.0 - share) * normal[t, 0] + share * x, (1.0 - share) * normal[t, 1] + share * y
        c = (1.0 - share) * normal[t, 2] + share * z
        size = math.sqrt(a * a + b * b + c * c)
        size = size if size > 0.0 else 1.0
        axis[t, 0], axis[t, 1], axis[t, 2] = a / size, b / size, c / size
        x, y, z = ankle[t, 0] - hip[t, 0], ankle[t, 1] - hip[t, 1], ankle[t, 2] - hip[t, 2]
        x, y, z = y * c - z * b, z * a - x * c, x * b - y * a
        size = max(math.sqrt(x * x + y * y + z * z), 1e-300)
        forward[t, 0], forward[t, 1], forward[t, 2] = x / size, y / size, z / size


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
        forward=legs.forward,
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
    move_hips_kernel(
        model.hip, model.trunk, model.left, model.roll_vector, paths.rise, paths.roll, paths.sway, length, bent.hip
    )
    np.subtract(legs.ankle + length * model.shift, bent.hip, out=bent.hip_to_ankle)
    bend_legs_kernel(legs, paths.flexion, length, bent)
    if np.isnan(bent.swing[..., 0]).any():
        raise ValueError(NO_DIRECTION)
    return bent


@jit
def move_hips_kernel(
    start: Floats,
    trunk: Floats,
    left: Floats,
    vectors: Floats,
    rise: Floats,
    roll: Floats,
    sway: Floats,
    length: float,
    hip: Floats,
) -> None:
    """Where both hips ``(2, T, 3)`` are once they rise, roll and sway, in metres."""
    for t in range(rise.size):
        w, a, b, c = exponential_quaternion(roll[t] * vectors[t, 0], roll[t] * vectors[t, 1], roll[t] * vectors[t, 2])
        for i in range(2):
            px, py, pz = start[i, t, 0] - trunk[t, 0], start[i, t, 1] - trunk[t, 1], start[i, t, 2] - trunk[t, 2]
            qx, qy, qz = rotate_vector(w, a, b, c, px, py, pz)
            hip[i, t, 0] = length * (start[i, t, 0] + qx - px + sway[t] * left[t, 0])
            hip[i, t, 1] = length * (start[i, t, 1] + qy - py + rise[t] + sway[t] * left[t, 1])
            hip[i, t, 2] = length * (start[i, t, 2] + qz - pz + sway[t] * left[t, 2])


@jit
def bend_legs_kernel(legs: LegPoses, flexions: Floats, length: float, bent: BentLegs) -> None:
    """Swing legs' planes to the new lines from hip to ankle, and bend the legs in them by ``(2, T)``."""
    hips, ankles, normal, axis, lines = legs.hip, legs.ankle, legs.normal, legs.axis, bent.hip_to_ankle
    uppers, lowers, befores, knees, swing = legs.upper, legs.lower, legs.flexion, legs.knee, bent.swing
    moved, thigh, shin, step, tangent = bent.hip, bent.thigh, bent.shin, bent.step, bent.tangent
    for i in range(2):
        for t in range(flexions.shape[1]):
            a, b, c = lines[i, t, 0], lines[i, t, 1], lines[i, t, 2]
            x, y = ankles[i, t, 0] - hips[i, t, 0], ankles[i, t, 1] - hips[i, t, 1]
            e, f, g, h = quaternion_between(x, y, ankles[i, t, 2] - hips[i, t, 2], a, b, c)
            swing[i, t, 0], swing[i, t, 1], swing[i, t, 2], swing[i, t, 3] = e, f, g, h
            before, more = befores[i, t], flexions[i, t] - befores[i, t]
            x = before * normal[i, t, 0] + more * axis[i, t, 0]
            y = before * normal[i, t, 1] + more * axis[i, t, 1]
            z = before * normal[i, t, 2] + more * axis[i, t, 2]
            if not x * x + y * y + z * z > 1e-18:
                x, y, z = axis[i, t, 0], axis[i, t, 1], axis[i, t, 2]
            x, y, z = rotate_vector(e, f, g, h, x, y, z)
            far = math.sqrt(a * a + b * b + c * c)
            a, b, c = a / far, b / far, c / far
            x, y, z = b * z - c * y, c * x - a * z, a * y - b * x
            size = math.sqrt(x * x + y * y + z * z)
            size = size if size > 0.0 else 1.0
            x, y, z = x / size, y / size, z / size  # the direction in which the knee goes
            upper, lower, flexion = uppers[i, t], lowers[i, t], abs(flexions[i, t])
            cosine, sine = math.cos(flexion), math.sin(flexion)
            # angles of the thigh and of the shin to the line from hip to ankle
            c0, s0 = upper + lower * cosine, lower * sine
            reach = math.sqrt(c0 * c0 + s0 * s0)
            c0, s0 = (c0 / reach, s0 / reach) if reach > 0.0 else (1.0, 0.0)
            c1, s1 = lower * (cosine * c0 + sine * s0), lower * (sine * c0 - cosine * s0)
            c0, s0 = upper * c0, upper * s0
            thigh[i, t, 0], thigh[i, t, 1], thigh[i, t, 2] = c0 * a + s0 * x, c0 * b + s0 * y, c0 * c + s0 * z
            shin[i, t, 0], shin[i, t, 1], shin[i, t, 2] = c1 * a - s1 * x, c1 * b - s1 * y, c1 * c - s1 * z
            for k in range(3):
                step[i, t, k] = (moved[i, t, k] + thigh[i, t, k] - knees[i, t, k]) / length
            s0 /= length
            tangent[i, t, 0], tangent[i, t, 1] = s0 * (b * z - c * y), s0 * (c * x - a * z)
            tangent[i, t, 2] = s0 * (a * y - b * x)


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
    axis, bone, thigh, shin = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(2):
        for t in range(active.size):
            leg, swing, upper, lower = bent.hip_to_ankle[i, t], bent.swing[i, t], bent.thigh[i, t], bent.shin[i, t]
            size = math.sqrt(leg[0] * leg[0] + leg[1] * leg[1] + leg[2] * leg[2])
            angle = swivel[i, t] / size if size > 0.0 else 0.0
            w, x, y, z = exponential_quaternion(angle * leg[0], angle * leg[1], angle * leg[2])
            thigh[0], thigh[1], thigh[2] = rotate_vector(w, x, y, z, upper[0], upper[1], upper[2])
            shin[0], shin[1], shin[2] = rotate_vector(w, x, y, z, lower[0], lower[1], lower[2])
            square = 0.0
            for k in range(3):
                found.ankle[i, t, k] = bent.hip[i, t, k] + thigh[k] + shin[k]
                square += (leg[k] - thigh[k] - shin[k]) ** 2
            found.ankle_error[i, t] = math.sqrt(square)
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
