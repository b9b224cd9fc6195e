"""Role mapping files: JSON that says which joint has which humanoid role.

    {"format": "kinesphere mapping", "version": 1, "roles": {"hips": "mixamorig:Hips", "leftHand": ["Hand", 12]}}

A joint is given by name, or by name and index where several joints have that name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kinesphere.files.atomic import atomic_write
from kinesphere.motion.errors import MotionFileError
from kinesphere.motion.humanoid import ROLES
from kinesphere.motion.roles import RoleMap
from kinesphere.motion.roles.rolemap import suggest
from kinesphere.motion.skeleton import Skeleton

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion

Rig = TypeVar("Rig", "Motion", "Character")
FORMAT, VERSION = "kinesphere mapping", 1
_LARGEST = 1_000_000  # bytes


def save_mapping(roles: RoleMap | Mapping[str, int], skeleton: Skeleton, path: str | PathLike[str]) -> None:
    """Write roles so that ``load_mapping`` gives them back, for this skeleton or one with the same names."""
    file = Path(path)
    given = roles.roles if isinstance(roles, RoleMap) else roles
    names: dict[str, Any] = {}
    for role in sorted(given, key=lambda role: ROLES.index(role) if role in ROLES else len(ROLES)):
        joint = given[role]
        if role not in ROLES:
            raise MotionFileError(file, f"the role {role!r}", suggest(role, ROLES), where=f"roles.{role}")
        if isinstance(joint, bool) or not 0 <= joint < len(skeleton):
            raise MotionFileError(file, f"joint {joint}", f"0 to {len(skeleton) - 1}", where=f"roles.{role}")
        name = skeleton.names[joint]
        names[role] = name if skeleton.names.count(name) == 1 else [name, int(joint)]
    document = {"format": FORMAT, "version": VERSION, "roles": names}
    with atomic_write(file) as out:
        out.write((json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass"))


def with_mapping(rig: Rig, path: str | PathLike[str] | None) -> Rig:
    """A motion or a character with the roles of a mapping file in place of its own; itself without a file."""
    if path is None:
        return rig
    return replace(rig, skeleton=replace(rig.skeleton, roles=load_mapping(path, rig.skeleton)))


def load_mapping(path: str | PathLike[str], skeleton: Skeleton) -> dict[str, int]:
    """Read a mapping for a skeleton: role to joint index.

    Raises
    ------
    MotionFileError
        With the field, what was found, and which names are near.
    """
    file = Path(path)
    document = _read_document(file)
    if document.get("format") != FORMAT:
        raise MotionFileError(file, f"format {_short(document.get('format'))}", f"{FORMAT!r}", where="format")
    if document.get("version") != VERSION or isinstance(document.get("version"), bool):
        expected = f"version {VERSION}; a newer Kinesphere may read it"
        raise MotionFileError(file, f"version {_short(document.get('version'))}", expected, where="version")
    names = document.get("roles")
    if not isinstance(names, dict):
        raise MotionFileError(file, _short(names), "an object of roles and joint names", where="roles")
    roles: dict[str, int] = {}
    for role, value in names.items():
        where = f"roles.{role}"
        if role not in ROLES:
            raise MotionFileError(file, f"the unknown role {_short(role)}", suggest(role, ROLES), where="roles")
        joint = _joint(file, skeleton, value, where)
        for other, taken in roles.items():
            if taken == joint:
                found = f"{_short(value)}, which is {other} already"
                raise MotionFileError(file, found, "one role a joint", where=where)
        roles[role] = joint
    return roles


def _read_document(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > _LARGEST:
            raise MotionFileError(file, f"{file.stat().st_size} bytes", f"a mapping of at most {_LARGEST}")
        document = json.loads(file.read_bytes().decode("utf-8-sig"), object_pairs_hook=_unique_keys)
    except FileNotFoundError:
        raise MotionFileError(file, "no such file", "a mapping file") from None
    except OSError as error:
        raise MotionFileError(file, f"a file that cannot be opened ({error.strerror})", "a mapping file") from None
    except json.JSONDecodeError as error:
        found = f"broken JSON ({error.msg})"
        raise MotionFileError(file, found, "JSON as kinesphere mapping FILE -o writes it", line=error.lineno) from None
    except MotionFileError:
        raise
    except (ValueError, RecursionError) as error:
        raise MotionFileError(file, f"no readable JSON ({type(error).__name__}: {error})", "a mapping file") from None
    if not isinstance(document, dict):
        raise MotionFileError(file, _short(document), "an object with format, version and roles")
    return document


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that comes twice: Python's JSON parser would keep the last one silently."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"{key!r} twice")
        found[key] = value
    return found


def _joint(file: Path, skeleton: Skeleton, value: object, where: str) -> int:
    name, index = value, None
    if isinstance(value, list) and len(value) == 2:
        name, index = value
    if not isinstance(name, str) or not (index is None or (isinstance(index, int) and not isinstance(index, bool))):
        raise MotionFileError(file, _short(value), "the name of a joint, or [name, index]", where=where)
    found = [joint for joint, known in enumerate(skeleton.names) if known == name]
    if not found:
        raise MotionFileError(file, f"no joint {_short(name)}", suggest(name, skeleton.names), where=where)
    if index is not None:
        if index not in found:
            raise MotionFileError(file, f"{_short(name)} at {index}", f"one of {found}", where=where)
        return index
    if len(found) > 1:
        expected = f'["{name}", index] with one of {found}'
        raise MotionFileError(file, f"{len(found)} joints called {_short(name)}", expected, where=where)
    return found[0]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
