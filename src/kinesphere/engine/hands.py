"""Hands: forearm roll, wrists and fingers of all arms of a batch, written into a pose.

Palms face the directions of the gesture's keys. Hands drag a little behind their wrists' velocity, and fingers behind
the hands; flourishes bend and turn them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.body.hands import _LAID as THUMB_TURN
from kinesphere.body.hands import ANGLES, HandRig, PalmFrame, blend_hand_shapes, hand_rig
from kinesphere.engine.arms import ArmPose
from kinesphere.engine.batch import RATE, delayed_frames
from kinesphere.engine.channels import ChannelCurves
from kinesphere.engine.clocks import StrokeClock
from kinesphere.engine.overlays import forearm_twist, wrist_flexion
from kinesphere.engine.pose import ROLL, SIGN, FigureLimb, Pose, figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import jit
from kinesphere.maths.interpolation import gaussian, monotone_cubic
from kinesphere.maths.rotations import (
    axis_angle_quaternion,
    cos_and_sinc,
    quaternion_between,
    quaternion_product,
    rotate_vector,
    write_quaternion,
)
from kinesphere.maths.vectors import Floats, Ints, clip, cross, reject
from kinesphere.motion.gesture import SHAPES, Gesture
from kinesphere.motion.skeleton import Skeleton

ROLLS = (math.radians(-85.0), math.radians(85.0))
SHARED = 0.55  # of the forearm's roll that its own joint takes; the wrist takes the rest, and neither is wrung
DRAG, MOST_DRAG, LATE = 0.11, math.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL, LAGS = 0.35, (0.03, 0.05, 0.07)  # of the drag that the fingers show, and seconds later
INHALED = 0.03  # radians that fingers bend with a full breath
BENDS, ASIDES = (math.radians(-66.0), math.radians(76.0)), (math.radians(-28.0), math.radians(18.0))
SOFT = math.radians(15.0)  # over which a wrist comes to its limits
FRAME_WORK = 100  # numbers that a hand is worth when performances are shared among threads


def set_hands(
    pose: Pose,
    gestures: Sequence[Gesture],
    channels: ChannelCurves,
    arms: ArmPose,
    clocks: Mapping[str, Sequence[StrokeClock | None]],
) -> None:
    """Write the rotations of all arms and hands; ``clocks`` are those of each side's arms."""
    batch, curves, active = pose.batch.both_sides, arms.flourishes, 1.0 - arms.relaxed
    weight = arms.flourish_weight
    twist = forearm_twist(arms.time_share, curves["wrist_twist"] * weight, curves["wrist_frequency"])
    bend = wrist_flexion(
        arms.time_share,
        curves["wrist_bend"] * weight,
        curves["wrist_extension"],
        curves["flexed"] * active,
        curves["flexed_angle"],
    )
    hands = HandMotion(
        arms.upper,
        arms.flexion,
        clip(_rolls(pose, gestures, arms, clocks) + channels.sides("hand.roll") + twist, *ROLLS),
        batch.smooth(batch.velocity(arms.wrist), 0.03) / pose.size,
        channels.sides("hand.loose") * (1.0 + (curves["loose"] - 1.0) * active),
        channels.sides("hand.bend") + arms.room * bend,
        channels.sides("hand.aside"),
        _finger_angles(channels, {name: curves[name] * active for name in ("fist", "open")}),
        np.concatenate([channels.breath, channels.breath]),
    )
    for side, own in arms.sides.items():
        if SIGN[side] < 0.0:
            np.negative(hands.roll[own], out=hands.roll[own])
        solve_hands(pose, side, HandMotion(*(row[own] for row in hands)))


def _finger_angles(channels: ChannelCurves, overlays: dict[str, Floats]) -> Floats:
    """``(2 F, 22)`` the fingers' angles: of the gesture's hand shapes, and of shapes that replace them in part."""
    weights = {name: channels.sides(f"hand.{name}") for name in channels.nonzero("hand", SHAPES[1:])}
    for shape, amount in overlays.items():
        if amount.any():
            weights = {name: weight - amount * weight for name, weight in weights.items()}
            weights[shape] = weights.get(shape, 0.0) + amount
    made = np.empty((2 * len(channels.breath), ANGLES))
    made[:] = blend_hand_shapes(weights)
    return made


