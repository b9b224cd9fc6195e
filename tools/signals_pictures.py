"""The pictures of ``docs/motion-signals.md``: ``python tools/signals_pictures.py`` writes them into ``docs/pictures``.

Name some of them to draw only those: ``bands presets walks knock drum pace gait shapes waves raised waiting repaired
smooth standing layers beats``.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from docs_pictures import EXAMPLES, named, saved, scene, stacked
from kinesphere.analysis.strokes import find_accents
from kinesphere.maths import bands, rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.humanoid import SIDES
from kinesphere.pictures import Trails, canvas, sheet, still
from kinesphere.pictures.canvas import Colour, font, write_text
from kinesphere.signals import Equalize, Smooth, align
from kinesphere.signals.equalize import PRESETS, Preset
from kinesphere.signals.shaping import shapes
from signals_tables import captured, flexion, low_passed, noisy, places, removed, strike

BEFORE: Colour = (150, 147, 140)
AFTER: Colour = (0, 104, 180)
OTHER: Colour = (222, 103, 8)
FINER = 3  # charts are drawn so many times larger, and reduced
WALK = ("91_36", 0.6, 6.0)
TRAILED = Trails(("rightHand", "rightFoot"), seconds=0.6)


@dataclass(frozen=True, eq=False)
class Line:
    """One curve of a chart."""

    x: Floats
    y: Floats
    colour: Colour
    width: float = 2.0


def chart(
    title: str,
    lines: Sequence[Line],
    size: tuple[int, int],
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    unit: str = "",
    marks: Sequence[float] = (),
    levels: Sequence[float] | None = None,
    seconds: bool = True,
    facts: str = "",
) -> Image.Image:
    """Curves in a frame, with a few labelled levels and, at the bottom, seconds."""
    wide, high = (FINER * pixels for pixels in size)
    left, top, right, bottom = 46 * FINER, 28 * FINER, wide - 12 * FINER, high - (24 if seconds else 10) * FINER
    sheet = Image.new("RGB", (wide, high), canvas.SHEET)
    draw = ImageDraw.Draw(sheet)
    draw.rectangle((left, top, right, bottom), fill=canvas.PAPER)

    def across(value: float) -> float:
        return left + (value - x[0]) / (x[1] - x[0]) * (right - left)

    def up(value: float) -> float:
        return bottom - (value - y[0]) / (y[1] - y[0]) * (bottom - top)

    for level in _levels(y) if levels is None else levels:
        draw.line((left, up(level), right, up(level)), fill=canvas.GRID, width=FINER)
        write_text(draw, (left - 6 * FINER, up(level)), f"{level:g}{unit}", 11 * FINER, canvas.QUIET_INK, "rm")
    for mark in marks:
        draw.line((across(mark), top, across(mark), bottom), fill=canvas.GRID, width=2 * FINER)
    if seconds:
        for value in _levels(x, 8):
            write_text(draw, (across(value), bottom + 5 * FINER), f"{value:g} s", 11 * FINER, canvas.QUIET_INK, "ma")
    inside = Image.new("RGB", sheet.size)
    inside.paste(sheet)
    pen = ImageDraw.Draw(inside)
    for line in lines:
        points = [(across(a), up(b)) for a, b in zip(line.x.tolist(), line.y.tolist(), strict=True)]
        pen.line(points, fill=line.colour, width=round(line.width * FINER), joint="curve")
    box = (left, top, right, bottom)
    sheet.paste(inside.crop(box), box[:2])
    write_text(draw, (left, 6 * FINER), title, 15 * FINER, canvas.INK)
    shift = font(15 * FINER).getlength(title) + 12 * FINER
    write_text(draw, (left + shift, 8 * FINER), facts, 12 * FINER, canvas.QUIET_INK)
    return sheet.resize(size, Image.Resampling.LANCZOS)


def _levels(span: tuple[float, float], count: int = 4) -> list[float]:
    """Round numbers within a span."""
    rough = (span[1] - span[0]) / count
    ten = 10.0 ** np.floor(np.log10(rough))
    step = ten * min((m for m in (1.0, 2.0, 5.0, 10.0) if m * ten >= rough), default=10.0)
    first = np.ceil(span[0] / step - 1e-9)
    return [float(step * k) + 0.0 for k in np.arange(first, span[1] / step + 1e-9)]


def grid(pictures: Sequence[Image.Image], columns: int) -> Image.Image:
    """Pictures of one size in rows."""
    wide, high = pictures[0].size
    rows = -(-len(pictures) // columns)
    sheet = Image.new("RGB", (wide * columns, high * rows), canvas.SHEET)
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (number % columns * wide, number // columns * high))
    return sheet


def keyed(image: Image.Image, words: Mapping[str, Colour]) -> Image.Image:
    """With a line below that says what colours mean."""
    sheet = Image.new("RGB", (image.width, image.height + 30), canvas.SHEET)
    sheet.paste(image, (0, 0))
    draw, at = ImageDraw.Draw(sheet), 46.0
    for word, colour in words.items():
        draw.rectangle((at, image.height + 12, at + 22, image.height + 15), fill=colour)
        write_text(draw, (at + 28, image.height + 5), word, 14, canvas.INK)
        at += 28 + font(14).getlength(word) + 26
    return sheet


def rows(made: Mapping[str, kinesphere.Motion], frames: int = 10, high: int = 300, **more: Any) -> Image.Image:
    """Each motion over its own time, one below the other."""
    return stacked(
        [
            sheet(named(one, name), frames=frames, columns=frames, size=(1600, high), **more)
            for name, one in made.items()
        ]
    )


def beside(made: Mapping[str, kinesphere.Motion], at: float, high: int = 520, **more: Any) -> Image.Image:
    """Motions side by side at one moment."""
    return still([named(one, name) for name, one in made.items()], at, size=(1600, high), **more)


def walk() -> kinesphere.Motion:
    """The captured walk that charts are of."""
    clip, start, end = WALK
    whole = captured(clip)
    return whole[round(start * whole.rate) : round(end * whole.rate) + 1]


def of_bands() -> None:
    """A thigh's swing and the bands that it is made of."""
    given = walk()
    swing = flexion(given, "rightUpperLeg", "rightLowerLeg")
    split, rest = bands.split(swing)
    periods = bands.band_periods(len(split), given.rate)
    span, size = (0.0, given.duration), (466, 150)
    made = [chart("the right thigh's swing", [Line(given.times, swing, AFTER)], size, span, (-35, 35), unit="°")]
    for number, (band, period) in enumerate(zip(split, periods, strict=True)):
        facts = f"waves of about {period:.2f} s"
        line = Line(given.times, band, canvas.INK, 1.6)
        made.append(chart(f"band {number}", [line], size, span, (-20, 20), unit="°", facts=facts))
    made = made[:8]
    made.append(chart("rest", [Line(given.times, rest, canvas.INK)], size, span, (-35, 35), unit="°"))
    saved(grid(made, 3), "signals_bands.jpg")


