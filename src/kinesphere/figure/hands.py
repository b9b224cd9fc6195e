"""Forearm roll, wrist and fingers; hands that drag a little behind what the arm does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinesphere.body.fingers import PalmFrame, hand_rig, mixed_shape
from kinesphere.figure.arms import ArmPose
from kinesphere.figure.channels import Curves
from kinesphere.figure.clocks import Clock
from kinesphere.figure.curves import keyed, rounded
from kinesphere.figure.flourishes import twist, wrist_flexion
from kinesphere.figure.limbs import limb_of
from kinesphere.figure.pose import SIGN, Pose
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.spans import RATE
from kinesphere.figure.stance import ROLL
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, within
from kinesphere.motion.gesture import SHAPES, Gesture

ROLLS = (np.radians(-85.0), np.radians(85.0))
SHARED = 0.55  # of the forearm's roll that its own joint takes; the wrist takes the rest, and neither is wrung
DRAG, MOST_DRAG, LATE = 0.11, np.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL = 0.35  # of the drag that the fingers show
BENDS, ASIDES = (np.radians(-66.0), np.radians(76.0)), (np.radians(-28.0), np.radians(18.0))


def set_hands(
    pose: Pose, gestures: Sequence[Gesture], channels: Curves, side: str, arm: ArmPose, clocks: Sequence[Clock | None]
) -> None:
    """Lay one side's arms and roll, bend and shape their hands.

    Palms face where the gestures say; hands drag behind what their wrists do; flourishes bend and turn them.
    """
    skeleton = pose.skeleton
    upper, lower, hand = (skeleton.index(f"{side}{part}") for part in ("UpperArm", "LowerArm", "Hand"))
    limb = limb_of(HEIGHT * pose.size, side, "Arm")
    clavicle = pose.local[:, skeleton.index(f"{side}Shoulder")]
    pose.local[:, upper] = rotations.multiply(rotations.conjugate(clavicle), arm.upper)
    bent = limb.bent(arm.flexion)
    forearm = rotations.multiply(arm.upper, bent)  # as the chest sees it
    frame = hand_rig(skeleton, side).frame
    axis = limb.lower / limb.lengths[1]
    aside_axis, bend_axis = np.cross([frame.along, frame.along], [frame.across, frame.out])
    roll = np.concatenate(
        [
            _roll(gesture, side, forearm[frames], frame, axis, pose.spans.time[frames], clock)
            for gesture, frames, clock in zip(gestures, pose.spans.slices(), clocks, strict=True)
        ]
    )
    shown = arm.flourishes
    turned = twist(arm.share, shown["wrist_twist"] * arm.busy, shown["wrist_frequency"])
    about = SIGN[side] * within(within(roll, *ROLLS) + channels[f"{side}.hand.roll"] + turned, *ROLLS)
    dragged = _drag(
        pose, rotations.multiply(forearm, rotations.from_rotation_vector(axis * about[:, None])), frame, arm.wrist
    )
    dragged = dragged * channels[f"{side}.hand.loose"] * (1.0 + (shown["loose"] - 1.0) * (1.0 - arm.hanging))
    asked = 1.0 - arm.hanging
    flexed = wrist_flexion(
        arm.share,
        shown["wrist_bend"] * arm.busy,
        shown["wrist_extension"],
        shown["flexed"] * asked,
        shown["flexed_angle"],
    )
    bend = _held(channels[f"{side}.hand.bend"] + dragged[0] + arm.room * flexed, BENDS)
    aside = within(channels[f"{side}.hand.aside"] + dragged[1], *ASIDES)
    pose.local[:, lower] = rotations.multiply(bent, rotations.from_rotation_vector(SHARED * axis * about[:, None]))
    wrist = rotations.multiply(
        rotations.from_rotation_vector(aside_axis * aside[:, None]),
        rotations.from_rotation_vector(bend_axis * bend[:, None]),
    )
    pose.local[:, hand] = rotations.multiply(
        rotations.from_rotation_vector((1.0 - SHARED) * axis * about[:, None]), wrist
    )
    _set_fingers(pose, channels, side, dragged[0], {name: shown[name] * asked for name in ("fist", "open")})


def _set_fingers(pose: Pose, channels: Curves, side: str, dragged: Floats, shown: dict[str, Floats]) -> None:
    """Shape the fingers as the gesture says, and in what is ``shown`` instead."""
    weights = {name: channels[f"{side}.hand.{name}"] for name in SHAPES[1:]}
    for shape, amount in shown.items():
        if amount.any():
            weights = {name: weight + amount * (float(name == shape) - weight) for name, weight in weights.items()}
    angles = mixed_shape(weights)
    late = CURL * np.stack([pose.spans.delayed(dragged, lag) for lag in (0.03, 0.05, 0.07)], axis=-1)
    late = late + 0.03 * channels.breath[:, None]
    for finger in range(4):
        angles[:, 4 * finger : 4 * finger + 3] += late
    rig = hand_rig(pose.skeleton, side)
    pose.local[:, list(rig.joints)] = rig.rotations(angles)


def _held(angles: Floats, within: tuple[float, float]) -> Floats:
    """Angles that come softly to their limits, over the last 15°."""
    soft = np.radians(15.0)
    low, high = within
    over, under = np.maximum(angles - (high - soft), 0.0), np.maximum((low + soft) - angles, 0.0)
    return np.asarray(angles - over + soft * np.tanh(over / soft) + under - soft * np.tanh(under / soft))


def _roll(
    gesture: Gesture, side: str, forearm: Floats, frame: PalmFrame, along: Floats, time: Floats, clock: Clock | None
) -> Floats:
    """How far the forearm is rolled ``(T,)``, thumb inwards above zero: as palms need it at their keys."""
    keys = gesture.palms.get(side, ())
    if not keys:
        return np.full(len(time), ROLL)
    written = np.array([key.time for key in keys])
    when = written if clock is None else clock.when(written)
    frames = within(np.round(when * RATE).astype(np.intp), 0, len(time) - 1)
    hangs = np.array([key.direction is None for key in keys])
    ways = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm[frames], along)
    now = rotations.rotate(forearm[frames], frame.out)
    wanted = ways - np.sum(ways * axis, axis=-1, keepdims=True) * axis
    angle = np.arctan2(np.sum(axis * np.cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(hangs, ROLL, within(SIGN[side] * angle, *ROLLS))
    moment = time if clock is None else clock.moment(time)
    period = gesture.duration if gesture.loop else None
    return rounded(keyed(written, needed, moment, period), RATE, 0.05, gesture.loop)


def _drag(pose: Pose, hand: Floats, frame: PalmFrame, reach: Floats) -> Floats:
    """``(2, F)`` how far a loose hand bends and goes aside behind its wrist's movement, as the chest sees it."""
    velocity = pose.spans.rounded(pose.spans.velocity(reach), 0.03)
    velocity = rotations.rotate(rotations.conjugate(hand), velocity) / pose.size
    drag = -DRAG * np.stack([velocity @ frame.out, velocity @ frame.across])
    drag = MOST_DRAG * np.tanh(drag / MOST_DRAG)
    return pose.spans.delayed(drag.T, LATE).T
