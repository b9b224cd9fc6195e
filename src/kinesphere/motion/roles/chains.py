"""Role assignment by dynamic programming: the best joints for a limb, trunk, hand or face.

"LeftShoulder" could be a clavicle or an upper arm, "LeftLeg" a thigh or a shin. Every candidate has a score from its
name and one from its proportions. The assignment with the highest sum wins; a required role counts more, and a joint
that is not below the one before counts less. So a "LeftShoulder" with a "LeftArm" below it becomes a clavicle, and
without one the upper arm. ``JointTree`` answers what lies below what, and how long branches are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.roles.names import CENTRE, FINGERS, JointName
from kinesphere.motion.skeleton import Skeleton

Candidates = Mapping[int, float]  # joint to score

ARM_PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand")
LEG_PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes")
_OPTIONAL = ("Shoulder", "Toes")

NEEDED = 0.5  # score of a required role
FOLLOWS = 0.3  # score of a joint below the one before, subtracted where it is not
MOST = 16  # candidates for a role
SHAPE = 0.45  # score of a role found by proportions; names score up to 1


def best_chain(tree: JointTree, parts: Sequence[str], candidates: Mapping[str, Candidates]) -> dict[str, int]:
    """One joint for as many parts as possible, in order from the trunk outwards."""
    # The best partial assignment for each last joint; -1 is the start.
    partials: dict[int, tuple[float, dict[str, int]]] = {-1: (0.0, {})}
    for part in parts:
        needed = 0.0 if part in _OPTIONAL else NEEDED
        longer = dict(partials)  # the part may stay without a joint
        for last, (score, chosen) in partials.items():
            for joint, own in _strongest(candidates.get(part, {})):
                if joint in chosen.values():
                    continue
                if last >= 0 and tree.is_below(last, joint):
                    continue
                step = 0.0
                if last >= 0:
                    step = FOLLOWS if tree.is_below(joint, last) else -FOLLOWS
                total = score + own + needed + step
                if joint not in longer or total > longer[joint][0]:
                    longer[joint] = (total, {**chosen, part: joint})
        partials = longer
    return max(partials.values(), key=lambda partial: partial[0])[1]


def _strongest(candidates: Candidates) -> list[tuple[int, float]]:
    """Candidates in the order of joints; of very many only the best."""
    if len(candidates) <= MOST:
        return list(candidates.items())
    best = sorted(candidates, key=lambda joint: (-candidates[joint], joint))[:MOST]
    return [(joint, candidates[joint]) for joint in sorted(best)]


def runner_up(candidates: Candidates, chosen: int, taken: set[int]) -> tuple[int, float] | None:
    """The best candidate that has no other role, and its votes as a share of the chosen one's, at most 1."""
    others = [(score, -joint) for joint, score in candidates.items() if joint != chosen and joint not in taken]
    if not others:
        return None
    score, joint = max(others)
    return (-joint, vote_share(score, candidates[chosen]))


def vote_share(votes: float, winners: float) -> float:
    """Votes as a share of the winner's. Along a limb the order may decide against more votes: then 1."""
    return votes / max(votes, winners) if votes > 0.0 else 0.0


# The trunk: hips, spine, chest, neck and head


def role_certainty(name: JointName, role: str) -> float:
    """Certainty 0–1 that a name without a side means a role."""
    if name.side or name.helper:
        return 0.0
    return CENTRE.get(name.word, {}).get(role, 0.0)


