"""Forearms rolled, wrists bent and fingers shaped: the rotations of an arm's joints, written into a pose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.body.hands import _LAID as LAID
from kinesphere.body.hands import ANGLES, HandRig, PalmFrame, blend_hand_shapes, hand_rig
from kinesphere.engine.arms import ArmPose
from kinesphere.engine.batch import RATE
from kinesphere.engine.channels import ChannelCurves
from kinesphere.engine.clocks import StrokeClock
from kinesphere.engine.overlays import forearm_twist, wrist_flexion
from kinesphere.engine.pose import ROLL, SIGN, FigureLimb, Pose, figure_limb
from kinesphere.engine.proportions import HEIGHT
from kinesphere.maths import compiled, rotations
from kinesphere.maths.compiled import compile_kernel
from kinesphere.maths.interpolation import gaussian, monotone_cubic
from kinesphere.maths.rotations import (
    axis_angle_quaternion,
    cos_and_sinc,
    quaternion_between,
    quaternion_product,
    rotate_vector,
    write_quaternion,
)
from kinesphere.maths.vectors import Floats, Ints, clip
from kinesphere.motion.gesture import SHAPES, Gesture
from kinesphere.motion.skeleton import Skeleton

SHARED = 0.55  # of the forearm's roll that its own joint takes; the wrist takes the rest, and neither is wrung
DRAG, MOST_DRAG, LATE = 0.11, np.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL, LAGS = 0.35, (0.03, 0.05, 0.07)  # of the drag that the fingers show, and seconds later
INHALED = 0.03  # radians that fingers bend with a full breath
BENDS, ASIDES = (np.radians(-66.0), np.radians(76.0)), (np.radians(-28.0), np.radians(18.0))
SOFT = np.radians(15.0)  # over which a wrist comes to its limits
WORTH = 100  # a hand is far more work than three numbers of a product


class HandMotion(NamedTuple):
    """What one side's hands do. All are every frame's."""

    roll: Floats  # (F,) of the forearm
    velocity: Floats  # (F, 3) of the wrist, as the chest sees it, for a figure 1.70 m tall
    loose: Floats  # (F,) how far the hand drags behind it
    bend: Floats  # (F,) of the wrist, without that
    aside: Floats  # (F,)
    angles: Floats  # (F, 22) of the fingers, without drag and breath; changed on the way
    breath: Floats  # (F,)


def solve_hands(pose: Pose, side: str, upper: Floats, flexion: Floats, grip: HandMotion) -> None:
    """Write one side's arms: ``upper (F, 4)`` as the chest sees it, and the elbow's ``flexion (F,)``."""
    kernels = compiled.loaded(flexion.size * WORTH)
    rig = hand_rig(pose.skeleton, side)
    if kernels is None or not _usual(rig):
        solve_hands_reference(pose, side, upper, flexion, grip)
        return
    rows = [np.ascontiguousarray(row) for row in (upper, flexion, *grip)]
    hand, dragged = _hand(pose.skeleton, side, pose.size, pose.spans.rate), np.empty((len(flexion), 2))

    def some(part: slice) -> None:
        kernels.lay_hands(*(row[part] for row in pose.spans.limits), *rows, *hand, dragged, pose.local)

    compiled.share_frames(len(pose.spans.counts), flexion.size * WORTH, some)


@lru_cache(maxsize=32)
def _hand(skeleton: Skeleton, side: str, size: float, rate: float) -> tuple[Floats | Ints, ...]:
    """Everything about a hand that does not change, as the compiled kernel takes it."""
    limb, rig = figure_limb(HEIGHT * size, side, "Arm"), hand_rig(skeleton, side)
    joints = np.array([skeleton.index(f"{side}{part}") for part in ("Shoulder", "UpperArm", "LowerArm", "Hand")])
    numbers = (limb.rest_flexion, MOST_DRAG, -DRAG, LATE * rate, SHARED, CURL, INHALED, SOFT, *BENDS, *ASIDES)
    rolls = 1.0 if side == "left" else -1.0
    columns, spreads = np.full(len(rig.joints), -1), np.zeros(len(rig.joints))
    columns[rig.knuckles], spreads[rig.knuckles] = rig.spread_columns, rig.spreads
    bones = [way for _, way in (*rig.thumb, *rig.middle[:2])]
    return (
        _axes(limb, rig),
        joints,
        np.array([*numbers, rolls, LAID, *(lag * rate for lag in LAGS)]),
        np.array(rig.joints),
        rig.columns,
        rig.axes,
        rig.rests,
        columns,
        spreads,
        np.array([*bones, rig.lies]),
    )


def _usual(rig: HandRig) -> bool:
    """Whether it is a whole hand in the world's axes, as the figure's are."""
    whole = len(rig.joints) == 15 and len(rig.knuckles) == 4 and rig.plain and rig.lies is not None
    return whole and rig.joints[12] == rig.thumb[0][0] and rig.joints[3] == rig.middle[0][0]


def _axes(limb: FigureLimb, rig: HandRig) -> Floats:
    """``(7, 3)`` of elbow and forearm, of the wrist aside and bent, and the palm's along, across and out."""
    frame = rig.frame
    wrist = np.cross([frame.along, frame.along], [frame.across, frame.out])
    return np.array([limb.hinge, limb.lower / limb.lengths[1], *wrist, frame.along, frame.across, frame.out])


