"""People built from nothing, in any naming scheme and rest pose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinesphere.motion.skeleton import Skeleton

# Key: where it is in a T-pose (metres, left side) and what it hangs on. "L" stands for either side.
PLAN: dict[str, tuple[tuple[float, float, float], str]] = {
    "root": ((0.0, 0.0, 0.0), ""),
    "hips": ((0.0, 0.95, 0.0), "root"),
    "spine1": ((0.0, 1.05, -0.01), "hips"),
    "spine2": ((0.0, 1.16, -0.02), "spine1"),
    "spine3": ((0.0, 1.28, -0.02), "spine2"),
    "spine4": ((0.0, 1.36, -0.02), "spine3"),
    "neck": ((0.0, 1.47, -0.02), "spine4"),
    "neck2": ((0.0, 1.52, -0.01), "neck"),
    "head": ((0.0, 1.58, 0.0), "neck2"),
    "headtip": ((0.0, 1.75, 0.0), "head"),
    "L.hipjoint": ((0.03, 0.94, 0.0), "hips"),
    "L.thigh": ((0.09, 0.9, 0.0), "L.hipjoint"),
    "L.shin": ((0.09, 0.49, 0.015), "L.thigh"),
    "L.foot": ((0.09, 0.09, -0.02), "L.shin"),
    "L.toe": ((0.09, 0.02, 0.11), "L.foot"),
    "L.clavicle": ((0.03, 1.43, 0.0), "spine4"),
    "L.upperarm": ((0.17, 1.42, -0.02), "L.clavicle"),
    "L.twist": ((0.3, 1.42, -0.02), "L.upperarm"),
    "L.forearm": ((0.45, 1.42, -0.03), "L.upperarm"),
    "L.hand": ((0.7, 1.42, -0.02), "L.forearm"),
    "L.knuckles": ((0.78, 1.42, -0.02), "L.hand"),
    "L.handtip": ((0.86, 1.42, -0.02), "L.knuckles"),
    "L.thumb": ((0.73, 1.4, 0.03), "L.hand"),
}
SWING = {"T": 0.0, "A": 45.0, "arms down": 80.0}
_ARM = ("upperarm", "twist", "forearm", "hand", "knuckles", "handtip", "thumb")


def person(naming: Mapping[str, str], pose: str = "T", *, mirror: bool = False, turn: float = 0.0) -> Skeleton:
    """A skeleton with the joints that a naming has. ``{S}``, ``{L}`` and ``{l}`` in a name are the side."""
    names, places, parents = [], [], []
    index: dict[str, int] = {}
    for side, sign in (("", 0.0), ("L", 1.0), ("R", -1.0)):
        for key, (place, _) in PLAN.items():
            if key not in naming or key.startswith("L.") != bool(side):
                continue
            own = key.replace("L.", f"{side}.") if side else key
            word = {"": "", "L": "Left", "R": "Right"}[side]
            names.append(naming[key].format(S=word, L=side, l=side.lower()))
            index[own] = len(places)
            places.append(_placed(key, np.array(place), pose) * ([sign, 1.0, 1.0] if side else 1.0))
            parents.append(index.get(_above(own, naming), -1))
    world = np.array(places) * [-1.0 if mirror else 1.0, 1.0, 1.0]
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    world = world @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T
    above = np.array(parents)
    offsets = np.where(above[:, None] < 0, world, world - world[above])
    return Skeleton(tuple(names), above, offsets)


def _above(key: str, naming: Mapping[str, str]) -> str:
    """The nearest joint above that the naming has."""
    side = key[0] if key[1:2] == "." else ""
    while True:
        plain = "L" + key[1:] if key[1:2] == "." else key
        key = PLAN[plain][1]
        if not key or key in naming:
            return key.replace("L.", f"{side}.") if key.startswith("L.") else key


def _placed(key: str, place: np.ndarray, pose: str) -> np.ndarray:
    """Arms swung down about the shoulder."""
    if not key.startswith("L.") or key[2:] not in _ARM:
        return place
    centre = np.array(PLAN["L.upperarm"][0])
    angle = np.radians(-SWING[pose])
    x, y, z = place - centre
    swung = [x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z]
    moved: np.ndarray = centre + swung
    return moved


def keys_of(naming: Mapping[str, str]) -> dict[str, str]:
    """Joint name to its key, with the side, as in ``R.hand``."""
    found = {}
    for key, name in naming.items():
        for side, word in (("L", "Left"), ("R", "Right")) if key.startswith("L.") else (("", ""),):
            found[name.format(S=word, L=side, l=side.lower())] = side + key[1:] if side else key
    return found


def rearranged(skeleton: Skeleton, order: np.ndarray) -> Skeleton:
    """The same joints in another order, parents still before children."""
    order, done = list(order), []
    while order:
        for joint in order:
            if skeleton.parents[joint] < 0 or skeleton.parents[joint] in done:
                done.append(int(joint))
                order.remove(joint)
                break
    new = {old: place for place, old in enumerate(done)}
    parents = np.array([new.get(int(skeleton.parents[old]), -1) for old in done])
    return Skeleton(tuple(skeleton.names[old] for old in done), parents, skeleton.offsets[done])
