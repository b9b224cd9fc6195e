"""How two bodies correspond, as a step of its own that can be looked at before anything is retargeted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from kinesphere.body.anatomy import REST, UPRIGHT, Anatomy, anatomy, uprightness
from kinesphere.body.flat_feet import flat_feet
from kinesphere.kernels import rotations
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.motion.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Calibration:
    """A body to read poses from and one to give them to.

    ``turns`` maps a role that both have to the rotation ``(4,)`` with ``target world = source world · turn``.
    ``leg`` and ``arm`` are the target's lengths over the source's.
    """

    source: Anatomy
    target: Anatomy
    turns: Mapping[str, Floats]
    leg: float
    arm: Mapping[str, float]  # by side
    evidence: tuple[str, ...]


def calibrate(
    source: Skeleton | Motion, target: Skeleton | Motion, *, like: Mapping[str, Floats] | None = None
) -> Calibration:
    """Read two bodies and match them.

    Rest poses may differ (T, A, arms down): limbs are matched by where they point, the trunk by how far it has turned
    from standing. A rest pose that is no body's pose at all is replaced by the most upright frame, if a motion is
    given, and feet that it shows standing tilted are set flat. ``like`` overrides single turns, by role.
    """
    a, b = _read(source), _read(target)
    if same_body(a.skeleton, b.skeleton):
        b = replace(a, skeleton=b.skeleton)  # read both alike, or a body would not be itself
    flat, flat_there = _flat(source, a, b), _flat(target, b, a)
    turns = {}
    for role in a.frames:
        if role in b.frames:
            there, back = (_set_flat(body, role, feet) for body, feet in ((a, flat), (b, flat_there)))
            turns[role] = rotations.multiply(there, rotations.conjugate(back))
    turns |= dict(like or {})
    legs = [b.lengths[f"{side}Leg"] / a.lengths[f"{side}Leg"] for side in SIDES]
    arms = {side: b.lengths[f"{side}Arm"] / a.lengths[f"{side}Arm"] for side in SIDES}
    leg = float(np.mean(legs))
    left_out = sorted(set(a.frames) - set(b.frames))
    evidence = [
        f"source read from {a.posture.about}: {rest_kind(a)}",
        f"target read from {b.posture.about}: {rest_kind(b)}",
        f"legs × {leg:.3f}, arms × {arms['left']:.3f} (left) and {arms['right']:.3f} (right)",
    ]
    for role, level in flat.items():
        tilt = np.degrees(rotations.angle(level))
        evidence.append(f"{role} stands tilted by {tilt:.0f}° in the motion, and is set flat")
    for which, anatomy_of in (("source", a), ("target", b)):
        if (
            anatomy_of.posture.about == REST
            and uprightness(anatomy_of.skeleton, anatomy_of.posture.positions) < UPRIGHT
        ):
            evidence.append(f"the {which}'s rest pose is no body's pose: give a motion of it instead of its skeleton")
    if left_out:
        evidence.append(f"the target has no {', '.join(left_out)}")
    return Calibration(a, b, MappingProxyType(turns), leg, MappingProxyType(arms), tuple(evidence))


def _flat(body: Skeleton | Motion, read: Anatomy, other: Anatomy) -> dict[str, Floats]:
    """How a motion's feet are set flat. Between motions of one and the same body nothing is."""
    return flat_feet(body, read) if isinstance(body, Motion) and not same_body(read.skeleton, other.skeleton) else {}


def _set_flat(body: Anatomy, role: str, flat: Mapping[str, Floats]) -> Floats:
    """The anatomical frame of a role, of feet and toes as they stand."""
    level = flat.get(role)
    return body.frames[role] if level is None else rotations.multiply(body.frames[role], level)


def rest_kind(body: Anatomy) -> str:
    """A word for the posture a body was read in, by how far the arms are from hanging."""
    down = rotations.rotate(body.basis, [0.0, -1.0, 0.0])
    p, roles = body.posture.positions, body.skeleton.roles
    angles = []
    for side in SIDES:
        arm = p[roles[f"{side}LowerArm"]] - p[roles[f"{side}UpperArm"]]
        angles.append(np.degrees(np.arccos(np.clip(arm @ down / np.linalg.norm(arm), -1.0, 1.0))))
    lift = float(np.mean(angles))
    if abs(angles[0] - angles[1]) > 25.0:
        return f"an uneven pose (arms {angles[0]:.0f}° and {angles[1]:.0f}° from hanging)"
    word = "arms down" if lift < 25.0 else "an A-pose" if lift < 70.0 else "a T-pose" if lift < 110.0 else "arms up"
    return f"{word} (arms {lift:.0f}° from hanging)"


def same_body(a: Skeleton, b: Skeleton) -> bool:
    """Whether two skeletons are one body at rest: the same tree, places, axes and roles."""
    if a is b:
        return True
    alike = a.same_tree(b) and dict(a.roles) == dict(b.roles)
    return (
        alike
        and np.allclose(a.offsets, b.offsets, atol=1e-6)
        and np.allclose(a.rest_rotations, b.rest_rotations, atol=1e-6)
    )


def _read(body: Skeleton | Motion) -> Anatomy:
    return anatomy(body.skeleton, body) if isinstance(body, Motion) else anatomy(body)
