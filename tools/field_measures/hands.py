"""Hands: where they point and where palms face on other bodies, and after retargeting back, against the capture.

All angles are measured from joint positions and bone tips alone. A hand points from the wrist to the mean of what shows
of its fingers: knuckles, or the joints and tips beyond the wrist. A palm's normal is perpendicular to that and to the
line from the last to the first knuckle; bodies that show fewer than two knuckles have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import kinesphere
from kinesphere import Character, Motion, Skeleton
from kinesphere.maths import rotations

ORDER = 60
SECONDS = 12.0  # of a clip that are retargeted
SHOWN = 0.06  # of the forearm: what is nearer to the wrist shows no direction
BODIES = 2  # characters with fingers that are measured, beside the figure
FINGERS = ("Index", "Middle", "Ring", "Little")
SIDES = ("left", "right")
Array = NDArray[np.float64]


class ShownHand(NamedTuple):
    """The points of a hand from which its direction is measured: joints, and bone tips as (joint, offset)."""

    joints: tuple[int, ...]
    tips: tuple[tuple[int, tuple[float, float, float]], ...]
    across: tuple[int, int] | None  # last and first knuckle


def measure(motion: Motion, characters: dict[str, Character]) -> dict[str, float]:
    """Degrees, by name: median and 95th percentile of both hands."""
    motion = motion[: round(SECONDS * motion.rate)]
    motion = replace(motion, skeleton=motion.skeleton.with_found_roles())
    skeleton = motion.skeleton
    shown = {side: shown_hand(skeleton, side) for side in SIDES}
    if not any(hand.joints or hand.tips for hand in shown.values()):
        return {}
    there: dict[str, list[Array]] = {"direction": [], "palm": [], "flexion": []}
    back: dict[str, list[Array]] = {"direction": [], "palm": []}
    for body in _bodies(characters):
        onto = kinesphere.retarget(motion, body)
        again = kinesphere.retarget(onto, motion)
        for side, hand in shown.items():
            other = shown_hand(onto.skeleton, side)
            if not (hand.joints or hand.tips):
                continue
            _add(there, directions(motion, side, hand), directions(onto, side, other))
            _add(back, directions(motion, side, hand), directions(again, side, hand))
    numbers: dict[str, float] = {}
    for name, angles in (("there", there), ("back", back)):
        for key, values in angles.items():
            if values:
                every = np.concatenate(values)
                numbers |= {f"{key} {name}": float(np.median(every)), f"{key} {name} 95": _p95(every)}
    return numbers


def summarise(rows: Mapping[str, Mapping[str, float]]) -> str:
    """One line."""
    parts = []
    for name, words in (("there", "on other bodies"), ("back", "after the round trip")):
        for key in ("direction", "palm"):
            found = [row for row in rows.values() if f"{key} {name}" in row]
            if found:
                middle, far = (np.median([row[f"{key} {name}{end}"] for row in found]) for end in ("", " 95"))
                parts.append(f"{key} {middle:.1f}° off {words} (95 %: {far:.1f}°; {len(found)} clips)")
    worst = max(rows, key=lambda clip: rows[clip]["direction there 95"])
    lost = max(row["flexion there 95"] for row in rows.values())
    farthest = rows[worst]["direction there 95"]
    return f"{', '.join(parts)}; worst: {farthest:.0f}° in {worst}; flexion off by up to {lost:.0f}° (95 %)"


def shown_hand(skeleton: Skeleton, side: str) -> ShownHand:
    """Knuckles, or else the nearest joints and tips beyond the wrist, without the thumb."""
    p, roles = skeleton.rest_world()[1], skeleton.roles
    hand = roles[f"{side}Hand"]
    least = SHOWN * float(np.linalg.norm(p[hand] - p[roles[f"{side}LowerArm"]]))
    below = [j for j in skeleton.descendants(hand)[1:] if not _is_thumb(skeleton, j)]
    knuckles = [roles[f"{side}{finger}Proximal"] for finger in FINGERS if f"{side}{finger}Proximal" in roles]
    knuckles = [joint for joint in knuckles if joint in below and _length(p[joint] - p[hand]) > least]
    if knuckles:
        return ShownHand(tuple(knuckles), (), (knuckles[-1], knuckles[0]) if len(knuckles) > 1 else None)
    joints = [j for j in below if _length(p[j] - p[hand]) > least]
    joints = [j for j in joints if int(skeleton.parents[j]) not in joints]
    near = [hand, *(j for j in below if _length(p[j] - p[hand]) <= least)]
    tips = [(tip.joint, tip.offset) for tip in skeleton.tips if tip.joint in near and _length(tip.offset) > least]
    return ShownHand(tuple(joints), tuple(tips), None)


def directions(motion: Motion, side: str, hand: ShownHand) -> tuple[Array, Array, Array | None]:
    """Unit directions ``(T, 3)`` of forearm and hand, and the palm's normal where the hand shows one."""
    q, p = (values[motion.performed_frames] for values in motion.world())
    roles = motion.skeleton.roles
    wrist, elbow = p[:, roles[f"{side}Hand"]], p[:, roles[f"{side}LowerArm"]]
    points = [p[:, joint] for joint in hand.joints]
    points += [p[:, joint] + rotations.rotate(q[:, joint], np.array(offset)) for joint, offset in hand.tips]
    if not points:
        return _unit(wrist - elbow), _unit(wrist - elbow), None
    along = _unit(np.mean(points, axis=0) - wrist)
    palm = None
    if hand.across is not None:
        last, first = hand.across
        palm = _unit(np.cross(along, p[:, first] - p[:, last]))
    return _unit(wrist - elbow), along, palm


def _bodies(characters: dict[str, Character]) -> list[Character]:
    """The figure, and some characters with fingers below both hands."""
    found: list[Character] = [kinesphere.figure()]
    for _, character in sorted(characters.items()):
        skeleton = character.skeleton.with_found_roles()
        if all(shown_hand(skeleton, side).across is not None for side in SIDES):
            found.append(character)
    return found[: 1 + BODIES]


def _add(
    angles: dict[str, list[Array]],
    source: tuple[Array, Array, Array | None],
    result: tuple[Array, Array, Array | None],
) -> None:
    angles["direction"].append(_angle(source[1], result[1]))
    if source[2] is not None and result[2] is not None:
        angles["palm"].append(_angle(source[2], result[2]))
    if "flexion" in angles:
        angles["flexion"].append(np.abs(_angle(source[0], source[1]) - _angle(result[0], result[1])))


def _is_thumb(skeleton: Skeleton, joint: int) -> bool:
    while joint >= 0:
        roles = [role for role, own in skeleton.roles.items() if own == joint]
        if any("Thumb" in role for role in roles) or "thumb" in skeleton.names[joint].lower():
            return True
        joint = int(skeleton.parents[joint])
    return False


def _length(vector: object) -> float:
    return float(np.linalg.norm(np.asarray(vector, dtype=np.float64)))


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12))


def _angle(a: Array, b: Array) -> Array:
    return np.asarray(np.degrees(np.arccos(np.clip(np.sum(a * b, axis=-1), -1.0, 1.0))))


def _p95(values: Array) -> float:
    return float(np.percentile(values, 95.0))
