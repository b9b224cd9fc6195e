"""Bends of the spine by segment: lower, middle and upper, each forward, aside and about its length."""

from __future__ import annotations

import numpy as np

from kinesphere.engine.recorded_limbs import turn_joints
from kinesphere.engine.recorded_poses import body_frame
from kinesphere.engine.recording_context import PerformanceContext
from kinesphere.engine.shaping.asked import AskedShaping
from kinesphere.maths.vectors import Floats

# Joints of each segment, the first of them that a body has; segments of fewer joints share them.
SEGMENTS = {"lower": ("spine",), "middle": ("chest", "spine"), "upper": ("upperChest", "chest", "spine")}
AXES = ("forward", "side", "turn")
NAMES = tuple(f"spine.{segment}.{axis}" for segment in SEGMENTS for axis in AXES)


def bend_spine(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Turn the joints of the spine in poses ``(T, J, 4)``, in place."""
    if not asked.asks(*NAMES):
        return
    made: dict[int, Floats] = {}
    for segment, roles in SEGMENTS.items():
        role = next((role for role in roles if role in context.roles), None)
        if role is None or not asked.asks(*(f"spine.{segment}.{axis}" for axis in AXES)):
            continue
        forward, side, turn = (asked.curve(f"spine.{segment}.{axis}") for axis in AXES)
        vectors = np.stack([forward, turn, -side], axis=1) * context.upright[:, None]
        joint = context.roles[role]
        made[joint] = made[joint] + vectors if joint in made else vectors
    if made:
        joints = np.array(sorted(made))
        frames = np.array([body_frame(context.body, joint) for joint in joints.tolist()])
        turn_joints(joints, frames, np.stack([made[joint] for joint in joints.tolist()], axis=1), local)


def carry_head(context: PerformanceContext, asked: AskedShaping, local: Floats) -> None:
    """Bend the neck and turn the head back, so that it is carried forward or drawn in, upright; in place."""
    if not asked.asks("neck.forward") or "neck" not in context.roles:
        return
    bend = asked.curve("neck.forward") * context.upright
    joints = np.array([context.roles["neck"], context.roles["head"]])
    frames = np.array([body_frame(context.body, joint) for joint in joints.tolist()])
    vectors = np.zeros((len(local), 2, 3))
    vectors[:, 0, 0], vectors[:, 1, 0] = bend, -bend
    turn_joints(joints, frames, vectors, local)
