"""Forearm roll, wrist and fingers; hands that drag a little behind what the arm does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.body.fingers import ANGLES, PalmFrame, hand_rig, mixed_shape
from kinesphere.figure.arms import ArmPose
from kinesphere.figure.channels import Curves
from kinesphere.figure.clocks import Clock
from kinesphere.figure.curves import keyed, rounded
from kinesphere.figure.flourishes import twist, wrist_flexion
from kinesphere.figure.hand_laying import Grip, lay
from kinesphere.figure.limbs import Limb, limb_of
from kinesphere.figure.pose import SIGN, Pose
from kinesphere.figure.proportions import HEIGHT
from kinesphere.figure.spans import RATE
from kinesphere.figure.stance import ROLL
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats, within
from kinesphere.motion.gesture import SHAPES, Gesture

ROLLS = (np.radians(-85.0), np.radians(85.0))


def set_hands(
    pose: Pose,
    gestures: Sequence[Gesture],
    channels: Curves,
    arms: ArmPose,
    clocks: Mapping[str, Sequence[Clock | None]],
) -> None:
    """Lay arms and roll, bend and shape their hands: ``clocks`` are each side's.

    Palms face where the gestures say; hands drag behind what their wrists do; flourishes bend and turn them.
    """
    spans, shown, asked = pose.spans.twice, arms.flourishes, 1.0 - arms.hanging
    turned = twist(arms.share, shown["wrist_twist"] * arms.busy, shown["wrist_frequency"])
    flexed = wrist_flexion(
        arms.share,
        shown["wrist_bend"] * arms.busy,
        shown["wrist_extension"],
        shown["flexed"] * asked,
        shown["flexed_angle"],
    )
    grip = Grip(
        within(_rolls(pose, gestures, arms, clocks) + channels.sides("hand.roll") + turned, *ROLLS),
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
        lay(pose, side, arms.upper[own], arms.flexion[own], Grip(*(row[own] for row in grip)))


def _shaped(channels: Curves, shown: dict[str, Floats]) -> Floats:
    """``(2 F, 22)`` the fingers' angles as the gesture says, and in what is ``shown`` instead."""
    weights = {name: channels.sides(f"hand.{name}") for name in channels.moved("hand", SHAPES[1:])}
    for shape, amount in shown.items():
        if amount.any():
            weights = {name: weight - amount * weight for name, weight in weights.items()}
            weights[shape] = weights.get(shape, 0.0) + amount
    made = np.empty((2 * len(channels.breath), ANGLES))
    made[:] = mixed_shape(weights)
    return made


def _rolls(
    pose: Pose, gestures: Sequence[Gesture], arms: ArmPose, clocks: Mapping[str, Sequence[Clock | None]]
) -> Floats:
    """``(2 F,)`` how far forearms are rolled, thumbs inwards above zero."""
    made = np.empty(len(arms.flexion))
    for side, rows in arms.sides.items():
        limb, frame = limb_of(HEIGHT * pose.size, side, "Arm"), hand_rig(pose.skeleton, side).frame
        for gesture, frames, clock in zip(gestures, pose.spans.slices(), clocks[side], strict=True):
            own = slice((rows.start or 0) + frames.start, (rows.start or 0) + frames.stop)
            made[own] = _roll(gesture, side, limb, arms, frame, own, clock)
    return made


def _roll(
    gesture: Gesture, side: str, limb: Limb, arm: ArmPose, frame: PalmFrame, span: slice, clock: Clock | None
) -> Floats | float:
    """How far the forearm is rolled ``(T,)``, thumb inwards above zero: as palms need it at their keys."""
    keys = gesture.palms.get(side, ())
    if not keys:
        return float(ROLL)
    count = span.stop - span.start
    time = np.arange(count) / RATE
    written = np.array([key.time for key in keys])
    when = written if clock is None else clock.when(written)
    frames = span.start + within(np.round(when * RATE).astype(np.intp), 0, count - 1)
    forearm = rotations.multiply(arm.upper[frames], limb.bent(arm.flexion[frames]))  # as the chest sees it
    hangs = np.array([key.direction is None for key in keys])
    ways = np.array([key.direction or (0.0, 0.0, 1.0) for key in keys])
    axis = rotations.rotate(forearm, limb.lower / limb.lengths[1])
    now = rotations.rotate(forearm, frame.out)
    wanted = ways - np.sum(ways * axis, axis=-1, keepdims=True) * axis
    angle = np.arctan2(np.sum(axis * np.cross(now, wanted), axis=-1), np.sum(now * wanted, axis=-1))
    needed = np.where(hangs, ROLL, within(SIGN[side] * angle, *ROLLS))
    moment = time if clock is None else clock.moment(time)
    period = gesture.duration if gesture.loop else None
    rolled = rounded(keyed(written, needed, moment, period), RATE, 0.05, gesture.loop)
    return np.asarray(within(rolled, *ROLLS))
