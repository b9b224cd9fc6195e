"""``kinesphere preview``: contact sheets, pictures and films of motions."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.clips import tell_clip
from kinesphere.cli.previews import check_preview, own_character, preview_path
from kinesphere.cli.shared import (
    Clip,
    Positions,
    Rate,
    ReadOptions,
    Salvage,
    Scale,
    ToGround,
    Up,
    is_builtin_name,
    open_character,
    print_note,
    print_standing,
    report_errors,
)

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion
    from kinesphere.pictures.trails import Trails


_SUFFIXES = (".png", ".gif", ".mp4")

Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", help="The .png, .gif or .mp4 to write. Left out: FILE_bvh_preview.png for FILE.bvh, here."
    ),
]
Shown = Annotated[Path | None, typer.Option("--character", help="Who shows it: a .glb, .gltf or .vrm, figure or mo.")]
Against = Annotated[
    list[Path] | None, typer.Option("--against", help="Another motion file to show beside it; may be repeated.")
]
Frames = Annotated[
    int | None, typer.Option(min=1, max=200, help="Poses on a sheet. Left out: 12, or 8 a row with --against.")
]
Columns = Annotated[
    int | None,
    typer.Option(min=1, help="Poses in a row of a sheet, motions in a row of a film. Left out: what fits best; all."),
]
Fps = Annotated[
    float | None,
    typer.Option(
        min=1.0, max=240.0, help="Pictures a second of a film. Left out: 30, of a GIF 16.7; that has 25 at most."
    ),
]
Seconds = Annotated[float | None, typer.Option("--seconds", help="How long a film is. Left out: to the end.")]
BothHands = Annotated[bool, typer.Option("--trails", help="Draw the paths of both hands, with a dot every 1/15 s.")]
Trail = Annotated[
    list[str] | None,
    typer.Option("--trail", metavar="JOINTS", help="Draw the paths of joints, such as leftHand,head or hands,feet."),
]
TrailSeconds = Annotated[
    float | None,
    typer.Option(
        help="How much of the paths. Left out: all with --at, on a sheet since the pose before, in a film 0.9."
    ),
]


class ViewAngle(StrEnum):
    """From where the character is seen, relative to where it faces."""

    THREE_QUARTER = "three-quarter"
    FRONT = "front"
    SIDE = "side"
    BACK = "back"
    TOP = "top"


@dataclass(frozen=True)
class PreviewStyle:
    """All options apart from the motions."""

    view: ViewAngle
    size: tuple[int, int] | None
    frames: int | None
    columns: int | None
    at: float | None
    fps: float | None
    start: float
    seconds: float | None
    trails: Trails | None
    ghosts: int
    repeat: bool
    clay: bool


def preview(
    file: Annotated[
        Path, typer.Argument(metavar="IN", help="A motion file, or a default motion's name.", show_default=False)
    ],
    out: Out = None,
    character: Shown = None,
    against: Against = None,
    trails: BothHands = False,
    trail: Trail = None,
    trail_seconds: TrailSeconds = None,
    ghosts: Annotated[int, typer.Option(min=0, max=24, help="How many earlier poses stand behind, paler.")] = 0,
    at: Annotated[float | None, typer.Option("--at", help="One large picture, so many seconds in.")] = None,
    frames: Frames = None,
    columns: Columns = None,
    view: Annotated[ViewAngle, typer.Option(help="From where the character is seen.")] = ViewAngle.THREE_QUARTER,
    fps: Fps = None,
    start: Annotated[float, typer.Option(min=0.0, help="Where a film starts, in seconds.")] = 0.0,
    seconds: Seconds = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="Begin again until --seconds are over.")] = False,
    size: Annotated[str | None, typer.Option("--size", help="Pixels, such as 640x480.")] = None,
    width: Annotated[int | None, typer.Option(min=64, max=10000, help="Pixels across.")] = None,
    height: Annotated[int | None, typer.Option(min=64, max=10000, help="Pixels down.")] = None,
    bones: Annotated[
        bool, typer.Option("--bones", help="A contact sheet of bones, also of a file with a surface.")
    ] = False,
    clay: Annotated[bool, typer.Option("--clay", help="Show characters without their textures.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output if it exists.")] = False,
    clip: Clip = None,
    scale: Scale = None,
    up: Up = None,
    rate: Rate = None,
    salvage: Salvage = False,
    positions: Positions = None,
    to_ground: ToGround = False,
) -> None:
    """Draw a motion: a contact sheet (.png), one pose of it (.png with --at), or a film (.mp4, .gif).

    A plain contact sheet shows the file's own surface if it has one, with its textures and colours, else bones. Of a
    default motion, or with --character, --against, --trails, --trail, --ghosts or --at it shows a lit surface: the
    character's, the file's own, else our figure's, or of what is no humanoid a manikin's.
    """
    with report_errors():
        target = out or Path(preview_path(file, clip).name)
        pixels = _parse_size(size, width, height)
        drawn_trails = _parse_trails(trails, trail, trail_seconds)
        look = PreviewStyle(view, pixels, frames, columns, at, fps, start, seconds, drawn_trails, ghosts, repeat, clay)
        if out is None:
            check_preview(target, overwrite)
        _check(target, look, overwrite or out is None)
        lit = character or against or drawn_trails or ghosts or at is not None or is_builtin_name(file)
        sheet = target.suffix.lower() == ".png" and not lit
        if bones and not sheet:
            raise ValueError("--bones draws a contact sheet of one file: a .png, without options of surfaces")
        options = ReadOptions(clip, scale, up, rate, salvage, positions, to_ground)
        motions = [_load_or_rest(file, options), *(_load_or_rest(other, options.of_others) for other in against or ())]
        tell_clip(file, options)
        for motion, path in zip(motions, [file, *(against or ())], strict=True):
            print_standing(options.with_own_soles(motion, path))
        own = None if bones or not sheet else _own_surface(file, motions[0])
        if sheet and own is None:
            _draw_bones(motions[0], target, look)
        else:
            listed = [file, *(against or ())]
            characters: list[Character | None] = [own] if own else _load_characters(listed, character)
            _draw_surface(motions, characters, target, look)
    typer.echo(f"wrote {target}")


def _load_or_rest(file: Path, options: ReadOptions) -> Motion:
    """A motion; or of a character without one its rest pose, so that it can be looked at."""
    from kinesphere.files.loading import clip_names

    try:
        return options.load(file)
    except ValueError:
        character = own_character(file) if file.is_file() and options.clip is None else None
        if character is None or clip_names(file):
            raise
    from kinesphere.motion.motion import Motion

    skeleton = character.skeleton
    print_note(f"{file} has no animation: this is its rest pose")
    return Motion(skeleton, 30.0, skeleton.rest_rotations[None], skeleton.offsets[None], name=file.stem)


def _check(target: Path, look: PreviewStyle, overwrite: bool) -> None:
    """Refuse what cannot be written before anything is read."""
    kind = target.suffix.lower()
    if kind not in _SUFFIXES:
        allowed = ", ".join(_SUFFIXES[:-1]) + f" or {_SUFFIXES[-1]}"
        raise ValueError(f"{target}: previews are written as {allowed}, found the suffix {target.suffix!r}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: the folder {target.parent} does not exist")
    if target.exists() and not overwrite:
        raise FileExistsError(f"{target}: exists already; --overwrite replaces it")
    if kind != ".png":
        from kinesphere.pictures.films import check_film

        check_film(target)
        if look.at is not None:
            raise ValueError(f"{target}: --at draws one picture; write it to a .png")


def _parse_size(size: str | None, width: int | None, height: int | None) -> tuple[int, int] | None:
    """Pixels of the whole picture; where only one side is given the other keeps a sheet's shape."""
    if size is not None:
        found = re.fullmatch(r"(\d{1,5})\s*[xX×]\s*(\d{1,5})", size.strip())
        if found is None:
            raise ValueError(f"--size {size!r}; two numbers such as 640x480 are expected")
        return int(found[1]), int(found[2])
    if width is None and height is None:
        return None
    return width or round(1.6 * (height or 0)), height or round((width or 0) / 1.6)


