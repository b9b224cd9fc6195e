"""Humanoid detection by proportions: find legs, arms, spine and the left side without joint names.

A limb is a chain whose bone lengths are those of thigh and shin, or of upper arm and forearm. A body is a pair of legs
below a pair of arms. Feet and knees in the rest pose, or in given poses, show the front, and so the left side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.maths import rotations
from kinesphere.maths.vectors import Bools, Floats, cross, norms, reject, unit
from kinesphere.motion.roles.chains import JointTree, assign_torso
from kinesphere.motion.roles.names import JointName
from kinesphere.motion.roles.rolemap import AGAINST_FRONT
from kinesphere.motion.skeleton import Skeleton

NOTHING = 1e-9  # a length
PIECES = ((1, 1), (2, 2), (2, 1))  # twist joints may halve bones
HALVED = 1.5  # cost of a limb in twice as many pieces
MOST_BRANCHES = 16  # at one joint, the longest ones
SHORT = 0.08  # of the whole skeleton's reach: shorter branches are fingers


@dataclass(frozen=True)
class Proportions:
    """Usual proportions of a limb; the widths are generous, because characters are not people."""

    upper_to_lower: float  # natural logarithm of the two bones' ratio
    width: float
    skipping: float  # cost of a piece before the limb, as long as the limb
    end_branches: float  # reward where the end has several children, as a hand has fingers
    on_trunk: float  # cost of beginning right where the trunk's joint lies, as joints do that only lead to a limb
    long_end: float  # cost of more after the end than a foot or fingers, as long as the limb


ARM = Proportions(math.log(1.15), 0.35, 0.6, 1.5, 0.0, 4.0)
LEG = Proportions(0.0, 0.35, 8.0, 0.0, 2.0, 4.0)


@dataclass(frozen=True)
class LimbReading:
    """A limb read from its lengths. Joints are -1 where the chain has none."""

    start: int  # where the chain leaves the trunk
    before: int  # a clavicle, in an arm
    upper: int
    lower: int
    end: int  # hand or foot
    after: int  # toes, in a leg
    length: float  # of the two long bones
    cost: float  # how unlike a limb it is; 0 is just like one


def read_limb(tree: JointTree, start: int, kind: Proportions) -> LimbReading | None:
    """The most likely limb along the chain that begins at ``start``; None for a chain of fewer than two joints."""
    chain = tree.main_chain(start)
    bones = tree.chain_bones(chain)
    best: LimbReading | None = None
    for first in range(min(len(chain) - 1, 5)):
        for pieces in PIECES:
            limb = _reading(tree, chain, bones, first, pieces, kind)
            if limb is not None and (best is None or limb.cost < best.cost):
                best = limb
    return best


def _reading(
    tree: JointTree, chain: list[int], bones: list[float], first: int, pieces: tuple[int, int], kind: Proportions
) -> LimbReading | None:
    """The chain as a limb from its joint ``first`` on; ``pieces`` says how many bones make up each half."""
    middle, last = first + pieces[0], first + sum(pieces)
    if sum(pieces) > 2 and (last >= len(chain) or not _are_halves(bones[first:middle], bones[middle:last])):
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
    return LimbReading(chain[0], before, chain[first], chain[middle], end, after, upper + lower, cost)


def _are_halves(*bones: list[float]) -> bool:
    return all(min(pair) > 0.4 * max(pair) for pair in bones)


def find_mirror_pairs(tree: JointTree) -> list[tuple[int, int, int]]:
    """``(parent, a, b)``: children whose branches have the same bone lengths, as a left and a right limb have.

    Only branches of two joints and more, and not those that are short beside the skeleton (fingers).
    """
    whole = tree.whole
    found: list[tuple[int, int, int]] = []
    for parent, children in enumerate(tree.children):
        if len(children) >= 4 and any(tree.is_below(parent, start) for _, a, b in found for start in (a, b)):
            continue  # a hand
        long = [c for c in children if tree.children[c] and tree.reach[c] > SHORT * whole]
        long = sorted(long, key=lambda c: -tree.reach[c])[:MOST_BRANCHES]
        chains = {c: tree.chain_bones(tree.main_chain(c)) for c in long} if len(long) > 1 else {}
        for k, a in enumerate(long):
            for b in long[k + 1 :]:
                if _are_alike(chains[a], chains[b]):
                    found.append((parent, a, b))
    return found


def _are_alike(a: list[float], b: list[float]) -> bool:
    """Whether two chains have nearly the same bones. The trailing ones matter little: fingers may differ."""
    if abs(len(a) - len(b)) > 1:
        return False
    apart = sum(abs(x - y) for x, y in zip(a, b, strict=False))
    return apart <= 0.15 * max(sum(a), sum(b))


# Bodies

WORST = 9.0  # a reading that costs more is no limb


@dataclass(frozen=True)
class BodyReading:
    """A body found by proportions alone. Limbs are pairs whose sides are not known yet."""

    hips: int
    torso: tuple[int, ...]  # from above the hips to the joint that carries the arms
    neck: tuple[int, ...]  # from above that to below the head
    head: int  # -1 where there is none
    legs: tuple[LimbReading, LimbReading]
    arms: tuple[LimbReading, LimbReading]
    hands_have_fingers: bool
    quality: float  # 0 to 1


@dataclass(frozen=True)
class _LimbPair:
    parent: int
    limbs: tuple[LimbReading, LimbReading]
    cost: float
    length: float


def find_body(tree: JointTree) -> BodyReading | None:
    """The likeliest body in a tree of joints, or None."""
    pairs = find_mirror_pairs(tree)
    legs = [pair for p in pairs if (pair := _read_pair(tree, p, legs=True)) is not None]
    arms = [pair for p in pairs if (pair := _read_pair(tree, p, legs=False)) is not None]
    best: tuple[float, BodyReading] | None = None
    for leg in legs:
        for arm in arms:
            body = _assemble_body(tree, leg, arm, pairs)
            if body is None:
                continue
            score = body.quality
            if best is None or score > best[0]:
                best = (score, body)
    return best[1] if best else None


def _read_pair(tree: JointTree, pair: tuple[int, int, int], *, legs: bool) -> _LimbPair | None:
    parent, a, b = pair
    limbs = (read_limb(tree, a, LEG if legs else ARM), read_limb(tree, b, LEG if legs else ARM))
    if limbs[0] is None or limbs[1] is None:
        return None
    cost = 0.5 * (limbs[0].cost + limbs[1].cost)
    if cost > WORST or (not legs and min(limbs[0].end, limbs[1].end) < 0):
        return None
    return _LimbPair(parent, (limbs[0], limbs[1]), cost, 0.5 * (limbs[0].length + limbs[1].length))


def _assemble_body(
    tree: JointTree, leg: _LimbPair, arm: _LimbPair, pairs: list[tuple[int, int, int]]
) -> BodyReading | None:
    """A body of these legs and arms, if they can belong to one."""
    hips = tree.common_ancestor(leg.parent, arm.parent)
    if hips < 0 or hips == arm.parent or len(tree.path(hips, leg.parent)) > 2:
        return None
    if any(tree.is_below(arm.parent, limb.start) or arm.parent == limb.start for limb in leg.limbs):
        return None
    torso = tree.path(hips, arm.parent)
    neck, head = _neck_and_head(tree, arm, leg, pairs)
    fingers = all(_has_fingers(tree, limb.end) for limb in arm.limbs)
    whole = tree.whole
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
    return BodyReading(hips, tuple(torso), tuple(neck), head, leg.limbs, arm.limbs, fingers, quality)


def _has_fingers(tree: JointTree, end: int) -> bool:
    """Whether there are three or more branches of two joints; toes are seldom so many."""
    long = [child for child in tree.children[end] if tree.children[child]]
    return len(long) >= 3


def _neck_and_head(
    tree: JointTree, arm: _LimbPair, leg: _LimbPair, pairs: list[tuple[int, int, int]]
) -> tuple[list[int], int]:
    """The branch between the arms that reaches farthest and is not one of a pair: the neck's joints, and the head."""
    paired = {child for parent, a, b in pairs if parent == arm.parent for child in (a, b)}
    paired |= {limb.start for limb in arm.limbs}
    middle = [child for child in tree.children[arm.parent] if child not in paired]
    if not middle:
        return [], -1
    chain = tree.main_chain(max(middle, key=lambda j: (tree.sizes[j] > 1, tree.reach[j] + tree.bones[j])))
    for index, joint in enumerate(chain):
        if len(tree.children[joint]) >= 2:  # eyes, a jaw, hair; perhaps on a joint that lies on the head
            index -= bool(index) and tree.bones[joint] <= NOTHING
            return chain[:index], chain[index]
    # Where bones end in tips, the last joint is a head; else three in a row are a neck, a head and its end,
    # unless the legs end with their toes.
    ends_with_toes = all(limb.after >= 0 and not tree.children[limb.after] for limb in leg.limbs)
    if not tree.has_tips and not ends_with_toes and len(chain) >= 3:
        chain = chain[:-1]
    return chain[:-1], chain[-1]


