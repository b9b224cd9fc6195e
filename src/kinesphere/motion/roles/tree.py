"""Tree queries on a skeleton: descendants, common ancestors, paths, the reach and main chain of a branch."""

from __future__ import annotations

import math

import numpy as np

from kinesphere.motion.skeleton import Skeleton


class JointTree:
    """Plain lists, faster than arrays for sixty joints. Lengths are shares of the sum of all bones, ``size``."""

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
