"""The pictures of the docs that show surfaces: ``python tools/docs_pictures.py`` writes them into ``docs/pictures``."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import kinesphere
from kinesphere.body.hands import finger_rotations, hand_shape
from kinesphere.builtin import figure, mo, motion
from kinesphere.engine.clocks import stroke_progress
from kinesphere.laban.shape import DIMENSIONS
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.pictures import Trails, canvas, sheet, still
from kinesphere.pictures.canvas import font, write_text
from kinesphere.pictures.films import Panels
from kinesphere.pictures.panel import Overlays, make_performers

HOME = Path("docs/pictures")
EXAMPLES = Path("examples")
SHAPES = ("open", "fist", "pointing", "closed", "thumb out", "cupped", "claw")
# Ours, and a capture of the same act: clip, from second, seconds. No CMU clip is of a clap, pointing or beckoning.
PAIRS = {
    "wave": ("141_16", 0.2, 2.2),
    "punch": ("02_05", 3.0, 4.0),
    "drink": ("79_38", 1.0, 6.0),
    "reach": ("79_20", 2.0, 5.0),
    "knock": ("79_01", 2.0, 4.0),
    "shrug": ("141_21", 0.2, 2.6),
    "walk": ("91_36", 1.0, 4.0),
    "idle": ("141_20", 0.2, 6.0),
    "emphasise": ("79_74", 1.0, 4.0),
    "bow": ("141_26", 0.2, 3.0),
    "clap": ("", 0.0, 0.0),
    "point": ("", 0.0, 0.0),
    "beckon": ("", 0.0, 0.0),
}
PAPER = (240, 239, 235)
# Opposite elements face each other across neutral.
FACING = ("indirect", "light", "sustained", "free", "neutral", "bound", "sudden", "strong", "direct")
GOALS = (1.3, 2.3, 3.3, 4.3, 5.3)  # seconds of the five goals, performed neutrally


def saved(image: Image.Image, name: str, width: int = 1400) -> None:
    """Small enough for a repository: as JPEG, no wider than the page."""
    if image.width > width:
        image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    image.convert("RGB").save(HOME / name, quality=84, optimize=True)


def stacked(images: Sequence[Image.Image]) -> Image.Image:
    """One below the other."""
    sheet = Image.new("RGB", (max(image.width for image in images), sum(image.height for image in images)), PAPER)
    top = 0
    for image in images:
        sheet.paste(image, (0, top))
        top += image.height
    return sheet


def named(motion: kinesphere.Motion, name: str) -> kinesphere.Motion:
    """The same under another name."""
    return replace(motion, name=name)


def retargeted(data: Path) -> None:
    """One capture on four bodies."""
    motion = kinesphere.load(data / "bvh/cmu/13_26.bvh")
    motion = motion[1 : 1 + round(6.0 * motion.rate)]
    bodies = {
        "the figure": figure(),
        "Mo": mo(),
        "mesh2motion": kinesphere.load_character(data / "characters/mesh2motion_human_male.glb"),
        "KayKit": kinesphere.load_character(data / "characters/kaykit_manny/manny_med_mod.gltf"),
    }
    rows = []
    for name, character in bodies.items():
        shown = named(kinesphere.retarget(motion, character), f"directing traffic: {name}")
        rows.append(sheet(shown, character=character, frames=8, columns=8, size=(1600, 400)))
    saved(stacked(rows), "retargeted.jpg")


def extremes() -> None:
    """The figure in poses that break surfaces."""
    pictures = [still(motion, 0.0, character=figure(), size=(360, 420)) for motion in poses()]
    pictures += [still(motion, 0.0, character=figure(), size=(360, 420), view="back") for motion in poses()]
    sheet = Image.new("RGB", (360 * (len(pictures) // 2), 840), PAPER)
    for i, picture in enumerate(pictures):
        sheet.paste(picture, (360 * (i % (len(pictures) // 2)), 420 * (i // (len(pictures) // 2))))
    saved(sheet, "extremes.jpg")


def poses() -> list[kinesphere.Motion]:
    """Elbow and knee at 120°, arms overhead and down, a split, a bend, a twist, fists."""
    skeleton = figure().skeleton
    x, y, z = np.eye(3)
    spine = ("spine", "spine2", "chest", "upperChest")
    up = {"leftUpperArm": (z, 110.0), "rightUpperArm": (z, -110.0)}
    down = {"leftUpperArm": (z, -38.0), "rightUpperArm": (z, 38.0)}
    level = {"leftUpperArm": (z, 45.0), "rightUpperArm": (z, -45.0)}
    asked: list[dict[str, tuple[Floats, float]]] = [
        {**down, "leftUpperArm": (z, 0.0), "leftLowerArm": (y, -120.0)},
        {**up, "leftShoulder": (z, 22.0), "rightShoulder": (z, -22.0)},
        {**down, "leftUpperLeg": (x, -95.0), "leftLowerLeg": (x, 120.0)},
        {**level, "leftUpperLeg": (z, 45.0), "rightUpperLeg": (z, -45.0)},
        {**down, **dict.fromkeys(spine, (x, 18.0))},
        {**dict.fromkeys(spine, (y, 12.0)), "neck": (y, 25.0), "head": (y, 25.0)},
    ]
    made: list[kinesphere.Motion] = []
    for turns in asked:
        q = rotations.identity(2, len(skeleton))
        for name, (axis, degrees) in turns.items():
            q[:, skeleton.index(name)] = rotations.from_axis_angle(axis, np.radians(degrees))
        for side in ("left", "right"):
            for joint, turned in finger_rotations(
                skeleton, side, hand_shape("fist" if len(made) == 0 else "open")
            ).items():
                q[:, joint] = turned
        made.append(kinesphere.Motion(skeleton, 30.0, q))
    return made


def shapes() -> None:
    """The seven hand shapes: one motion that goes through them, so that all are seen alike."""
    skeleton = figure().skeleton
    q = rotations.identity(len(SHAPES), len(skeleton))
    for name, degrees in (("rightUpperArm", -60.0), ("rightLowerArm", -75.0)):
        q[:, skeleton.index(name)] = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(degrees))
    q[:, skeleton.index("rightHand")] = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(-70.0))
    for i, name in enumerate(SHAPES):
        for joint, turned in finger_rotations(skeleton, "right", hand_shape(name)).items():
            q[i, joint] = turned
    shown = kinesphere.Motion(skeleton, 1.0, q)
    pictures = [still(shown, float(i), character=figure(), size=(2400, 2400), view="front") for i in range(len(SHAPES))]
    saved(_cropped(pictures), "hand_shapes.jpg")


def _cropped(pictures: list[Image.Image]) -> Image.Image:
    """The raised hand of each picture: what is highest on the left."""
    sheet = Image.new("RGB", (200 * len(pictures), 235), PAPER)
    for i, (name, picture) in enumerate(zip(SHAPES, pictures, strict=True)):
        pixels = np.asarray(picture, dtype=np.int64)[:, : int(0.45 * picture.width)]
        rows, columns = np.nonzero(pixels[..., 0] - pixels[..., 2] > 25)
        top, side = int(rows.min()), 0.075 * picture.height
        middle = float(columns[rows < top + side].mean())
        box = (
            round(middle - 0.75 * side),
            round(top - 0.3 * side),
            round(middle + 0.75 * side),
            round(top + 1.2 * side),
        )
        sheet.paste(picture.crop(box).resize((190, 190), Image.Resampling.LANCZOS), (200 * i + 5, 5))
        write_text(ImageDraw.Draw(sheet), (200 * i + 10, 204), name, 15, (60, 60, 64))
    return sheet


def beside(data: Path) -> None:
    """Default motions beside captures of the same act."""
    parts: dict[str, list[Image.Image]] = {"motions_1.jpg": [], "motions_2.jpg": []}
    for i, (name, (clip, start, seconds)) in enumerate(PAIRS.items()):
        ours = motion(name)
        shown = [named(ours, name)]
        if clip:
            captured = kinesphere.load(data / f"bvh/cmu/{clip}.bvh")
            first = max(round(start * captured.rate), 1)
            shown.append(named(captured[first : first + round(seconds * captured.rate)], f"captured: CMU {clip}"))
        rows = [sheet(one, frames=10, columns=10, size=(1500, 330)) for one in shown]
        parts["motions_1.jpg" if i < len(PAIRS) // 2 else "motions_2.jpg"] += rows
    for name, rows in parts.items():
        saved(stacked(rows), name, 1300)


def readme() -> None:
    """The first thing that people see: one wave in words that a stranger can name."""
    shown = {"wave": motion("wave")}
    words = ("joyful", "sad", "angry", "afraid")
    shown |= {f"wave, {word}": kinesphere.perform("wave", words=word) for word in words}
    rows = [sheet(named(m, name), frames=8, columns=8, size=(1600, 400)) for name, m in shown.items()]
    onto = named(kinesphere.perform("wave", words="proud", character=mo()), "wave, proud, on Mo")
    rows.append(sheet(onto, character=mo(), frames=8, columns=8, size=(1600, 400)))
    saved(stacked(rows), "readme.jpg")


def of_mo() -> None:
    """Mo in some of our motions."""
    rows = []
    for name in ("wave", "clap", "drink", "punch", "walk"):
        made = named(kinesphere.retarget(motion(name), mo()), f"Mo: {name}")
        rows.append(sheet(made, character=mo(), frames=9, columns=9, size=(1600, 300)))
    saved(stacked(rows), "mo.jpg")


def of_timing() -> None:
    """Progress and speed of a stroke in every element."""
    elements = {"neutral": kinesphere.Effort()} | scene("07").ELEMENTS
    wide, high, inner = 300, 200, 26
    sheet = Image.new("RGB", (wide * 5, high * 2), PAPER)
    draw = ImageDraw.Draw(sheet)
    t = np.linspace(0.0, 1.0, 241)
    for i, (name, effort) in enumerate(elements.items()):
        left, top = wide * (i % 5), high * (i // 5)
        p = effort.parameters()
        s = stroke_progress(t, p.inflection, p.anticipation, p.overshoot, p.time_exponent)
        speed = np.gradient(s, t)
        box = (left + inner, top + inner, left + wide - 12, top + high - 14)

        def points(
            values: Floats, low: float, top_value: float, box: tuple[int, ...] = box
        ) -> list[tuple[float, float]]:
            x = box[0] + t * (box[2] - box[0])
            y = box[3] - (values - low) / (top_value - low) * (box[3] - box[1])
            return list(zip(x.tolist(), y.tolist(), strict=True))

        draw.rectangle(box, fill=(252, 251, 248), outline=(200, 198, 192))
        for level in (0.0, 1.0):
            draw.line(points(np.full_like(t, level), -0.2, 1.3), fill=(215, 213, 207))
        draw.line(points(speed / 6.0 * 1.5 - 0.0, -0.2, 1.3), fill=(208, 140, 84), width=2)
        draw.line(points(s, -0.2, 1.3), fill=(60, 90, 120), width=3)
        draw.text((left + inner, top + 8), f"{name}   duration x {p.duration:.2f}", fill=(40, 40, 40))
    draw.text((wide * 4 + 30, high + 60), "blue: progress, 0 to 1\nbrown: speed, in 4 mean speeds", fill=(40, 40, 40))
    saved(sheet, "timing.jpg")


def scene(number: str) -> Any:
    """One of the examples."""
    return SimpleNamespace(**run_path(next(iter(sorted(EXAMPLES.glob(f"{number}_*.py")))).as_posix()))


def row(made: kinesphere.Motion, name: str, character: kinesphere.Character | None = None) -> Image.Image:
    """One performance over its own time."""
    return sheet(named(made, name), character=character, frames=10, columns=10, size=(1600, 300))


def of_trails() -> None:
    """The right hand's whole way through the five goals, in every element: what stills of a body don't show."""
    made = scene("07").performances()
    neutral = made["neutral"]
    goals = neutral.positions_world()[[round(t * neutral.rate) for t in GOALS], neutral.skeleton.index("rightHand")]
    performers = make_performers([made[name] for name in FACING], None)
    size = (3 * 1300 + 4, 3 * 1300 + 4)  # with what stands between panels
    end = max(one.duration for one in performers)  # who has ended waits: all are shown where they arrive
    panels = Panels.of(performers, size, "front", Overlays(Trails(("rightHand",))), at=end, columns=3)
    wide, high, gap = 720, 690, 14
    sheet = Image.new("RGB", (3 * (wide + gap) - gap, 3 * (high + gap) - gap), canvas.SHEET)
    for number, (name, one) in enumerate(zip(FACING, performers, strict=True)):
        picture = Image.fromarray(panels.panel(number, end))
        rings = panels.shots[number].aim(one.target(one.end)).pixels(goals)[0]
        draw = ImageDraw.Draw(picture)
        for x, y in rings.tolist():
            draw.ellipse((x - 18, y - 18, x + 18, y + 18), outline=canvas.INK, width=3)
        left, top = np.round(rings.mean(axis=0) - [0.37 * wide, 0.44 * high]).astype(int).tolist()
        shown = picture.crop((left, top, left + wide, top + high))
        draw = ImageDraw.Draw(shown)
        write_text(draw, (18, 12), name, 36, canvas.INK)
        write_text(draw, (18 + font(36).getlength(name) + 16, 22), f"{one.duration:.2f} s", 25, canvas.QUIET_INK)
        sheet.paste(shown, (number % 3 * (wide + gap), number // 3 * (high + gap)))
    saved(sheet, "trails.jpg")


def of_effort() -> None:
    """The scenes of the Effort and Shape page."""
    made = scene("07").performances()
    saved(stacked([row(made[name], name) for name in made]), "five_goals.jpg")
    on_mo = [row(kinesphere.retarget(made[name], mo()), f"Mo: {name}", mo()) for name in ("light", "strong", "free")]
    saved(stacked(on_mo), "five_goals_mo.jpg")
    speech = scene("08")
    denial, glee = speech.SCENES / "denial.toml", speech.SCENES / "glee.toml"
    rows = [row(kinesphere.perform(denial), "denial, neutral"), row(speech.denial(), "denial, strong and direct")]
    rows += [row(kinesphere.perform(glee), "glee, neutral"), row(speech.glee(), "glee, free at the end")]
    saved(stacked(rows), "denial_and_glee.jpg")
    actor = scene("09")
    whole, arms = actor.performances(), actor.performances(torso=False)
    rows = [row(whole[name], name) for name in whole]
    rows += [row(arms[name], f"{name}, torso suppressed") for name in ("open and light", "heavy")]
    saved(stacked(rows), "one_actor.jpg")
    signs = scene("10").scores()
    saved(stacked([row(kinesphere.render(score), name) for name, score in signs.items()]), "signs.jpg")
    words = ("gently", "angry", "sad", "proudly", "timidly", "joyful", "tired", "menacingly")
    said = [row(kinesphere.perform("wave", words=word), f"wave, {word}") for word in words]
    saved(stacked([row(motion("wave"), "wave, plain"), *said]), "words.jpg")
    shapes_shown = [(n, v, w) for n, ends in DIMENSIONS.items() for v, w in zip((-1.0, 1.0), ends, strict=True)]
    rows = [row(kinesphere.perform("emphasise", shape=kinesphere.Shape(**{n: v})), w) for n, v, w in shapes_shown]
    saved(stacked([row(motion("emphasise"), "emphasise, plain"), *rows]), "shapes.jpg")


def main() -> None:
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    readme()
    of_mo()
    of_timing()
    of_trails()
    of_effort()
    retargeted(data)
    extremes()
    shapes()
    beside(data)


if __name__ == "__main__":
    main()
