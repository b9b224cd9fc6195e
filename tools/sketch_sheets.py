"""Pictures of one movement done by every sketch: for blind readings, for looking, and for the docs.

    python tools/sketch_sheets.py blind OUT SOURCE ...        a sheet for each sketch and source, and OUT/LABELS.csv
    python tools/sketch_sheets.py overview OUT.png SOURCE     all sketches on one sheet, with their names
    python tools/sketch_sheets.py docs                        docs/pictures/sketches.jpg

A source is a gesture's or a walk's name, a script or a motion file; ``clip.bvh@2-7`` is the part from 2 s to 7 s.
Sheets of one source have common scales and one axis of time, and nothing on them says whose they are. ``LABELS.csv``
(file, label) is for who shuffles them under neutral names.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from kinesphere import Motion, Score, render
from kinesphere.maths.vectors import Floats
from kinesphere.motion.edit import Layer
from kinesphere.performance.sketch import Sketch
from kinesphere.performance.sketch_file import SKETCHES
from kinesphere.pictures import Trails, canvas, save_picture
from kinesphere.pictures.camera import View
from kinesphere.pictures.canvas import Colour, write_text
from kinesphere.pictures.light import SMALL
from kinesphere.pictures.panel import Extent, Overlays, make_performers, measure_extent, render_in_order, render_panel
from kinesphere.pictures.performer import Performer

PLAIN = "plain"  # without a sketch
EDGE, TEXT = 16, 16  # pixels
MOMENTS = 10
STILL = (156, 268)  # pixels
VIEWS: tuple[tuple[View, str], ...] = (("three-quarter", "seen from the front right"), ("side", "seen from the right"))
PATHS = (420, 420)
CHART = (EDGE + MOMENTS * STILL[0] - PATHS[0] - 2 * EDGE, PATHS[1])
TRACED = ("leftHand", "rightHand", "head")
CURVES: tuple[tuple[str, str, Colour], ...] = (
    ("leftHand", "left hand", canvas.LEFT),
    ("rightHand", "right hand", canvas.RIGHT_ON_SKIN),
    ("head", "head", (110, 100, 92)),
)
OVERVIEW_MOMENTS = 7
DOCS, DOCS_SOURCES, DOCS_WIDTH = Path("docs/pictures/sketches.jpg"), ("examples/scripts/eight-characters.toml",), 1200


@dataclass(frozen=True, eq=False)
class Shown:
    """A movement in character."""

    sketch: str
    motion: Motion

    @cached_property
    def performer(self) -> Performer:
        """The motion on its surface."""
        return make_performers(self.motion, None)[0]

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.motion.duration

    def moments(self, count: int) -> list[float]:
        """So many times of the performer's clock, even, from its first to its last."""
        one = self.performer
        return [float(at) for at in np.linspace(one.start, one.end, count)]

    def speed(self, role: str) -> Floats:
        """``(T,)`` metres a second of a joint, as seen from the hips where the body travels."""
        roles = self.motion.skeleton.roles
        world = self.motion.positions_world()
        path = world[:, roles[role]]
        if self.performer.travels:
            path = path - world[:, roles["hips"]] * [1.0, 0.0, 1.0]
        made: Floats = np.linalg.norm(np.gradient(path, 1.0 / self.motion.rate, axis=0), axis=1)
        return made