# Left and right, from the body's front: toes point there and knees bend there. With up ``u`` from the hips to the chest
# and ``d`` from limb B to limb A, ``d × u`` is forward if A is the left one (left is +X, up is +Y, forward is +Z).

ENOUGH = 0.12  # a front weaker than this, of 1, decides nothing


@dataclass(frozen=True)
class PoseSides:
    """Sides and stance of a body in some poses."""

    legs_first_is_left: float  # -1 to 1: whether the first leg is the left one; about 0 is undecided
    arms_first_is_left: float
    on_all_fours: bool
    standing: bool  # whether legs point away from the trunk in these poses


def rest_ends(skeleton: Skeleton, rest: tuple[Floats, Floats]) -> dict[int, Floats]:
    """World position of the tip at rest, for joints that have one."""
    return {tip.joint: rest[1][tip.joint] + rotations.rotate(rest[0][tip.joint], tip.offset) for tip in skeleton.tips}


def read_poses(body: BodyReading, poses: Floats, ends: dict[int, Floats]) -> PoseSides:
    """Sides and stance from poses ``(T, J, 3)``; ``ends`` are tip positions, given only for the rest pose."""
    legs, arms = body.legs, body.arms
    hip = 0.5 * (poses[:, legs[0].upper] + poses[:, legs[1].upper])  # (T, 3)
    chest = poses[:, body.torso[-1]]
    if body.head >= 0:
        chest = 0.5 * (chest + poses[:, body.head])
    up = _direction(chest - hip)
    down = _direction(_foot(poses, legs[0]) + _foot(poses, legs[1]) - 2.0 * hip)
    along = np.sum(up * down, axis=-1)
    standing = along < -0.4
    apart = poses[:, legs[0].upper] - poses[:, legs[1].upper]
    legs_score = _left_scores(body, poses, ends, apart, up, standing)
    shoulders = poses[:, arms[0].upper] - poses[:, arms[1].upper]
    # The arms' sides follow the legs', as far as the two lines across the body agree.
    agree = np.sum(_direction(shoulders) * _direction(reject(apart, up)), axis=-1)
    agree = np.where(np.abs(agree) > 0.5, np.sign(agree), 0.0)
    return PoseSides(
        legs_first_is_left=float(np.mean(legs_score)),
        arms_first_is_left=float(np.mean(legs_score * agree)),
        on_all_fours=_on_all_fours(body, poses, down, along),
        standing=bool(np.mean(standing) > 0.5),
    )