def solve_hands_reference(pose: Pose, side: str, upper: Floats, flexion: Floats, grip: HandMotion) -> None:
    """The same in plain NumPy."""
    skeleton, spans = pose.skeleton, pose.spans
    limb, rig = figure_limb(HEIGHT * pose.size, side, "Arm"), hand_rig(skeleton, side)
    _, axis, aside_axis, bend_axis, _, across, out = _axes(limb, rig)
    clavicle = pose.local[:, skeleton.index(f"{side}Shoulder")]
    bent = limb.bent(flexion)
    hand = rotations.multiply(rotations.multiply(upper, bent), _about(axis, grip.roll))  # as the chest sees it
    velocity = rotations.rotate(rotations.conjugate(hand), grip.velocity)
    drag = MOST_DRAG * np.tanh(-DRAG * np.stack([velocity @ out, velocity @ across], axis=1) / MOST_DRAG)
    dragged = grip.loose[:, None] * spans.delayed(drag, LATE)
    bend = _held(grip.bend + dragged[:, 0])
    aside = clip(grip.aside + dragged[:, 1], *ASIDES)
    wrist = rotations.multiply(_about(aside_axis, aside), _about(bend_axis, bend))
    pose.turn(f"{side}UpperArm", rotations.multiply(rotations.conjugate(clavicle), upper))
    pose.turn(f"{side}LowerArm", rotations.multiply(bent, _about(axis, SHARED * grip.roll)))
    pose.turn(f"{side}Hand", rotations.multiply(_about(axis, (1.0 - SHARED) * grip.roll), wrist))
    late = CURL * np.stack([spans.delayed(dragged[:, 0], lag) for lag in LAGS], axis=-1)
    late = late + INHALED * grip.breath[:, None]
    angles = grip.angles.reshape(-1, ANGLES)
    for finger in range(4):
        angles[:, 4 * finger : 4 * finger + 3] += late
    pose.local[:, list(rig.joints)] = rig.rotations(angles)


def _about(axis: Floats, angle: Floats) -> Floats:
    return rotations.from_rotation_vector(axis * angle[:, None])


def _held(angles: Floats) -> Floats:
    """Angles that come softly to their limits."""
    low, high = BENDS
    over, under = np.maximum(angles - (high - SOFT), 0.0), np.maximum((low + SOFT) - angles, 0.0)
    return np.asarray(angles - over + SOFT * np.tanh(over / SOFT) + under - SOFT * np.tanh(under / SOFT))


# ---- Compiled forearms, hands and fingers. Import this only through ``compiled``.


