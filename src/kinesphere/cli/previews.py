"""Pictures beside outputs: their names, before and after on one sheet, and the surface that a file brings along."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.shared import is_builtin_name, safe_stem

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion

Preview = Annotated[
    bool,
    typer.Option("--preview", help="Also draw before and after on one sheet: OUT_glb_preview.png beside OUT.glb."),
]


def preview_path(file: Path, clip: str | None = None) -> Path:
    """Where the picture of a motion file goes: ``walk.bvh`` has ``walk_bvh_preview.png``, ``walk.glb`` another one.

    It is derived from the file, so the next one replaces it without being asked (``check_preview``).
    """
    parts = [file.stem, file.suffix[1:].lower(), "" if clip is None else safe_stem(clip), "preview"]
    return file.with_name("_".join(part for part in parts if part) + ".png")


def check_preview(path: Path, overwrite: bool) -> None:
    """Raise where a file has a preview's name and is no picture of ours."""
    if overwrite or not path.exists():
        return
    from kinesphere.pictures.canvas import is_our_picture

    if not is_our_picture(path):
        raise FileExistsError(f"{path}: exists already; --overwrite replaces it")


def draw_comparison(
    before: Motion, after: Motion, characters: Character | tuple[Character | None, Character | None] | None, path: Path
) -> None:
    """Draw before and after on one sheet: both on one character, or each on its own."""
    from kinesphere.pictures.canvas import save_picture
    from kinesphere.pictures.surface_sheets import compare_sheet

    save_picture(compare_sheet(before, after, characters, trails=True, progress=None), path)


def own_character(file: Path) -> Character | None:
    """The character in a motion file, if it has a surface of its own: no animation alone, and no bones of ours."""
    from kinesphere.files.loading import load_surface

    return None if is_builtin_name(file) else load_surface(file)


def own_surface(file: Path, motion: Motion, *, resized: bool) -> Character | None:
    """The character in a motion's file, to be written with the motion: where it is on the same joints, in its own size.

    ``resized``: the motion was read in another size or direction than the file has.
    """
    if resized or not file.is_file():
        return None
    try:
        character = own_character(file)
    except ValueError:  # no motion file, or a surface that can't be read: the motion could, which is enough
        return None
    return character if character is not None and character.skeleton.same_tree(motion.skeleton) else None
