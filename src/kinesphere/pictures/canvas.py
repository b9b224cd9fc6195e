"""Palette, Pillow drawing (strokes, discs, text) and PNG files.

Left and right have colours that the colour-blind tell apart.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

from kinesphere.files.atomic import atomic_write
from kinesphere.maths.vectors import Floats

Colour: TypeAlias = tuple[int, int, int]
Position: TypeAlias = Sequence[float] | Floats

_SOFTWARE = ("Software", "kinesphere")  # in every PNG of ours
SUPERSAMPLING = 3  # shapes are drawn this many times larger and reduced, which anti-aliases them

SHEET: Colour = (241, 240, 236)
PAPER: Colour = (252, 252, 250)
INK: Colour = (38, 38, 40)
QUIET_INK: Colour = (112, 110, 105)
GRID: Colour = (212, 210, 203)
GROUND: Colour = (168, 165, 157)
SHADOW: Colour = (150, 147, 140)
LEFT: Colour = (0, 104, 180)
RIGHT: Colour = (222, 103, 8)
MIDDLE: Colour = (62, 62, 66)
RIGHT_ON_SKIN: Colour = (208, 64, 10)  # redder: bodies are nearly as orange as RIGHT


def mix_colours(colour: Colour, towards: Colour, share: float) -> Colour:
    """``colour`` at share 0, ``towards`` at share 1."""
    share = min(max(share, 0.0), 1.0)
    r, g, b = (round(a + (c - a) * share) for a, c in zip(colour, towards, strict=True))
    return (r, g, b)


def draw_stroke(
    draw: ImageDraw.ImageDraw,
    start: Position,
    end: Position,
    widths: tuple[float, float],
    colour: Colour | int,
    *,
    round_ends: bool = True,
) -> None:
    """A line whose width runs from the first to the second."""
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    if length > 1e-6:
        nx, ny = (y0 - y1) / length, (x1 - x0) / length
        a, b = widths[0] / 2.0, widths[1] / 2.0
        corners = [
            (x0 + nx * a, y0 + ny * a),
            (x1 + nx * b, y1 + ny * b),
            (x1 - nx * b, y1 - ny * b),
            (x0 - nx * a, y0 - ny * a),
        ]
        draw.polygon(corners, fill=colour)
    if round_ends:
        draw_disc(draw, start, widths[0] / 2.0, colour)
        draw_disc(draw, end, widths[1] / 2.0, colour)


def draw_disc(draw: ImageDraw.ImageDraw, centre: Position, radius: float, colour: Colour | int) -> None:
    """A filled circle."""
    x, y = centre
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


@cache
def font(size: int) -> Any:
    """Pillow's own scalable font, so that a picture looks the same on every machine."""
    return ImageFont.load_default(size=size)


def printable(text: str) -> str:
    """The text in letters that the built-in font has: accents fall away, the rest become question marks."""
    plain = []
    for letter in text:
        if " " <= letter <= "~" or letter in "·°":
            plain.append(letter)
        else:
            base = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
            plain.append(base if base.isprintable() and base else "?")
    return "".join(plain)


def truncate_text(text: str, size: int, width: float) -> str:
    """The text, cut off with dots where it is wider than ``width`` pixels."""
    text = printable(text)
    if font(size).getlength(text) <= width:
        return text
    while text and font(size).getlength(text + "...") > width:
        text = text[:-1]
    return text + "..."


def write_text(
    draw: ImageDraw.ImageDraw,
    position: tuple[float, float],
    text: str,
    size: int,
    colour: Colour,
    anchor: str = "la",
    *,
    halo: bool = False,
) -> None:
    """One line of text; with a halo in the colour of the paper it can be read across lines."""
    edge = 2 if halo else 0
    draw.text(
        position,
        printable(text),
        fill=colour,
        font=font(size),
        anchor=anchor,
        stroke_width=edge,
        stroke_fill=PAPER,
    )


def draw_smooth_disc(image: Image.Image, centre: tuple[float, float], radius: float, colour: Colour) -> None:
    """A filled circle on a picture that is not reduced afterwards."""
    side = int(2 * radius) + 2
    mask = Image.new("L", (side * 8, side * 8), 0)
    draw_disc(ImageDraw.Draw(mask), (side * 4, side * 4), radius * 8, 255)
    corner = (round(centre[0] - side / 2), round(centre[1] - side / 2))
    image.paste(Image.new("RGB", (side, side), colour), corner, mask.reduce(8))


def round_step(about: float) -> float:
    """The number of the series 1, 2, 5, 10, … that is nearest below ``about``."""
    power = 10.0 ** math.floor(math.log10(max(about, 1e-9)))
    for factor in (5.0, 2.0):
        if about >= factor * power * 0.999:
            return factor * power
    return power


def save_picture(image: Image.Image, path: str | Path) -> None:
    """Write a PNG. The file appears whole or not at all."""
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise ValueError(f"{path}: pictures are written as .png, found the suffix {path.suffix!r}")
    info = PngImagePlugin.PngInfo()
    info.add_text(*_SOFTWARE)
    with atomic_write(path) as file:
        image.save(
            file, format="PNG", compress_level=4, pnginfo=info
        )  # twice as quick as the usual 6, and hardly larger


def is_our_picture(path: Path) -> bool:
    """Whether a file is a PNG that we wrote."""
    try:
        with path.open("rb") as file:
            head = file.read(512)
    except OSError:
        return False
    return head.startswith(b"\x89PNG") and "\0".join(_SOFTWARE).encode() in head