def of_presets() -> None:
    """A thigh and an upper arm in every preset, over what they were."""
    given = walk()
    made = []
    limbs = {
        "thigh": ("rightUpperLeg", "rightLowerLeg", (-55.0, 55.0)),
        "arm": ("rightUpperArm", "rightLowerArm", (-30.0, 30.0)),
    }
    for name in PRESETS:
        after = Equalize(preset=name)(given)
        for limb, (upper, lower, span) in limbs.items():
            lines = [
                Line(one.times, flexion(one, upper, lower), colour, width)
                for one, colour, width in ((given, BEFORE, 3.0), (after, AFTER, 1.8))
            ]
            title = f"{name}: the right {limb}"
            made.append(chart(title, lines, (700, 170), (0.0, given.duration), span, unit="°"))
    saved(keyed(grid(made, 2), {"as captured": BEFORE, "with the preset": AFTER}), "signals_presets.jpg")


def of_walks() -> None:
    """A brisk walk, larger and smaller: one stride from the side, the same moments in each."""
    given = captured("07_01")
    names: tuple[Preset, ...] = ("exaggerate", "constrain", "soften")
    made = {"as captured": given} | {name: Equalize(preset=name)(given) for name in names}
    times = np.linspace(0.42, 1.62, 7).tolist()
    strips = [strip(one, times, name, (1600, 330), view="side", trails=TRAILED) for name, one in made.items()]
    saved(stacked(strips), "signals_walks.jpg")


def strip(one: kinesphere.Motion, times: Sequence[float], name: str, size: tuple[int, int], **more: Any) -> Image.Image:
    """One motion at given moments, side by side."""
    sheet = Image.new("RGB", size, canvas.SHEET)
    wide = size[0] // len(times)
    for number, at in enumerate(times):
        sheet.paste(still(one, at, size=(wide - 6, size[1] - 34), **more), (number * wide, 30))
    draw = ImageDraw.Draw(sheet)
    write_text(draw, (8, 4), name, 19, canvas.INK)
    return sheet


