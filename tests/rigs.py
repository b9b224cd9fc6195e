"""Synthetic humanoid rigs with hands and clavicles of many kinds, and one motion that all of them can make."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere import Motion, Skeleton, Tip
from kinesphere.maths import rotations as R
from kinesphere.motion.transform import with_plain_rest
from rerig import bend_rest

SIDES = ("left", "right")
FINGERS = ("Index", "Middle", "Ring", "Little")
CMU_NAMES = {
    "hips": "Hips", "spine": "LowerBack", "chest": "Spine", "upperChest": "Spine1", "neck": "Neck1", "head": "Head",
    "Shoulder": "Shoulder", "UpperArm": "Arm", "LowerArm": "ForeArm", "Hand": "Hand", "UpperLeg": "UpLeg",
    "LowerLeg": "Leg", "Foot": "Foot", "Toes": "ToeBase",
}  # fmt: skip
POSER_NAMES = {
    "hips": "hip", "spine": "abdomen", "chest": "chest", "upperChest": "chest2", "neck": "neck", "head": "head",
    "Shoulder": "Collar", "UpperArm": "Shldr", "LowerArm": "ForeArm", "Hand": "Hand", "UpperLeg": "Thigh",
    "LowerLeg": "Shin", "Foot": "Foot", "Toes": "Toe",
}  # fmt: skip


def make_rig(
    hand: str = "fingers",
    *,
    size: float = 1.0,
    arm: float = 1.0,
    base: float = 0.0,
    clavicles: tuple[str, ...] = SIDES,
    pivot: tuple[float, float, float] = (0.02, 0.16, 0.0),
    names: Mapping[str, str] | None = None,
) -> Skeleton:
    """A body in a T-pose, palms down, with one kind of hands.

    ``hand``: "fingers", "tip" (a bone tip at the fingertips), "end" (a joint without a role), "base" (a joint that
    flexes, ``base`` metres beyond the wrist, with one finger), "thumb" (nothing else), "none". ``pivot`` is where a
    clavicle starts, from the upper chest.
    """
    found: list[tuple[str, str, tuple[float, float, float]]] = [
        ("hips", "", (0.0, 0.95, 0.0)),
        ("spine", "hips", (0.0, 0.10, 0.0)),
        ("chest", "spine", (0.0, 0.13, 0.0)),
        ("upperChest", "chest", (0.0, 0.13, 0.0)),
        ("neck", "upperChest", (0.0, 0.20, 0.0)),
        ("head", "neck", (0.0, 0.09, 0.0)),
    ]
    tips: dict[str, tuple[float, float, float]] = {"head": (0.0, 0.17, 0.0)}
    for side, x in (("left", 1.0), ("right", -1.0)):
        shoulder = (0.18, 0.17, 0.0)
        above = "upperChest"
        if side in clavicles:
            found.append((f"{side}Shoulder", above, (x * pivot[0], pivot[1], pivot[2])))
            above, shoulder = f"{side}Shoulder", tuple(np.subtract(shoulder, pivot))
        found += [
            (f"{side}UpperArm", above, (x * shoulder[0], shoulder[1], shoulder[2])),
            (f"{side}LowerArm", f"{side}UpperArm", (x * 0.29 * arm, 0.0, 0.0)),
            (f"{side}Hand", f"{side}LowerArm", (x * 0.25 * arm, 0.0, 0.0)),
        ]
        joints, ends = _hand(side, x, hand, base)
        found, tips = found + joints, tips | ends
        found += [
            (f"{side}UpperLeg", "hips", (x * 0.09, -0.03, 0.0)),
            (f"{side}LowerLeg", f"{side}UpperLeg", (0.0, -0.42, 0.0)),
            (f"{side}Foot", f"{side}LowerLeg", (0.0, -0.42, 0.0)),
            (f"{side}Toes", f"{side}Foot", (0.0, -0.06, 0.14)),
        ]
        tips[f"{side}Toes"] = (0.0, 0.0, 0.06)
    keys = [key for key, _, _ in found]
    parents = np.array([keys.index(above) if above else -1 for _, above, _ in found])
    known = {key: i for i, key in enumerate(keys) if not key.endswith(("Base", "End"))}
    return Skeleton(
        tuple(_name(key, names) for key in keys),
        parents,
        size * np.array([offset for _, _, offset in found]),
        roles={} if names else known,
        tips=tuple(Tip(keys.index(key), tuple((size * np.array(tip)).tolist())) for key, tip in tips.items()),
    ).with_found_roles()


def _hand(side, x, kind, base):
    """Joints and tips of one hand."""
    hand, joints, tips = f"{side}Hand", [], {}
    if kind == "fingers":
        for finger, z in zip(FINGERS, (0.03, 0.01, -0.01, -0.03), strict=True):
            joints.append((f"{side}{finger}Proximal", hand, (x * 0.09, 0.0, z)))
            joints.append((f"{side}{finger}Intermediate", f"{side}{finger}Proximal", (x * 0.04, 0.0, 0.0)))
            tips[f"{side}{finger}Intermediate"] = (x * 0.03, 0.0, 0.0)
    elif kind == "tip":
        tips[hand] = (x * 0.16, 0.0, 0.0)
    elif kind == "end":
        joints.append((f"{side}HandEnd", hand, (x * 0.1, 0.0, 0.0)))
        tips[f"{side}HandEnd"] = (x * 0.07, 0.0, 0.0)
    elif kind == "base":
        joints.append((f"{side}FingerBase", hand, (x * base, 0.0, 0.0)))
        joints.append((f"{side}IndexProximal", f"{side}FingerBase", (x * (0.09 - base), 0.0, 0.0)))
        tips[f"{side}IndexProximal"] = (x * 0.07, 0.0, 0.0)
    if kind in ("fingers", "base", "thumb"):
        joints.append((f"{side}ThumbMetacarpal", hand, (x * 0.02, 0.0, 0.02)))
        tips[f"{side}ThumbMetacarpal"] = (x * 0.04, 0.0, 0.05)
    return joints, tips


def _name(key: str, names: Mapping[str, str] | None) -> str:
    if names is None:
        return key
    if key in names:
        return names[key]
    side = next(side for side in SIDES if key.startswith(side))
    part = key.removeprefix(side)
    short = side.capitalize() if names is CMU_NAMES else side[0]
    if part in names:
        return short + names[part]
    return short + part.replace("IndexProximal", "HandIndex1").replace("ThumbMetacarpal", "Thumb")


def gesture(rig: Skeleton, frames: int = 90, flexed_in: str = "Hand", shrug: float = 0.0) -> Motion:
    """Arms come forward and back, elbows bend, wrists flex by 60°, deviate and roll; shoulders rise by ``shrug``."""
    t = np.linspace(0.0, 2.0 * np.pi, frames)
    local = R.identity(frames, len(rig))
    roles, names = rig.roles, rig.names
    turn = R.from_rotation_vector

    def about(axis, angle):
        return turn(np.asarray(angle)[:, None] * np.array(axis, dtype=float))

    for side, x in (("left", 1.0), ("right", -1.0)):
        lower = -x * np.radians(50.0 + 20.0 * np.sin(t))
        local[:, roles[f"{side}UpperArm"]] = R.multiply(
            about([0, 1, 0], -x * np.radians(40.0 + 30.0 * np.cos(t))), about([0, 0, 1], lower)
        )
        local[:, roles[f"{side}LowerArm"]] = about([0, 1, 0], -x * np.radians(50.0 - 30.0 * np.cos(2.0 * t)))
        roll = about([1, 0, 0], np.radians(30.0 * np.sin(t + 0.5)))
        bent = R.multiply(
            about([0, 0, 1], -x * np.radians(15.0 + 60.0 * np.sin(t))),
            about([0, 1, 0], -x * np.radians(15.0 * np.cos(t))),
        )
        if flexed_in == "Hand":
            local[:, roles[f"{side}Hand"]] = R.multiply(roll, bent)
        else:
            local[:, roles[f"{side}Hand"]] = roll
            base = next(i for i, name in enumerate(names) if name.lower().startswith(side[0]) and flexed_in in name)
            local[:, base] = bent
        if f"{side}Shoulder" in roles:
            local[:, roles[f"{side}Shoulder"]] = about([0, 0, 1], x * shrug * (0.5 - 0.5 * np.cos(t)))
    return Motion(rig, 30.0, local)


def in_other_rest(motion: Motion, rests: Mapping[int, np.ndarray]) -> Motion:
    """The same motion on a rig in another rest pose, without rest rotations, as in BVH.

    All that a joint carries is rotated about it at rest, by ``rests``.
    """
    return with_plain_rest(bend_rest(motion, rests, local=True))


def shown_direction(motion: Motion, side: str) -> np.ndarray:
    """Where a hand points, by positions: from the wrist to knuckles, or a joint or tip beyond; else the forearm."""
    q, p = motion.world()
    skeleton, roles = motion.skeleton, motion.skeleton.roles
    hand = roles[f"{side}Hand"]
    points = [p[:, roles[f"{side}{finger}Proximal"]] for finger in FINGERS if f"{side}{finger}Proximal" in roles]
    if not points:
        points = [
            p[:, i] for i, name in enumerate(skeleton.names) if name.endswith("HandEnd") and name.startswith(side)
        ]
    if not points:
        points = [p[:, hand] + R.rotate(q[:, hand], tip.offset) for tip in skeleton.tips if tip.joint == hand]
    if not points:
        return forearm_direction(motion, side)
    way = np.mean(points, axis=0) - p[:, hand]
    return way / np.linalg.norm(way, axis=1, keepdims=True)


def forearm_direction(motion: Motion, side: str) -> np.ndarray:
    p, roles = motion.positions_world(), motion.skeleton.roles
    way = p[:, roles[f"{side}Hand"]] - p[:, roles[f"{side}LowerArm"]]
    return way / np.linalg.norm(way, axis=1, keepdims=True)


def palm_normal(motion: Motion, side: str) -> np.ndarray:
    """Out of the palm, from the knuckles' positions."""
    p, roles = motion.positions_world(), motion.skeleton.roles
    across = p[:, roles[f"{side}IndexProximal"]] - p[:, roles[f"{side}LittleProximal"]]
    normal = np.cross(shown_direction(motion, side), across) * (1.0 if side == "left" else -1.0)
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def degrees_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.degrees(np.arccos(np.clip(np.sum(a * b, axis=-1), -1.0, 1.0)))
