"""What other programs want of a file that they import."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kinesphere.motion.motion import Motion


class Program(StrEnum):
    """A program that the output is meant for."""

    BLENDER = "blender"
    UNITY = "unity"
    UNREAL = "unreal"


@dataclass(frozen=True)
class Preset:
    """How a BVH file should be written. glTF fixes unit and axes itself, so only the names matter there."""

    scale: float  # file units in a metre
    up: Literal["y", "z"]
    plain_names: bool
    about: str


PRESETS = {
    Program.BLENDER: Preset(
        1.0, "y", False, "metres, Y up (Blender's importer turns it), names kept but each only once"
    ),
    Program.UNITY: Preset(1.0, "y", True, "metres, Y up, names of letters, digits and underscores"),
    Program.UNREAL: Preset(100.0, "z", True, "centimetres and Z up in BVH (glTF stays in metres, Y up), plain names"),
}


def presets_help() -> str:
    """One sentence for each program."""
    return "Write for a program. " + " ".join(f"{name}: {preset.about}." for name, preset in PRESETS.items())


def save_for(motion: Motion, path: Path, program: Program | None) -> None:
    """Write a motion as a program wants it."""
    from kinesphere.files.loading import save
    from kinesphere.files.registry import format_to_write

    if program is None:
        save(motion, path)
        return
    preset = PRESETS[program]
    if format_to_write(path).name == "bvh":
        save(motion, path, scale=preset.scale, up=preset.up, plain_names=preset.plain_names)
    else:
        save(motion, path, plain_names=preset.plain_names)
