"""Timelines: rows of bars over time, with a chart of both hands' speed above, for what holds when and what is covered.

A row's pale bar is as high as it weighs, its full one as what is left of that after others cover it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from kinesphere.maths.filters import derivative
from kinesphere.maths.vectors import Floats, norms
from kinesphere.motion.humanoid import SIDES
from kinesphere.motion.motion import Motion
from kinesphere.pictures.canvas import (
    GRID,
    INK,
    LEFT,
    PAPER,
    QUIET_INK,
    RIGHT,
    SHEET,
    SUPERSAMPLING,
    Colour,
    font,
    mix_colours,
    round_step,
    truncate_text,
    write_text,
)

# Pixels
PER_SECOND, NARROWEST, WIDEST = 120.0, 900, 2400
LEFT_MARGIN, RIGHT_MARGIN, TOP, BOTTOM = 268, 28, 62, 44
CHART, ROW, GAP, LANE_GAP = 92, 22, 5, 14
TITLE_SIZE, LABEL_SIZE, SMALL_SIZE = 20, 13, 11
TICK_SPACE = 80
LANE_WIDTH, LABEL_WIDTH = 104, 140
ENOUGH = 1e-3  # of a weight that is drawn
COLOURS: tuple[Colour, ...] = ((64, 132, 92), (122, 78, 160), (0, 104, 180), (190, 96, 30), (70, 130, 140))


class TimelineRow(NamedTuple):
    """One thing that holds for some time."""

    lane: str  # rows of a lane stand together
    label: str
    note: str
    weight: Floats  # (N,) 0 to 1, at even steps over the whole
    share: Floats  # (N,) that is left of it


def timeline(
    rows: Sequence[TimelineRow],
    duration: float,
    *,
    motion: Motion | None = None,
    marks: Sequence[tuple[float, str]] = (),
    title: str = "",
) -> Image.Image:
    """Draw rows over ``duration`` seconds, below the speed of the hands of a motion, with marks at moments."""
    if not np.isfinite(duration) or duration <= 0.0:
        raise ValueError(f"a timeline of {duration} s shows nothing; more than 0 s is expected")
    lanes = list(dict.fromkeys(row.lane for row in rows))
    ordered = [row for lane in lanes for row in rows if row.lane == lane]
    width = round(min(max(LEFT_MARGIN + RIGHT_MARGIN + PER_SECOND * duration, NARROWEST), WIDEST))
    chart = CHART + GAP if motion is not None else 0
    height = TOP + chart + len(ordered) * (ROW + GAP) + len(lanes) * LANE_GAP + BOTTOM
    large = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), SHEET)
    draw, scale = ImageDraw.Draw(large), SUPERSAMPLING
    right = width - RIGHT_MARGIN

    def across(time: float) -> float:
        return LEFT_MARGIN + (right - LEFT_MARGIN) * time / duration

    def box(x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
        draw.rectangle((x0 * scale, y0 * scale, x1 * scale, y1 * scale), fill=colour)

    bottom = height - BOTTOM
    box(LEFT_MARGIN, TOP, right, bottom, PAPER)
    step = round_step(duration * TICK_SPACE / (right - LEFT_MARGIN))
    ticks = np.arange(0.0, duration + 1e-9, step).tolist()
    for tick in ticks:
        box(across(tick), TOP, across(tick) + 0.7, bottom, GRID)
    if motion is not None:
        _draw_speeds(draw, motion, across, TOP, scale)
    texts: list[tuple[tuple[float, float], str, int, Colour, str]] = []
    y, lane = float(TOP + chart), ""
    for row in ordered:
        if row.lane != lane:
            lane = row.lane
            y += LANE_GAP
            box(LEFT_MARGIN, y - LANE_GAP / 2 - GAP / 2, right, y - LANE_GAP / 2 - GAP / 2 + 1, GRID)
        colour = COLOURS[lanes.index(lane) % len(COLOURS)]
        _draw_bar(draw, row, across, y, colour, scale, duration)
        texts.append(
            ((LEFT_MARGIN - 10, y + ROW / 2), truncate_text(row.label, LABEL_SIZE, LABEL_WIDTH), LABEL_SIZE, INK, "rm")
        )
        if row.note:
            texts.append(
                (
                    (LEFT_MARGIN + 6, y + ROW / 2),
                    truncate_text(row.note, SMALL_SIZE, right - LEFT_MARGIN),
                    SMALL_SIZE,
                    INK,
                    "lm",
                )
            )
        y += ROW + GAP
    for time, _ in marks:
        box(across(time), TOP, across(time) + 1.4, bottom, INK)
    picture = large.resize((width, height), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)
    write_text(draw, (16, 16), title, TITLE_SIZE, INK)
    for place, text, size, ink, anchor in texts:
        draw.text(place, text, font=font(size), fill=ink, anchor=anchor)
    for tick in ticks:
        draw.text((across(tick), bottom + 8), f"{tick:g} s", font=font(SMALL_SIZE), fill=QUIET_INK, anchor="ma")
    for time, name in marks:
        draw.text((across(time) + 3, TOP - 14), name, font=font(SMALL_SIZE), fill=INK, anchor="lm")
    _write_lanes(draw, ordered, lanes, TOP + chart)
    return picture


def _write_lanes(draw: ImageDraw.ImageDraw, rows: Sequence[TimelineRow], lanes: Sequence[str], top: float) -> None:
    y = top
    for lane in lanes:
        y += LANE_GAP
        colour = mix_colours(COLOURS[lanes.index(lane) % len(COLOURS)], INK, 0.25)
        draw.text(
            (14, y + ROW / 2),
            truncate_text(lane, SMALL_SIZE, LANE_WIDTH),
            font=font(SMALL_SIZE),
            fill=colour,
            anchor="lm",
        )
        y += sum(row.lane == lane for row in rows) * (ROW + GAP)


def _draw_bar(
    draw: ImageDraw.ImageDraw, row: TimelineRow, across: object, y: float, colour: Colour, scale: int, duration: float
) -> None:
    assert callable(across)
    left, right = float(across(0.0)), float(across(duration))
    columns = np.arange(int(right - left) + 1)
    place = columns / max(len(columns) - 1, 1)
    for values, ink in ((row.weight, mix_colours(colour, PAPER, 0.72)), (row.share, mix_colours(colour, PAPER, 0.18))):
        shown = np.interp(place, np.linspace(0.0, 1.0, len(values)), values)
        for column in columns[shown > ENOUGH].tolist():
            high = ROW * min(max(float(shown[column]), 0.12), 1.0)
            x = left + column
            draw.rectangle((x * scale, (y + ROW - high) * scale, (x + 1) * scale, (y + ROW) * scale), fill=ink)


def _draw_speeds(draw: ImageDraw.ImageDraw, motion: Motion, across: object, top: float, scale: int) -> None:
    """The speed of both hands from the chest's own place, as lines."""
    assert callable(across)
    roles, places = motion.skeleton.with_found_roles().roles, motion.positions_world()
    curves = {}
    for side in SIDES:
        if f"{side}Hand" in roles and len(motion) > 3:
            away = places[:, roles[f"{side}Hand"]] - places[:, roles["hips"]]
            curves[side] = norms(derivative(away, motion.rate))
    most = max((float(np.quantile(curve, 0.999)) for curve in curves.values()), default=0.0) or 1.0
    for side, colour in zip(SIDES, (LEFT, RIGHT), strict=True):
        if side in curves:
            high = np.minimum(curves[side] / most, 1.0) * (CHART - 10)
            times = motion.times.tolist()
            points = [
                (float(across(t)) * scale, (top + CHART - float(h)) * scale) for t, h in zip(times, high, strict=True)
            ]
            draw.line(points, fill=colour, width=2 * scale // 2, joint="curve")