def assign_torso(torso: Sequence[int], names: Sequence[JointName] | None = None) -> dict[str, int]:
    """Spine, chest and upper chest for the joints between hips and arms, lowest first.

    The lowest is the spine, the one that carries the arms the upper chest; of several between them the middle one
    is the chest. Two are a spine and a chest.
    """
    if not torso:
        return {}
    shared = {"spine": torso[0]}
    if len(torso) == 2:
        shared["chest"] = torso[1]
    elif len(torso) > 2:
        shared["chest"], shared["upperChest"] = torso[len(torso) // 2], torso[-1]
        if len(torso) == 3:
            shared["chest"] = torso[1]
    if names is None or len(torso) < 3:
        return shared
    # A joint that is called just "chest" is the chest, and what is above it the upper chest.
    plain = [k for k, joint in enumerate(torso) if k and names[joint].word in ("chest", "chestlower")]
    if plain:
        shared["chest"] = torso[plain[0]]
        if plain[0] == len(torso) - 1:
            del shared["upperChest"]
    return shared


def split_trunk(
    tree: JointTree, hips: int, head: int, junction: int, names: Sequence[JointName]
) -> tuple[list[int], list[int]]:
    """The joints between hips and head: those of the torso, and those of the neck (without the head)."""
    if head < 0:
        return (tree.path(hips, junction) if junction >= 0 else []), []
    path = tree.path(hips, head)[:-1]
    if junction in path:
        cut = path.index(junction) + 1
    else:
        necks = [k for k, joint in enumerate(path) if role_certainty(names[joint], "neck") > 0.5]
        cut = necks[0] if necks else len(path)
    # Arms may be children of a neck, or of a joint below the topmost chest: the names decide.
    while cut > 1 and role_certainty(names[path[cut - 1]], "neck") > 0.5:
        cut -= 1
    spines_only = names[head].word == "spine"
    while (
        not spines_only
        and cut < len(path)
        and max(role_certainty(names[path[cut]], role) for role in ("spine", "chest", "upperChest")) > 0.5
    ):
        if any(role_certainty(names[joint], "neck") > 0.5 for joint in path[:cut]):
            break
        cut += 1
    torso = [joint for joint in path[:cut] if role_certainty(names[joint], "hips") < 0.9] or path[:cut]
    return torso, path[cut:]


def choose_neck(neck: Sequence[int], names: Sequence[JointName]) -> int:
    """The lowest joint that is called a neck, else the lowest; -1 where there is none."""
    for joint in neck:
        if role_certainty(names[joint], "neck") > 0.5:
            return joint
    return neck[0] if neck else -1


# Fingers, eyes and jaw: by name and position in the tree

_INSIDE = {"metacarpal", "carpal", "inhand", "in", "palm", "base"}  # bones within the palm


def find_fingers(tree: JointTree, names: Sequence[JointName], roles: Mapping[str, int]) -> dict[str, int]:
    """Finger roles of both hands, for joints that are named after fingers."""
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


def _phalanges(
    tree: JointTree, names: Sequence[JointName], side: str, finger: str, joints: list[int]
) -> dict[str, int]:
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


def find_face(tree: JointTree, names: Sequence[JointName], roles: Mapping[str, int]) -> dict[str, int]:
    """Eyes and jaw below the head."""
    head = roles.get("head", -1)
    found: dict[str, int] = {}
    for joint, name in enumerate(names):
        if head < 0 or not tree.is_below(joint, head):
            continue
        if name.side and name.word in ("eye", "eyeball"):
            found.setdefault(f"{name.side}Eye", joint)
        elif role_certainty(name, "jaw") > 0.0:
            found.setdefault("jaw", joint)
    return found


# Descendants, common ancestors, paths, the reach and main chain of a branch


class JointTree:
    """Plain lists, faster than arrays for sixty joints. Lengths are shares of the sum of all bones, ``size``.

    ``whole`` is how far the skeleton reaches from where it first branches.
    """

    def __init__(self, skeleton: Skeleton) -> None:
        self.parents: list[int] = skeleton.parents.tolist()
        self.children: tuple[tuple[int, ...], ...] = skeleton.children
        with np.errstate(over="ignore"):
            lengths: list[float] = skeleton.bone_lengths.tolist()
        total = sum(lengths)
        self.size = total if 0.0 < total < math.inf else 1.0
        self.bones = [min(length / self.size, 1.0) for length in lengths]
        self.has_tips = bool(skeleton.tips)
        self.tips = [0.0] * len(self.parents)
        for tip in skeleton.tips:
            self.tips[tip.joint] = max(self.tips[tip.joint], min(math.hypot(*tip.offset) / self.size, 1.0))
        self.reach = list(self.tips)
        self.sizes = [1] * len(self.parents)
        self.depths = [0] * len(self.parents)
        for joint, parent in enumerate(self.parents):
            self.depths[joint] = self.depths[parent] + 1 if parent >= 0 else 0
        for joint in range(len(self.parents) - 1, -1, -1):
            parent = self.parents[joint]
            if parent >= 0:
                self.reach[parent] = max(self.reach[parent], self.bones[joint] + self.reach[joint])
                self.sizes[parent] += self.sizes[joint]
        self.whole = max(self.reach[self._first_branch(root)] for root in self._roots) or max(self.reach)
        # Each joint's position in a depth-first walk, in which a joint's descendants follow it directly.
        self._positions = [0] * len(self.parents)
        after = [0] * len(self.parents)
        next_root = 0
        for joint, parent in enumerate(self.parents):
            self._positions[joint] = after[parent] if parent >= 0 else next_root
            after[joint] = self._positions[joint] + 1
            if parent >= 0:
                after[parent] += self.sizes[joint]
            else:
                next_root += self.sizes[joint]

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def _roots(self) -> list[int]:
        return [joint for joint, parent in enumerate(self.parents) if parent < 0]

    def _first_branch(self, root: int) -> int:
        """The first joint from a root on that carries several others: what is above only says where a body stands."""
        while len(self.children[root]) == 1:
            root = self.children[root][0]
        return root

    def is_below(self, joint: int, above: int) -> bool:
        """Whether ``joint`` is a descendant of ``above``; a joint is not below itself."""
        return 0 < self._positions[joint] - self._positions[above] < self.sizes[above]

    def common_ancestor(self, a: int, b: int) -> int:
        """Lowest common ancestor, which may be one of the two; -1 for joints of different trees."""
        while a != b:
            if self.depths[a] < self.depths[b]:
                a, b = b, a
            a = self.parents[a]
            if a < 0:
                return -1
        return a

    def path(self, above: int, below: int) -> list[int]:
        """The joints after ``above`` down to and with ``below``; empty where it is not below."""
        joints = []
        while below not in (above, -1):
            joints.append(below)
            below = self.parents[below]
        return joints[::-1] if below == above else []

    def main_chain(self, start: int) -> list[int]:
        """The chain from ``start`` along the branches that reach farthest."""
        chain = [start]
        while children := self.children[chain[-1]]:
            chain.append(max(children, key=self._branch_size))
        return chain

    def _branch_size(self, joint: int) -> tuple[float, int]:
        return (self.bones[joint] + self.reach[joint], self.sizes[joint])

    def chain_bones(self, chain: list[int]) -> list[float]:
        """Bone lengths along a chain: from each joint to the next, and from the last to its tip."""
        return [*(self.bones[joint] for joint in chain[1:]), self.tips[chain[-1]]]
