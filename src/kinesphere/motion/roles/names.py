"""Joint names of all common rigs: read a name's side, words and number, and the roles that its words may mean.

``mixamorig:LeftUpLeg``, ``thigh.L``, ``Bip01 L Thigh``, ``J_Bip_L_UpperLeg`` and ``lThigh`` all have a side, a word or
two, and prefixes, which are removed. Words that rigs use differently have several meanings with certainties from 0 to 1
("shoulder" is the clavicle of Mixamo, CMU and Unity, and the upper arm of Kinect and SMPL). The other joints of the
limb decide between them; see ``chains``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

Meanings = Mapping[str, float]

# Mixamo, LAFAN, CMU, Rokoko: LeftUpLeg LeftLeg LeftFoot LeftToeBase, LeftShoulder LeftArm LeftForeArm LeftHand.
_MOTION_BUILDER = {
    "upleg": {"UpperLeg": 1.0},
    "leg": {"UpperLeg": 0.6, "LowerLeg": 0.6, "Foot": 0.2, "Toes": 0.1},
    "foot": {"Foot": 0.9, "Toes": 0.4},
    "toebase": {"Toes": 1.0},
    "forefoot": {"Toes": 1.0},
    "shoulder": {"Shoulder": 0.8, "UpperArm": 0.6},
    "arm": {"Shoulder": 0.2, "UpperArm": 0.6, "LowerArm": 0.55, "Hand": 0.2},
    "forearm": {"LowerArm": 1.0},
    "hand": {"Hand": 0.9},
}
# Unreal, VRM, Unity, Bandai-Namco, Xsens: thigh_l calf_l ball_l, leftUpperLeg, UpperLeg_L, RightToe.
_ENGINES = {
    "thigh": {"UpperLeg": 1.0},
    "upperleg": {"UpperLeg": 1.0},
    "legupper": {"UpperLeg": 1.0},
    "calf": {"LowerLeg": 1.0},
    "lowerleg": {"LowerLeg": 1.0},
    "lowleg": {"LowerLeg": 1.0},
    "leglower": {"LowerLeg": 1.0},
    "ball": {"Toes": 1.0},
    "toe": {"Toes": 1.0},
    "toes": {"Toes": 1.0},
    "clavicle": {"Shoulder": 1.0},
    "clav": {"Shoulder": 1.0},
    "upperarm": {"UpperArm": 1.0},
    "uparm": {"UpperArm": 1.0},
    "armupper": {"UpperArm": 1.0},
    "lowerarm": {"LowerArm": 1.0},
    "lowarm": {"LowerArm": 1.0},
    "armlower": {"LowerArm": 1.0},
    "eye": {"Eye": 1.0},
    "eyeball": {"Eye": 0.9},
}
# Rigify and other Blender rigs: shin.L; AutoRig Pro: thigh_stretch.l, leg_stretch.l.
_BLENDER = {
    "shin": {"LowerLeg": 1.0},
    "thighstretch": {"UpperLeg": 1.0},
    "legstretch": {"LowerLeg": 1.0},
    "armstretch": {"UpperArm": 1.0},
    "forearmstretch": {"LowerArm": 1.0},
    "palm": {"Hand": 0.5},
}
# SMPL, Kinect, mocapbank: joints are called what bends there. A wrist or ankle goes before a hand or foot.
_ANATOMY = {
    "hip": {"UpperLeg": 0.5},
    "knee": {"LowerLeg": 1.0},
    "shank": {"LowerLeg": 1.0},
    "ankle": {"Foot": 1.0},
    "collar": {"Shoulder": 1.0},
    "collarbone": {"Shoulder": 1.0},
    "scapula": {"Shoulder": 0.6},
    "elbow": {"LowerArm": 1.0},
    "wrist": {"Hand": 1.0},
}
# DAZ and Poser: lButtock lThigh lShin, lShldr lForeArm; Genesis: lThighBend, lShldrBend.
_DAZ = {
    "buttock": {"UpperLeg": 0.3},
    "thighbend": {"UpperLeg": 1.0},
    "shldr": {"UpperArm": 0.95},
    "shldrbend": {"UpperArm": 1.0},
    "forearmbend": {"LowerArm": 1.0},
    "metatarsals": {"Toes": 0.3},
}
SIDED: Mapping[str, Meanings] = MappingProxyType(_MOTION_BUILDER | _ENGINES | _BLENDER | _ANATOMY | _DAZ)

CENTRE: Mapping[str, Meanings] = MappingProxyType(
    {
        "hips": {"hips": 1.0},
        "hip": {"hips": 1.0},
        "pelvis": {"hips": 1.0},
        "spinebase": {"hips": 0.9},
        "cog": {"hips": 0.3},
        "root": {"hips": 0.2},
        "body": {"hips": 0.1},
        "spine": {"spine": 0.9, "chest": 0.7, "upperChest": 0.6},
        "lowerback": {"spine": 0.9},
        "abdomen": {"spine": 0.9},
        "abdomenlower": {"spine": 1.0},
        "abdomenupper": {"spine": 0.6, "chest": 0.6},
        "waist": {"spine": 0.8, "hips": 0.2},
        "belly": {"spine": 0.8},
        "stomach": {"spine": 0.8},
        "lumbar": {"spine": 0.9},
        "vertebra": {"spine": 0.8, "chest": 0.8, "upperChest": 0.8},
        "back": {"spine": 0.5, "chest": 0.5},
        "spinelower": {"spine": 0.9},
        "spinemid": {"spine": 0.8, "chest": 0.7},
        "spineupper": {"chest": 0.8, "upperChest": 0.7},
        "spineshoulder": {"chest": 0.8, "upperChest": 0.7},
        "torso": {"spine": 0.6, "chest": 0.7, "upperChest": 0.4},
        "chest": {"spine": 0.4, "chest": 1.0, "upperChest": 0.5},
        "chestlower": {"chest": 1.0},
        "chestupper": {"upperChest": 1.0},
        "upperchest": {"upperChest": 1.0},
        "thorax": {"chest": 0.9, "upperChest": 0.6},
        "ribcage": {"chest": 0.9},
        "neck": {"neck": 1.0, "head": 0.1},
        "necklower": {"neck": 1.0},
        "neckupper": {"neck": 0.8},
        "head": {"head": 1.0},
        "skull": {"head": 0.8},
        "jaw": {"jaw": 1.0},
        "lowerjaw": {"jaw": 0.9},
    }
)

FINGERS: Mapping[str, str] = MappingProxyType(
    {
        "thumb": "Thumb",
        "index": "Index",
        "middle": "Middle",
        "mid": "Middle",
        "ring": "Ring",
        "pinky": "Little",
        "pinkie": "Little",
        "little": "Little",
        "pink": "Little",
    }
)


# Reading a name

# Prefixes that exporters and rigging tools put before every name.
_PREFIX = re.compile(
    r"^(?:(?i:mixamorig\d*|skeleton|armature|joint|bone)(?=[A-Z]|[ _.\-]|$)"
    r"|(?i:bip|valvebiped|j_bip|j_sec|j_adj|cc_base|character\d*|[mf]_avg|def|org|jnt|bn|rig|sk|b|smpl|metarig)"
    r"(?=[ _.\-]))[ _.\-]*"
)
_BIPED = re.compile(r"(?i:bip)\d+[ _]*")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_VERTEBRA = re.compile(r"[LTC]\d{1,2}")
_SIDES = {"left": "left", "l": "left", "lft": "left", "right": "right", "r": "right", "rgt": "right"}
_NOISE = {"joint", "jnt", "bone", "c", "m", "skeleton", "armature", "def", "org", "bn", "anim", "bind", "skin", "env"}
# Joints that serve others: targets, twists, ends, sockets. They have no role, whatever else their name says.
_HELPERS = {
    *("ik", "pole", "poletarget", "target", "ctrl", "control", "handle", "effector", "goal", "mch", "vis", "tweak"),
    *("twist", "roll", "bendy", "helper", "corrective", "muscle", "volume", "jiggle", "phys", "sim", "driver"),
    *("end", "leaf", "nub", "tip", "site", "null", "top", "endsite", "headnub", "terminator"),
    *("slot", "handslot", "socket", "prop", "weapon", "attach", "mount", "gun", "sword", "item", "camera", "hold"),
    *("tail", "wing", "ear", "hair", "skirt", "cape", "cloth", "breast", "bust", "hat", "sleeve", "heel"),
    *("front", "hind", "rear", "paw", "hoof", "fin", "tentacle", "leash"),
}


@dataclass(frozen=True)
class JointName:
    """A joint's name, parsed."""

    side: str  # "left", "right" or ""
    word: str  # the other words, run together, without numbers
    words: tuple[str, ...]
    number: int  # -1 where there is none
    helper: bool