def of_knock() -> None:
    """A knock that draws back first, and what one slow band turned round makes of it."""
    made = scene("16").knocks()
    shown = {
        "knock": made["knock"],
        "anticipate": made["knock, anticipating"],
        "band 5 times -1, as in the paper": Equalize(bands={5: -1.0})(made["knock"], parts="upper_body"),
    }
    saved(
        beside(shown, 0.36, 620, view="side", trails=Trails(("rightHand",), every=1.0 / 30.0)), "signals_anticipate.jpg"
    )


def of_drum() -> None:
    """A drum, a sway, and both at once."""
    made = scene("11").performances()
    picture = beside(made, 2.85, 900, view="front", trails=Trails(("rightHand",), seconds=0.97, every=1.0 / 30.0))
    saved(picture.crop((0, 20, picture.width, 540)), "signals_drum_and_sway.jpg")


def of_pace() -> None:
    """When feet come down, in a march, a stagger, and each at the other's pace; lines say what corresponds."""
    example = scene("12")
    made = example.performances()
    to = align(made["march"], made["stagger"], cost="pose")
    links = [(float(at), float(to(np.array(at)))) for at in np.arange(0.0, made["march"].duration, 0.15)]
    facts = {name: f"{example.apart(made['stagger'], one):.2f} s from the stagger's" for name, one in made.items()}
    saved(timeline({name: stands(one) for name, one in made.items()}, 5.0, facts, links), "signals_pace.jpg")


def stands(given: kinesphere.Motion) -> dict[str, list[tuple[float, float]]]:
    """By side, from when until when a foot stands."""
    found = {}
    contacts = kinesphere.find_contacts(given)
    for side in SIDES:
        flags = np.any([own for name, own in contacts.labels.items() if name.startswith(side)], axis=0)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
        found[side] = [(a / given.rate, b / given.rate) for a, b in edges.reshape(-1, 2).tolist()]
    return found


