"""The vote along a limb: roles in their order to joints in theirs, so that the words of a limb explain each other.

"LeftShoulder" could be a clavicle or an upper arm, "LeftLeg" a thigh or a shin. Every candidate has a score from its
name and one from its shape; the assignment with the highest sum wins, where a role that is required counts more and
a joint that does not hang on the one before counts less. With a "LeftArm" below it a "LeftShoulder" so becomes a
clavicle, and without one the upper arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kinesphere.motion.roles.tree import Tree

Candidates = Mapping[int, float]  # joint to score

ARM_PARTS = ("Shoulder", "UpperArm", "LowerArm", "Hand")
LEG_PARTS = ("UpperLeg", "LowerLeg", "Foot", "Toes")
_OPTIONAL = ("Shoulder", "Toes")

NEEDED = 0.5  # for a required role
FOLLOWS = 0.3  # for hanging on the one before, and against not doing so
MOST = 16  # candidates for a role
SHAPE = 0.45  # what shape's word counts beside a name's, which counts up to 1


def best_chain(tree: Tree, parts: Sequence[str], candidates: Mapping[str, Candidates]) -> dict[str, int]:
    """One joint for as many parts as possible, in order from the trunk outwards."""
    # The best way to have come to each last joint; -1 is the start.
    ways: dict[int, tuple[float, dict[str, int]]] = {-1: (0.0, {})}
    for part in parts:
        needed = 0.0 if part in _OPTIONAL else NEEDED
        longer = dict(ways)  # the part may stay without a joint
        for last, (score, chosen) in ways.items():
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
        ways = longer
    return max(ways.values(), key=lambda way: way[0])[1]


def _strongest(candidates: Candidates) -> list[tuple[int, float]]:
    """In the order of joints; of very many only the best."""
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
    return (-joint, share(score, candidates[chosen]))


def share(votes: float, winners: float) -> float:
    """Votes as a share of the winner's. Along a limb the order may decide against more votes: then 1."""
    return votes / max(votes, winners) if votes > 0.0 else 0.0
