"""How many roles are right over every skeleton of the captures: the table, and what it is made of.

The truth was read off names and hierarchies by hand, one file a naming in ``truth/``: for each role the joints that
are right, several where people would differ, with null where none is right as well. A role that is not listed must
stay empty.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere import load
from kinesphere.files.loading import clip_names, load_character
from kinesphere.motion.humanoid import CORE, mirror_role
from kinesphere.motion.roles import RoleMap, find_roles
from kinesphere.motion.roles.rolemap import SURE
from kinesphere.motion.skeleton import Skeleton

TRUTH = Path(__file__).parent / "truth"
WAYS = ("named", "stripped", "stripped, posed")


@dataclass(frozen=True)
class Case:
    """One skeleton of the captures and what is right for it."""

    file: str
    skeleton: Skeleton
    poses: np.ndarray | None
    truth: dict[str, list[str | None]]


@dataclass(frozen=True)
class Score:
    """How a search did on one skeleton."""

    right: int
    asked: int
    wrong: tuple[str, ...]
    swapped: tuple[str, ...]
    sure_but_wrong: tuple[str, ...]


def truths() -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted(TRUTH.glob("*.json"))]


@lru_cache(maxsize=1)
def cases(data_dir: Path) -> tuple[Case, ...]:
    return tuple(
        Case(file, *skeleton_and_poses(data_dir / file), truth["roles"])
        for truth in truths()
        for file in truth["files"]
    )


def skeleton_and_poses(path: Path) -> tuple[Skeleton, np.ndarray | None]:
    """Without roles that the file itself may name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if clip_names(path):
            motion = load(path)
            places = motion.positions_world()
            return replace(motion.skeleton, roles={}), places[:: max(1, len(places) // 16)]
        return replace(load_character(path).skeleton, roles={}), None


def stripped(skeleton: Skeleton) -> Skeleton:
    """The same joints without their names."""
    return skeleton.renamed([f"n{joint}" for joint in range(len(skeleton))])


def search(case: Case, way: str) -> RoleMap:
    skeleton = case.skeleton if way == "named" else stripped(case.skeleton)
    return find_roles(skeleton, positions=case.poses if way == "stripped, posed" else None)


def score(case: Case, found: RoleMap) -> Score:
    """Compare the core roles."""
    names = case.skeleton.names
    right, asked = 0, 0
    wrong, swapped, sure = [], [], []
    for role in CORE:
        fine = case.truth.get(role, [None])
        name = names[found.roles[role]] if role in found.roles else None
        if name is None and None in fine:
            continue
        asked += 1
        if name in fine:
            right += 1
            continue
        wrong.append(f"{role}: {name}")
        if name is not None and name in case.truth.get(mirror_role(role), []) and mirror_role(role) != role:
            swapped.append(role)
        if found.confidence.get(role, 0.0) >= SURE:
            sure.append(role)
    return Score(right, asked, tuple(wrong), tuple(swapped), tuple(sure))


def rows(data_dir: Path) -> Iterator[tuple[str, dict[str, Score]]]:
    for case in cases(data_dir):
        yield case.file, {way: score(case, search(case, way)) for way in WAYS}


def share(scores: list[Score]) -> float:
    return sum(s.right for s in scores) / sum(s.asked for s in scores)


def print_table(data_dir: Path) -> None:
    """The share of core roles that are right, for every skeleton, with names and without."""
    print(f"\n{'skeleton':52} {'named':>8} {'stripped':>9} {'posed':>8}")
    found = list(rows(data_dir))
    for file, scores in found:
        cells = [f"{s.right}/{s.asked}" for s in scores.values()]
        print(f"{file:52} {cells[0]:>8} {cells[1]:>9} {cells[2]:>8}")
        for way, s in scores.items():
            if 0 < len(s.wrong) <= 6:
                print(f"    {way}: {', '.join(s.wrong)}")
    totals = [share([scores[way] for _, scores in found]) for way in WAYS]
    print(f"{'all':52} {totals[0]:8.1%} {totals[1]:9.1%} {totals[2]:8.1%}")
