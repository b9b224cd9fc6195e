"""A skeleton as a tree to ask questions of: who is below whom, how far a branch reaches, which way it mainly goes."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.motion.skeleton import Skeleton


class JointTree:
    """Plain lists: for sixty joints they are quicker than arrays. Lengths are shares of all bones' sum, ``size``."""

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
        # Each joint's place in a walk through the tree, in which what is below a joint follows it at once.
        self._places = [0] * len(self.parents)
        after = [0] * len(self.parents)
        next_root = 0
        for joint, parent in enumerate(self.parents):
            self._places[joint] = after[parent] if parent >= 0 else next_root
            after[joint] = self._places[joint] + 1
            if parent >= 0:
                after[parent] += self.sizes[joint]
            else:
                next_root += self.sizes[joint]

    def __len__(self) -> int:
        return len(self.parents)

    def is_below(self, joint: int, above: int) -> bool:
        """Whether ``joint`` is a descendant of ``above``; a joint is not below itself."""
        return 0 < self._places[joint] - self._places[above] < self.sizes[above]

    def meeting(self, a: int, b: int) -> int:
        """The deepest joint that both are below or are themselves; -1 for joints of different trees."""
        while a != b:
            if self.depths[a] < self.depths[b]:
                a, b = b, a
            a = self.parents[a]
            if a < 0:
                return -1
        return a

    def path(self, above: int, below: int) -> list[int]:
        """The joints after ``above`` down to and with ``below``; empty where it is not below."""
        way = []
        while below not in (above, -1):
            way.append(below)
            below = self.parents[below]
        return way[::-1] if below == above else []

    def main_chain(self, start: int) -> list[int]:
        """From ``start`` on, always along the branch that reaches farthest."""
        chain = [start]
        while children := self.children[chain[-1]]:
            chain.append(max(children, key=self._weight))
        return chain

    def _weight(self, joint: int) -> tuple[float, int]:
        return (self.bones[joint] + self.reach[joint], self.sizes[joint])

    def chain_bones(self, chain: list[int]) -> list[float]:
        """How far it is from each joint of a chain to the next; from the last to its tip."""
        return [*(self.bones[joint] for joint in chain[1:]), self.tips[chain[-1]]]
