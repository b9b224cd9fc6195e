"""The middle of the body: hips, the joints of the torso shared out among spine and chest, neck and head."""

from __future__ import annotations

from collections.abc import Sequence

from kinesphere.motion.roles.aliases import CENTRE
from kinesphere.motion.roles.names import Name
from kinesphere.motion.roles.tree import Tree


def meaning(name: Name, role: str) -> float:
    """How surely a name without a side stands for a role."""
    if name.side or name.helper:
        return 0.0
    return CENTRE.get(name.word, {}).get(role, 0.0)


def share_torso(torso: Sequence[int], names: Sequence[Name] | None = None) -> dict[str, int]:
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


def split_trunk(tree: Tree, hips: int, head: int, junction: int, names: Sequence[Name]) -> tuple[list[int], list[int]]:
    """The joints between hips and head: those of the torso, and those of the neck (without the head)."""
    if head < 0:
        return (tree.path(hips, junction) if junction >= 0 else []), []
    path = tree.path(hips, head)[:-1]
    if junction in path:
        cut = path.index(junction) + 1
    else:
        said = [k for k, joint in enumerate(path) if meaning(names[joint], "neck") > 0.5]
        cut = said[0] if said else len(path)
    # Arms may hang on a neck, or below the topmost chest; the words tell.
    while cut > 1 and meaning(names[path[cut - 1]], "neck") > 0.5:
        cut -= 1
    spines_only = names[head].word == "spine"
    while (
        not spines_only
        and cut < len(path)
        and max(meaning(names[path[cut]], role) for role in ("spine", "chest", "upperChest")) > 0.5
    ):
        if any(meaning(names[joint], "neck") > 0.5 for joint in path[:cut]):
            break
        cut += 1
    torso = [joint for joint in path[:cut] if meaning(names[joint], "hips") < 0.9] or path[:cut]
    return torso, path[cut:]


def choose_neck(neck: Sequence[int], names: Sequence[Name]) -> int:
    """The lowest joint that is called a neck, else the lowest; -1 where there is none."""
    for joint in neck:
        if meaning(names[joint], "neck") > 0.5:
            return joint
    return neck[0] if neck else -1
