"""``kinesphere info``: what is in a motion file, as a table or as JSON."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kinesphere.cli.shared import (
    UNREADABLE,
    Clip,
    Positions,
    Rate,
    ReadOptions,
    Salvage,
    Scale,
    ToGround,
    Up,
    collect_warnings,
    one_line,
    print_error,
    print_warning,
    report_errors,
)

if TYPE_CHECKING:
    from rich.table import Table

    from kinesphere.motion.character import Character
    from kinesphere.motion.gesture import Keypoints
    from kinesphere.motion.motion import Motion


def file_facts(path: Path, options: ReadOptions) -> dict[str, Any]:
    """Everything ``info`` shows of a file, in JSON's types."""
    from kinesphere.files.loading import clip_names, load_character
    from kinesphere.files.registry import format_to_read

    known = format_to_read(path, "a motion, a character or key points")
    if known.load is None:
        from kinesphere.files.keypoints import load_keypoints

        return keypoint_facts(path, load_keypoints(path))
    names = list(clip_names(path))
    if not names and known.holds_characters:
        return {"path": str(path), "format": known.name, "clips": [], **character_facts(load_character(path))}
    return {"path": str(path), "format": known.name, "clips": names, **motion_facts(options.load(path))}


def motion_facts(motion: Motion) -> dict[str, Any]:
    """What a motion holds."""
    import numpy as np

    from kinesphere.pictures.bones import stick_figure

    figure = stick_figure(motion.skeleton)
    source = motion.source
    path = motion.positions_world()[motion.performed_frames, figure.base][:, [0, 2]]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    return {
        "name": motion.name,
        "clip": source.clip,
        "joints": len(motion.skeleton),
        "frames": len(motion),
        "rate": motion.rate,
        "duration": motion.duration,
        "scale": source.scale,
        "up": source.up,
        "evidence": list(source.evidence),
        "height": figure.height,
        "ground": _ground(motion),
        "calibration_frames": list(motion.calibration_frames),
        "travel": float(steps.sum()),
        "displacement": float(np.linalg.norm(path[-1] - path[0])) if len(path) else 0.0,
        "euler_orders": dict(Counter(order for order in source.euler_orders if order)),
        "roles": {role: motion.skeleton.names[joint] for role, joint in motion.skeleton.roles.items()},
        "warnings": list(source.warnings),
        "joint_names": list(motion.skeleton.names),
    }


def _ground(motion: Motion) -> float | None:
    """The height of a person's ground in metres; None for what has no feet."""
    from kinesphere.body.ground import find_ground

    try:
        return find_ground(motion).height
    except ValueError:
        return None


def character_facts(character: Character) -> dict[str, Any]:
    """What a character without a clip holds."""
    from kinesphere.pictures.bones import stick_figure

    skeleton = character.skeleton
    return {
        "name": character.name,
        "joints": len(skeleton),
        "meshes": len(character.meshes),
        "vertices": sum(len(mesh.positions) for mesh in character.meshes),
        "morphs": list(character.morphs),
        "evidence": list(character.source.evidence),
        "height": stick_figure(skeleton).height,
        "roles": {role: skeleton.names[joint] for role, joint in skeleton.roles.items()},
        "warnings": list(character.source.warnings),
        "joint_names": list(skeleton.names),
    }


def keypoint_facts(path: Path, keypoints: Keypoints) -> dict[str, Any]:
    """What a file of key points holds."""
    return {
        "path": str(path),
        "format": "keypoints",
        "part": keypoints.part,
        "rate": keypoints.rate,
        "duration": keypoints.duration,
        "locked": keypoints.locked,
        "evidence": list(keypoints.source.evidence),
        "warnings": list(keypoints.source.warnings),
        "keys": [
            {
                "frame": key.frame,
                "position": list(key.position),
                "swivel": key.swivel,
                "stop": str(key.stop),
                "space": str(key.space),
            }
            for key in keypoints.keys
        ],
    }


def info(
    files: Annotated[list[Path], typer.Argument(help="Motion or key point files.", metavar="FILE...")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: an object for one file, a list for several.")
    ] = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    positions: Positions = None,
    to_ground: ToGround = False,
) -> None:
    """Show what is in motion files: skeleton, clips, unit, axes, and why they were taken so."""
    with report_errors():
        options = ReadOptions(clip, scale, up, rate, salvage, positions, to_ground)
        found = [_facts_or_error(path, options, as_json) for path in files]
        failed = any("error" in facts for facts in found)
        if as_json and not (failed and len(found) == 1):
            _print_json(found[0] if len(found) == 1 else found)
    if failed:
        raise typer.Exit(UNREADABLE)


