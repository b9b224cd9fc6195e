"""Body pose around a hand: capsule axes of trunk, head and thighs, estimated from a few channels.

Slumping brings thighs and belly to where hands hang, so keys must be kept off a body that bends. The estimate bends
hips, spine, head and knees in the sagittal plane only; hips go back as far as the weight comes forward. It leaves out
rotation about the vertical, leaning aside, and shoulders that follow raised arms. For low hands, which thighs are near
to, hips are within some centimetres of where the engine puts them, mostly within two.

All positions are in the chest's axes, relative to one shoulder: out, up, ahead. Distances are for a figure 1.70 m tall.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere.engine.arms import HANGS
from kinesphere.engine.generation import HEAD_LINE, MOVED, TRUNK_SHIFTS
from kinesphere.engine.pose import (
    ANKLE_OUT,
    CLAVICLE_AHEAD,
    CLAVICLE_DOWN,
    FEET_AHEAD,
    SINK,
    TURNED_OUT,
    figure_skeleton,
)
from kinesphere.engine.proportions import HEIGHT
from kinesphere.engine.trunk import NECK, SPINE, STEADY
from kinesphere.maths.compiled import jit
from kinesphere.maths.rotations import exponential_quaternion, rotate_vector
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.gesture import RESTING_WRIST

# The channels that the estimate reads; of the clavicles, those of the hand's own side.
BENDS = ("torso.forward", "hips.lean", "hips.y", "hips.z", "head.nod", "clavicle.raise", "clavicle.forward")
SPINE_COUNTER = 0.3  # of the hips' lean that the spine takes back, as in ``engine.trunk``
TRUNK_MASS, HEAD_MASS, ARMS_MASS = 0.43, 0.08, 0.10  # of the body's mass
LONGEST_LEG = 0.9995  # of its length that a leg is at most


class BodyModel(NamedTuple):
    """Lengths and shares of the left half of a standing body, each joint relative to the one above."""

    spine: Floats  # (6, 2) up and ahead: four spine joints, neck, head
    spine_shares: Floats  # (5,) of the trunk's bend that each spine joint takes, and of the nod that the neck takes
    clavicle: Floats  # (2, 3) the clavicle's joint from the upper chest, and the shoulder from there
    clavicle_ahead: float  # radians from the rest pose
    clavicle_down: float
    head_line: Floats  # (2, 3) ends of the head's capsule from the head's joint
    head_steady: float  # of the trunk's bend that the head takes back
    trunk_shifts: Floats  # (2, 3) of the ends of the trunk's capsule from hips and neck, in the chest's axes
    hip: Floats  # (3,) the hip joint from the hips
    ankle: Floats  # (3,) the standing ankle from the ground below the hips
    thigh: float  # lengths
    shin: float
    splay: float  # radians that knees point outwards
    hips_height: float  # of the standing figure
    weight_shift: float  # how far the centre of mass goes when the hips move by one
    wrist: Floats  # (3,) the hanging wrist from the shoulder
    hanging: float  # of the chest's bend that a hanging arm does not follow


class BodyView(NamedTuple):
    """The body around a hand, relative to its shoulder, in the chest's axes: out, up, ahead."""

    lines: Floats  # (K, 4, 2, 3) capsule axes of trunk, head, own and other thigh, lower end first
    sags: Floats  # (K, 3) how far a hanging hand is from its position before an upright chest


@cache
def body_model() -> BodyModel:
    """The figure's."""
    skeleton = figure_skeleton(HEIGHT)

    def offsets(*names: str) -> Floats:
        return np.array([skeleton.offsets[skeleton.index(name)] for name in names])

    thigh, shin = norms(offsets("leftLowerLeg", "leftFoot")).tolist()
    return BodyModel(
        spine=np.ascontiguousarray(offsets(*SPINE, "neck", "head")[:, 1:]),
        spine_shares=np.array([*(share for share, _ in SPINE.values()), NECK["neck"]]),
        clavicle=offsets("leftShoulder", "leftUpperArm"),
        clavicle_ahead=float(CLAVICLE_AHEAD),
        clavicle_down=float(CLAVICLE_DOWN),
        head_line=HEAD_LINE,
        head_steady=float(STEADY[0]),
        trunk_shifts=TRUNK_SHIFTS,
        hip=offsets("leftUpperLeg")[0],
        ankle=np.array([ANKLE_OUT, skeleton.rest_world()[1][skeleton.index("leftFoot"), 1], FEET_AHEAD]),
        thigh=thigh,
        shin=shin,
        splay=0.5 * float(TURNED_OUT),
        hips_height=float(skeleton.offsets[0, 1]) - SINK,
        weight_shift=MOVED,
        wrist=np.array(RESTING_WRIST),
        hanging=HANGS,
    )


@cache
def upright_shoulder() -> Floats:
    """``(3,)`` the left shoulder of the upright figure in the world: out, up, ahead."""
    body = body_model()
    trunk = bend_trunk(np.zeros(len(BENDS)), body)
    return np.array([trunk.shoulder_out, body.hips_height + trunk.shoulder_up, trunk.shoulder_ahead])


def view_body(bends: Floats, feet: Floats) -> BodyView:
    """The body bent by ``bends (K, 7)``; ``feet (K, 2, 3)``, own and other, are offsets from where they stand."""
    view = BodyView(np.empty((len(bends), 4, 2, 3)), np.empty((len(bends), 3)))
    view_body_kernel(bends, feet, body_model(), view)
    return view


class TrunkPose(NamedTuple):
    """A trunk bent in the sagittal plane. Angles are forward; positions are relative to the hips."""

    chest: float  # the upper chest's angle
    face: float  # the head's, relative to the chest
    neck_up: float
    neck_ahead: float
    head_up: float
    head_ahead: float
    shoulder_out: float
    shoulder_up: float
    shoulder_ahead: float
    weight: float  # how far ahead its part of the centre of mass is


