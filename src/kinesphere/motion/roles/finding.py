"""Find humanoid roles: which joint is which VRM 1.0 bone. Names vote, and proportions vote.

``names`` reads joint names, ``shape`` reads bone lengths and poses, ``chains`` combines both along each limb.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from kinesphere.maths.vectors import ArrayLike, Floats
from kinesphere.motion.humanoid import CORE, REQUIRED, SIDES
from kinesphere.motion.roles import chains
from kinesphere.motion.roles.body_shape import ShapeEvidence, find_by_shape
from kinesphere.motion.roles.chains import JointTree, find_face, find_fingers
from kinesphere.motion.roles.names import SIDED, JointName, read_name
from kinesphere.motion.roles.rolemap import RoleMap, check_overrides
from kinesphere.motion.skeleton import LazyRoles, Skeleton

_CORE = frozenset(CORE)
MOST_POSES = 24  # of the given ones, evenly spaced
Overrides = Mapping[str, int | str | None]


def find_roles(
    skeleton: Skeleton, *, overrides: Overrides | None = None, positions: ArrayLike | None = None
) -> RoleMap:
    """Find the humanoid roles of a skeleton.

    Parameters
    ----------
    skeleton
        Any skeleton. Roles it has already (from a VRM) stay as they are.
    overrides
        Role to joint, by index or name, or to None for a role that is to stay empty. One side's role also settles
        which side is which.
    positions
        World positions ``(J, 3)`` or ``(T, J, 3)`` of posed frames, where there are some: they decide left and right
        in a skeleton without names whose rest pose does not.

    Examples
    --------
    >>> found = find_roles(motion.skeleton)  # doctest: +SKIP
    >>> found.roles["leftHand"], found.confidence["leftHand"]  # doctest: +SKIP
    (20, 0.98)
    """
    if isinstance(skeleton.roles, LazyRoles):
        skeleton = replace(skeleton, roles={})  # detect again, with confidence and evidence
    given = check_overrides(skeleton, overrides or {})
    if positions is not None:
        return _find(skeleton, given, _poses(skeleton, positions))
    return _find_cached(_SkeletonKey(skeleton, tuple(sorted(given.items(), key=lambda item: item[0]))))


class _SkeletonKey:
    """A skeleton that compares by contents, as a key of the cache."""

    def __init__(self, skeleton: Skeleton, given: tuple[tuple[str, int | None], ...]) -> None:
        self.skeleton, self.given = skeleton, given
        arrays = (skeleton.parents, skeleton.offsets, skeleton.rest_rotations)
        roles = tuple(sorted(skeleton.roles.items()))
        self._key = (skeleton.names, *(array.tobytes() for array in arrays), roles, skeleton.tips, given)
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SkeletonKey) and self._key == other._key


@lru_cache(maxsize=128)
def _find_cached(key: _SkeletonKey) -> RoleMap:
    return _find(key.skeleton, dict(key.given), None)


def _poses(skeleton: Skeleton, positions: ArrayLike) -> Floats:
    poses: Floats = np.asarray(positions, dtype=np.float64)
    poses = poses[None] if poses.ndim == 2 else poses
    if poses.ndim != 3 or poses.shape[1:] != (len(skeleton), 3) or not len(poses):
        raise ValueError(f"positions: shape (J, 3) or (T, J, 3) with J = {len(skeleton)} expected, not {poses.shape}")
    if not np.isfinite(poses).all():
        raise ValueError("positions: finite numbers expected")
    return poses[np.linspace(0, len(poses) - 1, min(len(poses), MOST_POSES)).round().astype(np.intp)]


@dataclass
class _Search:
    """The state of one search."""

    skeleton: Skeleton
    tree: JointTree
    names: tuple[JointName, ...]
    known: dict[str, int]
    shape: ShapeEvidence
    roles: dict[str, int] = field(default_factory=dict)
    runners_up: dict[str, tuple[int, float]] = field(default_factory=dict)  # joint, share of the winner's votes
    evidence: list[str] = field(default_factory=list)
    odd: set[str] = field(default_factory=set)

    def scores(self, role: str, meanings: Mapping[int, float]) -> dict[int, float]:
        """Candidates for a role with their scores, from names and proportions; a known joint is the only one."""
        if role in self.known:
            return {self.known[role]: 5.0}
        taken = set(self.known.values())
        scores = {joint: value for joint, value in meanings.items() if joint not in taken}
        by_shape = self.shape.roles.get(role, -1)
        if by_shape >= 0 and by_shape not in taken:
            scores[by_shape] = scores.get(by_shape, 0.0) + chains.SHAPE
        return scores


def _find(skeleton: Skeleton, given: Mapping[str, int | None], poses: Floats | None) -> RoleMap:
    empty = {role for role, joint in given.items() if joint is None}
    fixed = {role: joint for role, joint in given.items() if joint is not None}
    known = {role: joint for role, joint in skeleton.roles.items() if role not in given}
    known = {role: joint for role, joint in known.items() if joint not in fixed.values()} | fixed
    if skeleton.roles and all(role in known for role in REQUIRED):
        sure = dict.fromkeys(known, 1.0)
        evidence = ("roles: the skeleton has them already", *(["roles: some were given"] if given else []))
        return RoleMap(known, sure, evidence, {}, skeleton.names)
    tree = JointTree(skeleton)
    names = tuple(read_name(name) for name in skeleton.names)
    with np.errstate(all="ignore"):  # absurd sizes may overflow
        shape = find_by_shape(skeleton, tree, names, known, poses)
    search = _Search(skeleton, tree, names, known, shape)
    _search_limbs(search)
    _search_trunk(search)
    for role, joint in (find_fingers(tree, names, search.roles) | find_face(tree, names, search.roles)).items():
        if joint not in search.roles.values():
            search.roles.setdefault(role, joint)
    search.roles |= known
    roles = {role: joint for role, joint in search.roles.items() if role not in empty}
    confidence = {role: _confidence(search, role, joint) for role, joint in roles.items()}
    for role in sorted(roles, key=lambda role: (confidence[role], role not in known)):
        if list(roles.values()).count(roles[role]) > 1 and role not in known:  # one role a joint: the surest
            del roles[role], confidence[role]
    if known:
        search.evidence.insert(0, f"roles: {len(known)} were given, or the skeleton had them already")
    evidence = (*search.evidence, *shape.evidence)
    # A runner-up's confidence is the winner's times its share of the winner's votes, so never higher.
    runners = {
        role: (joint, round(confidence[role] * share, 3))
        for role, (joint, share) in search.runners_up.items()
        if role in roles
    }
    return RoleMap(roles, confidence, evidence, runners, skeleton.names)


def _search_limbs(search: _Search) -> None:
    words = {
        joint: name for joint, name in enumerate(search.names) if name.side and name.word in SIDED and not name.helper
    }
    if words:
        search.evidence.append(f"names: joints with a limb's name and a side: {len(words)}")
    for side in SIDES:
        for parts in (chains.ARM_PARTS, chains.LEG_PARTS):
            candidates = {}
            for part in parts:
                meanings = {
                    joint: SIDED[name.word][part] - 0.02 * max(0, min(name.number, 5))
                    for joint, name in words.items()
                    if name.side == side and part in SIDED[name.word]
                }
                candidates[part] = search.scores(f"{side}{part}", meanings)
            chosen = chains.best_chain(search.tree, parts, candidates)
            _keep_chain(search, side, parts, chosen, candidates)


def _keep_chain(
    search: _Search,
    side: str,
    parts: Sequence[str],
    chosen: Mapping[str, int],
    candidates: Mapping[str, chains.Candidates],
) -> None:
    taken, names, last = set(chosen.values()), search.skeleton.names, -1
    for part in parts:
        if part not in chosen:
            continue
        role, joint = f"{side}{part}", chosen[part]
        search.roles[role] = joint
        second = chains.runner_up(candidates[part], joint, taken)
        if second is not None:
            search.runners_up[role] = second
        if last >= 0 and not search.tree.is_below(joint, last):
            search.odd.add(role)
            search.evidence.append(f"odd: {role} {names[joint]!r} does not hang on {names[last]!r}")
        last = joint


def _search_trunk(search: _Search) -> None:
    tree, names, roles = search.tree, search.names, search.roles
    starts = [roles.get(f"{side}Shoulder", roles.get(f"{side}UpperArm", -1)) for side in SIDES]
    legs = [roles[f"{side}UpperLeg"] for side in SIDES if f"{side}UpperLeg" in roles]
    junction = (
        tree.common_ancestor(tree.parents[starts[0]], tree.parents[starts[1]])
        if _both(tree, starts)
        else search.shape.junction
    )
    heads = search.scores("head", _candidates_by_name(names, "head"))
    head = _top_of_spine(search, _best(search, "head", heads, tree, least=0.4))
    hips = _best(search, "hips", _hips_scores(search, legs, head, junction), tree, least=0.4)
    if hips < 0:
        return
    torso, neck = chains.split_trunk(tree, hips, head, junction, names)
    found = chains.assign_torso(torso, names)
    if (chosen := chains.choose_neck(neck, names)) >= 0:
        found["neck"] = chosen
    for role, joint in found.items():
        if role not in search.known and joint not in search.known.values():
            search.roles[role] = joint
            other = search.shape.roles.get(role, joint)
            if other != joint and other not in search.roles.values():
                search.runners_up[role] = (
                    other,
                    chains.vote_share(chains.SHAPE, chains.role_certainty(names[joint], role)),
                )


def _top_of_spine(search: _Search, head: int) -> int:
    """Rigify calls neck and head spines too: where nothing is called a head, the last spine is the head."""
    if head < 0 or "head" in search.known or search.names[head].word != "spine":
        return head
    while below := [joint for joint in search.tree.children[head] if search.names[joint].word == "spine"]:
        head = below[0]
    search.roles["head"] = head
    return head


def _both(tree: JointTree, joints: Sequence[int]) -> bool:
    return all(joint >= 0 and tree.parents[joint] >= 0 for joint in joints)


def _candidates_by_name(names: Sequence[JointName], role: str) -> dict[int, float]:
    return {joint: value for joint, name in enumerate(names) if (value := chains.role_certainty(name, role)) > 0.0}


def _hips_scores(search: _Search, legs: Sequence[int], head: int, junction: int) -> dict[int, float]:
    """Scores of names and proportions; ancestors of both legs and of the head or the arms score more."""
    tree = search.tree
    scores = search.scores("hips", _candidates_by_name(search.names, "hips"))
    if "hips" in search.known or len(legs) < 2:
        return scores
    parts = [*legs, *(joint for joint in (head, junction) if joint >= 0)][:3]
    joint = tree.common_ancestor(legs[0], legs[1])
    for other in parts[2:]:
        joint = tree.common_ancestor(joint, other) if joint >= 0 else -1
    if joint >= 0 and joint not in legs:
        scores[joint] = scores.get(joint, 0.0) + 0.3
    while joint >= 0:
        scores[joint] = scores.get(joint, 0.0) + 0.6
        joint = tree.parents[joint]
    return scores


def _best(search: _Search, role: str, scores: dict[int, float], tree: JointTree, *, least: float) -> int:
    ranked = sorted(scores, key=lambda joint: (-scores[joint], tree.depths[joint], joint))
    if not ranked or scores[ranked[0]] < least:
        return -1
    search.roles[role] = ranked[0]
    named = [joint for joint in ranked[1:] if chains.role_certainty(search.names[joint], role) > 0.25]
    if named:
        search.runners_up[role] = (named[0], chains.vote_share(scores[named[0]], scores[ranked[0]]))
        mine, other = (search.skeleton.names[joint] for joint in (ranked[0], named[0]))
        search.evidence.append(f"{role}: {mine!r}; {other!r} is named like it too")
    return ranked[0]


def _confidence(search: _Search, role: str, joint: int) -> float:
    """Confidence 0–1 of a role, 0.8 and more only where names and proportions agree."""
    if search.known.get(role) == joint:
        return 1.0
    by_name, side = _name_certainty(search, role, joint), role.startswith(SIDES)
    by_shape = search.shape.roles.get(role, -1)
    if role not in _CORE:  # fingers, eyes, jaw: by name, and below the right joint
        value = 0.85
    elif by_name > 0.0:
        value = 0.9 + 0.09 * by_name if by_shape == joint else (0.55 if by_shape >= 0 else 0.6) + 0.18 * by_name
    elif by_shape == joint:
        value = 0.45 + 0.3 * search.shape.quality
        value *= 0.6 + 0.4 * search.shape.sides if side else 1.0
    else:
        value = 0.4
    if role in search.runners_up and _name_certainty(search, role, search.runners_up[role][0]) > by_name + 0.2:
        value = min(value, 0.7)
    if side and search.shape.sides_against_names:
        value *= 0.5
    if role in search.odd:
        value *= 0.8
    if search.shape.on_all_fours:
        value *= 0.7
    return round(value, 3)


def _name_certainty(search: _Search, role: str, joint: int) -> float:
    """Certainty 0–1 that a joint's name means a role."""
    name = search.names[joint]
    if not role.startswith(SIDES):
        return chains.role_certainty(name, role)
    return SIDED.get(name.word, {}).get(role.removeprefix("left").removeprefix("right"), 0.0)