def _facts_or_error(path: Path, options: ReadOptions, as_json: bool) -> dict[str, Any]:
    """The facts of one file; an error is printed, and does not keep the next file from being shown."""
    with collect_warnings() as warned:
        try:
            facts = file_facts(path, options)
        except (ValueError, OSError) as error:
            print_error(error)
            return {"path": str(path), "error": one_line(error)}
    # A warning names its file; the motion's own copy of it does not.
    noted: list[str] = facts["warnings"]
    noted += [text for text in dict.fromkeys(warned) if not any(text.endswith(known) for known in noted)]
    if as_json:
        for text in facts["warnings"]:
            print_warning(text)
    else:
        _print_facts(facts)
    return facts


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def _print_facts(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    if "keys" in facts:
        _add_keypoints(table, facts)
    elif "meshes" in facts:
        _add_character(table, facts)
    else:
        _add_motion(table, facts)
    for text in facts["evidence"]:
        table.add_row("found", Text(text))
    for text in facts["warnings"]:
        table.add_row("warning", Text(text, style="yellow"))
    console = Console()
    console.print(Text(facts["path"], style="bold cyan"), soft_wrap=True)
    console.print(table)
    console.print()


def _add_motion(table: Table, facts: dict[str, Any]) -> None:
    from rich.text import Text

    names = facts["clips"]
    clips = f"{len(names)}: {', '.join(names)}" if len(names) > 1 else ", ".join(names)
    orders = ", ".join(f"{order} ({count} joints)" for order, count in facts["euler_orders"].items())
    roles = ", ".join(f"{role}: {name}" for role, name in facts["roles"].items())
    marked = ", ".join(str(frame) for frame in facts["calibration_frames"])
    rows = {
        "format": facts["format"],
        "clips" if len(names) > 1 else "clip": clips or "none",
        "shown": facts["clip"] if len(names) > 1 else "",
        "joints": f"{facts['joints']}",
        "frames": f"{facts['frames']} at {facts['rate']:.6g} a second, {facts['duration']:.3f} s",
        "unit": f"1 in the file is {facts['scale']:.6g} m, {facts['up'].upper()} is up",
        "height": f"{facts['height']:.2f} m at rest",
        "ground": "" if facts["ground"] is None else f"found at {facts['ground']:+.3f} m",
        "travel": f"{facts['travel']:.2f} m over the ground, {facts['displacement']:.2f} m from start to end",
        "not performed": f"frames {marked}" if marked else "",
        "Euler orders": orders,
        "roles": roles,
    }
    for name, text in rows.items():
        if text:
            table.add_row(name, Text(text))


def _add_character(table: Table, facts: dict[str, Any]) -> None:
    from rich.text import Text

    table.add_row("format", Text(facts["format"]))
    table.add_row("clips", "none: a character (kinesphere retarget MOTION --onto this)")
    table.add_row("joints", f"{facts['joints']}")
    surface = f"{facts['meshes']} meshes, {facts['vertices']} vertices, {len(facts['morphs'])} morphs"
    table.add_row("surface", surface if facts["meshes"] else "none")
    table.add_row("height", f"{facts['height']:.2f} m at rest")
    table.add_row("roles", Text(", ".join(f"{role}: {name}" for role, name in facts["roles"].items()) or "none found"))


def _add_keypoints(table: Table, facts: dict[str, Any]) -> None:
    from rich.text import Text

    table.add_row("format", "keypoints")
    table.add_row("part", Text(facts["part"]))
    timing = f"{facts['rate']:.6g} frames a second, {facts['duration']:.3f} s"
    table.add_row("keys", f"{len(facts['keys'])} at {timing}{', times locked' if facts['locked'] else ''}")
    for key in facts["keys"]:
        x, y, z = key["position"]
        place = f"({x:.3f}, {y:.3f}, {z:.3f}) m, swivel {key['swivel']:.3f}"
        table.add_row("", f"frame {key['frame']:g}: {place}, {key['stop']}, {key['space']}")
