"""Forearm roll, wrist and fingers; hands that drag a little behind what the arm does."""

from __future__ import annotations

import numpy as np

from kinesphere.body.fingers import PalmFrame, hand_rotations, mixed_shape, palm_frame
from kinesphere.figure.channels import Channels
from kinesphere.figure.curves import delayed, keyed, rounded
from kinesphere.figure.pose import RATE, SIGN, Pose
from kinesphere.figure.stance import ROLL
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.gesture import SHAPES, Gesture

ROLLS = (np.radians(-85.0), np.radians(85.0))
SHARED = 0.55  # of the forearm's roll that its own joint takes; the wrist takes the rest, and neither is wrung
DRAG, MOST_DRAG, LATE = 0.11, np.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL = 0.35  # of the drag that the fingers show
BENDS, ASIDES = (np.radians(-66.0), np.radians(76.0)), (np.radians(-28.0), np.radians(18.0))


def set_hand(
    pose: Pose, gesture: Gesture, channels: Channels, side: str, forearm: tuple[Floats, Floats], reach: Floats
) -> None:
    """Roll, bend and shape a hand on its forearm, which is turned so in the world and locally.

    ``reach (T, 3)`` goes from shoulder to wrist: the hand drags behind its changes.
    """
    skeleton = pose.skeleton
    lower, hand = skeleton.index(f"{side}LowerArm"), skeleton.index(f"{side}Hand")
    frame = palm_frame(skeleton, side)
    axis = skeleton.offsets[hand] / np.linalg.norm(skeleton.offsets[hand])
    chest = pose.world()[0][:, skeleton.index("upperChest")]
    roll = np.clip(_roll(gesture, side, forearm[0], chest, frame, axis, pose.time), *ROLLS)
    roll = np.clip(roll + channels[f"{side}.hand.roll"], *ROLLS)
    about = SIGN[side] * roll
    dragged = _drag(pose, rotations.multiply(forearm[0], rotations.from_axis_angle(axis, about)), frame, reach)
    dragged = dragged * channels.with_default(f"{side}.hand.loose", 1.0)
    bend = np.clip(channels[f"{side}.hand.bend"] + dragged[0], *BENDS)
    aside = np.clip(channels[f"{side}.hand.aside"] + dragged[1], *ASIDES)
    pose.local[:, lower] = rotations.multiply(forearm[1], rotations.from_axis_angle(axis, SHARED * about))
    wrist = rotations.multiply(
        rotations.from_axis_angle(np.cross(frame.along, frame.across), aside),
        rotations.from_axis_angle(np.cross(frame.along, frame.out), bend),
    )
    pose.local[:, hand] = rotations.multiply(rotations.from_axis_angle(axis, (1.0 - SHARED) * about), wrist)
    angles = mixed_shape({name: channels[f"{side}.hand.{name}"] for name in SHAPES[1:]})
    late = CURL * np.stack([delayed(dragged[0], RATE, lag, pose.loop) for lag in (0.03, 0.05, 0.07)], axis=-1)
    late = late + 0.03 * channels.breath[:, None]
    for finger in range(4):
        angles[:, 4 * finger : 4 * finger + 3] += late
    for joint, turn in hand_rotations(skeleton, side, angles).items():
        pose.local[:, joint] = turn


def _roll(
    gesture: Gesture, side: str, forearm: Floats, chest: Floats, frame: PalmFrame, along: Floats, time: Floats
) -> Floats:
    """How far the forearm is rolled ``(T,)``, thumb inwards above zero: as palms need it at their keys."""
    keys = gesture.palms.get(side, ())
    if not keys:
        return np.full(len(time), ROLL)
    frames = np.clip(np.round(np.array([key.time for key in keys]) * RATE).astype(np.intp), 0, len(time) - 1)
    hangs = np.array([key.direction is None for key in keys])
    ways = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm[frames], along)
    now = rotations.rotate(forearm[frames], frame.out)
    wanted = rotations.rotate(chest[frames], ways)
    wanted = wanted - np.sum(wanted * axis, axis=-1, keepdims=True) * axis
    angle = np.arctan2(np.sum(axis * np.cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(hangs, ROLL, np.clip(SIGN[side] * angle, *ROLLS))
    period = gesture.duration if gesture.loop else None
    return rounded(keyed([key.time for key in keys], needed, time, period), RATE, 0.05, gesture.loop)


def _drag(pose: Pose, hand: Floats, frame: PalmFrame, reach: Floats) -> Floats:
    """``(2, T)`` how far a loose hand bends and goes aside behind its wrist's movement."""
    velocity = np.gradient(reach, axis=0) * RATE
    if pose.loop:
        velocity[0] = velocity[-1] = 0.5 * RATE * (reach[1] - reach[-2])
    velocity = rotations.rotate(rotations.conjugate(hand), rounded(velocity, RATE, 0.03, pose.loop)) / pose.size
    drag = -DRAG * np.stack([velocity @ frame.out, velocity @ frame.across])
    drag = MOST_DRAG * np.tanh(drag / MOST_DRAG)
    return np.stack([delayed(row, RATE, LATE, pose.loop) for row in drag])
