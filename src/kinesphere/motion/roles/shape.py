"""Shape's testimony: a body found without names, with its sides told by names, by what is known, or by its front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kinesphere.kernels.arrays import Floats
from kinesphere.motion.roles.body import Body, find_body
from kinesphere.motion.roles.limbs import Limb
from kinesphere.motion.roles.names import Name
from kinesphere.motion.roles.sides import ENOUGH, Posture, posture, rest_ends
from kinesphere.motion.roles.tree import Tree
from kinesphere.motion.roles.trunk import share_torso
from kinesphere.motion.skeleton import Skeleton


@dataclass
class Testimony:
    """Roles as shape sees them, with what there is to say about it."""

    roles: dict[str, int] = field(default_factory=dict)
    junction: int = -1  # the joint that carries the arms
    quality: float = 0.0
    evidence: list[str] = field(default_factory=list)
    sides: float = 1.0  # how clear it is which side is which, 0 to 1
    sides_against_names: bool = False
    on_all_fours: bool = False


def ask_shape(
    skeleton: Skeleton, tree: Tree, names: Sequence[Name], known: Mapping[str, int], poses: Floats | None
) -> Testimony:
    """Look for a body. ``known`` roles are certain; ``poses`` are world positions ``(T, J, 3)``."""
    said = Testimony()
    body = find_body(tree)
    if body is None:
        said.evidence.append("shape: no two legs of equal bones below two such arms")
        return said
    seen = _posture(skeleton, tree, body, poses)
    said.on_all_fours = seen.on_all_fours
    if seen.on_all_fours:
        said.evidence.append("shape: stands on all fours, with the front limbs as long as the hind ones")
        return said
    said.quality, said.junction = body.quality, body.torso[-1]
    said.roles = {"hips": body.hips, **share_torso(body.torso)}
    if body.head >= 0:
        said.roles["head"] = body.head
    if body.neck:
        said.roles["neck"] = body.neck[0]
    said.evidence.append("shape: two legs and two arms of equal bones, with a spine between")
    for limbs, score, what in (
        (body.legs, seen.legs_first_is_left, "legs"),
        (body.arms, seen.arms_first_is_left, "arms"),
    ):
        first = _first_is_left(tree, names, known, limbs)
        if first == 0.0 and abs(score) < ENOUGH:
            said.evidence.append(_undecided(skeleton, limbs, what, seen, poses is None))
            continue
        if first * score < 0.0 and abs(score) > 0.5:
            said.sides_against_names = True
            said.evidence.append(f"sides: the {what} are named left and right against where the front seems to be")
        if first == 0.0:
            said.sides = min(said.sides, 2.0 * abs(score))
        left = 0 if (first or score) > 0.0 else 1
        for side, limb in (("left", limbs[left]), ("right", limbs[1 - left])):
            said.roles |= _limb_roles(side, limb, legs=what == "legs")
    _find_loose_feet(skeleton, tree, body, said)
    return said


def _posture(skeleton: Skeleton, tree: Tree, body: Body, poses: Floats | None) -> Posture:
    """Given poses decide where the front is; else the rest pose, which also has tips."""
    if poses is not None:
        seen = posture(body, poses / tree.size, {})
        if abs(seen.legs_first_is_left) >= ENOUGH or seen.on_all_fours:
            return seen
    turned, placed = skeleton.rest_world()
    ends = rest_ends(skeleton, (turned, placed))
    return posture(body, placed[None] / tree.size, {joint: end / tree.size for joint, end in ends.items()})


def _limb_roles(side: str, limb: Limb, *, legs: bool) -> dict[str, int]:
    if legs:
        parts = {"UpperLeg": limb.upper, "LowerLeg": limb.lower, "Foot": limb.end, "Toes": limb.after}
    else:
        parts = {"Shoulder": limb.before, "UpperArm": limb.upper, "LowerArm": limb.lower, "Hand": limb.end}
    return {f"{side}{part}": joint for part, joint in parts.items() if joint >= 0}


def _first_is_left(tree: Tree, names: Sequence[Name], known: Mapping[str, int], limbs: tuple[Limb, Limb]) -> float:
    """1 or -1 where known roles or the names of a limb's joints say which is left; 0 where they don't."""
    for trusted in (True, False):
        votes = 0
        for limb, sign in zip(limbs, (1, -1), strict=True):
            for joint in range(limb.start, len(tree)):
                if joint != limb.start and not tree.is_below(joint, limb.start):
                    continue
                side = _known_side(known, joint) if trusted else names[joint].side
                votes += sign * {"left": 1, "right": -1, "": 0}[side]
        if abs(votes) >= (1 if trusted else 2):
            return 1.0 if votes > 0 else -1.0
    return 0.0


def _known_side(known: Mapping[str, int], joint: int) -> str:
    for role, own in known.items():
        if own == joint:
            return "left" if role.startswith("left") else "right" if role.startswith("right") else ""
    return ""


def _undecided(skeleton: Skeleton, limbs: tuple[Limb, Limb], what: str, seen: Posture, at_rest: bool) -> str:
    pair = " and ".join(f"{skeleton.names[limb.upper] or limb.upper!r}" for limb in limbs)
    why = "neither toes nor knees tell the front" if seen.standing else "the pose is not one of standing"
    more = "; a posed frame (positions=…) may tell" if at_rest else ""
    return f"sides: which of the {what} from {pair} is the left one is not decided, since {why}{more}"


def _find_loose_feet(skeleton: Skeleton, tree: Tree, body: Body, said: Testimony) -> None:
    """Feet that don't hang on their legs, as in rigs with a foot control: ends on the ground below the knees."""
    if all(limb.end >= 0 for limb in body.legs):
        return
    _, place = skeleton.rest_world()
    within = {body.hips, *body.torso}
    loose = [
        joint
        for joint in range(len(tree))
        if not tree.children[joint] and joint not in within and not tree.is_below(joint, body.hips)
    ]
    for side in ("left", "right"):
        upper, lower = (said.roles.get(f"{side}{part}", -1) for part in ("UpperLeg", "LowerLeg"))
        if lower < 0 or f"{side}Foot" in said.roles:
            continue
        shin = place[lower] - place[upper]
        reach = float(np.linalg.norm(shin))
        # Straight on from the thigh, within a shin's usual lengths.
        near = [
            (float(np.linalg.norm(place[joint] - place[lower] - shin)), joint)
            for joint in loose
            if float(np.dot(place[joint] - place[lower], shin)) > 0.5 * reach * reach
        ]
        if near and min(near)[0] < 1.3 * reach:
            said.roles[f"{side}Foot"] = min(near)[1]
