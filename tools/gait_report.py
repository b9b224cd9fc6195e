"""Walks of the docs: ``python tools/gait_report.py`` draws their pictures and prints their measures beside captures'.

Captures are read from ``KINESPHERE_DATA``; each is compared with the same performer's plain walk.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from kinesphere import Effort, Express, Motion, Shape, phrase_of
from kinesphere.analysis.gait import GaitMeasures, measure_gait
from kinesphere.builtin import figure
from kinesphere.laban.effort import FACTORS
from kinesphere.laban.shape import DIMENSIONS
from kinesphere.pictures import canvas
from kinesphere.pictures.canvas import write_text
from kinesphere.pictures.films import Panels
from kinesphere.pictures.panel import Overlays, make_performers

HOME = Path(__file__).parent.parent / "docs" / "pictures"
WORDS = ("angry", "proud", "afraid", "tired", "joyful", "shy", "sad", "nervous", "calm", "menacing")
# Captured walks in a style, and the plain walk of the same performer (Carnegie Mellon's data base).
CAPTURES = {
    "07_04": ("slow", "07_01"),
    "07_12": ("brisk", "07_01"),
    "91_17": ("quick", "91_36"),
    "91_11": ("lavish", "91_36"),
    "91_19": ("march", "91_36"),
    "137_42": ("strong man", "137_29"),
    "137_33": ("old man", "137_29"),
    "137_24": ("graceful lady", "137_29"),
    "137_20": ("gangly teen", "137_29"),
    "137_16": ("drunk", "137_29"),
    "141_27": ("mope", "91_36"),
}
RATIOS = ("cadence", "stride", "bounce", "impact", "lift", "sway", "hip_turn", "shoulder_turn", "arm_swing")
DIFFERENCES = ("stance", "width", "knee", "elbow", "arm_out", "lean", "head", "look")
POSES, PANEL, NAME = 8, (150, 226), 108  # poses of a stride; pixels of a panel, and of the names


def edits() -> dict[str, Express]:
    """The eight elements, the six attitudes of posture, and ten words."""
    made: dict[str, Express] = {}
    for number, ends in enumerate(FACTORS.values()):
        for end, value in zip(ends, (-1.0, 1.0), strict=True):
            made[end] = Express(effort=Effort(*np.where(np.arange(4) == number, value, 0.0).tolist()))
    for number, ends in enumerate(list(DIMENSIONS.values())[:3]):
        for end, value in zip(ends, (-1.0, 1.0), strict=True):
            made[end] = Express(shape=Shape(*np.where(np.arange(4) == number, value, 0.0).tolist()))
    return made | {word: Express(words={word: 1.0}) for word in WORDS}


def table(rows: Mapping[str, tuple[GaitMeasures, GaitMeasures]]) -> str:
    """Measures of walks against the plain ones, as ratios and differences, in Markdown."""
    lines = [
        "| | " + " | ".join([*(f"{name} ×" for name in RATIOS), *(f"{name} +" for name in DIFFERENCES)]) + " |",
        "|---|" + "--:|" * (len(RATIOS) + len(DIFFERENCES)),
    ]
    for name, (own, plain) in rows.items():
        ratios = [f"{own[key] / plain[key]:.2f}" for key in RATIOS]
        apart = [
            f"{own[key] - plain[key]:.2f}" if key in ("stance", "width") else f"{own[key] - plain[key]:.0f}"
            for key in DIFFERENCES
        ]
        lines.append(f"| {name} | " + " | ".join([*ratios, *apart]) + " |")
    return "\n".join(lines)


def strides_of(names: Sequence[str], asked: Mapping[str, Express]) -> Image.Image:
    """A stride of each, from the side at equal phases, on one scale."""
    loop = phrase_of("walk in place")
    made = {name: kinesphere.generate(asked[name](loop) if name in asked else loop) for name in names}
    page = Image.new("RGB", (NAME + POSES * PANEL[0], len(made) * PANEL[1]), canvas.SHEET)
    draw = ImageDraw.Draw(page)
    for number, (name, motion) in enumerate(made.items()):
        panels = Panels.of(make_performers(motion, figure(), False), PANEL, "side", Overlays(None, 0))
        for pose in range(POSES):
            moment = round(pose / POSES * (len(motion) - 1)) / motion.rate
            page.paste(Image.fromarray(panels.draw(moment)), (NAME + pose * PANEL[0], number * PANEL[1]))
        write_text(draw, (8, number * PANEL[1] + 90), name, 17, canvas.INK)
        write_text(draw, (8, number * PANEL[1] + 114), f"{motion.duration:.2f} s", 13, canvas.QUIET_INK)
    return page


def ways_of(names: Sequence[str], asked: Mapping[str, Express]) -> Image.Image:
    """Hips and feet on the ground, from above: where each walk steps, and how its way winds."""
    walk, scale, high = phrase_of("walk"), 200.0, 120
    page = Image.new("RGB", (1308, high * len(names)), canvas.SHEET)
    draw = ImageDraw.Draw(page)
    for number, name in enumerate(names):
        motion = kinesphere.generate(asked[name](walk) if name in asked else walk)
        places, index = motion.positions_world(), motion.skeleton.index
        middle = number * high + high // 2

        def pixels(way: np.ndarray, middle: int = middle) -> list[tuple[float, float]]:
            return [(170.0 + scale * z, middle - scale * x) for x, _, z in way.tolist()]

        draw.line(pixels(places[:, index("hips")]), fill=(150, 120, 90), width=2)
        for side in ("left", "right"):
            heel, ball = places[:, index(f"{side}Foot")], places[:, index(f"{side}Toes")]
            still = np.linalg.norm(np.diff(ball, axis=0), axis=-1) * motion.rate < 0.02
            for frame in np.flatnonzero(still[1:] & ~still[:-1]) + 3:
                draw.line(pixels(np.stack([heel[frame], ball[frame]])), fill=(60, 90, 120), width=7)
        write_text(draw, (8, middle - 12), name, 17, canvas.INK)
    return page


def draw_pictures(asked: Mapping[str, Express]) -> None:
    """Write the pictures of the docs."""
    elements = [end for ends in FACTORS.values() for end in ends]
    for file, image in {
        "walk_elements.jpg": strides_of(["neutral", *elements], asked),
        "walk_words.jpg": strides_of(["neutral", *WORDS], asked),
        "walk_ways.jpg": ways_of(["neutral", "indirect", "direct", "spreading", "enclosing"], asked),
    }.items():
        image.save(HOME / file, quality=84, optimize=True)
        print(HOME / file)


def captured(data: Path) -> dict[str, tuple[GaitMeasures, GaitMeasures]]:
    """Captured walks in styles, each beside the same performer's plain one."""
    known: dict[str, GaitMeasures] = {}

    def measured(clip: str) -> GaitMeasures:
        if clip not in known:
            known[clip] = measure_gait(kinesphere.load(data / "bvh" / "cmu" / f"{clip}.bvh")[1:])
        return known[clip]

    return {f"{name} ({clip})": (measured(clip), measured(plain)) for clip, (name, plain) in CAPTURES.items()}


def main() -> None:
    asked, walk = edits(), phrase_of("walk")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    motions: dict[str, Motion] = {name: kinesphere.generate(edit(walk)) for name, edit in asked.items()}
    plain = measure_gait(kinesphere.generate(walk))
    print(table({name: (measure_gait(motion), plain) for name, motion in motions.items()}))
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if data.is_dir():
        print(table(captured(data)))
    if "--tables" not in sys.argv:
        draw_pictures(asked)


if __name__ == "__main__":
    main()
