"""Fingers, eyes and jaw, by their names and their places in the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.roles.aliases import FINGERS
from kinesphere.motion.roles.names import Name
from kinesphere.motion.roles.tree import Tree
from kinesphere.motion.roles.trunk import meaning

_INSIDE = {"metacarpal", "carpal", "inhand", "in", "palm", "base"}  # bones within the palm


def find_fingers(tree: Tree, names: Sequence[Name], roles: Mapping[str, int]) -> dict[str, int]:
    """Finger roles for both hands, as far as joints are named after fingers."""
    found: dict[str, int] = {}
    for side in SIDES:
        hand = roles.get(f"{side}Hand", -1)
        joints: dict[str, list[int]] = {}
        for joint, name in enumerate(names):
            if name.side != side or name.helper or "toe" in name.words:
                continue
            finger = next((FINGERS[word] for word in name.words if word in FINGERS), None)
            if finger and (hand < 0 or tree.is_below(joint, tree.parents[hand])):
                joints.setdefault(finger, []).append(joint)
        for finger, chain in joints.items():
            found |= _phalanges(tree, names, side, finger, chain)
    return found


def _phalanges(tree: Tree, names: Sequence[Name], side: str, finger: str, joints: list[int]) -> dict[str, int]:
    """The first three joints of a finger, from the palm outwards; bones within the palm don't count."""
    thumb = finger == "Thumb"
    parts = ("Metacarpal", "Proximal", "Distal") if thumb else ("Proximal", "Intermediate", "Distal")
    if not thumb:
        numbered = [joint for joint in joints if names[joint].number >= 0]
        free = [joint for joint in joints if not _INSIDE & set(names[joint].words)]
        # An unnumbered joint before three numbered ones is in the palm.
        joints = numbered if len(numbered) >= 3 and len(numbered) < len(joints) else free
    chain = sorted(joints, key=lambda joint: tree.depths[joint])
    straight = chain[:1]
    for joint in chain[1:]:
        if tree.is_below(joint, straight[-1]):
            straight.append(joint)
    return {f"{side}{finger}{part}": joint for part, joint in zip(parts, straight, strict=False)}


def find_face(tree: Tree, names: Sequence[Name], roles: Mapping[str, int]) -> dict[str, int]:
    """Eyes and jaw below the head."""
    head = roles.get("head", -1)
    found: dict[str, int] = {}
    for joint, name in enumerate(names):
        if head < 0 or not tree.is_below(joint, head):
            continue
        if name.side and name.word in ("eye", "eyeball"):
            found.setdefault(f"{name.side}Eye", joint)
        elif meaning(name, "jaw") > 0.0:
            found.setdefault("jaw", joint)
    return found