def timeline(
    made: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
    end: float,
    facts: Mapping[str, str],
    links: Sequence[tuple[float, float]] = (),
) -> Image.Image:
    """A gait diagram: bars where the left foot stands, and below where the right one does.

    ``links`` are drawn from times of the first to times of the second.
    """
    wide, step, left = 1400, 74, 300
    gap = 44 if links else 0  # between the first and the second row
    sheet = Image.new("RGB", (wide * FINER, (step * len(made) + gap + 34) * FINER), canvas.SHEET)
    draw = ImageDraw.Draw(sheet)

    def across(value: float) -> float:
        return FINER * (left + value / end * (wide - left - 20))

    for row, (name, own) in enumerate(made.items()):
        top = FINER * (row * step + 10 + (gap if row else 0))
        draw.rectangle((across(0.0), top, across(end), top + 58 * FINER), fill=canvas.PAPER)
        write_text(draw, (20 * FINER, top + 14 * FINER), name, 17 * FINER, canvas.INK)
        write_text(draw, (20 * FINER, top + 36 * FINER), facts[name], 13 * FINER, canvas.QUIET_INK)
        for number, side in enumerate(SIDES):
            colour = canvas.LEFT if side == "left" else canvas.RIGHT
            for first, last in (bar for bar in own[side] if bar[0] < end):
                low = top + FINER * (7 + 24 * number)
                draw.rectangle((across(first), low, across(min(last, end)), low + 19 * FINER), fill=colour)
    for a, b in links:
        draw.line((across(a), 70 * FINER, across(b), (82 + gap) * FINER), fill=canvas.INK, width=FINER)
    for value in range(int(end) + 1):
        at = FINER * (step * len(made) + gap + 8)
        write_text(draw, (across(value), at), f"{value} s", 12 * FINER, canvas.QUIET_INK, "ma")
    reduced = sheet.resize((sheet.width // FINER, sheet.height // FINER), Image.Resampling.LANCZOS)
    return keyed(reduced, {"the left foot stands": canvas.LEFT, "the right foot stands": canvas.RIGHT})


def of_gait() -> None:
    """Two walks blended: what becomes of their steps, and what that looks like."""
    example = scene("13")
    made = example.performances()
    facts = {
        name: f"a foot stands in {100.0 * kinesphere.find_contacts(one).in_contact().mean():.0f} %"
        for name, one in made.items()
    }
    bars = timeline({name: stands(one) for name, one in made.items()}, 9.0, facts)
    saved(bars, "signals_gait.jpg")
    times = np.linspace(1.0, 3.4, 9).tolist()
    strips = [
        strip(made[name], times, name, (1600, 330), view="side", trails=Trails(("feet",), seconds=0.5))
        for name in ("blended as they are", "aligned first")
    ]
    saved(stacked(strips), "signals_two_walks.jpg")


def of_shapes() -> None:
    """The library of shaping functions, and a wave under some."""
    x = np.linspace(-1.15, 1.15, 400)
    made = []
    for name, shaping in shapes().items():
        lines = [Line(x, x, canvas.GRID, 2.0), Line(x, shaping(x), AFTER, 2.6)]
        made.append(
            chart(
                name,
                lines,
                (233, 233),
                (-1.15, 1.15),
                (-1.55, 1.55),
                levels=(-1, 0, 1),
                marks=(-1, 0, 1),
                seconds=False,
            )
        )
    saved(grid(made, 6), "signals_shapes.jpg")


def of_waves() -> None:
    """A wave capped, a drink undulating."""
    made = scene("14").performances()
    marked = Trails(("rightHand",), every=1.0 / 30.0)
    pictures = []
    for name, one in made.items():
        at = 1.3 if "wave" in name else 2.4
        picture = still(one, at, size=(530, 760), view="front", trails=marked).crop((0, 15, 530, 470))
        write_text(ImageDraw.Draw(picture), (16, 12), name, 21, canvas.INK)
        pictures.append(picture)
    saved(grid(pictures, 3), "signals_waves.jpg")


def of_raised() -> None:
    """A higher knock from one edited frame."""
    made = scene("15").higher_knock()
    saved(
        beside(made, 1.2, 620, view="side", trails=Trails(("rightHand",), every=1.0 / 30.0)), "signals_higher_knock.jpg"
    )


def of_waiting() -> None:
    """Three frames of a long clip, before and after."""
    example = scene("15")
    before, after = example.three_frames().values()
    pairs = [
        still([named(before, f"{at:.2f} s"), named(after, "edited")], at, size=(520, 520))
        for at in (share * before.duration for share in example.SHARES)
    ]
    saved(grid(pairs, 3), "signals_three_frames.jpg")


def of_repaired() -> None:
    """A filtered walk, repaired in two passes."""
    example = scene("15")
    made = example.repaired()
    given = made["walk"]
    saved_rows = []
    lines = {"filtered": OTHER, "once repaired": (140, 170, 60), "twice repaired": AFTER}
    for side in SIDES:
        own = []
        for name, colour in lines.items():
            (was,), (now,) = (places(one, f"{side}Foot") for one in (given, made[name]))
            own.append(Line(given.times, 1000.0 * np.linalg.norm(now - was, axis=1), colour, 2.2))
        title = f"the {side} foot: how far from where it was"
        saved_rows.append(
            chart(title, own, (1400, 200), (0.0, given.duration), (0.0, 160.0), facts="in mm; bars: it stands")
        )
        box = ImageDraw.Draw(saved_rows[-1])
        for first, last in stands(given)[side]:
            a, b = (46 + t / given.duration * (1400 - 58) for t in (first, last))
            box.rectangle((a, 170, b, 175), fill=BEFORE)
    saved(keyed(stacked(saved_rows), lines), "signals_repaired.jpg")


def of_smooth() -> None:
    """A punch with noise: its wrist's speed, smoothed and low-passed."""
    clean = captured("punch", 120.0)
    jittery = noisy(clean, 3.0)
    plain = [low_passed(jittery, seconds) for seconds in np.geomspace(0.01, 0.2, 24)]
    best = max(plain, key=lambda other: removed(other, jittery, clean))
    ways = {"with noise": jittery, "Smooth": Smooth(1.0)(jittery), "the best low-pass": best}
    made = []
    for name, one in ways.items():
        lines = [Line(other.times, _speed(other), colour, width) for other, colour, width in
                 ((one, OTHER if one is jittery else AFTER, 1.6), (clean, canvas.INK, 1.6))]  # fmt: skip
        gone, peak = 100.0 * removed(one, jittery, clean), 100.0 * strike(one) / strike(clean)
        facts = "3° about each axis" if one is jittery else f"{gone:.0f} % of the noise gone, peak {peak:.0f} %"
        made.append(chart(name, lines, (466, 300), (0.0, 2.0), (0.0, 8.0), unit=" m/s", facts=facts))
    saved(
        keyed(grid(made, 3), {"the right hand's speed without noise": canvas.INK, "with it": OTHER, "after": AFTER}),
        "signals_smooth.jpg",
    )


def of_standing() -> None:
    """A standing ankle of a capture, and a foot with noise and spikes, as they are and smoothed."""
    clip = captured("07_04", 120.0)
    stance = max(kinesphere.find_contacts(clip).of("leftHeel"), key=lambda contact: contact.last - contact.first)
    frames, made = slice(stance.first, stance.last + 1), []
    for axis, title in ((0, "sideways"), (1, "up")):
        paths = [1000.0 * places(one, "leftFoot")[0][frames, axis] for one in (clip, Smooth(1.0)(clip))]
        shown = [
            Line(clip.times[frames], path - paths[0].mean(), colour, 1.6)
            for path, colour in zip(paths, (OTHER, AFTER), strict=True)
        ]
        high = max(float(np.abs(line.y).max()) for line in shown)
        span = float(clip.times[stance.first]), float(clip.times[stance.last])
        made.append(chart(f"a standing ankle, {title}", shown, (466, 300), span, (-high, high), unit=" mm"))
    clean = captured("07_04", 30.0)
    turns = 0.02 * np.random.default_rng(0).normal(size=(*clean.rotations.shape[:2], 3))
    turns[12::20, clean.skeleton.with_found_roles().roles["leftLowerLeg"]] += 1.0
    local = rotations.multiply(clean.rotations, rotations.from_rotation_vector(turns))
    broken = replace(clean, rotations=rotations.continuous(local), scales=None)
    lines = [
        Line(one.times, _speed(one, "leftFoot"), colour, 1.6)
        for one, colour in ((broken, OTHER), (Smooth(1.0)(broken), AFTER), (clean, canvas.INK))
    ]
    made.append(chart("a foot with spikes", lines, (466, 300), (0.0, clean.duration), (0.0, 12.0), unit=" m/s"))
    words = {"as it is": OTHER, "smoothed": AFTER, "without noise and spikes": canvas.INK}
    saved(keyed(grid(made, 3), words), "signals_standing.jpg")


def _speed(given: kinesphere.Motion, role: str = "rightHand") -> Floats:
    (path,) = places(given, role)
    speed: Floats = np.linalg.norm(np.gradient(path, 1.0 / given.rate, axis=0), axis=1)
    return speed


def of_layers() -> None:
    """A knock as it grows, layer by layer."""
    made = [named(one, name) for name, one in scene("17").performances().items()]
    made.pop()  # softer arms are for films
    picture = sheet(made, frames=9, size=(1600, 1270), view="side", trails=Trails(("rightHand",)))
    saved(picture, "signals_layers.jpg")


def of_beats() -> None:
    """A stagger on the beat."""
    example = scene("18")
    before, after = example.performances()["stagger"]
    beat = 60.0 / example.BPM
    end = max(before.duration, after.duration)
    made = []
    for name, one in (("stagger", before), (f"on {example.BPM:.0f} beats a minute", after)):
        speeds = [np.linalg.norm(np.gradient(path, 1.0 / one.rate, axis=0), axis=1) for path in
                  places(one, "leftFoot", "rightFoot")]  # fmt: skip
        lines = [
            Line(one.times, speed, tint, 1.8) for speed, tint in zip(speeds, (canvas.LEFT, canvas.RIGHT), strict=True)
        ]
        facts = f"speed of the feet; accents {1000.0 * example.off_beat(one):.0f} ms off the beat"
        picture = chart(
            name,
            lines,
            (1400, 220),
            (0.0, end),
            (0.0, 4.5),
            unit=" m/s",
            marks=np.arange(0.0, end, beat).tolist(),
            facts=facts,
        )
        pen = ImageDraw.Draw(picture)
        for accent in find_accents(one):
            at = 46 + accent.seconds / end * (1400 - 58)
            size = 3 + 1.2 * accent.strength
            pen.polygon([(at - size, 30), (at + size, 30), (at, 30 + 1.6 * size)], fill=canvas.INK)
        made.append(picture)
    saved(
        keyed(
            stacked(made),
            {"left foot": canvas.LEFT, "right foot": canvas.RIGHT, "beats": canvas.GRID, "accents": canvas.INK},
        ),
        "signals_beats.jpg",
    )


PICTURES: dict[str, Callable[[], None]] = {
    "bands": of_bands,
    "presets": of_presets,
    "walks": of_walks,
    "knock": of_knock,
    "drum": of_drum,
    "pace": of_pace,
    "gait": of_gait,
    "shapes": of_shapes,
    "waves": of_waves,
    "raised": of_raised,
    "waiting": of_waiting,
    "repaired": of_repaired,
    "smooth": of_smooth,
    "layers": of_layers,
    "standing": of_standing,
    "beats": of_beats,
}


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    wanted = sys.argv[1:] or list(PICTURES)
    if set(wanted) - set(PICTURES):
        sys.exit(f"pictures are {', '.join(PICTURES)}")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    sys.path.insert(0, str(EXAMPLES))  # examples import each other
    for name in wanted:
        PICTURES[name]()


if __name__ == "__main__":
    main()
