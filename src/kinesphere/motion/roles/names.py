"""Reading a joint's name: its side, its words, its number, and whether it is only a helper.

``mixamorig:LeftUpLeg``, ``thigh.L``, ``Bip01 L Thigh``, ``J_Bip_L_UpperLeg`` and ``lThigh`` all have a side, a word
or two and some dressing. The dressing goes; the rest is looked up in ``aliases``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from kinesphere.motion.roles.aliases import CENTRE, SIDED

# What an exporter or a rigging tool puts before every name.
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
class Name:
    """What a name says."""

    side: str  # "left", "right" or ""
    word: str  # the other words, run together, without numbers
    words: tuple[str, ...]
    number: int  # -1 where there is none
    helper: bool


@lru_cache(maxsize=8192)
def read_name(name: str) -> Name:
    """Take a name apart."""
    plain = _without_dressing(name)
    if _VERTEBRA.fullmatch(plain):  # L5, T12: vertebrae, not a left something
        return Name("", "vertebra", ("vertebra",), int(plain[1:]), False)
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
    return Name(side, word, tuple(words), numbers[-1] if numbers else -1, helper)


def _without_dressing(name: str) -> str:
    """Without namespaces and prefixes, however many."""
    plain = re.split(r"[:|/]", name)[-1].strip()
    plain = _BIPED.sub("", plain) or plain
    while (shorter := _PREFIX.sub("", plain, count=1)) != plain:
        if not shorter:
            break
        plain = shorter
    return plain


def _hidden_side(words: list[str]) -> tuple[str, list[str]]:
    """A side without a capital or separator: ``leftarm``, ``lthigh``, ``handl``."""
    for place, word in enumerate(words):
        for side in ("left", "right"):
            if word != side and (word.startswith(side) or word.endswith(side)):
                rest = word.removeprefix(side) if word.startswith(side) else word.removesuffix(side)
                return side, [*words[:place], rest, *words[place + 1 :]]
    whole = "".join(words)
    if whole not in CENTRE and len(whole) > 3:
        for letter, side in (("l", "left"), ("r", "right")):
            if whole.startswith(letter) and whole[1:] in SIDED:
                return side, [whole[1:]]
            if whole.endswith(letter) and whole[:-1] in SIDED:
                return side, [whole[:-1]]
    return "", words