@compile_kernel
def solve_hands_kernel(  # type: ignore[no-untyped-def]
    starts, counts, loops, upper, flexion, roll, velocity, loose, bend, aside, angles, breath,
    axes, joints, numbers, fingers, columns, finger_axes, rests, spread_columns, spreads, thumb, dragged, local,
):  # fmt: skip
    """Arms and hands (F, ...) into local rotations (F, J, 4); see ``hand_laying.lay``.

    ``axes`` (7, 3): hinge, forearm, aside, bend, and the palm's along, across and out. ``joints``: clavicle, upper
    arm, forearm, hand. ``thumb`` (6, 3): its three bones, the middle finger's first two, and what lies between them.
    """
    rest, most, drags, late, shared, curl, inhaled, soft, least, highest, inmost, outmost, rolls, lies = numbers[:14]
    lags = numbers[14:17]
    along, across, out = axes[4], axes[5], axes[6]
    turns, apart, bent, before = np.empty((15, 4)), np.empty((12, 4)), np.empty((12, 2)), np.full(22, np.nan)
    raw = np.empty((upper.shape[0], 2))
    for s in range(len(starts)):
        first, count, loop = starts[s], counts[s], loops[s]
        for i in range(first, first + count):
            w, x, y, z = axis_angle_quaternion(axes[0, 0], axes[0, 1], axes[0, 2], flexion[i] - rest)
            w, x, y, z = quaternion_product(upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3], w, x, y, z)
            pw, px, py, pz = axis_angle_quaternion(axes[1, 0], axes[1, 1], axes[1, 2], roll[i])
            w, x, y, z = quaternion_product(w, x, y, z, pw, px, py, pz)
            u, v, t = rotate_vector(w, -x, -y, -z, velocity[i, 0], velocity[i, 1], velocity[i, 2])
            raw[i, 0] = most * math.tanh(drags * (u * out[0] + v * out[1] + t * out[2]) / most)
            raw[i, 1] = most * math.tanh(drags * (u * across[0] + v * across[1] + t * across[2]) / most)
        for i in range(first, first + count):
            for k in range(2):
                dragged[i, k] = loose[i] * _late(raw, i, k, first, count, loop, late)
        for i in range(first, first + count):
            _lay_arm(i, upper, flexion, roll, bend, aside, axes, joints, dragged, local, rest, shared, soft,
                     least, highest, inmost, outmost)  # fmt: skip
            # Hands mostly keep their shape: what is as in the frame before is not worked out again.
            given = angles[i]
            for part in range(3):
                half = 0.5 * (curl * _late(dragged, i, 0, first, count, loop, lags[part]) + inhaled * breath[i])
                c, s_ = cos_and_sinc(half * half)
                s_ *= half
                for k in range(part, 12, 3):
                    angle = given[columns[k]]
                    if angle != before[columns[k]]:
                        before[columns[k]] = angle
                        bent[k, 0], bent[k, 1] = math.cos(0.5 * (angle - rests[k])), math.sin(0.5 * (angle - rests[k]))
                    a = finger_axes[k]
                    w, x = bent[k, 0] * c - bent[k, 1] * s_, bent[k, 1] * c + bent[k, 0] * s_
                    turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = w, x * a[0], x * a[1], x * a[2]
            for k in range(0, 12, 3):
                angle = given[spread_columns[k]]
                if angle != before[spread_columns[k]]:
                    before[spread_columns[k]] = angle
                    w, x, y, z = axis_angle_quaternion(axes[2, 0], axes[2, 1], axes[2, 2], angle - spreads[k])
                    apart[k, 0], apart[k, 1], apart[k, 2], apart[k, 3] = w, x, y, z
                a, q = apart[k], turns[k]
                q[0], q[1], q[2], q[3] = quaternion_product(a[0], a[1], a[2], a[3], q[0], q[1], q[2], q[3])
            changed = given[21] != 0.0  # a thumb that lies on fingers goes with them
            for n in range(16, 22):
                changed = changed or given[n] != before[n]
                before[n] = given[n]
            if changed:
                for k in (13, 14):
                    a = finger_axes[k]
                    w, x, y, z = axis_angle_quaternion(a[0], a[1], a[2], given[columns[k]] - rests[k])
                    turns[k, 0], turns[k, 1], turns[k, 2], turns[k, 3] = w, x, y, z
                _lay_thumb(given[16:], turns, thumb, along, across, out, axes[2], rolls, lies)
            for k in range(15):
                to, q = local[i, fingers[k]], turns[k]
                to[0], to[1], to[2], to[3] = q[0], q[1], q[2], q[3]


@compile_kernel
def _late(values, i, k, first, count, loop, frames):  # type: ignore[no-untyped-def]
    """A value some frames ago, held at the ends or round the loop."""
    whole = math.floor(-frames)
    share = -frames - whole
    a, b = i - first + int(whole), i - first + int(whole) + 1
    if loop:
        around = max(count - 1, 1)
        a, b = a % around, b % around
    else:
        a, b = min(max(a, 0), count - 1), min(max(b, 0), count - 1)
    return (1.0 - share) * values[first + a, k] + share * values[first + b, k]