def _left_scores(
    body: BodyReading, poses: Floats, ends: dict[int, Floats], apart: Floats, up: Floats, standing: Bools
) -> Floats:
    """``(T,)``: from -1 to 1, how clearly feet, knees and elbows say that the first leg is the left one."""
    forward = cross(apart, up)
    usable = standing & (norms(forward) > 0.02 * body.legs[0].length)
    forward = _direction(forward)
    total = np.zeros(len(poses))
    for leg in body.legs:
        foot, length = _foot(poses, leg), leg.length
        hip, knee = poses[:, leg.upper], poses[:, leg.lower]
        toe = _toe(leg, poses, ends)
        if toe is not None:
            ahead = np.sum((toe - foot) * forward, axis=-1)
            level = np.abs(ahead) > 0.3 * norms(toe - foot)  # what points down is no foot
            total += 0.5 * np.where(level, np.clip(ahead / (0.1 * length), -1.0, 1.0), 0.0)
        if leg.end >= 0:
            total += 0.3 * np.clip(
                np.sum(_bend_offset(hip, knee, foot) * forward, axis=-1) / (0.03 * length), -1.0, 1.0
            )
    for arm in body.arms:
        bend = _bend_offset(poses[:, arm.upper], poses[:, arm.lower], poses[:, arm.end])
        total -= 0.1 * np.clip(np.sum(bend * forward, axis=-1) / (0.03 * arm.length), -1.0, 1.0)
    return np.where(usable, np.clip(total, -1.0, 1.0), 0.0)


