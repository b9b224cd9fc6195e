"""A body found by its shape: where two like legs and a spine meet, with two like arms above. No names are read."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kinesphere.motion.roles.limbs import ARM, LEG, NOTHING, Limb, mirrored_pairs, read_limb
from kinesphere.motion.roles.tree import Tree

WORST = 9.0  # a reading that costs more is no limb


@dataclass(frozen=True)
class Body:
    """What shape alone says. Limbs come as pairs whose sides are not known yet."""

    hips: int
    torso: tuple[int, ...]  # from above the hips to the joint that carries the arms
    neck: tuple[int, ...]  # from above that to below the head
    head: int  # -1 where there is none
    legs: tuple[Limb, Limb]
    arms: tuple[Limb, Limb]
    hands_have_fingers: bool
    quality: float  # 0 to 1


@dataclass(frozen=True)
class _Pair:
    parent: int
    limbs: tuple[Limb, Limb]
    cost: float
    length: float


def find_body(tree: Tree) -> Body | None:
    """The likeliest body in a tree of joints, or None."""
    pairs = mirrored_pairs(tree)
    legs = [pair for p in pairs if (pair := _pair(tree, p, legs=True)) is not None]
    arms = [pair for p in pairs if (pair := _pair(tree, p, legs=False)) is not None]
    best: tuple[float, Body] | None = None
    for leg in legs:
        for arm in arms:
            body = _joined(tree, leg, arm, pairs)
            if body is None:
                continue
            score = body.quality
            if best is None or score > best[0]:
                best = (score, body)
    return best[1] if best else None


def _pair(tree: Tree, pair: tuple[int, int, int], *, legs: bool) -> _Pair | None:
    parent, a, b = pair
    limbs = (read_limb(tree, a, LEG if legs else ARM), read_limb(tree, b, LEG if legs else ARM))
    if limbs[0] is None or limbs[1] is None:
        return None
    cost = 0.5 * (limbs[0].cost + limbs[1].cost)
    if cost > WORST or (not legs and min(limbs[0].end, limbs[1].end) < 0):
        return None
    return _Pair(parent, (limbs[0], limbs[1]), cost, 0.5 * (limbs[0].length + limbs[1].length))


def _joined(tree: Tree, leg: _Pair, arm: _Pair, pairs: list[tuple[int, int, int]]) -> Body | None:
    """A body of these legs and arms, if they can belong to one."""
    hips = tree.meeting(leg.parent, arm.parent)
    if hips < 0 or hips == arm.parent or len(tree.path(hips, leg.parent)) > 2:
        return None
    if any(tree.is_below(arm.parent, limb.start) or arm.parent == limb.start for limb in leg.limbs):
        return None
    torso = tree.path(hips, arm.parent)
    neck, head = _neck_and_head(tree, arm, leg, pairs)
    fingers = all(_has_fingers(tree, limb.end) for limb in arm.limbs)
    whole = max(tree.reach)
    # Long limbs that look like limbs, a head between the arms, fingers on hands only.
    score = 1.5 * math.log((leg.length + arm.length) / whole) - 0.25 * (leg.cost + arm.cost)
    score += 2.0 * (head >= 0) + 1.0 * fingers
    score -= 2.0 * all(limb.end >= 0 and _has_fingers(tree, limb.end) for limb in leg.limbs)
    ratio = math.log(leg.length / arm.length)
    score -= min(2.0, 0.5 * max(0.0, abs(ratio - 0.35) - 0.35) ** 2 / 0.35**2)
    # What branches within a limb is no pair of arms, but fingers.
    limbs = {start for parent, a, b in pairs if parent != arm.parent for start in (a, b)}
    score -= 3.0 * any(arm.parent == start or tree.is_below(arm.parent, start) for start in limbs)
    quality = 1.0 / (1.0 + math.exp(-score - 0.5))
    return Body(hips, tuple(torso), tuple(neck), head, leg.limbs, arm.limbs, fingers, quality)


def _has_fingers(tree: Tree, end: int) -> bool:
    """Three or more branches of two joints, or a few of more: toes are seldom so many."""
    long = [child for child in tree.children[end] if tree.children[child]]
    return len(long) >= 3


def _neck_and_head(tree: Tree, arm: _Pair, leg: _Pair, pairs: list[tuple[int, int, int]]) -> tuple[list[int], int]:
    """What goes on between the arms: the farthest-reaching branch that has no twin."""
    twins = {child for parent, a, b in pairs if parent == arm.parent for child in (a, b)}
    twins |= {limb.start for limb in arm.limbs}
    middle = [child for child in tree.children[arm.parent] if child not in twins]
    if not middle:
        return [], -1
    chain = tree.main_chain(max(middle, key=lambda j: (tree.sizes[j] > 1, tree.reach[j] + tree.bones[j])))
    for place, joint in enumerate(chain):
        if len(tree.children[joint]) >= 2:  # eyes, a jaw, hair; perhaps on a joint that lies on the head
            place -= bool(place) and tree.bones[joint] <= NOTHING
            return chain[:place], chain[place]
    # Where bones end in tips, the last joint is a head; else three in a row are a neck, a head and its end,
    # unless the legs end with their toes.
    ends_with_toes = all(limb.after >= 0 and not tree.children[limb.after] for limb in leg.limbs)
    if not tree.has_tips and not ends_with_toes and len(chain) >= 3:
        chain = chain[:-1]
    return chain[:-1], chain[-1]
