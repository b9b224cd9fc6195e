"""Reading a limb by its lengths: which bones of a chain are thigh and shin, or upper arm and forearm."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kinesphere.motion.roles.tree import Tree

NOTHING = 1e-9  # a length
PIECES = ((1, 1), (2, 2), (2, 1))  # twist joints may halve bones
HALVED = 1.5  # cost of a limb in twice as many pieces
MOST_BRANCHES = 16  # at one joint, the longest ones
SHORT = 0.08  # of the whole skeleton's reach: shorter branches are fingers


@dataclass(frozen=True)
class Proportions:
    """What a limb usually looks like; the widths are generous, because characters are not people."""

    upper_to_lower: float  # natural logarithm of the two bones' ratio
    width: float
    skipping: float  # cost of a piece before the limb, as long as the limb
    end_branches: float  # what it is worth that the end has several children, as a hand has fingers
    on_trunk: float  # cost of beginning right where the trunk's joint lies, as joints do that only lead to a limb
    long_end: float  # cost of more after the end than a foot or fingers, as long as the limb


ARM = Proportions(math.log(1.15), 0.35, 0.6, 1.5, 0.0, 4.0)
LEG = Proportions(0.0, 0.35, 8.0, 0.0, 2.0, 4.0)


@dataclass(frozen=True)
class Limb:
    """A limb read from its lengths. Joints are -1 where the chain has none."""

    start: int  # where the chain leaves the trunk
    before: int  # a clavicle, in an arm
    upper: int
    lower: int
    end: int  # hand or foot
    after: int  # toes, in a leg
    length: float  # of the two long bones
    cost: float  # how unlike a limb it is; 0 is just like one


def read_limb(tree: Tree, start: int, kind: Proportions) -> Limb | None:
    """The likeliest reading of the chain that begins at ``start``, or None where it has no two joints."""
    chain = tree.main_chain(start)
    bones = tree.chain_bones(chain)
    best: Limb | None = None
    for first in range(min(len(chain) - 1, 5)):
        for pieces in PIECES:
            limb = _reading(tree, chain, bones, first, pieces, kind)
            if limb is not None and (best is None or limb.cost < best.cost):
                best = limb
    return best


def _reading(
    tree: Tree, chain: list[int], bones: list[float], first: int, pieces: tuple[int, int], kind: Proportions
) -> Limb | None:
    """The chain read as a limb from its joint ``first`` on, each of its two bones in so many pieces."""
    middle, last = first + pieces[0], first + sum(pieces)
    if sum(pieces) > 2 and (last >= len(chain) or not _halved(bones[first:middle], bones[middle:last])):
        return None
    upper, lower = sum(bones[first:middle]), sum(bones[middle:last])
    if upper <= NOTHING or (lower <= NOTHING and last < len(chain)):
        return None
    cost = kind.skipping * sum(bones[:first]) / (upper + lower) + max(0, first - 1) + HALVED * (sum(pieces) > 2)
    cost += kind.long_end * max(0.0, sum(bones[last:]) / (upper + lower) - 0.6)
    if lower > NOTHING:
        cost += (math.log(upper / lower) - kind.upper_to_lower) ** 2 / (2.0 * kind.width**2)
    if tree.bones[chain[first]] <= 1e-6 * upper:
        cost += kind.on_trunk
    end = chain[last] if last < len(chain) else -1
    if end < 0:
        cost += 2.0
    elif len(tree.children[end]) >= 2:
        cost -= kind.end_branches
    after = chain[last + 1] if last + 1 < len(chain) and bones[last] > NOTHING else -1
    before = chain[first - 1] if first else -1
    return Limb(chain[0], before, chain[first], chain[middle], end, after, upper + lower, cost)


def _halved(*bones: list[float]) -> bool:
    return all(min(pair) > 0.4 * max(pair) for pair in bones)


def mirrored_pairs(tree: Tree) -> list[tuple[int, int, int]]:
    """``(parent, a, b)``: children whose branches have the same bone lengths, as a left and a right limb have.

    Only branches of two joints and more, and not those that are short beside the skeleton (fingers).
    """
    whole = max(tree.reach)
    found: list[tuple[int, int, int]] = []
    for parent, children in enumerate(tree.children):
        if len(children) >= 4 and any(tree.is_below(parent, twin) for _, a, b in found for twin in (a, b)):
            continue  # a hand
        long = [c for c in children if tree.children[c] and tree.reach[c] > SHORT * whole]
        long = sorted(long, key=lambda c: -tree.reach[c])[:MOST_BRANCHES]
        chains = {c: tree.chain_bones(tree.main_chain(c)) for c in long} if len(long) > 1 else {}
        for k, a in enumerate(long):
            for b in long[k + 1 :]:
                if _alike(chains[a], chains[b]):
                    found.append((parent, a, b))
    return found


def _alike(a: list[float], b: list[float]) -> bool:
    """Whether two chains have nearly the same bones. The trailing ones matter little: fingers may differ."""
    if abs(len(a) - len(b)) > 1:
        return False
    apart = sum(abs(x - y) for x, y in zip(a, b, strict=False))
    return apart <= 0.15 * max(sum(a), sum(b))
