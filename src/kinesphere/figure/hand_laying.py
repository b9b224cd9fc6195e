"""Forearms rolled, wrists bent and fingers shaped: the rotations of an arm's joints, written into a pose."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinesphere.body.fingers import _LAID as LAID
from kinesphere.body.fingers import ANGLES, HandRig, hand_rig
from kinesphere.figure.limbs import Limb, limb_of
from kinesphere.figure.pose import Pose
from kinesphere.figure.proportions import HEIGHT
from kinesphere.kernels import compiled, rotations
from kinesphere.kernels.arrays import Floats, Ints, within
from kinesphere.motion.skeleton import Skeleton

SHARED = 0.55  # of the forearm's roll that its own joint takes; the wrist takes the rest, and neither is wrung
DRAG, MOST_DRAG, LATE = 0.11, np.radians(22.0), 0.045  # radians at 1 m/s, the most, seconds
CURL, LAGS = 0.35, (0.03, 0.05, 0.07)  # of the drag that the fingers show, and seconds later
INHALED = 0.03  # radians that fingers bend with a full breath
BENDS, ASIDES = (np.radians(-66.0), np.radians(76.0)), (np.radians(-28.0), np.radians(18.0))
SOFT = np.radians(15.0)  # over which a wrist comes to its limits
WORTH = 100  # a hand is far more work than three numbers of a product


class Grip(NamedTuple):
    """What one side's hands do. All are every frame's."""

    roll: Floats  # (F,) of the forearm
    velocity: Floats  # (F, 3) of the wrist, as the chest sees it, for a figure 1.70 m tall
    loose: Floats  # (F,) how far the hand drags behind it
    bend: Floats  # (F,) of the wrist, without that
    aside: Floats  # (F,)
    angles: Floats  # (F, 22) of the fingers, without drag and breath; changed on the way
    breath: Floats  # (F,)


def lay(pose: Pose, side: str, upper: Floats, flexion: Floats, grip: Grip) -> None:
    """Write one side's arms: ``upper (F, 4)`` as the chest sees it, and the elbow's ``flexion (F,)``."""
    kernels = compiled.loaded(flexion.size * WORTH)
    rig = hand_rig(pose.skeleton, side)
    if kernels is None or not _usual(rig):
        lay_reference(pose, side, upper, flexion, grip)
        return
    rows = [np.ascontiguousarray(row) for row in (upper, flexion, *grip)]
    hand, dragged = _hand(pose.skeleton, side, pose.size, pose.spans.rate), np.empty((len(flexion), 2))

    def some(part: slice) -> None:
        kernels.lay_hands(*(row[part] for row in pose.spans.limits), *rows, *hand, dragged, pose.local)

    compiled.share_frames(len(pose.spans.counts), flexion.size * WORTH, some)


@lru_cache(maxsize=32)
def _hand(skeleton: Skeleton, side: str, size: float, rate: float) -> tuple[Floats | Ints, ...]:
    """Everything about a hand that does not change, as the compiled kernel takes it."""
    limb, rig = limb_of(HEIGHT * size, side, "Arm"), hand_rig(skeleton, side)
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


def _axes(limb: Limb, rig: HandRig) -> Floats:
    """``(7, 3)`` of elbow and forearm, of the wrist aside and bent, and the palm's along, across and out."""
    frame = rig.frame
    wrist = np.cross([frame.along, frame.along], [frame.across, frame.out])
    return np.array([limb.hinge, limb.lower / limb.lengths[1], *wrist, frame.along, frame.across, frame.out])


def lay_reference(pose: Pose, side: str, upper: Floats, flexion: Floats, grip: Grip) -> None:
    """The same in plain NumPy."""
    skeleton, spans = pose.skeleton, pose.spans
    limb, rig = limb_of(HEIGHT * pose.size, side, "Arm"), hand_rig(skeleton, side)
    _, axis, aside_axis, bend_axis, _, across, out = _axes(limb, rig)
    clavicle = pose.local[:, skeleton.index(f"{side}Shoulder")]
    bent = limb.bent(flexion)
    hand = rotations.multiply(rotations.multiply(upper, bent), _about(axis, grip.roll))  # as the chest sees it
    velocity = rotations.rotate(rotations.conjugate(hand), grip.velocity)
    drag = MOST_DRAG * np.tanh(-DRAG * np.stack([velocity @ out, velocity @ across], axis=1) / MOST_DRAG)
    dragged = grip.loose[:, None] * spans.delayed(drag, LATE)
    bend = _held(grip.bend + dragged[:, 0])
    aside = within(grip.aside + dragged[:, 1], *ASIDES)
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
