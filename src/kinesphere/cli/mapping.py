"""``kinesphere mapping``: the bone mapping of a rig, or which joint has which humanoid role."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinesphere.cli.shared import UNREADABLE, Clip, ReadOptions, Salvage, print_error, report_errors

if TYPE_CHECKING:
    from kinesphere.maths.vectors import Floats
    from kinesphere.motion.roles import RoleMap
    from kinesphere.motion.skeleton import Skeleton


def mapping(
    file: Annotated[Path, typer.Argument(help="A motion or a character.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A mapping file to write, to look at and edit.")
    ] = None,
    given: Annotated[
        Path | None, typer.Option("--with", help="A mapping file whose roles are certain.", metavar="MAPPING.json")
    ] = None,
    clip: Clip = None,
    salvage: Salvage = False,
) -> None:
    """Show which joint plays which humanoid role, how surely, and which other one might."""
    with report_errors():
        from kinesphere.files.mapping import load_mapping, save_mapping
        from kinesphere.motion.roles import find_roles

        skeleton, positions = _load_skeleton(file, ReadOptions(clip, salvage=salvage))
        overrides = None if given is None else load_mapping(given, skeleton)
        found = find_roles(skeleton, overrides=overrides, positions=positions)
        if out is not None:
            save_mapping(found, skeleton, out)
        if as_json:
            _print_json(file, found)
        else:
            _print_table(file, found)
            if out is not None:
                typer.echo(f"wrote {out}")
    if not found.is_humanoid:
        print_error(ValueError(f"{file}: {found.message}"))
        raise typer.Exit(UNREADABLE)


def _load_skeleton(file: Path, options: ReadOptions) -> tuple[Skeleton, Floats | None]:
    """A file's skeleton with the roles that the file itself names, and its poses if it moves.

    ``load`` would have searched for roles already, and the result could not be told from what the file names.
    """
    from kinesphere.files.loading import clip_names, find_clip
    from kinesphere.files.registry import LoadOptions, format_to_read

    known = format_to_read(file, "a motion or a character")
    if known.name == "gltf" and not clip_names(file):
        from kinesphere.files.gltf.character import load_character

        return load_character(file).skeleton, None
    if known.load is None or (known.clips is None and options.clip is not None):
        motion = options.load(file)  # which raises the error
    else:
        motion = known.load(file, LoadOptions(clip=find_clip(file, options.clip), salvage=options.salvage))
    return motion.skeleton, motion.positions_world()


def _print_json(file: Path, found: RoleMap) -> None:
    import json

    facts: dict[str, Any] = {
        "path": str(file),
        "humanoid": found.is_humanoid,
        "confidence": round(found.overall, 3),
        "missing": list(found.missing),
        "roles": {
            role: {"joint": found.names[joint], "index": joint, "confidence": found.confidence[role]}
            for role, joint in _in_order(found).items()
        },
        "runners_up": {
            role: {"joint": found.names[joint], "index": joint, "confidence": sure}
            for role, (joint, sure) in found.runners_up.items()
        },
        "evidence": list(found.evidence),
    }
    typer.echo(json.dumps(facts, indent=2, allow_nan=False))


def _print_table(file: Path, found: RoleMap) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from kinesphere.motion.roles.rolemap import SURE

    table = Table(box=None, padding=(0, 2, 0, 0))
    for title in ("role", "joint", "confidence", "runner-up"):
        table.add_column(title, overflow="fold", justify="right" if title == "confidence" else "left")
    for role, joint in _in_order(found).items():
        sure, second = found.confidence[role], found.runners_up.get(role)
        other = f"{found.names[second[0]]} ({second[1]:.2f})" if second else ""
        style = "" if sure >= SURE else "yellow"
        table.add_row(Text(role), Text(found.names[joint]), Text(f"{sure:.2f}", style=style), Text(other))
    for role in found.missing:
        table.add_row(Text(role, style="red"), Text("not found", style="red"), "", "")
    console = Console()
    console.print(Text(str(file), style="bold cyan"), soft_wrap=True)
    console.print(table)
    kind = "a humanoid" if found.is_humanoid else "no humanoid"
    console.print(Text(f"{kind}, confidence {found.overall:.2f}"), soft_wrap=True)
    for sentence in found.evidence:
        console.print(Text(sentence, style="dim"), soft_wrap=True)


def _in_order(found: RoleMap) -> dict[str, int]:
    from kinesphere.motion.humanoid import ROLES

    return {role: found.roles[role] for role in ROLES if role in found.roles}
