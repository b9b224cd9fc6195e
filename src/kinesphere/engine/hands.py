"""Hands: forearm roll, wrists and fingers of all arms of a batch, written into a pose.

Palms face the directions of the phrase's keys. Hands drag a little behind their wrists' velocity, and fingers behind
the hands; flourishes bend and turn them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
from kinesphere.body.hands import _LAID as THUMB_TURN
from kinesphere.body.hands import ANGLES, HandRig, PalmFrame, blend_hand_shapes, hand_rig
from kinesphere.engine.arms import ArmPose
from kinesphere.engine.batch import Batch
from kinesphere.engine.channels import ChannelCurves
from kinesphere.engine.clocks import StrokeClock
from kinesphere.engine.overlays import twist_wave, wrist_flexion
from kinesphere.engine.pose import ROLL, SIGN, BatchPose, FigureLimb, limb_of
from kinesphere.maths import rotations, threads
from kinesphere.maths.interpolation import gaussian, monotone_cubic
from kinesphere.maths.vectors import Floats, Ints, clip, cross, reject
from kinesphere.motion.gesture import SHAPES
from kinesphere.motion.phrase import Phrase
from kinesphere.motion.skeleton import Skeleton

ROLLS = (math.radians(-85.0), math.radians(85.0))
DRAG, MOST_DRAG, LATE = 0.11, math.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL, LAGS = 0.35, (0.03, 0.05, 0.07)  # of the drag that the fingers show, and seconds later
TRAIL_LATE = 0.045  # seconds more that a hand drags which trails
INHALED = 0.03  # radians that fingers bend with a full breath
BENDS, ASIDES = (math.radians(-66.0), math.radians(76.0)), (math.radians(-28.0), math.radians(18.0))
NARROW = 0.15  # seconds around a moment without room in which wrists are not bent by flourishes
FRAME_WORK = 100  # numbers that a hand is worth when performances are shared among threads


def set_hands(
    pose: BatchPose,
    phrases: Sequence[Phrase],
    channels: ChannelCurves,
    arms: ArmPose,
    clocks: Mapping[str, Sequence[StrokeClock | None]],
    keeping: Floats | None = None,
) -> None:
    """Write the rotations of all arms and hands; ``clocks`` are those of each side's arms.

    ``keeping (2 F,)`` is how far hands keep their referents: these do not drag, and no overlay changes their shape.
    """
    batch, curves, active = pose.batch.both_sides, arms.flourishes, 1.0 - arms.relaxed
    weight, free = arms.flourish_weight, 1.0 if keeping is None else 1.0 - keeping
    counts = np.where(arms.half_waves != 0.0, np.abs(arms.half_waves), curves["wrist_frequency"])
    signed = weight * np.where(arms.half_waves < 0.0, -1.0, 1.0)
    twist = twist_wave(arms.time_share, curves["wrist_twist"] * signed, counts)
    velocity = batch.smooth(batch.velocity(arms.wrist), 0.03) / pose.arm_size
    if curves["trail"].any():  # a hand that trails goes by what its wrist did a moment ago
        trail = np.broadcast_to(curves["trail"], (len(batch),))[:, None]
        velocity = velocity + trail * (batch.delay(velocity, TRAIL_LATE) - velocity)
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
        clip(_rolls(pose, phrases, arms, clocks) + channels.sides("hand.roll") + twist, *ROLLS),
        velocity,
        channels.sides("hand.loose") * (1.0 + (curves["loose"] - 1.0) * active) * free,
        channels.sides("hand.bend") + (_calm_room(batch, arms.room) * bend if bend.any() else 0.0),
        np.broadcast_to(curves["wrist_range"], arms.flexion.shape),
        channels.sides("hand.aside"),
        _finger_angles(channels, {name: curves[name] * (active * free) for name in ("fist", "open")}),
        np.concatenate([channels.breath, channels.breath]),
    )
    for side, own in arms.sides.items():
        if SIGN[side] < 0.0:
            np.negative(hands.roll[own], out=hands.roll[own])
        solve_hands(pose, side, HandMotion(*(row[own] for row in hands)))


def _calm_room(batch: Batch, room: Floats) -> Floats:
    """The room for flourishes ``(2 F,)``, the least around each frame: no wrist bends and straightens at every clap."""
    return 1.0 - batch.smooth(batch.running_maximum(1.0 - room, NARROW), 0.5 * NARROW)


def _finger_angles(channels: ChannelCurves, overlays: dict[str, Floats]) -> Floats:
    """``(2 F, 22)`` the fingers' angles: of the phrase's hand shapes, and of shapes that replace them in part.

    They replace a relaxed or an open hand: a hand that points, grips or is a fist means something by that.
    """
    weights = {name: channels.sides(f"hand.{name}") for name in channels.nonzero("hand", SHAPES[1:])}
    meant = clip(sum(weight for name, weight in weights.items() if name != "open"), 0.0, 1.0)
    for shape, amount in overlays.items():
        if amount.any():
            amount = amount * (1.0 - meant)
            weights = {name: weight - amount * weight for name, weight in weights.items()}
            weights[shape] = weights.get(shape, 0.0) + amount
    made = np.empty((2 * len(channels.breath), ANGLES))
    made[:] = blend_hand_shapes(weights)
    return made


def _rolls(
    pose: BatchPose, phrases: Sequence[Phrase], arms: ArmPose, clocks: Mapping[str, Sequence[StrokeClock | None]]
) -> Floats:
    """``(2 F,)`` forearm rolls, thumbs inwards above zero."""
    made = np.empty(len(arms.flexion))
    for side, rows in arms.sides.items():
        limb, frame = limb_of(pose.skeleton, side, "Arm"), hand_rig(pose.skeleton, side).frame
        for phrase, frames, clock in zip(phrases, pose.batch.slices, clocks[side], strict=True):
            own = slice((rows.start or 0) + frames.start, (rows.start or 0) + frames.stop)
            made[own] = _roll(phrase, side, limb, arms, frame, own, clock, pose.batch.rate)
    return made


def _roll(
    phrase: Phrase,
    side: str,
    limb: FigureLimb,
    arms: ArmPose,
    frame: PalmFrame,
    rows: slice,
    clock: StrokeClock | None,
    rate: float,
) -> Floats | float:
    """One arm's roll ``(T,)``, such that the palm faces the directions of its keys."""
    keys = phrase.arm(side).palms
    if not keys:
        return float(ROLL)
    count = rows.stop - rows.start
    time = np.arange(count) / rate
    source = np.array([key.time for key in keys])
    when = source if clock is None else clock.to_output(source)
    frames = rows.start + clip(np.round(when * rate).astype(np.intp), 0, count - 1)
    forearm = rotations.multiply(arms.upper[frames], limb.elbow_rotation(arms.flexion[frames]))  # in the chest's axes
    relaxed = np.array([key.direction is None for key in keys])
    directions = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm, limb.lower / limb.lengths[1])
    now = rotations.rotate(forearm, frame.out)
    wanted = reject(directions, axis)
    angle = np.arctan2(np.sum(axis * cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(relaxed, ROLL, clip(SIGN[side] * angle, *ROLLS))
    period = phrase.duration if phrase.loop else None
    curve = monotone_cubic(source, needed, time if clock is None else clock.to_source(time), period)
    return np.asarray(clip(gaussian(curve, rate, 0.05, phrase.loop), *ROLLS))


# Inverse kinematics of hands


class HandMotion(NamedTuple):
    """One side's arms and hands in every frame."""

    upper: Floats  # (F, 4) the shoulder's rotation in the chest's axes
    flexion: Floats  # (F,) the elbow's angle
    roll: Floats  # (F,) of the forearm
    velocity: Floats  # (F, 3) of the wrist in the chest's axes, for a figure 1.70 m tall
    loose: Floats  # (F,) how far the hand drags behind it
    bend: Floats  # (F,) of the wrist, without drag
    bend_range: Floats  # (F,) what the wrist's range is multiplied by
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
    drag: float  # radians that the hand drags at 1 m/s
    most_drag: float  # and the most
    curl: float  # of the drag that the fingers show
    inhaled: float  # radians that fingers bend with a full breath
    bends: tuple[float, float]  # least and greatest angle of the wrist inwards
    asides: tuple[float, float]  # and to the side
    thumb_turn: float  # the largest rotation of the thumb's base by which it comes to rest on the fingers


@lru_cache(maxsize=32)
def _hand_model(skeleton: Skeleton, side: str, rate: float) -> HandModel:
    limb, rig = limb_of(skeleton, side, "Arm"), hand_rig(skeleton, side)
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
        DRAG,
        MOST_DRAG,
        CURL,
        INHALED,
        BENDS,
        ASIDES,
        THUMB_TURN,
    )


def _is_whole(rig: HandRig) -> bool:
    """Whether it is a whole hand in the world's axes, as the figure's are."""
    whole = len(rig.joints) == 15 and len(rig.knuckles) == 4 and rig.plain
    return whole and rig.joints[12] == rig.thumb[0][0] and rig.joints[3] == rig.middle[0][0]


def solve_hands(pose: BatchPose, side: str, hands: HandMotion) -> None:
    """Write the rotations of one side's arms, wrists and fingers."""
    hands = HandMotion(*(np.ascontiguousarray(row) for row in hands))
    model = _hand_model(pose.skeleton, side, pose.batch.rate)

    def solve(part: slice) -> None:
        _native.engine_hands.solve_hands(pose.batch.rows.select(part), hands, model, pose.local)

    threads.share_frames(len(pose.batch.counts), len(hands.flexion) * FRAME_WORK, solve)