def _rolls(
    pose: Pose, gestures: Sequence[Gesture], arms: ArmPose, clocks: Mapping[str, Sequence[StrokeClock | None]]
) -> Floats:
    """``(2 F,)`` forearm rolls, thumbs inwards above zero."""
    made = np.empty(len(arms.flexion))
    for side, rows in arms.sides.items():
        limb, frame = figure_limb(HEIGHT * pose.size, side, "Arm"), hand_rig(pose.skeleton, side).frame
        for gesture, frames, clock in zip(gestures, pose.batch.slices, clocks[side], strict=True):
            own = slice((rows.start or 0) + frames.start, (rows.start or 0) + frames.stop)
            made[own] = _roll(gesture, side, limb, arms, frame, own, clock)
    return made


def _roll(
    gesture: Gesture,
    side: str,
    limb: FigureLimb,
    arms: ArmPose,
    frame: PalmFrame,
    rows: slice,
    clock: StrokeClock | None,
) -> Floats | float:
    """One arm's roll ``(T,)``, such that the palm faces the directions of its keys."""
    keys = gesture.palms.get(side, ())
    if not keys:
        return float(ROLL)
    count = rows.stop - rows.start
    time = np.arange(count) / RATE
    source = np.array([key.time for key in keys])
    when = source if clock is None else clock.to_output(source)
    frames = rows.start + clip(np.round(when * RATE).astype(np.intp), 0, count - 1)
    forearm = rotations.multiply(arms.upper[frames], limb.elbow_rotation(arms.flexion[frames]))  # in the chest's axes
    relaxed = np.array([key.direction is None for key in keys])
    directions = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm, limb.lower / limb.lengths[1])
    now = rotations.rotate(forearm, frame.out)
    wanted = reject(directions, axis)
    angle = np.arctan2(np.sum(axis * cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(relaxed, ROLL, clip(SIGN[side] * angle, *ROLLS))
    period = gesture.duration if gesture.loop else None
    curve = monotone_cubic(source, needed, time if clock is None else clock.to_source(time), period)
    return np.asarray(clip(gaussian(curve, RATE, 0.05, gesture.loop), *ROLLS))


# Inverse kinematics of hands


class HandMotion(NamedTuple):
    """One side's arms and hands in every frame."""

    upper: Floats  # (F, 4) the shoulder's rotation in the chest's axes
    flexion: Floats  # (F,) the elbow's angle
    roll: Floats  # (F,) of the forearm
    velocity: Floats  # (F, 3) of the wrist in the chest's axes, for a figure 1.70 m tall
    loose: Floats  # (F,) how far the hand drags behind it
    bend: Floats  # (F,) of the wrist, without drag
    aside: Floats  # (F,) of the wrist, without drag
    angles: Floats  # (F, 22) of the fingers, without drag and breath
    breath: Floats  # (F,) how full the lungs are


class HandModel(NamedTuple):
    """What does not change of one side's arm and hand."""

    joints: Ints  # (4,) clavicle, upper arm, forearm, hand
    hinge: Floats  # (3,) axis of the elbow
    forearm: Floats  # (3,) axis of the roll
    aside: Floats  # (3,) axis of the wrist to the side, also of fingers spread
    bend: Floats  # (3,) axis of the wrist inwards
    along: Floats  # (3,) the palm's directions: to the fingers, to the thumb, out of it
    across: Floats  # (3,)
    out: Floats  # (3,)
    rest_flexion: float  # of the elbow
    thumb_sign: float  # of the thumb's roll
    late: float  # frames by which the hand drags
    finger_lags: Floats  # (3,) frames by which each phalanx drags behind the hand
    fingers: Ints  # (15,) joints, three a finger, the thumb's last
    columns: Ints  # (15,) of the joints' angles
    axes: Floats  # (15, 3) of flexion
    rests: Floats  # (15,) angles at rest
    spread_columns: Ints  # (15,) of the angles between fingers, -1 where there is none
    spreads: Floats  # (15,) these angles at rest
    bones: Floats  # (6, 3) the thumb's three, the middle finger's first two, and the offset of a thumb on that finger


@lru_cache(maxsize=32)
def _hand_model(skeleton: Skeleton, side: str, size: float, rate: float) -> HandModel:
    limb, rig = figure_limb(HEIGHT * size, side, "Arm"), hand_rig(skeleton, side)
    if rig.thumb_rest_offset is None or not _is_whole(rig):
        raise ValueError(f"the {side} hand needs five fingers of three joints with the world's axes at rest")
    frame = rig.frame
    columns, spreads = np.full(len(rig.joints), -1), np.zeros(len(rig.joints))
    columns[rig.knuckles], spreads[rig.knuckles] = rig.spread_columns, rig.spreads
    return HandModel(
        np.array([skeleton.index(f"{side}{part}") for part in ("Shoulder", "UpperArm", "LowerArm", "Hand")]),
        np.array(limb.hinge),
        limb.lower / limb.lengths[1],
        np.cross(frame.along, frame.across),
        np.cross(frame.along, frame.out),
        np.array(frame.along),
        np.array(frame.across),
        np.array(frame.out),
        limb.rest_flexion,
        SIGN[side],
        LATE * rate,
        rate * np.array(LAGS),
        np.array(rig.joints),
        np.array(rig.columns),
        np.array(rig.axes),
        np.array(rig.rests),
        columns,
        spreads,
        np.array([*(bone for _, bone in (*rig.thumb, *rig.middle[:2])), rig.thumb_rest_offset]),
    )


def _is_whole(rig: HandRig) -> bool:
    """Whether it is a whole hand in the world's axes, as the figure's are."""
    whole = len(rig.joints) == 15 and len(rig.knuckles) == 4 and rig.plain
    return whole and rig.joints[12] == rig.thumb[0][0] and rig.joints[3] == rig.middle[0][0]


def solve_hands(pose: Pose, side: str, hands: HandMotion) -> None:
    """Write the rotations of one side's arms, wrists and fingers."""
    hands = HandMotion(*(np.ascontiguousarray(row) for row in hands))
    model = _hand_model(pose.skeleton, side, pose.size, pose.batch.rate)
    drag = np.empty((len(hands.flexion), 2))

    def solve(part: slice) -> None:
        solve_hands_kernel(pose.batch.rows.select(part), hands, model, drag, pose.local)

    compiled.share_frames(len(pose.batch.counts), len(drag) * FRAME_WORK, solve)


@jit
def solve_hands_kernel(rows, hands, model, drag, local):  # type: ignore[no-untyped-def]
    """Write local rotations ``(F, J, 4)`` of arms and hands, and how far hands drag ``(F, 2)``: bent and aside."""
    instant = np.empty((len(drag), 2))
    h, f = model.hinge, model.forearm
    for s in range(len(rows.starts)):
        first, count, loop = rows.starts[s], rows.counts[s], rows.loops[s]
        for i in range(first, first + count):  # how far hands would drag behind their wrists' velocity at once
            q = hands.upper[i]
            w, x, y, z = axis_angle_quaternion(h[0], h[1], h[2], hands.flexion[i] - model.rest_flexion)
            w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], w, x, y, z)
            pw, px, py, pz = axis_angle_quaternion(f[0], f[1], f[2], hands.roll[i])
            w, x, y, z = quaternion_product(w, x, y, z, pw, px, py, pz)
            u, v, t = rotate_vector(w, -x, -y, -z, hands.velocity[i, 0], hands.velocity[i, 1], hands.velocity[i, 2])
            bent = u * model.out[0] + v * model.out[1] + t * model.out[2]
            aside = u * model.across[0] + v * model.across[1] + t * model.across[2]
            instant[i, 0] = MOST_DRAG * math.tanh(-DRAG * bent / MOST_DRAG)
            instant[i, 1] = MOST_DRAG * math.tanh(-DRAG * aside / MOST_DRAG)
        for i in range(count):
            a, b, share = delayed_frames(i, count, loop, model.late)
            for k in range(2):
                late = (1.0 - share) * instant[first + a, k] + share * instant[first + b, k]
                drag[first + i, k] = hands.loose[first + i] * late
        write_arms(first, count, hands, model, drag, local)
        write_fingers(first, count, loop, hands, model, drag, local)


