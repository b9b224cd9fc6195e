"""Heels and balls in contact, seen from above, before and after ``lock_feet``: ``docs/pictures/locked.png``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from kinesphere.body.contacts import find_contacts
from kinesphere.body.ground import sole_paths, sole_points
from kinesphere.maths.vectors import Floats
from kinesphere.pictures.canvas import write_text

CLIP, COUNT = "137_29", 6
TILE, FINE = 150, 3  # pixels of a contact; drawn so many times larger, then shrunk
SEEN = 0.06  # metres across a tile
PAPER, FLOOR, INK = (250, 249, 246), (238, 236, 230), (60, 60, 64)
COLOURS = {"left": (190, 70, 50), "right": (40, 95, 160)}


def tile(path: Floats, colour: tuple[int, int, int]) -> Image.Image:
    """The way ``(N, 2)`` of a point in contact, in metres from its middle."""
    image = Image.new("RGB", (TILE * FINE, TILE * FINE), FLOOR)
    draw = ImageDraw.Draw(image)
    places = [tuple(place) for place in (TILE * FINE * (0.5 + path / SEEN)).tolist()]
    draw.line(places, fill=colour, width=FINE, joint="curve")
    for x, y in places:
        draw.ellipse((x - 2 * FINE, y - 2 * FINE, x + 2 * FINE, y + 2 * FINE), fill=colour)
    return image.resize((TILE, TILE), Image.Resampling.LANCZOS)


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    motion = kinesphere.load(data / f"bvh/cmu/{CLIP}.bvh")
    names = [point.name for point in sole_points(motion.skeleton)]
    contacts = find_contacts(motion)
    longest = sorted(contacts.intervals, key=lambda contact: contact.first - contact.last)[:COUNT]
    gap = 10
    sheet = Image.new("RGB", (COUNT * (TILE + gap) + gap, 2 * (TILE + gap + 22) + gap), PAPER)
    draw = ImageDraw.Draw(sheet)
    for row, (title, shown) in enumerate((("as captured", motion), ("locked", kinesphere.lock_feet(motion, contacts)))):
        top = row * (TILE + gap + 22)
        write_text(draw, (gap, top + 6), f"{title}: {SEEN * 100:.0f} cm of floor around six contacts", 14, INK)
        paths = sole_paths(shown, sole_points(shown.skeleton))
        for i, contact in enumerate(sorted(longest, key=lambda contact: contact.first)):
            path = paths[contact.first : contact.last + 1, names.index(contact.name)][:, [0, 2]]
            middle = 0.5 * (path.min(axis=0) + path.max(axis=0))
            sheet.paste(tile(np.asarray(path - middle), COLOURS[contact.side]), (gap + i * (TILE + gap), top + 28))
    sheet.save(Path("docs/pictures/locked.png"), optimize=True)


if __name__ == "__main__":
    main()
