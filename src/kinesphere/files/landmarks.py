"""Landmarks of the person in a file: hips, head and feet by their names, else by the shape of the body.

Unit, vertical axis and the meaning of position channels are inferred from them, before there is a motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kinesphere.maths.vectors import Floats, Ints
from kinesphere.motion.skeleton import Skeleton

LIKELY = 0.35  # quality of a body found by its shape from which on it is taken for one
MOST_FEET = 8  # joints named like feet that are tried
SURE = 0.55  # and from which on without a word


@dataclass(frozen=True)
class Landmarks:
    """Joints of a person. ``thighs`` are where the legs begin, in the order of ``feet``."""

    hips: int  # the joint that carries both legs
    head: int
    thighs: tuple[int, int]
    feet: tuple[int, int]
    leg: float  # thigh and shin in units of the file
    evidence: str = ""  # how they were found, where names did not say it
    sure: bool = True


def find_landmarks(
    names: tuple[str, ...], parents: Ints, offsets: Floats, poses: Callable[[], Floats] | None = None
) -> Landmarks | None:
    """The person's landmarks, or None where there is no person.

    ``poses`` gives world positions ``(T, J, 3)`` of some frames, where there are some. It is called only where names
    say nothing.
    """
    return _by_names(names, parents, offsets) or _by_shape(names, parents, offsets, poses)


def joints_named(names: Sequence[str], *words: str) -> list[int]:
    """Joints whose names contain one of the words."""
    return [i for i, name in enumerate(names) if any(word in name.lower() for word in words)]


def ancestors(joint: int, parents: Ints) -> list[int]:
    """The joint and those above it, up to its root."""
    found = [joint]
    while parents[found[-1]] >= 0:
        found.append(int(parents[found[-1]]))
    return found


# By names


def _by_names(names: tuple[str, ...], parents: Ints, offsets: Floats) -> Landmarks | None:
    heads = joints_named(names, "head") or joints_named(names, "neck")
    feet = joints_named(names, "foot", "ankle")
    if not heads or len(feet) < 2:
        return None
    lengths = np.linalg.norm(offsets, axis=1)
    for pair in combinations(feet[:MOST_FEET], 2):
        legs = _legs_of(pair, parents)
        if legs is None:
            continue
        leg = float(np.median([lengths[joints[0]] + lengths[joints[1]] for joints in legs]))
        hips = int(parents[legs[0][-1]])
        above = set(ancestors(hips, parents))
        # The head of this body: the one that hangs on most of what carries the hips.
        head = max(heads, key=lambda joint: len(above.intersection(ancestors(joint, parents))))
        return Landmarks(hips, head, (legs[0][-1], legs[1][-1]), pair, leg) if leg > 0.0 else None
    return None


def _legs_of(feet: tuple[int, int], parents: Ints) -> tuple[list[int], list[int]] | None:
    """Each foot with the joints above it, up to where the legs part; None for what are no two legs."""
    first, second = (ancestors(foot, parents) for foot in feet)
    shared = next((joint for joint in first if joint in second), -1)
    if shared < 0 or shared in feet:
        return None  # of another tree, or of the same leg
    legs = first[: first.index(shared)], second[: second.index(shared)]
    # A foot, a shin and a thigh are a leg; a control on the floor is none.
    return legs if min(len(leg) for leg in legs) >= 3 else None


# By shape


def _by_shape(
    names: tuple[str, ...], parents: Ints, offsets: Floats, poses: Callable[[], Floats] | None
) -> Landmarks | None:
    # Only for names that say nothing: it takes longer than all the rest.
    from kinesphere.motion.roles.body_shape import find_body, read_poses
    from kinesphere.motion.roles.chains import JointTree

    if len(names) < 9 or not np.isfinite(offsets).all():
        return None
    skeleton = Skeleton(names, parents, offsets)
    tree = JointTree(skeleton)
    with np.errstate(all="ignore"):  # absurd sizes may overflow
        body = find_body(tree)
        if body is None or body.head < 0 or body.quality < LIKELY:
            return None
        on_all_fours = read_poses(body, skeleton.rest_world()[1][None] / tree.size, {}).on_all_fours
        # Rest poses with all bones along one axis look like it, too; and people crawl.
        if on_all_fours and (poses is None or read_poses(body, poses() / tree.size, {}).on_all_fours):
            return None
    first, second = body.legs
    leg = 0.5 * (first.length + second.length) * tree.size
    feet = tuple(limb.end if limb.end >= 0 else limb.lower for limb in body.legs)
    return Landmarks(
        hips=tree.common_ancestor(first.upper, second.upper),
        head=body.head,
        thighs=(first.upper, second.upper),
        feet=(feet[0], feet[1]),
        leg=leg,
        evidence="found by the shape of the body, since the joints' names do not say it",
        sure=body.quality >= SURE,
    )