@jit
def write_arms(first, count, hands, model, drag, local):  # type: ignore[no-untyped-def]
    """Write shoulders, elbows and wrists."""
    h, f, inward, side, joints = model.hinge, model.forearm, model.bend, model.aside, model.joints
    for i in range(first, first + count):
        c, q = local[i, joints[0]], hands.upper[i]
        w, x, y, z = quaternion_product(c[0], -c[1], -c[2], -c[3], q[0], q[1], q[2], q[3])
        write_quaternion(local, i, joints[1], w, x, y, z)
        w, x, y, z = axis_angle_quaternion(h[0], h[1], h[2], hands.flexion[i] - model.rest_flexion)
        pw, px, py, pz = axis_angle_quaternion(f[0], f[1], f[2], SHARED * hands.roll[i])
        w, x, y, z = quaternion_product(w, x, y, z, pw, px, py, pz)
        write_quaternion(local, i, joints[2], w, x, y, z)
        angle = hands.bend[i] + drag[i, 0]
        over, under = max(angle - (BENDS[1] - SOFT), 0.0), max(BENDS[0] + SOFT - angle, 0.0)
        angle = angle - over + SOFT * math.tanh(over / SOFT) + under - SOFT * math.tanh(under / SOFT)
        w, x, y, z = axis_angle_quaternion(inward[0], inward[1], inward[2], angle)
        angle = min(max(hands.aside[i] + drag[i, 1], ASIDES[0]), ASIDES[1])
        pw, px, py, pz = axis_angle_quaternion(side[0], side[1], side[2], angle)
        w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
        pw, px, py, pz = axis_angle_quaternion(f[0], f[1], f[2], (1.0 - SHARED) * hands.roll[i])
        w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
        write_quaternion(local, i, joints[3], w, x, y, z)