@jit
def view_body_kernel(bends, feet, body, view):  # type: ignore[no-untyped-def]
    """Write the view ``(K, ...)`` of bodies bent by ``bends (K, 7)`` with feet ``(K, 2, 3)`` off their positions."""
    upright = bend_trunk(np.zeros(bends.shape[1]), body)
    for k in range(bends.shape[0]):
        trunk = bend_trunk(bends[k], body)
        chest, out, up, ahead = trunk.chest, trunk.shoulder_out, trunk.shoulder_up, trunk.shoulder_ahead
        lines = view.lines[k]
        write_in_chest(lines[0, 0], -out, -up, -ahead, chest)
        write_in_chest(lines[0, 1], -out, trunk.neck_up - up, trunk.neck_ahead - ahead, chest)
        for i in range(2):
            for d in range(3):
                lines[0, i, d] += body.trunk_shifts[i, d]
            y, z = go_along(
                trunk.head_up, trunk.head_ahead, body.head_line[i, 1], body.head_line[i, 2], chest + trunk.face
            )
            write_in_chest(lines[1, i], -out, y - up, z - ahead, chest)
        hip_up, hip_ahead = go_along(0.0, 0.0, body.hip[1], body.hip[2], bends[k, 1])
        # Hips go back as the weight comes forward.
        shift = bends[k, 3] + (upright.weight - trunk.weight) / body.weight_shift
        for i in range(2):
            side = 1.0 - 2.0 * i
            hip = side * body.hip[0]
            x, y, z = knee_from_hip(
                side * body.ankle[0] + feet[k, i, 0] - hip,
                body.ankle[1] + feet[k, i, 1] - body.hips_height - bends[k, 2] - hip_up,
                body.ankle[2] + feet[k, i, 2] - shift - hip_ahead,
                side * body.splay,
                body,
            )
            write_in_chest(lines[2 + i, 0], hip + x - out, hip_up + y - up, hip_ahead + z - ahead, chest)
            write_in_chest(lines[2 + i, 1], hip - out, hip_up - up, hip_ahead - ahead, chest)
        y, z = go_along(0.0, 0.0, body.wrist[1], body.wrist[2], -body.hanging * chest)
        view.sags[k, 0], view.sags[k, 1], view.sags[k, 2] = 0.0, y - body.wrist[1], z - body.wrist[2]


@jit
def bend_trunk(bends, body):  # type: ignore[no-untyped-def]
    """The trunk's pose under one row of ``BENDS``."""
    lean = bends[1]
    forward = bends[0] - SPINE_COUNTER * lean
    angle, up, ahead, chest_ahead = lean, 0.0, 0.0, 0.0
    for i in range(4):
        up, ahead = go_along(up, ahead, body.spine[i, 0], body.spine[i, 1], angle)
        angle += body.spine_shares[i] * forward
        chest_ahead = ahead if i == 2 else chest_ahead
    neck_up, neck_ahead = go_along(up, ahead, body.spine[4, 0], body.spine[4, 1], angle)
    face = bends[4] - body.head_steady * (forward + lean)
    head_up, head_ahead = go_along(
        neck_up, neck_ahead, body.spine[5, 0], body.spine[5, 1], angle + body.spine_shares[4] * face
    )
    w, x, y, z = exponential_quaternion(0.0, -(bends[6] + body.clavicle_ahead), bends[5] - body.clavicle_down)
    bone = body.clavicle[1]
    shoulder_out, y, z = rotate_vector(w, x, y, z, bone[0], bone[1], bone[2])
    shoulder_up, shoulder_ahead = go_along(up, ahead, body.clavicle[0, 1] + y, body.clavicle[0, 2] + z, angle)
    weight = TRUNK_MASS * chest_ahead + HEAD_MASS * head_ahead + ARMS_MASS * shoulder_ahead
    shoulder_out += body.clavicle[0, 0]
    return TrunkPose(
        angle, face, neck_up, neck_ahead, head_up, head_ahead, shoulder_out, shoulder_up, shoulder_ahead, weight
    )


@jit
def go_along(y, z, up, ahead, angle):  # type: ignore[no-untyped-def]
    """From a joint at ``y, z``, the next one along a bone that is rotated forward by ``angle``."""
    c, s = math.cos(angle), math.sin(angle)
    return y + c * up - s * ahead, z + s * up + c * ahead


@jit
def write_in_chest(point, out, up, ahead, chest):  # type: ignore[no-untyped-def]
    """Write a vector to ``point (3,)`` in the axes of a chest that is rotated forward by ``chest``."""
    c, s = math.cos(chest), math.sin(chest)
    point[0], point[1], point[2] = out, c * up + s * ahead, c * ahead - s * up


@jit
def knee_from_hip(x, y, z, splay, body):  # type: ignore[no-untyped-def]
    """The knee from the hip, of a leg whose ankle is at ``x, y, z`` from it: two-bone IK by the law of cosines."""
    far = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / far, y / far, z / far
    thigh, shin = body.thigh, body.shin
    length = min(far, LONGEST_LEG * (thigh + shin))
    cosine = (thigh * thigh + length * length - shin * shin) / (2.0 * thigh * length)
    sine = math.sqrt(1.0 - cosine * cosine)
    u, w = math.sin(splay), math.cos(splay)
    along = u * x + w * z
    u, v, w = u - along * x, -along * y, w - along * z
    size = math.sqrt(u * u + v * v + w * w)
    return (
        thigh * (cosine * x + sine * u / size),
        thigh * (cosine * y + sine * v / size),
        thigh * (cosine * z + sine * w / size),
    )
