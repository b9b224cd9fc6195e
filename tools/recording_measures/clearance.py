"""Clearance: millimetres that hands and forearms are deeper in the body than the recording has them there.

The body is trunk, head and thighs (``engine.recorded_clearance``) and a round capsule about each forearm. Palms, wrists
and forearms are felt at points on their bones; what a capsule of the recording has in it at that moment may be in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kinesphere.body.ground import running_maximum
from kinesphere.engine.recorded_clearance import SOLIDS, Solids, palm_of, solids
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from recording_measures.performances import Found, Performance

AROUND = 0.05  # seconds in which the recording's own depth counts
SHARES = (0.45, 0.8, 1.0)  # of the forearm, from the elbow
FOREARM, HAND = 0.075, 0.02  # arm lengths: radius, and how much thicker hands make whatever they touch


class _World(NamedTuple):
    turns: Floats
    places: Floats

    def p(self, joint: int) -> Floats:
        return self.places[:, joint]

    def q(self, joint: int) -> Floats:
        return self.turns[:, joint]


def measure(own: Performance) -> dict[str, Found]:
    """The deepest of any point in any capsule, beyond what is recorded there."""
    rate, worst = own.recorded.plain.rate, Found(0.0)
    now = dict(_depths(own, own.world))
    for name, before in _depths(own, own.recorded.world):
        allowed = own.shown(running_maximum(np.maximum(before, 0.0), AROUND, rate))
        deeper = own.recorded.millimetres * (now[name] - allowed)
        at = int(np.argmax(deeper))
        if deeper[at] > worst.value:
            worst = Found(float(deeper[at]), f"{name} {own.at(at)}")
    return {"deeper": worst}


def _depths(own: Performance, world: tuple[Floats, Floats]) -> Iterator[tuple[str, Floats]]:
    """For points of hands and parts of the body ``(T,)`` metres that they are inside; negative outside."""
    body, length = own.recorded.phrase.body, own.recorded.detail.poses.arm_length
    joints = _World(*world)
    parts = solids(body, joints)

    def at(role: str) -> Floats:
        return joints.p(body.roles[role])

    for side in SIDES:
        elbow, wrist = at(f"{side}LowerArm"), at(f"{side}Hand")
        points = {"palm": palm_of(elbow, wrist, length)}
        points |= {f"forearm at {share:.0%}": elbow + share * (wrist - elbow) for share in SHARES}
        other = "right" if side == "left" else "left"
        around = at(f"{other}LowerArm"), at(f"{other}Hand"), np.broadcast_to(rotations.identity(), (len(elbow), 4))
        start, end, axes = (row[None] for row in around)
        forearm = Solids(start, end, axes, np.full((1, 2), (FOREARM + HAND) * length))
        for name, point in points.items():
            for part, own_solids, i in (
                *((part, parts, i) for i, part in enumerate(SOLIDS)),
                (f"{other} forearm", forearm, 0),
            ):
                yield f"{side} {name} in {part}", _inside(point, own_solids, i)


def _inside(point: Floats, solids: Solids, i: int) -> Floats:
    """``(T,)`` metres that points are inside of one solid."""
    back, (wide, deep) = rotations.conjugate(solids.axes[i]), solids.radii[i]
    stretch = np.array([1.0, 1.0, wide / deep])
    bone, off = (rotations.rotate(back, own - solids.starts[i]) * stretch for own in (solids.ends[i], point))
    along = np.clip(np.sum(off * bone, axis=1) / np.maximum(np.sum(bone * bone, axis=1), 1e-9), 0.0, 1.0)
    return np.asarray(wide - norms(off - along[:, None] * bone))