@jit
def write_fingers(first, count, loop, hands, model, drag, local):  # type: ignore[no-untyped-def]
    """Write the joints of all fingers.

    Hands mostly keep their shape: angles that are as in the frame before, in ``known``, are not computed again.
    """
    fingers, spread, bent, known = np.empty((15, 4)), np.empty((12, 4)), np.empty((12, 2)), np.full(22, np.nan)
    columns, spread_columns, side = model.columns, model.spread_columns, model.aside
    for i in range(first, first + count):
        angles = hands.angles[i]
        for part in range(3):
            a, b, share = delayed_frames(i - first, count, loop, model.finger_lags[part])
            late = (1.0 - share) * drag[first + a, 0] + share * drag[first + b, 0]
            half = 0.5 * (CURL * late + INHALED * hands.breath[i])
            c, s = cos_and_sinc(half * half)
            s *= half
            for k in range(part, 12, 3):
                angle = angles[columns[k]]
                if angle != known[columns[k]]:
                    known[columns[k]] = angle
                    angle = 0.5 * (angle - model.rests[k])
                    bent[k, 0], bent[k, 1] = math.cos(angle), math.sin(angle)
                axis = model.axes[k]
                w, x = bent[k, 0] * c - bent[k, 1] * s, bent[k, 1] * c + bent[k, 0] * s
                fingers[k, 0], fingers[k, 1], fingers[k, 2], fingers[k, 3] = w, x * axis[0], x * axis[1], x * axis[2]
        for k in range(0, 12, 3):
            angle = angles[spread_columns[k]]
            if angle != known[spread_columns[k]]:
                known[spread_columns[k]] = angle
                w, x, y, z = axis_angle_quaternion(side[0], side[1], side[2], angle - model.spreads[k])
                spread[k, 0], spread[k, 1], spread[k, 2], spread[k, 3] = w, x, y, z
            p, q = spread[k], fingers[k]
            q[0], q[1], q[2], q[3] = quaternion_product(p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3])
        changed = angles[21] != 0.0  # a thumb that lies on folded fingers goes with them
        for n in range(16, 22):
            changed = changed or angles[n] != known[n]
            known[n] = angles[n]
        if changed:
            write_thumb(angles, model, fingers)
        for k in range(15):
            to, q = local[i, model.fingers[k]], fingers[k]
            to[0], to[1], to[2], to[3] = q[0], q[1], q[2], q[3]