def _toe(leg: LimbReading, poses: Floats, ends: dict[int, Floats]) -> Floats | None:
    """Position of the toes: the foot's tip, or the toe joint where there is none."""
    for joint in (leg.after, leg.end):
        if joint in ends:
            return ends[joint][None]
    return poses[:, leg.after] if leg.after >= 0 else None


def _foot(poses: Floats, leg: LimbReading) -> Floats:
    position: Floats = poses[:, leg.end if leg.end >= 0 else leg.lower]
    return position


def _on_all_fours(body: BodyReading, poses: Floats, down: Floats, along: Floats) -> bool:
    """Arms beside the legs and as far down, with the trunk across; hands with fingers are no paws."""
    if body.hands_have_fingers:
        return False
    first, second = body.arms
    hands = poses[:, first.end] - poses[:, first.upper] + poses[:, second.end] - poses[:, second.upper]
    beside = np.sum(_direction(hands) * down, axis=-1) > 0.7
    tops = 0.5 * (poses[:, body.legs[0].upper] + poses[:, body.legs[1].upper])
    foot_level = np.mean([np.sum((_foot(poses, leg) - tops) * down, axis=-1) for leg in body.legs], axis=0)
    hand_level = np.mean([np.sum((poses[:, arm.end] - tops) * down, axis=-1) for arm in body.arms], axis=0)
    return bool(np.mean(beside & (along > -0.6) & (hand_level > 0.7 * foot_level)) > 0.5)


def _bend_offset(start: Floats, middle: Floats, end: Floats) -> Floats:
    """Offset of the middle joint from the straight line between the outer two."""
    line = end - start
    square = np.maximum(np.sum(line * line, axis=-1, keepdims=True), 1e-18)
    share = np.sum((middle - start) * line, axis=-1, keepdims=True) / square
    bend: Floats = middle - start - share * line
    return bend


def _direction(vectors: Floats) -> Floats:
    """Unit vectors; zero for vectors that are only rounding errors (lengths are shares of the skeleton's size)."""
    return np.where(norms(vectors)[..., None] > 1e-9, unit(vectors), 0.0)


# Roles by proportions, with sides from known roles, names, or the front of the body


@dataclass
class ShapeEvidence:
    """Roles by proportions, with their evidence."""

    roles: dict[str, int] = field(default_factory=dict)
    junction: int = -1  # the joint that carries the arms
    quality: float = 0.0
    evidence: list[str] = field(default_factory=list)
    sides: float = 1.0  # how clear it is which side is which, 0 to 1
    sides_against_names: bool = False
    on_all_fours: bool = False


def find_by_shape(
    skeleton: Skeleton, tree: JointTree, names: Sequence[JointName], known: Mapping[str, int], poses: Floats | None
) -> ShapeEvidence:
    """Look for a body. ``known`` roles are certain; ``poses`` are world positions ``(T, J, 3)``."""
    found = ShapeEvidence()
    body = find_body(tree)
    if body is None:
        found.evidence.append("shape: no two legs of equal bones below two such arms")
        return found
    pose = _posture(skeleton, tree, body, poses)
    found.on_all_fours = pose.on_all_fours
    if pose.on_all_fours:
        found.evidence.append("shape: stands on all fours, with the front limbs as long as the hind ones")
        return found
    found.quality, found.junction = body.quality, body.torso[-1]
    found.roles = {"hips": body.hips, **assign_torso(body.torso)}
    if body.head >= 0:
        found.roles["head"] = body.head
    if body.neck:
        found.roles["neck"] = body.neck[0]
    found.evidence.append("shape: two legs and two arms of equal bones, with a spine between")
    for limbs, score, what in (
        (body.legs, pose.legs_first_is_left, "legs"),
        (body.arms, pose.arms_first_is_left, "arms"),
    ):
        first = _first_is_left(tree, names, known, limbs)
        if first == 0.0 and abs(score) < ENOUGH:
            found.evidence.append(_explain_undecided_sides(skeleton, limbs, what, pose, poses is None))
            continue
        if first * score < 0.0 and abs(score) > 0.5:
            found.sides_against_names = True
            found.evidence.append(f"sides: the {what} are {AGAINST_FRONT}")
        if first == 0.0:
            found.sides = min(found.sides, 2.0 * abs(score))
        left = 0 if (first or score) > 0.0 else 1
        for side, limb in (("left", limbs[left]), ("right", limbs[1 - left])):
            found.roles |= _limb_roles(side, limb, legs=what == "legs")
    _find_loose_feet(skeleton, tree, body, found)
    return found


