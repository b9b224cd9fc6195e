"""Contact sheets and films of captures in eight elements and ten words, for docs/recordings.md.

    python tools/recording_pictures.py DATA                     sheets into docs/pictures
    python tools/recording_pictures.py DATA --films FOLDER      a film for each clip and list, too

Captures are shown on the built-in figure, to which they are retargeted. Each row has its own times from beginning to
end, the first row is the original.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from blind_recordings import CLIP_SETS, ELEMENTS, WORDS, clip
from kinesphere import Effort, Motion, figure, film, perform, retarget
from kinesphere.pictures.camera import View
from kinesphere.pictures.canvas import INK, PAPER, write_text
from kinesphere.pictures.light import quality_for
from kinesphere.pictures.panel import Overlays, make_performers, measure_extent, render_in_order, render_panel
from kinesphere.pictures.trails import parse_trails

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
SHOWN: Mapping[str, View] = {
    "a wave": "three-quarter",
    "punches": "three-quarter",
    "a drink": "three-quarter",
    "a walk": "side",
}
COLUMNS, PANEL, TITLE = 10, (104, 150), 15  # pixels
QUALITY = 82


def performances(data: Path, name: str, which: str) -> Iterator[tuple[str, Motion]]:
    """The original, and the clip in every element or word, on the figure."""
    source = clip(data, *CLIP_SETS["first"][name])
    edits: Mapping[str, Effort | str] = ELEMENTS if which == "elements" else {word: word for word in WORDS}
    yield "original", _on_figure(source)
    for label, edit in edits.items():
        made = perform(source, edit) if isinstance(edit, Effort) else perform(source, words=edit)
        yield label, _on_figure(made)


def _on_figure(motion: Motion) -> Motion:
    return retarget(motion.resampled(60.0), figure())


def sheet(rows: Sequence[tuple[str, Motion]], view: View) -> Image.Image:
    """A row of poses for each motion, each at its own times."""
    performers = make_performers([motion for _, motion in rows], None, False)
    times = [np.linspace(0.0, one.duration, COLUMNS) for one in performers]
    shown = [one.clock(own).tolist() for one, own in zip(performers, times, strict=True)]
    overlays = Overlays(parse_trails(False))
    extent = measure_extent(performers, view, shown, overlays, sheet=True)
    high = PANEL[1] + TITLE
    page = Image.new("RGB", (PANEL[0] * COLUMNS, high * len(rows)), PAPER)
    draw = ImageDraw.Draw(page)
    panels = [(row, column) for row in range(len(rows)) for column in range(COLUMNS)]

    def draw_panel(panel: tuple[int, int]) -> np.ndarray:
        row, column = panel
        shot = extent.shot(row, PANEL, column)
        return render_panel(performers[row], shot, shown[row][column], overlays, 3, quality_for(PANEL), None)

    for (row, column), pixels in zip(panels, render_in_order(draw_panel, panels), strict=True):
        page.paste(Image.fromarray(pixels), (column * PANEL[0], row * high + TITLE))
    for row, (label, _) in enumerate(rows):
        write_text(draw, (4, row * high), f"{label} · {performers[row].duration:.2f} s", 12, INK)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--films", type=Path, help="a folder for films")
    parser.add_argument("--out", type=Path, default=PICTURES, help="a folder for sheets")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, view in SHOWN.items():
        for which in ("elements", "words"):
            rows = list(performances(given.data, name, which))
            stem = f"recordings-{name.removeprefix('a ').replace(' ', '-')}-{which}"
            sheet(rows, view).save(given.out / f"{stem}.jpg", quality=QUALITY)
            print(given.out / f"{stem}.jpg", flush=True)
            if given.films:
                given.films.mkdir(parents=True, exist_ok=True)
                motions = [replace(motion, name=label) for label, motion in rows]
                film(motions, given.films / f"{stem}.mp4", size=(1920, 720))


if __name__ == "__main__":
    main()
