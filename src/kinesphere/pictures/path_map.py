"""The strip that shows where a character went: its root's path over the ground, from above."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.kernels.arrays import Floats
from kinesphere.pictures import colours
from kinesphere.pictures.canvas import FINER, disc, font, nice_step, stroke, write
from kinesphere.pictures.colours import blend
from kinesphere.pictures.scene import Scene, facing

_MARGIN = 26  # pixels around the path
_LABEL = 12
_CAPTION = 16  # pixels that the caption takes from the top


def turned_path(scene: Scene) -> Floats:
    """``(K, 2)`` the root in every known frame, from above, its longest way level and running to the right.

    It is only turned, never mirrored: a turn to the left is a turn to the left.
    """
    seen = scene.points[:, scene.figure.base][:, [0, 2]] * [1.0, -1.0]
    turned: Floats = (seen - seen[scene.at(int(scene.survey[0]))]) @ _turn(scene).T
    return turned


def draw_path(scene: Scene, size: tuple[int, int]) -> Image.Image:
    """The strip, with the panels' frames marked and an arrow at each that shows the facing."""
    path = turned_path(scene)
    walked = path[scene.rows(scene.survey)]
    low, high = walked.min(axis=0), walked.max(axis=0)
    room = np.array(size) - [2.0 * _MARGIN, 2.0 * _MARGIN + _CAPTION]
    scale = float(np.min(room / np.maximum(high - low, 0.05 * scene.figure.height)))
    middle = 0.5 * (low + high)
    centre = 0.5 * np.array(size) + [0.0, 0.5 * _CAPTION]

    def paper(points: Floats) -> Floats:
        pixels: Floats = ((points - middle) * [scale, -scale] + centre) * FINER
        return pixels

    image = Image.new("RGB", (size[0] * FINER, size[1] * FINER), colours.PAPER)
    draw = ImageDraw.Draw(image)
    step = _draw_grid(draw, paper, (0.5 * np.array(size) + _CAPTION) / scale, middle)
    pixels = paper(walked)
    for i in range(len(pixels) - 1):
        colour = blend(colours.PAPER, colours.MIDDLE, 0.25 + 0.5 * i / len(pixels))
        stroke(draw, pixels[i], pixels[i + 1], (2.0 * FINER, 2.0 * FINER), colour)
    shown = scene.rows(scene.shown)
    marks = paper(path[shown])
    ahead = facing(scene.points[shown], scene.figure)[:, [0, 2]] * [1.0, -1.0] @ _turn(scene).T * [1.0, -1.0]
    for mark, way in zip(marks, ahead, strict=True):
        stroke(draw, mark, mark + 16.0 * FINER * way, (4.0 * FINER, 1.0 * FINER), colours.MIDDLE)
        disc(draw, mark, 4.5 * FINER, colours.PAPER)
        disc(draw, mark, 3.5 * FINER, colours.MIDDLE)
    image = image.reduce(FINER)
    draw = ImageDraw.Draw(image)
    caption = f"Path of the root from above, {step:g} m grid; ticks show the facing"
    taken = [(8.0, 6.0, 8.0 + font(_LABEL).getlength(caption), 22.0)]
    write(draw, (8, 6), caption, _LABEL, colours.QUIET_INK, halo=True)
    _draw_labels(draw, scene, marks / FINER, ahead, size, taken)
    return image


def wanted_height(scene: Scene, width: int, least: int, most: int) -> int:
    """How tall a strip of that width should be for its path to fill it."""
    extent = np.ptp(turned_path(scene)[scene.rows(scene.survey)], axis=0)
    filled = (width - 2 * _MARGIN) * float(extent[1] / max(extent[0], 1e-9)) + 2 * _MARGIN + _CAPTION
    return int(np.clip(filled, least, most))


def _turn(scene: Scene) -> Floats:
    """The rotation ``(2, 2)`` that lays the path's longest way level, its end to the right of its start."""
    path = scene.points[scene.rows(scene.survey), scene.figure.base][:, [0, 2]] * [1.0, -1.0]
    centred = path - path.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    x, y = axes[0]
    gone = path[-1] - path[0]
    if gone @ axes[0] < 0.0:
        x, y = -x, -y
    return np.array([[x, y], [-y, x]])


def _draw_grid(draw: ImageDraw.ImageDraw, paper: Callable[[Floats], Floats], half: Floats, middle: Floats) -> float:
    """Lines from the start of the path at even distances, over the whole strip."""
    step = nice_step(float(half[0]) / 8.0)
    for axis in (0, 1):
        low, high = middle[axis] - half[axis], middle[axis] + half[axis]
        for number in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1):
            ends = np.array([middle - half, middle + half])
            ends[:, axis] = number * step
            a, b = paper(ends)
            draw.line([tuple(a), tuple(b)], fill=colours.GRID, width=FINER)
    return step


def _draw_labels(
    draw: ImageDraw.ImageDraw,
    scene: Scene,
    marks: Floats,
    ahead: Floats,
    size: tuple[int, int],
    taken: list[tuple[float, float, float, float]],
) -> None:
    """Frame numbers beside their marks, each in the first place that nothing else has."""
    for mark in marks:
        taken.append((mark[0] - 6.0, mark[1] - 6.0, mark[0] + 6.0, mark[1] + 6.0))
    for frame, mark, way in zip(scene.shown.tolist(), marks, ahead, strict=True):
        text = str(frame)
        wide, high = font(_LABEL).getlength(text) + 4.0, _LABEL + 2.0
        sideways = np.array([-way[1], way[0]])
        for direction in (sideways, -sideways, -way, [0.0, -1.0], [0.0, 1.0]):
            centre = mark + np.asarray(direction) * [10.0 + 0.5 * wide, 8.0 + 0.5 * high]
            box = (centre[0] - wide / 2, centre[1] - high / 2, centre[0] + wide / 2, centre[1] + high / 2)
            inside = box[0] > 2 and box[1] > 2 and box[2] < size[0] - 2 and box[3] < size[1] - 2
            if inside and not any(_overlap(box, other) for other in taken):
                write(draw, (centre[0], centre[1]), text, _LABEL, colours.INK, "mm", halo=True)
                taken.append(box)
                break


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