@lru_cache(maxsize=8192)
def read_name(name: str) -> JointName:
    """Parse a joint's name."""
    plain = _strip_prefixes(name)
    if _VERTEBRA.fullmatch(plain):  # L5, T12: vertebrae, not a left something
        return JointName("", "vertebra", ("vertebra",), int(plain[1:]), False)
    words = [word.lower() for word in _WORD.findall(plain)]
    numbers = [int(word) for word in words if word.isdecimal()]
    words = [word for word in words if not word.isdecimal() and word not in _NOISE]
    sides = [word for word in words if word in _SIDES]
    side = _SIDES[sides[0]] if sides else ""
    words = [word for word in words if word not in _SIDES]
    if not side:
        side, words = _hidden_side(words)
    word = "".join(words)
    known = word in SIDED or word in CENTRE
    helper = not known and any(part in _HELPERS for part in words)
    return JointName(side, word, tuple(words), numbers[-1] if numbers else -1, helper)


def _strip_prefixes(name: str) -> str:
    """The name without namespaces and prefixes, however many."""
    plain = re.split(r"[:|/]", name)[-1].strip()
    plain = _BIPED.sub("", plain) or plain
    while (shorter := _PREFIX.sub("", plain, count=1)) != plain:
        if not shorter:
            break
        plain = shorter
    return plain


def _hidden_side(words: list[str]) -> tuple[str, list[str]]:
    """A side without a capital or separator: ``leftarm``, ``lthigh``, ``handl``."""
    for index, word in enumerate(words):
        for side in ("left", "right"):
            if word != side and (word.startswith(side) or word.endswith(side)):
                rest = word.removeprefix(side) if word.startswith(side) else word.removesuffix(side)
                return side, [*words[:index], rest, *words[index + 1 :]]
    whole = "".join(words)
    if whole not in CENTRE and len(whole) > 3:
        for letter, side in (("l", "left"), ("r", "right")):
            if whole.startswith(letter) and whole[1:] in SIDED:
                return side, [whole[1:]]
            if whole.endswith(letter) and whole[:-1] in SIDED:
                return side, [whole[:-1]]
    return "", words
