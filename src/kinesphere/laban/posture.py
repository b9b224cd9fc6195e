"""Body pose around a hand: capsule axes of trunk, head and thighs, estimated from a few channels.

Slumping brings thighs and belly to where hands hang, so keys must be kept off a body that bends. The estimate bends
hips, spine, head and knees in the sagittal plane only; hips go back as far as the weight comes forward. It leaves out
rotation about the vertical, leaning aside, and shoulders that follow raised arms. For low hands, which thighs are near
to, hips are within some centimetres of where the engine puts them, mostly within two.

All positions are in the chest's axes, relative to one shoulder: out, up, ahead. Distances are for a figure 1.70 m tall.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kinesphere import _native
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
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.gesture import RESTING_WRIST

# The channels that the estimate reads; of the clavicles, those of the hand's own side.
BENDS = ("torso.forward", "hips.lean", "hips.y", "hips.z", "head.nod", "clavicle.raise", "clavicle.forward")
SPINE_COUNTER = 0.3  # of the hips' lean that the spine takes back, as in ``engine.trunk``
TRUNK_MASS, HEAD_MASS, ARMS_MASS = 0.43, 0.08, 0.10  # of the body's mass


class BodyModel(NamedTuple):
    """Lengths and shares of the left half of a standing body, each joint relative to the one above."""

    spine: Floats  # (6, 2) up and ahead: four spine joints, neck, head
    spine_shares: Floats  # (5,) of the trunk's bend that each spine joint takes, and of the nod that the neck takes
    spine_counter: float  # of the hips' lean that the spine takes back
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
    masses: Floats  # (3,) of trunk, head and arms, as shares of the body's
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
        spine_counter=SPINE_COUNTER,
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
        masses=np.array([TRUNK_MASS, HEAD_MASS, ARMS_MASS]),
        weight_shift=MOVED,
        wrist=np.array(RESTING_WRIST),
        hanging=HANGS,
    )


@cache
def upright_shoulder() -> Floats:
    """``(3,)`` the left shoulder of the upright figure in the world: out, up, ahead."""
    return np.array(_native.posture.upright_shoulder(body_model()))


def view_body(bends: Floats, feet: Floats) -> BodyView:
    """The body bent by ``bends (K, 7)``; ``feet (K, 2, 3)``, own and other, are offsets from where they stand."""
    view = BodyView(np.empty((len(bends), 4, 2, 3)), np.empty((len(bends), 3)))
    _native.posture.view_body(bends, feet, body_model(), view)
    return view
