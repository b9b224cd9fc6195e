"""Clearance: millimetres that hands and forearms are deeper in the body than the recording has them there.

The body is capsules about trunk, head and thighs (``engine.capsules``) and a round one about each forearm. Palms, wrists
and forearms are felt at points on their bones; what a capsule of the recording has in it at that moment may be in it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinesphere.body.ground import running_maximum
from kinesphere.engine.capsules import HEAD, THIGH, TRUNK
from kinesphere.engine.proportions import ARM
from kinesphere.engine.recorded_poses import body_frame, chest_joint
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from recording_measures.performances import Found, Performance

AROUND = 0.05  # seconds in which the recording's own depth counts
PALM = 0.16  # arm lengths from the wrist, on from the forearm
SHARES = (0.45, 0.8, 1.0)  # of the forearm, from the elbow
FOREARM, HAND = 0.075, 0.02  # arm lengths: radius, and how much thicker hands make whatever they touch
SHOULDERS_BELOW, CROWN = 0.1, 0.22  # arm lengths: top of the trunk's axis below the shoulders, top of the head's


def measure(own: Performance) -> dict[str, Found]:
    """The deepest of any point in any capsule, beyond what is recorded there."""
    rate, worst = own.recorded.plain.rate, Found(0.0)
    now = dict(_depths(own, own.world))
    for name, before in _depths(own, own.recorded.world):
        allowed = own.shown(running_maximum(np.maximum(before, 0.0), AROUND, rate))
        deeper = 1000.0 * (now[name] - allowed)
        at = int(np.argmax(deeper))
        if deeper[at] > worst.value:
            worst = Found(float(deeper[at]), f"{name} {own.at(at)}")
    return {"deeper": worst}


def _depths(own: Performance, world: tuple[Floats, Floats]) -> Iterator[tuple[str, Floats]]:
    """For points of hands and parts of the body ``(T,)`` metres that they are inside; negative outside."""
    body, length = own.recorded.phrase.body, own.recorded.detail.poses.arm_length
    roles, size = body.roles, length / ARM
    turns, places = world

    def frame(joint: int) -> Floats:
        return rotations.multiply(turns[:, joint], body_frame(body, joint))

    def at(role: str) -> Floats:
        return places[:, roles[role]]

    chest = frame(chest_joint(body))
    up = rotations.rotate(chest, np.array([0.0, 1.0, 0.0]))
    head = frame(roles["head"])
    crown = at("head") + CROWN * length * rotations.rotate(head, np.array([0.0, 1.0, 0.15]))
    top = 0.5 * (at("leftUpperArm") + at("rightUpperArm")) - (SHOULDERS_BELOW * length + TRUNK[0] * size * 0.5) * up
    solids = {
        "trunk": (at("hips"), top, chest, TRUNK),
        "head": (at("head"), crown, head, HEAD),
        **{f"{s} thigh": (at(f"{s}UpperLeg"), at(f"{s}LowerLeg"), frame(roles[f"{s}UpperLeg"]), THIGH) for s in SIDES},
    }
    for side in SIDES:
        elbow, wrist = at(f"{side}LowerArm"), at(f"{side}Hand")
        bone = wrist - elbow
        palm = wrist + PALM * length * bone / np.maximum(norms(bone), 1e-9)[:, None]
        points = {"palm": palm} | {f"forearm at {share:.0%}": elbow + share * bone for share in SHARES}
        other = "right" if side == "left" else "left"
        for name, point in points.items():
            for part, (start, end, axes, radii) in solids.items():
                yield f"{side} {name} in {part}", _inside(point, start, end, axes, np.array(radii) * size)
            round_ = np.full(2, (FOREARM + HAND) * length)
            yield (
                f"{side} {name} in {other} forearm",
                _inside(point, at(f"{other}LowerArm"), at(f"{other}Hand"), chest, round_),
            )


def _inside(point: Floats, start: Floats, end: Floats, axes: Floats, radii: Floats) -> Floats:
    """``(T,)`` metres that points are inside of capsules with half widths aside and ahead in axes ``(T, 4)``."""
    back = rotations.conjugate(axes)
    stretch = np.array([1.0, 1.0, radii[0] / radii[1]])
    bone, off = (rotations.rotate(back, own - start) * stretch for own in (end, point))
    along = np.clip(np.sum(off * bone, axis=1) / np.maximum(np.sum(bone * bone, axis=1), 1e-9), 0.0, 1.0)
    return np.asarray(radii[0] - norms(off - along[:, None] * bone))