def _posture(skeleton: Skeleton, tree: JointTree, body: BodyReading, poses: Floats | None) -> PoseSides:
    """Given poses decide where the front is; else the rest pose, which also has tips."""
    if poses is not None:
        pose = read_poses(body, poses / tree.size, {})
        if abs(pose.legs_first_is_left) >= ENOUGH or pose.on_all_fours:
            return pose
    rest = skeleton.rest_world()
    ends = rest_ends(skeleton, rest)
    return read_poses(body, rest[1][None] / tree.size, {joint: end / tree.size for joint, end in ends.items()})


def _limb_roles(side: str, limb: LimbReading, *, legs: bool) -> dict[str, int]:
    if legs:
        parts = {"UpperLeg": limb.upper, "LowerLeg": limb.lower, "Foot": limb.end, "Toes": limb.after}
    else:
        parts = {"Shoulder": limb.before, "UpperArm": limb.upper, "LowerArm": limb.lower, "Hand": limb.end}
    return {f"{side}{part}": joint for part, joint in parts.items() if joint >= 0}


def _first_is_left(
    tree: JointTree, names: Sequence[JointName], known: Mapping[str, int], limbs: tuple[LimbReading, LimbReading]
) -> float:
    """1 or -1 where known roles or the names of a limb's joints say which is left; 0 where they don't."""
    for trusted in (True, False):
        votes = 0
        for limb, sign in zip(limbs, (1, -1), strict=True):
            for joint in range(limb.start, len(tree)):
                if joint != limb.start and not tree.is_below(joint, limb.start):
                    continue
                side = _side_of_joint(known, joint) if trusted else names[joint].side
                votes += sign * {"left": 1, "right": -1, "": 0}[side]
        if abs(votes) >= (1 if trusted else 2):
            return 1.0 if votes > 0 else -1.0
    return 0.0


def _side_of_joint(known: Mapping[str, int], joint: int) -> str:
    for role, own in known.items():
        if own == joint:
            return "left" if role.startswith("left") else "right" if role.startswith("right") else ""
    return ""


def _explain_undecided_sides(
    skeleton: Skeleton, limbs: tuple[LimbReading, LimbReading], what: str, pose: PoseSides, at_rest: bool
) -> str:
    pair = " and ".join(f"{skeleton.names[limb.upper] or limb.upper!r}" for limb in limbs)
    why = "neither toes nor knees tell the front" if pose.standing else "the pose is not one of standing"
    more = "; a posed frame (positions=…) may tell" if at_rest else ""
    return f"sides: which of the {what} from {pair} is the left one is not decided, since {why}{more}"


def _find_loose_feet(skeleton: Skeleton, tree: JointTree, body: BodyReading, found: ShapeEvidence) -> None:
    """Feet that are not below their legs in the tree, as in rigs with a foot control: leaves where a shin would end."""
    if all(limb.end >= 0 for limb in body.legs):
        return
    _, rest = skeleton.rest_world()
    within = {body.hips, *body.torso}
    loose = [
        joint
        for joint in range(len(tree))
        if not tree.children[joint] and joint not in within and not tree.is_below(joint, body.hips)
    ]
    for side in ("left", "right"):
        upper, lower = (found.roles.get(f"{side}{part}", -1) for part in ("UpperLeg", "LowerLeg"))
        if lower < 0 or f"{side}Foot" in found.roles:
            continue
        shin = rest[lower] - rest[upper]
        reach = float(np.linalg.norm(shin))
        # Straight on from the thigh, within a shin's usual lengths.
        near = [
            (float(np.linalg.norm(rest[joint] - rest[lower] - shin)), joint)
            for joint in loose
            if float(np.dot(rest[joint] - rest[lower], shin)) > 0.5 * reach * reach
        ]
        if near and min(near)[0] < 1.3 * reach:
            found.roles[f"{side}Foot"] = min(near)[1]