def perform_all(source: str, plain: bool = False) -> list[Shown]:
    """A source in every sketch, without one before where ``plain``."""
    movement = read_source(source)
    names = [*([PLAIN] if plain else []), *SKETCHES.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layers = [() if name == PLAIN else (Layer(Sketch(name)),) for name in names]
        return [Shown(name, render(Score(movement, own))) for name, own in zip(names, layers, strict=True)]


def read_source(source: str) -> str | Path | Motion:
    """A name, a script, a motion file, or a part of one."""
    path, _, span = source.partition("@")
    if not span:
        return Path(source) if Path(source).is_file() else source
    first, _, last = span.partition("-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = kinesphere.load(path)
    return motion.between(float(first), min(float(last), motion.duration))


# One sheet for each


def draw_sheets(shown: Sequence[Shown]) -> Iterator[Image.Image]:
    """A sheet of each: stills at equal steps of its own time from two sides, trails, and speeds over time."""
    moments = [one.moments(MOMENTS) for one in shown]
    performers = [one.performer for one in shown]
    extents = [(measure_extent(performers, view, moments), note) for view, note in VIEWS]
    overlays = Overlays(Trails(TRACED))
    paths = measure_extent(performers, "front", [[one.end] for one in performers], overlays)
    longest = max(one.seconds for one in shown)
    fastest = max(float(one.speed(role).max()) for one in shown for role, _, _ in CURVES)
    high = 44 + len(VIEWS) * (STILL[1] + 26) + PATHS[1] + 40
    for number, one in enumerate(shown):
        page = Image.new("RGB", (2 * EDGE + MOMENTS * STILL[0], high), canvas.SHEET)
        draw = ImageDraw.Draw(page)
        title = f"lasts {one.seconds:.1f} s · {MOMENTS} stills, {one.seconds / (MOMENTS - 1):.2f} s apart"
        write_text(draw, (EDGE, 10), title, 22, canvas.INK)
        top = 44
        for extent, note in extents:
            _paste_row(page, (EDGE, top), one, extent, number, moments[number], STILL)
            write_text(draw, (EDGE + 4, top + 2), note, TEXT, canvas.INK, halo=True)
            for i in range(MOMENTS):
                text, x = f"{i * one.seconds / (MOMENTS - 1):.1f} s", EDGE + (i + 0.5) * STILL[0]
                write_text(draw, (x, top + STILL[1] + 2), text, TEXT, canvas.QUIET_INK, "ma")
            top += STILL[1] + 26
        pixels = render_panel(one.performer, paths.shot(number, PATHS), one.performer.end, overlays, 3, SMALL)
        page.paste(Image.fromarray(pixels), (EDGE, top))
        write_text(draw, (EDGE + 4, top + 2), "paths of hands and head; dots: 15 a second", TEXT, canvas.INK, halo=True)
        page.paste(_draw_speeds(one, longest, fastest), (2 * EDGE + PATHS[0], top))
        yield page


def _paste_row(
    page: Image.Image,
    corner: tuple[int, int],
    one: Shown,
    extent: Extent,
    number: int,
    moments: Sequence[float],
    size: tuple[int, int],
) -> None:
    def draw(i: int) -> Image.Image:
        shot = extent.shot(number, size, i)
        return Image.fromarray(render_panel(one.performer, shot, moments[i], Overlays(), 3, SMALL))

    for i, picture in enumerate(render_in_order(draw, range(len(moments)))):
        page.paste(picture, (corner[0] + i * size[0], corner[1]))


def _draw_speeds(one: Shown, longest: float, fastest: float) -> Image.Image:
    """How quickly hands and head move, over seconds; scales are those of all sketches."""
    image = Image.new("RGB", CHART, canvas.PAPER)
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = 46, 30, CHART[0] - 12, CHART[1] - 26

    def across(seconds: Floats) -> Floats:
        return np.asarray(left + seconds / longest * (right - left))

    def down(speed: Floats) -> Floats:
        return np.asarray(bottom - np.sqrt(np.clip(speed / fastest, 0.0, 1.0)) * (bottom - top))

    step = next(step for step in (0.5, 1.0, 2.0, 5.0, 10.0, 1e9) if longest / step <= 14.0)
    for second in np.arange(0.0, longest + 1e-6, step).tolist():
        x = float(across(np.array(second)))
        draw.line((x, top, x, bottom), fill=canvas.GRID)
        write_text(draw, (x, bottom + 5), f"{second:g} s", TEXT, canvas.QUIET_INK, "ma")
    for level in (0.1, 0.5, 1.0, 2.0, 4.0):
        if level <= fastest:
            y = float(down(np.array(level)))
            draw.line((left, y, right, y), fill=canvas.GRID)
            write_text(draw, (left - 5, y), f"{level:g}", TEXT, canvas.QUIET_INK, "rm")
    times = np.arange(len(one.motion)) / one.motion.rate
    for role, _, colour in CURVES[::-1]:
        points = np.stack([across(times), down(one.speed(role))], axis=1).tolist()
        draw.line([(x, y) for x, y in points], fill=colour, width=2, joint="curve")
    end = float(across(np.array(one.seconds)))
    draw.rectangle((end, top, right, bottom), fill=canvas.SHEET)
    write_text(draw, (left, 6), "speed, metres a second", TEXT, canvas.INK)
    x = left + 200.0
    for _, name, colour in CURVES:
        draw.rectangle((x, 12, x + 16, 16), fill=colour)
        write_text(draw, (x + 21, 6), name, TEXT, canvas.INK)
        x += 120.0
    return image


# All on one


def draw_overview(
    shown: Sequence[Shown], moments: int = OVERVIEW_MOMENTS, still: tuple[int, int] = (150, 190), columns: int = 2
) -> Image.Image:
    """All sketches, each with its name, and moments at equal steps of its own time."""
    times = [one.moments(moments) for one in shown]
    extent = measure_extent([one.performer for one in shown], "three-quarter", times)
    rows = -(-len(shown) // columns)
    wide, high = moments * still[0], still[1] + 30
    page = Image.new("RGB", (columns * (wide + EDGE) + EDGE, rows * (high + 8) + EDGE), canvas.SHEET)
    draw = ImageDraw.Draw(page)
    for number, one in enumerate(shown):
        left = EDGE + (number % columns) * (wide + EDGE)
        top = EDGE + (number // columns) * (high + 8)
        name = one.sketch.replace("-", " ")
        write_text(draw, (left, top), name, 20, canvas.INK)
        at = left + canvas.font(20).getlength(name) + 10
        write_text(draw, (at, top + 4), f"{one.seconds:.1f} s", TEXT, canvas.QUIET_INK)
        _paste_row(page, (left, top + 28), one, extent, number, times[number], still)
    return page


def draw_docs() -> None:
    """The picture of the docs."""
    pages = [draw_overview(perform_all(source), 10, (132, 176), 1) for source in DOCS_SOURCES]
    whole = Image.new("RGB", (pages[0].width, sum(page.height for page in pages)), canvas.SHEET)
    top = 0
    for page in pages:
        whole.paste(page, (0, top))
        top += page.height
    small = whole.resize((DOCS_WIDTH, round(whole.height * DOCS_WIDTH / whole.width)), Image.Resampling.LANCZOS)
    small.save(DOCS, quality=84, optimize=True)


def write_blind(out: Path, sources: Sequence[str]) -> None:
    """A sheet for each sketch and source, with their labels."""
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    for source in sources:
        shown = perform_all(source)
        for one, page in zip(shown, draw_sheets(shown), strict=True):
            name = f"{Path(source.partition('@')[0]).stem}-{one.sketch}.png"
            save_picture(page, out / name)
            rows.append([name, one.sketch])
            print(f"{name}: {one.seconds:.2f} s", flush=True)
    with (out / "LABELS.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["file", "label"], *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    blind = verbs.add_parser("blind", help="a sheet for each sketch, without its name on it")
    blind.add_argument("out", type=Path)
    blind.add_argument("sources", nargs="+")
    overview = verbs.add_parser("overview", help="all sketches on one sheet")
    overview.add_argument("out", type=Path)
    overview.add_argument("source")
    overview.add_argument("--plain", action="store_true", help="the movement without a sketch, too")
    verbs.add_parser("docs", help="the picture of the docs")
    asked = parser.parse_args()
    if asked.verb == "blind":
        write_blind(asked.out, asked.sources)
    elif asked.verb == "overview":
        save_picture(draw_overview(perform_all(asked.source, asked.plain)), asked.out)
    else:
        draw_docs()


if __name__ == "__main__":
    main()