def _parse_trails(both_hands: bool, joints: list[str] | None, seconds: float | None) -> Trails | None:
    """The trails of the options."""
    if not (both_hands or joints or seconds is not None):
        return None
    from kinesphere.pictures.trails import parse_trails

    names = [*(["hands"] if both_hands else []), *(joints or [])]
    found = parse_trails(names or True)
    return found and replace(found, seconds=seconds)


def _draw_bones(motion: Motion, target: Path, look: PreviewStyle) -> None:
    from kinesphere.pictures.bone_sheets import bone_sheet
    from kinesphere.pictures.canvas import save_picture

    size = look.size or (1600, 1000)
    sheet = bone_sheet(motion, frames=look.frames or 12, columns=look.columns, size=size, view=look.view.value)
    save_picture(sheet, target)


def _draw_surface(motions: list[Motion], characters: list[Character | None], target: Path, look: PreviewStyle) -> None:
    from kinesphere.pictures import camera
    from kinesphere.pictures.canvas import save_picture
    from kinesphere.pictures.films import film, still
    from kinesphere.pictures.surface_sheets import sheet

    view: camera.View = look.view.value
    trails, ghosts = look.trails or False, look.ghosts
    if target.suffix.lower() != ".png":
        size = look.size or (640 if len(motions) == 1 else 960, 480)
        film(
            motions,
            target,
            character=characters,
            size=size,
            fps=look.fps,
            start=look.start,
            seconds=look.seconds,
            view=view,
            trails=trails,
            ghosts=ghosts,
            columns=look.columns,
            repeat=look.repeat,
            clay=look.clay,
            progress=None,
        )
    elif look.at is not None:
        size = look.size or (1280, 960)
        drawn = still(
            motions, look.at, character=characters, size=size, view=view, trails=trails, ghosts=ghosts, clay=look.clay
        )
        save_picture(drawn, target)
    else:
        picture = sheet(
            motions,
            character=characters,
            frames=look.frames,
            columns=look.columns,
            size=look.size or (1600, 1000),
            view=view,
            trails=trails,
            ghosts=ghosts,
            clay=look.clay,
            progress=None,
        )
        save_picture(picture, target)


def _load_characters(files: list[Path], character: Path | None) -> list[Character | None]:
    """For each file's motion the given character, else the file's own if it has a surface."""
    if character is not None:
        return [open_character(character)] * len(files)
    return [own_character(file) for file in files]


def _own_surface(file: Path, motion: Motion) -> Character | None:
    """The file's own character, if its surface can show the motion; a broken surface leaves bones."""
    try:
        character = own_character(file)
    except ValueError:
        return None
    return character if character is not None and character.skeleton.same_tree(motion.skeleton) else None