@jit
def write_thumb(angles, model, out):  # type: ignore[no-untyped-def]
    """The thumb's three joints, 12 to 14 of the hand's: its base goes to its direction, and is rolled about it."""
    along, across, normal, bone = model.along, model.across, model.out, model.bones[0]
    for k in range(13, 15):
        a = model.axes[k]
        w, x, y, z = axis_angle_quaternion(a[0], a[1], a[2], angles[model.columns[k]] - model.rests[k])
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = w, x, y, z
    c, s, d, e = math.cos(angles[16]), math.sin(angles[16]), math.cos(angles[17]), math.sin(angles[17])
    u = d * (c * along[0] + s * across[0]) + e * normal[0]
    v = d * (c * along[1] + s * across[1]) + e * normal[1]
    t = d * (c * along[2] + s * across[2]) + e * normal[2]
    w, x, y, z = quaternion_between(bone[0], bone[1], bone[2], u, v, t)
    pw, px, py, pz = axis_angle_quaternion(u, v, t, model.thumb_sign * angles[18])
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    out[12, 0], out[12, 1], out[12, 2], out[12, 3] = w, x, y, z
    if angles[21] != 0.0:
        rest_thumb_on_finger(angles[21], model, out)


@jit
def rest_thumb_on_finger(share, model, out):  # type: ignore[no-untyped-def]
    """Rotate the thumb's base so far towards the folded middle finger: first aside, then out of the palm."""
    along, across, normal, bones = model.along, model.across, model.out, model.bones
    gx, gy, gz = last_bone_middle(out[3:5], bones[3:])
    gx, gy, gz = gx + bones[5, 0], gy + bones[5, 1], gz + bones[5, 2]
    rx, ry, rz = last_bone_middle(out[12:15], bones)
    a = rx * across[0] + ry * across[1] + rz * across[2]
    b = rx * along[0] + ry * along[1] + rz * along[2]
    high = rx * normal[0] + ry * normal[1] + rz * normal[2]
    far = math.hypot(a, b)
    angle = math.atan2(
        gx * across[0] + gy * across[1] + gz * across[2], gx * along[0] + gy * along[1] + gz * along[2]
    ) - math.atan2(a, b)
    angle = share * min(max(angle, -THUMB_TURN), THUMB_TURN)
    up = (gx * normal[0] + gy * normal[1] + gz * normal[2]) / math.hypot(high, far)
    up = math.asin(min(max(up, -1.0), 1.0)) - math.atan2(high, far)
    up = share * min(max(up, -THUMB_TURN), THUMB_TURN)
    w, x, y, z = axis_angle_quaternion(model.aside[0], model.aside[1], model.aside[2], angle)
    a, b = a / far, b / far
    u, v, t = b * along[0] + a * across[0], b * along[1] + a * across[1], b * along[2] + a * across[2]
    u, v, t = rotate_vector(w, x, y, z, u, v, t)
    u, v, t = v * normal[2] - t * normal[1], t * normal[0] - u * normal[2], u * normal[1] - v * normal[0]
    size = math.sqrt(u * u + v * v + t * t)
    pw, px, py, pz = axis_angle_quaternion(u / size, v / size, t / size, up)
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    w, x, y, z = quaternion_product(w, x, y, z, out[12, 0], out[12, 1], out[12, 2], out[12, 3])
    out[12, 0], out[12, 1], out[12, 2], out[12, 3] = w, x, y, z


@jit
def last_bone_middle(rotations, bones):  # type: ignore[no-untyped-def]
    """From a finger's first joint to the middle of its last bone; ``rotations (N, 4)`` are its joints'."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    u, v, t = 0.0, 0.0, 0.0
    count = rotations.shape[0]
    for k in range(count):
        q = rotations[k]
        w, x, y, z = quaternion_product(w, x, y, z, q[0], q[1], q[2], q[3])
        half = 0.5 if k == count - 1 else 1.0
        a, b, c = rotate_vector(w, x, y, z, half * bones[k, 0], half * bones[k, 1], half * bones[k, 2])
        u, v, t = u + a, v + b, t + c
    return u, v, t