@compile_kernel
def _lay_arm(  # type: ignore[no-untyped-def]
    i, upper, flexion, roll, bend, aside, axes, joints, dragged, local, rest, shared, soft,
    least, highest, inmost, outmost,
):  # fmt: skip
    """Shoulder, elbow and wrist of one frame."""
    clavicle = local[i, joints[0]]
    w, x, y, z = quaternion_product(
        clavicle[0], -clavicle[1], -clavicle[2], -clavicle[3], upper[i, 0], upper[i, 1], upper[i, 2], upper[i, 3]
    )
    write_quaternion(local, i, joints[1], w, x, y, z)
    w, x, y, z = axis_angle_quaternion(axes[0, 0], axes[0, 1], axes[0, 2], flexion[i] - rest)
    pw, px, py, pz = axis_angle_quaternion(axes[1, 0], axes[1, 1], axes[1, 2], shared * roll[i])
    w, x, y, z = quaternion_product(w, x, y, z, pw, px, py, pz)
    write_quaternion(local, i, joints[2], w, x, y, z)
    angle = bend[i] + dragged[i, 0]
    over, under = max(angle - (highest - soft), 0.0), max(least + soft - angle, 0.0)
    angle = angle - over + soft * math.tanh(over / soft) + under - soft * math.tanh(under / soft)
    w, x, y, z = axis_angle_quaternion(axes[3, 0], axes[3, 1], axes[3, 2], angle)
    angle = min(max(aside[i] + dragged[i, 1], inmost), outmost)
    pw, px, py, pz = axis_angle_quaternion(axes[2, 0], axes[2, 1], axes[2, 2], angle)
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    pw, px, py, pz = axis_angle_quaternion(axes[1, 0], axes[1, 1], axes[1, 2], (1.0 - shared) * roll[i])
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    write_quaternion(local, i, joints[3], w, x, y, z)


@compile_kernel
def _lay_thumb(angles, turns, bones, along, across, out, handed, rolls, lies):  # type: ignore[no-untyped-def]
    """The thumb's base, joint 12 of the hand's: to its direction, rolled about it, then onto folded fingers."""
    c, s, d, e = math.cos(angles[0]), math.sin(angles[0]), math.cos(angles[1]), math.sin(angles[1])
    u = d * (c * along[0] + s * across[0]) + e * out[0]
    v = d * (c * along[1] + s * across[1]) + e * out[1]
    t = d * (c * along[2] + s * across[2]) + e * out[2]
    w, x, y, z = quaternion_between(bones[0, 0], bones[0, 1], bones[0, 2], u, v, t)
    pw, px, py, pz = axis_angle_quaternion(u, v, t, rolls * angles[2])
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3] = w, x, y, z
    share = angles[5]
    if share == 0.0:
        return
    gx, gy, gz = _reach(turns, 3, 2, bones[3:])
    gx, gy, gz = gx + bones[5, 0], gy + bones[5, 1], gz + bones[5, 2]
    rx, ry, rz = _reach(turns, 12, 3, bones)
    a = rx * across[0] + ry * across[1] + rz * across[2]
    b = rx * along[0] + ry * along[1] + rz * along[2]
    high = rx * out[0] + ry * out[1] + rz * out[2]
    far = math.hypot(a, b)
    angle = math.atan2(
        gx * across[0] + gy * across[1] + gz * across[2], gx * along[0] + gy * along[1] + gz * along[2]
    ) - math.atan2(a, b)
    angle = share * min(max(angle, -lies), lies)
    up = (gx * out[0] + gy * out[1] + gz * out[2]) / math.hypot(high, far)
    up = math.asin(min(max(up, -1.0), 1.0)) - math.atan2(high, far)
    up = share * min(max(up, -lies), lies)
    w, x, y, z = axis_angle_quaternion(handed[0], handed[1], handed[2], angle)
    a, b = a / far, b / far
    u, v, t = b * along[0] + a * across[0], b * along[1] + a * across[1], b * along[2] + a * across[2]
    u, v, t = rotate_vector(w, x, y, z, u, v, t)
    u, v, t = v * out[2] - t * out[1], t * out[0] - u * out[2], u * out[1] - v * out[0]
    size = math.sqrt(u * u + v * v + t * t)
    pw, px, py, pz = axis_angle_quaternion(u / size, v / size, t / size, up)
    w, x, y, z = quaternion_product(pw, px, py, pz, w, x, y, z)
    w, x, y, z = quaternion_product(w, x, y, z, turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3])
    turns[12, 0], turns[12, 1], turns[12, 2], turns[12, 3] = w, x, y, z


@compile_kernel
def _reach(turns, first, count, bones):  # type: ignore[no-untyped-def]
    """From a finger's first joint to the middle of its last bone."""
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    u, v, t = 0.0, 0.0, 0.0
    for k in range(count):
        turn = turns[first + k]
        w, x, y, z = quaternion_product(w, x, y, z, turn[0], turn[1], turn[2], turn[3])
        half = 0.5 if k == count - 1 else 1.0
        a, b, c = rotate_vector(w, x, y, z, half * bones[k, 0], half * bones[k, 1], half * bones[k, 2])
        u, v, t = u + a, v + b, t + c
    return u, v, t


# ---- Forearm roll, wrist and fingers; hands that drag a little behind what the arm does.


