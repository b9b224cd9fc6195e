"""Telling poses of a motion on one page, for judging it at a glance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.files.atomic import replacing
from kinesphere.kernels.arrays import Floats
from kinesphere.motion.motion import Motion
from kinesphere.pictures import colours
from kinesphere.pictures.camera import Camera, View, camera_for
from kinesphere.pictures.canvas import font, shortened, smooth_disc, write
from kinesphere.pictures.panel import Lens, draw_panel, grid_step, skull
from kinesphere.pictures.path_map import draw_path, wanted_height
from kinesphere.pictures.scene import TRAIL_SECONDS, Scene, survey_scene

_EDGE = 20  # pixels around the sheet
_GAP = 8
_HEADER = 58
_LABEL = 20  # the line under a panel
_AIR = 0.06  # body heights left free around the largest pose


@dataclass(frozen=True)
class Layout:
    """Where things go on the sheet, in pixels."""

    columns: int
    panel: tuple[int, int]
    lenses: tuple[Lens, ...]  # one a panel: the same, but for what is in its middle
    strip: int  # height of the path's strip, 0 without


def contact_sheet(
    motion: Motion,
    *,
    frames: int = 12,
    columns: int | None = None,
    size: tuple[int, int] = (1600, 1000),
    view: View = "three-quarter",
) -> Image.Image:
    """Draw performed frames of a motion, side by side at one scale, each in the middle of its panel.

    They are spread over the motion so that no two look alike and the ends of strokes are among them (``moments``).

    Parameters
    ----------
    motion
        What to draw. Calibration frames are left out, and the header says so.
    frames
        How many panels. A shorter motion has one panel a frame.
    columns
        Panels in a row. Left out: as many as show the figure largest.
    size
        Width and height of the whole picture in pixels.
    view
        Seen from the ``front``, the character's right ``side``, ``three-quarter`` between them, or the
        ``top``, relative to where the body faces on average.
    """
    if min(size) < 200:
        raise ValueError(f"size={size}; at least 200 pixels each way are needed")
    if columns is not None and columns < 1:
        raise ValueError(f"columns={columns}; at least one is needed")
    scene = survey_scene(motion, frames)
    camera = camera_for(view, scene.forward, scene.figure.height)
    layout = _lay_out(scene, camera, size, columns)
    sheet = Image.new("RGB", size, colours.SHEET)
    draw = ImageDraw.Draw(sheet)
    _draw_header(sheet, motion, scene, view)
    for number, frame in enumerate(scene.shown.tolist()):
        x, y = panel_corner(layout, number)
        sheet.paste(draw_panel(scene, layout.lenses[number], frame, layout.panel), (x, y))
        text = f"frame {frame} · {frame / motion.rate:.2f} s"
        if font(13).getlength(text) > layout.panel[0]:
            text = str(frame)
        write(draw, (x + layout.panel[0] / 2, y + layout.panel[1] + 4), text, 13, colours.INK, "ma")
    if layout.strip:
        strip = draw_path(scene, (size[0] - 2 * _EDGE, layout.strip))
        sheet.paste(strip, (_EDGE, size[1] - _EDGE - layout.strip))
    return sheet


def save_picture(image: Image.Image, path: str | Path) -> None:
    """Write a PNG. The file appears whole or not at all."""
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise ValueError(f"{path}: pictures are written as .png, found the suffix {path.suffix!r}")
    with replacing(path) as file:
        image.save(file, format="PNG", compress_level=4)  # twice as quick as the usual 6, and hardly larger


def panel_corner(layout: Layout, number: int) -> tuple[int, int]:
    """The upper left corner of a panel."""
    row, column = divmod(number, layout.columns)
    wide, high = layout.panel
    return _EDGE + column * (wide + _GAP), _EDGE + _HEADER + row * (high + _LABEL + _GAP)


def _lay_out(scene: Scene, camera: Camera, size: tuple[int, int], columns: int | None) -> Layout:
    """The number of columns that shows the figure largest without leaving much of the sheet empty."""
    count = len(scene.shown)
    strip = 0
    width = size[0] - 2 * _EDGE
    if scene.travels:
        strip = wanted_height(scene, width, int(0.13 * size[1]), int(0.24 * size[1]))
    height = size[1] - 2 * _EDGE - _HEADER - (strip + _GAP if strip else 0)
    boxes = _boxes(scene, camera)
    low, high = boxes[:, 0, 1].min(), boxes[:, 1, 1].max()  # floors are level on the whole sheet
    extent = np.array([np.max(boxes[:, 1, 0] - boxes[:, 0, 0]), high - low])

    def panel(across: int) -> tuple[int, int]:
        down = -(-count // across)
        return (width + _GAP) // across - _GAP, (height + _GAP) // down - _GAP - _LABEL

    def worth(across: int) -> float:
        wide, tall = panel(across)
        filled = count / (across * -(-count // across))
        return float(min(wide / extent[0], tall / extent[1])) * math.sqrt(filled)

    across = min(columns, count) if columns else max(range(1, count + 1), key=worth)
    wide, tall = panel(across)
    if min(wide, tall) < 16:
        raise ValueError(f"{count} panels do not fit into {size[0]} × {size[1]} pixels; fewer frames, or larger")
    scale = float(min(wide / extent[0], tall / extent[1]))
    down = 0.5 * (tall + scale * float(low + high))
    middles = 0.5 * (boxes[:, 0, 0] + boxes[:, 1, 0])
    lenses = tuple(Lens(camera, scale, (0.5 * wide - scale * middle, down)) for middle in middles.tolist())
    return Layout(across, (wide, tall), lenses, strip)


def _boxes(scene: Scene, camera: Camera) -> Floats:
    """``(N, 2, 2)`` the least and greatest place on the picture plane of each shown pose and its shadow."""
    figure = scene.figure
    drawn = sorted({end for bone in figure.bones for end in (bone.start, bone.end)} | {figure.base})
    boxes = []
    for frame in scene.shown.tolist():
        row, target = scene.at(frame), scene.centre(frame)
        points = [scene.points[row, drawn]]
        for head in figure.heads:
            centre, radius = skull(scene, head, row)
            points += [centre[None], centre[None] + radius * camera.up, centre[None] - radius * camera.right]
            points += [centre[None] + radius * camera.right]
        body = np.concatenate(points)
        shadow = body * [1.0, 0.0, 1.0] + [0.0, scene.floor, 0.0]
        plane = camera.project(np.concatenate([body, shadow]), target)[0]
        low, high = plane.min(axis=0), plane.max(axis=0)
        # Trails count as well, but one that comes from far away must not make the figures small.
        rows = scene.rows(scene.trail(frame))
        trails = camera.project(scene.points[rows][:, [*figure.hands, *figure.feet]], target)[0].reshape(-1, 2)
        beyond = 0.15 * (high - low)
        plane = np.concatenate([plane, np.clip(trails, low - beyond, high + beyond)])
        boxes.append((plane.min(axis=0), plane.max(axis=0)))
    air = _AIR * figure.height
    airy: Floats = np.array(boxes) + np.array([[-air], [air]])
    return airy


def _draw_header(sheet: Image.Image, motion: Motion, scene: Scene, view: str) -> None:
    draw, width = ImageDraw.Draw(sheet), sheet.width
    facts = (
        f"{len(motion)} frames · {motion.rate:g} fps · {motion.duration:.2f} s · "
        f"{len(motion.skeleton)} joints · skeleton {scene.figure.height:.2f} m tall"
    )
    room = width - 2 * _EDGE
    name = shortened(motion.name or "Motion", 22, 0.5 * room)
    write(draw, (_EDGE, _EDGE - 6), name, 22, colours.INK)
    beside = _EDGE + font(22).getlength(name) + 16
    write(draw, (beside, _EDGE + 1), shortened(facts, 15, width - _EDGE - beside), 15, colours.QUIET_INK)
    x = float(_EDGE)
    for colour, label in ((colours.LEFT, "left"), (colours.RIGHT, "right")):
        smooth_disc(sheet, (x + 5, _EDGE + 33), 5, colour)
        write(draw, (x + 15, _EDGE + 26), label, 13, colours.QUIET_INK)
        x += 15 + font(13).getlength(label) + 14
    notes = [f"{view} view", f"ground lines every {grid_step(scene.figure.height):g} m"]
    notes.append(f"trails of the last {TRAIL_SECONDS:g} s, a dot every 1/24 s")
    if scene.travels:
        notes.append("each panel follows the body")
    if motion.calibration_frames and motion.performed_frames.size:
        notes.insert(0, f"left out as not performed: {_listed(motion.calibration_frames)}")
    write(draw, (x, _EDGE + 26), shortened(" · ".join(notes), 13, width - _EDGE - x), 13, colours.QUIET_INK)


def _listed(frames: tuple[int, ...]) -> str:
    if len(frames) == 1:
        return f"frame {frames[0]}"
    shown = ", ".join(str(frame) for frame in frames[:6])
    return f"frames {shown}" + ("..." if len(frames) > 6 else "")