ROLLS = (np.radians(-85.0), np.radians(85.0))


def set_hands(
    pose: Pose,
    gestures: Sequence[Gesture],
    channels: ChannelCurves,
    arms: ArmPose,
    clocks: Mapping[str, Sequence[StrokeClock | None]],
) -> None:
    """Lay arms and roll, bend and shape their hands: ``clocks`` are each side's.

    Palms face where the gestures say; hands drag behind what their wrists do; flourishes bend and turn them.
    """
    spans, shown, asked = pose.spans.twice, arms.flourishes, 1.0 - arms.hanging
    turned = forearm_twist(arms.share, shown["wrist_twist"] * arms.busy, shown["wrist_frequency"])
    flexed = wrist_flexion(
        arms.share,
        shown["wrist_bend"] * arms.busy,
        shown["wrist_extension"],
        shown["flexed"] * asked,
        shown["flexed_angle"],
    )
    grip = HandMotion(
        clip(_rolls(pose, gestures, arms, clocks) + channels.sides("hand.roll") + turned, *ROLLS),
        spans.rounded(spans.velocity(arms.wrist), 0.03) / pose.size,
        channels.sides("hand.loose") * (1.0 + (shown["loose"] - 1.0) * asked),
        channels.sides("hand.bend") + arms.room * flexed,
        channels.sides("hand.aside"),
        _shaped(channels, {name: shown[name] * asked for name in ("fist", "open")}),
        np.concatenate([channels.breath, channels.breath]),
    )
    for side, own in arms.sides.items():
        if SIGN[side] < 0.0:
            np.negative(grip.roll[own], out=grip.roll[own])
        solve_hands(pose, side, arms.upper[own], arms.flexion[own], HandMotion(*(row[own] for row in grip)))


def _shaped(channels: ChannelCurves, shown: dict[str, Floats]) -> Floats:
    """``(2 F, 22)`` the fingers' angles as the gesture says, and in what is ``shown`` instead."""
    weights = {name: channels.sides(f"hand.{name}") for name in channels.moved("hand", SHAPES[1:])}
    for shape, amount in shown.items():
        if amount.any():
            weights = {name: weight - amount * weight for name, weight in weights.items()}
            weights[shape] = weights.get(shape, 0.0) + amount
    made = np.empty((2 * len(channels.breath), ANGLES))
    made[:] = blend_hand_shapes(weights)
    return made


def _rolls(
    pose: Pose, gestures: Sequence[Gesture], arms: ArmPose, clocks: Mapping[str, Sequence[StrokeClock | None]]
) -> Floats:
    """``(2 F,)`` how far forearms are rolled, thumbs inwards above zero."""
    made = np.empty(len(arms.flexion))
    for side, rows in arms.sides.items():
        limb, frame = figure_limb(HEIGHT * pose.size, side, "Arm"), hand_rig(pose.skeleton, side).frame
        for gesture, frames, clock in zip(gestures, pose.spans.slices(), clocks[side], strict=True):
            own = slice((rows.start or 0) + frames.start, (rows.start or 0) + frames.stop)
            made[own] = _roll(gesture, side, limb, arms, frame, own, clock)
    return made


def _roll(
    gesture: Gesture,
    side: str,
    limb: FigureLimb,
    arm: ArmPose,
    frame: PalmFrame,
    span: slice,
    clock: StrokeClock | None,
) -> Floats | float:
    """How far the forearm is rolled ``(T,)``, thumb inwards above zero: as palms need it at their keys."""
    keys = gesture.palms.get(side, ())
    if not keys:
        return float(ROLL)
    count = span.stop - span.start
    time = np.arange(count) / RATE
    written = np.array([key.time for key in keys])
    when = written if clock is None else clock.when(written)
    frames = span.start + clip(np.round(when * RATE).astype(np.intp), 0, count - 1)
    forearm = rotations.multiply(arm.upper[frames], limb.bent(arm.flexion[frames]))  # as the chest sees it
    hangs = np.array([key.direction is None for key in keys])
    ways = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm, limb.lower / limb.lengths[1])
    now = rotations.rotate(forearm, frame.out)
    wanted = ways - np.sum(ways * axis, axis=-1, keepdims=True) * axis
    angle = np.arctan2(np.sum(axis * np.cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(hangs, ROLL, clip(SIGN[side] * angle, *ROLLS))
    moment = time if clock is None else clock.moment(time)
    period = gesture.duration if gesture.loop else None
    rolled = gaussian(monotone_cubic(written, needed, moment, period), RATE, 0.05, gesture.loop)
    return np.asarray(clip(rolled, *ROLLS))
